//! Retrieval of data by its YANG nodes: what a selection wants, in the order of the forest, into whatever writes it.
//!
//! Rows come straight from snapshots. What cannot be read, for lack of access or because its source fails, is left out
//! (RFC 8341 section 3.2.4); the log says why a source fails.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::time::Instant;

use trunkline_query::{Comparison, Condition, Literal, MAX_TERMS, Predicate, Scope};
use trunkline_smi::schema::{Scalar, Table};
use trunkline_smi::{IndexValue, OidBuf, Value, ValueRef, encode_index, index_refs};
use trunkline_tree::{
    Access, LeafId, Page, Progress, Room, Row, RowQuery, RowRange, RowSink, RowWalker, TableId,
};
use trunkline_yang::annotation::Annotation;
use trunkline_yang::forest::{Forest, NodeId, Place};
use trunkline_yang::instances::Instances;
use trunkline_yang::selection::{Alternative, Selection, Test, Wanted, Within};

mod keys;
mod own;
mod page;

use own::OwnInstances;
pub use own::{Narrow, wanted_within};
pub use page::{ListPage, RowCount};

use crate::Served;

/// Receives data.
pub trait DataSink: Send {
    /// Why nothing more can be written.
    type Stop: Send;

    /// What is known of the node that comes next.
    fn note(&mut self, _annotation: Annotation) {}

    /// A container, or an entry of a list.
    fn open(&mut self, node: NodeId);

    /// Its end.
    fn close(&mut self, node: NodeId);

    /// A leaf.
    fn leaf(&mut self, node: NodeId, value: ValueRef<'_>);

    /// A leaf whose value is written already.
    fn leaf_text(&mut self, node: NodeId, value: &str);

    /// Something that is written in one go begins, or is over: for clocks.
    fn writing(&mut self, _is_begun: bool) {}

    /// Whether what was written should be passed on before there is more.
    fn is_full(&self) -> bool;

    /// Passes it on.
    fn flush(&mut self) -> impl Future<Output = Result<(), Self::Stop>> + Send;
}

/// Data that is not in the tree: the agent makes it.
pub trait OwnData: Sync {
    /// What there is of a root, for the caller of a query: at least what is wanted.
    fn instances<'a>(
        &'a self,
        query: &'a DataQuery<'a>,
        root: NodeId,
        wanted: &'a Wanted,
    ) -> Pin<Box<dyn Future<Output = Instances> + Send + 'a>>;

    /// What of it may be written.
    fn narrow(&self) -> Narrow {
        Narrow::default()
    }

    /// Whether values that are defaults are left out.
    fn trims(&self) -> bool {
        false
    }
}

/// One retrieval.
pub struct DataQuery<'q> {
    /// The tree, and what loads it.
    pub served: &'q Served,
    /// What the caller may read.
    pub access: &'q Access,
    /// The models.
    pub forest: &'q Forest,
    /// Data that is not in the tree.
    pub own: &'q dyn OwnData,
    /// When the request arrived.
    pub arrived: Instant,
    /// Of one list, which rows.
    pub page: Option<ListPage>,
}

impl DataQuery<'_> {
    /// Writes what is wanted.
    pub async fn retrieve<S: DataSink>(&self, selection: &Selection, sink: &mut S) -> Result<(), S::Stop> {
        let mut output = Output { sink, unopened: Vec::new() };
        for selected in &selection.nodes {
            self.node(selected.node, &selected.wanted, &mut output).await?;
        }
        Ok(())
    }

    async fn node<S: DataSink>(
        &self,
        node: NodeId,
        wanted: &Wanted,
        output: &mut Output<'_, S>,
    ) -> Result<(), S::Stop> {
        match self.forest[node].place {
            Place::Container => self.container(node, wanted, output).await,
            Place::List(table) => self.list(node, table, wanted, output).await,
            Place::Scalar(scalar) => {
                if let Some(value) = self.scalar(scalar).await {
                    output.leaf(node, value.as_value_ref());
                }
                if output.sink.is_full() { output.sink.flush().await } else { Ok(()) }
            }
            // These are in lists.
            Place::Key(..) | Place::Column(..) => Ok(()),
            Place::Own { .. } => {
                let instances = self.own.instances(self, node, wanted).await;
                let narrow = self.own.narrow();
                let kept = (narrow != Narrow::default()).then(|| {
                    // What nobody wants keeps no entry.
                    let mut kept = vec![false; instances.len()];
                    for root in instances.children(Instances::ROOT) {
                        own::mark_wanted(self.forest, &instances, root, wanted, &mut kept);
                    }
                    instances.prune(self.forest, &mut kept, |id| narrow.passes(self.forest, &instances, id));
                    kept
                });
                let (kept, trims) = (kept.as_deref(), self.own.trims());
                let mut own =
                    OwnInstances { forest: self.forest, instances: &instances, kept, trims, left_out: 0 };
                output.sink.writing(true);
                for root in instances.children(Instances::ROOT) {
                    own.node(root, wanted, output);
                }
                keys::tell(&self.forest[node].name, own.left_out);
                output.sink.writing(false);
                if output.sink.is_full() { output.sink.flush().await } else { Ok(()) }
            }
        }
    }

    /// Boxed: a container may be in one.
    fn container<'a, S: DataSink>(
        &'a self,
        node: NodeId,
        wanted: &'a Wanted,
        output: &'a mut Output<'_, S>,
    ) -> Pin<Box<dyn Future<Output = Result<(), S::Stop>> + Send + 'a>> {
        Box::pin(async move {
            let Some(within) = self.passed(wanted).await else { return Ok(()) };
            output.unopened.push((node, Annotation::default()));
            if within.is_existence() && self.exists(node).await {
                output.open_all();
            }
            for &child in &self.forest[node].children {
                if let Some(wanted) = within.of(child) {
                    self.node(child, wanted, output).await?;
                }
            }
            output.end(node);
            Ok(())
        })
    }

    /// Whether anything in a container can be read.
    async fn exists(&self, node: NodeId) -> bool {
        for &child in &self.forest[node].children {
            let mut probe = Probe(false);
            let mut output = Output { sink: &mut probe, unopened: Vec::new() };
            let stopped = self.node(child, &Wanted::All, &mut output).await.is_err();
            if stopped || probe.0 {
                return true;
            }
        }
        false
    }

    /// What is wanted of a container, by the values that its leaves have; `None`: nothing of it.
    async fn passed(&self, wanted: &Wanted) -> Option<Within> {
        let Wanted::Some(alternatives) = wanted else { return Some(Within::All) };
        let mut within: Option<Selection> = None;
        for alternative in alternatives {
            if !self.hold(&alternative.tests).await {
                continue;
            }
            match &alternative.within {
                Within::All => return Some(Within::All),
                Within::Nodes(nodes) => within.get_or_insert_default().merge(nodes.clone()),
            }
        }
        within.map(Within::Nodes)
    }

    async fn hold(&self, tests: &[Test]) -> bool {
        for test in tests {
            let Place::Scalar(scalar) = self.forest[test.leaf].place else { return false };
            let value = self.scalar(scalar).await;
            if !test.holds(value.as_ref().map(Value::as_value_ref)) {
                return false;
            }
        }
        true
    }

    async fn scalar(&self, scalar: &Scalar) -> Option<Value> {
        // A source that fails takes no other's value with it.
        self.served.scalar(scalar, self.access, self.arrived).await.ok().flatten()
    }

    async fn list<S: DataSink>(
        &self,
        node: NodeId,
        table: &'static Table,
        wanted: &Wanted,
        output: &mut Output<'_, S>,
    ) -> Result<(), S::Stop> {
        let Some(plan) = self.plan(node, table, wanted).await else { return Ok(()) };
        match plan.single_rows(self.forest, table) {
            Some(indexes) => {
                for (at, index) in indexes.into_iter().enumerate() {
                    if at % 64 == 63 {
                        // Others are answered in between.
                        tokio::task::yield_now().await;
                    }
                    self.rows(&plan, node, RowRange::One(&index), None, output).await?;
                }
                Ok(())
            }
            None => {
                let filter = plan.filter(self.forest, table);
                self.rows(&plan, node, RowRange::All, filter.as_ref(), output).await
            }
        }
    }

    async fn rows<S: DataSink>(
        &self,
        plan: &ListPlan,
        node: NodeId,
        range: RowRange<'_>,
        filter: Option<&Predicate>,
        output: &mut Output<'_, S>,
    ) -> Result<(), S::Stop> {
        let query = RowQuery {
            table: plan.table,
            columns: &plan.leaves,
            range,
            filter,
            page: self.page.filter(|page| page.node == node).map_or(Page::ALL, |page| page.page),
            with_empty: plan.with_empty,
            access: self.access,
            arrived: self.arrived,
        };
        let mut walker = RowWalker::new();
        let mut left_out = 0;
        loop {
            let (wanted, octets) = (Vec::new(), Vec::new());
            let mut rows = RowsOut { plan, node, output: &mut *output, wanted, octets, left_out };
            let done = self.served.retrieve_rows(&mut walker, &query, &mut rows).await;
            left_out = rows.left_out;
            match done {
                Ok(Progress::Full { .. }) => output.sink.flush().await?,
                // A source that fails is left out.
                Ok(_) | Err(_) => break,
            }
        }
        keys::tell(&self.forest[node].name, left_out);
        Ok(())
    }

    /// `None`: the table is not served.
    async fn plan(&self, node: NodeId, schema: &'static Table, wanted: &Wanted) -> Option<ListPlan> {
        let tree = &self.served.tree;
        let served = tree.table_named(schema.name)?;
        let everything = [Alternative { tests: Vec::new(), within: Within::All }];
        let alternatives = match wanted {
            Wanted::All => &everything[..],
            Wanted::Some(alternatives) => alternatives,
        };
        let mut plan = ListPlan {
            table: served.id(),
            parts: schema.index,
            texts: keys::texts(schema.index),
            leaves: Vec::new(),
            with_empty: false,
            fields: Vec::new(),
            alternatives: Vec::new(),
            elsewhere: BTreeMap::new(),
        };
        let mut foreign: Vec<(&'static Table, u32)> = Vec::new();
        for &child in &self.forest[node].children {
            let is_tested = || alternatives.iter().any(|it| it.tests.iter().any(|test| test.leaf == child));
            let is_wanted = alternatives.iter().any(|it| it.within.of(child).is_some());
            let from = match self.forest[child].place {
                Place::Key(part, _) => From::Key(part),
                Place::Column(of, column) if is_wanted || is_tested() => {
                    let oid = [of.oid, &[1, column.id]].concat();
                    let Some(leaf) = tree.leaf_of(&oid) else { continue };
                    if leaf.group() == served.group() {
                        plan.leaves.push(leaf.id());
                        From::Row(plan.leaves.len() - 1)
                    } else {
                        foreign.push((of, column.id));
                        From::Elsewhere(foreign.len() - 1)
                    }
                }
                _ => continue,
            };
            plan.fields.push(Field { node: child, from });
        }
        plan.alternatives = alternatives.iter().map(|it| plan.alternative(it)).collect();
        // A row is there if anything of it may be read.
        plan.with_empty = plan.leaves.is_empty() || plan.wants_keys();
        if !foreign.is_empty() {
            plan.elsewhere = self.cells(&foreign).await;
        }
        Some(plan)
    }

    /// The cells of columns of some tables, by the row's index.
    pub async fn cells(&self, columns: &[(&'static Table, u32)]) -> Cells {
        self.cells_of(columns, RowRange::All).await
    }

    /// The same of some rows, which have their indexes in all of the tables.
    pub async fn cells_of(&self, columns: &[(&'static Table, u32)], range: RowRange<'_>) -> Cells {
        self.cells_within(columns, range, usize::MAX).await.unwrap_or_default()
    }

    /// The same; `None`: there are more than so many rows.
    pub async fn cells_within(
        &self,
        columns: &[(&'static Table, u32)],
        range: RowRange<'_>,
        most: usize,
    ) -> Option<Cells> {
        let mut kept = Kept { rows: BTreeMap::new(), most, width: columns.len(), places: Vec::new() };
        let tree = &self.served.tree;
        let mut tables: Vec<&'static Table> = columns.iter().map(|(table, _)| *table).collect();
        tables.dedup_by_key(|table| table.name);
        for table in tables {
            let Some(served) = tree.table_named(table.name) else { continue };
            let of_table = columns.iter().enumerate().filter(|(_, (of, _))| of.name == table.name);
            let known = of_table.filter_map(|(place, (_, id))| Some((place, served.leaf(*id)?)));
            let (places, leaves): (Vec<usize>, Vec<LeafId>) = known.unzip();
            kept.places = places;
            let query = RowQuery { range, ..RowQuery::all(served.id(), &leaves, self.access, self.arrived) };
            let done = self.served.retrieve_rows(&mut RowWalker::new(), &query, &mut kept).await;
            if matches!(done, Ok(Progress::Full { .. })) {
                return None;
            }
        }
        Some(kept.rows)
    }
}

/// Cells by the index of their row, in the order of their columns.
pub type Cells = BTreeMap<Vec<u32>, Vec<Option<Value>>>;

/// Stops at the first thing that is written.
struct Probe(bool);

impl DataSink for Probe {
    type Stop = ();

    fn open(&mut self, _node: NodeId) {
        self.0 = true;
    }

    fn close(&mut self, _node: NodeId) {}

    fn leaf(&mut self, _node: NodeId, _value: ValueRef<'_>) {
        self.0 = true;
    }

    fn leaf_text(&mut self, _node: NodeId, _value: &str) {
        self.0 = true;
    }

    fn is_full(&self) -> bool {
        self.0
    }

    async fn flush(&mut self) -> Result<(), ()> {
        Err(())
    }
}

/// What writes, and containers that are opened once there is something in them.
struct Output<'o, S> {
    sink: &'o mut S,
    unopened: Vec<(NodeId, Annotation)>,
}

impl<S: DataSink> Output<'_, S> {
    fn open_all(&mut self) {
        for (node, note) in self.unopened.drain(..) {
            self.sink.note(note);
            self.sink.open(node);
        }
    }

    fn open(&mut self, node: NodeId) {
        self.open_all();
        self.sink.open(node);
    }

    fn leaf(&mut self, node: NodeId, value: ValueRef<'_>) {
        self.open_all();
        self.sink.leaf(node, value);
    }

    fn leaf_text(&mut self, node: NodeId, note: Annotation, value: &str) {
        self.open_all();
        self.sink.note(note);
        self.sink.leaf_text(node, value);
    }

    /// The end of a container.
    fn end(&mut self, node: NodeId) {
        // If it was not opened, it is the last of those that were not.
        if self.unopened.pop().is_none() {
            self.sink.close(node);
        }
    }
}

/// How a list is read and written.
struct ListPlan {
    table: TableId,
    parts: &'static [trunkline_smi::schema::IndexPart],
    /// Which of them can have what no string has.
    texts: Vec<usize>,
    /// What is read of each row.
    leaves: Vec<LeafId>,
    /// Whether rows count that have nothing of that.
    with_empty: bool,
    /// What can be written of it, in order.
    fields: Vec<Field>,
    alternatives: Vec<ListAlternative>,
    elsewhere: BTreeMap<Vec<u32>, Vec<Option<Value>>>,
}

struct Field {
    node: NodeId,
    from: From,
}

/// Where a value comes from.
#[derive(Clone, Copy)]
enum From {
    /// This part of the index.
    Key(usize),
    /// The row's cell of this leaf.
    Row(usize),
    /// A cell of another source.
    Elsewhere(usize),
}

/// What is wanted of the rows that pass.
struct ListAlternative {
    /// Each with the position of its field.
    tests: Vec<(usize, Test)>,
    /// By field.
    wanted: Vec<Want>,
}

/// Whether a field is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Want {
    No,
    /// A key that nobody requested, if there is anything else.
    Added,
    Requested,
}

impl ListPlan {
    fn alternative(&self, given: &Alternative) -> ListAlternative {
        let field_of = |test: &Test| self.fields.iter().position(|field| field.node == test.leaf);
        // A leaf that is not served has no value that could be the one.
        let tests = given.tests.iter().map(|test| (field_of(test).unwrap_or(usize::MAX), test.clone()));
        // RFC 6241 section 6.2.5 lets the server add keys.
        let wanted = |field: &Field| match field.from {
            _ if given.within.of(field.node).is_some() => Want::Requested,
            // Only that the entry is there.
            From::Key(_) if given.within.is_existence() => Want::Requested,
            From::Key(_) => Want::Added,
            _ => Want::No,
        };
        ListAlternative { tests: tests.collect(), wanted: self.fields.iter().map(wanted).collect() }
    }

    /// Whether keys are wanted for themselves: every row has them.
    fn wants_keys(&self) -> bool {
        let is_key =
            |(field, want): (&Field, &Want)| matches!(field.from, From::Key(_)) && *want == Want::Requested;
        self.alternatives.iter().any(|it| self.fields.iter().zip(&it.wanted).any(is_key))
    }

    /// The indexes of the rows, if every alternative names one.
    fn single_rows(&self, forest: &Forest, table: &Table) -> Option<Vec<OidBuf>> {
        let mut rows = Vec::new();
        for alternative in &self.alternatives {
            let value = |part: usize| {
                let is_it = |test: &&(usize, Test)| test.1.key(forest) == Some(part);
                let (_, test) = alternative.tests.iter().find(is_it)?;
                Some(test.value.clone())
            };
            let values = (0..table.index.len()).map(value).collect::<Option<Vec<Value>>>()?;
            let values: Option<Vec<_>> = values.into_iter().map(IndexValue::of).collect();
            let mut index = OidBuf::new();
            // What cannot be an index is that of no row.
            if let Some(values) = values
                && encode_index(table.index, &values, &mut index).is_ok()
            {
                rows.push(index);
            }
        }
        rows.sort_by(|a, b| a[..].cmp(&b[..]));
        rows.dedup_by(|a, b| a[..] == b[..]);
        Some(rows)
    }

    /// A test that every row passes which an alternative wants, and perhaps others.
    fn filter(&self, forest: &Forest, table: &'static Table) -> Option<Predicate> {
        let any = self.alternatives.iter().map(|alternative| {
            let own = alternative.tests.iter().filter_map(|(_, test)| condition(test, forest, table));
            Condition::And(own.collect())
        });
        let any: Vec<Condition> = any.collect();
        let is_of_all = any.iter().any(|it| matches!(it, Condition::And(all) if all.is_empty()));
        let terms: usize = self.alternatives.iter().map(|it| it.tests.len()).sum();
        if is_of_all || terms > MAX_TERMS {
            return None;
        }
        Predicate::compile(&Condition::Or(any), &Scope::table(table)).ok()
    }
}

/// A test in the words of a table's query; `None` if it is about another table's column.
fn condition(test: &Test, forest: &Forest, table: &Table) -> Option<Condition> {
    let name = match forest[test.leaf].place {
        Place::Key(_, part) => part.name,
        Place::Column(of, column) if of.name == table.name => column.name,
        _ => return None,
    };
    let literal = match &test.value {
        Value::Integer(number) => Literal::Integer((*number).into()),
        Value::Unsigned32(number) | Value::Counter32(number) | Value::TimeTicks(number) => {
            Literal::Integer((*number).into())
        }
        Value::Counter64(number) => Literal::Integer((*number).into()),
        Value::OctetString(octets) | Value::Opaque(octets) => Literal::Octets(octets.clone()),
        Value::IpAddress(octets) => Literal::Octets(octets.to_vec()),
        Value::ObjectIdentifier(oid) => Literal::Oid(oid.clone()),
    };
    Some(Condition::compare(name, Comparison::Equal, literal))
}

/// Rows as entries of a list.
struct RowsOut<'r, 'o, S> {
    plan: &'r ListPlan,
    node: NodeId,
    output: &'r mut Output<'o, S>,
    /// By field, of the present row.
    wanted: Vec<Want>,
    octets: Vec<u8>,
    /// Rows whose keys cannot be written.
    left_out: usize,
}

impl<S: DataSink> RowSink for RowsOut<'_, '_, S> {
    fn row(&mut self, row: Row<'_>) -> Room {
        if self.output.sink.is_full() {
            return Room::Full;
        }
        let plan = self.plan;
        // Kinds of index have few parts: a key is found by counting.
        let key = |part: usize| index_refs(plan.parts, row.index()).nth(part)?.ok();
        let elsewhere = match plan.elsewhere.is_empty() {
            true => None,
            false => plan.elsewhere.get(row.index()),
        };
        let cell = |from: From| match from {
            From::Key(_) => None,
            From::Row(at) => row.cell(at),
            From::Elsewhere(at) => elsewhere?.get(at)?.as_ref().map(Value::as_value_ref),
        };
        let holds = |(field, test): &(usize, Test)| match plan.fields.get(*field).map(|field| field.from) {
            Some(From::Key(part)) => key(part).is_some_and(|part| test.holds_of_key(part)),
            Some(from) => test.holds(cell(from)),
            None => false,
        };
        self.wanted.clear();
        for alternative in plan.alternatives.iter().filter(|it| it.tests.iter().all(holds)) {
            if self.wanted.is_empty() {
                self.wanted.extend_from_slice(&alternative.wanted);
            } else {
                self.wanted
                    .iter_mut()
                    .zip(&alternative.wanted)
                    .for_each(|(all, one)| *all = (*all).max(*one));
            }
        }
        let fields = plan.fields.iter().zip(&self.wanted);
        let is_there = |(field, wanted): (&Field, &Want)| {
            *wanted == Want::Requested && (matches!(field.from, From::Key(_)) || cell(field.from).is_some())
        };
        if !fields.clone().any(is_there) {
            return Room::Taken;
        }
        let mut is_written = |part: usize| {
            key(part).is_none_or(|it| keys::is_written(it, &plan.parts[part], &mut self.octets))
        };
        if !plan.texts.iter().all(|part| is_written(*part)) {
            self.left_out += 1;
            return Room::Taken;
        }
        self.output.sink.writing(true);
        self.output.open(self.node);
        for (field, _) in fields.filter(|(_, wanted)| **wanted != Want::No) {
            if let From::Key(part) = field.from {
                let value = key(part).and_then(|found| found.value(&plan.parts[part], &mut self.octets));
                if let Some(value) = value {
                    self.output.sink.leaf(field.node, value);
                }
            } else if let Some(value) = cell(field.from) {
                self.output.sink.leaf(field.node, value);
            }
        }
        self.output.sink.close(self.node);
        self.output.sink.writing(false);
        Room::Taken
    }
}

/// Keeps rows of tables that are joined.
struct Kept {
    rows: BTreeMap<Vec<u32>, Vec<Option<Value>>>,
    most: usize,
    width: usize,
    /// Where each cell of the present table goes.
    places: Vec<usize>,
}

impl RowSink for Kept {
    fn row(&mut self, row: Row<'_>) -> Room {
        if self.rows.len() >= self.most && !self.rows.contains_key(row.index()) {
            return Room::Full;
        }
        let kept = self.rows.entry(row.index().to_vec()).or_insert_with(|| vec![None; self.width]);
        for (at, place) in self.places.iter().enumerate() {
            kept[*place] = row.cell(at).map(|value| value.to_value());
        }
        Room::Taken
    }
}
