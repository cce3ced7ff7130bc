//! Configuration in two stages: TOML to a raw struct (`raw`), raw to a checked
//! [`Plan`] (`plan`). Every error names file, line and column, what was
//! expected, and shows the line.

mod excerpt;
mod plan;
mod raw;
mod source;
#[cfg(test)]
mod tests;

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::import_snmpd::ImportError;
use excerpt::Place;
pub use plan::*;
pub use source::{Loader, Source};

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}; name an existing file with --config FILE", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file says something that cannot be meant.
    #[error(transparent)]
    Wrong(#[from] WrongConfig),
    /// Net-SNMP's configuration cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
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
}

impl std::error::Error for WrongConfig {}

impl fmt::Display for WrongConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}:{}: {}", self.path.display(), self.line, self.column, self.message)?;
        f.write_str(&self.excerpt)
    }
}

/// Reads a configuration file, or takes the defaults when there is none.
pub fn load(path: Option<&Path>) -> Result<Plan, ConfigError> {
    let Some(path) = path else { return Ok(Plan::default()) };
    let text = std::fs::read_to_string(path)
        .map_err(|source| ConfigError::Unreadable { path: path.to_path_buf(), source })?;
    Ok(parse(path, &text)?)
}

/// What is to be said of a file that holds passwords or keys and that others than its owner and group may read.
pub fn exposure(path: &Path) -> Option<String> {
    let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o777;
    let text = std::fs::read_to_string(path).ok().filter(|_| mode & 0o007 != 0)?;
    excerpt::has_secrets(&text).then(|| {
        let path = path.display();
        format!("{path} holds passwords or keys and has mode {mode:03o}: everybody may read them; run chmod o= {path}")
    })
}

/// Checks the text of a configuration file; `path` is only named in errors.
pub fn parse(path: &Path, text: &str) -> Result<Plan, WrongConfig> {
    let place = Place { path, text };
    let raw: raw::Config = toml::from_str(text)
        .map_err(|error| place.wrong(error.span().unwrap_or(0..0), in_words_of_toml(error.message())))?;
    plan::check(raw, place)
}

/// The reader of TOML names some types as Rust does.
fn in_words_of_toml(message: &str) -> String {
    [("a sequence", "a list [...]"), ("a map", "a table"), ("expected i64", "expected a whole number")]
        .iter()
        .fold(message.to_string(), |message, (found, better)| message.replace(found, better))
}
