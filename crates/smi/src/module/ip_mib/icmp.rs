//! The `icmp` group of IP-MIB: the tables for both versions of IP, and the deprecated scalars for IPv4.

use crate::schema::MaxAccess::{NotAccessible, ReadOnly};
use crate::schema::{Column, IndexEncoding, IndexPart, Scalar, Syntax, Table};

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_MSGS: Scalar =
    Scalar::new("icmpInMsgs", &[1, 3, 6, 1, 2, 1, 5, 1], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_ERRORS: Scalar =
    Scalar::new("icmpInErrors", &[1, 3, 6, 1, 2, 1, 5, 2], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_DEST_UNREACHS: Scalar =
    Scalar::new("icmpInDestUnreachs", &[1, 3, 6, 1, 2, 1, 5, 3], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_TIME_EXCDS: Scalar =
    Scalar::new("icmpInTimeExcds", &[1, 3, 6, 1, 2, 1, 5, 4], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_PARM_PROBS: Scalar =
    Scalar::new("icmpInParmProbs", &[1, 3, 6, 1, 2, 1, 5, 5], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_SRC_QUENCHS: Scalar =
    Scalar::new("icmpInSrcQuenchs", &[1, 3, 6, 1, 2, 1, 5, 6], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_REDIRECTS: Scalar =
    Scalar::new("icmpInRedirects", &[1, 3, 6, 1, 2, 1, 5, 7], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_ECHOS: Scalar =
    Scalar::new("icmpInEchos", &[1, 3, 6, 1, 2, 1, 5, 8], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_ECHO_REPS: Scalar =
    Scalar::new("icmpInEchoReps", &[1, 3, 6, 1, 2, 1, 5, 9], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_TIMESTAMPS: Scalar =
    Scalar::new("icmpInTimestamps", &[1, 3, 6, 1, 2, 1, 5, 10], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_TIMESTAMP_REPS: Scalar =
    Scalar::new("icmpInTimestampReps", &[1, 3, 6, 1, 2, 1, 5, 11], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_ADDR_MASKS: Scalar =
    Scalar::new("icmpInAddrMasks", &[1, 3, 6, 1, 2, 1, 5, 12], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_IN_ADDR_MASK_REPS: Scalar =
    Scalar::new("icmpInAddrMaskReps", &[1, 3, 6, 1, 2, 1, 5, 13], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_MSGS: Scalar =
    Scalar::new("icmpOutMsgs", &[1, 3, 6, 1, 2, 1, 5, 14], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_ERRORS: Scalar =
    Scalar::new("icmpOutErrors", &[1, 3, 6, 1, 2, 1, 5, 15], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_DEST_UNREACHS: Scalar =
    Scalar::new("icmpOutDestUnreachs", &[1, 3, 6, 1, 2, 1, 5, 16], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_TIME_EXCDS: Scalar =
    Scalar::new("icmpOutTimeExcds", &[1, 3, 6, 1, 2, 1, 5, 17], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_PARM_PROBS: Scalar =
    Scalar::new("icmpOutParmProbs", &[1, 3, 6, 1, 2, 1, 5, 18], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_SRC_QUENCHS: Scalar =
    Scalar::new("icmpOutSrcQuenchs", &[1, 3, 6, 1, 2, 1, 5, 19], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_REDIRECTS: Scalar =
    Scalar::new("icmpOutRedirects", &[1, 3, 6, 1, 2, 1, 5, 20], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_ECHOS: Scalar =
    Scalar::new("icmpOutEchos", &[1, 3, 6, 1, 2, 1, 5, 21], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_ECHO_REPS: Scalar =
    Scalar::new("icmpOutEchoReps", &[1, 3, 6, 1, 2, 1, 5, 22], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_TIMESTAMPS: Scalar =
    Scalar::new("icmpOutTimestamps", &[1, 3, 6, 1, 2, 1, 5, 23], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_TIMESTAMP_REPS: Scalar =
    Scalar::new("icmpOutTimestampReps", &[1, 3, 6, 1, 2, 1, 5, 24], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_ADDR_MASKS: Scalar =
    Scalar::new("icmpOutAddrMasks", &[1, 3, 6, 1, 2, 1, 5, 25], ReadOnly, Syntax::COUNTER32);

/// ICMP for IPv4 (deprecated).
pub const ICMP_OUT_ADDR_MASK_REPS: Scalar =
    Scalar::new("icmpOutAddrMaskReps", &[1, 3, 6, 1, 2, 1, 5, 26], ReadOnly, Syntax::COUNTER32);

/// icmpStatsTable: ICMP as a whole.
pub const ICMP_STATS_TABLE: Table = Table {
    name: "icmpStatsTable",
    entry: "icmpStatsEntry",
    oid: &[1, 3, 6, 1, 2, 1, 5, 29],
    index: &[IndexPart::new("icmpStatsIPVersion", IndexEncoding::Integer, Syntax::INET_VERSION)],
    columns: &[
        Column::new(1, "icmpStatsIPVersion", NotAccessible, Syntax::INET_VERSION),
        Column::new(2, "icmpStatsInMsgs", ReadOnly, Syntax::COUNTER32),
        Column::new(3, "icmpStatsInErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(4, "icmpStatsOutMsgs", ReadOnly, Syntax::COUNTER32),
        Column::new(5, "icmpStatsOutErrors", ReadOnly, Syntax::COUNTER32),
    ],
};

/// icmpMsgStatsTable: ICMP by type of message.
pub const ICMP_MSG_STATS_TABLE: Table = Table {
    name: "icmpMsgStatsTable",
    entry: "icmpMsgStatsEntry",
    oid: &[1, 3, 6, 1, 2, 1, 5, 30],
    index: &[
        IndexPart::new("icmpMsgStatsIPVersion", IndexEncoding::Integer, Syntax::INET_VERSION),
        IndexPart::new("icmpMsgStatsType", IndexEncoding::Integer, Syntax::integer(0, 255)),
    ],
    columns: &[
        Column::new(1, "icmpMsgStatsIPVersion", NotAccessible, Syntax::INET_VERSION),
        Column::new(2, "icmpMsgStatsType", NotAccessible, Syntax::integer(0, 255)),
        Column::new(3, "icmpMsgStatsInPkts", ReadOnly, Syntax::COUNTER32),
        Column::new(4, "icmpMsgStatsOutPkts", ReadOnly, Syntax::COUNTER32),
    ],
};
