//! The task of one target: it keeps the session, sends traps in their order and informs until they are confirmed.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use trunkline_client::{Error, Notifier, SessionOptions, Target};
use trunkline_snmp::Counters;
use trunkline_snmp::engine::Engine;
use trunkline_snmp::role::originator::Notification;

use super::sessions::SessionWatch;
use crate::own::NotifyType;

/// What a worker is for.
#[derive(Clone)]
pub(super) struct Job {
    /// The target's name, for the log.
    pub name: String,
    pub target: Target,
    pub kind: NotifyType,
    /// How long a confirmation may take.
    pub timeout: Duration,
    /// How often an inform is sent again.
    pub retries: u32,
    /// Counts its sessions.
    pub watch: SessionWatch,
}

/// A worker without work for so long ends, and its session with it.
const IDLE: Duration = Duration::from_secs(300);

/// How many informs are under way to one target at one time.
const WINDOW: usize = 16;

/// Works until nobody has anything to send any more, or nothing comes for long.
pub(super) async fn run(
    job: Job,
    engine: Arc<Engine>,
    counters: Arc<Counters>,
    mut waiting: mpsc::Receiver<Arc<Notification>>,
) {
    let mut session: Option<Notifier> = None;
    let mut under_way = JoinSet::new();
    while let Ok(Some(notification)) = timeout(IDLE, waiting.recv()).await {
        while under_way.try_join_next().is_some() {}
        if under_way.len() >= WINDOW {
            under_way.join_next().await;
        }
        let notifier = match &session {
            Some(notifier) => notifier.clone(),
            None => match open(&job, &engine).await {
                Ok(notifier) => session.insert(notifier).clone(),
                Err(error) => {
                    told(&job, &notification, &Err(error));
                    continue;
                }
            },
        };
        counters.out_pkts.add(1);
        match job.kind {
            NotifyType::Trap => {
                counters.out_traps.add(1);
                let sent = notifier.trap(&notification).await;
                if sent.is_err() {
                    session = None;
                }
                told(&job, &notification, &sent);
            }
            NotifyType::Inform => {
                let job = job.clone();
                under_way.spawn(async move {
                    let outcome = inform(&job, &notifier, &notification).await;
                    told(&job, &notification, &outcome);
                });
            }
        }
    }
    waiting.close();
    if session.is_some() {
        job.watch.closes(&job.target);
    }
    while under_way.join_next().await.is_some() {}
}

async fn open(job: &Job, engine: &Arc<Engine>) -> Result<Notifier, Error> {
    job.watch.opens(&job.target);
    let options = SessionOptions {
        timeout: job.timeout,
        retries: job.retries,
        window: WINDOW,
        ..SessionOptions::default()
    };
    Notifier::open(&job.target, Some(engine.clone()), options).await
}

/// Informs until it is confirmed or no try is left (RFC 3413 section 3.3 step 6). The host of a closed port says so
/// at once, but a receiver that is being started comes there in a moment: that is waited for as for an answer.
async fn inform(job: &Job, notifier: &Notifier, notification: &Notification) -> Result<(), Error> {
    let mut left = u64::from(job.retries) + 1;
    loop {
        let begin = Instant::now();
        let answer = notifier.inform(notification).await.and_then(|answer| answer.into_bindings());
        let Err(Error::Unreachable { attempts }) = &answer else { return answer.map(drop) };
        let attempts = (*attempts).max(1);
        left = left.saturating_sub(u64::from(attempts));
        if left == 0 {
            return answer.map(drop);
        }
        sleep_until(begin + job.timeout.saturating_mul(attempts)).await;
    }
}

fn told(Job { name: target, watch, .. }: &Job, notification: &Notification, outcome: &Result<(), Error>) {
    match outcome {
        Ok(()) => {
            watch.is_good();
            tracing::debug!(target, notification = %notification.trap_oid, "told");
        }
        Err(error) => {
            watch.failed(error);
            tracing::warn!(target, notification = %notification.trap_oid, %error, "not told");
        }
    }
}
