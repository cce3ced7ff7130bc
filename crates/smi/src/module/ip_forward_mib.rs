//! IP-FORWARD-MIB (RFC 4292): the routes of this machine, with the deprecated IPv4 table.

use crate::schema::MaxAccess::{NotAccessible, ReadCreate, ReadOnly};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// IP-FORWARD-MIB.
pub static MODULE: Module = Module {
    name: "IP-FORWARD-MIB",
    reference: "RFC 4292",
    nodes: &[
        Node { name: "ipForward", oid: &[1, 3, 6, 1, 2, 1, 4, 24] },
        Node { name: "ipForwardConformance", oid: &[1, 3, 6, 1, 2, 1, 4, 24, 5] },
        Node { name: "ipForwardGroups", oid: &[1, 3, 6, 1, 2, 1, 4, 24, 5, 1] },
        Node { name: "ipForwardMultiPathGroup", oid: &[1, 3, 6, 1, 2, 1, 4, 24, 5, 1, 2] },
        Node { name: "ipForwardCidrRouteGroup", oid: &[1, 3, 6, 1, 2, 1, 4, 24, 5, 1, 3] },
        Node { name: "inetForwardCidrRouteGroup", oid: &[1, 3, 6, 1, 2, 1, 4, 24, 5, 1, 4] },
        Node { name: "ipForwardCompliances", oid: &[1, 3, 6, 1, 2, 1, 4, 24, 5, 2] },
        Node { name: "ipForwardCompliance", oid: &[1, 3, 6, 1, 2, 1, 4, 24, 5, 2, 1] },
        Node { name: "ipForwardOldCompliance", oid: &[1, 3, 6, 1, 2, 1, 4, 24, 5, 2, 2] },
        Node { name: "ipForwardFullCompliance", oid: &[1, 3, 6, 1, 2, 1, 4, 24, 5, 2, 3] },
        Node { name: "ipForwardReadOnlyCompliance", oid: &[1, 3, 6, 1, 2, 1, 4, 24, 5, 2, 4] },
    ],
    scalars: &[IP_CIDR_ROUTE_NUMBER, INET_CIDR_ROUTE_NUMBER, INET_CIDR_ROUTE_DISCARDS],
    tables: &[IP_CIDR_ROUTE_TABLE, INET_CIDR_ROUTE_TABLE],
    notifications: &[],
};

/// IANAipRouteProtocol: how a route was learned.
pub const IANA_IP_ROUTE_PROTOCOL: Syntax = Syntax::enumeration(&[
    (1, "other"),
    (2, "local"),
    (3, "netmgmt"),
    (4, "icmp"),
    (5, "egp"),
    (6, "ggp"),
    (7, "hello"),
    (8, "rip"),
    (9, "isIs"),
    (10, "esIs"),
    (11, "ciscoIgrp"),
    (12, "bbnSpfIgp"),
    (13, "ospf"),
    (14, "bgp"),
    (15, "idpr"),
    (16, "ciscoEigrp"),
    (17, "dvmrp"),
    (18, "rpl"),
    (19, "dhcp"),
    (20, "ttdp"),
])
.named("IANAipRouteProtocol", "");

/// How many rows ipCidrRouteTable has (deprecated).
pub const IP_CIDR_ROUTE_NUMBER: Scalar =
    Scalar::new("ipCidrRouteNumber", &[1, 3, 6, 1, 2, 1, 4, 24, 3], ReadOnly, Syntax::GAUGE32);

/// How many rows inetCidrRouteTable has.
pub const INET_CIDR_ROUTE_NUMBER: Scalar =
    Scalar::new("inetCidrRouteNumber", &[1, 3, 6, 1, 2, 1, 4, 24, 6], ReadOnly, Syntax::GAUGE32);

/// Valid routes that were discarded.
pub const INET_CIDR_ROUTE_DISCARDS: Scalar =
    Scalar::new("inetCidrRouteDiscards", &[1, 3, 6, 1, 2, 1, 4, 24, 8], ReadOnly, Syntax::COUNTER32);

/// ipCidrRouteTable: IPv4 routes (deprecated).
pub const IP_CIDR_ROUTE_TABLE: Table = Table {
    name: "ipCidrRouteTable",
    entry: "ipCidrRouteEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 24, 4],
    index: &[
        IndexPart::new("ipCidrRouteDest", IndexEncoding::IpAddress, Syntax::IP_ADDRESS),
        IndexPart::new("ipCidrRouteMask", IndexEncoding::IpAddress, Syntax::IP_ADDRESS),
        IndexPart::new("ipCidrRouteTos", IndexEncoding::Integer, Syntax::integer(0, i32::MAX as i64)),
        IndexPart::new("ipCidrRouteNextHop", IndexEncoding::IpAddress, Syntax::IP_ADDRESS),
    ],
    columns: &[
        Column::new(1, "ipCidrRouteDest", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(2, "ipCidrRouteMask", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(3, "ipCidrRouteTos", ReadOnly, Syntax::integer(0, i32::MAX as i64)),
        Column::new(4, "ipCidrRouteNextHop", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(5, "ipCidrRouteIfIndex", ReadCreate, Syntax::INTEGER32),
        Column::new(
            6,
            "ipCidrRouteType",
            ReadCreate,
            Syntax::enumeration(&[(1, "other"), (2, "reject"), (3, "local"), (4, "remote")]),
        ),
        Column::new(
            7,
            "ipCidrRouteProto",
            ReadOnly,
            Syntax::enumeration(&[
                (1, "other"),
                (2, "local"),
                (3, "netmgmt"),
                (4, "icmp"),
                (5, "egp"),
                (6, "ggp"),
                (7, "hello"),
                (8, "rip"),
                (9, "isIs"),
                (10, "esIs"),
                (11, "ciscoIgrp"),
                (12, "bbnSpfIgp"),
                (13, "ospf"),
                (14, "bgp"),
                (15, "idpr"),
                (16, "ciscoEigrp"),
            ]),
        ),
        Column::new(8, "ipCidrRouteAge", ReadOnly, Syntax::INTEGER32),
        Column::new(9, "ipCidrRouteInfo", ReadCreate, Syntax::OBJECT_IDENTIFIER),
        Column::new(10, "ipCidrRouteNextHopAS", ReadCreate, Syntax::INTEGER32),
        Column::new(11, "ipCidrRouteMetric1", ReadCreate, Syntax::INTEGER32),
        Column::new(12, "ipCidrRouteMetric2", ReadCreate, Syntax::INTEGER32),
        Column::new(13, "ipCidrRouteMetric3", ReadCreate, Syntax::INTEGER32),
        Column::new(14, "ipCidrRouteMetric4", ReadCreate, Syntax::INTEGER32),
        Column::new(15, "ipCidrRouteMetric5", ReadCreate, Syntax::INTEGER32),
        Column::new(16, "ipCidrRouteStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// inetCidrRouteTable: the routes of this machine.
pub const INET_CIDR_ROUTE_TABLE: Table = Table {
    name: "inetCidrRouteTable",
    entry: "inetCidrRouteEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 24, 7],
    index: &[
        IndexPart::new("inetCidrRouteDestType", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("inetCidrRouteDest", IndexEncoding::Octets, Syntax::INET_ADDRESS),
        IndexPart::new("inetCidrRoutePfxLen", IndexEncoding::Integer, Syntax::INET_ADDRESS_PREFIX_LENGTH),
        IndexPart::new("inetCidrRoutePolicy", IndexEncoding::ObjectIdentifier, Syntax::OBJECT_IDENTIFIER),
        IndexPart::new("inetCidrRouteNextHopType", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("inetCidrRouteNextHop", IndexEncoding::Octets, Syntax::INET_ADDRESS),
    ],
    columns: &[
        Column::new(1, "inetCidrRouteDestType", NotAccessible, Syntax::INET_ADDRESS_TYPE),
        Column::new(2, "inetCidrRouteDest", NotAccessible, Syntax::INET_ADDRESS),
        Column::new(3, "inetCidrRoutePfxLen", NotAccessible, Syntax::INET_ADDRESS_PREFIX_LENGTH),
        Column::new(4, "inetCidrRoutePolicy", NotAccessible, Syntax::OBJECT_IDENTIFIER),
        Column::new(5, "inetCidrRouteNextHopType", NotAccessible, Syntax::INET_ADDRESS_TYPE),
        Column::new(6, "inetCidrRouteNextHop", NotAccessible, Syntax::INET_ADDRESS),
        Column::new(7, "inetCidrRouteIfIndex", ReadCreate, Syntax::INTERFACE_INDEX_OR_ZERO),
        Column::new(
            8,
            "inetCidrRouteType",
            ReadCreate,
            Syntax::enumeration(&[
                (1, "other"),
                (2, "reject"),
                (3, "local"),
                (4, "remote"),
                (5, "blackhole"),
            ]),
        ),
        Column::new(9, "inetCidrRouteProto", ReadOnly, IANA_IP_ROUTE_PROTOCOL),
        Column::new(10, "inetCidrRouteAge", ReadOnly, Syntax::GAUGE32),
        Column::new(
            11,
            "inetCidrRouteNextHopAS",
            ReadCreate,
            Syntax::UNSIGNED32.named("InetAutonomousSystemNumber", "d"),
        ),
        Column::new(12, "inetCidrRouteMetric1", ReadCreate, Syntax::INTEGER32),
        Column::new(13, "inetCidrRouteMetric2", ReadCreate, Syntax::INTEGER32),
        Column::new(14, "inetCidrRouteMetric3", ReadCreate, Syntax::INTEGER32),
        Column::new(15, "inetCidrRouteMetric4", ReadCreate, Syntax::INTEGER32),
        Column::new(16, "inetCidrRouteMetric5", ReadCreate, Syntax::INTEGER32),
        Column::new(17, "inetCidrRouteStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};
