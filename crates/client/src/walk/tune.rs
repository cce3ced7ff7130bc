//! How many bindings to request in one message: as many as the agent and the path can handle.

use std::time::Duration;

use super::WalkOptions;

/// Learns from answers how much to request. Shared by all parts of a walk.
#[derive(Debug)]
pub(super) struct Tuner {
    /// The first request of a part.
    first: usize,
    /// Bindings to request in the next message.
    budget: usize,
    /// The most that the agent has handled, or the most that we want.
    cap: usize,
    /// How much it returned when it returned less than requested. The reason may be temporary: an agent may end a
    /// GetBulk early if continuing would take long (RFC 3416 section 4.2.3). So this grows again.
    given: usize,
    /// The octets a message should not exceed.
    max_octets: usize,
    /// Octets of one binding, as last seen.
    octets_each: usize,
    /// If an answer takes longer, requests do not grow.
    patience: Duration,
    fixed: bool,
    timeouts_in_a_row: u32,
}

impl Tuner {
    pub(super) fn new(options: &WalkOptions, patience: Duration) -> Self {
        let (first, cap, fixed) = match options.repetitions {
            Repetitions::Tuned { first, most } => (first, most, false),
            Repetitions::Fixed(fixed) => (fixed, fixed, true),
        };
        let cap = (cap as usize).max(1);
        Self {
            first: (first as usize).clamp(1, cap),
            budget: (first as usize).clamp(1, cap),
            cap,
            given: cap,
            max_octets: options.max_octets,
            octets_each: TYPICAL_OCTETS,
            patience,
            fixed,
            timeouts_in_a_row: 0,
        }
    }

    /// Bindings to request in one message, 1 or more.
    pub(super) const fn budget(&self) -> usize {
        self.budget
    }

    /// Bindings to request of one part that is likely to have this many: parts grow on their own, so that what is
    /// requested beyond their end stays in proportion.
    pub(super) fn budget_of_part(&self, likely: usize) -> usize {
        if self.fixed { self.budget } else { self.budget.min(self.first.max(likely)) }
    }

    /// The user requests a fixed number, which does not change.
    pub(super) const fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// An answer arrived with all that was requested.
    pub(super) fn full(&mut self, bindings: usize, octets: usize, delay: Duration) {
        self.answered(bindings, octets);
        if bindings >= self.given {
            self.given = (self.given * 2).min(self.cap);
        }
        if delay > self.patience / 2 {
            self.budget = (bindings / 2).max(1);
        } else if delay <= self.patience / 4 && bindings >= self.budget {
            self.budget *= 2;
        }
        self.limit();
    }

    /// The agent returned less than requested, though there is more: it has a limit, or ended early.
    pub(super) fn truncated(&mut self, bindings: usize, octets: usize) {
        self.answered(bindings, octets);
        self.given = bindings.max(self.first);
        self.limit();
    }

    /// The agent refused to answer so much (tooBig, or an answer that failed).
    pub(super) fn refused(&mut self, asked: usize) {
        self.cap = (asked / 2).clamp(1, self.cap);
        self.limit();
    }

    /// No answer to so much. The path may lose fragments: fall to what fits into one packet; if that does not
    /// help, to less and less.
    pub(super) fn timed_out(&mut self, asked: usize) {
        self.timeouts_in_a_row += 1;
        if asked * self.octets_each > ONE_PACKET {
            self.max_octets = self.max_octets.min(ONE_PACKET);
        } else if self.timeouts_in_a_row > 1 {
            self.cap = (asked / 2).clamp(1, self.cap);
        }
        self.limit();
    }

    fn answered(&mut self, bindings: usize, octets: usize) {
        self.timeouts_in_a_row = 0;
        self.octets_each = octets.checked_div(bindings).unwrap_or(TYPICAL_OCTETS).max(1);
    }

    fn limit(&mut self) {
        let fitting = if self.fixed { usize::MAX } else { self.max_octets / self.octets_each };
        self.budget = self.budget.min(self.cap).min(self.given).min(fitting).max(1);
    }
}

/// How many repetitions to request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetitions {
    /// Start with `first`, grow up to `most` while answers come full and fast, shrink when the agent or the path
    /// cannot handle it.
    Tuned {
        /// At the start.
        first: u32,
        /// At most.
        most: u32,
    },
    /// Always this many, fewer only when the agent answers tooBig.
    Fixed(u32),
}

impl Default for Repetitions {
    fn default() -> Self {
        Self::Tuned { first: 25, most: 2000 }
    }
}

/// What fits into one Ethernet packet, with room for tunnels on the path.
const ONE_PACKET: usize = 1400;

/// A binding of a counter in a table.
const TYPICAL_OCTETS: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: Duration = Duration::from_millis(1);

    fn tuner() -> Tuner {
        Tuner::new(&WalkOptions::default(), Duration::from_secs(1))
    }

    #[test]
    fn full_and_fast_answers_let_it_grow_to_the_size_wanted() {
        let mut tuner = tuner();
        let mut budgets = Vec::new();
        for _ in 0..6 {
            budgets.push(tuner.budget());
            tuner.full(tuner.budget(), tuner.budget() * 64, FAST);
        }
        assert_eq!(budgets, [25, 50, 100, 200, 256, 256]);
    }

    #[test]
    fn slow_answers_do_not() {
        let mut tuner = tuner();
        tuner.full(25, 500, Duration::from_millis(400));
        assert_eq!(tuner.budget(), 25);
        tuner.full(25, 500, Duration::from_millis(600));
        assert_eq!(tuner.budget(), 12);
    }

    #[test]
    fn a_truncated_amount_is_requested_and_later_raised() {
        let mut tuner = tuner();
        tuner.full(25, 500, FAST);
        tuner.full(50, 1000, FAST);
        assert_eq!(tuner.budget(), 100);
        tuner.truncated(60, 1200);
        assert_eq!(tuner.budget(), 60);
        tuner.full(60, 1200, FAST);
        assert_eq!(tuner.budget(), 120);
        tuner.truncated(60, 1200);
        assert_eq!(tuner.budget(), 60);
    }

    #[test]
    fn an_answer_that_ended_early_does_not_slow_the_rest() {
        let mut tuner = tuner();
        tuner.truncated(3, 60);
        assert_eq!(tuner.budget(), 25);
        tuner.full(25, 500, FAST);
        assert_eq!(tuner.budget(), 50);
    }

    #[test]
    fn refusals_halve() {
        let mut tuner = tuner();
        let mut budgets = Vec::new();
        for _ in 0..6 {
            tuner.refused(tuner.budget());
            budgets.push(tuner.budget());
        }
        assert_eq!(budgets, [12, 6, 3, 1, 1, 1]);
    }

    #[test]
    fn silence_falls_to_one_packet_then_further() {
        let mut tuner = tuner();
        tuner.full(25, 25 * 50, FAST);
        tuner.full(50, 50 * 50, FAST);
        assert_eq!(tuner.budget(), 100);
        tuner.timed_out(100);
        assert_eq!(tuner.budget(), 28);
        tuner.timed_out(28);
        assert_eq!(tuner.budget(), 14);
        tuner.full(14, 14 * 50, FAST);
        tuner.timed_out(14);
        assert_eq!(tuner.budget(), 14, "one loss of a small message says nothing");
    }

    #[test]
    fn a_fixed_number_stays() {
        let options = WalkOptions { repetitions: Repetitions::Fixed(10), ..WalkOptions::default() };
        let mut tuner = Tuner::new(&options, Duration::from_secs(1));
        tuner.full(10, 10_000, FAST);
        assert_eq!(tuner.budget(), 10);
        tuner.refused(10);
        assert_eq!(tuner.budget(), 5);
    }
}
