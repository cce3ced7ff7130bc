//! A server that computes nothing: what a call takes at least, with this client and this kernel. It stands before the agent, gives its
//! answers on, and answers a call that is the same as the one before with what it answered before.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Where it listens, at the port of the agent: answers name the agent's address, and this one has as many octets.
pub const ADDRESS: &str = "127.0.0.2";

/// Listens until the process ends; a thread for each connection, as a server of the JDK has.
pub fn start(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::new(127, 0, 0, 2), port))?;
    let accept = move || {
        for client in listener.incoming().flatten() {
            // A connection that breaks is the client's error.
            thread::spawn(move || drop(serve(client, port)));
        }
    };
    thread::Builder::new().name("floor".to_owned()).spawn(accept).map(drop)
}

fn serve(mut client: TcpStream, port: u16) -> io::Result<()> {
    let mut agent = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    client.set_nodelay(true)?;
    agent.set_nodelay(true)?;
    agent.set_read_timeout(Some(PAUSE))?;
    let (mut buffer, mut last, mut answer) = (vec![0; 1 << 16], Vec::new(), Vec::new());
    loop {
        let length = client.read(&mut buffer)?;
        let call = &buffer[..length];
        if call.is_empty() {
            return agent.shutdown(Shutdown::Both);
        }
        if call.len() < SHORT || call != last {
            agent.write_all(call)?;
            last = call.to_vec();
            answer = moved(&read_pause(&mut agent)?);
        }
        client.write_all(&answer)?;
    }
}

/// What comes until there is a pause.
fn read_pause(agent: &mut TcpStream) -> io::Result<Vec<u8>> {
    let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        match agent.read(&mut buffer) {
            Ok(0) => return Ok(all),
            Ok(length) => all.extend_from_slice(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(all),
            Err(error) => return Err(error),
        }
    }
}

/// The same, with references that lead here.
fn moved(answer: &[u8]) -> Vec<u8> {
    let (from, to) = (Ipv4Addr::LOCALHOST.to_string(), ADDRESS.as_bytes());
    let mut answer = answer.to_vec();
    let places: Vec<usize> = answer
        .windows(from.len())
        .enumerate()
        .filter(|(_, it)| *it == from.as_bytes())
        .map(|(at, _)| at)
        .collect();
    for at in places {
        answer[at..at + to.len()].copy_from_slice(to);
    }
    answer
}

/// The agent has answered when it says nothing for so long.
const PAUSE: Duration = Duration::from_millis(30);
/// What is shorter is not a call: greetings and acknowledgements.
const SHORT: usize = 40;
