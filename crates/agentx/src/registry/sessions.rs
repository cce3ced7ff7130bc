//! Sessions by their numbers.

use std::collections::BTreeMap;

use trunkline_smi::Oid;

use crate::wire::ByteOrder;

/// What a subagent says when it opens a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Seconds to wait for its answers; 0 if the master may choose.
    pub timeout: u8,
    /// What the subagent is.
    pub id: Oid,
    /// The same in words.
    pub description: Vec<u8>,
    /// The byte order of its packets.
    pub order: ByteOrder,
    /// sysUpTime when it opened.
    pub opened: u32,
}

/// The open sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    open: BTreeMap<u32, (u64, Session)>,
    last: u32,
}

impl Sessions {
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Numbers follow each other, so that one of a session that has ended returns after four thousand million others. 0
    /// is not used: it is what subagents write before they have a number.
    pub fn open(&mut self, connection: u64, session: Session) -> u32 {
        loop {
            self.last = self.last.wrapping_add(1).max(1);
            if !self.open.contains_key(&self.last) {
                self.open.insert(self.last, (connection, session));
                return self.last;
            }
        }
    }

    pub fn close(&mut self, number: u32) -> Option<Session> {
        self.open.remove(&number).map(|(_, session)| session)
    }

    pub fn get(&self, number: u32) -> Option<&Session> {
        self.open.get(&number).map(|(_, session)| session)
    }

    pub fn connection_of(&self, number: u32) -> Option<u64> {
        self.open.get(&number).map(|(connection, _)| *connection)
    }

    pub fn of_connection(&self, connection: u64) -> impl Iterator<Item = u32> {
        let here = self.open.iter().filter(move |(_, (of, _))| *of == connection);
        here.map(|(number, _)| *number)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, u64, &Session)> {
        self.open.iter().map(|(number, (connection, session))| (*number, *connection, session))
    }
}
