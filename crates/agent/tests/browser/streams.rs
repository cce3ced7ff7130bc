//! Streams of events of browsers: few for each principal, and none after the logout.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use crate::browser::raw::{Browser, origin, send, with_page};
use crate::support::Agent;

/// A stream that was accepted, behind its head and its first comment; otherwise its status.
fn open(browser: &Browser<'_>, start: &str) -> Result<BufReader<TcpStream>, u16> {
    let fields = [("Cookie", browser.cookie.as_str()), ("Accept", "text/event-stream")];
    let stream = send(browser.agent, &format!("GET /restconf/streams/NETCONF/json{start}"), &fields, "");
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    lines.read_line(&mut line).expect("a status");
    match line.split(' ').nth(1).and_then(|status| status.parse().ok()) {
        Some(200) => {
            until(&mut lines, ": events of NETCONF");
            Ok(lines)
        }
        status => Err(status.expect("a status")),
    }
}

/// Reads up to a line that has this; false: the stream has ended.
fn until(lines: &mut BufReader<TcpStream>, word: &str) -> bool {
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line).unwrap_or(0) == 0 {
            return false;
        }
        if line.contains(word) {
            return true;
        }
    }
}

#[test]
fn many_streams_are_bounded_and_others_are_served() {
    let limits = "doors = [\"restconf\", \"soap\", \"browser\"]\nmax-connections-per-peer = 200\n";
    let config = with_page("").replace("doors = [\"restconf\", \"soap\", \"browser\"]\n", limits);
    let agent = Agent::start(&config);
    let max = Browser::log_in(&agent, "max");
    let (mut accepted, mut refused) = (Vec::new(), 0);
    // Each that is refused has ended.
    for _ in 0..10_000 {
        match open(&max, "") {
            Ok(stream) => accepted.push(stream),
            Err(status) => {
                assert_eq!(status, 409);
                refused += 1;
            }
        }
    }
    assert_eq!((accepted.len(), refused), (64, 10_000 - 64));
    let ann = Browser::log_in(&agent, "ann");
    let mut theirs = open(&ann, "").expect("another principal has its own");
    let new = "{\"ietf-system:contact\":\"a\"}";
    assert_eq!(max.own("PUT /restconf/data/ietf-system:system/contact", new).status, 201);
    assert!(until(&mut theirs, "netconf-config-change"));
    assert!(accepted.iter_mut().all(|stream| until(stream, "netconf-config-change")));
}

#[test]
fn nothing_is_sent_after_the_logout() {
    let agent = Agent::start(&with_page(""));
    let (max, ann) = (Browser::log_in(&agent, "max"), Browser::log_in(&agent, "ann"));
    let mut stream = open(&ann, "").expect("a stream");
    let put = |value: &str| {
        let body = format!("{{\"ietf-system:contact\":\"{value}\"}}");
        assert!(max.own("PUT /restconf/data/ietf-system:system/contact", &body).status < 300);
    };
    put("a");
    assert!(until(&mut stream, "netconf-config-change"));
    assert_eq!(ann.ask("POST /browser/logout", &[("Origin", &origin(&agent))], "").status, 303);
    put("b");
    assert!(!until(&mut stream, "netconf-config-change"));
    assert_eq!(open(&ann, "").err(), Some(401));
}

#[test]
fn what_was_missed_comes_from_the_log() {
    let agent = Agent::start(&with_page(""));
    let max = Browser::log_in(&agent, "max");
    let put = |value: &str| {
        let body = format!("{{\"ietf-system:contact\":\"{value}\"}}");
        assert!(max.own("PUT /restconf/data/ietf-system:system/contact", &body).status < 300);
    };
    let mut stream = open(&max, "").expect("a stream");
    put("a");
    let mut line = String::new();
    while !line.contains("eventTime") {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0);
    }
    let time = line.split("\"eventTime\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    drop(stream);
    put("b");
    let mut again = open(&max, &format!("?start-time={time}")).expect("a stream");
    assert!(until(&mut again, "replace"));
    assert!(until(&mut again, "replayComplete"));
}
