//! RTM_NEWNEIGH: a neighbour's link-layer address, from ARP or neighbour discovery.
pub(crate) const RTM_GETNEIGH: u16 = 30;
pub(crate) const RTM_GETNEIGHTBL: u16 = 66;
