//! The one form, however it is spelled: a message as values, before anything of it is believed.
//!
//! Both readers, that of exactly our octets ([`crate::direct`]) and that of every spelling ([`crate::general`]), read into this.

use crate::algorithm::{Cipher, Protection, SignatureMethod};
use crate::error::Malformed;
use crate::header::Header;
use crate::keyring;
use crate::name::KeyName;

/// A message without its signature.
pub(crate) struct Form<'m> {
    pub(crate) header: Header,
    pub(crate) body: Body<'m>,
}

/// Its content.
pub(crate) enum Body<'m> {
    Encrypted {
        cipher: Cipher,
        key: KeyName,
        value: Vec<u8>,
    },
    /// One element, as it stands.
    Element(&'m [u8]),
    /// What was in base64.
    Octets(Vec<u8>),
}

/// Its signature.
pub(crate) struct Signature {
    pub(crate) method: SignatureMethod,
    pub(crate) digest: Vec<u8>,
    pub(crate) value: Vec<u8>,
    pub(crate) key: KeyName,
}

impl Form<'_> {
    pub(crate) fn protection(&self, signature: &Signature) -> Protection {
        let cipher = match self.body {
            Body::Encrypted { cipher, .. } => Some(cipher),
            Body::Element(_) | Body::Octets(_) => None,
        };
        Protection { cipher, signature: signature.method }
    }

    /// The rules between the parts.
    pub(crate) fn check(&self, signature: &Signature) -> Result<(), Malformed> {
        let encryption = match &self.body {
            Body::Encrypted { key, .. } => Some(key),
            Body::Element(_) if self.header.compression.is_some() => {
                return Err(Malformed::Header("what is compressed is encrypted or in base64"));
            }
            Body::Element(_) | Body::Octets(_) => None,
        };
        if let Some(fault) = self.header.fault() {
            return Err(Malformed::Header(fault));
        }
        match keyring::fault(&self.header, signature.method, &signature.key, encryption) {
            Some(fault) => Err(Malformed::Keys(fault)),
            None => Ok(()),
        }
    }
}
