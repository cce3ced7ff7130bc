//! The end of a message in a stream of octets (RFC 3430 section 2.1): TCP has no frames, so the BER length of the
//! message is the frame.

use super::{MAX_MESSAGE_SIZE, tag};
use crate::FrameError;

/// The number of octets of the message that starts here, type and length included. `Ok(None)`: too few octets to
/// decide, at most six are needed. An error means that the stream cannot be followed any more. Bounded by
/// [`MAX_MESSAGE_SIZE`].
pub fn frame_length(prefix: &[u8]) -> Result<Option<usize>, FrameError> {
    frame_length_within(prefix, MAX_MESSAGE_SIZE)
}

/// [`frame_length`] with another limit, in octets.
pub fn frame_length_within(prefix: &[u8], limit: usize) -> Result<Option<usize>, FrameError> {
    let Some((&found, rest)) = prefix.split_first() else { return Ok(None) };
    if found != tag::SEQUENCE {
        return Err(FrameError::NotASequence { expected: tag::SEQUENCE, found });
    }
    let Some((&form, rest)) = rest.split_first() else { return Ok(None) };
    let total = match form {
        0..=0x7f => 2 + usize::from(form),
        0x81..=0x84 => {
            let size = usize::from(form & 0x7f);
            let Some(octets) = rest.get(..size) else { return Ok(None) };
            let length = octets.iter().fold(0usize, |sum, &octet| sum << 8 | usize::from(octet));
            length.saturating_add(2 + size)
        }
        _ => return Err(FrameError::LengthForm { found: form }),
    };
    if total > limit {
        return Err(FrameError::TooLarge { found: total, limit });
    }
    Ok(Some(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_as_they_arrive() {
        for (prefix, length) in [
            (&[][..], None),
            (&[0x30], None),
            (&[0x30, 0x26], Some(40)),
            (&[0x30, 0x26, 2, 1, 1], Some(40)),
            (&[0x30, 0x00], Some(2)),
            (&[0x30, 0x82], None),
            (&[0x30, 0x82, 1], None),
            (&[0x30, 0x82, 1, 2], Some(4 + 258)),
            (&[0x30, 0x84, 0, 0, 1, 2], Some(6 + 258)),
        ] {
            assert_eq!(frame_length(prefix), Ok(length), "{prefix:?}");
        }
    }

    #[test]
    fn malformed_streams() {
        assert_eq!(frame_length(b"GET"), Err(FrameError::NotASequence { expected: 0x30, found: b'G' }));
        for form in [0x80, 0x85, 0xff] {
            assert_eq!(frame_length(&[0x30, form]), Err(FrameError::LengthForm { found: form }));
        }
        assert_eq!(
            frame_length(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]),
            Err(FrameError::TooLarge { found: 0x1_0000_0005, limit: MAX_MESSAGE_SIZE })
        );
        assert_eq!(frame_length_within(&[0x30, 8], 10), Ok(Some(10)));
        assert_eq!(frame_length_within(&[0x30, 9], 10), Err(FrameError::TooLarge { found: 11, limit: 10 }));
    }
}
