//! NETCONF URLs: `netconf://USER@HOST:PORT/OBJECT` over SSH, `netconf+tls://HOST:PORT/OBJECT`, `netconf+tcp://HOST:PORT/OBJECT`; and those of RESTCONF, which are the same
//! over HTTP: `restconf+https://USER:PASSWORD@HOST:PORT/OBJECT`.

use std::fmt;
use std::sync::Arc;

use trunkline_transport::{Authority, Protocol, Transport, Url};

use super::url::decode_text;
use super::{Defaults, TargetError, address, ssh_login};
use crate::login::HttpLogin;
use crate::scheme::{Language, Scheme};
use crate::secure::Secure;
use crate::setters::setters;

/// An agent reached over NETCONF or RESTCONF. The transport authenticates. [`fmt::Debug`] and [`fmt::Display`] show no secret.
#[derive(Clone)]
#[non_exhaustive]
pub struct NetconfTarget {
    /// [`Transport::Ssh`], [`Transport::Tls`] or [`Transport::Tcp`]; of RESTCONF [`Transport::Http`] or [`Transport::Https`].
    pub transport: Transport,
    /// The login over SSH; `None` for the one of `secure`. Over HTTP, a user of the URL without a password.
    pub login: Option<String>,
    /// The login over HTTP; `None`: a certificate authenticates, or nothing does.
    pub http: Option<HttpLogin>,
    /// Our identity and trust anchors for SSH and TLS.
    pub secure: Option<Arc<Secure>>,
    /// A host name or an address; IPv6 without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The object, decoded: the text after the host in the URL, for the caller to resolve.
    pub path: Option<String>,
}

setters! {
    NetconfTarget {
        login: Option<String> => with_login,
        http: Option<HttpLogin> => with_http,
        path: Option<String> => with_path,
    }
}

impl NetconfTarget {
    /// Whether a text is a NETCONF URL.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        Scheme::of(text).is_some_and(|scheme| scheme.language == Language::Netconf)
    }

    /// Parses `netconf://[USER@]HOST[:PORT][/OBJECT]`, `netconf+tls://HOST[:PORT][/OBJECT]`, `netconf+tcp://HOST[:PORT][/OBJECT]` or
    /// `restconf+http[s]://[USER[:PASSWORD]@]HOST[:PORT][/OBJECT]`. User, password and object may be percent-encoded.
    ///
    /// # Errors
    /// [`TargetError`], with what was expected.
    pub fn parse(text: &str, defaults: &Defaults) -> Result<Self, TargetError> {
        let not_netconf = |scheme: &str| TargetError::NotNetconf { scheme: scheme.into() };
        let url = Url::split(text).ok_or_else(|| not_netconf(""))?;
        let scheme = Scheme::named(url.scheme);
        let transport = scheme.and_then(|scheme| scheme.transport_of(Language::Netconf));
        let transport = transport.ok_or_else(|| not_netconf(url.scheme))?;
        if let Some(parameter) = url.query {
            return Err(TargetError::NetconfParameter { parameter: parameter.into() });
        }
        let mut http = defaults.login.clone().filter(|_| transport.is_http());
        let login = match (url.user, transport) {
            (Some(_), Transport::Tls) => return Err(TargetError::UserIsProved),
            (Some(_), Transport::Tcp) => return Err(TargetError::NobodyIsProved),
            (Some(user), Transport::Http | Transport::Https) => match user.split_once(':') {
                Some((user, password)) => {
                    let (user, password) = (decode_text(user, "user")?, decode_text(password, "password")?);
                    http = Some(HttpLogin::basic(&user, &password)?);
                    None
                }
                None => Some(decode_text(user, "user")?),
            },
            (Some(user), _) => Some(ssh_login(user)?),
            (None, _) => None,
        };
        let protocol = if transport.is_http() { Protocol::Http } else { Protocol::Netconf };
        let (host, port) = address::split(url.authority, protocol.port(transport))?;
        let path = decode_text(url.path.strip_prefix('/').unwrap_or_default(), "object")?;
        let path = (!path.is_empty()).then_some(path);
        Ok(NetconfTarget { transport, login, http, secure: defaults.secure.clone(), host, port, path })
    }

    /// The same, with our identity and trust anchors for SSH and TLS.
    #[must_use]
    pub fn with_secure(self, secure: Arc<Secure>) -> Self {
        NetconfTarget { secure: Some(secure), ..self }
    }

    /// The scheme of its URL.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        match self.transport {
            Transport::Tls => "netconf+tls",
            Transport::Tcp => "netconf+tcp",
            Transport::Http => "restconf+http",
            Transport::Https => "restconf+https",
            _ => "netconf",
        }
    }

    /// Whether it is reached over RESTCONF.
    #[must_use]
    pub fn is_restconf(&self) -> bool {
        self.transport.is_http()
    }

    /// The host and port as one text, IPv6 in brackets.
    #[must_use]
    pub fn authority(&self) -> String {
        Authority { host: &self.host, port: Some(self.port) }.to_string()
    }
}

impl fmt::Display for NetconfTarget {
    /// The URL without the user.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme(), self.authority())?;
        self.path.iter().try_for_each(|path| write!(f, "/{path}"))
    }
}

impl fmt::Debug for NetconfTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NetconfTarget({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for (text, transport, login, host, port, path) in [
            ("netconf://h", Transport::Ssh, None, "h", 830, None),
            (
                "NETCONF://a%40b@[::1]:8300/ifDescr.2",
                Transport::Ssh,
                Some("a@b"),
                "::1",
                8300,
                Some("ifDescr.2"),
            ),
            ("netconf+tls://h/", Transport::Tls, None, "h", 6513, None),
            ("netconf+tcp://h/a", Transport::Tcp, None, "h", 8830, Some("a")),
            ("restconf+https://h/a:b/c", Transport::Https, None, "h", 443, Some("a:b/c")),
            ("restconf+http://u%40x@h:8080", Transport::Http, Some("u@x"), "h", 8080, None),
        ] {
            assert!(NetconfTarget::is_meant(text));
            let target = NetconfTarget::parse(text, &Defaults::default()).unwrap();
            let found = (
                target.transport,
                target.login.as_deref(),
                &*target.host,
                target.port,
                target.path.as_deref(),
            );
            assert_eq!(found, (transport, login, host, port, path), "{text}");
            assert!(!target.to_string().contains('@'));
        }
        let target = NetconfTarget::parse("restconf+https://u:a%3Ab@h", &Defaults::default()).unwrap();
        assert_eq!(target.http, Some(HttpLogin::basic("u", "a:b").unwrap()));
        assert!(target.is_restconf() && !format!("{target:?} {target}").contains("a:b"));
        assert!(!NetconfTarget::is_meant("snmp+ssh://h") && !NetconfTarget::is_meant("h"));
        for (text, words) in [
            (
                "snmp://h",
                "expected a URL of netconf, netconf+tls, netconf+tcp, restconf+http or restconf+https, found `snmp://`",
            ),
            ("h", "expected a URL of netconf, netconf+tls"),
            ("netconf+tls://u@h", "the certificate authenticates"),
            ("netconf+tcp://u@h", "nobody authenticates"),
            ("netconf://h?version=3", "`?version=3`: a netconf:// URL has no parameters"),
            ("netconf://h:0", "`0` is not a port"),
            ("netconf://u:s3cret@h", "--ssh-password-file"),
            ("netconf+tls://u:s3cret@h", "the certificate authenticates"),
        ] {
            let error = NetconfTarget::parse(text, &Defaults::default()).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains("s3cret"), "{text}: {error}");
        }
    }
}
