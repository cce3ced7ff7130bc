//! What a change of the configuration means for the machine and for the tree.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Display;
use std::net::IpAddr;
use std::sync::Arc;

use super::hooks::Call;
use trunkline_admin::AUTHORITY;
use trunkline_datastore::{Branch, Change, Config, Item, Step, changes, given_again, path};
use trunkline_host::{Expected, InterfaceSettings, StaticHop, StaticRoute};
use trunkline_models::delegation;
use trunkline_models::snmp::{self, SnmpEdit, SnmpFault, SnmpScalar, SnmpState};
use trunkline_nacm::{GROUPS, Rbac, group_row, rbac_place, rbac_root};
use trunkline_netconf::error::{Layer, Path, RpcError, Tag};
use trunkline_smi::{Oid, SetStatus, Value};
use trunkline_tree::policy::OwnedPrincipal;
use trunkline_tree::{SetBinding, SetCheck, SetError, SetFailure};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::{INTERFACES, OwnModule, ROUTING, SYSTEM};
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
    /// Those that stay, if interfaces change, with which the kernel drops routes; otherwise those that were given again.
    pub kept: Vec<StaticRoute>,
    /// Whether those that stay are put back in any case.
    pub are_put_back: bool,
    /// All interfaces that are configured, if there are new routes: one that is not there may lead to their next hops.
    pub expected: Arc<[Expected]>,
    /// What programs are to apply.
    pub hooks: Vec<Call>,
    /// Rows of SNMP's tables, and where each is.
    pub rows: (Vec<SnmpEdit>, Vec<Path>),
    /// Roles, permissions and users, and where each role and each user is.
    pub policy: Option<(Rbac, Vec<Path>)>,
    /// Whether that was in force before, so that it may contradict the configuration file by now.
    pub is_kept: bool,
    /// Objects of the tree, and where each is.
    pub objects: Vec<(SetBinding, Path)>,
}

impl Changed {
    /// The difference of two configurations. `state`: what `/snmp` lies over now. `again`: leaves that are asserted although they do not
    /// differ, since the machine may have been changed by others.
    ///
    /// # Errors
    /// SNMP's tables cannot be that.
    pub fn of(
        forest: &Forest,
        state: &SnmpState,
        before: &Config,
        after: &Config,
        again: &[Vec<Step>],
    ) -> Result<Changed, RpcError> {
        let mut changed = Changed::between(forest, before, after, again);
        changed.add_snmp(forest, state, before, after, true).map_err(|fault| misfit(forest, fault))?;
        changed.add_delegation(forest, state, before, after, true).map_err(|fault| misfit(forest, fault))?;
        changed.leave_out_rows_that_are_set();
        changed.policy = policy(forest, before, after).map_err(first_of)?;
        Ok(changed)
    }

    /// `/nacm` and `/snmp` show the same rows of groups. Where both differ, as what is taken back does, `/snmp` sets them.
    fn leave_out_rows_that_are_set(&mut self) {
        let groups = self.objects.iter().filter_map(|(binding, _)| group_row(binding));
        let groups: HashMap<&[u32], &Value> =
            groups.filter_map(|(index, group)| Some((index, group?))).collect();
        let is_said = |edit: &&SnmpEdit| {
            let cells = edit.cells.as_deref();
            let group = cells.and_then(|cells| cells.iter().find(|(name, _)| *name == "vacmGroupName"));
            edit.row.0 == GROUPS && groups.get(&*edit.row.1).copied() == group.map(|(_, group)| group)
        };
        let rows: HashSet<Vec<u32>> = self.rows.0.iter().filter(is_said).map(|it| it.row.1.clone()).collect();
        self.objects.retain(|(binding, _)| group_row(binding).is_none_or(|(index, _)| !rows.contains(index)));
    }

    /// Rows of delegated work.
    fn add_delegation(
        &mut self,
        forest: &Forest,
        state: &SnmpState,
        before: &Config,
        after: &Config,
        is_new: bool,
    ) -> Result<(), SnmpFault> {
        let Some(root) = delegation::root(forest) else { return Ok(()) };
        let [before, after] = [before, after].map(|config| config.root().within(&Step::to(root)));
        if before == after {
            return Ok(());
        }
        let edits = delegation::edits(forest, state, before, after, is_new)?;
        self.rows.1.extend(edits.iter().map(|edit| path(forest, &edit.path)));
        self.rows.0.extend(edits);
        Ok(())
    }

    /// What is delegated acts by the rights of whoever configures it, or has `prepared` it.
    ///
    /// # Errors
    /// Whoever acts on behalf of a role has less rights than a row could keep.
    pub fn delegated_by(
        &mut self,
        by: Option<&OwnedPrincipal>,
        prepared: impl Fn(&[Step]) -> Option<OwnedPrincipal>,
    ) -> Result<(), RpcError> {
        let Some(by) = by else { return Ok(()) };
        for (edit, place) in self.rows.0.iter_mut().zip(&self.rows.1) {
            if !delegation::is_of(edit.row.0) || edit.cells.is_none() {
                continue;
            }
            let author = prepared(&edit.path);
            let by = author.as_ref().unwrap_or(by);
            if by.acting.is_some() {
                let message = "what is delegated acts by the rights of a user: not on behalf of a role";
                let denied = RpcError::new(Layer::Application, Tag::OperationNotSupported, message);
                return Err(denied.at(place.clone()));
            }
            edit.secrets.push((AUTHORITY, Some(by.to_octets())));
        }
        Ok(())
    }

    fn add_snmp(
        &mut self,
        forest: &Forest,
        state: &SnmpState,
        before: &Config,
        after: &Config,
        is_new: bool,
    ) -> Result<(), SnmpFault> {
        let Some(root) = snmp::root(forest) else { return Ok(()) };
        let [before, after] = [before, after].map(|config| config.root().within(&Step::to(root)));
        if before == after {
            return Ok(());
        }
        let (edits, scalars) = snmp::edits(forest, state, before, after, is_new)?;
        self.rows.1.extend(edits.iter().map(|edit| path(forest, &edit.path)));
        self.rows.0.extend(edits);
        for SnmpScalar { path: steps, value } in scalars {
            let setting = steps.last().and_then(|step| forest[step.node].place.setting());
            let Some(setting) = setting else { continue };
            let name = Oid::EMPTY.child(setting.object).child(&[0]);
            let value = Some(Value::Integer(if value { 1 } else { 2 }));
            self.objects.push((SetBinding { name, value }, path(forest, &steps)));
        }
        Ok(())
    }

    /// All that is configured of one interface, with the static routes that may lead through it; `None`: nothing is.
    pub fn all_of(forest: &Forest, config: &Config, name: &str) -> Option<Changed> {
        let kept = static_routes(forest, config);
        let leads = |route: &StaticRoute| matches!(&route.next, StaticHop::To { interface, .. } if interface.as_deref() == Some(name));
        let (interfaces, places) = match entry_of_interface(forest, config, name) {
            Some((step, branch)) => {
                let place = [Step::to(forest[step.node].parent?), step.clone()];
                let settings = settings(forest, &place, None, Some(branch), &Again::default());
                (vec![settings], vec![path(forest, &place)])
            }
            None if kept.iter().any(leads) => (Vec::new(), Vec::new()),
            None => return None,
        };
        Some(Changed { interfaces, places, kept, are_put_back: true, ..Changed::default() })
    }

    /// The same without `/snmp`.
    fn between(forest: &Forest, before: &Config, after: &Config, again: &[Vec<Step>]) -> Changed {
        let mut changed = Changed::default();
        let all = changes(before, after);
        let mut wanted: BTreeMap<&[Step], Again> = BTreeMap::new();
        for leaf in again.iter().filter(|leaf| leaf.len() > 2 && is_interface(forest, &leaf[..2])) {
            wanted.entry(&leaf[..2]).or_default().add(forest, after, leaf);
        }
        wanted.retain(|_, again| *again != Again::default());
        for place in interfaces(forest, &all) {
            wanted.entry(place).or_default();
        }
        for (place, again) in &wanted {
            changed.interfaces.push(settings(
                forest,
                place,
                entry(before, place),
                entry(after, place),
                again,
            ));
            changed.places.push(path(forest, place));
        }
        for change in &all {
            if let Some(binding) = object(forest, change) {
                changed.objects.push((binding, path(forest, &change.path)));
            }
        }
        let rows = trunkline_nacm::bindings(forest, &all).into_iter();
        changed.objects.extend(rows.map(|(binding, steps)| (binding, path(forest, &steps))));
        for place in routes(forest, &all) {
            let route = |config| {
                place.last().zip(entry(config, place)).and_then(|(step, it)| static_route(forest, step, it))
            };
            let (had, has) = (route(before), route(after));
            if had == has {
                continue;
            }
            let at = path(forest, place);
            if let Some(had) = had {
                changed.gone.0.push(had);
                changed.gone.1.push(at.clone());
            }
            if let Some(has) = has {
                changed.new.0.push(has);
                changed.new.1.push(at);
            }
        }
        let given = places_of_routes(forest, again.iter().map(Vec::as_slice));
        let given: Vec<StaticRoute> = given
            .into_iter()
            .filter_map(|place| static_route(forest, place.last()?, entry(after, place)?))
            .collect();
        changed.are_put_back = !given.is_empty();
        changed.kept = if changed.interfaces.is_empty() { given } else { static_routes(forest, after) };
        let new: HashSet<&StaticRoute> = changed.new.0.iter().collect();
        changed.kept.retain(|it| !new.contains(it));
        if changed.new.0.iter().any(|it| matches!(it.next, StaticHop::To { .. })) {
            changed.expected = expected(forest, after);
        }
        changed
    }

    /// The same in parts, each of which can be applied alone: one that fails does not affect others.
    pub fn each(forest: &Forest, state: &SnmpState, before: &Config, after: &Config) -> Vec<Changed> {
        let mut all = Changed::between(forest, before, after, &[]);
        let of_snmp = all.add_snmp(forest, state, before, after, false);
        if let Err(fault) = of_snmp.and_then(|()| all.add_delegation(forest, state, before, after, false)) {
            tracing::error!(error = %misfit(forest, fault), "the configuration of SNMP cannot be taken back");
        }
        match policy(forest, before, after) {
            Ok(policy) => all.policy = policy,
            Err(errors) => {
                tracing::error!(error = %first_of(errors), "the kept access policy is not applied");
            }
        }
        let one = |(settings, place)| Changed {
            interfaces: vec![settings],
            places: vec![place],
            ..Changed::default()
        };
        let gone = |(route, place)| Changed { gone: (vec![route], vec![place]), ..Changed::default() };
        let expected = all.expected.clone();
        let new = |(route, place)| Changed {
            new: (vec![route], vec![place]),
            expected: expected.clone(),
            ..Changed::default()
        };
        let mut parts: Vec<Changed> = all.gone.0.into_iter().zip(all.gone.1).map(gone).collect();
        parts.extend(all.interfaces.into_iter().zip(all.places).map(one));
        parts.extend(all.new.0.into_iter().zip(all.new.1).map(new));
        let row = |(edit, place)| Changed { rows: (vec![edit], vec![place]), ..Changed::default() };
        parts.extend(all.rows.0.into_iter().zip(all.rows.1).map(row));
        let policy = |it| Changed { policy: Some(it), is_kept: true, ..Changed::default() };
        parts.extend(all.policy.map(policy));
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

    /// Whether nothing of it would outlive the machine's end, so that what is to be taken back need not either.
    pub fn is_of_kernel_alone(&self) -> bool {
        self.objects.is_empty() && self.rows.0.is_empty() && self.hooks.is_empty() && self.policy.is_none()
    }

    /// The tree refuses to set an object.
    pub fn not_set(&self, failure: &SetFailure) -> RpcError {
        let row = self.objects.get(failure.binding).and_then(|it| trunkline_nacm::why_not_set(&it.0));
        let reason = match (failure.status, row) {
            (SetStatus::NotWritable | SetStatus::InconsistentValue, Some(why)) => why.to_owned(),
            (SetStatus::NotWritable, None) => {
                "the agent's configuration file sets it: change it there".to_owned()
            }
            _ if failure.reason.is_empty() => format!("it cannot be set: {}", failure.status.name()),
            _ => failure.reason.clone(),
        };
        let tag = match failure.status {
            _ if row.is_some() => Tag::AccessDenied,
            SetStatus::NoAccess | SetStatus::NotWritable => Tag::AccessDenied,
            SetStatus::ResourceUnavailable | SetStatus::CommitFailed | SetStatus::UndoFailed => {
                Tag::OperationFailed
            }
            _ => Tag::InvalidValue,
        };
        let refused = RpcError::new(Layer::Application, tag, reason);
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

/// What of the machine's configuration was given again, as it was.
pub(super) fn asserted(forest: &Forest, before: &Config, after: &Config) -> Vec<Vec<Step>> {
    let is_of_machine = |root| is_in(forest, root, &INTERFACES) || is_in(forest, root, &ROUTING);
    given_again(before, after, is_of_machine)
}

/// The machine refuses to change something at one of these places.
pub(super) fn refused(error: &SetError, places: &[Path]) -> RpcError {
    let tag = match error.check {
        SetCheck::WrongValue => Tag::InvalidValue,
        _ => Tag::OperationFailed,
    };
    refused_as(tag, error, places)
}

/// The same of rows, where it is never the machine that refuses.
pub(super) fn refused_row(error: &SetError, places: &[Path]) -> RpcError {
    let tag = match error.check {
        SetCheck::WrongType
        | SetCheck::WrongValue
        | SetCheck::WrongLength
        | SetCheck::NoCreation
        | SetCheck::InconsistentName
        | SetCheck::InconsistentValue => Tag::InvalidValue,
        SetCheck::NoAccess | SetCheck::NotWritable => Tag::AccessDenied,
        SetCheck::ResourceUnavailable => Tag::ResourceDenied,
        SetCheck::CommitFailed => Tag::OperationFailed,
    };
    refused_as(tag, error, places)
}

fn refused_as(tag: Tag, error: &SetError, places: &[Path]) -> RpcError {
    let reason = match error.check {
        SetCheck::NotWritable => format!("{}: change it in the agent's configuration file", error.reason),
        _ => error.reason.clone(),
    };
    let refused = RpcError::new(Layer::Application, tag, reason);
    match places.get(error.binding) {
        Some(place) => refused.at(place.clone()),
        None => refused,
    }
}

/// The same of the access policy, which has its limits.
pub(super) fn refused_policy(error: &SetError, places: &[Path]) -> RpcError {
    match error.check {
        SetCheck::ResourceUnavailable => {
            RpcError::new(Layer::Application, Tag::ResourceDenied, error.reason.clone())
        }
        _ => refused(error, places),
    }
}

/// A configuration that SNMP's tables cannot hold.
fn misfit(forest: &Forest, fault: SnmpFault) -> RpcError {
    let error = RpcError::new(Layer::Application, fault.tag, fault.reason);
    error.at(path(forest, &fault.path))
}

/// A policy, and where each of its roles and users is.
type PolicyAt = (Rbac, Vec<Path>);

/// What the access policy of a configuration is, if it is another one's no more.
///
/// # Errors
/// It cannot be read.
pub(super) fn policy(
    forest: &Forest,
    before: &Config,
    after: &Config,
) -> Result<Option<PolicyAt>, Vec<RpcError>> {
    let Some(root) = rbac_root(forest).map(Step::to) else { return Ok(None) };
    let [was, is] = [before, after].map(|config| config.root().within(&root));
    if was == is {
        return Ok(None);
    }
    let rbac = Rbac::read(forest, after)?;
    let roles = rbac.roles.iter().map(|role| ("role", &role.name));
    let all = roles.chain(rbac.users.iter().map(|user| ("user", &user.name)));
    let place =
        |(list, name): (&str, &String)| path(forest, &rbac_place(forest, list, name).unwrap_or_default());
    let places = all.map(place).collect();
    Ok(Some((rbac, places)))
}

/// The first of several errors.
fn first_of(errors: Vec<RpcError>) -> RpcError {
    let unknown =
        || RpcError::new(Layer::Application, Tag::OperationFailed, "the access policy cannot be read");
    errors.into_iter().next().unwrap_or_else(unknown)
}

/// All static routes of a configuration.
fn static_routes(forest: &Forest, config: &Config) -> Vec<StaticRoute> {
    let mut found = Vec::new();
    let root = forest.roots().iter().find(|root| is_in(forest, **root, &ROUTING));
    if let Some(within) = root.and_then(|root| config.root().within(&Step::to(*root))) {
        find_routes(forest, within, &mut found);
    }
    found
}

fn find_routes(forest: &Forest, branch: &Branch, found: &mut Vec<StaticRoute>) {
    for (step, item) in branch.iter() {
        let Item::Within(within) = item else { continue };
        match is_route(forest, step) {
            true => found.extend(static_route(forest, step, within)),
            false => find_routes(forest, within, found),
        }
    }
}

/// Where the static routes are of which something changes, each once.
fn routes<'c>(forest: &Forest, changes: &'c [Change]) -> Vec<&'c [Step]> {
    places_of_routes(forest, changes.iter().map(|it| it.path.as_slice()))
}

/// Where the static routes are that have something of this, each once.
fn places_of_routes<'c>(forest: &Forest, paths: impl Iterator<Item = &'c [Step]>) -> Vec<&'c [Step]> {
    let mut found: Vec<&[Step]> = paths
        .filter(|path| path.first().is_some_and(|root| is_in(forest, root.node, &ROUTING)))
        .filter_map(|path| path.get(..=path.iter().position(|step| is_route(forest, step))?))
        .collect();
    // What changes in one entry stands together.
    found.dedup();
    found
}

/// All interfaces of a configuration.
fn expected(forest: &Forest, config: &Config) -> Arc<[Expected]> {
    let container = forest.child(None, "interfaces").map(Step::to);
    let entries = container.and_then(|it| config.root().within(&it)).into_iter().flat_map(Branch::iter);
    let of_one = |(step, item): (&Step, &Item)| Expected {
        name: step.keys.first().map(|it| it.to_string()).unwrap_or_default(),
        addresses: addresses(forest, step.node, None, item.branch()).1,
    };
    entries.map(of_one).collect()
}

fn is_in(forest: &Forest, node: NodeId, module: &OwnModule) -> bool {
    forest.module(node).name == module.name
}

fn is_route(forest: &Forest, step: &Step) -> bool {
    !step.keys.is_empty() && forest[step.node].name == "route"
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
    let places = changes.iter().filter_map(|it| it.path.get(..2));
    let mut found: Vec<&[Step]> = places.filter(|place| is_interface(forest, place)).collect();
    // What changes in one entry stands together.
    found.dedup();
    found
}

fn is_interface(forest: &Forest, place: &[Step]) -> bool {
    matches!(place, [list, entry] if forest[list.node].name == "interfaces" && forest[entry.node].name == "interface")
}

/// What of an interface is asserted although the configuration does not change.
#[derive(Debug, Default, PartialEq)]
struct Again {
    enabled: bool,
    description: bool,
    mtu: bool,
    addresses: Vec<Address>,
}

impl Again {
    fn add(&mut self, forest: &Forest, after: &Config, leaf: &[Step]) {
        let name = |at: usize| leaf.get(at).map_or("", |step| forest[step.node].name.as_str());
        match (name(2), name(3)) {
            ("enabled", _) => self.enabled = true,
            ("description", _) => self.description = true,
            ("ipv4", "mtu") => self.mtu = true,
            ("ipv4" | "ipv6", "address") => {
                let found = entry(after, &leaf[..4]).and_then(|entry| address(forest, &leaf[3], entry));
                self.addresses.extend(found);
                self.addresses.dedup();
            }
            _ => {}
        }
    }
}

fn entry<'c>(config: &'c Config, place: &[Step]) -> Option<&'c Branch> {
    let mut branch = config.root();
    for step in place {
        branch = branch.within(step)?;
    }
    Some(branch)
}

/// The interfaces of a configuration.
pub(super) fn names(forest: &Forest, config: &Config) -> Vec<String> {
    let container = forest.child(None, "interfaces").map(Step::to);
    let entries = container.and_then(|it| config.root().within(&it)).into_iter().flat_map(Branch::iter);
    entries.filter_map(|(step, _)| Some(step.keys.first()?.to_string())).collect()
}

/// The entry of an interface.
pub(super) fn entry_of_interface<'c>(
    forest: &Forest,
    config: &'c Config,
    name: &str,
) -> Option<(&'c Step, &'c Branch)> {
    let container = forest.child(None, "interfaces")?;
    let list = forest.child(Some(container), "interface")?;
    let (step, item) = config
        .root()
        .within(&Step::to(container))?
        .entry(&Step { node: list, keys: [name.into()].into() })?;
    Some((step, item.branch()?))
}

/// What an interface is to have after it had something else in the configuration.
fn settings(
    forest: &Forest,
    place: &[Step],
    before: Option<&Branch>,
    after: Option<&Branch>,
    again: &Again,
) -> InterfaceSettings {
    let Some(step) = place.last() else { return InterfaceSettings::default() };
    let leaf = |of: Option<&Branch>, name: &str| {
        let node = forest.child(Some(step.node), name)?;
        of?.leaf(node).map(str::to_owned)
    };
    let differs = |name: &str| leaf(before, name) != leaf(after, name);
    let is_enabled = |of: Option<&Branch>| of.map(|_| leaf(of, "enabled").is_none_or(|it| it == "true"));
    let (gone, new) = addresses(forest, step.node, before, after);
    let mtu = |of| value_in(forest, step.node, of, "ipv4", "mtu");
    // Whoever writes the default means it: somebody may have taken the interface down.
    let is_written = again.enabled || leaf(after, "enabled").is_some() && differs("enabled");
    let up = is_enabled(after).filter(|now| is_written || is_enabled(before) != Some(*now));
    let is_described = again.description || differs("description");
    InterfaceSettings {
        name: step.keys.first().map(|name| name.to_string()).unwrap_or_default(),
        kind: leaf(after, "type").filter(|_| differs("type")).and_then(|kind| number_of(&kind)),
        up,
        alias: is_described.then(|| leaf(after, "description").unwrap_or_default()),
        mtu: mtu(after).filter(|_| again.mtu || mtu(before) != mtu(after)).and_then(|mtu| mtu.parse().ok()),
        gone,
        new: if up == Some(true) { Vec::new() } else { new },
        // From one that was down the kernel has taken those of IPv6.
        kept: match up {
            Some(true) => addresses(forest, step.node, None, after).1,
            _ => again.addresses.clone(),
        },
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

/// An address with the length of its prefix.
type Address = (IpAddr, u8);

/// The addresses that an interface has no longer, and those that it has from now on.
fn addresses(
    forest: &Forest,
    parent: NodeId,
    before: Option<&Branch>,
    after: Option<&Branch>,
) -> (Vec<Address>, Vec<Address>) {
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    let nothing = Branch::default();
    for family in ["ipv4", "ipv6"] {
        let Some(container) = forest.child(Some(parent), family) else { continue };
        let [before, after] =
            [before, after].map(|of| of.and_then(|of| of.within(&Step::to(container))).unwrap_or(&nothing));
        for (step, old, now) in before.differences(after) {
            let of = |item: Option<&Item>| address(forest, step, item?.branch()?);
            let (old, now) = (of(old), of(now));
            if old != now {
                gone.extend(old);
                new.extend(now);
            }
        }
    }
    (gone, new)
}

fn address(forest: &Forest, step: &Step, entry: &Branch) -> Option<Address> {
    let length = entry.leaf(forest.child(Some(step.node), "prefix-length")?)?;
    Some((step.keys.first()?.parse().ok()?, length.parse().ok()?))
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
    // Without a name of its own the agent has the machine's.
    let value = change.after.as_deref().unwrap_or_default().to_owned();
    Some(SetBinding { name, value: Some(Value::OctetString(value.into_bytes())) })
}
