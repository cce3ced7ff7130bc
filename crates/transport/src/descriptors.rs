//! Whether the process may open as many files as it needs. Some libraries end it if it may not.

use std::os::unix::net::UnixStream;

/// The process may open fewer files than it needs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "only {free} more files can be opened, and at least {needed} are needed: raise the limit of open files \
     (`ulimit -n`, LimitNOFILE)"
)]
pub struct TooFewDescriptors {
    /// How many can be opened.
    pub free: usize,
    /// How many are needed.
    pub needed: usize,
}

/// Finds out whether so many files can be opened, by opening and closing them.
///
/// # Errors
/// [`TooFewDescriptors`].
pub fn ensure_descriptors(needed: usize) -> Result<(), TooFewDescriptors> {
    let mut held = Vec::new();
    while held.len() * 2 < needed {
        match UnixStream::pair() {
            Ok(pair) => held.push(pair),
            Err(_) => return Err(TooFewDescriptors { free: held.len() * 2, needed }),
        }
    }
    Ok(())
}
