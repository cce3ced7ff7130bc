//! What listening over TLS, DTLS and SSH needs: who we are, whom we believe, and who that is.

use std::fmt;
use std::sync::Arc;

use trunkline_snmp::engine::TransportState;
use trunkline_snmp::engine::transport::{CertificateRow, name_of_peer};
use trunkline_transport::dtls::DtlsConfig;
use trunkline_transport::http::PROTOCOLS;
use trunkline_transport::ssh::SshServer;
use trunkline_transport::tls::{ClientCertificates, TlsServer, TlsServerConfig, Trust};
use trunkline_transport::{ListenUrl, Refused, SessionInfo, Transport, TransportError};

use crate::error::Error;
use crate::proved;

/// What TLS, DTLS and SSH need to be listened on.
#[derive(Clone, Default)]
pub struct ListenSecure {
    /// Who we are to TLS and DTLS, and whom we believe.
    pub tls: Option<Arc<TlsServerConfig>>,
    /// Which certificate is who (snmpTlstmCertToTSNTable); [`ListenSecure::usual_names`] are those that need no
    /// configuration.
    pub names: Vec<CertificateRow>,
    /// Our host key, and the users who may come in over SSH.
    pub ssh: Option<Arc<SshServer>>,
}

impl ListenSecure {
    /// Whoever has a certificate of one of these authorities is called by its common name.
    #[must_use]
    pub fn usual_names(trust: &Trust) -> Vec<CertificateRow> {
        CertificateRow::common_names(trust.authorities())
    }
}

impl fmt::Debug for ListenSecure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListenSecure")
            .field("tls", &self.tls)
            .field("names", &self.names)
            .field("ssh", &self.ssh.is_some())
            .finish()
    }
}

/// The servers of the places, each made once.
#[derive(Default)]
pub(super) struct Servers {
    tls: Option<Arc<TlsServer>>,
    dtls: Option<Arc<DtlsConfig>>,
    ssh: Option<Arc<SshServer>>,
    https: Option<Arc<TlsServer>>,
}

impl Servers {
    pub(super) fn of(places: &[ListenUrl], secure: &ListenSecure) -> Result<Self, Error> {
        let is_wanted = |transport| places.iter().any(|place| place.transport == transport);
        let config = |transport| secure.tls.as_deref().filter(|_| is_wanted(transport));
        // Who shows no certificate may still have a user's keys.
        let https = config(Transport::Https).map(|config| TlsServerConfig {
            clients: ClientCertificates::Optional,
            protocols: PROTOCOLS,
            ..config.clone()
        });
        Ok(Servers {
            https: https.as_ref().map(TlsServer::new).transpose()?.map(Arc::new),
            tls: config(Transport::Tls).map(TlsServer::new).transpose()?.map(Arc::new),
            dtls: config(Transport::Dtls).map(DtlsConfig::new).transpose()?.map(Arc::new),
            ssh: secure.ssh.clone(),
        })
    }

    pub(super) fn tls(&self) -> Result<Arc<TlsServer>, TransportError> {
        self.tls.clone().ok_or(nothing_for(Transport::Tls))
    }

    pub(super) fn https(&self) -> Result<Arc<TlsServer>, TransportError> {
        self.https.clone().ok_or(nothing_for(Transport::Https))
    }

    pub(super) fn dtls(&self) -> Result<Arc<DtlsConfig>, TransportError> {
        self.dtls.clone().ok_or(nothing_for(Transport::Dtls))
    }

    pub(super) fn ssh(&self) -> Result<Arc<SshServer>, TransportError> {
        self.ssh.clone().ok_or(nothing_for(Transport::Ssh))
    }
}

const fn nothing_for(transport: Transport) -> TransportError {
    TransportError::NoCredentials { transport: transport.name() }
}

/// tmStateReference of a session; none over TCP.
pub(super) fn state(info: &SessionInfo, names: &[CertificateRow]) -> Result<Option<TransportState>, Refused> {
    proved::peer_of(info, |chain| name_of_peer(names, chain).map(|peer| peer.name))
}
