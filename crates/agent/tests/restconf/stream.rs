//! Events as server-sent events.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value as Json;

use crate::restconf::ask::{Client, agent, restconf};
use crate::restconf::client::PASSWORD;
use crate::support::{Agent, connect};

/// A subscriber: curl that prints what it receives.
struct Subscriber {
    curl: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Subscriber {
    /// Subscribed when this returns.
    fn to(agent: &Agent, user: &str, path: &str) -> Subscriber {
        let url = format!("http://{}/restconf/streams/NETCONF/{path}", agent.address("http"));
        let mut command = Command::new("curl");
        command.args(["-s", "-N", "-f", "-g", "--max-time", "60", "-H", "Accept: text/event-stream"]);
        command.args(["-u", &format!("{user}:{PASSWORD}"), &url]);
        let mut curl = command.stdout(Stdio::piped()).spawn().expect("curl");
        let lines = BufReader::new(curl.stdout.take().unwrap()).lines();
        let mut subscriber = Subscriber { curl, lines };
        assert_eq!(subscriber.line().as_deref(), Some(": events of NETCONF"));
        assert_eq!(subscriber.line().as_deref(), Some(""));
        subscriber
    }

    fn line(&mut self) -> Option<String> {
        self.lines.next().map(Result::unwrap)
    }

    /// The next event; `None`: the stream has ended.
    fn event(&mut self) -> Option<String> {
        let line = self.line()?;
        let data = line.strip_prefix("data: ").unwrap_or_else(|| panic!("{line}")).to_owned();
        assert_eq!(self.line().as_deref(), Some(""));
        Some(data)
    }

    fn json(&mut self) -> Json {
        let event = self.event().expect("an event");
        let json: Json = serde_json::from_str(&event).unwrap_or_else(|error| panic!("{error}: {event}"));
        json["ietf-restconf:notification"].clone()
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        let _ = self.curl.kill();
        let _ = self.curl.wait();
    }
}

/// Somebody who is refused a stream keeps no connection that others could use.
#[test]
fn a_stream_that_is_refused_ends_the_connection() {
    use std::io::{Read, Write};
    let agent = agent("");
    let basic = base64(&format!("ann:{PASSWORD}"));
    for (path, status) in [
        ("NETCONF/json?stop-time=2030-01-01T00:00:00Z", "400"),
        ("NETCONF/json?odd=1", "400"),
        ("other/json", "404"),
    ] {
        let mut stream = connect(agent.address("http"));
        let head = format!(
            "GET /restconf/streams/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic {basic}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        // It ends although this side keeps it open.
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
        assert!(answer.contains("connection: close\r\n"), "{answer}");
    }
}

fn base64(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// mteHotValue is a number in the module: of a monitor of texts the event has none.
#[test]
fn an_event_has_values_of_their_types_alone() {
    // Notifications of MIB modules need the view for notifications.
    let told = restconf("").replace("write = [\"1\"]\n", "write = [\"1\"]\nnotify = [\"1\"]\n");
    let agent = Agent::start(&told);
    let max = Client { agent: &agent, user: "max" };
    let fired = "json?filter=/DISMAN-EVENT-MIB:mteTriggerFired";
    let mut told = Subscriber::to(&agent, "max", fired);
    let monitor = |name: &str, object: &str| {
        format!(
            r#"{{"owner":"max","name":"{name}","object":"{object}","interval":1,"existence":{{"present":true}}}}"#
        )
    };
    let monitors = [monitor("text", "1.3.6.1.2.1.1.5.0"), monitor("number", "1.3.6.1.2.1.1.7.0")].join(",");
    let body = format!(r#"{{"trunkline-delegation:delegation":{{"monitor":[{monitors}]}}}}"#);
    let created = max.send("PUT", "/restconf/data/trunkline-delegation:delegation", &body);
    assert_eq!(created.status, 201, "{created:?}");
    for _ in 0..2 {
        let event = told.json()["DISMAN-EVENT-MIB:mteTriggerFired"].to_string();
        let value = event
            .split_once("\"mteHotValue\":")
            .map(|(_, rest)| rest.starts_with(|it: char| it.is_ascii_digit()));
        assert_eq!(value, event.contains("\"number\"").then_some(true), "{event}");
        assert!(event.contains("\"mteHotTrigger\""), "{event}");
    }
}

const CONTACT: &str = "/restconf/data/ietf-system:system/contact";

#[test]
fn changes_reach_those_who_may_know_them_in_both_encodings() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let streams = max.get("/restconf/data/ietf-restconf-monitoring:restconf-state/streams").json();
    let stream = &streams["ietf-restconf-monitoring:streams"]["stream"][0];
    assert_eq!((&stream["name"], &stream["replay-support"]), (&"NETCONF".into(), &true.into()));
    let expected = format!("http://{}/restconf/streams/NETCONF/json", agent.address("http"));
    assert_eq!(stream["access"][0]["location"], expected.as_str());
    let mut json = Subscriber::to(&agent, "ann", "json");
    let mut xml = Subscriber::to(&agent, "ann", "xml");
    let mut tom = Subscriber::to(&agent, "tom", "json");
    assert_eq!(max.send("PUT", CONTACT, r#"{"ietf-system:contact":"a"}"#).status, 201);
    let told = json.json();
    assert!(told["eventTime"].as_str().unwrap().ends_with('Z'));
    let change = &told["ietf-netconf-notifications:netconf-config-change"];
    let expected = serde_json::json!({
        "changed-by": {"username": "max", "session-id": 0, "source-host": "127.0.0.1"},
        "datastore": "running",
        "edit": [{"target": "/ietf-system:system/contact", "operation": "create"}],
    });
    assert_eq!(change, &expected);
    let told = xml.event().unwrap();
    assert!(
        told.starts_with(
            "<notification xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\"><eventTime>"
        ),
        "{told}"
    );
    assert!(told.contains("<session-id>0</session-id>"), "{told}");
    // tom may not read the names of principals; a replay that ends is the next that he hears of.
    drop(json);
    let stop = chrono_now();
    let mut ended =
        Subscriber::to(&agent, "tom", &format!("json?start-time=2026-01-01T00:00:00Z&stop-time={stop}"));
    for last in ["replayComplete", "notificationComplete"] {
        let told = ended.json();
        assert!(told[format!("nc-notifications:{last}")].is_object(), "{told}");
    }
    assert_eq!(ended.event(), None);
    let _ = tom.curl.kill();
    assert_eq!(tom.event(), None);
}

/// Now, as a time of YANG.
fn chrono_now() -> String {
    let output = Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%S.%6NZ"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn filters_and_replay_choose_events() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let start = chrono_now();
    // The stream begins with the first request.
    assert_eq!(max.get("/restconf").status, 200);
    for value in ["a", "b"] {
        let body = format!("{{\"ietf-system:contact\":\"{value}\"}}");
        assert!(max.send("PUT", CONTACT, &body).status < 300);
    }
    let mut replayed = Subscriber::to(&agent, "ann", &format!("json?start-time={start}"));
    for operation in ["create", "replace"] {
        let change = &replayed.json()["ietf-netconf-notifications:netconf-config-change"];
        assert_eq!(change["edit"][0]["operation"], operation);
    }
    assert!(replayed.json()["nc-notifications:replayComplete"].is_object());
    let filter = "/ietf-netconf-notifications:netconf-config-change/edit[operation='replace']";
    let filter = filter.replace('\'', "%27");
    let mut filtered = Subscriber::to(&agent, "ann", &format!("json?start-time={start}&filter={filter}"));
    let change = &filtered.json()["ietf-netconf-notifications:netconf-config-change"];
    assert_eq!(change["edit"][0]["operation"], "replace");
    for wrong in [
        "stop-time=2026-01-01T00:00:00Z",
        "start-time=x",
        "start-time=2126-01-01T00:00:00Z",
        "filter=/a[",
        "depth=1",
    ] {
        let answer = max.get(&format!("/restconf/streams/NETCONF/json?{wrong}"));
        assert_eq!(answer.status, 400, "{wrong}: {answer:?}");
    }
    assert_eq!(max.get("/restconf/streams/other/json").status, 404);
    assert_eq!(max.curl(&["-H", "Accept: application/json"], "/restconf/streams/NETCONF/json").status, 406);
    assert_eq!(Client { agent: &agent, user: "eve" }.get("/restconf/streams/NETCONF/json").status, 403);
}

#[test]
fn subscribers_do_not_delay_the_end_of_the_agent() {
    let agent = agent("");
    let mut subscriber = Subscriber::to(&agent, "ann", "json");
    agent.terminate();
    assert_eq!(subscriber.event(), None);
}
