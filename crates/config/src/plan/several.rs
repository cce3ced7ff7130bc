//! Several roles of a user: one role that inherits them, named after them.

use serde_spanned::Spanned;
use trunkline_tree::policy::AdminString;

use super::value::Checked;
use crate::{Place, raw};

/// Adds a role for each list of roles that somebody has.
pub(super) fn add_roles(snmp: &raw::Snmp, roles: &mut Vec<raw::Role>, place: Place<'_>) -> Checked<()> {
    let users = snmp.user.iter().flat_map(|it| &it.role);
    let principals = snmp.principal.iter().flat_map(|it| &it.role);
    let communities = snmp.community.iter().flatten().flat_map(|it| &it.role);
    let mut added: Vec<raw::Role> = Vec::new();
    for given in users.chain(principals).chain(communities) {
        let raw::RoleNames::Several(names) = given.get_ref() else { continue };
        let name = name_of(given.get_ref());
        match names.len() {
            0 => return Err(place.wrong(given.span(), "expected at least one role, found none".into())),
            1 => continue,
            _ => {}
        }
        if let Some(known) = added.iter().find(|role| *role.name.get_ref() == name) {
            if are_same(&known.inherits, names) {
                continue;
            }
            let message = format!(
                "these roles together are called {name:?}, as others together are: expected other names of roles"
            );
            // Those before have theirs.
            roles.extend(added);
            return Err(place.wrong(given.span(), message));
        }
        if roles.iter().any(|role| *role.name.get_ref() == name) {
            let message = format!(
                "these roles together are called {name:?}, which is a [[role]]: expected another name there"
            );
            return Err(place.wrong(given.span(), message));
        }
        added.push(raw::Role::heir(Spanned::new(given.span(), name), names.clone()));
    }
    roles.extend(added);
    Ok(())
}

/// The order of roles decides nothing.
fn are_same(these: &[Spanned<String>], those: &[Spanned<String>]) -> bool {
    let set = |names: &[Spanned<String>]| {
        names.iter().map(|name| name.get_ref().clone()).collect::<std::collections::BTreeSet<_>>()
    };
    set(these) == set(those)
}

/// What a role is called in the policy.
pub(super) fn name_of(names: &raw::RoleNames) -> String {
    match names {
        raw::RoleNames::One(name) => name.clone(),
        raw::RoleNames::Several(names) => {
            joined(&names.iter().map(|name| name.get_ref().as_str()).collect::<Vec<_>>())
        }
    }
}

/// What several roles together are called: all of their names, cut if that is too long.
#[must_use]
pub fn joined(names: &[&str]) -> String {
    let mut parts = names.to_vec();
    parts.sort_unstable();
    parts.dedup();
    let whole = parts.join("+");
    if whole.len() <= AdminString::MAX_OCTETS {
        return whole;
    }
    // FNV-1a: two lists whose names begin alike are two roles.
    let fold = |hash: u32, octet: u8| (hash ^ u32::from(octet)).wrapping_mul(0x0100_0193);
    let mark = format!("~{:08x}", whole.bytes().fold(0x811c_9dc5, fold));
    let mut end = AdminString::MAX_OCTETS - mark.len();
    while !whole.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{mark}", &whole[..end])
}
