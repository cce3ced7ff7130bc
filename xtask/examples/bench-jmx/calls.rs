//! Round trips of getAttribute: a counter of a row, of the agent and of the JDK's server, over TCP and TLS.

use std::error::Error;

use serde_json::json;

use crate::floor;
use crate::java::{Client, Jdk, Took};
use crate::place::{Place, Where};
use crate::report::{Bar, Report, median, ratio, with_interval};
use crate::{Measured, Options};

/// How the JDK's server runs: the collector without barriers and helpers of its own, and a heap that it never fills in a round.
pub const BEST: [&str; 3] = ["-XX:+UseSerialGC", "-Xms256m", "-Xmx256m"];

/// A MBean and its attribute, at the agent and at the JVM; both are counters of 32 bits as `Long`.
pub const COUNTER: [&str; 2] =
    ["trunkline:type=ifEntry,ifIndex=1 ifInOctets", "bench:type=ifEntry,ifIndex=1 ifInOctets"];

pub fn measure(options: &Options, jdk: &Jdk, report: &mut Report) -> Measured {
    let place = Place::make(options, 64, Where::Apart, report)?;
    let best = BEST.map(str::to_owned);
    let plain = place.beside(|| jdk.server(&best, options.rows, false))?;
    let keys = place.server_options(jdk)?;
    let secure = place.beside(|| jdk.server(&[&best[..], &keys].concat(), options.rows, true))?;
    report.note(format!("calls and tables: the JDK's server runs with {}", BEST.join(" ")));
    let mut client = jdk.client(&place.client_options(jdk)?)?;
    for (way, tls, ports) in
        [("TCP", false, [place.plain, plain.port]), ("TLS", true, [place.tls, secure.port])]
    {
        let names = ["ours", "theirs"].map(|whose| format!("{whose}-{way}"));
        for (name, port) in names.iter().zip(ports) {
            client.connect(name, tls, port)?;
        }
        measure_way(&mut client, options, way, &names, report)?;
    }
    // The least that any server could take over TCP.
    place.beside(|| floor::start(place.plain))?;
    client.connect_at(FLOOR, floor::ADDRESS, place.plain)?;
    let names = [FLOOR, "theirs-TCP"].map(str::to_owned);
    let [least, theirs] = rounds(&mut client, options, &names, "a server that computes nothing", report)?;
    let [floor, theirs] = [least, theirs].map(|rounds| column(&rounds, |took| took.median));
    report.note(format!(
        "a server over TCP that computes nothing and answers with octets that it has: {:.1} us, of the JDK's server: {}",
        median(&floor),
        with_interval(&ratio(&floor, &theirs))
    ));
    report
        .keep("a server that computes nothing", json!({ "median_us": { "least": floor, "theirs": theirs } }));
    Ok(())
}

/// Both servers over TCP or TLS.
fn measure_way(
    client: &mut Client,
    options: &Options,
    way: &str,
    names: &[String; 2],
    report: &mut Report,
) -> Measured {
    let title = format!("getAttribute over {way}");
    let found = rounds(client, options, names, &title, report)?;
    let [ours, theirs] = found.each_ref().map(|rounds| column(rounds, |took| took.median));
    report.add(format!("{title}, of the JDK's server"), Bar::AtMost(0.7), &ratio(&ours, &theirs));
    let [ours_p99, theirs_p99] = found.each_ref().map(|rounds| column(rounds, |took| took.p99));
    report.note(format!(
        "{title}: ours {:.1} us, the JDK's server {:.1} us (medians); 99th percentiles {:.1} us and {:.1} us",
        median(&ours),
        median(&theirs),
        median(&ours_p99),
        median(&theirs_p99)
    ));
    report.keep(
        &title,
        json!({ "median_us": { "ours": ours, "theirs": theirs }, "p99_us": { "ours": ours_p99, "theirs": theirs_p99 } }),
    );
    Ok(())
}

/// Rounds of two servers in turns.
fn rounds(
    client: &mut Client,
    options: &Options,
    names: &[String; 2],
    title: &str,
    report: &mut Report,
) -> Result<[Vec<Took>; 2], Box<dyn Error>> {
    let mut found: [Vec<Took>; 2] = Default::default();
    warm(client, names, options.calls)?;
    for round in 1..=options.rounds {
        let first = round as usize % 2;
        for which in [first, 1 - first] {
            found[which].push(client.measure("get", &names[which], options.calls, COUNTER[which])?);
        }
        report.progress(title, round, options.rounds);
    }
    Ok(found)
}

/// Calls until the compilers of both JVMs have seen them often enough.
fn warm(client: &mut Client, names: &[String; 2], calls: u32) -> Measured {
    for _ in 0..WARM {
        for (name, what) in names.iter().zip(COUNTER) {
            client.measure("get", name, calls.max(5000), what)?;
        }
    }
    Ok(())
}

/// One part of all rounds.
pub fn column(rounds: &[Took], part: fn(&Took) -> f64) -> Vec<f64> {
    rounds.iter().map(part).collect()
}

/// The name of the server that computes nothing.
const FLOOR: &str = "floor";

/// Rounds before the first that counts.
const WARM: u32 = 4;
