//! `trunkline netconf`: what only NETCONF has.

mod capabilities;
mod difference;
mod edit;
mod lock;
mod show;
mod stored;
mod stores;
mod subscribe;

use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::sync::Arc;

use trunkline_client::netconf::protocol::MONITORING;
use trunkline_client::netconf::protocol::compression::Algorithm;
use trunkline_client::netconf::protocol::document::{Document, limits};
use trunkline_client::netconf::protocol::hello::Hello;
use trunkline_client::netconf::protocol::needs::{self, Missing, Use};
use trunkline_client::netconf::protocol::operation::Datastore;
use trunkline_client::netconf::protocol::reply::{FromServer, Reply, Returns, is_empty};
use trunkline_client::netconf::protocol::request::{self, Select, Store};
use trunkline_client::netconf::{CallHome, NetconfFault, NetconfOptions, NetconfSession, json_of};
use trunkline_login::targets::{Keeper, Targets};
use trunkline_login::token::RoleToken;
use trunkline_mib::Names;
use trunkline_xml::XmlErrorKind;

use self::difference::Difference;
use crate::arguments::netconf::{
    NetconfArgs, NetconfCommand, SchemaArgs, SelectArgs, ServerArgs, StoreName, SubscribeArgs,
};
use crate::connect::{lent, say, warned};
use crate::error::Error;
use crate::interrupt::Interrupt;

/// Runs one of the commands, until it ends or Ctrl-C stops it: data to `out`, messages to standard error.
pub async fn run(arguments: &NetconfArgs, interrupt: &Interrupt, out: &mut impl Write) -> Result<(), Error> {
    match &arguments.command {
        // These have something to end then.
        NetconfCommand::Subscribe(options) => subscribe::run(options, interrupt, out).await,
        NetconfCommand::Lock(options) => lock::run(options, interrupt).await,
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
            let operation = |select: Select<'_>| request::get(select, options.select.with_defaults);
            selected(&options.server, &options.select, Source::Operation(&operation), out).await
        }
        NetconfCommand::GetConfig(options) => {
            let defaults = options.select.with_defaults;
            let operation =
                |select: Select<'_>| request::get_config(options.source.store(), select, defaults);
            let source = match &options.source {
                StoreName::Url(url) => Source::Url(url),
                StoreName::Datastore(datastore) => Source::Datastore(*datastore, &operation),
            };
            selected(&options.server, &options.select, source, out).await
        }
        NetconfCommand::Schema(options) => schema(options, out).await,
        NetconfCommand::Diff(options) => stores::diff(options, out).await,
        NetconfCommand::Edit(options) => edit::run(options, out).await,
        NetconfCommand::Commit(options) => stores::commit(options, out).await,
        NetconfCommand::Rollback(options) => stores::rollback(options).await,
        NetconfCommand::Cancel(options) => stores::cancel(options).await,
        NetconfCommand::Validate(options) => stores::validate(options).await,
        NetconfCommand::Copy(options) => stores::copy(options).await,
        NetconfCommand::Delete(options) => stores::delete(options).await,
        NetconfCommand::Kill(options) => {
            Server::open(&options.server).await?.done(&request::kill_session(options.session_id)).await
        }
        NetconfCommand::Seal(options) => stored::seal(options, out),
        NetconfCommand::Relay(options) => stored::relay(options, out).await,
        NetconfCommand::Open(options) => stored::open(options, out),
        NetconfCommand::Streams(options) => subscribe::streams(options, out).await,
        NetconfCommand::Subscribe(_) | NetconfCommand::Lock(_) => Ok(()), // they are run above
        NetconfCommand::Rpc(options) => {
            let operation = content(&options.file)?;
            let server = Server::open(&options.server).await?;
            let reply = server.session.rpc_octets(&operation).await;
            let (reply, _) = reply.map_err(|fault| server.failed(&fault))?;
            show::document(&reply, is_for_person(), out)?;
            server.session.check(&reply, Returns::Something).map_err(|fault| server.failed(&fault.into()))
        }
    }
}

/// An error if a reply has one.
fn refused(reply: &[u8], most: usize) -> Result<(), NetconfFault> {
    match FromServer::read(reply, most)? {
        FromServer::Reply(reply) if !reply.is_done() => Err(NetconfFault::Refused(reply.errors().collect())),
        _ => Ok(()),
    }
}

/// A session, and its label in messages.
struct Server {
    session: NetconfSession,
    label: String,
}

impl Server {
    async fn open(arguments: &ServerArgs) -> Result<Self, Error> {
        let targets = Targets::read(arguments.config.as_deref())?;
        let ServerArgs { target, ends, http, .. } = arguments;
        let target = targets.netconf(target, ends, http, &Keeper::default())?;
        if target.is_restconf() && arguments.call_home.is_some() {
            let words =
                "--call-home is for netconf:// and netconf+tls://: no server of RESTCONF is waited for here";
            return Err(Error::Usage(words.to_owned()));
        }
        let keys = arguments.keys.as_deref().map(RoleToken::read).transpose()?;
        let label = target.clone().with_path(None).to_string();
        let wait = arguments.call_wait;
        let call_home = arguments.call_home.map(|listen| CallHome { listen, wait });
        let options = NetconfOptions::default()
            .with_timeout(arguments.timeout)
            .with_call_home(call_home)
            .with_warned(Some(warned(&label)))
            .with_compression(arguments.compress.as_deref().and_then(Algorithm::named))
            .with_role(arguments.as_role.clone())
            .with_keys(keys.map(RoleToken::into_keys))
            .with_device(arguments.device.clone())
            .with_lent(lent());
        let session = NetconfSession::open(&target, options).await;
        let session = session.map_err(|fault| Error::session(&label, &Names::built_in(), &fault))?;
        Ok(Server { session, label })
    }

    fn failed(&self, fault: &trunkline_client::Error) -> Error {
        Error::session(&self.label, &Names::built_in(), fault)
    }

    /// Whether it can be locked.
    fn has_locks(&self) -> bool {
        !self.session.is_restconf()
    }

    async fn hello(&self) -> Result<Arc<Hello>, Error> {
        self.session.hello().await.map_err(|fault| self.failed(&fault))
    }

    /// Checks that the server announces what is needed. What RESTCONF does not have is refused where it is made of operations.
    async fn needs(&self, check: impl FnOnce(&Hello) -> Result<(), Missing>) -> Result<(), Error> {
        if self.session.is_restconf() {
            return Ok(());
        }
        check(&*self.hello().await?).map_err(|missing| self.failed(&NetconfFault::from(missing).into()))
    }

    fn read(&self, octets: &[u8]) -> Result<Reply, Error> {
        match FromServer::read(octets, usize::MAX) {
            Ok(FromServer::Reply(reply)) => Ok(reply),
            Ok(FromServer::Notification(_)) => {
                Err(Error::Runtime("expected a reply, found a notification".to_owned()))
            }
            Err(fault) => Err(self.failed(&NetconfFault::from(fault).into())),
        }
    }

    /// Carries out an operation that returns nothing; an error if the server refuses it.
    async fn done(&self, operation: &[u8]) -> Result<(), Error> {
        self.session.done(operation).await.map_err(|fault| self.failed(&fault))
    }

    /// Carries out an operation that reads; the whole reply.
    async fn fetch(&self, operation: &[u8]) -> Result<Vec<u8>, Error> {
        let fetched = self.session.data(operation).await;
        fetched.map(|(octets, _)| octets).map_err(|fault| self.failed(&fault))
    }

    /// Writes a reply's data as JSON.
    async fn json(&self, octets: &[u8], out: &mut impl Write) -> Result<(), Error> {
        let modules = self.session.modules().await.map_err(|fault| self.failed(&fault))?;
        let data = json_of(octets, modules).map_err(|fault| self.failed(&fault.into()))?;
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
    async fn configuration(&self, datastore: Datastore) -> Result<Vec<u8>, Error> {
        let store = Store::Datastore(datastore);
        self.needs(|hello| needs::store(hello, store, Use::Read)).await?;
        self.fetch(&request::get_config(store, Select::Everything, None)).await
    }

    /// What differs between two configurations.
    async fn difference(&self, from: &[u8], to: &[u8]) -> Result<Difference, Error> {
        let modules = self.session.modules().await.map_err(|fault| self.failed(&fault))?;
        Difference::of(from, to, modules).map_err(|fault| self.failed(&fault.into()))
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

/// Where data comes from.
enum Source<'s> {
    /// `get`.
    Operation(&'s dyn Fn(Select<'_>) -> Vec<u8>),
    /// `get-config` of a datastore.
    Datastore(Datastore, &'s dyn Fn(Select<'_>) -> Vec<u8>),
    /// A file that the server reads.
    Url(&'s str),
}

/// Sends an operation with what is selected, and prints the data.
async fn selected(
    server: &ServerArgs,
    select: &SelectArgs,
    source: Source<'_>,
    out: &mut impl Write,
) -> Result<(), Error> {
    let subtree = select.subtree.as_deref().map(content).transpose()?;
    let server = Server::open(server).await?;
    let hello = server.hello().await?;
    let missing = |missing: Missing| server.failed(&NetconfFault::from(missing).into());
    needs::with_defaults(&hello, select.with_defaults).map_err(missing)?;
    if let Source::Datastore(datastore, _) = source {
        server.needs(|hello| needs::store(hello, Store::Datastore(datastore), Use::Read)).await?;
    }
    let selection = match &select.xpath {
        Some(text) => {
            let selection = server.session.selection(text, &select.prefix).await;
            Some(selection.map_err(|fault| server.failed(&fault))?)
        }
        None => None,
    };
    let wanted = match (&selection, &subtree) {
        (Some(selection), _) => selection.select(),
        (None, Some(content)) => Select::Subtree(content),
        (None, None) => Select::Everything,
    };
    let octets = match source {
        Source::Operation(operation) | Source::Datastore(_, operation) => match &selection {
            Some(selection) => {
                let read = server.session.selected(&operation(wanted), selection).await;
                read.map_err(|fault| server.failed(&fault))?
            }
            None => server.fetch(&operation(wanted)).await?,
        },
        Source::Url(url) => stores::of_url(&server, url, wanted, select.with_defaults).await?,
    };
    if is_empty(&octets, usize::MAX).map_err(|fault| server.failed(&NetconfFault::from(fault).into()))? {
        let path = select.xpath.as_deref();
        let what =
            path.map_or_else(|| "there is no data".to_owned(), |path| format!("{path} selects no data"));
        say(&format!("{}: {what}, or none that you may read", server.label));
    }
    match select.json {
        true => server.json(&octets, out).await,
        false => show::data(&octets, is_for_person(), out),
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
    let fault = match Document::read(&whole, limits(usize::MAX)) {
        // It may be another file than was meant, such as a key.
        Ok(content) if !content.root().text().trim().is_empty() => {
            return Some(" expected elements, found text beside them: nothing is sent".to_owned());
        }
        Ok(_) => return None,
        Err(fault) => fault,
    };
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
    let modules = server.session.modules().await.map_err(|fault| server.failed(&fault))?;
    let is_listed = modules.name(MONITORING).is_some();
    server.needs(|hello| needs::schemas(hello, is_listed)).await?;
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
    fn text_beside_elements_is_not_content() {
        for (text, is_so) in [
            ("<a/>", true),
            ("<a>x</a>\n<b/>", true),
            ("", true),
            ("-----BEGIN", false),
            ("<a/>x", false),
            ("x<a/>", false),
        ] {
            assert_eq!(said(text).is_none(), is_so, "{text}");
        }
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
