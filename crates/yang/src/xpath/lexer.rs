//! Tokens (section 3.7).

use super::parser::XPathError;

/// A token, and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'e> {
    pub kind: Kind<'e>,
    pub at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind<'e> {
    /// `( ) [ ] . .. @ , ::` and `/ //`.
    Punctuation(&'static str),
    /// `and or mod div * | + - = != < <= > >=`.
    Operator(&'static str),
    /// A name with its prefix, which is empty if there is none.
    Name(&'e str, &'e str),
    /// `*` as a node test.
    Star,
    /// `prefix:*`.
    StarOf(&'e str),
    Literal(&'e str),
    Number(f64),
    /// `$name`.
    Variable(&'e str, &'e str),
}

const PUNCTUATION: [&str; 10] = ["::", "..", "//", "(", ")", "[", "]", "@", ",", "/"];
const OPERATORS: [&str; 9] = ["!=", "<=", ">=", "|", "+", "-", "=", "<", ">"];
const WORDS: [&str; 4] = ["and", "or", "mod", "div"];

/// All tokens of an expression.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, XPathError> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        if blank > 0 {
            at += blank;
            continue;
        }
        let (kind, length) = one(rest, tokens.last().map(|token| token.kind), at)?;
        tokens.push(Token { kind, at });
        at += length;
    }
    Ok(tokens)
}

/// The token at the beginning; `before` decides what `*` and some names are.
fn one<'e>(rest: &'e str, before: Option<Kind<'e>>, at: usize) -> Result<(Kind<'e>, usize), XPathError> {
    let first = rest.chars().next().unwrap_or_default();
    // The specification has the first two. The others are what word processors make of them, and what printed expressions have.
    let end = match first {
        '"' | '\'' => Some(first),
        '\u{2018}' | '\u{2019}' => Some('\u{2019}'),
        '\u{201c}' | '\u{201d}' => Some('\u{201d}'),
        _ => None,
    };
    if let Some(quote) = end {
        let inner = &rest[first.len_utf8()..];
        let Some(end) = inner.find(quote) else {
            return Err(XPathError::new(at, "the string has no end"));
        };
        return Ok((Kind::Literal(&inner[..end]), first.len_utf8() + end + quote.len_utf8()));
    }
    let digits = rest.len() - rest.trim_start_matches(|it: char| it.is_ascii_digit()).len();
    let has_fraction =
        rest[digits..].starts_with('.') && rest[digits + 1..].starts_with(|it: char| it.is_ascii_digit());
    if digits > 0 || has_fraction {
        let fraction = match rest[digits..].strip_prefix('.') {
            Some(rest) => 1 + rest.len() - rest.trim_start_matches(|it: char| it.is_ascii_digit()).len(),
            None => 0,
        };
        let exponent = rest[digits + fraction..].strip_prefix(['e', 'E']);
        if exponent
            .is_some_and(|it| it.trim_start_matches(['+', '-']).starts_with(|it: char| it.is_ascii_digit()))
        {
            return Err(XPathError::new(at, "numbers have no exponents in XPath 1.0"));
        }
        let number = rest[..digits + fraction].parse::<f64>().ok().filter(|number| number.is_finite());
        return number
            .map(|number| (Kind::Number(number), digits + fraction))
            .ok_or_else(|| XPathError::new(at, "the number is too large"));
    }
    // A name is an operator, and `*` multiplies, where an operand is complete (section 3.7).
    let is_operand = !matches!(
        before,
        None | Some(Kind::Operator(_)) | Some(Kind::Punctuation("@" | "::" | "(" | "[" | "," | "/" | "//"))
    );
    if first == '*' {
        return Ok((if is_operand { Kind::Operator("*") } else { Kind::Star }, 1));
    }
    for punctuation in PUNCTUATION {
        if rest.starts_with(punctuation) {
            return Ok((Kind::Punctuation(punctuation), punctuation.len()));
        }
    }
    if first == '.' {
        return Ok((Kind::Punctuation("."), 1));
    }
    for operator in OPERATORS {
        if rest.starts_with(operator) {
            return Ok((Kind::Operator(operator), operator.len()));
        }
    }
    if let Some(named) = rest.strip_prefix('$') {
        return match qualified(named) {
            Some((prefix, local, length)) if local != "*" => Ok((Kind::Variable(prefix, local), length + 1)),
            _ => Err(XPathError::new(at, "expected the name of a variable behind $")),
        };
    }
    let Some((prefix, local, length)) = qualified(rest) else {
        return Err(XPathError::new(at, format!("an expression has no {first:?}")));
    };
    if is_operand
        && prefix.is_empty()
        && let Some(word) = WORDS.into_iter().find(|word| *word == local)
    {
        return Ok((Kind::Operator(word), length));
    }
    Ok(match local {
        "*" => (Kind::StarOf(prefix), length),
        _ => (Kind::Name(prefix, local), length),
    })
}

/// A name with its prefix, or `prefix:*`, and its length.
fn qualified(text: &str) -> Option<(&str, &str, usize)> {
    let first = name(text)?;
    let behind = text[first.len()..].strip_prefix(':').filter(|rest| !rest.starts_with(':'));
    match behind {
        Some(rest) if rest.starts_with('*') => Some((first, "*", first.len() + 2)),
        Some(rest) => name(rest).map(|local| (first, local, first.len() + 1 + local.len())),
        None => Some(("", first, first.len())),
    }
}

/// The NCName at the beginning.
fn name(text: &str) -> Option<&str> {
    let is_first = |it: char| it == '_' || it.is_alphabetic();
    let is_next = |it: char| is_first(it) || it.is_alphanumeric() || matches!(it, '-' | '.' | '\u{b7}');
    text.chars().next().filter(|first| is_first(*first))?;
    let end = text.find(|it| !is_next(it)).unwrap_or(text.len());
    Some(&text[..end])
}
