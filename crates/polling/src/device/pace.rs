//! How fast a device is asked: how long its answers take, how many requests it gets at once, and how many rows one answer has.

use std::time::Duration;

use super::Limits;

/// Round-trip times (Jacobson; RFC 6298). Each transmission has its own number, so that an answer says which one it answers:
/// Karn's ambiguity does not arise, and answers to repeated requests are samples too.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundTrip {
    smoothed: Option<Duration>,
    variation: Duration,
    /// Time-outs since the last sample: each doubles the next one.
    backoff: u32,
}

impl RoundTrip {
    /// RFC 6298 sections 2.2 and 2.3.
    pub fn sample(&mut self, taken: Duration) {
        self.backoff = 0;
        let Some(smoothed) = self.smoothed else {
            (self.smoothed, self.variation) = (Some(taken), taken / 2);
            return;
        };
        self.variation = (self.variation * 3 + smoothed.abs_diff(taken)) / 4;
        self.smoothed = Some((smoothed * 7 + taken) / 8);
    }

    /// RFC 6298 section 5.5.
    pub fn timed_out(&mut self) {
        self.backoff = (self.backoff + 1).min(MOST_DOUBLED);
    }

    /// How long the next answer is waited for.
    pub fn timeout(&self, limits: &Limits) -> Duration {
        let calm = self.smoothed.map_or(limits.first_timeout, |it| it + (self.variation * 4).max(GRAIN));
        let calm = calm.max(limits.min_timeout);
        (calm * (1 << self.backoff)).min(limits.max_timeout.max(limits.min_timeout))
    }

    pub const fn smoothed(&self) -> Option<Duration> {
        self.smoothed
    }
}

/// Doubled so often at most.
const MOST_DOUBLED: u32 = 6;

/// The clock's grain in RFC 6298: drivers wake as coarsely.
const GRAIN: Duration = Duration::from_millis(10);

/// Requests in flight: one more for each window of answers, half as many after a time-out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window(f64);

impl Window {
    pub const fn new() -> Self {
        Window(FIRST_WINDOW)
    }

    pub fn answered(&mut self, most: u32) {
        self.0 = (self.0 + 1.0 / self.0).min(f64::from(most.max(1)));
    }

    pub fn halve(&mut self) {
        self.0 = (self.0 / 2.0).max(1.0);
    }

    pub fn now(self, most: u32) -> usize {
        (self.0.min(f64::from(most.max(1))) as usize).max(1)
    }
}

/// One that the device processes and one that waits there.
const FIRST_WINDOW: f64 = 2.0;

/// Rows that one GetBulk asks for: some more for each answer that was full, half as many if it was too much.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repetitions(u32);

impl Repetitions {
    pub const fn new() -> Self {
        Repetitions(FIRST_REPETITIONS)
    }

    pub fn answered(&mut self, most: u32) {
        self.0 = (self.0 + GROWTH).min(most.max(1));
    }

    pub fn halve(&mut self) {
        self.0 = (self.0 / 2).max(1);
    }

    pub fn now(self, most: u32) -> u32 {
        self.0.clamp(1, most.max(1))
    }
}

const FIRST_REPETITIONS: u32 = 10;
const GROWTH: u32 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_time_out_follows_the_round_trips_and_doubles() {
        let limits = Limits {
            min_timeout: ms(20),
            first_timeout: ms(1000),
            max_timeout: ms(5000),
            ..Limits::default()
        };
        let mut times = RoundTrip::default();
        assert_eq!(times.timeout(&limits), ms(1000));
        times.timed_out();
        assert_eq!(times.timeout(&limits), ms(2000));
        times.sample(ms(100));
        assert_eq!(times.timeout(&limits), ms(300), "RFC 6298: R + 4 * R/2");
        for _ in 0..100 {
            times.sample(ms(100));
        }
        assert!(times.timeout(&limits) < ms(115), "{:?}", times.timeout(&limits));
        for _ in 0..20 {
            times.timed_out();
        }
        assert_eq!(times.timeout(&limits), ms(5000));
        let slow = Limits { min_timeout: ms(9000), ..limits };
        assert_eq!(times.timeout(&slow), ms(9000));
    }

    #[test]
    fn windows_grow_slowly_and_fall_fast() {
        let mut window = Window::new();
        (0..30).for_each(|_| window.answered(4));
        assert_eq!(window.now(4), 4);
        window.halve();
        assert_eq!(window.now(4), 2);
        (0..9).for_each(|_| window.halve());
        assert_eq!((window.now(4), window.now(0)), (1, 1));
        let mut rows = Repetitions::new();
        (0..30).for_each(|_| rows.answered(40));
        assert_eq!(rows.now(40), 40);
        rows.halve();
        assert_eq!((rows.now(40), rows.now(3)), (20, 3));
        (0..9).for_each(|_| rows.halve());
        assert_eq!(rows.now(40), 1);
    }
}
