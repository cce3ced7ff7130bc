//! Textual conventions: the modules that define them, and those that YANG has types of its own for.

use trunkline_smi::module::ALL;
use trunkline_smi::schema::{Syntax, Table};

/// Where a convention stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// A type of `ietf-yang-types`, or a built-in one (RFC 6643 section 2).
    Yang(&'static str),
    /// A typedef in the module of its SMIv2 module.
    Module(&'static str),
}

/// The convention's home; `None` of what has none: a base type by another name, and TruthValue, which is `boolean`.
pub fn home(convention: &str) -> Option<Home> {
    HOMES.iter().find(|(name, _)| *name == convention).map(|(_, home)| *home)
}

/// The conventions that a module defines, each with the widest syntax in which it is used.
pub fn defined_by(module: &'static str) -> Vec<Syntax> {
    let names = HOMES.iter().filter(|(_, home)| *home == Home::Module(module)).map(|(name, _)| *name);
    names.filter_map(widest).collect()
}

/// The widest syntax in which a convention is used anywhere.
pub fn widest(convention: &str) -> Option<Syntax> {
    let mut found: Option<Syntax> = None;
    for syntax in syntaxes().filter(|it| it.convention == convention) {
        let widest = found.get_or_insert(syntax);
        widest.min = widest.min.min(syntax.min);
        widest.max = widest.max.max(syntax.max);
    }
    found
}

/// Modules that define conventions and no objects that the agent serves.
pub fn modules_of_conventions() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&'static str> = HOMES
        .iter()
        .filter_map(|(_, home)| match home {
            Home::Module(name) => Some(*name),
            Home::Yang(_) => None,
        })
        .filter(|name| ALL.iter().all(|module| module.name != *name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter()
}

fn syntaxes() -> impl Iterator<Item = Syntax> {
    let of_table = |table: &'static Table| {
        let columns = table.columns.iter().map(|it| it.syntax);
        columns.chain(table.index.iter().map(|it| it.syntax))
    };
    ALL.iter().flat_map(move |module| {
        module.scalars.iter().map(|it| it.syntax).chain(module.tables.iter().flat_map(of_table))
    })
}

const TC: Home = Home::Module("SNMPv2-TC");
const FRAMEWORK: Home = Home::Module("SNMP-FRAMEWORK-MIB");
const INET: Home = Home::Module("INET-ADDRESS-MIB");
const IP: Home = Home::Module("IP-MIB");
const IF: Home = Home::Module("IF-MIB");
const HOST: Home = Home::Module("HOST-RESOURCES-MIB");
const TARGET: Home = Home::Module("SNMP-TARGET-MIB");
const TLS: Home = Home::Module("SNMP-TLS-TM-MIB");
const BRIDGE: Home = Home::Module("BRIDGE-MIB");
const Q_BRIDGE: Home = Home::Module("Q-BRIDGE-MIB");
const UCD: Home = Home::Module("UCD-SNMP-MIB");

/// All conventions of the schema, and their homes.
const HOMES: &[(&str, Home)] = &[
    ("AgentxTAddress", Home::Module("AGENTX-MIB")),
    ("AutonomousType", TC),
    ("BridgeId", BRIDGE),
    ("CounterBasedGauge64", Home::Module("HCNUM-TC")),
    ("DateAndTime", TC),
    ("DisplayString", TC),
    ("EnabledStatus", Home::Module("P-BRIDGE-MIB")),
    ("FailureReason", Home::Module("DISMAN-EVENT-MIB")),
    ("Float", UCD),
    ("IANAPhysicalClass", Home::Module("IANA-ENTITY-MIB")),
    ("IANAifType", Home::Module("IANAifType-MIB")),
    ("IANAipRouteProtocol", Home::Module("IANA-RTPROTO-MIB")),
    ("InetAddress", INET),
    ("InetAddressPrefixLength", INET),
    ("InetAddressType", INET),
    ("InetAutonomousSystemNumber", INET),
    ("InetPortNumber", INET),
    ("InetVersion", INET),
    ("InetZoneIndex", INET),
    ("InterfaceIndex", IF),
    ("InterfaceIndexOrZero", IF),
    ("InternationalDisplayString", HOST),
    ("IpAddressOriginTC", IP),
    ("IpAddressPrefixOriginTC", IP),
    ("IpAddressStatusTC", IP),
    ("Ipv6AddressIfIdentifierTC", IP),
    ("KBytes", HOST),
    ("KeyChange", Home::Module("SNMP-USER-BASED-SM-MIB")),
    ("MacAddress", Home::Yang("yang:mac-address")),
    ("PhysAddress", Home::Yang("yang:phys-address")),
    ("PhysicalIndex", Home::Module("ENTITY-MIB")),
    ("PhysicalIndexOrZero", Home::Module("ENTITY-MIB")),
    ("PortList", Q_BRIDGE),
    ("ProductID", HOST),
    ("RowPointer", TC),
    ("RowStatus", TC),
    ("SnmpAdminString", FRAMEWORK),
    ("SnmpEngineID", FRAMEWORK),
    ("SnmpMessageProcessingModel", FRAMEWORK),
    ("SnmpSSHAddress", Home::Module("SNMP-SSH-TM-MIB")),
    ("SnmpSecurityLevel", FRAMEWORK),
    ("SnmpSecurityModel", FRAMEWORK),
    ("SnmpTLSAddress", TLS),
    ("SnmpTLSFingerprint", TLS),
    ("SnmpTagList", TARGET),
    ("SnmpTagValue", TARGET),
    ("StorageType", TC),
    ("TAddress", TC),
    ("TDomain", TC),
    ("TcpEStatsNegotiated", Home::Module("TCP-ESTATS-MIB")),
    ("TestAndIncr", TC),
    ("TimeInterval", TC),
    ("TimeStamp", Home::Yang("yang:timestamp")),
    ("Timeout", BRIDGE),
    ("UCDErrorFix", UCD),
    ("UCDErrorFlag", UCD),
    ("VlanId", Q_BRIDGE),
    ("VlanIndex", Q_BRIDGE),
    ("ZeroBasedCounter32", Home::Yang("yang:zero-based-counter32")),
    ("ZeroBasedCounter64", Home::Yang("yang:zero-based-counter64")),
];
