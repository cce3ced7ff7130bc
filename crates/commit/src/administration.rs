//! Administrative roles: who may change a part of `/rbac` without the right to change all of it, and nothing that gives more than they have themselves.

use std::borrow::Cow;
use std::collections::BTreeSet;

use trunkline_config::admin_string;
use trunkline_core::Core;
use trunkline_datastore::{Change, Config, Step};
use trunkline_nacm::{Rbac, RbacUser, rbac_place};
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_tree::policy::{Policy, Principal, ViewType};
use trunkline_tree::{SetCheck, SetError};
use trunkline_yang::forest::{Forest, NodeId};

use crate::{RbacSource, plan, role_roots};

/// A change that is not an administrator's, and where it is.
pub type Denied = (RpcError, Vec<Step>);

/// The policy of data, and the one that holds.
type Both<'p> = (Cow<'p, Policy>, Cow<'p, Policy>);

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
        let [keys, root] = role_roots(forest);
        let (keys, root) = keys.zip(root).filter(|_| !roles.is_empty())?;
        Some(Administration { forest, source, root, keys, principal, policy, roles })
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
        let policy = self.source.policy_with(&is).map_err(|error| unfit(&error, place()))?;
        let policy = self.with_set_rows(policy);
        let named = self.named(&is, &policy).map_err(|error| unfit(&error, place()))?;
        for role in &touched {
            self.check_administered(role, &policy)?;
            let gives_at_most =
                |policy: &Policy, own: &Policy| policy.gives_at_most(role.as_bytes(), own, &self.principal);
            let is_so_by_name = named.as_ref().is_none_or(|(policy, own)| gives_at_most(policy, own));
            if !is_so_by_name || !gives_at_most(&policy, &self.policy) {
                let message = format!(
                    "the role {role} would have rights that you do not have yourself: nothing is changed"
                );
                return Err((denied(&message), place()));
            }
        }
        self.check_denials(&was, &is, &touched)
    }

    /// The policy of this data and that which holds, with rows of interfaces by their names: a rule for an interface that is not there is one as well, and
    /// numbers may be those of other interfaces tomorrow. `None`: no rule names one. `policy`: that of this data with rows by their numbers, which
    /// is the same where no rule of it names one.
    fn named<'p>(&'p self, is: &Rbac, policy: &'p Policy) -> Result<Option<Both<'p>>, SetError> {
        let named = self.source.policy_by_name(is)?;
        let own = self.source.policy_by_name(&self.source.now())?;
        if named.is_none() && own.is_none() {
            return Ok(None);
        }
        let [named, own] = [named, own].map(|it| it.map(|policy| self.with_set_rows(policy)));
        let or = |named: Option<Policy>, other: &'p Policy| named.map_or(Cow::Borrowed(other), Cow::Owned);
        Ok(Some((or(named, policy), or(own, &self.policy))))
    }

    /// A policy with what holds beside data: managers may have set rows of access for the group of a role.
    fn with_set_rows(&self, policy: Policy) -> Policy {
        let mut policy = policy.with_set_rows(&self.policy.set_rows());
        policy.contexts.extend(self.policy.contexts.iter().cloned());
        policy
    }

    /// Refuses to hand on the administration of roles: to one that had it not, or that of others than one's own.
    fn check_administered(&self, role: &str, policy: &Policy) -> Result<(), Denied> {
        let name = admin_string(role);
        let had = self.policy.administered_through(&name);
        let has = policy.administered_through(&name);
        let beyond = has.iter().find(|it| !had.contains(*it) || !self.roles.contains(&it.to_string()));
        let Some(beyond) = beyond else { return Ok(()) };
        let message = format!(
            "the role {role} would administer {beyond}, which an administrator of a part cannot give: nothing is changed"
        );
        Err((denied(&message), vec![Step::to(self.root)]))
    }

    /// Refuses denials that take rights away beyond the administered roles: denials that come must be of those alone who have these roles and no others.
    fn check_denials(&self, was: &Rbac, is: &Rbac, touched: &BTreeSet<String>) -> Result<(), Denied> {
        let narrowed = |list: &str, name: &str, role: &str| {
            let message = format!(
                "denials of the role {role} would take rights from the {list} {name}, which is not administered by you alone: nothing is changed"
            );
            let place = rbac_place(self.forest, list, name).unwrap_or_else(|| vec![Step::to(self.root)]);
            Err((denied(&message), place))
        };
        for role in touched {
            let denials = self.denials(is, role);
            let had = self.denials(was, role);
            let is_narrower = !denials.is_subset(&had);
            let heirs = heirs(is, role);
            if let Some(heir) = heirs.iter().find(|heir| is_narrower && !self.roles.contains(**heir)) {
                return narrowed("role", heir, role);
            }
            for user in &is.users {
                let before = was.users.iter().find(|known| known.name == user.name);
                let has = |user: &RbacUser| user.roles.iter().any(|of| heirs.contains(of.as_str()));
                let is_new = !before.is_some_and(has);
                let is_ours = user.roles.iter().all(|role| self.roles.contains(role));
                if has(user) && !is_ours && (is_narrower || is_new && !denials.is_empty()) {
                    return narrowed("user", &user.name, role);
                }
            }
        }
        Ok(())
    }

    /// What a role takes away, with all that it inherits.
    fn denials<'r>(&self, rbac: &'r Rbac, role: &'r str) -> BTreeSet<(&'static str, &'r str)> {
        let mut found = BTreeSet::new();
        for name in within(role, |name| juniors(rbac, name)) {
            match rbac.roles.iter().find(|role| role.name == name) {
                Some(role) => {
                    let denied = role.permissions.iter().filter(|permission| !permission.permits);
                    found.extend(denied.map(|it| (word(it.to), it.resource.as_str())));
                }
                None if self.source.excludes(name) => drop(found.insert(("role", name))),
                None => {}
            }
        }
        found
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
            // A container that comes or goes means nothing alone: what is in it are changes of their own.
            return if change.before.is_none() || change.after.is_none() { Ok(()) } else { refuse() };
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
        if self.source.is_set_elsewhere(&name) {
            let message = format!(
                "{name} has a group that others have set, in vacmSecurityToGroupTable: there is no right to change its roles"
            );
            return Err((denied(&message), change.path.clone()));
        }
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

/// What cannot be a policy.
fn unfit(error: &SetError, place: Vec<Step>) -> Denied {
    match error.check {
        SetCheck::ResourceUnavailable => (plan::refused_policy(error, &[]), place),
        _ => (denied(&format!("there is no right to change it: {}", error.reason)), place),
    }
}

/// A role and all that it inherits.
fn within<'r>(role: &'r str, below: impl Fn(&str) -> &'r [String]) -> BTreeSet<&'r str> {
    let (mut open, mut all) = (vec![role], BTreeSet::new());
    while let Some(next) = open.pop() {
        if all.insert(next) {
            open.extend(below(next).iter().map(String::as_str));
        }
    }
    all
}

fn juniors<'r>(rbac: &'r Rbac, name: &str) -> &'r [String] {
    rbac.roles.iter().find(|role| role.name == name).map_or(&[], |role| &role.juniors)
}

/// A role and all that inherit it.
fn heirs<'r>(rbac: &'r Rbac, role: &'r str) -> BTreeSet<&'r str> {
    let mut all = BTreeSet::from([role]);
    loop {
        let known = all.len();
        let heirs =
            rbac.roles.iter().filter(|it| it.juniors.iter().any(|junior| all.contains(junior.as_str())));
        let heirs: Vec<&str> = heirs.map(|heir| heir.name.as_str()).collect();
        all.extend(heirs);
        if all.len() == known {
            return all;
        }
    }
}

const fn word(to: ViewType) -> &'static str {
    match to {
        ViewType::Read => "read",
        ViewType::Write => "write",
        ViewType::Notify => "notify",
    }
}

fn refused(errors: Vec<RpcError>, root: NodeId) -> Denied {
    let error = errors.into_iter().next().unwrap_or_else(|| denied("there is no right to change it"));
    (error, vec![Step::to(root)])
}

fn denied(message: &str) -> RpcError {
    RpcError::new(Layer::Protocol, Tag::AccessDenied, message)
}
