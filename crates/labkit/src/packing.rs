//! How messages are made shorter: what a manager asks an agent for.

use std::fmt;

use serde::{Deserialize, Serialize};
use trunkline_client::Compression;

use crate::protocol::{Protocol, SnmpVersion};
use crate::transport::{self, Transport};

/// A compression that agent and client speak, or none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Packing {
    /// Messages as they are.
    #[default]
    None,
    /// SNMP with prefixes of names left out (decision 0022).
    Opc,
    /// SNMP with names as differences.
    Odc,
    /// SNMP with DEFLATE over the whole PDU; NETCONF's messages as streams of zlib.
    Zlib,
    /// The compression of answers over HTTP.
    Gzip,
}

impl Packing {
    /// Those that a protocol has. OPC and ODC shorten the same message over every transport: they are in the list
    /// over UDP alone. SNMPv3 has none outside HTTP.
    pub fn of(protocol: Protocol) -> Vec<Packing> {
        let is_http = transport::HTTP.contains(&protocol.transport);
        match protocol.version {
            _ if is_http => vec![Packing::None, Packing::Gzip],
            SnmpVersion::V2c if protocol.transport == Transport::Udp => {
                vec![Packing::None, Packing::Opc, Packing::Odc, Packing::Zlib]
            }
            SnmpVersion::V2c => vec![Packing::None, Packing::Zlib],
            SnmpVersion::Netconf => vec![Packing::None, Packing::Zlib],
            SnmpVersion::V1 | SnmpVersion::V3 | SnmpVersion::Soap => vec![Packing::None],
        }
    }

    /// Whether messages are as they are.
    pub fn is_none(&self) -> bool {
        *self == Packing::None
    }

    /// What a session of SNMP asks for.
    pub const fn of_snmp(self) -> Option<Compression> {
        match self {
            Packing::None | Packing::Gzip => None,
            Packing::Opc => Some(Compression::Opc),
            Packing::Odc => Some(Compression::Odc),
            Packing::Zlib => Some(Compression::Zlib),
        }
    }
}

/// What stands behind a protocol's name: ` zlib`; nothing for messages as they are.
impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Packing::None => "",
            Packing::Opc => " opc",
            Packing::Odc => " odc",
            Packing::Zlib => " zlib",
            Packing::Gzip => " gzip",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_has_the_compressions_that_it_can_speak() {
        let of = |name: &str| {
            let found = Protocol::all().into_iter().find(|it| it.to_string() == name);
            Packing::of(found.unwrap()).iter().map(ToString::to_string).collect::<String>()
        };
        assert_eq!(of("v2c/UDP"), " opc odc zlib");
        assert_eq!((of("v2c/SSH"), of("v1/UDP"), of("v3/TSM/TLS")), (" zlib".into(), "".into(), "".into()));
        assert_eq!((of("soap/HTTPS"), of("v3/USM authPriv/HTTP")), (" gzip".into(), " gzip".into()));
    }
}
