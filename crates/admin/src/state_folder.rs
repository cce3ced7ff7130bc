//! The state directory as a whole: it belongs to one agent at a time, others cannot write to it, and incomplete
//! files of a crash or a full disk are removed before anything is read.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};

use super::state_file::{ENGINE, FRESH, StateError, foreign_owner, is_of_earlier_release, owner_words};

/// The file that is locked. It stays when the agent ends: removing it would let two agents lock two files.
const LOCK: &str = "lock";

/// A state directory that no other agent uses as long as this value lives; the kernel lets go of it when the process
/// ends, however that happens.
#[derive(Debug)]
pub struct StateFolder {
    _lock: File,
}

impl StateFolder {
    /// Creates the directory if it does not exist, locks it, and removes incomplete files.
    ///
    /// # Errors
    /// A directory that cannot be used, that others can write to, or that another agent uses.
    pub fn open(directory: &Path) -> Result<Self, StateError> {
        let io = |source| StateError::Io { path: directory.to_path_buf(), source };
        create(directory).map_err(io)?;
        if let Some(words) = check(directory)? {
            tracing::warn!("{words}");
        }
        let lock = lock(directory)?;
        remove_unfinished(directory).map_err(io)?;
        if is_of_earlier_release(directory) {
            remove_empty(directory).map_err(io)?;
        }
        Ok(StateFolder { _lock: lock })
    }
}

/// Makes the directory, which is its owner's alone, and those above it.
pub(super) fn create(directory: &Path) -> io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    if let Some(above) = directory.parent() {
        fs::create_dir_all(above)?;
    }
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Whether an existing directory is fit for state, and its warnings. Changes nothing; a missing one is fit if it
/// can be created.
///
/// # Errors
/// A directory that cannot be used, or that everybody can write to.
pub fn check(directory: &Path) -> Result<Option<String>, StateError> {
    let path = || directory.to_path_buf();
    let io = |source| StateError::Io { path: path(), source };
    let metadata = match fs::metadata(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let above =
                directory.ancestors().skip(1).find(|above| above.as_os_str().is_empty() || above.exists());
            return above.map_or(Ok(()), |above| may_write(above).map_err(io)).map(|()| None);
        }
        found => found.map_err(io)?,
    };
    if !metadata.is_dir() {
        return Err(io(io::ErrorKind::NotADirectory.into()));
    }
    if let Some(owner) = foreign_owner(metadata.uid()) {
        let message = format!(
            "belongs to {owner}, who could replace the state files; run chown on it, or start as that user"
        );
        return Err(StateError::Exposed { path: path(), message });
    }
    let mode = metadata.permissions().mode() & 0o7777;
    let shown = directory.display();
    if mode & 0o002 != 0 {
        let message =
            format!("has mode {mode:03o}: all users can replace the state files; run chmod go-w {shown}");
        return Err(StateError::Exposed { path: path(), message });
    }
    may_write(directory).map_err(io)?;
    let lock = directory.join(LOCK);
    if fs::symlink_metadata(&lock).is_ok_and(|found| !found.is_file()) {
        return Err(StateError::Exposed { path: lock, message: "is not a regular file; remove it".into() });
    }
    Ok((mode & 0o020 != 0).then(|| {
        format!("{shown} has mode {mode:03o}: its group can replace the state files; run chmod g-w {shown}")
    }))
}

fn may_write(directory: &Path) -> io::Result<()> {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    if !directory.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    Ok(rustix::fs::accessat(rustix::fs::CWD, directory, access, rustix::fs::AtFlags::EACCESS)?)
}

/// Names of the files that exist without an engine ID.
pub fn orphaned_files(directory: &Path) -> Option<String> {
    let names = fs::read_dir(directory).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".toml") && name != ENGINE).collect();
    names.sort_unstable();
    (!names.is_empty()).then(|| names.join(", "))
}

fn lock(directory: &Path) -> Result<File, StateError> {
    let path = directory.join(LOCK);
    let io = |source| StateError::Io { path: path.clone(), source };
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags)
        .open(&path)
        .map_err(io)?;
    let begun = Instant::now();
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => break,
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let mut text = String::new();
                // The holder's process ID is only a hint.
                let holder = file.rewind().and_then(|()| (&file).take(20).read_to_string(&mut text));
                let holder = holder.ok().and_then(|_| text.trim().parse().ok());
                if !holder.is_some_and(has_ended) || begun.elapsed() > LET_GO {
                    return Err(StateError::Locked { path: directory.to_path_buf(), holder });
                }
                std::thread::sleep(LET_GO / 100);
            }
            Err(error) => return Err(io(error.into())),
        }
    }
    // A disk without room for the number is not a reason to refuse to start.
    let _ =
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
    Ok(file)
}

/// Whether a process is gone or about to be: the kernel lets go of its files a little later, such as after a flush that was under way.
fn has_ended(process: u32) -> bool {
    let Ok(found) = fs::read_to_string(format!("/proc/{process}/stat")) else { return true };
    // The name of the program, in parentheses, may hold anything. Behind it: state, 5 numbers, flags.
    let mut fields = found.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
    let is_dead = matches!(fields.next(), Some("Z" | "X"));
    let flags: u32 = fields.nth(5).and_then(|flags| flags.parse().ok()).unwrap_or_default();
    is_dead || flags & PF_EXITING != 0
}

/// linux/sched.h
const PF_EXITING: u32 = 4;

/// How long the lock of a process that has ended is waited for.
const LET_GO: Duration = Duration::from_secs(2);

/// Empty files, which an earlier release left behind when the last row of a table was deleted. This release
/// leaves none: from now on an empty file is one that was lost.
fn remove_empty(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let (entry, path) = entry.map(|entry| (entry.metadata(), entry.path()))?;
        let is_empty = entry.is_ok_and(|found| found.is_file() && found.len() == 0);
        if is_empty && path.extension().is_some_and(|extension| extension == "toml") {
            fs::remove_file(&path)?;
            tracing::warn!(file = %path.display(), "ignored an empty file of an earlier release");
        }
    }
    Ok(())
}

/// Files that were being written when an agent ended: the old ones next to them count.
fn remove_unfinished(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let is_unfinished = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.strip_suffix(FRESH).is_some_and(|name| name.ends_with(".toml")));
        if is_unfinished && !entry.file_type()?.is_dir() {
            fs::remove_file(entry.path())?;
            tracing::info!(file = %entry.path().display(), "removed an incomplete file");
        }
    }
    Ok(())
}

/// The state directory: the configured one, or else the one from systemd, `/var/lib/trunkline` for root, otherwise
/// below the user's own state.
///
/// # Errors
/// [`StateError::Nowhere`].
pub fn of(configured: Option<&Path>) -> Result<PathBuf, StateError> {
    if let Some(directory) = configured {
        return Ok(directory.to_owned());
    }
    default_directory(rustix::process::geteuid().is_root(), |name| std::env::var_os(name))
        .ok_or(StateError::Nowhere)
}

fn default_directory(is_root: bool, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(directory) = variable("STATE_DIRECTORY") {
        return Some(PathBuf::from(directory));
    }
    if is_root {
        return Some(PathBuf::from("/var/lib/trunkline"));
    }
    // A relative one would be another directory wherever the agent is started (XDG Base Directory Specification).
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    Some(state?.join("trunkline"))
}

/// Whether root that gives up its capabilities, and stays root, can use an existing directory: it must be root's.
///
/// # Errors
/// [`StateError::Exposed`] names the owner.
pub fn check_owner(directory: &Path) -> Result<(), StateError> {
    let Ok(found) = fs::metadata(directory) else { return Ok(()) };
    if found.uid() == 0 || !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let shown = directory.display();
    let message = format!(
        "belongs to {}, and the agent runs as root without the right to use other users' files; run chown root {shown}, \
         or set `user` in [agent] to the owner",
        owner_words(found.uid())
    );
    Err(StateError::Exposed { path: directory.to_owned(), message })
}

/// The directory's regular files with one name each, opened, for a change of owner: nothing that a link leads to.
pub fn own_files(directory: &Path) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path: PathBuf = entry?.path();
        if !fs::symlink_metadata(&path)?.is_file() {
            continue;
        }
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(&path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.nlink() == 1 {
            files.push(file);
        } else {
            tracing::warn!(file = %path.display(), "the owner is not changed: the file has several hard links");
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// What a killed agent has not let go of yet is waited for; what a living one has is not.
    #[test]
    fn a_process_that_is_gone_holds_nothing_for_long() {
        assert!(!has_ended(std::process::id()) && !has_ended(1));
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let id = child.id();
        assert!(!has_ended(id));
        drop(child.stdin.take());
        // Until somebody has waited for it, it is a zombie.
        while !has_ended(id) {}
        child.wait().unwrap();
        assert!(has_ended(id));
        let directory = tempfile::tempdir().unwrap();
        let held = StateFolder::open(directory.path()).unwrap();
        assert!(matches!(
            StateFolder::open(directory.path()),
            Err(StateError::Locked { holder: Some(_), .. })
        ));
        fs::write(directory.path().join(LOCK), format!("{id}\n")).unwrap();
        let (trying, tried) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                trying.send(()).unwrap();
                StateFolder::open(directory.path()).unwrap();
            });
            tried.recv().unwrap();
            drop(held);
        });
    }

    #[test]
    fn only_one_agent_may_run_and_the_error_names_the_other() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a/b");
        let first = StateFolder::open(&folder).unwrap();
        let error = StateFolder::open(&folder).unwrap_err().to_string();
        let process = format!("process {}", std::process::id());
        assert!(error.contains(folder.to_str().unwrap()) && error.contains(&process), "{error}");
        drop(first);
        StateFolder::open(&folder).unwrap();
    }

    #[test]
    fn only_unfinished_files_are_removed() {
        let place = tempfile::tempdir().unwrap();
        for name in ["usm.toml", "usm.toml.new", "vacm.toml.new", "notes.new"] {
            fs::write(place.path().join(name), "x").unwrap();
        }
        StateFolder::open(place.path()).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["lock", "notes.new", "usm.toml"]);
    }

    #[test]
    fn a_directory_that_others_can_write_to_is_refused() {
        let place = tempfile::tempdir().unwrap();
        for mode in [0o777, 0o1777, 0o702] {
            set_mode(place.path(), mode);
            for error in [check(place.path()).unwrap_err(), StateFolder::open(place.path()).unwrap_err()] {
                assert!(error.to_string().contains("chmod go-w"), "{error}");
            }
        }
        set_mode(place.path(), 0o770);
        assert!(check(place.path()).unwrap().is_some_and(|words| words.contains("chmod g-w")));
        set_mode(place.path(), 0o750);
        assert_eq!(check(place.path()).unwrap(), None);
    }

    #[test]
    fn a_check_makes_nothing() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(check(&place.path().join("not/yet")).unwrap(), None);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        let file = place.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(check(&file).is_err());
        assert!(check(&file.join("below")).is_err());
        fs::create_dir(place.path().join(LOCK)).unwrap();
        let error = check(place.path()).unwrap_err().to_string();
        assert!(error.contains("lock: is not a regular file; remove it"), "{error}");
    }

    #[test]
    fn the_default_is_absolute_or_there_is_none() {
        let at = |is_root, variables: &[(&str, &str)]| {
            let found = |name: &str| variables.iter().find(|(known, _)| *known == name);
            default_directory(is_root, |name| found(name).map(|(_, value)| value.into()))
        };
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(at(false, &[("STATE_DIRECTORY", "/s"), ("HOME", "/h")]), path("/s"));
        assert_eq!(at(true, &[("HOME", "/h")]), path("/var/lib/trunkline"));
        assert_eq!(at(false, &[("XDG_STATE_HOME", "/x"), ("HOME", "/h")]), path("/x/trunkline"));
        assert_eq!(at(false, &[("XDG_STATE_HOME", "x"), ("HOME", "/h")]), path("/h/.local/state/trunkline"));
        assert_eq!(at(false, &[("HOME", "")]), None);
        assert_eq!(at(false, &[]), None);
        assert!(StateError::Nowhere.to_string().contains("set `state` in [agent]"));
    }

    #[test]
    fn roots_directory_is_roots() {
        let place = tempfile::tempdir().unwrap();
        check_owner(place.path()).unwrap();
        check_owner(&place.path().join("none")).unwrap();
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(place.path(), Some(1), None).unwrap();
            let error = check_owner(place.path()).unwrap_err().to_string();
            let begins = format!("{}: belongs to the user ", place.path().display());
            assert!(error.starts_with(&begins) && error.contains("chown root"), "{error}");
        }
    }

    #[test]
    fn files_with_several_names_and_links_keep_their_owner() {
        let place = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("passwd"), "x").unwrap();
        fs::write(place.path().join("own"), "x").unwrap();
        fs::hard_link(other.path().join("passwd"), place.path().join("hard")).unwrap();
        std::os::unix::fs::symlink(other.path().join("passwd"), place.path().join("soft")).unwrap();
        assert_eq!(own_files(place.path()).unwrap().len(), 1);
    }
}
