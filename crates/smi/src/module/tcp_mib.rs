//! TCP-MIB (RFC 4022): TCP's counters, connections and listeners.

use crate::schema::MaxAccess::{NotAccessible, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// TCP-MIB.
pub static MODULE: Module = Module {
    name: "TCP-MIB",
    reference: "RFC 4022",
    nodes: &[
        Node { name: "tcp", oid: &[1, 3, 6, 1, 2, 1, 6] },
        Node { name: "tcpMIB", oid: &[1, 3, 6, 1, 2, 1, 49] },
        Node { name: "tcpMIBConformance", oid: &[1, 3, 6, 1, 2, 1, 49, 2] },
        Node { name: "tcpMIBCompliances", oid: &[1, 3, 6, 1, 2, 1, 49, 2, 1] },
        Node { name: "tcpMIBCompliance", oid: &[1, 3, 6, 1, 2, 1, 49, 2, 1, 1] },
        Node { name: "tcpMIBCompliance2", oid: &[1, 3, 6, 1, 2, 1, 49, 2, 1, 2] },
        Node { name: "tcpMIBGroups", oid: &[1, 3, 6, 1, 2, 1, 49, 2, 2] },
        Node { name: "tcpGroup", oid: &[1, 3, 6, 1, 2, 1, 49, 2, 2, 1] },
        Node { name: "tcpBaseGroup", oid: &[1, 3, 6, 1, 2, 1, 49, 2, 2, 2] },
        Node { name: "tcpConnectionGroup", oid: &[1, 3, 6, 1, 2, 1, 49, 2, 2, 3] },
        Node { name: "tcpListenerGroup", oid: &[1, 3, 6, 1, 2, 1, 49, 2, 2, 4] },
        Node { name: "tcpHCGroup", oid: &[1, 3, 6, 1, 2, 1, 49, 2, 2, 5] },
    ],
    scalars: &[
        TCP_RTO_ALGORITHM,
        TCP_RTO_MIN,
        TCP_RTO_MAX,
        TCP_MAX_CONN,
        TCP_ACTIVE_OPENS,
        TCP_PASSIVE_OPENS,
        TCP_ATTEMPT_FAILS,
        TCP_ESTAB_RESETS,
        TCP_CURR_ESTAB,
        TCP_IN_SEGS,
        TCP_OUT_SEGS,
        TCP_RETRANS_SEGS,
        TCP_IN_ERRS,
        TCP_OUT_RSTS,
        TCP_HC_IN_SEGS,
        TCP_HC_OUT_SEGS,
    ],
    tables: &[TCP_CONN_TABLE, TCP_CONNECTION_TABLE, TCP_LISTENER_TABLE],
    notifications: &[],
};

const NOT_NEGATIVE: Syntax = Syntax::integer(0, i32::MAX as i64);
const PORT: Syntax = Syntax::integer(0, 65535);

/// How the retransmission timeout is found.
pub const TCP_RTO_ALGORITHM: Scalar = Scalar::new(
    "tcpRtoAlgorithm",
    &[1, 3, 6, 1, 2, 1, 6, 1],
    ReadOnly,
    Syntax::enumeration(&[(1, "other"), (2, "constant"), (3, "rsre"), (4, "vanj"), (5, "rfc2988")]),
);

/// The least retransmission timeout.
pub const TCP_RTO_MIN: Scalar =
    Scalar::new("tcpRtoMin", &[1, 3, 6, 1, 2, 1, 6, 2], ReadOnly, NOT_NEGATIVE).units("milliseconds");

/// The greatest retransmission timeout.
pub const TCP_RTO_MAX: Scalar =
    Scalar::new("tcpRtoMax", &[1, 3, 6, 1, 2, 1, 6, 3], ReadOnly, NOT_NEGATIVE).units("milliseconds");

/// The maximum number of connections; -1 if it is dynamic.
pub const TCP_MAX_CONN: Scalar =
    Scalar::new("tcpMaxConn", &[1, 3, 6, 1, 2, 1, 6, 4], ReadOnly, Syntax::integer(-1, i32::MAX as i64));

/// From CLOSED to SYN-SENT.
pub const TCP_ACTIVE_OPENS: Scalar = counter("tcpActiveOpens", &[1, 3, 6, 1, 2, 1, 6, 5]);
/// From LISTEN to SYN-RCVD.
pub const TCP_PASSIVE_OPENS: Scalar = counter("tcpPassiveOpens", &[1, 3, 6, 1, 2, 1, 6, 6]);
/// From SYN-SENT or SYN-RCVD back to CLOSED or LISTEN.
pub const TCP_ATTEMPT_FAILS: Scalar = counter("tcpAttemptFails", &[1, 3, 6, 1, 2, 1, 6, 7]);
/// From ESTABLISHED or CLOSE-WAIT straight to CLOSED.
pub const TCP_ESTAB_RESETS: Scalar = counter("tcpEstabResets", &[1, 3, 6, 1, 2, 1, 6, 8]);
/// Connections that are ESTABLISHED or in CLOSE-WAIT.
pub const TCP_CURR_ESTAB: Scalar =
    Scalar::new("tcpCurrEstab", &[1, 3, 6, 1, 2, 1, 6, 9], ReadOnly, Syntax::GAUGE32);
/// Segments received.
pub const TCP_IN_SEGS: Scalar = counter("tcpInSegs", &[1, 3, 6, 1, 2, 1, 6, 10]);
/// Segments sent, retransmissions not counted.
pub const TCP_OUT_SEGS: Scalar = counter("tcpOutSegs", &[1, 3, 6, 1, 2, 1, 6, 11]);
/// Segments retransmitted.
pub const TCP_RETRANS_SEGS: Scalar = counter("tcpRetransSegs", &[1, 3, 6, 1, 2, 1, 6, 12]);
/// Segments received in error.
pub const TCP_IN_ERRS: Scalar = counter("tcpInErrs", &[1, 3, 6, 1, 2, 1, 6, 14]);
/// Segments sent with the RST flag.
pub const TCP_OUT_RSTS: Scalar = counter("tcpOutRsts", &[1, 3, 6, 1, 2, 1, 6, 15]);
/// The 64-bit tcpInSegs.
pub const TCP_HC_IN_SEGS: Scalar =
    Scalar::new("tcpHCInSegs", &[1, 3, 6, 1, 2, 1, 6, 17], ReadOnly, Syntax::COUNTER64);
/// The 64-bit tcpOutSegs.
pub const TCP_HC_OUT_SEGS: Scalar =
    Scalar::new("tcpHCOutSegs", &[1, 3, 6, 1, 2, 1, 6, 18], ReadOnly, Syntax::COUNTER64);

const fn counter(name: &'static str, oid: &'static [u32]) -> Scalar {
    Scalar::new(name, oid, ReadOnly, Syntax::COUNTER32)
}

/// The states of a connection; deleteTCB can only be written.
const STATE: Syntax = Syntax::enumeration(&[
    (1, "closed"),
    (2, "listen"),
    (3, "synSent"),
    (4, "synReceived"),
    (5, "established"),
    (6, "finWait1"),
    (7, "finWait2"),
    (8, "closeWait"),
    (9, "lastAck"),
    (10, "closing"),
    (11, "timeWait"),
    (12, "deleteTCB"),
]);

/// tcpConnTable: connections and listeners over IPv4 (deprecated, still read by many).
pub const TCP_CONN_TABLE: Table = Table {
    name: "tcpConnTable",
    entry: "tcpConnEntry",
    oid: &[1, 3, 6, 1, 2, 1, 6, 13],
    index: &[
        IndexPart::new("tcpConnLocalAddress", IndexEncoding::IpAddress, Syntax::IP_ADDRESS),
        IndexPart::new("tcpConnLocalPort", IndexEncoding::Integer, PORT),
        IndexPart::new("tcpConnRemAddress", IndexEncoding::IpAddress, Syntax::IP_ADDRESS),
        IndexPart::new("tcpConnRemPort", IndexEncoding::Integer, PORT),
    ],
    columns: &[
        Column::new(1, "tcpConnState", ReadWrite, STATE),
        Column::new(2, "tcpConnLocalAddress", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(3, "tcpConnLocalPort", ReadOnly, PORT),
        Column::new(4, "tcpConnRemAddress", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(5, "tcpConnRemPort", ReadOnly, PORT),
    ],
};

/// tcpConnectionTable: connections over IPv4 and IPv6, listeners not among them.
pub const TCP_CONNECTION_TABLE: Table = Table {
    name: "tcpConnectionTable",
    entry: "tcpConnectionEntry",
    oid: &[1, 3, 6, 1, 2, 1, 6, 19],
    index: &[
        IndexPart::new("tcpConnectionLocalAddressType", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("tcpConnectionLocalAddress", IndexEncoding::Octets, Syntax::INET_ADDRESS),
        IndexPart::new("tcpConnectionLocalPort", IndexEncoding::Integer, Syntax::INET_PORT_NUMBER),
        IndexPart::new("tcpConnectionRemAddressType", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("tcpConnectionRemAddress", IndexEncoding::Octets, Syntax::INET_ADDRESS),
        IndexPart::new("tcpConnectionRemPort", IndexEncoding::Integer, Syntax::INET_PORT_NUMBER),
    ],
    columns: &[
        Column::new(1, "tcpConnectionLocalAddressType", NotAccessible, Syntax::INET_ADDRESS_TYPE),
        Column::new(2, "tcpConnectionLocalAddress", NotAccessible, Syntax::INET_ADDRESS),
        Column::new(3, "tcpConnectionLocalPort", NotAccessible, Syntax::INET_PORT_NUMBER),
        Column::new(4, "tcpConnectionRemAddressType", NotAccessible, Syntax::INET_ADDRESS_TYPE),
        Column::new(5, "tcpConnectionRemAddress", NotAccessible, Syntax::INET_ADDRESS),
        Column::new(6, "tcpConnectionRemPort", NotAccessible, Syntax::INET_PORT_NUMBER),
        Column::new(7, "tcpConnectionState", ReadWrite, STATE),
        Column::new(8, "tcpConnectionProcess", ReadOnly, Syntax::UNSIGNED32),
    ],
};

/// tcpListenerTable: sockets that wait for connections.
pub const TCP_LISTENER_TABLE: Table = Table {
    name: "tcpListenerTable",
    entry: "tcpListenerEntry",
    oid: &[1, 3, 6, 1, 2, 1, 6, 20],
    index: &[
        IndexPart::new("tcpListenerLocalAddressType", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("tcpListenerLocalAddress", IndexEncoding::Octets, Syntax::INET_ADDRESS),
        IndexPart::new("tcpListenerLocalPort", IndexEncoding::Integer, Syntax::INET_PORT_NUMBER),
    ],
    columns: &[
        Column::new(1, "tcpListenerLocalAddressType", NotAccessible, Syntax::INET_ADDRESS_TYPE),
        Column::new(2, "tcpListenerLocalAddress", NotAccessible, Syntax::INET_ADDRESS),
        Column::new(3, "tcpListenerLocalPort", NotAccessible, Syntax::INET_PORT_NUMBER),
        Column::new(4, "tcpListenerProcess", ReadOnly, Syntax::UNSIGNED32),
    ],
};
