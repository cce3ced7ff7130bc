//! The certificates that an authority has signed and revoked: `index.toml`.

use std::path::Path;

use serde::{Deserialize, Serialize};
use time::{Date, Month, OffsetDateTime, Time, UtcOffset};
use toml::value::Datetime;

use crate::files::{self, Batch};
use crate::{Certificate, Error, Fingerprint, Name, Revoked, Role, Validity};

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Index {
    /// The number of the last revocation list.
    #[serde(default)]
    pub(crate) list_number: u64,
    /// Oldest first.
    #[serde(default, rename = "certificate")]
    rows: Vec<Row>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Row {
    role: Role,
    name: String,
    serial: String,
    fingerprint: String,
    not_before: Datetime,
    not_after: Datetime,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    self_signed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked: Option<Datetime>,
}

/// A certificate that the directory has issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Whether it is for an agent or a manager.
    pub role: Role,
    /// The name.
    pub name: Name,
    /// The serial number.
    pub serial: Vec<u8>,
    /// The fingerprint.
    pub fingerprint: Fingerprint,
    /// From when until when it is valid.
    pub validity: Validity,
    /// No authority has signed it.
    pub self_signed: bool,
    /// Since when it is revoked.
    pub revoked: Option<OffsetDateTime>,
}

impl Entry {
    pub(crate) fn new(role: Role, name: &Name, certificate: &Certificate, self_signed: bool) -> Self {
        Entry {
            role,
            name: name.clone(),
            serial: certificate.serial().to_vec(),
            fingerprint: certificate.fingerprint(),
            validity: certificate.validity(),
            self_signed,
            revoked: None,
        }
    }
}

/// The entries of an index, and the number of the last revocation list.
#[derive(Debug, Default)]
pub(crate) struct Issuances {
    pub(crate) list_number: u64,
    pub(crate) entries: Vec<Entry>,
}

impl Issuances {
    /// Reads the index; it does not exist before the first certificate.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let Some(text) = files::read(path)? else { return Ok(Issuances::default()) };
        let wrong = |reason: String| Error::Index { path: path.to_owned(), reason };
        let index: Index = toml::from_str(&text).map_err(|fault| wrong(fault.to_string()))?;
        let entries = index.rows.iter().map(|row| entry(row).map_err(wrong)).collect::<Result<_, _>>()?;
        Ok(Issuances { list_number: index.list_number, entries })
    }

    /// Writes it with the other files of a batch.
    pub(crate) fn write(&self, path: &Path, batch: &mut Batch<'_>) -> Result<(), Error> {
        let rows = self.entries.iter().map(row).collect();
        let index = Index { list_number: self.list_number, rows };
        let text = toml::to_string(&index)
            .map_err(|fault| Error::Index { path: path.to_owned(), reason: fault.to_string() })?;
        let text = format!("# What this authority has issued; written by `trunkline pki`.\n{text}");
        batch.write(path, text.as_bytes(), 0o644)
    }

    /// What the revocation list has to say.
    pub(crate) fn revoked(&self) -> Vec<Revoked> {
        let revoked = self.entries.iter().filter(|entry| !entry.self_signed);
        revoked
            .filter_map(|entry| Some(Revoked { serial: entry.serial.clone(), since: entry.revoked? }))
            .collect()
    }
}

fn entry(row: &Row) -> Result<Entry, String> {
    Ok(Entry {
        role: row.role,
        name: Name::new(&row.name).map_err(|fault| fault.to_string())?,
        serial: octets(&row.serial).ok_or_else(|| format!("`{}` is not a serial number", row.serial))?,
        fingerprint: row.fingerprint.parse().map_err(|fault: Error| fault.to_string())?,
        validity: Validity { not_before: moment(&row.not_before)?, not_after: moment(&row.not_after)? },
        self_signed: row.self_signed,
        revoked: row.revoked.as_ref().map(moment).transpose()?,
    })
}

fn row(entry: &Entry) -> Row {
    Row {
        role: entry.role,
        name: entry.name.to_string(),
        serial: entry.serial.iter().map(|octet| format!("{octet:02x}")).collect(),
        fingerprint: entry.fingerprint.to_string(),
        not_before: datetime(entry.validity.not_before),
        not_after: datetime(entry.validity.not_after),
        self_signed: entry.self_signed,
        revoked: entry.revoked.map(datetime),
    }
}

fn octets(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let octet = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let sound = digits.bytes().all(|digit| digit.is_ascii_hexdigit()) && !digits.is_empty();
    (sound && digits.len().is_multiple_of(2)).then(|| pairs.map(octet).collect())?
}

/// TOML's form of a time, in whole seconds.
fn datetime(time: OffsetDateTime) -> Datetime {
    let time = time.to_offset(UtcOffset::UTC);
    Datetime {
        date: Some(toml::value::Date {
            year: u16::try_from(time.year()).unwrap_or(u16::MAX),
            month: time.month().into(),
            day: time.day(),
        }),
        time: Some(toml::value::Time {
            hour: time.hour(),
            minute: time.minute(),
            second: Some(time.second()),
            nanosecond: None,
        }),
        offset: Some(toml::value::Offset::Z),
    }
}

fn moment(datetime: &Datetime) -> Result<OffsetDateTime, String> {
    let wrong = || format!("`{datetime}` is not a time in UTC");
    let (Some(date), Some(time), Some(toml::value::Offset::Z)) =
        (datetime.date, datetime.time, datetime.offset)
    else {
        return Err(wrong());
    };
    let month = Month::try_from(date.month).map_err(|_| wrong())?;
    let date = Date::from_calendar_date(date.year.into(), month, date.day).map_err(|_| wrong())?;
    let time = Time::from_hms(time.hour, time.minute, time.second.unwrap_or(0)).map_err(|_| wrong())?;
    Ok(date.with_time(time).assume_utc())
}
