//! Compressing answers. A compressor's state is large (about 300 KB) and is reused.

use std::sync::{Mutex, PoisonError};

use flate2::{Compress, Compression, Crc, FlushCompress};

use super::coding::Coding;

/// Idle compressors. Each answer being compressed uses one.
pub(super) struct Compressors {
    level: Compression,
    /// With the zlib frame.
    zlib: Mutex<Vec<Compress>>,
    /// Without a frame: gzip has its own.
    raw: Mutex<Vec<Compress>>,
}

impl Compressors {
    pub(super) fn new(level: u32) -> Self {
        Self { level: Compression::new(level.min(9)), zlib: Mutex::default(), raw: Mutex::default() }
    }

    /// The compressed body; `None` if it would not become shorter.
    pub(super) fn compress(&self, body: &[u8], coding: Coding) -> Option<Vec<u8>> {
        let (idle, zlib) = match coding {
            Coding::Gzip => (&self.raw, false),
            Coding::Deflate => (&self.zlib, true),
        };
        let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut compressor = kept.unwrap_or_else(|| Compress::new(self.level, zlib));
        let mut output = Vec::with_capacity(body.len() / 4 + GZIP_HEAD.len() + GZIP_TAIL);
        if coding == Coding::Gzip {
            output.extend_from_slice(&GZIP_HEAD);
        }
        let done = deflate(&mut compressor, body, &mut output);
        compressor.reset();
        let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(compressor);
        }
        drop(idle);
        done?;
        if coding == Coding::Gzip {
            let mut sum = Crc::new();
            sum.update(body);
            output.extend_from_slice(&sum.sum().to_le_bytes());
            output.extend_from_slice(&sum.amount().to_le_bytes());
        }
        (output.len() < body.len()).then_some(output)
    }
}

/// Appends all of `body`; `None` as soon as the output is longer than the input.
fn deflate(compressor: &mut Compress, body: &[u8], output: &mut Vec<u8>) -> Option<()> {
    loop {
        let read = usize::try_from(compressor.total_in()).ok()?;
        let rest = body.get(read..)?;
        match compressor.compress_vec(rest, output, FlushCompress::Finish).ok()? {
            flate2::Status::StreamEnd => return Some(()),
            _ if output.len() >= body.len() => return None,
            _ => output.reserve((output.len() / 2).max(1_024)),
        }
    }
}

/// RFC 1952 section 2.3: deflate, no flags, no time, an unknown system.
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
const GZIP_TAIL: usize = 8;

/// Maximum number of idle compressors of each kind.
const MAX_IDLE: usize = 4;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::inflate::{Bounds, inflate};
    use super::*;

    const BOUNDS: Bounds = Bounds { octets: 1 << 20, growth: 10_000 };

    #[test]
    fn a_body_that_would_not_shrink_stays_uncompressed() {
        let compressors = Compressors::new(6);
        for coding in [Coding::Gzip, Coding::Deflate] {
            assert_eq!(compressors.compress(b"abc", coding), None);
            let noise: Vec<u8> = (0..5_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
            assert!(compressors.compress(&noise, coding).is_none_or(|octets| octets.len() < noise.len()));
            assert_eq!(compressors.compress(&[7; 1_000], coding).map(|octets| octets.len() < 40), Some(true));
        }
    }

    proptest! {
        #[test]
        fn compression_round_trips(words in proptest::collection::vec("[a-d]{1,6}", 100..600), level in 1u32..=9) {
            let body = words.join(" ").into_bytes();
            let compressors = Compressors::new(level);
            for coding in [Coding::Gzip, Coding::Deflate, Coding::Gzip, Coding::Deflate] {
                let compressed = compressors.compress(&body, coding).unwrap();
                prop_assert_eq!(inflate(&compressed, coding, BOUNDS).unwrap(), body.clone());
            }
        }
    }
}
