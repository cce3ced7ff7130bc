//! Where calls go: the registry, and what a stub names.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use trunkline_jmx::jrmp::Reference;
use trunkline_transport::dial::{self, Family, Stream};
use trunkline_transport::tls::{ServerIdentity, TlsClient};
use trunkline_transport::{Authority, TransportError};

use crate::error::Error;
use crate::target::JmxTarget;

/// Our identity and trust anchors.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The client.
    pub client: Arc<TlsClient>,
    /// The identity that the server's certificate must have; by default the host that was asked.
    pub server: Option<ServerIdentity>,
}

/// Which host is called after the registry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// The one that the stub names, as RMI does.
    #[default]
    Stub,
    /// The one that was asked, with the stub's port.
    Asked,
}

/// A place to call.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub host: String,
    pub port: u16,
    pub tls: Option<(Arc<TlsClient>, ServerIdentity)>,
    /// The host that was asked, if a stub of another machine has named this place.
    pub led_by: Option<String>,
}

/// A stream, and whether its other end is on this machine.
pub(crate) struct Dialed {
    pub stream: Box<dyn Stream>,
    pub local: String,
    pub is_here: bool,
}

impl Place {
    /// Where the registry of a target is.
    pub fn registry(target: &JmxTarget) -> Result<Self, Error> {
        let tls = if target.secure { Some(tls_of(target)?) } else { None };
        Ok(Place { host: target.host.clone(), port: target.port, tls, led_by: None })
    }

    /// What a stub names. `is_here`: whether the registry is on this machine.
    pub fn of_stub(
        target: &JmxTarget,
        reference: &Reference,
        follow: Follow,
        is_here: bool,
    ) -> Result<Self, Error> {
        let named = &reference.endpoint;
        let unusable = || Error::Stub { host: named.host.clone(), port: named.port };
        let port = u16::try_from(named.port).ok().filter(|port| *port != 0).ok_or_else(unusable)?;
        let mut is_led = false;
        let (host, port) = match (&target.connector, follow) {
            (Some(connector), _) => connector.clone(),
            (None, Follow::Asked) => (target.host.clone(), port),
            (None, Follow::Stub) => {
                // Java writes addresses of IPv6 without brackets, and may write a zone.
                let host = named.host.trim_matches(['[', ']']);
                let is_written = host.parse::<IpAddr>().is_ok() || trunkline_transport::is_ipv6(host);
                if !is_written && Authority::parse(host).is_err() {
                    return Err(unusable());
                }
                if is_loopback(host) && !is_here {
                    return Err(Error::StubIsHere { named: named.to_string(), asked: target.host.clone() });
                }
                is_led = !is_here;
                (host.to_owned(), port)
            }
        };
        if target.secure && !reference.tls {
            return Err(Error::Unprotected { named: named.to_string() });
        }
        let tls = if reference.tls { Some(tls_of(target)?) } else { None };
        let led_by = is_led.then(|| target.host.clone());
        Ok(Place { host, port, tls, led_by })
    }

    /// Whether a connection may be used whose other end is here, or not: names and numbers in unusual forms may lead to this machine
    /// as well as its known addresses. Nothing has been sent over it.
    pub fn admit(&self, is_here: bool) -> Result<(), Error> {
        match &self.led_by {
            Some(asked) if is_here => {
                Err(Error::StubIsHere { named: self.authority(), asked: asked.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Whether both are the same.
    pub fn is_same(&self, other: &Place) -> bool {
        let identity = |place: &Place| place.tls.as_ref().map(|(_, server)| server.clone());
        (&self.host, self.port, identity(self)) == (&other.host, other.port, identity(other))
    }

    /// Host and port as one text.
    pub fn authority(&self) -> String {
        Authority { host: &self.host, port: Some(self.port) }.to_string()
    }

    /// Connects.
    pub async fn dial(&self, limit: Duration) -> Result<Dialed, TransportError> {
        let addresses = dial::resolve(&self.host, self.port, Family::Any).await?;
        let unusable = |source| TransportError::Socket { doing: "asking for its addresses", source };
        match &self.tls {
            None => {
                let stream = dial::tcp(&addresses, limit).await?;
                let peer = stream.peer_addr().map_err(unusable)?;
                let local = stream.local_addr().map_err(unusable)?;
                let (local, is_here) = (local.ip().to_string(), is_same_machine(peer.ip(), local.ip()));
                Ok(Dialed { stream: Box::new(stream), local, is_here })
            }
            Some((client, server)) => {
                let (stream, info) = dial::tls(&addresses, client, server, limit).await?;
                let is_here = is_same_machine(info.peer.ip(), info.local.ip());
                Ok(Dialed { stream: Box::new(stream), local: info.local.ip().to_string(), is_here })
            }
        }
    }
}

/// What a target has for TLS. The certificate is that of the host that was asked: a stub, which may come over an open connection,
/// does not choose which certificate is accepted.
fn tls_of(target: &JmxTarget) -> Result<(Arc<TlsClient>, ServerIdentity), Error> {
    let tls = target.tls.as_ref().ok_or_else(|| Error::NoTrust { at: target.authority() })?;
    let host = target.host.split_once('%').map_or(target.host.as_str(), |(address, _zone)| address);
    let server = tls.server.clone().unwrap_or_else(|| ServerIdentity::Name(host.into()));
    Ok((Arc::clone(&tls.client), server))
}

/// A connection of a machine with itself has the same address at both ends.
fn is_same_machine(peer: IpAddr, local: IpAddr) -> bool {
    peer.to_canonical().is_loopback() || peer == local
}

fn is_loopback(host: &str) -> bool {
    let address = host.split_once('%').map_or(host, |(address, _zone)| address);
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| {
            let address = address.to_canonical();
            address.is_loopback() || address.is_unspecified()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_jmx::jrmp::{Endpoint, ObjId};

    fn stub(host: &str, port: i32, tls: bool) -> Reference {
        let endpoint = Endpoint { host: host.to_owned(), port };
        Reference { endpoint, tls, object: ObjId::default(), acknowledged: true }
    }

    fn place(url: &str, stub: &Reference, follow: Follow) -> Result<String, String> {
        let target = JmxTarget::parse(url).unwrap();
        let place = Place::of_stub(&target, stub, follow, false);
        place.map(|place| place.authority()).map_err(|error| error.to_string())
    }

    #[test]
    fn stubs_are_followed_or_not() {
        let far = stub("10.0.0.7", 4000, false);
        assert_eq!(place("jmx://h:1", &far, Follow::Stub).unwrap(), "10.0.0.7:4000");
        assert_eq!(place("jmx://h:1", &far, Follow::Asked).unwrap(), "h:4000");
        let two = "service:jmx:rmi://c:9011/jndi/rmi://h:9010/jmxrmi";
        assert_eq!(place(two, &far, Follow::Stub).unwrap(), "c:9011");
        let six = stub("fe80:0:0:0:0:0:0:1%eth0", 4000, false);
        assert_eq!(place("jmx://h:1", &six, Follow::Stub).unwrap(), "[fe80:0:0:0:0:0:0:1%eth0]:4000");
    }

    #[test]
    fn stubs_that_lead_nowhere_are_refused() {
        for host in ["127.0.1.1", "localhost", "::1", "0.0.0.0", "::ffff:127.0.0.1"] {
            let error = place("jmx://h:1", &stub(host, 4000, false), Follow::Stub).unwrap_err();
            assert!(error.contains("--jmx-stay") && error.contains("java.rmi.server.hostname"), "{error}");
            assert_eq!(place("jmx://h:1", &stub(host, 4000, false), Follow::Asked).unwrap(), "h:4000");
        }
        for (host, port) in [("10.0.0.7", 0), ("10.0.0.7", -1), ("10.0.0.7", 65_536), ("a b", 1), ("", 1)] {
            let error = place("jmx://h:1", &stub(host, port, false), Follow::Stub).unwrap_err();
            assert!(error.contains("no place to connect to"), "{error}");
        }
        let error = place("jmx://h:1", &stub("x", 1, true), Follow::Stub).unwrap_err();
        assert!(error.contains("--authorities"), "{error}");
    }

    /// A stub leads to this machine also by names and by other forms of its addresses; the connection shows it.
    #[tokio::test]
    async fn names_that_lead_here_are_refused() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let target = JmxTarget::parse("jmx://h:1").unwrap();
        for host in ["127.1", "2130706433"] {
            let stub = stub(host, i32::from(port), false);
            let place = Place::of_stub(&target, &stub, Follow::Stub, false).unwrap();
            let dialed = place.dial(Duration::from_secs(60)).await.unwrap();
            let error = place.admit(dialed.is_here).unwrap_err();
            assert!(matches!(error, Error::StubIsHere { .. }), "{error}");
            // The registry is here too.
            let place = Place::of_stub(&target, &stub, Follow::Stub, true).unwrap();
            let dialed = place.dial(Duration::from_secs(60)).await.unwrap();
            assert!(dialed.is_here && place.admit(true).is_ok());
        }
    }

    #[test]
    fn what_is_protected_is_not_led_to_what_is_not() {
        let error = place("jmx+tls://h:1", &stub("x", 1, false), Follow::Stub).unwrap_err();
        assert!(error.contains("without TLS"), "{error}");
    }
}
