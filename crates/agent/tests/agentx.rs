//! The master of AgentX (RFC 2741) to subagents that are written here, packet by packet: overlaps with our own objects,
//! contexts, sets over several of them, notifications, indexes, capabilities, and AGENTX-MIB.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

use crate::support;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::UdpSocket;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use support::{Agent, BOTH, PATIENCE, bulk, get, message, next, oid};
use trunkline_agentx::wire::{
    ByteOrder, ErrorCode, IndexRequest, Packet, Pdu, Registration, decode, encode, packet_length,
};
use trunkline_smi::{Bound, Exception, Oid, Value};
use trunkline_snmp::wire::{Message, VarBind, Version};

/// What a subagent answers from, and what it was sent.
#[derive(Default)]
struct Known {
    values: BTreeMap<Oid, Value>,
    /// The names of the PDUs of sets.
    phases: Vec<&'static str>,
    /// The PDU that it fails at, and with which error; a retrieval only if it is of several names.
    fails: Option<(&'static str, u16)>,
    /// The PDUs of retrievals, and of how many names they are.
    read: Vec<(&'static str, usize)>,
}

/// A subagent with one session.
struct Subagent {
    stream: UnixStream,
    order: ByteOrder,
    session: u32,
    packet: u32,
    known: Arc<Mutex<Known>>,
    responses: Receiver<Packet>,
}

/// error, index and bindings of a response.
type Outcome = (u16, u16, Vec<VarBind>);

impl Subagent {
    fn connect(socket: &Path, order: ByteOrder) -> Subagent {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let known: Arc<Mutex<Known>> = Arc::default();
        let (tell, responses) = channel();
        let (mut ours, answers_from) = (stream.try_clone().unwrap(), known.clone());
        thread::spawn(move || {
            let mut octets = Vec::new();
            while let Some(packet) = next_packet(&mut ours, &mut octets) {
                if matches!(packet.pdu, Pdu::Response { .. } | Pdu::Close { .. }) {
                    if tell.send(packet).is_err() {
                        return;
                    }
                    continue;
                }
                let Some(pdu) = answers_from.lock().unwrap().answer(&packet.pdu) else { continue };
                send(&mut ours, &Packet { context: None, pdu, ..packet });
            }
        });
        let mut subagent = Subagent { stream, order, session: 0, packet: 0, known, responses };
        let open =
            Pdu::Open { timeout: 5, id: oid("1.3.6.1.4.1.32473"), description: b"a subagent".to_vec() };
        assert_eq!(subagent.ask(open).0, 0);
        subagent
    }

    fn with(self, values: &[(&str, i32)]) -> Subagent {
        let values = values.iter().map(|(name, value)| (oid(name), Value::Integer(*value)));
        self.known.lock().unwrap().values.extend(values);
        self
    }

    fn ask(&mut self, pdu: Pdu) -> Outcome {
        self.ask_in("", pdu)
    }

    fn ask_in(&mut self, context: &str, pdu: Pdu) -> Outcome {
        self.packet += 1;
        let context = (!context.is_empty()).then(|| context.as_bytes().to_vec());
        let (order, session, packet) = (self.order, self.session, self.packet);
        send(&mut self.stream, &Packet { order, session, transaction: 7, packet, context, pdu });
        let response = self.responses.recv_timeout(PATIENCE).unwrap();
        assert_eq!((response.packet, response.transaction, response.order), (packet, 7, order));
        self.session = response.session;
        let Pdu::Response { error, index, bindings, .. } = response.pdu else { panic!("{response:?}") };
        (error, index, bindings)
    }

    /// The error.
    fn register(&mut self, context: &str, subtree: &str, priority: u8) -> u16 {
        let registration = registration(subtree, priority);
        self.ask_in(context, Pdu::Register(registration)).0
    }

    fn phases(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.known.lock().unwrap().phases)
    }
}

impl Known {
    fn answer(&mut self, pdu: &Pdu) -> Option<Pdu> {
        let missing =
            |name: &Oid, exception| VarBind { name: name.clone(), value: Bound::Exception(exception) };
        let behind = |range: &trunkline_agentx::wire::SearchRange, most: usize| -> Vec<VarBind> {
            let found = self.values.iter().filter(|(name, _)| match range.include {
                true => **name >= range.start,
                false => **name > range.start,
            });
            let found = found.filter(|(name, _)| range.end.as_ref().is_none_or(|end| *name < end));
            let mut found: Vec<VarBind> =
                found.take(most).map(|(name, value)| VarBind::new(name.clone(), value.clone())).collect();
            if found.len() < most {
                found.push(missing(&range.start, Exception::EndOfMibView));
            }
            found
        };
        let mut error = 0;
        if let Pdu::Get(ranges) | Pdu::GetNext(ranges) | Pdu::GetBulk { ranges, .. } = pdu {
            self.read.push((pdu.name(), ranges.len()));
            let is_wrong = |(name, _): &(&str, u16)| *name == pdu.name() && ranges.len() > 1;
            error = self.fails.filter(is_wrong).map_or(0, |(_, code)| code);
        }
        let bindings = match pdu {
            Pdu::Get(ranges) => {
                let instance =
                    |name: &Oid| self.values.get(name).map(|value| VarBind::new(name.clone(), value.clone()));
                let found = ranges.iter().map(|range| {
                    instance(&range.start).unwrap_or_else(|| missing(&range.start, Exception::NoSuchInstance))
                });
                found.collect()
            }
            Pdu::GetNext(ranges) => ranges.iter().flat_map(|range| behind(range, 1)).collect(),
            Pdu::GetBulk { max_repetitions, ranges, .. } => {
                let most = usize::from(*max_repetitions);
                let columns: Vec<_> = ranges.iter().map(|range| (range, behind(range, most))).collect();
                let row = |at: usize| {
                    let cell =
                        move |(range, column): &(&trunkline_agentx::wire::SearchRange, Vec<VarBind>)| {
                            column
                                .get(at)
                                .cloned()
                                .unwrap_or_else(|| missing(&range.start, Exception::EndOfMibView))
                        };
                    columns.iter().map(cell).collect::<Vec<_>>()
                };
                (0..most).flat_map(row).collect()
            }
            set => {
                self.phases.push(set.name());
                if let Some((_, code)) = self.fails.filter(|(name, _)| *name == set.name()) {
                    error = code;
                }
                if let Pdu::CleanupSet = set {
                    return None;
                }
                Vec::new()
            }
        };
        Some(Pdu::Response { sys_up_time: 0, error, index: u16::from(error != 0), bindings })
    }
}

fn registration(subtree: &str, priority: u8) -> Registration {
    Registration { timeout: 0, priority, subtree: oid(subtree), range: None, is_instance: false }
}

fn send(stream: &mut UnixStream, packet: &Packet) {
    let mut octets = Vec::new();
    encode(packet, &mut octets).unwrap();
    // A master that has ended is noticed where something is expected of it.
    let _ = stream.write_all(&octets);
}

fn next_packet(stream: &mut UnixStream, octets: &mut Vec<u8>) -> Option<Packet> {
    loop {
        if let Some(length) = packet_length(octets).unwrap().filter(|length| octets.len() >= *length) {
            let packet = decode(&octets[..length]).unwrap();
            octets.drain(..length);
            return Some(packet);
        }
        let mut more = [0; 4096];
        let count = stream.read(&mut more).unwrap_or(0);
        if count == 0 {
            return None;
        }
        octets.extend(&more[..count]);
    }
}

/// An agent and its socket for subagents.
fn start(more: &str) -> (Agent, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("agentx");
    let config = format!("{BOTH}{more}[agentx]\nlisten = [\"unix:{}\"]\n", socket.display());
    let mut agent = Agent::spawn(folder, &config, &[]);
    agent.wait_for_listeners(3);
    (agent, socket)
}

fn integer(agent: &Agent, name: &str) -> Option<i32> {
    match agent.get(name) {
        Bound::Value(Value::Integer(value)) => Some(value),
        _ => None,
    }
}

fn set(agent: &Agent, bindings: &[(&str, i32)]) -> (i32, i32) {
    let bindings =
        bindings.iter().map(|(name, value)| VarBind::new(oid(name), Value::Integer(*value))).collect();
    let answer = agent.ask(&message(Version::V2c, "private", support::set(bindings)));
    (answer.pdu.error_status, answer.pdu.error_index)
}

fn walk(agent: &Agent, root: &str) -> Vec<Oid> {
    let (root, mut found) = (oid(root), Vec::new());
    let mut last = root.clone();
    loop {
        let request = message(Version::V2c, "public", bulk(0, 20, &[&last.to_string()]));
        for binding in agent.ask(&request).pdu.bindings {
            if !binding.name.starts_with(&root) || matches!(binding.value, Bound::Exception(_)) {
                return found;
            }
            last = binding.name.clone();
            found.push(binding.name);
        }
    }
}

#[test]
fn a_subtree_above_our_objects_fills_their_gaps() {
    let (agent, socket) = start("");
    let mut wide = Subagent::connect(&socket, ByteOrder::Little).with(&[
        ("1.3.6.1.2.1.1.5.0", -1),
        ("1.3.6.1.2.1.1.5.7", -1),
        ("1.3.6.1.2.1.1.77.0", 77),
        ("1.3.6.1.2.1.2.2.1.7.1", -1),
        ("1.3.6.1.2.1.2.2.1.999.1", 999),
    ]);
    let before = walk(&agent, "1.3.6.1.2.1.1");
    let own = agent.get("1.3.6.1.2.1.1.5.0");
    assert_eq!(wide.register("", "1.3.6.1.2.1", 100), 0);
    // Object by object we have registered longer subtrees, whatever the priority.
    assert_eq!(agent.get("1.3.6.1.2.1.1.5.0"), own);
    assert_eq!(agent.get("1.3.6.1.2.1.1.5.7"), Bound::Exception(Exception::NoSuchInstance));
    assert_eq!(integer(&agent, "1.3.6.1.2.1.1.77.0"), Some(77));
    assert_eq!(integer(&agent, "1.3.6.1.2.1.2.2.1.999.1"), Some(999));
    let after = walk(&agent, "1.3.6.1.2.1.1");
    assert!(after.is_sorted() && before.iter().all(|name| after.contains(name)));
    assert_eq!(after.len(), before.len() + 1);

    // Exactly an object of ours: at the same priority we answer, at a better one the subagent.
    assert_eq!(wide.register("", "1.3.6.1.2.1.1.5", 127), 0);
    assert_eq!(agent.get("1.3.6.1.2.1.1.5.0"), own);
    assert_eq!(wide.register("", "1.3.6.1.2.1.1.5", 126), 0);
    assert_eq!(integer(&agent, "1.3.6.1.2.1.1.5.0"), Some(-1));
    assert_eq!(wide.register("", "1.3.6.1.2.1.1.5", 126), ErrorCode::DuplicateRegistration.code());
    let instance_of_column = wide.register("", "1.3.6.1.2.1.2.2.1.7.1", 1);
    assert_eq!(instance_of_column, ErrorCode::RequestDenied.code());
    // Keys, the access policy and the engine are never given away.
    for kept in ["1.3.6.1.6.3.15.1.2.2.1.6", "1.3.6.1.6.3.10.2.1.1", "1.3.6.1.2.1.74.1.3.2.1.4"] {
        assert_eq!(wide.register("", kept, 1), ErrorCode::RequestDenied.code(), "{kept}");
    }
    assert!(agent.wait_for("duplicateRegistration").contains("1.3.6.1.2.1.1.5"));

    // What is taken back, or whose session ends, is ours again.
    assert_eq!(wide.ask(Pdu::Unregister(registration("1.3.6.1.2.1.1.5", 126))).0, 0);
    assert_eq!(agent.get("1.3.6.1.2.1.1.5.0"), own);
    let unknown = wide.ask(Pdu::Unregister(registration("1.3.6.1.2.1.1.5", 126))).0;
    assert_eq!(unknown, ErrorCode::UnknownRegistration.code());
    assert_eq!(wide.ask(Pdu::Close { reason: 5 }).0, 0);
    assert_eq!(wide.ask(Pdu::Ping).0, ErrorCode::NotOpen.code());
    while agent.get("1.3.6.1.2.1.1.77.0") != Bound::Exception(Exception::NoSuchObject) {
        thread::yield_now();
    }
    assert_eq!(walk(&agent, "1.3.6.1.2.1.1"), before);
}

#[test]
fn a_context_of_a_subagent_is_under_the_access_policy() {
    let role = "[[view]]\nname = \"part\"\nrules = [\"1.3.6.1.4.1.32473.7\", \"-1.3.6.1.4.1.32473.7.2\"]\n\
                [[role]]\nname = \"partly\"\nread = \"part\"\ncontext = \"other\"\n\
                [[snmp.community]]\nname = \"elsewhere\"\nrole = \"partly\"\ncontext = \"other\"\n";
    let (agent, socket) = start(role);
    let root = "1.3.6.1.4.1.32473";
    let mut subagent = Subagent::connect(&socket, ByteOrder::Big).with(&[
        ("1.3.6.1.4.1.32473.7.1.0", 1),
        ("1.3.6.1.4.1.32473.7.2.0", 2),
        ("1.3.6.1.4.1.32473.7.3.0", 3),
        ("1.3.6.1.4.1.32473.9.0", 9),
    ]);
    assert_eq!(subagent.register("other", root, 127), 0);
    assert_eq!(agent.get("1.3.6.1.4.1.32473.7.1.0"), Bound::Exception(Exception::NoSuchObject));
    let names = ["1.3.6.1.4.1.32473.7.1.0", "1.3.6.1.4.1.32473.7.2.0", "1.3.6.1.4.1.32473.9.0"];
    let answer = agent.ask(&message(Version::V2c, "elsewhere", get(&names)));
    let values: Vec<Bound> = answer.pdu.bindings.into_iter().map(|binding| binding.value).collect();
    assert_eq!(values[0], Bound::Value(Value::Integer(1)));
    assert!(values[1..].iter().all(|value| matches!(value, Bound::Exception(_))), "{values:?}");
    let answer = agent.ask(&message(Version::V2c, "elsewhere", bulk(0, 10, &["1.3"])));
    let found: Vec<(String, Bound)> =
        answer.pdu.bindings.into_iter().map(|found| (found.name.to_string(), found.value)).collect();
    let integer = |name: &str, value| (name.to_owned(), Bound::Value(Value::Integer(value)));
    assert_eq!(found[..2], [integer(names[0], 1), integer("1.3.6.1.4.1.32473.7.3.0", 3)]);
    assert!(matches!(found[2].1, Bound::Exception(Exception::EndOfMibView)));
    // It may read, not write.
    let written = vec![VarBind::new(oid(names[0]), Value::Integer(5))];
    let answer = agent.ask(&message(Version::V2c, "elsewhere", support::set(written)));
    assert_ne!(answer.pdu.error_status, 0);
    assert_eq!(subagent.phases(), [""; 0]);
    // A context that no rule names exists as long as a subagent answers for it: rules with a prefix cover it.
    let context = "1.3.6.1.6.3.16.1.1.1.1.4.99.116.120.55";
    let exists = || agent.get_as("private", context) == Bound::Value(Value::text("ctx7"));
    // The table may be as old as any other.
    let until = |wanted: bool| {
        let patient = std::time::Instant::now();
        while exists() != wanted {
            assert!(patient.elapsed() < PATIENCE, "vacmContextTable has ctx7: {}", !wanted);
            thread::yield_now();
        }
    };
    assert!(!exists());
    assert_eq!(subagent.register("ctx7", root, 127), 0);
    until(true);
    assert_eq!(subagent.ask_in("ctx7", Pdu::Unregister(registration(root, 127))).0, 0);
    until(false);
}

#[test]
fn a_set_is_tested_committed_and_undone_everywhere() {
    let (agent, socket) = start("");
    let (one, two) = ("1.3.6.1.4.1.32473.1.1.0", "1.3.6.1.4.1.32473.2.1.0");
    let mut first = Subagent::connect(&socket, ByteOrder::Little);
    let mut second = Subagent::connect(&socket, ByteOrder::Big);
    assert_eq!(first.register("", "1.3.6.1.4.1.32473.1", 127), 0);
    assert_eq!(second.register("", "1.3.6.1.4.1.32473.2", 127), 0);
    assert_eq!(set(&agent, &[(one, 1), (two, 2)]), (0, 0));
    for subagent in [&first, &second] {
        let mut phases = Vec::new();
        while phases.len() < 3 {
            phases.extend(subagent.phases());
        }
        assert_eq!(phases, ["TestSet", "CommitSet", "CleanupSet"]);
    }
    // wrongValue (10) in the test of the second one: nothing is committed.
    second.known.lock().unwrap().fails = Some(("TestSet", 10));
    assert_eq!(set(&agent, &[(one, 1), (two, 2)]), (10, 2));
    for subagent in [&first, &second] {
        let mut phases = Vec::new();
        while phases.len() < 2 {
            phases.extend(subagent.phases());
        }
        assert_eq!(phases, ["TestSet", "CleanupSet"]);
    }
    // commitFailed (14) in the commit of the second one: both take it back.
    second.known.lock().unwrap().fails = Some(("CommitSet", 14));
    assert_eq!(set(&agent, &[(one, 1), (two, 2)]), (14, 2));
    for subagent in [&first, &second] {
        assert_eq!(subagent.phases(), ["TestSet", "CommitSet", "UndoSet"]);
    }
    // undoFailed (15) where it does not.
    first.known.lock().unwrap().fails = Some(("UndoSet", 15));
    assert_eq!(set(&agent, &[(one, 1), (two, 2)]).0, 15);
}

/// A row is read at once, and what a subagent refuses together is requested name by name.
#[test]
fn names_of_one_subagent_go_in_one_packet() {
    let (agent, socket) = start("");
    let cells: Vec<(String, i32)> = (1..=3)
        .flat_map(|column| {
            (1..=9).map(move |row| (format!("1.3.6.1.4.1.32473.{column}.1.{row}"), column * 100 + row))
        })
        .collect();
    let values: Vec<(&str, i32)> = cells.iter().map(|(name, value)| (&**name, *value)).collect();
    let mut subagent = Subagent::connect(&socket, ByteOrder::Little).with(&values);
    for column in 1..=3 {
        assert_eq!(subagent.register("", &format!("1.3.6.1.4.1.32473.{column}"), 127), 0);
    }
    let columns = ["1.3.6.1.4.1.32473.1", "1.3.6.1.4.1.32473.2.1.4", "1.3.6.1.4.1.32473.3.1"];
    let names = [
        "1.3.6.1.4.1.32473.1.1.2",
        "1.3.6.1.4.1.32473.3.1.9",
        "1.3.6.1.4.1.32473.2.1.77",
        "1.3.6.1.2.1.1.7.0",
    ];
    let values = |pdu| {
        let values = agent.ask(&message(Version::V2c, "public", pdu)).pdu.bindings.into_iter();
        values
            .map(|binding| match binding.value {
                Bound::Value(Value::Integer(value)) => value,
                _ => 0,
            })
            .collect::<Vec<_>>()
    };
    let read = || std::mem::take(&mut subagent.known.lock().unwrap().read);
    for is_refused in [false, true] {
        for (pdu, name, expected) in [
            (get(&names), "Get", vec![102, 309, 0]),
            (next(&columns), "GetNext", vec![101, 205, 301]),
            (bulk(0, 3, &columns), "GetBulk", vec![101, 205, 301, 102, 206, 302, 103, 207, 303]),
        ] {
            subagent.known.lock().unwrap().fails = is_refused.then_some((name, 5));
            let mut found = values(pdu);
            if name == "Get" {
                // sysServices is our own.
                assert!(found.pop().is_some_and(|services| services > 0));
            }
            assert_eq!(found, expected, "{name}");
            let mut seen = vec![(name, 3)];
            if is_refused {
                // After each refusal the first name alone, then the others together.
                seen = vec![(name, 3), (name, 1), (name, 2), (name, 1), (name, 1)];
            }
            assert_eq!(read(), seen, "{name}");
        }
    }
}

#[test]
fn a_notification_of_a_subagent_goes_to_the_targets() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let target = format!(
        "[[snmp.target]]\nname = \"here\"\naddress = \"udp://{}\"\nversion = \"v2c\"\ncommunity = \"public\"\n",
        socket.local_addr().unwrap()
    );
    let (_agent, path) = start(&target);
    let mut subagent = Subagent::connect(&path, ByteOrder::Little);
    let trap_oid = |value| VarBind::new(oid("1.3.6.1.6.3.1.1.4.1.0"), value);
    let object = VarBind::new(oid("1.3.6.1.4.1.32473.1.0"), Value::Integer(5));
    let wrong = subagent.ask(Pdu::Notify(vec![object.clone()]));
    assert_eq!((wrong.0, wrong.1), (ErrorCode::ProcessingError.code(), 1));
    let large = VarBind::new(oid("1.3.6.1.4.1.32473.2.0"), Value::OctetString(vec![b'x'; 65_000]));
    let name = Value::ObjectIdentifier(oid("1.3.6.1.4.1.32473.0.8"));
    let too_long = subagent.ask(Pdu::Notify(vec![trap_oid(name), large]));
    assert_eq!((too_long.0, too_long.1), (ErrorCode::ProcessingError.code(), 0), "it fits into no message");
    let up_time = VarBind::new(oid("1.3.6.1.2.1.1.3.0"), Value::TimeTicks(7_777_777));
    let no_time = VarBind::new(oid("1.3.6.1.2.1.1.3.0"), Value::Integer(1));
    let name = Value::ObjectIdentifier(oid("1.3.6.1.4.1.32473.0.9"));
    let null = trap_oid(Value::ObjectIdentifier(oid("0.0")));
    for (wrong, index) in [(vec![no_time, trap_oid(name.clone())], 1), (vec![up_time.clone(), null], 2)] {
        let (error, at, _) = subagent.ask(Pdu::Notify(wrong));
        assert_eq!((error, at), (ErrorCode::ProcessingError.code(), index));
    }
    assert_eq!(subagent.ask(Pdu::Notify(vec![up_time.clone(), trap_oid(name.clone()), object.clone()])).0, 0);
    let mut octets = [0; 2048];
    loop {
        let length = socket.recv(&mut octets).unwrap();
        let trap = Message::decode(&octets[..length]).unwrap();
        if trap.pdu.bindings[1] == trap_oid(name.clone()) {
            assert_eq!((&trap.pdu.bindings[0], &trap.pdu.bindings[2]), (&up_time, &object));
            return;
        }
    }
}

#[test]
fn indexes_capabilities_and_sessions_are_accounted_for() {
    let (agent, socket) = start("");
    let mut subagent = Subagent::connect(&socket, ByteOrder::Little);
    let mut other = Subagent::connect(&socket, ByteOrder::Big);
    let request = |value| IndexRequest {
        new_index: false,
        any_index: false,
        bindings: vec![VarBind::new(oid("1.3.6.1.2.1.2.2.1.1"), Value::Integer(value))],
    };
    assert_eq!(subagent.ask(Pdu::IndexAllocate(request(4711))).0, 0);
    let taken = other.ask(Pdu::IndexAllocate(request(4711)));
    assert_eq!((taken.0, taken.1), (ErrorCode::IndexAlreadyAllocated.code(), 1));
    assert_eq!(subagent.ask(Pdu::IndexDeallocate(request(4711))).0, 0);
    assert_eq!(other.ask(Pdu::IndexAllocate(request(4711))).0, 0);

    let id = oid("1.3.6.1.4.1.32473.9");
    let description = b"what it can do".to_vec();
    assert_eq!(subagent.ask(Pdu::AddAgentCaps { id: id.clone(), description }).0, 0);
    let has_row = || {
        let table = message(Version::V2c, "public", bulk(0, 60, &["1.3.6.1.2.1.1.9.1.2"]));
        let value = Bound::Value(Value::ObjectIdentifier(id.clone()));
        agent.ask(&table).pdu.bindings.iter().any(|binding| binding.value == value)
    };
    while !has_row() {
        thread::yield_now();
    }
    assert_eq!(other.ask(Pdu::RemoveAgentCaps { id: id.clone() }).0, ErrorCode::UnknownAgentCaps.code());
    assert_eq!(subagent.ask(Pdu::RemoveAgentCaps { id: id.clone() }).0, 0);
    while has_row() {
        thread::yield_now();
    }

    // agentxSessionDescr of both, and the first one is closed by agentxSessionAdminStatus.
    let sessions = || walk(&agent, "1.3.6.1.2.1.74.1.3.2.1.4");
    while sessions().len() != 2 {
        thread::yield_now();
    }
    let status = sessions().remove(0).to_string();
    assert_eq!(set(&agent, &[(&status, 2)]), (0, 0));
    let closed = subagent.responses.recv_timeout(PATIENCE).unwrap();
    assert_eq!(closed.pdu, Pdu::Close { reason: 6 });
    while sessions().len() != 1 {
        thread::yield_now();
    }
    // The agent's end is the end of all sessions.
    agent.signal("TERM");
    assert_eq!(other.responses.recv_timeout(PATIENCE).unwrap().pdu, Pdu::Close { reason: 5 });
}

#[test]
fn what_a_subagent_may_not_send_is_refused() {
    let (agent, socket) = start("");
    let mut subagent = Subagent::connect(&socket, ByteOrder::Big);
    assert_eq!(subagent.ask(Pdu::CommitSet).0, ErrorCode::ProcessingError.code());
    assert!(agent.wait_for("CommitSet").contains("a subagent"));
    // A packet that ends too early is answered, and the next one is read.
    let mut octets = Vec::new();
    let open = Pdu::Open { timeout: 0, id: Oid::EMPTY, description: vec![b'x'; 8] };
    let (order, session, transaction, packet) = (ByteOrder::Big, subagent.session, 7, 99);
    encode(&Packet { order, session, transaction, packet, context: None, pdu: open }, &mut octets).unwrap();
    octets[20 + 8 + 3] = 200;
    subagent.stream.write_all(&octets).unwrap();
    let response = subagent.responses.recv_timeout(PATIENCE).unwrap();
    let Pdu::Response { error, .. } = response.pdu else { panic!("{response:?}") };
    assert_eq!((response.packet, error), (99, ErrorCode::ParseError.code()));
    assert_eq!(subagent.ask(Pdu::Ping).0, 0);
    // Another protocol is not.
    let mut stranger = UnixStream::connect(&socket).unwrap();
    stranger.set_read_timeout(Some(PATIENCE)).unwrap();
    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert_eq!(stranger.read(&mut [0; 9]).unwrap_or(0), 0);
    assert!(agent.wait_for("is not AgentX").contains("version 71"));
    assert_eq!(subagent.ask(Pdu::Ping).0, 0);
}

/// agentxSessionDescr has up to 255 octets; nothing of what a subagent says beyond them is kept or logged.
#[test]
fn a_long_description_is_cut_off() {
    let (agent, socket) = start("");
    let mut subagent = Subagent::connect(&socket, ByteOrder::Big);
    let open = Pdu::Open { timeout: 5, id: Oid::EMPTY, description: vec![b'm'; 1_000_000] };
    assert_eq!(subagent.ask(open).0, 0);
    let capability = Pdu::AddAgentCaps { id: oid("1.3.6.1.4.1.32473.1"), description: vec![b'c'; 1_000_000] };
    assert_eq!(subagent.ask(capability).0, 0);
    let long = "x".repeat(33);
    let context = subagent.ask_in(&long, Pdu::Register(registration("1.3.6.1.4.1.32473", 1))).0;
    assert_eq!(context, ErrorCode::UnsupportedContext.code());
    // Net-SNMP's library means no time of its own by 255 seconds.
    let unstated = Registration { timeout: 255, ..registration("1.3.6.1.4.1.32473", 1) };
    assert_eq!(subagent.ask(Pdu::Register(unstated)).0, 0);
    let timeouts = walk(&agent, "1.3.6.1.2.1.74.1.4.2.1.7");
    assert_eq!(timeouts.len(), 1, "{timeouts:?}");
    assert_eq!(agent.get(&timeouts[0].to_string()), Bound::Value(Value::Integer(0)));
    let name = format!("1.3.6.1.2.1.74.1.3.2.1.3.1.{}", subagent.session);
    let Bound::Value(Value::OctetString(kept)) = agent.get(&name) else { panic!("{name}") };
    assert_eq!(kept.len(), 255);
    subagent.stream.shutdown(std::net::Shutdown::Both).unwrap();
    for _ in 0..2 {
        let line = agent.wait_for("a subagent has gone");
        assert!(line.len() < 1000, "{}", line.len());
    }
}

/// One silent subagent costs a walk its time limit once, whatever it has registered in however many sessions.
#[test]
fn silent_sessions_of_one_connection_are_passed_over_together() {
    let (agent, socket) = start("");
    let mut silent = Subagent::connect(&socket, ByteOrder::Big);
    for number in 1..=150 {
        let (open, subtree) = (
            Pdu::Open { timeout: 1, id: Oid::EMPTY, description: Vec::new() },
            format!("1.3.6.1.4.1.32473.{number}"),
        );
        assert_eq!(silent.ask(open).0, 0);
        assert_eq!(silent.register("", &subtree, 127), 0);
    }
    // Its answers are awaited under this lock.
    let known = silent.known.clone();
    let _silence = known.lock().unwrap();
    let mut mute = agent.ask(&message(Version::V2c, "public", next(&["1.3.6.1.4.1.32473"])));
    let behind = mute.pdu.bindings.remove(0).name;
    assert!(!behind.starts_with(&oid("1.3.6.1.4.1.32473")), "{behind}");
    // Its pause is longer than this takes: it is not asked, and nothing waits.
    let again = agent.ask(&message(Version::V2c, "public", next(&["1.3.6.1.4.1.32473"])));
    assert_eq!(again.pdu.bindings[0].name, behind);
}

/// Packets that are not complete are bounded, each before the first session and all together.
#[test]
fn incomplete_packets_are_bounded() {
    let (agent, socket) = start("");
    let mut header = vec![1, 1, 16, 0];
    header.extend([0; 12]);
    header.extend(1_000_000_u32.to_be_bytes());
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream.write_all(&header).unwrap();
    // The agent ends the connection after 64 KiB: the rest is refused, if not by this write then by the read.
    let _ = stream.write_all(&vec![0; 900_000]);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(agent.wait_for("connection is closed").contains("without a session"));
    // With sessions, all together.
    let mut held = Vec::new();
    for _ in 0..20 {
        let mut subagent = Subagent::connect(&socket, ByteOrder::Big);
        subagent.stream.write_all(&header).unwrap();
        let _ = subagent.stream.write_all(&vec![0; 950_000]);
        held.push(subagent);
    }
    assert!(agent.wait_for("connection is closed").contains("over all connections"));
}

/// The shortest subtree there is; names that begin with one sub-identifier are no others for it.
#[test]
fn a_subtree_of_one_number_has_its_names() {
    let (agent, socket) = start("");
    let mut subagent =
        Subagent::connect(&socket, ByteOrder::Big).with(&[("1.2.3", 1), ("1.3.6.1.4.1.32473.1.0", 2)]);
    assert_eq!(subagent.register("", "1", 127), 0);
    for (name, value) in [("1.2.3", 1), ("1.3.6.1.4.1.32473.1.0", 2)] {
        let answer = agent.ask(&message(Version::V2c, "public", get(&[name])));
        assert_eq!(answer.pdu.bindings, [VarBind::new(oid(name), Value::Integer(value))]);
    }
    let answer = agent.ask(&message(Version::V2c, "public", next(&["1.2"])));
    assert_eq!(answer.pdu.bindings[0].name, oid("1.2.3"));
    // What no message can hold is not registered, and not passed on.
    for strange in ["1.40.1", "3.1"] {
        let registered = subagent.register("", strange, 127);
        assert_eq!(registered, ErrorCode::RequestDenied.code(), "{strange}");
    }
    let name = oid("1.3.6.1.4.1.32473.1.0");
    let strange = Value::ObjectIdentifier(Oid::from([1, 45, 7]));
    subagent.known.lock().unwrap().values.insert(name.clone(), strange);
    let answer = agent.ask(&message(Version::V2c, "public", get(&[&name.to_string()])));
    assert_eq!((answer.pdu.error_status, answer.pdu.error_index), (5, 1), "genErr");
}
