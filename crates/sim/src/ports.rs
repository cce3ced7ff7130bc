//! What agents answer beside SNMP: JMX and NETCONF over TCP, SSH and TLS, each on one port of all addresses. Which agent was asked follows
//! from the local address of a connection, as with datagrams.
//!
//! ```text
//! TcpServer -> Gate: which agent, and its fault -> handshake of SSH or TLS -> Jmx, Netconf
//! ```
//!
//! One thread serves all connections. A session keeps what has arrived of its request, and nothing of its agent.

mod data;
mod gate;
mod ground;
mod jmx;
mod mbean;
mod netconf;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use trunkline_transport::ssh::Secret;
use trunkline_transport::tcp::{Plain, TcpLimits, TcpServer};
use trunkline_transport::{Closing, Resources, StreamService};

use self::gate::{Gate, Greeting, Handshakes};
use self::ground::Ground;
use crate::counts::Counts;
use crate::error::SimError;
use crate::fleet::{Fleet, Port};

/// Where agents answer beside SNMP.
#[derive(Clone, Debug)]
pub struct PortOptions {
    /// The TCP port of JMX, of each agent that has one; 0 lets the kernel choose. Default 1099, that of Java's registry.
    pub jmx: u16,
    /// The TCP port of NETCONF; 0 lets the kernel choose. Default 1830: 830 needs rights.
    pub netconf: u16,
    /// The TCP port of NETCONF over SSH; 0 lets the kernel choose. Default 1831.
    pub netconf_ssh: u16,
    /// The TCP port of NETCONF over TLS; 0 lets the kernel choose. Default 1832.
    pub netconf_tls: u16,
    /// Who may log in over SSH. Default the user `public` with the password `public`.
    pub ssh_users: Vec<SimUser>,
    /// The certificate of agents with TLS. Default none: then there are no such agents.
    pub tls: Option<TlsFiles>,
    /// Connections at most, over all ports. Default 65,536, or as many as there are descriptors for.
    pub max_connections: usize,
}

impl Default for PortOptions {
    fn default() -> Self {
        let public = SimUser {
            name: "public".to_owned(),
            password: Some(Secret::from("public")),
            authorized_keys: None,
        };
        Self {
            jmx: 1099,
            netconf: 1830,
            netconf_ssh: 1831,
            netconf_tls: 1832,
            ssh_users: vec![public],
            tls: None,
            max_connections: 65_536,
        }
    }
}

/// Somebody who may log in to all agents over SSH.
#[derive(Clone, Debug)]
pub struct SimUser {
    /// The name.
    pub name: String,
    /// The password, if one is accepted.
    pub password: Option<Secret>,
    /// A file of public keys in OpenSSH's form, if keys are accepted.
    pub authorized_keys: Option<PathBuf>,
}

/// Files in PEM, for TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate of all agents, perhaps with others between it and an authority.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// Authorities of clients' certificates, without which there is no session.
    pub authorities: PathBuf,
}

impl PortOptions {
    const fn of(&self, port: Port) -> u16 {
        match port {
            Port::Jmx => self.jmx,
            Port::Netconf => self.netconf,
            Port::NetconfSsh => self.netconf_ssh,
            Port::NetconfTls => self.netconf_tls,
        }
    }
}

/// The ports of a fleet that runs. Dropping it ends them.
pub struct Ports {
    thread: Option<JoinHandle<()>>,
    closing: Closing,
    open: Vec<(Port, u16)>,
    host_key: Option<String>,
}

impl Ports {
    /// Opens the ports that agents of the fleet have, if any, and starts the thread.
    ///
    /// # Errors
    /// A port is taken or not allowed, or certificates cannot be used.
    pub fn start(
        fleet: &Arc<Fleet>,
        started: Instant,
        options: &PortOptions,
        counts: &Arc<Counts>,
    ) -> Result<Option<Self>, SimError> {
        let closing = Closing::default();
        let ground = Arc::new(Ground::new(Arc::clone(fleet), started, Arc::clone(counts), closing.clone()));
        let mut handshakes = Handshakes::new(fleet.seed(), options);
        let (mut open, mut servers) = (Vec::new(), Vec::new());
        for kind in Port::ALL {
            let mut port = options.of(kind);
            for v6 in [false, true] {
                let mut groups = fleet.groups().iter();
                if !groups.any(|group| group.prefix.is_ipv6() == v6 && group.with(kind) > 0) {
                    continue;
                }
                let any: IpAddr =
                    if v6 { Ipv6Addr::UNSPECIFIED.into() } else { Ipv4Addr::UNSPECIFIED.into() };
                let server = TcpServer::bind(SocketAddr::new(any, port))?;
                port = server.local_addr().port();
                let service: Arc<dyn StreamService> = match kind {
                    Port::Jmx => Arc::new(jmx::Jmx::new(Arc::clone(&ground), port)),
                    _ => Arc::new(netconf::Netconf::new(Arc::clone(&ground), kind)),
                };
                let greeting = match kind {
                    Port::Jmx | Port::Netconf => Greeting::Plain(Plain::new(service)),
                    Port::NetconfSsh => handshakes.ssh(service)?,
                    Port::NetconfTls => handshakes.tls(service)?,
                };
                servers.push((server, Gate::new(Arc::clone(&ground), kind, greeting)));
                open.push((kind, port));
            }
        }
        if servers.is_empty() {
            return Ok(None);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|source| SimError::System { doing: "start the runtime", source })?;
        let most = options.max_connections;
        let thread = thread::spawn(move || serve(&runtime, servers, most));
        let host_key = handshakes.host_key;
        Ok(Some(Self { thread: Some(thread), closing, open, host_key }))
    }

    /// Where these ports are: none if no agent has them.
    pub fn port(&self, kind: Port) -> Option<u16> {
        self.open.iter().find_map(|(open, port)| (*open == kind).then_some(*port))
    }

    /// The fingerprint of the host key, if there is SSH.
    pub fn host_key(&self) -> Option<&str> {
        self.host_key.as_deref()
    }
}

impl Drop for Ports {
    fn drop(&mut self) {
        self.closing.close();
        if let Some(thread) = self.thread.take() {
            // A thread ends with a panic only if a listener did; there is nothing left to stop then.
            let _ = thread.join();
        }
    }
}

fn serve(runtime: &Runtime, servers: Vec<(TcpServer, Gate)>, most: usize) {
    let resources = Arc::new(Resources::default());
    provide_descriptors(&resources, most);
    // A manager asks the whole fleet from one address.
    let limits = TcpLimits {
        max_connections: most,
        max_per_peer: most,
        max_handshakes: HANDSHAKES,
        handshake_time: HANDSHAKE_TIME,
        message_time: MESSAGE_TIME,
        ..TcpLimits::default()
    };
    runtime.block_on(async {
        let mut serving = JoinSet::new();
        for (server, gate) in servers {
            let server = server.sharing(Arc::clone(&resources)).noticing_death();
            serving.spawn(server.serve(gate, limits));
        }
        while serving.join_next().await.is_some() {}
    });
}

/// As many descriptors as there may be connections, as far as the hard limit allows, and some that no connection gets.
fn provide_descriptors(resources: &Resources, connections: usize) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let (soft, hard) = (current.unwrap_or(u64::MAX), maximum.unwrap_or(u64::MAX));
    let wanted = soft.max((connections as u64 + 2 * RESERVE).min(hard));
    let raised =
        wanted == soft || setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_ok();
    resources.keep_descriptors(if raised { wanted } else { soft }, RESERVE);
}

/// Descriptors that no connection gets: sockets of SNMP, metrics.
const RESERVE: u64 = 64;
/// From the first octet of a request to its last.
const MESSAGE_TIME: Duration = Duration::from_secs(30);
/// Handshakes at a time, a quarter of them with one address.
const HANDSHAKES: usize = 4_096;
/// From the connection to the end of the handshake: a manager that opens its sessions all at once waits for one thread.
const HANDSHAKE_TIME: Duration = Duration::from_secs(60);
