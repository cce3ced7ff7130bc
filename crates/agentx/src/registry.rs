//! Who is connected to a master and what they have registered (RFC 2741 section 7.1).
//!
//! The registry knows sessions by their numbers, and registrations by theirs, as AGENTX-MIB shows them. A registration with a
//! range is several subtrees. Which of several subtrees answers for a name is decided by the tree: the longest root,
//! then the lowest priority.

mod sessions;
mod subtrees;

pub use sessions::Session;
pub use subtrees::Subtree;

use std::collections::BTreeMap;

use trunkline_smi::Oid;

use crate::wire::{ErrorCode, Registration};
use sessions::Sessions;
use subtrees::{Subtrees, expand};

/// How much subagents may ask a master to remember.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Sessions in all.
    pub sessions: usize,
    /// Sessions of one connection.
    pub sessions_of_connection: usize,
    /// Subtrees in all.
    pub subtrees: usize,
    /// Subtrees that one registration expands to.
    pub subtrees_of_registration: usize,
    /// Capabilities of one session.
    pub capabilities_of_session: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            sessions: 1024,
            sessions_of_connection: 256,
            subtrees: 8192,
            subtrees_of_registration: 1024,
            capabilities_of_session: 256,
        }
    }
}

/// A registration as a subagent made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// Whose it is.
    pub session: u32,
    /// In which context; empty for the default one.
    pub context: Vec<u8>,
    /// What was registered.
    pub registration: Registration,
}

/// What a subagent says that it supports: a row of sysORTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// In which context; empty for the default one.
    pub context: Vec<u8>,
    /// sysORID
    pub id: Oid,
    /// sysORDescr
    pub description: Vec<u8>,
    /// sysORUpTime
    pub since: u32,
}

/// The sessions of a master, and what they have registered.
#[derive(Debug)]
pub struct Registry {
    limits: Limits,
    sessions: Sessions,
    registrations: BTreeMap<u32, Registered>,
    last_registration: u32,
    subtrees: Subtrees,
    capabilities: BTreeMap<u32, Vec<Capability>>,
}

impl Registry {
    /// An empty registry.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Registry {
            limits,
            sessions: Sessions::default(),
            registrations: BTreeMap::new(),
            last_registration: 0,
            subtrees: Subtrees::default(),
            capabilities: BTreeMap::new(),
        }
    }

    /// Opens a session on a connection and returns its number, which no session has had for a long time.
    pub fn open(&mut self, connection: u64, session: Session) -> Result<u32, ErrorCode> {
        let of_connection = self.sessions.of_connection(connection).count();
        if self.sessions.len() >= self.limits.sessions || of_connection >= self.limits.sessions_of_connection
        {
            return Err(ErrorCode::OpenFailed);
        }
        Ok(self.sessions.open(connection, session))
    }

    /// Closes a session with all that it has registered.
    pub fn close(&mut self, session: u32) -> Result<Session, ErrorCode> {
        let closed = self.sessions.close(session).ok_or(ErrorCode::NotOpen)?;
        self.registrations.retain(|_, registered| registered.session != session);
        self.subtrees.remove_session(session);
        self.capabilities.remove(&session);
        Ok(closed)
    }

    /// Closes all sessions of a connection and returns their numbers.
    pub fn close_connection(&mut self, connection: u64) -> Vec<u32> {
        let numbers: Vec<u32> = self.sessions.of_connection(connection).collect();
        numbers.into_iter().filter(|number| self.close(*number).is_ok()).collect()
    }

    /// The subtrees that a registration stands for: one, or as many as its range has.
    pub fn roots(&self, registration: &Registration) -> Result<Vec<Oid>, ErrorCode> {
        expand(registration, self.limits.subtrees_of_registration)
    }

    /// Registers a subtree or a range of them for a session, wholly or not at all (section 7.1.4). The number of the
    /// registration is returned.
    pub fn register(
        &mut self,
        session: u32,
        context: &[u8],
        registration: &Registration,
    ) -> Result<u32, ErrorCode> {
        self.session(session).ok_or(ErrorCode::NotOpen)?;
        let roots = self.roots(registration)?;
        if roots.iter().any(|root| self.subtrees.contains(context, root, registration.priority)) {
            return Err(ErrorCode::DuplicateRegistration);
        }
        if self.subtrees.len() + roots.len() > self.limits.subtrees {
            return Err(ErrorCode::RequestDenied);
        }
        let number = self.next_registration();
        for root in roots {
            self.subtrees.insert(context, root, registration, session, number);
        }
        let registration = Registration { range: range_of(registration), ..registration.clone() };
        let registered = Registered { session, context: context.to_vec(), registration };
        self.registrations.insert(number, registered);
        Ok(number)
    }

    /// Takes back a registration of this session, which must have been made with the same subtree, range, priority and
    /// context (section 7.1.5). The number that it had is returned.
    pub fn unregister(
        &mut self,
        session: u32,
        context: &[u8],
        registration: &Registration,
    ) -> Result<u32, ErrorCode> {
        self.session(session).ok_or(ErrorCode::NotOpen)?;
        let is_meant = |registered: &Registered| {
            let made = &registered.registration;
            registered.session == session
                && registered.context == context
                && (&made.subtree, made.range, made.priority)
                    == (&registration.subtree, range_of(registration), registration.priority)
        };
        let number = self.registrations.iter().find(|(_, registered)| is_meant(registered));
        let number = *number.ok_or(ErrorCode::UnknownRegistration)?.0;
        self.registrations.remove(&number);
        self.subtrees.remove_registration(number);
        Ok(number)
    }

    /// Notes what a session says that it supports (section 7.1.6).
    pub fn add_capability(&mut self, session: u32, capability: Capability) -> Result<(), ErrorCode> {
        self.session(session).ok_or(ErrorCode::NotOpen)?;
        let known = self.capabilities.entry(session).or_default();
        if known.len() >= self.limits.capabilities_of_session {
            return Err(ErrorCode::RequestDenied);
        }
        known.push(capability);
        Ok(())
    }

    /// Forgets it again (section 7.1.7).
    pub fn remove_capability(&mut self, session: u32, context: &[u8], id: &Oid) -> Result<(), ErrorCode> {
        self.session(session).ok_or(ErrorCode::NotOpen)?;
        let known = self.capabilities.get_mut(&session).ok_or(ErrorCode::UnknownAgentCaps)?;
        let is_meant = |capability: &Capability| capability.context == context && capability.id == *id;
        let place = known.iter().position(is_meant).ok_or(ErrorCode::UnknownAgentCaps)?;
        known.remove(place);
        Ok(())
    }

    /// A session.
    #[must_use]
    pub fn session(&self, number: u32) -> Option<&Session> {
        self.sessions.get(number)
    }

    /// On which connection a session is.
    #[must_use]
    pub fn connection_of(&self, session: u32) -> Option<u64> {
        self.sessions.connection_of(session)
    }

    /// All sessions: number, connection, and what was said when it opened; by number.
    pub fn sessions(&self) -> impl Iterator<Item = (u32, u64, &Session)> {
        self.sessions.iter()
    }

    /// All registrations with their numbers, by number.
    pub fn registrations(&self) -> impl Iterator<Item = (u32, &Registered)> {
        self.registrations.iter().map(|(number, registered)| (*number, registered))
    }

    /// All subtrees: by context, root and priority.
    pub fn subtrees(&self) -> impl Iterator<Item = Subtree<'_>> {
        self.subtrees.iter()
    }

    /// The subtrees of one context, by root and priority.
    pub fn subtrees_of(&self, context: &[u8]) -> impl Iterator<Item = Subtree<'_>> {
        self.subtrees.of_context(context)
    }

    /// The contexts that anything is registered in, in order.
    pub fn contexts(&self) -> impl Iterator<Item = &[u8]> {
        self.subtrees.contexts()
    }

    /// All capabilities with the session that they are of.
    pub fn capabilities(&self) -> impl Iterator<Item = (u32, &Capability)> {
        let of_session = |(session, list): (&u32, _)| (*session, list);
        let lists = self.capabilities.iter().map(of_session);
        lists.flat_map(|(session, list): (u32, &Vec<Capability>)| list.iter().map(move |one| (session, one)))
    }

    /// agentxRegIndex is at least 1. There are far fewer registrations than numbers, so one is free.
    fn next_registration(&mut self) -> u32 {
        loop {
            self.last_registration = self.last_registration.wrapping_add(1).max(1);
            if !self.registrations.contains_key(&self.last_registration) {
                return self.last_registration;
            }
        }
    }
}

/// A range that begins with sub-identifier 0 is none.
fn range_of(registration: &Registration) -> Option<(u8, u32)> {
    registration.range.filter(|(which, _)| *which != 0)
}
