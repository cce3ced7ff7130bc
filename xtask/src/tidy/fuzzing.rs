//! The table of `fuzz/README.md` has every target of `fuzz/Cargo.toml`, once, and no others: it lists everything
//! that is fuzzed. And the targets take other people's crates in the versions of the workspace, whose builds they share
//! (docs/decisions/0132).

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;

const README: &str = "fuzz/README.md";

/// Compares the table with the manifest.
pub fn check(readme: &str, manifest: &str) -> Vec<Finding> {
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    for name in rows_of(readme) {
        *rows.entry(name).or_default() += 1;
    }
    let targets: Vec<&str> = targets_of(manifest).collect();
    let mut findings = Vec::new();
    for target in &targets {
        match rows.remove(target) {
            Some(1) => {}
            Some(_) => findings.push(Finding::new(README, format!("`{target}` has more than one row"))),
            None => findings.push(Finding::new(README, format!("the target `{target}` has no row"))),
        }
    }
    let strays = rows.keys().map(|name| format!("`{name}` is not a target of fuzz/Cargo.toml"));
    findings.extend(strays.map(|words| Finding::new(README, words)));
    findings
}

/// Compares the lock file of the targets with that of the workspace: what is in both has the same versions.
pub fn check_versions(workspace: &str, fuzz: &str) -> Vec<Finding> {
    let (workspace, fuzz) = (versions_of(workspace), versions_of(fuzz));
    let differ = fuzz.iter().filter_map(|(name, versions)| {
        let known = workspace.get(name)?;
        let other = versions.difference(known).next()?;
        let known = known.iter().copied().collect::<Vec<_>>().join(" and ");
        let words =
            format!("{name} {other}, and the workspace has {known}: cargo update -p {name} --precise");
        Some(Finding::new("fuzz/Cargo.lock", words))
    });
    differ.collect()
}

/// The versions of each package of a lock file.
fn versions_of(lock: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in lock.split("[[package]]\n").skip(1) {
        let value = |key: &str| package.lines().find_map(|line| line.strip_prefix(key)?.strip_suffix('"'));
        if let (Some(name), Some(version)) = (value("name = \""), value("version = \"")) {
            versions.entry(name).or_default().insert(version);
        }
    }
    versions
}

/// The first cells of a table's rows, where they are code.
fn rows_of(readme: &str) -> impl Iterator<Item = &str> {
    let cells = readme.lines().filter_map(|line| line.strip_prefix("| `"));
    cells.filter_map(|cell| cell.split_once("` |")).map(|(name, _)| name)
}

fn targets_of(manifest: &str) -> impl Iterator<Item = &str> {
    let sections = manifest.split("\n[").filter_map(|section| section.strip_prefix("[bin]]\n"));
    let names = sections.flat_map(str::lines).filter_map(|line| line.strip_prefix("name = \""));
    names.filter_map(|name| name.strip_suffix('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"fuzz\"\n\n[[bin]]\nname = \"ber\"\npath = \"ber.rs\"\n\n\
                            [[bin]]\nname = \"pdu\"\n\n[profile.release]\ndebug = true\n";

    fn words(readme: &str) -> Vec<String> {
        check(readme, MANIFEST).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_target_has_one_row() {
        let head = "| target | what |\n| --- | --- |\n";
        assert!(words(&format!("{head}| `ber` | `x` |\n| `pdu` | y |\n")).is_empty());
        let missing = words(&format!("{head}| `ber` | x |\n"));
        assert!(missing.len() == 1 && missing[0].contains("`pdu` has no row"), "{missing:?}");
        let wrong = words(&format!("{head}| `ber` | x |\n| `pdu` | y |\n| `pdu` | z |\n| `usm` | z |\n"));
        assert!(wrong[0].contains("more than one") && wrong[1].contains("`usm` is not"), "{wrong:?}");
    }

    #[test]
    fn versions_are_those_of_the_workspace() {
        let lock = |packages: &[(&str, &str)]| {
            let one = |(name, version): &(&str, &str)| {
                format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"x\"\n\n")
            };
            "version = 4\n\n".to_owned() + &packages.iter().map(one).collect::<String>()
        };
        let workspace =
            lock(&[("aes", "0.9.2"), ("bit-vec", "0.9.1"), ("bit-vec", "0.10.1"), ("toml", "1.0.0")]);
        let same = lock(&[("aes", "0.9.2"), ("bit-vec", "0.10.1"), ("libfuzzer-sys", "0.4.13")]);
        assert_eq!(check_versions(&workspace, &same), []);
        let other = check_versions(&workspace, &lock(&[("aes", "0.9.4"), ("bit-vec", "0.9.1")]));
        assert_eq!(other.len(), 1);
        assert!(other[0].to_string().contains("aes 0.9.4, and the workspace has 0.9.2"), "{}", other[0]);
    }
}
