//! Our engine asks our fleet, in one process.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use trunkline_poll::{Parallel, Phase, RoundsOptions, Sample, Schedule, Shard, ShardOptions, SnmpRead};
use trunkline_sim::configuration::Plan;
use trunkline_sim::serve::{Running, ServeOptions};
use trunkline_smi::Oid;
use trunkline_snmp::wire::Version;

use crate::measured::Measured;
use crate::{GATHER, PERIOD, SETTLE, address, cpu, cpu_of_thread, fail};

/// Asks each agent of the group once in each period.
pub fn measure(agents: u32, periods: u64) -> Measured {
    let text = format!("[[group]]\nname = \"bench\"\nprefix = \"127.64.0.0/10\"\nagents = {agents}\n");
    let plan = Plan::parse(&text, Path::new("bench")).unwrap_or_else(|error| fail("make a fleet", &error));
    let serve = ServeOptions { port: 0, ..plan.serve };
    let running = Running::start(Arc::new(plan.fleet), &serve).unwrap_or_else(|error| fail("serve", &error));
    let peers = (0..agents).map(|agent| address(agent, running.port())).collect();
    let schedule = Schedule::new(agents, PERIOD, Phase::EVEN, Some(periods));
    let schedule = schedule.unwrap_or_else(|error| fail("make a schedule", &error));
    let options = ShardOptions {
        rounds: RoundsOptions { parallel: Parallel::Unbounded, deadline: SETTLE, places: None },
        gather: GATHER,
        kernel_stamps: true,
    };
    let names = [Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0])];
    let protocol = SnmpRead::get(Version::V2c, b"public", &names);
    let mut delays = Vec::with_capacity(agents as usize * periods as usize);
    let sink = |sample: &Sample| {
        if let Some(delay) = sample.from_due() {
            delays.push((sample.agent, sample.round as u32, delay.as_micros() as u32));
        }
    };
    let shard = Shard::open(schedule, peers, options, protocol, sink);
    let shard = shard.unwrap_or_else(|error| fail("open a socket", &error));
    let (all, mine) = (cpu(rustix::time::ClockId::ProcessCPUTime), cpu_of_thread());
    let start = Instant::now();
    let ended = shard.run(start, &AtomicBool::new(false)).unwrap_or_else(|error| fail("ask", &error));
    let took = start.elapsed();
    let asking_cpu = cpu_of_thread() - mine;
    let answering_cpu = cpu(rustix::time::ClockId::ProcessCPUTime) - all - asking_cpu;
    let dropped = ended.dropped.map(|dropped| u64::from(dropped) + running.receive_drops());
    Measured { agents, periods, delays, asking_cpu, answering_cpu, took, dropped }
}
