//! Set (RFC 3416 section 4.2.5): all or nothing, the checks in their order, and version 1's errors.

use crate::support::talk::{Talk, show};
use crate::support::{Agent, steady};

/// Reader, writer, and a writer of sysContact alone.
fn agent() -> Agent {
    let community = "[[snmp.community]]\nname = \"contact\"\naccess = \"write\"\nview = [\"1.3.6.1.2.1.1.4\"]\n[freshness]";
    Agent::start(&steady("").replace("[freshness]", community))
}

fn long(length: usize) -> String {
    "x".repeat(length)
}

#[test]
fn checks_come_in_their_order() {
    let agent = agent();
    let talk = Talk::to(&agent);
    let too_long = long(256);
    for (request, answer) in [
        // noAccess before everything else.
        ("2c public set sysContact.0=s:x", "noAccess 1 sysContact.0=s:x"),
        ("2c public set sysDescr.0=i:1", "noAccess 1 sysDescr.0=i:1"),
        ("2c public set 2.999=null", "noAccess 1 2.999=null"),
        ("2c contact set sysName.0=s:x", "noAccess 1 sysName.0=s:x"),
        ("2c contact set sysContact.0=s:me", "noError 0 sysContact.0=s:me"),
        // notWritable before the value is looked at.
        ("2c private set sysDescr.0=s:x", "notWritable 1 sysDescr.0=s:x"),
        ("2c private set sysDescr.0=i:1", "notWritable 1 sysDescr.0=i:1"),
        ("2c private set sysDescr.0=null", "notWritable 1 sysDescr.0=null"),
        ("2c private set sysDescr.7=s:x", "notWritable 1 sysDescr.7=s:x"),
        ("2c private set 1.3.6.1.2.1.1.99.0=i:1", "notWritable 1 1.3.6.1.2.1.1.99.0=i:1"),
        ("2c private set sysORDescr.1=s:x", "notWritable 1 sysORDescr.1=s:x"),
        ("2c private set ifTable=i:1", "notWritable 1 ifTable=i:1"),
        ("2c private set ifStackHigherLayer.0.1=i:1", "notWritable 1 ifStackHigherLayer.0.1=i:1"),
        // wrongType before wrongLength and noCreation.
        ("2c private set sysContact.0=i:5", "wrongType 1 sysContact.0=i:5"),
        ("2c private set sysContact.0=null", "wrongType 1 sysContact.0=null"),
        ("2c private set sysContact.9=i:5", "wrongType 1 sysContact.9=i:5"),
        ("2c private set sysContact.0=o:1.3", "wrongType 1 sysContact.0=o:1.3"),
        ("2c private set sysContact.0=C:5", "wrongType 1 sysContact.0=C:5"),
        ("2c private set ifAdminStatus.1=u:1", "wrongType 1 ifAdminStatus.1=u:1"),
        ("2c private set ifAlias.1=a:127.0.0.1", "wrongType 1 ifAlias.1=a:127.0.0.1"),
        ("2c private set sysContact.9=s:LONG", "wrongLength 1 sysContact.9=s:LONG"),
        ("2c private set sysContact.0=s:LONG", "wrongLength 1 sysContact.0=s:LONG"),
        // wrongValue before noCreation.
        ("2c private set snmpEnableAuthenTraps.0=i:7", "wrongValue 1 snmpEnableAuthenTraps.0=i:7"),
        ("2c private set snmpEnableAuthenTraps.5=i:7", "wrongValue 1 snmpEnableAuthenTraps.5=i:7"),
        ("2c private set ifAdminStatus.1=i:0", "wrongValue 1 ifAdminStatus.1=i:0"),
        ("2c private set ifAdminStatus.1=i:3", "wrongValue 1 ifAdminStatus.1=i:3"),
        ("2c private set snmpSetSerialNo.0=i:-1", "wrongValue 1 snmpSetSerialNo.0=i:-1"),
        ("2c private set sysContact.1=s:x", "noCreation 1 sysContact.1=s:x"),
        ("2c private set sysContact=s:x", "noCreation 1 sysContact=s:x"),
        ("2c private set sysContact.0.0=s:x", "noCreation 1 sysContact.0.0=s:x"),
        ("2c private set ifAlias.4294967295=s:x", "noCreation 1 ifAlias.4294967295=s:x"),
        ("2c private set ifAlias.1.1=s:x", "noCreation 1 ifAlias.1.1=s:x"),
        ("2c private set ifAlias=s:x", "noCreation 1 ifAlias=s:x"),
        ("2c private set", "noError 0"),
    ] {
        talk.check(&[(&request.replace("LONG", &too_long), &answer.replace("LONG", &too_long))]);
    }
    talk.check(&[("2c public get sysContact.0", "noError 0 sysContact.0=s:me")]);
}

#[test]
fn errors_in_the_form_of_version_1() {
    let agent = agent();
    let talk = Talk::to(&agent);
    let too_long = long(256);
    for (request, answer) in [
        ("1 public set sysContact.0=s:x", "noSuchName 1 sysContact.0=s:x"), // noAccess
        ("1 private set sysDescr.0=s:x", "noSuchName 1 sysDescr.0=s:x"),    // notWritable
        ("1 private set sysContact.0=i:5", "badValue 1 sysContact.0=i:5"),  // wrongType
        ("1 private set sysContact.0=null", "badValue 1 sysContact.0=null"),
        ("1 private set sysContact.0=s:LONG", "badValue 1 sysContact.0=s:LONG"), // wrongLength
        ("1 private set ifAdminStatus.1=i:9", "badValue 1 ifAdminStatus.1=i:9"), // wrongValue
        ("1 private set sysContact.1=s:x", "noSuchName 1 sysContact.1=s:x"),     // noCreation
        (
            "1 private set sysContact.0=s:a sysContact.0=s:b", // inconsistentValue
            "badValue 2 sysContact.0=s:a sysContact.0=s:b",
        ),
        ("1 private set sysContact.0=s:v1", "noError 0 sysContact.0=s:v1"),
    ] {
        talk.check(&[(&request.replace("LONG", &too_long), &answer.replace("LONG", &too_long))]);
    }
}

#[test]
fn all_or_nothing() {
    let agent = agent();
    let talk = Talk::to(&agent);
    talk.check(&[
        (
            "2c private set sysContact.0=s:one sysLocation.0=s:there snmpEnableAuthenTraps.0=i:1",
            "noError 0 sysContact.0=s:one sysLocation.0=s:there snmpEnableAuthenTraps.0=i:1",
        ),
        (
            "2c private set sysContact.0=s:two sysLocation.0=s:here sysDescr.0=s:x",
            "notWritable 3 sysContact.0=s:two sysLocation.0=s:here sysDescr.0=s:x",
        ),
        (
            "2c private set sysContact.0=s:two snmpEnableAuthenTraps.0=i:2 ifAlias.4294967295=s:x",
            "noCreation 3 sysContact.0=s:two snmpEnableAuthenTraps.0=i:2 ifAlias.4294967295=s:x",
        ),
        (
            "2c private set sysContact.0=s:two sysContact.0=s:two",
            "inconsistentValue 2 sysContact.0=s:two sysContact.0=s:two",
        ),
        (
            "2c private set snmpEnableAuthenTraps.0=i:2 sysName.0=s:n snmpEnableAuthenTraps.0=i:1",
            "inconsistentValue 3 snmpEnableAuthenTraps.0=i:2 sysName.0=s:n snmpEnableAuthenTraps.0=i:1",
        ),
        (
            "2c public get sysContact.0 sysLocation.0 snmpEnableAuthenTraps.0",
            "noError 0 sysContact.0=s:one sysLocation.0=s:there snmpEnableAuthenTraps.0=i:1",
        ),
    ]);
}

/// RFC 2579, TestAndIncr: the present value is the key, and each use makes it another one.
#[test]
fn the_serial_number_locks() {
    let agent = agent();
    let talk = Talk::to(&agent);
    let serial = || match talk.ask("2c public get snmpSetSerialNo.0").pdu.bindings[0].value.value() {
        Some(trunkline_smi::Value::Integer(serial)) => *serial,
        other => panic!("{other:?}"),
    };
    let now = serial();
    let with = |value: i32, contact: &str| {
        (
            format!("2c private set snmpSetSerialNo.0=i:{value} sysContact.0=s:{contact}"),
            value,
            contact.to_string(),
        )
    };
    let (request, value, contact) = with(now, "first");
    talk.check(&[(&request, &format!("noError 0 snmpSetSerialNo.0=i:{value} sysContact.0=s:{contact}"))]);
    let next = now.checked_add(1).unwrap_or(0);
    assert_eq!(serial(), next);
    let (request, value, contact) = with(now, "second");
    talk.check(&[
        (&request, &format!("inconsistentValue 1 snmpSetSerialNo.0=i:{value} sysContact.0=s:{contact}")),
        ("2c public get sysContact.0", "noError 0 sysContact.0=s:first"),
    ]);
    // A refused set does not use the number up.
    let refused = format!("2c private set snmpSetSerialNo.0=i:{next} sysDescr.0=s:x");
    talk.check(&[(&refused, &format!("notWritable 2 snmpSetSerialNo.0=i:{next} sysDescr.0=s:x"))]);
    assert_eq!(serial(), next);
}

/// Several managers with the same key at the same time: one of them succeeds, and its value is stored.
#[test]
fn the_serial_number_lets_one_of_many_through() {
    let agent = agent();
    let talk = Talk::to(&agent);
    for round in 0..10 {
        let now = talk.ask("2c public get snmpSetSerialNo.0");
        let key = show(&now).split_once("i:").unwrap().1.to_string();
        let managers: Vec<Talk> = (0..8).map(|_| Talk::to(&agent)).collect();
        let won: Vec<usize> = std::thread::scope(|scope| {
            let try_it = |(at, manager): (usize, Talk)| {
                let set = format!("2c private set sysContact.0=s:{round}-{at} snmpSetSerialNo.0=i:{key}");
                scope.spawn(move || (at, show(&manager.ask(&set))))
            };
            let tries: Vec<_> = managers.into_iter().enumerate().map(try_it).collect();
            let answers = tries.into_iter().map(|tried| tried.join().unwrap());
            let (won, lost): (Vec<_>, Vec<_>) =
                answers.partition(|(_, answer)| answer.starts_with("noError 0"));
            assert!(lost.iter().all(|(_, answer)| answer.starts_with("inconsistentValue 2")), "{lost:?}");
            won.into_iter().map(|(at, _)| at).collect()
        });
        assert_eq!(won.len(), 1, "{won:?}");
        let there = format!("noError 0 sysContact.0=s:{round}-{}", won[0]);
        talk.check(&[("2c public get sysContact.0", &there)]);
    }
}

/// A state directory that cannot be written fails the commit, and nothing has changed.
#[test]
fn a_commit_that_fails_keeps_its_index_and_undoes_the_rest() {
    let agent = agent();
    let talk = Talk::to(&agent);
    talk.check(&[("2c private set sysContact.0=s:before", "noError 0 sysContact.0=s:before")]);
    let state = agent.folder.path().join("state");
    std::fs::remove_dir_all(&state).unwrap();
    std::fs::write(&state, "a file where the directory should be").unwrap();
    let now = talk.ask("2c public get snmpSetSerialNo.0");
    let Some(trunkline_smi::Value::Integer(serial)) = now.pdu.bindings[0].value.value() else {
        panic!("{now:?}")
    };
    let both = format!("snmpSetSerialNo.0=i:{serial} sysContact.0=s:after");
    talk.check(&[
        ("2c private set sysContact.0=s:after", "commitFailed 1 sysContact.0=s:after"),
        ("1 private set sysContact.0=s:after", "genErr 1 sysContact.0=s:after"),
        // The serial number was written first, and is undone.
        (&format!("2c private set {both}"), &format!("commitFailed 2 {both}")),
        ("2c public get sysContact.0", "noError 0 sysContact.0=s:before"),
        ("2c public get snmpSetSerialNo.0", &format!("noError 0 snmpSetSerialNo.0=i:{serial}")),
    ]);
}
