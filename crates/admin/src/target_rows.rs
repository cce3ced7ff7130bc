//! Who receives notifications and with which credentials: the active rows of SNMP-TARGET-MIB,
//! SNMP-NOTIFICATION-MIB (RFC 3413) and SNMP-COMMUNITY-MIB (RFC 3584), as plain data.
//!
//! The tables with everything that managers may write into them belong to the provider, which rebuilds
//! [`TargetTables`] from them after each change. The sender of notifications uses [`TargetTables::destinations`];
//! for the community of a security name, for SNMPv1 or SNMPv2c, there is [`TargetTables::community_for`].

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;
use trunkline_config::TlsServer;

use trunkline_snmp::engine::transport::Fingerprint;
use trunkline_transport::Transport;
use trunkline_tree::View;
use trunkline_tree::policy::{AdminString, Origin, SecurityLevel, SecurityModel};

/// The active rows. A value: it is rebuilt and swapped as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetTables {
    /// snmpTargetAddrTable and snmpTargetAddrExtTable, by snmpTargetAddrName.
    pub addresses: BTreeMap<AdminString, TargetAddress>,
    /// snmpTargetParamsTable, by snmpTargetParamsName.
    pub params: BTreeMap<AdminString, TargetParams>,
    /// snmpNotifyTable, by snmpNotifyName.
    pub notify: BTreeMap<AdminString, Notify>,
    /// snmpNotifyFilterProfileTable: the profile of a row of `params`, by snmpTargetParamsName.
    pub profiles: BTreeMap<AdminString, AdminString>,
    /// snmpNotifyFilterTable, by snmpNotifyFilterProfileName.
    pub filters: BTreeMap<AdminString, View>,
    /// snmpCommunityTable, by snmpCommunityIndex.
    pub communities: BTreeMap<AdminString, Community>,
}

/// A row of snmpTargetAddrTable with its part of snmpTargetAddrExtTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetAddress {
    /// snmpTargetAddrTDomain.
    pub transport: Transport,
    /// snmpTargetAddrTAddress.
    pub endpoint: Endpoint,
    /// The user in an SnmpSSHAddress, for the login; `None`: the security name, and with the other transports.
    pub ssh_user: Option<String>,
    /// Its row of snmpTlstmAddrTable; `None`: it has no active one, and the server must match its address.
    pub tls_server: Option<TlsServer>,
    /// snmpTargetAddrTimeout: how long an inform may go unanswered before it is sent again.
    pub timeout: Duration,
    /// snmpTargetAddrRetryCount: how often an inform is sent again, 0 to 255.
    pub retries: u8,
    /// snmpTargetAddrTagList.
    pub tags: Vec<Tag>,
    /// snmpTargetAddrParams.
    pub params: AdminString,
    /// snmpTargetAddrTMask: which bits of a source address must equal this one's; empty: all of them.
    pub mask: Vec<u8>,
    /// snmpTargetAddrMMS: the longest message that it accepts, in octets; 0: unknown.
    pub max_message_size: usize,
    /// The context of its notifications that have none of their own. RFC 3413 has no column for it: it comes from
    /// the configuration, and is empty for rows of managers.
    pub context: AdminString,
    /// Whether the configuration or a manager requests it. What a configured target receives, the operator has
    /// decided there.
    pub origin: Origin,
}

/// Where a target listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// At an address.
    Socket(SocketAddr),
    /// At a host that has to be looked up; also an IPv6 address with a zone.
    Host {
        /// The host's name.
        name: String,
        /// The port.
        port: u16,
    },
}

/// A row of snmpTargetParamsTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetParams {
    /// snmpTargetParamsMPModel.
    pub version: MessageModel,
    /// snmpTargetParamsSecurityModel.
    pub security_model: SecurityModel,
    /// snmpTargetParamsSecurityName.
    pub security_name: AdminString,
    /// snmpTargetParamsSecurityLevel.
    pub level: SecurityLevel,
    /// Its row of snmpTlstmParamsTable: which of our certificates to show over TLS and DTLS; `None`: the agent's own.
    pub client_certificate: Option<Fingerprint>,
}

/// SnmpMessageProcessingModel (RFC 3411), the supported ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageModel {
    /// SNMPv1.
    V1 = 0,
    /// SNMPv2c.
    V2c = 1,
    /// SNMPv3.
    V3 = 3,
}

/// A row of snmpNotifyTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notify {
    /// snmpNotifyTag: targets with this tag receive it.
    pub tag: Tag,
    /// snmpNotifyType.
    pub kind: NotifyType,
}

/// snmpNotifyType.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotifyType {
    /// Sent once.
    Trap = 1,
    /// Sent until it is confirmed.
    Inform = 2,
}

/// A row of snmpCommunityTable.
#[derive(Clone, PartialEq, Eq)]
pub struct Community {
    /// snmpCommunityName: a secret.
    pub name: Vec<u8>,
    /// snmpCommunitySecurityName, 1 to 32 octets.
    pub security_name: AdminString,
    /// snmpCommunityContextEngineID, 5 to 32 octets.
    pub context_engine_id: Vec<u8>,
    /// snmpCommunityContextName.
    pub context: AdminString,
    /// snmpCommunityTransportTag: targets that may use it; empty: any address may.
    pub transport_tag: Tag,
    /// Its origin: only what managers have set is valid for requests here; access for the configuration's
    /// communities has limits that no table shows, and is decided there.
    pub origin: Origin,
}

/// SnmpTagValue: octets without a space or any other delimiter.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(Box<[u8]>);

/// Why octets are not a tag or a list of tags (RFC 3413, SnmpTagValue and SnmpTagList).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TagError {
    /// A tag with a space, tab or line break in it.
    #[error("a tag with a delimiter in it, expected one without spaces, tabs and line breaks")]
    Delimiter,
    /// A list that begins or ends with a delimiter, or has two in a row.
    #[error("an empty tag in a list of tags, expected single delimiters between tags")]
    EmptyTag,
    /// More than 255 octets.
    #[error("{found} octets of tags, expected at most 255")]
    TooLong {
        /// How many octets there are.
        found: usize,
    },
}

/// A target of a notification: what RFC 3413 section 3.3 needs for sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination<'t> {
    /// snmpTargetAddrName.
    pub name: &'t AdminString,
    /// Trap or inform.
    pub kind: NotifyType,
    /// Where to.
    pub address: &'t TargetAddress,
    /// The credentials.
    pub params: &'t TargetParams,
    /// Which notifications; `None`: all of them.
    pub filter: Option<&'t View>,
}

impl TargetTables {
    /// Who receives notifications, in the order of snmpNotifyTable and snmpTargetAddrTable.
    ///
    /// A target that two rows of snmpNotifyTable select occurs twice, as in RFC 3413 section 3.3. Targets without
    /// parameters are left out, and those whose transport cannot authenticate us if the Transport Security Model
    /// requires it.
    pub fn destinations(&self) -> impl Iterator<Item = Destination<'_>> {
        self.notify.values().flat_map(move |notify| {
            let selected = self.addresses.iter().filter(|(_, address)| address.tags.contains(&notify.tag));
            selected.filter_map(|(name, address)| {
                let params = self.params.get(&address.params)?;
                if params.security_model == SecurityModel::TSM && !address.transport.is_secure() {
                    return None;
                }
                let filter = self.filter_of(&address.params);
                Some(Destination { name, kind: notify.kind, address, params, filter })
            })
        })
    }

    /// The filter of a row of snmpTargetParamsTable. A profile without active rows filters nothing
    /// (RFC 3413 section 6).
    fn filter_of(&self, params: &AdminString) -> Option<&View> {
        self.filters.get(self.profiles.get(params)?)
    }

    /// The row whose community stands for a security name in a context (RFC 3584 section 5.2.3), of several the first.
    pub fn community_for(
        &self,
        security_name: &[u8],
        engine_id: &[u8],
        context: &[u8],
    ) -> Option<&Community> {
        self.communities.values().find(|row| {
            row.security_name.octets() == security_name
                && row.context_engine_id == engine_id
                && row.context.octets() == context
        })
    }

    /// The row of a manager for a message with this community from this address (RFC 3584 section 5.2.1), of several
    /// the first.
    pub fn community_of(&self, community: &[u8], peer: SocketAddr) -> Option<&Community> {
        let mut set = self.communities.values().filter(|row| row.origin == Origin::Set);
        set.find(|row| row.name == community && self.may_use(row, peer))
    }

    /// Whether a community may be used from this address: it has no transport tag, or a target with that tag has
    /// the address, as far as its mask requires.
    fn may_use(&self, community: &Community, peer: SocketAddr) -> bool {
        let tag = &community.transport_tag;
        let of_target = |target: &TargetAddress| target.tags.contains(tag) && target.covers(peer);
        tag.is_empty() || self.addresses.values().any(of_target)
    }
}

impl TargetAddress {
    /// Whether an address equals this one's where snmpTargetAddrTMask has ones; a port of 0 matches any. Those of
    /// TLS, DTLS and SSH match none: they are text, to which a mask does not apply, and there are no communities
    /// there.
    pub fn covers(&self, peer: SocketAddr) -> bool {
        let Endpoint::Socket(address) = self.endpoint else { return false };
        if self.transport.is_secure() {
            return false;
        }
        let (own, theirs) = (transport_address(address), transport_address(peer));
        let ports = own.len() - 2;
        let matches = |at: usize| {
            let mask = match self.mask.get(at) {
                Some(mask) => *mask,
                // RFC 3584: an empty mask is all ones. A port of 0 is never a real one.
                None if at >= ports && address.port() == 0 => 0,
                None => 0xff,
            };
            own[at] & mask == theirs[at] & mask
        };
        own.len() == theirs.len() && (0..own.len()).all(matches)
    }
}

impl Endpoint {
    /// The address or the name of the host; IPv6 without brackets.
    pub fn host(&self) -> String {
        match self {
            Endpoint::Socket(SocketAddr::V6(address)) if address.scope_id() != 0 => {
                format!("{}%{}", address.ip(), address.scope_id())
            }
            Endpoint::Socket(address) => address.ip().to_string(),
            Endpoint::Host { name, .. } => name.clone(),
        }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        match self {
            Endpoint::Socket(address) => address.port(),
            Endpoint::Host { port, .. } => *port,
        }
    }
}

/// An address as octets in network order followed by the port, as in TAddress (RFC 3417 section 3, RFC 3419).
pub fn transport_address(address: SocketAddr) -> Vec<u8> {
    let mut octets = match address.ip().to_canonical() {
        std::net::IpAddr::V4(ip) => ip.octets().to_vec(),
        std::net::IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    octets.extend(address.port().to_be_bytes());
    octets
}

/// The address of octets in TAddress's form: 6 octets (IPv4) or 18 (IPv6).
pub fn socket_address(octets: &[u8]) -> Option<SocketAddr> {
    let (ip, port) = octets.split_last_chunk::<2>()?;
    let port = u16::from_be_bytes(*port);
    if let Ok(ip) = <[u8; 4]>::try_from(ip) {
        return Some(SocketAddr::from((ip, port)));
    }
    <[u8; 16]>::try_from(ip).ok().map(|ip| SocketAddr::from((ip, port)))
}

impl MessageModel {
    /// By its number in RFC 3411.
    pub fn from_number(number: i32) -> Option<Self> {
        [MessageModel::V1, MessageModel::V2c, MessageModel::V3]
            .into_iter()
            .find(|model| *model as i32 == number)
    }
}

impl NotifyType {
    /// By its number in snmpNotifyType.
    pub fn from_number(number: i32) -> Option<Self> {
        [NotifyType::Trap, NotifyType::Inform].into_iter().find(|kind| *kind as i32 == number)
    }
}

impl Tag {
    /// A tag of these octets.
    ///
    /// # Errors
    /// A delimiter in it, or more than 255 octets.
    pub fn new(octets: &[u8]) -> Result<Self, TagError> {
        match octets {
            _ if octets.len() > MAX_TAGS => Err(TagError::TooLong { found: octets.len() }),
            _ if octets.iter().any(is_delimiter) => Err(TagError::Delimiter),
            _ => Ok(Tag(octets.into())),
        }
    }

    /// The tags of a list.
    ///
    /// # Errors
    /// Delimiters in the wrong places, or more than 255 octets.
    pub fn list(octets: &[u8]) -> Result<Vec<Self>, TagError> {
        if octets.is_empty() {
            return Ok(Vec::new());
        }
        if octets.len() > MAX_TAGS {
            return Err(TagError::TooLong { found: octets.len() });
        }
        let tag = |octets: &[u8]| if octets.is_empty() { Err(TagError::EmptyTag) } else { Tag::new(octets) };
        octets.split(is_delimiter).map(tag).collect()
    }

    /// The octets.
    pub fn octets(&self) -> &[u8] {
        &self.0
    }

    /// Whether it is the empty tag, which selects nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The most octets of a tag and of a list of tags.
const MAX_TAGS: usize = 255;

/// The delimiters of SnmpTagList: space, tab, carriage return, line feed.
fn is_delimiter(octet: &u8) -> bool {
    matches!(octet, b' ' | b'\t' | b'\r' | b'\n')
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(&self.0), f)
    }
}

impl fmt::Debug for Community {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Community")
            .field("name", &"<secret>")
            .field("security_name", &self.security_name)
            .field("context", &self.context)
            .field("transport_tag", &self.transport_tag)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> AdminString {
        AdminString::try_from(text).unwrap()
    }

    fn tables() -> TargetTables {
        let mut tables = TargetTables::default();
        let address = |port, tags: &[u8], params: &str| TargetAddress {
            transport: Transport::Udp,
            endpoint: Endpoint::Socket(SocketAddr::from(([192, 0, 2, 1], port))),
            ssh_user: None,
            tls_server: None,
            timeout: Duration::from_secs(15),
            retries: 3,
            tags: Tag::list(tags).unwrap(),
            params: name(params),
            mask: Vec::new(),
            max_message_size: 0,
            context: AdminString::default(),
            origin: Origin::Set,
        };
        tables.addresses.insert(name("a"), address(162, b"traps informs", "v2c"));
        tables.addresses.insert(name("b"), address(163, b"informs", "gone"));
        tables.addresses.insert(name("c"), address(164, b"other", "v2c"));
        let params = TargetParams {
            version: MessageModel::V2c,
            security_model: SecurityModel::V2C,
            security_name: name("who"),
            level: SecurityLevel::NoAuthNoPriv,
            client_certificate: None,
        };
        tables.params.insert(name("v2c"), params);
        for (row, tag, kind) in [("1", "traps", NotifyType::Trap), ("2", "informs", NotifyType::Inform)] {
            tables.notify.insert(name(row), Notify { tag: Tag::new(tag.as_bytes()).unwrap(), kind });
        }
        tables
    }

    #[test]
    fn destinations_have_the_tag_and_parameters() {
        let mut tables = tables();
        let found: Vec<_> = tables.destinations().map(|to| (to.name.to_string(), to.kind)).collect();
        assert_eq!(found, [("a".into(), NotifyType::Trap), ("a".into(), NotifyType::Inform)]);
        assert!(tables.destinations().all(|to| to.filter.is_none()));
        tables.profiles.insert(name("v2c"), name("profile"));
        assert!(tables.destinations().all(|to| to.filter.is_none()), "a profile without rows");
        tables.filters.insert(name("profile"), View::everything());
        assert!(tables.destinations().all(|to| to.filter == Some(&View::everything())));
    }

    #[test]
    fn the_transport_security_model_wants_a_secure_transport() {
        let mut tables = tables();
        tables.params.insert(
            name("v2c"),
            TargetParams {
                version: MessageModel::V3,
                security_model: SecurityModel::TSM,
                security_name: name("who"),
                level: SecurityLevel::AuthPriv,
                client_certificate: None,
            },
        );
        assert_eq!(tables.destinations().count(), 0);
        for transport in [Transport::Tls, Transport::Dtls, Transport::Ssh] {
            tables.addresses.get_mut(&name("a")).unwrap().transport = transport;
            assert_eq!(tables.destinations().count(), 2, "{transport:?}");
            assert!(!tables.addresses[&name("a")].covers(SocketAddr::from(([192, 0, 2, 1], 162))));
        }
    }

    #[test]
    fn a_community_with_a_tag_is_for_its_targets_alone() {
        let mut tables = tables();
        let community = |tag: &[u8]| Community {
            name: b"hidden".to_vec(),
            security_name: name("who"),
            context_engine_id: vec![0x80; 5],
            context: name(""),
            transport_tag: Tag::new(tag).unwrap(),
            origin: Origin::Set,
        };
        tables.communities.insert(name("1"), community(b"traps"));
        let from = |ip, port| SocketAddr::from((ip, port));
        assert!(tables.community_of(b"hidden", from([192, 0, 2, 1], 162)).is_some());
        assert!(tables.community_of(b"hidden", from([192, 0, 2, 1], 9)).is_none());
        assert!(tables.community_of(b"other", from([192, 0, 2, 1], 162)).is_none());
        if let Some(address) = tables.addresses.get_mut(&name("a")) {
            address.mask = vec![255, 255, 255, 0, 0, 0];
        }
        assert!(tables.community_of(b"hidden", from([192, 0, 2, 99], 9)).is_some());
        assert!(tables.community_of(b"hidden", from([192, 0, 3, 1], 162)).is_none());
        assert!(tables.community_for(b"who", &[0x80; 5], b"").is_some());
        assert!(tables.community_for(b"who", &[0x80; 5], b"lab").is_none());
        assert!(!format!("{tables:?}").contains("hidden"));
    }

    #[test]
    fn tags_and_addresses_are_read() {
        assert_eq!(Tag::list(b"a b\tc").unwrap().len(), 3);
        assert_eq!(Tag::list(b"a  b"), Err(TagError::EmptyTag));
        assert_eq!(Tag::list(b" a"), Err(TagError::EmptyTag));
        assert_eq!(Tag::new(b"a b"), Err(TagError::Delimiter));
        assert_eq!(Tag::new(&[b'x'; 256]), Err(TagError::TooLong { found: 256 }));
        for text in ["192.0.2.1:162", "[2001:db8::1]:65535"] {
            let address: SocketAddr = text.parse().unwrap();
            assert_eq!(socket_address(&transport_address(address)), Some(address));
        }
        assert_eq!(socket_address(&[1, 2, 3]), None);
    }
}
