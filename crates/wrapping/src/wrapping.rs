//! How messages are wrapped in a session: framed, and compressed or protected if both ends have that.

use std::sync::{Mutex, PoisonError};

use trunkline_commit::keyring::Keyring;
use trunkline_core::{Phase, Phases};
use trunkline_netconf::compression::{Agreed, Algorithm, Deflater, LEAST, inflate};
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_netconf::framing::Framing;
use trunkline_transport::talk::Parted;
use trunkline_tree::policy::{OwnedActing, SecurityLevel};
use trunkline_xmlsec::{Compression, KeyName, UserName};

use crate::guard::{Guard, NotOpened, REFUSED, Sealing, Unsealed};

/// What is done with the messages of a session on their way.
pub struct Wrapping {
    /// Where messages end.
    pub framing: Framing,
    /// What both ends have.
    pub agreed: Agreed,
    /// Protects messages, if the client wants that.
    pub guard: Option<Box<Guard>>,
    /// How what is sent now is protected.
    pub sealing: Option<Sealing>,
    /// What there is of a message that will be protected.
    content: Vec<u8>,
    /// Octets that the session may hold.
    most_kept: usize,
    /// While a message has begun.
    deflater: Option<(Algorithm, Deflater)>,
    /// Whether a part of the message has come.
    has_begun: bool,
}

/// What all sessions share.
#[derive(Clone, Copy)]
pub struct Shared<'s> {
    /// The laboratory's clock.
    pub phases: &'s Phases,
    /// The keys of messages.
    pub keyring: &'s Keyring,
    /// Compressors of messages that leave.
    pub deflaters: &'s Deflaters,
}

/// A message that was unwrapped.
pub struct Received {
    /// The XML.
    pub message: Vec<u8>,
    /// Who has protected it, on behalf of which role, and how well.
    pub proved: Option<Proved>,
}

/// Whom a protected message comes from.
pub struct Proved {
    /// Whose keys they are.
    pub user: UserName,
    /// The name of the keys.
    pub key: KeyName,
    /// On behalf of which role it is.
    pub acting: Option<OwnedActing>,
    /// How well it is protected.
    pub level: SecurityLevel,
}

/// Why a message is of no use.
#[derive(Debug)]
pub enum Unusable {
    /// The next one may be.
    Refused(RpcError),
    /// The session ends.
    NotOpened(NotOpened),
}

/// Compressors that no message needs just now: they are large, and sessions that say nothing have none.
#[derive(Default)]
pub struct Deflaters(Mutex<Vec<(Algorithm, Deflater)>>);

impl Deflaters {
    fn take(&self, algorithm: Algorithm) -> Result<Deflater, Parted> {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = free.iter().position(|(of, _)| *of == algorithm);
        let found = at.map(|at| free.swap_remove(at).1);
        drop(free);
        found.map_or_else(|| Deflater::new(algorithm).map_err(|_| Parted::Failed), Ok)
    }

    fn give_back(&self, algorithm: Algorithm, deflater: Deflater) {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < MOST_FREE {
            free.push((algorithm, deflater));
        }
    }
}

impl Wrapping {
    /// Before the hellos. `most_kept`: octets that the session may hold.
    #[must_use]
    pub fn new(most_kept: usize) -> Self {
        Wrapping {
            framing: Framing::EndOfMessage,
            agreed: Agreed::default(),
            guard: None,
            sealing: None,
            content: Vec::new(),
            most_kept,
            deflater: None,
            has_begun: false,
        }
    }

    /// Unwraps a message of at most so many octets.
    pub fn receive(
        &mut self,
        shared: Shared<'_>,
        message: Vec<u8>,
        most: usize,
    ) -> Result<Received, Unusable> {
        let phases = shared.phases;
        let Some(guard) = &mut self.guard else {
            phases.begin(Phase::Inflate);
            let message = self.agreed.receive(message, most);
            return match message {
                Ok(message) => Ok(Received { message, proved: None }),
                Err(error) => Err(Unusable::Refused(error.error())),
            };
        };
        let opened = guard.open(phases, &shared.keyring.table(), &message, most);
        let unsealed = opened.map_err(Unusable::NotOpened)?;
        self.sealing = unsealed.sealing;
        let allowed = unsealed.compression.map(algorithm).map_or(Ok(()), |it| self.agreed.allow(it));
        allowed.map_err(|error| Unusable::Refused(error.error()))?;
        let message = Self::inflated(shared, unsealed.content, unsealed.compression, most);
        let message = message.map_err(Unusable::Refused)?;
        let Unsealed { user, key, acting, level, .. } = unsealed;
        let proved = Proved { user, key, acting, level };
        Ok(Received { message, proved: Some(proved) })
    }

    /// What a message without a session has inside.
    ///
    /// # Errors
    /// Its compression cannot be undone.
    pub fn inflated(
        shared: Shared<'_>,
        content: Vec<u8>,
        compression: Option<Compression>,
        most: usize,
    ) -> Result<Vec<u8>, RpcError> {
        shared.phases.begin(Phase::Inflate);
        match compression {
            None => Ok(content),
            Some(compression) => {
                inflate(algorithm(compression), &content, most).map_err(|error| error.error())
            }
        }
    }

    /// Octets that are held once a part of so many has come: `held` beside the message, and of a message that will be protected what there is
    /// of it, and at its end what protecting it takes: itself, encrypted, and that in base64.
    #[must_use]
    pub fn holds(&self, part: usize, is_end: bool, held: usize) -> usize {
        let (content, most) = (self.content.len() + part, self.most_sealed(held));
        if self.sealing.is_none() {
            held
        } else if is_end && content <= most {
            held + content / 3 * 10 + IN_SEALING
        } else {
            held + self.content.capacity().max(content.min(most))
        }
    }

    /// Octets of the longest reply that is protected now.
    fn most_sealed(&self, held: usize) -> usize {
        MOST_SEALED.min(self.most_kept.saturating_sub(IN_SEALING + held) / 10 * 3)
    }

    /// Appends what of a part of a message can be sent now; `held`: octets that are kept beside it.
    ///
    /// # Errors
    /// It cannot be compressed or protected: there is no memory, or the keys are not valid any more.
    pub fn part(
        &mut self,
        shared: Shared<'_>,
        part: &[u8],
        is_end: bool,
        held: usize,
        framed: &mut Vec<u8>,
    ) -> Result<(), Parted> {
        if self.sealing.is_some() {
            return self.sealed(shared, part, is_end, held, framed);
        }
        framed.reserve(part.len() + 32);
        let begins = !self.has_begun;
        self.has_begun = !is_end;
        if begins
            && let Some(algorithm) = self.agreed.preferred()
            // What is short gets longer.
            && (!is_end || part.len() >= LEAST)
        {
            self.deflater = Some((algorithm, shared.deflaters.take(algorithm)?));
        }
        if let Some((_, deflater)) = &mut self.deflater {
            shared.phases.begin(Phase::Deflate);
            let mut compressed = Vec::with_capacity(part.len() / 4);
            deflater.part(part, is_end, &mut compressed).map_err(|_| Parted::Failed)?;
            shared.phases.begin(Phase::Send);
            self.framing.part(&compressed, framed);
        } else {
            self.framing.part(part, framed);
        }
        if is_end {
            self.framing.end(framed);
            if let Some((algorithm, deflater)) = self.deflater.take() {
                shared.deflaters.give_back(algorithm, deflater);
            }
        }
        Ok(())
    }

    /// The same of one that is protected: what is signed must be there as a whole.
    fn sealed(
        &mut self,
        shared: Shared<'_>,
        part: &[u8],
        is_end: bool,
        held: usize,
        framed: &mut Vec<u8>,
    ) -> Result<(), Parted> {
        let most = self.most_sealed(held);
        if self.content.len() <= most {
            self.content.extend_from_slice(part);
        }
        let (true, Some(sealing)) = (is_end, &self.sealing) else { return Ok(()) };
        let mut content = std::mem::take(&mut self.content);
        if content.len() > most {
            content = too_long(&content, most);
        }
        content.shrink_to_fit();
        let mut compression = None;
        if let Some(algorithm) = sealing.compression(self.agreed.preferred())
            && content.len() >= LEAST
        {
            shared.phases.begin(Phase::Deflate);
            let mut deflater = shared.deflaters.take(algorithm)?;
            let mut compressed = Vec::with_capacity(content.len() / 4);
            deflater.part(&content, true, &mut compressed).map_err(|_| Parted::Failed)?;
            shared.deflaters.give_back(algorithm, deflater);
            (content, compression) = (compressed, Some(in_header(algorithm)));
        }
        let mut message = Vec::with_capacity(content.len() * 4 / 3 + 2048);
        let (phases, keys) = (shared.phases, shared.keyring.table());
        match &mut self.guard {
            Some(guard) => guard.seal(phases, &keys, sealing, &content, compression, &mut message)?,
            None => sealing.seal_stored(phases, &content, compression, &mut message)?,
        }
        phases.begin(Phase::Send);
        // Not all of them at once.
        drop(content);
        framed.reserve_exact(message.len() + FRAME);
        self.framing.frame(&message, framed);
        Ok(())
    }
}

/// The reply to a request whose reply is too long to be protected, from the beginning of that.
fn too_long(reply: &[u8], most: usize) -> Vec<u8> {
    let end = reply.iter().position(|octet| *octet == b'>').map_or(0, |at| at + 1);
    let tag = &reply[..end];
    let name = tag.iter().skip(1).take_while(|it| !it.is_ascii_whitespace() && !b">/".contains(it));
    let name: Vec<u8> = name.copied().collect();
    let message =
        format!("the reply has more than {most} octets, which cannot be protected at once: select less");
    let mut octets = tag.to_vec();
    let prefix =
        String::from_utf8_lossy(&name).split_once(':').map_or(String::new(), |it| format!("{}:", it.0));
    RpcError::new(Layer::Application, Tag::TooBig, message).write(&prefix, &mut octets);
    for part in [b"</", &name[..], b">"] {
        octets.extend_from_slice(part);
    }
    octets
}

/// What whoever sent a message that is not accepted is answered.
pub fn refused() -> RpcError {
    RpcError::new(Layer::Rpc, Tag::AccessDenied, REFUSED)
}

/// An algorithm in the header of a protected message.
const fn in_header(algorithm: Algorithm) -> Compression {
    match algorithm {
        Algorithm::Zlib => Compression::Zlib,
        Algorithm::Zstd => Compression::Zstd,
    }
}

pub(crate) const fn algorithm(compression: Compression) -> Algorithm {
    match compression {
        Compression::Zlib => Algorithm::Zlib,
        Compression::Zstd => Algorithm::Zstd,
    }
}

/// Octets that the framing of one message takes, and some more.
const FRAME: usize = 64;
/// Compressors that are kept: as many as processors that a small machine has.
const MOST_FREE: usize = 4;
/// Octets of the longest reply that is protected, however much may wait for peers.
const MOST_SEALED: usize = 32 << 20;
/// Octets that protecting a message takes beside what grows with it.
const IN_SEALING: usize = 4096;
