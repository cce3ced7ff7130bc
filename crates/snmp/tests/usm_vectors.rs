//! Known answers of the User-based Security Model: RFC 3414's, those of other implementations, and whole
//! messages of Net-SNMP, which are opened, and made again octet for octet.
#![allow(missing_docs, clippy::expect_used)]

use trunkline_snmp::usm::{
    AuthKey, AuthProtocol, EngineId, EngineMoment, LocalKey, MasterKey, PrivKey, PrivProtocol,
};

const KEYS: &str = include_str!("vectors/usm-keys.txt");
const MESSAGES: &str = include_str!("vectors/usm-messages.txt");
const NET_SNMP: &str = include_str!("vectors/usm-net-snmp.txt");

/// The engine of RFC 3414 section A.3.
const RFC_ENGINE: &str = "00 00 00 00 00 00 00 00 00 00 00 02";
const NET_SNMP_ENGINE: &str = "80001f8804746573742d656e67696e65";

/// The lines of a file, split into words.
fn lines(file: &str) -> impl Iterator<Item = Vec<&str>> {
    file.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split(' ').collect())
}

fn hex(text: &str) -> Vec<u8> {
    let octet = |pair| u8::from_str_radix(pair, 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(|at| octet(&text[at..at + 2])).collect()
}

fn number<N: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> N {
    text.parse().expect("a number")
}

fn engine(text: &str) -> EngineId {
    text.parse().expect("an engine ID")
}

fn master(hash: &str, password: &str) -> MasterKey {
    let hash: AuthProtocol = hash.parse().expect("a hash");
    MasterKey::from_password(hash, password.as_bytes()).expect("long enough")
}

/// The key of `password` at the engine, for a cipher or (`auth`) for authentication.
fn key(hash: &str, cipher: &str, password: &str, engine_id: &EngineId) -> LocalKey {
    match cipher {
        "auth" => master(hash, password).localize(engine_id),
        _ => master(hash, password).localize_for_privacy(cipher.parse().expect("a cipher"), engine_id),
    }
}

#[test]
fn keys_match_those_of_other_implementations() {
    let engine_id = engine(RFC_ENGINE);
    let mut seen = 0;
    for line in lines(KEYS) {
        let found = match line[..] {
            ["Ku", hash, _] => master(hash, "maplesyrup").as_bytes().to_vec(),
            ["Kul", hash, _] => key(hash, "auth", "maplesyrup", &engine_id).as_bytes().to_vec(),
            ["privacy", hash, cipher, _] => key(hash, cipher, "maplesyrup", &engine_id).as_bytes().to_vec(),
            ["change", ..] => continue,
            _ => panic!("no such line: {line:?}"),
        };
        assert_eq!(found, hex(line[line.len() - 1]), "{line:?}");
        seen += 1;
    }
    assert_eq!(seen, 6 + 6 + 36);
}

#[test]
fn key_changes_are_those_of_rfc_3414_in_both_directions() {
    let engine_id = engine(RFC_ENGINE);
    let mut seen = 0;
    for line in lines(KEYS).filter(|line| line[0] == "change") {
        let [_, hash, cipher, random, new, change] = line[..] else { panic!("no such line: {line:?}") };
        let protocol = hash.parse().expect("a hash");
        let (old, wanted) = (key(hash, cipher, "maplesyrup", &engine_id), hex(new));
        assert_eq!(key(hash, cipher, "newsyrup", &engine_id).as_bytes(), wanted, "{line:?}");
        let made = old.key_change(protocol, &LocalKey::from_bytes(&wanted), &hex(random));
        assert_eq!(made.expect("lengths fit"), hex(change), "{line:?}");
        let changed = old.changed(protocol, &hex(change)).expect("lengths fit");
        assert_eq!(changed.as_bytes(), wanted, "{line:?}");
        seen += 1;
    }
    assert_eq!(seen, 11);
}

#[test]
fn ciphertexts_are_those_of_pycryptodome() {
    let engine_id = engine(RFC_ENGINE);
    let mut seen = 0;
    for line in lines(MESSAGES).filter(|line| line[0] == "cipher") {
        let [_, hash, cipher, boots, time, counter, salt, plain, encrypted] = line[..] else {
            panic!("no such line: {line:?}")
        };
        let protocol: PrivProtocol = cipher.parse().expect("a cipher");
        let local = master(hash, "maplesyrup").localize(&engine_id);
        let key = PrivKey::new(protocol, hash.parse().expect("a hash"), &local, &engine_id).expect("fits");
        let moment = EngineMoment::new(number(boots), number(time)).expect("in range");
        assert_eq!(key.salt(moment.boots, number(counter)).to_vec(), hex(salt), "{line:?}");
        let salt = key.salt(moment.boots, number(counter));
        let mut octets = hex(plain);
        assert_eq!(key.padding(octets.len()), 0, "the file's plaintexts are padded");
        key.encrypt(moment, salt, &mut octets).expect("whole blocks");
        assert_eq!(octets, hex(encrypted), "{line:?}");
        key.decrypt(moment, &salt, &mut octets).expect("whole blocks");
        assert_eq!(octets, hex(plain), "{line:?}");
        seen += 1;
    }
    assert_eq!(seen, 36);
}

#[test]
fn digests_are_those_of_hashlib() {
    let engine_id = engine(RFC_ENGINE);
    let mut seen = 0;
    for line in lines(MESSAGES).filter(|line| line[0] == "mac") {
        let [_, hash, length, start, code] = line[..] else { panic!("no such line: {line:?}") };
        let protocol: AuthProtocol = hash.parse().expect("a hash");
        let key = AuthKey::new(protocol, key(hash, "auth", "maplesyrup", &engine_id)).expect("fits");
        let mut message: Vec<u8> = (0..number(length)).map(|at: usize| at as u8).collect();
        let field = number(start)..number::<usize>(start) + protocol.mac_length();
        key.sign(&mut message, field.clone()).expect("a field of this protocol");
        assert_eq!(message[field.clone()], hex(code), "{line:?}");
        assert_eq!(key.verify(&message, field), Ok(()), "{line:?}");
        seen += 1;
    }
    assert_eq!(seen, 18);
}

#[test]
fn messages_of_net_snmp_are_authentic_and_opened() {
    let engine_id = engine(NET_SNMP_ENGINE);
    let mut pairs = std::collections::BTreeSet::new();
    for line in lines(NET_SNMP) {
        let [hash, cipher, boots, time, code, salt, scoped, message] = line[..] else {
            panic!("no such line: {line:?}")
        };
        let (protocol, privacy): (AuthProtocol, PrivProtocol) =
            (hash.parse().expect("a hash"), cipher.parse().expect("a cipher"));
        let local = master(hash, "maplesyrup").localize(&engine_id);
        let privacy = PrivKey::new(privacy, protocol, &local, &engine_id).expect("fits");
        let auth = AuthKey::new(protocol, local).expect("fits");
        let sent = hex(message);
        let (code, salt, scoped): (usize, usize, usize) = (number(code), number(salt), number(scoped));
        let field = code..code + protocol.mac_length();
        let salt = <[u8; 8]>::try_from(&sent[salt..salt + 8]).expect("8 octets");
        let moment = EngineMoment::new(number(boots), number(time)).expect("in range");

        assert_eq!(auth.verify(&sent, field.clone()), Ok(()), "{line:?}");
        let mut opened = sent.clone();
        privacy.decrypt(moment, &salt, &mut opened[scoped..]).expect("whole blocks");
        check_scoped_pdu(&opened[scoped..], &engine_id);

        // And back: the same octets.
        let mut made = opened;
        made[field.clone()].fill(0x5a);
        privacy.encrypt(moment, salt, &mut made[scoped..]).expect("whole blocks");
        auth.sign(&mut made, field).expect("a field of this protocol");
        assert_eq!(made, sent, "{line:?}");
        pairs.insert((hash, cipher));
    }
    assert_eq!(pairs.len(), AuthProtocol::ALL.len() * PrivProtocol::ALL.len());
}

/// SEQUENCE { contextEngineID, contextName "", a Get or Response with sysLocation.0 and `here` }, padded.
fn check_scoped_pdu(octets: &[u8], engine_id: &EngineId) {
    let id = engine_id.as_bytes();
    assert_eq!((octets[0], octets[2], usize::from(octets[3])), (0x30, 0x04, id.len()));
    assert!(octets.len() - 2 - usize::from(octets[1]) < 8, "no more than padding behind");
    let (context, rest) = octets[4..].split_at(id.len());
    assert_eq!(context, id);
    assert_eq!(rest[..2], [0x04, 0x00]);
    let ending: &[u8] = match rest[2] {
        0xa0 => &[0x2b, 6, 1, 2, 1, 1, 6, 0, 0x05, 0x00],
        0xa2 => b"\x2b\x06\x01\x02\x01\x01\x06\x00\x04\x04here",
        other => panic!("{other:02x} is neither a Get nor a Response"),
    };
    assert!(octets[..2 + usize::from(octets[1])].ends_with(ending));
}
