//! Configuration in two stages: TOML to a raw struct (`raw`), raw to a checked
//! [`Plan`] (`plan`). Every error names file, line and column, what was
//! expected, and shows the line.

pub mod access;
mod certificates;
mod error;
mod excerpt;
mod log_filter;
mod open;
mod plan;
mod raw;
pub mod reach;
mod source;
#[cfg(test)]
mod tests;
pub mod url;
pub mod written;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use trunkline_transport::files::{self, LONGEST};

pub use certificates::{CertificateError, Certificates};
pub use error::{ConfigError, WrongConfig};
use excerpt::Place;
pub use log_filter::{LogFilterError, log_filter};
pub use open::{
    administered_elsewhere, empty_members_files, exposed_members, idle_rules, members_without_context,
    open_communities, open_masters, unguarded_users, unusable_jmx,
};
pub use plan::*;
pub use source::{Loader, Source};

/// Reads a configuration file. One without any setting is refused: its author certainly wanted something other
/// than the defaults.
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
/// A file that is not regular, is too long, or cannot be read.
pub fn read_regular(path: &Path) -> std::io::Result<Vec<u8>> {
    files::read_regular(path, LONGEST)
}

/// Whether there is any key with a value; the head of a section alone sets nothing.
fn sets_anything(table: &toml::Table) -> bool {
    table.values().any(|value| value.as_table().is_none_or(sets_anything))
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> WrongConfig {
    let at = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(error.as_bytes());
    let octet = error.as_bytes().get(at).copied().unwrap_or_default();
    let message =
        format!("the octet 0x{octet:02x} is not UTF-8; expected a file in UTF-8, as iconv -t UTF-8 makes it");
    Place { path, text: &text }.unreadable(at..at + char::REPLACEMENT_CHARACTER.len_utf8(), message)
}

/// The warning for a file that holds passwords or keys and that others than its owner and group may read.
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
