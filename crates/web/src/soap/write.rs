//! Sets: all of them or none.

use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_soap::operation::Assignment;
use trunkline_tree::policy::OwnedPrincipal;
use trunkline_tree::{Access, SetBinding, SetFailure, SetStatus};

use trunkline_core::{NotSet, Settings};

pub(super) async fn set(
    settings: &Settings,
    access: &Access,
    principal: OwnedPrincipal,
    assignments: &[Assignment],
) -> Result<(), Fault> {
    let binding = |assignment: &Assignment| SetBinding {
        name: assignment.name.oid.clone(),
        value: Some(assignment.value.clone()),
    };
    let bindings: Vec<SetBinding> = assignments.iter().map(binding).collect();
    match settings.set(&principal.as_principal(), access, bindings).await {
        Ok(()) => Ok(()),
        Err(NotSet::Refused(failure)) => Err(refused(&failure, assignments)),
        Err(NotSet::Panicked | NotSet::Changed) => {
            Err(Fault::new(FaultKind::SourceFailed, "the set failed; the agent's log says why"))
        }
    }
}

fn refused(failure: &SetFailure, assignments: &[Assignment]) -> Fault {
    let name = assignments.get(failure.binding).map_or("", |assignment| assignment.name.text.as_str());
    let words = match failure.status {
        SetStatus::NoAccess => "may not be written by you",
        SetStatus::NotWritable => "cannot be written",
        SetStatus::WrongType => "is of another type",
        SetStatus::WrongLength => "cannot have this length",
        SetStatus::WrongValue => "cannot have this value",
        SetStatus::NoCreation => "does not exist and cannot be created",
        SetStatus::InconsistentName => "cannot be created now",
        SetStatus::InconsistentValue => "cannot have this value now",
        SetStatus::ResourceUnavailable => "cannot be written now",
        SetStatus::CommitFailed => "could not be written; nothing has changed",
        SetStatus::UndoFailed => "could not be written, and not all could be put back",
    };
    let kind = FaultKind::NotSet(failure.status);
    let fault = Fault::new(kind, format!("{name} {words}")).about(name).at(failure.binding);
    match assignments.get(failure.binding) {
        Some(assignment) => fault.oid(&assignment.name.oid),
        None => fault,
    }
}
