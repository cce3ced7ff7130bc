//! Rows as a file of TOML, and back: each row a table under the name of its entry, with its index, state, columns and,
//! where it has them, secrets.

use std::collections::BTreeMap;

use toml::Value as Toml;
use trunkline_smi::schema::Syntax;
use trunkline_smi::{Oid, Value, ValueKind};
use trunkline_tree::policy::{Origin, RowState, RowStatus, StorageType};

use super::{Row, RowTable, Rows};

/// The contents of a file: rows by the name of their entry, as in `vacmAccessEntry`.
pub(super) type KeptRows = BTreeMap<String, Vec<toml::Table>>;

/// Why a file's contents are no rows: what is wrong, without values, which may be secret.
pub(super) type Fault = String;

const INDEX: &str = "index";
const STATUS: &str = "status";
const STORAGE: &str = "storage";
const OF_CONFIGURATION: &str = "of-configuration";
const SECRETS: &str = "secrets";

/// The rows that last over a restart: those that managers have created, and those of the configuration that they have
/// changed.
pub(super) fn keep(tables: &[RowTable], rows: &Rows) -> KeptRows {
    let mut kept = KeptRows::new();
    for table in tables {
        let lasting = rows.of(table.tables[0]).filter(|(_, row)| row.state.is_kept() || row.is_changed);
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
        let table = table.ok_or_else(|| format!("there are no rows called {entry:?} here"))?;
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
    let index = index.filter(|index| table.may_have(index)).ok_or("no index, or none of this table")?;
    let number = |key: &str| kept.get(key).and_then(Toml::as_integer).and_then(|n| i32::try_from(n).ok());
    let status = [RowStatus::Active, RowStatus::NotInService, RowStatus::NotReady]
        .into_iter()
        .find(|status| Some(*status as i32) == number(STATUS))
        .ok_or("no status of 1 to 3")?;
    let storage = number(STORAGE).and_then(StorageType::from_number).ok_or("no storage of 1 to 5")?;
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
                let column = table.column(name).ok_or_else(|| format!("no column is called {name:?}"))?;
                let value = read_value(&column.syntax, value)
                    .filter(|value| column.syntax.check(value.as_value_ref()).is_ok())
                    .ok_or_else(|| format!("the value of {name} is none of its type"))?;
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
    for (name, value) in kept.as_table().ok_or("the secrets are no table")? {
        let known = known.iter().find(|known| *known == name);
        let known = known.ok_or_else(|| format!("no secret is called {name:?}"))?;
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
