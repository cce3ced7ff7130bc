//! An in-memory datagram link with faults, for tests on virtual time: it can drop, duplicate, reorder and delay
//! datagrams, as UDP does.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use tokio::sync::{Mutex, mpsc};
use tokio::time::{Instant, sleep_until};

/// The faults in one direction. Without faults datagrams arrive at once and in order.
pub struct Faults {
    /// The share that is dropped, 0 to 1.
    pub drop: f64,
    /// The share that arrives twice.
    pub duplicate: f64,
    /// The share that is held back by another `delay` and `jitter`, so that later datagrams overtake it.
    pub reorder: f64,
    /// The minimum delay of each.
    pub delay: Duration,
    /// The maximum additional delay.
    pub jitter: Duration,
    /// Longer datagrams are dropped, as on a path that loses fragments.
    pub max_datagram: usize,
    /// The source of randomness: numbers from 0 (included) to 1 (excluded). Pass a seeded generator, so that a
    /// failure can be reproduced.
    pub random: Box<dyn FnMut() -> f64 + Send>,
}

impl Faults {
    /// No faults: everything arrives at once.
    #[must_use]
    pub fn none() -> Self {
        Self::seeded(|| 0.5)
    }

    /// No faults yet, with a source of randomness.
    pub fn seeded(random: impl FnMut() -> f64 + Send + 'static) -> Self {
        Self {
            drop: 0.0,
            duplicate: 0.0,
            reorder: 0.0,
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            max_datagram: usize::MAX,
            random: Box::new(random),
        }
    }

    fn happens(&mut self, share: f64) -> bool {
        share > 0.0 && (self.random)() < share
    }

    /// The delays of the copies that arrive: none, one or two.
    fn fate(&mut self, len: usize) -> Vec<Duration> {
        if len > self.max_datagram || self.happens(self.drop) {
            return Vec::new();
        }
        let copies = if self.happens(self.duplicate) { 2 } else { 1 };
        (0..copies).map(|_| self.one_delay()).collect()
    }

    fn one_delay(&mut self) -> Duration {
        let mut delay = self.delay + self.jitter.mul_f64((self.random)());
        if self.happens(self.reorder) {
            delay += self.delay + self.jitter + Duration::from_millis(1);
        }
        delay
    }
}

/// One end of a link.
pub struct MemoryEndpoint {
    out: mpsc::UnboundedSender<Vec<u8>>,
    arrived: Mutex<mpsc::UnboundedReceiver<Vec<u8>>>,
}

impl MemoryEndpoint {
    /// Sends a datagram. As with UDP, there is no confirmation that it arrives.
    pub fn send(&self, octets: &[u8]) {
        let _ = self.out.send(octets.to_vec());
    }

    /// Waits for the next datagram; `None` once the other end is gone and all that it sent has arrived.
    pub async fn recv(&self) -> Option<Vec<u8>> {
        self.arrived.lock().await.recv().await
    }
}

/// A link with two ends and the faults of each direction. Needs a tokio runtime; the link lives until both ends
/// are dropped.
#[must_use]
pub fn pair(first_to_second: Faults, second_to_first: Faults) -> (MemoryEndpoint, MemoryEndpoint) {
    let (out_a, in_b) = direction(first_to_second);
    let (out_b, in_a) = direction(second_to_first);
    (MemoryEndpoint { out: out_a, arrived: in_a }, MemoryEndpoint { out: out_b, arrived: in_b })
}

type Direction = (mpsc::UnboundedSender<Vec<u8>>, Mutex<mpsc::UnboundedReceiver<Vec<u8>>>);

fn direction(faults: Faults) -> Direction {
    let (into, from) = mpsc::unbounded_channel();
    let (deliver, arrived) = mpsc::unbounded_channel();
    tokio::spawn(relay(from, deliver, faults));
    (into, Mutex::new(arrived))
}

/// Carries datagrams from one end to the other. `under_way` is ordered by time of arrival, then by order of
/// sending.
async fn relay(
    mut from: mpsc::UnboundedReceiver<Vec<u8>>,
    deliver: mpsc::UnboundedSender<Vec<u8>>,
    mut faults: Faults,
) {
    let mut under_way: BinaryHeap<Reverse<(Instant, u64, Vec<u8>)>> = BinaryHeap::new();
    let (mut sent, mut open) = (0, true);
    while open || !under_way.is_empty() {
        let next = under_way.peek().map(|Reverse((at, ..))| *at);
        tokio::select! {
            datagram = from.recv(), if open => match datagram {
                None => open = false,
                Some(octets) => {
                    for delay in faults.fate(octets.len()) {
                        sent += 1;
                        under_way.push(Reverse((Instant::now() + delay, sent, octets.clone())));
                    }
                }
            },
            () = async { sleep_until(next.unwrap_or_else(Instant::now)).await }, if next.is_some() => {
                if let Some(Reverse((_, _, octets))) = under_way.pop() {
                    let _ = deliver.send(octets);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn received(faults: Faults, count: u32) -> Vec<u32> {
        let (a, b) = pair(faults, Faults::none());
        for i in 0..count {
            a.send(&i.to_be_bytes());
        }
        drop(a);
        let mut numbers = Vec::new();
        while let Some(octets) = b.recv().await {
            numbers.push(u32::from_be_bytes(octets.try_into().unwrap()));
        }
        numbers
    }

    /// A small generator, good enough to spread faults: the high bits of a multiplicative congruence.
    fn chance() -> impl FnMut() -> f64 + Send {
        let mut state = 12_345u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as f64 / f64::from(1u32 << 31)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wire_without_faults_keeps_everything_in_order() {
        assert_eq!(received(Faults::none(), 100).await, (0..100).collect::<Vec<_>>());
    }

    #[tokio::test(start_paused = true)]
    async fn dropped_and_duplicated_shares_are_as_requested() {
        let dropping = received(Faults { drop: 0.3, ..Faults::seeded(chance()) }, 10_000).await;
        assert!((6_800..7_200).contains(&dropping.len()), "{}", dropping.len());
        let doubling = received(Faults { duplicate: 0.2, ..Faults::seeded(chance()) }, 10_000).await;
        assert!((11_800..12_200).contains(&doubling.len()), "{}", doubling.len());
    }

    #[tokio::test(start_paused = true)]
    async fn reordering_loses_nothing() {
        let faults = Faults { reorder: 0.2, ..Faults::seeded(chance()) };
        let mut numbers = received(faults, 1_000).await;
        assert!(!numbers.is_sorted());
        numbers.sort_unstable();
        assert_eq!(numbers, (0..1_000).collect::<Vec<_>>());
    }

    #[tokio::test(start_paused = true)]
    async fn a_datagram_takes_its_delay_and_a_long_one_is_lost() {
        let faults =
            Faults { delay: Duration::from_millis(70), max_datagram: 100, ..Faults::seeded(chance()) };
        let (a, b) = pair(faults, Faults::none());
        let start = Instant::now();
        a.send(&[0; 101]);
        a.send(&[0; 100]);
        assert_eq!(b.recv().await.unwrap().len(), 100);
        assert!(start.elapsed() >= Duration::from_millis(70));
    }
}
