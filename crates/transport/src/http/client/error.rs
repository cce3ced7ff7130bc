//! Why there is no answer, and what that means for the request.

use std::error::Error;
use std::io;
use std::time::Duration;

use crate::http::coding::UnknownCoding;
use crate::http::connection::Sources;
use crate::http::inflate::InflateError;
use crate::tls::TlsFault;

/// Whether a server has received a request whose answer is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// It has not: the request may be sent again.
    No,
    /// Unknown: only requests that change nothing may be sent again.
    Unknown,
    /// It has, and has answered; the answer is unusable.
    Yes,
}

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpLinkError {
    /// The connection was closed before any of the request was sent.
    #[error("the connection was closed before the request was sent{cause}")]
    NotSent {
        /// The connection's error, with its causes.
        cause: String,
    },
    /// The connection failed before the answer was complete.
    #[error("the connection failed before the answer came{cause}")]
    Failed {
        /// The connection's error, with its causes.
        cause: String,
    },
    /// The answer did not arrive in time.
    #[error("no answer within {limit:?}")]
    TimedOut {
        /// The time-out.
        limit: Duration,
    },
    /// A fault of TLS ended the connection: a TLS 1.3 server that refuses our certificate reports it only after our
    /// first request.
    #[error("the session has ended: {0}")]
    Tls(TlsFault),
    /// The answer is not HTTP.
    #[error("the answer is not HTTP{cause}")]
    NotHttp {
        /// What is wrong with it.
        cause: String,
    },
    /// The answer exceeds the limit.
    #[error("the answer is longer than {limit} octets")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The compression of the answer is unknown.
    #[error("the answer's {0}")]
    Coding(#[from] UnknownCoding),
    /// The compressed answer is broken.
    #[error("of the answer: {0}")]
    Inflate(#[from] InflateError),
    /// A path that no request can have.
    #[error("`{path}` is not a path: expected such as /soap or /soap?wsdl")]
    Path {
        /// The given text.
        path: String,
    },
}

impl HttpLinkError {
    pub(super) fn of(error: hyper::Error, was_sent: bool) -> Self {
        if let Some(fault) = fault_of(&error) {
            return Self::Tls(fault);
        }
        let cause = format!(": {}", Sources(&error));
        if !was_sent {
            Self::NotSent { cause }
        } else if error.is_parse() {
            Self::NotHttp { cause }
        } else {
            Self::Failed { cause }
        }
    }

    /// Whether the server has received the request.
    #[must_use]
    pub const fn received(&self) -> Received {
        match self {
            Self::NotSent { .. } | Self::Path { .. } => Received::No,
            Self::Tls(_) | Self::Failed { .. } | Self::TimedOut { .. } | Self::NotHttp { .. } => {
                Received::Unknown
            }
            Self::TooLong { .. } | Self::Coding(_) | Self::Inflate(_) => Received::Yes,
        }
    }
}

/// The fault of TLS among the causes of a connection's error.
pub(super) fn fault_of(error: &hyper::Error) -> Option<TlsFault> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(inner) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            if let Some(fault) = inner.downcast_ref::<TlsFault>() {
                return Some(fault.clone());
            }
            if let Some(fault) = inner.downcast_ref::<rustls::Error>() {
                return Some(fault.clone().into());
            }
        }
        cause = error.source();
    }
    None
}
