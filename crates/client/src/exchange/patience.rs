//! How long to wait for an answer, and how often to send again.

use std::time::Duration;

/// How long to wait for an answer, and how often to send again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The wait after the first transmission.
    pub timeout: Duration,
    /// How many times a request is sent again when no answer arrives.
    pub retries: u32,
    /// How the wait grows.
    pub backoff: Backoff,
}

/// How the wait for an answer grows from one transmission of a request to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backoff {
    /// Not at all, as with Net-SNMP.
    #[default]
    Fixed,
    /// It doubles each time.
    Double,
}

/// What a request does when an attempt is known to have failed: the port is closed, the name is not found, no
/// connection or session can be made, or the one in use breaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endurance {
    /// It ends, so that the caller learns of the failure soon. A closed UDP port ends it after two refusals; a
    /// broken connection is made again once, for requests that may be repeated.
    #[default]
    Quick,
    /// The same, but a closed UDP port counts as silence, as with Net-SNMP's tools.
    PastRefusals,
    /// The failure ends that attempt only: the next one follows when its time-out is over, with another look-up
    /// and connection, while retries are left, unless one end refuses the other's identity
    /// ([`Error::is_refusal`](crate::Error::is_refusal)). The session then connects on the first request.
    Retries,
}

impl Patience {
    pub(crate) fn wait(&self, attempt: u32) -> Duration {
        match self.backoff {
            Backoff::Fixed => self.timeout,
            Backoff::Double => self.timeout.saturating_mul(1 << attempt.saturating_sub(1).min(16)),
        }
    }

    /// The wait over all attempts.
    pub(crate) fn whole(&self) -> Duration {
        self.rest(1)
    }

    /// The wait over all attempts from this one on, counted from 1.
    pub(crate) fn rest(&self, attempt: u32) -> Duration {
        let last = self.retries.saturating_add(1);
        let left = last.saturating_sub(attempt).saturating_add(u32::from(attempt <= last));
        // From then on it no longer grows.
        let growing = left.min(GROWING);
        let first = (attempt..).take(growing as usize).map(|attempt| self.wait(attempt));
        let first = first.fold(Duration::ZERO, Duration::saturating_add);
        first.saturating_add(self.wait(last).saturating_mul(left - growing)).min(LONGEST)
    }
}

/// Maximum number of attempts with different waits.
const GROWING: u32 = 17;

/// The longest wait, which a clock can still represent.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_the_sum_of_the_waits() {
        let timeout = Duration::from_secs(2);
        for (backoff, retries, attempt, seconds) in [
            (Backoff::Fixed, 2, 1, 6),
            (Backoff::Fixed, 2, 3, 2),
            (Backoff::Fixed, 2, 4, 0),
            (Backoff::Fixed, 255, 1, 512),
            (Backoff::Double, 2, 1, 14),
            (Backoff::Double, 2, 2, 12),
            (Backoff::Double, 17, 17, 2 * (65_536 * 2)),
        ] {
            let patience = Patience { timeout, retries, backoff };
            assert_eq!(patience.rest(attempt), Duration::from_secs(seconds), "{patience:?} from {attempt}");
        }
        let endless = Patience { timeout, retries: u32::MAX, backoff: Backoff::Double };
        assert_eq!(endless.whole(), LONGEST);
    }
}
