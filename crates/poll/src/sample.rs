//! What is known of one request.

use std::time::Duration;

/// One request and what became of it. Moments are on the monotonic clock, since the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Which agent, in the order of the shard's agents.
    pub agent: u32,
    /// Which round, from 0.
    pub round: u64,
    /// When the request was due.
    pub due: Duration,
    /// When it was handed to the kernel; when it should have been, if it was not.
    pub sent: Duration,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was answered, received at this moment.
    Answered(Duration),
    /// It was answered with an error.
    Failed {
        /// When that was received.
        at: Duration,
        /// error-status, or what the protocol has in its place.
        status: i32,
    },
    /// No answer came until the deadline.
    Lost,
    /// An answer came after the request had been given up: a second sample of that request.
    Late(Duration),
    /// It was not sent: as many requests were outstanding as there are places.
    Unsent,
}

impl Sample {
    /// The delay from the due time, if there was an answer: how old the data is to whoever wanted it then.
    #[must_use]
    pub fn from_due(&self) -> Option<Duration> {
        self.received().map(|at| at.saturating_sub(self.due))
    }

    /// The delay from the sending, if there was an answer: what network and agent took.
    #[must_use]
    pub fn from_sending(&self) -> Option<Duration> {
        self.received().map(|at| at.saturating_sub(self.sent))
    }

    /// When the answer was received, also a late one or an error.
    #[must_use]
    pub const fn received(&self) -> Option<Duration> {
        match self.outcome {
            Outcome::Answered(at) | Outcome::Late(at) | Outcome::Failed { at, .. } => Some(at),
            Outcome::Lost | Outcome::Unsent => None,
        }
    }
}

/// Takes samples, in the order in which they are known. It is called between receiving and sending, so it must not wait.
pub trait Sink {
    /// Takes one.
    fn take(&mut self, sample: &Sample);
}

impl<F: FnMut(&Sample)> Sink for F {
    fn take(&mut self, sample: &Sample) {
        self(sample);
    }
}
