//! A log file whose lines are counted: the rows of logMatchTable, and the thread that reads the files in time, so that what is written before
//! a file is rotated counts.
//!
//! A file is read from where the last reading ended; one that has become shorter, or is another one by the same name, from its beginning.
//! Only whole lines count, and one line of more than [`LONGEST_LINE`] octets counts as several. The first reading is of the whole file.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use regex::bytes::{Regex, RegexBuilder};

use super::LogMatchOptions;

/// A log file with its expression and counters.
#[derive(Debug)]
pub(crate) struct LogFile {
    options: LogMatchOptions,
    pattern: Result<Regex, String>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Device and inode.
    identity: (u64, u64),
    position: u64,
    counts: Counts,
    read: Option<Instant>,
    /// There is more than was read at once.
    is_behind: bool,
}

/// How many lines have matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Since the agent started.
    pub total: u64,
    /// In the file as it is now.
    pub in_file: u64,
    /// Since the table was last read.
    pub since_read: u64,
}

impl LogFile {
    pub(crate) fn new(options: LogMatchOptions) -> Self {
        let pattern = RegexBuilder::new(&options.pattern)
            .size_limit(MOST_OF_A_PATTERN)
            .build()
            .map_err(|error| error.to_string());
        LogFile { options, pattern, state: Mutex::default() }
    }

    pub(crate) fn options(&self) -> &LogMatchOptions {
        &self.options
    }

    /// What is wrong with the expression.
    pub(crate) fn error(&self) -> Option<&str> {
        self.pattern.as_ref().err().map(String::as_str)
    }

    /// Reads what is new, and begins to count anew for the next report.
    pub(crate) fn report(&self) -> Counts {
        let mut state = self.lock();
        self.read(&mut state);
        let counts = state.counts;
        state.counts.since_read = 0;
        counts
    }

    /// Reads what is new if it is time to; returns how long to wait then, if it is ever to be read again.
    fn read_in_time(&self, now: Instant) -> Option<Duration> {
        let every = Some(self.options.every).filter(|every| !every.is_zero() && self.pattern.is_ok())?;
        let mut state = self.lock();
        let passed = state.read.map(|read| now.saturating_duration_since(read));
        match passed.filter(|passed| *passed < every && !state.is_behind) {
            Some(passed) => Some(every - passed),
            None => {
                self.read(&mut state);
                Some(if state.is_behind { SOON } else { every })
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, state: &mut State) {
        state.read = Some(Instant::now());
        let Ok(pattern) = &self.pattern else { return };
        state.is_behind = count(&self.options, pattern, state).unwrap_or_else(|error| {
            tracing::debug!(file = %self.options.path.display(), %error, "a log file is not read");
            false
        });
    }
}

/// Whether there is more.
fn count(options: &LogMatchOptions, pattern: &Regex, state: &mut State) -> std::io::Result<bool> {
    // A FIFO would wait for a writer.
    let found = std::fs::metadata(&options.path)?;
    if !found.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let mut file = File::open(&options.path)?;
    let found = file.metadata()?;
    let identity = (found.dev(), found.ino());
    if state.identity != identity || found.len() < state.position {
        (state.identity, state.position, state.counts.in_file) = (identity, 0, 0);
    }
    file.seek(SeekFrom::Start(state.position))?;
    let mut reader = BufReader::with_capacity(BUFFER, file.take(MOST_AT_ONCE));
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? as u64;
        let is_whole = line.last() == Some(&b'\n') || length == LONGEST_LINE;
        if !is_whole {
            return Ok(found.len() - state.position >= LONGEST_LINE);
        }
        state.position += length;
        if pattern.is_match(line.strip_suffix(b"\n").unwrap_or(&line)) {
            let Counts { total, in_file, since_read } = &mut state.counts;
            [total, in_file, since_read].into_iter().for_each(|count| *count += 1);
        }
    }
}

/// Reads those whose time has come; returns how long nothing need be read.
pub(crate) fn read_due(logs: &[Arc<LogFile>]) -> Duration {
    let now = Instant::now();
    logs.iter().filter_map(|log| log.read_in_time(now)).min().unwrap_or(IDLE)
}

/// How long the thread waits if no file is to be read.
const IDLE: Duration = Duration::from_secs(3600);
/// Octets of a line that are matched as one.
const LONGEST_LINE: u64 = 64 * 1024;
/// Octets that are read at once, in less than a tenth of a second: the table is answered meanwhile. The next reading goes on
/// from there, and comes soon.
const MOST_AT_ONCE: u64 = 4 * 1024 * 1024;
/// How soon.
const SOON: Duration = Duration::from_millis(100);
const BUFFER: usize = 64 * 1024;
/// Octets of a compiled expression.
const MOST_OF_A_PATTERN: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn counts(log: &LogFile) -> [u64; 3] {
        let Counts { total, in_file, since_read } = log.report();
        [total, in_file, since_read]
    }

    #[test]
    fn whole_lines_count_once_whatever_happens_to_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let every = Duration::ZERO;
        let options = |pattern: &str| LogMatchOptions {
            name: "it".into(),
            path: path.clone(),
            pattern: pattern.into(),
            every,
        };
        let log = LogFile::new(options("error [0-9]+$"));
        assert_eq!(counts(&log), [0, 0, 0]); // it is not there yet
        let append = |text: &[u8]| {
            let mut file = File::options().append(true).create(true).open(&path).unwrap();
            file.write_all(text).unwrap();
        };
        append(b"error 1\nfine\nerror 22 \xff\nerror 3");
        assert_eq!(counts(&log), [1, 1, 1]);
        append(b"3\nerror 4\n");
        assert_eq!(counts(&log), [3, 3, 2]);
        assert_eq!(counts(&log), [3, 3, 0]);
        // Rotated by copying and emptying, and by renaming.
        std::fs::write(&path, "error 5\n").unwrap();
        assert_eq!(counts(&log), [4, 1, 1]);
        std::fs::rename(&path, folder.path().join("log.1")).unwrap();
        assert_eq!(counts(&log), [4, 1, 0]);
        append(b"error 6\nerror 7\n");
        assert_eq!(counts(&log), [6, 2, 2]);
        // A line without an end is not waited for.
        append(&[b'x'; LONGEST_LINE as usize]);
        append(b"error 8\n");
        assert_eq!(counts(&log), [7, 3, 1]);
        let wrong = LogFile::new(options("error ["));
        assert!(wrong.error().is_some_and(|error| error.contains("error [")), "{:?}", wrong.error());
        assert_eq!(counts(&wrong), [0, 0, 0]);
        assert!(LogFile::new(options("(a{1000}){1000}")).error().is_some());
    }

    #[test]
    fn files_are_read_when_it_is_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "a\n").unwrap();
        let log = |every: u64| {
            let (path, every) = (path.clone(), Duration::from_secs(every));
            Arc::new(LogFile::new(LogMatchOptions { name: "it".into(), path, pattern: "a".into(), every }))
        };
        let (often, never) = (log(60), log(0));
        assert_eq!(read_due(&[Arc::clone(&never)]), IDLE);
        assert_eq!(read_due(&[Arc::clone(&often), Arc::clone(&never)]), Duration::from_secs(60));
        std::fs::write(&path, "a\na\na\n").unwrap();
        // Not again so soon.
        assert!(read_due(&[Arc::clone(&often)]) <= Duration::from_secs(60));
        assert_eq!(often.lock().counts.total, 1);
        assert_eq!(never.lock().counts.total, 0);
    }
}
