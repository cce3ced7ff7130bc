//! Modules of a subagent through one master and through the other, instance by instance.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_smi::{Oid, Value};

use crate::daemon::{Daemon, wait_for};
use crate::master::{Kind, Master};
use crate::support::oid;
use crate::world::World;

pub type Instances = BTreeMap<Oid, Value>;

/// A module that a subagent serves.
pub struct Module {
    pub name: &'static str,
    pub root: &'static str,
    /// At least so many instances.
    pub least: usize,
    /// Columns and scalars, below the root, whose values move on by themselves: only their types are compared, and
    /// counters must not have gone back.
    pub moving: &'static [&'static str],
    /// Entries of tables, below the root, whose first index is a TimeMark (RFC 4502). It counts from where the agent's
    /// sysUpTime begins, so another master has another one.
    pub time_marks: &'static [&'static str],
}

impl Module {
    /// Instances with 0 for the TimeMark in their names.
    fn without_time(&self, found: Instances) -> Instances {
        let entries: Vec<Oid> =
            self.time_marks.iter().map(|entry| oid(&format!("{}.{entry}", self.root))).collect();
        let without = |(name, value): (Oid, Value)| {
            let mut parts = name.to_vec();
            if let Some(entry) = entries.iter().find(|entry| name.starts_with(entry)) {
                // Behind the entry is the column.
                parts[entry.len() + 1] = 0;
            }
            (Oid::new(&parts).unwrap(), value)
        };
        found.into_iter().map(without).collect()
    }
}

/// Serves the modules of a running subagent through snmpd and then through `trunklined`, to which it connects when snmpd
/// has gone. `is_ready` looks at all instances: whether there is all that is expected of the neighbor.
pub fn check(
    world: &World,
    modules: &[Module],
    start: impl FnOnce() -> Vec<Daemon>,
    is_ready: impl Fn(&Instances) -> bool,
) {
    let theirs = Master::start(Kind::NetSnmp, &world.socket(), world.folder.path());
    let mut daemons = start();
    let before = settled(&theirs, &mut daemons, modules, &is_ready);
    drop(theirs);
    let ours = Master::start(Kind::Ours, &world.socket(), world.folder.path());
    // A subagent registers subtree by subtree.
    let whole: usize = before.iter().map(Instances::len).sum();
    let is_whole = |found: &Instances| found.len() >= whole && is_ready(found);
    let after = settled(&ours, &mut daemons, modules, &is_whole);
    for (module, (before, after)) in modules.iter().zip(before.iter().zip(&after)) {
        let differences = differences(module, before, after);
        assert!(differences.is_empty(), "{}: {differences:#?}", module.name);
        eprintln!("{}: {} instances through both masters", module.name, after.len());
    }
    whole_tree(&ours, modules, &after);
}

/// The instances of each module, once the subagent serves them all and a second walk finds them as the first one did:
/// protocols of routing go on for a while, also within a walk.
fn settled(
    master: &Master,
    daemons: &mut [Daemon],
    modules: &[Module],
    is_ready: &impl Fn(&Instances) -> bool,
) -> Vec<Instances> {
    let mut found = Vec::new();
    wait_for(daemons, "the subagent and its neighbor", || {
        let walks: Result<Vec<Instances>, String> =
            modules.iter().map(|module| Ok(module.without_time(master.walk(module.root)?))).collect();
        let last = std::mem::replace(&mut found, walks.unwrap_or_default());
        let is_at_rest = modules
            .iter()
            .zip(last.iter().zip(&found))
            .all(|(module, (last, found))| differences(module, last, found).is_empty());
        let is_whole = found.iter().zip(modules).all(|(found, module)| found.len() >= module.least);
        !last.is_empty()
            && !found.is_empty()
            && is_at_rest
            && is_whole
            && is_ready(&found.iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect())
    });
    found
}

/// A walk of everything passes through the subagent and goes on behind it.
fn whole_tree(master: &Master, modules: &[Module], known: &[Instances]) {
    let all = master.walk("1").unwrap();
    for (module, known) in modules.iter().zip(known) {
        let root = oid(module.root);
        let of_module = all.iter().filter(|(name, _)| name.starts_with(&root));
        let found =
            module.without_time(of_module.map(|(name, value)| (name.clone(), value.clone())).collect());
        assert!(found.keys().eq(known.keys()), "{} in a walk of everything", module.name);
    }
    let [system, framework] = ["1.3.6.1.2.1.1.1.0", "1.3.6.1.6.3.10.2.1.1.0"].map(oid);
    assert!(all.contains_key(&system) && all.contains_key(&framework), "{} instances", all.len());
}

fn differences(module: &Module, before: &Instances, after: &Instances) -> Vec<String> {
    let moving: Vec<Oid> =
        module.moving.iter().map(|column| oid(&format!("{}.{column}", module.root))).collect();
    let names: BTreeSet<&Oid> = before.keys().chain(after.keys()).collect();
    let difference = |name: &&Oid| match (before.get(*name), after.get(*name)) {
        (Some(before), Some(after)) if moving.iter().any(|column| name.starts_with(column)) => {
            (!may_follow(before, after)).then(|| format!("{name}: {before:?}, then {after:?}"))
        }
        (before, after) => (before != after).then(|| format!("{name}: {before:?}, then {after:?}")),
    };
    names.iter().filter_map(difference).collect()
}

/// Whether a value of this column may be the next one.
fn may_follow(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Counter32(before), Value::Counter32(after)) => before <= after,
        (Value::Counter64(before), Value::Counter64(after)) => before <= after,
        (before, after) => std::mem::discriminant(before) == std::mem::discriminant(after),
    }
}
