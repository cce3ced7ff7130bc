//! The part of the access policy that is configured as data (`/rbac` of trunkline-rbac): roles with permissions, users with their roles.

use std::collections::BTreeMap;

use trunkline_datastore::{Branch, Config, Item, Step, path};
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_tree::policy::{SecurityLevel, ViewType};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::RBAC;

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

    /// Refuses roles that inherit from themselves, and those that administer so.
    fn cycles(&mut self, rbac: &Rbac, root: NodeId) {
        let by_name: BTreeMap<&str, &RbacRole> =
            rbac.roles.iter().map(|role| (role.name.as_str(), role)).collect();
        for role in &rbac.roles {
            let mut open = vec![vec![role.name.as_str()]];
            let mut seen = std::collections::BTreeSet::new();
            while let Some(way) = open.pop() {
                let below =
                    way.last().and_then(|last| by_name.get(last)).map_or(&[][..], |role| &role.juniors);
                if below.contains(&role.name) {
                    let message = format!("a role inherits from itself: {} > {}", way.join(" > "), role.name);
                    let steps =
                        rbac_place(self.forest, "role", &role.name).unwrap_or_else(|| vec![Step::to(root)]);
                    self.refuse(&steps, message);
                    break;
                }
                for junior in below.iter().filter(|junior| seen.insert(junior.as_str())) {
                    open.push(way.iter().copied().chain([junior.as_str()]).collect());
                }
            }
        }
    }
}

fn key(step: &Step) -> String {
    step.keys.first().map(|key| key.to_string()).unwrap_or_default()
}
