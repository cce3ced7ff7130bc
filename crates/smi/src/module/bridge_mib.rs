//! BRIDGE-MIB (RFC 4188): one bridge, its ports, its spanning tree and the addresses that it knows. Without dot1dStaticTable, and without what
//! Linux does not count: changes of the topology, and frames that were too long.

use crate::schema::MaxAccess::{ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// BRIDGE-MIB.
pub static MODULE: Module = Module {
    name: "BRIDGE-MIB",
    reference: "RFC 4188",
    nodes: &[
        Node { name: "dot1dBridge", oid: &[1, 3, 6, 1, 2, 1, 17] },
        Node { name: "dot1dBase", oid: &[1, 3, 6, 1, 2, 1, 17, 1] },
        Node { name: "dot1dStp", oid: &[1, 3, 6, 1, 2, 1, 17, 2] },
        Node { name: "dot1dTp", oid: &[1, 3, 6, 1, 2, 1, 17, 4] },
    ],
    scalars: &[
        DOT1D_BASE_BRIDGE_ADDRESS,
        DOT1D_BASE_NUM_PORTS,
        DOT1D_BASE_TYPE,
        DOT1D_STP_PROTOCOL_SPECIFICATION,
        DOT1D_STP_PRIORITY,
        DOT1D_STP_DESIGNATED_ROOT,
        DOT1D_STP_ROOT_COST,
        DOT1D_STP_ROOT_PORT,
        DOT1D_STP_MAX_AGE,
        DOT1D_STP_HELLO_TIME,
        DOT1D_STP_HOLD_TIME,
        DOT1D_STP_FORWARD_DELAY,
        DOT1D_STP_BRIDGE_MAX_AGE,
        DOT1D_STP_BRIDGE_HELLO_TIME,
        DOT1D_STP_BRIDGE_FORWARD_DELAY,
        DOT1D_TP_LEARNED_ENTRY_DISCARDS,
        DOT1D_TP_AGING_TIME,
    ],
    tables: &[DOT1D_BASE_PORT_TABLE, DOT1D_STP_PORT_TABLE, DOT1D_TP_FDB_TABLE, DOT1D_TP_PORT_TABLE],
    notifications: &[],
};

/// MacAddress (RFC 2579).
pub(super) const MAC_ADDRESS: Syntax = Syntax::octets(6, 6).named("MacAddress", "1x:");
const BRIDGE_ID: Syntax = Syntax::octets(8, 8).named("BridgeId", "");
const PORT: Syntax = Syntax::integer(1, 65535);
const PORT_OR_ZERO: Syntax = Syntax::integer(0, 65535);
/// Timeout: hundredths of a second.
const TIMEOUT: Syntax = Syntax::INTEGER32.named("Timeout", "d");

/// The address of the bridge.
pub const DOT1D_BASE_BRIDGE_ADDRESS: Scalar =
    Scalar::new("dot1dBaseBridgeAddress", &[1, 3, 6, 1, 2, 1, 17, 1, 1], ReadOnly, MAC_ADDRESS);
/// How many ports it has.
pub const DOT1D_BASE_NUM_PORTS: Scalar =
    Scalar::new("dot1dBaseNumPorts", &[1, 3, 6, 1, 2, 1, 17, 1, 2], ReadOnly, Syntax::INTEGER32)
        .units("ports");
/// What kind of bridging it does.
pub const DOT1D_BASE_TYPE: Scalar = Scalar::new(
    "dot1dBaseType",
    &[1, 3, 6, 1, 2, 1, 17, 1, 3],
    ReadOnly,
    Syntax::enumeration(&[(1, "unknown"), (2, "transparent-only"), (3, "sourceroute-only"), (4, "srt")]),
);
/// Which spanning tree protocol it speaks.
pub const DOT1D_STP_PROTOCOL_SPECIFICATION: Scalar = Scalar::new(
    "dot1dStpProtocolSpecification",
    &[1, 3, 6, 1, 2, 1, 17, 2, 1],
    ReadOnly,
    Syntax::enumeration(&[(1, "unknown"), (2, "decLb100"), (3, "ieee8021d")]),
);
/// The writable part of its identifier.
pub const DOT1D_STP_PRIORITY: Scalar =
    Scalar::new("dot1dStpPriority", &[1, 3, 6, 1, 2, 1, 17, 2, 2], ReadWrite, PORT_OR_ZERO);
/// The root of the spanning tree.
pub const DOT1D_STP_DESIGNATED_ROOT: Scalar =
    Scalar::new("dot1dStpDesignatedRoot", &[1, 3, 6, 1, 2, 1, 17, 2, 5], ReadOnly, BRIDGE_ID);
/// The cost of the path to it.
pub const DOT1D_STP_ROOT_COST: Scalar =
    Scalar::new("dot1dStpRootCost", &[1, 3, 6, 1, 2, 1, 17, 2, 6], ReadOnly, Syntax::INTEGER32);
/// The port that leads to it; 0: this bridge is the root.
pub const DOT1D_STP_ROOT_PORT: Scalar =
    Scalar::new("dot1dStpRootPort", &[1, 3, 6, 1, 2, 1, 17, 2, 7], ReadOnly, Syntax::INTEGER32);
/// After which time what other bridges have said is forgotten.
pub const DOT1D_STP_MAX_AGE: Scalar =
    Scalar::new("dot1dStpMaxAge", &[1, 3, 6, 1, 2, 1, 17, 2, 8], ReadOnly, TIMEOUT).units("centi-seconds");
/// The time between two configuration messages.
pub const DOT1D_STP_HELLO_TIME: Scalar =
    Scalar::new("dot1dStpHelloTime", &[1, 3, 6, 1, 2, 1, 17, 2, 9], ReadOnly, TIMEOUT).units("centi-seconds");
/// Within which no more than two are sent.
pub const DOT1D_STP_HOLD_TIME: Scalar =
    Scalar::new("dot1dStpHoldTime", &[1, 3, 6, 1, 2, 1, 17, 2, 10], ReadOnly, Syntax::INTEGER32)
        .units("centi-seconds");
/// How long a port listens, and then learns.
pub const DOT1D_STP_FORWARD_DELAY: Scalar =
    Scalar::new("dot1dStpForwardDelay", &[1, 3, 6, 1, 2, 1, 17, 2, 11], ReadOnly, TIMEOUT)
        .units("centi-seconds");
/// dot1dStpMaxAge if this bridge is the root.
pub const DOT1D_STP_BRIDGE_MAX_AGE: Scalar = Scalar::new(
    "dot1dStpBridgeMaxAge",
    &[1, 3, 6, 1, 2, 1, 17, 2, 12],
    ReadWrite,
    Syntax::integer(600, 4000).named("Timeout", "d"),
)
.units("centi-seconds");
/// dot1dStpHelloTime if this bridge is the root.
pub const DOT1D_STP_BRIDGE_HELLO_TIME: Scalar = Scalar::new(
    "dot1dStpBridgeHelloTime",
    &[1, 3, 6, 1, 2, 1, 17, 2, 13],
    ReadWrite,
    Syntax::integer(100, 1000).named("Timeout", "d"),
)
.units("centi-seconds");
/// dot1dStpForwardDelay if this bridge is the root.
pub const DOT1D_STP_BRIDGE_FORWARD_DELAY: Scalar = Scalar::new(
    "dot1dStpBridgeForwardDelay",
    &[1, 3, 6, 1, 2, 1, 17, 2, 14],
    ReadWrite,
    Syntax::integer(400, 3000).named("Timeout", "d"),
)
.units("centi-seconds");
/// Addresses that there was no room for.
pub const DOT1D_TP_LEARNED_ENTRY_DISCARDS: Scalar =
    Scalar::new("dot1dTpLearnedEntryDiscards", &[1, 3, 6, 1, 2, 1, 17, 4, 1], ReadOnly, Syntax::COUNTER32);
/// After which time a learned address is forgotten.
pub const DOT1D_TP_AGING_TIME: Scalar =
    Scalar::new("dot1dTpAgingTime", &[1, 3, 6, 1, 2, 1, 17, 4, 2], ReadWrite, Syntax::integer(10, 1_000_000))
        .units("seconds");

/// dot1dBasePortTable: the ports by their numbers, and their interfaces.
pub const DOT1D_BASE_PORT_TABLE: Table = Table {
    name: "dot1dBasePortTable",
    entry: "dot1dBasePortEntry",
    oid: &[1, 3, 6, 1, 2, 1, 17, 1, 4],
    index: &[IndexPart::new("dot1dBasePort", IndexEncoding::Integer, PORT)],
    columns: &[
        Column::new(1, "dot1dBasePort", ReadOnly, PORT),
        Column::new(2, "dot1dBasePortIfIndex", ReadOnly, Syntax::INTERFACE_INDEX),
        Column::new(3, "dot1dBasePortCircuit", ReadOnly, Syntax::OBJECT_IDENTIFIER),
        Column::new(4, "dot1dBasePortDelayExceededDiscards", ReadOnly, Syntax::COUNTER32),
    ],
};

/// dot1dStpPortTable: the ports in the spanning tree.
pub const DOT1D_STP_PORT_TABLE: Table = Table {
    name: "dot1dStpPortTable",
    entry: "dot1dStpPortEntry",
    oid: &[1, 3, 6, 1, 2, 1, 17, 2, 15],
    index: &[IndexPart::new("dot1dStpPort", IndexEncoding::Integer, PORT)],
    columns: &[
        Column::new(1, "dot1dStpPort", ReadOnly, PORT),
        Column::new(2, "dot1dStpPortPriority", ReadWrite, Syntax::integer(0, 255)),
        Column::new(
            3,
            "dot1dStpPortState",
            ReadOnly,
            Syntax::enumeration(&[
                (1, "disabled"),
                (2, "blocking"),
                (3, "listening"),
                (4, "learning"),
                (5, "forwarding"),
                (6, "broken"),
            ]),
        ),
        Column::new(
            4,
            "dot1dStpPortEnable",
            ReadWrite,
            Syntax::enumeration(&[(1, "enabled"), (2, "disabled")]),
        ),
        Column::new(5, "dot1dStpPortPathCost", ReadWrite, PORT),
        Column::new(6, "dot1dStpPortDesignatedRoot", ReadOnly, BRIDGE_ID),
        Column::new(7, "dot1dStpPortDesignatedCost", ReadOnly, Syntax::INTEGER32),
        Column::new(8, "dot1dStpPortDesignatedBridge", ReadOnly, BRIDGE_ID),
        Column::new(9, "dot1dStpPortDesignatedPort", ReadOnly, Syntax::octets(2, 2)),
        Column::new(11, "dot1dStpPortPathCost32", ReadWrite, Syntax::integer(1, 200_000_000)),
    ],
};

/// Status of an address.
pub(super) const FDB_STATUS: Syntax =
    Syntax::enumeration(&[(1, "other"), (2, "invalid"), (3, "learned"), (4, "self"), (5, "mgmt")]);

/// dot1dTpFdbTable: the addresses that the bridge knows, and the port to each.
pub const DOT1D_TP_FDB_TABLE: Table = Table {
    name: "dot1dTpFdbTable",
    entry: "dot1dTpFdbEntry",
    oid: &[1, 3, 6, 1, 2, 1, 17, 4, 3],
    index: &[IndexPart::new("dot1dTpFdbAddress", IndexEncoding::FixedOctets(6), MAC_ADDRESS)],
    columns: &[
        Column::new(1, "dot1dTpFdbAddress", ReadOnly, MAC_ADDRESS),
        Column::new(2, "dot1dTpFdbPort", ReadOnly, PORT_OR_ZERO),
        Column::new(3, "dot1dTpFdbStatus", ReadOnly, FDB_STATUS),
    ],
};

/// dot1dTpPortTable: what the ports have received and sent.
pub const DOT1D_TP_PORT_TABLE: Table = Table {
    name: "dot1dTpPortTable",
    entry: "dot1dTpPortEntry",
    oid: &[1, 3, 6, 1, 2, 1, 17, 4, 4],
    index: &[IndexPart::new("dot1dTpPort", IndexEncoding::Integer, PORT)],
    columns: &[
        Column::new(1, "dot1dTpPort", ReadOnly, PORT),
        Column::new(2, "dot1dTpPortMaxInfo", ReadOnly, Syntax::INTEGER32).units("bytes"),
        Column::new(3, "dot1dTpPortInFrames", ReadOnly, Syntax::COUNTER32).units("frames"),
        Column::new(4, "dot1dTpPortOutFrames", ReadOnly, Syntax::COUNTER32).units("frames"),
        Column::new(5, "dot1dTpPortInDiscards", ReadOnly, Syntax::COUNTER32).units("frames"),
    ],
};
