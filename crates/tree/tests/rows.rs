//! Rows against the walker's Get: whatever the access, the policy, the range, the filter, and wherever the sink is
//! full, each cell is what Get answers, and a row of which nothing may be seen is not there.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use trunkline_query::{Cells, Comparison, Condition, KeyRange, Literal, Page, Predicate, RowRange, Scope};
use trunkline_smi::{IndexRef, Oid, Value, ValueRef, index_refs};
use trunkline_testkit::fixture::Fixture;
use trunkline_testkit::fixture::schema::{FACT_NUMBER, PORT_TABLE};
use trunkline_tree::{
    Access, Block, Freshness, LeafId, Operation, Progress, Region, Room, Row, RowQuery, RowSink, RowWalker,
    ServedTable, SetCheck, SetError, SetItem, SetTransaction, Tree, TreeBuilder, View,
};

const POLICIES: [Freshness; 4] = [
    Freshness::PerObject,
    Freshness::PerRequest,
    Freshness::MaxAge(Duration::ZERO),
    Freshness::MaxAge(Duration::from_secs(1)),
];

const TABLES: [&str; 6] = ["portTable", "idleTable", "peerTable", "wordTable", "pathTable", "hostTable"];

/// A row as it was handed out.
type Given = (Vec<u32>, Vec<Option<Value>>);

/// Accepts this many rows, then reports once that it is full.
struct Collector<const BLOCKS: bool> {
    columns: usize,
    rows: Vec<Given>,
    pause: usize,
    left: usize,
    /// How many of them were handed out as they are stored.
    stored: usize,
    /// How many came in blocks.
    in_blocks: usize,
}

impl<const BLOCKS: bool> Collector<BLOCKS> {
    fn new(columns: usize, pause: usize) -> Self {
        Collector { columns, rows: Vec::new(), pause, left: pause, stored: 0, in_blocks: 0 }
    }
}

impl<const BLOCKS: bool> RowSink for Collector<BLOCKS> {
    const TAKES_BLOCKS: bool = BLOCKS;

    fn row(&mut self, row: Row<'_>) -> Room {
        if self.left == 0 {
            self.left = self.pause;
            return Room::Full;
        }
        self.left -= 1;
        let cells: Vec<Option<Value>> = row.cells().map(|cell| cell.map(|value| value.to_value())).collect();
        if let Some(stored) = row.stored_cells() {
            assert!(stored.map(|cell| cell.map(|value| value.to_value())).eq(cells.iter().cloned()));
            self.stored += 1;
        }
        self.rows.push((row.index().to_vec(), cells));
        Room::Taken
    }

    fn block(&mut self, block: Block<'_>) -> usize {
        let now = block.first(self.left);
        self.left = if now.len() < block.len() { self.pause } else { self.left - now.len() };
        for row in now.rows() {
            let cell = |at: usize| {
                let cell = now.cell(at, row);
                assert!(now.column(at).is_none_or(|column| column.get(row) == cell));
                cell.map(|value| value.to_value())
            };
            self.rows.push((now.index_of(row).to_vec(), (0..self.columns).map(cell).collect()));
        }
        self.in_blocks += now.len();
        now.len()
    }
}

/// All rows, with a pause after each `pause` of them.
fn ask(fixture: &Fixture, query: &RowQuery<'_>, pause: usize) -> Vec<Given> {
    ask_for::<false>(fixture, query, pause).rows
}

/// The same in blocks, where they can be.
fn ask_for_blocks(fixture: &Fixture, query: &RowQuery<'_>, pause: usize) -> Vec<Given> {
    ask_for::<true>(fixture, query, pause).rows
}

fn ask_for<const BLOCKS: bool>(fixture: &Fixture, query: &RowQuery<'_>, pause: usize) -> Collector<BLOCKS> {
    let mut walker = RowWalker::new();
    let columns = query.columns.len();
    let mut sink = Collector::<BLOCKS>::new(columns, pause);
    loop {
        match walker.advance(&fixture.tree, query, &mut sink) {
            Progress::Done => break,
            Progress::Full { binding } => assert_eq!(binding, sink.rows.len()),
            Progress::Load(group) => {
                fixture.tree.load(group, query.arrived, || fixture.now()).unwrap();
            }
            Progress::Ask(_) => panic!("rows are of no region"),
        }
    }
    assert_eq!(walker.rows(), sink.rows.len());
    sink
}

fn leaves(table: &ServedTable) -> Vec<LeafId> {
    table.columns().map(|(_, leaf)| leaf).collect()
}

/// The result of Get for a row.
struct Got {
    table: &'static trunkline_smi::schema::Table,
    index: Vec<u32>,
    cells: Vec<(u32, Option<Value>)>,
}

impl Cells for Got {
    fn cell(&self, column: u32) -> Option<ValueRef<'_>> {
        self.cells.iter().find(|(id, _)| *id == column)?.1.as_ref().map(Value::as_value_ref)
    }

    fn part(&self, part: usize) -> Option<IndexRef<'_>> {
        index_refs(self.table.index, &self.index).nth(part)?.ok()
    }
}

/// Every row of the table that the fixture holds, as Get shows it to somebody.
fn by_get(fixture: &Fixture, table: &ServedTable, access: &Access) -> Vec<Got> {
    let asker = fixture.asker().with_access(access.clone());
    let entry = Oid::EMPTY.child(table.schema().oid).child(&[1]);
    let values = [&fixture.facts, &fixture.ports, &fixture.peers].map(|provider| provider.values());
    let names = values.iter().flatten().map(|(name, _)| name).filter(|name| name.starts_with(&entry));
    let indexes: BTreeSet<Vec<u32>> = names.map(|name| name[entry.len() + 1..].to_vec()).collect();
    let got = |index: Vec<u32>| {
        let cell = |id: u32| {
            let reply = asker.ask(Operation::Get, &[entry.child(&[id]).child(&index)]);
            reply.answers.into_iter().next().and_then(|answer| answer.outcome.ok())
        };
        let cells = table.columns().map(|(column, _)| (column.id, cell(column.id))).collect();
        Got { table: table.schema(), index, cells }
    };
    indexes.into_iter().map(got).collect()
}

/// Random rules about a table: its columns or all of them, its rows, beginnings of indexes or all.
#[derive(Clone, Debug)]
struct Rule {
    included: bool,
    column: Option<Index>,
    row: Option<(Index, usize)>,
}

#[derive(Clone, Debug)]
struct Question {
    table: &'static str,
    policy: Freshness,
    all: bool,
    rules: Vec<Rule>,
    columns: Vec<Index>,
    range: Range,
    filter: Option<Vec<(Index, Comparison, i128)>>,
    negated: bool,
    page: Page,
    with_empty: bool,
    pause: usize,
}

#[derive(Clone, Debug)]
enum Range {
    All,
    One(Index),
    After(Option<Index>, usize),
    Keys(Index, Option<Index>),
}

fn rule() -> impl Strategy<Value = Rule> {
    let row = proptest::option::of((any::<Index>(), 0usize..3));
    (any::<bool>(), proptest::option::of(any::<Index>()), row).prop_map(|(included, column, row)| Rule {
        included,
        column,
        row,
    })
}

fn range() -> impl Strategy<Value = Range> {
    let index = any::<Index>;
    prop_oneof![
        3 => Just(Range::All),
        1 => index().prop_map(Range::One),
        2 => (proptest::option::of(index()), 0usize..4).prop_map(|(index, count)| Range::After(index, count)),
        1 => (index(), proptest::option::of(index())).prop_map(|(from, below)| Range::Keys(from, below)),
    ]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    select(vec![Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual])
}

fn question() -> impl Strategy<Value = Question> {
    let numbers = select(vec![-1i128, 0, 1, 2, 3, 10, 80, 100, 161, 1000, i32::MAX.into()]);
    let filter = proptest::option::of(vec((any::<Index>(), comparison(), numbers), 0..3));
    let page = (0usize..3, select(vec![0usize, 1, 2, usize::MAX, usize::MAX, usize::MAX]));
    let columns = prop_oneof![Just(None), vec(any::<Index>(), 0..4).prop_map(Some)];
    let who = (any::<bool>(), vec(rule(), 0..4));
    (
        select(&TABLES),
        select(&POLICIES),
        who,
        columns,
        range(),
        (filter, any::<bool>()),
        (page, any::<bool>()),
        1usize..4,
    )
        .prop_map(
            |(table, policy, (all, rules), columns, range, (filter, negated), (page, with_empty), pause)| {
                Question {
                    table,
                    policy,
                    all,
                    rules,
                    columns: columns.unwrap_or_default(),
                    range,
                    filter,
                    negated,
                    page: Page { offset: page.0, limit: page.1 },
                    with_empty,
                    pause,
                }
            },
        )
}

/// Rows that are there, and some that are not.
fn known_indexes(table: &str) -> Vec<Vec<u32>> {
    match table {
        "portTable" => [0, 1, 2, 3, 4, 10, i32::MAX as u32].map(|index| vec![index]).to_vec(),
        "peerTable" => vec![
            vec![1, 4, 127, 0, 0, 1, 80],
            vec![1, 4, 192, 0, 2, 255, 65535],
            vec![2, 16],
            vec![2, 16, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 161],
        ],
        "wordTable" => ["a", "ab", "b", "c"].map(|word| word.bytes().map(u32::from).collect()).to_vec(),
        "pathTable" => vec![vec![3, 1, 3, 6], vec![4, 2, 999, u32::MAX, 1], vec![3]],
        _ => vec![vec![192, 0, 2, 1, 0, 255], vec![192, 0, 2, 2, 0, 255], vec![192, 0, 2]],
    }
}

fn view(question: &Question, table: &ServedTable, indexes: &[Vec<u32>]) -> View {
    let entry = Oid::EMPTY.child(table.schema().oid).child(&[1]);
    let mut texts = vec![if question.all { "1.3".to_owned() } else { "1.4".to_owned() }];
    for rule in &question.rules {
        let column = rule.column.map_or("*".to_owned(), |at| at.get(table.schema().columns).id.to_string());
        let index = rule.row.map_or(vec![], |(row, cut)| {
            let index = row.get(indexes);
            index[..index.len().saturating_sub(cut)].to_vec()
        });
        let index: String = index.iter().map(|sub_id| format!(".{sub_id}")).collect();
        texts.push(format!("{}{entry}.{column}{index}", if rule.included { "" } else { "-" }));
    }
    let families = texts.iter().map(|text| text.parse().unwrap());
    families.fold(View::NOTHING, View::with)
}

fn predicate(question: &Question, table: &ServedTable) -> Option<Predicate> {
    let scope = Scope::table(table.schema());
    let tests = question.filter.as_ref()?.iter().map(|(field, comparison, number)| {
        let field = field.get(scope.fields());
        let number = (*number).clamp(0, i32::MAX.into());
        let literal = match field.syntax.kind {
            trunkline_smi::ValueKind::OctetString => Literal::Text("eth0".to_owned()),
            trunkline_smi::ValueKind::Opaque => Literal::Octets(vec![]),
            trunkline_smi::ValueKind::ObjectIdentifier => Literal::Oid(Oid::from([1, 3, 6])),
            trunkline_smi::ValueKind::IpAddress => Literal::Text("192.0.2.1".to_owned()),
            _ => Literal::Integer(number),
        };
        Condition::compare(field.name, *comparison, literal)
    });
    let condition = Condition::And(tests.collect());
    let condition = if question.negated { Condition::Not(Box::new(condition)) } else { condition };
    Some(Predicate::compile(&condition, &scope).unwrap())
}

fn expected(
    question: &Question,
    got: Vec<Got>,
    asked: &[u32],
    filter: Option<&Predicate>,
    range: RowRange<'_>,
) -> Vec<Given> {
    let in_range = |index: &[u32]| match range {
        RowRange::All => true,
        RowRange::One(one) => index == one,
        RowRange::After { index: after, .. } => index > after,
        RowRange::Keys(keys) => keys.contains(index),
    };
    let count = if let RowRange::After { count, .. } = range { count } else { usize::MAX };
    let row = |got: Got| {
        let cell = |id: &u32| got.cell(*id).map(|value| value.to_value());
        let cells: Vec<Option<Value>> = asked.iter().map(cell).collect();
        let others = got.cells.iter().filter(|_| question.with_empty).map(|(_, cell)| cell);
        let is_there = cells.iter().chain(others).any(Option::is_some);
        is_there.then(|| (got.index.clone(), cells))
    };
    got.into_iter()
        .filter(|got| in_range(&got.index) && filter.is_none_or(|filter| filter.holds(got)))
        .filter_map(row)
        .skip(question.page.offset)
        .take(question.page.limit.min(count))
        .collect()
}

fn check(question: &Question) {
    let fixture = Fixture::new(question.policy);
    let table = fixture.tree.table_named(question.table).unwrap();
    let indexes = known_indexes(question.table);
    let access = fixture.tree.access(view(question, table, &indexes), View::NOTHING);
    let columns: Vec<(u32, LeafId)> = table.columns().map(|(column, leaf)| (column.id, leaf)).collect();
    let columns: Vec<(u32, LeafId)> = match question.columns.as_slice() {
        [] => columns,
        some => some.iter().map(|at| *at.get(&columns)).collect(),
    };
    let (ids, leaves): (Vec<u32>, Vec<LeafId>) = columns.into_iter().unzip();
    let filter = predicate(question, table);
    let at = |index: &Index| -> &[u32] { index.get::<Vec<u32>>(&indexes) };
    let keys = match &question.range {
        Range::Keys(from, below) => KeyRange::between(at(from), below.as_ref().map(at)),
        _ => KeyRange::all(),
    };
    let range = match &question.range {
        Range::All => RowRange::All,
        Range::One(index) => RowRange::One(at(index)),
        Range::After(None, count) => RowRange::After { index: &[], count: *count },
        Range::After(Some(index), count) => RowRange::After { index: at(index), count: *count },
        Range::Keys(..) => RowRange::Keys(&keys),
    };
    let got = by_get(&fixture, table, &access);
    let wanted = expected(question, got, &ids, filter.as_ref(), range);
    let query = RowQuery {
        table: table.id(),
        columns: &leaves,
        range,
        filter: filter.as_ref(),
        page: question.page,
        with_empty: question.with_empty,
        access: &access,
        arrived: fixture.now(),
    };
    assert_eq!(ask(&fixture, &query, question.pause), wanted);
    assert_eq!(ask_for_blocks(&fixture, &query, question.pause), wanted);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2500) })]

    #[test]
    fn rows_agree_with_get(question in question()) {
        check(&question);
    }

    /// Of any columns of a whole table, wherever the sink pauses.
    #[test]
    fn pauses_lose_nothing(
        policy in select(&POLICIES),
        columns in subsequence((0usize..6).collect::<Vec<_>>(), 1..6),
        pause in 1usize..7,
    ) {
        let fixture = Fixture::new(policy);
        let table = fixture.tree.table_named("portTable").unwrap();
        let access = fixture.tree.access(View::everything(), View::NOTHING);
        let all = leaves(table);
        let columns: Vec<LeafId> = columns.iter().map(|at| all[*at]).collect();
        let query = RowQuery::all(table.id(), &columns, &access, fixture.now());
        let whole = ask(&fixture, &query, usize::MAX);
        prop_assert_eq!(&ask(&fixture, &query, pause), &whole);
        prop_assert_eq!(&ask_for_blocks(&fixture, &query, pause), &whole);
    }
}

/// All columns of a table of which one has a cell in each row.
#[test]
fn a_whole_table_comes_in_blocks() {
    let fixture = Fixture::new(Freshness::PerRequest);
    let table = fixture.tree.table_named("portTable").unwrap();
    let access = fixture.tree.access(View::everything(), View::NOTHING);
    let leaves = leaves(table);
    let query = RowQuery::all(table.id(), &leaves, &access, fixture.now());
    let sink = ask_for::<true>(&fixture, &query, 3);
    assert!(sink.in_blocks > 3 && sink.in_blocks == sink.rows.len(), "{} of {:?}", sink.in_blocks, sink.rows);
    // A page of them too.
    let page = Page { offset: 1, limit: 2 };
    let sink = ask_for::<true>(&fixture, &RowQuery { page, ..query }, 1);
    assert_eq!((sink.in_blocks, sink.rows.len()), (2, 2));
}

/// How often one request for rows loads the group, when nothing has been loaded before.
#[track_caller]
fn check_loads(policy: Freshness, rules: &[&str], columns: &[usize], range: RowRange<'_>, expected: usize) {
    let fixture = Fixture::new(policy);
    let table = fixture.tree.table_named("portTable").unwrap();
    let view = View::of(rules.iter().map(|rule| rule.parse().unwrap())).unwrap();
    let access = fixture.tree.access(view, View::NOTHING);
    let all = leaves(table);
    let columns: Vec<LeafId> = columns.iter().map(|at| all[*at]).collect();
    let query = RowQuery { range, ..RowQuery::all(table.id(), &columns, &access, fixture.now()) };
    ask(&fixture, &query, 2);
    assert_eq!(fixture.ports.loads(), expected, "{policy:?}");
}

#[test]
fn each_policy_loads_as_often_as_a_walker() {
    for policy in &POLICIES[1..] {
        check_loads(*policy, &["1.3"], &[0, 1, 2], RowRange::All, 1);
        check_loads(*policy, &["1.4"], &[0, 1, 2], RowRange::All, 0);
    }
    let check =
        |rules, columns, range, expected| check_loads(Freshness::PerObject, rules, columns, range, expected);
    // Each object once, and once more to find that there is nothing after the last row.
    check(&["1.3"], &[0, 1, 2], RowRange::All, 16);
    check(&["1.3"], &[0, 1, 2], RowRange::One(&[10]), 3);
    check(&["1.3"], &[0, 1], RowRange::After { index: &[2], count: 2 }, 4);
    // What may not be read is not loaded.
    check(&["1.3", "-1.3.6.1.4.1.32473.2.2.1.2"], &[0, 1, 2], RowRange::One(&[10]), 2);
    check(&["1.3", "-1.3.6.1.4.1.32473.2.2.1.3.10"], &[0, 1, 2], RowRange::One(&[10]), 2);
    check(&["1.4"], &[0, 1, 2], RowRange::All, 0);
}

#[test]
fn a_request_sees_one_snapshot() {
    let fixture = Fixture::new(Freshness::MaxAge(Duration::from_secs(1)));
    let table = fixture.tree.table_named("portTable").unwrap();
    let access = fixture.tree.access(View::everything(), View::NOTHING);
    let columns = leaves(table);
    let query = RowQuery::all(table.id(), &columns, &access, fixture.now());
    let whole = ask(&fixture, &query, usize::MAX);
    let mut walker = RowWalker::new();
    let mut sink = Collector::<false>::new(0, 2);
    assert_eq!(walker.advance(&fixture.tree, &query, &mut sink), Progress::Full { binding: 2 });
    fixture.ports.remove(&[PORT_TABLE.oid, &[1, 1, 1]].concat());
    fixture.pass(Duration::from_secs(9));
    fixture.tree.load(table.group(), fixture.now(), || fixture.now()).unwrap();
    assert_eq!(walker.advance(&fixture.tree, &query, &mut sink), Progress::Full { binding: 4 });
    assert_eq!(walker.advance(&fixture.tree, &query, &mut sink), Progress::Done);
    assert_eq!(sink.rows, whole);
    // The next request sees the new one.
    let query = RowQuery { arrived: fixture.now(), ..query };
    assert_ne!(ask(&fixture, &query, usize::MAX), whole);
}

/// Read object by object a row may go while it is read: what was read of it is given out.
#[test]
fn a_row_that_goes_while_it_is_read() {
    let fixture = Fixture::new(Freshness::PerObject);
    let table = fixture.tree.table_named("portTable").unwrap();
    let access = fixture.tree.access(View::everything(), View::NOTHING);
    fixture.ports.on_load(|loads, values| {
        if loads == 2 {
            values.retain(|name, _| !(name.starts_with(PORT_TABLE.oid) && name.ends_with(&[1])));
        }
    });
    let columns = &leaves(table)[..2];
    let rows = ask(&fixture, &RowQuery::all(table.id(), columns, &access, fixture.now()), 9);
    assert_eq!(rows[0], (vec![1], vec![Some(Value::Integer(1)), None]));
    assert_eq!(rows[1], (vec![2], vec![Some(Value::Integer(2)), Some(Value::text("eth0"))]));
    assert_eq!(rows.len(), 5);
}

/// Rows of which nothing is wanted but that they are there: of those that the principal may see, no cell is read.
#[test]
fn a_row_is_there_for_any_cell_of_it() {
    for policy in POLICIES {
        let fixture = Fixture::new(policy);
        let table = fixture.tree.table_named("portTable").unwrap();
        let rules = ["1.3.6.1.4.1.32473.2.2.1.1.10", "1.3.6.1.4.1.32473.2.2.1.2.2"];
        let view = View::of(rules.map(|rule| rule.parse().unwrap())).unwrap();
        let access = fixture.tree.access(view, View::NOTHING);
        let query = RowQuery { with_empty: true, ..RowQuery::all(table.id(), &[], &access, fixture.now()) };
        assert_eq!(ask(&fixture, &query, 9), [(vec![2], vec![]), (vec![10], vec![])], "{policy:?}");
        let query = RowQuery { with_empty: false, ..query };
        assert_eq!(ask(&fixture, &query, 9), [], "{policy:?}");
    }
}

#[test]
fn a_leaf_of_elsewhere_has_no_cells() {
    let fixture = Fixture::default();
    let table = fixture.tree.table_named("portTable").unwrap();
    let access = fixture.tree.access(View::everything(), View::NOTHING);
    let number = fixture.tree.leaf_of(FACT_NUMBER.oid).unwrap().id();
    let other = leaves(fixture.tree.table_named("wordTable").unwrap())[0];
    let columns = [number, table.leaf(1).unwrap(), other];
    let rows = ask(&fixture, &RowQuery::all(table.id(), &columns, &access, fixture.now()), 9);
    assert_eq!(rows[0].1, [None, Some(Value::Integer(1)), None]);
    assert_eq!(ask(&fixture, &RowQuery::all(table.id(), &columns[..1], &access, fixture.now()), 9), []);
}

/// Of two columns that may be read in different rows, each is found on the path to the next.
#[test]
fn rules_of_several_columns() {
    let fixture = Fixture::default();
    let table = fixture.tree.table_named("portTable").unwrap();
    let rules =
        ["1.3.6.1.4.1.32473.2.2.1.1.10", "1.3.6.1.4.1.32473.2.2.1.2.2", "1.3.6.1.4.1.32473.2.2.1.1.3"];
    let view = View::of(rules.map(|rule| rule.parse().unwrap())).unwrap();
    let access = fixture.tree.access(view, View::NOTHING);
    let columns = leaves(table);
    let rows = ask(&fixture, &RowQuery::all(table.id(), &columns[..2], &access, fixture.now()), 9);
    let number = |number| Some(Value::Integer(number));
    let expected = [
        (vec![2], vec![None, Some(Value::text("eth0"))]),
        (vec![3], vec![number(3), None]),
        (vec![10], vec![number(10), None]),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn the_tree_knows_its_tables() {
    let fixture = Fixture::default();
    let names: Vec<&str> = fixture.tree.tables().iter().map(|table| table.schema().name).collect();
    assert_eq!(names, TABLES);
    for (position, table) in fixture.tree.tables().iter().enumerate() {
        assert_eq!(table.id().position(), position);
        for (column, leaf) in table.columns() {
            assert_eq!(table.leaf(column.id), Some(leaf));
            assert_eq!(fixture.tree.leaves()[leaf.position()].name(), column.name);
        }
    }
    assert_eq!(fixture.tree.table_named("peerTable").unwrap().leaf(1), None, "not accessible");
}

struct Elsewhere;

impl Region for Elsewhere {
    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        Err(SetError { binding: items[0].binding, check: SetCheck::NotWritable, reason: String::new() })
    }
}

/// What somebody else answers for has no rows here.
#[test]
fn regions_take_columns_and_tables_away() {
    let providers = trunkline_testkit::fixture::providers();
    let start = std::time::Instant::now();
    let mut builder = TreeBuilder::default();
    builder.provider(providers.ports, Freshness::default());
    builder.provider(providers.peers, Freshness::default());
    builder.region(Oid::EMPTY.child(PORT_TABLE.oid).child(&[1, 2]), 127, Arc::new(Elsewhere));
    builder.region("1.3.6.1.4.1.32473.3.2".parse().unwrap(), 127, Arc::new(Elsewhere));
    let tree: Tree = builder.build(start).unwrap();
    assert!(tree.table_named("wordTable").is_none());
    let table = tree.table_named("portTable").unwrap();
    assert_eq!(table.leaf(2), None);
    assert_eq!(table.columns().map(|(column, _)| column.id).collect::<Vec<_>>(), [1, 3, 4, 5, 6]);
}

/// A row with a cell that is missing, or that may not be read, is looked at cell by cell.
#[test]
fn whole_rows_are_handed_out_as_they_are_stored() {
    let fixture = Fixture::new(Freshness::MaxAge(Duration::from_secs(1)));
    let table = fixture.tree.table_named("portTable").unwrap();
    let columns = &leaves(table)[..2];
    for (rules, all) in [(&["1.3"][..], true), (&["1.3", "-1.3.6.1.4.1.32473.2.2.1.2.2"], false)] {
        let view = View::of(rules.iter().map(|rule| rule.parse().unwrap())).unwrap();
        let access = fixture.tree.access(view, View::NOTHING);
        let query = RowQuery::all(table.id(), columns, &access, fixture.now());
        fixture.tree.load(table.group(), query.arrived, || fixture.now()).unwrap();
        let mut sink = Collector::<false>::new(0, 9);
        assert_eq!(RowWalker::new().advance(&fixture.tree, &query, &mut sink), Progress::Done);
        assert_eq!((sink.stored == sink.rows.len(), sink.stored == 0), (all, !all));
    }
}
