//! Listeners whose peers have sessions: TCP, TLS, DTLS, SSH. Our identity is set up once and shared by all
//! listeners of its kind; a reload changes it in place, and open sessions stay.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use trunkline_password::PasswordGate;
use trunkline_snmp::wire::frame_length;
use trunkline_transport::dtls::{DtlsConfig, DtlsCounters, DtlsLimits, DtlsServer};
use trunkline_transport::local::{LocalError, LocalOptions, LocalServer};
use trunkline_transport::ssh::{SshGreeter, SshServer};
use trunkline_transport::tcp::{Caller, FrameError, Messages, Plain, TcpCounters, TcpLimits, TcpServer};
use trunkline_transport::tls::{ClientCertificates, TlsGreeter, TlsServer, TlsServerConfig};
use trunkline_transport::{
    NETCONF_SUBSYSTEM, Protocol, Resources, SNMP_SUBSYSTEM, StreamService, Subsystems, Transport,
    TransportError,
};

use super::ListenError;
use super::call_home::AnyCaller;
use crate::door::netconf::Netconf;
use crate::door::snmp::Sessions;
use trunkline_config::Certificates;
use trunkline_config::{CallHome, JmxPlan, Plan, SnmpPlan, TcpPlan};
use trunkline_connector::Connector;
use trunkline_credentials::secure::{self, SecureError};

/// What the listeners of each kind share.
pub(super) struct StreamServers {
    sessions: Arc<Sessions>,
    netconf: Arc<Netconf>,
    jmx: Arc<Connector>,
    runtime: Handle,
    state: PathBuf,
    passwords: Arc<PasswordGate>,
    tls: Option<Arc<TlsServer>>,
    /// Clients of JMX may have passwords instead of certificates.
    jmx_tls: Option<Arc<TlsServer>>,
    dtls: Option<Arc<DtlsConfig>>,
    ssh: Option<Arc<SshServer>>,
    local: Option<Local>,
    resources: Arc<Resources>,
}

/// The socket for OpenSSH's subsystem, and the settings that it was made from.
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
    counters: Counters,
    task: JoinHandle<()>,
}

enum Counters {
    Stream(Arc<TcpCounters>),
    Dtls(Arc<DtlsCounters>),
}

/// A socket that is bound and not yet served.
pub(super) struct BoundStream {
    address: SocketAddr,
    counters: Counters,
    serving: ServingFuture,
}

impl BoundStream {
    /// The bound address with its real port.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl StreamListener {
    /// Waits for its end, which has been requested.
    pub(super) async fn finish(&mut self) {
        let _ = (&mut self.task).await;
    }

    /// Closes the socket; it is closed when this returns.
    pub(super) async fn close(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    /// Its counters, as names and numbers.
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
    pub(super) fn new(
        sessions: Arc<Sessions>,
        (netconf, jmx): (Arc<Netconf>, Arc<Connector>),
        runtime: Handle,
        state: PathBuf,
        passwords: Arc<PasswordGate>,
        resources: Arc<Resources>,
    ) -> Self {
        let (tls, jmx_tls, dtls, ssh, local) = (None, None, None, None, None);
        Self { sessions, netconf, jmx, runtime, state, passwords, tls, jmx_tls, dtls, ssh, local, resources }
    }

    /// Applies the certificates and users of another configuration, which has been checked.
    pub(super) fn configure(&mut self, plan: &Plan) -> Result<(), ListenError> {
        if !plan.accepts(Transport::Tls) {
            self.tls = None;
        }
        if !plan.accepts(Transport::Dtls) {
            self.dtls = None;
        }
        if !plan.jmx.as_ref().is_some_and(JmxPlan::has_tls) {
            self.jmx_tls = None;
        }
        if self.tls.is_some() || self.dtls.is_some() || self.jmx_tls.is_some() {
            self.configure_tls(&plan.snmp)?;
        }
        if let Some(server) = &self.ssh {
            server.set_users(secure::ssh_users(&plan.snmp)?);
        }
        Ok(())
    }

    fn configure_tls(&self, plan: &SnmpPlan) -> Result<(), SecureError> {
        let config = tls_config(Protocol::Snmp, plan)?;
        if let Some(server) = &self.tls {
            server.reconfigure(&config)?;
        }
        if let Some(server) = &self.jmx_tls {
            server.reconfigure(&tls_config(Protocol::Jmx, plan)?)?;
        }
        if let Some(server) = &self.dtls {
            server.reconfigure(&config)?;
        }
        Ok(())
    }

    /// Creates the socket for OpenSSH's subsystem if the configuration requires another one; it is served once
    /// started. `None`: the existing one, or none.
    pub(super) fn bind_local(&self, plan: &SnmpPlan) -> Result<Option<LocalServer>, ListenError> {
        let Some(path) = &plan.ssh.subsystem_socket else { return Ok(None) };
        let group = plan.ssh.subsystem_group.as_deref().map(secure::group_id).transpose()?;
        match &self.local {
            Some(local) if local.path == *path => {
                if local.group != plan.ssh.subsystem_group {
                    let group = group.unwrap_or_else(|| rustix::process::getegid().as_raw());
                    std::os::unix::fs::chown(path, None, Some(group)).map_err(|source| {
                        SecureError::from(LocalError::Bind { path: path.clone(), source })
                    })?;
                }
                Ok(None)
            }
            _ => {
                let options = LocalOptions { group, ..LocalOptions::at(path) };
                let server = LocalServer::bind(options).map_err(SecureError::from)?;
                Ok(Some(server.sharing(self.resources.clone())))
            }
        }
    }

    /// Serves the socket for OpenSSH's subsystem that was made, and closes one that is not wanted any more.
    pub(super) fn start_local(&mut self, server: Option<LocalServer>, plan: &SnmpPlan) {
        let group = plan.ssh.subsystem_group.clone();
        let Some(path) = plan.ssh.subsystem_socket.clone() else {
            self.local = None;
            return;
        };
        let Some(server) = server else {
            if let Some(local) = &mut self.local {
                local.group = group;
            }
            return;
        };
        let subsystems = self.subsystems(Protocol::Snmp).and(NETCONF_SUBSYSTEM, self.netconf.clone());
        let limits = limits(&plan.tcp, plan.max_message_size);
        let task = self.runtime.spawn(async move {
            if let Err(error) = server.serve(subsystems, limits).await {
                tracing::error!(%error, "the socket for OpenSSH's subsystem has ended");
            }
        });
        self.local = Some(Local { path, group, task });
    }

    /// Waits for the end of the socket for OpenSSH's subsystem, which has been requested.
    pub(super) async fn finish_local(&mut self) {
        if let Some(local) = &mut self.local {
            let _ = (&mut local.task).await;
        }
    }

    /// Binds a socket; it is served when it is started.
    pub(super) fn bind(
        &mut self,
        protocol: Protocol,
        transport: Transport,
        address: SocketAddr,
        plan: &SnmpPlan,
    ) -> Result<BoundStream, ListenError> {
        if transport == Transport::Dtls {
            return self.bind_dtls(address, plan);
        }
        let limits = limits(&plan.tcp, plan.max_message_size);
        let server = TcpServer::bind(address)?.sharing(self.resources.clone());
        // Their sessions hold locks.
        let server = if protocol == Protocol::Netconf { server.noticing_death() } else { server };
        let (address, counters) = (server.local_addr(), server.counters());
        let serving = match transport {
            Transport::Tls => {
                let greeter = TlsGreeter::new(self.tls(protocol, plan)?, self.service(protocol));
                serving(transport, server.serve(greeter, limits))
            }
            Transport::Ssh => {
                let greeter = SshGreeter::new(self.ssh(plan)?, self.subsystems(protocol));
                serving(transport, server.serve(greeter, limits))
            }
            _ => serving(transport, server.serve(Plain::new(self.service(protocol)), limits)),
        };
        Ok(BoundStream { address, counters: Counters::Stream(counters), serving })
    }

    /// What calls a manager, and serves NETCONF on that connection.
    pub(super) fn caller(&mut self, manager: &CallHome, plan: &SnmpPlan) -> Result<AnyCaller, ListenError> {
        let (limits, resources) = (limits(&plan.tcp, plan.max_message_size), self.resources.clone());
        Ok(match manager.transport {
            Transport::Tls => {
                let greeter =
                    TlsGreeter::new(self.tls(Protocol::Netconf, plan)?, self.service(Protocol::Netconf));
                AnyCaller::Tls(Arc::new(Caller::new(greeter, limits, resources)))
            }
            _ => {
                let greeter = SshGreeter::new(self.ssh(plan)?, self.subsystems(Protocol::Netconf));
                AnyCaller::Ssh(Arc::new(Caller::new(greeter, limits, resources)))
            }
        })
    }

    fn bind_dtls(&mut self, address: SocketAddr, plan: &SnmpPlan) -> Result<BoundStream, ListenError> {
        let config = match &self.dtls {
            Some(config) => config.clone(),
            None => {
                let config = tls_config(Protocol::Snmp, plan)?;
                let config = Arc::new(DtlsConfig::new(&config).map_err(SecureError::from)?);
                self.dtls.insert(config).clone()
            }
        };
        let server =
            DtlsServer::bind(address, config, dtls_limits(&plan.tcp))?.sharing(self.resources.clone());
        let (address, counters, handler) = (server.local_addr(), server.counters(), self.sessions.clone());
        let serving = serving(Transport::Dtls, async move { server.serve(handler).await });
        Ok(BoundStream { address, counters: Counters::Dtls(counters), serving })
    }

    /// Begins to serve.
    pub(super) fn start(&self, bound: BoundStream) -> StreamListener {
        let BoundStream { counters, serving, .. } = bound;
        StreamListener { counters, task: self.runtime.spawn(serving) }
    }

    /// SNMP over a stream.
    fn messages(&self) -> Arc<dyn StreamService> {
        Messages::new(self.sessions.clone(), frame)
    }

    /// What is served over SSH, by the name of its subsystem.
    fn subsystems(&self, protocol: Protocol) -> Subsystems {
        let name = if protocol == Protocol::Netconf { NETCONF_SUBSYSTEM } else { SNMP_SUBSYSTEM };
        Subsystems::of(name, self.service(protocol))
    }

    fn service(&self, protocol: Protocol) -> Arc<dyn StreamService> {
        match protocol {
            Protocol::Netconf => self.netconf.clone(),
            Protocol::Jmx => self.jmx.clone(),
            _ => self.messages(),
        }
    }

    fn tls(&mut self, protocol: Protocol, plan: &SnmpPlan) -> Result<Arc<TlsServer>, ListenError> {
        let place = if protocol == Protocol::Jmx { &mut self.jmx_tls } else { &mut self.tls };
        if let Some(server) = place {
            return Ok(server.clone());
        }
        let config = tls_config(protocol, plan)?;
        let server = Arc::new(TlsServer::new(&config).map_err(SecureError::from)?);
        Ok(place.insert(server).clone())
    }

    fn ssh(&mut self, plan: &SnmpPlan) -> Result<Arc<SshServer>, ListenError> {
        if let Some(server) = &self.ssh {
            return Ok(server.clone());
        }
        let server = Arc::new(secure::ssh_server(plan, &self.state, self.passwords.clone())?);
        Ok(self.ssh.insert(server).clone())
    }
}

/// Whether the certificates and users of a configuration can be served; nothing changes.
pub(super) fn check(plan: &Plan) -> Result<(), ListenError> {
    let has_jmx = plan.jmx.as_ref().is_some_and(JmxPlan::has_tls);
    let is_needed = plan.accepts(Transport::Tls) || plan.accepts(Transport::Dtls) || has_jmx;
    let plan = &plan.snmp;
    if is_needed {
        let config = tls_config(Protocol::Snmp, plan)?;
        TlsServer::new(&config).map_err(SecureError::from)?;
        DtlsConfig::new(&config).map_err(SecureError::from)?;
    }
    secure::ssh_users(plan)?;
    if let Some(group) = &plan.ssh.subsystem_group {
        secure::group_id(group)?;
    }
    Ok(())
}

/// The parts of a server, of which only JMX leaves certificates to its clients.
fn tls_config(protocol: Protocol, plan: &SnmpPlan) -> Result<TlsServerConfig, SecureError> {
    let config = Certificates::of(&plan.tls)?.server(&plan.tls);
    let is_optional = protocol == Protocol::Jmx;
    let clients = if is_optional { ClientCertificates::Optional } else { config.clients };
    Ok(TlsServerConfig { clients, ..config })
}

/// Serves a listener until it is closed.
type ServingFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

fn serving(
    transport: Transport,
    serving: impl Future<Output = Result<(), TransportError>> + Send + 'static,
) -> ServingFuture {
    Box::pin(async move {
        if let Err(error) = serving.await {
            tracing::error!(transport = transport.name(), %error, "a listener has ended");
        }
    })
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
        first_message: plan.first_message_timeout,
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
        first_message: plan.first_message_timeout,
        idle: plan.idle_timeout,
        max_in_flight: plan.max_in_flight,
        ..DtlsLimits::default()
    }
}
