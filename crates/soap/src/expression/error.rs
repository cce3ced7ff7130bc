//! What is wrong with an expression, and at which character.

use std::fmt;

use unicode_width::UnicodeWidthChar;

/// Which of the expressions it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `{start, min, max, pattern}`.
    Path,
    /// `{name, name[rows]}`.
    Data,
    /// `{name = value AND ...}`.
    Filter,
}

/// An expression that cannot be read or means nothing here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// Which expression.
    pub kind: Kind,
    /// The expression, as much of it as is needed to show the place.
    pub text: String,
    /// The octet of `text` at which it is wrong; at its end where something is missing.
    pub at: usize,
    /// What is wrong.
    pub problem: Box<Problem>,
}

/// What can be wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Something else was expected here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A character that has no place in these expressions.
    #[error("the character {found:?} has no meaning here")]
    Character {
        /// The character.
        found: char,
    },
    /// A text in quotes that does not end.
    #[error("this quote is not closed")]
    OpenQuote,
    /// A number that no value can be.
    #[error("{found} is too large: a number is at most {most}")]
    TooLarge {
        /// The number.
        found: String,
        /// Its maximum.
        most: u64,
    },
    /// Too long, too many or too deep.
    #[error("{what}: at most {most}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        most: usize,
    },
    /// A bracket or a range in which nothing can be.
    #[error("no row is in [{rows}]")]
    Nothing {
        /// The rows.
        rows: String,
    },
    /// A range of levels in which nothing can be.
    #[error("no level is at least {least} and at most {greatest}")]
    NoLevel {
        /// The least.
        least: u32,
        /// The greatest.
        greatest: u32,
    },
    /// A service or a relation that is not there.
    #[error(transparent)]
    Unselectable(#[from] trunkline_query::services::Unselectable),
    /// A name that no module has, or none of the selected services.
    #[error("no module has an object {name:?}{}", meant(.nearest))]
    UnknownName {
        /// The name.
        name: String,
        /// Names like it.
        nearest: Vec<String>,
    },
    /// An object that the selected services do not hold.
    #[error("none of the selected services has {name}; they are {services}")]
    NotHeld {
        /// The name.
        name: String,
        /// The services.
        services: String,
    },
    /// Brackets after something without rows.
    #[error("{name} is single-instance data: it has no rows to choose from")]
    NoRows {
        /// The name.
        name: String,
    },
    /// An object that the operation does not see.
    #[error("{name} is {what}: this operation only returns {sees}")]
    NotInView {
        /// The name.
        name: String,
        /// Single-instance data or part of a table.
        what: &'static str,
        /// What the operation sees.
        sees: &'static str,
    },
    /// A table where a value is needed.
    #[error("{name} is a table: a filter compares its columns, as in {example}")]
    NoColumn {
        /// The name.
        name: String,
        /// One of its columns.
        example: String,
    },
    /// Something that cannot be compared so.
    #[error(transparent)]
    Mistake(#[from] trunkline_query::Mistake),
    /// An unknown word in place of a value.
    #[error("{word} is not a value of {column}: write a number, or give {word} a value, as in {word}=1000")]
    Unbound {
        /// The word.
        word: String,
        /// What is compared.
        column: String,
    },
}

fn meant(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

impl Kind {
    /// As text.
    pub const fn words(self) -> &'static str {
        match self {
            Kind::Path => "path selection",
            Kind::Data => "data selection",
            Kind::Filter => "filter",
        }
    }
}

impl ExpressionError {
    pub(crate) fn new(kind: Kind, text: &str, at: usize, problem: Problem) -> Self {
        let mut end = text.len().min(super::MAX_OCTETS);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut at = at.min(end);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        ExpressionError { kind, text: text[..end].to_owned(), at, problem: Box::new(problem) }
    }

    /// The character, counted from 1.
    pub fn character(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    /// The line of the expression with a caret under the character: two lines.
    pub fn pointed(&self) -> String {
        const BEFORE: usize = 56;
        const BEHIND: usize = 28;
        let start = self.text[..self.at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = self.text[self.at..].find('\n').map_or(self.text.len(), |newline| self.at + newline);
        let printable = |c: char| if c.is_control() { ' ' } else { c };
        let before: Vec<char> = self.text[start..self.at].chars().map(printable).collect();
        let behind: Vec<char> = self.text[self.at..end].chars().map(printable).collect();
        let (cut, dots) = if before.len() > BEFORE { (before.len() - BEFORE, "...") } else { (0, "") };
        let tail = if behind.len() > BEHIND { "..." } else { "" };
        let shown: String = before[cut..].iter().chain(behind.iter().take(BEHIND)).collect();
        let columns: usize = before[cut..].iter().filter_map(|c| c.width()).sum();
        let blanks = " ".repeat(dots.len() + columns);
        format!("  {dots}{shown}{tail}\n  {blanks}^")
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, character {}: {}", self.kind.words(), self.character(), self.problem)
    }
}

impl std::error::Error for ExpressionError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_is_under_the_character() {
        let error = ExpressionError::new(Kind::Filter, "a = 1 AND\nä < !", 15, Problem::OpenQuote);
        assert_eq!(error.pointed(), "  ä < !\n      ^");
        assert_eq!(error.to_string(), "filter, character 15: this quote is not closed");
        // Wide characters take two columns, combining characters none.
        let error = ExpressionError::new(Kind::Filter, "日本 e\u{301} !", 11, Problem::OpenQuote);
        assert_eq!(error.pointed(), "  日本 e\u{301} !\n         ^");
        let long = format!("{}!{}", "x".repeat(100), "y".repeat(100));
        let error = ExpressionError::new(Kind::Filter, &long, 100, Problem::OpenQuote);
        let pointed = error.pointed();
        let (text, caret) = pointed.split_once('\n').expect("two lines");
        assert_eq!(text.find('!'), caret.find('^'));
        assert!(text.len() < 100);
    }

    #[test]
    fn a_position_within_a_character_or_after_the_end_is_shown_too() {
        for at in 0..10 {
            let error = ExpressionError::new(Kind::Path, "ää", at, Problem::OpenQuote);
            assert!(error.pointed().contains('^'));
        }
    }
}
