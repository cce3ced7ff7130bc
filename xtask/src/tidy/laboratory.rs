//! In the laboratory the kit knows no experiment, and each experiment is a row of the list from which commands, help and reports are
//! made.

use super::{Finding, RustFile};

/// What every experiment is made with: `kit.rs` and `kit/`.
const KIT: &str = "crates/lab/src/kit";

/// The experiments: `NAME.rs` and `NAME/`.
const EXPERIMENTS: &str = "crates/lab/src/experiments/";

/// Where the list is.
const LIST: &str = "crates/lab/src/experiments.rs";

/// Checks all files of the laboratory.
pub fn check(files: &[RustFile]) -> Vec<Finding> {
    let list = files.iter().find(|file| file.path == LIST);
    let rows = files.iter().filter_map(|file| unlisted(file, list?));
    files.iter().flat_map(strangers).chain(rows).collect()
}

/// Experiments that a file of the kit names.
fn strangers(file: &RustFile) -> Vec<Finding> {
    if !file.path.starts_with(KIT) {
        return Vec::new();
    }
    let found = file.source.occurrences("experiments::").filter(|(_, is_test)| !is_test);
    let words = "`experiments::`: the kit knows no experiment; what both need belongs in the kit";
    found.map(|(line, _)| Finding::at(file, line, words)).collect()
}

/// An experiment that is not in the list.
fn unlisted(file: &RustFile, list: &RustFile) -> Option<Finding> {
    let name = file.path.strip_prefix(EXPERIMENTS)?.strip_suffix(".rs").filter(|name| !name.contains('/'))?;
    let is_listed = list.text.contains(&format!("{name}::EXPERIMENT"));
    let words = format!("no row `{name}::EXPERIMENT` in `ALL` ({LIST}): it has no command");
    (!is_listed).then(|| Finding::new(&file.path, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<RustFile> =
            files.iter().map(|(path, text)| RustFile::new(path, (*text).to_owned())).collect();
        check(&files).iter().map(|finding| finding.to_string()).collect()
    }

    const ALL: (&str, &str) = (LIST, "mod du2001;\nconst ALL: &[Experiment] = &[du2001::EXPERIMENT];\n");
    const LISTED: (&str, &str) = ("crates/lab/src/experiments/du2001.rs", "use crate::kit::run::run;\n");

    #[test]
    fn a_kit_that_names_an_experiment_is_found() {
        let clean = ("crates/lab/src/kit/run.rs", "use crate::kit::ledger::Ledger;\n");
        assert_eq!(words(&[ALL, LISTED, clean]), [""; 0]);
        let found = words(&[ALL, ("crates/lab/src/kit/run.rs", "\nuse crate::experiments::du2001;\n")]);
        assert!(found.len() == 1 && found[0].starts_with("crates/lab/src/kit/run.rs:2: "), "{found:?}");
    }

    #[test]
    fn an_experiment_without_a_row_is_found() {
        let part = ("crates/lab/src/experiments/ma2005/sheets.rs", "");
        let found = words(&[ALL, LISTED, part, ("crates/lab/src/experiments/ma2005.rs", "")]);
        assert!(found.len() == 1 && found[0].contains("no row `ma2005::EXPERIMENT`"), "{found:?}");
    }
}
