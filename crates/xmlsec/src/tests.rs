//! Tests of whole messages, and what they share.

mod agreement;
mod attacks;
mod foreign;
mod library;
mod round_trip;

use std::collections::HashMap;
use std::sync::OnceLock;

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};

use crate::{
    Cipher, Direction, Found, Header, KeyName, Keys, Limits, Nonce, OpenError, Opened, Place, Protection,
    RoleKeys, SealKeys, SignatureMethod, Signer, UserKeys, open, open_by_library, seal,
};

/// A key ring for tests: alice and bob are operators with epochs 3 and 4, and have public keys.
pub(crate) struct Ring {
    shared: HashMap<String, UserKeys>,
    /// Also as PKCS#8.
    public: HashMap<String, (Signer, Vec<u8>)>,
}

impl Keys for Ring {
    fn find(&self, name: &KeyName, _: &Protection) -> Option<Found> {
        let name = name.to_string();
        let public = || Some(Found::Public(self.public.get(&name)?.0.verifier().ok()?));
        self.shared.get(&name).map(|keys| Found::Shared(keys.clone())).or_else(public)
    }
}

impl Ring {
    pub(crate) fn shared(&self, name: &str) -> &UserKeys {
        &self.shared[name]
    }

    pub(crate) fn signer(&self, name: &str) -> &Signer {
        &self.public[name].0
    }

    pub(crate) fn private_key(&self, name: &str) -> &[u8] {
        &self.public[name].1
    }
}

/// There is one for all tests: RSA keys take long.
pub(crate) fn ring() -> &'static Ring {
    static RING: OnceLock<Ring> = OnceLock::new();
    RING.get_or_init(|| {
        let mut shared = HashMap::new();
        for (role, number) in [("operator/3", 1), ("operator/4", 3), ("admin/3", 5)] {
            let keys = RoleKeys::new(&[number; 16], &[number + 1; 32]).unwrap();
            for user in ["alice", "bob", "rsa", "ecdsa"] {
                shared.insert(format!("{role}/{user}"), keys.of_user(&user.parse().unwrap()));
            }
        }
        let rsa = || aws_lc_rs::rsa::KeyPair::generate(KeySize::Rsa2048).unwrap();
        let rsa = || rsa().as_der().unwrap().as_ref().to_vec();
        let unused = aws_lc_rs::rand::SystemRandom::new();
        let ecdsa = || EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &unused).unwrap();
        let ecdsa = || ecdsa().as_ref().to_vec();
        let public =
            [("user/rsa", rsa()), ("user/rsa2", rsa()), ("user/ecdsa", ecdsa()), ("user/ecdsa2", ecdsa())];
        Ring {
            shared,
            public: public
                .map(|(name, key)| (name.to_owned(), (Signer::from_pkcs8(&key).unwrap(), key)))
                .into(),
        }
    })
}

pub(crate) fn request() -> Header {
    Header {
        direction: Direction::Request,
        place: Place::Session(Nonce(*b"sixteen octets..")),
        number: 12,
        in_reply_to: None,
        time: "2026-11-28T07:50:00.123Z".parse().unwrap(),
        expires: None,
        compression: None,
        role: None,
    }
}

pub(crate) const CONTENT: &str = "<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"1\"><get-config><source><running></running></source></get-config></rpc>";

/// All protections.
pub(crate) fn protections() -> impl Iterator<Item = Protection> {
    let ciphers = [None].into_iter().chain(Cipher::ALL.map(Some));
    ciphers.flat_map(|cipher| SignatureMethod::ALL.map(|signature| Protection { cipher, signature }))
}

/// A message with this protection, by the keys of the test's users.
pub(crate) fn sealed(header: &Header, content: &[u8], protection: Protection) -> Vec<u8> {
    let names = match protection.signature {
        SignatureMethod::HmacSha1 | SignatureMethod::HmacSha256 => ["operator/3/alice", ""],
        SignatureMethod::RsaSha256 => ["operator/3/rsa", "user/rsa"],
        SignatureMethod::EcdsaSha256 => ["operator/3/ecdsa", "user/ecdsa"],
    };
    let shared: KeyName = names[0].parse().unwrap();
    let keys = ring().shared(names[0]);
    let public: KeyName;
    let keys = if protection.signature.is_shared() {
        SealKeys::shared(&shared, keys)
    } else {
        public = names[1].parse().unwrap();
        SealKeys::private(&public, ring().signer(names[1])).encrypting_by(&shared, keys)
    };
    let mut message = b"before".to_vec();
    seal(header, content, &keys, protection, b"random octets...", &mut message).unwrap();
    message.split_off(6)
}

/// The usual message.
pub(crate) fn usual(protection: Protection) -> String {
    String::from_utf8(sealed(&request(), CONTENT.as_bytes(), protection)).unwrap()
}

pub(crate) fn opened(message: &str) -> Result<Opened, OpenError> {
    open(message.as_bytes(), &Limits::MESSAGE, ring())
}

/// The same by the reader of every spelling.
pub(crate) fn opened_generally(message: &[u8]) -> Result<Opened, OpenError> {
    open_by_library(message, &Limits::MESSAGE, ring())
}
