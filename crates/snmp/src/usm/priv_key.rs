//! Encryption and decryption of scoped PDUs in place (RFC 3414 section 8, RFC 3826).

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use aes::cipher::{Block, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, KeyInit};
use aes::{Aes128Enc, Aes192Enc, Aes256Enc};
use des::Des;
use zeroize::Zeroizing;

use super::encryption::{Encryption, Mode};
use super::key::check_length;
use super::{
    AuthProtocol, EngineBoots, EngineId, EngineMoment, KeyChangeError, KeyError, LocalKey, PrivProtocol,
    PrivacyError, SALT_LENGTH,
};

/// A localised key, ready to encrypt: the cipher's rounds are laid out. Clones share; the last one to go wipes it.
#[derive(Clone)]
pub struct PrivKey(Arc<Ready>);

struct Ready {
    protocol: PrivProtocol,
    local: LocalKey,
    cipher: Cipher,
}

/// CFB runs the cipher forwards in both directions.
enum Cipher {
    Des(Des, Zeroizing<[u8; SALT_LENGTH]>),
    Aes128(Aes128Enc),
    Aes192(Aes192Enc),
    Aes256(Aes256Enc),
}

impl PrivKey {
    /// A key of `protocol`, from the user's localised privacy key: Kul derived with the hash of the user's
    /// authentication protocol, truncated or extended here as needed, or the result of [`LocalKey::for_privacy`].
    /// Extending by Reeder's draft hashes a mebibyte.
    ///
    /// # Errors
    /// The key has neither the cipher's length nor the hash's.
    pub fn new(
        protocol: PrivProtocol,
        hash: AuthProtocol,
        local: &LocalKey,
        engine_id: &EngineId,
    ) -> Result<PrivKey, KeyError> {
        let found = local.as_bytes().len();
        if found != hash.key_length() {
            check_length(protocol.name(), protocol.key_length(), found)?;
        }
        PrivKey::ready(protocol, local.for_privacy(protocol, hash, engine_id))
    }

    fn ready(protocol: PrivProtocol, local: LocalKey) -> Result<PrivKey, KeyError> {
        let (expected, found) = (protocol.key_length(), local.as_bytes().len());
        let cipher = Cipher::new(protocol, local.as_bytes());
        let cipher = cipher.ok_or(KeyError::Length { protocol: protocol.name(), expected, found })?;
        Ok(PrivKey(Arc::new(Ready { protocol, local, cipher })))
    }

    /// Which protocol it is a key of.
    #[must_use]
    pub fn protocol(&self) -> PrivProtocol {
        self.0.protocol
    }

    /// The most octets that other implementations append to what they encrypt: DES has blocks of 8, and some
    /// append a whole one where none is needed.
    #[must_use]
    pub fn most_padding(&self) -> usize {
        match self.0.protocol {
            PrivProtocol::Des => 8,
            _ => 0,
        }
    }

    /// The localised key, [`PrivProtocol::key_length`] octets, to keep it in a file or to change it.
    #[must_use]
    pub fn local_key(&self) -> &LocalKey {
        &self.0.local
    }

    /// The key that this one becomes by a value of usmUserPrivKeyChange or usmUserOwnPrivKeyChange. `hash` is
    /// the user's authentication protocol.
    ///
    /// # Errors
    /// The value is not twice as long as the key.
    pub fn changed(&self, hash: AuthProtocol, change: &[u8]) -> Result<PrivKey, KeyChangeError> {
        let local = self.0.local.changed(hash, change)?;
        let (expected, found) = (2 * local.as_bytes().len(), change.len());
        PrivKey::ready(self.0.protocol, local).map_err(|_| KeyChangeError::Length { expected, found })
    }

    /// The salt that goes into msgPrivacyParameters. `counter` must never come twice with the same key while
    /// `boots` stays: start it at random, add one for each message. (RFC 3414 section 8.1.1.1: boots and 32
    /// bits of the counter; RFC 3826 section 3.1.2.1: all 64 bits.)
    #[must_use]
    pub fn salt(&self, boots: EngineBoots, counter: u64) -> [u8; SALT_LENGTH] {
        match self.0.cipher {
            Cipher::Des(..) => (u64::from(boots.get()) << 32 | counter & 0xffff_ffff).to_be_bytes(),
            _ => counter.to_be_bytes(),
        }
    }

    /// How many octets must follow `length` octets before they can be encrypted: 0 to 7 for DES, whose blocks
    /// have 8 (RFC 3414 section 8.1.1.2); none for AES. Their values do not matter.
    #[must_use]
    pub fn padding(&self, length: usize) -> usize {
        match self.0.cipher {
            Cipher::Des(..) => length.wrapping_neg() % 8,
            _ => 0,
        }
    }

    /// Encrypts `octets`, a scoped PDU and its [`PrivKey::padding`], in place. `moment` is the authoritative
    /// engine's clock in the message.
    ///
    /// # Errors
    /// With DES, octets that are not whole blocks.
    pub fn encrypt(
        &self,
        moment: EngineMoment,
        salt: [u8; SALT_LENGTH],
        octets: &mut [u8],
    ) -> Result<(), PrivacyError> {
        match &self.0.cipher {
            Cipher::Des(cipher, pre_iv) => {
                let iv = des_iv(pre_iv, salt).into();
                cbc::Encryptor::inner_iv_init(cipher, &iv).encrypt_blocks(des_blocks(octets)?);
            }
            Cipher::Aes128(cipher) => {
                cfb_mode::Encryptor::inner_iv_init(cipher, &aes_iv(moment, salt).into()).encrypt(octets);
            }
            Cipher::Aes192(cipher) => {
                cfb_mode::Encryptor::inner_iv_init(cipher, &aes_iv(moment, salt).into()).encrypt(octets);
            }
            Cipher::Aes256(cipher) => {
                cfb_mode::Encryptor::inner_iv_init(cipher, &aes_iv(moment, salt).into()).encrypt(octets);
            }
        }
        Ok(())
    }

    /// The same for octets of a message, as [`AuthKey::seal`](super::AuthKey::seal) comes to them.
    pub(super) fn encryption(
        &self,
        moment: EngineMoment,
        salt: [u8; SALT_LENGTH],
        scoped: Range<usize>,
    ) -> Result<Encryption<'_>, PrivacyError> {
        let mode = match &self.0.cipher {
            Cipher::Des(..) if self.padding(scoped.len()) > 0 => {
                return Err(PrivacyError::Blocks { found: scoped.len() });
            }
            Cipher::Des(cipher, pre_iv) => {
                Mode::Des(cbc::Encryptor::inner_iv_init(cipher, &des_iv(pre_iv, salt).into()))
            }
            Cipher::Aes128(cipher) => {
                Mode::Aes128(cfb_mode::Encryptor::inner_iv_init(cipher, &aes_iv(moment, salt).into()))
            }
            Cipher::Aes192(cipher) => {
                Mode::Aes192(cfb_mode::Encryptor::inner_iv_init(cipher, &aes_iv(moment, salt).into()))
            }
            Cipher::Aes256(cipher) => {
                Mode::Aes256(cfb_mode::Encryptor::inner_iv_init(cipher, &aes_iv(moment, salt).into()))
            }
        };
        Ok(Encryption::new(mode, scoped))
    }

    /// Decrypts `octets` in place. `salt` is the contents of msgPrivacyParameters, as wide as the message has it;
    /// `moment` is the clock in the message. A wrong key yields garbage, which the decoder rejects.
    ///
    /// # Errors
    /// A salt that does not have 8 octets; with DES, octets that are not whole blocks.
    pub fn decrypt(&self, moment: EngineMoment, salt: &[u8], octets: &mut [u8]) -> Result<(), PrivacyError> {
        let salt = salt.try_into().map_err(|_| PrivacyError::Salt { found: salt.len() })?;
        match &self.0.cipher {
            Cipher::Des(cipher, pre_iv) => {
                let iv = des_iv(pre_iv, salt).into();
                cbc::Decryptor::inner_iv_init(cipher, &iv).decrypt_blocks(des_blocks(octets)?);
            }
            Cipher::Aes128(cipher) => {
                cfb_mode::Decryptor::inner_iv_init(cipher, &aes_iv(moment, salt).into()).decrypt(octets);
            }
            Cipher::Aes192(cipher) => {
                cfb_mode::Decryptor::inner_iv_init(cipher, &aes_iv(moment, salt).into()).decrypt(octets);
            }
            Cipher::Aes256(cipher) => {
                cfb_mode::Decryptor::inner_iv_init(cipher, &aes_iv(moment, salt).into()).decrypt(octets);
            }
        }
        Ok(())
    }
}

impl Cipher {
    /// `None` if the key does not have the protocol's length.
    fn new(protocol: PrivProtocol, key: &[u8]) -> Option<Cipher> {
        match protocol {
            // RFC 3414 section 8.1.1.1: the key first, then the pre-IV.
            PrivProtocol::Des => {
                let (key, pre_iv) = key.split_at_checked(8)?;
                let pre_iv = Zeroizing::new(pre_iv.try_into().ok()?);
                Some(Cipher::Des(Des::new_from_slice(key).ok()?, pre_iv))
            }
            PrivProtocol::Aes128 => Aes128Enc::new_from_slice(key).ok().map(Cipher::Aes128),
            PrivProtocol::Aes192 | PrivProtocol::Aes192C => {
                Aes192Enc::new_from_slice(key).ok().map(Cipher::Aes192)
            }
            PrivProtocol::Aes256 | PrivProtocol::Aes256C => {
                Aes256Enc::new_from_slice(key).ok().map(Cipher::Aes256)
            }
        }
    }
}

/// RFC 3414 section 8.1.1.1: the pre-IV, with the salt over it.
fn des_iv(pre_iv: &[u8; SALT_LENGTH], salt: [u8; SALT_LENGTH]) -> [u8; SALT_LENGTH] {
    std::array::from_fn(|i| pre_iv[i] ^ salt[i])
}

/// RFC 3826 section 3.1.2.1: boots, time, salt.
fn aes_iv(moment: EngineMoment, salt: [u8; SALT_LENGTH]) -> [u8; 16] {
    let mut iv = [0; 16];
    iv[..4].copy_from_slice(&moment.boots.get().to_be_bytes());
    iv[4..8].copy_from_slice(&moment.time.get().to_be_bytes());
    iv[8..].copy_from_slice(&salt);
    iv
}

fn des_blocks(octets: &mut [u8]) -> Result<&mut [Block<Des>], PrivacyError> {
    let found = octets.len();
    let (blocks, rest) = Block::<Des>::slice_as_chunks_mut(octets);
    if rest.is_empty() { Ok(blocks) } else { Err(PrivacyError::Blocks { found }) }
}

impl fmt::Debug for PrivKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivKey").field("protocol", &self.0.protocol).finish_non_exhaustive()
    }
}
