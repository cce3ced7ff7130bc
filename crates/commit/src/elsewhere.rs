//! What is set elsewhere, over SNMP or SOAP, of an interface that is configured here: ifAlias is its `description`, ifAdminStatus its `enabled`
//! (RFC 8343 section 4).

use std::collections::HashMap;
use std::sync::Arc;

use trunkline_admin::StateError;
use trunkline_core::{IF_ADMIN_STATUS, IF_ALIAS};
use trunkline_datastore::{Config, Item, Step};
use trunkline_host::HostOptions;
use trunkline_smi::Value;
use trunkline_tree::SetBinding;
use trunkline_yang::forest::{Forest, NodeId};

use super::plan::entry_of_interface;

/// The interfaces that these objects are of, by their indexes.
pub(super) async fn interfaces(host: &HostOptions, bindings: &[SetBinding]) -> HashMap<u32, String> {
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
}

/// A configuration after these objects are set.
///
/// # Errors
/// One of them would be lost in it.
pub(super) fn edited(
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
