//! AGENTX-MIB as managers see it.

use std::sync::{Mutex, PoisonError};

use trunkline_testkit::battery;
use trunkline_tree::SetStatus;

use super::*;
use crate::testing::{Bench, int, text};

/// Subagents that a test invents.
struct Invented(Mutex<AgentxState>);

impl AgentxView for Invented {
    fn state(&self) -> Option<AgentxState> {
        Some(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn close_session(&self, session: u32) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = state.sessions.len();
        state.sessions.retain(|known| known.index != session);
        state.registrations.retain(|registration| registration.session != session);
        state.sessions.len() != before
    }
}

fn session(connection: u32, index: u32, description: &[u8]) -> AgentxSession {
    let id = Oid::from([1, 3, 6, 1, 4, 1, 8072]);
    AgentxSession { connection, index, id, description: description.to_vec(), opened: 1200, timeout: 5 }
}

fn invented() -> Arc<Invented> {
    let tcp = |address: &str| Endpoint::Tcp(address.parse().unwrap());
    let connection = |index, peer| AgentxConnection { index, opened: 1100, peer };
    let registration = AgentxRegistration {
        connection: 1,
        session: 7,
        index: 3,
        context: b"ctx".to_vec(),
        start: Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 1, 7]),
        range: Some((10, 22)),
        priority: 100,
        timeout: 9,
        is_instance: true,
    };
    let whole = AgentxRegistration { index: 4, range: None, is_instance: false, ..registration.clone() };
    Arc::new(Invented(Mutex::new(AgentxState {
        default_timeout: 1,
        connections: vec![
            connection(1, Endpoint::Unix("/var/agentx/master".into())),
            connection(2, tcp("127.0.0.1:40000")),
            connection(3, tcp("[::1]:40001")),
        ],
        connections_changed: 1101,
        sessions: vec![
            session(1, 7, b"zebra"),
            AgentxSession { id: Oid::EMPTY, ..session(2, 8, &[0xff; 300]) },
        ],
        sessions_changed: 1201,
        registrations: vec![registration, whole],
        registrations_changed: 1301,
    })))
}

fn bench(view: &Arc<Invented>) -> Bench {
    Bench::new(Arc::new(AgentxGroup::new(view.clone())))
}

#[test]
fn it_passes_the_battery() {
    battery::check(Arc::new(AgentxGroup::new(invented())));
    battery::check(Arc::new(AgentxGroup::new(Arc::new(Invented(Mutex::default())))));
}

#[test]
fn general_objects() {
    let bench = bench(&invented());
    let scalar = |name| bench.get(name, &[0]);
    assert_eq!(scalar("agentxDefaultTimeout"), Some(int(1)));
    assert_eq!(scalar("agentxMasterAgentXVer"), Some(int(1)));
    assert_eq!(scalar("agentxConnTableLastChange"), Some(Value::TimeTicks(1101)));
    assert_eq!(scalar("agentxSessionTableLastChange"), Some(Value::TimeTicks(1201)));
    assert_eq!(scalar("agentxRegistrationTableLastChange"), Some(Value::TimeTicks(1301)));
}

#[test]
fn connections_have_the_address_of_their_peer() {
    let bench = bench(&invented());
    let row = |index| {
        let column = |name| bench.get(name, &[index]);
        (column("agentxConnTransportDomain"), column("agentxConnTransportAddress"))
    };
    let domain = |last| Some(Value::ObjectIdentifier(Oid::from([1, 3, 6, 1, 2, 1, 100, 1, last])));
    assert_eq!(row(1), (domain(13), Some(text("/var/agentx/master"))));
    let tcp4 = Value::OctetString(vec![127, 0, 0, 1, 0x9c, 0x40]);
    assert_eq!(row(2), (domain(5), Some(tcp4)));
    let tcp6 = [&[0; 15][..], &[1, 0x9c, 0x41]].concat();
    assert_eq!(row(3), (domain(6), Some(Value::OctetString(tcp6))));
    assert_eq!(bench.get("agentxConnOpenTime", &[1]), Some(Value::TimeTicks(1100)));
}

#[test]
fn sessions_say_what_their_subagent_is() {
    let bench = bench(&invented());
    let column = |name| bench.get(name, &[1, 7]);
    let id = Value::ObjectIdentifier(Oid::from([1, 3, 6, 1, 4, 1, 8072]));
    assert_eq!(column("agentxSessionObjectID"), Some(id));
    assert_eq!(column("agentxSessionDescr"), Some(text("zebra")));
    assert_eq!(column("agentxSessionAdminStatus"), Some(int(1)));
    assert_eq!(column("agentxSessionOpenTime"), Some(Value::TimeTicks(1200)));
    assert_eq!(column("agentxSessionAgentXVer"), Some(int(1)));
    assert_eq!(column("agentxSessionTimeout"), Some(int(5)));
    // What is neither UTF-8 nor short is made so.
    assert_eq!(bench.get("agentxSessionDescr", &[2, 8]), Some(text(&"\u{fffd}".repeat(85))));
    let nothing = Value::ObjectIdentifier(Oid::from([0, 0]));
    assert_eq!(bench.get("agentxSessionObjectID", &[2, 8]), Some(nothing));
}

#[test]
fn registrations_are_shown_as_they_were_made() {
    let bench = bench(&invented());
    let column = |name| bench.get(name, &[1, 7, 3]);
    assert_eq!(column("agentxRegContext"), Some(text("ctx")));
    let start = Value::ObjectIdentifier(Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 1, 7]));
    assert_eq!(column("agentxRegStart"), Some(start));
    assert_eq!(column("agentxRegRangeSubId"), Some(Value::Unsigned32(10)));
    assert_eq!(column("agentxRegUpperBound"), Some(Value::Unsigned32(22)));
    assert_eq!(column("agentxRegPriority"), Some(Value::Unsigned32(100)));
    assert_eq!(column("agentxRegTimeout"), Some(int(9)));
    assert_eq!(column("agentxRegInstance"), Some(int(1)));
    assert_eq!(bench.get("agentxRegRangeSubId", &[1, 7, 4]), Some(Value::Unsigned32(0)));
    assert_eq!(bench.get("agentxRegInstance", &[1, 7, 4]), Some(int(2)));
}

#[test]
fn a_manager_closes_a_session() {
    let view = invented();
    let bench = bench(&view);
    let status = |session: &'static [u32], value| [("agentxSessionAdminStatus", session, int(value))];
    assert_eq!(bench.set(&status(&[1, 7], 1)), Ok(()));
    assert_eq!(view.state().unwrap().sessions.len(), 2, "it is up already");
    assert_eq!(bench.set(&status(&[1, 9], 2)), Err((SetStatus::NoCreation, 0)));
    assert_eq!(bench.set(&status(&[2, 7], 2)), Err((SetStatus::NoCreation, 0)), "of another connection");
    assert_eq!(bench.set(&status(&[1, 7], 3)), Err((SetStatus::WrongValue, 0)));
    assert_eq!(bench.set(&status(&[1, 7], 2)), Ok(()));
    assert_eq!(view.state().unwrap().sessions.len(), 1);
    assert_eq!(bench.get("agentxSessionAdminStatus", &[1, 7]), None);
    assert_eq!(bench.get("agentxRegPriority", &[1, 7, 3]), None);
}

#[test]
fn what_is_closed_stays_closed() {
    let view = invented();
    let group = AgentxGroup::new(view.clone());
    let object = Oid::from([1, 3, 6, 1, 2, 1, 74, 1, 3, 2, 1, 4]);
    let item = |index| SetItem {
        binding: 4,
        object: &object,
        name: "agentxSessionAdminStatus",
        index,
        value: ValueRef::Integer(DOWN),
    };
    let items = [item(&[1, 7])];
    let mut closing = group.prepare_set(&items).unwrap();
    let mut again = group.prepare_set(&items).unwrap();
    closing.commit().unwrap();
    let error = closing.undo().unwrap_err();
    assert_eq!((error.binding, error.check), (4, SetCheck::CommitFailed));
    // The second of two managers finds it closed, as it wanted.
    assert_eq!((again.commit(), again.undo()), (Ok(()), Ok(())));
}
