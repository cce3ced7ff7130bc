//! `bergshamra` as another party: it signs and encrypts templates of any spelling, and decrypts what we encrypt.

use bergshamra_dsig::DsigContext;
use bergshamra_enc::EncContext;
use bergshamra_keys::{Key, KeyData, KeyUsage, KeysManager};
use kryptering::KeyAlgorithm;

use super::{CONTENT, opened, protections, request, ring, usual};
use crate::{Cipher, OpenError, Protection, SignatureMethod};

fn keys(name: &str, method: SignatureMethod, cipher: Option<Cipher>) -> KeysManager {
    let mut manager = KeysManager::new();
    let mut add = |algorithm, octets: &[u8]| {
        let data = KeyData::from_symmetric_bytes(algorithm, octets).unwrap();
        manager.add_key(Key::new(data, KeyUsage::Any).with_name(name));
    };
    match cipher {
        Some(cipher) => add(KeyAlgorithm::Aes, &ring().shared(name).cipher_key(cipher)),
        None => add(KeyAlgorithm::Hmac, ring().shared(name).signing_key(method).unwrap().as_slice()),
    }
    manager
}

/// The message with other values of digest and signature, which are those of alice.
pub(super) fn signed(message: &str, method: SignatureMethod) -> String {
    let blank = blank(&blank(message, "DigestValue"), "SignatureValue");
    let context = DsigContext::new(keys("operator/3/alice", method, None));
    bergshamra_dsig::sign::sign(&context, &blank).unwrap_or_else(|error| panic!("{error}: {blank}"))
}

/// Whether the library alone takes the message for one of alice's.
pub(super) fn takes(message: &str) -> bool {
    let context = DsigContext::new(keys("operator/3/alice", SignatureMethod::HmacSha256, None));
    bergshamra_dsig::verify::verify(&context, message).is_ok_and(|result| result.is_valid())
}

/// Without the text of the last element of this name.
pub(super) fn blank(message: &str, local: &str) -> String {
    let Some(end) = message.rfind(&format!("{local}>")) else { return message.to_owned() };
    let end = message[..end].rfind("</").unwrap();
    let begin = message[..end].rfind('>').unwrap() + 1;
    format!("{}{}", &message[..begin], &message[end..])
}

#[test]
fn the_library_reads_what_we_write() {
    for protection in protections().filter(|protection| protection.signature.is_shared()) {
        let message = usual(protection);
        let context = DsigContext::new(keys("operator/3/alice", protection.signature, None));
        assert!(bergshamra_dsig::verify::verify(&context, &message).unwrap().is_valid(), "{protection}");
        let Some(cipher) = protection.cipher else { continue };
        let context = EncContext::new(keys("operator/3/alice", protection.signature, Some(cipher)));
        let decrypted = bergshamra_enc::decrypt::decrypt(&context, &message).unwrap();
        assert!(decrypted.contains("message-id=\"1\"><get-config>"), "{protection}: {decrypted}");
    }
}

/// Spellings of one message, as other libraries write it.
fn spellings(message: &str) -> Vec<String> {
    let default = message.replace("ds:", "").replace("xmlns:ds", "xmlns");
    let prefixed = ["message", "header", "direction", "session", "number", "time", "content"].iter().fold(
        message.replace("xmlns=\"urn:trunkline", "xmlns:t=\"urn:trunkline"),
        |message, name| {
            message
                .replace(&format!("<{name}>"), &format!("<t:{name}>"))
                .replace(&format!("<{name} "), &format!("<t:{name} "))
                .replace(&format!("</{name}>"), &format!("</t:{name}>"))
        },
    );
    let root = "<message xmlns=\"urn:trunkline:params:xml:ns:protected:1.0\"";
    let declared =
        "xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\" xmlns:xenc=\"http://www.w3.org/2001/04/xmlenc#\"";
    vec![
        default,
        prefixed,
        message.replace("xenc:", "e:").replace(":xenc", ":e"),
        // white space between elements, but not in values
        [
            "<header",
            "<direction",
            "<session",
            "<number",
            "<time",
            "</header",
            "<ds:",
            "<xenc:",
            "<content",
            "</ds:Sig",
            "</message",
        ]
        .iter()
        .fold(message.to_owned(), |message, tag| message.replace(tag, &format!("\r\n\t {tag}"))),
        message.replace("></ds:Transform>", "/>").replace("></xenc:EncryptionMethod>", " />"),
        message.replace(
            "<xenc:EncryptedData",
            "<xenc:EncryptedData Type=\"http://www.w3.org/2001/04/xmlenc#Element\"",
        ),
        message.replace(
            "<xenc:EncryptedData",
            "<xenc:EncryptedData Type='&#104;ttp://www.w3.org/2001/04/xmlenc#Element'",
        ),
        format!("<?xml version='1.0' encoding='utf-8' standalone='yes'?>\n{message}\n"),
        message.replace(root, &format!("{root} {declared} xmlns:unused=\"urn:unused\"")),
        message.replace("<number>12<", "<number>&#49;2<").replace("URI=\"\"", "URI = ''"),
        message.replace(
            "</ds:KeyName></ds:KeyInfo></ds:Signature>",
            "</ds:KeyName >\n</ds:KeyInfo></ds:Signature\n>",
        ),
    ]
}

#[test]
fn other_spellings_are_accepted() {
    for protection in protections().filter(|protection| protection.signature.is_shared()) {
        let message = usual(protection);
        let own = opened(&message).unwrap();
        for spelling in spellings(&message) {
            let message = signed(&spelling, protection.signature);
            assert_eq!(opened(&message), Ok(own.clone()), "{message}");
        }
    }
}

#[test]
fn values_in_lines_are_accepted() {
    let protection = Protection::default();
    let message = usual(protection);
    let mut lines = String::new();
    let value = message.find("<xenc:CipherValue>").unwrap() + 18;
    for (at, character) in message.char_indices() {
        lines.push(character);
        if (value..value + 150).contains(&at) && at % 20 == 0 {
            lines.push_str("&#13;\n");
        }
    }
    let message = signed(&lines, protection.signature);
    assert_eq!(opened(&message).unwrap().content, CONTENT.as_bytes());
    let end = message.find("</ds:SignatureValue>").unwrap();
    let message = format!("{}\n {}", &message[..end - 9], &message[end - 9..]);
    assert_eq!(opened(&message).unwrap().content, CONTENT.as_bytes());
}

#[test]
fn the_library_encrypts_for_us() {
    for cipher in Cipher::ALL {
        let protection = Protection { cipher: Some(cipher), signature: SignatureMethod::HmacSha256 };
        let template = blank(&usual(protection), "CipherValue");
        let context = EncContext::new(keys("operator/3/alice", protection.signature, Some(cipher)));
        let encrypted = bergshamra_enc::encrypt::encrypt(&context, &template, b"<other></other>").unwrap();
        let found = opened(&signed(&encrypted, protection.signature)).unwrap();
        assert_eq!((found.content.as_slice(), found.header), (&b"<other></other>"[..], request()));
    }
}

/// What exclusive canonical form does not sign is not read in another way than it was sent.
#[test]
fn a_content_whose_values_lose_their_namespaces_is_refused() {
    let protection = Protection { cipher: None, ..Protection::default() };
    for content in [
        "<a xmlns='urn:a' xmlns:v='urn:v'><type>v:x</type></a>",
        "<a xmlns='urn:a' xmlns:v='urn:v' select='/v:x'/>",
        "<p:a xmlns:p='urn:p' xmlns='urn:a'>x</p:a>",
    ] {
        let message = signed(&usual(protection).replace(CONTENT, content), protection.signature);
        assert!(takes(&message));
        let error = opened(&message).unwrap_err().to_string();
        assert!(error.contains("values whose namespaces"), "{error}");
    }
}

/// XML 1.0 section 3.3.3: what was signed has spaces.
#[test]
fn white_space_in_attributes_is_what_xml_makes_of_it() {
    let protection = Protection { cipher: None, ..Protection::default() };
    let of = |select: &str| format!("<a xmlns=\"urn:a\" select=\"{select}\"></a>");
    let message = usual(protection).replace(CONTENT, &of("/a | /b | /c"));
    let message = signed(&message, protection.signature);
    for white in ["\n", "\t", "\r", "\r\n"] {
        let message = message.replace("/a | /b |", &format!("/a{white}|{white}/b |"));
        assert_eq!(String::from_utf8(opened(&message).unwrap().content).unwrap(), of("/a | /b | /c"));
    }
    assert_eq!(opened(&message.replace("/a | /b", "/a&#10;| /b")), Err(OpenError::Refused));
}

/// A signed content comes out as it was signed: without declarations that nothing uses.
#[test]
fn a_content_is_what_was_signed() {
    let protection = Protection { cipher: None, ..Protection::default() };
    let message = usual(protection).replace(
        CONTENT,
        "\n <p:a  b='1' xmlns:v=\"urn:value\" xmlns:p=\"urn:p\" a = \"2\" ><p:b/>x</p:a>\n",
    );
    let message = signed(&message, protection.signature);
    let found = opened(&message).unwrap();
    assert_eq!(
        String::from_utf8(found.content).unwrap(),
        "<p:a xmlns:p=\"urn:p\" a=\"2\" b=\"1\"><p:b></p:b>x</p:a>"
    );
    // what the declaration is does not matter, since nobody sees it
    let other = message.replace("urn:value", "urn:other");
    assert!(takes(&other));
    assert_eq!(opened(&other).unwrap(), opened(&message).unwrap());
    assert_eq!(opened(&message.replace("a = \"2\"", "a = \"3\"")), Err(OpenError::Refused));
}
