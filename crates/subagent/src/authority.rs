//! By whose rights the master reads and sets.

use std::sync::Arc;

use trunkline_core::{Core, Settings};
use trunkline_tree::Access;
use trunkline_tree::policy::{OwnedPrincipal, ViewType};

/// A user of SNMPv3, or nobody in particular: then everything that is registered is read, and nothing set.
pub(crate) struct Authority(Option<OwnedPrincipal>);

impl Authority {
    /// Of a configured user.
    pub fn new(user: Option<&str>) -> Self {
        Authority(user.map(OwnedPrincipal::of_user))
    }

    /// What may be read; `None`: nothing.
    pub fn read(&self, core: &Core, settings: &Settings) -> Option<Arc<Access>> {
        match &self.0 {
            None => Some(settings.served().own_access().clone()),
            Some(user) => core.access_of(settings, user, &[], ViewType::Read).ok(),
        }
    }

    /// Who sets, and what they may set; `None`: nothing.
    pub fn write(&self, core: &Core, settings: &Settings) -> Option<(&OwnedPrincipal, Arc<Access>)> {
        let user = self.0.as_ref()?;
        Some((user, core.access_of(settings, user, &[], ViewType::Write).ok()?))
    }
}
