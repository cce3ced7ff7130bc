//! Single values of the tree: what the agent itself reads, for monitors and notifications, with every right and without a
//! message; and scalars, for doors that read them one by one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::schema::Scalar;
use trunkline_smi::{Oid, OidList, Value, ValueRef};
use trunkline_tree::{
    Access, Exception, GroupId, Leaf, Name, Operation, Progress, Query, Room, Rows, Sink, Tree, Walker,
};

use super::{Served, Unanswered};

impl Served {
    /// The values of instances; those that are not there, or whose source does not answer, are left out.
    pub async fn read(self: &Arc<Self>, names: &[Oid]) -> BTreeMap<Oid, Value> {
        let mut found = Found::default();
        // One by one: a source that fails does not affect the other values.
        for name in names {
            let names: OidList = [&**name].into_iter().collect();
            let query = one_value(&names, &self.own_access, Instant::now());
            let _ = self.retrieve(&mut Walker::new(), &query, &mut found).await;
        }
        found.0
    }
}

/// The instances below an object, and how many there are besides.
#[derive(Debug, Default)]
pub struct Below {
    /// What comes after the object's identifier, and the value, ascending.
    pub values: BTreeMap<Vec<u32>, Value>,
    /// Whether there are more than were wanted.
    pub is_cut: bool,
}

impl Served {
    /// The access of the agent itself: it reads everything.
    pub fn own_access(&self) -> &Arc<Access> {
        &self.own_access
    }

    /// The value of one instance, if it is there and may be read.
    ///
    /// # Errors
    /// [`Unanswered`]
    pub async fn value(&self, name: &[u32], access: &Access) -> Result<Option<Value>, Unanswered> {
        let names: OidList = [name].into_iter().collect();
        let query = one_value(&names, access, Instant::now());
        let mut one = One(None);
        self.retrieve(&mut Walker::new(), &query, &mut one).await?;
        Ok(one.0)
    }

    /// The values of the instances below an object that may be read, the first `most` of them.
    ///
    /// # Errors
    /// [`Unanswered`]
    pub async fn below(&self, object: &[u32], access: &Access, most: usize) -> Result<Below, Unanswered> {
        self.below_apart(object, access, most, None).await
    }

    /// The same, for what is asked while the group `apart` is loaded: a walk that comes there ends.
    ///
    /// # Errors
    /// [`Unanswered`]
    pub async fn below_apart(
        &self,
        object: &[u32],
        access: &Access,
        most: usize,
        apart: Option<GroupId>,
    ) -> Result<Below, Unanswered> {
        let names: OidList = [object].into_iter().collect();
        let query = Query {
            operation: Operation::Bulk { non_repeaters: 0, max_repetitions: most.saturating_add(1) },
            names: &names,
            access,
            without_counter64: false,
            arrived: Instant::now(),
            max_bindings: most.saturating_add(1),
            may_end_early: false,
        };
        let mut found = Behind { object, most, below: Below::default() };
        self.retrieve_apart(&mut Walker::new(), &query, &mut found, apart).await?;
        Ok(found.below)
    }
}

/// Whether an instance has this value now, as far as it may be read. Blocks while its group is loaded.
pub(super) fn is_still(tree: &Tree, access: &Access, name: &[u32], before: &Option<Value>) -> bool {
    let (names, arrived): (OidList, _) = ([name].into_iter().collect(), Instant::now());
    let query = one_value(&names, access, arrived);
    let (mut walker, mut one) = (Walker::new(), One(None));
    loop {
        match walker.advance(tree, &query, &mut one) {
            Progress::Load(group) if tree.load(group, arrived, Instant::now).is_ok() => {}
            // Nobody knows, or a region does.
            Progress::Load(_) | Progress::Ask(_) => return true,
            Progress::Done | Progress::Full { .. } => return one.0 == *before,
        }
    }
}

/// Keeps what is below one object, and is full at the first instance that is not.
struct Behind<'o> {
    object: &'o [u32],
    most: usize,
    below: Below,
}

impl Sink for Behind<'_> {
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room {
        let name = name.to_oid();
        let Some(instance) = name.strip_prefix(self.object) else { return Room::Full };
        if self.below.values.len() == self.most {
            self.below.is_cut = true;
            return Room::Full;
        }
        self.below.values.insert(instance.to_vec(), value.to_value());
        Room::Taken
    }

    fn exception(&mut self, _: Name<'_>, _: Exception) -> Room {
        Room::Full
    }
}

impl Served {
    /// The value of a scalar, if it is there and may be read.
    pub async fn scalar(
        &self,
        scalar: &Scalar,
        access: &Access,
        arrived: Instant,
    ) -> Result<Option<Value>, Unanswered> {
        let name = [scalar.oid, &[0]].concat();
        let names: OidList = [&*name].into_iter().collect();
        let query = one_value(&names, access, arrived);
        let mut one = One(None);
        self.retrieve(&mut Walker::new(), &query, &mut one).await?;
        Ok(one.0)
    }
}

/// A Get of one instance.
fn one_value<'q>(names: &'q OidList, access: &'q Access, arrived: Instant) -> Query<'q> {
    Query {
        operation: Operation::Get,
        names,
        access,
        without_counter64: false,
        arrived,
        max_bindings: 1,
        may_end_early: false,
    }
}

/// Keeps the one value.
struct One(Option<Value>);

impl Sink for One {
    fn value(&mut self, _: Name<'_>, value: ValueRef<'_>) -> Room {
        self.0 = Some(value.to_value());
        Room::Taken
    }

    fn exception(&mut self, _: Name<'_>, _: Exception) -> Room {
        Room::Taken
    }

    fn run(&mut self, _: &Leaf, rows: Rows<'_>) -> usize {
        self.0 = rows.value(0).map(|value| value.to_value());
        rows.len()
    }
}

#[derive(Default)]
struct Found(BTreeMap<Oid, Value>);

impl Sink for Found {
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room {
        self.0.insert(name.to_oid(), value.to_value());
        Room::Taken
    }

    fn exception(&mut self, _name: Name<'_>, _exception: Exception) -> Room {
        Room::Taken
    }

    fn run(&mut self, leaf: &Leaf, rows: Rows<'_>) -> usize {
        for at in 0..rows.len() {
            if let Some(value) = rows.value(at) {
                self.0.insert(Name::Instance(leaf, rows.row_index(at)).to_oid(), value.to_value());
            }
        }
        rows.len()
    }
}
