//! The options of SNMPv3, and the user that they make.

use trunkline_client::{Secret, TsmCredentials, UsmCredentials};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::{
    AuthProtocol, CredentialsError, EngineBoots, EngineId, EngineMoment, EngineTime, KeyError, LocalKey,
    PrivProtocol,
};

use super::ended::Ended;
use super::getopt::Options;
use super::tool::Tool;

/// The options of SNMPv3, as given. Not to be shown: secrets are among them.
#[derive(Default)]
pub struct V3Settings {
    /// `-u`.
    user: Option<String>,
    /// `-l`.
    level: Option<SecurityLevel>,
    /// `-a`.
    auth_protocol: Option<AuthProtocol>,
    /// `-A`.
    auth_password: Option<String>,
    /// `-x`.
    priv_protocol: Option<PrivProtocol>,
    /// `-X`.
    priv_password: Option<String>,
    /// `-3m`, `-3M`, `-3k`, `-3K`: master and localised keys for authentication and privacy, in hexadecimal.
    keys: [Option<String>; 4],
    /// `-n`.
    context: Option<String>,
    /// `-e`.
    security_engine: Option<EngineId>,
    /// `-E`.
    context_engine: Option<EngineId>,
    /// `-Z`.
    moment: Option<EngineMoment>,
}

impl V3Settings {
    /// Processes one letter with its argument.
    pub fn letter(&mut self, letter: char, text: &str, line: &mut Options<'_>) -> Result<(), Ended> {
        let wrong =
            |what: &str| Ended::usage(format!("Invalid {what} specified after -3{letter} flag: {text}"));
        match letter {
            'u' => self.user = Some(text.to_owned()),
            'l' => self.level = Some(level(text).ok_or_else(|| wrong("security level"))?),
            'a' => self.auth_protocol = Some(text.parse().map_err(|_| wrong("authentication protocol"))?),
            'x' => self.priv_protocol = Some(text.parse().map_err(|_| wrong("privacy protocol"))?),
            'A' => self.auth_password = Some(text.to_owned()),
            'X' => self.priv_password = Some(text.to_owned()),
            'n' => self.context = Some(text.to_owned()),
            'e' => self.security_engine = Some(engine_id("Invalid", 'e', text)?),
            'E' => self.context_engine = Some(engine_id("Invalid", 'E', text)?),
            'Z' => self.moment = Some(moment(text)?),
            _ => self.key(text, line)?,
        }
        Ok(())
    }

    /// `-3m HEX` and the like; the letters of single options may also follow `-3`.
    fn key(&mut self, text: &str, line: &mut Options<'_>) -> Result<(), Ended> {
        let letter = text.chars().next().unwrap_or(' ');
        let rest = text.get(letter.len_utf8()..).unwrap_or_default();
        let mut argument =
            || if rest.is_empty() { line.take_word().unwrap_or_default() } else { rest }.to_owned();
        match ("mMkK".find(letter), letter) {
            (Some(place), _) => self.keys[place] = Some(argument()),
            (None, 'u' | 'l' | 'a' | 'A' | 'x' | 'X' | 'n' | 'e' | 'E' | 'Z') => {
                let argument = argument();
                self.letter(letter, &argument, line)?;
            }
            _ => return Err(Ended::usage(format!("Unknown SNMPv3 option passed to -3: {letter}."))),
        }
        Ok(())
    }

    /// What the command line did not set, from the files; invalid values there are ignored.
    pub fn fill(&mut self, value: impl Fn(&str) -> Option<String>) {
        let [auth_master, priv_master, auth_localized, priv_localized] = &mut self.keys;
        let places = [
            (&mut self.user, "defsecurityname"),
            (&mut self.context, "defcontext"),
            (auth_master, "defauthmasterkey"),
            (priv_master, "defprivmasterkey"),
            (auth_localized, "defauthlocalizedkey"),
            (priv_localized, "defprivlocalizedkey"),
        ];
        for (place, token) in places {
            *place = place.take().or_else(|| value(token));
        }
        self.level = self.level.or_else(|| level(&value("defsecuritylevel")?));
        self.auth_protocol = self.auth_protocol.or_else(|| value("defauthtype")?.parse().ok());
        self.priv_protocol = self.priv_protocol.or_else(|| value("defprivtype")?.parse().ok());
        let password = |name| value(name).or_else(|| value("defpassphrase"));
        self.auth_password = self.auth_password.take().or_else(|| password("defauthpassphrase"));
        self.priv_password = self.priv_password.take().or_else(|| password("defprivpassphrase"));
    }

    /// What must not be shown.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let secrets = [&self.auth_password, &self.priv_password].into_iter().chain(&self.keys);
        secrets.flatten().map(String::as_str)
    }

    /// The user's name, hash and cipher, with Net-SNMP's defaults.
    pub fn protocols(&self) -> (Option<&str>, AuthProtocol, PrivProtocol) {
        let (auth, privacy) = (self.auth_protocol, self.priv_protocol);
        (self.user.as_deref(), auth.unwrap_or(AuthProtocol::Md5), privacy.unwrap_or(PrivProtocol::Des))
    }

    /// `-E`.
    pub fn context_engine(&self) -> Option<EngineId> {
        self.context_engine
    }

    /// The level and the context, if the session authenticates.
    pub fn session(&self) -> TsmCredentials {
        TsmCredentials {
            level: self.level.unwrap_or(SecurityLevel::AuthPriv),
            context: self.context.clone().unwrap_or_default().into_bytes(),
            context_engine_id: self.context_engine,
        }
    }

    /// The user.
    pub fn credentials(&self, tool: Tool) -> Result<UsmCredentials, Ended> {
        let failed = |words: &str| Ended::failed(format!("{}: {words}", tool.name()));
        // Net-SNMP's misses these when it sends, after the session is open.
        let incomplete =
            |words: &str| Ended::with_status(format!("{}: {words}", tool.name()), tool.session_status());
        let name = self.user.as_deref().filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| incomplete("No securityName specified"))?;
        let level = self.level.unwrap_or(SecurityLevel::NoAuthNoPriv);
        let mut user = UsmCredentials::new(name.as_bytes()).map_err(|fault| failed(&fault.to_string()))?;
        if level.is_authenticated() {
            let words = match level.is_encrypted() {
                true => "USM generic error",
                false => "USM authentication failure (incorrect password or key)",
            };
            let protocol = self.auth_protocol.unwrap_or(AuthProtocol::Md5);
            let secret =
                secret(&self.auth_password, &self.keys[0], &self.keys[2]).ok_or_else(|| incomplete(words))?;
            user = user.with_auth(protocol, secret).map_err(|fault| weak(tool, "authentication", &fault))?;
        }
        if level.is_encrypted() {
            let protocol = self.priv_protocol.unwrap_or(PrivProtocol::Des);
            let secret = secret(&self.priv_password, &self.keys[1], &self.keys[3]);
            let secret = secret.ok_or_else(|| incomplete("USM generic error"))?;
            user = user.with_privacy(protocol, secret).map_err(|fault| weak(tool, "privacy", &fault))?;
        }
        user.context = self.context.clone().unwrap_or_default().into_bytes();
        user.context_engine_id = self.context_engine;
        user.security_engine_id = self.security_engine;
        user.engine_moment = self.moment;
        Ok(user)
    }
}

/// The source of the key: the localised key before the master key before the password.
fn secret(password: &Option<String>, master: &Option<String>, localized: &Option<String>) -> Option<Secret> {
    let octets = |key: &Option<String>| LocalKey::from_hex(key.as_ref()?).ok();
    if let Some(key) = octets(localized) {
        return Some(Secret::LocalizedKey(key));
    }
    if let Some(key) = octets(master) {
        return Some(Secret::master_key(key.as_bytes()));
    }
    password.as_ref().map(|password| Secret::password(password.as_bytes()))
}

/// An invalid password or key, with Net-SNMP's message.
fn weak(tool: Tool, what: &str, fault: &CredentialsError) -> Ended {
    let name = tool.name();
    Ended::failed(match fault {
        CredentialsError::Key(KeyError::PasswordTooShort { .. }) => format!(
            "Error: passphrase chosen is below the length requirements of the USM (min=8).\n\
             {name}:  (The supplied password length is too short.)\n\
             Error generating a key (Ku) from the supplied {what} pass phrase. "
        ),
        other => format!("{name}: {other}"),
    })
}

fn level(text: &str) -> Option<SecurityLevel> {
    match text.to_ascii_lowercase().as_str() {
        "noauthnopriv" | "noauth" | "nanp" | "1" => Some(SecurityLevel::NoAuthNoPriv),
        "authnopriv" | "auth" | "anp" | "2" => Some(SecurityLevel::AuthNoPriv),
        "authpriv" | "priv" | "ap" | "3" => Some(SecurityLevel::AuthPriv),
        _ => None,
    }
}

fn engine_id(adjective: &str, letter: char, text: &str) -> Result<EngineId, Ended> {
    EngineId::from_hex(text)
        .map_err(|_| Ended::usage(format!("{adjective} engine ID value after -{letter} flag.")))
}

/// `BOOTS,TIME`.
fn moment(text: &str) -> Result<EngineMoment, Ended> {
    let wrong = || Ended::usage("Invalid engine boots/time value after -Z flag.");
    let (boots, time) = text.split_once(',').ok_or_else(wrong)?;
    let boots = boots.trim().parse().ok().and_then(EngineBoots::new);
    let time = time.trim().parse().ok().and_then(EngineTime::new);
    Ok(EngineMoment { boots: boots.ok_or_else(wrong)?, time: time.ok_or_else(wrong)? })
}
