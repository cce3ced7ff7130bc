//! Attributes that get other values: configured over any protocol, and with a link. Who may not read them hears nothing.

use std::path::Path;
use std::process::Command;

use trunkline_smi::Value;
use trunkline_snmp::wire::{VarBind, Version};
use trunkline_testkit::namespace::{ip, ip_json, isolated};
use trunkline_transport::ssh::PasswordHash;

use crate::java::{self, Login, Reader};
use crate::support::{self, Agent, message, oid};

const PASSWORD: &str = "maple syrup";

/// `max` may do everything; `ann` may not read contacts and aliases, and is notified of no link.
fn config() -> String {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    format!(
        "[freshness]\ndefault = \"1h\"\n[jmx]\nlisten = [\"tcp://127.0.0.1:0\"]\n\
         [http]\nlisten = [\"http://127.0.0.1:0\"]\ndoors = [\"restconf\"]\n[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n\
         [[snmp.community]]\nname = \"private\"\naccess = \"write\"\n\
         [[role]]\nname = \"all\"\nread = [\"1\"]\nwrite = [\"1\"]\nnotify = [\"1\"]\n\
         [[role]]\nname = \"some\"\nread = [\"1\", \"-1.3.6.1.2.1.1.4\", \"-1.3.6.1.2.1.31.1.1.1.18\"]\n\
         [[snmp.principal]]\nname = \"max\"\nrole = \"all\"\npassword-hash = {hash:?}\n\
         [[snmp.principal]]\nname = \"ann\"\nrole = \"some\"\npassword-hash = {hash:?}\n"
    )
}

fn start(home: &Path, agent: &Agent, user: &str) -> Reader {
    let login = Login { password: Some([user, PASSWORD]), ..Login::default() };
    Reader::start(home, agent.address("tcp"), login)
}

/// The number of a new interface, one end of a cable that is down.
fn near() -> u64 {
    ip("link add near type veth peer name far");
    for end in ["near", "far"] {
        let quiet = format!("/proc/sys/net/ipv6/conf/{end}/disable_ipv6");
        let _ = std::fs::write(quiet, "1"); // without IPv6 there is nothing to be quiet
    }
    ip_json("link show dev near")[0]["ifindex"].as_u64().unwrap()
}

/// An edit over RESTCONF.
fn put(agent: &Agent, path: &str, body: &str) {
    let url = format!("http://{}/restconf/data/{path}", agent.address("http"));
    let output = Command::new("curl")
        .args(["-s", "-f", "-g", "--max-time", "60", "-u", &format!("max:{PASSWORD}"), "-X", "PUT"])
        .args(["-H", "Content-Type: application/yang-data+json", "--data-binary", body, &url])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn what_is_configured_is_notified_with_its_old_and_new_value() {
    isolated("changes::what_is_configured_is_notified_with_its_old_and_new_value", || {
        for home in java::homes() {
            let index = near();
            let agent = Agent::start(&config());
            let (mut max, mut ann) = (start(&home, &agent, "max"), start(&home, &agent, "ann"));
            let (row, system) = (format!("trunkline:type=ifXEntry,ifIndex={index}"), "trunkline:type=system");
            let of_links = format!("trunkline:type=ifEntry,ifIndex={index}");
            for name in [&row, system] {
                max.check(&[(&format!("listen|{name}|jmx.attribute.change"), "listening")]);
            }
            for name in [&row, system, &of_links] {
                ann.check(&[(&format!("listen|{name}|jmx.attribute.change"), "listening")]);
            }
            let mut changed = |attribute: &str, values: &str, name: &str| {
                let expected =
                    format!("jmx.attribute.change {attribute}:java.lang.String:{values} {name} null");
                assert_eq!(max.ask("next"), expected);
            };
            let set = |column: &str, index: u64, value: Value| {
                let bindings = vec![VarBind::new(oid(&format!("1.3.6.1.2.1.{column}.{index}")), value)];
                let answer = agent.ask(&message(Version::V2c, "private", support::set(bindings)));
                assert_eq!(answer.pdu.error_status, 0, "{column}");
            };
            let (alias, location, status) = ("31.1.1.1.18", "1.6", "2.2.1.7");
            set(alias, index, Value::text("snmp"));
            changed("ifAlias", ">snmp", &row);
            let interface = |alias: &str| {
                format!(
                    "{{\"ietf-interfaces:interface\":[{{\"name\":\"near\",\"type\":\"iana-if-type:ethernetCsmacd\",\
                     \"description\":\"{alias}\",\"enabled\":false}}]}}"
                )
            };
            let path = "ietf-interfaces:interfaces/interface=near";
            put(&agent, path, &interface("restconf"));
            changed("ifAlias", "snmp>restconf", &row);
            put(&agent, "ietf-system:system", "{\"ietf-system:system\":{\"contact\":\"noc\"}}");
            changed("sysContact", ">noc", system);
            // Whoever sets it, and as a part of the configuration.
            let mut other = start(&home, &agent, "max");
            other.check(&[(&format!("set|{row}|ifAlias|s:jmx"), "set")]);
            changed("ifAlias", "restconf>jmx", &row);
            // What is refused, or stays as it is, is not reported; neither is what nobody listens to.
            let refused = other.ask(&format!("set|{row}|ifAlias|s:{}", "x".repeat(300)));
            assert!(refused.starts_with("! "), "{refused}");
            set(alias, index, Value::text("jmx"));
            set(location, 0, Value::text("here"));
            changed("sysLocation", ">here", system);
            // Of what ann listens to she hears what she may read.
            set(status, index, Value::Integer(1));
            let location = format!("jmx.attribute.change sysLocation:java.lang.String:>here {system} null");
            let status = format!("jmx.attribute.change ifAdminStatus:java.lang.Integer:2>1 {of_links} null");
            ann.check(&[("next", &location), ("next", &status)]);
            ip("link delete near");
        }
    });
}

#[test]
fn a_link_that_goes_down_and_up_is_notified() {
    isolated("changes::a_link_that_goes_down_and_up_is_notified", || {
        let index = near();
        ip("link set near up");
        ip("link set far up");
        for home in java::homes() {
            let agent = Agent::start(&config());
            let mut max = start(&home, &agent, "max");
            let row = format!("trunkline:type=ifEntry,ifIndex={index}");
            max.check(&[
                ("listen|trunkline:type=notifications|trunkline.link", "listening"),
                (&format!("listen|{row}|jmx.attribute.change"), "listening"),
            ]);
            for (state, word, status) in [("down", "linkDown", 2), ("up", "linkUp", 1)] {
                ip(&format!("link set near {state}"));
                let change =
                    format!("jmx.attribute.change ifOperStatus:java.lang.Integer:null>{status} {row} null");
                let kind = format!("trunkline.{word} trunkline:type=notifications [");
                let of_row = format!("ifIndex={index}, ifOperStatus={status}");
                let mut wanted: Vec<&dyn Fn(&str) -> bool> = Vec::new();
                let is_change = |line: &str| line == change;
                let is_notification = |line: &str| line.starts_with(&kind) && line.contains(&of_row);
                wanted.extend([&is_change as &dyn Fn(&str) -> bool, &is_notification]);
                // The other end of the cable has notifications too.
                while !wanted.is_empty() {
                    let line = max.ask("next");
                    assert_ne!(line, "nothing");
                    wanted.retain(|is_it| !is_it(&line));
                }
            }
        }
    });
}
