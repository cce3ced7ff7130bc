//! What a request costs in the tree alone, with 84 interfaces: no bytes are decoded or encoded.
//!
//! `cargo bench -p trunkline-tree` prints nanoseconds per request.

#![allow(clippy::unwrap_used, reason = "a bench that fails panics")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use trunkline_smi::schema::Table;
use trunkline_smi::{Oid, OidList, Value, ValueKind, ValueRef, module};
use trunkline_testkit::synthetic::{Log, Synthetic};
use trunkline_tree::{
    Access, Exception, Freshness, Group, Leaf, Name, Operation, Progress, Query, Room, Rows, Sink, Tree,
    TreeBuilder, View, Walker,
};

/// Takes everything, looks at the tags only.
struct Null;

impl Sink for Null {
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room {
        black_box((&name, value.kind()));
        Room::Taken
    }

    fn exception(&mut self, name: Name<'_>, exception: Exception) -> Room {
        black_box((&name, exception));
        Room::Taken
    }

    fn run(&mut self, leaf: &Leaf, rows: Rows<'_>) -> usize {
        black_box((leaf.id(), rows.start));
        rows.len()
    }
}

/// As [`Null`], but one by one, which is what a sink without typed runs does.
struct OneByOne;

impl Sink for OneByOne {
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room {
        Null.value(name, value)
    }

    fn exception(&mut self, name: Name<'_>, exception: Exception) -> Room {
        Null.exception(name, exception)
    }
}

const INTERFACES: u32 = 84;

struct World {
    tree: Tree,
    everything: Access,
    by_instance: Access,
    now: Instant,
}

impl World {
    /// Every module that the agent serves; ifTable and ifXTable have rows.
    fn new() -> Self {
        let now = Instant::now();
        let mut builder = TreeBuilder::default();
        for module in module::ALL {
            let group: &'static Group = Box::leak(Box::new(Group {
                name: module.name,
                scalars: module.scalars.iter().collect::<Vec<_>>().leak(),
                tables: module.tables.iter().collect::<Vec<_>>().leak(),
            }));
            let provider = Synthetic::new(group, Log::default());
            module
                .scalars
                .iter()
                .for_each(|scalar| provider.put(scalar.oid, &[0], some(scalar.syntax.kind, 0)));
            let tables =
                module.tables.iter().filter(|table| table.name.starts_with("if") && table.index.len() == 1);
            tables.for_each(|table| fill(&provider, table));
            builder.provider(provider as Arc<_>, Freshness::default());
        }
        let tree = builder.build(now).unwrap();
        for name in tree.group_names() {
            tree.load(tree.group(name).unwrap(), now, || now).unwrap();
        }
        let everything = tree.access(View::everything(), View::NOTHING);
        let one_row_less =
            (1..=22).fold(View::everything(), |view, id| view.exclude(if_table(id, Some(INTERFACES))));
        let by_instance = tree.access(one_row_less, View::NOTHING);
        World { tree, everything, by_instance, now }
    }
}

fn fill(provider: &Synthetic, table: &Table) {
    for column in table.columns {
        for row in 1..=INTERFACES {
            provider.put_cell(table, &[row], column.id, some(column.syntax.kind, row));
        }
    }
}

fn some(kind: ValueKind, number: u32) -> Value {
    match kind {
        ValueKind::Integer => Value::Integer(number as i32),
        ValueKind::OctetString => Value::text(format!("eth{number}")),
        ValueKind::ObjectIdentifier => Value::ObjectIdentifier(Oid::from([0, 0])),
        ValueKind::IpAddress => Value::IpAddress([0; 4]),
        ValueKind::Counter32 => Value::Counter32(number),
        ValueKind::Unsigned32 => Value::Unsigned32(number),
        ValueKind::TimeTicks => Value::TimeTicks(number),
        ValueKind::Opaque => Value::Opaque(vec![]),
        ValueKind::Counter64 => Value::Counter64(number.into()),
    }
}

fn if_table(column: u32, row: Option<u32>) -> Oid {
    Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, column]).child(row.as_slice())
}

fn bench(criterion: &mut Criterion) {
    let world = World::new();
    let bulk = |max_repetitions| Operation::Bulk { non_repeaters: 0, max_repetitions };
    let columns = |row| (1..=22).map(|column| if_table(column, row)).collect::<Vec<_>>();
    let cases = [
        ("get 1", Operation::Get, vec![if_table(10, Some(42))]),
        ("get 22 of a row", Operation::Get, columns(Some(42))),
        ("next 1", Operation::Next, vec![if_table(10, Some(42))]),
        ("next 22 of a row", Operation::Next, columns(Some(42))),
        ("bulk 66 of a column", bulk(66), vec![if_table(10, None)]),
        ("bulk 22 x 3 by row", bulk(3), columns(None)),
        ("bulk 22 x 1 by row", bulk(1), columns(Some(42))),
    ];
    for (name, operation, oids) in cases {
        let names: OidList = oids.iter().map(|oid| &**oid).collect();
        let mut ask = |case: &str, access: &Access, one_by_one: bool| {
            let query = Query {
                operation,
                names: &names,
                access,
                without_counter64: false,
                arrived: world.now,
                max_bindings: 10_000,
                may_end_early: true,
            };
            let mut walker = Walker::new();
            criterion.bench_function(&format!("{name}{case}"), |bencher| {
                bencher.iter(|| {
                    walker.reset();
                    let progress = if one_by_one {
                        walker.advance(&world.tree, &query, &mut OneByOne)
                    } else {
                        walker.advance(&world.tree, &query, &mut Null)
                    };
                    assert_eq!(progress, Progress::Done);
                });
            });
        };
        ask("", &world.everything, false);
        if name.starts_with("bulk 66") {
            ask(", one by one", &world.everything, true);
            ask(", view by instance", &world.by_instance, true);
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(std::time::Duration::from_millis(300)).measurement_time(std::time::Duration::from_millis(1000)).sample_size(30);
    targets = bench
}
criterion_main!(benches);
