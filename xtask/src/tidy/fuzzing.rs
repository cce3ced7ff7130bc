//! The table of `fuzz/README.md` has every target of `fuzz/Cargo.toml`, once, and no others: it lists everything
//! that is fuzzed.

use std::collections::BTreeMap;

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
}
