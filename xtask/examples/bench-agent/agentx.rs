//! The case `agentx`: GetBulk of a subagent's table of 10,000 rows through our master compared with GetBulk of our own
//! ifTable, and with Net-SNMP's agent as the master of the same subagents. There are two of them: this benchmark's own,
//! which costs as little as one can, and one made with Net-SNMP's library.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Options;
use crate::exchange::{self, Exchange, IF_TABLE};
use crate::report::{Bar, Report, median, ratio};
use crate::subagent::{COLUMNS, ROOT, ROWS};
use crate::subject::{SNMPD_SETTINGS, Subject};
use crate::turns::{Turn, in_turns};

/// What fits one Ethernet frame, as in the case `bulk`.
pub const REPETITIONS: i32 = 66;
const WINDOW: u32 = 8;

/// Where a subagent made with the library has been built, by `cargo xtask setup --peers`.
const LIBRARY: &str = "target/peers/agentx/subagent";

/// A master with the subagent that it asks.
struct Pair {
    master: Subject,
    #[expect(dead_code, reason = "it ends with this")]
    subagent: Subject,
    bulk: Exchange,
}

/// Measures one subagent after the other.
pub fn measure(options: &Options, report: &mut Report) -> io::Result<()> {
    let own = Subject::ours(options)?;
    let own_bulk = Exchange::probe(own.address(), exchange::bulk(&IF_TABLE, REPETITIONS)?)?;
    report.note(if options.snmpd.is_some() {
        SNMPD_SETTINGS
    } else {
        "snmpd is not installed: ratios to it are left out (`apt-get install snmpd`)"
    });
    let library = Path::new(LIBRARY);
    if !library.is_file() {
        report
            .note("The subagent of Net-SNMP's library is not built: left out (`cargo xtask setup --peers`)");
    }
    let subagents = [("the fastest subagent", None), ("a subagent of Net-SNMP's library", Some(library))];
    for (name, program) in subagents.into_iter().filter(|(_, program)| program.is_none_or(Path::is_file)) {
        let ours = Pair::start(options, "ours", program)?;
        let snmpd = options.snmpd.as_ref().map(|_| Pair::start(options, "snmpd", program)).transpose()?;
        under_load(options, name, (&own, &own_bulk), &ours, snmpd.as_ref(), report)?;
        if program.is_none() {
            beside_relay(options, &own, &own_bulk, &ours, report)?;
        }
        walks(options, name, &ours, snmpd.as_ref(), report)?;
    }
    Ok(())
}

impl Pair {
    fn start(options: &Options, name: &str, subagent: Option<&Path>) -> io::Result<Pair> {
        let socket = socket_of(name);
        let started = match name {
            "ours" => Some(Subject::ours_with(
                options,
                &format!("[agentx]\nlisten = [{:?}]\n", format!("unix:{}", socket.display())),
            )?),
            _ => Subject::snmpd_with(
                options,
                &format!("master agentx\nagentXSocket unix:{}\n", socket.display()),
            )?,
        };
        let master = started.ok_or_else(|| io::Error::other("snmpd is not installed"))?;
        let subagent = match subagent {
            None => Subject::subagent(options, &socket)?,
            Some(program) => Subject::subagent_of_the_library(options, program, &socket, &ROOT, ROWS)?,
        };
        let begin = Instant::now();
        while exchange::walk(master.address(), &[&ROOT[..], &[1, 1, COLUMNS]].concat(), REPETITIONS)
            .map_or(0, |names| names.len())
            != ROWS as usize
        {
            if begin.elapsed() > Duration::from_secs(30) {
                return Err(io::Error::other(format!("{name} does not serve the subagent's table")));
            }
        }
        let bulk = Exchange::probe(master.address(), exchange::bulk(&ROOT, REPETITIONS)?)?;
        // Nobody connects any more, and the name is free for the next pair.
        let _ = std::fs::remove_file(&socket);
        Ok(Pair { master, subagent, bulk })
    }
}

fn under_load(
    options: &Options,
    name: &str,
    own: (&Subject, &Exchange),
    ours: &Pair,
    snmpd: Option<&Pair>,
    report: &mut Report,
) -> io::Result<()> {
    let name = format!("GetBulk of {REPETITIONS} objects, {WINDOW} outstanding, {name}");
    let load = |subject: &Subject, bulk: &Exchange, seconds| {
        Turn::of(subject, || bulk.load_agent(subject.address(), WINDOW, seconds))
    };
    let [of_own, through, of_snmpd] = in_turns(&name, options, report, |who, seconds| match (who, snmpd) {
        (0, _) => load(own.0, own.1, seconds),
        (1, _) => load(&ours.master, &ours.bulk, seconds),
        (2, Some(pair)) => load(&pair.master, &pair.bulk, seconds),
        _ => Ok(None),
    })?;
    let share = ratio(&through.rates, &of_own.rates);
    // A relay reaches 0.25 to 0.42 (docs/decisions/0098). Net-SNMP's library, not the master, is what limits the other one.
    let bar = if name.ends_with("fastest subagent") { 0.15 } else { 0.0 };
    report.add(format!("{name}: share of our own ifTable"), Bar::AtLeast(bar), &share);
    if !of_snmpd.rates.is_empty() {
        let times = ratio(&through.rates, &of_snmpd.rates);
        report.add(format!("{name}: times snmpd as the master"), Bar::AtLeast(1.0), &times);
    }
    report.note(format!(
        "{name}: {} through our master, {} for our own ifTable, {} through snmpd; answers of {} and {} octets",
        through.per_second(),
        of_own.per_second(),
        of_snmpd.per_second(),
        ours.bulk.reply_len(),
        own.1.reply_len()
    ));
    report.keep(
        &name,
        json!({ "through": through.to_json(), "own": of_own.to_json(), "snmpd": of_snmpd.to_json() }),
    );
    Ok(())
}

/// What any master can reach here.
fn beside_relay(
    options: &Options,
    own: &Subject,
    own_bulk: &Exchange,
    ours: &Pair,
    report: &mut Report,
) -> io::Result<()> {
    let name = format!("GetBulk of {REPETITIONS} objects, {WINDOW} outstanding, beside a relay");
    let socket = socket_of("relay");
    let relay = Subject::relay(options, &socket, ours.bulk.reply_len())?;
    let _subagent = Subject::subagent(options, &socket)?;
    let _ = std::fs::remove_file(&socket);
    let [through, relayed, of_own] = in_turns(&name, options, report, |who, seconds| match who {
        0 => Turn::of(&ours.master, || ours.bulk.load_agent(ours.master.address(), WINDOW, seconds)),
        1 => Turn::of(&relay, || ours.bulk.load_echo(relay.address(), WINDOW, seconds)),
        _ => Turn::of(own, || own_bulk.load_agent(own.address(), WINDOW, seconds)),
    })?;
    let share = ratio(&through.rates, &relayed.rates);
    report.add(format!("{name} that looks at no octet: share of the relay"), Bar::AtLeast(0.5), &share);
    let limit = ratio(&relayed.rates, &of_own.rates);
    report.add(format!("{name}: the relay's share of our own ifTable, the limit"), Bar::AtLeast(0.0), &limit);
    report.note(format!(
        "{name}: {} through our master, {} through the relay, {} for our own ifTable",
        through.per_second(),
        relayed.per_second(),
        of_own.per_second()
    ));
    report.keep(
        &name,
        json!({ "through": through.to_json(), "relay": relayed.to_json(), "own": of_own.to_json() }),
    );
    Ok(())
}

fn socket_of(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("agentx-{name}-{}", std::process::id()))
}

/// The whole table, one request after the other.
fn walks(
    options: &Options,
    name: &str,
    ours: &Pair,
    snmpd: Option<&Pair>,
    report: &mut Report,
) -> io::Result<()> {
    let Some(snmpd) = snmpd else { return Ok(()) };
    let name = format!("Walk of {ROWS} rows, {name}");
    let mut seconds = [Vec::new(), Vec::new()];
    for round in 0..=options.rounds {
        for turn in 0..2 {
            let who = (turn + round as usize) % 2;
            let begin = Instant::now();
            let found = exchange::walk([ours, snmpd][who].master.address(), &ROOT, REPETITIONS)?.len();
            if found != (COLUMNS * ROWS) as usize {
                return Err(io::Error::other(format!("{name}: {found} instances")));
            }
            if round > 0 {
                seconds[who].push(begin.elapsed().as_secs_f64());
            }
        }
        report.progress(&name, round, options.rounds);
    }
    let [ours, theirs] = seconds;
    report.add(format!("{name}: time, share of snmpd's"), Bar::AtMost(1.0), &ratio(&ours, &theirs));
    let per_second = |seconds: &[f64]| f64::from(COLUMNS * ROWS) / median(seconds) / 1000.0;
    report.note(format!(
        "{name}: {:.0} thousand instances/s through our master, {:.0} through snmpd",
        per_second(&ours),
        per_second(&theirs)
    ));
    report.keep(&name, json!({ "ours_s": ours, "snmpd_s": theirs }));
    Ok(())
}
