//! This Linux machine as providers of management data: one file per MIB module
//! (or part of one), over the room `source`, which reads netlink, /proc and /sys.
//!
//! The tree gets its providers from [`providers`]; [`LinkWatch`] reports which group is stale when the kernel
//! changes an interface. Nothing here knows a protocol.

mod bridge;
#[doc(hidden)]
pub mod decode;
mod entity;
mod ethernet;
mod forward;
mod forward_legacy;
mod host_resources;
mod inet_index;
mod interfaces;
mod interfaces_receive;
mod interfaces_set;
mod interfaces_status;
mod interfaces_type;
mod ip;
mod ip_addresses;
mod ip_counters;
mod ip_interface_statistics;
mod ip_interfaces;
mod ip_neighbours;
mod last_change;
mod link_event;
mod link_watch;
mod links;
mod links_entry;
mod links_speed;
mod lm_sensors;
mod lost;
mod options;
pub mod programs;
mod routes_set;
mod signal;
mod socket_address;
mod stale;
mod steps;
mod tcp;
mod tcp_connections;
mod tcp_estats;
mod ucd;
mod udp;
mod udp_endpoints;

use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use trunkline_tree::Provider;

pub use host_resources::date_and_time;
pub use interfaces_set::{InterfaceSettings, InterfaceState};
pub use link_event::{LinkEvent, LinkStatus};
pub use link_watch::LinkWatch;
pub use links::Links;
pub use options::HostOptions;
pub use routes_set::{Expected, StaticHop, StaticRoute};
pub use trunkline_source::SourceRoot;

use trunkline_source::procfs::owners::SocketOwners;
use trunkline_source::procfs::sampler::Sampler;
use trunkline_source::procfs::volumes::Volumes;

/// All groups of this machine. Nothing is read before a provider's first load. Where the configuration puts
/// programs below roots of their own it must be known before.
pub fn providers(options: &HostOptions) -> Vec<Arc<dyn Provider>> {
    let mut providers: Vec<Arc<dyn Provider>> = vec![
        Arc::new(interfaces::Interfaces::new(options)),
        Arc::new(interfaces_receive::ReceiveAddresses::new(options)),
        Arc::new(ethernet::Ethernet::new(options)),
        Arc::new(ip::Ip::new(options)),
        Arc::new(ip_addresses::IpAddresses::new(options)),
        Arc::new(ip_interfaces::IpInterfaces::new(options)),
        Arc::new(ip_interface_statistics::IpInterfaceStatistics::new(options)),
        Arc::new(ip_neighbours::IpNeighbours::new(options)),
        Arc::new(forward::Routes::new(options)),
        Arc::new(forward_legacy::LegacyRoutes::new(options)),
    ];
    providers.extend(bridge::providers(options));
    providers.extend(entity::providers(options));
    providers.push(Arc::new(lm_sensors::LmSensors(options.root.clone())));
    providers.extend(system_providers(options));
    providers
}

/// Sockets, HOST-RESOURCES-MIB and UCD-SNMP-MIB, with what several of their groups share.
fn system_providers(options: &HostOptions) -> Vec<Arc<dyn Provider>> {
    let root = &options.root;
    let owners = Arc::new(SocketOwners::new(root.clone()));
    let sampler = Arc::new(Sampler::new(root.clone()));
    let programs = options.programs.current();
    let named = programs.options.disks.named.iter().map(|disk| disk.path.as_os_str().as_bytes());
    let volumes = Arc::new(Volumes::new(root.clone(), named));
    let mut providers: Vec<Arc<dyn Provider>> = vec![
        Arc::new(tcp::Tcp::new(root.clone())),
        Arc::new(tcp_connections::TcpConnections::new(root.clone(), Arc::clone(&owners))),
        Arc::new(tcp_estats::TcpEstats::new(root.clone())),
        Arc::new(udp::Udp::new(root.clone())),
        Arc::new(udp_endpoints::UdpEndpoints::new(root.clone(), owners)),
    ];
    providers.extend(host_resources::providers(options, &sampler, &volumes));
    providers.extend(ucd::providers(options, &sampler, &volumes));
    providers.extend(programs::providers(&options.programs));
    providers
}
