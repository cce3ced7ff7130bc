//! Our identity and trust anchors for TLS, DTLS and SSH. Created once and shared by all sessions, so that sessions
//! can be resumed where the server allows it.

#[cfg(any(feature = "tls", feature = "ssh"))]
use std::sync::Arc;

#[cfg(feature = "ssh")]
use trunkline_transport::ssh::SshClient;
#[cfg(feature = "tls")]
use trunkline_transport::tls::{ServerIdentity, TlsClient};
#[cfg(any(feature = "tls", feature = "ssh"))]
use trunkline_transport::{Transport, TransportError};

#[cfg(any(feature = "tls", feature = "ssh"))]
use crate::error::Error;

/// Our identity and trust anchors for TLS, DTLS and SSH. `Debug` shows no secret.
#[derive(Clone, Debug, Default)]
pub struct Secure {
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
    #[cfg(feature = "ssh")]
    ssh: Option<Arc<SshClient>>,
}

/// The same for TLS and DTLS.
#[cfg(feature = "tls")]
#[derive(Clone, Debug)]
pub(crate) struct Tls {
    pub(crate) client: Arc<TlsClient>,
    server: Option<ServerIdentity>,
}

impl Secure {
    /// No identity, and no trust anchors.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, with this client for TLS and DTLS. `server` is the identity that the peer's certificate must
    /// have; by default the target's host.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn with_tls(mut self, client: Arc<TlsClient>, server: Option<ServerIdentity>) -> Self {
        self.tls = Some(Tls { client, server });
        self
    }

    /// The same, with this client for SSH.
    #[cfg(feature = "ssh")]
    #[must_use]
    pub fn with_ssh(mut self, client: Arc<SshClient>) -> Self {
        self.ssh = Some(client);
        self
    }

    /// The client for TLS and DTLS, and the identity that the peer's certificate must have, if it is not the target's host.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(&self) -> Option<(&Arc<TlsClient>, Option<&ServerIdentity>)> {
        self.tls.as_ref().map(|Tls { client, server }| (client, server.as_ref()))
    }

    /// What a target needs for TLS or DTLS.
    #[cfg(feature = "tls")]
    pub(crate) fn tls_of(secure: Option<&Arc<Secure>>, transport: Transport) -> Result<Tls, Error> {
        secure.and_then(|secure| secure.tls.clone()).ok_or_else(|| nothing_given(transport))
    }

    /// The user over SSH.
    #[cfg(feature = "netconf")]
    pub(crate) fn ssh_user(&self) -> Option<&str> {
        self.ssh.as_ref().map(|ssh| ssh.user.as_str())
    }

    /// What a target needs for SSH; the login is the target's, if it has one.
    #[cfg(feature = "ssh")]
    pub(crate) fn ssh_of(
        secure: Option<&Arc<Secure>>,
        login: Option<&String>,
    ) -> Result<Arc<SshClient>, Error> {
        let ssh = secure.and_then(|secure| secure.ssh.clone());
        let ssh = ssh.ok_or_else(|| nothing_given(Transport::Ssh))?;
        Ok(match login {
            Some(user) if *user != ssh.user => {
                Arc::new(SshClient { user: user.clone(), ..SshClient::clone(&ssh) })
            }
            _ => ssh,
        })
    }
}

#[cfg(feature = "tls")]
impl Tls {
    /// The identity that a host's certificate must have.
    pub(crate) fn server(&self, host: &str) -> ServerIdentity {
        // An address's zone is part of its location, not of its identity.
        let name = host.split_once('%').map_or(host, |(address, _zone)| address);
        self.server.clone().unwrap_or_else(|| ServerIdentity::Name(name.into()))
    }
}

#[cfg(any(feature = "tls", feature = "ssh"))]
fn nothing_given(transport: Transport) -> Error {
    TransportError::NoCredentials { transport: transport.name() }.into()
}
