//! Administrative roles: which roles a principal may change, and whether a role has more than the principal itself.

use std::collections::BTreeSet;

use super::within::within;
use super::{Acting, AdminString, Policy, Principal, SecurityModel, ViewType};
use crate::View;

/// Where rules are compared as rules: stands before a name in a row's index in place of its number, and is greater than any number.
pub const BY_NAME: u32 = u32::MAX;

impl Policy {
    /// The roles that a principal may change, by its own role and those that it inherits; on behalf of a role, by that one.
    pub fn administered_by(&self, principal: &Principal<'_>) -> BTreeSet<&AdminString> {
        let own = self.group_of(principal).map(|(_, row)| &row.group);
        let start = match principal.acting {
            None => own,
            Some(Acting { role, is_proved: true }) => self.juniors.get_key_value(role).map(|(role, _)| role),
            Some(Acting { role, .. }) => {
                own.and_then(|own| self.inheritance(own, role)).and_then(|path| path.last().copied())
            }
        };
        start.map(|start| self.administered_through(start)).unwrap_or_default()
    }

    /// The roles that those with a role may change, by it and those that it inherits.
    pub fn administered_through(&self, role: &AdminString) -> BTreeSet<&AdminString> {
        self.with_juniors(role).into_iter().filter_map(|role| self.administers.get(role)).flatten().collect()
    }

    /// Whether a role of this policy gives nothing that a principal does not have by another one, with the same security and in the same
    /// contexts. Of views with wildcards this may say no although it is so.
    pub fn gives_at_most(&self, role: &[u8], other: &Policy, principal: &Principal<'_>) -> bool {
        let rows =
            self.access.iter().filter(|(key, row)| key.group.octets() == role && row.state.is_active());
        rows.into_iter().all(|(key, row)| {
            let model = if key.model == SecurityModel::ANY { principal.model } else { key.model };
            let principal = Principal { model, level: key.level, ..*principal };
            let views = [ViewType::Read, ViewType::Write, ViewType::Notify];
            views.into_iter().all(|to| {
                let Some(view) = self.view(row.view(to).octets()) else { return true };
                if !view.families().iter().any(|family| family.included) {
                    return true;
                }
                // On behalf of a role, both that and the principal must have it.
                let by = [Some(principal), Some(principal.acting(None)).filter(|_| !principal.is_proved())];
                by.into_iter().flatten().all(|principal| {
                    let own = other.decide(&principal, key.context.octets()).ok();
                    let own = own.and_then(|own| other.view(own.access.1.view(to).octets()));
                    own.is_some_and(|own| within(&view, &own).is_none() && !may_be_denied(&view, &own))
                })
            })
        })
    }
}

/// Whether a view has a row by its number that another one may have excluded by its name.
fn may_be_denied(view: &View, own: &View) -> bool {
    let named = own.families().iter().filter(|family| !family.included);
    let mut named = named.filter_map(|it| Some((it, it.subtree.iter().position(|part| *part == BY_NAME)?)));
    named.any(|(denied, at)| {
        view.families().iter().any(|family| {
            family.included
                && family.subtree.get(at).is_some_and(|part| *part != BY_NAME)
                && !family.is_open(at)
                && denied.meets(&family.subtree[..at])
                && !own.families().contains(family)
        })
    })
}
