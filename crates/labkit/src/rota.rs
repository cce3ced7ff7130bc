//! Whose turn it is: in each round every job is measured once, in a newly drawn order; after the rounds, jobs on a
//! link that loses packets are measured again until they have met enough losses.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::doubt::Doubt;
use crate::job::Job;
use crate::place::link::Share;
use crate::schedule::ENOUGH_LOST;
use crate::stage::Stand;

/// How long jobs are measured.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Rounds after the warm-up.
    pub rounds: u32,
    /// The time for them; a round that has begun is finished.
    pub budget: Option<Duration>,
    /// The time after the rounds for meeting [`ENOUGH_LOST`] lost packets in each job on a lossy link.
    pub longer: Duration,
}

/// The order of measurements.
#[derive(Debug)]
pub struct Rota<'a> {
    jobs: &'a [Job],
    bounds: Bounds,
    random: Rng,
    courses: Vec<Course>,
    round: u32,
    queue: VecDeque<usize>,
    begun: Instant,
    /// How many rounds were measured, once that is certain.
    done: Option<u32>,
    /// Since when jobs are measured for their losses.
    longer_since: Option<Instant>,
}

/// The course of a job so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Course {
    /// Failures since the last success.
    pub(super) failures: u32,
    /// Packets that the link lost.
    pub(super) lost: u64,
}

/// One measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The job's place in the list.
    pub job: usize,
    /// The round, 0 for the warm-up.
    pub round: u32,
}

impl<'a> Rota<'a> {
    /// The turns of these jobs.
    pub fn new(jobs: &'a [Job], bounds: Bounds, seed: u64) -> Rota<'a> {
        let mut rota = Rota {
            jobs,
            bounds,
            random: Rng::with_seed(seed),
            courses: vec![Course::default(); jobs.len()],
            round: 0,
            queue: VecDeque::new(),
            begun: Instant::now(),
            done: None,
            longer_since: None,
        };
        rota.queue_round(|_| true);
        rota
    }

    /// The jobs.
    pub(super) fn jobs(&self) -> &'a [Job] {
        self.jobs
    }

    pub(super) fn course(&mut self, job: usize) -> &mut Course {
        &mut self.courses[job]
    }

    /// The next turn; `None` if everything has been measured.
    pub fn next_turn(&mut self) -> Option<Turn> {
        loop {
            if self.longer_since.is_some_and(|since| since.elapsed() >= self.bounds.longer) {
                return None;
            }
            match self.queue.pop_front() {
                Some(job) if self.is_due(job) => return Some(Turn { job, round: self.round }),
                Some(_) => {}
                None if !self.begin_round() => return None,
                None => {}
            }
        }
    }

    /// Whether the time for the rounds ended them early, in words.
    pub fn shortened(&self) -> Option<Doubt> {
        let (rounds, budget, done) = (self.bounds.rounds, self.bounds.budget?, self.done?);
        let how = format!(
            "{done} of {rounds} rounds were measured: the {} s for them were spent",
            budget.as_secs()
        );
        let table = self.jobs.first()?.case.table.clone();
        (done < rounds).then_some(Doubt::Shortened { table, how })
    }

    fn is_due(&self, at: usize) -> bool {
        let (job, course) = (&self.jobs[at], self.courses[at]);
        let enough = job.rounds.is_some_and(|most| !self.has_round(most) && self.longer_since.is_none());
        // Long sessions warm themselves up, and a link's delay hides cold caches.
        let warm = self.round == 0 && (job.case.messages > WARM_UP || !job.link.delay.is_zero());
        !enough && !warm && course.failures < PATIENCE
    }

    /// Whether a job with so many rounds takes part in this one. They are spread over all, so that a machine that becomes
    /// slower does so for every job alike; with a budget, which may end the rounds early, they are the first ones.
    fn has_round(&self, most: u32) -> bool {
        let all = self.bounds.rounds;
        if self.bounds.budget.is_some() || most >= all || self.round == 0 {
            return self.round <= most;
        }
        let until = |round: u32| u64::from(round) * u64::from(most) / u64::from(all);
        self.round <= all && until(self.round) > until(self.round - 1)
    }

    /// Whether there is another round.
    fn begin_round(&mut self) -> bool {
        let is_over = self.round >= self.bounds.rounds || self.is_spent();
        if !is_over {
            self.round += 1;
            self.queue_round(|_| true);
            return true;
        }
        self.done.get_or_insert(self.round);
        self.longer_since.get_or_insert_with(Instant::now);
        self.round = self.round.max(self.bounds.rounds) + 1;
        let (jobs, courses) = (self.jobs, self.courses.clone());
        self.queue_round(|at| {
            let is_lossy = jobs[at].stand == Stand::Link && jobs[at].link.loss != Share::NONE;
            is_lossy && courses[at].lost < ENOUGH_LOST && courses[at].failures < PATIENCE
        });
        !self.queue.is_empty()
    }

    fn is_spent(&self) -> bool {
        self.round > 0 && self.bounds.budget.is_some_and(|budget| self.begun.elapsed() > budget)
    }

    fn queue_round(&mut self, takes_part: impl Fn(usize) -> bool) {
        let mut order: Vec<usize> = (0..self.jobs.len()).filter(|at| takes_part(*at)).collect();
        self.random.shuffle(&mut order);
        self.queue = order.into();
    }
}

/// Sessions with more messages have no warm-up.
const WARM_UP: u32 = 60;
/// Consecutive failures after which a job is left out.
pub(super) const PATIENCE: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Script;
    use crate::place::link::LinkSpec;
    use crate::protocol::Protocol;
    use crate::transport::Transport;

    fn jobs(link: &str) -> Vec<Job> {
        let link: LinkSpec = link.parse().unwrap();
        [Transport::Udp, Transport::Tcp, Transport::Tls]
            .map(|transport| Job::new("t/t", "w", Protocol::v2c(transport), Script::Nothing).over(link))
            .into()
    }

    fn all(rota: &mut Rota<'_>) -> Vec<(u32, usize)> {
        std::iter::from_fn(|| rota.next_turn()).map(|turn| (turn.round, turn.job)).collect()
    }

    #[test]
    fn every_round_has_each_job_once() {
        let jobs = jobs("1M,0ms,0%");
        let bounds = Bounds { rounds: 2, budget: None, longer: Duration::ZERO };
        let mut rota = Rota::new(&jobs, bounds, 1);
        let mut turns = all(&mut rota);
        turns.sort_unstable();
        let expected: Vec<(u32, usize)> =
            (0..3).flat_map(|round| (0..3).map(move |job| (round, job))).collect();
        assert_eq!(turns, expected);
        assert!(rota.shortened().is_none());
    }

    #[test]
    fn fewer_rounds_are_spread_over_all_unless_a_budget_may_end_them() {
        let mut jobs = jobs("1M,0ms,0%");
        jobs[1].rounds = Some(3);
        let rounds_of = |budget| {
            let mut rota = Rota::new(&jobs, Bounds { rounds: 10, budget, longer: Duration::ZERO }, 1);
            let turns = all(&mut rota).into_iter().filter(|(round, job)| *round > 0 && *job == 1);
            turns.map(|(round, _)| round).collect::<Vec<u32>>()
        };
        assert_eq!(rounds_of(None), [4, 7, 10]);
        assert_eq!(rounds_of(Some(Duration::from_secs(3600))), [1, 2, 3]);
    }

    #[test]
    fn a_link_with_delay_needs_no_warm_up_and_a_job_that_fails_is_left_out() {
        let jobs = jobs("1M,20ms,0%");
        let mut rota = Rota::new(&jobs, Bounds { rounds: 1, budget: None, longer: Duration::ZERO }, 1);
        rota.course(1).failures = PATIENCE;
        let mut turns = all(&mut rota);
        turns.sort_unstable();
        assert_eq!(turns, [(1, 0), (1, 2)]);
    }

    #[test]
    fn a_spent_budget_is_reported_and_losses_are_waited_for() {
        let jobs = jobs("1M,20ms,1%");
        let bounds = Bounds { rounds: 9, budget: Some(Duration::ZERO), longer: Duration::from_secs(3600) };
        let mut rota = Rota::new(&jobs, bounds, 1);
        let first: Vec<u32> = (0..3).filter_map(|_| rota.next_turn()).map(|turn| turn.round).collect();
        assert_eq!(first, [1, 1, 1]);
        rota.course(0).lost = ENOUGH_LOST;
        let longer: Vec<Turn> = (0..4).filter_map(|_| rota.next_turn()).collect();
        assert!(longer.iter().all(|turn| turn.round > 9 && turn.job != 0), "{longer:?}");
        (0..3).for_each(|job| rota.course(job).lost = ENOUGH_LOST);
        assert_eq!(all(&mut rota), []);
        let text = rota.shortened().unwrap().to_string();
        assert!(text.contains("1 of 9 rounds"), "{text}");
    }
}
