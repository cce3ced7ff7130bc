//! Decompressing a peer's body within limits.

use std::io::{self, BufRead, Read};

use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use super::coding::Coding;

/// How much a body may grow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Maximum number of bytes.
    pub octets: usize,
    /// And maximum ratio, above [`SMALL`].
    pub growth: usize,
}

/// Why a body cannot be decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InflateError {
    /// It exceeds the limit.
    #[error("the body is longer than {limit} octets when it is decompressed")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// It grows too much: almost certainly a bomb.
    #[error("the body grows to more than {growth} times its size when it is decompressed")]
    Bomb {
        /// The maximum ratio.
        growth: usize,
    },
    /// It ends too early.
    #[error("the compressed body ends too early")]
    CutShort,
    /// It is not in this format, or its checksum is wrong.
    #[error("the body is not compressed as its head says")]
    Malformed,
    /// Data follows its end.
    #[error("something follows the end of the compressed body")]
    Trailing,
}

/// The decompressed body. `deflate` is also accepted without the zlib frame, as some clients send it.
pub(super) fn inflate(compressed: &[u8], coding: Coding, bounds: Bounds) -> Result<Vec<u8>, InflateError> {
    match coding {
        // One or more members (RFC 1952 section 2.2). An empty body has none.
        Coding::Gzip if compressed.is_empty() => Err(InflateError::CutShort),
        Coding::Gzip => {
            drain(MultiGzDecoder::new(compressed), bounds, compressed.len(), MultiGzDecoder::into_inner)
        }
        Coding::Deflate if is_zlib(compressed) => {
            drain(ZlibDecoder::new(compressed), bounds, compressed.len(), ZlibDecoder::into_inner)
        }
        Coding::Deflate => {
            drain(DeflateDecoder::new(compressed), bounds, compressed.len(), DeflateDecoder::into_inner)
        }
    }
}

/// RFC 1950 section 2.2: method 8, and both octets together a multiple of 31.
fn is_zlib(octets: &[u8]) -> bool {
    match octets {
        [method, flags, ..] => method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31),
        _ => true,
    }
}

fn drain<R: Read, I: BufRead>(
    mut decoder: R,
    bounds: Bounds,
    compressed: usize,
    rest: impl FnOnce(R) -> I,
) -> Result<Vec<u8>, InflateError> {
    let by_growth = compressed.saturating_mul(bounds.growth).max(SMALL);
    let limit = bounds.octets.min(by_growth);
    let mut body = Vec::with_capacity(compressed.saturating_mul(4).min(limit));
    let mut piece = [0; 16 << 10];
    loop {
        let octets = match decoder.read(&mut piece) {
            Ok(0) => break,
            Ok(octets) => octets,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(InflateError::CutShort),
            Err(_) => return Err(InflateError::Malformed),
        };
        if body.len() + octets > limit {
            return Err(if limit == by_growth && by_growth < bounds.octets {
                InflateError::Bomb { growth: bounds.growth }
            } else {
                InflateError::TooLong { limit }
            });
        }
        body.extend_from_slice(&piece[..octets]);
    }
    match rest(decoder).fill_buf() {
        Ok([]) => Ok(body),
        _ => Err(InflateError::Trailing),
    }
}

/// Up to this size the ratio is not limited.
const SMALL: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    const BOUNDS: Bounds = Bounds { octets: 1 << 20, growth: 100 };

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(body: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn raw(body: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn foreign_compressed_bodies_are_decompressed() {
        // Python's gzip of this text.
        let gzip = [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57,
            0xc8, 0x40, 0x90, 0x5c, 0x00, 0x3b, 0x7c, 0x8a, 0xdf, 0x12, 0x00, 0x00, 0x00,
        ];
        assert_eq!(inflate(&gzip, Coding::Gzip, BOUNDS), Ok(b"hello hello hello\n".to_vec()));
        let stored = [0x78, 0x01, 0x01, 3, 0, 0xfc, 0xff, b'a', b'b', b'c', 0x02, 0x4d, 0x01, 0x27];
        assert_eq!(inflate(&stored, Coding::Deflate, BOUNDS), Ok(b"abc".to_vec()));
    }

    #[test]
    fn members_follow_each_other() {
        let members = [gzip(b"one "), gzip(b""), gzip(b"two")].concat();
        assert_eq!(inflate(&members, Coding::Gzip, BOUNDS), Ok(b"one two".to_vec()));
        let cut = &members[..members.len() - 1];
        assert_eq!(inflate(cut, Coding::Gzip, BOUNDS), Err(InflateError::CutShort));
        // The limits apply to all of them together.
        let bomb = gzip(&vec![0; SMALL]).repeat(20);
        assert_eq!(
            inflate(&bomb, Coding::Gzip, Bounds { growth: 10_000, ..BOUNDS }),
            Err(InflateError::TooLong { limit: 1 << 20 })
        );
    }

    #[test]
    fn bombs_and_long_bodies_are_distinguished() {
        let zeros = vec![0; 4 << 20];
        for (coding, octets) in [(Coding::Gzip, gzip(&zeros)), (Coding::Deflate, zlib(&zeros))] {
            assert_eq!(inflate(&octets, coding, BOUNDS), Err(InflateError::Bomb { growth: 100 }));
            let wide = Bounds { growth: 10_000, ..BOUNDS };
            assert_eq!(inflate(&octets, coding, wide), Err(InflateError::TooLong { limit: 1 << 20 }));
        }
        assert_eq!(inflate(&gzip(&vec![0; SMALL]), Coding::Gzip, BOUNDS).map(|body| body.len()), Ok(SMALL));
    }

    #[test]
    fn broken_bodies_are_reported() {
        let good = gzip(b"some words, some words, some words");
        for cut in 1..good.len() {
            assert_eq!(inflate(&good[..cut], Coding::Gzip, BOUNDS), Err(InflateError::CutShort), "{cut}");
        }
        let mut wrong = good.clone();
        let last = wrong.len() - 5;
        wrong[last] ^= 1;
        assert_eq!(inflate(&wrong, Coding::Gzip, BOUNDS), Err(InflateError::Malformed));
        assert_eq!(inflate(b"no gzip at all", Coding::Gzip, BOUNDS), Err(InflateError::Malformed));
        let mut more = good.clone();
        more.push(0);
        assert_eq!(inflate(&more, Coding::Gzip, BOUNDS), Err(InflateError::CutShort));
        let trailing = [&good[..], b"something else"].concat();
        assert_eq!(inflate(&trailing, Coding::Gzip, BOUNDS), Err(InflateError::Malformed));
        let mut more = zlib(b"some words");
        more.extend(b"x");
        assert_eq!(inflate(&more, Coding::Deflate, BOUNDS), Err(InflateError::Trailing));
        assert_eq!(inflate(b"", Coding::Deflate, BOUNDS), Err(InflateError::CutShort));
    }

    proptest! {
        #[test]
        fn decompression_round_trips(body in proptest::collection::vec(0u8..4, 0..3_000)) {
            prop_assert_eq!(&inflate(&gzip(&body), Coding::Gzip, BOUNDS).unwrap(), &body);
            prop_assert_eq!(&inflate(&zlib(&body), Coding::Deflate, BOUNDS).unwrap(), &body);
            let raw = raw(&body);
            if !is_zlib(&raw) {
                prop_assert_eq!(&inflate(&raw, Coding::Deflate, BOUNDS).unwrap(), &body);
            }
        }

        #[test]
        fn octets_of_any_kind_stay_within_bounds(octets: Vec<u8>, gzipped: bool) {
            let coding = if gzipped { Coding::Gzip } else { Coding::Deflate };
            if let Ok(body) = inflate(&octets, coding, BOUNDS) {
                prop_assert!(body.len() <= SMALL.max(octets.len() * 100));
            }
        }
    }
}
