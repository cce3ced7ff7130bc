//! Queries.

use super::{Decoder, Reference, boolean, int, reference};
use crate::error::Error;
use crate::model::{Operand, Query, TextPattern, Value};
use crate::stream::classes::{java, management};
use crate::stream::{Node, Object, Slot};

impl<'g> Decoder<'g> {
    /// A query, which is not null.
    fn query(&mut self, reference: Reference) -> Result<Query, Error> {
        let id = reference.ok_or(Error::Value { what: "null in a query" })?;
        self.within(id, |decoder, node| match node {
            Node::Object(object) => decoder.query_object(object),
            other => Err(Error::kind("a query", other.kind())),
        })
    }

    pub(super) fn query_object(&mut self, object: &'g Object) -> Result<Query, Error> {
        self.part()?;
        let class = object.class;
        if class.is(&management::OBJECT_NAME) {
            return Ok(Query::Name(self.name_object(object)?));
        }
        if class.is(&management::NOT_QUERY_EXP) {
            return Ok(Query::Not(Box::new(self.query(reference(object, "exp")?)?)));
        }
        if class.is(&management::AND_QUERY_EXP) || class.is(&management::OR_QUERY_EXP) {
            let left = Box::new(self.query(reference(object, "exp1")?)?);
            let right = Box::new(self.query(reference(object, "exp2")?)?);
            return Ok(if class.is(&management::AND_QUERY_EXP) {
                Query::And(left, right)
            } else {
                Query::Or(left, right)
            });
        }
        if class.is(&management::BINARY_REL_QUERY_EXP) {
            let relation = int(object, "relOp")?
                .try_into()
                .map_err(|()| Error::Value { what: "the relation of a query" })?;
            let left = self.operand(reference(object, "exp1")?)?;
            return Ok(Query::Relation(relation, left, self.operand(reference(object, "exp2")?)?));
        }
        if class.is(&management::BETWEEN_QUERY_EXP) {
            let value = self.operand(reference(object, "exp1")?)?;
            let low = self.operand(reference(object, "exp2")?)?;
            return Ok(Query::Between(value, low, self.operand(reference(object, "exp3")?)?));
        }
        if class.is(&management::IN_QUERY_EXP) {
            let value = self.operand(reference(object, "val")?)?;
            let list =
                self.items(reference(object, "valueList")?, &management::VALUE_EXP_ARRAY, Self::operand)?;
            return Ok(Query::In(value, list.unwrap_or_default()));
        }
        if class.is(&management::MATCH_QUERY_EXP) {
            let value = self.operand(reference(object, "exp")?)?;
            let pattern = self.text(reference(object, "pattern")?, "the pattern of a query")?;
            self.spend(pattern.len().saturating_mul(TextPattern::UNFOLDED))?;
            return Ok(Query::Match(value, pattern.into()));
        }
        if class.is(&management::INSTANCE_OF_QUERY_EXP) {
            return match self.operand(reference(object, "classNameValue")?)? {
                Operand::String(class) => Ok(Query::InstanceOf(class)),
                _ => Err(Error::Value { what: "the class of a query" }),
            };
        }
        Err(Error::kind("a value", class.name))
    }

    fn operand(&mut self, reference: Reference) -> Result<Operand, Error> {
        let id = reference.ok_or(Error::Value { what: "null in a query" })?;
        self.within(id, |decoder, node| match node {
            Node::Object(object) => decoder.operand_object(object),
            other => Err(Error::kind("a value of a query", other.kind())),
        })
    }

    fn operand_object(&mut self, object: &'g Object) -> Result<Operand, Error> {
        self.part()?;
        let class = object.class;
        if class.is(&management::CLASS_ATTRIBUTE_VALUE_EXP) {
            return Ok(Operand::Class);
        }
        if class.extends(&management::ATTRIBUTE_VALUE_EXP) {
            let attribute = self.text(reference(object, "attr")?, "an attribute of a query")?;
            if class.is(&management::ATTRIBUTE_VALUE_EXP) {
                return Ok(Operand::Attribute(attribute));
            }
            let class = self.text(reference(object, "className")?, "a class of a query")?;
            return Ok(Operand::Qualified { class, attribute });
        }
        if class.is(&management::STRING_VALUE_EXP) {
            return Ok(Operand::String(self.text(reference(object, "val")?, "a text of a query")?));
        }
        if class.is(&management::BOOLEAN_VALUE_EXP) {
            return Ok(Operand::Boolean(boolean(object, "val")?));
        }
        if class.is(&management::NUMERIC_VALUE_EXP) {
            return match self.object_of(reference(object, "val")?, &java::NUMBER, Self::number)? {
                Some(Value::Byte(number)) => Ok(Operand::Whole(number.into())),
                Some(Value::Short(number)) => Ok(Operand::Whole(number.into())),
                Some(Value::Integer(number)) => Ok(Operand::Whole(number.into())),
                Some(Value::Long(number)) => Ok(Operand::Whole(number)),
                Some(Value::Float(number)) => Ok(Operand::Fraction(number.into())),
                Some(Value::Double(number)) => Ok(Operand::Fraction(number)),
                _ => Err(Error::Value { what: "a number of a query" }),
            };
        }
        if class.is(&management::BINARY_OP_VALUE_EXP) {
            let Some(Slot::Int(number)) = object.slot("op") else {
                return Err(Error::Value { what: "an operation" });
            };
            let operation =
                number.try_into().map_err(|()| Error::Value { what: "the operation of a query" })?;
            let left = Box::new(self.operand(reference(object, "exp1")?)?);
            let right = Box::new(self.operand(reference(object, "exp2")?)?);
            return Ok(Operand::Operation(operation, left, right));
        }
        Err(Error::kind("a value of a query", class.name))
    }
}
