//! tcpConnectionTable, tcpListenerTable and tcpConnTable, from one look at the sockets.
//!
//! Sockets without a peer are in tcpListenerTable only (RFC 4022); tcpConnTable of
//! RFC 1213 has both, of IPv4. Several listeners on one address (SO_REUSEPORT) are one row.

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::module::tcp_mib::{TCP_CONN_TABLE, TCP_CONNECTION_TABLE, TCP_LISTENER_TABLE};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use crate::socket_address::{InetAddress, infer_only_v6, push_v4};
use trunkline_source::SourceRoot;
use trunkline_source::procfs::owners::SocketOwners;
use trunkline_source::sock_diag::{InetSocket, Sockets, Transport};

static GROUP: Group = Group {
    name: "tcp-connections",
    scalars: &[],
    tables: &[&TCP_CONN_TABLE, &TCP_CONNECTION_TABLE, &TCP_LISTENER_TABLE],
};

/// Serves the group `tcp-connections`.
#[derive(Debug)]
pub(crate) struct TcpConnections {
    sockets: Sockets,
    owners: Arc<SocketOwners>,
}

impl TcpConnections {
    pub(crate) fn new(root: SourceRoot, owners: Arc<SocketOwners>) -> Self {
        TcpConnections { sockets: Sockets::new(root, Transport::Tcp), owners }
    }
}

impl Provider for TcpConnections {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut sockets = self.sockets.list()?;
        infer_only_v6(&mut sockets, |socket| socket.state == LISTEN);
        let mut snapshot = Snapshot::builder(&GROUP);
        let mut index = Vec::with_capacity(48);
        let inodes = sockets.iter().map(|socket| socket.inode);
        self.owners.with(inodes, Instant::now(), |owner| {
            for socket in &sockets {
                if let Some(state) = state(socket.state) {
                    let process = owner(socket.inode);
                    if socket.state == LISTEN {
                        // The row has no other object: without it, the listener itself would not be seen.
                        listener(&mut snapshot, &mut index, socket, process.unwrap_or(0));
                    } else {
                        connection(&mut snapshot, &mut index, socket, state, process);
                    }
                    legacy(&mut snapshot, &mut index, socket, state);
                }
            }
        });
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

fn listener(snapshot: &mut SnapshotBuilder, index: &mut Vec<u32>, socket: &InetSocket, process: u32) {
    index.clear();
    InetAddress::bound(socket).push(index);
    index.push(socket.local_port.into());
    snapshot.table(&TCP_LISTENER_TABLE).row(index).unsigned32(4, process);
}

fn connection(
    snapshot: &mut SnapshotBuilder,
    index: &mut Vec<u32>,
    socket: &InetSocket,
    state: i32,
    process: Option<u32>,
) {
    index.clear();
    InetAddress::local(socket).push(index);
    index.push(socket.local_port.into());
    InetAddress::remote(socket).push(index);
    index.push(socket.remote_port.into());
    let mut row = snapshot.table(&TCP_CONNECTION_TABLE).row(index);
    row.integer(7, state);
    if let Some(process) = process {
        row.unsigned32(8, process);
    }
}

fn legacy(snapshot: &mut SnapshotBuilder, index: &mut Vec<u32>, socket: &InetSocket, state: i32) {
    let is_listener = socket.state == LISTEN;
    let local = if is_listener { InetAddress::bound(socket) } else { InetAddress::local(socket) };
    // A listener for either family has no peer of IPv6 either.
    let remote = if is_listener { InetAddress::Unknown } else { InetAddress::remote(socket) };
    let (Some(local), Some(remote)) = (local.v4(), remote.v4()) else { return };
    index.clear();
    push_v4(local, index);
    index.push(socket.local_port.into());
    push_v4(remote, index);
    index.push(socket.remote_port.into());
    let mut row = snapshot.table(&TCP_CONN_TABLE).row(index);
    row.integer(1, state).ip_address(2, local).integer(3, socket.local_port.into());
    row.ip_address(4, remote).integer(5, socket.remote_port.into());
}

const LISTEN: u8 = 10;

/// Maps the kernel's state numbers to those of the MIB. `None` for bound sockets that neither listen nor connect
/// (13).
pub(crate) fn state(kernel: u8) -> Option<i32> {
    Some(match kernel {
        1 => 5,      // ESTABLISHED
        2 => 3,      // SYN_SENT
        3 | 12 => 4, // SYN_RECV, NEW_SYN_RECV
        4 => 6,      // FIN_WAIT1
        5 => 7,      // FIN_WAIT2
        6 => 11,     // TIME_WAIT
        7 => 1,      // CLOSE
        8 => 8,      // CLOSE_WAIT
        9 => 9,      // LAST_ACK
        LISTEN => 2,
        11 => 10, // CLOSING
        _ => return None,
    })
}
