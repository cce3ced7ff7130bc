//! All tests of this room in one program, which is linked once. Those that want a process of their own are programs of their own
//! in the manifest.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

#[cfg(feature = "tls")]
mod secure;
#[cfg(feature = "ssh")]
mod ssh_support;
#[cfg(feature = "http")]
mod web;

#[cfg(feature = "dtls")]
mod dtls;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
mod http_bad;
#[cfg(feature = "http")]
mod http_flow;
#[cfg(feature = "http")]
mod http_streams;
#[cfg(feature = "ssh")]
mod ssh;
#[cfg(feature = "ssh")]
mod ssh_local;
#[cfg(feature = "ssh")]
mod ssh_openssh;
#[cfg(feature = "ssh")]
mod ssh_packets;
#[cfg(all(feature = "ssh", feature = "tls"))]
mod streams;
mod tcp;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "tls")]
mod tls_credentials;
#[cfg(feature = "dtls")]
mod tls_openssl;
mod udp;
#[cfg(feature = "http")]
mod waiting_output;
