//! Groups of agents that were asked in rounds: what tables need of their delays. All delays are in a file of their own
//! beside the samples, written before anything is computed from them; `trunkline lab analyze` reads it.

use serde::{Deserialize, Serialize};

/// A group in one run. Times are nanoseconds; delays count from when a request was due unless it says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupRecord {
    /// The table that it belongs to.
    pub table: String,
    /// How it was asked: protocol, transport, security.
    pub series: String,
    /// The agents.
    pub agents: u32,
    /// From one round to the next; also the tolerable delay.
    pub period_ns: u64,
    /// How many requests could be outstanding; `None`: all that were due. 1 is a serial round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<u32>,
    /// The file of all delays, in the run's directory.
    pub file: String,
    /// How requests ended.
    pub ended: Ended,
    /// Late answers, late agents (by their means) and late rounds, each with of how many.
    pub late: [[u64; 2]; 3],
    /// One agent: when each request was due, how long it waited in the manager, and how long its answer took. Only the answered.
    pub one: Vec<[u64; 3]>,
    /// The same of some other agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Vec<[u64; 3]>>,
    /// The mean delay of each agent all of whose requests were answered, and of each other one the least that it can be. None of
    /// groups that are too large.
    pub means: [Vec<u64>; 2],
    /// The group delay of each whole round all of whose requests were answered, and of each other one the least that it can be:
    /// from when the round was due to its last answer.
    pub rounds: [Vec<u64>; 2],
    /// The sums of the delays of these rounds, from the sending.
    pub sums: Vec<u64>,
    /// Delays of all agents, of very many some that are drawn evenly; and how long those without an answer waited.
    pub some: [Vec<u64>; 2],
    /// Of all that were answered: median, 99th percentile, longest.
    pub quantiles: [u64; 3],
    /// How long the run took.
    pub elapsed_ns: u64,
    /// Processor time of the manager.
    pub manager_cpu_ns: u64,
    /// Processor time of the agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents_cpu_ns: Option<u64>,
    /// How many processors the agents could use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents_processors: Option<u32>,
    /// Whether the same was asked before, and something was late.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// Garbage collections of the agents' JVM by its own log: begin, end, and for how long everything stopped. From the same moment on as
    /// due times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collections: Option<Vec<[u64; 3]>>,
}

/// How requests ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// In time.
    pub answered: u64,
    /// After they were given up.
    pub late: u64,
    /// Without an answer.
    pub lost: u64,
    /// With an error, or the loss of a session.
    pub failed: u64,
    /// They were never sent.
    pub unsent: u64,
    /// Agents whose session was lost.
    #[serde(default)]
    pub lost_sessions: u32,
}

impl Ended {
    /// All requests.
    pub const fn all(&self) -> u64 {
        let answered = self.answered.saturating_add(self.late);
        answered.saturating_add(self.lost).saturating_add(self.failed).saturating_add(self.unsent)
    }
}

impl GroupRecord {
    /// Whether a request was sent only after the answer to the one before.
    pub fn is_serial(&self) -> bool {
        self.bound == Some(1)
    }

    /// Which share of a processor the manager used.
    pub fn manager_utilisation(&self) -> f64 {
        self.manager_cpu_ns as f64 / self.elapsed_ns.max(1) as f64
    }

    /// Which share of a processor the agents used; more than 1 on several.
    pub fn agents_utilisation(&self) -> Option<f64> {
        Some(self.agents_cpu_ns? as f64 / self.elapsed_ns.max(1) as f64)
    }

    /// Who had no processor time left: the manager, and the agents.
    pub fn at_limit(&self) -> [bool; 2] {
        let processors = f64::from(self.agents_processors.unwrap_or(1).max(1));
        let of_agents = self.agents_utilisation().map(|it| it / processors);
        [Some(self.manager_utilisation()), of_agents].map(|it| it.is_some_and(|it| it >= AT_LIMIT))
    }

    /// Late answers, agents or rounds as a share: 0, 1, 2.
    pub fn share_late(&self, which: usize) -> Option<f64> {
        let [some, of] = *self.late.get(which)?;
        (of > 0).then(|| some as f64 / of as f64)
    }
}

/// From this share of its processors on somebody has none left: what is between is the kernel's, and other programs'.
pub const AT_LIMIT: f64 = 0.9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_survives_and_has_its_shares() {
        let group = GroupRecord {
            table: "x/y".into(),
            agents: 70,
            bound: Some(1),
            late: [[1, 4], [0, 70], [0, 0]],
            elapsed_ns: 2_000,
            manager_cpu_ns: 1_000,
            ..GroupRecord::default()
        };
        let line = serde_json::to_string(&group).unwrap();
        assert_eq!(serde_json::from_str::<GroupRecord>(&line).unwrap(), group);
        assert_eq!([0, 1, 2].map(|at| group.share_late(at)), [Some(0.25), Some(0.0), None]);
        assert!(group.is_serial() && group.manager_utilisation() == 0.5);
        assert_eq!((group.agents_utilisation(), group.at_limit()), (None, [false, false]));
        let busy = |agents_cpu_ns, processors| {
            let agents_processors = Some(processors);
            GroupRecord { agents_cpu_ns: Some(agents_cpu_ns), agents_processors, ..group.clone() }.at_limit()
        };
        assert_eq!(
            [busy(1_900, 1), busy(1_900, 2), busy(3_700, 2)],
            [[false, true], [false, false], [false, true]]
        );
        assert_eq!(busy(1_900, 3), [false, false]);
        let manager = GroupRecord { manager_cpu_ns: 1_800, ..group };
        assert_eq!(manager.at_limit(), [true, false]);
    }
}
