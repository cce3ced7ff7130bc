//! MBeans of JVMs (`jmx://`): what `get`, `walk`, `table`, `set`, `select`, `watch`, `invoke` and `subscribe` do with them.

mod change;
mod read;
mod select;
mod subscribe;
mod table;
mod watch;

use std::io::Write;

use serde::Serialize;
use trunkline_jmxclient::jmx::model::{Descriptor, NameError, ObjectName, Value};
use trunkline_jmxclient::leaves::leaves;
use trunkline_jmxclient::path::{Path, Selector};
use trunkline_jmxclient::{Error as JmxError, Follow, JmxOptions, JmxSession, JmxTarget, json};
use trunkline_login::session::jmx_target;
use trunkline_smi::visible;

pub use change::{assignments, invoke, set};
pub use select::select;
pub use subscribe::subscribe;
pub use watch::watch;

use crate::arguments::{TableArgs, WalkArgs};
use crate::connect::say;
use crate::destination::{Asked, Destination};
use crate::error::Error;
use crate::print::{Form, Printer};

/// What a command that reads does with the MBeans of one JVM.
#[derive(Clone, Copy)]
pub enum Reading<'a> {
    /// `get`
    Get,
    /// `walk`
    Walk(&'a WalkArgs),
    /// `table`
    Table(&'a TableArgs),
}

impl Reading<'_> {
    /// Reads what the words name, or else the URL.
    pub async fn run<W: Write>(
        self,
        words: &[String],
        mbeans: &Mbeans,
        printer: &mut Printer<'_, W>,
    ) -> Result<(), Error> {
        let read = match self {
            Reading::Get => read::get(words, mbeans, printer).await,
            Reading::Walk(arguments) => read::walk(arguments, words, mbeans, printer).await,
            Reading::Table(arguments) => table::run(arguments, words, mbeans, printer).await,
        };
        // What was found before an error is still useful, and comes before its message.
        let finished = printer.finish();
        read?;
        Ok(finished?)
    }
}

/// Whether all agents of a command are JVMs; an error if only some are.
pub fn are_meant(asked: &Asked) -> Result<bool, Error> {
    let is_meant = |one: &&Destination| JmxTarget::is_meant(&one.address);
    match asked.destinations.iter().filter(is_meant).count() {
        0 => Ok(false),
        count if count == asked.destinations.len() => Ok(true),
        _ => {
            let words = "JVMs have MBeans in place of objects: ask them (jmx://) with one command, and other agents with another";
            Err(Error::Usage(words.to_owned()))
        }
    }
}

/// A session with a JVM, and how it is called in messages.
pub struct Mbeans {
    /// The session.
    pub session: JmxSession,
    /// The URL without its path.
    label: String,
    /// What the URL names.
    path: Option<String>,
    quiet: bool,
    /// What output calls the JVM, if it is one of many.
    of_many: Option<String>,
}

/// What a text names at a JVM.
pub struct Named {
    /// The MBeans.
    pub names: Vec<ObjectName>,
    /// What of them.
    pub selector: Option<Selector>,
}

impl Mbeans {
    /// Opens the session.
    pub async fn open(destination: &Destination, is_of_many: bool) -> Result<Self, Error> {
        let arguments = &destination.session;
        if arguments.octets || arguments.compress.is_some() {
            let words = "--octets and --compress are for SNMP messages and have no meaning over JMX";
            return Err(Error::Usage(words.to_owned()));
        }
        let secure = &arguments.login.secure;
        let target = jmx_target(&destination.address, &secure.ends, &secure.jmx)?;
        let follow = if secure.jmx.jmx_stay { Follow::Asked } else { Follow::Stub };
        let options = JmxOptions::default().with_timeout(arguments.patience()).with_follow(follow);
        let label = target.to_string();
        let session = JmxSession::open(&target, options).await.map_err(|fault| opening(&label, &fault))?;
        let of_many = is_of_many.then(|| destination.label.clone());
        Ok(Mbeans { session, label, path: target.path, quiet: arguments.quiet, of_many })
    }

    /// A failure of the session, as an error.
    pub fn failed(&self, fault: &JmxError) -> Error {
        failed(&self.label, &fault.to_string())
    }

    /// The same of a call about something.
    pub fn failed_at(&self, place: &str, fault: &JmxError) -> Error {
        failed(&self.label, &format!("{place}: {fault}"))
    }

    /// Why something of an MBean cannot be had, or the error if that is about the session.
    pub async fn of_mbean(&self, name: &ObjectName, fault: JmxError) -> Result<String, Error> {
        let is_of_mbean = match &fault {
            // One MBean may keep its callers waiting while the JVM answers.
            JmxError::Timeout { .. } => self.session.is_registered(name).await.is_ok(),
            other => other.is_unreadable() || (other.has_thrown() && !other.is_session_over()),
        };
        match fault {
            fault if !is_of_mbean => Err(self.failed_at(&name.to_text(), &fault)),
            JmxError::Exception(exception) => Ok(exception.to_string()),
            JmxError::Malformed(fault) => Ok(fault.to_string()),
            fault => Ok(fault.to_string()),
        }
    }

    /// Reports a failure that does not end the command, also where only errors are wanted.
    pub fn complain(&self, words: &str) {
        say(&format!("{}: {}", self.label, visible(words)));
    }

    /// Prints a hint, unless only errors are wanted.
    pub fn note(&self, words: &str) {
        match &self.of_many {
            _ if self.quiet => {}
            Some(label) => say(&format!("{label}: {words}")),
            None => say(words),
        }
    }

    /// The words of the command line, or else what the URL names.
    pub fn words<'w>(&'w self, given: &'w [String]) -> Vec<&'w str> {
        match given {
            [] => self.path.as_deref().into_iter().collect(),
            given => given.iter().map(String::as_str).collect(),
        }
    }

    /// What the URL names.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// The MBeans that a text names, by the first of its readings that the JVM knows.
    pub async fn named(&self, text: &str) -> Result<Named, Error> {
        let readings = Path::readings(text).map_err(|fault| not_a_name(text, &fault.to_string()))?;
        for reading in &readings {
            let names = self.session.query_names(Some(&reading.name), None).await;
            let names = names.map_err(|fault| self.failed(&fault))?;
            if !names.is_empty() {
                return Ok(Named { names, selector: reading.attribute.clone() });
            }
        }
        let selector = readings.into_iter().next().and_then(|reading| reading.attribute);
        Ok(Named { names: Vec::new(), selector })
    }

    /// Ends the session in order.
    pub async fn close(self) {
        self.session.close().await;
    }
}

/// The name or the pattern of MBeans that a text is.
fn pattern(text: &str) -> Result<ObjectName, Error> {
    text.trim_end_matches('/').parse().map_err(|fault: NameError| not_a_name(text, &fault.to_string()))
}

fn not_a_name(text: &str, fault: &str) -> Error {
    let words = "write DOMAIN:KEY=VALUE,.../ATTRIBUTE, as in java.lang:type=Memory/HeapMemoryUsage.used";
    Error::Usage(format!("{text}: {fault}\n  {words}"))
}

fn opening(label: &str, fault: &JmxError) -> Error {
    match fault {
        JmxError::Target(fault) => Error::Usage(fault.to_string()),
        other => failed(label, &other.to_string()),
    }
}

/// The words may hold the server's text, which must not begin a line.
fn failed(label: &str, words: &str) -> Error {
    Error::Session {
        target: label.to_owned(),
        words: visible(words).into_owned(),
        advice: "",
        needs_password: false,
    }
}

/// An attribute, or a part of one, with what was read of it.
pub struct Found {
    /// The MBean.
    pub mbean: String,
    /// The attribute, with the way within its value; empty if there is nothing of the whole MBean.
    pub attribute: String,
    /// The value, or why there is none.
    pub value: Result<Value, Gap>,
    /// What the MBean says of the attribute, if it was asked: only where attributes are not named one by one.
    pub descriptor: Descriptor,
}

/// Why there is no value.
pub enum Gap {
    /// There is nothing of that name.
    Missing(String),
    /// There is, but it cannot be read.
    Failed(String),
}

impl Gap {
    /// The reason.
    pub fn words(&self) -> &str {
        match self {
            Gap::Missing(words) | Gap::Failed(words) => words,
        }
    }
}

/// A record in JSON; `docs/json.md` describes the fields.
#[derive(Serialize)]
struct Record<'r> {
    mbean: &'r str,
    attribute: &'r str,
    class: Option<&'r str>,
    value: serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'r str>,
}

const HEADER: [&str; 3] = ["mbean", "attribute", "value"];

impl Found {
    /// An attribute, or a part of one, that was named.
    pub fn new(mbean: String, attribute: String, value: Result<Value, Gap>) -> Self {
        Found { mbean, attribute, value, descriptor: Descriptor::new() }
    }

    /// The lines of text: a path and a value for each part.
    pub fn lines(&self) -> Vec<(String, String)> {
        let place = self.place();
        match &self.value {
            Ok(value) => {
                leaves(value).into_iter().map(|leaf| (format!("{place}{}", leaf.way), leaf.text)).collect()
            }
            Err(gap) => vec![(place, gap.words().to_owned())],
        }
    }

    /// The MBean and the attribute, as they are written.
    pub fn place(&self) -> String {
        if self.attribute.is_empty() {
            return self.mbean.clone();
        }
        format!("{}/{}", self.mbean, self.attribute)
    }

    /// What cannot be read, and why; not what is not there.
    pub fn failure(&self) -> Option<String> {
        match &self.value {
            Err(Gap::Failed(words)) => Some(format!("{}: {words}", self.place())),
            _ => None,
        }
    }

    /// Writes it.
    pub fn print<W: Write>(&self, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        if self.value.is_err() {
            printer.count_missing();
        }
        match printer.form() {
            // Why something cannot be read goes to standard error: it is not a value.
            Form::Text | Form::Csv if self.failure().is_some() => {}
            Form::Text => self.lines().iter().try_for_each(|(path, text)| printer.leaf(path, Some(text)))?,
            Form::Csv => {
                let ways = match &self.value {
                    Ok(value) => leaves(value).into_iter().map(|leaf| (leaf.way, leaf.text)).collect(),
                    Err(_) => vec![(String::new(), String::new())],
                };
                for (way, text) in ways {
                    let cells = [self.mbean.clone(), format!("{}{way}", self.attribute), text];
                    printer.row(&HEADER, &cells)?;
                }
            }
            Form::Json | Form::JsonLines => {
                let value = self.value.as_ref();
                printer.object(&Record {
                    mbean: &self.mbean,
                    attribute: &self.attribute,
                    class: value.ok().map(Value::class_name),
                    value: value.map(json::json).unwrap_or_default(),
                    error: value.err().map(Gap::words),
                })?;
            }
        }
        Ok(())
    }
}
