//! Who this engine is: its ID, made once and kept, and how often it has started, which is on the disk before the first
//! message (RFC 3414 section 2.2, RFC 3411 section 5).

use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};

use crate::own::{StateError, StateFile};

/// snmpEngineID and the engine's clock.
#[derive(Clone, Debug)]
pub struct Identity {
    /// snmpEngineID.
    pub id: EngineId,
    /// snmpEngineBoots and the moment of snmpEngineTime 0.
    pub clock: EngineClock,
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

const FILE: &str = "engine.toml";

impl Identity {
    /// Counts this start. `configured` takes the place of the kept ID.
    ///
    /// An ID that is not the kept one begins with boots 1 if it was made here, since nobody can know it. A
    /// configured one may have been another program's, or its file may be lost, and managers do not believe an
    /// engine whose boots go back: it begins with a number that grows with the calendar, a minute each.
    ///
    /// # Errors
    /// The file cannot be read or written, or holds something else.
    pub fn establish(
        directory: &Path,
        configured: Option<EngineId>,
        start: Start,
    ) -> Result<Self, StateError> {
        let file = StateFile::<Kept>::open_named(directory, FILE)?;
        let kept = file.state();
        let known = match &kept.engine_id {
            None => None,
            Some(text) => Some(EngineId::from_hex(text).map_err(|error| StateError::Damaged {
                path: file.path(),
                message: format!("engine_id: {error}"),
            })?),
        };
        let (id, boots) = match (configured, known) {
            (Some(id), known) if known != Some(id) => (id, minutes(start.wall)),
            (_, Some(id)) => (id, EngineBoots::new(kept.boots).unwrap_or(EngineBoots::MAX).next()),
            (_, None) => (EngineId::generate(ENTERPRISE, start.random), EngineBoots::default().next()),
        };
        file.replace(Kept { engine_id: Some(id.to_string()), boots: boots.get() })?;
        Ok(Identity { id, clock: EngineClock::new(boots, start.now) })
    }
}

/// Minutes since 2020.
fn minutes(wall: SystemTime) -> EngineBoots {
    const YEAR_2020: u64 = 1_577_836_800;
    let seconds = wall.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let minutes = seconds.saturating_sub(YEAR_2020) / 60;
    u32::try_from(minutes)
        .ok()
        .and_then(EngineBoots::new)
        .unwrap_or(EngineBoots::MAX)
        .max(EngineBoots::default().next())
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
        assert_eq!(boots(), 10);
        assert_eq!(boots(), 11);
        std::fs::remove_file(folder.path().join(FILE)).unwrap();
        assert!(boots() > 1);
        // Without it in the configuration it is still the one that is kept.
        assert_eq!(Identity::establish(folder.path(), None, start(1)).unwrap().id, id);
    }

    #[test]
    fn the_last_boots_stays() {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("engine_id = \"8000000105\"\nboots = {}\n", (1u32 << 31) - 1);
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let identity = Identity::establish(folder.path(), None, start(1)).unwrap();
        assert_eq!(identity.clock.boots(), EngineBoots::MAX);
    }

    #[test]
    fn a_damaged_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "engine_id = \"xyz\"\nboots = 1\n").unwrap();
        let error = Identity::establish(folder.path(), None, start(1)).unwrap_err().to_string();
        assert!(error.contains(FILE), "{error}");
    }
}
