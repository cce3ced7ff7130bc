//! What makes one configuration another one, as an edit: the content of a `config` element (RFC 6241 section 7.2).

use std::collections::HashSet;

use trunkline_netconf::data::DataWriter;
use trunkline_netconf::{BASE, YANG};
use trunkline_yang::forest::Forest;

use crate::config::{Branch, Config, Item, Step, write};
use crate::order::moved;

/// Appends the children of a `config` element that declares the prefix `nc` and `yang` as [`EDIT`] does, and whose edit, with `merge`, makes
/// `before` into `after`. What both share costs nothing.
pub fn delta(forest: &Forest, before: &Config, after: &Config, octets: &mut Vec<u8>) {
    let mut writer = DataWriter::new(forest, std::mem::take(octets));
    differ(before.root(), after.root(), &mut writer);
    *octets = writer.octets;
}

/// The declaration of the prefix that a delta uses.
pub const EDIT: &str =
    "xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" xmlns:yang=\"urn:ietf:params:xml:ns:yang:1\"";

const _: () = assert!(EDIT.len() == BASE.len() + YANG.len() + 25);

fn differ(before: &Branch, after: &Branch, writer: &mut DataWriter<'_>) {
    // What changes its place is written last, and in the new order.
    let moved: Vec<Step> = after
        .ordered()
        .flat_map(|node| moved(before.order(node), after.order(node)).iter().map(move |it| (node, it)))
        .map(|(node, keys)| Step { node, keys: keys.clone() })
        .collect();
    let is_moved: HashSet<&Step> = moved.iter().collect();
    for (step, before, after) in before.differences(after).filter(|(step, ..)| !is_moved.contains(step)) {
        match (before, after) {
            (Some(before), Some(after)) => both(step, before, after, writer),
            (None, Some(item)) => one(step, item, writer),
            (Some(Item::Leaf(value)), None) => writer.leaf_with_attribute(step.node, REMOVE, value),
            (Some(item @ Item::Within(_)), None) => {
                writer.open_with_attribute(step.node, REMOVE);
                keys(step, item, writer);
                writer.close(step.node);
            }
            (None, None) => {}
        }
    }
    for step in &moved {
        match after.get(step) {
            Some(Item::Leaf(value)) => writer.leaf_with_attribute(step.node, LAST, value),
            Some(Item::Within(within)) => {
                writer.open_with_attribute(step.node, LAST);
                write(within, writer);
                writer.close(step.node);
            }
            None => {}
        }
    }
}

fn both(step: &Step, before: &Item, after: &Item, writer: &mut DataWriter<'_>) {
    match (before, after) {
        (Item::Within(before), Item::Within(within)) => {
            writer.open(step.node);
            keys(step, after, writer);
            differ(before, within, writer);
            writer.close(step.node);
        }
        _ => one(step, after, writer),
    }
}

fn one(step: &Step, item: &Item, writer: &mut DataWriter<'_>) {
    match item {
        Item::Leaf(value) => writer.leaf_text(step.node, value),
        Item::Within(within) => {
            writer.open(step.node);
            write(within, writer);
            writer.close(step.node);
        }
    }
}

/// The keys of an entry, which are its first leaves.
fn keys(step: &Step, item: &Item, writer: &mut DataWriter<'_>) {
    let leaves = item.branch().into_iter().flat_map(Branch::iter).take(step.keys.len());
    for (key, value) in leaves {
        if let Item::Leaf(value) = value {
            writer.leaf_text(key.node, value);
        }
    }
}

const LAST: &str = " nc:operation=\"replace\" yang:insert=\"last\"";
const REMOVE: &str = " nc:operation=\"remove\"";
