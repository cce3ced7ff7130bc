//! What is in force, with its origins (RFC 8342 section 5.3.4).

use std::collections::HashSet;

use trunkline_datastore::{Branch, Item, Step};
use trunkline_yang::annotation::{Annotation, Origin};
use trunkline_yang::forest::{Forest, NodeId};

use crate::made::Made;

/// Makes what somebody may read of it, with the same without defaults that nobody has set. `fixed`: where the configuration file decides.
pub fn make(
    forest: &Forest,
    root: NodeId,
    (all, explicit): (&Branch, Option<&Branch>),
    fixed: Vec<Vec<Step>>,
    made: &mut Made<'_>,
) {
    made.note(Annotation::from(Origin::Intended));
    let force = Force { forest, fixed: fixed.into_iter().collect() };
    force.copy(all, explicit, &mut vec![Step::to(root)], made);
}

struct Force<'f> {
    forest: &'f Forest,
    fixed: HashSet<Vec<Step>>,
}

impl Force<'_> {
    fn copy(&self, branch: &Branch, explicit: Option<&Branch>, at: &mut Vec<Step>, made: &mut Made<'_>) {
        for (step, item) in branch.iter() {
            at.push(step.clone());
            let is_generated =
                self.forest[step.node].name == "engine-id" && at.len() == 3 && at[1].keys.is_empty();
            let origin = match (self.is_fixed(item, at), is_generated) {
                (true, _) => Some(Origin::File),
                (false, true) => Some(Origin::System),
                (false, false) => None,
            };
            let note =
                |made: &mut Made<'_>| origin.into_iter().for_each(|it| made.note(Annotation::from(it)));
            match item {
                Item::Leaf(value) => {
                    made.leaf_of(step.node, value);
                    match explicit.is_some_and(|explicit| explicit.get(step).is_some()) {
                        true => note(made),
                        false => made.note(Annotation { origin: Some(Origin::Default), is_default: true }),
                    }
                }
                Item::Within(within) => made.within_node(step.node, |made| {
                    note(made);
                    self.copy(within, explicit.and_then(|explicit| explicit.within(step)), at, made);
                }),
            }
            at.pop();
        }
    }

    /// Whether the configuration file decides over something, or over all that is in it.
    fn is_fixed(&self, item: &Item, at: &mut Vec<Step>) -> bool {
        if self.fixed.contains(at) {
            return true;
        }
        let Item::Within(within) = item else { return false };
        let mut rest = within.iter().filter(|(step, _)| !self.forest[step.node].place.is_key()).peekable();
        rest.peek().is_some()
            && rest.all(|(step, item)| {
                at.push(step.clone());
                let is_fixed = self.is_fixed(item, at);
                at.pop();
                is_fixed
            })
    }
}
