//! AGENTX-MIB (RFC 2742): the connections, sessions and registrations of this agent's subagents. The master of AgentX says what
//! there is, by [`AgentxView`]; agentxSessionAdminStatus closes a session.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::modules_served::truncated;
use trunkline_local::Endpoint;
use trunkline_smi::module::agentx_mib as mib;
use trunkline_smi::module::transport_mibs::{LOCAL, TCP_IPV4, TCP_IPV6};
use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_tree::{
    Group, Loaded, Provider, SetCheck, SetError, SetItem, SetTransaction, Snapshot, SourceError,
};

/// The group `agentx`.
pub static AGENTX: Group = Group {
    name: "agentx",
    scalars: &[
        &mib::AGENTX_DEFAULT_TIMEOUT,
        &mib::AGENTX_MASTER_AGENTX_VER,
        &mib::AGENTX_CONN_TABLE_LAST_CHANGE,
        &mib::AGENTX_SESSION_TABLE_LAST_CHANGE,
        &mib::AGENTX_REGISTRATION_TABLE_LAST_CHANGE,
    ],
    tables: &[&mib::AGENTX_CONNECTION_TABLE, &mib::AGENTX_SESSION_TABLE, &mib::AGENTX_REGISTRATION_TABLE],
};

/// The row of sysORTable while the module is served: sysORID and sysORDescr.
pub const AGENTX_SERVED: (&[u32], &str) =
    (&[1, 3, 6, 1, 2, 1, 74, 2, 2, 1], "AGENTX-MIB: subagents (RFC 2742)");

/// What a master of AgentX knows of its subagents, and how a manager ends a session.
pub trait AgentxView: Send + Sync + 'static {
    /// Everything, of one moment; `None` where there is no master: then nothing is served.
    fn state(&self) -> Option<AgentxState>;

    /// Closes a session with the reason `reasonByManager`; `false` if it is not there any more.
    fn close_session(&self, session: u32) -> bool;
}

/// The subagents of one moment, in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentxState {
    /// Seconds that the master waits for subagents that do not say.
    pub default_timeout: u8,
    /// Connections.
    pub connections: Vec<AgentxConnection>,
    /// sysUpTime when one came or went.
    pub connections_changed: u32,
    /// Sessions.
    pub sessions: Vec<AgentxSession>,
    /// sysUpTime when one came or went.
    pub sessions_changed: u32,
    /// Registrations.
    pub registrations: Vec<AgentxRegistration>,
    /// sysUpTime when one came or went.
    pub registrations_changed: u32,
}

/// A row of agentxConnectionTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentxConnection {
    /// From 1.
    pub index: u32,
    /// sysUpTime when it was accepted.
    pub opened: u32,
    /// The peer's address over TCP; over a Unix socket, where peers have no address, that of the listener.
    pub peer: Endpoint,
}

/// A row of agentxSessionTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentxSession {
    /// Its connection.
    pub connection: u32,
    /// h.sessionID.
    pub index: u32,
    /// What the subagent is; empty if it did not say.
    pub id: Oid,
    /// The same in words.
    pub description: Vec<u8>,
    /// sysUpTime when it opened.
    pub opened: u32,
    /// Seconds to wait for its answers; 0: the default.
    pub timeout: u8,
}

/// A row of agentxRegistrationTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentxRegistration {
    /// Its connection.
    pub connection: u32,
    /// Its session.
    pub session: u32,
    /// From 1.
    pub index: u32,
    /// The context; empty for the default one.
    pub context: Vec<u8>,
    /// The subtree.
    pub start: Oid,
    /// Which sub-identifier runs, and to which number.
    pub range: Option<(u8, u32)>,
    /// The lowest number wins.
    pub priority: u8,
    /// Seconds to wait for answers; 0: as of the session.
    pub timeout: u8,
    /// The subtree is one instance.
    pub is_instance: bool,
}

/// The provider of the group `agentx`.
pub struct AgentxGroup {
    view: Arc<dyn AgentxView>,
}

impl AgentxGroup {
    /// The subagents of this master.
    #[must_use]
    pub fn new(view: Arc<dyn AgentxView>) -> Self {
        AgentxGroup { view }
    }
}

/// agentxSessionAdminStatus.
const UP: i32 = 1;
const DOWN: i32 = 2;

/// The version of AgentX.
const VERSION: i32 = 1;

impl Provider for AgentxGroup {
    fn group(&self) -> &'static Group {
        &AGENTX
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut builder = Snapshot::builder(&AGENTX);
        let Some(state) = self.view.state() else { return Ok(Loaded::Snapshot(builder.finish())) };
        builder
            .scalar(&mib::AGENTX_DEFAULT_TIMEOUT, Value::Integer(state.default_timeout.into()))
            .scalar(&mib::AGENTX_MASTER_AGENTX_VER, Value::Integer(VERSION))
            .scalar(&mib::AGENTX_CONN_TABLE_LAST_CHANGE, Value::TimeTicks(state.connections_changed))
            .scalar(&mib::AGENTX_SESSION_TABLE_LAST_CHANGE, Value::TimeTicks(state.sessions_changed))
            .scalar(
                &mib::AGENTX_REGISTRATION_TABLE_LAST_CHANGE,
                Value::TimeTicks(state.registrations_changed),
            );
        for connection in &state.connections {
            let (domain, address) = transport(&connection.peer);
            let table = builder.table(&mib::AGENTX_CONNECTION_TABLE);
            let mut row = table.row(&[connection.index]);
            row.time_ticks(2, connection.opened).oid(3, domain).octets(4, &address);
        }
        for session in &state.sessions {
            let table = builder.table(&mib::AGENTX_SESSION_TABLE);
            let id: &[u32] = if session.id.is_empty() { &[0, 0] } else { &session.id };
            table
                .row(&[session.connection, session.index])
                .oid(2, id)
                .octets(3, admin_text(&session.description).as_bytes())
                .integer(4, UP)
                .time_ticks(5, session.opened)
                .integer(6, VERSION)
                .integer(7, session.timeout.into());
        }
        for registration in &state.registrations {
            let (which, last) = registration.range.unwrap_or_default();
            let start: &[u32] = if registration.start.is_empty() { &[0, 0] } else { &registration.start };
            let table = builder.table(&mib::AGENTX_REGISTRATION_TABLE);
            table
                .row(&[registration.connection, registration.session, registration.index])
                .octets(2, &registration.context)
                .oid(3, start)
                .value(4, ValueRef::Unsigned32(which.into()))
                .value(5, ValueRef::Unsigned32(last))
                .value(6, ValueRef::Unsigned32(registration.priority.into()))
                .integer(7, registration.timeout.into())
                .truth(8, registration.is_instance);
        }
        Ok(Loaded::Snapshot(builder.finish()))
    }

    /// Rows are not created: only sessions that are there can be closed, and a session that is there is up.
    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let state = self.view.state().unwrap_or_default();
        let mut sessions = BTreeSet::new();
        let mut first = 0;
        for item in items {
            let refused = |check| {
                let reason = "only the status of a session that is there can be set".into();
                SetError { binding: item.binding, check, reason }
            };
            let is_there = |session: &&AgentxSession| *item.index == [session.connection, session.index];
            let session = state.sessions.iter().find(is_there);
            let session = session.ok_or_else(|| refused(SetCheck::NoCreation))?;
            match (item.name, item.value) {
                ("agentxSessionAdminStatus", ValueRef::Integer(UP)) => {}
                ("agentxSessionAdminStatus", ValueRef::Integer(DOWN)) => {
                    first = if sessions.is_empty() { item.binding } else { first };
                    sessions.insert(session.index);
                }
                _ => return Err(refused(SetCheck::NotWritable)),
            }
        }
        Ok(Box::new(Closing { view: self.view.clone(), sessions, binding: first, has_closed: false }))
    }
}

/// Sessions that a manager closes.
struct Closing {
    view: Arc<dyn AgentxView>,
    sessions: BTreeSet<u32>,
    /// The first binding that closes one.
    binding: usize,
    has_closed: bool,
}

impl SetTransaction for Closing {
    fn commit(&mut self) -> Result<(), SetError> {
        for session in &self.sessions {
            // One that has ended meanwhile is what the manager wants.
            self.has_closed |= self.view.close_session(*session);
        }
        Ok(())
    }

    fn undo(&mut self) -> Result<(), SetError> {
        match self.has_closed {
            false => Ok(()),
            true => Err(SetError {
                binding: self.binding,
                check: SetCheck::CommitFailed,
                reason: "a session of AgentX that is closed cannot be opened again from here".into(),
            }),
        }
    }
}

/// TDomain and TAddress.
fn transport(peer: &Endpoint) -> (&'static [u32], Vec<u8>) {
    match peer {
        Endpoint::Tcp(address) => {
            let port = address.port().to_be_bytes();
            match address.ip().to_canonical() {
                std::net::IpAddr::V4(ip) => (TCP_IPV4, [&ip.octets()[..], &port].concat()),
                std::net::IpAddr::V6(ip) => (TCP_IPV6, [&ip.octets()[..], &port].concat()),
            }
        }
        Endpoint::Unix(path) => {
            let path = path.as_os_str().as_encoded_bytes();
            (LOCAL, path[..path.len().min(255)].to_vec())
        }
    }
}

/// A text of a stranger as SnmpAdminString: UTF-8, at most 255 octets.
fn admin_text(octets: &[u8]) -> String {
    truncated(String::from_utf8_lossy(octets).into_owned())
}

#[cfg(test)]
mod tests;
