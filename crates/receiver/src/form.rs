//! The forms in which notifications are written, and who writes them.

use trunkline_client::{Received, VarBind};
use trunkline_smi::Oid;

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
