//! A device in a session of a client: any protocol.

use std::sync::Arc;
use std::time::Instant;

use tokio::task::JoinSet;
use tokio::time::{sleep_until, timeout_at};
use trunkline_client::{Error, Session};

use crate::collector::{AGAIN, Health, Opener, Report, Setting, Sink};
use crate::device::{Answer, Ask, Begun, Device, Request};
use crate::snapshot::Snapshot;

/// Reads a device until the task is ended.
pub(crate) async fn run(setting: Setting, opener: Arc<dyn Opener>, start: Instant, sink: Sink) {
    let Setting { key, wanted, limits, interval, phase, account, .. } = setting;
    let cycle = limits.cycle;
    let device = Device::new(wanted, limits).with_account(account);
    let mut reader = Reader { device, session: None, opener, start, ids: 0 };
    let mut due = start.elapsed() + phase;
    loop {
        sleep_until((start + due).into()).await;
        let now = start.elapsed();
        // A machine that was asleep begins one cycle, not all that it has missed.
        let missed = now.saturating_sub(due).as_nanos() / interval.as_nanos().max(1);
        due += interval * (u32::try_from(missed).unwrap_or(u32::MAX - 1) + 1);
        let snapshot = match reader.device.begin(now) {
            Begun::Cycle => Some(reader.cycle(start + now + cycle).await),
            Begun::Paused(_) | Begun::Busy => None,
            Begun::Full => {
                due = now + AGAIN;
                continue;
            }
        };
        let health = Health::of(&reader.device);
        sink(Report { key, snapshot, health });
    }
}

struct Reader {
    device: Device,
    session: Option<Arc<dyn Session>>,
    opener: Arc<dyn Opener>,
    start: Instant,
    ids: i32,
}

impl Reader {
    /// Reads what is wanted. Requests that have not ended then are dropped with their set.
    async fn cycle(&mut self, deadline: Instant) -> Snapshot {
        let mut asking: JoinSet<(i32, Answer, bool)> = JoinSet::new();
        loop {
            while let Some(Request { id, ask }) = self.request() {
                match self.session(deadline).await {
                    Ok(session) => drop(asking.spawn(carry(session, id, ask))),
                    Err(reason) => {
                        self.device.answered(id, Answer::Failed(reason), self.start.elapsed());
                    }
                }
            }
            if let Some(snapshot) = self.device.take(self.start.elapsed()) {
                return snapshot;
            }
            let next = self.device.next().map_or(deadline, |next| self.start + next);
            tokio::select! {
                Some(over) = asking.join_next(), if !asking.is_empty() => {
                    let Ok((id, answer, is_lost)) = over else { continue };
                    if is_lost {
                        self.session = None;
                    }
                    self.device.answered(id, answer, self.start.elapsed());
                }
                () = sleep_until(next.into()) => {}
            }
        }
    }

    fn request(&mut self) -> Option<Request> {
        let ids = &mut self.ids;
        self.device.request(self.start.elapsed(), || {
            *ids = ids.wrapping_add(1);
            *ids
        })
    }

    /// The session that is open, or another one.
    async fn session(&mut self, deadline: Instant) -> Result<Arc<dyn Session>, String> {
        if let Some(session) = &self.session {
            return Ok(session.clone());
        }
        let opened = timeout_at(deadline.into(), self.opener.open()).await;
        let session = opened.unwrap_or_else(|_| Err("no session within the time of the cycle".into()))?;
        Ok(self.session.insert(session).clone())
    }
}

/// Carries a request; true: the session is of no more use.
async fn carry(session: Arc<dyn Session>, id: i32, ask: Ask) -> (i32, Answer, bool) {
    let answer = match &ask {
        Ask::Get(names) => session.get(names).await,
        Ask::Next(names) => session.next(names).await,
        Ask::Bulk { non_repeaters, max_repetitions, names } => {
            session.bulk(*non_repeaters, *max_repetitions, names).await
        }
    };
    match answer {
        Ok(answer) => (id, Answer::Bindings(answer.bindings), false),
        Err(Error::Status { status, index, .. }) => {
            let index = usize::try_from(index).unwrap_or(0);
            (id, Answer::Error { status, index }, false)
        }
        Err(error) => (id, Answer::Failed(error.to_string()), true),
    }
}
