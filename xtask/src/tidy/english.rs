//! The worst patterns of translated English must not occur in pages, in the texts of programs, in comments, nor in the
//! names of tests (docs/words.md).

use std::io;

use super::{Finding, RustFile};
use crate::workspace::Workspace;

/// What is not written, and what is written instead.
const PATTERNS: &[(&str, &str)] = &[
    ("is told", "is sent, is logged, is printed"),
    ("are told", "are sent, are logged, are printed"),
    ("is said", "is logged, is printed, is reported"),
    ("are said", "are logged, are printed, are reported"),
    ("is asked for", "is requested"),
    ("are asked for", "are requested"),
    ("who names", "if ... names"),
    ("who has proved", "an authenticated peer"),
    ("the asker", "the principal, the client"),
    ("by itself", "by default, on its own"),
    ("wrong code", "wrong digest"),
    ("in the place of", "in place of, instead of"),
    ("comes of it", "the result, the outcome"),
    ("came of it", "the result, the outcome"),
    ("on the standard error", "on standard error"),
    ("to the standard error", "to standard error"),
];

/// The same, where comments are not read.
const IN_PROSE: &[(&str, &str)] = &[("who asks", "the principal, the request")];

/// The same, in the names of tests.
const IN_NAMES: &[(&str, &str)] = &[
    ("who asks", "a caller, a client"),
    ("who does", "a user, a peer, a request that does"),
    ("who is", "a user, a peer, a request that is"),
    ("who was", "a user, a peer, a request that was"),
    ("whoever", "a peer, any peer"),
];

/// After these words "is no" is good English: "is no longer", "is no more".
const AFTER_IS_NO: &[&str] =
    &["better", "different", "further", "greater", "larger", "less", "longer", "matter", "more", "other"];

/// The page that has these patterns as examples.
const SHEET: &str = "docs/words.md";

/// The file that has them as its patterns.
const RULE: &str = "xtask/src/tidy/english.rs";

/// Checks every page, the string literals of what ships, all comments and the names of all tests.
pub fn check(workspace: &Workspace, files: &[RustFile]) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for path in workspace.files(&[".md"])?.iter().filter(|path| path.as_str() != SHEET) {
        findings.extend(translated(path, &workspace.read(path)?, &[PATTERNS, IN_PROSE]));
    }
    for file in files {
        if !file.is_test() && file.path != RULE {
            findings.extend(in_strings(&file.path, &file.text));
        }
        findings.extend(translated(&file.path, &comments(&file.text), &[PATTERNS]));
        findings.extend(in_names(file));
    }
    Ok(findings)
}

/// Patterns in the strings of product code: errors, log lines, help.
fn in_strings(path: &str, text: &str) -> Vec<Finding> {
    let product = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code = product.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let strings =
        code.map(|(index, line)| (index, line.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" ")));
    strings
        .flat_map(|(index, words)| found(path, index, &words.to_lowercase(), &[PATTERNS, IN_PROSE]))
        .collect()
}

/// The comments of a file that have a line to themselves, each on its line.
fn comments(text: &str) -> String {
    let prose = |line: &str| {
        let words = line.trim_start().strip_prefix("//").unwrap_or_default();
        words.trim_start_matches(['/', '!']).to_owned()
    };
    text.lines().map(prose).collect::<Vec<_>>().join("\n")
}

/// Patterns in the names of functions in test code.
fn in_names(file: &RustFile) -> Vec<Finding> {
    let tests = file.source.functions().into_iter().filter(|function| function.is_test || file.is_test());
    let names = tests.map(|test| (test.line - 1, test.name.replace('_', " ")));
    names.flat_map(|(index, name)| found(&file.path, index, &name, &[PATTERNS, IN_NAMES])).collect()
}

fn found(path: &str, index: usize, prose: &str, lists: &[&[(&str, &str)]]) -> Vec<Finding> {
    let patterns = lists.iter().copied().flatten().filter(|(pattern, _)| has_word(prose, pattern));
    let finding = |(pattern, instead): &(&str, &str)| {
        let words = format!("\"{pattern}\": write \"{instead}\" ({SHEET})");
        Finding::new(format!("{path}:{}", index + 1), words)
    };
    let mut findings: Vec<Finding> = patterns.map(finding).collect();
    findings.extend(is_no(prose).then(|| finding(&("is no", "is not a"))));
    findings
}

/// Patterns in prose: code is somebody's output or input.
fn translated(path: &str, text: &str, lists: &[&[(&str, &str)]]) -> Vec<Finding> {
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
        findings.extend(found(path, index, &prose, lists));
    }
    findings
}

/// Whether something "is no" something, other than in "there is no" and the like.
fn is_no(prose: &str) -> bool {
    let words: Vec<&str> = prose.split_whitespace().collect();
    words.windows(3).enumerate().any(|(at, window)| {
        let before = at.checked_sub(1).map(|before| words[before]);
        window[..2] == ["is", "no"]
            && before.is_some_and(|before| before != "there")
            && !AFTER_IS_NO.contains(&window[2].trim_end_matches(|end: char| !end.is_alphanumeric()))
    })
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

    fn places(findings: &[Finding]) -> Vec<String> {
        findings.iter().map(|finding| finding.place.clone()).collect()
    }

    #[test]
    fn translated_english_is_found_in_prose() {
        let page = "Who asks is told.\n```\nis told\n```\nThe `is told` of code; that is tolerated.\nA wrong code.\n";
        let found = translated("docs/x.md", page, &[PATTERNS, IN_PROSE]);
        assert_eq!(places(&found), ["docs/x.md:1", "docs/x.md:1", "docs/x.md:6"]);
        assert!(found[0].words.contains("is sent") && found[2].words.contains("wrong digest"), "{found:?}");
    }

    #[test]
    fn translated_english_is_found_in_the_strings_of_what_ships() {
        let code = "// is told\nfn f() { log(\"the peer is told\") }\n#[cfg(test)]\nmod tests { const T: &str = \"is told\"; }\n";
        assert_eq!(places(&in_strings("a.rs", code)), ["a.rs:2"]);
    }

    #[test]
    fn translated_english_is_found_in_comments() {
        let code = "//! By itself.\n\n/// Fine: `is told`.\nfn f() {\n    // The peer is told.\n    g(\"is told\");\n}\n";
        assert_eq!(places(&translated("a.rs", &comments(code), &[PATTERNS])), ["a.rs:1", "a.rs:5"]);
    }

    #[test]
    fn translated_english_is_found_in_the_names_of_tests() {
        let code =
            "fn who_is_told() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn who_does_not_wait() {}\n}\n";
        assert_eq!(
            places(&in_names(&RustFile::new("crates/a/src/a.rs", code.to_owned()))),
            ["crates/a/src/a.rs:5"]
        );
    }

    #[test]
    fn is_no_is_found_where_it_should_be_is_not_a() {
        for (prose, expected) in [
            ("what it says is no message", true),
            ("there is no message", false),
            ("it is no longer there", false),
            ("the wait is no longer, and", false),
            ("is no", false),
        ] {
            assert_eq!(is_no(prose), expected, "{prose}");
        }
    }
}
