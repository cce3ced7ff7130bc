//! SOAP URLs: `soap+http://WHO@HOST:PORT/OBJECT`.

use std::fmt;
use std::sync::Arc;

use trunkline_transport::{Authority, Protocol, Transport, Url};

use super::url::{decode_text, percent_decode};
use super::{Defaults, Inside, TargetError, address};
use crate::login::HttpLogin;
use crate::scheme::{Language, Scheme};
use crate::secure::Secure;
use crate::setters::setters;

/// An agent reached over SOAP, and the credentials.
#[derive(Clone)]
#[non_exhaustive]
pub struct SoapTarget {
    /// [`Transport::Http`] or [`Transport::Https`].
    pub transport: Transport,
    /// The credentials. [`fmt::Debug`] and [`fmt::Display`] show no secret.
    pub who: SoapWho,
    /// Our identity and trust anchors for TLS.
    pub secure: Option<Arc<Secure>>,
    /// A host name or an address; IPv6 without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The object, decoded: the text after the host in the URL, for the caller to resolve.
    pub path: Option<String>,
}

setters! {
    SoapTarget {
        path: Option<String> => with_path,
    }
}

/// How a SOAP request is authenticated.
#[derive(Clone, PartialEq, Eq)]
pub enum SoapWho {
    /// A community in the request, as in Pras et al. 2005, figure 8.
    Community(Vec<u8>),
    /// The `Authorization` field of HTTP.
    Login(HttpLogin),
    /// The client certificate.
    Session,
}

impl SoapTarget {
    /// Whether a text is a SOAP URL.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        Scheme::of(text).is_some_and(|scheme| scheme.language == Language::Soap)
    }

    /// Parses `soap+http[s]://[USER:PASSWORD@|COMMUNITY@]HOST[:PORT][/OBJECT]`. The parts before the `@` and after
    /// the `/` may be percent-encoded. Without credentials it uses the login of the defaults; failing that, over
    /// HTTP their community, and over HTTPS the certificate, unless a community version is requested.
    ///
    /// # Errors
    /// [`TargetError`], with what was expected.
    pub fn parse(text: &str, defaults: &Defaults) -> Result<Self, TargetError> {
        let not_soap = |scheme: &str| TargetError::NotSoap { scheme: scheme.into() };
        let url = Url::split(text).ok_or_else(|| not_soap(""))?;
        let scheme = Scheme::named(url.scheme);
        let transport = scheme.and_then(|scheme| scheme.transport_of(Language::Soap));
        let transport = transport.ok_or_else(|| not_soap(url.scheme))?;
        if let Some(parameter) = url.query {
            return Err(TargetError::SoapParameter { parameter: parameter.into() });
        }
        let (host, port) = address::split(url.authority, Protocol::Http.port(transport))?;
        let path = decode_text(url.path.trim_start_matches('/'), "object")?;
        let path = (!path.is_empty()).then_some(path);
        let secure = defaults.secure.clone();
        let who = match url.user {
            Some(who) => named(who)?,
            None => by_default(transport, defaults),
        };
        Ok(SoapTarget { transport, who, secure, host, port, path })
    }

    /// The same, with our identity and trust anchors for TLS.
    #[must_use]
    pub fn with_secure(self, secure: Arc<Secure>) -> Self {
        SoapTarget { secure: Some(secure), ..self }
    }

    /// The host and port as one text, IPv6 in brackets.
    #[must_use]
    pub fn authority(&self) -> String {
        Authority { host: &self.host, port: Some(self.port) }.to_string()
    }
}

/// `USER:PASSWORD` or `COMMUNITY`.
fn named(who: &str) -> Result<SoapWho, TargetError> {
    match who.split_once(':') {
        Some((user, password)) => {
            let (user, password) = (decode_text(user, "user")?, decode_text(password, "password")?);
            Ok(SoapWho::Login(HttpLogin::basic(&user, &password)?))
        }
        None => Ok(SoapWho::Community(percent_decode(who, "community")?)),
    }
}

fn by_default(transport: Transport, defaults: &Defaults) -> SoapWho {
    match (&defaults.login, transport, defaults.inside) {
        (Some(login), ..) => SoapWho::Login(login.clone()),
        (None, Transport::Https, Inside::Transport | Inside::User) => SoapWho::Session,
        (None, ..) => SoapWho::Community(defaults.community.clone()),
    }
}

impl fmt::Display for SoapTarget {
    /// The URL without credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "soap+{}://{}", self.transport.name(), self.authority())?;
        self.path.iter().try_for_each(|path| write!(f, "/{path}"))
    }
}

impl fmt::Debug for SoapTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SoapTarget({self}, {:?})", self.who)
    }
}

impl fmt::Debug for SoapWho {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SoapWho::Community(_) => f.write_str("community hidden"),
            SoapWho::Login(login) => login.fmt(f),
            SoapWho::Session => f.write_str("whom the certificate says"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> SoapTarget {
        SoapTarget::parse(text, &Defaults::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn urls() {
        for (text, transport, host, port, path) in [
            ("soap+http://h", Transport::Http, "h", 80, None),
            ("SOAP+HTTPS://h/", Transport::Https, "h", 443, None),
            ("soap+http://c@[::1]:8080/ifDescr%2e2", Transport::Http, "::1", 8080, Some("ifDescr.2")),
            ("soap+https://u:p@h:1//ifTable", Transport::Https, "h", 1, Some("ifTable")),
        ] {
            assert!(SoapTarget::is_meant(text));
            let target = target(text);
            let found = (target.transport, target.host.as_str(), target.port, target.path.as_deref());
            assert_eq!(found, (transport, host, port, path), "{text}");
        }
        assert!(!SoapTarget::is_meant("snmp+http://h") && !SoapTarget::is_meant("h"));
    }

    #[test]
    fn each_form_of_credentials() {
        let login = |user, password| SoapWho::Login(HttpLogin::basic(user, password).unwrap());
        assert_eq!(target("soap+http://h").who, SoapWho::Community(b"public".to_vec()));
        assert_eq!(target("soap+https://h").who, SoapWho::Session);
        assert_eq!(target("soap+https://c%40@h").who, SoapWho::Community(b"c@".to_vec()));
        assert_eq!(target("soap+http://ann:a%3Ab@h").who, login("ann", "a:b"));
        let bob = HttpLogin::basic("bob", "x").unwrap();
        let defaults = Defaults { login: Some(bob.clone()), ..Defaults::default() };
        let of = |text| SoapTarget::parse(text, &defaults).unwrap().who;
        assert_eq!(of("soap+http://h"), SoapWho::Login(bob));
        assert_eq!(of("soap+http://ann:@h"), login("ann", ""));
        let defaults =
            Defaults { inside: Inside::Community(trunkline_snmp::wire::Version::V2c), ..Defaults::default() };
        let who = SoapTarget::parse("soap+https://h", &defaults).unwrap().who;
        assert_eq!(who, SoapWho::Community(b"public".to_vec()));
    }

    #[test]
    fn mistakes_are_reported_and_secrets_are_not() {
        let error = |text: &str| SoapTarget::parse(text, &Defaults::default()).unwrap_err();
        assert_eq!(error("soap://h"), TargetError::NotSoap { scheme: "soap".into() });
        assert!(error("soap://h").to_string().ends_with("soap+https, found `soap://`"));
        assert!(error("h").to_string().ends_with("soap+http or soap+https"));
        assert_eq!(error("soap+http://c@"), TargetError::NoHost { text: String::new() });
        assert_eq!(error("soap+http://h/a?wsdl"), TargetError::SoapParameter { parameter: "wsdl".into() });
        assert_eq!(error("soap+http://a%zz@h"), TargetError::PercentEncoding { part: "community" });
        assert!(matches!(error("soap+http://a:%0a@h"), TargetError::Login(_)));
        let shown = |text: &str| format!("{0} {0:?}", target(text));
        assert!(!shown("soap+http://geheim@h/x").contains("geheim"));
        assert!(!shown("soap+http://ann:geheim@h/x").contains("geheim"));
        assert!(shown("soap+http://[::1]/x").starts_with("soap+http://[::1]:80/x"));
    }
}
