//! Subscriptions (RFC 8639), also to datastores (RFC 8641), over NETCONF (RFC 8640), for both ends: here what a client requests.
//! [`refusal`] is why it is refused, [`schedule`] when an update is due, [`changes`] what has changed since the last one, as a patch,
//! [`establish`] is how a client requests one, and [`update`] what a client reads of an update.

pub mod changes;
pub mod establish;
pub mod refusal;
pub mod schedule;
pub mod update;

use crate::document::Element;
use crate::error::{Info, Layer, RpcError, Tag};
use crate::nmda::Store;
use crate::operation::{Filter, Parameters};
use crate::{PUSH, SUBSCRIBED};

use self::changes::{Excluded, Operation};
use self::refusal::{During, Reason, Refusal};

/// An operation on subscriptions.
#[allow(missing_docs, reason = "the fields are the RFCs' parameters, by their names")]
#[derive(Clone, Copy, Debug)]
pub enum Request<'d> {
    /// `establish-subscription`.
    Establish(Terms<'d>),
    /// `modify-subscription`.
    Modify { id: u32, terms: Terms<'d> },
    /// `delete-subscription`.
    Delete { id: u32 },
    /// `kill-subscription`.
    Kill { id: u32 },
    /// `resync-subscription` (RFC 8641 section 5).
    Resync { id: u32 },
}

/// What is subscribed to.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'d> {
    /// Events or data.
    pub target: Target<'d>,
    /// What of it. Of a modification, `None`: as before.
    pub filter: Option<Filter<'d>>,
    /// `stop-time`.
    pub stop: Option<Element<'d>>,
}

/// Events or data.
#[allow(missing_docs, reason = "the fields are the RFCs' parameters, by their names")]
#[derive(Clone, Copy, Debug)]
pub enum Target<'d> {
    /// A stream of events. Of a modification, the name is not repeated.
    Stream { name: Option<&'d str>, replay: Option<Element<'d>> },
    /// A datastore. Of a modification, `trigger` may be absent: as before.
    Datastore { store: Store, trigger: Option<Trigger<'d>> },
}

/// When data is sent.
#[allow(missing_docs, reason = "the fields are the RFCs' parameters, by their names")]
#[derive(Clone, Copy, Debug)]
pub enum Trigger<'d> {
    /// Again and again: `period` in hundredths of a second.
    Periodic { period: u32, anchor: Option<Element<'d>> },
    /// When it changes.
    OnChange(OnChange),
}

/// How changes are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnChange {
    /// `dampening-period`: hundredths of a second from one update to the next.
    pub dampening: u32,
    /// `sync-on-start`: whether all of it is sent first.
    pub syncs: bool,
    /// `excluded-change`: changes that are not sent.
    pub excluded: Excluded,
}

impl<'d> Request<'d> {
    /// Reads one; `None`: the element is none of them.
    pub(crate) fn read(
        element: Element<'d>,
        given: &mut Parameters<'d>,
    ) -> Result<Option<Request<'d>>, RpcError> {
        let request = match (element.namespace(), element.name()) {
            (SUBSCRIBED, "establish-subscription") => {
                Request::Establish(Terms::read(given, During::Establish)?)
            }
            (SUBSCRIBED, "modify-subscription") => {
                let id = given.number(SUBSCRIBED, "id")?;
                Request::Modify { id, terms: Terms::read(given, During::Modify)? }
            }
            (SUBSCRIBED, "delete-subscription") => Request::Delete { id: given.number(SUBSCRIBED, "id")? },
            (SUBSCRIBED, "kill-subscription") => Request::Kill { id: given.number(SUBSCRIBED, "id")? },
            (PUSH, "resync-subscription") => Request::Resync { id: given.number(PUSH, "id")? },
            _ => return Ok(None),
        };
        Ok(Some(request))
    }

    /// The name of the operation.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Request::Establish(_) => "establish-subscription",
            Request::Modify { .. } => "modify-subscription",
            Request::Delete { .. } => "delete-subscription",
            Request::Kill { .. } => "kill-subscription",
            Request::Resync { .. } => "resync-subscription",
        }
    }

    /// The filter that it has.
    #[must_use]
    pub const fn filter(&self) -> Option<Filter<'d>> {
        match self {
            Request::Establish(terms) | Request::Modify { terms, .. } => terms.filter,
            _ => None,
        }
    }
}

impl<'d> Terms<'d> {
    fn read(given: &mut Parameters<'d>, during: During) -> Result<Terms<'d>, RpcError> {
        let stop = given.take(SUBSCRIBED, "stop-time");
        if during == During::Establish {
            encoding(given)?;
        }
        if let Some(datastore) = given.take(PUSH, "datastore") {
            let is_of_datastore = true;
            let store = Store::read(datastore).map_err(|error| {
                let message = error.message.unwrap_or_default();
                Refusal::new(Reason::DatastoreNotSubscribable, message).during(during, is_of_datastore)
            })?;
            let names = ["datastore-subtree-filter", "datastore-xpath-filter", "selection-filter-ref"];
            let filter = filter(given, PUSH, names, during)?;
            let trigger = Trigger::read(given, during)?;
            return Ok(Terms { target: Target::Datastore { store, trigger }, filter, stop });
        }
        let (name, replay) = match during {
            During::Establish => {
                let name = given.take(SUBSCRIBED, "stream").ok_or_else(|| {
                    // RFC 7950 section 15.6: neither case of the choice.
                    let message = "establish-subscription must have stream or datastore";
                    let error = RpcError::new(Layer::Application, Tag::DataMissing, message);
                    error.called("missing-choice").with(Info::MissingChoice("target".into()))
                })?;
                (Some(name.value()), given.take(SUBSCRIBED, "replay-start-time"))
            }
            _ => (None, None),
        };
        let names = ["stream-subtree-filter", "stream-xpath-filter", "stream-filter-name"];
        let filter = filter(given, SUBSCRIBED, names, during)?;
        Ok(Terms { target: Target::Stream { name, replay }, filter, stop })
    }
}

impl<'d> Trigger<'d> {
    fn read(given: &mut Parameters<'d>, during: During) -> Result<Option<Trigger<'d>>, RpcError> {
        let (periodic, on_change) = (given.take(PUSH, "periodic"), given.take(PUSH, "on-change"));
        match (periodic, on_change) {
            (Some(_), Some(second)) => Err(RpcError::unknown_element(Layer::Application, second)),
            (Some(element), None) => {
                let mut given = Parameters::of(element);
                let period = given.number(PUSH, "period")?;
                let anchor = given.take(PUSH, "anchor-time");
                given.nothing_else()?;
                Ok(Some(Trigger::Periodic { period, anchor }))
            }
            (None, Some(element)) => Ok(Some(Trigger::OnChange(OnChange::read(element, during)?))),
            (None, None) if during == During::Establish => Err(RpcError::missing_element(
                Layer::Application,
                "periodic or on-change",
                "establish-subscription to a datastore",
            )),
            (None, None) => Ok(None),
        }
    }
}

impl OnChange {
    fn read(element: Element<'_>, during: During) -> Result<OnChange, RpcError> {
        let mut given = Parameters::of(element);
        let has_dampening = element.child(PUSH, "dampening-period").is_some();
        let dampening = if has_dampening { given.number(PUSH, "dampening-period")? } else { 0 };
        let (mut syncs, mut excluded) = (true, Excluded::default());
        if during == During::Establish {
            let words = [("true", true), ("false", false)];
            syncs = given.one_of(PUSH, "sync-on-start", &words)?.unwrap_or(true);
            let mut operations = Vec::new();
            while let Some(operation) = given.one_of(PUSH, "excluded-change", &Operation::WORDS)? {
                operations.push(operation);
            }
            excluded = Excluded::of(operations);
        }
        given.nothing_else()?;
        Ok(OnChange { dampening, syncs, excluded })
    }
}

/// Only XML is sent.
fn encoding(given: &mut Parameters<'_>) -> Result<(), RpcError> {
    let Some(element) = given.take(SUBSCRIBED, "encoding") else { return Ok(()) };
    let (prefix, name) = element.value().split_once(':').unwrap_or(("", element.value()));
    if name == "encode-xml" && element.resolve(prefix) == Some(SUBSCRIBED) {
        return Ok(());
    }
    let message = "over NETCONF notifications are encoded in XML (encode-xml)";
    let is_of_datastore = given.has(PUSH, "datastore");
    Err(Refusal::new(Reason::EncodingUnsupported, message).during(During::Establish, is_of_datastore))
}

/// A filter: as a subtree, as an expression, or by its name, of which there are none.
fn filter<'d>(
    given: &mut Parameters<'d>,
    namespace: &str,
    [subtree, xpath, name]: [&str; 3],
    during: During,
) -> Result<Option<Filter<'d>>, RpcError> {
    if let Some(element) = given.take(namespace, name) {
        let message = format!(
            "there are no filters with names here ({name} is \"{}\"): give the filter itself",
            element.value()
        );
        return Err(Refusal::new(Reason::FilterUnsupported, message).during(during, namespace == PUSH));
    }
    let filter = given.take(namespace, subtree).map(Filter::Subtree);
    match given.take(namespace, xpath) {
        Some(second) if filter.is_some() => Err(RpcError::unknown_element(Layer::Application, second)),
        Some(element) => Ok(Some(Filter::XPath { select: element.value(), element })),
        None => Ok(filter),
    }
}

#[cfg(test)]
mod tests;
