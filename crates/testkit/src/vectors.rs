//! Known-answer files: text, one case a line, readable in a review and in a diff.
//!
//! ```text
//! # a comment; empty lines separate
//! get-request   a019_0204_00000001  Get id=1
//! ```
//! The first word is the case's name, the second its octets in hexadecimal (`_` may stand anywhere, `-` alone is no
//! octet at all), the rest of the line what to expect of them.

use std::path::Path;

/// One case of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The line, counted from 1.
    pub line: usize,
    /// The case's name.
    pub name: String,
    /// The octets.
    pub octets: Vec<u8>,
    /// What to expect, without spaces around it.
    pub expectation: String,
}

/// The cases of a text.
///
/// # Panics
/// At a line that is not a case, saying which one.
pub fn parse(text: &str) -> Vec<Vector> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(parse_line).collect()
}

/// Compares the result of `actual` for each case with its expectation, and shows all differences at once.
///
/// # Panics
/// When a case differs, the file has no case, or cannot be read.
pub fn check(path: impl AsRef<Path>, actual: impl Fn(&Vector) -> String) {
    let path = path.as_ref();
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases = parse(&text);
    assert!(!cases.is_empty(), "{}: no case", path.display());
    let differences: Vec<String> =
        cases.iter().filter_map(|case| difference(path, case, &actual(case))).collect();
    assert!(
        differences.is_empty(),
        "{} of {} cases differ\n{}",
        differences.len(),
        cases.len(),
        differences.join("\n")
    );
}

fn difference(path: &Path, case: &Vector, actual: &str) -> Option<String> {
    (actual.trim() != case.expectation).then(|| {
        let Vector { line, name, expectation, .. } = case;
        format!("{}:{line}: {name}\n  expected: {expectation}\n  found:    {actual}", path.display())
    })
}

fn parse_line((line, text): (usize, &str)) -> Vector {
    let mut words = text.splitn(2, char::is_whitespace);
    let name = words.next().unwrap_or_default();
    let rest = words.next().unwrap_or_default().trim_start();
    let (hex, expectation) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let octets =
        octets(hex).unwrap_or_else(|| panic!("line {line}: {hex:?} is not whole octets in hexadecimal"));
    Vector { line, name: name.to_owned(), octets, expectation: expectation.trim().to_owned() }
}

fn octets(hex: &str) -> Option<Vec<u8>> {
    if hex == "-" {
        return Some(Vec::new());
    }
    let digits: Vec<u8> = hex.bytes().filter(|digit| *digit != b'_').collect();
    let (pairs, rest) = digits.as_chunks::<2>();
    let octet = |pair: &[u8; 2]| {
        let digit = |character: u8| char::from(character).to_digit(16);
        Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8)
    };
    if digits.is_empty() || !rest.is_empty() { None } else { pairs.iter().map(octet).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_name_octets_and_expectation() {
        let cases = parse("# head\n\nempty - nothing at all\n  two 00_Ff   a  b \nbare 01\n");
        let words: Vec<_> = cases.iter().map(|c| (c.line, &*c.name, &*c.octets, &*c.expectation)).collect();
        assert_eq!(
            words,
            [(3, "empty", &[][..], "nothing at all"), (4, "two", &[0, 255], "a  b"), (5, "bare", &[1], ""),]
        );
    }

    #[test]
    fn a_bad_line_is_reported() {
        for text in ["a 0", "a 0g", "a", "a _", "a 00 x\nb +1"] {
            let outcome = std::panic::catch_unwind(|| parse(text));
            let message = *outcome.unwrap_err().downcast::<String>().unwrap();
            assert!(message.starts_with(&format!("line {}", text.lines().count())), "{message}");
        }
    }

    #[test]
    fn a_difference_fails() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sample.vectors");
        check(file, |case| case.octets.len().to_string());
        let outcome = std::panic::catch_unwind(|| check(file, |_| "1".to_owned()));
        let message = *outcome.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("sample.vectors:3: two"), "{message}");
        assert!(message.contains("1 of 2 cases differ"), "{message}");
    }
}
