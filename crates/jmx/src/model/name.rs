//! `javax.management.ObjectName`: a domain and key properties, or a pattern of them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use super::Glob;

/// A name of an MBean, or a pattern. Two names with the same properties in another order are equal.
#[derive(Clone, Debug)]
pub struct ObjectName {
    /// As it was read: what is in it are parts of this text.
    text: String,
    /// Octets of the domain, which a colon follows.
    domain: usize,
    properties: Vec<Property>,
    /// Whether other properties may be there too: `,*`.
    open: bool,
}

/// Where a property is in the text of its name: `=` is before the value.
#[derive(Clone, Copy, Debug)]
struct Property {
    key: usize,
    value: usize,
    end: usize,
}

/// Why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No colon after the domain.
    #[error("an ObjectName has a colon after its domain")]
    Domain,
    /// No property, and no `*` in place of them.
    #[error("an ObjectName has at least one key property")]
    Empty,
    /// A key that is empty, or has a character that keys do not have.
    #[error("key {key:?} of an ObjectName is not valid")]
    Key {
        /// The key.
        key: String,
    },
    /// A value with a character that must be quoted, or a quotation that is not valid.
    #[error("the value of key {key:?} of an ObjectName is not valid")]
    Value {
        /// Its key.
        key: String,
    },
    /// The same key twice.
    #[error("key {key:?} is twice in an ObjectName")]
    Twice {
        /// The key.
        key: String,
    },
    /// Longer than is read.
    #[error("an ObjectName of more than {MAX_LENGTH} octets")]
    Long,
}

/// The longest name that is read, in octets.
const MAX_LENGTH: usize = 65_535;

impl ObjectName {
    /// A name of its parts. The values are as they stand in the name: [`quote`] makes one of any text.
    ///
    /// # Errors
    /// If a part is not valid in a name.
    pub fn new<'a>(
        domain: &str,
        properties: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, NameError> {
        let mut text = format!("{domain}:");
        let mut separator = "";
        for (key, value) in properties {
            text.extend([separator, key, "=", value]);
            separator = ",";
        }
        text.parse()
    }

    /// The domain.
    pub fn domain(&self) -> &str {
        &self.text[..self.domain]
    }

    /// The value of a key, as it stands in the name.
    pub fn property(&self, key: &str) -> Option<&str> {
        let is_it = |it: &&Property| self.text.as_bytes()[it.key..it.value - 1] == *key.as_bytes();
        self.properties.iter().find(is_it).map(|it| self.value(it))
    }

    /// The properties in the order of the text.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &str)> {
        self.properties.iter().map(|it| (&self.text[it.key..it.value - 1], self.value(it)))
    }

    fn value(&self, of: &Property) -> &str {
        &self.text[of.value..of.end]
    }

    /// Whether it stands for several names.
    pub fn is_pattern(&self) -> bool {
        self.open
            || has_wildcard(self.domain())
            || self.properties.iter().any(|it| is_value_pattern(self.value(it)))
    }

    /// Whether properties that it does not have may be there too.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The same name in this domain, if its own is empty: what an MBean server does with its default domain.
    pub fn or_domain(mut self, default: &str) -> Self {
        if self.domain == 0 {
            self.domain = default.len();
            self.text.insert_str(0, default);
            for Property { key, value, end } in &mut self.properties {
                [key, value, end].into_iter().for_each(|place| *place += default.len());
            }
        }
        self
    }

    /// The text with the properties in the order of their keys.
    pub fn canonical(&self) -> String {
        let mut sorted: Vec<(&str, &str)> = self.properties().collect();
        sorted.sort_unstable();
        self.text(sorted.into_iter())
    }

    /// The text with the properties in their order.
    pub fn to_text(&self) -> String {
        self.text(self.properties())
    }

    /// What compares many names with this pattern.
    pub fn matcher(&self) -> Matcher<'_> {
        let property = |value: &str| match (is_value_pattern(value), value.starts_with('"')) {
            (false, _) => None,
            (true, false) => Some(Glob::plain(value)),
            (true, true) => Some(Glob::quoted(value)),
        };
        Matcher {
            pattern: self,
            domain: has_wildcard(self.domain()).then(|| Glob::plain(self.domain())),
            values: self.properties().map(|(_, value)| property(value)).collect(),
        }
    }

    /// Whether a name is one of those that this pattern stands for; a pattern never is.
    pub fn matches(&self, name: &ObjectName) -> bool {
        self.matcher().matches(name)
    }

    fn text<'a>(&self, properties: impl Iterator<Item = (&'a str, &'a str)>) -> String {
        let mut text = String::with_capacity(self.text.len());
        text.extend([self.domain(), ":"]);
        let mut separator = "";
        for (key, value) in properties {
            text.extend([separator, key, "=", value]);
            separator = ",";
        }
        if self.open {
            text.extend([separator, "*"]);
        }
        text
    }
}

/// A pattern that is prepared for many names.
#[derive(Clone, Debug)]
pub struct Matcher<'p> {
    pattern: &'p ObjectName,
    domain: Option<Glob>,
    values: Vec<Option<Glob>>,
}

impl Matcher<'_> {
    /// Whether a name is one of those that the pattern stands for; a pattern never is.
    pub fn matches(&self, name: &ObjectName) -> bool {
        let pattern = self.pattern;
        let domain = match &self.domain {
            Some(glob) => glob.matches(name.domain()),
            None => pattern.domain() == name.domain(),
        };
        domain
            && (pattern.open || pattern.properties.len() == name.properties.len())
            && pattern.properties().zip(&self.values).all(|((key, expected), glob)| {
                name.property(key).is_some_and(|found| match glob {
                    Some(glob) => glob.matches(found),
                    None => expected == found,
                })
            })
            && !name.is_pattern()
    }
}

impl FromStr for ObjectName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        if text.len() > MAX_LENGTH {
            return Err(NameError::Long);
        }
        // The empty text is the pattern of all names.
        let text = if text.is_empty() { "*:*" } else { text };
        let domain = text.bytes().position(|octet| octet == b':').ok_or(NameError::Domain)?;
        if has_any(&text[..domain], b"\n") {
            return Err(NameError::Domain);
        }
        let mut name = ObjectName { text: text.to_owned(), domain, properties: Vec::new(), open: false };
        let mut at = domain + 1;
        if at == text.len() {
            return Err(NameError::Empty);
        }
        loop {
            at = name.element(text, at)?;
            match text[at..].starts_with(',') {
                true => at += 1,
                false => break,
            }
        }
        match name.key_that_is_twice() {
            Some(key) => Err(NameError::Twice { key: key.to_owned() }),
            None => Ok(name),
        }
    }
}

impl ObjectName {
    /// Few keys are compared with each other, many are ordered: names of strangers may have thousands.
    fn key_that_is_twice(&self) -> Option<&str> {
        let keys = || self.properties().map(|(key, _)| key);
        if self.properties.len() <= 8 {
            let is_twice = |(index, key): &(usize, &str)| keys().take(*index).any(|other| other == *key);
            return keys().enumerate().find(is_twice).map(|(_, key)| key);
        }
        let mut sorted: Vec<&str> = keys().collect();
        sorted.sort_unstable();
        sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
    }

    /// Reads a property or the `*` for others at this place of its text; returns where it ends.
    fn element(&mut self, text: &str, at: usize) -> Result<usize, NameError> {
        let text = &text[at..];
        if text == "*" || text.starts_with("*,") {
            if std::mem::replace(&mut self.open, true) {
                return Err(NameError::Twice { key: "*".to_owned() });
            }
            return Ok(at + 1);
        }
        let invalid_key = |key: &str| NameError::Key { key: key.to_owned() };
        let end = text.bytes().position(|octet| octet == b'=').ok_or_else(|| invalid_key(text))?;
        let (key, value) = (&text[..end], &text[end + 1..]);
        if key.is_empty() || has_any(key, b",:*?\n") {
            return Err(invalid_key(key));
        }
        let invalid = || NameError::Value { key: key.to_owned() };
        let length = match value.strip_prefix('"') {
            Some(quoted) => 1 + quotation(quoted).ok_or_else(invalid)?,
            None => value.bytes().position(|octet| octet == b',').unwrap_or(value.len()),
        };
        let (value, after) = value.split_at(length);
        let unquoted = !value.starts_with('"');
        if (unquoted && has_any(value, b"=:\"\n")) || !(after.is_empty() || after.starts_with(',')) {
            return Err(invalid());
        }
        let start = at + key.len() + 1;
        self.properties.push(Property { key: at, value: start, end: start + length });
        Ok(start + length)
    }
}

/// The length of a quoted value after its first quotation mark, with its last.
fn quotation(text: &str) -> Option<usize> {
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some(at + 1),
            '\n' => return None,
            '\\' => {
                let (_, escaped) = characters.next()?;
                "\\n\"?*".contains(escaped).then_some(())?;
            }
            _ => {}
        }
    }
    None
}

fn has_wildcard(text: &str) -> bool {
    has_any(text, b"*?")
}

/// Whether a text has one of some characters of ASCII. Texts are short, and there are several in each call.
fn has_any(text: &str, characters: &[u8]) -> bool {
    text.bytes().any(|octet| characters.contains(&octet))
}

fn is_value_pattern(value: &str) -> bool {
    if !value.starts_with('"') {
        return has_wildcard(value);
    }
    let mut escaped = false;
    value.bytes().any(|octet| {
        let wildcard = !escaped && matches!(octet, b'*' | b'?');
        escaped = !escaped && octet == b'\\';
        wildcard
    })
}

/// Any text as a quoted value (`ObjectName.quote`).
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '\\' | '"' | '?' | '*' => quoted.extend(['\\', character]),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// The text that [`quote`] has made a value of; none if the value is not a valid quotation.
pub fn unquote(value: &str) -> Option<String> {
    let inner = value.strip_prefix('"')?;
    if quotation(inner)? != inner.len() {
        return None;
    }
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner[..inner.len() - 1].chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text
                .push(characters.next().map_or('\\', |escaped| if escaped == 'n' { '\n' } else { escaped })),
            other => text.push(other),
        }
    }
    Some(text)
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl PartialEq for ObjectName {
    fn eq(&self, other: &Self) -> bool {
        self.domain() == other.domain()
            && self.open == other.open
            && self.properties.len() == other.properties.len()
            && (self.properties().eq(other.properties()) || self.canonical() == other.canonical())
    }
}

impl Eq for ObjectName {}

impl Hash for ObjectName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical().hash(state);
    }
}
