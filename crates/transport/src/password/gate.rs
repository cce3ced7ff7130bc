//! Whether a password is somebody's: what was right is remembered for a while, what is not known is checked, few at one
//! time, and whoever is wrong too often waits.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};
use zeroize::Zeroizing;

use super::hash::PasswordHash;
use super::ledger::{Ledger, Place};

/// Why somebody is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unproved {
    /// There is no such name, or it has another password; no such token. Which of these is not said.
    #[error("wrong name, password or token")]
    Wrong,
    /// This network was wrong too often.
    #[error("too many wrong passwords or tokens: try again in {} s", wait.as_secs().max(1))]
    TooMany {
        /// When it may try again.
        wait: Duration,
    },
    /// Too many passwords are being checked, or there is no memory to check this one.
    #[error("too many passwords are being checked: try again in a moment")]
    Busy,
}

/// Checks passwords within bounds of memory, work and attempts. One is meant for all listeners of a program.
pub struct PasswordGate {
    /// Makes what is remembered useless to who reads it; `None`, where there is no randomness: nothing is remembered.
    key: Option<[u8; 32]>,
    /// Passwords that were right, and until when that holds.
    right: Mutex<HashMap<[u8; 32], Instant>>,
    ledger: Arc<Ledger>,
}

/// Is this the password of that name?
pub(crate) struct Question<'a> {
    /// Where it comes from.
    pub peer: IpAddr,
    /// Who they say they are.
    pub name: &'a str,
    /// What only they should know.
    pub password: &'a str,
    /// What is kept of that name's password; `None`: there is none.
    pub theirs: Option<&'a PasswordHash>,
    /// Somebody's hash: checking takes as long for a name that nobody has.
    pub anybodys: Option<&'a PasswordHash>,
}

impl Default for PasswordGate {
    fn default() -> Self {
        let mut key = [0; 32];
        // So few octets come in one piece (getrandom(2)).
        let random = rustix::rand::getrandom(&mut key, rustix::rand::GetRandomFlags::empty());
        Self {
            key: random.is_ok_and(|octets| octets == key.len()).then_some(key),
            right: Mutex::default(),
            ledger: Arc::default(),
        }
    }
}

impl fmt::Debug for PasswordGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordGate")
    }
}

impl PasswordGate {
    /// Checks a password. The attempt counts from the moment the check begins, even if nobody waits for its end; a right
    /// one does not count.
    ///
    /// # Errors
    /// [`Unproved`].
    pub(crate) async fn check(self: &Arc<Self>, question: Question<'_>) -> Result<(), Unproved> {
        let Question { peer, name, password, theirs, anybodys } = question;
        let digest = theirs.and_then(|hash| self.digest(name, password, hash));
        if digest.is_some_and(|digest| self.is_remembered(&digest)) {
            return Ok(());
        }
        let Some(hash) = theirs.or(anybodys).cloned() else { return Err(self.was_wrong(peer)) };
        let place = timeout(LONGEST_WAIT, self.ledger.enter(peer)).await.unwrap_or(Err(Unproved::Busy))?;
        self.ledger.begin(peer)?;
        let password = Zeroizing::new(password.to_owned());
        let gate = Arc::clone(self);
        let check = Check { gate, peer, hash, password, is_known: theirs.is_some(), digest, place };
        // It does not panic; were it so, the attempt stays counted.
        spawn_blocking(move || check.run()).await.unwrap_or(Err(Unproved::Busy))
    }

    /// Counts an attempt that was wrong without a check.
    pub(crate) fn was_wrong(&self, peer: IpAddr) -> Unproved {
        self.ledger.begin(peer).err().unwrap_or(Unproved::Wrong)
    }

    /// What is remembered of a right password: without the key of this process it says nothing, and it holds for this
    /// name and this hash of the configuration alone.
    fn digest(&self, name: &str, password: &str, hash: &PasswordHash) -> Option<[u8; 32]> {
        let mut code = Hmac::<Sha256>::new_from_slice(&self.key?).ok()?;
        for part in [name, &hash.to_phc(), password] {
            code.update(&part.len().to_be_bytes());
            code.update(part.as_bytes());
        }
        Some(code.finalize().into_bytes().into())
    }

    fn is_remembered(&self, digest: &[u8; 32]) -> bool {
        let (mut right, now) = (self.right(), Instant::now());
        // Whoever keeps coming is not to be held up by those who guess from the same address meanwhile.
        right.get_mut(digest).filter(|until| now < **until).map(|until| *until = now + REMEMBERED).is_some()
    }

    fn remember(&self, digest: [u8; 32]) {
        let (mut right, now) = (self.right(), Instant::now());
        if right.len() >= MOST_REMEMBERED {
            right.retain(|_, until| now < *until);
        }
        if right.len() < MOST_REMEMBERED {
            right.insert(digest, now + REMEMBERED);
        }
    }

    fn right(&self) -> MutexGuard<'_, HashMap<[u8; 32], Instant>> {
        self.right.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A check under work. It holds its place until it is done, whether or not somebody still waits for it.
struct Check {
    gate: Arc<PasswordGate>,
    peer: IpAddr,
    hash: PasswordHash,
    password: Zeroizing<String>,
    /// Whether the hash is that of the name.
    is_known: bool,
    digest: Option<[u8; 32]>,
    place: Place,
}

impl Check {
    fn run(self) -> Result<(), Unproved> {
        let found = self.hash.is_of(&self.password);
        drop(self.place);
        match found {
            Ok(true) if self.is_known => {
                self.gate.ledger.was_right(self.peer);
                if let Some(digest) = self.digest {
                    self.gate.remember(digest);
                }
                Ok(())
            }
            Ok(_) => Err(Unproved::Wrong),
            Err(error) => {
                tracing::warn!(%error, "no memory to check a password");
                self.gate.ledger.give_back(self.peer);
                Err(Unproved::Busy)
            }
        }
    }
}

/// How long a right password is remembered, and how many are.
const REMEMBERED: Duration = Duration::from_secs(300);
const MOST_REMEMBERED: usize = 1_024;

/// How long a check may wait for its place.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
