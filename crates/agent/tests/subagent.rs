//! The agent as a subagent (RFC 2741), under a master that is written here packet by packet.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

use crate::support;

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};

use support::{Agent, PATIENCE, oid};
use trunkline_agentx::wire::{ByteOrder, ErrorCode, Packet, Pdu, SearchRange, decode, encode, packet_length};
use trunkline_smi::{Bound, Exception, Value, VarBind};

/// sysDescr.0 to sysServices.0, without sysORLastChange; then the entry of sysORTable.
const SYSTEM: &str = "1.3.6.1.2.1.1";
const CONTACT: &str = "1.3.6.1.2.1.1.4.0";
const NUMBER: u32 = 77;

/// A connection of the subagent.
struct Connection {
    stream: UnixStream,
    octets: Vec<u8>,
    packet: u32,
    transaction: u32,
}

impl Connection {
    fn accept(listener: &UnixListener) -> Connection {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Connection { stream, octets: Vec::new(), packet: 1000, transaction: 1 }
    }

    /// The next packet; `None` at the end.
    fn next(&mut self) -> Option<Packet> {
        loop {
            if let Some(length) = packet_length(&self.octets).unwrap()
                && self.octets.len() >= length
            {
                let packet = decode(&self.octets[..length]).unwrap();
                self.octets.drain(..length);
                return Some(packet);
            }
            let mut more = [0; 4096];
            let count = self.stream.read(&mut more).unwrap();
            if count == 0 {
                return None;
            }
            self.octets.extend(&more[..count]);
        }
    }

    fn send(&mut self, packet: &Packet) {
        let mut octets = Vec::new();
        encode(packet, &mut octets).unwrap();
        self.stream.write_all(&octets).unwrap();
    }

    /// Answers a request of the subagent.
    fn respond(&mut self, to: &Packet, error: u16) {
        let pdu = Pdu::Response { sys_up_time: 5, error, index: 0, bindings: Vec::new() };
        self.send(&Packet { session: NUMBER, context: None, pdu, ..to.clone() });
    }

    /// Opens the session and accepts every registration but one; returns what is registered.
    fn open(&mut self, refused: &str, count: usize) -> Vec<(String, u8, bool)> {
        let open = self.next().unwrap();
        assert!(matches!(open.pdu, Pdu::Open { timeout: 5, .. }), "{open:?}");
        self.respond(&open, 0);
        let mut registered = Vec::new();
        while registered.len() < count {
            let packet = self.next().unwrap();
            assert_eq!(packet.session, NUMBER);
            let Pdu::Register(registration) = &packet.pdu else { panic!("{packet:?}") };
            let subtree = registration.subtree.to_string();
            let error = if subtree == refused { ErrorCode::DuplicateRegistration.code() } else { 0 };
            registered.push((subtree, registration.priority, registration.is_instance));
            self.respond(&packet, error);
        }
        registered
    }

    fn ask(&mut self, pdu: Pdu) -> (u16, u16, Vec<VarBind>) {
        self.ask_in(NUMBER, None, pdu)
    }

    fn ask_in(&mut self, session: u32, context: Option<&str>, pdu: Pdu) -> (u16, u16, Vec<VarBind>) {
        self.packet += 1;
        let (packet, transaction) = (self.packet, self.transaction);
        let context = context.map(|context| context.as_bytes().to_vec());
        self.send(&Packet { order: ByteOrder::Big, session, transaction, packet, context, pdu });
        let answer = self.next().unwrap();
        let Pdu::Response { error, index, bindings, .. } = answer.pdu else { panic!("{answer:?}") };
        assert_eq!((answer.packet, answer.transaction), (packet, transaction));
        (error, index, bindings)
    }

    fn set(&mut self, transaction: u32, bindings: &[(&str, Value)]) -> (u16, u16) {
        self.transaction = transaction;
        let bindings = bindings.iter().map(|(name, value)| VarBind::new(oid(name), value.clone())).collect();
        let (error, index, _) = self.ask(Pdu::TestSet(bindings));
        (error, index)
    }

    fn contact(&mut self) -> String {
        let (_, _, bindings) = self.ask(Pdu::Get(vec![range(CONTACT, None, false)]));
        let Some(Value::OctetString(octets)) = bindings[0].value.value() else { panic!("{bindings:?}") };
        String::from_utf8(octets.to_vec()).unwrap()
    }
}

fn range(start: &str, end: Option<&str>, include: bool) -> SearchRange {
    SearchRange { start: oid(start), include, end: end.map(oid) }
}

fn text(text: &str) -> Value {
    Value::OctetString(text.as_bytes().into())
}

fn names(bindings: &[VarBind]) -> Vec<String> {
    bindings
        .iter()
        .map(|binding| match &binding.value {
            Bound::Exception(exception) => format!("{} {exception}", binding.name),
            _ => binding.name.to_string(),
        })
        .collect()
}

/// The agent with this section, and where it connects.
fn start(more: &str) -> (Agent, UnixListener) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("master");
    let listener = UnixListener::bind(&socket).unwrap();
    let config = format!(
        "[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n[subagent]\nmaster = \"unix:{}\"\n\
         register = [\"{SYSTEM}\"]\n{more}",
        socket.display()
    );
    (Agent::spawn(folder, &config, &[]), listener)
}

/// sysContact that is configured cannot be set.
const FIRST: &str = "[system]\ncontact = \"first\"\n";

/// sysDescr to sysServices and sysORLastChange, and sysORTable.
const REGISTERED: usize = 9;

#[test]
fn what_is_registered_is_read() {
    let (agent, listener) = start(&format!("priority = 90\n{FIRST}"));
    let mut master = Connection::accept(&listener);
    let registered = master.open("1.3.6.1.2.1.1.9.1", REGISTERED);
    assert_eq!(registered[0], ("1.3.6.1.2.1.1.1.0".into(), 90, true));
    assert_eq!(registered[REGISTERED - 1], ("1.3.6.1.2.1.1.9.1".into(), 90, false));
    agent.wait_for("the master refuses a registration");
    agent.wait_for("a subagent of this master");

    let get = [CONTACT, "1.3.6.1.2.1.1.4.1", "1.3.6.1.2.1.2.1.0"].map(|name| range(name, None, false));
    let (error, _, found) = master.ask(Pdu::Get(get.to_vec()));
    let expected = [CONTACT, "1.3.6.1.2.1.1.4.1 noSuchObject", "1.3.6.1.2.1.2.1.0 noSuchObject"];
    assert_eq!((error, names(&found)), (0, expected.map(String::from).to_vec()));
    assert_eq!(found[0].value.value(), Some(&text("first")));

    let next = vec![
        range(CONTACT, Some("1.3.6.1.2.1.1.6"), false),
        range(CONTACT, Some("1.3.6.1.2.1.1.6"), true),
        range("1.3.6.1.2.1.1.4", Some("1.3.6.1.2.1.1.5"), true),
        range(CONTACT, Some("1.3.6.1.2.1.1.5"), false),
        range("1.3.6.1.2.1.1.9.9", None, false),
    ];
    let (error, _, found) = master.ask(Pdu::GetNext(next));
    let expected = [
        "1.3.6.1.2.1.1.5.0",
        CONTACT,
        CONTACT,
        "1.3.6.1.2.1.1.4.0 endOfMibView",
        "1.3.6.1.2.1.1.9.9 endOfMibView",
    ];
    assert_eq!((error, names(&found)), (0, expected.map(String::from).to_vec()));

    let ranges = vec![
        range("1.3.6.1.2.1.1.1", Some("1.3.6.1.2.1.1.2"), false),
        range("1.3.6.1.2.1.1.4.0", Some("1.3.6.1.2.1.1.7"), true),
        range("1.3.6.1.2.1.1.5", Some("1.3.6.1.2.1.1.6"), false),
    ];
    let (error, _, found) = master.ask(Pdu::GetBulk { non_repeaters: 1, max_repetitions: 4, ranges });
    let expected = [
        "1.3.6.1.2.1.1.1.0",
        CONTACT,
        "1.3.6.1.2.1.1.5.0",
        "1.3.6.1.2.1.1.5.0",
        "1.3.6.1.2.1.1.5.0 endOfMibView",
        "1.3.6.1.2.1.1.6.0",
        "1.3.6.1.2.1.1.5.0 endOfMibView",
    ];
    assert_eq!((error, names(&found)), (0, expected.map(String::from).to_vec()));

    // Without a user nothing is set; other sessions and contexts are not ours.
    assert_eq!(master.set(2, &[(CONTACT, text("second"))]), (17, 1));
    let ask = || Pdu::Get(vec![range(CONTACT, None, false)]);
    assert_eq!(master.ask_in(NUMBER + 1, None, ask()).0, ErrorCode::NotOpen.code());
    assert_eq!(master.ask_in(NUMBER, Some("other"), ask()).0, ErrorCode::UnsupportedContext.code());
    assert_eq!(master.ask(Pdu::Ping).0, ErrorCode::ProcessingError.code());
    let end = Exception::EndOfMibView;
    assert_eq!(
        master.ask(Pdu::GetBulk {
            non_repeaters: 0,
            max_repetitions: 0,
            ranges: vec![range(CONTACT, None, false)]
        }),
        (0, 0, Vec::new()),
        "{end}"
    );

    agent.signal("TERM");
    let last = master.next().unwrap();
    assert!(matches!(last.pdu, Pdu::Close { reason: 5 }), "{last:?}");
}

#[test]
fn sets_are_tested_made_and_undone_by_the_rights_of_the_user() {
    let user = "user = \"ann\"\n[[snmp.user]]\nname = \"ann\"\nauth = \"SHA-256\"\npriv = \"AES\"\npassword = \"maplesyrup\"\n\
                role = \"contact\"\n[[role]]\nname = \"contact\"\nread = [\"1.3.6.1.2.1.1\"]\nwrite = [\"1.3.6.1.2.1.1.4\"]\n";
    let (_agent, listener) = start(user);
    let mut master = Connection::accept(&listener);
    master.open("", REGISTERED);
    let second = (CONTACT, text("second"));

    // A test alone changes nothing; it names what is wrong.
    assert_eq!(master.set(2, std::slice::from_ref(&second)), (0, 0));
    assert_eq!(master.contact(), "");
    assert_eq!(master.set(3, &[second.clone(), ("1.3.6.1.2.1.1.6.0", text("here"))]), (6, 2), "noAccess");
    assert_eq!(master.set(4, &[(CONTACT, Value::Integer(1))]), (7, 1), "wrongType");
    assert_eq!(master.set(4, &[("1.3.6.1.2.1.1.4.1", text("x"))]), (17, 1), "it is not registered");
    // Committed, and kept.
    master.transaction = 2;
    assert_eq!(master.ask(Pdu::CommitSet).0, 0);
    assert_eq!(master.contact(), "second");
    master.packet += 1;
    let (packet, transaction) = (master.packet, master.transaction);
    let pdu = Pdu::CleanupSet;
    master.send(&Packet { order: ByteOrder::Big, session: NUMBER, transaction, packet, context: None, pdu });
    assert_eq!(master.contact(), "second", "a CleanupSet has no answer");
    assert_eq!(master.ask(Pdu::UndoSet).0, 15, "it is over");
    // Committed and undone.
    assert_eq!(master.set(5, &[(CONTACT, text("third"))]), (0, 0));
    assert_eq!(master.ask(Pdu::CommitSet).0, 0);
    assert_eq!(master.contact(), "third");
    assert_eq!(master.ask(Pdu::UndoSet).0, 0);
    assert_eq!(master.contact(), "second");
    master.transaction = 99;
    assert_eq!(master.ask(Pdu::CommitSet).0, 14, "it was never tested");
    // Many that are never ended.
    for transaction in 100..200 {
        assert_eq!(master.set(transaction, &[(CONTACT, text("x"))]), (0, 0));
    }
    master.transaction = 199;
    assert_eq!(master.ask(Pdu::CommitSet).0, 0);
    assert_eq!(master.contact(), "x");
}

#[test]
fn it_comes_back_to_a_master_that_fails() {
    let (mut agent, listener) = start(FIRST);
    // Refuses the session.
    let mut master = Connection::accept(&listener);
    let open = master.next().unwrap();
    master.respond(&open, ErrorCode::OpenFailed.code());
    agent.wait_for("openFailed");
    // Sends what is not AgentX.
    let mut master = Connection::accept(&listener);
    master.open("", REGISTERED);
    master.stream.write_all(&[9; 40]).unwrap();
    assert!(master.next().is_none());
    // Sends packets that cannot be read, and responses to nothing, and is asked on.
    let mut master = Connection::accept(&listener);
    master.open("", REGISTERED);
    let mut octets = Vec::new();
    let pdu = Pdu::Get(vec![range(CONTACT, None, false)]);
    let packet =
        Packet { order: ByteOrder::Big, session: NUMBER, transaction: 1, packet: 5, context: None, pdu };
    encode(&packet, &mut octets).unwrap();
    // A prefix and a length that do not fit into the payload.
    octets[20] = 255;
    master.stream.write_all(&octets).unwrap();
    let answer = master.next().unwrap();
    assert!(
        matches!(answer.pdu, Pdu::Response { error, .. } if error == ErrorCode::ParseError.code()),
        "{answer:?}"
    );
    master.respond(&packet, 0);
    assert_eq!(master.contact(), "first");
    // Closes it.
    let pdu = Pdu::Close { reason: 6 };
    master.send(&Packet {
        order: ByteOrder::Big,
        session: NUMBER,
        transaction: 1,
        packet: 9,
        context: None,
        pdu,
    });
    assert!(master.next().is_none());
    let mut master = Connection::accept(&listener);
    master.open("", REGISTERED);
    assert_eq!(master.contact(), "first");
    assert!(agent.is_alive());
}

#[test]
fn a_reload_changes_what_is_registered() {
    let (agent, listener) = start(FIRST);
    let mut master = Connection::accept(&listener);
    master.open("", REGISTERED);
    let config = std::fs::read_to_string(agent.config()).unwrap();
    let config = &config[config.find("[snmp]").unwrap()..];
    // The same again keeps the session.
    agent.rewrite(&config.replace("first", "other"));
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    assert_eq!(master.contact(), "other");
    agent
        .rewrite(&config.replace(&format!("[\"{SYSTEM}\"]"), "[\"1.3.6.1.2.1.1.4\", \"1.3.6.1.4.1.32473\"]"));
    agent.signal("HUP");
    agent.wait_for("this agent has no object below this subtree");
    agent.wait_for("configuration reloaded");
    let last = master.next().unwrap();
    assert!(matches!(last.pdu, Pdu::Close { reason: 5 }), "{last:?}");
    let mut master = Connection::accept(&listener);
    assert_eq!(master.open("", 1)[0].0, CONTACT);
    agent.rewrite("[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n");
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    let last = master.next().unwrap();
    assert!(matches!(last.pdu, Pdu::Close { reason: 5 }), "{last:?}");
    assert!(master.next().is_none());
}
