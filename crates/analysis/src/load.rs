//! From a file, or from standard input, to a group.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use trunkline_delays::{Ending, Reader, TextOptions, is_delay_file, read_text};
use trunkline_labkit::error::Error;

use crate::group::{From, Group};

/// How files are read.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// What the user says of texts.
    pub(crate) text: TextOptions,
    /// The tolerable delay, ms; `None`: the file's period, or a second.
    pub(crate) tolerable: Option<f64>,
    /// How long lost answers of texts were waited for, ms, if known.
    pub(crate) timeout: Option<f64>,
    /// From when delays count.
    pub(crate) from: From,
    /// The seed of what is drawn of too many delays.
    pub(crate) seed: u64,
}

/// Reads a file; `-` is standard input.
pub(crate) fn load(path: &Path, settings: &Settings) -> Result<Group, Error> {
    let failed = |source| Error::Read { path: path.to_owned(), source };
    if path == Path::new("-") {
        return read(io::stdin().lock(), path, "standard input", settings);
    }
    let file = File::open(path).map_err(failed)?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    read(file, path, &name, settings)
}

fn read(mut file: impl Read, path: &Path, name: &str, settings: &Settings) -> Result<Group, Error> {
    let failed = |source| Error::Read { path: path.to_owned(), source };
    let mut piece = vec![0; PIECE];
    let mut first = Vec::new();
    // A pipe gives what it has.
    while first.len() < MAGIC {
        let count = file.read(&mut piece).map_err(failed)?;
        if count == 0 {
            break;
        }
        first.extend_from_slice(&piece[..count]);
    }
    if is_delay_file(&first) {
        return read_records(file, first, piece, path, name, settings);
    }
    let limit = MOST_TEXT.saturating_sub(first.len()) as u64;
    file.by_ref().take(limit + 1).read_to_end(&mut first).map_err(failed)?;
    if first.len() > MOST_TEXT {
        let reason = format!(
            "at most {} MB of text are read: keep a part, or write a file of delays",
            MOST_TEXT >> 20
        );
        return Err(refused(path, reason));
    }
    let found = read_text(&first, &settings.text).map_err(|error| refused(path, error))?;
    let mut group =
        Group::new(name.to_owned(), settings.tolerable.unwrap_or(SECOND), settings.from, settings.seed);
    group.waited = settings.timeout;
    found.lines.iter().for_each(|line| group.add_line(line));
    if settings.from == From::Sent {
        group.conditions.push("the text has one time for each request: --from sent changes nothing".into());
    }
    if group.is_unbounded() {
        group.conditions.push(
            "the text does not say how long a lost answer was waited for: it counts as later than the tolerable delay, and every fit moves with that; --timeout says it".into(),
        );
    }
    Ok(group)
}

fn read_records(
    mut file: impl Read,
    first: Vec<u8>,
    mut piece: Vec<u8>,
    path: &Path,
    name: &str,
    settings: &Settings,
) -> Result<Group, Error> {
    let mut reader = Reader::default();
    reader.feed(&first);
    let mut group: Option<Group> = None;
    loop {
        while let Some(records) = reader.next_block().map_err(|error| refused(path, error))? {
            let group = group.get_or_insert_with(|| begin(&reader, name, settings));
            records.iter().for_each(|record| group.add_record(record));
        }
        let count = file.read(&mut piece).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        if count == 0 {
            break;
        }
        reader.feed(&piece[..count]);
    }
    let mut group = group.unwrap_or_else(|| begin(&reader, name, settings));
    if let Ending::CutOff { records, .. } = reader.finish().map_err(|error| refused(path, error))? {
        group.conditions.push(format!(
            "{name} was cut off: the run was ended, or still goes on; {records} requests are there"
        ));
    }
    Ok(group)
}

fn begin(reader: &Reader, name: &str, settings: &Settings) -> Group {
    let period = reader.header().map_or(0, |header| header.period);
    let usual = if period > 0 { period as f64 / 1e6 } else { SECOND };
    let mut group =
        Group::new(name.to_owned(), settings.tolerable.unwrap_or(usual), settings.from, settings.seed);
    group.header = reader.header().cloned();
    group
}

fn refused(path: &Path, reason: impl ToString) -> Error {
    Error::Delays { path: path.to_owned(), reason: reason.to_string() }
}

/// The first octets of a file of delays.
const MAGIC: usize = 9;
const PIECE: usize = 1 << 16;
/// Octets of the longest text.
const MOST_TEXT: usize = 1 << 30;
/// The tolerable delay of the deliverable, ms.
const SECOND: f64 = 1000.0;
