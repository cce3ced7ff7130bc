//! Why a simulator cannot run.

use std::io;
use std::path::PathBuf;

use trunkline_snmp::snmprec::SnmprecError;
use trunkline_snmp::usm::CredentialsError;
use trunkline_transport::TransportError;
use trunkline_transport::ssh::HostKeyError;
use trunkline_transport::tls::CredentialError;

use crate::faults::FaultError;
use crate::fleet::Prefix;

/// Why a simulator cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// There is nobody to simulate.
    #[error("the group {group:?} has no agents")]
    NoAgents {
        /// The group.
        group: String,
    },
    /// Not every agent has an address.
    #[error("the group {group:?} has {found} agents, and its prefix {prefix} has {most} addresses")]
    TooManyAgents {
        /// The group.
        group: String,
        /// Its prefix.
        prefix: Prefix,
        /// The addresses of it.
        most: u32,
        /// The agents.
        found: u32,
    },
    /// More agents are to have a port than there are.
    #[error("{port}: {found} agents of the group {group:?} are to have it, which has {agents}")]
    TooManyPorts {
        /// The group.
        group: String,
        /// What they are to answer.
        port: &'static str,
        /// How many.
        found: u32,
        /// The agents.
        agents: u32,
    },
    /// Two groups have an address in common.
    #[error("the groups {:?} and {:?} have addresses in common", groups[0], groups[1])]
    SameAddresses {
        /// They.
        groups: [String; 2],
    },
    /// A group's faults.
    #[error("the group {group:?}: {source}")]
    Faults {
        /// The group.
        group: String,
        /// Why.
        source: FaultError,
    },
    /// A user of SNMPv3.
    #[error("the user {user:?} of the group {group:?}: {source}")]
    User {
        /// The group.
        group: String,
        /// The user.
        user: String,
        /// Why.
        source: CredentialsError,
    },
    /// A file cannot be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A recording is wrong.
    #[error("{path}: {source}", path = path.display())]
    Recording {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: SnmprecError,
    },
    /// A file of a fleet is wrong.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A host key of SSH.
    #[error(transparent)]
    HostKey(#[from] HostKeyError),
    /// A certificate, its key or authorities.
    #[error(transparent)]
    Certificate(#[from] CredentialError),
    /// The options contradict each other.
    #[error("{0}")]
    Options(&'static str),
    /// A socket.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The system.
    #[error("cannot {doing}: {source}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// Why.
        source: io::Error,
    },
}
