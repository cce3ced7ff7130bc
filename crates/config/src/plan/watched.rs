//! What UCD-SNMP-MIB's error flags watch: `[[process]]`, `[[disk]]`, `[load]`, `[[file]]`, `[[log-match]]`, `[swap]`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use regex::bytes::RegexBuilder;

use serde_spanned::Spanned;

use super::value::{self, Checked};
use crate::{Place, raw};

/// A row of prTable: how many processes of a name there should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessPlan {
    /// The processes' name: 1 to 255 octets.
    pub name: String,
    /// Fewer are an error.
    pub min: u32,
    /// More are an error; `None`: any number is right.
    pub max: Option<u32>,
    /// What setting prErrFix to 1 runs: a program by its full path and its arguments.
    pub fix: Option<Vec<String>>,
}

/// A row of dskTable, or the rows of all disks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskPlan {
    /// Its mount point; `None`: every disk that is not listed (`path = "*"`).
    pub path: Option<PathBuf>,
    /// Less free space is an error.
    pub minimum: DiskMinimum,
    /// Whether it has a row; only `*` may have none.
    pub shown: bool,
}

/// The least free space of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskMinimum {
    /// So many kilobytes (of 1024 octets).
    Kilobytes(u64),
    /// So many parts of a hundred: 0 to 100.
    Percent(u8),
}

/// The limits of laTable; 0 means no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadPlan {
    /// Of the load average over 1 minute.
    pub max_1: f64,
    /// Of the load average over 5 minutes.
    pub max_5: f64,
    /// Of the load average over 15 minutes.
    pub max_15: f64,
}

/// Which block devices diskIOTable has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskIoPlan {
    /// These alone, by the kernel's names; none: all.
    pub devices: Vec<String>,
    /// None whose name begins so.
    pub exclude: Vec<String>,
}

/// A row of fileTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedFilePlan {
    /// The file, by its full path.
    pub path: PathBuf,
    /// A larger size, in kilobytes, is an error; `None`: any size is right.
    pub max: Option<u32>,
}

/// A row of logMatchTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMatchPlan {
    /// logMatchName: 1 to 255 octets.
    pub name: String,
    /// The log file, by its full path.
    pub path: PathBuf,
    /// A regular expression that the crate `regex` understands.
    pub pattern: String,
    /// How often the file is read if nobody reads the table; zero: only then.
    pub every: Duration,
}

/// Net-SNMP's value for a disk without a limit.
const MINIMUM: DiskMinimum = DiskMinimum::Kilobytes(100_000);

/// Without any limit there should be one process at least, as Net-SNMP has it.
pub(super) fn check_processes(list: Vec<raw::Process>, place: Place<'_>) -> Checked<Vec<ProcessPlan>> {
    let mut seen = BTreeSet::new();
    let process = |raw: raw::Process| {
        let name = value::name(&raw.name, 255, &mut seen, place)?;
        let count = |number: &Spanned<i64>| value::number(number, 0, i64::from(i32::MAX), place);
        let least = raw.min.as_ref().map(count).transpose()?;
        let most = raw.max.as_ref().map(count).transpose()?;
        let min = least.unwrap_or(if most.is_none() { 1 } else { 0 });
        Ok(ProcessPlan {
            name,
            min: min as u32,
            max: most.map(|most| most as u32),
            fix: raw.fix.map(|fix| value::command(fix, place)).transpose()?,
        })
    };
    value::all(list.into_iter().map(process))
}

pub(super) fn check_disks(list: Vec<raw::Disk>, place: Place<'_>) -> Checked<Vec<DiskPlan>> {
    let mut seen = BTreeSet::new();
    let disk = |raw: raw::Disk| {
        let text = value::name(&raw.path, 4096, &mut seen, place)?;
        if text != "*" && !text.starts_with('/') {
            let message = format!(
                "{text:?} is not a full path; expected a value such as \"/var\", or \"*\" for all disks"
            );
            return Err(place.wrong(raw.path.span(), message));
        }
        let minimum = raw.minimum.map(|minimum| check_minimum(&minimum, place)).transpose()?;
        let path = (text != "*").then(|| PathBuf::from(text));
        let shown = raw.shown.as_ref().is_none_or(|shown| *shown.get_ref());
        if let Some(hidden) = raw.shown.filter(|_| !shown && path.is_some()) {
            let message =
                "a disk that is named has a row; leave it out, and write shown = false for \"*\"".into();
            return Err(place.wrong(hidden.span(), message));
        }
        Ok(DiskPlan { path, minimum: minimum.unwrap_or(MINIMUM), shown })
    };
    value::all(list.into_iter().map(disk))
}

fn check_minimum(minimum: &Spanned<raw::Minimum>, place: Place<'_>) -> Checked<DiskMinimum> {
    let wrong = || {
        let message =
            "expected a number of kilobytes, or a percentage of the disk from \"0%\" to \"100%\"".into();
        place.wrong(minimum.span(), message)
    };
    match minimum.get_ref() {
        raw::Minimum::Number(kilobytes) => {
            u64::try_from(*kilobytes).map(DiskMinimum::Kilobytes).map_err(|_| wrong())
        }
        raw::Minimum::Text(text) => {
            let percent = text.strip_suffix('%').and_then(|number| number.trim().parse().ok());
            percent.filter(|percent| *percent <= 100).map(DiskMinimum::Percent).ok_or_else(wrong)
        }
    }
}

/// Names of block devices, and how names begin.
pub(super) fn check_disk_io(raw: raw::DiskIo, place: Place<'_>) -> Checked<DiskIoPlan> {
    let names = |list: Vec<Spanned<String>>| {
        let mut seen = BTreeSet::new();
        value::all(list.iter().map(|name| value::name(name, LONGEST_DEVICE, &mut seen, place)))
    };
    Ok(DiskIoPlan { devices: names(raw.devices)?, exclude: names(raw.exclude)? })
}

/// Octets of a block device's name (DISK_NAME_LEN of the kernel).
const LONGEST_DEVICE: usize = 31;

/// Sizes of files.
pub(super) fn check_files(list: Vec<raw::File>, place: Place<'_>) -> Checked<Vec<WatchedFilePlan>> {
    let mut seen = BTreeSet::new();
    let file = |raw: raw::File| {
        let path = full_path(&raw.path, &mut Some(&mut seen), place)?;
        let max = raw.max.map(|max| value::number(&max, 0, i64::from(i32::MAX), place)).transpose()?;
        Ok(WatchedFilePlan { path, max: max.map(|max| max as u32) })
    };
    value::all(list.into_iter().map(file))
}

/// Log files; the same file may be searched for several expressions.
pub(super) fn check_log_matches(list: Vec<raw::LogMatch>, place: Place<'_>) -> Checked<Vec<LogMatchPlan>> {
    let mut seen = BTreeSet::new();
    if let Some(beyond) = list.get(MOST_LOG_MATCHES) {
        let message = format!("more than {MOST_LOG_MATCHES} entries, which logMatchTable has room for");
        return Err(place.wrong(beyond.name.span(), message));
    }
    let one = |raw: raw::LogMatch| {
        let name = value::name(&raw.name, 255, &mut seen, place)?;
        let path = full_path(&raw.path, &mut None, place)?;
        let pattern = value::length(&raw.pattern, 255, place)?;
        check_pattern(&pattern).map_err(|message| place.wrong(raw.pattern.span(), message))?;
        let every = value::time_or_none(raw.every, LOG_CYCLE, value::LONGEST_TIME, place)?;
        if !every.is_zero() && every < SHORTEST_LOG_CYCLE {
            let message = "read more often than each second; expected \"0s\", or \"1s\" and more".to_owned();
            return Err(place.wrong(raw.name.span(), message));
        }
        Ok(LogMatchPlan { name, path, pattern, every })
    };
    value::all(list.into_iter().map(one))
}

/// Whether log files can be searched for this regular expression.
///
/// # Errors
/// What is wrong with it.
pub fn check_pattern(pattern: &str) -> Result<(), String> {
    match RegexBuilder::new(pattern).size_limit(MOST_OF_A_PATTERN).build() {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{pattern:?} is not a regular expression: {error}")),
    }
}

fn full_path(
    path: &Spanned<String>,
    seen: &mut Option<&mut BTreeSet<String>>,
    place: Place<'_>,
) -> Checked<PathBuf> {
    let text = match seen {
        Some(seen) => value::name(path, 255, seen, place)?,
        None => value::length(path, 255, place)?,
    };
    match text.starts_with('/') {
        true => Ok(PathBuf::from(text)),
        false => {
            let message =
                format!("{text:?} is not a full path; expected a value such as \"/var/log/syslog\"");
            Err(place.wrong(path.span(), message))
        }
    }
}

/// The least unused swap space.
pub(super) fn check_swap(raw: raw::Swap, place: Place<'_>) -> Checked<u64> {
    let minimum = raw.minimum.map(|minimum| value::number(&minimum, 0, i64::from(i32::MAX), place));
    Ok(minimum.transpose()?.map_or(MINIMUM_SWAP, |minimum| minimum as u64))
}

/// Net-SNMP's value, in kilobytes.
pub(super) const MINIMUM_SWAP: u64 = 16_000;
/// Rows of logMatchTable; Net-SNMP has as many.
const MOST_LOG_MATCHES: usize = 250;
/// Octets of a compiled expression.
const MOST_OF_A_PATTERN: usize = 1024 * 1024;
/// Net-SNMP's value.
const LOG_CYCLE: Duration = Duration::from_secs(30);
const SHORTEST_LOG_CYCLE: Duration = Duration::from_secs(1);

/// As in Net-SNMP: a limit that is not given is the same as the one before it.
pub(super) fn check_load(raw: raw::Load, place: Place<'_>) -> Checked<LoadPlan> {
    let limit = |value: Option<Spanned<f64>>, before: f64| match value {
        None => Ok(before),
        Some(value) if (0.0..=65_535.0).contains(value.get_ref()) => Ok(value.into_inner()),
        Some(value) => {
            let message = format!("{} is out of range, expected 0 to 65535", value.get_ref());
            Err(place.wrong(value.span(), message))
        }
    };
    let max_1 = limit(raw.max_1, 0.0)?;
    let max_5 = limit(raw.max_5, max_1)?;
    Ok(LoadPlan { max_1, max_5, max_15: limit(raw.max_15, max_5)? })
}
