//! What is known of all groups.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use trunkline_config::{AggregatePlan, FilterEquals, GroupPlan, OverPlan};
use trunkline_polling::{Account, Report, Snapshot, Wanted};
use trunkline_smi::module::ALL;
use trunkline_smi::{Oid, Value, ValueRef};

use crate::aggregate::{Inputs, Number, Outcome};
use crate::member::{self, Member, State, Turn};
use crate::rates::{self, Instance};
use crate::takeover::PeerState;

/// All groups, by their names.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub groups: BTreeMap<String, Group>,
    /// How many groups have begun: by it each differs from one of the same name before.
    pub lives: u64,
    /// Notifications that were not passed on, and that were.
    pub strangers: u64,
    pub passed_on: u64,
}

#[derive(Debug)]
pub(crate) struct Group {
    pub plan: Arc<GroupPlan>,
    /// Which of [`Store::lives`] it is.
    pub life: u64,
    /// What is read of its members: what it wants, and what groups want that it is a member of.
    pub wanted: Arc<Wanted>,
    pub is_active: bool,
    pub peer: PeerState,
    pub cycles: u64,
    pub overruns: u64,
    /// When the last cycle of a member ended.
    pub last_cycle: Option<Duration>,
    pub members: BTreeMap<String, Member>,
}

/// A member's values as they are put into aggregates.
struct Source<'s> {
    values: Values<'s>,
    rates: &'s BTreeMap<(Oid, String), Vec<f64>>,
    /// The nested member whose values these are.
    name: &'s str,
}

enum Values<'s> {
    Read(&'s Wanted, &'s Snapshot),
    Nested(&'s BTreeMap<Oid, (Value, Duration)>),
    /// There are none, or they are not kept.
    None,
}

impl Store {
    pub fn new(plans: &[GroupPlan]) -> Self {
        let group = |plan: &GroupPlan| {
            let members = plan.members.iter().map(|member| (member.name.clone(), Member::new(member)));
            let group = Group {
                plan: Arc::new(plan.clone()),
                life: 0,
                wanted: Arc::new(wanted_of(plan, plans)),
                is_active: false,
                peer: PeerState::None,
                cycles: 0,
                overruns: 0,
                last_cycle: None,
                members: members.collect(),
            };
            (plan.name.clone(), group)
        };
        Store { groups: plans.iter().map(group).collect(), ..Store::default() }
    }

    /// Takes a report about a member from the reading of a group's life; whether it has gone or come, and why.
    pub fn take_in(&mut self, life: u64, group: &str, name: &str, report: Report) -> Option<(Turn, String)> {
        self.groups.get(group).filter(|group| group.life == life)?;
        self.take(group, name, report)
    }

    /// The same from the present reading.
    pub fn take(&mut self, group: &str, name: &str, report: Report) -> Option<(Turn, String)> {
        let rated = self.rated(group);
        let group = self.groups.get_mut(group).filter(|group| group.is_active)?;
        if let Some(snapshot) = &report.snapshot {
            group.cycles += 1;
            group.overruns += u64::from(snapshot.is_overrun);
            group.last_cycle = Some(snapshot.ended);
        }
        let member = group.members.get_mut(name)?;
        let turn = member.take(name, report, &group.wanted, &rated)?;
        Some((turn, member.reason.clone()))
    }

    /// The member has this part in the memory of all, in the reading of a group's life.
    pub fn lend(&mut self, life: u64, group: &str, name: &str, account: &Arc<Account>) {
        let group = self.groups.get_mut(group).filter(|group| group.life == life);
        if let Some(member) = group.and_then(|group| group.members.get_mut(name)) {
            member.account = Arc::downgrade(account);
        }
    }

    /// The group is read from now on, or left to the peer.
    pub fn turn(&mut self, group: &str, is_active: bool) {
        let Some(group) = self.groups.get_mut(group) else { return };
        group.is_active = is_active;
        for member in group.members.values_mut() {
            if is_active {
                member.state = State::Unknown;
            } else {
                member.leave();
            }
        }
    }

    /// The objects of which rates of a group's members are kept: for its own aggregates, and those of groups that it is a member of.
    pub fn rated(&self, group: &str) -> Vec<Oid> {
        let with = |outer: &&Group| outer.plan.name == *group || self.inner(&outer.plan).contains(&group);
        let aggregates = self.groups.values().filter(with).flat_map(|group| &group.plan.aggregates);
        let mut objects: Vec<Oid> =
            aggregates.filter(|aggregate| aggregate.rate).map(|aggregate| aggregate.object.clone()).collect();
        objects.sort();
        objects.dedup();
        objects
    }

    /// The groups within a group, at any depth.
    pub fn inner<'s>(&'s self, plan: &'s GroupPlan) -> Vec<&'s str> {
        let mut found: Vec<&str> = Vec::new();
        let mut open: Vec<&str> = plan.groups.iter().map(String::as_str).collect();
        while let Some(name) = open.pop() {
            if !found.contains(&name) {
                found.push(name);
                let inner = self.groups.get(name).map(|group| &group.plan.groups);
                open.extend(inner.into_iter().flatten().map(String::as_str));
            }
        }
        found
    }

    /// Computes an aggregate of a group as it is now.
    pub fn aggregate(&self, group: &Group, aggregate: &AggregatePlan, now: Duration) -> Outcome {
        let mut inputs = Inputs::default();
        let inner = self.inner(&group.plan);
        let inner = inner.iter().filter_map(|name| self.groups.get(*name));
        for from in std::iter::once(group).chain(inner) {
            for member in from.members.values() {
                inputs.missing += u32::from(member.nested.is_cut);
                for source in sources(from, member) {
                    source.add(aggregate, (now, group.plan.max_age), &mut inputs);
                }
            }
        }
        inputs.outcome(aggregate.function)
    }
}

/// What a member contributes. A mid-level manager contributes what its members do.
fn sources<'s>(group: &'s Group, member: &'s Member) -> Vec<Source<'s>> {
    let rates = &member.rates;
    if member.is_manager {
        let values = member.nested.values.iter();
        let read = values.map(|(name, values)| Source { values: Values::Nested(values), rates, name });
        let silent = member.nested.silent().map(|name| Source { values: Values::None, rates, name });
        return read.chain(silent).collect();
    }
    let values = member.snapshot.as_ref().map_or(Values::None, |it| Values::Read(&group.wanted, it));
    vec![Source { values, rates, name: "" }]
}

impl Source<'_> {
    fn add(&self, aggregate: &AggregatePlan, (now, max_age): (Duration, Duration), inputs: &mut Inputs) {
        let mut own = Inputs::default();
        let rates = self.rates.get(&(aggregate.object.clone(), self.name.to_owned()));
        let instances = self.instances(&aggregate.object);
        // Nobody knows how many there are of what was never read, or not to its end.
        own.missing += u32::from(self.is_missing(&aggregate.object, instances.is_empty()));
        for (position, (index, value, at)) in instances.into_iter().enumerate() {
            inputs.is_any_known |= now.saturating_sub(at) <= max_age;
            if !self.fits(aggregate, index) {
                continue;
            }
            let number = if aggregate.rate {
                let rate = rates.and_then(|rates| rates.get(position));
                rate.filter(|rate| !rate.is_nan()).map(|rate| Number::Real(*rate))
            } else {
                rates::number(value)
            };
            match number.filter(|_| now.saturating_sub(at) <= max_age) {
                Some(number) => own.add(number, at),
                None => own.missing += 1,
            }
        }
        match aggregate.over {
            OverPlan::Instances => {
                inputs.missing += own.missing;
                let oldest = own.oldest;
                own.numbers.into_iter().for_each(|number| inputs.add(number, oldest.unwrap_or(now)));
            }
            OverPlan::Members => match own.oldest {
                Some(oldest) => inputs.add(own.numbers.iter().copied().sum(), oldest),
                None => inputs.missing += 1,
            },
        }
    }

    fn instances(&self, object: &Oid) -> Vec<Instance<'_>> {
        match &self.values {
            Values::Read(wanted, snapshot) => member::column(wanted, snapshot, object),
            Values::Nested(values) => member::instances(values, object).collect(),
            Values::None => Vec::new(),
        }
    }

    /// Whether an object ought to have more instances than were read.
    fn is_missing(&self, object: &Oid, is_empty: bool) -> bool {
        match &self.values {
            Values::Read(wanted, snapshot) => {
                let is_scalar = is_empty && wanted.scalars.contains(object);
                is_scalar || member::missing(wanted, snapshot, object).is_some()
            }
            Values::Nested(_) => false,
            Values::None => true,
        }
    }

    fn fits(&self, aggregate: &AggregatePlan, index: &[u32]) -> bool {
        let Some(filter) = &aggregate.filter else { return true };
        let value = match &self.values {
            Values::Read(wanted, snapshot) => member::cell(wanted, snapshot, &filter.object, index),
            Values::Nested(values) => {
                values.get(&filter.object.child(index)).map(|(value, _)| value.as_value_ref())
            }
            Values::None => None,
        };
        match (value, &filter.equals) {
            (Some(ValueRef::OctetString(octets)), FilterEquals::Text(text)) => octets == text.as_bytes(),
            (Some(value), FilterEquals::Number(number)) => {
                rates::number(value) == Some(Number::Whole((*number).into()))
            }
            _ => false,
        }
    }
}

/// What is read of the members of a group: also what groups want of which it is a member.
fn wanted_of(plan: &GroupPlan, plans: &[GroupPlan]) -> Wanted {
    let mut wanted =
        Wanted { scalars: plan.objects.clone(), tables: plan.tables.clone(), ..Wanted::default() };
    let mut names = vec![plan.name.as_str()];
    let mut at = 0;
    while let Some(name) = names.get(at).copied() {
        at += 1;
        for outer in plans.iter().filter(|outer| outer.groups.iter().any(|inner| inner == name)) {
            if !names.contains(&outer.name.as_str()) {
                names.push(&outer.name);
                outer.objects.iter().for_each(|object| add_scalar(&mut wanted, object));
                outer.tables.iter().flatten().for_each(|column| add_column(&mut wanted, column));
            }
        }
    }
    with_kinds(wanted)
}

/// With the types of the objects that are built in.
pub(crate) fn with_kinds(mut wanted: Wanted) -> Wanted {
    for module in ALL {
        let scalars = module.scalars.iter();
        let scalars = scalars.map(|scalar| (Oid::EMPTY.child(scalar.oid).child(&[0]), scalar.syntax.kind));
        let columns = module.tables.iter().flat_map(|table| {
            let name = |id: u32| Oid::EMPTY.child(table.oid).child(&[1, id]);
            table.columns.iter().map(move |column| (name(column.id), column.syntax.kind))
        });
        let is_wanted = |name: &Oid| {
            wanted.scalars.contains(name) || wanted.tables.iter().any(|columns| columns.contains(name))
        };
        wanted.kinds.extend(scalars.chain(columns).filter(|(name, _)| is_wanted(name)).collect::<Vec<_>>());
    }
    wanted
}

fn add_scalar(wanted: &mut Wanted, object: &Oid) {
    if !wanted.scalars.contains(object) {
        wanted.scalars.push(object.clone());
    }
}

fn add_column(wanted: &mut Wanted, column: &Oid) {
    let table = |of: &Oid| of[..of.len().saturating_sub(1)].to_vec();
    match wanted.tables.iter_mut().find(|columns| columns.first().map(table) == Some(table(column))) {
        Some(columns) if columns.contains(column) => {}
        Some(columns) => columns.push(column.clone()),
        None => wanted.tables.push(vec![column.clone()]),
    }
}

#[cfg(test)]
pub(crate) mod tests;
