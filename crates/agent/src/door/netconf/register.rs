//! The open sessions: their numbers, how one ends another, and who holds the lock.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::net::IpAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::sync::Notify;
use trunkline_transport::Transport;

use super::event::Who;
use crate::core::Held;

/// All sessions of the agent.
pub(super) struct Register {
    state: Mutex<State>,
    /// Whether running is locked, for the doors of other protocols.
    held: Held,
    /// When the door was made.
    pub started: SystemTime,
    /// Hellos that could not be used.
    pub bad_hellos: AtomicU32,
    /// Sessions that have begun.
    pub begun: AtomicU32,
    /// Sessions that ended otherwise than by close-session or kill-session.
    pub dropped: AtomicU32,
    /// Of all sessions.
    pub counts: Counts,
}

/// What passed in a session, or in all of them (RFC 6022 section 2.1.4).
#[derive(Default)]
pub(super) struct Counts {
    /// Requests that could be read.
    pub rpcs: AtomicU32,
    /// Messages that were not requests.
    pub bad_rpcs: AtomicU32,
    /// Replies with an error.
    pub errors: AtomicU32,
    pub notifications: AtomicU32,
}

/// A session, as others see it.
pub(super) struct Member {
    pub transport: Transport,
    pub name: String,
    /// `None` behind a relay on this machine.
    pub host: Option<IpAddr>,
    pub since: SystemTime,
    pub counts: Counts,
    /// Whether it holds the lock on the candidate: its changes end with that.
    pub holds_candidate: AtomicBool,
    killed: Notify,
    /// By which session.
    killed_by: AtomicU32,
}

#[derive(Default)]
struct State {
    last: u32,
    sessions: BTreeMap<u32, Arc<Member>>,
    /// The sessions that hold locks, and since when.
    locked: BTreeMap<Lockable, (u32, SystemTime)>,
}

/// A datastore that can be locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lockable {
    Running,
    Candidate,
}

/// A session's place in it, given up when it is dropped.
pub(super) struct Place {
    pub register: Arc<Register>,
    /// session-id.
    pub id: u32,
    pub member: Arc<Member>,
}

/// Why a lock is not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeldBy(pub u32);

impl Register {
    /// Without sessions.
    pub fn new(held: Held) -> Self {
        Register {
            state: Mutex::default(),
            held,
            started: SystemTime::now(),
            bad_hellos: AtomicU32::new(0),
            begun: AtomicU32::new(0),
            dropped: AtomicU32::new(0),
            counts: Counts::default(),
        }
    }
}

impl Member {
    /// A session that begins now.
    pub fn new(transport: Transport, name: String, host: Option<IpAddr>) -> Self {
        let (since, counts, killed) = (SystemTime::now(), Counts::default(), Notify::new());
        let (holds_candidate, killed_by) = (AtomicBool::new(false), AtomicU32::new(0));
        Member { transport, name, host, since, counts, holds_candidate, killed, killed_by }
    }

    /// Resolves when another session ends this one: to that one's number.
    pub async fn killed(&self) -> u32 {
        self.killed.notified().await;
        self.killed_by.load(Relaxed)
    }
}

impl Register {
    /// A new session. Numbers are given again once all have been used.
    pub fn open(self: &Arc<Self>, member: Member) -> Place {
        let member = Arc::new(member);
        let mut state = self.state();
        loop {
            state.last = state.last.checked_add(1).unwrap_or(1);
            let id = state.last;
            if let Entry::Vacant(free) = state.sessions.entry(id) {
                free.insert(member.clone());
                return Place { register: self.clone(), id, member };
            }
        }
    }

    /// Ends a session for another one; whether there is one.
    pub fn kill(&self, id: u32, by: u32) -> bool {
        let mut state = self.state();
        let Some(member) = state.sessions.remove(&id) else { return false };
        // Its lock is free before the answer to this is sent (RFC 6241 section 7.9).
        state.unlock(id);
        self.tell(&state);
        member.killed_by.store(by, Relaxed);
        member.killed.notify_one();
        true
    }

    /// The open sessions.
    pub fn members(&self) -> Vec<(u32, Arc<Member>)> {
        self.state().sessions.iter().map(|(id, member)| (*id, member.clone())).collect()
    }

    /// Who holds the lock on a datastore, and since when.
    pub fn lock_of(&self, datastore: Lockable) -> Option<(u32, SystemTime)> {
        self.state().locked.get(&datastore).copied()
    }

    /// Tells the other doors.
    fn tell(&self, state: &State) {
        self.held.store(state.locked.contains_key(&Lockable::Running), Relaxed);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn unlock(&mut self, id: u32) {
        self.locked.retain(|_, (holder, _)| *holder != id);
    }
}

impl Place {
    /// Locks a datastore.
    pub fn lock(&self, datastore: Lockable) -> Result<(), HeldBy> {
        let mut state = self.register.state();
        match state.locked.entry(datastore) {
            Entry::Occupied(held) => Err(HeldBy(held.get().0)),
            Entry::Vacant(free) => {
                free.insert((self.id, SystemTime::now()));
                if datastore == Lockable::Candidate {
                    self.member.holds_candidate.store(true, Relaxed);
                }
                self.register.tell(&state);
                Ok(())
            }
        }
    }

    /// Unlocks it; whether this session held the lock.
    pub fn unlock(&self, datastore: Lockable) -> bool {
        let mut state = self.register.state();
        let held = state.locked.get(&datastore).is_some_and(|(holder, _)| *holder == self.id);
        if held {
            state.locked.remove(&datastore);
            self.register.tell(&state);
            if datastore == Lockable::Candidate {
                self.member.holds_candidate.store(false, Relaxed);
            }
        }
        held
    }

    /// Another session that holds the lock on a datastore.
    pub fn locked_by_another(&self, datastore: Lockable) -> Option<u32> {
        self.register.lock_of(datastore).map(|(holder, _)| holder).filter(|holder| *holder != self.id)
    }

    /// Ends another session; whether there is one.
    pub fn kill(&self, id: u32) -> bool {
        self.register.kill(id, self.id)
    }

    /// The session, as events name it.
    pub fn who(&self) -> Who {
        Who { name: self.member.name.clone(), id: self.id, host: self.member.host }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.register.state();
        state.unlock(self.id);
        self.register.tell(&state);
        // A killed session's number may be another's by now.
        if state.sessions.get(&self.id).is_some_and(|it| Arc::ptr_eq(it, &self.member)) {
            state.sessions.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ann() -> Member {
        Member::new(Transport::Ssh, "ann".into(), None)
    }

    #[test]
    fn a_lock_ends_with_its_session() {
        let register = Arc::new(Register::new(Held::default()));
        let (one, other) = (register.open(ann()), register.open(ann()));
        assert_eq!((one.id, other.id), (1, 2));
        assert_eq!(one.lock(Lockable::Running), Ok(()));
        assert_eq!(other.lock(Lockable::Running), Err(HeldBy(1)));
        assert!(
            !other.unlock(Lockable::Running)
                && one.unlock(Lockable::Running)
                && !one.unlock(Lockable::Running)
        );
        assert_eq!(one.lock(Lockable::Running), Ok(()));
        drop(one);
        assert_eq!(other.lock(Lockable::Running), Ok(()));
    }

    #[tokio::test]
    async fn a_killed_session_ends_and_holds_nothing() {
        let register = Arc::new(Register::new(Held::default()));
        let (one, other) = (register.open(ann()), register.open(ann()));
        assert_eq!(one.lock(Lockable::Running), Ok(()));
        assert!(other.kill(one.id) && !other.kill(one.id) && !other.kill(99));
        one.member.killed().await;
        assert_eq!(other.lock(Lockable::Running), Ok(()));
        drop(one);
        assert!(other.unlock(Lockable::Running));
    }
}
