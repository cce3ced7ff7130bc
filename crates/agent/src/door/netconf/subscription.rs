//! The subscription of a session (RFC 5277 section 2.1): which events it is sent, and from when to when.

use std::sync::Arc;
use std::time::SystemTime;

use chrono::DateTime;
use tokio::sync::watch;
use trunkline_datastore::Step;
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Info, Layer, RpcError, Tag};
use trunkline_netconf::operation::{Filter, Operation};
use trunkline_netconf::rpc::Rpc;
use trunkline_netconf::subtree;
use trunkline_tree::Access;
use trunkline_tree::policy::{Principal, ViewType};
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
    /// Whether messages are JSON.
    is_json: bool,
    news: watch::Receiver<u64>,
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
    /// What a `create-subscription` asks for.
    ///
    /// # Errors
    /// It asks for what cannot be.
    pub fn of(rpc: Rpc, door: &Netconf, is_json: bool) -> Result<Subscription, Box<(Rpc, RpcError)>> {
        match Self::times(&rpc, door) {
            Ok((start, stop)) => {
                let news = door.events.watch();
                let now = door.events.next();
                let next = start.map_or(now, |start| door.events.from(start));
                Ok(Subscription { rpc, next, replay: start.map(|_| now), stop, is_json, news })
            }
            Err(error) => Err(Box::new((rpc, error))),
        }
    }

    /// From when to when.
    fn times(rpc: &Rpc, door: &Netconf) -> Result<(Option<SystemTime>, Option<SystemTime>), RpcError> {
        let Operation::CreateSubscription { stream, filter, start, stop } = Operation::read(rpc.operation())?
        else {
            return Err(RpcError::new(Layer::Protocol, Tag::OperationFailed, "not a subscription"));
        };
        if let Some(other) = stream.filter(|name| *name != STREAM) {
            let message = format!("there is no stream {other}: the only one is {STREAM}");
            return Err(bad("stream", message));
        }
        // A wrong filter is refused now.
        if let Some(filter) = filter {
            passes(filter, &door.models().events, &Instances::new())?;
        }
        let (from, to) = (time(start)?, time(stop)?);
        if from.is_some_and(|from| from > SystemTime::now()) {
            return Err(bad("startTime", "a replay begins in the past".into()));
        }
        match (from, to) {
            (None, Some(_)) => Err(RpcError::missing_element(
                Layer::Protocol,
                "startTime",
                "create-subscription with stopTime",
            )),
            (Some(from), Some(to)) if to < from => {
                Err(bad("stopTime", "it is earlier than startTime".into()))
            }
            both => Ok(both),
        }
    }

    /// Waits until there may be something to send.
    pub async fn wake(&mut self) {
        let left = self.stop.map(|stop| stop.duration_since(SystemTime::now()).unwrap_or_default());
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
            let now = SystemTime::now();
            if let Some(end) = self.replay {
                let is_over = self.stop.is_some_and(|stop| stop <= now);
                if self.next >= end && !is_over {
                    self.replay = None;
                    return Next::Message(of_stream("replayComplete", self.is_json));
                }
            }
            let found = door.events.at(self.next);
            let is_last = match &found {
                Some((_, event)) => self.stop.is_some_and(|stop| event.time > stop),
                None => self.stop.is_some_and(|stop| stop <= now),
            };
            if is_last {
                return Next::Last(of_stream("notificationComplete", self.is_json));
            }
            let Some((number, event)) = found else { return Next::Wait };
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
        }
    }

    fn write(&self, event: &Event, door: &Netconf, may_tell: impl Fn(&[Step]) -> bool) -> Vec<u8> {
        let models = door.models();
        match self.is_json {
            true => event.write_json(&models.events, &models.forest, may_tell),
            false => event.write(&models.events, &models.forest, may_tell),
        }
    }

    fn wants(&self, seen: &Instances, forest: &Forest) -> bool {
        match Operation::read(self.rpc.operation()) {
            Ok(Operation::CreateSubscription { filter: Some(filter), .. }) => {
                passes(filter, forest, seen).unwrap_or(false)
            }
            _ => true,
        }
    }
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
    let Some(element) = element else { return Ok(None) };
    match DateTime::parse_from_rfc3339(element.value().trim()) {
        Ok(time) => Ok(Some(time.into())),
        Err(_) => Err(bad(
            element.name(),
            format!("expected a time such as 2026-11-25T10:00:00Z, found {}", element.value()),
        )),
    }
}

fn bad(name: &str, message: String) -> RpcError {
    RpcError::new(Layer::Protocol, Tag::BadElement, message).with(Info::BadElement(name.to_owned()))
}
