//! HTTP (RFC 9110) for servers and clients: HTTP/1.1 and HTTP/2, in cleartext or over TLS, under limits.
//!
//! A server is an [`HttpServer`] with an [`HttpHandler`]; the handler receives whole requests with decompressed
//! bodies, and returns whole answers, which are compressed if the peer allows it. A client is a
//! [`client::HttpLink`]: one connection that is kept.

pub mod client;
pub mod coding;
mod compress;
mod connection;
mod counters;
mod credentials;
mod flow;
mod guard;
mod inflate;
mod limits;
mod message;
mod server;
mod service;

pub use bytes::Bytes;
pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

pub use counters::{HttpCounters, HttpCounts, HttpRequestCounts};
pub use credentials::{Claim, Credentials, Gatekeeper};
pub use flow::{CutShort, FlowWriter, HttpFlow};
pub use inflate::InflateError;
pub use limits::HttpLimits;
pub use message::{HttpBody, HttpHandler, HttpRequest, HttpResponse, Packing};
pub use server::{HttpServer, serve_stream};
pub use trunkline_password::Unproved;

/// The protocols inside HTTPS (RFC 7301), for [`crate::tls::TlsServerConfig::protocols`].
pub const PROTOCOLS: &[&[u8]] = &[b"h2", b"http/1.1"];
