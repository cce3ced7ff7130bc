//! Dumps and changes over netlink. A provider holds a [`Netlink`]: the kernel, through a socket that stays open
//! between loads, or recorded dumps.

pub mod address;
pub mod attribute;
pub mod bridge;
pub mod changes;
pub mod ethtool;
pub mod inet6;
pub mod link;
pub mod neighbour;
pub mod route;
mod socket;

use std::io;
use std::path::PathBuf;

use trunkline_tree::SourceError;

pub use socket::{Protocol, Received, Socket, messages};

/// What can be requested as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dump {
    /// RTM_GETLINK: interfaces with their 64-bit counters.
    Links,
    /// RTM_GETSTATS: the 64-bit counters of interfaces alone, at a tenth of the cost of `Links`.
    LinkCounters,
    /// RTM_GETLINK of IPv6: its settings on each interface.
    Inet6Links,
    /// RTM_GETADDR: IPv4 and IPv6 addresses.
    Addresses,
    /// RTM_GETNEIGH: ARP and neighbour discovery.
    Neighbours,
    /// RTM_GETLINK of AF_BRIDGE: the VLANs of bridges and their ports.
    BridgeVlans,
    /// RTM_GETNEIGH of AF_BRIDGE: the addresses that bridges know.
    BridgeAddresses,
    /// RTM_GETROUTE: IPv4 and IPv6 routes of all tables.
    Routes,
    /// RTM_GETNEIGHTBL: timers of the neighbour tables, for each interface.
    NeighbourTables,
}

/// One netlink message without its header.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The type, such as RTM_NEWLINK.
    pub kind: u16,
    /// What follows the header.
    pub body: &'a [u8],
}

/// Whether a dump shows one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// It does.
    Whole,
    /// Something changed meanwhile: entries may be missing or double (NLM_F_DUMP_INTR).
    Interrupted,
}

/// The kernel, or a recording of it.
#[derive(Debug)]
pub struct Netlink {
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    Kernel(Option<Socket>),
    Recorded(PathBuf),
}

/// How often an interrupted dump is repeated before it is used as it is: on a machine whose routes change all the
/// time, no dump would ever be complete.
const ATTEMPTS: usize = 3;

impl Netlink {
    /// The kernel's rtnetlink; the socket is opened at the first use.
    pub fn kernel() -> Self {
        Netlink { origin: Origin::Kernel(None) }
    }

    /// Dumps recorded in a folder, one file for each kind of dump.
    pub fn recorded(folder: PathBuf) -> Self {
        Netlink { origin: Origin::Recorded(folder) }
    }

    /// Folds a dump into a value that `start` makes; it starts again if the dump was interrupted.
    pub fn collect<T>(
        &mut self,
        dump: Dump,
        start: impl Fn() -> T,
        mut each: impl FnMut(&mut T, Message<'_>),
    ) -> Result<T, SourceError> {
        let mut attempt = 1;
        loop {
            let mut collected = start();
            let consistency = self
                .dump(dump, &mut |message| each(&mut collected, message))
                .map_err(|cause| SourceError::new(dump.name(), cause))?;
            if consistency == Consistency::Whole || attempt == ATTEMPTS {
                return Ok(collected);
            }
            attempt += 1;
        }
    }

    /// Hands over one interface, by its index or, if that is 0, by its name; `None` if it is not there.
    pub fn link<T>(
        &mut self,
        index: u32,
        name: &[u8],
        read: impl Fn(&link::Link<'_>) -> T,
    ) -> Result<Option<T>, SourceError> {
        let mut found = None;
        let mut each = |message: Message<'_>| {
            let link = link::Link::parse(message);
            // The kernel knows other names of an interface, too.
            if let Some(link) =
                link.filter(|link| if index == 0 { link.name == name } else { link.index == index })
            {
                found = Some(read(&link));
            }
        };
        let done = match &mut self.origin {
            Origin::Kernel(_) if index > link::MAX_INDEX => Ok(()),
            Origin::Kernel(_) if index == 0 && !(1..=link::MOST_NAME).contains(&name.len()) => Ok(()),
            Origin::Kernel(slot) => open(slot).and_then(|socket| {
                socket.request(link::RTM_GETLINK, &link::get_body(index, name), &mut each)
            }),
            Origin::Recorded(_) => self.dump(Dump::Links, &mut each).map(drop),
        };
        match done {
            Ok(()) => Ok(found),
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NODEV.raw_os_error()) => Ok(None),
            Err(cause) => Err(SourceError::new("netlink link", cause)),
        }
    }

    fn dump(&mut self, dump: Dump, each: &mut dyn FnMut(Message<'_>)) -> io::Result<Consistency> {
        match &mut self.origin {
            Origin::Kernel(slot) => {
                let socket = open(slot)?;
                let result = socket.dump(dump.request_kind(), dump.body(), each);
                if result.is_err() {
                    *slot = None; // the rest of the failed dump must not meet the next one
                }
                result
            }
            Origin::Recorded(folder) => {
                match std::fs::read(folder.join(dump.file_name())) {
                    Ok(octets) => messages(&octets).for_each(each),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
                Ok(Consistency::Whole)
            }
        }
    }

    /// Asks the kernel for a change and waits for its verdict. A recording cannot be changed.
    pub fn change(&mut self, kind: u16, body: &[u8]) -> io::Result<()> {
        match &mut self.origin {
            Origin::Kernel(slot) => open(slot)?.change(kind, body),
            Origin::Recorded(_) => Err(io::ErrorKind::ReadOnlyFilesystem.into()),
        }
    }

    /// The same for something that must not be there yet.
    pub fn create(&mut self, kind: u16, body: &[u8]) -> io::Result<()> {
        match &mut self.origin {
            Origin::Kernel(slot) => open(slot)?.create(kind, body),
            Origin::Recorded(_) => Err(io::ErrorKind::ReadOnlyFilesystem.into()),
        }
    }
}

fn open(slot: &mut Option<Socket>) -> io::Result<&mut Socket> {
    if slot.is_none() {
        *slot = Some(Socket::open(Protocol::Route)?);
    }
    slot.as_mut().ok_or_else(|| io::ErrorKind::NotConnected.into())
}

impl Dump {
    /// For errors and logs.
    pub fn name(self) -> &'static str {
        match self {
            Dump::Links => "netlink link dump",
            Dump::LinkCounters => "netlink link counters dump",
            Dump::Inet6Links => "netlink IPv6 link dump",
            Dump::Addresses => "netlink address dump",
            Dump::Neighbours => "netlink neighbour dump",
            Dump::BridgeVlans => "netlink bridge VLAN dump",
            Dump::BridgeAddresses => "netlink bridge address dump",
            Dump::Routes => "netlink route dump",
            Dump::NeighbourTables => "netlink neighbour table dump",
        }
    }

    fn file_name(self) -> &'static str {
        match self {
            Dump::Links => "links.bin",
            Dump::LinkCounters => "link_counters.bin",
            Dump::Inet6Links => "inet6_links.bin",
            Dump::Addresses => "addresses.bin",
            Dump::Neighbours => "neighbours.bin",
            Dump::BridgeVlans => "bridge_vlans.bin",
            Dump::BridgeAddresses => "bridge_addresses.bin",
            Dump::Routes => "routes.bin",
            Dump::NeighbourTables => "neighbour_tables.bin",
        }
    }

    fn request_kind(self) -> u16 {
        match self {
            Dump::Links | Dump::Inet6Links | Dump::BridgeVlans => link::RTM_GETLINK,
            Dump::LinkCounters => link::RTM_GETSTATS,
            Dump::Addresses => address::RTM_GETADDR,
            Dump::Neighbours | Dump::BridgeAddresses => neighbour::RTM_GETNEIGH,
            Dump::Routes => route::RTM_GETROUTE,
            Dump::NeighbourTables => neighbour::RTM_GETNEIGHTBL,
        }
    }

    /// The family header with everything unspecified; the kernel then dumps all families.
    fn body(self) -> &'static [u8] {
        match self {
            Dump::Links => &link::DUMP_BODY,
            Dump::LinkCounters => &link::COUNTERS_DUMP_BODY,
            Dump::Inet6Links => &inet6::DUMP_BODY,
            Dump::BridgeVlans => &bridge::VLANS_DUMP_BODY,
            Dump::BridgeAddresses => &bridge::ADDRESSES_DUMP_BODY,
            Dump::Addresses => &[0; 8],
            Dump::Neighbours | Dump::Routes => &[0; 12],
            Dump::NeighbourTables => &[0; 4],
        }
    }
}
