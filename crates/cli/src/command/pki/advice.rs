//! What to do about a fault of keys and certificates.

use std::io;

use trunkline_pki::Error as PkiError;

/// What to do about a fault, or empty.
pub fn advice(fault: &PkiError) -> &'static str {
    match fault {
        PkiError::NoAuthority { .. } => {
            "`trunkline pki init` creates one; --dir selects another directory; --self-signed needs none"
        }
        PkiError::Exists { path }
            if path.file_name().is_some_and(|name| name == "ca.key" || name == "ca.pem") =>
        {
            "the authority is created once; with --force a new one replaces it, and nothing that the old one signed is \
             trusted any more"
        }
        PkiError::Exists { .. } => "--force replaces it",
        PkiError::File { fault, .. } if fault.kind() == io::ErrorKind::PermissionDenied => {
            "is this the user that created the authority? --dir selects another directory"
        }
        PkiError::AlternativeName { expected: "host name", .. } => {
            "name an agent by the host name or address that managers use for it"
        }
        PkiError::Unknown { .. } => "`trunkline pki show` lists what exists",
        _ => "",
    }
}

/// Whether the command line is at fault.
pub fn is_usage(fault: &PkiError) -> bool {
    matches!(
        fault,
        PkiError::Name { .. }
            | PkiError::AlternativeName { .. }
            | PkiError::KeyKind { .. }
            | PkiError::Days { .. }
            | PkiError::Unknown { .. }
            | PkiError::Ambiguous { .. }
    )
}
