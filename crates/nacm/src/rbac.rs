//! The part of the access policy that is configured as data (`/rbac` of trunkline-rbac): roles with permissions, users with their roles.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_datastore::{Branch, Config, Item, Step, path};
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_tree::policy::{AdminString, SecurityLevel, ViewType};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::{RBAC, ROLE_NAME_OCTETS};

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rbac {
    /// The roles.
    pub roles: Vec<RbacRole>,
    /// The users.
    pub users: Vec<RbacUser>,
}

/// A role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RbacRole {
    /// Its name.
    pub name: String,
    /// Those that it inherits.
    pub juniors: Vec<String>,
    /// Those that its members may change.
    pub administers: Vec<String>,
    /// The least level.
    pub level: SecurityLevel,
    /// What it permits, and what it takes away.
    pub permissions: Vec<RbacPermission>,
}

/// A permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RbacPermission {
    /// Its name.
    pub name: String,
    /// What may be done.
    pub to: ViewType,
    /// A path, or a subtree of objects.
    pub resource: String,
    /// Whether it may.
    pub permits: bool,
}

/// A user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RbacUser {
    /// The name.
    pub name: String,
    /// Its roles.
    pub roles: Vec<String>,
}

/// A role is a group of VACM, whatever it was made by.
const _: () = assert!(ROLE_NAME_OCTETS == AdminString::MAX_OCTETS);

/// The root of it.
#[must_use]
pub fn rbac_root(forest: &Forest) -> Option<NodeId> {
    forest.child_of(None, RBAC.name, "rbac")
}

/// Where a role or a user is.
#[must_use]
pub fn rbac_place(forest: &Forest, list: &str, name: &str) -> Option<Vec<Step>> {
    let root = rbac_root(forest)?;
    let node = forest.child(Some(root), list)?;
    Some(vec![Step::to(root), Step { node, keys: [name.into()].into() }])
}

impl Rbac {
    /// What a configuration has of it.
    ///
    /// # Errors
    /// All values that its types allow and that cannot be.
    pub fn read(forest: &Forest, config: &Config) -> Result<Rbac, Vec<RpcError>> {
        let Some(root) = rbac_root(forest) else { return Ok(Rbac::default()) };
        let Some(branch) = config.root().within(&Step::to(root)) else { return Ok(Rbac::default()) };
        let mut reading = Reading { forest, wrong: Vec::new() };
        let mut rbac = Rbac::default();
        for (step, item) in branch.iter() {
            let Some(entry) = item.branch() else { continue };
            let steps = [Step::to(root), step.clone()];
            match forest[step.node].name.as_str() {
                "role" => rbac.roles.push(reading.role(&steps, entry)),
                _ => rbac.users.push(reading.user(&steps, entry)),
            }
        }
        reading.cycles(&rbac, root);
        if reading.wrong.is_empty() { Ok(rbac) } else { Err(reading.wrong) }
    }

    /// Whether a permission is for a path.
    #[must_use]
    pub fn has_paths(&self) -> bool {
        self.roles.iter().flat_map(|role| &role.permissions).any(|it| it.resource.starts_with('/'))
    }
}

struct Reading<'f> {
    forest: &'f Forest,
    wrong: Vec<RpcError>,
}

impl Reading<'_> {
    fn refuse(&mut self, steps: &[Step], message: String) {
        let error = RpcError::new(Layer::Application, Tag::InvalidValue, message);
        self.wrong.push(error.at(path(self.forest, steps)));
    }

    fn leaf<'b>(&self, within: NodeId, branch: &'b Branch, name: &str) -> Option<&'b str> {
        branch.leaf(self.forest.child(Some(within), name)?)
    }

    fn leaves(&self, branch: &Branch, name: &str) -> Vec<String> {
        let is_it = |step: &Step| self.forest[step.node].name == name;
        let leaves = branch.iter().filter(|(step, _)| is_it(step));
        leaves
            .filter_map(|(_, item)| match item {
                Item::Leaf(value) => Some(value.to_string()),
                Item::Within(_) => None,
            })
            .collect()
    }

    fn role(&self, steps: &[Step], entry: &Branch) -> RbacRole {
        let node = steps[1].node;
        let level = match self.leaf(node, entry, "level") {
            Some("no-auth-no-priv") => SecurityLevel::NoAuthNoPriv,
            Some("auth-no-priv") => SecurityLevel::AuthNoPriv,
            _ => SecurityLevel::AuthPriv,
        };
        let mut role = RbacRole {
            name: key(&steps[1]),
            juniors: self.leaves(entry, "junior-role"),
            administers: self.leaves(entry, "administers"),
            level,
            ..RbacRole::default()
        };
        // What is in it besides leaves are permissions.
        let permissions = entry.iter().filter_map(|(step, item)| Some((step, item.branch()?)));
        role.permissions.extend(permissions.map(|(step, within)| self.permission(step, within)));
        role
    }

    fn permission(&self, step: &Step, entry: &Branch) -> RbacPermission {
        let leaf = |name| self.leaf(step.node, entry, name);
        RbacPermission {
            name: key(step),
            to: match leaf("operation") {
                Some("write") => ViewType::Write,
                Some("notify") => ViewType::Notify,
                _ => ViewType::Read,
            },
            resource: leaf("resource").unwrap_or_default().to_owned(),
            permits: leaf("action") != Some("deny"),
        }
    }

    fn user(&self, steps: &[Step], entry: &Branch) -> RbacUser {
        RbacUser { name: key(&steps[1]), roles: self.leaves(entry, "role") }
    }

    /// Refuses a role that inherits from itself.
    fn cycles(&mut self, rbac: &Rbac, root: NodeId) {
        let Some(cycle) = cycle(rbac) else { return };
        let message = format!("a role inherits from itself: {} > {}", cycle.join(" > "), cycle[0]);
        let steps = rbac_place(self.forest, "role", cycle[0]).unwrap_or_else(|| vec![Step::to(root)]);
        self.refuse(&steps, message);
    }
}

/// Roles each of which inherits from the next one, and the last from the first.
fn cycle(rbac: &Rbac) -> Option<Vec<&str>> {
    // Those that are left when roles without juniors have been taken away, again and again.
    let mut seniors: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut left: BTreeMap<&str, (usize, &RbacRole)> = BTreeMap::new();
    let names: BTreeSet<&str> = rbac.roles.iter().map(|role| role.name.as_str()).collect();
    for role in &rbac.roles {
        let juniors = role.juniors.iter().map(String::as_str).filter(|name| names.contains(name));
        let count = juniors.map(|junior| seniors.entry(junior).or_default().push(&role.name)).count();
        left.insert(&role.name, (count, role));
    }
    let mut open: Vec<&str> =
        left.iter().filter(|(_, (count, _))| *count == 0).map(|(name, _)| *name).collect();
    while let Some(name) = open.pop() {
        left.remove(name);
        for senior in seniors.get(name).into_iter().flatten() {
            let Some((count, _)) = left.get_mut(senior) else { continue };
            *count -= 1;
            if *count == 0 {
                open.push(senior);
            }
        }
    }
    // Each of them has a junior among them.
    let mut way: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next = left.first_key_value().map(|(name, _)| *name)?;
    while seen.insert(next) {
        way.push(next);
        next = left[next].1.juniors.iter().find(|junior| left.contains_key(junior.as_str()))?;
    }
    // The first one again is where the cycle begins.
    let begin = way.iter().position(|name| *name == next)?;
    Some(way.split_off(begin))
}

fn key(step: &Step) -> String {
    step.keys.first().map(|key| key.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rbac(roles: &[(&str, &[&str])]) -> Rbac {
        let role = |(name, juniors): &(&str, &[&str])| RbacRole {
            name: (*name).to_owned(),
            juniors: juniors.iter().map(|junior| (*junior).to_owned()).collect(),
            ..RbacRole::default()
        };
        Rbac { roles: roles.iter().map(role).collect(), users: Vec::new() }
    }

    #[test]
    fn a_cycle_is_found_however_many_ways_there_are() {
        let of = |roles: &[(&str, &[&str])]| cycle(&rbac(roles)).map(|it| it.join(" "));
        assert_eq!(of(&[("a", &["b", "c"]), ("b", &["c", "monitor"]), ("c", &[])]), None);
        assert_eq!(of(&[("a", &["a"])]), Some("a".to_owned()));
        assert_eq!(
            of(&[("a", &["c", "b"]), ("b", &["d", "b2"]), ("b2", &["b"]), ("c", &[]), ("d", &[])]),
            Some("b b2".to_owned())
        );
        let names: Vec<String> = (0..10_000).map(|at| format!("r{at:05}")).collect();
        let chain = |last: usize| Rbac {
            roles: (0..names.len())
                .map(|at| RbacRole {
                    name: names[at].clone(),
                    juniors: names.get(at + 1).or(names.get(last)).cloned().into_iter().collect(),
                    ..RbacRole::default()
                })
                .collect(),
            users: Vec::new(),
        };
        assert_eq!(cycle(&chain(names.len())), None);
        assert_eq!(cycle(&chain(4_000)).map(|it| it.len()), Some(6_000));
    }
}
