//! Whole tables over kept-alive HTTP, beside a server made with gSOAP whose answer of the same size costs nothing to
//! find: it only reads the request and sends.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use trunkline_lab::stage::Role;
use trunkline_soap::encoding::Encoding;

use crate::load::{Connection, load};
use crate::report::{Bar, Report, median, progress};
use crate::{Measured, Options, place};

/// 15 rows of 18 objects are 270.
const ROWS: u32 = 15;
const CONNECTIONS: usize = 8;
/// Times gSOAP's rate.
const BAR: f64 = 3.0;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    if !options.gsoap.exists() {
        let path = options.gsoap.display();
        report.note(format!("Left out: {path} is not there; `cargo xtask setup --peers` builds it."));
        return Ok(());
    }
    let stage = place::stage(options, ROWS, &[Role::Shipped], report)?;
    let ours = place::http(&stage, Role::Shipped)?;
    for encoding in [Encoding::Typed, Encoding::AsInPaper, Encoding::Lean] {
        let request = place::whole_table(encoding, None)?;
        let answer = Connection::open(ours)?.ask(&request)?;
        if !answer.is_ok() {
            return Err(format!("no answer: {}", String::from_utf8_lossy(&answer.octets)).into());
        }
        let gsoap = Gsoap::start(options, answer.body())?;
        // What both understand, gSOAP in the form that it was made for.
        let theirs = place::whole_table(Encoding::AsInPaper, None)?;
        let mut rates: [Vec<f64>; 2] = Default::default();
        let mut octets = [0; 2];
        let name = format!("whole tables of {} interfaces, {}", stage.interfaces, encoding.name());
        for round in 0..=options.rounds {
            let seconds = if round == 0 { 0.2 } else { options.seconds };
            for turn in 0..2 {
                let who = (turn + round as usize) % 2;
                let (address, request) = if who == 0 { (ours, &request) } else { (gsoap.address, &theirs) };
                let seen = load(address, request, CONNECTIONS, seconds)?;
                octets[who] = seen.octets;
                if round > 0 {
                    rates[who].push(seen.rate);
                }
            }
            progress(&name, round, options.rounds);
        }
        let ratios: Vec<f64> = rates[0].iter().zip(&rates[1]).map(|(ours, theirs)| ours / theirs).collect();
        let title = format!("{name}: requests a second, times gSOAP's with a constant answer");
        report.keep(&title, json!({ "ours": rates[0], "gSOAP": rates[1], "ratios": ratios }));
        report.note(format!(
            "{name}: {:.1} thousand a second ({} octets), gSOAP {:.1} ({} octets); {CONNECTIONS} connections",
            median(&rates[0]) / 1000.0,
            octets[0],
            median(&rates[1]) / 1000.0,
            octets[1]
        ));
        if encoding == Encoding::Typed {
            report.add(title, "", Bar::AtLeast(BAR), median(&ratios));
        } else {
            report.note(format!("{title}: {:.2}", median(&ratios)));
        }
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
        // It may have ended by itself; either way it is gone after this.
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
