//! Whether an element is in exclusive canonical form as it stands inside the content of a message.
//!
//! This checks, and changes nothing: what it does not recognise is not canonical. Then a writer puts the element into base64, and
//! a reader has it canonicalised. So it may be narrower than the recommendation (Exclusive XML Canonicalization 1.0), never wider.

use crate::template::{DSIG, PROTECTED, XENC};

/// How many octets the element at the beginning of these has, if it is canonical. The octets within are UTF-8 with characters that
/// XML allows.
pub(crate) fn element(octets: &[u8]) -> Option<usize> {
    let mut scan = Scan {
        octets,
        at: 0,
        open: Vec::with_capacity(8),
        bound: vec![("", PROTECTED)],
        attributes: Vec::new(),
        count: 0,
    };
    scan.run()?;
    let text = std::str::from_utf8(&octets[..scan.at]).ok()?;
    trunkline_xml::is_text(text).then_some(scan.at)
}

/// Whether attributes of this name identify elements for some library.
pub(crate) fn is_identifier(local: &str) -> bool {
    matches!(local, "id" | "Id" | "ID" | "AssertionID")
}

/// Whether a part of a content may be in this namespace: those of the message itself would be mistaken for it.
pub(crate) fn is_foreign(namespace: &str) -> bool {
    namespace != PROTECTED && namespace != DSIG && namespace != XENC
}

/// Whether a namespace's name is an absolute URI by its characters: readers of XML refuse some others.
fn is_uri(name: &str) -> bool {
    let of_uri = |octet: u8| octet.is_ascii_alphanumeric() || b"-._~:/?#[]@!$()*+,;=%".contains(&octet);
    name.contains(':') && name.bytes().all(of_uri)
}

/// How many elements, attributes and declarations of namespaces a start tag makes, or somewhat more.
pub(crate) fn weight(tag: &[u8]) -> usize {
    1 + tag.iter().filter(|octet| **octet == b'=').count()
}

struct Scan<'o> {
    octets: &'o [u8],
    at: usize,
    /// The elements that are open, and how many namespaces were bound before each.
    open: Vec<(&'o [u8], usize)>,
    /// Prefixes and namespaces that are declared, which in canonical form are those that are used.
    bound: Vec<(&'o str, &'o str)>,
    /// Of the current start tag: prefix, local name.
    attributes: Vec<(&'o str, &'o str)>,
    /// The [`weight`] of all tags so far.
    count: usize,
}

impl<'o> Scan<'o> {
    /// To the end of the first element.
    fn run(&mut self) -> Option<()> {
        loop {
            self.eat(b"<")?;
            if self.eat(b"/").is_some() {
                let (name, bound) = self.open.pop()?;
                self.eat(name)?;
                self.eat(b">")?;
                self.bound.truncate(bound);
            } else {
                self.start()?;
            }
            if self.open.is_empty() {
                return Some(());
            }
            self.text()?;
        }
    }

    fn start(&mut self) -> Option<()> {
        if self.open.len() == DEEPEST {
            return None;
        }
        let (from, bound) = (self.at, self.bound.len());
        let (prefix, _) = self.name()?;
        self.open.push((&self.octets[from..self.at], bound));
        self.attributes.clear();
        while self.eat(b" ").is_some() {
            self.attribute(bound)?;
        }
        self.eat(b">")?;
        self.count += weight(&self.octets[from..self.at]);
        if self.count > MOST {
            return None;
        }
        self.check_namespaces(prefix, bound)
    }

    /// One attribute. Those that declare namespaces come first, in the order of their prefixes.
    fn attribute(&mut self, bound: usize) -> Option<()> {
        if self.attributes.len() + self.bound.len() > MOST_ATTRIBUTES {
            return None;
        }
        let (prefix, local) = self.name()?;
        self.eat(b"=\"")?;
        let value = self.value()?;
        let declared = match (prefix, local) {
            ("", "xmlns") => "",
            ("xmlns", prefix) => prefix,
            _ => {
                self.attributes.push((prefix, local));
                return (!is_identifier(local)).then_some(());
            }
        };
        let in_order = self.bound[bound..].last().is_none_or(|(before, _)| *before < declared);
        let absolute = value.is_empty() && declared.is_empty() || is_uri(value);
        let reserved = declared.starts_with("xml")
            || value.starts_with("http://www.w3.org/XML/1998/")
            || value.starts_with("http://www.w3.org/2000/xmlns");
        let changes = self.namespace(declared) != Some(value);
        let valid =
            self.attributes.is_empty() && in_order && absolute && !reserved && changes && is_foreign(value);
        self.bound.push((declared, value));
        valid.then_some(())
    }

    /// Namespaces are declared where they are used first and nowhere else, and attributes are in the order of namespace and name.
    fn check_namespaces(&self, prefix: &str, bound: usize) -> Option<()> {
        if !is_foreign(self.namespace(prefix)?) {
            return None;
        }
        let used = |declared: &str| {
            prefix == declared
                || !declared.is_empty() && self.attributes.iter().any(|(prefix, _)| *prefix == declared)
        };
        if !self.bound[bound..].iter().all(|(declared, _)| used(declared)) {
            return None;
        }
        let mut before = None;
        for (prefix, local) in &self.attributes {
            let namespace = if prefix.is_empty() { "" } else { self.namespace(prefix)? };
            let this = Some((namespace, *local));
            if before >= this || local.starts_with("xmlns") {
                return None;
            }
            before = this;
        }
        Some(())
    }

    fn namespace(&self, prefix: &str) -> Option<&'o str> {
        self.bound.iter().rev().find(|(bound, _)| *bound == prefix).map(|(_, namespace)| *namespace)
    }

    /// A name of ASCII: prefix and local name.
    fn name(&mut self) -> Option<(&'o str, &'o str)> {
        let first = self.part()?;
        if self.eat(b":").is_some() { Some((first, self.part()?)) } else { Some(("", first)) }
    }

    fn part(&mut self) -> Option<&'o str> {
        let rest = &self.octets[self.at..];
        let continues = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_');
        let length = rest.iter().take(LONGEST_NAME + 1).take_while(|octet| continues(octet)).count();
        let begins = rest.first().is_some_and(|octet| octet.is_ascii_alphabetic() || *octet == b'_');
        if !begins || length > LONGEST_NAME {
            return None;
        }
        self.at += length;
        std::str::from_utf8(&rest[..length]).ok()
    }

    /// The value of an attribute, and the quotation mark behind it.
    fn value(&mut self) -> Option<&'o str> {
        let from = self.at;
        loop {
            match *self.octets.get(self.at)? {
                b'"' => break,
                b'<' | b'\t' | b'\n' | b'\r' => return None,
                b'&' => self.reference(&[b"&amp;", b"&lt;", b"&quot;", b"&#x9;", b"&#xA;", b"&#xD;"])?,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        std::str::from_utf8(&self.octets[from..self.at - 1]).ok()
    }

    /// Text up to the next tag.
    fn text(&mut self) -> Option<()> {
        loop {
            let rest = &self.octets[self.at..];
            let length = memchr::memchr3(b'<', b'>', b'&', rest)?;
            if memchr::memchr(b'\r', &rest[..length]).is_some() {
                return None;
            }
            self.at += length;
            match rest[length] {
                b'<' => return Some(()),
                b'&' => self.reference(&[b"&amp;", b"&lt;", b"&gt;", b"&#xD;"])?,
                _ => return None,
            }
        }
    }

    fn reference(&mut self, known: &[&[u8]]) -> Option<()> {
        known.iter().find_map(|reference| self.eat(reference))
    }

    fn eat(&mut self, expected: &[u8]) -> Option<()> {
        self.octets[self.at..].starts_with(expected).then(|| self.at += expected.len())
    }
}

/// Elements, attributes and declarations of namespaces of one content that stays readable. The library keeps all of them in memory,
/// of messages that are not authentic too.
pub(crate) const MOST: usize = 20_000;

/// Elements within each other; fewer than the reader of all spellings accepts, as are the other two.
const DEEPEST: usize = 56;
const MOST_ATTRIBUTES: usize = 64;
const LONGEST_NAME: usize = 100;
