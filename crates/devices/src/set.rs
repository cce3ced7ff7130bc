//! What a device says to a Set, or that it says nothing.

use std::time::Duration;

use trunkline_client::{Error, ErrorStatus};
use trunkline_smi::SetStatus;

use crate::link::is_refusal;

/// Why a device does not have the new value, or why nobody knows.
#[derive(Debug, thiserror::Error)]
pub enum NotSet {
    /// The access policy here does not let the principal.
    #[error("the access policy does not allow it")]
    Denied,
    /// Its protocol cannot set objects of MIB modules (RFC 6643 section 11).
    #[error("over NETCONF and RESTCONF, objects of MIB modules cannot be set")]
    Protocol,
    /// The instance has another value than it had.
    #[error("the value has changed meanwhile")]
    Changed,
    /// A row that was to be created was not there before, and is there now with other values.
    #[error("the row is there, with other values")]
    There,
    /// The same with these values, as far as the device shows them: not that of the instance at this position in the request.
    #[error(
        "the row is there; whether with all of these values is not known, since the device does not show them"
    )]
    Unshown(usize),
    /// It was refused, perhaps because the row that was to be created is there already, and that could not be read.
    #[error("the device refuses: {0}; whether the row is there is not known")]
    Doubtful(Error),
    /// There is no session.
    #[error("the device cannot be reached: {0}")]
    Unreachable(String),
    /// The value as it is now could not be read, so nothing was set.
    #[error("the device does not answer: {0}")]
    Unread(Error),
    /// The device has refused.
    #[error("the device refuses: {1}")]
    Refused(Refused, Error),
    /// There was no answer, or none that is understood: perhaps it was set.
    #[error("the device does not answer: {0}")]
    Unknown(Error),
    /// The answer took too long: perhaps it was set.
    #[error("no answer within {} s", .0.as_secs())]
    Late(Duration),
}

/// What a device that refuses says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// In the words of RFC 3416.
    Because(SetStatus),
    /// SNMPv1: the object is missing, or may not be set.
    NoSuchName,
    /// It has failed without saying more.
    Failed,
    /// Something else.
    Other,
}

impl NotSet {
    /// The instance that the device refuses, as a position in the request.
    #[must_use]
    pub fn binding(&self) -> Option<usize> {
        match self {
            NotSet::Refused(_, Error::Status { index, .. })
            | NotSet::Doubtful(Error::Status { index, .. }) => usize::try_from(*index).ok()?.checked_sub(1),
            NotSet::Unshown(binding) => Some(*binding),
            _ => None,
        }
    }

    /// What follows of an error of a Set.
    pub(crate) fn by(error: Error) -> NotSet {
        let refused = match &error {
            Error::Status { status, .. } => Refused::of(*status),
            Error::Fault { fault } => {
                let word = fault.kind.word();
                let status = SetStatus::ALL.into_iter().find(|status| status.name() == word);
                status.map_or(Refused::Other, Refused::Because)
            }
            error if is_refusal(error) => Refused::Other,
            _ => return NotSet::Unknown(error),
        };
        NotSet::Refused(refused, error)
    }
}

impl Refused {
    /// By an error-status of SNMP.
    fn of(code: i32) -> Refused {
        let same = SetStatus::ALL.into_iter().find(|status| ErrorStatus::from(*status).code() == code);
        match (same, usize::try_from(code).ok().and_then(|code| ErrorStatus::ALL.get(code))) {
            (Some(status), _) => Refused::Because(status),
            (None, Some(ErrorStatus::NoSuchName)) => Refused::NoSuchName,
            (None, Some(ErrorStatus::BadValue | ErrorStatus::WrongEncoding)) => {
                Refused::Because(SetStatus::WrongValue)
            }
            (None, Some(ErrorStatus::ReadOnly)) => Refused::Because(SetStatus::NotWritable),
            (None, Some(ErrorStatus::AuthorizationError)) => Refused::Because(SetStatus::NoAccess),
            (None, Some(ErrorStatus::GenErr)) => Refused::Failed,
            _ => Refused::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_of_all_versions_are_known() {
        for (code, expected) in [
            (2, Refused::NoSuchName),
            (3, Refused::Because(SetStatus::WrongValue)),
            (4, Refused::Because(SetStatus::NotWritable)),
            (5, Refused::Failed),
            (6, Refused::Because(SetStatus::NoAccess)),
            (10, Refused::Because(SetStatus::WrongValue)),
            (16, Refused::Because(SetStatus::NoAccess)),
            (17, Refused::Because(SetStatus::NotWritable)),
            (1, Refused::Other),
            (-1, Refused::Other),
            (99, Refused::Other),
        ] {
            assert_eq!(Refused::of(code), expected, "{code}");
        }
    }
}
