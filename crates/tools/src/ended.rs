//! The early end of a tool: a message to standard error and an exit status, both Net-SNMP's.

use std::io::{self, Write};
use std::process::ExitCode;

use trunkline_smi::visible_lines;

use super::tool::Tool;

/// Why a tool stops.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended {
    /// The message; may be empty, and otherwise ends with a line end.
    words: String,
    /// Whether the usage follows the message.
    usage: bool,
    /// The exit status.
    status: u8,
}

impl Ended {
    /// A mistake on the command line that the usage may mend: status 1.
    pub fn usage(words: impl Into<String>) -> Self {
        Ended { words: line(words.into()), usage: true, status: 1 }
    }

    /// Status 1, as for everything that is not an agent's refusal.
    pub fn failed(words: impl Into<String>) -> Self {
        Ended { words: line(words.into()), usage: false, status: 1 }
    }

    /// This message and this status.
    pub fn with_status(words: impl Into<String>, status: u8) -> Self {
        Ended { words: line(words.into()), usage: false, status }
    }

    /// Everything is printed; only the status is left.
    pub fn silent(status: u8) -> Self {
        Ended { words: String::new(), usage: false, status }
    }

    /// The message.
    pub fn into_words(self) -> String {
        self.words.trim_end().to_owned()
    }

    /// Prints it, and returns the exit status.
    pub fn tell(&self, tool: Tool) -> ExitCode {
        let usage = if self.usage { tool.usage() } else { String::new() };
        // If standard error is closed nobody reads it.
        let _ = write!(io::stderr().lock(), "{}{usage}", visible_lines(&self.words));
        ExitCode::from(self.status)
    }
}

impl From<io::Error> for Ended {
    /// Standard output is gone: `| head` needs no message, a full disk does.
    fn from(fault: io::Error) -> Self {
        match fault.kind() {
            io::ErrorKind::BrokenPipe => Ended::silent(0),
            _ => Ended::failed(fault.to_string()),
        }
    }
}

fn line(mut words: String) -> String {
    if !words.is_empty() && !words.ends_with('\n') {
        words.push('\n');
    }
    words
}
