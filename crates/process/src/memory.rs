//! Returns unused memory to the system: freed memory, which the C library would keep, so that after a flood of
//! connections the agent would stay as large as at its peak; and code that only runs at the start.

use std::ffi::CStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use trunkline_transport::Resources;

/// Returns freed memory whenever many connections have ended, while it is polled.
pub async fn give_back(resources: Arc<Resources>) {
    loop {
        resources.many_ended().await;
        // Others end with them. Doing it more often would cost more than it returns.
        tokio::time::sleep(PAUSE).await;
        let given = tokio::task::spawn_blocking(give_back_now).await;
        tracing::debug!(
            given = given.unwrap_or(false),
            "memory of ended connections was returned to the system"
        );
    }
}

/// The same whenever something else has been forgotten that took much.
pub async fn give_back_after(forgotten: Arc<Notify>) {
    loop {
        forgotten.notified().await;
        // Others are forgotten with it.
        tokio::time::sleep(PAUSE).await;
        let given = tokio::task::spawn_blocking(give_back_now).await;
        tracing::debug!(given = given.unwrap_or(false), "memory of devices was returned to the system");
    }
}

/// Takes the pages of the program and its libraries that cannot be written to out of this process, once a start or a
/// reload is over, and again when what it has begun in tasks and threads is. Those that are used again return from the page cache at
/// their next use; the others (the command line, the configuration, the start of the cryptographic libraries, the
/// first notification) are the greater part (docs/decisions/0049). Called within the runtime.
pub fn release_code_soon() {
    static IS_DUE: AtomicBool = AtomicBool::new(false);
    release_segments();
    if IS_DUE.swap(true, Ordering::Relaxed) {
        return;
    }
    tokio::spawn(async {
        tokio::time::sleep(UNTIL_CALM).await;
        IS_DUE.store(false, Ordering::Relaxed);
        let bytes = release_segments();
        tracing::debug!(bytes, "pages of code were released");
    });
}

/// Releases the read-only segments of each loaded object, and returns their length in bytes.
#[expect(unsafe_code, reason = "no safe crate wraps it")]
fn release_segments() -> usize {
    let mut released = 0;
    // SAFETY: the callback gets the pointer that is given here, and it is called before this call returns.
    unsafe { libc::dl_iterate_phdr(Some(release_object), (&raw mut released).cast()) };
    released
}

/// The loader holds its lock meanwhile: no object is unloaded.
#[expect(unsafe_code, reason = "no safe crate wraps it")]
unsafe extern "C" fn release_object(
    info: *mut libc::dl_phdr_info,
    _size: libc::size_t,
    released: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: the loader passes a valid structure, whose name and headers live as long as the object; `released` is the
    // pointer of `release_segments`.
    let (info, name, headers, released) = unsafe {
        let info = &*info;
        let name = if info.dlpi_name.is_null() { c"" } else { CStr::from_ptr(info.dlpi_name) };
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        (info, name, headers, &mut *released.cast::<usize>())
    };
    // The program itself has no name. The kernel's own object (vdso) is not a file.
    if !name.is_empty() && !name.to_bytes().starts_with(b"/") {
        return 0;
    }
    for header in headers {
        if header.p_type != libc::PT_LOAD || header.p_flags & libc::PF_W != 0 {
            continue;
        }
        let start = info.dlpi_addr as usize + header.p_vaddr as usize;
        let end = start + header.p_memsz as usize;
        let pages = start.next_multiple_of(PAGE)..end / PAGE * PAGE;
        let length = pages.end.saturating_sub(pages.start);
        // SAFETY: the pages are mapped from a file and cannot be written to; what the loader relocates is in other
        // segments. Each page returns with the same content when it is next used (madvise(2), MADV_DONTNEED).
        let is_released = length > 0
            && unsafe { libc::madvise(pages.start as *mut libc::c_void, length, libc::MADV_DONTNEED) == 0 };
        *released += if is_released { length } else { 0 };
    }
    0
}

/// How long after a start or a reload everything that it begins has run once.
const UNTIL_CALM: Duration = Duration::from_secs(1);

/// At least the length of a page: what is left out at the ends of a segment stays as it is.
const PAGE: usize = 1 << 16;

/// Returns freed memory, whichever thread has freed it; whether there was some. It takes about a millisecond.
#[cfg(target_env = "gnu")]
#[expect(unsafe_code, reason = "no crate wraps it")]
pub fn give_back_now() -> bool {
    // SAFETY: it takes no pointer, and locks the allocator itself.
    unsafe { libc::malloc_trim(0) == 1 }
}

/// The C library has no call for it.
#[cfg(not(target_env = "gnu"))]
pub fn give_back_now() -> bool {
    false
}

const PAUSE: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    /// The resident bytes of this program's and its libraries' code.
    fn resident() -> usize {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut is_code = false;
        let mut total = 0;
        for line in maps.lines() {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            if words[0].contains('-') {
                is_code =
                    words[1].starts_with("r-x") && words.get(5).is_some_and(|path| path.starts_with('/'));
            } else if words[0] == "Rss:" && is_code {
                total += words[1].parse::<usize>().unwrap() << 10;
            }
        }
        total
    }

    /// Each thread has an arena of its own, which would keep what it has freed.
    #[cfg(target_env = "gnu")]
    #[test]
    fn memory_that_many_threads_have_freed_is_given_back() {
        let held = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
            line.split_ascii_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
        };
        let (sender, freed) = std::sync::mpsc::channel();
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let (sender, (go, may_end)) = (sender.clone(), std::sync::mpsc::channel::<()>());
                std::thread::spawn(move || {
                    let small: Vec<Vec<u8>> = (0..32 << 10).map(|_| vec![1; 1000]).collect();
                    // The last one keeps the arena's end from being returned at once.
                    let last = vec![1_u8; 1000];
                    drop(small);
                    sender.send(()).unwrap();
                    let _ = may_end.recv();
                    drop(last);
                });
                go
            })
            .collect();
        threads.iter().for_each(|_| freed.recv().unwrap());
        let before = held();
        assert!(give_back_now());
        let after = held();
        assert!(before > after + (64 << 20), "{before} before, {after} after");
        drop(threads);
    }

    #[test]
    fn released_code_runs_on() {
        let code = std::fs::read("/proc/self/exe").unwrap();
        let before = resident();
        let released = release_segments();
        assert!(released > 1 << 20 && released < code.len(), "{released} of {}", code.len());
        // It is checked while it runs: what these lines need has returned.
        let after = resident();
        assert!(after < before, "{after}, {before} before");
        assert!(release_segments() == released);
    }
}
