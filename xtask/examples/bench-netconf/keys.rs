//! One entry among many rows, by its key: what that takes of the agent's processor beyond a request for a scalar.

use serde_json::json;
use trunkline_lab::estimate::Estimate;

use crate::report::{Bar, Report, median};
use crate::servers::{Server, USER};
use crate::small::timed;
use crate::{Measured, Options, place};

const STEADY: &str = "[freshness]\ndefault = \"1h\"\n";

const SCALAR: &str = "<get><filter type=\"subtree\"><IF-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\"><interfaces/>\
    </IF-MIB></filter></get>";

/// Requests of a round.
const REQUESTS: usize = 1000;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    place::fill_with_bridges(options.interfaces)?;
    let agent = Server::ours(options, STEADY)?;
    let mut session = agent.over_ssh(USER)?;
    session.ask(SCALAR)?;
    let name = format!("c{}", options.interfaces / 2);
    let index = std::fs::read_to_string(format!("/sys/class/net/{name}/ifindex"))?;
    let mib = "urn:ietf:params:xml:ns:yang:smiv2:IF-MIB";
    let ietf = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
    let index = index.trim();
    let requests = [
        (
            "ifEntry by ifIndex, subtree",
            subtree(&format!(
                "<IF-MIB xmlns=\"{mib}\"><ifTable><ifEntry><ifIndex>{index}</ifIndex><ifDescr/></ifEntry></ifTable></IF-MIB>"
            )),
        ),
        (
            "ifEntry by ifIndex, XPath",
            format!(
                "<get><filter type=\"xpath\" xmlns:i=\"{mib}\" \
             select=\"/i:IF-MIB/i:ifTable/i:ifEntry[i:ifIndex={index}]/i:ifDescr\"/></get>"
            ),
        ),
        (
            "interface by name, subtree",
            subtree(&format!(
                "<interfaces xmlns=\"{ietf}\"><interface><name>{name}</name><oper-status/></interface></interfaces>"
            )),
        ),
        (
            "interface by name, XPath",
            format!(
                "<get><filter type=\"xpath\" xmlns:i=\"{ietf}\" \
             select=\"/i:interfaces/i:interface[i:name='{name}']/i:oper-status\"/></get>"
            ),
        ),
    ];
    for (what, request) in &requests {
        let reply = session.ask(request)?;
        if !reply.contains("ifDescr>") && !reply.contains("oper-status>") {
            return Err(format!("{what}: {reply}").into());
        }
        let title =
            format!("us of the agent's CPU for {what}, among {} rows, beyond a scalar's", options.interfaces);
        let mut more = Vec::new();
        for round in 1..=options.rounds {
            let mut cpu = |request: &str| {
                let (_, ns) = timed(&agent, || session.load(request, REQUESTS, 1))?;
                Ok::<f64, crate::Failure>(ns / 1000.0 / REQUESTS as f64)
            };
            more.push(cpu(request)? - cpu(SCALAR)?);
            report.progress(&title, round, options.rounds);
        }
        report.add(&title, Bar::AtMost(20.0), &Estimate::median(&more).ok_or("no rounds")?);
        report.note(format!("{what}: {:.1} us", median(&more)));
        report.keep(&title, json!(more));
    }
    Ok(())
}

pub fn subtree(filter: &str) -> String {
    format!("<get><filter type=\"subtree\">{filter}</filter></get>")
}
