//! The listeners and how a reload changes them: those that stay are not touched,
//! so that no request is lost.

mod http;
mod stream;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::runtime::Handle;
use trunkline_transport::{ListenUrl, Transport, TransportError};

use self::http::{HttpListener, HttpServers};
use self::stream::{StreamListener, StreamServers};
use crate::config::Plan;
use crate::door::http::Front;
use crate::door::snmp::{Door, Probe, Sessions, UdpListener, serve_udp};
use crate::own::SessionCounters;
use crate::secure::SecureError;

/// All sockets that are being served.
pub struct Listeners {
    door: Arc<Door>,
    runtime: Handle,
    serve_udp: fn(Arc<Door>, SocketAddr, Handle) -> Result<UdpListener, TransportError>,
    servers: StreamServers,
    http: HttpServers,
    open: Vec<Listener>,
}

impl From<TransportError> for ListenError {
    fn from(error: TransportError) -> Self {
        Self::Transport(Box::new(error))
    }
}

/// Why a listener is missing.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Its socket.
    #[error(transparent)]
    Transport(Box<TransportError>),
    /// Its certificates or keys.
    #[error(transparent)]
    Secure(#[from] SecureError),
}

struct Listener {
    asked: ListenUrl,
    bound: ListenUrl,
    socket: Open,
}

impl Listener {
    /// Whether it is what a configuration asks for, by the words of then or the port of now.
    fn serves(&self, asked: &ListenUrl) -> bool {
        self.asked == *asked || self.bound == *asked
    }
}

/// Dropping it closes the socket.
enum Open {
    Udp(UdpListener),
    Stream(StreamListener),
    Http(HttpListener),
}

impl Open {
    /// What the socket saw, as names and numbers.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        match self {
            Open::Udp(listener) => {
                let mut counts = listener.counters.read().named();
                counts.push(("crowded_out", listener.crowded_out.load(Ordering::Relaxed)));
                counts
            }
            Open::Stream(listener) => listener.counts(),
            Open::Http(listener) => listener.counts(),
        }
    }
}

impl Listeners {
    /// None yet. `P` is the instrument of the fast path; keys that are made are kept in `state`.
    pub fn new<P: Probe>(
        door: Arc<Door>,
        front: Arc<Front>,
        counters: Arc<SessionCounters>,
        runtime: Handle,
        state: PathBuf,
    ) -> Self {
        let sessions = Arc::new(Sessions::new(door.clone(), counters));
        let servers = StreamServers::new(sessions, runtime.clone(), state);
        let http = HttpServers::new(front, runtime.clone());
        Listeners { door, runtime, serve_udp: serve_udp::<P>, servers, http, open: Vec::new() }
    }

    /// Opens what the plan lists and is not open, closes what is open and not listed.
    /// An address that cannot be opened is an error; the others are served all the same.
    /// Gives the addresses newly opened.
    pub fn apply(&mut self, plan: &Plan) -> (Vec<ListenUrl>, Vec<ListenError>) {
        let listen = || plan.snmp.listen.iter().chain(&plan.http.listen);
        self.open.retain(|listener| listen().any(|asked| listener.serves(asked)));
        let (mut opened, mut errors) = (Vec::new(), Vec::new());
        errors.extend(self.servers.configure(&plan.snmp));
        errors.extend(self.http.configure(plan).err());
        errors.extend(self.servers.open_local(&plan.snmp).err());
        for asked in listen() {
            if self.open.iter().any(|listener| listener.serves(asked)) {
                continue;
            }
            for address in asked.socket_addrs() {
                match self.open_one(asked.transport, address, plan) {
                    Ok((bound, socket)) => {
                        opened.push(bound);
                        self.open.push(Listener { asked: *asked, bound, socket });
                    }
                    Err(error) => errors.push(error),
                }
            }
        }
        (opened, errors)
    }

    /// The addresses served now.
    pub fn bound(&self) -> impl Iterator<Item = &ListenUrl> {
        self.open.iter().map(|listener| &listener.bound)
    }

    /// What each listener saw, in a line: its address and `name=number` for each counter.
    pub fn counts(&self) -> impl Iterator<Item = String> {
        self.open.iter().map(|listener| {
            let counts = listener.socket.counts().into_iter().map(|(name, count)| format!(" {name}={count}"));
            std::iter::once(listener.bound.to_string()).chain(counts).collect()
        })
    }

    fn open_one(
        &mut self,
        transport: Transport,
        address: SocketAddr,
        plan: &Plan,
    ) -> Result<(ListenUrl, Open), ListenError> {
        if transport.is_http() {
            let listener = self.http.open(transport, address, plan)?;
            return Ok((ListenUrl::bound(transport, listener.address()), Open::Http(listener)));
        }
        if transport == Transport::Udp {
            let listener = (self.serve_udp)(self.door.clone(), address, self.runtime.clone())?;
            return Ok((ListenUrl::bound(transport, listener.address), Open::Udp(listener)));
        }
        let listener = self.servers.open(transport, address, &plan.snmp)?;
        Ok((ListenUrl::bound(transport, listener.address()), Open::Stream(listener)))
    }
}
