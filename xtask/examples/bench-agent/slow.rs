//! The case with thousands of interfaces: CPU time per varbind of a walk over ifTable, compared with `snmpd`,
//! from the scheduler's accounts.

use std::io;
use std::time::Duration;

use serde_json::json;

use crate::Options;
use crate::exchange::{self, IF_TABLE};
use crate::report::{Bar, Report, median, ratio, with_interval};
use crate::subject::{SNMPD_SETTINGS, Subject};

/// Varbinds in one request of the second walk: what fits one Ethernet frame. The system calls of each request
/// then cost more than its varbinds.
const SMALL: i32 = 66;

/// Longer than both agents' data may be old: each walk reads the kernel again.
const PAUSE: Duration = Duration::from_millis(1100);

/// CPU of one walk.
struct Walk {
    cpu_ns: u64,
    varbinds: usize,
}

/// Walks both agents in turns, with large requests and with small ones.
pub fn walk(options: &Options, report: &mut Report) -> io::Result<()> {
    let name = format!("Walk of {} interfaces", options.interfaces);
    let ours = Subject::ours(options)?;
    let Some(snmpd) = Subject::snmpd(options)? else {
        report.note(format!("{name}: left out, snmpd is not installed (`apt-get install snmpd`)"));
        return Ok(());
    };
    report.note(SNMPD_SETTINGS);
    for repetitions in [options.repetitions, SMALL] {
        let rounds = in_turns(&ours, &snmpd, repetitions, options.rounds, report)?;
        let (of_ours, of_snmpd): (Vec<f64>, Vec<f64>) = rounds.into_iter().unzip();
        let share = ratio(&of_ours, &of_snmpd);
        if repetitions == options.repetitions {
            let name = format!("{name}: CPU per varbind, share of snmpd's");
            report.add(name, Bar::AtMost(1.0 / 20.0), &share);
        }
        report.note(format!(
            "{name}, {repetitions} repetitions: {:.0} ns of CPU per varbind for trunklined, {:.0} ns for snmpd, {} of it",
            median(&of_ours),
            median(&of_snmpd),
            with_interval(&share)
        ));
        report.keep(
            &format!("{name}, {repetitions} repetitions"),
            json!({ "trunklined": of_ours, "snmpd": of_snmpd }),
        );
    }
    Ok(())
}

/// CPU per varbind of each round in nanoseconds, ours and snmpd's.
fn in_turns(
    ours: &Subject,
    snmpd: &Subject,
    repetitions: i32,
    rounds: u32,
    report: &mut Report,
) -> io::Result<Vec<(f64, f64)>> {
    let name = format!("Walk with {repetitions} repetitions");
    let mut found = Vec::new();
    for round in 0..=rounds {
        let (mine, theirs) = (one(ours, repetitions)?, one(snmpd, repetitions)?);
        if mine.varbinds != theirs.varbinds {
            report
                .note(format!("{name}: {} varbinds from us, {} from snmpd", mine.varbinds, theirs.varbinds));
        }
        // The first round only warms up.
        if round > 0 {
            found.push((mine.per_varbind(), theirs.per_varbind()));
        }
        report.progress(&name, round, rounds);
    }
    Ok(found)
}

impl Walk {
    fn per_varbind(&self) -> f64 {
        self.cpu_ns as f64 / self.varbinds as f64
    }
}

fn one(subject: &Subject, repetitions: i32) -> io::Result<Walk> {
    std::thread::sleep(PAUSE);
    let before = subject.cpu_ns()?;
    let varbinds = exchange::walk(subject.address(), &IF_TABLE, repetitions)?.len();
    let cpu_ns = subject.cpu_ns()? - before;
    if varbinds == 0 { Err(io::Error::other("ifTable is empty")) } else { Ok(Walk { cpu_ns, varbinds }) }
}
