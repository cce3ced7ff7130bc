//! An answer that is read while it is sent, however long that takes: a stream of events.

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use super::error::HttpLinkError;
use super::{HttpAnswer, HttpLink, answer};

/// What a request for a stream leads to.
pub enum Followed {
    /// The stream.
    Stream(Box<HttpStream>),
    /// Another answer than a stream.
    Answer(HttpAnswer),
}

/// The body of an answer, as it comes; dropping it closes the connection.
pub struct HttpStream {
    body: Incoming,
    /// It ends with its connection.
    _link: HttpLink,
}

impl HttpLink {
    /// Sends a GET for `path`. An answer with the status 200 is a stream; the begin of any answer is awaited for `answer_time`. Make
    /// the link with a `max_answer` that no stream reaches.
    ///
    /// # Errors
    /// As [`HttpLink::post`].
    pub async fn follow(mut self, path: &str, headers: HeaderMap) -> Result<Followed, HttpLinkError> {
        let request = self.build(Method::GET, path, headers, Bytes::new())?;
        self.is_busy = true;
        let until = Instant::now() + self.options.answer_time;
        let timed_out = HttpLinkError::TimedOut { limit: self.options.answer_time };
        let response = match timeout_at(until, self.sender.send(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.explained(error).await),
            Err(_) => return Err(timed_out),
        };
        if response.status() == StatusCode::OK {
            let stream = HttpStream { body: response.into_body(), _link: self };
            return Ok(Followed::Stream(Box::new(stream)));
        }
        let read = timeout_at(until, answer::read(response, &self.options)).await;
        read.unwrap_or(Err(timed_out)).map(Followed::Answer)
    }
}

impl HttpStream {
    /// The next octets; `None` at the end. Nothing is lost if it is not awaited to its end.
    ///
    /// # Errors
    /// The connection failed.
    pub async fn next(&mut self) -> Result<Option<Bytes>, HttpLinkError> {
        while let Some(frame) = self.body.frame().await {
            if let Ok(octets) = frame.map_err(|error| HttpLinkError::of(error, true))?.into_data() {
                return Ok(Some(octets));
            }
        }
        Ok(None)
    }
}
