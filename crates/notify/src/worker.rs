//! The task of one target: it keeps the session, sends traps in their order and informs until they are confirmed.
//!
//! ```text
//! queue -> trap    sent once; what could not be handed to the network is tried again, up to HELD
//!      '-> inform  up to WINDOW at a time; the session of `client` tries each until it is confirmed or given up
//! ```

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use trunkline_client::{Endurance, Error, Notifier, SessionOptions, Target, Watch as _};
use trunkline_snmp::Counters;
use trunkline_snmp::engine::Engine;
use trunkline_snmp::role::originator::Notification;

use super::sessions::SessionWatch;
use trunkline_admin::NotifyType;

/// A worker's target and parameters.
#[derive(Clone)]
pub(crate) struct Job {
    /// The target's name, for the log.
    pub name: String,
    pub target: Target,
    pub kind: NotifyType,
    /// The time limit for a confirmation, and the interval between attempts.
    pub timeout: Duration,
    /// How often an inform is sent again.
    pub retries: u32,
    /// Counts its sessions.
    pub watch: SessionWatch,
}

/// What waits to be sent.
pub(crate) struct Queued {
    pub notification: Arc<Notification>,
    pub since: Instant,
}

/// A worker without work for this long ends, and its session with it.
const IDLE: Duration = Duration::from_secs(300);

/// The maximum number of outstanding informs to one target.
const WINDOW: usize = 16;

/// How long a trap is kept that cannot be handed to the network: the name is not found, no route, no connection.
/// So the first traps of a machine wait until its network is up. An SNMPv3 receiver accepts nothing older than
/// 150 s.
const HELD: Duration = Duration::from_secs(60);

/// Between two attempts for a trap at least, where the target's time-out is shorter.
const PAUSE: Duration = Duration::from_millis(500);

/// Works until its sender is gone, or nothing has arrived for a while.
pub(crate) async fn run(
    job: Job,
    engine: Arc<Engine>,
    counters: Arc<Counters>,
    mut waiting: mpsc::Receiver<Queued>,
) {
    let mut session: Option<Notifier> = None;
    let mut under_way = JoinSet::new();
    while let Ok(Some(queued)) = timeout(IDLE, waiting.recv()).await {
        while under_way.try_join_next().is_some() {}
        if under_way.len() >= WINDOW {
            under_way.join_next().await;
        }
        counters.out_pkts.add(1);
        match job.kind {
            NotifyType::Trap => {
                counters.out_traps.add(1);
                let sent = trap(&job, &engine, &mut session, &queued).await;
                told(&job, &queued.notification, &sent);
            }
            NotifyType::Inform => {
                let Queued { notification, .. } = queued;
                match open(&job, &engine, &mut session).await {
                    Ok(notifier) => {
                        let job = job.clone();
                        under_way.spawn(async move {
                            let answer = notifier.inform(&notification).await;
                            told(
                                &job,
                                &notification,
                                &answer.and_then(|answer| answer.into_bindings()).map(drop),
                            );
                        });
                    }
                    Err(error) => told(&job, &notification, &Err(error)),
                }
            }
        }
    }
    waiting.close();
    if session.is_some_and(|notifier| notifier.session().counts().connections > 0) {
        job.watch.closes();
    }
    while under_way.join_next().await.is_some() {}
}

/// The existing session, or a new one. One for informs connects on demand, as often as needed; one for traps is
/// connected when this returns.
async fn open(job: &Job, engine: &Arc<Engine>, session: &mut Option<Notifier>) -> Result<Notifier, Error> {
    if let Some(notifier) = session {
        return Ok(notifier.clone());
    }
    let endurance = match job.kind {
        NotifyType::Trap => Endurance::Quick,
        NotifyType::Inform => Endurance::Retries,
    };
    let options = SessionOptions::default()
        .with_timeout(job.timeout)
        .with_retries(job.retries)
        .with_endurance(endurance)
        .with_window(WINDOW);
    if job.kind == NotifyType::Trap {
        job.watch.opens();
    }
    let opened = Notifier::open(&job.target, Some(engine.clone()), options).await;
    let notifier = opened.inspect_err(|error| job.watch.failed(error))?;
    notifier.session().watch(Arc::new(job.watch.clone()));
    Ok(session.insert(notifier).clone())
}

/// Sends a trap once. While it cannot be handed to the network it is tried again, with another session.
async fn trap(
    job: &Job,
    engine: &Arc<Engine>,
    session: &mut Option<Notifier>,
    queued: &Queued,
) -> Result<(), Error> {
    let end = queued.since + HELD;
    let mut attempts = 0;
    loop {
        let next = Instant::now() + job.timeout.max(PAUSE);
        attempts += 1;
        let error = match open(job, engine, session).await {
            Ok(notifier) => match notifier.trap(&queued.notification).await {
                Ok(()) => return Ok(()),
                Err(error) => error,
            },
            Err(error) => error,
        };
        if is_about_the_message(&error) {
            return Err(error);
        }
        *session = None;
        job.watch.log(&error);
        if next.max(Instant::now()) > end {
            return Err(Error::GivenUp { attempts, last: Box::new(error) });
        }
        sleep_until(next).await;
    }
}

/// Whether it would be the same over every session.
fn is_about_the_message(error: &Error) -> bool {
    matches!(
        error,
        Error::Translation(_)
            | Error::NotificationSend(_)
            | Error::NoEngine
            | Error::NotInVersion { .. }
            | Error::RequestTooLong { .. }
    )
}

fn told(Job { name: target, watch, .. }: &Job, notification: &Notification, outcome: &Result<(), Error>) {
    match outcome {
        Ok(()) => {
            watch.is_good();
            tracing::debug!(target, notification = %notification.trap_oid, "sent");
        }
        Err(error) => {
            tracing::warn!(target, notification = %notification.trap_oid, %error, "not sent");
        }
    }
}
