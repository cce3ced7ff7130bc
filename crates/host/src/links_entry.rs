//! One interface in the table of [`crate::links`], with its past.

use crate::interfaces_status::oper_status;
use trunkline_source::netlink::ethtool::Settings;
use trunkline_source::netlink::link::{Link, LinkCounters};

/// An interface as the kernel last reported it. Times are hundredths of a second of sysUpTime.
#[derive(Debug)]
pub(crate) struct Entry {
    pub index: u32,
    /// Everything but the texts.
    link: Link<'static>,
    name: Box<[u8]>,
    alias: Box<[u8]>,
    address: Box<[u8]>,
    broadcast: Box<[u8]>,
    kind: Box<[u8]>,
    /// ifLastChange.
    pub last_change: u32,
    /// ifCounterDiscontinuityTime.
    pub discontinuity: u32,
    /// Speed and duplex mode as last read; `None` when they must be read again.
    pub settings: Option<Settings>,
}

impl Entry {
    /// An interface that is there since `since`. Its counters begin then, so that is also a discontinuity:
    /// an interface of the same index may have been there before.
    pub(crate) fn new(link: &Link<'_>, since: u32) -> Self {
        Entry {
            index: link.index,
            link: without_texts(link),
            name: link.name.into(),
            alias: link.alias.into(),
            address: link.address.into(),
            broadcast: link.broadcast.into(),
            kind: link.kind.into(),
            last_change: since,
            discontinuity: since,
            settings: None,
        }
    }

    /// The interface as the kernel's message was.
    pub(crate) fn link(&self) -> Link<'_> {
        Link {
            name: &self.name,
            alias: &self.alias,
            address: &self.address,
            broadcast: &self.broadcast,
            kind: &self.kind,
            ..self.link
        }
    }

    /// Applies the kernel's current report.
    pub(crate) fn update(&mut self, link: &Link<'_>, now: u32) {
        let before = self.link;
        self.count(link.counters, now);
        self.link = without_texts(link);
        if oper_status(&before) != oper_status(link) {
            self.last_change = now;
        }
        if (before.carrier_changes, before.master) != (link.carrier_changes, link.master) {
            self.settings = None;
        }
        replace(&mut self.name, link.name);
        replace(&mut self.alias, link.alias);
        replace(&mut self.address, link.address);
        replace(&mut self.broadcast, link.broadcast);
        replace(&mut self.kind, link.kind);
    }

    /// Applies counters read now.
    pub(crate) fn count(&mut self, counters: LinkCounters, now: u32) {
        if went_backwards(&self.link.counters, &counters) {
            self.discontinuity = now;
        }
        self.link.counters = counters;
    }
}

pub(crate) fn without_texts(link: &Link<'_>) -> Link<'static> {
    Link { name: &[], alias: &[], address: &[], broadcast: &[], kind: &[], ..*link }
}

fn replace(kept: &mut Box<[u8]>, told: &[u8]) {
    if **kept != *told {
        *kept = told.into();
    }
}

/// Whether a counter is lower than before: 64-bit counters do not wrap in practice.
fn went_backwards(before: &LinkCounters, after: &LinkCounters) -> bool {
    after.rx_bytes < before.rx_bytes
        || after.tx_bytes < before.tx_bytes
        || after.rx_packets < before.rx_packets
        || after.tx_packets < before.tx_packets
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_source::netlink::link::{IFF_LOWER_UP, IFF_UP};

    fn link(flags: u32, rx_bytes: u64) -> Link<'static> {
        let counters = LinkCounters { rx_bytes, ..LinkCounters::default() };
        Link { index: 5, flags, name: b"x0", counters, ..Link::default() }
    }

    #[test]
    fn times_are_those_of_the_change() {
        let mut entry = Entry::new(&link(IFF_UP | IFF_LOWER_UP, 10), 0);
        entry.update(&link(IFF_UP | IFF_LOWER_UP, 20), 100);
        assert_eq!((entry.last_change, entry.discontinuity), (0, 0));
        entry.update(&link(0, 20), 200);
        assert_eq!((entry.last_change, entry.discontinuity), (200, 0));
        entry.count(LinkCounters::default(), 300);
        assert_eq!((entry.last_change, entry.discontinuity), (200, 300));
    }

    #[test]
    fn a_new_carrier_triggers_reading_the_speed() {
        let mut entry = Entry::new(&link(IFF_UP, 0), 0);
        let known = Some(Settings { speed: Some(1000), ..Settings::default() });
        entry.settings = known;
        entry.update(&link(IFF_UP, 0), 1);
        assert_eq!(entry.settings, known);
        entry.update(&Link { carrier_changes: 1, ..link(IFF_UP, 0) }, 2);
        assert_eq!(entry.settings, None);
    }
}
