//! UCD-SNMP-MIB: memory, in units of 1,024 octets.

use super::{ERROR_FLAG, GAUGE64};
use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Scalar, Syntax};

/// The bogus index, always 0.
pub const MEM_INDEX: Scalar =
    Scalar::new("memIndex", &[1, 3, 6, 1, 4, 1, 2021, 4, 1], ReadOnly, Syntax::INTEGER32);
/// The bogus name, always swap.
pub const MEM_ERROR_NAME: Scalar =
    Scalar::new("memErrorName", &[1, 3, 6, 1, 4, 1, 2021, 4, 2], ReadOnly, Syntax::DISPLAY_STRING);
/// Swap space.
pub const MEM_TOTAL_SWAP: Scalar =
    Scalar::new("memTotalSwap", &[1, 3, 6, 1, 4, 1, 2021, 4, 3], ReadOnly, Syntax::INTEGER32).units("kB");
/// Unused swap space.
pub const MEM_AVAIL_SWAP: Scalar =
    Scalar::new("memAvailSwap", &[1, 3, 6, 1, 4, 1, 2021, 4, 4], ReadOnly, Syntax::INTEGER32).units("kB");
/// Physical memory.
pub const MEM_TOTAL_REAL: Scalar =
    Scalar::new("memTotalReal", &[1, 3, 6, 1, 4, 1, 2021, 4, 5], ReadOnly, Syntax::INTEGER32).units("kB");
/// Unused physical memory.
pub const MEM_AVAIL_REAL: Scalar =
    Scalar::new("memAvailReal", &[1, 3, 6, 1, 4, 1, 2021, 4, 6], ReadOnly, Syntax::INTEGER32).units("kB");
/// Swap space for text pages; not known on Linux.
pub const MEM_TOTAL_SWAP_TXT: Scalar =
    Scalar::new("memTotalSwapTXT", &[1, 3, 6, 1, 4, 1, 2021, 4, 7], ReadOnly, Syntax::INTEGER32).units("kB");
/// Unused swap space for text pages; not known on Linux.
pub const MEM_AVAIL_SWAP_TXT: Scalar =
    Scalar::new("memAvailSwapTXT", &[1, 3, 6, 1, 4, 1, 2021, 4, 8], ReadOnly, Syntax::INTEGER32).units("kB");
/// Physical memory for text pages; not known on Linux.
pub const MEM_TOTAL_REAL_TXT: Scalar =
    Scalar::new("memTotalRealTXT", &[1, 3, 6, 1, 4, 1, 2021, 4, 9], ReadOnly, Syntax::INTEGER32).units("kB");
/// Physical memory in use for text pages; not known on Linux.
pub const MEM_AVAIL_REAL_TXT: Scalar =
    Scalar::new("memAvailRealTXT", &[1, 3, 6, 1, 4, 1, 2021, 4, 10], ReadOnly, Syntax::INTEGER32).units("kB");
/// Unused memory and swap space together.
pub const MEM_TOTAL_FREE: Scalar =
    Scalar::new("memTotalFree", &[1, 3, 6, 1, 4, 1, 2021, 4, 11], ReadOnly, Syntax::INTEGER32).units("kB");
/// Below this much unused swap space memSwapError is raised.
pub const MEM_MINIMUM_SWAP: Scalar =
    Scalar::new("memMinimumSwap", &[1, 3, 6, 1, 4, 1, 2021, 4, 12], ReadOnly, Syntax::INTEGER32).units("kB");
/// Shared memory.
pub const MEM_SHARED: Scalar =
    Scalar::new("memShared", &[1, 3, 6, 1, 4, 1, 2021, 4, 13], ReadOnly, Syntax::INTEGER32).units("kB");
/// Memory used as buffers.
pub const MEM_BUFFER: Scalar =
    Scalar::new("memBuffer", &[1, 3, 6, 1, 4, 1, 2021, 4, 14], ReadOnly, Syntax::INTEGER32).units("kB");
/// Memory used as cache, reclaimable slab included.
pub const MEM_CACHED: Scalar =
    Scalar::new("memCached", &[1, 3, 6, 1, 4, 1, 2021, 4, 15], ReadOnly, Syntax::INTEGER32).units("kB");
/// Swap space used for text pages; not known on Linux.
pub const MEM_USED_SWAP_TXT: Scalar =
    Scalar::new("memUsedSwapTXT", &[1, 3, 6, 1, 4, 1, 2021, 4, 16], ReadOnly, Syntax::INTEGER32).units("kB");
/// Memory used for text pages; not known on Linux.
pub const MEM_USED_REAL_TXT: Scalar =
    Scalar::new("memUsedRealTXT", &[1, 3, 6, 1, 4, 1, 2021, 4, 17], ReadOnly, Syntax::INTEGER32).units("kB");
/// The 64-bit memTotalSwap.
pub const MEM_TOTAL_SWAP_X: Scalar =
    Scalar::new("memTotalSwapX", &[1, 3, 6, 1, 4, 1, 2021, 4, 18], ReadOnly, GAUGE64).units("kB");
/// The 64-bit memAvailSwap.
pub const MEM_AVAIL_SWAP_X: Scalar =
    Scalar::new("memAvailSwapX", &[1, 3, 6, 1, 4, 1, 2021, 4, 19], ReadOnly, GAUGE64).units("kB");
/// The 64-bit memTotalReal.
pub const MEM_TOTAL_REAL_X: Scalar =
    Scalar::new("memTotalRealX", &[1, 3, 6, 1, 4, 1, 2021, 4, 20], ReadOnly, GAUGE64).units("kB");
/// The 64-bit memAvailReal.
pub const MEM_AVAIL_REAL_X: Scalar =
    Scalar::new("memAvailRealX", &[1, 3, 6, 1, 4, 1, 2021, 4, 21], ReadOnly, GAUGE64).units("kB");
/// The 64-bit memTotalFree.
pub const MEM_TOTAL_FREE_X: Scalar =
    Scalar::new("memTotalFreeX", &[1, 3, 6, 1, 4, 1, 2021, 4, 22], ReadOnly, GAUGE64).units("kB");
/// The 64-bit memMinimumSwap.
pub const MEM_MINIMUM_SWAP_X: Scalar =
    Scalar::new("memMinimumSwapX", &[1, 3, 6, 1, 4, 1, 2021, 4, 23], ReadOnly, GAUGE64).units("kB");
/// The 64-bit memShared.
pub const MEM_SHARED_X: Scalar =
    Scalar::new("memSharedX", &[1, 3, 6, 1, 4, 1, 2021, 4, 24], ReadOnly, GAUGE64).units("kB");
/// The 64-bit memBuffer.
pub const MEM_BUFFER_X: Scalar =
    Scalar::new("memBufferX", &[1, 3, 6, 1, 4, 1, 2021, 4, 25], ReadOnly, GAUGE64).units("kB");
/// The 64-bit memCached.
pub const MEM_CACHED_X: Scalar =
    Scalar::new("memCachedX", &[1, 3, 6, 1, 4, 1, 2021, 4, 26], ReadOnly, GAUGE64).units("kB");
/// What new programs can use without swapping, as the kernel estimates it.
pub const MEM_SYS_AVAIL: Scalar =
    Scalar::new("memSysAvail", &[1, 3, 6, 1, 4, 1, 2021, 4, 27], ReadOnly, GAUGE64).units("kB");
/// Whether unused swap space is below memMinimumSwap.
pub const MEM_SWAP_ERROR: Scalar =
    Scalar::new("memSwapError", &[1, 3, 6, 1, 4, 1, 2021, 4, 100], ReadOnly, ERROR_FLAG);
/// The text for memSwapError.
pub const MEM_SWAP_ERROR_MSG: Scalar =
    Scalar::new("memSwapErrorMsg", &[1, 3, 6, 1, 4, 1, 2021, 4, 101], ReadOnly, Syntax::DISPLAY_STRING);
