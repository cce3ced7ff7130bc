//! What a client can call that has not logged in: the registry, leases, and the login; and what is called of a connection.

use std::sync::Arc;

use trunkline_jmx::jrmp::{Endpoint, Lease, ObjId, Reference, Stub, StubKind};
use trunkline_jmx::model::{Array, Exception, Value};
use trunkline_jmx::remote::{Reply, Request};
use trunkline_jmx::stream::Limits;
use trunkline_transport::{SessionInfo, Transport};

use crate::ask::Ask;
use crate::connection::{Connection, Most};
use crate::door::Connector;
use crate::refusal;

impl Connector {
    /// The connection of an object, if it is this client's.
    pub(crate) fn connection(&self, object: &ObjId, info: &SessionInfo) -> Option<Arc<Connection>> {
        let lease = self.plan.load().as_ref()?.lease;
        self.connections.of(object, info, lease)
    }

    /// What a client may send that has logged in.
    pub(crate) fn limits(&self) -> Limits {
        let octets = self.plan.load().as_ref().map_or(0, |plan| plan.max_request);
        // Values and queries are arrays of octets in the stream.
        Limits { octets, array: octets.max(Limits::default().array), ..Limits::default() }
    }

    /// The answer to a call of another object than a connection.
    pub(crate) async fn of_nobody(&self, info: &SessionInfo, object: &ObjId, request: Request) -> Reply {
        let is_server = || self.server().as_ref() == Some(object);
        match request {
            Request::List if *object == ObjId::REGISTRY => {
                Reply::Value(Value::Array(Array::Strings(vec![NAME.to_owned()])))
            }
            Request::Lookup(name) if *object == ObjId::REGISTRY => match self.server() {
                Some(server) if name == NAME => self.stub(info, StubKind::Server, server),
                _ => Reply::not_bound(&name),
            },
            Request::ChangeRegistry if *object == ObjId::REGISTRY => Reply::registry_is_fixed(),
            Request::Dirty { objects, lease, .. } if *object == ObjId::DGC => {
                self.dirty(info, &objects, lease)
            }
            Request::Clean { objects, .. } if *object == ObjId::DGC => {
                // A client that does not use a connection any more has ended it.
                let used = objects.iter().filter_map(|object| self.connection(object, info));
                used.for_each(|connection| self.connections.close(&connection));
                Reply::Void
            }
            Request::GetVersion if is_server() => {
                Reply::Value(Value::String(format!("1.0 trunklined_{}", env!("CARGO_PKG_VERSION"))))
            }
            Request::NewClient(credentials) if is_server() => match self.login(info, credentials).await {
                Ok(principal) => self.open(info, principal),
                Err(error) => Reply::Exception(error),
            },
            _ => Reply::no_such_object(),
        }
    }

    fn open(&self, info: &SessionInfo, principal: trunkline_tree::policy::OwnedPrincipal) -> Reply {
        let lease = self.plan.load().as_ref().map(|plan| plan.lease).unwrap_or_default();
        match self.connections.open(info, principal, lease, MOST_CONNECTIONS) {
            Ok(connection) => self.stub(info, StubKind::Connection, connection.object),
            Err(reason) => {
                if let Some(left_out) = self.strangers.admit() {
                    tracing::warn!(peer = %info.peer, left_out, "a JMX login is refused: {reason}");
                }
                Reply::Exception(refusal::io(reason))
            }
        }
    }

    /// A client's process takes or renews leases, for no longer than the configuration allows.
    fn dirty(&self, info: &SessionInfo, objects: &[ObjId], lease: Lease) -> Reply {
        let longest = self.plan.load().as_ref().map(|plan| plan.lease).unwrap_or_default();
        let objects = &objects[..objects.len().min(MOST_RENEWED)];
        self.connections.lease(objects, lease.client.clone(), info, longest);
        let longest = i64::try_from(longest.as_millis()).unwrap_or(i64::MAX);
        Reply::Lease(Lease { duration: lease.duration.clamp(0, longest), client: lease.client })
    }

    /// A reference to an object here, under the name that the configuration has for this host.
    fn stub(&self, info: &SessionInfo, kind: StubKind, object: ObjId) -> Reply {
        let host = self.plan.load().as_ref().and_then(|plan| plan.host.clone());
        let host = host.unwrap_or_else(|| info.local.ip().to_string());
        let endpoint = Endpoint { host, port: info.local.port().into() };
        let tls = info.transport == Transport::Tls;
        Reply::Stub(Stub { kind, reference: Reference { endpoint, tls, object, acknowledged: false } })
    }

    /// The answer to a call of a connection.
    pub(crate) async fn ask(
        &self,
        info: &SessionInfo,
        connection: &Arc<Connection>,
        request: Request,
    ) -> Reply {
        let answer = match request {
            Request::GetConnectionId => Ok(Reply::Value(Value::String(connection.id.clone()))),
            Request::Close => {
                tracing::info!(peer = %info.peer, connection = connection.id, "a JMX client has closed its connection");
                self.connections.close(connection);
                Ok(Reply::Void)
            }
            Request::FetchNotifications { sequence, most, timeout } => {
                self.fetch(connection, sequence, most, timeout).await
            }
            other => self.ask_mbeans(connection, other).await,
        };
        answer.unwrap_or_else(Reply::Exception)
    }

    async fn ask_mbeans(&self, connection: &Connection, request: Request) -> Result<Reply, Exception> {
        let ask = Ask::new(self, connection)?;
        match request {
            Request::AddNotificationListeners { names, filters } => self.listen(&ask, names, filters).await,
            Request::RemoveNotificationListeners { name, listeners } => {
                self.unlisten(connection, &name, &listeners)
            }
            other => ask.answer(other).await,
        }
    }
}

/// The name of the server in the registry.
const NAME: &str = "jmxrmi";
/// Connections: a program of Java has one of each agent, a few at most.
const MOST_CONNECTIONS: Most = Most { all: 1_024, of_principal: 512, of_client: 64 };
/// Objects that one message renews: a client has a few of one server.
const MOST_RENEWED: usize = 1_024;
