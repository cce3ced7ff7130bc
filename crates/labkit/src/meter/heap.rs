//! The heap of this program: what its allocator has handed out. `unsafe`, since no safe crate asks the C library for it.
#![allow(unsafe_code)]

/// Octets that are in use, by the counts of glibc's allocator; `None` with another one. Unlike resident memory they go down with what
/// is released, and up with what uses it again.
pub fn in_use() -> Option<u64> {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: the call takes nothing, and returns numbers.
        let counts = unsafe { libc::mallinfo() };
        // The counts are of 32 bits: up to 4 GiB without a sign.
        let [parts, mapped] = [counts.uordblks, counts.hblkhd].map(|it| u64::from(it.cast_unsigned()));
        Some(parts + mapped)
    }
    #[cfg(not(target_env = "gnu"))]
    None
}

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_allocated_is_in_use_until_it_is_released() {
        // Much more than what other tests of this process hold meanwhile.
        const MUCH: usize = 256 << 20;
        let before = in_use().unwrap();
        let much: Vec<u8> = Vec::with_capacity(MUCH);
        let with = in_use().unwrap();
        drop(std::hint::black_box(much));
        let after = in_use().unwrap();
        let half = MUCH as u64 / 2;
        assert!(with > before + half && after + half < with, "{before} {with} {after}");
    }
}
