//! Net-SNMP's configuration as ours: each directive, its result, and the notes about what cannot be converted.
//! Every resulting text passes our own check.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod access;
mod elsewhere;
mod files;
mod watched;
mod whole;

use std::net::IpAddr;
use std::path::Path;

use trunkline_config::{self, Plan};
use trunkline_netsnmp::explain::{Outcome, UNUSED};
use trunkline_netsnmp::{Imported, Surroundings, import};

fn names(name: &str) -> Vec<IpAddr> {
    match name {
        "localhost" => vec!["127.0.0.1".parse().unwrap(), "::1".parse().unwrap()],
        "noc.example" => vec!["192.0.2.7".parse().unwrap()],
        _ => Vec::new(),
    }
}

fn surroundings() -> Surroundings<'static> {
    Surroundings { resolve: &names, extra: Vec::new(), listen: Vec::new(), title: "From snmpd.conf.".into() }
}

fn imported_from(text: &str) -> (Imported, Plan) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    std::fs::write(&file, text).unwrap();
    let imported = import(&[file], &surroundings()).unwrap();
    let plan = trunkline_config::parse(Path::new("imported.toml"), &imported.toml);
    let plan = plan.unwrap_or_else(|error| panic!("{error}\nfrom\n{text}\ncame\n{}", imported.toml));
    explained(text, &imported);
    (imported, plan)
}

/// Directives of which another line has to make something; without one they have no effect with snmpd either.
const MAY_BE_UNUSED: [&str; 16] = [
    "group",
    "access",
    "setaccess",
    "authgroup",
    "authaccess",
    "view",
    "trapcommunity",
    "notificationfilter",
    "notificationevent",
    "setevent",
    "rouser",
    "rocommunity",
    "com2sec",
    "com2sec6",
    "iquerysecname",
    "agentsecname",
];

/// Each line has an explanation of its own.
fn explained(text: &str, imported: &Imported) {
    for line in &imported.lines {
        let is_unused = line.outcome == Outcome::NoEffect && line.words == [UNUSED];
        let may_be = MAY_BE_UNUSED.contains(&line.directive.to_ascii_lowercase().as_str());
        assert!(!is_unused || may_be, "{line:?} of\n{text}\ncame\n{}", imported.toml);
        assert!(line.outcome != Outcome::NotSupported || !line.words.is_empty(), "{line:?}");
    }
    let lost = imported.lost();
    for line in imported.lines.iter().filter(|line| line.outcome >= Outcome::InPart) {
        let is_lost = matches!(line.outcome, Outcome::InPart | Outcome::NotSupported);
        assert_eq!(lost.contains(&line.origin), is_lost, "{line:?}");
    }
}

/// The text without comments and empty lines.
fn plain(toml: &str) -> String {
    let lines = toml.lines().map(|line| line.split("  # ").next().unwrap_or("").trim_end());
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect::<Vec<_>>().join("\n") + "\n"
}

/// Lines of Net-SNMP's configuration, what ours must have, and a part of each note.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

fn check(cases: &[Case]) {
    for (given, expected, noted) in cases {
        let (imported, _) = imported_from(given);
        let toml = plain(&imported.toml);
        for fragment in *expected {
            assert!(toml.contains(fragment), "{given:?} lacks {fragment:?} in\n{toml}");
        }
        let notes: Vec<String> = imported.all_notes().iter().map(ToString::to_string).collect();
        assert_eq!(notes.len(), noted.len(), "{given:?} gave {notes:#?}");
        for (note, word) in notes.iter().zip(*noted) {
            assert!(note.contains(word), "{given:?} gave {note:?}, expected {word:?}");
            assert!(note.contains("snmpd.conf:"), "{note}");
        }
    }
}
