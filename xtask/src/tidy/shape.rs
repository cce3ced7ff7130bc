//! The shape of files: how long they and their functions are, that each has a `//!` description, and where
//! `unsafe` is allowed.

use std::collections::BTreeSet;

use super::exceptions::{Exception, LONG_FILES, LONG_FUNCTIONS, UNSAFE};
use super::{Finding, RustFile};

/// The most lines of product code in a file.
pub const FILE_LINES: usize = 700;

/// The most lines of a function.
pub const FUNCTION_LINES: usize = 80;

/// Checks all files; each exception must still be needed.
pub fn check(files: &[RustFile]) -> Vec<Finding> {
    let rules: [Rule; 3] =
        [(LONG_FILES, file_length), (LONG_FUNCTIONS, function_lengths), (UNSAFE, unsafe_code)];
    let mut findings: Vec<Finding> = files.iter().filter_map(introduction).collect();
    for (exceptions, rule) in rules {
        findings.extend(excepting(exceptions, files.iter().flat_map(rule)));
    }
    findings
}

/// What may break a rule, and the rule.
type Rule = (&'static [Exception], fn(&RustFile) -> Vec<Break>);

/// A rule broken by `what`, which an exception may name.
struct Break {
    what: String,
    finding: Finding,
}

/// Findings that no exception names, and exceptions that no break needs.
fn excepting(exceptions: &[Exception], breaks: impl Iterator<Item = Break>) -> Vec<Finding> {
    let mut used = BTreeSet::new();
    let mut findings = Vec::new();
    for broken in breaks {
        match exceptions.iter().find(|exception| exception.what == broken.what) {
            Some(exception) => drop(used.insert(exception.what)),
            None => findings.push(broken.finding),
        }
    }
    for stale in exceptions.iter().filter(|exception| !used.contains(exception.what)) {
        let words = format!(
            "the exception is not needed ({}): remove it from xtask/src/tidy/exceptions.rs",
            stale.reason
        );
        findings.push(Finding::new(stale.what, words));
    }
    findings
}

/// Every file starts with a description.
fn introduction(file: &RustFile) -> Option<Finding> {
    let says = file.text.lines().any(|line| line.starts_with("//!"));
    (!says).then(|| Finding::at(file, 1, "no `//!` that says what the file is"))
}

fn file_length(file: &RustFile) -> Vec<Break> {
    let lines = file.source.product_lines();
    if lines <= FILE_LINES || file.is_test() {
        return Vec::new();
    }
    let words = format!("{lines} lines of product code, at most {FILE_LINES}");
    vec![Break { what: file.path.clone(), finding: Finding::new(&file.path, words) }]
}

fn function_lengths(file: &RustFile) -> Vec<Break> {
    let functions = file.source.functions().into_iter();
    let long =
        functions.filter(|function| function.lines > FUNCTION_LINES && !function.is_test && !file.is_test());
    long.map(|function| {
        let words = format!("`{}` has {} lines, at most {FUNCTION_LINES}", function.name, function.lines);
        let what = format!("{}::{}", file.path, function.name);
        Break { what, finding: Finding::at(file, function.line, words) }
    })
    .collect()
}

fn unsafe_code(file: &RustFile) -> Vec<Break> {
    let words = "`unsafe` in a file that xtask/src/tidy/exceptions.rs does not name";
    // One finding for each file: it is the file that is excepted or not.
    let first = file.source.occurrences("unsafe").next();
    let broken = |(line, _)| Break { what: file.path.clone(), finding: Finding::at(file, line, words) };
    first.map(broken).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let file = RustFile::new("crates/x/src/lib.rs", text.to_owned());
        let mut findings: Vec<Finding> = introduction(&file).into_iter().collect();
        for rule in [file_length, function_lengths, unsafe_code] {
            findings.extend(rule(&file).into_iter().map(|broken| broken.finding));
        }
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_in_shape_passes() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n fn long() {{{}}}\n}}\n", "\n".repeat(900));
        assert_eq!(words(&format!("//! X.\nfn f() {{}}\n{tests}")), [""; 0]);
    }

    #[test]
    fn each_rule_can_be_broken() {
        assert_eq!(words("fn f() {}\n"), ["crates/x/src/lib.rs:1: no `//!` that says what the file is"]);
        assert_eq!(
            words(&format!("//! X.\n{}", "const A: u8 = 0;\n".repeat(700))),
            ["crates/x/src/lib.rs: 701 lines of product code, at most 700"]
        );
        assert_eq!(
            words(&format!("//! X.\nfn f() {{\n{}}}\n", "a();\n".repeat(79))),
            ["crates/x/src/lib.rs:2: `f` has 81 lines, at most 80"]
        );
        assert_eq!(
            words("//! X.\nfn f() {\n unsafe { a() }\n}\n"),
            ["crates/x/src/lib.rs:3: `unsafe` in a file that xtask/src/tidy/exceptions.rs does not name"]
        );
    }

    #[test]
    fn an_exception_covers_its_break_and_must_be_needed() {
        let exceptions = [
            Exception { what: "a.rs", reason: "calls the kernel" },
            Exception { what: "b.rs", reason: "called the kernel once" },
        ];
        let breaks = ["a.rs", "a.rs", "c.rs"]
            .map(|what| Break { what: what.to_owned(), finding: Finding::new(what, "broken") });
        let findings = excepting(&exceptions, breaks.into_iter());
        let places: Vec<&str> = findings.iter().map(|finding| finding.place.as_str()).collect();
        assert_eq!(places, ["c.rs", "b.rs"]);
    }
}
