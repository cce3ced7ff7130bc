//! Leaves a device alone that does not answer: after some failed cycles in a row there is none for a while, and the next one
//! begins with a single small request. Each further failure doubles the while.

use std::time::Duration;

use super::Limits;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Breaker {
    /// Failed cycles in a row.
    failures: u32,
    /// Since the device is left alone, and the present while.
    open: Option<(Duration, Duration)>,
}

impl Breaker {
    /// Until when there is no cycle.
    pub fn until(&self, now: Duration) -> Option<Duration> {
        self.open.map(|(since, pause)| since + pause).filter(|until| now < *until)
    }

    /// Whether the next cycle is one after a pause.
    pub const fn is_probing(&self) -> bool {
        self.open.is_some()
    }

    pub const fn failures(&self) -> u32 {
        self.failures
    }

    pub fn answered(&mut self) {
        *self = Breaker::default();
    }

    pub fn failed(&mut self, now: Duration, limits: &Limits) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= limits.failures.max(1) {
            let pause = match self.open {
                None => limits.pause,
                Some((_, pause)) => pause.saturating_mul(2),
            };
            self.open = Some((now, pause.min(limits.longest_pause)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_end_with_an_answer() {
        let seconds = Duration::from_secs;
        let limits =
            Limits { failures: 2, pause: seconds(10), longest_pause: seconds(25), ..Limits::default() };
        let mut breaker = Breaker::default();
        breaker.failed(seconds(0), &limits);
        assert_eq!((breaker.until(seconds(0)), breaker.is_probing()), (None, false));
        let mut now = seconds(5);
        for pause in [10, 20, 25, 25] {
            breaker.failed(now, &limits);
            assert_eq!(breaker.until(now), Some(now + seconds(pause)));
            now += seconds(pause);
            assert_eq!((breaker.until(now), breaker.is_probing()), (None, true));
        }
        assert_eq!(breaker.failures(), 5);
        breaker.answered();
        assert_eq!((breaker.until(now), breaker.failures()), (None, 0));
    }
}
