//! The kept connection of a SOAP session: opened when needed, and again after it broke. A read is then sent once
//! more; a write only if it is certain that none of it had been sent.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use trunkline_snmp::wire::VarBind;
use trunkline_transport::Protocol;
use trunkline_transport::dial::{self, Family};
use trunkline_transport::http::client::{HttpAnswer, HttpLink, HttpLinkError, LinkOptions, Place, Received};
use trunkline_transport::http::coding::Coding;
use trunkline_transport::http::{Bytes, HeaderMap, HeaderValue, StatusCode, header};
use trunkline_transport::{Protection, SessionInfo, Transport, TransportError};

use super::{SoapOptions, SoapVersion};
use crate::answer::{Answer, Cost};
use crate::error::Error;
use crate::secure::{Secure, Tls};
use crate::target::{SoapTarget, SoapWho};

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// It only reads, and may be repeated.
    Reads,
    /// It writes, and must not be repeated.
    Writes,
}

/// A connection that is reopened when needed.
pub(crate) struct Link {
    host: String,
    port: u16,
    authority: String,
    tls: Option<Tls>,
    path: String,
    headers: HeaderMap,
    options: LinkOptions,
    /// One request at a time.
    open: Mutex<Option<HttpLink>>,
}

/// An answer's message, and its cost.
pub(crate) struct Answered {
    pub(crate) body: Bytes,
    /// Octets are those of both bodies on the wire.
    pub(crate) cost: Cost,
}

impl Answered {
    /// The same with these bindings.
    pub(super) fn answer(&self, bindings: Vec<VarBind>) -> Answer {
        Answer { bindings, cost: self.cost }
    }
}

impl Link {
    pub(crate) fn new(target: &SoapTarget, options: &SoapOptions) -> Result<Self, Error> {
        let tls = match target.transport {
            Transport::Https => Some(Secure::tls_of(target.secure.as_ref(), target.transport)?),
            _ => None,
        };
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(options.version.content_type()));
        if let SoapWho::Login(login) = &target.who
            && let Ok(mut value) = HeaderValue::from_str(login.authorization())
        {
            // Not logged, and kept out of HTTP/2's header compression.
            value.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, value);
        }
        let accept = if options.compression { vec![Coding::Gzip, Coding::Deflate] } else { Vec::new() };
        let connect_time = options.connect_time.unwrap_or_else(|| options.timeout.max(CONNECT_TIME));
        let (answer_time, max_answer) = (options.timeout, options.max_answer);
        let observer = options.observer.clone().map(|observer| observer.0);
        Ok(Link {
            host: target.host.clone(),
            port: target.port,
            authority: authority(target),
            tls,
            path: options.path.clone(),
            headers,
            options: LinkOptions {
                connect_time,
                answer_time,
                max_answer,
                accept,
                observer,
                ..LinkOptions::default()
            },
            open: Mutex::new(None),
        })
    }

    /// Makes the connection, unless there is one; returns its protection.
    pub(crate) async fn connect(&self) -> Result<Protection, Error> {
        self.connected(|session| session.protection).await
    }

    /// The addresses of both ends of the connection, which is made for that: ours, and the agent's.
    pub(crate) async fn addresses(&self) -> Result<(SocketAddr, SocketAddr), Error> {
        self.connected(|session| (session.local, session.peer)).await
    }

    async fn connected<T>(&self, of: impl FnOnce(&SessionInfo) -> T) -> Result<T, Error> {
        let mut open = self.open.lock().await;
        if let Some(link) = open.as_ref().filter(|link| link.is_open()) {
            return Ok(of(link.session()));
        }
        let link = self.dial().await?;
        let found = of(link.session());
        *open = Some(link);
        Ok(found)
    }

    /// Closes the connection, if there is one and it is not in use; the next request opens another one.
    pub(crate) fn close(&self) -> bool {
        self.open.try_lock().ok().and_then(|mut open| open.take()).is_some()
    }

    /// The same, and waits for the connection's end.
    pub(crate) async fn close_in_order(&self) {
        let link = self.open.lock().await.take();
        if let Some(link) = link {
            link.close().await;
        }
    }

    /// Sends a message and waits for the answer: a message of SOAP, possibly a fault. `action` is for SOAP 1.1
    /// (section 6.1.1 of its note).
    pub(crate) async fn ask(
        &self,
        action: Option<&str>,
        message: Vec<u8>,
        weight: Weight,
    ) -> Result<Answered, Error> {
        let mut headers = self.headers.clone();
        if let Some(action) = action.and_then(|action| HeaderValue::from_str(&format!("\"{action}\"")).ok()) {
            headers.insert("soapaction", action);
        }
        let message = Bytes::from(message);
        let mut open = self.open.lock().await;
        let began = Instant::now();
        let mut attempts = 0;
        loop {
            let mut link = match open.take().filter(HttpLink::is_open) {
                Some(link) => link,
                None => self.dial().await?,
            };
            attempts += 1;
            match link.post(&self.path, headers.clone(), message.clone()).await {
                Ok(http) => {
                    *open = Some(link);
                    let (request_octets, response_octets) = (message.len(), http.body_octets);
                    let (body, delay) = (soap_of(http)?, began.elapsed());
                    let cost = Cost { request_octets, response_octets, delay, attempts };
                    return Ok(Answered { body, cost });
                }
                Err(fault) if attempts < ATTEMPTS && may_repeat(&fault, weight) => {}
                Err(fault) => return Err(given_up(fault, weight, attempts, began.elapsed())),
            }
        }
    }

    async fn dial(&self) -> Result<HttpLink, Error> {
        let addresses = dial::resolve(&self.host, self.port, Family::Any).await?;
        let server = self.tls.as_ref().map(|tls| tls.server(&self.host));
        let tls = self.tls.as_ref().zip(server.as_ref()).map(|(tls, server)| (&*tls.client, server));
        let place = Place { addresses: &addresses, authority: &self.authority, tls };
        let made: Result<HttpLink, TransportError> = HttpLink::connect(place, self.options.clone()).await;
        Ok(made?)
    }
}

/// Without the default port.
fn authority(target: &SoapTarget) -> String {
    let whole = target.authority();
    let usual = Protocol::Http.port(target.transport).map(|port| format!(":{port}"));
    usual.and_then(|usual| whole.strip_suffix(&usual)).map_or_else(|| whole.clone(), str::to_owned)
}

pub(crate) fn may_repeat(fault: &HttpLinkError, weight: Weight) -> bool {
    match (fault, fault.received()) {
        (HttpLinkError::Path { .. } | HttpLinkError::TimedOut { .. } | HttpLinkError::NotHttp { .. }, _) => {
            false
        }
        // Whoever is refused now is refused at the next attempt too.
        (HttpLinkError::Tls(fault), _) if fault.is_refusal() => false,
        (_, Received::No) => true,
        (_, Received::Unknown) => weight == Weight::Reads,
        (_, Received::Yes) => false,
    }
}

pub(crate) fn given_up(fault: HttpLinkError, weight: Weight, attempts: u32, waited: Duration) -> Error {
    match (fault, weight) {
        (HttpLinkError::TimedOut { .. }, _) => Error::Timeout { attempts, waited, ignored: 0 },
        (HttpLinkError::Tls(fault), _) if fault.is_refusal() => Error::Tls(Arc::new(fault)),
        (HttpLinkError::Failed { .. } | HttpLinkError::Tls(_), Weight::Writes) => {
            Error::OutcomeUnknown { kind: None }
        }
        (HttpLinkError::NotSent { .. } | HttpLinkError::Failed { .. } | HttpLinkError::Tls(_), _) => {
            Error::ConnectionLost { kind: None }
        }
        (fault, _) => Error::Http(Arc::new(fault)),
    }
}

/// The body, if it is SOAP, or nothing if there is no answer; faults have statuses other than 200 (SOAP 1.2 part 2
/// section 7.5.2.2).
fn soap_of(answer: HttpAnswer) -> Result<Bytes, Error> {
    if matches!(answer.status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) && answer.body.is_empty() {
        return Ok(answer.body);
    }
    let kind =
        answer.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if SoapVersion::of_media_type(kind).is_some() {
        return Ok(answer.body);
    }
    let octets =
        if kind.starts_with("text/plain") { &answer.body[..answer.body.len().min(LONGEST)] } else { &[] };
    let words = String::from_utf8_lossy(octets).replace(char::is_control, " ").trim().to_owned();
    Err(Error::HttpStatus { status: answer.status.as_u16(), words })
}

/// The minimum: shorter time-outs are meant for answers, not for connections.
pub const CONNECT_TIME: Duration = Duration::from_secs(5);
/// A broken connection may be noticed only when it is used.
pub(crate) const ATTEMPTS: u32 = 2;
/// Octets of a server's text that are shown.
const LONGEST: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reads_are_repeated_if_the_outcome_is_unknown() {
        let cause = String::new();
        let failed = HttpLinkError::Failed { cause: cause.clone() };
        let not_sent = HttpLinkError::NotSent { cause };
        assert!(may_repeat(&failed, Weight::Reads) && !may_repeat(&failed, Weight::Writes));
        assert!(may_repeat(&not_sent, Weight::Reads) && may_repeat(&not_sent, Weight::Writes));
        assert!(!may_repeat(&HttpLinkError::TooLong { limit: 1 }, Weight::Reads));
        let unknown = given_up(failed, Weight::Writes, 1, Duration::ZERO);
        assert!(matches!(unknown, Error::OutcomeUnknown { .. }));
    }
}
