//! Whether an MBean is one that a query selects.
//!
//! What cannot be compared is not selected: Java's evaluator throws there, and its server leaves the MBean out.

use super::{Arithmetic, ObjectName, Operand, Query, Relation, Value, Work};

/// What of an MBean a query can see.
pub trait Mbean {
    /// Its name.
    fn name(&self) -> &ObjectName;
    /// The name of its class.
    fn class_name(&self) -> &str;
    /// Whether its class is or extends another.
    fn is_instance_of(&self, class: &str) -> bool;
    /// The value of an attribute, if it has one that can be read.
    fn attribute(&self, name: &str) -> Option<Value>;
}

/// What an operand comes to.
#[derive(Debug, PartialEq)]
enum Known {
    Text(String),
    Truth(bool),
    Whole(i64),
    Fraction(f64),
}

impl Query {
    /// Whether it selects this MBean; what takes more work than there may be selects nothing.
    pub fn selects(&self, mbean: &dyn Mbean, work: &mut Work) -> bool {
        self.evaluate(mbean, work).unwrap_or(false) && !work.is_over()
    }

    /// None if something cannot be compared.
    fn evaluate(&self, mbean: &dyn Mbean, work: &mut Work) -> Option<bool> {
        work.take(1)?;
        Some(match self {
            Query::And(left, right) => left.evaluate(mbean, work)? && right.evaluate(mbean, work)?,
            Query::Or(left, right) => left.evaluate(mbean, work)? || right.evaluate(mbean, work)?,
            Query::Not(inner) => !inner.evaluate(mbean, work)?,
            Query::Relation(relation, left, right) => {
                compare(*relation, &left.evaluate(mbean, work)?, &right.evaluate(mbean, work)?)?
            }
            Query::Between(value, low, high) => {
                let value = value.evaluate(mbean, work)?;
                compare(Relation::GreaterOrEqual, &value, &low.evaluate(mbean, work)?)?
                    && compare(Relation::LessOrEqual, &value, &high.evaluate(mbean, work)?)?
            }
            Query::In(value, list) => {
                let value = value.evaluate(mbean, work)?;
                list.iter().any(|one| {
                    let one = one.evaluate(mbean, work);
                    one.and_then(|one| compare(Relation::Equal, &value, &one)) == Some(true)
                })
            }
            Query::Match(value, pattern) => match value.evaluate(mbean, work)? {
                Known::Text(text) => pattern.matches_within(&text, work)?,
                _ => false,
            },
            Query::InstanceOf(class) => mbean.is_instance_of(class),
            Query::Name(name) if name.is_pattern() => {
                work.take(NAME)?;
                name.matches(mbean.name())
            }
            Query::Name(name) => name == mbean.name(),
        })
    }
}

impl Operand {
    fn evaluate(&self, mbean: &dyn Mbean, work: &mut Work) -> Option<Known> {
        work.take(1)?;
        let known = match self {
            Operand::Attribute(name) => Known::of(&mbean.attribute(name)?)?,
            Operand::Qualified { class, attribute } if mbean.class_name() == class => {
                Known::of(&mbean.attribute(attribute)?)?
            }
            Operand::Qualified { .. } => return None,
            Operand::Class => Known::Text(mbean.class_name().to_owned()),
            Operand::String(text) => Known::Text(text.clone()),
            Operand::Boolean(truth) => Known::Truth(*truth),
            Operand::Whole(number) => Known::Whole(*number),
            Operand::Fraction(number) => Known::Fraction(*number),
            Operand::Operation(arithmetic, left, right) => {
                calculate(*arithmetic, left.evaluate(mbean, work)?, right.evaluate(mbean, work)?)?
            }
        };
        if let Known::Text(text) = &known {
            work.take(text.len())?;
        }
        Some(known)
    }
}

impl Known {
    fn of(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Boolean(truth) => Known::Truth(*truth),
            Value::Byte(number) => Known::Whole((*number).into()),
            Value::Short(number) => Known::Whole((*number).into()),
            Value::Integer(number) => Known::Whole((*number).into()),
            Value::Long(number) => Known::Whole(*number),
            Value::Float(number) => Known::Fraction((*number).into()),
            Value::Double(number) => Known::Fraction(*number),
            Value::BigInteger(number) => match number.to_i128()? {
                whole if i64::try_from(whole).is_ok() => Known::Whole(whole as i64),
                large => Known::Fraction(large as f64),
            },
            Value::String(text) => Known::Text(text.clone()),
            Value::Name(name) => Known::Text(name.to_string()),
            _ => return None,
        })
    }

    fn fraction(&self) -> Option<f64> {
        match self {
            Known::Whole(number) => Some(*number as f64),
            Known::Fraction(number) => Some(*number),
            _ => None,
        }
    }
}

fn compare(relation: Relation, left: &Known, right: &Known) -> Option<bool> {
    let order = match (left, right) {
        (Known::Whole(left), Known::Whole(right)) => left.partial_cmp(right),
        (Known::Truth(left), Known::Truth(right)) => left.partial_cmp(right),
        (Known::Text(left), Known::Text(right)) => left.encode_utf16().partial_cmp(right.encode_utf16()),
        _ => left.fraction()?.partial_cmp(&right.fraction()?),
    };
    // NaN is not equal to anything, and neither less nor greater.
    let Some(order) = order else { return Some(false) };
    Some(match relation {
        Relation::Greater => order.is_gt(),
        Relation::Less => order.is_lt(),
        Relation::GreaterOrEqual => order.is_ge(),
        Relation::LessOrEqual => order.is_le(),
        Relation::Equal => order.is_eq(),
    })
}

fn calculate(arithmetic: Arithmetic, left: Known, right: Known) -> Option<Known> {
    if let (Known::Text(left), Known::Text(right), Arithmetic::Plus) = (&left, &right, arithmetic) {
        return (left.len() + right.len() <= TEXT).then(|| Known::Text(format!("{left}{right}")));
    }
    if let (Known::Whole(left), Known::Whole(right)) = (&left, &right) {
        return Some(Known::Whole(match arithmetic {
            Arithmetic::Plus => left.wrapping_add(*right),
            Arithmetic::Minus => left.wrapping_sub(*right),
            Arithmetic::Times => left.wrapping_mul(*right),
            Arithmetic::Divide if *right == 0 => return None,
            Arithmetic::Divide => left.wrapping_div(*right),
        }));
    }
    let (left, right) = (left.fraction()?, right.fraction()?);
    Some(Known::Fraction(match arithmetic {
        Arithmetic::Plus => left + right,
        Arithmetic::Minus => left - right,
        Arithmetic::Times => left * right,
        Arithmetic::Divide => left / right,
    }))
}

/// What the comparison of a name with a pattern counts for.
const NAME: usize = 1_000;
/// The longest text that a query makes of others, in octets.
const TEXT: usize = 1 << 16;
