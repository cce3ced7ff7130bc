//! Sessions with many devices: opened on demand, shared by callers with the same device and credentials, bounded
//! per device and in total, closed when idle.
//!
//! ```text
//! session(target) --there is one--> lease          the last lease ends --idle--> closed
//!        |--room--> opened -------> lease
//!        |--no room, some are idle: the longest idle one is closed to make room
//!        '--no room, all in use: waits until a lease ends
//! ```

use std::collections::HashMap;
use std::future::Future;
use std::ops::Deref;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Notify, OnceCell};
use tokio::time::{Instant, sleep_until};
use trunkline_transport::Transport;

use crate::error::Error;
use crate::setters::setters;
use crate::snmp_session::{SessionOptions, SnmpSession};
use crate::target::Target;

/// The limits of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolOptions {
    /// How its sessions behave.
    pub session: SessionOptions,
    /// Maximum number of sessions. Default 1024.
    pub max_sessions: usize,
    /// Maximum number of sessions with one device (host, port and transport), which differ in credentials. Default
    /// 8.
    pub max_per_peer: usize,
    /// A session without a lease is closed after this time. Default 5 minutes.
    pub idle: Duration,
}

setters! {
    PoolOptions {
        session: SessionOptions => with_session,
        max_sessions: usize => with_max_sessions,
        max_per_peer: usize => with_max_per_peer,
        idle: Duration => with_idle,
    }
}

impl Default for PoolOptions {
    fn default() -> Self {
        PoolOptions {
            session: SessionOptions::default(),
            max_sessions: 1024,
            max_per_peer: 8,
            idle: Duration::from_secs(300),
        }
    }
}

/// Counters of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolCounts {
    /// Open sessions.
    pub open: usize,
    /// Sessions that were opened.
    pub opened: u64,
    /// Sessions that were closed after idling.
    pub idled: u64,
    /// Idle sessions that were closed to make room.
    pub made_room: u64,
    /// How many times a caller had to wait because all sessions were in use.
    pub waits: u64,
}

/// Opens sessions.
pub type Opener = Box<dyn Fn(Target, SessionOptions) -> Opening + Send + Sync>;

/// A session being opened.
pub type Opening = Pin<Box<dyn Future<Output = Result<SnmpSession, Error>> + Send>>;

/// Sessions with many devices. Cheap to clone; clones share them.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    options: PoolOptions,
    opener: Opener,
    sessions: Mutex<Sessions>,
    /// A lease has ended.
    freed: Notify,
    /// There is something to close later, or the pool is gone.
    idling: Arc<Notify>,
    is_swept: AtomicBool,
}

#[derive(Default)]
struct Sessions {
    peers: HashMap<Peer, Vec<Entry>>,
    next_id: u64,
    counts: PoolCounts,
}

/// A device.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Peer {
    transport: Transport,
    host: String,
    port: u16,
}

struct Entry {
    id: u64,
    target: Target,
    session: Arc<OnceCell<SnmpSession>>,
    leases: usize,
    /// When the last lease ended.
    used: Instant,
}

/// The right to use a session until dropped. [`SnmpSession`] may be cloned out of it, but the clone is not
/// counted.
pub struct Lease {
    session: SnmpSession,
    _claim: Claim,
}

impl Deref for Lease {
    type Target = SnmpSession;

    fn deref(&self) -> &SnmpSession {
        &self.session
    }
}

impl Pool {
    /// A pool without sessions.
    #[must_use]
    pub fn new(options: PoolOptions) -> Self {
        let opener: Opener = Box::new(|target, options| {
            Box::pin(async move { SnmpSession::on_demand(&target, options).await })
        });
        Self::with_opener(options, opener)
    }

    /// A pool with its own way of opening sessions.
    #[must_use]
    pub fn with_opener(options: PoolOptions, opener: Opener) -> Self {
        let inner = Inner {
            options,
            opener,
            sessions: Mutex::default(),
            freed: Notify::new(),
            idling: Arc::default(),
            is_swept: AtomicBool::new(false),
        };
        Pool { inner: Arc::new(inner) }
    }

    /// The session with this target, with its credentials. If all sessions are in use and the limit is reached,
    /// waits until one is free: a caller that holds a lease while waiting for another should bound the wait. Must
    /// be called on a tokio runtime.
    ///
    /// # Errors
    /// As [`SnmpSession::on_demand`].
    pub async fn session(&self, target: &Target) -> Result<Lease, Error> {
        let inner = &self.inner;
        if !inner.is_swept.swap(true, Relaxed) {
            tokio::spawn(sweep(Arc::downgrade(inner), Arc::clone(&inner.idling)));
        }
        let (claim, cell) = loop {
            let mut freed = pin!(inner.freed.notified());
            // From here on no end of a lease is missed.
            freed.as_mut().enable();
            match inner.claim(target) {
                Some(claimed) => break claimed,
                None => freed.await,
            }
        };
        let open = || (inner.opener)(target.clone(), inner.options.session);
        let session = cell.get_or_try_init(open).await?.clone();
        Ok(Lease { session, _claim: claim })
    }

    /// The counters now.
    #[must_use]
    pub fn counts(&self) -> PoolCounts {
        let sessions = self.inner.sessions();
        PoolCounts { open: sessions.peers.values().map(Vec::len).sum(), ..sessions.counts }
    }
}

impl Inner {
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for the target, with its existing session or a new one; `None` if there is no room.
    fn claim(self: &Arc<Self>, target: &Target) -> Option<(Claim, Arc<OnceCell<SnmpSession>>)> {
        let peer = Peer { transport: target.transport, host: target.host.clone(), port: target.port };
        let mut sessions = self.sessions();
        sessions.remove_closed(&peer);
        let is_there =
            sessions.peers.get(&peer).is_some_and(|of_peer| of_peer.iter().any(|e| e.is_for(target)));
        if !is_there && !sessions.make_room(&self.options, &peer) {
            sessions.counts.waits += 1;
            return None;
        }
        let entry = sessions.entry(&peer, target);
        entry.leases += 1;
        let (id, cell) = (entry.id, Arc::clone(&entry.session));
        Some((Claim { pool: Arc::clone(self), peer, id }, cell))
    }

    /// Closes sessions that have idled for too long; returns when to look again.
    fn close_idle(&self) -> Option<Instant> {
        let (now, idle) = (Instant::now(), self.options.idle);
        let mut sessions = self.sessions();
        let before: usize = sessions.peers.values().map(Vec::len).sum();
        let mut next: Option<Instant> = None;
        sessions.peers.retain(|_, of_peer| {
            of_peer.retain(|entry| {
                let end = entry.used + idle;
                let stays = entry.leases > 0 || end > now;
                if stays && entry.leases == 0 {
                    next = Some(next.map_or(end, |next| next.min(end)));
                }
                stays
            });
            !of_peer.is_empty()
        });
        let after: usize = sessions.peers.values().map(Vec::len).sum();
        sessions.counts.idled += (before - after) as u64;
        next
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.idling.notify_one();
    }
}

/// Closes idle sessions while the pool lives.
async fn sweep(pool: Weak<Inner>, idling: Arc<Notify>) {
    loop {
        let Some(next) = pool.upgrade().map(|pool| pool.close_idle()) else { return };
        match next {
            Some(next) => tokio::select! {
                () = sleep_until(next) => {}
                () = idling.notified() => {}
            },
            None => idling.notified().await,
        }
    }
}

impl Sessions {
    /// Forgets sessions whose task is gone.
    fn remove_closed(&mut self, peer: &Peer) {
        if let Some(of_peer) = self.peers.get_mut(peer) {
            of_peer.retain(|entry| !entry.session.get().is_some_and(SnmpSession::is_closed));
        }
    }

    /// Whether one more session with this device may be opened, after closing idle ones if needed.
    fn make_room(&mut self, options: &PoolOptions, peer: &Peer) -> bool {
        let of_peer = |sessions: &Self| sessions.peers.get(peer).map_or(0, Vec::len);
        if of_peer(self) >= options.max_per_peer.max(1) && !self.close_oldest(Some(peer)) {
            return false;
        }
        let all: usize = self.peers.values().map(Vec::len).sum();
        all < options.max_sessions.max(1) || self.close_oldest(None)
    }

    /// Closes the session that has been idle the longest, of one device or of all; false if none is idle.
    fn close_oldest(&mut self, only: Option<&Peer>) -> bool {
        let all = self.peers.iter().filter(|(peer, _)| only.is_none_or(|only| only == *peer));
        let idle = all.flat_map(|(peer, of_peer)| of_peer.iter().map(move |entry| (peer, entry)));
        let idle = idle.filter(|(_, entry)| entry.leases == 0).min_by_key(|(_, entry)| entry.used);
        let Some((peer, id)) = idle.map(|(peer, entry)| (peer.clone(), entry.id)) else { return false };
        self.counts.made_room += 1;
        self.remove(&peer, id);
        true
    }

    fn remove(&mut self, peer: &Peer, id: u64) {
        if let Some(of_peer) = self.peers.get_mut(peer) {
            of_peer.retain(|entry| entry.id != id);
            if of_peer.is_empty() {
                self.peers.remove(peer);
            }
        }
    }

    /// The entry of a target, created if missing.
    fn entry(&mut self, peer: &Peer, target: &Target) -> &mut Entry {
        let of_peer = self.peers.entry(peer.clone()).or_default();
        let at = of_peer.iter().position(|entry| entry.is_for(target)).unwrap_or_else(|| {
            self.counts.opened += 1;
            self.next_id += 1;
            let (id, target) = (self.next_id, Target { path: None, ..target.clone() });
            of_peer.push(Entry { id, target, session: Arc::default(), leases: 0, used: Instant::now() });
            of_peer.len() - 1
        });
        &mut of_peer[at]
    }
}

impl Entry {
    /// Whether its session has the target's credentials.
    fn is_for(&self, target: &Target) -> bool {
        let is_same_secure = match (&self.target.secure, &target.secure) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        is_same_secure
            && (self.target.family, &self.target.login) == (target.family, &target.login)
            && self.target.credentials.are_same(&target.credentials)
    }
}

/// A place in the pool, held.
struct Claim {
    pool: Arc<Inner>,
    peer: Peer,
    id: u64,
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut sessions = self.pool.sessions();
        let of_peer = sessions.peers.get_mut(&self.peer);
        let entry = of_peer.and_then(|of_peer| of_peer.iter_mut().find(|entry| entry.id == self.id));
        if let Some(entry) = entry {
            entry.leases -= 1;
            entry.used = Instant::now();
            // If opening failed, the next caller tries again.
            if entry.leases == 0 && !entry.session.initialized() {
                sessions.remove(&self.peer, self.id);
            }
        }
        drop(sessions);
        self.pool.freed.notify_waiters();
        self.pool.idling.notify_one();
    }
}

#[cfg(test)]
mod tests;
