//! Passwords and tokens of HTTP authentication (RFC 7617, RFC 6750).

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use trunkline_password::{PasswordGate, PasswordHash, Question, Unproved};

/// The principals that may log in, and their secrets.
#[derive(Clone, Default)]
pub struct Credentials {
    passwords: HashMap<String, PasswordHash>,
    /// The principal of each token, by the token's SHA-256.
    tokens: HashMap<[u8; 32], String>,
}

impl Credentials {
    /// Adds a principal with a password.
    pub fn add_password(&mut self, name: &str, hash: PasswordHash) {
        self.passwords.insert(name.to_owned(), hash);
    }

    /// Adds a principal with a token, given as its SHA-256.
    pub fn add_token(&mut self, name: &str, hash: [u8; 32]) {
        self.tokens.insert(hash, name.to_owned());
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({} passwords, {} tokens)", self.passwords.len(), self.tokens.len())
    }
}

/// The credentials in a request.
pub enum Claim {
    /// A name and its password.
    Password {
        /// The claimed name.
        name: String,
        /// The secret.
        password: Zeroizing<String>,
    },
    /// A token.
    Token(Zeroizing<String>),
}

/// Checks credentials.
#[derive(Default)]
pub struct Gatekeeper {
    credentials: Mutex<Arc<Credentials>>,
    passwords: Arc<PasswordGate>,
}

impl Gatekeeper {
    /// Checks passwords at this gate, which may be shared.
    #[must_use]
    pub fn at(passwords: Arc<PasswordGate>) -> Self {
        Self { credentials: Mutex::default(), passwords }
    }

    /// Replaces the accepted credentials.
    pub fn set(&self, credentials: Credentials) {
        *self.credentials.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(credentials);
    }

    /// Returns the principal.
    ///
    /// # Errors
    /// [`Unproved`].
    pub async fn check(&self, claim: Claim, peer: IpAddr) -> Result<String, Unproved> {
        let credentials = Arc::clone(&self.credentials.lock().unwrap_or_else(PoisonError::into_inner));
        let (name, password) = match claim {
            Claim::Token(token) => {
                // Nobody guesses that many octets: a token's holder need not wait for failed attempts of others.
                let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
                let whose = credentials.tokens.get(&hash).cloned();
                return whose.ok_or_else(|| self.passwords.was_wrong(peer));
            }
            Claim::Password { name, password } => (name, password),
        };
        let question = Question {
            peer,
            name: &name,
            password: &password,
            theirs: credentials.passwords.get(&name),
            anybodys: credentials.passwords.values().next(),
        };
        self.passwords.check(question).await?;
        Ok(name)
    }
}

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
    async fn right_credentials_are_accepted_and_wrong_ones_refused() {
        let keeper = keeper();
        assert_eq!(keeper.check(password("ann", "maplesyrup"), HERE).await.as_deref(), Ok("ann"));
        assert_eq!(keeper.check(token("t0ken"), HERE).await.as_deref(), Ok("robot"));
        for claim in [password("ann", "maple"), password("bob", "maplesyrup"), token("token"), token("")] {
            assert_eq!(keeper.check(claim, HERE).await, Err(Unproved::Wrong));
        }
        keeper.set(Credentials::default());
        assert_eq!(keeper.check(password("ann", "maplesyrup"), HERE).await, Err(Unproved::Wrong));
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_network_with_too_many_failures_waits() {
        let keeper = keeper();
        keeper.check(password("ann", "maplesyrup"), HERE).await.unwrap();
        for _ in 0..10 {
            assert_eq!(keeper.check(token("guess"), HERE).await, Err(Unproved::Wrong));
        }
        for claim in [password("ann", "guess"), password("bob", "maplesyrup"), token("guess")] {
            assert!(matches!(keeper.check(claim, HERE).await, Err(Unproved::TooMany { .. })));
        }
        assert!(keeper.check(token("t0ken"), HERE).await.is_ok());
        // A password that was right recently is not checked again.
        assert!(keeper.check(password("ann", "maplesyrup"), HERE).await.is_ok());
        let there = "192.0.2.1".parse().unwrap();
        assert_eq!(keeper.check(password("ann", "guess"), there).await, Err(Unproved::Wrong));
    }

    #[tokio::test(start_paused = true)]
    async fn at_most_ten_wrong_passwords_are_checked_at_once_and_right_ones_do_not_count() {
        let keeper = Arc::new(keeper());
        let ask = |claim, peer| {
            let keeper = Arc::clone(&keeper);
            tokio::spawn(async move { keeper.check(claim, peer).await })
        };
        let there: IpAddr = "192.0.2.1".parse().unwrap();
        let wrong: Vec<_> = (0..30).map(|n| ask(password("ann", &n.to_string()), HERE)).collect();
        let right: Vec<_> = (0..15).map(|_| ask(password("ann", "maplesyrup"), there)).collect();
        for one in right {
            assert_eq!(one.await.unwrap().as_deref(), Ok("ann"));
        }
        let mut checked = 0;
        for one in wrong {
            match one.await.unwrap() {
                Err(Unproved::Wrong) => checked += 1,
                other => assert!(matches!(other, Err(Unproved::TooMany { .. })), "{other:?}"),
            }
        }
        assert_eq!(checked, 10);
    }

    #[test]
    fn nothing_is_shown() {
        let mut credentials = Credentials::default();
        credentials.add_password("ann", PasswordHash::make(&"maplesyrup".into()).unwrap());
        assert_eq!(format!("{credentials:?}"), "Credentials(1 passwords, 0 tokens)");
    }
}
