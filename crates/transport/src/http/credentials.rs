//! Passwords and tokens of HTTP's authentication (RFC 7617, RFC 6750): who has them.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::password::{PasswordGate, PasswordHash, Question, Unproved};

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

/// Checks what people say.
#[derive(Default)]
pub struct Gatekeeper {
    credentials: Mutex<Arc<Credentials>>,
    passwords: Arc<PasswordGate>,
}

impl Gatekeeper {
    /// Checks passwords at this gate, which others may share.
    #[must_use]
    pub fn at(passwords: Arc<PasswordGate>) -> Self {
        Self { credentials: Mutex::default(), passwords }
    }

    /// From now on others may come in.
    pub fn set(&self, credentials: Credentials) {
        *self.credentials.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(credentials);
    }

    /// Who it is.
    ///
    /// # Errors
    /// [`Unproved`].
    pub async fn check(&self, claim: Claim, peer: IpAddr) -> Result<String, Unproved> {
        let credentials = Arc::clone(&self.credentials.lock().unwrap_or_else(PoisonError::into_inner));
        let (name, password) = match claim {
            Claim::Token(token) => {
                // Nobody guesses as many octets: who has a token is not held up by who has not.
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
    async fn who_is_right_comes_in_and_who_is_wrong_does_not() {
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
    async fn a_network_that_is_wrong_too_often_waits_and_no_other_one() {
        let keeper = keeper();
        keeper.check(password("ann", "maplesyrup"), HERE).await.unwrap();
        for _ in 0..10 {
            assert_eq!(keeper.check(token("guess"), HERE).await, Err(Unproved::Wrong));
        }
        for claim in [password("ann", "guess"), password("bob", "maplesyrup"), token("guess")] {
            assert!(matches!(keeper.check(claim, HERE).await, Err(Unproved::TooMany { .. })));
        }
        assert!(keeper.check(token("t0ken"), HERE).await.is_ok());
        // What was found right before is not checked again.
        assert!(keeper.check(password("ann", "maplesyrup"), HERE).await.is_ok());
        let there = "192.0.2.1".parse().unwrap();
        assert_eq!(keeper.check(password("ann", "guess"), there).await, Err(Unproved::Wrong));
    }

    #[tokio::test(start_paused = true)]
    async fn of_wrong_ones_at_one_time_no_more_than_ten_are_checked_and_right_ones_do_not_count() {
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
