//! What to do about a fault of the authority of roles.

use trunkline_rbac::Error;

/// What to do about a fault, or empty.
pub fn advice(fault: &Error) -> &'static str {
    match fault {
        Error::NoAuthority { .. } => "`trunkline rbac init` creates one; --dir selects another directory",
        Error::Exists { .. } => "--dir selects another directory",
        Error::Unknown { what: "role", .. } => "`trunkline rbac role add` adds one",
        Error::Unknown { what: "user", .. } => "`trunkline rbac assign` gives a user the first role",
        Error::Unknown { .. } => "`trunkline rbac device list` lists what exists",
        Error::Taken { what: "device", .. } => "--name gives it another name",
        _ => "",
    }
}

/// Whether the command line is at fault.
pub fn is_usage(fault: &Error) -> bool {
    matches!(
        fault,
        Error::Name { .. }
            | Error::Reserved
            | Error::Unknown { .. }
            | Error::Taken { .. }
            | Error::NotMember { .. }
            | Error::PublicKey { .. }
            | Error::Policy { .. }
    )
}
