//! Conditions on MBeans as text, for queries that the server evaluates: `Used > 1000 AND NOT (Type = 'HEAP' OR Name LIKE 'G1*')`.

use std::collections::BTreeSet;

use trunkline_jmx::model::{Operand, Query, Relation};

/// Why a text is not a condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the condition is wrong at {at:?}: expected {expected}")]
pub struct FilterError {
    /// The rest of the text, from where it is wrong.
    pub at: String,
    /// What was expected.
    pub expected: &'static str,
}

/// The query that a condition means: `AND`, `OR`, `NOT`, parentheses; `=`, `!=`, `<`, `<=`, `>`, `>=`, `BETWEEN a AND b`, `IN (a, b)` and
/// `LIKE 'a*b?'` between attributes, numbers, texts in quotes, `true` and `false`.
///
/// # Errors
/// [`FilterError`], with the place.
pub fn parse(text: &str) -> Result<Query, FilterError> {
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(trimmed);
    let mut parser = Parser { rest: inner.trim_start(), depth: 0 };
    let query = parser.any()?;
    if parser.rest.is_empty() { Ok(query) } else { Err(parser.wrong("AND, OR or the end")) }
}

/// The attributes that a condition compares.
#[must_use]
pub fn attributes(query: &Query) -> BTreeSet<String> {
    fn operand(of: &Operand, found: &mut BTreeSet<String>) {
        match of {
            Operand::Attribute(name) | Operand::Qualified { attribute: name, .. } => {
                found.insert(name.clone());
            }
            Operand::Operation(_, one, other) => [one, other].into_iter().for_each(|of| operand(of, found)),
            _ => {}
        }
    }
    fn add(query: &Query, found: &mut BTreeSet<String>) {
        match query {
            Query::And(one, other) | Query::Or(one, other) => {
                [one, other].into_iter().for_each(|of| add(of, found));
            }
            Query::Not(one) => add(one, found),
            Query::Relation(_, one, other) => [one, other].into_iter().for_each(|of| operand(of, found)),
            Query::Between(one, least, most) => {
                [one, least, most].into_iter().for_each(|of| operand(of, found));
            }
            Query::In(one, list) => std::iter::once(one).chain(list).for_each(|of| operand(of, found)),
            Query::Match(one, _) => operand(one, found),
            Query::InstanceOf(_) | Query::Name(_) => {}
        }
    }
    let mut found = BTreeSet::new();
    add(query, &mut found);
    found
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn wrong(&self, expected: &'static str) -> FilterError {
        FilterError { at: self.rest.chars().take(40).collect(), expected }
    }

    /// Takes a word if it is next.
    fn word(&mut self, word: &str) -> bool {
        let is_next = self.rest.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
            && !self.rest[word.len()..].starts_with(is_of_name);
        if is_next {
            self.skip(word.len());
        }
        is_next
    }

    /// Takes a mark if it is next.
    fn mark(&mut self, mark: &str) -> bool {
        let is_next = self.rest.starts_with(mark);
        if is_next {
            self.skip(mark.len());
        }
        is_next
    }

    fn skip(&mut self, octets: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(octets);
        self.rest = rest.trim_start();
        taken
    }

    fn any(&mut self) -> Result<Query, FilterError> {
        let mut query = self.all()?;
        while self.word("OR") {
            query = Query::Or(Box::new(query), Box::new(self.all()?));
        }
        Ok(query)
    }

    fn all(&mut self) -> Result<Query, FilterError> {
        let mut query = self.one()?;
        while self.word("AND") {
            query = Query::And(Box::new(query), Box::new(self.one()?));
        }
        Ok(query)
    }

    fn one(&mut self) -> Result<Query, FilterError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("fewer parentheses"));
        }
        let query = if self.word("NOT") {
            Query::Not(Box::new(self.one()?))
        } else if self.mark("(") {
            let query = self.any()?;
            if !self.mark(")") {
                return Err(self.wrong("`)`"));
            }
            query
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(query)
    }

    fn comparison(&mut self) -> Result<Query, FilterError> {
        let left = self.operand()?;
        let is_not = self.word("NOT");
        let query = if self.word("LIKE") {
            match self.operand()? {
                Operand::String(pattern) => Query::Match(left, pattern.into()),
                _ => return Err(self.wrong("a text in quotes after LIKE")),
            }
        } else if self.word("BETWEEN") {
            let least = self.operand()?;
            if !self.word("AND") {
                return Err(self.wrong("AND, as in BETWEEN 1 AND 5"));
            }
            Query::Between(left, least, self.operand()?)
        } else if self.word("IN") {
            if !self.mark("(") {
                return Err(self.wrong("`(`, as in IN (1, 2)"));
            }
            let mut values = vec![self.operand()?];
            while self.mark(",") {
                values.push(self.operand()?);
            }
            if !self.mark(")") {
                return Err(self.wrong("`,` or `)`"));
            }
            Query::In(left, values)
        } else if is_not {
            return Err(self.wrong("LIKE, BETWEEN or IN"));
        } else {
            return self.relation(left);
        };
        Ok(if is_not { Query::Not(Box::new(query)) } else { query })
    }

    fn relation(&mut self, left: Operand) -> Result<Query, FilterError> {
        const MARKS: [(&str, Option<Relation>); 8] = [
            ("<=", Some(Relation::LessOrEqual)),
            (">=", Some(Relation::GreaterOrEqual)),
            ("!=", None),
            ("<>", None),
            ("==", Some(Relation::Equal)),
            ("=", Some(Relation::Equal)),
            ("<", Some(Relation::Less)),
            (">", Some(Relation::Greater)),
        ];
        for (mark, relation) in MARKS {
            if self.mark(mark) {
                let right = self.operand()?;
                return Ok(match relation {
                    Some(relation) => Query::Relation(relation, left, right),
                    None => Query::Not(Box::new(Query::Relation(Relation::Equal, left, right))),
                });
            }
        }
        Err(self.wrong("=, !=, <, <=, >, >=, LIKE, BETWEEN or IN"))
    }

    /// A text in quotes; two of them within it are one.
    fn quoted(&mut self, quote: char) -> Result<String, FilterError> {
        let begin = self.rest;
        let mut text = String::new();
        let mut rest = &begin[1..];
        loop {
            let Some((piece, after)) = rest.split_once(quote) else {
                return Err(self.wrong("the end of a text in quotes"));
            };
            text.push_str(piece);
            let Some(more) = after.strip_prefix(quote) else {
                self.skip(begin.len() - after.len());
                return Ok(text);
            };
            text.push(quote);
            rest = more;
        }
    }

    fn operand(&mut self) -> Result<Operand, FilterError> {
        if let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            return self.quoted(quote).map(Operand::String);
        }
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
        let begins = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+');
        if self.rest.starts_with(begins) {
            let end = self.rest.find(|c| !is_number(c)).unwrap_or(self.rest.len());
            let wrong = self.wrong("a number");
            let text = self.skip(end);
            return match (text.parse(), text.parse()) {
                (Ok(whole), _) => Ok(Operand::Whole(whole)),
                (_, Ok(fraction)) => Ok(Operand::Fraction(fraction)),
                _ => Err(wrong),
            };
        }
        let end = self.rest.find(|c| !is_of_name(c)).unwrap_or(self.rest.len());
        match self.rest.get(..end).unwrap_or_default() {
            "" => Err(self.wrong("an attribute, a number or a text in quotes")),
            _ => Ok(match self.skip(end) {
                "true" => Operand::Boolean(true),
                "false" => Operand::Boolean(false),
                attribute => Operand::Attribute(attribute.to_owned()),
            }),
        }
    }
}

/// Whether a character may be in the name of an attribute without quotes.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '$')
}

/// The deepest nesting.
const DEEPEST: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn attribute(name: &str) -> Operand {
        Operand::Attribute(name.to_owned())
    }

    fn equal(name: &str, value: i64) -> Query {
        Query::Relation(Relation::Equal, attribute(name), Operand::Whole(value))
    }

    #[test]
    fn attributes_of_conditions() {
        let query = parse("A > 1 AND NOT (B.c LIKE 'x*' OR C IN (1, 2)) AND D BETWEEN 1 AND 2").unwrap();
        assert_eq!(attributes(&query).into_iter().collect::<Vec<_>>(), ["A", "B.c", "C", "D"]);
    }

    #[test]
    fn conditions_become_queries() {
        let and = |a, b| Query::And(Box::new(a), Box::new(b));
        let or = |a, b| Query::Or(Box::new(a), Box::new(b));
        let not = |a| Query::Not(Box::new(a));
        let of = |text: &str| Operand::String(text.to_owned());
        let is = |name: &str, text: &str| Query::Relation(Relation::Equal, attribute(name), of(text));
        for (text, expected) in [
            ("{A = 1}", equal("A", 1)),
            ("A=1 or B=2 and C=3", or(equal("A", 1), and(equal("B", 2), equal("C", 3)))),
            ("(A=1 OR B=2) AND NOT C == 3", and(or(equal("A", 1), equal("B", 2)), not(equal("C", 3)))),
            ("A != 1", not(equal("A", 1))),
            (
                "A.b >= -1.5",
                Query::Relation(Relation::GreaterOrEqual, attribute("A.b"), Operand::Fraction(-1.5)),
            ),
            ("A LIKE 'x*'", Query::Match(attribute("A"), "x*".to_owned().into())),
            ("A NOT LIKE \"x\"", not(Query::Match(attribute("A"), "x".to_owned().into()))),
            (
                "A BETWEEN 1 AND 2 AND B = 3",
                and(Query::Between(attribute("A"), Operand::Whole(1), Operand::Whole(2)), equal("B", 3)),
            ),
            ("A IN ('x', 'y')", Query::In(attribute("A"), vec![of("x"), of("y")])),
            ("A = 'it''s'", is("A", "it's")),
            ("A = '''' OR B = ''", or(is("A", "'"), is("B", ""))),
            (r#"A = "a""b'c""#, is("A", "a\"b'c")),
            ("Valid = true", Query::Relation(Relation::Equal, attribute("Valid"), Operand::Boolean(true))),
            ("ORder = 1", equal("ORder", 1)),
        ] {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn mistakes_have_a_place() {
        for (text, at, expected) in [
            ("", "", "an attribute"),
            ("A", "", "="),
            ("A = ", "", "an attribute"),
            ("A = 'x", "'x", "the end of a text"),
            ("A = 'x''", "'x''", "the end of a text"),
            ("(A = 1", "", "`)`"),
            ("A = 1 B", "B", "AND, OR or the end"),
            ("A LIKE 5", "", "a text in quotes"),
            ("A IN 5", "5", "`(`"),
            ("A = 1e", "1e", "a number"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.at, at, "{text}");
            assert!(error.expected.starts_with(expected), "{text}: {error}");
        }
        assert!(parse(&"(".repeat(10_000)).is_err() && parse(&"NOT ".repeat(10_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[ -~é(){}'\"]{0,40}") {
            let _ = parse(&text);
        }
    }
}
