//! Transactions that add an entry each: an address of an interface with our agent, which the kernel then has, an interface with
//! netconfd, which keeps it as data.

use std::time::Instant;

use serde_json::json;

use crate::report::{Bar, Report};
use crate::servers::{Server, USER};
use crate::session::Session;
use crate::small::NETCONFD_SETTINGS;
use crate::{Failure, Measured, Options};

const IETF: &str = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
const TYPE: &str = "<type xmlns:t=\"urn:ietf:params:xml:ns:yang:iana-if-type\">t:softwareLoopback</type>";

/// Parts of the run whose times are compared.
const PARTS: u32 = 10;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    let agent = Server::ours(options, "")?;
    let mut ours = agent.over_ssh(USER)?;
    let parts = in_parts(&mut ours, options.transactions, address, "transactions with our agent", report)?;
    let all: f64 = parts.iter().sum();
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    let name = format!("the last tenth of {} transactions, times the first", options.transactions);
    // One run: a second one would begin with what the first one has left.
    report.count(name, "", Bar::AtMost(2.0), last / first);
    report.note(format!(
        "{} transactions with our agent: {all:.1} s, {:.0} us each in the first tenth and {:.0} us in the last; each is in the kernel \
         and on the disk when it is answered",
        options.transactions,
        first * 1e6 / f64::from(options.transactions / PARTS),
        last * 1e6 / f64::from(options.transactions / PARTS),
    ));
    report.keep("seconds of each tenth with our agent", json!(parts));
    let Some(netconfd) = Server::netconfd()? else {
        report.note("netconfd is not installed: its comparison is left out (`apt-get install netconfd`)");
        return Ok(());
    };
    report.note(NETCONFD_SETTINGS);
    let fewer = options.transactions / 10;
    let mut its = netconfd.on_its_pipes()?;
    let of_netconfd = in_parts(&mut its, fewer, interface, "transactions with netconfd", report)?;
    let seconds: f64 = of_netconfd.iter().sum();
    // The same number with ours, from an agent that has nothing yet.
    drop(ours);
    drop(agent);
    let agent = Server::ours(options, "")?;
    let mut ours = agent.on_our_pipes(options)?;
    let of_ours: f64 = in_parts(&mut ours, fewer, address, "as many with our agent", report)?.iter().sum();
    report.count(
        format!("{fewer} transactions, times netconfd's time"),
        "",
        Bar::AtMost(0.05),
        of_ours / seconds,
    );
    report.note(format!("{fewer} transactions: {of_ours:.2} s with our agent, {seconds:.2} s with netconfd"));
    report.keep("seconds of each tenth with netconfd", json!(of_netconfd));
    Ok(())
}

/// The seconds of each tenth of so many transactions.
fn in_parts(
    session: &mut Session,
    count: u32,
    entry: fn(u32) -> String,
    name: &str,
    report: &mut Report,
) -> Result<Vec<f64>, Failure> {
    let mut parts = Vec::new();
    for part in 0..PARTS {
        let begin = Instant::now();
        for n in part * count / PARTS..(part + 1) * count / PARTS {
            let reply = session.ask(&edit(&entry(n)))?;
            if !reply.contains("ok/>") {
                return Err(format!("{name}: {reply}").into());
            }
        }
        parts.push(begin.elapsed().as_secs_f64());
        report.progress(name, part + 1, PARTS);
    }
    Ok(parts)
}

fn edit(interface: &str) -> String {
    format!(
        "<edit-config><target><running/></target><config><interfaces xmlns=\"{IETF}\">{interface}</interfaces></config>\
         </edit-config>"
    )
}

/// An address of the loopback.
fn address(n: u32) -> String {
    format!(
        "<interface><name>lo</name>{TYPE}<ipv4 xmlns=\"urn:ietf:params:xml:ns:yang:ietf-ip\"><address><ip>10.9.{}.{}</ip>\
         <prefix-length>32</prefix-length></address></ipv4></interface>",
        n >> 8,
        n & 255
    )
}

/// An interface.
fn interface(n: u32) -> String {
    format!("<interface><name>lo{n}</name>{TYPE}</interface>")
}
