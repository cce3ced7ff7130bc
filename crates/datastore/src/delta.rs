//! What makes one configuration another one, as an edit: the content of a `config` element (RFC 6241 section 7.2).

use std::collections::HashSet;
use std::sync::Arc;

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
    let mut old = before.sorted().filter(|(step, _)| !is_moved.contains(step)).peekable();
    let mut new = after.sorted().filter(|(step, _)| !is_moved.contains(step)).peekable();
    loop {
        match (old.peek().copied(), new.peek().copied()) {
            (None, None) => break,
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
            (Some(_), None) => break,
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

const LAST: &str = " nc:operation=\"replace\" yang:insert=\"last\"";
const REMOVE: &str = " nc:operation=\"remove\"";
