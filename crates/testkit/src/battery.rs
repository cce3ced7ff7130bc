//! The tests that every provider must pass, whatever it serves: its constants make sense, its data fits them, and
//! the tree answers get, next and bulk from it as the [model](crate::model) does.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_smi::schema::{Column, Scalar, Syntax, Table};
use trunkline_smi::{IndexValue, Oid, Value, ValueRef, decode_index, display_oid};
use trunkline_tree::{
    Freshness, GroupId, LeafKind, Loaded, Operation, Provider, ScalarCell, Snapshot, TableData, Tree,
    TreeBuilder, View,
};

use crate::asker::{Asker, End};
use crate::model::Model;
use crate::recording::Answer;

/// Fails with all errors of a provider.
///
/// # Panics
/// When [`examine`] finds something.
pub fn check(provider: Arc<dyn Provider>) {
    let name = provider.group().name;
    let findings = examine(provider);
    assert!(findings.is_empty(), "group {name}, {} findings:\n  {}", findings.len(), findings.join("\n  "));
}

/// All errors of a provider, at most [`MOST_FINDINGS`]; none is the only good answer.
pub fn examine(provider: Arc<dyn Provider>) -> Vec<String> {
    let mut findings = Findings::default();
    examine_schema(provider.as_ref(), &mut findings);
    if findings.0.is_empty() {
        examine_loads(provider.as_ref(), &mut findings);
    }
    if findings.0.is_empty() {
        examine_tree(provider, &mut findings);
    }
    findings.0
}

/// After this many findings the rest adds little.
pub const MOST_FINDINGS: usize = 20;

#[derive(Default)]
struct Findings(Vec<String>);

impl Findings {
    fn expect(&mut self, holds: bool, words: impl FnOnce() -> String) {
        if !holds && self.0.len() < MOST_FINDINGS {
            self.0.push(words());
        }
    }
}

fn examine_schema(provider: &dyn Provider, findings: &mut Findings) {
    let group = provider.group();
    findings.expect(!group.name.is_empty(), || "the group has no name".into());
    let again = provider.group();
    findings.expect(std::ptr::eq(group, again), || "group() is another one each time".into());
    for table in group.tables {
        let ascending = table.columns.is_sorted_by(|a, b| a.id < b.id);
        findings.expect(ascending, || format!("{}: columns are not ascending by id", table.name));
        findings.expect(!table.index.is_empty(), || format!("{}: no index", table.name));
        findings
            .expect(table.columns.iter().all(|c| c.id > 0), || format!("{}: a column with id 0", table.name));
        let readable = table.columns.iter().any(|column| column.access.is_readable());
        findings.expect(readable, || format!("{}: no column may be read", table.name));
    }
}

/// Loads twice, the second time with the first snapshot in hand.
fn examine_loads(provider: &dyn Provider, findings: &mut Findings) {
    let first = match provider.load(None) {
        Ok(Loaded::Snapshot(snapshot)) => snapshot,
        Ok(Loaded::Unchanged) => return findings.expect(false, || "the first load says Unchanged".into()),
        Err(error) => return findings.expect(false, || format!("the first load fails: {error}")),
    };
    examine_snapshot(provider, &first, findings);
    match provider.load(Some(&first)) {
        Ok(Loaded::Snapshot(second)) => examine_snapshot(provider, &second, findings),
        Ok(Loaded::Unchanged) => {}
        Err(error) => findings.expect(false, || format!("the second load fails: {error}")),
    }
}

fn examine_snapshot(provider: &dyn Provider, snapshot: &Snapshot, findings: &mut Findings) {
    for scalar in provider.group().scalars {
        match snapshot.scalar(scalar) {
            None => {}
            Some(ScalarCell::Value(value)) => {
                fits(scalar.name, &scalar.syntax, value.as_value_ref(), findings)
            }
            Some(ScalarCell::Live(live)) => {
                fits(scalar.name, &scalar.syntax, live.read(Instant::now()), findings)
            }
        }
    }
    for table in provider.group().tables {
        match snapshot.table(table) {
            Some(data) => examine_table(table, data, findings),
            None => findings.expect(false, || format!("the snapshot lacks {}", table.name)),
        }
    }
}

fn examine_table(table: &Table, data: &TableData, findings: &mut Findings) {
    let indexes: Vec<&[u32]> = data.index().iter().collect();
    let ascending = indexes.is_sorted_by(|a, b| a < b);
    findings.expect(ascending, || format!("{}: rows are not ascending, or one comes twice", table.name));
    for (row, index) in indexes.into_iter().enumerate() {
        let place = || format!("{} row {}", table.name, display_oid(index));
        match decode_index(table.index, index) {
            Err(error) => findings.expect(false, || format!("{}: {error}", place())),
            Ok(values) => examine_index(table, data, row, &values, findings),
        }
        for column in table.columns {
            if let Some(value) = data.get(row, column.id) {
                fits(&format!("{}.{}", column.name, display_oid(index)), &column.syntax, value, findings);
            }
        }
        let something = table.columns.iter().any(|c| c.access.is_readable() && data.get(row, c.id).is_some());
        findings.expect(something, || format!("{}: no cell that may be read", place()));
    }
}

/// Each part of the index fits its syntax, and equals the column of the same name.
fn examine_index(
    table: &Table,
    data: &TableData,
    row: usize,
    values: &[IndexValue],
    findings: &mut Findings,
) {
    for (part, value) in table.index.iter().zip(values) {
        let Some(expected) = as_value(&part.syntax, value) else {
            findings.expect(false, || format!("{} row {row}: {} cannot be {value:?}", table.name, part.name));
            continue;
        };
        fits(
            &format!("{} row {row}, index {}", table.name, part.name),
            &part.syntax,
            expected.as_value_ref(),
            findings,
        );
        let column = table.columns.iter().find(|column| column.name == part.name);
        if let Some(found) = column.and_then(|column: &Column| data.get(row, column.id)) {
            findings.expect(found == expected.as_value_ref(), || {
                format!("{} row {row}: column {} is {found:?}, the index {expected:?}", table.name, part.name)
            });
        }
    }
}

/// An index part as a value of its syntax.
fn as_value(syntax: &Syntax, value: &IndexValue) -> Option<Value> {
    use trunkline_smi::ValueKind as K;
    Some(match (syntax.kind, value) {
        (K::Integer, IndexValue::Integer(number)) => Value::Integer(i32::try_from(*number).ok()?),
        (K::Unsigned32, IndexValue::Integer(number)) => Value::Unsigned32(*number),
        (K::TimeTicks, IndexValue::Integer(number)) => Value::TimeTicks(*number),
        (K::OctetString, IndexValue::Octets(octets)) => Value::OctetString(octets.clone()),
        (K::IpAddress, IndexValue::Octets(octets)) => Value::IpAddress(octets.as_slice().try_into().ok()?),
        (K::ObjectIdentifier, IndexValue::ObjectIdentifier(oid)) => Value::ObjectIdentifier(oid.clone()),
        _ => return None,
    })
}

fn fits(name: &str, syntax: &Syntax, value: ValueRef<'_>, findings: &mut Findings) {
    let outcome = syntax.check(value);
    findings.expect(outcome.is_ok(), || format!("{name}: {value:?} does not fit: {outcome:?}"));
}

/// The provider in a separate tree, with one snapshot for the whole examination.
struct Subject {
    tree: Tree,
    now: Instant,
    model: Model,
    /// Live scalars: their values may differ from one request to the next.
    live: Vec<Oid>,
}

fn examine_tree(provider: Arc<dyn Provider>, findings: &mut Findings) {
    let now = Instant::now();
    let mut builder = TreeBuilder::default();
    builder.provider(provider.clone(), Freshness::MaxAge(Duration::MAX));
    let tree = match builder.build(now) {
        Ok(tree) => tree,
        Err(error) => return findings.expect(false, || error.to_string()),
    };
    let Some(group) = tree.group(provider.group().name) else { return };
    if let Err(error) = tree.load(group, now, || now) {
        return findings.expect(false, || format!("the tree cannot load it: {error}"));
    }
    let subject = Subject::new(tree, group, provider.as_ref(), now);
    subject.examine_walk(findings);
    subject.examine_bulk(findings);
}

impl Subject {
    fn new(tree: Tree, group: GroupId, provider: &dyn Provider, now: Instant) -> Self {
        let mut model = Model::default();
        let mut live = Vec::new();
        let snapshot = tree.fresh_snapshot(group, now);
        for (leaf, snapshot) in tree.leaves().iter().zip(std::iter::repeat(snapshot.as_deref())) {
            let Some(snapshot) = snapshot else { break };
            let object = Oid::EMPTY.child(leaf.oid());
            match leaf.kind() {
                LeafKind::Scalar { slot } => {
                    let scalar: &Scalar = provider.group().scalars[usize::from(slot)];
                    let name = object.child(&[0]);
                    match snapshot.scalar(scalar) {
                        Some(ScalarCell::Value(value)) => _ = model.instances.insert(name, value.clone()),
                        Some(ScalarCell::Live(cell)) => {
                            live.push(name.clone());
                            model.instances.insert(name, cell.read(now).to_value());
                        }
                        None => {}
                    }
                }
                LeafKind::Column { table, slot } => {
                    let table: &Table = provider.group().tables[usize::from(table)];
                    let id = table.columns[usize::from(slot)].id;
                    model
                        .instances
                        .extend(snapshot.table(table).into_iter().flat_map(|data| cells(data, id, &object)));
                }
                LeafKind::Region { .. } => unreachable!("a tree of one provider has no region"),
            }
            model.objects.push(object);
        }
        Subject { tree, now, model, live }
    }

    fn ask(&self, operation: Operation, names: &[Oid]) -> Vec<Answer> {
        let asker = Asker::new(&self.tree, View::everything(), self.now, || self.now);
        let reply = asker.ask(operation, names);
        assert_eq!(reply.end, End::Done);
        reply.answers
    }

    /// Compares with the model; of live values only the type.
    fn compare(
        &self,
        what: impl Display,
        operation: Operation,
        names: &[Oid],
        findings: &mut Findings,
    ) -> Vec<Answer> {
        let found = self.ask(operation, names);
        let expected = self.model.ask(operation, names);
        let same = |(a, b): (&Answer, &Answer)| {
            let types = |x: &Answer| x.outcome.as_ref().map(Value::kind).map_err(|exception| *exception);
            let values_count = !self.live.contains(&a.name);
            a.name == b.name && if values_count { a.outcome == b.outcome } else { types(a) == types(b) }
        };
        let differs = found.iter().zip(&expected).position(|pair| !same(pair));
        findings.expect(found.len() == expected.len() && differs.is_none(), || match differs {
            Some(at) => format!("{what}: answer {at} is {:?}, expected {:?}", found[at], expected[at]),
            None => format!("{what}: {} answers, expected {}", found.len(), expected.len()),
        });
        found
    }

    /// GetNext from the root finds every instance of the snapshot, once, in order; Get finds each again.
    fn examine_walk(&self, findings: &mut Findings) {
        let mut name = Oid::EMPTY;
        for _ in 0..=self.model.instances.len() {
            let what = format!("next {name}");
            let answers = self.compare(what, Operation::Next, std::slice::from_ref(&name), findings);
            match answers.into_iter().next() {
                Some(Answer { name: next, outcome: Ok(_) }) if next > name => name = next,
                _ => break,
            }
            self.compare(format!("get {name}"), Operation::Get, std::slice::from_ref(&name), findings);
        }
        let last = self.model.instances.last_key_value().map_or(Oid::EMPTY, |(name, _)| name.clone());
        findings.expect(name == last, || format!("the walk ends at {name}, expected {last}"));
    }

    /// GetBulk of every shape is repeated GetNext: one column, all columns by row, from above, from inside, to
    /// the end.
    fn examine_bulk(&self, findings: &mut Findings) {
        let names: Vec<Oid> = self.model.instances.keys().cloned().collect();
        let everywhere = names.iter().step_by(1 + names.len() / 50).cloned().map(|name| vec![name]);
        let objects = self.model.objects.chunks(22).map(<[Oid]>::to_vec);
        let requests: Vec<Vec<Oid>> =
            [vec![Oid::EMPTY]].into_iter().chain(objects).chain(everywhere).collect();
        for names in &requests {
            for (non_repeaters, max_repetitions) in SHAPES {
                let operation = Operation::Bulk { non_repeaters, max_repetitions };
                let what = format!("bulk {non_repeaters} {max_repetitions} from {} and others", names[0]);
                self.compare(what, operation, names, findings);
            }
        }
    }
}

const SHAPES: [(usize, usize); 8] = [(0, 0), (0, 1), (0, 2), (0, 66), (1, 3), (2, 1), (3, 50), (100, 9)];

fn cells(data: &TableData, id: u32, object: &Oid) -> BTreeMap<Oid, Value> {
    let cell = |row: usize| Some((object.child(&data.index()[row]), data.get(row, id)?.to_value()));
    (0..data.len()).filter_map(cell).collect()
}
