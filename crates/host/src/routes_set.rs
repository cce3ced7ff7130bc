//! Changes of static routes, checked here, applied to the kernel in the commit, taken back in the undo.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;

use rustix::io::Errno;
use trunkline_tree::{SetCheck, SetError, SetTransaction, SourceError};

use crate::HostOptions;
use crate::interfaces_set::{permitted, refusal};
use crate::source::netlink::link::Link;
use crate::source::netlink::route::{
    self, NextHop, RT_TABLE_MAIN, RTN_BLACKHOLE, RTN_PROHIBIT, RTN_UNICAST, RTN_UNREACHABLE, RTPROT_STATIC,
    Route,
};
use crate::source::netlink::{Dump, Netlink};
use crate::steps::Steps;

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

impl HostOptions {
    /// Prepares a change of static routes: of each, whether it is to be there. Errors name the position of one of them.
    ///
    /// # Errors
    /// There is no such interface, a next hop cannot be one, or the process may not change routes.
    pub fn prepare_routes(
        &self,
        wanted: &[(StaticRoute, bool)],
    ) -> Result<Box<dyn SetTransaction>, SetError> {
        permitted().map_err(|reason| refusal(0, SetCheck::ResourceUnavailable, reason))?;
        let mut netlink = self.root.netlink();
        let unread = |error: SourceError| refusal(0, SetCheck::ResourceUnavailable, error.to_string());
        let present = Present::read(&mut netlink).map_err(unread)?;
        let mut steps = Vec::new();
        for (binding, (route, after)) in wanted.iter().enumerate() {
            let kernel = match KernelRoute::of(route, &present) {
                Ok(kernel) => kernel,
                // What went with its interface is not there any more.
                Err(_) if !after => continue,
                Err((check, reason)) => {
                    return Err(refusal(binding, check, format!("{}: {reason}", name(route))));
                }
            };
            let before = present.routes.contains(&kernel);
            if before != *after {
                steps.push(Step { binding, name: name(route), body: kernel.body(), after: *after });
            }
        }
        Ok(Box::new(Transaction { netlink, steps: Steps::new(steps) }))
    }

    /// Puts back static routes that the kernel has dropped: it does so when an interface goes down or loses its addresses. A route that
    /// cannot be there now is left out.
    pub fn keep_routes(&self, wanted: &[StaticRoute]) {
        let mut netlink = self.root.netlink();
        let Ok(present) = Present::read(&mut netlink) else { return };
        for route in wanted {
            let Ok(kernel) = KernelRoute::of(route, &present) else { continue };
            if !present.routes.contains(&kernel)
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
    fn of(route: &StaticRoute, present: &Present) -> Result<KernelRoute, (SetCheck, String)> {
        let (kind, gateway, interface) = match &route.next {
            StaticHop::To { gateway, interface } => (RTN_UNICAST, *gateway, interface.as_deref()),
            StaticHop::Blackhole => (RTN_BLACKHOLE, None, None),
            StaticHop::Unreachable => (RTN_UNREACHABLE, None, None),
            StaticHop::Prohibit => (RTN_PROHIBIT, None, None),
        };
        let index = |name: &str| {
            let found = present.links.get(name.as_bytes()).copied();
            found.ok_or_else(|| (SetCheck::NoCreation, format!("there is no interface {name} here")))
        };
        let interface = interface.map(index).transpose()?.unwrap_or(0);
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

/// What there is.
struct Present {
    links: HashMap<Vec<u8>, u32>,
    routes: Routes,
}

/// Static routes of the main table.
struct Routes(HashMap<(IpAddr, u8), Vec<KernelRoute>>);

impl Routes {
    fn contains(&self, route: &KernelRoute) -> bool {
        let of_destination = self.0.get(&(route.destination, route.prefix_length));
        of_destination.into_iter().flatten().any(|known| {
            known.kind == route.kind
                && known.gateway == route.gateway
                && (route.interface == 0 || known.interface == route.interface)
        })
    }
}

impl Present {
    fn read(netlink: &mut Netlink) -> Result<Present, SourceError> {
        let links = netlink.collect(Dump::Links, HashMap::new, |links, message| {
            if let Some(link) = Link::parse(message) {
                links.insert(link.name.to_vec(), link.index);
            }
        })?;
        let start = || Routes(HashMap::new());
        let routes = netlink.collect(Dump::Routes, start, |routes, message| {
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
        })?;
        Ok(Present { links, routes })
    }
}

struct Step {
    binding: usize,
    name: String,
    body: Vec<u8>,
    /// Whether it is to be there.
    after: bool,
}

struct Transaction {
    netlink: Netlink,
    steps: Steps<Step>,
}

impl Step {
    fn apply(&self, netlink: &mut Netlink, undo: bool) -> Result<(), SetError> {
        let Step { binding, name, body, after } = self;
        let done = match *after != undo {
            true => netlink.create(route::RTM_NEWROUTE, body),
            false => match netlink.change(route::RTM_DELROUTE, body) {
                // The kernel itself takes routes away, those of an interface that goes down.
                Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => Ok(()),
                done => done,
            },
        };
        done.map_err(|error| {
            refusal(*binding, SetCheck::CommitFailed, format!("{name}: {}", explain(&error)))
        })
    }
}

impl SetTransaction for Transaction {
    fn commit(&mut self) -> Result<(), SetError> {
        let Transaction { netlink, steps } = self;
        steps.commit(|step| step.apply(netlink, false))
    }

    fn undo(&mut self) -> Result<(), SetError> {
        let Transaction { netlink, steps } = self;
        steps.undo(|step| step.apply(netlink, true))
    }
}

fn name(route: &StaticRoute) -> String {
    format!("the route to {}/{}", route.destination, route.prefix_length)
}

fn explain(error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::EXIST) => "there is another route to this destination".into(),
        Some(Errno::NETUNREACH | Errno::HOSTUNREACH | Errno::INVAL) => {
            format!("{error}: no interface that is up leads to its next hop")
        }
        Some(Errno::NETDOWN) => format!("{error}: its interface is down"),
        _ => error.to_string(),
    }
}
