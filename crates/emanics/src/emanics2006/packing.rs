//! Section 3.3: compression, encryption, and compression before encryption, of a configuration of different sizes, in this process.
//!
//! Ciphers alone make what is in XML-Encryption's `CipherValue`: the cipher's octets with the initialization vector before them, in base64. Whole
//! messages are what an agent sends: encrypted and then signed, with all their XML. AES is that of AWS-LC in both. 3DES, which no message has, is RustCrypto's.

use std::io::Write;

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce as Vector, UnboundKey};
use aws_lc_rs::cipher::{AES_128, EncryptingKey, EncryptionContext, UnboundCipherKey};
use aws_lc_rs::iv::FixedLength;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cbc::cipher::{BlockModeEncrypt, KeyIvInit, block_padding::Pkcs7};
use fastrand::Rng;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use trunkline_xmlsec as xmlsec;
use trunkline_xmlsec::{
    Direction, Header, KeyName, Nonce, Place, Protection, RoleKeys, SealKeys, SignatureMethod, seal,
};

use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::conversation::thread_cpu;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::reading::Quantity;

use super::content::{Size, bgp};
use super::{Options, condition};

/// A cipher of XML-Encryption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cipher {
    /// The deliverable's, with its keys of 128 bits.
    Aes128Cbc,
    /// Today's.
    Aes128Gcm,
    /// As slow as AES was without instructions for it.
    TripleDes,
    /// A whole message by the deliverable's algorithms.
    MessageThen,
    /// A whole message by today's.
    MessageNow,
}

impl Cipher {
    /// All of them.
    pub(super) const ALL: [Cipher; 5] =
        [Cipher::Aes128Cbc, Cipher::Aes128Gcm, Cipher::TripleDes, Cipher::MessageThen, Cipher::MessageNow];

    /// Its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Cipher::Aes128Cbc => "CipherValue by AES-128-CBC",
            Cipher::Aes128Gcm => "CipherValue by AES-128-GCM",
            Cipher::TripleDes => "3DES-CBC",
            Cipher::MessageThen => "a message by AES-128-CBC and HMAC-SHA1",
            Cipher::MessageNow => "a message by AES-128-GCM and HMAC-SHA256",
        }
    }

    /// What is sent; without octets if it cannot be made. Keys and vectors are constants: what they are makes no difference to the time.
    fn encrypt(self, plain: &[u8]) -> Vec<u8> {
        let text = |octets: Option<Vec<u8>>| STANDARD.encode(octets.unwrap_or_default()).into_bytes();
        match self {
            Cipher::Aes128Cbc => text(aes_cbc(plain)),
            Cipher::Aes128Gcm => text(aes_gcm(plain)),
            Cipher::TripleDes => {
                let cipher = cbc::Encryptor::<des::TdesEde3>::new(&[1; 24].into(), &[7; 8].into());
                let mut octets = vec![7; 8];
                octets.extend(cipher.encrypt_padded_vec::<Pkcs7>(plain));
                text(Some(octets))
            }
            Cipher::MessageThen => message(plain, PROTECTED_THEN),
            Cipher::MessageNow => message(plain, Protection::default()),
        }
    }
}

/// The vector and the padded ciphertext.
fn aes_cbc(plain: &[u8]) -> Option<Vec<u8>> {
    let key = EncryptingKey::cbc(UnboundCipherKey::new(&AES_128, &[1; 16]).ok()?).ok()?;
    let padding = 16 - plain.len() % 16;
    let mut octets = Vec::with_capacity(plain.len() + 32);
    octets.extend_from_slice(&[7; 16]);
    octets.extend_from_slice(plain);
    octets.resize(octets.len() + padding, padding as u8);
    let vector = EncryptionContext::Iv128(FixedLength::from([7; 16]));
    key.less_safe_encrypt(octets.get_mut(16..)?, vector).ok()?;
    Some(octets)
}

/// The vector, the ciphertext and its tag.
fn aes_gcm(plain: &[u8]) -> Option<Vec<u8>> {
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &[1; 16]).ok()?);
    let mut octets = Vec::with_capacity(plain.len() + 28);
    octets.extend_from_slice(&[7; 12]);
    octets.extend_from_slice(plain);
    let vector = Vector::assume_unique_for_key([7; 12]);
    let tag = key.seal_in_place_separate_tag(vector, Aad::empty(), octets.get_mut(12..)?).ok()?;
    octets.extend_from_slice(tag.as_ref());
    Some(octets)
}

/// Ciphers alone as samples from before 28 November 2026 have them: by RustCrypto's AES, where messages were by that of AWS-LC.
pub(super) const BY_ANOTHER: [&str; 2] = ["AES-128-CBC", "AES-128-GCM"];

/// What the deliverable's prototype used.
const PROTECTED_THEN: Protection =
    Protection { cipher: Some(xmlsec::Cipher::Aes128Cbc), signature: SignatureMethod::HmacSha1 };

/// A reply in a session, protected; without octets if it cannot be made.
fn message(content: &[u8], protection: Protection) -> Vec<u8> {
    let made = || -> Option<Vec<u8>> {
        let name: KeyName = "operator/3/alice".parse().ok()?;
        let keys = RoleKeys::new(&[1; 16], &[2; 16]).ok()?.of_user(name.user());
        let header = Header {
            direction: Direction::Reply,
            place: Place::Session(Nonce([7; 16])),
            number: 12,
            in_reply_to: Some(12),
            time: "2026-11-28T07:50:00.123Z".parse().ok()?,
            expires: None,
            compression: None,
            role: None,
        };
        let mut into = Vec::new();
        seal(&header, content, &SealKeys::shared(&name, &keys), protection, &[9; 16], &mut into).ok()?;
        Some(into)
    };
    made().unwrap_or_default()
}

fn compress(plain: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(plain.len() / 2), Compression::new(level));
    // A vector takes everything.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default()
}

/// What is done with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Compress(u32),
    Encrypt(Cipher),
    Both(u32, Cipher),
}

impl Work {
    /// All of them.
    pub(super) fn all() -> Vec<Work> {
        let both = LEVELS.into_iter().flat_map(|level| Cipher::ALL.map(|cipher| Work::Both(level, cipher)));
        LEVELS.into_iter().map(Work::Compress).chain(Cipher::ALL.map(Work::Encrypt)).chain(both).collect()
    }

    /// Its name, as the samples have it.
    pub(super) fn name(self) -> String {
        match self {
            Work::Compress(level) => format!("zlib {level}"),
            Work::Encrypt(cipher) => cipher.name().into(),
            Work::Both(level, cipher) => format!("zlib {level}, then {}", cipher.name()),
        }
    }

    /// The octets of its result.
    fn of(self, document: &[u8]) -> usize {
        match self {
            Work::Compress(level) => compress(document, level).len(),
            Work::Encrypt(cipher) => cipher.encrypt(document).len(),
            Work::Both(level, cipher) => cipher.encrypt(&compress(document, level)).len(),
        }
    }
}

/// Measures them all.
pub(super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    condition(
        chapter,
        "in this process and not in the agent; the document is a configuration of BGP, as of a router with as many neighbors as fill it, cut to \
         its size",
    )?;
    let document = bgp(Size { neighbors: 220, policies: 200, statements: 30, networks: 3000 }).into_bytes();
    let sizes: Vec<u32> = SIZES.into_iter().filter(|size| *size as usize <= document.len()).collect();
    let rounds = chapter.choice.rounds(ROUNDS, QUICK_ROUNDS);
    let mut turns: Vec<(u32, Work)> =
        sizes.iter().flat_map(|&size| Work::all().into_iter().map(move |work| (size, work))).collect();
    let table = chapter.table.clone();
    let mut random = Rng::with_seed(chapter.ledger.seed);
    let left = Left::of(u64::from(rounds) + 1);
    for round in 0..=rounds {
        left.announce(chapter.ledger, round.into());
        random.shuffle(&mut turns);
        for &(size, work) in &turns {
            if chapter.ledger.is_interrupted() {
                return Ok(());
            }
            let (octets, ns) = timed(work, &document[..size as usize]);
            chapter.ledger.reading(&table, &work.name(), size, Quantity::WorkNs, round, ns)?;
            if round == 1 {
                chapter.ledger.reading(
                    &table,
                    &work.name(),
                    size,
                    Quantity::WorkOctets,
                    round,
                    octets as f64,
                )?;
            }
        }
    }
    Ok(())
}

/// The octets of the result, and the nanoseconds of processor time of one of so many repetitions that the clock's resolution does not matter.
fn timed(work: Work, document: &[u8]) -> (usize, f64) {
    let times = (BLOCK / document.len().max(1)).clamp(1, 100);
    let (mut octets, start) = (0, thread_cpu());
    for _ in 0..times {
        octets = work.of(std::hint::black_box(document));
    }
    (octets, thread_cpu().saturating_sub(start) as f64 / times as f64)
}

/// Half a KB to a MB.
const SIZES: [u32; 12] =
    [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576];
/// Levels of zlib.
pub(super) const LEVELS: [u32; 2] = [1, 6];
const ROUNDS: u32 = 64;
const QUICK_ROUNDS: u32 = 6;
/// Octets between two looks at the clock.
const BLOCK: usize = 32 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encrypted_has_the_length_of_its_cipher() {
        // Vector, padded or tagged text, in base64.
        let text = |octets: usize| octets.div_ceil(3) * 4;
        assert_eq!(Cipher::Aes128Cbc.encrypt(&[0; 100]).len(), text(16 + 112));
        assert_eq!(Cipher::TripleDes.encrypt(&[0; 100]).len(), text(8 + 104));
        assert_eq!(Cipher::Aes128Gcm.encrypt(&[0; 100]).len(), text(12 + 100 + 16));
    }

    #[test]
    fn a_message_has_its_content_and_the_xml_around_it() {
        for (cipher, name) in [(Cipher::MessageThen, "#aes128-cbc"), (Cipher::MessageNow, "#aes128-gcm")] {
            let [short, long] = [100, 1100].map(|octets| cipher.encrypt(&vec![b'x'; octets]));
            assert!(String::from_utf8_lossy(&short).contains(name));
            assert!((1320..1360).contains(&(long.len() - short.len())), "{} {}", short.len(), long.len());
        }
    }

    #[test]
    fn ciphers_alone_are_those_of_another_implementation() {
        use aes_gcm::aead::{Aead, KeyInit};
        let plain = b"<neighbor><ip-address>192.0.2.1</ip-address></neighbor>";
        let with = |mut octets: Vec<u8>, more: Vec<u8>| {
            octets.extend(more);
            octets
        };
        let block = cbc::Encryptor::<aes::Aes128>::new(&[1; 16].into(), &[7; 16].into())
            .encrypt_padded_vec::<Pkcs7>(plain);
        assert_eq!(aes_cbc(plain).unwrap(), with(vec![7; 16], block));
        let sealed = aes_gcm::Aes128Gcm::new(&[1; 16].into()).encrypt(&[7; 12].into(), &plain[..]).unwrap();
        assert_eq!(aes_gcm(plain).unwrap(), with(vec![7; 12], sealed));
    }

    #[test]
    fn compression_makes_a_configuration_much_smaller() {
        let document = bgp(super::super::content::REALISTIC).into_bytes();
        let [one, six] = LEVELS.map(|level| compress(&document, level).len());
        assert!(six <= one && one * 5 < document.len(), "{} {one} {six}", document.len());
        assert_eq!(Work::all().len(), 2 + 5 + 10);
    }
}
