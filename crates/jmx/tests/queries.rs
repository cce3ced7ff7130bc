//! Which MBeans queries select.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

use trunkline_jmx::Error;
use trunkline_jmx::model::{
    Arithmetic, BigInteger, MarshalledObject, Mbean, ObjectName, Operand, Query, Relation, Value, Work,
};
use trunkline_jmx::stream::Limits;

struct Row(ObjectName);

impl Mbean for Row {
    fn name(&self) -> &ObjectName {
        &self.0
    }

    fn class_name(&self) -> &str {
        "toy.Row"
    }

    fn is_instance_of(&self, class: &str) -> bool {
        ["toy.Row", "java.lang.Object"].contains(&class)
    }

    fn attribute(&self, name: &str) -> Option<Value> {
        Some(match name {
            "Number" => Value::Integer(7),
            "Large" => Value::BigInteger(BigInteger::from(u64::MAX)),
            "Half" => Value::Double(0.5),
            "NaN" => Value::Double(f64::NAN),
            "Text" => "abc".into(),
            "Truth" => Value::Boolean(true),
            "List" => Value::List(Vec::new()),
            _ => return None,
        })
    }
}

fn attribute(name: &str) -> Operand {
    Operand::Attribute(name.to_owned())
}

fn number(number: i64) -> Operand {
    Operand::Whole(number)
}

fn text(text: &str) -> Operand {
    Operand::String(text.to_owned())
}

fn calculated(arithmetic: Arithmetic, left: Operand, right: Operand) -> Operand {
    Operand::Operation(arithmetic, Box::new(left), Box::new(right))
}

fn not(query: Query) -> Query {
    Query::Not(Box::new(query))
}

#[test]
fn queries_select_mbeans() {
    use Relation::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    let row = Row("d:k=v".parse().unwrap());
    let relation = Query::Relation;
    let yes = || relation(Equal, number(1), number(1));
    let unknown = || relation(Equal, attribute("Nothing"), number(1));
    let cases = [
        (relation(Greater, attribute("Number"), number(6)), true),
        (relation(Less, attribute("Number"), number(7)), false),
        (relation(LessOrEqual, attribute("Number"), number(7)), true),
        (relation(GreaterOrEqual, attribute("Half"), number(1)), false),
        (relation(Greater, attribute("Large"), number(i64::MAX)), true),
        (relation(Equal, attribute("NaN"), attribute("NaN")), false),
        (not(relation(Equal, attribute("NaN"), attribute("NaN"))), true),
        (relation(Less, attribute("Text"), text("abd")), true),
        (relation(Greater, attribute("Truth"), Operand::Boolean(false)), true),
        (relation(Equal, Operand::Class, text("toy.Row")), true),
        // What cannot be compared selects nothing, also when it is denied.
        (relation(Equal, attribute("Text"), number(1)), false),
        (not(relation(Equal, attribute("Text"), number(1))), false),
        (not(unknown()), false),
        (relation(Equal, attribute("List"), attribute("List")), false),
        (Query::Or(Box::new(yes()), Box::new(unknown())), true),
        (Query::And(Box::new(yes()), Box::new(unknown())), false),
        (Query::And(Box::new(yes()), Box::new(yes())), true),
        (Query::Between(attribute("Number"), number(7), number(7)), true),
        (Query::Between(attribute("Number"), number(8), number(9)), false),
        (Query::In(attribute("Text"), vec![number(1), text("abc")]), true),
        (Query::In(attribute("Text"), vec![]), false),
        (Query::Match(attribute("Text"), "a[a-c]?".to_owned().into()), true),
        (Query::Match(attribute("Number"), "*".to_owned().into()), false),
        (Query::InstanceOf("java.lang.Object".to_owned()), true),
        (Query::InstanceOf("toy.Other".to_owned()), false),
        (Query::Name("d:*".parse().unwrap()), true),
        (Query::Name("d:k=w".parse().unwrap()), false),
        (relation(Equal, calculated(Arithmetic::Plus, number(i64::MAX), number(1)), number(i64::MIN)), true),
        (relation(Equal, calculated(Arithmetic::Times, attribute("Half"), number(4)), number(2)), true),
        (relation(Equal, calculated(Arithmetic::Minus, number(3), number(2)), number(1)), true),
        (relation(Equal, calculated(Arithmetic::Plus, text("a"), text("b")), text("ab")), true),
        (relation(Equal, calculated(Arithmetic::Divide, number(1), number(0)), number(0)), false),
        (
            relation(Equal, calculated(Arithmetic::Divide, number(i64::MIN), number(-1)), number(i64::MIN)),
            true,
        ),
    ];
    for (query, expected) in cases {
        assert_eq!(selects(&query, &row), expected, "{query:?}");
    }
    let of = |class: &str| Operand::Qualified { class: class.to_owned(), attribute: "Number".to_owned() };
    assert!(selects(&relation(Equal, of("toy.Row"), number(7)), &row));
    assert!(!selects(&relation(Equal, of("toy.Other"), number(7)), &row));
}

/// A few octets more double the text each time.
#[test]
fn a_query_makes_no_endless_text() {
    let mut doubled = text("x".repeat(1000).as_str());
    for _ in 0..11 {
        doubled = calculated(Arithmetic::Plus, doubled.clone(), doubled);
    }
    let query = Query::Relation(Relation::Equal, doubled, text(""));
    assert!(!selects(&query, &Row("d:k=v".parse().unwrap())));
}

#[test]
fn a_pattern_is_read_once_for_all_mbeans() {
    let row = Row("d:k=v".parse().unwrap());
    let query = Query::Match(text("a"), "b".repeat(10_000).into());
    let mut work = Work::of(10_000);
    for _ in 0..100 {
        assert!(!query.selects(&row, &mut work) && !work.is_over());
    }
}

/// Whatever a query is made of, it ends; what it selects then is not said to be all.
#[test]
fn a_query_takes_no_endless_work() {
    let row = Row("d:k=v".parse().unwrap());
    let long = text("x".repeat(60_000).as_str());
    let costly = [
        Query::Match(long.clone(), format!("{}y", "*x".repeat(10_000)).into()),
        Query::Relation(Relation::Equal, long.clone(), number(1)),
        (0..17).fold(Query::Relation(Relation::Equal, number(1), number(2)), |query, _| {
            Query::Or(Box::new(query.clone()), Box::new(query))
        }),
        (0..17).fold(Query::Name("d:k=*w".parse().unwrap()), |query, _| {
            Query::Or(Box::new(query.clone()), Box::new(query))
        }),
    ];
    for query in costly {
        let mut work = Work::of(50_000);
        assert!(!query.selects(&row, &mut work) && work.is_over());
        // It stays over, for what would take little as well.
        assert!(!Query::Name("d:k=v".parse().unwrap()).selects(&row, &mut work));
    }
    let mut work = Work::of(50_000);
    let cheap = Query::Match(attribute("Name"), "*x*".to_owned().into());
    cheap.selects(&row, &mut work);
    assert!(!work.is_over());
}

fn selects(query: &Query, row: &Row) -> bool {
    query.selects(row, &mut Work::of(1 << 20))
}

/// However few octets it takes: in a stream one part may stand for many.
#[test]
fn a_query_has_no_endless_parts() {
    let limits = Limits::default();
    let listed = |count| {
        let query = Query::In(attribute("Number"), vec![number(7); count]);
        MarshalledObject::new(&Value::Query(Box::new(query))).value(limits)
    };
    assert!(listed(9_000).is_ok());
    assert_eq!(listed(10_000).unwrap_err(), Error::Limit { what: "parts of a query", limit: 10_000 });
}
