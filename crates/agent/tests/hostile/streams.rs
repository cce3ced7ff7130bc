//! Peers over TCP that are slow, silent, many, or that do not read. Each limit is met and counted, and others
//! are served.

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

use crate::support::talk::{Talk, parse, show};
use crate::support::{Agent, PATIENCE, connect, read_message, steady};

fn agent(limits: &str) -> Agent {
    Agent::start(&steady(&format!("[snmp.tcp]\n{limits}\n")))
}

/// A connection that comes from 127.0.0.`last`.
pub fn connect_from(agent: SocketAddr, last: u8) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let own = SocketAddr::new(IpAddr::from([127, 0, 0, last]), 0);
    socket.bind(&own.into()).unwrap();
    socket.connect(&agent.into()).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.into()
}

pub fn question() -> Vec<u8> {
    parse("2c public get sysServices.0").encode()
}

/// Whether the connection is served; `None` when the agent has closed it.
pub fn is_served(stream: &mut TcpStream) -> Option<()> {
    stream.write_all(&question()).ok()?;
    let answer = read_message(stream)?;
    assert_eq!(show(&answer), "noError 0 sysServices.0=i:76");
    Some(())
}

/// Waits for the agent's end of the connection.
fn wait_until_closed(stream: &mut TcpStream) {
    match stream.read(&mut [0; 16]) {
        Ok(0) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn half_open_connections_up_to_the_limits() {
    let agent = agent("max-connections = 8\nmax-connections-per-peer = 5");
    // Each has been answered, and has sent the beginning of another message and then nothing.
    let half_open = |last: u8| {
        let mut stream = connect_from(agent.tcp(), last);
        is_served(&mut stream).unwrap();
        stream.write_all(&question()[..10]).unwrap();
        stream
    };
    let mut first: Vec<TcpStream> = (0..5).map(|_| half_open(1)).collect();
    wait_until_closed(&mut connect_from(agent.tcp(), 1));
    let mut second: Vec<TcpStream> = (0..3).map(|_| half_open(2)).collect();
    wait_until_closed(&mut connect_from(agent.tcp(), 3));
    let counted = agent.counted("tcp");
    let kept = ["accepted", "open", "refused_per_peer", "refused_total"].map(|name| counted[name]);
    assert_eq!(kept, [8, 8, 1, 1], "{counted:?}");

    // Those that came in are served, as UDP is.
    Talk::to(&agent).check(&[("2c public get sysServices.0", "noError 0 sysServices.0=i:76")]);
    for stream in first.iter_mut().chain(&mut second) {
        stream.write_all(&question()[10..]).unwrap();
        assert_eq!(show(&read_message(stream).unwrap()), "noError 0 sysServices.0=i:76");
    }
    // A place becomes free.
    drop(first.pop());
    let begin = Instant::now();
    while is_served(&mut connect_from(agent.tcp(), 1)).is_none() {
        assert!(begin.elapsed() < PATIENCE);
    }
}

#[test]
fn a_slow_sender_is_closed() {
    let agent = agent("message-timeout = \"300ms\"");
    let mut patient = connect(agent.tcp());
    is_served(&mut patient).unwrap();

    let mut stopped = connect(agent.tcp());
    let begin = Instant::now();
    stopped.write_all(&question()[..20]).unwrap();
    wait_until_closed(&mut stopped);
    assert!(begin.elapsed() >= Duration::from_millis(300), "{:?}", begin.elapsed());

    // An octet now and then does not help.
    let mut dripping = connect(agent.tcp());
    dripping.set_read_timeout(Some(Duration::from_millis(40))).unwrap();
    let closed = question().chunks(1).position(|octet| {
        let wrote = dripping.write_all(octet);
        let read = dripping.read(&mut [0; 16]);
        let waits = matches!(&read, Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
        wrote.is_err() || !waits
    });
    assert!(closed.is_some_and(|octets| octets > 2), "{closed:?}");

    let counted = agent.counted("tcp");
    assert_eq!((counted["slow_messages"], counted["open"]), (2, 1), "{counted:?}");
    is_served(&mut patient).unwrap();
}

#[test]
fn a_silent_connection_is_closed() {
    let agent = agent("idle-timeout = \"300ms\"");
    let mut silent = connect(agent.tcp());
    let begin = Instant::now();
    wait_until_closed(&mut silent);
    assert!(begin.elapsed() >= Duration::from_millis(250), "{:?}", begin.elapsed());
    let mut served = connect(agent.tcp());
    is_served(&mut served).unwrap();
    wait_until_closed(&mut served);
    let counted = agent.counted("tcp");
    assert_eq!((counted["idle_closed"], counted["open"]), (2, 0), "{counted:?}");
}

#[test]
fn peers_that_ask_for_much_and_never_read_are_bounded() {
    let agent = agent("write-timeout = \"2s\"\nmax-in-flight = 8");
    let talk = Talk::to(&agent);
    let mut other = connect(agent.tcp());
    is_served(&mut other).unwrap();
    let (before, tcp) = (agent.resident(), agent.tcp());
    // Answers of 60,000 octets to questions of 40, and sets that go another way.
    let bulk = parse("2c public bulk 0 10000 1.3").encode();
    let set = parse("2c private set sysContact.0=s:flood").encode();
    let floods: Vec<_> = (0..8)
        .map(|at| {
            let octets = if at % 2 == 0 { bulk.repeat(100) } else { [&bulk[..], &set].concat().repeat(100) };
            std::thread::spawn(move || {
                let mut stream = TcpStream::connect(tcp).unwrap();
                stream.set_write_timeout(Some(PATIENCE)).unwrap();
                // The agent stops to read at its limits; in the end it closes the connection.
                let mut written = 0usize;
                while let Ok(octets) = stream.write(&octets) {
                    written += octets;
                }
                written
            })
        })
        .collect();
    let mut asked = 0;
    let mut highest = 0;
    while !floods.iter().all(|flood| flood.is_finished()) {
        talk.check(&[("2c public get sysServices.0", "noError 0 sysServices.0=i:76")]);
        is_served(&mut other).unwrap();
        highest = highest.max(agent.resident());
        asked += 1;
    }
    assert!(asked > 10, "{asked}");
    floods.into_iter().for_each(|flood| assert!(flood.join().unwrap() > 0));
    // 8 connections, each with 256 KiB of answers, what is in flight and what was read: at most 1 MiB each.
    assert!(highest < before + (8 << 20) + (8 << 20), "{before} octets, then {highest}");
    let counted = agent.counted("tcp");
    assert_eq!((counted["slow_readers"], counted["open"], counted["panics"]), (8, 1, 0), "{counted:?}");
}

#[test]
fn connections_that_break_are_counted_and_leave_nothing() {
    let agent = agent("max-connections = 4\nmax-connections-per-peer = 4");
    let tcp = agent.tcp();
    for round in 0..40 {
        let mut stream = connect(tcp);
        // Refused when those before are not yet known to be gone; then it is tried again.
        if is_served(&mut stream).is_none() {
            continue;
        }
        match round % 4 {
            0 => {}
            1 => stream.write_all(&question()[..7]).unwrap(), // ends inside a message
            2 => stream.write_all(&[0xff; 100]).unwrap(),     // no message
            _ => {
                // An answer is under way when the connection is reset.
                stream.write_all(&parse("2c public bulk 0 10000 1.3").encode()).unwrap();
                let socket = Socket::from(stream);
                socket.set_linger(Some(Duration::ZERO)).unwrap();
            }
        }
    }
    let begin = Instant::now();
    let counted = loop {
        let counted = agent.counted("tcp");
        if counted["open"] == 0 {
            break counted;
        }
        assert!(begin.elapsed() < PATIENCE, "{counted:?}");
    };
    assert!(counted["cut_short"] > 0 && counted["framing_errors"] > 0, "{counted:?}");
    is_served(&mut connect(tcp)).unwrap();
}
