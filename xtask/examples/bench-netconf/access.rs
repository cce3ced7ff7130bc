//! What access control takes of a request: a policy of many parts compared with one that allows everything.

use std::fmt::Write;

use serde_json::json;

use crate::report::{Bar, Report, median, ratio};
use crate::servers::{Server, USER};
use crate::small::timed;
use crate::{Measured, Options, place};

/// The whole ifTable, whose columns a policy of many parts names one by one.
const TABLE: &str = "<get><filter type=\"subtree\"><IF-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\"><ifTable/></IF-MIB>\
    </filter></get>";

/// Requests of a round.
const REQUESTS: usize = 500;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    place::fill_with_bridges(84)?;
    let of_table = (1..=22).map(|column| format!("\"1.3.6.1.2.1.2.2.1.{column}\""));
    // The list has those of ifXTable too.
    let columns: Vec<String> =
        of_table.chain((1..=19).map(|column| format!("\"1.3.6.1.2.1.31.1.1.1.{column}\""))).collect();
    let others: Vec<String> = (1..=459).map(|other| format!("\"1.3.6.1.4.1.{other}\"")).collect();
    let mut more = String::from("[freshness]\ndefault = \"1h\"\n");
    // Writing to a string does not fail.
    let _ = write!(
        more,
        "[[role]]\nname = \"many\"\nread = [{}, {}]\n[[snmp.principal]]\nname = \"ann\"\nrole = \"many\"\npassword-hash = HASH\n",
        columns.join(", "),
        others.join(", ")
    );
    let agent = Server::ours(options, &more)?;
    let (mut all, mut many) = (agent.over_ssh(USER)?, agent.over_ssh("ann")?);
    let replies = [many.ask(TABLE)?, all.ask(TABLE)?];
    if replies[0] != replies[1] || !replies[0].contains("<ifDescr>lo<") {
        return Err(format!("not the same data: {} and {} octets", replies[0].len(), replies[1].len()).into());
    }
    let name = "CPU of a get of ifTable under 500 subtrees, times that under one";
    let mut cpu = [vec![], vec![]];
    for round in 1..=options.rounds {
        let first = round as usize % 2;
        for which in [first, 1 - first] {
            let session = if which == 0 { &mut many } else { &mut all };
            let (_, ns) = timed(&agent, || session.load(TABLE, REQUESTS, 1))?;
            cpu[which].push(ns / 1000.0 / REQUESTS as f64);
        }
        report.progress(name, round, options.rounds);
    }
    report.add(name, Bar::AtMost(1.02), &ratio(&cpu[0], &cpu[1]));
    report.note(format!("{name}: {:.1} us compared with {:.1} us", median(&cpu[0]), median(&cpu[1])));
    report.keep(name, json!(cpu));
    Ok(())
}
