//! What `/rbac` lies over: the roles of the configuration file and those that are configured as data, which together are the access policy.

use std::path::Path;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use trunkline_admin::{StateError, VacmGroup};
use trunkline_config::{admin_string, joined};
use trunkline_nacm::{Rbac, RbacRole};
use trunkline_tree::policy::{
    AdminString, ContextMatch, Member, Policy, Role, RoleGrant, Roles, SecurityModel, ViewSource, ViewType,
};
use trunkline_tree::{Family, SetCheck, SetError, SetTransaction, View};
use trunkline_yang::forest::Forest;

use crate::kept;

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

/// Finds the subtrees of paths, or says why there are none.
pub type FindSubtrees = Box<dyn Fn(&[PathOfPermission]) -> Vec<Result<Vec<Family>, String>> + Send + Sync>;

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

/// The access policy of the configuration file and of the data.
pub struct RbacSource {
    vacm: Arc<VacmGroup>,
    find: FindSubtrees,
    base: Mutex<Roles>,
    now: ArcSwap<Rbac>,
}

impl RbacSource {
    /// Over the tables of VACM, which show the configuration file's roles already.
    #[must_use]
    pub fn new(vacm: Arc<VacmGroup>, base: Roles, find: FindSubtrees) -> Arc<Self> {
        Arc::new(RbacSource { vacm, find, base: Mutex::new(base), now: ArcSwap::default() })
    }

    /// What is configured as data now: permissions and users.
    #[must_use]
    pub fn now(&self) -> Arc<Rbac> {
        self.now.load_full()
    }

    /// Applies the roles of another configuration file, or the same where paths stand for other rows.
    pub fn configure(&self, base: Roles) {
        let mut held = self.base();
        let rbac = self.now();
        let policy = self.policy(&base, &rbac).or_else(|error| {
            tracing::error!(
                reason = error.reason,
                "the roles of /rbac are not in force: they contradict the configuration file"
            );
            base.compile()
        });
        match policy {
            Ok(policy) => self.vacm.configure(&policy),
            Err(error) => tracing::error!(%error, "the access policy stays as it was"),
        }
        *held = base;
    }

    /// The same with the configuration file's roles as they are.
    pub fn refresh(&self) {
        let base = self.base().clone();
        self.configure(base);
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
        self.policy(&base, rbac)
    }

    /// First phase of a change to this data.
    ///
    /// # Errors
    /// As [`RbacSource::check`].
    pub fn prepare(self: &Arc<Self>, rbac: &Rbac) -> Result<Box<dyn SetTransaction>, SetError> {
        self.check(rbac)?;
        Ok(Box::new(Swapped { source: self.clone(), before: self.now(), after: Arc::new(rbac.clone()) }))
    }

    fn base(&self) -> MutexGuard<'_, Roles> {
        self.base.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn policy(&self, base: &Roles, rbac: &Rbac) -> Result<Policy, SetError> {
        let roles = self.together(base, rbac)?;
        roles.compile().map_err(|error| {
            let named = |role: &RbacRole| error.to_string().contains(&format!("{:?}", role.name));
            wrong(rbac.roles.iter().position(named).unwrap_or(0), error.to_string())
        })
    }

    /// All roles and members.
    fn together(&self, base: &Roles, rbac: &Rbac) -> Result<Roles, SetError> {
        let mut all = base.clone();
        let is_known = |name: &str| {
            base.roles.iter().any(|role| role.name.octets() == name.as_bytes())
                || rbac.roles.iter().any(|role| role.name == name)
        };
        for (at, role) in rbac.roles.iter().enumerate() {
            if base.roles.iter().any(|known| known.name.octets() == role.name.as_bytes()) {
                return Err(wrong(at, format!("{} is a role of the agent's configuration file", role.name)));
            }
            if let Some(unknown) = role.juniors.iter().chain(&role.administers).find(|name| !is_known(name)) {
                return Err(wrong(at, format!("there is no role {unknown}")));
            }
            all.roles.push(Role {
                name: admin_string(&role.name),
                inherits: role.juniors.iter().map(|name| admin_string(name)).collect(),
                administers: role.administers.iter().map(|name| admin_string(name)).collect(),
                level: role.level,
                grants: vec![self.grant(role).map_err(|message| wrong(at, message))?],
                separate: false,
            });
        }
        for (at, user) in rbac.users.iter().enumerate() {
            let at = rbac.roles.len() + at;
            if let Some(unknown) = user.roles.iter().find(|name| !is_known(name)) {
                return Err(wrong(at, format!("there is no role {unknown}")));
            }
            let is_it = |member: &&Member| {
                member.model == SecurityModel::TSM && member.name.octets() == user.name.as_bytes()
            };
            if base.members.iter().any(|member| is_it(&member)) {
                return Err(wrong(
                    at,
                    format!("the agent's configuration file gives {} its role", user.name),
                ));
            }
            let names: Vec<&str> = user.roles.iter().map(String::as_str).collect();
            let role = match &names[..] {
                [] => continue,
                [one] => admin_string(one),
                several => heir(&mut all, several).map_err(|message| wrong(at, message))?,
            };
            all.members.push(Member { model: SecurityModel::TSM, name: admin_string(&user.name), role });
        }
        Ok(all)
    }

    /// What a role grants.
    fn grant(&self, role: &RbacRole) -> Result<RoleGrant, String> {
        let paths: Vec<PathOfPermission> = role
            .permissions
            .iter()
            .filter(|permission| permission.resource.starts_with('/'))
            .map(|it| PathOfPermission { path: it.resource.clone(), permits: it.permits, to: it.to })
            .collect();
        let mut found = if paths.is_empty() { Vec::new() } else { (self.find)(&paths) }.into_iter();
        let mut views: [Option<View>; 3] = [const { None }; 3];
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
            let view = views[permission.to as usize].get_or_insert(View::NOTHING);
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

fn wrong(binding: usize, reason: String) -> SetError {
    SetError { binding, check: SetCheck::WrongValue, reason }
}

/// One policy in place of another.
struct Swapped {
    source: Arc<RbacSource>,
    before: Arc<Rbac>,
    after: Arc<Rbac>,
}

impl Swapped {
    fn set(&self, rbac: &Arc<Rbac>) -> Result<(), SetError> {
        let base = self.source.base();
        let policy = self.source.policy(&base, rbac)?;
        self.source.now.store(rbac.clone());
        self.source.vacm.configure(&policy);
        Ok(())
    }
}

impl SetTransaction for Swapped {
    fn commit(&mut self) -> Result<(), SetError> {
        self.set(&self.after)
    }

    fn undo(&mut self) -> Result<(), SetError> {
        self.set(&self.before)
    }
}
