//! Notifications to another receiver: as they came, or in another version.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use trunkline_client::{Notification, Notifier, PduKind, Received, Version};

use crate::counts::Counts;
use crate::reports::Reports;

/// Another receiver.
#[derive(Clone, PartialEq, Eq)]
pub struct ForwardPlan {
    /// Its address, as `trunkline trap` takes it.
    pub to: String,
    /// The version; that of the notification if it is not given, with the same community.
    pub version: Option<Version>,
    /// The community.
    pub community: Option<Vec<u8>>,
    /// A file with the community, in place of it.
    pub community_file: Option<PathBuf>,
    /// The user of SNMPv3.
    pub user: Option<String>,
    /// Whether it must be confirmed.
    pub kind: ForwardKind,
    /// How long a confirmation may take.
    pub timeout: Duration,
    /// How often an inform is repeated.
    pub retries: u32,
}

impl std::fmt::Debug for ForwardPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ForwardPlan { to, version, user, kind, .. } = self;
        let mut shown = f.debug_struct("ForwardPlan");
        shown.field("to", to).field("version", version).field("user", user).field("kind", kind);
        shown.finish_non_exhaustive()
    }
}

/// Trap or inform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ForwardKind {
    /// Sent once.
    #[default]
    Trap,
    /// Repeated until it is confirmed.
    Inform,
    /// An inform if it came as one.
    Same,
}

impl ForwardKind {
    /// Whether a notification is sent as an inform, in this version.
    fn is_inform(self, received: &Received, version: Version) -> bool {
        match self {
            ForwardKind::Trap => false,
            ForwardKind::Inform => true,
            ForwardKind::Same => received.kind == PduKind::Inform && version != Version::V1,
        }
    }
}

/// A session with the other receiver, or why there is none.
pub type Opened = Result<Notifier, String>;

/// Opens the session: in this version and with this community, unless the plan has a user or its transport
/// authenticates.
pub type Open =
    Arc<dyn Fn(ForwardPlan, Version, Vec<u8>) -> Pin<Box<dyn Future<Output = Opened> + Send>> + Send + Sync>;

/// The queue of one receiver.
#[derive(Debug)]
pub(crate) struct Forwarder {
    queue: mpsc::Sender<Arc<Received>>,
    sending: JoinHandle<()>,
}

impl Forwarder {
    /// Begins to send what comes.
    pub(crate) fn start(
        plan: ForwardPlan,
        waiting: usize,
        open: Open,
        counts: Arc<Counts>,
        reports: Reports,
    ) -> Self {
        let (queue, received) = mpsc::channel(waiting);
        let subject = format!("forward to {}", plan.to);
        let sender = Sender { plan, open, counts, reports, subject, session: None };
        Forwarder { queue, sending: tokio::spawn(sender.send_all(received)) }
    }

    /// Queues a notification, or drops it if there is no room.
    pub(crate) fn send(&self, received: Arc<Received>) -> bool {
        self.queue.try_send(received).is_ok()
    }

    /// Waits for all that is queued, at most this long.
    pub(crate) async fn finish(self, patience: Duration) {
        drop(self.queue);
        let mut sending = self.sending;
        if timeout(patience, &mut sending).await.is_err() {
            sending.abort();
        }
    }
}

struct Sender {
    plan: ForwardPlan,
    open: Open,
    counts: Arc<Counts>,
    reports: Reports,
    subject: String,
    /// The session, with its version and community.
    session: Option<(Version, Vec<u8>, Notifier)>,
}

/// How many informs wait for their confirmation.
const IN_FLIGHT: usize = 16;

impl Sender {
    async fn send_all(mut self, mut queue: mpsc::Receiver<Arc<Received>>) {
        let places = Arc::new(Semaphore::new(IN_FLIGHT));
        let mut informs = JoinSet::new();
        while let Some(received) = queue.recv().await {
            let notifier = match self.notifier(&received).await {
                Ok(notifier) => notifier,
                Err(words) => {
                    self.counts.failed();
                    self.reports.report(&self.subject, &words);
                    continue;
                }
            };
            if !self.plan.kind.is_inform(&received, notifier.session().version()) {
                let sent = trap(&notifier, &received).await;
                self.settle(sent);
                continue;
            }
            // It is closed by nobody.
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            while informs.try_join_next().is_some() {}
            let (counts, reports, subject) =
                (Arc::clone(&self.counts), self.reports.clone(), self.subject.clone());
            informs.spawn(async move {
                match inform(&notifier, &received).await {
                    Ok(()) => counts.done(),
                    Err(words) => {
                        counts.failed();
                        reports.report(&subject, &words);
                    }
                }
                drop(place);
            });
        }
        while informs.join_next().await.is_some() {}
    }

    fn settle(&mut self, sent: Result<(), String>) {
        match sent {
            Ok(()) => self.counts.done(),
            Err(words) => {
                self.counts.failed();
                self.reports.report(&self.subject, &words);
                // The next one looks the name up again and opens another session.
                self.session = None;
            }
        }
    }

    /// The session for a notification; another one if its version or community differs from the one before.
    async fn notifier(&mut self, received: &Received) -> Opened {
        let community = match (&self.plan.community, &received.community) {
            (Some(community), _) | (None, Some(community)) => community.clone(),
            (None, None) => Vec::new(),
        };
        let version = self.plan.version.unwrap_or(received.version);
        if let Some((_, _, notifier)) =
            self.session.as_ref().filter(|(v, c, _)| *v == version && *c == community)
        {
            return Ok(notifier.clone());
        }
        let notifier = (self.open)(self.plan.clone(), version, community.clone()).await?;
        self.session = Some((version, community, notifier.clone()));
        Ok(notifier)
    }
}

async fn trap(notifier: &Notifier, received: &Received) -> Result<(), String> {
    let sent = if notifier.session().version() == Version::V1 {
        let translated = match &received.trap_v1 {
            Some(trap) => Ok(trap.clone()),
            // RFC 3584 section 3.2 step 2: the sender's own address is not known to be IPv4.
            None => received.notification.to_trap_v1([0; 4]),
        };
        notifier.trap_v1(translated.map_err(|fault| fault.to_string())?).await
    } else {
        notifier.trap(&forwarded(received)?).await
    };
    sent.map_err(|fault| fault.to_string())
}

async fn inform(notifier: &Notifier, received: &Received) -> Result<(), String> {
    let answer = notifier.inform(&forwarded(received)?).await.map_err(|fault| fault.to_string())?;
    match answer.error_status {
        0 => Ok(()),
        status => Err(format!("the receiver refused an inform with error-status {status}")),
    }
}

/// A trap of SNMPv1 with its origin among its objects (RFC 3584 section 3.1).
fn forwarded(received: &Received) -> Result<Notification, String> {
    match &received.trap_v1 {
        None => Ok(received.notification.clone()),
        Some(trap) => {
            let community = received.community.as_deref().unwrap_or_default();
            Notification::forwarded_from_trap_v1(trap, community).map_err(|fault| fault.to_string())
        }
    }
}
