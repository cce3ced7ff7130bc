//! Servers and their readers: plain sockets in the namespaces. A reader requests its data with one octet, and
//! reads until it is ended.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Wants as much as the path carries.
pub const BULK: u8 = b'B';
/// Wants nothing, and stays.
pub const IDLE: u8 = b'I';

const PART: &str = "TRUNKLINE_D71_PART";

/// The children that make traffic.
#[derive(Default)]
pub struct Traffic(Vec<(Child, Lines<BufReader<ChildStdout>>)>);

impl Traffic {
    /// A server in this namespace at this port.
    pub fn serve(&mut self, host: &str, port: u16) {
        self.start(host, &format!("serve {port}"));
    }

    /// Readers in this namespace, with this many connections.
    pub fn fetch(&mut self, host: &str, from: &str, port: u16, kind: u8, count: usize) {
        self.start(host, &format!("fetch {from} {port} {kind} {count}"));
    }

    /// Starts it and waits until it says that it is ready.
    fn start(&mut self, host: &str, part: &str) {
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new("ip")
            .args(["netns", "exec", host])
            .arg(program)
            .args(["--exact", "traffic_part", "--nocapture"])
            .env(PART, part)
            .stdout(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let is_ready = lines.by_ref().map_while(Result::ok).any(|line| line.contains("ready"));
        assert!(is_ready, "{host}: {part}");
        self.0.push((child, lines));
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        for (child, _) in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Whether this process plays a part.
pub fn is_part() -> bool {
    std::env::var_os(PART).is_some()
}

/// Plays the part of this process, until it is ended; nothing in the test's own process.
pub fn play() {
    let Ok(part) = std::env::var(PART) else { return };
    let words: Vec<&str> = part.split(' ').collect();
    match words[..] {
        ["serve", port] => serve(port.parse().unwrap()),
        ["fetch", from, port, kind, count] => {
            fetch(&format!("{from}:{port}"), kind.parse().unwrap(), count.parse().unwrap());
        }
        _ => panic!("{part}"),
    }
}

fn ready() {
    let mut out = std::io::stdout();
    writeln!(out, "ready").unwrap();
    out.flush().unwrap();
}

fn serve(port: u16) {
    let listener = TcpListener::bind(("0.0.0.0", port)).unwrap();
    ready();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        std::thread::spawn(move || {
            let mut wanted = [0];
            stream.read_exact(&mut wanted)?;
            stream.write_all(b"!")?;
            let data = vec![7; 65_536];
            if wanted == [BULK] {
                loop {
                    stream.write_all(&data)?;
                }
            }
            stream.read_to_end(&mut Vec::new()).map(drop)
        });
    }
}

fn fetch(from: &str, kind: u8, count: usize) {
    let begin = |_| {
        let mut stream = TcpStream::connect(from).unwrap();
        stream.write_all(&[kind]).unwrap();
        stream.read_exact(&mut [0]).unwrap();
        stream
    };
    let streams: Vec<TcpStream> = (0..count).map(begin).collect();
    ready();
    let read =
        |mut stream: TcpStream| std::thread::spawn(move || std::io::copy(&mut stream, &mut std::io::sink()));
    let readers: Vec<_> = streams.into_iter().map(read).collect();
    for reader in readers {
        let _ = reader.join();
    }
}
