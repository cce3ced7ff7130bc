//! Whether a session may make a change: by its own rights, as an administrator of roles, and while a commit waits to be confirmed.

use std::slice;

use trunkline_commit::role_roots;
use trunkline_datastore::{Change, Config, changes};
use trunkline_yang::forest::NodeId;

use super::super::nacm::{self, DeniedChange};
use super::super::permission::{self, check_changes};
use super::{Configuring, Errors};

impl Configuring<'_> {
    /// What changes, if all of it may.
    pub(super) fn may_change(&self, before: &Config, after: &Config) -> Result<Vec<Change>, Errors> {
        let changed = changes(before, after);
        let checked = check_changes(self.forest(), &changed, &self.access);
        let checked = checked.or_else(|change| {
            let administration = self.door.administration(self.principal.as_principal()).ok_or(change)?;
            let is_own = |change: &&Change| {
                change.path.first().is_some_and(|it| administration.roots().contains(&it.node))
            };
            let others: Vec<Change> = changed.iter().filter(|it| !is_own(it)).cloned().collect();
            check_changes(self.forest(), &others, &self.access)?;
            let own: Vec<Change> = changed.iter().filter(is_own).cloned().collect();
            let checked = administration.check(before, after, &own);
            checked.map_err(|(error, place)| DeniedChange { error, place })
        });
        checked.map_err(|change| self.denied(change))?;
        Ok(changed)
    }

    /// Whether roles or their keys change.
    pub(super) fn is_of_roles(&self, changed: &[Change]) -> bool {
        let roots = role_roots(self.forest());
        changed.iter().any(|change| change.path.first().is_some_and(|it| roots.contains(&Some(it.node))))
    }

    /// Whether this session may try changes of roles and keys in a commit that waits to be confirmed: who has its rights from the roles themselves would have
    /// them again when such a commit ends, whatever was taken from it meanwhile.
    pub(super) fn may_try_roles(&self) -> bool {
        let rbac = self.door.datastores.rbac().map(|source| source.now());
        let has =
            rbac.is_some_and(|it| it.users.iter().any(|it| it.name.as_bytes() == &*self.principal.name));
        let is_acting = self.principal.acting.is_some();
        !has && !is_acting && permission::may_write_all(self.forest(), &self.access)
    }

    /// Whether what will be there when a commit of another session is taken back is within this session's rights too.
    pub(super) fn may_last(&self, before: &Config, after: &Config) -> Result<(), Errors> {
        let of_roles: Vec<Change> =
            changes(before, after).into_iter().filter(|it| self.is_of_roles(slice::from_ref(it))).collect();
        let Err(change) = check_changes(self.forest(), &of_roles, &self.access) else { return Ok(()) };
        let administration = self
            .door
            .administration(self.principal.as_principal())
            .ok_or(change)
            .map_err(|it| self.denied(it))?;
        administration
            .check(before, after, &of_roles)
            .map_err(|(error, place)| self.denied(DeniedChange { error, place }))
    }

    /// The roots of the access policy and of keys, for those who administer a part of it: what they may change of it is seen when it is known what changes.
    pub(super) fn administered(&self) -> Vec<NodeId> {
        let administration = self.door.administration(self.principal.as_principal());
        administration.map_or(Vec::new(), |it| it.roots().to_vec())
    }

    /// A change is denied.
    pub(super) fn denied(&self, change: DeniedChange) -> Errors {
        vec![nacm::note_denied(self.door, self.principal.as_principal(), change)]
    }
}
