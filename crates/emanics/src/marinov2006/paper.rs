//! Marinov, Schönwälder: "Performance Analysis of SNMP over SSH", 17th IFIP/IEEE International Workshop on
//! Distributed Systems: Operations and Management (DSOM), 2006. Its tables as printed and, for figures 3 to 6
//! (which are drawings), the numbers in the text.
//!
//! Net-SNMP with libssh, three machines on Gigabit Ethernet. USM at authPriv with HMAC-MD5 and AES-128, SSH with
//! HMAC-MD5 and AES-128 without compression. Times were taken with `gettimeofday` from before opening a session to
//! after closing it, 100 times each; the paper does not say which statistic of the hundred it prints. Octets are
//! those of Ethernet frames without their check sequence.
//!
//! **A check of the octets.** A UDP get of sysDescr takes 232 octets: two frames of 14 + 20 + 8 leave 148 for the two
//! messages.
//!
//! **Errata.** Table 3 counts 4710 packets of a walk with 2354 GetNext operations over UDP: these are 2355
//! interactions, the last of which leaves the table (107 rows of 22 columns are 2354 instances). Over TCP it
//! counts 4712 in total, 2 more, where table 2 counts 8 beyond the messages for set-up and close; the counts over
//! TCP omit most of these. Section 6 says SNMPv2/USM where SNMPv3/USM is meant.

/// How many times each time was measured (section 5.1).
pub const REPETITIONS: u32 = 100;
/// GetNext operations of the walk in table 3.
pub const TABLE_3_OPERATIONS: u32 = 2354;
/// After about this many interactions SSH took less time than USM, on the fast and on the slow machine (section
/// 5.3).
pub const BREAK_EVEN: f64 = 500.0;
/// Section 5.5: octets that USM adds to a packet of SNMPv2c, and SSH to one of SNMPv2c over TCP.
pub const OVERHEAD_PER_PACKET: [f64; 2] = [90.0, 40.0];
/// Packet loss of figure 4, percent; the paper has no walk without loss there.
pub const LOSS_PERCENT: [f64; 3] = [0.0, 0.1, 0.5];
/// Virtual memory of the agent without a session, KByte (section 5.6).
pub const MEMORY_AT_FIRST_KB: f64 = 9312.0;
/// Virtual memory per open, unused session, KByte (section 5.6).
pub const MEMORY_PER_SESSION_KB: f64 = 7.0;
/// Section 4.1: a get over SSH with Nagle's algorithm, with it turned off in the program, and with it turned off
/// in the library from the start; milliseconds.
pub const NAGLE_MS: [f64; 3] = [800.0, 56.5, 16.17];

/// A machine of table 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: &'static str,
    /// Its processors.
    pub processors: &'static str,
    /// Its memory, MB.
    pub memory: u32,
    /// Its Ethernet, Mbit/s.
    pub ethernet: u32,
    /// Its Linux kernel.
    pub kernel: &'static str,
}

/// Table 1: the machines. The agent ran on `meat`, or on the slow `turtle`; the manager on `veggie` (with loss on `meat`).
pub const TABLE_1: [Machine; 3] = [
    Machine { name: "meat", processors: "2 Xeon 3 GHz", memory: 2048, ethernet: 1000, kernel: "2.6.16.14" },
    Machine { name: "veggie", processors: "2 Xeon 3 GHz", memory: 1024, ethernet: 1000, kernel: "2.6.12.6" },
    Machine {
        name: "turtle",
        processors: "1 Ultra Sparc IIi",
        memory: 128,
        ethernet: 100,
        kernel: "2.6.16.14",
    },
];

/// A row of table 2: one get of sysDescr.0, session included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Table2Row {
    /// As printed.
    pub protocol: &'static str,
    /// Agent on `meat`, milliseconds.
    pub fast_ms: f64,
    /// Agent on `turtle`, milliseconds.
    pub slow_ms: f64,
    /// Octets of the Ethernet frames.
    pub octets: u32,
    /// IP packets.
    pub packets: u32,
}

const fn one_get(protocol: &'static str, fast_ms: f64, slow_ms: f64, octets: u32, packets: u32) -> Table2Row {
    Table2Row { protocol, fast_ms, slow_ms, octets, packets }
}

/// Table 2: performance of `snmpget` requests.
pub const TABLE_2: [Table2Row; 5] = [
    one_get("SNMPv2c/UDP", 1.03, 0.70, 232, 2),
    one_get("SNMPv2c/TCP", 1.13, 1.00, 824, 10),
    one_get("SNMPv3/USM/UDP", 1.97, 2.28, 668, 4),
    one_get("SNMPv3/USM/TCP", 2.03, 3.03, 1312, 12),
    one_get("SNMPv2c/SSH", 16.17, 91.62, 4388, 32),
];

/// A row of table 3: the packets of a walk with [`TABLE_3_OPERATIONS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table3Row {
    /// As printed.
    pub protocol: &'static str,
    /// The dominating packet sizes, octets.
    pub range: (u32, u32),
    /// Packets in that range.
    pub packets: u32,
    /// All packets.
    pub total: u32,
}

const fn walk(protocol: &'static str, range: (u32, u32), packets: u32, total: u32) -> Table3Row {
    Table3Row { protocol, range, packets, total }
}

/// Table 3: packet sizes.
pub const TABLE_3: [Table3Row; 5] = [
    walk("SNMPv2c/UDP", (80, 100), 4710, 4710),
    walk("SNMPv2c/TCP", (110, 130), 4709, 4712),
    walk("SNMPv3/USM/UDP", (170, 190), 4710, 4712),
    walk("SNMPv3/USM/TCP", (200, 220), 4709, 4714),
    walk("SNMPv2c/SSH", (150, 170), 4711, 4742),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_name_the_same_protocols() {
        let names = |index: usize| (TABLE_2[index].protocol, TABLE_3[index].protocol);
        assert!((0..5).map(names).all(|(one, other)| one == other));
    }

    #[test]
    fn discovery_of_usm_is_two_packets_everywhere() {
        assert_eq!(TABLE_2[2].packets - TABLE_2[0].packets, 2);
        assert_eq!(TABLE_2[3].packets - TABLE_2[1].packets, 2);
        assert_eq!(TABLE_3[2].total - TABLE_3[0].total, 2);
        assert_eq!(TABLE_3[3].total - TABLE_3[1].total, 2);
    }

    #[test]
    fn the_walk_has_one_interaction_more_than_operations() {
        assert_eq!(TABLE_3[0].total, 2 * (TABLE_3_OPERATIONS + 1));
        // 107 rows of ifTable with 22 columns each.
        assert_eq!(TABLE_3_OPERATIONS, 107 * 22);
        // The erratum: table 2 has 8 packets for set-up and close over TCP, table 3 has 2.
        assert_eq!((TABLE_2[1].packets - 2, TABLE_3[1].total - 2 * (TABLE_3_OPERATIONS + 1)), (8, 2));
    }

    #[test]
    fn the_texts_overheads_are_in_the_ranges() {
        let middle = |row: Table3Row| f64::from(row.range.0 + row.range.1) / 2.0;
        assert_eq!(middle(TABLE_3[2]) - middle(TABLE_3[0]), OVERHEAD_PER_PACKET[0]);
        assert_eq!(middle(TABLE_3[3]) - middle(TABLE_3[1]), OVERHEAD_PER_PACKET[0]);
        assert_eq!(middle(TABLE_3[4]) - middle(TABLE_3[1]), OVERHEAD_PER_PACKET[1]);
        // Most packets are in the range.
        assert!(TABLE_3.iter().all(|row| row.total - row.packets <= 31 && row.packets <= row.total));
    }

    #[test]
    fn the_last_ablation_is_the_figure_of_table_2() {
        assert_eq!(NAGLE_MS[2], TABLE_2[4].fast_ms);
    }

    #[test]
    fn the_octets_are_those_of_frames() {
        // Two frames with headers of Ethernet, IPv4 and UDP leave two messages of about 60 and 90 octets.
        assert_eq!(TABLE_2[0].octets - 2 * (14 + 20 + 8), 148);
        // SNMPv3's discovery adds 2 of 4 packets and 436 octets.
        assert_eq!(TABLE_2[2].octets - TABLE_2[0].octets, 436);
    }
}
