//! Packets as octets: those of the diagrams of RFC 2741, and those that Net-SNMP 5.9's agent and lldpd 1.0 send, recorded
//! between a subagent and snmpd.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use crate::common;

use common::octets;
use trunkline_agentx::wire::{
    ByteOrder, DecodeError, ErrorCode, Fault, HeaderError, IndexRequest, MAX_PAYLOAD, Packet, Pdu,
    Registration, SearchRange, decode, encode, packet_length,
};
use trunkline_smi::{Bound, Exception, Oid, Value, VarBind};

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

fn text(text: &str) -> Value {
    Value::text(text)
}

/// What is read, and whether it is written as it was.
#[track_caller]
fn check(digits: &str, order: ByteOrder, numbers: [u32; 3], context: Option<&str>, pdu: Pdu) {
    let [session, transaction, packet] = numbers;
    let context = context.map(|name| name.as_bytes().to_vec());
    let expected = Packet { order, session, transaction, packet, context, pdu };
    let read = decode(&octets(digits)).unwrap();
    assert_eq!(read, expected);
    let mut written = Vec::new();
    encode(&expected, &mut written).unwrap();
    assert_eq!(decode(&written).unwrap(), expected);
    assert_eq!(written, octets(digits), "written as it was read");
}

/// As [`check`], where the peer writes what this end would write otherwise.
#[track_caller]
fn check_read(digits: &str, numbers: [u32; 3], pdu: Pdu) {
    let [session, transaction, packet] = numbers;
    let expected = Packet { order: ByteOrder::Little, session, transaction, packet, context: None, pdu };
    assert_eq!(decode(&octets(digits)).unwrap(), expected);
}

#[test]
fn open_of_net_snmp() {
    let digits = "01010000 00000000 00000000 33cb4522 3c000000 01000000 05040000 01000000 881f0000 03000000 02000000 \
                  0a000000 19000000 4e65742d534e4d50204167656e7458207375622d6167656e74 000000";
    let description = b"Net-SNMP AgentX sub-agent".to_vec();
    let pdu = Pdu::Open { timeout: 1, id: oid("1.3.6.1.4.1.8072.3.2.10"), description };
    check(digits, ByteOrder::Little, [0, 0, 0x2245_cb33], None, pdu);
}

#[test]
fn open_answered_by_net_snmp() {
    // snmpd repeats the contents of an Open as if they were variable bindings.
    let digits = "01120000 05000000 00000000 33cb4522 44000000 96000000 00000000 04000000 05040000 01000000 881f0000 \
                  03000000 02000000 0a000000 19000000 4e65742d534e4d50204167656e7458207375622d6167656e74000000";
    let name = oid("1.3.6.1.4.1.8072.3.2.10");
    let bindings = vec![VarBind::new(name, text("Net-SNMP AgentX sub-agent"))];
    let pdu = Pdu::Response { sys_up_time: 150, error: 0, index: 0, bindings };
    check(digits, ByteOrder::Little, [5, 0, 0x2245_cb33], None, pdu);
}

#[test]
fn register_of_net_snmp() {
    let digits = "01030000 05000000 00000000 34cb4522 14000000 007f0000 03020000 01000000 01000000 01000000";
    let pdu = Pdu::Register(Registration {
        timeout: 0,
        priority: 127,
        subtree: oid("1.3.6.1.2.1.1.1"),
        range: None,
        is_instance: false,
    });
    check(digits, ByteOrder::Little, [5, 0, 0x2245_cb34], None, pdu);
}

#[test]
fn the_default_context_by_its_name() {
    // snmpd registers nsCache so; lldpd sends all of its packets so, answers too.
    let register = "01030800 05000000 00000000 3bcb4522 20000000 00000000 ff7f0000 05040000 01000000 e5070000 08000000 \
                    01000000 01000000";
    let pdu = Pdu::Register(Registration {
        timeout: 255,
        priority: 127,
        subtree: oid("1.3.6.1.4.1.2021.8.1.1"),
        range: None,
        is_instance: false,
    });
    check_read(register, [5, 0, 0x2245_cb3b], pdu);

    let next = "01060800 07000000 31000000 32000000 54000000 00000000 09000100 01000000 00000000 62220000 01000000 \
                01000000 02000000 01000000 01000000 01000000 09000000 01000000 00000000 62220000 01000000 01000000 \
                02000000 01000000 01000000 02000000";
    let range = SearchRange {
        start: oid("1.0.8802.1.1.2.1.1.1"),
        include: true,
        end: Some(oid("1.0.8802.1.1.2.1.1.2")),
    };
    check_read(next, [7, 0x31, 0x32], Pdu::GetNext(vec![range]));

    let answer = "01120800 07000000 31000000 32000000 40000000 00000000 00000000 00000000 02000000 0a000000 01000000 \
                  00000000 62220000 01000000 01000000 02000000 01000000 01000000 01000000 00000000 1e000000";
    let bindings = vec![VarBind::new(oid("1.0.8802.1.1.2.1.1.1.0"), Value::Integer(30))];
    check_read(answer, [7, 0x31, 0x32], Pdu::Response { sys_up_time: 0, error: 0, index: 0, bindings });

    let end = "01120800 07000000 33000000 34000000 3c000000 00000000 00000000 00000000 82000000 0a000000 01000000 \
               00000000 62220000 01000000 01000000 02000000 01000000 01000000 01000000 00000000";
    let name = oid("1.0.8802.1.1.2.1.1.1.0");
    let bindings = vec![VarBind { name, value: Bound::Exception(Exception::EndOfMibView) }];
    check_read(end, [7, 0x33, 0x34], Pdu::Response { sys_up_time: 0, error: 0, index: 0, bindings });
}

#[test]
fn a_flag_of_a_context_without_one() {
    // As the standard has it: the flag means nothing in an answer.
    let digits = "01120800 07000000 00000000 01000000 08000000 00000000 00000000";
    check_read(digits, [7, 0, 1], Pdu::Response { sys_up_time: 0, error: 0, index: 0, bindings: vec![] });
    check_read("010a0800 07000000 00000000 01000000 00000000", [7, 0, 1], Pdu::UndoSet);
}

#[test]
fn get_and_what_is_answered() {
    let name = oid("1.3.6.1.4.1.8072.1.3.2.2.1.2.5.104.101.108.108.111");
    let missing = oid("1.3.6.1.4.1.8072.1.3.2.2.1.2.5.104.101.108.108.112");
    let get = "01050000 05000000 01000000 02000000 80000000 0e040000 01000000 881f0000 01000000 03000000 02000000 \
               02000000 01000000 02000000 05000000 68000000 65000000 6c000000 6c000000 6f000000 00000000 0e040000 \
               01000000 881f0000 01000000 03000000 02000000 02000000 01000000 02000000 05000000 68000000 65000000 \
               6c000000 6c000000 70000000 00000000";
    let range = |start: &Oid| SearchRange { start: start.clone(), include: false, end: None };
    let pdu = Pdu::Get(vec![range(&name), range(&missing)]);
    check(get, ByteOrder::Little, [5, 1, 2], None, pdu);

    let answer = "01120000 05000000 01000000 02000000 98000000 00000000 00000000 04000000 0e040000 01000000 881f0000 \
                  01000000 03000000 02000000 02000000 01000000 02000000 05000000 68000000 65000000 6c000000 6c000000 \
                  6f000000 09000000 2f62696e 2f656368 6f000000 81000000 0e040000 01000000 881f0000 01000000 03000000 \
                  02000000 02000000 01000000 02000000 05000000 68000000 65000000 6c000000 6c000000 70000000";
    let bindings = vec![
        VarBind::new(name, text("/bin/echo")),
        VarBind { name: missing, value: Bound::Exception(Exception::NoSuchInstance) },
    ];
    let pdu = Pdu::Response { sys_up_time: 0, error: 0, index: 0, bindings };
    check(answer, ByteOrder::Little, [5, 1, 2], None, pdu);
}

#[test]
fn test_set_of_net_snmp() {
    let digits = "01080000 05000000 2b000000 2c000000 94000000 04000000 0e040000 01000000 881f0000 01000000 03000000 \
                  02000000 02000000 01000000 02000000 05000000 68000000 65000000 6c000000 6c000000 6f000000 09000000 \
                  2f62696e2f74727565000000 02000000 0e040000 01000000 881f0000 01000000 03000000 02000000 02000000 \
                  01000000 05000000 05000000 68000000 65000000 6c000000 6c000000 6f000000 07000000";
    let row = |column: u32| oid(&format!("1.3.6.1.4.1.8072.1.3.2.2.1.{column}.5.104.101.108.108.111"));
    let bindings = vec![VarBind::new(row(2), text("/bin/true")), VarBind::new(row(5), Value::Integer(7))];
    check(digits, ByteOrder::Little, [5, 0x2b, 0x2c], None, Pdu::TestSet(bindings));
    let cleanup = "010b0000 05000000 2b000000 2d000000 00000000";
    check(cleanup, ByteOrder::Little, [5, 0x2b, 0x2d], None, Pdu::CleanupSet);
}

#[test]
fn notify_of_net_snmp() {
    let digits = "010c0000 05000000 00000000 47cb4522 8c000000 43000000 04020000 01000000 01000000 03000000 00000000 \
                  97000000 06000000 06060000 03000000 01000000 01000000 04000000 01000000 00000000 05060100 03000000 \
                  01000000 01000000 05000000 01000000 06000000 06060000 03000000 01000000 01000000 04000000 03000000 \
                  00000000 05040100 01000000 881f0000 03000000 02000000 0a000000";
    let bindings = vec![
        VarBind::new(oid("1.3.6.1.2.1.1.3.0"), Value::TimeTicks(151)),
        VarBind::new(oid("1.3.6.1.6.3.1.1.4.1.0"), Value::ObjectIdentifier(oid("1.3.6.1.6.3.1.1.5.1"))),
        VarBind::new(oid("1.3.6.1.6.3.1.1.4.3.0"), Value::ObjectIdentifier(oid("1.3.6.1.4.1.8072.3.2.10"))),
    ];
    // snmpd sets `include` in the values, where it means nothing.
    check_read(digits, [5, 0, 0x2245_cb47], Pdu::Notify(bindings));
}

#[test]
fn ping_caps_and_close() {
    check(
        "010d0000 05000000 00000000 48cb4522 00000000",
        ByteOrder::Little,
        [5, 0, 0x2245_cb48],
        None,
        Pdu::Ping,
    );
    let caps = "01100000 07000000 00000000 fa2b6e51 40000000 06000000 01000000 00000000 62220000 01000000 01000000 \
                02000000 1f000000 6c6c64704d494220696d706c656d656e746174696f6e206279206c6c6470 6400";
    let description = b"lldpMIB implementation by lldpd".to_vec();
    let add = Pdu::AddAgentCaps { id: oid("1.0.8802.1.1.2"), description };
    check(caps, ByteOrder::Little, [7, 0, 0x516e_2bfa], None, add);
    let caps = "01110000 07000000 00000000 fb2b6e51 1c000000 06000000 01000000 00000000 62220000 01000000 01000000 \
                02000000";
    let remove = Pdu::RemoveAgentCaps { id: oid("1.0.8802.1.1.2") };
    check(caps, ByteOrder::Little, [7, 0, 0x516e_2bfb], None, remove);
    let close = "01020000 07000000 00000000 fc2b6e51 04000000 05000000";
    check(close, ByteOrder::Little, [7, 0, 0x516e_2bfc], None, Pdu::Close { reason: 5 });
}

/// Section 6.2.3's example: rows of the interface 7 in all columns of ifTable, and a context.
#[test]
fn a_range_by_hand() {
    let digits = "01031900 00000001 00000000 00000002 0000002c 00000003 61626300 05640a00 06020000 00000001 00000002 \
                  00000002 00000001 00000001 00000007 00000016";
    let pdu = Pdu::Register(Registration {
        timeout: 5,
        priority: 100,
        subtree: oid("1.3.6.1.2.1.2.2.1.1.7"),
        range: Some((10, 22)),
        is_instance: true,
    });
    check(digits, ByteOrder::Big, [1, 0, 2], Some("abc"), pdu);
}

#[test]
fn unregister_bulk_and_indexes_by_hand() {
    let digits = "01041000 00000001 00000000 00000002 00000010 007f0000 02020000 00000001 00000004";
    let pdu = Pdu::Unregister(Registration {
        timeout: 0,
        priority: 127,
        subtree: oid("1.3.6.1.2.1.4"),
        range: None,
        is_instance: false,
    });
    check(digits, ByteOrder::Big, [1, 0, 2], None, pdu);

    let digits = "01071000 00000001 00000009 00000002 00000014 0001000a 02020100 00000001 00000004 00000000";
    // 1.3.6.1.2 has the prefix 2; the numbers after it are written.
    let ranges = vec![SearchRange { start: oid("1.3.6.1.2.1.4"), include: true, end: None }];
    check(
        digits,
        ByteOrder::Big,
        [1, 9, 2],
        None,
        Pdu::GetBulk { non_repeaters: 1, max_repetitions: 10, ranges },
    );

    let digits = "010e1400 00000001 00000000 00000002 00000020 00020000 05020000 00000001 00000002 00000002 00000001 \
                  00000001 00000000";
    let bindings = vec![VarBind::new(oid("1.3.6.1.2.1.2.2.1.1"), Value::Integer(0))];
    let pdu = Pdu::IndexAllocate(IndexRequest { new_index: false, any_index: true, bindings });
    check(digits, ByteOrder::Big, [1, 0, 2], None, pdu);
}

#[test]
fn every_value_by_hand() {
    let digits = "01121000 00000001 00000009 00000002 000000bc 00000000 01080001 \
                  00020000 01000000 00000001 ffffffff 00040000 01000000 00000001 00000001 61000000 \
                  00050000 01000000 00000001 00060000 01000000 00000001 00000000 \
                  00400000 01000000 00000001 00000004 7f000001 00410000 01000000 00000001 00000001 \
                  00420000 01000000 00000001 00000002 00430000 01000000 00000001 00000003 \
                  00440000 01000000 00000001 00000000 00460000 01000000 00000001 00000001 00000002 \
                  00800000 01000000 00000001";
    let name = Oid::from([1]);
    let value = |value| VarBind::new(name.clone(), value);
    let bindings = vec![
        value(Value::Integer(-1)),
        value(text("a")),
        VarBind::unspecified(name.clone()),
        // zeroDotZero, as Net-SNMP writes it
        value(Value::ObjectIdentifier(Oid::from([0, 0]))),
        value(Value::IpAddress([127, 0, 0, 1])),
        value(Value::Counter32(1)),
        value(Value::Unsigned32(2)),
        value(Value::TimeTicks(3)),
        value(Value::Opaque(vec![])),
        value(Value::Counter64((1 << 32) + 2)),
        VarBind { name: name.clone(), value: Bound::Exception(Exception::NoSuchObject) },
    ];
    let read = decode(&octets(digits)).unwrap();
    let error = ErrorCode::DuplicateRegistration.code() + 1;
    assert_eq!(read.pdu, Pdu::Response { sys_up_time: 0, error, index: 1, bindings });
}

#[track_caller]
fn refused(digits: &str, offset: usize, fault: Fault) -> DecodeError {
    let error = decode(&octets(digits)).unwrap_err();
    assert_eq!((error.offset, error.fault), (offset, fault), "{error}");
    error
}

#[test]
fn what_cannot_be_read() {
    refused("02", 0, HeaderError::Version { found: 2 }.into());
    refused("01011000", 0, Fault::Length { expected: 20, found: 4 });
    let error = refused("01131000 00000001 00000002 00000003 00000000", 1, Fault::Kind { found: 19 });
    let header = error.header.unwrap();
    assert_eq!((header.session, header.transaction, header.packet), (1, 2, 3));
    refused("01001000 00000001 00000002 00000003 00000000", 1, Fault::Kind { found: 0 });
    refused("010d1000 00000001 00000002 00000003 00000004", 20, Fault::Length { expected: 24, found: 20 });
    refused("010d1000 00000001 00000002 00000003 00000004 00000000", 20, Fault::Trailing { octets: 4 });
    let cut = |element, needed, left| Fault::Cut { element, needed, left };
    refused(
        "01051000 00000001 00000002 00000003 00000008 03020000 00000001",
        20,
        cut("an object identifier", 12, 4),
    );
    let long =
        format!("01051000 00000001 00000002 00000003 00000208 80010000 {} 00000000", "00000001".repeat(128));
    refused(&long, 20, Fault::OidTooLong { found: 133 });
    refused(
        "01081000 00000001 00000002 00000003 00000010 00030000 01000000 00000001 00000001",
        20,
        Fault::ValueType { found: 3 },
    );
    refused(
        "01081000 00000001 00000002 00000003 00000014 00400000 01000000 00000001 00000003 01020300",
        32,
        Fault::IpAddress { found: 3 },
    );
    refused(
        "01081000 00000001 00000002 00000003 00000010 00040000 01000000 00000001 ffffffff",
        32,
        cut("an OCTET STRING", u32::MAX as usize, 0),
    );
    // The flag of a context does not make it more lenient.
    let digits = "01091800 00000001 00000002 00000003 00000008 00000000 00000000";
    refused(digits, 20, Fault::Trailing { octets: 8 });
}

#[test]
fn where_a_stream_cannot_go_on() {
    assert_eq!(packet_length(&[]), Ok(None));
    assert_eq!(packet_length(b"GET / HTTP/1.1"), Err(HeaderError::Version { found: b'G' }));
    let header =
        |length: u32| [&octets("010d1000 00000001 00000002 00000003")[..], &length.to_be_bytes()].concat();
    assert_eq!(packet_length(&header(8)), Ok(Some(28)));
    assert_eq!(packet_length(&header(6)), Err(HeaderError::Uneven { found: 6 }));
    let found = MAX_PAYLOAD as u32 + 4;
    assert_eq!(packet_length(&header(found)), Err(HeaderError::TooLong { found }));
}

#[test]
fn a_packet_that_is_too_long_is_not_written() {
    let bindings = vec![VarBind::new(Oid::from([1]), Value::OctetString(vec![0; MAX_PAYLOAD]))];
    let pdu = Pdu::Response { sys_up_time: 0, error: 0, index: 0, bindings };
    let packet = Packet { order: ByteOrder::Big, session: 1, transaction: 2, packet: 3, context: None, pdu };
    let mut octets = b"before".to_vec();
    assert!(encode(&packet, &mut octets).is_err());
    assert_eq!(octets, b"before");
}
