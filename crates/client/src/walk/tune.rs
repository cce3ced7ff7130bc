//! How many bindings to ask for in one message: as many as the agent and the path bear.

use std::time::Duration;

use super::WalkOptions;

/// Learns from answers how much to ask for. Shared by all parts of a walk.
#[derive(Debug)]
pub(super) struct Tuner {
    /// What a part of a walk starts with.
    first: usize,
    /// Bindings to ask for in the next message.
    budget: usize,
    /// The most the agent was seen to bear, or the most we want.
    cap: usize,
    /// What it gave when it gave less than was asked for. It may have had a reason that is gone: an agent
    /// may end a GetBulk early where going on would take long (RFC 3416 section 4.2.3). So this grows again.
    given: usize,
    /// The octets a message should not pass.
    max_octets: usize,
    /// Octets of one binding, as last seen.
    octets_each: usize,
    /// An answer that takes longer is not asked to grow.
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

    /// Bindings to ask for in one message, 1 or more.
    pub(super) const fn budget(&self) -> usize {
        self.budget
    }

    /// Bindings to ask of one part for which so much speaks: parts grow by
    /// themselves, so that what is asked beyond their end stays in proportion.
    pub(super) fn budget_of_part(&self, likely: usize) -> usize {
        if self.fixed { self.budget } else { self.budget.min(self.first.max(likely)) }
    }

    /// A fixed number is asked for by the user, and kept.
    pub(super) const fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// An answer came with all that was asked for.
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

    /// The agent gave less than was asked for, though there is more: it has a limit, or ended early.
    pub(super) fn truncated(&mut self, bindings: usize, octets: usize) {
        self.answered(bindings, octets);
        self.given = bindings.max(self.first);
        self.limit();
    }

    /// The agent would not answer so much (tooBig, or an answer that went wrong).
    pub(super) fn refused(&mut self, asked: usize) {
        self.cap = (asked / 2).clamp(1, self.cap);
        self.limit();
    }

    /// No answer to so much. The path may lose fragments: fall to what fits one
    /// packet; if that does not help, to less and less.
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

/// How many repetitions to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetitions {
    /// Start with `first`, grow up to `most` while answers come full and fast,
    /// shrink when the agent or the path does not bear it.
    Tuned {
        /// To start with.
        first: u32,
        /// At most.
        most: u32,
    },
    /// Always this many, less only when the agent answers tooBig.
    Fixed(u32),
}

impl Default for Repetitions {
    fn default() -> Self {
        Self::Tuned { first: 25, most: 2000 }
    }
}

/// What fits into one packet of an Ethernet, with room for tunnels on the way.
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
    fn what_an_agent_gave_is_asked_for_and_tried_again_for_more() {
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
