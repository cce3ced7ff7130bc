//! What listening over TLS, DTLS and SSH needs: our identity, trust anchors, and the names of peers.

use std::fmt;
#[cfg(any(feature = "tls", feature = "ssh"))]
use std::sync::Arc;

use trunkline_binding::session;
use trunkline_snmp::engine::TransportState;
use trunkline_snmp::engine::transport::{CertificateRow, name_of_peer};
#[cfg(feature = "dtls")]
use trunkline_transport::dtls::DtlsConfig;
#[cfg(feature = "http")]
use trunkline_transport::http::PROTOCOLS;
#[cfg(feature = "ssh")]
use trunkline_transport::ssh::SshServer;
#[cfg(feature = "http")]
use trunkline_transport::tls::ClientCertificates;
#[cfg(feature = "tls")]
use trunkline_transport::tls::{TlsServer, TlsServerConfig, Trust};
use trunkline_transport::{ListenUrl, Refused, SessionInfo};
#[cfg(any(feature = "tls", feature = "ssh"))]
use trunkline_transport::{Transport, TransportError};

use crate::error::Error;

/// What listening over TLS, DTLS and SSH needs.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ListenSecure {
    /// Our identity and trust anchors for TLS and DTLS.
    #[cfg(feature = "tls")]
    pub tls: Option<Arc<TlsServerConfig>>,
    /// The names of certificates (snmpTlstmCertToTSNTable); [`ListenSecure::usual_names`] makes those that need no
    /// configuration.
    pub names: Vec<CertificateRow>,
    /// Our host key, and the users who may log in over SSH.
    #[cfg(feature = "ssh")]
    pub ssh: Option<Arc<SshServer>>,
}

impl ListenSecure {
    /// The same, with this server for TLS, DTLS and HTTPS.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn with_tls(mut self, server: Arc<TlsServerConfig>) -> Self {
        self.tls = Some(server);
        self
    }

    /// The same, with these names of certificates.
    #[must_use]
    pub fn with_names(mut self, names: Vec<CertificateRow>) -> Self {
        self.names = names;
        self
    }

    /// The same, with this server for SSH.
    #[cfg(feature = "ssh")]
    #[must_use]
    pub fn with_ssh(mut self, server: Arc<SshServer>) -> Self {
        self.ssh = Some(server);
        self
    }

    /// Names every peer with a certificate of one of these authorities after its common name.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn usual_names(trust: &Trust) -> Vec<CertificateRow> {
        CertificateRow::common_names(trust.authorities())
    }
}

impl fmt::Debug for ListenSecure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ListenSecure");
        #[cfg(feature = "tls")]
        shown.field("tls", &self.tls);
        shown.field("names", &self.names);
        #[cfg(feature = "ssh")]
        shown.field("ssh", &self.ssh.is_some());
        shown.finish()
    }
}

/// The servers of the places, each created once.
#[derive(Default)]
pub(super) struct Servers {
    #[cfg(feature = "tls")]
    tls: Option<Arc<TlsServer>>,
    #[cfg(feature = "dtls")]
    dtls: Option<Arc<DtlsConfig>>,
    #[cfg(feature = "ssh")]
    ssh: Option<Arc<SshServer>>,
    #[cfg(feature = "http")]
    https: Option<Arc<TlsServer>>,
}

#[cfg(not(any(feature = "tls", feature = "ssh")))]
impl Servers {
    /// UDP and TCP need none.
    #[expect(clippy::unnecessary_wraps, reason = "as where there are servers")]
    pub(super) const fn of(_: &[ListenUrl], _: &ListenSecure) -> Result<Self, Error> {
        Ok(Servers {})
    }
}

#[cfg(any(feature = "tls", feature = "ssh"))]
impl Servers {
    pub(super) fn of(places: &[ListenUrl], secure: &ListenSecure) -> Result<Self, Error> {
        let is_wanted = |transport| places.iter().any(|place| place.transport == transport);
        #[cfg(feature = "tls")]
        let config = |transport| secure.tls.as_deref().filter(|_| is_wanted(transport));
        // A client without a certificate may still have a user's keys.
        #[cfg(feature = "http")]
        let https = config(Transport::Https).map(|config| TlsServerConfig {
            clients: ClientCertificates::Optional,
            protocols: PROTOCOLS,
            ..config.clone()
        });
        Ok(Servers {
            #[cfg(feature = "http")]
            https: https.as_ref().map(TlsServer::new).transpose()?.map(Arc::new),
            #[cfg(feature = "tls")]
            tls: config(Transport::Tls).map(TlsServer::new).transpose()?.map(Arc::new),
            #[cfg(feature = "dtls")]
            dtls: config(Transport::Dtls).map(DtlsConfig::new).transpose()?.map(Arc::new),
            #[cfg(feature = "ssh")]
            ssh: secure.ssh.clone().filter(|_| is_wanted(Transport::Ssh)),
        })
    }

    #[cfg(feature = "tls")]
    pub(super) fn tls(&self) -> Result<Arc<TlsServer>, TransportError> {
        self.tls.clone().ok_or(nothing_for(Transport::Tls))
    }

    #[cfg(feature = "http")]
    pub(super) fn https(&self) -> Result<Arc<TlsServer>, TransportError> {
        self.https.clone().ok_or(nothing_for(Transport::Https))
    }

    #[cfg(feature = "dtls")]
    pub(super) fn dtls(&self) -> Result<Arc<DtlsConfig>, TransportError> {
        self.dtls.clone().ok_or(nothing_for(Transport::Dtls))
    }

    #[cfg(feature = "ssh")]
    pub(super) fn ssh(&self) -> Result<Arc<SshServer>, TransportError> {
        self.ssh.clone().ok_or(nothing_for(Transport::Ssh))
    }
}

#[cfg(any(feature = "tls", feature = "ssh"))]
const fn nothing_for(transport: Transport) -> TransportError {
    TransportError::NoCredentials { transport: transport.name() }
}

/// tmStateReference of a session; `None` over TCP.
pub(super) fn state(info: &SessionInfo, names: &[CertificateRow]) -> Result<Option<TransportState>, Refused> {
    session::peer_of(info, |chain| name_of_peer(names, chain).map(|peer| peer.name))
}
