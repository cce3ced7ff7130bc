//! The server's side: accepting clients.

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::ServerConfig;
use rustls::pki_types::UnixTime;
use rustls::server::{NoServerSessionStorage, ServerSessionMemoryCache, StoresServerSessions};
use rustls::sign::SingleCertAndKey;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::fault::TlsFault;
use super::identity::{CredentialError, Identity};
use super::standing::Standing;
use super::stream::{TlsStream, protection};
use super::trust::{Trouble, Trust};
use super::verify::ClientCheck;
use super::{Suites, Versions};
use crate::service::{Guest, StreamService, Visit};
use crate::session::{Proof, SessionInfo};
use crate::tcp::{Ends, Greeter, HandshakeError};
use crate::{Closing, Transport};

/// Whether clients must present a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientCertificates {
    /// Without one there is no session.
    #[default]
    Required,
    /// Requested but optional; a session without one authenticates nobody. A certificate that is presented must be
    /// valid.
    Optional,
}

/// The configuration of a TLS or DTLS server.
#[derive(Clone, Debug)]
pub struct TlsServerConfig {
    /// Our identity.
    pub identity: Arc<Identity>,
    /// The trust anchors for clients.
    pub trust: Arc<Trust>,
    /// Whether each client must present one. In DTLS it must.
    pub clients: ClientCertificates,
    /// The protocols inside the session, in order of preference, if a client offers any (RFC 7301). Empty: no
    /// negotiation.
    pub protocols: &'static [&'static [u8]],
    /// The versions of TLS; DTLS has only one.
    pub versions: Versions,
    /// The cipher suites.
    pub suites: Suites,
    /// Maximum number of stored sessions that clients may resume; each takes about 2 KB. 0 for none. DTLS stores
    /// none.
    pub remembered: usize,
}

impl TlsServerConfig {
    /// The usual server: TLS 1.2 and 1.3, encrypted, 1024 stored sessions.
    #[must_use]
    pub fn new(identity: Arc<Identity>, trust: Arc<Trust>) -> Self {
        Self {
            identity,
            trust,
            clients: ClientCertificates::Required,
            protocols: &[],
            versions: Versions::default(),
            suites: Suites::default(),
            remembered: 1_024,
        }
    }

    fn for_library(&self) -> Result<ServerConfig, CredentialError> {
        let provider = self.suites.provider();
        let key = self.identity.certified(&provider)?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&self.versions.of_library()?)?
            .with_client_cert_verifier(Arc::new(ClientCheck {
                trust: Arc::clone(&self.trust),
                required: self.clients == ClientCertificates::Required,
            }))
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(key)));
        config.alpn_protocols = self.protocols.iter().map(|protocol| protocol.to_vec()).collect();
        config.session_storage = self.memory();
        // One per session: each resumption yields another.
        config.send_tls13_tickets = usize::from(self.remembered > 0);
        // Anybody could replay requests in a first flight (RFC 8446 section 8).
        config.max_early_data_size = 0;
        Ok(config)
    }

    fn memory(&self) -> Arc<dyn StoresServerSessions> {
        match self.remembered {
            0 => Arc::new(NoServerSessionStorage {}),
            sessions => ServerSessionMemoryCache::new(sessions),
        }
    }
}

/// Turns TCP connections into TLS sessions: for [`TlsGreeter`].
pub struct TlsServer {
    current: RwLock<Arc<Current>>,
    /// For the sessions that are open.
    trusted: watch::Sender<Arc<Trust>>,
}

struct Current {
    library: Arc<ServerConfig>,
    trust: Arc<Trust>,
    clients: ClientCertificates,
}

impl TlsServer {
    /// A server with this configuration.
    ///
    /// # Errors
    /// [`CredentialError`] if its parts do not match.
    pub fn new(config: &TlsServerConfig) -> Result<Self, CredentialError> {
        let trusted = watch::Sender::new(Arc::clone(&config.trust));
        Ok(Self { current: RwLock::new(Current::new(config)?), trusted })
    }

    /// Uses another configuration for new connections from now on; open sessions stay, unless their client showed a certificate
    /// that is not accepted any more, and none that began under the old one can be resumed.
    ///
    /// # Errors
    /// As [`TlsServer::new`]; the old configuration stays.
    pub fn reconfigure(&self, config: &TlsServerConfig) -> Result<(), CredentialError> {
        let current = Current::new(config)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = current;
        self.trusted.send_replace(Arc::clone(&config.trust));
        Ok(())
    }

    fn current(&self) -> Arc<Current> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Forgets all stored sessions.
    fn forget(&self, config: &Arc<Current>) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, config) {
            let mut library = ServerConfig::clone(&config.library);
            library.session_storage = ServerSessionMemoryCache::new(FORGOTTEN);
            let (trust, clients) = (Arc::clone(&config.trust), config.clients);
            *current = Arc::new(Current { library: library.into(), trust, clients });
        }
    }

    /// The handshake with a client; returns what it authenticated.
    pub(crate) async fn handshake(
        &self,
        stream: TcpStream,
        ends: Ends,
        transport: Transport,
    ) -> Result<(Stream, SessionInfo), HandshakeError> {
        let config = self.current();
        let trusted = self.trusted.subscribe();
        let accepted = TlsAcceptor::from(Arc::clone(&config.library))
            .accept_with(stream, |session| session.set_buffer_limit(Some(SEND_BUFFER)))
            .into_fallible()
            .await;
        let stream = match accepted {
            Ok(stream) => stream,
            Err((error, stream)) => {
                farewell(stream).await;
                return Err(TlsFault::of_stream(error)?.into());
            }
        };
        let state = stream.get_ref().1;
        // A resumed session presents the certificates of its beginning, which may have expired by now.
        let proof = match (state.peer_certificates(), config.clients) {
            (Some(shown), _) => Proof::Certificates(
                config.trust.check_client(shown, UnixTime::now(), Trouble::AsRemembered).map_err(
                    |fault| {
                        self.forget(&config);
                        TlsFault::from(fault)
                    },
                )?,
            ),
            (None, ClientCertificates::Optional) => Proof::Nothing,
            (None, ClientCertificates::Required) => return Err(TlsFault::NoCertificate.into()),
        };
        let shown = match &proof {
            Proof::Certificates(chain) => Some((Arc::clone(chain), trusted)),
            _ => None,
        };
        let Ends { peer, local } = ends;
        let info = SessionInfo { transport, peer, local, proof, protection: protection(state) };
        Ok((Standing::new(TlsStream::new(stream), shown), info))
    }
}

pub(crate) type Stream = Standing<TlsStream<tokio_rustls::server::TlsStream<TcpStream>>>;

impl Current {
    fn new(config: &TlsServerConfig) -> Result<Arc<Self>, CredentialError> {
        let library = config.for_library()?.into();
        Ok(Arc::new(Self { library, trust: Arc::clone(&config.trust), clients: config.clients }))
    }
}

/// The TLS handshake before a service: for [`crate::tcp::TcpServer::serve`].
pub struct TlsGreeter {
    server: Arc<TlsServer>,
    service: Arc<dyn StreamService>,
}

impl TlsGreeter {
    /// Passes the sessions of this server to this service.
    #[must_use]
    pub fn new(server: Arc<TlsServer>, service: Arc<dyn StreamService>) -> Self {
        Self { server, service }
    }
}

impl Greeter for TlsGreeter {
    fn transport(&self) -> Transport {
        Transport::Tls
    }

    async fn greet(&self, stream: TcpStream, ends: Ends, visit: Visit) -> Result<Guest, HandshakeError> {
        let (stream, info) = self.server.handshake(stream, ends, Transport::Tls).await?;
        Ok(self.service.clone().serve(Box::new(stream), info, visit))
    }

    fn failed(&self, peer: SocketAddr, error: &HandshakeError) {
        self.service.failed(peer, Transport::Tls, error);
    }

    fn closing(&self) -> Closing {
        self.service.closing()
    }
}

/// Lets the peer read our alert: if the connection were dropped while octets of the peer are unread, the kernel
/// would reset it, and our alert would be lost.
async fn farewell(mut stream: TcpStream) {
    let read_out = async {
        stream.shutdown().await?;
        let mut rest = [0; 1_024];
        let mut all = 0;
        while all < MAX_REST {
            match stream.read(&mut rest).await? {
                0 => break,
                octets => all += octets,
            }
        }
        std::io::Result::Ok(())
    };
    // Whether it reads is up to the peer.
    let _ = tokio::time::timeout(FAREWELL, read_out).await;
}

/// Octets of answers that wait in a session.
const SEND_BUFFER: usize = 32 << 10;

/// The time-out for a refused peer to close.
const FAREWELL: Duration = Duration::from_secs(1);

/// Maximum octets that are read from a refused peer.
const MAX_REST: usize = 64 << 10;

/// The capacity of the session store after all sessions were forgotten.
const FORGOTTEN: usize = 1_024;
