//! Whole tables over kept-alive HTTP, compared with a server made with gSOAP whose answer of the same size costs
//! nothing to produce: it only reads the request and sends; and with one of our own that does not even read HTTP.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use trunkline_lab::stage::Role;
use trunkline_soap::encoding::Encoding;

use crate::floor::Floor;
use crate::load::{Connection, load};
use crate::report::{Bar, Report, median, progress};
use crate::{Measured, Options, place};

/// 15 rows of 18 objects are 270.
const ROWS: u32 = 15;
const CONNECTIONS: usize = 8;
/// Times gSOAP's rate.
const BAR: f64 = 3.0;

/// The servers that take turns: the agent, gSOAP's server, and the one that only sends.
const WHO: usize = 3;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    if !options.gsoap.exists() {
        let path = options.gsoap.display();
        report.note(format!("Left out: {path} is not there; `cargo xtask setup --peers` builds it."));
        return Ok(());
    }
    let stage = place::stage(options, ROWS, &[Role::Shipped], report)?;
    let ours = place::http(&stage, Role::Shipped)?;
    for encoding in [Encoding::Typed, Encoding::AsInPaper, Encoding::Lean] {
        let name = format!("whole tables of {} interfaces, {}", stage.interfaces, encoding.name());
        of_encoding(options, report, ours, encoding, &name)?;
    }
    Ok(())
}

fn of_encoding(
    options: &Options,
    report: &mut Report,
    ours: SocketAddr,
    encoding: Encoding,
    name: &str,
) -> Measured {
    let request = place::whole_table(encoding, None)?;
    let answer = Connection::open(ours)?.ask(&request)?;
    if !answer.is_ok() {
        return Err(format!("no answer: {}", String::from_utf8_lossy(&answer.octets)).into());
    }
    let gsoap = Gsoap::start(options, answer.body())?;
    let floor = Floor::start(request.len(), answer.octets)?;
    // What both understand, gSOAP in the form that it was made for.
    let theirs = place::whole_table(Encoding::AsInPaper, None)?;
    let asked = [(ours, &request), (gsoap.address, &theirs), (floor.address, &request)];
    let mut rates: [Vec<f64>; WHO] = Default::default();
    let mut octets = [0; WHO];
    for round in 0..=options.rounds {
        let seconds = if round == 0 { 0.2 } else { options.seconds };
        for turn in 0..WHO {
            let who = (turn + round as usize) % WHO;
            let (address, request) = asked[who];
            let seen = load(address, request, CONNECTIONS, seconds)?;
            octets[who] = seen.octets;
            if round > 0 {
                rates[who].push(seen.rate);
            }
        }
        progress(name, round, options.rounds);
    }
    let ratio = |of: usize, to: usize| {
        let ratios: Vec<f64> = rates[of].iter().zip(&rates[to]).map(|(of, to)| of / to).collect();
        median(&ratios)
    };
    let title = format!("{name}: requests a second, times gSOAP's with a constant answer");
    report.keep(&title, json!({ "ours": rates[0], "gSOAP": rates[1], "only sends": rates[2] }));
    let [ours, theirs, floor] = [0, 1, 2].map(|who| median(&rates[who]) / 1000.0);
    report.note(format!(
        "{name}: {ours:.1} thousand a second ({} octets), gSOAP {theirs:.1} ({} octets), a server that only sends \
         {floor:.1}: that one is {:.2} times gSOAP, ours {:.2} of it; {CONNECTIONS} connections",
        octets[0],
        octets[1],
        ratio(2, 1),
        ratio(0, 2),
    ));
    if encoding == Encoding::Typed {
        report.add(title, "", Bar::AtLeast(BAR), ratio(0, 1));
    } else {
        report.note(format!("{title}: {:.2}", ratio(0, 1)));
    }
    Ok(())
}

/// The server; it ends when this is dropped.
struct Gsoap {
    child: Child,
    address: SocketAddr,
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
        let server = Gsoap { child, address, _answer: answer };
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
