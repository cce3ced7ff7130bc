//! Doors do not know each other, and the core knows no door (decision 0043). Neither imports the manager's half: what both
//! ends need is in `binding`.

use super::{Finding, RustFile};

/// Where the doors are, as `NAME.rs` and `NAME/`, and how one of them is named there.
const DOORS: [(&str, &str); 2] = [("crates/agent/src/door/", "door"), ("crates/web/src/", "crate")];

/// Where the core is.
const CORE: &str = "crates/core/src";

/// The front of the doors over HTTP, which these may know.
const FRONT: &str = "http";

/// The manager's half.
const CLIENT: &str = "trunkline_client";

/// Checks all files of doors and of the core.
pub fn check(files: &[RustFile]) -> Vec<Finding> {
    let mut doors: Vec<&str> = files.iter().filter_map(|file| door_of(&file.path)).collect();
    doors.sort_unstable();
    doors.dedup();
    files.iter().flat_map(|file| strangers(file, &doors)).collect()
}

/// The door that a file belongs to.
fn door_of(path: &str) -> Option<&str> {
    let (_, rest) = place_of(path)?;
    rest.split(['/', '.']).next().filter(|name| *name != "lib")
}

/// How doors are named where a file of one is, and its path from there.
fn place_of(path: &str) -> Option<(&'static str, &str)> {
    DOORS.iter().find_map(|(place, parent)| Some((*parent, path.strip_prefix(place)?)))
}

/// Doors that a file names and may not know.
fn strangers(file: &RustFile, doors: &[&str]) -> Vec<Finding> {
    let own = door_of(&file.path);
    if own.is_none() && !file.path.starts_with(CORE) {
        return Vec::new();
    }
    let may_know = |door: &str| Some(door) == own || (own.is_some() && door == FRONT);
    let mut findings: Vec<Finding> = file
        .source
        .occurrences(CLIENT)
        .filter(|(_, is_test)| !is_test)
        .map(|(line, _)| {
            Finding::at(file, line, format!("`{CLIENT}`: a door serves; what both ends need is in `binding`"))
        })
        .collect();
    for door in doors.iter().filter(|door| !may_know(door)) {
        let place = place_of(&file.path).filter(|_| own.is_some());
        // In the door's own file `super` is the parent of all doors.
        let is_head = place.is_some_and(|(_, rest)| !rest.contains('/'));
        let relative = is_head.then(|| format!("super::{door}"));
        let parent = place.map_or("door", |(parent, _)| parent);
        let named = [format!("{parent}::{door}"), format!("trunkline_web::{door}")];
        for word in named.into_iter().chain(relative) {
            for (line, _) in file.source.occurrences(&word).filter(|(_, is_test)| !is_test) {
                let words = format!("`{word}`: doors share the core and know no other door (decision 0043)");
                findings.push(Finding::at(file, line, words));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<RustFile> =
            files.iter().map(|(path, text)| RustFile::new(path, (*text).to_owned())).collect();
        check(&files).iter().map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn a_door_that_uses_another_is_found() {
        let snmp = ("crates/agent/src/door/snmp.rs", "use super::http::Front;\nuse trunkline_core::Core;\n");
        let clean = ("crates/web/src/soap/rows.rs", "use super::service;\nuse crate::http::Front;\n");
        let of_http =
            ("crates/agent/src/door/snmp/in_soap.rs", "use trunkline_web::http::Front;\nuse super::Door;\n");
        assert_eq!(words(&[snmp, clean, of_http]), [""; 0]);
        let found = words(&[
            snmp,
            ("crates/agent/src/door/netconf.rs", "use super::snmp::Door;\n"),
            ("crates/agent/src/door/netconf/rows.rs", "\nuse crate::door::snmp::Door;\n"),
            ("crates/agent/src/door/snmp/udp.rs", "use trunkline_web::soap;\n"),
            ("crates/web/src/soap.rs", "use super::select::Select;\n"),
            ("crates/web/src/select.rs", ""),
            ("crates/web/src/http/route.rs", "use crate::soap;\n"),
            ("crates/core/src/set.rs", "use crate::door::snmp;\n"),
            ("crates/core/src/read.rs", "use trunkline_client::Target;\n"),
            ("crates/agent/src/notify/worker.rs", "use trunkline_client::Target;\n"),
            ("crates/agent/src/assembly.rs", "use crate::door::snmp;\n"),
        ]);
        let places: Vec<&str> = found.iter().filter_map(|line| line.split(": ").next()).collect();
        assert_eq!(
            places,
            [
                "crates/agent/src/door/netconf.rs:1",
                "crates/agent/src/door/netconf/rows.rs:2",
                "crates/agent/src/door/snmp/udp.rs:1",
                "crates/web/src/soap.rs:1",
                "crates/web/src/http/route.rs:1",
                "crates/core/src/set.rs:1",
                "crates/core/src/read.rs:1",
            ]
        );
    }
}
