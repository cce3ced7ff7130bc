//! A request and its answer, as those who answer see them.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use super::coding::Coding;
use crate::Transport;
use crate::session::SessionInfo;
use crate::tcp::HandshakeError;

/// A whole request.
pub struct HttpRequest {
    /// What is to be done.
    pub method: Method,
    /// The host, with its port where one was named, by which the peer calls us. HTTP/1.0 may leave it out.
    pub authority: Option<String>,
    /// The path as it was sent: begins with `/` (or is `*`), with percent-escapes.
    pub path: String,
    /// What stood behind the `?`, as it was sent.
    pub query: Option<String>,
    /// The fields of the head.
    pub headers: HeaderMap,
    /// The body, decompressed; within [`super::HttpLimits::max_request`].
    pub body: Bytes,
    /// Octets of the body as they were on their way.
    pub body_octets: usize,
    /// Who is at the other end, as the transport knows it.
    pub session: Arc<SessionInfo>,
    /// How the answer's body may be compressed by whoever answers, if that is faster; else the server sees to it.
    pub packing: Option<Packing>,
}

/// What the server would do with a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The coding that the peer likes best.
    pub coding: Coding,
    /// A body of no more octets stays as it is.
    pub above: usize,
}

impl HttpRequest {
    /// The value of a field that is text and stands at most once: `None` where it is neither.
    #[must_use]
    pub fn header(&self, name: HeaderName) -> Option<&str> {
        let mut all = self.headers.get_all(name).iter();
        let first = all.next()?;
        if all.next().is_some() { None } else { first.to_str().ok() }
    }

    /// The media type of the body in lower case, without its parameters: `text/xml`.
    #[must_use]
    pub fn media_type(&self) -> Option<String> {
        let value = self.header(header::CONTENT_TYPE)?;
        Some(value.split(';').next().unwrap_or(value).trim().to_ascii_lowercase())
    }

    /// `http` or `https`: how the peer reached us.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        match self.session.transport {
            Transport::Https => "https",
            _ => "http",
        }
    }
}

impl fmt::Debug for HttpRequest {
    /// Without fields and body: there may be passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("octets", &self.body.len())
            .field("peer", &self.session.peer)
            .finish_non_exhaustive()
    }
}

/// A whole answer. Its length, its date and its compression are the server's to say.
#[derive(Clone, Debug)]
pub struct HttpResponse {
    /// How it went.
    pub status: StatusCode,
    /// The fields of the head, without those that the server writes.
    pub headers: HeaderMap,
    /// The body, not compressed unless [`Self::packed`] was called. To a HEAD it is the body of the GET: the server
    /// leaves it out.
    pub body: Vec<u8>,
    /// How many octets the body had before whoever answers compressed it.
    pub octets_before: Option<usize>,
}

impl HttpResponse {
    /// An answer without a body.
    #[must_use]
    pub fn empty(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: Vec::new(), octets_before: None }
    }

    /// An answer with a body of this media type.
    #[must_use]
    pub fn new(status: StatusCode, media_type: &'static str, body: Vec<u8>) -> Self {
        let response = Self { body, ..Self::empty(status) };
        response.with(header::CONTENT_TYPE, HeaderValue::from_static(media_type))
    }

    /// The same with its body compressed, as [`HttpRequest::packing`] allows; the server writes all the fields that go
    /// with it.
    #[must_use]
    pub fn packed(mut self, coding: Coding, body: Vec<u8>) -> Self {
        self.octets_before = Some(self.body.len());
        self.body = body;
        self.with(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()))
    }

    /// A line of text for a person, which says what was wrong and what to do.
    #[must_use]
    pub fn text(status: StatusCode, line: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{line}\n").into_bytes())
    }

    /// The same with another field, in the place of one of that name.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

/// What answers requests.
pub trait HttpHandler: Send + Sync + 'static {
    /// Answers one whole request. It is not told when the peer goes away: what was begun is finished or dropped.
    fn handle(&self, request: HttpRequest) -> impl Future<Output = HttpResponse> + Send;

    /// No session has come of a peer: it could not prove who it is, or did not even try. To be counted; it has been
    /// logged.
    fn failed(&self, transport: Transport, error: &HandshakeError) {
        let _ = (transport, error);
    }
}

impl<F, Fut> HttpHandler for F
where
    F: Fn(HttpRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = HttpResponse> + Send,
{
    fn handle(&self, request: HttpRequest) -> impl Future<Output = HttpResponse> + Send {
        self(request)
    }
}
