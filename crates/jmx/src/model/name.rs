//! `javax.management.ObjectName`: a domain and key properties, or a pattern of them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use super::Glob;

/// A name of an MBean, or a pattern. Two names with the same properties in another order are equal.
#[derive(Clone, Debug)]
pub struct ObjectName {
    domain: String,
    properties: Vec<(String, String)>,
    /// Whether other properties may be there too: `,*`.
    open: bool,
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
        &self.domain
    }

    /// The value of a key, as it stands in the name.
    pub fn property(&self, key: &str) -> Option<&str> {
        self.properties.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The properties in the order of the text.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &str)> {
        self.properties.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Whether it stands for several names.
    pub fn is_pattern(&self) -> bool {
        self.open
            || has_wildcard(&self.domain)
            || self.properties.iter().any(|(_, value)| is_value_pattern(value))
    }

    /// Whether properties that it does not have may be there too.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The same name in this domain, if its own is empty: what an MBean server does with its default domain.
    pub fn or_domain(mut self, default: &str) -> Self {
        if self.domain.is_empty() {
            default.clone_into(&mut self.domain);
        }
        self
    }

    /// The text with the properties in the order of their keys.
    pub fn canonical(&self) -> String {
        let mut sorted: Vec<&(String, String)> = self.properties.iter().collect();
        sorted.sort();
        self.text(sorted.into_iter())
    }

    /// The text with the properties in their order.
    pub fn to_text(&self) -> String {
        self.text(self.properties.iter())
    }

    /// What compares many names with this pattern.
    pub fn matcher(&self) -> Matcher<'_> {
        let property = |value: &String| match (is_value_pattern(value), value.starts_with('"')) {
            (false, _) => None,
            (true, false) => Some(Glob::plain(value)),
            (true, true) => Some(Glob::quoted(value)),
        };
        Matcher {
            pattern: self,
            domain: has_wildcard(&self.domain).then(|| Glob::plain(&self.domain)),
            values: self.properties.iter().map(|(_, value)| property(value)).collect(),
        }
    }

    /// Whether a name is one of those that this pattern stands for; a pattern never is.
    pub fn matches(&self, name: &ObjectName) -> bool {
        self.matcher().matches(name)
    }

    fn text<'a>(&self, properties: impl Iterator<Item = &'a (String, String)>) -> String {
        let length: usize = self.properties.iter().map(|(key, value)| key.len() + value.len() + 2).sum();
        let mut text = String::with_capacity(self.domain.len() + length + 3);
        text.extend([self.domain.as_str(), ":"]);
        let mut separator = "";
        for (key, value) in properties {
            text.extend([separator, key.as_str(), "=", value.as_str()]);
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
            Some(glob) => glob.matches(&name.domain),
            None => pattern.domain == name.domain,
        };
        domain
            && (pattern.open || pattern.properties.len() == name.properties.len())
            && pattern.properties.iter().zip(&self.values).all(|((key, expected), glob)| {
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
        let (domain, mut rest) = text.split_once(':').ok_or(NameError::Domain)?;
        if domain.contains('\n') {
            return Err(NameError::Domain);
        }
        let mut name = ObjectName { domain: domain.to_owned(), properties: Vec::new(), open: false };
        if rest.is_empty() {
            return Err(NameError::Empty);
        }
        loop {
            let end = name.element(rest)?;
            match rest[end..].strip_prefix(',') {
                Some(after) => rest = after,
                None => break,
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
        let keys = self.properties.iter().map(|(key, _)| key.as_str());
        if self.properties.len() <= 8 {
            return keys
                .enumerate()
                .find(|(index, key)| self.properties[..*index].iter().any(|(other, _)| other == key))
                .map(|(_, key)| key);
        }
        let mut sorted: Vec<&str> = keys.collect();
        sorted.sort_unstable();
        sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
    }

    /// A property or the `*` for others at the beginning of a text, and where it ends.
    fn element(&mut self, text: &str) -> Result<usize, NameError> {
        if text == "*" || text.starts_with("*,") {
            if std::mem::replace(&mut self.open, true) {
                return Err(NameError::Twice { key: "*".to_owned() });
            }
            return Ok(1);
        }
        let invalid_key = |key: &str| NameError::Key { key: key.to_owned() };
        let (key, value) = text.split_once('=').ok_or_else(|| invalid_key(text))?;
        if key.is_empty() || key.contains([',', ':', '*', '?', '\n']) {
            return Err(invalid_key(key));
        }
        let invalid = || NameError::Value { key: key.to_owned() };
        let length = match value.strip_prefix('"') {
            Some(quoted) => 1 + quotation(quoted).ok_or_else(invalid)?,
            None => value.find(',').unwrap_or(value.len()),
        };
        let (value, after) = value.split_at(length);
        let unquoted = !value.starts_with('"');
        if (unquoted && value.contains(['=', ':', '"', '\n']))
            || !(after.is_empty() || after.starts_with(','))
        {
            return Err(invalid());
        }
        self.properties.push((key.to_owned(), value.to_owned()));
        Ok(key.len() + 1 + length)
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
    text.contains(['*', '?'])
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
        self.domain == other.domain
            && self.open == other.open
            && self.properties.len() == other.properties.len()
            && (self.properties == other.properties || self.canonical() == other.canonical())
    }
}

impl Eq for ObjectName {}

impl Hash for ObjectName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical().hash(state);
    }
}
