//! UCD-SNMP-MIB: processor time, input and output, interrupts. A tick is 1/100 s;
//! the raw counters are the low 32 bits of the kernel's and wrap.

use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Scalar, Syntax};

/// The bogus index, always 1.
pub const SS_INDEX: Scalar =
    Scalar::new("ssIndex", &[1, 3, 6, 1, 4, 1, 2021, 11, 1], ReadOnly, Syntax::INTEGER32);
/// The bogus name, always systemStats.
pub const SS_ERROR_NAME: Scalar =
    Scalar::new("ssErrorName", &[1, 3, 6, 1, 4, 1, 2021, 11, 2], ReadOnly, Syntax::DISPLAY_STRING);
/// Memory swapped in from disk each second, over the last minute.
pub const SS_SWAP_IN: Scalar =
    Scalar::new("ssSwapIn", &[1, 3, 6, 1, 4, 1, 2021, 11, 3], ReadOnly, Syntax::INTEGER32).units("kB");
/// Memory swapped out to disk each second, over the last minute.
pub const SS_SWAP_OUT: Scalar =
    Scalar::new("ssSwapOut", &[1, 3, 6, 1, 4, 1, 2021, 11, 4], ReadOnly, Syntax::INTEGER32).units("kB");
/// Blocks of 512 octets written each second, over the last minute.
pub const SS_IO_SENT: Scalar =
    Scalar::new("ssIOSent", &[1, 3, 6, 1, 4, 1, 2021, 11, 5], ReadOnly, Syntax::INTEGER32).units("blocks/s");
/// Blocks of 512 octets read each second, over the last minute.
pub const SS_IO_RECEIVE: Scalar =
    Scalar::new("ssIOReceive", &[1, 3, 6, 1, 4, 1, 2021, 11, 6], ReadOnly, Syntax::INTEGER32)
        .units("blocks/s");
/// Interrupts each second, over the last minute.
pub const SS_SYS_INTERRUPTS: Scalar =
    Scalar::new("ssSysInterrupts", &[1, 3, 6, 1, 4, 1, 2021, 11, 7], ReadOnly, Syntax::INTEGER32)
        .units("interrupts/s");
/// Context switches each second, over the last minute.
pub const SS_SYS_CONTEXT: Scalar =
    Scalar::new("ssSysContext", &[1, 3, 6, 1, 4, 1, 2021, 11, 8], ReadOnly, Syntax::INTEGER32)
        .units("switches/s");
/// Percentage of processor time in user code, over the last minute.
pub const SS_CPU_USER: Scalar =
    Scalar::new("ssCpuUser", &[1, 3, 6, 1, 4, 1, 2021, 11, 9], ReadOnly, Syntax::INTEGER32);
/// Percentage of processor time in the kernel, over the last minute.
pub const SS_CPU_SYSTEM: Scalar =
    Scalar::new("ssCpuSystem", &[1, 3, 6, 1, 4, 1, 2021, 11, 10], ReadOnly, Syntax::INTEGER32);
/// Percentage of idle processor time, over the last minute.
pub const SS_CPU_IDLE: Scalar =
    Scalar::new("ssCpuIdle", &[1, 3, 6, 1, 4, 1, 2021, 11, 11], ReadOnly, Syntax::INTEGER32);
/// Ticks of processor time in user code.
pub const SS_CPU_RAW_USER: Scalar =
    Scalar::new("ssCpuRawUser", &[1, 3, 6, 1, 4, 1, 2021, 11, 50], ReadOnly, Syntax::COUNTER32);
/// Ticks in user code of reduced priority.
pub const SS_CPU_RAW_NICE: Scalar =
    Scalar::new("ssCpuRawNice", &[1, 3, 6, 1, 4, 1, 2021, 11, 51], ReadOnly, Syntax::COUNTER32);
/// Ticks in the kernel.
pub const SS_CPU_RAW_SYSTEM: Scalar =
    Scalar::new("ssCpuRawSystem", &[1, 3, 6, 1, 4, 1, 2021, 11, 52], ReadOnly, Syntax::COUNTER32);
/// Idle ticks.
pub const SS_CPU_RAW_IDLE: Scalar =
    Scalar::new("ssCpuRawIdle", &[1, 3, 6, 1, 4, 1, 2021, 11, 53], ReadOnly, Syntax::COUNTER32);
/// Ticks spent waiting for input and output.
pub const SS_CPU_RAW_WAIT: Scalar =
    Scalar::new("ssCpuRawWait", &[1, 3, 6, 1, 4, 1, 2021, 11, 54], ReadOnly, Syntax::COUNTER32);
/// Ticks in the kernel proper; always 0 on Linux, where ssCpuRawSystem has them.
pub const SS_CPU_RAW_KERNEL: Scalar =
    Scalar::new("ssCpuRawKernel", &[1, 3, 6, 1, 4, 1, 2021, 11, 55], ReadOnly, Syntax::COUNTER32);
/// Ticks in hardware interrupts.
pub const SS_CPU_RAW_INTERRUPT: Scalar =
    Scalar::new("ssCpuRawInterrupt", &[1, 3, 6, 1, 4, 1, 2021, 11, 56], ReadOnly, Syntax::COUNTER32);
/// Blocks of 512 octets written.
pub const SS_IO_RAW_SENT: Scalar =
    Scalar::new("ssIORawSent", &[1, 3, 6, 1, 4, 1, 2021, 11, 57], ReadOnly, Syntax::COUNTER32);
/// Blocks of 512 octets read.
pub const SS_IO_RAW_RECEIVED: Scalar =
    Scalar::new("ssIORawReceived", &[1, 3, 6, 1, 4, 1, 2021, 11, 58], ReadOnly, Syntax::COUNTER32);
/// Interrupts.
pub const SS_RAW_INTERRUPTS: Scalar =
    Scalar::new("ssRawInterrupts", &[1, 3, 6, 1, 4, 1, 2021, 11, 59], ReadOnly, Syntax::COUNTER32);
/// Context switches.
pub const SS_RAW_CONTEXTS: Scalar =
    Scalar::new("ssRawContexts", &[1, 3, 6, 1, 4, 1, 2021, 11, 60], ReadOnly, Syntax::COUNTER32);
/// Ticks in software interrupts.
pub const SS_CPU_RAW_SOFT_IRQ: Scalar =
    Scalar::new("ssCpuRawSoftIRQ", &[1, 3, 6, 1, 4, 1, 2021, 11, 61], ReadOnly, Syntax::COUNTER32);
/// Pages swapped in.
pub const SS_RAW_SWAP_IN: Scalar =
    Scalar::new("ssRawSwapIn", &[1, 3, 6, 1, 4, 1, 2021, 11, 62], ReadOnly, Syntax::COUNTER32);
/// Pages swapped out.
pub const SS_RAW_SWAP_OUT: Scalar =
    Scalar::new("ssRawSwapOut", &[1, 3, 6, 1, 4, 1, 2021, 11, 63], ReadOnly, Syntax::COUNTER32);
/// Ticks that the hypervisor gave to others.
pub const SS_CPU_RAW_STEAL: Scalar =
    Scalar::new("ssCpuRawSteal", &[1, 3, 6, 1, 4, 1, 2021, 11, 64], ReadOnly, Syntax::COUNTER32);
/// Ticks in guests' code.
pub const SS_CPU_RAW_GUEST: Scalar =
    Scalar::new("ssCpuRawGuest", &[1, 3, 6, 1, 4, 1, 2021, 11, 65], ReadOnly, Syntax::COUNTER32);
/// Ticks in guests' code of reduced priority.
pub const SS_CPU_RAW_GUEST_NICE: Scalar =
    Scalar::new("ssCpuRawGuestNice", &[1, 3, 6, 1, 4, 1, 2021, 11, 66], ReadOnly, Syntax::COUNTER32);
/// Processors.
pub const SS_CPU_NUM_CPUS: Scalar =
    Scalar::new("ssCpuNumCpus", &[1, 3, 6, 1, 4, 1, 2021, 11, 67], ReadOnly, Syntax::INTEGER32);
