//! For the tests of this folder: a tree of one provider, written and read as managers do.

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::{Oid, Value};
use trunkline_testkit::asker::Asker;
use trunkline_tree::policy::Principal;
use trunkline_tree::{Freshness, Operation, Provider, SetBinding, SetStatus, Tree, TreeBuilder, View};

pub(super) struct Bench {
    tree: Tree,
}

/// The status and the position of the guilty binding, from 0.
pub(super) type Refused = (SetStatus, usize);

impl Bench {
    pub fn new(provider: Arc<dyn Provider>) -> Self {
        let mut builder = TreeBuilder::default();
        builder.provider(provider, Freshness::PerRequest);
        Bench { tree: builder.build(Instant::now()).unwrap() }
    }

    /// The name of an instance: `vacmGroupName` and its index.
    pub fn name(&self, object: &str, index: &[u32]) -> Oid {
        let leaf = self.tree.leaves().iter().find(|leaf| leaf.name() == object);
        let leaf = leaf.unwrap_or_else(|| panic!("no {object}"));
        Oid::EMPTY.child(leaf.oid()).child(index)
    }

    pub fn get(&self, object: &str, index: &[u32]) -> Option<Value> {
        let now = Instant::now();
        let asker = Asker::new(&self.tree, View::everything(), now, Instant::now);
        let reply = asker.ask(Operation::Get, &[self.name(object, index)]);
        reply.answers.into_iter().next()?.outcome.ok()
    }

    pub fn set(&self, bindings: &[(&str, &[u32], Value)]) -> Result<(), Refused> {
        self.set_by(None, bindings)
    }

    pub fn set_by(
        &self,
        principal: Option<&Principal<'_>>,
        bindings: &[(&str, &[u32], Value)],
    ) -> Result<(), Refused> {
        let access = self.tree.access(View::everything(), View::everything());
        let binding = |(object, index, value): &(&str, &[u32], Value)| SetBinding {
            name: self.name(object, index),
            value: Some(value.clone()),
        };
        let bindings: Vec<SetBinding> = bindings.iter().map(binding).collect();
        self.tree
            .set_by(principal, &access, &bindings, Instant::now)
            .map_err(|failure| (failure.status, failure.binding))
    }
}

pub(super) fn text(text: &str) -> Value {
    Value::OctetString(text.as_bytes().to_vec())
}

pub(super) fn int(number: i32) -> Value {
    Value::Integer(number)
}

/// An index of octets (with a length before them) and numbers.
pub(super) fn octets(text: &str) -> Vec<u32> {
    let octets = text.bytes().map(u32::from);
    std::iter::once(text.len() as u32).chain(octets).collect()
}
