//! Where messages and notifications are written: stdout, stderr, files, syslog (snmpcmd(1) "LOGGING OPTIONS").

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use nix::syslog::{Facility, LogFlags, Severity, openlog, syslog};
use tracing::Level;
use trunkline_netsnmp::log_to::Destination;
use trunkline_smi::visible_lines;

use crate::arguments::LogPlan;

/// The open places.
pub struct Logs {
    places: Vec<Place>,
}

struct Place {
    kind: Kind,
    /// The least important that is written.
    most: Level,
}

enum Kind {
    Stdout,
    Stderr,
    /// Standard error, for messages alone.
    Messages,
    File(PathBuf, Mutex<File>),
    Syslog,
    /// Without `-L`: notifications are warnings, in formats of their own.
    SyslogByDefault,
    /// The same with `-t`: no notifications.
    SyslogForMessages,
}

impl Logs {
    /// Opens them. Without any, syslog is written to; and in the foreground messages go to standard error, too.
    ///
    /// # Errors
    /// A file or syslog that cannot be opened.
    pub fn open(plans: &[LogPlan], in_background: bool, without_syslog: bool) -> io::Result<Self> {
        if plans.is_empty() {
            openlog(Some(c"snmptrapd"), LogFlags::LOG_PID, Facility::LOG_DAEMON)?;
            let syslog = if without_syslog { Kind::SyslogForMessages } else { Kind::SyslogByDefault };
            let messages = (!in_background).then_some(Kind::Messages);
            let kinds = std::iter::once(syslog).chain(messages);
            return Ok(Logs { places: kinds.map(|kind| Place { kind, most: Level::INFO }).collect() });
        }
        let mut places = Vec::new();
        for LogPlan { to, appends } in plans {
            let kind = match &to.destination {
                Destination::Nowhere => continue,
                Destination::Stdout => Kind::Stdout,
                Destination::Stderr => Kind::Stderr,
                Destination::File(path) => {
                    let named = |fault: io::Error| {
                        io::Error::new(fault.kind(), format!("{}: {fault}", path.display()))
                    };
                    if !*appends {
                        File::create(path).map_err(named)?;
                    }
                    Kind::File(path.clone(), Mutex::new(opened(path).map_err(named)?))
                }
                Destination::Syslog(facility) => {
                    openlog(Some(c"snmptrapd"), LogFlags::LOG_PID, *facility)?;
                    Kind::Syslog
                }
            };
            places.push(Place { kind, most: to.most.unwrap_or(Level::INFO) });
        }
        Ok(Logs { places })
    }

    /// Whether standard error is one of them.
    pub fn to_stderr(&self) -> bool {
        self.places.iter().any(|place| matches!(place.kind, Kind::Stderr | Kind::Messages))
    }

    /// Whether standard output is one of them.
    pub fn to_stdout(&self) -> bool {
        self.places.iter().any(|place| matches!(place.kind, Kind::Stdout))
    }

    /// Writes a message of ours.
    pub fn tell(&self, level: Level, words: &str) {
        for place in self.places.iter().filter(|place| level <= place.most) {
            match &place.kind {
                Kind::Syslog | Kind::SyslogByDefault | Kind::SyslogForMessages => to_syslog(level, words),
                _ => drop(place.write(&format!("{words}\n"))),
            }
        }
    }

    /// Writes a notification, which is information.
    ///
    /// # Errors
    /// The last place that takes nothing.
    pub fn notify(&self, printed: impl Fn() -> String, on_a_line: impl Fn() -> String) -> io::Result<()> {
        let mut written = Ok(());
        for place in self.places.iter().filter(|place| Level::INFO <= place.most) {
            match &place.kind {
                Kind::Messages | Kind::SyslogForMessages => {}
                Kind::SyslogByDefault => to_syslog(Level::WARN, &on_a_line()),
                Kind::Syslog => to_syslog(Level::INFO, &visible_lines(&printed())),
                _ => {
                    if let Err(fault) = place.write(&printed()) {
                        written = Err(fault);
                    }
                }
            }
        }
        written
    }

    /// Opens files again: they may have been moved away.
    pub fn reopen(&self) {
        for place in &self.places {
            let Kind::File(path, file) = &place.kind else { continue };
            match opened(path) {
                Ok(new) => *file.lock().unwrap_or_else(PoisonError::into_inner) = new,
                Err(fault) => self.tell(
                    Level::ERROR,
                    &format!(
                        "{} cannot be opened again, the old file is still written: {fault}",
                        path.display()
                    ),
                ),
            }
        }
    }
}

impl Place {
    /// With one write, so that lines stay together.
    fn write(&self, text: &str) -> io::Result<()> {
        let text = visible_lines(text);
        match &self.kind {
            Kind::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes()).and_then(|()| out.flush())
            }
            Kind::Stderr | Kind::Messages => io::stderr().lock().write_all(text.as_bytes()),
            Kind::File(_, file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.write_all(text.as_bytes())
            }
            Kind::Syslog | Kind::SyslogByDefault | Kind::SyslogForMessages => Ok(()),
        }
    }
}

fn opened(path: &PathBuf) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn to_syslog(level: Level, words: &str) {
    let severity = match level {
        Level::ERROR => Severity::LOG_ERR,
        Level::WARN => Severity::LOG_WARNING,
        _ => Severity::LOG_INFO,
    };
    let words = words.trim_end().replace('\0', "");
    // Syslog may be missing; there is no other place to report that.
    let _ = syslog(severity, words.as_str());
}
