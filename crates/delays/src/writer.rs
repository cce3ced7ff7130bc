//! Writes a file of delays while a run measures: whole blocks, each for the caller to append to the file. What is in memory is one
//! block, whatever the number of agents; if the program is killed, that block is lost.

use crate::block::{self, Before, END, HEADER, MOST_CONTENT, SAMPLES};
use crate::error::RecordError;
use crate::header::Header;
use crate::record::Record;

/// The first octets of a file: its kind and its version.
pub(crate) const MAGIC: [u8; 9] = *b"TRKDELAY\x01";

/// A writer.
#[derive(Debug)]
pub struct Writer {
    content: Vec<u8>,
    count: u32,
    before: Before,
    total: u64,
}

impl Writer {
    /// Begins a file: appends what it begins with to `out`.
    ///
    /// # Errors
    /// The header is too long.
    pub fn begin(header: &Header, out: &mut Vec<u8>) -> Result<Self, RecordError> {
        // Texts and numbers, which JSON can always represent.
        let json = serde_json::to_vec(header).unwrap_or_default();
        if json.len() > MOST_CONTENT {
            return Err(RecordError::Header { found: json.len(), most: MOST_CONTENT });
        }
        out.extend(MAGIC);
        block::append(HEADER, 0, &json, out);
        Ok(Writer { content: Vec::with_capacity(FULL + LONGEST), count: 0, before: Before::FIRST, total: 0 })
    }

    /// Takes a record; appends a block to `out` when one is full.
    ///
    /// # Errors
    /// The record contradicts itself.
    pub fn push(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), RecordError> {
        record.check()?;
        block::append_record(record, &mut self.before, &mut self.content);
        self.count += 1;
        self.total += 1;
        if self.content.len() >= FULL {
            self.flush(out);
        }
        Ok(())
    }

    /// Appends what was taken so far as a block, full or not: once a second or so, nothing older is lost if the program is killed.
    pub fn flush(&mut self, out: &mut Vec<u8>) {
        if self.count > 0 {
            block::append(SAMPLES, self.count, &self.content, out);
            self.content.clear();
            self.count = 0;
            self.before = Before::FIRST;
        }
    }

    /// Ends the file: what was taken, and how many records there are in all.
    pub fn end(mut self, out: &mut Vec<u8>) {
        self.flush(out);
        let mut total = Vec::new();
        block::append_total(self.total, &mut total);
        block::append(END, 0, &total, out);
    }

    /// The records so far.
    pub const fn records(&self) -> u64 {
        self.total
    }
}

/// The content at which a block is written.
const FULL: usize = 1 << 16;
/// The longest record.
const LONGEST: usize = 50;
