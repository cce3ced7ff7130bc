//! SNMP-TLS-TM-MIB (RFC 6353 with RFC 9456): the TLS and DTLS transport domains, how their sessions fared, which
//! certificates are which security names, and with which certificates sessions are opened.

use super::snmp_target_mib::{SNMP_TARGET_ADDR_NAME, SNMP_TARGET_PARAMS_NAME};
use crate::schema::MaxAccess::{NotAccessible, ReadCreate, ReadOnly};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Notification, Scalar, Syntax, Table};

/// SNMP-TLS-TM-MIB.
pub static MODULE: Module = Module {
    name: "SNMP-TLS-TM-MIB",
    reference: "RFC 6353",
    nodes: &[
        Node { name: "snmpTLSTCPDomain", oid: SNMP_TLS_TCP_DOMAIN },
        Node { name: "snmpDTLSUDPDomain", oid: SNMP_DTLS_UDP_DOMAIN },
        Node { name: "snmpTlstmMIB", oid: &[1, 3, 6, 1, 2, 1, 198] },
        Node { name: "snmpTlstmNotifications", oid: &[1, 3, 6, 1, 2, 1, 198, 0] },
        Node { name: "snmpTlstmIdentities", oid: &[1, 3, 6, 1, 2, 1, 198, 1] },
        Node { name: "snmpTlstmCertToTSNMIdentities", oid: &[1, 3, 6, 1, 2, 1, 198, 1, 1] },
        Node { name: "snmpTlstmCertSpecified", oid: SNMP_TLSTM_CERT_SPECIFIED },
        Node { name: "snmpTlstmCertSANRFC822Name", oid: SNMP_TLSTM_CERT_SAN_RFC822_NAME },
        Node { name: "snmpTlstmCertSANDNSName", oid: SNMP_TLSTM_CERT_SAN_DNS_NAME },
        Node { name: "snmpTlstmCertSANIpAddress", oid: SNMP_TLSTM_CERT_SAN_IP_ADDRESS },
        Node { name: "snmpTlstmCertSANAny", oid: SNMP_TLSTM_CERT_SAN_ANY },
        Node { name: "snmpTlstmCertCommonName", oid: SNMP_TLSTM_CERT_COMMON_NAME },
        Node { name: "snmpTlstmObjects", oid: &[1, 3, 6, 1, 2, 1, 198, 2] },
        Node { name: "snmpTlstmSession", oid: &[1, 3, 6, 1, 2, 1, 198, 2, 1] },
        Node { name: "snmpTlstmConfig", oid: &[1, 3, 6, 1, 2, 1, 198, 2, 2] },
        Node { name: "snmpTlstmCertificateMapping", oid: &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1] },
        Node { name: "snmpTlstmConformance", oid: &[1, 3, 6, 1, 2, 1, 198, 3] },
        Node { name: "snmpTlstmCompliances", oid: &[1, 3, 6, 1, 2, 1, 198, 3, 1] },
        Node { name: "snmpTlstmCompliance", oid: &[1, 3, 6, 1, 2, 1, 198, 3, 1, 1] },
        Node { name: "snmpTlstmGroups", oid: &[1, 3, 6, 1, 2, 1, 198, 3, 2] },
        Node { name: "snmpTlstmStatsGroup", oid: &[1, 3, 6, 1, 2, 1, 198, 3, 2, 1] },
        Node { name: "snmpTlstmIncomingGroup", oid: &[1, 3, 6, 1, 2, 1, 198, 3, 2, 2] },
        Node { name: "snmpTlstmOutgoingGroup", oid: &[1, 3, 6, 1, 2, 1, 198, 3, 2, 3] },
        Node { name: "snmpTlstmNotificationGroup", oid: &[1, 3, 6, 1, 2, 1, 198, 3, 2, 4] },
    ],
    scalars: &[
        SNMP_TLSTM_SESSION_OPENS,
        SNMP_TLSTM_SESSION_CLIENT_CLOSES,
        SNMP_TLSTM_SESSION_OPEN_ERRORS,
        SNMP_TLSTM_SESSION_ACCEPTS,
        SNMP_TLSTM_SESSION_SERVER_CLOSES,
        SNMP_TLSTM_SESSION_NO_SESSIONS,
        SNMP_TLSTM_SESSION_INVALID_CLIENT_CERTIFICATES,
        SNMP_TLSTM_SESSION_UNKNOWN_SERVER_CERTIFICATE,
        SNMP_TLSTM_SESSION_INVALID_SERVER_CERTIFICATES,
        SNMP_TLSTM_SESSION_INVALID_CACHES,
        SNMP_TLSTM_CERT_TO_TSN_COUNT,
        SNMP_TLSTM_CERT_TO_TSN_TABLE_LAST_CHANGED,
        SNMP_TLSTM_PARAMS_COUNT,
        SNMP_TLSTM_PARAMS_TABLE_LAST_CHANGED,
        SNMP_TLSTM_ADDR_COUNT,
        SNMP_TLSTM_ADDR_TABLE_LAST_CHANGED,
    ],
    tables: &[SNMP_TLSTM_CERT_TO_TSN_TABLE, SNMP_TLSTM_PARAMS_TABLE, SNMP_TLSTM_ADDR_TABLE],
    notifications: &[SNMP_TLSTM_SERVER_CERTIFICATE_UNKNOWN, SNMP_TLSTM_SERVER_INVALID_CERTIFICATE],
};

/// SNMP over TLS over TCP: SnmpTLSAddress, a host, a colon and the port in decimal.
pub const SNMP_TLS_TCP_DOMAIN: &[u32] = &[1, 3, 6, 1, 6, 1, 8];
/// SNMP over DTLS over UDP: SnmpTLSAddress.
pub const SNMP_DTLS_UDP_DOMAIN: &[u32] = &[1, 3, 6, 1, 6, 1, 9];

/// Map type: snmpTlstmCertToTSNData is the name.
pub const SNMP_TLSTM_CERT_SPECIFIED: &[u32] = &[1, 3, 6, 1, 2, 1, 198, 1, 1, 1];
/// Map type: an rfc822Name among the certificate's alternative names, its domain in lower case.
pub const SNMP_TLSTM_CERT_SAN_RFC822_NAME: &[u32] = &[1, 3, 6, 1, 2, 1, 198, 1, 1, 2];
/// Map type: a dNSName among the alternative names, in lower case.
pub const SNMP_TLSTM_CERT_SAN_DNS_NAME: &[u32] = &[1, 3, 6, 1, 2, 1, 198, 1, 1, 3];
/// Map type: an iPAddress among the alternative names, in decimal with dots or 32 hexadecimal digits.
pub const SNMP_TLSTM_CERT_SAN_IP_ADDRESS: &[u32] = &[1, 3, 6, 1, 2, 1, 198, 1, 1, 4];
/// Map type: the first alternative name of one of those three kinds.
pub const SNMP_TLSTM_CERT_SAN_ANY: &[u32] = &[1, 3, 6, 1, 2, 1, 198, 1, 1, 5];
/// Map type: the CommonName of the subject.
pub const SNMP_TLSTM_CERT_COMMON_NAME: &[u32] = &[1, 3, 6, 1, 2, 1, 198, 1, 1, 6];

/// SnmpTLSAddress: the TAddress of both domains.
pub const SNMP_TLS_ADDRESS: Syntax = Syntax::octets(1, 255).named("SnmpTLSAddress", "1a");
/// SnmpTLSFingerprint: one octet that identifies the hash (RFC 9456 section 2.1), and the hash of a certificate;
/// empty where the object allows it.
pub const SNMP_TLS_FINGERPRINT: Syntax = Syntax::octets(0, 255).named("SnmpTLSFingerprint", "1x:1x");

/// openSession that was carried out as a client, whatever became of it.
pub const SNMP_TLSTM_SESSION_OPENS: Scalar =
    counter("snmpTlstmSessionOpens", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 1]);

/// closeSession that was carried out as a client, whatever became of it.
pub const SNMP_TLSTM_SESSION_CLIENT_CLOSES: Scalar =
    counter("snmpTlstmSessionClientCloses", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 2]);

/// openSession that failed, for whatever reason.
pub const SNMP_TLSTM_SESSION_OPEN_ERRORS: Scalar =
    counter("snmpTlstmSessionOpenErrors", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 3]);

/// Sessions that were accepted as a server.
pub const SNMP_TLSTM_SESSION_ACCEPTS: Scalar =
    counter("snmpTlstmSessionAccepts", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 4]);

/// Sessions that were closed as a server.
pub const SNMP_TLSTM_SESSION_SERVER_CLOSES: Scalar =
    counter("snmpTlstmSessionServerCloses", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 5]);

/// Outgoing messages that were dropped as their session was gone.
pub const SNMP_TLSTM_SESSION_NO_SESSIONS: Scalar =
    counter("snmpTlstmSessionNoSessions", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 6]);

/// Sessions that were refused because the client's certificate was invalid or unknown.
pub const SNMP_TLSTM_SESSION_INVALID_CLIENT_CERTIFICATES: Scalar =
    counter("snmpTlstmSessionInvalidClientCertificates", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 7]);

/// Sessions that could not be opened because the server's certificate is unknown: no fingerprint, no trusted
/// authority.
pub const SNMP_TLSTM_SESSION_UNKNOWN_SERVER_CERTIFICATE: Scalar =
    counter("snmpTlstmSessionUnknownServerCertificate", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 8]);

/// Sessions that could not be opened as the server's certificate was not good: expired, revoked, another's.
pub const SNMP_TLSTM_SESSION_INVALID_SERVER_CERTIFICATES: Scalar =
    counter("snmpTlstmSessionInvalidServerCertificates", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 9]);

/// Outgoing messages that were dropped because their tmStateReference was not that of a TLS or DTLS session.
pub const SNMP_TLSTM_SESSION_INVALID_CACHES: Scalar =
    counter("snmpTlstmSessionInvalidCaches", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 10]);

/// How many rows snmpTlstmCertToTSNTable has.
pub const SNMP_TLSTM_CERT_TO_TSN_COUNT: Scalar =
    count("snmpTlstmCertToTSNCount", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 1]);

/// When snmpTlstmCertToTSNTable was last modified; 0: not since the start.
pub const SNMP_TLSTM_CERT_TO_TSN_TABLE_LAST_CHANGED: Scalar =
    last_changed("snmpTlstmCertToTSNTableLastChanged", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 2]);

/// Which security name a client's certificate is: rows are tried in the order of their numbers.
pub const SNMP_TLSTM_CERT_TO_TSN_TABLE: Table = Table {
    name: "snmpTlstmCertToTSNTable",
    entry: "snmpTlstmCertToTSNEntry",
    oid: &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3],
    index: &[IndexPart::new("snmpTlstmCertToTSNID", IndexEncoding::Integer, ID)],
    columns: &[
        Column::new(1, "snmpTlstmCertToTSNID", NotAccessible, ID),
        Column::new(
            2,
            "snmpTlstmCertToTSNFingerprint",
            ReadCreate,
            Syntax { min: 1, ..SNMP_TLS_FINGERPRINT },
        ),
        Column::new(3, "snmpTlstmCertToTSNMapType", ReadCreate, Syntax::AUTONOMOUS_TYPE),
        Column::new(4, "snmpTlstmCertToTSNData", ReadCreate, Syntax::octets(0, 1024)),
        Column::new(5, "snmpTlstmCertToTSNStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(6, "snmpTlstmCertToTSNRowStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// How many rows snmpTlstmParamsTable has.
pub const SNMP_TLSTM_PARAMS_COUNT: Scalar =
    count("snmpTlstmParamsCount", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 4]);

/// When snmpTlstmParamsTable was last modified; 0: not since the start.
pub const SNMP_TLSTM_PARAMS_TABLE_LAST_CHANGED: Scalar =
    last_changed("snmpTlstmParamsTableLastChanged", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 5]);

/// With which of our certificates sessions of a row of snmpTargetParamsTable are opened.
pub const SNMP_TLSTM_PARAMS_TABLE: Table = Table {
    name: "snmpTlstmParamsTable",
    entry: "snmpTlstmParamsEntry",
    oid: &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 6],
    index: &[SNMP_TARGET_PARAMS_NAME],
    columns: &[
        Column::new(1, "snmpTlstmParamsClientFingerprint", ReadCreate, SNMP_TLS_FINGERPRINT),
        Column::new(2, "snmpTlstmParamsStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(3, "snmpTlstmParamsRowStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// How many rows snmpTlstmAddrTable has.
pub const SNMP_TLSTM_ADDR_COUNT: Scalar = count("snmpTlstmAddrCount", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 7]);

/// When snmpTlstmAddrTable was last modified; 0: not since the start.
pub const SNMP_TLSTM_ADDR_TABLE_LAST_CHANGED: Scalar =
    last_changed("snmpTlstmAddrTableLastChanged", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 8]);

/// The identity that sessions to a row of snmpTargetAddrTable require of the peer.
pub const SNMP_TLSTM_ADDR_TABLE: Table = Table {
    name: "snmpTlstmAddrTable",
    entry: "snmpTlstmAddrEntry",
    oid: &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 9],
    index: &[SNMP_TARGET_ADDR_NAME],
    columns: &[
        Column::new(1, "snmpTlstmAddrServerFingerprint", ReadCreate, SNMP_TLS_FINGERPRINT),
        Column::new(2, "snmpTlstmAddrServerIdentity", ReadCreate, Syntax::SNMP_ADMIN_STRING),
        Column::new(3, "snmpTlstmAddrStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(4, "snmpTlstmAddrRowStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// A server presented an unknown certificate.
pub const SNMP_TLSTM_SERVER_CERTIFICATE_UNKNOWN: Notification = Notification {
    name: "snmpTlstmServerCertificateUnknown",
    oid: &[1, 3, 6, 1, 2, 1, 198, 0, 1],
    objects: &["snmpTlstmSessionUnknownServerCertificate"],
};

/// A server showed a certificate that is not good.
pub const SNMP_TLSTM_SERVER_INVALID_CERTIFICATE: Notification = Notification {
    name: "snmpTlstmServerInvalidCertificate",
    oid: &[1, 3, 6, 1, 2, 1, 198, 0, 2],
    objects: &["snmpTlstmAddrServerFingerprint", "snmpTlstmSessionInvalidServerCertificates"],
};

const ID: Syntax = Syntax::unsigned(1, u32::MAX as i64).named("Unsigned32", "");

const fn counter(name: &'static str, oid: &'static [u32]) -> Scalar {
    Scalar::new(name, oid, ReadOnly, Syntax::COUNTER32)
}

const fn count(name: &'static str, oid: &'static [u32]) -> Scalar {
    Scalar::new(name, oid, ReadOnly, Syntax::GAUGE32)
}

const fn last_changed(name: &'static str, oid: &'static [u32]) -> Scalar {
    Scalar::new(name, oid, ReadOnly, Syntax::TIME_STAMP)
}
