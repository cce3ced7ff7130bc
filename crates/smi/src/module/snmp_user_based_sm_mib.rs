//! SNMP-USER-BASED-SM-MIB (RFC 3414): the users of the User-based Security Model and its counters, with the
//! protocols of RFC 3414, RFC 3826 (SNMP-USM-AES-MIB) and RFC 7860 (SNMP-USM-HMAC-SHA2-MIB).

use crate::schema::MaxAccess::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// SNMP-USER-BASED-SM-MIB.
pub static MODULE: Module = Module {
    name: "SNMP-USER-BASED-SM-MIB",
    reference: "RFC 3414",
    nodes: &[
        Node { name: "usmNoAuthProtocol", oid: NO_AUTH_PROTOCOL },
        Node { name: "usmHMACMD5AuthProtocol", oid: HMAC_MD5_AUTH_PROTOCOL },
        Node { name: "usmHMACSHAAuthProtocol", oid: HMAC_SHA_AUTH_PROTOCOL },
        Node { name: "usmNoPrivProtocol", oid: NO_PRIV_PROTOCOL },
        Node { name: "usmDESPrivProtocol", oid: DES_PRIV_PROTOCOL },
        Node { name: "snmpUsmMIB", oid: &[1, 3, 6, 1, 6, 3, 15] },
        Node { name: "usmMIBObjects", oid: &[1, 3, 6, 1, 6, 3, 15, 1] },
        Node { name: "usmStats", oid: &[1, 3, 6, 1, 6, 3, 15, 1, 1] },
        Node { name: "usmUser", oid: &[1, 3, 6, 1, 6, 3, 15, 1, 2] },
        Node { name: "usmMIBConformance", oid: &[1, 3, 6, 1, 6, 3, 15, 2] },
        Node { name: "usmMIBCompliances", oid: &[1, 3, 6, 1, 6, 3, 15, 2, 1] },
        Node { name: "usmMIBCompliance", oid: &[1, 3, 6, 1, 6, 3, 15, 2, 1, 1] },
        Node { name: "usmMIBGroups", oid: &[1, 3, 6, 1, 6, 3, 15, 2, 2] },
        Node { name: "usmMIBBasicGroup", oid: &[1, 3, 6, 1, 6, 3, 15, 2, 2, 1] },
    ],
    scalars: &[
        USM_STATS_UNSUPPORTED_SEC_LEVELS,
        USM_STATS_NOT_IN_TIME_WINDOWS,
        USM_STATS_UNKNOWN_USER_NAMES,
        USM_STATS_UNKNOWN_ENGINE_IDS,
        USM_STATS_WRONG_DIGESTS,
        USM_STATS_DECRYPTION_ERRORS,
        USM_USER_SPIN_LOCK,
    ],
    tables: &[USM_USER_TABLE],
    notifications: &[],
};

/// SNMP-USM-AES-MIB.
pub static AES_MODULE: Module = Module {
    name: "SNMP-USM-AES-MIB",
    reference: "RFC 3826",
    nodes: &[
        Node { name: "snmpUsmAesMIB", oid: &[1, 3, 6, 1, 6, 3, 20] },
        Node { name: "usmAesCfb128Protocol", oid: AES_CFB128_PROTOCOL },
    ],
    scalars: &[],
    tables: &[],
    notifications: &[],
};

/// SNMP-USM-HMAC-SHA2-MIB.
pub const HMAC_SHA2_MODULE: Module = Module {
    name: "SNMP-USM-HMAC-SHA2-MIB",
    reference: "RFC 7860",
    nodes: &[
        Node { name: "snmpUsmHmacSha2MIB", oid: &[1, 3, 6, 1, 2, 1, 235] },
        Node { name: "usmHMAC128SHA224AuthProtocol", oid: HMAC128_SHA224_AUTH_PROTOCOL },
        Node { name: "usmHMAC192SHA256AuthProtocol", oid: HMAC192_SHA256_AUTH_PROTOCOL },
        Node { name: "usmHMAC256SHA384AuthProtocol", oid: HMAC256_SHA384_AUTH_PROTOCOL },
        Node { name: "usmHMAC384SHA512AuthProtocol", oid: HMAC384_SHA512_AUTH_PROTOCOL },
    ],
    scalars: &[],
    tables: &[],
    notifications: &[],
};

const NAME: Syntax = Syntax::admin_string(1, 32);

/// KeyChange: a random part, and the new key masked with the old one (RFC 3414 section 5).
const KEY_CHANGE: Syntax = Syntax::OCTET_STRING.named("KeyChange", "");

/// No authentication.
pub const NO_AUTH_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 1, 1];
/// HMAC-MD5-96.
pub const HMAC_MD5_AUTH_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 1, 2];
/// HMAC-SHA-96.
pub const HMAC_SHA_AUTH_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 1, 3];
/// HMAC-SHA-224, 16 octets.
pub const HMAC128_SHA224_AUTH_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 1, 4];
/// HMAC-SHA-256, 24 octets.
pub const HMAC192_SHA256_AUTH_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 1, 5];
/// HMAC-SHA-384, 32 octets.
pub const HMAC256_SHA384_AUTH_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 1, 6];
/// HMAC-SHA-512, 48 octets.
pub const HMAC384_SHA512_AUTH_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 1, 7];
/// No privacy.
pub const NO_PRIV_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 2, 1];
/// CBC-DES.
pub const DES_PRIV_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 2, 2];
/// CFB128-AES-128.
pub const AES_CFB128_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 2, 4];

/// Messages of a security level that is unknown or not to be had here.
pub const USM_STATS_UNSUPPORTED_SEC_LEVELS: Scalar = Scalar::new(
    "usmStatsUnsupportedSecLevels",
    &[1, 3, 6, 1, 6, 3, 15, 1, 1, 1],
    ReadOnly,
    Syntax::COUNTER32,
);

/// Messages outside of the time window.
pub const USM_STATS_NOT_IN_TIME_WINDOWS: Scalar =
    Scalar::new("usmStatsNotInTimeWindows", &[1, 3, 6, 1, 6, 3, 15, 1, 1, 2], ReadOnly, Syntax::COUNTER32);

/// Messages of users that the engine does not know.
pub const USM_STATS_UNKNOWN_USER_NAMES: Scalar =
    Scalar::new("usmStatsUnknownUserNames", &[1, 3, 6, 1, 6, 3, 15, 1, 1, 3], ReadOnly, Syntax::COUNTER32);

/// Messages for an engine that this one does not know.
pub const USM_STATS_UNKNOWN_ENGINE_IDS: Scalar =
    Scalar::new("usmStatsUnknownEngineIDs", &[1, 3, 6, 1, 6, 3, 15, 1, 1, 4], ReadOnly, Syntax::COUNTER32);

/// Messages without the expected digest.
pub const USM_STATS_WRONG_DIGESTS: Scalar =
    Scalar::new("usmStatsWrongDigests", &[1, 3, 6, 1, 6, 3, 15, 1, 1, 5], ReadOnly, Syntax::COUNTER32);

/// Messages that could not be decrypted.
pub const USM_STATS_DECRYPTION_ERRORS: Scalar =
    Scalar::new("usmStatsDecryptionErrors", &[1, 3, 6, 1, 6, 3, 15, 1, 1, 6], ReadOnly, Syntax::COUNTER32);

/// The lock with which managers coordinate changes to secrets.
pub const USM_USER_SPIN_LOCK: Scalar =
    Scalar::new("usmUserSpinLock", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 1], ReadWrite, Syntax::TEST_AND_INCR);

/// The users.
pub const USM_USER_TABLE: Table = Table {
    name: "usmUserTable",
    entry: "usmUserEntry",
    oid: &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2],
    index: &[
        IndexPart::new("usmUserEngineID", IndexEncoding::Octets, Syntax::SNMP_ENGINE_ID),
        IndexPart::new("usmUserName", IndexEncoding::Octets, NAME),
    ],
    columns: &[
        Column::new(1, "usmUserEngineID", NotAccessible, Syntax::SNMP_ENGINE_ID),
        Column::new(2, "usmUserName", NotAccessible, NAME),
        Column::new(3, "usmUserSecurityName", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(4, "usmUserCloneFrom", ReadCreate, Syntax::ROW_POINTER),
        Column::new(5, "usmUserAuthProtocol", ReadCreate, Syntax::AUTONOMOUS_TYPE),
        Column::new(6, "usmUserAuthKeyChange", ReadCreate, KEY_CHANGE),
        Column::new(7, "usmUserOwnAuthKeyChange", ReadCreate, KEY_CHANGE),
        Column::new(8, "usmUserPrivProtocol", ReadCreate, Syntax::AUTONOMOUS_TYPE),
        Column::new(9, "usmUserPrivKeyChange", ReadCreate, KEY_CHANGE),
        Column::new(10, "usmUserOwnPrivKeyChange", ReadCreate, KEY_CHANGE),
        Column::new(11, "usmUserPublic", ReadCreate, Syntax::octets(0, 32)),
        Column::new(12, "usmUserStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(13, "usmUserStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};
