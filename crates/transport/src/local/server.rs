//! The agent's half: a Unix socket, and which users may connect as whom.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::{Id, JoinError, JoinSet, spawn_blocking};
use tokio::time::timeout;

use super::preamble::LONGEST;
use super::{Preamble, PreambleFault, SshConnection};
use crate::resources::{Resources, Room};
use crate::service::{StreamService, Subsystems, Visit};
use crate::session::SessionInfo;
use crate::tcp::{TcpCounters, TcpLimits};
use crate::{Proof, Protection, Transport};
use trunkline_local::{LocalError, SocketRights, bind_unix};

/// Where the socket is, and which users may connect.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// The socket's path. A leftover of an earlier run is replaced.
    pub path: PathBuf,
    /// The group that owns it; `None` for our own.
    pub group: Option<u32>,
    /// Its mode. With 660, the default of [`LocalOptions::at`], our own user and the group's members may connect.
    pub mode: u32,
    /// Looks up the system's name of a user. It may block, and is called off the serving threads.
    pub name_of: fn(u32) -> io::Result<Option<String>>,
}

impl LocalOptions {
    /// At this path, for our own user and group; names come from the system.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self { path: path.into(), group: None, mode: 0o660, name_of: system_name }
    }
}

fn system_name(uid: u32) -> io::Result<Option<String>> {
    let user = nix::unistd::User::from_uid(uid.into()).map_err(io::Error::from)?;
    Ok(user.map(|user| user.name))
}

/// Why a connection is refused.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("the preamble is none: {0}")]
    Preamble(#[from] PreambleFault),
    #[error("the preamble took too long")]
    Slow,
    #[error("user {uid} may speak for themselves only, not for `{named}`")]
    NotTheirs { uid: u32, named: String },
    #[error("there is no subsystem `{wanted}`; served here: {served}")]
    NoSubsystem { wanted: String, served: String },
    #[error("too many are connected")]
    TooMany,
    #[error("the connection failed: {0}")]
    Failed(#[from] io::Error),
}

/// A listening Unix socket for [`super::relay`]. The socket is removed on drop.
#[derive(Debug)]
pub struct LocalServer {
    listener: std::os::unix::net::UnixListener,
    options: LocalOptions,
    counters: Arc<TcpCounters>,
    resources: Arc<Resources>,
}

impl LocalServer {
    /// Creates the socket. It appears at its path with its mode already set. Needs no runtime yet.
    ///
    /// # Errors
    /// [`LocalError`].
    pub fn bind(options: LocalOptions) -> Result<Self, LocalError> {
        let rights = SocketRights { mode: options.mode, user: None, group: options.group };
        let listener = bind_unix(&options.path, &rights)?;
        Ok(Self { listener, options, counters: Arc::default(), resources: Arc::default() })
    }

    /// The same server, sharing these resources with other listeners.
    #[must_use]
    pub fn sharing(mut self, resources: Arc<Resources>) -> Self {
        self.resources = resources;
        self
    }

    /// The server's counters, shared with it. Only sessions are counted.
    #[must_use]
    pub fn counters(&self) -> Arc<TcpCounters> {
        Arc::clone(&self.counters)
    }

    /// Serves sessions. Dropping the future closes the socket and all sessions.
    ///
    /// # Errors
    /// The kernel's error if the socket cannot be registered with the runtime; after that it ends by being
    /// dropped.
    pub async fn serve(self, subsystems: Subsystems, limits: TcpLimits) -> Result<(), io::Error> {
        let listener = UnixListener::from_std(self.listener.try_clone()?)?;
        let visit = Visit {
            counters: self.counters.clone(),
            resources: self.resources.clone(),
            ..Visit::new(limits)
        };
        let mut closed = pin!(subsystems.closing().closed());
        let (subsystems, tasks, uids) = (Arc::new(subsystems), JoinSet::new(), HashMap::new());
        let mut guests = Guests { subsystems, visit, tasks, uids, name_of: self.options.name_of };
        loop {
            tokio::select! {
                () = closed.as_mut() => break,
                Some(ended) = guests.tasks.join_next_with_id() => guests.ended(ended),
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => guests.came(stream),
                    Err(error) => {
                        if let Some(left_out) = self.resources.logs.sockets.admit() {
                            tracing::warn!(%error, left_out, "cannot accept local connections");
                        }
                        tokio::time::sleep(PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        while let Some(ended) = guests.tasks.join_next_with_id().await {
            guests.ended(ended);
        }
        Ok(())
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.options.path);
    }
}

/// The open connections.
struct Guests {
    subsystems: Arc<Subsystems>,
    visit: Visit,
    tasks: JoinSet<()>,
    /// The user of each connection.
    uids: HashMap<Id, u32>,
    name_of: fn(u32) -> io::Result<Option<String>>,
}

impl Guests {
    fn came(&mut self, stream: UnixStream) {
        let Ok(peer) = stream.peer_cred() else { return };
        let (uid, limits) = (peer.uid(), &self.visit.limits);
        let theirs = self.uids.values().filter(|other| **other == uid).count();
        // Root relays for all users, and is bounded by the total only.
        let full = self.tasks.len() >= limits.max_connections
            || (uid != ROOT && theirs >= limits.max_per_peer)
            || self.visit.resources.room_for(stream.as_raw_fd()) == Room::None;
        if full {
            return log_refusal(&self.visit.resources, uid, &Refusal::TooMany);
        }
        let (visit, name_of, subsystems) = (self.visit.another(), self.name_of, self.subsystems.clone());
        let (resources, limits) = (visit.resources.clone(), limits.clone());
        let task = self.tasks.spawn(async move {
            let mut stream = stream;
            let closed = subsystems.closing().closed();
            let greeting = greeted(&mut stream, uid, name_of, &subsystems);
            let greeted = tokio::select! {
                greeted = timeout(limits.handshake_time, greeting) => greeted,
                () = closed => return,
            };
            match greeted {
                Ok(Ok((service, info))) => service.serve(Box::new(stream), info, visit).await,
                Ok(Err(fault)) => refused(stream, uid, &fault, &resources).await,
                Err(_) => refused(stream, uid, &Refusal::Slow, &resources).await,
            }
        });
        self.uids.insert(task.id(), uid);
    }

    fn ended(&mut self, ended: Result<(Id, ()), JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => {
                self.visit.counters.panicked();
                error.id()
            }
        };
        self.uids.remove(&id);
        self.visit.resources.connection_ended();
    }
}

/// Reads the preamble, checks that the user may send it, and finds the requested service.
async fn greeted(
    stream: &mut UnixStream,
    uid: u32,
    name_of: fn(u32) -> io::Result<Option<String>>,
    subsystems: &Subsystems,
) -> Result<(Arc<dyn StreamService>, SessionInfo), Refusal> {
    let preamble = Preamble::parse(&line(stream).await?)?;
    if uid != ROOT {
        let name = spawn_blocking(move || name_of(uid)).await.map_err(io::Error::other)??;
        if name.as_deref() != Some(preamble.user()) {
            return Err(Refusal::NotTheirs { uid, named: preamble.user().to_owned() });
        }
    }
    let service = subsystems.get(preamble.subsystem()).cloned();
    let service = service.ok_or_else(|| Refusal::NoSubsystem {
        wanted: preamble.subsystem().to_owned(),
        served: subsystems.names(),
    })?;
    stream.write_all(b"+\n").await?;
    let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let SshConnection { peer, local } =
        preamble.connection().unwrap_or(SshConnection { peer: nowhere, local: nowhere });
    let (proof, protection) = (Proof::User(preamble.user().into()), Protection::Encrypted);
    Ok((service, SessionInfo { transport: Transport::Ssh, peer, local, proof, protection }))
}

/// The first line without its end. The octets after it are messages, and must not be consumed: so it reads octet
/// by octet.
async fn line(stream: &mut UnixStream) -> Result<Vec<u8>, Refusal> {
    let mut line = Vec::with_capacity(LONGEST);
    loop {
        match stream.read_u8().await? {
            b'\n' => return Ok(line),
            _ if line.len() == LONGEST => return Err(PreambleFault::Length.into()),
            octet => line.push(octet),
        }
    }
}

fn log_refusal(resources: &Resources, uid: u32, fault: &Refusal) {
    if let Some(left_out) = resources.logs.local.admit() {
        tracing::info!(uid, %fault, left_out, "refused at the local socket");
    }
}

async fn refused(mut stream: UnixStream, uid: u32, fault: &Refusal, resources: &Resources) {
    log_refusal(resources, uid, fault);
    let _ = stream.write_all(format!("-{fault}\n").as_bytes()).await;
}

const ROOT: u32 = 0;
const PAUSE: std::time::Duration = std::time::Duration::from_millis(200);
