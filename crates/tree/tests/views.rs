//! The one guard as data: what a view lets through in get, next and bulk (RFC 3415, RFC 3416),
//! by object and by instance. `+name` includes a subtree, `-name` excludes one.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use trunkline_smi::Oid;
use trunkline_testkit::fixture::Fixture;
use trunkline_tree::{Coverage, View};

fn view(fixture: &Fixture, rules: &str) -> View {
    rules.split_whitespace().fold(View::NOTHING, |view, rule| {
        let (sign, name) = rule.split_at(1);
        let subtree = if name.is_empty() { Oid::EMPTY } else { fixture.asker().name(name) };
        if sign == "+" { view.include(subtree) } else { view.exclude(subtree) }
    })
}

fn check(rules: &str, question: &str, answer: &str) {
    let fixture = Fixture::default();
    let view = view(&fixture, rules);
    assert_eq!(fixture.asker_with(view).text(question), answer, "{rules}: {question}");
}

#[test]
fn without_a_rule_nothing_is_there() {
    check("", "get factNumber.0 portName.1", "factNumber.0:noSuchObject portName.1:noSuchObject");
    check("", "next 0.0 portName.1", "0.0:endOfMibView portName.1:endOfMibView");
    check("", "bulk 1 5 factNumber portName", "factNumber:endOfMibView portName:endOfMibView");
    check("-", "next 0.0", "0.0:endOfMibView");
}

#[test]
fn whole_objects_are_hidden_as_if_they_did_not_exist() {
    let rules = "+ -factText -1.3.6.1.4.1.32473.2";
    check(
        rules,
        "get factNumber.0 factText.0 portName.1 factMiddle.0",
        "factNumber.0=-7 factText.0:noSuchObject portName.1:noSuchObject factMiddle.0:noSuchObject",
    );
    check(
        rules,
        "next factNumber.0 factText factGauge.0",
        "factUptime.0=12345 factUptime.0=12345 peerState.1.4.127.0.0.1.80=1",
    );
    check(
        rules,
        "bulk 0 3 factCounter",
        "factCounter.0=4294967295 factGauge.0=0 peerState.1.4.127.0.0.1.80=1",
    );
    check("+portIn", "bulk 0 9 0.0", &format!("{PORT_IN} portIn.2147483647:endOfMibView"));
    check("+portIn", "next portIn.2147483647", "portIn.2147483647:endOfMibView");
}

const PORT_IN: &str = "portIn.1=100 portIn.2=200 portIn.3=300 portIn.10=1000 portIn.2147483647=4294967196";

#[test]
fn of_two_rules_the_longer_decides_and_of_two_for_one_subtree_the_later() {
    check("+ -1.3.6.1.4.1.32473.2 +portIn", "bulk 0 2 portCount", "portIn.1=100 portIn.2=200");
    check("+portIn -1.3.6.1.4.1.32473.2 +", "bulk 0 2 portCount", "portIn.1=100 portIn.2=200");
    check("-portIn +portIn", "get portIn.1", "portIn.1=100");
    check("+portIn -portIn", "get portIn.1", "portIn.1:noSuchObject");
}

/// A rule may be finer than an object: then each instance is checked, in every operation.
#[test]
fn single_instances_are_hidden() {
    let rules = "+ -portIn.2 -portIn.10 -portSpeed.1 -factSerial.0";
    // Other instances of the object are there, so the object type is.
    check(
        rules,
        "get portIn.1 portIn.2 portIn.4 portName.2 factSerial.0",
        "portIn.1=100 portIn.2:noSuchInstance portIn.4:noSuchInstance portName.2='eth0' factSerial.0:noSuchInstance",
    );
    check(
        rules,
        "next portIn.1 portIn.3 portSpeed factBig.0",
        "portIn.3=300 portIn.2147483647=4294967196 portSpeed.3=1000 factOid.0=0.0",
    );
    check(
        rules,
        "bulk 0 4 portIn",
        "portIn.1=100 portIn.3=300 portIn.2147483647=4294967196 portSpeed.3=1000",
    );
    check(
        rules,
        "bulk 1 2 factBig.0 portIn portSpeed",
        "factOid.0=0.0 portIn.1=100 portSpeed.3=1000 portIn.3=300 portSpeed.2147483647=4294967295",
    );
}

#[test]
fn single_instances_are_shown() {
    let rules = "+portIn.2 +portName.10 +factNumber.0 +peerState.1.4.192";
    check(
        rules,
        "bulk 0 9 0.0",
        "factNumber.0=-7 portName.10='wlan0' portIn.2=200 peerState.1.4.192.0.2.255.65535=2 \
         peerState.1.4.192.0.2.255.65535:endOfMibView",
    );
    check(
        rules,
        "get portIn.2 portIn.1 portSpeed.1 factNumber.0 factNumber.1",
        "portIn.2=200 portIn.1:noSuchInstance portSpeed.1:noSuchObject factNumber.0=-7 factNumber.1:noSuchInstance",
    );
    check(rules, "next portIn portIn.2", "portIn.2=200 peerState.1.4.192.0.2.255.65535=2");
}

/// Rules as [`trunkline_tree::Family`] reads them, below 1.3.6.1.4.1.32473: portTable is 2.2, peerTable 3.1.
fn check_masks(rules: &str, question: &str, answer: &str) {
    let fixture = Fixture::default();
    let families = rules.split_whitespace().map(|rule| {
        let (sign, rest) = rule.split_at(usize::from(rule.starts_with('-')));
        format!("{sign}1.3.6.1.4.1.32473.{rest}").parse().unwrap()
    });
    let asker = fixture.asker_with(View::of(families).unwrap());
    assert_eq!(asker.text(question), answer, "{rules}: {question}");
}

#[test]
fn masks_leave_the_column_or_a_part_of_the_index_open() {
    let row = "2.2.1.*.3 -2.2.1.2.*";
    check_masks(row, "bulk 0 3 0.0", "portIndex.3=3 portIn.3=300 portSpeed.3=1000");
    check_masks(
        row,
        "get portIndex.3 portIndex.1 portName.3",
        "portIndex.3=3 portIndex.1:noSuchInstance portName.3:noSuchObject",
    );
    check_masks(row, "next portIndex.1 portIndex.3", "portIndex.3=3 portIn.3=300");
    let by_port = "3.1.1.4.1.4.*.*.*.*.80";
    check_masks(
        by_port,
        "bulk 0 2 0.0",
        "peerState.1.4.127.0.0.1.80=1 peerState.1.4.127.0.0.1.80:endOfMibView",
    );
    check_masks("3.1.1.4.*.*.192", "next peerState", "peerState.1.4.192.0.2.255.65535=2");
    check_masks(
        "3.1 -3.1.1.*.1",
        "next peerState.1.4.127",
        "peerState.2.16.32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.1.161=1",
    );
    // A wildcard in the table's position: only names as deep as the rule.
    check_masks("*.2.1.3.10", "bulk 0 2 0.0", "portIn.10=1000 portIn.10:endOfMibView");
}

#[test]
fn a_view_and_snmpv1_hide_together() {
    let fixture = Fixture::default();
    let view = view(&fixture, "+portHigh +portIn.1 +hostOctets");
    let asker = fixture.asker_with(view).without_counter64();
    assert_eq!(
        asker.text("next 0.0 portIn.1 portHigh"),
        "portIn.1=100 portIn.1:endOfMibView portHigh:endOfMibView"
    );
}

#[test]
fn coverage_is_decided_by_leaf() {
    let fixture = Fixture::default();
    let leaf = fixture.asker().name("portIn");
    for (rules, expected) in [
        ("", Coverage::None),
        ("-", Coverage::None),
        ("+", Coverage::All),
        ("+ -portIn", Coverage::None),
        ("+portIn", Coverage::All),
        ("+portIn.1", Coverage::Some),
        ("+ -portIn.1.2.3", Coverage::Some),
        ("+ +portIn.1", Coverage::All),
        ("- -portIn.1", Coverage::None),
        ("+portName", Coverage::None),
    ] {
        assert_eq!(view(&fixture, rules).coverage(&leaf), expected, "{rules}");
    }
}
