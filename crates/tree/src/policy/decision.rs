//! isAccessAllowed (RFC 3415 section 3.2) over the rows of a policy, step by step.
//! Requests go through the compiled [`Guard`](super::Guard), which has to say the same.

use std::cmp::Reverse;

use super::{
    AccessKey, AccessRow, Acting, AdminString, GroupKey, GroupRow, Policy, Principal, SecurityLevel,
    SecurityModel, ViewType,
};

/// Which rows of a policy decide for a principal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision<'p> {
    /// Of vacmSecurityToGroupTable; `None`: a key of the role stands for it.
    pub group: Option<(&'p GroupKey, &'p GroupRow)>,
    /// Of vacmAccessTable.
    pub access: (&'p AccessKey, &'p AccessRow),
}

/// Why access is not allowed: the error indications of RFC 3415 section 3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// The context is not in vacmContextTable.
    #[error("noSuchContext")]
    NoSuchContext,
    /// The principal belongs to no group.
    #[error("noGroupName")]
    NoGroupName,
    /// The principal has not the role that it acts in.
    #[error("noSuchRole")]
    NoSuchRole,
    /// The group has no access with this security and context.
    #[error("noAccessEntry")]
    NoAccessEntry,
    /// The access has no view of this type, or one without families.
    #[error("noSuchView")]
    NoSuchView,
    /// The object is not in the view.
    #[error("notInView")]
    NotInView,
}

impl Policy {
    /// Which rows decide for a principal in a context (RFC 3415 section 3.2, steps 1 to 3).
    ///
    /// # Errors
    /// [`Denied::NoSuchContext`], [`Denied::NoGroupName`] or [`Denied::NoAccessEntry`].
    pub fn decide(&self, principal: &Principal<'_>, context: &[u8]) -> Result<Decision<'_>, Denied> {
        // Step 1.
        if !self.contexts.contains(context) {
            return Err(Denied::NoSuchContext);
        }
        // Step 2.
        let row = || self.group_of(principal).ok_or(Denied::NoGroupName);
        let (row, group) = match principal.acting {
            Some(Acting { role, is_proved: true }) => (None, self.role(role).ok_or(Denied::NoSuchRole)?),
            None => (Some(row()?), &row()?.1.group),
            Some(Acting { role, .. }) => {
                let row = row()?;
                let path = self.inheritance(&row.1.group, role).ok_or(Denied::NoSuchRole)?;
                (Some(row), *path.last().ok_or(Denied::NoSuchRole)?)
            }
        };
        // Step 3.
        let candidates = self.candidates(group.octets(), principal, context);
        let access = candidates.min_by_key(|(key, _)| preference(key)).ok_or(Denied::NoAccessEntry)?;
        Ok(Decision { group: row, access })
    }

    /// A role that somebody may act in because of its key.
    fn role(&self, name: &[u8]) -> Option<&AdminString> {
        self.juniors.get_key_value(name).map(|(role, _)| role)
    }

    /// Whether an object may be accessed (RFC 3415 section 3.2); on behalf of a role, whether both the role and the principal may.
    ///
    /// # Errors
    /// Each of [`Denied`].
    pub fn is_access_allowed(
        &self,
        principal: &Principal<'_>,
        context: &[u8],
        view_type: ViewType,
        object: &[u32],
    ) -> Result<(), Denied> {
        // A role of the principal gives nothing that it does not have otherwise.
        let own = match principal.acting {
            Some(Acting { is_proved: false, .. }) => {
                self.is_access_allowed(&principal.acting(None), context, view_type, object)
            }
            _ => Ok(()),
        };
        own.or_else(|denied| if denied == Denied::NotInView { Ok(()) } else { Err(denied) })?;
        let decision = self.decide(principal, context)?;
        // Steps 4 and 5.
        let view = self.view(decision.access.1.view(view_type).octets()).ok_or(Denied::NoSuchView)?;
        if view.contains(object) { own } else { Err(Denied::NotInView) }
    }

    /// The active row of vacmSecurityToGroupTable for a principal, or the one for everybody of its model.
    pub(super) fn group_of(&self, principal: &Principal<'_>) -> Option<(&GroupKey, &GroupRow)> {
        let row = |name: &[u8]| {
            self.groups.iter().find(|(key, row)| row.state.is_active() && key.is(principal.model, name))
        };
        row(principal.name).or_else(|| everybody(principal.model).and_then(row))
    }

    /// The active rows of vacmAccessTable that match a request.
    pub(super) fn candidates<'p, 'q>(
        &'p self,
        group: &'q [u8],
        principal: &'q Principal<'q>,
        context: &'q [u8],
    ) -> impl Iterator<Item = (&'p AccessKey, &'p AccessRow)> {
        self.access.iter().filter(move |(key, row)| {
            row.state.is_active() && key.group.octets() == group && row.admits(key, principal, context)
        })
    }
}

/// The security name for every principal that a transport has authenticated and that has no row.
pub const EVERYBODY: &str = "*";

/// The name that stands for every principal of a model. Only transports authenticate names that are not listed in
/// advance (RFC 5591): any holder of a certificate of an authority. RFC 3415 has no such row.
pub(super) fn everybody(model: SecurityModel) -> Option<&'static [u8]> {
    (model == SecurityModel::TSM).then_some(EVERYBODY.as_bytes())
}

impl AccessRow {
    /// Whether the row, apart from its group and its status, is for a request.
    pub(super) fn admits(&self, key: &AccessKey, principal: &Principal<'_>, context: &[u8]) -> bool {
        (key.model == SecurityModel::ANY || key.model == principal.model)
            && key.level <= principal.level
            && self.context_match.matches(key.context.octets(), context)
    }
}

/// Of rows that all match a request the least decides (vacmAccessTable): one for the very security model, then
/// the longest context, which an equal one always is, then the highest level.
pub(super) fn preference(key: &AccessKey) -> (bool, Reverse<usize>, Reverse<SecurityLevel>) {
    (key.model == SecurityModel::ANY, Reverse(key.context.octets().len()), Reverse(key.level))
}
