//! From a command line to a session with an agent.

use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

use trunkline_client::netconf::{NetconfOptions, NetconfSession, Warned};
use trunkline_client::soap::{SoapOptions, SoapSession};
use trunkline_client::{
    Credentials, Error as ClientError, NetconfTarget, Session, SessionOptions, SnmpSession, SoapTarget,
    Target, Transport,
};
use trunkline_jmxclient::JmxTarget;
use trunkline_login::session::netconf_target;
use trunkline_mib::Names;
use trunkline_query::services::percent_encoded;
use trunkline_smi::{Oid, visible_lines};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::wire::{ErrorStatus, Version};

use crate::arguments::SessionArgs;
use crate::destination::{Destination, is_target};
use crate::error::Error;
use crate::print::{Form, Printer};
use trunkline_show::octets::{Dump, tap};

/// A session, and its label in messages.
pub struct Connection<'n> {
    /// The agent.
    pub agent: Arc<dyn Session>,
    /// Names for messages.
    pub names: &'n Names,
    /// The target's URL without its community.
    pub label: String,
    /// The object that the target's URL names.
    path: Option<String>,
    dump: Option<Dump>,
    /// Whether a user of SNMPv3 was named, and neither a password nor a level.
    without_password: bool,
    /// Whether only errors are reported.
    pub quiet: bool,
    /// What output calls the agent, if it is one of many.
    of_many: Option<String>,
}

impl<'n> Connection<'n> {
    /// Opens the session.
    pub async fn open(destination: &Destination, names: &'n Names) -> Result<Self, Error> {
        if JmxTarget::is_meant(&destination.address) {
            let words = "MBeans are not objects of MIB modules: get, walk, table, set, select, watch, invoke and subscribe take jmx://, this command does not";
            return Err(Error::Usage(words.to_owned()));
        }
        if SoapTarget::is_meant(&destination.address) {
            return Self::open_soap(destination, names, None).await;
        }
        if NetconfTarget::is_meant(&destination.address) {
            return Self::open_netconf(destination, names).await;
        }
        let arguments = &destination.session;
        let target = target(destination)?;
        if matches!(target.transport, Transport::Http | Transport::Https) {
            refuse_compression(arguments)?;
        }
        let label = target.clone().with_path(None).to_string();
        let options = SessionOptions::default()
            .with_timeout(arguments.timeout())
            .with_retries(arguments.retries())
            .with_compression(arguments.compress);
        let opened = SnmpSession::open(&target, options).await;
        let session = opened.map_err(|fault| Error::session(&label, names, &fault))?;
        let dump = dump(arguments, &session);
        let without_password = arguments.login.security.level.is_none()
            && matches!(&target.credentials, Credentials::Usm(user) if user.level() == SecurityLevel::NoAuthNoPriv);
        let agent = Arc::new(session);
        let path = target.path;
        let quiet = arguments.quiet;
        Ok(Connection { agent, names, label, path, dump, without_password, quiet, of_many: None })
    }

    /// Opens the session for selections: by SOAP at the URI of the service that the URL names, or that of all.
    pub async fn open_for_selection(destination: &Destination, names: &'n Names) -> Result<Self, Error> {
        if !SoapTarget::is_meant(&destination.address) {
            return Self::open(destination, names).await;
        }
        Self::open_soap(destination, names, Some(service_path)).await
    }

    async fn open_soap(
        destination: &Destination,
        names: &'n Names,
        path: Option<fn(&SoapTarget) -> String>,
    ) -> Result<Self, Error> {
        let arguments = &destination.session;
        refuse_compression(arguments)?;
        if arguments.octets {
            let words = "--octets shows SNMP messages and has nothing to show over SOAP";
            return Err(Error::Usage(words.to_owned()));
        }
        without_context(arguments, "SOAP has no contexts");
        let target = arguments.login.soap_target(&destination.address)?;
        let label = target.clone().with_path(None).to_string();
        let mut options = soap_options(arguments);
        if let Some(path) = path {
            options.path = path(&target);
        }
        let session = SoapSession::open(&target, options).await;
        let session = session.map_err(|fault| Error::session(&label, names, &fault))?;
        let agent = Arc::new(session);
        Ok(Connection::plain(agent, names, label, target.path, arguments.quiet))
    }

    async fn open_netconf(destination: &Destination, names: &'n Names) -> Result<Self, Error> {
        let arguments = &destination.session;
        if arguments.octets || arguments.compress.is_some() {
            let words = "--octets and --compress are for SNMP messages and have no meaning over NETCONF";
            return Err(Error::Usage(words.to_owned()));
        }
        without_context(arguments, "NETCONF and RESTCONF have no contexts");
        let target = netconf_target(
            &destination.address,
            &arguments.login.secure.ends,
            &arguments.login.secure.http.login,
        )?;
        let label = target.clone().with_path(None).to_string();
        let options = NetconfOptions::default()
            .with_timeout(arguments.patience())
            .with_warned(Some(warned(&label)))
            .with_lent(lent());
        let session = NetconfSession::open(&target, options).await;
        let agent = Arc::new(session.map_err(|fault| Error::session(&label, names, &fault))?);
        let path = target.path.map(|path| if is_path_of_url(&path) { in_full(&path) } else { path });
        Ok(Connection::plain(agent, names, label, path, arguments.quiet))
    }

    fn plain(
        agent: Arc<dyn Session>,
        names: &'n Names,
        label: String,
        path: Option<String>,
        quiet: bool,
    ) -> Self {
        Connection { agent, names, label, path, dump: None, without_password: false, quiet, of_many: None }
    }

    /// The same as one of many: messages begin with what output calls the agent.
    pub fn among_many(self, destination: &Destination) -> Self {
        Connection { of_many: Some(destination.label.clone()), ..self }
    }

    /// Whether it is one of many.
    pub fn is_of_many(&self) -> bool {
        self.of_many.is_some()
    }

    /// Prints a hint or a warning, unless only errors are wanted.
    pub fn note(&self, words: &str) {
        if !self.quiet {
            self.say(words);
        }
    }

    /// Prints an error that does not end the command.
    pub fn say(&self, words: &str) {
        match &self.of_many {
            Some(label) => say(&format!("{label}: {words}")),
            None => say(words),
        }
    }

    /// The paths of YANG of the command line, or else the URL's; `None`: objects are given, or nothing is.
    pub fn paths(&self, given: &[String]) -> Result<Option<Vec<String>>, Error> {
        let from_url: Vec<String> = self.path.iter().cloned().collect();
        let given = if given.is_empty() { &from_url } else { given };
        let Some(path) = given.iter().find(|text| is_path(text)) else { return Ok(None) };
        if self.agent.as_netconf().is_none() {
            let words = "is a path of YANG: netconf:// and restconf+https:// have these";
            return Err(Error::Usage(format!("{path} {words}")));
        }
        if let Some(object) = given.iter().find(|text| !is_path(text)) {
            let words = "is an object and";
            return Err(Error::Usage(format!("{object} {words} {path} a path of YANG: give only one kind")));
        }
        Ok(Some(given.to_vec()))
    }

    /// The objects of the command line, or else the URL's.
    pub fn objects(&self, given: &[String]) -> Result<Vec<Oid>, Error> {
        let from_url: Vec<String> = self.path.iter().cloned().collect();
        let given = if given.is_empty() { &from_url } else { given };
        if given.is_empty() {
            let words = "no object is given: name one, as in `sysUpTime.0`, or in the URL, as in snmp://host/sysUpTime.0";
            return Err(Error::Usage(words.to_owned()));
        }
        given.iter().map(|text| object(text, self.names)).collect()
    }

    /// Whether the command line or the URL names an object.
    pub fn names_objects(&self, given: &[String]) -> bool {
        !given.is_empty() || self.path.is_some()
    }

    /// A failure of the session, as an error.
    pub fn failed(&self, fault: &ClientError) -> Error {
        self.advised(Error::session(&self.label, self.names, fault))
    }

    fn advised(&self, error: Error) -> Error {
        if self.without_password { error.without_password() } else { error }
    }

    /// Which of so many names SNMPv1 refused everything for, because it does not exist.
    pub fn missing_in_v1(&self, fault: &ClientError, asked: usize) -> Option<usize> {
        let is_v1 = self.agent.as_snmp().is_some_and(|session| session.version() == Version::V1);
        fault.position(ErrorStatus::NoSuchName, asked).filter(|_| is_v1)
    }

    /// Writes the messages that passed: between the answers, or, if these are for programs, to standard error.
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

/// Whether all words that are not paths of YANG are objects.
pub fn check_objects(words: &[String], names: &Names) -> Result<(), Error> {
    words.iter().filter(|word| !is_path(word)).try_for_each(|word| object(word, names).map(drop))
}

fn object(text: &str, names: &Names) -> Result<Oid, Error> {
    let second = || {
        let words = "is not an object but looks like an agent: agents come before the objects";
        Error::Usage(format!("{text} {words}"))
    };
    // Object identifiers begin with 0, 1 or 2.
    if text.parse::<Ipv4Addr>().is_ok_and(|address| address.octets()[0] > 2) {
        return Err(second());
    }
    if is_path(text) {
        let words = "is a path of YANG, which `get`, `walk` and `watch` take; this command takes names of MIB modules";
        return Err(Error::Usage(format!("{text} {words}")));
    }
    names.resolve(text).map_err(|fault| if is_target(text) { second() } else { fault.into() })
}

/// Whether a text is a path of YANG, and not an object.
fn is_path(text: &str) -> bool {
    text.starts_with('/')
}

/// The same of what stands behind the host in a URL. Objects have two colons behind their module, and no slash, unless in an index.
fn is_path_of_url(text: &str) -> bool {
    let head = text.split(['[', '"', '\'']).next().unwrap_or_default();
    head.contains('/') || (head.contains(':') && !head.contains("::"))
}

/// The path behind the host, with the slash that ends the host.
fn in_full(text: &str) -> String {
    if is_path(text) { text.to_owned() } else { format!("/{text}") }
}

/// The path of the service that the URL names.
fn service_path(target: &SoapTarget) -> String {
    format!("/{}", percent_encoded(target.path.as_deref().unwrap_or_default().trim_matches('/')))
}

/// HTTP compresses whatever is in it: compressed variable bindings have no place there.
fn refuse_compression(arguments: &SessionArgs) -> Result<(), Error> {
    if arguments.compress.is_none() {
        return Ok(());
    }
    let words = "--compress is for SNMP over UDP, TCP, TLS, DTLS and SSH; HTTP compresses answers by default \
                 (--no-compression turns that off)";
    Err(Error::Usage(words.to_owned()))
}

/// What `--octets` shows.
pub fn dump(arguments: &SessionArgs, session: &SnmpSession) -> Option<Dump> {
    arguments.octets.then(|| {
        let (tap, dump) = tap(arguments.show_community, session.credentials());
        session.observe(Arc::new(tap));
        dump
    })
}

/// The agent, with the version and the community or user of the options where the URL has none.
fn target(destination: &Destination) -> Result<Target, Error> {
    let arguments = &destination.session;
    let target = arguments.login.target(&destination.address)?;
    if !arguments.quiet
        && arguments.login.community.is_some()
        && matches!(target.credentials, Credentials::Transport(_))
    {
        say(
            "-c is not used: over this transport the session authenticates the request; with -v2c the community does",
        );
    }
    if let Credentials::Community { .. } = target.credentials {
        without_context(arguments, "SNMPv1 and SNMPv2c have no contexts, SNMPv3 (-v3) has");
    }
    Ok(target)
}

/// Prints that a context is not used, if one is given.
fn without_context(arguments: &SessionArgs, why: &str) {
    if !arguments.quiet && arguments.login.security.context.is_some() {
        say(&format!("-n is not used: {why}"));
    }
}

/// The SOAP options.
pub fn soap_options(arguments: &SessionArgs) -> SoapOptions {
    arguments.login.soap_options(arguments.patience())
}

/// The variable with the socket of the session that `trunkline netconf lock` lends to its program.
pub const LENT: &str = "TRUNKLINE_NETCONF_SESSION";

/// That socket, within such a program.
pub fn lent() -> Option<PathBuf> {
    std::env::var_os(LENT).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Prints the warnings of a server of NETCONF, whose label this is.
pub fn warned(label: &str) -> Warned {
    let label = label.to_owned();
    Warned::new(move |warning| say(&format!("{label} warns: {warning}")))
}

/// Prints a message to standard error. Nothing in it controls the terminal, and further lines are indented: only
/// our own words begin a line. If standard error is closed nobody reads it.
pub fn say(words: &str) {
    let words = in_lines(&format!("trunkline: {words}"));
    let words = match comfy_table::Table::new().use_stderr().width() {
        Some(width) => wrapped(&words, usize::from(width)),
        None => words,
    };
    let _ = writeln!(io::stderr().lock(), "{words}");
}

/// Lines that are broken at spaces, so that a terminal does not break words. Lines with a mark below them stay.
fn wrapped(words: &str, width: usize) -> String {
    let is_marked = words
        .lines()
        .any(|line| line.contains('^') && line.trim().bytes().all(|c| c == b'^' || c == b'|' || c == b' '));
    if is_marked || width < 20 {
        return words.to_owned();
    }
    let mut lines = Vec::new();
    for line in words.lines() {
        let indent = line.len() - line.trim_start().len();
        let mut now = String::new();
        for word in line.split_inclusive(' ') {
            let long = now.chars().count() + word.trim_end().chars().count() > width;
            if long && !now.trim().is_empty() {
                lines.push(now.trim_end().to_owned());
                now = " ".repeat(indent.max(2));
            }
            now.push_str(word);
        }
        lines.push(now);
    }
    lines.join("\n")
}

fn in_lines(words: &str) -> String {
    let words = visible_lines(words);
    let is_laid_out = words.lines().skip(1).all(|line| line.is_empty() || line.starts_with("  "));
    if is_laid_out { words.into_owned() } else { words.replace('\n', "\n  ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_text_begins_a_line() {
        assert_eq!(in_lines("a: b\n  do this\n   ^"), "a: b\n  do this\n   ^");
        assert_eq!(in_lines("a: x\ntrunkline: y\r\n   ^"), "a: x\n  trunkline: y\\r\n     ^");
    }

    #[test]
    fn words_are_not_broken_by_a_terminal() {
        let words = "trunkline: one two three four five six seven";
        assert_eq!(wrapped(words, 24), "trunkline: one two three\n  four five six seven");
        assert_eq!(
            wrapped("x: a\n  some more of it all and more", 24),
            "x: a\n  some more of it all\n  and more"
        );
        let long = "a_word_that_is_longer_than_the_line and more";
        assert_eq!(wrapped(long, 24), "a_word_that_is_longer_than_the_line\n  and more");
        for marked in ["t: x:1:2: no such key, expected another of them\n 1 | [x]\n   |  ^", words] {
            assert_eq!(wrapped(marked, 400), marked);
        }
        let marked = "t: x:1:2: no such key, expected another of them\n 1 | [x]\n   |  ^";
        assert_eq!(wrapped(marked, 24), marked);
    }

    #[test]
    fn paths_are_distinguished_from_objects() {
        for path in ["ietf-system:system", "a:b/c", "a/b", "/a", "a:b[k='x::y']"] {
            assert!(is_path_of_url(path) && is_path(&in_full(path)), "{path}");
        }
        for object in ["IF-MIB::ifDescr.2", "ifDescr.2", "1.3.6.1", "vacmAccessTable.\"a/b\"", "interfaces"] {
            assert!(!is_path_of_url(object) && !is_path(object), "{object}");
        }
    }
}
