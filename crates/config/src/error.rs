//! Why a configuration cannot be used, and where the mistake is.

use std::fmt;
use std::path::PathBuf;

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
        "no Net-SNMP file contains a directive any more: {files}; restore them, or restart the agent without them"
    )]
    Emptied {
        /// Which were read.
        files: String,
    },
    /// The file contains invalid settings.
    #[error(transparent)]
    Wrong(#[from] WrongConfig),
    /// What [`Source::Made`](crate::Source::Made) makes the plan of cannot be read.
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
    pub(crate) excerpt: String,
    /// Other mistakes of the same file.
    pub others: Vec<WrongConfig>,
}

impl WrongConfig {
    /// Several mistakes of one file as one error, in the order of their lines; `None` if there is none.
    pub(crate) fn join(mistakes: impl IntoIterator<Item = WrongConfig>) -> Option<WrongConfig> {
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

fn unreadable(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "name an existing file with --config FILE",
        std::io::ErrorKind::PermissionDenied => "let the agent's user read it (chgrp, chmod g+r)",
        _ => "expected a regular file",
    }
}
