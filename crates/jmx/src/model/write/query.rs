//! Queries.

use super::Encoder;
use crate::model::{Operand, Query, Value};
use crate::stream::classes::management;

impl Encoder<'_, '_> {
    /// A query.
    pub fn query(&mut self, query: &Query) {
        match query {
            Query::And(left, right) => {
                self.writer.object(&management::AND_QUERY_EXP);
                self.query(left);
                self.query(right);
            }
            Query::Or(left, right) => {
                self.writer.object(&management::OR_QUERY_EXP);
                self.query(left);
                self.query(right);
            }
            Query::Not(inner) => {
                self.writer.object(&management::NOT_QUERY_EXP);
                self.query(inner);
            }
            Query::Relation(relation, left, right) => {
                self.writer.object(&management::BINARY_REL_QUERY_EXP);
                self.writer.int(*relation as i32);
                self.operand(left);
                self.operand(right);
            }
            Query::Between(value, low, high) => {
                self.writer.object(&management::BETWEEN_QUERY_EXP);
                self.operand(value);
                self.operand(low);
                self.operand(high);
            }
            Query::In(value, list) => {
                self.writer.object(&management::IN_QUERY_EXP);
                self.operand(value);
                self.items(&management::VALUE_EXP_ARRAY, list, Self::operand);
            }
            Query::Match(value, pattern) => {
                self.writer.object(&management::MATCH_QUERY_EXP);
                self.operand(value);
                self.writer.string(pattern.as_str());
            }
            Query::InstanceOf(class) => {
                self.writer.object(&management::INSTANCE_OF_QUERY_EXP);
                self.operand(&Operand::String(class.clone()));
            }
            Query::Name(name) => self.name(name),
        }
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Attribute(name) => {
                self.writer.object(&management::ATTRIBUTE_VALUE_EXP);
                self.writer.string(name);
            }
            Operand::Qualified { class, attribute } => {
                self.writer.object(&management::QUALIFIED_ATTRIBUTE_VALUE_EXP);
                self.writer.string(attribute);
                self.writer.string(class);
            }
            Operand::Class => {
                self.writer.object(&management::CLASS_ATTRIBUTE_VALUE_EXP);
                let name = self.writer.string("Class");
                self.writer.reference(name);
            }
            Operand::String(text) => {
                self.writer.object(&management::STRING_VALUE_EXP);
                self.writer.string(text);
            }
            Operand::Boolean(truth) => {
                self.writer.object(&management::BOOLEAN_VALUE_EXP);
                self.writer.boolean(*truth);
            }
            Operand::Whole(number) => self.numeric(&Value::Long(*number)),
            Operand::Fraction(number) => self.numeric(&Value::Double(*number)),
            Operand::Operation(arithmetic, left, right) => {
                self.writer.object(&management::BINARY_OP_VALUE_EXP);
                self.writer.int(*arithmetic as i32);
                self.operand(left);
                self.operand(right);
            }
        }
    }

    fn numeric(&mut self, number: &Value) {
        self.writer.object(&management::NUMERIC_VALUE_EXP);
        self.value(number);
        self.writer.end();
    }
}
