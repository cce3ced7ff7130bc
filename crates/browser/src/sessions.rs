//! Sessions of browsers: a principal that has logged in is known by a random identifier in a cookie.
//!
//! Only the hash of an identifier is kept, so that reading this memory opens no session. The token against forged requests is
//! made of the identifier too. A session ends when it is closed, is not used, is too old, or when what its principal logged in
//! with changes.

use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The sessions that are open, and who may open some.
#[derive(Default)]
pub struct Sessions {
    principals: HashMap<String, Mark>,
    open: HashMap<[u8; 32], Session>,
}

/// What a principal logs in with and as what, as a hash: it is another one when any of that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark([u8; 32]);

/// The secret of a session, as the cookie has it, and whether it came over HTTPS: what was seen on a plain connection opens
/// nothing over HTTPS, where roles may do more.
pub struct SessionId {
    secret: Zeroizing<String>,
    is_protected: bool,
}

/// An open session.
struct Session {
    name: String,
    opened: Instant,
    used: Instant,
}

/// What a request with a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Somebody does something: the session lives on.
    Person,
    /// The page refreshes what it shows, or a stream of events looks whether its session is still there.
    Page,
}

/// A session that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its principal.
    pub name: String,
    /// How long it lives unless it is used: less if it becomes too old before.
    pub left: Duration,
}

impl Mark {
    /// That of a principal's secrets and role.
    pub fn of(parts: &[&[u8]]) -> Mark {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.len().to_be_bytes());
            hash.update(part);
        }
        Mark(hash.finalize().into())
    }
}

impl SessionId {
    /// Of random octets, for a browser that came over HTTPS or not.
    pub fn new(random: &Zeroizing<[u8; 32]>, is_protected: bool) -> SessionId {
        SessionId { secret: Zeroizing::new(URL_SAFE_NO_PAD.encode(**random)), is_protected }
    }

    /// As a cookie has it; `None`: this is not an identifier.
    pub fn read(text: &str, is_protected: bool) -> Option<SessionId> {
        let is_one = |octet: u8| octet.is_ascii_alphanumeric() || octet == b'-' || octet == b'_';
        let is_id = text.len() == ID_CHARACTERS && text.bytes().all(is_one);
        is_id.then(|| SessionId { secret: Zeroizing::new(text.to_owned()), is_protected })
    }

    /// The value of the cookie.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// What the session's requests prove with: pages of others cannot know it, and who knows it does not know the identifier.
    pub fn token(&self) -> String {
        let hash =
            Sha256::new_with_prefix(b"token against forged requests\0").chain_update(self.secret.as_bytes());
        URL_SAFE_NO_PAD.encode(&hash.finalize()[..16])
    }

    fn key(&self) -> [u8; 32] {
        Sha256::new_with_prefix([u8::from(self.is_protected)])
            .chain_update(self.secret.as_bytes())
            .finalize()
            .into()
    }
}

/// Without the secret.
impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionId")
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sessions({} open)", self.open.len())
    }
}

impl Sessions {
    /// Who may log in from now on. Sessions of principals that are gone or log in with something else end.
    pub fn configure(&mut self, principals: impl IntoIterator<Item = (String, Mark)>) {
        let principals: HashMap<String, Mark> = principals.into_iter().collect();
        let before = std::mem::replace(&mut self.principals, principals);
        let is_same =
            |name: &String| self.principals.get(name).is_some_and(|mark| before.get(name) == Some(mark));
        self.open.retain(|_, session| is_same(&session.name));
    }

    /// The mark of a principal: taken before its password is checked, and given to [`Sessions::open`].
    pub fn mark(&self, name: &str) -> Option<Mark> {
        self.principals.get(name).copied()
    }

    /// Opens a session of a principal that was authenticated; `false`: what it logged in with has changed meanwhile. If there
    /// are too many, of this principal or of all, the one that was not used for the longest time gives way.
    pub fn open(&mut self, id: &SessionId, name: &str, mark: Mark, now: Instant) -> bool {
        if self.mark(name) != Some(mark) {
            return false;
        }
        self.sweep(now);
        let theirs = self.open.values().filter(|session| session.name == name).count();
        if theirs >= MOST_OF_PRINCIPAL {
            self.drop_oldest(|session| session.name == name);
        } else if self.open.len() >= MOST_SESSIONS {
            self.drop_oldest(|_| true);
        }
        self.open.insert(id.key(), Session { name: name.to_owned(), opened: now, used: now });
        true
    }

    /// The session of an identifier, which is used now.
    pub fn find(&mut self, id: &SessionId, purpose: Use, now: Instant) -> Option<Found> {
        let key = id.key();
        let session = self.open.get_mut(&key)?;
        if !session.is_alive(now) {
            self.open.remove(&key);
            return None;
        }
        if purpose == Use::Person {
            session.used = now;
        }
        Some(Found { name: session.name.clone(), left: session.left(now) })
    }

    /// Ends a session, if it is there.
    pub fn close(&mut self, id: &SessionId) {
        self.open.remove(&id.key());
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.open.len()
    }

    fn sweep(&mut self, now: Instant) {
        self.open.retain(|_, session| session.is_alive(now));
    }

    fn drop_oldest(&mut self, among: impl Fn(&Session) -> bool) {
        let candidates = self.open.iter().filter(|(_, session)| among(session));
        if let Some(key) = candidates.min_by_key(|(_, session)| session.used).map(|(key, _)| *key) {
            self.open.remove(&key);
        }
    }
}

impl Session {
    fn left(&self, now: Instant) -> Duration {
        let until = (self.used + IDLE).min(self.opened + LONGEST);
        until.saturating_duration_since(now)
    }

    fn is_alive(&self, now: Instant) -> bool {
        !self.left(now).is_zero()
    }
}

/// Characters of 32 octets in base64.
const ID_CHARACTERS: usize = 43;
/// A session that nobody uses ends after this time.
pub const IDLE: Duration = Duration::from_secs(30 * 60);
/// Each session ends after this time.
pub const LONGEST: Duration = Duration::from_secs(12 * 60 * 60);
/// The most sessions that are open.
pub const MOST_SESSIONS: usize = 256;
/// The most sessions of one principal.
pub const MOST_OF_PRINCIPAL: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: Mark = Mark([1; 32]);

    fn id(number: u16) -> SessionId {
        let mut random = [0; 32];
        random[..2].copy_from_slice(&number.to_be_bytes());
        SessionId::new(&Zeroizing::new(random), true)
    }

    fn sessions() -> Sessions {
        let mut sessions = Sessions::default();
        sessions.configure([("ann".to_owned(), MARK), ("bob".to_owned(), MARK)]);
        sessions
    }

    #[test]
    fn a_session_is_found_by_its_identifier_until_it_is_closed() {
        let (mut sessions, now) = (sessions(), Instant::now());
        assert!(sessions.open(&id(1), "ann", MARK, now));
        let found = sessions.find(&id(1), Use::Person, now);
        assert_eq!(found, Some(Found { name: "ann".into(), left: IDLE }));
        assert_eq!(sessions.find(&id(2), Use::Person, now), None);
        let plain = SessionId::read(id(1).secret(), false).unwrap();
        assert_eq!(sessions.find(&plain, Use::Person, now), None);
        sessions.close(&id(1));
        assert_eq!(sessions.find(&id(1), Use::Person, now), None);
        assert_eq!(sessions.count(), 0);
    }

    #[test]
    fn a_session_ends_when_nobody_uses_it_and_what_a_page_does_is_not_use() {
        let (mut sessions, start) = (sessions(), Instant::now());
        assert!(sessions.open(&id(1), "ann", MARK, start));
        assert!(sessions.open(&id(2), "ann", MARK, start));
        let later = start + IDLE - Duration::from_secs(1);
        assert!(sessions.find(&id(1), Use::Person, later).is_some());
        assert!(sessions.find(&id(2), Use::Page, later).is_some());
        let later = later + Duration::from_secs(1);
        assert!(sessions.find(&id(1), Use::Page, later).is_some());
        assert_eq!(sessions.find(&id(2), Use::Page, later), None);
    }

    #[test]
    fn a_session_that_is_used_ends_too() {
        let (mut sessions, start) = (sessions(), Instant::now());
        assert!(sessions.open(&id(1), "ann", MARK, start));
        let steps = (1..).map(|n| start + n * (IDLE / 2)).take_while(|now| *now < start + LONGEST);
        for now in steps {
            let left = sessions.find(&id(1), Use::Person, now).map(|found| found.left);
            assert_eq!(left, Some(IDLE.min(start + LONGEST - now)));
        }
        assert_eq!(sessions.find(&id(1), Use::Person, start + LONGEST), None);
    }

    #[test]
    fn sessions_of_principals_that_changed_end() {
        let (mut sessions, now) = (sessions(), Instant::now());
        for (number, name) in [(1, "ann"), (2, "bob")] {
            assert!(sessions.open(&id(number), name, MARK, now));
        }
        sessions.configure([("ann".to_owned(), Mark([2; 32])), ("bob".to_owned(), MARK)]);
        assert_eq!(sessions.find(&id(1), Use::Person, now), None);
        assert!(sessions.find(&id(2), Use::Person, now).is_some());
        // It was authenticated with what is not valid any more.
        assert!(!sessions.open(&id(3), "ann", MARK, now));
        sessions.configure([]);
        assert_eq!(sessions.count(), 0);
        assert!(!sessions.open(&id(4), "bob", MARK, now));
    }

    #[test]
    fn the_least_used_of_too_many_gives_way() {
        let (mut sessions, start) = (sessions(), Instant::now());
        let at = |number: u16| start + Duration::from_millis(number.into());
        assert!(sessions.open(&id(9_999), "bob", MARK, start));
        let most = u16::try_from(MOST_OF_PRINCIPAL).unwrap();
        for number in 1..=most {
            assert!(sessions.open(&id(number), "ann", MARK, at(number)));
        }
        assert!(sessions.find(&id(1), Use::Person, at(most + 1)).is_some());
        assert!(sessions.open(&id(most + 1), "ann", MARK, at(most + 2)));
        // Another principal's is older, and stays.
        let is_there =
            |sessions: &mut Sessions, number| sessions.find(&id(number), Use::Page, at(most + 2)).is_some();
        assert!(is_there(&mut sessions, 9_999));
        assert!(is_there(&mut sessions, 1));
        assert!(!is_there(&mut sessions, 2));
        let crowd = (0..300).map(|n| (format!("user{n}"), MARK));
        sessions.configure(crowd);
        for n in 0..300 {
            assert!(sessions.open(&id(1_000 + n), &format!("user{n}"), MARK, at(n)));
        }
        assert_eq!(sessions.count(), MOST_SESSIONS);
        assert!(!is_there(&mut sessions, 1_000 + 43));
        assert!(is_there(&mut sessions, 1_000 + 44));
    }

    #[test]
    fn an_identifier_is_neither_shown_nor_its_token() {
        let id = id(7);
        assert_eq!(SessionId::read(id.secret(), true).map(|read| read.token()), Some(id.token()));
        assert_eq!(format!("{id:?} {:?}", sessions()), "SessionId Sessions(0 open)");
        assert!(!id.token().contains(&id.secret()[..8]));
        for wrong in ["", "a", &"a".repeat(44), &format!("{}=", "a".repeat(42)), &"\u{e9}".repeat(22)] {
            assert!(SessionId::read(wrong, true).is_none(), "{wrong}");
        }
        assert_ne!(Mark::of(&[b"ab", b"c"]), Mark::of(&[b"a", b"bc"]));
    }
}
