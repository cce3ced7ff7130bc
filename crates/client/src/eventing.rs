//! WS-Eventing for a manager: subscriptions at an agent, and a listener for its notifications.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use trunkline_query::services::percent_encoded;
use trunkline_soap::Limits;
use trunkline_soap::envelope::Version;
use trunkline_soap::eventing::{self, Answer, Posted, Request};
pub use trunkline_soap::eventing::{Ended, Endpoint, Notification, Subscribe, Told};
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_transport::http::{HttpLimits, HttpRequest, HttpResponse, HttpServer, Method, StatusCode};

use crate::error::Error;
use crate::soap::SoapOptions;
use crate::soap::link::{Link, Weight};
use crate::target::{SoapTarget, SoapWho};

/// Where an agent takes subscriptions.
pub const PATH: &str = "/soap/events";

/// An agent, or one of its services, as a source of events.
pub struct EventSource {
    link: Link,
    version: Version,
    community: Option<String>,
    to: String,
    serial: AtomicU64,
}

/// A subscription as the agent granted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// Its name at the agent.
    pub identifier: String,
    /// For how long.
    pub expires: Duration,
}

impl EventSource {
    /// The source behind this target, or the service that its path names; it connects on the first request.
    ///
    /// # Errors
    /// Something that TLS needs is missing.
    pub fn new(target: &SoapTarget, options: SoapOptions) -> Result<Self, Error> {
        let encoded = |path: &str| path.split('/').map(percent_encoded).collect::<Vec<_>>().join("/");
        let service = target.path.as_deref().map(|path| format!("/{}", encoded(path)));
        let path = service.unwrap_or_else(|| PATH.to_owned());
        let options = SoapOptions { path: path.clone(), ..options };
        let community = match &target.who {
            SoapWho::Community(community) => Some(String::from_utf8_lossy(community).into_owned()),
            SoapWho::Login(_) | SoapWho::Session => None,
        };
        let scheme = if target.transport == crate::Transport::Https { "https" } else { "http" };
        let to = format!("{scheme}://{}{path}", target.authority());
        let link = Link::new(target, &options)?;
        Ok(EventSource { link, version: options.version, community, to, serial: AtomicU64::new(1) })
    }

    /// The addresses of both ends of the connection, which is made for that: ours, where the agent may reach a listener, and the agent's.
    ///
    /// # Errors
    /// The agent cannot be reached.
    pub async fn addresses(&self) -> Result<(SocketAddr, SocketAddr), Error> {
        self.link.addresses().await
    }

    /// Subscribes to notifications.
    ///
    /// # Errors
    /// The agent cannot be reached, or refuses.
    pub async fn subscribe(&self, subscribe: Subscribe) -> Result<Granted, Error> {
        match self.ask(None, Request::Subscribe(subscribe), Weight::Writes).await? {
            Answer::Subscribed { identifier, expires, .. } => Ok(Granted { identifier, expires }),
            _ => Err(Error::Fault { fault: Box::new(strange()) }),
        }
    }

    /// Renews a subscription; returns its new duration.
    ///
    /// # Errors
    /// As [`EventSource::subscribe`]; a subscription that has ended is refused.
    pub async fn renew(&self, identifier: &str, expires: Option<Duration>) -> Result<Duration, Error> {
        match self.ask(Some(identifier), Request::Renew(expires), Weight::Reads).await? {
            Answer::Renewed(expires) => Ok(expires),
            _ => Err(Error::Fault { fault: Box::new(strange()) }),
        }
    }

    /// How long the subscription still lasts.
    ///
    /// # Errors
    /// As [`EventSource::renew`].
    pub async fn status(&self, identifier: &str) -> Result<Duration, Error> {
        match self.ask(Some(identifier), Request::GetStatus, Weight::Reads).await? {
            Answer::Status(expires) => Ok(expires),
            _ => Err(Error::Fault { fault: Box::new(strange()) }),
        }
    }

    /// Ends a subscription.
    ///
    /// # Errors
    /// As [`EventSource::renew`].
    pub async fn unsubscribe(&self, identifier: &str) -> Result<(), Error> {
        match self.ask(Some(identifier), Request::Unsubscribe, Weight::Reads).await? {
            Answer::Unsubscribed => Ok(()),
            _ => Err(Error::Fault { fault: Box::new(strange()) }),
        }
    }

    async fn ask(&self, identifier: Option<&str>, request: Request, weight: Weight) -> Result<Answer, Error> {
        let message_id = format!("urn:trunkline:request:{}", self.serial.fetch_add(1, Ordering::Relaxed));
        let community = self.community.as_deref();
        let octets =
            eventing::write_request(self.version, &self.to, &message_id, identifier, community, &request);
        let action = (self.version == Version::V1_1).then(|| request.action());
        let answered = self.link.ask(action, octets, weight).await?;
        eventing::read_answer(&answered.body, Limits::MESSAGE)
            .map_err(|fault| Error::Fault { fault: Box::new(fault) })
    }
}

/// A listener for notifications.
pub struct EventListener {
    local: SocketAddr,
    told: mpsc::Receiver<EventReceived>,
    server: JoinHandle<()>,
}

/// A received message.
#[derive(Clone, Debug, PartialEq)]
pub struct EventReceived {
    /// When.
    pub at: SystemTime,
    /// The sender's address. Nothing authenticates it.
    pub peer: SocketAddr,
    /// The address of the source that the message names.
    pub source: Option<String>,
    /// Its content.
    pub told: Told,
}

impl EventListener {
    /// Listens on this address; port 0 picks any. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub fn bind(address: SocketAddr) -> Result<Self, Error> {
        let server = HttpServer::bind(address)?;
        let (local, (sender, told)) = (server.local_addr(), mpsc::channel(WAITING));
        let handler = move |request: HttpRequest| {
            let sender = sender.clone();
            async move { receive(&sender, &request).await }
        };
        let server = tokio::spawn(async move {
            let _ = server.serve(Arc::new(handler), HttpLimits::default(), None).await;
        });
        Ok(EventListener { local, told, server })
    }

    /// The address that it listens on.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// A message that has already arrived.
    pub fn try_next(&mut self) -> Option<EventReceived> {
        self.told.try_recv().ok()
    }

    /// The next message.
    pub async fn next(&mut self) -> Option<EventReceived> {
        self.told.recv().await
    }
}

impl Drop for EventListener {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn receive(sender: &mpsc::Sender<EventReceived>, request: &HttpRequest) -> HttpResponse {
    if request.method != Method::POST {
        return HttpResponse::text(StatusCode::METHOD_NOT_ALLOWED, "notifications are posted here");
    }
    match eventing::read_event(&request.body, Limits::MESSAGE) {
        Ok(Posted { from: source, told }) => {
            // A slow reader makes the agent wait, and the agent drops what exceeds its queue.
            let peer = request.session.peer;
            let received = EventReceived { at: SystemTime::now(), peer, source, told };
            let _ = sender.send(received).await;
            HttpResponse::empty(StatusCode::ACCEPTED)
        }
        Err((version, fault)) => {
            let version = version.unwrap_or(Version::V1_2);
            let mut body = Vec::new();
            fault.write(version, &mut body);
            HttpResponse::new(StatusCode::BAD_REQUEST, version.content_type(), body)
        }
    }
}

/// The answer belongs to another request.
fn strange() -> Fault {
    Fault::new(FaultKind::Malformed, "the answer does not match the request")
}

/// How many messages wait for the reader.
const WAITING: usize = 64;
