//! The steps of a request in the agent, where `trunklined-lab` has its clocks. `trunklined` has none: a mark is then one look at an
//! empty place.

use std::sync::OnceLock;

/// A step of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No request is under way in this session.
    Wait,
    /// Taking the message from its transport: from the kernel over UDP, otherwise from its first octets on.
    Receive,
    /// Deciphering a protected message.
    Decrypt,
    /// Checking its signature.
    Verify,
    /// Expanding it.
    Inflate,
    /// Octets to a request.
    Decode,
    /// Checking it against a schema.
    Validate,
    /// Authentication and access.
    Access,
    /// What of the data is selected: reading a filter, and evaluating an expression.
    Filter,
    /// Finding instances and their values in the tree.
    Retrieve,
    /// Values to octets.
    Encode,
    /// Compressing an answer.
    Deflate,
    /// Enciphering it.
    Encrypt,
    /// Signing it.
    Sign,
    /// Handing it to its transport.
    Send,
}

impl Phase {
    /// All of them, in the order of a request.
    pub const ALL: [Phase; 15] = [
        Phase::Wait,
        Phase::Receive,
        Phase::Decrypt,
        Phase::Verify,
        Phase::Inflate,
        Phase::Decode,
        Phase::Validate,
        Phase::Access,
        Phase::Filter,
        Phase::Retrieve,
        Phase::Encode,
        Phase::Deflate,
        Phase::Encrypt,
        Phase::Sign,
        Phase::Send,
    ];

    /// Its name in what `trunklined-lab` prints.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Wait => "wait",
            Phase::Receive => "receive",
            Phase::Decrypt => "decrypt",
            Phase::Verify => "verify",
            Phase::Inflate => "inflate",
            Phase::Decode => "decode",
            Phase::Validate => "validate",
            Phase::Access => "access",
            Phase::Filter => "filter",
            Phase::Retrieve => "retrieve",
            Phase::Encode => "encode",
            Phase::Deflate => "deflate",
            Phase::Encrypt => "encrypt",
            Phase::Sign => "sign",
            Phase::Send => "send",
        }
    }
}

/// Called when a phase of a request in a session begins; the one before ends then.
pub type Clock = fn(Phase);

/// The clock of all sessions, if there is one. It is one for all of them: what it has is exact as long as one request at a time is under way.
#[derive(Debug, Default)]
pub struct Phases(OnceLock<Clock>);

impl Phases {
    /// Sets the clock; only the first one is kept.
    pub fn set(&self, clock: Clock) {
        let _ = self.0.set(clock);
    }

    /// A phase begins.
    pub fn begin(&self, phase: Phase) {
        if let Some(clock) = self.0.get() {
            clock(phase);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    #[test]
    fn a_clock_hears_of_each_phase_and_the_first_one_stays() {
        static BEGUN: AtomicUsize = AtomicUsize::new(0);
        let phases = Phases::default();
        phases.begin(Phase::Send);
        phases.set(|_| {
            BEGUN.fetch_add(1, Relaxed);
        });
        phases.set(|_| unreachable!("a second clock"));
        Phase::ALL.into_iter().for_each(|phase| phases.begin(phase));
        assert_eq!(BEGUN.load(Relaxed), Phase::ALL.len());
        let names: std::collections::HashSet<&str> = Phase::ALL.into_iter().map(Phase::name).collect();
        assert_eq!(names.len(), Phase::ALL.len());
    }
}
