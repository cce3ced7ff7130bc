//! Sets: all of them or none.

use std::time::Instant;

use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_soap::operation::Assignment;
use trunkline_tree::{Requester, SetBinding, SetFailure, SetStatus};

use super::exchange::{Identity, Work};

pub(super) async fn set(
    work: &Work<'_>,
    identity: Identity,
    assignments: &[Assignment],
) -> Result<(), Fault> {
    let binding = |assignment: &Assignment| SetBinding {
        name: assignment.name.oid.clone(),
        value: Some(assignment.value.clone()),
    };
    let bindings: Vec<SetBinding> = assignments.iter().map(binding).collect();
    let (tree, access) = (work.served.tree.clone(), work.access.clone());
    let write = move || {
        let Identity { model, name, level } = &identity;
        let requester = Requester { model: *model, security_name: name, level: *level };
        tree.set_by(Some(&requester), &access, &bindings, Instant::now)
    };
    match tokio::task::spawn_blocking(write).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(failure)) => Err(refused(&failure, assignments)),
        Err(panic) => {
            tracing::error!(%panic, "a provider failed in a set");
            Err(Fault::new(FaultKind::SourceFailed, "the set failed; the agent's log says why"))
        }
    }
}

fn refused(failure: &SetFailure, assignments: &[Assignment]) -> Fault {
    let name = assignments.get(failure.binding).map_or("", |assignment| assignment.name.text.as_str());
    let (kind, words) = match failure.status {
        SetStatus::NoAccess => (FaultKind::NoAccess, "may not be written by you"),
        SetStatus::NotWritable => (FaultKind::NotWritable, "cannot be written"),
        SetStatus::WrongType => (FaultKind::WrongType, "is of another type"),
        SetStatus::WrongLength => (FaultKind::WrongLength, "cannot have so many octets"),
        SetStatus::WrongValue => (FaultKind::WrongValue, "cannot have this value"),
        SetStatus::NoCreation => (FaultKind::NoCreation, "does not exist and cannot be made"),
        SetStatus::InconsistentName => (FaultKind::InconsistentName, "cannot be made now"),
        SetStatus::InconsistentValue => (FaultKind::InconsistentValue, "cannot have this value now"),
        SetStatus::ResourceUnavailable => (FaultKind::ResourceUnavailable, "cannot be written now"),
        SetStatus::CommitFailed => (FaultKind::CommitFailed, "could not be written; nothing has changed"),
        SetStatus::UndoFailed => {
            (FaultKind::UndoFailed, "could not be written, and not all could be put back")
        }
    };
    if kind.code() == trunkline_soap::fault::Code::Receiver {
        tracing::warn!(%failure, "a set could not be made");
    } else {
        tracing::debug!(%failure, "refused a set");
    }
    let fault = Fault::new(kind, format!("{name} {words}")).about(name).at(failure.binding);
    match assignments.get(failure.binding) {
        Some(assignment) => fault.oid(&assignment.name.oid),
        None => fault,
    }
}
