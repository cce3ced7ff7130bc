//! The kept connection of HTTP: opened when needed, and again after it broke. A read is then sent once more.

use tokio::sync::Mutex;
use trunkline_netconf::over_http::DATA_XML;
use trunkline_transport::dial::{self, Family};
use trunkline_transport::http::client::{Followed, HttpAnswer, HttpLink, HttpStream, LinkOptions, Place};
use trunkline_transport::http::{Bytes, HeaderMap, HeaderName, HeaderValue, Method, header};
use trunkline_transport::{Protocol, Transport};

use super::super::NetconfOptions;
use super::super::link::Weight;
use crate::error::Error;
use crate::secure::{Secure, Tls};
use crate::soap::link::{self as http, CONNECT_TIME};
use crate::target::NetconfTarget;

/// A connection that is reopened when needed.
pub(super) struct Connection {
    target: NetconfTarget,
    options: NetconfOptions,
    /// One request at a time.
    open: Mutex<Option<HttpLink>>,
}

/// An answer.
pub(super) struct Got {
    pub status: u16,
    pub media_type: String,
    pub is_xml: bool,
    pub body: Bytes,
    /// Octets of the body on the wire.
    pub octets: usize,
    pub attempts: u32,
}

impl Connection {
    pub fn new(target: NetconfTarget, options: NetconfOptions) -> Self {
        Connection { target, options, open: Mutex::new(None) }
    }

    pub async fn close(&self) {
        let link = self.open.lock().await.take();
        if let Some(link) = link {
            link.close().await;
        }
    }

    /// Sends a GET.
    pub async fn get(&self, path: &str, accept: Option<HeaderValue>) -> Result<Got, Error> {
        let mut headers = self.headers();
        accept.into_iter().for_each(|accept| drop(headers.insert(header::ACCEPT, accept)));
        self.send(&Method::GET, path, headers, Bytes::new(), Weight::Reads).await
    }

    /// Sends a request; returns the octets of its body too.
    pub async fn request(
        &self,
        method: &Method,
        path: &str,
        body: Option<(Vec<u8>, &'static str)>,
        weight: Weight,
    ) -> Result<(usize, Got), Error> {
        let mut headers = self.headers();
        let (body, media_type) =
            body.map_or((Vec::new(), None), |(body, media_type)| (body, Some(media_type)));
        if let Some(media_type) = media_type {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
            if media_type != DATA_XML {
                // The status of a patch has a type of its own, which is that of data.
                headers.insert(header::ACCEPT, HeaderValue::from_static(ACCEPT));
            }
        }
        let octets = body.len();
        let got = self.send(method, path, headers, body.into(), weight).await?;
        Ok((octets, got))
    }

    /// Asks for a stream of events, on a connection of its own.
    pub async fn follow(&self, path: &str) -> Result<Result<HttpStream, Got>, Error> {
        let mut headers = self.headers();
        headers.insert(header::ACCEPT, HeaderValue::from_static(EVENTS));
        let link = self.dial(usize::MAX).await?;
        let failed = |fault| http::given_up(fault, http::Weight::Reads, 1, self.options.timeout);
        match link.follow(path, headers).await.map_err(failed)? {
            Followed::Stream(stream) => Ok(Ok(*stream)),
            Followed::Answer(answer) => Ok(Err(Got::of(answer, 1))),
        }
    }

    async fn send(
        &self,
        method: &Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
        weight: Weight,
    ) -> Result<Got, Error> {
        let weight = if weight == Weight::Reads { http::Weight::Reads } else { http::Weight::Writes };
        let began = std::time::Instant::now();
        let mut open = self.open.lock().await;
        let mut attempts = 0;
        loop {
            let mut link = match open.take().filter(HttpLink::is_open) {
                Some(link) => link,
                None => self.dial(self.options.max_reply).await?,
            };
            attempts += 1;
            match link.request(method.clone(), path, headers.clone(), body.clone()).await {
                Ok(answer) => {
                    *open = Some(link);
                    return Ok(Got::of(answer, attempts));
                }
                Err(fault) if attempts < http::ATTEMPTS && http::may_repeat(&fault, weight) => {}
                Err(fault) => return Err(http::given_up(fault, weight, attempts, began.elapsed())),
            }
        }
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(DATA_XML));
        if let Some(login) = &self.target.http
            && let Ok(mut value) = HeaderValue::from_str(login.authorization())
        {
            // Not logged, and kept out of HTTP/2's header compression.
            value.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, value);
        }
        if let Some(role) = &self.options.role {
            // What cannot be sent must not become a request on behalf of nobody: no role has an empty name.
            let role = HeaderValue::from_bytes(role.as_bytes());
            headers.insert(ROLE, role.unwrap_or_else(|_| HeaderValue::from_static("")));
        }
        headers
    }

    async fn dial(&self, max_answer: usize) -> Result<HttpLink, Error> {
        let NetconfTarget { transport, secure, host, port, .. } = &self.target;
        let tls: Option<Tls> = match transport {
            Transport::Https => Some(Secure::tls_of(secure.as_ref(), *transport)?),
            _ => None,
        };
        let addresses = dial::resolve(host, *port, Family::Any).await?;
        let server = tls.as_ref().map(|tls| tls.server(host));
        let tls = tls.as_ref().zip(server.as_ref()).map(|(tls, server)| (&*tls.client, server));
        let whole = self.target.authority();
        let usual = Protocol::Http.port(*transport).map(|port| format!(":{port}")).unwrap_or_default();
        let authority = whole.strip_suffix(&usual).unwrap_or(&whole);
        let options = LinkOptions {
            connect_time: self.options.connect_time.max(CONNECT_TIME),
            answer_time: self.options.timeout,
            max_answer,
            ..LinkOptions::default()
        };
        let place = Place { addresses: &addresses, authority, tls };
        Ok(HttpLink::connect(place, options).await?)
    }
}

impl Got {
    fn of(answer: HttpAnswer, attempts: u32) -> Got {
        let media_type = answer.headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
        let media_type = media_type.map(|it| it.split(';').next().unwrap_or(it).trim()).unwrap_or_default();
        let media_type: String = media_type.chars().take(100).collect();
        let lower = media_type.to_ascii_lowercase();
        let is_xml = lower.ends_with("+xml") || lower.ends_with("/xml");
        let (status, octets) = (answer.status.as_u16(), answer.body_octets);
        Got { status, media_type, is_xml, body: answer.body, octets, attempts }
    }

    /// The error for an answer that has no reply in it.
    pub fn refused(&self) -> Error {
        let text = String::from_utf8_lossy(&self.body[..self.body.len().min(LONGEST)]);
        let words = match text.split_once("<error-message>") {
            Some((_, rest)) => rest.split('<').next().unwrap_or_default(),
            None if self.media_type == "text/plain" => &text,
            None => "",
        };
        let words = words.replace(char::is_control, " ").trim().to_owned();
        Error::HttpStatus { status: self.status, words }
    }
}

const ACCEPT: &str = "application/yang-data+xml, application/yang-patch-status+xml";
const EVENTS: &str = "text/event-stream";
/// Octets of a server's text that are searched for its words.
const LONGEST: usize = 2_000;

/// The role that a request is on behalf of.
const ROLE: HeaderName = HeaderName::from_static("trunkline-role");
