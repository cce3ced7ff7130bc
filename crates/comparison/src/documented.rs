//! What both agents are known to do differently, and why: the one list of it, which `--compare --all` prints.

use trunkline_smi::Oid;

use super::difference::{Difference, Instance};

/// Differences below a subtree.
pub struct Documented {
    /// The subtree.
    pub subtree: &'static [u32],
    /// The kinds of differences; all if it is empty.
    pub kinds: &'static [Difference],
    /// Why.
    pub reason: &'static str,
}

use Difference::{MissingHere, OtherValue};

/// The list.
pub const DOCUMENTED: &[Documented] = &[
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 1, 9],
        kinds: &[],
        reason: "sysORTable lists the MIB modules of each agent (RFC 3418)",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 1, 8],
        kinds: &[],
        reason: "sysORTable lists the MIB modules of each agent (RFC 3418)",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 1, 1, 6, 1],
        kinds: &[OtherValue],
        reason: "snmpSetSerialNo begins at random (RFC 3418)",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 10, 2, 1],
        kinds: &[OtherValue],
        reason: "each agent counts its own boots and takes messages of another greatest size",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 16],
        kinds: &[],
        reason: "each agent names groups and views in its own way; `trunklined --explain-access` says what they allow",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 18],
        kinds: &[],
        reason: "snmpCommunityTable: snmpd keeps its communities elsewhere",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 12],
        kinds: &[],
        reason: "targets are left out of the comparison, so that nothing is sent",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 6, 3, 13],
        kinds: &[],
        reason: "targets are left out of the comparison, so that nothing is sent",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 8072, 1, 2],
        kinds: &[MissingHere],
        reason: "NET-SNMP-AGENT-MIB describes snmpd's own modules, caches and logs",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 8072, 1, 5],
        kinds: &[MissingHere],
        reason: "NET-SNMP-AGENT-MIB describes snmpd's own modules, caches and logs",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 8072, 1, 7],
        kinds: &[MissingHere],
        reason: "NET-SNMP-AGENT-MIB describes snmpd's own modules, caches and logs",
    },
    Documented {
        subtree: &[1, 3, 6, 1, 4, 1, 8072, 1, 9],
        kinds: &[MissingHere],
        reason: "NET-SNMP-VACM-MIB is not served",
    },
    Documented { subtree: &[1, 3, 6, 1, 2, 1, 28], kinds: &[MissingHere], reason: "MTA-MIB is not served" },
    Documented {
        subtree: &[1, 3, 6, 1, 2, 1, 55],
        kinds: &[MissingHere],
        reason: "IPV6-MIB is obsolete (RFC 8096); IP-MIB has the same",
    },
];

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
pub(super) fn reason(name: &Oid, kind: Difference, _instance: &Instance) -> Option<&'static str> {
    let fits = |known: &&Documented| {
        name.starts_with(known.subtree) && (known.kinds.is_empty() || known.kinds.contains(&kind))
    };
    DOCUMENTED.iter().find(fits).map(|known| known.reason)
}

/// Whether rows of this instance's table come and go.
pub(super) fn has_unsteady_rows(name: &Oid) -> bool {
    UNSTEADY.iter().any(|table| name.starts_with(table))
}
