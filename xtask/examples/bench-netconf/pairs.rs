//! The twelve pairs of requests that a comparison of subtree filters and XPath needs (deliverable D7.1 of EMANICS, section
//! 3.4, whose own requests are lost): each pair selects the same. Two criteria exist in XPath alone; their subtree requests fetch
//! what the manager would filter.

use serde_json::json;

use crate::keys::subtree;
use crate::report::{Bar, Report, median, ratio};
use crate::servers::{Server, USER};
use crate::small::timed;
use crate::{Measured, Options, place};

const STEADY: &str = "[freshness]\ndefault = \"1h\"\n";
const MIB: &str = "urn:ietf:params:xml:ns:yang:smiv2:IF-MIB";
const ROUTES: &str = "urn:ietf:params:xml:ns:yang:smiv2:IP-FORWARD-MIB";
const IETF: &str = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
const IP: &str = "urn:ietf:params:xml:ns:yang:ietf-ip";

/// Requests of a round.
const REQUESTS: usize = 200;

/// A pair, and whether both select the same.
struct Pair {
    what: &'static str,
    subtree: String,
    xpath: String,
    is_same: bool,
}

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    place::fill_with_bridges(84)?;
    let routes: String = (0..100)
        .map(|n| format!("route add blackhole 10.0.{n}.0/24\nroute add 10.1.{n}.0/24 dev lo\n"))
        .collect();
    place::batch(&routes)?;
    let agent = Server::ours(options, STEADY)?;
    let mut session = agent.over_ssh(USER)?;
    for (at, pair) in pairs().iter().enumerate() {
        let replies = [session.ask(&pair.subtree)?, session.ask(&pair.xpath)?];
        if pair.is_same && replies[0] != replies[1] {
            return Err(format!("pair {}: {} and {}", at + 1, replies[0], replies[1]).into());
        }
        let name = format!("pair {}, {}: XPath, times subtree", at + 1, pair.what);
        let mut cpu = [vec![], vec![]];
        for round in 1..=options.rounds {
            let first = round as usize % 2;
            for which in [first, 1 - first] {
                let request = if which == 0 { &pair.xpath } else { &pair.subtree };
                let (_, ns) = timed(&agent, || session.load(request, REQUESTS, 1))?;
                cpu[which].push(ns / 1000.0 / REQUESTS as f64);
            }
            report.progress(&name, round, options.rounds);
        }
        report.add(&name, Bar::AtMost(1.5), &ratio(&cpu[0], &cpu[1]));
        report.note(format!(
            "{name}: {:.1} us of the agent's CPU compared with {:.1} us; requests of {} and {} octets, replies of {} and {}",
            median(&cpu[0]),
            median(&cpu[1]),
            pair.xpath.len(),
            pair.subtree.len(),
            replies[1].len(),
            replies[0].len()
        ));
        report.keep(&name, json!(cpu));
    }
    Ok(())
}

fn xpath(select: &str) -> String {
    format!(
        "<get><filter type=\"xpath\" xmlns:i=\"{MIB}\" xmlns:r=\"{ROUTES}\" xmlns:if=\"{IETF}\" xmlns:ip=\"{IP}\" \
         select=\"{select}\"/></get>"
    )
}

fn entries(content: &str) -> String {
    subtree(&format!("<IF-MIB xmlns=\"{MIB}\"><ifTable><ifEntry>{content}</ifEntry></ifTable></IF-MIB>"))
}

fn pairs() -> Vec<Pair> {
    let pair =
        |what, subtree: String, select: &str| Pair { what, subtree, xpath: xpath(select), is_same: true };
    let apart = |what, subtree: String, select: &str| Pair { is_same: false, ..pair(what, subtree, select) };
    let route = |content: &str| {
        format!(
            "<IP-FORWARD-MIB xmlns=\"{ROUTES}\"><inetCidrRouteTable>{content}</inetCidrRouteTable></IP-FORWARD-MIB>"
        )
    };
    vec![
        pair(
            "a leaf",
            entries("<ifIndex>1</ifIndex><ifDescr/>"),
            "/i:IF-MIB/i:ifTable/i:ifEntry[i:ifIndex=1]/i:ifDescr",
        ),
        pair(
            "an interface by name",
            entries("<ifName>c7</ifName>"),
            "/i:IF-MIB/i:ifTable/i:ifEntry[i:ifName='c7']",
        ),
        pair("all names", entries("<ifName/>"), "/i:IF-MIB/i:ifTable/i:ifEntry/i:ifName"),
        pair(
            "an absent name",
            entries("<ifName>none</ifName>"),
            "/i:IF-MIB/i:ifTable/i:ifEntry[i:ifName='none']",
        ),
        pair(
            "two leaves of each",
            entries("<ifDescr/><ifOperStatus/>"),
            "/i:IF-MIB/i:ifTable/i:ifEntry/i:ifDescr | /i:IF-MIB/i:ifTable/i:ifEntry/i:ifOperStatus",
        ),
        pair(
            "interfaces and routes",
            subtree(&format!("<IF-MIB xmlns=\"{MIB}\"><ifTable/></IF-MIB>{}", route(""))),
            "/i:IF-MIB/i:ifTable | /r:IP-FORWARD-MIB/r:inetCidrRouteTable",
        ),
        pair("a whole module", subtree(&format!("<IF-MIB xmlns=\"{MIB}\"/>")), "/i:IF-MIB"),
        pair(
            "routes by two values",
            subtree(&route(
                "<inetCidrRouteEntry><inetCidrRouteIfIndex>1</inetCidrRouteIfIndex><inetCidrRouteProto>netmgmt\
                 </inetCidrRouteProto></inetCidrRouteEntry>",
            )),
            "/r:IP-FORWARD-MIB/r:inetCidrRouteTable/r:inetCidrRouteEntry[r:inetCidrRouteIfIndex=1 and \
             r:inetCidrRouteProto='netmgmt']",
        ),
        pair(
            "an attribute",
            subtree(&format!("<IF-MIB xmlns=\"{MIB}\"><ifTable><ifEntry n=\"1\"/></ifTable></IF-MIB>")),
            "/i:IF-MIB/i:ifTable/i:ifEntry[@n='1']",
        ),
        pair(
            "two levels down",
            subtree(&format!(
                "<interfaces xmlns=\"{IETF}\"><interface><ipv4 xmlns=\"{IP}\"><address><ip>127.0.0.1</ip></address></ipv4>\
                 </interface></interfaces>"
            )),
            "/if:interfaces/if:interface/ip:ipv4/ip:address[ip:ip='127.0.0.1']",
        ),
        apart(
            "text within",
            entries("<ifDescr/>"),
            "/i:IF-MIB/i:ifTable/i:ifEntry/i:ifDescr[contains(., 'c1')]",
        ),
        apart(
            "by position",
            entries("<ifDescr/>"),
            "/i:IF-MIB/i:ifTable/i:ifEntry[position() &lt; 3]/i:ifDescr",
        ),
    ]
}
