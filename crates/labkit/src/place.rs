//! Where the traffic of a run flows: the host's own loopback, or the loopback of a private network namespace with
//! as many interfaces as the experiment needs.
//!
//! ifTable shows the interfaces of the agent's namespace. A host with four interfaces has 88 ifTable objects, too
//! few for the paper's column of 270. Then (or with `--rows N`) the lab creates a namespace, fills it, mostly with
//! virtual Ethernet pairs, sends varied traffic through them (counters that are all zero would flatter every
//! encoding), and runs subjects and load inside. [`Place::enter`] moves the calling thread; whatever it starts
//! afterwards is inside.
//!
//! If the network itself is what is measured, there are two namespaces with a [`link`] between them.

pub mod link;
mod namespace;
mod row;
mod traffic;

use std::fs;

pub use namespace::{MAX_ROWS, Namespace, NamespaceError};

use crate::doubt::Doubt;
use crate::error::Error;

/// The number of columns of ifTable (RFC 2863), and so of objects per row.
pub const IF_TABLE_COLUMNS: u32 = 22;

/// Where a run's traffic flows. Dropping it removes the namespace.
#[derive(Debug)]
pub enum Place {
    /// The host itself.
    Host {
        /// The number of its interfaces.
        interfaces: u32,
    },
    /// A private namespace.
    Namespace(Namespace),
}

impl Place {
    /// Chooses and creates the place for columns of up to `objects` objects.
    ///
    /// `rows` is the value of `--rows`; a namespace that cannot be created is then an error, otherwise a doubt.
    /// `must_be_host` is set if an agent outside is measured, which the namespace could not reach.
    pub fn make(
        objects: u32,
        rows: Option<u32>,
        must_be_host: bool,
        seed: u64,
        doubts: &mut Vec<Doubt>,
    ) -> Result<Place, Error> {
        let interfaces = interfaces_here().map_err(|source| Error::Read { path: NET_DEV.into(), source })?;
        if let Some(rows) = rows {
            let made = Namespace::make(rows, seed);
            let place = made.map_err(|error| Error::Place { rows, reason: error.to_string() })?;
            return Ok(Place::Namespace(place));
        }
        let needed = rows_for(objects);
        if interfaces >= needed {
            return Ok(Place::Host { interfaces });
        }
        if must_be_host {
            let reason = "an agent named by --subject would be out of its reach".into();
            doubts.push(Doubt::FewInterfaces { rows: needed, interfaces, reason });
            return Ok(Place::Host { interfaces });
        }
        match Namespace::make(needed, seed) {
            Ok(namespace) => Ok(Place::Namespace(namespace)),
            Err(error) => {
                let reason = error.to_string();
                doubts.push(Doubt::FewInterfaces { rows: needed, interfaces, reason });
                Ok(Place::Host { interfaces })
            }
        }
    }

    /// Moves the calling thread into the place; threads and processes that it starts from then on are inside.
    pub fn enter(&self) -> Result<(), Error> {
        match self {
            Place::Host { .. } => Ok(()),
            Place::Namespace(namespace) => namespace
                .enter()
                .map_err(|source| Error::System { what: "cannot enter the network namespace", source }),
        }
    }

    /// The place in a sentence.
    pub fn description(&self) -> String {
        match self {
            Place::Host { interfaces } => {
                format!("the host's own network, loopback for child agents, {interfaces} interfaces")
            }
            Place::Namespace(Namespace { interfaces, datagrams, .. }) => format!(
                "loopback of a private network namespace with {interfaces} interfaces (mostly virtual Ethernet pairs; they carried \
                 {datagrams} datagrams first, in amounts drawn from the seed)"
            ),
        }
    }
}

/// The number of rows of ifTable for this many objects.
pub const fn rows_for(objects: u32) -> u32 {
    objects.div_ceil(IF_TABLE_COLUMNS)
}

/// The interfaces of the calling thread's network namespace.
pub fn interfaces_here() -> std::io::Result<u32> {
    let text = fs::read_to_string(NET_DEV)?;
    Ok(text.lines().filter(|line| line.contains(':')).count() as u32)
}

/// `/proc/net` would show the namespace of the process's first thread.
const NET_DEV: &str = "/proc/thread-self/net/dev";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_papers_columns() {
        assert_eq!([1, 22, 23, 66, 270].map(rows_for), [1, 1, 2, 3, 13]);
    }

    #[test]
    fn enough_interfaces_need_no_namespace() {
        let mut doubts = Vec::new();
        let place = Place::make(1, None, false, 1, &mut doubts).unwrap();
        assert!(matches!(place, Place::Host { interfaces } if interfaces >= 1), "{place:?}");
        assert!(doubts.is_empty());
        place.enter().unwrap();
    }

    #[test]
    fn an_agent_outside_keeps_the_lab_outside() {
        let mut doubts = Vec::new();
        let place = Place::make(22_000_000, None, true, 1, &mut doubts).unwrap();
        assert!(place.description().starts_with("the host's own"));
        assert!(matches!(doubts[..], [Doubt::FewInterfaces { rows: 1_000_000, .. }]), "{doubts:?}");
    }
}
