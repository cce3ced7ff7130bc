//! Random conditions on random rows: a predicate matches where a naive evaluation of the condition does, and no
//! matching row is outside its key range.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use trunkline_query::{Cells, Comparison, Condition, Literal, Page, Predicate, Scope, Selection};
use trunkline_smi::schema::MaxAccess::{NotAccessible, ReadOnly};
use trunkline_smi::schema::{Column, IndexEncoding, IndexPart, Syntax, Table};
use trunkline_smi::{IndexRef, IndexValue, Oid, OidBuf, Value, ValueRef, encode_index, index_refs};

const COLUMNS: &[Column] = &[
    Column::new(1, "number", NotAccessible, Syntax::INTEGER32),
    Column::new(2, "signed", ReadOnly, Syntax::INTEGER32),
    Column::new(5, "text", ReadOnly, Syntax::OCTET_STRING),
    Column::new(6, "big", ReadOnly, Syntax::COUNTER64),
    Column::new(7, "where", ReadOnly, Syntax::OBJECT_IDENTIFIER),
];

const NUMBER: IndexPart = IndexPart::new("number", IndexEncoding::Integer, Syntax::UNSIGNED32);
const PAIR: IndexPart = IndexPart::new("pair", IndexEncoding::FixedOctets(2), Syntax::OCTET_STRING);
const NAME: IndexPart = IndexPart::new("name", IndexEncoding::Octets, Syntax::OCTET_STRING);
const PATH: IndexPart = IndexPart::new("path", IndexEncoding::ObjectIdentifier, Syntax::OBJECT_IDENTIFIER);
const HOST: IndexPart = IndexPart::new("host", IndexEncoding::IpAddress, Syntax::IP_ADDRESS);
const WORD: IndexPart = IndexPart::new("word", IndexEncoding::ImpliedOctets, Syntax::OCTET_STRING);
const ROAD: IndexPart =
    IndexPart::new("road", IndexEncoding::ImpliedObjectIdentifier, Syntax::OBJECT_IDENTIFIER);

static TABLES: [Table; 6] = [
    table(&[NUMBER]),
    table(&[NUMBER, PAIR, NAME]),
    table(&[NAME, NUMBER]),
    table(&[PATH, HOST]),
    table(&[NUMBER, WORD]),
    table(&[HOST, ROAD]),
];

const fn table(index: &'static [IndexPart]) -> Table {
    Table { name: "testTable", entry: "testEntry", oid: &[1, 9], index, columns: COLUMNS }
}

/// A row: what the index says and what the cells are.
#[derive(Clone, Debug)]
struct Row {
    parts: &'static [IndexPart],
    index: Vec<u32>,
    cells: BTreeMap<u32, Value>,
}

impl Cells for Row {
    fn cell(&self, column: u32) -> Option<ValueRef<'_>> {
        self.cells.get(&column).map(Value::as_value_ref)
    }

    fn part(&self, part: usize) -> Option<IndexRef<'_>> {
        index_refs(self.parts, &self.index).nth(part)?.ok()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Plain {
    Number(i128),
    Octets(Vec<u8>),
    Path(Vec<u32>),
}

/// The value with a name in a row.
fn plain(row: &Row, name: &str) -> Option<Plain> {
    if let Some(at) = row.parts.iter().position(|part| part.name == name) {
        let mut values = Vec::new();
        for value in index_refs(row.parts, &row.index) {
            match value.map(IndexRef::to_index_value) {
                Ok(IndexValue::Integer(number)) => values.push(Plain::Number(number.into())),
                Ok(IndexValue::Octets(octets)) => values.push(Plain::Octets(octets)),
                Ok(IndexValue::ObjectIdentifier(oid)) => values.push(Plain::Path(oid.to_vec())),
                Err(_) => break,
            }
        }
        return values.get(at).cloned();
    }
    let id = COLUMNS.iter().find(|column| column.name == name)?.id;
    Some(match row.cells.get(&id)? {
        Value::Integer(number) => Plain::Number((*number).into()),
        Value::Counter64(number) => Plain::Number((*number).into()),
        Value::OctetString(octets) => Plain::Octets(octets.clone()),
        Value::ObjectIdentifier(oid) => Plain::Path(oid.to_vec()),
        other => panic!("{other:?}"),
    })
}

fn naive(condition: &Condition, row: &Row) -> bool {
    match condition {
        Condition::And(all) => all.iter().all(|one| naive(one, row)),
        Condition::Or(some) => some.iter().any(|one| naive(one, row)),
        Condition::Not(one) => !naive(one, row),
        Condition::Present { column, .. } => plain(row, column).is_some(),
        Condition::Compare { column, comparison, literal, .. } => {
            let literal = match literal {
                Literal::Integer(number) => Plain::Number(*number),
                Literal::Octets(octets) => Plain::Octets(octets.clone()),
                Literal::Oid(oid) => Plain::Path(oid.to_vec()),
                other => panic!("{other:?}"),
            };
            plain(row, column).is_some_and(|found| match comparison {
                Comparison::Equal => found == literal,
                Comparison::NotEqual => found != literal,
                Comparison::Less => found < literal,
                Comparison::LessOrEqual => found <= literal,
                Comparison::Greater => found > literal,
                Comparison::GreaterOrEqual => found >= literal,
            })
        }
    }
}

fn sub_id() -> impl Strategy<Value = u32> {
    select(&[0, 1, 2, 3, 254, 255, u32::MAX - 1, u32::MAX])
}

fn number() -> impl Strategy<Value = i128> {
    select(vec![0, 1, 2, 3, 254, 255, i128::from(i32::MAX), i128::from(u32::MAX) - 1, i128::from(u32::MAX)])
}

fn octets() -> impl Strategy<Value = Vec<u8>> {
    vec(select(&[0u8, 1, 2, 254, 255]), 0..4)
}

fn path() -> impl Strategy<Value = Oid> {
    vec(sub_id(), 0..4).prop_map(|sub_ids| Oid::EMPTY.child(&sub_ids))
}

fn index_value(part: &IndexPart) -> BoxedStrategy<IndexValue> {
    match part.encoding {
        IndexEncoding::Integer => sub_id().prop_map(IndexValue::Integer).boxed(),
        IndexEncoding::FixedOctets(len) => vec(0u8..3, len).prop_map(IndexValue::Octets).boxed(),
        IndexEncoding::IpAddress | IndexEncoding::NetworkAddress => {
            vec(select(&[0u8, 1, 255]), 4).prop_map(IndexValue::Octets).boxed()
        }
        IndexEncoding::Octets | IndexEncoding::ImpliedOctets => octets().prop_map(IndexValue::Octets).boxed(),
        _ => path().prop_map(IndexValue::ObjectIdentifier).boxed(),
    }
}

/// Mostly a proper index, sometimes anything.
fn index(parts: &'static [IndexPart]) -> impl Strategy<Value = Vec<u32>> {
    let proper = parts.iter().map(index_value).collect::<Vec<_>>().prop_map(move |values| {
        let mut oid = OidBuf::new();
        encode_index(parts, &values, &mut oid).unwrap();
        oid.to_vec()
    });
    prop_oneof![9 => proper, 1 => vec(sub_id(), 0..6)]
}

fn row(parts: &'static [IndexPart]) -> impl Strategy<Value = Row> {
    let cell = (0usize..4, number(), octets(), path());
    (index(parts), btree_map(select(&[2u32, 5, 6, 7]), cell, 0..4)).prop_map(move |(index, seeds)| {
        let value = |id: u32, (_, number, octets, path): (usize, i128, Vec<u8>, Oid)| match id {
            2 => Value::Integer(number as i32),
            5 => Value::OctetString(octets),
            6 => Value::Counter64(number as u64),
            _ => Value::ObjectIdentifier(path),
        };
        let cells = seeds.into_iter().map(|(id, seed)| (id, value(id, seed))).collect();
        Row { parts, index, cells }
    })
}

fn comparison() -> impl Strategy<Value = Comparison> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    select(&[Equal, Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual])
}

fn literal(syntax: Syntax) -> BoxedStrategy<Literal> {
    use trunkline_smi::ValueKind as K;
    match syntax.kind {
        K::Integer => number().prop_map(|n| Literal::Integer((n as i32).into())).boxed(),
        K::OctetString => octets().prop_map(Literal::Octets).boxed(),
        K::IpAddress => vec(select(&[0u8, 1, 255]), 4).prop_map(Literal::Octets).boxed(),
        K::ObjectIdentifier => path().prop_map(Literal::Oid).boxed(),
        _ => number().prop_map(Literal::Integer).boxed(),
    }
}

/// About the index more often than about cells.
fn leaf(parts: &'static [IndexPart]) -> impl Strategy<Value = Condition> {
    let named = |(name, syntax): (&'static str, Syntax)| {
        (comparison(), literal(syntax), 0u8..12).prop_map(move |(comparison, literal, kind)| match kind {
            0 => Condition::Present { at: 0, column: name.to_owned() },
            _ => Condition::compare(name, comparison, literal),
        })
    };
    let mut fields: Vec<(&'static str, Syntax)> = Vec::new();
    for _ in 0..3 {
        fields.extend(parts.iter().map(|part| (part.name, part.syntax)));
    }
    fields.extend(COLUMNS[1..].iter().map(|column| (column.name, column.syntax)));
    select(fields).prop_flat_map(named)
}

fn condition(parts: &'static [IndexPart]) -> impl Strategy<Value = Condition> {
    leaf(parts).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            4 => vec(inner.clone(), 0..4).prop_map(Condition::And),
            2 => vec(inner.clone(), 0..4).prop_map(Condition::Or),
            1 => inner.prop_map(|one| Condition::Not(Box::new(one))),
        ]
    })
}

fn case() -> impl Strategy<Value = (&'static Table, Condition, Vec<Row>, usize, usize)> {
    select((0..TABLES.len()).collect::<Vec<_>>()).prop_flat_map(|at| {
        let table = &TABLES[at];
        let (condition, rows) = (condition(table.index), vec(row(table.index), 1..30));
        (Just(table), condition, rows, 0usize..4, 0usize..20)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn predicates_hold_where_conditions_do((table, condition, rows, offset, limit) in case()) {
        let predicate = Predicate::compile(&condition, &Scope::table(table)).unwrap();
        let keys = predicate.key_range(table.index);
        for row in &rows {
            let expected = naive(&condition, row);
            prop_assert_eq!(predicate.holds(row), expected, "{:?}", row);
            prop_assert!(!expected || keys.contains(&row.index), "{:?} is lost by {:?}", row, keys);
        }
        let page = Page { offset, limit };
        let selection = Selection::compile(table, &["text"], Some(&condition)).unwrap().page(page);
        let found: Vec<Vec<u32>> = selection.evaluate(rows.iter().cloned()).map(|row| row.index).collect();
        let wanted = rows.iter().filter(|row| naive(&condition, row)).skip(offset).take(limit);
        prop_assert_eq!(found, wanted.map(|row| row.index.clone()).collect::<Vec<_>>());
    }
}
