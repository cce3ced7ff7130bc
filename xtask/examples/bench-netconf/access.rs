//! What access control takes of a request: policies of many parts compared with one that allows everything.

use std::fmt::Write;

use serde_json::json;

use crate::report::{Bar, Report, median, ratio};
use crate::servers::{Server, USER};
use crate::small::timed;
use crate::{Measured, Options, place};

/// The whole ifTable, whose columns a policy of many parts names one by one.
const TABLE: &str = "<get><filter type=\"subtree\"><IF-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\"><ifTable/></IF-MIB>\
    </filter></get>";
/// A configuration of many leaves.
const CONFIGURATION: &str = "<get-config><source><running/></source><filter type=\"subtree\">\
    <bgp xmlns=\"urn:trunkline:yang:bgp\"/></filter></get-config>";

/// Requests of a round.
const REQUESTS: usize = 500;
/// Permissions of each policy.
const PERMISSIONS: usize = 500;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    place::fill_with_bridges(84)?;
    let mut more = String::from(
        "[freshness]\ndefault = \"1h\"\n[[netconf.hook]]\nsubtree = \"/trunkline-bgp:bgp\"\ncommand = [\"/bin/true\"]\n",
    );
    for (user, rules) in [("ann", subtrees()), ("bea", paths()?)] {
        // Writing to a string does not fail.
        let _ = write!(
            more,
            "[[role]]\nname = {user:?}\nread = {rules:?}\n\
             [[snmp.principal]]\nname = {user:?}\nrole = {user:?}\npassword-hash = HASH\n"
        );
    }
    let agent = Server::ours(options, &more)?;
    let mut all = agent.over_ssh(USER)?;
    all.ask(&format!("<edit-config><target><running/></target><config>{}</config></edit-config>", router()))?;
    let mut users = [agent.over_ssh("ann")?, agent.over_ssh("bea")?];
    for (request, shows) in [(TABLE, "<ifDescr>lo<"), (CONFIGURATION, "<peer-as>")] {
        let whole = all.ask(request)?;
        for user in &mut users {
            let reply = user.ask(request)?;
            if reply != whole || !reply.contains(shows) {
                return Err(format!("not the same data: {} and {} octets", reply.len(), whole.len()).into());
            }
        }
    }
    for (which, permissions) in ["subtrees", "paths"].into_iter().enumerate() {
        for (what, request) in [("a get of ifTable", TABLE), ("a get-config of BGP", CONFIGURATION)] {
            let name = format!("CPU of {what} under {PERMISSIONS} {permissions}, times that under one");
            let mut cpu = [vec![], vec![]];
            for round in 1..=options.rounds {
                let first = round as usize % 2;
                for turn in [first, 1 - first] {
                    let session = if turn == 0 { &mut users[which] } else { &mut all };
                    let (_, ns) = timed(&agent, || session.load(request, REQUESTS, 1))?;
                    cpu[turn].push(ns / 1000.0 / REQUESTS as f64);
                }
                report.progress(&name, round, options.rounds);
            }
            report.add(&name, Bar::AtMost(1.02), &ratio(&cpu[0], &cpu[1]));
            report.note(format!("{name}: {:.1} us compared with {:.1} us", median(&cpu[0]), median(&cpu[1])));
            report.keep(&name, json!(cpu));
        }
    }
    Ok(())
}

/// All columns of the list, those of BGP's configuration, and others.
fn subtrees() -> Vec<String> {
    let of_table = (1..=22).map(|column| format!("1.3.6.1.2.1.2.2.1.{column}"));
    // The list has those of ifXTable too.
    let more = (1..=19).map(|column| format!("1.3.6.1.2.1.31.1.1.1.{column}"));
    let bgp = ["2", "3.1.3", "4", "6.1.3", "6.1.8"].map(|object| format!("1.3.6.1.2.1.15.{object}"));
    let others = (1..).map(|other| format!("1.3.6.1.4.1.{other}"));
    of_table.chain(more).chain(bgp).chain(others).take(PERMISSIONS).collect()
}

/// The list, BGP's configuration, and leaves of single rows.
fn paths() -> Result<Vec<String>, crate::Failure> {
    let mut rules = vec!["/IF-MIB:IF-MIB/ifTable".to_owned(), "/trunkline-bgp:bgp".to_owned()];
    let columns = ["ifDescr", "ifMtu", "ifSpeed", "ifInOctets", "ifOutOctets", "ifName"];
    'all: for entry in std::fs::read_dir("/sys/class/net")? {
        let index = std::fs::read_to_string(entry?.path().join("ifindex"))?;
        for column in columns {
            rules.push(format!("/IF-MIB:IF-MIB/ifTable/ifEntry[ifIndex='{}']/{column}", index.trim()));
            if rules.len() == PERMISSIONS {
                break 'all;
            }
        }
    }
    Ok(rules)
}

/// A router's configuration, of about 40 KB.
fn router() -> String {
    let mut text =
        String::from("<bgp xmlns=\"urn:trunkline:yang:bgp\"><global><as>65001</as></global><neighbors>");
    for at in 1..=140 {
        let _ = write!(
            text,
            "<neighbor><remote-address>192.0.2.{at}</remote-address><peer-as>{}</peer-as><description>customer {at}</description>\
             <timers><hold-time>180</hold-time><keepalive>60</keepalive></timers><apply-policy><import-policy>policy</import-policy>\
             <export-policy>policy</export-policy></apply-policy></neighbor>",
            65536 + at
        );
    }
    text + "</neighbors><policies><policy><name>policy</name><statement><name>all</name><actions><policy-result>accept-route</policy-result></actions></statement></policy></policies></bgp>"
}
