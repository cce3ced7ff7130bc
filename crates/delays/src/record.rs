//! What is known of one request: when it was due, when it was sent, how it ended, and when.

use crate::error::RecordError;

/// One request. Times are nanoseconds since the start of the run, below 2^62 (146 years).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The agent's number.
    pub agent: u32,
    /// The round's number.
    pub round: u32,
    /// When it was to be sent.
    pub due: u64,
    /// When it was sent; for [`Outcome::Unsent`], when it was given up.
    pub sent: u64,
    /// When it ended: the answer came, or it was given up. Not before it was sent.
    pub ended: u64,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The answer came in time.
    Answered,
    /// The answer came after the request had been given up.
    Late,
    /// None came until it was given up.
    Lost,
    /// An error came in its place: a refusal, or a session that broke.
    Failed,
    /// It was due, and the manager never sent it.
    Unsent,
}

impl Outcome {
    /// All of them, by their numbers in the file.
    pub const ALL: [Outcome; 5] =
        [Outcome::Answered, Outcome::Late, Outcome::Lost, Outcome::Failed, Outcome::Unsent];

    /// Its number in the file.
    pub(crate) const fn number(self) -> u64 {
        match self {
            Outcome::Answered => 0,
            Outcome::Late => 1,
            Outcome::Lost => 2,
            Outcome::Failed => 3,
            Outcome::Unsent => 4,
        }
    }

    /// Whether a value came.
    pub const fn has_answer(self) -> bool {
        matches!(self, Outcome::Answered | Outcome::Late)
    }

    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Answered => "answered",
            Outcome::Late => "late",
            Outcome::Lost => "lost",
            Outcome::Failed => "failed",
            Outcome::Unsent => "unsent",
        }
    }
}

impl Record {
    /// The time from its sending to its end, ns: the deliverable's attribute delay, or how long an answer was waited for.
    /// `None` if it was not sent.
    pub fn from_sent(&self) -> Option<u64> {
        (self.outcome != Outcome::Unsent).then(|| self.ended.saturating_sub(self.sent))
    }

    /// The time from when it was due to its end, ns: waiting in the manager is in it.
    pub const fn from_due(&self) -> u64 {
        self.ended.saturating_sub(self.due)
    }

    /// Refuses what cannot be written.
    pub(crate) fn check(&self) -> Result<(), RecordError> {
        let times = [self.due, self.sent, self.ended];
        if let Some(&found) = times.iter().find(|time| **time >= END_OF_TIME) {
            return Err(RecordError::TooLate { found });
        }
        if self.ended < self.sent {
            return Err(RecordError::Backwards { sent: self.sent, ended: self.ended });
        }
        Ok(())
    }
}

/// The first time that is not written, so that differences fit.
pub(crate) const END_OF_TIME: u64 = 1 << 62;
