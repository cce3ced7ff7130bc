//! How a session by SOAP behaves.

use std::time::Duration;

pub use trunkline_soap::encoding::Encoding;
pub use trunkline_soap::envelope::Version as SoapVersion;

/// How a session by SOAP behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoapOptions {
    /// The wait for an answer. Default 6 s: as long as SNMP waits with its retries.
    pub timeout: Duration,
    /// The longest time for making a connection. Default: 5 s, or `timeout` where that is longer.
    pub connect_time: Option<Duration>,
    /// Which SOAP. Default 1.2.
    pub version: SoapVersion,
    /// How tables come; single values are always typed. Default lean.
    pub encoding: Encoding,
    /// Whether compressed answers are asked for. Default true.
    pub compression: bool,
    /// Octets of the longest answer that is accepted, decompressed. Default 64 MiB.
    pub max_answer: usize,
    /// Where the service is. Default `/soap`.
    pub path: String,
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
        }
    }
}
