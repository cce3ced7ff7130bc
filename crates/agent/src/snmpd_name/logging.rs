//! Where what happens is written: stderr, stdout, files, the system's log (snmpcmd(1) "LOGGING OPTIONS").

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use nix::syslog::{Facility, LogFlags, Severity, openlog, syslog};
use tracing::Level;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use super::arguments::SnmpdArguments;
use crate::log::fields;

/// A destination, and its minimum priority.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LogTo {
    /// The place.
    pub destination: Destination,
    /// The least important that is written; `None`: as without an option.
    pub most: Option<Level>,
}

/// A place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Destination {
    /// Standard error.
    Stderr,
    /// Standard output.
    Stdout,
    /// Nowhere.
    Nowhere,
    /// A file.
    File(PathBuf),
    /// The system's log.
    Syslog(Facility),
}

/// The log files, for reopening.
#[derive(Clone, Default)]
pub(super) struct Log {
    files: Vec<Arc<LogFile>>,
}

impl Log {
    /// Reopens each file: it may have been moved away.
    pub fn reopen(&self) {
        for file in &self.files {
            // If it cannot be opened, logging continues where it was.
            if let Ok(new) = OpenOptions::new().create(true).append(true).open(&file.path) {
                *file.file.lock().unwrap_or_else(PoisonError::into_inner) = new;
            }
        }
    }
}

struct LogFile {
    path: PathBuf,
    file: Mutex<File>,
}

/// A priority of syslog by its letter or number, alone or as the end of a range; and what follows it.
pub(super) fn priority(text: &str) -> Result<(Level, &str), String> {
    let wrong =
        || format!("{text:?} does not begin with a priority; expected 0 to 7 or one of ! a c e w n i d");
    let mut rest = text;
    let mut take = || {
        let letter = rest.chars().next()?;
        let level = match letter {
            '0'..='3' | '!' | 'a' | 'A' | 'c' | 'C' | 'e' | 'E' => Level::ERROR,
            '4' | 'w' | 'W' => Level::WARN,
            '5' | '6' | 'n' | 'N' | 'i' | 'I' => Level::INFO,
            '7' | 'd' | 'D' => Level::DEBUG,
            _ => return None,
        };
        rest = &rest[letter.len_utf8()..];
        let is_range = rest.starts_with('-');
        rest = rest.strip_prefix('-').unwrap_or(rest);
        Some((level, is_range))
    };
    let (first, is_range) = take().ok_or_else(wrong)?;
    let level = match is_range {
        true => first.max(take().ok_or_else(wrong)?.0),
        false => first,
    };
    Ok((level, rest))
}

/// A facility by its letter: d daemon, u user, 0 to 7 local.
pub(super) fn facility(text: &str) -> Result<Facility, String> {
    Ok(match text.chars().next() {
        Some('d' | 'D') => Facility::LOG_DAEMON,
        Some('u' | 'U') => Facility::LOG_USER,
        Some('0') => Facility::LOG_LOCAL0,
        Some('1') => Facility::LOG_LOCAL1,
        Some('2') => Facility::LOG_LOCAL2,
        Some('3') => Facility::LOG_LOCAL3,
        Some('4') => Facility::LOG_LOCAL4,
        Some('5') => Facility::LOG_LOCAL5,
        Some('6') => Facility::LOG_LOCAL6,
        Some('7') => Facility::LOG_LOCAL7,
        _ => return Err(format!("{text:?} is not a facility; expected d, u or 0 to 7")),
    })
}

/// Begins to log. Without an option it goes to stderr, or in the background to the system's log.
pub(super) fn start(logs: &[LogTo], arguments: &SnmpdArguments) -> io::Result<Log> {
    let usual = if arguments.debug { Level::DEBUG } else { Level::INFO };
    let by_default = match arguments.detached {
        true => Destination::Syslog(Facility::LOG_DAEMON),
        false => Destination::Stderr,
    };
    let default = [LogTo { destination: by_default, most: None }];
    let logs = if logs.is_empty() { &default[..] } else { logs };
    let mut log = Log::default();
    let mut layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> = Vec::new();
    for to in logs {
        let level = LevelFilter::from_level(to.most.unwrap_or(usual));
        let layer = fmt::layer().fmt_fields(fields());
        let layer = layer.with_ansi(false).with_target(false).log_internal_errors(false);
        match &to.destination {
            Destination::Nowhere => {}
            Destination::Stderr => layers.push(layer.with_writer(io::stderr).with_filter(level).boxed()),
            Destination::Stdout => layers.push(layer.with_writer(io::stdout).with_filter(level).boxed()),
            Destination::File(path) => {
                let named =
                    |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
                let mut options = OpenOptions::new();
                if !arguments.append {
                    options.write(true).create(true).truncate(true).open(path).map_err(named)?;
                }
                let file = OpenOptions::new().create(true).append(true).open(path).map_err(named)?;
                let file = Arc::new(LogFile { path: path.clone(), file: Mutex::new(file) });
                log.files.push(file.clone());
                layers.push(layer.with_writer(ToFile(file)).with_filter(level).boxed());
            }
            Destination::Syslog(facility) => {
                openlog(Some(c"snmpd"), LogFlags::LOG_PID, *facility)?;
                let layer = layer.without_time().with_level(false).with_writer(ToSyslog);
                layers.push(layer.with_filter(level).boxed());
            }
        }
    }
    tracing_subscriber::registry().with(layers).init();
    Ok(log)
}

struct ToFile(Arc<LogFile>);

impl<'a> MakeWriter<'a> for ToFile {
    type Writer = &'a LogFile;

    fn make_writer(&'a self) -> &'a LogFile {
        &self.0
    }
}

impl Write for &LogFile {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct ToSyslog;

/// A line for the system's log.
struct Line {
    severity: Severity,
    text: Vec<u8>,
}

impl MakeWriter<'_> for ToSyslog {
    type Writer = Line;

    fn make_writer(&self) -> Line {
        Line { severity: Severity::LOG_INFO, text: Vec::new() }
    }

    fn make_writer_for(&self, metadata: &tracing::Metadata<'_>) -> Line {
        let severity = match *metadata.level() {
            Level::ERROR => Severity::LOG_ERR,
            Level::WARN => Severity::LOG_WARNING,
            Level::INFO => Severity::LOG_INFO,
            _ => Severity::LOG_DEBUG,
        };
        Line { severity, text: Vec::new() }
    }
}

impl Write for Line {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(octets);
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.text);
        let text = text.trim().replace('\0', "");
        if !text.is_empty() {
            // The system's log may be missing; there is no other place to report that.
            let _ = syslog(self.severity, text.as_str());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_letters_numbers_and_ranges() {
        assert_eq!(priority("wd"), Ok((Level::WARN, "d")));
        assert_eq!(priority("0-6d"), Ok((Level::INFO, "d")));
        assert_eq!(priority("7"), Ok((Level::DEBUG, "")));
        assert_eq!(priority("! /f"), Ok((Level::ERROR, " /f")));
        assert!(priority("x").is_err() && priority("").is_err() && priority("1-").is_err());
        assert_eq!(facility("3"), Ok(Facility::LOG_LOCAL3));
        assert!(facility("k").is_err());
    }
}
