//! A policy compiled for one tree, which a door consults for each request. It finds the principal's access
//! without allocating; views and their compilation are shared by all principals that have them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::decision::{everybody, preference};
use super::within::within;
use super::{
    AccessKey, AccessRow, Acting, AdminString, Denied, GroupKey, Policy, Principal, SecurityModel, ViewType,
};
use crate::access::{Quick, Rights};
use crate::{Access, Tree, View};

/// A policy, compiled for one tree.
#[derive(Debug)]
pub struct Guard {
    policy: Arc<Policy>,
    /// Active rows of vacmSecurityToGroupTable, sorted by key, with the position of their group.
    principals: Vec<(GroupKey, usize)>,
    /// Groups of principals, and roles; sorted by name.
    groups: Vec<Group>,
}

/// A group, which may be a role.
#[derive(Debug)]
struct Group {
    name: AdminString,
    /// Of its active access rows, the preferred row first.
    grants: Vec<Grant>,
    /// The positions of the roles that its principals may act in, itself left out, ascending, with the accesses of both that apply: by
    /// the group's grant, and by the role's.
    juniors: Vec<(usize, Vec<Vec<Arc<Access>>>)>,
    /// Whether a key may stand for it.
    is_role: bool,
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
        let mut compiler = Compiler {
            tree,
            policy: &policy,
            views: BTreeMap::new(),
            accesses: BTreeMap::new(),
            within: BTreeMap::new(),
        };
        let active = policy.groups.iter().filter(|(_, row)| row.state.is_active());
        let of_principals: BTreeSet<&AdminString> = active.clone().map(|(_, row)| &row.group).collect();
        let mut names: BTreeSet<&AdminString> =
            of_principals.iter().flat_map(|name| policy.with_juniors(name)).collect();
        names.extend(policy.juniors.keys());
        let names: Vec<&AdminString> = names.into_iter().collect();
        let place = |group: &AdminString| names.binary_search(&group).ok();
        let mut groups: Vec<Group> = names.iter().map(|name| compiler.group(name)).collect();
        for name in of_principals {
            let Some(at) = place(name) else { continue };
            let below = policy.with_juniors(name).into_iter().filter_map(place).filter(|other| *other != at);
            let juniors = below.map(|junior| (junior, compiler.juniors(&groups[at], &groups[junior])));
            groups[at].juniors = juniors.collect();
        }
        let principals = active.filter_map(|(key, row)| Some((key.clone(), place(&row.group)?))).collect();
        Guard { principals, groups, policy }
    }

    /// The policy that it was compiled from.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// The access of a principal in a context (RFC 3415 section 3.2, all steps but the last, which is the
    /// access's). On behalf of a role, what both the role and the principal may; of a role that a key proves, what the role may.
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
        if let Some(acting) = principal.acting {
            return self.access_in_role(principal, acting, context, view_type);
        }
        let at = self.row_of(principal.model, principal.name).ok_or(Denied::NoGroupName)?;
        let (_, grant) = self.groups[self.principals[at].1].grant(principal, context, view_type)?;
        Ok(&grant.access)
    }

    #[cold]
    fn access_in_role(
        &self,
        principal: &Principal<'_>,
        acting: Acting<'_>,
        context: &[u8],
        view_type: ViewType,
    ) -> Result<&Arc<Access>, Denied> {
        let role = self.groups.binary_search_by(|group| group.name.octets().cmp(acting.role)).ok();
        if acting.is_proved {
            let role = role.map(|at| &self.groups[at]).filter(|group| group.is_role);
            let (_, grant) = role.ok_or(Denied::NoSuchRole)?.grant(principal, context, view_type)?;
            return Ok(&grant.access);
        }
        let at = self.row_of(principal.model, principal.name).ok_or(Denied::NoGroupName)?;
        let own = self.principals[at].1;
        let (by_own, grant) = self.groups[own].grant(principal, context, view_type)?;
        let role = role.ok_or(Denied::NoSuchRole)?;
        if role == own {
            return Ok(&grant.access);
        }
        let juniors = &self.groups[own].juniors;
        let at = juniors.binary_search_by_key(&role, |(role, _)| *role).map_err(|_| Denied::NoSuchRole)?;
        let (by_role, grant) = self.groups[role].grant(principal, context, view_type)?;
        Ok(juniors[at].1.get(by_own).and_then(|row| row.get(by_role)).unwrap_or(&grant.access))
    }
}

impl Group {
    /// The grant that decides, with its position.
    fn grant(
        &self,
        principal: &Principal<'_>,
        context: &[u8],
        view_type: ViewType,
    ) -> Result<(usize, &Grant), Denied> {
        let mut grants = self.grants.iter().enumerate();
        let found = grants.find(|(_, grant)| grant.row.admits(&grant.key, principal, context));
        let (at, grant) = found.ok_or(Denied::NoAccessEntry)?;
        let has_view = match view_type {
            ViewType::Read => grant.has_read,
            ViewType::Write => grant.has_write,
            ViewType::Notify => grant.has_notify,
        };
        if has_view { Ok((at, grant)) } else { Err(Denied::NoSuchView) }
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
    /// What of a view is within another one; `None`: all of it.
    within: BTreeMap<[AdminString; 2], Option<Compiled>>,
}

/// A view in the two forms that an access has.
#[derive(Clone)]
struct Compiled {
    view: Arc<Quick>,
    rights: Rights,
}

impl<'a> Compiler<'a> {
    fn group(&mut self, name: &AdminString) -> Group {
        let is_role = self.policy.juniors.contains_key(name);
        Group { name: name.clone(), grants: self.grants(name), juniors: Vec::new(), is_role }
    }

    /// For each grant of a group, what each of a role that it inherits gives its principals.
    fn juniors(&mut self, group: &Group, role: &Group) -> Vec<Vec<Arc<Access>>> {
        let of = |own: &Grant| role.grants.iter().map(|grant| self.both(own, grant)).collect();
        group.grants.iter().map(of).collect()
    }

    fn both(&mut self, own: &Grant, role: &Grant) -> Arc<Access> {
        let read = self.within(&role.row.read, &own.row.read);
        let write = self.within(&role.row.write, &own.row.write);
        let notify = self.within(&role.row.notify, &own.row.notify);
        if read.is_none() && write.is_none() && notify.is_none() {
            return role.access.clone();
        }
        let mut access = (*role.access).clone();
        read.into_iter().for_each(|it| access.set_read(it.rights));
        write.into_iter().for_each(|it| access.set_write(it.view));
        notify.into_iter().for_each(|it| access.set_notify(it.view));
        Arc::new(access)
    }

    /// What of a view is within another one; `None`: all of it.
    fn within(&mut self, inner: &AdminString, outer: &AdminString) -> Option<Compiled> {
        let (tree, policy) = (self.tree, self.policy);
        let compile = || {
            let view = |name: &AdminString| policy.view(name.octets()).unwrap_or(View::NOTHING);
            let view = Arc::new(Quick::new(Arc::new(within(&view(inner), &view(outer))?)));
            Some(Compiled { rights: Rights::new(tree.leaves(), view.clone()), view })
        };
        if inner == outer {
            return None;
        }
        self.within.entry([inner.clone(), outer.clone()]).or_insert_with(compile).clone()
    }

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
        let nothing = || Arc::new(Quick::new(Arc::new(View::NOTHING)));
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
            let view = Arc::new(Quick::new(Arc::new(policy.view(name.octets())?)));
            Some(Compiled { rights: Rights::new(tree.leaves(), view.clone()), view })
        };
        self.views.entry(name).or_insert_with(compile).clone()
    }
}
