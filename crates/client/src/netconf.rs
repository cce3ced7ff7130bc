//! Sessions over NETCONF: one kept connection, which carries one request at a time.
//!
//! ```text
//! caller -> NetconfSession -> objects (filter) -> link (SSH or TLS, repeats reads) -> agent
//!                             objects (values) <- restconf (the same as requests of HTTP)
//! ```
//!
//! Objects of MIB modules are requested by their paths in YANG (RFC 6643), from agents that announce these modules. Operations on
//! anything else are octets of XML: [`NetconfSession::rpc`].

mod assign;
mod fault;
mod known;
mod lend;
mod link;
mod operations;
mod protect;
mod pushed;
mod read;
#[cfg(feature = "http")]
mod restconf;
mod select;
mod stored;
mod subscription;
mod way;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OnceCell, mpsc};
use trunkline_netconf::compression::Algorithm;
use trunkline_netconf::hello::Hello;
use trunkline_netconf::modules::Modules;
use trunkline_smi::Oid;
use trunkline_smi::schema::Table as Schema;
use trunkline_snmp::wire::VarBind;
use trunkline_xmlsec::DeviceName;

pub use fault::NetconfFault;
pub use lend::Lending;
pub use pushed::{Pushed, PushedEdit};
pub use select::{Selection, Told, is_whole_configuration, json_of, leaves_of};
pub use stored::{open_stored, seal_stored};
pub use subscription::{Event, Push, Subscribe, Subscription};
pub use trunkline_netconf as protocol;
pub use trunkline_xmlsec as security;

pub use operations::Warned;

pub use self::protect::{MessageKeys, OwnKeys, ProtectFault};
use self::way::Way;
use crate::answer::Answer;
use crate::error::Error;
use crate::session::{Asking, Session};
use crate::setters::setters;
use crate::snmp_session::HANDSHAKE_TIME;
use crate::table::{Table, TableLimit};
use crate::target::NetconfTarget;
use crate::walk::{Walk, WalkOptions};

/// Options of a NETCONF session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NetconfOptions {
    /// How long the agent may be silent while an answer is awaited. Default 30 s.
    pub timeout: Duration,
    /// The time-out for making a connection, and for the exchange of hellos. Default 10 s.
    pub connect_time: Duration,
    /// Octets of the longest reply that is accepted. Default 256 MiB.
    pub max_reply: usize,
    /// Where the server calls (RFC 8071), instead of being connected to. Default nowhere.
    pub call_home: Option<CallHome>,
    /// What is called with the warnings of replies. Default nothing.
    pub warned: Option<Warned>,
    /// The socket of a session that another process lends ([`NetconfSession::lend`]): it is used if it is one with the same server and user.
    /// Default none.
    pub lent: Option<PathBuf>,
    /// How messages are compressed, with an agent that can: its replies, and requests without content. Default not at all.
    pub compression: Option<Algorithm>,
    /// The role that each request is on behalf of; of agents that have roles (Trunkline). Default none.
    pub role: Option<String>,
    /// With which keys messages protect themselves; of agents that have that (Trunkline). Default none.
    pub keys: Option<MessageKeys>,
    /// The device that the agent must say it is (`device` in its `[netconf]`), before it is sent anything. Default any.
    pub device: Option<DeviceName>,
}

/// Where a server calls. The target's host and port are the name by which it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallHome {
    /// Where to wait.
    pub listen: SocketAddr,
    /// How long to wait.
    pub wait: Duration,
}

setters! {
    NetconfOptions {
        timeout: Duration => with_timeout,
        connect_time: Duration => with_connect_time,
        max_reply: usize => with_max_reply,
        call_home: Option<CallHome> => with_call_home,
        warned: Option<Warned> => with_warned,
        lent: Option<PathBuf> => with_lent,
        compression: Option<Algorithm> => with_compression,
        role: Option<String> => with_role,
        keys: Option<MessageKeys> => with_keys,
        device: Option<DeviceName> => with_device,
    }
}

impl Default for NetconfOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            connect_time: HANDSHAKE_TIME,
            max_reply: 256 << 20,
            call_home: None,
            warned: None,
            lent: None,
            compression: None,
            role: None,
            keys: None,
            device: None,
        }
    }
}

/// A handle of a NETCONF session with one agent; cheap to clone.
#[derive(Clone)]
pub struct NetconfSession {
    inner: Arc<Inner>,
}

struct Inner {
    way: Way,
    /// Whose session it is.
    identity: String,
    /// Whether it is RESTCONF.
    is_restconf: bool,
    options: NetconfOptions,
    modules: OnceCell<Modules>,
}

impl NetconfSession {
    /// Connects, up to the agent's hello. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// [`Error::Transport`] if the host is not found or not reached, or one end does not trust the other; [`Error::Netconf`] if the
    /// agent speaks no NETCONF that is known here.
    pub async fn open(target: &NetconfTarget, options: NetconfOptions) -> Result<Self, Error> {
        let identity = lend::identity(target, &options);
        let session = match Way::borrowed(target, &options, &identity).await? {
            Some(way) => Self::of(way, target, options),
            None => Self::on_demand(target, options),
        };
        let hello = session.inner.way.connect().await?;
        stored::expect_device(session.inner.options.device.as_ref(), &hello)?;
        Ok(session)
    }

    /// A session that connects on the first request. It borrows none.
    #[must_use]
    pub fn on_demand(target: &NetconfTarget, options: NetconfOptions) -> Self {
        Self::of(Way::new(target, &options), target, options)
    }

    fn of(way: Way, target: &NetconfTarget, options: NetconfOptions) -> Self {
        let (identity, is_restconf) = (lend::identity(target, &options), target.is_restconf());
        NetconfSession {
            inner: Arc::new(Inner { way, identity, is_restconf, options, modules: OnceCell::new() }),
        }
    }

    /// From now on the session is not replaced when it ends, and requests fail with [`Error::ConnectionLost`]: for work under a lock, which
    /// ends with the session that holds it.
    pub fn pin(&self) {
        self.inner.way.pin();
    }

    /// Whether the server is reached over RESTCONF: it has one datastore and no locks.
    #[must_use]
    pub fn is_restconf(&self) -> bool {
        self.inner.is_restconf
    }

    /// The agent's hello.
    ///
    /// # Errors
    /// As [`NetconfSession::open`], if there is no connection at present.
    pub async fn hello(&self) -> Result<Arc<Hello>, Error> {
        self.inner.way.connect().await
    }

    /// Ends the session in order: the agent has answered `close-session`, or a second has passed. Another request makes another
    /// session. A session of which no handle is left ends in the same way, beside whatever else happens.
    pub async fn close(&self) {
        self.inner.way.close().await;
    }
}

impl Session for NetconfSession {
    fn get<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(read::get(self, names))
    }

    fn next<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(read::bulk(self, 0, 1, names))
    }

    fn bulk<'a>(&'a self, non_repeaters: u32, max_repetitions: u32, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(read::bulk(self, non_repeaters, max_repetitions, names))
    }

    fn set<'a>(&'a self, _: &'a [VarBind]) -> Asking<'a, Answer> {
        Box::pin(async { Err(NetconfFault::ReadOnly.into()) })
    }

    fn walk(&self, root: Oid, options: WalkOptions) -> Walk {
        let (batches, received) = mpsc::channel(BATCHES);
        tokio::spawn(read::walk(self.clone(), root, options, batches));
        Walk::of(received)
    }

    fn table<'a>(
        &'a self,
        schema: &'static Schema,
        columns: &'a [u32],
        limit: TableLimit,
    ) -> Asking<'a, Table> {
        Box::pin(read::table(self, schema, columns, limit))
    }

    fn close(&self) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(NetconfSession::close(self))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Answers of a walk that wait for the reader.
const BATCHES: usize = 4;
