//! A table of many rows: its rate compared with the same octets through the same SSH stack, and the agent's memory meanwhile.

use serde_json::json;
use trunkline_lab::estimate::Estimate;

use crate::report::{Bar, Report, median, ratio};
use crate::servers::{Server, USER};
use crate::{Failure, Measured, Options, place};

const ROUTES: &str = "<get><filter type=\"subtree\"><IP-FORWARD-MIB \
    xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IP-FORWARD-MIB\"><inetCidrRouteTable/></IP-FORWARD-MIB></filter></get>";

/// A snapshot serves all rounds: what is measured is its way to the peer.
const STEADY: &str = "[freshness]\ndefault = \"1h\"\n";

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    let routes: String = (0..options.routes)
        .map(|n| format!("route add blackhole 10.{}.{}.{}/32\n", n >> 16 & 255, n >> 8 & 255, n & 255))
        .collect();
    place::batch(&routes)?;
    let agent = Server::ours(options, STEADY)?;
    let mut ours = agent.over_ssh(USER)?;
    // The first one loads the snapshot.
    let (_, octets) = ours.drain(ROUTES)?;
    let echo = Server::echo(octets)?;
    let mut echoed = echo.over_ssh(USER)?;
    echoed.drain(ROUTES)?;
    let name = format!("get of {} routes over SSH, times its octets from a constant", options.routes);
    let mut rates = [vec![], vec![]];
    let mut grown = Vec::new();
    for round in 1..=options.rounds {
        let first = round as usize % 2;
        for which in [first, 1 - first] {
            let before = if which == 0 { fresh_peak(agent.pid())? } else { 0 };
            let session = if which == 0 { &mut ours } else { &mut echoed };
            let (seconds, read) = session.drain(ROUTES)?;
            if read != octets {
                return Err(format!("a reply of {read} octets, {octets} before").into());
            }
            rates[which].push(octets as f64 / seconds);
            if which == 0 {
                grown.push((peak(agent.pid())?.saturating_sub(before)) as f64 / 1024.0);
            }
        }
        report.progress(&name, round, options.rounds);
    }
    report.add(&name, Bar::AtLeast(0.5), &ratio(&rates[0], &rates[1]));
    let [ours, limit] = rates.each_ref().map(|rates| median(rates) / 1e6);
    report
        .note(format!("{name}: {:.1} MB, {ours:.0} MB/s compared with {limit:.0} MB/s", octets as f64 / 1e6));
    let memory = format!("KB by which the agent grows while it sends {:.1} MB", octets as f64 / 1e6);
    let estimate = Estimate::median(&grown).ok_or("no rounds")?;
    report.add(memory, Bar::AtMost(1024.0), &estimate);
    report.keep(&name, json!({ "octets_per_second": rates, "grown_kb": grown }));
    Ok(())
}

/// The resident size, octets, and the peak begins anew.
fn fresh_peak(pid: u32) -> Result<u64, Failure> {
    std::fs::write(format!("/proc/{pid}/clear_refs"), "5")?;
    peak(pid)
}

/// The greatest resident size since, octets.
fn peak(pid: u32) -> Result<u64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kilo: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilo * 1024)
}
