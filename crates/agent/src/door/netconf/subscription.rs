//! A subscription to events (RFC 5277 section 2.1, RFC 8639): which of them it is sent, and from when to when.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use trunkline_datastore::Step;
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Info, Layer, RpcError, Tag};
use trunkline_netconf::operation::{Filter, Operation};
use trunkline_netconf::push::refusal::{During, Reason, Refusal};
use trunkline_netconf::push::{Request, Target, Terms};
use trunkline_netconf::rpc::Rpc;
use trunkline_netconf::subtree;
use trunkline_push::message;
use trunkline_tree::Access;
use trunkline_tree::policy::{OwnedActing, Principal, ViewType};
use trunkline_yang::forest::Forest;
use trunkline_yang::instances::{InstanceId, Instances};
use trunkline_yang::selection::Within;

use super::event::{About, Event, of_stream};
use super::events::STREAM;
use super::{Netconf, permission, xpath};
use trunkline_core::wanted_within;

/// What a session is sent of the stream.
pub(super) struct Subscription {
    /// The request: it has the filter.
    rpc: Rpc,
    /// The number of the next event.
    next: u64,
    /// Before which number events are replayed; `None` once the subscriber knows the end, or if there is no replay.
    replay: Option<u64>,
    stop: Option<SystemTime>,
    form: Form,
    /// Messages that come first.
    first: Vec<Vec<u8>>,
    /// The role that it is on behalf of.
    pub acting: Option<OwnedActing>,
    /// Events that the filter left out.
    pub excluded: u64,
    news: watch::Receiver<u64>,
}

/// What messages look like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Xml,
    Json,
    /// XML, and what happens to the subscription with this number as RFC 8639 has it.
    Numbered(u32),
}

/// What is to be sent next.
pub(super) enum Next {
    Message(Vec<u8>),
    /// The last message.
    Last(Vec<u8>),
    /// Nothing yet.
    Wait,
}

impl Subscription {
    /// What a `create-subscription` or an `establish-subscription` asks for.
    ///
    /// # Errors
    /// It asks for what cannot be.
    pub fn of(rpc: Rpc, door: &Netconf, form: Form) -> Result<Subscription, Box<(Rpc, RpcError)>> {
        match Self::times(&rpc, door) {
            Ok((start, stop)) => {
                let news = door.events.watch();
                let now = door.events.next();
                let next = start.map_or(now, |start| door.events.from(start));
                let (replay, first) = (start.map(|_| now), Vec::new());
                Ok(Subscription { rpc, next, replay, stop, form, first, acting: None, excluded: 0, news })
            }
            Err(error) => Err(Box::new((rpc, error))),
        }
    }

    /// The same on behalf of a role.
    pub fn acting(self, acting: Option<OwnedActing>) -> Self {
        Subscription { acting, ..self }
    }

    /// From when to when.
    fn times(rpc: &Rpc, door: &Netconf) -> Result<(Option<SystemTime>, Option<SystemTime>), RpcError> {
        let (stream, start, stop, is_numbered) = match Operation::read(rpc.operation())? {
            Operation::CreateSubscription { stream, start, stop, .. } => (stream, start, stop, false),
            Operation::Subscription(Request::Establish(Terms {
                target: Target::Stream { name, replay },
                stop,
                ..
            })) => (name, replay, stop, true),
            _ => return Err(RpcError::new(Layer::Protocol, Tag::OperationFailed, "not a subscription")),
        };
        let bad = |name: &str, message: &str| match is_numbered {
            // RFC 7950 section 8.3.1, and RFC 5277 section 2.1.1.
            true => RpcError::new(Layer::Application, Tag::InvalidValue, format!("{name}: {message}")),
            false => bad(name, message.to_owned()),
        };
        if let Some(other) = stream.filter(|name| *name != STREAM) {
            let message = format!("there is no stream {other}: the only one is {STREAM}");
            return Err(bad("stream", &message));
        }
        // A wrong filter is refused now.
        check(rpc, door)?;
        let (from, to) = (time(start)?, time(stop)?);
        if from.is_some_and(|from| from > SystemTime::now()) {
            let name = if is_numbered { "replay-start-time" } else { "startTime" };
            return Err(bad(name, "a replay begins in the past"));
        }
        match (from, to) {
            (None, Some(to)) if is_numbered && to > SystemTime::now() => Ok((None, Some(to))),
            (None, Some(_)) if is_numbered => Err(bad("stop-time", "this time has passed")),
            (None, Some(_)) => Err(RpcError::missing_element(
                Layer::Protocol,
                "startTime",
                "create-subscription with stopTime",
            )),
            (Some(from), Some(to)) if to < from => {
                let name = if is_numbered { "stop-time" } else { "stopTime" };
                Err(bad(name, "it is earlier than the begin"))
            }
            both => Ok(both),
        }
    }

    /// How long it is there yet, if it has an end.
    pub fn left(&self) -> Option<Duration> {
        self.stop.map(|stop| stop.duration_since(SystemTime::now()).unwrap_or_default())
    }

    /// Takes another filter or another end.
    ///
    /// # Errors
    /// The filter is wrong, or the end has passed.
    pub fn modify(&mut self, rpc: Rpc, door: &Netconf) -> Result<(), Box<(Rpc, RpcError)>> {
        let stop = match Operation::read(rpc.operation()) {
            Ok(Operation::Subscription(Request::Modify { terms, .. })) => {
                check(&rpc, door).and_then(|()| trunkline_push::stop_time(terms.stop, SystemTime::now()))
            }
            Ok(_) => Ok(None),
            Err(error) => Err(error),
        };
        match stop {
            Ok(stop) => {
                self.stop = stop.or(self.stop);
                if filter_of(&rpc).is_some() {
                    self.rpc = rpc;
                }
                Ok(())
            }
            Err(error) => Err(Box::new((rpc, error))),
        }
    }

    /// What the end of a replay and of the subscription is: for the subscriber alone.
    fn of_stream(&self, name: &str) -> Vec<u8> {
        let now = SystemTime::now();
        match (self.form, name) {
            (Form::Numbered(id), "replayComplete") => message::state(now, "replay-completed", id, None),
            (Form::Numbered(id), _) => ended(id),
            (form, name) => of_stream(name, form == Form::Json),
        }
    }

    /// Waits until there may be something to send.
    pub async fn wake(&mut self) {
        let left = self.left();
        let stop = async {
            match left {
                Some(left) => tokio::time::sleep(left).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = self.news.changed() => if changed.is_err() { std::future::pending().await },
            () = stop => {}
        }
    }

    /// What is to be sent next to a session.
    pub async fn next(&mut self, door: &Netconf, session_id: u32, principal: Principal<'_>) -> Next {
        self.news.mark_unchanged();
        let models = door.models();
        loop {
            if let Some(first) = self.first.pop() {
                return Next::Message(first);
            }
            let now = SystemTime::now();
            if self.replay.is_some_and(|end| self.next >= end) {
                self.replay = None;
                return Next::Message(self.of_stream("replayComplete"));
            }
            let found = door.events.at(self.next);
            let is_last = match &found {
                Some((_, event)) => self.stop.is_some_and(|stop| event.time > stop),
                None => self.stop.is_some_and(|stop| stop <= now),
            };
            if is_last {
                // The replay ends with the subscription, though the log has more (RFC 5277 section 2.1.1).
                if self.replay.take().is_some() {
                    return Next::Message(self.of_stream("replayComplete"));
                }
                return Next::Last(self.of_stream("notificationComplete"));
            }
            let Some((number, event)) = found else { return Next::Wait };
            // It learns that it was too slow, if it can be told that.
            if let (Form::Numbered(id), true) = (self.form, number > self.next) {
                self.next = number;
                let reason = Some(Reason::UnsupportableVolume);
                self.first.push(message::state(now, "subscription-resumed", id, None));
                return Next::Message(message::state(now, "subscription-suspended", id, reason));
            }
            self.next = number + 1;
            let Some(access) = may_see(door, principal, session_id, &event) else {
                door.denials.notification();
                continue;
            };
            // A filter may take some work, and others wait.
            tokio::task::yield_now().await;
            let may_tell = |steps: &[Step]| permission::may_read(&models.forest, steps, &access);
            // What its subscriber may not see decides nothing.
            if self.wants(&event.seen(&models.events, may_tell), &models.events) {
                return Next::Message(self.write(&event, door, may_tell));
            }
            self.excluded += 1;
        }
    }

    fn write(&self, event: &Event, door: &Netconf, may_tell: impl Fn(&[Step]) -> bool) -> Vec<u8> {
        let models = door.models();
        match self.form {
            Form::Json => event.write_json(&models.events, &models.forest, may_tell),
            Form::Xml | Form::Numbered(_) => event.write(&models.events, &models.forest, may_tell),
        }
    }

    fn wants(&self, seen: &Instances, forest: &Forest) -> bool {
        filter_of(&self.rpc).is_none_or(|filter| passes(filter, forest, seen).unwrap_or(false))
    }
}

/// The filter of a request.
fn filter_of(rpc: &Rpc) -> Option<Filter<'_>> {
    match Operation::read(rpc.operation()) {
        Ok(Operation::CreateSubscription { filter, .. }) => filter,
        Ok(Operation::Subscription(request)) => request.filter(),
        _ => None,
    }
}

/// Refuses a wrong filter.
fn check(rpc: &Rpc, door: &Netconf) -> Result<(), RpcError> {
    let Some(filter) = filter_of(rpc) else { return Ok(()) };
    let during = match Operation::read(rpc.operation()) {
        Ok(Operation::Subscription(Request::Modify { .. })) => Some(During::Modify),
        Ok(Operation::Subscription(_)) => Some(During::Establish),
        _ => None,
    };
    passes(filter, &door.models().events, &Instances::new()).map(drop).map_err(|error| match during {
        Some(during) => Refusal::of_filter(&error).during(during, false),
        None => error,
    })
}

/// The last message of a subscription that somebody or its time has ended.
pub(super) fn ended(id: u32) -> Vec<u8> {
    let reason = Some(Reason::NoSuchSubscription);
    message::state(SystemTime::now(), "subscription-terminated", id, reason)
}

/// The access of a subscriber that may see an event. A notification of a MIB module needs a `notify` view of all that is in it; sessions
/// and changes are for those who may read the names of principals, and for the session itself.
fn may_see(door: &Netconf, principal: Principal<'_>, session_id: u32, event: &Event) -> Option<Arc<Access>> {
    let access = |view| permission::access(door, principal, view);
    match &event.about {
        About::Objects { name, told, context } => {
            let notify = access(ViewType::Notify)?;
            let may =
                context.is_empty() && notify.may_notify_all(name, told.iter().map(|it| &it[..])).is_ok();
            may.then_some(notify)
        }
        About::Session(id) => {
            access(ViewType::Read).filter(|access| *id == session_id || permission::sees_names(access))
        }
        About::Config { by, .. } => {
            access(ViewType::Read).filter(|access| *by == Some(session_id) || permission::sees_names(access))
        }
    }
}

/// Whether a filter selects something of an event.
fn passes(filter: Filter<'_>, forest: &Forest, instances: &Instances) -> Result<bool, RpcError> {
    match filter {
        Filter::Subtree(element) => {
            let selection = subtree::compile(element, forest)?;
            let within = Within::Nodes(selection);
            Ok(instances.children(Instances::ROOT).any(|id| selects(&within, forest, instances, id)))
        }
        Filter::XPath { select, element } => {
            let filter = xpath::Filter::of(select, element, forest)?;
            let kept = filter.kept(forest, instances, xpath::LITTLE_WORK)?;
            Ok(kept.into_iter().any(|is_kept| is_kept))
        }
    }
}

/// Whether something of an instance is wanted.
fn selects(within: &Within, forest: &Forest, instances: &Instances, id: InstanceId) -> bool {
    let Some(wanted) = instances.node(id).and_then(|node| within.of(node)) else { return false };
    wanted_within(forest, instances, id, wanted).is_some_and(|within| match within {
        Within::All => true,
        within => instances.children(id).any(|child| selects(&within, forest, instances, child)),
    })
}

fn time(element: Option<Element<'_>>) -> Result<Option<SystemTime>, RpcError> {
    element.map(trunkline_push::time).transpose()
}

fn bad(name: &str, message: String) -> RpcError {
    RpcError::new(Layer::Protocol, Tag::BadElement, message).with(Info::BadElement(name.to_owned()))
}
