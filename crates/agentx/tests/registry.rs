//! Sessions, registrations and capabilities of a master.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use trunkline_agentx::registry::{Capability, Limits, Registry, Session};
use trunkline_agentx::wire::{ByteOrder, ErrorCode, Registration};
use trunkline_smi::Oid;

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

fn session(description: &str) -> Session {
    let description = description.as_bytes().to_vec();
    Session { timeout: 3, id: Oid::EMPTY, description, order: ByteOrder::Little, opened: 42 }
}

fn at(subtree: &str) -> Registration {
    Registration { timeout: 0, priority: 127, subtree: oid(subtree), range: None, is_instance: false }
}

fn roots(registry: &Registry) -> Vec<String> {
    let line = |subtree: trunkline_agentx::registry::Subtree<'_>| {
        let context = String::from_utf8_lossy(subtree.context).into_owned();
        format!("{context}/{} p{} s{}", subtree.root, subtree.priority, subtree.session)
    };
    registry.subtrees().map(line).collect()
}

#[test]
fn numbers_of_sessions_are_not_used_again() {
    let mut registry = Registry::new(Limits::default());
    let first = registry.open(7, session("a")).unwrap();
    let second = registry.open(7, session("b")).unwrap();
    assert_eq!((first, second), (1, 2));
    assert_eq!(registry.close(first).unwrap(), session("a"));
    assert_eq!(registry.close(first), Err(ErrorCode::NotOpen));
    assert_eq!(registry.open(8, session("c")), Ok(3));
    assert_eq!(registry.connection_of(second), Some(7));
    assert_eq!(registry.session(first), None);
    let all: Vec<(u32, u64)> =
        registry.sessions().map(|(number, connection, _)| (number, connection)).collect();
    assert_eq!(all, [(2, 7), (3, 8)]);
}

#[test]
fn what_is_registered_ends_with_its_session_and_its_connection() {
    let mut registry = Registry::new(Limits::default());
    let [a, b, c] = [7, 7, 8].map(|connection| registry.open(connection, session("")).unwrap());
    registry.register(a, b"", &at("1.3.1")).unwrap();
    registry.register(b, b"", &at("1.3.2")).unwrap();
    registry.register(c, b"ctx", &at("1.3.1")).unwrap();
    let capability = Capability { context: vec![], id: oid("1.3"), description: vec![], since: 1 };
    registry.add_capability(a, capability).unwrap();
    registry.close(a).unwrap();
    assert_eq!(roots(&registry), ["/1.3.2 p127 s2", "ctx/1.3.1 p127 s3"]);
    assert_eq!(registry.capabilities().count(), 0);
    assert_eq!(registry.close_connection(7), [b]);
    assert_eq!(roots(&registry), ["ctx/1.3.1 p127 s3"]);
    assert_eq!(registry.contexts().collect::<Vec<_>>(), [b"ctx"]);
    assert_eq!(registry.registrations().count(), 1);
    assert_eq!(registry.register(a, b"", &at("1.3.1")), Err(ErrorCode::NotOpen));
    assert_eq!(registry.unregister(a, b"", &at("1.3.1")), Err(ErrorCode::NotOpen));
}

#[test]
fn the_same_subtree_context_and_priority_once() {
    let mut registry = Registry::new(Limits::default());
    let [a, b] = [1, 2].map(|connection| registry.open(connection, session("")).unwrap());
    registry.register(a, b"", &at("1.3.1")).unwrap();
    for session in [a, b] {
        assert_eq!(registry.register(session, b"", &at("1.3.1")), Err(ErrorCode::DuplicateRegistration));
    }
    registry.register(b, b"ctx", &at("1.3.1")).unwrap();
    registry.register(b, b"", &Registration { priority: 100, ..at("1.3.1") }).unwrap();
    registry.register(b, b"", &at("1.3.1.1")).unwrap();
    let expected = ["/1.3.1 p100 s2", "/1.3.1 p127 s1", "/1.3.1.1 p127 s2", "ctx/1.3.1 p127 s2"];
    assert_eq!(roots(&registry), expected);
    assert_eq!(registry.subtrees_of(b"ctx").count(), 1);
    assert_eq!(registry.subtrees_of(b"other").count(), 0);
}

#[test]
fn a_range_is_several_subtrees_and_one_registration() {
    let mut registry = Registry::new(Limits::default());
    let a = registry.open(1, session("")).unwrap();
    let row = Registration { range: Some((4, 3)), is_instance: true, timeout: 9, ..at("1.3.9.1.7") };
    let number = registry.register(a, b"", &row).unwrap();
    let expected = ["/1.3.9.1.7 p127 s1", "/1.3.9.2.7 p127 s1", "/1.3.9.3.7 p127 s1"];
    assert_eq!(roots(&registry), expected);
    assert!(
        registry
            .subtrees()
            .all(|subtree| { subtree.is_instance && subtree.timeout == 9 && subtree.registration == number })
    );
    assert_eq!(registry.registrations().count(), 1);

    // One of them is somebody's already: nothing is registered.
    let overlap = Registration { range: Some((4, 5)), ..at("1.3.9.3.7") };
    assert_eq!(registry.register(a, b"", &overlap), Err(ErrorCode::DuplicateRegistration));
    assert_eq!(registry.subtrees().count(), 3);

    for other in [
        at("1.3.9.1.7"),
        Registration { range: Some((4, 2)), ..row.clone() },
        Registration { priority: 1, ..row.clone() },
    ] {
        assert_eq!(registry.unregister(a, b"", &other), Err(ErrorCode::UnknownRegistration));
    }
    assert_eq!(registry.unregister(a, b"ctx", &row), Err(ErrorCode::UnknownRegistration));
    // A subagent does not repeat what is not sent.
    let sent = Registration { timeout: 0, is_instance: false, ..row };
    assert_eq!(registry.unregister(a, b"", &sent), Ok(number));
    assert_eq!(roots(&registry), [""; 0]);
}

#[test]
fn a_session_takes_back_only_its_own() {
    let mut registry = Registry::new(Limits::default());
    let [a, b] = [1, 2].map(|connection| registry.open(connection, session("")).unwrap());
    registry.register(a, b"", &at("1.3.1")).unwrap();
    assert_eq!(registry.unregister(b, b"", &at("1.3.1")), Err(ErrorCode::UnknownRegistration));
    assert_eq!(registry.subtrees().count(), 1);
}

#[test]
fn ranges_that_cannot_be() {
    let mut registry = Registry::new(Limits { subtrees_of_registration: 10, ..Limits::default() });
    let a = registry.open(1, session("")).unwrap();
    let with = |range| Registration { range: Some(range), ..at("1.3.5.7") };
    let mut register = |range| registry.register(a, b"", &with(range));
    assert_eq!(register((5, 9)), Err(ErrorCode::ProcessingError), "there is no fifth sub-identifier");
    assert_eq!(register((3, 4)), Err(ErrorCode::ProcessingError), "it ends before it begins");
    assert_eq!(register((3, 15)), Err(ErrorCode::RequestDenied), "eleven");
    assert_eq!(register((3, u32::MAX)), Err(ErrorCode::RequestDenied));
    assert!(register((3, 14)).is_ok(), "ten");
    assert_eq!(registry.subtrees().count(), 10);
}

#[test]
fn limits_hold() {
    let limits = Limits {
        sessions: 3,
        sessions_of_connection: 2,
        subtrees: 3,
        subtrees_of_registration: 10,
        capabilities_of_session: 1,
    };
    let mut registry = Registry::new(limits);
    let a = registry.open(1, session("")).unwrap();
    registry.open(1, session("")).unwrap();
    assert_eq!(registry.open(1, session("")), Err(ErrorCode::OpenFailed), "of one connection");
    registry.open(2, session("")).unwrap();
    assert_eq!(registry.open(3, session("")), Err(ErrorCode::OpenFailed), "of all");

    registry.register(a, b"", &Registration { range: Some((3, 2)), ..at("1.3.1") }).unwrap();
    let two = Registration { range: Some((3, 9)), ..at("1.3.8") };
    assert_eq!(registry.register(a, b"", &two), Err(ErrorCode::RequestDenied));
    registry.register(a, b"", &at("1.3.8")).unwrap();
    registry.unregister(a, b"", &at("1.3.8")).unwrap();
    registry.register(a, b"", &at("1.3.9")).unwrap();

    let capability = Capability { context: vec![], id: oid("1.3"), description: vec![], since: 1 };
    registry.add_capability(a, capability.clone()).unwrap();
    assert_eq!(registry.add_capability(a, capability), Err(ErrorCode::RequestDenied));
}

#[test]
fn capabilities_are_taken_back_by_context_and_name() {
    let mut registry = Registry::new(Limits::default());
    let a = registry.open(1, session("")).unwrap();
    assert_eq!(registry.remove_capability(a, b"", &oid("1.3")), Err(ErrorCode::UnknownAgentCaps));
    let capability = Capability { context: vec![], id: oid("1.3"), description: b"x".to_vec(), since: 1 };
    registry.add_capability(a, capability.clone()).unwrap();
    assert_eq!(registry.capabilities().collect::<Vec<_>>(), [(a, &capability)]);
    assert_eq!(registry.remove_capability(a, b"ctx", &oid("1.3")), Err(ErrorCode::UnknownAgentCaps));
    assert_eq!(registry.remove_capability(a, b"", &oid("1.4")), Err(ErrorCode::UnknownAgentCaps));
    assert_eq!(registry.remove_capability(a, b"", &oid("1.3")), Ok(()));
    assert_eq!(registry.capabilities().count(), 0);
    assert_eq!(registry.remove_capability(9, b"", &oid("1.3")), Err(ErrorCode::NotOpen));
}
