//! Get, GetNext and GetBulk: exceptions, ends, repetitions, names at their limits.

use crate::support::talk::{Talk, parse};
use crate::support::{Agent, steady};

#[test]
fn exceptions_show_what_is_missing() {
    let agent = Agent::start(&steady(""));
    Talk::to(&agent).check(&[
        ("2c public get sysUpTime.0", "noError 0 sysUpTime.0=t:*"),
        ("2c public get sysUpTime.1", "noError 0 sysUpTime.1=noSuchInstance"),
        ("2c public get sysUpTime", "noError 0 sysUpTime=noSuchInstance"),
        ("2c public get sysUpTime.0.0", "noError 0 sysUpTime.0.0=noSuchInstance"),
        ("2c public get ifDescr.4294967295", "noError 0 ifDescr.4294967295=noSuchInstance"),
        ("2c public get ifTable", "noError 0 ifTable=noSuchObject"),
        ("2c public get 1.3.6.1.2.1.1.99.0", "noError 0 1.3.6.1.2.1.1.99.0=noSuchObject"),
        ("2c public get ifStackHigherLayer.0.1", "noError 0 ifStackHigherLayer.0.1=noSuchObject"),
        (
            "2c public get sysServices.0 sysServices.1 2.999 sysServices.0",
            "noError 0 sysServices.0=i:76 sysServices.1=noSuchInstance 2.999=noSuchObject sysServices.0=i:76",
        ),
        ("2c public get", "noError 0"),
        ("2c public next", "noError 0"),
        // What a request binds to its names is not looked at.
        ("2c public get sysServices.0=s:nonsense", "noError 0 sysServices.0=i:76"),
    ]);
}

#[test]
fn the_end_of_the_view_has_the_requested_name() {
    let view = "[[snmp.community]]\nname = \"system\"\naccess = \"read\"\nview = [\"1.3.6.1.2.1.1\", \"-1.3.6.1.2.1.1.9\"]\n";
    let agent = Agent::start(&steady("").replace("[freshness]", &format!("{view}[freshness]")));
    Talk::to(&agent).check(&[
        ("2c public next 2.999.1", "noError 0 2.999.1=endOfMibView"),
        ("2c public next 2.999.1 sysDescr", "noError 0 2.999.1=endOfMibView sysDescr.0=s:*"),
        // A view ends where it ends, and what is outside is not an object.
        ("2c system next sysServices.0", "noError 0 sysORLastChange.0=t:0"),
        ("2c system next sysORLastChange.0", "noError 0 sysORLastChange.0=endOfMibView"),
        ("2c system get ifNumber.0 sysORID.1", "noError 0 ifNumber.0=noSuchObject sysORID.1=noSuchObject"),
        ("2c system next ifNumber", "noError 0 ifNumber=endOfMibView"),
        ("2c system next 0.0", "noError 0 sysDescr.0=s:*"),
        ("1 system next ifNumber", "noSuchName 1 ifNumber=null"),
        ("1 system get sysServices.0 ifNumber.0", "noSuchName 2 sysServices.0=null ifNumber.0=null"),
    ]);
}

#[test]
fn version_1_errors_repeat_bindings_and_index() {
    let agent = Agent::start(&steady(""));
    Talk::to(&agent).check(&[
        ("1 public get sysServices.0", "noError 0 sysServices.0=i:76"),
        ("1 public get sysUpTime.1", "noSuchName 1 sysUpTime.1=null"),
        ("1 public get sysServices.0 2.999 2.998", "noSuchName 2 sysServices.0=null 2.999=null 2.998=null"),
        ("1 public next 2.999", "noSuchName 1 2.999=null"),
        (
            "1 public next sysDescr sysServices 2.999",
            "noSuchName 3 sysDescr=null sysServices=null 2.999=null",
        ),
        ("1 public get", "noError 0"),
    ]);
}

#[test]
fn counter64_does_not_exist_in_version_1() {
    let agent = Agent::start(&steady(""));
    Talk::to(&agent).check(&[
        ("2c public get ifHCInOctets.1", "noError 0 ifHCInOctets.1=C:*"),
        ("1 public get ifHCInOctets.1", "noSuchName 1 ifHCInOctets.1=null"),
        ("1 public get ifInOctets.1 ifHCInOctets.1", "noSuchName 2 ifInOctets.1=null ifHCInOctets.1=null"),
        ("2c public next ifHCInOctets", "noError 0 ifHCInOctets.1=C:*"),
        ("1 public next ifHCInOctets", "noError 0 ifLinkUpDownTrapEnable.1=i:*"),
        ("1 public next ifHCOutBroadcastPkts.1", "noError 0 ifLinkUpDownTrapEnable.1=i:*"),
        ("1 public next ifHCInOctets ifDescr", "noError 0 ifLinkUpDownTrapEnable.1=i:* ifDescr.1=s:*"),
    ]);
}

#[test]
fn bulk_counts_negative_as_zero_and_goes_row_by_row() {
    let agent = Agent::start(&steady(""));
    let talk = Talk::to(&agent);
    talk.check(&[
        (
            "2c public bulk 0 2 sysDescr sysServices",
            "noError 0 sysDescr.0=s:* sysServices.0=i:76 sysObjectID.0=o:* sysORLastChange.0=t:0",
        ),
        ("2c public bulk -1 1 sysContact sysServices", "noError 0 sysContact.0=s: sysServices.0=i:76"),
        ("2c public bulk -2147483648 1 sysServices", "noError 0 sysServices.0=i:76"),
        ("2c public bulk 0 0 sysServices", "noError 0"),
        ("2c public bulk 0 -5 sysServices", "noError 0"),
        ("2c public bulk 0 -2147483648 sysServices", "noError 0"),
        ("2c public bulk 1 -5 sysContact sysServices", "noError 0 sysContact.0=s:"),
        (
            "2c public bulk 1 2 sysServices sysContact",
            "noError 0 sysServices.0=i:76 sysContact.0=s: sysName.0=s:*",
        ),
        (
            "2c public bulk 2 2147483647 sysContact sysServices",
            "noError 0 sysContact.0=s: sysServices.0=i:76",
        ),
        (
            "2c public bulk 2147483647 5 sysContact sysServices",
            "noError 0 sysContact.0=s: sysServices.0=i:76",
        ),
        ("2c public bulk 0 2147483647 sysServices", "noError 0 sysServices.0=i:76 sysORLastChange.0=t:0 ..."),
        ("2c public bulk 1 5", "noError 0"),
        // Past the end: one row of it is enough, and no row is cut.
        ("2c public bulk 0 5 2.999", "noError 0 2.999=endOfMibView"),
        ("2c public bulk 0 5 2.999 2.998", "noError 0 2.999=endOfMibView 2.998=endOfMibView"),
        (
            "2c public bulk 0 2 2.999 sysContact",
            "noError 0 2.999=endOfMibView sysContact.0=s: 2.999=endOfMibView sysName.0=s:*",
        ),
    ]);
}

#[test]
fn request_ids_are_echoed_exactly() {
    let agent = Agent::start(&steady(""));
    let talk = Talk::to(&agent);
    for id in [0, 1, -1, 127, 128, 255, 256, -128, -129, 32_767, 32_768, 8_388_608, i32::MAX, i32::MIN] {
        for request in
            ["1 public get sysServices.0", "2c public bulk 0 1 ifIndex", "2c public set sysDescr.0=null"]
        {
            let mut message = parse(request);
            message.pdu.request_id = id;
            talk.exchange(&message); // compares them
        }
    }
}

#[test]
fn names_at_their_limits() {
    let agent = Agent::start(&steady(""));
    let talk = Talk::to(&agent);
    let widest = format!("2.4294967295{}", ".4294967295".repeat(126));
    let longest = format!("1.3.6.1.2.1.2.2.1.2{}", ".4294967295".repeat(118));
    let zeros = format!("1.3.6.1.2.1.1.3{}", ".0".repeat(120));
    for (request, answer) in [
        (format!("2c public get {widest}"), format!("noError 0 {widest}=noSuchObject")),
        (format!("2c public next {widest}"), format!("noError 0 {widest}=endOfMibView")),
        (format!("2c public bulk 0 3 {widest}"), format!("noError 0 {widest}=endOfMibView")),
        (format!("1 public next {widest}"), format!("noSuchName 1 {widest}=null")),
        (format!("2c public set {widest}=i:1"), format!("noAccess 1 {widest}=i:1")),
        (format!("2c private set {widest}=i:1"), format!("notWritable 1 {widest}=i:1")),
        (
            format!("2c public get {longest}"),
            format!("noError 0 {}=noSuchInstance", longest.replace("1.3.6.1.2.1.2.2.1.2.", "ifDescr.")),
        ),
        (format!("2c public next {longest}"), "noError 0 ifType.1=i:24".into()),
        (format!("2c public next {zeros}"), "noError 0 sysContact.0=s:".into()),
        ("2c public get 0.0".into(), "noError 0 0.0=noSuchObject".into()),
        ("2c public next 0.0".into(), "noError 0 sysDescr.0=s:*".into()),
        (
            "2c public next 0.39 1.0 1.39 2.0".into(),
            "noError 0 sysDescr.0=s:* sysDescr.0=s:* 1.39=endOfMibView 2.0=endOfMibView".into(),
        ),
        (
            "2c public get 2.40.1 2.47 2.48 2.999.4294967295".into(),
            "noError 0 2.40.1=noSuchObject 2.47=noSuchObject 2.48=noSuchObject 2.999.4294967295=noSuchObject"
                .into(),
        ),
        ("2c public next 1.3.6.1.2.1.2.2.1.2.0".into(), "noError 0 ifDescr.1=s:lo".into()),
        ("2c public next 1.3.6.1.2.1.2.2.1.1.4294967295".into(), "noError 0 ifDescr.1=s:lo".into()),
    ] {
        talk.check(&[(&request, &answer)]);
    }
}

#[test]
fn max_bindings_bounds_bulk_alone() {
    let agent = Agent::start(&steady("").replace("[snmp]", "[snmp]\nmax-bindings = 7"));
    let talk = Talk::to(&agent);
    let names = |request: &str| talk.ask(request).pdu.bindings.len();
    for (request, bindings) in [
        ("2c public bulk 0 2147483647 1.3", 7),
        ("2c public bulk 0 100 ifDescr ifType", 7),
        ("2c public bulk 3 100 sysDescr sysDescr sysDescr ifIndex ifType", 7),
        (
            "2c public bulk 9 0 sysDescr sysDescr sysDescr sysDescr sysDescr sysDescr sysDescr sysDescr sysDescr",
            7,
        ),
        ("2c public bulk 0 7 1.3", 7),
        ("2c public bulk 0 6 1.3", 6),
        (
            "2c public get sysDescr.0 sysDescr.0 sysDescr.0 sysDescr.0 sysDescr.0 sysDescr.0 sysDescr.0 sysDescr.0",
            8,
        ),
        ("2c public next sysDescr sysDescr sysDescr sysDescr sysDescr sysDescr sysDescr sysDescr", 8),
    ] {
        assert_eq!(names(request), bindings, "{request}");
    }
}

#[test]
fn up_time_counts_hundredths_of_this_agent() {
    let before = std::time::Instant::now();
    let agent = Agent::start(&steady(""));
    let talk = Talk::to(&agent);
    let up_time = || match talk.ask("2c public get sysUpTime.0").pdu.bindings[0].value.value() {
        Some(trunkline_smi::Value::TimeTicks(hundredths)) => u128::from(*hundredths),
        other => panic!("{other:?}"),
    };
    let (begin, first) = (std::time::Instant::now(), up_time());
    while begin.elapsed().as_millis() < 120 {
        assert!(up_time() >= first);
    }
    let elapsed = begin.elapsed().as_millis() / 10;
    let second = up_time();
    // The agent's hundredths are cut off, not rounded: one may be missing at each end.
    assert!(second - first + 1 >= elapsed, "{first} {second} {elapsed}");
    assert!(second <= before.elapsed().as_millis() / 10, "sysUpTime begins with the agent");
    talk.check(&[(
        "2c public bulk 1 1 sysORLastChange sysORID sysORDescr sysORUpTime",
        "noError 0 sysORLastChange.0=t:0 sysORID.1=o:1.3.6.1.6.3.1 sysORDescr.1=s:* sysORUpTime.1=t:0",
    )]);
}
