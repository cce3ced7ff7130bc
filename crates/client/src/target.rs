//! The agent to talk to, and how: one text for every kind of agent. Two forms are parsed, URLs (RFC 4088,
//! extended) and Net-SNMP's transport specifications.
//!
//! | part | what it parses |
//! | --- | --- |
//! | `url` | `snmp+tls://HOST:PORT/OBJECT?version=2c` |
//! | `specification` | `dtlsudp:HOST:PORT` |
//! | `http` | what `snmp+http://` and `snmp+https://` need in addition |
//! | `soap` | `soap+http://HOST:PORT/OBJECT` |
//! | `netconf` | `netconf://USER@HOST:PORT/OBJECT` |
//! | `address` | host and port, the same in both |

mod address;
mod http;
mod netconf;
mod soap;
mod specification;
mod url;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use trunkline_snmp::usm::CredentialsError;
use trunkline_snmp::wire::Version;
pub use trunkline_transport::Transport;
use trunkline_transport::dial::Family;
use trunkline_transport::{Authority, AuthorityError, Protocol, Url};

pub use http::{HttpObserver, HttpWay};
pub use netconf::NetconfTarget;
pub use soap::{SoapTarget, SoapWho};

use crate::credentials::{Credentials, TsmCredentials, UsmCredentials};
use crate::login::{HttpLogin, HttpLoginError};
use crate::scheme::{Language, Scheme};
use crate::secure::Secure;
use crate::setters::setters;

/// An agent, how to reach it, and the credentials.
///
/// ```
/// use trunkline_client::{AuthProtocol, Credentials, Defaults, PrivProtocol, Secret, Target, Transport, UsmCredentials, Version};
///
/// // RFC 4088's URLs, widened, or what Net-SNMP takes; without anything else it is SNMPv2c as `public`.
/// let target: Target = "snmp+tcp://private@router:1161/ifDescr.2".parse()?;
/// assert_eq!((target.transport, target.host.as_str(), target.port), (Transport::Tcp, "router", 1161));
/// assert_eq!(target.path.as_deref(), Some("ifDescr.2"));
/// assert_eq!(target.to_string(), "snmp+tcp://router:1161/ifDescr.2", "the community is not shown");
///
/// // A user of SNMPv3.
/// let ann = UsmCredentials::new(b"ann")?
///     .with_auth(AuthProtocol::Sha256, Secret::password(b"maplesyrup"))?
///     .with_privacy(PrivProtocol::Aes128, Secret::password(b"maplesyrup"))?;
/// let target = Target::new(Transport::Udp, "192.0.2.7", 161, ann.into());
/// assert_eq!(target.version(), Version::V3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Target {
    /// The transport.
    pub transport: Transport,
    /// Which addresses of the host to use.
    pub family: Family,
    /// The credentials, which determine the version of SNMP. [`fmt::Debug`] and [`fmt::Display`] show no secret.
    pub credentials: Credentials,
    /// Our identity and trust anchors for TLS, DTLS and SSH; the other transports ignore them.
    pub secure: Option<Arc<Secure>>,
    /// The login over SSH; `None` for the one of `secure`.
    pub login: Option<String>,
    /// The settings of HTTP; the other transports ignore them.
    pub http: HttpWay,
    /// A host name or an address; IPv6 without brackets, with its zone if it has one.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The object: the text after the host in the URL, decoded. An object identifier or a name, for the caller to
    /// resolve.
    pub path: Option<String>,
}

setters! {
    Target {
        family: Family => with_family,
        credentials: Credentials => with_credentials,
        login: Option<String> => with_login,
        http: HttpWay => with_http,
        path: Option<String> => with_path,
    }
}

/// The defaults for what a text omits.
#[derive(Clone)]
#[non_exhaustive]
pub struct Defaults {
    /// The version over UDP and TCP; v2c by default.
    pub version: Version,
    /// The community; `public` by default.
    pub community: Vec<u8>,
    /// The user for SNMPv3, with keys and context; a URL may override name and context. Without it, a URL's user
    /// has no authentication and no encryption.
    pub usm: Option<UsmCredentials>,
    /// The protocol inside TLS, DTLS and SSH; by default SNMPv3 as the principal that the session authenticates.
    pub inside: Inside,
    /// Context and level in that case.
    pub tsm: TsmCredentials,
    /// Our identity and trust anchors for TLS, DTLS and SSH.
    pub secure: Option<Arc<Secure>>,
    /// The login over HTTP, if neither a community nor a certificate authenticates.
    pub login: Option<HttpLogin>,
    /// The port, in place of the transport's own.
    pub port: Option<u16>,
}

setters! {
    Defaults {
        version: Version => with_version,
        community: Vec<u8> => with_community,
        usm: Option<UsmCredentials> => with_usm,
        inside: Inside => with_inside,
        tsm: TsmCredentials => with_tsm,
        secure: Option<Arc<Secure>> => with_secure,
        login: Option<HttpLogin> => with_login,
        port: Option<u16> => with_port,
    }
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            version: Version::V2c,
            community: b"public".to_vec(),
            usm: None,
            inside: Inside::default(),
            tsm: TsmCredentials::default(),
            secure: None,
            login: None,
            port: None,
        }
    }
}

/// The protocol inside a secure session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inside {
    /// SNMPv3 with the Transport Security Model: as the principal that the session authenticates.
    #[default]
    Transport,
    /// SNMPv3 with the User-based Security Model, which protects a second time (RFC 5590 section 3.3).
    User,
    /// SNMPv1 or SNMPv2c. The community then has no meaning, if the agent accepts it at all.
    Community(Version),
}

/// Why a text is not a target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// The text is empty, or its host is.
    #[error("`{text}` names no host")]
    NoHost {
        /// The whole text, without a possible community.
        text: String,
    },
    /// A community or user without a scheme. It is not repeated, since it may be a secret.
    #[error("a community or user before `@` needs a scheme: write snmp://WHO@{host}")]
    NoScheme {
        /// The text after it.
        host: String,
    },
    /// A scheme that is not supported.
    #[error("unknown scheme `{scheme}`: expected {}", Scheme::names(None))]
    Scheme {
        /// The part before `://`.
        scheme: String,
    },
    /// Only SOAP can do this.
    #[error("only SOAP can do this: expected a URL of {}{}", Scheme::names(Some(Language::Soap)), found(.scheme))]
    NotSoap {
        /// The part before `://`; empty if there is none.
        scheme: String,
    },
    /// Only NETCONF can do this.
    #[error("only NETCONF can do this: expected a URL of {}{}", Scheme::names(Some(Language::Netconf)), found(.scheme))]
    NotNetconf {
        /// The part before `://`; empty if there is none.
        scheme: String,
    },
    /// A transport of Net-SNMP that is not supported.
    #[error(
        "transport `{transport}` is not spoken: expected udp, udp6, tcp, tcp6, tlstcp, tlstcp6, dtlsudp, dtlsudp6 \
         or ssh"
    )]
    Transport {
        /// Its name.
        transport: String,
    },
    /// The port is not a number from 1 to 65535.
    #[error("`{port}` is not a port: expected a number from 1 to 65535")]
    Port {
        /// The text in its place.
        port: String,
    },
    /// `[` without `]`, or no IPv6 address inside.
    #[error("`{address}` is not an IPv6 address in brackets")]
    Brackets {
        /// The text that was found.
        address: String,
    },
    /// Host and port are malformed.
    #[error(transparent)]
    Authority(AuthorityError),
    /// `%` without two hexadecimal digits, or decoded text that is not UTF-8.
    #[error("`%` must be followed by two hexadecimal digits, and the text be UTF-8, in the {part}")]
    PercentEncoding {
        /// The part of the URL.
        part: &'static str,
    },
    /// A context, which SNMPv1 and SNMPv2c do not have.
    #[error("context `{context}`: SNMPv1 and SNMPv2c have no contexts; write snmp://HOST/OBJECT")]
    Context {
        /// Its name.
        context: String,
    },
    /// A parameter of a SOAP URL, which has none.
    #[error("`?{parameter}`: a soap+http:// URL has no parameters")]
    SoapParameter {
        /// The text after the `?`.
        parameter: String,
    },
    /// A parameter of a NETCONF URL, which has none.
    #[error("`?{parameter}`: a netconf:// URL has no parameters")]
    NetconfParameter {
        /// The text after the `?`.
        parameter: String,
    },
    /// A user of NETCONF over plain TCP.
    #[error("netconf+tcp://USER@HOST: nobody authenticates over plain TCP; leave USER@ out")]
    NobodyIsProved,
    /// A user over TLS.
    #[error("netconf+tls://USER@HOST: the certificate authenticates; leave USER@ out")]
    UserIsProved,
    /// A password over SSH. It is not repeated.
    #[error(
        "a URL has no password for SSH, since process listings show it: give --ssh-password-file, --ssh-ask-password or the variable TRUNKLINE_SSH_PASSWORD"
    )]
    SshPassword,
    /// A user or password that HTTP cannot carry.
    #[error(transparent)]
    Login(#[from] HttpLoginError),
    /// SNMPv3 without a user.
    #[error("SNMPv3 needs a user: snmp://USER@HOST, or -u USER")]
    NoUser,
    /// A user although the certificate authenticates.
    #[error(
        "{transport}://WHO@HOST: the certificate authenticates; leave WHO@ out, or add ?security=usm or ?version=2c"
    )]
    WhoIsProved {
        /// The transport.
        transport: &'static str,
    },
    /// An invalid user.
    #[error(transparent)]
    User(#[from] CredentialsError),
    /// An invalid contextEngineID.
    #[error("`{text}` is not a contextEngineID: expected 5 to 32 octets in hexadecimal digits")]
    ContextEngine {
        /// The text after the `;`.
        text: String,
    },
    /// A parameter after `?` that is not known.
    #[error(
        "unknown parameter `{parameter}`: expected version=1, version=2c, version=3, security=usm or security=tsm"
    )]
    Parameter {
        /// The parameter; of one that is not known only the name, since its value may be a secret.
        parameter: String,
    },
    /// The Transport Security Model over a transport that does not authenticate.
    #[error(
        "security=tsm needs snmp+tls, snmp+dtls, snmp+ssh or snmp+https: {transport} does not authenticate the peer"
    )]
    NothingProved {
        /// The transport.
        transport: &'static str,
    },
}

/// The role that determines the default port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Agent,
    Receiver,
}

impl Role {
    const fn port(self, transport: Transport) -> Option<u16> {
        match self {
            Role::Agent => Protocol::Snmp.port(transport),
            Role::Receiver => Protocol::Snmp.notification_port(transport),
        }
    }
}

impl Target {
    /// A target over UDP or TCP, or over another transport after [`Target::with_secure`]; without an object.
    #[must_use]
    pub fn new(transport: Transport, host: &str, port: u16, credentials: Credentials) -> Self {
        let (family, host) = (Family::Any, host.to_owned());
        let http = HttpWay::default();
        Target { transport, family, credentials, secure: None, login: None, http, host, port, path: None }
    }

    /// The same, with our identity and trust anchors for TLS, DTLS and SSH.
    #[must_use]
    pub fn with_secure(self, secure: Arc<Secure>) -> Self {
        Target { secure: Some(secure), ..self }
    }

    /// Parses a target.
    ///
    /// - `SCHEME://[WHO@]HOST[:PORT][/[[CONTEXT[;ENGINE]]/]OBJECT][?version=1|2c|3][&security=usm|tsm]`, where
    ///   SCHEME is `snmp` or `snmp+udp`, `snmp+tcp`, `snmp+tls`, `snmp+dtls`, `snmp+ssh`, `snmp+http` or
    ///   `snmp+https`; the last two take `?path=/WHERE` for a door at another path than `/snmp`. WHO is a
    ///   community, or in SNMPv3 a user; over SSH the login; over TLS and DTLS it is left out, since the
    ///   certificate authenticates, unless another protocol is spoken inside. WHO, context and object may be
    ///   percent-encoded, ENGINE is a contextEngineID in hexadecimal digits. RFC 4088 puts the context before the
    ///   object; it may be empty (`//OBJECT`) or left out (`/OBJECT`), and must be in SNMPv1 and SNMPv2c. RFC 4088
    ///   has no version; over TLS, DTLS and SSH the default is 3.
    /// - `[udp:|udp6:|tcp:|tcp6:|tlstcp:|tlstcp6:|dtlsudp:|dtlsudp6:|ssh:]HOST[:PORT]` as in Net-SNMP.
    ///
    /// # Errors
    /// [`TargetError`], with what was expected.
    pub fn parse(text: &str, defaults: &Defaults) -> Result<Self, TargetError> {
        Self::parse_as(text, defaults, Role::Agent)
    }

    /// As [`Target::parse`], for a notification receiver: the default port is [`Protocol::notification_port`].
    ///
    /// # Errors
    /// [`TargetError`], with what was expected.
    pub fn parse_receiver(text: &str, defaults: &Defaults) -> Result<Self, TargetError> {
        Self::parse_as(text, defaults, Role::Receiver)
    }

    fn parse_as(text: &str, defaults: &Defaults, role: Role) -> Result<Self, TargetError> {
        match Url::split(text) {
            Some(url) => url::parse(url, defaults, role),
            None => specification::parse(text, defaults, role),
        }
    }

    /// The version of SNMP.
    #[must_use]
    pub fn version(&self) -> Version {
        self.credentials.version()
    }

    /// The host and port as one text, IPv6 in brackets.
    #[must_use]
    pub fn authority(&self) -> String {
        Authority { host: &self.host, port: Some(self.port) }.to_string()
    }
}

impl FromStr for Target {
    type Err = TargetError;

    /// [`Target::parse`] with the usual defaults: v2c, `public`.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        Self::parse(text, &Defaults::default())
    }
}

impl fmt::Display for Target {
    /// The URL without the community or the user.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.transport {
            Transport::Udp => "snmp",
            Transport::Tcp => "snmp+tcp",
            Transport::Tls => "snmp+tls",
            Transport::Dtls => "snmp+dtls",
            Transport::Ssh => "snmp+ssh",
            Transport::Http => "snmp+http",
            Transport::Https => "snmp+https",
        };
        write!(f, "{scheme}://{}", self.authority())?;
        self.path.iter().try_for_each(|path| write!(f, "/{path}"))
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({self}, {:?})", self.credentials)
    }
}

impl fmt::Debug for Defaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Defaults({:?}, community hidden, {:?}, {:?})", self.version, self.usm, self.inside)
    }
}

#[cfg(test)]
mod tests;

/// The text that was found where another scheme is expected.
fn found(scheme: &str) -> String {
    if scheme.is_empty() { String::new() } else { format!(", found `{scheme}://`") }
}

/// The login over SSH that stands before the host of a URL.
fn ssh_login(user: &str) -> Result<String, TargetError> {
    // A colon in a name is escaped (RFC 3986 section 3.2.1).
    if user.contains(':') { Err(TargetError::SshPassword) } else { url::decode_text(user, "user") }
}
