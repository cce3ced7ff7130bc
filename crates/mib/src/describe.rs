//! From an object identifier to its name: the deepest named node, followed by the row's index in readable form,
//! as Net-SNMP prints it.

use std::fmt::Write;

use trunkline_smi::schema::{IndexEncoding, IndexPart, Notification};
use trunkline_smi::{display_oid, is_hidden, visible};

use crate::catalog::{Catalog, NodeId, Object, ObjectKind};
use crate::style::{NameForm, Quick, Style};
use trunkline_smi::DisplayHint;

/// The description of an object identifier.
#[derive(Clone, Debug)]
pub struct Description {
    /// The defining module, or empty.
    pub module: &'static str,
    /// The deepest name on the path, or empty.
    pub name: &'static str,
    /// How many sub-identifiers the name covers; the rest is the instance.
    pub named: usize,
    /// The object type, if the name is one.
    pub object: Option<Object>,
    /// The notification, if the name is one.
    pub notification: Option<&'static Notification>,
}

/// One part of a row's index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexField {
    /// The index object, or empty for sub-identifiers that fit none.
    pub name: &'static str,
    /// The value for people: `2`, `ipv4`, `127.0.0.1`.
    pub text: String,
    /// The sub-identifiers it was read from.
    pub sub_ids: Vec<u32>,
    /// The value as part of a name, if that differs: Net-SNMP writes IPv6 addresses as sixteen pairs of digits.
    in_names: Option<String>,
    /// The quotes around it in a name: `"`, `'` or none.
    quote: Option<char>,
    /// Whether the text was made by a display hint.
    hinted: bool,
    /// Whether it is an InetAddress, whose quotes Net-SNMP never escapes.
    address: bool,
    /// The value of an index object that is an object identifier.
    identifier: Option<Vec<u32>>,
}

impl Catalog {
    /// Describes `oid`.
    pub fn describe(&self, oid: &[u32]) -> Description {
        let (id, named) = self.deepest(oid);
        let node = self.node(id);
        Description {
            module: node.module,
            name: node.name,
            named,
            object: node.object,
            notification: node.notification,
        }
    }

    /// The index of the row that `oid` is an instance in; empty for anything but a column's instance.
    pub fn index(&self, oid: &[u32]) -> Vec<IndexField> {
        let description = self.describe(oid);
        match description.object {
            Some(Object { kind: ObjectKind::Column, table: Some(table), .. }) => {
                index_fields(table.index, &oid[description.named..])
            }
            _ => Vec::new(),
        }
    }

    /// `oid` as text.
    pub fn format_oid(&self, oid: &[u32], style: &Style) -> String {
        if style.names == NameForm::Numeric {
            return format!(".{}", display_oid(oid));
        }
        let (id, named) = self.deepest(oid);
        let mut out = self.format_node(id, style.names);
        if named == 0 {
            let _ = write!(out, ".{}", display_oid(oid)); // writing to a String cannot fail
            return out;
        }
        for field in self.fields_behind(id, &oid[named..], style) {
            let text = match &field.identifier {
                Some(named) if style.bracket_indexes => self.format_oid(named, style),
                None if style.bracket_indexes && field.hinted => field.labelled(style.quick),
                _ => field.quoted(style.escape_quotes),
            };
            let in_brackets = style.bracket_indexes && !field.name.is_empty();
            // Writing to a String cannot fail.
            let _ = if in_brackets { write!(out, "[{text}]") } else { write!(out, ".{text}") };
        }
        out
    }

    fn fields_behind(&self, id: NodeId, rest: &[u32], style: &Style) -> Vec<IndexField> {
        match self.node(id).object {
            Some(Object { kind: ObjectKind::Column, table: Some(table), .. }) if !style.plain_indexes => {
                index_fields(table.index, rest)
            }
            _ => rest.iter().map(|sub_id| IndexField::number("", *sub_id)).collect(),
        }
    }

    fn format_node(&self, id: NodeId, form: NameForm) -> String {
        let node = self.node(id);
        match form {
            NameForm::Full => self.path_of(id).iter().fold(String::new(), |path, name| path + "." + name),
            NameForm::Ucd => self.ucd_path(id),
            NameForm::Module if !node.module.is_empty() => format!("{}::{}", node.module, node.name),
            _ => node.name.to_owned(),
        }
    }

    /// The path without what every object of MIB-II and of enterprises shares.
    fn ucd_path(&self, id: NodeId) -> String {
        const COMMON: &[&[&str]] = &[
            &["iso", "org", "dod", "internet", "mgmt", "mib-2"],
            &["iso", "org", "dod", "internet", "private"],
        ];
        let path = self.path_of(id);
        let shared = COMMON.iter().find(|common| {
            path.len() > common.len() && path.iter().zip(common.iter()).all(|(own, name)| own == name)
        });
        match shared {
            Some(common) => path[common.len()..].join("."),
            None => path.iter().fold(String::new(), |path, name| path + "." + name),
        }
    }
}

impl IndexField {
    fn number(name: &'static str, sub_id: u32) -> Self {
        IndexField {
            name,
            text: sub_id.to_string(),
            sub_ids: vec![sub_id],
            in_names: None,
            quote: None,
            hinted: false,
            address: false,
            identifier: None,
        }
    }

    /// A value as part of a name: Net-SNMP writes values with a hint this way in brackets.
    fn labelled(&self, quick: Quick) -> String {
        let text = self.in_names.as_ref().unwrap_or(&self.text);
        if quick == Quick::No { format!("STRING: {text}") } else { text.clone() }
    }

    fn quoted(&self, escape: bool) -> String {
        let text = self.in_names.as_ref().unwrap_or(&self.text);
        // Net-SNMP leaves these as they are, and then reads a different name, or none.
        let is_special = |letter: char| letter == '\\' || Some(letter) == self.quote;
        let escaped: String;
        let text = if self.quote.is_some() && text.contains(is_special) {
            let letters = text
                .chars()
                .flat_map(|letter| is_special(letter).then_some('\\').into_iter().chain([letter]));
            escaped = letters.collect();
            &escaped
        } else {
            text
        };
        match self.quote {
            Some(mark) if escape && !self.address => format!("\\{mark}{text}\\{mark}"),
            Some(mark) => format!("{mark}{text}{mark}"),
            None => text.clone(),
        }
    }
}

/// The index objects in these sub-identifiers, as far as they fit; what does not fit follows as numbers.
pub(crate) fn index_fields(parts: &'static [IndexPart], sub_ids: &[u32]) -> Vec<IndexField> {
    let mut fields = Vec::new();
    let mut rest = sub_ids;
    let mut address_type = None;
    for part in parts {
        if rest.is_empty() {
            break;
        }
        let Some((field, after)) = take_field(part, rest, address_type) else { break };
        if part.syntax.convention == "InetAddressType" {
            address_type = field.sub_ids.first().copied();
        }
        fields.push(field);
        rest = after;
    }
    fields.extend(rest.iter().map(|sub_id| IndexField::number("", *sub_id)));
    fields
}

fn take_field<'a>(
    part: &IndexPart,
    sub_ids: &'a [u32],
    address_type: Option<u32>,
) -> Option<(IndexField, &'a [u32])> {
    use IndexEncoding as E;
    let (prefix, length) = match part.encoding {
        E::Integer => (0, 1),
        E::FixedOctets(length) => (0, length),
        E::IpAddress => (0, 4),
        E::NetworkAddress => (1, 4),
        E::ImpliedOctets | E::ImpliedObjectIdentifier => (0, sub_ids.len()),
        E::Octets | E::ObjectIdentifier => (1, *sub_ids.first()? as usize),
    };
    let end = length.checked_add(prefix).filter(|end| *end <= sub_ids.len())?;
    let (taken, rest) = sub_ids.split_at(end);
    let body = &taken[prefix..];
    let (text, quote) = match part.encoding {
        E::Integer => (integer_text(part, body[0]), None),
        E::IpAddress => (display_oid(body).to_string(), None),
        E::ObjectIdentifier | E::NetworkAddress => (display_oid(taken).to_string(), None),
        E::ImpliedObjectIdentifier => (display_oid(body).to_string(), None),
        E::FixedOctets(_) | E::ImpliedOctets => (octet_text(part, body, address_type)?, Some('\'')),
        E::Octets => (octet_text(part, body, address_type)?, Some('"')),
    };
    let short = match part.encoding {
        // The length is not a part of the value, and the family not one of the address.
        E::ObjectIdentifier | E::NetworkAddress => Some(display_oid(body).to_string()),
        _ => short_address(part, body, address_type),
    };
    let (text, in_names) = short.map_or_else(|| (text.clone(), None), |short| (short, Some(text.clone())));
    let identifier =
        matches!(part.encoding, E::ObjectIdentifier | E::ImpliedObjectIdentifier).then(|| body.to_vec());
    let address = part.syntax.convention == "InetAddress";
    let hinted = quote.is_some() && !address && DisplayHint::parse(part.syntax.hint).is_some();
    let sub_ids = taken.to_vec();
    let field = IndexField { name: part.name, text, sub_ids, in_names, quote, hinted, address, identifier };
    Some((field, rest))
}

/// An IPv6 address in its usual short form (RFC 5952).
fn short_address(part: &IndexPart, sub_ids: &[u32], address_type: Option<u32>) -> Option<String> {
    if part.syntax.convention != "InetAddress" || !matches!(address_type, Some(2 | 4)) {
        return None;
    }
    let octets: Vec<u8> = sub_ids.iter().map(|sub_id| u8::try_from(*sub_id).ok()).collect::<Option<_>>()?;
    let (address, zone) = octets.split_at_checked(16)?;
    let address = std::net::Ipv6Addr::from(<[u8; 16]>::try_from(address).ok()?);
    match *zone {
        [] => Some(address.to_string()),
        [a, b, c, d] => Some(format!("{address}%{}", u32::from_be_bytes([a, b, c, d]))),
        _ => None,
    }
}

fn integer_text(part: &IndexPart, number: u32) -> String {
    let name = i32::try_from(number).ok().and_then(|number| part.syntax.name_of(number));
    name.map_or_else(|| number.to_string(), str::to_owned)
}

fn octet_text(part: &IndexPart, sub_ids: &[u32], address_type: Option<u32>) -> Option<String> {
    let octets: Vec<u8> = sub_ids.iter().map(|sub_id| u8::try_from(*sub_id).ok()).collect::<Option<_>>()?;
    if part.syntax.convention == "InetAddress"
        && let Some(text) = address_type.and_then(|kind| inet_text(kind, &octets))
    {
        return Some(text);
    }
    if part.syntax.hint.ends_with(['a', 't']) {
        // A text may come from anybody: names must not contain invisible characters.
        let text = String::from_utf8(octets.clone()).ok().filter(|text| !text.contains(is_hidden));
        return Some(text.unwrap_or_else(|| octets.iter().map(|octet| index_char(*octet)).collect()));
    }
    if let Some(hint) = DisplayHint::parse(part.syntax.hint)
        && let Some(text) = hint.format_octets(&octets)
    {
        return Some(visible(&text).into_owned());
    }
    Some(octets.iter().map(|octet| index_char(*octet)).collect())
}

fn index_char(octet: u8) -> char {
    if octet.is_ascii_graphic() || octet == b' ' { char::from(octet) } else { '.' }
}

/// An address by its InetAddressType (RFC 4001): 1 ipv4, 2 ipv6, 3 and 4 with a zone.
fn inet_text(kind: u32, octets: &[u8]) -> Option<String> {
    let (address, zone) = match (kind, octets.len()) {
        (1, 4) | (2, 16) => (octets, None),
        (3, 8) | (4, 20) => {
            let (address, zone) = octets.split_at(octets.len() - 4);
            (address, Some(zone.iter().fold(0u32, |number, octet| (number << 8) | u32::from(*octet))))
        }
        _ => return None,
    };
    let (mark, digits): (&str, fn(&u8) -> String) =
        if address.len() == 4 { (".", u8::to_string) } else { (":", |octet| format!("{octet:02x}")) };
    let mut text = address.iter().map(digits).collect::<Vec<_>>().join(mark);
    if let Some(zone) = zone {
        let _ = write!(text, "%{zone}"); // writing to a String cannot fail
    }
    Some(text)
}
