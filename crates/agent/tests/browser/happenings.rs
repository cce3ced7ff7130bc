//! What devices tell, in the page: traps that `serve` and groups receive, and events of NETCONF and RESTCONF.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use super::raw::{Browser, origin, send, with_page};
use crate::support::{Agent, BOTH};

/// The stream of a path, behind its first comment.
fn open(browser: &Browser<'_>, path: &str) -> BufReader<TcpStream> {
    let fields = [("Cookie", browser.cookie.as_str()), ("Accept", "text/event-stream")];
    let mut lines = BufReader::new(send(browser.agent, &format!("GET {path}"), &fields, ""));
    until(&mut lines, ": events of devices").expect("a stream");
    lines
}

/// The first line that has this.
fn until(lines: &mut BufReader<TcpStream>, word: &str) -> Option<String> {
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        if line.contains(word) {
            return Some(line);
        }
    }
}

#[test]
fn traps_of_devices_come_to_serve() {
    let quiet = Agent::start(BOTH);
    let (served, password) =
        Agent::serve(&[&format!("snmp://public@{}", quiet.udp()), "--traps", "udp://127.0.0.1:0"]);
    let line = served.wait_for("listening for traps of devices");
    let place = line.split("place=").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let admin = Browser::log_in_with(&served, "admin", &password);
    let name = quiet.udp().to_string().replace(':', "-");
    let mut all = open(&admin, "/browser/happenings");
    let mut of_it = open(&admin, &format!("/devices/{name}/browser/happenings"));
    // It starts, and says so.
    let target =
        format!("[[snmp.target]]\nname = \"noc\"\naddress = \"{place}\"\ncommunity = \"anything\"\n");
    let loud = Agent::start(&format!("{target}{BOTH}"));
    for stream in [&mut all, &mut of_it] {
        let event = until(stream, "coldStart").expect("an event");
        assert!(event.contains(&format!("\"device\":\"{name}\"")), "{event}");
    }
    drop(loud);
    // What was missed is replayed.
    let mut again = open(&admin, "/browser/happenings?from=0");
    until(&mut again, "coldStart").expect("an event");
    // A device of another name hears nothing of it, and one that is not there is nobody's.
    let answer = admin.ask("GET /devices/none/browser/happenings", &[], "");
    assert_eq!(answer.status, 403);
}

#[test]
fn events_of_netconf_come_while_somebody_watches() {
    let device = Agent::start(&with_page(""));
    let restconf = format!("restconf+http://max:maple%20syrup@{}", device.address("http"));
    let (served, password) = Agent::serve(&[&restconf]);
    let admin = Browser::log_in_with(&served, "admin", &password);
    let name = device.address("http").to_string().replace(':', "-");
    let mut stream = open(&admin, &format!("/devices/{name}/browser/happenings"));
    let max = Browser::log_in(&device, "max");
    // The subscription begins when it is looked at: until then nothing comes, and changes go on.
    let watching = std::thread::spawn(move || until(&mut stream, "netconf-config-change"));
    let mut number = 0;
    while !watching.is_finished() {
        number += 1;
        let body = format!("{{\"ietf-system:contact\":\"{number}\"}}");
        assert!(max.own("PUT /restconf/data/ietf-system:system/contact", &body).status < 300);
    }
    let event = watching.join().unwrap();
    let event = event.expect("an event");
    assert!(event.contains(&format!("\"device\":\"{name}\"")) && event.contains("max"), "{event}");
}

#[test]
fn members_of_groups_are_heard_by_those_who_may() {
    let hash = trunkline_transport::ssh::PasswordHash::make(&crate::restconf::client::PASSWORD.into());
    let hash = hash.unwrap().to_phc();
    let silent = Agent::start(BOTH);
    let manager = Agent::start(&with_page(&format!(
        "[groups]\n listen = [\"udp://127.0.0.1:0\"]\ncommunity = [\"traps\"]\n\
         [[role]]\nname = \"ears\"\nread = [\"1\"]\n[[role.access]]\ncontext = \"lan/*\"\nread = [\"1\"]\nnotify = [\"1\"]\n\
         [[role]]\nname = \"eyes\"\nread = [\"1\"]\n[[role.access]]\ncontext = \"lan/*\"\nread = [\"1\"]\n\
         [[group]]\nname = \"lan\"\ninterval = \"1h\"\nobjects = [\"sysName\"]\n\
         [[group.member]]\nname = \"sw1\"\naddress = \"udp://{}\"\ncommunity = \"public\"\n\
         [[snmp.principal]]\nname = \"noc\"\nrole = \"ears\"\npassword-hash = \"{hash}\"\n\
         [[snmp.principal]]\nname = \"deaf\"\nrole = \"eyes\"\npassword-hash = \"{hash}\"\n",
        silent.udp()
    )));
    let line = manager.wait_for("listening for notifications of members");
    let place = line.split("place=").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let (noc, deaf) = (Browser::log_in(&manager, "noc"), Browser::log_in(&manager, "deaf"));
    let mut heard = open(&noc, "/devices/lan.sw1/browser/happenings");
    let mut unheard = open(&deaf, "/devices/lan.sw1/browser/happenings");
    let target = format!("[[snmp.target]]\nname = \"noc\"\naddress = \"{place}\"\ncommunity = \"traps\"\n");
    let _loud = Agent::start(&format!("{target}{BOTH}"));
    let event = until(&mut heard, "coldStart").expect("an event");
    assert!(event.contains("\"device\":\"lan.sw1\""), "{event}");
    // The stream of the other ends after the logout, with the next event, and has had none.
    assert_eq!(deaf.ask("POST /browser/logout", &[("Origin", &origin(&manager))], "").status, 303);
    let _again = Agent::start(&format!("{target}{BOTH}"));
    assert_eq!(until(&mut unheard, "coldStart"), None);
}

#[test]
fn events_of_soap_come_while_somebody_watches() {
    let http = "[http]\nlisten = [\"http://127.0.0.1:0\"]\ndoors = [\"soap\"]\n";
    let device = Agent::start(&format!("{BOTH}{http}"));
    let soap = format!("soap+http://public@{}", device.address("http"));
    let (served, password) = Agent::serve(&[&soap]);
    let admin = Browser::log_in_with(&served, "admin", &password);
    let name = device.address("http").to_string().replace(':', "-");
    let mut stream = open(&admin, &format!("/devices/{name}/browser/happenings"));
    // The subscription begins when it is looked at: until then nothing comes, and reloads go on.
    let watching = std::thread::spawn(move || until(&mut stream, "warmStart"));
    while !watching.is_finished() {
        device.signal("HUP");
        device.wait_for("configuration reloaded");
    }
    let event = watching.join().unwrap().expect("an event");
    assert!(event.contains(&format!("\"device\":\"{name}\"")), "{event}");
    // The view of all devices hears it too, since this one is known to offer subscriptions.
    let mut all = open(&admin, "/browser/happenings?from=0");
    until(&mut all, "warmStart").expect("an event");
}
