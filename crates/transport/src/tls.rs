//! TLS over TCP (RFC 6353, RFC 9456): both ends authenticate with certificates.
//!
//! [`Identity`] is our identity, [`Trust`] holds the trust anchors, [`ServerIdentity`] is the server that a client
//! wants to reach. With them [`TlsServer`] performs the handshakes of a [`crate::tcp::TcpServer`], and
//! [`TlsClient`] is what [`crate::dial::tls`] needs. DTLS ([`crate::dtls`]) uses the same.

mod client;
mod fault;
mod fingerprint;
mod identity;
pub mod integrity;
mod server;
mod standing;
mod stream;
mod trust;
mod verify;
mod versions;

pub use client::{TlsClient, TlsClientConfig};
pub use fault::{Alert, CertificateFault, Moment, TlsFault};
pub use fingerprint::{Fingerprint, FingerprintError, HashAlgorithm};
pub use identity::{CredentialError, Identity, Place};
pub(crate) use server::Stream as ServerStream;
pub use server::{ClientCertificates, TlsGreeter, TlsServer, TlsServerConfig};
pub use stream::{ClientStream, TlsStream};
#[cfg(feature = "dtls")]
pub(crate) use trust::Trouble;
pub use trust::{ServerIdentity, Trust, TrustBuilder};
pub use versions::{Suites, TlsVersion, Versions};
