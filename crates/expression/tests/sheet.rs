//! Values of objects for the other tests.

use std::collections::BTreeMap;

use trunkline_expression::{
    Budget, Expression, Fault, Memory, Objects, Operand, Sweep, Undefined, ValueType,
};
use trunkline_smi::{Oid, Value};

/// Values by expObjectIndex; the first one is at the instance that is evaluated.
pub struct Sheet(BTreeMap<u32, Vec<Value>>);

impl Objects for Sheet {
    fn value(&self, object: u32) -> Result<Option<&Value>, Undefined> {
        self.0.get(&object).map(|values| values.first()).ok_or(Undefined)
    }

    fn instances(&self, object: u32) -> Result<Box<dyn Iterator<Item = &Value> + '_>, Undefined> {
        self.0.get(&object).map(|values| Box::new(values.iter()) as Box<_>).ok_or(Undefined)
    }
}

impl Sheet {
    pub fn new(values: impl IntoIterator<Item = Vec<Value>>) -> Self {
        Sheet((1..).zip(values).collect())
    }

    /// One object of each type, a table of five numbers ($8), and one without instances ($9).
    pub fn usual() -> Self {
        Sheet::new([
            vec![Value::Integer(-7)],
            vec![Value::Unsigned32(3_000_000_000)],
            vec![Value::Counter32(4_294_967_290)],
            vec![Value::Counter64(u64::MAX)],
            vec![Value::TimeTicks(360_000)],
            vec![Value::IpAddress([192, 0, 2, 130])],
            vec![Value::OctetString(b"eth0.100".to_vec())],
            [40, 10, 30, 20, 50].map(Value::Unsigned32).to_vec(),
            Vec::new(),
            vec![Value::ObjectIdentifier(Oid::from([1, 3, 6, 1, 4, 1, 8072]))],
            vec![Value::Opaque(vec![1])],
        ])
    }

    pub fn evaluate(&self, text: &str) -> Result<Option<Operand>, Fault> {
        Expression::parse(text)?.evaluate(self, &mut Memory::default(), &mut Sweep::new(Budget::new(100_000)))
    }

    pub fn value(&self, text: &str, wanted: ValueType) -> Result<Option<Value>, Fault> {
        let expression = Expression::parse(text)?;
        self.evaluate(text)?.map(|operand| expression.result(operand, wanted)).transpose()
    }
}
