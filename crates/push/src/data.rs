//! A subscription to data: when it is due, and what becomes of what was read.
//!
//! ```text
//! periodic   due --> the data is read into the update
//! on-change  due --> the data is read into memory --> looked --> nothing, all of it, or what differs from what the subscriber knows
//! ```

use std::time::{Duration, Instant, SystemTime};

use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_netconf::nmda::Store;
use trunkline_netconf::operation::{Datastore, Operation};
use trunkline_netconf::push::changes::{Edit, edits};
use trunkline_netconf::push::refusal::{During, Hint, Reason, Refusal};
use trunkline_netconf::push::schedule::{after, centiseconds};
use trunkline_netconf::push::{OnChange, Request, Target, Terms, Trigger};
use trunkline_netconf::rpc::Rpc;
use trunkline_yang::forest::Forest;
use trunkline_yang::instances::Instances;

use crate::{message, stop_time, time};

/// The time, by the clock on the wall and by one that only goes on.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// The time of day.
    pub wall: SystemTime,
    /// Only for durations.
    pub instant: Instant,
}

/// A subscription to data.
#[derive(Debug)]
pub struct DataPush {
    /// The datastore.
    pub store: Store,
    /// The request that has its filter.
    request: Rpc,
    when: When,
    /// When it ends.
    stop: Option<SystemTime>,
    /// When it is due.
    due: Instant,
}

#[derive(Debug)]
enum When {
    Periodic { period: Duration, anchor: SystemTime },
    OnChange(Box<Watched>),
}

/// What a subscription on change keeps.
#[derive(Debug)]
struct Watched {
    terms: OnChange,
    /// What its subscriber knows.
    known: Instances,
    /// Whether that is still to be sent.
    owes_all: bool,
    is_suspended: bool,
    /// The number of the next patch.
    patch: u32,
    /// Before this it is not read again.
    not_before: Instant,
}

/// Data that was read, or why it could not be.
pub type Found = Result<Instances, RpcError>;

/// What is to be sent.
#[derive(Debug)]
pub struct Looked {
    /// A whole notification that comes first.
    pub first: Option<Vec<u8>>,
    /// The data.
    pub data: Data,
}

/// What data is to be sent.
#[derive(Debug)]
pub enum Data {
    /// None.
    Nothing,
    /// All that is known now.
    Whole,
    /// The edits that make what is known now of this.
    Changes {
        /// What was known before.
        before: Instances,
        /// The edits.
        edits: Vec<Edit>,
        /// The number of the patch.
        patch: u32,
    },
}

impl DataPush {
    /// What a request for a subscription agrees on, with when it begins. Of one on change, `first` is the data at its begin; of a periodic one, nothing.
    ///
    /// # Errors
    /// It cannot be carried out.
    pub fn establish(request: Rpc, now: Now, first: Instances) -> Result<DataPush, Box<(Rpc, RpcError)>> {
        let terms = match Operation::read(request.operation()) {
            Ok(Operation::Subscription(Request::Establish(terms))) => terms,
            _ => return Err(Box::new((request, not_about_data()))),
        };
        let agreed = match agreed(&terms, now, first) {
            Ok(agreed) => agreed,
            Err(error) => return Err(Box::new((request, error))),
        };
        let (store, when, stop, due) = agreed;
        Ok(DataPush { store, request, when, stop, due })
    }

    /// The filter and what else was requested.
    ///
    /// # Errors
    /// None in practice: it was read before.
    pub fn terms(&self) -> Result<Terms<'_>, RpcError> {
        match Operation::read(self.request.operation())? {
            Operation::Subscription(Request::Establish(terms) | Request::Modify { terms, .. }) => Ok(terms),
            _ => Err(not_about_data()),
        }
    }

    /// Whether it is one on change.
    #[must_use]
    pub const fn is_on_change(&self) -> bool {
        matches!(self.when, When::OnChange(_))
    }

    /// Whether its time is over.
    #[must_use]
    pub fn is_over(&self, now: Now) -> bool {
        self.stop.is_some_and(|stop| stop <= now.wall)
    }

    /// How long nothing is to be done, unless there is news.
    #[must_use]
    pub fn rest(&self, now: Now) -> Duration {
        let due = self.due.saturating_duration_since(now.instant);
        let stop = self.stop.map(|stop| stop.duration_since(now.wall).unwrap_or_default());
        // The clock on the wall may be set meanwhile.
        stop.map_or(due, |stop| due.min(stop.min(LONGEST_REST)))
    }

    /// Something may have changed.
    pub fn news(&mut self, now: Now) {
        if let When::OnChange(watched) = &mut self.when {
            self.due = self.due.min(watched.not_before.max(now.instant));
        }
    }

    /// Whether data is to be read now.
    #[must_use]
    pub fn is_due(&self, now: Now) -> bool {
        self.due <= now.instant
    }

    /// A periodic update was sent. Those whose time has passed meanwhile are left out.
    pub fn sent(&mut self, now: Now) {
        if let When::Periodic { period, anchor } = self.when {
            let next = after(now.wall, anchor, period).duration_since(now.wall).unwrap_or(period);
            self.due = now.instant + next;
        }
    }

    /// Of one on change, data was read, which took this long. What is known now is [`DataPush::known`].
    pub fn looked(&mut self, forest: &Forest, now: Now, took: Duration, id: u32, found: Found) -> Looked {
        let When::OnChange(watched) = &mut self.when else {
            return Looked { first: None, data: Data::Nothing };
        };
        let (first, data) = match found {
            Ok(found) if found.memory() <= MOST_KNOWN => {
                let was_suspended = std::mem::take(&mut watched.is_suspended);
                let first = was_suspended.then(|| message::state(now.wall, "subscription-resumed", id, None));
                (first, watched.compare(forest, found, was_suspended))
            }
            // There is nothing to say before it has changed.
            _ if watched.is_suspended => (None, Data::Nothing),
            failed => {
                watched.is_suspended = true;
                watched.known = Instances::new();
                let reason = failed.map_or_else(|error| reason_of(&error), |_| Reason::UpdateTooBig);
                (Some(message::state(now.wall, "subscription-suspended", id, Some(reason))), Data::Nothing)
            }
        };
        // What takes long is done the less often: at most a tenth of the time.
        let pause = took * 9;
        let dampening = match data {
            Data::Nothing => Duration::ZERO,
            _ => centiseconds(watched.terms.dampening),
        };
        watched.not_before = now.instant + pause.max(dampening);
        self.due = watched.not_before.max(now.instant + LOOK);
        Looked { first, data }
    }

    /// What its subscriber knows.
    #[must_use]
    pub fn known(&self) -> Option<&Instances> {
        match &self.when {
            When::OnChange(watched) => Some(&watched.known),
            When::Periodic { .. } => None,
        }
    }

    /// Whether it is suspended.
    #[must_use]
    pub fn is_suspended(&self) -> bool {
        matches!(&self.when, When::OnChange(watched) if watched.is_suspended)
    }

    /// All of it is to be sent (`resync-subscription`).
    ///
    /// # Errors
    /// It is periodic, or was not to send all at its begin.
    pub fn resync(&mut self, now: Now) -> Result<(), RpcError> {
        match &mut self.when {
            When::OnChange(watched) if watched.terms.syncs => {
                watched.owes_all = true;
                self.due = now.instant;
                Ok(())
            }
            _ => {
                let message =
                    "only a subscription on change whose sync-on-start is true is sent all of its data";
                Err(Refusal::new(Reason::OnChangeSyncUnsupported, message).during(During::Resync, true))
            }
        }
    }

    /// Changes what was agreed. Of one on change with another filter, `first` is the data now.
    ///
    /// # Errors
    /// It cannot be changed so; then it stays as it is.
    pub fn modify(
        &mut self,
        request: Rpc,
        now: Now,
        first: Option<Instances>,
    ) -> Result<(), Box<(Rpc, RpcError)>> {
        let changed = match Operation::read(request.operation()) {
            Ok(Operation::Subscription(Request::Modify { terms, .. })) => self.change(&terms, now, first),
            _ => Err(not_about_data()),
        };
        match changed {
            Ok(has_filter) => {
                if has_filter {
                    self.request = request;
                }
                Ok(())
            }
            Err(error) => Err(Box::new((request, error))),
        }
    }

    /// Whether there is another filter.
    fn change(&mut self, terms: &Terms<'_>, now: Now, first: Option<Instances>) -> Result<bool, RpcError> {
        let Target::Datastore { store, trigger } = terms.target else { return Err(not_about_data()) };
        if store != self.store {
            let message = "a subscription keeps its datastore: establish another one";
            return Err(Refusal::new(Reason::DatastoreNotSubscribable, message).during(During::Modify, true));
        }
        let stop = stop_time(terms.stop, now.wall)?;
        match (trigger, &mut self.when) {
            (None, _) => {}
            (Some(Trigger::Periodic { period, anchor }), When::Periodic { .. }) => {
                let (when, due) = periodic(period, anchor.map(time).transpose()?, now, During::Modify)?;
                (self.when, self.due) = (when, due);
            }
            (Some(Trigger::OnChange(given)), When::OnChange(watched)) => {
                watched.terms.dampening = given.dampening;
            }
            (Some(_), _) => {
                let message = "a subscription stays periodic or on change: establish another one";
                return Err(RpcError::new(Layer::Application, Tag::OperationNotSupported, message));
            }
        }
        if let (Some(first), When::OnChange(watched)) = (first, &mut self.when) {
            watched.known = first;
            watched.owes_all = watched.terms.syncs;
            self.due = now.instant;
        }
        self.stop = stop.or(self.stop);
        Ok(terms.filter.is_some())
    }
}

impl Watched {
    fn compare(&mut self, forest: &Forest, found: Instances, was_suspended: bool) -> Data {
        if std::mem::take(&mut self.owes_all) || was_suspended && self.terms.syncs {
            self.known = found;
            return Data::Whole;
        }
        let edits = edits(forest, &self.known, &found, self.terms.excluded);
        let before = std::mem::replace(&mut self.known, found);
        // What was missed while it was suspended cannot be told without sending all.
        if edits.is_empty() || was_suspended {
            return Data::Nothing;
        }
        let patch = self.patch;
        self.patch = patch.wrapping_add(1);
        Data::Changes { before, edits, patch }
    }
}

/// What a request agrees on: the datastore, when, until when, and when it is due.
fn agreed(
    terms: &Terms<'_>,
    now: Now,
    first: Instances,
) -> Result<(Store, When, Option<SystemTime>, Instant), RpcError> {
    let Target::Datastore { store, trigger: Some(trigger) } = terms.target else {
        return Err(not_about_data());
    };
    subscribable(store, During::Establish)?;
    let stop = stop_time(terms.stop, now.wall)?;
    let (when, due) = match trigger {
        Trigger::Periodic { period, anchor } => {
            periodic(period, anchor.map(time).transpose()?, now, During::Establish)?
        }
        Trigger::OnChange(terms) => {
            let watched = Watched {
                owes_all: terms.syncs,
                terms,
                known: first,
                is_suspended: false,
                patch: 1,
                not_before: now.instant,
            };
            (When::OnChange(Box::new(watched)), now.instant)
        }
    };
    Ok((store, when, stop, due))
}

/// Refuses a datastore that is not there.
///
/// # Errors
/// It is not.
pub fn subscribable(store: Store, during: During) -> Result<(), RpcError> {
    if store != Store::Of(Datastore::Startup) {
        return Ok(());
    }
    let message = "there is no startup configuration here: running outlives a restart";
    Err(Refusal::new(Reason::DatastoreNotSubscribable, message).during(during, true))
}

/// Without an anchor it begins at once.
fn periodic(
    period: u32,
    anchor: Option<SystemTime>,
    now: Now,
    during: During,
) -> Result<(When, Instant), RpcError> {
    if period < SHORTEST {
        let message = format!("a period is at least {SHORTEST} hundredths of a second, found {period}");
        let refusal = Refusal::new(Reason::PeriodUnsupported, message).hint(Hint::PeriodHint, SHORTEST);
        return Err(refusal.during(during, true));
    }
    let period = centiseconds(period);
    let rest = match anchor {
        Some(anchor) => after(now.wall, anchor, period).duration_since(now.wall).unwrap_or_default(),
        None => Duration::ZERO,
    };
    Ok((When::Periodic { period, anchor: anchor.unwrap_or(now.wall) }, now.instant + rest))
}

/// Refuses data that is too much to be compared, or could not be read.
///
/// # Errors
/// It is, or could not.
pub fn comparable(found: Found, during: During) -> Found {
    let refusal = match found {
        Ok(found) if found.memory() <= MOST_KNOWN => return Ok(found),
        Ok(_) => {
            let message = format!(
                "on change at most {} MiB of data are compared: select less, or subscribe with a period",
                MOST_KNOWN >> 20
            );
            Refusal::new(Reason::UpdateTooBig, message)
        }
        Err(error) => Refusal::new(reason_of(&error), error.message.unwrap_or_default()),
    };
    Err(refusal.hint(Hint::KilobytesLimit, MOST_KNOWN >> 10).during(during, true))
}

/// Why data could not be read.
fn reason_of(error: &RpcError) -> Reason {
    match error.tag {
        Tag::ResourceDenied | Tag::TooBig => Reason::UpdateTooBig,
        _ => Reason::InsufficientResources,
    }
}

fn not_about_data() -> RpcError {
    let message = "the subscription is to events, and the request about data, or the reverse";
    RpcError::new(Layer::Application, Tag::InvalidValue, message)
}

/// Hundredths of a second of the shortest period.
pub const SHORTEST: u32 = 100;
/// Octets of data that one subscription on change compares.
pub const MOST_KNOWN: usize = 8 << 20;
/// Without news, data is read this often to notice changes.
pub const LOOK: Duration = Duration::from_secs(1);
/// So long at most until the clock is read again.
const LONGEST_REST: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests;
