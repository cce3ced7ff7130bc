//! The two readers agree on every message: what the quick one recognises, the other one takes or refuses alike, with the same values.
//! Mutations are of three kinds: of octets, of markup, and such that are signed again, as only who has the keys can do.

use proptest::prelude::*;
use proptest::sample::Index;

use super::round_trip::{any_protection, contents, headers};
use super::{opened, opened_generally, ring, sealed, usual};
use crate::algorithm::SignatureMethod;
use crate::direct;
use crate::template::{SIGNATURE, signed_info, signed_octets};
use crate::{KeyName, OpenError, Opened, SealKeys};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// What both say of a message: the same, or the quick one has left it to the other.
fn agreed(message: &[u8]) -> Result<Opened, OpenError> {
    let general = opened_generally(message);
    if direct::read(message).is_some() {
        let quick = crate::open(message, &crate::Limits::MESSAGE, ring());
        assert_eq!(quick, general, "{}", String::from_utf8_lossy(message));
    }
    general
}

/// The message with a signature of what is in it now, by the octets as they stand: what the quick reader would take.
fn signed_again(message: &str, method: SignatureMethod) -> Option<String> {
    let signature = message.rfind(SIGNATURE)?;
    let digest = STANDARD.encode(method.digest(&[&message.as_bytes()[..signature], b"</message>"]));
    let signed = signed_octets(method, digest.as_bytes());
    let name = match method {
        SignatureMethod::RsaSha256 => "user/rsa",
        SignatureMethod::EcdsaSha256 => "user/ecdsa",
        SignatureMethod::HmacSha1 | SignatureMethod::HmacSha256 => "operator/3/alice",
    };
    let key: KeyName = name.parse().ok()?;
    let keys = if method.is_shared() {
        SealKeys::shared(&key, ring().shared(name))
    } else {
        SealKeys::private(&key, ring().signer(name))
    };
    let value = STANDARD.encode(keys.sign(method, &signed)?);
    Some(format!(
        "{}{SIGNATURE}{}{digest}</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>{value}\
         </ds:SignatureValue><ds:KeyInfo><ds:KeyName>{name}</ds:KeyName></ds:KeyInfo></ds:Signature></message>",
        &message[..signature],
        signed_info(method)
    ))
}

/// Pieces of markup that mean something to some reader.
const PIECES: &[&str] = &[
    " ",
    "\n",
    "\r",
    "\t",
    "<",
    ">",
    "&",
    "\"",
    "'",
    "/",
    ":",
    "=",
    "&amp;",
    "&#32;",
    "&#13;",
    "<a/>",
    "<a></a>",
    "<!---->",
    "<!-- x -->",
    "<?x?>",
    "<![CDATA[x]]>",
    "<!DOCTYPE x>",
    " a=\"b\"",
    " Id=\"b\"",
    " xmlns=\"\"",
    " xmlns=\"urn:x\"",
    " xmlns:x=\"urn:x\"",
    " xmlns:ds=\"urn:x\"",
    "<x:a xmlns:x=\"urn:x\"></x:a>",
    "<role>admin</role>",
    "<content></content>",
    "</content>",
    "<content>",
    "</message>",
    "</header>",
    "\u{feff}",
    "\u{e9}",
    "0",
];

/// One change of a text, at a place of its own or after a tag.
fn changed(message: &str, at: Index, length: usize, piece: usize, after_tag: bool) -> String {
    let places: Vec<usize> =
        message.match_indices(if after_tag { ">" } else { "" }).map(|(at, found)| at + found.len()).collect();
    let from = *at.get(&places);
    let to =
        message.char_indices().map(|(at, _)| at).find(|at| *at >= from + length).unwrap_or(message.len());
    format!("{}{}{}", &message[..from], PIECES.get(piece).unwrap_or(&""), &message[to.max(from)..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn octets_that_differ_are_refused(
        header in headers(),
        content in contents(),
        protection in any_protection(),
        at: Index,
        bit in 0u8..8,
    ) {
        let message = sealed(&header, &content, protection);
        let mut mutated = message.clone();
        let at = at.index(mutated.len());
        mutated[at] ^= 1 << bit;
        let first = agreed(&mutated);
        // a change of what means nothing: none is possible by one bit, but in the name of the algorithm or of the key
        prop_assert!(first.is_err(), "{}: {}", at, String::from_utf8_lossy(&mutated));
    }

    #[test]
    fn both_readers_agree_on_changed_messages(
        header in headers(),
        content in contents(),
        protection in any_protection(),
        changes in proptest::collection::vec((any::<Index>(), 0usize..6, 0..PIECES.len() + 2, any::<bool>()), 1..3),
        again: bool,
    ) {
        let message = String::from_utf8(sealed(&header, &content, protection)).unwrap();
        let original = opened(&message).unwrap();
        let mut mutated = message.clone();
        for (at, length, piece, after_tag) in changes {
            mutated = changed(&mutated, at, length, piece, after_tag);
        }
        let signed = if again { signed_again(&mutated, protection.signature) } else { None };
        let whole = signed.as_deref().unwrap_or(&mutated);
        let found = agreed(whole.as_bytes());
        if signed.is_none() && let Ok(found) = found {
            // nobody signed something else
            prop_assert_eq!(found, original, "{}", whole);
        }
    }
}

/// Signed again, the message of the test is the same: so the property above is about what it claims.
#[test]
fn signing_again_is_possible() {
    for protection in
        super::protections().filter(|protection| protection.signature != SignatureMethod::EcdsaSha256)
    {
        let message = usual(protection);
        assert_eq!(signed_again(&message, protection.signature).as_ref(), Some(&message));
        let other =
            signed_again(&message.replace("<number>12<", "<number>13<"), protection.signature).unwrap();
        assert_eq!(agreed(other.as_bytes()).unwrap().header.number, 13);
        // a spelling that is not canonical: no reader may take octets as they stand for what is signed
        let other = signed_again(&message.replace("<header>", "<header >"), protection.signature).unwrap();
        assert_eq!(agreed(other.as_bytes()), Err(OpenError::Refused));
    }
}
