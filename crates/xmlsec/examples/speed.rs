//! How long it takes to seal and to open a message, in microseconds: `cargo run --release -p trunkline-xmlsec --example speed`.
//!
//! The median of rounds; each of our own two readers on the same messages, and those that are spelled otherwise.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::disallowed_methods, reason = "an example")]

use std::time::Instant;

use trunkline_xmlsec::{
    Cipher, Direction, Found, Header, KeyName, Keys, Limits, Nonce, Place, Protection, RoleKeys, SealKeys,
    SignatureMethod, Time, UserKeys, open, seal,
};

struct One(KeyName, UserKeys);

impl Keys for One {
    fn find(&self, name: &KeyName, _: &Protection) -> Option<Found> {
        (*name == self.0).then(|| Found::Shared(self.1.clone()))
    }
}

fn median(rounds: usize, mut work: impl FnMut()) -> f64 {
    let each = 20;
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let started = Instant::now();
            (0..each).for_each(|_| work());
            started.elapsed().as_secs_f64() * 1e6 / f64::from(each)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let name: KeyName = "operator/3/alice".parse().unwrap();
    let keys = RoleKeys::new(&[1; 16], &[2; 16]).unwrap().of_user(name.user());
    let ring = One(name.clone(), keys.clone());
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
        "octets", "cipher", "signature", "message", "seal", "open", "foreign"
    );
    for octets in [300, 1000, 3000, 100_000] {
        let wrapped = "<data xmlns=\"urn:example:data\"></data>";
        let content = wrapped.replace("><", &format!(">{}<", "x".repeat(octets - wrapped.len())));
        let ciphers = [None].into_iter().chain(Cipher::ALL.map(Some));
        for (cipher, signature) in ciphers.flat_map(|cipher| {
            [SignatureMethod::HmacSha1, SignatureMethod::HmacSha256].map(|method| (cipher, method))
        }) {
            let protection = Protection { cipher, signature };
            let seal_keys = SealKeys::shared(&name, &keys);
            let mut message = Vec::new();
            let rounds = if octets > 10_000 { 50 } else { 500 };
            let sealing = median(rounds, || {
                message.clear();
                seal(&header, content.as_bytes(), &seal_keys, protection, &[9; 16], &mut message).unwrap();
            });
            let opening = median(rounds, || drop(open(&message, &Limits::MESSAGE, &ring).unwrap()));
            // white space between the attributes is not signed, and no longer our spelling
            let foreign = String::from_utf8(message.clone()).unwrap().replace(" URI=\"\"", "  URI=\"\"");
            let foreign =
                median(rounds / 10, || drop(open(foreign.as_bytes(), &Limits::MESSAGE, &ring).unwrap()));
            let cipher = cipher.map_or("none", Cipher::name);
            println!(
                "{octets:>8} {cipher:12} {signature:12} {:>9} {sealing:>9.1} {opening:>9.1} {foreign:>9.1}",
                message.len()
            );
        }
    }
}
