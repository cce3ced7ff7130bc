//! XML for people: one element a line, indented. Names, prefixes and values stay as the server wrote them, but for
//! characters that nobody sees or that steer a terminal: they become references, which stand for the same.

use std::borrow::Cow;
use std::io::Write;

use trunkline_client::netconf::protocol::BASE;
use trunkline_client::netconf::protocol::document::limits;
use trunkline_smi::{is_hidden, visible};
use trunkline_xml::{Event, Reader, Writer, XmlError};

use crate::error::Error;

/// Writes a whole document.
pub fn document(octets: &[u8], for_person: bool, out: &mut impl Write) -> Result<(), Error> {
    write(octets, 0, for_person, out)
}

/// Writes what is within the elements in the document's root: the content of `data`, without the warnings beside it.
pub fn data(octets: &[u8], for_person: bool, out: &mut impl Write) -> Result<(), Error> {
    write(octets, 2, for_person, out)
}

/// Writes the elements that are at least so deep.
fn write(octets: &[u8], from: usize, for_person: bool, out: &mut impl Write) -> Result<(), Error> {
    let broken = |fault: XmlError| Error::Runtime(format!("the reply is not well-formed: {fault}"));
    let mut reader = Reader::new(octets.trim_ascii_start(), limits(octets.len()));
    let mut line = Vec::new();
    // The tag of an element of which nothing is known yet but its begin, and the text in it.
    let mut begun: Option<String> = None;
    let mut text = String::new();
    let mut open: Vec<String> = Vec::new();
    loop {
        match reader.next().map_err(broken)? {
            Event::Start(name) if from > 1 && open.len() == 1 && name.is(BASE, "rpc-error") => {
                over(&mut reader).map_err(broken)?;
            }
            Event::Start(_) => {
                if let Some(tag) = begun.take() {
                    put(&mut line, open.len() - 1 - from, &format!("<{tag}>"), for_person, out)?;
                    own(&text, open.len() - from, for_person, out)?;
                }
                text.clear();
                let tag = reader.tag();
                let name = tag.split(|it: char| it.is_ascii_whitespace()).next().unwrap_or_default();
                if open.len() >= from {
                    let declared = if open.len() == from { outer(&reader, tag) } else { String::new() };
                    begun = Some(format!("{}{declared}", in_line(tag, for_person)));
                }
                open.push(name.to_owned());
            }
            Event::Text(piece) => text.push_str(&piece),
            Event::End(_) => {
                let Some(name) = open.pop() else { continue };
                if open.len() < from {
                    text.clear();
                    continue;
                }
                let depth = open.len() - from;
                match begun.take() {
                    Some(tag) if text.trim().is_empty() => {
                        put(&mut line, depth, &format!("<{tag}/>"), for_person, out)?
                    }
                    Some(tag) => {
                        let element = format!("<{tag}>{}</{name}>", escaped(&text, for_person));
                        put(&mut line, depth, &element, for_person, out)?;
                    }
                    None => put(&mut line, depth, &format!("</{name}>"), for_person, out)?,
                }
                text.clear();
            }
            Event::Eof => return Ok(()),
        }
    }
}

/// Reads on, behind the end of the element that has just begun.
fn over(reader: &mut Reader<'_>) -> Result<(), XmlError> {
    let depth = reader.depth();
    while reader.depth() >= depth && !matches!(reader.next()?, Event::Eof) {}
    Ok(())
}

/// Writes JSON with a member a line, in the order in which it is: keys stay first.
pub fn json(octets: &[u8], out: &mut impl Write) -> std::io::Result<()> {
    let octets = hidden_in_json(&String::from_utf8_lossy(octets)).into_bytes();
    let (mut depth, mut is_text, mut is_escaped) = (0, false, false);
    for (at, octet) in octets.iter().enumerate() {
        let next = octets.get(at + 1);
        let line = |out: &mut dyn Write, depth: usize| write!(out, "\n{:1$}", "", depth * 2);
        match octet {
            b'"' if !is_escaped => is_text = !is_text,
            b'}' | b']' if !is_text && !matches!(octets.get(at.wrapping_sub(1)), Some(b'{' | b'[')) => {
                depth -= 1;
                line(out, depth)?;
            }
            _ => {}
        }
        is_escaped = is_text && *octet == b'\\' && !is_escaped;
        out.write_all(&[*octet])?;
        match octet {
            b'{' | b'[' if !is_text && !matches!(next, Some(b'}' | b']')) => {
                depth += 1;
                line(out, depth)?;
            }
            b',' if !is_text => line(out, depth)?,
            b':' if !is_text => out.write_all(b" ")?,
            _ => {}
        }
    }
    out.write_all(b"\n")
}

/// Characters that nobody sees, or that steer a terminal, as escapes: they are in strings alone, which mean the same then.
fn hidden_in_json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for it in text.chars() {
        match is_hidden(it) {
            true => {
                it.encode_utf16(&mut [0; 2]).iter().for_each(|unit| shown.push_str(&format!("\\u{unit:04x}")))
            }
            false => shown.push(it),
        }
    }
    shown
}

/// Text beside elements, which data has not, but a model of anything may.
fn own(text: &str, depth: usize, for_person: bool, out: &mut impl Write) -> Result<(), Error> {
    match text.trim() {
        "" => Ok(()),
        text => put(&mut Vec::new(), depth, &escaped(text, for_person), for_person, out),
    }
}

fn put(
    line: &mut Vec<u8>,
    depth: usize,
    text: &str,
    for_person: bool,
    out: &mut impl Write,
) -> Result<(), Error> {
    line.clear();
    line.resize(depth * 2, b' ');
    // What is left is in a name, where no reference may be.
    let text = if for_person { visible(text) } else { Cow::Borrowed(text) };
    line.extend_from_slice(text.as_bytes());
    line.push(b'\n');
    Ok(out.write_all(line)?)
}

/// Declarations of the elements around that a tag does not repeat: values in it may use them.
fn outer(reader: &Reader<'_>, tag: &str) -> String {
    let is_repeated = |prefix: &str| tag.contains(&format!("xmlns:{prefix}=")) || prefix == "xml";
    let mut declared = String::new();
    for (prefix, namespace) in reader.scope() {
        let attribute = match prefix {
            "" if namespace != BASE && !tag.contains("xmlns=") => " xmlns".to_owned(),
            "" => continue,
            _ if namespace == BASE || is_repeated(prefix) => continue,
            _ => format!(" xmlns:{prefix}"),
        };
        let mut octets = Vec::new();
        Writer::new(&mut octets).text(namespace);
        let value = String::from_utf8_lossy(&octets).replace('"', "&quot;");
        declared.push_str(&format!("{attribute}=\"{value}\""));
    }
    declared
}

/// A tag whose attributes are a space apart, wherever the server began its lines.
fn in_line(tag: &str, for_person: bool) -> String {
    let mut line = String::with_capacity(tag.len());
    let mut quote = None;
    for it in tag.trim_end().chars() {
        match (quote, it) {
            (Some(open), it) if it == open => quote = None,
            (None, '"' | '\'') => quote = Some(it),
            (None, ' ' | '\t' | '\n' | '\r') => {
                if !line.ends_with(' ') {
                    line.push(' ');
                }
                continue;
            }
            _ => {}
        }
        match quote {
            Some(_) => push(&mut line, it, for_person),
            None => line.push(it),
        }
    }
    line
}

fn escaped(text: &str, for_person: bool) -> String {
    let mut octets = Vec::new();
    Writer::new(&mut octets).text(text);
    let mut shown = String::with_capacity(octets.len());
    String::from_utf8_lossy(&octets).chars().for_each(|it| push(&mut shown, it, for_person));
    shown
}

/// A character of a value. A person sees a value on one line, where a program finds its line ends.
fn push(into: &mut String, it: char, for_person: bool) {
    match is_hidden(it) && (for_person || !matches!(it, '\n' | '\t')) {
        true => into.push_str(&format!("&#x{:X};", u32::from(it))),
        false => into.push(it),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, from: usize) -> String {
        shown_to(false, text, from)
    }

    fn shown_to(person: bool, text: &str, from: usize) -> String {
        let mut out = Vec::new();
        write(text.as_bytes(), from, person, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_has_a_member_a_line_in_its_order() {
        let compact = r#"{"b":[{"k":"1,{\\\"","a":[]},{}],"c":{},"a":[null,true]}"#;
        let mut out = Vec::new();
        json(compact.as_bytes(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&text), value(compact));
        let expected = "{\n  \"b\": [\n    {\n      \"k\": \"1,{\\\\\\\"\",\n      \"a\": []\n    },\n    {}\n  ],\n  \"c\": {},\n  \"a\": [\n    null,\n    true\n  ]\n}\n";
        assert_eq!(text, expected);
        let (hidden, mut out) = ("{\"a\":\"1\u{9b}\u{7f}\u{202e}\u{e0041}\u{e9}\"}", Vec::new());
        json(hidden.as_bytes(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "{\n  \"a\": \"1\\u009b\\u007f\\u202e\\udb40\\udc41\u{e9}\"\n}\n");
        assert_eq!(value(&text), value(hidden));
    }

    #[test]
    fn what_nobody_sees_is_a_reference() {
        let reply = "<a b='1\u{9b}2\u{202e}3&#10;4'>x\u{9b}31m\u{202e}\u{85}y\nz\tw<c/>\u{200b}</a>";
        let begun = "<a b='1&#x9B;2&#x202E;3&#10;4'>\n  x&#x9B;31m&#x202E;&#x85;y";
        assert_eq!(shown(reply, 0), format!("{begun}\nz\tw\n  <c/>\n</a>\n"));
        assert_eq!(shown_to(true, reply, 0), format!("{begun}&#xA;z&#x9;w\n  <c/>\n</a>\n"));
        let whole = shown_to(true, "<a>1\u{202e}2</a>", 0);
        assert_eq!(whole, "<a>1&#x202E;2</a>\n");
        assert_eq!(shown(&whole, 0), whole, "the same value");
    }

    #[test]
    fn elements_have_a_line_each_and_prefixes_stay_declared() {
        let reply = format!(
            "<r xmlns='{BASE}' xmlns:x='urn:x' message-id='1'><data><a xmlns=\"urn:a\"><b>1 &lt; 2</b><c> </c>\
             <d\n  at='3  4'  > <e>x:y</e></d></a><f xmlns='urn:f'/></data></r>"
        );
        assert_eq!(
            shown(&reply, 2),
            "<a xmlns=\"urn:a\" xmlns:x=\"urn:x\">\n  <b>1 &lt; 2</b>\n  <c/>\n  <d at='3  4'>\n    <e>x:y</e>\n  </d>\n</a>\n\
             <f xmlns='urn:f' xmlns:x=\"urn:x\"/>\n"
        );
        // A warning is not data.
        let warned = format!(
            "<rpc-reply xmlns='{BASE}'><rpc-error><error-message>no</error-message></rpc-error><data><a xmlns='u'>1</a></data></rpc-reply>"
        );
        assert_eq!(shown(&warned, 2), "<a xmlns='u'>1</a>\n");
        let whole = shown("<a><b>1</b></a>", 0);
        assert_eq!(whole, "<a>\n  <b>1</b>\n</a>\n");
    }
}
