//! Opens a session from a text, whichever protocol the text names.

use std::sync::Arc;

#[cfg(not(feature = "netconf"))]
use trunkline_transport::TransportError;
use trunkline_transport::Url;

use crate::error::Error;
#[cfg(feature = "netconf")]
use crate::netconf::{NetconfOptions, NetconfSession};
use crate::scheme::{Language, Scheme};
use crate::session::Session;
use crate::snmp_session::{SessionOptions, SnmpSession};
#[cfg(feature = "http")]
use crate::soap::{SoapOptions, SoapSession};
use crate::target::{Defaults, NetconfTarget, SoapTarget, Target, TargetError};

/// Session options for each protocol.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// For sessions of SNMP.
    pub snmp: SessionOptions,
    /// For sessions of SOAP.
    #[cfg(feature = "http")]
    pub soap: SoapOptions,
    /// For sessions of NETCONF.
    #[cfg(feature = "netconf")]
    pub netconf: NetconfOptions,
}

/// Opens a session with the agent that a text names, as parsed by [`Target::parse`], [`SoapTarget::parse`] and
/// [`NetconfTarget::parse`]. A text without a scheme is in one of Net-SNMP's forms. Must be called on a tokio runtime.
///
/// # Errors
/// [`Error::Target`] if the text names no agent; errors of opening the protocol's session.
pub async fn open(text: &str, defaults: &Defaults, options: &OpenOptions) -> Result<Arc<dyn Session>, Error> {
    let language = match Url::split(text) {
        None => Language::Snmp,
        Some(url) => match Scheme::named(url.scheme) {
            Some(scheme) => scheme.language,
            None => return Err(TargetError::Scheme { scheme: url.scheme.to_owned() }.into()),
        },
    };
    match language {
        Language::Snmp => {
            let target = Target::parse(text, defaults)?;
            Ok(Arc::new(SnmpSession::open(&target, options.snmp).await?))
        }
        Language::Soap => {
            let target = SoapTarget::parse(text, defaults)?;
            target.transport.require_built()?;
            #[cfg(feature = "http")]
            return Ok(Arc::new(SoapSession::open(&target, options.soap.clone()).await?));
            #[cfg(not(feature = "http"))]
            Err(Error::SessionClosed)
        }
        Language::Netconf => {
            let target = NetconfTarget::parse(text, defaults)?;
            #[cfg(feature = "netconf")]
            return Ok(Arc::new(NetconfSession::open(&target, options.netconf.clone()).await?));
            #[cfg(not(feature = "netconf"))]
            Err(TransportError::NotBuilt { transport: target.scheme(), feature: "netconf" }.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::SCHEMES;

    #[test]
    fn every_scheme_is_parsed_according_to_the_list() {
        let defaults = Defaults::default();
        for scheme in SCHEMES {
            let url = format!("{}://host", scheme.name);
            let (transport, port) = match scheme.language {
                Language::Snmp => {
                    Target::parse(&url, &defaults).map(|target| (target.transport, target.port))
                }
                Language::Soap => {
                    SoapTarget::parse(&url, &defaults).map(|target| (target.transport, target.port))
                }
                Language::Netconf => {
                    NetconfTarget::parse(&url, &defaults).map(|target| (target.transport, target.port))
                }
            }
            .unwrap_or_else(|error| panic!("{url}: {error}"));
            assert_eq!((transport, port), (scheme.transport, scheme.port), "{url}");
            assert_eq!(Scheme::of(&url.to_uppercase()).map(|found| found.name), Some(scheme.name));
            let wrong = Target::parse("ftp://host", &defaults).unwrap_err().to_string();
            assert!(wrong.contains(scheme.name), "{wrong}");
        }
        assert!(Scheme::of("host").is_none() && Scheme::of("ftp://host").is_none());
    }

    #[test]
    fn the_documentation_lists_every_scheme() {
        let page = include_str!("../README.md");
        for Scheme { name, port, who, .. } in SCHEMES {
            let row = format!("| `{name}://` | {port} | {who} |");
            assert!(page.contains(&row), "README.md has no row\n{row}");
        }
    }

    #[tokio::test]
    async fn an_unknown_scheme_is_refused_with_the_list_of_known_ones() {
        let opened = open("gopher://h", &Defaults::default(), &OpenOptions::default()).await;
        let error = opened.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("`gopher`") && error.contains("soap+https"), "{error}");
    }
}
