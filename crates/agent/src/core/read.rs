//! What the agent itself reads of its tree, for monitors and notifications: with every right, and without a message.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::{Oid, OidList, Value, ValueRef};
use trunkline_tree::{Exception, Leaf, Name, Operation, Query, Room, Rows, Sink, Walker};

use super::Served;

impl Served {
    /// The values of instances; those that are not there, or whose source does not answer, are left out.
    pub async fn read(self: &Arc<Self>, names: &[Oid]) -> BTreeMap<Oid, Value> {
        let mut found = Found::default();
        // One by one: a source that fails does not affect the other values.
        for name in names {
            let names: OidList = [&**name].into_iter().collect();
            let query = Query {
                operation: Operation::Get,
                names: &names,
                access: &self.own_access,
                without_counter64: false,
                arrived: Instant::now(),
                max_bindings: 1,
                may_end_early: false,
            };
            let _ = self.retrieve(&mut Walker::new(), &query, &mut found).await;
        }
        found.0
    }
}

#[derive(Default)]
struct Found(BTreeMap<Oid, Value>);

impl Sink for Found {
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room {
        self.0.insert(whole(name), value.to_value());
        Room::Taken
    }

    fn exception(&mut self, _name: Name<'_>, _exception: Exception) -> Room {
        Room::Taken
    }

    fn run(&mut self, leaf: &Leaf, rows: Rows<'_>) -> usize {
        for at in 0..rows.len() {
            if let Some(value) = rows.value(at) {
                self.0.insert(Oid::EMPTY.child(leaf.oid()).child(rows.row_index(at)), value.to_value());
            }
        }
        rows.len()
    }
}

fn whole(name: Name<'_>) -> Oid {
    match name {
        Name::Asked(name) => Oid::EMPTY.child(name),
        Name::Instance(leaf, index) => Oid::EMPTY.child(leaf.oid()).child(index),
    }
}
