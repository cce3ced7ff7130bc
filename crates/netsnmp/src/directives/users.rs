//! Users of SNMPv3: `createUser`, and `usmUser` of the persistent file, with keys in place of
//! passwords.

use trunkline_smi::Oid;
use trunkline_snmp::usm::{AuthProtocol, EngineId, MasterKey, PrivProtocol};

use crate::Note;
use crate::collected::{Collected, User};
use crate::oids;
use crate::session::{SecretText, hexadecimal};
use crate::source::Directive;

type Done = Result<(), String>;

/// `createUser [-e ENGINEID] NAME [AUTH [-l|-m] SECRET [PRIV [[-l|-m] SECRET]]]`
pub(super) fn create_user(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let mut words = directive.words().into_iter().peekable();
    let mut engine = None;
    if words.next_if(|word| word == "-e").is_some() {
        engine = Some(words.next().ok_or("-e lacks its engine ID")?);
    }
    let name = words.next().filter(|name| !name.is_empty()).ok_or("names no user")?;
    let secret =
        |words: &mut std::iter::Peekable<std::vec::IntoIter<String>>| -> Result<Option<SecretText>, String> {
            let form = words.next_if(|word| matches!(word.as_str(), "-l" | "-m"));
            let Some(text) = words.next() else { return Ok(None) };
            Ok(Some(match form.as_deref() {
                Some("-l") => SecretText::Local(hexadecimal(&text)),
                Some(_) => SecretText::Master(hexadecimal(&text)),
                None if text.len() < 8 => {
                    return Err("a password has fewer than 8 octets; RFC 3414 requires 8".into());
                }
                None => SecretText::Password(text),
            }))
        };
    let auth = match words.next() {
        None => None,
        Some(protocol) => {
            let protocol: AuthProtocol = protocol
                .parse()
                .map_err(|_| format!("{protocol:?} is not a known authentication protocol"))?;
            Some((protocol, secret(&mut words)?.ok_or("an authentication protocol without its password")?))
        }
    };
    let privacy = match words.next() {
        None => None,
        Some(protocol) => {
            let protocol: PrivProtocol =
                protocol.parse().map_err(|_| format!("{protocol:?} is not a known privacy protocol"))?;
            let own = secret(&mut words)?;
            let shared = auth.as_ref().map(|(_, secret)| secret.clone());
            Some((protocol, own.or(shared).ok_or("a privacy protocol without a password")?))
        }
    };
    let secrets = [auth.as_ref().map(|(_, secret)| secret), privacy.as_ref().map(|(_, secret)| secret)];
    let is_local = secrets.into_iter().flatten().any(|secret| matches!(secret, SecretText::Local(_)));
    let at = engine.map(|engine| canonical(&engine)).transpose()?;
    // Passwords serve for any engine.
    let engine = at.clone().filter(|_| is_local);
    add(collected, User { name, auth, privacy, engine, at, origin: directive.origin.clone() })
}

/// `usmUser STATUS STORAGE ENGINEID NAME SECNAME CLONEFROM AUTH AUTHKEY PRIV PRIVKEY PUBLIC`, as snmpd
/// writes it when it ends.
pub(super) fn usm_user(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let [status, _storage, engine, name, security_name, _clone, auth, auth_key, privacy, priv_key, ..] =
        words.as_slice()
    else {
        return Err("has fewer fields than snmpd writes".into());
    };
    if status != "1" {
        return Err("a user that was not active".into());
    }
    let name = octets(name)?;
    if octets(security_name)? != name {
        return Err("a user whose security name is not its name, which cannot be configured".into());
    }
    let oid = |text: &str| -> Result<Oid, String> { oids::parse(text) };
    let auth_oid = oid(auth)?;
    let priv_oid = oid(privacy)?;
    let auth = match AuthProtocol::from_oid(&auth_oid) {
        Some(protocol) => Some((protocol, SecretText::Local(hexadecimal(auth_key)))),
        None if auth_oid == AuthProtocol::none_oid() => None,
        None => return Err(format!("unknown authentication protocol {auth_oid}")),
    };
    let privacy = match PrivProtocol::from_oid(&priv_oid) {
        Some(protocol) => Some((protocol, SecretText::Local(hexadecimal(priv_key)))),
        None if priv_oid == PrivProtocol::none_oid() => None,
        None => return Err(format!("unknown privacy protocol {priv_oid}")),
    };
    let engine = Some(canonical(engine)?);
    add(collected, User { name, auth, privacy, engine, at: None, origin: directive.origin.clone() })
}

/// An octet string of the persistent file: text, or hexadecimal with `0x`. Names end with an octet 0.
fn octets(text: &str) -> Result<String, String> {
    let Some(digits) = text.strip_prefix("0x") else { return Ok(text.to_string()) };
    let octets: Option<Vec<u8>> = (0..digits.len() / 2)
        .map(|at| digits.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect();
    let octets = octets.ok_or_else(|| format!("{text:?} is not an octet string"))?;
    String::from_utf8(octets)
        .map(|text| text.trim_end_matches('\0').to_string())
        .map_err(|_| "a name that is not text".into())
}

/// An engine ID as our configuration has it.
fn canonical(engine: &str) -> Result<String, String> {
    let id = EngineId::from_hex(engine).map_err(|error| format!("engine ID: {error}"))?;
    let hex = id.as_bytes().iter().map(|octet| format!("{octet:02x}")).collect::<String>();
    Ok(format!("0x{hex}"))
}

fn add(collected: &mut Collected<'_>, user: User) -> Done {
    user.check()?;
    if let Some(engine) = &user.engine {
        collected.engine_of_keys.get_or_insert_with(|| (engine.clone(), user.origin.clone()));
    }
    // The same name at another engine is another user.
    let is_it = |known: &User| {
        let places = (known.place(), user.place());
        let is_anywhere = places.0.is_none() || places.1.is_none();
        let names_engine = known.at.is_some() || user.at.is_some();
        known.name == user.name && (places.0 == places.1 || is_anywhere && !names_engine)
    };
    let Some(at) = collected.users.iter().position(is_it) else {
        collected.users.push(user);
        return Ok(());
    };
    // For snmpd the last line counts. It writes a password down as keys, which are the same user:
    // then the password stays, since it serves for other engines too.
    let engine = user.engine.as_ref().and_then(|engine| EngineId::from_hex(engine).ok());
    if engine.is_some_and(|engine| is_same(&collected.users[at], &user, &engine)) {
        let whole = collected.users[at].origin.clone();
        collected.part_of(&user.origin, &whole);
        return Ok(());
    }
    let why = format!("a later line for this user takes precedence, {}", user.origin);
    let directive = "createUser".into();
    collected.unneeded.push(Note { origin: collected.users[at].origin.clone(), directive, why });
    collected.users[at] = user;
    Ok(())
}

/// Whether the keys of `kept` are those derived from the passwords of `made` for this engine.
fn is_same(made: &User, kept: &User, engine: &EngineId) -> bool {
    let hash = made.auth.as_ref().map_or(AuthProtocol::Md5, |(protocol, _)| *protocol);
    let gives = |made: &SecretText, kept: &SecretText| {
        let (SecretText::Password(password), SecretText::Local(key)) = (made, kept) else {
            return made == kept;
        };
        let master = MasterKey::from_password(hash, password.as_bytes());
        let Ok(local) = master.map(|master| master.localize(engine)) else { return false };
        // A key for privacy may be cut to what its cipher needs.
        let hex: String = local.as_bytes().iter().map(|octet| format!("{octet:02x}")).collect();
        let digits = key.trim_start_matches("0x");
        !digits.is_empty() && hex.starts_with(digits)
    };
    let auth = match (&made.auth, &kept.auth) {
        (Some((made, secret)), Some((kept, key))) => made == kept && gives(secret, key),
        (None, None) => true,
        _ => false,
    };
    let privacy = match (&made.privacy, &kept.privacy) {
        (Some((made, secret)), Some((kept, key))) => made == kept && gives(secret, key),
        (None, None) => true,
        _ => false,
    };
    auth && privacy
}
