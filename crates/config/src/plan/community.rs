//! Communities: `[[snmp.community]]`.

use std::fmt;
use std::net::IpAddr;

use serde_spanned::Spanned;
use trunkline_tree::View;
use trunkline_tree::policy::{SecurityLevel, SecurityModel};

use super::role::{RolePlan, check_given};
use super::security::check_context;
use super::value::Checked;
use super::view::{ViewPlan, ViewRef, check_ref};
use crate::{Place, raw};

/// A community and its access.
#[derive(Clone, PartialEq, Eq)]
pub struct CommunityPlan {
    /// The community's name: a secret.
    pub name: Vec<u8>,
    /// Its access.
    pub rights: Rights,
    /// What may be read; empty with a role.
    pub read: View,
    /// What may be written; empty with a role.
    pub write: View,
    /// The context of its requests (RFC 3584, snmpCommunityContextName).
    pub context: String,
    /// From where; empty: from anywhere.
    pub sources: Vec<Network>,
}

/// The access of a community.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rights {
    /// As the role says.
    Role(String),
    /// Reading the objects in a view, and writing them if `write` is set.
    View {
        /// The view.
        view: ViewRef,
        /// Whether writing is allowed.
        write: bool,
    },
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
    /// Whether the range is excluded.
    excluded: bool,
}

impl CommunityPlan {
    /// A community that may read everything, from anywhere.
    pub fn reader(name: &str) -> Self {
        CommunityPlan {
            name: name.as_bytes().to_vec(),
            rights: Rights::View { view: everything(), write: false },
            read: View::everything(),
            write: View::NOTHING,
            context: String::new(),
            sources: Vec::new(),
        }
    }

    /// Whether the community may write anything, apart from a role.
    pub fn may_write(&self) -> bool {
        self.write != View::NOTHING
    }

    /// Whether the community may be used from this address: not in an excluded range, and in one of the others if
    /// there are any.
    pub fn may_come_from(&self, peer: IpAddr) -> bool {
        let (out, within): (Vec<&Network>, Vec<&Network>) =
            self.sources.iter().partition(|network| network.excluded);
        !out.iter().any(|network| network.contains(peer))
            && (within.is_empty() || within.iter().any(|network| network.contains(peer)))
    }
}

impl std::fmt::Debug for CommunityPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut f = f.debug_struct("CommunityPlan");
        f.field("name", &"<secret>").field("rights", &self.rights).field("context", &self.context);
        f.field("sources", &self.sources).finish_non_exhaustive()
    }
}

impl Network {
    /// Whether an address is in the range; an IPv4 address mapped into IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        let bits = |address: IpAddr| match address.to_canonical() {
            IpAddr::V4(v4) => (u128::from(u32::from(v4)) << 96, 4),
            IpAddr::V6(v6) => (u128::from(v6), 6),
        };
        let ((own, own_family), (other, other_family)) = (bits(self.address), bits(address));
        let shift = 128 - u32::from(self.prefix);
        own_family == other_family && (own ^ other).checked_shr(shift).unwrap_or(0) == 0
    }

    /// How many bits of it are the network's.
    pub fn prefix(&self) -> u8 {
        self.prefix
    }

    /// Whether the range is excluded.
    pub fn excluded(&self) -> bool {
        self.excluded
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (excluded, range) = text.strip_prefix('!').map_or((false, text), |range| (true, range));
        let (address, prefix) = range.split_once('/').map_or((range, None), |(a, p)| (a, Some(p)));
        let address: IpAddr = address.parse().map_err(|_| {
            format!(
                "{address:?} is not an address; expected an address or a network such as \"192.0.2.0/24\""
            )
        })?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => most,
            Some(text) => text
                .parse::<u8>()
                .ok()
                .filter(|prefix| *prefix <= most)
                .ok_or_else(|| format!("prefix length {text:?} is not in 0 to {most}"))?,
        };
        Ok(Network { address, prefix, excluded })
    }
}

pub(super) fn check_communities(
    list: Vec<raw::Community>,
    views: &[ViewPlan],
    roles: &[RolePlan],
    place: Place<'_>,
) -> Checked<Vec<CommunityPlan>> {
    let mut communities: Vec<CommunityPlan> = Vec::new();
    for raw in list {
        let span = raw.name.span();
        let community = check_community(raw, views, roles, place)?;
        // Without sources, or with the same ones, the second entry could never be reached.
        let reachable = |known: &CommunityPlan| {
            known.name != community.name || !known.sources.is_empty() && known.sources != community.sources
        };
        if !communities.iter().all(reachable) {
            let message = "this community is listed twice; only the first one would be used".into();
            return Err(place.wrong(span, message));
        }
        communities.push(community);
    }
    Ok(communities)
}

fn check_community(
    raw: raw::Community,
    views: &[ViewPlan],
    roles: &[RolePlan],
    place: Place<'_>,
) -> Checked<CommunityPlan> {
    let name = check_name(&raw.name, place)?;
    let rights = match (raw.access, raw.role) {
        (None, None) => {
            let message = "expected access = \"read\" or \"write\", or role = the name of a [[role]]".into();
            return Err(place.wrong(raw.name.span(), message));
        }
        (Some(access), Some(_)) => {
            let message = "a community has either an access or a role, not both".into();
            return Err(place.wrong(access.span(), message));
        }
        (None, role) => check_role(role, raw.view, roles, place)?,
        (Some(access), None) => {
            let write = check_access(&access, place)?;
            let view = raw.view.map_or_else(|| Ok(everything()), |view| check_ref(view, views, place))?;
            Rights::View { view, write }
        }
    };
    let (read, write) = match &rights {
        Rights::Role(_) => (View::NOTHING, View::NOTHING),
        Rights::View { view, write } => {
            let view = view.subtrees(views)?;
            (view.clone(), if *write { view } else { View::NOTHING })
        }
    };
    let sources = check_networks(raw.sources, place)?;
    let context = check_context(raw.context, place)?;
    Ok(CommunityPlan { name, rights, read, write, context, sources })
}

/// Ranges of addresses; none by default.
pub(super) fn check_networks(list: Option<Vec<Spanned<String>>>, place: Place<'_>) -> Checked<Vec<Network>> {
    let network = |text: Spanned<String>| {
        Network::parse(text.get_ref()).map_err(|message| place.wrong(text.span(), message))
    };
    list.unwrap_or_default().into_iter().map(network).collect()
}

/// 1 to 255 octets; the message does not show them.
pub(super) fn check_name(name: &Spanned<raw::Secret>, place: Place<'_>) -> Checked<Vec<u8>> {
    let octets = name.get_ref().0.as_bytes();
    if octets.is_empty() || octets.len() > 255 {
        let found =
            if octets.is_empty() { "is empty".into() } else { format!("has {} octets", octets.len()) };
        return Err(place.wrong(name.span(), format!("the name {found}, expected 1 to 255 octets")));
    }
    Ok(octets.to_vec())
}

fn check_access(access: &Spanned<String>, place: Place<'_>) -> Checked<bool> {
    match access.get_ref().as_str() {
        "read" => Ok(false),
        "write" => Ok(true),
        other => {
            let message = format!("unknown access {other:?}, expected \"read\" or \"write\"");
            Err(place.wrong(access.span(), message))
        }
    }
}

fn check_role(
    role: Option<Spanned<raw::RoleNames>>,
    view: Option<Spanned<raw::Rules>>,
    roles: &[RolePlan],
    place: Place<'_>,
) -> Checked<Rights> {
    if let Some(view) = view {
        let message = "the role determines what the community sees; use view only with access".into();
        return Err(place.wrong(view.span(), message));
    }
    let models = [SecurityModel::V1, SecurityModel::V2C];
    let role = check_given(role, roles, "a community", SecurityLevel::NoAuthNoPriv, &models, place)?;
    Ok(Rights::Role(role.unwrap_or_default()))
}

fn everything() -> ViewRef {
    ViewRef::Rules(View::everything().into())
}

/// The name of a community: a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct CommunityName(pub Vec<u8>);

impl CommunityName {
    /// As it is written.
    pub(super) fn of(name: &Spanned<raw::Secret>) -> Self {
        CommunityName(name.get_ref().0.clone().into_bytes())
    }

    /// The same with where it is written.
    pub(super) fn spanned(name: &Spanned<raw::Secret>) -> Spanned<Self> {
        Spanned::new(name.span(), CommunityName::of(name))
    }
}

impl fmt::Debug for CommunityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CommunityName(<secret>)")
    }
}

/// The communities of doors for clients that show nothing, by the protocol of the door.
pub(super) fn of_doors(
    netconf: Option<&raw::Netconf>,
    jmx: Option<&raw::Jmx>,
) -> [(&'static str, Option<Spanned<CommunityName>>); 2] {
    let of_netconf = netconf.and_then(|it| it.community.as_ref());
    let of_jmx = jmx.and_then(|it| it.community.as_ref());
    [("NETCONF", of_netconf), ("JMX", of_jmx)]
        .map(|(protocol, name)| (protocol, name.map(CommunityName::spanned)))
}

/// Whether the community of unprotected sessions is there, and of the default context, which is all that the protocol serves.
pub(super) fn check_community_of(
    protocol: &str,
    name: Option<Spanned<CommunityName>>,
    communities: &[CommunityPlan],
    place: Place<'_>,
) -> Checked<()> {
    let Some(name) = name else { return Ok(()) };
    let mut of_name = communities.iter().filter(|it| it.name == name.get_ref().0).peekable();
    if of_name.peek().is_none() {
        return Err(place.wrong(name.span(), "expected the name of a [[snmp.community]]".into()));
    }
    match of_name.find(|it| !it.context.is_empty()) {
        Some(_) => {
            let message = format!("{protocol} serves the default context, this community another");
            Err(place.wrong(name.span(), message))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_their_addresses() {
        let inside = |network: &str, address: &str| {
            Network::parse(network).unwrap().contains(address.parse().unwrap())
        };
        assert!(inside("10.0.0.0/8", "10.255.0.1"));
        assert!(!inside("10.0.0.0/8", "11.0.0.1"));
        assert!(inside("0.0.0.0/0", "192.0.2.1"));
        assert!(!inside("0.0.0.0/0", "2001:db8::1"));
        assert!(inside("127.0.0.1", "127.0.0.1"));
        assert!(inside("10.0.0.0/8", "::ffff:10.1.2.3"));
        assert!(inside("2001:db8::/32", "2001:db8:5::1"));
        assert!(!inside("2001:db8::/32", "2001:db9::1"));
    }

    #[test]
    fn ranges_can_be_taken_out() {
        let community = |sources: &[&str]| CommunityPlan {
            sources: sources.iter().map(|text| Network::parse(text).unwrap()).collect(),
            ..CommunityPlan::reader("c")
        };
        let comes = |sources: &[&str], peer: &str| community(sources).may_come_from(peer.parse().unwrap());
        assert!(comes(&["!10.10.10.0/24", "10.0.0.0/8"], "10.1.1.1"));
        assert!(!comes(&["!10.10.10.0/24", "10.0.0.0/8"], "10.10.10.1"));
        assert!(!comes(&["!10.10.10.0/24", "10.0.0.0/8"], "11.0.0.1"));
        assert!(comes(&["!10.10.10.0/24"], "11.0.0.1"));
    }
}
