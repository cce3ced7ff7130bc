//! Which snapshots a change of the kernel makes untrue.

use crate::{interfaces, interfaces_receive, ip_addresses, ip_interface_statistics, ip_interfaces};

/// The groups whose snapshots are untrue once an interface changed.
pub(crate) const STALE_WITH_LINKS: &[&str] = &[
    interfaces::NAME,
    interfaces_receive::NAME,
    ip_interfaces::NAME,
    ip_interface_statistics::NAME,
    ip_addresses::NAME,
];

/// The groups whose snapshots are untrue once an address changed.
pub(crate) const STALE_WITH_ADDRESSES: &[&str] = &[ip_addresses::NAME, ip_interfaces::NAME];
