//! Resident memory after load: of the agent, and of a JVM with the same rows, at its best settings and as it comes.

use serde_json::json;
use trunkline_lab::meter::memory;

use crate::calls::COUNTER;
use crate::java::{Client, Jdk};
use crate::place::{Place, Where};
use crate::report::{Bar, Report};
use crate::table::COLUMNS;
use crate::{Measured, Options};

/// The least that serves this load: a collector without helpers, one compiler, and as little heap as it does not fail with.
const SMALL: [&str; 6] = [
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xms8m",
    "-Xmx16m",
    "-Xss256k",
    "-XX:ReservedCodeCacheSize=8m",
];

pub fn measure(options: &Options, jdk: &Jdk, report: &mut Report) -> Measured {
    let place = Place::make(options, 64, Where::Anywhere, report)?;
    let small = jdk.server(&SMALL.map(str::to_owned), options.rows, false)?;
    let usual = jdk.server(&[], options.rows, false)?;
    let mut client = jdk.client(&[])?;
    let [of_ours, of_jvm] = COUNTER.map(|counter| counter.split(':').next().unwrap_or_default());
    let subjects = [
        ("trunklined", place.plain, place.pid()?, of_ours, COUNTER[0]),
        ("a small JVM", small.port, small.pid(), of_jvm, COUNTER[1]),
        ("a JVM as it comes", usual.port, usual.pid(), of_jvm, COUNTER[1]),
    ];
    let mut resident = Vec::new();
    for (at, (name, port, pid, domain, counter)) in subjects.into_iter().enumerate() {
        let id = format!("subject-{at}");
        client.connect(&id, false, port)?;
        let (before, _) = memory::sizes(pid)?;
        load(&mut client, &id, options.calls, domain, counter)?;
        let (after, _) = memory::sizes(pid)?;
        let [before, after] = [before, after].map(|octets| octets as f64 / f64::from(1 << 20));
        report
            .note(format!("resident memory, {name}: {before:.1} MiB before the load, {after:.1} MiB after"));
        report.keep(&format!("resident memory, {name}"), json!({ "before": before, "after": after }));
        resident.push(after);
        report.progress("resident memory", at as u32 + 1, 3);
    }
    report.note(format!("resident memory: the small JVM runs with {}", SMALL.join(" ")));
    for (at, name) in [(1, "of a small JVM's"), (2, "of a JVM's as it comes")] {
        report.count(
            format!("resident memory after load, {name}"),
            "",
            Bar::AtMost(0.5),
            resident[0] / resident[at],
        );
    }
    Ok(())
}

/// Counters, whole tables, and each row.
fn load(client: &mut Client, id: &str, calls: u32, domain: &str, counter: &str) -> Measured {
    client.measure("get", id, calls, counter)?;
    client.measure("columns", id, 30, &format!("{domain}:type=ifTable {COLUMNS}"))?;
    client.measure("each", id, 2, &format!("{domain}:type=ifEntry,* {COLUMNS}"))?;
    Ok(())
}
