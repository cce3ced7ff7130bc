//! Whole messages signed and verified (RFC 3414 sections 6.3 and 7.3, RFC 7860 section 4.2).

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use ctutils::CtEq;
use hmac::KeyInit;
use hmac::block_api::HmacCore;
use hmac::digest::Output;
use hmac::digest::array::Array;
use hmac::digest::block_api::{Block, Buffer, BufferKindUser, Eager, FixedOutputCore, UpdateCore};
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};

use super::encryption::Encryption;
use super::key::check_length;
use super::protocol::MAX_HASH;
use super::{
    AuthProtocol, AuthenticationError, EngineMoment, KeyChangeError, KeyError, LocalKey, PrivKey,
    SALT_LENGTH, SealError,
};

/// A localised key, ready to sign: both pads are hashed already. Clones share; the last one to go wipes it.
#[derive(Clone)]
pub struct AuthKey(Arc<Ready>);

struct Ready {
    local: LocalKey,
    hmac: State,
}

/// The two hash states of an HMAC after its pads.
enum State {
    Md5(HmacCore<Md5>),
    Sha1(HmacCore<Sha1>),
    Sha224(HmacCore<Sha224>),
    Sha256(HmacCore<Sha256>),
    Sha384(HmacCore<Sha384>),
    Sha512(HmacCore<Sha512>),
}

impl AuthKey {
    /// A key of `protocol`.
    ///
    /// # Errors
    /// Not [`AuthProtocol::key_length`] octets.
    pub fn new(protocol: AuthProtocol, local: LocalKey) -> Result<AuthKey, KeyError> {
        let expected = protocol.key_length();
        check_length(protocol.name(), expected, local.as_bytes().len())?;
        let key = local.as_bytes();
        let hmac = match protocol {
            AuthProtocol::Md5 => keyed(key).map(State::Md5),
            AuthProtocol::Sha1 => keyed(key).map(State::Sha1),
            AuthProtocol::Sha224 => keyed(key).map(State::Sha224),
            AuthProtocol::Sha256 => keyed(key).map(State::Sha256),
            AuthProtocol::Sha384 => keyed(key).map(State::Sha384),
            AuthProtocol::Sha512 => keyed(key).map(State::Sha512),
        };
        // HMAC accepts keys of any length, which its type does not express.
        let found = key.len();
        let hmac = hmac.ok_or(KeyError::Length { protocol: protocol.name(), expected, found })?;
        Ok(AuthKey(Arc::new(Ready { local, hmac })))
    }

    /// Which protocol it is a key of.
    #[must_use]
    pub fn protocol(&self) -> AuthProtocol {
        match &self.0.hmac {
            State::Md5(_) => AuthProtocol::Md5,
            State::Sha1(_) => AuthProtocol::Sha1,
            State::Sha224(_) => AuthProtocol::Sha224,
            State::Sha256(_) => AuthProtocol::Sha256,
            State::Sha384(_) => AuthProtocol::Sha384,
            State::Sha512(_) => AuthProtocol::Sha512,
        }
    }

    /// The localised key, to keep it in a file or to change it.
    #[must_use]
    pub fn local_key(&self) -> &LocalKey {
        &self.0.local
    }

    /// The key that this one becomes by a value of usmUserAuthKeyChange or usmUserOwnAuthKeyChange.
    ///
    /// # Errors
    /// The value is not twice as long as the key.
    pub fn changed(&self, change: &[u8]) -> Result<AuthKey, KeyChangeError> {
        let local = self.0.local.changed(self.protocol(), change)?;
        let (expected, found) = (2 * local.as_bytes().len(), change.len());
        AuthKey::new(self.protocol(), local).map_err(|_| KeyChangeError::Length { expected, found })
    }

    /// Writes the digest of `message` into its `field`, the contents of msgAuthenticationParameters, whatever it
    /// contained before (RFC 3414 section 6.3.1).
    ///
    /// # Errors
    /// The field is not inside the message, or not as wide as the protocol's code.
    pub fn sign(&self, message: &mut [u8], field: Range<usize>) -> Result<(), AuthenticationError> {
        let mac = self.code(self.split(message, &field)?);
        message[field.clone()].copy_from_slice(&mac[..field.len()]);
        Ok(())
    }

    /// Encrypts the `scoped` PDU at the end of `message`, including its padding, in place, then signs as
    /// [`sign`](Self::sign) does: the same octets as [`PrivKey::encrypt`] followed by [`sign`](Self::sign), in
    /// less time. The `field` must hold zeros.
    ///
    /// # Errors
    /// Those of [`sign`](Self::sign); with DES, octets that are not whole blocks. The message is then not
    /// encrypted.
    pub fn seal(
        &self,
        message: &mut [u8],
        field: Range<usize>,
        privacy: &PrivKey,
        moment: EngineMoment,
        salt: [u8; SALT_LENGTH],
        scoped: Range<usize>,
    ) -> Result<(), SealError> {
        self.split(message, &field)?;
        let (end, length) = (scoped.end, message.len());
        if scoped.start < field.end || scoped.start > end || end != length {
            return Err(AuthenticationError::Outside { end, length }.into());
        }
        debug_assert!(message[field.clone()].iter().all(|octet| *octet == 0), "{field:?} holds zeros");
        let clear = scoped.start;
        let mut encryption = privacy.encryption(moment, salt, scoped)?;
        let mut mac = [0; MAX_HASH];
        let mut take = |code: &[u8]| mac[..code.len()].copy_from_slice(code);
        match &self.0.hmac {
            State::Md5(hmac) => take(&code_sealing(hmac, message, clear, &mut encryption)),
            State::Sha1(hmac) => take(&code_sealing(hmac, message, clear, &mut encryption)),
            State::Sha224(hmac) => take(&code_sealing(hmac, message, clear, &mut encryption)),
            State::Sha256(hmac) => take(&code_sealing(hmac, message, clear, &mut encryption)),
            State::Sha384(hmac) => take(&code_sealing(hmac, message, clear, &mut encryption)),
            State::Sha512(hmac) => take(&code_sealing(hmac, message, clear, &mut encryption)),
        }
        message[field.clone()].copy_from_slice(&mac[..field.len()]);
        Ok(())
    }

    /// Whether the code in the `field` of `message`, msgAuthenticationParameters' contents, is that of this key
    /// (RFC 3414 section 6.3.2). The width is checked first, the code in a time that does not depend on it.
    ///
    /// # Errors
    /// The field is not inside the message, not as wide as the protocol's code, or holds another code.
    pub fn verify(&self, message: &[u8], field: Range<usize>) -> Result<(), AuthenticationError> {
        let parts = self.split(message, &field)?;
        let mac = self.code(parts);
        if mac[..field.len()].ct_eq(parts.1).into() { Ok(()) } else { Err(AuthenticationError::Digest) }
    }

    /// The code before it is cut off; only the first octets, as many as the hash has, are of it.
    fn code(&self, parts: Parts<'_>) -> [u8; MAX_HASH] {
        let mut mac = [0; MAX_HASH];
        let mut take = |code: &[u8]| mac[..code.len()].copy_from_slice(code);
        match &self.0.hmac {
            State::Md5(hmac) => take(&code(hmac, parts)),
            State::Sha1(hmac) => take(&code(hmac, parts)),
            State::Sha224(hmac) => take(&code(hmac, parts)),
            State::Sha256(hmac) => take(&code(hmac, parts)),
            State::Sha384(hmac) => take(&code(hmac, parts)),
            State::Sha512(hmac) => take(&code(hmac, parts)),
        }
        mac
    }

    /// The message before its field, the field, and what follows.
    fn split<'m>(&self, message: &'m [u8], field: &Range<usize>) -> Result<Parts<'m>, AuthenticationError> {
        let outside = AuthenticationError::Outside { end: field.end, length: message.len() };
        let code = message.get(field.clone()).ok_or(outside)?;
        let (protocol, found) = (self.protocol(), code.len());
        let expected = protocol.mac_length();
        if found != expected {
            return Err(AuthenticationError::Width { protocol, expected, found });
        }
        Ok((&message[..field.start], code, &message[field.end..]))
    }
}

type Parts<'m> = (&'m [u8], &'m [u8], &'m [u8]);

fn keyed<M: KeyInit>(key: &[u8]) -> Option<M> {
    M::new_from_slice(key).ok()
}

/// The digest of a message with zeros in its field. Blocks go from the message to the hash as they are: only
/// those that overlap the field are copied.
fn code<C>(ready: &C, (before, field, behind): Parts<'_>) -> Output<C>
where
    C: UpdateCore + FixedOutputCore + BufferKindUser<BufferKind = Eager> + Clone,
{
    let mut core = ready.clone();
    let (blocks, rest) = Block::<C>::slice_as_chunks(before);
    core.update_blocks(blocks);
    // The rest before the field, the field itself, which is shorter than a block, and as much of what follows as
    // completes the block.
    let mut middle = [Block::<C>::default(), Block::<C>::default()];
    let octets = Array::slice_as_flattened_mut(&mut middle);
    let used = rest.len() + field.len();
    let fill = behind.len().min(used.wrapping_neg() % C::block_size());
    octets[..rest.len()].copy_from_slice(rest);
    octets[used..used + fill].copy_from_slice(&behind[..fill]);
    let (whole, rest) = ((used + fill) / C::block_size(), (used + fill) % C::block_size());
    core.update_blocks(&middle[..whole]);
    let (blocks, tail) = Block::<C>::slice_as_chunks(&behind[fill..]);
    core.update_blocks(blocks);
    // If the message ends before the block is full, nothing follows.
    let tail = if rest > 0 { &middle[whole][..rest] } else { tail };
    let mut code = Output::<C>::default();
    core.finalize_fixed_core(&mut Buffer::<C>::new(tail), &mut code);
    code
}

/// The code of a message whose first `clear` octets are not to be encrypted, and whose others are as the hash
/// comes to them.
fn code_sealing<C>(ready: &C, message: &mut [u8], clear: usize, encryption: &mut Encryption<'_>) -> Output<C>
where
    C: UpdateCore + FixedOutputCore + BufferKindUser<BufferKind = Eager> + Clone,
{
    let (mut core, size) = (ready.clone(), C::block_size());
    let mut at = clear - clear % size;
    core.update_blocks(Block::<C>::slice_as_chunks(&message[..at]).0);
    while let Some(block) = message.get(at..at + size) {
        let end = at + block.len();
        // One block ahead, so that hashing this one and encrypting the next overlap.
        encryption.reach(message, end + size);
        core.update_blocks(Block::<C>::slice_as_chunks(&message[at..end]).0);
        at = end;
    }
    encryption.reach(message, message.len());
    let mut code = Output::<C>::default();
    core.finalize_fixed_core(&mut Buffer::<C>::new(&message[at..]), &mut code);
    code
}

impl fmt::Debug for AuthKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthKey").field("protocol", &self.protocol()).finish_non_exhaustive()
    }
}
