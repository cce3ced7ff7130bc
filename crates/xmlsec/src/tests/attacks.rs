//! Published attacks on XML Signature and XML Encryption, each with the error that it gets.
//!
//! Where the attacker is a member of a role, who can sign whatever markup, the library alone takes the message for valid: the form
//! refuses it.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::library::{signed, takes};
use super::{CONTENT, opened, opened_generally, protections, request, ring, sealed, usual};
use crate::template::signed_octets;
use crate::{
    Cipher, Found, KeyName, Keys, Limits, Malformed, OpenError, Protection, SealKeys, SignatureMethod, open,
    seal,
};

const SIGNED: Protection = Protection { cipher: None, signature: SignatureMethod::HmacSha256 };
const CBC: Protection =
    Protection { cipher: Some(Cipher::Aes128Cbc), signature: SignatureMethod::HmacSha256 };

#[track_caller]
fn is_malformed(message: &str) {
    let found = opened(message);
    assert!(matches!(found, Err(OpenError::Malformed(_))), "{found:?}: {message}");
}

/// The part from one text up to another one.
fn part<'m>(message: &'m str, from: &str, to: &str) -> &'m str {
    let from = message.find(from).unwrap();
    let to = from + message[from..].find(to).unwrap() + to.len();
    &message[from..to]
}

/// What XSW attacks do: the signed part stays in the document, somewhere else, and the evil one takes its place.
#[test]
fn wrapped_signatures() {
    let good = usual(SIGNED);
    let evil = good.replace("<running>", "<startup>").replace("</running>", "</startup>");
    let signature = part(&good, "<ds:Signature", "</ds:Signature>");
    let header = part(&good, "<header", "</header>");
    let content = part(&good, "<content", "</content>");
    let evil_content = part(&evil, "<content", "</content>");
    let unsigned = good.replace(signature, "");
    let evil_start = "<message xmlns=\"urn:trunkline:params:xml:ns:protected:1.0\">";
    let object = |what: &str| {
        signature.replace("</ds:Signature>", &format!("<ds:Object>{what}</ds:Object></ds:Signature>"))
    };
    let shapes = [
        // the good message inside the evil one: before, behind and within its content, and within the signature
        format!("{evil_start}{header}{evil_content}{good}</message>"),
        format!("{evil_start}{good}{header}{evil_content}{signature}</message>"),
        format!("{evil_start}{header}<content>{good}</content>{signature}</message>"),
        format!("{evil_start}{header}{evil_content}{}</message>", object(&unsigned)),
        format!("{evil_start}{header}{evil_content}{}</message>", object(content)),
        // the evil one inside the good one
        good.replace(header, &format!("{header}{evil_content}")),
        good.replace(content, &format!("{content}{evil_content}")),
        good.replace(signature, &format!("{signature}{evil_content}")),
        good.replace(signature, &format!("{signature}{signature}")),
        good.replace(signature, &format!("{evil_content}{signature}")),
        good.replace(header, &format!("{header}{header}")),
        // around both
        format!("<all>{evil}{good}</all>"),
        format!("{evil_start}{evil}{good}{signature}</message>"),
        format!("{good}{evil}"),
    ];
    for shape in &shapes {
        is_malformed(shape);
    }
    // without any other trick: the evil content with the good signature
    assert_eq!(opened(&evil), Err(OpenError::Refused));
    assert_eq!(opened_generally(evil.as_bytes()), Err(OpenError::Refused));
    assert_eq!(opened(&good).unwrap().content, CONTENT.as_bytes());
}

/// A member of the role signs it, and somebody wraps it: with identifiers the library takes what is not where it must be.
#[test]
fn references_to_parts_and_to_elsewhere() {
    let good = usual(SIGNED);
    let with_id = good.replace("<header>", "<header Id=\"part\">");
    let by_id = signed(&with_id.replace("URI=\"\"", "URI=\"#part\""), SIGNED.signature);
    assert!(takes(&by_id));
    is_malformed(&by_id);
    // the content is not covered at all
    let evil = by_id.replace("running", "startup");
    assert!(takes(&evil));
    is_malformed(&evil);
    is_malformed(&signed(&with_id, SIGNED.signature));
    for uri in [
        "#xpointer(/)",
        "#xpointer(id('part'))",
        "#",
        "http://localhost/x",
        "file:///etc/passwd",
        "message.xml",
        " ",
        "cid:x",
    ] {
        is_malformed(&good.replace("URI=\"\"", &format!("URI=\"{uri}\"")));
    }
    is_malformed(&good.replace(" URI=\"\"", ""));
    is_malformed(&good.replace("URI=\"\"", "URI=\"\" Type=\"http://www.w3.org/2000/09/xmldsig#Manifest\""));
    let reference = part(&good, "<ds:Reference", "</ds:Reference>");
    for references in
        [String::new(), format!("{reference}{reference}"), format!("{reference}<ds:Manifest></ds:Manifest>")]
    {
        is_malformed(&good.replace(reference, &references));
    }
}

#[test]
fn duplicate_identifiers() {
    let good = usual(SIGNED);
    for place in
        ["<ds:Signature ", "<ds:SignedInfo", "<ds:Reference ", "<content", "<message ", "<ds:SignatureValue"]
    {
        for attribute in ["Id", "ID", "id", "xml:id"] {
            is_malformed(&good.replace(place, &format!("{place} {attribute}=\"x\" ")));
        }
    }
    // within a content they are nobody's business but a library's: it would find two
    for content in [
        "<rpc xmlns=\"urn:x\"><a Id=\"x\"></a><b Id=\"x\"></b></rpc>",
        "<rpc xmlns=\"urn:x\" ID=\"x\"></rpc>",
        "<rpc xmlns=\"urn:x\" xmlns:y=\"urn:y\" y:id=\"x\"></rpc>",
    ] {
        is_malformed(&good.replace(CONTENT, content));
    }
}

/// Transforms that select or make other octets than those that are read.
#[test]
fn transforms() {
    let good = usual(SIGNED);
    let enveloped = part(&good, "<ds:Transform ", "</ds:Transform>");
    let transforms = part(&good, "<ds:Transforms>", "</ds:Transforms>");
    let exclusive = enveloped.replace(
        "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
        "http://www.w3.org/2001/10/xml-exc-c14n#",
    );
    let transform =
        |uri: &str, within: &str| format!("<ds:Transform Algorithm=\"{uri}\">{within}</ds:Transform>");
    let with = |list: &[&str]| {
        good.replace(transforms, &format!("<ds:Transforms>{}</ds:Transforms>", list.concat()))
    };
    let xpath = transform(
        "http://www.w3.org/TR/1999/REC-xpath-19991116",
        "<ds:XPath>not(ancestor-or-self::ds:Signature) and false()</ds:XPath>",
    );
    let filter = transform(
        "http://www.w3.org/2002/06/xmldsig-filter2",
        "<dsig:XPath xmlns:dsig=\"http://www.w3.org/2002/06/xmldsig-filter2\" Filter=\"intersect\">/x</dsig:XPath>",
    );
    let xslt = transform(
        "http://www.w3.org/TR/1999/REC-xslt-19991116",
        "<xsl:stylesheet xmlns:xsl=\"http://www.w3.org/1999/XSL/Transform\" version=\"1.0\"></xsl:stylesheet>",
    );
    let base64 = transform("http://www.w3.org/2000/09/xmldsig#base64", "");
    let inclusive = transform("http://www.w3.org/TR/2001/REC-xml-c14n-20010315", "");
    let comments = transform("http://www.w3.org/2001/10/xml-exc-c14n#WithComments", "");
    let decrypt = transform("http://www.w3.org/2002/07/decrypt#XML", "");
    let prefixes = transform(
        "http://www.w3.org/2001/10/xml-exc-c14n#",
        "<ec:InclusiveNamespaces xmlns:ec=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"x\"></ec:InclusiveNamespaces>",
    );
    let lists: [&[&str]; 16] = [
        &[],
        &[enveloped],
        &[&exclusive],
        &[&exclusive, enveloped],
        &[&exclusive, &exclusive],
        &[&base64, &exclusive],
        &[enveloped, &exclusive, &exclusive],
        &[enveloped, enveloped, &exclusive],
        &[enveloped, &xpath, &exclusive],
        &[&filter, enveloped, &exclusive],
        &[enveloped, &exclusive, &xslt],
        &[enveloped, &exclusive, &base64],
        &[enveloped, &inclusive],
        &[enveloped, &comments],
        &[enveloped, &prefixes],
        &[&decrypt, enveloped, &exclusive],
    ];
    for list in lists {
        is_malformed(&with(list));
    }
    // a member signs with another transform: the library would take it
    let evil = signed(&with(&[enveloped, &inclusive]), SIGNED.signature);
    assert!(takes(&evil));
    is_malformed(&evil);
    let method = "<ds:CanonicalizationMethod Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#";
    for other in ["WithComments", "\" x=\""] {
        is_malformed(&good.replace(method, &format!("{method}{other}")));
    }
    is_malformed(&good.replace(&format!("{method}\">"), &format!("{method}\"><x></x>")));
}

/// Entities that expand or read files: there is no document type.
#[test]
fn document_types_and_entities() {
    let good = usual(SIGNED);
    let bomb = "<!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;\">]>";
    let file = "<!DOCTYPE m [<!ENTITY c SYSTEM \"file:///etc/passwd\">]>";
    for document_type in [
        bomb,
        file,
        "<!DOCTYPE message>",
        "<!DOCTYPE message SYSTEM \"http://localhost/x.dtd\">",
        "<!doctype x>",
    ] {
        let found = opened(&format!("{document_type}{}", good.replace(">12<", ">&c;<")));
        let expected = OpenError::Malformed(Malformed::Markup("a document type declaration"));
        assert_eq!(found, Err(expected.clone()));
        let inside = good.replace("<header>", &format!("<header>{document_type}"));
        assert_eq!(opened(&inside), Err(expected.clone()));
        assert_eq!(opened(&format!("{good}{document_type}")), Err(expected));
    }
    is_malformed(&good.replace(">12<", ">&c;<"));
    is_malformed(&good.replace(">12<", ">1&undefined;2<"));
}

/// Text that is cut by a comment reads differently in different libraries, and canonical form leaves comments out.
#[test]
fn comments_and_other_markup_within_text() {
    let good = usual(Protection::default());
    for (inserted, what) in [
        ("<!-- x -->", "a comment"),
        ("<!---->", "a comment"),
        ("<?x y?>", "a processing instruction"),
        ("<![CDATA[]]>", "a CDATA section"),
    ] {
        let expected = Err(OpenError::Malformed(Malformed::Markup(what)));
        for at in [
            ">operator/3/",
            ">1",
            ">request",
            "<header>",
            "<ds:SignedInfo>",
            "http://www.w3.org/2001/10/xml-exc",
            "</message>",
        ] {
            assert_eq!(opened(&good.replace(at, &format!("{at}{inserted}"))), expected, "{at}");
        }
        // both before and behind: a member of the role may have signed it so
        assert_eq!(opened(&format!("{inserted}{good}")), expected);
        if what == "a comment" {
            let evil = usual(SIGNED).replace("<running>", "<running><!-- x -->");
            assert!(takes(&evil));
            assert_eq!(opened(&evil), expected);
        }
    }
    // an XML declaration is nothing else in disguise, and stands at the beginning
    for bad in [
        "<?xml-stylesheet href=\"x\"?>",
        " <?xml version=\"1.0\"?>",
        "\u{feff}",
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>",
    ] {
        is_malformed(&format!("{bad}{good}"));
    }
    let wide: Vec<u8> = good.encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert!(matches!(open(&wide, &Limits::MESSAGE, ring()), Err(OpenError::Malformed(_))));
}

/// Who has no key learns nothing from what he makes of a ciphertext: all of it is refused alike, before it is decrypted.
#[test]
fn padding_oracles() {
    struct Counting(RefCell<Vec<String>>);
    impl Keys for Counting {
        fn find(&self, name: &KeyName, protection: &Protection) -> Option<Found> {
            self.0.borrow_mut().push(name.to_string());
            ring().find(name, protection)
        }
    }
    for cipher in Cipher::ALL {
        // by a public key, so that the one that decrypts is found separately
        let protection = Protection { cipher: Some(cipher), signature: SignatureMethod::RsaSha256 };
        let message = usual(protection);
        let value = part(&message, "<xenc:CipherValue>", "</xenc:CipherValue>");
        let text = &value["<xenc:CipherValue>".len()..value.len() - "</xenc:CipherValue>".len()];
        let octets = STANDARD.decode(text).unwrap();
        let refused = |octets: &[u8]| {
            for spelling in [message.clone(), message.replace("<header>", "<header >")] {
                let counting = Counting(RefCell::default());
                let changed = spelling.replace(text, &STANDARD.encode(octets));
                let found = open(changed.as_bytes(), &Limits::MESSAGE, &counting);
                assert_eq!(found, Err(OpenError::Refused), "{cipher}");
                assert_eq!(*counting.0.borrow(), ["user/rsa"], "{cipher}: before it is decrypted");
            }
        };
        for bit in 0..8 {
            for at in [0, 15, 16, octets.len() - 33, octets.len() - 17, octets.len() - 1] {
                let mut changed = octets.clone();
                changed[at] ^= 1 << bit;
                refused(&changed);
            }
        }
        for kept in [0, 1, 12, 15, 16, 17, 28, 32, octets.len() - 16, octets.len() - 1] {
            refused(&octets[..kept]);
        }
        refused(&[octets.as_slice(), &octets[16..48]].concat());
    }
    // a member of the role signs a ciphertext with bad padding, or none: the error is the same one
    let padded = |last: u8| {
        let key = ring().shared("operator/3/alice").cipher(Cipher::Aes128Cbc).unwrap();
        let Ok(mut value) = key.encrypt(&[last; 16], &[9; 16]) else { panic!() };
        value.truncate(32);
        value
    };
    for value in [padded(0), padded(17), padded(255), Vec::new(), vec![7; 31], vec![7; 16]] {
        let message = usual(CBC);
        let text = part(&message, "<xenc:CipherValue>", "</xenc:CipherValue>");
        let changed = format!("<xenc:CipherValue>{}</xenc:CipherValue>", STANDARD.encode(value));
        let message = signed(&message.replace(text, &changed), CBC.signature);
        assert!(takes(&message));
        assert_eq!(opened(&message), Err(OpenError::Refused));
    }
    // a ciphertext of one cipher as another one
    let other = usual(CBC).replace("2001/04/xmlenc#aes128-cbc", "2009/xmlenc11#aes128-gcm");
    assert_eq!(opened(&signed(&other, CBC.signature)), Err(OpenError::Refused));
}

/// CVE-2009-0217, and values that are cut.
#[test]
fn truncated_signatures() {
    for protection in protections().filter(|protection| protection.cipher.is_none()) {
        let good = usual(protection);
        let value = part(&good, "<ds:SignatureValue>", "</ds:SignatureValue>");
        let text = &value["<ds:SignatureValue>".len()..value.len() - "</ds:SignatureValue>".len()];
        let octets = STANDARD.decode(text).unwrap();
        for kept in [0, 1, 10, 20, octets.len() - 1] {
            if kept >= octets.len() {
                continue;
            }
            let cut = good.replace(text, &STANDARD.encode(&octets[..kept]));
            assert_eq!(opened(&cut), Err(OpenError::Refused), "{protection} {kept}");
            for bits in ["0", "1", "8", "80", "160", "-8", "256"] {
                let length =
                    format!("<ds:HMACOutputLength>{bits}</ds:HMACOutputLength></ds:SignatureMethod>");
                is_malformed(&cut.replace("</ds:SignatureMethod>", &length));
            }
        }
        let long = good.replace(text, &STANDARD.encode([octets.as_slice(), &[0]].concat()));
        assert_eq!(opened(&long), Err(OpenError::Refused));
        for cut in ["DigestValue", "SignatureValue"] {
            assert_eq!(opened(&super::library::blank(&good, cut)), Err(OpenError::Refused), "{protection}");
        }
    }
    // a member signs a short HMAC by the rules of XML Signature
    let length = "<ds:HMACOutputLength>160</ds:HMACOutputLength></ds:SignatureMethod>";
    is_malformed(&usual(SIGNED).replace("</ds:SignatureMethod>", length));
}

/// A public key as the key of an HMAC would let everybody sign.
#[test]
fn algorithm_confusion() {
    /// Who keeps public keys under every name.
    struct PublicOnly;
    impl Keys for PublicOnly {
        fn find(&self, _: &KeyName, _: &Protection) -> Option<Found> {
            Some(Found::Public(ring().signer("user/rsa").verifier().unwrap()))
        }
    }
    let forged = |name: &str, key: &[u8]| {
        let message = usual(SIGNED).replace("operator/3/alice", name);
        let digest = part(&message, "<ds:DigestValue>", "</ds:DigestValue>");
        let digest = &digest["<ds:DigestValue>".len()..digest.len() - "</ds:DigestValue>".len()];
        let signed = signed_octets(SignatureMethod::HmacSha256, digest.as_bytes());
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), &signed);
        let value = part(&message, "<ds:SignatureValue>", "</ds:SignatureValue>");
        message.replace(value, &format!("<ds:SignatureValue>{}</ds:SignatureValue>", STANDARD.encode(tag)))
    };
    for key in [&b""[..], &[0; 32], b"everybody knows it"] {
        is_malformed(&forged("user/rsa", key));
        let message = forged("operator/3/rsa", key);
        assert_eq!(open(message.as_bytes(), &Limits::MESSAGE, &PublicOnly), Err(OpenError::Refused));
        assert_eq!(opened(&message), Err(OpenError::Refused));
    }
    // the signature of a public key that says that it is an HMAC
    let message = usual(SIGNED);
    let digest = part(&message, "<ds:DigestValue>", "</ds:DigestValue>");
    let digest = &digest["<ds:DigestValue>".len()..digest.len() - "</ds:DigestValue>".len()];
    let value = ring().signer("user/rsa").sign(&signed_octets(SIGNED.signature, digest.as_bytes())).unwrap();
    let own = part(&message, "<ds:SignatureValue>", "</ds:SignatureValue>");
    let message =
        message.replace(own, &format!("<ds:SignatureValue>{}</ds:SignatureValue>", STANDARD.encode(value)));
    assert_eq!(open(message.as_bytes(), &Limits::MESSAGE, &PublicOnly), Err(OpenError::Refused));
    // one kind of public key as another, and the other way round
    let (rsa, ecdsa) = (SignatureMethod::RsaSha256, SignatureMethod::EcdsaSha256);
    for (method, other) in [(rsa, ecdsa), (ecdsa, rsa)] {
        let message = usual(Protection { cipher: None, signature: method });
        let changed = message.replace(method.uri(), other.uri());
        assert_eq!(opened(&changed), Err(OpenError::Refused));
        assert_eq!(opened_generally(changed.as_bytes()), Err(OpenError::Refused));
        let named = changed.replace(&format!("user/{}", &method.name()[..3]), "user/rsa2");
        assert!(opened(&named).is_err());
    }
    // algorithms that are too weak, or unknown
    let good = usual(SIGNED);
    let uris = [
        "http://www.w3.org/2001/04/xmldsig-more#hmac-md5",
        "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
        "http://www.w3.org/2000/09/xmldsig#dsa-sha1",
        "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1",
        "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256 ",
        "none",
        "",
    ];
    for uri in uris {
        is_malformed(&good.replace(SIGNED.signature.uri(), uri));
    }
    is_malformed(
        &good.replace("http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2000/09/xmldsig#sha1"),
    );
    is_malformed(
        &good
            .replace("http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#md5"),
    );
    for uri in [
        "http://www.w3.org/2001/04/xmlenc#tripledes-cbc",
        "http://www.w3.org/2001/04/xmlenc#aes192-cbc",
        "http://www.w3.org/2001/04/xmlenc#rsa-1_5",
        "",
    ] {
        is_malformed(&usual(CBC).replace("http://www.w3.org/2001/04/xmlenc#aes128-cbc", uri));
    }
}

/// Names that stand for other keys than they seem to.
#[test]
fn key_name_confusion() {
    let good = usual(Protection::default());
    let signature = |name: &str| {
        let at = good.rfind("operator/3/alice").unwrap();
        format!("{}{name}{}", &good[..at], &good[at + "operator/3/alice".len()..])
    };
    // the name of the signature's key is not signed: another one has other keys
    for name in ["operator/3/bob", "operator/4/alice", "admin/3/alice"] {
        let message = usual(SIGNED).replace("operator/3/alice", name);
        assert_eq!(opened(&message), Err(OpenError::Refused), "{name}");
        assert_eq!(opened_generally(message.as_bytes()), Err(OpenError::Refused), "{name}");
        is_malformed(&signature(name));
    }
    for name in ["operator/9/alice", "nobody/3/alice"] {
        let message = good.replace("operator/3/alice", name);
        assert_eq!(opened(&message), Err(OpenError::UnknownKey(name.parse().unwrap())));
    }
    for name in [
        " operator/3/alice",
        "operator/3/alice\n",
        "operator/03/alice",
        "operator/3/alice/",
        "../operator/3/alice",
        "user/3/alice",
        "alice",
        "",
        "user/al\u{131}ce",
    ] {
        is_malformed(&good.replace("operator/3/alice", name));
    }
    let message = good.replace("operator/3/alice", "Operator/3/alice");
    assert_eq!(opened(&message), Err(OpenError::UnknownKey("Operator/3/alice".parse().unwrap())));
    // keys within the message, and ways to others
    let inside = [
        "<ds:KeyValue></ds:KeyValue>",
        "<ds:X509Data></ds:X509Data>",
        "<ds:RetrievalMethod URI=\"http://localhost/\"></ds:RetrievalMethod>",
        "<xenc:EncryptedKey xmlns:xenc=\"http://www.w3.org/2001/04/xmlenc#\"></xenc:EncryptedKey>",
        "<ds:KeyName>operator/3/bob</ds:KeyName>",
    ];
    for other in inside {
        is_malformed(&good.replace("<ds:KeyName>", &format!("{other}<ds:KeyName>")));
        is_malformed(&good.replace("</ds:KeyName>", &format!("</ds:KeyName>{other}")));
        is_malformed(
            &good
                .replace("<ds:KeyName>operator/3/alice</ds:KeyName>", other)
                .replace("operator/3/bob", "bob"),
        );
    }
    is_malformed(&good.replace(
        "<xenc:CipherValue>",
        "<xenc:CipherReference URI=\"http://localhost/\"></xenc:CipherReference><xenc:CipherValue>",
    ));
}

/// A member cannot pass off what another one encrypted as his own, nor read it.
#[test]
fn swapped_ciphertexts() {
    let alices = usual(Protection::default());
    let (bob, keys): (KeyName, _) = ("operator/3/bob".parse().unwrap(), ring().shared("operator/3/bob"));
    let mut bobs = Vec::new();
    seal(&request(), b"x", &SealKeys::shared(&bob, keys), Protection::default(), &[1; 16], &mut bobs)
        .unwrap();
    let bobs = String::from_utf8(bobs).unwrap();
    let data = |message: &str| part(message, "<xenc:EncryptedData", "</xenc:EncryptedData>").to_owned();
    // bob's message, with alice's ciphertext, whichever of the two names is on it, signed by bob
    for swapped in [data(&alices), data(&alices).replace("alice", "bob")] {
        let message = bobs.replace(&data(&bobs), &swapped);
        let signed_by_bob = {
            let from = message.find("<ds:Signature").unwrap();
            let digest = STANDARD
                .encode(SignatureMethod::HmacSha256.digest(&[&message.as_bytes()[..from], b"</message>"]));
            let signed = signed_octets(SignatureMethod::HmacSha256, digest.as_bytes());
            let value = SealKeys::shared(&bob, keys).sign(SignatureMethod::HmacSha256, &signed).unwrap();
            let old = part(&message, "<ds:DigestValue>", "</ds:DigestValue>");
            let message = message.replace(old, &format!("<ds:DigestValue>{digest}</ds:DigestValue>"));
            let old = part(&message, "<ds:SignatureValue>", "</ds:SignatureValue>").to_owned();
            message
                .replace(&old, &format!("<ds:SignatureValue>{}</ds:SignatureValue>", STANDARD.encode(value)))
        };
        let found = opened(&signed_by_bob);
        let expected = if swapped.contains("alice") {
            matches!(found, Err(OpenError::Malformed(Malformed::Keys(_))))
        } else {
            found == Err(OpenError::Refused)
        };
        assert!(expected, "{found:?}");
    }
    // a signature by a public key, and the keys of somebody else in a role
    let both = usual(Protection { cipher: Some(Cipher::Aes128Gcm), signature: SignatureMethod::RsaSha256 });
    let found = opened(&both.replace("operator/3/rsa", "operator/3/alice"));
    assert!(matches!(found, Err(OpenError::Malformed(Malformed::Keys(_)))), "{found:?}");
}

#[test]
fn headers_that_break_a_rule() {
    let good = usual(SIGNED);
    for (from, to) in [
        ("<number>12<", "<number>0<"),
        ("<number>12<", "<number>012<"),
        ("<number>12<", "<number>-1<"),
        ("<number>12<", "<number>18446744073709551616<"),
        (">request<", ">reply<"),
        (">request<", ">Request<"),
        ("</number>", "</number><in-reply-to>1</in-reply-to>"),
        ("</time>", "</time><expires>2026-11-29T07:50:00.123Z</expires>"),
        ("</time>", "</time><compression>zlib</compression>"),
        ("</time>", "</time><compression>gzip</compression>"),
        ("</time>", "</time><role>admin</role>"),
        ("</time>", "</time><else>x</else>"),
        ("</time>", "</time><time>2026-11-28T07:50:00.123Z</time>"),
        ("00.123Z", "00.123"),
        ("<session>c2", "<session>C2l0"),
        ("<session>c2", "<session>="),
        ("Lg==</session>", "Lh==</session>"),
        ("Lg==</session>", "Lg==</session><device>router</device>"),
        ("<number>12</number>", ""),
        ("<header>", "<header x=\"1\">"),
        ("<header>", "<header xmlns=\"\">"),
        ("<header>", "<header>text"),
        ("<direction>", "<direction xmlns=\"urn:x\">"),
        ("<content>", "<content>text"),
        ("</content>", "text</content>"),
        ("</content>", "<a xmlns=\"urn:x\"></a></content>"),
        ("<message ", "<other "),
        ("protected:1.0", "protected:1.1"),
    ] {
        assert!(good.contains(from), "{from}");
        is_malformed(&good.replace(from, to));
    }
    let encrypted = usual(Protection::default());
    is_malformed(&encrypted.replace(
        "<xenc:EncryptedData ",
        "<xenc:EncryptedData Type=\"http://www.w3.org/2001/04/xmlenc#Content\" ",
    ));
    is_malformed(&encrypted.replace("<xenc:EncryptedData ", "<xenc:EncryptedData MimeType=\"text/xml\" "));
    is_malformed(&encrypted.replace("</xenc:EncryptedData>", "</xenc:EncryptedData><content></content>"));
    // in-reply-to is between two others
    let reply =
        encrypted.replace(">request<", ">reply<").replace("</time>", "</time><in-reply-to>1</in-reply-to>");
    is_malformed(&reply);
}

/// What strangers send costs no more than its octets.
#[test]
fn huge_and_deep_documents() {
    let limits = Limits { octets: 1000 };
    let found = open(usual(SIGNED).as_bytes(), &limits, ring());
    assert!(matches!(found, Err(OpenError::TooBig { limit: 1000, .. })), "{found:?}");
    let good = usual(SIGNED);
    let started = Instant::now();
    let deep =
        |depth: usize| format!("<a xmlns=\"urn:x\">{}{}</a>", "<a>".repeat(depth), "</a>".repeat(depth));
    for content in [
        deep(100),
        deep(100_000),
        format!(
            "<a xmlns=\"urn:x\"{}></a>",
            (0..100_000).map(|at| format!(" a{at}=\"\"")).collect::<String>()
        ),
        format!(
            "<a xmlns=\"urn:x\"{}></a>",
            (0..50_000).map(|at| format!(" xmlns:a{at}=\"urn:{at}\"")).collect::<String>()
        ),
        format!("<{0} xmlns=\"urn:x\"></{0}>", "a".repeat(100_000)),
        "<a>".repeat(500_000),
    ] {
        is_malformed(&good.replace(CONTENT, &content));
    }
    // wide is not deep, and has a limit of its own: above it our writer takes base64
    let wide = |elements: usize| format!("<a xmlns=\"urn:x\">{}</a>", "<b c=\"==\"></b>".repeat(elements));
    for (elements, readable) in [(4_999, true), (5_000, false), (100_000, false)] {
        let changed = good.replace(CONTENT, &wide(elements));
        for spelling in [changed.clone(), changed.replace("<header>", "<header >")] {
            let found = opened(&spelling);
            assert_eq!(matches!(found, Err(OpenError::Malformed(_))), !readable, "{elements}: {found:?}");
            assert!(found.is_err());
        }
        let message = sealed(&request(), wide(elements).as_bytes(), SIGNED);
        assert_eq!(message.windows(5).any(|octets| octets == b"<b c="), readable);
        assert_eq!(open(&message, &Limits::MESSAGE, ring()).unwrap().content, wide(elements).as_bytes());
    }
    let spaces = good.replace("<header>", &format!("<header>{}", " ".repeat(3_000_000)));
    assert_eq!(opened(&spaces), Err(OpenError::Refused));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

/// Every octet that is missing is noticed.
#[test]
fn truncated_messages() {
    for protection in [Protection::default(), CBC, SIGNED] {
        let message = usual(protection);
        for kept in 0..message.len() {
            assert!(opened(&message[..kept]).is_err(), "{kept}");
        }
        is_malformed(&format!("{message}x"));
        is_malformed(&format!("{message}{message}"));
    }
}
