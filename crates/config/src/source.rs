//! Where the configuration comes from, at the start and again at each SIGHUP.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::{ConfigError, Plan, load};

/// A plan made from something other than our own files.
pub type Loader = Arc<dyn Fn() -> Result<Plan, ConfigError> + Send + Sync>;

/// Where the configuration comes from.
#[derive(Clone, Default)]
pub enum Source {
    /// From nowhere: the defaults.
    #[default]
    Default,
    /// From a file of ours.
    File(PathBuf),
    /// From something else, such as Net-SNMP's files.
    Made(Loader),
}

impl Source {
    /// The file, or the defaults if there is none.
    pub fn of(file: Option<PathBuf>) -> Self {
        file.map_or(Source::Default, Source::File)
    }

    /// The plan as it is now.
    ///
    /// # Errors
    /// A file that cannot be read, or with invalid settings.
    pub fn load(&self) -> Result<Plan, ConfigError> {
        match self {
            Source::Default => Ok(Plan::default()),
            Source::File(path) => load(path),
            Source::Made(loader) => loader(),
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("Default"),
            Source::File(path) => write!(f, "File({})", path.display()),
            Source::Made(_) => f.write_str("Made"),
        }
    }
}
