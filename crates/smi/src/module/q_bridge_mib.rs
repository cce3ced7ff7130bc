//! Q-BRIDGE-MIB (RFC 4363): the VLANs of a bridge, which ports they have, and the addresses in each. Without what Linux does not have:
//! GVRP's statistics, group and static filtering tables, constraints of learning.

use super::bridge_mib::{FDB_STATUS, MAC_ADDRESS};
use crate::schema::MaxAccess::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// Q-BRIDGE-MIB.
pub static MODULE: Module = Module {
    name: "Q-BRIDGE-MIB",
    reference: "RFC 4363",
    nodes: &[
        Node { name: "qBridgeMIB", oid: &[1, 3, 6, 1, 2, 1, 17, 7] },
        Node { name: "qBridgeMIBObjects", oid: &[1, 3, 6, 1, 2, 1, 17, 7, 1] },
        Node { name: "dot1qBase", oid: &[1, 3, 6, 1, 2, 1, 17, 7, 1, 1] },
        Node { name: "dot1qTp", oid: &[1, 3, 6, 1, 2, 1, 17, 7, 1, 2] },
        Node { name: "dot1qVlan", oid: &[1, 3, 6, 1, 2, 1, 17, 7, 1, 4] },
    ],
    scalars: &[
        DOT1Q_VLAN_VERSION_NUMBER,
        DOT1Q_MAX_VLAN_ID,
        DOT1Q_MAX_SUPPORTED_VLANS,
        DOT1Q_NUM_VLANS,
        DOT1Q_GVRP_STATUS,
    ],
    tables: &[
        DOT1Q_FDB_TABLE,
        DOT1Q_TP_FDB_TABLE,
        DOT1Q_VLAN_CURRENT_TABLE,
        DOT1Q_VLAN_STATIC_TABLE,
        DOT1Q_PORT_VLAN_TABLE,
    ],
    notifications: &[],
};

const VLAN_ID: Syntax = Syntax::integer(1, 4094).named("VlanId", "d");
const VLAN_INDEX: Syntax = Syntax::UNSIGNED32.named("VlanIndex", "d");
const PORT_LIST: Syntax = Syntax::octets(0, 8192).named("PortList", "");
const ENABLED: Syntax = Syntax::enumeration(&[(1, "enabled"), (2, "disabled")]).named("EnabledStatus", "");
const PORT: Syntax = Syntax::integer(0, 65535);

/// The version of IEEE 802.1Q.
pub const DOT1Q_VLAN_VERSION_NUMBER: Scalar = Scalar::new(
    "dot1qVlanVersionNumber",
    &[1, 3, 6, 1, 2, 1, 17, 7, 1, 1, 1],
    ReadOnly,
    Syntax::enumeration(&[(1, "version1")]),
);
/// The largest number of a VLAN.
pub const DOT1Q_MAX_VLAN_ID: Scalar =
    Scalar::new("dot1qMaxVlanId", &[1, 3, 6, 1, 2, 1, 17, 7, 1, 1, 2], ReadOnly, VLAN_ID);
/// How many VLANs there can be.
pub const DOT1Q_MAX_SUPPORTED_VLANS: Scalar =
    Scalar::new("dot1qMaxSupportedVlans", &[1, 3, 6, 1, 2, 1, 17, 7, 1, 1, 3], ReadOnly, Syntax::UNSIGNED32);
/// How many there are.
pub const DOT1Q_NUM_VLANS: Scalar =
    Scalar::new("dot1qNumVlans", &[1, 3, 6, 1, 2, 1, 17, 7, 1, 1, 4], ReadOnly, Syntax::UNSIGNED32);
/// Whether the bridge speaks GVRP.
pub const DOT1Q_GVRP_STATUS: Scalar =
    Scalar::new("dot1qGvrpStatus", &[1, 3, 6, 1, 2, 1, 17, 7, 1, 1, 5], ReadWrite, ENABLED);

const FDB_ID: IndexPart = IndexPart::new("dot1qFdbId", IndexEncoding::Integer, Syntax::UNSIGNED32);

/// dot1qFdbTable: how many addresses were learned in each VLAN. A VLAN has its own addresses, and its number.
pub const DOT1Q_FDB_TABLE: Table = Table {
    name: "dot1qFdbTable",
    entry: "dot1qFdbEntry",
    oid: &[1, 3, 6, 1, 2, 1, 17, 7, 1, 2, 1],
    index: &[FDB_ID],
    columns: &[
        Column::new(1, "dot1qFdbId", NotAccessible, Syntax::UNSIGNED32),
        Column::new(2, "dot1qFdbDynamicCount", ReadOnly, Syntax::COUNTER32),
    ],
};

/// dot1qTpFdbTable: the addresses that are known in each VLAN, and the port to each.
pub const DOT1Q_TP_FDB_TABLE: Table = Table {
    name: "dot1qTpFdbTable",
    entry: "dot1qTpFdbEntry",
    oid: &[1, 3, 6, 1, 2, 1, 17, 7, 1, 2, 2],
    index: &[FDB_ID, IndexPart::new("dot1qTpFdbAddress", IndexEncoding::FixedOctets(6), MAC_ADDRESS)],
    columns: &[
        Column::new(1, "dot1qTpFdbAddress", NotAccessible, MAC_ADDRESS),
        Column::new(2, "dot1qTpFdbPort", ReadOnly, PORT),
        Column::new(3, "dot1qTpFdbStatus", ReadOnly, FDB_STATUS),
    ],
};

/// TimeFilter, a number here: no row has another one than 0.
const TIME_MARK: Syntax = Syntax::UNSIGNED32;

/// dot1qVlanCurrentTable: each VLAN with its ports. Rows have the time mark 0.
pub const DOT1Q_VLAN_CURRENT_TABLE: Table = Table {
    name: "dot1qVlanCurrentTable",
    entry: "dot1qVlanCurrentEntry",
    oid: &[1, 3, 6, 1, 2, 1, 17, 7, 1, 4, 2],
    index: &[
        IndexPart::new("dot1qVlanTimeMark", IndexEncoding::Integer, TIME_MARK),
        IndexPart::new("dot1qVlanIndex", IndexEncoding::Integer, VLAN_INDEX),
    ],
    columns: &[
        Column::new(1, "dot1qVlanTimeMark", NotAccessible, TIME_MARK),
        Column::new(2, "dot1qVlanIndex", NotAccessible, VLAN_INDEX),
        Column::new(3, "dot1qVlanFdbId", ReadOnly, Syntax::UNSIGNED32),
        Column::new(4, "dot1qVlanCurrentEgressPorts", ReadOnly, PORT_LIST),
        Column::new(5, "dot1qVlanCurrentUntaggedPorts", ReadOnly, PORT_LIST),
        Column::new(
            6,
            "dot1qVlanStatus",
            ReadOnly,
            Syntax::enumeration(&[(1, "other"), (2, "permanent"), (3, "dynamicGvrp")]),
        ),
        Column::new(7, "dot1qVlanCreationTime", ReadOnly, Syntax::TIME_TICKS),
    ],
};

/// dot1qVlanStaticTable: the VLANs that were configured, which are all of them.
pub const DOT1Q_VLAN_STATIC_TABLE: Table = Table {
    name: "dot1qVlanStaticTable",
    entry: "dot1qVlanStaticEntry",
    oid: &[1, 3, 6, 1, 2, 1, 17, 7, 1, 4, 3],
    index: &[IndexPart::new("dot1qVlanIndex", IndexEncoding::Integer, VLAN_INDEX)],
    columns: &[
        Column::new(1, "dot1qVlanStaticName", ReadCreate, Syntax::admin_string(0, 32)),
        Column::new(2, "dot1qVlanStaticEgressPorts", ReadCreate, PORT_LIST),
        Column::new(3, "dot1qVlanForbiddenEgressPorts", ReadCreate, PORT_LIST),
        Column::new(4, "dot1qVlanStaticUntaggedPorts", ReadCreate, PORT_LIST),
        Column::new(5, "dot1qVlanStaticRowStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// dot1qPortVlanTable: what VLANs mean for each port. It AUGMENTS dot1dBasePortTable.
pub const DOT1Q_PORT_VLAN_TABLE: Table = Table {
    name: "dot1qPortVlanTable",
    entry: "dot1qPortVlanEntry",
    oid: &[1, 3, 6, 1, 2, 1, 17, 7, 1, 4, 5],
    index: super::bridge_mib::DOT1D_BASE_PORT_TABLE.index,
    columns: &[
        Column::new(1, "dot1qPvid", ReadWrite, VLAN_INDEX),
        Column::new(
            2,
            "dot1qPortAcceptableFrameTypes",
            ReadWrite,
            Syntax::enumeration(&[(1, "admitAll"), (2, "admitOnlyVlanTagged")]),
        ),
        Column::new(3, "dot1qPortIngressFiltering", ReadWrite, Syntax::TRUTH_VALUE),
        Column::new(4, "dot1qPortGvrpStatus", ReadWrite, ENABLED),
        Column::new(5, "dot1qPortGvrpFailedRegistrations", ReadOnly, Syntax::COUNTER32),
        Column::new(6, "dot1qPortGvrpLastPduOrigin", ReadOnly, MAC_ADDRESS),
        Column::new(7, "dot1qPortRestrictedVlanRegistration", ReadWrite, Syntax::TRUTH_VALUE),
    ],
};
