//! Words of a line as Net-SNMP's library splits them: separated by white space, in single or double quotes if
//! they contain some, with a backslash before literal characters; `#` at the start of a word ends the line.

/// The first word and the text after it.
pub fn first(text: &str) -> (String, &str) {
    let text = text.trim_start();
    if text.starts_with('#') {
        return (String::new(), "");
    }
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let mut word = String::new();
    let mut chars = text.char_indices().skip(usize::from(quote.is_some())).peekable();
    while let Some((at, c)) = chars.next() {
        let is_end = quote.map_or(c.is_whitespace(), |quote| c == quote);
        if is_end {
            return (word, text[at + c.len_utf8()..].trim_start());
        }
        match chars.peek() {
            Some((_, escaped)) if c == '\\' => {
                word.push(*escaped);
                chars.next();
            }
            _ => word.push(c),
        }
    }
    (word, "")
}

/// All words of a text.
pub fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && !rest.starts_with('#') {
        let (word, behind) = first(rest);
        words.push(word);
        rest = behind.trim_end();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_and_escaped() {
        let check = |text: &str, expected: &[&str]| assert_eq!(split(text), expected, "{text}");
        check("a  b\tc ", &["a", "b", "c"]);
        check("\"a b\" 'c \"d\"' \"\"", &["a b", "c \"d\"", ""]);
        check("a\\ b \"c\\\"d\" e\\", &["a b", "c\"d", "e\\"]);
        check("a # b", &["a"]);
        check("a#b c", &["a#b", "c"]);
        check("# all", &[]);
        check("\"open end", &["open end"]);
        check("ü \"ö ä\"", &["ü", "ö ä"]);
    }
}
