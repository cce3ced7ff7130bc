//! Configuration in two stages: TOML to a raw struct (`raw`), raw to a checked
//! [`Plan`] (`plan`). Every error names file, line and column, what was
//! expected, and shows the line.

pub mod access;
mod certificates;
mod excerpt;
mod open;
mod plan;
mod raw;
mod source;
#[cfg(test)]
mod tests;

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use trunkline_transport::files::{self, LONGEST};

pub use certificates::{CertificateError, Certificates};
use excerpt::Place;
pub use open::open_communities;
pub use plan::*;
pub use source::{Loader, Source};

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}; {remedy}", path = path.display(), remedy = unreadable(source))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file sets nothing: it was cut short, or is not yet written.
    #[error(
        "{path} has no setting at all, and the defaults would let the community \"public\" read; \
         restore the file, or start without --config for the defaults",
        path = path.display()
    )]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Net-SNMP's files had directives at the start, and have none any more.
    #[error(
        "no file of Net-SNMP's has any directive now: {files}; restore them, or start the agent again without them"
    )]
    Emptied {
        /// Which were read.
        files: String,
    },
    /// The file says something that cannot be meant.
    #[error(transparent)]
    Wrong(#[from] WrongConfig),
    /// What [`Source::Made`] makes the plan of cannot be read.
    #[error(transparent)]
    Made(Box<dyn std::error::Error + Send + Sync>),
}

/// What is wrong in a configuration file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongConfig {
    /// The file.
    pub path: PathBuf,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What was found and what was expected.
    pub message: String,
    /// The guilty line and a mark below it.
    excerpt: String,
    /// Other mistakes of the same file.
    pub others: Vec<WrongConfig>,
}

impl WrongConfig {
    /// Several mistakes of one file as one error, in the order of their lines; `None` where there is none.
    fn join(mistakes: impl IntoIterator<Item = WrongConfig>) -> Option<WrongConfig> {
        let mut all: Vec<WrongConfig> = Vec::new();
        for mut mistake in mistakes {
            let others = std::mem::take(&mut mistake.others);
            all.extend(std::iter::once(mistake).chain(others));
        }
        all.sort_by_key(|mistake| (mistake.line, mistake.column));
        let mut all = all.into_iter();
        let first = all.next()?;
        Some(WrongConfig { others: all.collect(), ..first })
    }
}

impl std::error::Error for WrongConfig {}

impl fmt::Display for WrongConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}:{}: {}", self.path.display(), self.line, self.column, self.message)?;
        f.write_str(&self.excerpt)?;
        self.others.iter().try_for_each(|other| write!(f, "\n{other}"))
    }
}

/// Reads a configuration file. One without any setting is refused: its author meant more than the defaults.
///
/// # Errors
/// [`ConfigError`].
pub fn load(path: &Path) -> Result<Plan, ConfigError> {
    let octets =
        read_regular(path).map_err(|source| ConfigError::Unreadable { path: path.to_path_buf(), source })?;
    let text = String::from_utf8(octets).map_err(|error| not_utf8(path, &error))?;
    if toml::from_str::<toml::Table>(&text).is_ok_and(|table| !sets_anything(&table)) {
        return Err(ConfigError::Empty { path: path.to_path_buf() });
    }
    Ok(parse(path, &text)?)
}

/// The octets of a file that a person has written.
///
/// # Errors
/// What is no regular file, is too long, or cannot be read.
pub fn read_regular(path: &Path) -> std::io::Result<Vec<u8>> {
    files::read_regular(path, LONGEST)
}

/// Whether there is any key with a value; the head of a section alone sets nothing.
fn sets_anything(table: &toml::Table) -> bool {
    table.values().any(|value| value.as_table().is_none_or(sets_anything))
}

fn unreadable(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "name an existing file with --config FILE",
        std::io::ErrorKind::PermissionDenied => "let the agent's user read it (chgrp, chmod g+r)",
        _ => "expected a regular file",
    }
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> WrongConfig {
    let at = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(error.as_bytes());
    let octet = error.as_bytes().get(at).copied().unwrap_or_default();
    let message =
        format!("the octet 0x{octet:02x} is not UTF-8; expected a file in UTF-8, as iconv -t UTF-8 makes it");
    Place { path, text: &text }.unreadable(at..at + char::REPLACEMENT_CHARACTER.len_utf8(), message)
}

/// What is to be said of a file that holds passwords or keys and that others than its owner and group may read.
pub fn exposure(path: &Path) -> Option<String> {
    let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o777;
    let text = String::from_utf8(read_regular(path).ok()?).ok().filter(|_| mode & 0o007 != 0)?;
    excerpt::has_secrets(&text).then(|| {
        let path = path.display();
        format!("{path} holds passwords or keys and has mode {mode:03o}: everybody may read them; run chmod o= {path}")
    })
}

/// Checks the text of a configuration file; `path` is only named in errors.
pub fn parse(path: &Path, text: &str) -> Result<Plan, WrongConfig> {
    let place = Place { path, text };
    let raw: raw::Config = toml::from_str(text).map_err(|error| {
        let (span, message) = (error.span().unwrap_or(0..0), in_words_of_toml(error.message()));
        match text.parse::<toml::Table>() {
            Ok(_) => place.wrong(span, message),
            Err(_) => place.unreadable(span, message),
        }
    })?;
    plan::check(raw, place)
}

/// The reader of TOML names some types as Rust does.
fn in_words_of_toml(message: &str) -> String {
    let message =
        [("a sequence", "a list [...]"), ("a map", "a table"), ("expected i64", "expected a whole number")]
            .iter()
            .fold(message.to_string(), |message, (found, better)| message.replace(found, better));
    let number = message
        .strip_prefix("invalid type: integer `")
        .and_then(|rest| rest.strip_suffix("`, expected a string"));
    match number {
        Some(number) => {
            format!("found the number {number}, expected a text in quotes; a time has a unit: \"{number}s\"")
        }
        None => message,
    }
}
