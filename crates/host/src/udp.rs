//! UDP-MIB's scalars: the kernel counts IPv4 in /proc/net/snmp and IPv6 in /proc/net/snmp6,
//! RFC 4113 has one counter for both.

use trunkline_smi::Value;
use trunkline_smi::module::udp_mib as mib;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use trunkline_source::SourceRoot;
use trunkline_source::procfs::net_snmp::Section;
use trunkline_source::procfs::{lines, number, words};

static GROUP: Group = Group {
    name: "udp",
    scalars: &[
        &mib::UDP_IN_DATAGRAMS,
        &mib::UDP_NO_PORTS,
        &mib::UDP_IN_ERRORS,
        &mib::UDP_OUT_DATAGRAMS,
        &mib::UDP_HC_IN_DATAGRAMS,
        &mib::UDP_HC_OUT_DATAGRAMS,
    ],
    tables: &[],
};

/// Serves the group `udp`.
#[derive(Debug)]
pub(crate) struct Udp {
    root: SourceRoot,
}

#[derive(Debug, Default)]
struct Counters {
    received: u64,
    no_ports: u64,
    errors: u64,
    sent: u64,
}

impl Udp {
    pub(crate) fn new(root: SourceRoot) -> Self {
        Udp { root }
    }
}

impl Provider for Udp {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut text = Vec::new();
        self.root.read_into("proc/net/snmp", &mut text)?;
        let mut sum = Counters::default();
        let v4 = Section::find(&text, "Udp").map(Section::counters);
        for (name, value) in v4.into_iter().flatten() {
            sum.add(name, value as u64);
        }
        // Without IPv6 in the kernel there is no such file.
        for line in lines(&self.root.read_or_empty("proc/net/snmp6")) {
            let mut words = words(line);
            let name = words.next().and_then(|name| name.strip_prefix(b"Udp6"));
            if let (Some(name), Some(value)) = (name, words.next().and_then(number)) {
                sum.add(name, value);
            }
        }
        let mut snapshot = Snapshot::builder(&GROUP);
        snapshot
            .scalar(&mib::UDP_IN_DATAGRAMS, Value::Counter32(sum.received as u32))
            .scalar(&mib::UDP_NO_PORTS, Value::Counter32(sum.no_ports as u32))
            .scalar(&mib::UDP_IN_ERRORS, Value::Counter32(sum.errors as u32))
            .scalar(&mib::UDP_OUT_DATAGRAMS, Value::Counter32(sum.sent as u32))
            .scalar(&mib::UDP_HC_IN_DATAGRAMS, Value::Counter64(sum.received))
            .scalar(&mib::UDP_HC_OUT_DATAGRAMS, Value::Counter64(sum.sent));
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

impl Counters {
    fn add(&mut self, name: &[u8], value: u64) {
        let field = match name {
            b"InDatagrams" => &mut self.received,
            b"NoPorts" => &mut self.no_ports,
            b"InErrors" => &mut self.errors,
            b"OutDatagrams" => &mut self.sent,
            _ => return,
        };
        *field = field.wrapping_add(value);
    }
}
