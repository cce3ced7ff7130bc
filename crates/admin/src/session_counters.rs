//! How sessions of TLS, DTLS and SSH fared, as SNMP-TLS-TM-MIB (RFC 6353) and SNMP-SSH-TM-MIB (RFC 5592) count it. The
//! door, the listeners and the notification originator count; the groups `snmp-tlstm` and `snmp-sshtm` show.

use trunkline_snmp::Counter;

/// The counters of all secure sessions of one agent.
#[derive(Debug, Default)]
pub struct SessionCounters {
    /// TLS and DTLS.
    pub tls: TlsSessionCounters,
    /// SSH.
    pub ssh: SshSessionCounters,
}

/// snmpTlstmSession: one count for TLS and DTLS together, as client and as server. HTTPS is not the TLS Transport
/// Model, and not counted here.
#[derive(Debug, Default)]
pub struct TlsSessionCounters {
    /// snmpTlstmSessionOpens: sessions that we began to open, whatever became of it.
    pub opens: Counter,
    /// snmpTlstmSessionClientCloses: sessions that we had opened and have closed.
    pub client_closes: Counter,
    /// snmpTlstmSessionOpenErrors: sessions that we could not open, for whatever reason.
    pub open_errors: Counter,
    /// snmpTlstmSessionAccepts: sessions of clients that were accepted, and in which an SNMP message has arrived.
    pub accepts: Counter,
    /// snmpTlstmSessionServerCloses: sessions of clients that we have closed.
    pub server_closes: Counter,
    /// snmpTlstmSessionNoSessions: outgoing messages that were dropped as the session for them was gone.
    pub no_sessions: Counter,
    /// snmpTlstmSessionInvalidClientCertificates: clients that presented a certificate that was invalid, or mapped
    /// to no name.
    pub invalid_client_certificates: Counter,
    /// snmpTlstmSessionUnknownServerCertificate: servers whose certificate neither a fingerprint nor an authority knows.
    pub unknown_server_certificates: Counter,
    /// snmpTlstmSessionInvalidServerCertificates: servers whose certificate was not good: expired, revoked, another's.
    pub invalid_server_certificates: Counter,
    /// snmpTlstmSessionInvalidCaches: outgoing messages that were dropped because their session was not TLS or
    /// DTLS.
    pub invalid_caches: Counter,
}

/// snmpSshtmSession. The first six are of sessions that we open as a client (RFC 5592 section 5.3).
#[derive(Debug, Default)]
pub struct SshSessionCounters {
    /// snmpSshtmSessionOpens: sessions that we began to open, whatever became of it.
    pub opens: Counter,
    /// snmpSshtmSessionCloses: sessions that we began to close.
    pub closes: Counter,
    /// snmpSshtmSessionOpenErrors: sessions that could not be opened, for the host or for the user.
    pub open_errors: Counter,
    /// snmpSshtmSessionUserAuthFailures: sessions that could not be opened because the user was refused.
    pub user_auth_failures: Counter,
    /// snmpSshtmSessionNoChannels: sessions that could not be opened because there was no channel.
    pub no_channels: Counter,
    /// snmpSshtmSessionNoSubsystems: sessions that could not be opened because there was no subsystem `snmp`.
    pub no_subsystems: Counter,
    /// snmpSshtmSessionNoSessions: outgoing messages that were dropped as the session for them was gone.
    pub no_sessions: Counter,
    /// snmpSshtmSessionInvalidCaches: outgoing messages that were dropped because their session was not SSH.
    pub invalid_caches: Counter,
}
