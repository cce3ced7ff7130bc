//! `trunkline netconf`: what only NETCONF has.

mod capabilities;
mod difference;
mod edit;
mod show;
mod subscribe;

use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::process::Command;

use trunkline_client::Cost;
use trunkline_client::netconf::protocol::document::{Document, limits};
use trunkline_client::netconf::protocol::operation::Datastore;
use trunkline_client::netconf::protocol::reply::Reply;
use trunkline_client::netconf::protocol::request::{self, Select, Store};
use trunkline_client::netconf::{CallHome, NetconfFault, NetconfOptions, NetconfSession, json_of};
use trunkline_login::session::netconf_target;
use trunkline_mib::Names;
use trunkline_xml::XmlErrorKind;

use self::difference::Difference;
use crate::arguments::netconf::{
    CommitArgs, Compared, DiffArgs, LockArgs, NetconfArgs, NetconfCommand, RollbackArgs, SchemaArgs,
    SelectArgs, ServerArgs, StoreName, SubscribeArgs,
};
use crate::connect::say;
use crate::error::Error;
use crate::interrupt::Interrupt;

/// Runs one of the commands, until it ends or Ctrl-C stops it: data to `out`, messages to standard error.
pub async fn run(arguments: &NetconfArgs, interrupt: &Interrupt, out: &mut impl Write) -> Result<(), Error> {
    match &arguments.command {
        // It has something to end then.
        NetconfCommand::Subscribe(options) => subscribe::run(options, interrupt, out).await,
        _ => interrupt.stops(ask(arguments, out)).await,
    }
}

/// Prints events until the subscription or the command ends.
pub async fn follow(
    options: &SubscribeArgs,
    interrupt: &Interrupt,
    out: &mut impl Write,
) -> Result<(), Error> {
    subscribe::run(options, interrupt, out).await
}

async fn ask(arguments: &NetconfArgs, out: &mut impl Write) -> Result<(), Error> {
    match &arguments.command {
        NetconfCommand::Capabilities(options) => capabilities::run(options, out).await,
        NetconfCommand::Get(options) => {
            let defaults = options.select.with_defaults;
            selected(&options.server, &options.select, |it| request::get(it, defaults), out).await
        }
        NetconfCommand::GetConfig(options) => {
            let (source, defaults) = (options.source.store(), options.select.with_defaults);
            let operation = |select: Select<'_>| request::get_config(source, select, defaults);
            selected(&options.server, &options.select, operation, out).await
        }
        NetconfCommand::Schema(options) => schema(options, out).await,
        NetconfCommand::Diff(options) => diff(options, out).await,
        NetconfCommand::Edit(options) => edit::run(options, out).await,
        NetconfCommand::Commit(options) => commit(options, out).await,
        NetconfCommand::Rollback(options) => rollback(options).await,
        NetconfCommand::Validate(options) => {
            Server::open(&options.server).await?.done(&request::validate(options.store.store())).await
        }
        NetconfCommand::Copy(options) => {
            let operation = request::copy_config(options.to.store(), options.source.store());
            Server::open(&options.server).await?.done(&operation).await
        }
        NetconfCommand::Delete(options) => {
            Server::open(&options.server).await?.done(&request::delete_config(options.store.store())).await
        }
        NetconfCommand::Lock(options) => lock(options).await,
        NetconfCommand::Kill(options) => {
            Server::open(&options.server).await?.done(&request::kill_session(options.session_id)).await
        }
        NetconfCommand::Streams(options) => subscribe::streams(options, out).await,
        NetconfCommand::Subscribe(_) => Ok(()), // it is run above
        NetconfCommand::Rpc(options) => {
            let operation = content(&options.file)?;
            let server = Server::open(&options.server).await?;
            let reply = server.session.rpc_octets(&operation).await;
            let (reply, _) = reply.map_err(|fault| server.failed(&fault))?;
            show::document(&reply, is_for_person(), out)?;
            let reply = server.read(&reply)?;
            if reply.is_done() { Ok(()) } else { Err(server.refused(&reply)) }
        }
    }
}

/// A session, and its label in messages.
struct Server {
    session: NetconfSession,
    label: String,
}

impl Server {
    async fn open(arguments: &ServerArgs) -> Result<Self, Error> {
        let target = netconf_target(&arguments.target, &arguments.ends, &arguments.http)?;
        if target.is_restconf() && arguments.call_home.is_some() {
            let words =
                "--call-home is for netconf:// and netconf+tls://: no server of RESTCONF is waited for here";
            return Err(Error::Usage(words.to_owned()));
        }
        let label = target.clone().with_path(None).to_string();
        let wait = arguments.call_wait;
        let call_home = arguments.call_home.map(|listen| CallHome { listen, wait });
        let options = NetconfOptions::default().with_timeout(arguments.timeout).with_call_home(call_home);
        let session = NetconfSession::open(&target, options).await;
        let session = session.map_err(|fault| Error::session(&label, &Names::built_in(), &fault))?;
        Ok(Server { session, label })
    }

    fn failed(&self, fault: &trunkline_client::Error) -> Error {
        Error::session(&self.label, &Names::built_in(), fault)
    }

    fn refused(&self, reply: &Reply) -> Error {
        self.failed(&NetconfFault::Refused(reply.errors().collect()).into())
    }

    /// Whether it can be locked.
    fn has_locks(&self) -> bool {
        !self.session.is_restconf()
    }

    async fn has(&self, capability: &str) -> Result<bool, Error> {
        let hello = self.session.hello().await.map_err(|fault| self.failed(&fault))?;
        Ok(hello.has(capability))
    }

    fn read(&self, octets: &[u8]) -> Result<Reply, Error> {
        use trunkline_client::netconf::protocol::reply::FromServer;
        match FromServer::read(octets, usize::MAX) {
            Ok(FromServer::Reply(reply)) => Ok(reply),
            Ok(FromServer::Notification(_)) => {
                Err(Error::Runtime("expected a reply, found a notification".to_owned()))
            }
            Err(fault) => Err(self.failed(&NetconfFault::from(fault).into())),
        }
    }

    /// Carries out an operation; an error if the server refuses it. Warnings are shown.
    async fn ask(&self, operation: &[u8]) -> Result<Vec<u8>, Error> {
        self.checked(self.session.rpc_octets(operation).await)
    }

    /// The same for one that changes nothing.
    async fn fetch(&self, operation: &[u8]) -> Result<Vec<u8>, Error> {
        self.checked(self.session.read_octets(operation).await)
    }

    fn checked(&self, answered: Result<(Vec<u8>, Cost), trunkline_client::Error>) -> Result<Vec<u8>, Error> {
        let (octets, _) = answered.map_err(|fault| self.failed(&fault))?;
        if !show::may_have_errors(&octets) {
            return Ok(octets);
        }
        let reply = self.read(&octets)?;
        if !reply.is_done() {
            return Err(self.refused(&reply));
        }
        reply.errors().for_each(|warning| say(&format!("{} warns: {warning}", self.label)));
        Ok(octets)
    }

    /// The same for an operation that returns nothing.
    async fn done(&self, operation: &[u8]) -> Result<(), Error> {
        self.ask(operation).await.map(drop)
    }

    /// The same for an operation that returns data, which is printed.
    async fn data(&self, operation: &[u8], out: &mut impl Write) -> Result<(), Error> {
        let octets = self.fetch(operation).await?;
        show::data(&octets, is_for_person(), out)
    }

    /// The same as JSON.
    async fn json(&self, operation: &[u8], out: &mut impl Write) -> Result<(), Error> {
        let octets = self.fetch(operation).await?;
        let modules = self.session.modules().await.map_err(|fault| self.failed(&fault))?;
        let data = json_of(&octets, modules).map_err(|fault| self.failed(&fault.into()))?;
        if !data.unknown.is_empty() {
            let names: Vec<&str> = data.unknown.iter().map(String::as_str).collect();
            say(&format!(
                "warning: the types of {} are not known here: their values are strings, and only what is there more than once is an array",
                names.join(", ")
            ));
        }
        Ok(show::json(&data.octets, out)?)
    }

    /// A configuration: a reply.
    async fn configuration(&self, store: Store<'_>) -> Result<Vec<u8>, Error> {
        self.fetch(&request::get_config(store, Select::Everything, None)).await
    }

    /// What differs between two configurations.
    async fn difference(&self, from: &[u8], to: &[u8]) -> Result<Difference, Error> {
        let modules = self.session.modules().await.map_err(|fault| self.failed(&fault))?;
        Difference::of(from, to, modules).map_err(|fault| self.failed(&fault.into()))
    }

    /// One of those that are compared.
    async fn compared(&self, compared: &Compared) -> Result<Vec<u8>, Error> {
        match compared {
            Compared::Store(store) => self.configuration(store.store()).await,
            Compared::File(file) => Ok([b"<file><data>", &content(file)?[..], b"</data></file>"].concat()),
        }
    }
}

impl StoreName {
    fn store(&self) -> Store<'_> {
        match self {
            StoreName::Datastore(datastore) => Store::Datastore(*datastore),
            StoreName::Url(url) => Store::Url(url),
        }
    }
}

/// Text of strangers is escaped for a terminal only: a program needs it as it is.
fn is_for_person() -> bool {
    std::io::stdout().is_terminal()
}

/// Sends an operation with what is selected, and prints the data.
async fn selected(
    server: &ServerArgs,
    select: &SelectArgs,
    operation: impl Fn(Select<'_>) -> Vec<u8>,
    out: &mut impl Write,
) -> Result<(), Error> {
    let subtree = select.subtree.as_deref().map(content).transpose()?;
    let server = Server::open(server).await?;
    let operation = match (&select.xpath, &subtree) {
        (Some(text), _) => {
            let selection = server.session.selection(text, &select.prefix).await;
            operation(selection.map_err(|fault| server.failed(&fault))?.select())
        }
        (None, Some(content)) => operation(Select::Subtree(content)),
        (None, None) => operation(Select::Everything),
    };
    match select.json {
        true => server.json(&operation, out).await,
        false => server.data(&operation, out).await,
    }
}

/// Octets of a file that is sent.
const MOST_CONTENT: u64 = 256 << 20;

/// XML of a file, without its declaration; `-` is standard input.
fn content(file: &Path) -> Result<Vec<u8>, Error> {
    let mut octets = Vec::new();
    let named = |fault: &dyn std::fmt::Display| Error::Usage(format!("{}: {fault}", file.display()));
    match file.as_os_str() == "-" {
        true => std::io::stdin().lock().take(MOST_CONTENT + 1).read_to_end(&mut octets),
        false => std::fs::File::open(file)
            .and_then(|opened| opened.take(MOST_CONTENT + 1).read_to_end(&mut octets)),
    }
    .map_err(|fault| named(&fault))?;
    if octets.len() as u64 > MOST_CONTENT {
        return Err(named(&format!("more than {} MiB; send it in parts", MOST_CONTENT >> 20)));
    }
    let text = octets.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&octets).trim_ascii();
    let text = match text.starts_with(b"<?xml") {
        true => text.windows(2).position(|it| it == b"?>").map_or(text, |at| &text[at + 2..]),
        false => text,
    };
    // The server could only say that the whole message is wrong.
    if let Some(words) = mistake(&octets, text) {
        return Err(Error::Usage(format!("{}:{words}", file.display())));
    }
    Ok(text.to_vec())
}

/// What is wrong with the XML of a file, and where in the file. Several elements may stand in it side by side.
fn mistake(file: &[u8], text: &[u8]) -> Option<String> {
    let whole = [BEGIN, text, END].concat();
    let fault = Document::read(&whole, limits(usize::MAX)).err()?;
    let begin = text.as_ptr().addr() - file.as_ptr().addr();
    let at = begin + fault.position.offset.saturating_sub(BEGIN.len()).min(text.len());
    let before = String::from_utf8_lossy(&file[..at.min(file.len())]);
    let line = before.matches('\n').count() + 1;
    let column =
        before.rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}').chars().count() + 1;
    let words = match &fault.kind {
        XmlErrorKind::EndTag { expected, found } if found == CONTENT => {
            format!("the file ends within <{expected}>")
        }
        XmlErrorKind::EndTag { expected, found } if expected == CONTENT => {
            format!("found </{found}>, which ends no element")
        }
        kind => kind.to_string(),
    };
    Some(format!("{line}:{column}: {words}"))
}

/// Around the elements of a file, so that they are one document.
const CONTENT: &str = "content";
const BEGIN: &[u8] = b"<content>";
const END: &[u8] = b"</content>";

async fn schema(options: &SchemaArgs, out: &mut impl Write) -> Result<(), Error> {
    let server = Server::open(&options.server).await?;
    let operation = request::get_schema(&options.module, options.revision.as_deref(), Some(&options.format));
    let octets = server.fetch(&operation).await?;
    let reply = server.read(&octets)?;
    let text = reply.content().next().map(|data| data.text().trim()).unwrap_or_default();
    if text.is_empty() {
        // XSD, YIN and RELAX NG are XML themselves.
        return show::data(&octets, is_for_person(), out);
    }
    let shown = if is_for_person() { trunkline_smi::visible_lines(text) } else { text.into() };
    Ok(writeln!(out, "{shown}")?)
}

async fn diff(options: &DiffArgs, out: &mut impl Write) -> Result<(), Error> {
    let server = Server::open(&options.server).await?;
    let (from, to) = (server.compared(&options.from).await?, server.compared(&options.to).await?);
    let difference = server.difference(&from, &to).await?;
    Ok(difference.lines().iter().try_for_each(|line| writeln!(out, "{line}"))?)
}

async fn commit(options: &CommitArgs, out: &mut impl Write) -> Result<(), Error> {
    let server = Server::open(&options.server).await?;
    let kept = options.confirmed.map(|_| edit::name_of(options.persist.as_deref()));
    let commit = request::Commit {
        confirmed: options.confirmed.is_some(),
        timeout: options.confirmed,
        persist: kept.as_deref(),
        persist_id: options.persist_id.as_deref(),
    };
    server.done(&request::commit(commit)).await?;
    kept.iter().try_for_each(|name| edit::say_confirmed(options.confirmed, name, out))
}

async fn rollback(options: &RollbackArgs) -> Result<(), Error> {
    let server = Server::open(&options.server).await?;
    let operation = match &options.persist_id {
        Some(name) => request::cancel_commit(Some(name)),
        None => request::discard_changes(),
    };
    server.done(&operation).await
}

async fn lock(options: &LockArgs) -> Result<(), Error> {
    let server = Server::open(&options.server).await?;
    server.session.pin();
    server.done(&request::lock(options.datastore)).await?;
    let (program, arguments) = options.program.split_first().map_or(("", &[][..]), |(it, rest)| (it, rest));
    let mut command = Command::new(program);
    command.args(arguments);
    let ran = tokio::task::spawn_blocking(move || command.status()).await;
    let ran = ran.map_err(|lost| Error::Runtime(lost.to_string()))?;
    server.done(&request::unlock(options.datastore)).await?;
    match ran {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error::Runtime(format!("{program}: {status}"))),
        Err(fault) => Err(Error::Usage(format!("{program}: {fault}"))),
    }
}

/// The name of a datastore.
fn name_of(datastore: Datastore) -> &'static str {
    let found = Datastore::WORDS.iter().find(|(_, it)| *it == datastore);
    found.map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(file: &str) -> Option<String> {
        let begin = file.find("?>").map_or(0, |at| at + 2);
        mistake(file.as_bytes(), file[begin..].trim_ascii().as_bytes())
    }

    #[test]
    fn mistakes_have_their_place_in_the_file() {
        assert_eq!(said("<a/>\n<b>1</b>\n"), None);
        assert_eq!(said(""), None);
        for (file, words) in [
            ("<a>\n  <b>\n</a>", "3:1: found </a>, expected </b>"),
            ("<a><b></c></a>", "1:7: found </c>, expected </b>"),
            ("<?xml version='1.0'?>\n\n<a>\n<é b=1/></a>", "4:"),
            ("<a>\n<b/>", "2:5: the file ends within <a>"),
            ("<a/>\n</b>", "2:1: found </b>, which ends no element"),
            ("<a/>\n</content>", "2:11: an end tag without a start tag"),
        ] {
            let found = said(file).unwrap();
            assert!(found.starts_with(words) && !found.contains("<content>"), "{file:?}: {found}");
        }
    }
}
