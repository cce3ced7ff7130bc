//! Rows as a TOML file, and back: each row a table under the name of its entry, with its index, state, columns
//! and, if it has them, secrets.

use std::collections::BTreeMap;

use toml::Value as Toml;
use trunkline_smi::schema::Syntax;
use trunkline_smi::{Oid, Value, ValueKind};
use trunkline_tree::policy::{Origin, RowState, RowStatus, StorageType};

use super::{Row, RowTable, Rows};

/// The contents of a file: rows by the name of their entry, as in `vacmAccessEntry`.
pub(super) type KeptRows = BTreeMap<String, Vec<toml::Table>>;

/// Why a file's contents are not rows: what is wrong, without values, which may be secret.
pub(super) type Fault = String;

const INDEX: &str = "index";
const STATUS: &str = "status";
const STORAGE: &str = "storage";
const OF_CONFIGURATION: &str = "of-configuration";
const SECRETS: &str = "secrets";

/// The rows that last over a restart: those that managers have created, and those of the configuration that they have
/// changed. Of several stores of rows.
pub(super) fn keep(tables: &[RowTable], rows: [&Rows; 2]) -> KeptRows {
    let mut kept = KeptRows::new();
    for table in tables {
        let lasting = rows.into_iter().flat_map(|rows| rows.of(table.tables[0]));
        let lasting = lasting.filter(|(_, row)| row.state.is_kept() || row.is_changed);
        let list: Vec<_> = lasting.map(|(index, row)| keep_row(index, row)).collect();
        if !list.is_empty() {
            kept.insert(table.tables[0].entry.to_string(), list);
        }
    }
    kept
}

fn keep_row(index: &[u32], row: &Row) -> toml::Table {
    let number = |number: i32| Toml::Integer(number.into());
    let mut table = toml::Table::new();
    table.insert(INDEX.into(), Toml::String(trunkline_smi::display_oid(index).to_string()));
    table.insert(STATUS.into(), number(row.state.status as i32));
    table.insert(STORAGE.into(), number(row.state.storage as i32));
    if !row.is_set() {
        table.insert(OF_CONFIGURATION.into(), Toml::Boolean(true));
    }
    let mut secrets = toml::Table::new();
    for (name, value) in row.cells() {
        if let Some(value) = keep_value(value) {
            table.insert(name.into(), value);
        }
    }
    for (name, octets) in row.secrets() {
        secrets.insert(name.into(), Toml::String(hexadecimal(octets)));
    }
    if !secrets.is_empty() {
        table.insert(SECRETS.into(), Toml::Table(secrets));
    }
    table
}

fn keep_value(value: &Value) -> Option<Toml> {
    match value {
        Value::Integer(number) => Some(Toml::Integer((*number).into())),
        Value::Counter32(number) | Value::Unsigned32(number) | Value::TimeTicks(number) => {
            Some(Toml::Integer((*number).into()))
        }
        Value::OctetString(octets) | Value::Opaque(octets) => Some(Toml::String(text(octets))),
        Value::ObjectIdentifier(oid) => Some(Toml::String(oid.to_string())),
        Value::IpAddress(octets) => Some(Toml::String(hexadecimal(octets))),
        // No table that managers write has one.
        Value::Counter64(_) => None,
    }
}

/// Octets as the text that they are, or else in hexadecimal.
fn text(octets: &[u8]) -> String {
    match std::str::from_utf8(octets) {
        Ok(text) if !text.starts_with("0x") && !text.contains(char::is_control) => text.to_string(),
        _ => hexadecimal(octets),
    }
}

fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().fold("0x".to_string(), |text, octet| text + &format!("{octet:02x}"))
}

/// The rows in a file's contents.
pub(super) fn read(
    tables: &'static [RowTable],
    secrets: &[&'static str],
    kept: &KeptRows,
) -> Result<Rows, Fault> {
    let mut rows = Rows::new();
    for (entry, list) in kept {
        let table = tables.iter().find(|table| table.tables[0].entry == entry);
        let table = table.ok_or_else(|| format!("unknown table {entry:?}"))?;
        for (at, kept) in list.iter().enumerate() {
            let read = read_row(table, secrets, kept);
            let (index, row) = read.map_err(|fault| format!("{entry} number {}: {fault}", at + 1))?;
            rows.insert(table.tables[0], index, row);
        }
    }
    Ok(rows)
}

fn read_row(
    table: &RowTable,
    known_secrets: &[&'static str],
    kept: &toml::Table,
) -> Result<(Vec<u32>, Row), Fault> {
    let index = kept.get(INDEX).and_then(Toml::as_str).and_then(parse_index);
    let index = index
        .filter(|index| table.may_have(index))
        .ok_or("the index is missing or does not fit this table")?;
    let number = |key: &str| kept.get(key).and_then(Toml::as_integer).and_then(|n| i32::try_from(n).ok());
    let status = [RowStatus::Active, RowStatus::NotInService, RowStatus::NotReady]
        .into_iter()
        .find(|status| Some(*status as i32) == number(STATUS))
        .ok_or("expected a status of 1 to 3")?;
    let storage = number(STORAGE).and_then(StorageType::from_number).ok_or("expected a storage of 1 to 5")?;
    let is_changed = kept.get(OF_CONFIGURATION).and_then(Toml::as_bool).unwrap_or(false);
    let mut row = Row::created([]);
    let origin = if is_changed { Origin::Config } else { Origin::Set };
    row.state = RowState { origin, storage, status };
    row.is_changed = is_changed;
    for (name, value) in kept {
        match name.as_str() {
            INDEX | STATUS | STORAGE | OF_CONFIGURATION => {}
            SECRETS => read_secrets(&mut row, known_secrets, value)?,
            name => {
                let column = table.column(name).ok_or_else(|| format!("unknown column {name:?}"))?;
                let value = read_value(&column.syntax, value)
                    .filter(|value| column.syntax.check(value.as_value_ref()).is_ok())
                    .ok_or_else(|| format!("the value of {name} has the wrong type"))?;
                row.set(column.name, value);
            }
        }
    }
    if row.state.is_active() && !table.required.iter().all(|column| row.get(column).is_some()) {
        return Err("an active row without all its columns".into());
    }
    Ok((index, row))
}

fn parse_index(text: &str) -> Option<Vec<u32>> {
    match text {
        "" => Some(Vec::new()),
        text => text.split('.').map(|part| part.parse().ok()).collect(),
    }
}

fn read_secrets(row: &mut Row, known: &[&'static str], kept: &Toml) -> Result<(), Fault> {
    for (name, value) in kept.as_table().ok_or("the secrets are not a table")? {
        let known = known.iter().find(|known| *known == name);
        let known = known.ok_or_else(|| format!("unknown secret {name:?}"))?;
        let octets = value.as_str().and_then(|text| text.strip_prefix("0x")).and_then(parse_hexadecimal);
        row.set_secret(known, Some(octets.ok_or_else(|| format!("{name} is not in hexadecimal"))?));
    }
    Ok(())
}

fn read_value(syntax: &Syntax, kept: &Toml) -> Option<Value> {
    let octets = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => parse_hexadecimal(digits),
        None => Some(text.as_bytes().to_vec()),
    };
    match (syntax.kind, kept) {
        (ValueKind::Integer, Toml::Integer(number)) => i32::try_from(*number).ok().map(Value::Integer),
        (ValueKind::Unsigned32, Toml::Integer(number)) => u32::try_from(*number).ok().map(Value::Unsigned32),
        (ValueKind::TimeTicks, Toml::Integer(number)) => u32::try_from(*number).ok().map(Value::TimeTicks),
        (ValueKind::OctetString, Toml::String(text)) => octets(text).map(Value::OctetString),
        (ValueKind::ObjectIdentifier, Toml::String(text)) if text.is_empty() => {
            Some(Value::ObjectIdentifier(Oid::EMPTY))
        }
        (ValueKind::ObjectIdentifier, Toml::String(text)) => text.parse().ok().map(Value::ObjectIdentifier),
        _ => None,
    }
}

fn parse_hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let digit = |octet: &u8| char::from(*octet).to_digit(16).map(|digit| digit as u8);
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trunkline_smi::module::snmp_target_mib as target;
    use trunkline_smi::module::snmp_user_based_sm_mib as usm;

    use super::*;

    static TABLES: &[RowTable] = &[
        RowTable {
            tables: &[&usm::USM_USER_TABLE],
            status: "usmUserStatus",
            storage: "usmUserStorageType",
            required: &[],
            defaults: |_| Vec::new(),
            fixed_while_active: &[],
            first: &[],
        },
        RowTable {
            tables: &[&target::SNMP_TARGET_ADDR_TABLE],
            status: "snmpTargetAddrRowStatus",
            storage: "snmpTargetAddrStorageType",
            required: &["snmpTargetAddrParams"],
            defaults: |_| Vec::new(),
            fixed_while_active: &[],
            first: &[],
        },
    ];

    const KNOWN_SECRETS: &[&str] = &["auth-key"];

    #[test]
    fn a_file_as_it_stands() {
        let text = "[[snmpTargetAddrEntry]]\nindex = \"110.109.115\"\nsnmpTargetAddrParams = \"p \\\"q\\\"\"\n\
                    snmpTargetAddrRetryCount = 3\nsnmpTargetAddrTAddress = \"0xc000020100a2\"\n\
                    snmpTargetAddrTDomain = \"1.3.6.1.6.1.1\"\nstatus = 1\nstorage = 3\n";
        let kept: KeptRows = toml::from_str(text).unwrap();
        let rows = read(TABLES, KNOWN_SECRETS, &kept).unwrap();
        let row = rows.get(&target::SNMP_TARGET_ADDR_TABLE, &[110, 109, 115]).unwrap();
        assert_eq!(row.octets("snmpTargetAddrParams"), b"p \"q\"");
        assert_eq!(row.octets("snmpTargetAddrTAddress"), [192, 0, 2, 1, 0, 162]);
        assert_eq!(row.oid("snmpTargetAddrTDomain"), [1, 3, 6, 1, 6, 1, 1]);
        assert_eq!((row.integer("snmpTargetAddrRetryCount"), row.is_set()), (3, true));
        assert_eq!(keep(TABLES, [&rows, &Rows::new()]), kept);
        for (from, to) in [
            ("110.109.115", ""),
            ("110.109.115", "1.300"),
            ("110.109.115", "x"),
            ("snmpTargetAddrParams", "snmpTargetAddrOther"),
            ("= 3\nsnmp", "= 300\nsnmp"),
            ("0xc0", "0xc"),
            ("1.3.6.1.6.1.1", "1.x"),
            ("status = 1", "status = 4"),
            ("storage = 3", "storage = 0"),
            ("snmpTargetAddrParams", "snmpTargetAddrTagList"),
            ("snmpTargetAddrEntry", "ifEntry"),
        ] {
            let damaged: KeptRows = toml::from_str(&text.replacen(from, to, 1)).unwrap();
            assert!(read(TABLES, KNOWN_SECRETS, &damaged).is_err(), "{from} {to}");
        }
    }

    proptest! {
        #[test]
        fn saved_rows_are_read_back(
            engine in proptest::collection::vec(any::<u8>(), 5..=32),
            name in proptest::collection::vec(any::<u8>(), 1..=32),
            public in proptest::collection::vec(any::<u8>(), 0..=32),
            protocol in proptest::collection::vec(any::<u32>(), 0..=20),
            key in proptest::collection::vec(any::<u8>(), 0..=64),
            number in any::<i32>(),
            (status, storage, is_changed) in (0..3usize, 3..=4, any::<bool>()),
        ) {
            let index = |octets: &[u8]| -> Vec<u32> {
                std::iter::once(octets.len() as u32).chain(octets.iter().map(|octet| u32::from(*octet))).collect()
            };
            let mut row = Row::created([
                ("usmUserPublic", Value::OctetString(public)),
                ("usmUserAuthProtocol", Value::ObjectIdentifier(Oid::EMPTY.child(&protocol))),
            ]);
            row.set_secret("auth-key", Some(key));
            row.state.status = [RowStatus::Active, RowStatus::NotInService, RowStatus::NotReady][status];
            row.state.storage = StorageType::from_number(storage).unwrap();
            row.is_changed = is_changed;
            if is_changed {
                row.state.origin = Origin::Config;
            }
            let mut rows = Rows::new();
            rows.insert(&usm::USM_USER_TABLE, [index(&engine), index(&name)].concat(), row);
            let mut target = Row::created([
                ("snmpTargetAddrTimeout", Value::Integer(number & i32::MAX)),
                ("snmpTargetAddrParams", Value::OctetString(name.clone())),
            ]);
            target.state.status = RowStatus::Active;
            let implied = name.iter().map(|octet| u32::from(*octet)).collect();
            rows.insert(&target::SNMP_TARGET_ADDR_TABLE, implied, target);

            let text = toml::to_string(&keep(TABLES, [&rows, &Rows::new()])).unwrap();
            let kept: KeptRows = toml::from_str(&text).unwrap();
            prop_assert_eq!(read(TABLES, KNOWN_SECRETS, &kept), Ok(rows), "{}", text);
        }

        #[test]
        fn no_file_makes_it_panic(text in "\\[\\[(usmUser|snmpTargetAddr)Entry\\]\\]\n(index|status|secrets|usmUserPublic) = .{0,20}") {
            if let Ok(kept) = toml::from_str::<KeptRows>(&text) {
                let _ = read(TABLES, KNOWN_SECRETS, &kept);
            }
        }
    }
}
