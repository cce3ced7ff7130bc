//! The task of one subscription: it posts each notification, tries again when that fails, and gives up.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, sleep_until};
use trunkline_soap::envelope::Version;
use trunkline_soap::eventing::{self, Ended, Endpoint, Notification};
use trunkline_transport::TransportError;
use trunkline_transport::dial::{self, Family};
use trunkline_transport::http::client::{HttpLink, HttpLinkError, LinkOptions, Place};
use trunkline_transport::http::{HeaderMap, HeaderValue, StatusCode, header};

use super::{Eventing, Url};

/// What one subscriber is told with.
pub(super) struct Delivery {
    pub eventing: Weak<Eventing>,
    pub identifier: String,
    /// Where the subscription is managed.
    pub manager: String,
    /// The version that the subscriber speaks.
    pub version: Version,
    pub to: (Url, Endpoint),
    pub end_to: Option<(Url, Endpoint)>,
}

/// Why a message did not arrive.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Connect(#[from] TransportError),
    #[error(transparent)]
    Link(#[from] HttpLinkError),
    #[error("the subscriber answers {0}")]
    Status(StatusCode),
}

impl Delivery {
    /// Tells until the subscription is over.
    pub(super) async fn run(
        self,
        mut waiting: mpsc::Receiver<Arc<Notification>>,
        mut until: watch::Receiver<Instant>,
    ) {
        let mut link = None;
        loop {
            let end = *until.borrow_and_update();
            let next = tokio::select! {
                next = waiting.recv() => next,
                () = sleep_until(end.into()) => {
                    tracing::info!(identifier = self.identifier, "a subscription is over: it was not renewed");
                    break;
                }
                changed = until.changed() => match changed {
                    Ok(()) => continue,
                    Err(_) => break, // unsubscribed
                },
            };
            let Some(notification) = next else { return }; // unsubscribed
            if let Err(error) = self.deliver(&mut link, &notification).await {
                tracing::warn!(identifier = self.identifier, to = self.to.1.address, %error,
                    "a subscriber is not reached, its subscription ends");
                self.tell_end(&error).await;
                break;
            }
            tracing::debug!(identifier = self.identifier, notification = %notification.oid, "told a subscriber");
        }
        if let Some(eventing) = self.eventing.upgrade() {
            eventing.forget(&self.identifier);
        }
    }

    async fn deliver(&self, link: &mut Option<HttpLink>, notification: &Notification) -> Result<(), Failure> {
        let (url, endpoint) = &self.to;
        let octets = eventing::write_event(self.version, endpoint, &self.message_id(), notification);
        let mut result = self.post(link, url, &octets, NOTIFICATION).await;
        for wait in PAUSES {
            if result.is_ok() {
                break;
            }
            *link = None;
            sleep(wait).await;
            result = self.post(link, url, &octets, NOTIFICATION).await;
        }
        result
    }

    /// Once: who cannot be told of events may still hear that there are none any more.
    async fn tell_end(&self, error: &Failure) {
        let Some((url, endpoint)) = &self.end_to else { return };
        let about = (&*self.manager, &*self.identifier);
        let (ended, reason) = (Ended::DeliveryFailure, error.to_string());
        let octets = eventing::write_end(self.version, endpoint, &self.message_id(), about, ended, &reason);
        if let Err(error) = self.post(&mut None, url, &octets, END).await {
            tracing::debug!(identifier = self.identifier, %error, "nor is it told that");
        }
    }

    async fn post(
        &self,
        link: &mut Option<HttpLink>,
        url: &Url,
        octets: &[u8],
        action: &'static str,
    ) -> Result<(), Failure> {
        let open = match link.take().filter(HttpLink::is_open) {
            Some(open) => open,
            None => connect(url).await?,
        };
        let answer = link.insert(open).post(&url.path, self.headers(action), octets.to_vec()).await?;
        if answer.status.is_success() { Ok(()) } else { Err(Failure::Status(answer.status)) }
    }

    fn headers(&self, action: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.version.content_type()));
        if self.version == Version::V1_1 {
            headers.insert("soapaction", HeaderValue::from_static(action));
        }
        headers
    }

    fn message_id(&self) -> String {
        let name = self.eventing.upgrade().map(|eventing| eventing.name());
        format!("urn:trunkline:event:{}", name.unwrap_or_default())
    }
}

async fn connect(url: &Url) -> Result<HttpLink, TransportError> {
    let addresses = dial::resolve(&url.host, url.port, Family::Any).await?;
    let place = Place { addresses: &addresses, authority: &url.authority, tls: None };
    let options = LinkOptions { answer_time: PATIENCE, max_answer: MAX_ANSWER, ..LinkOptions::default() };
    HttpLink::connect(place, options).await
}

/// Before each further try.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// For an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Nothing in it is looked at.
const MAX_ANSWER: usize = 65_536;

const NOTIFICATION: &str = "\"urn:trunkline:soap/Notification\"";
const END: &str = "\"http://schemas.xmlsoap.org/ws/2004/08/eventing/SubscriptionEnd\"";
