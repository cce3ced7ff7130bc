//! What the agent tells over NETCONF and RESTCONF: events (RFC 5277) and data (RFC 8641), by the subscriptions of sessions (RFC 8639).
//! [`event`] is what happened, [`events`] the log that all subscribers read, [`Register`] all subscriptions that have numbers, and
//! [`DataPush`] one to data, which says when it is due and what becomes of what was read; [`message`] has the notifications that have no
//! data. Reading the data, as the subscriber may read it, and sending it is the caller's; so is the time of subscriptions.

mod data;
pub mod event;
pub mod events;
pub mod message;
mod register;
mod state;

pub use data::{Data, DataPush, Found, LOOK, Looked, Now, SHORTEST, comparable, subscribable};
pub use register::{About, MOST_PER_SESSION, Member, Place, Register, Wake};

use std::time::SystemTime;

use chrono::DateTime;
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Layer, RpcError, Tag};

/// The value of an element of type `date-and-time`.
///
/// # Errors
/// It is none.
pub fn time(element: Element<'_>) -> Result<SystemTime, RpcError> {
    let read = DateTime::parse_from_rfc3339(element.value().trim());
    read.map(SystemTime::from).map_err(|_| {
        let found = element.value().chars().take(60).collect::<String>();
        let name = element.name();
        invalid(&format!("{name} must be a time such as 2026-11-25T10:00:00Z, found {found}"))
    })
}

/// When a subscription ends.
///
/// # Errors
/// It cannot be read as a time, or has passed.
pub fn stop_time(element: Option<Element<'_>>, now: SystemTime) -> Result<Option<SystemTime>, RpcError> {
    let Some(element) = element else { return Ok(None) };
    let stop = time(element)?;
    if stop <= now {
        let message = format!("{} must be in the future, and this time has passed", element.name());
        return Err(invalid(&message));
    }
    Ok(Some(stop))
}

/// An element with a wrong value.
fn invalid(message: &str) -> RpcError {
    RpcError::new(Layer::Protocol, Tag::InvalidValue, message)
}
