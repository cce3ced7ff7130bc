//! What a change of the configuration means for the machine and for the tree.

use std::collections::HashSet;
use std::fmt::Display;
use std::net::IpAddr;

use trunkline_datastore::{Branch, Change, Config, Item, Step, changes, path};
use trunkline_host::{InterfaceSettings, StaticHop, StaticRoute};
use trunkline_netconf::error::{Layer, Path, RpcError, Tag};
use trunkline_smi::{Oid, SetStatus, Value};
use trunkline_tree::{SetBinding, SetCheck, SetError, SetFailure};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::{OwnModule, ROUTING, SYSTEM};
use trunkline_yang::value_type::{IF_TYPE, interface_types};

/// What is to be done.
#[derive(Default)]
pub(super) struct Changed {
    /// Interfaces, and where each is.
    pub interfaces: Vec<InterfaceSettings>,
    pub places: Vec<Path>,
    /// Static routes that are to go, and where each is.
    pub gone: (Vec<StaticRoute>, Vec<Path>),
    /// Those that are to come.
    pub new: (Vec<StaticRoute>, Vec<Path>),
    /// Those that stay, if interfaces change, with which the kernel drops routes.
    pub kept: Vec<StaticRoute>,
    /// Objects of the tree, and where each is.
    pub objects: Vec<(SetBinding, Path)>,
}

impl Changed {
    /// The difference of two configurations.
    pub fn of(forest: &Forest, before: &Config, after: &Config) -> Changed {
        let mut changed = Changed::default();
        let all = changes(before, after);
        for place in interfaces(forest, &all) {
            changed.interfaces.push(settings(forest, place, entry(before, place), entry(after, place)));
            changed.places.push(path(forest, place));
        }
        for change in &all {
            if let Some(binding) = object(forest, change) {
                changed.objects.push((binding, path(forest, &change.path)));
            }
        }
        let rows = trunkline_nacm::bindings(forest, &all).into_iter();
        changed.objects.extend(rows.map(|(binding, steps)| (binding, path(forest, &steps))));
        if !changed.interfaces.is_empty() || all.iter().any(|it| is_in(forest, it, &ROUTING)) {
            let (had, has) = (static_routes(forest, before), static_routes(forest, after));
            let before: HashSet<&StaticRoute> = had.iter().map(|(it, _)| it).collect();
            let after: HashSet<&StaticRoute> = has.iter().map(|(it, _)| it).collect();
            changed.gone = had.iter().filter(|(it, _)| !after.contains(it)).cloned().unzip();
            changed.new = has.iter().filter(|(it, _)| !before.contains(it)).cloned().unzip();
            if !changed.interfaces.is_empty() {
                changed.kept = after.intersection(&before).map(|it| (*it).clone()).collect();
            }
        }
        changed
    }

    /// The same in parts, each of which can be applied alone: one that fails does not affect others.
    pub fn each(forest: &Forest, before: &Config, after: &Config) -> Vec<Changed> {
        let all = Changed::of(forest, before, after);
        let one = |(settings, place)| Changed {
            interfaces: vec![settings],
            places: vec![place],
            ..Changed::default()
        };
        let gone = |(route, place)| Changed { gone: (vec![route], vec![place]), ..Changed::default() };
        let new = |(route, place)| Changed { new: (vec![route], vec![place]), ..Changed::default() };
        let mut parts: Vec<Changed> = all.gone.0.into_iter().zip(all.gone.1).map(gone).collect();
        parts.extend(all.interfaces.into_iter().zip(all.places).map(one));
        parts.extend(all.new.0.into_iter().zip(all.new.1).map(new));
        for row in all.objects.chunk_by(|(one, _), (other, _)| trunkline_nacm::is_same_row(one, other)) {
            // A row that is created may be there from before the agent ended.
            let cleared = trunkline_nacm::cleared(row.iter().map(|(binding, _)| binding));
            let cleared = cleared.into_iter().map(|binding| vec![(binding, row[0].1.clone())]);
            parts.extend(
                cleared.chain([row.to_vec()]).map(|objects| Changed { objects, ..Changed::default() }),
            );
        }
        parts
    }

    /// The tree refuses to set an object.
    pub fn not_set(&self, failure: &SetFailure) -> RpcError {
        let row = self.objects.get(failure.binding).and_then(|it| trunkline_nacm::why_not_set(&it.0));
        let reason = match (failure.status, row) {
            (SetStatus::NotWritable | SetStatus::InconsistentValue, Some(why)) => why.to_owned(),
            (SetStatus::NotWritable, None) => {
                "the agent's configuration file sets it, in the section [system]: change it there".to_owned()
            }
            _ if failure.reason.is_empty() => format!("it cannot be set: {}", failure.status.name()),
            _ => failure.reason.clone(),
        };
        let refused = RpcError::new(Layer::Application, Tag::OperationFailed, reason);
        match self.objects.get(failure.binding) {
            Some((_, place)) => refused.at(place.clone()),
            None => refused,
        }
    }

    /// Neither the change nor its undo could be done.
    pub fn half_done(&self, failure: &dyn Display, undo: &dyn Display) -> RpcError {
        let message = format!("{failure}; what had been changed could not be taken back: {undo}");
        RpcError::new(Layer::Application, Tag::RollbackFailed, message)
    }
}

/// The machine refuses to change something at one of these places.
pub(super) fn refused(error: &SetError, places: &[Path]) -> RpcError {
    let tag = match error.check {
        SetCheck::WrongValue => Tag::InvalidValue,
        _ => Tag::OperationFailed,
    };
    let refused = RpcError::new(Layer::Application, tag, error.reason.clone());
    match places.get(error.binding) {
        Some(place) => refused.at(place.clone()),
        None => refused,
    }
}

fn is_in(forest: &Forest, change: &Change, module: &OwnModule) -> bool {
    change.path.first().is_some_and(|step| forest.module(step.node).name == module.name)
}

/// All static routes of a configuration, and where each is.
fn static_routes(forest: &Forest, config: &Config) -> Vec<(StaticRoute, Path)> {
    let mut found: Vec<(StaticRoute, Path)> = Vec::new();
    let mut steps = Vec::new();
    find_routes(forest, config.root(), &mut steps, &mut found);
    found
}

fn find_routes(
    forest: &Forest,
    branch: &Branch,
    steps: &mut Vec<Step>,
    found: &mut Vec<(StaticRoute, Path)>,
) {
    for (step, item) in branch.iter() {
        let Item::Within(within) = item else { continue };
        let name = &forest[step.node].name;
        if steps.is_empty() && name != "routing" {
            continue;
        }
        steps.push(step.clone());
        match name.as_str() {
            "route" => found.extend(static_route(forest, step, within).map(|it| (it, path(forest, steps)))),
            _ => find_routes(forest, within, steps, found),
        }
        steps.pop();
    }
}

fn static_route(forest: &Forest, step: &Step, entry: &Branch) -> Option<StaticRoute> {
    let (destination, length) = step.keys.first()?.split_once('/')?;
    let container = forest.child(Some(step.node), "next-hop")?;
    let hop = entry.within(&Step::to(container))?;
    let leaf = |name: &str| hop.leaf(forest.child(Some(container), name)?);
    let next = match leaf("special-next-hop") {
        Some("blackhole") => StaticHop::Blackhole,
        Some("unreachable") => StaticHop::Unreachable,
        Some(_) => StaticHop::Prohibit,
        None => StaticHop::To {
            gateway: leaf("next-hop-address").and_then(|it| it.parse().ok()),
            interface: leaf("outgoing-interface").map(str::to_owned),
        },
    };
    Some(StaticRoute { destination: destination.parse().ok()?, prefix_length: length.parse().ok()?, next })
}

/// Where the entries of `/interfaces/interface` are in which something changes, each once.
fn interfaces<'c>(forest: &Forest, changes: &'c [Change]) -> Vec<&'c [Step]> {
    let is_interface = |place: &&[Step]| matches!(place, [list, entry] if forest[list.node].name == "interfaces" && forest[entry.node].name == "interface");
    let mut found: Vec<&[Step]> =
        changes.iter().filter_map(|it| it.path.get(..2)).filter(is_interface).collect();
    // What changes in one entry stands together.
    found.dedup();
    found
}

fn entry<'c>(config: &'c Config, place: &[Step]) -> Option<&'c Branch> {
    let mut branch = config.root();
    for step in place {
        branch = branch.within(step)?;
    }
    Some(branch)
}

/// What an interface is to have after it had something else in the configuration.
fn settings(
    forest: &Forest,
    place: &[Step],
    before: Option<&Branch>,
    after: Option<&Branch>,
) -> InterfaceSettings {
    let Some(step) = place.last() else { return InterfaceSettings::default() };
    let leaf = |of: Option<&Branch>, name: &str| {
        let node = forest.child(Some(step.node), name)?;
        of?.leaf(node).map(str::to_owned)
    };
    let differs = |name: &str| leaf(before, name) != leaf(after, name);
    let is_enabled = |of: Option<&Branch>| of.map(|_| leaf(of, "enabled").is_none_or(|it| it == "true"));
    let (had, has) = (addresses(forest, step.node, before), addresses(forest, step.node, after));
    let mtu = |of| value_in(forest, step.node, of, "ipv4", "mtu");
    let but = |all: &[(IpAddr, u8)], others: &[(IpAddr, u8)]| {
        all.iter().filter(|it| !others.contains(it)).copied().collect::<Vec<_>>()
    };
    let up = is_enabled(after).filter(|now| is_enabled(before) != Some(*now));
    InterfaceSettings {
        name: step.keys.first().map(|name| name.to_string()).unwrap_or_default(),
        kind: leaf(after, "type").filter(|_| differs("type")).and_then(|kind| number_of(&kind)),
        up,
        alias: differs("description").then(|| leaf(after, "description").unwrap_or_default()),
        mtu: mtu(after).filter(|_| mtu(before) != mtu(after)).and_then(|mtu| mtu.parse().ok()),
        gone: but(&had, &has),
        // From one that was down the kernel has taken those of IPv6.
        new: if up == Some(true) { has } else { but(&has, &had) },
    }
}

fn value_in(
    forest: &Forest,
    parent: NodeId,
    of: Option<&Branch>,
    container: &str,
    leaf: &str,
) -> Option<String> {
    let container = forest.child(Some(parent), container)?;
    let within = of?.within(&Step::to(container))?;
    within.leaf(forest.child(Some(container), leaf)?).map(str::to_owned)
}

fn addresses(forest: &Forest, parent: NodeId, of: Option<&Branch>) -> Vec<(IpAddr, u8)> {
    let mut found = Vec::new();
    for family in ["ipv4", "ipv6"] {
        let Some(container) = forest.child(Some(parent), family) else { continue };
        let Some(within) = of.and_then(|of| of.within(&Step::to(container))) else { continue };
        for (step, item) in within.iter() {
            let (Item::Within(entry), Some(ip)) = (item, step.keys.first()) else { continue };
            let length = forest.child(Some(step.node), "prefix-length").and_then(|node| entry.leaf(node));
            if let (Ok(ip), Some(Ok(length))) = (ip.parse(), length.map(str::parse)) {
                found.push((ip, length));
            }
        }
    }
    found
}

/// IANAifType of an identity.
fn number_of(identity: &str) -> Option<i32> {
    let name = identity.strip_prefix(IF_TYPE.0)?.strip_prefix(':')?;
    interface_types().find(|(_, known)| *known == name).map(|(number, _)| number)
}

/// The object whose value a leaf is; `None` of what the tree does not set.
fn object(forest: &Forest, change: &Change) -> Option<SetBinding> {
    let step = change.path.last()?;
    let setting = forest[step.node].place.setting()?;
    if forest.module(step.node).name != SYSTEM.name {
        return None;
    }
    let name = Oid::EMPTY.child(setting.object).child(&[0]);
    let value = match &change.after {
        Some(value) => value.to_string(),
        // Without a name of its own the agent has the machine's.
        None if forest[step.node].name == "hostname" => {
            rustix::system::uname().nodename().to_string_lossy().into_owned()
        }
        None => String::new(),
    };
    Some(SetBinding { name, value: Some(Value::OctetString(value.into_bytes())) })
}
