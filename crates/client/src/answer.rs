//! Protocol-neutral answers, and their cost.

use std::ops::AddAssign;
use std::time::Duration;

use trunkline_smi::VarBind;

/// A protocol-neutral answer, and its cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Names, each with its value or the reason why there is none.
    pub bindings: Vec<VarBind>,
    /// The cost of the request and the answer.
    pub cost: Cost,
}

/// The cost of one or more requests and their answers. Octets count messages, without transport headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Octets of the request.
    pub request_octets: usize,
    /// Octets of the answer.
    pub response_octets: usize,
    /// From the first transmission to the answer.
    pub delay: Duration,
    /// How many times the request was sent, 1 or more.
    pub attempts: u32,
}

impl AddAssign for Cost {
    /// Adds the cost of a further exchange, one after another.
    fn add_assign(&mut self, other: Self) {
        self.request_octets += other.request_octets;
        self.response_octets += other.response_octets;
        self.delay += other.delay;
        self.attempts += other.attempts;
    }
}
