//! The cases with 84 interfaces: Get and GetBulk under load compared with the echo server and `snmpd`, and the
//! idle agent.

use std::io;
use std::time::Duration;

use serde_json::json;
use trunkline_smi::Value;
use trunkline_snmp::wire::Pdu;

use crate::exchange::{self, Exchange, IF_IN_OCTETS, IF_INDEX, IF_NUMBER, IF_TABLE};
use crate::report::{Bar, Report, ratio};
use crate::subject::{SNMPD_SETTINGS, Subject};
use crate::turns::{Turn, beside_other, in_turns};
use crate::{Case, Options};

/// Interfaces in the namespace.
pub const INTERFACES: usize = 84;

/// The echo server's best settings.
const ECHO_SETTINGS: &str = "The echo server is this benchmark's own: it receives and sends datagrams in batches with the \
    agent's sockets, and does nothing else.";

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
    let other = Subject::other(options)?;
    check_size("trunklined", &ours)?;
    if let Some(snmpd) = &snmpd {
        check_size("snmpd", snmpd)?;
    }
    report.note(match &snmpd {
        Some(_) => SNMPD_SETTINGS,
        None => "snmpd is not installed: ratios to it are left out (`apt-get install snmpd`)",
    });
    report.note(ECHO_SETTINGS);
    // The last interface has seen no traffic, so that its counter keeps its size.
    let names = exchange::walk(ours.address(), &IF_INDEX, 100)?;
    let last = names.last().and_then(|name| name.last().copied()).unwrap_or(1);
    for load in loads(last)?.iter().filter(|load| options.wants(load.case)) {
        under_load(options, load, &ours, snmpd.as_ref(), other.as_ref(), report)?;
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
    other: Option<&Subject>,
    report: &mut Report,
) -> io::Result<()> {
    let exchange = Exchange::probe(ours.address(), load.pdu.clone())?;
    // snmpd may say the same in another number of octets.
    let theirs = snmpd.map(|snmpd| Exchange::probe(snmpd.address(), load.pdu.clone())).transpose()?;
    let echo = Subject::echo(options, exchange.reply_len())?;

    let agent = |agent: &Subject, exchange: &Exchange, seconds| {
        Turn::of(agent, || exchange.load_agent(agent.address(), load.window, seconds))
    };
    let [ours, echo, snmpd, other] = in_turns(load.name, options, report, |who, seconds| {
        match (who, snmpd.zip(theirs.as_ref()), other) {
            (0, ..) => agent(ours, &exchange, seconds),
            (1, ..) => Turn::of(&echo, || exchange.load_echo(echo.address(), load.window, seconds)),
            (2, Some((snmpd, theirs)), _) => agent(snmpd, theirs, seconds),
            (3, _, Some(other)) => agent(other, &exchange, seconds),
            _ => Ok(None),
        }
    })?;
    let name = format!("{}: share of the echo server", load.name);
    report.add(name, Bar::AtLeast(load.of_echo), &ratio(&ours.rates, &echo.rates));
    if !snmpd.rates.is_empty() {
        let name = format!("{}: times snmpd", load.name);
        report.add(name, Bar::AtLeast(load.times_snmpd), &ratio(&ours.rates, &snmpd.rates));
    }
    beside_other(load.name, &ours, &other, report);
    report.note(format!(
        "{}: {} for trunklined, {} for the echo server, {} for snmpd; an answer has {} octets",
        load.name,
        ours.per_second(),
        echo.per_second(),
        snmpd.per_second(),
        exchange.reply_len()
    ));
    report.keep(
        load.name,
        json!({
            "trunklined": ours.to_json(), "echo": echo.to_json(), "snmpd": snmpd.to_json(), "against": other.to_json(),
        }),
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
    report.count("Resident memory of the idle agent", " MB", Bar::AtMost(8.0), megabytes(resident));
    report.count("CPU of the idle agent in 5 s", " ns", Bar::AtMost(0.0), used as f64);
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
