//! A request and its answer, as those who answer see them.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use super::coding::Coding;
use crate::register::Standing;
use crate::session::SessionInfo;
use crate::tcp::HandshakeError;
use crate::{Closing, Transport};

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
    /// What the peer has shown of itself.
    pub(super) standing: Arc<Standing>,
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

    /// Whoever sent it has proved who they are, or is known by a community: from now on their connection does not give
    /// way to newer ones.
    pub fn accept(&self) {
        self.standing.accept();
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
    pub body: HttpBody,
    /// How many octets the body had before whoever answers compressed it.
    pub octets_before: Option<usize>,
}

impl HttpResponse {
    /// An answer without a body.
    #[must_use]
    pub fn empty(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: HttpBody::default(), octets_before: None }
    }

    /// An answer with a body of this media type.
    #[must_use]
    pub fn new(status: StatusCode, media_type: &'static str, body: impl Into<HttpBody>) -> Self {
        let response = Self { body: body.into(), ..Self::empty(status) };
        response.with(header::CONTENT_TYPE, HeaderValue::from_static(media_type))
    }

    /// The same with its body compressed, as [`HttpRequest::packing`] allows; the server writes all the fields that go
    /// with it.
    #[must_use]
    pub fn packed(mut self, coding: Coding, body: Vec<u8>) -> Self {
        self.octets_before = Some(self.body.len());
        self.body = body.into();
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

/// The octets of an answer, in parts that follow each other. A part may be shared by many answers: it is never copied.
#[derive(Clone, Debug, Default)]
pub struct HttpBody {
    parts: VecDeque<Bytes>,
    is_shared: bool,
}

impl HttpBody {
    /// A body that is the same for many: its compressed form is kept too.
    pub fn shared(parts: impl IntoIterator<Item = Bytes>) -> Self {
        Self { is_shared: true, ..parts.into_iter().collect() }
    }

    /// How many octets there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.iter().map(Bytes::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether many answers have it.
    pub(super) const fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Whether this is the same: small parts by their octets, others by where they are.
    pub(super) fn is(&self, other: &Self) -> bool {
        let same = |one: &Bytes, other: &Bytes| {
            one.len() == other.len() && (one.as_ptr() == other.as_ptr() || one.len() <= SMALL && one == other)
        };
        self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(one, other)| same(one, other))
    }

    /// Takes up to so many octets from the beginning.
    pub(super) fn take(&mut self, octets: usize) -> Bytes {
        let Some(first) = self.parts.front_mut() else { return Bytes::new() };
        if octets < first.len() {
            return first.split_to(octets);
        }
        self.parts.pop_front().unwrap_or_default()
    }

    /// All of it in one piece.
    pub(super) fn join(&self) -> Bytes {
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

/// Parts that are compared by their octets.
const SMALL: usize = 1_024;

/// What answers requests.
pub trait HttpHandler: Send + Sync + 'static {
    /// Answers one whole request. It is not told when the peer goes away: what was begun is finished or dropped.
    fn handle(&self, request: HttpRequest) -> impl Future<Output = HttpResponse> + Send;

    /// Says when its servers end; by default never.
    fn closing(&self) -> Closing {
        Closing::default()
    }

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
