//! The rows of VACM's four tables (RFC 3415 section 4), and the policy that they make.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use trunkline_smi::{Oid, SecurityLevel};

use crate::{Family, Mask, View};

/// The four tables. A value: it is cloned, changed and swapped as a whole.
///
/// Only rows whose [`RowStatus`] is active count; the others are kept for VACM's provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// vacmContextTable: the existing contexts; `""` is the default context.
    pub contexts: BTreeSet<AdminString>,
    /// vacmSecurityToGroupTable.
    pub groups: BTreeMap<GroupKey, GroupRow>,
    /// vacmAccessTable.
    pub access: BTreeMap<AccessKey, AccessRow>,
    /// vacmViewTreeFamilyTable.
    pub families: BTreeMap<FamilyKey, FamilyRow>,
    /// From roles of the configuration, which are groups, to those that they inherit, their juniors. Access does not depend on it: it is
    /// which roles a principal may act in.
    pub juniors: BTreeMap<AdminString, Vec<AdminString>>,
    /// From roles to those that their members may change.
    pub administers: BTreeMap<AdminString, Vec<AdminString>>,
}

/// The index of vacmSecurityToGroupTable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKey {
    /// vacmSecurityModel; never [`SecurityModel::ANY`].
    pub model: SecurityModel,
    /// vacmSecurityName, 1 to 32 octets.
    pub name: AdminString,
}

/// A row of vacmSecurityToGroupTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRow {
    /// vacmGroupName, 1 to 32 octets.
    pub group: AdminString,
    /// Origin, storage and status.
    pub state: RowState,
}

/// The index of vacmAccessTable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccessKey {
    /// vacmGroupName.
    pub group: AdminString,
    /// vacmAccessContextPrefix.
    pub context: AdminString,
    /// vacmAccessSecurityModel; [`SecurityModel::ANY`] for each.
    pub model: SecurityModel,
    /// vacmAccessSecurityLevel: the least that is enough.
    pub level: SecurityLevel,
}

/// A row of vacmAccessTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRow {
    /// vacmAccessContextMatch.
    pub context_match: ContextMatch,
    /// vacmAccessReadViewName; empty: no view.
    pub read: AdminString,
    /// vacmAccessWriteViewName; empty: no view.
    pub write: AdminString,
    /// vacmAccessNotifyViewName; empty: no view.
    pub notify: AdminString,
    /// Origin, storage and status.
    pub state: RowState,
}

/// The index of vacmViewTreeFamilyTable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FamilyKey {
    /// vacmViewTreeFamilyViewName, 1 to 32 octets.
    pub view: AdminString,
    /// vacmViewTreeFamilySubtree.
    pub subtree: Oid,
}

/// A row of vacmViewTreeFamilyTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyRow {
    /// vacmViewTreeFamilyMask.
    pub mask: Mask,
    /// vacmViewTreeFamilyType: included(1) or excluded(2).
    pub included: bool,
    /// Origin, storage and status.
    pub state: RowState,
}

/// The fields of every row besides its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowState {
    /// Its origin.
    pub origin: Origin,
    /// How long it lasts and whether it may be changed.
    pub storage: StorageType,
    /// Whether it counts.
    pub status: RowStatus,
}

/// Where a row comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Our configuration.
    Config,
    /// A manager's set.
    Set,
}

/// StorageType (RFC 2579).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageType {
    /// Anything else.
    Other = 1,
    /// Lost when the agent ends.
    Volatile = 2,
    /// Kept over restarts.
    NonVolatile = 3,
    /// Kept, may be changed but not deleted.
    Permanent = 4,
    /// Kept, may be neither changed nor deleted.
    ReadOnly = 5,
}

/// RowStatus (RFC 2579), the three states that a row can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowStatus {
    /// It counts.
    Active = 1,
    /// It is complete and does not count.
    NotInService = 2,
    /// Something is missing.
    NotReady = 3,
}

/// SnmpSecurityModel (RFC 3411): which model vouches for a security name.
/// The default is [`SecurityModel::ANY`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecurityModel(pub u32);

/// vacmAccessContextMatch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContextMatch {
    /// The context of the request is the row's.
    #[default]
    Exact = 1,
    /// The context of the request begins with the row's.
    Prefix = 2,
}

/// The kind of access to an object (RFC 3411 section 4.3, viewType).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewType {
    /// Get, GetNext, GetBulk.
    Read,
    /// Set.
    Write,
    /// Be sent it in a notification.
    Notify,
}

/// SnmpAdminString (RFC 3411) of at most 32 octets: names of groups, views, contexts and principals.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AdminString(Box<[u8]>);

/// More than 32 octets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name {name:?} has {found} octets, expected at most 32")]
pub struct AdminStringTooLongError {
    /// The name.
    pub name: String,
    /// How many octets it has.
    pub found: usize,
}

impl Policy {
    /// The view of this name, of its active families; `None` without one, and for the empty name.
    pub fn view(&self, name: &[u8]) -> Option<View> {
        let rows = self.families_of(name).filter(|(_, row)| row.state.is_active());
        let mut view = View::NOTHING;
        rows.for_each(|(key, row)| view.insert(row.family(key)));
        (!name.is_empty() && !view.families().is_empty()).then_some(view)
    }

    /// The rows of the view of this name.
    pub fn families_of<'p>(&'p self, name: &[u8]) -> impl Iterator<Item = (&'p FamilyKey, &'p FamilyRow)> {
        let first = AdminString::try_from(name).ok().map(|view| FamilyKey { view, subtree: Oid::EMPTY });
        let rows = first.map(|first| {
            let view = first.view.clone();
            self.families.range(first..).take_while(move |(key, _)| key.view == view)
        });
        rows.into_iter().flatten()
    }

    /// The shortest way of inheritance from a group down to a role that is the same or a junior of it; `None`: it is neither.
    pub fn inheritance<'p>(&'p self, group: &'p AdminString, role: &[u8]) -> Option<Vec<&'p AdminString>> {
        let mut seen = BTreeSet::new();
        let mut open = VecDeque::from([vec![group]]);
        while let Some(path) = open.pop_front() {
            let Some(last) = path.last().copied() else { continue };
            if last.octets() == role {
                return Some(path);
            }
            if seen.insert(last) {
                let below = self.juniors.get(last).into_iter().flatten();
                open.extend(below.map(|junior| path.iter().copied().chain([junior]).collect()));
            }
        }
        None
    }

    /// A group and all that are below it.
    pub fn with_juniors<'p>(&'p self, group: &'p AdminString) -> BTreeSet<&'p AdminString> {
        let mut all = BTreeSet::new();
        let mut open = vec![group];
        while let Some(next) = open.pop() {
            if all.insert(next) {
                open.extend(self.juniors.get(next).into_iter().flatten());
            }
        }
        all
    }

    /// Adds a view's families as rows.
    pub fn add_view(&mut self, name: &AdminString, view: &View, state: RowState) {
        for family in view.families() {
            let key = FamilyKey { view: name.clone(), subtree: family.subtree.clone() };
            self.families.insert(key, FamilyRow { mask: family.mask, included: family.included, state });
        }
    }

    /// This policy with the rows that managers have set. If both have a row, this policy's wins.
    #[must_use]
    pub fn with_set_rows(mut self, set: &Policy) -> Self {
        self.contexts.extend(set.contexts.iter().cloned());
        for (key, row) in &set.groups {
            self.groups.entry(key.clone()).or_insert_with(|| row.clone());
        }
        for (key, row) in &set.access {
            self.access.entry(key.clone()).or_insert_with(|| row.clone());
        }
        for (key, row) in &set.families {
            self.families.entry(key.clone()).or_insert_with(|| row.clone());
        }
        self
    }

    /// Only the rows that managers have set: those that survive a change of the configuration, and of them those
    /// with [`RowState::is_kept`] a restart.
    #[must_use]
    pub fn set_rows(&self) -> Policy {
        let is_set = |state: &RowState| state.origin == Origin::Set;
        let mut set = self.clone();
        set.contexts.clear();
        set.juniors.clear();
        set.administers.clear();
        set.groups.retain(|_, row| is_set(&row.state));
        set.access.retain(|_, row| is_set(&row.state));
        set.families.retain(|_, row| is_set(&row.state));
        set
    }
}

impl GroupKey {
    /// Whether this is the key of a principal.
    pub fn is(&self, model: SecurityModel, name: &[u8]) -> bool {
        self.model == model && self.name.octets() == name
    }
}

impl AccessRow {
    /// The name of the view for this use; empty: none.
    pub fn view(&self, view_type: ViewType) -> &AdminString {
        match view_type {
            ViewType::Read => &self.read,
            ViewType::Write => &self.write,
            ViewType::Notify => &self.notify,
        }
    }
}

impl FamilyRow {
    /// The row as a family of a view.
    pub fn family(&self, key: &FamilyKey) -> Family {
        Family { subtree: key.subtree.clone(), mask: self.mask, included: self.included }
    }
}

impl RowState {
    /// A row of the configuration: active, and not for managers to change.
    pub const CONFIG: RowState =
        RowState { origin: Origin::Config, storage: StorageType::ReadOnly, status: RowStatus::Active };

    /// Whether the row counts.
    pub fn is_active(&self) -> bool {
        self.status == RowStatus::Active
    }

    /// Whether a manager has set it and it lasts over a restart.
    pub fn is_kept(&self) -> bool {
        self.origin == Origin::Set && !matches!(self.storage, StorageType::Volatile | StorageType::Other)
    }
}

impl StorageType {
    /// By its number in RFC 2579.
    pub fn from_number(number: i32) -> Option<Self> {
        use StorageType as S;
        [S::Other, S::Volatile, S::NonVolatile, S::Permanent, S::ReadOnly]
            .into_iter()
            .find(|known| *known as i32 == number)
    }
}

impl SecurityModel {
    /// Each; only in vacmAccessTable.
    pub const ANY: SecurityModel = SecurityModel(0);
    /// SNMPv1: communities.
    pub const V1: SecurityModel = SecurityModel(1);
    /// SNMPv2c: communities.
    pub const V2C: SecurityModel = SecurityModel(2);
    /// The User-based Security Model.
    pub const USM: SecurityModel = SecurityModel(3);
    /// The Transport Security Model (RFC 5591).
    pub const TSM: SecurityModel = SecurityModel(4);
}

impl From<u32> for SecurityModel {
    fn from(number: u32) -> Self {
        SecurityModel(number)
    }
}

impl fmt::Display for SecurityModel {
    /// As in our configuration.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            SecurityModel::ANY => f.write_str("any"),
            SecurityModel::V1 => f.write_str("v1"),
            SecurityModel::V2C => f.write_str("v2c"),
            SecurityModel::USM => f.write_str("usm"),
            SecurityModel::TSM => f.write_str("tsm"),
            SecurityModel(number) => write!(f, "{number}"),
        }
    }
}

impl fmt::Display for ViewType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ViewType::Read => "read",
            ViewType::Write => "write",
            ViewType::Notify => "notify",
        })
    }
}

impl ContextMatch {
    /// Whether a context of a request is one of the row's.
    pub fn matches(self, row: &[u8], context: &[u8]) -> bool {
        match self {
            ContextMatch::Exact => row == context,
            ContextMatch::Prefix => context.starts_with(row),
        }
    }
}

impl AdminString {
    /// The most octets.
    pub const MAX_OCTETS: usize = 32;

    /// The octets.
    pub fn octets(&self) -> &[u8] {
        &self.0
    }

    /// Whether it has no octets.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<&[u8]> for AdminString {
    type Error = AdminStringTooLongError;

    fn try_from(octets: &[u8]) -> Result<Self, Self::Error> {
        if octets.len() > AdminString::MAX_OCTETS {
            let name = String::from_utf8_lossy(octets).into_owned();
            return Err(AdminStringTooLongError { name, found: octets.len() });
        }
        Ok(AdminString(octets.into()))
    }
}

impl TryFrom<&str> for AdminString {
    type Error = AdminStringTooLongError;

    fn try_from(text: &str) -> Result<Self, Self::Error> {
        AdminString::try_from(text.as_bytes())
    }
}

impl Borrow<[u8]> for AdminString {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for AdminString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl fmt::Debug for AdminString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(&self.0), f)
    }
}
