//! Ways around the access policy: a principal whose view has holes, in every version, by every operation, level
//! and context, with names of every length. The principal may see what the administrator sees, less what the view
//! leaves out.

use trunkline_smi::{Oid, Value};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::wire::{
    Bound, ErrorStatus, Exception, Message, MsgFlags, Pdu, PduKind, VarBind, Version,
};

use super::forge::{Forged, Victim};
use super::support::{Agent, bulk, get, message, next, oid, set};
use super::usm::config;
use super::who::Who;

/// Signs, and may use its role with that only.
const ASKER: Who = Who::new("SHA-256", "-");
/// Sees everything.
const ADMIN: Who = Who::new("SHA-512", "AES");

/// Holes of every form: a scalar, an instance, a subtree, a column, a row, and islands inside a hole.
const HOLES: &str = r#"
[[view]]
name = "holes"
rules = [
    "1.3.6.1.2.1", "-1.3.6.1.2.1.1.4", "-1.3.6.1.2.1.1.6.0", "-1.3.6.1.2.1.1.9.1.3",
    "-1.3.6.1.2.1.2.2.1.*.1", "1.3.6.1.2.1.2.2.1.2.1", "-1.3.6.1.2.1.4", "-1.3.6.1.2.1.6", "-1.3.6.1.2.1.11",
    "1.3.6.1.2.1.11.1", "1.3.6.1.2.1.11.30", "-1.3.6.1.2.1.25", "-1.3.6.1.2.1.31.1.1.1.6"
]
[[role]]
name = "asker"
read = "holes"
write = ["1.3.6.1.2.1.1", "-1.3.6.1.2.1.1.5"]
model = "usm"
level = "authNoPriv"
[[role.access]]
read = "holes"
write = ["1.3.6.1.2.1.1", "-1.3.6.1.2.1.1.5"]
model = "v2c"
[[role.access]]
read = "holes"
write = ["1.3.6.1.2.1.1", "-1.3.6.1.2.1.1.5"]
model = "v1"
[[role.access]]
context = "lab"
read = ["1.3.6.1.2.1.1.1"]
model = "usm"
level = "authPriv"
[[snmp.community]]
name = "holes"
role = "asker"
[[snmp.community]]
name = "elsewhere"
role = "asker"
context = "lab"
"#;

fn is_hidden(name: &Oid) -> bool {
    let below = |text: &str| name.starts_with(&oid(text));
    let row = |name: &Oid| below("1.3.6.1.2.1.2.2.1") && name.len() > 10 && name[10] == 1;
    let island = ["1.3.6.1.2.1.2.2.1.2.1", "1.3.6.1.2.1.11.1", "1.3.6.1.2.1.11.30"];
    let holes = [
        "1.3.6.1.2.1.1.4",
        "1.3.6.1.2.1.1.6.0",
        "1.3.6.1.2.1.1.9.1.3",
        "1.3.6.1.2.1.4",
        "1.3.6.1.2.1.6",
        "1.3.6.1.2.1.11",
        "1.3.6.1.2.1.25",
        "1.3.6.1.2.1.31.1.1.1.6",
    ];
    let in_hole = holes.into_iter().any(below) || row(name);
    !below("1.3.6.1.2.1") || (in_hole && !island.into_iter().any(below))
}

fn start() -> (Agent, Victim) {
    let users = ASKER.section("asker") + &ADMIN.section("operator");
    let agent = Agent::start(&(config([]) + HOLES + &users));
    let victim = Victim::discover(&agent);
    (agent, victim)
}

/// Sends a request as one of the principals.
type Ask<'a> = Box<dyn Fn(Pdu) -> Pdu + 'a>;

fn asker<'a>(agent: &'a Agent, victim: &'a Victim, version: Version) -> Ask<'a> {
    match version {
        Version::V3 => {
            let honest = victim.request(ASKER, get(&[]));
            Box::new(move |pdu| victim.ask(&Forged { pdu, ..honest.clone() }))
        }
        version => Box::new(move |pdu| agent.ask(&message(version, "holes", pdu)).pdu),
    }
}

fn admin<'a>(agent: &'a Agent) -> Ask<'a> {
    Box::new(|pdu| agent.ask(&message(Version::V2c, "public", pdu)).pdu)
}

const VERSIONS: [Version; 3] = [Version::V1, Version::V2c, Version::V3];

/// Objects that do not come and go while the test walks, all of the groups that have holes.
const ROOTS: [&str; 5] =
    ["1.3.6.1.2.1.1", "1.3.6.1.2.1.2", "1.3.6.1.2.1.4.20", "1.3.6.1.2.1.11", "1.3.6.1.2.1.31.1.1"];

/// The names below a root, by this step.
fn walk(root: &str, step: impl Fn(&Oid) -> Pdu) -> Vec<Oid> {
    let (root, mut names) = (oid(root), Vec::new());
    let mut last = root.clone();
    loop {
        let answer = step(&last);
        if answer.error_status == 2 && answer.kind == PduKind::Response {
            return names; // noSuchName: the end of SNMPv1
        }
        assert_eq!(answer.error_status, 0, "{answer:?}");
        for VarBind { name, value } in answer.bindings {
            if !name.starts_with(&root) || value == Bound::Exception(Exception::EndOfMibView) {
                return names;
            }
            assert!(name > last, "{name} behind {last}");
            last = name.clone();
            names.push(name);
        }
    }
}

#[test]
fn walks_find_exactly_the_view() {
    let (agent, victim) = start();
    let admin = admin(&agent);
    for root in ROOTS {
        let all = walk(root, |name| admin(bulk(0, 50, &[&name.to_string()])));
        // Counter64 is not there for SNMPv1.
        let is_counter64 = |name: &Oid| {
            let value = &admin(get(&[&name.to_string()])).bindings[0].value;
            matches!(value, Bound::Value(Value::Counter64(_)))
        };
        let seen: Vec<Oid> = all.iter().filter(|name| !is_hidden(name)).cloned().collect();
        assert!(seen.len() < all.len(), "nothing is hidden below {root}");
        for version in VERSIONS {
            let ask = asker(&agent, &victim, version);
            let expected: Vec<Oid> = match version {
                Version::V1 => seen.iter().filter(|name| !is_counter64(name)).cloned().collect(),
                _ => seen.clone(),
            };
            let by_next = walk(root, |name| ask(next(&[&name.to_string()])));
            assert_eq!(by_next, expected, "{version:?} {root}");
            if version != Version::V1 {
                for repetitions in [1, 2, 7, 100] {
                    let by_bulk = walk(root, |name| ask(bulk(0, repetitions, &[&name.to_string()])));
                    assert_eq!(by_bulk, expected, "{version:?} {root} by {repetitions}");
                }
            }
        }
    }
    // The whole view, by steps so large that each answer is full, and many columns at once.
    let ask = asker(&agent, &victim, Version::V3);
    let many = ask(bulk(
        1,
        500,
        &["1.3.6.1.2.1.1.4", "1", "1.3.6.1.2.1.2.2.1.1", "1.3.6.1.2.1.11", "1.3.6.1.2.1.25"],
    ));
    assert!(many.bindings.len() > 100, "{}", many.bindings.len());
    for VarBind { name, value } in many.bindings {
        assert!(!is_hidden(&name) || value == Bound::Exception(Exception::EndOfMibView), "{name}");
    }
}

/// What is hidden, and what lies near it.
const HIDDEN: [&str; 8] = [
    "1.3.6.1.2.1.1.4.0",
    "1.3.6.1.2.1.1.6.0",
    "1.3.6.1.2.1.1.9.1.3.1",
    "1.3.6.1.2.1.2.2.1.1.1",
    "1.3.6.1.2.1.2.2.1.10.1",
    "1.3.6.1.2.1.11.3.0",
    "1.3.6.1.2.1.31.1.1.1.6.1",
    "1.3.6.1.6.3.10.2.1.1.0",
];

#[test]
fn hidden_objects_cannot_be_read_beside_any_others() {
    let (agent, victim) = start();
    for version in VERSIONS {
        let ask = asker(&agent, &victim, version);
        for name in HIDDEN {
            let answer = ask(get(&["1.3.6.1.2.1.1.3.0", name, "1.3.6.1.2.1.1.5.0"]));
            let found = &answer.bindings[1];
            assert_eq!(found.name, oid(name));
            match version {
                Version::V1 => {
                    assert_eq!(
                        (answer.status(), answer.error_index),
                        (Some(ErrorStatus::NoSuchName), 2),
                        "{name}"
                    );
                    assert_eq!(found.value, Bound::Unspecified);
                }
                _ => {
                    assert_eq!(answer.status(), Some(ErrorStatus::NoError), "{version:?} {name}");
                    assert!(matches!(found.value, Bound::Exception(_)), "{version:?} {found:?}");
                    assert!(matches!(answer.bindings[0].value, Bound::Value(_)), "{answer:?}");
                    assert!(matches!(answer.bindings[2].value, Bound::Value(_)), "{answer:?}");
                }
            }
        }
    }
}

#[test]
fn names_of_any_length_lead_nowhere_else() {
    let (agent, victim) = start();
    let admin = admin(&agent);
    let mut froms: Vec<Oid> = Vec::new();
    for name in HIDDEN.iter().map(|name| oid(name)) {
        for fill in [0, 1, u32::MAX] {
            // 128 sub-identifiers are the most that a name has (RFC 3416 section 3).
            froms.push(name.child(&vec![fill; 128 - name.len()]));
        }
        // The instance just before it, its object, and that one's parent.
        froms.extend((1..4).map(|up| Oid::EMPTY.child(&name[..name.len() - up])));
        froms.push(name);
    }
    for version in VERSIONS {
        let ask = asker(&agent, &victim, version);
        for from in &froms {
            let text = from.to_string();
            let got = ask(get(&[&text]));
            assert!(
                got.error_status == 2 || matches!(got.bindings[0].value, Bound::Exception(_)),
                "{version:?} {from}"
            );
            // The next instance that the administrator sees and the principal may see.
            let mut expected = from.clone();
            let expected = loop {
                let answer = admin(next(&[&expected.to_string()]));
                let VarBind { name, value } = &answer.bindings[0];
                if matches!(value, Bound::Exception(_)) {
                    break None;
                }
                let is_for_v1 = !matches!(value, Bound::Value(Value::Counter64(_)));
                if !is_hidden(name) && (version != Version::V1 || is_for_v1) {
                    break Some(name.clone());
                }
                // Out of the view nothing comes any more: no need to walk it.
                if !name.starts_with(&oid("1.3.6.1.2.1")) {
                    break None;
                }
                expected = name.clone();
            };
            let found = ask(next(&[&text]));
            let found = match &found.bindings[0] {
                _ if found.error_status == 2 => None,
                VarBind { value: Bound::Exception(_), .. } => None,
                VarBind { name, .. } => Some(name.clone()),
            };
            assert_eq!(found, expected, "{version:?} behind {from}");
        }
    }
}

#[test]
fn names_that_are_too_long_are_refused() {
    let (agent, victim) = start();
    let honest = victim.request(ASKER, get(&["1.3.6.1.2.1.1.3.0"]));
    // One sub-identifier more than there may be, put in by hand: no encoder of ours writes it.
    for (kind, tag) in [(PduKind::Get, 0xa0), (PduKind::GetNext, 0xa1), (PduKind::Set, 0xa3)] {
        let long = oid("1.3.6.1.2.1.1").child(&[1; 121]);
        assert_eq!(long.len(), 128);
        let pdu = Pdu::new(kind, 7, vec![VarBind::unspecified(long)]);
        let whole = Forged { pdu, ..honest.clone() };
        // The longest name there may be is answered; the answer may need data that has to be read first.
        victim.ask(&whole);
        let parts = super::support::raw::Parts {
            community: super::support::raw::element(4, b"holes"),
            pdu: tag,
            name: super::support::raw::name(43, &[[6, 1, 2, 1, 1].as_slice(), &[1; 123]].concat()),
            ..Default::default()
        };
        assert_eq!(super::support::exchange(agent.udp(), &parts.octets()), None, "{kind:?}");
    }
    assert_eq!(victim.send(&honest).response().error_status, 0);
}

#[test]
fn sets_need_the_write_view() {
    let (agent, victim) = start();
    let text = |name: &str| VarBind::new(oid(name), Value::text("changed"));
    for version in VERSIONS {
        let ask = asker(&agent, &victim, version);
        let refused = |bindings: Vec<VarBind>, index: i32| {
            let answer = ask(set(bindings));
            let expected =
                if version == Version::V1 { ErrorStatus::NoSuchName } else { ErrorStatus::NoAccess };
            assert_eq!(
                (answer.status(), answer.error_index),
                (Some(expected), index),
                "{version:?} {answer:?}"
            );
        };
        refused(vec![text("1.3.6.1.2.1.1.5.0")], 1);
        refused(vec![VarBind::new(oid("1.3.6.1.2.1.11.30.0"), Value::Integer(1))], 1);
        // All or nothing: a permitted value is not written together with a forbidden one.
        refused(vec![text("1.3.6.1.2.1.1.4.0"), text("1.3.6.1.2.1.1.5.0")], 2);
        let contact = admin(&agent)(get(&["1.3.6.1.2.1.1.4.0"]));
        assert_ne!(contact.bindings[0].value, Bound::Value(Value::text("changed")));
        // What it may write though it cannot read it (RFC 3416 section 4.2.5 looks at the write view alone).
        let answer = ask(set(vec![VarBind::new(oid("1.3.6.1.2.1.1.6.0"), Value::text("unseen"))]));
        assert_eq!(answer.status(), Some(ErrorStatus::NoError), "{version:?}");
        // Users, groups and views of the policy itself.
        for name in ["1.3.6.1.6.3.16.1.5.1.0", "1.3.6.1.6.3.15.1.2.1.0", "1.3.6.1.6.3.12.1.1.0"] {
            refused(vec![VarBind::new(oid(name), Value::Integer(0))], 1);
        }
    }
}

#[test]
fn levels_and_contexts_open_no_other_door() {
    let (agent, victim) = start();
    let honest = victim.request(ASKER, get(&["1.3.6.1.2.1.1.3.0"]));
    assert_eq!(victim.send(&honest).response().status(), Some(ErrorStatus::NoError));
    // Less protected than the role requires.
    let unsigned = Forged { flags: MsgFlags::new(SecurityLevel::NoAuthNoPriv, true), ..honest.clone() };
    assert_eq!(victim.send(&unsigned).response().status(), Some(ErrorStatus::AuthorizationError));
    // A context that the role has for a higher level only, and those that nobody has.
    for context in ["lab", "Lab", "la", "lab\0", "labs", " "] {
        let elsewhere = Forged { context_name: context.into(), ..honest.clone() };
        match victim.send(&elsewhere) {
            super::forge::Answer::Report { object, .. } => {
                assert_eq!(object, "1.3.6.1.6.3.12.1.5.0", "{context:?}")
            }
            super::forge::Answer::Response(pdu) => {
                assert_eq!(pdu.status(), Some(ErrorStatus::AuthorizationError), "{context:?} {pdu:?}");
            }
            silence => panic!("{context:?}: {silence:?}"),
        }
    }
    // By community there is a way into that context, and there no rule for it.
    for version in [Version::V1, Version::V2c] {
        let question = message(version, "elsewhere", get(&["1.3.6.1.2.1.1.1.0"]));
        let answer: Option<Message> = super::support::exchange(agent.udp(), &question.encode());
        let status = answer.as_ref().and_then(|answer| answer.pdu.status());
        assert!(status.is_none_or(|status| status != ErrorStatus::NoError), "{version:?} {answer:?}");
        // Names of other contexts in the community itself are other communities.
        let question = message(version, "holes@lab", get(&["1.3.6.1.2.1.1.1.0"]));
        assert_eq!(super::support::exchange(agent.udp(), &question.encode()), None);
    }
}
