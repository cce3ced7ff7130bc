//! What `trunkline listen` does with what it receives: rules select notifications, and actions pass them on.
//!
//! ```text
//! Received -> Dispatcher: rules in order -> run: a queue -> programs, a few at once, each with a time limit
//!                                           forward: a queue -> a session with another receiver
//!                                           file, journal, syslog: at once
//!                                           print: the caller
//! ```
//! Receiving never waits for an action. What does not fit into a queue is dropped and counted.

mod condition;
mod counts;
mod dispatcher;
mod file;
mod form;
mod forward;
mod host_name;
mod limits;
mod log;
mod net_snmp;
mod program;
mod reports;
mod rules;

pub use condition::{Condition, Network, Predicate, Test};
pub use counts::ActionCounts;
pub use dispatcher::{Dispatcher, Fate, Surroundings};
pub use file::FilePlan;
pub use form::{Form, Forms};
pub use forward::{ForwardKind, ForwardPlan, Open, Opened};
pub use host_name::of as host_name;
pub use limits::Limits;
pub use log::{Facility, LogPlan, Severity};
pub use net_snmp::{addresses, bindings};
pub use program::ProgramPlan;
pub use reports::Reports;
pub use rules::{Action, Rule, RuleError, Rules, Then};
