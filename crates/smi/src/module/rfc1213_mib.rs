//! What of RFC1213-MIB later modules replaced, and old managers still read: ipRouteTable and atTable.

use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Syntax, Table};

/// RFC1213-MIB.
pub static MODULE: Module = Module {
    name: "RFC1213-MIB",
    reference: "RFC 1213",
    nodes: &[Node { name: "at", oid: &[1, 3, 6, 1, 2, 1, 3] }],
    scalars: &[],
    tables: &[AT_TABLE, IP_ROUTE_TABLE],
    notifications: &[],
};

/// atTable: the neighbours' addresses on the link. The index has a 1 before the address, for the internet's family.
pub const AT_TABLE: Table = Table {
    name: "atTable",
    entry: "atEntry",
    oid: &[1, 3, 6, 1, 2, 1, 3, 1],
    index: &[
        IndexPart::new("atIfIndex", IndexEncoding::Integer, Syntax::INTEGER32),
        IndexPart::new("atNetAddress", IndexEncoding::NetworkAddress, Syntax::IP_ADDRESS),
    ],
    columns: &[
        Column::new(1, "atIfIndex", ReadOnly, Syntax::INTEGER32),
        Column::new(2, "atPhysAddress", ReadOnly, Syntax::PHYS_ADDRESS),
        Column::new(3, "atNetAddress", ReadOnly, Syntax::IP_ADDRESS),
    ],
};

/// ipRouteTable: one route to each destination.
pub const IP_ROUTE_TABLE: Table = Table {
    name: "ipRouteTable",
    entry: "ipRouteEntry",
    oid: &[1, 3, 6, 1, 2, 1, 4, 21],
    index: &[IndexPart::new("ipRouteDest", IndexEncoding::IpAddress, Syntax::IP_ADDRESS)],
    columns: &[
        Column::new(1, "ipRouteDest", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(2, "ipRouteIfIndex", ReadOnly, Syntax::INTEGER32),
        Column::new(3, "ipRouteMetric1", ReadOnly, Syntax::INTEGER32),
        Column::new(4, "ipRouteMetric2", ReadOnly, Syntax::INTEGER32),
        Column::new(5, "ipRouteMetric3", ReadOnly, Syntax::INTEGER32),
        Column::new(6, "ipRouteMetric4", ReadOnly, Syntax::INTEGER32),
        Column::new(7, "ipRouteNextHop", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(
            8,
            "ipRouteType",
            ReadOnly,
            Syntax::enumeration(&[(1, "other"), (2, "invalid"), (3, "direct"), (4, "indirect")]),
        ),
        Column::new(
            9,
            "ipRouteProto",
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
                (9, "is-is"),
                (10, "es-is"),
                (11, "ciscoIgrp"),
                (12, "bbnSpfIgp"),
                (13, "ospf"),
                (14, "bgp"),
            ]),
        ),
        Column::new(10, "ipRouteAge", ReadOnly, Syntax::INTEGER32),
        Column::new(11, "ipRouteMask", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(12, "ipRouteMetric5", ReadOnly, Syntax::INTEGER32),
        Column::new(13, "ipRouteInfo", ReadOnly, Syntax::OBJECT_IDENTIFIER),
    ],
};
