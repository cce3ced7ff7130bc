//! Rust source as the checks read it: comments and literals blanked out, and
//! the extents of test code and of functions, found by counting brackets.
//!
//! This is not a parser. It knows just enough of the lexical grammar that a brace
//! in a string, a quote in a comment or a lifetime does not mislead it.

use std::ops::Range;

/// One source file, blanked.
pub struct Source {
    /// The text with each octet of comments, strings and characters replaced by
    /// a space; line breaks stay, so that lines and offsets are the file's.
    code: String,
    /// The extents of test code: items under `#[cfg(test)]`.
    tests: Vec<Range<usize>>,
}

/// A function with a body.
pub struct Function {
    /// Its name.
    pub name: String,
    /// The line of its `fn`, from 1.
    pub line: usize,
    /// Lines from its `fn` to its closing brace, both included.
    pub lines: usize,
    /// Whether it is in test code.
    pub is_test: bool,
}

impl Source {
    /// Reads a file's text.
    pub fn new(text: &str) -> Self {
        let code = blank(text);
        let tests = test_extents(&code);
        Self { code, tests }
    }

    /// Lines that are not in test code.
    pub fn product_lines(&self) -> usize {
        let test_lines: usize = self
            .tests
            .iter()
            .map(|extent| self.line_of(extent.end - 1) - self.line_of(extent.start) + 1)
            .sum();
        self.code.lines().count() - test_lines
    }

    /// The code without tests, comments and what literals hold.
    pub fn product_code(&self) -> String {
        let mut code = self.code.clone().into_bytes();
        for octet in self.tests.iter().flat_map(|extent| extent.clone()) {
            if code[octet] != b'\n' {
                code[octet] = b' ';
            }
        }
        String::from_utf8_lossy(&code).into_owned()
    }

    /// Lines of that which are not blank.
    pub fn code_lines(&self) -> usize {
        self.product_code().lines().filter(|line| !line.trim().is_empty()).count()
    }

    /// Each place where `word` occurs on its own: its line, and whether it is in test code.
    ///
    /// A word may be a path or a call, as in `Instant::now` or `sleep(`.
    pub fn occurrences<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (usize, bool)> + 'a {
        let bytes = self.code.as_bytes();
        let is_word =
            |index: usize| bytes.get(index).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let open_end = word.ends_with(|last: char| !last.is_alphanumeric() && last != '_');
        self.code.match_indices(word).filter_map(move |(at, _)| {
            let starts = at == 0 || !is_word(at - 1) || !is_word(at);
            let ends = open_end || !is_word(at + word.len());
            (starts && ends).then(|| (self.line_of(at), self.is_test(at)))
        })
    }

    /// Every function that has a body.
    pub fn functions(&self) -> Vec<Function> {
        let bytes = self.code.as_bytes();
        let mut found = Vec::new();
        for (at, _) in self.code.match_indices("fn ") {
            if at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_') {
                continue;
            }
            let name: String =
                self.code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let Some(end) = item_end(bytes, at).filter(|end| !name.is_empty() && bytes[end - 1] == b'}')
            else {
                continue;
            };
            let line = self.line_of(at);
            found.push(Function {
                name,
                line,
                lines: self.line_of(end - 1) - line + 1,
                is_test: self.is_test(at),
            });
        }
        found
    }

    fn is_test(&self, at: usize) -> bool {
        self.tests.iter().any(|extent| extent.contains(&at))
    }

    fn line_of(&self, at: usize) -> usize {
        1 + self.code.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()
    }
}

/// Extents from each `#[cfg(test)]` to the end of its item.
fn test_extents(code: &str) -> Vec<Range<usize>> {
    let mut extents: Vec<Range<usize>> = Vec::new();
    for (at, attribute) in code.match_indices("#[cfg(test)]") {
        if extents.last().is_some_and(|last| last.contains(&at)) {
            continue;
        }
        let end = item_end(code.as_bytes(), at + attribute.len()).unwrap_or(code.len());
        extents.push(at..end);
    }
    extents
}

/// The offset past the item that starts at `from`: past its closing brace, or
/// past the semicolon that ends it first.
fn item_end(code: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut in_body = false;
    for (at, byte) in code.iter().enumerate().skip(from) {
        match byte {
            b'(' | b'[' => depth += 1,
            b'{' => {
                in_body |= depth == 0;
                depth += 1;
            }
            b')' | b']' => depth = depth.checked_sub(1)?,
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && in_body {
                    return Some(at + 1);
                }
            }
            b';' if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Replaces comments and literals by spaces, octet for octet.
fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let end = blanked_end(bytes, at);
        if end == at {
            out.push(bytes[at]);
            at += 1;
        } else {
            out.extend(bytes[at..end].iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }));
            at = end;
        }
    }
    // What stays is cut at ASCII characters only, so it is still UTF-8.
    String::from_utf8_lossy(&out).into_owned()
}

/// Where the comment or literal that starts at `at` ends; `at` itself if none does.
fn blanked_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let after_word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
    match rest {
        [b'/', b'/', ..] => at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => at + block_comment(rest),
        [b'"', ..] => at + quoted(rest, 1),
        [b'r', b'"' | b'#', ..] if !after_word => at + raw_string(rest, 1),
        [b'b' | b'c', b'r', b'"' | b'#', ..] if !after_word => at + raw_string(rest, 2),
        [b'\'', ..] => at + character(rest),
        _ => at,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while at + 1 < rest.len() {
        match &rest[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Length of a literal whose opening quote is the octet before `from`.
fn quoted(rest: &[u8], from: usize) -> usize {
    let quote = rest[from - 1];
    let mut at = from;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Length of `r"..."`, `r#"..."#` and so on; 0 for a raw identifier.
fn raw_string(rest: &[u8], prefix: usize) -> usize {
    let hashes = rest[prefix..].iter().take_while(|byte| **byte == b'#').count();
    let open = prefix + hashes;
    if rest.get(open) != Some(&b'"') {
        return 0;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    let body = &rest[open + 1..];
    body.windows(close.len())
        .position(|window| window == close)
        .map_or(rest.len(), |at| open + 1 + at + close.len())
}

/// Length of a character literal; 0 for a lifetime.
fn character(rest: &[u8]) -> usize {
    if rest.get(1) == Some(&b'\\') {
        return quoted(rest, 1);
    }
    // One character of one to four octets, then the closing quote.
    let width = rest.get(1).map_or(1, |first| match first {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    });
    if rest.get(1 + width) == Some(&b'\'') { width + 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_do_not_mislead() {
        let text = "fn a<'x>(s: &'x str) {\n let _ = \"}\"; // }\n /* } /* } */ } */\n let _ = ['}', '\\'', 'é'];\n \
                    let _ = r#\"}\"}\"#; let _ = b\"}\";\n}\n";
        let functions = Source::new(text).functions();
        assert_eq!(functions.len(), 1);
        assert_eq!((functions[0].name.as_str(), functions[0].line, functions[0].lines), ("a", 1, 6));
    }

    #[test]
    fn test_code_is_distinguished_from_product_code_everywhere() {
        let text = "#[cfg(test)]\nuse std::fs;\n\nfn product() {\n}\n\n#[cfg(test)]\nmod tests {\n fn f() {\n }\n}\n";
        let source = Source::new(text);
        assert_eq!(source.product_lines(), 11 - 2 - 5);
        let functions = source.functions();
        assert_eq!(functions.iter().map(|f| f.is_test).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn words_are_found_alone_only() {
        let source =
            Source::new("fn unsafely() { not_unsafe(); unsafe { sleep(1) }; no_sleep(2) } // unsafe\n");
        assert_eq!(source.occurrences("unsafe").count(), 1);
        assert_eq!(source.occurrences("sleep(").count(), 1);
    }

    #[test]
    fn a_signature_with_an_array_and_a_trait_method_without_a_body() {
        let text = "trait T {\n fn none(&self);\n}\nfn array(a: [u8; 4]) -> [u8; 2] {\n [a[0], a[1]]\n}\n";
        let functions = Source::new(text).functions();
        assert_eq!(functions.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["array"]);
    }
}
