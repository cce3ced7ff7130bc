//! The open sessions: their numbers, how one ends another, and who holds the lock.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// All sessions of the agent.
#[derive(Default)]
pub(super) struct Register(Mutex<State>);

#[derive(Default)]
struct State {
    last: u32,
    sessions: BTreeMap<u32, Arc<Notify>>,
    /// The session that holds the lock on the running configuration.
    locked_by: Option<u32>,
}

/// A session's place in it, given up when it is dropped.
pub(super) struct Place {
    register: Arc<Register>,
    /// session-id.
    pub id: u32,
    /// Told when another session ends this one.
    pub killed: Arc<Notify>,
}

/// Why a lock is not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeldBy(pub u32);

impl Register {
    /// A new session. Numbers are given again once all have been used.
    pub fn open(self: &Arc<Self>) -> Place {
        let mut state = self.state();
        loop {
            state.last = state.last.checked_add(1).unwrap_or(1);
            let id = state.last;
            if let Entry::Vacant(free) = state.sessions.entry(id) {
                let killed = free.insert(Arc::new(Notify::new())).clone();
                return Place { register: self.clone(), id, killed };
            }
        }
    }

    /// Ends a session; whether there is one.
    pub fn kill(&self, id: u32) -> bool {
        let mut state = self.state();
        let Some(killed) = state.sessions.remove(&id) else { return false };
        // Its lock is free before the answer to this is sent (RFC 6241 section 7.9).
        state.unlock(id);
        killed.notify_one();
        true
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn unlock(&mut self, id: u32) {
        if self.locked_by == Some(id) {
            self.locked_by = None;
        }
    }
}

impl Place {
    /// Locks the running configuration.
    pub fn lock(&self) -> Result<(), HeldBy> {
        let mut state = self.register.state();
        match state.locked_by {
            Some(holder) => Err(HeldBy(holder)),
            None => {
                state.locked_by = Some(self.id);
                Ok(())
            }
        }
    }

    /// Unlocks it; whether this session held the lock.
    pub fn unlock(&self) -> bool {
        let mut state = self.register.state();
        let held = state.locked_by == Some(self.id);
        state.unlock(self.id);
        held
    }

    /// Ends another session; whether there is one.
    pub fn kill(&self, id: u32) -> bool {
        self.register.kill(id)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.register.state();
        state.unlock(self.id);
        // A killed session's number may be another's by now.
        if state.sessions.get(&self.id).is_some_and(|it| Arc::ptr_eq(it, &self.killed)) {
            state.sessions.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_with_its_session() {
        let register = Arc::new(Register::default());
        let (one, other) = (register.open(), register.open());
        assert_eq!((one.id, other.id), (1, 2));
        assert_eq!(one.lock(), Ok(()));
        assert_eq!(other.lock(), Err(HeldBy(1)));
        assert!(!other.unlock() && one.unlock() && !one.unlock());
        assert_eq!(one.lock(), Ok(()));
        drop(one);
        assert_eq!(other.lock(), Ok(()));
    }

    #[tokio::test]
    async fn a_killed_session_ends_and_holds_nothing() {
        let register = Arc::new(Register::default());
        let (one, other) = (register.open(), register.open());
        assert_eq!(one.lock(), Ok(()));
        assert!(other.kill(one.id) && !other.kill(one.id) && !other.kill(99));
        one.killed.notified().await;
        assert_eq!(other.lock(), Ok(()));
        drop(one);
        assert!(other.unlock());
    }
}
