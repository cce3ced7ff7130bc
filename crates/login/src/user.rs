//! From the options of SNMPv3, the variables, files and `snmp.conf` to a user with keys.

use std::path::Path;

use trunkline_client::{Secret, UsmCredentials};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::{AuthProtocol, LocalKey, PrivProtocol};

use crate::conf::Conf;
use crate::keeper::{Given, Keeper, SecretOf};
use crate::mistake::Mistake;
use crate::options::user::SecurityArgs;
pub use crate::private::{private_file, secret_of_file};

/// A user's defaults.
const AUTH: AuthProtocol = AuthProtocol::Sha256;
const PRIV: PrivProtocol = PrivProtocol::Aes128;

/// The name of a user who is described, but not named: the target must name him.
pub const NAMELESS: &[u8] = b"\0";

/// The user that the options describe, without a name ([`NAMELESS`]) when neither they nor `snmp.conf` has one.
pub fn user(arguments: &SecurityArgs, conf: &Conf) -> Result<UsmCredentials, Mistake> {
    user_given(arguments, conf, &Given::default())
}

/// The same with the defaults of the file of targets.
pub(crate) fn user_given(
    arguments: &SecurityArgs,
    conf: &Conf,
    given: &Given,
) -> Result<UsmCredentials, Mistake> {
    user_from(arguments, conf, given, |name| std::env::var(name).ok())
}

fn user_from(
    arguments: &SecurityArgs,
    conf: &Conf,
    given: &Given,
    variable: impl Fn(&'static str) -> Option<String>,
) -> Result<UsmCredentials, Mistake> {
    let usage = |fault: &dyn std::fmt::Display| Mistake::of(fault);
    let name = arguments.user.clone().or_else(|| conf.value("defsecurityname").map(str::to_owned));
    let name = name.map_or_else(|| NAMELESS.to_vec(), String::into_bytes);
    let mut user = UsmCredentials::new(&name).map_err(|fault| usage(&fault))?;
    let auth = Sources {
        password: &arguments.auth_password,
        file: arguments.auth_password_file.as_deref(),
        variable: variable("TRUNKLINE_AUTH_PASSWORD"),
        given: given.auth.as_ref(),
        keeper: &given.keeper,
        keys: [&arguments.auth_master_key, &arguments.auth_localized_key],
        conf: ["defauthpassphrase", "defauthmasterkey", "defauthlocalizedkey"],
    };
    let privacy = Sources {
        password: &arguments.priv_password,
        file: arguments.priv_password_file.as_deref(),
        variable: variable("TRUNKLINE_PRIV_PASSWORD"),
        given: given.privacy.as_ref(),
        keeper: &given.keeper,
        keys: [&arguments.priv_master_key, &arguments.priv_localized_key],
        conf: ["defprivpassphrase", "defprivmasterkey", "defprivlocalizedkey"],
    };
    let level = arguments.level.map(|level| level.level());
    let level = level.or_else(|| level_named(conf.value("defsecuritylevel")?));
    if let Some(secret) = auth.secret(conf)? {
        let protocol = arguments.auth_protocol.or_else(|| conf.value("defauthtype")?.parse().ok());
        user = user.with_auth(protocol.unwrap_or(AUTH), secret).map_err(|fault| usage(&fault))?;
        if let Some(secret) = privacy.secret(conf)? {
            let protocol = arguments.priv_protocol.or_else(|| conf.value("defprivtype")?.parse().ok());
            user = user.with_privacy(protocol.unwrap_or(PRIV), secret).map_err(|fault| usage(&fault))?;
        }
    }
    if let Some(level) = level {
        user = user.with_level(level).ok_or_else(|| Mistake(missing_secret(level).to_owned()))?;
    }
    let context = arguments.context.as_deref().or_else(|| conf.value("defcontext"));
    user.context = context.unwrap_or_default().into();
    user.context_engine_id = arguments.context_engine_id;
    user.security_engine_id = arguments.engine_id;
    user.engine_moment = arguments.engine_boots;
    Ok(user)
}

/// The possible sources of one secret; the first that exists is used.
struct Sources<'a> {
    password: &'a Option<String>,
    file: Option<&'a Path>,
    variable: Option<String>,
    /// That of the defaults of the file of targets.
    given: Option<&'a SecretOf>,
    keeper: &'a Keeper,
    /// A master key and a localised one, in hexadecimal digits.
    keys: [&'a Option<String>; 2],
    /// The tokens of `snmp.conf` for the password, the master key and the localised one.
    conf: [&'static str; 3],
}

impl Sources<'_> {
    fn secret(&self, conf: &Conf) -> Result<Option<Secret>, Mistake> {
        let [master, localized] = self.keys.map(|key| key.as_deref());
        let [password_token, master_token, localized_token] = self.conf;
        if let Some(text) = localized.or_else(|| conf.value(localized_token)) {
            return Ok(Some(Secret::LocalizedKey(key(text)?)));
        }
        if let Some(text) = master.or_else(|| conf.value(master_token)) {
            return Ok(Some(Secret::master_key(key(text)?.as_bytes())));
        }
        if let Some(password) = self.password {
            return Ok(Some(self.keeper.password(password.as_bytes())));
        }
        if let Some(file) = self.file {
            return Ok(Some(self.keeper.password(&secret_of_file(file)?)));
        }
        if let (None, Some(of)) = (&self.variable, self.given) {
            return Ok(Some(self.keeper.password(self.keeper.read(of)?.as_bytes())));
        }
        let from_conf = || conf.value(password_token).or_else(|| conf.value("defpassphrase"));
        let password = self.variable.as_deref().or_else(from_conf);
        Ok(password.map(|password| self.keeper.password(password.as_bytes())))
    }
}

fn key(text: &str) -> Result<LocalKey, Mistake> {
    LocalKey::from_hex(text).map_err(|fault| Mistake(format!("a key: {fault}")))
}

fn missing_secret(level: SecurityLevel) -> &'static str {
    match level {
        SecurityLevel::NoAuthNoPriv => "", // needs none
        SecurityLevel::AuthNoPriv => {
            "authNoPriv needs a password: TRUNKLINE_AUTH_PASSWORD, --auth-password-file or -A"
        }
        SecurityLevel::AuthPriv => {
            "authPriv needs two passwords: TRUNKLINE_AUTH_PASSWORD and TRUNKLINE_PRIV_PASSWORD, \
             --auth-password-file and --priv-password-file, or -A and -X"
        }
    }
}

/// A level by the names that Net-SNMP accepts.
pub fn level_named(text: &str) -> Option<SecurityLevel> {
    match text.to_ascii_lowercase().as_str() {
        "noauthnopriv" | "noauth" | "nanp" => Some(SecurityLevel::NoAuthNoPriv),
        "authnopriv" | "auth" | "anp" => Some(SecurityLevel::AuthNoPriv),
        "authpriv" | "priv" | "ap" => Some(SecurityLevel::AuthPriv),
        _ => None,
    }
}
