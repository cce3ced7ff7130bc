//! What differs between two agents, by object. Pure: instances in, differences out.
//!
//! Each agent is walked twice, in turns. A value that changes between the two walks of one agent, or an instance that
//! comes or goes, is volatile: the other agent cannot be expected to have the same. Counters and ticks are by their
//! syntax, within a tolerance. What both are known to do differently is in `documented`.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_smi::{Oid, Value};

use super::documented;
use super::objects::{Object, Objects};
use super::walked::Instances;

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
    /// The first.
    pub first: &'a Instances,
    /// The second.
    pub second: &'a Instances,
}

impl<'a> Walks<'a> {
    fn both(&self, name: &Oid) -> (Option<&'a Value>, Option<&'a Value>) {
        (self.first.get(name), self.second.get(name))
    }

    fn names(&self) -> impl Iterator<Item = &'a Oid> {
        self.first.keys().chain(self.second.keys())
    }

    fn has(&self, name: &Oid) -> bool {
        self.first.contains_key(name) || self.second.contains_key(name)
    }
}

/// Counters, gauges and ticks that differ by no more than this many, or by no more than a tenth, are
/// close enough. Ticks of 10 s are 1000.
pub const CLOSE: f64 = 1000.0;

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
    let names: BTreeSet<&Oid> = ours.names().chain(theirs.names()).collect();
    for name in names {
        let object = objects.of(name);
        let kind = match verdict(name, ours, theirs) {
            Verdict::Equal => {
                found.equal += 1;
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
        let reason = documented::reason(name, kind, &instance);
        if ignored.iter().any(|subtree| name.starts_with(subtree)) {
            found.ignored.entry((kind, group)).or_default().push(instance);
        } else if let Some(reason) = reason {
            let of_reason = found.documented.entry(reason).or_default();
            of_reason.entry((kind, group)).or_default().push(instance);
        } else if is_missing && unsteady.excuses(&group) {
            *found.volatile.entry(object).or_default() += 1;
        } else if kind == Difference::MissingThere && !their_objects.contains(&object) {
            *found.additional.entry(group).or_default() += 1;
        } else {
            found.differences.entry((kind, group)).or_default().push(instance);
        }
    }
    found
}

enum Verdict {
    Equal,
    Volatile,
    Differs(Difference),
}

fn verdict(name: &Oid, ours: &Walks<'_>, theirs: &Walks<'_>) -> Verdict {
    match (ours.both(name), theirs.both(name)) {
        ((Some(own), Some(own_later)), (Some(first), Some(last))) => differ((own, own_later), (first, last)),
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
    let only_grows = matches!(own, Value::Counter32(_) | Value::Counter64(_) | Value::TimeTicks(_));
    let by_syntax = only_grows || matches!(own, Value::Unsigned32(_));
    let numbers = (number(own), number(own_later), number(first), number(last));
    let (Some(own), Some(own_later), Some(first), Some(last)) = numbers else {
        // A text that is another each time, such as a date.
        return if is_measured { Verdict::Volatile } else { Verdict::Differs(Difference::OtherValue) };
    };
    let margin = CLOSE.max(first.abs().max(last.abs()) / 10.0);
    let (low, high) = (first.min(last) - margin, first.max(last) + margin);
    let is_close = own.max(own_later) >= low && own.min(own_later) <= high;
    // A counter that moves has the same size in both; of other numbers only that they move can be said.
    let is_volatile = if only_grows { is_close } else { is_measured || by_syntax && is_close };
    if is_volatile { Verdict::Volatile } else { Verdict::Differs(Difference::OtherValue) }
}

fn number(value: &Value) -> Option<f64> {
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
/// while shows a row longer, so that rows that only one has are excused there, while both share most.
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
            match ours.has(name) && theirs.has(name) {
                true => counts.0 += 1,
                false => counts.1 += 1,
            }
        }
        unsteady.retain(|table| shared.get(table).is_some_and(|(both, one)| both > one));
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
        Walks { first: instances, second: instances }
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
        let ours = Walks { first: &ours, second: &ours_later };
        let theirs = Walks { first: &theirs, second: &theirs_later };
        let found = compare(&ours, &theirs, &[]);
        assert!(found.is_equal(), "{}", found.text(true));
        assert_eq!(found.volatile.values().sum::<usize>(), 7);
        // But not a distant counter, nor an integer that does not change.
        let far = walk(9_000_000, 12, "c", 7);
        assert!(!compare(&still(&far), &theirs, &[]).is_equal());
        let (one, other) =
            (instances(&[(load, Value::Integer(10))]), instances(&[(load, Value::Integer(11))]));
        assert!(!compare(&still(&other), &still(&one), &[]).is_equal());
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
