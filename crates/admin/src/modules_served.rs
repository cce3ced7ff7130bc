//! sysORTable and sysORLastChange (RFC 3418): which modules the agent serves. Those of the agent itself are there from the start; others,
//! such as those of subagents (RFC 2741 section 7.1.9), come and go at run time.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use trunkline_smi::Oid;

/// The rows of sysORTable.
#[derive(Debug)]
pub struct ModulesServed {
    started: Instant,
    table: Mutex<Table>,
}

#[derive(Debug)]
struct Table {
    rows: BTreeMap<u32, ServedModule>,
    next: u32,
    changed: u32,
}

/// A row of sysORTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedModule {
    /// sysORID: a statement of capabilities or compliance, or the module.
    pub identity: Oid,
    /// sysORDescr, at most 255 octets.
    pub description: String,
    /// sysORUpTime: sysUpTime when the row came, in hundredths of a second.
    pub since: u32,
}

impl ModulesServed {
    /// What the agent itself serves. `started` is the moment of sysUpTime 0.
    pub fn new(started: Instant) -> Self {
        let own = IMPLEMENTED.iter().filter_map(|(identity, description)| {
            let identity = Oid::new(identity).ok()?;
            Some(ServedModule { identity, description: (*description).into(), since: 0 })
        });
        let rows: BTreeMap<u32, ServedModule> = (1..).zip(own).collect();
        let next = rows.len() as u32 + 1;
        ModulesServed { started, table: Mutex::new(Table { rows, next, changed: 0 }) }
    }

    /// Adds a row and returns its sysORIndex, which no row has had before; `None` if there are [`MOST_ROWS`]. A longer description is cut.
    pub fn add(&self, identity: Oid, description: &str, now: Instant) -> Option<u32> {
        let mut table = self.lock();
        let index = table.next;
        if table.rows.len() >= MOST_ROWS || index > i32::MAX as u32 {
            return None;
        }
        let since = self.up_time(now);
        let description = truncated(description.to_owned());
        table.rows.insert(index, ServedModule { identity, description, since });
        (table.next, table.changed) = (index + 1, since);
        Some(index)
    }

    /// Removes a row that was added; returns whether it was there.
    pub fn remove(&self, index: u32, now: Instant) -> bool {
        let mut table = self.lock();
        let was_there = index as usize > IMPLEMENTED.len() && table.rows.remove(&index).is_some();
        if was_there {
            table.changed = self.up_time(now);
        }
        was_there
    }

    /// The rows by sysORIndex, and sysORLastChange.
    pub fn rows(&self) -> (BTreeMap<u32, ServedModule>, u32) {
        let table = self.lock();
        (table.rows.clone(), table.changed)
    }

    /// sysUpTime, which wraps after 497 days.
    pub fn up_time(&self, now: Instant) -> u32 {
        (now.saturating_duration_since(self.started).as_millis() / 10) as u32
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// At most 255 octets, cut between characters.
pub(crate) fn truncated(mut text: String) -> String {
    while text.len() > 255 {
        text.pop();
    }
    text
}

/// How many rows there may be, with those of subagents.
pub const MOST_ROWS: usize = 10_000;

/// The identities of the implemented modules: the module or compliance, and its description.
const IMPLEMENTED: &[(&[u32], &str)] = &[
    (&[1, 3, 6, 1, 6, 3, 1], "SNMPv2-MIB: the SNMP entity (RFC 3418)"),
    (&[1, 3, 6, 1, 6, 3, 10, 3, 1, 1], "SNMP-FRAMEWORK-MIB: the SNMP engine (RFC 3411)"),
    (&[1, 3, 6, 1, 6, 3, 11, 3, 1, 1], "SNMP-MPD-MIB: message processing and dispatching (RFC 3412)"),
    (&[1, 3, 6, 1, 6, 3, 12, 3, 1, 1], "SNMP-TARGET-MIB: targets of messages (RFC 3413)"),
    (&[1, 3, 6, 1, 6, 3, 13, 3, 1, 3], "SNMP-NOTIFICATION-MIB: notifications and their filters (RFC 3413)"),
    (&[1, 3, 6, 1, 6, 3, 15, 2, 1, 1], "SNMP-USER-BASED-SM-MIB: users (RFC 3414)"),
    (&[1, 3, 6, 1, 6, 3, 16, 2, 1, 1], "SNMP-VIEW-BASED-ACM-MIB: access (RFC 3415)"),
    (&[1, 3, 6, 1, 6, 3, 18, 2, 1, 1], "SNMP-COMMUNITY-MIB: communities (RFC 3584)"),
    (&[1, 3, 6, 1, 2, 1, 190, 2, 1, 1], "SNMP-TSM-MIB: names that transports authenticate (RFC 5591)"),
    (&[1, 3, 6, 1, 2, 1, 198, 3, 1, 1], "SNMP-TLS-TM-MIB: TLS and DTLS (RFC 6353)"),
    (&[1, 3, 6, 1, 2, 1, 189, 2, 1, 1], "SNMP-SSH-TM-MIB: SSH (RFC 5592)"),
    (&[1, 3, 6, 1, 2, 1, 92, 3, 1, 1], "NOTIFICATION-LOG-MIB: the log of notifications (RFC 3014)"),
    (&[1, 3, 6, 1, 2, 1, 88, 3, 1, 1], "DISMAN-EVENT-MIB: triggers and what they cause (RFC 2981)"),
    (&[1, 3, 6, 1, 2, 1, 90, 3, 1, 1], "DISMAN-EXPRESSION-MIB: values computed of others (RFC 2982)"),
    (&[1, 3, 6, 1, 2, 1], "RFC1213-MIB: the tables at and ipRoute of MIB-II (RFC 1213)"),
    (&[1, 3, 6, 1, 2, 1, 31], "IF-MIB: network interfaces (RFC 2863)"),
    (&[1, 3, 6, 1, 2, 1, 35], "EtherLike-MIB: Ethernet interfaces (RFC 3635)"),
    (&[1, 3, 6, 1, 2, 1, 48], "IP-MIB: IP and ICMP (RFC 4293)"),
    (&[1, 3, 6, 1, 2, 1, 4, 24], "IP-FORWARD-MIB: routes (RFC 4292)"),
    (&[1, 3, 6, 1, 2, 1, 49], "TCP-MIB: TCP (RFC 4022)"),
    (&[1, 3, 6, 1, 2, 1, 156], "TCP-ESTATS-MIB: statistics of TCP connections (RFC 4898)"),
    (&[1, 3, 6, 1, 2, 1, 50], "UDP-MIB: UDP (RFC 4113)"),
    (&[1, 3, 6, 1, 2, 1, 17], "BRIDGE-MIB: a bridge (RFC 4188)"),
    (&[1, 3, 6, 1, 2, 1, 17, 7], "Q-BRIDGE-MIB: the VLANs of a bridge (RFC 4363)"),
    (&[1, 3, 6, 1, 2, 1, 47], "ENTITY-MIB: what the machine is made of (RFC 6933)"),
    (&[1, 3, 6, 1, 2, 1, 99], "ENTITY-SENSOR-MIB: sensors (RFC 3433)"),
    (&[1, 3, 6, 1, 2, 1, 25, 7, 1], "HOST-RESOURCES-MIB: the host (RFC 2790)"),
    (&[1, 3, 6, 1, 4, 1, 2021], "UCD-SNMP-MIB: memory, load, disks, system statistics"),
    (&[1, 3, 6, 1, 4, 1, 2021, 13, 15], "UCD-DISKIO-MIB: what block devices have read and written"),
    (&[1, 3, 6, 1, 4, 1, 2021, 13, 16], "LM-SENSORS-MIB: sensors as Net-SNMP has them"),
    (&[1, 3, 6, 1, 4, 1, 8072, 1, 3, 1], "NET-SNMP-EXTEND-MIB: programs and what they print"),
    (&[1, 3, 6, 1, 3, 9161], "TRUNKLINE-MIB: monitors, and groups of other agents"),
];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn rows_come_and_go_and_their_numbers_are_not_used_again() {
        let started = Instant::now();
        let at = |seconds| started + Duration::from_secs(seconds);
        let served = ModulesServed::new(started);
        let own = IMPLEMENTED.len() as u32;
        let (rows, changed) = served.rows();
        assert_eq!((rows.len() as u32, changed), (own, 0));
        assert!(rows.values().all(|row| row.since == 0));
        let identity = Oid::from([1, 3, 6, 1, 2, 1, 15]);
        let first = served.add(identity.clone(), &"ü".repeat(200), at(3)).unwrap();
        assert_eq!(served.add(identity.clone(), "another", at(4)), Some(first + 1));
        let (rows, changed) = served.rows();
        assert_eq!((first, changed), (own + 1, 400));
        assert_eq!((rows[&first].since, rows[&first].description.len()), (300, 254));
        assert!(served.remove(first, at(5)));
        assert!(!served.remove(first, at(6)));
        // What the agent itself serves stays.
        assert!(!served.remove(1, at(6)));
        assert_eq!(served.rows().1, 500);
        assert_eq!(served.add(identity.clone(), "third", at(7)), Some(first + 2));
        let more = (0..).map_while(|_| served.add(identity.clone(), "", at(8))).count();
        assert_eq!((more, served.rows().0.len()), (MOST_ROWS - own as usize - 2, MOST_ROWS));
    }

    #[test]
    fn identities_are_of_modules_that_are_served() {
        for (identity, description) in IMPLEMENTED {
            let name = description.split(':').next().unwrap();
            let known = trunkline_smi::module::ALL.iter().any(|module| module.name == name);
            assert!(known, "{name} {identity:?}");
        }
    }

    #[test]
    fn every_module_with_objects_is_there() {
        for module in trunkline_smi::module::ALL {
            let is_listed = IMPLEMENTED.iter().any(|(_, words)| words.split(':').next() == Some(module.name));
            // That of subagents is added where there may be some.
            let is_expected =
                !(module.scalars.is_empty() && module.tables.is_empty()) && module.name != "AGENTX-MIB";
            assert!(is_listed || !is_expected, "{}", module.name);
        }
    }
}
