//! Options of a SOAP session.

use std::time::Duration;

pub use trunkline_soap::encoding::Encoding;
pub use trunkline_soap::envelope::Version as SoapVersion;

use crate::setters::setters;
use crate::target::HttpObserver;

/// Options of a SOAP session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SoapOptions {
    /// The time-out of an answer. Default 6 s: as long as SNMP waits with its retries.
    pub timeout: Duration,
    /// The time-out for making a connection. Default: 5 s, or `timeout` if that is longer.
    pub connect_time: Option<Duration>,
    /// The version of SOAP. Default 1.2.
    pub version: SoapVersion,
    /// The encoding of tables; single values are always typed. Default lean.
    pub encoding: Encoding,
    /// Whether compressed answers are requested. Default true.
    pub compression: bool,
    /// Octets of the longest answer that is accepted, decompressed. Default 64 MiB.
    pub max_answer: usize,
    /// The service's path. Default `/soap`.
    pub path: String,
    /// Observes what HTTP carries. Default: nobody.
    pub observer: Option<HttpObserver>,
}

setters! {
    SoapOptions {
        timeout: Duration => with_timeout,
        connect_time: Option<Duration> => with_connect_time,
        version: SoapVersion => with_version,
        encoding: Encoding => with_encoding,
        compression: bool => with_compression,
        max_answer: usize => with_max_answer,
        path: String => with_path,
        observer: Option<HttpObserver> => with_observer,
    }
}

impl Default for SoapOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(6),
            connect_time: None,
            version: SoapVersion::V1_2,
            encoding: Encoding::Lean,
            compression: true,
            max_answer: 64 << 20,
            path: "/soap".to_owned(),
            observer: None,
        }
    }
}
