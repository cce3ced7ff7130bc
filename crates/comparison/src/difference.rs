//! What differs between two agents, by object. Pure: instances in, differences out.
//!
//! Theirs is walked before and after ours. Values that differ between the two walks change on their own and
//! cannot be the same in ours; counters, gauges and ticks may differ a little in any case.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use trunkline_smi::{Oid, Value, module};

use super::walked::Instances;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Instances of ours and of theirs.
    pub counts: (usize, usize),
    /// Instances that are the same.
    pub equal: usize,
    /// Instances that move with time and are close enough, by object.
    pub moving: BTreeMap<String, usize>,
    /// Every difference, by object and kind.
    pub differences: BTreeMap<(Difference, String), Vec<Instance>>,
}

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

/// Counters, gauges and ticks that differ by no more than this many, or by no more than a tenth, are
/// close enough. Ticks of 10 s are 1000.
const CLOSE: f64 = 1000.0;

/// How many instances of one object are shown.
const SHOWN: usize = 3;

impl Comparison {
    /// Whether nothing differs.
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Compares ours with theirs, which was walked before and after it.
pub fn compare(ours: &Instances, before: &Instances, after: &Instances) -> Comparison {
    let objects = Objects::new();
    let moving_objects = moving_objects(&objects, before, after);
    let mut found = Comparison { counts: (ours.len(), before.len()), ..Comparison::default() };
    let names: BTreeSet<&Oid> = ours.keys().chain(before.keys()).chain(after.keys()).collect();
    for name in names {
        let object = objects.of(name);
        let (own, first, last) = (ours.get(name), before.get(name), after.get(name));
        let difference = match (own, first, last) {
            (Some(own), Some(first), Some(last)) => differ(own, first, last),
            (None, Some(_), Some(_)) => Verdict::Differs(Difference::MissingHere),
            // A row that comes or goes.
            _ if moving_objects.contains(&object) || first.is_some() || last.is_some() => Verdict::Moves,
            _ => Verdict::Differs(Difference::MissingThere),
        };
        match difference {
            Verdict::Equal => found.equal += 1,
            Verdict::Moves => *found.moving.entry(object).or_default() += 1,
            Verdict::Differs(kind) => {
                let instance = Instance { name: name.clone(), ours: own.cloned(), theirs: first.cloned() };
                found.differences.entry((kind, object)).or_default().push(instance);
            }
        }
    }
    found
}

enum Verdict {
    Equal,
    Moves,
    Differs(Difference),
}

fn differ(ours: &Value, before: &Value, after: &Value) -> Verdict {
    if ours == before || ours == after {
        return Verdict::Equal;
    }
    if std::mem::discriminant(ours) != std::mem::discriminant(before) {
        return Verdict::Differs(Difference::OtherType);
    }
    let (Some(own), Some(first), Some(last)) = (number(ours), number(before), number(after)) else {
        // A text that is another each time, such as a date.
        return if before == after { Verdict::Differs(Difference::OtherValue) } else { Verdict::Moves };
    };
    let by_nature = !matches!(ours, Value::Integer(_));
    let margin = CLOSE.max(first.abs().max(last.abs()) / 10.0);
    let is_close = own >= first.min(last) - margin && own <= first.max(last) + margin;
    match is_close && (by_nature || before != after) {
        true => Verdict::Moves,
        false => Verdict::Differs(Difference::OtherValue),
    }
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

/// Objects whose instances come and go by themselves.
fn moving_objects(objects: &Objects, before: &Instances, after: &Instances) -> BTreeSet<String> {
    let only = |a: &Instances, b: &Instances| -> Vec<String> {
        a.keys().filter(|name| !b.contains_key(*name)).map(|name| objects.of(name)).collect()
    };
    only(before, after).into_iter().chain(only(after, before)).collect()
}

/// Names of objects, from the schema of what this agent serves.
struct Objects {
    names: BTreeMap<Vec<u32>, &'static str>,
}

impl Objects {
    fn new() -> Self {
        let mut names = BTreeMap::new();
        for module in module::ALL {
            names.extend(module.nodes.iter().map(|node| (node.oid.to_vec(), node.name)));
            names.extend(module.scalars.iter().map(|scalar| (scalar.oid.to_vec(), scalar.name)));
            for table in module.tables {
                let entry = [table.oid, &[1]].concat();
                names.insert(table.oid.to_vec(), table.name);
                names.extend(
                    table.columns.iter().map(|column| ([&entry[..], &[column.id]].concat(), column.name)),
                );
            }
        }
        names.extend(trunkline_netsnmp::oids::NODES.iter().map(|(name, oid)| (oid.to_vec(), *name)));
        Objects { names }
    }

    /// The object's name and identifier; if it is unknown, the known node above it and the next sub-identifiers,
    /// which distinguish groups and tables.
    fn of(&self, name: &Oid) -> String {
        let known = (1..=name.len())
            .rev()
            .find_map(|length| self.names.get(&name[..length]).map(|known| (length, *known)));
        let (length, label) = known.unwrap_or((1, "iso"));
        let is_leaf = trunkline_netsnmp::oids::kind(&name[..length]) != trunkline_netsnmp::oids::Kind::Node;
        let end = if is_leaf { length } else { (length + 3).min(name.len()) };
        let more: String = name[length..end].iter().map(|sub_id| format!(".{sub_id}")).collect();
        let oid = name[..end].iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        format!("{label}{more} ({oid})")
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Difference::MissingHere => "missing here: snmpd has it",
            Difference::MissingThere => "missing there: only this agent has it",
            Difference::OtherType => "other type",
            Difference::OtherValue => "other value",
        })
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ours, theirs) = self.counts;
        let moving: usize = self.moving.values().sum();
        let differing: usize = self.differences.values().map(Vec::len).sum();
        writeln!(f, "ours has {ours} instances, snmpd has {theirs}")?;
        writeln!(
            f,
            "{} equal, {moving} that move with time and are close enough, {differing} that differ",
            self.equal
        )?;
        let mut heading = None;
        for ((kind, object), instances) in &self.differences {
            if heading != Some(kind) {
                writeln!(f, "\n{kind}")?;
                heading = Some(kind);
            }
            writeln!(f, "  {object}: {}", counted(instances.len()))?;
            for instance in instances.iter().take(SHOWN) {
                writeln!(f, "    {}{}", instance.name, values(*kind, instance))?;
            }
            if instances.len() > SHOWN {
                writeln!(f, "    and {} more", instances.len() - SHOWN)?;
            }
        }
        if !self.moving.is_empty() {
            writeln!(
                f,
                "\nmoving with time, compared with a tolerance (a tenth, or {CLOSE} counts or ticks)"
            )?;
            for (object, count) in &self.moving {
                writeln!(f, "  {object}: {}", counted(*count))?;
            }
        }
        Ok(())
    }
}

fn counted(count: usize) -> String {
    if count == 1 { "1 instance".into() } else { format!("{count} instances") }
}

fn values(kind: Difference, instance: &Instance) -> String {
    let text = |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".into(), shown);
    match kind {
        Difference::MissingHere => format!(" = {}", text(&instance.theirs)),
        Difference::MissingThere => format!(" = {}", text(&instance.ours)),
        _ => format!(": ours {}, snmpd {}", text(&instance.ours), text(&instance.theirs)),
    }
}

/// A value for people: text as text, other octets in hexadecimal.
fn shown(value: &Value) -> String {
    let Value::OctetString(octets) = value else { return format!("{value:?}") };
    match std::str::from_utf8(octets) {
        Ok(text) if !text.chars().any(char::is_control) => format!("{text:?}"),
        _ => octets.iter().map(|octet| format!("{octet:02x}")).collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instances(list: &[(&str, Value)]) -> Instances {
        list.iter().map(|(name, value)| (name.parse().unwrap(), value.clone())).collect()
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
        ]);
        let ours = instances(&[
            (NAME, Value::text("b")),
            (UP_TIME, Value::TimeTicks(20)),
            ("1.3.6.1.2.1.2.1.0", Value::Counter32(3)),
            ("1.3.6.1.2.1.1.7.0", Value::Integer(72)),
            ("1.3.6.1.2.1.2.2.1.1.1", Value::Integer(1)),
        ]);
        let found = compare(&ours, &theirs, &theirs);
        let kinds: Vec<(Difference, &str)> =
            found.differences.keys().map(|(kind, object)| (*kind, object.as_str())).collect();
        assert_eq!(
            kinds,
            [
                (Difference::MissingHere, "enterprises.99999.1.7 (1.3.6.1.4.1.99999.1.7)"),
                (Difference::MissingThere, "ifIndex (1.3.6.1.2.1.2.2.1.1)"),
                (Difference::OtherType, "ifNumber (1.3.6.1.2.1.2.1)"),
                (Difference::OtherValue, "sysName (1.3.6.1.2.1.1.5)"),
            ]
        );
        assert_eq!((found.equal, found.moving.len(), found.is_equal()), (1, 1, false));
        let text = found.to_string();
        assert!(
            text.contains(
                "other value\n  sysName (1.3.6.1.2.1.1.5): 1 instance\n    1.3.6.1.2.1.1.5.0: ours "
            ),
            "{text}"
        );
    }

    #[test]
    fn volatile_values_are_not_a_difference() {
        let octets = "1.3.6.1.2.1.2.2.1.10.1";
        let load = "1.3.6.1.4.1.2021.10.1.5.1";
        let process = |id: u32| format!("1.3.6.1.2.1.25.4.2.1.1.{id}");
        let before = instances(&[
            (octets, Value::Counter32(1_000_000)),
            (load, Value::Integer(10)),
            (&process(7), Value::Integer(7)),
        ]);
        let after = instances(&[
            (octets, Value::Counter32(1_050_000)),
            (load, Value::Integer(14)),
            (&process(8), Value::Integer(8)),
        ]);
        let ours = instances(&[
            (octets, Value::Counter32(1_020_000)),
            (load, Value::Integer(12)),
            (&process(9), Value::Integer(9)),
        ]);
        let found = compare(&ours, &before, &after);
        assert!(found.is_equal(), "{found}");
        assert_eq!(found.moving.values().sum::<usize>(), 5);
        // But not distant values, nor an integer that does not change.
        let far = instances(&[(octets, Value::Counter32(9_000_000)), (load, Value::Integer(12))]);
        assert!(!compare(&far, &before, &after).is_equal());
        let still = instances(&[(load, Value::Integer(10))]);
        let other = instances(&[(load, Value::Integer(11))]);
        assert!(!compare(&other, &still, &still).is_equal());
    }
}
