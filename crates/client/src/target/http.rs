//! Settings of SNMP over HTTP beside host and port.

use std::fmt;
use std::sync::Arc;

use trunkline_transport::trace::Observer;

use super::{Defaults, SoapTarget, SoapWho, Target};
use crate::login::HttpLogin;
use crate::setters::setters;

/// Settings of requests over HTTP. `Debug` shows no secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpWay {
    /// The `Authorization` field, for the Transport Security Model over HTTPS without a client certificate.
    pub login: Option<HttpLogin>,
    /// The door's path; `/snmp` by default.
    pub path: Option<String>,
    /// Whether compressed answers are requested.
    pub compress: bool,
    /// Observes what HTTP carries.
    pub observer: Option<HttpObserver>,
}

setters! {
    HttpWay {
        login: Option<HttpLogin> => with_login,
        path: Option<String> => with_path,
        compress: bool => with_compress,
        observer: Option<HttpObserver> => with_observer,
    }
}

/// Observes the octets of HTTP in both directions, heads and bodies; for HTTPS those inside TLS.
#[derive(Clone)]
pub struct HttpObserver(pub Arc<dyn Observer>);

impl fmt::Debug for HttpObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpObserver")
    }
}

/// Whether it is the same one.
impl PartialEq for HttpObserver {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for HttpObserver {}

impl HttpWay {
    /// The settings in the defaults.
    pub(super) fn of(defaults: &Defaults) -> Self {
        HttpWay { login: defaults.login.clone(), ..HttpWay::default() }
    }
}

impl Target {
    /// The same address for a SOAP link.
    pub(crate) fn place(&self) -> SoapTarget {
        SoapTarget {
            transport: self.transport,
            who: self.http.login.clone().map_or(SoapWho::Session, SoapWho::Login),
            secure: self.secure.clone(),
            host: self.host.clone(),
            port: self.port,
            path: None,
        }
    }
}
