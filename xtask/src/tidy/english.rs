//! The worst patterns of translated English must not occur in pages, nor in the texts of programs (docs/words.md).

use std::io;

use super::{Finding, RustFile};
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

/// The file that has them as its patterns.
const RULE: &str = "xtask/src/tidy/english.rs";

/// Checks every page, and the string literals of what ships.
pub fn check(workspace: &Workspace, files: &[RustFile]) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for path in workspace.files(&[".md"])?.iter().filter(|path| path.as_str() != SHEET) {
        findings.extend(translated(path, &workspace.read(path)?));
    }
    let products = files.iter().filter(|file| !file.is_test() && file.path != RULE);
    findings.extend(products.flat_map(|file| in_strings(&file.path, &file.text)));
    Ok(findings)
}

/// Patterns in the strings of product code: errors, log lines, help.
fn in_strings(path: &str, text: &str) -> Vec<Finding> {
    let product = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code = product.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let strings =
        code.map(|(index, line)| (index, line.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" ")));
    strings.flat_map(|(index, words)| found(path, index, &words.to_lowercase())).collect()
}

fn found(path: &str, index: usize, prose: &str) -> Vec<Finding> {
    let patterns = PATTERNS.iter().filter(|(pattern, _)| has_word(prose, pattern));
    let finding = |(pattern, instead): &(&str, &str)| {
        let words = format!("\"{pattern}\": write \"{instead}\" ({SHEET})");
        Finding::new(format!("{path}:{}", index + 1), words)
    };
    patterns.map(finding).collect()
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
        findings.extend(found(path, index, &prose));
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
    fn translated_english_is_found_in_the_strings_of_what_ships() {
        let code = "// is told\nfn f() { log(\"the peer is told\") }\n#[cfg(test)]\nmod tests { const T: &str = \"is told\"; }\n";
        let places: Vec<String> = in_strings("a.rs", code).iter().map(ToString::to_string).collect();
        assert!(places.len() == 1 && places[0].starts_with("a.rs:2: "), "{places:?}");
    }
}
