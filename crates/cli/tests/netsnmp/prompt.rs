//! `snmptest`: the same lines typed into Net-SNMP's and into ours, and what each sends.

use std::sync::{Arc, Mutex};

use trunkline_snmp::wire::{Bound, Exception, Pdu, PduKind, VarBind};
use trunkline_testkit::has;

use crate::pair::{Pair, Ran, snmpd};
use crate::support::Agent;

/// Both are fed the same, and do the same but for their ports and request-ids.
#[track_caller]
fn equal(pair: &Pair<'_>, line: &str, input: &str) {
    let (theirs, ours) = pair.both_fed(line, input);
    assert_eq!(without_numbers(ours), without_numbers(theirs), "{line} {input:?}");
}

/// Our own port is left open, and each request has an ID of its own.
fn without_numbers(ran: Ran) -> Ran {
    let mut out = String::new();
    for line in ran.out.split_inclusive('\n') {
        let (line, rest) = match (line.split_once("->[0.0.0.0]:"), line.split_once("requestid 0x")) {
            (Some((front, _)), _) => (front, "\n"),
            (_, Some((front, rest))) => (front, rest.split_once(' ').unwrap().1),
            _ => (line, ""),
        };
        out.extend([line, rest]);
    }
    Ran { out, ..ran }
}

const NAME: &str = "1.3.6.1.2.1.1.5.0\n";
const NOTHING: &str = "1.3.6.1.2.1.1.6.9\n";

#[test]
fn the_same_is_typed_and_printed() {
    let Some(agent) = snmpd("") else { return };
    let pair = Pair::numbers(&agent.address);
    let read = "snmptest -v2c -c public -On @";
    for input in [
        "",
        "\n",
        "\n\n",
        NAME,
        &format!("{NAME}\n"),
        // Sent again; exceptions; several requests.
        &format!("{NAME}{NOTHING}\n\n{NAME}\n"),
        &format!("$N\n{NAME}1.3.6.1.8\n\n$G\n{NAME}\n"),
        // Unknown names are left out.
        &format!("nowhere\n{NAME}\n"),
        // What was begun keeps its kind.
        &format!("{NAME}$N\n1.3.6.1.2.1.1.4.0\n\n1.3.6.1.2.1.1.4.0\n\n"),
        // Commands, of which only the first letter counts, except for those of Q.
        "$g\n$n\n$s\n$i\n$t\n$b\n$d\n$d\n$p\n$h\n$\n$GN\n$Q x\n$QX\n$qp\n$QPx\n$q\nnot read\n",
        &format!("$QP\n{NAME}\n$QP\n{NAME}\n"),
        // GetBulk: once, again and again, and what is not a number.
        &format!("$B\n{NAME}\n1.3.6.1.2.1.1.9.1.2\n1.3.6.1.2.1.1.9.1.3\n\n2\n$G\n{NAME}\n"),
        &format!("$B\n\n1.3.6.1.2.1.1.9.1.2\n\n2\n{NAME}\n\n3\n"),
        &format!("$B\n\n{NAME}\nmany\n\n"),
        &format!("$B\n\n{NAME}\n-1\n\n"),
        &format!("$B\n\n{NAME}\n"),
    ] {
        equal(&pair, read, input);
        equal(&pair, "snmptest -v2c -c public -OQ @", input);
    }
    // What SNMPv1 does not have, and what it refuses.
    let version_1 = "snmptest -v1 -c public -On @";
    equal(&pair, version_1, &format!("$B\n\n{NAME}\n2\n$I\n{NAME}s\nx\n\n$T\n{NAME}s\nx\n\n\n"));
    equal(&pair, version_1, &format!("{NAME}{NOTHING}\n\n$N\n1.3.6.1.8\n\n"));
    // Other community, other user, other agent.
    equal(&pair, "snmptest -v2c -c other -t 0.1 -r 0 -On @", &format!("{NAME}\n\n"));
    equal(&pair, "snmptest -v3 -u nobody -l noAuthNoPriv -On @", &format!("{NAME}\n\n"));
    equal(&pair, "snmptest -v3 -u nobody -t 0.1 -r 0 -On 127.0.0.1:9", &format!("{NAME}\n"));
    for mistake in ["snmptest", "snmptest @", "snmptest -v2c @", "snmptest -v2c -c public -Cf @"] {
        let (theirs, ours) = pair.both_fed(mistake, "");
        let both = [&theirs, &ours].map(|ran| (ran.status, ran.out.clone()));
        // Without a user ours does not begin; theirs fails with each request.
        if mistake != "snmptest @" {
            assert_eq!(both[0], both[1], "{mistake}");
        }
        assert_eq!(theirs.usage, ours.usage, "{mistake}");
    }
}

#[test]
fn values_of_every_type_are_set() {
    let Some(agent) = snmpd("") else { return };
    let pair = Pair::numbers(&agent.address);
    let line = "snmptest -v2c -c private -On @";
    for input in [
        format!("$S\n{NAME}s\na name\n1.3.6.1.2.1.1.4.0\ns\n\n\n$G\n{NAME}1.3.6.1.2.1.1.4.0\n\n"),
        format!("$S\n{NAME}string\nname\n\n\n"),
        format!("$S\n{NAME}i\n5\n\n\n"),
        format!("$S\n{NAME}d\n300\n65 66\n\n"),
        format!("$S\n{NAME}d\n65.66\n\n"),
        format!("$S\n{NAME}x\nzz\n"),
        format!("$S\n{NAME}n\n\n\n"),
        format!("$S\n{NAME}u\n5\n{NAME}t\n6\n\n"),
        format!("$S\n{NAME}q\n{NAME}\n{NAME}s\nx\n\n"),
        format!("$S\n{NAME}"),
        format!("$S\n{NAME}s\n"),
    ] {
        equal(&pair, line, &input);
    }
    equal(&pair, "snmptest -v1 -c private -On @", &format!("$S\n{NAME}s\nx\n1.3.6.1.2.1.1.5.9\ns\nx\n\n"));
    // What Net-SNMP's sends wrongly or refuses: pairs of digits, longer texts, addresses, numbers that are none.
    let ran = pair.ours_fed(
        line,
        &format!(
            "$S\n{NAME}x\n41 4242\n\n{NAME}s\nend  \n\n{NAME}a\n1.2.3.400\n1.2.3.4\n\n{NAME}i\nfive\n5\n\n"
        ),
    );
    for found in [
        "= STRING: \"ABB\"",
        "= STRING: \"end  \"",
        "Bad value (need an IPv4 address)\nValue: Variable: Received",
        "Bad value (need an integer, or a name of the object's enumeration)\nValue: Variable: Received",
    ] {
        assert!(ran.out.contains(found), "{found} {ran:?}");
    }
}

/// What arrived, without request-ids.
type Heard = Arc<Mutex<Vec<(PduKind, i32, i32, Vec<VarBind>)>>>;

/// An agent that answers with `status`, and what it heard.
fn listening(status: i32) -> (Agent, Heard) {
    let heard = Heard::default();
    let kept = heard.clone();
    let agent = Agent::new(move |request| {
        let Pdu { kind, error_status, error_index, bindings, .. } = request.pdu;
        kept.lock().unwrap().push((kind, error_status, error_index, bindings.clone()));
        let answer = bindings.into_iter().map(|binding| match binding.value {
            Bound::Unspecified => {
                VarBind { name: binding.name, value: Bound::Exception(Exception::NoSuchObject) }
            }
            _ => binding,
        });
        let answer = Pdu::new(PduKind::Response, 0, answer.collect());
        let index = i32::from(status != 0);
        (kind != PduKind::TrapV2).then_some(Pdu { error_status: status, error_index: index, ..answer })
    });
    (agent, heard)
}

#[test]
fn the_same_octets_are_sent() {
    if !has("snmptest", "snmp") {
        return;
    }
    let (agent, heard) = listening(0);
    let target = agent.target();
    let pair = Pair::numbers(&target);
    for input in [
        format!("{NAME}\n\n$N\n{NAME}{NOTHING}\n"),
        format!("$B\n{NAME}\n{NOTHING}{NAME}\n7\n"),
        format!("$B\n\n{NAME}\n1\n"),
        format!("$S\n{NAME}i\n-5\n{NAME}u\n4294967295\n{NAME}t\n6\n\n"),
        format!("$S\n{NAME}s\na b\n{NAME}d\n0 255\n{NAME}n\n\n{NAME}s\n\n\n"),
    ] {
        equal(&pair, "snmptest -v2c -c public -t 60 -r 0 -On @", &input);
        let heard = std::mem::take(&mut *heard.lock().unwrap());
        let (theirs, ours) = heard.split_at(heard.len() / 2);
        assert!(!ours.is_empty() && ours == theirs, "{input:?} {heard:?}");
    }
}

#[test]
fn notifications_are_typed_too() {
    let (agent, heard) = listening(0);
    let target = agent.target();
    let pair = Pair::numbers(&target);
    let line = "snmptest -v2c -c public -t 60 -r 0 -On @";
    let up_time = "1.3.6.1.2.1.1.3.0\nt\n77\n";
    let what = "1.3.6.1.6.3.1.1.4.1.0\no\n1.3.6.1.6.3.1.1.5.3\n";
    let ran = pair.ours_fed(line, &format!("$I\n{up_time}{what}{NAME}s\nx\n\n$T\n{up_time}{what}\n\n"));
    assert!(ran.out.contains("Inform Acknowledged\nVariable: ") && ran.words.is_empty(), "{ran:?}");
    // The end of a trap's way is not seen by the sender: an inform after it is answered once it has arrived.
    pair.ours_fed(line, &format!("$I\n{up_time}{what}\n"));
    let heard: Vec<(PduKind, usize)> =
        heard.lock().unwrap().iter().map(|(kind, _, _, bindings)| (*kind, bindings.len())).collect();
    let expected = [(PduKind::Inform, 3), (PduKind::TrapV2, 2), (PduKind::TrapV2, 2), (PduKind::Inform, 2)];
    assert_eq!(heard, expected);
    // Net-SNMP's sends what is not a notification, and nobody answers.
    let ran = pair.ours_fed(line, &format!("$I\n{NAME}s\nx\n\n$G\n{NAME}\n"));
    assert!(
        ran.words.starts_with("snmptest: the first binding of a notification must be sysUpTime.0"),
        "{ran:?}"
    );
    assert!(ran.out.contains("No Such Object"), "{ran:?}");
    // A receiver that refuses.
    let (agent, _) = listening(16);
    let target = agent.target();
    let ran = Pair::numbers(&target).ours_fed(line, &format!("$I\n{up_time}{what}\n"));
    let refused = "errstat 0x10 errindex 0x1\nError in packet.\nReason: authorizationError (access denied to that object)\nFailed object: .1.3.6.1.2.1.1.3.0\n\n";
    assert!(ran.out.contains(refused), "{ran:?}");
}

#[test]
fn nobody_there_is_reported_and_not_the_end() {
    let silent = Agent::new(|_| None);
    let target = silent.target();
    let pair = Pair::numbers(&target);
    let ran = pair.ours_fed("snmptest -v2c -c public -t 0.05 -r 0 @", &format!("{NAME}\n\n"));
    let timeout = format!("Timeout: No Response from {target}\nVariable: ");
    assert_eq!(ran.status, Some(0));
    assert!(ran.out.contains(&format!("{timeout}Resending last PDU.\n{timeout}")), "{ran:?}");
    let ran = pair.ours_fed("snmptest -v3 @", "");
    assert!(ran.status == Some(1) && ran.words == "snmptest: No securityName specified\n", "{ran:?}");
    let dumped = pair.ours_fed("snmptest -v2c -c public -t 0.05 -r 0 @", &format!("$D\n{NAME}\n$D\n\n"));
    assert_eq!(dumped.words.matches("Sending 43 bytes to UDP: [").count(), 1, "{dumped:?}");
}
