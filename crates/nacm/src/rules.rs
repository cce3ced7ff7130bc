//! The policy as rules (RFC 8341 section 3.3.5): a list for each group, in which the first rule that matches decides, as a view's longest
//! family does. What no rule matches is denied, as in a view.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use trunkline_smi::module::ALL;
use trunkline_smi::schema::Table;
use trunkline_smi::{Oid, index_refs};
use trunkline_tree::policy::{
    AdminString, Decision, Policy, Principal, SecurityLevel, SecurityModel, ViewType,
};
use trunkline_tree::{Coverage, Family, View};
use trunkline_yang::forest::{Forest, NodeId, Place as NodePlace};
use trunkline_yang::lexical;
use trunkline_yang::own::EVENTS;

use crate::governing::{Governing, governing};
use crate::operation::{OPERATIONS, Right};
use crate::place::Place;

/// A group's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleList {
    /// The group, which is a role of the configuration, or one that a manager has made.
    pub group: String,
    /// The first that matches decides.
    pub rules: Vec<Rule>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Tells it from the others of its list.
    pub name: String,
    /// What it is about.
    pub kind: Kind,
    /// What of it.
    pub action: Action,
    /// Whether that is permitted.
    pub permits: bool,
    /// What the words of NACM cannot say.
    pub comment: Option<String>,
}

/// What a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An operation of a module, or all of all.
    Operation(&'static str, &'static str),
    /// A notification of a module.
    Notification(&'static str, &'static str),
    /// A node and what is in it; none: everything.
    Data(Place),
}

/// What somebody wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Use an operation.
    Execute,
    /// Read data, or receive a notification.
    Read,
    /// Create, change or delete.
    Write,
}

impl Action {
    /// The value of `access-operations`.
    #[must_use]
    pub const fn bits(self) -> &'static str {
        match self {
            Action::Execute => "exec",
            Action::Read => "read",
            Action::Write => "create update delete",
        }
    }
}

/// The rules of the policy that somebody wanted to see last: they are made once for it.
#[derive(Default)]
pub struct KeptRules(Mutex<Option<(Weak<Policy>, RuleLists)>>);

type RuleLists = Arc<Vec<RuleList>>;

impl KeptRules {
    /// As [`rule_lists`], always of the same forest.
    pub fn of(&self, forest: &Forest, policy: &Arc<Policy>) -> RuleLists {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Its address belongs to the old policy as long as it is held here.
        let is_it = |(of, _): &&(Weak<Policy>, _)| of.as_ptr() == Arc::as_ptr(policy);
        if let Some((_, lists)) = kept().as_ref().filter(is_it) {
            return lists.clone();
        }
        let lists = Arc::new(rule_lists(forest, policy));
        *kept() = Some((Arc::downgrade(policy), lists.clone()));
        lists
    }
}

/// The rules of every group whose users may have sessions of NETCONF or send requests of RESTCONF.
#[must_use]
pub fn rule_lists(forest: &Forest, policy: &Policy) -> Vec<RuleList> {
    let governed = Governed::new(forest);
    let mut lists: BTreeMap<&AdminString, RuleList> = BTreeMap::new();
    let sessions =
        policy.groups.iter().filter(|(key, row)| key.model == SecurityModel::TSM && row.state.is_active());
    for (key, row) in sessions {
        if !lists.contains_key(&row.group) {
            lists.insert(&row.group, rules_of(&governed, policy, &row.group, key.name.octets()));
        }
    }
    lists.into_values().collect()
}

/// A group's rules, by one of its users.
fn rules_of(governed: &Governed<'_>, policy: &Policy, group: &AdminString, user: &[u8]) -> RuleList {
    let forest = governed.forest;
    let mut list = Making { forest, governed, rules: Vec::new(), sums: HashMap::new() };
    // Sessions of NETCONF and RESTCONF are authenticated and, but for HTTP on this machine, encrypted.
    let principal = Principal::new(SecurityModel::TSM, user, SecurityLevel::AuthPriv);
    if let Ok(Decision { access, .. }) = policy.decide(&principal, b"") {
        let view = |of| policy.view(access.1.view(of).octets());
        let (read, write, notify) = (view(ViewType::Read), view(ViewType::Write), view(ViewType::Notify));
        list.operations(read.is_some(), write.as_ref());
        if let Some(view) = &read {
            list.data(Action::Read, view);
        }
        if let Some(view) = &write {
            list.data(Action::Write, view);
        }
        list.notifications(read.as_ref(), notify.as_ref());
    }
    RuleList { group: group.to_string(), rules: list.rules }
}

/// What decides about each node, as far as somebody wanted to know: all views ask the same.
struct Governed<'f> {
    forest: &'f Forest,
    nodes: Vec<OnceCell<Governing>>,
}

impl<'f> Governed<'f> {
    fn new(forest: &'f Forest) -> Self {
        Governed { forest, nodes: vec![OnceCell::new(); forest.size()] }
    }

    fn of(&self, node: NodeId) -> &Governing {
        self.nodes[node.position()].get_or_init(|| governing(self.forest, node))
    }
}

/// What the leaves at a node and in it have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    /// Some may be accessed.
    yes: bool,
    /// Some may not.
    no: bool,
    /// Of some, some instances.
    partly: bool,
}

impl Sum {
    const fn of(coverage: Coverage) -> Sum {
        match coverage {
            Coverage::All => Sum { yes: true, no: false, partly: false },
            Coverage::None => Sum { yes: false, no: true, partly: false },
            Coverage::Some => Sum { yes: false, no: false, partly: true },
        }
    }

    const fn and(self, other: Sum) -> Sum {
        Sum { yes: self.yes || other.yes, no: self.no || other.no, partly: self.partly || other.partly }
    }

    const fn is_nothing(self) -> bool {
        !(self.yes || self.no || self.partly)
    }

    /// Whether everything is alike, and how.
    const fn uniform(self) -> Option<bool> {
        match self {
            Sum { yes: true, no: false, partly: false } => Some(true),
            Sum { yes: false, no: true, partly: false } => Some(false),
            _ => None,
        }
    }
}

/// The least of what a view has of these.
pub(crate) fn coverage(governing: &Governing, view: &View) -> Option<Coverage> {
    let all = |objects: &[crate::governing::Object]| {
        let mut least = Coverage::All;
        for object in objects {
            match object.coverage(view) {
                Coverage::None => return Coverage::None,
                Coverage::Some => least = Coverage::Some,
                Coverage::All => {}
            }
        }
        least
    };
    match governing {
        Governing::Objects(objects) => Some(all(objects)),
        Governing::InPart(objects) if all(objects) == Coverage::All => Some(Coverage::All),
        Governing::InPart(_) => Some(Coverage::Some),
        Governing::Everybody => Some(Coverage::All),
        Governing::Others => None,
    }
}

/// A list that is being made.
struct Making<'f> {
    forest: &'f Forest,
    governed: &'f Governed<'f>,
    rules: Vec<Rule>,
    /// For the view that is at work.
    sums: HashMap<NodeId, Sum>,
}

impl Making<'_> {
    fn add(&mut self, kind: Kind, action: Action, permits: bool, comment: Option<String>) {
        let word = match (&kind, action) {
            (Kind::Notification(..), _) => "notify",
            (_, Action::Execute) => "exec",
            (_, Action::Read) => "read",
            (_, Action::Write) => "write",
        };
        let name = format!("{word}-{}", self.rules.len() + 1);
        self.rules.push(Rule { name, kind, action, permits, comment });
    }

    /// Which operations may be used.
    fn operations(&mut self, reads: bool, write: Option<&View>) {
        let writes = write.is_some_and(|view| view.families().iter().any(|family| family.included));
        let right = match write {
            Some(view) if writes && writes_all(self.forest, view) => Right::Everything,
            _ if writes => Right::Write,
            _ if reads => Right::Read,
            _ => return,
        };
        for (module, name, needed) in OPERATIONS {
            if needed > right {
                self.add(Kind::Operation(module, name), Action::Execute, false, None);
            }
        }
        let comment = (!reads).then(|| "there is no view to read: get and the like are denied".to_owned());
        self.add(Kind::Operation(ANY, ANY), Action::Execute, true, comment);
    }

    /// Which data may be read or written.
    fn data(&mut self, action: Action, view: &View) {
        self.sums.clear();
        let forest = self.forest;
        let sums: Vec<(NodeId, Sum)> = forest
            .roots()
            .iter()
            .map(|root| (*root, self.sum(*root, action, view)))
            .filter(|(_, sum)| !sum.is_nothing())
            .collect();
        let denied = sums.iter().filter(|(_, sum)| sum.uniform() == Some(false)).count();
        // The shorter way to say it.
        let is_open = denied < sums.len() - denied;
        for (root, _) in &sums {
            self.node(*root, Place::of(*root), action, view, is_open);
        }
        if is_open {
            self.add(Kind::Data(Place::default()), action, true, None);
        }
    }

    /// What the leaves at a node and in it have in common.
    fn sum(&mut self, node: NodeId, action: Action, view: &View) -> Sum {
        if let Some(sum) = self.sums.get(&node) {
            return *sum;
        }
        let forest = self.forest;
        let place = &forest[node].place;
        let is_leaf = place.syntax().is_some();
        let sum = if is_leaf && (action == Action::Read || place.setting().is_some()) {
            let of = coverage(self.governed.of(node), view).map(Sum::of).unwrap_or_default();
            if of.partly && self.has_rows_alone(node, view) {
                // Rules for single rows are where their list is.
                Sum { yes: true, no: true, partly: false }
            } else {
                of
            }
        } else if is_leaf {
            Sum::default()
        } else {
            let mut sum = Sum::default();
            for child in &forest[node].children {
                let is_key = forest[*child].place.is_key();
                // A key is written with its entry, by who may write something in it.
                if is_key && (action == Action::Write || !matches!(place, NodePlace::Own { .. })) {
                    continue;
                }
                let of = self.sum(*child, action, view);
                // An entry is there for those who may read its keys.
                if is_key && of.uniform() == Some(false) {
                    sum = of;
                    break;
                }
                sum = sum.and(of);
            }
            sum
        };
        self.sums.insert(node, sum);
        sum
    }

    /// Adds the rules of a node where something else holds than for what it is in.
    fn node(&mut self, node: NodeId, place: Place, action: Action, view: &View, inherited: bool) {
        let forest = self.forest;
        let sum = self.sum(node, action, view);
        if let Some(permits) = sum.uniform() {
            if permits != inherited {
                self.add(Kind::Data(place), action, permits, None);
            }
            return;
        }
        if sum.is_nothing() {
            return;
        }
        if forest[node].place.syntax().is_some() {
            let of = coverage(self.governed.of(node), view);
            if of == Some(Coverage::Some) && !self.has_rows_alone(node, view) {
                let comment = Some(in_part(self.governed.of(node), view));
                self.add(Kind::Data(place), action, true, comment);
            } else {
                // Of a column with rules for single rows: the others.
                let permits = whole(self.governed.of(node), view);
                if permits != inherited {
                    self.add(Kind::Data(place), action, permits, None);
                }
            }
            return;
        }
        if let NodePlace::List(table) = forest[node].place {
            self.rows(node, table, &place, action, view);
            if let Some(permits) = self.other_rows(node, view).uniform() {
                if permits != inherited {
                    self.add(Kind::Data(place), action, permits, None);
                }
                return;
            }
        }
        for &child in &forest[node].children {
            if !forest[child].place.is_key() {
                self.node(child, place.child(child), action, view, true);
            }
        }
        // What is in a node that is denied is denied too (RFC 8341 section 3.2.4): a way to what may be read is permitted.
        if !inherited {
            self.add(Kind::Data(place), action, true, None);
        }
    }

    /// What the columns of a table have in common in rows that have no rules of their own.
    fn other_rows(&self, list: NodeId, view: &View) -> Sum {
        let forest = self.forest;
        let columns = forest[list].children.iter().filter(|it| !forest[**it].place.is_key());
        columns.fold(Sum::default(), |sum, column| {
            let is_some = coverage(self.governed.of(*column), view) == Some(Coverage::Some);
            sum.and(Sum::of(match is_some && !self.has_rows_alone(*column, view) {
                true => Coverage::Some,
                false if whole(self.governed.of(*column), view) => Coverage::All,
                false => Coverage::None,
            }))
        })
    }

    /// Whether a column is covered in part because of rows that a view names by their whole index.
    fn has_rows_alone(&self, node: NodeId, view: &View) -> bool {
        let NodePlace::Column(table, column) = self.forest[node].place else { return false };
        let oid = [table.oid, &[1, column.id]].concat();
        let finer = finer(view, &oid);
        !finer.is_empty()
            && finer.len() <= MOST_ROWS
            && finer.iter().all(|family| row_of(table, &oid, family).is_some())
    }

    /// The rules of single rows.
    fn rows(&mut self, list: NodeId, table: &'static Table, place: &Place, action: Action, view: &View) {
        let forest = self.forest;
        let columns: Vec<(NodeId, Vec<u32>)> = forest[list]
            .children
            .iter()
            .filter_map(|child| match forest[*child].place {
                NodePlace::Column(of, column) => Some((*child, [of.oid, &[1, column.id]].concat())),
                _ => None,
            })
            .collect();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for (_, oid) in columns.iter().filter(|(child, _)| self.has_rows_alone(*child, view)) {
            rows.extend(finer(view, oid).iter().filter_map(|family| row_of(table, oid, family)));
        }
        rows.sort();
        rows.dedup();
        for row in rows {
            let Some(keys) = keys(forest, list, table, &row) else { continue };
            let entry = place.clone().with_keys(&keys);
            let of = |oid: &Vec<u32>| view.contains(&[oid, &row[..]].concat());
            let permitted = columns.iter().filter(|(_, oid)| of(oid)).count();
            if permitted == 0 {
                self.add(Kind::Data(entry), action, false, None);
                continue;
            }
            for (child, _) in columns.iter().filter(|(_, oid)| !of(oid)) {
                self.add(Kind::Data(entry.clone().child(*child)), action, false, None);
            }
            self.add(Kind::Data(entry), action, true, None);
        }
    }

    /// Which notifications may be received. They are permitted by name; whether all objects in one may be seen is decided for each.
    fn notifications(&mut self, read: Option<&View>, notify: Option<&View>) {
        let names = Oid::EMPTY.child(NAMES);
        let sees_names = read.is_some_and(|view| view.coverage(&names) == Coverage::All);
        if read.is_some() {
            for module in EVENTS {
                for node in module.notifications {
                    // Of the streams themselves: always sent.
                    if module.name == "nc-notifications" {
                        continue;
                    }
                    let comment = (!sees_names).then(|| "only of the user's own session".to_owned());
                    self.add(Kind::Notification(module.name, node.name), Action::Read, true, comment);
                }
            }
        }
        let Some(view) = notify else { return };
        for module in ALL {
            for notification in module.notifications.iter().filter(|it| view.contains(it.oid)) {
                let comment = (!notification.objects.is_empty())
                    .then(|| "if the view to notify includes all objects in it".to_owned());
                self.add(Kind::Notification(module.name, notification.name), Action::Read, true, comment);
            }
        }
    }
}

/// Whether everything that can be configured may be changed.
pub(crate) fn writes_all(forest: &Forest, view: &View) -> bool {
    fn within(forest: &Forest, node: NodeId, view: &View) -> bool {
        match forest[node].place.setting() {
            Some(setting) => view.coverage(setting.object) == Coverage::All,
            None => forest[node].children.iter().all(|child| within(forest, *child, view)),
        }
    }
    let roots = forest.roots().iter().filter(|root| forest[**root].place.is_configuration());
    roots.copied().all(|root| within(forest, root, view))
}

/// Whether a view has what its families do not tell apart of a leaf.
fn whole(governing: &Governing, view: &View) -> bool {
    match governing {
        Governing::Objects(objects) => objects.iter().all(|it| match it.is_scalar {
            true => it.coverage(view) == Coverage::All,
            false => view.contains(&it.oid),
        }),
        Governing::InPart(_) | Governing::Everybody => true,
        Governing::Others => false,
    }
}

/// The families that decide about parts of an object.
fn finer<'v>(view: &'v View, oid: &[u32]) -> Vec<&'v Family> {
    let meets = |family: &Family| {
        oid.iter().enumerate().all(|(at, part)| family.is_open(at) || family.subtree.get(at) == Some(part))
    };
    view.families().iter().filter(|it| it.subtree.len() > oid.len() && meets(it)).collect()
}

/// The index of the only row of a column that a family is about.
fn row_of(table: &Table, oid: &[u32], family: &Family) -> Option<Vec<u32>> {
    let is_closed = (oid.len()..family.subtree.len()).all(|at| !family.is_open(at));
    let index = &family.subtree[oid.len()..];
    let is_whole = index_refs(table.index, index).all(|part| part.is_ok())
        && index_refs(table.index, index).count() == table.index.len();
    (is_closed && is_whole).then(|| index.to_vec())
}

/// The keys of a row as YANG has them.
fn keys(forest: &Forest, list: NodeId, table: &Table, row: &[u32]) -> Option<Vec<String>> {
    let mut octets = Vec::new();
    let mut found = Vec::new();
    for (part, index) in table.index.iter().zip(index_refs(table.index, row)) {
        let mut text = String::new();
        lexical::write(index.ok()?.value(part, &mut octets)?, &part.syntax, &mut text);
        found.push(text);
    }
    (found.len() == forest.keys(list).count()).then_some(found)
}

/// What a rule cannot say.
fn in_part(governing: &Governing, view: &View) -> String {
    let mut all: Vec<String> = Vec::new();
    match governing {
        Governing::Objects(objects) => {
            for object in objects {
                all.extend(finer(view, &object.oid).iter().map(|family| family.to_string()));
            }
        }
        _ => return "in part: what is the user's own, such as the session".to_owned(),
    }
    all.sort();
    all.dedup();
    let more = if all.len() > SHOWN { ", ..." } else { "" };
    all.truncate(SHOWN);
    format!("in part, as vacmViewTreeFamilyTable has it: {}{more}", all.join(", "))
}

/// Of modules and operations.
pub(crate) const ANY: &str = "*";
/// vacmSecurityToGroupTable.
const NAMES: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 2];
/// Rows of a column that have rules of their own.
const MOST_ROWS: usize = 64;
/// Families that a comment has.
const SHOWN: usize = 4;
