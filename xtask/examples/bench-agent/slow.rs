//! The case with thousands of interfaces: CPU for each varbind of a walk over
//! ifTable, beside `snmpd`, from the scheduler's accounts.

use std::io;

use serde_json::json;

use crate::Options;
use crate::exchange::{self, IF_TABLE};
use crate::report::{Bar, Report, median, progress};
use crate::subject::Subject;

/// CPU of one walk.
struct Walk {
    cpu_ns: u64,
    varbinds: usize,
}

/// Walks both agents in turns.
pub fn walk(options: &Options, report: &mut Report) -> io::Result<()> {
    let name = format!("Walk of {} interfaces, {} repetitions", options.interfaces, options.repetitions);
    let ours = Subject::ours(options)?;
    let Some(snmpd) = Subject::snmpd(options)? else {
        report.note(format!("{name}: left out, snmpd is not installed (`apt-get install snmpd`)"));
        return Ok(());
    };
    let (mut of_ours, mut of_snmpd) = (Vec::new(), Vec::new());
    for round in 0..=options.rounds {
        let (mine, theirs) = (one(&ours, options.repetitions)?, one(&snmpd, options.repetitions)?);
        if mine.varbinds != theirs.varbinds {
            report
                .note(format!("{name}: {} varbinds from us, {} from snmpd", mine.varbinds, theirs.varbinds));
        }
        // The first round fills caches.
        if round > 0 {
            of_ours.push(mine.cpu_ns as f64 / mine.varbinds as f64);
            of_snmpd.push(theirs.cpu_ns as f64 / theirs.varbinds as f64);
        }
        progress(&name, round, options.rounds);
    }
    let ratios: Vec<f64> = of_ours.iter().zip(&of_snmpd).map(|(ours, snmpd)| ours / snmpd).collect();
    report.add(
        format!("{name}: CPU per varbind, share of snmpd's"),
        "",
        Bar::AtMost(1.0 / 20.0),
        median(&ratios),
    );
    report.note(format!(
        "{name}: {:.0} ns of CPU per varbind for trunklined, {:.0} ns for snmpd",
        median(&of_ours),
        median(&of_snmpd)
    ));
    report.keep(&name, json!({ "trunklined": of_ours, "snmpd": of_snmpd }));
    Ok(())
}

fn one(subject: &Subject, repetitions: i32) -> io::Result<Walk> {
    let before = subject.cpu_ns()?;
    let varbinds = exchange::walk(subject.address(), &IF_TABLE, repetitions)?.len();
    let cpu_ns = subject.cpu_ns()? - before;
    if varbinds == 0 { Err(io::Error::other("ifTable is empty")) } else { Ok(Walk { cpu_ns, varbinds }) }
}
