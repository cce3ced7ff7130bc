//! Certificates made by openssl (`vectors/certificates`): their names, by which row, and which server they belong
//! to (RFC 6353 sections 5.3.1 and 7).
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use trunkline_snmp::engine::SecurityName;
use trunkline_snmp::engine::transport::{
    CertificateMap, CertificateNameError, CertificateRow, Fingerprint, FingerprintError, HashAlgorithm,
    IdentityError, NameProblem, NamelessRow, check_server_identity, name_of_peer,
};

fn der(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/certificates").join(name);
    fs::read(path.with_extension("der")).unwrap()
}

fn row(id: u32, certificate: &str, map: CertificateMap) -> CertificateRow {
    CertificateRow { id, fingerprint: Fingerprint::of(HashAlgorithm::Sha256, &der(certificate)), map }
}

fn specified(name: &str) -> CertificateMap {
    CertificateMap::Specified(SecurityName::new(name.as_bytes()).unwrap())
}

fn name(rows: &[CertificateRow], chain: &[&str]) -> Result<(u32, String), CertificateNameError> {
    let chain: Vec<Vec<u8>> = chain.iter().map(|name| der(name)).collect();
    let peer = name_of_peer(rows, &chain)?;
    Ok((peer.row, String::from_utf8(peer.name.as_bytes().to_vec()).unwrap()))
}

#[test]
fn each_map_takes_its_name() {
    use CertificateMap::{CommonName, SanAny, SanDnsName, SanIpAddress, SanRfc822Name};
    for (certificate, map, expected) in [
        ("mail-first", SanRfc822Name, "FooBar@example.com"),
        ("mail-first", SanDnsName, "host.example.com"),
        ("mail-first", SanIpAddress, "192.0.2.7"),
        ("mail-first", SanAny, "FooBar@example.com"),
        ("mail-first", CommonName, "Joe"),
        ("mail-first", specified("operator"), "operator"),
        ("dns-first", SanAny, "host.example.com"),
        ("dns-first", SanRfc822Name, "a@b"),
        ("ip6-first", SanIpAddress, "20010db80000000000000000000000a1"),
        ("ip6-first", SanAny, "20010db80000000000000000000000a1"),
        ("ip4-only", SanAny, "192.0.2.7"),
        ("common-name", CommonName, "Jürgen"),
        ("common-name-bmp", CommonName, "Jürgen"),
    ] {
        let found = name(&[row(1, certificate, map)], &[certificate, "ca"]);
        assert_eq!(found, Ok((1, expected.to_owned())), "{certificate} {map:?}");
        // The CA's fingerprint works too: it vouches for everyone whom it signed.
        assert_eq!(name(&[row(2, "ca", map)], &[certificate, "ca"]), Ok((2, expected.to_owned())));
    }
}

#[test]
fn certificates_without_a_name_are_refused_with_a_reason() {
    use CertificateMap::{CommonName, SanAny, SanDnsName, SanIpAddress, SanRfc822Name};
    for (certificate, map, problem) in [
        ("common-name", SanAny, NameProblem::Missing),
        ("ip4-only", SanDnsName, NameProblem::Missing),
        ("ip4-only", SanRfc822Name, NameProblem::Missing),
        ("long-name", SanIpAddress, NameProblem::Missing),
        ("long-name", SanDnsName, NameProblem::Length { found: 33 }),
        ("long-name", SanAny, NameProblem::Length { found: 33 }),
        ("long-name", CommonName, NameProblem::Length { found: 33 }),
        ("two-common-names", CommonName, NameProblem::Several),
        ("no-name", CommonName, NameProblem::Missing),
    ] {
        let rows = vec![NamelessRow { id: 9, problem }];
        let found = name(&[row(9, certificate, map)], &[certificate, "ca"]);
        assert_eq!(found, Err(CertificateNameError::NoName { rows }), "{certificate} {map:?}");
    }
}

#[test]
fn the_first_row_that_gives_a_name_wins() {
    let rows = [
        row(30, "mail-first", specified("third")),
        row(20, "ca", CertificateMap::SanDnsName),
        row(10, "long-name", specified("another's")),
        row(5, "mail-first", CertificateMap::CommonName),
    ];
    assert_eq!(name(&rows[..3], &["mail-first", "ca"]), Ok((20, "host.example.com".into())));
    assert_eq!(name(&rows, &["mail-first", "ca"]), Ok((5, "Joe".into())));
    // A row that gives none is passed over.
    assert_eq!(
        name(&[row(1, "ca", CertificateMap::SanAny), row(2, "no-name", specified("n"))], &["no-name", "ca"]),
        Ok((2, "n".into()))
    );
    // A CA that the path does not go through vouches for nobody.
    assert_eq!(name(&rows[1..2], &["mail-first"]), Err(CertificateNameError::NoRow));
    assert_eq!(name(&[], &["mail-first"]), Err(CertificateNameError::NoRow));
    assert_eq!(name(&rows, &[]), Err(CertificateNameError::NoCertificate));
    let spoilt = [&der("mail-first")[..], &[0]].concat();
    assert_eq!(name_of_peer(&rows, &[spoilt]), Err(CertificateNameError::Unreadable));
    let two = [row(1, "no-name", CertificateMap::SanAny), row(2, "ca", CertificateMap::CommonName)];
    assert_eq!(
        name(&two, &["no-name", "ca"]).unwrap_err().to_string(),
        "row 1: the certificate has no such name; row 2: the certificate has no such name"
    );
}

#[test]
fn maps_have_their_numbers() {
    for number in 1..=6 {
        let oid = [1, 3, 6, 1, 2, 1, 198, 1, 1, number];
        assert_eq!(CertificateMap::from_oid(&oid, b"joe").unwrap().oid(), oid);
    }
    assert_eq!(CertificateMap::from_oid(&[1, 3, 6, 1, 2, 1, 198, 1, 1, 7], b"joe"), None);
    assert_eq!(CertificateMap::from_oid(&[1, 3, 6, 1, 2, 1, 198, 1, 1, 1], b""), None);
    assert_eq!(CertificateMap::from_oid(&[1, 3], b"joe"), None);
}

/// What `openssl x509 -fingerprint` printed for common-name.der.
const PRINTED: [&str; 5] = [
    "sha1 Fingerprint=6F:E9:E9:4D:31:3F:9B:59:AE:0D:2D:C9:10:CF:AE:54:A2:98:E1:FF",
    "sha224 Fingerprint=1F:C1:24:A9:2D:94:88:B9:55:82:43:33:FF:18:50:B5:C3:A6:74:E5:8E:95:62:6E:49:DF:32:85",
    "SHA256 Fingerprint=25:7D:48:00:CE:F2:AD:4B:53:00:4B:82:62:3E:E6:5A:1D:C1:5F:A9:67:FA:BD:43:E0:0E:D0:7C:3F:3D:\
     15:E5",
    "sha384 Fingerprint=D7:9C:E3:D3:7D:13:45:A4:01:4C:49:DB:B7:85:43:4F:9F:11:90:E1:1F:65:B7:76:C7:61:7C:20:0B:DC:\
     70:65:D2:EB:AE:9A:F5:59:DF:A4:E9:9C:61:E1:5E:D5:9A:DA",
    "sha512 Fingerprint=7A:FD:4C:ED:59:D5:A7:3F:1A:17:FB:A9:0E:21:9A:24:91:09:C4:6E:07:AC:21:01:0A:C5:CC:6A:F5:1B:\
     9C:3E:2C:2B:21:01:7E:C1:28:F0:1F:C9:46:4D:6B:76:49:80:9D:EA:47:6C:9A:74:D1:A9:9D:A8:0A:09:59:ED:EE:7B",
];

#[test]
fn fingerprints_match_openssls_in_every_notation() {
    let certificate = der("common-name");
    for (printed, algorithm) in PRINTED.into_iter().zip(HashAlgorithm::ALL) {
        let fingerprint: Fingerprint = printed.parse().unwrap();
        assert_eq!(fingerprint, Fingerprint::of(algorithm, &certificate));
        assert!(fingerprint.matches(&certificate) && !fingerprint.matches(&der("ca")));
        let digits = printed.split_once('=').unwrap().1;
        let bare: String = digits.replace(':', "").to_lowercase();
        let code = algorithm.code();
        for text in [
            digits.to_owned(),
            bare.clone(),
            format!("{algorithm}:{digits}"),
            format!(" {}:{bare}\n", algorithm.name().to_uppercase()),
            format!("{}-{}:{bare}", "SHA", &algorithm.name()[3..]),
            format!("{code:02X}:{digits}"),
            format!("{code:02x}{bare}"),
            fingerprint.to_string(),
        ] {
            assert_eq!(text.parse(), Ok(fingerprint.clone()), "{text}");
        }
        assert_eq!(Fingerprint::from_octets(&fingerprint.to_octets()), Ok(Some(fingerprint.clone())));
        assert_eq!(fingerprint.to_octets()[0], code);
    }
    assert_eq!(Fingerprint::from_octets(&[]), Ok(None));
}

#[test]
fn invalid_fingerprints() {
    let unknown = |found: &str| FingerprintError::UnknownAlgorithm { found: found.into() };
    let md5 = "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF";
    for (text, error) in [
        ("", FingerprintError::UnknownLength { found: 0 }),
        ("sha256:", FingerprintError::Length { algorithm: HashAlgorithm::Sha256, expected: 32, found: 0 }),
        ("sha1:00", FingerprintError::Length { algorithm: HashAlgorithm::Sha1, expected: 20, found: 1 }),
        ("sha256:xy", FingerprintError::NotHexadecimal),
        ("sha256:123", FingerprintError::NotHexadecimal),
        ("words", FingerprintError::NotHexadecimal),
        (&format!("md5:{md5}"), unknown("md5")),
        (&format!("01:{md5}"), unknown("1")),
        (md5, FingerprintError::UnknownLength { found: 16 }),
    ] {
        assert_eq!(text.parse::<Fingerprint>(), Err(error), "{text}");
    }
    assert_eq!(Fingerprint::from_octets(&[7; 33]), Err(unknown("7")));
    let short = FingerprintError::Length { algorithm: HashAlgorithm::Sha256, expected: 32, found: 31 };
    assert_eq!(Fingerprint::from_octets(&[4; 32]), Err(short));
}

#[test]
fn the_wanted_server_is_named_by_the_certificate() {
    let check = |identity: &str, certificate: &str| check_server_identity(identity, &der(certificate));
    for (identity, certificate) in [
        ("host.example.com", "dns-first"),
        ("HOST.Example.com.", "dns-first"),
        ("a.wild.example", "dns-first"),
        ("192.0.2.7", "ip4-only"),
        ("2001:db8::a1", "ip6-first"),
        ("2001:DB8:0::A1", "ip6-first"),
        ("192.0.2.7", "ip6-first"),
    ] {
        assert_eq!(check(identity, certificate), Ok(()), "{identity}");
    }
    for (identity, certificate) in [
        ("example.com", "dns-first"),
        ("wild.example", "dns-first"),
        ("a.b.wild.example", "dns-first"),
        (".wild.example", "dns-first"),
        ("*.host.example.com", "dns-first"),
        ("", "dns-first"),
        ("host", "dns-first"),
        ("192.0.2.8", "ip4-only"),
        ("four", "ip4-only"),
        ("Joe", "mail-first"),
        ("host", "no-name"),
    ] {
        assert!(matches!(check(identity, certificate), Err(IdentityError::Different { .. })), "{identity}");
    }
    assert_eq!(check("jürgen.example", "dns-first"), Err(IdentityError::NotAscii));
    assert_eq!(check_server_identity("host", b"\x30\x00"), Err(IdentityError::Unreadable));
    assert_eq!(
        check("other", "ip4-only").unwrap_err().to_string(),
        "expected a certificate for other, found one for 192.0.2.7"
    );
    assert_eq!(
        check("other", "no-name").unwrap_err().to_string(),
        "expected a certificate for other, found one for no host"
    );
}

proptest! {
    /// Whatever is done to a certificate, it names nobody or somebody whose name fits.
    #[test]
    fn spoilt_certificates(
        which in prop::sample::select(&["mail-first", "dns-first", "ip6-first", "common-name-bmp", "ca"][..]),
        at in any::<prop::sample::Index>(),
        octets in prop::collection::vec(any::<u8>(), 0..6),
        number in 1_u32..=6,
    ) {
        let mut certificate = der(which);
        let at = at.index(certificate.len());
        certificate.splice(at..at, octets);
        let map = CertificateMap::from_oid(&[1, 3, 6, 1, 2, 1, 198, 1, 1, number], b"joe").unwrap();
        let fingerprint = Fingerprint::of(HashAlgorithm::Sha384, &certificate);
        if let Ok(peer) = name_of_peer(&[CertificateRow { id: 1, fingerprint, map }], &[&certificate]) {
            prop_assert!((1..=32).contains(&peer.name.as_bytes().len()));
        }
        let _ = check_server_identity("host.example.com", &certificate);
    }

    #[test]
    fn fingerprints_are_read_as_they_are_written(octets in prop::collection::vec(any::<u8>(), 0..80), text in ".{0,80}") {
        if let Ok(Some(fingerprint)) = Fingerprint::from_octets(&octets) {
            prop_assert_eq!(fingerprint.to_octets(), octets);
            prop_assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
        }
        let _ = text.parse::<Fingerprint>();
    }
}
