//! EMANICS deliverable D7.1, "Benchmarking", version 2.4, 2006: the figures of its section 3 ("NetConf benchmarking"), as printed or as told
//! in the text. Its figures 3.1 to 3.3 are drawings that the text at hand lacks.
//!
//! The agent was YencaP (Python 2.4, PyXMLSec, paramiko; keys of 128 bits) on a Pentium 4 of 3.2 GHz with 2 GB, agent and manager on one machine;
//! for table 3.2 the agent ran on a Centrino laptop of 1.6 GHz with 1 GB, at a hub with the manager.
//!
//! **Errata.**
//! - Section 3.2 has 17 requests a second and a processing time of 11 ms, which would be 91 a second: the 17 must hold transport and manager.
//! - From 17 to 8 requests a second is a factor of 2.1, where all protection should take "about 20 %" of the time.
//! - "Filtering with XPath takes less then 1 ms", but 8 of the 12 values for XPath in table 3.3 are longer.
//! - Section 3.4 has "8 get-config requests" where table 3.3 has 12, and "each request is sent 10 times" where it is "made 1000 times".
//! - "Table 2" means table 3.2; "Figure 4" and "Figure 5" are those of another text.
//! - The sentence about what figure 3.3 varies ends with "and the number.": of what, the text does not say.

/// Section 2.1: managed nodes of PIONIER, POZMAN and the LAN of PSNC.
pub const NODES: [u32; 3] = [40, 68, 27];
/// Section 2.1: statistics collected of each.
pub const STATISTICS: [u32; 3] = [1138, 1642, 930];
/// Section 2.1: traffic to and from PIONIER's management station without the statistics ("about 10"), and that of statistics ("another dozen"), kbit/s.
pub const STATION_KBIT: [f64; 2] = [10.0, 12.0];

/// Section 3.2: get-config requests a second, without logging and security, and with encryption, RBAC and compression.
pub const REQUESTS_PER_SECOND: [f64; 2] = [17.0, 8.0];
/// Section 3.2: shares of the global processing time, per cent.
pub const RBAC_SHARE: f64 = 6.0;
/// See [`RBAC_SHARE`].
pub const ENCRYPTION_SHARE: f64 = 9.5;
/// See [`RBAC_SHARE`].
pub const DECRYPTION_SHARE: f64 = 3.6;
/// Cryptography, compression and access control together: "about".
pub const PROTECTION_SHARE: f64 = 20.0;
/// Requests of figure 3.2.
pub const FIGURE_3_2_REQUESTS: u32 = 7;
/// How often each was evaluated.
pub const FIGURE_3_2_REPETITIONS: u32 = 64;
/// Mean processing time without and with validation by a schema, ms.
pub const SCHEMA_MS: [f64; 2] = [11.0, 650.0];
/// The same as a factor, as printed.
pub const SCHEMA_FACTOR: f64 = 60.0;
/// What filtering by XPath takes at most, ms.
pub const XPATH_MS: f64 = 1.0;
/// Requests of each kind behind tables 3.2 and 3.3.
pub const TABLE_REPETITIONS: u32 = 1000;
/// Table 3.2: response time at the manager, ms; the last is from the text.
pub const TABLE_3_2: [(&str, f64); 5] = [
    ("network interfaces", 38.73),
    ("network routes", 49.71),
    ("BGP configuration", 200.08),
    ("RBAC policy", 43.05),
    ("BGP configuration, sample", 58.40),
];
/// Table 3.3: node selection by subtree filters, µs.
pub const SUBTREE_US: [f64; 12] =
    [1171.0, 1482.0, 694.0, 463.0, 477.0, 1503.0, 2114.0, 1371.0, 919.0, 775.0, 1733.0, 863.0];
/// Table 3.3: node selection by XPath, µs.
pub const XPATH_US: [f64; 12] =
    [1173.0, 1039.0, 1219.0, 194.0, 687.0, 1286.0, 2828.0, 1973.0, 852.0, 916.0, 1332.0, 2368.0];
/// Section 3.5: a series of requests over SSH, and over XML-Encryption, seconds.
pub const SERIES_S: [f64; 2] = [16.77, 15.62];

/// The mean of a row of table 3.3.
pub fn mean(row: &[f64; 12]) -> f64 {
    row.iter().sum::<f64>() / 12.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_have_the_sums_and_means_that_follow_from_them() {
        assert_eq!(
            [mean(&SUBTREE_US), mean(&XPATH_US)].map(|it| (it * 100.0).round() / 100.0),
            [1130.42, 1322.25]
        );
        let [ssh, encryption] = SERIES_S;
        assert_eq!((ssh / encryption * 10_000.0).round() / 10_000.0, 1.0736);
        // The errata.
        assert_eq!((SCHEMA_MS[1] / SCHEMA_MS[0] * 10.0).round() / 10.0, 59.1);
        assert!((1000.0 / SCHEMA_MS[0] - 91.0).abs() < 0.1);
        let [plain, protected] = REQUESTS_PER_SECOND;
        assert!(plain / protected > 2.1);
        assert!((RBAC_SHARE + ENCRYPTION_SHARE + DECRYPTION_SHARE - 19.1).abs() < 1e-9);
        assert_eq!(XPATH_US.iter().filter(|it| **it > XPATH_MS * 1000.0).count(), 8);
        assert_eq!(SUBTREE_US.iter().zip(&XPATH_US).filter(|(subtree, xpath)| xpath < subtree).count(), 5);
    }
}
