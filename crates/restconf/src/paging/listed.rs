//! The list that a filter of NETCONF names, with what of its entries is wanted.

use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::lexical;
use trunkline_yang::selection::{Alternative, Selection, Wanted, Within};

use trunkline_netconf::error::RpcError;

use super::Paging;
use crate::target::{Key, Step, Target};

/// The one list or leaf-list that a selection is about, and what of its entries it wants.
///
/// # Errors
/// It is about something else, or wants entries by more than the keys of what they are in.
pub fn listed(selection: &Selection, forest: &Forest) -> Result<(Target, NodeId, Within), RpcError> {
    let mut target = Target::default();
    let mut selection = selection;
    loop {
        // Of an entry, its keys are selected with what is in it.
        let mut nodes = selection.nodes.iter().filter(|it| !forest[it.node].place.is_key());
        let (Some(selected), None) = (nodes.next(), nodes.next()) else { return Err(Paging::no_path()) };
        let (node, place) = (selected.node, &forest[selected.node].place);
        let alternative = match &selected.wanted {
            Wanted::All => None,
            Wanted::Some(all) => match &all[..] {
                [alternative] => Some(alternative),
                _ => return Err(Paging::no_path()),
            },
        };
        let has_tests = alternative.is_some_and(|it| !it.tests.is_empty());
        if place.is_many() && !has_tests {
            target.steps.push(Step { node, keys: Vec::new(), value: None });
            let within = alternative.map_or(Within::All, |it| it.within.clone());
            return Ok((target, node, within));
        }
        let Some(alternative) = alternative else { return Err(Paging::no_path()) };
        let keys = if place.is_list() { keys(node, alternative, forest)? } else { Vec::new() };
        if !place.is_list() && has_tests {
            return Err(Paging::no_path());
        }
        target.steps.push(Step { node, keys, value: None });
        let Within::Nodes(within) = &alternative.within else { return Err(Paging::no_path()) };
        selection = within;
    }
}

/// The keys of the one entry for which tests hold.
fn keys(list: NodeId, alternative: &Alternative, forest: &Forest) -> Result<Vec<Key>, RpcError> {
    let leaves: Vec<NodeId> = forest.keys(list).collect();
    if leaves.len() != alternative.tests.len() {
        return Err(Paging::no_path());
    }
    let key = |leaf: NodeId| {
        let test = alternative.tests.iter().find(|test| test.leaf == leaf)?;
        let mut text = String::new();
        lexical::write(test.value.as_value_ref(), forest[leaf].place.syntax()?, &mut text);
        Some(Key { leaf, text, value: test.value.clone() })
    };
    leaves.into_iter().map(key).collect::<Option<_>>().ok_or_else(Paging::no_path)
}

#[cfg(test)]
mod tests {
    use trunkline_netconf::document::{Document, limits};
    use trunkline_netconf::subtree;
    use trunkline_yang::own::ALL;

    use super::*;
    use crate::target::uri;

    #[test]
    fn a_filter_names_a_list() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let read = |inner: &str| {
            let text = format!(
                "<filter xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces' xmlns:ip='urn:ietf:params:xml:ns:yang:ietf-ip'>{inner}</filter>"
            );
            let document = Document::read(text.as_bytes(), limits(10_000)).unwrap();
            let selection = subtree::compile(document.root(), &forest).unwrap();
            let found = listed(&selection, &forest).ok()?;
            Some((uri(&found.0, &forest), found.2 == Within::All))
        };
        let list = "/ietf-interfaces:interfaces/interface".to_owned();
        assert_eq!(read("<interfaces><interface/></interfaces>"), Some((list.clone(), true)));
        assert_eq!(
            read("<interfaces><interface><enabled/></interface></interfaces>"),
            Some((list.clone(), false))
        );
        let inner = "<name>a'b</name><ip:ipv4><ip:address/></ip:ipv4>";
        let within = format!("{list}=a%27b/ietf-ip:ipv4/address");
        assert_eq!(
            read(&format!("<interfaces><interface>{inner}</interface></interfaces>")),
            Some((within, true))
        );
        for other in [
            "<interfaces/>",
            "",
            "<interfaces><interface><name>a</name></interface></interfaces>",
            "<interfaces><interface><enabled>true</enabled></interface></interfaces>",
            "<interfaces><interface><ip:ipv4><ip:address/></ip:ipv4><ip:ipv6/></interface></interfaces>",
            "<interfaces><interface><name>a</name><ip:ipv4/><ip:ipv6/></interface></interfaces>",
        ] {
            let found = read(other);
            assert!(found.as_ref().is_none_or(|(uri, _)| *uri == list), "{other}: {found:?}");
        }
        assert_eq!(read("<interfaces/>"), None);
        assert_eq!(read("<interfaces><interface><name>a</name></interface></interfaces>"), None);
    }
}
