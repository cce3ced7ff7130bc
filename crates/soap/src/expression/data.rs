//! Data selection (D7.1, expressions (12), (14) and (15)):
//!
//! ```text
//! data = "{" item *("," item) "}"
//! item = identifier [ "[" rows "]" ]
//! rows = [ integer | integer "-" integer | integer order letter order integer ]
//! ```

use std::fmt;

use trunkline_query::Comparison;
use trunkline_query::services::Name;

use super::MAX_ITEMS;
use super::error::{ExpressionError, Kind, Problem};
use super::reader::Reader;
use super::token::What;

/// What is wanted of the selected services.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSelection {
    /// One at least.
    pub items: Vec<DataItem>,
}

/// One name of a data selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataItem {
    /// A scalar, a table, its entry or one of its columns.
    pub name: Name,
    /// Which rows; `None` without brackets.
    pub rows: Option<Rows>,
}

/// Which rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// `[]`.
    All,
    /// `[n]`.
    One(u64),
    /// `[a-b]`, both ends included.
    Range(u64, u64),
    /// `[3<x<10]`.
    Bounded(Bound),
}

/// The bounded form: the parts to the left and right of the letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The number before.
    pub left: u64,
    /// How it compares to the letter: less, greater, or equal as well.
    pub left_is: Comparison,
    /// The letter.
    pub letter: String,
    /// How the letter compares to the number after it.
    pub letter_is: Comparison,
    /// The number after the letter.
    pub right: u64,
}

pub(super) fn parse(text: &str) -> Result<DataSelection, ExpressionError> {
    let mut reader = Reader::open(Kind::Data, text)?;
    let mut items = Vec::new();
    loop {
        if items.len() >= MAX_ITEMS {
            return Err(reader.limit("too many names", MAX_ITEMS));
        }
        let name = reader.word("the name of an object")?;
        items.push(DataItem { name, rows: rows(&mut reader)? });
        if !reader.take(',') {
            break;
        }
    }
    reader.close("`[`, `,` or `}`")?;
    Ok(DataSelection { items })
}

/// The brackets, if they are next.
pub(super) fn rows(reader: &mut Reader<'_>) -> Result<Option<Rows>, ExpressionError> {
    let at = reader.place();
    if !reader.take('[') {
        return Ok(None);
    }
    if reader.take(']') {
        return Ok(Some(Rows::All));
    }
    let first = reader.integer("a row, or `]` for all")?;
    let (rows, expected) = match order(reader.peek()) {
        Some(left_is) => {
            reader.step();
            let letter = letter(reader)?;
            let letter_is = order(reader.peek());
            let letter_is = letter_is.ok_or_else(|| reader.expected("`<` or `>` after the letter"))?;
            reader.step();
            let right = reader.integer("the other bound")?;
            (Rows::Bounded(Bound { left: first, left_is, letter, letter_is, right }), "`]`")
        }
        None if reader.take('-') => (Rows::Range(first, reader.integer("the last row")?), "`]`"),
        None => (Rows::One(first), "`]`, `-`, `<` or `>`"),
    };
    reader.need(']', expected)?;
    if rows.ends().is_none() {
        let problem = Problem::Nothing { rows: rows.to_string() };
        return Err(ExpressionError::new(reader.kind, reader.text, at, problem));
    }
    Ok(Some(rows))
}

fn letter(reader: &mut Reader<'_>) -> Result<String, ExpressionError> {
    const EXPECTED: &str = "a letter, as in [3<x<10]";
    if reader.lexeme().chars().count() > 1 {
        return Err(reader.expected(EXPECTED));
    }
    Ok(reader.word(EXPECTED)?.text)
}

fn order(next: &What) -> Option<Comparison> {
    Some(match next {
        What::Sign('<') => Comparison::Less,
        What::Sign('>') => Comparison::Greater,
        What::Sign('l') => Comparison::LessOrEqual,
        What::Sign('g') => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

impl Rows {
    /// The first row and the last, both included; `None` if the range is empty.
    pub fn ends(&self) -> Option<(u64, u64)> {
        let (low, high) = match self {
            Rows::All => (0, u64::MAX),
            Rows::One(row) => (*row, *row),
            Rows::Range(first, last) => (*first, *last),
            Rows::Bounded(bound) => {
                // 10 > x is x < 10.
                let turned = match bound.left_is {
                    Comparison::Less => Comparison::Greater,
                    Comparison::LessOrEqual => Comparison::GreaterOrEqual,
                    Comparison::Greater => Comparison::Less,
                    _ => Comparison::LessOrEqual,
                };
                let (a, b) = (limits(turned, bound.left)?, limits(bound.letter_is, bound.right)?);
                (a.0.max(b.0), a.1.min(b.1))
            }
        };
        (low <= high).then_some((low, high))
    }
}

/// The numbers that compare so to this one.
fn limits(comparison: Comparison, number: u64) -> Option<(u64, u64)> {
    Some(match comparison {
        Comparison::Less => (0, number.checked_sub(1)?),
        Comparison::LessOrEqual => (0, number),
        Comparison::Greater => (number.checked_add(1)?, u64::MAX),
        _ => (number, u64::MAX),
    })
}

impl fmt::Display for DataSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (position, item) in self.items.iter().enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(f, "{comma}{item}")?;
        }
        f.write_str("}")
    }
}

impl fmt::Display for DataItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.text)?;
        self.rows.as_ref().map_or(Ok(()), |rows| write!(f, "[{rows}]"))
    }
}

impl fmt::Display for Rows {
    /// Without the brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rows::All => Ok(()),
            Rows::One(row) => write!(f, "{row}"),
            Rows::Range(first, last) => write!(f, "{first}-{last}"),
            Rows::Bounded(Bound { left, left_is, letter, letter_is, right }) => {
                write!(f, "{left}{}{letter}{}{right}", left_is.symbol(), letter_is.symbol())
            }
        }
    }
}
