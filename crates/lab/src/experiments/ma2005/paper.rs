//! Ma, Bartos: "Performance Impact of Web Service Migration in Embedded Environments", IEEE International
//! Conference on Web Services, 2005. Its tables 1 and 2 as printed, and what its text says about figures 3 to 5
//! and the size of the program.
//!
//! Net-SNMP 5.0.8 with gSOAP 2.2.3 and OpenSSL 0.9.6b on two hosts with Red Hat Linux 8.0, joined by a 100 Mbit/s
//! hub. One `snmpget` of sysContact is a transaction: it connects, sends one request and closes. Table 1 is a run
//! of 1,000, captured by `tcpdump` at the client; table 2 is 100, counted by `perfex` from the start of the
//! program to its end.
//!
//! **Which octets.** Table 1 does not say. The 157 for two packets over UDP are octets at IP level: less two IP
//! and two UDP headers they leave 101 for two messages, of which, with a request of 43 and a response of 43, 15
//! are sysContact. As Ethernet frames 73 would be left, fewer than the two messages have with an empty sysContact.

/// Minimum, maximum and mean, as the tables print them.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Spread {
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
    /// The mean.
    pub avg: f64,
}

const fn spread(min: f64, max: f64, avg: f64) -> Spread {
    Spread { min, max, avg }
}

/// A domain's part of table 1.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Domain {
    /// The paper's name of the transport domain.
    pub name: &'static str,
    /// IP packets of a transaction.
    pub packets: Spread,
    /// Octets of a transaction.
    pub octets: Spread,
    /// From the first packet to the last, milliseconds.
    pub latency: Spread,
    /// Millions of instructions of the client (table 2).
    pub instructions: Spread,
    /// Millions of clock cycles of the client (table 2).
    pub cycles: Spread,
}

/// Tables 1 and 2, section 4.1.
pub const DOMAINS: [Domain; 4] = [
    Domain {
        name: "UDP",
        packets: spread(2.0, 2.0, 2.0),
        octets: spread(157.0, 159.0, 159.0),
        latency: spread(0.255, 10.649, 0.505),
        instructions: spread(81.545, 81.545, 81.545),
        cycles: spread(93.939, 105.399, 95.218),
    },
    Domain {
        name: "TCP",
        packets: spread(10.0, 10.0, 10.0),
        octets: spread(637.0, 639.0, 639.0),
        latency: spread(0.9, 14.952, 1.548),
        instructions: spread(81.536, 81.536, 81.536),
        cycles: spread(94.066, 102.455, 95.505),
    },
    Domain {
        name: "HTTP",
        packets: spread(10.0, 10.0, 10.0),
        octets: spread(2502.0, 2508.0, 2507.0),
        latency: spread(2.77, 27.576, 3.132),
        instructions: spread(82.171, 82.171, 82.171),
        cycles: spread(95.802, 108.663, 97.427),
    },
    Domain {
        name: "HTTPS",
        packets: spread(16.0, 19.0, 18.0),
        octets: spread(4491.0, 4635.0, 4575.0),
        latency: spread(80.722, 585.253, 183.965),
        instructions: spread(123.894, 399.082, 173.495),
        cycles: spread(153.737, 569.306, 229.282),
    },
];

/// A part of table 3: the servlet between browser and agent.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Front {
    /// Packets on the hub.
    pub packets: Spread,
    /// Their octets.
    pub octets: Spread,
    /// Milliseconds.
    pub latency: Spread,
}

/// Table 3, "Preloaded Applet": the applet is in the browser already.
pub const PRELOADED: Front = Front {
    packets: spread(420.0, 594.0, 452.0),
    octets: spread(75_410.0, 86_894.0, 77_545.0),
    latency: spread(445.467, 3610.068, 872.117),
};
/// Table 3, "Initial Applet Load": in a browser that has just been started.
pub const INITIAL: Front = Front {
    packets: spread(993.0, 1085.0, 1013.0),
    octets: spread(173_254.0, 179_870.0, 174_691.0),
    latency: spread(11_264.101, 12_079.382, 11_594.271),
};
/// Samples of each (section 4.2).
pub const PRELOADED_SAMPLES: u32 = 50;
/// Samples of each (section 4.2).
pub const INITIAL_SAMPLES: u32 = 10;
/// Section 4.2: what the servlet takes on the server's side, megabytes: web server, Tomcat and Axis, Ant, Java.
pub const FOOTPRINT_MB: [(&str, f64); 4] =
    [("web server", 10.0), ("Tomcat and Axis", 50.0), ("Ant", 25.0), ("Java SDK", 75.0)];

/// Transactions of a run of table 1 (section 3.1).
pub const TRANSACTIONS: u32 = 1000;
/// Samples of table 2 (section 4.1).
pub const COMMANDS: u32 = 100;

/// Section 4.1: the shared library of Net-SNMP without and with gSOAP and the two domains, octets. It does not
/// include OpenSSL and zlib.
pub const LIBRARY_OCTETS: (u64, u64) = (1_258_362, 1_694_656);

/// The growth of the library in per cent: "over a third".
pub fn growth_percent() -> f64 {
    let (without, with) = LIBRARY_OCTETS;
    (with as f64 / without as f64 - 1.0) * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_figures_are_consistent() {
        for domain in DOMAINS {
            for it in [domain.packets, domain.octets, domain.latency, domain.instructions, domain.cycles] {
                assert!(it.min <= it.avg && it.avg <= it.max, "{}: {it:?}", domain.name);
            }
            assert!(domain.cycles.avg > domain.instructions.avg, "{}", domain.name);
        }
        for front in [PRELOADED, INITIAL] {
            for it in [front.packets, front.octets, front.latency] {
                assert!(it.min <= it.avg && it.avg <= it.max, "{it:?}");
            }
        }
        // "around 160 MB"
        assert!((FOOTPRINT_MB.iter().map(|(_, mega)| mega).sum::<f64>() - 160.0).abs() < 1.0);
        // "an increase in memory footprint of 436,294 bytes", "over a third"
        assert_eq!(LIBRARY_OCTETS.1 - LIBRARY_OCTETS.0, 436_294);
        assert!((34.0..35.0).contains(&growth_percent()));
    }

    #[test]
    fn octets_over_udp_are_at_ip_level() {
        use trunkline_labkit::exact;
        let sys_contact = [1, 3, 6, 1, 2, 1, 1, 4, 0];
        // a request identifier of 4 octets, "public", an empty value
        let message = exact::message(6, [1, i64::from(i32::MAX), 0, 0], [(&sys_contact[..], 0)]);
        assert_eq!(message, 43);
        let at_ip = |value: u64| 2 * (28 + message) + value;
        let ethernet = |value: u64| at_ip(value) + 2 * 14;
        assert!((0.0..=255.0).contains(&(DOMAINS[0].octets.max - at_ip(0) as f64)));
        assert!(ethernet(0) as f64 > DOMAINS[0].octets.max);
    }
}
