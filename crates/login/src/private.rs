//! Files that only their owner may read.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::mistake::Mistake;

/// The first line of a file that only its owner may read.
pub fn secret_of_file(path: &Path) -> Result<Vec<u8>, Mistake> {
    let text = private_file(path)?;
    let line = text.split(|octet| matches!(octet, b'\n' | b'\r')).next().unwrap_or_default();
    Ok(line.to_vec())
}

/// A file with secrets, which must not be open to others; at most 1 MiB.
pub fn private_file(path: &Path) -> Result<Vec<u8>, Mistake> {
    let failed = |fault: std::io::Error| Mistake(format!("{}: {fault}", path.display()));
    let file = File::open(path).map_err(failed)?;
    let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 {
        let path = path.display();
        let words = format!("{path} may be read by others (its mode is {mode:04o}): run `chmod 600 {path}`");
        return Err(Mistake(words));
    }
    let mut octets = Vec::new();
    file.take(1 << 20).read_to_end(&mut octets).map_err(failed)?;
    Ok(octets)
}
