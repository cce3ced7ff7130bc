//! Loads each group of this machine some times and prints what a load costs in
//! processor time: `cargo run --release -p trunkline-host --example loads [GROUP]`
//! (in a namespace: `ip netns exec NAME target/release/examples/loads`).
#![allow(clippy::print_stdout, reason = "a program for people")]

use std::time::{Duration, Instant};

use trunkline_host::HostOptions;
use trunkline_tree::{Loaded, Provider, SourceError};

fn main() -> Result<(), SourceError> {
    let wanted = std::env::args().nth(1);
    let options = HostOptions::host(Instant::now());
    for provider in trunkline_host::providers(&options) {
        let name = provider.group().name;
        if wanted.as_ref().is_none_or(|wanted| wanted == name) {
            report(name, provider.as_ref())?;
        }
    }
    Ok(())
}

fn report(name: &str, provider: &dyn Provider) -> Result<(), SourceError> {
    const LOADS: u32 = 20;
    let first = timed(provider)?;
    let mut later: Vec<Duration> =
        (0..LOADS).map(|_| timed(provider).map(|(time, _)| time)).collect::<Result<_, _>>()?;
    later.sort_unstable();
    let rows = first.1;
    println!(
        "{name:24} {rows:7} rows  first {:9.1?}  median {:9.1?}  best {:9.1?}",
        first.0,
        later[later.len() / 2],
        later[0]
    );
    Ok(())
}

fn timed(provider: &dyn Provider) -> Result<(Duration, usize), SourceError> {
    let before = processor_time();
    let loaded = provider.load(None)?;
    let time = processor_time() - before;
    let rows = match &loaded {
        Loaded::Snapshot(snapshot) => {
            let tables = provider.group().tables.iter();
            tables.filter_map(|table| snapshot.table(table)).map(|table| table.len()).sum()
        }
        Loaded::Unchanged => 0,
    };
    Ok((time, rows))
}

fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
