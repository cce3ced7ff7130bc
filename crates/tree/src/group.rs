//! A group: the objects that one provider serves from one snapshot.

use std::time::Duration;

use trunkline_smi::schema::{Scalar, Table};

/// Scalars and tables that are read together from one source, at one moment.
#[derive(Debug)]
pub struct Group {
    /// Its name in configuration and logs: `interfaces`.
    pub name: &'static str,
    /// The scalars, in any order.
    pub scalars: &'static [&'static Scalar],
    /// The tables, in any order.
    pub tables: &'static [&'static Table],
}

/// How old a group's snapshot may be when a request is answered from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Each object of a request is read from the source again (what Net-SNMP 5 did in figure 14 of Pras 2005).
    PerObject,
    /// Each request reads the source once.
    PerRequest,
    /// A snapshot serves all requests until it is this old.
    MaxAge(Duration),
}

impl Default for Freshness {
    /// A little less than a second: who looks every second gets new data each time. With a whole one, a look that comes
    /// a moment early would see the counters of the last one, and the next the growth of two seconds.
    fn default() -> Self {
        Freshness::MaxAge(Duration::from_millis(900))
    }
}
