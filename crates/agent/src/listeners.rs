//! The listeners and how a reload changes them: those that stay are not touched,
//! so that no request is lost.

mod call_home;
mod http;
mod stream;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::runtime::Handle;
use trunkline_transport::local::LocalServer;
use trunkline_transport::udp::UdpBatch;
use trunkline_transport::{ListenUrl, Protocol, Resources, Transport, TransportError};

use self::call_home::Calls;
use self::http::{BoundHttp, HttpListener, HttpServers};
use self::stream::{BoundStream, StreamListener, StreamServers};
use crate::door::netconf::Netconf;
use crate::door::snmp::{Door, Probe, Sessions, UdpListener, bind_udp, serve_udp};
use trunkline_admin::SessionCounters;
use trunkline_config::{Plan, overlap};
use trunkline_connector::Connector;
use trunkline_credentials::secure::{self, SecureError};
use trunkline_process::descriptors;
use trunkline_web::http::Front;

/// All sockets that are being served.
pub struct Listeners {
    door: Arc<Door>,
    runtime: Handle,
    serve_udp: fn(Arc<Door>, UdpBatch, Handle) -> Result<UdpListener, TransportError>,
    servers: StreamServers,
    http: HttpServers,
    resources: Arc<Resources>,
    open: Vec<Listener>,
    calls: Calls,
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
    #[error("{0}{remedy}", remedy = remedy(.0))]
    Transport(Box<TransportError>),
    /// Its certificates or keys.
    #[error(transparent)]
    Secure(#[from] SecureError),
}

impl ListenError {
    fn is_in_use(&self) -> bool {
        let Self::Transport(error) = self else { return false };
        matches!(&**error, TransportError::Bind { source, .. } if source.kind() == io::ErrorKind::AddrInUse)
    }
}

/// What to do about an address that the kernel refuses.
fn remedy(error: &TransportError) -> &'static str {
    let TransportError::Bind { address, source, .. } = error else { return "" };
    match source.kind() {
        io::ErrorKind::PermissionDenied if address.port() < 1024 => {
            "; ports below 1024 need root or CAP_NET_BIND_SERVICE: start as root with `user` in [agent], give the \
             program the capability (setcap cap_net_bind_service=+ep, or AmbientCapabilities= in its unit), or listen \
             on a higher port"
        }
        io::ErrorKind::AddrInUse => "; another program listens there (ss -lntup shows which)",
        io::ErrorKind::AddrNotAvailable => "; no interface of this machine has the address",
        _ => "",
    }
}

/// What is spoken, and where.
type Asked = (Protocol, ListenUrl);

struct Listener {
    asked: Asked,
    bound: ListenUrl,
    socket: Open,
}

impl Listener {
    /// Whether a configuration requires it, by its original text or its present port.
    fn serves(&self, asked: &Asked) -> bool {
        self.asked == *asked || (self.asked.0, self.bound) == *asked
    }
}

/// Dropping it closes the socket.
enum Open {
    Udp(UdpListener),
    Stream(StreamListener),
    Http(HttpListener),
}

impl Open {
    /// Closes the socket; except for outstanding UDP answers it is closed when this returns.
    async fn close(self) {
        match self {
            Open::Udp(listener) => drop(listener),
            Open::Stream(listener) => listener.close().await,
            Open::Http(listener) => listener.close().await,
        }
    }

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
        (netconf, jmx): (Arc<Netconf>, Arc<Connector>),
        counters: Arc<SessionCounters>,
        runtime: Handle,
        state: PathBuf,
        resources: Arc<Resources>,
    ) -> Self {
        let sessions = Arc::new(Sessions::new(door.clone(), counters));
        let passwords = front.passwords().clone();
        let servers = StreamServers::new(
            sessions,
            (netconf, jmx),
            runtime.clone(),
            state,
            passwords,
            resources.clone(),
        );
        let http = HttpServers::new(front, runtime.clone(), resources.clone());
        let (serve_udp, open, calls) = (serve_udp::<P>, Vec::new(), Calls::new(runtime.clone()));
        Listeners { door, runtime, serve_udp, servers, http, resources, open, calls }
    }

    /// Binds what the plan lists and is not open; nothing that is open changes. `before` is the plan that it was opened
    /// for.
    ///
    /// If a new listener needs the port of one that is no longer listed, as `0.0.0.0` after `127.0.0.1`, the
    /// kernel allows only one of them: the old one is closed last, and opened again if the new one fails.
    ///
    /// # Errors
    /// Everything that cannot be opened; then the open listeners stay as they were.
    pub async fn prepare(&mut self, plan: &Plan, before: &Plan) -> Result<Prepared, Vec<ListenError>> {
        let mut errors: Vec<ListenError> = Vec::new();
        errors.extend(stream::check(plan).err());
        errors.extend(http::check(plan).err());
        let is_open = |asked: &Asked| self.open.iter().any(|listener| listener.serves(asked));
        let missing: Vec<Asked> = plan.listeners().filter(|asked| !is_open(asked)).collect();
        let is_leaving = |listener: &Listener| !plan.listeners().any(|asked| listener.serves(&asked));
        let is_blocked = |(_, url): &Asked| {
            self.open.iter().any(|listener| is_leaving(listener) && overlap(url, &listener.bound))
        };
        let (blocked, free): (Vec<_>, Vec<_>) = missing.into_iter().partition(is_blocked);
        let mut fresh = Vec::new();
        for asked in free {
            match self.bind(asked, plan) {
                Ok(bound) => fresh.extend(bound),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let local = self.servers.bind_local(&plan.snmp).map_err(|error| vec![error])?;
        if !blocked.is_empty() {
            fresh.extend(self.take_over(blocked, plan, before).await?);
        }
        Ok(Prepared { fresh, local })
    }

    /// Closes open listeners that are not listed any more, and serves those prepared for the plan. Returns the
    /// addresses newly opened.
    pub fn apply(&mut self, plan: &Plan, prepared: Prepared) -> Vec<ListenUrl> {
        self.open.retain(|listener| plan.listeners().any(|asked| listener.serves(&asked)));
        descriptors::provide(plan, &self.resources);
        let configured = [self.servers.configure(plan), self.http.configure(plan)];
        for error in configured.into_iter().filter_map(Result::err) {
            // They have been tried before.
            tracing::error!(%error, "the previous certificates stay in use");
        }
        self.servers.start_local(prepared.local, &plan.snmp);
        let closing = self.door.core().closing();
        let called = self.calls.configure(plan, closing, |manager| self.servers.caller(manager, &plan.snmp));
        if let Err(error) = called {
            tracing::error!(%error, "a manager is not called");
        }
        prepared.fresh.into_iter().filter_map(|fresh| self.start(fresh)).collect()
    }

    /// Binds listeners in place of open ones that conflict with them.
    async fn take_over(
        &mut self,
        wanted: Vec<Asked>,
        plan: &Plan,
        before: &Plan,
    ) -> Result<Vec<Fresh>, Vec<ListenError>> {
        let in_the_way = |listener: &Listener| wanted.iter().any(|(_, url)| overlap(url, &listener.bound));
        let (closed, open) = std::mem::take(&mut self.open).into_iter().partition(in_the_way);
        self.open = open;
        let mut places = Vec::new();
        for listener in closed {
            places.push((listener.asked, listener.bound));
            listener.socket.close().await;
        }
        let mut fresh = Vec::new();
        for asked in wanted {
            match self.bind_patiently(asked, plan).await {
                Ok(bound) => fresh.extend(bound),
                Err(error) => {
                    drop(fresh);
                    self.reopen(places, before).await;
                    return Err(vec![error]);
                }
            }
        }
        Ok(fresh)
    }

    /// Puts back what was closed for nothing.
    async fn reopen(&mut self, places: Vec<(Asked, ListenUrl)>, plan: &Plan) {
        for (asked, bound) in places {
            match self.bind_patiently((asked.0, bound), plan).await {
                Ok(fresh) => {
                    for fresh in fresh {
                        self.start(Fresh { asked, ..fresh });
                    }
                }
                Err(error) => tracing::error!(%error, "a listener is missing"),
            }
        }
    }

    /// Outstanding answers keep a UDP socket open for a moment after it was closed.
    async fn bind_patiently(&mut self, asked: Asked, plan: &Plan) -> Result<Vec<Fresh>, ListenError> {
        for _ in 0..TRIES {
            match self.bind(asked, plan) {
                Err(error) if error.is_in_use() => tokio::time::sleep(PAUSE).await,
                bound => return bound,
            }
        }
        self.bind(asked, plan)
    }

    /// Accepts nothing more, and waits until outstanding requests are answered.
    pub async fn finish(&mut self) {
        self.door.core().closing().close();
        for listener in &mut self.open {
            match &mut listener.socket {
                Open::Udp(listener) => listener.finish().await,
                Open::Stream(listener) => listener.finish().await,
                Open::Http(listener) => listener.finish().await,
            }
        }
        self.servers.finish_local().await;
        self.calls.finish().await;
    }

    /// Whether what listeners of a plan need can be had; opens and makes nothing.
    ///
    /// # Errors
    /// Certificates, keys, users or groups.
    pub fn check(plan: &Plan, state: &Path) -> Result<(), ListenError> {
        stream::check(plan)?;
        http::check(plan)?;
        Ok(secure::check_host_keys(plan, state)?)
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

    /// Binds all addresses of a URL, or none.
    fn bind(&mut self, asked: Asked, plan: &Plan) -> Result<Vec<Fresh>, ListenError> {
        let (protocol, url) = asked;
        let transport = url.transport;
        let bind = |address| {
            let socket = match (protocol, transport) {
                (Protocol::Snmp, Transport::Udp) => Bound::Udp(Box::new(bind_udp(address)?)),
                (Protocol::Snmp | Protocol::Netconf | Protocol::Jmx, _) => {
                    Bound::Stream(self.servers.bind(protocol, transport, address, &plan.snmp)?)
                }
                (Protocol::Http, _) => Bound::Http(self.http.bind(transport, address, plan)?),
            };
            Ok(Fresh { asked, bound: ListenUrl::bound(transport, socket.address()), socket })
        };
        url.socket_addrs().into_iter().map(bind).collect()
    }

    /// Starts to serve a socket; returns its address.
    fn start(&mut self, fresh: Fresh) -> Option<ListenUrl> {
        let Fresh { asked, bound, socket } = fresh;
        let socket = match socket {
            Bound::Udp(socket) => match (self.serve_udp)(self.door.clone(), *socket, self.runtime.clone()) {
                Ok(listener) => Open::Udp(listener),
                Err(error) => {
                    tracing::error!(%error, "a listener is missing");
                    return None;
                }
            },
            Bound::Stream(socket) => Open::Stream(self.servers.start(socket)),
            Bound::Http(socket) => Open::Http(self.http.start(socket)),
        };
        self.open.push(Listener { asked, bound, socket });
        Some(bound)
    }
}

/// How often, and how long apart, a port is tried that was just closed.
const TRIES: u32 = 40;
const PAUSE: Duration = Duration::from_millis(50);

/// What a configuration needs besides what is open: bound, and not yet served. Dropping it closes the sockets.
pub struct Prepared {
    fresh: Vec<Fresh>,
    local: Option<LocalServer>,
}

struct Fresh {
    asked: Asked,
    bound: ListenUrl,
    socket: Bound,
}

enum Bound {
    Udp(Box<UdpBatch>),
    Stream(BoundStream),
    Http(BoundHttp),
}

impl Bound {
    fn address(&self) -> SocketAddr {
        match self {
            Bound::Udp(socket) => socket.local_addr(),
            Bound::Stream(socket) => socket.address(),
            Bound::Http(socket) => socket.address(),
        }
    }
}
