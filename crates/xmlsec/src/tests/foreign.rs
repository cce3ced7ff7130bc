//! Other implementations, both ways: `xmlsec1`, Java's own XML security and signxml. See peers/README.md.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use trunkline_testkit::{has, leave_out};

use super::library::blank;
use super::{CONTENT, opened, protections, request, ring, usual};
use crate::{Protection, SignatureMethod};

/// The names of the keys that sign and encrypt [`usual`] messages.
fn names(method: SignatureMethod) -> [&'static str; 2] {
    match method {
        SignatureMethod::HmacSha1 | SignatureMethod::HmacSha256 => ["operator/3/alice", "operator/3/alice"],
        SignatureMethod::RsaSha256 => ["user/rsa", "operator/3/rsa"],
        SignatureMethod::EcdsaSha256 => ["user/ecdsa", "operator/3/ecdsa"],
    }
}

/// What signs: the octets of an HMAC's key, or a private key as PKCS#8.
fn signing(method: SignatureMethod) -> Vec<u8> {
    let [name, _] = names(method);
    match method.is_shared() {
        true => ring().shared(name).signing_key(method).unwrap().to_vec(),
        false => ring().private_key(name).to_vec(),
    }
}

/// What verifies: the same, or a public key as SubjectPublicKeyInfo.
fn verifying(method: SignatureMethod) -> Vec<u8> {
    let public: PublicKeyX509Der<'_> = match method {
        SignatureMethod::HmacSha1 | SignatureMethod::HmacSha256 => return signing(method),
        SignatureMethod::RsaSha256 => {
            aws_lc_rs::rsa::KeyPair::from_pkcs8(&signing(method)).unwrap().public_key().as_der().unwrap()
        }
        SignatureMethod::EcdsaSha256 => {
            let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &signing(method)).unwrap();
            key.public_key().as_der().unwrap()
        }
    };
    public.as_ref().to_vec()
}

fn decrypting(protection: Protection) -> Vec<u8> {
    let [_, name] = names(protection.signature);
    protection.cipher.map_or(Vec::new(), |cipher| ring().shared(name).cipher_key(cipher).to_vec())
}

/// What an implementation opens and seals, for all protections: its answers, or an error.
struct Peer {
    program: Command,
}

impl Peer {
    /// Java's own, if it is built.
    fn java() -> Option<Self> {
        let classes = peers().join("xmlsec");
        if !classes.join("Protected.class").is_file() {
            leave_out("peers/xmlsec is not built: cargo xtask setup --peers");
            return None;
        }
        let mut program = Command::new("java");
        program.arg("-Xshare:auto").arg("-cp").arg(classes).arg("Protected");
        Some(Self { program })
    }

    /// signxml, if it is installed.
    fn python() -> Option<Self> {
        let python = peers().join("python/bin/python");
        let there = Command::new(&python).args(["-c", "import signxml"]).output();
        if !there.is_ok_and(|output| output.status.success()) {
            leave_out("signxml is not in target/peers/python: cargo xtask setup --peers");
            return None;
        }
        let mut program = Command::new(python);
        program.arg(root().join("peers/python/protected.py"));
        Some(Self { program })
    }

    /// Commands, each with its fields, and what is answered to each.
    fn answers(mut self, folder: &Path, commands: &[String]) -> Vec<Result<Vec<u8>, String>> {
        let file = folder.join("commands");
        fs::write(&file, commands.iter().map(|command| format!("{command}\n")).collect::<String>()).unwrap();
        let output =
            self.program.stdin(fs::File::open(file).unwrap()).stderr(Stdio::inherit()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let answer = |line: &str| match line.split_once(' ') {
            Some(("ok", octets)) => Ok(STANDARD.decode(octets).unwrap()),
            _ => Err(line.to_owned()),
        };
        let answers: Vec<_> = text.lines().map(answer).collect();
        assert_eq!(answers.len(), commands.len(), "{text}");
        answers
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn peers() -> PathBuf {
    root().join("target/peers")
}

/// The fields that both commands begin with, and the message or what it is made of.
fn commands(protection: Protection) -> [String; 3] {
    let Protection { cipher, signature } = protection;
    let uri = cipher.map_or("-", |cipher| cipher.uri());
    let encryption = STANDARD.encode(decrypting(protection));
    let fields = |key: Vec<u8>| format!("{} {} {uri} {encryption}", signature.uri(), STANDARD.encode(key));
    let message = usual(protection);
    let header = format!("{}</message>", &message[..message.find("</header>").unwrap() + 9]);
    let [name, encrypting] = names(signature);
    let (header, content) = (STANDARD.encode(header), STANDARD.encode(CONTENT));
    [
        format!("open {} {}", fields(verifying(signature)), STANDARD.encode(&message)),
        format!("open {} {}", fields(verifying(signature)), STANDARD.encode(message.replace(">12<", ">13<"))),
        format!("seal {} {name} {encrypting} {header} {content}", fields(signing(signature))),
    ]
}

/// Both ways with all protections that this peer has.
fn both_ways(peer: Option<Peer>, has: fn(Protection) -> bool) {
    let Some(peer) = peer else { return };
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<Protection> = protections().filter(|protection| has(*protection)).collect();
    let asked: Vec<String> = all.iter().flat_map(|protection| commands(*protection)).collect();
    let answers = peer.answers(folder.path(), &asked);
    for (protection, answers) in all.iter().zip(answers.chunks(3)) {
        let [first, changed, sealed] = answers else { panic!() };
        // a content that was not encrypted is printed by another library, which may write `<running/>`
        let content =
            String::from_utf8(first.clone().unwrap_or_else(|error| panic!("{protection}: {error}"))).unwrap();
        assert_eq!(content.replace("<running/>", "<running></running>"), CONTENT, "{protection}");
        assert!(changed.is_err(), "{protection}");
        let message =
            String::from_utf8(sealed.clone().unwrap_or_else(|error| panic!("{protection}: {error}")))
                .unwrap();
        let found = opened(&message).unwrap_or_else(|error| panic!("{protection}: {error}: {message}"));
        assert_eq!((found.content.as_slice(), found.header), (CONTENT.as_bytes(), request()), "{protection}");
        assert!(opened(&message.replace(">12<", ">13<")).is_err(), "{protection}");
    }
}

#[test]
fn javas_own_xml_security() {
    both_ways(Peer::java(), |_| true);
}

/// It has no SHA-1, and verifies public keys by certificates only.
#[test]
fn signxml() {
    both_ways(Peer::python(), |protection| protection.signature == SignatureMethod::HmacSha256);
}

/// Keys as files, and what names them on the command line.
struct Xmlsec1 {
    folder: tempfile::TempDir,
}

impl Xmlsec1 {
    fn file(&self, name: &str, octets: &[u8]) -> String {
        let path = self.folder.path().join(name);
        fs::write(&path, octets).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new("xmlsec1").args(arguments).current_dir(self.folder.path()).output().unwrap()
    }

    fn ok(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    fn key(&self, method: SignatureMethod, octets: &[u8], label: &str) -> [String; 2] {
        let [name, _] = names(method);
        match method.is_shared() {
            true => [format!("--hmackey:{name}"), self.file("hmac.key", octets)],
            false => {
                let kind = if label == "PUBLIC KEY" { "pubkey-pem" } else { "privkey-pem" };
                [format!("--{kind}:{name}"), self.file(kind, pem(octets, label).as_bytes())]
            }
        }
    }
}

fn pem(octets: &[u8], label: &str) -> String {
    let text = STANDARD.encode(octets);
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

#[test]
fn xmlsec1() {
    if !has("xmlsec1", "xmlsec1") {
        return;
    }
    for protection in protections() {
        let Protection { cipher, signature } = protection;
        let tool = Xmlsec1 { folder: tempfile::tempdir().unwrap() };
        let [public, public_file] = tool.key(signature, &verifying(signature), "PUBLIC KEY");
        let message = usual(protection);
        let file = tool.file("message.xml", message.as_bytes());
        tool.ok(&["--verify", &public, &public_file, &file]);
        let changed = tool.file("changed.xml", message.replace(">12<", ">13<").as_bytes());
        assert!(!tool.run(&["--verify", &public, &public_file, &changed]).status.success(), "{protection}");
        let (aes, aes_file) =
            (format!("--aeskey:{}", names(signature)[1]), tool.file("aes.key", &decrypting(protection)));
        let mut template = blank(&blank(&message, "DigestValue"), "SignatureValue");
        if cipher.is_some() {
            assert_eq!(tool.ok(&["--decrypt", &aes, &aes_file, &file]), CONTENT.as_bytes(), "{protection}");
            template = blank(&template, "CipherValue");
        }
        let file = tool.file("template.xml", template.as_bytes());
        if cipher.is_some() {
            let content = tool.file("content.xml", CONTENT.as_bytes());
            let encrypted = tool.ok(&["--encrypt", &aes, &aes_file, "--binary-data", &content, &file]);
            tool.file("template.xml", &encrypted);
        }
        let [private, private_file] = tool.key(signature, &signing(signature), "PRIVATE KEY");
        let sealed = String::from_utf8(tool.ok(&["--sign", &private, &private_file, &file])).unwrap();
        let found = opened(&sealed).unwrap_or_else(|error| panic!("{protection}: {error}: {sealed}"));
        assert_eq!((found.content.as_slice(), found.header), (CONTENT.as_bytes(), request()), "{protection}");
    }
}

/// The PEM files that OpenSSL writes are keys, in both halves.
#[test]
fn keys_in_pem() {
    let keys: BTreeMap<_, _> = [SignatureMethod::RsaSha256, SignatureMethod::EcdsaSha256]
        .map(|method| {
            (
                method.name(),
                (method, pem(&signing(method), "PRIVATE KEY"), pem(&verifying(method), "PUBLIC KEY")),
            )
        })
        .into();
    for (method, private, public) in keys.values() {
        let signer = crate::Signer::from_pem(private).unwrap();
        let verifier = crate::Verifier::from_pem(public).unwrap();
        assert_eq!((signer.method(), verifier.method()), (*method, *method));
        assert!(verifier.verify(b"text", &signer.sign(b"text").unwrap()));
        assert!(!verifier.verify(b"Text", &signer.sign(b"text").unwrap()));
        let printed = format!("{signer:?} {verifier:?}");
        assert!(!printed.contains("key") && printed.len() < 80, "{printed}");
        for (text, label) in [(private, "PUBLIC KEY"), (public, "PRIVATE KEY")] {
            let swapped = match label {
                "PUBLIC KEY" => crate::Verifier::from_pem(text).map(drop),
                _ => crate::Signer::from_pem(text).map(drop),
            };
            assert_eq!(swapped, Err(crate::KeyError::Pem { label }));
        }
        assert_eq!(
            crate::Verifier::from_pem(&format!("{public}{public}")).err(),
            Some(crate::KeyError::Pem { label: "PUBLIC KEY" })
        );
    }
    let short = aws_lc_rs::rsa::PublicKeyComponents { n: vec![0xff_u8; 128], e: vec![1, 0, 1] };
    let short: PublicKeyX509Der<'_> = short.as_der().unwrap();
    assert_eq!(crate::Verifier::from_spki(short.as_ref()).err(), Some(crate::KeyError::Unsupported));
    if has("openssl", "openssl") {
        let arguments = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"];
        let short =
            String::from_utf8(Command::new("openssl").args(arguments).output().unwrap().stdout).unwrap();
        assert_eq!(crate::Signer::from_pem(&short).err(), Some(crate::KeyError::Unsupported));
    }
    assert_eq!(crate::Signer::from_pkcs8(b"no key").err(), Some(crate::KeyError::Unsupported));
}

/// The page's blocks of this language, in order.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let pieces = page.split("\n```").collect::<Vec<_>>();
    let of = |piece: &&str| {
        piece.strip_prefix(language).and_then(|rest| rest.strip_prefix('\n').map(str::to_owned))
    };
    pieces.iter().filter_map(of).collect()
}

/// The page's example is the known message, its program writes the keys of that, and its commands verify, decrypt, and make another one.
#[test]
fn the_page() {
    let page = fs::read_to_string(root().join("docs/wire/protected.md")).unwrap();
    let known = include_str!("known.xml");
    let [example, whole] = &blocks(&page, "xml")[..] else { panic!("two messages") };
    assert_eq!(whole.trim_end(), known.trim_end());
    for line in example.lines().map(str::trim) {
        let (begin, _) = line.split_once("...").unwrap_or((line, ""));
        let begin = begin.split("/>").next().unwrap();
        assert!(known.contains(begin), "{line}");
    }
    let ([python], [read, write]) = (&blocks(&page, "python")[..], &blocks(&page, "sh")[..]) else {
        panic!()
    };
    if !has("xmlsec1", "xmlsec1") || !has("python3", "python3") {
        return;
    }
    let tool = Xmlsec1 { folder: tempfile::tempdir().unwrap() };
    let template = ["CipherValue", "DigestValue", "SignatureValue"]
        .iter()
        .fold(known.to_owned(), |text, local| blank(&text, local));
    tool.file("known.xml", known.as_bytes());
    tool.file("template.xml", template.as_bytes());
    tool.file("content.xml", b"<other></other>");
    for (program, option, text) in [("python3", "-c", python), ("sh", "-ec", read), ("sh", "-ec", write)] {
        let output =
            Command::new(program).args([option, text]).current_dir(tool.folder.path()).output().unwrap();
        assert!(output.status.success(), "{text}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(text != read || output.stdout == CONTENT.as_bytes(), "{text}");
    }
    let message = fs::read_to_string(tool.folder.path().join("message.xml")).unwrap();
    assert_eq!(opened(&message).unwrap().content, b"<other></other>");
}
