//! Who we are to TLS, DTLS and SSH, and whom we believe there. Made once and shared by all sessions, so that what
//! a server allows to be resumed is.

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
#[cfg(feature = "http")]
use crate::target::SoapTarget;
#[cfg(any(feature = "tls", feature = "ssh"))]
use crate::target::Target;

/// Who we are to TLS, DTLS and SSH, and whom we believe there. Shows no secret.
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
    /// Nobody, who believes nobody.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, to TLS and DTLS as this client. `server` is whom the certificate at the other end must be of; the
    /// host that is asked where it is not said.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn with_tls(mut self, client: Arc<TlsClient>, server: Option<ServerIdentity>) -> Self {
        self.tls = Some(Tls { client, server });
        self
    }

    /// The same, to SSH as this client.
    #[cfg(feature = "ssh")]
    #[must_use]
    pub fn with_ssh(mut self, client: Arc<SshClient>) -> Self {
        self.ssh = Some(client);
        self
    }

    /// What a target needs for TLS or DTLS.
    #[cfg(feature = "tls")]
    pub(crate) fn tls_of(target: &Target) -> Result<Tls, Error> {
        let tls = target.secure.as_ref().and_then(|secure| secure.tls.clone());
        tls.ok_or_else(|| nothing_given(target.transport))
    }

    /// The same for SOAP.
    #[cfg(feature = "http")]
    pub(crate) fn tls_of_soap(target: &SoapTarget) -> Result<Tls, Error> {
        let tls = target.secure.as_ref().and_then(|secure| secure.tls.clone());
        tls.ok_or_else(|| nothing_given(target.transport))
    }

    /// What a target needs for SSH: the user is the target's, if it has one.
    #[cfg(feature = "ssh")]
    pub(crate) fn ssh_of(target: &Target) -> Result<Arc<SshClient>, Error> {
        let ssh = target.secure.as_ref().and_then(|secure| secure.ssh.clone());
        let ssh = ssh.ok_or_else(|| nothing_given(target.transport))?;
        Ok(match &target.login {
            Some(user) if *user != ssh.user => {
                Arc::new(SshClient { user: user.clone(), ..SshClient::clone(&ssh) })
            }
            _ => ssh,
        })
    }
}

#[cfg(feature = "tls")]
impl Tls {
    /// Whom the certificate of a host must be of.
    pub(crate) fn server(&self, host: &str) -> ServerIdentity {
        // The zone of an address says where it is, not who it is.
        let name = host.split_once('%').map_or(host, |(address, _zone)| address);
        self.server.clone().unwrap_or_else(|| ServerIdentity::Name(name.into()))
    }
}

#[cfg(any(feature = "tls", feature = "ssh"))]
fn nothing_given(transport: Transport) -> Error {
    TransportError::NoCredentials { transport: transport.name() }.into()
}
