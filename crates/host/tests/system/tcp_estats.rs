//! TCP-ESTATS-MIB of a real transfer over loopback: what was sent, what arrived, and what `ss` of iproute2
//! reports for the same connection.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::Instant;

use trunkline_host::{HostOptions, providers};
use trunkline_smi::Value;
use trunkline_smi::module::tcp_estats_mib as mib;
use trunkline_smi::schema::Table;
use trunkline_testkit::leave_out;
use trunkline_tree::{Group, Provider, Snapshot};

use crate::flat::{instances, load};

const OCTETS: usize = 3_000_000;

struct Look {
    group: &'static Group,
    snapshot: Snapshot,
}

impl Look {
    fn value(&self, table: &Table, column: &str, index: u32) -> Option<Value> {
        let id = table.columns.iter().find(|found| found.name == column).unwrap().id;
        let name = [table.oid, &[1, id, index]].concat();
        let found = instances(self.group, &self.snapshot);
        found.into_iter().find(|(found, _)| **found == *name).map(|(_, value)| value)
    }

    fn number(&self, table: &Table, column: &str, index: u32) -> u64 {
        match self.value(table, column, index) {
            Some(Value::Counter32(value) | Value::Unsigned32(value)) => value.into(),
            Some(Value::Counter64(value)) => value,
            Some(Value::Integer(value)) => value.try_into().unwrap(),
            other => panic!("{column}.{index}: {other:?}"),
        }
    }

    /// tcpEStatsConnectIndex of the connection between these ports of 127.0.0.1.
    fn index(&self, local: u16, remote: u16) -> u32 {
        let loopback = [1, 4, 127, 0, 0, 1];
        let table = &mib::TCP_ESTATS_CONNECT_ID_TABLE;
        let ports = [u32::from(local), u32::from(remote)];
        let name = [table.oid, &[1, 1][..], &loopback, &ports[..1], &loopback, &ports[1..]].concat();
        let found = instances(self.group, &self.snapshot);
        match found.into_iter().find(|(found, _)| **found == *name) {
            Some((_, Value::Unsigned32(index))) => index,
            other => panic!("{other:?}"),
        }
    }
}

fn look(provider: &dyn Provider) -> Look {
    Look { group: provider.group(), snapshot: load(provider) }
}

#[test]
fn a_transfer_is_counted_as_it_was() {
    let providers = providers(&HostOptions::host(Instant::now()));
    let provider = providers.iter().find(|provider| provider.group().name == "tcp-estats").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut receiver, _) = listener.accept().unwrap();
    let (near, far) = (sender.local_addr().unwrap().port(), receiver.local_addr().unwrap().port());
    let before = look(&**provider).index(near, far);

    let reading = std::thread::spawn(move || {
        let mut buffer = vec![0; OCTETS];
        receiver.read_exact(&mut buffer).unwrap();
        receiver.write_all(b"!").unwrap(); // acknowledges all
        receiver
    });
    sender.write_all(&vec![7; OCTETS]).unwrap();
    sender.read_exact(&mut [0]).unwrap();
    let _receiver = reading.join().unwrap();

    let after = look(&**provider);
    let (sent, got) = (after.index(near, far), after.index(far, near));
    assert_eq!(before, sent, "an index stays");
    let perf = |column: &str, index| after.number(&mib::TCP_ESTATS_PERF_TABLE, column, index);
    let app = |column: &str, index| after.number(&mib::TCP_ESTATS_APP_TABLE, column, index);
    let (octets, retransmitted) = (OCTETS as u64, perf("tcpEStatsPerfOctetsRetrans", sent));
    assert_eq!(perf("tcpEStatsPerfHCDataOctetsOut", sent), octets + retransmitted);
    assert_eq!(app("tcpEStatsAppHCThruOctetsReceived", got), octets);
    assert_eq!(perf("tcpEStatsPerfHCDataOctetsOut", got), 1);
    assert_eq!(app("tcpEStatsAppCurAppWQueue", sent), 0);
    assert!(perf("tcpEStatsPerfSegsOut", sent) >= perf("tcpEStatsPerfDataSegsOut", sent));
    assert!(perf("tcpEStatsPerfDataSegsOut", sent) > octets / 70_000);
    assert_eq!(after.number(&mib::TCP_ESTATS_STACK_TABLE, "tcpEStatsStackState", sent), 5);

    let Some(told) = ss(near) else {
        return leave_out("ss is not installed (Debian: iproute2)");
    };
    let said = |name: &str| -> u64 {
        let word = told.split_whitespace().find_map(|word| word.strip_prefix(&format!("{name}:")));
        word.map_or(0, |word| word.split('/').next_back().unwrap().parse().unwrap())
    };
    for (column, name) in [
        ("tcpEStatsPerfSegsOut", "segs_out"),
        ("tcpEStatsPerfSegsIn", "segs_in"),
        ("tcpEStatsPerfDataSegsOut", "data_segs_out"),
        ("tcpEStatsPerfDataSegsIn", "data_segs_in"),
        ("tcpEStatsPerfHCDataOctetsOut", "bytes_sent"),
        ("tcpEStatsPerfHCDataOctetsIn", "bytes_received"),
        ("tcpEStatsPerfOctetsRetrans", "bytes_retrans"),
        ("tcpEStatsPerfSegsRetrans", "retrans"),
        ("tcpEStatsPerfCurMSS", "mss"),
    ] {
        assert_eq!(perf(column, sent), said(name), "{column}: {told}");
    }
    assert_eq!(perf("tcpEStatsPerfCurCwnd", sent), said("cwnd") * said("mss"), "{told}");
}

/// What `ss` reports for the connection from this port.
fn ss(port: u16) -> Option<String> {
    let filter = format!("sport = :{port}");
    let output = Command::new("ss").args(["-t", "-i", "-n", "-H", "-O", &filter]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
