//! Expressions that would cost too much.

use trunkline_expression::{Budget, ErrorCode, Expression, Memory, Sweep};
use trunkline_smi::{Oid, Value};

use crate::sheet::Sheet;

#[test]
fn a_long_chain_is_evaluated_without_a_deep_stack() {
    let chain = vec!["1"; 512].join("+");
    let value = Sheet::usual().evaluate(&chain).unwrap().unwrap();
    assert_eq!(value.into_type(trunkline_expression::ValueType::Integer32), Ok(Value::Integer(512)));
}

#[test]
fn the_deepest_nesting_that_is_read_is_evaluated() {
    let nested = "-(".repeat(32) + "1" + &")".repeat(32);
    assert!(Sheet::usual().evaluate(&nested).is_ok());
    let deeper = "-(".repeat(33) + "1" + &")".repeat(33);
    assert_eq!(Expression::parse(&deeper).unwrap_err().code, ErrorCode::ResourceUnavailable);
    let ten_thousand = "(".repeat(10_000) + "1" + &")".repeat(10_000);
    assert_eq!(Expression::parse(&ten_thousand).unwrap_err().code, ErrorCode::ResourceUnavailable);
}

#[test]
fn values_do_not_grow_without_end() {
    let long = Sheet::new([
        vec![Value::OctetString(vec![b'a'; 60_000])],
        vec![Value::ObjectIdentifier(Oid::new(&[1; 120]).unwrap())],
    ]);
    for (text, at) in [("$1 + $1", 4), ("$2 + $2", 4)] {
        let fault = Expression::parse(text)
            .unwrap()
            .evaluate(&long, &mut Memory::default(), &mut Sweep::new(Budget::new(u64::MAX)))
            .unwrap_err();
        assert_eq!((fault.code, fault.at), (ErrorCode::ResourceUnavailable, at), "{text}");
    }
}

/// A search that a simple loop would take 900 million steps for, and a sum of 100,000 instances.
#[test]
fn an_evaluation_ends_with_its_steps() {
    let many = Sheet::new([
        vec![Value::OctetString(vec![b'a'; 60_000])],
        vec![Value::OctetString([vec![b'a'; 30_000], vec![b'b']].concat())],
        (0..100_000).map(Value::Counter32).collect(),
    ]);
    let evaluate = |text: &str, steps| {
        let expression = Expression::parse(text).unwrap();
        expression.evaluate(&many, &mut Memory::default(), &mut Sweep::new(Budget::new(steps)))
    };
    assert!(evaluate("stringContains($1, $2)", 200_000).is_ok());
    assert!(evaluate("sum($3) / count($3)", 200_010).is_ok());
    for (text, steps) in
        [("stringContains($1, $2)", 100_000), ("sum($3)", 99_999), ("quantile($3, 50)", 10), ("1", 0)]
    {
        let fault = evaluate(text, steps).unwrap_err();
        assert_eq!(fault.code, ErrorCode::ResourceUnavailable, "{text}");
    }
}

/// A share of a sum at each of its instances takes as many steps as there are instances, and not their square.
#[test]
fn a_function_over_instances_is_computed_once_in_a_sweep() {
    let many = Sheet::new([(1..=10_000).map(Value::Counter32).collect()]);
    let expression = Expression::parse("$1 * 100 / sum($1)").unwrap();
    let mut sweep = Sweep::new(Budget::new(100_000));
    for _ in 0..10_000 {
        assert!(expression.evaluate(&many, &mut Memory::default(), &mut sweep).is_ok());
    }
}
