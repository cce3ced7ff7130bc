//! Why there is no answer, and what that says of the request.

use std::time::Duration;

use crate::http::coding::UnknownCoding;
use crate::http::connection::Sources;
use crate::http::inflate::InflateError;

/// Whether a server has received a request whose answer is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// It has not: the request may be sent again.
    No,
    /// Nobody knows: only what changes nothing may be sent again.
    Unknown,
    /// It has, and has answered; the answer is of no use.
    Yes,
}

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpLinkError {
    /// The connection was closed before anything of the request was sent.
    #[error("the connection was closed before the request was sent{cause}")]
    NotSent {
        /// What the connection says, with what it came of.
        cause: String,
    },
    /// The connection failed before the answer was there.
    #[error("the connection failed before the answer came{cause}")]
    Failed {
        /// What the connection says, with what it came of.
        cause: String,
    },
    /// The answer did not come in time.
    #[error("no answer within {limit:?}")]
    TimedOut {
        /// The time that was given.
        limit: Duration,
    },
    /// What came is not HTTP.
    #[error("the answer is not HTTP{cause}")]
    NotHttp {
        /// What is wrong with it.
        cause: String,
    },
    /// The answer is longer than is taken.
    #[error("the answer is longer than {limit} octets")]
    TooLong {
        /// Octets taken.
        limit: usize,
    },
    /// The compression of the answer is not known here.
    #[error("the answer's {0}")]
    Coding(#[from] UnknownCoding),
    /// The compressed answer is broken.
    #[error("of the answer: {0}")]
    Inflate(#[from] InflateError),
    /// A path that no request can have.
    #[error("`{path}` is not a path: expected such as /soap or /soap?wsdl")]
    Path {
        /// What was given.
        path: String,
    },
}

impl HttpLinkError {
    pub(super) fn of(error: hyper::Error, was_sent: bool) -> Self {
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
            Self::Failed { .. } | Self::TimedOut { .. } | Self::NotHttp { .. } => Received::Unknown,
            Self::TooLong { .. } | Self::Coding(_) | Self::Inflate(_) => Received::Yes,
        }
    }
}
