//! The cases that both benches time: what an agent and a manager do all day.

use trunkline_smi::{Oid, OidList, Value, ValueRef};
use trunkline_snmp::wire::{
    Envelope, Message, MessageRef, NameTemplate, Pdu, PduKind, ResponseWriter, VarBind, Version,
};

/// A piece of work that can be repeated; gives a number that depends on all of it.
pub type Case = Box<dyn FnMut() -> usize>;

/// All cases by name.
pub fn all() -> Vec<(&'static str, Case)> {
    vec![
        ("decode_get_1", decode_names(1)),
        ("decode_get_66", decode_names(66)),
        ("encode_get_1", encode_rows(1, 1)),
        ("encode_column_66", encode_column()),
        ("encode_rows_22x3", encode_rows(22, 3)),
        ("encode_strings_66", encode_strings()),
        ("message_encode_66", message_encode()),
        ("message_decode_66", message_decode()),
    ]
}

const ENVELOPE: Envelope<'static> =
    Envelope::community(Version::V2c, b"public", PduKind::Response, 0x1234_5678);

fn if_table(column: u32) -> Oid {
    Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, column])
}

/// A traffic-like value: all widths from one octet to five.
fn counter(seed: u32) -> u32 {
    seed.wrapping_mul(2_654_435_761) >> (seed % 25)
}

fn decode_names(count: u32) -> Case {
    let names: Vec<Oid> = (0..count).map(|n| if_table(n % 22 + 1).child(&[n / 22 + 1])).collect();
    let pdu = Pdu::read(PduKind::Get, 0x1234_5678, &names);
    let octets = Message { version: Version::V2c, community: b"public".to_vec(), pdu }.encode();
    let mut names = OidList::new();
    Box::new(move || {
        let message = MessageRef::decode(&octets);
        message.and_then(|message| message.pdu.names(&mut names)).map_or(0, |()| names.len())
    })
}

fn encode_column() -> Case {
    let template = NameTemplate::new(&if_table(10));
    let rows: Vec<([u32; 1], u32)> = (1..=66).map(|row| ([row], counter(row))).collect();
    let mut buf = Vec::new();
    Box::new(move || {
        let mut writer = ResponseWriter::new(&mut buf, 65_507, ENVELOPE);
        writer.column(&template, rows.iter().map(|(index, value)| (&index[..], ValueRef::Counter32(*value))));
        writer.finish().map_or(0, |range| range.len())
    })
}

/// Row after row, each column with its own template, as GetBulk with many columns asks.
fn encode_rows(columns: u32, rows: u32) -> Case {
    let templates: Vec<NameTemplate> =
        (1..=columns).map(|column| NameTemplate::new(&if_table(column))).collect();
    let mut buf = Vec::new();
    Box::new(move || {
        let mut writer = ResponseWriter::new(&mut buf, 65_507, ENVELOPE);
        for row in 1..=rows {
            for (column, template) in templates.iter().enumerate() {
                let value = counter(row * columns + column as u32);
                writer.value(template, &[row], ValueRef::Counter32(value));
            }
        }
        writer.finish().map_or(0, |range| range.len())
    })
}

fn encode_strings() -> Case {
    let template = NameTemplate::new(&if_table(2));
    let rows: Vec<([u32; 1], String)> = (1..=66).map(|row| ([row], format!("veth{row}"))).collect();
    let mut buf = Vec::new();
    Box::new(move || {
        let mut writer = ResponseWriter::new(&mut buf, 65_507, ENVELOPE);
        let values = rows.iter().map(|(index, text)| (&index[..], ValueRef::OctetString(text.as_bytes())));
        writer.column(&template, values);
        writer.finish().map_or(0, |range| range.len())
    })
}

fn message_of_66() -> Message {
    let bindings = (1..=66)
        .map(|row| VarBind::new(if_table(10).child(&[row]), Value::Counter32(counter(row))))
        .collect();
    let pdu = Pdu::new(PduKind::Response, 0x1234_5678, bindings);
    Message { version: Version::V2c, community: b"public".to_vec(), pdu }
}

fn message_encode() -> Case {
    let message = message_of_66();
    Box::new(move || message.encode().len())
}

fn message_decode() -> Case {
    let octets = message_of_66().encode();
    Box::new(move || Message::decode(&octets).map_or(0, |message| message.pdu.bindings.len()))
}
