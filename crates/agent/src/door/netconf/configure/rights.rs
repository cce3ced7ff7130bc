//! Whether a session may make a change: by its own rights, as an administrator of roles, and while a commit waits to be confirmed.

use trunkline_commit::{Administration, is_of_rights, role_roots};
use trunkline_datastore::{Change, Config, changes, path};
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_yang::forest::NodeId;

use super::super::nacm::{self, DeniedChange};
use super::super::permission::{self, check_changes};
use super::{Configuring, Errors};

impl Configuring<'_> {
    /// What changes, if all of it may.
    pub(super) fn may_change(&self, before: &Config, after: &Config) -> Result<Vec<Change>, Errors> {
        let changed = changes(before, after);
        self.check(before, after, &changed)?;
        Ok(changed)
    }

    /// Refuses changes that are neither within this session's rights nor, of roles and keys, within the part that it administers.
    fn check(&self, before: &Config, after: &Config, changed: &[Change]) -> Result<(), Errors> {
        let checked = check_changes(self.forest(), changed, &self.access).or_else(|change| {
            let administration = self.administration().ok_or(change)?;
            let (of_roles, others) = self.parted(changed);
            check_changes(self.forest(), &others, &self.access)?;
            let checked = administration.check(before, after, &of_roles);
            checked.map_err(|(error, place)| DeniedChange { error, place })
        });
        checked.map_err(|change| self.denied(change))
    }

    /// Changes of roles and their keys, and the others.
    fn parted(&self, changed: &[Change]) -> (Vec<Change>, Vec<Change>) {
        changed.iter().cloned().partition(|change| self.is_of_roles(change))
    }

    /// Whether a change is one of roles or their keys.
    fn is_of_roles(&self, change: &Change) -> bool {
        let roots = role_roots(self.forest());
        change.path.first().is_some_and(|it| roots.contains(&Some(it.node)))
    }

    /// Refuses to have changes of rights wait to be confirmed.
    pub(super) fn may_wait(&self, changed: &[Change]) -> Result<(), Errors> {
        let found = changed.iter().find(|change| is_of_rights(self.forest(), change));
        let Some(change) = found else { return Ok(()) };
        let message = "what gives rights takes no part in a confirmed commit: somebody may take meanwhile what its end would bring back. \
                       Commit without `confirmed`";
        let error = RpcError::new(Layer::Protocol, Tag::OperationNotSupported, message);
        let is_known = permission::may_know(self.forest(), &change.path, &self.access);
        Err(vec![if is_known { error.at(path(self.forest(), &change.path)) } else { error }])
    }

    /// The roots of the access policy and of keys, for those who administer a part of it: what they may change of it is seen when it is known what changes.
    pub(super) fn administered(&self) -> Vec<NodeId> {
        let roots = self.administration().map(|_| role_roots(self.forest()));
        roots.into_iter().flatten().flatten().collect()
    }

    fn administration(&self) -> Option<Administration<'_>> {
        self.door.administration(self.principal.as_principal())
    }

    /// A change is denied.
    pub(super) fn denied(&self, change: DeniedChange) -> Errors {
        vec![nacm::note_denied(self.door, self.principal.as_principal(), change)]
    }
}
