//! What must outlive a restart: a small TOML file in the state directory, replaced as a whole so that a crash leaves
//! the old or the new one. A head line and an end line show that a file is whole, and a checksum that it is as it was written.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use trunkline_transport::files::LONGEST;

use super::journal::checksum;

/// A value of type `T` and its file, which only its owner may read.
pub struct StateFile<T> {
    directory: PathBuf,
    name: &'static str,
    state: Mutex<T>,
}

/// Who may read a file that is found: those that the agent writes are only for their owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Anybody: it holds no secrets.
    Anybody,
    /// Its owner: it holds keys or communities.
    Owner,
}

/// Why kept state cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The operating system refuses.
    #[error("cannot keep state in {}: {source}; see `state` in the [agent] section", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The operating system refuses to have it read.
    #[error("cannot read {}: {source}; see `state` in the [agent] section", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds something else.
    #[error("{}: {message}; repair the file, restore it from a backup, or remove it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// Others than the agent could read or replace the state.
    #[error("{}: {message}", path.display())]
    Exposed {
        /// The file or directory.
        path: PathBuf,
        /// Who could, and what to do.
        message: String,
    },
    /// Neither the configuration nor the environment says where state is kept.
    #[error(
        "there is no place for the agent's state: set `state` in [agent], or the variable HOME, XDG_STATE_HOME or \
         STATE_DIRECTORY, to an absolute path"
    )]
    Nowhere,
    /// Another agent works in the directory.
    #[error(
        "another agent{} uses the state directory {}; stop it, or give this agent another `state` in [agent]",
        holder.map(|pid| format!(" (process {pid})")).unwrap_or_default(),
        path.display()
    )]
    Locked {
        /// The directory.
        path: PathBuf,
        /// The other one's process, if known.
        holder: Option<u32>,
    },
    /// The engine ID is lost, but the users for that engine are not.
    #[error(
        "{} is missing or has no engine_id, but {} has users whose keys fit only the old engine ID{}; \
         restore the file, set engine-id in [agent] to the old ID, or remove {} to start without these users",
        path.display(),
        users.display(),
        old.as_ref().map(|id| format!(" {id}")).unwrap_or_default(),
        users.display()
    )]
    EngineLost {
        /// Where the engine ID is kept.
        path: PathBuf,
        /// Where the users are kept.
        users: PathBuf,
        /// The ID that their keys are for, if it is one.
        old: Option<String>,
    },
}

impl<T: Clone + Default + PartialEq + Serialize + DeserializeOwned> StateFile<T> {
    /// Reads the file `name`; a missing file is the default state. Creates nothing.
    ///
    /// # Errors
    /// A file that cannot be read, that others may read or write, that is empty or cut short, or holds something else.
    pub fn open_named(directory: &Path, name: &'static str, readers: Readers) -> Result<Self, StateError> {
        let path = directory.join(name);
        let state = match read_file(&path, readers)? {
            Some(text) => parse(&text, readers).map_err(|message| StateError::Damaged { path, message })?,
            None => T::default(),
        };
        Ok(StateFile { directory: directory.to_path_buf(), name, state: Mutex::new(state) })
    }

    /// The present state.
    pub fn state(&self) -> T {
        self.lock().clone()
    }

    /// Changes the state, on disk first. Returns the old one. What does not change is not written.
    pub fn change(&self, change: impl FnOnce(&mut T)) -> Result<T, StateError> {
        let mut state = self.lock();
        let mut new = state.clone();
        change(&mut new);
        if *state == new {
            return Ok(new);
        }
        self.write(&new)?;
        Ok(std::mem::replace(&mut *state, new))
    }

    /// Replaces this state by another one, on disk first. Returns the old one.
    pub fn replace(&self, new: T) -> Result<T, StateError> {
        self.change(|state| *state = new)
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(self.name)
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, state: &T) -> Result<(), StateError> {
        let path = self.path();
        let text = toml::to_string(state)
            .map_err(|error| StateError::Damaged { path: path.clone(), message: error.to_string() })?;
        let text = sealed(&format!("{HEAD}{VERSION}\n{text}"));
        let write = |file: &mut File| file.write_all(text.as_bytes());
        replace_file(&self.directory, &path, write).map_err(|source| StateError::Io { path, source })
    }
}

/// How the first line of a file begins; the version follows.
const HEAD: &str = "# trunklined state, version ";

/// The file that each start writes.
pub const ENGINE: &str = "engine.toml";

/// The version that this program writes, and the only one with a head that it reads.
const VERSION: &str = "1";

/// The last line of a file with a head.
const END: &str = "# end";

/// How the line before it begins; the checksum of all lines before follows. Earlier releases did not write it.
const CHECKSUM: &str = "# crc32 ";

/// What is appended to a file's name while it is written.
pub(super) const FRESH: &str = ".new";

/// The text of a file that is complete and belongs to the agent alone; `None` if there is no file.
fn read_file(path: &Path, readers: Readers) -> Result<Option<String>, StateError> {
    let io = |source| StateError::Unread { path: path.to_path_buf(), source };
    let damaged = |message| StateError::Damaged { path: path.to_path_buf(), message };
    let file = match open_file(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            let message = "is a symbolic link, which could lead anywhere; put the file itself there".into();
            return Err(StateError::Exposed { path: path.to_path_buf(), message });
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let owner = path
                .metadata()
                .map_or_else(|_| "another user".into(), |found| format!("the user {}", found.uid()));
            let message =
                format!("belongs to {owner} and cannot be read; run chown on it, or start as that user");
            return Err(StateError::Exposed { path: path.to_path_buf(), message });
        }
        Err(error) => return Err(io(error)),
    };
    let metadata = file.metadata().map_err(io)?;
    if let Some(message) = exposure(path, &metadata, readers) {
        return Err(StateError::Exposed { path: path.to_path_buf(), message });
    }
    if metadata.len() > LONGEST {
        return Err(damaged(format!("it has {} octets, expected at most {LONGEST}", metadata.len())));
    }
    let mut octets = Vec::new();
    file.take(LONGEST).read_to_end(&mut octets).map_err(io)?;
    let text = String::from_utf8(octets).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|octet| **octet == b'\n').count();
        damaged(format!("line {line} is not UTF-8, and was not written by the agent"))
    })?;
    if text.is_empty() && path.parent().is_some_and(is_of_earlier_release) {
        return Ok(None);
    }
    match check_whole(&text) {
        Ok(()) => Ok(Some(text)),
        Err(message) => Err(damaged(message)),
    }
}

/// Opens a file that must exist and not be a link; does not wait for the other end of a pipe.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// Whether a release without the head line was the last to write this directory. It left an empty file behind
/// when the last row of a table was deleted.
pub(super) fn is_of_earlier_release(directory: &Path) -> bool {
    let mut first = Vec::new();
    let engine = open_file(&directory.join(ENGINE));
    let read = engine.and_then(|file| file.take(HEAD.len() as u64).read_to_end(&mut first));
    read.is_ok() && !first.is_empty() && first != HEAD.as_bytes()
}

/// The contents of a text, or the line that is wrong and why. Of a file with secrets nothing is quoted, and of
/// others nothing that controls a terminal.
fn parse<T: DeserializeOwned>(text: &str, readers: Readers) -> Result<T, String> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        // Words about syntax do not quote; those about types do.
        let is_toml = || text.parse::<toml::Table>().is_ok();
        let words = match readers {
            Readers::Owner if is_toml() => "this key or value does not belong here",
            _ => error.message(),
        };
        let line = 1 + before.matches('\n').count();
        format!("line {line}: {}", words.replace(char::is_control, "\u{fffd}"))
    })
}

/// Who else could write a file, or read secrets in it, and what to do.
pub(super) fn exposure(path: &Path, metadata: &fs::Metadata, readers: Readers) -> Option<String> {
    let shown = path.display();
    if !metadata.is_file() {
        return Some("is not a regular file".into());
    }
    if let Some(owner) = foreign_owner(metadata.uid()) {
        return Some(format!(
            "belongs to {owner}, not to the agent's user; run chown on it, or start as that user"
        ));
    }
    let mode = metadata.permissions().mode() & 0o777;
    match readers {
        Readers::Anybody if mode & 0o022 != 0 => {
            Some(format!("has mode {mode:03o}: other users can write it; run chmod 600 {shown}"))
        }
        Readers::Owner if mode & 0o077 != 0 => Some(format!(
            "has mode {mode:03o}: other users can read or write its secrets; run chmod 600 {shown}"
        )),
        _ => None,
    }
}

/// A description of the owner if it is neither us nor root. Root accepts what belongs to the user that it starts
/// the agent for.
pub(super) fn foreign_owner(owner: u32) -> Option<String> {
    let own = rustix::process::geteuid();
    let is_trusted = own.is_root() || owner == own.as_raw() || owner == 0;
    (!is_trusted).then(|| owner_words(owner))
}

/// `the user ann (1000)`, or only the number if nobody has it.
pub(super) fn owner_words(owner: u32) -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(owner)).then_some(name)
    });
    name.map_or_else(|| format!("the user {owner}"), |name| format!("the user {name} ({owner})"))
}

/// Whether a text was written to its end. Files of releases without the head line are accepted as they are.
fn check_whole(text: &str) -> Result<(), String> {
    let Some(version) = text.lines().next().and_then(|first| first.strip_prefix(HEAD)) else {
        let holds = |line: &str| !line.trim().is_empty() && !line.starts_with('#');
        let is_older = text.lines().any(holds);
        let message = "the file is empty; the agent never writes an empty file, so its contents are lost";
        return if is_older { Ok(()) } else { Err(message.into()) };
    };
    if version != VERSION {
        return Err(format!("the file has version {version:?}, expected {VERSION}"));
    }
    if text.lines().rev().find(|line| !line.trim().is_empty()) != Some(END) {
        return Err(format!("the file is truncated: its last line is not {END:?}"));
    }
    let Some(at) = text.rfind(&format!("\n{CHECKSUM}")) else { return Ok(()) };
    let (content, rest) = text.split_at(at + 1);
    match sealed(content).strip_prefix(content) == Some(rest) {
        true => Ok(()),
        false => Err(format!(
            "its checksum is wrong: it is damaged, or somebody has edited it; after an edit on purpose delete the line that begins with {CHECKSUM:?}"
        )),
    }
}

/// With its checksum and its end.
fn sealed(content: &str) -> String {
    format!("{content}{CHECKSUM}{:08x}\n{END}\n", checksum(content.as_bytes()))
}

/// Writes a new file next to `path` and renames it, each step on disk before the next. On failure, nothing is
/// left behind.
pub(super) fn replace_file(
    directory: &Path,
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(FRESH);
    let fresh = PathBuf::from(fresh);
    super::state_folder::create(directory)?;
    // One that a crash has left may have another mode.
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let words = format!("{} cannot be removed: {error}", fresh.display());
            return Err(io::Error::new(error.kind(), words));
        }
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    let written = write(&mut file).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&fresh, path));
    if let Err(error) = written {
        // It occupies the space that the next attempt needs.
        let _ = fs::remove_file(&fresh);
        return Err(error);
    }
    File::open(directory)?.sync_all()
}

impl<T> fmt::Debug for StateFile<T> {
    /// Without the state, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateFile").field("path", &self.directory.join(self.name)).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Words = std::collections::BTreeMap<String, String>;

    fn words(text: &str) -> Words {
        Words::from([("word".to_string(), text.to_string())])
    }

    #[test]
    fn state_survives_the_program_and_is_readable_by_its_owner_only() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("not-yet-there");
        let open = || StateFile::<Words>::open_named(&place, "words.toml", Readers::Owner).unwrap();
        let file = open();
        assert_eq!(file.state(), Words::new());
        assert_eq!(file.replace(words("a \"b\"\nc")).unwrap(), Words::new());
        assert_eq!(open().state(), words("a \"b\"\nc"));
        let mode =
            |name: &str| fs::metadata(place.join(name)).map(|found| found.permissions().mode() & 0o777);
        assert_eq!(mode("words.toml").unwrap(), 0o600);
        fs::write(place.join("words.toml.new"), "left by a crash").unwrap();
        fs::set_permissions(place.join("words.toml.new"), fs::Permissions::from_mode(0o644)).unwrap();
        file.replace(words("new")).unwrap();
        assert_eq!(mode("words.toml").unwrap(), 0o600);
        assert!(mode("words.toml.new").is_err());
        assert!(!format!("{file:?}").contains("new\""), "{file:?}");
    }

    /// A file with this text and mode.
    fn written(text: &str, mode: u32) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("words.toml");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        directory
    }

    fn read(directory: &tempfile::TempDir) -> Result<Words, String> {
        let file = StateFile::<Words>::open_named(directory.path(), "words.toml", Readers::Owner);
        file.map(|file| file.state()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_that_is_too_long_or_not_text_is_damaged() {
        let directory = written("", 0o600);
        let path = directory.path().join("words.toml");
        File::options().write(true).open(&path).unwrap().set_len(LONGEST + 1).unwrap();
        let error = read(&directory).unwrap_err();
        assert!(error.contains("it has 67108865 octets") && error.contains("restore it"), "{error}");
        fs::write(&path, b"# trunkline\nword = \"\xff\"\n").unwrap();
        let error = read(&directory).unwrap_err();
        assert!(error.contains("words.toml: line 2 is not UTF-8"), "{error}");
        // The path of the temporary file is not a regular file.
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("words.toml.new")).unwrap();
        let file = StateFile::<Words>::open_named(directory.path(), "words.toml", Readers::Owner).unwrap();
        let error = file.replace(words("x")).unwrap_err().to_string();
        assert!(error.contains("words.toml.new cannot be removed"), "{error}");
    }

    /// A pipe is neither waited for nor mistaken for a file of an earlier release.
    #[test]
    fn a_pipe_in_a_files_place_is_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = |name: &str| {
            let made = std::process::Command::new("mkfifo")
                .args(["-m", "600"])
                .arg(directory.path().join(name))
                .status();
            assert!(made.unwrap().success());
        };
        pipe(ENGINE);
        assert!(!is_of_earlier_release(directory.path()));
        pipe("words.toml");
        assert!(read(&directory).unwrap_err().contains("is not a regular file"));
    }

    #[test]
    fn an_empty_file_from_an_earlier_release_means_no_rows() {
        let directory = written("", 0o600);
        assert!(read(&directory).is_err());
        fs::write(directory.path().join(ENGINE), "engine_id = \"8000000105\"\nboots = 1\n").unwrap();
        assert_eq!(read(&directory).unwrap(), Words::new());
        fs::write(directory.path().join(ENGINE), format!("{HEAD}{VERSION}\nboots = 1\n{END}\n")).unwrap();
        assert!(read(&directory).is_err());
    }

    #[test]
    fn an_empty_or_cut_file_is_refused_and_one_of_an_older_release_is_read() {
        let whole = tempfile::tempdir().unwrap();
        StateFile::open_named(whole.path(), "words.toml", Readers::Owner)
            .unwrap()
            .replace(words("x"))
            .unwrap();
        let text = fs::read_to_string(whole.path().join("words.toml")).unwrap();
        for cut in 0..text.trim_end().len() {
            let error = read(&written(&text[..cut], 0o600)).unwrap_err();
            assert!(error.contains("words.toml"), "{cut}: {error}");
        }
        assert!(read(&written("", 0o600)).unwrap_err().contains("empty"));
        assert!(read(&written("\n \n", 0o600)).unwrap_err().contains("empty"));
        assert!(
            read(&written(&text.replace("version 1", "version 2"), 0o600)).unwrap_err().contains("version")
        );
        assert_eq!(read(&written("word = \"x\"\n", 0o600)), Ok(words("x")));
    }

    /// Neither a disk nor a hand changes what is kept without being noticed.
    #[test]
    fn a_file_that_was_changed_is_refused_unless_its_checksum_is_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let file = StateFile::open_named(directory.path(), "words.toml", Readers::Owner).unwrap();
        file.replace(words("x")).unwrap();
        let text = fs::read_to_string(file.path()).unwrap();
        for at in 0..text.len() {
            let mut octets = text.clone().into_bytes();
            octets[at] ^= 1;
            let Ok(damaged) = String::from_utf8(octets) else { continue };
            // The lines around the content may say less; the content is what it was, or refused.
            let found = read(&written(&damaged, 0o600));
            assert!(found.is_err() || found == Ok(words("x")), "octet {at}: {found:?}");
        }
        let edited = text.replace("\"x\"", "\"y\"");
        let error = read(&written(&edited, 0o600)).unwrap_err();
        assert!(error.contains("delete the line that begins with \"# crc32 \""), "{error}");
        let lines: Vec<&str> = edited.lines().filter(|line| !line.starts_with(CHECKSUM)).collect();
        assert_eq!(read(&written(&lines.join("\n"), 0o600)), Ok(words("y")));
    }

    #[test]
    fn an_empty_state_is_not_an_empty_file() {
        let directory = tempfile::tempdir().unwrap();
        let file = StateFile::open_named(directory.path(), "words.toml", Readers::Owner).unwrap();
        file.replace(words("x")).unwrap();
        file.replace(Words::new()).unwrap();
        assert_eq!(read(&directory), Ok(Words::new()));
    }

    #[test]
    fn a_file_that_others_can_read_or_replace_is_refused() {
        for mode in [0o644, 0o640, 0o602, 0o620] {
            let error = read(&written("word = \"hidden\"\n", mode)).unwrap_err();
            assert!(error.contains("chmod 600") && !error.contains("hidden"), "{error}");
        }
        for (mode, is_fit) in [(0o644, true), (0o664, false), (0o606, false)] {
            let directory = written("word = \"x\"\n", mode);
            let opened = StateFile::<Words>::open_named(directory.path(), "words.toml", Readers::Anybody);
            assert_eq!(opened.is_ok(), is_fit, "{mode:o}");
        }
        let directory = written("word = \"x\"\n", 0o600);
        fs::rename(directory.path().join("words.toml"), directory.path().join("other")).unwrap();
        std::os::unix::fs::symlink("other", directory.path().join("words.toml")).unwrap();
        assert!(read(&directory).unwrap_err().contains("symbolic link"));
    }

    #[test]
    fn a_full_disk_leaves_nothing_behind() {
        let directory = written("word = \"old\"\n", 0o600);
        let path = directory.path().join("words.toml");
        let full = |file: &mut File| {
            file.write_all(b"word = ")?;
            Err(io::ErrorKind::StorageFull.into())
        };
        let error = replace_file(directory.path(), &path, full).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        assert_eq!(read(&directory), Ok(words("old")));
    }

    #[test]
    fn a_damaged_file_is_reported_but_not_quoted() {
        let directory = written("word = [\"hidden\"", 0o600);
        let error =
            StateFile::<Words>::open_named(directory.path(), "words.toml", Readers::Owner).unwrap_err();
        assert!(error.to_string().contains("words.toml"), "{error}");
        assert!(!error.to_string().contains("hidden"), "{error}");
    }

    #[test]
    fn a_damaged_file_without_secrets_is_quoted_and_steers_no_terminal() {
        let text = "first = \"x\"\nsecond = 4711\n";
        let error = |text: &str, readers| parse::<Words>(text, readers).unwrap_err();
        assert_eq!(error(text, Readers::Owner), "line 2: this key or value does not belong here");
        let quoted = error(text, Readers::Anybody);
        assert!(quoted.starts_with("line 2: ") && quoted.contains("4711"), "{quoted}");

        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Nothing {}
        let error = parse::<Nothing>("\"\\u001b[2J\" = 1\n", Readers::Anybody).unwrap_err();
        assert!(error.contains("[2J") && !error.contains(char::is_control), "{error:?}");
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_an_error_and_changes_nothing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let blocked = StateFile::<Words> {
            directory: file.path().join("below-a-file"),
            name: "words.toml",
            state: Mutex::default(),
        };
        assert!(matches!(blocked.replace(words("x")), Err(StateError::Io { .. })));
        assert_eq!(blocked.state(), Words::new());
    }
}
