//! Which keys a message is sealed and opened with.

use aws_lc_rs::hmac;

use crate::algorithm::{Protection, SignatureMethod};
use crate::header::Header;
use crate::keys::UserKeys;
use crate::name::KeyName;
use crate::public::{Signer, Verifier};

/// What keys there are for opening messages.
pub trait Keys {
    /// The keys of this name, if a message with this protection may be accepted by them now: a name whose epoch is over has none.
    /// It is also asked for the key of an encrypted content, if its name is another one.
    fn find(&self, name: &KeyName, protection: &Protection) -> Option<Found>;
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Found {
    /// The keys of a member of a role.
    Shared(UserKeys),
    /// A user's public key.
    Public(Verifier),
}

/// The keys that seal a message, with their names.
#[derive(Clone, Copy, Debug)]
pub struct SealKeys<'k> {
    name: &'k KeyName,
    signing: Signing<'k>,
    encryption: Option<(&'k KeyName, &'k UserKeys)>,
}

#[derive(Clone, Copy, Debug)]
enum Signing<'k> {
    Shared(&'k UserKeys),
    Private(&'k Signer),
}

impl<'k> SealKeys<'k> {
    /// The keys of a member of a role, for both signature and encryption.
    pub fn shared(name: &'k KeyName, keys: &'k UserKeys) -> Self {
        Self { name, signing: Signing::Shared(keys), encryption: Some((name, keys)) }
    }

    /// A user's own private key. A content is encrypted only with [`Self::encrypting_by`].
    pub fn private(name: &'k KeyName, signer: &'k Signer) -> Self {
        Self { name, signing: Signing::Private(signer), encryption: None }
    }

    /// Encrypts by keys that the same user has as a member of a role.
    #[must_use]
    pub fn encrypting_by(self, name: &'k KeyName, keys: &'k UserKeys) -> Self {
        Self { encryption: Some((name, keys)), ..self }
    }

    pub(crate) fn name(&self) -> &'k KeyName {
        self.name
    }

    pub(crate) fn encryption(&self) -> Option<(&'k KeyName, &'k UserKeys)> {
        self.encryption
    }

    /// Whether the key signs by this method.
    pub(crate) fn fits(&self, method: SignatureMethod) -> bool {
        match self.signing {
            Signing::Shared(_) => method.is_shared(),
            Signing::Private(signer) => signer.method() == method,
        }
    }

    pub(crate) fn sign(&self, method: SignatureMethod, octets: &[u8]) -> Option<Vec<u8>> {
        match self.signing {
            Signing::Shared(keys) => Some(hmac::sign(keys.hmac(method)?, octets).as_ref().to_vec()),
            Signing::Private(signer) => signer.sign(octets).filter(|_| signer.method() == method),
        }
    }
}

impl Found {
    /// Whether the signature is right. A key never verifies by a method of another kind: a public key as one of HMAC would let
    /// everybody sign.
    pub(crate) fn verify(&self, method: SignatureMethod, octets: &[u8], signature: &[u8]) -> bool {
        match self {
            Self::Shared(keys) => {
                keys.hmac(method).is_some_and(|key| hmac::verify(key, octets, signature).is_ok())
            }
            Self::Public(verifier) => verifier.method() == method && verifier.verify(octets, signature),
        }
    }
}

/// The rule that the names of keys break, if any: who reads and who seals follow the same ones.
pub(crate) fn fault(
    header: &Header,
    method: SignatureMethod,
    name: &KeyName,
    encryption: Option<&KeyName>,
) -> Option<&'static str> {
    if method.is_shared() != name.role().is_some() {
        return Some("an HMAC is by a key ROLE/EPOCH/USER, and another signature by user/NAME");
    }
    if header.role.is_some() && name.role().is_some() {
        return Some("the role of a key ROLE/EPOCH/USER is the message's role, and the header names none");
    }
    match encryption {
        Some(encryption) if name.role().is_some() && encryption != name => {
            Some("an HMAC and an encryption are by the same key ROLE/EPOCH/USER")
        }
        Some(encryption) if encryption.role().is_none() => Some("an encryption is by a key ROLE/EPOCH/USER"),
        Some(encryption) if encryption.user() != name.user() => {
            Some("a signature and an encryption are by keys of the same user")
        }
        _ => None,
    }
}
