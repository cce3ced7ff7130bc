//! How long a measurement will take, so that nobody waits without knowing for what.

use std::fmt;
use std::time::{Duration, Instant};

use crate::job::Job;
use crate::ledger::Ledger;
use crate::stage::Stand;
use crate::transport::Transport;

/// A duration in tens of seconds, whole minutes, hours or days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounded(pub Duration);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            seconds @ 0..150 => write!(f, "{} s", (seconds / 10 + 1) * 10),
            seconds @ 150..10_000 => write!(f, "{} minutes", seconds.div_ceil(60)),
            seconds @ 10_000..200_000 => write!(f, "{} hours", seconds.div_ceil(3600)),
            seconds => write!(f, "{} days", seconds.div_ceil(86_400)),
        }
    }
}

/// Shows in the progress how long the next part takes, if that is long.
pub fn announce(ledger: &Ledger, expected: Duration) {
    if expected < SHORT {
        return;
    }
    let part = ledger.progress.message();
    let part = part.split(", about ").next().unwrap_or_default();
    ledger.progress.set_message(format!("{part}, about {}", Rounded(expected)));
}

/// Rounds of which one was measured after another: how long those that are left will take.
#[derive(Debug, Clone, Copy)]
pub struct Left {
    begun: Instant,
    rounds: u64,
}

impl Left {
    /// So many rounds begin now.
    pub fn of(rounds: u64) -> Left {
        Left { begun: Instant::now(), rounds }
    }

    /// Shows it, once this many rounds are done.
    pub fn announce(&self, ledger: &Ledger, done: u64) {
        if done > 0 {
            let each = self.begun.elapsed().as_secs_f64() / done as f64;
            let left = each * self.rounds.saturating_sub(done) as f64;
            announce(ledger, Duration::from_secs_f64(left));
        }
    }
}

/// About how long jobs take in so many rounds, with a warm-up: from what sessions took on two processors of 2023.
pub fn of_jobs(jobs: &[Job], rounds: u32) -> Duration {
    let seconds: f64 =
        jobs.iter().map(|job| of_job(job) * f64::from(job.rounds.unwrap_or(rounds).min(rounds) + 1)).sum();
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Seconds of a session.
fn of_job(job: &Job) -> f64 {
    let messages = f64::from(job.case.messages);
    let own = open(job.case.protocol.transport) + messages * EXCHANGE;
    match job.stand {
        Stand::Beside => own,
        Stand::Link => {
            let trips = messages + 3.0;
            own + LINK + messages * EXCHANGE + trips * job.link.round_trip().as_secs_f64()
        }
    }
}

/// Seconds to open and close a session.
const fn open(transport: Transport) -> f64 {
    match transport {
        Transport::Udp => 0.0002,
        Transport::Tcp | Transport::Http => 0.0005,
        Transport::Tls | Transport::Dtls | Transport::Https => 0.003,
        Transport::Ssh => 0.008,
    }
}

/// Seconds of an exchange.
const EXCHANGE: f64 = 0.00015;
/// Seconds until the link is quiet after a session.
const LINK: f64 = 0.007;
/// What takes less is not announced.
const SHORT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Script;
    use crate::protocol::Protocol;
    use trunkline_smi::Oid;

    #[test]
    fn durations_are_rounded() {
        for (seconds, words) in
            [(7, "10 s"), (149, "150 s"), (150, "3 minutes"), (12_000, "4 hours"), (1_000_000, "12 days")]
        {
            assert_eq!(Rounded(Duration::from_secs(seconds)).to_string(), words);
        }
    }

    #[test]
    fn a_million_repetitions_take_days() {
        let walk = Script::Walk { root: Oid::from([1, 3, 6]), times: 2354 };
        let jobs = [Job::new("t/t", "w", Protocol::v2c(Transport::Udp), walk)];
        let days = |rounds| of_jobs(&jobs, rounds).as_secs() / 86_400;
        assert_eq!((days(20), days(1_000_000)), (0, 4));
        let few = [jobs[0].clone().in_rounds(2)];
        assert!(of_jobs(&few, 1_000_000) < Duration::from_secs(2));
    }
}
