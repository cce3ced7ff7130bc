//! Requests over kept-alive HTTP/1.1, raw: octets made once, answers only measured off. What asks must not be what
//! limits.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// A request as it goes over the connection.
pub fn post(path: &str, action: &str, accept: Option<&str>, body: &[u8]) -> Vec<u8> {
    let accept = accept.map_or(String::new(), |coding| format!("Accept-Encoding: {coding}\r\n"));
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml; charset=utf-8\r\n\
         SOAPAction: \"{action}\"\r\n{accept}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// An answer: all of its octets, and where its body begins.
pub struct Answer {
    pub octets: Vec<u8>,
    pub body: usize,
}

impl Answer {
    pub fn body(&self) -> &[u8] {
        &self.octets[self.body..]
    }

    /// Whether it is 200.
    pub fn is_ok(&self) -> bool {
        self.octets.get(9..12) == Some(b"200")
    }
}

/// A connection.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        Ok(Connection { stream, buffer: vec![0; 1 << 16] })
    }

    pub fn send(&mut self, request: &[u8]) -> io::Result<()> {
        self.stream.write_all(request)
    }

    /// Reads one answer; gives how many octets it has and how many of them are its head.
    fn receive(&mut self) -> io::Result<(usize, usize)> {
        let (mut have, mut whole) = (0, None);
        loop {
            if let Some((len, head)) = whole
                && have >= len
            {
                return Ok((len, head));
            }
            if have == self.buffer.len() {
                self.buffer.resize(have * 2, 0);
            }
            let read = self.stream.read(&mut self.buffer[have..])?;
            if read == 0 {
                return Err(io::Error::other("the server has closed the connection"));
            }
            have += read;
            if whole.is_none() {
                whole = measure(&self.buffer[..have])?;
            }
        }
    }

    pub fn ask(&mut self, request: &[u8]) -> io::Result<Answer> {
        self.send(request)?;
        let (len, body) = self.receive()?;
        Ok(Answer { octets: self.buffer[..len].to_vec(), body })
    }
}

/// How long an answer is and where its body begins, once its head is there.
fn measure(octets: &[u8]) -> io::Result<Option<(usize, usize)>> {
    let Some(end) = octets.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let head = String::from_utf8_lossy(&octets[..end]);
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let length = length.ok_or_else(|| io::Error::other(format!("an answer without a length: {head}")))?;
    Ok(Some((end + 4 + length, end + 4)))
}

/// What a time of load has seen.
pub struct Seen {
    /// Answers a second.
    pub rate: f64,
    /// Octets of an answer, HTTP's included.
    pub octets: usize,
    /// Microseconds of the server's processor time, user and system, for each answer.
    pub cpu: f64,
}

/// A server under load.
pub struct Served<'s> {
    pub address: SocketAddr,
    pub request: &'s [u8],
    /// Its processor time so far, nanoseconds.
    pub cpu: &'s dyn Fn() -> io::Result<u64>,
}

/// Several connections, on each of which a request is always under way. The server's processor time is read while
/// they are open: threads that serve them take theirs along when they end.
pub fn load(served: &Served<'_>, connections: usize, seconds: f64) -> io::Result<Seen> {
    let Served { address, request, cpu } = *served;
    let mut all = (0..connections).map(|_| Connection::open(address)).collect::<io::Result<Vec<_>>>()?;
    for connection in &mut all {
        connection.ask(request)?;
    }
    let before = cpu()?;
    for connection in &mut all {
        connection.send(request)?;
    }
    let (begin, time) = (Instant::now(), Duration::from_secs_f64(seconds));
    let (mut answers, mut octets) = (0u64, 0);
    while begin.elapsed() < time {
        for connection in &mut all {
            let (len, _) = connection.receive()?;
            if connection.buffer.get(9..12) != Some(b"200") {
                let said = String::from_utf8_lossy(&connection.buffer[..len.min(600)]).into_owned();
                return Err(io::Error::other(format!("no answer but {said}")));
            }
            connection.send(request)?;
            octets = len;
            answers += 1;
        }
    }
    let rate = answers as f64 / begin.elapsed().as_secs_f64();
    let cpu = (cpu()? - before) as f64 / 1000.0 / answers.max(1) as f64;
    Ok(Seen { rate, octets, cpu })
}
