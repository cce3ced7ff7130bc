//! `trunkline select` with a running `trunklined`: the same rows whether the agent selects (SOAP) or the manager
//! (SNMP).

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::net::{TcpListener, TcpStream};

use serde_json::Value as Json;
use support::{Trunklined, run};

const CONFIG: &str = r#"
[agent]
state = "STATE"
[snmp]
listen = ["udp://127.0.0.1:0"]
[http]
listen = ["http://127.0.0.1:0"]
"#;

struct Agent {
    snmp: String,
    soap: String,
    /// SNMP inside SOAP.
    inside: String,
    program: Trunklined,
}

impl Agent {
    fn start() -> Option<Self> {
        let program = Trunklined::start(CONFIG, &["udp", "http"])?;
        let (udp, http) = (program.address(0), program.address(1));
        let url = |scheme: &str, place: &str| format!("{scheme}://public@{place}");
        let (snmp, soap) = (url("snmp", udp), url("soap+http", http));
        Some(Agent { snmp, soap, inside: url("snmp+http", http), program })
    }
}

fn json(arguments: &[&str]) -> Json {
    let (out, _) = run(&[&["select", "--json"], arguments].concat(), 0);
    let document: Json = serde_json::from_str(&out).unwrap();
    document[0].clone()
}

/// The instances of the rows of a table.
fn instances(answer: &Json, table: &str) -> Vec<String> {
    let tables = answer["services"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|service| service["tables"].as_array().unwrap());
    let rows =
        tables.filter(|found| found["table"] == table).flat_map(|table| table["rows"].as_array().unwrap());
    rows.map(|row| row["instance"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn all_protocols_give_the_same_rows() {
    let Some(agent) = Agent::start() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let _near = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let _far = listener.accept().unwrap();
    let filter = format!("flt_exp= {{tcpConnLocalPort = {port} OR tcpConnLocalPort = 1}}");
    let path = "Path_slct_exp={TCP Monitor Srv,NULL,NULL,empty}";
    let rest = [path, "--data", "{tcpConnEntry[ ]}", "--filter", &filter, "--explain"];
    // SNMPv1 and by UDP without anything said, SNMP inside SOAP, and the agent's own selection in its forms.
    let ways: [(&str, &[&str]); 7] = [
        ("manager", &[&agent.snmp]),
        ("manager", &["-v1", &agent.snmp]),
        ("manager", &[&agent.inside]),
        ("manager", &["-v1", &agent.inside]),
        ("agent", &[&agent.soap]),
        ("agent", &[&agent.soap, "--encoding", "lean", "--soap", "1.2"]),
        ("agent", &[&agent.soap, "--no-compression"]),
    ];
    let answers = ways.map(|(by, arguments)| {
        let answer = json(&[arguments, &rest[..]].concat());
        assert_eq!(answer["selected_by"], by, "{arguments:?}");
        answer
    });
    // Others on this machine may use the port at another address.
    let ours = |answer| {
        let mut rows = instances(answer, "tcpConnTable");
        rows.retain(|row| row.starts_with(&format!("127.0.0.1.{port}.")));
        rows
    };
    let rows = ours(&answers[0]);
    assert!(rows.len() >= 2 && rows.iter().all(|row| row.contains(&format!(".{port}."))), "{rows:?}");
    for (answer, (_, arguments)) in answers.iter().zip(ways) {
        assert_eq!(rows, ours(answer), "{arguments:?}");
        let explain = &answer["explain"];
        assert_eq!(explain["searched"], serde_json::json!(["TCP", "TCP-Data", "TCP-Connections"]));
        assert!(explain["octets_whole"].as_u64() > explain["octets"].as_u64(), "{explain}");
        assert!(explain["octets_saved"].as_u64() > Some(0));
    }
    // An interface by its name, columns of two tables, and what the filter compares with both.
    let arguments = [
        "{lo}",
        "--data",
        "{ifDescr, ifName}",
        "--filter",
        "ifOperStatus != down AND ifMtu > least",
        "--let",
        "least=1",
    ];
    for (_, way) in ways {
        let answer = json(&[way, &arguments[..]].concat());
        let expected = json(&[&[agent.snmp.as_str()], &arguments[..]].concat());
        assert_eq!(answer["services"], expected["services"], "{way:?}");
        assert_eq!(answer["services"][0]["tables"][0]["rows"][0]["columns"]["ifDescr"]["text"], "lo");
    }
    // Single data, and scalars in a filter.
    for url in [&agent.soap, &agent.snmp, &agent.inside] {
        let answer =
            json(&[url, "{Root}", "--data", "{tcpInSegs,tcpOutSegs,ipInDelivers}", "--view", "single"]);
        assert_eq!(answer["services"].as_array().unwrap().len(), 2);
        let none = json(&[url, "{TCP}", "--filter", "tcpRtoMin > 4000000"]);
        assert_eq!(none["services"], serde_json::json!([]));
    }
    // A range of indexes is all that is fetched, with both versions.
    for version in ["-v1", "-v2c"] {
        let answer = json(&[version, &agent.snmp, "{Interfaces}", "--data", "{ifDescr[1-1]}"]);
        assert_eq!(instances(&answer, "ifTable"), ["1"]);
    }
}

#[test]
fn tables_are_drawn_and_steps_explained() {
    let Some(agent) = Agent::start() else { return };
    for url in [agent.soap.as_str(), agent.snmp.as_str()] {
        let (out, _) = run(&["select", url, "{Interfaces}", "--data", "{ifDescr[1]}", "--explain"], 0);
        assert!(out.starts_with("Interface-1 (lo), level 2\nifIndex  ifDescr\n"), "{out}");
        assert!(out.contains("searched from Interfaces: Interfaces, Interface-1"), "{out}");
        assert!(out.contains("Interface-1, ifTable: 1 of 1 rows, 1 of "), "{out}");
        assert!(out.contains("saved "), "{out}");
    }
    // The URI of a service asks that service.
    let (out, _) = run(&["select", &format!("{}/TCP-Data", agent.soap), "--data", "{tcpInSegs}"], 0);
    assert!(out.starts_with("TCP-Data (TCP single instance data), level 2\ntcpInSegs = "), "{out}");
    let (out, _) = run(&["select", &agent.soap, "{IP}", "--data", "{ipInDelivers}", "--csv"], 0);
    assert!(out.starts_with("oid,name,type,value,text,units\n1.3.6.1.2.1.4.9.0,"), "{out}");
}

#[test]
fn a_services_file_is_for_snmp_only() {
    let Some(agent) = Agent::start() else { return };
    let file = agent.program.folder.path().join("services.toml");
    let text = "[[service]]\ntag = \"Up\"\nholds = [\"sysUpTime\"]\n[[service]]\ntag = \"Desc\"\nholds = [\"sysDescr\"]\n\
                [[relation]]\nname = \"r1\"\nfrom = \"Up\"\nto = [\"Desc\"]\n";
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let (out, _) = run(&["select", &agent.snmp, "{Up,,,r1}", "--services", file], 0);
    assert!(out.starts_with("Desc, level 1\nsysDescr = "), "{out}");
    let (_, err) = run(&["select", &agent.soap, "{Up,,,r1}", "--services", file], 2);
    assert!(err.contains("--services is for agents queried over SNMP"), "{err}");
    std::fs::write(file, text.replace("Desc\"]\n", "Nobody\"]\n")).unwrap();
    let (_, err) = run(&["select", &agent.snmp, "{Up}", "--services", file], 2);
    assert!(err.contains("there is no service `Nobody`"), "{err}");
}

#[test]
fn wrong_expressions_are_reported_with_a_caret() {
    let unheard = "snmp://127.0.0.1:1"; // without a request
    let (_, err) = run(&["select", unheard, "{Root,,,r1.}"], 2);
    let words = "trunkline: path selection, character 12: expected a relation, or `(`, found `}`\n  {Root,,,r1.}\n             ^\n";
    assert_eq!(err, words);
    let (_, err) = run(&["select", unheard, "{Root}", "--filter", "ifIndex = 1 OR"], 2);
    assert!(err.ends_with("  ifIndex = 1 OR\n                ^\n"), "{err}");
    let (_, err) = run(&["select", unheard, "{Root}", "--let", "x"], 2);
    assert!(err.contains("expected WORD=NUMBER"), "{err}");
    let Some(agent) = Agent::start() else { return };
    for url in [agent.soap.as_str(), agent.snmp.as_str()] {
        let (_, err) = run(&["select", url, "{Root}", "--filter", "ifOperStatus = upp"], 2);
        let words = "trunkline: filter, character 16: ifOperStatus has no value named \"upp\": did you mean up?\n  ifOperStatus = upp\n                 ^\n";
        assert_eq!(err, words);
        let (_, err) = run(&["select", url, "{Nobody}"], 2);
        assert!(err.contains("there is no service `Nobody`; there are Root, IP, TCP"), "{err}");
    }
}
