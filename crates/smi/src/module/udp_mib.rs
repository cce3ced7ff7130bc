//! UDP-MIB (RFC 4113): UDP's counters and endpoints.

use crate::schema::MaxAccess::{NotAccessible, ReadOnly};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// UDP-MIB.
pub static MODULE: Module = Module {
    name: "UDP-MIB",
    reference: "RFC 4113",
    nodes: &[
        Node { name: "udp", oid: &[1, 3, 6, 1, 2, 1, 7] },
        Node { name: "udpMIB", oid: &[1, 3, 6, 1, 2, 1, 50] },
        Node { name: "udpMIBConformance", oid: &[1, 3, 6, 1, 2, 1, 50, 2] },
        Node { name: "udpMIBCompliances", oid: &[1, 3, 6, 1, 2, 1, 50, 2, 1] },
        Node { name: "udpMIBCompliance", oid: &[1, 3, 6, 1, 2, 1, 50, 2, 1, 1] },
        Node { name: "udpMIBCompliance2", oid: &[1, 3, 6, 1, 2, 1, 50, 2, 1, 2] },
        Node { name: "udpMIBGroups", oid: &[1, 3, 6, 1, 2, 1, 50, 2, 2] },
        Node { name: "udpGroup", oid: &[1, 3, 6, 1, 2, 1, 50, 2, 2, 1] },
        Node { name: "udpBaseGroup", oid: &[1, 3, 6, 1, 2, 1, 50, 2, 2, 2] },
        Node { name: "udpHCGroup", oid: &[1, 3, 6, 1, 2, 1, 50, 2, 2, 3] },
        Node { name: "udpEndpointGroup", oid: &[1, 3, 6, 1, 2, 1, 50, 2, 2, 4] },
    ],
    scalars: &[
        UDP_IN_DATAGRAMS,
        UDP_NO_PORTS,
        UDP_IN_ERRORS,
        UDP_OUT_DATAGRAMS,
        UDP_HC_IN_DATAGRAMS,
        UDP_HC_OUT_DATAGRAMS,
    ],
    tables: &[UDP_TABLE, UDP_ENDPOINT_TABLE],
    notifications: &[],
};

/// Datagrams delivered.
pub const UDP_IN_DATAGRAMS: Scalar =
    Scalar::new("udpInDatagrams", &[1, 3, 6, 1, 2, 1, 7, 1], ReadOnly, Syntax::COUNTER32);
/// Datagrams received for a port without a listener.
pub const UDP_NO_PORTS: Scalar =
    Scalar::new("udpNoPorts", &[1, 3, 6, 1, 2, 1, 7, 2], ReadOnly, Syntax::COUNTER32);
/// Datagrams not delivered for other reasons.
pub const UDP_IN_ERRORS: Scalar =
    Scalar::new("udpInErrors", &[1, 3, 6, 1, 2, 1, 7, 3], ReadOnly, Syntax::COUNTER32);
/// Datagrams sent.
pub const UDP_OUT_DATAGRAMS: Scalar =
    Scalar::new("udpOutDatagrams", &[1, 3, 6, 1, 2, 1, 7, 4], ReadOnly, Syntax::COUNTER32);
/// The 64-bit udpInDatagrams.
pub const UDP_HC_IN_DATAGRAMS: Scalar =
    Scalar::new("udpHCInDatagrams", &[1, 3, 6, 1, 2, 1, 7, 8], ReadOnly, Syntax::COUNTER64);
/// The 64-bit udpOutDatagrams.
pub const UDP_HC_OUT_DATAGRAMS: Scalar =
    Scalar::new("udpHCOutDatagrams", &[1, 3, 6, 1, 2, 1, 7, 9], ReadOnly, Syntax::COUNTER64);

const PORT: Syntax = Syntax::integer(0, 65535);

/// udpTable: listeners over IPv4 (deprecated, still read by many).
pub const UDP_TABLE: Table = Table {
    name: "udpTable",
    entry: "udpEntry",
    oid: &[1, 3, 6, 1, 2, 1, 7, 5],
    index: &[
        IndexPart::new("udpLocalAddress", IndexEncoding::IpAddress, Syntax::IP_ADDRESS),
        IndexPart::new("udpLocalPort", IndexEncoding::Integer, PORT),
    ],
    columns: &[
        Column::new(1, "udpLocalAddress", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(2, "udpLocalPort", ReadOnly, PORT),
    ],
};

const INSTANCE: Syntax = Syntax::unsigned(1, u32::MAX as i64).named("Unsigned32", "");

/// udpEndpointTable: open UDP sockets over IPv4 and IPv6.
pub const UDP_ENDPOINT_TABLE: Table = Table {
    name: "udpEndpointTable",
    entry: "udpEndpointEntry",
    oid: &[1, 3, 6, 1, 2, 1, 7, 7],
    index: &[
        IndexPart::new("udpEndpointLocalAddressType", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("udpEndpointLocalAddress", IndexEncoding::Octets, Syntax::INET_ADDRESS),
        IndexPart::new("udpEndpointLocalPort", IndexEncoding::Integer, Syntax::INET_PORT_NUMBER),
        IndexPart::new("udpEndpointRemoteAddressType", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("udpEndpointRemoteAddress", IndexEncoding::Octets, Syntax::INET_ADDRESS),
        IndexPart::new("udpEndpointRemotePort", IndexEncoding::Integer, Syntax::INET_PORT_NUMBER),
        IndexPart::new("udpEndpointInstance", IndexEncoding::Integer, INSTANCE),
    ],
    columns: &[
        Column::new(1, "udpEndpointLocalAddressType", NotAccessible, Syntax::INET_ADDRESS_TYPE),
        Column::new(2, "udpEndpointLocalAddress", NotAccessible, Syntax::INET_ADDRESS),
        Column::new(3, "udpEndpointLocalPort", NotAccessible, Syntax::INET_PORT_NUMBER),
        Column::new(4, "udpEndpointRemoteAddressType", NotAccessible, Syntax::INET_ADDRESS_TYPE),
        Column::new(5, "udpEndpointRemoteAddress", NotAccessible, Syntax::INET_ADDRESS),
        Column::new(6, "udpEndpointRemotePort", NotAccessible, Syntax::INET_PORT_NUMBER),
        Column::new(7, "udpEndpointInstance", NotAccessible, INSTANCE),
        Column::new(8, "udpEndpointProcess", ReadOnly, Syntax::UNSIGNED32),
    ],
};
