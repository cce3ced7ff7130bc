//! All subscriptions of the agent, with a bound.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trunkline_netconf::push::refusal::{Reason, Refusal};

/// All subscriptions.
#[derive(Debug, Default)]
pub struct Register {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    last: u32,
    all: BTreeMap<u32, Arc<Member>>,
    /// Octets of data that all of them keep.
    kept: usize,
}

/// Wakes the session of a subscription.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// A subscription, as others see it.
pub struct Member {
    /// Its session.
    pub session: u32,
    /// Who subscribed.
    pub name: String,
    /// Messages that it was sent.
    pub sent: AtomicU64,
    /// Events that its filter left out.
    pub excluded: AtomicU64,
    about: Mutex<About>,
    wake: Wake,
}

/// What a subscription is about, for the state of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The values of leaves in `subscription`, by name, as the module orders them.
    pub leaves: Vec<(&'static str, String)>,
    /// Those in the container of this name.
    pub within: Option<(&'static str, Vec<(&'static str, String)>)>,
    /// Whether it is suspended.
    pub is_suspended: bool,
}

/// A subscription's place in the register, given up when it is dropped.
pub struct Place {
    register: Arc<Register>,
    /// Its number.
    pub id: u32,
    /// It.
    pub member: Arc<Member>,
    /// Octets that it keeps.
    kept: usize,
}

/// Subscriptions of one session.
pub const MOST_PER_SESSION: usize = 32;
/// Subscriptions in all.
pub const MOST: usize = 1000;
/// Octets of data that all keep, to notice changes.
pub const MOST_KEPT: usize = 64 << 20;

impl Register {
    /// A place for another subscription.
    ///
    /// # Errors
    /// There are too many, of the session or in all.
    pub fn open(self: &Arc<Self>, session: u32, name: &str, wake: Wake) -> Result<Place, Refusal> {
        let mut state = self.state();
        let of_session = state.all.values().filter(|it| it.session == session).count();
        let message = match (of_session, state.all.len()) {
            (count, _) if count >= MOST_PER_SESSION => {
                Some(format!("a session has at most {MOST_PER_SESSION} subscriptions: delete another one"))
            }
            (_, count) if count >= MOST => {
                Some(format!("the agent has {MOST} subscriptions, which is the most"))
            }
            _ => None,
        };
        if let Some(message) = message {
            return Err(Refusal::new(Reason::InsufficientResources, message));
        }
        let id = loop {
            state.last = state.last.checked_add(1).unwrap_or(1);
            if !state.all.contains_key(&state.last) {
                break state.last;
            }
        };
        let (sent, excluded, about) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::default());
        let member = Arc::new(Member { session, name: name.to_owned(), sent, excluded, about, wake });
        state.all.insert(id, member.clone());
        Ok(Place { register: self.clone(), id, member, kept: 0 })
    }

    /// Ends a subscription; whether there is one.
    pub fn kill(&self, id: u32) -> bool {
        let Some(member) = self.state().all.remove(&id) else { return false };
        (member.wake)();
        true
    }

    /// All, with their numbers.
    pub fn all(&self) -> Vec<(u32, Arc<Member>)> {
        self.state().all.iter().map(|(id, member)| (*id, member.clone())).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Member {
    /// What it is about.
    pub fn about(&self) -> MutexGuard<'_, About> {
        self.about.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a message that it was sent.
    pub fn count(&self) {
        self.sent.fetch_add(1, Relaxed);
    }
}

impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Member").field("session", &self.session).finish_non_exhaustive()
    }
}

impl Place {
    /// Whether somebody has ended it.
    pub fn is_killed(&self) -> bool {
        !self.register.state().all.get(&self.id).is_some_and(|it| Arc::ptr_eq(it, &self.member))
    }

    /// Keeps so many octets from now on; whether there is room for them.
    pub fn keep(&mut self, octets: usize) -> bool {
        let mut state = self.register.state();
        let kept = state.kept - self.kept + octets;
        let fits = kept <= MOST_KEPT;
        if fits {
            state.kept = kept;
            self.kept = octets;
        }
        fits
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let is_killed = self.is_killed();
        let mut state = self.register.state();
        state.kept -= self.kept;
        if !is_killed {
            state.all.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn subscriptions_end_with_their_places_and_have_bounds() {
        let register = Arc::new(Register::default());
        let woken = Arc::new(AtomicU32::new(0));
        let wake: Wake = {
            let woken = woken.clone();
            Arc::new(move || {
                woken.fetch_add(1, Relaxed);
            })
        };
        let open = |session| register.open(session, "ann", wake.clone());
        let (one, mut other) = (open(1).unwrap(), open(2).unwrap());
        assert_eq!((one.id, other.id, register.all().len()), (1, 2, 2));
        assert!(register.kill(1) && !register.kill(1) && !register.kill(9));
        assert!(one.is_killed() && !other.is_killed());
        assert_eq!(woken.load(Relaxed), 1);
        assert!(other.keep(MOST_KEPT) && !other.keep(MOST_KEPT + 1) && other.keep(MOST_KEPT - 1));
        let mut third = open(2).unwrap();
        assert!(!third.keep(2) && third.keep(1));
        drop((one, other));
        assert!(third.keep(MOST_KEPT));
        let ids: Vec<u32> = register.all().iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, [3]);
        let more: Vec<Place> = (1..MOST_PER_SESSION).map(|_| open(2).unwrap()).collect();
        assert_eq!(open(2).unwrap_err().reason, Reason::InsufficientResources);
        let rest: Vec<Place> = (MOST_PER_SESSION..MOST).map(|at| open(100 + at as u32).unwrap()).collect();
        assert_eq!(open(3).unwrap_err().reason, Reason::InsufficientResources);
        drop(rest);
        assert!(open(3).is_ok());
        drop((more, third));
        assert!(register.all().is_empty());
    }
}
