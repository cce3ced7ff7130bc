//! A request and its answer, as a handler sees them.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use super::coding::Coding;
use super::flow::HttpFlow;
use super::guard::Growth;
use crate::register::Standing;
use crate::session::SessionInfo;
use crate::tcp::HandshakeError;
use crate::{Closing, Transport};

/// A whole request.
#[derive(Clone)]
pub struct HttpRequest {
    /// The method.
    pub method: Method,
    /// The host that the peer addressed, with its port if one was given. HTTP/1.0 may omit it; an
    /// empty field is an empty host.
    pub authority: Option<String>,
    /// The path as it was sent: it begins with `/` (or is `*`), with percent-escapes.
    pub path: String,
    /// The text after the `?`, as it was sent.
    pub query: Option<String>,
    /// The fields of the head.
    pub headers: HeaderMap,
    /// The body, decompressed; within [`super::HttpLimits::max_request`].
    pub body: Bytes,
    /// Bytes of the body on the wire.
    pub body_octets: usize,
    /// The peer, as the transport knows it.
    pub session: Arc<SessionInfo>,
    /// The peer's standing.
    pub(super) standing: Arc<Standing>,
    /// The answer while it is being written.
    pub(super) growth: Arc<Growth>,
    /// How the handler may compress the answer's body itself, if that is faster; otherwise the server does it.
    pub packing: Option<Packing>,
}

/// How the server would compress a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The coding that the peer prefers.
    pub coding: Coding,
    /// A body of at most this many bytes stays uncompressed.
    pub above: usize,
}

impl HttpRequest {
    /// The value of a field that is text and occurs at most once; `None` otherwise.
    #[must_use]
    pub fn header(&self, name: HeaderName) -> Option<&str> {
        let mut all = self.headers.get_all(name).iter();
        let first = all.next()?;
        if all.next().is_some() { None } else { first.to_str().ok() }
    }

    /// The sender is authenticated, or known by a community: from now on its connection does not give way to newer
    /// ones.
    pub fn accept(&self) {
        self.standing.accept();
    }

    /// Whether there is room for an answer of this many bytes so far, which will have at most `limit`. A handler asks
    /// while it writes a long answer, and stops if there is none: whatever it returns, the peer gets 503 then.
    #[must_use]
    pub fn has_room(&self, octets: usize, limit: usize) -> bool {
        self.growth.reaches(octets, limit)
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
    /// Without header fields and body: they may contain passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("octets", &self.body.len())
            .field("peer", &self.session.peer)
            .finish_non_exhaustive()
    }
}

/// An answer. The server adds its length, date and compression.
#[derive(Debug)]
pub struct HttpResponse {
    /// Its status.
    pub status: StatusCode,
    /// The fields of the head, without those that the server writes.
    pub headers: HeaderMap,
    /// The body, uncompressed unless [`Self::packed`] was called. For a HEAD it is the body of the GET: the server
    /// omits it.
    pub body: HttpBody,
    /// The length of the body before the handler compressed it.
    pub octets_before: Option<usize>,
    /// A body that is written while it is sent, instead of `body`; it is not compressed.
    pub flow: Option<HttpFlow>,
}

impl HttpResponse {
    /// An answer without a body.
    #[must_use]
    pub fn empty(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: HttpBody::default(), octets_before: None, flow: None }
    }

    /// An answer with a body of this media type.
    #[must_use]
    pub fn new(status: StatusCode, media_type: &'static str, body: impl Into<HttpBody>) -> Self {
        let response = Self { body: body.into(), ..Self::empty(status) };
        response.with(header::CONTENT_TYPE, HeaderValue::from_static(media_type))
    }

    /// An answer whose body is written while it is sent.
    #[must_use]
    pub fn flowing(status: StatusCode, media_type: &'static str, flow: HttpFlow) -> Self {
        let response = Self { flow: Some(flow), ..Self::empty(status) };
        response.with(header::CONTENT_TYPE, HeaderValue::from_static(media_type))
    }

    /// A stream of server-sent events: it goes on until the peer leaves or closes its side, which the writer learns at once.
    #[must_use]
    pub fn events(mut flow: HttpFlow) -> Self {
        flow.is_endless = true;
        Self::flowing(StatusCode::OK, "text/event-stream", flow)
    }

    /// The same with its compressed body, as [`HttpRequest::packing`] allows; the server writes all the header
    /// fields for it.
    #[must_use]
    pub fn packed(mut self, coding: Coding, body: Vec<u8>) -> Self {
        self.octets_before = Some(self.body.len());
        self.body = body.into();
        self.with(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()))
    }

    /// A line of text for a person: what was wrong and what to do.
    #[must_use]
    pub fn text(status: StatusCode, line: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{line}\n").into_bytes())
    }

    /// The same with another header field, replacing one of that name.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

/// The bytes of an answer, in consecutive parts. Many answers may share a part: it is never copied.
#[derive(Clone, Debug, Default)]
pub struct HttpBody {
    parts: VecDeque<Bytes>,
    is_shared: bool,
}

impl HttpBody {
    /// A body shared by many answers: its compressed form is cached too.
    pub fn shared(parts: impl IntoIterator<Item = Bytes>) -> Self {
        Self { is_shared: true, ..parts.into_iter().collect() }
    }

    /// Its length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.iter().map(Bytes::len).sum()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether many answers share it.
    pub(super) const fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Whether both are the same: small parts are compared by content, others by address.
    pub(super) fn is(&self, other: &Self) -> bool {
        let same = |one: &Bytes, other: &Bytes| {
            one.len() == other.len() && (one.as_ptr() == other.as_ptr() || one.len() <= SMALL && one == other)
        };
        self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(one, other)| same(one, other))
    }

    /// Takes up to this many bytes from the beginning.
    pub(super) fn take(&mut self, octets: usize) -> Bytes {
        let Some(first) = self.parts.front_mut() else { return Bytes::new() };
        if octets < first.len() {
            return first.split_to(octets);
        }
        self.parts.pop_front().unwrap_or_default()
    }

    /// All of it in one piece.
    #[must_use]
    pub fn join(&self) -> Bytes {
        match self.parts.len() {
            1 => self.parts[0].clone(),
            _ => self.parts.iter().flatten().copied().collect(),
        }
    }
}

impl FromIterator<Bytes> for HttpBody {
    fn from_iter<I: IntoIterator<Item = Bytes>>(parts: I) -> Self {
        Self { parts: parts.into_iter().filter(|part| !part.is_empty()).collect(), is_shared: false }
    }
}

impl From<Bytes> for HttpBody {
    fn from(octets: Bytes) -> Self {
        std::iter::once(octets).collect()
    }
}

impl From<Vec<u8>> for HttpBody {
    fn from(octets: Vec<u8>) -> Self {
        Bytes::from(octets).into()
    }
}

/// Parts up to this size are compared by content.
const SMALL: usize = 1_024;

/// Answers requests.
pub trait HttpHandler: Send + Sync + 'static {
    /// Answers one whole request. It does not learn that the peer has gone away: a request in progress is finished
    /// or dropped.
    fn handle(&self, request: HttpRequest) -> impl Future<Output = HttpResponse> + Send;

    /// Signals its servers to shut down; by default never.
    fn closing(&self) -> Closing {
        Closing::default()
    }

    /// A peer got no session: it failed to authenticate, or did not even try. For counting and reports; it has been logged.
    fn failed(&self, peer: SocketAddr, transport: Transport, error: &HandshakeError) {
        let _ = (peer, transport, error);
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
