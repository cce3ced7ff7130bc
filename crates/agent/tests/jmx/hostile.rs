//! Streams that are meant to harm, before and beside those that are served.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use crate::reading::OPEN;
use crate::support::{Agent, connect};

/// The handshake of RMI, and the client's endpoint.
const HANDSHAKE: &[u8] = b"JRMI\0\x02K\0\x09127.0.0.1\0\0\0\0";

/// The beginning of a call of an object: 22 octets that name it, the number of the operation and the hash of the method.
fn call(object: [u8; 22], operation: i32, hash: i64) -> Vec<u8> {
    let mut octets = b"\x50\xac\xed\0\x05\x77\x22".to_vec();
    octets.extend(object);
    octets.extend(operation.to_be_bytes());
    octets.extend(hash.to_be_bytes());
    octets
}

/// `lookup` of the registry, whose argument is to follow.
fn lookup() -> Vec<u8> {
    call([0; 22], 2, 4_905_912_898_345_647_071)
}

/// What the agent sends until it closes the stream.
fn rest(mut stream: TcpStream) -> Vec<u8> {
    let mut octets = Vec::new();
    match stream.read_to_end(&mut octets) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
        _ => octets,
    }
}

fn has(octets: &[u8], words: &str) -> bool {
    octets.windows(words.len()).any(|window| window == words.as_bytes())
}

/// Whether the agent still answers: the registry has its one name.
fn is_served(agent: &Agent) -> bool {
    let mut stream = connect(agent.address("tcp"));
    stream.write_all(&[HANDSHAKE, &lookup(), b"\x74\0\x06jmxrmi"].concat()).unwrap();
    let (mut answer, mut octets) = (Vec::new(), [0; 4096]);
    while !has(&answer, "RMIServerImpl_Stub") {
        match stream.read(&mut octets).unwrap() {
            0 => return false,
            read => answer.extend_from_slice(&octets[..read]),
        }
    }
    true
}

fn agent(limits: &str) -> Agent {
    Agent::start(&format!("[snmp]\nlisten = []\n[snmp.tcp]\n{limits}\n{OPEN}"))
}

#[test]
fn classes_that_are_not_listed_end_the_stream() {
    let agent = agent("");
    let gadget = b"\x73\x72\0\x17java.util.PriorityQueue\0\0\0\0\0\0\0\x01\x02\0\0\x78\x70";
    let mut stream = connect(agent.address("tcp"));
    stream.write_all(&[HANDSHAKE, &lookup(), gadget].concat()).unwrap();
    let answer = rest(stream);
    assert!(has(&answer, "java.lang.ClassNotFoundException") && has(&answer, "java.util.PriorityQueue"));
    agent.wait_for("class java.util.PriorityQueue is not on the list");
    // Changes of the registry are refused without a look at what is to be bound.
    let bind = call([0; 22], 0, 4_905_912_898_345_647_071);
    let mut stream = connect(agent.address("tcp"));
    stream.write_all(&[HANDSHAKE, &bind, b"\x74\0\x01x", gadget].concat()).unwrap();
    assert!(has(&rest(stream), "Cannot modify this registry"));
    assert_eq!(agent.counted("tcp")["framing_errors"], 1);
    assert!(is_served(&agent));
}

#[test]
fn other_protocols_and_lying_lengths_end_the_stream() {
    let agent = agent("");
    let port = agent.address("tcp");
    for octets in
        [&b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"[..], b"\x16\x03\x01\x02\0", b"JRMI\0\x02L\0", b"JRMI\0\x02M\0"]
    {
        let mut stream = connect(port);
        stream.write_all(octets).unwrap();
        assert_eq!(rest(stream), b"\x4f", "{octets:?}");
    }
    // A text of two gigabytes, and an array of as many elements.
    let long_text = b"\x7c\0\0\0\0\x7f\xff\xff\xff";
    let array = b"\x75\x72\0\x02[J\x78\x20\x04\xb5\x12\xb1\x75\x93\x02\0\0\x78\x70\x7f\xff\xff\xff";
    for argument in [&long_text[..], array] {
        let mut stream = connect(port);
        stream.write_all(&[HANDSHAKE, &lookup(), argument].concat()).unwrap();
        assert!(has(&rest(stream), "UnmarshalException"), "{argument:?}");
    }
    // Who has not logged in sends no more than some octets.
    let mut stream = connect(port);
    let block = [&b"\x7a\0\0\xff\xff"[..], &[0; 65_535]].concat();
    let sent = [HANDSHAKE, &lookup(), &block, &block].concat();
    // It may have been closed before all of it is written.
    let _ = stream.write_all(&sent);
    let answer = rest(stream);
    assert!(answer.len() < 4_096, "{} octets", answer.len());
    assert!(is_served(&agent));
}

#[test]
fn calls_of_objects_that_nobody_was_given_reach_nothing() {
    let agent = agent("");
    // getDefaultDomain of a connection that somebody guesses.
    let mut stream = connect(agent.address("tcp"));
    stream.write_all(&[HANDSHAKE, &call([7; 22], -1, 6_047_668_923_998_658_472), b"\x70"].concat()).unwrap();
    let (mut answer, mut octets) = (Vec::new(), [0; 4096]);
    while !has(&answer, "no such object in table") {
        let read = stream.read(&mut octets).unwrap();
        assert_ne!(read, 0, "{answer:?}");
        answer.extend_from_slice(&octets[..read]);
    }
    assert!(is_served(&agent));
}

#[test]
fn half_open_streams_are_closed_and_counted() {
    let agent = agent("first-message-timeout = \"1s\"\nmessage-timeout = \"1s\"");
    let port = agent.address("tcp");
    let silent = connect(port);
    let mut shaken = connect(port);
    shaken.write_all(HANDSHAKE).unwrap();
    let mut halfway = connect(port);
    halfway.write_all(&[HANDSHAKE, &lookup()[..9]].concat()).unwrap();
    assert!(is_served(&agent));
    rest(silent);
    rest(shaken);
    rest(halfway);
    let counted = agent.counted("tcp");
    assert_eq!((counted["idle_closed"], counted["slow_messages"]), (2, 1), "{counted:?}");
}
