//! Settings of SNMP over HTTP beside host and port.

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
}

setters! {
    HttpWay {
        login: Option<HttpLogin> => with_login,
        path: Option<String> => with_path,
        compress: bool => with_compress,
    }
}

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
