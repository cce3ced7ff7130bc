//! A comparison as text and as JSON.

use std::fmt::{self, Write};

use serde_json::{Value as Json, json};
use trunkline_smi::{Oid, Value};

use super::difference::{CLOSE, Comparison, Difference, Differences, Instance, Silent};
use super::objects::Object;

/// How many instances of one object are shown.
const SHOWN: usize = 3;

impl Comparison {
    /// For people: what differs; with `all` also what is known to, what was accepted, and what changes with time.
    pub fn text(&self, all: bool) -> String {
        let mut text = String::new();
        let _ = self.write(&mut text, all);
        text
    }

    fn write(&self, f: &mut String, all: bool) -> fmt::Result {
        let (ours, theirs) = self.counts;
        writeln!(f, "ours has {ours} instances, snmpd has {theirs}")?;
        writeln!(
            f,
            "{} equal, {} that change with time, {} of objects that only ours serves, {} known to differ, {} ignored, \
             {} that differ",
            self.equal,
            self.volatile.values().sum::<usize>(),
            self.additional.values().sum::<usize>(),
            self.documented.values().map(counts).sum::<usize>(),
            counts(&self.ignored),
            counts(&self.differences)
        )?;
        for silent in &self.silent {
            writeln!(f, "\n{silent}")?;
        }
        write_differences(f, "", &self.differences)?;
        if !all {
            return Ok(());
        }
        for (reason, differences) in &self.documented {
            writeln!(f, "\nknown to differ: {reason}")?;
            write_differences(f, "known: ", differences)?;
        }
        if !self.ignored.is_empty() {
            write_differences(f, "ignored: ", &self.ignored)?;
        }
        let lists = [
            ("only this agent serves these objects".to_string(), &self.additional),
            (
                format!(
                    "change with time; counters, ticks, memory, space and loads are compared with a tolerance (of counters \
                     and ticks a tenth, or {CLOSE})"
                ),
                &self.volatile,
            ),
        ];
        for (heading, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            writeln!(f, "\n{heading}")?;
            for (object, count) in list {
                writeln!(f, "  {object}: {}", counted(*count))?;
            }
        }
        Ok(())
    }

    /// One object; `result` is `equal` or `different`.
    pub fn json(&self) -> String {
        let objects = |list: &std::collections::BTreeMap<Object, usize>| -> Vec<Json> {
            let entry = |(object, count): (&Object, &usize)| json!({"name": object.name, "oid": object.oid.to_string(), "instances": count});
            list.iter().map(entry).collect()
        };
        let documented: Vec<Json> = self
            .documented
            .iter()
            .map(|(reason, list)| json!({"reason": reason, "differences": differences(list)}))
            .collect();
        json!({
            "result": if self.is_equal() { "equal" } else { "different" },
            "instances": {"ours": self.counts.0, "theirs": self.counts.1},
            "equal": self.equal,
            "differences": differences(&self.differences),
            "documented": documented,
            "ignored": differences(&self.ignored),
            "additional": objects(&self.additional),
            "volatile": objects(&self.volatile),
            "silent": self.silent.iter().map(silent).collect::<Vec<_>>(),
        })
        .to_string()
    }
}

fn silent(silent: &Silent) -> Json {
    let after = |name: &Option<Oid>| name.as_ref().map(Oid::to_string);
    json!({
        "subtree": silent.subtree.to_string(),
        "ours-after": after(&silent.ours),
        "theirs-after": after(&silent.theirs),
    })
}

impl fmt::Display for Silent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.ours, &self.theirs) {
            (Some(_), Some(after)) => {
                write!(f, "neither agent has an answer after {after} for {}: not compared", self.subtree)
            }
            (Some(after), None) => write!(f, "ours has no answer after {after} for {}", self.subtree),
            (None, after) => {
                let after = after.as_ref().unwrap_or(&self.subtree);
                write!(f, "snmpd has no answer after {after} for {}", self.subtree)
            }
        }
    }
}

fn counts(differences: &Differences) -> usize {
    differences.values().map(Vec::len).sum()
}

fn write_differences(f: &mut String, mark: &str, differences: &Differences) -> fmt::Result {
    let mut heading = None;
    for ((kind, object), instances) in differences {
        if heading != Some(kind) {
            writeln!(f, "\n{mark}{kind}")?;
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
    Ok(())
}

fn differences(list: &Differences) -> Vec<Json> {
    let entry = |((kind, object), instances): (&(Difference, Object), &Vec<Instance>)| {
        let examples: Vec<Json> = instances
            .iter()
            .take(SHOWN)
            .map(|instance| {
                json!({
                    "instance": instance.name.to_string(),
                    "ours": instance.ours.as_ref().map(shown),
                    "theirs": instance.theirs.as_ref().map(shown),
                })
            })
            .collect();
        json!({
            "kind": kind.name(),
            "name": object.name,
            "oid": object.oid.to_string(),
            "instances": instances.len(),
            "examples": examples,
        })
    };
    list.iter().map(entry).collect()
}

impl Difference {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Difference::MissingHere => "missing-here",
            Difference::MissingThere => "missing-there",
            Difference::OtherType => "other-type",
            Difference::OtherValue => "other-value",
        }
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
