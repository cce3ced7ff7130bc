//! A message for people: every octet of it, field by field, as in figures 1 to
//! 3 of Pras 2005. Behind `trunkline --octets`; malformed messages are shown
//! as far as they can be read.

mod compressed;
mod v3;

use std::borrow::Cow;
use std::fmt::Write as _;

use trunkline_smi::{display_oid, is_hidden};

use super::compression::{NameReader, is_compressed};
use super::reader::{Found, Reader, integer};
use super::{ErrorStatus, PduKind, RawValue, Version, tag};
use crate::{DecodeError, Element};

/// Some octets of a message and their meaning. The fields of a message lie end to end: each starts where the
/// previous one ends, and together they are all of its octets. A field that contains others covers only its own
/// type and length octets; its contents follow, one level deeper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Where it starts in the message.
    pub offset: usize,
    /// How many octets.
    pub len: usize,
    /// How many of them, the first, are type and length; 0 where the octets make no element.
    pub header: usize,
    /// How deep it lies: 0 is the message itself.
    pub depth: usize,
    /// What it is: `version`, `request-id`, `GetBulkRequest`, `VarBind`, `name` ...
    pub name: Cow<'static, str>,
    /// Its type and value, such as `INTEGER v2c(1)`; or what is wrong.
    pub detail: String,
    /// The octets are invalid here.
    pub wrong: bool,
}

/// All octets of a message, field by field. Reads messages of all versions with any PDU by name, and any other
/// BER by type alone; compressed names are shown in full. Encrypted or deflated parts are labelled and not
/// decoded.
pub fn annotate(octets: &[u8]) -> Vec<Field> {
    let mut annotator = Annotator { fields: Vec::new(), names: None };
    let mut reader = Reader::new(octets);
    let result = annotator.message(&mut reader);
    annotator.close(result, reader, Element::Message, 0);
    annotator.fields
}

struct Annotator {
    fields: Vec<Field>,
    /// In a PDU with compressed names: the name before.
    names: Option<NameReader>,
}

impl Annotator {
    fn message(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        let found = reader.expect(tag::SEQUENCE, Element::Message)?;
        self.container(&found, 0, "message", "SEQUENCE");
        let mut contents = found.contents;
        let result = self.message_contents(&mut contents);
        self.close(result, contents, Element::Pdu, 1);
        Ok(())
    }

    fn message_contents(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        let found = reader.expect(tag::INTEGER, Element::Version)?;
        let code = self.integer(&found, Element::Version, 1, "version", |code| {
            Version::from_code(code).map_or_else(|| code.to_string(), |v| format!("{v}({code})"))
        });
        let version = match code.and_then(Version::from_code) {
            Some(Version::V3) => return self.v3_contents(reader),
            Some(version) => version,
            None => return self.anything(reader, 1),
        };
        let community = reader.expect(tag::OCTET_STRING, Element::Community)?;
        self.field(&community, 1, "community", format!("OCTET STRING {}", text(community.contents.rest())));
        self.pdu(reader, version, 1)
    }

    /// A whole PDU of any kind that the version may have.
    fn pdu(&mut self, reader: &mut Reader<'_>, version: Version, depth: usize) -> Result<(), DecodeError> {
        let pdu = reader.any(Element::Pdu)?;
        if version != Version::V3 && is_compressed(pdu.tag) {
            return self.compressed(&pdu, version, depth);
        }
        let kind =
            PduKind::from_tag(pdu.tag).filter(|&kind| kind != PduKind::TrapV1 || version != Version::V3);
        let Some(kind) = kind else {
            let detail = DecodeError::UnknownPdu { offset: pdu.offset, found: pdu.tag }.to_string();
            self.wrong(pdu.offset, pdu.header() + pdu.contents.rest().len(), depth, detail);
            return Ok(());
        };
        self.container(&pdu, depth, kind.name(), "PDU");
        let mut contents = pdu.contents;
        let result = match kind {
            PduKind::TrapV1 => self.trap_v1_contents(&mut contents, version, depth + 1),
            _ => self.pdu_contents(&mut contents, kind, version, depth + 1),
        };
        self.close(result, contents, Element::Bindings, depth + 1);
        Ok(())
    }

    fn pdu_contents(
        &mut self,
        reader: &mut Reader<'_>,
        kind: PduKind,
        version: Version,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let found = reader.expect(tag::INTEGER, Element::RequestId)?;
        self.integer(&found, Element::RequestId, depth, "request-id", |number| number.to_string());
        let bulk = kind == PduKind::GetBulk;
        let found = reader.expect(tag::INTEGER, Element::ErrorStatus)?;
        let name = if bulk { "non-repeaters" } else { "error-status" };
        self.integer(&found, Element::ErrorStatus, depth, name, |code| match ErrorStatus::from_code(code) {
            Some(status) if !bulk => format!("{status}({code})"),
            _ => code.to_string(),
        });
        let found = reader.expect(tag::INTEGER, Element::ErrorIndex)?;
        let name = if bulk { "max-repetitions" } else { "error-index" };
        self.integer(&found, Element::ErrorIndex, depth, name, |number| number.to_string());
        self.bindings(reader, version, depth)
    }

    /// RFC 1157 section 4.1.6: enterprise, agent-addr, generic-trap, specific-trap, time-stamp, and the list.
    fn trap_v1_contents(
        &mut self,
        reader: &mut Reader<'_>,
        version: Version,
        depth: usize,
    ) -> Result<(), DecodeError> {
        for (name, expected) in [
            ("enterprise", tag::OBJECT_IDENTIFIER),
            ("agent-addr", tag::IP_ADDRESS),
            ("generic-trap", tag::INTEGER),
            ("specific-trap", tag::INTEGER),
            ("time-stamp", tag::TIME_TICKS),
        ] {
            let found = reader.expect(expected, Element::Value)?;
            self.value(&found, version, depth, name);
        }
        self.bindings(reader, version, depth)
    }

    fn bindings(
        &mut self,
        reader: &mut Reader<'_>,
        version: Version,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let list = reader.expect(tag::SEQUENCE, Element::Bindings)?;
        self.container(&list, depth, "variable-bindings", "SEQUENCE OF");
        let mut bindings = list.contents;
        let mut result = Ok(());
        while !bindings.is_empty() && result.is_ok() {
            result = self.binding(&mut bindings, version, depth + 1);
        }
        self.close(result, bindings, Element::Bindings, depth + 1);
        Ok(())
    }

    fn binding(
        &mut self,
        reader: &mut Reader<'_>,
        version: Version,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let found = reader.expect(tag::SEQUENCE, Element::Binding)?;
        self.container(&found, depth, "VarBind", "SEQUENCE");
        let mut contents = found.contents;
        let result = self.binding_contents(&mut contents, version, depth + 1);
        self.close(result, contents, Element::Binding, depth + 1);
        Ok(())
    }

    fn binding_contents(
        &mut self,
        reader: &mut Reader<'_>,
        version: Version,
        depth: usize,
    ) -> Result<(), DecodeError> {
        if self.names.is_some() {
            let name = reader.any(Element::Name)?;
            self.compressed_name(&name, depth);
        } else {
            let name = reader.expect(tag::OBJECT_IDENTIFIER, Element::Name)?;
            self.value(&name, version, depth, "name");
        }
        let value = reader.any(Element::Value)?;
        self.value(&value, version, depth, "value");
        Ok(())
    }

    /// Elements without a name here: each by its type.
    fn anything(&mut self, reader: &mut Reader<'_>, depth: usize) -> Result<(), DecodeError> {
        while !reader.is_empty() {
            let found = reader.any(Element::Value)?;
            let constructed = found.tag & 0x20 != 0;
            if constructed && depth < DEEPEST {
                self.container(&found, depth, "element", &type_name(found.tag));
                let mut contents = found.contents;
                let result = self.anything(&mut contents, depth + 1);
                self.close(result, contents, Element::Value, depth + 1);
            } else {
                self.value(&found, Version::V2c, depth, "element");
            }
        }
        Ok(())
    }

    /// A number that is at least `least`; `say` describes it. `None` if it is not one.
    fn integer_within(
        &mut self,
        found: &Found<'_>,
        element: Element,
        least: i32,
        depth: usize,
        say: impl Fn(i32) -> String,
    ) -> Option<i32> {
        let number = self.integer(found, element, depth, element.name(), say)?;
        if number < least {
            let (offset, found) = (found.offset, number);
            self.mark_wrong(&DecodeError::IntegerRange { element, offset, least, found });
            return None;
        }
        Some(number)
    }

    /// A number; `say` describes it. `None` if it is not one.
    fn integer(
        &mut self,
        found: &Found<'_>,
        element: Element,
        depth: usize,
        name: &'static str,
        say: impl Fn(i32) -> String,
    ) -> Option<i32> {
        match integer(found.contents.rest(), element, found.offset) {
            Ok(number) => {
                self.field(found, depth, name, format!("INTEGER {}", say(number)));
                Some(number)
            }
            Err(error) => {
                self.wrong_field(found, depth, name, &error);
                None
            }
        }
    }

    fn value(&mut self, found: &Found<'_>, version: Version, depth: usize, name: &'static str) {
        match RawValue::read(found, version) {
            Ok(value) => self.field(found, depth, name, say(&value)),
            Err(error) => self.wrong_field(found, depth, name, &error),
        }
    }

    /// Type and length of what holds other fields.
    fn container(&mut self, found: &Found<'_>, depth: usize, name: &'static str, kind: &str) {
        let (offset, len) = (found.offset, found.header());
        let detail = format!("{kind}, {} octets", found.contents.rest().len());
        self.fields.push(Field { offset, len, header: len, depth, name: name.into(), detail, wrong: false });
    }

    /// A whole element without others inside.
    fn field(&mut self, found: &Found<'_>, depth: usize, name: &'static str, detail: String) {
        let (offset, header) = (found.offset, found.header());
        let len = header + found.contents.rest().len();
        self.fields.push(Field { offset, len, header, depth, name: name.into(), detail, wrong: false });
    }

    fn wrong_field(&mut self, found: &Found<'_>, depth: usize, name: &'static str, error: &DecodeError) {
        self.field(found, depth, name, String::new());
        self.mark_wrong(error);
    }

    /// The last field is invalid.
    fn mark_wrong(&mut self, error: &DecodeError) {
        if let Some(field) = self.fields.last_mut() {
            field.detail = error.to_string();
            field.wrong = true;
        }
    }

    /// Octets that make no element.
    fn wrong(&mut self, offset: usize, len: usize, depth: usize, detail: String) {
        let name = Cow::Borrowed("malformed");
        self.fields.push(Field { offset, len, header: 0, depth, name, detail, wrong: true });
    }

    /// Ends what held other elements: octets that are left in it are shown with the reason.
    fn close(&mut self, result: Result<(), DecodeError>, rest: Reader<'_>, last: Element, depth: usize) {
        if let Err(error) = result.and_then(|()| rest.finish(last)) {
            self.wrong(rest.offset(), rest.rest().len(), depth, error.to_string());
        }
    }
}

fn say(value: &RawValue<'_>) -> String {
    match *value {
        RawValue::Unspecified => "NULL".into(),
        RawValue::Exception(exception) => exception.to_string(),
        RawValue::Integer(v) => format!("INTEGER {v}"),
        RawValue::OctetString(v) => format!("OCTET STRING {}", text(v)),
        RawValue::ObjectIdentifier(v) => format!("OBJECT IDENTIFIER {}", display_oid(&v.to_buf())),
        RawValue::IpAddress([a, b, c, d]) => format!("IpAddress {a}.{b}.{c}.{d}"),
        RawValue::Counter32(v) => format!("Counter32 {v}"),
        RawValue::Unsigned32(v) => format!("Gauge32 {v}"),
        RawValue::TimeTicks(v) => format!("TimeTicks {v}"),
        RawValue::Opaque(v) => format!("Opaque {}", hexadecimal(v)),
        RawValue::Counter64(v) => format!("Counter64 {v}"),
    }
}

/// Octets as quoted text if they are printable, otherwise in hexadecimal.
fn text(octets: &[u8]) -> String {
    match std::str::from_utf8(octets) {
        Ok(text) if !text.contains(is_hidden) => {
            let shown: String = text.chars().take(LONGEST).collect();
            let more = if shown.len() < text.len() { "..." } else { "" };
            format!("{shown:?}{more}")
        }
        _ => hexadecimal(octets),
    }
}

fn hexadecimal(octets: &[u8]) -> String {
    let mut shown = String::new();
    for octet in octets.iter().take(LONGEST) {
        let gap = if shown.is_empty() { "" } else { " " };
        let _ = write!(shown, "{gap}{octet:02x}"); // writing to a String does not fail
    }
    if octets.len() > LONGEST {
        shown.push_str("...");
    }
    shown
}

fn type_name(tag: u8) -> String {
    match tag {
        tag::SEQUENCE => "SEQUENCE".into(),
        _ => format!("type {tag:#04x}"),
    }
}

/// How much of a string is shown, in characters or octets.
const LONGEST: usize = 256;

/// How deep elements without names are followed.
const DEEPEST: usize = 16;

#[cfg(test)]
mod tests {
    use trunkline_smi::{Oid, Value};

    use super::*;
    use crate::wire::{Message, Pdu, VarBind};

    fn lines(octets: &[u8]) -> Vec<String> {
        let fields = annotate(octets);
        let mut at = 0;
        for field in &fields {
            assert_eq!(field.offset, at, "{field:?} does not start where the one before ends");
            at += field.len;
        }
        assert_eq!(at, octets.len(), "not all octets are in a field");
        let line = |f: &Field| format!("{}{} {} {}", " ".repeat(f.depth), f.len, f.name, f.detail);
        fields.iter().map(line).collect()
    }

    #[test]
    fn a_bulk_request_and_its_response() {
        let name = Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 10]);
        let message = |pdu| Message { version: Version::V2c, community: b"public".to_vec(), pdu }.encode();
        assert_eq!(
            lines(&message(Pdu::bulk(300, 0, 66, [&name]))),
            [
                "2 message SEQUENCE, 40 octets",
                " 3 version INTEGER v2c(1)",
                " 8 community OCTET STRING \"public\"",
                " 2 GetBulkRequest PDU, 27 octets",
                "  4 request-id INTEGER 300",
                "  3 non-repeaters INTEGER 0",
                "  3 max-repetitions INTEGER 66",
                "  2 variable-bindings SEQUENCE OF, 15 octets",
                "   2 VarBind SEQUENCE, 13 octets",
                "    11 name OBJECT IDENTIFIER 1.3.6.1.2.1.2.2.1.10",
                "    2 value NULL",
            ]
        );
        let binding = VarBind::new(name.child(&[1]), Value::Counter32(123));
        let response = Pdu { error_status: 5, ..Pdu::new(PduKind::Response, 300, vec![binding]) };
        let shown = lines(&message(response));
        assert!(shown.contains(&"  3 error-status INTEGER genErr(5)".into()), "{shown:?}");
        assert_eq!(shown[10], "    3 value Counter32 123");
    }

    #[test]
    fn a_trap_of_version_1_and_a_message_of_no_version() {
        let trap = [
            &[0x30, 0x27, 2, 1, 0, 4, 1, b'c', 0xa4, 0x1f, 6, 3, 0x2b, 6, 1, 0x40, 4, 127, 0, 0, 1][..],
            &[2, 1, 6, 2, 1, 9, 0x43, 1, 100, 0x30, 9, 0x30, 7, 6, 2, 0x2b, 6, 2, 1, 7],
        ]
        .concat();
        let shown = lines(&trap);
        assert!(shown.contains(&"  3 specific-trap INTEGER 9".into()), "{shown:?}");
        assert!(annotate(&trap).iter().all(|field| !field.wrong), "{shown:?}");
        let shown = lines(&[0x30, 12, 2, 1, 4, 0x30, 7, 2, 1, 5, 4, 2, 0xff, 0]);
        assert_eq!(shown[1], " 3 version INTEGER 4");
        assert_eq!(shown[3..], ["  3 element INTEGER 5", "  4 element OCTET STRING ff 00"]);
    }

    #[test]
    fn errors_are_annotated_and_the_rest_is_still_decoded() {
        let name = Oid::from([1, 3, 6]);
        let pdu = Pdu::read(PduKind::Get, 1, [&name, &name]);
        let mut octets = Message { version: Version::V1, community: vec![0, 1], pdu }.encode();
        let first_value = octets.len() - 10;
        octets[first_value] = 0x46;
        let shown = lines(&octets);
        assert_eq!(shown[2], " 4 community OCTET STRING 00 01");
        assert_eq!(shown.last().unwrap(), "    2 value NULL");
        let wrong: Vec<Field> = annotate(&octets).into_iter().filter(|field| field.wrong).collect();
        assert_eq!((wrong.len(), wrong[0].offset), (1, first_value));
        assert!(wrong[0].detail.contains("does not exist in SNMP v1"), "{wrong:?}");
    }
}
