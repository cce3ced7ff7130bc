//! What each operation does, and its reply.

use trunkline_datastore::Config;
use trunkline_netconf::data::{DataWriter, Shown};
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Layer, Path, RpcError, Tag};
use trunkline_netconf::nmda::{EditData, GetData, Store};
use trunkline_netconf::operation::{
    Datastore, Edit, ErrorOption, Filter, Operation, Place, TestOption, WithDefaults, not_supported,
};
use trunkline_netconf::rpc::Rpc;
use trunkline_netconf::{MONITORING, NMDA, PARTIAL_LOCK};
use trunkline_restconf::paging::{PageWriter, Paging};
use trunkline_smi::ValueRef;
use trunkline_transport::talk::{Parted, Talk};
use trunkline_tree::policy::Principal;
use trunkline_wrapping::Wrapping;
use trunkline_xml::Writer;
use trunkline_yang::annotation::Annotation;
use trunkline_yang::forest::NodeId;
use trunkline_yang::instances::{InstanceId, Instances};
use trunkline_yang::selection::Selection;

use super::configure::{self, Configuring, Errors};
use super::origin::Origin;
use super::own::{ConfigData, Own};
use super::selected::{Selected, selected};
use super::session::{Session, Wrapped};
use super::xpath::Narrowed;
use super::{Netconf, nacm, page, push, texts, xpath};
use trunkline_core::{DataSink, Narrow, OwnData, Phase};

/// Whether a session goes on.
pub(super) enum Answer {
    Next,
    Last,
    /// The request asks for a subscription.
    Subscribe,
}

/// Carries out a request and sends its reply.
pub(super) async fn answer(session: &mut Session, rpc: &Rpc) -> Result<Answer, Parted> {
    session.phase(Phase::Access);
    let name = rpc.operation().name();
    if let Err(error) = nacm::may_use(&session.door, session.principal.as_principal(), name) {
        return refuse(session, rpc, &[error]).await;
    }
    session.phase(Phase::Decode);
    let operation = match Operation::read(rpc.operation()) {
        Ok(operation) => operation,
        Err(error) => return refuse(session, rpc, &[error]).await,
    };
    session.phase(Phase::Filter);
    let done = match operation {
        Operation::Get { filter, with_defaults, paging } => {
            match selected(&session.door.models().forest, filter, paging) {
                Ok(selected) => {
                    let own = Part { with_defaults, ..Part::default() };
                    return operational(session, Output::Reply(rpc), selected, own).await;
                }
                Err(error) => Err(vec![error]),
            }
        }
        Operation::GetData(given) => return get_data(session, Output::Reply(rpc), given).await,
        Operation::GetConfig { source, filter, with_defaults, paging } => {
            match requested(session, source, filter, paging) {
                Ok((selected, datastore)) => {
                    let part = Part { with_defaults, ..Part::default() };
                    return configuration(session, Output::Reply(rpc), selected, datastore, part).await;
                }
                Err(error) => Err(vec![error]),
            }
        }
        Operation::CloseSession => {
            // What it holds is free before its client knows (RFC 6241 section 7.8).
            configure::leave(&session.door, session.place.id, &session.place.member, "its session has ended")
                .await;
            session.place.unlock_all();
            done(session, rpc).await?;
            return Ok(Answer::Last);
        }
        Operation::GetSchema { identifier, version, format } => {
            match texts::text(&session.door, identifier, version, format).await {
                Ok(text) => return schema_text(session, rpc, &text).await,
                Err(error) => Err(vec![error]),
            }
        }
        Operation::PartialLock { element } => {
            let locked = match session.configuring() {
                Ok(configuring) => configuring.partial_lock(element).await,
                Err(errors) => Err(errors),
            };
            match locked {
                Ok((id, paths)) => return partially_locked(session, rpc, id, &paths).await,
                Err(errors) => Err(errors),
            }
        }
        Operation::CreateSubscription { .. } if session.is_subscribed() => {
            let message = "this session has a subscription: open another session for another one";
            Err(vec![RpcError::new(Layer::Protocol, Tag::OperationFailed, message)])
        }
        // RFC 8640 section 4.
        Operation::CreateSubscription { .. } if !session.pushes.is_empty() => {
            Err(vec![push::not_both("establish-subscription", "create-subscription")])
        }
        Operation::CreateSubscription { .. } | Operation::Subscription(_) => return Ok(Answer::Subscribe),
        Operation::Other(element) => Err(vec![not_supported(element)]),
        changing => {
            // It may take a while: earlier answers do not wait for it.
            session.talk.flush().await?;
            match session.configuring() {
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
        Operation::EditData(edit) => configuring.edit(edit_of_data(edit)?).await,
        Operation::CopyConfig { target, source, with_defaults } => {
            configuring.copy(target, source, with_defaults).await
        }
        Operation::DeleteConfig { target } => configuring.delete(target).await,
        Operation::Commit { confirmed, persist_id } => configuring.commit(confirmed, persist_id).await,
        Operation::CancelCommit { persist_id } => configuring.cancel(persist_id).await,
        Operation::DiscardChanges => configuring.discard().await,
        Operation::Validate { source } => configuring.validate(source).await,
        Operation::Lock { target } => configuring.lock(target).await,
        Operation::Unlock { target } => configuring.unlock(target).await,
        Operation::KillSession { session_id } => configuring.kill(session_id),
        Operation::PartialUnlock { lock_id } => configuring.partial_unlock(lock_id),
        // The others have been answered.
        _ => Err(vec![invalid("this operation changes nothing")]),
    }
}

/// What a `get-config` reads.
fn requested(
    session: &Session,
    source: Place<'_>,
    filter: Option<Filter<'_>>,
    paging: Option<Element<'_>>,
) -> Result<(Selected, Datastore), RpcError> {
    let datastore = match source {
        Place::Datastore(datastore) => datastore,
        Place::Url(_) => return Err(invalid("a file is read by edit-config, copy-config and validate")),
        Place::Config(_) => return Err(invalid("expected a datastore, found a configuration")),
    };
    let selected = selected(&session.door.models().forest, filter, paging)?;
    Ok((selected.of_configuration(&session.door.models().forest), datastore))
}

/// What of the data a reply has besides the filter's choice, and how.
#[derive(Clone, Copy, Default)]
struct Part {
    pub with_defaults: Option<WithDefaults>,
    /// Of the operational datastore of RFC 8342; otherwise what `get` has.
    pub is_operational: bool,
    /// What of what is selected is written.
    pub narrow: Narrow,
    pub form: Form,
}

/// How a reply is written.
#[derive(Clone, Copy, Default)]
struct Form {
    /// In the namespace of which module `data` is; `None`: of NETCONF.
    pub namespace: Option<&'static str>,
    pub shown: Shown,
}

/// Where data goes.
pub(super) enum Output<'o> {
    /// Into the reply to a request.
    Reply(&'o Rpc),
    /// Into an update of a subscription.
    Update(&'o mut Update),
}

/// An update of a subscription.
#[derive(Default)]
pub(super) struct Update {
    /// What is before the data, and behind it, if it is sent.
    pub around: Option<(Vec<u8>, &'static str)>,
    /// The data, if it is not sent.
    pub gathered: Instances,
    /// Why there is none.
    pub failed: Option<RpcError>,
}

impl Output<'_> {
    async fn refuse(self, session: &mut Session, errors: &[RpcError]) -> Result<Answer, Parted> {
        match self {
            Output::Reply(rpc) => refuse(session, rpc, errors).await,
            Output::Update(update) => {
                update.failed = errors.first().cloned();
                Ok(Answer::Next)
            }
        }
    }

    /// Of an update that is not sent.
    fn gathered(&mut self) -> Option<&mut Instances> {
        match self {
            Output::Update(update) if update.around.is_none() => Some(&mut update.gathered),
            _ => None,
        }
    }
}

/// Sends a configuration.
async fn configuration(
    session: &mut Session,
    output: Output<'_>,
    selected: Selected,
    datastore: Datastore,
    part: Part,
) -> Result<Answer, Parted> {
    let door = session.door.clone();
    let (principal, roots) = (session.principal.as_principal(), selected.roots());
    let config = match configure::readable(&door, principal, datastore, &roots).await {
        Ok(config) => config,
        Err(errors) => return output.refuse(session, &errors).await,
    };
    let shown = configure::with_defaults(&door, principal, &config, part.with_defaults);
    let explicit = part.marks_defaults().then_some(config);
    send(session, output, selected, &ConfigData { config: shown, explicit }, part.form()).await
}

impl Part {
    fn marks_defaults(self) -> bool {
        self.with_defaults == Some(WithDefaults::ReportAllTagged)
    }

    fn form(self) -> Form {
        Form { shown: Shown { defaults: self.marks_defaults(), ..self.form.shown }, ..self.form }
    }
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

/// The reply to `partial-lock` (RFC 5717 section 2.4.1).
async fn partially_locked(
    session: &mut Session,
    rpc: &Rpc,
    id: u32,
    paths: &[Path],
) -> Result<Answer, Parted> {
    let mut octets = Vec::new();
    rpc.begin_reply(&mut octets);
    let mut writer = Writer::new(&mut octets);
    writer.start("lock-id").attribute("xmlns", PARTIAL_LOCK).text(&id.to_string()).end("lock-id");
    for path in paths {
        writer.start("locked-node").attribute("xmlns", PARTIAL_LOCK);
        for (prefix, namespace) in &path.namespaces {
            writer.attribute(&format!("xmlns:{prefix}"), namespace);
        }
        writer.text(if path.text.is_empty() { "/" } else { &path.text }).end("locked-node");
    }
    rpc.end_reply(&mut octets);
    session.answer(&octets).await?;
    Ok(Answer::Next)
}

/// Sends what is there: configuration and state.
async fn operational(
    session: &mut Session,
    output: Output<'_>,
    selected: Selected,
    part: Part,
) -> Result<Answer, Parted> {
    let door = session.door.clone();
    let forest = &door.models().forest;
    let roots = selected.roots();
    let has_configuration = roots.iter().any(|root| forest[*root].place.is_configuration());
    let config = if has_configuration {
        configure::readable(&door, session.principal.as_principal(), Datastore::Running, &roots).await
    } else {
        // Objects of MIB modules are answered without it.
        Ok(Config::default())
    };
    let config = match config {
        Ok(config) => config,
        Err(errors) => return output.refuse(session, &errors).await,
    };
    let (is_operational, session_id) = (part.is_operational, session.place.id);
    // An expression sees all of it.
    let narrow = match selected {
        Selected::Nodes(_) | Selected::Page(..) => part.narrow,
        Selected::Expression(_) => Narrow::default(),
    };
    let shown =
        configure::with_defaults(&door, session.principal.as_principal(), &config, part.with_defaults);
    // What the agent makes itself has the defaults in force, and marks them.
    let (config, with_all) = if part.marks_defaults() { (config, Some(shown)) } else { (shown, None) };
    let defaults = part.with_defaults;
    let own = Own { door: &door, session_id, config, with_all, is_operational, narrow, defaults, base: "" };
    send(session, output, selected, &own, part.form()).await
}

/// `get-data` (RFC 8526). `intended` is `running`: nothing here is inactive or a template.
pub(super) async fn get_data(
    session: &mut Session,
    output: Output<'_>,
    given: GetData<'_>,
) -> Result<Answer, Parted> {
    let GetData { store, filter, config, origins, levels, with_origin, with_defaults, paging } = given;
    let narrow = Narrow { config, origins };
    let selected = match selected(&session.door.models().forest, filter, paging) {
        Ok(selected) => selected.narrowed(&session.door.models().forest, Narrowed { narrow, levels }),
        Err(error) => return output.refuse(session, &[error]).await,
    };
    let mut form = Form { namespace: Some(NMDA), ..Form::default() };
    form.shown.origins = with_origin;
    let part = Part { with_defaults, is_operational: true, narrow, form };
    let datastore = match store {
        Store::Operational => return operational(session, output, selected, part).await,
        Store::Intended => Datastore::Running,
        Store::Of(datastore) => datastore,
    };
    let selected = selected.of_configuration(&session.door.models().forest);
    configuration(session, output, selected, datastore, part).await
}

/// `edit-data`, as the `edit-config` that does the same.
fn edit_of_data(given: EditData<'_>) -> Result<Edit<'_>, Errors> {
    let Store::Of(datastore) = given.store else {
        let message = "this datastore can only be read";
        return Err(vec![RpcError::new(Layer::Protocol, Tag::InvalidValue, message)]);
    };
    Ok(Edit {
        target: Place::Datastore(datastore),
        default_operation: given.default_operation,
        test_option: TestOption::TestThenSet,
        error_option: ErrorOption::RollbackOnError,
        content: given.content,
    })
}

/// Sends what is selected, with the agent's own data from `own`.
async fn send(
    session: &mut Session,
    output: Output<'_>,
    selected: Selected,
    own: &dyn OwnData,
    form: Form,
) -> Result<Answer, Parted> {
    match selected {
        Selected::Nodes(selection) => data(session, output, &selection, own, form).await,
        Selected::Expression(filter) => evaluated(session, output, filter, own, form).await,
        Selected::Page(selection, paging) => page(session, output, &selection, paging, own, form).await,
    }
}

/// Sends a page of a list, with what it is in.
async fn page(
    session: &mut Session,
    output: Output<'_>,
    selection: &Selection,
    paging: Paging,
    own: &dyn OwnData,
    form: Form,
) -> Result<Answer, Parted> {
    session.talk.flush().await?;
    let door = session.door.clone();
    let forest = &door.models().forest;
    let principal = session.principal.as_principal();
    let found = match page::of_filter(&door, principal, selection, paging, own).await {
        Ok(found) => found,
        Err(errors) => return output.refuse(session, &errors).await,
    };
    let page::OfFilter { list, within, found } = found;
    let sublist_limit = list.paging.sublist_limit;
    let writer = PageWriter::new((&found.instances, forest), &found.meta, &within, sublist_limit);
    let mut output = Streamed::begin(output, &door, form, &mut session.wrapping, &mut session.talk);
    output.held = found.instances.memory();
    if !found.page.is_empty() {
        writer.begin(&list.target, &found.page, &mut output.writer);
        for (at, entry) in found.page.iter().enumerate() {
            writer.entry(*entry, at == 0, &mut output.writer);
            if output.is_full() {
                output.flush().await?;
            }
        }
        writer.end(&list.target, &found.page, &mut output.writer);
    }
    output.end().await?;
    Ok(Answer::Next)
}

/// Streams data.
async fn data(
    session: &mut Session,
    mut output: Output<'_>,
    selection: &Selection,
    own: &dyn OwnData,
    form: Form,
) -> Result<Answer, Parted> {
    let door = session.door.clone();
    let forest = &door.models().forest;
    let principal = session.principal.as_principal();
    if let Some(data) = output.gathered() {
        let mut gathered = xpath::Gathered::new(forest);
        return match retrieve(&door, own, principal, selection, &mut gathered).await {
            Ok(()) => {
                *data = gathered.instances;
                Ok(Answer::Next)
            }
            Err(too_large) => output.refuse(session, &[too_large.error()]).await,
        };
    }
    let mut output = Streamed::begin(output, &door, form, &mut session.wrapping, &mut session.talk);
    retrieve(&door, own, principal, selection, &mut output).await?;
    output.end().await?;
    Ok(Answer::Next)
}

/// Writes what the principal may read of a selection.
pub(super) async fn retrieve<S: DataSink>(
    door: &Netconf,
    own: &dyn OwnData,
    principal: Principal<'_>,
    selection: &Selection,
    sink: &mut S,
) -> Result<(), S::Stop> {
    retrieve_from(&Origin::Here, door, own, principal, selection, sink).await
}

/// The same of this machine or of a device.
pub(super) async fn retrieve_from<S: DataSink>(
    origin: &Origin,
    door: &Netconf,
    own: &dyn OwnData,
    principal: Principal<'_>,
    selection: &Selection,
    sink: &mut S,
) -> Result<(), S::Stop> {
    let phases = door.core.phases();
    phases.begin(Phase::Access);
    // Who may read nothing gets nothing, and no error (RFC 8341 section 3.2.4).
    let Some(readable) = origin.readable(door, principal) else { return Ok(()) };
    phases.begin(Phase::Retrieve);
    readable.query(door, own).retrieve(selection, sink).await
}

/// Evaluates an expression and sends what it selects. One is evaluated at a time, and what is not done soon beside the thread that
/// answers others: all together take one processor and the memory of one.
async fn evaluated(
    session: &mut Session,
    mut output: Output<'_>,
    filter: xpath::Filter,
    own: &dyn OwnData,
    form: Form,
) -> Result<Answer, Parted> {
    session.talk.flush().await?;
    let door = session.door.clone();
    let forest = &door.models().forest;
    let principal = session.principal.as_principal();
    let Some(turn) = door.expressions.of(principal.name).await else { return Err(Parted::Closing) };
    let mut gathered = xpath::Gathered::new(forest);
    let found = match retrieve(&door, own, principal, &filter.selection, &mut gathered).await {
        Ok(()) => {
            let (turn, instances) = (turn, gathered.instances);
            session.phase(Phase::Filter);
            match filter.kept(forest, &instances, xpath::LITTLE_WORK) {
                Err(error) if error.tag == Tag::ResourceDenied => {
                    let door = door.clone();
                    let work = move || {
                        let kept = filter.kept(&door.models().forest, &instances, xpath::MOST_WORK);
                        kept.map(|kept| (instances, kept))
                    };
                    let done = xpath::beside(turn, work).await;
                    done.unwrap_or_else(|| Err(invalid("the agent failed on it")))
                }
                kept => kept.map(|kept| (instances, kept)),
            }
        }
        Err(too_large) => {
            drop(turn);
            Err(too_large.error())
        }
    };
    let (instances, kept) = match found {
        Ok(found) => found,
        Err(error) => return output.refuse(session, &[error]).await,
    };
    if let Some(data) = output.gathered() {
        *data = instances.only(forest, &kept);
        return Ok(Answer::Next);
    }
    session.phase(Phase::Encode);
    let mut output = Streamed::begin(output, &door, form, &mut session.wrapping, &mut session.talk);
    output.held = instances.memory();
    let mut open: Vec<(InstanceId, NodeId)> = Vec::new();
    let all = (0_u32..).map(InstanceId).zip(&kept);
    for (id, _) in all.filter(|(_, is_kept)| **is_kept) {
        while let Some((_, node)) = open.pop_if(|(within, _)| instances.end(*within) <= id) {
            output.close(node);
        }
        if let Some(node) = instances.node(id) {
            output.note(instances.annotation(id));
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
    output.end().await?;
    Ok(Answer::Next)
}

/// Data that goes to the peer as it is found.
struct Streamed<'s> {
    writer: DataWriter<'s>,
    wrapping: &'s mut Wrapping,
    talk: &'s mut Talk,
    door: &'s Netconf,
    framed: Vec<u8>,
    /// Octets that are kept until all is sent.
    held: usize,
    /// What is behind the data.
    tail: Vec<u8>,
}

impl<'s> Streamed<'s> {
    fn begin(
        output: Output<'_>,
        door: &'s Netconf,
        form: Form,
        wrapping: &'s mut Wrapping,
        talk: &'s mut Talk,
    ) -> Self {
        let (mut octets, mut tail) = (Vec::with_capacity(4096), Vec::new());
        match output {
            Output::Reply(rpc) => {
                let (declared, prefix) = (form.shown.declarations(), rpc.prefix());
                let (begin, end) = match form.namespace {
                    Some(namespace) => {
                        (format!("<data xmlns=\"{namespace}\"{declared}>"), "</data>".to_owned())
                    }
                    None => (format!("<{prefix}data{declared}>"), format!("</{prefix}data>")),
                };
                rpc.begin_reply(&mut octets);
                octets.extend_from_slice(begin.as_bytes());
                tail.extend_from_slice(end.as_bytes());
                rpc.end_reply(&mut tail);
            }
            Output::Update(update) => {
                if let Some((head, end)) = update.around.take() {
                    octets.extend_from_slice(&head);
                    tail.extend_from_slice(end.as_bytes());
                }
            }
        }
        let mut writer = DataWriter::new(&door.models().forest, octets);
        writer.show(form.shown);
        Streamed { writer, wrapping, talk, door, framed: Vec::new(), held: 0, tail }
    }

    async fn send(&mut self, is_end: bool) -> Result<(), Parted> {
        self.door.core.phases().begin(Phase::Send);
        self.framed.clear();
        if !is_end {
            self.talk.flush().await?;
        }
        let held = self.writer.octets.capacity() + self.held;
        let wrapped = Wrapped { talk: self.talk, wrapping: self.wrapping, shared: self.door.shared() };
        wrapped.part(&self.writer.octets, is_end, held, &mut self.framed)?;
        self.writer.octets.clear();
        match (is_end, self.framed.is_empty()) {
            (true, _) => self.talk.send_soon(std::mem::take(&mut self.framed)).await,
            // What waits to be protected goes on counting.
            (false, true) => Ok(()),
            (false, false) => self.talk.send(&self.framed, held).await,
        }
    }

    async fn end(mut self) -> Result<(), Parted> {
        self.writer.octets.append(&mut self.tail);
        self.send(true).await?;
        self.talk.said();
        Ok(())
    }
}

impl DataSink for Streamed<'_> {
    type Stop = Parted;

    fn note(&mut self, annotation: Annotation) {
        self.writer.note(annotation);
    }

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

    fn writing(&mut self, is_begun: bool) {
        self.door.core.phases().begin(if is_begun { Phase::Encode } else { Phase::Retrieve });
    }

    fn is_full(&self) -> bool {
        self.writer.octets.len() >= FULL
    }

    async fn flush(&mut self) -> Result<(), Parted> {
        self.send(false).await?;
        self.door.core.phases().begin(Phase::Retrieve);
        Ok(())
    }
}

/// Octets that are collected before they are sent: a packet of SSH, and some more.
pub(super) const FULL: usize = 32 << 10;

async fn schema_text(session: &mut Session, rpc: &Rpc, text: &str) -> Result<Answer, Parted> {
    let mut octets = Vec::with_capacity(text.len() + 512);
    rpc.begin_reply(&mut octets);
    Writer::new(&mut octets).start("data").attribute("xmlns", MONITORING).text(text).end("data");
    rpc.end_reply(&mut octets);
    session.answer(&octets).await?;
    Ok(Answer::Next)
}
