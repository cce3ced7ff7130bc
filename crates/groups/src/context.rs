//! A member as a context of this agent: its objects under the names that they have there.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use trunkline_polling::{Snapshot, Wanted};
use trunkline_regions::{Asking, ContextProxy, RegionHandler, context_under_policy};
use trunkline_smi::{Oid, Value};
use trunkline_tree::{Aim, Question, Region, RegionAnswer, SetCheck, SetError, SetItem, SetTransaction};

use crate::store::Store;

/// The contexts of all members, `GROUP/MEMBER`.
pub(crate) fn all(store: &Arc<Mutex<Store>>, started: Instant) -> Vec<ContextProxy> {
    let held = store.lock().unwrap_or_else(PoisonError::into_inner);
    let plans: Vec<_> = held.groups.values().map(|group| group.plan.clone()).collect();
    drop(held);
    let contexts = plans.iter().flat_map(|plan| plan.contexts().map(move |context| (plan, context)));
    let proxy = |(plan, (name, member)): (&Arc<trunkline_config::GroupPlan>, (String, &str))| {
        let (group, member) = (plan.name.clone(), member.to_owned());
        let context = MemberContext { store: store.clone(), started, group, member };
        context_under_policy(name.into_bytes(), Arc::new(context))
    };
    contexts.map(proxy).collect()
}

struct MemberContext {
    store: Arc<Mutex<Store>>,
    started: Instant,
    group: String,
    member: String,
}

/// What was read of a member, by the names that it has there.
struct Objects {
    wanted: Arc<Wanted>,
    read: Arc<Snapshot>,
    max_age: Duration,
    now: Duration,
}

/// Where instances are in a snapshot: a scalar, or a column of a table.
#[derive(Clone, Copy)]
enum Place {
    Scalar(usize),
    Column(usize, usize),
}

impl MemberContext {
    /// What is known of the member.
    fn objects(&self) -> Option<Objects> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let group = store.groups.get(&self.group)?;
        let read = group.members.get(&self.member)?.snapshot.clone()?;
        let (wanted, max_age) = (group.wanted.clone(), group.plan.max_age);
        Some(Objects { wanted, read, max_age, now: self.started.elapsed() })
    }

    fn answer(&self, question: Question<'_>) -> RegionAnswer {
        let Some(objects) = self.objects() else { return RegionAnswer::Nothing };
        let mut rest = objects.from(question.name, question.aim == Aim::Behind);
        if question.aim == Aim::Exactly {
            return rest.next().filter(|(name, _)| **name == *question.name).into();
        }
        let found: VecDeque<_> = rest.by_ref().take(question.wanted).collect();
        RegionAnswer::Run { is_all: rest.next().is_none(), found }
    }
}

impl Objects {
    /// The instances from a name on, or behind it, in order.
    fn from(&self, name: &[u32], is_behind: bool) -> impl Iterator<Item = (Oid, Value)> {
        let scalars = self.wanted.scalars.iter().enumerate().map(|(at, name)| (name, Place::Scalar(at)));
        let tables = self.wanted.tables.iter().enumerate();
        let columns = tables.flat_map(|(table, columns)| {
            columns.iter().enumerate().map(move |(at, name)| (name, Place::Column(table, at)))
        });
        let first = |(of, place): (&Oid, Place)| {
            let row = match (name.strip_prefix(&**of), place) {
                (Some(index), Place::Column(table, _)) => {
                    let table = self.read.tables.get(table)?;
                    let row = table.find(index);
                    row + usize::from(is_behind && row < table.len() && table.index_of(row) == index)
                }
                (Some(index), Place::Scalar(_)) => usize::from(is_behind || !index.is_empty()),
                (None, _) if **of < *name => return None,
                (None, _) => 0,
            };
            self.instance(of.clone(), place, row)
        };
        let mut heads: BTreeMap<Oid, Head> = scalars.chain(columns).filter_map(first).collect();
        std::iter::from_fn(move || {
            let (name, Head { of, place, row, value }) = heads.pop_first()?;
            heads.extend(self.instance(of, place, row + 1));
            Some((name, value))
        })
    }

    /// The first instance from a row on that is not too old.
    fn instance(&self, of: Oid, place: Place, from: usize) -> Option<(Oid, Head)> {
        let is_fresh = |at: Duration| self.now.saturating_sub(at) <= self.max_age;
        match place {
            Place::Scalar(at) => {
                let scalar = self.read.scalars.get(at).filter(|scalar| from == 0 && is_fresh(scalar.at))?;
                let value = scalar.value.clone().ok()?;
                Some((of.clone(), Head { of, place, row: 0, value }))
            }
            Place::Column(table, column) => {
                let table = self.read.tables.get(table)?;
                (from..table.len()).find_map(|row| {
                    let (value, _) = table.cell(row, column).filter(|(_, at)| is_fresh(*at))?;
                    let name = Oid::new(&[&of[..], table.index_of(row)].concat()).ok()?;
                    Some((name, Head { of: of.clone(), place, row, value: value.to_value() }))
                })
            }
        }
    }
}

/// The next instance of a scalar or a column.
struct Head {
    of: Oid,
    place: Place,
    row: usize,
    value: Value,
}

impl RegionHandler for MemberContext {
    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a> {
        Box::pin(std::future::ready(Ok(self.answer(question))))
    }
}

impl Region for MemberContext {
    /// What was read of a member is not what it is.
    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        Err(SetError {
            binding: items.first().map_or(0, |item| item.binding),
            check: SetCheck::NotWritable,
            reason: "values of a group's member are read, not set".into(),
        })
    }
}
