//! One measurement of one group, and what follows from it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{PERIOD, SETTLE};

/// One measurement.
pub struct Measured {
    /// The size of the group.
    pub agents: u32,
    /// How often each was asked.
    pub periods: u64,
    /// Agent, round and delay from the due time in microseconds of each answer.
    pub delays: Vec<(u32, u32, u32)>,
    /// Processor time of the end that asks.
    pub asking_cpu: Duration,
    /// Of the other.
    pub answering_cpu: Duration,
    /// From the first request to the end.
    pub took: Duration,
    /// Datagrams that a full receive buffer dropped, of either end; none if that is not known.
    pub dropped: Option<u64>,
}

impl Measured {
    fn requests(&self) -> u64 {
        u64::from(self.agents) * self.periods
    }

    fn lost(&self) -> u64 {
        self.requests() - self.delays.len() as u64
    }

    /// Whether no round has a delay above the period: nothing is lost, and the longest delay is short enough.
    pub fn is_without_error(&self) -> bool {
        self.lost() == 0 && u128::from(self.longest()) <= PERIOD.as_micros()
    }

    /// The longest delay, in microseconds.
    pub fn longest(&self) -> u32 {
        self.delays.iter().map(|(.., delay)| *delay).max().unwrap_or(0)
    }

    /// The delay that this part of the answers does not exceed, in microseconds.
    pub fn quantile(&self, part: f64) -> u32 {
        let mut sorted: Vec<u32> = self.delays.iter().map(|(.., delay)| *delay).collect();
        sorted.sort_unstable();
        sorted.get((sorted.len() as f64 * part) as usize).copied().unwrap_or(0)
    }

    /// The monitoring error of agents by their means, of answers, and of rounds.
    pub fn errors(&self) -> [f64; 3] {
        let (period, lost) = (PERIOD.as_micros() as u64, SETTLE.as_micros() as u64);
        // What was lost has waited as long as the last answer may take.
        let mut of_agent = vec![(0_u64, 0_u64); self.agents as usize];
        let mut of_round = vec![(0_u64, 0_u64); self.periods as usize];
        for (agent, round, delay) in &self.delays {
            let delay = u64::from(*delay);
            let agent = &mut of_agent[*agent as usize];
            *agent = (agent.0 + 1, agent.1 + delay);
            let round = &mut of_round[*round as usize];
            *round = (round.0 + 1, round.1.max(delay));
        }
        let share = |late: usize, of: u64| late as f64 / of as f64;
        let late_agent =
            |(answers, sum): &(u64, u64)| (sum + (self.periods - answers) * lost) / self.periods > period;
        let late_round =
            |(answers, longest): &(u64, u64)| *answers < u64::from(self.agents) || *longest > period;
        let late = self.delays.iter().filter(|(.., delay)| u64::from(*delay) > period).count();
        [
            share(of_agent.iter().filter(|it| late_agent(it)).count(), u64::from(self.agents)),
            share(late + self.lost() as usize, self.requests()),
            share(of_round.iter().filter(|it| late_round(it)).count(), self.periods),
        ]
    }

    fn each(&self, cpu: Duration) -> f64 {
        cpu.as_secs_f64() * 1e6 / self.requests() as f64
    }

    /// Processor time of asking once, in microseconds.
    pub fn request(&self) -> f64 {
        self.each(self.asking_cpu)
    }

    /// Of answering once.
    pub fn answer(&self) -> f64 {
        self.each(self.answering_cpu)
    }

    /// Of both.
    pub fn exchange(&self) -> f64 {
        self.request() + self.answer()
    }

    /// For the progress of a search.
    pub fn line(&self) -> String {
        format!(
            "{:>7} agents: median {:>6} us, 99th percentile {:>7} us, longest {:>7} us, lost {:>6}; {:.2} us to ask, {:.2} us to answer",
            self.agents,
            self.quantile(0.5),
            self.quantile(0.99),
            self.longest(),
            self.lost(),
            self.request(),
            self.answer(),
        )
    }

    /// What a group with an error lacked: the processors of both ends are beside the kernel's drops.
    pub fn limit(&self) -> String {
        let busy = |cpu: Duration| cpu.as_secs_f64() / self.took.as_secs_f64() * 100.0;
        let dropped =
            self.dropped.map_or_else(String::new, |dropped| format!(", {dropped} dropped by the kernel"));
        format!(
            "{} agents: {} answers lost{dropped}, longest {:.2} s; the asking thread used {:.0} % of a processor, the answering one {:.0} %",
            self.agents,
            self.lost(),
            f64::from(self.longest()) / 1e6,
            busy(self.asking_cpu),
            busy(self.answering_cpu),
        )
    }

    /// Its figures.
    pub fn to_json(&self) -> Value {
        json!({
            "agents": self.agents, "requests": self.requests(), "lost": self.lost(), "median_us": self.quantile(0.5),
            "p99_us": self.quantile(0.99), "longest_us": self.longest(), "request_us": self.request(),
            "answer_us": self.answer(), "errors": self.errors(),
        })
    }
}
