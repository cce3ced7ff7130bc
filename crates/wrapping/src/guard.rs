//! Messages that protect themselves, in a session: opened, accepted once, and answered by the keys that they came with
//! (docs/wire/protected.md). A client whose hello has the capability sends nothing else.

use std::cell::{Cell, RefCell};
use std::time::SystemTime;

use trunkline_commit::keyring::Table;
use trunkline_core::{Phase, Phases};
use trunkline_netconf::compression::Algorithm;
use trunkline_netconf::hello::Hello;
use trunkline_netconf::{PROTECTION, STORED_MESSAGES};
use trunkline_transport::talk::Parted;
use trunkline_tree::policy::{OwnedActing, SecurityLevel};
use trunkline_xmlsec::{
    Compression, DeviceName, Direction, Found, Header, KeyName, Keys, Limits, NameError, Nonce, OpenError,
    Opened, Place, Protection, Replay, ReplayError, SealKeys, Step, StoredLimits, Time, UserKeys, UserName,
    is_protected, open_in_steps, seal_in_steps,
};

use crate::wrapping::algorithm;

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
    /// Of a message that came without a session.
    stored: Option<InStore>,
}

/// What the reply to a message without a session has.
#[derive(Clone)]
struct InStore {
    device: DeviceName,
    /// That of the request.
    compression: Option<Compression>,
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
    /// The name of the keys.
    pub key: KeyName,
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
    /// By a public key, over plain TCP or without a session.
    #[error("a message by a public key needs a session of its own over SSH or TLS")]
    PublicKey,
    /// The session's user has a name that no key has.
    #[error("the session's user cannot have keys: {0}")]
    Name(NameError),
    /// Without it, what this agent says in one session could be taken for what it says in another one.
    #[error("the protected hello has no nonce of the client: {PROTECTION}?nonce= and 32 hexadecimal digits")]
    NoNonce,
    /// Somebody has changed what the hellos say on the way, or the client says two things.
    #[error("the protected hello agrees on other base versions or compression than the first one")]
    OtherTerms,
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

/// The capability of a device that accepts messages without a session.
pub fn capability_of_stored(device: &DeviceName) -> String {
    format!("{STORED_MESSAGES}?device={device}")
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
        let nonce = hello.parameters(PROTECTION).and_then(Nonce::of_parameters);
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
        let (opened, key) = opened(phases, keys, message, most, now)?;
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
        let name = opened.key.clone();
        let acting = opened.role().map(|role| OwnedActing { role: role.as_str().into(), is_proved });
        let sealing = match key {
            Some(keys) => Some(Sealing {
                name: opened.key,
                keys,
                protection: opened.protection,
                in_reply_to: Some(opened.header.number),
                stored: None,
            }),
            _ if self.is_alone => return Err(NotOpened::PublicKey),
            _ => None,
        };
        let is_private = opened.protection.cipher.is_some() || !self.is_alone;
        let level = if is_private { SecurityLevel::AuthPriv } else { SecurityLevel::AuthNoPriv };
        let compression = opened.header.compression;
        Ok(Unsealed { content: opened.content, compression, sealing, acting, user: found, key: name, level })
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
        if sealing.in_reply_to.is_none() && !keys.has(&sealing.name, now) {
            return Err(Parted::Failed);
        }
        let mut header = self.replay.next(sealing.in_reply_to, now);
        header.compression = compression;
        sealing.append(phases, &header, content, output)
    }
}

/// Opens a message without a session, to this device: whether it is a replay is not said yet. `most`: octets that it may have.
///
/// # Errors
/// It is not one, or not authentic.
pub fn open_stored(
    phases: &Phases,
    keys: &Table,
    device: &DeviceName,
    message: &[u8],
    most: usize,
) -> Result<StoredMessage, NotOpened> {
    let (opened, key) = opened(phases, keys, message, most, Time::from(SystemTime::now()))?;
    let Some(keys) = key else { return Err(NotOpened::PublicKey) };
    let acting = opened.role().map(|role| OwnedActing { role: role.as_str().into(), is_proved: true });
    let level = match opened.protection.cipher {
        Some(_) => SecurityLevel::AuthPriv,
        None => SecurityLevel::AuthNoPriv,
    };
    let Opened { header, key: name, protection, content } = opened;
    let stored = Some(InStore { device: device.clone(), compression: header.compression });
    let in_reply_to = Some(header.number);
    let sealing = Sealing { name: name.clone(), keys, protection, in_reply_to, stored };
    Ok(StoredMessage { content, header, name, sealing, acting, level })
}

/// A message without a session.
pub struct StoredMessage {
    /// What it protected, compressed as the header says.
    pub content: Vec<u8>,
    /// What it says of itself.
    pub header: Header,
    /// Whose keys protected it.
    pub name: KeyName,
    /// How its reply is protected.
    pub sealing: Sealing,
    /// On behalf of which role it is.
    pub acting: Option<OwnedActing>,
    /// How well it is protected.
    pub level: SecurityLevel,
}

impl Sealing {
    /// The name of the keys.
    pub const fn key(&self) -> &KeyName {
        &self.name
    }

    /// By what a reply is compressed; `agreed`: what the ends of the session have.
    pub(crate) fn compression(&self, agreed: Option<Algorithm>) -> Option<Algorithm> {
        match &self.stored {
            Some(stored) => stored.compression.map(algorithm),
            None => agreed,
        }
    }

    /// Appends the reply to a message without a session.
    ///
    /// # Errors
    /// There is no memory, or the reply is of another kind.
    pub(crate) fn seal_stored(
        &self,
        phases: &Phases,
        content: &[u8],
        compression: Option<Compression>,
        output: &mut Vec<u8>,
    ) -> Result<(), Parted> {
        let (Some(stored), Some(request)) = (&self.stored, self.in_reply_to) else {
            return Err(Parted::Failed);
        };
        let time = Time::from(SystemTime::now());
        let header = Header {
            direction: Direction::Reply,
            place: Place::Device(stored.device.clone()),
            // One reply is sent to each request.
            number: request,
            in_reply_to: self.in_reply_to,
            time,
            expires: Some(time.after(StoredLimits::USUAL.validity)),
            compression,
            role: None,
        };
        self.append(phases, &header, content, output)
    }

    fn append(
        &self,
        phases: &Phases,
        header: &Header,
        content: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), Parted> {
        let mut entropy = [0; 16];
        getrandom(&mut entropy)?;
        let keys = SealKeys::shared(&self.name, &self.keys);
        let begin = |step| phases.begin(phase(step));
        let sealed = seal_in_steps(header, content, &keys, self.protection, &entropy, output, &begin);
        sealed.map_err(|_| Parted::Failed)
    }

    /// Whether its keys are valid now.
    pub fn is_valid(&self, keys: &Table) -> bool {
        keys.has(&self.name, Time::from(SystemTime::now()))
    }

    /// The same for what is sent without a request.
    pub fn for_notifications(mut self) -> Self {
        self.in_reply_to = None;
        self
    }
}

/// Tries each key that the message's name may stand for. With it are the keys of the role, if it is by such.
fn opened(
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
