//! Values for people: type, display hint, enumeration, bits and units, in Net-SNMP's format.

use std::borrow::Cow;
use std::fmt::Write;

use trunkline_smi::schema::Syntax;
use trunkline_smi::{ValueKind, ValueRef, visible, visible_lines};

use crate::catalog::{Catalog, Object};
use crate::style::{OctetStyle, Quick, Style};
use trunkline_smi::DisplayHint;

impl Catalog {
    /// A value as printed after `NAME = `: `INTEGER: up(1)`. No character from the agent ends the line; only
    /// hexadecimal output may take several lines, if [`Style::hex_line`] is set.
    pub fn format_value(&self, value: ValueRef<'_>, object: Option<&Object>, style: &Style) -> String {
        let syntax = object.map(|object| object.syntax);
        // A value of another type than the module's is shown as what it is, with a note.
        let expected = syntax.filter(|syntax| syntax.kind != value.kind());
        let syntax = syntax.filter(|syntax| syntax.kind == value.kind());
        let quick = style.quick != Quick::No;
        let mut out = String::new();
        if let Some(expected) = expected
            && style.quick != Quick::Equals
        {
            // Writing to a String cannot fail, here and below.
            let _ = write!(out, "Wrong Type (should be {}): ", type_word(expected.kind));
        }
        let (label, text) = self.labelled(value, syntax.as_ref(), style);
        if !quick && !label.is_empty() {
            let _ = write!(out, "{label}: ");
        }
        out.push_str(&text);
        let units = object.filter(|object| object.has_units_clause).map_or("", |object| object.units);
        if !units.is_empty() && !style.no_units && expected.is_none() {
            let _ = write!(out, " {units}");
        }
        out
    }

    /// The bare value, as data: no type, no unit, no quotes, and hexadecimal on one line. A text keeps its line
    /// ends; the caller makes it visible before printing.
    pub fn text(&self, value: ValueRef<'_>, object: Option<&Object>) -> String {
        let syntax = object.map(|object| object.syntax).filter(|syntax| syntax.kind == value.kind());
        match value {
            ValueRef::TimeTicks(ticks) => clock(ticks),
            ValueRef::OctetString(octets) if !syntax.is_some_and(|syntax| syntax.bits) => {
                let hint = syntax.and_then(|syntax| DisplayHint::parse(syntax.hint));
                let hinted = hint.and_then(|hint| hint.format_octets(octets));
                hinted.unwrap_or_else(|| plain_octets(octets))
            }
            ValueRef::Opaque(octets) => {
                let style = Style { quick: Quick::Equals, ..Style::default() };
                opaque(octets, &style).1.trim_end().replace(" \n", " ")
            }
            _ => {
                let style = Style { quick: Quick::Equals, ..Style::default() };
                self.labelled(value, syntax.as_ref(), &style).1.trim_end().to_owned()
            }
        }
    }

    fn labelled(
        &self,
        value: ValueRef<'_>,
        syntax: Option<&Syntax>,
        style: &Style,
    ) -> (&'static str, String) {
        match value {
            ValueRef::Integer(number) => ("INTEGER", integer(number, syntax, style)),
            ValueRef::OctetString(octets) => match syntax {
                Some(syntax) if syntax.bits => ("BITS", bits(octets, syntax, style)),
                _ => octet_string(octets, syntax, style),
            },
            ValueRef::ObjectIdentifier(oid) => ("OID", self.format_oid(oid, style)),
            ValueRef::IpAddress([a, b, c, d]) => ("IpAddress", format!("{a}.{b}.{c}.{d}")),
            ValueRef::Counter32(number) => ("Counter32", number.to_string()),
            ValueRef::Unsigned32(number) => ("Gauge32", hinted_number(number, syntax, style)),
            ValueRef::TimeTicks(ticks) if style.plain_ticks => ("", ticks.to_string()),
            ValueRef::TimeTicks(ticks) => ("Timeticks", time_ticks(ticks, style)),
            ValueRef::Opaque(octets) => opaque(octets, style),
            ValueRef::Counter64(number) => ("Counter64", number.to_string()),
        }
    }
}

fn type_word(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Unsigned32 => "Gauge32 or Unsigned32",
        ValueKind::TimeTicks => "Timeticks",
        ValueKind::OctetString => "OCTET STRING",
        other => other.name(),
    }
}

fn integer(number: i32, syntax: Option<&Syntax>, style: &Style) -> String {
    let Some(syntax) = syntax else { return number.to_string() };
    let hint = hint_of(Some(syntax), style);
    if let Some(text) = hint.and_then(|hint| hint.format_integer(number.into())) {
        return text;
    }
    match syntax.name_of(number) {
        Some(_) if style.plain_enumerations => number.to_string(),
        Some(name) if style.quick != Quick::No => name.to_owned(),
        Some(name) => format!("{name}({number})"),
        None => number.to_string(),
    }
}

/// The display hint, where hints are looked at.
fn hint_of(syntax: Option<&Syntax>, style: &Style) -> Option<DisplayHint> {
    syntax.filter(|_| !style.no_hints).and_then(|syntax| DisplayHint::parse(syntax.hint))
}

fn hinted_number(number: u32, syntax: Option<&Syntax>, style: &Style) -> String {
    let hint = hint_of(syntax, style);
    hint.and_then(|hint| hint.format_integer(number.into())).unwrap_or_else(|| number.to_string())
}

fn bits(octets: &[u8], syntax: &Syntax, style: &Style) -> String {
    let mut out =
        if style.quick == Quick::No || syntax.names.is_empty() { hex(octets, style) } else { String::new() };
    for (position, octet) in octets.iter().enumerate() {
        for bit in 0..8 {
            if octet & (0x80 >> bit) == 0 {
                continue;
            }
            let number = (position * 8 + bit) as i32; // a value has at most 65535 octets
            // Writing to a String cannot fail.
            let _ = match syntax.name_of(number) {
                Some(_) if style.plain_enumerations => write!(out, "{number} "),
                Some(name) => write!(out, "{name}({number}) "),
                None => write!(out, "{number} "),
            };
        }
    }
    out
}

fn octet_string(octets: &[u8], syntax: Option<&Syntax>, style: &Style) -> (&'static str, String) {
    let hint = hint_of(syntax, style);
    if let Some(text) = hint.and_then(|hint| hint.format_octets_padded(octets, style.zero_padded_hex)) {
        return ("STRING", shown(&text, style).into_owned());
    }
    if octets.is_empty() {
        return ("", "\"\"".to_owned());
    }
    let as_text = match style.octets {
        OctetStyle::Guess => is_readable(octets),
        OctetStyle::Ascii => true,
        OctetStyle::Hex => false,
    };
    if as_text {
        return ("STRING", format!("\"{}\"", shown(&quoted(octets), style)));
    }
    let label = if style.quick == Quick::No { "Hex-STRING" } else { "" };
    let digits = if style.text_with_hex { hex_with_text(octets, style) } else { hex(octets, style) };
    if style.quick == Quick::No { (label, digits) } else { (label, format!("\"{digits}\"")) }
}

/// A stranger's text for a line of output.
fn shown<'t>(text: &'t str, style: &Style) -> Cow<'t, str> {
    if style.keeps_lines { visible_lines(text) } else { visible(text) }
}

/// Whether all octets are ASCII text; one final NUL is C's end of string, not data.
fn is_readable(octets: &[u8]) -> bool {
    let body = octets.strip_suffix(&[0]).unwrap_or(octets);
    body.iter().all(|octet| octet.is_ascii_graphic() || octet.is_ascii_whitespace())
}

fn plain_octets(octets: &[u8]) -> String {
    if is_readable(octets) {
        return String::from_utf8_lossy(octets.strip_suffix(&[0]).unwrap_or(octets)).into_owned();
    }
    hex_line(octets).trim_end().to_owned()
}

fn quoted(octets: &[u8]) -> String {
    let mut out = String::new();
    for octet in octets.strip_suffix(&[0]).unwrap_or(octets) {
        match octet {
            b'"' | b'\\' => out.extend(['\\', char::from(*octet)]),
            octet if octet.is_ascii_graphic() || octet.is_ascii_whitespace() => out.push(char::from(*octet)),
            _ => out.push('.'),
        }
    }
    out
}

/// `00 1B 2C `, in lines.
fn hex(octets: &[u8], style: &Style) -> String {
    hex_lines(octets, style).map(hex_line).collect::<Vec<_>>().join("\n")
}

fn hex_lines<'o>(octets: &'o [u8], style: &Style) -> std::slice::Chunks<'o, u8> {
    octets.chunks(if style.hex_line == 0 { usize::MAX } else { style.hex_line })
}

fn hex_line(octets: &[u8]) -> String {
    octets.iter().fold(String::new(), |line, octet| line + &format!("{octet:02X} "))
}

fn hex_with_text(octets: &[u8], style: &Style) -> String {
    let char_of = |octet: &u8| match octet {
        octet if octet.is_ascii_graphic() || *octet == b' ' => char::from(*octet),
        _ => '.',
    };
    let line =
        |octets: &[u8]| format!("{}  [{}]", hex_line(octets), octets.iter().map(char_of).collect::<String>());
    hex_lines(octets, style).map(line).collect::<Vec<_>>().join("\n")
}

/// `(123) 0:00:01.23`, as days, hours, minutes, seconds and hundredths.
fn time_ticks(ticks: u32, style: &Style) -> String {
    if style.quick == Quick::No {
        return format!("({ticks}) {}", clock(ticks));
    }
    let (days, hours, minutes, seconds, hundredths) = parts_of(ticks);
    format!("{days}:{hours}:{minutes:02}:{seconds:02}.{hundredths:02}")
}

fn clock(ticks: u32) -> String {
    let (days, hours, minutes, seconds, hundredths) = parts_of(ticks);
    let clock = format!("{hours}:{minutes:02}:{seconds:02}.{hundredths:02}");
    match days {
        0 => clock,
        1 => format!("1 day, {clock}"),
        _ => format!("{days} days, {clock}"),
    }
}

/// Days, hours, minutes, seconds and hundredths.
fn parts_of(ticks: u32) -> (u32, u32, u32, u32, u32) {
    let (seconds, hundredths) = (ticks / 100, ticks % 100);
    (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, hundredths)
}

/// Net-SNMP's numbers inside Opaque: tag 0x9f, a second tag octet, a length, the number. Quick output has the number alone.
fn opaque(octets: &[u8], style: &Style) -> (&'static str, String) {
    let named = |kind: &str, number: String| match style.quick {
        Quick::No => ("Opaque", format!("{kind}: {number}")),
        _ => ("Opaque", number),
    };
    match *octets {
        [0x9f, 0x78, 4, a, b, c, d] => {
            let number = f32::from_be_bytes([a, b, c, d]);
            named("Float", style.floats.format(number.into()))
        }
        [0x9f, 0x79, 8, a, b, c, d, e, f, g, h] => {
            let number = f64::from_be_bytes([a, b, c, d, e, f, g, h]);
            named("Double", style.floats.format(number))
        }
        [0x9f, 0x7a, len, ref body @ ..]
            if usize::from(len) == body.len() && (1..=8).contains(&body.len()) =>
        {
            let start = if body[0] & 0x80 == 0 { 0 } else { -1i64 };
            named("Int64", body.iter().fold(start, |n, octet| (n << 8) | i64::from(*octet)).to_string())
        }
        [0x9f, 0x7b, len, ref body @ ..]
            if usize::from(len) == body.len() && (1..=9).contains(&body.len()) =>
        {
            let number = body.iter().fold(0u128, |n, octet| (n << 8) | u128::from(*octet));
            named("UInt64", number.to_string())
        }
        _ => ("OPAQUE", hex(octets, style)),
    }
}
