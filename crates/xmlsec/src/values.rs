//! What canonicalisation makes of values: white space in attributes, and the prefixes that values have of namespaces.

use std::borrow::Cow;
use std::collections::BTreeMap;

use trunkline_xml::{Event, Limits, Reader};

use crate::canonical::is_foreign;
use crate::error::Malformed;
use crate::template::PROTECTED;

/// The document with the values of its attributes normalised (XML 1.0 section 3.3.3): a tab and an end of line are a space each. Comments,
/// CDATA sections and processing instructions it has none.
pub(crate) fn normalized(document: &str) -> Cow<'_, str> {
    let mut done: Option<String> = None;
    let (mut kept, mut quote, mut in_tag) = (0, None, false);
    let octets = document.as_bytes();
    for (at, octet) in octets.iter().enumerate() {
        match (*octet, quote) {
            (b'<', None) => in_tag = true,
            (b'>', None) => in_tag = false,
            (b'"' | b'\'', None) if in_tag => quote = Some(*octet),
            (found, Some(open)) if found == open => quote = None,
            (b'\t' | b'\n' | b'\r', Some(_)) => {
                let done = done.get_or_insert_default();
                done.push_str(&document[kept..at]);
                // Of two that end one line, one is left.
                if *octet != b'\r' || octets.get(at + 1) != Some(&b'\n') {
                    done.push(' ');
                }
                kept = at + 1;
            }
            _ => {}
        }
    }
    match done {
        None => Cow::Borrowed(document),
        Some(mut done) => {
            done.push_str(&document[kept..]);
            Cow::Owned(done)
        }
    }
}

/// Whether the values of a content mean in its canonical form what they mean in the message. Exclusive canonical form declares the
/// namespaces that names of elements and attributes have; those that only values have are not signed.
///
/// # Errors
/// The message is malformed.
pub(crate) fn mean_the_same(message: &[u8], canonical: &[u8]) -> Result<bool, Malformed> {
    let limits = |octets: &[u8]| Limits { octets: octets.len(), text: octets.len(), ..Limits::MESSAGE };
    let mut sent = Reader::new(message, limits(message));
    while !matches!(sent.next()?, Event::Start(name) if name.is(PROTECTED, "content")) {}
    let mut signed = Reader::new(canonical, limits(canonical));
    // White space in front of the content.
    let mut first = sent.next()?;
    if matches!(first, Event::Text(_)) {
        first = sent.next()?;
    }
    let mut events = (first, signed.next()?);
    loop {
        match &events {
            (Event::Start(_), Event::Start(_)) => {
                let attributes = signed.attributes();
                if !attributes.is_empty() {
                    let lost = lost(&sent, &signed);
                    if attributes.iter().any(|it| lost.iter().any(|prefix| has_prefix(&it.value, prefix))) {
                        return Ok(false);
                    }
                }
            }
            (Event::Text(_), Event::Text(text)) => {
                let lost = lost(&sent, &signed);
                let is_white = text.trim_ascii().is_empty();
                let means = |prefix: &&str| match prefix.is_empty() {
                    true => !is_white,
                    false => has_prefix(text, prefix),
                };
                if lost.iter().any(means) {
                    return Ok(false);
                }
            }
            (Event::End(_), Event::End(_)) if signed.depth() == 0 => return Ok(true),
            (Event::End(_), Event::End(_)) => {}
            _ => return Ok(false),
        }
        events = (sent.next()?, signed.next()?);
    }
}

/// The prefixes that are declared otherwise in the message than in what is signed.
fn lost<'m>(sent: &Reader<'m>, signed: &Reader<'_>) -> Vec<&'m str> {
    let is_declared = |(_, namespace): &(&str, &str)| !namespace.is_empty() && is_foreign(namespace);
    let signed: BTreeMap<_, _> = signed.scope().collect();
    let sent: BTreeMap<_, _> = sent.scope().collect();
    let differs = |(prefix, namespace): &(&str, &str)| signed.get(prefix) != Some(namespace);
    sent.into_iter().filter(is_declared).filter(differs).map(|(prefix, _)| prefix).collect()
}

/// Whether a value may have a name with this prefix.
fn has_prefix(value: &str, prefix: &str) -> bool {
    let of_name = |character: char| character.is_alphanumeric() || matches!(character, '-' | '.' | '_');
    !prefix.is_empty()
        && value
            .match_indices(prefix)
            .any(|(at, _)| value[at + prefix.len()..].starts_with(':') && !value[..at].ends_with(of_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_in_attributes_is_a_space() {
        for (document, expected) in [
            ("<a b='1\t2\n3\r\n4\r5\r\r6'>\t\r\n</a>", "<a b='1 2 3 4 5  6'>\t\r\n</a>"),
            ("<a\n b=\"'\n>\"\tc='\"\n'>\"\n\"</a>", "<a\n b=\"' >\"\tc='\" '>\"\n\"</a>"),
            ("<a b='&#10;'/>", "<a b='&#10;'/>"),
        ] {
            assert_eq!(normalized(document), expected);
            assert_eq!(normalized(expected), expected);
        }
        assert!(matches!(normalized("<a b='c'>\n</a>"), Cow::Borrowed(_)));
    }

    #[test]
    fn prefixes_are_found_in_values() {
        for (value, expected) in [
            ("p:x", true),
            ("/p:a/b", true),
            ("xp:a p :b", false),
            ("a p:b", true),
            ("p", false),
            ("px:a", false),
        ] {
            assert_eq!(has_prefix(value, "p"), expected, "{value}");
        }
    }

    fn alike(content: &str, canonical: &str) -> bool {
        let message =
            format!("<message xmlns='{PROTECTED}' xmlns:o='urn:o'><content>\n{content}</content></message>");
        mean_the_same(message.as_bytes(), canonical.as_bytes()).unwrap()
    }

    #[test]
    fn what_only_values_use_is_noticed() {
        for (content, canonical, expected) in [
            // Nobody uses it.
            ("<a xmlns='urn:a' xmlns:v='urn:v'>x</a>", "<a xmlns=\"urn:a\">x</a>", true),
            ("<a xmlns='urn:a' xmlns:v='urn:v'>v:x</a>", "<a xmlns=\"urn:a\">v:x</a>", false),
            ("<a xmlns='urn:a' xmlns:v='urn:v' b='/v:x'/>", "<a xmlns=\"urn:a\" b=\"/v:x\"></a>", false),
            ("<a xmlns='urn:a'>o:x</a>", "<a xmlns=\"urn:a\">o:x</a>", false),
            // Declared where it is needed, and further out besides.
            (
                "<a xmlns='urn:a' xmlns:v='urn:v'><v:b>v:x</v:b>y</a>",
                "<a xmlns=\"urn:a\"><v:b xmlns:v=\"urn:v\">v:x</v:b>y</a>",
                true,
            ),
            (
                "<a xmlns='urn:a' xmlns:v='urn:v'><v:b>x</v:b>v:y</a>",
                "<a xmlns=\"urn:a\"><v:b xmlns:v=\"urn:v\">x</v:b>v:y</a>",
                false,
            ),
            // The namespace of values without a prefix.
            ("<p:a xmlns:p='urn:p' xmlns='urn:a'>x</p:a>", "<p:a xmlns:p=\"urn:p\">x</p:a>", false),
            (
                "<p:a xmlns:p='urn:p' xmlns='urn:a'> <b/></p:a>",
                "<p:a xmlns:p=\"urn:p\"> <b xmlns=\"urn:a\"></b></p:a>",
                true,
            ),
            ("<p:a xmlns:p='urn:p'>x</p:a>", "<p:a xmlns:p=\"urn:p\">x</p:a>", true),
        ] {
            assert_eq!(alike(content, canonical), expected, "{content}");
        }
    }
}
