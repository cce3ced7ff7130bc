//! What can be spoken with an agent: version, transport and security together, each with the algorithms that protect it.
//!
//! Experiments name their rows by these values, samples store them, and [`crate::stage`] makes a target of each.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::transport::{self, Transport};

/// One way to speak with an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Protocol {
    /// The version of SNMP, or that it is none.
    pub version: SnmpVersion,
    /// What carries the messages.
    pub transport: Transport,
    /// Who protects them.
    pub security: Security,
}

/// A version of SNMP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SnmpVersion {
    /// RFC 1157.
    V1,
    /// RFC 1901.
    V2c,
    /// RFC 3410.
    V3,
    /// No SNMP: the operations of the SOAP service.
    Soap,
    /// No SNMP: NETCONF.
    Netconf,
}

/// Who protects the messages, and how well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Security {
    /// Nobody: a community in clear.
    Community,
    /// The User-based Security Model (RFC 3414) at a level, with a pair of algorithms.
    Usm(Level, Suite),
    /// The session (RFC 5591 and, with SNMPv1 and SNMPv2c, the authenticated name in place of the community).
    Session(Mode),
    /// The message itself, by keys of a role: XML-Encryption and XML-Signature.
    Message,
}

/// A security level (RFC 3411 section 3.4.3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    /// Neither authentication nor encryption.
    #[default]
    NoAuthNoPriv,
    /// Authentication.
    AuthNoPriv,
    /// Authentication and encryption.
    AuthPriv,
}

/// A pair of algorithms of the User-based Security Model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Suite {
    /// HMAC-192-SHA-256 (RFC 7860) and AES-128 in CFB (RFC 3826): what stands beside AES-128 in TLS and SSH.
    Modern,
    /// HMAC-MD5-96 and DES in CBC (RFC 3414): what Du et al. used.
    Md5Des,
    /// HMAC-MD5-96 and AES-128 in CFB: what Marinov and Schönwälder used.
    Md5Aes,
}

/// What a session does with messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Integrity and encryption.
    Secure,
    /// Integrity and encryption with TLS 1.2, served by `trunklined-lab`: what stands beside [`Mode::IntegrityOnly`], by
    /// the same program and after the same handshake.
    Tls12,
    /// Integrity alone: the cipher suite TLS_ECDHE_ECDSA_WITH_NULL_SHA of TLS 1.2. Served by `trunklined-lab` only.
    IntegrityOnly,
}

impl Protocol {
    /// SNMPv1 with a community.
    pub const fn v1(transport: Transport) -> Protocol {
        Protocol { version: SnmpVersion::V1, transport, security: Security::Community }
    }

    /// SNMPv2c with a community.
    pub const fn v2c(transport: Transport) -> Protocol {
        Protocol { version: SnmpVersion::V2c, transport, security: Security::Community }
    }

    /// SNMPv3 with a user.
    pub const fn usm(transport: Transport, level: Level, suite: Suite) -> Protocol {
        Protocol { version: SnmpVersion::V3, transport, security: Security::Usm(level, suite) }
    }

    /// A version of SNMP in a session that protects it.
    pub const fn session(version: SnmpVersion, transport: Transport, mode: Mode) -> Protocol {
        Protocol { version, transport, security: Security::Session(mode) }
    }

    /// NETCONF: over TCP with the rights of a community, over SSH and TLS as the user that the session proves.
    pub const fn netconf(transport: Transport) -> Protocol {
        let security = match transport {
            Transport::Tcp => Security::Community,
            _ => Security::Session(Mode::Secure),
        };
        Protocol { version: SnmpVersion::Netconf, transport, security }
    }

    /// NETCONF over TCP, whose messages protect themselves by keys of a role.
    pub const PROTECTED_NETCONF: Protocol =
        Protocol { version: SnmpVersion::Netconf, transport: Transport::Tcp, security: Security::Message };

    /// Every protocol, transport and security level over which the agent speaks SNMP and SOAP.
    pub fn all() -> Vec<Protocol> {
        let mut all = vec![];
        for transport in transport::PLAIN {
            all.extend([Protocol::v1(transport), Protocol::v2c(transport)]);
            all.extend(Level::ALL.map(|level| Protocol::usm(transport, level, Suite::Modern)));
        }
        for transport in transport::SECURE {
            let in_session = |version| Protocol::session(version, transport, Mode::Secure);
            all.extend([SnmpVersion::V2c, SnmpVersion::V3].map(in_session));
        }
        // SNMP inside SOAP, and SOAP itself.
        let [http, https] = transport::HTTP;
        all.extend([SnmpVersion::V2c, SnmpVersion::Soap].map(|version| Protocol {
            version,
            transport: http,
            security: Security::Community,
        }));
        all.extend(Level::ALL.map(|level| Protocol::usm(http, level, Suite::Modern)));
        let in_session = |version| Protocol::session(version, https, Mode::Secure);
        all.extend([SnmpVersion::V2c, SnmpVersion::V3, SnmpVersion::Soap].map(in_session));
        all
    }

    /// Whether the session itself proves who the peers are.
    pub const fn is_in_session(&self) -> bool {
        matches!(self.security, Security::Session(_))
    }

    /// Whether there is anything to open and to keep between two requests: a connection, or what USM learns of the
    /// agent's engine. A community over UDP needs nothing.
    pub const fn has_session(&self) -> bool {
        !matches!((self.security, self.transport), (Security::Community, Transport::Udp))
    }

    /// The security level of its messages, whoever protects them.
    pub const fn level(&self) -> Level {
        match self.security {
            Security::Community => Level::NoAuthNoPriv,
            Security::Usm(level, _) => level,
            Security::Session(Mode::IntegrityOnly) => Level::AuthNoPriv,
            Security::Session(Mode::Secure | Mode::Tls12) | Security::Message => Level::AuthPriv,
        }
    }

    /// The algorithms that protect it, in words; `none` where nothing does.
    pub fn algorithms(&self) -> &'static str {
        match (self.security, self.transport) {
            (Security::Community | Security::Usm(Level::NoAuthNoPriv, _), _) => "none",
            (Security::Usm(level, suite), _) => suite.algorithms(level),
            (Security::Message, _) => {
                "XML-Encryption by AES-128-GCM, XML-Signature by HMAC-SHA-256, keys of a role"
            }
            (Security::Session(Mode::IntegrityOnly), _) => {
                "TLS 1.2 ECDHE, ECDSA P-256, no encryption, HMAC-SHA-1"
            }
            (Security::Session(Mode::Tls12), _) => {
                "TLS 1.2 ECDHE, ECDSA P-256, AES-GCM (the libraries' first choice of 128 and 256 bits)"
            }
            (Security::Session(Mode::Secure), Transport::Dtls) => {
                "DTLS 1.2 ECDHE, ECDSA P-256, AES-GCM (the libraries' first choice of 128 and 256 bits)"
            }
            (Security::Session(Mode::Secure), Transport::Ssh) => {
                "SSH, Ed25519 keys, curve25519-sha256 if both have it, AES-128-GCM"
            }
            (Security::Session(Mode::Secure), _) => {
                "TLS 1.3, ECDSA P-256, AES-GCM (the libraries' first choice of 128 and 256 bits)"
            }
        }
    }
}

impl Level {
    /// All of them, ascending.
    pub const ALL: [Level; 3] = [Level::NoAuthNoPriv, Level::AuthNoPriv, Level::AuthPriv];
}

impl Suite {
    /// All of them.
    pub const ALL: [Suite; 3] = [Suite::Modern, Suite::Md5Des, Suite::Md5Aes];

    const fn algorithms(self, level: Level) -> &'static str {
        match (self, level) {
            (_, Level::NoAuthNoPriv) => "none",
            (Suite::Modern, Level::AuthNoPriv) => "HMAC-192-SHA-256",
            (Suite::Modern, Level::AuthPriv) => "HMAC-192-SHA-256, AES-128-CFB",
            (Suite::Md5Des | Suite::Md5Aes, Level::AuthNoPriv) => "HMAC-MD5-96",
            (Suite::Md5Des, Level::AuthPriv) => "HMAC-MD5-96, DES-CBC",
            (Suite::Md5Aes, Level::AuthPriv) => "HMAC-MD5-96, AES-128-CFB",
        }
    }

    /// What stands behind a protocol's name; nothing for the usual pair.
    const fn suffix(self, level: Level) -> &'static str {
        match (self, level) {
            (_, Level::NoAuthNoPriv) | (Suite::Modern, _) => "",
            (Suite::Md5Des | Suite::Md5Aes, Level::AuthNoPriv) => " MD5",
            (Suite::Md5Des, Level::AuthPriv) => " MD5+DES",
            (Suite::Md5Aes, Level::AuthPriv) => " MD5+AES",
        }
    }
}

/// `v2c/UDP`, `v3/USM authPriv/TCP`, `v3/TSM/TLS`.
impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Protocol { version, transport, .. } = self;
        let text = match self.security {
            Security::Community => format!("{version}/{transport}"),
            Security::Usm(level, suite) => {
                format!("{version}/USM {level}{}/{transport}", suite.suffix(level))
            }
            Security::Message => format!("{version}/XML security/{transport}"),
            Security::Session(mode) => {
                let model = if *version == SnmpVersion::V3 { "/TSM" } else { "" };
                let mode = match mode {
                    Mode::Secure => "",
                    Mode::Tls12 => " 1.2 AES-GCM",
                    Mode::IntegrityOnly => " NULL-SHA",
                };
                format!("{version}{model}/{transport}{mode}")
            }
        };
        f.pad(&text)
    }
}

impl fmt::Display for SnmpVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            SnmpVersion::V1 => "v1",
            SnmpVersion::V2c => "v2c",
            SnmpVersion::V3 => "v3",
            SnmpVersion::Soap => "soap",
            SnmpVersion::Netconf => "netconf",
        })
    }
}

/// As RFC 3411 writes them, in upper or lower case.
impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Level, String> {
        let named = |level: &Level| level.to_string().eq_ignore_ascii_case(text);
        let words = || format!("expected noAuthNoPriv, authNoPriv or authPriv, found {text}");
        Level::ALL.into_iter().find(named).ok_or_else(words)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Level::NoAuthNoPriv => "noAuthNoPriv",
            Level::AuthNoPriv => "authNoPriv",
            Level::AuthPriv => "authPriv",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_protocol_has_a_name_of_its_own() {
        let all = Protocol::all();
        // (v1, v2c, 3 levels) over UDP and TCP; (v2c, v3) over TLS, DTLS and SSH; (v2c, SOAP, 3 levels) over HTTP;
        // (v2c, v3, SOAP) over HTTPS
        assert_eq!(all.len(), 5 * 2 + 2 * 3 + 5 + 3);
        let names: HashSet<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), all.len());
        assert!(
            names.contains("v3/USM authPriv/TCP")
                && names.contains("v2c/SSH")
                && names.contains("v3/TSM/DTLS")
        );
    }

    #[test]
    fn what_protects_is_named_where_something_does() {
        for protocol in Protocol::all() {
            let open =
                matches!(protocol.security, Security::Community | Security::Usm(Level::NoAuthNoPriv, _));
            assert_eq!(protocol.algorithms() == "none", open, "{protocol}");
            assert_eq!(protocol.level() == Level::NoAuthNoPriv, open, "{protocol}");
        }
        let old = Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Md5Des);
        assert_eq!(
            (old.to_string().as_str(), old.algorithms()),
            ("v3/USM authPriv MD5+DES/UDP", "HMAC-MD5-96, DES-CBC")
        );
    }

    #[test]
    fn messages_that_protect_themselves_are_as_safe_as_a_session() {
        let protected = Protocol::PROTECTED_NETCONF;
        assert_eq!(protected.to_string(), "netconf/XML security/TCP");
        assert_eq!((protected.level(), protected.is_in_session()), (Level::AuthPriv, false));
        assert!(protected.has_session() && protected.algorithms().contains("AES-128-GCM"));
    }

    #[test]
    fn they_survive_the_disk() {
        for protocol in Protocol::all().into_iter().chain([Protocol::PROTECTED_NETCONF]) {
            let text = serde_json::to_string(&protocol).unwrap();
            assert_eq!(serde_json::from_str::<Protocol>(&text).unwrap(), protocol, "{text}");
        }
    }
}
