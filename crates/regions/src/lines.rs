//! Lines to and from a program, each with a deadline.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum TalkError {
    /// It cannot be started.
    #[error("it cannot be started: {0}")]
    NotStarted(io::Error),
    /// Its output is at an end.
    #[error("it has ended")]
    Ended,
    /// It did not answer, or not read, in time.
    #[error("no answer in time; it is killed")]
    TimedOut,
    /// Unexpected output.
    #[error("expected {expected}, found {found:?}")]
    Nonsense {
        /// What belongs there.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// A line without end.
    #[error("a line of more than {MAX_LINE} octets")]
    TooLong,
    /// It sends more.
    #[error("unexpected extra output")]
    Flood,
    /// The pipe.
    #[error("the pipe is broken: {0}")]
    Pipe(#[from] Errno),
}

/// Both pipes.
#[derive(Debug)]
pub struct Lines {
    to: OwnedFd,
    from: OwnedFd,
    /// Read and not yet heard.
    read: Vec<u8>,
}

impl Lines {
    /// Over the program's input and output.
    pub fn new(to: OwnedFd, from: OwnedFd) -> io::Result<Self> {
        for end in [&to, &from] {
            fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK)?;
        }
        Ok(Lines { to, from, read: Vec::new() })
    }

    /// Writes a text. Unexpected earlier output, and the rest of an earlier answer, is discarded.
    pub fn say(&mut self, text: &str, deadline: Instant) -> Result<(), TalkError> {
        self.forget()?;
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match rustix::io::write(&self.to, rest) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => wait(&self.to, PollFlags::OUT, deadline)?,
                Err(Errno::PIPE) => return Err(TalkError::Ended),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn forget(&mut self) -> Result<(), TalkError> {
        self.read.clear();
        let mut buffer = [0; 4096];
        let mut forgotten = 0;
        while forgotten <= MAX_LINE {
            match rustix::io::read(self.from.as_fd(), &mut buffer) {
                Ok(0) => return Err(TalkError::Ended),
                Ok(count) => forgotten += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        Err(TalkError::Flood)
    }

    /// The next line, without its end.
    pub fn hear(&mut self, deadline: Instant) -> Result<Vec<u8>, TalkError> {
        let mut looked_at = 0;
        loop {
            if let Some(end) = self.read[looked_at..].iter().position(|octet| *octet == b'\n') {
                let mut line: Vec<u8> = self.read.drain(..=looked_at + end).collect();
                line.pop();
                return Ok(line);
            }
            looked_at = self.read.len();
            if looked_at > MAX_LINE {
                return Err(TalkError::TooLong);
            }
            let mut buffer = [0; 4096];
            match rustix::io::read(self.from.as_fd(), &mut buffer) {
                Ok(0) => return Err(TalkError::Ended),
                Ok(count) => self.read.extend_from_slice(&buffer[..count]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => wait(&self.from, PollFlags::IN, deadline)?,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn wait(end: &OwnedFd, what: PollFlags, deadline: Instant) -> Result<(), TalkError> {
    let left = deadline.saturating_duration_since(Instant::now());
    let time = Timespec {
        tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    };
    match poll(&mut [PollFd::new(end, what)], Some(&time)) {
        Ok(0) if left < Duration::from_millis(1) || Instant::now() >= deadline => Err(TalkError::TimedOut),
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The longest line: a value is no longer.
const MAX_LINE: usize = 65_535;
