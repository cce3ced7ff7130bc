//! The server: performs the SSH handshake on a connection, and serves its channels.
//!
//! ```text
//! TcpServer --- greet ---> russh's session task: key exchange, authentication, channels
//!                               |  a channel requests a subsystem
//!                               v
//!                          desk -> guest: one task per channel: its service over its pipe
//! ```

mod admission;
mod door;
mod line;
mod pipe;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use russh::server::{Config, Handle, RunningSession, run_stream};
use russh::{Disconnect, MethodKind, MethodSet, SshId};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;

use self::admission::Admission;
use self::door::Door;
use self::line::{Cut, Line};
use self::pipe::ChannelStream;
use super::{HostKeys, SshFault, SshOptions, SshUsers};
use crate::service::{Guest, StreamService, Subsystems, Visit};
use crate::session::SessionInfo;
use crate::tcp::{Ends, Greeter, HandshakeError};
use crate::{Closing, Proof, Protection, Transport};
use trunkline_password::PasswordGate;

/// Options of a server beside its keys and its users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshServerOptions {
    /// How messages are carried.
    pub ssh: SshOptions,
    /// How many keys and passwords a connection may try. Default 20, as RFC 4252 section 4 recommends: a client offers
    /// all keys that it has.
    pub max_attempts: usize,
    /// How many passwords among these. Default 3.
    pub max_passwords: usize,
    /// The time until a wrong password is answered, and at most a tenth of a second of it until a wrong key is. It
    /// delays nobody else. Default half a second.
    pub failure_time: Duration,
    /// Maximum number of channels of a connection, each of them a separate session. Default 8.
    pub max_channels: usize,
}

impl Default for SshServerOptions {
    fn default() -> Self {
        let failure_time = Duration::from_millis(500);
        Self { ssh: SshOptions::default(), max_attempts: 20, max_passwords: 3, failure_time, max_channels: 8 }
    }
}

/// Our SSH host keys and the accepted users: for [`SshGreeter`].
pub struct SshServer {
    config: Arc<Config>,
    shared: Arc<Shared>,
}

/// What all connections of a server share.
struct Shared {
    users: RwLock<Arc<SshUsers>>,
    options: SshServerOptions,
    passwords: Arc<PasswordGate>,
}

impl SshServer {
    /// Authenticates with these keys, and accepts these users; passwords are checked at a separate gate.
    #[must_use]
    pub fn new(keys: HostKeys, users: SshUsers, options: SshServerOptions) -> Self {
        Self::with_gate(keys, users, options, Arc::default())
    }

    /// The same with a password gate that may be shared.
    #[must_use]
    pub fn with_gate(
        keys: HostKeys,
        users: SshUsers,
        options: SshServerOptions,
        passwords: Arc<PasswordGate>,
    ) -> Self {
        let config = Arc::new(config(keys, &options));
        let shared = Shared { users: RwLock::new(Arc::new(users)), options, passwords };
        Self { config, shared: Arc::new(shared) }
    }

    /// Accepts these users from now on. Open sessions continue: their users were authenticated.
    pub fn set_users(&self, users: SshUsers) {
        *self.shared.users.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(users);
    }
}

impl std::fmt::Debug for SshServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SshServer").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

impl Shared {
    fn users(&self) -> Arc<SshUsers> {
        self.users.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The longest time until a wrong key is answered: twenty of them fit the time of a handshake.
const KEY_FAILURE_TIME: Duration = Duration::from_millis(100);

fn config(keys: HostKeys, options: &SshServerOptions) -> Config {
    Config {
        server_id: SshId::Standard(concat!("SSH-2.0-Trunkline_", env!("CARGO_PKG_VERSION")).into()),
        methods: MethodSet::from(&[MethodKind::PublicKey, MethodKind::Password][..]),
        auth_rejection_time: options.failure_time.min(KEY_FAILURE_TIME),
        // `none` only queries the methods.
        auth_rejection_time_initial: Some(Duration::ZERO),
        max_auth_attempts: options.max_attempts.saturating_add(1),
        keys: keys.into_keys(),
        limits: options.ssh.limits(),
        preferred: options.ssh.algorithms.preferred(),
        window_size: WINDOW,
        // A session keeps memory for the largest packet it has received.
        maximum_packet_size: PACKET,
        // The door handles what a channel receives; nothing is ever read from the library's own queue.
        channel_buffer_size: 1,
        event_buffer_size: ANSWERS,
        // Time is limited by the listener and by each channel.
        inactivity_timeout: None,
        keepalive_interval: None,
        nodelay: options.ssh.nodelay,
        ..Config::default()
    }
}

/// The SSH handshake before the services behind its subsystems: for [`crate::tcp::TcpServer::serve`].
pub struct SshGreeter {
    server: Arc<SshServer>,
    subsystems: Arc<Subsystems>,
}

impl SshGreeter {
    /// Passes the channels of this server's connections to the services whose subsystem they request.
    #[must_use]
    pub fn new(server: Arc<SshServer>, subsystems: Subsystems) -> Self {
        Self { server, subsystems: Arc::new(subsystems) }
    }
}

impl Greeter for SshGreeter {
    fn transport(&self) -> Transport {
        Transport::Ssh
    }

    fn failed(&self, peer: SocketAddr, error: &HandshakeError) {
        self.subsystems.failed(peer, Transport::Ssh, error);
    }

    fn closing(&self) -> Closing {
        self.subsystems.closing()
    }

    fn greet(
        &self,
        stream: TcpStream,
        ends: Ends,
        visit: Visit,
    ) -> impl Future<Output = Result<Guest, HandshakeError>> + Send {
        let (config, shared) = (self.server.config.clone(), self.server.shared.clone());
        let subsystems = self.subsystems.clone();
        async move {
            if !config.nodelay {
                stream.set_nodelay(false)?;
            }
            let stream = Arc::new(stream);
            // The library runs the session in a separate task, which ends with its connection.
            let cut = Cut::new(&stream);
            let desk = Arc::new(Desk::default());
            let admission = Admission::new(shared, ends.peer);
            let door = Door::new(admission, desk.clone(), subsystems, visit.resources.clone());
            let mut session = run_stream(config, Line::new(stream), door).await?;
            let ended = tokio::select! {
                () = desk.bell.notified() => None,
                ended = &mut session => Some(ended),
            };
            match ended {
                // A peer may have sent its requests and left at once.
                Some(ended) if desk.with(|content| content.channels.is_empty()) => {
                    Err(desk.fault(ended).into())
                }
                ended => {
                    let connection = Connection { session, ended: ended.is_some(), desk, ends, cut };
                    Ok(Box::pin(serve(connection, visit)) as Guest)
                }
            }
        }
    }
}

/// Where the door puts channels that requested a subsystem, and the last fault of the peer.
#[derive(Default)]
struct Desk {
    content: Mutex<DeskContent>,
    bell: Notify,
}

#[derive(Default)]
struct DeskContent {
    channels: Vec<(ChannelStream, Arc<dyn StreamService>)>,
    user: Option<Arc<str>>,
    fault: Option<SshFault>,
}

impl Desk {
    fn with<T>(&self, act: impl FnOnce(&mut DeskContent) -> T) -> T {
        act(&mut self.content.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Why a session ended without ever having a message channel.
    fn fault(&self, ended: Result<(), SshFault>) -> SshFault {
        let (fault, user) = self.with(|content| (content.fault.take(), content.user.clone()));
        let left = || match user {
            Some(user) => SshFault::NoSubsystem { user: user.to_string() },
            None => SshFault::NotAuthenticated,
        };
        match (fault, ended) {
            (Some(fault), _) => fault,
            (None, Err(fault)) if !is_leaving(&fault) => fault,
            _ => left(),
        }
    }
}

/// The connection was closed, at any point.
fn is_leaving(fault: &SshFault) -> bool {
    use russh::Error::{Disconnect, HUP, IO};
    matches!(fault, SshFault::Protocol(HUP | Disconnect | IO(_)))
}

/// A connection whose peer is authenticated.
struct Connection {
    session: RunningSession<Door>,
    ended: bool,
    desk: Arc<Desk>,
    ends: Ends,
    cut: Cut,
}

/// Serves the channels of a connection until it ends, or has had none for too long.
async fn serve(connection: Connection, visit: Visit) {
    let Connection { mut session, mut ended, desk, ends, cut } = connection;
    let (handle, limits) = (session.handle(), visit.limits.clone());
    let mut channels = JoinSet::new();
    loop {
        let (arrived, user) =
            desk.with(|content| (std::mem::take(&mut content.channels), content.user.clone()));
        for (stream, service) in arrived {
            let proof = user.clone().map_or(Proof::Nothing, Proof::User);
            let Ends { peer, local } = ends;
            let info = SessionInfo {
                transport: Transport::Ssh,
                peer,
                local,
                proof,
                protection: Protection::Encrypted,
            };
            channels.spawn(serve_channel(stream, service, info, visit.clone(), handle.clone()));
        }
        if ended {
            break;
        }
        tokio::select! {
            () = desk.bell.notified() => {}
            _ = &mut session => ended = true,
            Some(channel) = channels.join_next() => if !done(channel) { return },
            () = tokio::time::sleep(limits.write_time), if channels.is_empty() => {
                let farewell = handle.disconnect(Disconnect::ByApplication, String::new(), String::new());
                let _ = timeout(limits.write_time, async { (farewell.await, session.await) }).await;
                return;
            }
        }
    }
    drop(cut);
    // The connection behind the channels is gone; each notices that on its own, unless its handler takes too long.
    let rest = async { while channels.join_next().await.is_some_and(done) {} };
    let _ = timeout(limits.write_time, rest).await;
}

async fn serve_channel(
    stream: ChannelStream,
    service: Arc<dyn StreamService>,
    info: SessionInfo,
    visit: Visit,
    handle: Handle,
) -> Closed {
    let (id, limit) = (stream.id(), visit.limits.write_time);
    service.serve(Box::new(stream), info, visit).await;
    // Without a status OpenSSH's client reports a failure (RFC 4254 section 6.10).
    let farewell = async {
        handle.exit_status_request(id, 0).await.is_ok()
            && handle.eof(id).await.is_ok()
            && handle.close(id).await.is_ok()
    };
    Closed(timeout(limit, farewell).await.is_ok())
}

/// Whether a channel could be closed; otherwise the peer reads nothing any more.
struct Closed(bool);

/// A panic continues in the connection's task, where the listener counts it.
fn done(ended: Result<Closed, JoinError>) -> bool {
    match ended.map_err(JoinError::try_into_panic) {
        Ok(Closed(closed)) => closed,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        Err(Err(_cancelled)) => false,
    }
}

/// Once half of it is used, the peer's window is extended: one update in thousands of messages.
const WINDOW: u32 = 2 << 20;
const PACKET: u32 = 4096;
/// Answers, or parts of them, between the channels of a connection and its socket.
const ANSWERS: usize = 2;
