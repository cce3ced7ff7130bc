//! What makes one configuration another one, as an edit: the content of a `config` element (RFC 6241 section 7.2).

use std::sync::Arc;

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
    let mut old = before.iter().peekable();
    let mut new = after.iter().peekable();
    loop {
        match (old.peek().copied(), new.peek().copied()) {
            (None, None) => return,
            (Some((step, one)), Some((second, other))) if step == second => {
                old.next();
                new.next();
                both(step, one, other, writer);
            }
            (Some((step, item)), second) if second.is_none_or(|(second, _)| step < second) => {
                old.next();
                match item {
                    Item::Leaf(value) => writer.leaf_with_attribute(step.node, REMOVE, value),
                    Item::Within(_) => {
                        writer.open_with_attribute(step.node, REMOVE);
                        keys(step, item, writer);
                        writer.close(step.node);
                    }
                }
            }
            (_, Some((step, item))) => {
                new.next();
                one(step, item, writer);
            }
            (Some(_), None) => return,
        }
    }
}

fn both(step: &Step, before: &Item, after: &Item, writer: &mut DataWriter<'_>) {
    match (before, after) {
        (Item::Within(before), Item::Within(after)) if !Arc::ptr_eq(before, after) && before != after => {
            writer.open(step.node);
            keys(step, &Item::Within(after.clone()), writer);
            differ(before, after, writer);
            writer.close(step.node);
        }
        (Item::Within(_), Item::Within(_)) => {}
        (Item::Leaf(before), Item::Leaf(after)) if before == after => {}
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
