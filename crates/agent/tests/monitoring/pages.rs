//! The tables of docs/monitoring/*.md are what this asks: each row has an OID, the type of its values in Net-SNMP's
//! words, and whether the agent answers it.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;

use crate::monitoring::world;
use crate::support::net_snmp;

type Walk = BTreeMap<Vec<u32>, String>;

/// A row of a table: `| what | objects | OID | type | answered |`.
#[derive(Debug)]
struct Row {
    place: String,
    oid: Vec<u32>,
    /// `any` for a table with columns of several types.
    kind: String,
    answered: Answered,
}

#[derive(Debug, PartialEq, Eq)]
enum Answered {
    /// On every Linux system.
    Yes,
    /// Where the hardware, the neighbors or the setting that the page names are there.
    If,
    No,
}

#[test]
fn the_tables_of_every_system_are_answered_as_they_say() {
    let rows = rows();
    let agent = world::agent();
    let peer = agent.udp().to_string();
    let user = ["-v3", "-l", "authPriv", "-u", "nms", "-a", "SHA", "-x", "AES"];
    let user = [&user[..], &["-A", world::PASSWORD, "-X", world::PASSWORD]].concat();
    for (version, credentials) in [("v2c", vec!["-v2c", "-c", "public"]), ("v3", user)] {
        let Some(walk) = walk(&peer, &credentials) else { return };
        let wrong: Vec<String> = rows.iter().filter_map(|row| check(row, &walk)).collect();
        assert!(wrong.is_empty(), "{version}:\n{}", wrong.join("\n"));
    }
}

/// What is wrong with a row, if anything is.
fn check(row: &Row, walk: &Walk) -> Option<String> {
    let below = (Bound::Included(row.oid.clone()), Bound::Unbounded);
    let found: Vec<&String> = walk
        .range::<Vec<u32>, _>(below)
        .take_while(|(oid, _)| oid.starts_with(&row.oid))
        .map(|(_, kind)| kind)
        .collect();
    let is_there = !found.is_empty();
    match row.answered {
        Answered::Yes if !is_there => return Some(format!("{}: there is nothing", row.place)),
        Answered::No if is_there => {
            return Some(format!("{}: {} instances, but \"no\"", row.place, found.len()));
        }
        _ => {}
    }
    let other = found.iter().find(|kind| row.kind != "any" && **kind != &row.kind)?;
    Some(format!("{}: {other}, expected {}", row.place, row.kind))
}

/// Everything, with the type of each value. A line without a name continues a value.
fn walk(peer: &str, credentials: &[&str]) -> Option<Walk> {
    let output = net_snmp("snmpbulkwalk", &[credentials, &["-On", peer, ".1"]].concat())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}{}", text.lines().last().unwrap_or_default());
    let line = |line: &str| {
        let (name, value) = line.strip_prefix('.')?.split_once(" = ")?;
        let kind = match value.split_once(": ").map_or(value, |(kind, _)| kind) {
            "\"\"" | "Hex-STRING" => "STRING",
            kind => kind,
        };
        Some((name.split('.').map(|arc| arc.parse().unwrap()).collect(), kind.to_owned()))
    };
    let walk: Walk = text.lines().filter_map(line).collect();
    assert!(walk.len() > 500, "{} instances", walk.len());
    Some(walk)
}

/// The rows of all pages.
fn rows() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/monitoring");
    let mut rows = Vec::new();
    for system in ["icinga", "librenms", "observium", "opennms", "prometheus", "zabbix"] {
        let page = format!("{system}.md");
        let text = std::fs::read_to_string(folder.join(&page)).unwrap();
        let before = rows.len();
        rows.extend(text.lines().enumerate().filter_map(|(number, line)| row(&page, number + 1, line)));
        assert!(rows.len() - before >= 10, "{page} has {} rows with an OID", rows.len() - before);
    }
    rows
}

fn row(page: &str, number: usize, line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
    let [what, _, oid, kind, answered, ""] = cells[..] else { return None };
    let oid = oid.strip_prefix('`')?.strip_suffix('`')?;
    let answered = match answered {
        "yes" | "if configured as above" => Answered::Yes,
        _ if answered.starts_with("if ") => Answered::If,
        _ if answered.starts_with("no") => Answered::No,
        _ => panic!("docs/monitoring/{page}:{number}: \"yes\", \"if ...\" or \"no ...\", not {answered:?}"),
    };
    let place = format!("docs/monitoring/{page}:{number}: {what} ({oid})");
    let arc = |arc: &str| arc.parse().unwrap_or_else(|_| panic!("{place}: {arc:?} in the OID"));
    Some(Row { oid: oid.split('.').map(arc).collect(), kind: kind.trim_matches('`').into(), answered, place })
}

#[test]
fn a_row_that_is_not_so_is_found() {
    let row = |line: &str| row("page.md", 7, line).unwrap();
    let walk: Walk = [(vec![1, 3, 6, 1], "INTEGER".to_owned())].into();
    let finds = |line: &str| check(&row(line), &walk).is_some();
    assert!(!finds("| a | b | `1.3.6` | INTEGER | yes |"));
    assert!(!finds("| a | b | `1.3.6` | any | if there is a disk |"));
    assert!(!finds("| a | b | `1.3.7` | INTEGER | if there is a disk |"));
    assert!(!finds("| a | b | `1.3.7` | INTEGER | no: nothing |"));
    assert!(finds("| a | b | `1.3.6` | Counter32 | yes |"));
    assert!(finds("| a | b | `1.3.6` | Counter32 | if there is a disk |"));
    assert!(finds("| a | b | `1.3.7` | INTEGER | yes |"));
    assert!(finds("| a | b | `1.3` | any | no: nothing |"));
}
