//! Sessions that answer, are busy, are silent or break: what is due is counted from then, and nothing grows.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use trunkline_poll::{
    Asking, Outcome, Parallel, Phase, PollError, RoundsOptions, Said, Sample, Schedule, Session, Sessions,
    SessionsEnded, SessionsOptions,
};

/// A session that says this, after all those before it in the gate; without a gate at once.
#[derive(Clone)]
struct Toy {
    said: Option<Said>,
    asked: Arc<AtomicU32>,
    under_way: Arc<AtomicU32>,
    most: Arc<AtomicU32>,
}

impl Toy {
    fn that(said: Option<Said>) -> Toy {
        Toy { said, asked: Arc::default(), under_way: Arc::default(), most: Arc::default() }
    }
}

impl Session for Toy {
    fn ask(&self) -> Asking {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let now = self.under_way.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
        let toy = self.clone();
        Box::pin(async move {
            let said = match toy.said {
                Some(said) => said,
                None => std::future::pending().await,
            };
            tokio::task::yield_now().await;
            toy.under_way.fetch_sub(1, Ordering::Relaxed);
            said
        })
    }
}

/// Four rounds of these sessions.
fn run(toys: &[Toy], under_way: u32, parallel: Parallel, deadline: Duration) -> SessionsEnded<Vec<Sample>> {
    let count = u32::try_from(toys.len()).unwrap();
    let schedule = Schedule::new(count, Duration::from_millis(20), Phase::Together, Some(4)).unwrap();
    let options = SessionsOptions {
        rounds: RoundsOptions { parallel, deadline, places: None },
        under_way: NonZeroU32::new(under_way).unwrap(),
    };
    let mut samples = Vec::new();
    let sink = |sample: &Sample| samples.push(*sample);
    let sessions = Sessions::new(schedule, toys.to_vec(), options, sink).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ended = runtime.block_on(sessions.run(Instant::now(), &AtomicBool::new(false))).unwrap();
    let SessionsEnded { counts, lost_sessions, .. } = ended;
    SessionsEnded { counts, lost_sessions, sink: samples }
}

#[test]
fn every_session_is_asked_in_every_round() {
    for parallel in [Parallel::Unbounded, Parallel::SERIAL, Parallel::Bounded(3.try_into().unwrap())] {
        let toys: Vec<Toy> = (0..10).map(|_| Toy::that(Some(Said::Good))).collect();
        let ended = run(&toys, 1, parallel, Duration::from_secs(60));
        assert_eq!((ended.counts.sent, ended.counts.answered, ended.lost_sessions), (40, 40, 0));
        let mut seen: Vec<(u64, u32)> = ended.sink.iter().map(|it| (it.round, it.agent)).collect();
        if parallel == Parallel::SERIAL {
            assert!(seen.is_sorted(), "one after the other");
        }
        seen.sort_unstable();
        assert!(seen.into_iter().eq((0..4).flat_map(|round| (0..10).map(move |agent| (round, agent)))));
        assert!(ended.sink.iter().all(|it| it.due <= it.sent && it.from_due() >= it.from_sending()));
        assert!(toys.iter().all(|toy| toy.most.load(Ordering::Relaxed) == 1));
    }
}

#[test]
fn what_waits_in_a_silent_session_was_never_sent() {
    let toys = [Toy::that(None)];
    let ended = run(&toys, 1, Parallel::Unbounded, Duration::from_millis(10));
    // The first one is under way for ever, and nothing else gets into that session.
    assert_eq!((ended.counts.lost, ended.counts.unsent), (1, 3));
    assert_eq!(toys[0].asked.load(Ordering::Relaxed), 1);
    let outcomes: Vec<Outcome> = ended.sink.iter().map(|it| it.outcome).collect();
    assert_eq!(outcomes, [Outcome::Lost, Outcome::Unsent, Outcome::Unsent, Outcome::Unsent]);
    // A protocol that carries several does not wait.
    let toys = [Toy::that(None)];
    let ended = run(&toys, 8, Parallel::Unbounded, Duration::from_millis(100));
    assert_eq!((ended.counts.lost, ended.counts.unsent, ended.counts.sent), (4, 0, 4));
    assert_eq!(toys[0].most.load(Ordering::Relaxed), 4);
}

#[test]
fn lost_sessions_and_errors_are_counted() {
    let toys = [Some(Said::Broken), Some(Said::Failed(5)), Some(Said::Good)].map(Toy::that);
    let ended = run(&toys, 1, Parallel::Unbounded, Duration::from_secs(60));
    assert_eq!((ended.counts.failed, ended.counts.answered, ended.lost_sessions), (8, 4, 1));
    let status = |agent: u32| match ended.sink.iter().find(|it| it.agent == agent).unwrap().outcome {
        Outcome::Failed { status, .. } => status,
        other => panic!("{other:?}"),
    };
    assert!(status(0) < 0 && status(1) == 5);
}

#[test]
fn a_stop_ends_it_and_there_is_a_session_for_each_agent() {
    let schedule = || Schedule::new(2, Duration::from_secs(3600), Phase::EVEN, None).unwrap();
    let rounds =
        RoundsOptions { parallel: Parallel::Unbounded, deadline: Duration::from_secs(1), places: None };
    let options = SessionsOptions { rounds, under_way: NonZeroU32::MIN };
    let none = Sessions::new(schedule(), Vec::<Toy>::new(), options, |_: &Sample| ());
    assert!(matches!(none, Err(PollError::NoAgents)));
    let toys = vec![Toy::that(None), Toy::that(None)];
    let sessions = Sessions::new(schedule(), toys, options, |_: &Sample| ()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ended = runtime.block_on(sessions.run(Instant::now(), &AtomicBool::new(true))).unwrap();
    assert_eq!(ended.counts.sent, 0);
}
