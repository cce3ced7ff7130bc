//! The worst patterns of translated English must not occur in the pages that users read (docs/words.md).

use std::io;

use super::Finding;
use crate::workspace::Workspace;

/// What is not written, and what is written instead.
const PATTERNS: &[(&str, &str)] = &[
    ("is told", "is sent, is logged, is printed"),
    ("are told", "are sent, are logged, are printed"),
    ("is asked for", "is requested"),
    ("are asked for", "are requested"),
    ("who asks", "the principal, the request"),
    ("who names", "if ... names"),
    ("who has proved", "an authenticated peer"),
    ("by itself", "by default, on its own"),
    ("is no link", "is not a link"),
    ("is no number", "is not a number"),
    ("wrong code", "wrong digest"),
    ("on the standard error", "on standard error"),
    ("to the standard error", "to standard error"),
];

/// The page that has these patterns as examples.
const SHEET: &str = "docs/words.md";

/// Checks the README, the other pages at the root and those of `docs/`. Decisions and the changelog are records.
pub fn check(workspace: &Workspace) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for path in workspace.files(&[".md"])?.iter().filter(|path| is_page(path)) {
        findings.extend(translated(path, &workspace.read(path)?));
    }
    Ok(findings)
}

fn is_page(path: &str) -> bool {
    match path.rsplit_once('/') {
        None => path != "CHANGELOG.md",
        Some(("docs", _)) => path != SHEET,
        Some(_) => false,
    }
}

/// Patterns in a page's prose: code is somebody's output or input.
fn translated(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        let prose = line.split('`').step_by(2).collect::<Vec<_>>().join("`").to_lowercase();
        for (pattern, instead) in PATTERNS.iter().filter(|(pattern, _)| has_word(&prose, pattern)) {
            let words = format!("\"{pattern}\": write \"{instead}\" ({SHEET})");
            findings.push(Finding::new(format!("{path}:{}", index + 1), words));
        }
    }
    findings
}

/// Whether the pattern occurs as whole words.
fn has_word(prose: &str, pattern: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    prose.match_indices(pattern).any(|(at, found)| {
        !is_letter(prose[..at].chars().next_back()) && !is_letter(prose[at + found.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translated_english_is_found_in_prose() {
        let page = "Who asks is told.\n```\nis told\n```\nThe `is told` of code; that is tolerated.\nA wrong code.\n";
        let found: Vec<String> = translated("docs/x.md", page).iter().map(ToString::to_string).collect();
        let places: Vec<&str> = found.iter().filter_map(|line| line.split(": ").next()).collect();
        assert_eq!(places, ["docs/x.md:1", "docs/x.md:1", "docs/x.md:6"]);
        assert!(found[0].contains("is sent") && found[2].contains("wrong digest"), "{found:?}");
    }

    #[test]
    fn pages_are_those_of_users() {
        for (path, expected) in [
            ("README.md", true),
            ("docs/access.md", true),
            ("docs/words.md", false),
            ("docs/decisions/0001-x.md", false),
            ("CHANGELOG.md", false),
            ("peers/README.md", false),
        ] {
            assert_eq!(is_page(path), expected, "{path}");
        }
    }
}
