//! SNMPv2-TM (RFC 3417) and TRANSPORT-ADDRESS-MIB (RFC 3419): the names of transport domains, which determine the
//! format of a TAddress.

use crate::schema::{Module, Node};

/// SNMPv2-TM.
pub static MODULE: Module = Module {
    name: "SNMPv2-TM",
    reference: "RFC 3417",
    nodes: &[
        Node { name: "snmpUDPDomain", oid: SNMP_UDP_DOMAIN },
        Node { name: "snmpCLNSDomain", oid: &[1, 3, 6, 1, 6, 1, 2] },
        Node { name: "snmpCONSDomain", oid: &[1, 3, 6, 1, 6, 1, 3] },
        Node { name: "snmpDDPDomain", oid: &[1, 3, 6, 1, 6, 1, 4] },
        Node { name: "snmpIPXDomain", oid: &[1, 3, 6, 1, 6, 1, 5] },
        Node { name: "rfc1157Proxy", oid: &[1, 3, 6, 1, 6, 2, 1] },
        Node { name: "rfc1157Domain", oid: &[1, 3, 6, 1, 6, 2, 1, 1] },
        Node { name: "snmpv2tm", oid: &[1, 3, 6, 1, 6, 3, 19] },
    ],
    scalars: &[],
    tables: &[],
    notifications: &[],
};

/// TRANSPORT-ADDRESS-MIB.
pub static ADDRESS_MODULE: Module = Module {
    name: "TRANSPORT-ADDRESS-MIB",
    reference: "RFC 3419",
    nodes: &[
        Node { name: "transportAddressMIB", oid: &[1, 3, 6, 1, 2, 1, 100] },
        Node { name: "transportDomains", oid: &[1, 3, 6, 1, 2, 1, 100, 1] },
        Node { name: "transportDomainUdpIpv4", oid: UDP_IPV4 },
        Node { name: "transportDomainUdpIpv6", oid: UDP_IPV6 },
        Node { name: "transportDomainUdpIpv4z", oid: &[1, 3, 6, 1, 2, 1, 100, 1, 3] },
        Node { name: "transportDomainUdpIpv6z", oid: &[1, 3, 6, 1, 2, 1, 100, 1, 4] },
        Node { name: "transportDomainTcpIpv4", oid: TCP_IPV4 },
        Node { name: "transportDomainTcpIpv6", oid: TCP_IPV6 },
        Node { name: "transportDomainTcpIpv4z", oid: &[1, 3, 6, 1, 2, 1, 100, 1, 7] },
        Node { name: "transportDomainTcpIpv6z", oid: &[1, 3, 6, 1, 2, 1, 100, 1, 8] },
        Node { name: "transportDomainSctpIpv4", oid: &[1, 3, 6, 1, 2, 1, 100, 1, 9] },
        Node { name: "transportDomainSctpIpv6", oid: &[1, 3, 6, 1, 2, 1, 100, 1, 10] },
        Node { name: "transportDomainSctpIpv4z", oid: &[1, 3, 6, 1, 2, 1, 100, 1, 11] },
        Node { name: "transportDomainSctpIpv6z", oid: &[1, 3, 6, 1, 2, 1, 100, 1, 12] },
        Node { name: "transportDomainLocal", oid: LOCAL },
        Node { name: "transportDomainUdpDns", oid: &[1, 3, 6, 1, 2, 1, 100, 1, 14] },
        Node { name: "transportDomainTcpDns", oid: &[1, 3, 6, 1, 2, 1, 100, 1, 15] },
        Node { name: "transportDomainSctpDns", oid: &[1, 3, 6, 1, 2, 1, 100, 1, 16] },
    ],
    scalars: &[],
    tables: &[],
    notifications: &[],
};

/// SNMP over UDP over IPv4: four octets of address, two of port.
pub const SNMP_UDP_DOMAIN: &[u32] = &[1, 3, 6, 1, 6, 1, 1];
/// UDP over IPv4: four octets of address, two of port.
pub const UDP_IPV4: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 1];
/// UDP over IPv6: sixteen octets of address, two of port.
pub const UDP_IPV6: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 2];
/// UDP over IPv6 with a zone: sixteen octets of address, four of zone, two of port.
pub const UDP_IPV6Z: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 4];
/// UDP to a name: the name, a colon and the port in decimal.
pub const UDP_DNS: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 14];
/// TCP over IPv6 with a zone, as for UDP.
pub const TCP_IPV6Z: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 8];
/// TCP to a name, as for UDP.
pub const TCP_DNS: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 15];
/// A socket of this machine: its path.
pub const LOCAL: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 13];
/// TCP over IPv4: four octets of address, two of port.
pub const TCP_IPV4: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 5];
/// TCP over IPv6: sixteen octets of address, two of port.
pub const TCP_IPV6: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 6];
