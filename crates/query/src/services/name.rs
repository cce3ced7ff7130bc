//! A name in an expression: its text and its position.

use std::fmt;

/// A name in an expression. Two names are equal if their texts are, wherever they are.
#[derive(Clone, Debug)]
pub struct Name {
    /// The text; runs of blanks are one blank.
    pub text: String,
    /// The octet of the expression at which it begins.
    pub at: usize,
}

impl Name {
    /// A name that is not in a text.
    pub fn new(text: &str) -> Self {
        Name { text: tidy(text), at: 0 }
    }

    /// Whether this is the name of something called `called`: as written, or without blanks, which typesetting
    /// adds where none belong (`r1.r 2`).
    pub fn means(&self, called: &str) -> bool {
        self.text == called || (self.text.contains(' ') && self.text.split(' ').collect::<String>() == called)
    }

    /// Whether it can be written without quotes: words of letters, digits, `_`, and `-` inside, one blank between
    /// them; and none of them a keyword of the language.
    fn is_plain(&self) -> bool {
        let word = |word: &str| {
            let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let parts = |part: &str| !part.is_empty() && part.chars().all(inside);
            word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && word.split('-').all(parts)
        };
        let is_reserved = ["null", "empty"].iter().any(|reserved| self.text.eq_ignore_ascii_case(reserved));
        !is_reserved && self.text.split(' ').all(word)
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Name {}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_plain() {
            return f.write_str(&self.text);
        }
        f.write_str(&quoted(&self.text))
    }
}

/// The text in quotes, with a backslash before each character that would end it; a typographic quote ends it too.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        if matches!(c, '\\' | '"' | '\u{201d}') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// The text without blanks around it, and with one blank for each run of them.
pub fn tidy(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typeset_blanks_do_not_change_the_meaning() {
        assert!(Name::new("r 2").means("r2"));
        assert!(Name::new("r 2").means("r 2"));
        assert!(!Name::new("r2").means("r 2"));
        assert!(Name::new("TCP  Monitor\nSrv").means("TCP Monitor Srv"));
    }

    #[test]
    fn names_with_special_characters_are_quoted() {
        let text = |name: &str| Name::new(name).to_string();
        assert_eq!(text("TCP Monitor Srv"), "TCP Monitor Srv");
        assert_eq!(text("ST-E1"), "ST-E1");
        assert_eq!(text("empty"), "\"empty\"");
        assert_eq!(text("a.b"), "\"a.b\"");
        assert_eq!(text("a\"b"), "\"a\\\"b\"");
        assert_eq!(text("a\\”b"), "\"a\\\\\\”b\"");
        assert_eq!(text("a--b"), "\"a--b\"");
        assert_eq!(text("2nd"), "\"2nd\"");
    }
}
