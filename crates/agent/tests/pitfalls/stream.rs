//! SNMP over TCP (RFC 3430): messages delimit themselves, several are in flight, and what cannot be read ends
//! the connection.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use crate::support::raw::{Parts, element};
use crate::support::talk::{Talk, counts_of, parse, show};
use crate::support::{Agent, connect, read_message, steady};

fn send(stream: &mut TcpStream, octets: &[u8]) {
    stream.write_all(octets).expect("the agent takes octets");
}

/// The connection is still good: a question is answered.
fn answers(stream: &mut TcpStream, request: &str) -> String {
    let question = parse(request);
    send(stream, &question.encode());
    let answer = read_message(stream).expect("an answer");
    assert_eq!(answer.pdu.request_id, question.pdu.request_id);
    show(&answer)
}

/// The agent closes the connection and says nothing more before.
fn is_closed(stream: &mut TcpStream) -> bool {
    // With octets of ours unread the kernel says "reset" instead of an end.
    matches!(stream.read(&mut [0; 64]), Ok(0)) || {
        let reset = stream.read(&mut [0; 64]).err().map(|error| error.kind());
        matches!(reset, Some(std::io::ErrorKind::ConnectionReset | std::io::ErrorKind::BrokenPipe))
    }
}

#[test]
fn many_requests_in_one_segment_are_all_answered() {
    for in_flight in [1, 2, 32] {
        let agent = Agent::start(&steady(&format!("[snmp.tcp]\nmax-in-flight = {in_flight}\n")));
        let mut stream = connect(agent.tcp());
        let questions: Vec<_> = (0..50)
            .map(|at| {
                parse(
                    ["2c public get sysDescr.0", "2c public next ifDescr", "2c private set sysContact.0=s:x"]
                        [at % 3],
                )
            })
            .collect();
        let ids: BTreeSet<i32> = questions.iter().map(|question| question.pdu.request_id).collect();
        let octets: Vec<u8> = questions.iter().flat_map(|question| question.encode()).collect();
        send(&mut stream, &octets);
        // They may arrive in any order.
        let answered: BTreeSet<i32> = (0..questions.len())
            .map(|_| read_message(&mut stream).expect("an answer").pdu.request_id)
            .collect();
        assert_eq!(answered, ids);
    }
}

#[test]
fn a_message_may_come_octet_by_octet() {
    let agent = Agent::start(&steady(""));
    let mut stream = connect(agent.tcp());
    stream.set_nodelay(true).unwrap();
    let question = parse("2c public get sysServices.0 sysDescr.1");
    for octet in question.encode() {
        send(&mut stream, &[octet]);
    }
    assert_eq!(
        show(&read_message(&mut stream).unwrap()),
        "noError 0 sysServices.0=i:76 sysDescr.1=noSuchInstance"
    );
    // The end of one message and the beginning of the next in one segment.
    let octets = [question.encode(), question.encode()].concat();
    for part in octets.chunks(octets.len() / 2 + 7) {
        send(&mut stream, part);
    }
    for _ in 0..2 {
        assert_eq!(read_message(&mut stream).unwrap().pdu.request_id, question.pdu.request_id);
    }
}

#[test]
fn messages_may_be_longer_than_a_segment() {
    let agent = Agent::start(&steady(""));
    let mut stream = connect(agent.tcp());
    for count in [700, 3500] {
        let question = parse(&format!("2c public get{}", " sysServices.0".repeat(count)));
        assert!(question.encode().len() > 8192);
        send(&mut stream, &question.encode());
        assert_eq!(read_message(&mut stream).unwrap().pdu.bindings.len(), count);
    }
}

#[test]
fn an_end_of_ours_does_not_lose_the_answers() {
    let agent = Agent::start(&steady(""));
    let mut stream = connect(agent.tcp());
    for _ in 0..3 {
        send(&mut stream, &parse("2c public get sysServices.0 hrSystemUptime.0").encode());
    }
    stream.shutdown(Shutdown::Write).unwrap();
    for _ in 0..3 {
        assert_eq!(read_message(&mut stream).unwrap().pdu.bindings.len(), 2);
    }
    assert!(is_closed(&mut stream));
}

#[test]
fn messages_dropped_for_other_reasons_leave_the_connection_open() {
    let agent = Agent::start(&steady(""));
    let talk = Talk::to(&agent);
    for (request, counted) in [
        ("2c secret get sysDescr.0", "InBadCommunityNames"),
        ("1 public bulk 0 5 sysDescr", "InASNParseErrs"),
        ("2c public response sysDescr.0", "InGetResponses"),
        ("2c public trap sysDescr.0", "InTraps"),
    ] {
        let mut stream = connect(agent.tcp());
        let grown = talk.grown_by(|| {
            send(&mut stream, &parse(request).encode());
            assert_eq!(answers(&mut stream, "2c public get sysServices.0"), "noError 0 sysServices.0=i:76");
        });
        let all = format!("InPkts=2 OutPkts OutGetResponses InGetRequests InTotalReqVars {counted}");
        assert_eq!(grown, counts_of(&all), "{request}");
    }
}

#[test]
fn a_parse_error_ends_the_connection() {
    let agent = Agent::start(&steady(""));
    let talk = Talk::to(&agent);
    let good = Parts::default().octets();
    let number = Parts { request_id: element(2, &[0; 5]), ..Parts::default() }.octets();
    let value = Parts { value: element(0x41, &[0x80]), ..Parts::default() }.octets();
    let set =
        Parts { pdu: 0xa3, community: element(4, b"private"), value: element(5, &[1]), ..Parts::default() }
            .octets();
    for (case, octets, counted) in [
        // No message can be found in these: none has been delivered, the transport counts them.
        ("no SEQUENCE", b"GET / HTTP/1.1\r\n\r\n".to_vec(), ""),
        ("the indefinite form", vec![0x30, 0x80, 2, 1, 0], ""),
        ("a length in 5 octets", vec![0x30, 0x85, 0, 0, 0, 0, 5], ""),
        ("a length of 2^32-1", vec![0x30, 0x84, 255, 255, 255, 255], ""),
        ("a length of 65536", vec![0x30, 0x83, 1, 0, 0], ""),
        // These are messages by their length.
        ("nothing in it", vec![0x30, 0], "InPkts InASNParseErrs"),
        ("zeros", element(0x30, &[0; 30]), "InPkts InASNParseErrs"),
        ("a request-id of 5 octets", number, "InPkts InASNParseErrs"),
        ("a wrong value", value, "InPkts InASNParseErrs InGetRequests"),
        ("a wrong value in a Set", set, "InPkts InASNParseErrs InSetRequests"),
    ] {
        let mut stream = connect(agent.tcp());
        assert_eq!(answers(&mut stream, "2c public get sysServices.0"), "noError 0 sysServices.0=i:76");
        let grown = talk.grown_by(|| {
            send(&mut stream, &octets);
            assert!(is_closed(&mut stream), "{case}");
        });
        assert_eq!(grown, counts_of(counted), "{case}");

        // Earlier requests are answered first.
        let mut stream = connect(agent.tcp());
        send(&mut stream, &[&good[..], &good, &octets, &good].concat());
        for _ in 0..2 {
            assert_eq!(read_message(&mut stream).expect(case).pdu.request_id, 1, "{case}");
        }
        assert!(is_closed(&mut stream), "{case}");
    }
    // Others are not touched.
    assert_eq!(
        answers(&mut connect(agent.tcp()), "2c public get sysServices.0"),
        "noError 0 sysServices.0=i:76"
    );
}
