//! Our own engine, which is authoritative for the traps that we send and the informs that we
//! receive: its ID and boots are kept in the user's state folder, and are never the agent's
//! (two engines with one ID shut each other out of their receivers).
//!
//! All processes of the user are one engine: boots is incremented when the machine has been restarted, and the
//! time is that since then, by the kernel's clock. So two that send at the same time agree on the time.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId, EngineMoment, UserTable};

use trunkline_client::UsmCredentials;

/// The enterprise in the engine IDs that we make: that of Net-SNMP's, whose form receivers know.
const ENTERPRISE: u32 = 8072;

/// The kept state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// snmpEngineID in hexadecimal digits.
    engine_id: String,
    /// snmpEngineBoots.
    boots: u32,
    /// The machine's start that these boots are of.
    boot_id: String,
    /// Seconds after that start when snmpEngineTime was 0.
    since: u64,
}

/// The kernel's record of the machine's start.
struct Machine {
    boot_id: String,
    /// Seconds since it.
    uptime: u64,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum OwnEngineError {
    /// The options or the variables do not say what is needed.
    #[error("{0}")]
    Usage(String),
    /// A file or the machine.
    #[error("{0}")]
    Machine(String),
}

/// Our engine. `id` replaces the kept one, `moment` its clock. `say` prints that an ID was made: receivers of SNMPv3's traps must know
/// it.
pub fn open(
    id: Option<EngineId>,
    moment: Option<EngineMoment>,
    handlers: Handlers,
    say: fn(&str),
) -> Result<Engine, OwnEngineError> {
    open_in(None, id, moment, handlers, say)
}

/// The same, kept in this folder in place of the user's.
///
/// # Errors
/// As [`open`].
pub fn open_in(
    place: Option<&Path>,
    id: Option<EngineId>,
    moment: Option<EngineMoment>,
    handlers: Handlers,
    say: fn(&str),
) -> Result<Engine, OwnEngineError> {
    let now = Instant::now();
    let (id, moment) = match (id, moment) {
        (Some(id), Some(moment)) => (id, moment),
        _ => {
            let folder = place.map_or_else(folder, |place| Ok(place.to_owned()))?;
            let machine =
                Machine::read().map_err(|fault| OwnEngineError::Machine(format!("/proc: {fault}")))?;
            let kept = kept(&folder, &machine, random()?, say)?;
            (id.unwrap_or(kept.0), moment.unwrap_or(kept.1))
        }
    };
    let started = now.checked_sub(Duration::from_secs(u64::from(moment.time.get()))).unwrap_or(now);
    let entropy: [u8; 12] = random()?;
    Ok(Engine::new(EngineOptions {
        id,
        clock: EngineClock::new(moment.boots, started),
        max_size: MAX_SIZE,
        handlers,
        remote_engines: REMOTE_ENGINES,
        entropy: u64::from_le_bytes(entropy[..8].try_into().unwrap_or_default()),
    }))
}

/// An engine for this process alone, for a command without users: nobody needs to recognize it.
pub fn passing(handlers: Handlers) -> Result<Engine, OwnEngineError> {
    let id = EngineId::generate(ENTERPRISE, random()?);
    open(
        Some(id),
        Some(EngineMoment { boots: EngineBoots::default().next(), ..EngineMoment::default() }),
        handlers,
        |_| {},
    )
}

/// Octets that a datagram can have.
const MAX_SIZE: usize = 65_507;

/// How many senders' clocks are remembered.
const REMOTE_ENGINES: usize = 10_000;

/// The engine's ID and what time it is there now, from the folder or made and kept there.
fn kept(
    folder: &Path,
    machine: &Machine,
    random: [u8; 12],
    say: fn(&str),
) -> Result<(EngineId, EngineMoment), OwnEngineError> {
    let file = folder.join("engine.json");
    let failed =
        |fault: &dyn std::fmt::Display| OwnEngineError::Machine(format!("{}: {fault}", file.display()));
    let mut before = match fs::read(&file) {
        Ok(text) => Some(serde_json::from_slice::<Kept>(&text).map_err(|fault| failed(&fault))?),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => None,
        Err(fault) => return Err(failed(&fault)),
    };
    if before.is_none() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|fault| failed(&fault))?;
        let first = first(machine, random);
        before = match write(&file, &first, true) {
            Ok(()) => {
                say(&format!(
                    "our engine ID is 0x{}, made now and kept in {}",
                    first.engine_id,
                    file.display()
                ));
                Some(first)
            }
            // Another process was first: its engine is ours too.
            Err(fault) if fault.kind() == io::ErrorKind::AlreadyExists => {
                let text = fs::read(&file).map_err(|fault| failed(&fault))?;
                Some(serde_json::from_slice(&text).map_err(|fault| failed(&fault))?)
            }
            Err(fault) => return Err(failed(&fault)),
        };
    }
    let before = before.unwrap_or_else(|| first(machine, random));
    let id = EngineId::from_hex(&before.engine_id).map_err(|fault| failed(&fault))?;
    let boots = EngineBoots::new(before.boots).ok_or_else(|| failed(&"boots are beyond 2147483647"))?;
    if before.boot_id == machine.boot_id {
        let moment = EngineMoment { boots, ..EngineMoment::default() };
        return Ok((id, moment.after(machine.uptime.saturating_sub(before.since))));
    }
    // The machine was restarted; the new boots are on disk before they are used (RFC 3414 section 2.2). At their
    // maximum only a new ID helps.
    let now = if boots.next() == EngineBoots::MAX {
        first(machine, random)
    } else {
        Kept { boots: boots.next().get(), boot_id: machine.boot_id.clone(), since: machine.uptime, ..before }
    };
    write(&file, &now, false).map_err(|fault| failed(&fault))?;
    let id = EngineId::from_hex(&now.engine_id).map_err(|fault| failed(&fault))?;
    Ok((
        id,
        EngineMoment { boots: EngineBoots::new(now.boots).unwrap_or_default(), ..EngineMoment::default() },
    ))
}

fn first(machine: &Machine, random: [u8; 12]) -> Kept {
    let id = EngineId::generate(ENTERPRISE, random);
    let digits: String = id.as_bytes().iter().map(|octet| format!("{octet:02x}")).collect();
    Kept { engine_id: digits, boots: 1, boot_id: machine.boot_id.clone(), since: machine.uptime }
}

/// Writes the whole file, synced, so that it is old or new whatever happens. `is_first` fails if it already
/// exists.
fn write(file: &Path, kept: &Kept, is_first: bool) -> io::Result<()> {
    let new = file.with_extension(format!("new{}", std::process::id()));
    let text = serde_json::to_string_pretty(kept)?;
    let written = (|| {
        let mut out = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        out.write_all(text.as_bytes())?;
        out.sync_all()?;
        if is_first { fs::hard_link(&new, file) } else { fs::rename(&new, file) }
    })();
    if is_first || written.is_err() {
        let _ = fs::remove_file(&new); // the link stays; what could not be used goes
    }
    if let Some(folder) = file.parent() {
        fs::File::open(folder)?.sync_all()?;
    }
    written
}

/// A file of this name in the user's state folder, which is made.
pub fn state_file(name: &str) -> Result<PathBuf, OwnEngineError> {
    let folder = folder()?;
    let failed = |fault: io::Error| OwnEngineError::Machine(format!("{}: {fault}", folder.display()));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
    Ok(folder.join(name))
}

/// `$XDG_STATE_HOME/trunkline`, or `~/.local/state/trunkline`.
fn folder() -> Result<PathBuf, OwnEngineError> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")));
    let words = "cannot keep our engine ID and boots: set HOME or XDG_STATE_HOME, or give -e and -Z";
    state.map(|state| state.join("trunkline")).ok_or_else(|| OwnEngineError::Usage(words.to_owned()))
}

impl Machine {
    fn read() -> io::Result<Self> {
        let boot_id = fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned();
        Ok(Machine { boot_id, uptime: uptime()?.as_secs() })
    }
}

/// How long the machine has been running.
pub fn uptime() -> io::Result<Duration> {
    let text = fs::read_to_string("/proc/uptime")?;
    let seconds = text.split(' ').next().and_then(|seconds| seconds.parse::<f64>().ok());
    let seconds =
        seconds.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "/proc/uptime has no number"))?;
    Ok(Duration::from_secs_f64(seconds.max(0.0)))
}

/// Fresh octets from the kernel: an engine ID must be unique, and whoever guesses those of a change of keys reads the new key.
pub fn random<const N: usize>() -> Result<[u8; N], OwnEngineError> {
    trunkline_pki::random().map_err(|fault| OwnEngineError::Machine(fault.to_string()))
}

/// Our own engine, with the user that sends.
pub fn sender(user: &UsmCredentials, say: fn(&str)) -> Result<Engine, OwnEngineError> {
    let engine = open(user.security_engine_id, user.engine_moment, Handlers::RECEIVER, say)?;
    let local = user.user_at(engine.id()).map_err(|fault| OwnEngineError::Usage(fault.to_string()))?;
    let mut users = UserTable::new();
    users.insert(local);
    engine.set_users(users);
    tracing::debug!(id = %engine.id(), moment = ?engine.moment(Instant::now()), "our engine");
    Ok(engine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn machine(boot_id: &str, uptime: u64) -> Machine {
        Machine { boot_id: boot_id.to_owned(), uptime }
    }

    #[test]
    fn the_engine_is_one_over_processes_and_starts() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("state/trunkline");
        let moment = |boots, time| EngineMoment::new(boots, time).unwrap();
        let (id, first) = kept(&folder, &machine("a", 1000), [1; 12], |_| {}).unwrap();
        assert_eq!((id, first), (EngineId::generate(ENTERPRISE, [1; 12]), moment(1, 0)));
        // Another process, later: the same engine, whose clock has gone on.
        assert_eq!(kept(&folder, &machine("a", 1060), [2; 12], |_| {}).unwrap(), (id, moment(1, 60)));
        // The machine was restarted.
        assert_eq!(kept(&folder, &machine("b", 5), [3; 12], |_| {}).unwrap(), (id, moment(2, 0)));
        assert_eq!(kept(&folder, &machine("b", 7), [4; 12], |_| {}).unwrap(), (id, moment(2, 2)));
        let mode = fs::metadata(folder.join("engine.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left over");
    }

    #[test]
    fn an_engine_at_the_end_of_its_boots_becomes_another_one() {
        let home = tempfile::tempdir().unwrap();
        let (id, _) = kept(home.path(), &machine("a", 1), [1; 12], |_| {}).unwrap();
        let file = home.path().join("engine.json");
        let text = fs::read_to_string(&file).unwrap().replace("\"boots\": 1", "\"boots\": 2147483646");
        fs::write(&file, text).unwrap();
        let (other, moment) = kept(home.path(), &machine("b", 1), [9; 12], |_| {}).unwrap();
        assert_ne!(other, id);
        assert_eq!(moment.boots.get(), 1);
    }

    #[test]
    fn a_file_of_another_kind_is_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("engine.json"), "{}").unwrap();
        let fault = kept(home.path(), &machine("a", 1), [1; 12], |_| {}).unwrap_err();
        assert!(fault.to_string().contains("engine.json"), "{fault}");
        assert_eq!(fs::read_to_string(home.path().join("engine.json")).unwrap(), "{}");
    }
}
