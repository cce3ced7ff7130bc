//! Whole tables over kept-alive HTTP, compared with a server made with gSOAP whose answer of the same size costs
//! nothing to produce: it only reads the request and sends; and with one of our own that does not even read HTTP.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use trunkline_lab::conversation::thread_cpu;
use trunkline_lab::meter::cpu::CpuMeter;
use trunkline_lab::stage::Role;
use trunkline_soap::encoding::Encoding;

use crate::floor::Floor;
use crate::load::{Connection, Served, load};
use crate::report::{Bar, Report, median, ratio, with_interval};
use crate::{Measured, Options, place};

/// 15 rows of 18 objects are 270.
const ROWS: u32 = 15;
const CONNECTIONS: usize = 8;
/// Times gSOAP's rate.
const BAR: f64 = 3.0;
/// Share of the rate of the server that only sends.
const SHARE: f64 = 0.85;

/// The peers' best settings.
const SETTINGS: &str = "gSOAP's server is compiled with -O2, has a thread for each connection, keeps connections alive without \
    end, sends the whole length at once (the fastest of its ways) and parses, but does not encode. The server that only \
    sends has a thread for each connection and makes two system calls for each request.";

/// The servers that take turns: the agent, gSOAP's server, and the one that only sends.
const WHO: usize = 3;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    if !options.gsoap.exists() {
        let path = options.gsoap.display();
        report.note(format!("Left out: {path} is not there; `cargo xtask setup --peers` builds it."));
        return Ok(());
    }
    report.note(SETTINGS);
    let stage = place::stage(options, ROWS, &[Role::Shipped], report)?;
    let address = place::http(&stage, Role::Shipped)?;
    let cpu = stage.cpu(Role::Shipped).ok_or("the agent's processor time cannot be read")?;
    let ours = Ours { address, cpu };
    for encoding in [Encoding::Typed, Encoding::AsInPaper, Encoding::Lean] {
        let name = format!("whole tables of {} interfaces, {}", stage.interfaces, encoding.name());
        of_encoding(options, report, &ours, encoding, &name)?;
    }
    Ok(())
}

/// The agent.
struct Ours {
    address: SocketAddr,
    cpu: CpuMeter,
}

fn of_encoding(
    options: &Options,
    report: &mut Report,
    ours: &Ours,
    encoding: Encoding,
    name: &str,
) -> Measured {
    let request = place::whole_table(encoding, None)?;
    let answer = Connection::open(ours.address)?.ask(&request)?;
    if !answer.is_ok() {
        return Err(format!("no answer: {}", String::from_utf8_lossy(&answer.octets)).into());
    }
    let gsoap = Gsoap::start(options, answer.body())?;
    let floor = Floor::start(request.len(), answer.octets)?;
    // What both understand, gSOAP in the form that it was made for.
    let theirs = place::whole_table(Encoding::AsInPaper, None)?;
    let own = CpuMeter::new(std::process::id())?;
    // The server that only sends has its threads in this process.
    let of_floor = || Ok(own.read()?.saturating_sub(thread_cpu()));
    let servers = [
        Served { address: ours.address, request: &request, cpu: &|| ours.cpu.read() },
        Served { address: gsoap.address, request: &theirs, cpu: &|| gsoap.cpu.read() },
        Served { address: floor.address, request: &request, cpu: &of_floor },
    ];
    let seen = in_turns(options, report, &servers, name)?;
    tell(report, encoding, name, &seen);
    Ok(())
}

/// One server's rounds.
#[derive(Default)]
struct Rounds {
    rates: Vec<f64>,
    /// Microseconds for each answer.
    cpu: Vec<f64>,
    octets: usize,
}

fn in_turns(
    options: &Options,
    report: &mut Report,
    servers: &[Served<'_>; WHO],
    name: &str,
) -> std::io::Result<[Rounds; WHO]> {
    let mut rounds: [Rounds; WHO] = Default::default();
    for round in 0..=options.rounds {
        let seconds = if round == 0 { 0.2 } else { options.seconds };
        for turn in 0..WHO {
            let who = (turn + round as usize) % WHO;
            let seen = load(&servers[who], CONNECTIONS, seconds)?;
            if round > 0 {
                rounds[who].rates.push(seen.rate);
                rounds[who].cpu.push(seen.cpu);
                rounds[who].octets = seen.octets;
            }
        }
        report.progress(name, round, options.rounds);
    }
    Ok(rounds)
}

fn tell(report: &mut Report, encoding: Encoding, name: &str, [ours, gsoap, floor]: &[Rounds; WHO]) {
    let raw = |of: &Rounds| json!({ "per_second": of.rates, "cpu_us_per_answer": of.cpu });
    report.keep(name, json!({ "ours": raw(ours), "gSOAP": raw(gsoap), "only sends": raw(floor) }));
    let [of_gsoap, of_floor] = [gsoap, floor].map(|other| ratio(&ours.rates, &other.rates));
    report.note(format!(
        "{name}: {}, gSOAP {}, a server that only sends {}; ours is {} of gSOAP and {} of the server that only sends; \
         {CONNECTIONS} connections",
        ours.words(),
        gsoap.words(),
        floor.words(),
        with_interval(&of_gsoap),
        with_interval(&of_floor),
    ));
    if encoding == Encoding::Typed {
        let title = format!("{name}: requests a second, times gSOAP's with a constant answer");
        report.add(title, Bar::AtLeast(BAR), &of_gsoap);
    }
    if encoding != Encoding::AsInPaper {
        let title = format!("{name}: requests a second, share of a server that only sends");
        report.add(title, Bar::AtLeast(SHARE), &of_floor);
    }
}

impl Rounds {
    fn words(&self) -> String {
        let (rate, cpu) = (median(&self.rates) / 1000.0, median(&self.cpu));
        format!("{rate:.1} thousand/s at {cpu:.1} us of CPU per answer ({} octets)", self.octets)
    }
}

/// The server; it ends when this is dropped.
struct Gsoap {
    child: Child,
    address: SocketAddr,
    cpu: CpuMeter,
    _answer: tempfile::NamedTempFile,
}

impl Gsoap {
    /// With this body as the answer to everything.
    fn start(options: &Options, body: &[u8]) -> Result<Self, Box<dyn Error>> {
        let answer = tempfile::NamedTempFile::new()?;
        std::fs::write(answer.path(), body)?;
        let mut child = owned(&options.gsoap)
            .args(["--port", "0", "--answer"])
            .arg(answer.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let port = line.trim().strip_prefix("port ").and_then(|port| port.parse().ok());
        let address = SocketAddr::from(([127, 0, 0, 1], port.unwrap_or(0)));
        let cpu = CpuMeter::new(child.id())?;
        let server = Gsoap { child, address, cpu, _answer: answer };
        if port.is_none() { Err(format!("gSOAP's server says {line:?}").into()) } else { Ok(server) }
    }
}

impl Drop for Gsoap {
    fn drop(&mut self) {
        // It may have ended already; either way it is gone after this.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command whose process ends when this one does.
fn owned(program: &Path) -> Command {
    let mut setpriv = Command::new("setpriv");
    setpriv.args(["--pdeathsig", "KILL", "--"]).arg(program);
    setpriv
}
