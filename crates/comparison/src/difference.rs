//! What differs between two agents, by object. Pure: instances in, differences out.
//!
//! Each agent is walked twice, in turns. A value that changes between the two walks of one agent, or an instance that
//! comes or goes, is volatile: the other agent cannot be expected to have the same. Counters and ticks are by their
//! syntax, within a tolerance; `moving` has the other objects that move. snmpd shows what it has read for up to a minute:
//! a counter of it is right that lies between what ours was before snmpd read anything, and what ours is now. What both
//! are known to do differently is in `documented`. What differs is looked at again later, since an agent may show for a
//! while what it had read before.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_smi::{Oid, Value};

use super::documented;
use super::moving::{self, Tolerance};
use super::objects::{Object, Objects};
use super::walked::{Instances, Silence};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Instances of ours and of theirs.
    pub counts: (usize, usize),
    /// Instances that are the same.
    pub equal: usize,
    /// Instances that change with time, by object.
    pub volatile: BTreeMap<Object, usize>,
    /// Instances of objects that snmpd does not serve, by table or object.
    pub additional: BTreeMap<Object, usize>,
    /// Differences that are known, with their reasons.
    pub documented: BTreeMap<&'static str, Differences>,
    /// Differences that `--ignore` accepts.
    pub ignored: Differences,
    /// Every other difference.
    pub differences: Differences,
    /// Subtrees for which an agent has no answer.
    pub silent: Vec<Silent>,
}

/// A subtree for which an agent has no answer, and the last name before it: another agent or a program answers for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silent {
    /// The subtree.
    pub subtree: Oid,
    /// If ours has none.
    pub ours: Option<Oid>,
    /// If theirs has none.
    pub theirs: Option<Oid>,
}

/// Differences by kind and by object; instances that only one agent has are grouped by table.
pub type Differences = BTreeMap<(Difference, Object), Vec<Instance>>;

/// A way to differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Theirs has it, ours not.
    MissingHere,
    /// Ours has it, theirs not.
    MissingThere,
    /// Both have it, of other types.
    OtherType,
    /// Both have it, with other values.
    OtherValue,
}

/// An instance that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Its name.
    pub name: Oid,
    /// Our value.
    pub ours: Option<Value>,
    /// Their value.
    pub theirs: Option<Value>,
}

/// Two walks of one agent.
pub struct Walks<'a> {
    /// An earlier one, from before the other agent had read anything.
    pub before: Option<&'a Instances>,
    /// The first.
    pub first: &'a Instances,
    /// The second.
    pub second: &'a Instances,
    /// What it did not answer.
    pub silent: &'a [Silence],
}

impl<'a> Walks<'a> {
    fn both(&self, name: &Oid) -> (Option<&'a Value>, Option<&'a Value>) {
        (self.first.get(name), self.second.get(name))
    }

    fn names(&self) -> impl Iterator<Item = &'a Oid> {
        self.first.keys().chain(self.second.keys())
    }

    /// Whether a counter, which only grows, has had both values since the walk before.
    fn has_passed(&self, name: &Oid, (first, last): (&Value, &Value)) -> bool {
        let count = |value: &Value| match value {
            Value::Counter32(number) => Some(u64::from(*number)),
            Value::Counter64(number) => Some(*number),
            _ => None,
        };
        let before = self.before.and_then(|before| before.get(name)).and_then(count);
        match (before, self.second.get(name).and_then(count), count(first), count(last)) {
            (Some(before), Some(now), Some(first), Some(last)) => {
                before <= first && first <= last && last <= now
            }
            _ => false,
        }
    }

    fn has(&self, name: &Oid) -> bool {
        self.first.contains_key(name) || self.second.contains_key(name)
    }
}

/// Ticks, and counters that move, are close enough if they differ by no more than this many, or by a tenth. Ticks of
/// 10 s are 1000.
pub const CLOSE: f64 = 1000.0;

/// The same for counters that stand still in both agents.
const CLOSE_STILL: f64 = 20.0;

impl Comparison {
    /// Whether nothing differs but what is known to, what was accepted, and what only ours serves.
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Compares both agents; `ignored` are subtrees whose differences are accepted.
pub fn compare(ours: &Walks<'_>, theirs: &Walks<'_>, ignored: &[Oid]) -> Comparison {
    let objects = Objects::new();
    let unsteady = Unsteady::new(&objects, ours, theirs);
    let their_objects: BTreeSet<Object> = theirs.names().map(|name| objects.of(name)).collect();
    let mut found = Comparison { counts: (ours.first.len(), theirs.first.len()), ..Comparison::default() };
    let mut busy = Busy::default();
    let names: BTreeSet<&Oid> = ours.names().chain(theirs.names()).collect();
    for name in names {
        let object = objects.of(name);
        let kind = match verdict(name, ours, theirs) {
            Verdict::Equal => {
                found.equal += 1;
                busy.equal(name, &object);
                continue;
            }
            Verdict::Volatile => {
                *found.volatile.entry(object).or_default() += 1;
                continue;
            }
            Verdict::Differs(kind) => kind,
        };
        let is_missing = matches!(kind, Difference::MissingHere | Difference::MissingThere);
        let group = if is_missing { objects.table_of(name) } else { object.clone() };
        let instance = Instance {
            name: name.clone(),
            ours: ours.both(name).0.or(ours.both(name).1).cloned(),
            theirs: theirs.both(name).0.or(theirs.both(name).1).cloned(),
        };
        if ignored.iter().any(|subtree| name.starts_with(subtree)) {
            found.ignored.entry((kind, group)).or_default().push(instance);
        } else if let Some(reason) = documented::reason(kind, &instance, ours) {
            let of_reason = found.documented.entry(reason).or_default();
            of_reason.entry((kind, group)).or_default().push(instance);
        } else if kind == Difference::OtherValue && moving::tolerance(name) == Some(Tolerance::Busy) {
            busy.differs.entry(group).or_default().push(instance);
        } else if is_missing && unsteady.excuses(&group) {
            *found.volatile.entry(object).or_default() += 1;
        } else if kind == Difference::MissingThere
            && !their_objects.contains(&object)
            && !theirs.silent.iter().any(|silence| silence.covers(name))
        {
            *found.additional.entry(group).or_default() += 1;
        } else {
            found.differences.entry((kind, group)).or_default().push(instance);
        }
    }
    busy.settle(&mut found);
    found.silent = silent(ours.silent, theirs.silent, ignored);
    found
}

/// The silences of both, by subtree, without what is ignored.
fn silent(ours: &[Silence], theirs: &[Silence], ignored: &[Oid]) -> Vec<Silent> {
    let subtrees: BTreeSet<&Oid> = ours.iter().chain(theirs).map(|silence| &silence.subtree).collect();
    let is_ignored = |subtree: &Oid| ignored.iter().any(|ignored| subtree.starts_with(ignored));
    let after = |list: &[Silence], subtree: &Oid| {
        list.iter().find(|silence| silence.subtree == *subtree).map(|silence| silence.after.clone())
    };
    let subtrees = subtrees.into_iter().filter(|subtree| !is_ignored(subtree));
    subtrees
        .map(|subtree| Silent {
            subtree: subtree.clone(),
            ours: after(ours, subtree),
            theirs: after(theirs, subtree),
        })
        .collect()
}

/// Columns of what processes and sockets do. While a third of a column is equal, the rest may differ.
#[derive(Default)]
struct Busy {
    equal: BTreeMap<Object, usize>,
    differs: BTreeMap<Object, Vec<Instance>>,
}

impl Busy {
    fn equal(&mut self, name: &Oid, object: &Object) {
        if moving::tolerance(name) == Some(Tolerance::Busy) {
            *self.equal.entry(object.clone()).or_default() += 1;
        }
    }

    fn settle(self, found: &mut Comparison) {
        for (object, instances) in self.differs {
            let equal = self.equal.get(&object).copied().unwrap_or(0);
            if 2 * equal >= instances.len() {
                *found.volatile.entry(object).or_default() += instances.len();
            } else {
                found.differences.insert((Difference::OtherValue, object), instances);
            }
        }
    }
}

impl Comparison {
    /// This comparison, with those differences that an earlier one found too: what an agent had read before it
    /// changed, and shows for a while, is gone later.
    pub fn confirms(mut self, earlier: &Comparison) -> Self {
        let known: BTreeSet<&Oid> =
            earlier.differences.values().flatten().map(|instance| &instance.name).collect();
        let mut lasting = Differences::new();
        for ((kind, object), instances) in std::mem::take(&mut self.differences) {
            let (again, passing): (Vec<_>, Vec<_>) =
                instances.into_iter().partition(|instance| known.contains(&instance.name));
            if !passing.is_empty() {
                *self.volatile.entry(object.clone()).or_default() += passing.len();
            }
            if !again.is_empty() {
                lasting.insert((kind, object), again);
            }
        }
        self.differences = lasting;
        self
    }
}

enum Verdict {
    Equal,
    Volatile,
    Differs(Difference),
}

fn verdict(name: &Oid, ours: &Walks<'_>, theirs: &Walks<'_>) -> Verdict {
    match (ours.both(name), theirs.both(name)) {
        ((Some(own), Some(own_later)), (Some(first), Some(last))) => {
            match differ((own, own_later), (first, last)) {
                Verdict::Differs(Difference::OtherValue)
                    if ours.has_passed(name, (first, last))
                        || moving::tolerance(name)
                            .is_some_and(|tolerance| tolerance.allows(name, own, first, theirs)) =>
                {
                    Verdict::Volatile
                }
                verdict => verdict,
            }
        }
        ((None, None), (Some(_), Some(_))) => Verdict::Differs(Difference::MissingHere),
        ((Some(_), Some(_)), (None, None)) => Verdict::Differs(Difference::MissingThere),
        // It came or went while we looked.
        _ => Verdict::Volatile,
    }
}

fn differ((own, own_later): (&Value, &Value), (first, last): (&Value, &Value)) -> Verdict {
    if [first, last].contains(&own) || [first, last].contains(&own_later) {
        return Verdict::Equal;
    }
    if std::mem::discriminant(own) != std::mem::discriminant(first) {
        return Verdict::Differs(Difference::OtherType);
    }
    let is_measured = own != own_later || first != last;
    let is_counter = matches!(own, Value::Counter32(_) | Value::Counter64(_));
    let is_ticks = matches!(own, Value::TimeTicks(_));
    let numbers = (number(own), number(own_later), number(first), number(last));
    let (Some(own), Some(own_later), Some(first), Some(last)) = numbers else {
        // A text that is another each time, such as a date.
        return if is_measured { Verdict::Volatile } else { Verdict::Differs(Difference::OtherValue) };
    };
    let least = if is_measured || is_ticks { CLOSE } else { CLOSE_STILL };
    let margin = least.max(first.abs().max(last.abs()) / 10.0);
    let (low, high) = (first.min(last) - margin, first.max(last) + margin);
    let is_close = own.max(own_later) >= low && own.min(own_later) <= high;
    // A counter that stands still in both has counted in both, or in neither.
    let has_counted = is_measured || (own == 0.0) == (first == 0.0);
    // A counter that moves has the same size in both; of other numbers only that they move can be said.
    let is_volatile = match (is_counter, is_ticks) {
        (true, _) => is_close && has_counted,
        (_, true) => is_close,
        _ => is_measured,
    };
    if is_volatile { Verdict::Volatile } else { Verdict::Differs(Difference::OtherValue) }
}

/// The number that a value is, if it is one.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(f64::from(*number)),
        Value::Counter32(number) | Value::Unsigned32(number) | Value::TimeTicks(number) => {
            Some(f64::from(*number))
        }
        Value::Counter64(number) => Some(*number as f64),
        _ => None,
    }
}

/// Tables whose rows come and go, such as those of sockets and processes. An agent that keeps what it has read for a
/// while shows a row longer, so that rows that only one has are excused there, while both share a third of the rows
/// that stay.
struct Unsteady {
    tables: BTreeSet<Object>,
}

impl Unsteady {
    fn new(objects: &Objects, ours: &Walks<'_>, theirs: &Walks<'_>) -> Self {
        let mut unsteady: BTreeSet<Object> = BTreeSet::new();
        let mut shared: BTreeMap<Object, (usize, usize)> = BTreeMap::new();
        let names: BTreeSet<&Oid> = ours.names().chain(theirs.names()).collect();
        for name in names {
            let table = objects.table_of(name);
            let came_or_went =
                |walks: &Walks<'_>| walks.both(name).0.is_some() != walks.both(name).1.is_some();
            if came_or_went(ours) || came_or_went(theirs) || documented::has_unsteady_rows(name) {
                unsteady.insert(table.clone());
            }
            let counts = shared.entry(table).or_default();
            match verdict(name, ours, theirs) {
                Verdict::Differs(Difference::MissingHere | Difference::MissingThere) => counts.1 += 1,
                _ if ours.has(name) && theirs.has(name) => counts.0 += 1,
                _ => {}
            }
        }
        unsteady.retain(|table| shared.get(table).is_some_and(|(both, one)| 2 * both >= *one));
        Unsteady { tables: unsteady }
    }

    fn excuses(&self, table: &Object) -> bool {
        self.tables.contains(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instances(list: &[(&str, Value)]) -> Instances {
        list.iter().map(|(name, value)| (name.parse().unwrap(), value.clone())).collect()
    }

    fn still<'a>(instances: &'a Instances) -> Walks<'a> {
        Walks { before: None, first: instances, second: instances, silent: &[] }
    }

    const NAME: &str = "1.3.6.1.2.1.1.5.0";
    const UP_TIME: &str = "1.3.6.1.2.1.1.3.0";

    #[test]
    fn each_kind_of_difference_is_found() {
        let theirs = instances(&[
            (NAME, Value::text("a")),
            (UP_TIME, Value::TimeTicks(500)),
            ("1.3.6.1.2.1.2.1.0", Value::Integer(3)),
            ("1.3.6.1.4.1.99999.1.7.1.1.0", Value::Integer(1)),
            ("1.3.6.1.2.1.1.7.0", Value::Integer(72)),
            ("1.3.6.1.2.1.2.2.1.1.2", Value::Integer(2)),
        ]);
        let ours = instances(&[
            (NAME, Value::text("b")),
            (UP_TIME, Value::TimeTicks(20)),
            ("1.3.6.1.2.1.2.1.0", Value::Counter32(3)),
            ("1.3.6.1.2.1.1.7.0", Value::Integer(72)),
            ("1.3.6.1.2.1.2.2.1.1.1", Value::Integer(1)),
            ("1.3.6.1.2.1.2.2.1.1.2", Value::Integer(2)),
            ("1.3.6.1.2.1.2.2.1.2.1", Value::text("lo")),
        ]);
        let found = compare(&still(&ours), &still(&theirs), &[]);
        let kinds: Vec<(Difference, String)> =
            found.differences.keys().map(|(kind, object)| (*kind, object.to_string())).collect();
        let expected = [
            (Difference::MissingHere, "enterprises.99999.1.7 (1.3.6.1.4.1.99999.1.7)"),
            (Difference::MissingThere, "ifTable (1.3.6.1.2.1.2.2)"),
            (Difference::OtherType, "ifNumber (1.3.6.1.2.1.2.1)"),
            (Difference::OtherValue, "sysName (1.3.6.1.2.1.1.5)"),
        ];
        assert_eq!(kinds, expected.map(|(kind, object)| (kind, object.to_string())));
        assert_eq!((found.equal, found.volatile.len(), found.is_equal()), (2, 1, false));
        // snmpd serves no ifDescr here: what only we serve costs nobody anything.
        assert_eq!(found.additional.values().sum::<usize>(), 1);
        let ignored = compare(&still(&ours), &still(&theirs), &["1.3.6.1".parse().unwrap()]);
        assert!(ignored.is_equal());
        assert_eq!(ignored.ignored.len(), 4);
        let text = found.text(false);
        let expected =
            "other value\n  sysName (1.3.6.1.2.1.1.5): 1 instance\n    1.3.6.1.2.1.1.5.0: ours \"b\"";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn volatile_values_are_not_a_difference() {
        let octets = "1.3.6.1.2.1.2.2.1.10.1";
        let load = "1.3.6.1.4.1.2021.10.1.5.1";
        let date = "1.3.6.1.2.1.25.1.2.0";
        let process = |id: u32| format!("1.3.6.1.2.1.25.4.2.1.1.{id}");
        let walk = |count, average, text: &str, id: u32| {
            instances(&[
                (octets, Value::Counter32(count)),
                (load, Value::Integer(average)),
                (date, Value::text(text)),
                (&process(id), Value::Integer(id as i32)),
                (&process(1), Value::Integer(1)),
            ])
        };
        let (theirs, theirs_later) = (walk(1_000_000, 10, "a", 7), walk(1_050_000, 14, "b", 8));
        let (ours, ours_later) = (walk(1_020_000, 12, "c", 9), walk(1_060_000, 19, "d", 10));
        let ours = Walks { before: None, first: &ours, second: &ours_later, silent: &[] };
        let theirs = Walks { before: None, first: &theirs, second: &theirs_later, silent: &[] };
        let found = compare(&ours, &theirs, &[]);
        assert!(found.is_equal(), "{}", found.text(true));
        assert_eq!(found.volatile.values().sum::<usize>(), 7);
        // But not a distant counter, nor a number that does not change.
        let far = walk(9_000_000, 12, "c", 7);
        assert!(!compare(&still(&far), &theirs, &[]).is_equal());
        let is_equal = |name: &str, own: Value, other: Value| {
            compare(&still(&instances(&[(name, own)])), &still(&instances(&[(name, other)])), &[]).is_equal()
        };
        let minimum = "1.3.6.1.4.1.2021.4.12.0";
        assert!(!is_equal(minimum, Value::Integer(10), Value::Integer(11)));
        let speed = "1.3.6.1.2.1.31.1.1.1.15.2";
        assert!(!is_equal(speed, Value::Unsigned32(0), Value::Unsigned32(100)));
        // A counter that has never counted in one agent is another than in the other.
        let discards = "1.3.6.1.2.1.2.2.1.13.1";
        assert!(is_equal(discards, Value::Counter32(37), Value::Counter32(41)));
        assert!(!is_equal(discards, Value::Counter32(0), Value::Counter32(4)));
    }

    /// snmpd shows for a while what it had read: what ours had meanwhile agrees with it, and anything else differs.
    #[test]
    fn a_counter_lies_between_what_was_and_what_is() {
        let walk = |count| instances(&[("1.3.6.1.2.1.4.31.1.1.3.1", Value::Counter32(count))]);
        for ((before, now), (first, last), expected) in [
            ((4, 2600), (4, 4), true),
            ((4, 2600), (90, 2600), true),
            ((0, 8), (0, 0), true),
            // Less than it was when snmpd started, more than it is now, or less the second time.
            ((50, 2600), (4, 4), false),
            ((4, 2600), (4600, 4600), false),
            ((4, 3000), (1900, 1500), false),
            ((8, 8), (0, 0), false),
        ] {
            let (before, now, first, last) = (walk(before), walk(now), walk(first), walk(last));
            let ours = Walks { before: Some(&before), first: &now, second: &now, silent: &[] };
            let theirs = Walks { before: None, first: &first, second: &last, silent: &[] };
            let found = compare(&ours, &theirs, &[]);
            assert_eq!(found.is_equal(), expected, "{before:?} {now:?}, {first:?} {last:?}");
        }
        // A gauge that stands still is not a counter.
        let gauge = |number| instances(&[("1.3.6.1.2.1.31.1.1.1.15.2", Value::Unsigned32(number))]);
        let (before, now, other) = (gauge(0), gauge(100), gauge(10));
        let ours = Walks { before: Some(&before), first: &now, second: &now, silent: &[] };
        assert!(!compare(&ours, &still(&other), &[]).is_equal());
    }

    /// Rows that come and go excuse a missing row, but not a table of other rows.
    #[test]
    fn rows_of_unsteady_tables() {
        let rows = |ids: &[u32]| -> Instances {
            let row = |id: &u32| (format!("1.3.6.1.2.1.25.4.2.1.1.{id}").parse().unwrap(), Value::Integer(1));
            ids.iter().map(row).collect()
        };
        let theirs = rows(&[1, 2, 3, 4, 5]);
        assert!(compare(&still(&rows(&[1, 2, 3, 4])), &still(&theirs), &[]).is_equal());
        assert!(!compare(&still(&rows(&[1, 6, 7, 8])), &still(&theirs), &[]).is_equal());
    }

    /// What processes do differs while they work, but not in all of them at once.
    #[test]
    fn busy_processes() {
        let sizes = |list: [i32; 4]| -> Instances {
            let row = |(id, size): (usize, i32)| {
                (format!("1.3.6.1.2.1.25.5.1.1.2.{}", id + 1).parse().unwrap(), Value::Integer(size))
            };
            list.into_iter().enumerate().map(row).collect()
        };
        let theirs = sizes([1000, 2000, 3000, 4000]);
        assert!(compare(&still(&sizes([1000, 2000, 9000, 9000])), &still(&theirs), &[]).is_equal());
        let found = compare(&still(&sizes([1, 2, 3, 4])), &still(&theirs), &[]);
        assert_eq!(found.differences.values().map(Vec::len).sum::<usize>(), 4);
    }

    /// A connection that has ended has no process any more, which one agent sees before the other.
    #[test]
    fn processes_of_connections() {
        let owners = |list: [u32; 4]| -> Instances {
            let row = |(port, owner): (usize, u32)| {
                let name = format!("1.3.6.1.2.1.6.19.1.8.1.4.127.0.0.1.{port}.1.4.127.0.0.1.161");
                (name.parse().unwrap(), Value::Unsigned32(owner))
            };
            list.into_iter().enumerate().map(row).collect()
        };
        let theirs = owners([7, 7, 8, 8]);
        assert!(compare(&still(&owners([7, 7, 0, 0])), &still(&theirs), &[]).is_equal());
        assert!(!compare(&still(&owners([1, 2, 3, 4])), &still(&theirs), &[]).is_equal());
    }

    /// One agent may have to be asked once more than the other.
    #[test]
    fn requests_that_agents_have_counted() {
        let counted = |number| instances(&[("1.3.6.1.2.1.11.15.0", Value::Counter32(number))]);
        let theirs = counted(0);
        assert!(compare(&still(&counted(2)), &still(&theirs), &[]).is_equal());
        assert!(!compare(&still(&counted(200)), &still(&theirs), &[]).is_equal());
    }

    /// Only what differs each time differs.
    #[test]
    fn a_difference_that_passes_is_none() {
        let names = [NAME, "1.3.6.1.2.1.1.6.0"];
        let both = |list: [&str; 2]| {
            instances(&[(names[0], Value::text(list[0])), (names[1], Value::text(list[1]))])
        };
        let theirs = both(["a", "here"]);
        let compared = |list| compare(&still(&both(list)), &still(&theirs), &[]);
        let found = compared(["b", "here"]).confirms(&compared(["a", "there"]));
        assert!(found.is_equal(), "{}", found.text(true));
        let found = compared(["b", "here"]).confirms(&compared(["c", "there"]));
        assert_eq!(found.differences.len(), 1);
    }

    #[test]
    fn what_is_documented_has_its_reason() {
        let theirs = instances(&[("1.3.6.1.2.1.1.9.1.3.1", Value::text("theirs"))]);
        let ours = instances(&[("1.3.6.1.2.1.1.9.1.3.1", Value::text("ours"))]);
        let found = compare(&still(&ours), &still(&theirs), &[]);
        assert!(found.is_equal());
        let (reason, of_reason) = found.documented.iter().next().unwrap();
        assert!(reason.contains("modules") && of_reason.len() == 1, "{reason}");
        assert!(found.text(true).contains(reason) && !found.text(false).contains(reason));
        let json: serde_json::Value = serde_json::from_str(&found.json()).unwrap();
        assert_eq!(
            (json["result"].as_str(), json["documented"][0]["reason"].as_str()),
            (Some("equal"), Some(*reason))
        );
    }
}
