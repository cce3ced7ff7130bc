//! A whole ifTable with its 22 columns, by a client of the JDK: as arrays of primitives from the agent and from a JVM, and in the other
//! ways that JMX has.

use serde_json::json;

use crate::calls::{BEST, column};
use crate::java::{Jdk, Took};
use crate::place::{Place, Where};
use crate::report::{Bar, Report, figure, median, with_interval};
use crate::{Measured, Options};

/// The columns of ifTable.
pub const COLUMNS: &str = "ifIndex ifDescr ifType ifMtu ifSpeed ifPhysAddress ifAdminStatus ifOperStatus ifLastChange \
    ifInOctets ifInUcastPkts ifInNUcastPkts ifInDiscards ifInErrors ifInUnknownProtos ifOutOctets ifOutUcastPkts \
    ifOutNUcastPkts ifOutDiscards ifOutErrors ifOutQLen ifSpecific";

/// A way to read the table: its name, who is asked, the client's command, calls in a round, and what is requested.
type Way = (&'static str, &'static str, &'static str, u32, String);

fn ways() -> [Way; 5] {
    [
        ("arrays, ours", "ours", "columns", 30, format!("trunkline:type=ifTable {COLUMNS}")),
        ("arrays, a JVM", "theirs", "columns", 30, format!("bench:type=ifTable {COLUMNS}")),
        ("getAttributes of each row, ours", "ours", "each", 2, format!("trunkline:type=ifEntry,* {COLUMNS}")),
        ("getAttributes of each row, a JVM", "theirs", "each", 2, format!("bench:type=ifEntry,* {COLUMNS}")),
        ("TabularData, a JVM", "theirs", "get", 2, "bench:type=ifTable Rows".to_owned()),
    ]
}

pub fn measure(options: &Options, jdk: &Jdk, report: &mut Report) -> Measured {
    let place = Place::make(options, 64, Where::Anywhere, report)?;
    let server = jdk.server(&BEST.map(str::to_owned), options.rows, false)?;
    let mut client = jdk.client(&[])?;
    client.connect("ours", false, place.plain)?;
    client.connect("theirs", false, server.port)?;
    let ways = ways();
    let mut found: [Vec<Took>; 5] = Default::default();
    let title = format!("a table of {} by 22", place.interfaces());
    for round in 0..=options.rounds {
        for turn in 0..ways.len() {
            // Who begins alternates, so that what else the machine does falls on all.
            let which = (turn + round as usize) % ways.len();
            let (_, whose, command, calls, what) = &ways[which];
            // The first round warms up.
            let calls = if round == 0 { calls * WARM } else { *calls };
            let took = client.measure(command, whose, calls, what)?;
            if round > 0 {
                found[which].push(took);
            }
        }
        report.progress(&title, round, options.rounds);
    }
    let times = found.each_ref().map(|rounds| column(rounds, |took| took.median / 1e3));
    report.add(format!("{title} as arrays, ms"), Bar::AtMost(1.5), &figure(&times[0]));
    for ((name, ..), (times, rounds)) in ways.iter().zip(times.iter().zip(&found)) {
        let rows = rounds.first().map_or(0, |took| took.rows);
        report.note(format!("{title}, {name}: {:.2} ms, {rows} rows", median(times)));
        report.keep(&format!("{title}, {name}"), json!({ "ms": times, "rows": rows }));
    }
    let share: Vec<f64> = times[0].iter().zip(&times[1]).map(|(ours, theirs)| ours / theirs).collect();
    report.note(format!("{title} as arrays, of a JVM's time: {}", with_interval(&figure(&share))));
    Ok(())
}

/// How many times as many calls as in a round are made before the first.
const WARM: u32 = 8;
