//! Messages that protect themselves, in a session: opened, accepted once, and answered by the keys that they came with
//! (docs/wire/protected.md). A client whose hello has the capability sends nothing else.

use std::cell::{Cell, RefCell};
use std::time::SystemTime;

use trunkline_commit::keyring::Table;
use trunkline_core::{Phase, Phases};
use trunkline_netconf::PROTECTION;
use trunkline_netconf::hello::Hello;
use trunkline_transport::talk::Parted;
use trunkline_tree::policy::{OwnedActing, SecurityLevel};
use trunkline_xmlsec::{
    Compression, Found, KeyName, Keys, Limits, NameError, Nonce, OpenError, Opened, Protection, Replay,
    ReplayError, SealKeys, Step, Time, UserKeys, UserName, is_protected, open_in_steps, seal_in_steps,
};

/// What protects the messages of a session.
pub struct Guard {
    replay: Replay,
    /// Whose keys they are, from the first message on or from what the transport proved.
    user: Option<UserName>,
    /// Whether only the keys protect what passes.
    is_alone: bool,
}

/// How the reply to a message, and what is sent because of it, is protected.
#[derive(Clone)]
pub struct Sealing {
    name: KeyName,
    keys: UserKeys,
    protection: Protection,
    in_reply_to: Option<u64>,
}

/// A message that was opened.
pub struct Unsealed {
    /// What it protected, compressed as it says.
    pub content: Vec<u8>,
    pub compression: Option<Compression>,
    /// `None`: by a public key, whose owner trusts what the transport proves of us.
    pub sealing: Option<Sealing>,
    pub acting: Option<OwnedActing>,
    pub user: UserName,
    pub level: SecurityLevel,
}

/// Why a message is not accepted: for the log. Whoever sent it learns only that it was not.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// It is not protected.
    #[error("expected a protected message, found another one")]
    Unprotected,
    /// It cannot be opened.
    #[error("{0}")]
    Open(#[from] OpenError),
    /// It came again, late, or for another session.
    #[error("{0}")]
    Replay(#[from] ReplayError),
    /// It is by keys of another user.
    #[error("the message is by a key of {found}, and the session is of {expected}")]
    User {
        /// Of the session.
        expected: UserName,
        /// Of the message.
        found: UserName,
    },
    /// By a public key, over plain TCP.
    #[error("a message by a public key needs a session over SSH or TLS")]
    PublicKey,
    /// The session's user has a name that no key has.
    #[error("the session's user cannot have keys: {0}")]
    Name(NameError),
    /// Without it, what this agent says in one session could be taken for what it says in another one.
    #[error("the protected hello has no nonce of the client: {PROTECTION}?nonce= and 32 hexadecimal digits")]
    NoNonce,
    /// The first protected message must be a hello.
    #[error("expected a hello, found another message")]
    NotHello,
}

/// What its sender is answered, whatever was wrong.
pub const REFUSED: &str =
    "the message is not accepted: protect it by a key that is valid now, once and in time";

/// The capability of a session whose nonce this is.
pub fn capability(nonce: &Nonce) -> String {
    format!("{PROTECTION}?nonce={}", nonce.to_hex())
}

impl Guard {
    /// Of a session with this nonce. `user`: whom the transport proved.
    pub fn new(nonce: Nonce, user: Option<UserName>) -> Self {
        let is_alone = user.is_none();
        Guard { replay: Replay::of_agent(nonce), user, is_alone }
    }

    /// Whether a client wants its session protected.
    pub fn is_wanted(hello: &Hello) -> bool {
        hello.has(PROTECTION)
    }

    /// The client's protected hello names its end of the session. Whether it does.
    pub fn meet(&mut self, hello: &Hello) -> bool {
        let of_it = |uri: &&String| uri.split('?').next() == Some(PROTECTION);
        let nonce = hello.capabilities.iter().find(of_it).and_then(|uri| Nonce::of_capability(uri));
        nonce.inspect(|nonce| self.replay.meet(*nonce)).is_some()
    }

    /// Opens a message, once. `most`: octets that it may have.
    pub fn open(
        &mut self,
        phases: &Phases,
        keys: &Table,
        message: &[u8],
        most: usize,
    ) -> Result<Unsealed, NotOpened> {
        if !is_protected(message) {
            return Err(NotOpened::Unprotected);
        }
        let now = Time::from(SystemTime::now());
        let (opened, key) = self.opened(phases, keys, message, most, now)?;
        self.replay.accept(&opened.header, now)?;
        let found = opened.key.user().clone();
        match &self.user {
            Some(expected) if *expected != found => {
                return Err(NotOpened::User { expected: expected.clone(), found });
            }
            Some(_) => {}
            None => self.user = Some(found.clone()),
        }
        let is_proved = opened.key.role().is_some();
        let acting = opened.role().map(|role| OwnedActing { role: role.as_str().into(), is_proved });
        let sealing = match key {
            Some(keys) => Some(Sealing {
                name: opened.key,
                keys,
                protection: opened.protection,
                in_reply_to: Some(opened.header.number),
            }),
            _ if self.is_alone => return Err(NotOpened::PublicKey),
            _ => None,
        };
        let is_private = opened.protection.cipher.is_some() || !self.is_alone;
        let level = if is_private { SecurityLevel::AuthPriv } else { SecurityLevel::AuthNoPriv };
        let compression = opened.header.compression;
        Ok(Unsealed { content: opened.content, compression, sealing, acting, user: found, level })
    }

    /// Tries each key that the message's name may stand for. With it are the keys of the role, if it is by such.
    fn opened(
        &self,
        phases: &Phases,
        keys: &Table,
        message: &[u8],
        most: usize,
        now: Time,
    ) -> Result<(Opened, Option<UserKeys>), OpenError> {
        let limits = Limits { octets: most };
        let mut at = 0;
        loop {
            let position = AtPosition { keys, at, now, used: RefCell::default(), has_more: Cell::default() };
            match open_in_steps(message, &limits, &position, &|step| phases.begin(phase(step))) {
                // Of several public keys of a user another one may fit.
                Err(OpenError::Refused) if position.has_more.get() && at + 1 < MOST_KEYS => at += 1,
                done => return done.map(|opened| (opened, position.used.into_inner())),
            }
        }
    }

    /// Appends a message to the client, protected as `sealing` says.
    ///
    /// # Errors
    /// There is no memory, or the keys are not valid any more.
    pub fn seal(
        &mut self,
        phases: &Phases,
        keys: &Table,
        sealing: &Sealing,
        content: &[u8],
        compression: Option<Compression>,
        output: &mut Vec<u8>,
    ) -> Result<(), Parted> {
        let now = Time::from(SystemTime::now());
        // A reply may be late; what nobody has requested ends with the keys.
        if sealing.in_reply_to.is_none() && keys.find(&sealing.name, now).is_empty() {
            return Err(Parted::Failed);
        }
        let mut header = self.replay.next(sealing.in_reply_to, now);
        header.compression = compression;
        let mut entropy = [0; 16];
        getrandom(&mut entropy)?;
        let keys = SealKeys::shared(&sealing.name, &sealing.keys);
        let begin = |step| phases.begin(phase(step));
        let sealed = seal_in_steps(&header, content, &keys, sealing.protection, &entropy, output, &begin);
        sealed.map_err(|_| Parted::Failed)
    }
}

impl Sealing {
    /// The same for what is sent without a request.
    pub fn for_notifications(mut self) -> Self {
        self.in_reply_to = None;
        self
    }
}

/// The keys of one moment; of several of one name, that at a position.
struct AtPosition<'t> {
    keys: &'t Table,
    at: usize,
    now: Time,
    /// The keys of a role that the message is signed by.
    used: RefCell<Option<UserKeys>>,
    /// Whether the name stands for others behind the position too.
    has_more: Cell<bool>,
}

impl Keys for AtPosition<'_> {
    fn find(&self, name: &KeyName, protection: &Protection) -> Option<Found> {
        let mut found = self.keys.find(name, self.now).into_iter();
        if name.role().is_none() {
            let one = found.nth(self.at);
            self.has_more.set(found.len() > 0);
            return one;
        }
        let found = found.next();
        if protection.signature.is_shared()
            && let Some(Found::Shared(keys)) = &found
        {
            self.used.replace(Some(keys.clone()));
        }
        found
    }
}

/// What the laboratory's clock calls a step.
const fn phase(step: Step) -> Phase {
    match step {
        Step::Verify => Phase::Verify,
        Step::Decrypt => Phase::Decrypt,
        Step::Encrypt => Phase::Encrypt,
        Step::Sign => Phase::Sign,
    }
}

/// What names a session; `None`: the kernel gives no random octets.
pub fn nonce() -> Option<Nonce> {
    let mut octets = [0; 16];
    getrandom(&mut octets).ok().map(|()| Nonce(octets))
}

/// Random octets of the kernel.
fn getrandom(octets: &mut [u8]) -> Result<(), Parted> {
    match rustix::rand::getrandom(&mut *octets, rustix::rand::GetRandomFlags::empty()) {
        Ok(length) if length == octets.len() => Ok(()),
        _ => Err(Parted::Failed),
    }
}

/// Keys of a user that are tried for one message.
const MOST_KEYS: usize = 4;
