//! Errors point into the text of a file: line, column, and the line itself with a mark below the mistake, unless it
//! holds a secret.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::mistake::Mistake;

/// A mistake in a file, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// The file.
    pub path: PathBuf,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What was found and what was expected.
    pub message: String,
    excerpt: String,
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}\n{}", self.path.display(), self.line, self.column, self.message, self.excerpt)
    }
}

impl From<Misplaced> for Mistake {
    fn from(misplaced: Misplaced) -> Self {
        Mistake(misplaced.to_string())
    }
}

/// The text of a file.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    pub path: &'t Path,
    pub text: &'t str,
}

/// Lines with these words in front of `=` may hold a secret.
const SECRETS: [&str; 4] = ["password", "community", "secret", "token"];

impl Place<'_> {
    /// What is wrong with these octets of the text. A line that may hold a secret ends behind its `=`.
    pub fn wrong(&self, span: Range<usize>, message: impl Into<String>) -> Misplaced {
        let at = floor(self.text, span.start);
        let start = self.text[..at].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let number = self.text[..start].matches('\n').count() + 1;
        let marked = at.min(start + line.len());
        let end = floor(self.text, span.end).clamp(marked, start + line.len());
        let before = &self.text[start..marked];
        let shown_to = hidden_from(line);
        let gutter = " ".repeat(number.to_string().len());
        let shown: String = match shown_to {
            Some(cut) => format!("{}...", plain(&line[..cut])),
            None => plain(line),
        };
        let mut excerpt = format!("  {gutter} |\n  {number} | {shown}");
        if shown_to.is_none_or(|cut| end - start <= cut) {
            let marks = "^".repeat(self.text[marked..end].chars().count().max(1));
            let indent: String = before.chars().map(|c| if c == '\t' { c } else { ' ' }).collect();
            excerpt.push_str(&format!("\n  {gutter} | {indent}{marks}"));
        }
        let path = self.path.to_path_buf();
        let message = match shown_to {
            Some(_) => without_quotes(&message.into()),
            None => message.into(),
        };
        Misplaced { path, line: number, column: before.chars().count() + 1, message, excerpt }
    }
}

/// Where a possible secret begins in a line: behind the `=` of its key, or behind the brace of a table on one line.
fn hidden_from(line: &str) -> Option<usize> {
    let is_secret = |text: &str| SECRETS.iter().any(|word| text.contains(word));
    let at = line.find(['=', '{'])?;
    let (key, value) = (&line[..at], &line[at..]);
    let is_elsewhere = ["-file", "-variable", "-command"].iter().any(|end| key.trim_end().ends_with(end));
    let is_table = value.contains('{') && is_secret(value);
    // A URL may hold a community or a password too.
    let is_url = value.contains("://") && value.contains('@');
    (is_table || is_url || is_secret(key) && !is_elsewhere).then_some(at + 1)
}

/// TOML's reader quotes a value of a wrong type: `invalid type: string "public", expected ...`.
fn without_quotes(message: &str) -> String {
    match (message.find("string \""), message.rfind("\", expected")) {
        (Some(start), Some(end)) if start < end => {
            format!("{}a text{}", &message[..start], &message[end + 1..])
        }
        _ => message.to_owned(),
    }
}

/// Control characters, which would steer the terminal, are replaced one by one.
fn plain(text: &str) -> String {
    let is_hidden = |c: char| c.is_control() && c != '\t';
    text.chars().map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
