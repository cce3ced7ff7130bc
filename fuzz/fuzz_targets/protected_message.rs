//! An octet that picks one of five: a message, a message that is made of pieces of a real one, a content that is signed only, the name of
//! a key, what is remembered of stored messages. Our own reader and the library say the same of a message, and nobody's is accepted but what was
//! sealed; a content comes out as it was; what is read is written the same.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_xmlsec::{
    Cipher, Direction, Found, Header, KeyName, Keys, Limits, Nonce, Place, Protection, RoleKeys, SealKeys,
    SignatureMethod, StoredLimits, StoredReplay, UserKeys, open, open_by_library, seal,
};

struct One(KeyName, UserKeys);

impl Keys for One {
    fn find(&self, name: &KeyName, _: &Protection) -> Option<Found> {
        (*name == self.0).then(|| Found::Shared(self.1.clone()))
    }
}

/// The keys of the seeds, which are those of the room's tests.
static ALICE: LazyLock<One> = LazyLock::new(|| {
    let name: KeyName = "operator/3/alice".parse().expect("a name");
    let keys = RoleKeys::new(&[1; 16], &[2; 32]).expect("long enough").of_user(name.user());
    One(name, keys)
});

fn header() -> Header {
    Header {
        direction: Direction::Request,
        place: Place::Session(Nonce(*b"sixteen octets..")),
        number: 12,
        in_reply_to: None,
        time: "2026-11-28T07:50:00.123Z".parse().expect("a time"),
        expires: None,
        compression: None,
        role: None,
    }
}

fn sealed(content: &[u8], protection: Protection) -> Vec<u8> {
    let mut message = Vec::new();
    let keys = SealKeys::shared(&ALICE.0, &ALICE.1);
    seal(&header(), content, &keys, protection, b"random octets...", &mut message).expect("it can be sealed");
    message
}

/// What both say of it.
fn agreed(message: &[u8]) -> Option<Vec<u8>> {
    let found = open(message, &Limits::MESSAGE, &*ALICE);
    assert_eq!(found, open_by_library(message, &Limits::MESSAGE, &*ALICE));
    found.ok().map(|opened| {
        assert_eq!(opened.header, header());
        opened.content
    })
}

/// A real message, from which the input says what is kept and what is put in.
fn made_of(pieces: &[u8]) -> Vec<u8> {
    let real = sealed(CONTENT, Protection { cipher: None, signature: SignatureMethod::HmacSha256 });
    let mut message = Vec::new();
    let mut rest = real.as_slice();
    for piece in pieces.split(|octet| *octet == 0) {
        let [high, low, skipped, inserted @ ..] = piece else { continue };
        let (kept, after) = rest.split_at((usize::from(high % 8) * 256 + usize::from(*low)).min(rest.len()));
        message.extend_from_slice(kept);
        message.extend_from_slice(inserted);
        rest = &after[usize::from(skipped % 16).min(after.len())..];
    }
    message.extend_from_slice(rest);
    message
}

fuzz_target!(|input: &[u8]| {
    let Some((which, rest)) = input.split_first() else { return };
    let protection = Protection {
        cipher: [None, None, Some(Cipher::Aes128Cbc), Some(Cipher::Aes128Gcm)][usize::from(which / 8 % 4)],
        signature: SignatureMethod::HmacSha256,
    };
    match which % 5 {
        0 => {
            if let Some(content) = agreed(rest) {
                assert!(content == CONTENT || content == SEED, "nobody sealed it");
            }
        }
        1 => {
            if let Some(content) = agreed(&made_of(rest)) {
                assert_eq!(content, CONTENT);
            }
        }
        2 => assert_eq!(agreed(&sealed(rest, protection)).as_deref(), Some(rest)),
        3 => {
            let Ok(text) = std::str::from_utf8(rest) else { return };
            if let Ok(name) = text.parse::<KeyName>() {
                assert_eq!(name.to_string(), text);
            }
        }
        _ => {
            let Ok(text) = std::str::from_utf8(rest) else { return };
            let device = || "router".parse().expect("a name");
            if let Ok(stored) = StoredReplay::read(text, device(), StoredLimits::USUAL) {
                let again = StoredReplay::read(&stored.write(), device(), StoredLimits::USUAL);
                assert_eq!(again, Ok(stored));
            }
        }
    }
});

/// The content of the messages that are made here.
const CONTENT: &[u8] =
    b"<rpc xmlns=\"urn:x\" xmlns:y=\"urn:y\" y:role=\"a\"><y:get a=\"1\">x &amp; y</y:get></rpc>";

/// That of the seed.
const SEED: &[u8] = b"<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"1\"><get-config><source><running></running></source></get-config></rpc>";
