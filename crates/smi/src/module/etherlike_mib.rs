//! EtherLike-MIB (RFC 3635): what Ethernet interfaces count apart from IF-MIB's counters, and whether they run full duplex. Without what
//! Linux has no source of: collision histograms, control frames.

use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Syntax, Table};

/// EtherLike-MIB.
pub static MODULE: Module = Module {
    name: "EtherLike-MIB",
    reference: "RFC 3635",
    nodes: &[
        Node { name: "dot3", oid: &[1, 3, 6, 1, 2, 1, 10, 7] },
        Node { name: "etherMIB", oid: &[1, 3, 6, 1, 2, 1, 35] },
    ],
    scalars: &[],
    tables: &[DOT3_STATS_TABLE, DOT3_HC_STATS_TABLE],
    notifications: &[],
};

const INDEX: IndexPart = IndexPart::new("dot3StatsIndex", IndexEncoding::Integer, Syntax::INTERFACE_INDEX);

const DUPLEX: Syntax = Syntax::enumeration(&[(1, "unknown"), (2, "halfDuplex"), (3, "fullDuplex")]);

const RATE_CONTROL: Syntax =
    Syntax::enumeration(&[(1, "rateControlOff"), (2, "rateControlOn"), (3, "unknown")]);

/// dot3StatsTable: one row for each Ethernet interface.
pub const DOT3_STATS_TABLE: Table = Table {
    name: "dot3StatsTable",
    entry: "dot3StatsEntry",
    oid: &[1, 3, 6, 1, 2, 1, 10, 7, 2],
    index: &[INDEX],
    columns: &[
        Column::new(1, "dot3StatsIndex", ReadOnly, Syntax::INTERFACE_INDEX),
        Column::new(2, "dot3StatsAlignmentErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(3, "dot3StatsFCSErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(4, "dot3StatsSingleCollisionFrames", ReadOnly, Syntax::COUNTER32),
        Column::new(5, "dot3StatsMultipleCollisionFrames", ReadOnly, Syntax::COUNTER32),
        Column::new(6, "dot3StatsSQETestErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(7, "dot3StatsDeferredTransmissions", ReadOnly, Syntax::COUNTER32),
        Column::new(8, "dot3StatsLateCollisions", ReadOnly, Syntax::COUNTER32),
        Column::new(9, "dot3StatsExcessiveCollisions", ReadOnly, Syntax::COUNTER32),
        Column::new(10, "dot3StatsInternalMacTransmitErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(11, "dot3StatsCarrierSenseErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(13, "dot3StatsFrameTooLongs", ReadOnly, Syntax::COUNTER32),
        Column::new(16, "dot3StatsInternalMacReceiveErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(19, "dot3StatsDuplexStatus", ReadOnly, DUPLEX),
        Column::new(20, "dot3StatsRateControlAbility", ReadOnly, Syntax::TRUTH_VALUE),
        Column::new(21, "dot3StatsRateControlStatus", ReadOnly, RATE_CONTROL),
    ],
};

/// dot3HCStatsTable: the same counters with 64 bits, for interfaces of 10 Gb/s and more.
pub const DOT3_HC_STATS_TABLE: Table = Table {
    name: "dot3HCStatsTable",
    entry: "dot3HCStatsEntry",
    oid: &[1, 3, 6, 1, 2, 1, 10, 7, 11],
    index: &[INDEX],
    columns: &[
        Column::new(1, "dot3HCStatsAlignmentErrors", ReadOnly, Syntax::COUNTER64),
        Column::new(2, "dot3HCStatsFCSErrors", ReadOnly, Syntax::COUNTER64),
        Column::new(3, "dot3HCStatsInternalMacTransmitErrors", ReadOnly, Syntax::COUNTER64),
        Column::new(4, "dot3HCStatsFrameTooLongs", ReadOnly, Syntax::COUNTER64),
        Column::new(5, "dot3HCStatsInternalMacReceiveErrors", ReadOnly, Syntax::COUNTER64),
    ],
};
