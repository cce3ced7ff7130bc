//! What is set elsewhere, over SNMP or SOAP, of what is configured here: ifAlias is the `description` of an interface, ifAdminStatus its
//! `enabled` (RFC 8343 section 4); objects of `/system` and rows of SNMP's tables are configuration as they are.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use trunkline_admin::{Flush, StateError};
use trunkline_core::{Core, IF_ADMIN_STATUS, IF_ALIAS};
use trunkline_datastore::{Change, Config, Item, Step, changes};
use trunkline_host::HostOptions;
use trunkline_netconf::error::RpcError;
use trunkline_smi::Value;
use trunkline_tree::SetBinding;
use trunkline_yang::forest::{Forest, NodeId};

use super::confirmed::carry_to_candidate;
use super::hooks::{self, Call};
use super::plan::{Changed, entry_of_interface};
use super::{Datastores, State, broken, without_tree};

/// The interfaces that these objects are of, by their indexes.
async fn interfaces(host: &HostOptions, bindings: &[SetBinding]) -> HashMap<u32, String> {
    let is_of_one = |name: &&[u32]| [IF_ADMIN_STATUS, IF_ALIAS].iter().any(|column| name.starts_with(column));
    let names = bindings.iter().map(|binding| &*binding.name).filter(is_of_one);
    let indexes: Vec<u32> = names.filter_map(|name| name.last().copied()).collect();
    let host = host.clone();
    let read = move || indexes.into_iter().filter_map(|it| Some((it, host.interface_name(it)?))).collect();
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}

/// Why running cannot be what is set elsewhere.
#[derive(Debug)]
pub enum Unfit {
    /// The leaf cannot have the value.
    Value {
        /// The place of the object among those that are set.
        binding: usize,
        /// What is wrong.
        reason: String,
    },
    /// It cannot be kept.
    State(StateError),
    /// A program does not apply it, and it is taken back.
    Program(RpcError),
}

impl Datastores {
    /// Makes a set over another protocol, and running what it then is: both or neither. Of an interface it is a part of a commit that waits to be
    /// confirmed, as an edit of running would be; of `/system`, `/snmp` and `/nacm` it stays when that is taken back. Programs apply it. They get it once it is made: only then is it known what rows of SNMP's tables have
    /// become. Returns what it changed in running.
    ///
    /// # Errors
    /// Why the set is not made; `unfit` says that of what running cannot be.
    pub async fn set_elsewhere<E>(
        &self,
        core: &Core,
        forest: &Forest,
        state: &mut State,
        bindings: &[SetBinding],
        set: impl Future<Output = Result<(), E>>,
        unfit: impl Fn(Unfit) -> E,
    ) -> Result<Vec<Change>, E> {
        let interfaces = interfaces(&self.host, bindings).await;
        let old = self.running(core, forest, state).await;
        let wanted = edited(forest, &old, &interfaces, bindings).map_err(&unfit)?;
        let is_kept_here = wanted != old;
        if is_kept_here {
            let lasting = state.confirmed.as_ref().map_or(&old, |confirmed| &confirmed.before);
            let kept = self.kept.keep(forest, lasting, Some(&wanted), &state.machine, Flush::WithNext);
            kept.map_err(|error| unfit(Unfit::State(error)))?;
        }
        let mut done = set.await;
        let before = std::mem::replace(&mut state.stored, without_tree(forest, &wanted));
        let mut new = self.running(core, forest, state).await;
        let mut is_for_programs = false;
        if done.is_ok() {
            let calls = self.hooks.calls(forest, &old, &new);
            is_for_programs = !matches!(&calls, Ok(calls) if calls.is_empty());
            let applied = match calls {
                Ok(calls) => self.have_applied(&old, calls, state).await,
                Err(error) => Err(error),
            };
            if let Err(error) = applied {
                // Programs have undone it.
                let changed = Changed::of(forest, &self.snmp(), &new, &old, &[]);
                let undone = match changed {
                    Ok(changed) => self.apply(core, changed).await,
                    Err(error) => Err(error),
                };
                undone.unwrap_or_else(
                    |error| tracing::error!(%error, "a set that a program refused is not taken back"),
                );
                done = Err(unfit(Unfit::Program(error)));
            }
        }
        if done.is_err() {
            state.stored = before;
            new = old.clone();
        }
        // Whoever must confirm a commit cannot take back with it what others have set since, such as its own rights. What interfaces
        // have is the machine's, and is put back as it was.
        let lasting = state.lasting(forest, &old, &new);
        if let Some(confirmed) = &mut state.confirmed {
            confirmed.before = lasting;
        }
        carry_to_candidate(forest, state, &old, &new);
        state.writes.note_running();
        if is_kept_here || is_for_programs || (state.confirmed.is_some() && new != old) {
            self.keep_after(forest, state, &new);
        }
        done.map(|()| changes(&old, &new))
    }

    /// Has programs check and apply what is set; readers do not wait for them.
    async fn have_applied(&self, old: &Config, calls: Vec<Call>, state: &State) -> Result<(), RpcError> {
        if calls.is_empty() {
            return Ok(());
        }
        let _meanwhile = self.meanwhile(old, state);
        let work = move || {
            hooks::check(&calls)?;
            hooks::apply(&calls).map_err(|failed| {
                if let Some(error) = &failed.not_undone {
                    tracing::error!(%error, "a program has not undone what it refused");
                }
                failed.error
            })
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|panic| Err(broken(&panic)))
    }

    /// Keeps running as it is now; a trial beside what it goes back to.
    fn keep_after(&self, forest: &Forest, state: &mut State, running: &Config) {
        if self.is_unread.load(Relaxed) {
            return;
        }
        let (lasting, pending) = match &state.confirmed {
            None => (running, None),
            Some(confirmed) => (&confirmed.before, Some(running)),
        };
        if let Err(error) = self.kept.keep(forest, lasting, pending, &state.machine, Flush::Now) {
            tracing::error!(%error, "the configuration is not kept as it is");
            state.is_unkept = true;
        }
    }
}

/// A configuration after these objects are set.
///
/// # Errors
/// One of them would be lost in it.
fn edited(
    forest: &Forest,
    config: &Config,
    interfaces: &HashMap<u32, String>,
    bindings: &[SetBinding],
) -> Result<Config, Unfit> {
    let mut edited = config.clone();
    for (binding, SetBinding { name, value }) in bindings.iter().enumerate() {
        let found = [(IF_ALIAS, "description"), (IF_ADMIN_STATUS, "enabled")].into_iter().find_map(
            |(column, leaf)| {
                let [index] = name.strip_prefix(column)? else { return None };
                Some((interfaces.get(index)?, leaf))
            },
        );
        if let (Some((interface, leaf)), Some(value)) = (found, value) {
            set(forest, &mut edited, interface, leaf, value).map_err(|reason| {
                let reason = format!("{interface} is configured over NETCONF, and its {leaf} {reason}");
                Unfit::Value { binding, reason }
            })?;
        }
    }
    Ok(edited)
}

/// Gives the leaf of an entry a value, if there is the entry.
fn set(
    forest: &Forest,
    config: &mut Config,
    interface: &str,
    leaf: &str,
    value: &Value,
) -> Result<(), String> {
    let Some((step, branch)) = entry_of_interface(forest, config, interface) else { return Ok(()) };
    let node = forest.child(Some(step.node), leaf);
    let container = forest[step.node].parent.map(Step::to);
    let (Some(node), Some(container)) = (node, container) else { return Ok(()) };
    let Some(list) = config.root().within(&container) else { return Ok(()) };
    let (step, mut branch, mut list) = (step.clone(), branch.clone(), list.clone());
    match text(forest, node, value)? {
        // An interface is up unless its entry has another value.
        Some(text) if text == "true" && branch.leaf(node).is_none() => return Ok(()),
        Some(text) => branch.insert(Step::to(node), Item::Leaf(text.into())),
        None => drop(branch.remove(&Step::to(node))),
    }
    list.insert(step, Item::Within(Arc::new(branch)));
    config.root_mut().insert(container, Item::Within(Arc::new(list)));
    Ok(())
}

/// `None`: it is empty, or testing. The error says why the leaf cannot have it.
fn text(forest: &Forest, leaf: NodeId, value: &Value) -> Result<Option<String>, String> {
    let text = match value {
        Value::OctetString(octets) => {
            std::str::from_utf8(octets).map_err(|_| "must be UTF-8".to_owned())?.to_owned()
        }
        Value::Integer(1) => "true".to_owned(),
        Value::Integer(2) => "false".to_owned(),
        _ => return Ok(None),
    };
    let Some(setting) = forest[leaf].place.setting() else { return Ok(None) };
    let form = setting.value.canonical(&text, |_| None)?;
    match form == text {
        true => Ok(Some(text).filter(|text| !text.is_empty())),
        false => Err(format!("must be written as {form:?}")),
    }
}
