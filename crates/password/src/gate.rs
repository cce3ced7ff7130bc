//! Checks passwords: a right one is remembered for a while, an unknown one is checked, few at a time, and a
//! network with too many failures must wait.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};
use trunkline_datagrams::network;
use zeroize::Zeroizing;

use crate::hash::PasswordHash;
use crate::ledger::{Ledger, Place};

/// Why a login is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unproved {
    /// The name is unknown, the password wrong, or the token unknown. Which of these is not disclosed.
    #[error("wrong name, password or token")]
    Wrong,
    /// Too many failures from this network.
    #[error("too many wrong passwords or tokens: try again in {} s", wait.as_secs().max(1))]
    TooMany {
        /// When it may try again.
        wait: Duration,
    },
    /// Too many passwords are being checked, or there is no memory to check this one.
    #[error("too many passwords are being checked: try again in a moment")]
    Busy,
}

/// Checks passwords within limits of memory, work and attempts. A program should have one for all its listeners.
pub struct PasswordGate {
    /// Makes the cache useless to anybody who reads it; `None` without randomness: nothing is remembered then.
    key: Option<[u8; 32]>,
    /// Right passwords, and until when they are remembered.
    right: Mutex<HashMap<[u8; 32], Instant>>,
    ledger: Arc<Ledger>,
}

/// Whether this is the password of that name.
pub struct Question<'a> {
    /// The peer's address.
    pub peer: IpAddr,
    /// The claimed name.
    pub name: &'a str,
    /// The secret.
    pub password: &'a str,
    /// The stored hash of that name; `None` if there is none.
    pub theirs: Option<&'a PasswordHash>,
    /// Some stored hash: checking an unknown name takes as long as a known one.
    pub anybodys: Option<&'a PasswordHash>,
}

impl Default for PasswordGate {
    fn default() -> Self {
        let mut key = [0; 32];
        // So few octets are returned in one piece (getrandom(2)).
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
    /// Checks a password. The attempt counts from the moment the check begins, even if nobody waits for the
    /// result; a right password does not count.
    ///
    /// # Errors
    /// [`Unproved`].
    pub async fn check(self: &Arc<Self>, question: Question<'_>) -> Result<(), Unproved> {
        let Question { peer, name, password, theirs, anybodys } = question;
        let digest = theirs.and_then(|hash| self.digest(peer, name, password, hash));
        if digest.is_some_and(|digest| self.is_remembered(&digest)) {
            return Ok(());
        }
        let Some(hash) = theirs.or(anybodys).cloned() else { return Err(self.was_wrong(peer)) };
        let place = timeout(LONGEST_WAIT, self.ledger.enter(peer)).await.unwrap_or(Err(Unproved::Busy))?;
        self.ledger.begin(peer)?;
        let password = Zeroizing::new(password.to_owned());
        let gate = Arc::clone(self);
        let check = Check { gate, peer, hash, password, is_known: theirs.is_some(), digest, place };
        // It does not panic; if it did, the attempt would stay counted.
        spawn_blocking(move || check.run()).await.unwrap_or(Err(Unproved::Busy))
    }

    /// Counts a failed attempt without a check.
    #[must_use]
    pub fn was_wrong(&self, peer: IpAddr) -> Unproved {
        self.ledger.begin(peer).err().unwrap_or(Unproved::Wrong)
    }

    /// The cache entry of a right password: it reveals nothing without the key of this process, and is valid only
    /// for this name and this configured hash, from this network. Elsewhere it would answer guesses at once, however
    /// many, from networks that must wait.
    fn digest(&self, peer: IpAddr, name: &str, password: &str, hash: &PasswordHash) -> Option<[u8; 32]> {
        let mut code = Hmac::<Sha256>::new_from_slice(&self.key?).ok()?;
        match network(peer) {
            IpAddr::V4(address) => code.update(&address.octets()),
            IpAddr::V6(address) => code.update(&address.octets()),
        }
        for part in [name, &hash.to_phc(), password] {
            code.update(&part.len().to_be_bytes());
            code.update(part.as_bytes());
        }
        Some(code.finalize().into_bytes().into())
    }

    fn is_remembered(&self, digest: &[u8; 32]) -> bool {
        let (mut right, now) = (self.right(), Instant::now());
        // A regular user must not be held up by others who guess from the same address.
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

/// A check in progress. It keeps its place until it is done, whether or not somebody still waits for it.
struct Check {
    gate: Arc<PasswordGate>,
    peer: IpAddr,
    hash: PasswordHash,
    password: Zeroizing<String>,
    /// Whether the hash belongs to the name.
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

/// How long a right password is remembered, and the maximum number of them.
const REMEMBERED: Duration = Duration::from_secs(300);
const MOST_REMEMBERED: usize = 1_024;

/// The maximum wait of a check for its place.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_right_password_is_remembered_for_its_network_only() {
        let gate = Arc::<PasswordGate>::default();
        let hash = PasswordHash::make(&"maple syrup".into()).unwrap();
        let [home, neighbour, elsewhere] =
            ["2001:db8::1", "2001:db8::2", "192.0.2.1"].map(|peer| peer.parse::<IpAddr>().unwrap());
        let check = async |peer, password| {
            let theirs = Some(&hash);
            gate.check(Question { peer, name: "ann", password, theirs, anybodys: theirs }).await
        };
        check(home, "maple syrup").await.unwrap();
        for peer in [neighbour, elsewhere] {
            while !matches!(gate.was_wrong(peer), Unproved::TooMany { .. }) {}
        }
        assert_eq!(check(neighbour, "maple syrup").await, Ok(()));
        let refused = check(elsewhere, "maple syrup").await;
        assert!(matches!(refused, Err(Unproved::TooMany { .. })), "{refused:?}");
    }
}
