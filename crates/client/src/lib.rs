//! The manager's side: sessions with agents, walks, tables.
//!
//! ```text
//! caller -> SnmpSession (handle) -> its task -> transport -> agent
//!           walk, table          Exchanges: window, retries, matching (no I/O)
//!           (plans: no I/O)
//! ```
//! All decisions are free of I/O and clocks and are tested on virtual time; the tasks only carry octets.

#![cfg_attr(
    not(all(feature = "dtls", feature = "http", feature = "ssh")),
    allow(dead_code, reason = "what several transports share may be idle where some are left out")
)]

mod answer;
pub mod command_line;
mod credentials;
mod error;
#[cfg(feature = "http")]
pub mod eventing;
mod exchange;
mod ids;
mod listen;
mod login;
#[cfg(feature = "netconf")]
pub mod netconf;
mod notify;
mod open;
mod pool;
#[cfg(feature = "http")]
mod rows;
mod scheme;
mod secure;
mod session;
mod setters;
mod snmp_session;
#[cfg(feature = "http")]
pub mod soap;
mod table;
mod target;
mod walk;

pub use answer::{Answer, Cost};
pub use credentials::{Credentials, Password, Secret, TsmCredentials, UsmCredentials};
pub use error::Error;
pub use exchange::{Backoff, Endurance, Patience, Response};
pub use listen::{
    Admission, ListenCounts, ListenOptions, ListenSecure, Listened, Listener, Received, RefusedMessage,
    RefusedSession, SessionFault,
};
pub use login::{HttpLogin, HttpLoginError};
pub use notify::Notifier;
pub use open::{OpenOptions, open};
pub use pool::{Lease, Opener, Opening, Pool, PoolCounts, PoolOptions};
#[cfg(feature = "http")]
pub use rows::rows_in_range;
pub use scheme::{Language, SCHEMES, Scheme};
pub use secure::Secure;
pub use session::{Asking, Session};

pub use snmp_session::{
    Carrier, Connected, Connecting, Connector, SessionCounters, SessionCounts, SessionOptions, SnmpSession,
    Watch,
};
pub use table::{Gathered, Table, TableLimit, table, table_within};
pub use target::{
    Defaults, HttpObserver, HttpWay, Inside, NetconfTarget, SoapTarget, SoapWho, Target, TargetError,
    Transport,
};
// One dependency is enough: the types that sessions take and return, and the crates below for the rest.
pub use trunkline_smi::{self as smi, Oid, Value};
pub use trunkline_snmp::role::originator::Notification;
pub use trunkline_snmp::usm::{AuthProtocol, EngineId, PrivProtocol};
pub use trunkline_snmp::wire::{Bound, Compression, ErrorStatus, Exception, PduKind, VarBind, Version};
pub use trunkline_snmp::{self as snmp, SecurityLevel};
pub use trunkline_transport as transport;
pub use trunkline_transport::dial::Family;
#[cfg(feature = "ssh")]
pub use trunkline_transport::ssh;
#[cfg(feature = "tls")]
pub use trunkline_transport::tls;
pub use trunkline_transport::trace::Observer;
pub use trunkline_transport::{
    ListenUrl, ListenUrlError, Protocol, TooFewDescriptors, TransportError, Url, ensure_descriptors,
};
pub use walk::{Repetitions, Walk, WalkOptions, walk, walk_all};

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
