//! What a schedule measures: a kind of session, with the settings of both ends.

use std::time::Duration;

use trunkline_client::{Backoff, SessionOptions};

use crate::conversation::{Script, Wait};
use crate::packing::Packing;
use crate::place::link::LinkSpec;
use crate::protocol::Protocol;
use crate::stage::{Role, Secrets, Stand};
use crate::trial::Case;

/// A kind of session.
#[derive(Debug, Clone)]
pub struct Job {
    /// The case that its sessions are samples of.
    pub case: Case,
    /// Its requests.
    pub script: Script,
    /// The manager's position.
    pub stand: Stand,
    /// The link's specification, if the manager is at its other end.
    pub link: LinkSpec,
    /// The agent.
    pub role: Role,
    /// The source of keys.
    pub secrets: Secrets,
    /// The sessions' options.
    pub options: SessionOptions,
    /// Whether the time of each exchange is recorded, and what was fetched.
    pub each: bool,
    /// Whether the link is quiet between the rounds of a fetch, so that the packets of each can be counted.
    pub apart: bool,
    /// How the end of its sessions is awaited.
    pub wait: Wait,
    /// The number of its rounds; `None` for all.
    pub rounds: Option<u32>,
    /// The settings of the manager's end.
    pub manager: ManagerEnd,
}

/// Settings of the manager's end of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ManagerEnd {
    /// Nagle's algorithm off (SSH).
    pub nodelay: bool,
    /// A window update for each message (SSH).
    pub eager_window: bool,
    /// Whether sessions are resumed (TLS, HTTPS) from the second one with the same target on.
    pub resume: bool,
    /// The compression that is requested.
    pub packing: Packing,
}

impl Default for ManagerEnd {
    fn default() -> Self {
        ManagerEnd { nodelay: true, eager_window: false, resume: false, packing: Packing::None }
    }
}

impl Job {
    /// Sessions of a table with a protocol, over the agent's loopback, with Net-SNMP's patience.
    pub fn new(table: &str, what: &str, protocol: Protocol, script: Script) -> Job {
        let case = Case { table: table.into(), what: what.into(), protocol, messages: script.messages() };
        Job {
            case,
            script,
            stand: Stand::Beside,
            link: LinkSpec::default(),
            role: protocol.role(),
            secrets: Secrets::Ready,
            options: net_snmps_patience(),
            each: false,
            apart: false,
            wait: Wait::Awake,
            rounds: None,
            manager: ManagerEnd::default(),
        }
    }

    /// The same over the link.
    #[must_use]
    pub fn over(self, link: LinkSpec) -> Job {
        Job { stand: Stand::Link, link, ..self }
    }

    /// The same in only this many rounds.
    #[must_use]
    pub fn in_rounds(self, rounds: u32) -> Job {
        Job { rounds: Some(rounds.max(1)), ..self }
    }
}

/// Net-SNMP's: retries after 1 s, five times (Marinov 2006 section 5.4).
pub fn net_snmps_patience() -> SessionOptions {
    SessionOptions::default()
        .with_timeout(Duration::from_secs(1))
        .with_retries(5)
        .with_backoff(Backoff::Fixed)
}

/// Ours for a near network: a retry after 50 ms, then after twice as long each time, in total as patient as
/// Net-SNMP.
pub fn our_patience() -> SessionOptions {
    SessionOptions::default()
        .with_timeout(Duration::from_millis(50))
        .with_retries(6)
        .with_backoff(Backoff::Double)
}
