//! The room table of ARCHITECTURE.md against the workspace's manifests.
//!
//! The table is exact: each member has a row, and a row's last cell names the
//! rooms that its manifest depends on, no fewer and no more. Dependencies of
//! tests may also name `testkit`.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::exceptions::TEST_ARROWS;
use crate::workspace::Package;

/// The contents of a room's cell, or of its manifest: the rooms that it uses.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Compares the table with the packages.
pub fn check(architecture: &str, packages: &[Package]) -> Vec<Finding> {
    let told = table(architecture);
    if told.is_empty() {
        return vec![finding(
            "no room table: expected a header `| room | what it is | may use |`".to_owned(),
        )];
    }
    let real = arrows(packages, false);
    let mut findings = Vec::new();
    for room in real.keys().filter(|room| !told.contains_key(*room)) {
        findings.push(finding(format!("the workspace has `{room}`, the room table has not")));
    }
    for (room, told) in &told {
        let Some(real) = real.get(room) else {
            findings.push(finding(format!("the room table has `{room}`, the workspace has not")));
            continue;
        };
        for other in real.difference(told) {
            findings.push(finding(format!("`{room}` uses `{other}`, which the room table does not allow")));
        }
        for other in told.difference(real) {
            findings.push(finding(format!("the room table lets `{room}` use `{other}`, which it does not")));
        }
    }
    findings.extend(test_arrows(&told, &arrows(packages, true)));
    findings
}

fn test_arrows(told: &Arrows, real: &Arrows) -> Vec<Finding> {
    let excepted =
        |room: &str, other: &str| TEST_ARROWS.iter().any(|(from, to, _)| (*from, *to) == (room, other));
    let mut findings = Vec::new();
    for (room, others) in real {
        for other in others {
            let allowed =
                other == "testkit" || other == room || told.get(room).is_some_and(|set| set.contains(other));
            if !allowed && !excepted(room, other) {
                findings.push(finding(format!("tests of `{room}` use `{other}`, which nothing allows")));
            }
        }
    }
    for (from, to, _) in TEST_ARROWS {
        let used = real.get(*from).is_some_and(|others| others.contains(*to));
        if told.contains_key(*from) && !used {
            findings.push(finding(format!("the exception for tests of `{from}` using `{to}` is not needed")));
        }
    }
    findings
}

/// The rows below the header, by room.
fn table(architecture: &str) -> Arrows {
    let cells = |line: &str| -> Option<Vec<String>> {
        let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
        Some(inner.split('|').map(|cell| cell.trim().to_owned()).collect())
    };
    let rows = architecture.lines().map(cells);
    let is_header = |row: &Option<Vec<String>>| {
        row.as_ref().is_some_and(|row| {
            row.first().is_some_and(|c| c == "room") && row.last().is_some_and(|c| c == "may use")
        })
    };
    rows.skip_while(|row| !is_header(row))
        .skip(2)
        .map_while(|row| row)
        .filter_map(|row| Some((names(row.first()?).pop()?, names(row.last()?).into_iter().collect())))
        .collect()
}

/// The names between backticks.
fn names(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(|name| name.trim_end_matches('/').to_owned()).collect()
}

/// Which room uses which, in product code or in tests.
fn arrows(packages: &[Package], development: bool) -> Arrows {
    let room = |folder: &str| folder.rsplit('/').next().unwrap_or(folder).to_owned();
    let members = packages.iter().filter_map(|package| Some((room(package.folder.as_deref()?), package)));
    members
        .map(|(name, package)| {
            let wanted =
                package.dependencies.iter().filter(|dependency| dependency.development == development);
            (name, wanted.filter_map(|dependency| Some(room(dependency.folder.as_deref()?))).collect())
        })
        .collect()
}

fn finding(words: String) -> Finding {
    Finding::new("ARCHITECTURE.md", words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    const TABLE: &str = "# A\n\n| room | what it is | may use |\n| --- | --- | --- |\n| `smi` | language | nothing of ours |\n\
                         | `tree` | the tree | `smi` |\n\ntext `x`\n\n| a | b |\n";

    fn package(folder: &str, uses: &[(&str, bool)]) -> Package {
        let dependency = |(folder, development): &(&str, bool)| Dependency {
            development: *development,
            folder: Some(format!("crates/{folder}")),
        };
        Package {
            name: folder.to_owned(),
            version: String::new(),
            license: None,
            source: None,
            folder: Some(format!("crates/{folder}")),
            published: false,
            unsaid: Vec::new(),
            dependencies: uses.iter().map(dependency).collect(),
        }
    }

    fn words(packages: &[Package]) -> Vec<String> {
        check(TABLE, packages).into_iter().map(|finding| finding.words).collect()
    }

    #[test]
    fn a_true_table_passes() {
        let tests_with_testkit = package("tree", &[("smi", false), ("testkit", true), ("smi", true)]);
        assert_eq!(words(&[package("smi", &[]), tests_with_testkit]), [""; 0]);
    }

    #[test]
    fn an_arrow_that_the_table_forbids_is_found() {
        let findings = words(&[package("smi", &[("tree", false)]), package("tree", &[("smi", false)])]);
        assert_eq!(findings, ["`smi` uses `tree`, which the room table does not allow"]);
    }

    #[test]
    fn an_arrow_that_is_not_there_is_found() {
        let findings = words(&[package("smi", &[]), package("tree", &[])]);
        assert_eq!(findings, ["the room table lets `tree` use `smi`, which it does not"]);
    }

    #[test]
    fn rooms_missing_on_either_side_are_found() {
        let findings = words(&[package("smi", &[]), package("host", &[])]);
        assert_eq!(
            findings,
            [
                "the workspace has `host`, the room table has not",
                "the room table has `tree`, the workspace has not"
            ]
        );
    }

    #[test]
    fn a_test_arrow_that_nothing_allows_is_found() {
        let findings = words(&[package("smi", &[("tree", true)]), package("tree", &[("smi", false)])]);
        assert_eq!(findings, ["tests of `smi` use `tree`, which nothing allows"]);
    }

    #[test]
    fn no_table_is_found() {
        assert_eq!(check("# nothing", &[]).len(), 1);
    }
}
