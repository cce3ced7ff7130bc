//! Changes of static routes, checked here, applied to the kernel in the commit, taken back in the undo.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use rustix::io::Errno;
use trunkline_tree::{SetCheck, SetError, SetTransaction, SourceError};

use crate::HostOptions;
use crate::interfaces_set::{can_be_name, permitted, refusal};
use crate::steps::{Done, Steps};
use trunkline_source::netlink::route::{
    self, NextHop, RT_TABLE_MAIN, RTN_BLACKHOLE, RTN_PROHIBIT, RTN_UNICAST, RTN_UNREACHABLE, RTPROT_STATIC,
    Route,
};
use trunkline_source::netlink::{Dump, Netlink};

/// A static route of the main table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StaticRoute {
    /// Where it leads to.
    pub destination: IpAddr,
    /// Bits of that.
    pub prefix_length: u8,
    /// Where it leads through.
    pub next: StaticHop,
}

/// Where a static route leads through.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StaticHop {
    /// A router, an interface, or both.
    To {
        /// The router.
        gateway: Option<IpAddr>,
        /// The name of the interface.
        interface: Option<String>,
    },
    /// Nowhere, in silence.
    Blackhole,
    /// Nowhere, and the sender hears that.
    Unreachable,
    /// Nowhere, and the sender hears that it is prohibited.
    Prohibit,
}

/// An interface that is configured, there or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Its name.
    pub name: String,
    /// The addresses that it is to have, with the lengths of their prefixes.
    pub addresses: Vec<(IpAddr, u8)>,
}

impl HostOptions {
    /// Prepares a change of static routes, all of which come or go. Errors name the position of one of them. A route whose interface is
    /// `expected` and not there is left out, and so is one that the kernel refuses because its next hop is in a network of such an interface.
    ///
    /// # Errors
    /// There is no such interface, a next hop cannot be one, or the process may not change routes.
    pub fn prepare_routes(
        &self,
        wanted: &[StaticRoute],
        are_new: bool,
        expected: &Arc<[Expected]>,
    ) -> Result<Box<dyn SetTransaction>, SetError> {
        permitted().map_err(|reason| refusal(0, SetCheck::ResourceUnavailable, reason))?;
        let mut netlink = self.root.netlink();
        let mut steps = Vec::new();
        for (binding, route) in wanted.iter().enumerate() {
            match KernelRoute::of(route, &mut netlink) {
                Ok(kernel) => steps.push(Step { binding, name: name(route), kernel, after: are_new }),
                // What went with its interface is not there any more, and what is to come may come with it.
                Err((SetCheck::NoCreation, _)) if is_expected(route, expected) => {}
                Err(_) if !are_new => {}
                Err((check, reason)) => {
                    return Err(refusal(binding, check, format!("{}: {reason}", name(route))));
                }
            }
        }
        let expected = expected.clone();
        Ok(Box::new(Transaction { netlink, steps: Steps::new(steps), expected }))
    }

    /// Puts back static routes that the kernel has dropped: it does so when an interface goes down or loses its addresses. A route that
    /// cannot be there now is left out.
    pub fn keep_routes(&self, wanted: &[StaticRoute]) {
        if wanted.is_empty() {
            return;
        }
        let mut netlink = self.root.netlink();
        let Ok(present) = Routes::read(&mut netlink) else { return };
        for route in wanted {
            let Ok(kernel) = KernelRoute::of(route, &mut netlink) else { continue };
            if !present.contains(&kernel)
                && let Err(error) = netlink.create(route::RTM_NEWROUTE, &kernel.body())
            {
                tracing::info!(route = name(route), %error, "a static route is not in force");
            }
        }
    }
}

/// A route as the kernel has it.
#[derive(Debug, PartialEq, Eq)]
struct KernelRoute {
    destination: IpAddr,
    prefix_length: u8,
    kind: u8,
    gateway: Option<IpAddr>,
    /// 0: the one that leads to the gateway.
    interface: u32,
}

impl KernelRoute {
    fn of(route: &StaticRoute, netlink: &mut Netlink) -> Result<KernelRoute, (SetCheck, String)> {
        let (kind, gateway, interface) = match &route.next {
            StaticHop::To { gateway, interface } => (RTN_UNICAST, *gateway, interface.as_deref()),
            StaticHop::Blackhole => (RTN_BLACKHOLE, None, None),
            StaticHop::Unreachable => (RTN_UNREACHABLE, None, None),
            StaticHop::Prohibit => (RTN_PROHIBIT, None, None),
        };
        let mut index = |name: &str| {
            if !can_be_name(name) {
                let reason = format!("no interface of Linux can have the name {name:?}");
                return Err((SetCheck::WrongValue, reason));
            }
            let found = netlink.link(0, name.as_bytes(), |link| link.index);
            let found = found.map_err(|error| (SetCheck::ResourceUnavailable, error.to_string()))?;
            found.ok_or_else(|| (SetCheck::NoCreation, format!("there is no interface {name} here")))
        };
        let interface = interface.map(&mut index).transpose()?.unwrap_or(0);
        if matches!(gateway, Some(IpAddr::V6(gateway)) if gateway.is_unicast_link_local() && interface == 0) {
            let reason = "a link-local next hop needs its interface";
            return Err((SetCheck::WrongValue, reason.into()));
        }
        let StaticRoute { destination, prefix_length, .. } = *route;
        Ok(KernelRoute { destination, prefix_length, kind, gateway, interface })
    }

    fn body(&self) -> Vec<u8> {
        let hop = NextHop { interface: self.interface, gateway: self.gateway };
        route::body(self.destination, self.prefix_length, self.kind, hop)
    }
}

/// Static routes of the main table.
struct Routes(HashMap<(IpAddr, u8), Vec<KernelRoute>>);

impl Routes {
    fn read(netlink: &mut Netlink) -> Result<Routes, SourceError> {
        netlink.collect(
            Dump::Routes,
            || Routes(HashMap::new()),
            |routes, message| {
                let route = Route::parse(message);
                let is_ours = |it: &Route<'_>| it.table == RT_TABLE_MAIN && it.protocol == RTPROT_STATIC;
                let Some(route) = route.filter(is_ours) else { return };
                let mut hops = route.next_hops();
                // One with several next hops is of somebody else.
                if let (Some(hop), None) = (hops.next(), hops.next()) {
                    let Route { destination, prefix_length, kind, .. } = route;
                    let NextHop { interface, gateway } = hop;
                    let known = KernelRoute { destination, prefix_length, kind, gateway, interface };
                    routes.0.entry((destination, prefix_length)).or_default().push(known);
                }
            },
        )
    }

    fn contains(&self, route: &KernelRoute) -> bool {
        let of_destination = self.0.get(&(route.destination, route.prefix_length));
        of_destination.into_iter().flatten().any(|known| {
            known.kind == route.kind
                && known.gateway == route.gateway
                && (route.interface == 0 || known.interface == route.interface)
        })
    }
}

struct Step {
    binding: usize,
    name: String,
    kernel: KernelRoute,
    /// Whether it is to be there.
    after: bool,
}

struct Transaction {
    netlink: Netlink,
    steps: Steps<Step>,
    /// The interfaces that are configured.
    expected: Arc<[Expected]>,
}

fn is_expected(route: &StaticRoute, expected: &[Expected]) -> bool {
    let StaticHop::To { interface: Some(name), .. } = &route.next else { return false };
    expected.iter().any(|it| it.name == *name)
}

/// Whether a next hop is in a network of an interface that is not there.
fn waits(gateway: Option<IpAddr>, expected: &[Expected], netlink: &mut Netlink) -> bool {
    let Some(gateway) = gateway else { return false };
    let has = |it: &&Expected| it.addresses.iter().any(|(own, length)| is_within(gateway, *own, *length));
    expected.iter().filter(has).any(|it| {
        let found = netlink.link(0, it.name.as_bytes(), |link| link.index);
        found.is_ok_and(|found| found.is_none())
    })
}

fn is_within(address: IpAddr, network: IpAddr, length: u8) -> bool {
    let (differ, width) = match (address, network) {
        (IpAddr::V4(one), IpAddr::V4(other)) => (u128::from(one.to_bits() ^ other.to_bits()), 32),
        (IpAddr::V6(one), IpAddr::V6(other)) => (one.to_bits() ^ other.to_bits(), 128),
        _ => return false,
    };
    differ.checked_shr(width - u32::from(length).min(width)).unwrap_or(0) == 0
}

impl Step {
    fn apply(&self, netlink: &mut Netlink, expected: &[Expected], undo: bool) -> Result<Done, SetError> {
        let Step { binding, name, kernel, after } = self;
        let body = kernel.body();
        let (done, otherwise) = match *after != undo {
            true => (netlink.create(route::RTM_NEWROUTE, &body), Errno::EXIST),
            // The kernel itself takes routes away, those of an interface that goes down.
            false => (netlink.change(route::RTM_DELROUTE, &body), Errno::SRCH),
        };
        let error = match done {
            Ok(()) => return Ok(Done::Changed),
            Err(error) => error,
        };
        let is_so = error.raw_os_error() == Some(otherwise.raw_os_error())
            // What is there already may be this route, or another one to the same destination.
            && (otherwise == Errno::SRCH || Routes::read(netlink).is_ok_and(|present| present.contains(kernel)));
        match is_so || (is_unreachable(&error) && waits(kernel.gateway, expected, netlink)) {
            true => Ok(Done::WasSo),
            false => Err(refusal(*binding, SetCheck::CommitFailed, format!("{name}: {}", explain(&error)))),
        }
    }
}

impl SetTransaction for Transaction {
    fn commit(&mut self) -> Result<(), SetError> {
        let Transaction { netlink, steps, expected } = self;
        steps.commit(|step| step.apply(netlink, expected, false))
    }

    fn undo(&mut self) -> Result<(), SetError> {
        let Transaction { netlink, steps, expected } = self;
        steps.undo(|step| step.apply(netlink, expected, true))
    }
}

fn name(route: &StaticRoute) -> String {
    format!("the route to {}/{}", route.destination, route.prefix_length)
}

/// Whether the kernel refuses a next hop that no interface leads to.
fn is_unreachable(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(errno, Some(Errno::NETUNREACH | Errno::HOSTUNREACH | Errno::INVAL))
}

fn explain(error: &io::Error) -> String {
    if is_unreachable(error) {
        return format!("{error}: no interface that is up leads to its next hop");
    }
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::EXIST) => "there is another route to this destination".into(),
        Some(Errno::NETDOWN) => format!("{error}: its interface is down"),
        _ => error.to_string(),
    }
}
