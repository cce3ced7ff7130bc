//! A subject's session over one transport, with the properties of the path, and the experiment's requests over it.

use std::fs;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use trunkline_client::{Answer, Error as ClientError, Observer, Session, SessionOptions};
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_snmp::wire::Bound;

use crate::block::Operation;
use crate::conversation::Peer;
use crate::meter::ip::{IpCount, IpVersion, datagram};
use crate::meter::tcp::TcpMeter;
use crate::octets::{LastMessages, Octets, Passed};
use crate::transport::Transport;

/// An open session with a subject.
pub struct Link {
    /// What carries it.
    pub transport: Transport,
    /// The session.
    pub session: Arc<dyn Session>,
    /// Whether GetBulk may be used: SNMPv1 has none.
    pub has_bulk: bool,
    /// The version of IP on the path.
    pub ip: IpVersion,
    /// The path's MTU, and whether it was only assumed.
    pub mtu: (u32, bool),
    /// Counts the segments, over what TCP carries.
    pub tcp: Option<std::io::Result<TcpMeter>>,
    /// Counts the octets of HTTP.
    http: Option<Arc<Passed>>,
}

impl Link {
    /// Opens a session with the usual timeouts.
    ///
    /// # Errors
    /// The session's error.
    pub async fn open(peer: &Peer) -> Result<Link, ClientError> {
        Link::open_with(peer, SessionOptions::default().with_timeout(TIMEOUT).with_retries(RETRIES)).await
    }

    /// Opens a session.
    ///
    /// # Errors
    /// The session's error.
    pub async fn open_with(peer: &Peer, options: SessionOptions) -> Result<Link, ClientError> {
        let transport = peer.transport();
        let http = transport.is_http().then(Arc::<Passed>::default);
        let session = match &http {
            Some(http) => peer.clone().observed(http.clone()).open(options).await?,
            None => peer.open(options).await?,
        };
        let address = resolve(peer).await;
        let local = address.ip().is_loopback();
        let over_tcp = !matches!(transport, Transport::Udp | Transport::Dtls);
        Ok(Link {
            transport,
            session,
            has_bulk: peer.has_bulk(),
            ip: IpVersion::of(address.ip()),
            mtu: if local { (LOOPBACK_MTU, false) } else { path_mtu(address) },
            tcp: over_tcp.then(|| TcpMeter::new(address)),
            http,
        })
    }

    /// Requests the first `instances` with one of the three operations. The octets of the answer's cost are those of the
    /// messages: of SNMP, or, over HTTP, of HTTP with its heads.
    pub async fn ask(&self, operation: Operation, instances: &[Oid]) -> Result<Answer, ClientError> {
        if let Some(http) = &self.http {
            http.take();
        }
        let mut answer = match operation {
            Operation::Get => self.session.get(instances).await?,
            Operation::GetNext => self.session.next(&names_before(instances)).await?,
            Operation::GetBulk => {
                let table = [Oid::EMPTY.child(IF_TABLE.oid)];
                self.session.bulk(0, instances.len() as u32, &table).await?
            }
        };
        if let Some(http) = &self.http {
            (answer.cost.request_octets, answer.cost.response_octets) = http.take();
        }
        Ok(answer)
    }

    /// Watches the messages, so that their exact lengths can be computed.
    pub fn watch(&self) -> Arc<LastMessages> {
        let seen = LastMessages::new();
        self.observe(seen.clone());
        seen
    }

    /// Shows the messages of SNMP to an observer.
    pub fn observe(&self, observer: Arc<dyn Observer>) {
        if let Some(session) = self.session.as_snmp() {
            session.observe(observer);
        }
    }

    /// The octets of an interaction.
    pub fn octets(&self, answer: &Answer, seen: &LastMessages) -> Octets {
        let plain = seen.octets().filter(|_| self.http.is_none());
        plain.unwrap_or_else(|| Octets::of(answer))
    }

    /// A message's size at IP level; for UDP only.
    pub fn datagram(&self, octets: usize) -> IpCount {
        datagram(self.ip, octets as u64, u64::from(self.mtu.0))
    }

    /// All instances of the subject's ifTable, in order.
    ///
    /// # Errors
    /// The session's error; or the table does not end.
    pub async fn walk(&self) -> Result<Vec<(Oid, Bound)>, WalkError> {
        let asked = tokio::time::timeout(WALK_WITHIN, self.walk_within(MOST_INSTANCES)).await;
        asked.unwrap_or(Err(WalkError::Long { seconds: WALK_WITHIN.as_secs() }))
    }

    async fn walk_within(&self, most: usize) -> Result<Vec<(Oid, Bound)>, WalkError> {
        let table = Oid::EMPTY.child(IF_TABLE.oid);
        let mut found: Vec<(Oid, Bound)> = Vec::new();
        loop {
            let from = found.last().map_or_else(|| table.clone(), |(name, _)| name.clone());
            let answer = match self.has_bulk {
                true => self.session.bulk(0, WALK_STEP, std::slice::from_ref(&from)).await?,
                false => self.session.next(std::slice::from_ref(&from)).await?,
            };
            let mut advanced = false;
            for binding in answer.bindings {
                let inside = binding.name.starts_with(IF_TABLE.oid);
                let value = matches!(binding.value, Bound::Value(_));
                let before = found.last().map_or(&table, |(name, _)| name);
                // The end of the table, or an agent that loops.
                if !inside || !value || binding.name <= *before {
                    return Ok(found);
                }
                if found.len() >= most {
                    return Err(WalkError::Endless { most });
                }
                found.push((binding.name, binding.value));
                advanced = true;
            }
            if !advanced {
                return Ok(found);
            }
        }
    }
}

/// Why a table was not read to its end.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// The session's error.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// It has too many instances.
    #[error("its ifTable has more than {most} instances: it may have no end")]
    Endless {
        /// How many were read.
        most: usize,
    },
    /// It takes too long.
    #[error("its ifTable was not read to its end within {seconds} s")]
    Long {
        /// The time.
        seconds: u64,
    },
}

/// What of a walked ifTable is not as IF-MIB has it: instances of no column, and values of another type. `None` if there
/// is nothing.
pub fn mistakes(walked: &[(Oid, Bound)]) -> Option<String> {
    let is_wrong = |(name, value): &&(Oid, Bound)| {
        let column = name.get(IF_TABLE.oid.len() + 1).and_then(|id| IF_TABLE.column(*id));
        let kind = value.value().map(|value| value.as_value_ref().kind());
        column.is_none_or(|column| kind.is_some_and(|kind| kind != column.syntax.kind))
    };
    let mut wrong = walked.iter().filter(is_wrong);
    let (first, _) = wrong.next()?;
    let more = wrong.count();
    Some(format!(
        "{first} is not as IF-MIB has it (no such column, or another type), nor are {more} more instances"
    ))
}

/// For each instance the name before it, so that GetNext of that returns the instance.
fn names_before(instances: &[Oid]) -> Vec<Oid> {
    let column = |instance: &Oid| {
        let length = instance.len().min(IF_TABLE.oid.len() + 2);
        Oid::EMPTY.child(&instance[..length])
    };
    let first = instances.first().map(column);
    let others = instances.iter().take(instances.len().saturating_sub(1)).cloned();
    first.into_iter().chain(others).collect()
}

async fn resolve(peer: &Peer) -> SocketAddr {
    let (host, port) = peer.place();
    let unknown = SocketAddr::from(([0, 0, 0, 0], port));
    // The session has just connected to it, so the name resolves.
    match tokio::net::lookup_host((host, port)).await {
        Ok(mut addresses) => addresses.next().unwrap_or(unknown),
        Err(_) => unknown,
    }
}

/// The MTU of the interface on the route to a peer, from `ip route get` and sysfs; else Ethernet's, assumed.
fn path_mtu(peer: SocketAddr) -> (u32, bool) {
    let device = || {
        let output = Command::new("ip").args(["route", "get", &peer.ip().to_string()]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let mut words = text.split_whitespace().skip_while(|word| *word != "dev");
        words.nth(1).map(str::to_owned)
    };
    let mtu = device().and_then(|device| {
        let text = fs::read_to_string(format!("/sys/class/net/{device}/mtu")).ok()?;
        text.trim().parse().ok()
    });
    mtu.map_or((ETHERNET_MTU, true), |mtu| (mtu, false))
}

/// The MTU of Linux' loopback.
const LOOPBACK_MTU: u32 = 65_536;
const ETHERNET_MTU: u32 = 1500;
/// The time-out of an answer; an agent that cannot answer stays silent.
const TIMEOUT: Duration = Duration::from_secs(2);
const RETRIES: u32 = 1;
/// Repetitions per step of the walk; any agent's answer to this many fits into a datagram.
const WALK_STEP: u32 = 40;
/// Instances of 22 columns of 20,000 interfaces.
const MOST_INSTANCES: usize = 440_000;
const WALK_WITHIN: Duration = Duration::from_secs(120);

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::Value;

    #[test]
    fn the_name_before_the_first_is_its_column() {
        let instances = [[1, 3, 6, 1, 2, 1, 2, 2, 1, 1, 1], [1, 3, 6, 1, 2, 1, 2, 2, 1, 1, 2]].map(Oid::from);
        let before = names_before(&instances);
        assert_eq!(before, [Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 1]), instances[0].clone()]);
        assert!(names_before(&[]).is_empty());
    }

    #[test]
    fn values_of_another_type_are_noticed() {
        let instance = |column: u32, value: Value| {
            (Oid::EMPTY.child(IF_TABLE.oid).child(&[1, column, 1]), Bound::Value(value))
        };
        let good = [instance(1, Value::Integer(1)), instance(10, Value::Counter32(5))];
        assert_eq!(mistakes(&good), None);
        let wrong = [
            instance(1, Value::Integer(1)),
            instance(10, Value::Integer(5)),
            instance(99, Value::Integer(5)),
        ];
        assert!(
            mistakes(&wrong)
                .is_some_and(|it| it.starts_with("1.3.6.1.2.1.2.2.1.10.1 is not") && it.contains("1 more"))
        );
    }

    #[test]
    fn a_path_has_an_mtu() {
        let (mtu, _) = path_mtu("127.0.0.1:161".parse().unwrap());
        assert!(mtu >= 1280);
    }
}
