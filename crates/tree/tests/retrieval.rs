//! RFC 3416 sections 4.2.1 to 4.2.3 as data: a question and its answer on one line each.
//! `trunkline_testkit::asker` says how they are written, `fixture` what the tree holds.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_testkit::asker::{Asker, End};
use trunkline_testkit::fixture::Fixture;
use trunkline_testkit::fixture::schema::FACT_UPTIME;
use trunkline_tree::{Live, Operation};

/// Asks a fresh fixture, with defaults.
fn check(question: &str, answer: &str) {
    check_as(|asker| asker, question, answer);
}

/// Asks a fresh fixture with other settings.
fn check_as(settings: impl Fn(Asker<'_>) -> Asker<'_>, question: &str, answer: &str) {
    let fixture = Fixture::default();
    assert_eq!(settings(fixture.asker()).text(question), answer, "{question}");
}

#[test]
fn get_answers_each_name_alone() {
    check("get factNumber.0", "factNumber.0=-7");
    check("get", "");
    check(
        "get factText.0 portName.10 peerState.1.4.127.0.0.1.80 portName.3",
        "factText.0='hello' portName.10='wlan0' peerState.1.4.127.0.0.1.80=1 portName.3=''",
    );
    check("get portIn.2 factUptime.0 portIn.2", "portIn.2=200 factUptime.0=12345 portIn.2=200");
    check(
        "get factBig.0 factOid.0 factAddress.0 factOpaque.0 factCounter.0 factGauge.0 factMiddle.0",
        "factBig.0=18446744073709551615 factOid.0=0.0 factAddress.0=192.0.2.1 factOpaque.0=0x9f780400000000 \
         factCounter.0=4294967295 factGauge.0=0 factMiddle.0=2147483647",
    );
}

#[test]
fn get_distinguishes_a_missing_object_from_a_missing_instance() {
    // The object type is there, the instance is not.
    check("get factAbsent.0", "factAbsent.0:noSuchInstance");
    check("get factNumber", "factNumber:noSuchInstance");
    check("get factNumber.1", "factNumber.1:noSuchInstance");
    check("get factNumber.0.0", "factNumber.0.0:noSuchInstance");
    check("get portName.4", "portName.4:noSuchInstance");
    check("get portName.1.1", "portName.1.1:noSuchInstance");
    check("get portName", "portName:noSuchInstance");
    check("get portSpeed.2", "portSpeed.2:noSuchInstance");
    check("get idleValue.1", "idleValue.1:noSuchInstance");
    check("get peerState.1.4.127", "peerState.1.4.127:noSuchInstance");
    // No object type at all: above, between, after; and objects that are not accessible.
    check("get 1.3.6.1.4.1.32473", "1.3.6.1.4.1.32473:noSuchObject");
    check("get 1.3.6.1.4.1.32473.2.2.1", "1.3.6.1.4.1.32473.2.2.1:noSuchObject");
    check("get 1.3.6.1.4.1.32473.2.2.1.7.1", "1.3.6.1.4.1.32473.2.2.1.7.1:noSuchObject");
    check("get 1.3.6.1.4.1.32473.2.2.2.1.1", "1.3.6.1.4.1.32473.2.2.2.1.1:noSuchObject");
    check("get 1.3.6.1.4.1.32473.1.12.0", "1.3.6.1.4.1.32473.1.12.0:noSuchObject");
    check("get 1.3.6.1.4.1.32473.3.1.1.1.5", "1.3.6.1.4.1.32473.3.1.1.1.5:noSuchObject");
    check("get 0.0", "0.0:noSuchObject");
    check("get 2.999", "2.999:noSuchObject");
}

#[test]
fn next_finds_the_first_instance_after_a_name() {
    check("next 0.0", "factNumber.0=-7");
    check("next 1.3.6.1.4.1.32473", "factNumber.0=-7");
    check("next factNumber", "factNumber.0=-7");
    check("next factNumber.0", "factText.0='hello'");
    check("next factNumber.0.0", "factText.0='hello'");
    check("next factNumber.7", "factText.0='hello'");
    // Passes over what has no instance: an absent scalar, the not accessible one, an empty table.
    check("next factText.0", "factUptime.0=12345");
    check("next factGauge.0", "portCount.0=5");
    check("next portHigh.2147483647", "factMiddle.0=2147483647");
    check("next idleValue", "factMiddle.0=2147483647");
    check("next 1.3.6.1.4.1.32473.2.3.1.1.5", "factMiddle.0=2147483647");
    // Within a table: by index, in the order of numbers, from a row that is gone, into the next column.
    check("next portName", "portName.1='lo'");
    check("next portName.3", "portName.10='wlan0'");
    check("next portName.4", "portName.10='wlan0'");
    check("next portName.3.0", "portName.10='wlan0'");
    check("next portName.10", "portName.2147483647='tun'");
    check("next portName.2147483647", "portIn.1=100");
    check("next portName.4294967295", "portIn.1=100");
    // Holes of a sparse column.
    check("next portSpeed.1", "portSpeed.3=1000");
    check("next portSpeed.3", "portSpeed.2147483647=4294967295");
    // Indexes of several parts, with lengths, implied.
    check("next peerState", "peerState.1.4.127.0.0.1.80=1");
    check("next peerState.1.4.127.0.0.1", "peerState.1.4.127.0.0.1.80=1");
    check("next peerState.1.4.127.0.0.1.80", "peerState.1.4.192.0.2.255.65535=2");
    check("next peerState.1.5", "peerState.2.16.32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.1.161=1");
    check("next wordCount.97", "wordCount.97.98=2");
    check("next wordCount.97.98", "wordCount.98=1");
    check("next pathTarget.3.1.3.6", "pathTarget.4.2.999.4294967295.1=2.999.4294967295.1");
    check("next 1.3.6.1.4.1.32473.3.4.1.2", "hostRaw.192.0.2.1.0.255=0x");
}

#[test]
fn next_at_the_end_repeats_the_requested_name() {
    let last = "hostOctets.192.0.2.2.0.255";
    check(&format!("next {last}"), &format!("{last}:endOfMibView"));
    check("next hostOctets.193", "hostOctets.193:endOfMibView");
    check("next 1.3.6.1.4.1.32474", "1.3.6.1.4.1.32474:endOfMibView");
    check("next 2.999 factNumber factGauge", "2.999:endOfMibView factNumber.0=-7 factGauge.0=0");
}

#[test]
fn bulk_repeats_row_by_row() {
    check("bulk 0 2 portName", "portName.1='lo' portName.2='eth0'");
    check("bulk 0 2 portName portSpeed", "portName.1='lo' portSpeed.1=10 portName.2='eth0' portSpeed.3=1000");
    check(
        "bulk 1 2 factNumber portIndex portIn",
        "factNumber.0=-7 portIndex.1=1 portIn.1=100 portIndex.2=2 portIn.2=200",
    );
    check("bulk 0 3 portSpeed.2", "portSpeed.3=1000 portSpeed.2147483647=4294967295 portAdmin.1=1");
    check("bulk 0 4 factCounter.0", "factGauge.0=0 portCount.0=5 portIndex.1=1 portIndex.2=2");
    // At the end of a column the search continues in the next column, over an empty table into another group.
    check(
        "bulk 0 4 portHigh.3",
        "portHigh.10=1099511627776 portHigh.2147483647=1099511627776 factMiddle.0=2147483647 \
         peerState.1.4.127.0.0.1.80=1",
    );
    // The same name twice.
    check("bulk 0 2 portIn portIn", "portIn.1=100 portIn.1=100 portIn.2=200 portIn.2=200");
}

#[test]
fn bulk_counts_are_bounded_by_the_request() {
    check("bulk 5 9 factNumber portIn", "factNumber.0=-7 portIn.1=100");
    check("bulk 2 9 factNumber portIn", "factNumber.0=-7 portIn.1=100");
    check("bulk 0 0 factNumber portIn", "");
    check("bulk 1 0 factNumber portIn", "factNumber.0=-7");
    check("bulk 0 9", "");
    check("bulk 9 9", "");
    check("bulk 18446744073709551615 18446744073709551615", "");
    check(
        "bulk 0 18446744073709551615 hostOctets.192.0.2.1.0.255",
        "hostOctets.192.0.2.2.0.255=2 hostOctets.192.0.2.2.0.255:endOfMibView",
    );
    check(
        "bulk 0 18446744073709551615 hostRaw",
        "hostRaw.192.0.2.1.0.255=0x hostRaw.192.0.2.2.0.255=0x hostOctets.192.0.2.1.0.255=1 \
         hostOctets.192.0.2.2.0.255=2 hostOctets.192.0.2.2.0.255:endOfMibView",
    );
}

#[test]
fn bulk_at_the_end_repeats_the_last_name() {
    let last = "hostOctets.192.0.2.2.0.255";
    // Nothing found at all: the requested name.
    check("bulk 0 3 2.999", "2.999:endOfMibView");
    check("bulk 1 3 2.999", "2.999:endOfMibView");
    check("bulk 0 3 2.999 2.1000", "2.999:endOfMibView 2.1000:endOfMibView");
    // Something found: the name of the repetition before.
    check(
        "bulk 0 3 hostOctets.192.0.2.1",
        &format!("hostOctets.192.0.2.1.0.255=1 {last}=2 {last}:endOfMibView"),
    );
    // One at the end does not stop the others; a whole row does.
    check(
        &format!("bulk 0 9 {last} hostOctets.192.0.2.1.0.255"),
        &format!("{last}:endOfMibView {last}=2 {last}:endOfMibView {last}:endOfMibView"),
    );
    check(
        &format!("bulk 0 2 {last} factNumber"),
        &format!("{last}:endOfMibView factNumber.0=-7 {last}:endOfMibView factText.0='hello'"),
    );
    // A non-repeater at the end stops nothing.
    check("bulk 1 2 2.999 portIn", "2.999:endOfMibView portIn.1=100 portIn.2=200");
}

#[test]
fn bulk_keeps_to_the_most_bindings() {
    check_as(|a| a.max_bindings(0), "bulk 0 9 portIn", "!full@0");
    check_as(|a| a.max_bindings(0), "bulk 1 9 portIn", "!full@0");
    check_as(|a| a.max_bindings(1), "bulk 2 9 factNumber factText portIn", "factNumber.0=-7 !full@1");
    check_as(|a| a.max_bindings(2), "bulk 0 9 portIn", "portIn.1=100 portIn.2=200 !full@0");
    check_as(
        |a| a.max_bindings(3),
        "bulk 0 9 portIn portName",
        "portIn.1=100 portName.1='lo' portIn.2=200 !full@1",
    );
    check_as(|a| a.max_bindings(2), "bulk 0 2 portIn", "portIn.1=100 portIn.2=200");
    // Get and GetNext are bounded by what the request names, not by this.
    check_as(|a| a.max_bindings(1), "get portIn.1 portIn.2", "portIn.1=100 portIn.2=200");
    check_as(|a| a.max_bindings(1), "next portIn.1 portIn.2", "portIn.2=200 portIn.3=300");
}

/// Whatever the capacity, the sink holds exactly the first bindings of the whole answer, and the guilty
/// binding is the one that would have been next.
#[test]
fn a_full_sink_holds_the_beginning_of_the_answer() {
    let fixture = Fixture::default();
    for question in [
        "get factNumber.0 factAbsent.0 portName.1 2.999 peerState.9",
        "next factNumber portSpeed.1 2.999 hostRaw",
        "bulk 0 7 portSpeed",
        "bulk 0 9 hostOctets",
        "bulk 2 4 factNumber 2.999 portName portSpeed",
        "bulk 1 4 factNumber portName",
    ] {
        let (operation, names) = fixture.asker().parse(question);
        let whole = fixture.asker().ask(operation, &names).answers;
        for capacity in 0..whole.len() {
            let reply = fixture.asker().capacity(capacity).ask(operation, &names);
            assert_eq!(reply.answers, whole[..capacity], "{question}, room for {capacity}");
            let guilty = binding_of(operation, names.len(), capacity);
            assert_eq!(reply.end, End::Full(guilty), "{question}, room for {capacity}");
        }
        let reply = fixture.asker().capacity(whole.len()).ask(operation, &names);
        assert_eq!((reply.answers, reply.end), (whole, End::Done), "{question}, just enough room");
    }
}

/// To which name of the request an answer's binding belongs.
fn binding_of(operation: Operation, names: usize, position: usize) -> usize {
    match operation {
        Operation::Bulk { non_repeaters, .. } if position >= non_repeaters => {
            non_repeaters + (position - non_repeaters) % (names - non_repeaters)
        }
        _ => position,
    }
}

#[test]
fn snmpv1_sees_no_counter64() {
    let check = |question, answer| check_as(|asker| asker.without_counter64(), question, answer);
    // NoSuchObject, of which the door makes noSuchName (RFC 3584 section 4.2.2.1).
    check("get factBig.0 factNumber.0", "factBig.0:noSuchObject factNumber.0=-7");
    check("get portHigh.1 portHigh.4", "portHigh.1:noSuchObject portHigh.4:noSuchObject");
    check("next factUptime.0 factBig.0 factBig", "factSerial.0=41 factSerial.0=41 factSerial.0=41");
    check("next portAdmin.2147483647 portHigh.1", "factMiddle.0=2147483647 factMiddle.0=2147483647");
    check(
        "next hostRaw.192.0.2.2.0.255 hostOctets",
        "hostRaw.192.0.2.2.0.255:endOfMibView hostOctets:endOfMibView",
    );
}

#[test]
fn names_of_any_length_find_their_place() {
    let numbers = |sub_ids: &[u32]| Oid::new(sub_ids).unwrap().to_string();
    let longest = |head: &[u32], filler: u32| {
        let mut sub_ids = head.to_vec();
        sub_ids.resize(128, filler);
        numbers(&sub_ids)
    };
    let port_name = [1, 3, 6, 1, 4, 1, 32473, 2, 2, 1, 2];
    check(&format!("next {}", longest(&port_name, 0)), "portName.1='lo'");
    check(&format!("next {}", longest(&port_name, 3)), "portName.10='wlan0'");
    check(&format!("next {}", longest(&port_name, u32::MAX)), "portIn.1=100");
    let longest_get = longest(&port_name, 1);
    let index = longest_get.strip_prefix("1.3.6.1.4.1.32473.2.2.1.2.").unwrap();
    check(&format!("get {longest_get}"), &format!("portName.{index}:noSuchInstance"));
    let behind = longest(&[2], u32::MAX);
    check(&format!("next {behind}"), &format!("{behind}:endOfMibView"));
    for short in ["0", "1", "1.3", "1.3.6.1.4.1.32472.4294967295"] {
        check(&format!("next {short}"), "factNumber.0=-7");
        check(&format!("get {short}"), &format!("{short}:noSuchObject"));
    }
    // The empty name cannot come over SNMP, but may from another protocol.
    let fixture = Fixture::default();
    let asker = fixture.asker();
    assert_eq!(asker.print(&asker.ask(Operation::Next, &[Oid::EMPTY])), "factNumber.0=-7");
    assert_eq!(asker.print(&asker.ask(Operation::Get, &[Oid::EMPTY])), ":noSuchObject");
}

/// A table's index may itself be as long as a name can be.
#[test]
fn an_instance_of_128_sub_identifiers_is_served() {
    let fixture = Fixture::default();
    let object = fixture.asker().name("wordCount");
    let index = vec![7; 128 - object.len()];
    fixture.peers.put(&object, &index, Value::Unsigned32(77));
    let instance = object.child(&index);
    assert_eq!(instance.len(), 128);
    let asker = fixture.asker();
    for (operation, name) in [(Operation::Get, &instance), (Operation::Next, &object)] {
        let reply = asker.ask(operation, std::slice::from_ref(name));
        assert_eq!(reply.answers[0].name, instance);
        assert_eq!(reply.answers[0].outcome, Ok(Value::Unsigned32(77)));
    }
    let reply = asker.ask(Operation::Next, std::slice::from_ref(&instance));
    assert_eq!(asker.print(&reply), "wordCount.97=3");
}

/// A live value of another type than the schema's is not a value, in no operation.
#[test]
fn a_lying_live_value_is_not_passed_on() {
    struct Liar;
    impl Live for Liar {
        fn read(&self, _now: Instant) -> ValueRef<'_> {
            ValueRef::Integer(1)
        }
    }
    let fixture = Fixture::default();
    fixture.facts.put_live(FACT_UPTIME.oid, Arc::new(Liar));
    let check = |question, answer| assert_eq!(fixture.asker().text(question), answer);
    check("get factUptime.0", "factUptime.0:noSuchInstance");
    check("next factText.0", "factBig.0=18446744073709551615");
    check("bulk 0 2 factText", "factText.0='hello' factBig.0=18446744073709551615");
}

#[test]
fn a_failed_load_names_its_binding() {
    let fixture = Fixture::default();
    fixture.ports.fail_loads(true);
    let check = |question, answer| assert_eq!(fixture.asker().text(question), answer);
    check("get factNumber.0 portName.1 peerState.1", "factNumber.0=-7 !error@1");
    check("next factGauge.0", "!error@0");
    check(
        "bulk 0 9 factText factCounter",
        "factText.0='hello' factCounter.0=4294967295 \
         factUptime.0=12345 factGauge.0=0 factBig.0=18446744073709551615 !error@1",
    );
    check("get factNumber.0 peerState.1", "factNumber.0=-7 peerState.1:noSuchInstance");
    fixture.ports.fail_loads(false);
    check("get portName.1", "portName.1='lo'");
}
