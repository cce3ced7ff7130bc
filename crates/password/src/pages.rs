//! Memory for one password check, directly from the system. Argon2 needs megabytes for some milliseconds;
//! allocators handle that differently (glibc before 2.38 does not reuse freed aligned blocks). Pages from the
//! system are zeroed, and are gone after the check, with everything that could be learned from them.
#![expect(
    unsafe_code,
    reason = "pages of the system for Argon2, which no safe crate offers with their alignment"
)]

use std::io;
use std::ptr::NonNull;

use argon2::Block;

/// Zeroed blocks, returned to the system on drop.
pub(super) struct Pages {
    start: NonNull<Block>,
    blocks: usize,
}

impl Pages {
    /// Maps this many blocks, at least one.
    pub(super) fn map(blocks: usize) -> io::Result<Self> {
        let too_many = || io::Error::from(io::ErrorKind::OutOfMemory);
        let blocks = blocks.max(1);
        let octets = blocks.checked_mul(size_of::<Block>()).ok_or_else(too_many)?;
        // SAFETY: an anonymous private mapping at an address of the system's choice touches no memory of ours.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                octets,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or_else(too_many)?;
        Ok(Self { start, blocks })
    }
}

impl AsMut<[Block]> for Pages {
    fn as_mut(&mut self) -> &mut [Block] {
        // SAFETY: the mapping has room for this many blocks and is exclusively ours until it is dropped; pages are
        // aligned to 4096 octets, blocks to 64; zeros are a valid block (an array of u64).
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.blocks) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping of `map`, no longer borrowed. It cannot fail for a whole mapping.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.blocks * size_of::<Block>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_zero_and_hold_what_is_written() {
        let mut pages = Pages::map(3).unwrap();
        let blocks = pages.as_mut();
        assert_eq!(blocks.len(), 3);
        assert!(blocks.iter().all(|block| block.as_ref().iter().all(|word| *word == 0)));
        blocks[2].as_mut().fill(7);
        assert_eq!((blocks[1].as_ref()[127], blocks[2].as_ref()[127]), (0, 7));
        assert_eq!(Pages::map(0).unwrap().as_mut().len(), 1);
        assert!(Pages::map(usize::MAX).is_err() && Pages::map(usize::MAX / size_of::<Block>()).is_err());
    }
}
