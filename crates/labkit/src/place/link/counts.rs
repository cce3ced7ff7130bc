//! Counts of a link: packets and octets, and how late its relay was.

use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

/// The two directions of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the manager to the agent.
    ToAgent,
    /// From the agent to the manager.
    ToManager,
}

/// The exact traffic of a link. For an interval subtract two readings: `after - before`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct LinkCounts {
    /// From the manager to the agent.
    pub to_agent: DirectionCounts,
    /// From the agent to the manager.
    pub to_manager: DirectionCounts,
}

/// The traffic in one direction. If nothing is under way, `sent` has as many packets as `delivered`, `lost`,
/// `overflowed` and `refused` together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct DirectionCounts {
    /// What the sending end passed to the link.
    pub sent: Traffic,
    /// What the receiving end got.
    pub delivered: Traffic,
    /// Packets that the wire lost, according to the specification's `loss`.
    pub lost: u64,
    /// Packets that the queue had no room for.
    pub overflowed: u64,
    /// Packets of `delivered` that the next one overtook.
    pub overtaken: u64,
    /// Packets that the receiving end's kernel refused: 0, unless its interface is down.
    pub refused: u64,
}

/// Packets and their octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Traffic {
    /// IP packets; a fragment is one.
    pub packets: u64,
    /// Octets from the IP header on, as Pras et al. count.
    pub ip_octets: u64,
    /// Octets of Ethernet frames on the wire without preamble and checksum: 14 of header, at least 60 in total.
    pub padded_octets: u64,
}

impl LinkCounts {
    /// The traffic in one direction.
    pub fn get(&self, direction: Direction) -> &DirectionCounts {
        match direction {
            Direction::ToAgent => &self.to_agent,
            Direction::ToManager => &self.to_manager,
        }
    }

    /// What both ends sent, including lost packets.
    pub fn sent(&self) -> Traffic {
        self.to_agent.sent + self.to_manager.sent
    }

    /// Packets that the wire lost, in both directions.
    pub fn lost(&self) -> u64 {
        self.to_agent.lost + self.to_manager.lost
    }

    /// What both ends got.
    pub fn delivered(&self) -> Traffic {
        self.to_agent.delivered + self.to_manager.delivered
    }

    /// The traffic at the manager's interface, as a capture there shows it: what it sent and what it got.
    pub fn at_manager(&self) -> Traffic {
        self.to_agent.sent + self.to_manager.delivered
    }
}

impl DirectionCounts {
    /// Packets sent whose fate is still open; for readings, not for differences of them.
    pub fn under_way(&self) -> u64 {
        let over = self.delivered.packets + self.lost + self.overflowed + self.refused;
        self.sent.packets.saturating_sub(over)
    }
}

impl Traffic {
    /// One packet of this many octets.
    pub(super) fn packet(octets: usize) -> Traffic {
        let ip_octets = octets as u64;
        Traffic { packets: 1, ip_octets, padded_octets: (ip_octets + ETHERNET_HEADER).max(ETHERNET_LEAST) }
    }

    /// Octets of Ethernet frames as a capture at the sender shows them, and as Marinov and Schönwälder count: each
    /// packet with 14 octets of header, not padded.
    pub fn ethernet_octets(&self) -> u64 {
        self.ip_octets + ETHERNET_HEADER * self.packets
    }
}

impl Add for Traffic {
    type Output = Traffic;

    fn add(self, other: Traffic) -> Traffic {
        Traffic {
            packets: self.packets + other.packets,
            ip_octets: self.ip_octets + other.ip_octets,
            padded_octets: self.padded_octets + other.padded_octets,
        }
    }
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Traffic) {
        *self = *self + other;
    }
}

/// `self` is the later reading.
impl Sub for Traffic {
    type Output = Traffic;

    fn sub(self, before: Traffic) -> Traffic {
        Traffic {
            packets: self.packets - before.packets,
            ip_octets: self.ip_octets - before.ip_octets,
            padded_octets: self.padded_octets - before.padded_octets,
        }
    }
}

/// `self` is the later reading.
impl Sub for DirectionCounts {
    type Output = DirectionCounts;

    fn sub(self, before: DirectionCounts) -> DirectionCounts {
        DirectionCounts {
            sent: self.sent - before.sent,
            delivered: self.delivered - before.delivered,
            lost: self.lost - before.lost,
            overflowed: self.overflowed - before.overflowed,
            overtaken: self.overtaken - before.overtaken,
            refused: self.refused - before.refused,
        }
    }
}

/// `self` is the later reading.
impl Sub for LinkCounts {
    type Output = LinkCounts;

    fn sub(self, before: LinkCounts) -> LinkCounts {
        LinkCounts {
            to_agent: self.to_agent - before.to_agent,
            to_manager: self.to_manager - before.to_manager,
        }
    }
}

/// How long after its due time the relay delivered a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Lateness {
    /// The number of packets delivered.
    pub packets: u64,
    /// Half of them were at most this late; rounded up by at most 3 %, as is `p99`.
    pub median: Duration,
    /// 99 of 100 were at most this late.
    pub p99: Duration,
    /// The maximum.
    pub max: Duration,
}

/// Counts how often each lateness occurred, in classes whose width is at most 1/32 of their lower end.
#[derive(Debug, Clone)]
pub(super) struct Histogram {
    classes: Vec<u64>,
    max: u64,
}

impl Histogram {
    pub(super) fn new() -> Histogram {
        Histogram { classes: vec![0; CLASSES], max: 0 }
    }

    pub(super) fn add(&mut self, nanos: u64) {
        self.classes[class(nanos)] += 1;
        self.max = self.max.max(nanos);
    }

    pub(super) fn merge(&mut self, other: &Histogram) {
        for (here, there) in self.classes.iter_mut().zip(&other.classes) {
            *here += there;
        }
        self.max = self.max.max(other.max);
    }

    pub(super) fn summary(&self) -> Lateness {
        Lateness {
            packets: self.classes.iter().sum(),
            median: self.quantile(50),
            p99: self.quantile(99),
            max: Duration::from_nanos(self.max),
        }
    }

    /// The percentile.
    fn quantile(&self, percent: u64) -> Duration {
        let total: u64 = self.classes.iter().sum();
        let mut left = (total * percent).div_ceil(100);
        for (number, count) in self.classes.iter().enumerate() {
            left = left.saturating_sub(*count);
            if left == 0 && total > 0 {
                return Duration::from_nanos(end(number).min(self.max));
            }
        }
        Duration::ZERO
    }
}

/// The class of a number: itself below 64, then 32 per doubling.
fn class(number: u64) -> usize {
    let doublings = (number | 63).ilog2() - 5;
    (u64::from(doublings) * 32 + (number >> doublings)) as usize
}

/// The greatest number of a class.
fn end(class: usize) -> u64 {
    let doublings = (class as u64 / 32).saturating_sub(1);
    let place = class as u64 - 32 * doublings;
    (u128::from(place + 1) << doublings).saturating_sub(1) as u64
}

const CLASSES: usize = 59 * 32 + 32;
const ETHERNET_HEADER: u64 = 14;
const ETHERNET_LEAST: u64 = 60;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn octets_are_counted_as_both_papers_do() {
        let sum = Traffic::packet(40) + Traffic::packet(46) + Traffic::packet(1500);
        assert_eq!(sum, Traffic { packets: 3, ip_octets: 1586, padded_octets: 60 + 60 + 1514 });
        assert_eq!(sum.ethernet_octets(), 1586 + 42);
    }

    #[test]
    fn readings_make_a_difference() {
        let mut before = LinkCounts::default();
        before.to_agent.sent += Traffic::packet(40);
        let mut after = before;
        after.to_agent.sent += Traffic::packet(100);
        after.to_manager.delivered += Traffic::packet(50);
        after.to_manager.sent += Traffic::packet(50);
        after.to_agent.lost += 1;
        let difference = after - before;
        assert_eq!(difference.to_agent.sent, Traffic::packet(100));
        assert_eq!(difference.at_manager(), Traffic::packet(100) + Traffic::packet(50));
        assert_eq!((difference.to_agent.under_way(), difference.to_manager.under_way()), (0, 0));
    }

    #[test]
    fn lateness_of_nothing_is_zero() {
        assert_eq!(Histogram::new().summary(), Lateness::default());
    }

    proptest! {
        #[test]
        fn a_class_holds_its_number_and_is_narrow(number: u64) {
            let class = class(number);
            prop_assert!(class < CLASSES);
            prop_assert!(number <= end(class));
            prop_assert!(class == 0 || end(class - 1) < number);
            prop_assert!(end(class) - number <= number / 32);
        }

        #[test]
        fn quantiles_are_within_three_per_cent(mut samples in prop::collection::vec(0..10_000_000u64, 1..300)) {
            let mut halves = [Histogram::new(), Histogram::new()];
            samples.iter().enumerate().for_each(|(number, sample)| halves[number % 2].add(*sample));
            let [mut all, other] = halves;
            all.merge(&other);
            samples.sort_unstable();
            let exact = |percent: usize| samples[(samples.len() * percent).div_ceil(100) - 1];
            let summary = all.summary();
            prop_assert_eq!(summary.packets, samples.len() as u64);
            prop_assert_eq!(summary.max.as_nanos() as u64, exact(100));
            for (found, exact) in [(summary.median, exact(50)), (summary.p99, exact(99))] {
                let found = found.as_nanos() as u64;
                prop_assert!(exact <= found && found <= exact + exact / 32, "{found} for {exact}");
            }
        }
    }
}
