//! The task of one subscription: it posts each notification, retries on failure, and gives up.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, sleep_until, timeout};
use trunkline_soap::envelope::Version;
use trunkline_soap::eventing::{self, Ended, Endpoint};
use trunkline_transport::TransportError;
use trunkline_transport::dial::{self, Family};
use trunkline_transport::http::client::{HttpLink, HttpLinkError, LinkOptions, Place};
use trunkline_transport::http::{HeaderMap, HeaderValue, StatusCode, header};
use trunkline_transport::tls::{ServerIdentity, TlsClient};

use super::identity::Identity;
use super::{Eventing, FAREWELL, Happened, Life, Origin, Url};

/// What a subscriber's task needs.
pub(super) struct Delivery {
    pub eventing: Weak<Eventing>,
    pub identifier: String,
    /// The subscriber's identity.
    pub who: Arc<Identity>,
    pub from: Origin,
    /// Where the subscription is managed.
    pub manager: String,
    /// The address of the source that notifications name.
    pub source: String,
    /// The subscriber's version of SOAP.
    pub version: Version,
    pub to: (Url, Endpoint),
    pub end_to: Option<(Url, Endpoint)>,
}

/// How a subscription comes to its end.
enum End {
    /// By its time.
    Expired,
    /// By the subscriber.
    Unsubscribed,
    /// By the agent.
    Over(Ended),
    /// Since the subscriber is not reached.
    Unreached(Failure),
}

/// Why a message did not arrive.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("the agent has no trust anchors any more")]
    NoTrust,
    #[error("event-targets of [http] does not list an address of this host")]
    OutOfReach,
    #[error(transparent)]
    Connect(#[from] TransportError),
    #[error(transparent)]
    Link(#[from] HttpLinkError),
    #[error("the subscriber answers {0}")]
    Status(StatusCode),
}

/// A kept connection, and the certificates that it was made with.
struct Kept {
    link: HttpLink,
    tls: Option<Arc<TlsClient>>,
}

impl Delivery {
    /// Sends until the subscription is over. Messages in transit are not waited for then, but when the agent ends: the last one says so.
    pub(super) async fn run(
        self,
        mut waiting: mpsc::Receiver<Arc<Happened>>,
        mut life: watch::Receiver<Life>,
    ) {
        let mut telling = pin!(self.tell(&mut waiting));
        let end = tokio::select! {
            biased;
            end = end_of(&mut life) => end,
            end = &mut telling => end,
        };
        if let End::Over(Ended::SourceShuttingDown) = end {
            // Until nothing waits: nothing is added any more.
            let _ = timeout(FAREWELL / 2, telling).await;
        }
        if let Some(eventing) = self.eventing.upgrade() {
            eventing.forget(&self.identifier);
        }
        match end {
            End::Expired => {
                tracing::info!(identifier = self.identifier, "a subscription has ended: it was not renewed");
            }
            End::Unsubscribed => {}
            End::Over(ended) => self.tell_end(ended).await,
            End::Unreached(error) => {
                tracing::warn!(identifier = self.identifier, to = %self.to.0, %error,
                    "a subscriber cannot be reached, its subscription ends");
                self.tell_end(Ended::DeliveryFailure).await;
            }
        }
    }

    async fn tell(&self, waiting: &mut mpsc::Receiver<Arc<Happened>>) -> End {
        let mut kept = None;
        while let Some(happened) = waiting.recv().await {
            if let Err(error) = self.deliver(&mut kept, &happened).await {
                return End::Unreached(error);
            }
        }
        End::Unsubscribed
    }

    async fn deliver(&self, kept: &mut Option<Kept>, happened: &Happened) -> Result<(), Failure> {
        let (url, endpoint) = &self.to;
        let told = &happened.notification;
        let octets = eventing::write_event(self.version, endpoint, &self.source, &self.message_id(), told);
        let mut pauses = PAUSES.into_iter();
        loop {
            // It may have waited for long.
            if !self.may_know(happened) {
                return Ok(());
            }
            let was_kept = kept.is_some();
            let error = match self.post(kept, url, &octets, NOTIFICATION).await {
                Ok(()) => {
                    tracing::debug!(identifier = self.identifier, notification = %told.oid, "sent to a subscriber");
                    return Ok(());
                }
                Err(error) => error,
            };
            *kept = None;
            // A connection that nothing was sent over for a while may be closed by the subscriber: nothing is wrong.
            if was_kept && matches!(error, Failure::Link(_)) {
                continue;
            }
            tracing::debug!(identifier = self.identifier, to = %url, %error, "a subscriber cannot be reached");
            if matches!(error, Failure::OutOfReach) {
                return Err(error);
            }
            let Some(pause) = pauses.next() else { return Err(error) };
            sleep(pause).await;
        }
    }

    /// Whether the subscriber may receive this now.
    fn may_know(&self, happened: &Happened) -> bool {
        let Some(eventing) = self.eventing.upgrade() else { return false };
        let settings = eventing.core.settings();
        let checked = self.who.may_know(&settings, happened);
        if let Err(untold) = &checked {
            tracing::debug!(identifier = self.identifier, notification = %happened.notification.oid, %untold,
                "no longer sent to a subscriber");
        }
        checked.is_ok()
    }

    /// Sent once: a subscriber that may not receive events may still learn that there are no more. The reason is
    /// only logged: a subscriber must not find out what else the agent can reach.
    async fn tell_end(&self, ended: Ended) {
        let Some((url, endpoint)) = &self.end_to else { return };
        let about = (&*self.manager, &*self.identifier);
        let reason = match ended {
            Ended::DeliveryFailure => "notifications did not arrive",
            Ended::SourceShuttingDown => "the agent is shutting down",
            Ended::SourceCancelling => "the agent's configuration has changed",
        };
        let octets = eventing::write_end(self.version, endpoint, &self.message_id(), about, ended, reason);
        if let Err(error) = self.post(&mut None, url, &octets, END).await {
            tracing::debug!(identifier = self.identifier, to = %url, %error, "SubscriptionEnd could not be sent");
        }
    }

    async fn post(
        &self,
        kept: &mut Option<Kept>,
        url: &Url,
        octets: &[u8],
        action: &'static str,
    ) -> Result<(), Failure> {
        let tls = self.tls(url)?;
        let Some(eventing) = self.eventing.upgrade() else { return Err(Failure::OutOfReach) };
        let reach = eventing.reach.load_full();
        drop(eventing);
        let is_usable = |kept: &Kept| {
            reach.has(kept.link.session().peer, self.from)
                && kept.link.is_open()
                && kept.tls.as_ref().map(Arc::as_ptr) == tls.as_ref().map(Arc::as_ptr)
        };
        let open = match kept.take().filter(is_usable) {
            Some(open) => open,
            None => {
                // A name may mean another address than when the subscription was made.
                let addresses = dial::resolve(&url.host, url.port, Family::Any).await?;
                let addresses = reach.of_host(addresses, self.from);
                if addresses.is_empty() {
                    return Err(Failure::OutOfReach);
                }
                Kept { link: connect(url, &addresses, tls.as_deref()).await?, tls }
            }
        };
        let link = &mut kept.insert(open).link;
        let answer = link.post(&url.path, self.headers(action), octets.to_vec()).await?;
        if answer.status.is_success() { Ok(()) } else { Err(Failure::Status(answer.status)) }
    }

    /// The agent's identity over HTTPS and its trust anchors, as of now.
    fn tls(&self, url: &Url) -> Result<Option<Arc<TlsClient>>, Failure> {
        if !url.is_secure {
            return Ok(None);
        }
        let client = self.eventing.upgrade().and_then(|eventing| eventing.outgoing.load().web());
        client.map(Some).ok_or(Failure::NoTrust)
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

/// Until the subscription expires; renewals move it.
async fn end_of(life: &mut watch::Receiver<Life>) -> End {
    loop {
        let until = match *life.borrow_and_update() {
            Life::Until(until) => until,
            Life::Over(ended) => return End::Over(ended),
        };
        tokio::select! {
            biased;
            changed = life.changed() => if changed.is_err() {
                return End::Unsubscribed;
            },
            () = sleep_until(until.into()) => return End::Expired,
        }
    }
}

async fn connect(
    url: &Url,
    addresses: &[SocketAddr],
    tls: Option<&TlsClient>,
) -> Result<HttpLink, TransportError> {
    let server = ServerIdentity::Name(url.host.as_str().into());
    let tls = tls.map(|client| (client, &server));
    let place = Place { addresses, authority: &url.authority, tls };
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
