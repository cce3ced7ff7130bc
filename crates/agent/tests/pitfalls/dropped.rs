//! Messages without an answer, and the counter of each.

use crate::support::raw::{Parts, element, name};
use crate::support::talk::{Talk, parse};
use crate::support::{Agent, steady};

#[test]
fn what_version_1_lacks_is_a_parse_error() {
    let agent = Agent::start(&steady(""));
    let old = |kind: &str| parse(&format!("1 public {kind} sysDescr.0")).encode();
    let v1 = |value: Vec<u8>| Parts { version: element(2, &[0]), value, ..Parts::default() };
    Talk::to(&agent).check_silence(&[
        ("GetBulk in v1", parse("1 public bulk 0 5 sysDescr").encode(), "InASNParseErrs"),
        ("Inform in v1", old("inform"), "InASNParseErrs"),
        ("SNMPv2-Trap in v1", old("trap"), "InASNParseErrs"),
        ("Report in v1", old("report"), "InASNParseErrs"),
        ("Counter64 in v1", v1(element(0x46, &[1])).octets(), "InGetRequests InASNParseErrs"),
        ("noSuchObject in v1", v1(element(0x80, &[])).octets(), "InGetRequests InASNParseErrs"),
        (
            "Counter64 in a v1 Set",
            Parts { pdu: 0xa3, ..v1(element(0x46, &[1])) }.octets(),
            "InSetRequests InASNParseErrs",
        ),
    ]);
}

#[test]
fn a_bad_community_is_silence() {
    let community = "[[snmp.community]]\nname = \"elsewhere\"\naccess = \"read\"\nsources = [\"192.0.2.0/24\"]\n[freshness]";
    let agent = Agent::start(&steady("").replace("[freshness]", community));
    let named = |octets: &[u8]| Parts { community: element(4, octets), ..Parts::default() }.octets();
    Talk::to(&agent).check_silence(&[
        ("unknown, v1", parse("1 secret get sysDescr.0").encode(), "InBadCommunityNames"),
        ("unknown, v2c", parse("2c secret get sysDescr.0").encode(), "InBadCommunityNames"),
        ("a Set", parse("2c secret set sysContact.0=s:x").encode(), "InBadCommunityNames"),
        ("the beginning of one", parse("2c publi get sysDescr.0").encode(), "InBadCommunityNames"),
        ("one and more", parse("2c publicc get sysDescr.0").encode(), "InBadCommunityNames"),
        ("another case", parse("2c PUBLIC get sysDescr.0").encode(), "InBadCommunityNames"),
        ("none", named(b""), "InBadCommunityNames"),
        ("with a NUL", named(b"public\0"), "InBadCommunityNames"),
        ("no UTF-8", named(&[0xff; 40]), "InBadCommunityNames"),
        ("very long", named(&[b'p'; 60_000]), "InBadCommunityNames"),
        ("from somewhere else", parse("2c elsewhere get sysDescr.0").encode(), "InBadCommunityNames"),
        // The community comes before the PDU (RFC 1157 section 4.1).
        ("GetBulk in v1", parse("1 secret bulk 0 5 sysDescr").encode(), "InBadCommunityNames"),
    ]);
}

#[test]
fn messages_other_than_requests_meet_silence() {
    let agent = Agent::start(&steady(""));
    let trap = |contents: &[u8]| {
        let head = [element(2, &[0]), element(4, b"public")].concat();
        element(0x30, &[head, element(0xa4, contents)].concat())
    };
    let whole = [
        name(43, &[6, 1]),
        element(0x40, &[127, 0, 0, 1]),
        element(2, &[0]),
        element(2, &[0]),
        element(0x43, &[0]),
        element(0x30, &[]),
    ];
    let version = |code: u8| Parts { version: element(2, &[code]), ..Parts::default() }.octets();
    Talk::to(&agent).check_silence(&[
        ("Response", parse("2c public response sysDescr.0").encode(), "InGetResponses"),
        ("Response in v1", parse("1 public response sysDescr.0").encode(), "InGetResponses"),
        ("Trap in v2c", parse("2c public trap sysDescr.0").encode(), "InTraps"),
        ("Inform", parse("2c public inform sysDescr.0").encode(), ""),
        ("Report", parse("2c public report sysDescr.0").encode(), ""),
        ("Trap in v1", trap(&whole.concat()), "InTraps"),
        ("SNMPv3 with a community", version(3), "InASNParseErrs"),
        ("SNMPv2p", version(2), "InBadVersions"),
        ("version -1", version(0xff), "InBadVersions"),
        (
            "version 2^31-1",
            Parts { version: element(2, &[0x7f, 255, 255, 255]), ..Parts::default() }.octets(),
            "InBadVersions",
        ),
    ]);
}

#[test]
fn invalid_numbers_and_names() {
    let agent = Agent::start(&steady(""));
    let id = |octets: &[u8]| Parts { request_id: element(2, octets), ..Parts::default() }.octets();
    let named = |name: Vec<u8>| Parts { name, ..Parts::default() }.octets();
    let valued = |tag: u8, octets: &[u8]| Parts { value: element(tag, octets), ..Parts::default() }.octets();
    let (header, binding) = ("InASNParseErrs", "InGetRequests InASNParseErrs");
    Talk::to(&agent).check_silence(&[
        ("request-id of 5 octets", id(&[1, 0, 0, 0, 0]), header),
        ("request-id 2^33", id(&[2, 0, 0, 0, 0]), header),
        ("request-id of 5 octets that would fit in 4", id(&[0, 0x80, 0, 0, 0]), header),
        ("request-id of no octet", id(&[]), header),
        (
            "request-id as OCTET STRING",
            Parts { request_id: element(4, &[1]), ..Parts::default() }.octets(),
            header,
        ),
        (
            "error-status of 5 octets",
            Parts { error_status: element(2, &[0; 5]), ..Parts::default() }.octets(),
            header,
        ),
        (
            "max-repetitions of 5 octets",
            Parts { pdu: 0xa5, error_index: element(2, &[0; 5]), ..Parts::default() }.octets(),
            header,
        ),
        ("version of 5 octets", Parts { version: element(2, &[0; 5]), ..Parts::default() }.octets(), header),
        ("an INTEGER of 5 octets", valued(2, &[0; 5]), binding),
        ("a Counter32 of 6 octets", valued(0x41, &[0; 6]), binding),
        ("a Counter32 of 2^32", valued(0x41, &[1, 0, 0, 0, 0]), binding),
        ("a negative Counter32", valued(0x41, &[0x80]), binding),
        ("an empty TimeTicks", valued(0x43, &[]), binding),
        ("a Counter64 of 10 octets", valued(0x46, &[0; 10]), binding),
        ("an IpAddress of 5 octets", valued(0x40, &[0; 5]), binding),
        ("a NULL with contents", valued(5, &[0]), binding),
        ("a SEQUENCE as value", valued(0x30, &[]), binding),
        ("no value", Parts { value: Vec::new(), ..Parts::default() }.octets(), binding),
        ("two values", Parts { value: [5, 0, 5, 0].into(), ..Parts::default() }.octets(), binding),
        ("a name of no octet", named(element(6, &[])), binding),
        ("a name that does not end", named(element(6, &[0x2b, 0x86])), binding),
        ("a name with a padded number", named(element(6, &[0x2b, 0x80, 1])), binding),
        ("a sub-identifier of 2^32", named(name(43, &[1 << 32])), binding),
        ("a sub-identifier of 2^63", named(name(43, &[1 << 63])), binding),
        ("2.4294967296", named(name(80 + (1 << 32), &[1])), binding),
        ("129 sub-identifiers", named(name(43, &[1; 127])), binding),
        ("2000 sub-identifiers", named(name(43, &[1; 1999])), binding),
        ("a name of another type", named(element(4, b"x")), binding),
    ]);
    // One less of each is understood.
    let talk = Talk::to(&agent);
    for (case, octets) in [
        ("128 sub-identifiers", named(name(43, &[1; 126]))),
        ("a sub-identifier of 2^32-1", named(name(43, &[(1 << 32) - 1]))),
        ("2.4294967295", named(name(79 + (1 << 32), &[1]))),
        ("a name of one octet", named(element(6, &[0x2b]))),
        ("a request-id with more zeros than it needs", id(&[0, 0, 0, 1])),
        ("a Counter32 of 5 octets", valued(0x41, &[0, 255, 255, 255, 255])),
        ("a binding list in the longest form of length", long_lengths()),
    ] {
        talk.socket.send(&octets).unwrap();
        assert_eq!(talk.receive().pdu.request_id, 1, "{case}");
    }
}

/// A Get whose message, PDU, list, binding, name and value have lengths in five octets.
fn long_lengths() -> Vec<u8> {
    let long = |tag: u8, contents: &[u8]| {
        [&[tag, 0x84][..], &(contents.len() as u32).to_be_bytes(), contents].concat()
    };
    let binding = [long(6, &[0x2b, 6, 1, 2, 1, 1, 3, 0]), long(5, &[])].concat();
    let list = long(0x30, &long(0x30, &binding));
    let numbers = [element(2, &[1]), element(2, &[0]), element(2, &[0])].concat();
    let pdu = long(0xa0, &[numbers, list].concat());
    long(0x30, &[element(2, &[1]), long(4, b"public"), pdu].concat())
}

#[test]
fn a_message_has_nothing_behind_its_end() {
    let agent = Agent::start(&steady(""));
    let good = Parts::default().octets();
    let with = |more: &[u8]| [&good[..], more].concat();
    let replaced = |at: usize, octet: u8| {
        let mut octets = good.clone();
        octets[at] = octet;
        octets
    };
    let inside = |more: &[u8]| {
        Parts { error_index: [&element(2, &[0])[..], more].concat(), ..Parts::default() }.octets()
    };
    Talk::to(&agent).check_silence(&[
        ("one octet", with(&[0]), "InASNParseErrs"),
        ("another message", with(&good), "InASNParseErrs"),
        ("a number too many in the PDU", inside(&element(2, &[0])), "InASNParseErrs"),
        ("the indefinite form", [&[0x30, 0x80], &good[2..], &[0, 0]].concat(), "InASNParseErrs"),
        ("a length of 127 octets", replaced(1, 0xff), "InASNParseErrs"),
        ("no PDU type", replaced(13, 0xa9), "InASNParseErrs"),
        ("a primitive PDU type", replaced(13, 0x80), "InASNParseErrs"),
        (
            "a binding that is none",
            Parts::default().with_list(&element(2, &[1])),
            "InGetRequests InASNParseErrs",
        ),
        ("half a binding", Parts::default().with_list(&[0x30]), "InGetRequests InASNParseErrs"),
        ("nothing", Vec::new(), "InASNParseErrs"),
        ("a SEQUENCE of nothing", vec![0x30, 0], "InASNParseErrs"),
    ]);
}
