//! SNMP-VIEW-BASED-ACM-MIB (RFC 3415): the access policy as managers see and change it.
//!
//! The tables contain the configuration's policy, read-only, and the rows that managers have created. A
//! [`Policy`] is built from both after each change and passed to the listener before the set that changed it is
//! answered, so that it decides the next request.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use trunkline_smi::module::snmp_view_based_acm_mib as mib;
use trunkline_smi::schema::{IndexPart, Table};
use trunkline_smi::{IndexValue, OidBuf, Value, decode_index, encode_index};
use trunkline_tree::policy::{
    AccessKey, AccessRow, AdminString, ContextMatch, FamilyKey, FamilyRow, GroupKey, GroupRow, Policy,
    Principal, RowState, SecurityLevel, SecurityModel,
};
use trunkline_tree::{
    Group, Loaded, Mask, Provider, SetError, SetItem, SetTransaction, Snapshot, SourceError,
};

use super::published::Published;
use super::rows::{LockedChange, Row, RowStore, RowTable, Rows, Rules};
use super::spin_lock::SpinLock;
use super::state_file::StateError;

/// The group `vacm`.
pub static VACM: Group = Group {
    name: "vacm",
    scalars: &[&mib::VACM_VIEW_SPIN_LOCK],
    tables: &[
        &mib::VACM_CONTEXT_TABLE,
        &mib::VACM_SECURITY_TO_GROUP_TABLE,
        &mib::VACM_ACCESS_TABLE,
        &mib::VACM_VIEW_TREE_FAMILY_TABLE,
    ],
};

static TABLES: &[RowTable] = &[
    RowTable {
        tables: &[&mib::VACM_SECURITY_TO_GROUP_TABLE],
        status: "vacmSecurityToGroupStatus",
        storage: "vacmSecurityToGroupStorageType",
        required: &["vacmGroupName"],
        defaults: |_| Vec::new(),
        fixed_while_active: &[],
        first: &[],
    },
    RowTable {
        tables: &[&mib::VACM_ACCESS_TABLE],
        status: "vacmAccessStatus",
        storage: "vacmAccessStorageType",
        required: &[],
        defaults: |_| access_cells(ContextMatch::Exact, [&[], &[], &[]]),
        fixed_while_active: &[],
        first: &[],
    },
    RowTable {
        tables: &[&mib::VACM_VIEW_TREE_FAMILY_TABLE],
        status: "vacmViewTreeFamilyStatus",
        storage: "vacmViewTreeFamilyStorageType",
        required: &[],
        defaults: |_| family_cells(&Mask::default(), true),
        fixed_while_active: &[],
        first: &[],
    },
];

/// RFC 3415 requires nothing of columns beyond their syntax. Roles that are data come and go: a user who loses them has the group again that a manager has
/// given to it.
struct NoRules;

impl Rules for NoRules {
    fn comes_back(&self, table: &RowTable) -> bool {
        std::ptr::eq(table.tables[0], &mib::VACM_SECURITY_TO_GROUP_TABLE)
    }
}

/// The provider of the group `vacm`.
pub struct VacmGroup {
    shared: Arc<Shared>,
    store: Arc<RowStore>,
    lock: SpinLock,
}

/// Of roles: which they inherit, and which they administer.
type Relations = [BTreeMap<AdminString, Vec<AdminString>>; 2];

/// The value derived from the rows.
#[derive(Default)]
struct Shared {
    /// Those that the configuration names.
    contexts: RwLock<BTreeSet<AdminString>>,
    /// Which of its roles inherit which, and administer which: no table has that.
    relations: RwLock<Relations>,
    /// Those that subagents answer for besides.
    served: RwLock<BTreeSet<AdminString>>,
    policy: Published<Policy>,
}

impl VacmGroup {
    /// The group with what managers have set before, kept in `vacm.toml`. `serial` is where vacmViewSpinLock starts.
    pub fn open(directory: &Path, serial: i32) -> Result<Self, StateError> {
        let shared = Arc::new(Shared::default());
        let told = shared.clone();
        let store = RowStore::open(TABLES, &[], Box::new(NoRules), (directory, "vacm.toml"), move |rows| {
            told.take(rows);
        })?;
        Ok(VacmGroup { shared, store, lock: SpinLock::new(serial) })
    }

    /// Applies the policy of a configuration.
    pub fn configure(&self, configured: &Policy) {
        let contexts = &self.shared.contexts;
        contexts.write().unwrap_or_else(PoisonError::into_inner).clone_from(&configured.contexts);
        let relations = [&configured.juniors, &configured.administers].map(Clone::clone);
        *self.shared.relations.write().unwrap_or_else(PoisonError::into_inner) = relations;
        self.store.configure(&rows_of(configured));
    }

    /// The contexts that exist since a subagent answers for them, besides those of the configuration.
    pub fn serve(&self, contexts: BTreeSet<AdminString>) {
        let served = &self.shared.served;
        let before =
            std::mem::replace(&mut *served.write().unwrap_or_else(PoisonError::into_inner), contexts.clone());
        if before != contexts {
            let policy = Policy { contexts: self.shared.contexts(), ..(*self.policy()).clone() };
            self.shared.policy.publish(policy);
        }
    }

    /// The rows.
    pub fn store(&self) -> &Arc<RowStore> {
        &self.store
    }

    /// The groups that managers have given to principals that have others by the configuration now.
    pub fn covered(&self) -> BTreeMap<GroupKey, GroupRow> {
        policy_of(&self.store.covered(), BTreeSet::new()).groups
    }

    /// Whether a manager has given a group to a principal, also if it has another one by the configuration now.
    pub fn is_set(&self, model: SecurityModel, name: &[u8]) -> bool {
        let table = &mib::VACM_SECURITY_TO_GROUP_TABLE;
        let values = [IndexValue::Integer(model.0), IndexValue::Octets(name.to_vec())];
        index(table, &values).is_some_and(|index| self.store.is_set(table, &index))
    }

    /// The present policy.
    pub fn policy(&self) -> Arc<Policy> {
        self.shared.policy.get()
    }

    /// The listener for each change of the policy, called in the thread that makes it; one at a time.
    pub fn on_change(&self, listener: impl Fn(&Arc<Policy>) + Send + Sync + 'static) {
        self.shared.policy.on_change(listener);
    }
}

impl Shared {
    fn take(&self, rows: &Rows) {
        let [juniors, administers] = self.relations.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.policy.publish(Policy { juniors, administers, ..policy_of(rows, self.contexts()) });
    }

    fn contexts(&self) -> BTreeSet<AdminString> {
        let mut contexts = self.contexts.read().unwrap_or_else(PoisonError::into_inner).clone();
        contexts.extend(self.served.read().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        contexts
    }
}

impl Provider for VacmGroup {
    fn group(&self) -> &'static Group {
        &VACM
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&VACM);
        snapshot.live(&mib::VACM_VIEW_SPIN_LOCK, self.lock.live());
        let mut contexts = self.policy().contexts.clone();
        contexts.insert(AdminString::default());
        let table = snapshot.table(&mib::VACM_CONTEXT_TABLE);
        for context in &contexts {
            if let Some(index) = index(&mib::VACM_CONTEXT_TABLE, &[octets(context)]) {
                table.row(&index).octets(1, context.octets());
            }
        }
        self.store.fill(&mut snapshot);
        Ok(Loaded::Snapshot(snapshot.finish()))
    }

    fn prepare_set_by(
        &self,
        principal: Option<&Principal<'_>>,
        items: &[SetItem<'_>],
    ) -> Result<Box<dyn SetTransaction>, SetError> {
        let lock = ("vacmViewSpinLock", &self.lock);
        Ok(Box::new(LockedChange::prepare(&self.store, lock, items, principal)?))
    }
}

/// The rows of a policy.
fn rows_of(policy: &Policy) -> Rows {
    let mut rows = Rows::new();
    let mut insert = |table: &'static Table, values: &[IndexValue], state: &RowState, cells| {
        if let Some(index) = index(table, values) {
            rows.insert(table, index, Row::configured(state.storage, cells));
        }
    };
    for (key, row) in &policy.groups {
        let values = [IndexValue::Integer(key.model.0), octets(&key.name)];
        let cells = vec![("vacmGroupName", text(&row.group))];
        insert(&mib::VACM_SECURITY_TO_GROUP_TABLE, &values, &row.state, cells);
    }
    for (key, row) in &policy.access {
        let level = IndexValue::Integer(key.level.code().unsigned_abs());
        let values = [octets(&key.group), octets(&key.context), IndexValue::Integer(key.model.0), level];
        let views = [&row.read, &row.write, &row.notify].map(AdminString::octets);
        insert(&mib::VACM_ACCESS_TABLE, &values, &row.state, access_cells(row.context_match, views));
    }
    for (key, row) in &policy.families {
        let values = [octets(&key.view), IndexValue::ObjectIdentifier(key.subtree.clone())];
        let cells = family_cells(&row.mask, row.included);
        insert(&mib::VACM_VIEW_TREE_FAMILY_TABLE, &values, &row.state, cells);
    }
    rows
}

/// The policy that active rows are.
fn policy_of(rows: &Rows, contexts: BTreeSet<AdminString>) -> Policy {
    let mut policy = Policy { contexts, ..Policy::default() };
    for (values, row) in active(rows, &mib::VACM_SECURITY_TO_GROUP_TABLE) {
        if let [IndexValue::Integer(model), IndexValue::Octets(name)] = &values[..] {
            let key = GroupKey { model: SecurityModel(*model), name: name_of(name) };
            let group = name_of(row.octets("vacmGroupName"));
            policy.groups.insert(key, GroupRow { group, state: row.state });
        }
    }
    for (values, row) in active(rows, &mib::VACM_ACCESS_TABLE) {
        if let Some(key) = access_key(&values) {
            policy.access.insert(key, access_row(row));
        }
    }
    for (values, row) in active(rows, &mib::VACM_VIEW_TREE_FAMILY_TABLE) {
        if let [IndexValue::Octets(view), IndexValue::ObjectIdentifier(subtree)] = &values[..] {
            let key = FamilyKey { view: name_of(view), subtree: subtree.clone() };
            // Its syntax allows no more octets than a mask has.
            let mask = Mask::new(row.octets("vacmViewTreeFamilyMask")).unwrap_or_default();
            let included = row.integer("vacmViewTreeFamilyType") == INCLUDED;
            policy.families.insert(key, FamilyRow { mask, included, state: row.state });
        }
    }
    policy
}

fn active<'r>(rows: &'r Rows, table: &'static Table) -> impl Iterator<Item = (Vec<IndexValue>, &'r Row)> {
    rows.active(table).filter_map(|(index, row)| Some((decode_index(table.index, index).ok()?, row)))
}

fn access_key(values: &[IndexValue]) -> Option<AccessKey> {
    let [
        IndexValue::Octets(group),
        IndexValue::Octets(context),
        IndexValue::Integer(model),
        IndexValue::Integer(level),
    ] = values
    else {
        return None;
    };
    Some(AccessKey {
        group: name_of(group),
        context: name_of(context),
        model: SecurityModel(*model),
        level: SecurityLevel::from_code(i32::try_from(*level).ok()?)?,
    })
}

fn access_row(row: &Row) -> AccessRow {
    let is_prefix = row.integer("vacmAccessContextMatch") == ContextMatch::Prefix as i32;
    AccessRow {
        context_match: if is_prefix { ContextMatch::Prefix } else { ContextMatch::Exact },
        read: name_of(row.octets("vacmAccessReadViewName")),
        write: name_of(row.octets("vacmAccessWriteViewName")),
        notify: name_of(row.octets("vacmAccessNotifyViewName")),
        state: row.state,
    }
}

fn access_cells(context_match: ContextMatch, views: [&[u8]; 3]) -> Vec<(&'static str, Value)> {
    let [read, write, notify] = views.map(|name| Value::OctetString(name.to_vec()));
    vec![
        ("vacmAccessContextMatch", Value::Integer(context_match as i32)),
        ("vacmAccessReadViewName", read),
        ("vacmAccessWriteViewName", write),
        ("vacmAccessNotifyViewName", notify),
    ]
}

/// vacmViewTreeFamilyType.
const INCLUDED: i32 = 1;
const EXCLUDED: i32 = 2;

fn family_cells(mask: &Mask, included: bool) -> Vec<(&'static str, Value)> {
    vec![
        ("vacmViewTreeFamilyMask", Value::OctetString(mask.octets().to_vec())),
        ("vacmViewTreeFamilyType", Value::Integer(if included { INCLUDED } else { EXCLUDED })),
    ]
}

fn index(table: &Table, values: &[IndexValue]) -> Option<Vec<u32>> {
    let parts: &[IndexPart] = table.index;
    let mut buffer = OidBuf::new();
    encode_index(parts, values, &mut buffer).ok().map(|()| buffer.to_vec())
}

fn octets(name: &AdminString) -> IndexValue {
    IndexValue::Octets(name.octets().to_vec())
}

fn text(name: &AdminString) -> Value {
    Value::OctetString(name.octets().to_vec())
}

/// A name whose length the schema has checked.
fn name_of(octets: &[u8]) -> AdminString {
    AdminString::try_from(octets).unwrap_or_default()
}

#[cfg(test)]
mod tests;
