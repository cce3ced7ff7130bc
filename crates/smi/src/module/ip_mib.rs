//! IP-MIB (RFC 4293): IPv4, IPv6 and ICMP, with the deprecated objects that managers still read.

mod icmp;

pub use icmp::{
    ICMP_IN_ADDR_MASK_REPS, ICMP_IN_ADDR_MASKS, ICMP_IN_DEST_UNREACHS, ICMP_IN_ECHO_REPS, ICMP_IN_ECHOS,
    ICMP_IN_ERRORS, ICMP_IN_MSGS, ICMP_IN_PARM_PROBS, ICMP_IN_REDIRECTS, ICMP_IN_SRC_QUENCHS,
    ICMP_IN_TIME_EXCDS, ICMP_IN_TIMESTAMP_REPS, ICMP_IN_TIMESTAMPS, ICMP_MSG_STATS_TABLE,
    ICMP_OUT_ADDR_MASK_REPS, ICMP_OUT_ADDR_MASKS, ICMP_OUT_DEST_UNREACHS, ICMP_OUT_ECHO_REPS, ICMP_OUT_ECHOS,
    ICMP_OUT_ERRORS, ICMP_OUT_MSGS, ICMP_OUT_PARM_PROBS, ICMP_OUT_REDIRECTS, ICMP_OUT_SRC_QUENCHS,
    ICMP_OUT_TIME_EXCDS, ICMP_OUT_TIMESTAMP_REPS, ICMP_OUT_TIMESTAMPS, ICMP_STATS_TABLE,
};

use crate::schema::MaxAccess::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// IP-MIB.
pub static MODULE: Module = Module {
    name: "IP-MIB",
    reference: "RFC 4293",
    nodes: &[
        Node { name: "ip", oid: &[1, 3, 6, 1, 2, 1, 4] },
        Node { name: "ipTrafficStats", oid: &[1, 3, 6, 1, 2, 1, 4, 31] },
        Node { name: "icmp", oid: &[1, 3, 6, 1, 2, 1, 5] },
        Node { name: "ipMIB", oid: &[1, 3, 6, 1, 2, 1, 48] },
        Node { name: "ipMIBConformance", oid: &[1, 3, 6, 1, 2, 1, 48, 2] },
        Node { name: "ipMIBCompliances", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 1] },
        Node { name: "ipMIBCompliance", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 1, 1] },
        Node { name: "ipMIBCompliance2", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 1, 2] },
        Node { name: "ipMIBGroups", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2] },
        Node { name: "ipGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 1] },
        Node { name: "icmpGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 2] },
        Node { name: "ipv4GeneralGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 3] },
        Node { name: "ipv4IfGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 4] },
        Node { name: "ipv6GeneralGroup2", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 5] },
        Node { name: "ipv6IfGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 6] },
        Node { name: "ipLastChangeGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 7] },
        Node { name: "ipSystemStatsGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 8] },
        Node { name: "ipv4SystemStatsGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 9] },
        Node { name: "ipSystemStatsHCOctetGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 10] },
        Node { name: "ipSystemStatsHCPacketGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 11] },
        Node { name: "ipv4SystemStatsHCPacketGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 12] },
        Node { name: "ipIfStatsGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 13] },
        Node { name: "ipv4IfStatsGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 14] },
        Node { name: "ipIfStatsHCOctetGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 15] },
        Node { name: "ipIfStatsHCPacketGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 16] },
        Node { name: "ipv4IfStatsHCPacketGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 17] },
        Node { name: "ipAddressPrefixGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 18] },
        Node { name: "ipAddressGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 19] },
        Node { name: "ipNetToPhysicalGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 20] },
        Node { name: "ipv6ScopeGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 21] },
        Node { name: "ipDefaultRouterGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 22] },
        Node { name: "ipv6RouterAdvertGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 23] },
        Node { name: "icmpStatsGroup", oid: &[1, 3, 6, 1, 2, 1, 48, 2, 2, 24] },
    ],
    scalars: &[
        IP_FORWARDING,
        IP_DEFAULT_TTL,
        IP_IN_RECEIVES,
        IP_IN_HDR_ERRORS,
        IP_IN_ADDR_ERRORS,
        IP_FORW_DATAGRAMS,
        IP_IN_UNKNOWN_PROTOS,
        IP_IN_DISCARDS,
        IP_IN_DELIVERS,
        IP_OUT_REQUESTS,
        IP_OUT_DISCARDS,
        IP_OUT_NO_ROUTES,
        IP_REASM_TIMEOUT,
        IP_REASM_REQDS,
        IP_REASM_OKS,
        IP_REASM_FAILS,
        IP_FRAG_OKS,
        IP_FRAG_FAILS,
        IP_FRAG_CREATES,
        IP_ROUTING_DISCARDS,
        IPV6_IP_FORWARDING,
        IPV6_IP_DEFAULT_HOP_LIMIT,
        IPV4_INTERFACE_TABLE_LAST_CHANGE,
        IPV6_INTERFACE_TABLE_LAST_CHANGE,
        IP_IF_STATS_TABLE_LAST_CHANGE,
        IP_ADDRESS_SPIN_LOCK,
        IPV6_ROUTER_ADVERT_SPIN_LOCK,
        ICMP_IN_MSGS,
        ICMP_IN_ERRORS,
        ICMP_IN_DEST_UNREACHS,
        ICMP_IN_TIME_EXCDS,
        ICMP_IN_PARM_PROBS,
        ICMP_IN_SRC_QUENCHS,
        ICMP_IN_REDIRECTS,
        ICMP_IN_ECHOS,
        ICMP_IN_ECHO_REPS,
        ICMP_IN_TIMESTAMPS,
        ICMP_IN_TIMESTAMP_REPS,
        ICMP_IN_ADDR_MASKS,
        ICMP_IN_ADDR_MASK_REPS,
        ICMP_OUT_MSGS,
        ICMP_OUT_ERRORS,
        ICMP_OUT_DEST_UNREACHS,
        ICMP_OUT_TIME_EXCDS,
        ICMP_OUT_PARM_PROBS,
        ICMP_OUT_SRC_QUENCHS,
        ICMP_OUT_REDIRECTS,
        ICMP_OUT_ECHOS,
        ICMP_OUT_ECHO_REPS,
        ICMP_OUT_TIMESTAMPS,
        ICMP_OUT_TIMESTAMP_REPS,
        ICMP_OUT_ADDR_MASKS,
        ICMP_OUT_ADDR_MASK_REPS,
    ],
    tables: &[
        IP_ADDR_TABLE,
        IP_NET_TO_MEDIA_TABLE,
        IPV4_INTERFACE_TABLE,
        IPV6_INTERFACE_TABLE,
        IP_SYSTEM_STATS_TABLE,
        IP_IF_STATS_TABLE,
        IP_ADDRESS_PREFIX_TABLE,
        IP_ADDRESS_TABLE,
        IP_NET_TO_PHYSICAL_TABLE,
        IPV6_SCOPE_ZONE_INDEX_TABLE,
        IP_DEFAULT_ROUTER_TABLE,
        IPV6_ROUTER_ADVERT_TABLE,
        ICMP_STATS_TABLE,
        ICMP_MSG_STATS_TABLE,
    ],
    notifications: &[],
};

const FORWARDING: Syntax = Syntax::enumeration(&[(1, "forwarding"), (2, "notForwarding")]);

const UP_OR_DOWN: Syntax = Syntax::enumeration(&[(1, "up"), (2, "down")]);

const ZONE_INDEX: Syntax = Syntax::UNSIGNED32.named("InetZoneIndex", "d");

/// Whether IPv4 is forwarded.
pub const IP_FORWARDING: Scalar =
    Scalar::new("ipForwarding", &[1, 3, 6, 1, 2, 1, 4, 1], ReadWrite, FORWARDING);

/// The TTL of IPv4 datagrams whose sender names none.
pub const IP_DEFAULT_TTL: Scalar =
    Scalar::new("ipDefaultTTL", &[1, 3, 6, 1, 2, 1, 4, 2], ReadWrite, Syntax::integer(1, 255));

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_IN_RECEIVES: Scalar =
    Scalar::new("ipInReceives", &[1, 3, 6, 1, 2, 1, 4, 3], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_IN_HDR_ERRORS: Scalar =
    Scalar::new("ipInHdrErrors", &[1, 3, 6, 1, 2, 1, 4, 4], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_IN_ADDR_ERRORS: Scalar =
    Scalar::new("ipInAddrErrors", &[1, 3, 6, 1, 2, 1, 4, 5], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_FORW_DATAGRAMS: Scalar =
    Scalar::new("ipForwDatagrams", &[1, 3, 6, 1, 2, 1, 4, 6], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_IN_UNKNOWN_PROTOS: Scalar =
    Scalar::new("ipInUnknownProtos", &[1, 3, 6, 1, 2, 1, 4, 7], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_IN_DISCARDS: Scalar =
    Scalar::new("ipInDiscards", &[1, 3, 6, 1, 2, 1, 4, 8], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_IN_DELIVERS: Scalar =
    Scalar::new("ipInDelivers", &[1, 3, 6, 1, 2, 1, 4, 9], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_OUT_REQUESTS: Scalar =
    Scalar::new("ipOutRequests", &[1, 3, 6, 1, 2, 1, 4, 10], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_OUT_DISCARDS: Scalar =
    Scalar::new("ipOutDiscards", &[1, 3, 6, 1, 2, 1, 4, 11], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_OUT_NO_ROUTES: Scalar =
    Scalar::new("ipOutNoRoutes", &[1, 3, 6, 1, 2, 1, 4, 12], ReadOnly, Syntax::COUNTER32);

/// How long fragments of IPv4 wait for the others.
pub const IP_REASM_TIMEOUT: Scalar =
    Scalar::new("ipReasmTimeout", &[1, 3, 6, 1, 2, 1, 4, 13], ReadOnly, Syntax::INTEGER32).units("seconds");

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_REASM_REQDS: Scalar =
    Scalar::new("ipReasmReqds", &[1, 3, 6, 1, 2, 1, 4, 14], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_REASM_OKS: Scalar =
    Scalar::new("ipReasmOKs", &[1, 3, 6, 1, 2, 1, 4, 15], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_REASM_FAILS: Scalar =
    Scalar::new("ipReasmFails", &[1, 3, 6, 1, 2, 1, 4, 16], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_FRAG_OKS: Scalar =
    Scalar::new("ipFragOKs", &[1, 3, 6, 1, 2, 1, 4, 17], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_FRAG_FAILS: Scalar =
    Scalar::new("ipFragFails", &[1, 3, 6, 1, 2, 1, 4, 18], ReadOnly, Syntax::COUNTER32);

/// IPv4's part of ipSystemStats (deprecated).
pub const IP_FRAG_CREATES: Scalar =
    Scalar::new("ipFragCreates", &[1, 3, 6, 1, 2, 1, 4, 19], ReadOnly, Syntax::COUNTER32);

/// Valid routes that were discarded (deprecated).
pub const IP_ROUTING_DISCARDS: Scalar =
    Scalar::new("ipRoutingDiscards", &[1, 3, 6, 1, 2, 1, 4, 23], ReadOnly, Syntax::COUNTER32);

/// Whether IPv6 is forwarded.
pub const IPV6_IP_FORWARDING: Scalar =
    Scalar::new("ipv6IpForwarding", &[1, 3, 6, 1, 2, 1, 4, 25], ReadWrite, FORWARDING);

/// The hop limit of IPv6 datagrams whose sender names none.
pub const IPV6_IP_DEFAULT_HOP_LIMIT: Scalar =
    Scalar::new("ipv6IpDefaultHopLimit", &[1, 3, 6, 1, 2, 1, 4, 26], ReadWrite, Syntax::integer(0, 255));

/// sysUpTime when a row of ipv4InterfaceTable last came, went or changed.
pub const IPV4_INTERFACE_TABLE_LAST_CHANGE: Scalar =
    Scalar::new("ipv4InterfaceTableLastChange", &[1, 3, 6, 1, 2, 1, 4, 27], ReadOnly, Syntax::TIME_STAMP);

/// sysUpTime when a row of ipv6InterfaceTable last came, went or changed.
pub const IPV6_INTERFACE_TABLE_LAST_CHANGE: Scalar =
    Scalar::new("ipv6InterfaceTableLastChange", &[1, 3, 6, 1, 2, 1, 4, 29], ReadOnly, Syntax::TIME_STAMP);

/// sysUpTime when a row of ipIfStatsTable last came or went.
pub const IP_IF_STATS_TABLE_LAST_CHANGE: Scalar =
    Scalar::new("ipIfStatsTableLastChange", &[1, 3, 6, 1, 2, 1, 4, 31, 2], ReadOnly, Syntax::TIME_STAMP);

/// The lock of managers that write ipAddressTable.
pub const IP_ADDRESS_SPIN_LOCK: Scalar =
    Scalar::new("ipAddressSpinLock", &[1, 3, 6, 1, 2, 1, 4, 33], ReadWrite, Syntax::TEST_AND_INCR);

/// The lock of managers that write ipv6RouterAdvertTable.
pub const IPV6_ROUTER_ADVERT_SPIN_LOCK: Scalar =
    Scalar::new("ipv6RouterAdvertSpinLock", &[1, 3, 6, 1, 2, 1, 4, 38], ReadWrite, Syntax::TEST_AND_INCR);

/// ipAddrTable: IPv4 addresses (deprecated).
pub const IP_ADDR_TABLE: Table = Table {
    name: "ipAddrTable",
    entry: "ipAddrEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 20],
    index: &[IndexPart::new("ipAdEntAddr", IndexEncoding::IpAddress, Syntax::IP_ADDRESS)],
    columns: &[
        Column::new(1, "ipAdEntAddr", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(2, "ipAdEntIfIndex", ReadOnly, Syntax::integer(1, i32::MAX as i64)),
        Column::new(3, "ipAdEntNetMask", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(4, "ipAdEntBcastAddr", ReadOnly, Syntax::integer(0, 1)),
        Column::new(5, "ipAdEntReasmMaxSize", ReadOnly, Syntax::integer(0, 65535)),
    ],
};

/// ipNetToMediaTable: IPv4 neighbours (deprecated).
pub const IP_NET_TO_MEDIA_TABLE: Table = Table {
    name: "ipNetToMediaTable",
    entry: "ipNetToMediaEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 22],
    index: &[
        IndexPart::new("ipNetToMediaIfIndex", IndexEncoding::Integer, Syntax::integer(1, i32::MAX as i64)),
        IndexPart::new("ipNetToMediaNetAddress", IndexEncoding::IpAddress, Syntax::IP_ADDRESS),
    ],
    columns: &[
        Column::new(1, "ipNetToMediaIfIndex", ReadCreate, Syntax::integer(1, i32::MAX as i64)),
        Column::new(2, "ipNetToMediaPhysAddress", ReadCreate, Syntax::PHYS_ADDRESS),
        Column::new(3, "ipNetToMediaNetAddress", ReadCreate, Syntax::IP_ADDRESS),
        Column::new(
            4,
            "ipNetToMediaType",
            ReadCreate,
            Syntax::enumeration(&[(1, "other"), (2, "invalid"), (3, "dynamic"), (4, "static")]),
        ),
    ],
};

/// ipv4InterfaceTable: IPv4's settings for each interface.
pub const IPV4_INTERFACE_TABLE: Table = Table {
    name: "ipv4InterfaceTable",
    entry: "ipv4InterfaceEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 28],
    index: &[IndexPart::new("ipv4InterfaceIfIndex", IndexEncoding::Integer, Syntax::INTERFACE_INDEX)],
    columns: &[
        Column::new(1, "ipv4InterfaceIfIndex", NotAccessible, Syntax::INTERFACE_INDEX),
        Column::new(2, "ipv4InterfaceReasmMaxSize", ReadOnly, Syntax::integer(0, 65535)),
        Column::new(3, "ipv4InterfaceEnableStatus", ReadWrite, UP_OR_DOWN),
        Column::new(4, "ipv4InterfaceRetransmitTime", ReadOnly, Syntax::UNSIGNED32).units("milliseconds"),
    ],
};

/// ipv6InterfaceTable: IPv6's settings for each interface.
pub const IPV6_INTERFACE_TABLE: Table = Table {
    name: "ipv6InterfaceTable",
    entry: "ipv6InterfaceEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 30],
    index: &[IndexPart::new("ipv6InterfaceIfIndex", IndexEncoding::Integer, Syntax::INTERFACE_INDEX)],
    columns: &[
        Column::new(1, "ipv6InterfaceIfIndex", NotAccessible, Syntax::INTERFACE_INDEX),
        Column::new(
            2,
            "ipv6InterfaceReasmMaxSize",
            ReadOnly,
            Syntax::unsigned(1500, 65535).named("Unsigned32", ""),
        )
        .units("octets"),
        Column::new(
            3,
            "ipv6InterfaceIdentifier",
            ReadOnly,
            Syntax::octets(0, 8).named("Ipv6AddressIfIdentifierTC", "2x:"),
        ),
        Column::new(5, "ipv6InterfaceEnableStatus", ReadWrite, UP_OR_DOWN),
        Column::new(6, "ipv6InterfaceReachableTime", ReadOnly, Syntax::UNSIGNED32).units("milliseconds"),
        Column::new(7, "ipv6InterfaceRetransmitTime", ReadOnly, Syntax::UNSIGNED32).units("milliseconds"),
        Column::new(8, "ipv6InterfaceForwarding", ReadWrite, FORWARDING),
    ],
};

/// ipSystemStatsTable: what passed through IPv4 and IPv6.
pub const IP_SYSTEM_STATS_TABLE: Table = Table {
    name: "ipSystemStatsTable",
    entry: "ipSystemStatsEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 31, 1],
    index: &[IndexPart::new("ipSystemStatsIPVersion", IndexEncoding::Integer, Syntax::INET_VERSION)],
    columns: &[
        Column::new(1, "ipSystemStatsIPVersion", NotAccessible, Syntax::INET_VERSION),
        Column::new(3, "ipSystemStatsInReceives", ReadOnly, Syntax::COUNTER32),
        Column::new(4, "ipSystemStatsHCInReceives", ReadOnly, Syntax::COUNTER64),
        Column::new(5, "ipSystemStatsInOctets", ReadOnly, Syntax::COUNTER32),
        Column::new(6, "ipSystemStatsHCInOctets", ReadOnly, Syntax::COUNTER64),
        Column::new(7, "ipSystemStatsInHdrErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(8, "ipSystemStatsInNoRoutes", ReadOnly, Syntax::COUNTER32),
        Column::new(9, "ipSystemStatsInAddrErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(10, "ipSystemStatsInUnknownProtos", ReadOnly, Syntax::COUNTER32),
        Column::new(11, "ipSystemStatsInTruncatedPkts", ReadOnly, Syntax::COUNTER32),
        Column::new(12, "ipSystemStatsInForwDatagrams", ReadOnly, Syntax::COUNTER32),
        Column::new(13, "ipSystemStatsHCInForwDatagrams", ReadOnly, Syntax::COUNTER64),
        Column::new(14, "ipSystemStatsReasmReqds", ReadOnly, Syntax::COUNTER32),
        Column::new(15, "ipSystemStatsReasmOKs", ReadOnly, Syntax::COUNTER32),
        Column::new(16, "ipSystemStatsReasmFails", ReadOnly, Syntax::COUNTER32),
        Column::new(17, "ipSystemStatsInDiscards", ReadOnly, Syntax::COUNTER32),
        Column::new(18, "ipSystemStatsInDelivers", ReadOnly, Syntax::COUNTER32),
        Column::new(19, "ipSystemStatsHCInDelivers", ReadOnly, Syntax::COUNTER64),
        Column::new(20, "ipSystemStatsOutRequests", ReadOnly, Syntax::COUNTER32),
        Column::new(21, "ipSystemStatsHCOutRequests", ReadOnly, Syntax::COUNTER64),
        Column::new(22, "ipSystemStatsOutNoRoutes", ReadOnly, Syntax::COUNTER32),
        Column::new(23, "ipSystemStatsOutForwDatagrams", ReadOnly, Syntax::COUNTER32),
        Column::new(24, "ipSystemStatsHCOutForwDatagrams", ReadOnly, Syntax::COUNTER64),
        Column::new(25, "ipSystemStatsOutDiscards", ReadOnly, Syntax::COUNTER32),
        Column::new(26, "ipSystemStatsOutFragReqds", ReadOnly, Syntax::COUNTER32),
        Column::new(27, "ipSystemStatsOutFragOKs", ReadOnly, Syntax::COUNTER32),
        Column::new(28, "ipSystemStatsOutFragFails", ReadOnly, Syntax::COUNTER32),
        Column::new(29, "ipSystemStatsOutFragCreates", ReadOnly, Syntax::COUNTER32),
        Column::new(30, "ipSystemStatsOutTransmits", ReadOnly, Syntax::COUNTER32),
        Column::new(31, "ipSystemStatsHCOutTransmits", ReadOnly, Syntax::COUNTER64),
        Column::new(32, "ipSystemStatsOutOctets", ReadOnly, Syntax::COUNTER32),
        Column::new(33, "ipSystemStatsHCOutOctets", ReadOnly, Syntax::COUNTER64),
        Column::new(34, "ipSystemStatsInMcastPkts", ReadOnly, Syntax::COUNTER32),
        Column::new(35, "ipSystemStatsHCInMcastPkts", ReadOnly, Syntax::COUNTER64),
        Column::new(36, "ipSystemStatsInMcastOctets", ReadOnly, Syntax::COUNTER32),
        Column::new(37, "ipSystemStatsHCInMcastOctets", ReadOnly, Syntax::COUNTER64),
        Column::new(38, "ipSystemStatsOutMcastPkts", ReadOnly, Syntax::COUNTER32),
        Column::new(39, "ipSystemStatsHCOutMcastPkts", ReadOnly, Syntax::COUNTER64),
        Column::new(40, "ipSystemStatsOutMcastOctets", ReadOnly, Syntax::COUNTER32),
        Column::new(41, "ipSystemStatsHCOutMcastOctets", ReadOnly, Syntax::COUNTER64),
        Column::new(42, "ipSystemStatsInBcastPkts", ReadOnly, Syntax::COUNTER32),
        Column::new(43, "ipSystemStatsHCInBcastPkts", ReadOnly, Syntax::COUNTER64),
        Column::new(44, "ipSystemStatsOutBcastPkts", ReadOnly, Syntax::COUNTER32),
        Column::new(45, "ipSystemStatsHCOutBcastPkts", ReadOnly, Syntax::COUNTER64),
        Column::new(46, "ipSystemStatsDiscontinuityTime", ReadOnly, Syntax::TIME_STAMP),
        Column::new(47, "ipSystemStatsRefreshRate", ReadOnly, Syntax::UNSIGNED32).units("milli-seconds"),
    ],
};

/// ipIfStatsTable: what passed through IPv4 and IPv6, for each interface.
pub const IP_IF_STATS_TABLE: Table = Table {
    name: "ipIfStatsTable",
    entry: "ipIfStatsEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 31, 3],
    index: &[
        IndexPart::new("ipIfStatsIPVersion", IndexEncoding::Integer, Syntax::INET_VERSION),
        IndexPart::new("ipIfStatsIfIndex", IndexEncoding::Integer, Syntax::INTERFACE_INDEX),
    ],
    columns: &[
        Column::new(1, "ipIfStatsIPVersion", NotAccessible, Syntax::INET_VERSION),
        Column::new(2, "ipIfStatsIfIndex", NotAccessible, Syntax::INTERFACE_INDEX),
        Column::new(3, "ipIfStatsInReceives", ReadOnly, Syntax::COUNTER32),
        Column::new(4, "ipIfStatsHCInReceives", ReadOnly, Syntax::COUNTER64),
        Column::new(5, "ipIfStatsInOctets", ReadOnly, Syntax::COUNTER32),
        Column::new(6, "ipIfStatsHCInOctets", ReadOnly, Syntax::COUNTER64),
        Column::new(7, "ipIfStatsInHdrErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(8, "ipIfStatsInNoRoutes", ReadOnly, Syntax::COUNTER32),
        Column::new(9, "ipIfStatsInAddrErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(10, "ipIfStatsInUnknownProtos", ReadOnly, Syntax::COUNTER32),
        Column::new(11, "ipIfStatsInTruncatedPkts", ReadOnly, Syntax::COUNTER32),
        Column::new(12, "ipIfStatsInForwDatagrams", ReadOnly, Syntax::COUNTER32),
        Column::new(13, "ipIfStatsHCInForwDatagrams", ReadOnly, Syntax::COUNTER64),
        Column::new(14, "ipIfStatsReasmReqds", ReadOnly, Syntax::COUNTER32),
        Column::new(15, "ipIfStatsReasmOKs", ReadOnly, Syntax::COUNTER32),
        Column::new(16, "ipIfStatsReasmFails", ReadOnly, Syntax::COUNTER32),
        Column::new(17, "ipIfStatsInDiscards", ReadOnly, Syntax::COUNTER32),
        Column::new(18, "ipIfStatsInDelivers", ReadOnly, Syntax::COUNTER32),
        Column::new(19, "ipIfStatsHCInDelivers", ReadOnly, Syntax::COUNTER64),
        Column::new(20, "ipIfStatsOutRequests", ReadOnly, Syntax::COUNTER32),
        Column::new(21, "ipIfStatsHCOutRequests", ReadOnly, Syntax::COUNTER64),
        Column::new(23, "ipIfStatsOutForwDatagrams", ReadOnly, Syntax::COUNTER32),
        Column::new(24, "ipIfStatsHCOutForwDatagrams", ReadOnly, Syntax::COUNTER64),
        Column::new(25, "ipIfStatsOutDiscards", ReadOnly, Syntax::COUNTER32),
        Column::new(26, "ipIfStatsOutFragReqds", ReadOnly, Syntax::COUNTER32),
        Column::new(27, "ipIfStatsOutFragOKs", ReadOnly, Syntax::COUNTER32),
        Column::new(28, "ipIfStatsOutFragFails", ReadOnly, Syntax::COUNTER32),
        Column::new(29, "ipIfStatsOutFragCreates", ReadOnly, Syntax::COUNTER32),
        Column::new(30, "ipIfStatsOutTransmits", ReadOnly, Syntax::COUNTER32),
        Column::new(31, "ipIfStatsHCOutTransmits", ReadOnly, Syntax::COUNTER64),
        Column::new(32, "ipIfStatsOutOctets", ReadOnly, Syntax::COUNTER32),
        Column::new(33, "ipIfStatsHCOutOctets", ReadOnly, Syntax::COUNTER64),
        Column::new(34, "ipIfStatsInMcastPkts", ReadOnly, Syntax::COUNTER32),
        Column::new(35, "ipIfStatsHCInMcastPkts", ReadOnly, Syntax::COUNTER64),
        Column::new(36, "ipIfStatsInMcastOctets", ReadOnly, Syntax::COUNTER32),
        Column::new(37, "ipIfStatsHCInMcastOctets", ReadOnly, Syntax::COUNTER64),
        Column::new(38, "ipIfStatsOutMcastPkts", ReadOnly, Syntax::COUNTER32),
        Column::new(39, "ipIfStatsHCOutMcastPkts", ReadOnly, Syntax::COUNTER64),
        Column::new(40, "ipIfStatsOutMcastOctets", ReadOnly, Syntax::COUNTER32),
        Column::new(41, "ipIfStatsHCOutMcastOctets", ReadOnly, Syntax::COUNTER64),
        Column::new(42, "ipIfStatsInBcastPkts", ReadOnly, Syntax::COUNTER32),
        Column::new(43, "ipIfStatsHCInBcastPkts", ReadOnly, Syntax::COUNTER64),
        Column::new(44, "ipIfStatsOutBcastPkts", ReadOnly, Syntax::COUNTER32),
        Column::new(45, "ipIfStatsHCOutBcastPkts", ReadOnly, Syntax::COUNTER64),
        Column::new(46, "ipIfStatsDiscontinuityTime", ReadOnly, Syntax::TIME_STAMP),
        Column::new(47, "ipIfStatsRefreshRate", ReadOnly, Syntax::UNSIGNED32).units("milli-seconds"),
    ],
};

/// ipAddressPrefixTable: the prefixes that addresses are from.
pub const IP_ADDRESS_PREFIX_TABLE: Table = Table {
    name: "ipAddressPrefixTable",
    entry: "ipAddressPrefixEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 32],
    index: &[
        IndexPart::new("ipAddressPrefixIfIndex", IndexEncoding::Integer, Syntax::INTERFACE_INDEX),
        IndexPart::new("ipAddressPrefixType", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("ipAddressPrefixPrefix", IndexEncoding::Octets, Syntax::INET_ADDRESS),
        IndexPart::new("ipAddressPrefixLength", IndexEncoding::Integer, Syntax::INET_ADDRESS_PREFIX_LENGTH),
    ],
    columns: &[
        Column::new(1, "ipAddressPrefixIfIndex", NotAccessible, Syntax::INTERFACE_INDEX),
        Column::new(2, "ipAddressPrefixType", NotAccessible, Syntax::INET_ADDRESS_TYPE),
        Column::new(3, "ipAddressPrefixPrefix", NotAccessible, Syntax::INET_ADDRESS),
        Column::new(4, "ipAddressPrefixLength", NotAccessible, Syntax::INET_ADDRESS_PREFIX_LENGTH),
        Column::new(
            5,
            "ipAddressPrefixOrigin",
            ReadOnly,
            Syntax::enumeration(&[
                (1, "other"),
                (2, "manual"),
                (3, "wellknown"),
                (4, "dhcp"),
                (5, "routeradv"),
            ])
            .named("IpAddressPrefixOriginTC", ""),
        ),
        Column::new(6, "ipAddressPrefixOnLinkFlag", ReadOnly, Syntax::TRUTH_VALUE),
        Column::new(7, "ipAddressPrefixAutonomousFlag", ReadOnly, Syntax::TRUTH_VALUE),
        Column::new(8, "ipAddressPrefixAdvPreferredLifetime", ReadOnly, Syntax::UNSIGNED32).units("seconds"),
        Column::new(9, "ipAddressPrefixAdvValidLifetime", ReadOnly, Syntax::UNSIGNED32).units("seconds"),
    ],
};

/// ipAddressTable: the addresses of this machine.
pub const IP_ADDRESS_TABLE: Table = Table {
    name: "ipAddressTable",
    entry: "ipAddressEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 34],
    index: &[
        IndexPart::new("ipAddressAddrType", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("ipAddressAddr", IndexEncoding::Octets, Syntax::INET_ADDRESS),
    ],
    columns: &[
        Column::new(1, "ipAddressAddrType", NotAccessible, Syntax::INET_ADDRESS_TYPE),
        Column::new(2, "ipAddressAddr", NotAccessible, Syntax::INET_ADDRESS),
        Column::new(3, "ipAddressIfIndex", ReadCreate, Syntax::INTERFACE_INDEX),
        Column::new(
            4,
            "ipAddressType",
            ReadCreate,
            Syntax::enumeration(&[(1, "unicast"), (2, "anycast"), (3, "broadcast")]),
        ),
        Column::new(5, "ipAddressPrefix", ReadOnly, Syntax::OBJECT_IDENTIFIER.named("RowPointer", "")),
        Column::new(
            6,
            "ipAddressOrigin",
            ReadOnly,
            Syntax::enumeration(&[(1, "other"), (2, "manual"), (4, "dhcp"), (5, "linklayer"), (6, "random")])
                .named("IpAddressOriginTC", ""),
        ),
        Column::new(
            7,
            "ipAddressStatus",
            ReadCreate,
            Syntax::enumeration(&[
                (1, "preferred"),
                (2, "deprecated"),
                (3, "invalid"),
                (4, "inaccessible"),
                (5, "unknown"),
                (6, "tentative"),
                (7, "duplicate"),
                (8, "optimistic"),
            ])
            .named("IpAddressStatusTC", ""),
        ),
        Column::new(8, "ipAddressCreated", ReadOnly, Syntax::TIME_STAMP),
        Column::new(9, "ipAddressLastChanged", ReadOnly, Syntax::TIME_STAMP),
        Column::new(10, "ipAddressRowStatus", ReadCreate, Syntax::ROW_STATUS),
        Column::new(11, "ipAddressStorageType", ReadCreate, Syntax::STORAGE_TYPE),
    ],
};

/// ipNetToPhysicalTable: the link-layer addresses of neighbours.
pub const IP_NET_TO_PHYSICAL_TABLE: Table = Table {
    name: "ipNetToPhysicalTable",
    entry: "ipNetToPhysicalEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 35],
    index: &[
        IndexPart::new("ipNetToPhysicalIfIndex", IndexEncoding::Integer, Syntax::INTERFACE_INDEX),
        IndexPart::new("ipNetToPhysicalNetAddressType", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("ipNetToPhysicalNetAddress", IndexEncoding::Octets, Syntax::INET_ADDRESS),
    ],
    columns: &[
        Column::new(1, "ipNetToPhysicalIfIndex", NotAccessible, Syntax::INTERFACE_INDEX),
        Column::new(2, "ipNetToPhysicalNetAddressType", NotAccessible, Syntax::INET_ADDRESS_TYPE),
        Column::new(3, "ipNetToPhysicalNetAddress", NotAccessible, Syntax::INET_ADDRESS),
        Column::new(4, "ipNetToPhysicalPhysAddress", ReadCreate, Syntax::PHYS_ADDRESS),
        Column::new(5, "ipNetToPhysicalLastUpdated", ReadOnly, Syntax::TIME_STAMP),
        Column::new(
            6,
            "ipNetToPhysicalType",
            ReadCreate,
            Syntax::enumeration(&[(1, "other"), (2, "invalid"), (3, "dynamic"), (4, "static"), (5, "local")]),
        ),
        Column::new(
            7,
            "ipNetToPhysicalState",
            ReadOnly,
            Syntax::enumeration(&[
                (1, "reachable"),
                (2, "stale"),
                (3, "delay"),
                (4, "probe"),
                (5, "invalid"),
                (6, "unknown"),
                (7, "incomplete"),
            ]),
        ),
        Column::new(8, "ipNetToPhysicalRowStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// ipv6ScopeZoneIndexTable: the IPv6 scope zones of each interface (RFC 4007).
pub const IPV6_SCOPE_ZONE_INDEX_TABLE: Table = Table {
    name: "ipv6ScopeZoneIndexTable",
    entry: "ipv6ScopeZoneIndexEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 36],
    index: &[IndexPart::new("ipv6ScopeZoneIndexIfIndex", IndexEncoding::Integer, Syntax::INTERFACE_INDEX)],
    columns: &[
        Column::new(1, "ipv6ScopeZoneIndexIfIndex", NotAccessible, Syntax::INTERFACE_INDEX),
        Column::new(2, "ipv6ScopeZoneIndexLinkLocal", ReadOnly, ZONE_INDEX),
        Column::new(3, "ipv6ScopeZoneIndex3", ReadOnly, ZONE_INDEX),
        Column::new(4, "ipv6ScopeZoneIndexAdminLocal", ReadOnly, ZONE_INDEX),
        Column::new(5, "ipv6ScopeZoneIndexSiteLocal", ReadOnly, ZONE_INDEX),
        Column::new(6, "ipv6ScopeZoneIndex6", ReadOnly, ZONE_INDEX),
        Column::new(7, "ipv6ScopeZoneIndex7", ReadOnly, ZONE_INDEX),
        Column::new(8, "ipv6ScopeZoneIndexOrganizationLocal", ReadOnly, ZONE_INDEX),
        Column::new(9, "ipv6ScopeZoneIndex9", ReadOnly, ZONE_INDEX),
        Column::new(10, "ipv6ScopeZoneIndexA", ReadOnly, ZONE_INDEX),
        Column::new(11, "ipv6ScopeZoneIndexB", ReadOnly, ZONE_INDEX),
        Column::new(12, "ipv6ScopeZoneIndexC", ReadOnly, ZONE_INDEX),
        Column::new(13, "ipv6ScopeZoneIndexD", ReadOnly, ZONE_INDEX),
    ],
};

/// ipDefaultRouterTable: the default routers.
pub const IP_DEFAULT_ROUTER_TABLE: Table = Table {
    name: "ipDefaultRouterTable",
    entry: "ipDefaultRouterEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 37],
    index: &[
        IndexPart::new("ipDefaultRouterAddressType", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("ipDefaultRouterAddress", IndexEncoding::Octets, Syntax::INET_ADDRESS),
        IndexPart::new("ipDefaultRouterIfIndex", IndexEncoding::Integer, Syntax::INTERFACE_INDEX),
    ],
    columns: &[
        Column::new(1, "ipDefaultRouterAddressType", NotAccessible, Syntax::INET_ADDRESS_TYPE),
        Column::new(2, "ipDefaultRouterAddress", NotAccessible, Syntax::INET_ADDRESS),
        Column::new(3, "ipDefaultRouterIfIndex", NotAccessible, Syntax::INTERFACE_INDEX),
        Column::new(
            4,
            "ipDefaultRouterLifetime",
            ReadOnly,
            Syntax::unsigned(0, 65535).named("Unsigned32", ""),
        )
        .units("seconds"),
        Column::new(
            5,
            "ipDefaultRouterPreference",
            ReadOnly,
            Syntax::enumeration(&[(-2, "reserved"), (-1, "low"), (0, "medium"), (1, "high")]),
        ),
    ],
};

/// ipv6RouterAdvertTable: what this machine advertises as an IPv6 router.
pub const IPV6_ROUTER_ADVERT_TABLE: Table = Table {
    name: "ipv6RouterAdvertTable",
    entry: "ipv6RouterAdvertEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 39],
    index: &[IndexPart::new("ipv6RouterAdvertIfIndex", IndexEncoding::Integer, Syntax::INTERFACE_INDEX)],
    columns: &[
        Column::new(1, "ipv6RouterAdvertIfIndex", NotAccessible, Syntax::INTERFACE_INDEX),
        Column::new(2, "ipv6RouterAdvertSendAdverts", ReadCreate, Syntax::TRUTH_VALUE),
        Column::new(
            3,
            "ipv6RouterAdvertMaxInterval",
            ReadCreate,
            Syntax::unsigned(4, 1800).named("Unsigned32", ""),
        )
        .units("seconds"),
        Column::new(
            4,
            "ipv6RouterAdvertMinInterval",
            ReadCreate,
            Syntax::unsigned(3, 1350).named("Unsigned32", ""),
        )
        .units("seconds"),
        Column::new(5, "ipv6RouterAdvertManagedFlag", ReadCreate, Syntax::TRUTH_VALUE),
        Column::new(6, "ipv6RouterAdvertOtherConfigFlag", ReadCreate, Syntax::TRUTH_VALUE),
        Column::new(7, "ipv6RouterAdvertLinkMTU", ReadCreate, Syntax::UNSIGNED32),
        Column::new(
            8,
            "ipv6RouterAdvertReachableTime",
            ReadCreate,
            Syntax::unsigned(0, 3600000).named("Unsigned32", ""),
        )
        .units("milliseconds"),
        Column::new(9, "ipv6RouterAdvertRetransmitTime", ReadCreate, Syntax::UNSIGNED32)
            .units("milliseconds"),
        Column::new(
            10,
            "ipv6RouterAdvertCurHopLimit",
            ReadCreate,
            Syntax::unsigned(0, 255).named("Unsigned32", ""),
        ),
        Column::new(
            11,
            "ipv6RouterAdvertDefaultLifetime",
            ReadCreate,
            Syntax::unsigned(0, 9000).named("Unsigned32", ""),
        )
        .units("seconds"),
        Column::new(12, "ipv6RouterAdvertRowStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};
