//! A raw connection to a SOAP service: HTTP/1.1 written and read here, so that every octet of a message and of its
//! HTTP envelope is counted, and no client's own work is part of a time.

use std::io::{Error as IoError, Read};
use std::net::SocketAddr;
use std::time::Instant;

use flate2::Compression;
use flate2::read::{ZlibDecoder, ZlibEncoder};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use trunkline_labkit::conversation::nanos;

/// The columns of the paper's ifEntry (figure 10), by their descriptors in IF-MIB.
pub(super) const PAPERS_COLUMNS: [&str; 18] = [
    "ifIndex",
    "ifDescr",
    "ifType",
    "ifMtu",
    "ifSpeed",
    "ifPhysAddress",
    "ifAdminStatus",
    "ifOperStatus",
    "ifInOctets",
    "ifInUcastPkts",
    "ifInDiscards",
    "ifInErrors",
    "ifOutOctets",
    "ifOutUcastPkts",
    "ifOutDiscards",
    "ifOutErrors",
    "ifOutQLen",
    "ifSpecific",
];

/// A service.
#[derive(Debug, Clone)]
pub(super) struct Service {
    /// Where it listens.
    pub address: SocketAddr,
    /// The path of its URL.
    pub path: &'static str,
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Octets of both heads.
    pub heads: u64,
    /// Octets of the request's body.
    pub request: u64,
    /// The answer's body as on the wire.
    pub on_wire: Vec<u8>,
    /// The same without compression.
    pub body: Vec<u8>,
    /// From the first octet sent to the last received, nanoseconds.
    pub delay: u64,
}

/// A kept connection.
pub(super) struct Pipe {
    stream: TcpStream,
    service: Service,
    buffer: Vec<u8>,
}

impl Pipe {
    /// Connects; nothing is sent yet.
    pub(super) async fn open(service: &Service) -> Result<Pipe, IoError> {
        let stream = TcpStream::connect(service.address).await?;
        stream.set_nodelay(true)?;
        Ok(Pipe { stream, service: service.clone(), buffer: Vec::with_capacity(1 << 16) })
    }

    /// Posts a message; with `zlib` it is compressed, and a compressed answer requested, as gSOAP does.
    pub(super) async fn post(&mut self, body: &[u8], zlib: bool) -> Result<Answer, IoError> {
        let Service { address, path } = &self.service;
        let coding = if zlib { "Content-Encoding: deflate\r\nAccept-Encoding: deflate\r\n" } else { "" };
        let packed = zlib.then(|| deflated(body));
        let body = packed.as_deref().unwrap_or(body);
        let mut message = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: text/xml; charset=utf-8\r\nContent-Length: {}\r\n{coding}\
             SOAPAction: \"\"\r\n\r\n",
            body.len()
        )
        .into_bytes();
        let head = message.len();
        message.extend_from_slice(body);
        let start = Instant::now();
        self.stream.write_all(&message).await?;
        let (status, length, is_compressed, head_of_answer) = self.read_head().await?;
        while self.buffer.len() < length {
            self.read_more().await?;
        }
        let delay = nanos(start.elapsed());
        let on_wire: Vec<u8> = self.buffer.drain(..length).collect();
        let body_of_answer = if is_compressed { inflated(&on_wire)? } else { on_wire.clone() };
        Ok(Answer {
            status,
            heads: (head + head_of_answer) as u64,
            request: body.len() as u64,
            on_wire,
            body: body_of_answer,
            delay,
        })
    }

    /// Closes our side, and waits until the other end has closed too.
    pub(super) async fn close(mut self) -> Result<(), IoError> {
        self.stream.shutdown().await?;
        let mut rest = [0; 64];
        while self.stream.read(&mut rest).await.unwrap_or(0) > 0 {}
        Ok(())
    }

    /// Reads the answer's head: status, length of the body, whether it is compressed, length of the head.
    async fn read_head(&mut self) -> Result<(u16, usize, bool, usize), IoError> {
        let end = loop {
            match self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                Some(at) => break at + 4,
                None if self.buffer.len() > MOST_HEAD => {
                    return Err(IoError::other("HTTP's head does not end"));
                }
                None => self.read_more().await?,
            }
        };
        let text = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
        self.buffer.drain(..end);
        let header = |name: &str| {
            let mut lines = text.lines().skip(1).filter_map(|line| line.split_once(':'));
            lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
        };
        let status = text.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| IoError::other("this is not HTTP"))?;
        let length = header("content-length").and_then(|length| length.parse().ok());
        let length: usize = length.ok_or_else(|| IoError::other("an answer without Content-Length"))?;
        if length > MOST_BODY {
            return Err(IoError::other(format!("an answer of {length} octets")));
        }
        Ok((status, length, header("content-encoding").is_some(), end))
    }

    async fn read_more(&mut self) -> Result<(), IoError> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(IoError::from(std::io::ErrorKind::UnexpectedEof)),
            _ => Ok(()),
        }
    }
}

/// In zlib format (RFC 1950), at the library's default level, 6, with a compressor made for it, as gSOAP does. The paper
/// names no level; our agent uses 1.
pub(super) fn deflated(octets: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(octets.len() / 2 + 64);
    // Reading from memory does not fail.
    let _ = ZlibEncoder::new(octets, Compression::default()).read_to_end(&mut out);
    out
}

fn inflated(octets: &[u8]) -> Result<Vec<u8>, IoError> {
    let mut out = Vec::new();
    ZlibDecoder::new(octets).take(MOST_BODY as u64).read_to_end(&mut out)?;
    Ok(out)
}

const MOST_HEAD: usize = 1 << 16;
const MOST_BODY: usize = 1 << 28;

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[test]
    fn an_answer_is_counted_to_the_octet() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let service = Service { address: listener.local_addr().unwrap(), path: "/soap" };
            let packed = deflated(b"<answer/>");
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-encoding: deflate\r\nContent-Length: {}\r\n\r\n",
                packed.len()
            );
            let whole = [head.as_bytes(), &packed].concat();
            let server = async {
                let (mut stream, _) = listener.accept().await.unwrap();
                for _ in 0..2 {
                    let mut request = vec![];
                    while !request.ends_with(b"<ask/>") && !request.ends_with(&deflated(b"<ask/>")) {
                        assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0);
                    }
                    // In two pieces, cut in the head.
                    stream.write_all(&whole[..20]).await.unwrap();
                    stream.write_all(&whole[20..]).await.unwrap();
                }
                let mut rest = vec![];
                stream.read_to_end(&mut rest).await.unwrap();
            };
            let client = async {
                let mut pipe = Pipe::open(&service).await.unwrap();
                let first = pipe.post(b"<ask/>", true).await.unwrap();
                let second = pipe.post(b"<ask/>", false).await.unwrap();
                pipe.close().await.unwrap();
                (first, second)
            };
            let ((first, second), ()) = tokio::join!(client, server);
            assert_eq!((first.status, &first.body[..]), (200, &b"<answer/>"[..]));
            assert_eq!((first.request, second.request), (deflated(b"<ask/>").len() as u64, 6));
            assert_eq!(first.on_wire, packed);
            let more =
                "Content-Encoding: deflate\r\nAccept-Encoding: deflate\r\n".len() + "14".len() - "6".len();
            assert_eq!(first.heads - second.heads, more as u64);
        });
    }
}
