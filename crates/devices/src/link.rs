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
use trunkline_client::{Bound, Error, ErrorStatus, Oid, Session, Value, VarBind};

use crate::remote::values;
use crate::set::NotSet;

/// Opens a session with a device.
pub type Opener = Box<dyn Fn() -> Opening + Send + Sync>;

/// A session being opened.
pub type Opening = Pin<Box<dyn Future<Output = Result<Arc<dyn Session>, String>> + Send>>;

/// Whether an instance has the value that somebody saw.
pub type IsStill<'a> = &'a (dyn Fn(Option<&Value>) -> bool + Sync);

/// A session, and since when there is one.
struct Kept {
    session: Arc<dyn Session>,
    since: Instant,
}

/// The way to a device.
pub(crate) struct Link {
    name: String,
    opener: Opener,
    runtime: Handle,
    session: Mutex<Option<Kept>>,
    /// Held while something is compared and set.
    setting: Mutex<()>,
    /// Why the last request had no answer.
    failure: ArcSwapOption<Failure>,
}

/// What has become of a row that was to be created.
enum Created {
    /// It is not there.
    Not,
    /// It is there, with the values that it was to have.
    AsWanted,
    /// The same as far as the device shows them. It does not show that of the instance at this position.
    Unshown(usize),
    /// It is there, with others.
    Otherwise,
}

/// Whether this says nothing of what was set: keys are read as an empty text, and what a row was cloned from as 0.0 (RFC 3414 section 5).
fn is_unshown(value: Option<&Value>) -> bool {
    match value {
        None => true,
        Some(Value::OctetString(octets)) => octets.is_empty(),
        Some(Value::ObjectIdentifier(name)) => **name == [0, 0],
        Some(_) => false,
    }
}

/// Why a request had no answer.
struct Failure {
    words: String,
    /// When that was known, if the device was not reached: nobody asks again for a while.
    silent_since: Option<Instant>,
}

impl Link {
    pub fn new(name: String, opener: Opener, runtime: Handle) -> Self {
        Link {
            name,
            opener,
            runtime,
            session: Mutex::new(None),
            setting: Mutex::new(()),
            failure: ArcSwapOption::empty(),
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Asks the device, within the time that a group may take; `None` if it does not have the objects, or does not show them to us. Must not
    /// be called on a thread of the runtime.
    ///
    /// # Errors
    /// The device cannot be reached, does not answer in time, answers what nobody understands, or that it cannot answer.
    pub fn ask<T, F>(&self, asking: impl FnOnce(Arc<dyn Session>) -> F) -> io::Result<Option<T>>
    where
        F: Future<Output = Result<T, Error>>,
    {
        // Requests of the same moment wait for the same silence once.
        if let Some(Failure { words, silent_since: Some(since) }) = self.failure.load().as_deref()
            && since.elapsed() < PAUSE
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
                Ok(Ok(Err(error))) if is_refusal(&error) || matches!(error, Error::TableTooLong { .. }) => {
                    if is_without_module(&error) {
                        self.forget_old().await;
                    }
                    if is_absence(&error) {
                        self.failure.store(None);
                        return Ok(None);
                    }
                    return Err(self.refused(&io::Error::other(error.to_string())));
                }
                Ok(Ok(Err(error))) => (io::ErrorKind::Other, error.to_string()),
                Ok(Err(words)) => (io::ErrorKind::Other, words),
                Err(_) => {
                    (io::ErrorKind::TimedOut, format!("no whole answer within {} s", LONGEST.as_secs()))
                }
            };
            self.forget().await;
            let silent_since = Some(Instant::now());
            self.failure.store(Some(Arc::new(Failure { words: words.clone(), silent_since })));
            Err(io::Error::new(kind, words))
        })
    }

    /// Something cannot be read of the device, which may have other things.
    pub fn refused(&self, error: &io::Error) -> io::Error {
        let words = error.to_string();
        self.failure.store(Some(Arc::new(Failure { words: words.clone(), silent_since: None })));
        io::Error::new(error.kind(), words)
    }

    /// Whether objects can be set over the device's protocol. The session is opened for that; one that cannot be opened says why when
    /// something is set.
    pub async fn can_set(&self) -> bool {
        match timeout(LONGEST, self.session()).await {
            Ok(Ok(session)) => session.as_netconf().is_none(),
            _ => true,
        }
    }

    /// Has the value of the first instance compared with what it was, and sets all; nothing else is set here meanwhile.
    ///
    /// # Errors
    /// [`NotSet`]
    pub async fn set(&self, is_still: Option<IsStill<'_>>, bindings: &[VarBind]) -> Result<(), NotSet> {
        let _one_at_a_time = self.setting.lock().await;
        self.set_once(is_still, bindings).await
    }

    /// Creates a row whose RowStatus is the first instance, unless that is there, as far as `may_read` lets instances be seen. A request
    /// whose answer is lost is repeated by some sessions, and then meets the row that it has created: what is there decides.
    ///
    /// # Errors
    /// [`NotSet`]
    pub async fn create(
        &self,
        may_read: &(dyn Fn(&Oid) -> bool + Sync),
        bindings: &[VarBind],
    ) -> Result<(), NotSet> {
        let _one_at_a_time = self.setting.lock().await;
        let is_none: IsStill<'_> = &|value| value.is_none();
        let is_seen = bindings.first().is_some_and(|status| may_read(&status.name));
        let done = self.set_once(is_seen.then_some(is_none), bindings).await;
        let is_all_seen = bindings.iter().all(|binding| may_read(&binding.name));
        let error = match done {
            Err(error @ (NotSet::Refused(..) | NotSet::Unknown(_) | NotSet::Late(_))) if is_all_seen => error,
            done => return done,
        };
        match (timeout(LONGEST, self.is_created(bindings)).await.unwrap_or(None), error) {
            (Some(Created::AsWanted), _) => Ok(()),
            (Some(Created::Unshown(binding)), _) => Err(NotSet::Unshown(binding)),
            (Some(Created::Otherwise), _) => Err(NotSet::There),
            (None, NotSet::Refused(_, error)) => Err(NotSet::Doubtful(error)),
            // A request without an answer may still be on its way.
            (Some(Created::Not) | None, error) => Err(error),
        }
    }

    /// Whether there is the row of these instances, the first of which is its RowStatus; `None`: nobody knows.
    async fn is_created(&self, bindings: &[VarBind]) -> Option<Created> {
        let session = self.session().await.ok()?;
        let names = bindings.iter().map(|binding| binding.name.clone()).collect();
        let found = values(session, names).await.ok()?;
        let value = |binding: &VarBind| found.get(&binding.name).and_then(Bound::value);
        value(bindings.first()?).map_or(Some(Created::Not), |_| {
            let columns = bindings.iter().enumerate().skip(1);
            let others: Vec<_> = columns.filter(|(_, it)| value(it) != it.value.value()).collect();
            let is_all_unshown = others.iter().all(|(_, it)| is_unshown(value(it)));
            Some(match others.first() {
                None => Created::AsWanted,
                Some((at, _)) if is_all_unshown => Created::Unshown(*at),
                Some(_) => Created::Otherwise,
            })
        })
    }

    async fn set_once(&self, is_still: Option<IsStill<'_>>, bindings: &[VarBind]) -> Result<(), NotSet> {
        let setting = async {
            let session = self.session().await.map_err(NotSet::Unreachable)?;
            if session.as_netconf().is_some() {
                return Err(NotSet::Protocol);
            }
            if let (Some(is_still), Some(VarBind { name, .. })) = (is_still, bindings.first()) {
                let found = values(session.clone(), vec![name.clone()]).await.map_err(NotSet::Unread)?;
                if !is_still(found.get(name).and_then(Bound::value)) {
                    return Err(NotSet::Changed);
                }
            }
            session.set(bindings).await.map(drop).map_err(NotSet::by)
        };
        let done = timeout(LONGEST, setting).await.unwrap_or(Err(NotSet::Late(LONGEST)));
        if matches!(done, Err(NotSet::Unknown(_) | NotSet::Unread(_) | NotSet::Late(_))) {
            self.forget().await;
        }
        done
    }

    /// Why the last request had no answer; `None`: it had one, or there was none.
    pub fn failure(&self) -> Option<String> {
        self.failure.load().as_deref().map(|failure| failure.words.clone())
    }

    /// Where its sessions live.
    pub fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Ends the session in order, if there is one; the next request opens another.
    pub async fn leave(&self) {
        let kept = self.session.lock().await.take();
        if let Some(kept) = kept {
            kept.session.close().await;
        }
    }

    /// Another session, for one use.
    pub async fn open(&self) -> Result<Arc<dyn Session>, String> {
        (self.opener)().await
    }

    /// Whether there is a session, and of a protocol with subscriptions.
    pub fn has_subscriptions(&self) -> bool {
        let kept = self.session.try_lock();
        kept.is_ok_and(|kept| {
            kept.as_ref().is_some_and(|Kept { session, .. }| {
                session.as_netconf().is_some() || session.as_soap().is_some()
            })
        })
    }

    async fn session(&self) -> Result<Arc<dyn Session>, String> {
        let mut kept = self.session.lock().await;
        if let Some(kept) = &*kept {
            return Ok(kept.session.clone());
        }
        let session = (self.opener)().await?;
        *kept = Some(Kept { session: session.clone(), since: Instant::now() });
        Ok(session)
    }

    /// A session knows the modules of the device as it was when it began: one of another day may be wrong.
    async fn forget_old(&self) {
        let mut kept = self.session.lock().await;
        if kept.as_ref().is_some_and(|kept| kept.since.elapsed() > KNOWN_FOR) {
            *kept = None;
        }
    }

    /// The next request opens another session.
    async fn forget(&self) {
        self.session.lock().await.take();
    }
}

/// Whether the device itself has said no.
pub(crate) fn is_refusal(error: &Error) -> bool {
    match error {
        Error::Status { .. } | Error::Fault { .. } => true,
        Error::Netconf(fault) => {
            use trunkline_client::netconf::NetconfFault::{NoModule, NoObject, Refused};
            matches!(**fault, Refused(_) | NoModule { .. } | NoObject { .. })
        }
        _ => false,
    }
}

/// Whether the device does not have what it was asked for.
fn is_absence(error: &Error) -> bool {
    match error {
        Error::Status { status, .. } => *status == ErrorStatus::NoSuchName.code(),
        Error::Fault { fault } => {
            use trunkline_client::soap::FaultKind::{
                Forbidden, NoSuchInstance, NoSuchObject, NoSuchRow, UnknownName, UnknownOperation,
            };
            matches!(
                fault.kind,
                Forbidden | NoSuchInstance | NoSuchObject | NoSuchRow | UnknownName | UnknownOperation
            )
        }
        Error::TableTooLong { .. } => false,
        _ => true,
    }
}

fn is_without_module(error: &Error) -> bool {
    use trunkline_client::netconf::NetconfFault;
    matches!(error, Error::Netconf(fault) if matches!(**fault, NetconfFault::NoModule { .. }))
}

/// After this time it is asked again which modules a device has, if something is not among them.
const KNOWN_FOR: Duration = Duration::from_secs(30);
/// How long nobody asks again after a failure.
const PAUSE: Duration = Duration::from_secs(2);
/// How long a group may take.
const LONGEST: Duration = Duration::from_secs(30);
