//! Passwords and tokens of HTTP's authentication (RFC 7617, RFC 6750): who has them, and how often somebody may guess.
//!
//! Checking a password takes tens of milliseconds by design, so that it is done aside, few at a time; what was right is
//! remembered for a while, as a keyed hash. Whoever is wrong too often waits.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::Instant;
use zeroize::Zeroizing;

use crate::ssh::PasswordHash;

/// Who may come in, and by what.
#[derive(Clone, Default)]
pub struct Credentials {
    passwords: HashMap<String, PasswordHash>,
    /// SHA-256 of each token, and whose it is.
    tokens: HashMap<[u8; 32], String>,
}

impl Credentials {
    /// Lets somebody in by a password.
    pub fn add_password(&mut self, name: &str, hash: PasswordHash) {
        self.passwords.insert(name.to_owned(), hash);
    }

    /// Lets somebody in by the token of which this is SHA-256.
    pub fn add_token(&mut self, name: &str, hash: [u8; 32]) {
        self.tokens.insert(hash, name.to_owned());
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({} passwords, {} tokens)", self.passwords.len(), self.tokens.len())
    }
}

/// What somebody says to be let in.
pub enum Claim {
    /// A name and its password.
    Password {
        /// Who they say they are.
        name: String,
        /// What only they should know.
        password: Zeroizing<String>,
    },
    /// A token, which is somebody's.
    Token(Zeroizing<String>),
}

/// Why somebody is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unproved {
    /// There is no such name, or it has another password; no such token. Which of these is not said.
    #[error("wrong name, password or token")]
    Wrong,
    /// This address was wrong too often.
    #[error("too many wrong passwords or tokens: try again in {} s", wait.as_secs().max(1))]
    TooMany {
        /// When it may try again.
        wait: Duration,
    },
    /// Too many passwords are being checked.
    #[error("too many passwords are being checked: try again in a moment")]
    Busy,
}

/// Checks what people say.
pub struct Gatekeeper {
    credentials: Mutex<Arc<Credentials>>,
    /// Makes what is remembered useless to who reads it; `None`, where there is no randomness: nothing is remembered.
    key: Option<[u8; 32]>,
    /// Passwords that were right, and until when that holds.
    right: Mutex<HashMap<[u8; 32], Instant>>,
    /// How often an address may still be wrong.
    patience: Mutex<HashMap<IpAddr, Patience>>,
    checks: Semaphore,
    waiting: Semaphore,
}

#[derive(Clone, Copy)]
struct Patience {
    /// At this time all of it is back.
    whole_at: Instant,
}

impl Default for Gatekeeper {
    fn default() -> Self {
        let mut key = [0; 32];
        let random = rustls::crypto::aws_lc_rs::default_provider().secure_random;
        Self {
            credentials: Mutex::default(),
            key: random.fill(&mut key).is_ok().then_some(key),
            right: Mutex::default(),
            patience: Mutex::default(),
            checks: Semaphore::new(CHECKS),
            waiting: Semaphore::new(WAITING),
        }
    }
}

impl Gatekeeper {
    /// From now on others may come in.
    pub fn set(&self, credentials: Credentials) {
        *locked(&self.credentials) = Arc::new(credentials);
        locked(&self.right).clear();
    }

    /// Who it is.
    ///
    /// # Errors
    /// [`Unproved`].
    pub async fn check(&self, claim: Claim, peer: IpAddr) -> Result<String, Unproved> {
        let credentials = Arc::clone(&locked(&self.credentials));
        let (name, password) = match claim {
            Claim::Token(token) => {
                // Nobody guesses as many octets: who has a token is not held up by who has not.
                let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
                return credentials.tokens.get(&hash).cloned().ok_or_else(|| self.was_wrong(peer));
            }
            Claim::Password { name, password } => (name, password),
        };
        let theirs = credentials.passwords.get(&name);
        let digest = theirs.and_then(|hash| self.digest(&name, &password, hash));
        if digest.is_some_and(|digest| self.is_right(&digest)) {
            return Ok(name);
        }
        self.may_try(peer)?;
        // It takes as long for a name that nobody has.
        let Some(hash) = theirs.or_else(|| credentials.passwords.values().next()).cloned() else {
            return Err(self.was_wrong(peer));
        };
        let known = theirs.is_some();
        let _waiting = self.waiting.try_acquire().map_err(|_| Unproved::Busy)?;
        let place = self.checks.acquire().await;
        let checked = spawn_blocking(move || hash.is_of(&password)).await;
        drop(place);
        if !known || !checked.unwrap_or(false) {
            return Err(self.was_wrong(peer));
        }
        if let Some(digest) = digest {
            self.remember(digest);
        }
        Ok(name)
    }

    /// What is remembered of a right password: without the key of this process it says nothing, and it holds for this
    /// hash of the configuration alone.
    fn digest(&self, name: &str, password: &str, hash: &PasswordHash) -> Option<[u8; 32]> {
        let mut code = Hmac::<Sha256>::new_from_slice(&self.key?).ok()?;
        for part in [name, &hash.to_phc(), password] {
            code.update(&part.len().to_be_bytes());
            code.update(part.as_bytes());
        }
        Some(code.finalize().into_bytes().into())
    }

    fn is_right(&self, digest: &[u8; 32]) -> bool {
        locked(&self.right).get(digest).is_some_and(|until| Instant::now() < *until)
    }

    fn remember(&self, digest: [u8; 32]) {
        let (mut right, now) = (locked(&self.right), Instant::now());
        if right.len() >= MOST_REMEMBERED {
            right.retain(|_, until| now < *until);
        }
        if right.len() < MOST_REMEMBERED {
            right.insert(digest, now + REMEMBERED);
        }
    }

    /// Each wrong attempt takes [`REGAIN`] of an address's patience; there is some for [`ATTEMPTS`] of them.
    fn may_try(&self, peer: IpAddr) -> Result<(), Unproved> {
        let (patience, now) = (locked(&self.patience), Instant::now());
        let left = patience.get(&network(peer)).map_or(now, |patience| patience.whole_at);
        let taken = left.saturating_duration_since(now);
        match (taken + REGAIN).checked_sub(REGAIN * ATTEMPTS) {
            Some(wait) if !wait.is_zero() => Err(Unproved::TooMany { wait }),
            _ => Ok(()),
        }
    }

    fn was_wrong(&self, peer: IpAddr) -> Unproved {
        let (mut patience, now) = (locked(&self.patience), Instant::now());
        if patience.len() >= MOST_ADDRESSES {
            patience.retain(|_, patience| now < patience.whole_at);
        }
        if patience.len() >= MOST_ADDRESSES {
            // Whoever has so many addresses is held up by the few checks at one time.
            patience.clear();
        }
        let entry = patience.entry(network(peer)).or_insert(Patience { whole_at: now });
        entry.whole_at = entry.whole_at.max(now) + REGAIN;
        Unproved::Wrong
    }
}

/// Whoever has one address of IPv6 has many.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) >> 64 << 64).into()),
        address => address,
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passwords checked at one time, and those that may wait for it.
const CHECKS: usize = 2;
const WAITING: usize = 32;

/// Wrong attempts of an address in a row, and how long one takes to be forgotten.
const ATTEMPTS: u32 = 10;
const REGAIN: Duration = Duration::from_secs(6);

/// How long a right password is remembered, and how many are.
const REMEMBERED: Duration = Duration::from_secs(300);
const MOST_REMEMBERED: usize = 1_024;

/// Addresses whose wrong attempts are known.
const MOST_ADDRESSES: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn keeper() -> Gatekeeper {
        let keeper = Gatekeeper::default();
        let mut credentials = Credentials::default();
        credentials.add_password("ann", PasswordHash::make(&"maplesyrup".into()).unwrap());
        credentials.add_token("robot", Sha256::digest(b"t0ken").into());
        keeper.set(credentials);
        keeper
    }

    fn password(name: &str, password: &str) -> Claim {
        Claim::Password { name: name.to_owned(), password: Zeroizing::new(password.to_owned()) }
    }

    fn token(token: &str) -> Claim {
        Claim::Token(Zeroizing::new(token.to_owned()))
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_right_comes_in_and_who_is_wrong_does_not() {
        let keeper = keeper();
        assert_eq!(keeper.check(password("ann", "maplesyrup"), HERE).await.as_deref(), Ok("ann"));
        assert_eq!(keeper.check(token("t0ken"), HERE).await.as_deref(), Ok("robot"));
        for claim in [password("ann", "maple"), password("bob", "maplesyrup"), token("token"), token("")] {
            assert_eq!(keeper.check(claim, HERE).await, Err(Unproved::Wrong));
        }
        assert_eq!(locked(&keeper.right).len(), 1);
        keeper.set(Credentials::default());
        assert_eq!(keeper.check(password("ann", "maplesyrup"), HERE).await, Err(Unproved::Wrong));
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_that_is_wrong_too_often_waits_and_no_other_one() {
        let keeper = keeper();
        keeper.check(password("ann", "maplesyrup"), HERE).await.unwrap();
        for _ in 0..ATTEMPTS {
            assert_eq!(keeper.check(token("guess"), HERE).await, Err(Unproved::Wrong));
        }
        let again = keeper.check(password("ann", "guess"), HERE).await;
        assert!(matches!(again, Err(Unproved::TooMany { .. })));
        assert!(keeper.check(token("t0ken"), HERE).await.is_ok());
        // What was found right before is not checked again.
        assert!(keeper.check(password("ann", "maplesyrup"), HERE).await.is_ok());
        let there = "192.0.2.1".parse().unwrap();
        assert_eq!(keeper.check(password("ann", "guess"), there).await, Err(Unproved::Wrong));
        tokio::time::advance(REGAIN).await;
        assert_eq!(keeper.check(password("ann", "guess"), HERE).await, Err(Unproved::Wrong));
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    }

    #[test]
    fn nothing_is_shown() {
        let mut credentials = Credentials::default();
        credentials.add_password("ann", PasswordHash::make(&"maplesyrup".into()).unwrap());
        assert_eq!(format!("{credentials:?}"), "Credentials(1 passwords, 0 tokens)");
    }
}
