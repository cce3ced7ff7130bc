//! A policy compiled for one tree, which a door consults for each request. It finds the principal's access
//! without allocating; views and their compilation are shared by all principals that have them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::decision::{everybody, preference};
use super::{
    AccessKey, AccessRow, AdminString, Denied, GroupKey, Policy, Principal, SecurityModel, ViewType,
};
use crate::access::Rights;
use crate::{Access, Tree, View};

/// A policy, compiled for one tree.
#[derive(Debug)]
pub struct Guard {
    policy: Arc<Policy>,
    /// Active rows of vacmSecurityToGroupTable, sorted by key, with the position of their group's grants.
    principals: Vec<(GroupKey, usize)>,
    /// By group: the grants of its active access rows, the preferred row first.
    groups: Vec<Vec<Grant>>,
}

/// An active row of vacmAccessTable.
#[derive(Debug)]
struct Grant {
    key: AccessKey,
    row: AccessRow,
    access: Arc<Access>,
    has_read: bool,
    has_write: bool,
    has_notify: bool,
}

impl Guard {
    /// Compiles a policy for a tree.
    pub fn new(tree: &Tree, policy: Arc<Policy>) -> Self {
        let mut compiler =
            Compiler { tree, policy: &policy, views: BTreeMap::new(), accesses: BTreeMap::new() };
        let active = policy.groups.iter().filter(|(_, row)| row.state.is_active());
        let mut names: Vec<&AdminString> = active.clone().map(|(_, row)| &row.group).collect();
        names.sort_unstable();
        names.dedup();
        let groups = names.iter().map(|name| compiler.grants(name)).collect();
        let place = |group: &AdminString| names.binary_search(&group).ok();
        let principals = active.filter_map(|(key, row)| Some((key.clone(), place(&row.group)?))).collect();
        Guard { principals, groups, policy }
    }

    /// The policy that it was compiled from.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// The access of a principal in a context (RFC 3415 section 3.2, all steps but the last, which is the
    /// access's).
    ///
    /// # Errors
    /// Each of [`Denied`] but [`Denied::NotInView`].
    pub fn access(
        &self,
        principal: &Principal<'_>,
        context: &[u8],
        view_type: ViewType,
    ) -> Result<&Arc<Access>, Denied> {
        if !self.policy.contexts.contains(context) {
            return Err(Denied::NoSuchContext);
        }
        let at = self.row_of(principal.model, principal.name).ok_or(Denied::NoGroupName)?;
        let grants = &self.groups[self.principals[at].1];
        let grant = grants
            .iter()
            .find(|grant| grant.row.admits(&grant.key, principal, context))
            .ok_or(Denied::NoAccessEntry)?;
        let has_view = match view_type {
            ViewType::Read => grant.has_read,
            ViewType::Write => grant.has_write,
            ViewType::Notify => grant.has_notify,
        };
        if has_view { Ok(&grant.access) } else { Err(Denied::NoSuchView) }
    }
}

impl Guard {
    /// The row of a principal, or of everybody.
    fn row_of(&self, model: SecurityModel, name: &[u8]) -> Option<usize> {
        let row = |name: &[u8]| {
            let by_key = |(key, _): &(GroupKey, usize)| (key.model, key.name.octets()).cmp(&(model, name));
            self.principals.binary_search_by(by_key).ok()
        };
        row(name).or_else(|| everybody(model).and_then(row))
    }
}

/// Compiles each view and each combination of views once.
struct Compiler<'a> {
    tree: &'a Tree,
    policy: &'a Policy,
    views: BTreeMap<&'a AdminString, Option<Compiled>>,
    accesses: BTreeMap<[&'a AdminString; 3], Arc<Access>>,
}

/// A view in the two forms that an access has.
#[derive(Clone)]
struct Compiled {
    view: Arc<View>,
    rights: Rights,
}

impl<'a> Compiler<'a> {
    fn grants(&mut self, group: &AdminString) -> Vec<Grant> {
        let policy = self.policy;
        let rows = policy.access.iter().filter(|(key, row)| key.group == *group && row.state.is_active());
        let mut grants: Vec<Grant> = rows.map(|(key, row)| self.grant(key, row)).collect();
        grants.sort_by_key(|grant| preference(&grant.key));
        grants
    }

    fn grant(&mut self, key: &AccessKey, row: &'a AccessRow) -> Grant {
        let read = self.view(&row.read);
        let write = self.view(&row.write);
        let notify = self.view(&row.notify);
        let (has_read, has_write, has_notify) = (read.is_some(), write.is_some(), notify.is_some());
        let nothing = || Arc::new(View::NOTHING);
        let tree = self.tree;
        let access = self.accesses.entry([&row.read, &row.write, &row.notify]).or_insert_with(|| {
            let rights = read.map_or_else(|| Rights::new(tree.leaves(), nothing()), |view| view.rights);
            let write = write.map_or_else(nothing, |view| view.view);
            let notify = notify.map_or_else(nothing, |view| view.view);
            Arc::new(Access::of(rights, write, notify))
        });
        Grant { key: key.clone(), row: row.clone(), access: access.clone(), has_read, has_write, has_notify }
    }

    /// The view of this name; `None` where RFC 3415 has noSuchView.
    fn view(&mut self, name: &'a AdminString) -> Option<Compiled> {
        let (tree, policy) = (self.tree, self.policy);
        let compile = || {
            let view = Arc::new(policy.view(name.octets())?);
            Some(Compiled { rights: Rights::new(tree.leaves(), view.clone()), view })
        };
        self.views.entry(name).or_insert_with(compile).clone()
    }
}
