//! What `/rbac` lies over: the roles of the configuration file and those that are configured as data, which together are the access policy.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use trunkline_admin::{StateError, VacmGroup};
use trunkline_config::{admin_string, joined, precedence};
use trunkline_nacm::{Rbac, RbacRole};
use trunkline_tree::policy::{
    AdminString, ContextMatch, Member, Policy, Role, RoleError, RoleGrant, Roles, SecurityModel, ViewSource,
    ViewType,
};
use trunkline_tree::{Family, SetCheck, SetError, SetTransaction, View};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::RBAC;

use crate::{kept, rbac_size};

/// A path that is permitted, or taken away.
#[derive(Clone, Debug)]
pub struct PathOfPermission {
    /// The path.
    pub path: String,
    /// Whether it is permitted.
    pub permits: bool,
    /// What may be done.
    pub to: ViewType,
}

/// How rows of interfaces are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interfaces {
    /// By their numbers at present: what is in force.
    Numbered,
    /// By their names, whether they are there or not: rules that are compared as rules.
    Named,
}

/// The roles of the configuration file.
#[derive(Clone, Debug, Default)]
pub struct FileRoles {
    /// Those that are in force.
    pub now: Roles,
    /// The same with rows of interfaces by their names; `None`: as they are in force.
    pub named: Option<Roles>,
}

/// Finds the subtrees of paths, or says why there are none.
pub type FindSubtrees =
    Box<dyn Fn(&[PathOfPermission], Interfaces) -> Vec<Result<Vec<Family>, String>> + Send + Sync>;

/// What of `/rbac` is kept in an agent's folder.
///
/// # Errors
/// It cannot be read.
pub fn kept_rbac(directory: &Path, forest: &Forest) -> Result<Rbac, StateError> {
    let running = kept::running(directory, forest)?;
    Rbac::read(forest, &running).map_err(|errors| {
        let message = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        StateError::Damaged { path: directory.to_owned(), message }
    })
}

/// A part of `/rbac` that is not in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The role or user.
    pub what: String,
    /// Where it is.
    pub place: String,
    /// The permissions of a role, which are not in force either.
    pub permissions: Vec<String>,
    /// What it contradicts.
    pub reason: String,
}

impl Contradiction {
    fn new(list: &str, name: &str, permissions: Vec<String>, reason: &str) -> Self {
        let place = format!("/{}:rbac/{list}[name='{name}']", RBAC.name);
        Contradiction { what: format!("{list} {name}"), place, permissions, reason: reason.to_owned() }
    }
}

/// The access policy of the configuration file and of the data.
pub struct RbacSource {
    vacm: Arc<VacmGroup>,
    find: FindSubtrees,
    base: Mutex<Arc<FileRoles>>,
    now: ArcSwap<Rbac>,
}

impl RbacSource {
    /// Over the tables of VACM, which show the configuration file's roles already.
    #[must_use]
    pub fn new(vacm: Arc<VacmGroup>, base: FileRoles, find: FindSubtrees) -> Arc<Self> {
        Arc::new(RbacSource { vacm, find, base: Mutex::new(Arc::new(base)), now: ArcSwap::default() })
    }

    /// What is configured as data now: permissions and users.
    #[must_use]
    pub fn now(&self) -> Arc<Rbac> {
        self.now.load_full()
    }

    /// Applies the roles of another configuration file, or the same where paths stand for other rows. What of `/rbac` contradicts the file is not
    /// in force as long as it does.
    pub fn configure(&self, base: FileRoles) {
        self.replace(Arc::new(base));
    }

    fn replace(&self, base: Arc<FileRoles>) {
        let mut held = self.base();
        match self.in_force(&base.now, &self.now()) {
            Ok((policy, left_out)) => {
                left_out.iter().for_each(report);
                self.vacm.configure(&policy);
            }
            Err(error) => tracing::error!(%error, "the access policy stays as it was"),
        }
        *held = base;
    }

    /// The same with the configuration file's roles as they are.
    pub fn refresh(&self) {
        let base = self.base().clone();
        self.replace(base);
    }

    /// Whether this data and the configuration file make a policy.
    ///
    /// # Errors
    /// Why not; the binding is the position of the role, or behind all roles that of the user.
    pub fn check(&self, rbac: &Rbac) -> Result<(), SetError> {
        self.policy_with(rbac).map(drop)
    }

    /// The policy that this data would make with the configuration file's roles.
    ///
    /// # Errors
    /// As [`RbacSource::check`].
    pub fn policy_with(&self, rbac: &Rbac) -> Result<Policy, SetError> {
        let base = self.base().clone();
        self.policy(&base.now, rbac, Interfaces::Numbered)
    }

    /// The same with rows of interfaces by their names. `None`: no rule of either names one.
    ///
    /// # Errors
    /// As [`RbacSource::check`].
    pub fn policy_by_name(&self, rbac: &Rbac) -> Result<Option<Policy>, SetError> {
        let base = self.base().clone();
        if base.named.is_none() && !rbac.has_paths() {
            return Ok(None);
        }
        self.policy(base.named.as_ref().unwrap_or(&base.now), rbac, Interfaces::Named).map(Some)
    }

    /// Whether a user has a group that neither the configuration file nor `/rbac` has given, also if it has another one at present.
    #[must_use]
    pub fn is_set_elsewhere(&self, user: &str) -> bool {
        self.vacm.is_set(SecurityModel::TSM, user.as_bytes())
    }

    /// Whether a role of the configuration file, which a role that is data may inherit, excludes anything.
    #[must_use]
    pub fn excludes(&self, role: &str) -> bool {
        let base = self.base().clone();
        let roles = &base.now;
        let mut open = vec![admin_string(role)];
        let mut seen = BTreeSet::new();
        while let Some(name) = open.pop() {
            let Some(role) = roles.roles.iter().find(|role| role.name == name) else { continue };
            if rbac_size::views(roles, role).any(|view| view.families().iter().any(|it| !it.included)) {
                return true;
            }
            open.extend(role.inherits.iter().filter(|junior| seen.insert((*junior).clone())).cloned());
        }
        false
    }

    /// The policy of this data and the configuration file's roles, and what of the data contradicts the file: that is not in force, nor is what
    /// rests on it.
    ///
    /// # Errors
    /// The file's roles make no policy.
    pub fn policy_without(&self, rbac: &Rbac) -> Result<(Policy, Vec<Contradiction>), RoleError> {
        let base = self.base().clone();
        self.in_force(&base.now, rbac)
    }

    fn in_force(&self, base: &Roles, rbac: &Rbac) -> Result<(Policy, Vec<Contradiction>), RoleError> {
        let mut left_out = Vec::new();
        let mut names = BTreeSet::new();
        let mut rest = rbac.clone();
        loop {
            let error = match self
                .together(base, &rest, Interfaces::Numbered, &names)
                .and_then(|roles| compiled(&roles, &rest))
            {
                Ok(policy) => return Ok((policy, left_out)),
                Err(error) => error,
            };
            let (at, reason) = (error.binding, error.reason);
            if at < rest.roles.len() {
                let RbacRole { name, permissions, .. } = rest.roles.remove(at);
                let permissions = permissions.into_iter().map(|permission| permission.name).collect();
                left_out.push(Contradiction::new("role", &name, permissions, &reason));
                // Whoever has it among others might have more without it.
                rest.users.retain(|user| {
                    let has = user.roles.contains(&name);
                    if has {
                        left_out.push(Contradiction::new("user", &user.name, vec![], &reason));
                    }
                    !has
                });
                names.insert(name);
            } else if at - rest.roles.len() < rest.users.len() {
                let name = rest.users.remove(at - rest.roles.len()).name;
                left_out.push(Contradiction::new("user", &name, vec![], &reason));
            } else {
                return Ok((base.compile()?, left_out));
            }
        }
    }

    /// First phase of a change to this data.
    ///
    /// # Errors
    /// As [`RbacSource::check`].
    pub fn prepare(self: &Arc<Self>, rbac: &Rbac) -> Result<Box<dyn SetTransaction>, SetError> {
        self.check(rbac)?;
        Ok(self.swapped(rbac, false))
    }

    /// The same for what was in force before: what of it contradicts the configuration file by now is left out, and the log says so.
    pub fn prepare_kept(self: &Arc<Self>, rbac: &Rbac) -> Box<dyn SetTransaction> {
        self.swapped(rbac, true)
    }

    fn swapped(self: &Arc<Self>, rbac: &Rbac, is_kept: bool) -> Box<dyn SetTransaction> {
        let (before, after) = (self.now(), Arc::new(rbac.clone()));
        Box::new(Swapped { source: self.clone(), before, after, is_kept })
    }

    fn base(&self) -> MutexGuard<'_, Arc<FileRoles>> {
        self.base.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn policy(&self, base: &Roles, rbac: &Rbac, interfaces: Interfaces) -> Result<Policy, SetError> {
        self.together(base, rbac, interfaces, &BTreeSet::new()).and_then(|roles| compiled(&roles, rbac))
    }

    /// All roles and members. `without`: roles of the data that are not in force; one of the same name in the configuration file is another one.
    fn together(
        &self,
        base: &Roles,
        rbac: &Rbac,
        interfaces: Interfaces,
        without: &BTreeSet<String>,
    ) -> Result<Roles, SetError> {
        rbac_size::check_entries(rbac)?;
        let mut all = base.clone();
        let mut found = self.subtrees(rbac, interfaces).into_iter();
        let is_known = |name: &str| {
            !without.contains(name)
                && (base.roles.iter().any(|role| role.name.octets() == name.as_bytes())
                    || rbac.roles.iter().any(|role| role.name == name))
        };
        let no_such = |name: &str| match without.contains(name) {
            true => format!("the role {name} is not in force"),
            false => format!("there is no role {name}"),
        };
        for (at, role) in rbac.roles.iter().enumerate() {
            if base.roles.iter().any(|known| known.name.octets() == role.name.as_bytes()) {
                return Err(wrong(at, format!("{} is a role of the agent's configuration file", role.name)));
            }
            if let Some(unknown) = role.juniors.iter().chain(&role.administers).find(|name| !is_known(name)) {
                return Err(wrong(at, no_such(unknown)));
            }
            all.roles.push(Role {
                name: admin_string(&role.name),
                inherits: role.juniors.iter().map(|name| admin_string(name)).collect(),
                administers: role.administers.iter().map(|name| admin_string(name)).collect(),
                level: role.level,
                grants: vec![grant(role, &mut found).map_err(|message| wrong(at, message))?],
                separate: false,
            });
        }
        for (at, user) in rbac.users.iter().enumerate() {
            let at = rbac.roles.len() + at;
            if let Some(unknown) = user.roles.iter().find(|name| !is_known(name)) {
                return Err(wrong(at, no_such(unknown)));
            }
            let is_it = |member: &&Member| {
                member.model == SecurityModel::TSM && member.name.octets() == user.name.as_bytes()
            };
            if let Some(member) = base.members.iter().find(is_it) {
                let reason =
                    format!("the agent's configuration file gives {} its role, {}", user.name, member.role);
                return Err(wrong(at, reason));
            }
            let names: Vec<&str> = user.roles.iter().map(String::as_str).collect();
            let role = match &names[..] {
                [] => continue,
                [one] => admin_string(one),
                several => heir(&mut all, several).map_err(|message| wrong(at, message))?,
            };
            all.members.push(Member { model: SecurityModel::TSM, name: admin_string(&user.name), role });
        }
        rbac_size::check_rows(&all, base.roles.len(), rbac)?;
        Ok(all)
    }

    /// The subtrees of all paths, in their order.
    fn subtrees(&self, rbac: &Rbac, interfaces: Interfaces) -> Vec<Result<Vec<Family>, String>> {
        let permissions = rbac.roles.iter().flat_map(|role| &role.permissions);
        let paths: Vec<PathOfPermission> = permissions
            .filter(|permission| permission.resource.starts_with('/'))
            .map(|it| PathOfPermission { path: it.resource.clone(), permits: it.permits, to: it.to })
            .collect();
        if paths.is_empty() { Vec::new() } else { (self.find)(&paths, interfaces) }
    }
}

/// What a role grants, with the subtrees of its paths next.
fn grant(
    role: &RbacRole,
    found: &mut impl Iterator<Item = Result<Vec<Family>, String>>,
) -> Result<RoleGrant, String> {
    let mut rules = Vec::with_capacity(role.permissions.len());
    for permission in &role.permissions {
        let named = |error: &dyn std::fmt::Display| format!("permission {}: {error}", permission.name);
        let families = if permission.resource.starts_with('/') {
            found
                .next()
                .unwrap_or_else(|| Err("no subtree was found".into()))
                .map_err(|error| named(&error))?
        } else {
            let family = permission.resource.parse::<Family>().map_err(|error| named(&error))?;
            vec![Family { included: permission.permits, ..family }]
        };
        // What is written as a subtree is meant so.
        let is_subtree = !permission.resource.starts_with('/');
        let steps = if is_subtree { "" } else { &permission.resource };
        rules.push(((is_subtree, precedence(steps, permission.permits)), permission.to, families));
    }
    rules.sort_by_key(|(precedence, ..)| *precedence);
    let mut views: [Option<View>; 3] = [const { None }; 3];
    for (_, to, families) in rules {
        let view = views[to as usize].get_or_insert(View::NOTHING);
        families.into_iter().for_each(|family| view.insert(family));
    }
    let [read, write, notify] = views.map(|view| view.map(ViewSource::Rules));
    Ok(RoleGrant {
        read,
        write,
        notify,
        level: role.level,
        context: AdminString::default(),
        context_match: ContextMatch::Exact,
        model: SecurityModel::ANY,
    })
}

/// Several roles of one user as one, which the configuration file or another user may have already. Their order decides nothing.
fn heir(all: &mut Roles, names: &[&str]) -> Result<AdminString, String> {
    let name = admin_string(&joined(names));
    let inherits: BTreeSet<AdminString> = names.iter().map(|name| admin_string(name)).collect();
    match all.roles.iter().find(|role| role.name == name) {
        None => {
            let inherits = inherits.into_iter().collect();
            all.roles.push(Role { name: name.clone(), inherits, ..Role::default() });
        }
        Some(known)
            if known.grants.is_empty()
                && known.inherits.iter().cloned().collect::<BTreeSet<_>>() == inherits => {}
        Some(_) => {
            return Err(format!("{} together are called {name}, which is another role", names.join(", ")));
        }
    }
    Ok(name)
}

/// The policy of roles, or which of the data's roles and users is guilty.
fn compiled(roles: &Roles, rbac: &Rbac) -> Result<Policy, SetError> {
    roles.compile().map_err(|error| {
        let error = error.to_string();
        let is_named = |name: &str| error.contains(&format!("{name:?}"));
        let role = rbac.roles.iter().position(|role| is_named(&role.name));
        let user = rbac.users.iter().position(|user| {
            let names: Vec<&str> = user.roles.iter().map(String::as_str).collect();
            is_named(&joined(&names)) || is_named(&user.name)
        });
        // In a circle names are without quotation marks; whatever comes first is left out then.
        wrong(role.or(user.map(|at| rbac.roles.len() + at)).unwrap_or(0), error)
    })
}

fn report(left_out: &Contradiction) {
    let Contradiction { what, place, permissions, reason } = left_out;
    tracing::error!(%what, place, permissions = permissions.join(", "), %reason, "a part of /rbac is not in force: it contradicts the configuration file");
}

/// The groups of a policy, those that managers have set also if others cover them.
pub(super) fn groups(source: Option<&RbacSource>, policy: &Policy) -> Policy {
    let mut groups = policy.groups.clone();
    groups.extend(source.map(|source| source.vacm.covered()).unwrap_or_default());
    Policy { groups, ..Policy::default() }
}

fn wrong(binding: usize, reason: String) -> SetError {
    SetError { binding, check: SetCheck::WrongValue, reason }
}

/// One policy in place of another.
struct Swapped {
    source: Arc<RbacSource>,
    before: Arc<Rbac>,
    after: Arc<Rbac>,
    /// Whether what contradicts the configuration file is left out of it.
    is_kept: bool,
}

impl Swapped {
    fn set(&self, rbac: &Arc<Rbac>, may_lack: bool) -> Result<(), SetError> {
        let base = self.source.base();
        let policy = if may_lack {
            let found = self.source.in_force(&base.now, rbac);
            let (policy, left_out) = found.map_err(|error| wrong(0, error.to_string()))?;
            left_out.iter().for_each(report);
            policy
        } else {
            self.source.policy(&base.now, rbac, Interfaces::Numbered)?
        };
        self.source.now.store(rbac.clone());
        self.source.vacm.configure(&policy);
        Ok(())
    }
}

impl SetTransaction for Swapped {
    fn commit(&mut self) -> Result<(), SetError> {
        self.set(&self.after, self.is_kept)
    }

    /// What was there before may contradict the configuration file.
    fn undo(&mut self) -> Result<(), SetError> {
        self.set(&self.before, true)
    }
}
