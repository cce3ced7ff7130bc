//! Lines that only the persistent file has, and that this agent cannot take over: snmpd's own state, which it writes
//! there when it ends, and rows that managers had set.

use crate::collected::Collected;
use crate::source::Directive;

/// State of the old program, by the directive's name in small letters, and what takes its place.
const STATE: &[(&str, &str)] = &[
    ("setserialno", "snmpSetSerialNo begins at random, as RFC 3418 allows"),
    ("engineboots", "boots start higher than any earlier value"),
    ("enginetime", "time restarts with the boots"),
    ("iftable", "the kernel has the interfaces"),
];

/// Rows of tables that a manager had set, and what to do.
const ROWS: &[(&str, &str)] = &[
    ("targetaddr", "a target that a manager had set: set it again, or write a [[snmp.target]]"),
    ("targetparams", "a target that a manager had set: set it again, or write a [[snmp.target]]"),
    ("snmpnotifytable", "a target that a manager had set: set it again, or write a [[snmp.target]]"),
    (
        "snmpnotifyfiltertable",
        "a filter that a manager had set: set it again, or write it in a [[snmp.target]]",
    ),
    (
        "snmpnotifyfilterprofiletable",
        "a filter that a manager had set: set it again, or write it in a [[snmp.target]]",
    ),
    ("_schedtable", "scheduled sets are not supported; use a systemd timer with `trunkline set`"),
];

/// The owners of rows that snmpd makes of `monitor` and its like, as text and in hexadecimal.
const OWN_ROWS: [&str; 4] = ["snmpd.conf", "0x736e6d70642e636f6e66", "_snmpd", "0x5f736e6d7064"];

/// Every name, and what becomes of it.
pub(super) fn known() -> impl Iterator<Item = (&'static str, &'static str)> {
    let others = [
        ("_mtettable", "rows of DISMAN-EVENT-MIB; the same for the other names with _mte"),
        ("ifxtable", "ifAlias of an interface, if a manager had set it"),
    ];
    STATE.iter().chain(ROWS).copied().chain(others)
}

/// Whether this is one of these lines, by the directive's name in small letters.
pub(super) fn is_known(name: &str) -> bool {
    STATE.iter().chain(ROWS).any(|(known, _)| *known == name) || is_event_row(name) || name == "ifxtable"
}

fn is_event_row(name: &str) -> bool {
    name.starts_with("_mte") || matches!(name, "mtetriggertable" | "mteeventtable" | "mteobjectstable")
}

/// Processes a line; `false` if it is not one of these.
pub(super) fn take(collected: &mut Collected<'_>, directive: &Directive, name: &str) -> bool {
    let origin = &directive.origin;
    if let Some((_, why)) = STATE.iter().find(|(known, _)| *known == name) {
        let why = (*why).into();
        collected.kept.push(crate::Note { origin: origin.clone(), directive: directive.name.clone(), why });
    } else if let Some((_, why)) = ROWS.iter().find(|(known, _)| *known == name) {
        collected.note(origin, &directive.name, *why);
    } else if is_event_row(name) {
        event_row(collected, directive);
    } else if name == "ifxtable" {
        interface(collected, directive);
    } else {
        return false;
    }
    true
}

/// Rows that snmpd made of its own configuration come from there again; others are a manager's.
fn event_row(collected: &mut Collected<'_>, directive: &Directive) {
    let is_own = directive.words().first().is_some_and(|owner| OWN_ROWS.contains(&owner.as_str()));
    if is_own {
        let why = "snmpd made this row of its own configuration".into();
        let (origin, directive) = (directive.origin.clone(), directive.name.clone());
        collected.kept.push(crate::Note { origin, directive, why });
    } else {
        let why = "a row of DISMAN-EVENT-MIB that a manager had set; the line does not say with whose rights, \
                   so the manager must set it again";
        collected.note(&directive.origin, &directive.name, why);
    }
}

/// `ifXTable INDEX 14:TRAPS 18:ALIAS $`
fn interface(collected: &mut Collected<'_>, directive: &Directive) {
    let words = directive.words();
    let is_empty = |alias: &&str| ["", "0x", "\"\""].contains(alias);
    let alias = words.iter().find_map(|word| word.strip_prefix("18:")).filter(|alias| !is_empty(alias));
    let (origin, name) = (&directive.origin, &directive.name);
    match alias {
        Some(_) => {
            let why =
                "an ifAlias that a manager had set; it is the kernel's here: ip link set dev NAME alias TEXT";
            collected.note(origin, name, why);
        }
        None => {
            let why = "the kernel has the interfaces".into();
            collected.kept.push(crate::Note { origin: origin.clone(), directive: name.clone(), why });
        }
    }
}
