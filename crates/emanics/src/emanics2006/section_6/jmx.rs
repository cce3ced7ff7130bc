//! A session of JMX with an agent: one connection of RMI, which carries one call at a time.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;
use trunkline_jmx::jrmp::{Client, Endpoint, Lease, ObjId, Outcome, Uid, Vmid};
use trunkline_jmx::model::ObjectName;
use trunkline_jmx::remote::{Credentials, Reply, Request};
use trunkline_jmx::stream::Limits;
use trunkline_poll::{Asking, Said, Session};

/// A session that is made again when it was lost.
#[derive(Clone)]
pub(super) struct JmxSession {
    address: SocketAddr,
    name: ObjectName,
    attribute: &'static str,
    connection: Arc<Mutex<Option<Connection>>>,
    /// After which time without an answer it is lost.
    patience: Duration,
}

struct Connection {
    stream: TcpStream,
    client: Client,
    out: Vec<u8>,
    octets: Vec<u8>,
    /// The objects that it uses, the connection's last.
    objects: Vec<ObjId>,
    leased: Instant,
    sequence: i64,
    us: Vmid,
}

/// An attribute of an MBean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attribute {
    mbean: &'static str,
    name: &'static str,
}

impl Attribute {
    /// The deliverable's, which `peers/jmx/Agents.java` has.
    pub(super) const OF_JVM: Attribute = Attribute { mbean: "agent:type=Memory", name: "FreeMemory" };
    /// What all other protocols ask our agent for.
    pub(super) const OURS: Attribute = Attribute { mbean: "trunkline:type=memory", name: "memAvailReal" };
}

/// Why there is no answer.
enum Failure {
    Broken(String),
    Exception(String),
}

impl JmxSession {
    /// Opens a session with an agent on the loopback, and reads the attribute once.
    pub(super) async fn open(port: u16, wanted: Attribute, patience: Duration) -> Result<JmxSession, String> {
        let session = JmxSession::new(port, wanted, patience)?;
        session.read().await.map_err(|failure| match failure {
            Failure::Broken(reason) | Failure::Exception(reason) => reason,
        })?;
        Ok(session)
    }

    fn new(port: u16, wanted: Attribute, patience: Duration) -> Result<JmxSession, String> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let Attribute { mbean, name: attribute } = wanted;
        let name = mbean.parse().map_err(|error| format!("{mbean}: {error}"))?;
        Ok(JmxSession { address, name, attribute, connection: Arc::default(), patience })
    }

    /// Ends it in order.
    pub(super) async fn close(&self) {
        if let Some(mut connection) = self.connection.lock().await.take() {
            let object = connection.objects.last().copied().unwrap_or(ObjId::REGISTRY);
            // It ends anyway.
            let _ = timeout(Duration::from_secs(1), connection.call(object, &Request::Close)).await;
        }
    }

    async fn read(&self) -> Result<(), Failure> {
        let mut place = self.connection.lock().await;
        let asking = async {
            let mut connection = match place.take() {
                Some(connection) => connection,
                None => Connection::open(self.address).await?,
            };
            let read = connection.read(&self.name, self.attribute).await;
            if !matches!(read, Err(Failure::Broken(_))) {
                *place = Some(connection);
            }
            read
        };
        let late = || Failure::Broken("no answer".into());
        timeout(self.patience, asking).await.unwrap_or_else(|_| Err(late()))
    }
}

impl Session for JmxSession {
    fn ask(&self) -> Asking {
        let session = self.clone();
        Box::pin(async move {
            match session.read().await {
                Ok(()) => Said::Good,
                Err(Failure::Exception(_)) => Said::Failed(1),
                Err(Failure::Broken(_)) => Said::Broken,
            }
        })
    }
}

impl Connection {
    async fn open(address: SocketAddr) -> Result<Connection, Failure> {
        let stream = TcpStream::connect(address).await.map_err(broken)?;
        stream.set_nodelay(true).map_err(broken)?;
        let mut out = Vec::new();
        let local = Endpoint { host: Ipv4Addr::LOCALHOST.to_string(), port: 0 };
        let client = Client::new(Limits::REPLIES, &local, &mut out);
        let uid = Uid { unique: fastrand::i32(..), time: fastrand::i64(0..), count: 1 };
        let mut connection = Connection {
            stream,
            client,
            out,
            octets: vec![0; PIECE],
            objects: vec![],
            leased: Instant::now(),
            sequence: 0,
            us: Vmid { address: Some(fastrand::u64(..).to_be_bytes().to_vec()), uid },
        };
        let server = connection.stub(ObjId::REGISTRY, &Request::Lookup("jmxrmi".into())).await?;
        let own = connection.stub(server, &Request::NewClient(Credentials(None))).await?;
        connection.objects = vec![server, own];
        connection.lease().await?;
        Ok(connection)
    }

    async fn stub(&mut self, object: ObjId, request: &Request) -> Result<ObjId, Failure> {
        match self.call(object, request).await? {
            Reply::Stub(stub) => Ok(stub.reference.object),
            Reply::Exception(exception) => Err(Failure::Exception(exception.to_string())),
            _ => Err(Failure::Broken("a reply without a stub".into())),
        }
    }

    /// The attribute; before it, what the agent keeps for us is leased again in time.
    async fn read(&mut self, name: &ObjectName, attribute: &str) -> Result<(), Failure> {
        if self.leased.elapsed() > LEASE / 2 {
            self.lease().await?;
        }
        let object = self.objects.last().copied().unwrap_or(ObjId::REGISTRY);
        let request = Request::GetAttribute { name: name.clone(), attribute: attribute.into() };
        match self.call(object, &request).await? {
            Reply::Value(_) => Ok(()),
            Reply::Exception(exception) => Err(Failure::Exception(exception.to_string())),
            _ => Err(Failure::Broken("a reply without a value".into())),
        }
    }

    async fn lease(&mut self) -> Result<(), Failure> {
        self.sequence += 1;
        let duration = i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX);
        let lease = Lease { duration, client: Some(self.us.clone()) };
        let request = Request::Dirty { objects: self.objects.clone(), sequence: self.sequence, lease };
        self.call(ObjId::DGC, &request).await?;
        self.leased = Instant::now();
        Ok(())
    }

    async fn call(&mut self, object: ObjId, request: &Request) -> Result<Reply, Failure> {
        request.encode(&mut self.client, object, &mut self.out);
        self.stream.write_all(&self.out).await.map_err(broken)?;
        self.out.clear();
        loop {
            if let Some(returned) = self.client.poll().map_err(broken)? {
                if returned.outcome == Outcome::PingAck {
                    continue;
                }
                let reply = Reply::decode(request.method(), &returned, Limits::REPLIES).map_err(broken)?;
                if let Reply::Stub(stub) = &reply
                    && stub.reference.acknowledged
                {
                    self.client.acknowledge(&mut self.out, returned.number);
                }
                return Ok(reply);
            }
            match self.stream.read(&mut self.octets).await.map_err(broken)? {
                0 => return Err(broken(io::Error::from(io::ErrorKind::UnexpectedEof))),
                count => self.client.push(&self.octets[..count]),
            }
        }
    }
}

fn broken(error: impl std::fmt::Display) -> Failure {
    Failure::Broken(error.to_string())
}

/// For how long an agent keeps our connection.
const LEASE: Duration = Duration::from_secs(600);
const PIECE: usize = 16_384;

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// A peer that says this and closes.
    async fn peer(says: &'static [u8]) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.write_all(says).await;
                let _ = stream.read(&mut [0; 64]).await;
            }
        });
        port
    }

    #[test]
    fn a_peer_that_closes_or_lies_has_no_session_and_the_next_request_tries_again() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for says in [&b""[..], b"HTTP/1.1 400", &[0x4f]] {
                let port = peer(says).await;
                let patience = Duration::from_secs(60);
                let opened = JmxSession::open(port, Attribute::OURS, patience).await;
                assert!(opened.is_err(), "{says:?}");
                let session = JmxSession::new(port, Attribute::OF_JVM, patience).unwrap();
                for _ in 0..2 {
                    assert_eq!(session.ask().await, Said::Broken, "{says:?}");
                }
                session.close().await;
            }
        });
    }
}
