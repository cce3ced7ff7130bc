//! This engine's identity: its ID, generated once and kept, and how often it has started, which is on disk before
//! the first message (RFC 3414 section 2.2, RFC 3411 section 5).

use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};

use crate::{ENGINE, Readers, StateError, StateFile};

/// snmpEngineID and the engine's clock.
#[derive(Clone, Debug)]
pub struct Identity {
    /// snmpEngineID.
    pub id: EngineId,
    /// snmpEngineBoots and the moment of snmpEngineTime 0.
    pub clock: EngineClock,
    /// Notices for the operator.
    pub notices: Vec<String>,
}

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// In hexadecimal digits; none before the first start.
    engine_id: Option<String>,
    boots: u32,
}

/// The circumstances of a start.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// For an ID that has to be made.
    pub random: [u8; 12],
    /// The wall clock.
    pub wall: SystemTime,
    /// The monotonic clock.
    pub now: Instant,
}

/// The enterprise of IDs that are made here: Net-SNMP's, as in sysObjectID (docs/decisions/0007). What makes them
/// unique is random.
const ENTERPRISE: u32 = 8072;

impl Identity {
    /// Counts this start. `configured` replaces the kept ID.
    ///
    /// An ID that is not the kept one starts with boots 1 if it was generated here, since nobody can know it. A
    /// configured one may have been another program's, or its file may be lost, and managers reject an engine
    /// whose boots decrease: it starts with a number that grows with the calendar, by one per second. A start of
    /// a kept ID adds one, and starts are more than a second apart: the calendar's number stays ahead.
    ///
    /// # Errors
    /// The file cannot be read or written, or holds something else; or it is gone, and users whose keys fit the old
    /// ID alone are still there.
    pub fn establish(
        directory: &Path,
        configured: Option<EngineId>,
        start: Start,
    ) -> Result<Self, StateError> {
        let (identity, file) = Self::next(directory, configured, start)?;
        let boots = identity.clock.boots().get();
        file.replace(Kept { engine_id: Some(identity.id.to_string()), boots })?;
        Ok(identity)
    }

    /// The result of [`Identity::establish`], without writing anything.
    ///
    /// # Errors
    /// As there, but for writing.
    pub fn foresee(directory: &Path, configured: Option<EngineId>, start: Start) -> Result<Self, StateError> {
        Ok(Self::next(directory, configured, start)?.0)
    }

    fn next(
        directory: &Path,
        configured: Option<EngineId>,
        start: Start,
    ) -> Result<(Self, StateFile<Kept>), StateError> {
        let file = StateFile::<Kept>::open_named(directory, ENGINE, Readers::Anybody)?;
        let kept = file.state();
        let known = match &kept.engine_id {
            None => None,
            Some(text) => Some(EngineId::from_hex(text).map_err(|error| StateError::Damaged {
                path: file.path(),
                message: format!("engine_id: {error}"),
            })?),
        };
        let mut notices = Vec::new();
        let (id, boots) = match (configured, known) {
            (Some(id), known) if known != Some(id) => (id, by_calendar(start.wall, &mut notices)),
            (_, Some(id)) => (id, EngineBoots::new(kept.boots).unwrap_or(EngineBoots::MAX).next()),
            (_, None) => {
                crate::refuse_orphaned_users(directory, &file.path())?;
                let id = EngineId::generate(ENTERPRISE, start.random);
                notices
                    .extend(crate::orphaned_files(directory).map(|files| is_new(&file.path(), &files, &id)));
                (id, EngineBoots::default().next())
            }
        };
        if boots == EngineBoots::MAX {
            notices.push(at_its_end(&file.path(), configured.is_some()));
        }
        Ok((Identity { id, clock: EngineClock::new(boots, start.now), notices }, file))
    }
}

/// The files next to the engine ID belong to another one.
fn is_new(file: &Path, others: &str, id: &EngineId) -> String {
    format!(
        "{} is missing, although {others} exist: the engine has a new ID, {id}. Managers and receivers that know the old \
         one must learn the new one; to keep the old one restore the file, or set engine-id in [agent]",
        file.display()
    )
}

/// RFC 3414 sections 2.2.2 and 2.2.3: the engine answers nothing authenticated until it has another ID.
fn at_its_end(file: &Path, is_configured: bool) -> String {
    let remedy = if is_configured {
        "set another engine-id in [agent]".to_string()
    } else {
        format!("remove {} to generate one", file.display())
    };
    format!(
        "snmpEngineBoots has reached its end, 2147483647: no authenticated SNMPv3 message is answered any more \
         (RFC 3414 section 2.2.2). This engine needs a new ID: {remedy}, remove usm.toml beside it, \
         and create the users that managers had set again, since their keys fit only the old ID"
    )
}

/// Seconds since 2020. They last until 2088.
fn by_calendar(wall: SystemTime, notices: &mut Vec<String>) -> EngineBoots {
    const YEAR_2020: u64 = 1_577_836_800;
    let seconds = wall.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let first = EngineBoots::default().next();
    let Some(seconds) = seconds.checked_sub(YEAR_2020) else {
        notices.push(
            "the clock is before 2020, and the boots of the configured engine-id are not in the state \
             directory: snmpEngineBoots starts with 1, and managers that knew this engine before reject it. \
             Set the clock before the agent starts, or keep the state directory"
                .into(),
        );
        return first;
    };
    u32::try_from(seconds).ok().and_then(EngineBoots::new).unwrap_or(EngineBoots::MAX).max(first)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn start(octet: u8) -> Start {
        let wall = UNIX_EPOCH + Duration::from_secs(1_577_836_800 + 600);
        Start { random: [octet; 12], wall, now: Instant::now() }
    }

    #[test]
    fn the_id_stays_and_boots_goes_up() {
        let folder = tempfile::tempdir().unwrap();
        let first = Identity::establish(folder.path(), None, start(1)).unwrap();
        assert_eq!(first.clock.boots().get(), 1);
        assert_eq!(first.id.as_bytes()[..5], [0x80, 0, 0x1f, 0x88, 5]);
        let second = Identity::establish(folder.path(), None, start(2)).unwrap();
        assert_eq!((second.id, second.clock.boots().get()), (first.id, 2));
        let other = Identity::establish(tempfile::tempdir().unwrap().path(), None, start(3)).unwrap();
        assert_ne!(other.id, first.id);
    }

    #[test]
    fn a_configured_id_never_goes_back_to_boots_1() {
        let folder = tempfile::tempdir().unwrap();
        let id = EngineId::new(&[0x80, 0, 0, 1, 5]).unwrap();
        let boots = || Identity::establish(folder.path(), Some(id), start(1)).unwrap().clock.boots().get();
        assert_eq!(boots(), 600);
        assert_eq!(boots(), 601);
        std::fs::remove_file(folder.path().join(ENGINE)).unwrap();
        assert!(boots() > 1);
        // Without it in the configuration it is still the one that is kept.
        assert_eq!(Identity::establish(folder.path(), None, start(1)).unwrap().id, id);
    }

    #[test]
    fn a_lost_file_gives_another_boots_in_the_next_second() {
        let id = EngineId::new(&[0x80, 0, 0, 1, 5]).unwrap();
        let boots = |second: u64| {
            let wall = start(1).wall + Duration::from_secs(second);
            let folder = tempfile::tempdir().unwrap();
            let start = Start { wall, ..start(1) };
            Identity::establish(folder.path(), Some(id), start).unwrap().clock.boots()
        };
        assert!(boots(0) < boots(1));
        // More than the minutes that the releases before began with.
        assert!(boots(0).get() > 10);
    }

    #[test]
    fn a_clock_that_was_never_set_is_reported() {
        let id = EngineId::new(&[0x80, 0, 0, 1, 5]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let unset = Start { wall: UNIX_EPOCH, ..start(1) };
        let first = Identity::establish(folder.path(), Some(id), unset).unwrap();
        assert_eq!(first.clock.boots().get(), 1);
        assert!(first.notices[0].contains("before 2020"), "{:?}", first.notices);
        assert!(Identity::establish(folder.path(), Some(id), unset).unwrap().notices.is_empty());
    }

    const USERS: &str = "[[usmUserEntry]]\nindex = \"5.128.0.0.1.5.1.97\"\nstatus = 1\nstorage = 3\n";

    #[test]
    fn users_without_their_engine_do_not_start_anew() {
        let folder = tempfile::tempdir().unwrap();
        let users = folder.path().join("usm.toml");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        };
        write("usm.toml", USERS);
        let begin = |id| Identity::establish(folder.path(), id, start(1));
        for engine in [None, Some("boots = 5\n")] {
            if let Some(text) = engine {
                write(ENGINE, text);
            }
            let error = begin(None).unwrap_err().to_string();
            assert!(error.contains(ENGINE) && error.contains("0x8000000105"), "{error}");
        }
        begin(Some(EngineId::new(&[0x80, 0, 0, 1, 5]).unwrap())).unwrap();
        std::fs::remove_file(folder.path().join(ENGINE)).unwrap();
        std::fs::remove_file(users).unwrap();
        assert!(begin(None).unwrap().notices.is_empty());
        // The other files fit any ID; the change is reported.
        std::fs::remove_file(folder.path().join(ENGINE)).unwrap();
        write("target.toml", "");
        write("vacm.toml", "");
        let Identity { id, notices, .. } = begin(None).unwrap();
        let said = |words: &str| notices[0].contains(words);
        assert!(said("target.toml, vacm.toml exist") && said(&id.to_string()), "{notices:?}");
    }

    #[test]
    fn a_look_ahead_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        Identity::foresee(folder.path(), None, start(1)).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_maximum_of_boots_stays_and_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("engine_id = \"8000000105\"\nboots = {}\n", (1u32 << 31) - 1);
        std::fs::write(folder.path().join(ENGINE), text).unwrap();
        let identity = Identity::establish(folder.path(), None, start(1)).unwrap();
        assert_eq!(identity.clock.boots(), EngineBoots::MAX);
        assert!(identity.notices[0].contains("needs a new ID"), "{:?}", identity.notices);
    }

    #[test]
    fn a_damaged_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(ENGINE), "engine_id = \"xyz\"\nboots = 1\n").unwrap();
        let error = Identity::establish(folder.path(), None, start(1)).unwrap_err().to_string();
        assert!(error.contains(ENGINE), "{error}");
    }
}
