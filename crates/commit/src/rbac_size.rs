//! How great the access policy may be that `/rbac` makes. A role has the rows of all that it inherits once more, so that a small edit can make a great policy;
//! it is measured before it is made.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_nacm::{Rbac, RbacRole, RbacUser};
use trunkline_tree::policy::{AdminString, Role, Roles, SecurityLevel, ViewSource};
use trunkline_tree::{SetCheck, SetError, View};

/// The views of a role's own grants.
pub fn views<'r>(roles: &'r Roles, role: &'r Role) -> impl Iterator<Item = &'r View> {
    let sources = role.grants.iter().flat_map(|grant| [&grant.read, &grant.write, &grant.notify]).flatten();
    sources.filter_map(|source| match source {
        ViewSource::Named(name) => roles.views.get(name),
        ViewSource::Rules(view) => Some(view),
    })
}

/// Refuses more entries than there may be rows, before anything is looked up for them.
pub fn check_entries(rbac: &Rbac) -> Result<(), SetError> {
    let of_role = rbac.roles.iter().find(|role| role.permissions.len() > MOST_OF_ROLE);
    if let Some(role) = of_role {
        return Err(too_many_of(&role.name));
    }
    let of_roles = |role: &RbacRole| 1 + role.permissions.len() + role.juniors.len() + role.administers.len();
    let of_users = |user: &RbacUser| 1 + user.roles.len();
    let entries: usize = rbac.roles.iter().map(of_roles).chain(rbac.users.iter().map(of_users)).sum();
    if entries > MOST { Err(too_many()) } else { Ok(()) }
}

/// Refuses roles behind the first ones, which are the configuration file's, with more rows than they may have.
pub fn check_rows(all: &Roles, of_file: usize, rbac: &Rbac) -> Result<(), SetError> {
    let by_name: BTreeMap<&AdminString, &Role> = all.roles.iter().map(|role| (&role.name, role)).collect();
    let mut rows = rbac.users.len();
    for role in all.roles.iter().skip(of_file) {
        let own = rows_of(all, role, &by_name).ok_or_else(|| too_many_of(&role.name.to_string()))?;
        rows += own;
        if rows > MOST {
            return Err(too_many());
        }
    }
    Ok(())
}

/// The most rows that a role can have with all that it inherits; `None`: more than there may be.
fn rows_of(all: &Roles, role: &Role, by_name: &BTreeMap<&AdminString, &Role>) -> Option<usize> {
    let (mut open, mut seen) = (vec![role], BTreeSet::from([&role.name]));
    let (mut rows, mut families, mut contexts, mut models) = (0, 0, BTreeSet::new(), BTreeSet::new());
    let (mut levels, mut least) = (BTreeSet::new(), SecurityLevel::AuthPriv);
    while let Some(next) = open.pop() {
        families += 1 + views(all, next).map(|view| view.families().len()).sum::<usize>();
        levels.insert(next.level);
        for grant in &next.grants {
            contexts.insert(&grant.context);
            models.insert(grant.model);
            levels.insert(grant.level);
            least = least.min(grant.level);
        }
        // Each combination of these can be a row with views of its own.
        rows = families * contexts.len().max(1) * models.len().max(1) * levels.range(least..).count().max(1);
        if rows > MOST_OF_ROLE {
            return None;
        }
        let juniors = next.inherits.iter().filter_map(|junior| by_name.get(junior).copied());
        open.extend(juniors.filter(|junior| seen.insert(&junior.name)));
    }
    Some(rows)
}

fn too_many_of(role: &str) -> SetError {
    too_great(format!(
        "the role {role} has more than {MOST_OF_ROLE} rows in its views, with all that it inherits: a role has at most so many"
    ))
}

fn too_many() -> SetError {
    too_great(format!(
        "the roles and users of /rbac are more than {MOST} rows together, in which each role counts with all that it inherits: there are at most so many"
    ))
}

fn too_great(reason: String) -> SetError {
    SetError { binding: 0, check: SetCheck::ResourceUnavailable, reason }
}

/// Rows of a role's views: permissions, those that it inherits and the subtrees of its paths.
const MOST_OF_ROLE: usize = 1024;
/// Of all roles, and of users.
const MOST: usize = 8192;

#[cfg(test)]
mod tests {
    use trunkline_nacm::RbacPermission;
    use trunkline_tree::policy::{RoleGrant, ViewType};

    use super::*;

    fn role(name: &str, inherits: &[String], rows: u32) -> Role {
        let view =
            (0..rows).fold(View::NOTHING, |view, row| view.include(trunkline_smi::Oid::from([1, 3, row])));
        let grant = RoleGrant { read: Some(ViewSource::Rules(view)), ..RoleGrant::default() };
        let string = |text: &str| AdminString::try_from(text).unwrap();
        Role {
            name: string(name),
            inherits: inherits.iter().map(|name| string(name)).collect(),
            grants: vec![grant],
            ..Role::default()
        }
    }

    fn check(roles: Vec<Role>) -> Result<(), String> {
        let all = Roles { roles, ..Roles::default() };
        check_rows(&all, 0, &Rbac::default()).map_err(|error| error.reason)
    }

    #[test]
    fn what_is_inherited_counts_for_each_heir() {
        assert_eq!(check(vec![role("a", &[], 1_023)]), Ok(()));
        assert!(check(vec![role("a", &[], 1_024)]).unwrap_err().contains("the role a has more than 1024"));
        let heir = |at: u32| role(&format!("h{at}"), &["a".to_owned()], 0);
        let heirs = |count: u32| [role("a", &[], 100)].into_iter().chain((0..count).map(heir)).collect();
        assert_eq!(check(heirs(79)), Ok(()));
        assert!(check(heirs(80)).unwrap_err().contains("more than 8192 rows together"));
        // A chain, a lattice, and more roles than can be counted in any time.
        let chain = |count: u32| {
            (0..count).map(|at| role(&format!("c{at}"), &[format!("c{}", at + 1)], 0)).collect::<Vec<_>>()
        };
        assert_eq!(check(chain(120)), Ok(()));
        assert!(check(chain(50_000)).is_err());
        let lattice = (0..28).flat_map(|at: u32| {
            let both = [format!("t{}", at + 1), format!("s{}", at + 1)];
            [role(&format!("t{at}"), &both, 5), role(&format!("s{at}"), &both, 5)]
        });
        assert!(check(lattice.collect()).is_err());
    }

    #[test]
    fn entries_are_counted_first() {
        let permission =
            RbacPermission { name: "p".into(), to: ViewType::Read, resource: "1".into(), permits: true };
        let of =
            |count: usize| RbacRole { permissions: vec![permission.clone(); count], ..RbacRole::default() };
        let check = |roles: Vec<RbacRole>| check_entries(&Rbac { roles, users: Vec::new() }).is_ok();
        assert!(check(vec![of(1_024)]) && !check(vec![of(1_025)]));
        assert!(check(vec![of(1_000); 8]) && !check(vec![of(1_000); 9]));
    }
}
