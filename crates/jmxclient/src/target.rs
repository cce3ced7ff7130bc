//! Where a JVM is: `jmx://USER@HOST:PORT/NAME/ATTRIBUTE`, and the URLs of JMX itself,
//! `service:jmx:rmi:///jndi/rmi://HOST:PORT/jmxrmi`.

use std::fmt;

use trunkline_transport::{Authority, AuthorityError, Url};
use zeroize::Zeroizing;

use crate::place::Tls;

/// A JVM, and as whom it is asked. [`fmt::Debug`] and [`fmt::Display`] show no secret.
#[derive(Clone)]
pub struct JmxTarget {
    /// Whether the registry is reached over TLS. What follows is protected then too, or refused.
    pub secure: bool,
    /// Where its registry is: a name or an address; IPv6 without brackets.
    pub host: String,
    /// The port of the registry.
    pub port: u16,
    /// The name of the server in the registry.
    pub bound: String,
    /// Where the connector is, if the URL says so.
    pub connector: Option<(String, u16)>,
    /// The user of the URL.
    pub user: Option<String>,
    /// User and password, if the server requires them.
    pub login: Option<JmxLogin>,
    /// Our trust anchors and our identity, for servers that use TLS.
    pub tls: Option<Tls>,
    /// What the URL names there: an MBean, a pattern of MBeans, or an attribute, for [`crate::path`] to read.
    pub path: Option<String>,
}

/// A user with a password. `Debug` shows no secret.
#[derive(Clone)]
pub struct JmxLogin {
    /// The user.
    pub user: String,
    /// The password.
    pub password: Zeroizing<String>,
}

/// Why a text does not name a JVM.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// Another scheme.
    #[error(
        "expected jmx://HOST:PORT, jmx+tls://HOST:PORT or service:jmx:rmi:///jndi/rmi://HOST:PORT/jmxrmi"
    )]
    Scheme,
    /// Host and port are malformed.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// Port 0.
    #[error("`0` is not a port: expected a number from 1 to 65535")]
    Port,
    /// A password in the URL. It is not repeated.
    #[error(
        "a URL has no password for JMX, since process listings show it: give --jmx-password-file, --jmx-ask-password or the variable TRUNKLINE_JMX_PASSWORD"
    )]
    Password,
    /// A parameter.
    #[error("`?{parameter}`: a jmx:// URL has no parameters; a `?` of a pattern is written %3F in a URL")]
    Parameter {
        /// The text after the `?`.
        parameter: String,
    },
    /// `%` without two hexadecimal digits, or decoded text that is not UTF-8.
    #[error("`%` must be followed by two hexadecimal digits, and the text be UTF-8, in the {part}")]
    PercentEncoding {
        /// The part of the URL.
        part: &'static str,
    },
    /// A connector of JMX that is not RMI with a registry.
    #[error(
        "{text} is a URL of JMX that is not supported here: expected service:jmx:rmi:///jndi/rmi://HOST:PORT/NAME"
    )]
    Service {
        /// The URL.
        text: String,
    },
}

impl JmxTarget {
    /// The usual port of a registry.
    pub const PORT: u16 = 1099;
    /// The name under which JVMs bind their server.
    pub const BOUND: &'static str = "jmxrmi";

    /// Whether a text is a URL of JMX.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        let scheme = Url::split(text).map(|url| url.scheme).unwrap_or_default();
        ["jmx", "jmx+tls"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) || service(text).is_some()
    }

    /// Parses `jmx://[USER@]HOST[:PORT][/PATH]`, `jmx+tls://...`, or
    /// `service:jmx:rmi://[HOST:PORT]/jndi/rmi://HOST[:PORT]/NAME`. User and path may be percent-encoded.
    ///
    /// # Errors
    /// [`TargetError`], with what was expected.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        if let Some(rest) = service(text) {
            return of_service(rest).ok_or_else(|| TargetError::Service { text: text.to_owned() })?;
        }
        let url = Url::split(text).ok_or(TargetError::Scheme)?;
        let secure = match url.scheme.to_ascii_lowercase().as_str() {
            "jmx" => false,
            "jmx+tls" => true,
            _ => return Err(TargetError::Scheme),
        };
        if let Some(parameter) = url.query {
            return Err(TargetError::Parameter { parameter: parameter.to_owned() });
        }
        let user = match url.user {
            Some(user) if user.contains(':') => return Err(TargetError::Password),
            Some(user) => Some(decoded(user, "user")?),
            None => None,
        };
        let (host, port) = place(url.authority)?;
        let path = decoded(url.path.strip_prefix('/').unwrap_or_default(), "path")?;
        let path = (!path.is_empty()).then_some(path);
        Ok(JmxTarget { secure, user, path, ..JmxTarget::at(host, port) })
    }

    fn at(host: String, port: u16) -> Self {
        JmxTarget {
            secure: false,
            host,
            port,
            bound: Self::BOUND.to_owned(),
            connector: None,
            user: None,
            login: None,
            tls: None,
            path: None,
        }
    }

    /// The same, with a user and a password.
    #[must_use]
    pub fn with_login(self, login: Option<JmxLogin>) -> Self {
        JmxTarget { login, ..self }
    }

    /// The same, with trust anchors and an identity.
    #[must_use]
    pub fn with_tls(self, tls: Option<Tls>) -> Self {
        JmxTarget { tls, ..self }
    }

    /// The host and port of the registry as one text, IPv6 in brackets.
    #[must_use]
    pub fn authority(&self) -> String {
        Authority { host: &self.host, port: Some(self.port) }.to_string()
    }
}

/// What follows `service:jmx:`.
fn service(text: &str) -> Option<&str> {
    const PREFIX: &str = "service:jmx:";
    let head = text.get(..PREFIX.len())?;
    head.eq_ignore_ascii_case(PREFIX).then(|| &text[PREFIX.len()..])
}

/// `rmi://[HOST:PORT]/jndi/rmi://HOST[:PORT]/NAME`; none if it is another kind of URL.
fn of_service(rest: &str) -> Option<Result<JmxTarget, TargetError>> {
    let (server, registry) = rest.split_once("/jndi/")?;
    let server = server.strip_prefix("rmi://")?;
    let url = Url::split(registry).filter(|url| url.scheme == "rmi" && url.user.is_none())?;
    let bound = url.path.strip_prefix('/').filter(|bound| !bound.is_empty())?;
    let made = || {
        let (host, port) = match url.authority {
            "" => ("localhost".to_owned(), JmxTarget::PORT),
            authority => place(authority)?,
        };
        let connector = if server.is_empty() { None } else { connector(server)? };
        let bound = decoded(bound, "name in the registry")?;
        Ok(JmxTarget { bound, connector, ..JmxTarget::at(host, port) })
    };
    Some(made())
}

/// A place with a port; without one it says nothing.
fn connector(text: &str) -> Result<Option<(String, u16)>, TargetError> {
    let Authority { host, port } = Authority::parse(text)?;
    Ok(port.filter(|port| *port != 0).map(|port| (host.to_owned(), port)))
}

fn place(text: &str) -> Result<(String, u16), TargetError> {
    let Authority { host, port } = Authority::parse(text)?;
    match port {
        Some(0) => Err(TargetError::Port),
        port => Ok((host.to_owned(), port.unwrap_or(JmxTarget::PORT))),
    }
}

fn decoded(text: &str, part: &'static str) -> Result<String, TargetError> {
    let wrong = || TargetError::PercentEncoding { part };
    let mut octets = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(octet) = octets.next() {
        if octet != b'%' {
            decoded.push(octet);
            continue;
        }
        let mut digit = || octets.next().and_then(|digit| char::from(digit).to_digit(16));
        let (Some(high), Some(low)) = (digit(), digit()) else { return Err(wrong()) };
        decoded.push((high * 16 + low) as u8);
    }
    String::from_utf8(decoded).map_err(|_| wrong())
}

/// The URL without the user and the path.
impl fmt::Display for JmxTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.secure { "jmx+tls" } else { "jmx" }, self.authority())
    }
}

impl fmt::Debug for JmxTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JmxTarget({self})")
    }
}

impl fmt::Debug for JmxLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JmxLogin({}, password hidden)", self.user)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for (text, secure, user, host, port, path) in [
            ("jmx://h", false, None, "h", 1099, None),
            ("JMX+TLS://h:9010/", true, None, "h", 9010, None),
            ("jmx://a%40b@[::1]:9010/d:type=A", false, Some("a@b"), "::1", 9010, Some("d:type=A")),
            ("jmx://h/d:type=A,b=//x/Value", false, None, "h", 1099, Some("d:type=A,b=//x/Value")),
            ("jmx://h/d:type=%3F", false, None, "h", 1099, Some("d:type=?")),
        ] {
            assert!(JmxTarget::is_meant(text), "{text}");
            let target = JmxTarget::parse(text).unwrap();
            let found =
                (target.secure, target.user.as_deref(), &*target.host, target.port, target.path.as_deref());
            assert_eq!(found, (secure, user, host, port, path), "{text}");
            assert!(!target.to_string().contains('@'));
        }
    }

    #[test]
    fn urls_of_jmx_itself() {
        let target = JmxTarget::parse("service:jmx:rmi:///jndi/rmi://h:9010/jmxrmi").unwrap();
        assert_eq!(
            (&*target.host, target.port, &*target.bound, target.connector),
            ("h", 9010, "jmxrmi", None)
        );
        let target = JmxTarget::parse("service:jmx:rmi://c:9011/jndi/rmi://h:9010/other").unwrap();
        assert_eq!((target.bound.as_str(), target.connector), ("other", Some(("c".to_owned(), 9011))));
        let target = JmxTarget::parse("service:jmx:rmi://c/jndi/rmi:///jmxrmi").unwrap();
        assert_eq!((&*target.host, target.port, target.connector), ("localhost", 1099, None));
    }

    #[test]
    fn mistakes_say_what_is_expected() {
        assert!(!JmxTarget::is_meant("snmp://h") && !JmxTarget::is_meant("h") && !JmxTarget::is_meant("jmx"));
        for (text, words) in [
            ("snmp://h", "expected jmx://HOST:PORT"),
            ("jmx://u:s3cret@h", "--jmx-password-file"),
            ("jmx://h/d:type=?", "%3F"),
            ("jmx://h:0", "not a port"),
            ("jmx://h/%zz", "two hexadecimal digits"),
            ("service:jmx:jmxmp://h:1", "not supported"),
            ("service:jmx:rmi:///stub/rO0AB", "not supported"),
            ("service:jmx:rmi:///jndi/rmi://h:1", "not supported"),
            ("service:jmx:rmi:///jndi/ldap://h/x", "not supported"),
            ("service:jmx:rmi:///jndi/rmi://h:x/jmxrmi", "is not a port"),
        ] {
            let error = JmxTarget::parse(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains("s3cret"), "{text}: {error}");
        }
        let login = JmxLogin { user: "ann".to_owned(), password: "s3cret".to_owned().into() };
        let target = JmxTarget::parse("jmx://h").unwrap().with_login(Some(login));
        assert!(!format!("{target:?} {:?}", target.login).contains("s3cret"));
    }
}
