//! Small requests: one leaf, over SSH compared with the same octets from a subsystem that only echoes, and on the pipes of
//! a subsystem compared with netconfd's.

use serde_json::json;

use crate::report::{Bar, Report, median, ratio};
use crate::servers::{Server, USER};
use crate::session::Session;
use crate::{Failure, Measured, Options};

/// One leaf of one interface, by its key.
const LEAF: &str = "<get><filter type=\"subtree\"><IF-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\"><ifTable>\
    <ifEntry><ifIndex>1</ifIndex><ifDescr/></ifEntry></ifTable></IF-MIB></filter></get>";

/// One leaf that both servers have.
const COUNTER: &str = "<get><filter type=\"subtree\"><netconf-state \
    xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\"><statistics><in-bad-hellos/></statistics></netconf-state>\
    </filter></get>";

/// Requests of a round.
const REQUESTS: usize = 10_000;
/// Of these so many are under way.
const WINDOW: usize = 8;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    let agent = Server::ours(options, "")?;
    let mut ours = agent.over_ssh(USER)?;
    let reply = ours.ask(LEAF)?;
    if !reply.contains("<ifDescr>lo</ifDescr>") {
        return Err(format!("no leaf: {reply}").into());
    }
    let echo = Server::echo(reply.len() + 6)?;
    let mut echoed = echo.over_ssh(USER)?;
    for (window, bar) in [(1, 0.7), (WINDOW, PIPELINED)] {
        let name = format!("get of a leaf over SSH, {window} under way, times an echo");
        let mut turns = Turns::new([(&agent, &mut ours, LEAF), (&echo, &mut echoed, LEAF)], window);
        turns.take(&name, Bar::AtLeast(bar), options.rounds, report)?;
    }
    let Some(netconfd) = Server::netconfd()? else {
        report.note("netconfd is not installed: its comparison is left out (`apt-get install netconfd`)");
        return Ok(());
    };
    report.note(NETCONFD_SETTINGS);
    let (mut ours, mut its) = (agent.on_our_pipes(options)?, netconfd.on_its_pipes()?);
    for session in [&mut ours, &mut its] {
        let reply = session.ask(COUNTER)?;
        if !reply.contains("in-bad-hellos>") {
            return Err(format!("no counter: {reply}").into());
        }
    }
    for window in [1, WINDOW] {
        let name = format!("get of a leaf on pipes, {window} under way, times netconfd");
        let mut turns = Turns::new([(&agent, &mut ours, COUNTER), (&netconfd, &mut its, COUNTER)], window);
        turns.take(&name, Bar::AtLeast(2.0), options.rounds, report)?;
    }
    Ok(())
}

/// Where requests come together, an echo is a few instructions each, and the packets of SSH cost neither side much.
const PIPELINED: f64 = 0.3;

/// What makes netconfd fastest, for the reader.
pub const NETCONFD_SETTINGS: &str = "netconfd (yuma123) runs without access control, startup file or lines for messages, on the pipes \
    of its own subsystem; changes go to running at once.";

/// Two servers with a session each, in turns.
pub struct Turns<'s> {
    sides: [(&'s Server, &'s mut Session, &'s str); 2],
    window: usize,
}

impl<'s> Turns<'s> {
    pub fn new(sides: [(&'s Server, &'s mut Session, &'s str); 2], window: usize) -> Self {
        Self { sides, window }
    }

    /// The rate of the first as a multiple of the second's.
    pub fn take(&mut self, name: &str, bar: Bar, rounds: u32, report: &mut Report) -> Measured {
        let mut rates = [vec![], vec![]];
        let mut cpu = [vec![], vec![]];
        for round in 1..=rounds {
            let first = round as usize % 2;
            for which in [first, 1 - first] {
                let (server, session, request) = &mut self.sides[which];
                let (seconds, ns) = timed(server, || session.load(request, REQUESTS, self.window))?;
                rates[which].push(REQUESTS as f64 / seconds);
                cpu[which].push(ns / 1000.0 / REQUESTS as f64);
            }
            report.progress(name, round, rounds);
        }
        report.add(name, bar, &ratio(&rates[0], &rates[1]));
        let words = [0, 1].map(|which| {
            let (rate, cpu) = (median(&rates[which]), median(&cpu[which]));
            format!("{rate:.0} a second at {cpu:.1} us of the server's CPU")
        });
        report.note(format!("{name}: {} compared with {}", words[0], words[1]));
        report.keep(name, json!({ "rates": rates, "cpu_us": cpu }));
        Ok(())
    }
}

/// What a load gives, and the server's processor time meanwhile, nanoseconds.
pub fn timed<T>(server: &Server, load: impl FnOnce() -> Result<T, Failure>) -> Result<(T, f64), Failure> {
    let before = server.cpu_ns()?;
    let given = load()?;
    Ok((given, (server.cpu_ns()? - before) as f64))
}
