//! The ciphers of XML Encryption (sections 5.2.2 and 5.2.4): what a CipherValue holds is an initialization vector, the ciphertext,
//! and for GCM a tag of 16 octets.

use aws_lc_rs::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::cipher::{
    AES_128, DecryptingKey, DecryptionContext, EncryptingKey, EncryptionContext, UnboundCipherKey,
};
use aws_lc_rs::iv::FixedLength;

use crate::algorithm::Cipher;

/// A key, prepared.
pub(crate) enum CipherKey {
    Cbc(Box<(EncryptingKey, DecryptingKey)>),
    Gcm(LessSafeKey),
}

/// Whatever went wrong; nobody may learn what.
pub(crate) struct Failed;

impl CipherKey {
    /// Nothing if the key is not as long as it must be.
    pub(crate) fn new(cipher: Cipher, key: &[u8]) -> Option<Self> {
        let gcm =
            |algorithm| UnboundKey::new(algorithm, key).map(|key| Self::Gcm(LessSafeKey::new(key))).ok();
        match cipher {
            Cipher::Aes128Gcm => gcm(&AES_128_GCM),
            Cipher::Aes256Gcm => gcm(&AES_256_GCM),
            Cipher::Aes128Cbc => {
                let unbound = || UnboundCipherKey::new(&AES_128, key).ok();
                let encrypting = EncryptingKey::cbc(unbound()?).ok()?;
                Some(Self::Cbc(Box::new((encrypting, DecryptingKey::cbc(unbound()?).ok()?))))
            }
        }
    }

    /// What a CipherValue holds of a content, before base64.
    pub(crate) fn encrypt(&self, content: &[u8], entropy: &[u8; 16]) -> Result<Vec<u8>, Failed> {
        let mut value = Vec::with_capacity(content.len() + 32);
        match self {
            Self::Cbc(keys) => {
                value.extend_from_slice(entropy);
                value.extend_from_slice(content);
                // XML Encryption section 5.2.1 counts the padding in its last octet; the others may be anything.
                let padding = BLOCK - content.len() % BLOCK;
                value.resize(value.len() + padding, padding as u8);
                let vector = EncryptionContext::Iv128(FixedLength::from(entropy));
                keys.0.less_safe_encrypt(&mut value[BLOCK..], vector).map_err(|_| Failed)?;
            }
            Self::Gcm(key) => {
                let mut vector = [0; VECTOR];
                vector.copy_from_slice(&entropy[..VECTOR]);
                value.extend_from_slice(&vector);
                value.extend_from_slice(content);
                let nonce = Nonce::assume_unique_for_key(vector);
                let plain = &mut value[VECTOR..];
                let tag = key.seal_in_place_separate_tag(nonce, Aad::empty(), plain).map_err(|_| Failed)?;
                value.extend_from_slice(tag.as_ref());
            }
        }
        Ok(value)
    }

    /// The content of what a CipherValue holds. Only what was authenticated may come here: the padding of CBC is an oracle.
    pub(crate) fn decrypt(&self, mut value: Vec<u8>) -> Result<Vec<u8>, Failed> {
        match self {
            Self::Cbc(keys) => {
                if value.len() < 2 * BLOCK || !value.len().is_multiple_of(BLOCK) {
                    return Err(Failed);
                }
                let vector: [u8; BLOCK] = value[..BLOCK].try_into().map_err(|_| Failed)?;
                let vector = DecryptionContext::Iv128(FixedLength::from(vector));
                keys.1.decrypt(&mut value[BLOCK..], vector).map_err(|_| Failed)?;
                let padding = usize::from(value.last().copied().unwrap_or(0));
                if !(1..=BLOCK).contains(&padding) {
                    return Err(Failed);
                }
                value.truncate(value.len() - padding);
                value.drain(..BLOCK);
            }
            Self::Gcm(key) => {
                let vector: [u8; VECTOR] =
                    value.get(..VECTOR).and_then(|of| of.try_into().ok()).ok_or(Failed)?;
                let nonce = Nonce::assume_unique_for_key(vector);
                let length =
                    key.open_within(nonce, Aad::empty(), &mut value, VECTOR..).map_err(|_| Failed)?.len();
                value.truncate(length);
            }
        }
        Ok(value)
    }
}

/// Octets of a block of AES, and of the initialization vector of CBC.
const BLOCK: usize = 16;

/// Octets of the initialization vector of GCM.
const VECTOR: usize = 12;

#[cfg(test)]
mod tests {
    use super::CipherKey;
    use crate::algorithm::Cipher;

    fn octets(hexadecimal: &str) -> Vec<u8> {
        let digit = |at: usize| u8::from_str_radix(&hexadecimal[at..at + 2], 16).unwrap();
        (0..hexadecimal.len()).step_by(2).map(digit).collect()
    }

    /// NIST SP 800-38A, F.2.1, and test cases 4 and 16 without additional data of the specification of GCM.
    #[test]
    fn known_answers() {
        let key = octets("2b7e151628aed2a6abf7158809cf4f3c");
        let plain = octets("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
        let cipher = octets("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2");
        let vector: [u8; 16] = std::array::from_fn(|at| at as u8);
        let key = CipherKey::new(Cipher::Aes128Cbc, &key).unwrap();
        let Ok(value) = key.encrypt(&plain, &vector) else { panic!() };
        assert_eq!((&value[..16], &value[16..48], value.len()), (&vector[..], &cipher[..], 64));

        let key = octets("feffe9928665731c6d6a8f9467308308");
        let key = CipherKey::new(Cipher::Aes128Gcm, &key).unwrap();
        let mut entropy = [0; 16];
        entropy[..12].copy_from_slice(&octets("cafebabefacedbaddecaf888"));
        let plain = octets(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
        );
        let Ok(value) = key.encrypt(&plain, &entropy) else { panic!() };
        assert_eq!(value[12..28], octets("42831ec2217774244b7221b784d0d49c"));
        assert_eq!(value[76..], octets("4d5c2af327cd64a62cf35abd2ba6fab4"));
    }

    #[test]
    fn what_is_encrypted_is_decrypted_and_nothing_else() {
        for cipher in Cipher::ALL {
            let key = CipherKey::new(cipher, &vec![7; cipher.key_length()]).unwrap();
            assert!(CipherKey::new(cipher, &vec![7; cipher.key_length() - 1]).is_none());
            for length in [0, 1, 15, 16, 17, 300] {
                let content = vec![b'x'; length];
                let Ok(value) = key.encrypt(&content, &[9; 16]) else { panic!() };
                let Ok(again) = key.decrypt(value.clone()) else { panic!("{cipher} {length}") };
                assert_eq!(again, content);
                for kept in 0..value.len() {
                    let cut = key.decrypt(value[..kept].to_vec());
                    assert!(cut.is_err() || cipher == Cipher::Aes128Cbc, "{cipher} {length} {kept}");
                }
            }
        }
    }

    /// XML Encryption allows any octets before the last one.
    #[test]
    fn padding_of_others() {
        let key = CipherKey::new(Cipher::Aes128Cbc, &[7; 16]).unwrap();
        let padded = |last: u8| {
            let mut block = *b"content/01234567";
            block[15] = last;
            // a block that is encrypted as it is, whose own padding is then cut off
            let Ok(mut value) = key.encrypt(&block, &[9; 16]) else { panic!() };
            value.truncate(32);
            key.decrypt(value)
        };
        assert_eq!(padded(9).ok().as_deref(), Some(&b"content"[..]));
        assert_eq!(padded(16).ok().as_deref(), Some(&b""[..]));
        assert!(padded(0).is_err() && padded(17).is_err() && padded(255).is_err());
    }
}
