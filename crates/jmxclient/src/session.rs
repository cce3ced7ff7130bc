//! A session: the registry returns a stub, the stub is followed, a connection opened and kept in use by a lease.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use trunkline_jmx::jrmp::{Lease, ObjId, Stub, StubKind, Uid, Vmid};
use trunkline_jmx::model::{Array, Value};
use trunkline_jmx::remote::{Credentials, Reply, Request};
use trunkline_jmx::stream::Limits;
use trunkline_jmx::stream::classes::exceptions;
use trunkline_transport::dial::PARTING;

use crate::error::{Error, is_of_marshalling};
use crate::line::{BEFORE_LOGIN, Broken, Line, first_call};
use crate::place::{Follow, Place};
use crate::target::JmxTarget;

/// Options of a session.
#[derive(Clone, Debug)]
pub struct JmxOptions {
    /// How long a call may take, and a connection to be made.
    pub timeout: Duration,
    /// Which host is called after the registry.
    pub follow: Follow,
    /// How much one answer may have.
    pub limits: Limits,
    /// How many calls are under way at once; further ones wait.
    pub concurrency: usize,
    /// For how long the connection is kept in use without word of us.
    pub lease: Duration,
}

impl Default for JmxOptions {
    fn default() -> Self {
        JmxOptions {
            timeout: Duration::from_secs(6),
            follow: Follow::Stub,
            limits: Limits {
                depth: 100,
                values: 4_000_000,
                octets: 128 << 20,
                array: 8 << 20,
                string: 16 << 20,
            },
            concurrency: 8,
            lease: Duration::from_secs(600),
        }
    }
}

impl JmxOptions {
    /// The same, with this time for each call.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        JmxOptions { timeout, ..self }
    }

    /// The same, for answers of at most so many octets, and a value for each 32 of them.
    #[must_use]
    pub fn with_octets(self, octets: usize) -> Self {
        let limits = Limits {
            values: octets / 32,
            octets,
            array: self.limits.array.min(octets / 16),
            string: self.limits.string.min(octets),
            ..self.limits
        };
        JmxOptions { limits, ..self }
    }

    /// The same, with this host after the registry.
    #[must_use]
    pub fn with_follow(self, follow: Follow) -> Self {
        JmxOptions { follow, ..self }
    }
}

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// It only reads, and may be repeated.
    Reads,
    /// It changes something: it is not repeated.
    Writes,
}

/// A session with a JVM. Calls may be made at the same time: each has a connection of its own, which later calls use again.
pub struct JmxSession {
    shared: Arc<Shared>,
    renewal: JoinHandle<()>,
}

struct Shared {
    place: Place,
    connection: ObjId,
    options: JmxOptions,
    slots: Semaphore,
    idle: Mutex<Idle>,
    client: Vmid,
}

#[derive(Default)]
struct Idle {
    lines: Vec<Line>,
    is_closed: bool,
    /// The number of the last word on leases.
    sequence: i64,
}

impl JmxSession {
    /// Opens a session. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// [`Error`]: nothing listens there, it is not the registry of a JVM, its stub leads nowhere, or it refuses us.
    pub async fn open(target: &JmxTarget, options: JmxOptions) -> Result<Self, Error> {
        let registry = Place::registry(target)?;
        let limit = options.timeout;
        let mut line = Line::open(&registry, BEFORE_LOGIN, limit).await?;
        let server = look_up(&mut line, &registry, target, limit).await?;
        let is_here = line.is_here;
        let follow = |stub: &Stub| Place::of_stub(target, &stub.reference, options.follow, is_here);
        let place = follow(&server)?;
        let mut line = if place.is_same(&registry) {
            line
        } else {
            line.close().await;
            reached(&place, target, limit).await?
        };
        let connection = new_client(&mut line, &place, &server, target, limit).await?;
        let own = follow(&connection)?;
        if !own.is_same(&place) {
            line.close().await;
            line = reached(&own, target, limit).await?;
        }
        let client = Vmid { address: None, uid: unique() };
        let shared = Shared {
            place: own,
            connection: connection.reference.object,
            slots: Semaphore::new(options.concurrency.max(1)),
            options,
            idle: Mutex::default(),
            client,
        };
        line.limit(shared.options.limits);
        shared.put(line);
        let shared = Arc::new(shared);
        let granted = shared.renew().await;
        let renewal = tokio::spawn(keep(Arc::downgrade(&shared), granted));
        Ok(JmxSession { shared, renewal })
    }

    /// How long a call may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.shared.options.timeout
    }

    /// Host and port of the connector.
    #[must_use]
    pub fn connector(&self) -> String {
        self.shared.place.authority()
    }

    /// Carries out a call of the connection that reads.
    pub(crate) async fn read(&self, request: &Request) -> Result<Reply, Error> {
        self.shared.call(request, Weight::Reads, self.shared.options.timeout).await
    }

    /// Carries out a call of the connection that changes something.
    pub(crate) async fn write(&self, request: &Request) -> Result<Reply, Error> {
        self.shared.call(request, Weight::Writes, self.shared.options.timeout).await
    }

    /// Carries out a call that the server answers after this time at the latest.
    pub(crate) async fn wait(&self, request: &Request, wait: Duration) -> Result<Reply, Error> {
        let patience = self.shared.options.timeout.saturating_add(wait);
        self.shared.call(request, Weight::Reads, patience).await
    }

    /// Ends the session in order: the connection is closed and its lease returned. The server's answers are awaited for a second at
    /// most. Calls fail then.
    pub async fn close(&self) {
        self.parting().await;
    }

    /// The same, for when the session is not there any more.
    pub(crate) fn parting(&self) -> impl Future<Output = ()> + Send + 'static {
        self.renewal.abort();
        let shared = Arc::clone(&self.shared);
        async move {
            let _ = timeout(PARTING, shared.close()).await;
        }
    }
}

impl Drop for JmxSession {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}

impl Shared {
    fn idle(&self) -> std::sync::MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, line: Line) {
        let mut idle = self.idle();
        if !idle.is_closed {
            idle.lines.push(line);
        }
    }

    async fn close(&self) {
        let _ = self.call(&Request::Close, Weight::Writes, self.options.timeout).await;
        let _ = self.clean().await;
        let lines = {
            let mut idle = self.idle();
            idle.is_closed = true;
            std::mem::take(&mut idle.lines)
        };
        for line in lines {
            line.close().await;
        }
    }

    async fn call(&self, request: &Request, weight: Weight, patience: Duration) -> Result<Reply, Error> {
        let reply = self.exchange(self.connection, request, weight, patience).await?;
        match reply {
            Reply::Exception(exception) => Err(Error::Exception(Box::new(exception))),
            reply => Ok(reply),
        }
    }

    /// A call of an object, over a connection that is idle or new. One that was idle may have been closed meanwhile: what only reads is
    /// then sent again, and what writes only after the server has shown that it still answers.
    async fn exchange(
        &self,
        object: ObjId,
        request: &Request,
        weight: Weight,
        patience: Duration,
    ) -> Result<Reply, Error> {
        let method = request.method().name();
        let _slot = self.slots.acquire().await.map_err(|_| Error::Closed)?;
        let carried_out = async {
            loop {
                let (mut line, is_used) = self.line().await?;
                if is_used && weight == Weight::Writes && line.ping().await.is_err() {
                    continue;
                }
                match line.call(object, request).await {
                    Ok(reply) => {
                        // A server that could not read the call may not know where the next one begins.
                        if !matches!(&reply, Reply::Exception(exception) if is_of_marshalling(exception)) {
                            self.put(line);
                        }
                        return Ok(reply);
                    }
                    Err(Broken::Lost) if is_used && weight == Weight::Reads => {}
                    Err(Broken::Lost) if weight == Weight::Writes => {
                        return Err(Error::OutcomeUnknown { method });
                    }
                    Err(Broken::Lost) => return Err(Error::Lost { method }),
                    Err(Broken::Malformed(fault)) => return Err(fault.into()),
                    Err(Broken::Thrown(fault)) => return Err(Error::Thrown(fault)),
                }
            }
        };
        let answered = timeout(patience, carried_out).await;
        answered.unwrap_or(Err(Error::Timeout { method, waited: patience }))
    }

    /// A connection, and whether it has been used before.
    async fn line(&self) -> Result<(Line, bool), Error> {
        let idle = {
            let mut idle = self.idle();
            if idle.is_closed {
                return Err(Error::Closed);
            }
            idle.lines.pop()
        };
        if let Some(line) = idle {
            return Ok((line, true));
        }
        let line = Line::open(&self.place, self.options.limits, self.options.timeout).await?;
        self.place.admit(line.is_here)?;
        Ok((line, false))
    }

    /// Says that the connection is in use, and returns for how long that is granted. Servers that know no leases keep it anyway.
    async fn renew(&self) -> Duration {
        let duration = i64::try_from(self.options.lease.as_millis()).unwrap_or(i64::MAX);
        let lease = Lease { duration, client: Some(self.client.clone()) };
        let request = Request::Dirty { objects: vec![self.connection], sequence: self.next(), lease };
        let answered = self.exchange(ObjId::DGC, &request, Weight::Reads, self.options.timeout).await;
        match answered {
            Ok(Reply::Lease(Lease { duration, .. })) => {
                let granted = Duration::from_millis(u64::try_from(duration).unwrap_or(0));
                granted.min(self.options.lease)
            }
            _ => self.options.lease,
        }
    }

    /// Says that the connection is not used any more.
    async fn clean(&self) -> Result<Reply, Error> {
        let request = Request::Clean {
            objects: vec![self.connection],
            sequence: self.next(),
            client: Some(self.client.clone()),
            strong: false,
        };
        self.exchange(ObjId::DGC, &request, Weight::Reads, self.options.timeout).await
    }

    fn next(&self) -> i64 {
        let mut idle = self.idle();
        idle.sequence += 1;
        idle.sequence
    }
}

/// Renews the lease at half of its time, as Java does, as long as there is a session.
async fn keep(shared: Weak<Shared>, mut granted: Duration) {
    loop {
        sleep((granted / 2).max(SHORTEST)).await;
        let Some(shared) = shared.upgrade() else { return };
        granted = shared.renew().await;
    }
}

/// A connection to where a stub leads.
async fn reached(place: &Place, target: &JmxTarget, limit: Duration) -> Result<Line, Error> {
    let opened = Line::open(place, BEFORE_LOGIN, limit).await;
    let line = opened.map_err(|fault| match fault {
        fault if fault.is_refusal() => fault.into(),
        fault if place.host == target.host => {
            Error::ConnectorUnreachable { at: place.authority(), fault: Arc::new(fault) }
        }
        fault => Error::StubUnreachable {
            named: place.authority(),
            asked: target.host.clone(),
            fault: Arc::new(fault),
        },
    })?;
    place.admit(line.is_here)?;
    Ok(line)
}

/// The stub of the server.
async fn look_up(
    line: &mut Line,
    registry: &Place,
    target: &JmxTarget,
    limit: Duration,
) -> Result<Stub, Error> {
    let request = Request::Lookup(target.bound.clone());
    let method = request.method().name();
    match first_call(line, registry, ObjId::REGISTRY, &request, limit).await? {
        Reply::Stub(stub) if stub.kind == StubKind::Server => Ok(stub),
        Reply::Exception(exception) if exception.class.is(&exceptions::NOT_BOUND_EXCEPTION) => {
            let listed = first_call(line, registry, ObjId::REGISTRY, &Request::List, limit).await;
            let bound = match listed {
                Ok(Reply::Value(Value::Array(Array::Strings(names)))) => names,
                _ => Vec::new(),
            };
            Err(Error::NotBound { at: registry.authority(), name: target.bound.clone(), bound })
        }
        Reply::Exception(exception) => Err(Error::Exception(Box::new(exception))),
        _ => Err(Error::Unexpected { method }),
    }
}

/// The stub of a connection of ours.
async fn new_client(
    line: &mut Line,
    place: &Place,
    server: &Stub,
    target: &JmxTarget,
    limit: Duration,
) -> Result<Stub, Error> {
    let login = target.login.as_ref().map(|login| vec![login.user.clone(), login.password.to_string()]);
    let request = Request::NewClient(Credentials(login));
    let method = request.method().name();
    match first_call(line, place, server.reference.object, &request, limit).await? {
        Reply::Stub(stub) if stub.kind == StubKind::Connection => Ok(stub),
        Reply::Exception(exception) if exception.class.is(&exceptions::SECURITY_EXCEPTION) => {
            let words = exception.message.unwrap_or_default();
            Err(Error::Denied { words, is_anonymous: target.login.is_none() })
        }
        Reply::Exception(exception) => Err(Error::Exception(Box::new(exception))),
        _ => Err(Error::Unexpected { method }),
    }
}

/// An identifier of this client among all.
fn unique() -> Uid {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Uid { unique: fastrand::i32(..), time: time.as_millis() as i64, count: fastrand::i16(..) }
}

/// The least time between two renewals, whatever the server grants.
const SHORTEST: Duration = Duration::from_secs(1);
