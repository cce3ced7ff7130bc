//! Errors point into the text of the configuration: line, column, and the line itself with a mark
//! below what is wrong, unless it holds a secret.

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
        let start = floor(self.text, span.start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_text = self.text[line_start..].lines().next().unwrap_or("");
        let line = self.text[..line_start].matches('\n').count() + 1;
        // An error at the end of the line, which may be of two characters, is shown just behind its text.
        let line_end = line_start + line_text.len();
        let start = start.min(line_end);
        let end = floor(self.text, span.end).clamp(start, line_end);
        let before = &self.text[line_start..start];
        let column = before.chars().count() + 1;
        let marks = "^".repeat(self.text[start..end].chars().count().max(1));
        let gutter = " ".repeat(line.to_string().len());
        // A tab stays one, so that the marks stand where the line's characters do.
        let indent = before.chars().map(|c| if c == '\t' { c } else { ' ' });
        let indent: String = indent.collect();
        let (message, excerpt) = match secret_value(self.text, line_start, line_text) {
            None => {
                let excerpt =
                    format!("{gutter} |\n{line} | {}\n{gutter} | {indent}{marks}", visible(line_text));
                (message, excerpt)
            }
            Some(at) => {
                let excerpt = format!("{gutter} |\n{line} | {}<secret>", visible(&line_text[..at]));
                (without_quotes(&message), excerpt)
            }
        };
        WrongConfig { path: self.path.to_path_buf(), line, column, message: visible(&message), excerpt }
    }
}

/// Whether any line of a configuration holds a password or a key. Communities are no such secrets:
/// everybody on the path reads them.
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
    if let Some(at) = line.find('{') {
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
