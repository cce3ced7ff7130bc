//! The file that `--output` names: what is there already is replaced only if the same command makes such files.

use std::io::ErrorKind;
use std::path::Path;

use crate::error::Error;

/// Refuses a place at which something is that must not be replaced, unless `force` says so: anything but `what`, and what is not a regular file.
///
/// # Errors
/// What is there, and what to do.
pub fn may_replace(
    path: &Path,
    force: bool,
    what: &str,
    is_ours: &dyn Fn(&Path) -> bool,
) -> Result<(), Error> {
    let refused = |words: &str| Err(Error::Usage(format!("{}: {words}", path.display())));
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => {
            refused("not a regular file: without --output, or with `-`, it is written to standard output")
        }
        Ok(_) if !force && !is_ours(path) => {
            refused(&format!("there is a file that is not {what}: --force replaces it"))
        }
        Err(fault) if fault.kind() == ErrorKind::NotFound && path.is_symlink() => {
            refused("a symbolic link to nothing")
        }
        Err(fault) if fault.kind() != ErrorKind::NotFound => refused(&fault.to_string()),
        _ => Ok(()),
    }
}
