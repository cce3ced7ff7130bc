//! What the tree needs from a provider: a snapshot, and for writable objects a transaction.

use std::time::Instant;

use trunkline_smi::ValueRef;

use crate::policy::Principal;
use crate::{Group, Snapshot};

/// Serves one group. The tree calls it outside the request path's threads: it may block on its source.
pub trait Provider: Send + Sync + 'static {
    /// Its group; always the same.
    fn group(&self) -> &'static Group;

    /// Reads the source. `previous` is the last snapshot, for sources that can detect that nothing changed.
    fn load(&self, previous: Option<&Snapshot>) -> Result<Loaded, SourceError>;

    /// First phase of a set: checks every item and gathers what the commit needs, without changing anything.
    ///
    /// The tree has already checked access, type, length and range against the schema. All items of a request
    /// that belong to this group come in one call.
    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let first = items.first().map_or(0, |item| item.binding);
        Err(SetError { binding: first, check: SetCheck::NotWritable, reason: String::new() })
    }

    /// The same if the principal matters: usmUserOwnAuthKeyChange is for the user itself (RFC 3414 section 5).
    /// The tree calls this one; an implementation of it needs no `prepare_set`.
    fn prepare_set_by(
        &self,
        _principal: Option<&Principal<'_>>,
        items: &[SetItem<'_>],
    ) -> Result<Box<dyn SetTransaction>, SetError> {
        self.prepare_set(items)
    }
}

/// The result of reading a source.
#[derive(Debug)]
pub enum Loaded {
    /// New data.
    Snapshot(Snapshot),
    /// The previous snapshot is still correct.
    Unchanged,
}

/// A source that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {source_name}: {cause}")]
pub struct SourceError {
    /// The source, such as `/proc/net/snmp` or `netlink route dump`.
    pub source_name: String,
    /// Why it failed.
    pub cause: std::io::Error,
}

impl SourceError {
    /// A source that could not be read.
    pub fn new(source_name: impl Into<String>, cause: std::io::Error) -> Self {
        SourceError { source_name: source_name.into(), cause }
    }
}

/// A scalar that is read at the moment of the request, not from the snapshot:
/// sysUpTime, the protocol engine's own counters.
pub trait Live: Send + Sync {
    /// The value at `now`.
    fn read(&self, now: Instant) -> ValueRef<'_>;
}

/// One variable to be written.
#[derive(Clone, Copy, Debug)]
pub struct SetItem<'a> {
    /// Position of the variable binding in the request, counted from 0.
    pub binding: usize,
    /// The scalar or the column: its OID without the instance.
    pub object: &'a [u32],
    /// The descriptor, such as `ifAlias`.
    pub name: &'static str,
    /// The instance: `[0]` for a scalar, else the row's index.
    pub index: &'a [u32],
    /// The new value.
    pub value: ValueRef<'a>,
}

/// The second phase of a set. Dropped without a commit it has changed nothing.
pub trait SetTransaction: Send {
    /// Applies all items. On failure whatever was applied stays until [`SetTransaction::undo`].
    fn commit(&mut self) -> Result<(), SetError>;

    /// Undoes what `commit` applied.
    fn undo(&mut self) -> Result<(), SetError>;
}

/// Why a provider refuses or fails a set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("binding {}: {check:?}: {reason}", binding + 1)]
pub struct SetError {
    /// Position of the guilty binding, counted from 0.
    pub binding: usize,
    /// The kind of refusal.
    pub check: SetCheck,
    /// For the log: what was wrong and what to do, such as `CAP_NET_ADMIN is missing`.
    pub reason: String,
}

/// The refusals of RFC 3416 section 4.2.5 that only a provider can find, and those that only the agent of a
/// region can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetCheck {
    /// Behind a region: not for us to write.
    NoAccess,
    /// Behind a region: another type than the object's.
    WrongType,
    /// This value can never be assigned.
    WrongValue,
    /// This length can never be assigned.
    WrongLength,
    /// This instance can never be created.
    NoCreation,
    /// This instance cannot be created now.
    InconsistentName,
    /// The object cannot be modified.
    NotWritable,
    /// The value cannot be assigned in the present state.
    InconsistentValue,
    /// A resource is missing: memory, permission of the process.
    ResourceUnavailable,
    /// The commit failed.
    CommitFailed,
}
