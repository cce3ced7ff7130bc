//! The client's side: one connection to an HTTP server, kept for many requests.

mod answer;
mod bounded;
mod connect;
mod error;
mod follow;
mod observed;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use super::coding::Coding;
use super::compress::Compressors;
use crate::error::TransportError;
use crate::session::SessionInfo;
use crate::tls::{ServerIdentity, TlsClient, TlsFault};
use crate::trace::Observer;

pub use error::{HttpLinkError, Received};
pub use follow::{Followed, HttpStream};

/// Options of a link.
#[derive(Clone)]
pub struct LinkOptions {
    /// The version of HTTP.
    pub version: HttpVersion,
    /// The time-out of the connection, and again of the TLS handshake. Default 5 s.
    pub connect_time: Duration,
    /// From the first byte of a request to the last of its answer. Default 30 s.
    pub answer_time: Duration,
    /// Bytes of an answer, compressed and decompressed. Default 64 MiB.
    pub max_answer: usize,
    /// How many times its size a compressed answer may grow. Default 1000, the maximum of zlib.
    pub max_growth: usize,
    /// The compressions accepted for an answer, in order of preference. Default none.
    pub accept: Vec<Coding>,
    /// The compression of requests: the server must support it. Default none.
    pub compress: Option<Coding>,
    /// The level: 1 fast to 9 small. Default 6.
    pub level: u32,
    /// Observes the bytes of HTTP in both directions: heads, bodies and frames; for HTTPS those inside TLS.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self {
            version: HttpVersion::One,
            connect_time: Duration::from_secs(5),
            answer_time: Duration::from_secs(30),
            max_answer: 64 << 20,
            max_growth: 1_000,
            accept: Vec::new(),
            compress: None,
            level: 6,
            observer: None,
        }
    }
}

/// The client's version of HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HttpVersion {
    /// HTTP/1.1.
    #[default]
    One,
    /// HTTP/2: over TLS it is negotiated, in cleartext it is assumed.
    Two,
}

/// The address of a server.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Its addresses, in the order to try them.
    pub addresses: &'a [SocketAddr],
    /// The host, and the port unless it is the default, for the request's authority.
    pub authority: &'a str,
    /// For HTTPS: our identity and trust anchors, and the server's expected identity.
    pub tls: Option<(&'a TlsClient, &'a ServerIdentity)>,
}

/// A connection to an HTTP server. It carries one request at a time; dropping it closes the connection, in order if no
/// request is under way.
pub struct HttpLink {
    sender: Sender,
    /// Taken by [`HttpLink::close`].
    driver: Option<JoinHandle<Option<TlsFault>>>,
    /// A request has begun, and its answer is not complete.
    is_busy: bool,
    info: SessionInfo,
    resumed: bool,
    authority: HeaderValue,
    accept: Option<HeaderValue>,
    compressors: Option<(Coding, Compressors)>,
    options: LinkOptions,
}

enum Sender {
    One(http1::SendRequest<Full<Bytes>>),
    Two(http2::SendRequest<Full<Bytes>>),
}

/// An answer.
#[derive(Clone, Debug)]
pub struct HttpAnswer {
    /// Its status.
    pub status: StatusCode,
    /// The fields of its head.
    pub headers: HeaderMap,
    /// Its body, decompressed.
    pub body: Bytes,
    /// Bytes of the body on the wire.
    pub body_octets: usize,
}

impl HttpLink {
    /// Connects to the first address that accepts.
    ///
    /// # Errors
    /// As [`crate::dial::tcp`] and [`crate::dial::tls`]; [`TransportError::Connect`] also if the server does not
    /// speak the requested version of HTTP.
    pub async fn connect(place: Place<'_>, options: LinkOptions) -> Result<Self, TransportError> {
        connect::connect(place, options).await
    }

    /// The peer, and what the transport authenticates about it.
    #[must_use]
    pub const fn session(&self) -> &SessionInfo {
        &self.info
    }

    /// Whether the TLS session was resumed.
    #[must_use]
    pub const fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// Whether another request can be sent, as far as is known: the server may have closed the connection, as it
    /// does after a while.
    #[must_use]
    pub fn is_open(&self) -> bool {
        match &self.sender {
            Sender::One(sender) => !sender.is_closed(),
            Sender::Two(sender) => !sender.is_closed(),
        }
    }

    /// Closes the connection in order, and waits for its end: for HTTPS until the server's close_notify has come, but not
    /// long.
    pub async fn close(mut self) {
        let driver = self.driver.take();
        // Without its sender the driver ends.
        drop(self);
        if let Some(driver) = driver {
            let _ = driver.await;
        }
    }

    /// Sends a body and waits for the answer. `headers` describe the body; host, length and compression are added
    /// here.
    ///
    /// # Errors
    /// [`HttpLinkError`], which says whether the server may have received the request. An answer is not an error,
    /// whatever its status.
    pub async fn post(
        &mut self,
        path: &str,
        headers: HeaderMap,
        body: impl Into<Bytes>,
    ) -> Result<HttpAnswer, HttpLinkError> {
        self.request(Method::POST, path, headers, body.into()).await
    }

    /// Sends a GET for `path`.
    ///
    /// # Errors
    /// As [`HttpLink::post`].
    pub async fn get(&mut self, path: &str) -> Result<HttpAnswer, HttpLinkError> {
        self.request(Method::GET, path, HeaderMap::new(), Bytes::new()).await
    }

    /// Sends any request and waits for its answer.
    ///
    /// # Errors
    /// As [`HttpLink::post`].
    pub async fn request(
        &mut self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<HttpAnswer, HttpLinkError> {
        let request = self.build(method, path, headers, body)?;
        self.is_busy = true;
        let until = Instant::now() + self.options.answer_time;
        let timed_out = |_| Err(HttpLinkError::TimedOut { limit: self.options.answer_time });
        let response = timeout_at(until, self.sender.send(request)).await.unwrap_or_else(timed_out);
        let response = response.inspect_err(|error| {
            if matches!(error, HttpLinkError::TimedOut { .. }) {
                // A late answer would be taken for that of the next request.
                self.abort();
            }
        });
        let response = match response {
            Ok(response) => response,
            Err(error) => return Err(self.explained(error).await),
        };
        let reading = answer::read(response, &self.options);
        let answer = timeout_at(until, reading)
            .await
            .unwrap_or(Err(HttpLinkError::TimedOut { limit: self.options.answer_time }))?;
        self.is_busy = false;
        Ok(answer)
    }

    /// The fault of TLS that ended the connection, if the connection's task has it.
    async fn explained(&mut self, error: HttpLinkError) -> HttpLinkError {
        if !matches!(error, HttpLinkError::NotSent { .. } | HttpLinkError::Failed { .. }) {
            return error;
        }
        let Some(driver) = self.driver.take() else { return error };
        match timeout(ENDING, driver).await {
            Ok(Ok(Some(fault))) => HttpLinkError::Tls(fault),
            _ => error,
        }
    }

    fn abort(&self) {
        self.driver.iter().for_each(JoinHandle::abort);
    }

    fn build(
        &self,
        method: Method,
        path: &str,
        mut headers: HeaderMap,
        mut body: Bytes,
    ) -> Result<Request<Full<Bytes>>, HttpLinkError> {
        if let Some((coding, compressors)) = &self.compressors
            && let Some(compressed) = compressors.compress(&body, *coding)
        {
            body = compressed.into();
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        }
        if let Some(accept) = &self.accept {
            headers.entry(header::ACCEPT_ENCODING).or_insert_with(|| accept.clone());
        }
        let mut uri = http::uri::Parts::default();
        uri.path_and_query = Some(path.parse().map_err(|_| HttpLinkError::Path { path: path.to_owned() })?);
        match &self.sender {
            Sender::One(_) => drop(headers.insert(header::HOST, self.authority.clone())),
            Sender::Two(_) => {
                let scheme = if self.info.transport == crate::Transport::Https { "https" } else { "http" };
                uri.scheme = scheme.parse().ok();
                uri.authority = self.authority.to_str().ok().and_then(|authority| authority.parse().ok());
            }
        }
        let uri = uri.try_into().map_err(|_| HttpLinkError::Path { path: path.to_owned() })?;
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        Ok(request)
    }
}

/// How long a connection that failed may take to end.
const ENDING: Duration = Duration::from_millis(200);

impl Sender {
    async fn send(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, HttpLinkError> {
        let failed = |mut error: hyper::client::conn::TrySendError<Request<Full<Bytes>>>| {
            let was_sent = error.take_message().is_none();
            HttpLinkError::of(error.into_error(), was_sent)
        };
        match self {
            Self::One(sender) => {
                sender.ready().await.map_err(|error| HttpLinkError::of(error, false))?;
                sender.try_send_request(request).await.map_err(failed)
            }
            Self::Two(sender) => {
                sender.ready().await.map_err(|error| HttpLinkError::of(error, false))?;
                sender.try_send_request(request).await.map_err(failed)
            }
        }
    }
}

impl Drop for HttpLink {
    /// Without its sender the driver ends the connection in order.
    fn drop(&mut self) {
        if self.is_busy {
            self.abort();
        }
    }
}
