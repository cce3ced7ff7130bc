//! Text from strangers for terminals and logs: whatever would end a line, control the terminal or be invisible is
//! escaped. All text output passes through here, so that nothing printed can mislead.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether [`visible`] escapes a character: control characters (C0, DEL, C1), line and paragraph separators,
/// direction marks, and what Unicode displays as nothing (its property `Default_Ignorable_Code_Point`).
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control() || HIDDEN.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

/// The text with each hidden character as an escape: `\n`, `\r`, `\t`, `\x1B`, `\u{202E}`. The result is always
/// one line. A backslash stays as it is: the result is for reading, not for parsing.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// As [`visible`], but for a text of several lines that the program itself has laid out: line ends and tabs stay.
#[must_use]
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// The text with the characters that `is_escaped` selects as escapes.
pub fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        // Writing to a String cannot fail.
        let _ = match c {
            c if !is_escaped(c) => out.write_char(c),
            '\n' => out.write_str("\\n"),
            '\r' => out.write_str("\\r"),
            '\t' => out.write_str("\\t"),
            c if u32::from(c) < 0x100 => write!(out, "\\x{:02X}", u32::from(c)),
            c => write!(out, "\\u{{{:X}}}", u32::from(c)),
        };
    }
    Cow::Owned(out)
}

/// First and last of each range: U+2028, U+2029, the annotation marks U+FFF9 to U+FFFB, and
/// `Default_Ignorable_Code_Point` of Unicode 16 (DerivedCoreProperties.txt).
const HIDDEN: [(char, char); 18] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn deceptive_characters_are_escaped_and_legible_ones_stay() {
        for (text, expected) in [
            ("eth0 größer 日本語 ✓", "eth0 größer 日本語 ✓"),
            ("a\nb\r\nc\td", "a\\nb\\r\\nc\\td"),
            ("\u{1b}[2J\u{7f}\u{85}\u{9b}", "\\x1B[2J\\x7F\\x85\\x9B"),
            ("\u{2028}\u{2029}\u{202e}\u{2066}\u{61c}", "\\u{2028}\\u{2029}\\u{202E}\\u{2066}\\u{61C}"),
            ("a\u{200b}b\u{feff}\u{e0041}", "a\\u{200B}b\\u{FEFF}\\u{E0041}"),
            ("C:\\new", "C:\\new"),
            ("", ""),
        ] {
            assert_eq!(visible(text), expected, "{text:?}");
        }
        assert_eq!(visible_lines("a\n\tb\r\u{202e}"), "a\n\tb\\r\\u{202E}");
    }

    proptest! {
        #[test]
        fn a_visible_text_is_one_line_and_hides_nothing(text: String) {
            let shown = visible(&text);
            prop_assert!(!shown.contains(is_hidden));
            prop_assert!(shown.lines().count() <= 1);
            prop_assert_eq!(visible(&shown), shown.as_ref());
            prop_assert!(!visible_lines(&text).contains(|c| is_hidden(c) && c != '\n' && c != '\t'));
        }
    }
}
