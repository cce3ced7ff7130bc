//! `jmx://` with a running `trunklined`: our client against our own agent.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value as Json;
use support::{Trunklined, run, texts, trunkline};

const PASSWORD: &str = "maple syrup";
const LO: &str = "trunkline:type=ifEntry,ifIndex=1";
const SYSTEM: &str = "trunkline:type=system";

/// An agent over TCP, with a community for everybody on this machine, and over TLS; `ann` has a password, `max` a certificate. Both may set
/// the contact.
struct Agent {
    program: Trunklined,
    pki: tempfile::TempDir,
}

impl Agent {
    fn start() -> Option<Agent> {
        let pki = support::pki(&["max"]);
        let hash = trunkline_client::transport::ssh::PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
        let config = format!(
            "[agent]\nstate = \"STATE\"\n[freshness]\ndefault = \"1h\"\n[system]\nname = \"here\"\n\
             [jmx]\nlisten = [\"tcp://127.0.0.1:0\", \"tls://127.0.0.1:0\"]\ncommunity = \"public\"\n\
             [snmp]\nlisten = []\n[snmp.tls]\ndirectory = \"{}\"\n\
             [[snmp.community]]\nname = \"public\"\nrole = \"reader\"\nsources = [\"127.0.0.0/8\"]\n\
             [[role]]\nname = \"reader\"\nread = [\"1\"]\n\
             [[role]]\nname = \"operator\"\nread = [\"1\"]\nwrite = [\"1.3.6.1.2.1.1.4\"]\n\
             [[snmp.principal]]\nname = \"ann\"\nrole = \"operator\"\npassword-hash = {hash:?}\n\
             [[snmp.principal]]\nname = \"max\"\nrole = \"operator\"\n",
            pki.path().display()
        );
        let program = Trunklined::start(&config, &["tcp", "tls"])?;
        Some(Agent { program, pki })
    }

    fn url(&self) -> String {
        format!("jmx://{}", self.program.address(0))
    }

    /// That over TLS, of a user if there is one.
    fn secure(&self, user: &str) -> String {
        let port = self.program.address(1).rsplit(':').next().unwrap();
        format!("jmx+tls://{user}localhost:{port}")
    }
}

/// With time for machines on which all is slow.
#[track_caller]
fn asked(command: &[&str], rest: &[&str], status: i32) -> (String, String) {
    run(&[command, &["-t", "60", "-r", "0"], rest].concat(), status)
}

/// The same with a password.
#[track_caller]
fn with_password(password: &str, command: &[&str], rest: &[&str], status: i32) -> (String, String) {
    let mut program = trunkline(&[command, &["-t", "60", "-r", "0"], rest].concat());
    let output = program.env("TRUNKLINE_JMX_PASSWORD", password).output().unwrap();
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(status), "{rest:?}\n{out}\n{err}");
    (out, err)
}

#[test]
fn rows_and_scalars_are_read() {
    let Some(agent) = Agent::start() else { return };
    let url = agent.url();
    let (out, _) = asked(&["get"], &[&format!("{url}/{LO}/ifDescr")], 0);
    assert_eq!(out, format!("{LO}/ifDescr = lo\n"));
    let (out, _) = asked(&["get"], &[&url, &format!("{SYSTEM}/sysN*"), &format!("{LO}/ifMtu")], 0);
    assert_eq!(out, format!("{SYSTEM}/sysName = here\n{LO}/ifMtu = 65536\n"));
    let (out, _) = asked(&["get", "--json"], &[&url, &format!("{LO}/ifInOctets")], 0);
    let read: Json = serde_json::from_str(&out).unwrap();
    assert!(read[0]["value"].is_u64() && read[0]["class"] == "java.lang.Long", "{out}");
    let (out, _) = asked(&["walk"], &[&url, SYSTEM], 0);
    assert!(out.contains(&format!("{SYSTEM}/sysName = here\n")) && out.contains("/sysUpTime = "), "{out}");
    let (out, err) = asked(&["walk"], &[&url, "trunkline:type=if*,*"], 0);
    assert!(out.contains(&format!("{LO}/ifDescr = lo\n")) && !err.contains("cannot be read"), "{out}{err}");
}

#[test]
fn what_is_not_there_is_reported() {
    let Some(agent) = Agent::start() else { return };
    let url = agent.url();
    let row = "trunkline:type=ifEntry,ifIndex=999999/ifDescr";
    let (out, _) = asked(&["get"], &[&url, row, &format!("{LO}/ifNothing")], 0);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], format!("{row} = no such MBean or attribute, or none that you may read"));
    assert!(lines[1].contains("AttributeNotFoundException"), "{out}");
    asked(&["get", "--missing-is-error"], &[&url, row], 1);
    let (_, err) = asked(&["subscribe"], &[&url, "trunkline:type=ifTable"], 1);
    assert!(err.contains("sends no notifications"), "{err}");
}

#[test]
fn tables_are_rows_and_columns() {
    let Some(agent) = Agent::start() else { return };
    let url = agent.url();
    // By rows as MBeans, and by columns as arrays.
    let columns = ["--csv", "--columns", "ifDescr,ifMtu"];
    let (out, _) = asked(&["table"], &[&columns[..], &[&url, "trunkline:type=ifEntry,*"]].concat(), 0);
    assert!(out.starts_with("ifIndex,ifDescr,ifMtu\n") && out.contains("\n1,lo,65536\n"), "{out}");
    let (out, _) = asked(&["table"], &[&columns[..], &[&url, "trunkline:type=ifTable"]].concat(), 0);
    assert!(out.lines().any(|line| line.ends_with("lo,65536")), "{out}");
    let words = ["--filter", "ifDescr = 'lo' AND ifMtu > 1000", "--data", "ifMtu"];
    let (out, _) =
        asked(&["select", "--csv"], &[&[&url, "trunkline:type=ifEntry,*"], &words[..]].concat(), 0);
    assert_eq!(out, "type,ifIndex,ifMtu\nifEntry,1,65536\n");
    let rows = [&url, "trunkline:type=ifTable/rows", "0", "-1", "[\"ifIndex\", \"ifDescr\"]", "ifIndex = 1"];
    let (out, _) = asked(&["invoke", "--json"], &rows, 0);
    let read: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(read[0]["value"], serde_json::json!([[1], ["lo"]]), "{out}");
}

#[test]
fn tables_have_the_order_of_the_schema_and_the_names_of_numbers() {
    let Some(agent) = Agent::start() else { return };
    let url = agent.url();
    let (out, _) = asked(&["table"], &["--csv", &url, "trunkline:type=ifTable"], 0);
    assert!(
        out.starts_with("row,ifIndex,ifDescr,ifType,ifMtu,ifSpeed,ifPhysAddress,ifAdminStatus,"),
        "{out}"
    );
    assert!(out.lines().any(|line| line.contains(",1,lo,softwareLoopback,65536,")), "{out}");
    let (out, _) = asked(&["table"], &["--csv", &url, "trunkline:type=ifEntry,*"], 0);
    assert!(out.starts_with("ifIndex,ifIndex,ifDescr,ifType,ifMtu,"), "{out}");
    assert!(out.lines().any(|line| line.starts_with("1,1,lo,softwareLoopback,65536,")), "{out}");
    let (out, _) = asked(&["table"], &["--csv", &url, "trunkline:type=ifEntry,*/ifType"], 0);
    assert!(out.lines().any(|line| line == "1,softwareLoopback"), "{out}");
    // As data they are numbers.
    let (out, _) = asked(&["table"], &["--json", &url, "trunkline:type=ifTable"], 0);
    let read: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(read[0]["rows"][0]["columns"]["ifType"], 24, "{out}");
}

#[test]
fn a_number_within_an_opaque_is_one() {
    let Some(agent) = Agent::start() else { return };
    for what in ["trunkline:type=laTable", "trunkline:type=laEntry,*"] {
        let words = ["--json", "--columns", "laLoadFloat", &agent.url(), what];
        let (out, _) = asked(&["table"], &words, 0);
        let read: Json = serde_json::from_str(&out).unwrap();
        assert!(read[0]["rows"][0]["columns"]["laLoadFloat"].is_f64(), "{out}");
    }
}

#[test]
fn what_counts_is_watched_as_a_rate() {
    let Some(agent) = Agent::start() else { return };
    let words = [&*agent.url(), &format!("{LO}/ifInOctets"), "--every", "10ms", "--count", "2"];
    let (out, _) = asked(&["watch", "--json"], &words, 0);
    let rounds: Vec<Json> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&rounds[0]["what"], &rounds[1]["what"]), (&"value".into(), &"rate".into()), "{out}");
    assert_eq!((&rounds[1]["units"], rounds.len()), (&"octets".into(), 2), "{out}");
    // Of each row of a table.
    let column = "trunkline:type=ifTable/ifInOctets";
    let words = [&*agent.url(), column, "--every", "10ms", "--count", "2"];
    let (out, _) = asked(&["watch", "--json"], &words, 0);
    let rounds: Vec<Json> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_first: Vec<&Json> =
        rounds.iter().filter(|round| round["path"] == format!("{column}[0]")).collect();
    let [before, now] = of_first[..] else { panic!("{out}") };
    assert_eq!((&before["what"], &now["what"]), (&"value".into(), &"rate".into()), "{out}");
}

#[test]
fn what_the_role_may_set_is_set_and_notified() {
    let Some(agent) = Agent::start() else { return };
    let ann = agent.url().replace("://", "://ann@");
    let words = ["subscribe", "--json", "--count", "1", &agent.url(), SYSTEM, "jmx.attribute"];
    let mut subscribed = trunkline(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(subscribed.stderr.take().unwrap()).lines();
    let line = said.next().unwrap().unwrap();
    assert!(line.contains("listening to trunkline:type=system"), "{line}");
    let contact = format!("{SYSTEM}/sysContact=noc");
    let (out, _) = with_password(PASSWORD, &["set"], &[&ann, &contact], 0);
    assert_eq!(out, format!("{SYSTEM}/sysContact = noc\n"));
    let output = subscribed.wait_with_output().unwrap();
    assert!(output.status.success());
    let record: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&record["mbean"], &record["type"]), (&SYSTEM.into(), &"jmx.attribute.change".into()));
    let change = ["attribute", "old", "new"].map(|field| record[field].as_str().unwrap_or_default());
    assert_eq!(change, ["sysContact", "", "noc"], "{record}");
    let (out, _) = asked(&["get"], &[&agent.url(), &format!("{SYSTEM}/sysContact")], 0);
    assert_eq!(out, format!("{SYSTEM}/sysContact = noc\n"));
    // Neither what nobody may set, nor what the role may not.
    for (target, word) in [(&ann, "sysUpTime=1"), (&ann, "sysLocation=here"), (&agent.url(), "sysContact=x")]
    {
        let (_, err) = with_password(PASSWORD, &["set"], &[target, &format!("{SYSTEM}/{word}")], 2);
        assert!(err.contains("can only be read"), "{word}: {err}");
    }
    let (_, err) =
        with_password(PASSWORD, &["set"], &[&ann, &format!("{SYSTEM}/sysContact={}", "x".repeat(300))], 1);
    assert!(err.contains("wrongLength"), "{err}");
}

#[test]
fn passwords_and_certificates_authenticate() {
    let Some(agent) = Agent::start() else { return };
    let name = format!("{LO}/ifDescr");
    let expected = format!("{name} = lo\n");
    let pki = agent.pki.path().display().to_string();
    let authority = format!("{pki}/ca.pem");
    let nothing = agent.program.folder.path().display().to_string();
    // The manager's certificate of the folder.
    let (out, _) = asked(&["get", "--pki", &pki], &[&agent.secure(""), &name], 0);
    assert_eq!(out, expected);
    agent.program.wait_for_next("a JMX client has logged in", || {
        asked(&["get", "--pki", &pki], &[&agent.secure(""), &name], 0);
    });
    // A password over TLS, where that certificate is put aside.
    let ann = agent.secure("ann@");
    for trusted in [&["get", "--pki", &pki][..], &["get", "--pki", &nothing, "--authorities", &authority]] {
        let (out, _) = with_password(PASSWORD, trusted, &[&ann, &name], 0);
        assert_eq!(out, expected);
    }
    let (_, err) = with_password("marmalade", &["get", "--pki", &pki], &[&ann, &name], 1);
    assert!(err.contains("refuses the user or the password") && !err.contains("marmalade"), "{err}");
    let (_, err) = with_password("marmalade", &["get"], &[&agent.url().replace("://", "://ann@"), &name], 1);
    assert!(err.contains("refuses the user or the password"), "{err}");
    // Another authority, and TLS where there is none.
    let (_, err) = asked(&["get", "--pki", &nothing], &[&agent.secure(""), &name], 2);
    assert!(err.contains("--authorities"), "{err}");
    let plain = agent.url().replace("jmx://", "jmx+tls://");
    asked(&["get", "--pki", &pki], &[&plain, &name], 1);
    let unprotected = agent.secure("").replace("jmx+tls", "jmx");
    let (_, err) = asked(&["get", "--pki", &pki], &[&unprotected, &name], 1);
    assert!(err.contains("jmx+tls://"), "{err}");
}
