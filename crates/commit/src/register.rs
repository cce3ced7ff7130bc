//! The open sessions: their numbers, how one ends another, and who holds the lock.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::net::IpAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::sync::Notify;
use trunkline_datastore::Step;
use trunkline_transport::Transport;
use trunkline_tree::policy::OwnedPrincipal;
use trunkline_xmlsec::KeyName;

use trunkline_core::{Held, configured};

/// All sessions of the agent.
pub struct Register {
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
pub struct Counts {
    /// Requests that could be read.
    pub rpcs: AtomicU32,
    /// Messages that were not requests.
    pub bad_rpcs: AtomicU32,
    /// Replies with an error.
    pub errors: AtomicU32,
    /// Events that were sent.
    pub notifications: AtomicU32,
}

/// A session, as others see it.
pub struct Member {
    /// What it came over.
    pub transport: Transport,
    /// Its user.
    pub name: String,
    /// The role and the epoch of the keys that alone say so: whoever has the role's keys has those of every name.
    pub proved_by: Option<String>,
    /// `None` behind a relay on this machine.
    pub host: Option<IpAddr>,
    /// When it began.
    pub since: SystemTime,
    /// What passed in it.
    pub counts: Counts,
    /// Whether it holds the lock on the candidate: its changes end with that.
    pub holds_candidate: AtomicBool,
    /// Who it is, unless it is a request of its own.
    pub principal: Option<OwnedPrincipal>,
    /// Whether it had any right when it began.
    pub had_rights: bool,
    /// The names of the keys that protected its messages, the last one last.
    keys: Mutex<Vec<KeyName>>,
    killing: Arc<Killing>,
}

/// How a session learns that it ends.
#[derive(Default)]
struct Killing {
    told: Notify,
    /// By which session; 0: it has lost its rights.
    by: AtomicU32,
    /// Whether it answers a request.
    answers: AtomicBool,
    /// Whether it ends after that.
    ends: AtomicBool,
}

#[derive(Default)]
struct State {
    last: u32,
    sessions: BTreeMap<u32, Arc<Member>>,
    /// The sessions that hold locks, and since when.
    locked: BTreeMap<Lockable, (u32, SystemTime)>,
    /// Locks on parts of running, by their numbers.
    parts: BTreeMap<u32, Arc<PartialLock>>,
    last_part: u32,
}

/// A lock on parts of running (RFC 5717).
pub struct PartialLock {
    /// The session that holds it.
    pub session: u32,
    /// Since when.
    pub since: SystemTime,
    /// The expressions, with the prefixes of the modules.
    pub selects: Vec<String>,
    /// What they selected then: with what is in it, that is what is locked.
    pub places: Vec<Vec<Step>>,
    /// The objects whose values are in it.
    pub objects: Vec<&'static [u32]>,
}

impl PartialLock {
    /// Whether a place is locked by it.
    pub fn covers(&self, place: &[Step]) -> bool {
        self.places.iter().any(|locked| place.starts_with(locked))
    }

    fn overlaps(&self, other: &PartialLock) -> bool {
        self.places.iter().any(|place| other.covers(place))
            || other.places.iter().any(|place| self.covers(place))
    }
}

/// A session that another one has ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its user.
    pub name: String,
    /// What it had locked, in words.
    pub held: Vec<&'static str>,
}

/// A datastore that can be locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lockable {
    /// What is in force.
    Running,
    /// What is prepared.
    Candidate,
}

/// A session's place in it, given up when it is dropped.
pub struct Place {
    /// All sessions.
    pub register: Arc<Register>,
    /// session-id.
    pub id: u32,
    /// What others see of it.
    pub member: Arc<Member>,
}

/// Why a lock is not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldBy(pub u32);

/// Why parts are not locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotLocked {
    /// A session has locked some of it.
    Held(u32),
    /// This session has too many locks.
    TooMany,
}

/// Keys of one session that are remembered.
const MOST_KEYS: usize = 8;
/// Locks on parts of running that one session has.
pub const MOST_PARTS: usize = 100;

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
        let (since, counts, killing) = (SystemTime::now(), Counts::default(), Arc::default());
        let holds_candidate = AtomicBool::new(false);
        let (principal, had_rights, keys, proved_by) = (None, false, Mutex::default(), None);
        Member {
            transport,
            name,
            proved_by,
            host,
            since,
            counts,
            holds_candidate,
            principal,
            had_rights,
            keys,
            killing,
        }
    }

    /// The same of a principal, with whether it has any right.
    pub fn of(self, principal: OwnedPrincipal, had_rights: bool) -> Self {
        Member { principal: Some(principal), had_rights, ..self }
    }

    /// A message was protected by these keys.
    pub fn use_key(&self, name: KeyName) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.last() != Some(&name) {
            keys.retain(|known| *known != name);
            if keys.len() == MOST_KEYS {
                keys.remove(0);
            }
            keys.push(name);
        }
    }

    /// The last one that protected a message of it.
    pub fn last_key(&self) -> Option<KeyName> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    /// Whether it has protected messages, and none of its keys is valid.
    pub fn are_keys_over(&self, is_valid: impl Fn(&KeyName) -> bool) -> bool {
        let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        !keys.is_empty() && !keys.iter().any(is_valid)
    }

    /// Resolves when another session ends this one: to that one's number; to 0 when its user has lost all rights.
    pub async fn killed(&self) -> u32 {
        self.killing.told.notified().await;
        self.killing.by.load(Relaxed)
    }

    /// Whether the session that answers a request from now on, or does no longer, is to end.
    pub fn answers(&self, answers: bool) -> bool {
        self.killing.answers.store(answers, Relaxed);
        self.killing.ends.load(Relaxed)
    }

    /// Has the session end after the request that it answers; whether it answers none, so that it can end at once.
    pub fn end(&self) -> bool {
        self.killing.ends.store(true, Relaxed);
        !self.killing.answers.load(Relaxed)
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

    /// Ends a session for another one, or with 0 because it has lost its rights; `None`: there is none.
    pub fn kill(&self, id: u32, by: u32) -> Option<Ended> {
        let mut state = self.state();
        let member = state.sessions.remove(&id)?;
        let (name, held) = (member.name.clone(), state.held_by(id));
        // Its lock is free before the answer to this is sent (RFC 6241 section 7.9).
        state.unlock(id);
        self.tell(&state);
        member.killing.by.store(by, Relaxed);
        member.killing.told.notify_one();
        Some(Ended { name, held })
    }

    /// Gives up all locks of a session; what it had.
    pub fn release(&self, id: u32) -> Vec<&'static str> {
        let mut state = self.state();
        let held = state.held_by(id);
        if !held.is_empty() {
            state.unlock(id);
            self.tell(&state);
        }
        held
    }

    /// A session's number while it is open, and 0, which is not a session's, afterwards.
    pub fn open_or_none(&self, id: u32) -> u32 {
        if self.state().sessions.contains_key(&id) { id } else { 0 }
    }

    /// The open sessions.
    pub fn members(&self) -> Vec<(u32, Arc<Member>)> {
        self.state().sessions.iter().map(|(id, member)| (*id, member.clone())).collect()
    }

    /// Who holds the lock on a datastore, and since when.
    pub fn lock_of(&self, datastore: Lockable) -> Option<(u32, SystemTime)> {
        self.state().locked.get(&datastore).copied()
    }

    /// The locks on parts of running, with their numbers.
    pub fn parts(&self) -> Vec<(u32, Arc<PartialLock>)> {
        self.state().parts.iter().map(|(id, lock)| (*id, lock.clone())).collect()
    }

    /// Tells the other doors.
    fn tell(&self, state: &State) {
        let objects = match state.locked.contains_key(&Lockable::Running) {
            true => configured().to_vec(),
            false => state.parts.values().flat_map(|lock| lock.objects.iter().copied()).collect(),
        };
        self.held.store(Arc::new(objects));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What a session has locked, in words.
    fn held_by(&self, id: u32) -> Vec<&'static str> {
        let whole = self.locked.iter().filter(|(_, (holder, _))| *holder == id).map(|(it, _)| match it {
            Lockable::Running => "running",
            Lockable::Candidate => "candidate",
        });
        let has_parts = self.parts.values().any(|lock| lock.session == id);
        whole.chain(has_parts.then_some("parts of running")).collect()
    }

    fn unlock(&mut self, id: u32) {
        self.locked.retain(|_, (holder, _)| *holder != id);
        self.parts.retain(|_, lock| lock.session != id);
    }
}

impl Place {
    /// The session's client has proved who it is, which was not known before, by keys of a role and an epoch.
    pub fn prove(
        &mut self,
        name: String,
        proved_by: Option<String>,
        principal: OwnedPrincipal,
        had_rights: bool,
    ) {
        let Member { transport, host, since, killing, .. } = &*self.member;
        let (host, killing) = (*host, killing.clone());
        let member = Member { since: *since, killing, proved_by, ..Member::new(*transport, name, host) };
        self.member = Arc::new(member.of(principal, had_rights));
        if let Some(known) = self.register.state().sessions.get_mut(&self.id) {
            *known = self.member.clone();
        }
    }

    /// Whether it is a request over RESTCONF, which belongs to no session.
    pub const fn is_of_restconf(&self) -> bool {
        self.id == 0
    }

    /// Gives up all its locks.
    pub fn unlock_all(&self) {
        let mut state = self.register.state();
        state.unlock(self.id);
        self.register.tell(&state);
    }

    /// Locks a datastore.
    pub fn lock(&self, datastore: Lockable) -> Result<(), HeldBy> {
        let mut state = self.register.state();
        if datastore == Lockable::Running
            && let Some(lock) = state.parts.values().next()
        {
            return Err(HeldBy(lock.session));
        }
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

    /// Locks parts of running; the number of the lock.
    pub fn lock_parts(&self, lock: PartialLock) -> Result<u32, NotLocked> {
        let mut state = self.register.state();
        if let Some((holder, _)) = state.locked.get(&Lockable::Running) {
            return Err(NotLocked::Held(*holder));
        }
        let mut others = state.parts.values().filter(|it| it.session != self.id);
        if let Some(other) = others.find(|it| it.overlaps(&lock)) {
            return Err(NotLocked::Held(other.session));
        }
        if state.parts.values().filter(|it| it.session == self.id).count() >= MOST_PARTS {
            return Err(NotLocked::TooMany);
        }
        loop {
            state.last_part = state.last_part.checked_add(1).unwrap_or(1);
            let id = state.last_part;
            if let Entry::Vacant(free) = state.parts.entry(id) {
                free.insert(Arc::new(lock));
                self.register.tell(&state);
                return Ok(id);
            }
        }
    }

    /// Ends a lock on parts of running; whether this session held it.
    pub fn unlock_parts(&self, id: u32) -> bool {
        let mut state = self.register.state();
        let held = state.parts.get(&id).is_some_and(|lock| lock.session == self.id);
        if held {
            state.parts.remove(&id);
            self.register.tell(&state);
        }
        held
    }

    /// The first of these places that another session has locked, and that session.
    pub fn part_of_another<'p>(
        &self,
        mut places: impl Iterator<Item = &'p [Step]>,
    ) -> Option<(&'p [Step], u32)> {
        let parts = self.register.parts();
        let others: Vec<_> = parts.iter().filter(|(_, lock)| lock.session != self.id).collect();
        places.find_map(|place| {
            let holder = others.iter().find(|(_, lock)| lock.covers(place))?;
            Some((place, holder.1.session))
        })
    }

    /// Another session that holds the lock on a datastore.
    pub fn locked_by_another(&self, datastore: Lockable) -> Option<u32> {
        self.register.lock_of(datastore).map(|(holder, _)| holder).filter(|holder| *holder != self.id)
    }

    /// Ends another session; `None`: there is none.
    pub fn kill(&self, id: u32) -> Option<Ended> {
        self.register.kill(id, self.id)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.unlock_all();
        let mut state = self.register.state();
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

    #[test]
    fn locks_on_parts_exclude_those_that_overlap() {
        use trunkline_yang::forest::Forest;
        use trunkline_yang::own::ALL;
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let system = forest.child(None, "system").unwrap();
        let contact = forest.child(Some(system), "contact").unwrap();
        let location = forest.child(Some(system), "location").unwrap();
        let lock = |session: u32, leaf| PartialLock {
            session,
            since: SystemTime::now(),
            selects: Vec::new(),
            places: vec![[Some(system), leaf].into_iter().flatten().map(Step::to).collect()],
            objects: Vec::new(),
        };
        let register = Arc::new(Register::new(Held::default()));
        let (one, other) = (register.open(ann()), register.open(ann()));
        let id = one.lock_parts(lock(one.id, Some(contact))).unwrap();
        assert_eq!(other.lock_parts(lock(other.id, Some(contact))), Err(NotLocked::Held(one.id)));
        assert_eq!(other.lock_parts(lock(other.id, None)), Err(NotLocked::Held(one.id)));
        let second = other.lock_parts(lock(other.id, Some(location))).unwrap();
        // The whole cannot be locked meanwhile, by nobody.
        assert_eq!(one.lock(Lockable::Running), Err(HeldBy(one.id)));
        assert_eq!(one.lock(Lockable::Candidate), Ok(()));
        let steps = |leaf| vec![Step::to(system), Step::to(leaf)];
        let (places, at) = ([steps(contact), steps(location)], |place: &'_ [Step]| place.to_vec());
        let of = |place: &Place| {
            place.part_of_another(places.iter().map(Vec::as_slice)).map(|(p, id)| (at(p), id))
        };
        assert_eq!(of(&one), Some((steps(location), other.id)));
        assert_eq!(of(&other), Some((steps(contact), one.id)));
        assert!(!other.unlock_parts(id) && one.unlock_parts(id) && !one.unlock_parts(id));
        assert_ne!(id, second);
        drop(other);
        assert_eq!(of(&one), None);
        assert_eq!(one.lock(Lockable::Running), Ok(()));
        assert_eq!(one.lock_parts(lock(one.id, None)), Err(NotLocked::Held(one.id)));
        assert!(one.unlock(Lockable::Running));
        for _ in 0..MOST_PARTS {
            one.lock_parts(lock(one.id, Some(contact))).unwrap();
        }
        assert_eq!(one.lock_parts(lock(one.id, Some(contact))), Err(NotLocked::TooMany));
    }

    #[tokio::test]
    async fn a_killed_session_ends_and_holds_nothing() {
        let register = Arc::new(Register::new(Held::default()));
        let (one, other) = (register.open(ann()), register.open(ann()));
        assert_eq!(one.lock(Lockable::Running), Ok(()));
        let ended = Ended { name: "ann".into(), held: vec!["running"] };
        assert_eq!([other.kill(one.id), other.kill(one.id), other.kill(99)], [Some(ended), None, None]);
        one.member.killed().await;
        assert_eq!(other.lock(Lockable::Running), Ok(()));
        drop(one);
        assert!(other.unlock(Lockable::Running));
    }
}
