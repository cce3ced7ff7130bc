//! Notifications in the journal of systemd (its native protocol, systemd.journal-fields(7)) and in syslog (RFC 3164, as
//! /dev/log takes it).

use std::io;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use trunkline_client::Received;

/// A log of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogPlan {
    /// The journal, with fields.
    Journal,
    /// Syslog.
    Syslog {
        /// The facility.
        facility: Facility,
        /// The severity.
        severity: Severity,
    },
}

/// A facility of syslog (RFC 5424 section 6.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they are the words of RFC 5424")]
pub enum Facility {
    User = 1,
    #[default]
    Daemon = 3,
    Local0 = 16,
    Local1,
    Local2,
    Local3,
    Local4,
    Local5,
    Local6,
    Local7,
}

/// A severity of syslog (RFC 5424 section 6.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they are the words of RFC 5424")]
pub enum Severity {
    Emerg,
    Alert,
    Crit,
    Err,
    #[default]
    Warning,
    Notice,
    Info,
    Debug,
}

/// The open log. It never waits: a log that takes nothing loses the entry.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) plan: LogPlan,
    socket: UnixDatagram,
    place: PathBuf,
}

/// Where the journal listens.
const JOURNAL: &str = "/run/systemd/journal/socket";

/// Where syslog listens.
const SYSLOG: &str = "/dev/log";

impl Log {
    /// Opens the log, in the folder's place of `/` in tests.
    pub(crate) fn open(plan: LogPlan, root: &Path) -> io::Result<Self> {
        let place = match plan {
            LogPlan::Journal => JOURNAL,
            LogPlan::Syslog { .. } => SYSLOG,
        };
        let place = root.join(place.trim_start_matches('/'));
        if !place.exists() {
            let words = format!("{} is not there: nobody takes log entries", place.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, words));
        }
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        Ok(Log { plan, socket, place })
    }

    /// Writes an entry. It is sent by path each time, since the log may have been restarted.
    pub(crate) fn write(&self, line: &str, received: &Received) -> io::Result<()> {
        let entry = match self.plan {
            LogPlan::Journal => journal_entry(line, received),
            LogPlan::Syslog { facility, severity } => {
                let priority = facility as u32 * 8 + severity as u32;
                let now = chrono::Local::now().format("%b %e %H:%M:%S");
                format!("<{priority}>{now} trunkline[{}]: {line}", std::process::id()).into_bytes()
            }
        };
        self.socket.send_to(&entry, &self.place).map(drop)
    }
}

/// An entry with the notification's fields, so that `journalctl SNMP_NOTIFICATION=1.3.6.1.6.3.1.1.5.3` finds it.
fn journal_entry(line: &str, received: &Received) -> Vec<u8> {
    let mut entry = Vec::new();
    let notification = received.notification.trap_oid.to_string();
    let authenticated = if received.is_authenticated() { "yes" } else { "no" };
    let user = received.user.as_deref().unwrap_or_default();
    let peer = received.peer.to_string();
    for (name, value) in [
        ("MESSAGE", line.as_bytes()),
        ("PRIORITY", b"5"),
        ("SYSLOG_IDENTIFIER", b"trunkline"),
        ("SNMP_NOTIFICATION", notification.as_bytes()),
        ("SNMP_FROM", peer.as_bytes()),
        ("SNMP_VERSION", received.version.name().as_bytes()),
        ("SNMP_AUTHENTICATED", authenticated.as_bytes()),
        ("SNMP_USER", user),
    ] {
        if value.is_empty() {
            continue;
        }
        // With its length: a value may have line ends.
        entry.extend_from_slice(name.as_bytes());
        entry.push(b'\n');
        entry.extend_from_slice(&(value.len() as u64).to_le_bytes());
        entry.extend_from_slice(value);
        entry.push(b'\n');
    }
    entry
}
