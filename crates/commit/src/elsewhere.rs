//! What is set elsewhere, over SNMP or SOAP, of an interface that is configured here: ifAlias is its `description`, ifAdminStatus its `enabled`
//! (RFC 8343 section 4).

use std::collections::HashMap;
use std::sync::Arc;

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

/// A configuration after these objects are set.
pub(super) fn edited(
    forest: &Forest,
    config: &Config,
    interfaces: &HashMap<u32, String>,
    bindings: &[SetBinding],
) -> Config {
    let mut edited = config.clone();
    for SetBinding { name, value } in bindings {
        let found = [(IF_ALIAS, "description"), (IF_ADMIN_STATUS, "enabled")].into_iter().find_map(
            |(column, leaf)| {
                let [index] = name.strip_prefix(column)? else { return None };
                Some((interfaces.get(index)?, leaf))
            },
        );
        if let (Some((interface, leaf)), Some(value)) = (found, value) {
            set(forest, &mut edited, interface, leaf, value);
        }
    }
    edited
}

/// Gives the leaf of an entry a value, if there is the entry.
fn set(forest: &Forest, config: &mut Config, interface: &str, leaf: &str, value: &Value) -> Option<()> {
    let (step, branch) = entry_of_interface(forest, config, interface)?;
    let (container, node) = (Step::to(forest[step.node].parent?), forest.child(Some(step.node), leaf)?);
    let (step, mut branch, mut list) =
        (step.clone(), branch.clone(), config.root().within(&container)?.clone());
    match text(forest, node, value) {
        // An interface is up unless its entry has another value.
        Some(text) if text == "true" && branch.leaf(node).is_none() => return None,
        Some(text) => branch.insert(Step::to(node), Item::Leaf(text.into())),
        None => drop(branch.remove(&Step::to(node))),
    }
    list.insert(step, Item::Within(Arc::new(branch)));
    config.root_mut().insert(container, Item::Within(Arc::new(list)));
    Some(())
}

/// `None`: the leaf cannot have it, or it is empty.
fn text(forest: &Forest, leaf: NodeId, value: &Value) -> Option<String> {
    let text = match value {
        Value::OctetString(octets) => std::str::from_utf8(octets).ok()?.to_owned(),
        Value::Integer(1) => "true".to_owned(),
        Value::Integer(2) => "false".to_owned(),
        _ => return None,
    };
    let type_of = &forest[leaf].place.setting()?.value;
    let is_one = type_of.canonical(&text, |_| None).is_ok_and(|form| form == text);
    (is_one && !text.is_empty()).then_some(text)
}
