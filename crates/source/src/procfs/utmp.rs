//! The login records of glibc: /run/utmp, records of a fixed size.

use crate::netlink::attribute::{u16_at, u32_at};

/// The size of a record on 64-bit architectures with glibc (and on x86-64 musl and 32-bit glibc).
pub const RECORD: usize = 384;
const USER_PROCESS: u16 = 7;

/// The process ids of the user sessions: records of type USER_PROCESS. A record cut short is left out.
pub fn sessions(octets: &[u8]) -> impl Iterator<Item = u32> {
    octets
        .chunks_exact(RECORD)
        .filter(|record| u16_at(record, 0) == Some(USER_PROCESS))
        .filter_map(|record| u32_at(record, 4))
        .filter(|pid| *pid > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_whole_records_of_users_count() {
        let mut file = vec![0; 3 * RECORD + 10];
        let put = |file: &mut Vec<u8>, at: usize, kind: u16, pid: u32| {
            file[at * RECORD..][..2].copy_from_slice(&kind.to_ne_bytes());
            file[at * RECORD + 4..][..4].copy_from_slice(&pid.to_ne_bytes());
        };
        put(&mut file, 0, 2, 1); // BOOT_TIME
        put(&mut file, 1, USER_PROCESS, 77);
        put(&mut file, 2, 8, 78); // DEAD_PROCESS
        file[3 * RECORD] = 7;
        assert_eq!(sessions(&file).collect::<Vec<_>>(), [77]);
    }

    proptest! {
        #[test]
        fn any_octets_are_read_without_panic(octets in proptest::collection::vec(any::<u8>(), 0..1200)) {
            prop_assert!(sessions(&octets).count() <= 3);
        }
    }
}
