//! For the laboratory only: the TLS 1.2 suites that protect octets against change but do not encrypt them,
//! ECDHE-RSA-NULL-SHA and ECDHE-ECDSA-NULL-SHA (RFC 8422). They show the cost of encryption. They are never
//! offered unless [`super::Suites::IntegrityOnly`] selects them, and then no others are.

use std::sync::LazyLock;

use hmac::{Hmac, KeyInit, Mac};
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, KeyBlockShape, MessageDecrypter, MessageEncrypter,
    OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    UnsupportedOperationError, make_tls12_aad,
};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::{
    CipherSuite, CipherSuiteCommon, ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion,
    SupportedCipherSuite, Tls12CipherSuite,
};
use sha1::Sha1;

/// The library's provider: everything as usual except the suites.
#[must_use]
pub fn provider() -> CryptoProvider {
    let cipher_suites = SUITES.iter().map(SupportedCipherSuite::Tls12).collect();
    CryptoProvider { cipher_suites, ..aws_lc_rs::default_provider() }
}

pub(super) fn is_one(suite: SupportedCipherSuite) -> bool {
    OURS.iter().any(|(_, ours)| *ours == suite.suite())
}

/// The suites that lend their key exchange and signatures, and their variants without encryption.
const OURS: [(CipherSuite, CipherSuite); 2] = [
    (CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, CipherSuite::TLS_ECDHE_ECDSA_WITH_NULL_SHA),
    (CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, CipherSuite::TLS_ECDHE_RSA_WITH_NULL_SHA),
];

static SUITES: LazyLock<Vec<Tls12CipherSuite>> = LazyLock::new(|| {
    let suite = |(usual, ours): (CipherSuite, CipherSuite)| {
        let usual = aws_lc_rs::ALL_CIPHER_SUITES.iter().find(|suite| suite.suite() == usual)?;
        let SupportedCipherSuite::Tls12(usual) = usual else { return None };
        Some(Tls12CipherSuite {
            common: CipherSuiteCommon {
                suite: ours,
                hash_provider: usual.common.hash_provider,
                confidentiality_limit: u64::MAX,
            },
            prf_provider: usual.prf_provider,
            kx: usual.kx,
            sign: usual.sign,
            aead_alg: &NullSha1,
        })
    };
    OURS.into_iter().filter_map(suite).collect()
});

/// "Encryption" that appends HMAC-SHA-1 (RFC 5246 section 6.2.3.1).
struct NullSha1;

impl Tls12AeadAlgorithm for NullSha1 {
    fn encrypter(&self, key: AeadKey, _: &[u8], _: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Direction::new(&key))
    }

    fn decrypter(&self, key: AeadKey, _: &[u8]) -> Box<dyn MessageDecrypter> {
        Box::new(Direction::new(&key))
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape { enc_key_len: MAC_OCTETS, fixed_iv_len: 0, explicit_nonce_len: 0 }
    }

    fn extract_keys(
        &self,
        _: AeadKey,
        _: &[u8],
        _: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Err(UnsupportedOperationError)
    }
}

/// The records of one direction.
struct Direction(Option<Hmac<Sha1>>);

impl Direction {
    fn new(key: &AeadKey) -> Self {
        // HMAC takes keys of any length.
        Self(Hmac::new_from_slice(key.as_ref()).ok())
    }

    fn mac(&self, header: &[u8]) -> Option<Hmac<Sha1>> {
        let mut mac = self.0.clone()?;
        mac.update(header);
        Some(mac)
    }
}

impl MessageEncrypter for Direction {
    fn encrypt(&mut self, msg: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let mut mac = self.mac(&header(seq, msg.typ, msg.payload.len())).ok_or(Error::EncryptError)?;
        let mut payload = PrefixedPayload::with_capacity(self.encrypted_payload_len(msg.payload.len()));
        payload.extend_from_chunks(&msg.payload);
        mac.update(payload.as_ref());
        payload.extend_from_slice(&mac.finalize().into_bytes());
        Ok(OutboundOpaqueMessage::new(msg.typ, msg.version, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + MAC_OCTETS
    }
}

impl MessageDecrypter for Direction {
    fn decrypt<'a>(
        &mut self,
        mut msg: InboundOpaqueMessage<'a>,
        seq: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let octets = msg.payload.len().checked_sub(MAC_OCTETS).ok_or(Error::DecryptError)?;
        if octets > MAX_FRAGMENT {
            return Err(Error::PeerSentOversizedRecord);
        }
        let mut mac = self.mac(&header(seq, msg.typ, octets)).ok_or(Error::DecryptError)?;
        let (plain, theirs) = msg.payload.split_at(octets);
        mac.update(plain);
        mac.verify_slice(theirs).map_err(|_| Error::DecryptError)?;
        msg.payload.truncate(octets);
        Ok(msg.into_plain_message())
    }
}

/// What a record's MAC covers before its octets: number, type, version 1.2 and length (RFC 5246 section 6.2.3.1).
fn header(seq: u64, kind: ContentType, octets: usize) -> [u8; 13] {
    make_tls12_aad(seq, kind, ProtocolVersion::TLSv1_2, octets)
}

const MAC_OCTETS: usize = 20;

/// Maximum octets of a record (RFC 5246 section 6.2.1).
const MAX_FRAGMENT: usize = 1 << 14;
