//! Options of Net-SNMP's commands in a directive (snmpcmd(1)): `trapsess` and `proxy`.

use trunkline_snmp::usm::{AuthProtocol, PrivProtocol};

/// A secret as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretText {
    /// A password.
    Password(String),
    /// A key for all engines, in hexadecimal with `0x`.
    Master(String),
    /// A key for one engine, in hexadecimal with `0x`.
    Local(String),
}

impl SecretText {
    /// Whether it has the length that its hash and its cipher need.
    pub fn check(&self, hash: usize, local: usize) -> Result<(), String> {
        let key = |text: &str| {
            let digits = text.trim_start_matches("0x");
            let is_hexadecimal =
                digits.len().is_multiple_of(2) && digits.chars().all(|c| c.is_ascii_hexdigit());
            is_hexadecimal.then_some(digits.len() / 2).ok_or("a key that is not hexadecimal")
        };
        match self {
            SecretText::Password(text) if text.len() < 8 => {
                Err("a password has fewer than 8 octets; RFC 3414 requires 8".into())
            }
            SecretText::Password(_) => Ok(()),
            SecretText::Master(text) => match key(text)? {
                octets if octets == hash => Ok(()),
                octets => Err(format!("a key of {octets} octets, and its protocol needs {hash}")),
            },
            SecretText::Local(text) => match key(text)? {
                octets if octets == hash || (local..=64).contains(&octets) && local != hash => Ok(()),
                octets => Err(format!("a key of {octets} octets, and its protocol needs {local}")),
            },
        }
    }
}

/// What the options say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// `-v`: 1, 2c or 3.
    pub version: Option<String>,
    /// `-c`.
    pub community: Option<String>,
    /// `-u`.
    pub user: Option<String>,
    /// `-l`.
    pub level: Option<Level>,
    /// `-a`.
    pub auth: Option<AuthProtocol>,
    /// `-A`, `-3m`, `-3k`.
    pub auth_secret: Option<SecretText>,
    /// `-x`.
    pub privacy: Option<PrivProtocol>,
    /// `-X`, `-3M`, `-3K`.
    pub priv_secret: Option<SecretText>,
    /// `-n`.
    pub context: Option<String>,
    /// `-t`, in seconds.
    pub timeout: Option<f64>,
    /// `-r`.
    pub retries: Option<u32>,
    /// `-Ci`.
    pub inform: bool,
    /// `-Cn`.
    pub local_context: Option<String>,
    /// `-name`, `-profile`.
    pub name: Option<String>,
    /// `-profile`.
    pub profile: Option<String>,
    /// `-T`: certificates, for TLS and DTLS.
    pub certificates: Certificates,
    /// Options that have no place here, with their values.
    pub ignored: Vec<String>,
}

/// Certificates of a session, as `-T NAME=VALUE` names them (snmpcmd(1)).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Certificates {
    /// `our_identity`: our own.
    pub own: Option<String>,
    /// `their_identity`: the peer's.
    pub peer: Option<String>,
    /// `their_hostname`: a name that the peer's has.
    pub host: Option<String>,
    /// `trust_cert`: who vouches for the peer's.
    pub trusted: Option<String>,
}

impl Certificates {
    /// Takes `NAME=VALUE`; `false`: the name is not known.
    fn take(&mut self, text: &str) -> bool {
        let Some((name, value)) = text.split_once('=') else { return false };
        let place = match name.replace('_', "").to_ascii_lowercase().as_str() {
            "ouridentity" | "localcert" => &mut self.own,
            "theiridentity" | "peercert" => &mut self.peer,
            "theirhostname" => &mut self.host,
            "trustcert" => &mut self.trusted,
            _ => return false,
        };
        *place = Some(value.into());
        true
    }
}

/// A security level by its name in Net-SNMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `noauth`.
    NoAuth,
    /// `auth`.
    Auth,
    /// `priv`.
    Priv,
}

impl Level {
    /// `noauth`, `authNoPriv`, `ap` and the like.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "noauth" | "noauthnopriv" | "nanp" | "1" => Ok(Level::NoAuth),
            "auth" | "authnopriv" | "anp" | "2" => Ok(Level::Auth),
            "priv" | "authpriv" | "ap" | "3" => Ok(Level::Priv),
            _ => Err(format!("{text:?} is not a level; expected noauth, auth or priv")),
        }
    }

    /// As in our configuration.
    pub fn name(self) -> &'static str {
        match self {
            Level::NoAuth => "noAuthNoPriv",
            Level::Auth => "authNoPriv",
            Level::Priv => "authPriv",
        }
    }
}

/// Long options of the sink directives, all with a value.
const NAMED: [&str; 4] = ["-profile", "-name", "-tag", "-s"];

/// Options at the beginning of `words`; returns the rest.
pub fn parse(words: &[String]) -> Result<(Session, Vec<String>), String> {
    let mut session = Session::default();
    let mut words = words.iter().cloned();
    let mut rest = Vec::new();
    while let Some(word) = words.next() {
        let mut value = |attached: &str| match attached.is_empty() {
            false => Ok(attached.to_string()),
            true => words.next().ok_or_else(|| format!("{word} lacks its value")),
        };
        if NAMED.contains(&word.as_str()) {
            let value = value("")?;
            match word.as_str() {
                "-profile" => session.profile = Some(value),
                "-name" => session.name = Some(value),
                _ => session.ignored.push(format!("{word} {value}")),
            }
            continue;
        }
        let Some(option) = word.strip_prefix('-').filter(|option| !option.is_empty()) else {
            rest.push(word);
            rest.extend(words);
            break;
        };
        let (letter, attached) = option.split_at(option.chars().next().map_or(0, char::len_utf8));
        take(&mut session, letter, attached, &mut value)?;
    }
    Ok((session, rest))
}

fn take(
    session: &mut Session,
    letter: &str,
    attached: &str,
    value: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<(), String> {
    let unknown = |what: &str, text: &str| format!("{text:?} is not a known {what} protocol");
    match letter {
        "v" => session.version = Some(value(attached)?),
        "c" => session.community = Some(value(attached)?),
        "u" => session.user = Some(value(attached)?),
        "l" => session.level = Some(Level::parse(&value(attached)?)?),
        "a" => {
            let text = value(attached)?;
            session.auth = Some(text.parse().map_err(|_| unknown("authentication", &text))?);
        }
        "x" => {
            let text = value(attached)?;
            session.privacy = Some(text.parse().map_err(|_| unknown("privacy", &text))?);
        }
        "A" => session.auth_secret = Some(SecretText::Password(value(attached)?)),
        "X" => session.priv_secret = Some(SecretText::Password(value(attached)?)),
        "3" => {
            let (which, attached) = attached.split_at(attached.len().min(1));
            let key = value(attached)?;
            match which {
                "m" => session.auth_secret = Some(SecretText::Master(hexadecimal(&key))),
                "M" => session.priv_secret = Some(SecretText::Master(hexadecimal(&key))),
                "k" => session.auth_secret = Some(SecretText::Local(hexadecimal(&key))),
                "K" => session.priv_secret = Some(SecretText::Local(hexadecimal(&key))),
                _ => return Err(format!("-3{which} is not an option")),
            }
        }
        "n" => session.context = Some(value(attached)?),
        "t" => {
            let text = value(attached)?;
            session.timeout = Some(text.parse().map_err(|_| format!("-t {text:?} is not a time"))?);
        }
        "r" => {
            let text = value(attached)?;
            session.retries = Some(text.parse().map_err(|_| format!("-r {text:?} is not a number"))?);
        }
        "C" => match attached.split_at(attached.len().min(1)) {
            ("i", _) => session.inform = true,
            ("n", attached) => session.local_context = Some(value(attached)?),
            _ => session.ignored.push(format!("-C{attached}")),
        },
        "T" => {
            let value = value(attached)?;
            if !session.certificates.take(&value) {
                session.ignored.push(format!("-T {value}"));
            }
        }
        "e" | "E" | "Z" | "m" | "M" | "O" | "I" | "L" | "P" | "Y" => {
            let value = value(attached)?;
            session.ignored.push(format!("-{letter} {value}"));
        }
        "d" | "q" | "f" | "V" | "D" => session.ignored.push(format!("-{letter}{attached}")),
        _ => return Err(format!("-{letter}{attached} is not a known option")),
    }
    Ok(())
}

/// A key with `0x` in front, as our configuration has it.
pub fn hexadecimal(text: &str) -> String {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    format!("0x{}", digits.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(Session, Vec<String>), String> {
        parse(&crate::words::split(text))
    }

    #[test]
    fn options_are_taken_attached_or_apart() {
        let (session, rest) = check("-v2c -c public udp:h:162 .1.3 -x").unwrap();
        assert_eq!((session.version.as_deref(), session.community.as_deref()), (Some("2c"), Some("public")));
        assert_eq!(rest, ["udp:h:162", ".1.3", "-x"]);
        let (session, rest) = check(
            "-Ci -v 3 -u ann -l authPriv -a SHA-256 -A \"a b\" -xAES -X y -t 2.5 -r 1 -n ctx -e 0x80 h",
        )
        .unwrap();
        assert!(session.inform);
        assert_eq!((session.auth, session.privacy), (Some(AuthProtocol::Sha256), Some(PrivProtocol::Aes128)));
        assert_eq!(session.auth_secret, Some(SecretText::Password("a b".into())));
        assert_eq!(
            (session.timeout, session.retries, session.level),
            (Some(2.5), Some(1), Some(Level::Priv))
        );
        assert_eq!(
            (session.context.as_deref(), session.ignored.as_slice()),
            (Some("ctx"), &["-e 0x80".to_string()][..])
        );
        assert_eq!(rest, ["h"]);
        let (session, _) = check("-Cn ctx -profile p -name n -3k 0xAB -v 3 h").unwrap();
        assert_eq!((session.local_context.as_deref(), session.profile.as_deref()), (Some("ctx"), Some("p")));
        assert_eq!(session.auth_secret, Some(SecretText::Local("0xab".into())));
        let (session, _) = check("-T our_identity=a -Ttheir_identity=b -T trustCert=c -T x=y h").unwrap();
        let named = session.certificates;
        assert_eq!((named.own.as_deref(), named.peer.as_deref(), named.host), (Some("a"), Some("b"), None));
        assert_eq!((named.trusted.as_deref(), session.ignored), (Some("c"), vec!["-T x=y".to_owned()]));
        for wrong in ["-v", "-a ROT13 h", "-l much h", "-j h", "-t soon h"] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
