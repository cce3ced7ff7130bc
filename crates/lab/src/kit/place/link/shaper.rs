//! One direction of a link without I/O: packets with their times of arrival go in, packets with their times of departure
//! come out. The time is nanoseconds since whenever the caller's clock began; here is not a clock.
//!
//! ```text
//! arrival --> queue (bounded) --> transmitter (rate) --> wire (delay, jitter; loss, reordering) --> departure
//! ```
//!
//! A packet that the wire loses has taken its time in the transmitter. What happens to a packet is a function of the
//! seed, the direction and the packet's number alone (see `draw`), so the same traffic meets the same fate.

use std::collections::VecDeque;

use super::spec::{LinkSpec, Queue, Rate, SECOND, Share};

/// Nanoseconds on the caller's clock.
pub type Nanos = u64;

/// How much longer than the transmitter takes for a packet of [`FULL`] octets a packet that is to be overtaken waits for
/// one that overtakes it.
pub const HOLD: Nanos = 10_000_000;
/// The octets of a full packet on an Ethernet.
pub const FULL: u64 = 1500;

/// What becomes of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It departs in its turn.
    Passes,
    /// It is held back for the next one to overtake it.
    Held,
    /// The wire loses it.
    Lost,
    /// There is no room for it in the queue.
    Overflows,
}

/// A packet at the end of the wire.
#[derive(Debug, PartialEq, Eq)]
pub struct Departure<T> {
    /// When it is due, at or before the time at which it was asked for.
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
    /// Sets the draws of one direction apart from those of the other.
    direction: u64,
    /// The number of the next packet since the specification was set.
    number: u64,
    /// When the transmitter has done with what it has been given.
    free_at: Nanos,
    /// What the transmitter's last time was rounded down by, in nanoseconds times bits per second.
    remainder: u64,
    /// When each packet that the transmitter has not done with will be done, and its octets.
    waiting: VecDeque<(Nanos, u64)>,
    waiting_octets: u64,
    /// The latest departure so far: the order holds.
    last: Nanos,
    /// On the wire, by time of departure.
    wire: VecDeque<Departure<T>>,
    /// Held back, each with the time at which it departs when nothing overtakes it.
    held: VecDeque<Departure<T>>,
}

impl<T> Shaper<T> {
    /// An idle direction; `direction` is any number that the other direction does not have.
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

    /// Changes the link for packets that arrive from now on and counts them from 0 again, so that what happens to them
    /// depends on nothing before. What is under way keeps its times.
    pub fn set(&mut self, spec: LinkSpec) {
        self.spec = spec;
        self.number = 0;
        self.remainder = 0;
    }

    /// Takes a packet of so many octets that arrives at `now`. Times must not go backwards.
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
        // Those whose patience ends earlier depart before this one and are no concern of it.
        let patient = self.held.partition_point(|held| held.due < due);
        for held in self.held.drain(patient..) {
            self.wire.push_back(Departure { due, overtaken: true, ..held });
        }
        Fate::Passes
    }

    /// When the next packet departs; `None` while there is none.
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

    /// Forgets what the transmitter has done with.
    fn settle(&mut self, now: Nanos) {
        while let Some((_, octets)) = self.waiting.front().copied().filter(|(done, _)| *done <= now) {
            self.waiting_octets -= octets;
            self.waiting.pop_front();
        }
    }

    /// The queue is what the transmitter has not done with, the packet that it is at included.
    fn is_full(&self, octets: u64) -> bool {
        match self.spec.queue {
            Queue::Packets(most) => self.waiting.len() as u64 >= u64::from(most),
            Queue::Octets(most) => self.waiting_octets + octets > most,
        }
    }

    /// Queues a packet and says when its last bit leaves the transmitter.
    fn transmit(&mut self, now: Nanos, octets: u64) -> Nanos {
        let Rate::Bits(rate) = self.spec.rate else {
            // What a limit that was lifted still holds back goes first all the same: the order of departures holds.
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

/// What is drawn for each packet, each from a stream of its own.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Loss = 0,
    Reorder = 1,
    Jitter = 2,
}

/// The `number`th number of a stream: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// 2014), each stream beginning at a place that is mixed from the seed.
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
