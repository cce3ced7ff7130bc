//! Set in two phases over several providers: all or nothing (RFC 3416 section 4.2.5).

use std::time::Instant;

use trunkline_smi::schema::SyntaxError;
use trunkline_smi::{Oid, Value};

use crate::{Access, GroupId, Leaf, SetCheck, SetError, SetItem, SetTransaction, Tree};

/// One variable binding of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetBinding {
    /// The instance to be written.
    pub name: Oid,
    /// Its new value; `None` where the message carried no value (NULL or an exception).
    pub value: Option<Value>,
}

/// Why a set did nothing, or half of it (`UndoFailed`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("binding {}: {status:?} {reason}", binding + 1)]
pub struct SetFailure {
    /// The guilty binding, counted from 0.
    pub binding: usize,
    /// What RFC 3416 calls it.
    pub status: SetStatus,
    /// For the log.
    pub reason: String,
}

/// The failures of RFC 3416 section 4.2.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetStatus {
    /// Not in the write view.
    NoAccess,
    /// The object is not writable or does not exist.
    NotWritable,
    /// Another type than the object's.
    WrongType,
    /// A length that can never be assigned.
    WrongLength,
    /// A value that can never be assigned.
    WrongValue,
    /// An instance that can never be created.
    NoCreation,
    /// An instance that cannot be created now.
    InconsistentName,
    /// A value that cannot be assigned now.
    InconsistentValue,
    /// A resource is missing.
    ResourceUnavailable,
    /// The second phase failed and all was undone.
    CommitFailed,
    /// The second phase failed and so did the undo.
    UndoFailed,
}

/// A group's share of a set.
type Part = (GroupId, Box<dyn SetTransaction>);

impl Tree {
    /// Writes all bindings or none. Blocks on the providers' sources; called outside of the
    /// request path. Groups that were written are read anew from `clock()` on.
    pub fn set(
        &self,
        access: &Access,
        bindings: &[SetBinding],
        clock: impl Fn() -> Instant,
    ) -> Result<(), SetFailure> {
        let mut targets = Vec::with_capacity(bindings.len());
        for (position, binding) in bindings.iter().enumerate() {
            targets.push(self.check_binding(access, position, binding)?);
        }
        let mut transactions = self.prepare(bindings, &targets)?;
        let committed = commit(&mut transactions);
        let now = clock();
        transactions.iter().for_each(|(group, _)| self.invalidate(*group, now));
        committed
    }

    /// The checks that need only the schema and the access policy.
    fn check_binding(
        &self,
        access: &Access,
        position: usize,
        binding: &SetBinding,
    ) -> Result<&Leaf, SetFailure> {
        let fail = |status| SetFailure { binding: position, status, reason: String::new() };
        if !access.may_write(&binding.name) {
            return Err(fail(SetStatus::NoAccess));
        }
        let leaf = self
            .leaf_of(&binding.name)
            .filter(|leaf| leaf.max_access().is_writable())
            .ok_or_else(|| fail(SetStatus::NotWritable))?;
        let value = binding.value.as_ref().ok_or_else(|| fail(SetStatus::WrongType))?;
        leaf.syntax().check(value.as_value_ref()).map_err(|error| {
            fail(match error {
                SyntaxError::WrongType => SetStatus::WrongType,
                SyntaxError::WrongLength => SetStatus::WrongLength,
                SyntaxError::WrongValue => SetStatus::WrongValue,
            })
        })?;
        Ok(leaf)
    }

    /// First phase: each group gets its items in one call.
    fn prepare(&self, bindings: &[SetBinding], targets: &[&Leaf]) -> Result<Vec<Part>, SetFailure> {
        let mut transactions: Vec<Part> = Vec::new();
        for leaf in targets {
            let group = leaf.group();
            if transactions.iter().any(|(known, _)| *known == group) {
                continue;
            }
            let items: Vec<SetItem<'_>> = bindings
                .iter()
                .zip(targets)
                .enumerate()
                .filter(|(_, (_, leaf))| leaf.group() == group)
                .filter_map(|(position, (binding, leaf))| item(position, binding, leaf))
                .collect();
            let prepared = self.state(group).provider.prepare_set(&items).map_err(refused)?;
            transactions.push((group, prepared));
        }
        Ok(transactions)
    }
}

fn item<'a>(position: usize, binding: &'a SetBinding, leaf: &'a Leaf) -> Option<SetItem<'a>> {
    Some(SetItem {
        binding: position,
        object: leaf.oid(),
        name: leaf.name(),
        index: &binding.name[leaf.oid().len()..],
        value: binding.value.as_ref()?.as_value_ref(),
    })
}

/// Second phase, and the undo of what was done when a part fails.
fn commit(transactions: &mut [Part]) -> Result<(), SetFailure> {
    for at in 0..transactions.len() {
        let Err(error) = transactions[at].1.commit() else { continue };
        let undone: Vec<_> = transactions[..=at].iter_mut().rev().map(|(_, t)| t.undo()).collect();
        return Err(match undone.into_iter().find_map(Result::err) {
            Some(undo) => {
                SetFailure { binding: undo.binding, status: SetStatus::UndoFailed, reason: undo.reason }
            }
            None => {
                SetFailure { binding: error.binding, status: SetStatus::CommitFailed, reason: error.reason }
            }
        });
    }
    Ok(())
}

fn refused(error: SetError) -> SetFailure {
    let status = match error.check {
        SetCheck::WrongValue => SetStatus::WrongValue,
        SetCheck::WrongLength => SetStatus::WrongLength,
        SetCheck::NoCreation => SetStatus::NoCreation,
        SetCheck::InconsistentName => SetStatus::InconsistentName,
        SetCheck::NotWritable => SetStatus::NotWritable,
        SetCheck::InconsistentValue => SetStatus::InconsistentValue,
        SetCheck::ResourceUnavailable => SetStatus::ResourceUnavailable,
        SetCheck::CommitFailed => SetStatus::CommitFailed,
    };
    SetFailure { binding: error.binding, status, reason: error.reason }
}
