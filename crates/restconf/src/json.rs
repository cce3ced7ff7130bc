//! A reader of JSON (RFC 8259) with limits, strict: names once, UTF-8, nothing behind the value.

use crate::refusal::Refusal;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number as it was written.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object; its members in their order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a text.
    ///
    /// # Errors
    /// 400 with the place: it is not JSON, or is larger than the limits.
    pub fn read(octets: &[u8]) -> Result<Json, Refusal> {
        let text = std::str::from_utf8(octets).map_err(|_| Refusal::bad("JSON must be UTF-8"))?;
        let mut reader = Reader { text, at: 0, depth: 0, values: 0 };
        let value = reader.value()?;
        reader.space();
        match reader.peek() {
            None => Ok(value),
            Some(_) => Err(reader.wrong("expected nothing more")),
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    values: usize,
}

impl Reader<'_> {
    fn wrong(&self, expected: &str) -> Refusal {
        let before = &self.text.as_bytes()[..self.at.min(self.text.len())];
        let line = before.iter().filter(|octet| **octet == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|octet| **octet != b'\n').count() + 1;
        Refusal::bad(&format!("JSON, line {line}, column {column}: {expected}"))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes this octet if it is the next one behind white space.
    fn takes(&mut self, octet: u8) -> bool {
        self.space();
        let is_it = self.peek() == Some(octet);
        self.at += usize::from(is_it);
        is_it
    }

    fn value(&mut self) -> Result<Json, Refusal> {
        self.space();
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(self.wrong(&format!("more than {MOST_VALUES} values")));
        }
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                for (word, value) in
                    [("true", Json::Boolean(true)), ("false", Json::Boolean(false)), ("null", Json::Null)]
                {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.wrong("expected a value"))
            }
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<Json, Refusal>) -> Result<Json, Refusal> {
        self.depth += 1;
        if self.depth > MOST_NESTED {
            return Err(self.wrong(&format!("more than {MOST_NESTED} levels")));
        }
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Json, Refusal> {
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut names = std::collections::HashSet::new();
        if self.takes(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            let name = self.string()?;
            if !names.insert(name.clone()) {
                return Err(self.wrong("a name is given twice in an object"));
            }
            if !self.takes(b':') {
                return Err(self.wrong("expected :"));
            }
            members.push((name, self.value()?));
            if self.takes(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.takes(b',') {
                return Err(self.wrong("expected , or }"));
            }
        }
    }

    fn array(&mut self) -> Result<Json, Refusal> {
        let mut elements = Vec::new();
        if self.takes(b']') {
            return Ok(Json::Array(elements));
        }
        loop {
            elements.push(self.value()?);
            if self.takes(b']') {
                return Ok(Json::Array(elements));
            }
            if !self.takes(b',') {
                return Err(self.wrong("expected , or ]"));
            }
        }
    }

    fn digits(&mut self) -> Result<(), Refusal> {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == from { Err(self.wrong("expected a digit")) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Json, Refusal> {
        let from = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(Json::Number(self.text[from..self.at].to_owned()))
    }

    fn string(&mut self) -> Result<String, Refusal> {
        if !self.takes(b'"') {
            return Err(self.wrong("expected a string"));
        }
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let end = rest.find(|it: char| it == '"' || it == '\\' || it < ' ');
            let end = end.ok_or_else(|| self.wrong("a string without end"))?;
            out.push_str(&rest[..end]);
            self.at += end + 1;
            match rest.as_bytes()[end] {
                b'"' => return Ok(out),
                b'\\' => out.push(self.escape()?),
                _ => return Err(self.wrong("a control character in a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Refusal> {
        let letter = self.peek();
        self.at += 1;
        Ok(match letter {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.unit()?;
                if !(0xd800..0xdc00).contains(&first) {
                    return char::from_u32(first).ok_or_else(|| self.wrong("half a character"));
                }
                // The other half (RFC 8259 section 7).
                if !self.text[self.at..].starts_with("\\u") {
                    return Err(self.wrong("half a character"));
                }
                self.at += 2;
                let second = self.unit()?;
                let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400);
                let code = low.map(|low| 0x1_0000 + ((first - 0xd800) << 10) + low);
                code.and_then(char::from_u32).ok_or_else(|| self.wrong("half a character"))?
            }
            _ => return Err(self.wrong("an unknown escape")),
        })
    }

    fn unit(&mut self) -> Result<u32, Refusal> {
        let digits = self.text.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|it| it.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += if unit.is_some() { 4 } else { 0 };
        unit.ok_or_else(|| self.wrong("expected four hexadecimal digits"))
    }
}

const MOST_NESTED: usize = 64;
const MOST_VALUES: usize = 200_000;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<Json> {
        Json::read(text.as_bytes()).ok()
    }

    #[test]
    fn values_are_read_strictly() {
        let text = |it: &str| Some(Json::Text(it.into()));
        let number = |it: &str| Some(Json::Number(it.into()));
        for (given, expected) in [
            (" null\n", Some(Json::Null)),
            ("true", Some(Json::Boolean(true))),
            ("-0.5e+7", number("-0.5e+7")),
            ("18446744073709551615", number("18446744073709551615")),
            ("\"a\\n\\u00e9\\ud83d\\ude00\\/\"", text("a\n\u{e9}\u{1f600}/")),
            ("[]", Some(Json::Array(vec![]))),
            ("[1 , {}]", Some(Json::Array(vec![Json::Number("1".into()), Json::Object(vec![])]))),
            (
                "{\"a\":{\"b\":[null]}}",
                Some(Json::Object(vec![(
                    "a".into(),
                    Json::Object(vec![("b".into(), Json::Array(vec![Json::Null]))]),
                )])),
            ),
        ] {
            assert_eq!(read(given), expected, "{given}");
        }
        for wrong in [
            "",
            "nul",
            "01",
            "1.",
            "-",
            "+1",
            "1e",
            ".5",
            "\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\\udc00\"",
            "\"\t\"",
            "[1,]",
            "[1 2]",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a:1}",
            "{\"a\":1,\"a\":2}",
            "1 2",
            "[",
            "{",
            "'a'",
            "\"\\u00\u{e9}\"",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(read(&"[".repeat(100_000)), None);
        let error = Json::read(b"{\n \"a\": x}").unwrap_err();
        assert_eq!(error.errors[0].message.as_deref(), Some("JSON, line 2, column 7: expected a value"));
    }

    proptest! {
        #[test]
        fn any_string_is_read_as_it_was_written(text: String) {
            let mut octets = Vec::new();
            trunkline_yang::json::string(&text, &mut octets);
            let written = trunkline_yang::lexical::as_string(&text).into_owned();
            prop_assert_eq!(Json::read(&octets), Ok(Json::Text(written)));
        }

        #[test]
        fn any_octets_are_read_or_refused(octets: Vec<u8>) {
            let _ = Json::read(&octets);
        }
    }
}
