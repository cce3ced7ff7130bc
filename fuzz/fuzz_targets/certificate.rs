//! Certificates of strangers: the names that each map derives from them, and whether they match a server. The
//! first octet is the length of the wanted server's name, followed by the name and the certificate.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_snmp::engine::transport::{
    CertificateMap, CertificateNameError, CertificateRow, Fingerprint, HashAlgorithm, check_server_identity,
    name_of_peer,
};

fuzz_target!(|octets: &[u8]| {
    let Some((&length, rest)) = octets.split_first() else { return };
    let Some((wanted, der)) = rest.split_at_checked(usize::from(length)) else { return };
    for number in 1..=6 {
        let Some(map) = CertificateMap::from_oid(&[1, 3, 6, 1, 2, 1, 198, 1, 1, number], b"joe") else {
            unreachable!("every number is a map's")
        };
        let row =
            CertificateRow { id: number, fingerprint: Fingerprint::of(HashAlgorithm::Sha256, der), map };
        match name_of_peer(&[row], &[der]) {
            Ok(peer) => {
                assert_eq!(peer.row, number);
                assert!((1..=32).contains(&peer.name.as_bytes().len()));
            }
            Err(CertificateNameError::NoName { rows }) => assert_eq!(rows.len(), 1),
            Err(error) => assert_eq!(error, CertificateNameError::Unreadable),
        }
    }
    if let Ok(wanted) = std::str::from_utf8(wanted) {
        let _ = check_server_identity(wanted, der);
        if let Ok(fingerprint) = wanted.parse::<Fingerprint>() {
            assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
        }
    }
    if let Ok(Some(fingerprint)) = Fingerprint::from_octets(wanted) {
        assert_eq!(fingerprint.to_octets(), wanted);
    }
});
