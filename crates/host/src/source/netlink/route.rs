//! RTM_NEWROUTE: a route, with all its next hops.
pub(crate) const RTM_GETROUTE: u16 = 26;
