//! In the laboratory each experiment is a row of the list from which commands, help and reports are made.

use super::{Finding, RustFile};

/// The experiments: `NAME.rs` and `NAME/`.
const EXPERIMENTS: &str = "crates/lab/src/experiments/";

/// Where the list is.
const LIST: &str = "crates/lab/src/experiments.rs";

/// Checks all files of the laboratory.
pub fn check(files: &[RustFile]) -> Vec<Finding> {
    let list = files.iter().find(|file| file.path == LIST);
    let rows = files.iter().filter_map(|file| unlisted(file, list?));
    rows.collect()
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
    fn an_experiment_without_a_row_is_found() {
        let part = ("crates/lab/src/experiments/ma2005/sheets.rs", "");
        let found = words(&[ALL, LISTED, part, ("crates/lab/src/experiments/ma2005.rs", "")]);
        assert!(found.len() == 1 && found[0].contains("no row `ma2005::EXPERIMENT`"), "{found:?}");
    }
}
