//! A name and what is bound to it: how values travel between a manager and an agent, in every protocol.

use crate::{Exception, Oid, Value};

/// What a variable binding holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// `unSpecified`: no value, as in the requests that read.
    Unspecified,
    /// A value.
    Value(Value),
    /// Why there is no value.
    Exception(Exception),
}

impl Bound {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Bound::Value(value) => Some(value),
            Bound::Unspecified | Bound::Exception(_) => None,
        }
    }
}

impl From<Value> for Bound {
    fn from(value: Value) -> Self {
        Bound::Value(value)
    }
}

/// One variable binding (RFC 3416 section 3): the name of an instance, and what is bound to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarBind {
    /// The name of the instance.
    pub name: Oid,
    /// What is bound to it.
    pub value: Bound,
}

impl VarBind {
    /// A name with a value, as in Set.
    #[must_use]
    pub fn new(name: Oid, value: Value) -> Self {
        VarBind { name, value: Bound::Value(value) }
    }

    /// A name alone, for the requests that read.
    #[must_use]
    pub fn unspecified(name: Oid) -> Self {
        VarBind { name, value: Bound::Unspecified }
    }
}
