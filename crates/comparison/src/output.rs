//! The file of `import-snmpd --output`: whole or not at all, and readable for the agent of the packages' unit.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

/// The user and group that the packages' unit starts the agent as.
const UNIT: &str = "trunkline";

/// What became of the file.
#[derive(Debug, PartialEq, Eq)]
pub struct Written {
    /// Where the earlier file is now.
    pub earlier: Option<PathBuf>,
    /// Who may read it besides its owner.
    pub group: Option<&'static str>,
}

/// Writes the file. An earlier one is kept beside it with `.old` at the end of its name if it may be replaced, and lends
/// the new one its owner and rights.
///
/// # Errors
/// The file is there and may not be replaced, or the operating system refuses it; then an earlier file is as it was.
pub fn write(path: &Path, text: &str, may_replace: bool) -> io::Result<Written> {
    let earlier = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
        Ok(_) if !may_replace => {
            let words = "it exists; --replace puts the new file in its place and keeps the old one with .old at the end of its name";
            return Err(io::Error::new(ErrorKind::AlreadyExists, words));
        }
        Ok(found) if !found.is_file() => {
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                "it is not a regular file, so it is not replaced",
            ));
        }
        Ok(found) => Some(found),
    };
    let new = beside(path, ".new");
    let made = fill(&new, text, earlier.as_ref()).and_then(|group| {
        let old = beside(path, ".old");
        match &earlier {
            // A link, not a renaming: at no time is there no file.
            Some(_) => {
                remove(&old)?;
                std::fs::hard_link(path, &old)?;
                std::fs::rename(&new, path)?;
            }
            // Nor is a file replaced that somebody else made in the meantime.
            None => {
                std::fs::hard_link(&new, path)?;
                std::fs::remove_file(&new)?;
            }
        }
        Ok(Written { earlier: earlier.is_some().then_some(old), group })
    });
    if made.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    made
}

fn fill(new: &Path, text: &str, earlier: Option<&std::fs::Metadata>) -> io::Result<Option<&'static str>> {
    remove(new)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(new)?;
    let group = match earlier {
        Some(earlier) => {
            fchown(&file, Some(earlier.uid()), Some(earlier.gid()))?;
            file.set_permissions(Permissions::from_mode(earlier.mode() & 0o777))?;
            None
        }
        None => lend(&file)?,
    };
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok(group)
}

/// Lets the group of the unit's user read what root has made, where there is such a group.
fn lend(file: &File) -> io::Result<Option<&'static str>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let groups = std::fs::read_to_string("/etc/group").unwrap_or_default();
    let Some(group) = number_of(&groups, UNIT) else { return Ok(None) };
    fchown(file, None, Some(group))?;
    file.set_permissions(Permissions::from_mode(0o640))?;
    Ok(Some(UNIT))
}

/// The number of a group, by the lines of group(5).
fn number_of(groups: &str, name: &str) -> Option<u32> {
    groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let is_it = fields.next() == Some(name);
        fields.nth(1).filter(|_| is_it)?.parse().ok()
    })
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_on_request_and_the_earlier_one_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.toml");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(write(&path, "one", false).unwrap().earlier, None);
        let error = write(&path, "two", false).unwrap_err();
        assert!(error.to_string().contains("--replace"), "{error}");
        assert_eq!(read("agent.toml"), "one");
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        for (text, before) in [("two", "one"), ("three", "two")] {
            let written = write(&path, text, true).unwrap();
            assert_eq!(written.earlier, Some(folder.path().join("agent.toml.old")));
            assert_eq!((read("agent.toml").as_str(), read("agent.toml.old").as_str()), (text, before));
            assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o644, "as before");
        }
        // Nothing else stays.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        let error = write(folder.path(), "four", true).unwrap_err();
        assert!(error.to_string().contains("not a regular file"), "{error}");
    }

    #[test]
    fn groups_have_numbers() {
        let groups = "root:x:0:\ntrunklines:x:7:\ntrunkline:x:998:ann\n";
        assert_eq!(number_of(groups, "trunkline"), Some(998));
        assert_eq!(number_of("trunkline:x:many:\n", "trunkline"), None);
    }
}
