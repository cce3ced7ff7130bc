//! Expressions of DISMAN-EXPRESSION-MIB: a valid one is printed and parsed back the same, an invalid one gets a code and
//! a position within the text. It is evaluated over a few values of every type, within its budget.
#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_expression::{Budget, Expression, Memory, Objects, Sweep, Undefined, ValueType};
use trunkline_smi::{Oid, Value};

struct Some8(BTreeMap<u32, Vec<Value>>);

impl Objects for Some8 {
    fn value(&self, object: u32) -> Result<Option<&Value>, Undefined> {
        self.0.get(&object).map(|values| values.first()).ok_or(Undefined)
    }

    fn instances(&self, object: u32) -> Result<Box<dyn Iterator<Item = &Value> + '_>, Undefined> {
        self.0.get(&object).map(|values| Box::new(values.iter()) as Box<_>).ok_or(Undefined)
    }
}

static OBJECTS: LazyLock<Some8> = LazyLock::new(|| {
    let values = [
        vec![Value::Integer(-7), Value::Integer(i32::MAX)],
        vec![Value::Unsigned32(u32::MAX)],
        vec![Value::Counter32(12), Value::Counter32(0)],
        vec![Value::Counter64(u64::MAX), Value::Counter64(1)],
        vec![Value::TimeTicks(100)],
        vec![Value::IpAddress([255, 0, 0, 1])],
        vec![Value::OctetString(b"abcabd".to_vec())],
        vec![Value::ObjectIdentifier(Oid::from([1, 3, 6, 1]))],
        Vec::new(),
    ];
    Some8((1..).zip(values).collect())
});

fuzz_target!(|text: &str| match Expression::parse(text) {
    Ok(expression) => {
        let printed = expression.to_string();
        if printed.len() <= trunkline_expression::MAX_LENGTH {
            assert_eq!(Expression::parse(&printed).as_ref(), Ok(&expression), "{printed}");
        }
        let (mut memory, mut sweep) = (Memory::default(), Sweep::new(Budget::new(1_000_000)));
        for _ in 0..2 {
            match expression.evaluate(&*OBJECTS, &mut memory, &mut sweep) {
                Ok(value) => {
                    for wanted in ValueType::ALL {
                        let _ = value.clone().map(|value| value.into_type(wanted));
                    }
                }
                Err(fault) => assert!((1..=text.len()).contains(&fault.at), "{fault}"),
            }
        }
    }
    Err(fault) => assert!(fault.at <= text.len() + 1, "{fault}"),
});
