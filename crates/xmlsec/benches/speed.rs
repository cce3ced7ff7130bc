//! How long it takes to seal and to open a message, in microseconds: `cargo bench -p trunkline-xmlsec`.
//!
//! The fastest of many rounds of 20, since the machine may have other work; `library` is how long `bergshamra` takes to open the same message.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a program that measures"
)]

use std::time::Instant;

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use trunkline_xmlsec::{
    Cipher, Direction, Found, Header, KeyName, Keys, Limits, Nonce, Place, Protection, RoleKeys, SealKeys,
    SignatureMethod, Signer, Time, open, open_by_library, seal,
};

struct Ring(Vec<(KeyName, Found)>);

impl Keys for Ring {
    fn find(&self, name: &KeyName, _: &Protection) -> Option<Found> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, found)| found.clone())
    }
}

fn least(rounds: usize, mut work: impl FnMut()) -> f64 {
    let each = 20;
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let started = Instant::now();
            (0..each).for_each(|_| work());
            started.elapsed().as_secs_f64() * 1e6 / f64::from(each)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[0]
}

fn main() {
    // `cargo test` builds and runs benches too
    if std::env::args().all(|argument| argument != "--bench") {
        return;
    }
    let name: KeyName = "operator/3/alice".parse().unwrap();
    let keys = RoleKeys::new(&[1; 16], &[2; 16]).unwrap().of_user(name.user());
    let public: KeyName = "user/alice".parse().unwrap();
    let mut ring = Ring(vec![(name.clone(), Found::Shared(keys.clone()))]);
    let header = Header {
        direction: Direction::Request,
        place: Place::Session(Nonce([7; 16])),
        number: 12,
        in_reply_to: None,
        time: Time::from_milliseconds(1_795_852_200_123),
        expires: None,
        compression: None,
        role: None,
    };
    println!(
        "{:>8} {:12} {:12} {:>9} {:>9} {:>9} {:>9}",
        "octets", "cipher", "signature", "message", "seal", "open", "library"
    );
    for octets in [300, 1000, 3000, 100_000] {
        let wrapped = "<data xmlns=\"urn:example:data\"></data>";
        let content = wrapped.replace("><", &format!(">{}<", "x".repeat(octets - wrapped.len())));
        let ciphers = [None].into_iter().chain(Cipher::ALL.map(Some));
        for (cipher, signature) in ciphers.flat_map(|cipher| {
            [SignatureMethod::HmacSha1, SignatureMethod::HmacSha256].map(|method| (cipher, method))
        }) {
            let protection = Protection { cipher, signature };
            measure(&header, &content, &SealKeys::shared(&name, &keys), protection, &ring);
        }
    }
    for signer in signers() {
        ring.0.truncate(1);
        ring.0.push((public.clone(), Found::Public(signer.verifier().unwrap())));
        let protection = Protection { cipher: Some(Cipher::Aes128Gcm), signature: signer.method() };
        let seal_keys = SealKeys::private(&public, &signer).encrypting_by(&name, &keys);
        measure(&header, &"x".repeat(300), &seal_keys, protection, &ring);
    }
}

/// RSA of 2048 bits, and ECDSA.
fn signers() -> [Signer; 2] {
    let rsa = aws_lc_rs::rsa::KeyPair::generate(KeySize::Rsa2048).unwrap().as_der().unwrap();
    let unused = aws_lc_rs::rand::SystemRandom::new();
    let ecdsa = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &unused).unwrap();
    [rsa.as_ref(), ecdsa.as_ref()].map(|key| Signer::from_pkcs8(key).unwrap())
}

fn measure(header: &Header, content: &str, keys: &SealKeys<'_>, protection: Protection, ring: &Ring) {
    let mut message = Vec::new();
    let rounds = if content.len() > 10_000 || !protection.signature.is_shared() { 50 } else { 500 };
    let sealing = least(rounds, || {
        message.clear();
        seal(header, content.as_bytes(), keys, protection, &[9; 16], &mut message).unwrap();
    });
    let opening = least(rounds, || drop(open(&message, &Limits::MESSAGE, ring).unwrap()));
    let library = least(rounds / 10, || drop(open_by_library(&message, &Limits::MESSAGE, ring).unwrap()));
    let (octets, cipher) = (content.len(), protection.cipher.map_or("none", Cipher::name));
    println!(
        "{octets:>8} {cipher:12} {:12} {:>9} {sealing:>9.1} {opening:>9.1} {library:>9.1}",
        protection.signature,
        message.len()
    );
}
