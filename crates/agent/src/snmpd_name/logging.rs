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

use trunkline_netsnmp::arguments::SnmpdArguments;
use trunkline_netsnmp::log_to::{Destination, LogTo};

use crate::log::fields;

/// The log files, for reopening.
#[derive(Clone, Default)]
pub(super) struct Log {
    files: Vec<Arc<LogFile>>,
}

impl Log {
    /// Reopens each file: it may have been moved away.
    pub fn reopen(&self) {
        for file in &self.files {
            match OpenOptions::new().create(true).append(true).open(&file.path) {
                Ok(new) => *file.file.lock().unwrap_or_else(PoisonError::into_inner) = new,
                Err(error) => {
                    let path = file.path.display();
                    tracing::error!(%path, %error, "the log file cannot be opened again; the old one is still written");
                }
            }
        }
    }
}

struct LogFile {
    path: PathBuf,
    file: Mutex<File>,
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
