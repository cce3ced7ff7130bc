//! Users of SNMPv3: `createUser` of the file.

use trunkline_client::{AuthProtocol, EngineId, PrivProtocol, Secret, UsmCredentials};
use trunkline_snmp::usm::LocalKey;

/// A user, at one engine or at every one.
#[derive(Clone, Debug)]
pub struct KnownUser {
    /// Name and keys.
    pub credentials: UsmCredentials,
    /// `-e`: the engine that its traps come from.
    pub engine: Option<EngineId>,
}

/// `createUser [-e ENGINEID] NAME [AUTH [-m|-l] SECRET [PRIV [[-m|-l] SECRET]]]`.
///
/// # Errors
/// What is wrong, without the secrets.
pub fn create_user(words: Vec<String>) -> Result<KnownUser, String> {
    let mut words = words.into_iter().peekable();
    let mut engine = None;
    if words.next_if(|word| word == "-e").is_some() {
        let text = words.next().ok_or("-e lacks its engine ID")?;
        engine = Some(EngineId::from_hex(&text).map_err(|fault| format!("-e {text}: {fault}"))?);
    }
    let name = words.next().filter(|name| !name.is_empty()).ok_or("names no user")?;
    let mut credentials = UsmCredentials::new(name.as_bytes()).map_err(|fault| fault.to_string())?;
    let Some(auth) = words.next() else { return Ok(KnownUser { credentials, engine }) };
    let hash: AuthProtocol =
        auth.parse().map_err(|_| format!("{auth:?} is not a known authentication protocol"))?;
    let secret = secret(&mut words)?.ok_or("an authentication protocol without its password")?;
    credentials = credentials.with_auth(hash, secret.clone()).map_err(|fault| fault.to_string())?;
    if let Some(privacy) = words.next() {
        let cipher: PrivProtocol =
            privacy.parse().map_err(|_| format!("{privacy:?} is not a known privacy protocol"))?;
        let own = self::secret(&mut words)?.unwrap_or(secret);
        credentials = credentials.with_privacy(cipher, own).map_err(|fault| fault.to_string())?;
    }
    Ok(KnownUser { credentials, engine })
}

fn secret(words: &mut std::iter::Peekable<impl Iterator<Item = String>>) -> Result<Option<Secret>, String> {
    let form = words.next_if(|word| matches!(word.as_str(), "-l" | "-m"));
    let Some(text) = words.next() else { return Ok(None) };
    let key = || {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(&text);
        LocalKey::from_hex(&format!("0x{digits}")).map_err(|_| "a key is not hexadecimal digits".to_owned())
    };
    Ok(Some(match form.as_deref() {
        Some("-l") => Secret::LocalizedKey(key()?),
        Some(_) => Secret::master_key(key()?.as_bytes()),
        None => Secret::password(text.as_bytes()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_snmp::SecurityLevel;

    fn user(text: &str) -> Result<KnownUser, String> {
        create_user(text.split(' ').map(str::to_owned).collect())
    }

    #[test]
    fn users_have_levels_and_engines() {
        let ann = user("-e 0x8000000001020304 ann SHA-256 maplesyrup AES").unwrap();
        assert_eq!(ann.credentials.level(), SecurityLevel::AuthPriv);
        assert!(ann.engine.is_some());
        assert_eq!(user("bob MD5 maplesyrup").unwrap().credentials.level(), SecurityLevel::AuthNoPriv);
        assert_eq!(user("cat").unwrap().credentials.level(), SecurityLevel::NoAuthNoPriv);
        for wrong in ["", "-e zz ann", "ann ROT13 maplesyrup", "ann SHA", "ann SHA short", "ann SHA -m zz"] {
            let why = user(wrong).unwrap_err();
            assert!(!why.contains("maplesyrup") && !why.contains("short"), "{why}");
        }
    }
}
