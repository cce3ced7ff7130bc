//! What a datagram reveals without keys: enough to assign it to a session.
//!
//! ```text
//! record:     type(1) version(2) epoch(2) number(6) length(2), then for a handshake in epoch 0:
//! handshake:  type(1) length(3) message(2) offset(3) length(3), then for a ClientHello:
//! hello:      version(2) random(32) ...
//! ```

/// The first record of a datagram (RFC 6347 section 4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstRecord {
    /// What is in it.
    pub content: ContentKind,
    /// The epoch of its keys: 0 for none.
    pub epoch: u16,
    /// The client's random octets if it begins a handshake, by which repetitions are recognized.
    pub hello: Option<[u8; 32]>,
}

/// The content of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentKind {
    /// A part of a handshake, or the change of keys.
    Handshake,
    /// An alert.
    Alert,
    /// A message.
    Message,
}

impl FirstRecord {
    /// The first record of `datagram`; `None` when it has none.
    #[must_use]
    pub fn of(datagram: &[u8]) -> Option<Self> {
        let (header, rest) = datagram.split_first_chunk::<13>()?;
        let &[kind, major, _, epoch_high, epoch_low, .., long, short] = header;
        let body = rest.get(..usize::from(u16::from_be_bytes([long, short])))?;
        let content = match kind {
            20 | 22 => ContentKind::Handshake,
            21 => ContentKind::Alert,
            23 => ContentKind::Message,
            _ => return None,
        };
        if major != DTLS_1 || body.is_empty() {
            return None;
        }
        let epoch = u16::from_be_bytes([epoch_high, epoch_low]);
        let hello = if kind == 22 && epoch == 0 { random_of_hello(body) } else { None };
        Some(Self { content, epoch, hello })
    }
}

fn random_of_hello(handshake: &[u8]) -> Option<[u8; 32]> {
    let (header, hello) = handshake.split_first_chunk::<12>()?;
    if header[0] != CLIENT_HELLO {
        return None;
    }
    hello.get(2..)?.first_chunk().copied()
}

/// The first octet of all versions of DTLS: the ones' complement of the version.
const DTLS_1: u8 = 0xfe;

/// RFC 5246 section 7.4.
const CLIENT_HELLO: u8 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u8, epoch: u8, body: &[u8]) -> Vec<u8> {
        let mut octets = vec![kind, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 0, 7];
        octets.extend(u16::try_from(body.len()).unwrap().to_be_bytes());
        octets.extend_from_slice(body);
        octets
    }

    fn hello() -> Vec<u8> {
        let mut body = vec![1, 0, 0, 34, 0, 0, 0, 0, 0, 0, 0, 34, 0xfe, 0xfd];
        body.extend(0..32);
        body
    }

    #[test]
    fn a_hello_is_known_by_its_random_octets() {
        let first = FirstRecord::of(&record(22, 0, &hello())).unwrap();
        assert_eq!((first.content, first.epoch), (ContentKind::Handshake, 0));
        assert_eq!(first.hello.unwrap(), std::array::from_fn(|at| u8::try_from(at).unwrap()));
    }

    #[test]
    fn under_keys_nothing_is_a_hello() {
        assert_eq!(FirstRecord::of(&record(22, 1, &hello())).unwrap().hello, None);
        assert_eq!(FirstRecord::of(&record(23, 1, &hello())).unwrap().content, ContentKind::Message);
        assert_eq!(FirstRecord::of(&record(21, 0, &[2, 0])).unwrap().content, ContentKind::Alert);
        let mut other = hello();
        other[0] = 2;
        assert_eq!(FirstRecord::of(&record(22, 0, &other)).unwrap().hello, None);
    }

    #[test]
    fn truncated_or_foreign_datagrams_have_no_record() {
        let whole = record(22, 0, &hello());
        for end in 0..whole.len() {
            assert_eq!(FirstRecord::of(&whole[..end]), None, "{end}");
        }
        assert_eq!(FirstRecord::of(&record(24, 0, &[1])), None);
        assert_eq!(FirstRecord::of(&record(22, 0, &[])), None);
        let mut tls = whole;
        tls[1] = 3;
        assert_eq!(FirstRecord::of(&tls), None);
    }

    proptest::proptest! {
        #[test]
        fn only_the_first_record_counts(
            kind in 19..25u8,
            body in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80),
            rest in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80),
        ) {
            let alone = record(kind, 0, &body);
            let followed = [&alone[..], &rest[..]].concat();
            proptest::prop_assert_eq!(FirstRecord::of(&alone), FirstRecord::of(&followed));
            proptest::prop_assert_eq!(FirstRecord::of(&alone[..alone.len() - 1]), None);
            let _ = FirstRecord::of(&rest);
        }
    }
}
