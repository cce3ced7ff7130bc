//! Compressed messages: a capability of ours, and the streams.
//!
//! ```text
//! capability    urn:trunkline:params:netconf:capability:compression:1.0?algorithms=zstd,zlib
//! a message     one zlib stream (RFC 1950) or one frame of zstd (RFC 8878), between the framing and the XML
//! ```
//!
//! If both hellos have the capability and the framing is chunked, each end may compress any message after its hello by an algorithm
//! that both have. A receiver sees by a message's first octets whether it is compressed: XML never begins as a stream does.
//!
//! Each message has a window of its own, so that the length of one says nothing about another. Within one message, whoever can have
//! text of their own written beside a secret, and sees the length of it, can guess the secret letter by letter (CRIME). So a
//! client compresses only requests that have no content ([`may_be_compressed`]). Nobody can read a secret here, so that replies and
//! notifications have none.

use flate2::{Compress, Decompress, FlushCompress, FlushDecompress, Status};
use thiserror::Error;
use trunkline_xml::{Event, Reader};
use zstd::stream::raw::{DParameter, Decoder, Encoder, InBuffer, Operation, OutBuffer};

use crate::document::limits;
use crate::error::{Layer, RpcError, Tag};
use crate::framing::Framing;
use crate::hello::Hello;
use crate::needs::value;
use crate::{BASE, MONITORING, NMDA, NOTIFICATION, SUBSCRIBED};

/// The capability, without its parameters.
pub const CAPABILITY: &str = "urn:trunkline:params:netconf:capability:compression:1.0";

/// How a message is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RFC 1950.
    Zlib,
    /// RFC 8878.
    Zstd,
}

/// Why a message cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompressionError {
    /// Compressed, though it may not be.
    #[error("the message is compressed with {}, which both hellos do not have", found.name())]
    NotAgreed {
        /// How.
        found: Algorithm,
    },
    /// Longer than the limit.
    #[error("a message has at most {limit} octets here, also when it is inflated")]
    TooLong {
        /// The limit, in octets.
        limit: usize,
    },
    /// It grows too much: almost certainly a bomb.
    #[error("the message grows to more than {MOST_GROWTH} times its size when it is inflated")]
    Bomb,
    /// It ends too early.
    #[error("the compressed message ends too early")]
    CutShort,
    /// Not such a stream, one that needs a dictionary or too large a window, or with a wrong checksum.
    #[error("the message is not a stream of {}", algorithm.name())]
    Malformed {
        /// What it begins as.
        algorithm: Algorithm,
    },
    /// Something follows its end.
    #[error("something follows the end of the compressed message")]
    Trailing,
    /// The library could not compress: there is no memory.
    #[error("the message cannot be compressed")]
    Failed,
}

impl CompressionError {
    /// What answers a request that cannot be read, which has no `message-id` to repeat ([`without_rpc`](crate::rpc::without_rpc)).
    #[must_use]
    pub fn error(&self) -> RpcError {
        let tag = match self {
            CompressionError::TooLong { .. } => Tag::TooBig,
            _ => Tag::MalformedMessage,
        };
        RpcError::new(Layer::Rpc, tag, self.to_string())
    }
}

impl Algorithm {
    /// All, the preferred one first.
    pub const ALL: [Algorithm; 2] = [Algorithm::Zstd, Algorithm::Zlib];

    /// Its name in the capability.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Zlib => "zlib",
            Algorithm::Zstd => "zstd",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|it| it.name() == name)
    }

    /// How a message is compressed, from its first octets; `None`: it is XML, or nothing that can be read.
    #[must_use]
    pub fn of(message: &[u8]) -> Option<Algorithm> {
        match message {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Algorithm::Zstd),
            // Method 8 with a window of at most 32 KiB, and both octets together a multiple of 31 (RFC 1950 section 2.2).
            [method, flags, ..]
                if method & 0x0f == 8
                    && *method < 0x80
                    && u16::from_be_bytes([*method, *flags]).is_multiple_of(31) =>
            {
                Some(Algorithm::Zlib)
            }
            _ => None,
        }
    }

    /// The level that costs least for what it saves of our messages (docs/decisions/0113).
    #[must_use]
    pub const fn level(self) -> i32 {
        1
    }
}

/// The capability with these algorithms, the preferred one first; `None`: there are none.
#[must_use]
pub fn capability(algorithms: &[Algorithm]) -> Option<String> {
    let names: Vec<&str> = algorithms.iter().map(|it| it.name()).collect();
    (!names.is_empty()).then(|| format!("{CAPABILITY}?algorithms={}", names.join(",")))
}

/// The algorithms that a hello announces, the preferred one first. Those that are not known here are left out.
#[must_use]
pub fn announced(hello: &Hello) -> Vec<Algorithm> {
    let listed = hello.parameters(CAPABILITY).and_then(|it| value(it, "algorithms")).unwrap_or_default();
    let mut algorithms = vec![];
    for algorithm in listed.split(',').filter_map(|name| Algorithm::named(name.trim())) {
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    algorithms
}

/// What both ends of a session have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreed {
    algorithms: Vec<Algorithm>,
}

impl Agreed {
    /// What two hellos have in common, in the order of ours. With the framing of `:base:1.0`, in which a stream could contain the end of a message,
    /// nothing.
    #[must_use]
    pub fn of(ours: &Hello, theirs: &Hello, framing: Framing) -> Agreed {
        let theirs = match framing {
            Framing::Chunked => announced(theirs),
            Framing::EndOfMessage => vec![],
        };
        Agreed { algorithms: announced(ours).into_iter().filter(|it| theirs.contains(it)).collect() }
    }

    /// Whether a message may be compressed in this way.
    ///
    /// # Errors
    /// It may not.
    pub fn allow(&self, algorithm: Algorithm) -> Result<(), CompressionError> {
        match self.algorithms.contains(&algorithm) {
            true => Ok(()),
            false => Err(CompressionError::NotAgreed { found: algorithm }),
        }
    }

    /// How we compress; `None`: not at all.
    #[must_use]
    pub fn preferred(&self) -> Option<Algorithm> {
        self.algorithms.first().copied()
    }

    /// The XML of a message that was received: itself, unless it is compressed.
    ///
    /// # Errors
    /// It is compressed, and may not be, or cannot be inflated to at most this many octets.
    pub fn receive(&self, message: Vec<u8>, most: usize) -> Result<Vec<u8>, CompressionError> {
        match Algorithm::of(&message) {
            None => Ok(message),
            Some(algorithm) => {
                self.allow(algorithm)?;
                inflate(algorithm, &message, most)
            }
        }
    }
}

/// Whether a request may be compressed: it reads data or subscribes to it. Requests with content can have secrets beside what others have
/// written, those with `persist` have a name that only its owner knows, and the others are short.
#[must_use]
pub fn may_be_compressed(request: &[u8]) -> bool {
    let mut reader = Reader::new(request.trim_ascii_start(), limits(request.len()));
    loop {
        match reader.next() {
            Ok(Event::Text(_)) => {}
            Ok(Event::Start(name)) if reader.depth() == 1 && name.is(BASE, "rpc") => {}
            Ok(Event::Start(name)) => {
                return reader.depth() == 2
                    && WITHOUT_CONTENT.iter().any(|(namespace, known)| name.is(namespace, known));
            }
            _ => return false,
        }
    }
}

/// Operations without content.
const WITHOUT_CONTENT: [(&str, &str); 7] = [
    (BASE, "get"),
    (BASE, "get-config"),
    (NMDA, "get-data"),
    (MONITORING, "get-schema"),
    (NOTIFICATION, "create-subscription"),
    (SUBSCRIBED, "establish-subscription"),
    (SUBSCRIBED, "modify-subscription"),
];

/// Compresses messages whose parts come one after another.
pub struct Deflater {
    stream: Deflating,
    /// Whether a part of the message has come.
    has_begun: bool,
}

enum Deflating {
    Zlib(Box<Compress>),
    Zstd(Encoder<'static>),
}

impl std::fmt::Debug for Deflater {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Deflater").field("has_begun", &self.has_begun).finish_non_exhaustive()
    }
}

impl Deflater {
    /// With the level that suits replies. It holds up to a MiB as long as it lives.
    ///
    /// # Errors
    /// [`CompressionError::Failed`].
    pub fn new(algorithm: Algorithm) -> Result<Deflater, CompressionError> {
        Deflater::with_level(algorithm, algorithm.level())
    }

    /// With a level of the algorithm's library: 0 to 9 of zlib, -7 to 22 of zstd.
    ///
    /// # Errors
    /// [`CompressionError::Failed`].
    pub fn with_level(algorithm: Algorithm, level: i32) -> Result<Deflater, CompressionError> {
        let stream = match algorithm {
            Algorithm::Zlib => {
                let level = u32::try_from(level).unwrap_or(0).min(9);
                Deflating::Zlib(Box::new(Compress::new(flate2::Compression::new(level), true)))
            }
            Algorithm::Zstd => Deflating::Zstd(Encoder::new(level).map_err(|_| CompressionError::Failed)?),
        };
        Ok(Deflater { stream, has_begun: false })
    }

    /// Appends the compressed form of the next part of a message, or nothing yet. With the last part the stream is complete; the next
    /// message has a window of its own.
    ///
    /// # Errors
    /// [`CompressionError::Failed`]: what was appended so far is of no use.
    pub fn part(&mut self, part: &[u8], is_end: bool, output: &mut Vec<u8>) -> Result<(), CompressionError> {
        let is_whole = is_end && !self.has_begun;
        self.has_begun = !is_end;
        match &mut self.stream {
            Deflating::Zlib(stream) => zlib(stream, part, is_end, output),
            Deflating::Zstd(stream) => {
                // Short messages need smaller tables.
                let length = is_whole.then_some(part.len() as u64);
                zstd(stream, part, length, is_end, output).map_err(|_| CompressionError::Failed)
            }
        }
    }
}

/// One whole message.
///
/// # Errors
/// [`CompressionError::Failed`].
pub fn deflate(algorithm: Algorithm, message: &[u8]) -> Result<Vec<u8>, CompressionError> {
    let mut output = Vec::with_capacity(message.len() / 4);
    Deflater::new(algorithm)?.part(message, true, &mut output)?;
    Ok(output)
}

fn zlib(
    stream: &mut Compress,
    mut part: &[u8],
    is_end: bool,
    output: &mut Vec<u8>,
) -> Result<(), CompressionError> {
    let flush = if is_end { FlushCompress::Finish } else { FlushCompress::None };
    loop {
        output.reserve(room_for(part));
        let before = stream.total_in();
        let status = stream.compress_vec(part, output, flush).map_err(|_| CompressionError::Failed)?;
        part = &part[(stream.total_in() - before) as usize..];
        if status == Status::StreamEnd {
            stream.reset();
            return Ok(());
        }
        if !is_end && part.is_empty() && output.len() < output.capacity() {
            return Ok(());
        }
    }
}

fn zstd(
    stream: &mut Encoder<'_>,
    part: &[u8],
    length: Option<u64>,
    is_end: bool,
    output: &mut Vec<u8>,
) -> std::io::Result<()> {
    if length.is_some() {
        stream.set_pledged_src_size(length)?;
    }
    let mut input = InBuffer::around(part);
    while input.pos() < part.len() {
        output.reserve(room_for(part));
        let at = output.len();
        stream.run(&mut input, &mut OutBuffer::around_pos(output, at))?;
    }
    if !is_end {
        return Ok(());
    }
    loop {
        output.reserve(room_for(&[]));
        let at = output.len();
        if stream.finish(&mut OutBuffer::around_pos(output, at), true)? == 0 {
            return stream.reinit();
        }
    }
}

/// Octets that the compressed form of a part can be expected to need.
fn room_for(part: &[u8]) -> usize {
    part.len() / 8 + 128
}

/// The message that a stream has.
///
/// # Errors
/// It is not one stream and nothing else, or more than `most` octets, or [`MOST_GROWTH`] times as long as the stream.
pub fn inflate(algorithm: Algorithm, stream: &[u8], most: usize) -> Result<Vec<u8>, CompressionError> {
    let by_growth = stream.len().saturating_mul(MOST_GROWTH).max(SMALL);
    let limit = most.min(by_growth);
    let mut output = Vec::with_capacity(stream.len().saturating_mul(4).min(limit));
    let malformed = CompressionError::Malformed { algorithm };
    // A dictionary, or a frame of zstd that is to be skipped.
    if stream.len() >= 4 && Algorithm::of(stream) != Some(algorithm) {
        return Err(malformed);
    }
    let mut step = Inflating::new(algorithm).ok_or(malformed.clone())?;
    let mut rest = stream;
    loop {
        // One octet more than the limit, to see that there is one.
        let room = (limit - output.len() + 1).min(PIECE.max(rest.len()));
        output.reserve(room);
        let (used, before) = (rest.len(), output.len());
        let is_end = step.step(&mut rest, &mut output).ok_or(malformed.clone())?;
        if output.len() > limit {
            let is_bomb = by_growth < most;
            return Err(if is_bomb { CompressionError::Bomb } else { CompressionError::TooLong { limit } });
        }
        match (is_end, rest.is_empty()) {
            (true, true) => return Ok(output),
            (true, false) => return Err(CompressionError::Trailing),
            _ if used == rest.len() && before == output.len() => return Err(CompressionError::CutShort),
            _ => {}
        }
    }
}

enum Inflating {
    Zlib(Box<Decompress>),
    Zstd(Decoder<'static>),
}

impl Inflating {
    fn new(algorithm: Algorithm) -> Option<Inflating> {
        match algorithm {
            Algorithm::Zlib => Some(Inflating::Zlib(Box::new(Decompress::new(true)))),
            Algorithm::Zstd => {
                let mut decoder = Decoder::new().ok()?;
                decoder.set_parameter(DParameter::WindowLogMax(LARGEST_WINDOW)).ok()?;
                Some(Inflating::Zstd(decoder))
            }
        }
    }

    /// Goes on, into the room that the output has; whether the stream has ended.
    fn step(&mut self, rest: &mut &[u8], output: &mut Vec<u8>) -> Option<bool> {
        match self {
            Inflating::Zlib(stream) => {
                let before = stream.total_in();
                let status = stream.decompress_vec(rest, output, FlushDecompress::None).ok()?;
                *rest = &rest[(stream.total_in() - before) as usize..];
                Some(status == Status::StreamEnd)
            }
            Inflating::Zstd(stream) => {
                let mut input = InBuffer::around(rest);
                let at = output.len();
                let left = stream.run(&mut input, &mut OutBuffer::around_pos(output, at)).ok()?;
                *rest = &rest[input.pos()..];
                Some(left == 0)
            }
        }
    }
}

/// Shorter messages are sent as they are: one of 300 octets would save 80 of them for the time that a whole `get` of them takes.
pub const LEAST: usize = 1000;
/// How many times its size a message may grow, above 64 KiB, as over HTTP: thousands of like entries of a configuration grow 300 times.
pub const MOST_GROWTH: usize = 1000;
/// Up to this size, growth is not limited.
const SMALL: usize = 64 << 10;
/// Octets that are inflated at a time, at least.
const PIECE: usize = 16 << 10;
/// The largest window that a frame of zstd may need, as a power of two: the 8 MiB that every decoder should have (RFC 8878 section 3.1.1.1.2).
const LARGEST_WINDOW: u32 = 23;

#[cfg(test)]
mod tests;
