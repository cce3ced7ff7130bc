//! What of the configuration outlives a restart: a file, and a journal of what has changed since that was written. A change costs
//! what it changes; the file is written anew when the journal has become longer than it. Both hold keys and communities, so that a
//! change that is not finished can be taken back, and only their owner may read them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use trunkline_admin::{Flush, Journal, Readers, StateError, StateFile};
use trunkline_datastore::{Config, EDIT, delta, edit};
use trunkline_host::InterfaceState;
use trunkline_netconf::document::{Document, Element, limits};
use trunkline_netconf::error::RpcError;
use trunkline_netconf::operation::{DefaultOperation, ErrorOption};
use trunkline_yang::forest::Forest;

use super::machine;

/// The file: the children of `config` elements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct KeptConfiguration {
    /// How often it was written: a journal belongs to one of them.
    generation: u64,
    /// What is in force.
    running: String,
    /// What was being applied.
    unfinished: Option<String>,
    /// Interfaces as they were before that, a line each.
    machine: Vec<String>,
}

/// The file and its journal.
pub(super) struct Kept {
    file: StateFile<KeptConfiguration>,
    log: Mutex<Log>,
}

struct Log {
    journal: Journal,
    /// What the journal had when it was opened, until that is read.
    found: Vec<Vec<u8>>,
    /// What both hold; `None`: nobody has read that yet.
    held: Option<Held>,
    /// Octets of the file.
    octets: u64,
}

/// What is kept.
#[derive(Clone, Default)]
pub(super) struct Held {
    /// What is in force.
    pub running: Config,
    /// What was being applied.
    pub unfinished: Option<Config>,
    /// Interfaces as they were before that.
    pub machine: Vec<InterfaceState>,
}

/// What is in force by what is kept in an agent's folder: for a program beside the agent, which may run. Writes nothing.
///
/// # Errors
/// It cannot be read.
pub(super) fn running(directory: &Path, forest: &Forest) -> Result<Config, StateError> {
    let kept = Kept::open(directory)?;
    let damaged = |message| StateError::Damaged { path: kept.path(), message };
    // What of it means nothing to this agent is not in force either.
    kept.read(forest).map(|(held, _)| held.running).map_err(damaged)
}

impl Kept {
    /// Reads what is there; writes nothing.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn open(directory: &Path) -> Result<Self, StateError> {
        let file = StateFile::<KeptConfiguration>::open_named(directory, FILE, Readers::Owner)?;
        let state = file.state();
        for text in [Some(&state.running), state.unfinished.as_ref()].into_iter().flatten() {
            parse(format!("<config>{text}</config>").as_bytes())
                .map_err(|message| StateError::Damaged { path: file.path(), message })?;
        }
        let (journal, found) = Journal::open(directory, JOURNAL, state.generation)?;
        let is_there = directory.join(JOURNAL).exists();
        if state.generation > 0 && !is_there {
            let path = directory.join(JOURNAL);
            tracing::warn!(file = %path.display(), "there is no such file: what was committed after configuration.toml was written, if anything, is lost");
        }
        for record in &found {
            parse(record)
                .map_err(|message| StateError::Damaged { path: directory.join(JOURNAL), message })?;
        }
        Ok(Kept { file, log: Mutex::new(Log { journal, found, held: None, octets: 0 }) })
    }

    /// Copies what is there, because a part of it means nothing to this agent and the file is written anew without that.
    ///
    /// # Errors
    /// It cannot be copied.
    pub fn set_aside(&self) -> io::Result<PathBuf> {
        let path = self.file.path();
        let aside = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(ASIDE);
            PathBuf::from(name)
        };
        let journal = path.with_file_name(JOURNAL);
        if journal.exists() {
            std::fs::copy(&journal, aside(&journal))?;
        }
        std::fs::copy(&path, aside(&path))?;
        Ok(aside(&path))
    }

    /// Whether there is something.
    pub fn is_any(&self) -> bool {
        let file = self.file.state();
        !file.running.is_empty() || file.unfinished.is_some() || !self.log().found.is_empty()
    }

    /// Whether this process has written what is there.
    pub fn is_ours(&self) -> bool {
        self.log().held.is_some()
    }

    /// What the last process left, and what of it cannot be read.
    ///
    /// # Errors
    /// Nothing of it can be read.
    pub fn read(&self, forest: &Forest) -> Result<(Held, Vec<RpcError>), String> {
        let KeptConfiguration { running, unfinished, machine, .. } = self.file.state();
        let mut wrong = Vec::new();
        let mut whole = |text: String| {
            let document = parse(format!("<config>{text}</config>").as_bytes())?;
            let mut config = Config::default();
            wrong.extend(apply(forest, &mut config, document.root()));
            Ok::<Config, String>(config)
        };
        let machine = machine.iter().filter_map(|line| machine::read(line)).collect();
        let mut held =
            Held { running: whole(running)?, unfinished: unfinished.map(&mut whole).transpose()?, machine };
        for record in std::mem::take(&mut self.log().found) {
            wrong.extend(held.replay(forest, &record)?);
        }
        Ok((held, wrong))
    }

    /// Keeps this instead, whatever happens to this process; with [`Flush::Now`], to the machine.
    ///
    /// # Errors
    /// It is not kept, and what was kept before still is.
    pub fn keep(
        &self,
        forest: &Forest,
        running: &Config,
        unfinished: Option<&Config>,
        machine: &[InterfaceState],
        flush: Flush,
    ) -> Result<(), StateError> {
        let mut log = self.log();
        let machine = if unfinished.is_some() { machine.to_vec() } else { Vec::new() };
        let new = Held { running: running.clone(), unfinished: unfinished.cloned(), machine };
        let most = MOST_JOURNAL + 2 * log.octets;
        if let Some(held) = &log.held
            && log.journal.length().is_some_and(|length| length < most)
        {
            let Some(record) = held.record(forest, &new) else { return Ok(()) };
            match log.journal.append(&record, flush) {
                Ok(()) => {
                    log.held = Some(new);
                    return Ok(());
                }
                Err(error) if log.journal.length().is_some() => return Err(error),
                // It is gone, or somebody else's: the file can still be written.
                Err(error) => {
                    tracing::warn!(%error, "the journal of the configuration cannot be used; it is begun anew")
                }
            }
        }
        let generation = self.file.state().generation + 1;
        let (running, unfinished) = (text(forest, running), unfinished.map(|config| text(forest, config)));
        log.octets = running.len() as u64 + unfinished.as_ref().map_or(0, |text| text.len() as u64);
        let machine = new.machine.iter().map(machine::line).collect();
        self.file.replace(KeptConfiguration { generation, running, unfinished, machine })?;
        log.held = Some(new);
        // Without it, each change writes the file.
        if let Err(error) = log.journal.restart(generation) {
            tracing::warn!(%error, "the configuration has no journal; each change writes the whole file");
        }
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.file.path()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// What makes something else of it; `None`: nothing.
    fn record(&self, forest: &Forest, new: &Held) -> Option<Vec<u8>> {
        let mut octets = format!("<record {EDIT}>").into_bytes();
        let is_same = self.running == new.running;
        if is_same && self.unfinished == new.unfinished && self.machine == new.machine {
            return None;
        }
        if !is_same && self.unfinished.as_ref() == Some(&new.running) {
            octets.extend_from_slice(b"<done/>");
        } else if !is_same {
            octets.extend_from_slice(b"<running>");
            delta(forest, &self.running, &new.running, &mut octets);
            octets.extend_from_slice(b"</running>");
        }
        if let Some(unfinished) = &new.unfinished {
            octets.extend_from_slice(b"<unfinished>");
            delta(forest, &new.running, unfinished, &mut octets);
            octets.extend_from_slice(b"</unfinished>");
            for state in &new.machine {
                octets.extend_from_slice(format!("<machine>{}</machine>", machine::line(state)).as_bytes());
            }
        }
        octets.extend_from_slice(b"</record>");
        Some(octets)
    }

    /// Does what a record says. Returns what of it cannot be read.
    fn replay(&mut self, forest: &Forest, record: &[u8]) -> Result<Vec<RpcError>, String> {
        let document = parse(record)?;
        let mut wrong = Vec::new();
        let unfinished = self.unfinished.take();
        self.machine.clear();
        for element in document.root().children() {
            match element.name() {
                "done" => self.running = unfinished.clone().unwrap_or_default(),
                "running" => wrong.extend(apply(forest, &mut self.running, element)),
                "unfinished" => {
                    let mut config = self.running.clone();
                    wrong.extend(apply(forest, &mut config, element));
                    self.unfinished = Some(config);
                }
                "machine" => self.machine.extend(machine::read(element.value())),
                other => return Err(format!("a record of the journal has {other}")),
            }
        }
        Ok(wrong)
    }
}

fn parse(octets: &[u8]) -> Result<Document, String> {
    Document::read(octets, limits(MOST_KEPT)).map_err(|error| error.to_string())
}

/// Edits a configuration as far as that is possible. Returns what is wrong with the rest.
fn apply(forest: &Forest, config: &mut Config, content: Element<'_>) -> Vec<RpcError> {
    let (merge, on) = (DefaultOperation::Merge, ErrorOption::ContinueOnError);
    edit(config, forest, content, merge, on).err().unwrap_or_default()
}

fn text(forest: &Forest, config: &Config) -> String {
    let mut octets = Vec::new();
    config.write(forest, &mut octets);
    String::from_utf8(octets).unwrap_or_default()
}

const FILE: &str = "configuration.toml";
const JOURNAL: &str = "configuration.journal";
/// What the names of copies end with.
const ASIDE: &str = ".rejected";
/// Octets of a kept configuration.
const MOST_KEPT: usize = 256 << 20;
/// Octets that a journal has before the file is written anew, besides twice those of the file.
const MOST_JOURNAL: u64 = 64 << 10;

#[cfg(test)]
mod tests {
    use trunkline_yang::own::ALL;

    use super::*;

    fn config(forest: &Forest, contact: &str, addresses: usize) -> Config {
        let all: String = (1..=addresses)
            .map(|at| {
                format!(
                    "<address><ip>192.0.{}.{}</ip><prefix-length>24</prefix-length></address>",
                    at / 250,
                    1 + at % 250
                )
            })
            .collect();
        let text = format!(
            "<config><system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'><contact>{contact}</contact></system>\
             <interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><interface><name>near</name>\
             <ipv4 xmlns='urn:ietf:params:xml:ns:yang:ietf-ip'>{all}</ipv4></interface></interfaces></config>"
        );
        let document = parse(text.as_bytes()).unwrap();
        let mut config = Config::default();
        assert_eq!(apply(forest, &mut config, document.root()), []);
        config
    }

    fn read(folder: &Path, forest: &Forest) -> (Config, Option<Config>) {
        let (held, wrong) = Kept::open(folder).unwrap().read(forest).unwrap();
        assert_eq!(wrong, []);
        (held.running, held.unfinished)
    }

    #[test]
    fn every_change_is_read_back_and_costs_what_it_changes() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let folder = tempfile::tempdir().unwrap();
        let (file, journal) = (folder.path().join(FILE), folder.path().join(JOURNAL));
        let size = |path: &Path| std::fs::metadata(path).unwrap().len();
        let kept = Kept::open(folder.path()).unwrap();
        assert!(!kept.is_any());
        let start = config(&forest, "a", 400);
        kept.keep(&forest, &start, None, &[], Flush::Now).unwrap();
        let (whole, empty) = (size(&file), size(&journal));
        let mut now = start.clone();
        for (at, contact) in ["b", "c", "d", "a"].iter().enumerate() {
            let next = config(&forest, contact, 400 + at % 2);
            kept.keep(&forest, &now, Some(&next), &[], Flush::Now).unwrap();
            assert_eq!(read(folder.path(), &forest), (now.clone(), Some(next.clone())));
            // Taken back, tried again, done.
            kept.keep(&forest, &now, None, &[], Flush::Now).unwrap();
            assert_eq!(read(folder.path(), &forest), (now.clone(), None));
            kept.keep(&forest, &now, Some(&next), &[], Flush::Now).unwrap();
            kept.keep(&forest, &next, None, &[], Flush::Now).unwrap();
            assert_eq!(read(folder.path(), &forest), (next.clone(), None));
            now = next;
        }
        assert_eq!(size(&file), whole);
        assert!(size(&journal) - empty < 8000, "{}", size(&journal));
        // What does not change is not written.
        let before = size(&journal);
        kept.keep(&forest, &now, None, &[], Flush::Now).unwrap();
        assert_eq!(size(&journal), before);
        // One trial after the other goes back to before the first.
        let (one, two) = (config(&forest, "x", 3), config(&forest, "y", 2));
        kept.keep(&forest, &now, Some(&one), &[], Flush::Now).unwrap();
        kept.keep(&forest, &now, Some(&two), &[], Flush::Now).unwrap();
        assert_eq!(read(folder.path(), &forest), (now.clone(), Some(two.clone())));
        kept.keep(&forest, &one, None, &[], Flush::Now).unwrap();
        assert_eq!(read(folder.path(), &forest), (one.clone(), None));

        // The journal does not grow without end, and one that a crash left behind a new file means nothing.
        let old = std::fs::read(&journal).unwrap();
        let mut most = 0;
        for at in 0..600 {
            kept.keep(&forest, if at % 2 == 0 { &start } else { &one }, None, &[], Flush::Now).unwrap();
            most = most.max(size(&journal));
        }
        assert!(most < 3 * whole + MOST_JOURNAL + 100_000, "{most}");
        assert_eq!(read(folder.path(), &forest), (one.clone(), None));
        let again = Kept::open(folder.path()).unwrap();
        assert!(again.is_any());
        again.keep(&forest, &two, None, &[], Flush::Now).unwrap();
        std::fs::write(&journal, old).unwrap();
        assert_eq!(read(folder.path(), &forest), (two, None));
    }

    /// What was kept is never taken for nothing.
    #[test]
    fn what_is_damaged_or_does_not_belong_together_is_an_error() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let folder = tempfile::tempdir().unwrap();
        let (file, journal) = (folder.path().join(FILE), folder.path().join(JOURNAL));
        let kept = Kept::open(folder.path()).unwrap();
        kept.keep(&forest, &config(&forest, "a", 1), None, &[], Flush::Now).unwrap();
        kept.keep(&forest, &config(&forest, "b", 2), None, &[], Flush::Now).unwrap();
        let copy = kept.set_aside().unwrap();
        assert_eq!(std::fs::read(copy).unwrap(), std::fs::read(&file).unwrap());
        assert!(folder.path().join("configuration.journal.rejected").is_file());
        // What is wrong in it is found without the checksum too.
        let text = std::fs::read_to_string(&file).unwrap();
        let text: String = text
            .lines()
            .filter(|line| !line.starts_with("# crc32 "))
            .map(|line| line.to_owned() + "\n")
            .collect();
        let refused = |words: &str| {
            let error = Kept::open(folder.path()).map(drop).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        };
        std::fs::remove_file(&file).unwrap();
        refused(
            "configuration.journal: it continues state 1 of the file that it belongs to, and that is missing",
        );
        let write = |text: &str| {
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        };
        write(&text.replace("generation = 1", "generation = 0"));
        refused("and that is missing");
        write(&text.replace("<name>near</name>", "<name>near</nam"));
        refused("configuration.toml: ");
        write(&text);
        assert_eq!(read(folder.path(), &forest).0, config(&forest, "b", 2));
        // Without the journal there is a warning.
        std::fs::remove_file(journal).unwrap();
        assert_eq!(read(folder.path(), &forest).0, config(&forest, "a", 1));
    }

    /// Without a journal, or with one that somebody has replaced, changes are kept in the file.
    #[test]
    fn without_its_journal_a_change_is_kept_in_the_file() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::open(folder.path()).unwrap();
        let [one, two, three] = [1, 2, 3].map(|addresses| config(&forest, "a", addresses));
        kept.keep(&forest, &one, None, &[], Flush::Now).unwrap();
        let journal = folder.path().join(JOURNAL);
        std::fs::remove_file(&journal).unwrap();
        std::fs::create_dir(&journal).unwrap();
        kept.keep(&forest, &two, None, &[], Flush::Now).unwrap();
        std::fs::remove_dir(&journal).unwrap();
        assert_eq!(read(folder.path(), &forest), (two.clone(), None));
        kept.keep(&forest, &two, Some(&three), &[], Flush::Now).unwrap();
        kept.keep(&forest, &three, None, &[], Flush::Now).unwrap();
        assert_eq!(read(folder.path(), &forest), (three, None));
        assert!(journal.is_file());
        // Without room for either, nothing is kept.
        std::fs::remove_file(&journal).unwrap();
        let away = folder.path().with_extension("away");
        std::fs::rename(folder.path(), &away).unwrap();
        std::fs::write(folder.path(), "in the way").unwrap();
        assert!(kept.keep(&forest, &one, None, &[], Flush::Now).is_err());
        std::fs::remove_file(folder.path()).unwrap();
        std::fs::rename(&away, folder.path()).unwrap();
        kept.keep(&forest, &one, None, &[], Flush::Now).unwrap();
        assert_eq!(read(folder.path(), &forest), (one, None));
    }
}
