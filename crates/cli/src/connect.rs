//! From a command line to a session with an agent.

use std::io::{self, Write};
use std::sync::Arc;

use trunkline_client::{Defaults, Error as ClientError, Response, Session, SessionOptions, Target};
use trunkline_mib::Names;
use trunkline_smi::Oid;
use trunkline_snmp::wire::Version;

use crate::arguments::{SessionArgs, VersionArg};
use crate::error::Error;
use crate::octets::{Dump, tap};
use crate::print::{Form, Printer};

/// A session, and how to speak of it.
pub struct Connection<'n> {
    /// The session.
    pub session: Session,
    /// Names for messages.
    pub names: &'n Names,
    /// The target's URL without its community.
    pub label: String,
    /// The object that the target's URL names.
    path: Option<String>,
    dump: Option<Dump>,
}

impl<'n> Connection<'n> {
    /// Opens the session.
    pub async fn open(arguments: &SessionArgs, names: &'n Names) -> Result<Self, Error> {
        let target = target(arguments)?;
        let label = Target { path: None, ..target.clone() }.to_string();
        let options = SessionOptions {
            timeout: arguments.timeout,
            retries: arguments.retries,
            ..SessionOptions::default()
        };
        let opened = Session::open(&target, options).await;
        let session = opened.map_err(|fault| Error::session(&label, names, &fault))?;
        let dump = arguments.octets.then(|| {
            let (tap, dump) = tap(arguments.show_community);
            session.observe(Arc::new(tap));
            dump
        });
        Ok(Connection { session, names, label, path: target.path, dump })
    }

    /// The objects of the command line, or else the URL's.
    pub fn objects(&self, given: &[String]) -> Result<Vec<Oid>, Error> {
        let from_url: Vec<String> = self.path.iter().cloned().collect();
        let given = if given.is_empty() { &from_url } else { given };
        if given.is_empty() {
            let words = "no object is given: name one, as in `sysUpTime.0`, or in the URL, as in snmp://host/sysUpTime.0";
            return Err(Error::Usage(words.to_owned()));
        }
        Ok(given.iter().map(|text| self.names.resolve(text)).collect::<Result<_, _>>()?)
    }

    /// Whether the command line or the URL names an object.
    pub fn names_objects(&self, given: &[String]) -> bool {
        !given.is_empty() || self.path.is_some()
    }

    /// A failure of the session, in words.
    pub fn failed(&self, fault: &ClientError) -> Error {
        Error::session(&self.label, self.names, fault)
    }

    /// The answer, unless the agent refused.
    pub fn accepted(&self, answer: Response, asked: &[Oid]) -> Result<Response, Error> {
        if answer.error_status == 0 {
            return Ok(answer);
        }
        Err(Error::refused(&self.label, self.names, answer.error_status, answer.error_index, asked))
    }

    /// Writes the messages that passed: between the answers, or, where these are for
    /// programs, to the standard error.
    pub fn show_octets<W: Write>(&self, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let Some(dump) = &self.dump else { return Ok(()) };
        if printer.form() == Form::Text {
            let mut text = Vec::new();
            dump.write(self.names, &mut text)?;
            printer.text(&String::from_utf8_lossy(&text))?;
        } else {
            dump.write(self.names, &mut io::stderr().lock())?;
        }
        Ok(())
    }
}

/// The target, with the version and community of the options where the URL has none.
fn target(arguments: &SessionArgs) -> Result<Target, Error> {
    let version = match arguments.version {
        Some(VersionArg::V1) => Version::V1,
        Some(VersionArg::V2c) | None => Version::V2c,
    };
    // A variable is not seen by all in the list of processes, as an argument is.
    let variable = || std::env::var("TRUNKLINE_COMMUNITY").ok();
    let community =
        arguments.community.clone().or_else(variable).unwrap_or_else(|| "public".to_owned()).into_bytes();
    let defaults = Defaults { version, community, usm: None };
    Target::parse(&arguments.target, &defaults).map_err(|fault| Error::Usage(fault.to_string()))
}

/// Says something to the standard error. When that is closed nobody listens.
pub fn say(words: &str) {
    let _ = writeln!(io::stderr().lock(), "trunkline: {words}");
}
