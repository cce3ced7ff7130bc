//! One direction of a link without I/O: packets with their times of arrival go in, packets with their times of
//! departure come out. Time is nanoseconds since the start of the caller's clock; there is no clock here.
//!
//! ```text
//! arrival --> queue (bounded) --> transmitter (rate) --> wire (delay, jitter; loss, reordering) --> departure
//! ```
//!
//! A packet that the wire loses has taken its time in the transmitter. The fate of a packet depends only on the
//! seed, the direction and the packet's number (see `draw`), so the same traffic meets the same fate.

use std::collections::VecDeque;

use super::spec::{LinkSpec, Queue, Rate, SECOND, Share};

/// Nanoseconds on the caller's clock.
pub type Nanos = u64;

/// How long, beyond the transmitter's time for a packet of [`FULL`] octets, a held packet waits for one to
/// overtake it.
pub const HOLD: Nanos = 10_000_000;
/// The octets of a full Ethernet packet.
pub const FULL: u64 = 1500;

/// The fate of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It departs in order.
    Passes,
    /// It is held back until the next one overtakes it.
    Held,
    /// The wire loses it.
    Lost,
    /// The queue has no room for it.
    Overflows,
}

/// A packet at the end of the wire.
#[derive(Debug, PartialEq, Eq)]
pub struct Departure<T> {
    /// When it is due, at or before the requested time.
    pub due: Nanos,
    /// Whether a later packet has overtaken it.
    pub overtaken: bool,
    /// The packet.
    pub packet: T,
}

/// One direction of a link.
#[derive(Debug)]
pub struct Shaper<T> {
    spec: LinkSpec,
    /// Separates the draws of the two directions.
    direction: u64,
    /// The number of the next packet since the specification was set.
    number: u64,
    /// When the transmitter will have finished everything queued.
    free_at: Nanos,
    /// By how much the last transmission time was rounded down, in nanoseconds times bits per second.
    remainder: u64,
    /// When the transmission of each queued packet ends, and its octets.
    waiting: VecDeque<(Nanos, u64)>,
    waiting_octets: u64,
    /// The latest departure so far, which keeps the order.
    last: Nanos,
    /// On the wire, by time of departure.
    wire: VecDeque<Departure<T>>,
    /// Held back, each with the time at which it departs if nothing overtakes it.
    held: VecDeque<Departure<T>>,
}

impl<T> Shaper<T> {
    /// An idle direction; `direction` is any number that the other direction does not use.
    pub fn new(spec: LinkSpec, direction: u64) -> Shaper<T> {
        Shaper {
            spec,
            direction,
            number: 0,
            free_at: 0,
            remainder: 0,
            waiting: VecDeque::new(),
            waiting_octets: 0,
            last: 0,
            wire: VecDeque::new(),
            held: VecDeque::new(),
        }
    }

    /// Changes the link for packets that arrive from now on and restarts their numbers at 0, so that their fate
    /// does not depend on earlier ones. Packets under way keep their times.
    pub fn set(&mut self, spec: LinkSpec) {
        self.spec = spec;
        self.number = 0;
        self.remainder = 0;
    }

    /// Accepts a packet of this many octets that arrives at `now`. Times must not go backwards.
    pub fn arrive(&mut self, now: Nanos, octets: u64, packet: T) -> Fate {
        let number = self.number;
        self.number += 1;
        self.settle(now);
        if self.is_full(octets) {
            return Fate::Overflows;
        }
        let sent = self.transmit(now, octets);
        if self.happens(Stream::Loss, number, self.spec.loss) {
            return Fate::Lost;
        }
        let due = (sent + self.delay(number)).max(self.last);
        self.last = due;
        if self.happens(Stream::Reorder, number, self.spec.reorder) {
            let patience = due + HOLD + self.spec.rate.time(FULL).unwrap_or(0);
            let due = self.held.back().map_or(patience, |before| before.due.max(patience));
            self.held.push_back(Departure { due, overtaken: false, packet });
            return Fate::Held;
        }
        self.wire.push_back(Departure { due, overtaken: false, packet });
        // Packets whose wait ends earlier depart before this one and are not affected.
        let patient = self.held.partition_point(|held| held.due < due);
        for held in self.held.drain(patient..) {
            self.wire.push_back(Departure { due, overtaken: true, ..held });
        }
        Fate::Passes
    }

    /// When the next packet departs; `None` if there is none.
    pub fn next_departure(&self) -> Option<Nanos> {
        let fronts = [self.wire.front(), self.held.front()];
        fronts.into_iter().flatten().map(|packet| packet.due).min()
    }

    /// The next packet that is due at `now`, in the order of departure.
    pub fn depart(&mut self, now: Nanos) -> Option<Departure<T>> {
        let next = self.next_departure().filter(|due| *due <= now)?;
        match self.wire.front() {
            Some(packet) if packet.due == next => self.wire.pop_front(),
            _ => self.held.pop_front(),
        }
    }

    /// Removes finished transmissions.
    fn settle(&mut self, now: Nanos) {
        while let Some((_, octets)) = self.waiting.front().copied().filter(|(done, _)| *done <= now) {
            self.waiting_octets -= octets;
            self.waiting.pop_front();
        }
    }

    /// The queue contains everything not yet transmitted, including the current packet.
    fn is_full(&self, octets: u64) -> bool {
        match self.spec.queue {
            Queue::Packets(most) => self.waiting.len() as u64 >= u64::from(most),
            Queue::Octets(most) => self.waiting_octets + octets > most,
        }
    }

    /// Queues a packet and returns when its last bit leaves the transmitter.
    fn transmit(&mut self, now: Nanos, octets: u64) -> Nanos {
        let Rate::Bits(rate) = self.spec.rate else {
            // Packets still held back by a lifted limit depart first all the same: the order of departures holds.
            return now;
        };
        if self.free_at <= now {
            self.free_at = now;
            self.remainder = 0;
        }
        let work = octets * 8 * SECOND + self.remainder;
        self.free_at += work / rate;
        self.remainder = work % rate;
        self.waiting.push_back((self.free_at, octets));
        self.waiting_octets += octets;
        self.free_at
    }

    /// The time on the wire: uniformly distributed over the delay plus and minus the jitter.
    fn delay(&self, number: u64) -> Nanos {
        let (delay, jitter) = (nanos(self.spec.delay), nanos(self.spec.jitter));
        let width = 2 * u128::from(jitter) + 1;
        let place = (u128::from(self.draw(Stream::Jitter, number)) * width) >> 64;
        delay.saturating_sub(jitter) + place as u64
    }

    fn happens(&self, stream: Stream, number: u64, share: Share) -> bool {
        let place = (u128::from(self.draw(stream, number)) * u128::from(Share::WHOLE)) >> 64;
        (place as u64) < u64::from(share.billionths())
    }

    fn draw(&self, stream: Stream, number: u64) -> u64 {
        draw(self.spec.seed, 3 * self.direction + stream as u64, number)
    }
}

/// The random draws for each packet, each from a separate stream.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Loss = 0,
    Reorder = 1,
    Jitter = 2,
}

/// The `number`th number of a stream: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, 2014), each stream starting at a position mixed from the seed.
fn draw(seed: u64, stream: u64, number: u64) -> u64 {
    let begin = mix(seed.wrapping_add(mix(stream.wrapping_add(1))));
    mix(begin.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn nanos(duration: std::time::Duration) -> Nanos {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX / 4)
}

#[cfg(test)]
mod tests;
