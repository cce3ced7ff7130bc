//! A journal beside a file of the state directory: what changed since that file was written. Each record is on the disk before the next
//! one is begun, so that a crash can only cut the last one.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use trunkline_transport::files::LONGEST;

use super::state_file::{Readers, StateError, exposure, open_file, replace_file};

/// The journal of one file. It belongs to one state of that file, its generation; of another one it means nothing.
#[derive(Debug)]
pub struct Journal {
    directory: PathBuf,
    name: &'static str,
    /// Octets of the head and of whole records; `None`: nothing can be appended until it is begun anew.
    length: Option<u64>,
}

/// When a record is on the disk. The system has it at once, whatever happens to this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// When it is appended, with all records before it.
    Now,
    /// At the latest with the next record that is.
    WithNext,
}

/// What octets of a journal hold.
#[derive(Debug, PartialEq, Eq)]
pub struct Records<'o> {
    /// The generation of the file that it continues.
    pub generation: u64,
    /// The records.
    pub all: Vec<&'o [u8]>,
    /// Octets up to the end of the last whole record.
    pub length: usize,
}

impl Journal {
    /// Reads the journal `name` of a file's generation: its records. One of an earlier generation, or none, has none, and is begun with the
    /// first [`Journal::restart`]. A last record that was cut is dropped. Changes nothing.
    ///
    /// # Errors
    /// It cannot be read, others may write it, it is damaged before its last record, or it belongs to a later state of the file.
    pub fn open(
        directory: &Path,
        name: &'static str,
        generation: u64,
    ) -> Result<(Journal, Vec<Vec<u8>>), StateError> {
        let path = directory.join(name);
        let unread = |source| StateError::Unread { path: path.clone(), source };
        let mut journal = Journal { directory: directory.to_path_buf(), name, length: None };
        let mut octets = Vec::new();
        match open_file(&path) {
            Ok(file) => {
                let metadata = file.metadata().map_err(unread)?;
                if let Some(message) = exposure(&path, &metadata, Readers::Owner) {
                    return Err(StateError::Exposed { path: path.clone(), message });
                }
                file.take(LONGEST).read_to_end(&mut octets).map_err(unread)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((journal, Vec::new())),
            Err(error) => return Err(unread(error)),
        }
        let found =
            Records::read(&octets).map_err(|message| StateError::Damaged { path: path.clone(), message })?;
        if found.generation > generation {
            let message = format!(
                "it continues state {} of the file that it belongs to, and that is {}",
                found.generation,
                if generation == 0 { "missing".to_owned() } else { format!("at state {generation}") }
            );
            return Err(StateError::Damaged { path, message });
        }
        // The file was written anew, and then the agent was stopped.
        if found.generation < generation {
            return Ok((journal, Vec::new()));
        }
        if found.length < octets.len() {
            tracing::warn!(file = %path.display(), "the last change was not written to its end: it is dropped");
        }
        journal.length = Some(found.length as u64);
        Ok((journal, found.all.into_iter().map(<[u8]>::to_vec).collect()))
    }

    /// Begins it anew, for another generation of its file.
    ///
    /// # Errors
    /// It cannot be written; then nothing can be appended.
    pub fn restart(&mut self, generation: u64) -> Result<(), StateError> {
        self.length = None;
        let (path, head) = (self.path(), head(generation));
        let write = |file: &mut File| file.write_all(head.as_bytes());
        replace_file(&self.directory, &path, write).map_err(|source| StateError::Io { path, source })?;
        self.length = Some(head.len() as u64);
        Ok(())
    }

    /// Appends a record. With [`Flush::Now`] it is on the disk when this returns.
    ///
    /// # Errors
    /// It is not kept, and will not be there after a crash either; or it may be, and then nothing can be appended until the journal is begun
    /// anew.
    pub fn append(&mut self, record: &[u8], flush: Flush) -> Result<(), StateError> {
        let path = self.path();
        let failed = |source| StateError::Io { path: path.clone(), source };
        let Some(length) = self.length else { return Err(failed(io::ErrorKind::NotFound.into())) };
        let framed = frame(record).ok_or_else(|| failed(io::ErrorKind::FileTooLarge.into()))?;
        let flags = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        let opened = OpenOptions::new().write(true).custom_flags(flags).open(&path);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) => {
                self.length = None;
                return Err(failed(error));
            }
        };
        let done = append_to(&mut file, length, &framed, flush);
        match &done {
            Ok(()) => self.length = Some(length + framed.len() as u64),
            // What is left of it would be taken for the last record, cut or not; and what somebody else has changed is not ours.
            Err(error) => {
                let is_ours = error.kind() != io::ErrorKind::InvalidData;
                let is_as_before = is_ours && file.set_len(length).and_then(|()| file.sync_all()).is_ok();
                self.length = self.length.filter(|_| is_as_before);
            }
        }
        done.map_err(failed)
    }

    /// Its octets; `None` if nothing can be appended.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    fn path(&self) -> PathBuf {
        self.directory.join(self.name)
    }
}

fn append_to(file: &mut File, length: u64, framed: &[u8], flush: Flush) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    let found = file.metadata()?;
    if !found.is_file() || found.len() < length {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "somebody else has changed the file"));
    }
    // A record that was cut ends here.
    if found.len() > length {
        file.set_len(length)?;
    }
    file.write_all_at(framed, length)?;
    match flush {
        Flush::Now => file.sync_data(),
        Flush::WithNext => Ok(()),
    }
}

impl<'o> Records<'o> {
    /// Reads octets of a journal.
    ///
    /// # Errors
    /// What is wrong with them, unless it is the last record that is not there to its end.
    pub fn read(octets: &'o [u8]) -> Result<Records<'o>, String> {
        let generation = octets.iter().position(|octet| *octet == b'\n').and_then(|end| {
            let line = std::str::from_utf8(&octets[..end]).ok()?;
            Some((line.strip_prefix(HEAD)?.parse::<u64>().ok()?, end + 1))
        });
        let Some((generation, begin)) =
            generation.filter(|(generation, _)| octets.starts_with(head(*generation).as_bytes()))
        else {
            return Err(format!("its first line is not {HEAD:?} with a number"));
        };
        let mut found = Records { generation, all: Vec::new(), length: begin };
        loop {
            let rest = &octets[found.length..];
            let damaged = || format!("the record at octet {} is not as it was written", found.length);
            let Some((head, behind)) = rest.split_first_chunk::<HEADER>() else { return Ok(found) };
            let [a, b, c, d, e, f, g, h, check @ ..] = *head;
            let size = [a, b, c, d];
            if checksum(&size) != u32::from_le_bytes([e, f, g, h]) {
                // A disk may have made room for a record and not written all of its head.
                return if behind.iter().all(|octet| *octet == 0) { Ok(found) } else { Err(damaged()) };
            }
            // The end of the last record was not written.
            let size = u32::from_le_bytes(size) as usize;
            let Some(record) = behind.get(..size) else { return Ok(found) };
            if checksum(record) != u32::from_le_bytes(check) {
                // What a crash has not written to the disk is zeros, as no record has; anything else was there, and somebody may rely on it.
                let is_cut = behind.len() == size && record.contains(&0);
                return if is_cut { Ok(found) } else { Err(damaged()) };
            }
            // No record is empty.
            if record.is_empty() {
                return Err(damaged());
            }
            found.all.push(record);
            found.length += HEADER + size;
        }
    }
}

/// A record as it is written: its length, checksums of that and of itself, itself. `None`: it is empty or too long.
#[must_use]
pub fn frame(record: &[u8]) -> Option<Vec<u8>> {
    let size = u32::try_from(record.len()).ok().filter(|size| *size > 0)?;
    let size = size.to_le_bytes();
    Some([&size[..], &checksum(&size).to_le_bytes(), &checksum(record).to_le_bytes(), record].concat())
}

/// Octets before a record.
const HEADER: usize = 12;

fn head(generation: u64) -> String {
    format!("{HEAD}{generation}\n")
}

/// The first line, before the generation.
const HEAD: &str = "# trunklined journal, version 1, of generation ";

/// CRC-32 (ISO 3309).
pub(super) fn checksum(octets: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut at = 0;
        while at < 256 {
            let mut value = at as u32;
            let mut bit = 0;
            while bit < 8 {
                value = if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
                bit += 1;
            }
            table[at] = value;
            at += 1;
        }
        table
    };
    !octets.iter().fold(!0, |sum, octet| sum >> 8 ^ TABLE[(sum as u8 ^ octet) as usize])
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn open(folder: &Path, generation: u64) -> (Journal, Vec<Vec<u8>>) {
        Journal::open(folder, "x.journal", generation).unwrap()
    }

    #[test]
    fn checksums_are_those_of_the_standard() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(b""), 0);
    }

    #[test]
    fn records_survive_and_belong_to_one_generation() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let (mut journal, found) = open(place, 0);
        assert_eq!((found.len(), journal.length()), (0, None));
        assert!(journal.append(b"a", Flush::Now).is_err());
        journal.restart(7).unwrap();
        journal.append(b"one", Flush::Now).unwrap();
        journal.append(&[0; 300], Flush::Now).unwrap();
        assert!(journal.append(b"", Flush::Now).is_err());
        let (mut again, found) = open(place, 7);
        assert_eq!(found, [b"one".to_vec(), vec![0; 300]]);
        again.append(b"three", Flush::Now).unwrap();
        assert_eq!(open(place, 7).1.len(), 3);
        // Of an earlier state of the file it means nothing; a file of an earlier state has lost something.
        let (other, found) = open(place, 8);
        assert_eq!((found.len(), other.length()), (0, None));
        for (generation, words) in [(0, "is missing"), (6, "is at state 6")] {
            let error = Journal::open(place, "x.journal", generation).unwrap_err().to_string();
            assert!(error.contains("continues state 7") && error.contains(words), "{error}");
        }
    }

    #[test]
    fn wherever_a_crash_cuts_the_last_record_the_others_are_read_and_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.journal");
        let (mut journal, _) = open(folder.path(), 1);
        journal.restart(1).unwrap();
        journal.append(b"first", Flush::WithNext).unwrap();
        let before = fs::read(&file).unwrap();
        journal.append(b"the second", Flush::Now).unwrap();
        let whole = fs::read(&file).unwrap();
        for end in before.len()..whole.len() {
            fs::write(&file, &whole[..end]).unwrap();
            let (mut cut, found) = open(folder.path(), 1);
            assert_eq!(found, [b"first"], "{end}");
            // What comes next takes its place.
            cut.append(b"next", Flush::Now).unwrap();
            assert_eq!(open(folder.path(), 1).1, [b"first".to_vec(), b"next".to_vec()]);
        }
        // Room that was made and not written.
        fs::write(&file, [&before[..], &[0; 18]].concat()).unwrap();
        assert_eq!(open(folder.path(), 1).1, [b"first"]);
        let size = b"the second".len();
        fs::write(&file, [&whole[..whole.len() - 4], &[0; 4]].concat()).unwrap();
        assert_eq!(open(folder.path(), 1).1, [b"first"]);
        // What is wrong otherwise was not made by a crash, wherever it is: nothing is dropped in silence that was once there.
        for at in
            (before.len() - HEADER - b"first".len()..before.len()).chain(whole.len() - size..whole.len())
        {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&file, &damaged).unwrap();
            let error = Journal::open(folder.path(), "x.journal", 1).unwrap_err().to_string();
            assert!(error.contains("x.journal: the record at octet"), "{at}: {error}");
        }
        fs::write(&file, "something else\n").unwrap();
        assert!(Journal::open(folder.path(), "x.journal", 1).is_err());
    }

    #[test]
    fn what_cannot_be_written_leaves_the_journal_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _) = open(folder.path(), 1);
        journal.restart(1).unwrap();
        journal.append(b"first", Flush::Now).unwrap();
        let away = folder.path().join("away");
        fs::rename(folder.path().join("x.journal"), &away).unwrap();
        assert!(journal.append(b"second", Flush::Now).is_err() && journal.length().is_none());
        fs::write(folder.path().join("x.journal"), &fs::read(&away).unwrap()[..40]).unwrap();
        assert!(Journal::open(folder.path(), "x.journal", 1).is_err());
        fs::rename(&away, folder.path().join("x.journal")).unwrap();
        let (mut journal, found) = open(folder.path(), 1);
        assert_eq!(found, [b"first"]);
        fs::write(folder.path().join("x.journal"), "").unwrap();
        assert!(journal.append(b"second", Flush::Now).is_err() && journal.length().is_none());
        journal.restart(1).unwrap();
        journal.append(b"third", Flush::Now).unwrap();
        assert_eq!(open(folder.path(), 1).1, [b"third"]);
    }

    proptest! {
        #[test]
        fn what_is_framed_is_read(records in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..6), cut in 0_usize..50) {
            let mut octets = head(3).into_bytes();
            records.iter().for_each(|record| octets.extend(frame(record).unwrap()));
            let found = Records::read(&octets).unwrap();
            prop_assert_eq!((found.generation, &found.all, found.length), (3, &records.iter().map(Vec::as_slice).collect(), octets.len()));
            // Cut anywhere, what is left is the begin of it.
            let end = octets.len().saturating_sub(cut).max(head(3).len());
            let found = Records::read(&octets[..end]).unwrap();
            prop_assert_eq!(&found.all[..], &records[..found.all.len()]);
        }
    }
}
