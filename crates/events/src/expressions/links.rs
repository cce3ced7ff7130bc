//! Which expressions use the values of which others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trunkline_expression::ValueType;
use trunkline_smi::module::disman_expression_mib as mib;

use super::definition::{Definition, index_of};
use crate::definition::{Named, Object};

/// What an object of an expression is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Used {
    /// An object of the tree.
    Tree,
    /// The value of an expression.
    Expression(Named),
    /// The values of several.
    Expressions,
}

/// What an object is.
pub(super) fn used(object: &Object) -> Used {
    let table = mib::EXP_VALUE_TABLE.oid;
    let Some(below) = object.oid.strip_prefix(table) else {
        let is_above = object.wildcard && table.starts_with(&object.oid);
        return if is_above { Used::Expressions } else { Used::Tree };
    };
    // The entry's 1, the column, then the owner and the name with their lengths.
    let text = |sub_ids: &[u32]| {
        let (length, rest) = sub_ids.split_first()?;
        let (text, rest) = rest.split_at_checked(usize::try_from(*length).ok()?)?;
        let octets: Option<Vec<u8>> = text.iter().map(|octet| u8::try_from(*octet).ok()).collect();
        Some((octets?, rest.to_vec()))
    };
    let named = || {
        let [1, _, index @ ..] = below else { return None };
        let (owner, rest) = text(index)?;
        let (name, _) = text(&rest)?;
        Some(Named { owner, name })
    };
    match named() {
        Some(id) => Used::Expression(id),
        None if object.wildcard => Used::Expressions,
        // No instance has this name.
        None => Used::Expression(Named::default()),
    }
}

/// The index of a value in expValueTable.
pub(super) fn value_index(definition: &Definition, instance: &[u32]) -> Vec<u32> {
    [&definition.index[..], &[0, 0], instance].concat()
}

/// The column of a type in expValueTable.
pub(super) fn column(value_type: ValueType) -> u32 {
    value_type as u32 + 1
}

/// The name of a value.
pub(super) fn name(definition: &Definition, instance: &[u32]) -> Vec<u32> {
    let column = [1, column(definition.value_type)];
    [mib::EXP_VALUE_TABLE.oid, &column, &value_index(definition, instance)].concat()
}

/// The expressions that use their own values.
pub(super) fn circular(all: &BTreeMap<Named, Arc<Definition>>) -> BTreeSet<Named> {
    let mut circular = BTreeSet::new();
    let mut links = BTreeMap::<&Named, BTreeSet<Named>>::new();
    for (id, definition) in all {
        let inputs = definition.used().into_iter().filter_map(|number| definition.objects.get(&number));
        for input in inputs {
            let objects = [Some(&input.object), input.sample.marker(), input.conditional.as_ref()];
            for object in objects.into_iter().flatten() {
                match used(object) {
                    Used::Tree => {}
                    Used::Expression(other) => drop(links.entry(id).or_default().insert(other)),
                    // Its own are among them.
                    Used::Expressions => drop(circular.insert(id.clone())),
                }
            }
        }
    }
    for id in links.keys() {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&Named> = links[id].iter().collect();
        while let Some(other) = next.pop() {
            if reached.insert(other) {
                next.extend(links.get(other).into_iter().flatten());
            }
        }
        if reached.contains(id) {
            circular.insert((*id).clone());
        }
    }
    circular
}

/// Whether the index of a row has room for values behind it.
pub(super) fn has_room(id: &Named) -> bool {
    mib::EXP_VALUE_TABLE.oid.len() + 2 + index_of(id).len() + 3 <= trunkline_smi::MAX_SUB_IDS
}
