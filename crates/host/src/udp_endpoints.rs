//! udpEndpointTable and udpTable, from one look at the sockets.
//!
//! A socket without a peer accepts datagrams from everybody: its remote address is unknown(0) without octets (RFC
//! 4113). The instance is the socket's inode, which no other socket has.

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::module::udp_mib::{UDP_ENDPOINT_TABLE, UDP_TABLE};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use crate::socket_address::{InetAddress, infer_only_v6, push_v4};
use trunkline_source::SourceRoot;
use trunkline_source::procfs::owners::SocketOwners;
use trunkline_source::sock_diag::{InetSocket, Sockets, Transport};

static GROUP: Group =
    Group { name: "udp-endpoints", scalars: &[], tables: &[&UDP_TABLE, &UDP_ENDPOINT_TABLE] };

/// Serves the group `udp-endpoints`.
#[derive(Debug)]
pub(crate) struct UdpEndpoints {
    sockets: Sockets,
    owners: Arc<SocketOwners>,
}

impl UdpEndpoints {
    pub(crate) fn new(root: SourceRoot, owners: Arc<SocketOwners>) -> Self {
        UdpEndpoints { sockets: Sockets::new(root, Transport::Udp), owners }
    }
}

impl Provider for UdpEndpoints {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut sockets = self.sockets.list()?;
        infer_only_v6(&mut sockets, is_unconnected);
        let mut snapshot = Snapshot::builder(&GROUP);
        let mut index = Vec::with_capacity(48);
        let inodes = sockets.iter().map(|socket| socket.inode);
        self.owners.with(inodes, Instant::now(), |owner| {
            for socket in &sockets {
                // The row has no other object: without it, the endpoint itself would not be seen.
                endpoint(&mut snapshot, &mut index, socket, owner(socket.inode).unwrap_or(0));
                legacy(&mut snapshot, &mut index, socket);
            }
        });
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

fn is_unconnected(socket: &InetSocket) -> bool {
    socket.remote_port == 0
}

fn local(socket: &InetSocket) -> InetAddress {
    if is_unconnected(socket) { InetAddress::bound(socket) } else { InetAddress::local(socket) }
}

fn endpoint(snapshot: &mut SnapshotBuilder, index: &mut Vec<u32>, socket: &InetSocket, process: u32) {
    let remote = if is_unconnected(socket) { InetAddress::Unknown } else { InetAddress::remote(socket) };
    index.clear();
    local(socket).push(index);
    index.push(socket.local_port.into());
    remote.push(index);
    index.push(socket.remote_port.into());
    index.push(socket.inode.max(1)); // udpEndpointInstance begins at 1
    snapshot.table(&UDP_ENDPOINT_TABLE).row(index).unsigned32(8, process);
}

fn legacy(snapshot: &mut SnapshotBuilder, index: &mut Vec<u32>, socket: &InetSocket) {
    let Some(address) = local(socket).v4() else { return };
    index.clear();
    push_v4(address, index);
    index.push(socket.local_port.into());
    let mut row = snapshot.table(&UDP_TABLE).row(index);
    row.ip_address(1, address).integer(2, socket.local_port.into());
}
