//! TCP-ESTATS-MIB (RFC 4898): what TCP knows about each connection. Only the objects that a Linux kernel reports
//! (TCP_INFO) are here; the others would be guesses.

use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Syntax, Table};

/// TCP-ESTATS-MIB.
pub static MODULE: Module = Module {
    name: "TCP-ESTATS-MIB",
    reference: "RFC 4898",
    nodes: &[
        Node { name: "tcpEStatsMIB", oid: &[1, 3, 6, 1, 2, 1, 156] },
        Node { name: "tcpEStatsNotifications", oid: &[1, 3, 6, 1, 2, 1, 156, 0] },
        Node { name: "tcpEStatsMIBObjects", oid: &[1, 3, 6, 1, 2, 1, 156, 1] },
        Node { name: "tcpEStats", oid: &[1, 3, 6, 1, 2, 1, 156, 1, 1] },
    ],
    scalars: &[],
    tables: &[
        TCP_ESTATS_CONNECT_ID_TABLE,
        TCP_ESTATS_PERF_TABLE,
        TCP_ESTATS_PATH_TABLE,
        TCP_ESTATS_STACK_TABLE,
        TCP_ESTATS_APP_TABLE,
    ],
    notifications: &[],
};

const CONNECT_INDEX: Syntax = Syntax::unsigned(1, u32::MAX as i64).named("Unsigned32", "");
const WINDOW_SCALE: Syntax = Syntax::integer(-1, 14);
const NEGOTIATED: Syntax = Syntax::enumeration(&[(1, "enabled"), (2, "selfDisabled"), (3, "peerDisabled")])
    .named("TcpEStatsNegotiated", "");
const COUNTER32: Syntax = Syntax::COUNTER32.named("ZeroBasedCounter32", "");
const COUNTER64: Syntax = Syntax::COUNTER64.named("ZeroBasedCounter64", "");

const BY_CONNECTION: &[IndexPart] =
    &[IndexPart::new("tcpEStatsConnectIndex", IndexEncoding::Integer, CONNECT_INDEX)];

/// tcpEStatsConnectIdTable: from a connection as tcpConnectionTable names it to its index in the other tables.
pub const TCP_ESTATS_CONNECT_ID_TABLE: Table = Table {
    name: "tcpEStatsConnectIdTable",
    entry: "tcpEStatsConnectIdEntry",
    oid: &[1, 3, 6, 1, 2, 1, 156, 1, 1, 2],
    index: super::tcp_mib::TCP_CONNECTION_TABLE.index,
    columns: &[Column::new(1, "tcpEStatsConnectIndex", ReadOnly, CONNECT_INDEX)],
};

/// tcpEStatsPerfTable: segments and octets, both ways, and what limits the sender.
pub const TCP_ESTATS_PERF_TABLE: Table = Table {
    name: "tcpEStatsPerfTable",
    entry: "tcpEStatsPerfEntry",
    oid: &[1, 3, 6, 1, 2, 1, 156, 1, 1, 3],
    index: BY_CONNECTION,
    columns: &[
        counter(1, "tcpEStatsPerfSegsOut"),
        counter(2, "tcpEStatsPerfDataSegsOut"),
        counter(3, "tcpEStatsPerfDataOctetsOut").units("octets"),
        counter64(4, "tcpEStatsPerfHCDataOctetsOut").units("octets"),
        counter(5, "tcpEStatsPerfSegsRetrans"),
        counter(6, "tcpEStatsPerfOctetsRetrans").units("octets"),
        counter(7, "tcpEStatsPerfSegsIn"),
        counter(8, "tcpEStatsPerfDataSegsIn"),
        counter(9, "tcpEStatsPerfDataOctetsIn").units("octets"),
        counter64(10, "tcpEStatsPerfHCDataOctetsIn").units("octets"),
        gauge(14, "tcpEStatsPerfCurMSS").units("octets"),
        gauge(15, "tcpEStatsPerfPipeSize").units("octets"),
        gauge(17, "tcpEStatsPerfSmoothedRTT").units("milliseconds"),
        gauge(18, "tcpEStatsPerfCurRTO").units("milliseconds"),
        gauge(20, "tcpEStatsPerfCurCwnd").units("octets"),
        gauge(21, "tcpEStatsPerfCurSsthresh").units("octets"),
        gauge(26, "tcpEStatsPerfCurRwinRcvd").units("octets"),
        counter(34, "tcpEStatsPerfSndLimTimeRwin").units("milliseconds"),
        counter(35, "tcpEStatsPerfSndLimTimeCwnd").units("milliseconds"),
        counter(36, "tcpEStatsPerfSndLimTimeSnd").units("milliseconds"),
    ],
};

/// tcpEStatsPathTable: what the sender has learned of the path.
pub const TCP_ESTATS_PATH_TABLE: Table = Table {
    name: "tcpEStatsPathTable",
    entry: "tcpEStatsPathEntry",
    oid: &[1, 3, 6, 1, 2, 1, 156, 1, 1, 4],
    index: BY_CONNECTION,
    columns: &[
        gauge(1, "tcpEStatsPathRetranThresh"),
        gauge(12, "tcpEStatsPathRTTVar").units("milliseconds"),
        gauge(14, "tcpEStatsPathMinRTT").units("milliseconds"),
    ],
};

/// tcpEStatsStackTable: the negotiated options and the state of the sender.
pub const TCP_ESTATS_STACK_TABLE: Table = Table {
    name: "tcpEStatsStackTable",
    entry: "tcpEStatsStackEntry",
    oid: &[1, 3, 6, 1, 2, 1, 156, 1, 1, 5],
    index: BY_CONNECTION,
    columns: &[
        Column::new(2, "tcpEStatsStackMSSSent", ReadOnly, Syntax::UNSIGNED32),
        Column::new(4, "tcpEStatsStackWinScaleSent", ReadOnly, WINDOW_SCALE),
        Column::new(5, "tcpEStatsStackWinScaleRcvd", ReadOnly, WINDOW_SCALE),
        Column::new(6, "tcpEStatsStackTimeStamps", ReadOnly, NEGOTIATED),
        Column::new(7, "tcpEStatsStackECN", ReadOnly, NEGOTIATED),
        Column::new(8, "tcpEStatsStackWillSendSACK", ReadOnly, NEGOTIATED),
        Column::new(9, "tcpEStatsStackWillUseSACK", ReadOnly, NEGOTIATED),
        Column::new(10, "tcpEStatsStackState", ReadOnly, STATE),
        Column::new(16, "tcpEStatsStackInRecovery", ReadOnly, IN_RECOVERY),
        gauge(29, "tcpEStatsStackCurTimeoutCount"),
    ],
};

/// tcpEStatsAppTable: what passed between TCP and the application.
pub const TCP_ESTATS_APP_TABLE: Table = Table {
    name: "tcpEStatsAppTable",
    entry: "tcpEStatsAppEntry",
    oid: &[1, 3, 6, 1, 2, 1, 156, 1, 1, 6],
    index: BY_CONNECTION,
    columns: &[
        counter(4, "tcpEStatsAppThruOctetsAcked").units("octets"),
        counter64(5, "tcpEStatsAppHCThruOctetsAcked").units("octets"),
        counter(7, "tcpEStatsAppThruOctetsReceived").units("octets"),
        counter64(8, "tcpEStatsAppHCThruOctetsReceived").units("octets"),
        gauge(11, "tcpEStatsAppCurAppWQueue").units("octets"),
        gauge(13, "tcpEStatsAppCurAppRQueue").units("octets"),
    ],
};

const STATE: Syntax = Syntax::enumeration(&[
    (1, "tcpESStateClosed"),
    (2, "tcpESStateListen"),
    (3, "tcpESStateSynSent"),
    (4, "tcpESStateSynReceived"),
    (5, "tcpESStateEstablished"),
    (6, "tcpESStateFinWait1"),
    (7, "tcpESStateFinWait2"),
    (8, "tcpESStateCloseWait"),
    (9, "tcpESStateLastAck"),
    (10, "tcpESStateClosing"),
    (11, "tcpESStateTimeWait"),
    (12, "tcpESStateDeleteTcb"),
]);

const IN_RECOVERY: Syntax =
    Syntax::enumeration(&[(1, "tcpESDataContiguous"), (2, "tcpESDataUnordered"), (3, "tcpESDataRecovery")]);

const fn counter(id: u32, name: &'static str) -> Column {
    Column::new(id, name, ReadOnly, COUNTER32)
}

const fn counter64(id: u32, name: &'static str) -> Column {
    Column::new(id, name, ReadOnly, COUNTER64)
}

const fn gauge(id: u32, name: &'static str) -> Column {
    Column::new(id, name, ReadOnly, Syntax::GAUGE32)
}
