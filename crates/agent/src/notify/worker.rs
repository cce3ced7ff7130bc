//! The task of one target: it keeps the session, sends traps in their order and informs until they are confirmed.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use trunkline_client::{Error, Notifier, SessionOptions, Target};
use trunkline_snmp::Counters;
use trunkline_snmp::engine::Engine;
use trunkline_snmp::role::originator::Notification;

use crate::own::NotifyType;

/// What a worker is for.
pub(super) struct Job {
    /// The target's name, for the log.
    pub name: String,
    pub target: Target,
    pub kind: NotifyType,
    /// How long a confirmation may take.
    pub timeout: Duration,
    /// How often an inform is sent again.
    pub retries: u32,
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
                let name = job.name.clone();
                under_way.spawn(async move {
                    let answer =
                        notifier.inform(&notification).await.and_then(|answer| answer.into_bindings());
                    told_by(&name, &notification, &answer.map(drop));
                });
            }
        }
    }
    waiting.close();
    while under_way.join_next().await.is_some() {}
}

async fn open(job: &Job, engine: &Arc<Engine>) -> Result<Notifier, Error> {
    let options = SessionOptions {
        timeout: job.timeout,
        retries: job.retries,
        window: WINDOW,
        ..SessionOptions::default()
    };
    Notifier::open(&job.target, Some(engine.clone()), options).await
}

fn told(job: &Job, notification: &Notification, outcome: &Result<(), Error>) {
    told_by(&job.name, notification, outcome);
}

fn told_by(target: &str, notification: &Notification, outcome: &Result<(), Error>) {
    match outcome {
        Ok(()) => tracing::debug!(target, notification = %notification.trap_oid, "told"),
        Err(error) => tracing::warn!(target, notification = %notification.trap_oid, %error, "not told"),
    }
}
