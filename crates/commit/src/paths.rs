//! Rules for places in YANG's data, and the subtrees of objects that they stand for on this machine.

use trunkline_config::{ConfigError, PathRule, Plan, Source, WrongConfig, access};
use trunkline_nacm::{NoSubtrees, Permission, Subtrees, subtrees, subtrees_by_name};
use trunkline_smi::visible;
use trunkline_tree::Family;
use trunkline_tree::policy::{Roles, ViewType};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;
use trunkline_yang::smiv2;

use crate::rbac::{FileRoles, Interfaces, PathOfPermission};

/// The plan of a configuration, with the subtrees of its paths.
///
/// # Errors
/// A file that cannot be read, with invalid settings, or with paths that have no subtrees.
pub fn load(source: &Source, index_of: IndexOf) -> Result<Plan, ConfigError> {
    let mut plan = source.load()?;
    set(&mut plan, index_of)?;
    Ok(plan)
}

/// Finds the subtrees of all paths, as interfaces are numbered now.
///
/// # Errors
/// Paths that have none.
pub fn set(plan: &mut Plan, index_of: IndexOf) -> Result<(), WrongConfig> {
    if plan.paths().next().is_none() {
        return Ok(());
    }
    let forest = forest();
    plan.set_subtrees(|rule, to| of(&forest, rule, to, index_of).map(|found| found.families))
}

/// The subtrees of permissions that are data.
#[must_use]
pub fn find(
    paths: &[PathOfPermission],
    interfaces: Interfaces,
    index_of: IndexOf,
) -> Vec<Result<Vec<Family>, String>> {
    let forest = forest();
    let one = |it: &PathOfPermission| {
        let permission = Permission { path: &it.path, permits: it.permits, to: it.to };
        let found = match interfaces {
            Interfaces::Numbered => subtrees(&forest, permission, &index_of),
            Interfaces::Named => subtrees_by_name(&forest, permission),
        };
        found.map(|found| found.families).map_err(|error| error.to_string())
    };
    paths.iter().map(one).collect()
}

/// The roles of a plan.
#[must_use]
pub fn roles(plan: &Plan) -> FileRoles {
    let now = access::roles(plan);
    if plan.paths().next().is_none() {
        return FileRoles { now, named: None };
    }
    let (forest, mut named) = (forest(), plan.clone());
    let find = |rule: &PathRule, to: ViewType| {
        let permission = Permission { path: &rule.path, permits: rule.included, to };
        subtrees_by_name(&forest, permission).map(|found| found.families)
    };
    // Whatever has subtrees with numbers has some by names; otherwise nobody would be given anything.
    let named = named.set_subtrees(find).map_or_else(|_| Roles::default(), |()| access::roles(&named));
    FileRoles { now, named: Some(named) }
}

/// What the paths of a plan stand for, a line for each.
#[must_use]
pub fn lines(plan: &Plan, index_of: IndexOf) -> Vec<String> {
    if plan.paths().next().is_none() {
        return Vec::new();
    }
    let forest = forest();
    let line = |(of_what, to, rule): (&str, ViewType, &PathRule)| {
        let sign = if rule.included { "" } else { "-" };
        let about = format!("{:?} {to} \"{sign}{}\"", visible(of_what), visible(&rule.path));
        let found = match of(&forest, rule, to, index_of) {
            Ok(found) => found,
            Err(error) => return format!("{about}: {error}"),
        };
        let names = if found.names.is_empty() { "nothing".to_owned() } else { found.names.join(", ") };
        let missing =
            found.missing.map(|name| format!("; there is no interface {:?} at present", visible(&name)));
        let left_out = (!found.left_out.is_empty())
            .then(|| format!("; without {}, whose rows are not the entry's", found.left_out.join(", ")));
        let others = if found.is_prefix { "; with entries whose names begin so" } else { "" };
        format!("{about}: {names}{}{}{others}", missing.unwrap_or_default(), left_out.unwrap_or_default())
    };
    plan.paths().map(line).collect()
}

fn of(forest: &Forest, rule: &PathRule, to: ViewType, index_of: IndexOf) -> Result<Subtrees, NoSubtrees> {
    let permission = Permission { path: &rule.path, permits: rule.included, to };
    subtrees(forest, permission, &index_of)
}

/// All that is served: for programs beside the agent, and for paths, which are rarely looked up.
#[must_use]
pub fn forest() -> Forest {
    ALL.into_iter().fold(Forest::of(&smiv2::modules()), Forest::with)
}

/// The ifIndex of an interface.
pub type IndexOf = fn(&str) -> Option<u32>;
