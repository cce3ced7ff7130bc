//! IF-MIB (RFC 2863): the interfaces of the machine.

use crate::schema::MaxAccess::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Notification, Scalar, Syntax, Table};

/// IF-MIB.
pub static MODULE: Module = Module {
    name: "IF-MIB",
    reference: "RFC 2863",
    nodes: &[
        Node { name: "interfaces", oid: &[1, 3, 6, 1, 2, 1, 2] },
        Node { name: "ifMIB", oid: &[1, 3, 6, 1, 2, 1, 31] },
        Node { name: "ifMIBObjects", oid: &[1, 3, 6, 1, 2, 1, 31, 1] },
        Node { name: "ifConformance", oid: &[1, 3, 6, 1, 2, 1, 31, 2] },
        Node { name: "ifGroups", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1] },
        Node { name: "ifGeneralGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 1] },
        Node { name: "ifFixedLengthGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 2] },
        Node { name: "ifHCFixedLengthGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 3] },
        Node { name: "ifPacketGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 4] },
        Node { name: "ifHCPacketGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 5] },
        Node { name: "ifVHCPacketGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 6] },
        Node { name: "ifRcvAddressGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 7] },
        Node { name: "ifTestGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 8] },
        Node { name: "ifStackGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 9] },
        Node { name: "ifGeneralInformationGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 10] },
        Node { name: "ifStackGroup2", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 11] },
        Node { name: "ifOldObjectsGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 12] },
        Node { name: "ifCounterDiscontinuityGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 13] },
        Node { name: "linkUpDownNotificationsGroup", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 1, 14] },
        Node { name: "ifCompliances", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 2] },
        Node { name: "ifCompliance", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 2, 1] },
        Node { name: "ifCompliance2", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 2, 2] },
        Node { name: "ifCompliance3", oid: &[1, 3, 6, 1, 2, 1, 31, 2, 2, 3] },
    ],
    scalars: &[IF_NUMBER, IF_TABLE_LAST_CHANGE, IF_STACK_LAST_CHANGE],
    tables: &[IF_TABLE, IF_X_TABLE, IF_STACK_TABLE, IF_RCV_ADDRESS_TABLE],
    notifications: &[LINK_DOWN, LINK_UP],
};

/// The objects of linkDown and linkUp.
const LINK_OBJECTS: &[&str] = &["ifIndex", "ifAdminStatus", "ifOperStatus"];

/// An interface is about to go down from any state except notPresent.
pub const LINK_DOWN: Notification =
    Notification { name: "linkDown", oid: &[1, 3, 6, 1, 6, 3, 1, 1, 5, 3], objects: LINK_OBJECTS };

/// An interface has left the state down for any state except notPresent.
pub const LINK_UP: Notification =
    Notification { name: "linkUp", oid: &[1, 3, 6, 1, 6, 3, 1, 1, 5, 4], objects: LINK_OBJECTS };

/// How many rows ifTable has.
pub const IF_NUMBER: Scalar = Scalar::new("ifNumber", &[1, 3, 6, 1, 2, 1, 2, 1], ReadOnly, Syntax::INTEGER32);

/// sysUpTime when a row last came or went.
pub const IF_TABLE_LAST_CHANGE: Scalar =
    Scalar::new("ifTableLastChange", &[1, 3, 6, 1, 2, 1, 31, 1, 5], ReadOnly, Syntax::TIME_TICKS);

/// sysUpTime when ifStackTable last changed.
pub const IF_STACK_LAST_CHANGE: Scalar =
    Scalar::new("ifStackLastChange", &[1, 3, 6, 1, 2, 1, 31, 1, 6], ReadOnly, Syntax::TIME_TICKS);

const IF_INDEX: IndexPart = IndexPart::new("ifIndex", IndexEncoding::Integer, Syntax::INTERFACE_INDEX);

const ADMIN_STATUS: Syntax = Syntax::enumeration(&[(1, "up"), (2, "down"), (3, "testing")]);

const OPER_STATUS: Syntax = Syntax::enumeration(&[
    (1, "up"),
    (2, "down"),
    (3, "testing"),
    (4, "unknown"),
    (5, "dormant"),
    (6, "notPresent"),
    (7, "lowerLayerDown"),
]);

/// ifTable: one row for each interface.
pub const IF_TABLE: Table = Table {
    name: "ifTable",
    entry: "ifEntry",
    oid: &[1, 3, 6, 1, 2, 1, 2, 2],
    index: &[IF_INDEX],
    columns: &[
        Column::new(1, "ifIndex", ReadOnly, Syntax::INTERFACE_INDEX),
        Column::new(2, "ifDescr", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(3, "ifType", ReadOnly, IANA_IF_TYPE),
        Column::new(4, "ifMtu", ReadOnly, Syntax::INTEGER32).units("octets"),
        Column::new(5, "ifSpeed", ReadOnly, Syntax::GAUGE32).units("bits per second"),
        Column::new(6, "ifPhysAddress", ReadOnly, Syntax::PHYS_ADDRESS),
        Column::new(7, "ifAdminStatus", ReadWrite, ADMIN_STATUS),
        Column::new(8, "ifOperStatus", ReadOnly, OPER_STATUS),
        Column::new(9, "ifLastChange", ReadOnly, Syntax::TIME_TICKS),
        Column::new(10, "ifInOctets", ReadOnly, Syntax::COUNTER32).units("octets"),
        Column::new(11, "ifInUcastPkts", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(12, "ifInNUcastPkts", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(13, "ifInDiscards", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(14, "ifInErrors", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(15, "ifInUnknownProtos", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(16, "ifOutOctets", ReadOnly, Syntax::COUNTER32).units("octets"),
        Column::new(17, "ifOutUcastPkts", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(18, "ifOutNUcastPkts", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(19, "ifOutDiscards", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(20, "ifOutErrors", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(21, "ifOutQLen", ReadOnly, Syntax::GAUGE32).units("packets"),
        Column::new(22, "ifSpecific", ReadOnly, Syntax::OBJECT_IDENTIFIER),
    ],
};

/// ifXTable: what RFC 2233 and 2863 added to ifTable, 64-bit counters among it.
pub const IF_X_TABLE: Table = Table {
    name: "ifXTable",
    entry: "ifXEntry",
    oid: &[1, 3, 6, 1, 2, 1, 31, 1, 1],
    index: &[IF_INDEX],
    columns: &[
        Column::new(1, "ifName", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(2, "ifInMulticastPkts", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(3, "ifInBroadcastPkts", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(4, "ifOutMulticastPkts", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(5, "ifOutBroadcastPkts", ReadOnly, Syntax::COUNTER32).units("packets"),
        Column::new(6, "ifHCInOctets", ReadOnly, Syntax::COUNTER64).units("octets"),
        Column::new(7, "ifHCInUcastPkts", ReadOnly, Syntax::COUNTER64).units("packets"),
        Column::new(8, "ifHCInMulticastPkts", ReadOnly, Syntax::COUNTER64).units("packets"),
        Column::new(9, "ifHCInBroadcastPkts", ReadOnly, Syntax::COUNTER64).units("packets"),
        Column::new(10, "ifHCOutOctets", ReadOnly, Syntax::COUNTER64).units("octets"),
        Column::new(11, "ifHCOutUcastPkts", ReadOnly, Syntax::COUNTER64).units("packets"),
        Column::new(12, "ifHCOutMulticastPkts", ReadOnly, Syntax::COUNTER64).units("packets"),
        Column::new(13, "ifHCOutBroadcastPkts", ReadOnly, Syntax::COUNTER64).units("packets"),
        Column::new(
            14,
            "ifLinkUpDownTrapEnable",
            ReadWrite,
            Syntax::enumeration(&[(1, "enabled"), (2, "disabled")]),
        ),
        Column::new(15, "ifHighSpeed", ReadOnly, Syntax::GAUGE32).units("1,000,000 bits per second"),
        Column::new(16, "ifPromiscuousMode", ReadWrite, Syntax::TRUTH_VALUE),
        Column::new(17, "ifConnectorPresent", ReadOnly, Syntax::TRUTH_VALUE),
        Column::new(18, "ifAlias", ReadWrite, Syntax::octets(0, 64).named("DisplayString", "255a")),
        Column::new(19, "ifCounterDiscontinuityTime", ReadOnly, Syntax::TIME_STAMP),
    ],
};

/// ifStackTable: which interface runs on top of which.
pub const IF_STACK_TABLE: Table = Table {
    name: "ifStackTable",
    entry: "ifStackEntry",
    oid: &[1, 3, 6, 1, 2, 1, 31, 1, 2],
    index: &[
        IndexPart::new("ifStackHigherLayer", IndexEncoding::Integer, Syntax::INTERFACE_INDEX_OR_ZERO),
        IndexPart::new("ifStackLowerLayer", IndexEncoding::Integer, Syntax::INTERFACE_INDEX_OR_ZERO),
    ],
    columns: &[
        Column::new(1, "ifStackHigherLayer", NotAccessible, Syntax::INTERFACE_INDEX_OR_ZERO),
        Column::new(2, "ifStackLowerLayer", NotAccessible, Syntax::INTERFACE_INDEX_OR_ZERO),
        Column::new(3, "ifStackStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// ifRcvAddressTable: the link-layer addresses on which an interface receives packets.
pub const IF_RCV_ADDRESS_TABLE: Table = Table {
    name: "ifRcvAddressTable",
    entry: "ifRcvAddressEntry",
    oid: &[1, 3, 6, 1, 2, 1, 31, 1, 4],
    index: &[IF_INDEX, IndexPart::new("ifRcvAddressAddress", IndexEncoding::Octets, Syntax::PHYS_ADDRESS)],
    columns: &[
        Column::new(1, "ifRcvAddressAddress", NotAccessible, Syntax::PHYS_ADDRESS),
        Column::new(2, "ifRcvAddressStatus", ReadCreate, Syntax::ROW_STATUS),
        Column::new(
            3,
            "ifRcvAddressType",
            ReadCreate,
            Syntax::enumeration(&[(1, "other"), (2, "volatile"), (3, "nonVolatile")]),
        ),
    ],
};

/// IANAifType: the numbers that Linux's link types map to, with the common others
/// (IANA's registry has some three hundred; the manager reads the rest from MIB texts).
pub const IANA_IF_TYPE: Syntax = Syntax {
    max: 65535,
    min: 1,
    ..Syntax::enumeration(&[
        (1, "other"),
        (2, "regular1822"),
        (3, "hdh1822"),
        (4, "ddnX25"),
        (5, "rfc877x25"),
        (6, "ethernetCsmacd"),
        (7, "iso88023Csmacd"),
        (8, "iso88024TokenBus"),
        (9, "iso88025TokenRing"),
        (10, "iso88026Man"),
        (11, "starLan"),
        (12, "proteon10Mbit"),
        (13, "proteon80Mbit"),
        (14, "hyperchannel"),
        (15, "fddi"),
        (16, "lapb"),
        (17, "sdlc"),
        (18, "ds1"),
        (19, "e1"),
        (20, "basicISDN"),
        (21, "primaryISDN"),
        (22, "propPointToPointSerial"),
        (23, "ppp"),
        (24, "softwareLoopback"),
        (25, "eon"),
        (26, "ethernet3Mbit"),
        (27, "nsip"),
        (28, "slip"),
        (29, "ultra"),
        (30, "ds3"),
        (31, "sip"),
        (32, "frameRelay"),
        (33, "rs232"),
        (34, "para"),
        (35, "arcnet"),
        (36, "arcnetPlus"),
        (37, "atm"),
        (38, "miox25"),
        (39, "sonet"),
        (40, "x25ple"),
        (41, "iso88022llc"),
        (42, "localTalk"),
        (43, "smdsDxi"),
        (44, "frameRelayService"),
        (45, "v35"),
        (46, "hssi"),
        (47, "hippi"),
        (48, "modem"),
        (49, "aal5"),
        (50, "sonetPath"),
        (51, "sonetVT"),
        (52, "smdsIcip"),
        (53, "propVirtual"),
        (54, "propMultiplexor"),
        (55, "ieee80212"),
        (56, "fibreChannel"),
        (57, "hippiInterface"),
        (58, "frameRelayInterconnect"),
        (59, "aflane8023"),
        (60, "aflane8025"),
        (61, "cctEmul"),
        (62, "fastEther"),
        (63, "isdn"),
        (64, "v11"),
        (65, "v36"),
        (66, "g703at64k"),
        (67, "g703at2mb"),
        (68, "qllc"),
        (69, "fastEtherFX"),
        (70, "channel"),
        (71, "ieee80211"),
        (94, "adsl"),
        (97, "vdsl"),
        (117, "gigabitEthernet"),
        (118, "hdlc"),
        (126, "ip"),
        (127, "docsCableMaclayer"),
        (128, "docsCableDownstream"),
        (129, "docsCableUpstream"),
        (131, "tunnel"),
        (134, "atmSubInterface"),
        (135, "l2vlan"),
        (136, "l3ipvlan"),
        (142, "ipForward"),
        (144, "ieee1394"),
        (150, "mplsTunnel"),
        (161, "ieee8023adLag"),
        (166, "mpls"),
        (169, "shdsl"),
        (199, "infiniband"),
        (209, "bridge"),
        (230, "adsl2"),
        (238, "adsl2plus"),
        (243, "wwanPP"),
        (244, "wwanPP2"),
        (250, "gpon"),
        (251, "vdsl2"),
        (259, "ieee802154"),
    ])
    .named("IANAifType", "")
};
