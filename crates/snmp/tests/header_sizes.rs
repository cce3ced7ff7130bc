//! How many octets SNMPv3 puts in front of a message's bindings, against section IV.E of Pras et al. 2005: "the
//! SNMPv3 header ... something between 42 and 143 octets (instead of 25, as needed for versions 1 and 2c)".
//!
//! The paper gives neither its formula nor the lengths it assumed. Its header is everything but the varbind
//! list (equations 1 and 6), which is also what is counted here: the list's own type and length belong to
//! the list (equation 3). For every field that has a range the table says which end was taken.
//!
//! | what | our octets |
//! | --- | --- |
//! | fewest: discovery, all strings empty, all integers one octet | 55 |
//! | noAuthNoPriv, engine ID of 5 octets, user of 1 | 66 |
//! | authPriv of 2005 (12-octet code, 8-octet salt), engine ID of 12, user of 8 | 119 |
//! | the same as Net-SNMP's defaults make it: engine ID of 17 octets, request-id of 4 | 133 |
//! | authPriv of SHA-256 and AES (24-octet code) as our agent sends it | 145 |
//! | most: two engine IDs, user and context name of 32 octets, SHA-512 | 258 |
//!
//! The fewest is what BER's rules leave: 22 elements with 44 octets of types and lengths, and 11 octets in the
//! integers and msgFlags; how the paper comes to 42 it does not say. Everything that a network of 2005 had is
//! within its range; above its most is only what came later (RFC 7860's longer codes) or what hardly anybody
//! has (names and identifiers of 32 octets everywhere).
#![allow(missing_docs, clippy::unwrap_used)]

use trunkline_snmp::SecurityLevel::{self, AuthPriv, NoAuthNoPriv};
use trunkline_snmp::usm::{
    AuthKey, AuthProtocol, EngineId, EngineMoment, LocalKey, PrivKey, PrivProtocol, User,
};
use trunkline_snmp::wire::{
    Envelope, Header, Pdu, PduKind, Protection, Salts, UsmSecurity, V3Header, V3Security, Version,
};

/// The header of a Get by Pras' reckoning: without the list and its type and length.
fn header_size(envelope: Envelope<'_>) -> usize {
    envelope.size_without_bindings() - 2
}

struct Lengths {
    engine_id: usize,
    user: usize,
    context: usize,
    /// Widths of all INTEGERs that are not fixed: the fewest or the most octets they can have.
    wide: bool,
    request_id: i32,
}

fn size(lengths: &Lengths, auth: AuthProtocol, level: SecurityLevel) -> usize {
    let any = EngineId::new(b"\x80\x00\x00\x00\x05").unwrap();
    let key = |length: usize| LocalKey::from_bytes(&vec![1; length]);
    let auth_key = AuthKey::new(auth, key(auth.key_length())).unwrap();
    let cipher = PrivProtocol::Aes128;
    let priv_key = PrivKey::new(cipher, auth, &key(cipher.key_length()), &any).unwrap();
    let user = User::new(any, b"u").unwrap().with_keys(Some(auth_key), Some(priv_key)).unwrap();
    let engine_id = vec![0x80; lengths.engine_id];
    let salts = Salts::new(0);
    let number = if lengths.wide { 0x7fff_ffff } else { 0 };
    let header = V3Header {
        message_id: if lengths.wide { i32::MAX } else { 0 },
        max_size: if lengths.wide { 65_507 } else { 484 },
        reportable: true,
        security: V3Security::Usm(UsmSecurity {
            engine_id: &engine_id,
            moment: EngineMoment::new(number, number).unwrap(),
            user_name: &vec![b'u'; lengths.user],
            protection: Protection::new(&user, level).unwrap(),
            salts: &salts,
        }),
        context_engine_id: &engine_id,
        context_name: &vec![b'c'; lengths.context],
    };
    let header = Header::V3(&header);
    let envelope = Envelope { header, kind: PduKind::Get, request_id: lengths.request_id, compression: None };
    // The announced size is the written size.
    let pdu = Pdu::new(PduKind::Get, lengths.request_id, vec![]);
    let mut buf = Vec::new();
    assert_eq!(header.encode(&pdu, 65_507, &mut buf).unwrap().len(), header_size(envelope) + 2);
    header_size(envelope)
}

/// Section IV.E.
const PRAS: std::ops::RangeInclusive<usize> = 42..=143;

#[test]
fn versions_1_and_2c_have_the_papers_sizes() {
    for (request_id, expected) in [(1, 24), (0x1234, 25), (i32::MAX, 27)] {
        let envelope = Envelope::community(Version::V2c, b"public", PduKind::Get, request_id);
        assert_eq!(header_size(envelope), expected);
    }
}

#[test]
fn the_table_above() {
    let nothing = Lengths { engine_id: 0, user: 0, context: 0, wide: false, request_id: 0 };
    assert_eq!(size(&nothing, AuthProtocol::Md5, NoAuthNoPriv), 55);
    let little = Lengths { engine_id: 5, user: 1, ..nothing };
    assert_eq!(size(&little, AuthProtocol::Md5, NoAuthNoPriv), 66);
    let usual = Lengths { engine_id: 12, user: 8, wide: true, ..nothing };
    assert_eq!(size(&usual, AuthProtocol::Md5, AuthPriv), 119);
    let net_snmp = Lengths { engine_id: 17, user: 8, wide: true, request_id: i32::MAX, ..nothing };
    assert_eq!(size(&net_snmp, AuthProtocol::Sha1, AuthPriv), 133);
    assert_eq!(size(&net_snmp, AuthProtocol::Sha256, AuthPriv), 145);
    let most = Lengths { engine_id: 32, user: 32, context: 32, wide: true, request_id: i32::MAX };
    assert_eq!(size(&most, AuthProtocol::Sha512, AuthPriv), 258);
}

/// Every message of the protocols of 2005 with engine IDs as they are made (5 to 17 octets), user names up to 12
/// octets and the default context is within the paper's range.
#[test]
fn networks_of_2005_are_in_the_papers_range() {
    let mut seen = (usize::MAX, 0);
    for auth in [AuthProtocol::Md5, AuthProtocol::Sha1] {
        for level in [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv, SecurityLevel::AuthPriv] {
            for (engine_id, user) in
                (5..=17).flat_map(|engine_id| (1..=12).map(move |user| (engine_id, user)))
            {
                for (wide, request_id) in [(false, 0), (true, i32::MAX)] {
                    let lengths = Lengths { engine_id, user, context: 0, wide, request_id };
                    let octets = size(&lengths, auth, level);
                    assert!(PRAS.contains(&octets), "{octets} octets: {auth} {level} {engine_id} {user}");
                    seen = (seen.0.min(octets), seen.1.max(octets));
                }
            }
        }
    }
    assert_eq!(seen, (66, 137));
}
