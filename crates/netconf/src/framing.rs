//! From a stream of octets to messages, and back (RFC 6242 section 4).
//!
//! ```text
//! end of message   <hello ... </hello>]]>]]>
//! chunked          LF # 12 LF twelve octets LF # 3 LF xyz LF ## LF
//! ```
//!
//! A session begins with the first kind. If both hellos have `:base:1.1`, both ends change to the second right after them.

use thiserror::Error;

/// Where a message ends on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// `]]>]]>` after each message: `:base:1.0`, and every hello (RFC 6242 section 4.3).
    EndOfMessage,
    /// Chunks with their sizes: `:base:1.1` (RFC 6242 section 4.2).
    Chunked,
}

/// Why a stream cannot be read further. The session must end (RFC 6242 section 4.2): where the next message begins is not known.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FramingError {
    /// An octet that does not belong to a chunk's header.
    #[error("expected {expected} in the header of a chunk, found the octet {found:#04x}")]
    Header {
        /// What the header has there.
        expected: &'static str,
        /// What was found.
        found: u8,
    },
    /// A chunk of more than 4294967295 octets.
    #[error("a chunk's size must be from 1 to 4294967295")]
    Size,
    /// A message longer than the limit.
    #[error("a message of more than {limit} octets")]
    TooLong {
        /// The limit, in octets.
        limit: usize,
    },
}

impl Framing {
    /// Appends a message to a stream's output.
    ///
    /// With [`Framing::EndOfMessage`] the message must not contain `]]>]]>`, which XML that our writer has made never does.
    pub fn frame(self, message: &[u8], output: &mut Vec<u8>) {
        self.part(message, output);
        self.end(output);
    }

    /// Appends a part of a message, of a chunk's size at most; an empty one appends nothing.
    pub fn part(self, part: &[u8], output: &mut Vec<u8>) {
        if part.is_empty() {
            return;
        }
        if self == Framing::Chunked {
            output.extend_from_slice(format!("\n#{}\n", part.len()).as_bytes());
        }
        output.extend_from_slice(part);
    }

    /// Appends the end of a message, of which there was at least one part.
    pub fn end(self, output: &mut Vec<u8>) {
        output.extend_from_slice(match self {
            Framing::EndOfMessage => END_OF_MESSAGE,
            Framing::Chunked => b"\n##\n",
        });
    }
}

/// Cuts a stream into messages. It holds one message at most, and no more of it than the limit.
#[derive(Debug)]
pub struct Deframer {
    framing: Framing,
    state: State,
    message: Vec<u8>,
    limit: usize,
}

/// Where in the framing the next octet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before a chunk or the end of chunks: its line feed.
    LineFeed,
    /// Its `#`.
    Hash,
    /// The first digit of a size, or the second `#` of an end.
    Size,
    /// Further digits, or the line feed behind them.
    Digits(u64),
    /// The data of a chunk, of which so many octets are left.
    Data(u64),
    /// The line feed of an end of chunks.
    End,
}

impl Deframer {
    /// For the begin of a session; no message may be longer than this many octets.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Deframer { framing: Framing::EndOfMessage, state: State::LineFeed, message: Vec::new(), limit }
    }

    /// The framing of what comes next. Changes between messages only.
    pub fn switch(&mut self, framing: Framing) {
        debug_assert!(self.message.is_empty(), "a message has one framing");
        self.framing = framing;
    }

    /// Octets that are kept of a message that has begun.
    #[must_use]
    pub const fn held(&self) -> usize {
        self.message.capacity()
    }

    /// Whether nothing of a message has come since the last one.
    #[must_use]
    pub fn is_between_messages(&self) -> bool {
        self.message.is_empty() && self.state == State::LineFeed
    }

    /// Reads from the front of `input` up to the end of a message, which is returned, or all of it.
    ///
    /// # Errors
    /// The stream cannot be read further.
    pub fn receive(&mut self, input: &mut &[u8]) -> Result<Option<Vec<u8>>, FramingError> {
        match self.framing {
            Framing::EndOfMessage => self.until_end_of_message(input),
            Framing::Chunked => self.until_end_of_chunks(input),
        }
    }

    fn until_end_of_message(&mut self, input: &mut &[u8]) -> Result<Option<Vec<u8>>, FramingError> {
        // The end may have begun in what came before.
        let from = self.message.len().saturating_sub(END_OF_MESSAGE.len() - 1);
        self.message.extend_from_slice(input);
        let found = self.message[from..].windows(END_OF_MESSAGE.len()).position(|it| it == END_OF_MESSAGE);
        let length = found.map_or(self.message.len(), |at| from + at);
        if length > self.limit + END_OF_MESSAGE.len() || found.is_some() && length > self.limit {
            return Err(FramingError::TooLong { limit: self.limit });
        }
        if found.is_none() {
            *input = &[];
            return Ok(None);
        }
        let rest = self.message.len() - length - END_OF_MESSAGE.len();
        *input = &input[input.len() - rest..];
        self.message.truncate(length);
        Ok(Some(std::mem::take(&mut self.message)))
    }

    fn until_end_of_chunks(&mut self, input: &mut &[u8]) -> Result<Option<Vec<u8>>, FramingError> {
        while let Some((&octet, rest)) = input.split_first() {
            let wrong = |expected| Err(FramingError::Header { expected, found: octet });
            self.state = match (self.state, octet) {
                (State::Data(left), _) => {
                    let length = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
                    let (data, rest) = input.split_at(length);
                    self.message.extend_from_slice(data);
                    *input = rest;
                    let left = left - length as u64;
                    self.state = if left == 0 { State::LineFeed } else { State::Data(left) };
                    continue;
                }
                (State::LineFeed, b'\n') => State::Hash,
                (State::LineFeed, _) => return wrong("a line feed"),
                (State::Hash, b'#') => State::Size,
                (State::Hash, _) => return wrong("#"),
                (State::Size, b'#') if !self.message.is_empty() => State::End,
                (State::Size, b'1'..=b'9') => State::Digits(u64::from(octet - b'0')),
                (State::Size, b'0') => return Err(FramingError::Size),
                (State::Size, _) => return wrong("a size"),
                (State::Digits(size), b'0'..=b'9') => {
                    let size = size * 10 + u64::from(octet - b'0');
                    if size > MAX_CHUNK {
                        return Err(FramingError::Size);
                    }
                    State::Digits(size)
                }
                (State::Digits(size), b'\n') => {
                    if size.saturating_add(self.message.len() as u64) > self.limit as u64 {
                        return Err(FramingError::TooLong { limit: self.limit });
                    }
                    State::Data(size)
                }
                (State::Digits(_), _) => return wrong("a digit or a line feed"),
                (State::End, b'\n') => {
                    *input = rest;
                    self.state = State::LineFeed;
                    return Ok(Some(std::mem::take(&mut self.message)));
                }
                (State::End, _) => return wrong("a line feed after ##"),
            };
            *input = rest;
        }
        Ok(None)
    }
}

const END_OF_MESSAGE: &[u8] = b"]]>]]>";
/// RFC 6242 section 4.2.
const MAX_CHUNK: u64 = 4_294_967_295;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All messages of a stream that comes in pieces of this size.
    fn cut(
        framing: Framing,
        stream: &[u8],
        piece: usize,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, FramingError> {
        let mut deframer = Deframer::new(limit);
        deframer.switch(framing);
        let mut messages = vec![];
        for mut piece in stream.chunks(piece) {
            while let Some(message) = deframer.receive(&mut piece)? {
                messages.push(message);
            }
            assert!(piece.is_empty());
        }
        Ok(messages)
    }

    #[test]
    fn the_example_of_the_rfc_is_read() {
        // RFC 6242 section 4.2.
        let stream = b"\n#4\n<rpc\n#18\n message-id=\"102\"\n\n#79\n     xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\">\n  <close-session/>\n</rpc>\n##\n";
        for piece in [1, 2, 3, 7, 1000] {
            let messages = cut(Framing::Chunked, stream, piece, 200).unwrap();
            let text = String::from_utf8_lossy(&messages[0]);
            assert!(text.starts_with("<rpc message-id=\"102\"\n") && text.ends_with("</rpc>"), "{text}");
        }
    }

    #[test]
    fn a_wrong_chunk_ends_the_session() {
        let header = |expected, found| FramingError::Header { expected, found };
        for (stream, error) in [
            (&b"<rpc/>"[..], header("a line feed", b'<')),
            (b"\n<", header("#", b'<')),
            (b"\n#0\n", FramingError::Size),
            (b"\n#01\n", FramingError::Size),
            (b"\n#-1\n", header("a size", b'-')),
            (b"\n##\n", header("a size", b'#')),
            (b"\n#4294967296\n", FramingError::Size),
            (b"\n#99999999999999999999999\n", FramingError::Size),
            (b"\n#3x", header("a digit or a line feed", b'x')),
            (b"\n#2\nab#", header("a line feed", b'#')),
            (b"\n#2\nab\n##x", header("a line feed after ##", b'x')),
            (b"\n#11\n", FramingError::TooLong { limit: 10 }),
            (b"\n#6\nabcdef\n#5\n", FramingError::TooLong { limit: 10 }),
        ] {
            for piece in [1, 100] {
                assert_eq!(cut(Framing::Chunked, stream, piece, 10), Err(error.clone()), "{stream:?}");
            }
        }
    }

    #[test]
    fn a_message_without_an_end_is_bounded() {
        let limit = FramingError::TooLong { limit: 10 };
        for piece in [1, 5, 100] {
            assert_eq!(cut(Framing::EndOfMessage, &[b'x'; 20], piece, 10), Err(limit.clone()));
            assert_eq!(cut(Framing::EndOfMessage, b"01234567890]]>]]>", piece, 10), Err(limit.clone()));
            let whole = cut(Framing::EndOfMessage, b"0123456789]]>]]>", piece, 10);
            assert_eq!(whole, Ok(vec![b"0123456789".to_vec()]));
        }
    }

    #[test]
    fn framing_changes_behind_the_hello_within_one_read() {
        let mut deframer = Deframer::new(100);
        let mut input = &b"<hello/>]]>]]>\n#6\n<rpc/>\n##\n"[..];
        assert_eq!(deframer.receive(&mut input), Ok(Some(b"<hello/>".to_vec())));
        assert!(deframer.is_between_messages());
        deframer.switch(Framing::Chunked);
        assert_eq!(deframer.receive(&mut input), Ok(Some(b"<rpc/>".to_vec())));
        assert!(deframer.is_between_messages() && input.is_empty());
    }

    proptest! {
        #[test]
        fn what_is_framed_is_read_back(
            messages in prop::collection::vec("[a-z<>/ü\\]]{1,40}", 0..5),
            piece in 1usize..20,
            part in 1usize..20,
        ) {
            for framing in [Framing::EndOfMessage, Framing::Chunked] {
                let messages: Vec<Vec<u8>> =
                    messages.iter().map(|it| it.replace("]]>", "").into_bytes()).map(|it| [&it[..], b"."].concat()).collect();
                let mut stream = vec![];
                for message in &messages {
                    message.chunks(part).for_each(|part| framing.part(part, &mut stream));
                    framing.end(&mut stream);
                }
                prop_assert_eq!(&cut(framing, &stream, piece, 1000).unwrap(), &messages);
            }
        }
    }
}
