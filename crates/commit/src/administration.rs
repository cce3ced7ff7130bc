//! Administrative roles: who may change a part of `/rbac` without the right to change all of it, and nothing that gives more than they have themselves.

use std::collections::BTreeSet;

use trunkline_core::Core;
use trunkline_datastore::{Change, Config, Step};
use trunkline_nacm::{Rbac, rbac_root};
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_tree::policy::{Policy, Principal};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::KEYS;

use crate::RbacSource;

/// A change that is not an administrator's, and where it is.
pub type Denied = (RpcError, Vec<Step>);

/// What somebody may change of the access policy.
pub struct Administration<'a> {
    forest: &'a Forest,
    source: &'a RbacSource,
    root: NodeId,
    /// The keys of roles and users.
    keys: NodeId,
    principal: Principal<'a>,
    /// The policy that holds now.
    policy: std::sync::Arc<Policy>,
    /// The roles.
    roles: BTreeSet<String>,
}

impl<'a> Administration<'a> {
    /// Of somebody who administers a role.
    #[must_use]
    pub fn of(
        core: &Core,
        forest: &'a Forest,
        source: &'a RbacSource,
        principal: Principal<'a>,
    ) -> Option<Self> {
        let policy = core.settings().guard().policy().clone();
        let roles: BTreeSet<String> =
            policy.administered_by(&principal).iter().map(ToString::to_string).collect();
        let root = rbac_root(forest).filter(|_| !roles.is_empty())?;
        let keys = forest.child_of(None, KEYS.name, "keys")?;
        Some(Administration { forest, source, root, keys, principal, policy, roles })
    }

    /// Where its part of the policy is, and that of keys.
    #[must_use]
    pub const fn roots(&self) -> [NodeId; 2] {
        [self.root, self.keys]
    }

    /// Refuses changes of the policy that are beyond its part, or would give more than its own rights.
    ///
    /// # Errors
    /// The first such change; a part that exceeds the rights is refused whole.
    pub fn check(&self, before: &Config, after: &Config, changes: &[Change]) -> Result<(), Denied> {
        let read =
            |config: &Config| Rbac::read(self.forest, config).map_err(|errors| refused(errors, self.root));
        // What was there before may be a candidate that is not valid yet.
        let (was, is) = (read(before).unwrap_or_default(), read(after)?);
        let mut touched: BTreeSet<String> = BTreeSet::new();
        for change in changes {
            self.check_one(change, (&was, &is), &mut touched)?;
        }
        let place = || vec![Step::to(self.root)];
        let policy = self.source.policy_with(&is).map_err(|error| {
            (denied(&format!("there is no right to change it: {}", error.reason)), place())
        })?;
        for role in touched {
            if !policy.gives_at_most(role.as_bytes(), &self.policy, &self.principal) {
                let message = format!(
                    "the role {role} would have rights that you do not have yourself: nothing is changed"
                );
                return Err((denied(&message), place()));
            }
        }
        Ok(())
    }

    fn check_one(
        &self,
        change: &Change,
        (was, is): (&Rbac, &Rbac),
        touched: &mut BTreeSet<String>,
    ) -> Result<(), Denied> {
        let refuse = || {
            let error = denied("there is no right to change it");
            Err((error, change.path.clone()))
        };
        let [_, entry, rest @ ..] = &change.path[..] else {
            // A container that comes means nothing alone.
            return if change.before.is_none() { Ok(()) } else { refuse() };
        };
        let name = entry.keys.first().map(|name| name.to_string()).unwrap_or_default();
        let what = rest.first().map(|step| self.forest[step.node].name.as_str());
        if self.forest[entry.node].name == "role" {
            let is_ours = self.roles.contains(&name);
            // Whoever sets the keys of a role can act in it.
            let is_of_keys = change.path[0].node == self.keys;
            if !is_ours || !is_of_keys && !matches!(what, Some("permission" | "junior-role" | "level")) {
                return refuse();
            }
            touched.insert(name);
            return Ok(());
        }
        let roles = |rbac: &Rbac| -> BTreeSet<String> {
            let user = rbac.users.iter().find(|user| user.name == name);
            user.map(|user| user.roles.iter().cloned().collect()).unwrap_or_default()
        };
        let (had, has) = (roles(was), roles(is));
        let changed: BTreeSet<&String> = match what {
            Some("role") => had.symmetric_difference(&has).collect(),
            // The user itself, and its keys: of those alone who have no other roles.
            _ => had.union(&has).collect(),
        };
        if changed.is_empty() || !changed.iter().all(|role| self.roles.contains(*role)) {
            return refuse();
        }
        touched.extend(has.difference(&had).cloned());
        Ok(())
    }
}

fn refused(errors: Vec<RpcError>, root: NodeId) -> Denied {
    let error = errors.into_iter().next().unwrap_or_else(|| denied("there is no right to change it"));
    (error, vec![Step::to(root)])
}

fn denied(message: &str) -> RpcError {
    RpcError::new(Layer::Protocol, Tag::AccessDenied, message)
}
