//! What stands before a session: which agent was asked, and whether its fault lets it begin; then the handshake, if there is one.

use std::future::ready;
use std::net::SocketAddr;
use std::sync::Arc;

use trunkline_password::PasswordHash;
use trunkline_transport::ssh::{HostKeys, SshGreeter, SshServer, SshServerOptions, SshUser, SshUsers};
use trunkline_transport::talk::{Parted, Talk};
use trunkline_transport::tcp::{Accepted, Ends, Greeter, HandshakeError, Plain};
use trunkline_transport::tls::{Identity, TlsGreeter, TlsServer, TlsServerConfig, Trust, TrustBuilder};
use trunkline_transport::{Closing, Guest, NETCONF_SUBSYSTEM, StreamService, Subsystems, Transport, Visit};

use super::ground::{Act, Ground};
use super::{PortOptions, SimUser, TlsFiles};
use crate::error::SimError;
use crate::fleet::Port;
use crate::seed::Seed;

/// The gate of a port.
pub(super) struct Gate {
    ground: Arc<Ground>,
    port: Port,
    greeting: Greeting,
}

/// What is behind it, of agents that answer.
pub(super) enum Greeting {
    Plain(Plain),
    Ssh(SshGreeter),
    Tls(TlsGreeter),
}

impl Gate {
    pub(super) const fn new(ground: Arc<Ground>, port: Port, greeting: Greeting) -> Self {
        Self { ground, port, greeting }
    }
}

impl Greeter for Gate {
    fn transport(&self) -> Transport {
        match &self.greeting {
            Greeting::Plain(greeter) => greeter.transport(),
            Greeting::Ssh(greeter) => greeter.transport(),
            Greeting::Tls(greeter) => greeter.transport(),
        }
    }

    fn has_handshake(&self) -> bool {
        !matches!(self.greeting, Greeting::Plain(_))
    }

    async fn greet(&self, stream: Accepted, ends: Ends, visit: Visit) -> Result<Guest, HandshakeError> {
        match (self.ground.begins(ends.local.ip(), self.port), &self.greeting) {
            (Act::Leave, _) => Ok(Box::pin(ready(()))),
            (Act::Mute, _) => {
                let limits = *visit.limits;
                let talk = Talk::new(Box::new(stream), visit, limits, self.ground.closing.clone());
                Ok(Box::pin(mute(talk)))
            }
            (Act::Answer { .. }, Greeting::Plain(greeter)) => greeter.greet(stream, ends, visit).await,
            (Act::Answer { .. }, Greeting::Ssh(greeter)) => greeter.greet(stream, ends, visit).await,
            (Act::Answer { .. }, Greeting::Tls(greeter)) => greeter.greet(stream, ends, visit).await,
        }
    }

    fn failed(&self, peer: SocketAddr, error: &HandshakeError) {
        match &self.greeting {
            Greeting::Plain(greeter) => greeter.failed(peer, error),
            Greeting::Ssh(greeter) => greeter.failed(peer, error),
            Greeting::Tls(greeter) => greeter.failed(peer, error),
        }
    }

    fn closing(&self) -> Closing {
        self.ground.closing.clone()
    }
}

/// Reads on, and answers nothing, until the peer has had enough.
async fn mute(mut talk: Talk) {
    let parted = loop {
        if let Err(parted) = talk.receive(&mut Vec::new(), None, 0).await {
            break parted;
        }
    };
    if Parted::is_orderly(parted) {
        talk.part().await;
    }
}

/// What all agents of a fleet have in common: a host key, users and a certificate. Made when the first port needs them.
pub(super) struct Handshakes<'o> {
    seed: Seed,
    options: &'o PortOptions,
    ssh: Option<Arc<SshServer>>,
    tls: Option<Arc<TlsServer>>,
    /// The fingerprint of the host key, once there is one.
    pub(super) host_key: Option<String>,
}

impl<'o> Handshakes<'o> {
    pub(super) const fn new(seed: Seed, options: &'o PortOptions) -> Self {
        Self { seed, options, ssh: None, tls: None, host_key: None }
    }

    /// The handshake of SSH before NETCONF.
    pub(super) fn ssh(&mut self, service: Arc<dyn StreamService>) -> Result<Greeting, SimError> {
        let server = match &self.ssh {
            Some(server) => server,
            None => {
                // As everything of a simulated agent it follows from the seed, so that known hosts stay known.
                let mut octets = [0; 32];
                for (at, chunk) in octets.chunks_exact_mut(8).enumerate() {
                    chunk.copy_from_slice(&self.seed.of(HOST_KEY).draw(at as u64).to_be_bytes());
                }
                let keys = HostKeys::of_octets(&octets)?;
                self.host_key = keys.fingerprints().pop();
                let users: Result<SshUsers, SimError> = self.options.ssh_users.iter().map(user).collect();
                let server = SshServer::new(keys, users?, SshServerOptions::default());
                self.ssh.insert(Arc::new(server))
            }
        };
        let subsystems = Subsystems::of(NETCONF_SUBSYSTEM, service);
        Ok(Greeting::Ssh(SshGreeter::new(Arc::clone(server), subsystems)))
    }

    /// The handshake of TLS before NETCONF.
    pub(super) fn tls(&mut self, service: Arc<dyn StreamService>) -> Result<Greeting, SimError> {
        let server = match (&self.tls, &self.options.tls) {
            (Some(server), _) => server,
            (None, Some(TlsFiles { certificate, key, authorities })) => {
                let identity = Identity::from_files(certificate, key)?;
                let trust = Trust::builder().authorities_file(authorities).map(TrustBuilder::build)?;
                let config = TlsServerConfig::new(Arc::new(identity), Arc::new(trust));
                self.tls.insert(Arc::new(TlsServer::new(&config)?))
            }
            (None, None) => {
                return Err(SimError::Options(
                    "netconf-tls requires [tls] with certificate, key and authorities",
                ));
            }
        };
        Ok(Greeting::Tls(TlsGreeter::new(Arc::clone(server), service)))
    }
}

fn user(user: &SimUser) -> Result<SshUser, SimError> {
    let SimUser { name, password, authorized_keys } = user.clone();
    let unmade = |_| SimError::Options("there are no random numbers for the password of an ssh-user");
    let password = password.as_ref().map(PasswordHash::make).transpose().map_err(unmade)?;
    Ok(SshUser { name, password, authorized_keys })
}

/// What is drawn.
const HOST_KEY: u64 = 53;
