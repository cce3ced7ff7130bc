//! OID prefix compression (draft-ietf-eos-oidcompression-00 section 5): the position of the first sub-identifier that
//! differs from the name before, then the rest of the name.
//!
//! ```text
//! 1.3.6.1.2.1.1.1.0            4e 08  2b 06 01 02 01 01 01 00
//! 1.3.6.1.2.1.1.2.0   0.8.2.0  4f 03  08 02 00
//! ```
//! The position takes the place of an identifier's first two sub-identifiers: S1 = position / 40, S2 = position % 40,
//! which BER packs into the one number `position` again.

use trunkline_smi::MAX_SUB_IDS;

use super::{put_group, read_group};
use crate::OidProblem;

/// The highest position that is written: above it S1 would be 3, which decoders may not expect (section 5).
const MAX_POSITION: usize = 119;

/// The contents of `name` after `previous`; returns `false`, and leaves nothing useful in `out`, if the position
/// is too high.
pub(super) fn write(previous: &[u32], name: &[u32], out: &mut Vec<u8>) -> bool {
    out.clear();
    let common = previous.iter().zip(name).take_while(|(a, b)| a == b).count();
    if common + 1 > MAX_POSITION {
        return false;
    }
    put_group(out, common as u32 + 1);
    name[common..].iter().for_each(|&sub_id| put_group(out, sub_id));
    true
}

/// Makes `name`, which holds the name before, the name that these contents say.
pub(super) fn read(name: &mut Vec<u32>, contents: &[u8]) -> Result<(), OidProblem> {
    let (position, used) = read_group(contents).ok_or(OidProblem::Delta)?;
    let kept = (position as usize).checked_sub(1).filter(|&kept| kept <= name.len());
    let kept = kept
        .ok_or(OidProblem::DeltaPosition { found: position as usize, most: name.len().saturating_add(1) })?;
    name.truncate(kept);
    let mut rest = &contents[used..];
    while !rest.is_empty() {
        let (sub_id, used) = read_group(rest).ok_or(OidProblem::Delta)?;
        if name.len() == MAX_SUB_IDS {
            return Err(OidProblem::TooLong);
        }
        name.push(sub_id);
        rest = &rest[used..];
    }
    Ok(())
}
