//! The path of a request from the connection to the handler: its body is read and decompressed within limits, its
//! answer compressed if the peer allows it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Version, header};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::timeout;
use zeroize::Zeroize;

use super::coding::{Accepted, Coding, accepted, content_coding, forget_codings, tag_in};
use super::compress::Compressors;
use super::counters::{HttpCounters, HttpRequestCounters};
use super::flow::{CutShort, HttpFlow};
use super::guard::{Growth, Line, Request};
use super::inflate::{Bounds, InflateError, inflate};
use super::limits::HttpLimits;
use super::message::{HttpBody, HttpHandler, HttpRequest, HttpResponse, Packing};
use crate::counters::{add, count};
use crate::session::SessionInfo;

/// What all connections of a server share.
pub(super) struct House<H> {
    pub handler: Arc<H>,
    pub limits: HttpLimits,
    pub counters: Arc<HttpCounters>,
    compressors: Arc<Compressors>,
    /// Compressed forms of shared bodies.
    packed: Packed,
    /// Bytes of request bodies being held.
    held: Arc<AtomicUsize>,
}

impl<H> House<H> {
    pub(super) fn new(handler: Arc<H>, limits: HttpLimits, counters: Arc<HttpCounters>) -> Self {
        let compressors = Arc::new(Compressors::new(limits.compression));
        Self { handler, limits, counters, compressors, packed: Packed::default(), held: Arc::default() }
    }
}

/// Answers the requests of one connection.
pub(super) struct Service<H> {
    session: Arc<SessionInfo>,
    line: Arc<Line>,
    house: Arc<House<H>>,
}

impl<H: HttpHandler> Service<H> {
    pub(super) fn new(info: SessionInfo, line: Arc<Line>, house: Arc<House<H>>) -> Self {
        Self { session: Arc::new(info), line, house }
    }
}

impl<H: HttpHandler> hyper::service::Service<http::Request<Incoming>> for Service<H> {
    type Response = Response<Answer>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Answer>, Infallible>> + Send>>;

    fn call(&self, request: http::Request<Incoming>) -> Self::Future {
        let mut work = self.line.begin();
        let (session, line, house) = (self.session.clone(), self.line.clone(), self.house.clone());
        count(&house.counters.requests.requests);
        house.counters.connections.asked();
        // A stream costs memory before anything is answered.
        let has_room = work.hold(0).is_ok();
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let way = Way {
                has: forget_codings(&mut parts.headers),
                accepted: accepted(&parts.headers),
                is_head: parts.method == Method::HEAD,
                in_pieces: parts.version == Version::HTTP_2,
            };
            if !has_room {
                line.leave_unread();
                let response = house.crowded_out(!way.in_pieces);
                house.counters.answered(response.status);
                work.answer();
                return Ok(house.send(response, way, work).await);
            }
            line.room().await;
            let growth = Arc::new(Growth::on(&line));
            let peer = Peer { session, line: line.clone(), growth: growth.clone() };
            let response = match house.take_in(parts, body, peer, &way).await {
                Ok(request) => house.handler.handle(request).await,
                Err(refusal) => {
                    refusal.count(&house.counters.requests);
                    line.leave_unread();
                    refusal.answer(!way.in_pieces)
                }
            };
            let response = match growth.end().then(|| work.hold(response.body.len())) {
                Some(Ok(())) => response,
                _ => house.crowded_out(!way.in_pieces),
            };
            house.counters.answered(response.status);
            match &response.flow {
                None => work.answer(),
                Some(flow) if flow.is_endless => work.is_endless(),
                Some(_) => {}
            }
            Ok(house.send(response, way, work).await)
        })
    }
}

/// How an answer is sent.
struct Way {
    /// The entity tags of what the peer has.
    has: Option<HeaderValue>,
    accepted: Accepted,
    is_head: bool,
    /// Over HTTP/2 the peer accepts each answer at its own pace: sending pieces shows whether it does.
    in_pieces: bool,
}

impl Way {
    /// The entity tag of an answer that is compressed, or says that what the peer has so is still the same.
    fn tag_of(&self, status: StatusCode, headers: &HeaderMap) -> Option<HeaderValue> {
        let tag = headers.get(header::ETAG)?;
        if status != StatusCode::NOT_MODIFIED {
            return tag_in(content_coding(headers).ok()??, tag);
        }
        let has = self.has.as_ref()?.to_str().ok()?;
        tag_in(self.accepted.coding?, tag).filter(|tag| tag.to_str().is_ok_and(|tag| has.contains(tag)))
    }
}

/// Who asks, and the answer that is being written.
struct Peer {
    session: Arc<SessionInfo>,
    line: Arc<Line>,
    growth: Arc<Growth>,
}

/// Why a request does not reach the handler.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("a request of HTTP/1.1 names its host, once (RFC 9112 section 3.2)")]
    Host,
    #[error("the target of the request is longer than {LONGEST_TARGET} bytes (RFC 9110 section 15.5.15)")]
    LongTarget,
    #[error("CONNECT is not understood: this is not a proxy")]
    Connect,
    #[error("the only transfer coding that is understood is chunked (RFC 9112 section 6.1)")]
    TransferCoding,
    #[error("the body is chunked once, and Transfer-Encoding says so once (RFC 9112 section 6.1)")]
    ChunkedTwice,
    #[error(transparent)]
    Coding(#[from] super::coding::UnknownCoding),
    #[error("the body is longer than {limit} octets, which is what is taken here")]
    TooLong { limit: usize },
    #[error(transparent)]
    Inflate(#[from] InflateError),
    #[error("the body ended before its announced end, or is not framed as its head says")]
    CutShort,
    #[error("the body took too long to arrive")]
    Slow,
    #[error("too much is being worked on: come again in a moment")]
    Crowded,
}

impl Refusal {
    const fn status(&self) -> StatusCode {
        match self {
            Self::Host | Self::ChunkedTwice | Self::CutShort => StatusCode::BAD_REQUEST,
            Self::LongTarget => StatusCode::URI_TOO_LONG,
            Self::Connect | Self::TransferCoding => StatusCode::NOT_IMPLEMENTED,
            Self::Coding(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLong { .. }
            | Self::Inflate(InflateError::TooLong { .. } | InflateError::Bomb { .. }) => {
                StatusCode::PAYLOAD_TOO_LARGE
            }
            Self::Inflate(_) => StatusCode::BAD_REQUEST,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::Crowded => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn count(&self, counters: &HttpRequestCounters) {
        match self {
            Self::Host | Self::LongTarget | Self::Connect | Self::TransferCoding | Self::ChunkedTwice => {}
            Self::Coding(_) => count(&counters.unknown_codings),
            Self::TooLong { .. } | Self::Inflate(InflateError::TooLong { .. }) => count(&counters.too_large),
            Self::Inflate(InflateError::Bomb { .. }) => {
                count(&counters.too_large);
                count(&counters.bombs);
            }
            Self::Inflate(_) | Self::CutShort => count(&counters.bad_bodies),
            Self::Slow => count(&counters.slow_bodies),
            Self::Crowded => count(&counters.crowded_out),
        }
    }

    /// `close`: the rest of the request will not be read, so the connection ends with it.
    fn answer(&self, close: bool) -> HttpResponse {
        let mut response = HttpResponse::text(self.status(), &self.to_string())
            .with(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if close && !matches!(self, Self::Inflate(_)) {
            response = response.with(header::CONNECTION, HeaderValue::from_static("close"));
        }
        match self {
            // RFC 9110 section 12.5.3: in an answer it lists what would have been accepted.
            Self::Coding(_) => {
                response.with(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate"))
            }
            Self::Crowded => response.with(header::RETRY_AFTER, HeaderValue::from_static("1")),
            _ => response,
        }
    }
}

/// A body is chunked once or not at all: where two readers of a request disagree on that, one of them takes a part of the body
/// for another request.
fn transfer_coding(headers: &HeaderMap) -> Result<(), Refusal> {
    let fields = headers.get_all(header::TRANSFER_ENCODING).iter();
    let codings: Vec<&[u8]> =
        fields.flat_map(|field| field.as_bytes().split(|octet| *octet == b',')).collect();
    match codings.iter().all(|coding| coding.trim_ascii().eq_ignore_ascii_case(b"chunked")) {
        false => Err(Refusal::TransferCoding),
        true if codings.len() > 1 => Err(Refusal::ChunkedTwice),
        true => Ok(()),
    }
}

impl<H: HttpHandler> House<H> {
    /// The whole request, if it is within its limits.
    async fn take_in(
        &self,
        parts: Parts,
        body: Incoming,
        peer: Peer,
        way: &Way,
    ) -> Result<HttpRequest, Refusal> {
        let hosts = parts.headers.get_all(header::HOST).iter().count();
        if hosts > 1 || (hosts == 0 && parts.version == Version::HTTP_11) {
            return Err(Refusal::Host);
        }
        if parts.uri.path_and_query().is_some_and(|it| it.as_str().len() > LONGEST_TARGET) {
            return Err(Refusal::LongTarget);
        }
        if parts.method == Method::CONNECT {
            return Err(Refusal::Connect);
        }
        transfer_coding(&parts.headers)?;
        let coding = content_coding(&parts.headers)?;
        let time = self.limits.body_time;
        let mut body = timeout(time, self.read(body, &peer.line)).await.unwrap_or(Err(Refusal::Slow))?;
        let body_octets = body.octets.len();
        if let Some(coding) = coding.filter(|_| body_octets > 0) {
            let bounds = Bounds { octets: self.limits.max_request, growth: self.limits.max_growth };
            let whole = inflate(&body.octets, coding, bounds)?;
            body = self.hold(whole.len())?.with(whole);
        }
        let host = || parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let authority = parts.uri.authority().map(|authority| authority.as_str()).or_else(host);
        Ok(HttpRequest {
            authority: authority.map(str::to_owned),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().map(str::to_owned),
            body: if body.octets.is_empty() { Bytes::new() } else { Bytes::from_owner(body) },
            body_octets,
            method: parts.method,
            headers: parts.headers,
            session: peer.session,
            standing: peer.line.standing(),
            growth: peer.growth,
            packing: self.packing(way),
        })
    }

    /// The handler may compress instead of the server at the fastest level only: other levels are chosen for their
    /// size.
    fn packing(&self, way: &Way) -> Option<Packing> {
        let coding = way.accepted.coding.filter(|_| self.limits.compression == 1)?;
        Some(Packing { coding, above: if way.accepted.identity { self.limits.compress_above } else { 0 } })
    }

    async fn read(&self, mut body: Incoming, line: &Line) -> Result<Held, Refusal> {
        let limit = self.limits.max_request;
        let too_long = Refusal::TooLong { limit };
        let mut held = self.hold(0)?;
        if body.is_end_stream() {
            return Ok(held);
        }
        if let Some(announced) = body.size_hint().exact() {
            match usize::try_from(announced) {
                Ok(octets) if octets <= limit => held.octets.reserve(octets.min(FIRST_ROOM)),
                _ => return Err(too_long),
            }
        }
        let frame = |body: &mut Incoming, cx: &mut Context<'_>| match Pin::new(body).poll_frame(cx) {
            Poll::Pending => line.poll_ended(cx).map(|()| Some(Err(CutShort))),
            Poll::Ready(frame) => Poll::Ready(frame.map(|frame| frame.map_err(|_| CutShort))),
        };
        while let Some(frame) = poll_fn(|cx| frame(&mut body, cx)).await {
            let Ok(frame) = frame else { return Err(Refusal::CutShort) };
            // Trailers are ignored.
            let Some(octets) = frame.data_ref() else { continue };
            if held.octets.len() + octets.len() > limit {
                return Err(too_long);
            }
            held.reserve(octets.len(), self.limits.max_bodies)?;
            held.octets.extend_from_slice(octets);
        }
        Ok(held)
    }

    fn hold(&self, octets: usize) -> Result<Held, Refusal> {
        let mut held = Held { octets: Vec::new(), reserved: 0, all: Arc::clone(&self.held) };
        held.reserve(octets, self.limits.max_bodies)?;
        Ok(held)
    }

    /// Compresses if requested and worthwhile, and writes the header fields for it.
    async fn send(&self, response: HttpResponse, way: Way, mut work: Request) -> Response<Answer> {
        let HttpResponse { status, mut headers, mut body, octets_before, flow } = response;
        if way.in_pieces {
            // HTTP/2 has no such field (RFC 9113 section 8.2.2).
            headers.remove(header::CONNECTION);
        }
        let is_flowing = flow.is_some();
        let flow = flow.filter(|_| !way.is_head);
        if let Some(before) = octets_before {
            self.count_compressed(before, body.len());
        }
        let may_compress = self.limits.compression > 0
            && !headers.contains_key(header::CONTENT_ENCODING)
            && (body.len() > self.limits.compress_above || !way.accepted.identity)
            && !body.is_empty();
        // What is kept says so whatever this answer is: also one that is not compressed, and the confirmation that it is still the same
        // (RFC 9110 section 15.4.5).
        let is_kept = headers.contains_key(header::ETAG) && !headers.contains_key(header::CONTENT_ENCODING);
        let varies = is_kept && (status == StatusCode::NOT_MODIFIED || !body.is_empty());
        if octets_before.is_some() || may_compress || varies && self.limits.compression > 0 {
            headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        if may_compress && let Some(coding) = way.accepted.coding {
            let before = body.len();
            let compressed;
            (body, compressed) = match body.is_shared() {
                true => self.packed.of(body, coding, &self.compressors).await,
                false => compress(&self.compressors, body, coding).await,
            };
            if compressed {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
                self.count_compressed(before, body.len());
            }
        }
        if let Some(tag) = way.tag_of(status, &headers) {
            headers.insert(header::ETAG, tag);
        }
        // The length of a body that is written while it is sent is not known, whatever the method (RFC 9110 section 9.3.2).
        let has_length = !is_flowing
            && !status.is_informational()
            && status != StatusCode::NO_CONTENT
            && status != StatusCode::NOT_MODIFIED;
        if has_length {
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
        }
        if way.is_head || !has_length {
            body = HttpBody::default();
        }
        // It does not hold more than before: the original of a compressed body and an omitted body are no longer
        // counted, and a shared body costs nothing.
        let _ = work.hold(if body.is_shared() { 0 } else { body.len() });
        let work = Some(Arc::new(work));
        let mut response = Response::new(Answer { rest: body, in_pieces: way.in_pieces, work, flow });
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }

    /// Replaces an answer that there is no room for.
    fn crowded_out(&self, close: bool) -> HttpResponse {
        Refusal::Crowded.count(&self.counters.requests);
        Refusal::Crowded.answer(close)
    }

    fn count_compressed(&self, before: usize, after: usize) {
        let counters = &self.counters.requests;
        count(&counters.compressed);
        add(&counters.octets_before, before);
        add(&counters.octets_compressed, after);
    }
}

/// The body, and whether it is compressed now. A long one is compressed on a separate thread.
async fn compress(compressors: &Arc<Compressors>, body: HttpBody, coding: Coding) -> (HttpBody, bool) {
    let (compressors, at_once) = (Arc::clone(compressors), body.len() <= AT_ONCE);
    let work = move || match compressors.compress(&body.join(), coding) {
        Some(compressed) => (compressed.into(), true),
        None => (body, false),
    };
    if at_once {
        return work();
    }
    // It does not panic; if it did, the answer would be lost with its connection.
    tokio::task::spawn_blocking(work).await.unwrap_or_default()
}

/// Shared bodies and their compressed forms, the latest first. They are compressed one at a time: a concurrent
/// request for the same body gets the result too.
#[derive(Default)]
struct Packed(tokio::sync::Mutex<VecDeque<(HttpBody, Coding, HttpBody)>>);

impl Packed {
    async fn of(&self, body: HttpBody, coding: Coding, compressors: &Arc<Compressors>) -> (HttpBody, bool) {
        let mut known = self.0.lock().await;
        let found = known.iter().find(|(plain, packed_as, _)| *packed_as == coding && plain.is(&body));
        if let Some((_, _, packed)) = found {
            return (packed.clone(), true);
        }
        let (packed, is_packed) = compress(compressors, body.clone(), coding).await;
        if is_packed {
            known.truncate(MOST_PACKED - 1);
            known.push_front((body, coding, packed.clone()));
        }
        (packed, is_packed)
    }
}

/// A body that is held and counted.
struct Held {
    octets: Vec<u8>,
    reserved: usize,
    all: Arc<AtomicUsize>,
}

impl Held {
    fn reserve(&mut self, octets: usize, limit: usize) -> Result<(), Refusal> {
        let before = self.all.fetch_add(octets, Relaxed);
        self.reserved += octets;
        // What was reserved is returned by the drop.
        if before.saturating_add(octets) > limit { Err(Refusal::Crowded) } else { Ok(()) }
    }

    fn with(mut self, octets: Vec<u8>) -> Self {
        self.octets.zeroize();
        self.octets = octets;
        self
    }
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.octets
    }
}

impl Drop for Held {
    /// It may have been the form of a login.
    fn drop(&mut self) {
        self.octets.zeroize();
        self.all.fetch_sub(self.reserved, Relaxed);
    }
}

/// The body of an answer being sent.
pub(super) struct Answer {
    rest: HttpBody,
    in_pieces: bool,
    work: Option<Arc<Request>>,
    /// Where more comes from.
    flow: Option<HttpFlow>,
}

impl Body for Answer {
    type Data = Bytes;
    type Error = CutShort;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutShort>>> {
        let is_empty = self.rest.is_empty();
        if let Some(flow) = self.flow.as_mut().filter(|_| is_empty) {
            match ready!(flow.poll_part(cx)) {
                Some(Ok(part)) => self.rest = part.into(),
                Some(Err(cut)) => return Poll::Ready(Some(Err(cut))),
                None => self.flow = None,
            }
        }
        let octets = if self.in_pieces { PIECE } else { usize::MAX };
        let octets = self.rest.take(octets);
        let is_last = self.rest.is_empty() && self.flow.is_none();
        let work = if is_last { self.work.take() } else { self.work.clone() };
        let Some(work) = work.filter(|_| !octets.is_empty()) else { return Poll::Ready(None) };
        let lent = if self.flow.is_some() { octets.len() } else { 0 };
        if lent > 0 && work.lend(lent).is_err() {
            return Poll::Ready(Some(Err(CutShort)));
        }
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(Piece { octets, work, lent })))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.flow.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        if self.flow.is_some() { SizeHint::default() } else { SizeHint::with_exact(self.rest.len() as u64) }
    }
}

/// A part of an answer: the request is in progress until the last part was sent.
struct Piece {
    octets: Bytes,
    work: Arc<Request>,
    /// Bytes that count until it is sent.
    lent: usize,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.octets
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        match self.lent {
            0 => self.work.goes_on(),
            lent => self.work.take_back(lent),
        }
    }
}

/// Bytes of an answer passed to HTTP/2 at a time: few enough to notice whether a slow peer accepts them.
const PIECE: usize = 8 << 10;

/// Bytes of the path and the query of a request: as many as RFC 9110 section 4.1 recommends at least, rounded up.
const LONGEST_TARGET: usize = 8 << 10;

/// The initial buffer of a body.
const FIRST_ROOM: usize = 16 << 10;

/// Maximum number of shared bodies whose compressed form is kept.
const MOST_PACKED: usize = 16;

/// Up to this length an answer is compressed inline, which takes a few milliseconds at most.
const AT_ONCE: usize = 128 << 10;
