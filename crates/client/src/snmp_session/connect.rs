//! Making connections, by transport.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use trunkline_binding::session;
use trunkline_snmp::SecurityLevel;
use trunkline_transport::dial::{self, DatagramLink, Family, Stream};
use trunkline_transport::{SessionInfo, Transport, TransportError};

use super::SessionOptions;
use crate::error::Error;
#[cfg(any(feature = "tls", feature = "ssh"))]
use crate::secure::Secure;
use crate::target::Target;

/// Makes a connection; called again when one has broken or was closed.
pub type Connector = Box<dyn Fn() -> Connecting + Send + Sync>;

/// A connection being made.
pub type Connecting = Pin<Box<dyn Future<Output = Result<Connected, Error>> + Send>>;

/// A connection.
pub struct Connected {
    /// It carries the messages.
    pub carrier: Carrier,
    /// The security level of every message: noAuthNoPriv where nothing is authenticated, as over TCP.
    pub level: SecurityLevel,
    /// Our own address, if there is one.
    pub local: Option<SocketAddr>,
}

/// The carrier of messages.
pub enum Carrier {
    /// A stream of messages: TCP, TLS, SSH.
    Stream(Box<dyn Stream>),
    /// Datagrams with one message each: DTLS and UDP.
    Datagrams(DatagramLink),
}

impl Connected {
    /// A connection without authentication and protection.
    #[must_use]
    pub fn plain(stream: impl Stream + 'static) -> Self {
        let carrier = Carrier::Stream(Box::new(stream));
        Connected { carrier, level: SecurityLevel::NoAuthNoPriv, local: None }
    }

    /// The same for datagrams, such as UDP.
    #[must_use]
    pub fn datagrams(link: DatagramLink) -> Self {
        let local = link.local_addr();
        Connected { carrier: Carrier::Datagrams(link), level: SecurityLevel::NoAuthNoPriv, local }
    }

    fn secure(carrier: Carrier, info: &SessionInfo) -> Self {
        Connected { carrier, level: session::level(info.protection), local: Some(info.local) }
    }

    /// The carrier, if it provides at least this level.
    pub(super) fn adequate(self, least: SecurityLevel) -> Result<Carrier, Error> {
        let found = self.level;
        if found < least { Err(Error::Protection { wanted: least, found }) } else { Ok(self.carrier) }
    }
}

/// The address of a host. It is looked up for each connection, since addresses change.
#[derive(Clone)]
struct Place {
    host: Arc<str>,
    port: u16,
    family: Family,
    /// The time-out of each step of making a connection.
    limit: Duration,
}

impl Place {
    fn new(target: &Target, options: &SessionOptions) -> Self {
        let limit = if target.transport.is_secure() { HANDSHAKE_TIME } else { CONNECT_TIME };
        let (host, port, family) = (target.host.as_str().into(), target.port, target.family);
        Place { host, port, family, limit: options.connect_time(limit) }
    }

    async fn addresses(&self) -> Result<Vec<SocketAddr>, TransportError> {
        dial::resolve(&self.host, self.port, self.family).await
    }
}

/// Makes connections to a target over TCP, TLS, DTLS or SSH, and sockets to one over UDP.
pub(super) fn connector(target: &Target, options: &SessionOptions) -> Result<Connector, Error> {
    let place = Place::new(target, options);
    match target.transport {
        #[cfg(feature = "tls")]
        Transport::Tls => {
            let tls = Secure::tls_of(target.secure.as_ref(), target.transport)?;
            Ok(Box::new(move || {
                let (place, tls) = (place.clone(), tls.clone());
                Box::pin(async move {
                    let (addresses, server) = (place.addresses().await?, tls.server(&place.host));
                    let (stream, info) = dial::tls(&addresses, &tls.client, &server, place.limit).await?;
                    Ok(Connected::secure(Carrier::Stream(Box::new(stream)), &info))
                })
            }))
        }
        #[cfg(feature = "dtls")]
        Transport::Dtls => {
            let tls = Secure::tls_of(target.secure.as_ref(), target.transport)?;
            Ok(Box::new(move || {
                let (place, tls) = (place.clone(), tls.clone());
                Box::pin(async move {
                    let (addresses, server) = (place.addresses().await?, tls.server(&place.host));
                    let (link, info) = dial::dtls(&addresses, &tls.client, &server, place.limit).await?;
                    Ok(Connected::secure(Carrier::Datagrams(link), &info))
                })
            }))
        }
        #[cfg(feature = "ssh")]
        Transport::Ssh => {
            let ssh = Secure::ssh_of(target.secure.as_ref(), target.login.as_ref())?;
            Ok(Box::new(move || {
                let (place, ssh) = (place.clone(), Arc::clone(&ssh));
                Box::pin(async move {
                    let addresses = place.addresses().await?;
                    let (stream, info) = dial::ssh(
                        &addresses,
                        &ssh,
                        &place.host,
                        trunkline_transport::SNMP_SUBSYSTEM,
                        place.limit,
                    )
                    .await?;
                    Ok(Connected::secure(Carrier::Stream(Box::new(stream)), &info))
                })
            }))
        }
        Transport::Udp => Ok(Box::new(move || {
            let place = place.clone();
            Box::pin(async move { Ok(Connected::datagrams(dial::udp(&place.addresses().await?).await?)) })
        })),
        // Transports that are not compiled in are refused earlier.
        _ => Ok(Box::new(move || {
            let place = place.clone();
            Box::pin(async move {
                let stream = dial::tcp(&place.addresses().await?, place.limit).await?;
                let local = stream.local_addr().ok();
                Ok(Connected { local, ..Connected::plain(stream) })
            })
        })),
    }
}

/// The minimum: shorter time-outs are meant for answers, not for connections.
const CONNECT_TIME: Duration = Duration::from_secs(3);
pub(crate) const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
