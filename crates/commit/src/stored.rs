//! Messages that come without a session, from a store or over a relay: each counts once, also over a restart, since its number is on disk before what
//! it asks is done.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use trunkline_admin::{Readers, StateError, StateFile};
use trunkline_xmlsec::{DeviceName, Header, KeyName, ReplayError, StoredLimits, StoredReplay, Time};

/// The numbers of messages that were accepted, and their file.
pub struct Stored {
    file: StateFile<KeptNumbers>,
    /// `None`: nothing was ever accepted.
    replay: Mutex<Option<StoredReplay>>,
}

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct KeptNumbers {
    /// For which device they were.
    device: String,
    /// A line each.
    numbers: String,
}

/// Why a message is not accepted, although it is authentic.
#[derive(Debug, thiserror::Error)]
pub enum NotAccepted {
    /// It came again, late, early, or is for another device.
    #[error("{0}")]
    Replay(#[from] ReplayError),
    /// Its number cannot be kept.
    #[error("{0}")]
    Unkept(#[from] StateError),
    /// The program is ending.
    #[error("the agent is ending")]
    Ending,
}

impl Stored {
    /// Reads what is kept; writes nothing.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn open(directory: &Path) -> Result<Self, StateError> {
        Self::read(directory).map_err(|error| match error {
            StateError::Damaged { path, message } => {
                StateError::Damaged { path, message: format!("{message}; {DAMAGED}") }
            }
            error => error,
        })
    }

    fn read(directory: &Path) -> Result<Self, StateError> {
        let file = StateFile::<KeptNumbers>::open_named(directory, FILE, Readers::Anybody)?;
        let kept = file.state();
        let damaged = |message: String| StateError::Damaged { path: file.path(), message };
        let replay = match kept == KeptNumbers::default() {
            true => None,
            false => {
                let device: DeviceName = kept
                    .device
                    .parse()
                    .map_err(|error: trunkline_xmlsec::NameError| damaged(format!("device: {error}")))?;
                let read = StoredReplay::read(&kept.numbers, device, LIMITS);
                Some(read.map_err(|error| damaged(format!("numbers: {error}")))?)
            }
        };
        Ok(Stored { file, replay: Mutex::new(replay) })
    }

    /// Accepts an authentic message to this device once: when this returns, its number is on disk.
    ///
    /// # Errors
    /// It is refused, or its number cannot be kept.
    pub async fn accept(
        self: &Arc<Self>,
        device: DeviceName,
        key: KeyName,
        header: Header,
        now: Time,
    ) -> Result<(), NotAccepted> {
        let stored = self.clone();
        // Not on the thread that answers others: a disk may take its time.
        let work = move || stored.accept_now(device, &key, &header, now);
        tokio::task::spawn_blocking(work).await.unwrap_or(Err(NotAccepted::Ending))
    }

    fn accept_now(
        &self,
        device: DeviceName,
        key: &KeyName,
        header: &Header,
        now: Time,
    ) -> Result<(), NotAccepted> {
        let mut held = self.replay.lock().unwrap_or_else(PoisonError::into_inner);
        let replay = match held.take() {
            Some(replay) => replay.named(device),
            None => StoredReplay::new(device, LIMITS),
        };
        let replay = held.insert(replay);
        replay.accept(key, header, now)?;
        replay.forget(now);
        let kept = KeptNumbers { device: replay.device().to_string(), numbers: replay.write() };
        if let Err(error) = self.file.replace(kept) {
            replay.take_back(key, header.number);
            return Err(error.into());
        }
        Ok(())
    }
}

/// The file's name.
const FILE: &str = "messages.toml";

/// What it means to go on without the file.
const DAMAGED: &str = "without it, or with an older one, stored messages that have not expired act again: give the roles of their keys a new epoch, and remove the old one";

/// As many as are written in some milliseconds: the file is written anew for each message.
const LIMITS: StoredLimits = StoredLimits { messages: 16_384, messages_of_key: 1024, ..StoredLimits::USUAL };

#[cfg(test)]
mod tests {
    use trunkline_xmlsec::{Direction, Place};

    use super::*;

    fn message(number: u64) -> Header {
        Header {
            direction: Direction::Request,
            place: Place::Device(device()),
            number,
            in_reply_to: None,
            time: now(),
            expires: Some(now().after(std::time::Duration::from_secs(60))),
            compression: None,
            role: None,
        }
    }

    fn now() -> Time {
        "2026-11-28T08:00:00Z".parse().unwrap()
    }

    fn device() -> DeviceName {
        "router-1".parse().unwrap()
    }

    fn accept(stored: &Stored, number: u64) -> Result<(), NotAccepted> {
        stored.accept_now(device(), &"operator/3/ann".parse().unwrap(), &message(number), now())
    }

    #[test]
    fn a_number_is_on_disk_when_it_is_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let stored = Stored::open(folder.path()).unwrap();
        assert!(!folder.path().join(FILE).exists());
        accept(&stored, 7).unwrap();
        assert!(accept(&stored, 7).unwrap_err().to_string().contains("accepted before"));
        // It was not closed in any way.
        let again = Stored::open(folder.path()).unwrap();
        assert!(matches!(accept(&again, 7), Err(NotAccepted::Replay(ReplayError::Seen { found: 7 }))));
        accept(&again, 8).unwrap();
    }

    #[test]
    fn what_cannot_be_kept_is_refused_and_may_come_again() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("state");
        let stored = Stored::open(&place).unwrap();
        // A file is where the folder would be.
        std::fs::write(&place, "").unwrap();
        assert!(matches!(accept(&stored, 7), Err(NotAccepted::Unkept(_))));
        std::fs::remove_file(&place).unwrap();
        accept(&stored, 7).unwrap();
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        accept(&Stored::open(folder.path()).unwrap(), 7).unwrap();
        let path = folder.path().join(FILE);
        let good = std::fs::read_to_string(&path).unwrap();
        let text: String =
            good.lines().filter(|line| !line.starts_with("# crc32")).map(|it| format!("{it}\n")).collect();
        for (from, to, words) in [
            ("router-1\"", "a b\"", "device"),
            (" 7 ", " 07 ", "line 2"),
            ("stored messages 1", "x", "expected numbers"),
        ] {
            assert!(text.contains(from), "{text}");
            std::fs::write(&path, text.replace(from, to)).unwrap();
            let error = Stored::open(folder.path()).map(drop).unwrap_err().to_string();
            assert!(
                error.contains(words) && error.contains("act again") && error.contains("new epoch"),
                "{error}"
            );
        }
    }
}
