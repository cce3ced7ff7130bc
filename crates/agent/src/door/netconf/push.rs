//! What a session has subscribed to by RFC 8639: events, and data (RFC 8641). Data is read and sent as for `get-data`; when, and what
//! of it, says the room `push`.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{Notify, watch};
use trunkline_netconf::SUBSCRIBED;
use trunkline_netconf::data::DataWriter;
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_netconf::nmda::{GetData, Store};
use trunkline_netconf::operation::{Filter, Operation};
use trunkline_netconf::push::changes::{ChangeWriter, Walk, is_noticed};
use trunkline_netconf::push::refusal::{During, Reason, Refusal};
use trunkline_netconf::push::{Request, Target, Terms, Trigger};
use trunkline_netconf::rpc::Rpc;
use trunkline_push::{Data, DataPush, Found, Looked, Now, Place, comparable, message, subscribable};
use trunkline_transport::talk::Parted;
use trunkline_tree::policy::OwnedActing;
use trunkline_xml::Writer;
use trunkline_yang::instances::Instances;

use super::Netconf;
use super::reply::{self, FULL, Output, Update, get_data};
use super::selected::selected;
use super::session::Session;
use super::subscription::{Form, Next, Subscription, ended};
use trunkline_wrapping::Sealing;

/// All that a session has.
pub(super) struct Pushes {
    all: Vec<Push>,
    /// Events show that something may have changed.
    news: watch::Receiver<u64>,
    /// Somebody else has ended one.
    woken: Arc<Notify>,
}

struct Push {
    place: Place,
    /// The role that it is on behalf of.
    acting: Option<OwnedActing>,
    /// How what it is sent is protected.
    sealing: Option<Sealing>,
    kind: Kind,
}

enum Kind {
    Events(Box<Subscription>),
    Data(Box<DataPush>),
}

/// Why a request is refused, with the request.
type Refused = Box<(Rpc, RpcError)>;

impl Pushes {
    pub fn new(door: &Netconf) -> Self {
        Pushes { all: Vec::new(), news: door.events.watch(), woken: Arc::default() }
    }

    pub const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Waits until there may be something to send.
    pub async fn wake(&mut self) {
        let now = now();
        let rest = self.all.iter().filter_map(|push| match &push.kind {
            Kind::Events(events) => events.left(),
            Kind::Data(data) => Some(data.rest(now)),
        });
        let rest = rest.min().unwrap_or(Duration::MAX);
        if self.all.is_empty() {
            std::future::pending::<()>().await;
        }
        tokio::select! {
            () = tokio::time::sleep(rest) => {}
            _ = self.news.changed() => {}
            () = self.woken.notified() => {}
        }
    }

    fn position(&self, id: u32) -> Option<usize> {
        self.all.iter().position(|push| push.place.id == id)
    }
}

/// RFC 8640 section 4.
pub(super) fn not_both(has: &str, asks: &str) -> RpcError {
    let message = format!("this session has used {has}: use {asks} in another one");
    RpcError::new(Layer::Application, Tag::OperationNotSupported, message)
}

/// Carries out a request about subscriptions, and answers it.
pub(super) async fn request(session: &mut Session, rpc: Rpc) -> Result<(), Parted> {
    // The request is kept with the subscription.
    let (mut octets, mut tail) = (Vec::new(), Vec::new());
    rpc.begin_reply(&mut octets);
    rpc.end_reply(&mut tail);
    let ok = format!("<{}ok/>", rpc.prefix());
    let done = match Operation::read(rpc.operation()) {
        Ok(Operation::Subscription(Request::Establish(_))) if session.is_subscribed() => {
            Err(Box::new((rpc, not_both("create-subscription", "establish-subscription"))))
        }
        Ok(Operation::Subscription(Request::Establish(_))) => {
            establish(session, rpc).await?.map(|content| octets.extend_from_slice(&content))
        }
        other => {
            let done = match other {
                Ok(Operation::Subscription(Request::Modify { id, .. })) => {
                    return modify(session, rpc, id).await;
                }
                Ok(Operation::Subscription(request)) => session.carry_out(&request),
                _ => Err(RpcError::new(Layer::Protocol, Tag::OperationFailed, "not about subscriptions")),
            };
            done.map(|()| octets.extend_from_slice(ok.as_bytes())).map_err(|error| Box::new((rpc, error)))
        }
    };
    match done {
        Ok(()) => {
            octets.append(&mut tail);
            session.talk.may_be_silent(!session.pushes.is_empty());
            session.answer(&octets).await
        }
        Err(refused) => refuse(session, refused).await,
    }
}

async fn refuse(session: &mut Session, refused: Refused) -> Result<(), Parted> {
    let (rpc, error) = *refused;
    reply::refuse(session, &rpc, &[error]).await.map(drop)
}

impl Session {
    /// Requests that only name a subscription.
    fn carry_out(&mut self, request: &Request<'_>) -> Result<(), RpcError> {
        match *request {
            Request::Delete { id } => {
                let at = self.pushes.position(id).ok_or_else(|| unknown(id, During::Delete))?;
                self.pushes.all.remove(at);
                Ok(())
            }
            Request::Kill { id } => {
                self.configuring().map_err(|errors| errors.into_iter().next().unwrap_or_else(denied))?;
                let is_killed = self.door.subscriptions.kill(id);
                is_killed.then_some(()).ok_or_else(|| unknown(id, During::Delete))
            }
            Request::Resync { id } => {
                let found = self.pushes.position(id).map(|at| &mut self.pushes.all[at].kind);
                match found {
                    Some(Kind::Data(data)) => data.resync(now()),
                    _ => Err(unknown(id, During::Resync)),
                }
            }
            Request::Establish(_) | Request::Modify { .. } => Ok(()),
        }
    }
}

fn denied() -> RpcError {
    RpcError::new(Layer::Protocol, Tag::AccessDenied, "there is no right to end subscriptions of others")
}

fn unknown(id: u32, during: During) -> RpcError {
    let reason = match during {
        During::Resync => Reason::NoSuchSubscriptionResync,
        _ => Reason::NoSuchSubscription,
    };
    Refusal::new(reason, format!("this session has no subscription {id}")).during(during, false)
}

/// The content of the reply.
async fn establish(session: &mut Session, rpc: Rpc) -> Result<Result<Vec<u8>, Refused>, Parted> {
    let terms = match Operation::read(rpc.operation()) {
        Ok(Operation::Subscription(Request::Establish(terms))) => terms,
        Ok(_) => return Ok(Err(Box::new((rpc, denied())))),
        Err(error) => return Ok(Err(Box::new((rpc, error)))),
    };
    let is_of_data = matches!(terms.target, Target::Datastore { .. });
    let woken = session.pushes.woken.clone();
    let (id, name) = (session.place.id, session.place.member.name.clone());
    let opened = session.door.subscriptions.open(id, &name, Arc::new(move || woken.notify_one()));
    let place = match opened {
        Ok(_) if rpc.memory() > MOST_REQUEST => {
            let message = format!(
                "a request for a subscription has at most {MOST_REQUEST} octets: use a shorter filter"
            );
            Err(Refusal::new(Reason::InsufficientResources, message))
        }
        opened => opened,
    };
    let mut place = match place {
        Ok(place) => place,
        Err(refusal) => return Ok(Err(Box::new((rpc, refusal.during(During::Establish, is_of_data))))),
    };
    describe(&place, &terms);
    let mut content = Vec::new();
    let mut writer = Writer::new(&mut content);
    writer.start("id").attribute("xmlns", SUBSCRIBED).text(&place.id.to_string()).end("id");
    let kind = match terms.target {
        Target::Stream { replay, .. } => {
            let log = session.door.events.since(session.door.models().since);
            let start = replay.and_then(|replay| trunkline_push::time(replay).ok());
            if start.is_some_and(|start| start < log) {
                writer.start("replay-start-time-revision").attribute("xmlns", SUBSCRIBED);
                writer.text(&message::date(log)).end("replay-start-time-revision");
            }
            let form = Form::Numbered(place.id);
            Subscription::of(rpc, &session.door, form).map(|it| Kind::Events(Box::new(it)))
        }
        Target::Datastore { store, trigger } => {
            let is_on_change = matches!(trigger, Some(Trigger::OnChange(_)));
            let first = first(session, store, terms.filter, is_on_change, During::Establish).await?;
            let first = match first.and_then(|first| kept(&mut place, first, During::Establish)) {
                Ok(first) => first,
                Err(error) => return Ok(Err(Box::new((rpc, error)))),
            };
            DataPush::establish(rpc, now(), first).map(|it| Kind::Data(Box::new(it)))
        }
    };
    Ok(kind.map(|kind| {
        let acting = session.principal.acting.clone();
        let sealing = session.wrapping.sealing.clone().map(Sealing::for_notifications);
        session.pushes.all.push(Push { place, acting, sealing, kind });
        content
    }))
}

/// What others may read of it.
fn describe(place: &Place, terms: &Terms<'_>) {
    let mut about = place.member.about();
    match terms.target {
        Target::Stream { name, replay } => {
            about.leaves.extend(name.map(|name| ("stream", name.to_owned())));
            about.leaves.extend(replay.map(|it| ("replay-start-time", it.value().trim().to_owned())));
            about.set_terms(terms, "stream-xpath-filter");
        }
        Target::Datastore { store, trigger } => {
            if about.leaves.is_empty()
                && let Some((name, _)) = Store::WORDS.iter().find(|(_, it)| *it == store)
            {
                about.leaves.push(("datastore", format!("ds:{name}")));
            }
            about.set_terms(terms, "datastore-xpath-filter");
            trigger.iter().for_each(|trigger| about.set_trigger(trigger));
        }
    }
}

/// Checks a filter; the data of a subscription on change at its begin.
async fn first(
    session: &mut Session,
    store: Store,
    filter: Option<Filter<'_>>,
    is_on_change: bool,
    during: During,
) -> Result<Found, Parted> {
    if let Err(error) = subscribable(store, during) {
        return Ok(Err(error));
    }
    let refusal = match selected(&session.door.models().forest, filter, None) {
        Err(error) => Some(Refusal::of_filter(&error)),
        Ok(selected) => {
            let forest = &session.door.models().forest;
            let selected =
                if store == Store::Operational { selected } else { selected.of_configuration(forest) };
            let selection = selected.selection();
            if selection.nodes.is_empty() {
                let message = "the filter selects nothing that this datastore can have";
                Some(Refusal::new(Reason::UnchangingSelection, message))
            } else if is_on_change && !is_noticed(forest, selection) {
                let message = "what the filter selects counts, or is a clock: subscribe with a period";
                Some(Refusal::new(Reason::OnChangeUnsupported, message))
            } else {
                None
            }
        }
    };
    Ok(match refusal {
        Some(refusal) => Err(refusal.during(during, true)),
        None if is_on_change => comparable(gather(session, store, filter).await?, during),
        None => Ok(Instances::new()),
    })
}

/// What a subscription on change compares with, if there is room to keep it: a session may not come to its first update for long.
fn kept(place: &mut Place, first: Instances, during: During) -> Found {
    if place.keep(first.memory()) {
        return Ok(first);
    }
    let refusal = Refusal::new(Reason::InsufficientResources, FULL_OF_DATA);
    Err(refusal.during(during, true))
}

/// Why nothing more is kept.
const FULL_OF_DATA: &str = "the subscriptions of all sessions keep too much data";

/// The data in memory.
async fn gather(session: &mut Session, store: Store, filter: Option<Filter<'_>>) -> Result<Found, Parted> {
    let mut update = Update::default();
    get_data(session, Output::Update(&mut update), GetData::of(store, filter)).await?;
    Ok(update.failed.map_or(Ok(update.gathered), Err))
}

async fn modify(session: &mut Session, rpc: Rpc, id: u32) -> Result<(), Parted> {
    let Some(at) = session.pushes.position(id) else {
        return refuse(session, Box::new((rpc, unknown(id, During::Modify)))).await;
    };
    let mut push = session.pushes.all.remove(at);
    let mut octets = Vec::new();
    rpc.ok(&mut octets);
    let acting = std::mem::replace(&mut session.principal.acting, push.acting.clone());
    let done = push.modify(session, rpc).await?;
    session.principal.acting = acting;
    session.pushes.all.insert(at, push);
    match done {
        Ok(()) => session.answer(&octets).await,
        Err(refused) => refuse(session, refused).await,
    }
}

impl Push {
    async fn modify(&mut self, session: &mut Session, rpc: Rpc) -> Result<Result<(), Refused>, Parted> {
        let Ok(Operation::Subscription(Request::Modify { terms, .. })) = Operation::read(rpc.operation())
        else {
            return Ok(Err(Box::new((rpc, denied()))));
        };
        let about = self.place.member.about().clone();
        describe(&self.place, &terms);
        let done = match &mut self.kind {
            Kind::Events(events) => events.modify(rpc, &session.door),
            Kind::Data(data) => {
                let mut known = None;
                if terms.filter.is_some() {
                    let (store, is_on_change) = (data.store, data.is_on_change());
                    let first = first(session, store, terms.filter, is_on_change, During::Modify).await?;
                    match first.and_then(|first| kept(&mut self.place, first, During::Modify)) {
                        Ok(first) => known = Some(first),
                        Err(error) => {
                            *self.place.member.about() = about;
                            return Ok(Err(Box::new((rpc, error))));
                        }
                    }
                }
                data.modify(rpc, now(), known)
            }
        };
        if done.is_err() {
            *self.place.member.about() = about;
        }
        Ok(done)
    }
}

/// Sends what is due.
pub(super) async fn act(session: &mut Session) -> Result<(), Parted> {
    let has_news = session.pushes.news.has_changed().unwrap_or(false);
    session.pushes.news.mark_unchanged();
    let mut all = std::mem::take(&mut session.pushes.all);
    let mut at = 0;
    while let Some(push) = all.get_mut(at) {
        if has_news && let Kind::Data(data) = &mut push.kind {
            data.news(now());
        }
        if !session.can_tell(push.sealing.as_ref(), Some(push.place.id)) {
            all.remove(at);
            continue;
        }
        session.principal.acting.clone_from(&push.acting);
        session.wrapping.sealing.clone_from(&push.sealing);
        if push.act(session).await? {
            at += 1;
        } else {
            all.remove(at);
        }
    }
    session.talk.may_be_silent(!all.is_empty() || session.is_subscribed());
    session.pushes.all = all;
    Ok(())
}

impl Push {
    /// Whether it goes on.
    async fn act(&mut self, session: &mut Session) -> Result<bool, Parted> {
        let Push { place, kind, .. } = self;
        if place.is_killed() || matches!(kind, Kind::Data(data) if data.is_over(now())) {
            tell(session, place, &ended(place.id)).await?;
            return Ok(false);
        }
        match kind {
            Kind::Events(events) => loop {
                let (door, principal) = (session.door.clone(), session.principal.clone());
                let next = events.next(&door, session.place.id, principal.as_principal()).await;
                place.member.excluded.store(events.excluded, std::sync::atomic::Ordering::Relaxed);
                match next {
                    Next::Message(message) => tell(session, place, &message).await?,
                    Next::Last(message) => {
                        tell(session, place, &message).await?;
                        return Ok(false);
                    }
                    Next::Wait => return Ok(true),
                }
            },
            Kind::Data(data) if !data.is_due(now()) => Ok(true),
            Kind::Data(data) if data.is_on_change() => look(session, place, data).await.map(|()| true),
            Kind::Data(data) => periodic(session, place, data).await.map(|()| true),
        }
    }
}

/// A whole message.
async fn tell(session: &mut Session, place: &Place, message: &[u8]) -> Result<(), Parted> {
    session.count(|counts| &counts.notifications);
    place.member.count();
    session.answer(message).await
}

/// A periodic update, streamed.
async fn periodic(session: &mut Session, place: &Place, data: &mut DataPush) -> Result<(), Parted> {
    let wall = SystemTime::now();
    let around = Some((message::begin_update(wall, place.id), message::end_update(false)));
    let mut update = Update { around, ..Update::default() };
    if let Ok(terms) = data.terms() {
        get_data(session, Output::Update(&mut update), GetData::of(data.store, terms.filter)).await?;
    }
    if let Some(error) = update.failed {
        tracing::debug!(subscription = place.id, %error, "an update is incomplete");
        let mut octets = message::begin_update(wall, place.id);
        octets.extend_from_slice(message::end_update(true).as_bytes());
        tell(session, place, &octets).await?;
    } else {
        session.count(|counts| &counts.notifications);
        place.member.count();
    }
    data.sent(now());
    Ok(())
}

/// Sends what has changed.
async fn look(session: &mut Session, place: &mut Place, data: &mut DataPush) -> Result<(), Parted> {
    let begun = Instant::now();
    let (store, mut found) = (data.store, Ok(Instances::new()));
    if let Ok(terms) = data.terms() {
        found = gather(session, store, terms.filter).await?;
    }
    if let Ok(instances) = &found
        && !place.keep(instances.memory())
    {
        found = Err(RpcError::new(Layer::Application, Tag::OperationFailed, FULL_OF_DATA));
    }
    let door = session.door.clone();
    let forest = &door.models().forest;
    let Looked { first, data: send } = data.looked(forest, now(), begun.elapsed(), place.id, found);
    place.member.about().is_suspended = data.is_suspended();
    if let Some(first) = first {
        tell(session, place, &first).await?;
    }
    let Some(known) = data.known() else { return Ok(()) };
    let (wall, held) = (SystemTime::now(), FULL);
    match send {
        Data::Nothing => return Ok(()),
        Data::Whole => {
            let mut writer = DataWriter::new(forest, message::begin_update(wall, place.id));
            let mut walk = Walk::of(known, Instances::ROOT);
            while walk.fill(&mut writer, FULL) {
                session.part(&mut writer.octets, false, held).await?;
            }
            writer.octets.extend_from_slice(message::end_update(false).as_bytes());
            session.part(&mut writer.octets, true, held).await?;
        }
        Data::Changes { before, edits, patch } => {
            let numbers = (place.id, patch);
            let mut writer =
                ChangeWriter::begin(forest, message::begin(wall), numbers, (&before, known), edits);
            while writer.fill(FULL) {
                session.part(writer.octets(), false, held).await?;
            }
            writer.octets().extend_from_slice(message::END);
            session.part(writer.octets(), true, held).await?;
        }
    }
    session.count(|counts| &counts.notifications);
    place.member.count();
    Ok(())
}

fn now() -> Now {
    Now { wall: SystemTime::now(), instant: Instant::now() }
}

/// Octets of a request that a subscription keeps.
const MOST_REQUEST: usize = 256 << 10;
