//! Errors point into the text of the configuration: line, column, and the line itself with a mark below the
//! error, unless it holds a secret.

use std::ops::Range;
use std::path::Path;

use serde_spanned::Spanned;

use super::WrongConfig;

/// The text that errors point into.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

impl Place<'_> {
    /// A part of a text value; all of it where escapes make positions uncertain.
    pub fn within(&self, value: &Spanned<String>, part: Range<usize>) -> Range<usize> {
        let span = value.span();
        let start = span.start + 1;
        let is_plain = self.text.get(start..start + value.get_ref().len()) == Some(value.get_ref().as_str())
            && span.len() == value.get_ref().len() + 2;
        if is_plain { start + part.start..start + part.end } else { span }
    }

    /// What is wrong with these octets of the text.
    pub fn wrong(&self, span: Range<usize>, message: String) -> WrongConfig {
        let line = self.line(&span);
        let (message, shown) = match secret_value(self.text, line.start, line.text) {
            None => {
                // An unknown key may be the misspelt key of a secret: its value is not shown.
                let value = message.starts_with("unknown field").then(|| line.text.find('=')).flatten();
                let shown = match value {
                    Some(at) => format!("{}= ...", visible(&line.text[..at])),
                    None => visible(line.text),
                };
                (message, Shown::Marked(shown))
            }
            Some(at) => {
                (without_quotes(&message), Shown::Cut(format!("{}<secret>", visible(&line.text[..at]))))
            }
        };
        self.told(&line, message, &shown)
    }

    /// The error if the text cannot be parsed: it is unknown what in it is a value, and which values are secrets.
    pub fn unreadable(&self, span: Range<usize>, message: String) -> WrongConfig {
        let line = self.line(&span);
        let shown = match known_end(line.text) {
            None => Shown::Marked(visible(line.text)),
            Some(at) => Shown::Cut(format!("{}...", visible(&line.text[..at]))),
        };
        self.told(&line, message, &shown)
    }

    /// The line of these octets.
    fn line(&self, span: &Range<usize>) -> Line<'_> {
        let at = floor(self.text, span.start);
        let start = self.text[..at].rfind('\n').map_or(0, |at| at + 1);
        let text = self.text[start..].lines().next().unwrap_or("");
        // An error at the end of the line, which may be of two characters, is marked just after its text.
        let marked = at.min(start + text.len());
        let marked_end = floor(self.text, span.end).clamp(marked, start + text.len());
        Line { start, text, marked: marked - start..marked_end - start }
    }

    fn told(&self, line: &Line<'_>, message: String, shown: &Shown) -> WrongConfig {
        let number = self.text[..line.start].matches('\n').count() + 1;
        let before = &line.text[..line.marked.start];
        let gutter = " ".repeat(number.to_string().len());
        let excerpt = match shown {
            Shown::Cut(shown) => format!("{gutter} |\n{number} | {shown}"),
            Shown::Marked(shown) => {
                let marks = "^".repeat(line.text[line.marked.clone()].chars().count().max(1));
                // A tab is kept, so that the marks align with the line's characters.
                let indent: String = before.chars().map(|c| if c == '\t' { c } else { ' ' }).collect();
                format!("{gutter} |\n{number} | {shown}\n{gutter} | {indent}{marks}")
            }
        };
        let (path, message) = (self.path.to_path_buf(), visible(&message));
        let column = before.chars().count() + 1;
        WrongConfig { path, line: number, column, message, excerpt, others: Vec::new() }
    }
}

/// A line of the text, where it starts there, and what of it is wrong.
struct Line<'a> {
    start: usize,
    text: &'a str,
    marked: Range<usize>,
}

/// The visible part of a line.
enum Shown {
    /// It is whole, or at least up to what is marked below it.
    Marked(String),
    /// It ends before a possible secret, and has no marks.
    Cut(String),
}

/// Where a possible secret begins in a line that cannot be parsed: after its key, or at the start if there is no
/// key. `None`: there is none.
fn known_end(line: &str) -> Option<usize> {
    const SHOWN: [&str; 14] = [
        "access",
        "address",
        "directory",
        "level",
        "listen",
        "log",
        "notify",
        "oid",
        "read",
        "role",
        "sources",
        "state",
        "subtree",
        "write",
    ];
    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let indent = line.len() - line.trim_start().len();
    let rest = &line[indent..];
    let header = rest.trim_start_matches('[').trim_end_matches([']', ' ', '\r']);
    if header.len() < rest.len() && rest.starts_with('[') && header.chars().all(of_name) {
        return None;
    }
    let (key, value) = rest.split_at(rest.find(|c| !of_name(c)).unwrap_or(rest.len()));
    let is_key = value.trim_start().starts_with(['=', ':', '"', '\'', '[', '{']);
    if SHOWN.contains(&key) && is_key {
        return None;
    }
    // Between a key and its value there is a space, or a sign.
    let value_at = value.len() - value.trim_start_matches([' ', '\t', '=', ':']).len();
    Some(if is_key { indent + key.len() + value_at } else { indent })
}

/// Whether any line of a configuration holds a password or a key. Communities do not count: everybody on the path
/// reads them.
pub(super) fn has_secrets(text: &str) -> bool {
    let mut start = 0;
    text.split_inclusive('\n').any(|line| {
        let at = start;
        start += line.len();
        let key = line.trim_start();
        let is_key = ["password", "auth-", "priv-"].iter().any(|secret| key.starts_with(secret));
        is_key && secret_value(text, at, line).is_some()
    })
}

/// Where in a line the value of a secret begins, if it has one: no error shows it.
fn secret_value(text: &str, line_start: usize, line: &str) -> Option<usize> {
    const SECRETS: [&str; 5] = ["password", "token", "auth-", "priv-", "community"];
    if let Some(at) = line.find('{').filter(|_| !is_text(line)) {
        // A table on one line, such as `{ name = "public", access = "read" }`.
        return (line.contains("name") || SECRETS.iter().any(|secret| line.contains(secret)))
            .then_some(at + 1);
    }
    let key_end = line.find('=')?;
    let is_secret = |key: &str| {
        SECRETS.iter().any(|secret| key.starts_with(secret)) && !key.ends_with("-file")
            || key == "name" && is_in_community(&text[..line_start])
    };
    let mut parts = line[..key_end].split('.').map(|key| key.trim().trim_matches(['"', '\'']));
    parts.any(is_secret).then_some(key_end + 1)
}

/// Whether the line has a bare key and a text, in which a brace is one of a range: `name = "r{1-3}"`.
fn is_text(line: &str) -> bool {
    let Some((key, value)) = line.split_once('=') else { return false };
    key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ' | '\t'))
        && value.trim_start().starts_with(['"', '\''])
}

/// Whether the section that this text ends in is `[[snmp.community]]`.
fn is_in_community(before: &str) -> bool {
    let is_section = |line: &&str| {
        let name = line.trim_start_matches('[');
        name.len() < line.len() && name.starts_with(|c: char| c.is_ascii_lowercase())
    };
    let mut lines = before.lines().rev().map(str::trim);
    lines.find(is_section).is_some_and(|section| section.contains("community"))
}

/// TOML's reader quotes a value of a wrong type: `invalid type: string "public", expected ...`.
fn without_quotes(message: &str) -> String {
    match (message.find("string \""), message.rfind("\", expected")) {
        (Some(start), Some(end)) if start < end => {
            format!("{}a text{}", &message[..start], &message[end + 1..])
        }
        _ => message.to_string(),
    }
}

/// Control characters, which would steer the terminal, are replaced one by one.
fn visible(text: &str) -> String {
    let is_hidden = |c: char| c.is_control() && !matches!(c, '\t' | '\n');
    text.chars().map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
