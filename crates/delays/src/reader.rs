//! Reads a file of delays, in pieces of any size. What is in memory is a block and the piece that was fed last.

use crate::block::{self, Block, END, HEADER, SAMPLES};
use crate::error::ReadError;
use crate::header::Header;
use crate::record::Record;
use crate::writer::MAGIC;

/// A reader.
#[derive(Debug, Default)]
pub struct Reader {
    /// What was fed and not read yet, from `at` on.
    buffer: Vec<u8>,
    at: usize,
    /// The octets of the file before `at`.
    offset: u64,
    header: Option<Header>,
    records: u64,
    is_over: bool,
    failed: Option<ReadError>,
}

/// How a file ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With its end.
    Complete {
        /// All records.
        records: u64,
    },
    /// Before its end: the program that wrote it was killed, or still writes.
    CutOff {
        /// The records before.
        records: u64,
        /// The octets of a block that is not whole.
        octets: u64,
    },
}

/// Whether a file that begins so is one of delays, of any version.
pub fn is_delay_file(first: &[u8]) -> bool {
    first.starts_with(&MAGIC[..8])
}

impl Reader {
    /// Takes the next octets of the file.
    pub fn feed(&mut self, octets: &[u8]) {
        self.buffer.drain(..self.at);
        self.at = 0;
        self.buffer.extend_from_slice(octets);
    }

    /// The header, once it was read.
    pub const fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The records of the next block; `None` if it is not there yet.
    ///
    /// # Errors
    /// The file is not one of delays, or was changed. It stays so.
    pub fn next_block(&mut self) -> Result<Option<Vec<Record>>, ReadError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let found = self.next();
        self.failed = found.as_ref().err().cloned();
        found
    }

    fn next(&mut self) -> Result<Option<Vec<Record>>, ReadError> {
        if self.offset == 0 && !self.skip_magic()? {
            return Ok(None);
        }
        loop {
            let offset = self.offset;
            let rest = &self.buffer[self.at..];
            if self.is_over && !rest.is_empty() {
                return Err(ReadError::Content { offset, what: "something follows the end" });
            }
            let Some(Block { kind, count, content }) = block::first(rest, offset)? else { return Ok(None) };
            let wrong = |what| ReadError::Content { offset, what };
            let length = (block::FRAME + content.len()) as u64;
            let mut records = None;
            match (kind, &self.header) {
                (HEADER, None) => {
                    let read = serde_json::from_slice(content);
                    let reason = |error: serde_json::Error| error.to_string();
                    self.header = Some(read.map_err(|it| ReadError::Header { offset, reason: reason(it) })?);
                }
                (HEADER, Some(_)) => return Err(wrong("a second header")),
                (_, None) => return Err(wrong("a block before the header")),
                (SAMPLES, _) => {
                    let found = block::records(content, count).map_err(wrong)?;
                    self.records += found.len() as u64;
                    records = Some(found);
                }
                (END, _) => {
                    let mut rest = content;
                    let total = block::number(&mut rest).map_err(wrong)?;
                    if total != self.records || !rest.is_empty() {
                        return Err(wrong("the end counts other records than there are"));
                    }
                    self.is_over = true;
                }
                _ => return Err(ReadError::Kind { offset, found: kind }),
            }
            self.at += length as usize;
            self.offset += length;
            if records.is_some() {
                return Ok(records);
            }
        }
    }

    /// Whether the first octets are there; refuses others.
    fn skip_magic(&mut self) -> Result<bool, ReadError> {
        let Some(there) = self.buffer.get(self.at..self.at + MAGIC.len()) else { return Ok(false) };
        let name = MAGIC.len() - 1;
        if there[..name] != MAGIC[..name] {
            return Err(ReadError::Magic { found: there.to_vec() });
        }
        if there[name] != MAGIC[name] {
            return Err(ReadError::Version { found: there[name] });
        }
        self.at += MAGIC.len();
        self.offset += MAGIC.len() as u64;
        Ok(true)
    }

    /// At the end of the file, when there is no further block.
    ///
    /// # Errors
    /// There is no header, or an earlier error.
    pub fn finish(self) -> Result<Ending, ReadError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let rest = &self.buffer[self.at..];
        if self.offset == 0 && !MAGIC.starts_with(rest) {
            return Err(ReadError::Magic { found: rest.to_vec() });
        }
        if self.header.is_none() {
            return Err(ReadError::NoHeader);
        }
        let octets = (self.buffer.len() - self.at) as u64;
        Ok(match self.is_over {
            true => Ending::Complete { records: self.records },
            false => Ending::CutOff { records: self.records, octets },
        })
    }
}
