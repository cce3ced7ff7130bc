//! `cargo xtask tidy`: is the house as ARCHITECTURE.md says, and are the rules
//! of style kept that a program can check?
//!
//! Every check is a pure function from texts to findings, so that each has a test that shows it fail. What a
//! check permits by name is listed, with its reason, in [`exceptions`]; an exception that is no longer needed is
//! a finding.

mod absences;
mod circles;
mod doors;
mod effects;
mod english;
mod exceptions;
mod fuzzing;
mod laboratory;
mod licences;
mod links;
mod programs;
mod rooms;
mod shape;
mod source;

use std::fmt;

use crate::outcome::Outcome;
use crate::workspace::Workspace;
use source::Source;

/// One thing that is not as it should be.
#[derive(Debug, PartialEq)]
pub struct Finding {
    /// The file, and the line where there is one, as in `crates/smi/src/oid.rs:12`.
    place: String,
    /// What is wrong and what is expected.
    words: String,
}

/// One Rust file under the checks.
pub struct RustFile {
    /// Its path relative to the root.
    path: String,
    /// Its text as it is.
    text: String,
    /// Its text as the checks read it.
    source: Source,
}

/// Runs every check and fails when one found anything.
pub fn run(workspace: &Workspace) -> Outcome {
    let findings = findings(workspace)?;
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        1 => Err("tidy: 1 finding".into()),
        count => Err(format!("tidy: {count} findings").into()),
    }
}

fn findings(workspace: &Workspace) -> std::io::Result<Vec<Finding>> {
    let packages = workspace.packages()?;
    let files = workspace
        .files(&[".rs"])?
        .into_iter()
        .map(|path| Ok(RustFile::new(&path, workspace.read(&path)?)))
        .collect::<std::io::Result<Vec<_>>>()?;

    let mut findings = rooms::check(&workspace.read("ARCHITECTURE.md")?, &packages);
    findings.extend(shape::check(&files));
    findings.extend(absences::check(&files));
    findings.extend(effects::check(&files));
    findings.extend(doors::check(&files));
    findings.extend(laboratory::check(&files));
    findings.extend(circles::check(&files));
    findings.extend(licences::check(&workspace.read("deny.toml")?, &packages));
    findings.extend(programs::check(&files, |room| workspace.read(&format!("{room}/Cargo.toml")))?);
    findings.extend(links::check(workspace)?);
    findings.extend(english::check(workspace, &files)?);
    findings.extend(fuzzing::check(&workspace.read("fuzz/README.md")?, &workspace.read("fuzz/Cargo.toml")?));
    findings
        .extend(fuzzing::check_versions(&workspace.read("Cargo.lock")?, &workspace.read("fuzz/Cargo.lock")?));
    findings.extend(changelog(&workspace.read("CHANGELOG.md")?));
    Ok(findings)
}

/// A changelog has a standing section for what is not released yet.
fn changelog(text: &str) -> Option<Finding> {
    let has_section = text.lines().any(|line| line.starts_with("## ") && line.contains("Unreleased"));
    (!has_section).then(|| Finding::new("CHANGELOG.md", "no section `## Unreleased`"))
}

impl Finding {
    fn new(place: impl Into<String>, words: impl Into<String>) -> Self {
        Self { place: place.into(), words: words.into() }
    }

    fn at(file: &RustFile, line: usize, words: impl Into<String>) -> Self {
        Self::new(format!("{}:{line}", file.path), words)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.words)
    }
}

impl RustFile {
    fn new(path: &str, text: String) -> Self {
        Self { path: path.to_owned(), source: Source::new(&text), text }
    }

    /// Whether the whole file is test code, wherever its items are.
    fn is_test(&self) -> bool {
        let mut parts = self.path.split('/');
        self.path.starts_with("crates/testkit/")
            || parts.any(|part| part == "tests" || part == "tests.rs" || part == "benches")
    }

    /// The room that the file belongs to, as in `smi`; `xtask` for xtask itself.
    fn room(&self) -> &str {
        self.path.strip_prefix("crates/").unwrap_or(&self.path).split('/').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changelog_without_unreleased_is_found() {
        assert_eq!(changelog("# Changelog\n\n## Unreleased\n"), None);
        assert!(changelog("# Changelog\n\n## 1.0\nUnreleased things\n").is_some());
    }

    #[test]
    fn test_files_are_recognized_by_their_path() {
        for (path, expected) in [
            ("crates/agent/tests/door.rs", true),
            ("crates/agent/src/door/tests.rs", true),
            ("crates/testkit/src/wire.rs", true),
            ("crates/agent/src/attests.rs", false),
        ] {
            assert_eq!(RustFile::new(path, String::new()).is_test(), expected, "{path}");
        }
    }
}
