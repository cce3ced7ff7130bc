//! The cases with 84 interfaces: Get and GetBulk under load compared with the echo server and `snmpd`, and the
//! idle agent.

use std::io;
use std::time::Duration;

use serde_json::json;
use trunkline_smi::Value;
use trunkline_snmp::wire::Pdu;

use crate::exchange::{self, Exchange, IF_IN_OCTETS, IF_INDEX, IF_NUMBER, IF_TABLE};
use crate::report::{Bar, Report, median};
use crate::subject::Subject;
use crate::turns::{Rounds, in_turns, per_second, ratios};
use crate::{Case, Options};

/// Interfaces in the namespace.
pub const INTERFACES: usize = 84;

/// A load and its bars.
struct Load {
    case: Case,
    name: &'static str,
    window: u32,
    pdu: Pdu,
    /// Least share of the echo server's rate.
    of_echo: f64,
    /// Least multiple of snmpd's rate.
    times_snmpd: f64,
}

/// Runs the wanted cases.
pub fn measure(options: &Options, report: &mut Report) -> io::Result<()> {
    let ours = Subject::ours(options)?;
    let snmpd = Subject::snmpd(options)?;
    let started = ours.resident()?;
    for (name, subject) in [("trunklined", Some(&ours)), ("snmpd", snmpd.as_ref())] {
        match subject {
            Some(subject) => check_size(name, subject)?,
            None => {
                report.note("snmpd is not installed: ratios to it are left out (`apt-get install snmpd`)")
            }
        }
    }
    // The last interface has seen no traffic, so that its counter keeps its size.
    let names = exchange::walk(ours.address(), &IF_INDEX, 100)?;
    let last = names.last().and_then(|name| name.last().copied()).unwrap_or(1);
    for load in loads(last)?.iter().filter(|load| options.wants(load.case)) {
        under_load(options, load, &ours, snmpd.as_ref(), report)?;
    }
    if options.wants(Case::Idle) {
        at_rest(&ours, snmpd.as_ref(), started, report)?;
    }
    Ok(())
}

fn loads(interface: u32) -> io::Result<[Load; 2]> {
    let object = [&IF_IN_OCTETS[..], &[interface]].concat();
    Ok([
        Load {
            case: Case::Get,
            name: "Get of 1 object, 32 outstanding",
            window: 32,
            pdu: exchange::get_pdu(&object)?,
            of_echo: 0.80,
            times_snmpd: 5.0,
        },
        Load {
            case: Case::Bulk,
            name: "GetBulk of 66 objects, 8 outstanding",
            window: 8,
            pdu: exchange::bulk(&IF_TABLE, 66)?,
            of_echo: 0.60,
            times_snmpd: 30.0,
        },
    ])
}

/// Both agents must serve the same number of rows.
fn check_size(name: &str, subject: &Subject) -> io::Result<()> {
    match exchange::get(subject.address(), &IF_NUMBER)? {
        Value::Integer(number) if usize::try_from(number) == Ok(INTERFACES) => Ok(()),
        other => Err(io::Error::other(format!("{name} says ifNumber is {other:?}, there are {INTERFACES}"))),
    }
}

fn under_load(
    options: &Options,
    load: &Load,
    ours: &Subject,
    snmpd: Option<&Subject>,
    report: &mut Report,
) -> io::Result<()> {
    let exchange = Exchange::probe(ours.address(), load.pdu.clone())?;
    // snmpd may say the same in another number of octets.
    let theirs = snmpd.map(|snmpd| Exchange::probe(snmpd.address(), load.pdu.clone())).transpose()?;
    let echo = Subject::echo(options, exchange.reply_len())?;

    let Rounds { rates, lost, rejected } =
        in_turns(load.name, options, report, |who, seconds| match (who, snmpd, &theirs) {
            (0, ..) => exchange.load_agent(ours.address(), load.window, seconds).map(Some),
            (1, ..) => exchange.load_echo(echo.address(), load.window, seconds).map(Some),
            (_, Some(snmpd), Some(theirs)) => {
                theirs.load_agent(snmpd.address(), load.window, seconds).map(Some)
            }
            _ => Ok(None),
        })?;
    let [ours, echo, snmpd] = &rates;
    report.add(
        format!("{}: share of the echo server", load.name),
        "",
        Bar::AtLeast(load.of_echo),
        median(&ratios(ours, echo)),
    );
    if !snmpd.is_empty() {
        let name = format!("{}: times snmpd", load.name);
        report.add(name, "", Bar::AtLeast(load.times_snmpd), median(&ratios(ours, snmpd)));
    }
    report.note(format!(
        "{}: {} for trunklined, {} for the echo server, {} for snmpd; an answer has {} octets",
        load.name,
        per_second(ours),
        per_second(echo),
        per_second(snmpd),
        exchange.reply_len()
    ));
    report.keep(
        load.name,
        json!({ "trunklined": ours, "echo": echo, "snmpd": snmpd, "lost": lost, "rejected": rejected }),
    );
    Ok(())
}

/// The agent after its work: memory, and CPU over five seconds.
fn at_rest(ours: &Subject, snmpd: Option<&Subject>, started: u64, report: &mut Report) -> io::Result<()> {
    const SETTLE: Duration = Duration::from_secs(2);
    const WATCH: Duration = Duration::from_secs(5);
    // The whole ifTable has been requested once, whichever cases ran before.
    exchange::walk(ours.address(), &IF_TABLE, 66)?;
    eprintln!("at rest: {} s", (SETTLE + WATCH).as_secs());
    std::thread::sleep(SETTLE);
    let before = ours.cpu_ns()?;
    std::thread::sleep(WATCH);
    let used = ours.cpu_ns()? - before;
    let resident = ours.resident()?;

    let megabytes = |octets: u64| octets as f64 / 1e6;
    report.add("Resident memory of the idle agent", " MB", Bar::AtMost(8.0), megabytes(resident));
    report.add("CPU of the idle agent in 5 s", " ns", Bar::AtMost(0.0), used as f64);
    let theirs = snmpd.map(Subject::resident).transpose()?;
    report.note(format!(
        "Resident memory: {:.1} MB right after the start, {:.1} MB after the loads and a walk of ifTable; snmpd {}",
        megabytes(started),
        megabytes(resident),
        theirs.map_or_else(|| "not measured".to_owned(), |octets| format!("{:.1} MB", megabytes(octets)))
    ));
    report.keep(
        "idle",
        json!({ "cpu_ns": used, "resident": resident, "resident_at_start": started, "snmpd": theirs }),
    );
    Ok(())
}
