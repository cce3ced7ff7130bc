//! The session with a device: opened on first use, shared, and opened again after a failure.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::time::timeout;
use trunkline_client::{Error, Session};

/// Opens a session with a device.
pub type Opener = Box<dyn Fn() -> Opening + Send + Sync>;

/// A session being opened.
pub type Opening = Pin<Box<dyn Future<Output = Result<Arc<dyn Session>, String>> + Send>>;

/// The way to a device.
pub(crate) struct Link {
    name: String,
    opener: Opener,
    runtime: Handle,
    session: Mutex<Option<Arc<dyn Session>>>,
    /// Why the last request had no answer, and when that was known.
    failure: ArcSwapOption<(String, Instant)>,
}

impl Link {
    pub fn new(name: String, opener: Opener, runtime: Handle) -> Self {
        Link { name, opener, runtime, session: Mutex::new(None), failure: ArcSwapOption::empty() }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Asks the device, within the time that a group may take; `None` if it refuses, which does not count as a failure: it does not have
    /// the objects, or does not show them to us. Must not be called on a thread of the runtime.
    ///
    /// # Errors
    /// The device cannot be reached, does not answer in time, or answers what nobody understands.
    pub fn ask<T, F>(&self, asking: impl FnOnce(Arc<dyn Session>) -> F) -> io::Result<Option<T>>
    where
        F: Future<Output = Result<T, Error>>,
    {
        // Requests of the same moment wait for the same silence once.
        if let Some((words, at)) = self.failure.load().as_deref()
            && at.elapsed() < PAUSE
        {
            return Err(io::Error::other(words.clone()));
        }
        self.runtime.block_on(async {
            let asked = timeout(LONGEST, async { Ok::<_, String>(asking(self.session().await?).await) });
            let (kind, words) = match asked.await {
                Ok(Ok(Ok(answer))) => {
                    self.failure.store(None);
                    return Ok(Some(answer));
                }
                Ok(Ok(Err(error))) if is_refusal(&error) => {
                    self.failure.store(None);
                    return Ok(None);
                }
                Ok(Ok(Err(error))) => (io::ErrorKind::Other, error.to_string()),
                Ok(Err(words)) => (io::ErrorKind::Other, words),
                Err(_) => {
                    (io::ErrorKind::TimedOut, format!("no whole answer within {} s", LONGEST.as_secs()))
                }
            };
            self.forget().await;
            self.failure.store(Some(Arc::new((words.clone(), Instant::now()))));
            Err(io::Error::new(kind, words))
        })
    }

    /// Why the last request had no answer; `None`: it had one, or there was none.
    pub fn failure(&self) -> Option<String> {
        self.failure.load().as_deref().map(|(words, _)| words.clone())
    }

    async fn session(&self) -> Result<Arc<dyn Session>, String> {
        let mut kept = self.session.lock().await;
        if let Some(session) = &*kept {
            return Ok(session.clone());
        }
        let opened = (self.opener)().await?;
        *kept = Some(opened.clone());
        Ok(opened)
    }

    /// The next request opens another session.
    async fn forget(&self) {
        self.session.lock().await.take();
    }
}

/// Whether the device itself has said no.
fn is_refusal(error: &Error) -> bool {
    match error {
        Error::Status { .. } | Error::Fault { .. } => true,
        Error::Netconf(fault) => {
            use trunkline_client::netconf::NetconfFault::{NoModule, NoObject, Refused};
            matches!(**fault, Refused(_) | NoModule { .. } | NoObject { .. })
        }
        _ => false,
    }
}

/// How long nobody asks again after a failure.
const PAUSE: Duration = Duration::from_secs(2);
/// How long a group may take.
const LONGEST: Duration = Duration::from_secs(30);
