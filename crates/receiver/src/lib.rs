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
mod dispatcher;
mod file;
mod forward;
mod host_name;
mod log;
mod program;
mod reports;
mod rules;

use trunkline_client::{Received, VarBind};
use trunkline_smi::Oid;

pub use condition::{Condition, Network, Predicate, Test};
pub use dispatcher::{ActionCounts, Dispatcher, Fate, Surroundings};
pub use file::FilePlan;
pub use forward::{ForwardKind, ForwardPlan, Open, Opened};
pub use log::{Facility, LogPlan, Severity};
pub use program::ProgramPlan;
pub use reports::Reports;
pub use rules::{Action, Limits, Rule, RuleError, Rules, Then};

/// How a notification is written for a program, a file or a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Net-SNMP's input for programs: the sender's name, its address, and a line for each object.
    Traphandle,
    /// One JSON object on a line.
    Json,
    /// For people, on several lines.
    Text,
}

/// The writer of notifications, and the reader of names: the caller has the MIB modules.
pub trait Forms {
    /// A notification in this form. [`Form::Traphandle`] is without its first line, the sender's name.
    fn write(&self, form: Form, received: &Received) -> String;
    /// A notification on one line, for logs.
    fn line(&self, received: &Received) -> String;
    /// A value as text, for predicates.
    fn value(&self, binding: &VarBind) -> String;
    /// The object or notification of this name.
    ///
    /// # Errors
    /// Why the name is not known.
    fn oid(&self, name: &str) -> Result<Oid, String>;
}
