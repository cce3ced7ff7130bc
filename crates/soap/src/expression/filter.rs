//! Filters (D7.1, expressions (16) and (17)):
//!
//! ```text
//! filter  = "{" any "}"
//! any     = all *("OR" all)
//! all     = single *("AND" single)
//! single  = "NOT" single | "(" any ")" | identifier [ "[" rows "]" ] relation value
//! relation = "=" | "!=" | "<>" | "<" | "<=" | ">" | ">="
//! value   = [ "-" ] integer | integer *("." integer) | quoted text | word
//! ```

use std::fmt;

use trunkline_query::Comparison;
use trunkline_query::services::{Name, quoted};

use super::data::{Rows, rows};
use super::error::{ExpressionError, Kind};
use super::reader::Reader;
use super::token::What;
use super::{MAX_DEPTH, MAX_TERMS};

/// What rows must be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// All of these, two at least.
    And(Vec<Filter>),
    /// One of these, two at least.
    Or(Vec<Filter>),
    /// Not this.
    Not(Box<Filter>),
    /// A comparison.
    Compare(Term),
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// A column or a scalar.
    pub object: Name,
    /// Rows of which alone it holds.
    pub rows: Option<Rows>,
    /// How they are compared.
    pub comparison: Comparison,
    /// The other operand.
    pub value: Value,
    /// The octet of the expression at which the value begins.
    pub value_at: Place,
}

/// A position in the text, which is ignored when two expressions are compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place(pub usize);

impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Place {}

/// The other operand of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Integer(i128),
    /// A text in quotes.
    Text(String),
    /// Numbers with full stops: an address or an object identifier.
    Dotted(String),
    /// A word: a named number of the object's, a text, or a name to which the request gives a value.
    Word(String),
}

pub(super) fn parse(text: &str) -> Result<Filter, ExpressionError> {
    let mut reader = Reader::open(Kind::Filter, text)?;
    let filter = any(&mut reader, &mut 0, 0)?;
    reader.close("AND, OR or the end")?;
    Ok(filter)
}

fn any(reader: &mut Reader<'_>, terms: &mut usize, depth: usize) -> Result<Filter, ExpressionError> {
    if depth > MAX_DEPTH {
        return Err(reader.limit("parentheses and NOT are nested too deep", MAX_DEPTH));
    }
    let mut list = vec![all(reader, terms, depth)?];
    while reader.is_word("OR") {
        reader.step();
        list.push(all(reader, terms, depth)?);
    }
    Ok(if list.len() == 1 { list.remove(0) } else { Filter::Or(list) })
}

fn all(reader: &mut Reader<'_>, terms: &mut usize, depth: usize) -> Result<Filter, ExpressionError> {
    let mut list = vec![single(reader, terms, depth)?];
    while reader.is_word("AND") {
        reader.step();
        list.push(single(reader, terms, depth)?);
    }
    Ok(if list.len() == 1 { list.remove(0) } else { Filter::And(list) })
}

fn single(reader: &mut Reader<'_>, terms: &mut usize, depth: usize) -> Result<Filter, ExpressionError> {
    if depth > MAX_DEPTH {
        return Err(reader.limit("parentheses and NOT are nested too deep", MAX_DEPTH));
    }
    if reader.is_word("NOT") {
        reader.step();
        return Ok(Filter::Not(Box::new(single(reader, terms, depth + 1)?)));
    }
    if reader.take('(') {
        let inner = any(reader, terms, depth + 1)?;
        reader.need(')', "AND, OR or `)`")?;
        return Ok(inner);
    }
    *terms += 1;
    if *terms > MAX_TERMS {
        return Err(reader.limit("too many comparisons", MAX_TERMS));
    }
    term(reader).map(Filter::Compare)
}

fn term(reader: &mut Reader<'_>) -> Result<Term, ExpressionError> {
    if reader.is_word("AND") || reader.is_word("OR") {
        return Err(reader.expected("an object to compare, NOT or `(`"));
    }
    let object = reader.word("an object to compare, NOT or `(`")?;
    let rows = rows(reader)?;
    let comparison = match reader.peek() {
        What::Sign('=') => Comparison::Equal,
        What::Sign('n') => Comparison::NotEqual,
        What::Sign('<') => Comparison::Less,
        What::Sign('l') => Comparison::LessOrEqual,
        What::Sign('>') => Comparison::Greater,
        What::Sign('g') => Comparison::GreaterOrEqual,
        _ => return Err(reader.expected("=, !=, <, <=, > or >=")),
    };
    reader.step();
    let value_at = Place(reader.place());
    Ok(Term { object, rows, comparison, value: value(reader)?, value_at })
}

fn value(reader: &mut Reader<'_>) -> Result<Value, ExpressionError> {
    const EXPECTED: &str = "a number, a text in quotes or a word";
    match reader.peek() {
        What::Quoted(text) => {
            let text = text.clone();
            reader.step();
            Ok(Value::Text(text))
        }
        What::Word if !["AND", "OR", "NOT"].iter().any(|word| reader.is_word(word)) => {
            Ok(Value::Word(reader.word(EXPECTED)?.text))
        }
        What::Sign('-') => {
            reader.step();
            Ok(Value::Integer(-i128::from(reader.integer("digits after `-`")?)))
        }
        What::Integer => number(reader),
        _ => Err(reader.expected(EXPECTED)),
    }
}

/// A number, or several with full stops between them.
fn number(reader: &mut Reader<'_>) -> Result<Value, ExpressionError> {
    const MAX_PARTS: usize = 128;
    let first = reader.integer("digits")?;
    let mut dotted = first.to_string();
    let mut parts = 1;
    while *reader.peek() == What::Sign('.') {
        reader.step();
        if *reader.peek() == What::End {
            break; // the full stop after the expression
        }
        parts += 1;
        if parts > MAX_PARTS {
            return Err(reader.limit("too many numbers separated by full stops", MAX_PARTS));
        }
        let part = reader.small_integer("digits after `.`")?;
        dotted.push('.');
        dotted.push_str(&part.to_string());
    }
    Ok(if parts == 1 { Value::Integer(i128::from(first)) } else { Value::Dotted(dotted) })
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}}}", Bare(self))
    }
}

/// Without the braces.
struct Bare<'f>(&'f Filter);

impl fmt::Display for Bare<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (list, word) = match self.0 {
            Filter::Compare(term) => return write!(f, "{term}"),
            Filter::Not(inner) => return write!(f, "NOT {}", Inner(inner)),
            Filter::And(list) => (list, " AND "),
            Filter::Or(list) => (list, " OR "),
        };
        for (position, inner) in list.iter().enumerate() {
            let word = if position > 0 { word } else { "" };
            // AND binds more strongly than OR. Parentheses that nobody needs could nest too deep to be read back.
            match (self.0, inner) {
                (Filter::Or(_), Filter::And(_)) => write!(f, "{word}{}", Bare(inner))?,
                _ => write!(f, "{word}{}", Inner(inner))?,
            }
        }
        Ok(())
    }
}

/// Within another filter: in parentheses if it would otherwise be parsed differently.
struct Inner<'f>(&'f Filter);

impl fmt::Display for Inner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Filter::And(_) | Filter::Or(_) => write!(f, "({})", Bare(self.0)),
            Filter::Not(_) | Filter::Compare(_) => write!(f, "{}", Bare(self.0)),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.object.text)?;
        if let Some(rows) = &self.rows {
            write!(f, "[{rows}]")?;
        }
        write!(f, " {} ", self.comparison.symbol())?;
        match &self.value {
            Value::Integer(number) => write!(f, "{number}"),
            Value::Text(text) => f.write_str(&quoted(text)),
            Value::Dotted(word) | Value::Word(word) => f.write_str(word),
        }
    }
}
