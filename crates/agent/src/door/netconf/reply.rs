//! What each operation does, and its reply.

use std::time::Instant;

use trunkline_datastore::{Config, trimmed, with_all};
use trunkline_netconf::data::DataWriter;
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_netconf::framing::Framing;
use trunkline_netconf::operation::{Datastore, Filter, Operation, Place, WithDefaults, not_supported};
use trunkline_netconf::rpc::Rpc;
use trunkline_netconf::{MONITORING, subtree};
use trunkline_smi::ValueRef;
use trunkline_transport::talk::{Parted, Talk};
use trunkline_tree::policy::{Principal, ViewType};
use trunkline_xml::Writer;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::InstanceId;
use trunkline_yang::selection::{self, Selection};

use super::configure::{self, Configuring, Errors};
use super::own::{ConfigData, Own};
use super::session::Session;
use super::{Netconf, xpath};
use crate::core::{Admission, Caller, DataQuery, DataSink, OwnData};

/// Whether a session goes on.
pub(super) enum Answer {
    Next,
    Last,
    /// The request asks for a subscription.
    Subscribe,
}

/// Carries out a request and sends its reply.
pub(super) async fn answer(session: &mut Session, rpc: &Rpc) -> Result<Answer, Parted> {
    let operation = match Operation::read(rpc.operation()) {
        Ok(operation) => operation,
        Err(error) => return refuse(session, rpc, &[error]).await,
    };
    let done = match operation {
        Operation::Get { filter, with_defaults: _ } => match selected(session, filter) {
            Ok(selected) => return operational(session, rpc, selected).await,
            Err(error) => Err(vec![error]),
        },
        Operation::GetConfig { source, filter, with_defaults } => {
            match requested(session, source, filter, with_defaults) {
                Ok((selected, datastore)) => {
                    return configuration(session, rpc, selected, datastore, with_defaults).await;
                }
                Err(error) => Err(vec![error]),
            }
        }
        Operation::CloseSession => {
            done(session, rpc).await?;
            return Ok(Answer::Last);
        }
        Operation::GetSchema { identifier, version, format } => {
            match schema(session, identifier, version, format) {
                Ok(text) => return schema_text(session, rpc, &text).await,
                Err(error) => Err(vec![error]),
            }
        }
        Operation::PartialLock { .. } | Operation::PartialUnlock { .. } => {
            Err(vec![not_here(rpc.operation())])
        }
        Operation::CreateSubscription { .. } if session.is_subscribed() => {
            let message = "this session has a subscription: open another session for another one";
            Err(vec![RpcError::new(Layer::Protocol, Tag::OperationFailed, message)])
        }
        Operation::CreateSubscription { .. } => return Ok(Answer::Subscribe),
        Operation::Other(element) => Err(vec![not_supported(element)]),
        changing => {
            // It may take a while: earlier answers do not wait for it.
            session.talk.flush().await?;
            match Configuring::new(session) {
                Ok(configuring) => change(&configuring, changing).await,
                Err(errors) => Err(errors),
            }
        }
    };
    match done {
        Ok(()) => self::done(session, rpc).await,
        Err(errors) => refuse(session, rpc, &errors).await,
    }
}

/// Operations for those who may change something.
async fn change(configuring: &Configuring<'_>, operation: Operation<'_>) -> Result<(), Errors> {
    match operation {
        Operation::EditConfig(edit) => configuring.edit(edit).await,
        Operation::CopyConfig { target, source, with_defaults: _ } => configuring.copy(target, source).await,
        Operation::Commit { confirmed, persist_id } => configuring.commit(confirmed, persist_id).await,
        Operation::CancelCommit { persist_id } => configuring.cancel(persist_id).await,
        Operation::DiscardChanges => configuring.discard().await,
        Operation::Validate { source } => configuring.validate(source).await,
        Operation::Lock { target } => configuring.lock(target).await,
        Operation::Unlock { target } => configuring.unlock(target).await,
        Operation::KillSession { session_id } => configuring.kill(session_id),
        // Neither running nor the candidate can be deleted (RFC 6241 section 7.4).
        _ => Err(vec![invalid(
            "only a startup configuration or a file could be deleted, and there is none here",
        )]),
    }
}

/// What a `get-config` reads.
fn requested(
    session: &Session,
    source: Place<'_>,
    filter: Option<Filter<'_>>,
    with_defaults: Option<WithDefaults>,
) -> Result<(Selected, Datastore), RpcError> {
    let datastore = match source {
        Place::Datastore(datastore) => datastore,
        Place::Url(_) => return Err(invalid("this agent reads no files: it has no :url capability")),
        Place::Config(_) => return Err(invalid("expected a datastore, found a configuration")),
    };
    if with_defaults == Some(WithDefaults::ReportAllTagged) {
        return Err(invalid("report-all-tagged is not among the modes that the hello announces"));
    }
    let forest = &session.door.models().forest;
    let mut selected = selected(session, filter)?;
    selected.nodes_mut().retain(|it| forest[it.node].place.is_configuration());
    Ok((selected, datastore))
}

/// Sends a configuration.
async fn configuration(
    session: &mut Session,
    rpc: &Rpc,
    selected: Selected,
    datastore: Datastore,
    with_defaults: Option<WithDefaults>,
) -> Result<Answer, Parted> {
    let door = session.door.clone();
    let forest = &door.models().forest;
    let config = match configure::readable(&door, session.principal.as_principal(), datastore).await {
        Ok(config) => config,
        Err(errors) => return refuse(session, rpc, &errors).await,
    };
    let config = match with_defaults {
        Some(WithDefaults::ReportAll) => with_all(forest, &config),
        Some(WithDefaults::Trim) => trimmed(forest, &config),
        _ => config,
    };
    send(session, rpc, selected, &ConfigData(config)).await
}

pub(super) async fn done(session: &mut Session, rpc: &Rpc) -> Result<Answer, Parted> {
    let mut octets = Vec::new();
    rpc.ok(&mut octets);
    session.answer(&octets).await?;
    Ok(Answer::Next)
}

pub(super) async fn refuse(session: &mut Session, rpc: &Rpc, errors: &[RpcError]) -> Result<Answer, Parted> {
    session.count(|counts| &counts.errors);
    let mut octets = Vec::new();
    rpc.errors(errors, &mut octets);
    session.answer(&octets).await?;
    Ok(Answer::Next)
}

fn invalid(message: &str) -> RpcError {
    RpcError::new(Layer::Protocol, Tag::InvalidValue, message)
}

/// An operation whose capability the hello does not announce.
fn not_here(element: Element<'_>) -> RpcError {
    let message = format!("this agent does not support {}: its hello lists what it supports", element.name());
    RpcError::new(Layer::Protocol, Tag::OperationNotSupported, message)
}

/// What a filter selects.
enum Selected {
    Nodes(Selection),
    Expression(xpath::Filter),
}

impl Selected {
    fn nodes_mut(&mut self) -> &mut Vec<selection::Selected> {
        match self {
            Selected::Nodes(selection) => &mut selection.nodes,
            Selected::Expression(filter) => &mut filter.selection.nodes,
        }
    }
}

fn selected(session: &Session, filter: Option<Filter<'_>>) -> Result<Selected, RpcError> {
    let forest = &session.door.models().forest;
    match filter {
        None => Ok(Selected::Nodes(Selection::everything(forest))),
        Some(Filter::Subtree(element)) => subtree::compile(element, forest).map(Selected::Nodes),
        Some(Filter::XPath { select, element }) => {
            let filter = xpath::Filter::of(select, element, forest)?;
            Ok(if filter.is_exact { Selected::Nodes(filter.selection) } else { Selected::Expression(filter) })
        }
    }
}

/// Sends what is there: configuration and state.
async fn operational(session: &mut Session, rpc: &Rpc, mut selected: Selected) -> Result<Answer, Parted> {
    let door = session.door.clone();
    let forest = &door.models().forest;
    let has_configuration = selected.nodes_mut().iter().any(|it| forest[it.node].place.is_configuration());
    let config = if has_configuration {
        configure::readable(&door, session.principal.as_principal(), Datastore::Running).await
    } else {
        // Objects of MIB modules are answered without it.
        Ok(Config::default())
    };
    let config = match config {
        Ok(config) => config,
        Err(errors) => return refuse(session, rpc, &errors).await,
    };
    let own = Own { door: &door, session_id: session.place.id, config };
    send(session, rpc, selected, &own).await
}

/// Sends what is selected, with the agent's own data from `own`.
async fn send(
    session: &mut Session,
    rpc: &Rpc,
    selected: Selected,
    own: &dyn OwnData,
) -> Result<Answer, Parted> {
    match selected {
        Selected::Nodes(selection) => data(session, rpc, &selection, own).await,
        Selected::Expression(filter) => evaluated(session, rpc, filter, own).await,
    }
}

/// Streams data.
async fn data(
    session: &mut Session,
    rpc: &Rpc,
    selection: &Selection,
    own: &dyn OwnData,
) -> Result<Answer, Parted> {
    let door = session.door.clone();
    let forest = &door.models().forest;
    let mut output = Streamed::begin(rpc, forest, session.framing, &mut session.talk);
    retrieve(&door, own, session.principal.as_principal(), selection, &mut output).await?;
    output.end(rpc).await?;
    Ok(Answer::Next)
}

/// Writes what the principal may read of a selection.
async fn retrieve<S: DataSink>(
    door: &Netconf,
    own: &dyn OwnData,
    principal: Principal<'_>,
    selection: &Selection,
    sink: &mut S,
) -> Result<(), S::Stop> {
    let settings = door.core.settings();
    let caller = Caller::of_default_context(principal);
    // Who may read nothing gets nothing, and no error (RFC 8341 section 3.2.4).
    let Ok(Admission::Tree(access)) = settings.admit(&caller, ViewType::Read) else { return Ok(()) };
    let (served, forest) = (settings.served(), &door.models().forest);
    DataQuery { served, access, forest, own, arrived: Instant::now() }.retrieve(selection, sink).await
}

/// Evaluates an expression and sends what it selects. One is evaluated at a time, and what is not done soon beside the thread that
/// answers others: all together take one processor and the memory of one.
async fn evaluated(
    session: &mut Session,
    rpc: &Rpc,
    filter: xpath::Filter,
    own: &dyn OwnData,
) -> Result<Answer, Parted> {
    session.talk.flush().await?;
    let door = session.door.clone();
    let forest = &door.models().forest;
    let Ok(permit) = door.expressions.clone().acquire_owned().await else { return Err(Parted::Closing) };
    let mut gathered = xpath::Gathered::new(forest);
    let principal = session.principal.as_principal();
    let found = match retrieve(&door, own, principal, &filter.selection, &mut gathered).await {
        Ok(()) => {
            let instances = gathered.instances;
            match filter.kept(forest, &instances, xpath::LITTLE_WORK) {
                Err(error) if error.tag == Tag::ResourceDenied => {
                    let door = door.clone();
                    let work = move || {
                        let kept = filter.kept(&door.models().forest, &instances, xpath::MOST_WORK);
                        kept.map(|kept| (instances, kept))
                    };
                    // It ends by its limit of work.
                    let done = tokio::task::spawn_blocking(work).await;
                    done.unwrap_or_else(|_| Err(invalid("the agent failed on it")))
                }
                kept => kept.map(|kept| (instances, kept)),
            }
        }
        Err(too_large) => Err(too_large.error()),
    };
    drop(permit);
    let (instances, kept) = match found {
        Ok(found) => found,
        Err(error) => return refuse(session, rpc, &[error]).await,
    };
    let mut output = Streamed::begin(rpc, forest, session.framing, &mut session.talk);
    output.held = instances.memory();
    let mut open: Vec<(InstanceId, NodeId)> = Vec::new();
    let all = (0_u32..).map(InstanceId).zip(&kept);
    for (id, _) in all.filter(|(_, is_kept)| **is_kept) {
        while let Some((_, node)) = open.pop_if(|(within, _)| instances.end(*within) <= id) {
            output.close(node);
        }
        if let Some(node) = instances.node(id) {
            if forest[node].place.syntax().is_some() {
                output.writer.leaf_text(node, instances.value(id));
            } else {
                output.open(node);
                open.push((id, node));
            }
        }
        if output.is_full() {
            output.flush().await?;
        }
    }
    while let Some((_, node)) = open.pop() {
        output.close(node);
    }
    output.end(rpc).await?;
    Ok(Answer::Next)
}

/// Data that goes to the peer as it is found.
struct Streamed<'s> {
    writer: DataWriter<'s>,
    framing: Framing,
    talk: &'s mut Talk,
    framed: Vec<u8>,
    /// Octets that are kept until all is sent.
    held: usize,
}

impl<'s> Streamed<'s> {
    fn begin(rpc: &Rpc, forest: &'s Forest, framing: Framing, talk: &'s mut Talk) -> Self {
        let mut octets = Vec::with_capacity(4096);
        rpc.begin_reply(&mut octets);
        octets.extend_from_slice(format!("<{}data>", rpc.prefix()).as_bytes());
        Streamed { writer: DataWriter::new(forest, octets), framing, talk, framed: Vec::new(), held: 0 }
    }

    async fn send(&mut self, is_end: bool) -> Result<(), Parted> {
        self.framed.clear();
        self.framing.part(&self.writer.octets, &mut self.framed);
        self.writer.octets.clear();
        if is_end {
            self.framing.end(&mut self.framed);
            return self.talk.send_soon(&self.framed).await;
        }
        self.talk.send(&self.framed, self.writer.octets.capacity() + self.held).await
    }

    async fn end(mut self, rpc: &Rpc) -> Result<(), Parted> {
        let octets = &mut self.writer.octets;
        octets.extend_from_slice(format!("</{}data>", rpc.prefix()).as_bytes());
        rpc.end_reply(octets);
        self.send(true).await?;
        self.talk.said();
        Ok(())
    }
}

impl DataSink for Streamed<'_> {
    type Stop = Parted;

    fn open(&mut self, node: NodeId) {
        self.writer.open(node);
    }

    fn close(&mut self, node: NodeId) {
        self.writer.close(node);
    }

    fn leaf(&mut self, node: NodeId, value: ValueRef<'_>) {
        self.writer.leaf(node, value);
    }

    fn leaf_text(&mut self, node: NodeId, value: &str) {
        self.writer.leaf_text(node, value);
    }

    fn is_full(&self) -> bool {
        self.writer.octets.len() >= FULL
    }

    async fn flush(&mut self) -> Result<(), Parted> {
        self.send(false).await
    }
}

/// Octets that are collected before they are sent: a packet of SSH, and some more.
const FULL: usize = 32 << 10;

/// The text of a module (RFC 6022 section 3.1).
fn schema(
    session: &Session,
    identifier: &str,
    version: Option<&str>,
    format: Option<&str>,
) -> Result<String, RpcError> {
    // It is an identityref, whose prefix is the sender's.
    let format = format.map(|format| format.rsplit(':').next().unwrap_or_default());
    if let Some(other) = format.filter(|format| *format != "yang") {
        return Err(invalid(&format!("modules are given in the format yang, not {other}")));
    }
    let modules = &session.door.models().modules;
    match modules.iter().find(|module| module.name == identifier) {
        Some(module) if version.is_none_or(str::is_empty) => Ok(trunkline_yang::print(module)),
        Some(_) => Err(invalid(&format!("the module {identifier} has no revisions: ask without a version"))),
        None => Err(invalid(&format!("there is no module {identifier} here"))),
    }
}

async fn schema_text(session: &mut Session, rpc: &Rpc, text: &str) -> Result<Answer, Parted> {
    let mut octets = Vec::with_capacity(text.len() + 512);
    rpc.begin_reply(&mut octets);
    Writer::new(&mut octets).start("data").attribute("xmlns", MONITORING).text(text).end("data");
    rpc.end_reply(&mut octets);
    session.answer(&octets).await?;
    Ok(Answer::Next)
}
