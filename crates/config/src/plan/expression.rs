//! The expression of a `[[monitor]]`: one or two objects, their rates or differences, numbers, and
//! `+ - * / ( )` with their usual precedence.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = factor { ("*" | "/") factor }
//! factor  = "-" factor | "(" sum ")" | number | OID | ("rate" | "delta") "(" OID ")"
//! ```
//!
//! An OID has two dots at least, or a dot in front: `1.3` is a number, `.1.3` an object.

use std::ops::Range;

use trunkline_smi::Oid;

/// An expression that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A constant.
    Number(f64),
    /// Something of an object.
    Sample(Sample),
    /// The opposite.
    Negative(Box<Expression>),
    /// Two operands.
    Binary {
        /// The arithmetic.
        operator: Operator,
        /// The left one.
        left: Box<Expression>,
        /// The right one.
        right: Box<Expression>,
    },
}

/// Something of an object instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sample {
    /// The instance.
    pub oid: Oid,
    /// What of it.
    pub of: SampleOf,
}

/// How an object is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleOf {
    /// Its value.
    Value,
    /// How much it has grown in each second since the last sample.
    Rate,
    /// How much it has grown since the last sample.
    Delta,
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient.
    Divide,
}

/// Why a text is not an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The octets of the text that are wrong; empty at its end.
    pub at: Range<usize>,
    /// What was found and expected.
    pub message: String,
}

/// The deepest nesting of parentheses and signs.
const MAX_DEPTH: usize = 32;

/// The most objects in one expression.
const MAX_OBJECTS: usize = 2;

impl Expression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let expression = parser.sum()?;
        parser.skip_space();
        if parser.at < text.len() {
            return Err(parser.unexpected("an operator or the end"));
        }
        let whole = |message: &str| ExpressionError { at: 0..text.len(), message: message.into() };
        match expression.objects().len() {
            0 => Err(whole("expected an object in it, since a constant never changes")),
            1..=MAX_OBJECTS => Ok(expression),
            _ => Err(whole("expected one or two objects in it")),
        }
    }

    /// The instances in the expression, each once.
    pub fn objects(&self) -> Vec<&Oid> {
        let mut objects = Vec::new();
        for sample in self.samples() {
            if !objects.contains(&&sample.oid) {
                objects.push(&sample.oid);
            }
        }
        objects
    }

    /// How they are used, from left to right.
    pub fn samples(&self) -> Vec<&Sample> {
        match self {
            Expression::Number(_) => Vec::new(),
            Expression::Sample(sample) => vec![sample],
            Expression::Negative(inner) => inner.samples(),
            Expression::Binary { left, right, .. } => {
                left.samples().into_iter().chain(right.samples()).collect()
            }
        }
    }

    /// Its value, if every sample has one and nothing is divided by nothing.
    pub fn evaluate(&self, sample: &impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
        let value = match self {
            Expression::Number(number) => *number,
            Expression::Sample(wanted) => sample(wanted)?,
            Expression::Negative(inner) => -inner.evaluate(sample)?,
            Expression::Binary { operator, left, right } => {
                let (left, right) = (left.evaluate(sample)?, right.evaluate(sample)?);
                match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Divide => left / right,
                }
            }
        };
        value.is_finite().then_some(value)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<Expression, ExpressionError> {
        let mut left = self.product()?;
        while let Some(operator) = self.operator(&[('+', Operator::Add), ('-', Operator::Subtract)]) {
            left = binary(operator, left, self.product()?);
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expression, ExpressionError> {
        let mut left = self.factor()?;
        while let Some(operator) = self.operator(&[('*', Operator::Multiply), ('/', Operator::Divide)]) {
            left = binary(operator, left, self.factor()?);
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Expression, ExpressionError> {
        self.skip_space();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let at = self.at..self.at + 1;
            return Err(ExpressionError { at, message: format!("nested deeper than {MAX_DEPTH}") });
        }
        let factor = match self.peek() {
            Some('-') => {
                self.at += 1;
                Expression::Negative(Box::new(self.factor()?))
            }
            Some('(') => {
                self.at += 1;
                let inner = self.sum()?;
                self.expect(')')?;
                inner
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number_or_oid()?,
            Some(c) if c.is_ascii_alphabetic() => self.function()?,
            _ => return Err(self.unexpected("a number, an object identifier, rate(...), delta(...) or (")),
        };
        self.depth -= 1;
        Ok(factor)
    }

    fn function(&mut self) -> Result<Expression, ExpressionError> {
        let start = self.at;
        let of = match self.take(|c| c.is_ascii_alphanumeric() || c == '-') {
            "rate" => SampleOf::Rate,
            "delta" => SampleOf::Delta,
            other => {
                let message = format!(
                    "unknown name {other:?}, expected rate, delta or an object identifier in numbers"
                );
                return Err(ExpressionError { at: start..self.at, message });
            }
        };
        self.expect('(')?;
        self.skip_space();
        let start = self.at;
        let text = self.take(|c| c.is_ascii_digit() || c == '.');
        if text.is_empty() {
            return Err(self.unexpected("an object identifier"));
        }
        let oid = instance(text, start)?;
        self.expect(')')?;
        Ok(Expression::Sample(Sample { oid, of }))
    }

    fn number_or_oid(&mut self) -> Result<Expression, ExpressionError> {
        let start = self.at;
        let text = self.take(|c| c.is_ascii_digit() || c == '.');
        if text.starts_with('.') || text.matches('.').count() > 1 {
            return Ok(Expression::Sample(Sample { oid: instance(text, start)?, of: SampleOf::Value }));
        }
        let number = text.parse().ok().filter(|_| !text.ends_with('.'));
        let at = start..start + text.len();
        number
            .map(Expression::Number)
            .ok_or(ExpressionError { at, message: format!("{text:?} is not a number") })
    }

    fn operator(&mut self, known: &[(char, Operator)]) -> Option<Operator> {
        self.skip_space();
        let found = self.peek()?;
        let (_, operator) = known.iter().find(|(sign, _)| *sign == found)?;
        self.at += 1;
        Some(*operator)
    }

    fn expect(&mut self, sign: char) -> Result<(), ExpressionError> {
        self.skip_space();
        if self.peek() != Some(sign) {
            return Err(self.unexpected(&format!("{sign:?}")));
        }
        self.at += sign.len_utf8();
        Ok(())
    }

    fn unexpected(&self, expected: &str) -> ExpressionError {
        let (length, found) = match self.peek() {
            Some(c) => (c.len_utf8(), format!("{c:?}")),
            None => (0, "the end".into()),
        };
        ExpressionError {
            at: self.at..self.at + length,
            message: format!("found {found}, expected {expected}"),
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &str {
        let rest = &self.text[self.at..];
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }
}

fn instance(text: &str, start: usize) -> Result<Oid, ExpressionError> {
    let at = start..start + text.len();
    text.parse()
        .map_err(|error| ExpressionError { at, message: format!("{text:?} is not an object: {error}") })
}

fn binary(operator: Operator, left: Expression, right: Expression) -> Expression {
    Expression::Binary { operator, left: Box::new(left), right: Box::new(right) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<f64> {
        let expression = Expression::parse(text).unwrap();
        expression.evaluate(&|sample| match (sample.oid.last(), sample.of) {
            (Some(1), SampleOf::Value) => Some(300.0),
            (Some(1), SampleOf::Rate) => Some(2.5),
            (Some(1), SampleOf::Delta) => Some(25.0),
            (Some(2), SampleOf::Value) => Some(0.0),
            _ => None,
        })
    }

    #[test]
    fn precedence_is_as_usual() {
        assert_eq!(value("1.3.6.1 / 100"), Some(3.0));
        assert_eq!(value("2 + 3 * 1.3.6.1 - 1"), Some(901.0));
        assert_eq!(value("(2+3)*.1.3.1"), Some(1500.0));
        assert_eq!(value("10 - 5 - 1 - 0*.1.1"), Some(4.0));
        assert_eq!(value("--1.3.6.1"), Some(300.0));
        assert_eq!(value("8 * rate( 1.3.6.1 ) + delta(1.3.6.1)"), Some(45.0));
        assert_eq!(value("0.5 * -1.3.6.1"), Some(-150.0));
    }

    #[test]
    fn unknown_operands_give_no_value() {
        assert_eq!(value("1.3.6.1 / 1.3.6.2"), None);
        assert_eq!(value("1.3.6.1 + 1.3.6.3"), None);
    }

    #[test]
    fn errors_point_at_the_character() {
        for (text, at, word) in [
            ("", 0..0, "the end"),
            ("1.3.6.1 +", 9..9, "the end"),
            ("1.3.6.1 ) 2", 8..9, "operator"),
            ("(1.3.6.1 / 2", 12..12, "')'"),
            ("speed(1.3.6.1)", 0..5, "rate"),
            ("rate 1.3.6.1", 5..6, "'('"),
            ("rate(x)", 5..6, "identifier"),
            ("1.3.6..1 > 2", 0..8, "not an object"),
            ("1.3.6.1 > 2", 8..9, "'>'"),
            ("1.3.6.1 + 2.", 10..12, "not a number"),
            ("2 * 3", 0..5, "never change"),
            ("1.3.6.1 + 1.3.6.2 + 1.3.6.3", 0..27, "one or two"),
            ("1.3.6.4294967296", 0..16, "not an object"),
            ("1.3.6.1 ×2", 8..10, "'×'"),
        ] {
            let error = Expression::parse(text).unwrap_err();
            assert_eq!(error.at, at, "{text}: {}", error.message);
            assert!(error.message.contains(word), "{text}: {}", error.message);
        }
        let deep = "(".repeat(1000) + "1.3.6.1";
        assert!(Expression::parse(&deep).unwrap_err().message.contains("deeper"));
        let two = Expression::parse("rate(1.3.6.1) / rate(1.3.6.2) + 1.3.6.1").unwrap();
        assert_eq!((two.objects().len(), two.samples().len()), (2, 3));
    }
}
