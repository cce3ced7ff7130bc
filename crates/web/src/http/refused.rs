//! Why a request of SOAP has no answer but a fault, at each of its doors.

use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_transport::http::{HttpResponse, StatusCode};

use super::{Asker, NoAccess};

/// Why a request has no answer but a fault.
pub(crate) enum Refused {
    Fault(Box<Fault>),
    NoAccess(NoAccess),
}

impl<F: Into<Fault>> From<F> for Refused {
    fn from(fault: F) -> Self {
        Refused::Fault(Box::new(fault.into()))
    }
}

impl Refused {
    /// The answer, with its fault as the door writes it.
    pub(crate) fn answer(self, write: impl FnOnce(&Fault) -> HttpResponse) -> HttpResponse {
        match self {
            Refused::Fault(fault) => write(&fault),
            Refused::NoAccess(no_access) => {
                let kind = match no_access.status() {
                    StatusCode::UNAUTHORIZED => FaultKind::Unauthorized,
                    _ => FaultKind::Forbidden,
                };
                let mut fault = Fault::new(kind, no_access.to_string());
                if no_access == NoAccess::Forwarded {
                    fault = fault.about("community");
                }
                no_access.answer(write(&fault))
            }
        }
    }
}

/// A request with a principal must not have a community.
///
/// # Errors
/// [`two_identities`]
pub(crate) fn one_identity(asker: &Asker, community: Option<impl AsRef<[u8]>>) -> Result<(), Fault> {
    if matches!(asker, Asker::Principal(_)) && community.is_some() { Err(two_identities()) } else { Ok(()) }
}

/// The fault for a community together with a principal.
#[must_use]
pub fn two_identities() -> Fault {
    let reason = "a community together with an HTTP principal: leave one of them out";
    Fault::new(FaultKind::TwoIdentities, reason)
}
