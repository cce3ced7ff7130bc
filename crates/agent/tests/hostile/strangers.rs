//! What strangers do to those who come later: they take neither their places nor their descriptors, and they do not
//! fill the log.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use crate::memory::discovery;
use crate::streams::{connect_from, is_served};
use crate::support::talk::{Talk, parse};
use crate::support::{Agent, connect, steady};

/// An agent that is started with this many descriptors, both limits.
fn agent_with_descriptors(descriptors: u32, config: &str) -> Agent {
    let limit = format!("ulimit -n {descriptors}; exec \"$0\" \"$@\"");
    let mut agent = Agent::spawn(tempfile::tempdir().unwrap(), config, &["sh", "-c", &limit]);
    agent.wait_for("fewer descriptors than connections may need");
    agent.wait_for_listeners(2);
    agent
}

#[test]
fn connections_leave_descriptors_to_the_sources_of_data() {
    let agent = agent_with_descriptors(80, &steady(""));
    let idle: Vec<TcpStream> = (0..100).map(|one| connect_from(agent.tcp(), 2 + one % 20)).collect();
    let talk = Talk::to(&agent);
    talk.check(&[
        ("2c public get ifDescr.1", "noError 0 ifDescr.1=s:lo"),
        ("2c private set sysContact.0=s:me", "noError 0 sysContact.0=s:me"),
        ("2c public get sysContact.0", "noError 0 sysContact.0=s:me"),
    ]);
    drop(idle);
}

#[test]
fn connections_that_never_spoke_give_way_to_new_ones() {
    let agent = Agent::start(&steady("[snmp.tcp]\nmax-connections = 16\n"));
    let mut known = connect(agent.tcp());
    is_served(&mut known).unwrap();
    let _silent: Vec<TcpStream> = (0..64).map(|one| connect_from(agent.tcp(), 2 + one % 4)).collect();
    is_served(&mut connect_from(agent.tcp(), 9)).unwrap();
    is_served(&mut known).unwrap();
    let counted = agent.counted("tcp");
    assert!(counted["gave_way"] >= 49 && counted["refused_total"] == 0, "{counted:?}");
}

#[test]
fn messages_that_show_nothing_keep_nobody_out() {
    let agent = Agent::start(&steady("[snmp.tcp]\nmax-connections = 16\n"));
    let mut known = connect(agent.tcp());
    is_served(&mut known).unwrap();
    let wrong_community = parse("2c wrong get sysServices.0").encode();
    let _strangers: Vec<TcpStream> = (0..64u8)
        .map(|one| {
            let mut stream = connect_from(agent.tcp(), 2 + one % 4);
            stream.write_all(&wrong_community).unwrap();
            stream.write_all(&discovery()).unwrap();
            // The Report.
            assert!(stream.read(&mut [0; 512]).unwrap() > 0);
            stream
        })
        .collect();
    is_served(&mut connect_from(agent.tcp(), 9)).unwrap();
    is_served(&mut known).unwrap();
    let counted = agent.counted("tcp");
    assert!(counted["gave_way"] >= 49 && counted["refused_total"] == 0, "{counted:?}");
}

#[test]
fn requests_that_show_nothing_keep_nobody_out_of_http() {
    let http = "[http]\nlisten = [\"http://127.0.0.1:0\"]\nmax-connections = 16\n";
    let agent = Agent::start(&steady(http));
    let ask = |from, request: &str| {
        let mut stream = connect_from(agent.address("http"), from);
        stream.write_all(request.as_bytes()).unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        (stream, String::from_utf8_lossy(&start).into_owned())
    };
    let _strangers: Vec<TcpStream> = (0..64u8)
        .map(|one| {
            let (stream, status) = ask(2 + one % 4, "GET /soap?wsdl HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assert_eq!(status, "HTTP/1.1 200");
            stream
        })
        .collect();
    let (_stream, status) = ask(9, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(status, "HTTP/1.1 200");
    let counted = agent.counted("http");
    assert!(counted["gave_way"] >= 49 && counted["refused_total"] == 0, "{counted:?}");
}

#[test]
fn strangers_cause_few_lines_of_the_log() {
    let config = steady("").replace("\"tcp://127.0.0.1:0\"", "\"ssh://127.0.0.1:0\"");
    let agent = Agent::start(&config);
    let ssh = agent.address("ssh");
    for _ in 0..2_000 {
        let mut stream = connect(ssh);
        stream.write_all(b"GETxxxxxx\r\n").unwrap();
        let _ = stream.shutdown(Shutdown::Write);
        // Whether by an end or by a reset: the agent is through with it.
        let _ = stream.read_to_end(&mut Vec::new());
    }
    agent.signal("USR1");
    let lines = agent.lines_until(" counted ssh://");
    let failed = lines.iter().filter(|line| line.contains("a handshake failed")).count();
    assert!((1..=20).contains(&failed) && lines.len() <= 30, "{failed} of {}", lines.len());
}
