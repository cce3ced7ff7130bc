//! What can be wrong with a name, a value or a folder of MIB texts.

use std::path::PathBuf;

use trunkline_smi::{RootError, TooLongError};

/// Why a text names no object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// Nothing there, or nothing between two dots.
    #[error("{text:?} is not an object name: {what}")]
    Form {
        /// The text as given.
        text: String,
        /// What is wrong with its form.
        what: &'static str,
    },
    /// The part before `::` is not a known module.
    #[error("unknown module {module}{}", near_words(.near))]
    UnknownModule {
        /// The module's name as given.
        module: String,
        /// Known names that look alike.
        near: Vec<String>,
    },
    /// A name that no known module (or not this module) defines.
    #[error("{}{}", missing_words(.name, .module.as_deref()), near_words(.near))]
    UnknownName {
        /// The name as given.
        name: String,
        /// The module it was looked for in, if one was given.
        module: Option<String>,
        /// Known names that look alike.
        near: Vec<String>,
    },
    /// A name that is not under the node before it.
    #[error("there is no {name} under {parent}{}", near_words(.near))]
    UnknownChild {
        /// The node.
        parent: String,
        /// The name as given.
        name: String,
        /// Names under the node that look alike.
        near: Vec<String>,
    },
    /// A part of a row's index that does not fit its index object.
    #[error("{found} is not a valid {part} (part of the index of {object}): expected {expected}")]
    Index {
        /// The object whose instance was named.
        object: String,
        /// The index object.
        part: &'static str,
        /// What was given.
        found: String,
        /// What would fit.
        expected: String,
    },
    /// More than 128 sub-identifiers.
    #[error(transparent)]
    TooLong(#[from] TooLongError),
    /// Numbers with which no object identifier can begin.
    #[error("{text} does not exist: {fault}")]
    Root {
        /// The text as given.
        text: String,
        /// Which number.
        #[source]
        fault: RootError,
    },
}

/// Why a text is not a value for an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The text cannot be read as the type.
    #[error("{found:?} is not a valid {kind}: expected {expected}")]
    Form {
        /// The type wanted.
        kind: &'static str,
        /// The text as given.
        found: String,
        /// What would fit.
        expected: String,
    },
    /// The value is of the right type, but out of the object's range.
    #[error("{found:?} is out of range: expected {expected}")]
    Range {
        /// The text as given.
        found: String,
        /// What would fit.
        expected: String,
    },
    /// No type letter of this name.
    #[error("{0:?} is not a value type: expected one of = i u t a o s x d b c C U I F D n")]
    Type(String),
    /// `=` needs the object's syntax, and no module defines the object.
    #[error("no known module defines the type of {object}: give one, as in `OID i 1`")]
    NoSyntax {
        /// The object as named.
        object: String,
    },
    /// Tables and entries have no value.
    #[error("{object} is a table, not an object with a value")]
    NoValue {
        /// The object as named.
        object: String,
    },
    /// A value that is an object name which does not resolve.
    #[error(transparent)]
    Name(#[from] ResolveError),
}

/// Why MIB texts could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A folder that was given explicitly cannot be read.
    #[error("the MIB folder {} cannot be read: {source}", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A module that was requested by name is in none of the folders.
    #[error("no MIB text defines {} (looked in {})", .modules.join(", "), folders_words(.folders))]
    Missing {
        /// The modules.
        modules: Vec<String>,
        /// The searched folders.
        folders: Vec<PathBuf>,
    },
    /// A text that was requested, or that such a one imports from, cannot be used.
    #[error(transparent)]
    Text(Box<SkippedText>),
    /// The reader of MIB texts failed as a whole.
    #[error("the MIB texts cannot be read: {0}")]
    Texts(String),
}

/// A file in a folder of MIB texts that is not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkippedText {
    /// A fifo, a socket or a device.
    #[error("{} is not a regular file: it is not read as a MIB text", .path.display())]
    NotRegular {
        /// The file.
        path: PathBuf,
    },
    /// It is too large to be a MIB text.
    #[error("{} has more than {most} bytes: it is not read as a MIB text", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most bytes of a text.
        most: u64,
    },
    /// It cannot be read.
    #[error("the MIB text {} cannot be read: {fault}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        fault: std::io::Error,
    },
    /// A name in it has more sub-identifiers than an object identifier can have (RFC 2578 section 3.5).
    #[error(
        "{}:{line}: {name} has {sub_ids} sub-identifiers, and an object identifier at most 128: the text is not read",
        .path.display()
    )]
    TooDeep {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The name.
        name: String,
        /// How many sub-identifiers it has.
        sub_ids: usize,
    },
}

fn missing_words(name: &str, module: Option<&str>) -> String {
    match module {
        Some(module) => format!("{module} does not define {name}"),
        None => format!("no known module defines {name}"),
    }
}

fn near_words(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

fn folders_words(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return "no folder, none of the search path exists".to_owned();
    }
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}
