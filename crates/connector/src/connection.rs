//! Connections: what clients have got after their login, until they end it, or neither use nor renew it for too long.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use trunkline_jmx::jrmp::{ObjId, Vmid};
use trunkline_jmx::model::{Filter, ObjectName};
use trunkline_transport::{Proof, SessionInfo, Transport};
use trunkline_tree::policy::OwnedPrincipal;

/// A connection.
pub(crate) struct Connection {
    /// Its object.
    pub object: ObjId,
    /// Its name, as Java makes it.
    pub id: String,
    /// The client.
    pub principal: OwnedPrincipal,
    whose: Whose,
    last_use: Mutex<Instant>,
    /// The client's process, as it names itself when it takes a lease.
    lessee: Mutex<Option<Vmid>>,
    listeners: Mutex<Listeners>,
    over: watch::Sender<bool>,
}

/// What the streams of a connection have in common.
#[derive(Clone, PartialEq, Eq)]
struct Whose {
    transport: Transport,
    address: IpAddr,
    proof: Proof,
}

/// A listener of a client.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    /// Its number.
    pub id: i32,
    /// The MBean that it listens to.
    pub name: ObjectName,
    /// What it wants; `None`: all.
    pub filter: Option<Filter>,
}

#[derive(Default)]
struct Listeners {
    all: Vec<Listener>,
    next: i32,
}

/// All connections.
#[derive(Default)]
pub(crate) struct Connections {
    all: Mutex<HashMap<ObjId, Arc<Connection>>>,
    opened: AtomicU64,
}

impl Whose {
    fn of(info: &SessionInfo) -> Self {
        Whose { transport: info.transport, address: info.peer.ip(), proof: info.proof.clone() }
    }

    fn is(&self, info: &SessionInfo) -> bool {
        self.transport == info.transport && self.address == info.peer.ip() && self.proof == info.proof
    }
}

impl Connection {
    /// Waits for its end.
    pub async fn over(&self) {
        let mut over = self.over.subscribe();
        // An error: it is gone.
        let _ = over.wait_for(|over| *over).await;
    }

    /// Adds listeners; `None`: there are too many, or their filters too large.
    pub fn listen(&self, new: Vec<(ObjectName, Option<Filter>)>) -> Option<Vec<i32>> {
        let mut listeners = locked(&self.listeners);
        let filters =
            listeners.all.iter().map(|listener| &listener.filter).chain(new.iter().map(|(_, filter)| filter));
        let octets: usize = filters.flatten().map(Filter::octets).sum();
        if listeners.all.len() + new.len() > MOST_LISTENERS || octets > MOST_OF_FILTERS {
            return None;
        }
        let mut numbers = Vec::with_capacity(new.len());
        for (name, filter) in new {
            let id = listeners.next;
            listeners.next = listeners.next.wrapping_add(1);
            listeners.all.push(Listener { id, name, filter });
            numbers.push(id);
        }
        Some(numbers)
    }

    /// Removes a listener; whether there was one.
    pub fn unlisten(&self, name: &ObjectName, id: i32) -> bool {
        let mut listeners = locked(&self.listeners);
        let before = listeners.all.len();
        listeners.all.retain(|listener| listener.id != id || listener.name != *name);
        listeners.all.len() < before
    }

    /// Its listeners.
    pub fn listeners(&self) -> Vec<Listener> {
        locked(&self.listeners).all.clone()
    }

    /// It is in use, unless it was not for too long; whether it is.
    fn touch(&self, lease: Duration) -> bool {
        let now = Instant::now();
        let mut last_use = locked(&self.last_use);
        let is_used = now.saturating_duration_since(*last_use) <= lease;
        if is_used {
            *last_use = now;
        }
        is_used
    }

    fn is_unused(&self, lease: Duration) -> bool {
        locked(&self.last_use).elapsed() > lease
    }
}

impl Connections {
    /// A new one for a client.
    ///
    /// # Errors
    /// There are as many as there may be, or no random numbers.
    pub fn open(
        &self,
        info: &SessionInfo,
        principal: OwnedPrincipal,
        lease: Duration,
        most: Most,
    ) -> Result<Arc<Connection>, &'static str> {
        let object = crate::object::random().ok_or("the system has no random numbers")?;
        let mut all = locked(&self.all);
        all.retain(|_, connection| {
            let stays = !connection.is_unused(lease);
            if !stays {
                tracing::info!(connection = connection.id, "a JMX connection has ended: its client has neither used nor renewed it for the time of its lease");
                connection.over.send_replace(true);
            }
            stays
        });
        let whose = Whose::of(info);
        let (mut of_principal, mut of_client) = (0, 0);
        for other in all.values().filter(|other| other.principal == principal) {
            of_principal += 1;
            of_client += usize::from(other.whose == whose);
        }
        if of_client >= most.of_client {
            return Err("this client has too many connections: close some of them");
        }
        if of_principal >= most.of_principal || all.len() >= most.all {
            return Err("there are too many connections: try again later");
        }
        let number = self.opened.fetch_add(1, Relaxed) + 1;
        let host = match info.peer.ip() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        let id = format!("rmi://{host} {} {number}", String::from_utf8_lossy(&principal.name));
        let connection = Arc::new(Connection {
            object,
            id,
            principal,
            whose,
            last_use: Mutex::new(Instant::now()),
            lessee: Mutex::default(),
            listeners: Mutex::default(),
            over: watch::Sender::new(false),
        });
        all.insert(object, connection.clone());
        Ok(connection)
    }

    /// The connection of an object, for a stream of its client: it is in use.
    pub fn of(&self, object: &ObjId, info: &SessionInfo, lease: Duration) -> Option<Arc<Connection>> {
        let connection = locked(&self.all).get(object).cloned()?;
        let is_it = connection.whose.is(info) && connection.touch(lease);
        is_it.then_some(connection)
    }

    /// A client's process takes a lease of objects, or renews all that it has: then it names none.
    pub fn lease(&self, objects: &[ObjId], lessee: Option<Vmid>, info: &SessionInfo, lease: Duration) {
        for object in objects {
            if let Some(connection) = self.of(object, info, lease) {
                locked(&connection.lessee).clone_from(&lessee);
            }
        }
        if objects.is_empty() && lessee.is_some() {
            let whose = Whose::of(info);
            let all = locked(&self.all);
            let theirs = all.values().filter(|one| one.whose == whose && *locked(&one.lessee) == lessee);
            theirs.for_each(|one| _ = one.touch(lease));
        }
    }

    /// Ends one.
    pub fn close(&self, connection: &Connection) {
        locked(&self.all).remove(&connection.object);
        connection.over.send_replace(true);
    }

    /// The MBeans that somebody listens to.
    pub fn listened(&self) -> HashSet<ObjectName> {
        let mut names = HashSet::new();
        for connection in locked(&self.all).values() {
            for listener in &locked(&connection.listeners).all {
                if !names.contains(&listener.name) {
                    names.insert(listener.name.clone());
                }
            }
        }
        names
    }

    /// Ends those of some principals.
    pub fn close_those(&self, of: impl Fn(&OwnedPrincipal) -> bool) {
        for (_, connection) in locked(&self.all).extract_if(|_, connection| of(&connection.principal)) {
            connection.over.send_replace(true);
        }
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many connections there may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    pub all: usize,
    /// Of one principal, wherever its clients are.
    pub of_principal: usize,
    /// Of one principal at one address.
    pub of_client: usize,
}

/// Listeners of one connection.
const MOST_LISTENERS: usize = 1_000;
/// Octets of all their filters.
const MOST_OF_FILTERS: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use trunkline_jmx::jrmp::Uid;

    use super::*;

    fn session(peer: [u8; 4], port: u16, transport: Transport) -> SessionInfo {
        SessionInfo::plain(transport, SocketAddr::from((peer, port)), SocketAddr::from(([127, 0, 0, 1], 1)))
    }

    const LEASE: Duration = Duration::from_secs(60);
    const ONE: Most = Most { all: 1, of_principal: 1, of_client: 1 };

    #[test]
    fn a_connection_belongs_to_a_client_at_its_address() {
        let connections = Connections::default();
        let here = session([127, 0, 0, 1], 5, Transport::Tcp);
        let ann = OwnedPrincipal::of_user("ann");
        let connection = connections.open(&here, ann.clone(), LEASE, ONE).unwrap();
        assert_eq!(connection.id, "rmi://127.0.0.1 ann 1");
        let is_known = |info: &SessionInfo| connections.of(&connection.object, info, LEASE).is_some();
        assert!(is_known(&here) && is_known(&session([127, 0, 0, 1], 6, Transport::Tcp)));
        assert!(!is_known(&session([127, 0, 0, 2], 5, Transport::Tcp)));
        assert!(!is_known(&session([127, 0, 0, 1], 5, Transport::Tls)));
        let certificate = Proof::Certificates([vec![1]].into());
        assert!(!is_known(&SessionInfo { proof: certificate, ..here.clone() }));
        assert!(connections.of(&ObjId::REGISTRY, &here, LEASE).is_none());
        // No room for another.
        assert!(connections.open(&here, ann.clone(), LEASE, ONE).is_err());
        connections.close(&connection);
        assert!(!is_known(&here));
        assert!(connections.open(&here, ann, LEASE, ONE).is_ok());
    }

    #[test]
    fn a_connection_that_is_not_used_makes_room() {
        let connections = Connections::default();
        let here = session([127, 0, 0, 1], 5, Transport::Tcp);
        let ann = OwnedPrincipal::of_user("ann");
        let first = connections.open(&here, ann.clone(), LEASE, ONE).unwrap();
        assert!(connections.of(&first.object, &here, Duration::ZERO).is_none());
        assert!(connections.open(&here, ann, Duration::ZERO, ONE).is_ok());
        assert!(*first.over.borrow());
    }

    #[test]
    fn a_client_leaves_connections_to_others() {
        let connections = Connections::default();
        let most = Most { all: 5, of_principal: 3, of_client: 2 };
        let open = |name, peer| {
            let info = session([127, 0, 0, peer], 5, Transport::Tcp);
            connections.open(&info, OwnedPrincipal::of_user(name), LEASE, most).map(drop)
        };
        assert!(open("ann", 1).is_ok() && open("ann", 1).is_ok());
        assert!(open("ann", 1).unwrap_err().starts_with("this client"));
        assert!(open("ann", 2).is_ok());
        // At other addresses as well.
        assert!(open("ann", 3).unwrap_err().starts_with("there are too many"));
        assert!(open("bob", 1).is_ok() && open("bob", 1).is_ok());
        assert!(open("eve", 1).unwrap_err().starts_with("there are too many"));
    }

    #[test]
    fn a_process_renews_all_its_leases_without_naming_them() {
        let connections = Connections::default();
        let here = session([127, 0, 0, 1], 5, Transport::Tcp);
        let ann = OwnedPrincipal::of_user("ann");
        let connection = connections.open(&here, ann, LEASE, ONE).unwrap();
        let long_ago = Instant::now() - LEASE / 2;
        let is_renewed = |lessee: &Vmid, info: &SessionInfo| {
            *locked(&connection.last_use) = long_ago;
            connections.lease(&[], Some(lessee.clone()), info, LEASE);
            *locked(&connection.last_use) > long_ago
        };
        let process = |count| Vmid { address: None, uid: Uid { count, ..Uid::default() } };
        assert!(!is_renewed(&process(1), &here));
        connections.lease(&[connection.object], Some(process(1)), &here, LEASE);
        assert!(is_renewed(&process(1), &here));
        assert!(!is_renewed(&process(2), &here));
        assert!(!is_renewed(&process(1), &session([127, 0, 0, 2], 5, Transport::Tcp)));
    }

    #[test]
    fn connections_of_some_principals_end_together() {
        let connections = Connections::default();
        let here = session([127, 0, 0, 1], 5, Transport::Tcp);
        let open = |name| {
            let most = Most { all: 2, ..ONE };
            connections.open(&here, OwnedPrincipal::of_user(name), LEASE, most).unwrap()
        };
        let (ann, bob) = (open("ann"), open("bob"));
        connections.close_those(|principal| principal.name == b"ann");
        assert!(*ann.over.borrow() && !*bob.over.borrow());
        assert!(connections.of(&ann.object, &here, LEASE).is_none());
        assert!(connections.of(&bob.object, &here, LEASE).is_some());
    }

    #[test]
    fn listeners_have_numbers_and_bounds() {
        let connections = Connections::default();
        let here = session([127, 0, 0, 1], 5, Transport::Tcp);
        let connection = connections.open(&here, OwnedPrincipal::of_user("ann"), LEASE, ONE).unwrap();
        let name: ObjectName = "trunkline:type=notifications".parse().unwrap();
        let some = |count: usize| vec![(name.clone(), None); count];
        assert_eq!(connection.listen(some(2)), Some(vec![0, 1]));
        assert_eq!(connection.listen(some(MOST_LISTENERS)), None);
        let filter = Filter::Types(vec!["x".repeat(MOST_OF_FILTERS)]);
        assert_eq!(connection.listen(vec![(name.clone(), Some(filter))]), None);
        assert!(connection.unlisten(&name, 0) && !connection.unlisten(&name, 0));
        assert!(!connection.unlisten(&"a:b=c".parse().unwrap(), 1));
        assert_eq!(connection.listeners().len(), 1);
    }
}
