//! The client's side: our identity, the trust anchors, and sessions that may be resumed.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::{
    ClientSessionStore, ResolvesClientCert, Resumption, Tls12ClientSessionValue, Tls13ClientSessionValue,
};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, NamedGroup, SignatureScheme, SupportedProtocolVersion};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::fault::{CertificateFault, TlsFault};
use super::identity::{CredentialError, Identity};
use super::stream::{ClientStream, TlsStream, protection};
use super::trust::{ServerIdentity, Trouble, Trust};
use super::verify::ServerCheck;
use super::{Suites, Versions};
use crate::Transport;
#[cfg(feature = "dtls")]
use crate::dtls::ClientContext;
use crate::session::{Proof, SessionInfo};
use crate::tcp::HandshakeError;

/// The configuration of a TLS or DTLS client.
#[derive(Clone, Debug)]
pub struct TlsClientConfig {
    /// Our identity; a server that requires one refuses us without it.
    pub identity: Option<Arc<Identity>>,
    /// The trust anchors for servers.
    pub trust: Arc<Trust>,
    /// The versions of TLS; DTLS has only one.
    pub versions: Versions,
    /// The cipher suites.
    pub suites: Suites,
    /// Whether sessions with a server are resumed if it allows that.
    pub resume: bool,
}

impl TlsClientConfig {
    /// The usual client: TLS 1.2 and 1.3, encrypted, with session resumption.
    #[must_use]
    pub fn new(identity: Option<Arc<Identity>>, trust: Arc<Trust>) -> Self {
        Self { identity, trust, versions: Versions::default(), suites: Suites::default(), resume: true }
    }
}

/// Opens sessions of TLS and DTLS: [`crate::dial::tls`], [`crate::dial::dtls`]. A single client works for all
/// servers, from any number of tasks.
pub struct TlsClient {
    provider: Arc<CryptoProvider>,
    versions: Vec<&'static SupportedProtocolVersion>,
    key: Arc<OurKey>,
    trust: Arc<Trust>,
    resume: bool,
    /// The configuration for each known server, with its sessions to resume.
    servers: Mutex<HashMap<(SocketAddr, ServerIdentity), Arc<ClientConfig>>>,
    #[cfg(feature = "dtls")]
    pub(crate) datagrams: ClientContext,
}

impl TlsClient {
    /// A client with this configuration.
    ///
    /// # Errors
    /// [`CredentialError`] if its parts do not match.
    pub fn new(config: &TlsClientConfig) -> Result<Self, CredentialError> {
        let provider = config.suites.provider();
        let key = config.identity.as_ref().map(|identity| identity.certified(&provider)).transpose()?;
        Ok(Self {
            versions: config.versions.of_library()?,
            key: Arc::new(OurKey(key)),
            trust: Arc::clone(&config.trust),
            resume: config.resume,
            servers: Mutex::default(),
            #[cfg(feature = "dtls")]
            datagrams: ClientContext::new(config)?,
            provider,
        })
    }

    /// The configuration for one server. It is not shared, so that a session can only be resumed with a server
    /// that was checked in the same way.
    fn for_server(
        &self,
        address: SocketAddr,
        identity: &ServerIdentity,
    ) -> Result<Arc<ClientConfig>, rustls::Error> {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (address, identity.clone());
        if let Some(config) = servers.get(&key) {
            return Ok(Arc::clone(config));
        }
        let check = ServerCheck { trust: Arc::clone(&self.trust), identity: identity.clone() };
        let mut config = ClientConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_protocol_versions(&self.versions)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(check))
            .with_client_cert_resolver(Arc::clone(&self.key) as Arc<dyn ResolvesClientCert>);
        config.enable_early_data = false;
        config.resumption = if self.resume {
            Resumption::store(Arc::new(Remembered::default()))
        } else {
            Resumption::disabled()
        };
        let config = Arc::new(config);
        if servers.len() >= MAX_SERVERS {
            servers.clear();
        }
        servers.insert(key, Arc::clone(&config));
        Ok(config)
    }

    /// The handshake with the server at the other end of `stream`.
    pub(crate) async fn handshake(
        &self,
        stream: TcpStream,
        identity: &ServerIdentity,
    ) -> Result<(ClientStream, SessionInfo), HandshakeError> {
        self.handshake_for(stream, identity, Transport::Tls, &[]).await
    }

    /// The same for a session with one of these protocols (RFC 7301), in order of preference.
    pub(crate) async fn handshake_for(
        &self,
        stream: TcpStream,
        identity: &ServerIdentity,
        transport: Transport,
        protocols: &[&[u8]],
    ) -> Result<(ClientStream, SessionInfo), HandshakeError> {
        let (peer, local) = (stream.peer_addr()?, stream.local_addr()?);
        let name = match identity {
            ServerIdentity::Name(name) => ServerName::try_from(name.to_string())
                .map_err(|_| TlsFault::from(CertificateFault::NoName { asked: name.to_string() }))?,
            ServerIdentity::Fingerprint(_) | ServerIdentity::AnyTrusted => peer.ip().into(),
        };
        let config = self.for_server(peer, identity).map_err(TlsFault::from)?;
        let connector = TlsConnector::from(config);
        let protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        let stream = match connector.with_alpn(protocols).connect(name, stream).await {
            Ok(stream) => stream,
            Err(error) => return Err(TlsFault::of_stream(error)?.into()),
        };
        let state = stream.get_ref().1;
        let shown = state.peer_certificates().ok_or(TlsFault::NoCertificate)?;
        // Also for a resumed session: its certificates may have expired by now.
        let chain = self
            .trust
            .check_server(shown, identity, UnixTime::now(), Trouble::AsRemembered)
            .map_err(|fault| {
                self.servers.lock().unwrap_or_else(PoisonError::into_inner).remove(&(peer, identity.clone()));
                TlsFault::from(fault)
            })?;
        let proof = Proof::Certificates(chain);
        let protection = protection(state);
        let info = SessionInfo { transport, peer, local, proof, protection };
        Ok((TlsStream::new(stream), info))
    }
}

impl fmt::Debug for TlsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsClient").field("trust", &self.trust).finish_non_exhaustive()
    }
}

/// Presents our only certificate to any server, whichever authorities it lists: if it does not accept ours, its
/// refusal is more informative than our silence.
struct OurKey(Option<Arc<CertifiedKey>>);

impl fmt::Debug for OurKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OurKey")
    }
}

impl ResolvesClientCert for OurKey {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.0.clone()
    }

    fn has_certs(&self) -> bool {
        self.0.is_some()
    }
}

/// The data to resume sessions with one server.
#[derive(Debug, Default)]
struct Remembered(Mutex<Sessions>);

#[derive(Debug, Default)]
struct Sessions {
    group: Option<NamedGroup>,
    tls12: Option<Tls12ClientSessionValue>,
    tickets: VecDeque<Tls13ClientSessionValue>,
}

impl Remembered {
    fn with<T>(&self, use_them: impl FnOnce(&mut Sessions) -> T) -> T {
        use_them(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ClientSessionStore for Remembered {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        self.with(|sessions| sessions.group = Some(group));
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        self.with(|sessions| sessions.group)
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.with(|sessions| sessions.tls12 = Some(value));
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.with(|sessions| sessions.tls12.clone())
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.with(|sessions| sessions.tls12 = None);
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.with(|sessions| {
            if sessions.tickets.len() >= MAX_TICKETS {
                sessions.tickets.pop_front();
            }
            sessions.tickets.push_back(value);
        });
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.with(|sessions| sessions.tickets.pop_back())
    }
}

/// Maximum number of servers whose sessions are stored.
const MAX_SERVERS: usize = 16_384;

/// Maximum number of stored tickets per server.
const MAX_TICKETS: usize = 2;
