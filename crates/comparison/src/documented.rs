//! What both agents are known to do differently, and why: the one list of it, which `--compare --all` prints.
//!
//! An entry names a column or a table, the kind of difference, and, where the same column could differ for another
//! reason too, a test of the values. A defect of a value that the test does not describe is still reported.

use trunkline_smi::{Oid, Value};

use super::difference::{Difference, Instance, Walks};

/// Differences below a subtree.
pub struct Documented {
    /// The subtree.
    pub subtree: &'static [u32],
    /// The kinds of differences; all if it is empty.
    pub kinds: &'static [Difference],
    /// Which of them.
    pub which: fn(&Sight<'_>) -> bool,
    /// Why.
    pub reason: &'static str,
}

/// An instance that differs, and its surroundings.
pub struct Sight<'a> {
    /// The instance.
    pub instance: &'a Instance,
    /// Its name after the subtree of the entry.
    pub rest: &'a [u32],
    /// All of ours.
    pub ours: &'a Walks<'a>,
}

impl Sight<'_> {
    fn numbers(&self) -> (Option<f64>, Option<f64>) {
        let number = |value: &Option<Value>| value.as_ref().and_then(super::difference::number);
        (number(&self.instance.ours), number(&self.instance.theirs))
    }

    fn are(&self, ours: i32, theirs: i32) -> bool {
        self.numbers() == (Some(f64::from(ours)), Some(f64::from(theirs)))
    }

    /// The rest as a column and an index that begins with these.
    fn index_begins(&self, start: &[u32]) -> bool {
        self.rest.get(1..).is_some_and(|index| index.starts_with(start))
    }

    /// Our value of another instance.
    fn of_ours(&self, object: &[u32], index: &[u32]) -> Option<&Value> {
        let name = Oid::from([]).child(&[object, index].concat());
        self.ours.first.get(&name).or_else(|| self.ours.second.get(&name))
    }
}

use Difference::{MissingHere, MissingThere, OtherValue};

const ANY: fn(&Sight<'_>) -> bool = |_| true;

/// Ours is empty, and snmpd's is what distributions build into it.
fn is_built_in(sight: &Sight<'_>) -> bool {
    let text = |value: &Option<Value>| match value {
        Some(Value::OctetString(octets)) => Some(String::from_utf8_lossy(octets).into_owned()),
        _ => None,
    };
    let theirs = text(&sight.instance.theirs).unwrap_or_default();
    text(&sight.instance.ours).is_some_and(|ours| ours.is_empty())
        && ["root", "root@localhost", "Unknown"].contains(&theirs.as_str())
}

const BUILT_IN: &str = "sysContact and sysLocation are empty unless they are configured; snmpd has words that were built into it";
const MODULES: &str = "sysORTable lists the MIB modules of each agent (RFC 3418)";
const OWN_ENGINE: &str =
    "each agent counts its own boots and seconds, and takes messages of another greatest size";
const TARGETS: &str = "targets are left out of the comparison, so that nothing is sent";
const SNMPD_ITSELF: &str = "NET-SNMP-AGENT-MIB describes snmpd's own modules, caches and logs";
const LOCKS: &str = "a lock for cooperating managers begins at any number (RFC 2579 TestAndIncr)";
const ORIGIN_OF_ROUTES: &str = "snmpd calls every route local(2); this agent shows the protocol that the kernel knows (netmgmt, bgp, ospf, ...)";
const REFUSING_ROUTES: &str =
    "snmpd shows routes that refuse (blackhole, unreachable, prohibit) as local ones";
const OTHER_TABLES: &str = "of IPv4 snmpd shows the main table of routes; this agent shows all tables, as both do of IPv6 (decision 0085)";
const REFRESH: &str = "each agent shows for how many milliseconds it keeps these values itself";
const LOOPBACK: &str = "loopback addresses are not configured by anybody: snmpd says manual(2)";
const PROCESSES: &str =
    "the owners of sockets are not known without read-processes = true in [agent], which needs more rights";
const OTHER_FILE_SYSTEMS: &str = "snmpd leaves out file systems whose type it does not know, such as overlay; here they are of the type hrFSOther";
const WHOLE_COMMANDS: &str = "a command line in quotes as a whole is split into program and arguments here; snmpd shows it as the program";
const VERSIONS: &str =
    "the version group describes each agent's own program; versionIndex is always 0 by the MIB";
const OWN_LOG: &str = "each agent keeps its own log of notifications, with its own limit";

/// The list, in the order of the subtrees.
pub const DOCUMENTED: &[Documented] = &[
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 1, 4],
        kinds: &[OtherValue],
        which: is_built_in,
        reason: BUILT_IN,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 1, 6],
        kinds: &[OtherValue],
        which: is_built_in,
        reason: BUILT_IN,
    },
    Documented { subtree: &[1, 3, 6, 1, 2, 1, 1, 8], kinds: &[OtherValue], which: ANY, reason: MODULES },
    Documented { subtree: &[1, 3, 6, 1, 2, 1, 1, 9], kinds: &[], which: ANY, reason: MODULES },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 13],
        kinds: &[OtherValue],
        which: |sight| sight.numbers().1 == Some(0.0),
        reason: "snmpd says 0 for ipReasmTimeout, while the kernel has a time limit (net.ipv4.ipfrag_time)",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 21, 1, 3],
        kinds: &[OtherValue],
        which: |sight| sight.numbers().1.is_some_and(|metric| metric <= 1.0),
        reason: "ipRouteMetric1 of snmpd says whether there is a gateway; this agent shows the metric of the route",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 21, 1, 8],
        kinds: &[OtherValue],
        which: |sight| sight.are(2, 3),
        reason: REFUSING_ROUTES,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 21, 1, 9],
        kinds: &[OtherValue],
        which: |sight| sight.numbers().1 == Some(2.0),
        reason: ORIGIN_OF_ROUTES,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 6],
        kinds: &[OtherValue],
        which: |sight| sight.are(2, 3),
        reason: REFUSING_ROUTES,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 7],
        kinds: &[OtherValue],
        which: |sight| sight.numbers().1 == Some(2.0),
        reason: ORIGIN_OF_ROUTES,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 24, 6],
        kinds: &[OtherValue],
        which: |sight| sight.numbers().0 > sight.numbers().1,
        reason: OTHER_TABLES,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1],
        kinds: &[MissingThere],
        which: of_another_table,
        reason: OTHER_TABLES,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 8],
        kinds: &[OtherValue],
        which: |sight| sight.are(5, 3) || sight.are(2, 3),
        reason: REFUSING_ROUTES,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 9],
        kinds: &[OtherValue],
        which: |sight| sight.numbers().1 == Some(2.0),
        reason: ORIGIN_OF_ROUTES,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 31, 1, 1, 47],
        kinds: &[OtherValue],
        which: ANY,
        reason: REFRESH,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 31, 3, 1, 47],
        kinds: &[OtherValue],
        which: ANY,
        reason: REFRESH,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 32, 1, 5],
        kinds: &[OtherValue],
        which: |sight| sight.are(3, 2) && is_loopback(sight.rest.get(1..).unwrap_or_default()),
        reason: LOOPBACK,
    },
    Documented { subtree: &[1, 3, 6, 1, 2, 1, 4, 33], kinds: &[OtherValue], which: ANY, reason: LOCKS },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 34, 1, 6],
        kinds: &[OtherValue],
        which: |sight| sight.are(1, 2) && is_loopback(sight.rest),
        reason: LOOPBACK,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 34, 1, 11],
        kinds: &[OtherValue],
        which: |sight| sight.are(2, 4),
        reason: "addresses that the kernel makes are gone at a restart (volatile); snmpd says that all are permanent",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 35, 1],
        kinds: &[MissingThere],
        which: of_a_silent_neighbour,
        reason: "snmpd leaves out neighbours that do not answer; this agent shows them as invalid(2)",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 36],
        kinds: &[MissingThere],
        which: ANY,
        reason: "ipv6ScopeZoneIndexTable has every interface with IPv6 here, in snmpd those with a link-local address",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 4, 37, 1],
        kinds: &[MissingThere],
        which: |sight| sight.index_begins(&[2]),
        reason: "snmpd leaves out default routers of IPv6 that the kernel did not learn from an advertisement, or that do not answer",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 5, 29, 1, 5, 2],
        kinds: &[OtherValue],
        which: ANY,
        reason: "snmpd counts sent destination-unreachables of ICMPv6 as errors; this agent shows the kernel's Icmp6OutErrors",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 5, 30, 1],
        kinds: &[MissingHere],
        which: |sight| sight.numbers().1 == Some(0.0),
        reason: "snmpd has rows for types of ICMP that were never seen; this agent has those that the kernel counted",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 5, 30, 1],
        kinds: &[MissingThere],
        which: |sight| sight.index_begins(&[2]),
        reason: "snmpd knows a fixed list of types of ICMPv6; this agent has all that the kernel counted",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 6, 19, 1, 8],
        kinds: &[MissingHere],
        which: ANY,
        reason: PROCESSES,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 6, 20, 1, 4],
        kinds: &[OtherValue],
        which: |sight| sight.numbers().0 == Some(0.0),
        reason: PROCESSES,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 7, 5, 1],
        kinds: &[MissingThere],
        which: of_a_connected_socket,
        reason: "udpTable of snmpd leaves out sockets that are connected",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 7, 7, 1, 8],
        kinds: &[OtherValue],
        which: |sight| sight.numbers().0 == Some(0.0),
        reason: PROCESSES,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 10, 7, 2, 1],
        kinds: &[MissingThere],
        which: of_an_ethernet,
        reason: "snmpd has rows of EtherLike-MIB for devices with ethtool statistics alone; this agent has every Ethernet interface",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1],
        kinds: &[MissingThere],
        which: of_another_file_system,
        reason: OTHER_FILE_SYSTEMS,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1, 2],
        kinds: &[OtherValue],
        which: of_a_ram_disk,
        reason: "a tmpfs is hrStorageRamDisk (RFC 2790); snmpd says hrStorageFixedDisk",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 25, 3, 2, 1],
        kinds: &[MissingHere],
        which: |sight| sight.rest.get(1) == Some(&COPROCESSOR),
        reason: "snmpd guesses a floating point co-processor as a device",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 25, 3, 2, 1],
        kinds: &[MissingThere],
        which: |sight| sight.rest.get(1).is_some_and(|index| DISKS.contains(index)),
        reason: "snmpd leaves out disks that it cannot open, such as virtual ones; this agent reads them from /sys",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 25, 3, 2, 1, 6],
        kinds: &[MissingThere],
        which: |sight| sight.rest.first().is_some_and(|index| PROCESSORS.contains(index)),
        reason: "snmpd has no hrDeviceErrors of processors",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1],
        kinds: &[MissingThere],
        which: of_another_file_system,
        reason: OTHER_FILE_SYSTEMS,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 7],
        kinds: &[OtherValue],
        which: |sight| sight.are(3, 4),
        reason: "snmpd says invalid(4) for idle threads of the kernel; they are notRunnable(3)",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 25, 6, 3, 1, 5],
        kinds: &[OtherValue],
        which: differs_in_tenths,
        reason: "dates of packages have tenths of a second here",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 28],
        kinds: &[MissingHere],
        which: ANY,
        reason: "MTA-MIB is not served",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 17],
        kinds: &[OtherValue],
        which: |sight| sight.are(2, 1),
        reason: "virtual interfaces have no connector; snmpd says that they have one",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 55],
        kinds: &[MissingHere],
        which: ANY,
        reason: "IPV6-MIB is obsolete (RFC 8096); IP-MIB has the same",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 92, 1, 1, 1],
        kinds: &[OtherValue],
        which: ANY,
        reason: OWN_LOG,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 92, 1, 2, 1],
        kinds: &[OtherValue],
        which: ANY,
        reason: OWN_LOG,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 2021, 8, 1, 103],
        kinds: &[OtherValue],
        which: |sight| is_text(&sight.instance.theirs, ""),
        reason: "snmpd does not show the command of execfix",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 2021, 9, 1],
        kinds: &[MissingThere],
        which: of_another_file_system,
        reason: OTHER_FILE_SYSTEMS,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 2021, 13, 14],
        kinds: &[MissingHere],
        which: ANY,
        reason: "modules of snmpd (dlmod) cannot be loaded",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 2021, 100, 1],
        kinds: &[OtherValue],
        which: |sight| sight.are(0, 1),
        reason: VERSIONS,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 2021, 100, 2],
        kinds: &[OtherValue],
        which: ANY,
        reason: VERSIONS,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 2021, 100, 3],
        kinds: &[OtherValue],
        which: ANY,
        reason: VERSIONS,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 2021, 100, 5],
        kinds: &[OtherValue],
        which: ANY,
        reason: VERSIONS,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 2021, 100, 6],
        kinds: &[OtherValue],
        which: ANY,
        reason: VERSIONS,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 8072, 1, 2],
        kinds: &[MissingHere],
        which: ANY,
        reason: SNMPD_ITSELF,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1, 2],
        kinds: &[OtherValue],
        which: is_whole_command,
        reason: WHOLE_COMMANDS,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1, 3],
        kinds: &[OtherValue],
        which: |sight| is_text(&sight.instance.theirs, ""),
        reason: WHOLE_COMMANDS,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 8072, 1, 5],
        kinds: &[MissingHere],
        which: ANY,
        reason: SNMPD_ITSELF,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 8072, 1, 7],
        kinds: &[MissingHere],
        which: ANY,
        reason: SNMPD_ITSELF,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 8072, 1, 9],
        kinds: &[MissingHere],
        which: ANY,
        reason: "NET-SNMP-VACM-MIB is not served",
    },
    Documented { subtree: &[1, 3, 6, 1, 6, 3, 1, 1, 6, 1], kinds: &[OtherValue], which: ANY, reason: LOCKS },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 10, 2, 1, 2],
        kinds: &[OtherValue],
        which: ANY,
        reason: OWN_ENGINE,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 10, 2, 1, 3],
        kinds: &[OtherValue],
        which: ANY,
        reason: OWN_ENGINE,
    },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 10, 2, 1, 4],
        kinds: &[OtherValue],
        which: ANY,
        reason: OWN_ENGINE,
    },
    Documented { subtree: &[1, 3, 6, 1, 6, 3, 12], kinds: &[], which: ANY, reason: TARGETS },
    Documented { subtree: &[1, 3, 6, 1, 6, 3, 13], kinds: &[], which: ANY, reason: TARGETS },
    Documented { subtree: &[1, 3, 6, 1, 6, 3, 15, 1, 2, 1], kinds: &[OtherValue], which: ANY, reason: LOCKS },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 12],
        kinds: &[OtherValue],
        which: |sight| sight.are(4, 3),
        reason: "users of the configuration are permanent here: managers cannot delete them",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 16],
        kinds: &[],
        which: ANY,
        reason: "each agent names groups and views in its own way; `trunklined --explain-access` says what they allow",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 18],
        kinds: &[],
        which: ANY,
        reason: "snmpCommunityTable: snmpd keeps its communities elsewhere",
    },
];

/// hrDeviceIndex of the first co-processor, and those of processors and disks: the type in the upper 16 bits.
const COPROCESSOR: u32 = 12 << 16;
const PROCESSORS: std::ops::RangeInclusive<u32> = (3 << 16)..=((3 << 16) | 0xffff);
const DISKS: std::ops::RangeInclusive<u32> = (6 << 16)..=((6 << 16) | 0xffff);

/// A route of IPv4 whose policy names a table besides the main one.
fn of_another_table(sight: &Sight<'_>) -> bool {
    // COLUMN, then 1.4.a.b.c.d, the length of the prefix, and the policy with its length.
    sight.index_begins(&[1, 4]) && sight.rest.get(8) == Some(&6)
}

/// An index that begins with an address of the loopback.
fn is_loopback(index: &[u32]) -> bool {
    let [kind, _, octets @ ..] = index else { return false };
    match kind {
        1 => octets.first() == Some(&127),
        2 => octets
            .get(..16)
            .is_some_and(|octets| octets[15] == 1 && octets[..15].iter().all(|octet| *octet == 0)),
        _ => false,
    }
}

/// A row whose ipNetToPhysicalType is invalid(2).
fn of_a_silent_neighbour(sight: &Sight<'_>) -> bool {
    let index = sight.rest.get(1..).unwrap_or_default();
    sight.of_ours(&[1, 3, 6, 1, 2, 1, 4, 35, 1, 6], index) == Some(&Value::Integer(2))
}

/// A row of an interface whose ifType is ethernetCsmacd(6).
fn of_an_ethernet(sight: &Sight<'_>) -> bool {
    let index = sight.rest.get(1..).unwrap_or_default();
    sight.of_ours(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 3], index) == Some(&Value::Integer(6))
}

/// A row of hrFSTable, of dskTable (which has the same numbers) or of hrStorageTable whose file system has hrFSType hrFSOther.
fn of_another_file_system(sight: &Sight<'_>) -> bool {
    const KIND: [u32; 11] = [1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 4];
    const STORAGE: [u32; 11] = [1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 7];
    let [_, index] = sight.rest else { return false };
    let other = Value::ObjectIdentifier(Oid::from([1, 3, 6, 1, 2, 1, 25, 3, 9, 1]));
    let is_other = |index: u32| sight.of_ours(&KIND, &[index]) == Some(&other);
    if !sight.instance.name.starts_with(&[1, 3, 6, 1, 2, 1, 25, 2]) {
        return is_other(*index);
    }
    let storage = Value::Integer(i32::try_from(*index).unwrap_or(0));
    let files = Oid::from([]).child(&STORAGE);
    let mut rows = sight.ours.first.range(files..).take_while(|(name, _)| name.starts_with(&STORAGE));
    rows.any(|(name, value)| *value == storage && name.last().is_some_and(|index| is_other(*index)))
}

/// A row of udpTable whose socket has a remote address in our udpEndpointTable.
fn of_a_connected_socket(sight: &Sight<'_>) -> bool {
    let Some(local) = sight.rest.get(1..).filter(|local| local.len() == 5) else { return false };
    let socket = Oid::from([1, 3, 6, 1, 2, 1, 7, 7, 1, 8, 1, 4]).child(local).child(&[1, 4]);
    let mut rows = sight.ours.first.range(socket.clone()..);
    rows.next().is_some_and(|(name, _)| name.starts_with(&socket))
}

fn is_text(value: &Option<Value>, text: &str) -> bool {
    *value == Some(Value::text(text))
}

/// Whether theirs is ours and more words.
fn is_whole_command(sight: &Sight<'_>) -> bool {
    match (&sight.instance.ours, &sight.instance.theirs) {
        (Some(Value::OctetString(own)), Some(Value::OctetString(other))) => {
            other.strip_prefix(own.as_slice()).is_some_and(|rest| rest.first() == Some(&b' '))
        }
        _ => false,
    }
}

fn of_a_ram_disk(sight: &Sight<'_>) -> bool {
    let is = |value: &Option<Value>, kind: u32| {
        *value == Some(Value::ObjectIdentifier(Oid::from([1, 3, 6, 1, 2, 1, 25, 2, 1, kind])))
    };
    is(&sight.instance.ours, 8) && is(&sight.instance.theirs, 4)
}

/// Two dates (RFC 2579 DateAndTime) that are equal but for the tenths of a second.
fn differs_in_tenths(sight: &Sight<'_>) -> bool {
    match (&sight.instance.ours, &sight.instance.theirs) {
        (Some(Value::OctetString(own)), Some(Value::OctetString(other))) => {
            own.len() >= 8 && own.len() == other.len() && own[..7] == other[..7] && own[8..] == other[8..]
        }
        _ => false,
    }
}

/// Tables of sockets, processes and neighbours: their rows come and go between two walks.
const UNSTEADY: &[&[u32]] = &[
    &[1, 3, 6, 1, 2, 1, 3, 1],
    &[1, 3, 6, 1, 2, 1, 4, 22],
    &[1, 3, 6, 1, 2, 1, 4, 35],
    &[1, 3, 6, 1, 2, 1, 6, 13],
    &[1, 3, 6, 1, 2, 1, 6, 19],
    &[1, 3, 6, 1, 2, 1, 6, 20],
    &[1, 3, 6, 1, 2, 1, 7, 5],
    &[1, 3, 6, 1, 2, 1, 7, 7],
    &[1, 3, 6, 1, 2, 1, 25, 4, 2],
    &[1, 3, 6, 1, 2, 1, 25, 5, 1],
];

/// Why an instance differs, if that is known.
pub(super) fn reason(kind: Difference, instance: &Instance, ours: &Walks<'_>) -> Option<&'static str> {
    let fits = |known: &&Documented| {
        instance.name.starts_with(known.subtree)
            && (known.kinds.is_empty() || known.kinds.contains(&kind))
            && (known.which)(&Sight { instance, rest: &instance.name[known.subtree.len()..], ours })
    };
    DOCUMENTED.iter().find(fits).map(|known| known.reason)
}

/// Whether rows of this instance's table come and go.
pub(super) fn has_unsteady_rows(name: &Oid) -> bool {
    UNSTEADY.iter().any(|table| name.starts_with(table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walked::Instances;

    fn known(name: &str, kind: Difference, ours: Option<Value>, theirs: Option<Value>) -> bool {
        let walk: Instances = [
            ("1.3.6.1.2.1.4.35.1.6.4.1.4.192.0.2.9", 2),
            ("1.3.6.1.2.1.4.35.1.6.4.1.4.192.0.2.1", 3),
            ("1.3.6.1.2.1.2.2.1.3.2", 6),
            ("1.3.6.1.2.1.2.2.1.3.3", 24),
            ("1.3.6.1.2.1.25.3.8.1.7.19", 49),
            ("1.3.6.1.2.1.25.3.8.1.7.20", 50),
            ("1.3.6.1.2.1.7.7.1.8.1.4.127.0.0.1.161.0.0.0.77", 0),
            ("1.3.6.1.2.1.7.7.1.8.1.4.127.0.0.1.500.1.4.127.0.0.2.9.78", 0),
        ]
        .into_iter()
        .map(|(name, value)| (name.parse().unwrap(), Value::Integer(value)))
        .chain([(19, 1), (20, 23)].map(|(index, kind)| {
            let kind = Oid::from([1, 3, 6, 1, 2, 1, 25, 3, 9, kind]);
            (Oid::from([1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 4, index]), Value::ObjectIdentifier(kind))
        }))
        .collect();
        let walks = Walks { before: None, first: &walk, second: &walk, silent: &[] };
        reason(kind, &Instance { name: name.parse().unwrap(), ours, theirs }, &walks).is_some()
    }

    /// Each entry knows its difference, and not another one of the same column.
    #[test]
    fn what_is_known_is_narrow() {
        let integer = |value| Some(Value::Integer(value));
        let counter = |value| Some(Value::Counter32(value));
        let date = |octets: &[u8]| Some(Value::OctetString(octets.to_vec()));
        let storage = |kind| Some(Value::ObjectIdentifier(Oid::from([1, 3, 6, 1, 2, 1, 25, 2, 1, kind])));
        let local = "1.3.6.1.2.1.4.24.7.1.7.1.4.127.0.0.1.32.6.0.0.255.0.1.0.0.0";
        let main = "1.3.6.1.2.1.4.24.7.1.7.1.4.127.0.0.1.32.2.0.0.0.0";
        for (name, kind, ours, theirs, expected) in [
            ("1.3.6.1.2.1.4.13.0", OtherValue, integer(30), integer(0), true),
            ("1.3.6.1.2.1.4.13.0", OtherValue, integer(30), integer(60), false),
            ("1.3.6.1.2.1.4.21.1.8.192.0.2.0", OtherValue, integer(2), integer(3), true),
            ("1.3.6.1.2.1.4.21.1.8.192.0.2.0", OtherValue, integer(3), integer(4), false),
            (local, MissingThere, integer(1), None, true),
            (main, MissingThere, integer(1), None, false),
            (local, MissingHere, None, integer(1), false),
            ("1.3.6.1.2.1.4.34.1.6.1.4.127.0.0.1", OtherValue, integer(1), integer(2), true),
            ("1.3.6.1.2.1.4.34.1.6.1.4.192.0.2.1", OtherValue, integer(1), integer(2), false),
            ("1.3.6.1.2.1.4.35.1.4.4.1.4.192.0.2.9", MissingThere, date(&[]), None, true),
            ("1.3.6.1.2.1.4.35.1.4.4.1.4.192.0.2.1", MissingThere, date(&[]), None, false),
            ("1.3.6.1.2.1.5.30.1.3.1.4", MissingHere, None, counter(0), true),
            ("1.3.6.1.2.1.5.30.1.3.1.4", MissingHere, None, counter(7), false),
            ("1.3.6.1.2.1.6.20.1.4.1.4.0.0.0.0.22", OtherValue, integer(0), integer(7), true),
            ("1.3.6.1.2.1.6.20.1.4.1.4.0.0.0.0.22", OtherValue, integer(8), integer(7), false),
            ("1.3.6.1.2.1.7.5.1.2.127.0.0.1.500", MissingThere, integer(500), None, true),
            ("1.3.6.1.2.1.7.5.1.2.127.0.0.1.161", MissingThere, integer(161), None, false),
            ("1.3.6.1.2.1.10.7.2.1.3.2", MissingThere, counter(0), None, true),
            ("1.3.6.1.2.1.10.7.2.1.3.3", MissingThere, counter(0), None, false),
            ("1.3.6.1.2.1.25.2.3.1.2.34", OtherValue, storage(8), storage(4), true),
            ("1.3.6.1.2.1.25.2.3.1.2.34", OtherValue, storage(4), storage(8), false),
            ("1.3.6.1.2.1.25.2.3.1.1.49", MissingThere, integer(49), None, true),
            ("1.3.6.1.2.1.25.2.3.1.1.50", MissingThere, integer(50), None, false),
            ("1.3.6.1.2.1.25.3.8.1.1.19", MissingThere, integer(19), None, true),
            ("1.3.6.1.2.1.25.3.8.1.1.20", MissingThere, integer(20), None, false),
            ("1.3.6.1.4.1.2021.9.1.1.19", MissingThere, integer(19), None, true),
            ("1.3.6.1.4.1.2021.9.1.1.20", MissingThere, integer(20), None, false),
            ("1.3.6.1.4.1.8072.1.3.2.2.1.2.1.97", OtherValue, date(b"/a"), date(b"/a b"), true),
            ("1.3.6.1.4.1.8072.1.3.2.2.1.2.1.97", OtherValue, date(b"/a"), date(b"/ab"), false),
            ("1.3.6.1.4.1.8072.1.3.2.2.1.3.1.97", OtherValue, date(b"b"), date(b""), true),
            ("1.3.6.1.4.1.8072.1.3.2.2.1.3.1.97", OtherValue, date(b"b"), date(b"c"), false),
            ("1.3.6.1.2.1.25.3.2.1.6.196608", MissingThere, counter(0), None, true),
            ("1.3.6.1.2.1.25.3.2.1.6.262145", MissingThere, counter(0), None, false),
            ("1.3.6.1.2.1.25.3.2.1.1.786432", MissingHere, None, integer(786_432), true),
            ("1.3.6.1.2.1.25.3.2.1.1.196608", MissingHere, None, integer(196_608), false),
            (
                "1.3.6.1.2.1.25.6.3.1.5.1",
                OtherValue,
                date(&[7, 234, 11, 26, 15, 51, 18, 9]),
                date(&[7, 234, 11, 26, 15, 51, 18, 0]),
                true,
            ),
            (
                "1.3.6.1.2.1.25.6.3.1.5.1",
                OtherValue,
                date(&[7, 234, 11, 26, 15, 51, 19, 9]),
                date(&[7, 234, 11, 26, 15, 51, 18, 0]),
                false,
            ),
            ("1.3.6.1.6.3.10.2.1.2.0", OtherValue, integer(1), integer(2), true),
            ("1.3.6.1.6.3.10.2.1.1.0", OtherValue, date(&[1]), date(&[2]), false),
            ("1.3.6.1.4.1.2021.100.4.0", OtherValue, date(&[1]), date(&[2]), false),
        ] {
            assert_eq!(known(name, kind, ours, theirs), expected, "{name} {kind}");
        }
    }
}
