//! Whether a session may make a change: by its own rights, as an administrator of roles, and while a commit waits to be confirmed.

use std::collections::BTreeSet;

use trunkline_commit::{Administration, is_of_rights, role_roots};
use trunkline_datastore::{Change, Config, Item, Step, changes, path, with_secrets_of};
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_netconf::operation::{DefaultOperation, Place};
use trunkline_yang::forest::{Forest, NodeId};

use super::super::nacm::{self, DeniedChange};
use super::super::permission::{self, check_changes};
use super::{Configuring, Errors};

impl Configuring<'_> {
    /// Refuses an edit whose outcome would tell what somebody may not read.
    pub(super) fn check_operations(
        &self,
        content: Element<'_>,
        default: DefaultOperation,
    ) -> Result<(), Errors> {
        permission::check_operations(self.forest(), content, default, &self.administered(), &self.access)
            .map_err(|change| self.denied(change))
    }

    /// The same of a copy, which replaces everything.
    pub(super) fn check_copy(&self, source: Place<'_>) -> Result<(), Errors> {
        match source {
            Place::Config(content) => self.check_operations(content, DefaultOperation::Replace),
            Place::Datastore(_) | Place::Url(_) => {
                permission::check_replaced(self.forest(), &self.administered(), &self.access)
                    .map_err(|change| self.denied(change))
            }
        }
    }

    /// A configuration with the secrets that another one has of what this session may know to be there: those of the rest would tell that it is.
    pub(super) fn with_secrets_of(&self, config: &Config, other: &Config) -> Config {
        let (forest, access) = (self.forest(), &self.access);
        if self.administration().is_some() {
            return with_secrets_of(forest, config, other);
        }
        let known = trunkline_nacm::readable(forest, other, access, |steps| {
            permission::may_read(forest, steps, access)
                || permission::may_know_of_secret(forest, steps, access)
        });
        with_secrets_of(forest, config, &known)
    }

    /// What changes, if all of it may. A secret that is `given` counts as changed whatever it was: otherwise the rights, the locks and the commits that
    /// wait would tell whether a guess is right.
    pub(super) fn may_change(
        &self,
        before: &Config,
        after: &Config,
        given: &BTreeSet<Vec<Step>>,
    ) -> Result<Vec<Change>, Errors> {
        let mut changed = changes(before, after);
        let mut same = given.clone();
        for change in &changed {
            same.remove(&change.path);
        }
        changed.extend(same.into_iter().filter_map(|path| match after.at(&path) {
            Some(Item::Leaf(value)) => {
                Some(Change { before: Some(value.clone()), after: Some(value.clone()), path })
            }
            _ => None,
        }));
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

/// The secrets that edits give.
pub(super) fn secrets_of(forest: &Forest, contents: &[Element<'_>]) -> BTreeSet<Vec<Step>> {
    let mut found = BTreeSet::new();
    contents.iter().for_each(|it| permission::secrets_in(forest, *it, &mut Vec::new(), &mut found));
    found
}
