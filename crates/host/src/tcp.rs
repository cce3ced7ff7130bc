//! TCP-MIB's scalars, from /proc/net/snmp. The kernel counts IPv4 and IPv6 together.

use trunkline_smi::Value;
use trunkline_smi::module::tcp_mib as mib;
use trunkline_smi::schema::Scalar;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use trunkline_source::SourceRoot;
use trunkline_source::procfs::net_snmp::Section;

static GROUP: Group = Group {
    name: "tcp",
    scalars: &[
        &mib::TCP_RTO_ALGORITHM,
        &mib::TCP_RTO_MIN,
        &mib::TCP_RTO_MAX,
        &mib::TCP_MAX_CONN,
        &mib::TCP_ACTIVE_OPENS,
        &mib::TCP_PASSIVE_OPENS,
        &mib::TCP_ATTEMPT_FAILS,
        &mib::TCP_ESTAB_RESETS,
        &mib::TCP_CURR_ESTAB,
        &mib::TCP_IN_SEGS,
        &mib::TCP_OUT_SEGS,
        &mib::TCP_RETRANS_SEGS,
        &mib::TCP_IN_ERRS,
        &mib::TCP_OUT_RSTS,
        &mib::TCP_HC_IN_SEGS,
        &mib::TCP_HC_OUT_SEGS,
    ],
    tables: &[],
};

/// Serves the group `tcp`.
#[derive(Debug)]
pub(crate) struct Tcp {
    root: SourceRoot,
}

impl Tcp {
    pub(crate) fn new(root: SourceRoot) -> Self {
        Tcp { root }
    }
}

impl Provider for Tcp {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut text = Vec::new();
        self.root.read_into("proc/net/snmp", &mut text)?;
        let mut snapshot = Snapshot::builder(&GROUP);
        let counters = Section::find(&text, "Tcp").map(Section::counters);
        for (name, value) in counters.into_iter().flatten() {
            if let Some((scalar, value)) = scalar(name, value) {
                snapshot.scalar(scalar, value);
            }
            // The 64-bit counters begin where the 32-bit ones were cut off.
            match name {
                b"InSegs" => _ = snapshot.scalar(&mib::TCP_HC_IN_SEGS, Value::Counter64(value as u64)),
                b"OutSegs" => _ = snapshot.scalar(&mib::TCP_HC_OUT_SEGS, Value::Counter64(value as u64)),
                _ => {}
            }
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

/// The object for a name used by the kernel.
fn scalar(name: &[u8], value: i64) -> Option<(&'static Scalar, Value)> {
    let integer = || Value::Integer(value.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
    let counter = || Value::Counter32(value as u32);
    Some(match name {
        b"RtoAlgorithm" => (&mib::TCP_RTO_ALGORITHM, integer()),
        b"RtoMin" => (&mib::TCP_RTO_MIN, integer()),
        b"RtoMax" => (&mib::TCP_RTO_MAX, integer()),
        b"MaxConn" => (&mib::TCP_MAX_CONN, integer()),
        b"ActiveOpens" => (&mib::TCP_ACTIVE_OPENS, counter()),
        b"PassiveOpens" => (&mib::TCP_PASSIVE_OPENS, counter()),
        b"AttemptFails" => (&mib::TCP_ATTEMPT_FAILS, counter()),
        b"EstabResets" => (&mib::TCP_ESTAB_RESETS, counter()),
        b"CurrEstab" => (&mib::TCP_CURR_ESTAB, Value::Unsigned32(value.clamp(0, u32::MAX.into()) as u32)),
        b"InSegs" => (&mib::TCP_IN_SEGS, counter()),
        b"OutSegs" => (&mib::TCP_OUT_SEGS, counter()),
        b"RetransSegs" => (&mib::TCP_RETRANS_SEGS, counter()),
        b"InErrs" => (&mib::TCP_IN_ERRS, counter()),
        b"OutRsts" => (&mib::TCP_OUT_RSTS, counter()),
        _ => return None,
    })
}
