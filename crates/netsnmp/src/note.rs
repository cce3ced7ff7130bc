//! What could not be converted, and its position.

use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;

/// The position of a directive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The file, as it was named.
    pub file: Rc<str>,
    /// The line, counted from 1; 0 for the command line.
    pub line: usize,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// Something that our configuration does not say as Net-SNMP's does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its position.
    pub origin: Origin,
    /// The directive.
    pub directive: String,
    /// Why it is not carried over, and what to do.
    pub why: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What the file holds may not steer the terminal that it is shown on.
        let shown = |text: &str| text.replace(char::is_control, "\u{fffd}");
        write!(f, "{}: {}: {}", self.origin, shown(&self.directive), shown(&self.why))
    }
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}
