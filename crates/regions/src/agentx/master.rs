//! What a master knows: sessions, registrations, allocated indexes, capabilities; and what it does for subagents.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::sync::watch;
use trunkline_admin::ModulesServed;
use trunkline_agentx::indexes::{IndexFault, IndexLimits, Indexes};
use trunkline_agentx::registry::{self, Capability, Limits, Registry};
use trunkline_agentx::wire::{CloseReason, ErrorCode, IndexRequest, Pdu, Registration};
use trunkline_local::{Endpoint, PlainListener};
use trunkline_smi::{Bound, Oid, Value, VarBind, check_root};
use trunkline_snmp::role::originator::{SNMP_TRAP_OID, SYS_UP_TIME};
use trunkline_transport::LogLimit;
use trunkline_tree::{Claim, Event, Tree};

use super::connection;
use super::link::Link;
use super::session::{Session, Transactions};
use super::subagents::Subagents;
use crate::parts;

/// Whether something else answers for a context.
pub type HasContext = Box<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// What a master needs of the agent.
pub struct Hooks {
    /// Takes subagents' notifications.
    pub notify: Box<dyn Fn(Event) + Send + Sync>,
    /// sysORTable.
    pub modules: Arc<ModulesServed>,
    /// Whether something else answers for a context.
    pub has_context: HasContext,
}

/// The master.
pub struct Master {
    state: Mutex<State>,
    hooks: Hooks,
    /// What is registered has changed: how often.
    changes: watch::Sender<u64>,
    /// Which change is in effect.
    applied: watch::Sender<u64>,
    /// The tree without subagents.
    own: ArcSwapOption<Tree>,
    transactions: Arc<Transactions>,
    /// In milliseconds, for subagents that say nothing of it.
    timeout: AtomicU64,
    is_serving: AtomicBool,
    /// Octets of packets that are not complete, over all connections.
    pub(super) incomplete: AtomicUsize,
    pub(super) log: LogLimit,
    /// What subagents do wrong, over all of them.
    pub(super) faults: Arc<LogLimit>,
}

pub(super) struct State {
    pub registry: Registry,
    pub connections: BTreeMap<u64, Connected>,
    last_connection: u64,
    pub changed: Changed,
    indexes: Indexes,
    sessions: HashMap<u32, Arc<Session>>,
    rows: Vec<Row>,
}

/// A connection.
pub(super) struct Connected {
    /// sysUpTime when it was accepted.
    pub opened: u32,
    pub peer: Endpoint,
}

/// sysUpTime when something last came or went.
#[derive(Default)]
pub(super) struct Changed {
    pub connections: u32,
    pub sessions: u32,
    pub registrations: u32,
}

/// A row of sysORTable.
struct Row {
    session: u32,
    context: Vec<u8>,
    id: Oid,
    index: u32,
}

impl Master {
    /// A master that nobody is connected with.
    pub fn new(hooks: Hooks) -> Arc<Self> {
        let state = State {
            registry: Registry::new(Limits::default()),
            connections: BTreeMap::new(),
            last_connection: 0,
            changed: Changed::default(),
            indexes: Indexes::new(IndexLimits::default()),
            sessions: HashMap::new(),
            rows: Vec::new(),
        };
        Arc::new(Master {
            state: Mutex::new(state),
            hooks,
            changes: watch::Sender::new(0),
            applied: watch::Sender::new(0),
            own: ArcSwapOption::empty(),
            transactions: Arc::default(),
            timeout: AtomicU64::new(1000),
            is_serving: AtomicBool::new(false),
            incomplete: AtomicUsize::new(0),
            log: LogLimit::for_strangers(),
            faults: Arc::new(LogLimit::new(MOST_FAULTS, Duration::from_secs(60))),
        })
    }

    /// How long to wait for subagents that say nothing of it.
    pub fn set_timeout(&self, timeout: Duration) {
        let millis = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        if self.timeout.swap(millis, Ordering::Relaxed) != millis {
            self.changes.send_modify(|changes| *changes += 1);
        }
    }

    pub(super) fn serve_row(&self, identity: &Oid, description: &str) -> Option<u32> {
        self.hooks.modules.add(identity.clone(), description, Instant::now())
    }

    pub(super) fn serve_no_more(&self, row: u32) {
        self.hooks.modules.remove(row, Instant::now());
    }

    pub(super) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout.load(Ordering::Relaxed))
    }

    /// Whether subagents may connect; if they may, AGENTX-MIB is served.
    pub fn set_serving(&self, is_serving: bool) {
        self.is_serving.store(is_serving, Ordering::Relaxed);
    }

    pub(super) fn is_serving(&self) -> bool {
        self.is_serving.load(Ordering::Relaxed)
    }

    /// Accepts connections, until it is dropped.
    pub async fn serve(self: Arc<Self>, listener: PlainListener) {
        let mut connections = tokio::task::JoinSet::new();
        loop {
            tokio::select! {
                Some(_) = connections.join_next() => {}
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        if let Some(number) = self.came(peer.endpoint) {
                            connections.spawn(connection::serve(self.clone(), stream, peer.name, number));
                        } else if let Some(left_out) = self.log.admit() {
                            tracing::warn!(
                                peer = peer.name, left_out, "a subagent is refused: {MOST_CONNECTIONS} are connected"
                            );
                        }
                    }
                    Err(error) => {
                        if let Some(left_out) = self.log.admit() {
                            tracing::warn!(%error, left_out, "cannot accept subagents at {}", listener.endpoint());
                        }
                        tokio::time::sleep(PAUSE).await;
                    }
                },
            }
        }
    }

    /// Waits until what is registered has changed since a revision was applied.
    pub async fn changed(&self) {
        let applied = *self.applied.borrow();
        // The sender is this.
        let _ = self.changes.subscribe().wait_for(|changes| *changes != applied).await;
    }

    /// What is registered now.
    pub fn subagents(&self) -> Subagents {
        let revision = *self.changes.borrow();
        let state = self.state();
        let session = |number| state.sessions.get(&number).cloned();
        Subagents::new(revision, &state.registry, session, &self.transactions, self.timeout())
    }

    /// From now on these are answered for.
    pub fn applied(&self, subagents: &Subagents) {
        self.applied.send_replace(subagents.revision());
    }

    /// From now on this tree without subagents says what they may register.
    pub fn set_own(&self, own: Arc<Tree>) {
        self.own.store(Some(own));
    }

    /// Closes all sessions, and says why.
    pub fn close_all(&self, reason: CloseReason) {
        let numbers: Vec<u32> = self.state().sessions.keys().copied().collect();
        for number in numbers {
            self.close_by_master(number, reason);
        }
    }

    /// Closes one, and tells the subagent; `false` if there is none.
    pub fn close_by_master(&self, number: u32, reason: CloseReason) -> bool {
        let Some(session) = self.state().sessions.get(&number).cloned() else { return false };
        session.tell(0, Pdu::Close { reason: reason.code() });
        self.close(number)
    }

    /// A connection has come; its number, from 1, if there is room for it.
    fn came(&self, peer: Endpoint) -> Option<u64> {
        let opened = self.up_time();
        let mut state = self.state();
        // Whoever reaches a port must not lock out those who may use a socket.
        let is_like =
            |other: &&Connected| matches!(other.peer, Endpoint::Unix(_)) == matches!(peer, Endpoint::Unix(_));
        if state.connections.values().filter(is_like).count() >= MOST_CONNECTIONS {
            return None;
        }
        state.last_connection += 1;
        let number = state.last_connection;
        state.connections.insert(number, Connected { opened, peer });
        state.changed.connections = opened;
        Some(number)
    }

    /// A connection has ended: what was on it is gone.
    pub(super) fn went(&self, connection: u64) {
        let now = self.up_time();
        let numbers: Vec<u32> = {
            let mut state = self.state();
            state.connections.remove(&connection);
            state.changed.connections = now;
            let of_this = state.registry.sessions().filter(|(_, known, _)| *known == connection);
            of_this.map(|(number, ..)| number).collect()
        };
        for number in numbers {
            self.close(number);
        }
    }

    pub(super) fn open(
        &self,
        connection: u64,
        session: registry::Session,
        name: String,
        link: &Arc<Link>,
    ) -> Result<Arc<Session>, ErrorCode> {
        let (order, opened) = (session.order, session.opened);
        let mut state = self.state();
        let number = state.registry.open(connection, session)?;
        let session = Arc::new(Session::new(number, name, order, link.clone(), self.faults.clone()));
        state.sessions.insert(number, session.clone());
        state.changed.sessions = opened;
        Ok(session)
    }

    /// Ends a session with all that it has.
    pub(super) fn close(&self, number: u32) -> bool {
        let now = self.up_time();
        let mut state = self.state();
        let Some(session) = state.sessions.remove(&number) else { return false };
        session.end();
        state.changed.sessions = now;
        let had_any = state.registry.subtrees().any(|subtree| subtree.session == number);
        let _ = state.registry.close(number);
        state.indexes.close(number);
        let (gone, rows) =
            std::mem::take(&mut state.rows).into_iter().partition(|row: &Row| row.session == number);
        state.rows = rows;
        drop(state);
        let gone: Vec<Row> = gone;
        gone.iter().for_each(|row| self.serve_no_more(row.index));
        if had_any {
            self.count_change();
        }
        true
    }

    /// Registers; the change that must be in effect before the subagent gets its answer.
    pub(super) fn register(
        &self,
        session: u32,
        context: &[u8],
        registration: &Registration,
    ) -> Result<u64, ErrorCode> {
        if !context.is_empty() && (self.hooks.has_context)(context) {
            return Err(ErrorCode::UnsupportedContext);
        }
        let mut state = self.state();
        let own = self.own.load_full().filter(|_| context.is_empty());
        let claims = |root: &Oid| own.as_ref().map_or(Claim::Free, |own| own.claim(root));
        let roots = state.registry.roots(registration)?;
        let takes_over =
            |root: &&Oid| registration.priority < parts::PRIORITY && claims(root) == Claim::Object;
        if roots.iter().any(|root| root.is_empty() || check_root(root).is_err()) {
            return Err(ErrorCode::RequestDenied);
        }
        let is_kept = |root: &Oid| KEPT.iter().any(|kept| root.starts_with(kept));
        if roots.iter().any(|root| claims(root) == Claim::Inside || (takes_over(&root) && is_kept(root))) {
            return Err(ErrorCode::RequestDenied);
        }
        let taken = roots.iter().find(takes_over);
        state.registry.register(session, context, registration)?;
        let session = state.sessions.get(&session).filter(|_| taken.is_some()).cloned();
        drop(state);
        if let (Some(object), Some(session)) = (taken, session)
            && let Some(left_out) = self.log.admit()
        {
            tracing::warn!(subagent = session.name, %object, left_out, "a subagent answers instead of this agent");
        }
        Ok(self.count_change())
    }

    /// The same for what is taken back.
    pub(super) fn unregister(
        &self,
        session: u32,
        context: &[u8],
        registration: &Registration,
    ) -> Result<u64, ErrorCode> {
        self.state().registry.unregister(session, context, registration)?;
        Ok(self.count_change())
    }

    fn count_change(&self) -> u64 {
        let up_time = self.up_time();
        self.state().changed.registrations = up_time;
        let mut now = 0;
        self.changes.send_modify(|changes| {
            *changes += 1;
            now = *changes;
        });
        now
    }

    /// Waits until a change is in effect.
    pub(super) async fn in_effect(&self, change: u64) {
        // The sender is this.
        let _ = self.applied.subscribe().wait_for(|applied| *applied >= change).await;
    }

    pub(super) fn allocate(
        &self,
        session: u32,
        context: &[u8],
        request: &IndexRequest,
    ) -> Result<Vec<VarBind>, IndexFault> {
        self.state().indexes.allocate(session, context, request)
    }

    pub(super) fn deallocate(
        &self,
        session: u32,
        context: &[u8],
        request: &IndexRequest,
    ) -> Result<(), IndexFault> {
        self.state().indexes.deallocate(session, context, request)
    }

    pub(super) fn add_capability(
        &self,
        session: u32,
        context: &[u8],
        id: Oid,
        description: Vec<u8>,
    ) -> Result<(), ErrorCode> {
        let mut state = self.state();
        let since = self.up_time();
        let text = String::from_utf8_lossy(&description).into_owned();
        let capability = Capability { context: context.to_vec(), id: id.clone(), description, since };
        state.registry.add_capability(session, capability)?;
        let Some(index) = self.serve_row(&id, &text) else {
            let _ = state.registry.remove_capability(session, context, &id);
            return Err(ErrorCode::RequestDenied);
        };
        state.rows.push(Row { session, context: context.to_vec(), id, index });
        Ok(())
    }

    pub(super) fn remove_capability(&self, session: u32, context: &[u8], id: &Oid) -> Result<(), ErrorCode> {
        let mut state = self.state();
        state.registry.remove_capability(session, context, id)?;
        let is_meant = |row: &Row| (row.session, &*row.context, &row.id) == (session, context, id);
        if let Some(at) = state.rows.iter().position(is_meant) {
            let row = state.rows.remove(at);
            drop(state);
            self.serve_no_more(row.index);
        }
        Ok(())
    }

    /// Passes a notification on (section 7.1.8): sysUpTime.0 if the subagent likes, snmpTrapOID.0, and the objects. A
    /// failure names the variable at fault, from 1.
    pub(super) fn notify(&self, context: &[u8], bindings: Vec<VarBind>) -> Result<(), (ErrorCode, u16)> {
        let up_time = match bindings.first() {
            Some(VarBind { name, value }) if **name == SYS_UP_TIME => match value {
                Bound::Value(Value::TimeTicks(ticks)) => Some(*ticks),
                _ => return Err((ErrorCode::ProcessingError, 1)),
            },
            _ => None,
        };
        let first = usize::from(up_time.is_some());
        let at = |place: usize| u16::try_from(place + 1).unwrap_or(u16::MAX);
        let mut rest = bindings.into_iter().skip(first);
        let oid = match rest.next() {
            Some(VarBind { name, value: Bound::Value(Value::ObjectIdentifier(oid)) })
                if *name == SNMP_TRAP_OID && *oid != [0, 0] =>
            {
                oid
            }
            _ => return Err((ErrorCode::ProcessingError, at(first))),
        };
        let object = |(place, VarBind { name, value }): (usize, VarBind)| match value {
            Bound::Value(value) => Ok((name, value)),
            Bound::Unspecified | Bound::Exception(_) => {
                Err((ErrorCode::ProcessingError, at(first + 1 + place)))
            }
        };
        let objects = rest.enumerate().map(object).collect::<Result<Vec<_>, _>>()?;
        if objects.iter().map(|(name, value)| octets(name, value)).sum::<usize>() > MOST_OF_NOTIFICATION {
            return Err((ErrorCode::ProcessingError, 0));
        }
        let context = String::from_utf8(context.to_vec()).map_err(|_| (ErrorCode::UnsupportedContext, 0))?;
        (self.hooks.notify)(Event { context, up_time, ..Event::new(oid, objects) });
        Ok(())
    }

    /// sysUpTime in hundredths of a second.
    pub(super) fn up_time(&self) -> u32 {
        self.hooks.modules.up_time(Instant::now())
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lines of the log a minute on what subagents do wrong, over all of them.
const MOST_FAULTS: u32 = 30;

/// Connections of subagents, over Unix sockets and over TCP each.
const MOST_CONNECTIONS: usize = 256;

/// After the kernel has refused a connection, which may be for want of descriptors.
const PAUSE: Duration = Duration::from_millis(200);

/// What no subagent answers for in the agent's place: users and their keys, the access policy, targets and the engine
/// (RFC 3411 to 3415, 5591, 6353), and who the subagents are (RFC 2742).
const KEPT: [&[u32]; 2] = [&[1, 3, 6, 1, 6, 3], &[1, 3, 6, 1, 2, 1, 74]];

/// The octets of a binding in a message, at least.
fn octets(name: &Oid, value: &Value) -> usize {
    let value = match value {
        Value::OctetString(octets) | Value::Opaque(octets) => octets.len(),
        Value::ObjectIdentifier(oid) => oid.len(),
        _ => 1,
    };
    name.len() + value + 6
}

/// Octets of the objects of a notification: more do not fit into a message over UDP over IPv4.
const MOST_OF_NOTIFICATION: usize = 65_000;
