//! Rows of MIB tables that are created in the page: of the agent itself and of devices, as scripts and as forms without scripts do it.

use std::net::{SocketAddr, UdpSocket};

use trunkline_transport::ssh::PasswordHash;

use super::raw::{Browser, agent, ask, origin, with_page};
use crate::restconf::ask::Answer;
use crate::restconf::client::PASSWORD;
use crate::support::{Agent, BOTH};

const NOTIFY: &str = "SNMP-NOTIFICATION-MIB:SNMP-NOTIFICATION-MIB/snmpNotifyTable/snmpNotifyEntry";
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

/// Posts a form as the page does.
fn post(browser: &Browser<'_>, path: &str, body: &str) -> Answer {
    let origin = origin(browser.agent);
    let fields = [("Origin", origin.as_str()), ("Trunkline-Token", &browser.token), FORM];
    browser.ask(&format!("POST {path}"), &fields, body)
}

/// Posts a form as a browser without scripts does.
fn post_plain(browser: &Browser<'_>, path: &str, body: &str) -> Answer {
    let origin = origin(browser.agent);
    let body = format!("token={}&{body}", browser.token);
    browser.ask(&format!("POST {path}"), &[("Origin", origin.as_str()), FORM], &body)
}

#[test]
fn a_row_is_created_with_its_columns_unless_there_is_one() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let path = format!("/browser/rows/{NOTIFY}");
    let row = "v.snmpNotifyName=a%2Fb&v.snmpNotifyTag=noc&v.snmpNotifyType=inform&v.snmpNotifyStorageType=";
    let made = post(&max, &path, row);
    assert_eq!(
        (made.status, made.body.as_str()),
        (201, format!("{{\"path\":\"/{NOTIFY}=a%2Fb\"}}").as_str()),
        "{made:?}"
    );
    let read = max.ask(&format!("GET /restconf/data/{NOTIFY}=a%2Fb"), &[], "").body;
    for part in
        ["\"snmpNotifyTag\":\"noc\"", "\"snmpNotifyType\":\"inform\"", "\"snmpNotifyRowStatus\":\"active\""]
    {
        assert!(read.contains(part), "{part} {read}");
    }
    let line = agent.wait_for("an object is set in the page");
    assert!(line.contains("snmpNotifyRowStatus") && line.contains("user=max"), "{line}");
    let again = post(&max, &path, row);
    assert!(again.status == 409 && again.body.contains("There is a row of this index already"), "{again:?}");
    for (path, body, status, words) in [
        (path.as_str(), "v.snmpNotifyTag=x", 400, "snmpNotifyName must be"),
        (
            &path,
            "v.snmpNotifyName=x&v.snmpNotifyType=post",
            400,
            "snmpNotifyType must be one of trap, inform",
        ),
        (&path, "v.snmpNotifyName=x&v.nonsense=", 400, "a new row or entry here has no nonsense."),
        (&path, "snmpNotifyName=x", 400, "cannot be read"),
        ("/browser/rows/IF-MIB:IF-MIB/ifTable/ifEntry", "v.ifIndex=7", 404, "cannot be created"),
        ("/browser/rows/nothing", "", 404, "cannot be created"),
    ] {
        let answer = post(&max, path, body);
        assert!(answer.status == status && answer.body.contains(words), "{path} {body} {answer:?}");
    }
    // Only in our own page, and only who may.
    let own = origin(&agent);
    let head = format!("POST {path}");
    assert_eq!(max.ask(&head, &[FORM, ("Origin", &own)], row).status, 403);
    assert_eq!(ask(&agent, &head, &[FORM, ("Origin", &own)], row).status, 401);
    let ann = Browser::log_in(&agent, "ann");
    assert_eq!(post(&ann, &path, "v.snmpNotifyName=ann").status, 403);
}

#[test]
fn without_scripts_a_form_shows_the_row_and_creates_it() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let path = format!("/browser/plain/{NOTIFY}");
    let list = max.ask(&format!("GET {path}"), &[], "").body;
    assert!(list.contains("href=\"?new\">New entry"), "{list}");
    let form = max.ask(&format!("GET {path}?new"), &[], "").body;
    for part in [
        "<label for=\"v.snmpNotifyName\">",
        "required value=\"\"",
        "<option value=\"\"></option><option>trap</option><option>inform</option>",
        &max.token,
    ] {
        assert!(form.contains(part), "{part} {form}");
    }
    let wrong =
        post_plain(&max, &format!("{path}?new"), "v.snmpNotifyName=&v.snmpNotifyTag=%3Cb%3E&step=review");
    assert!(wrong.body.contains("snmpNotifyName must be"), "{wrong:?}");
    assert!(wrong.body.contains("value=\"&lt;b&gt;\""), "{wrong:?}");
    let row = "v.snmpNotifyName=plain&v.snmpNotifyTag=noc";
    let review = post_plain(&max, &format!("{path}?new"), &format!("{row}&step=review"));
    assert!(review.body.contains("+ snmpNotifyTag: <ins>noc</ins>"), "{review:?}");
    let entry = format!("GET /restconf/data/{NOTIFY}=plain");
    assert_eq!(max.ask(&entry, &[], "").status, 404);
    let made = post_plain(&max, &format!("{path}?new"), &format!("{row}&step=apply"));
    assert_eq!(made.status, 303, "{made:?}");
    // The way leads from the folder of the form to the row.
    assert_eq!(made.field("location"), Some(format!("../../{NOTIFY}=plain").as_str()));
    assert_eq!(max.ask(&entry, &[], "").status, 200);
    let again = post_plain(&max, &format!("{path}?new"), &format!("{row}&step=apply"));
    assert!(again.status == 409 && again.body.contains("There is a row of this index already"), "{again:?}");
    let own = origin(&agent);
    let forged = format!("token=x&{row}2&step=apply");
    assert_eq!(max.ask(&format!("POST {path}?new"), &[FORM, ("Origin", &own)], &forged).status, 403);
    let ann = Browser::log_in(&agent, "ann");
    assert!(!ann.ask(&format!("GET {path}"), &[], "").body.contains("New entry"));
}

#[test]
fn rows_of_devices_are_created_over_snmp_and_soap() {
    let http = "[http]\nlisten = [\"http://127.0.0.1:0\"]\ndoors = [\"soap\"]\n";
    let device = Agent::start(&format!("{BOTH}{http}"));
    let udp = format!("snmp://private@{}", device.udp());
    let soap = format!("soap+http://private@{}", device.address("http"));
    let (served, password) = Agent::serve(&[&udp, &soap, "--write"]);
    let admin = Browser::log_in_with(&served, "admin", &password);
    let name = |address: std::net::SocketAddr| address.to_string().replace(':', "-");
    for (at, row) in [(device.udp(), "one"), (device.address("http"), "two")] {
        let path = format!("/devices/{}/browser/rows/{NOTIFY}", name(at));
        let made = post(&admin, &path, &format!("v.snmpNotifyName={row}&v.snmpNotifyTag=noc"));
        assert_eq!(made.status, 201, "{row} {made:?}");
        let entry = format!("GET /devices/{}/restconf/data/{NOTIFY}={row}", name(at));
        let read = admin.ask(&entry, &[], "").body;
        assert!(read.contains("\"snmpNotifyTag\":\"noc\"") && read.contains("\"active\""), "{read}");
        let again = post(&admin, &path, &format!("v.snmpNotifyName={row}"));
        assert!(again.status == 409 && again.body.contains("already"), "{again:?}");
        let list = admin.ask(&format!("GET /devices/{}/browser/plain/{NOTIFY}", name(at)), &[], "").body;
        assert!(list.contains("?new"), "{list}");
    }
    let (served, password) = Agent::serve(&[&udp]);
    let admin = Browser::log_in_with(&served, "admin", &password);
    let path = format!("/devices/{}/browser/rows/{NOTIFY}", name(device.udp()));
    assert_eq!(post(&admin, &path, "v.snmpNotifyName=three").status, 403);
}

/// A way to a device on which the answer to the first Set is lost.
fn losing_an_answer(device: SocketAddr) -> SocketAddr {
    let [inner, outer] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
    let address = outer.local_addr().unwrap();
    inner.connect(device).unwrap();
    std::thread::spawn(move || {
        let (mut octets, mut is_lost) = ([0; 65_536], false);
        loop {
            let (length, manager) = outer.recv_from(&mut octets).unwrap();
            let pdu = octets[..length].windows(8).find(|it| it.starts_with(b"private")).map(|it| it[7]);
            inner.send(&octets[..length]).unwrap();
            let length = inner.recv(&mut octets).unwrap();
            // SetRequest-PDU (RFC 3416 section 3).
            if pdu == Some(0xa3) && !is_lost {
                is_lost = true;
            } else {
                outer.send_to(&octets[..length], manager).unwrap();
            }
        }
    });
    address
}

/// The device has created it, and nobody has heard that: neither a refusal of the repeated request nor silence is the outcome.
#[test]
fn a_row_whose_answer_was_lost_is_found() {
    let device = Agent::start(BOTH);
    let way = losing_an_answer(device.udp());
    let (served, password) = Agent::serve(&[&format!("snmp://private@{way}"), "--write"]);
    let admin = Browser::log_in_with(&served, "admin", &password);
    let path = format!("/devices/{}/browser/rows/{NOTIFY}", way.to_string().replace(':', "-"));
    let row = "v.snmpNotifyName=lost&v.snmpNotifyTag=noc";
    let made = post(&admin, &path, row);
    assert_eq!((made.status, made.body), (201, format!("{{\"path\":\"/{NOTIFY}=lost\"}}")));
    let again = post(&admin, &path, row);
    assert!(again.status == 409 && again.body.contains("already"), "{again:?}");
}

#[test]
fn what_a_device_refuses_of_a_row_is_named() {
    let device = Agent::start(BOTH);
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let manager = Agent::start(&with_page(&format!(
        "[[role]]\nname = \"fleet\"\nread = [\"1\"]\n[[role.access]]\ncontext = \"lan/*\"\nread = [\"1\"]\nwrite = [\"1\"]\n\
         [[group]]\nname = \"lan\"\ninterval = \"1h\"\nobjects = [\"sysName\"]\n\
         [[group.member]]\nname = \"sw1\"\naddress = \"udp://{}\"\ncommunity = \"public\"\n\
         [[snmp.principal]]\nname = \"noc\"\nrole = \"fleet\"\npassword-hash = \"{hash}\"\n",
        device.udp()
    )));
    let noc = Browser::log_in(&manager, "noc");
    let refused = post(&noc, &format!("/devices/lan.sw1/browser/rows/{NOTIFY}"), "v.snmpNotifyName=x");
    assert_eq!(refused.status, 403, "{refused:?}");
    assert!(
        refused.body.contains("snmpNotifyRowStatus: The device refuses")
            && refused.body.contains("(noAccess)"),
        "{refused:?}"
    );
}
