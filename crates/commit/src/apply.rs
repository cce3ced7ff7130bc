//! A change is applied to the machine, by programs and to the tree: all of it or nothing.

use std::sync::Arc;
use std::time::Instant;

use trunkline_host::HostOptions;
use trunkline_netconf::error::{Path, RpcError};
use trunkline_tree::{SetTransaction, Tree, View};

use super::hooks::{self, NotApplied};
use super::plan::{Changed, refused, refused_policy, refused_row};
use super::rbac::RbacSource;
use super::snmp::{GROUPS, SnmpSource};

/// Applies it: routes that go, then interfaces, then routes that come, which may need those, then rows of SNMP's tables, then what
/// programs apply, then objects of the tree.
pub(super) fn apply(
    host: &HostOptions,
    sources: Sources<'_>,
    tree: &Tree,
    changed: &Changed,
) -> Result<(), RpcError> {
    let mut stages = stages(host, sources, changed)?;
    for at in 0..stages.len() {
        let done = stages[at].transaction.commit();
        if stages[at].is_of_interfaces {
            host.keep_routes(&changed.kept);
        }
        read_again(tree);
        if let Err(error) = done {
            let (undone, places) = (undo(host, tree, changed, &mut stages[..=at]), stages[at].places);
            return Err(
                undone.map_or_else(|undo| changed.half_done(&error, &undo), |()| refused(&error, places))
            );
        }
    }
    if changed.are_put_back {
        host.keep_routes(&changed.kept);
        read_again(tree);
    }
    if let Err(failed) = hooks::apply(&changed.hooks) {
        let NotApplied { error, not_undone } = *failed;
        let undone = undo(host, tree, changed, &mut stages).map_err(|undo| undo.to_string());
        let undone = not_undone.map_or(undone, |undo| Err(undo.to_string()));
        return Err(match undone {
            Ok(()) => error,
            Err(undo) => changed.half_done(&error, &undo),
        });
    }
    let bindings: Vec<_> = changed.objects.iter().map(|(binding, _)| binding.clone()).collect();
    // Who asks for it was admitted before.
    let everything = || tree.access(View::everything(), View::everything());
    if !bindings.is_empty()
        && let Err(failure) = tree.set(&everything(), &bindings, Instant::now)
    {
        let of_hooks = hooks::undo(&changed.hooks).map_err(|undo| undo.to_string());
        let undone = undo(host, tree, changed, &mut stages).map_err(|undo| undo.to_string()).and(of_hooks);
        return Err(
            undone.map_or_else(|undo| changed.half_done(&failure, &undo), |()| changed.not_set(&failure))
        );
    }
    Ok(())
}

/// What SNMP's tables and the access policy lie over.
type Sources<'s> = (Option<&'s SnmpSource>, Option<&'s Arc<RbacSource>>);

struct Stage<'c> {
    transaction: Box<dyn SetTransaction>,
    places: &'c [Path],
    is_of_interfaces: bool,
}

/// Nothing is changed before all of it is prepared.
fn stages<'c>(
    host: &HostOptions,
    (snmp, rbac): Sources<'_>,
    changed: &'c Changed,
) -> Result<Vec<Stage<'c>>, RpcError> {
    let mut stages = Vec::new();
    let routes = |stages: &mut Vec<Stage<'c>>, is_new: bool| {
        let (routes, places) = if is_new { &changed.new } else { &changed.gone };
        if routes.is_empty() {
            return Ok(());
        }
        let transaction = host.prepare_routes(routes, is_new, &changed.expected);
        let transaction = transaction.map_err(|error| refused(&error, places))?;
        stages.push(Stage { transaction, places, is_of_interfaces: false });
        Ok(())
    };
    routes(&mut stages, false)?;
    if !changed.interfaces.is_empty() {
        let transaction = host.prepare_interfaces(&changed.interfaces);
        if let Some(transaction) = transaction.map_err(|error| refused(&error, &changed.places))? {
            stages.push(Stage { transaction, places: &changed.places, is_of_interfaces: true });
        }
    }
    routes(&mut stages, true)?;
    let (edits, places) = &changed.rows;
    if let Some(snmp) = snmp.filter(|_| !edits.is_empty()) {
        let transaction = snmp.prepare(edits).map_err(|error| refused_row(&error, places))?;
        stages.push(Stage { transaction, places, is_of_interfaces: false });
    }
    if let (Some(rbac), Some((policy, places))) = (rbac, &changed.policy) {
        let transaction = match changed.is_kept {
            true => rbac.prepare_kept(policy),
            false => rbac.prepare(policy).map_err(|error| refused_policy(&error, places))?,
        };
        stages.push(Stage { transaction, places, is_of_interfaces: false });
    }
    Ok(stages)
}

fn undo(
    host: &HostOptions,
    tree: &Tree,
    changed: &Changed,
    stages: &mut [Stage<'_>],
) -> Result<(), trunkline_tree::SetError> {
    let mut outcome = Ok(());
    for stage in stages.iter_mut().rev() {
        outcome = stage.transaction.undo().and(outcome);
        if stage.is_of_interfaces {
            host.keep_routes(&changed.kept);
        }
    }
    read_again(tree);
    outcome
}

/// The groups whose data a change of interfaces, routes and rows changes.
fn read_again(tree: &Tree) {
    let of_host = ["interfaces", "ip-addresses", "ip-interfaces", "ip", "ip-routes", "ip-routes-legacy"];
    for group in of_host.into_iter().chain(GROUPS) {
        if let Some(group) = tree.group(group) {
            tree.invalidate(group, Instant::now());
        }
    }
}
