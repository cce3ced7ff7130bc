//! WS-Eventing (August 2004, the W3C submission of March 2006, with WS-Addressing of August 2004): subscriptions to
//! notifications, and the notifications as messages. Without I/O: `read` is the event source's and the subscriber's
//! reader, `write` the writer of both.
//!
//! Why 2004 and not the recommendation of 2011: WS-Management and DPWS devices use it, and toolkits support it.

mod duration;
mod fault;
mod read;
mod write;

use std::time::Duration;

use trunkline_smi::{Oid, Value};

pub use duration::{read_duration, write_duration};
pub use fault::{Refusal, write_fault};
pub use read::{is_request, read_answer, read_event, read_request};
pub use write::{write_answer, write_end, write_event, write_request};

use crate::envelope::Version;
use crate::fault::Fault;

/// WS-Eventing.
pub const EVENTING: &str = "http://schemas.xmlsoap.org/ws/2004/08/eventing";
/// WS-Addressing, as WS-Eventing requires it.
pub const ADDRESSING: &str = "http://schemas.xmlsoap.org/ws/2004/08/addressing";
/// The only delivery mode: each notification is posted as it happens.
pub const PUSH: &str = "http://schemas.xmlsoap.org/ws/2004/08/eventing/DeliveryModes/Push";
/// The dialect of filters here: names of notifications (`linkDown`, `IF-MIB::linkDown`) or object identifiers that the
/// notification's begins with, with white space between them.
pub const NAMES: &str = "urn:trunkline:soap/eventing/names";

/// How many reference parameters an endpoint may have, and names a filter.
pub const MOST: usize = 32;

/// Where messages go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The URL.
    pub address: String,
    /// The required header of each message there.
    pub parameters: Vec<Parameter>,
}

/// A reference parameter whose content is text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its namespace, may be empty.
    pub namespace: String,
    /// Its local name.
    pub local: String,
    /// Its content.
    pub text: String,
}

/// A subscriber's request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// To receive notifications.
    Subscribe(Subscribe),
    /// To renew: for how long from now, or as long as the source chooses.
    Renew(Option<Duration>),
    /// The remaining time.
    GetStatus,
    /// To end the subscription.
    Unsubscribe,
}

impl Request {
    /// The URI of `wsa:Action`.
    pub fn action(&self) -> &'static str {
        match self {
            Request::Subscribe(_) => "http://schemas.xmlsoap.org/ws/2004/08/eventing/Subscribe",
            Request::Renew(_) => "http://schemas.xmlsoap.org/ws/2004/08/eventing/Renew",
            Request::GetStatus => "http://schemas.xmlsoap.org/ws/2004/08/eventing/GetStatus",
            Request::Unsubscribe => "http://schemas.xmlsoap.org/ws/2004/08/eventing/Unsubscribe",
        }
    }
}

/// The requested subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscribe {
    /// Where notifications go.
    pub notify_to: Endpoint,
    /// Where SubscriptionEnd goes.
    pub end_to: Option<Endpoint>,
    /// For how long.
    pub expires: Option<Duration>,
    /// The names of what is wanted; `None`: everything.
    pub filter: Option<Vec<String>>,
}

/// A request with the contents of its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The version of the envelope.
    pub version: Version,
    /// `wsa:MessageID`, which the answer relates to.
    pub message_id: Option<String>,
    /// Which subscription it is about: `wse:Identifier`.
    pub identifier: Option<String>,
    /// The identity, if HTTP does not provide it: the header block `Community` in our namespace.
    pub community: Option<String>,
    /// The request.
    pub request: Request,
}

/// A request that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The version of the envelope, if known.
    pub version: Option<Version>,
    /// `wsa:MessageID`, as far as reading came to it.
    pub message_id: Option<String>,
    /// What is wrong.
    pub fault: Fault,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a subscription now.
    Subscribed {
        /// The address of its manager.
        manager: String,
        /// Its name there.
        identifier: String,
        /// For how long.
        expires: Duration,
    },
    /// The granted duration.
    Renewed(Duration),
    /// The granted duration.
    Status(Duration),
    /// It is over.
    Unsubscribed,
}

/// Why a subscription ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Messages did not arrive.
    DeliveryFailure,
    /// The source stops.
    SourceShuttingDown,
    /// The source has its reasons.
    SourceCancelling,
}

impl Ended {
    const ALL: [Self; 3] = [Ended::DeliveryFailure, Ended::SourceShuttingDown, Ended::SourceCancelling];

    /// Of the URI in a message. The text of the specification writes the last one with one L, its schema with two.
    fn of(uri: &str) -> Option<Self> {
        let uri = uri.replace("SourceCanceling", "SourceCancelling");
        Ended::ALL.into_iter().find(|ended| ended.uri() == uri)
    }

    /// The URI in the message.
    pub const fn uri(self) -> &'static str {
        match self {
            Ended::DeliveryFailure => "http://schemas.xmlsoap.org/ws/2004/08/eventing/DeliveryFailure",
            Ended::SourceShuttingDown => "http://schemas.xmlsoap.org/ws/2004/08/eventing/SourceShuttingDown",
            Ended::SourceCancelling => "http://schemas.xmlsoap.org/ws/2004/08/eventing/SourceCancelling",
        }
    }
}

/// A message to a subscriber.
#[derive(Clone, Debug, PartialEq)]
pub struct Posted {
    /// The address of the source, if the message names it.
    pub from: Option<String>,
    /// Its content.
    pub told: Told,
}

/// The contents of a notification.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// Something happened.
    Notification(Notification),
    /// There will be no more notifications.
    End(Ended),
}

/// A notification as a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// The value of snmpTrapOID.0.
    pub oid: Oid,
    /// sysUpTime.0: hundredths of a second.
    pub uptime: u32,
    /// Its objects.
    pub objects: Vec<(Oid, Value)>,
}

#[cfg(test)]
mod tests;
