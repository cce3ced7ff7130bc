//! What SNMP over HTTP needs to know beside host and port.

use super::{Defaults, SoapTarget, SoapWho, Target};
use crate::login::HttpLogin;
use crate::setters::setters;

/// How to ask over HTTP. Shows no secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpWay {
    /// The field `Authorization`: who asks, for the Transport Security Model over HTTPS where no certificate says it.
    pub login: Option<HttpLogin>,
    /// Where the door is; `/snmp` where it is not said.
    pub path: Option<String>,
    /// Whether compressed answers are asked for.
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
    /// What the defaults say.
    pub(super) fn of(defaults: &Defaults) -> Self {
        HttpWay { login: defaults.login.clone(), ..HttpWay::default() }
    }
}

impl Target {
    /// The same place for a link of SOAP.
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
