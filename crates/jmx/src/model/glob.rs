//! Patterns with `*` and `?`, and for queries sets of characters. Matching takes at most the product of the lengths.

use super::Work;

/// A pattern of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(Vec<Element>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Element {
    /// `*`
    Any,
    /// `?`
    One,
    Literal(char),
    /// `[a-z]`, `[!a-z]`
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Glob {
    /// A pattern of an ObjectName: the domain, or an unquoted value.
    pub fn plain(text: &str) -> Self {
        Glob(text.chars().map(wildcard).collect())
    }

    /// A quoted value of an ObjectName: after a backslash no character is a wildcard. Names are compared quoted too, so
    /// that the backslash stays.
    pub fn quoted(text: &str) -> Self {
        let mut elements = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            elements.push(wildcard(character));
            if character == '\\' {
                elements.extend(characters.next().map(Element::Literal));
            }
        }
        Glob(elements)
    }

    /// A pattern of `Query.match`: with sets, and a backslash that takes the meaning of the next character away.
    pub fn query(text: &str) -> Self {
        let mut elements = Vec::new();
        let characters: Vec<char> = text.chars().collect();
        let mut rest = &characters[..];
        while let Some((&first, after)) = rest.split_first() {
            rest = after;
            match first {
                '\\' => {
                    if let Some((&literal, after)) = rest.split_first() {
                        elements.push(Element::Literal(literal));
                        rest = after;
                    }
                }
                '[' => {
                    let (set, after) = set(rest);
                    elements.push(set);
                    rest = after;
                }
                other => elements.push(wildcard(other)),
            }
        }
        Glob(elements)
    }

    /// Whether a text has this form. Only the last `*` is ever tried again, since what an earlier one could gain is gained.
    pub fn matches(&self, text: &str) -> bool {
        self.matches_within(text, &mut Work::of(u64::MAX)).unwrap_or(false)
    }

    /// Whether a text has this form, if that takes no more than this work.
    pub fn matches_within(&self, text: &str, work: &mut Work) -> Option<bool> {
        let mut rest = text.chars();
        let mut at = 0;
        let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            work.take(1)?;
            let fits = match self.0.get(at) {
                Some(Element::Any) => {
                    at += 1;
                    retry = Some((at, rest.clone()));
                    continue;
                }
                Some(element) => rest.next().is_some_and(|character| element.accepts(character)),
                None if rest.as_str().is_empty() => return Some(true),
                None => false,
            };
            if fits {
                at += 1;
                continue;
            }
            let Some((after, from)) = &mut retry else { return Some(false) };
            if from.next().is_none() {
                return Some(false);
            }
            at = *after;
            rest = from.clone();
        }
    }
}

impl Element {
    fn accepts(&self, character: char) -> bool {
        match self {
            Element::Any | Element::One => true,
            Element::Literal(literal) => *literal == character,
            Element::Set { negated, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&character)) != *negated
            }
        }
    }
}

fn wildcard(character: char) -> Element {
    match character {
        '*' => Element::Any,
        '?' => Element::One,
        other => Element::Literal(other),
    }
}

/// A set after its `[`, and what follows its `]`.
fn set(mut rest: &[char]) -> (Element, &[char]) {
    let negated = rest.first() == Some(&'!');
    if negated {
        rest = &rest[1..];
    }
    let mut ranges = Vec::new();
    loop {
        rest = match rest {
            [']', after @ ..] => return (Element::Set { negated, ranges }, after),
            [] => return (Element::Set { negated, ranges }, rest),
            [from, '-', to, after @ ..] if *to != ']' => {
                ranges.push((*from, *to));
                after
            }
            [one, after @ ..] => {
                ranges.push((*one, *one));
                after
            }
        };
    }
}

/// A pattern of `Query.match`, read once for all MBeans that are compared with it.
#[derive(Clone, PartialEq, Eq)]
pub struct TextPattern {
    text: String,
    glob: Glob,
}

impl TextPattern {
    /// About how many octets one takes for each octet of its text.
    pub(super) const UNFOLDED: usize = size_of::<Element>() + 1;

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a text has this form, if that takes no more than this work.
    pub(super) fn matches_within(&self, text: &str, work: &mut Work) -> Option<bool> {
        self.glob.matches_within(text, work)
    }
}

impl From<String> for TextPattern {
    fn from(text: String) -> Self {
        TextPattern { glob: Glob::query(&text), text }
    }
}

impl std::fmt::Debug for TextPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.text.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let cases = [
            ("", "", true),
            ("*", "", true),
            ("?", "", false),
            ("a*c", "abbbc", true),
            ("a*c", "abbbd", false),
            ("*.If?", "net.If7", true),
            ("*a*b", "xaxxbxb", true),
            ("**", "\u{1f600}", true),
            ("?", "\u{1f600}", true),
            ("abc", "abcd", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(Glob::plain(pattern).matches(text), expected, "{pattern} {text}");
            assert_eq!(Glob::query(pattern).matches(text), expected, "{pattern} {text}");
        }
        assert!(Glob::quoted(r#""a\*b""#).matches(r#""a\*b""#));
        assert!(!Glob::quoted(r#""a\*b""#).matches(r#""a\xb""#));
        assert!(Glob::quoted(r#""a*b""#).matches(r#""a\*b""#));
        assert!(Glob::query("[a-cx]?[!0-9]").matches("b7z") && !Glob::query("[a-c]").matches("d"));
        assert!(Glob::query(r"\[x\*").matches("[x*") && Glob::query("[a-]").matches("-"));
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let pattern = Glob::plain(&"*a".repeat(200));
        assert!(!pattern.matches(&format!("{}b", "a".repeat(20_000))));
    }
}
