//! What the kernel takes from an interface that goes down, its IPv6 addresses and its routes, to be put back if that is undone.

use std::net::IpAddr;

use trunkline_tree::SourceError;

use trunkline_source::netlink::address::{self, Address, IFAPROT_KERNEL_LL};
use trunkline_source::netlink::route::{self, RT_TABLE_LOCAL, RTPROT_KERNEL, Route};
use trunkline_source::netlink::{Dump, Netlink};

/// Addresses and routes, as the kernel has reported them.
#[derive(Debug, Default)]
pub(crate) struct Lost(Vec<(u16, Vec<u8>)>);

impl Lost {
    /// What an interface would lose. The kernel itself makes some of it again: link-local addresses, and routes to its networks.
    pub fn of(netlink: &mut Netlink, interface: u32) -> Result<Lost, SourceError> {
        let mut found = netlink.collect(Dump::Addresses, Vec::new, |all, message| {
            let address = Address::parse(message);
            let is_lost = |it: &Address| {
                let IpAddr::V6(local) = it.local else { return false };
                it.interface == interface
                    && it.protocol != IFAPROT_KERNEL_LL
                    && !local.is_unicast_link_local()
            };
            if address.as_ref().is_some_and(is_lost) {
                all.push((address::RTM_NEWADDR, message.body.to_vec()));
            }
        })?;
        let routes = netlink.collect(Dump::Routes, Vec::new, |all, message| {
            let Some(route) = Route::parse(message) else { return };
            let mut hops = route.next_hops();
            // Routes that expire come from routers, which announce them again.
            let is_lost =
                route.table != RT_TABLE_LOCAL && route.protocol != RTPROT_KERNEL && route.expires == 0;
            let hop = hops.next().filter(|hop| hop.interface == interface);
            if let (true, Some(hop), None) = (is_lost, hop, hops.next()) {
                all.push((hop.gateway.is_some(), route::again(message.body)));
            }
        })?;
        // A gateway is reached through a route that has none.
        let (far, near): (Vec<_>, Vec<_>) = routes.into_iter().partition(|(has_gateway, _)| *has_gateway);
        found.extend(near.into_iter().chain(far).map(|(_, body)| (route::RTM_NEWROUTE, body)));
        Ok(Lost(found))
    }

    /// Adds what another interface would lose.
    pub fn add(&mut self, other: Lost) {
        self.0.extend(other.0);
    }

    /// Puts back what is not there; what the kernel refuses is logged.
    pub fn put_back(&mut self, netlink: &mut Netlink) {
        for (kind, body) in std::mem::take(&mut self.0) {
            match netlink.create(kind, &body) {
                Ok(()) => {}
                Err(error) if error.raw_os_error() == Some(rustix::io::Errno::EXIST.raw_os_error()) => {}
                Err(error) => {
                    let what = if kind == route::RTM_NEWROUTE { "a route" } else { "an address" };
                    tracing::warn!(%error, "{what} of an interface that was down for a moment is lost");
                }
            }
        }
    }
}
