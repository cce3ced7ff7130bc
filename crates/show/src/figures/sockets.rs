//! The sockets of a machine: tcpConnectionTable, tcpListenerTable and udpEndpointTable (RFC 4022, RFC 4113), or where there are
//! none, tcpConnTable and udpTable, which know only IPv4.

use trunkline_client::{Error as ClientError, Session, Table, TableLimit};
use trunkline_smi::module::tcp_mib::{TCP_CONN_TABLE, TCP_CONNECTION_TABLE, TCP_LISTENER_TABLE};
use trunkline_smi::module::udp_mib::{UDP_ENDPOINT_TABLE, UDP_TABLE};
use trunkline_smi::schema::Table as Schema;
use trunkline_smi::{IndexValue, decode_index};

use super::inet::{Family, Inet};
use super::{cell, number};

/// One end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The address; nothing: any, of both families.
    pub host: Option<Inet>,
    /// The port; 0: any.
    pub port: u32,
}

impl Endpoint {
    /// Whether nothing is fixed.
    pub fn is_any(&self) -> bool {
        self.port == 0 && self.host.is_none_or(|host| host.address.is_unspecified())
    }
}

/// What speaks through a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

impl Protocol {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Tcp => "tcp",
            Protocol::Udp => "udp",
        }
    }
}

/// A socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Socket {
    /// What speaks through it.
    pub protocol: Protocol,
    /// Its own end.
    pub local: Endpoint,
    /// The other end, where the table says it.
    pub remote: Option<Endpoint>,
    /// The state of TCP, as a number of tcpConnectionState; listeners are `listen`.
    pub state: Option<u64>,
    /// The process; nothing if the agent does not know it.
    pub process: Option<u64>,
}

/// The state `listen`.
pub const LISTEN: u64 = 2;

impl Socket {
    /// Whether it waits for somebody to begin.
    pub fn is_listener(&self) -> bool {
        match self.protocol {
            Protocol::Tcp => self.state == Some(LISTEN),
            Protocol::Udp => self.remote.is_none_or(|remote| remote.is_any()),
        }
    }

    /// The family, unless it serves both.
    pub fn family(&self) -> Option<Family> {
        self.local.host.map(|host| Family::of(&host.address))
    }

    /// The state as TCP-MIB names it.
    pub fn state_name(&self) -> &'static str {
        let number = self.state.and_then(|state| i32::try_from(state).ok());
        super::label(&TCP_CONNECTION_TABLE, 7, number)
    }
}

/// Which tables are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// Those of both families; where there are none, the old ones.
    Present,
    /// The old ones: IPv4 only.
    Old,
}

/// The sockets of one protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sockets {
    /// The sockets, in the order of the tables; listeners of TCP are last.
    pub all: Vec<Socket>,
    /// Whether they are from the old tables.
    pub are_old: bool,
}

/// The sockets of TCP.
pub async fn tcp(session: &dyn Session, tables: Tables) -> Result<Sockets, ClientError> {
    if tables == Tables::Present {
        let connections = session.table(&TCP_CONNECTION_TABLE, &[7, 8], TableLimit::default()).await?;
        let listeners = session.table(&TCP_LISTENER_TABLE, &[4], TableLimit::default()).await?;
        let mut all = rows(&connections, &TCP_CONNECTION_TABLE, connection);
        all.extend(rows(&listeners, &TCP_LISTENER_TABLE, listener));
        if !all.is_empty() {
            return Ok(Sockets { all, are_old: false });
        }
    }
    let table = session.table(&TCP_CONN_TABLE, &[1], TableLimit::default()).await?;
    Ok(Sockets { all: rows(&table, &TCP_CONN_TABLE, old_connection), are_old: true })
}

/// The sockets of UDP.
pub async fn udp(session: &dyn Session, tables: Tables) -> Result<Sockets, ClientError> {
    if tables == Tables::Present {
        let table = session.table(&UDP_ENDPOINT_TABLE, &[8], TableLimit::default()).await?;
        let all = rows(&table, &UDP_ENDPOINT_TABLE, endpoint);
        if !all.is_empty() {
            return Ok(Sockets { all, are_old: false });
        }
    }
    let table = session.table(&UDP_TABLE, &[2], TableLimit::default()).await?;
    Ok(Sockets { all: rows(&table, &UDP_TABLE, old_endpoint), are_old: true })
}

/// The rows whose index can be read: others are no sockets that could be shown.
fn rows(
    table: &Table,
    schema: &Schema,
    read: fn(&[IndexValue], [Option<u64>; 2]) -> Option<Socket>,
) -> Vec<Socket> {
    let row = |index: &Vec<u32>| {
        let parts = decode_index(schema.index, index).ok()?;
        read(&parts, [0, 1].map(|column| cell(table, index, column).and_then(number)))
    };
    table.rows.keys().filter_map(row).collect()
}

fn port(value: &IndexValue) -> Option<u32> {
    if let IndexValue::Integer(port) = value { Some(*port) } else { None }
}

fn connection(index: &[IndexValue], [state, process]: [Option<u64>; 2]) -> Option<Socket> {
    let end = |at: usize| {
        Some(Endpoint { host: Inet::of(&index[at], &index[at + 1]), port: port(&index[at + 2])? })
    };
    let (local, remote) = (end(0)?, Some(end(3)?));
    Some(Socket { protocol: Protocol::Tcp, local, remote, state, process: process.filter(|id| *id != 0) })
}

fn listener(index: &[IndexValue], [process, _]: [Option<u64>; 2]) -> Option<Socket> {
    let local = Endpoint { host: Inet::of(&index[0], &index[1]), port: port(&index[2])? };
    let process = process.filter(|id| *id != 0);
    Some(Socket { protocol: Protocol::Tcp, local, remote: None, state: Some(LISTEN), process })
}

fn endpoint(index: &[IndexValue], [process, _]: [Option<u64>; 2]) -> Option<Socket> {
    let socket = connection(index, [None, process])?;
    Some(Socket { protocol: Protocol::Udp, ..socket })
}

fn old_connection(index: &[IndexValue], [state, _]: [Option<u64>; 2]) -> Option<Socket> {
    let end = |at: usize| Some(Endpoint { host: Inet::v4(&index[at]), port: port(&index[at + 1])? });
    let (local, remote) = (end(0)?, end(2)?);
    let remote = (!remote.is_any()).then_some(remote);
    Some(Socket { protocol: Protocol::Tcp, local, remote, state, process: None })
}

fn old_endpoint(index: &[IndexValue], _: [Option<u64>; 2]) -> Option<Socket> {
    let local = Endpoint { host: Inet::v4(&index[0]), port: port(&index[1])? };
    Some(Socket { protocol: Protocol::Udp, local, remote: None, state: None, process: None })
}
