//! Set in two phases over several providers: all or nothing (RFC 3416 section 4.2.5).

use std::collections::BTreeSet;
use std::time::Instant;
use trunkline_smi::SetStatus;

use trunkline_smi::schema::SyntaxError;
use trunkline_smi::{Oid, Value, decode_index};

use crate::policy::Principal;
use crate::{Access, GroupId, Leaf, LeafKind, RegionId, SetCheck, SetError, SetItem, SetTransaction, Tree};

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
#[error("binding {}: {} {reason}", binding + 1, status.name())]
pub struct SetFailure {
    /// The guilty binding, counted from 0.
    pub binding: usize,
    /// What RFC 3416 calls it.
    pub status: SetStatus,
    /// For the log.
    pub reason: String,
}

/// Who writes a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    Group(GroupId),
    Region(RegionId),
}

/// The object of a binding.
#[derive(Clone, Copy)]
struct Target<'t> {
    leaf: &'t Leaf,
    writer: Writer,
}

impl Target<'_> {
    fn is_group(&self) -> bool {
        matches!(self.writer, Writer::Group(_))
    }
}

/// A group's or a region's share of a set.
struct Part {
    writer: Writer,
    /// Which bindings of the request.
    bindings: Vec<usize>,
    transaction: Box<dyn SetTransaction>,
}

impl Tree {
    /// Writes all bindings or none. Blocks on the providers' sources and on regions; called outside the request
    /// path. Groups that were written are read again from `clock()` on.
    ///
    /// One set at a time: what a provider found in the first phase still holds in the second, which makes a
    /// TestAndIncr a lock (RFC 2579). A set on regions alone does not wait for others, nor others for it: a
    /// region may be slow.
    ///
    /// Regions are written after groups, and a refusal at their commit is reported as it is: a region may have no
    /// other moment to refuse at. With one region in a set it is all or nothing, as the groups can be undone; with
    /// several it is as good as their own undo.
    pub fn set(
        &self,
        access: &Access,
        bindings: &[SetBinding],
        clock: impl Fn() -> Instant,
    ) -> Result<(), SetFailure> {
        self.set_by(None, access, bindings, clock)
    }

    /// The same, with the principal for providers that need it: see
    /// [`Provider::prepare_set_by`](crate::Provider).
    pub fn set_by(
        &self,
        principal: Option<&Principal<'_>>,
        access: &Access,
        bindings: &[SetBinding],
        clock: impl Fn() -> Instant,
    ) -> Result<(), SetFailure> {
        self.set_if(principal, access, bindings, || true, clock).map(drop)
    }

    /// The same if a condition holds, which is tested when no other set of groups can come between; `false`: it does
    /// not, and nothing was written.
    ///
    /// # Errors
    /// As [`Tree::set`].
    pub fn set_if(
        &self,
        principal: Option<&Principal<'_>>,
        access: &Access,
        bindings: &[SetBinding],
        holds: impl FnOnce() -> bool,
        clock: impl Fn() -> Instant,
    ) -> Result<bool, SetFailure> {
        let targets = self.targets(access, bindings)?;
        let _one_at_a_time = targets.iter().any(Target::is_group).then(|| self.one_set_at_a_time());
        if !holds() {
            return Ok(false);
        }
        let mut parts = self.prepare(principal, bindings, &targets)?;
        let committed = commit(&mut parts);
        let now = clock();
        for part in &parts {
            if let Writer::Group(group) = part.writer {
                self.invalidate(group, now);
            }
        }
        committed.map(|()| true)
    }

    /// The first phase alone: whether all of it could be set now.
    ///
    /// # Errors
    /// The first binding that could not.
    pub fn test_by(
        &self,
        principal: Option<&Principal<'_>>,
        access: &Access,
        bindings: &[SetBinding],
    ) -> Result<(), SetFailure> {
        let targets = self.targets(access, bindings)?;
        let _one_at_a_time = targets.iter().any(Target::is_group).then(|| self.one_set_at_a_time());
        self.prepare(principal, bindings, &targets).map(drop)
    }

    fn targets(&self, access: &Access, bindings: &[SetBinding]) -> Result<Vec<Target<'_>>, SetFailure> {
        let mut targets = Vec::with_capacity(bindings.len());
        for (position, binding) in bindings.iter().enumerate() {
            targets.push(self.check_binding(access, position, binding)?);
        }
        check_unique(bindings)?;
        Ok(targets)
    }

    /// The checks that need only the schema and the access policy.
    fn check_binding(
        &self,
        access: &Access,
        position: usize,
        binding: &SetBinding,
    ) -> Result<Target<'_>, SetFailure> {
        let fail = |status| SetFailure { binding: position, status, reason: String::new() };
        if !access.may_write(&binding.name) {
            return Err(fail(SetStatus::NoAccess));
        }
        let leaf = self
            .leaf_of(&binding.name)
            .filter(|leaf| leaf.max_access().is_writable())
            .ok_or_else(|| fail(SetStatus::NotWritable))?;
        let value = binding.value.as_ref().ok_or_else(|| fail(SetStatus::WrongType))?;
        if let LeafKind::Region { territory } = leaf.kind() {
            let region = self.territory(territory).region_of(&binding.name);
            let region = region.ok_or_else(|| fail(SetStatus::NotWritable))?;
            return Ok(Target { leaf, writer: Writer::Region(self.first_of_region(region)) });
        }
        leaf.syntax().check(value.as_value_ref()).map_err(|error| {
            fail(match error {
                SyntaxError::WrongType => SetStatus::WrongType,
                SyntaxError::WrongLength => SetStatus::WrongLength,
                SyntaxError::WrongValue => SetStatus::WrongValue,
            })
        })?;
        if !self.may_be_instance(leaf, &binding.name[leaf.oid().len()..]) {
            return Err(fail(SetStatus::NoCreation));
        }
        Ok(Target { leaf, writer: Writer::Group(leaf.group()) })
    }

    /// Whether an object can have an instance of this index at all.
    fn may_be_instance(&self, leaf: &Leaf, index: &[u32]) -> bool {
        match leaf.kind() {
            LeafKind::Scalar { .. } => index == [0],
            LeafKind::Column { table, .. } => {
                let table = self.state(leaf.group()).provider.group().tables[usize::from(table)];
                decode_index(table.index, index).is_ok()
            }
            LeafKind::Region { .. } => true,
        }
    }

    /// First phase: each writer gets its items in one call, in the order in which the request first names it, but
    /// groups before regions.
    fn prepare(
        &self,
        principal: Option<&Principal<'_>>,
        bindings: &[SetBinding],
        targets: &[Target<'_>],
    ) -> Result<Vec<Part>, SetFailure> {
        let mut parts: Vec<Part> = Vec::new();
        let writers = || targets.iter().map(|target| target.writer);
        let regions = writers().filter(|writer| matches!(writer, Writer::Region(_)));
        let groups = writers().filter(|writer| matches!(writer, Writer::Group(_)));
        for writer in groups.chain(regions) {
            if parts.iter().any(|part| part.writer == writer) {
                continue;
            }
            let all = bindings.iter().zip(targets).enumerate();
            let items: Vec<SetItem<'_>> = all
                .filter(|(_, (_, target))| target.writer == writer)
                .filter_map(|(position, (binding, target))| item(position, binding, target.leaf))
                .collect();
            let bindings: Vec<usize> = items.iter().map(|item| item.binding).collect();
            let prepared = match writer {
                Writer::Group(group) => self.state(group).provider.prepare_set_by(principal, &items),
                Writer::Region(region) => self.region(region).prepare_set(&items),
            };
            let transaction = prepared.map_err(|error| failure(status_of(error.check), error, &bindings))?;
            parts.push(Part { writer, bindings, transaction });
        }
        Ok(parts)
    }
}

/// Two values for one instance cannot both be assigned "as if simultaneously". RFC 3416 leaves the
/// outcome open; refusing it keeps the case from every provider.
fn check_unique(bindings: &[SetBinding]) -> Result<(), SetFailure> {
    let mut seen = BTreeSet::new();
    match bindings.iter().position(|binding| !seen.insert(&binding.name)) {
        None => Ok(()),
        Some(binding) => Err(SetFailure {
            binding,
            status: SetStatus::InconsistentValue,
            reason: "the request names this instance twice".into(),
        }),
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

/// Second phase, and the undo if a part fails.
fn commit(parts: &mut [Part]) -> Result<(), SetFailure> {
    for at in 0..parts.len() {
        let Err(error) = parts[at].transaction.commit() else { continue };
        let status = match parts[at].writer {
            Writer::Group(_) => SetStatus::CommitFailed,
            Writer::Region(_) => status_of(error.check),
        };
        let mut outcome = failure(status, error, &parts[at].bindings);
        for part in parts[..=at].iter_mut().rev() {
            if let Err(error) = part.transaction.undo() {
                outcome = failure(SetStatus::UndoFailed, error, &part.bindings);
            }
        }
        return Err(outcome);
    }
    Ok(())
}

/// The audit: a provider can only blame a binding that it was given.
fn failure(status: SetStatus, error: SetError, given: &[usize]) -> SetFailure {
    let blamed = given.contains(&error.binding).then_some(error.binding);
    let binding = blamed.or(given.first().copied()).unwrap_or(0);
    SetFailure { binding, status, reason: error.reason }
}

fn status_of(check: SetCheck) -> SetStatus {
    match check {
        SetCheck::NoAccess => SetStatus::NoAccess,
        SetCheck::WrongType => SetStatus::WrongType,
        SetCheck::WrongValue => SetStatus::WrongValue,
        SetCheck::WrongLength => SetStatus::WrongLength,
        SetCheck::NoCreation => SetStatus::NoCreation,
        SetCheck::InconsistentName => SetStatus::InconsistentName,
        SetCheck::NotWritable => SetStatus::NotWritable,
        SetCheck::InconsistentValue => SetStatus::InconsistentValue,
        SetCheck::ResourceUnavailable => SetStatus::ResourceUnavailable,
        SetCheck::CommitFailed => SetStatus::CommitFailed,
    }
}
