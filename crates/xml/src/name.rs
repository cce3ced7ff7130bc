//! Names of elements and attributes, and the characters allowed in them.

/// A name with its namespace resolved; the prefix that the sender chose has no meaning and is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name<'i> {
    /// The namespace's name; empty for no namespace.
    pub namespace: &'i str,
    /// The name within it.
    pub local: &'i str,
}

impl<'i> Name<'i> {
    /// Whether it is this name in this namespace.
    pub fn is(&self, namespace: &str, local: &str) -> bool {
        self.local == local && self.namespace == namespace
    }

    /// The local name, if the namespace is this one.
    pub fn of(&self, namespace: &str) -> Option<&'i str> {
        (self.namespace == namespace).then_some(self.local)
    }
}

/// Whether this is a name without a colon (Namespaces in XML, production 4).
#[must_use]
pub fn is_ncname(name: &str) -> bool {
    if let [b'a'..=b'z' | b'A'..=b'Z' | b'_', rest @ ..] = name.as_bytes()
        && rest.iter().all(|octet| PLAIN[usize::from(*octet)])
    {
        return true;
    }
    let mut characters = name.chars();
    characters.next().is_some_and(starts_name) && characters.all(continues_name)
}

/// The characters of ASCII that continue a name.
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut octet = 0;
    while octet < 128 {
        plain[octet] = matches!(octet as u8, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_');
        octet += 1;
    }
    plain
};

/// XML 1.0, production 4, without the colon.
fn starts_name(character: char) -> bool {
    match character {
        'a'..='z' | 'A'..='Z' | '_' => true,
        '\0'..='\x7f' => false,
        '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}' => true,
        '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}' => true,
        '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' => true,
        '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}' | '\u{10000}'..='\u{effff}' => true,
        _ => false,
    }
}

/// XML 1.0, production 4a, without the colon.
fn continues_name(character: char) -> bool {
    match character {
        '0'..='9' | '-' | '.' | '\u{b7}' => true,
        '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}' => true,
        character => starts_name(character),
    }
}

#[cfg(test)]
mod tests {
    use super::is_ncname;

    #[test]
    fn names() {
        for good in ["a", "_1", "IF-MIB", "ifTable.2", "größe", "名"] {
            assert!(is_ncname(good), "{good}");
        }
        for bad in ["", "1a", "-a", ".a", "a:b", "a b", "a\u{d7}", "a\0"] {
            assert!(!is_ncname(bad), "{bad}");
        }
    }
}
