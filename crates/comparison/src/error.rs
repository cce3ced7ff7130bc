//! Why two agents cannot be compared.

use trunkline_netsnmp::ImportError;

/// Why nothing was compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The old configuration cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A URL of the command line.
    #[error("{url}: {source}")]
    Url {
        /// The URL, without what may be a community.
        url: &'static str,
        /// What is wrong with it.
        source: trunkline_client::TargetError,
    },
    /// An object identifier of the command line.
    #[error("{option}: {why}")]
    Subtree {
        /// The option.
        option: &'static str,
        /// What is wrong with its value.
        why: String,
    },
    /// An agent does not start.
    #[error("{agent} does not start: {why}")]
    Start {
        /// Which one.
        agent: String,
        /// Its own error message.
        why: String,
    },
    /// There is no session with an agent.
    #[error("{agent} cannot be reached: {source}")]
    Open {
        /// Which one.
        agent: &'static str,
        /// Why.
        source: trunkline_client::Error,
    },
    /// An agent does not answer.
    #[error(
        "{agent} cannot be walked after {after}: {source}; --ignore OID steps over the subtree that follows"
    )]
    Walk {
        /// Which one.
        agent: &'static str,
        /// The last name that it has answered, or the root.
        after: trunkline_smi::Oid,
        /// Why.
        source: Box<trunkline_client::Error>,
    },
    /// A signal has ended it; both agents and their files are gone.
    #[error("interrupted")]
    Interrupted,
    /// The operating system refuses something.
    #[error("cannot {doing}: {source}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
}
