//! What the User-based Security Model takes and refuses: names, keys, widths, users, moments.
#![allow(missing_docs, clippy::expect_used)]

use std::time::{Duration, Instant};

use trunkline_smi::Oid;
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::{
    AuthKey, AuthProtocol, AuthenticationError, Credentials, CredentialsError, EngineBoots, EngineClock,
    EngineId, EngineIdError, EngineMoment, KeyChangeError, KeyError, LocalKey, MasterKey, NotInTimeWindow,
    PrivKey, PrivProtocol, PrivacyError, RemoteEngine, RemoteEngines, RowStatus, StorageType, User,
    UserError, UserTable,
};

const LAST: u32 = 0x7fff_ffff;

fn engine(text: &str) -> EngineId {
    text.parse().expect("an engine ID")
}

fn moment(boots: u32, time: u32) -> EngineMoment {
    EngineMoment::new(boots, time).expect("in range")
}

fn auth_key(protocol: AuthProtocol) -> AuthKey {
    AuthKey::new(protocol, LocalKey::from_bytes(&vec![7; protocol.key_length()]))
        .expect("as long as it must be")
}

fn priv_key(protocol: PrivProtocol) -> PrivKey {
    let key = LocalKey::from_bytes(&vec![9; protocol.key_length()]);
    PrivKey::new(protocol, AuthProtocol::Sha256, &key, &engine("8000000001")).expect("as long as it must be")
}

#[test]
fn protocols_are_known_by_names_and_numbers() {
    for protocol in AuthProtocol::ALL {
        assert_eq!(protocol.name().parse(), Ok(protocol));
        assert_eq!(protocol.to_string().to_lowercase().replace('-', "").parse(), Ok(protocol));
        assert_eq!(AuthProtocol::from_oid(&protocol.oid()), Some(protocol));
    }
    for protocol in PrivProtocol::ALL {
        assert_eq!(protocol.name().parse(), Ok(protocol));
        assert_eq!(protocol.to_string().to_lowercase().replace('-', "").parse(), Ok(protocol));
        assert_eq!(PrivProtocol::from_oid(&protocol.oid()), Some(protocol));
    }
    assert_eq!("sha-1".parse(), Ok(AuthProtocol::Sha1));
    assert_eq!("aes-128".parse(), Ok(PrivProtocol::Aes128));
    // RFC 7860 section 9: usmHMAC192SHA256AuthProtocol; RFC 3826: usmAesCfb128Protocol.
    assert_eq!(AuthProtocol::Sha256.oid(), Oid::from([1, 3, 6, 1, 6, 3, 10, 1, 1, 5]));
    assert_eq!(PrivProtocol::Aes128.oid(), Oid::from([1, 3, 6, 1, 6, 3, 10, 1, 2, 4]));
    assert_eq!(AuthProtocol::from_oid(&AuthProtocol::none_oid()), None);
    assert_eq!(PrivProtocol::from_oid(&PrivProtocol::none_oid()), None);
    let error = "sha3".parse::<AuthProtocol>().expect_err("none of ours");
    assert_eq!(
        error.to_string(),
        "\"sha3\" is not a protocol for authentication: expected one of MD5, SHA, SHA-224, SHA-256, SHA-384, SHA-512"
    );
    assert!("3DES".parse::<PrivProtocol>().is_err());
}

#[test]
fn engine_ids_have_5_to_32_octets_and_are_not_void() {
    for length in [0, 4, 33] {
        assert_eq!(EngineId::new(&vec![1; length]), Err(EngineIdError::Length { found: length }));
    }
    for octet in [0x00, 0xff] {
        assert_eq!(EngineId::new(&[octet; 12]), Err(EngineIdError::Void { found: octet }));
    }
    for length in [5, 32] {
        let octets: Vec<u8> = (0..length).collect();
        let engine_id = EngineId::new(&octets).expect("a length that may be");
        assert_eq!(engine_id.as_bytes(), octets);
        assert_eq!(engine_id.to_string().parse(), Ok(engine_id));
    }
    assert_eq!(engine("0x80001F8804").as_bytes(), [0x80, 0x00, 0x1f, 0x88, 0x04]);
    assert_eq!(engine("80:00 1f:88 04").to_string(), "0x80001f8804");
    for text in ["0x80001f880", "80001f88zz", "8 0001f8804", "0x0x80001f8804", "80001f88\u{664}4"] {
        assert_eq!(EngineId::from_hex(text), Err(EngineIdError::NotHexadecimal), "{text}");
    }
    assert_eq!(EngineId::LOCAL, engine("8000000006"));
    assert_eq!(EngineId::generate(8072, [0xab; 12]), engine("80001f8805abababababababababababab"));
}

#[test]
fn passwords_have_8_octets_or_more_and_are_never_shown() {
    let short = MasterKey::from_password(AuthProtocol::Sha256, b"1234567").expect_err("too short");
    assert_eq!(short, KeyError::PasswordTooShort { found: 7 });
    assert_eq!(short.to_string(), "expected a password of at least 8 octets, found 7");
    let key = MasterKey::from_password(AuthProtocol::Sha1, b"12345678").expect("long enough");
    // Longer than all that is hashed of it.
    let long = vec![b'x'; 1_100_000];
    let longer = [&long[..], b"y"].concat();
    let of = |password: &[u8]| MasterKey::from_password(AuthProtocol::Sha1, password).expect("long enough");
    assert_eq!(of(&long).as_bytes(), of(&longer).as_bytes());
    assert_ne!(of(&long).as_bytes(), key.as_bytes());

    let engine_id = engine("8000000001");
    let local = key.localize(&engine_id);
    let auth = AuthKey::new(AuthProtocol::Sha1, local.clone()).expect("fits");
    let privacy = PrivKey::new(PrivProtocol::Des, AuthProtocol::Sha1, &local, &engine_id).expect("fits");
    let credentials = Credentials::new(b"ann", Some(key.clone()), Some((PrivProtocol::Des, key.clone())));
    let user = User::new(engine_id, b"ann").expect("a name");
    let user = user.with_keys(Some(auth.clone()), Some(privacy.clone())).expect("both");
    let said = format!("{key:?} {local:?} {auth:?} {privacy:?} {credentials:?} {user:?}");
    let secrets = [key.as_bytes(), local.as_bytes()];
    for secret in secrets.map(|octets| octets.to_vec()) {
        let decimal = format!("{}, {}, {}", secret[0], secret[1], secret[2]);
        assert!(!said.contains(&decimal) && !said.contains(&LocalKey::from_bytes(&secret).to_hex()[2..10]));
    }
}

#[test]
fn keys_have_their_protocols_length() {
    for protocol in AuthProtocol::ALL {
        for wrong in [0, protocol.key_length() - 1, protocol.key_length() + 1] {
            let error =
                AuthKey::new(protocol, LocalKey::from_bytes(&vec![1; wrong])).expect_err("wrong length");
            let expected = protocol.key_length();
            assert_eq!(error, KeyError::Length { protocol: protocol.name(), expected, found: wrong });
        }
        assert!(MasterKey::from_bytes(protocol, &[1; 15]).is_err());
    }
    let engine_id = engine("8000000001");
    for protocol in PrivProtocol::ALL {
        for wrong in [0, 8, protocol.key_length() - 1, protocol.key_length() + 1, 64] {
            let local = LocalKey::from_bytes(&vec![1; wrong]);
            let error =
                PrivKey::new(protocol, AuthProtocol::Sha1, &local, &engine_id).expect_err("wrong length");
            let expected = protocol.key_length();
            assert_eq!(error, KeyError::Length { protocol: protocol.name(), expected, found: wrong });
        }
        // The hash's key is truncated or extended; an extended one is used as it is.
        let local = LocalKey::from_bytes(&[1; 20]);
        let key = PrivKey::new(protocol, AuthProtocol::Sha1, &local, &engine_id).expect("the hash's length");
        let again = PrivKey::new(protocol, AuthProtocol::Sha1, key.local_key(), &engine_id).expect("its own");
        assert_eq!(key.local_key().as_bytes(), again.local_key().as_bytes());
        assert_eq!(key.protocol(), protocol);
    }
    let key = LocalKey::from_bytes(&[0x00, 0x9f, 0xff]);
    assert_eq!(*key.to_hex(), "0x009fff");
    assert_eq!(LocalKey::from_hex(&key.to_hex()).expect("digits").as_bytes(), key.as_bytes());
    assert_eq!(LocalKey::from_hex("0x9").map(|_| ()), Err(KeyError::NotHexadecimal));
}

#[test]
fn a_digest_of_another_width_is_refused_before_any_comparison() {
    for protocol in AuthProtocol::ALL {
        let (key, expected) = (auth_key(protocol), protocol.mac_length());
        let mut message = vec![0x30; 200];
        key.sign(&mut message, 50..50 + expected).expect("its width");
        assert_eq!(key.verify(&message, 50..50 + expected), Ok(()));
        // CVE-2008-0960: a code of one octet is right once in 256 times.
        for found in [0, 1, 11, expected - 1, expected + 1, 64] {
            let error = AuthenticationError::Width { protocol, expected, found };
            assert_eq!(key.verify(&message, 50..50 + found), Err(error.clone()), "{protocol}");
            assert_eq!(key.sign(&mut message, 50..50 + found), Err(error));
        }
        let error = AuthenticationError::Outside { end: 201, length: 200 };
        assert_eq!(key.verify(&message, 201 - expected..201), Err(error));
        let error = AuthenticationError::Outside { end: 10, length: 200 };
        #[expect(clippy::reversed_empty_ranges, reason = "a caller's mistake")]
        let reversed = 60..10;
        assert_eq!(key.verify(&message, reversed), Err(error));
        for octet in [0, 49, 50, 50 + expected - 1, 50 + expected, 199] {
            message[octet] ^= 0x80;
            assert_eq!(key.verify(&message, 50..50 + expected), Err(AuthenticationError::Digest));
            message[octet] ^= 0x80;
        }
        assert_eq!(key.verify(&message, 50..50 + expected), Ok(()));
    }
}

#[test]
fn another_protocol_of_the_same_width_gives_another_digest() {
    let mut message = vec![1; 100];
    let key = |protocol| AuthKey::new(protocol, LocalKey::from_bytes(&[7; 32][..protocol.key_length()]));
    auth_key(AuthProtocol::Md5).sign(&mut message, 20..32).expect("12 octets");
    let sha1 = key(AuthProtocol::Sha1).expect("fits");
    assert_eq!(sha1.verify(&message, 20..32), Err(AuthenticationError::Digest));
}

#[test]
fn salts_and_blocks_that_do_not_fit_are_refused() {
    for protocol in PrivProtocol::ALL {
        let key = priv_key(protocol);
        for found in [0, 7, 9, 16] {
            let error = PrivacyError::Salt { found };
            assert_eq!(key.decrypt(moment(1, 1), &vec![0; found], &mut [0; 16]), Err(error));
        }
        assert_eq!(key.encrypt(moment(1, 1), [0; 8], &mut []), Ok(()));
        for length in 0..20 {
            let padding = key.padding(length);
            assert!(padding < 8);
            let mut octets = vec![0; length + padding];
            assert_eq!(key.encrypt(moment(1, 1), [0; 8], &mut octets), Ok(()), "{protocol} {length}");
            if protocol != PrivProtocol::Des {
                assert_eq!(padding, 0);
            } else if length % 8 != 0 {
                let error = Err(PrivacyError::Blocks { found: length });
                assert_eq!(key.encrypt(moment(1, 1), [0; 8], &mut vec![0; length]), error);
                assert_eq!(key.decrypt(moment(1, 1), &[0; 8], &mut vec![0; length]), error);
            }
        }
    }
}

#[test]
fn one_salt_more_is_another_ciphertext_and_so_are_other_boots_and_for_aes_another_time() {
    let encrypted = |key: &PrivKey, at: EngineMoment, counter| {
        let mut octets = [0; 32];
        key.encrypt(at, key.salt(at.boots, counter), &mut octets).expect("whole blocks");
        octets
    };
    for protocol in PrivProtocol::ALL {
        let key = priv_key(protocol);
        let first = encrypted(&key, moment(1, 1), u64::MAX);
        assert_ne!(first, encrypted(&key, moment(1, 1), 0));
        assert_ne!(first, encrypted(&key, moment(2, 1), u64::MAX));
        let other_time = encrypted(&key, moment(1, 2), u64::MAX);
        assert_eq!(first == other_time, protocol == PrivProtocol::Des, "{protocol}");
    }
}

#[test]
fn key_changes_of_another_length_are_refused() {
    let key = |length| LocalKey::from_bytes(&vec![3; length]);
    let hash = AuthProtocol::Sha1;
    for found in [0, 20, 39, 41] {
        let error = key(20).changed(hash, &vec![0; found]).expect_err("wrong length");
        assert_eq!(error, KeyChangeError::Length { expected: 40, found });
    }
    let error = key(20).key_change(hash, &key(16), &[0; 20]).expect_err("wrong length");
    assert_eq!(error, KeyChangeError::NewKey { expected: 20, found: 16 });
    let error = key(20).key_change(hash, &key(20), &[0; 16]).expect_err("wrong length");
    assert_eq!(error, KeyChangeError::Random { expected: 20, found: 16 });
}

#[test]
fn changed_keys_are_ready_to_use() {
    for hash in AuthProtocol::ALL {
        let (old, new) = (auth_key(hash), LocalKey::from_bytes(&vec![4; hash.key_length()]));
        let change =
            old.local_key().key_change(hash, &new, &vec![5; hash.key_length()]).expect("lengths fit");
        let changed = old.changed(&change).expect("lengths fit");
        let mut message = [0; 100];
        let wanted = AuthKey::new(hash, new).expect("fits");
        wanted.sign(&mut message, 0..hash.mac_length()).expect("fits");
        assert_eq!(changed.verify(&message, 0..hash.mac_length()), Ok(()));
        assert!(old.verify(&message, 0..hash.mac_length()).is_err());
        assert!(old.changed(&change[1..]).is_err());
        for cipher in PrivProtocol::ALL {
            let (old, new) = (priv_key(cipher), LocalKey::from_bytes(&vec![6; cipher.key_length()]));
            let change =
                old.local_key().key_change(hash, &new, &vec![8; cipher.key_length()]).expect("lengths fit");
            let changed = old.changed(hash, &change).expect("lengths fit");
            assert_eq!((changed.protocol(), changed.local_key().as_bytes()), (cipher, new.as_bytes()));
            assert!(old.changed(hash, &change[1..]).is_err());
        }
    }
}

#[test]
fn users_have_names_and_no_privacy_without_authentication() {
    let here = engine("8000000001");
    for found in [0, 33] {
        let error = User::new(here, &vec![b'n'; found]).expect_err("no such name");
        assert_eq!(error, UserError::NameLength { found });
    }
    let ann = User::new(here, b"ann").expect("a name");
    assert_eq!(
        (ann.name(), ann.security_name(), ann.level()),
        (&b"ann"[..], &b"ann"[..], SecurityLevel::NoAuthNoPriv)
    );
    let error =
        ann.clone().with_keys(None, Some(priv_key(PrivProtocol::Aes128))).expect_err("no authentication");
    assert_eq!(error, UserError::PrivacyWithoutAuthentication);
    let error = ann.clone().with_security_name(&[b'n'; 256]).expect_err("too long");
    assert_eq!(error, UserError::SecurityNameLength { found: 256 });
    let ann = ann.with_keys(Some(auth_key(AuthProtocol::Sha256)), None).expect("authentication alone");
    assert_eq!(ann.level(), SecurityLevel::AuthNoPriv);
    let keys = (ann.auth().cloned(), Some(priv_key(PrivProtocol::Aes128)));
    let ann = ann.with_keys(keys.0, keys.1).expect("both").with_security_name(b"operator").expect("a name");
    assert_eq!((ann.level(), ann.security_name()), (SecurityLevel::AuthPriv, &b"operator"[..]));
    assert_eq!(ann.with_storage(StorageType::Permanent).storage, StorageType::Permanent);
    for number in 0..7 {
        assert_eq!(StorageType::from_number(number).is_some(), (1..=5).contains(&number));
    }
}

#[test]
fn the_table_finds_active_users_and_lists_in_the_order_of_rows() {
    let (short, long) = (engine("ff00000001"), engine("800000000102"));
    let user = |engine_id, name: &[u8]| User::new(engine_id, name).expect("a name");
    let mut table: UserTable =
        [user(long, b"a"), user(short, b"zz"), user(short, b"aaa"), user(short, b"b")].into_iter().collect();
    let names: Vec<&[u8]> = table.iter().map(|user| user.name()).collect();
    assert_eq!(names, [&b"b"[..], b"zz", b"aaa", b"a"], "the length comes first");
    assert_eq!(table.at_engine(&short).count(), 3);
    assert_eq!(table.at_engine(&engine("8000000009")).count(), 0);

    let before = table.clone();
    let mut sleeping = user(short, b"b");
    sleeping.status = RowStatus::NotInService;
    assert!(table.insert(sleeping).is_some_and(|old| old.is_active()));
    assert!(table.get(short.as_bytes(), b"b").is_none());
    assert!(table.row(short.as_bytes(), b"b").is_some());
    assert!(before.get(short.as_bytes(), b"b").is_some(), "a clone is a value of its own");
    assert!(table.get(long.as_bytes(), b"b").is_none());
    assert!(table.get(b"", b"").is_none());
    assert!(table.knows_engine(long.as_bytes()));
    assert!(table.remove(long.as_bytes(), b"a").is_some() && table.remove(long.as_bytes(), b"a").is_none());
    assert!(
        !table.knows_engine(long.as_bytes()) && !table.knows_engine(b"") && !table.knows_engine(&[0xff; 40])
    );
    assert_eq!((table.len(), table.is_empty(), UserTable::new().is_empty()), (3, false, true));
}

#[test]
fn credentials_become_a_user_at_each_engine() {
    let short: &[u8] = b"short";
    let made = |auth, privacy| Credentials::from_passwords(b"ann", auth, privacy);
    let error = made(Some((AuthProtocol::Md5, short)), None).expect_err("too short");
    assert_eq!(error, CredentialsError::Key(KeyError::PasswordTooShort { found: 5 }));
    let error = made(None, Some((PrivProtocol::Des, &b"long enough"[..]))).expect_err("privacy alone");
    assert_eq!(error, CredentialsError::User(UserError::PrivacyWithoutAuthentication));
    let error = Credentials::from_passwords(b"", None, None).expect_err("no name");
    assert_eq!(error, CredentialsError::User(UserError::NameLength { found: 0 }));
    let (md5, sha1) = (
        MasterKey::from_bytes(AuthProtocol::Md5, &[1; 16]),
        MasterKey::from_bytes(AuthProtocol::Sha1, &[1; 20]),
    );
    let privacy = Some((PrivProtocol::Des, sha1.expect("20 octets")));
    assert!(matches!(Credentials::new(b"ann", md5.ok(), privacy), Err(CredentialsError::Key(_))));

    let auth = Some((AuthProtocol::Sha1, &b"maplesyrup"[..]));
    let ann = made(auth, Some((PrivProtocol::Aes256, b"newsyrup"))).expect("good passwords");
    assert_eq!((ann.name(), ann.level()), (&b"ann"[..], SecurityLevel::AuthPriv));
    assert_eq!(
        (ann.auth_protocol(), ann.priv_protocol()),
        (Some(AuthProtocol::Sha1), Some(PrivProtocol::Aes256))
    );
    let here = engine("000000000000000000000002");
    let user = ann.localize(&here).expect("a user");
    let auth = user.auth().expect("a key").local_key();
    assert_eq!(*auth.to_hex(), "0x6695febc9288e36282235fc7151f128497b38f3f", "RFC 3414 section A.3.2");
    let privacy = user.privacy().expect("a key").local_key();
    assert!(privacy.to_hex().starts_with("0x78e2dcce79d59403b58c1bbaa5bff46391f1cd25"), "and section A.5.2");
    let there = ann.localize(&engine("000000000000000000000003")).expect("a user");
    assert_ne!(there.auth().expect("a key").local_key().as_bytes(), auth.as_bytes());
}

#[test]
fn an_authoritative_engine_takes_150_seconds_either_way_of_the_same_boot() {
    let check = |here: EngineMoment, message: EngineMoment, timely: bool| {
        let wanted = if timely { Ok(()) } else { Err(NotInTimeWindow { expected: here, found: message }) };
        assert_eq!(here.accept(message), wanted);
    };
    check(moment(5, 1000), moment(5, 1000), true);
    check(moment(5, 1000), moment(5, 850), true);
    check(moment(5, 1000), moment(5, 849), false);
    check(moment(5, 1000), moment(5, 1150), true);
    check(moment(5, 1000), moment(5, 1151), false);
    check(moment(5, 1000), moment(4, 1000), false);
    check(moment(5, 1000), moment(6, 1000), false);
    check(moment(5, 1000), moment(0, 0), false);
    check(moment(5, LAST), moment(5, LAST - 150), true);
    check(moment(5, LAST), moment(5, 0), false);
    check(moment(LAST - 1, 10), moment(LAST - 1, 10), true);
    // RFC 3414 section 2.2.1: at the end of boots nothing is timely.
    check(moment(LAST, 10), moment(LAST, 10), false);
    assert_eq!(EngineMoment::new(1 << 31, 0), None);
    assert_eq!(EngineMoment::new(0, 1 << 31), None);
    assert_eq!(EngineBoots::MAX.next(), EngineBoots::MAX);
    assert_eq!(EngineBoots::new(7).map(|boots| boots.next().get()), Some(8));
}

#[test]
fn a_clock_counts_seconds_and_carries_into_boots() {
    let start = Instant::now();
    let boots = EngineBoots::new(7).expect("in range");
    let clock = EngineClock::new(boots, start);
    let at = |elapsed| clock.moment(start + elapsed);
    assert_eq!(at(Duration::from_millis(1999)), moment(7, 1));
    assert_eq!(clock.moment(start - Duration::from_secs(1)), moment(7, 0), "a moment before is the start");
    assert_eq!(at(Duration::from_secs(u64::from(LAST))), moment(7, LAST));
    assert_eq!(at(Duration::from_secs(1 << 31)), moment(8, 0));
    assert_eq!(moment(LAST - 1, LAST).after(1), moment(LAST, 0));
    assert_eq!(moment(LAST, LAST).after(u64::MAX).boots, EngineBoots::MAX);
    assert_eq!((clock.boots(), clock.started()), (boots, start));
}

/// RFC 3414 section 3.2 step 7b, line by line.
#[test]
fn a_remote_clock_is_accepted_forwards_only() {
    let start = Instant::now();
    let after = |seconds| start + Duration::from_secs(seconds);
    let mut remote = RemoteEngine::unsynchronized(start);
    assert!(!remote.is_synchronized());
    assert_eq!(remote.receive(moment(3, 1000), start), Ok(()));
    assert!(remote.is_synchronized());
    assert_eq!(remote.moment(after(60)), moment(3, 1060), "our notion goes on by itself");

    // An older one, still within the window: taken, and the clock stays.
    assert_eq!(remote.receive(moment(3, 910), after(60)), Ok(()));
    assert_eq!(
        remote.receive(moment(3, 909), after(60)).map_err(|error| error.expected),
        Err(moment(3, 1060))
    );
    assert_eq!((remote.latest_received().get(), remote.updated()), (1000, start));

    // Later than the latest, but behind our notion: the clock is set back to it.
    assert_eq!(remote.receive(moment(3, 1001), after(500)), Ok(()));
    assert_eq!(remote.moment(after(500)), moment(3, 1001));
    // Far in the future: only its clock is known.
    assert_eq!(remote.receive(moment(3, 90_000), after(501)), Ok(()));
    assert_eq!(
        remote.receive(moment(3, 1002), after(501)).map_err(|error| error.found),
        Err(moment(3, 1002))
    );

    // A reboot: time restarts, and older messages are not timely.
    assert_eq!(remote.receive(moment(4, 0), after(600)), Ok(()));
    assert_eq!(remote.moment(after(601)), moment(4, 1));
    assert!(remote.receive(moment(3, 90_100), after(601)).is_err());
    assert_eq!(remote.moment(after(601)), moment(4, 1));

    // The end of boots: nothing is timely, including the message that reported it.
    assert!(remote.receive(moment(LAST, 5), after(700)).is_err());
    assert!(remote.receive(moment(LAST, 6), after(700)).is_err());
}

#[test]
fn the_number_of_remote_engines_is_limited() {
    let start = Instant::now();
    let after = |seconds| start + Duration::from_secs(seconds);
    let id = |number: u8| EngineId::new(&[0x80, 0, 0, 0, number]).expect("5 octets");
    let mut engines = RemoteEngines::new(3);
    assert!(engines.is_empty());
    for number in 1..=3 {
        assert_eq!(engines.receive(&id(number), moment(1, 100), after(u64::from(number))), Ok(()));
    }
    // The first one sends again: now the second has been silent for longest.
    assert_eq!(engines.receive(&id(1), moment(1, 110), after(10)), Ok(()));
    assert_eq!(engines.receive(&id(4), moment(1, 100), after(11)), Ok(()));
    let known = |engines: &RemoteEngines, number| engines.get(id(number).as_bytes()).is_some();
    assert_eq!([1, 2, 3, 4].map(|number| known(&engines, number)), [true, false, true, true]);
    assert_eq!(engines.len(), 3);
    assert!(engines.receive(&id(1), moment(0, 100), after(12)).is_err(), "a replay from before the boot");
    engines.forget(id(1).as_bytes());
    assert!(!known(&engines, 1));
    for number in 0..=255 {
        assert_eq!(RemoteEngines::new(0).receive(&id(number), moment(1, 1), start), Ok(()));
        let _ = engines.receive(&id(number), moment(1, 200), after(20 + u64::from(number)));
        assert!(engines.len() <= 3);
    }
}
