//! Why the agent does not start, whatever was being prepared.

use std::fmt;

use trunkline_admin::KeptError;
use trunkline_tree::RegisterError;
use trunkline_tree::policy::RoleError;

use crate::listeners::ListenError;
use trunkline_credentials::secure::SecureError;
use trunkline_credentials::users::WrongUser;
use trunkline_process::privilege::PrivilegeError;
use trunkline_regions::PartsError;
use trunkline_transport::TooFewDescriptors;

/// Several errors in one line.
#[derive(Debug)]
pub struct Errors(pub(crate) Vec<ListenError>);

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(at, error)| match at {
            0 => write!(f, "{error}"),
            _ => write!(f, "; {error}"),
        })
    }
}

/// Why the agent does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Listeners cannot be opened.
    #[error("{0}")]
    Listeners(Errors),
    /// What listeners need cannot be had.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// Privileges cannot be given up.
    #[error(transparent)]
    Privilege(#[from] PrivilegeError),
    /// The kept state cannot be read.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// Certificates or keys.
    #[error(transparent)]
    Secure(#[from] SecureError),
    /// The agent may open fewer files than it needs.
    #[error(transparent)]
    Descriptors(#[from] TooFewDescriptors),
    /// TLS that encrypts nothing.
    #[error(
        "integrity-only in [snmp.tls] encrypts nothing: only trunklined-lab accepts it, for measurements"
    )]
    IntegrityOnly,
    /// Programs or other agents that cannot answer for a subtree.
    #[error(transparent)]
    Regions(#[from] PartsError),
    /// Two groups, or a region and an object, claim the same names.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// A program is for a part of the configuration that there is not.
    #[error("[[netconf.hook]]: {0}")]
    Hook(String),
    /// A user of the configuration cannot be one.
    #[error(transparent)]
    User(#[from] WrongUser),
    /// The roles of the configuration make no policy.
    #[error(transparent)]
    Role(#[from] RoleError),
    /// The operating system refuses something.
    #[error("cannot {doing}: {source}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
}
