//! Whether a target may be sent a notification (RFC 3413 section 3.3, steps 2 and 3): the notification itself and
//! every object in it must be in the target's notify view, or nothing is sent.

use std::fmt;

use trunkline_smi::display_oid;

use super::{Denied, Guard, Principal, ViewType};
use crate::Access;

/// Why a notification is not sent to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Withheld<'n> {
    /// The error indication of RFC 3415.
    pub denied: Denied,
    /// With [`Denied::NotInView`]: the name that is not in the view.
    pub name: Option<&'n [u32]>,
}

impl Access {
    /// Whether a notification may be sent: `notification` is the value of snmpTrapOID.0, `names` are the names of
    /// its variable bindings. sysUpTime.0 and snmpTrapOID.0 among them are skipped: every notification has them,
    /// and the value of the second one is checked itself.
    ///
    /// # Errors
    /// The first of them that is not in the notify view.
    pub fn may_notify_all<'n>(
        &self,
        notification: &'n [u32],
        names: impl IntoIterator<Item = &'n [u32]>,
    ) -> Result<(), &'n [u32]> {
        let told = names.into_iter().filter(|name| *name != SYS_UP_TIME && *name != SNMP_TRAP_OID);
        std::iter::once(notification).chain(told).find(|name| !self.may_notify(name)).map_or(Ok(()), Err)
    }
}

impl Guard {
    /// Whether a notification may be sent to a target that these are the parameters of; see
    /// [`Access::may_notify_all`].
    ///
    /// # Errors
    /// Why not.
    pub fn check_notification<'n>(
        &self,
        principal: &Principal<'_>,
        context: &[u8],
        notification: &'n [u32],
        names: impl IntoIterator<Item = &'n [u32]>,
    ) -> Result<(), Withheld<'n>> {
        let access = self.access(principal, context, ViewType::Notify);
        let access = access.map_err(|denied| Withheld { denied, name: None })?;
        let withheld = |name| Withheld { denied: Denied::NotInView, name: Some(name) };
        access.may_notify_all(notification, names).map_err(withheld)
    }
}

impl fmt::Display for Withheld<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.denied)?;
        self.name.map_or(Ok(()), |name| write!(f, ": {}", display_oid(name)))
    }
}

impl std::error::Error for Withheld<'_> {}

const SYS_UP_TIME: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 3, 0];
const SNMP_TRAP_OID: &[u32] = &[1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0];
