//! A member as a context of this agent: its objects under the names that they have there.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use trunkline_regions::{Asking, ContextProxy, RegionHandler, context_under_policy};
use trunkline_smi::{Oid, Value};
use trunkline_tree::{Aim, Question, Region, RegionAnswer, SetCheck, SetError, SetItem, SetTransaction};

use crate::store::{Group, Store};

/// The contexts of all members, `GROUP/MEMBER`.
pub(crate) fn all(store: &Arc<Mutex<Store>>, started: Instant) -> Vec<ContextProxy> {
    let held = store.lock().unwrap_or_else(PoisonError::into_inner);
    let plans: Vec<_> = held.groups.values().map(|group| group.plan.clone()).collect();
    drop(held);
    let contexts = plans.iter().flat_map(|plan| plan.contexts().map(move |context| (plan, context)));
    let proxy = |(plan, (name, member)): (&Arc<trunkline_config::GroupPlan>, (String, &str))| {
        let (group, member) = (plan.name.clone(), member.to_owned());
        let context =
            MemberContext { store: store.clone(), started, group, member, sorted: Mutex::default() };
        context_under_policy(name.into_bytes(), Arc::new(context))
    };
    contexts.map(proxy).collect()
}

struct MemberContext {
    store: Arc<Mutex<Store>>,
    started: Instant,
    group: String,
    member: String,
    /// What was read last, and when.
    sorted: Mutex<Option<(Duration, Arc<Objects>)>>,
}

/// Instances in order, each with the moment when it was read.
type Objects = Vec<(Oid, Value, Duration)>;

impl MemberContext {
    /// What is known of the member, and how old it may be.
    fn objects(&self) -> Option<(Arc<Objects>, Duration)> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let group = store.groups.get(&self.group)?;
        let read = group.members.get(&self.member)?.snapshot.as_ref()?;
        let mut sorted = self.sorted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, objects)) = &*sorted
            && *at == read.ended
        {
            return Some((objects.clone(), group.plan.max_age));
        }
        let objects = Arc::new(sort(group, read));
        *sorted = Some((read.ended, objects.clone()));
        Some((objects, group.plan.max_age))
    }

    fn answer(&self, question: Question<'_>) -> RegionAnswer {
        let Some((objects, max_age)) = self.objects() else { return RegionAnswer::Nothing };
        let now = self.started.elapsed();
        let is_fresh = |at: Duration| now.saturating_sub(at) <= max_age;
        let from = objects.partition_point(|(name, ..)| match question.aim {
            Aim::Behind => **name <= *question.name,
            Aim::Exactly | Aim::AtOrBehind => **name < *question.name,
        });
        let mut rest = objects.iter().skip(from).filter(|(.., at)| is_fresh(*at));
        if question.aim == Aim::Exactly {
            let exact = rest.next().filter(|(name, ..)| **name == *question.name);
            return exact.map(|(name, value, _)| (name.clone(), value.clone())).into();
        }
        let found: VecDeque<_> = rest
            .by_ref()
            .take(question.wanted)
            .map(|(name, value, _)| (name.clone(), value.clone()))
            .collect();
        RegionAnswer::Run { is_all: rest.next().is_none(), found }
    }
}

fn sort(group: &Group, read: &trunkline_polling::Snapshot) -> Objects {
    let wanted = &group.wanted;
    let scalars = wanted.scalars.iter().zip(&read.scalars);
    let scalars =
        scalars.filter_map(|(name, scalar)| Some((name.clone(), scalar.value.clone().ok()?, scalar.at)));
    let columns = wanted.tables.iter().flatten();
    let cells = columns.flat_map(|column| {
        let cells = crate::member::column(wanted, read, column).into_iter();
        cells.filter_map(|(index, value, at)| {
            let name = [&column[..], index].concat();
            Some((Oid::new(&name).ok()?, value.clone(), at))
        })
    });
    let mut objects: Objects = scalars.chain(cells).collect();
    objects.sort_by(|one, other| one.0.cmp(&other.0));
    objects
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
