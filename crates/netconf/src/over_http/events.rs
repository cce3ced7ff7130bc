//! Streams of events: server-sent events (RFC 8040 section 6, HTML section 9.2), octets in, data of events out.

use thiserror::Error;

/// A stream that is being read.
#[derive(Debug)]
pub struct EventStream {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// The last octet was a carriage return, of which a line feed is a part.
    is_return: bool,
    most: usize,
}

/// An event is longer than is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an event of the stream has more than {most} octets")]
pub struct TooLong {
    /// The limit.
    pub most: usize,
}

impl EventStream {
    /// A stream whose events have at most so many octets.
    #[must_use]
    pub fn new(most: usize) -> EventStream {
        EventStream { line: Vec::new(), data: Vec::new(), has_data: false, is_return: false, most }
    }

    /// Takes octets up to the end of an event, whose data it returns; without an end, all of them.
    ///
    /// # Errors
    /// [`TooLong`].
    pub fn receive(&mut self, octets: &mut &[u8]) -> Result<Option<Vec<u8>>, TooLong> {
        while let Some((&octet, rest)) = octets.split_first() {
            *octets = rest;
            let is_of_return = std::mem::replace(&mut self.is_return, octet == b'\r') && octet == b'\n';
            match octet {
                b'\n' if is_of_return => {}
                b'\n' | b'\r' => {
                    if let Some(data) = self.end_of_line() {
                        return Ok(Some(data));
                    }
                }
                _ if self.line.len() + self.data.len() >= self.most => {
                    return Err(TooLong { most: self.most });
                }
                _ => self.line.push(octet),
            }
        }
        Ok(None)
    }

    fn end_of_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let has_data = std::mem::take(&mut self.has_data);
            let data = std::mem::take(&mut self.data);
            return has_data.then_some(data);
        }
        // Comments and other fields say nothing here.
        if let Some(value) = line.strip_prefix(b"data") {
            let value = match value.strip_prefix(b":") {
                Some(value) => value.strip_prefix(b" ").unwrap_or(value),
                None if value.is_empty() => value,
                None => return None,
            };
            if self.has_data {
                self.data.push(b'\n');
            }
            self.has_data = true;
            self.data.extend_from_slice(value);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8], piece: usize) -> Vec<String> {
        let mut stream = EventStream::new(1000);
        let mut found = Vec::new();
        for mut octets in text.chunks(piece) {
            while let Some(data) = stream.receive(&mut octets).unwrap() {
                found.push(String::from_utf8(data).unwrap());
            }
        }
        found
    }

    #[test]
    fn events_are_the_same_in_any_pieces() {
        let text = b": hello\n\ndata: a\ndata:  b\nid: 7\n\ndata:c\r\ndata\r\n\r\nevent: x\n\ndatas: y\n\ndata: d\rdata: e\r\rdata: not yet\n";
        for piece in 1..text.len() {
            assert_eq!(all(text, piece), ["a\n b", "c\n", "d\ne"], "{piece}");
        }
    }

    #[test]
    fn an_event_is_bounded() {
        let mut stream = EventStream::new(10);
        assert_eq!(stream.receive(&mut &b"data: 0123456789"[..]), Err(TooLong { most: 10 }));
        let mut stream = EventStream::new(10);
        assert_eq!(stream.receive(&mut &b"data: 123\ndata: 1234567"[..]), Err(TooLong { most: 10 }));
    }
}
