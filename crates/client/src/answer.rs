//! Answers in no protocol's words, with what they cost.

use std::ops::AddAssign;
use std::time::Duration;

use trunkline_smi::VarBind;

/// An answer in no protocol's words, with what it took to get it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Names, and their values or why there is none.
    pub bindings: Vec<VarBind>,
    /// What the request and the answer cost.
    pub cost: Cost,
}

/// What one or more requests and their answers cost. Octets are those of messages, without the headers of what carries
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Octets of the request.
    pub request_octets: usize,
    /// Octets of the answer.
    pub response_octets: usize,
    /// From the first sending to the answer.
    pub delay: Duration,
    /// How often the request was sent, 1 or more.
    pub attempts: u32,
}

impl AddAssign for Cost {
    /// One after the other.
    fn add_assign(&mut self, other: Self) {
        self.request_octets += other.request_octets;
        self.response_octets += other.response_octets;
        self.delay += other.delay;
        self.attempts += other.attempts;
    }
}
