//! Listeners whose peers have sessions: TCP, TLS, DTLS, SSH. What proves who we are is made once and shared by all
//! listeners of its kind; a reload changes it in place, and open sessions stay.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use trunkline_snmp::wire::frame_length;
use trunkline_transport::dtls::{DtlsConfig, DtlsCounters, DtlsLimits, DtlsServer};
use trunkline_transport::local::{LocalOptions, LocalServer};
use trunkline_transport::ssh::SshServer;
use trunkline_transport::tcp::{FrameError, TcpCounters, TcpLimits, TcpServer};
use trunkline_transport::tls::TlsServer;
use trunkline_transport::{Transport, TransportError};

use super::ListenError;
use crate::config::{SnmpPlan, TcpPlan};
use crate::door::snmp::Sessions;
use crate::secure::{self, Certificates, SecureError};

/// What the listeners of each kind share.
pub(super) struct StreamServers {
    sessions: Arc<Sessions>,
    runtime: Handle,
    state: PathBuf,
    tls: Option<Arc<TlsServer>>,
    dtls: Option<Arc<DtlsConfig>>,
    ssh: Option<Arc<SshServer>>,
    local: Option<Local>,
}

/// The socket for OpenSSH's subsystem, and what it was made of.
struct Local {
    path: PathBuf,
    group: Option<String>,
    task: JoinHandle<()>,
}

impl Drop for Local {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A socket that is being served. Dropping it closes it.
pub(super) struct StreamListener {
    address: SocketAddr,
    counters: Counters,
    task: JoinHandle<()>,
}

enum Counters {
    Stream(Arc<TcpCounters>),
    Dtls(Arc<DtlsCounters>),
}

impl StreamListener {
    /// The bound address with its real port.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it saw, as names and numbers.
    pub(super) fn counts(&self) -> Vec<(&'static str, u64)> {
        match &self.counters {
            Counters::Stream(counters) => counters.read().named(),
            Counters::Dtls(counters) => counters.read().named(),
        }
    }
}

impl Drop for StreamListener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl StreamServers {
    pub(super) fn new(sessions: Arc<Sessions>, runtime: Handle, state: PathBuf) -> Self {
        Self { sessions, runtime, state, tls: None, dtls: None, ssh: None, local: None }
    }

    /// Takes other certificates and users; where they cannot be taken the old ones stay.
    pub(super) fn configure(&mut self, plan: &SnmpPlan) -> Vec<ListenError> {
        let mut errors = Vec::new();
        if self.tls.is_some() || self.dtls.is_some() {
            errors.extend(self.configure_tls(plan).err().map(ListenError::from));
        }
        if let Some(server) = &self.ssh {
            match secure::ssh_users(plan) {
                Ok(users) => server.set_users(users),
                Err(error) => errors.push(error.into()),
            }
        }
        errors
    }

    fn configure_tls(&self, plan: &SnmpPlan) -> Result<(), SecureError> {
        let config = Certificates::of(&plan.tls)?.server(&plan.tls);
        if let Some(server) = &self.tls {
            server.reconfigure(&config)?;
        }
        if let Some(server) = &self.dtls {
            server.reconfigure(&config)?;
        }
        Ok(())
    }

    /// Opens the socket for OpenSSH's subsystem, or closes it, as the configuration says.
    pub(super) fn open_local(&mut self, plan: &SnmpPlan) -> Result<(), ListenError> {
        let (path, group) = (&plan.ssh.subsystem_socket, &plan.ssh.subsystem_group);
        if self
            .local
            .as_ref()
            .is_some_and(|local| Some(&local.path) == path.as_ref() && local.group == *group)
        {
            return Ok(());
        }
        self.local = None;
        let Some(path) = path else { return Ok(()) };
        let mut options = LocalOptions::at(path);
        options.group = group.as_deref().map(secure::group_id).transpose()?;
        let server = LocalServer::bind(options).map_err(SecureError::from)?;
        let (handler, limits) = (self.sessions.clone(), limits(&plan.tcp, plan.max_message_size));
        let task = self.runtime.spawn(async move {
            if let Err(error) = server.serve(handler, frame, limits).await {
                tracing::error!(%error, "the socket for OpenSSH's subsystem has ended");
            }
        });
        self.local = Some(Local { path: path.clone(), group: group.clone(), task });
        Ok(())
    }

    /// Opens a socket.
    pub(super) fn open(
        &mut self,
        transport: Transport,
        address: SocketAddr,
        plan: &SnmpPlan,
    ) -> Result<StreamListener, ListenError> {
        if transport == Transport::Dtls {
            return self.open_dtls(address, plan);
        }
        let limits = limits(&plan.tcp, plan.max_message_size);
        let (server, handler) = (TcpServer::bind(address)?, self.sessions.clone());
        let (address, counters) = (server.local_addr(), server.counters());
        let task = match transport {
            Transport::Tls => {
                let greeter = self.tls(plan)?;
                self.serve(transport, async move { server.serve_by(greeter, handler, frame, limits).await })
            }
            Transport::Ssh => {
                let greeter = self.ssh(plan)?;
                self.serve(transport, async move { server.serve_by(greeter, handler, frame, limits).await })
            }
            _ => self.serve(transport, async move { server.serve(handler, frame, limits).await }),
        };
        Ok(StreamListener { address, counters: Counters::Stream(counters), task })
    }

    fn open_dtls(&mut self, address: SocketAddr, plan: &SnmpPlan) -> Result<StreamListener, ListenError> {
        let config = match &self.dtls {
            Some(config) => config.clone(),
            None => {
                let config = Certificates::of(&plan.tls)?.server(&plan.tls);
                let config = Arc::new(DtlsConfig::new(&config).map_err(SecureError::from)?);
                self.dtls.insert(config).clone()
            }
        };
        let server = DtlsServer::bind(address, config, dtls_limits(&plan.tcp))?;
        let (address, counters, handler) = (server.local_addr(), server.counters(), self.sessions.clone());
        let task = self.serve(Transport::Dtls, async move { server.serve(handler).await });
        Ok(StreamListener { address, counters: Counters::Dtls(counters), task })
    }

    fn serve(
        &self,
        transport: Transport,
        serving: impl Future<Output = Result<(), TransportError>> + Send + 'static,
    ) -> JoinHandle<()> {
        self.runtime.spawn(async move {
            if let Err(error) = serving.await {
                tracing::error!(transport = transport.name(), %error, "a listener has ended");
            }
        })
    }

    fn tls(&mut self, plan: &SnmpPlan) -> Result<Arc<TlsServer>, ListenError> {
        if let Some(server) = &self.tls {
            return Ok(server.clone());
        }
        let config = Certificates::of(&plan.tls)?.server(&plan.tls);
        let server = Arc::new(TlsServer::new(&config).map_err(SecureError::from)?);
        Ok(self.tls.insert(server).clone())
    }

    fn ssh(&mut self, plan: &SnmpPlan) -> Result<Arc<SshServer>, ListenError> {
        if let Some(server) = &self.ssh {
            return Ok(server.clone());
        }
        let server = Arc::new(secure::ssh_server(plan, &self.state)?);
        Ok(self.ssh.insert(server).clone())
    }
}

/// SNMP messages delimit themselves (RFC 3430 section 2.1).
fn frame(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    frame_length(octets).map_err(|_| FrameError)
}

fn limits(plan: &TcpPlan, max_message: usize) -> TcpLimits {
    TcpLimits {
        max_connections: plan.max_connections,
        max_per_peer: plan.max_connections_per_peer,
        max_in_flight: plan.max_in_flight,
        idle: plan.idle_timeout,
        message_time: plan.message_timeout,
        write_time: plan.write_timeout,
        max_handshakes: plan.max_handshakes,
        handshake_time: plan.handshake_timeout,
        max_message: max_message.max(TcpLimits::default().max_message),
        ..TcpLimits::default()
    }
}

fn dtls_limits(plan: &TcpPlan) -> DtlsLimits {
    DtlsLimits {
        max_sessions: plan.max_connections,
        max_per_peer: plan.max_connections_per_peer,
        max_handshakes: plan.max_handshakes,
        handshake_time: plan.handshake_timeout,
        idle: plan.idle_timeout,
        max_in_flight: plan.max_in_flight,
        ..DtlsLimits::default()
    }
}
