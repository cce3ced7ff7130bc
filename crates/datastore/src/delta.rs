//! What makes one configuration another one, as an edit: the content of a `config` element (RFC 6241 section 7.2).

use trunkline_netconf::BASE;
use trunkline_netconf::data::DataWriter;
use trunkline_yang::forest::Forest;

use crate::config::{Branch, Config, Item, Step, write};

/// Appends the children of a `config` element that declares the prefix `nc` as [`EDIT`] does, and whose edit, with `merge`, makes
/// `before` into `after`. What both share costs nothing.
pub fn delta(forest: &Forest, before: &Config, after: &Config, octets: &mut Vec<u8>) {
    let mut writer = DataWriter::new(forest, std::mem::take(octets));
    differ(before.root(), after.root(), &mut writer);
    *octets = writer.octets;
}

/// The declaration of the prefix that a delta uses.
pub const EDIT: &str = "xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\"";

const _: () = assert!(EDIT.len() == BASE.len() + 11);

fn differ(before: &Branch, after: &Branch, writer: &mut DataWriter<'_>) {
    for (step, before, after) in before.differences(after) {
        match (before, after) {
            (Some(before), Some(after)) => both(step, before, after, writer),
            (None, Some(item)) => one(step, item, writer),
            (Some(item), None) => {
                writer.open_with_attribute(step.node, REMOVE);
                keys(step, item, writer);
                writer.close(step.node);
            }
            (None, None) => {}
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

const REMOVE: &str = " nc:operation=\"remove\"";
