//! Which files of delays a plan is made from: those that are named, and of a folder of a run those that say something about larger
//! groups.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use trunkline_delays::{Header, Reader};
use trunkline_labkit::error::Error;
use trunkline_labkit::store::DELAYS;

use crate::group::how;

/// The files of these paths. A folder stands for the files of its parallel rounds, in it or in its `delays`.
///
/// # Errors
/// A folder cannot be read, or has none.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let within = path.join(DELAYS);
        let folder = if within.is_dir() { within } else { path.clone() };
        let failed = |source| Error::Read { path: folder.clone(), source };
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let file = entry.map_err(failed)?.path();
            if file.extension().is_some_and(|it| it == DELAYS)
                && header(&file).as_ref().is_some_and(|it| how(it).is_none())
            {
                found.push(file);
            }
        }
        if found.is_empty() {
            let reason = format!(
                "neither here nor in a folder {DELAYS} are files *.{DELAYS} of groups that were asked in parallel rounds: the report of `trunkline lab emanics2006 table-6.1` has some"
            );
            return Err(Error::Delays { path: path.clone(), reason });
        }
        found.sort();
        all.append(&mut found);
    }
    Ok(all)
}

/// What a file says of itself, if it is one of delays.
pub(crate) fn header(path: &Path) -> Option<Header> {
    let mut first = Vec::new();
    File::open(path).ok()?.take(LONGEST).read_to_end(&mut first).ok()?;
    let mut reader = Reader::default();
    reader.feed(&first);
    // The rest may be missing; what the header says is known before.
    let _ = reader.next_block();
    reader.header().cloned()
}

/// Octets of the longest beginning of a file that has its header.
const LONGEST: u64 = 1 << 16;
