//! systemStats (.1.3.6.1.4.1.2021.11), from /proc/stat and /proc/vmstat. Rates and percentages are of
//! the last minute, as near as the loads of this group allow
//! ([`sampler`](trunkline_source::procfs::sampler)).

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::Value;
use trunkline_smi::module::ucd_snmp_mib as mib;
use trunkline_smi::schema::Scalar;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use trunkline_source::procfs::sampler::{Change, Sample, Sampler};

static GROUP: Group = Group {
    name: "ucd-system-stats",
    scalars: &[
        &mib::SS_INDEX,
        &mib::SS_ERROR_NAME,
        &mib::SS_SWAP_IN,
        &mib::SS_SWAP_OUT,
        &mib::SS_IO_SENT,
        &mib::SS_IO_RECEIVE,
        &mib::SS_SYS_INTERRUPTS,
        &mib::SS_SYS_CONTEXT,
        &mib::SS_CPU_USER,
        &mib::SS_CPU_SYSTEM,
        &mib::SS_CPU_IDLE,
        &mib::SS_CPU_RAW_USER,
        &mib::SS_CPU_RAW_NICE,
        &mib::SS_CPU_RAW_SYSTEM,
        &mib::SS_CPU_RAW_IDLE,
        &mib::SS_CPU_RAW_WAIT,
        &mib::SS_CPU_RAW_KERNEL,
        &mib::SS_CPU_RAW_INTERRUPT,
        &mib::SS_IO_RAW_SENT,
        &mib::SS_IO_RAW_RECEIVED,
        &mib::SS_RAW_INTERRUPTS,
        &mib::SS_RAW_CONTEXTS,
        &mib::SS_CPU_RAW_SOFT_IRQ,
        &mib::SS_RAW_SWAP_IN,
        &mib::SS_RAW_SWAP_OUT,
        &mib::SS_CPU_RAW_STEAL,
        &mib::SS_CPU_RAW_GUEST,
        &mib::SS_CPU_RAW_GUEST_NICE,
        &mib::SS_CPU_NUM_CPUS,
    ],
    tables: &[],
};

/// Serves the group `ucd-system-stats`.
#[derive(Debug)]
pub(super) struct SystemStats {
    sampler: Arc<Sampler>,
}

impl SystemStats {
    pub(super) fn new(sampler: Arc<Sampler>) -> Self {
        SystemStats { sampler }
    }
}

impl Provider for SystemStats {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let change = self.sampler.sample(Instant::now())?;
        let mut snapshot = Snapshot::builder(&GROUP);
        let processors = change.now.stat.processors.len() as i32;
        snapshot
            .scalar(&mib::SS_INDEX, Value::Integer(1))
            .scalar(&mib::SS_ERROR_NAME, Value::text("systemStats"))
            .scalar(&mib::SS_CPU_NUM_CPUS, Value::Integer(processors));
        for (scalar, value) in averages(&change) {
            snapshot.scalar(scalar, Value::Integer(value));
        }
        for (scalar, value) in counters(&change.now) {
            snapshot.scalar(scalar, Value::Counter32(value as u32));
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

fn averages(change: &Change) -> [(&'static Scalar, i32); 9] {
    // The kernel counts swapping in pages, the MIB in KBytes.
    let page = rustix::param::page_size() as u64 / 1024;
    [
        (&mib::SS_SWAP_IN, change.per_second(|sample| sample.paging.swapped_in.wrapping_mul(page))),
        (&mib::SS_SWAP_OUT, change.per_second(|sample| sample.paging.swapped_out.wrapping_mul(page))),
        (&mib::SS_IO_SENT, change.per_second(|sample| blocks(sample.paging.written))),
        (&mib::SS_IO_RECEIVE, change.per_second(|sample| blocks(sample.paging.read))),
        (&mib::SS_SYS_INTERRUPTS, change.per_second(|sample| sample.stat.interrupts)),
        (&mib::SS_SYS_CONTEXT, change.per_second(|sample| sample.stat.contexts)),
        (&mib::SS_CPU_USER, change.percent(|ticks| ticks.user)),
        (&mib::SS_CPU_SYSTEM, change.percent(|ticks| ticks.system)),
        (&mib::SS_CPU_IDLE, change.percent(|ticks| ticks.idle)),
    ]
}

/// The low 32 bits are served: these counters wrap.
fn counters(sample: &Sample) -> [(&'static Scalar, u64); 17] {
    let Sample { stat, paging, .. } = sample;
    let ticks = &stat.all;
    [
        (&mib::SS_CPU_RAW_USER, ticks.user),
        (&mib::SS_CPU_RAW_NICE, ticks.nice),
        (&mib::SS_CPU_RAW_SYSTEM, ticks.system),
        (&mib::SS_CPU_RAW_IDLE, ticks.idle),
        (&mib::SS_CPU_RAW_WAIT, ticks.wait),
        (&mib::SS_CPU_RAW_KERNEL, 0),
        (&mib::SS_CPU_RAW_INTERRUPT, ticks.interrupt),
        (&mib::SS_IO_RAW_SENT, blocks(paging.written)),
        (&mib::SS_IO_RAW_RECEIVED, blocks(paging.read)),
        (&mib::SS_RAW_INTERRUPTS, stat.interrupts),
        (&mib::SS_RAW_CONTEXTS, stat.contexts),
        (&mib::SS_CPU_RAW_SOFT_IRQ, ticks.soft_interrupt),
        (&mib::SS_RAW_SWAP_IN, paging.swapped_in),
        (&mib::SS_RAW_SWAP_OUT, paging.swapped_out),
        (&mib::SS_CPU_RAW_STEAL, ticks.steal),
        (&mib::SS_CPU_RAW_GUEST, ticks.guest),
        (&mib::SS_CPU_RAW_GUEST_NICE, ticks.guest_nice),
    ]
}

/// KBytes as blocks of 512 octets.
fn blocks(kbytes: u64) -> u64 {
    kbytes.wrapping_mul(2)
}
