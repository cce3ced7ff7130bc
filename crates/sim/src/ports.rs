//! What agents answer beside SNMP: JMX and NETCONF over TCP, each on one port of all addresses. Which agent was asked follows from the local
//! address of a connection, as with datagrams.
//!
//! One thread serves all connections. A session keeps what has arrived of its request, and nothing of its agent.

mod data;
mod ground;
mod jmx;
mod mbean;
mod netconf;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use trunkline_transport::tcp::{Plain, TcpLimits, TcpServer};
use trunkline_transport::{Closing, Resources, StreamService};

use self::ground::Ground;
use crate::counts::Counts;
use crate::error::SimError;
use crate::fleet::{Fleet, Port};

/// Where agents answer beside SNMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortOptions {
    /// The TCP port of JMX, of each agent that has one; 0 lets the kernel choose. Default 1099, that of Java's registry.
    pub jmx: u16,
    /// The TCP port of NETCONF; 0 lets the kernel choose. Default 1830: 830 needs rights.
    pub netconf: u16,
    /// Connections at most, over all ports. Default 65,536, or as many as there are descriptors for.
    pub max_connections: usize,
}

impl Default for PortOptions {
    fn default() -> Self {
        Self { jmx: 1099, netconf: 1830, max_connections: 65_536 }
    }
}

impl PortOptions {
    const fn of(&self, port: Port) -> u16 {
        match port {
            Port::Jmx => self.jmx,
            Port::Netconf => self.netconf,
        }
    }
}

/// The ports of a fleet that runs. Dropping it ends them.
pub struct Ports {
    thread: Option<JoinHandle<()>>,
    closing: Closing,
    open: Vec<(Port, u16)>,
}

impl Ports {
    /// Opens the ports that agents of the fleet have, if any, and starts the thread.
    ///
    /// # Errors
    /// A port is taken or not allowed.
    pub fn start(
        fleet: &Arc<Fleet>,
        started: Instant,
        options: &PortOptions,
        counts: &Arc<Counts>,
    ) -> Result<Option<Self>, SimError> {
        let closing = Closing::default();
        let ground = Arc::new(Ground::new(Arc::clone(fleet), started, Arc::clone(counts), closing.clone()));
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
                    Port::Netconf => Arc::new(netconf::Netconf::new(Arc::clone(&ground))),
                };
                servers.push((server, service));
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
        Ok(Some(Self { thread: Some(thread), closing, open }))
    }

    /// Where these ports are: none if no agent has them.
    pub fn port(&self, kind: Port) -> Option<u16> {
        self.open.iter().find_map(|(open, port)| (*open == kind).then_some(*port))
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

fn serve(runtime: &Runtime, servers: Vec<(TcpServer, Arc<dyn StreamService>)>, most: usize) {
    let resources = Arc::new(Resources::default());
    provide_descriptors(&resources, most);
    // A manager asks the whole fleet from one address.
    let limits = TcpLimits {
        max_connections: most,
        max_per_peer: most,
        message_time: MESSAGE_TIME,
        ..TcpLimits::default()
    };
    runtime.block_on(async {
        let mut serving = JoinSet::new();
        for (server, service) in servers {
            let server = server.sharing(Arc::clone(&resources)).noticing_death();
            serving.spawn(server.serve(Plain::new(service), limits));
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
