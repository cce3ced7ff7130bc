//! An expression as a whole: read, printed, and evaluated.

use std::collections::BTreeSet;
use std::fmt;

use trunkline_smi::Value;

use crate::budget::Sweep;
use crate::error::Fault;
use crate::evaluate::{self, Memory, Objects};
use crate::parser;
use crate::syntax::{Node, NodeKind};
use crate::value::{Operand, ValueType};

/// An expression that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression(Node);

impl Expression {
    /// Reads a text.
    ///
    /// # Errors
    /// It is not an expression: the code, the place and the reason.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        parser::parse(text).map(Expression)
    }

    /// The outermost part.
    pub fn root(&self) -> &Node {
        &self.0
    }

    /// The objects whose value at one instance is used, ascending: their wildcards make the instances of the result.
    pub fn objects(&self) -> BTreeSet<u32> {
        self.collect(false)
    }

    /// The objects of which all instances are used together, ascending.
    pub fn aggregated(&self) -> BTreeSet<u32> {
        self.collect(true)
    }

    /// Whether its value depends on earlier samples (average, maximum, minimum).
    pub fn has_memory(&self) -> bool {
        let mut found = false;
        self.0.visit(&mut |node| {
            found |= matches!(&node.kind, NodeKind::Call(function, _) if function.has_memory());
        });
        found
    }

    fn collect(&self, are_aggregated: bool) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        self.0.visit_objects(false, &mut |object, is_aggregated| {
            if is_aggregated == are_aggregated {
                found.insert(object);
            }
        });
        found
    }

    /// Its value at one instance; `None`: an object that it needs does not exist.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn evaluate(
        &self,
        objects: &dyn Objects,
        memory: &mut Memory,
        sweep: &mut Sweep,
    ) -> Result<Option<Operand>, Fault> {
        evaluate::evaluate(&self.0, objects, memory, sweep)
    }

    /// A value of it as a type. A hexadecimal constant that is all of the expression is octets if those are wanted.
    ///
    /// # Errors
    /// As [`Operand::into_type`].
    pub fn result(&self, value: Operand, wanted: ValueType) -> Result<Value, Fault> {
        match wanted {
            ValueType::OctetString => evaluate::octets(&self.0, value).into_type(wanted),
            _ => value.into_type(wanted),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(0, f)
    }
}
