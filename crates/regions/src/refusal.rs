//! Refusals of sets by other agents and by subagents.

use trunkline_snmp::wire::ErrorStatus;
use trunkline_tree::SetCheck;

/// From the other agent's refusal to our SetCheck.
pub(crate) fn check_of(status: ErrorStatus) -> SetCheck {
    match status {
        ErrorStatus::NoAccess | ErrorStatus::AuthorizationError => SetCheck::NoAccess,
        ErrorStatus::NotWritable | ErrorStatus::ReadOnly => SetCheck::NotWritable,
        ErrorStatus::WrongType => SetCheck::WrongType,
        ErrorStatus::WrongLength => SetCheck::WrongLength,
        ErrorStatus::WrongValue | ErrorStatus::WrongEncoding | ErrorStatus::BadValue => SetCheck::WrongValue,
        ErrorStatus::NoCreation | ErrorStatus::NoSuchName => SetCheck::NoCreation,
        ErrorStatus::InconsistentName => SetCheck::InconsistentName,
        ErrorStatus::InconsistentValue => SetCheck::InconsistentValue,
        ErrorStatus::ResourceUnavailable | ErrorStatus::TooBig => SetCheck::ResourceUnavailable,
        _ => SetCheck::CommitFailed,
    }
}
