//! The file of samples of a run, from the first record to the report.
//!
//! It is written under [`NEW_NAME`]. With the first sample it takes its name, [`FILE_NAME`], and what an earlier run left under
//! the names of results moves away with its samples: into [`PREVIOUS`], or, if that run was ended before its end, into
//! [`CUT_OFF`]. A run without samples leaves everything as it was.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError as Busy};

use crate::error::Error;
use crate::reading::Quantity;
use crate::trial::{Entry, FILE_NAME, Trials, read_records};

/// The name of the samples until there is a first one.
pub const NEW_NAME: &str = "samples.new.jsonl";
/// The directory of the samples and the report of the complete run before.
pub const PREVIOUS: &str = "previous";
/// The same of a run before that was ended before its end.
pub const CUT_OFF: &str = "cut-off";

/// Writes records as they arise. Its clones write to the same file.
#[derive(Debug, Clone)]
pub struct TrialWriter {
    store: Arc<Mutex<Store>>,
}

#[derive(Debug)]
struct Store {
    directory: PathBuf,
    file: BufWriter<File>,
    /// Octets that were written, on disk or not.
    written: u64,
    /// The same up to the end of the first sample, if there is one.
    first_sample: Option<u64>,
    /// Whether it has its name.
    is_kept: bool,
}

impl TrialWriter {
    /// Creates the file of samples in this directory, which must exist.
    ///
    /// # Errors
    /// Another run writes there; or the system's error.
    pub fn create(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(NEW_NAME);
        let failed = |source| Error::Write { path: path.clone(), source };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(&path).map_err(failed)?;
        // Held as long as the file is open; a file system without locks does without.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(Error::InUse { path });
        }
        let earlier = directory.join(FILE_NAME);
        if let Ok(earlier_file) = open_regular(&earlier)
            && matches!(earlier_file.try_lock(), Err(TryLockError::WouldBlock))
        {
            let _ = fs::remove_file(&path);
            return Err(Error::InUse { path: earlier });
        }
        keep_what_was_killed(directory)?;
        file.set_len(0).map_err(failed)?;
        let file = BufWriter::with_capacity(1 << 16, file);
        let store =
            Store { directory: directory.to_owned(), file, written: 0, first_sample: None, is_kept: false };
        Ok(TrialWriter { store: Arc::new(Mutex::new(store)) })
    }

    /// Appends a record; it may stay in memory until [`flush`](Self::flush), so that writing disturbs no
    /// measurement.
    ///
    /// # Errors
    /// The system's error.
    pub fn write(&mut self, entry: &Entry) -> Result<(), Error> {
        let mut store = self.lock();
        let result = serde_json::to_vec(entry).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            store.written += line.len() as u64;
            if is_sample(entry) {
                store.first_sample = store.first_sample.or(Some(store.written));
            }
            store.file.write_all(&line)
        });
        result.map_err(|source| Error::Write { path: store.path(), source })
    }

    /// Writes everything so far to disk; if there is a sample, under the name of samples.
    ///
    /// # Errors
    /// The system's error.
    pub fn flush(&mut self) -> Result<(), Error> {
        let mut store = self.lock();
        let flushed = store.flush();
        // Where the disk is full, what has reached it still gets its name.
        if store.has_sample() {
            store.keep()?;
        }
        flushed
    }

    /// Gives the file its name, also without a sample.
    ///
    /// # Errors
    /// The system's error.
    pub fn keep(&self) -> Result<(), Error> {
        let mut store = self.lock();
        store.flush()?;
        store.keep()
    }

    /// Makes the directory of files of delays, where only those of this run are then; the samples have their name from
    /// now on. Returns it.
    ///
    /// # Errors
    /// The system's error.
    pub fn delays(&self) -> Result<PathBuf, Error> {
        self.keep()?;
        let path = self.lock().directory.join(DELAYS);
        fs::create_dir_all(&path).map_err(|source| Error::Write { path: path.clone(), source })?;
        Ok(path)
    }

    /// Whether it has its name.
    pub fn is_kept(&self) -> bool {
        self.lock().is_kept
    }

    /// At the end of the program, whatever other threads do: what was taken is on disk under its name, or nothing is left.
    /// Returns the file's path if there is one.
    pub(crate) fn rescue(&self) -> Option<PathBuf> {
        for _ in 0..RESCUE_LOOKS {
            let mut store = match self.store.try_lock() {
                Ok(store) => store,
                Err(Busy::Poisoned(error)) => error.into_inner(),
                Err(Busy::WouldBlock) => {
                    std::thread::sleep(std::time::Duration::from_millis(10));
                    continue;
                }
            };
            let _ = store.flush();
            if store.has_sample() {
                let _ = store.keep();
            }
            store.discard();
            return Some(store.path()).filter(|_| store.is_kept);
        }
        None
    }

    /// Reads the records back, from the very file that was written.
    ///
    /// # Errors
    /// The file was removed or replaced meanwhile; or as [`read`](crate::trial::read).
    pub fn read(&self) -> Result<Trials, Error> {
        let mut store = self.lock();
        store.flush()?;
        let path = store.path();
        let failed = |source| Error::Read { path: path.clone(), source };
        if !store.is_in_place() {
            return Err(Error::Replaced { path });
        }
        let mut file = store.file.get_ref().try_clone().map_err(failed)?;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        read_records(&path, BufReader::new(file))
    }

    fn lock(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    fn path(&self) -> PathBuf {
        self.directory.join(if self.is_kept { FILE_NAME } else { NEW_NAME })
    }

    /// Whether there is a sample, and it has reached the disk.
    fn has_sample(&self) -> bool {
        let on_disk = self.file.get_ref().metadata().map_or(0, |metadata| metadata.len());
        self.first_sample.is_some_and(|end| end <= on_disk)
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.file.flush().map_err(|source| Error::Write { path: self.path(), source })
    }

    /// Whether the file is still under its name.
    fn is_in_place(&self) -> bool {
        let there = fs::symlink_metadata(self.path()).ok();
        let ours = self.file.get_ref().metadata().ok();
        there.zip(ours).is_some_and(|(there, ours)| (there.dev(), there.ino()) == (ours.dev(), ours.ino()))
    }

    fn keep(&mut self) -> Result<(), Error> {
        if self.is_kept {
            return Ok(());
        }
        if !self.is_in_place() {
            return Err(Error::Replaced { path: self.path() });
        }
        move_away(&self.directory)?;
        let path = self.directory.join(FILE_NAME);
        let moved = fs::rename(self.path(), &path);
        moved.map_err(|source| Error::Write { path, source })?;
        self.is_kept = true;
        Ok(())
    }

    /// Without a sample nothing is left.
    fn discard(&mut self) {
        let _ = self.file.flush();
        if self.has_sample() {
            let _ = self.keep();
        }
        if !self.is_kept && self.is_in_place() {
            let _ = fs::remove_file(self.path());
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.discard();
    }
}

/// Whether a record is a result: not what is read while a run is being set up.
fn is_sample(entry: &Entry) -> bool {
    match entry {
        Entry::Session(_) | Entry::Block(_) | Entry::Memory(_) | Entry::Group(_) => true,
        Entry::Reading(reading) => !OF_SETTING_UP.contains(&reading.quantity),
        _ => false,
    }
}

/// A run that was killed before its samples had their name has them under that of new ones: they go where an interrupted run's go.
fn keep_what_was_killed(directory: &Path) -> Result<(), Error> {
    let path = directory.join(NEW_NAME);
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    };
    let text = open_regular(&path).and_then(|mut file| {
        let mut octets = Vec::new();
        file.read_to_end(&mut octets).map(|_| octets)
    });
    let text = text.map_err(failed(&path))?;
    let mut lines = text.split_inclusive(|octet| *octet == b'\n');
    let has_sample = |line: &[u8]| serde_json::from_slice(line).is_ok_and(|entry| is_sample(&entry));
    if !lines.any(has_sample) {
        return Ok(());
    }
    let place = directory.join(CUT_OFF);
    fs::create_dir_all(&place).map_err(failed(&place))?;
    for name in RESULTS {
        let other = place.join(name);
        let removed = match other.is_dir() {
            true => fs::remove_dir_all(&other),
            false => fs::remove_file(&other),
        };
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(&other)(error)),
            _ => {}
        }
    }
    let kept = place.join(FILE_NAME);
    fs::write(&kept, text).map_err(failed(&kept))
}

/// Moves the results of an earlier run into a directory of their own, in place of those that are there.
fn move_away(directory: &Path) -> Result<(), Error> {
    let is_there = |name: &str| fs::symlink_metadata(directory.join(name)).is_ok();
    if !RESULTS.iter().any(|name| is_there(name)) {
        return Ok(());
    }
    let place = if is_complete(&directory.join(FILE_NAME)) { PREVIOUS } else { CUT_OFF };
    let place = directory.join(place);
    let failed = |source| Error::Write { path: place.clone(), source };
    match fs::create_dir(&place) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if !fs::symlink_metadata(&place).map_err(failed)?.is_dir() {
                return Err(failed(ErrorKind::NotADirectory.into()));
            }
        }
        made => made.map_err(failed)?,
    }
    for name in RESULTS {
        // A directory takes no other one's name.
        let is_directory = fs::symlink_metadata(place.join(name)).is_ok_and(|it| it.is_dir());
        let removed = match (is_there(name), is_directory) {
            (_, true) => fs::remove_dir_all(place.join(name)),
            (true, false) => Ok(()),
            (false, false) => match fs::remove_file(place.join(name)) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                removed => removed,
            },
        };
        let moved = removed.and_then(|()| match is_there(name) {
            true => fs::rename(directory.join(name), place.join(name)),
            false => Ok(()),
        });
        moved.map_err(|source| Error::Write { path: place.join(name), source })?;
    }
    Ok(())
}

/// Whether samples end with the record of a run's end.
fn is_complete(path: &Path) -> bool {
    let tail = || -> io::Result<String> {
        let mut file = open_regular(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut octets = Vec::new();
        file.take(TAIL).read_to_end(&mut octets)?;
        Ok(String::from_utf8_lossy(&octets).into_owned())
    };
    // After the end there may be the load of the machine.
    tail().is_ok_and(|text| text.lines().any(|line| line.starts_with("{\"record\":\"end\"")))
}

/// Opens a regular file of a size that fits into memory; anything else, like a pipe that nobody writes to, is refused at
/// once.
///
/// # Errors
/// The system's error, or what is wrong with it.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.len() > MOST_OCTETS {
        let text = format!("it has {} GB; at most {} GB are read", metadata.len() >> 30, MOST_OCTETS >> 30);
        return Err(io::Error::other(text));
    }
    Ok(file)
}

/// The capture of the link in the directory of a run.
pub const CAPTURE: &str = "link.pcapng";
/// The page's file name in the report's directory.
pub const PAGE: &str = "index.html";
/// The directory of files of delays in that of a run.
pub const DELAYS: &str = "delays";
/// What a run leaves in its directory.
const RESULTS: [&str; 7] = [FILE_NAME, PAGE, "report.json", "report.md", "tables.csv", CAPTURE, DELAYS];
/// Readings from before the first request.
const OF_SETTING_UP: [Quantity; 7] = [
    Quantity::Instances,
    Quantity::ZeroCounters,
    Quantity::Resident,
    Quantity::Proportional,
    Quantity::Instructions,
    Quantity::Writable,
    Quantity::Constants,
];
/// Octets at the end of a file that contain the record of its end.
const TAIL: u64 = 4096;
/// Of samples.
const MOST_OCTETS: u64 = 4 << 30;
/// How often a file that is being written is looked at, each after 10 ms.
const RESCUE_LOOKS: u32 = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Protocol;
    use crate::sample::{session, trial};
    use crate::transport::Transport;
    use crate::trial::{EndRecord, read};

    /// A run with or without samples and end.
    fn run(directory: &Path, experiment: &str, has_samples: bool, ends: bool) -> Result<TrialWriter, Error> {
        let mut writer = TrialWriter::create(directory)?;
        writer.write(&Entry::Trial(trial(experiment)))?;
        if has_samples {
            let protocol = Protocol::v1(Transport::Udp);
            writer.write(&Entry::Session(session("x/y", "udp", protocol, 5, 1, [0.1, 2.0, 0.1])))?;
        }
        if ends {
            writer.write(&Entry::End(EndRecord { seconds: 1.0 }))?;
        }
        writer.flush()?;
        Ok(writer)
    }

    fn line(entry: &Entry) -> Vec<u8> {
        [serde_json::to_vec(entry).unwrap(), vec![b'\n']].concat()
    }

    fn names(directory: &Path) -> Vec<String> {
        let all = fs::read_dir(directory).unwrap();
        let mut all: Vec<String> = all.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        all.sort();
        all
    }

    #[test]
    fn what_reached_the_disk_keeps_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = TrialWriter::create(directory.path()).unwrap();
        writer.write(&Entry::Trial(trial("du2001"))).unwrap();
        let protocol = Protocol::v1(Transport::Udp);
        writer.write(&Entry::Session(session("x/y", "udp", protocol, 5, 1, [0.1, 2.0, 0.1]))).unwrap();
        // Nobody flushed it, as after an error of writing.
        drop(writer);
        assert_eq!(names(directory.path()), [FILE_NAME]);
    }

    #[test]
    fn samples_of_a_killed_run_are_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        drop(run(directory, "compare", true, true).unwrap());
        let complete = fs::read(directory.join(FILE_NAME)).unwrap();
        // What a run that was killed leaves, whose last line was being written.
        let mut killed = line(&Entry::Trial(trial("du2001")));
        let nothing = killed.clone();
        let protocol = Protocol::v1(Transport::Udp);
        let sample = line(&Entry::Session(session("x/y", "udp", protocol, 5, 1, [0.1, 2.0, 0.1])));
        killed.extend(&sample);
        killed.extend(&sample[..20]);
        fs::write(directory.join(NEW_NAME), &killed).unwrap();
        drop(run(directory, "ma2005", false, false).unwrap());
        assert_eq!(fs::read(directory.join(CUT_OFF).join(FILE_NAME)).unwrap(), killed);
        let trials = read(&directory.join(CUT_OFF)).unwrap();
        assert_eq!((&*trials.trial.experiment, trials.sessions("x/y").count()), ("du2001", 1));
        assert_eq!(fs::read(directory.join(FILE_NAME)).unwrap(), complete);
        // Without a sample there is nothing to keep.
        fs::write(directory.join(NEW_NAME), &nothing).unwrap();
        drop(run(directory, "ma2005", false, false).unwrap());
        assert_eq!(fs::read(directory.join(CUT_OFF).join(FILE_NAME)).unwrap(), killed);
    }

    #[test]
    fn a_run_moves_the_one_before_away_with_its_report() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let running = run(directory, "du2001", true, true).unwrap();
        let error = run(directory, "compare", true, true).unwrap_err();
        assert!(error.to_string().starts_with("another run writes to "), "{error}");
        drop(running);
        fs::write(directory.join("report.json"), "good").unwrap();
        assert_eq!(names(directory), ["report.json", FILE_NAME]);
        // One that is ended, twice: the complete one stays.
        for name in ["compare", "ma2005"] {
            drop(run(directory, name, true, false).unwrap());
            assert!(!directory.join("report.json").exists(), "a report of another run");
            assert_eq!(read(directory).unwrap().trial.experiment, name);
        }
        assert_eq!(read(&directory.join(PREVIOUS)).unwrap().trial.experiment, "du2001");
        assert_eq!(fs::read_to_string(directory.join(PREVIOUS).join("report.json")).unwrap(), "good");
        assert_eq!(read(&directory.join(CUT_OFF)).unwrap().trial.experiment, "compare");
    }

    #[test]
    fn files_of_delays_move_with_their_run() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        for run in 0..3 {
            let writer = TrialWriter::create(directory).unwrap();
            let delays = writer.delays().unwrap();
            assert_eq!(fs::read_dir(&delays).unwrap().count(), 0, "those of another run");
            fs::write(delays.join(format!("{run}.delays")), "x").unwrap();
        }
        assert_eq!(names(&directory.join(DELAYS)), ["2.delays"]);
        assert_eq!(names(&directory.join(CUT_OFF).join(DELAYS)), ["1.delays"]);
    }

    #[test]
    fn a_run_without_samples_changes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        drop(run(directory.path(), "du2001", true, true).unwrap());
        fs::write(directory.path().join("index.html"), "good").unwrap();
        let before = names(directory.path());
        for ends in [false, true] {
            let writer = run(directory.path(), "compare", false, ends).unwrap();
            assert!(!writer.is_kept());
            assert_eq!(writer.read().unwrap().trial.experiment, "compare");
            drop(writer);
            assert_eq!(names(directory.path()), before);
        }
        assert_eq!(run(directory.path(), "compare", false, false).unwrap().rescue(), None);
        assert_eq!(names(directory.path()), before);
        assert_eq!(read(directory.path()).unwrap().trial.experiment, "du2001");
    }

    #[test]
    fn what_has_not_reached_the_disk_takes_no_ones_place() {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = TrialWriter::create(directory.path()).unwrap();
        writer.write(&Entry::Trial(trial("compare"))).unwrap();
        let session = session("x/y", "udp", Protocol::v1(Transport::Udp), 5, 1, [0.1, 2.0, 0.1]);
        writer.write(&Entry::Session(session)).unwrap();
        assert!(!writer.lock().has_sample());
        writer.lock().flush().unwrap();
        assert!(writer.lock().has_sample());
        // As if the disk had taken half of it.
        let half = writer.lock().file.get_ref().metadata().unwrap().len() / 2;
        writer.lock().file.get_ref().set_len(half).unwrap();
        assert!(!writer.lock().has_sample());
        drop(writer);
        assert_eq!(names(directory.path()), [""; 0]);
    }

    #[test]
    fn only_the_file_that_was_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let writer = run(directory.path(), "du2001", true, true).unwrap();
        assert_eq!(writer.read().unwrap().seconds(), Some(1.0));
        let path = directory.path().join(FILE_NAME);
        let copy = directory.path().join("copy");
        fs::copy(&path, &copy).unwrap();
        fs::rename(&copy, &path).unwrap();
        let error = writer.read().unwrap_err().to_string();
        assert!(error.contains("removed or replaced"), "{error}");
        drop(directory);
        assert!(matches!(writer.read(), Err(Error::Replaced { .. })));
    }

    #[test]
    fn what_is_not_a_file_of_samples_is_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE_NAME);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let error = read(directory.path()).unwrap_err().to_string();
        assert!(error.contains("not a regular file"), "{error}");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let error = read(directory.path()).unwrap_err().to_string();
        assert!(error.contains("not a regular file"), "{error}");
        fs::remove_file(&path).unwrap();
        File::create(&path).unwrap().set_len(MOST_OCTETS + 1).unwrap();
        let error = read(directory.path()).unwrap_err().to_string();
        assert!(error.contains("at most 4 GB"), "{error}");
    }
}
