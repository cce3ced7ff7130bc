//! Characters to tokens.

use super::MAX_OCTETS;
use super::error::{ExpressionError, Kind, Problem};

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Letters, digits and `_`, `-` between them, `::` between two names.
    Word,
    /// Digits.
    Integer,
    /// A text in quotes, without them.
    Quoted(String),
    /// One or two characters of punctuation, by the first; `<=` is `l`, `>=` is `g`, `!=` and `<>` are `n`.
    Sign(char),
    /// The end of the expression.
    End,
}

/// A token and its position.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub what: What,
    pub start: usize,
    pub end: usize,
}

/// All tokens of a text, `End` last.
pub(super) fn tokens(kind: Kind, text: &str) -> Result<Vec<Token>, ExpressionError> {
    let wrong = |at, problem| ExpressionError::new(kind, text, at, problem);
    if text.len() > MAX_OCTETS {
        let problem = Problem::Limit { what: "the expression has too many octets", most: MAX_OCTETS };
        return Err(wrong(MAX_OCTETS, problem));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (what, len) = match first {
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            '"' | '\'' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}' => {
                let (quoted, len) = quoted(rest).ok_or_else(|| wrong(at, Problem::OpenQuote))?;
                (What::Quoted(quoted), len)
            }
            _ if first.is_ascii_digit() => (What::Integer, digits(rest)),
            _ if is_inner(first) => (What::Word, word(rest)),
            _ => sign(rest).ok_or_else(|| wrong(at, Problem::Character { found: first }))?,
        };
        tokens.push(Token { what, start: at, end: at + len });
        at += len;
    }
    tokens.push(Token { what: What::End, start: text.len(), end: text.len() });
    Ok(tokens)
}

fn is_inner(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn digits(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())
}

/// The length of a word: `-` and `::` are part of it if a word character follows.
fn word(text: &str) -> usize {
    let mut at = 0;
    loop {
        at += text[at..].find(|c: char| !is_inner(c)).unwrap_or(text.len() - at);
        let rest = &text[at..];
        let joint = ["::", "-"].into_iter().find(|joint| rest.starts_with(joint));
        match joint {
            Some(joint) if rest[joint.len()..].starts_with(is_inner) => at += joint.len(),
            _ => return at,
        }
    }
}

/// A text in quotes, straight or typographic; `\` makes the next character literal.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut characters = text.char_indices();
    let (_, first) = characters.next()?;
    let closing: &[char] = match first {
        '\u{201c}' | '\u{201d}' => &['\u{201d}', '"'],
        '\u{2018}' | '\u{2019}' => &['\u{2019}', '\''],
        '\'' => &['\'', '\u{2019}'],
        _ => &['"', '\u{201d}'],
    };
    let mut inner = String::new();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => inner.push(characters.next()?.1),
            _ if closing.contains(&c) => return Some((inner, at + c.len_utf8())),
            _ => inner.push(c),
        }
    }
    None
}

fn sign(text: &str) -> Option<(What, usize)> {
    const TWO: [(&str, char); 4] = [("<=", 'l'), (">=", 'g'), ("!=", 'n'), ("<>", 'n')];
    // One character each, as typesetters have them.
    const ONE: [(char, char); 3] = [('\u{2264}', 'l'), ('\u{2265}', 'g'), ('\u{2260}', 'n')];
    if let Some((two, sign)) = TWO.iter().find(|(two, _)| text.starts_with(two)) {
        return Some((What::Sign(*sign), two.len()));
    }
    let first = text.chars().next()?;
    if let Some((one, sign)) = ONE.iter().find(|(one, _)| *one == first) {
        return Some((What::Sign(*sign), one.len_utf8()));
    }
    "{}()[],.!-<>=".contains(first).then_some((What::Sign(first), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(What, &str)> {
        let tokens = tokens(Kind::Filter, text).expect("tokens");
        tokens.into_iter().map(|token| (token.what, &text[token.start..token.end])).collect()
    }

    #[test]
    fn words_numbers_and_signs() {
        let words = |text| -> Vec<&str> { read(text).into_iter().map(|(_, text)| text).collect() };
        assert_eq!(words("ST-E1 3-5"), ["ST-E1", "3", "-", "5", ""]);
        assert_eq!(words("IF-MIB::ifIndex>=-1"), ["IF-MIB::ifIndex", ">=", "-", "1", ""]);
        assert_eq!(words("[3<x<10]"), ["[", "3", "<", "x", "<", "10", "]", ""]);
        assert_eq!(words("a- b"), ["a", "-", "b", ""]);
        assert_eq!(words("a<>'b c'"), ["a", "<>", "'b c'", ""]);
        assert_eq!(read("\"a\\\"b\"")[0].0, What::Quoted("a\"b".to_owned()));
        assert_eq!(read("“a”")[0].0, What::Quoted("a".to_owned()));
        assert_eq!(read("≥")[0].0, What::Sign('g'));
    }

    #[test]
    fn invalid_tokens_are_reported_with_a_position() {
        let at = |text: &str| tokens(Kind::Filter, text).expect_err("no tokens").at;
        assert_eq!(at("a & b"), 2);
        assert_eq!(at("a = 'b"), 4);
        assert_eq!(at("a = \"b\\"), 4);
        assert_eq!(at(&"a".repeat(MAX_OCTETS + 1)), MAX_OCTETS);
    }
}
