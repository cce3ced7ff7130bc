//! A file of agents, one a line: `TARGET [NAME]`. A target is a URL, an address, the name of a target of the
//! configuration or `@GROUP`; the name is what output calls it. `#` begins a comment.

use std::path::Path;

use trunkline_client::transport::files;

use super::place::{Misplaced, Place};
use crate::mistake::Mistake;

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The target.
    pub target: String,
    /// What output calls it, if the line says so.
    pub name: Option<String>,
    /// Its number, counted from 1.
    pub line: usize,
}

/// Reads the lines of a file; `-` is the standard input.
///
/// # Errors
/// It cannot be read, is too long, or as [`hosts`].
pub fn read_hosts(path: &Path) -> Result<Vec<Host>, Mistake> {
    let source = if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
    let failed = |fault: std::io::Error| Mistake(format!("{}: {fault}", path.display()));
    let text = files::read_named(source, LONGEST).map_err(failed)?;
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    hosts(path, text).map_err(|fault| Mistake(fault.to_string()))
}

/// The longest file of hosts.
const LONGEST: u64 = 16 << 20;

/// Reads the lines of a text, which came from `path`.
///
/// # Errors
/// A line has more than two words, a name is another line's already, or a target is not one.
pub fn hosts(path: &Path, text: &str) -> Result<Vec<Host>, Misplaced> {
    let place = Place { path, text };
    let mut found: Vec<Host> = Vec::new();
    let mut start = 0;
    for (number, whole) in (1..).zip(text.split_inclusive('\n')) {
        let at = start;
        start += whole.len();
        // `#` may be in a URL: a comment begins the line or follows a space.
        let line = whole.trim_end_matches(['\n', '\r']);
        let comment = line
            .char_indices()
            .find(|(at, c)| *c == '#' && line[..*at].chars().next_back().is_none_or(char::is_whitespace));
        let line = comment.map_or(line, |(comment, _)| &line[..comment]);
        let span = |word: &str| {
            let from = at + (word.as_ptr() as usize - whole.as_ptr() as usize);
            from..from + word.len()
        };
        let mut words = line.split_whitespace();
        let Some(target) = words.next() else { continue };
        if target.starts_with('-') || target.chars().any(char::is_control) {
            return Err(place.wrong(span(target), "expected a target: a URL, an address, a name or @GROUP"));
        }
        if target.contains(['"', '\'']) {
            return Err(place.wrong(span(target), "a target stands without quotes"));
        }
        let name = words.next();
        if let Some(more) = words.next() {
            return Err(place.wrong(span(more), "a line is TARGET [NAME]: nothing may follow the name"));
        }
        if let Some(name) = name {
            if target.starts_with('@') {
                return Err(place.wrong(span(name), "a group has no second name"));
            }
            if found.iter().any(|host| host.name.as_deref() == Some(name)) {
                return Err(place.wrong(span(name), format!("{name} is the name of another line already")));
            }
        }
        found.push(Host { target: target.to_owned(), name: name.map(str::to_owned), line: number });
    }
    Ok(found)
}
