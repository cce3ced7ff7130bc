//! What must hold of any key, message and table of the User-based Security Model.
#![allow(missing_docs, clippy::expect_used)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit, Mac};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use trunkline_snmp::usm::{
    AuthKey, AuthProtocol, EngineId, EngineMoment, LocalKey, PrivKey, PrivProtocol, RemoteEngine,
    TIME_WINDOW, User, UserTable,
};

fn auth_protocol() -> impl Strategy<Value = AuthProtocol> {
    select(&AuthProtocol::ALL[..])
}

fn priv_protocol() -> impl Strategy<Value = PrivProtocol> {
    select(&PrivProtocol::ALL[..])
}

fn auth_key() -> impl Strategy<Value = AuthKey> {
    auth_protocol().prop_flat_map(|protocol| {
        vec(any::<u8>(), protocol.key_length()).prop_map(move |key| {
            AuthKey::new(protocol, LocalKey::from_bytes(&key)).expect("as long as it must be")
        })
    })
}

fn priv_key() -> impl Strategy<Value = PrivKey> {
    priv_protocol().prop_flat_map(|protocol| {
        vec(any::<u8>(), protocol.key_length()).prop_map(move |key| {
            PrivKey::new(protocol, AuthProtocol::Sha512, &LocalKey::from_bytes(&key), &EngineId::LOCAL)
                .expect("as long as it must be")
        })
    })
}

/// Moments close to each other and to both ends, where something happens.
fn moment() -> impl Strategy<Value = EngineMoment> {
    let last = 0x7fff_ffff_u32;
    let boots = prop_oneof![0..4u32, last - 2..=last];
    let time = prop_oneof![0..500u32, last - 500..=last];
    (boots, time).prop_map(|(boots, time)| EngineMoment::new(boots, time).expect("in range"))
}

fn engine_id() -> impl Strategy<Value = EngineId> {
    vec(1..4u8, 5..7).prop_map(|octets| EngineId::new(&octets).expect("5 or 6 octets"))
}

proptest! {
    #[test]
    fn a_signed_message_is_authentic_and_no_other_is(
        key in auth_key(),
        mut message in vec(any::<u8>(), 64..600),
        start: Index,
        changed: Index,
        bit in 0..8u32,
    ) {
        let width = key.protocol().mac_length();
        let start = start.index(message.len() - width + 1);
        let field = start..start + width;
        let before = message.clone();
        key.sign(&mut message, field.clone()).expect("a field of this protocol");
        prop_assert_eq!(&message[..start], &before[..start]);
        prop_assert_eq!(&message[field.end..], &before[field.end..]);
        prop_assert!(key.verify(&message, field.clone()).is_ok());
        // The previous contents of the field do not matter.
        let signed = message.clone();
        message[field.clone()].fill(0xa5);
        key.sign(&mut message, field.clone()).expect("a field of this protocol");
        prop_assert_eq!(&message, &signed);
        message[changed.index(signed.len())] ^= 1 << bit;
        prop_assert!(key.verify(&message, field).is_err());
    }

    /// The blocks that overlap the field are assembled correctly, wherever it is.
    #[test]
    fn the_digest_is_the_hmac_of_the_message_with_zeros_in_its_field(
        key in vec(any::<u8>(), 64),
        mut message in vec(any::<u8>(), 48..600),
        start: Index,
    ) {
        fn reference<M: KeyInit + Mac>(key: &LocalKey, message: &[u8]) -> Vec<u8> {
            let mut mac = <M as KeyInit>::new_from_slice(key.as_bytes()).expect("any length will do");
            mac.update(message);
            mac.finalize().into_bytes().to_vec()
        }
        for protocol in AuthProtocol::ALL {
            let local = LocalKey::from_bytes(&key[..protocol.key_length()]);
            let start = start.index(message.len() - protocol.mac_length() + 1);
            let field = start..start + protocol.mac_length();
            message[field.clone()].fill(0);
            let wanted = match protocol {
                AuthProtocol::Md5 => reference::<Hmac<md5::Md5>>(&local, &message),
                AuthProtocol::Sha1 => reference::<Hmac<sha1::Sha1>>(&local, &message),
                AuthProtocol::Sha224 => reference::<Hmac<sha2::Sha224>>(&local, &message),
                AuthProtocol::Sha256 => reference::<Hmac<sha2::Sha256>>(&local, &message),
                AuthProtocol::Sha384 => reference::<Hmac<sha2::Sha384>>(&local, &message),
                AuthProtocol::Sha512 => reference::<Hmac<sha2::Sha512>>(&local, &message),
            };
            let key = AuthKey::new(protocol, local).expect("as long as it must be");
            key.sign(&mut message, field.clone()).expect("a field of this protocol");
            prop_assert_eq!(&message[field.clone()], &wanted[..protocol.mac_length()]);
        }
    }

    #[test]
    fn encryption_round_trips(
        key in priv_key(),
        at in moment(),
        counter: u64,
        mut octets in vec(any::<u8>(), 0..600),
    ) {
        octets.resize(octets.len() + key.padding(octets.len()), 0);
        let (plain, salt) = (octets.clone(), key.salt(at.boots, counter));
        key.encrypt(at, salt, &mut octets).expect("whole blocks");
        prop_assert!(octets.len() < 8 || octets != plain);
        key.decrypt(at, &salt, &mut octets).expect("whole blocks");
        prop_assert_eq!(octets, plain);
    }

    /// Sealing is encrypting and then signing, whatever the lengths before, in and after the field.
    #[test]
    fn a_sealed_message_is_encrypted_and_signed(
        auth in auth_key(),
        privacy in priv_key(),
        moment in moment(),
        salt in any::<[u8; 8]>(),
        before in vec(any::<u8>(), 0..200),
        between in vec(any::<u8>(), 0..200),
        scoped in vec(any::<u8>(), 0..600),
    ) {
        let width = auth.protocol().mac_length();
        let field = before.len()..before.len() + width;
        let start = field.end + between.len();
        let padding = vec![0; privacy.padding(scoped.len())];
        let clear = [&before[..], &vec![0; width], &between, &scoped, &padding].concat();
        let (mut sealed, mut expected) = (clear.clone(), clear);
        let scoped = start..sealed.len();
        privacy.encrypt(moment, salt, &mut expected[scoped.clone()]).unwrap();
        auth.sign(&mut expected, field.clone()).unwrap();
        auth.seal(&mut sealed, field.clone(), &privacy, moment, salt, scoped.clone()).unwrap();
        prop_assert_eq!(&sealed, &expected);

        // What cannot be is refused, and nothing is encrypted.
        let unchanged = sealed.clone();
        let mut refused = |field, scoped| auth.seal(&mut sealed, field, &privacy, moment, salt, scoped).is_err();
        prop_assert!(refused(field.start..field.end + 1, scoped.clone()));
        prop_assert!(refused(field.clone(), scoped.start..scoped.end + 1));
        prop_assert!(refused(field.clone(), field.end - 1..scoped.end));
        prop_assert_eq!(sealed, unchanged);
    }

    #[test]
    fn a_key_change_leads_to_the_new_key_from_the_old_one_alone(
        hash in auth_protocol(),
        (old, new, random, other) in (16..65usize).prop_flat_map(|length| {
            let octets = || vec(any::<u8>(), length);
            (octets(), octets(), octets(), octets())
        }),
    ) {
        let key = |octets: &[u8]| LocalKey::from_bytes(octets);
        let change = key(&old).key_change(hash, &key(&new), &random).expect("lengths fit");
        prop_assert_eq!(&change[..random.len()], &random[..]);
        let changed =
            |from: &[u8]| key(from).changed(hash, &change).expect("lengths fit").as_bytes().to_vec();
        prop_assert_eq!(changed(&old), &new[..]);
        prop_assume!(other != old);
        prop_assert_ne!(changed(&other), &new[..]);
    }

    #[test]
    fn hexadecimal_is_read_as_it_is_written(octets in vec(any::<u8>(), 5..33)) {
        let key = LocalKey::from_bytes(&octets);
        let read = LocalKey::from_hex(&key.to_hex()).expect("digits");
        prop_assert_eq!(read.as_bytes(), &octets[..]);
        if let Ok(engine_id) = EngineId::new(&octets) {
            prop_assert_eq!(EngineId::from_hex(&engine_id.to_string()), Ok(engine_id));
        }
    }

    #[test]
    fn the_table_is_a_map_in_the_order_of_rows(
        steps in vec((any::<bool>(), engine_id(), vec(1..4u8, 1..4)), 0..60),
    ) {
        let mut table = UserTable::new();
        let mut model = BTreeMap::new();
        for (put, engine_id, name) in steps {
            let id = engine_id.as_bytes().to_vec();
            let row = (id.len(), id.clone(), name.len(), name.clone());
            let (was, had) = if put {
                let user = User::new(engine_id, &name).expect("a name");
                (table.insert(user).is_some(), model.insert(row, ()).is_some())
            } else {
                (table.remove(&id, &name).is_some(), model.remove(&row).is_some())
            };
            prop_assert_eq!(was, had);
            prop_assert_eq!(table.get(&id, &name).is_some(), put);
            prop_assert_eq!(table.knows_engine(&id), model.keys().any(|row| row.1 == id));
            prop_assert_eq!(table.at_engine(&engine_id).count(), model.keys().filter(|row| row.1 == id).count());
        }
        let rows = table.iter().map(|user| (user.engine_id().as_bytes().to_vec(), user.name().to_vec()));
        let wanted = model.into_keys().map(|(_, id, _, name)| (id, name));
        prop_assert!(rows.eq(wanted));
    }

    #[test]
    fn an_engine_is_timely_to_itself_and_to_nobody_after_a_boot(at in moment(), seconds in 0..400u64) {
        let later = at.after(seconds);
        let timely = seconds <= u64::from(TIME_WINDOW) && at.boots == later.boots && at.boots.get() < 0x7fff_ffff;
        prop_assert_eq!(later.accept(at).is_ok(), timely);
        prop_assert_eq!(at.accept(later).is_ok(), timely);
        prop_assert_eq!(at.after(seconds).after(7), at.after(seconds + 7));
    }

    /// In whatever order messages arrive: the notion of a clock is never behind what was received, and nothing is
    /// accepted that is more than 150 s behind it.
    #[test]
    fn a_remote_clock_is_never_turned_back(messages in vec((moment(), 0..100u64), 1..30)) {
        let mut now = Instant::now();
        let mut remote = RemoteEngine::unsynchronized(now);
        let mut said = EngineMoment::default();
        for (message, seconds) in messages {
            now += Duration::from_secs(seconds);
            let timely = remote.receive(message, now).is_ok();
            said = said.max(message);
            let notion = remote.moment(now);
            // At the end of boots time goes round, and nothing is timely any more.
            if notion.boots.get() == 0x7fff_ffff {
                prop_assert!(!timely);
                continue;
            }
            prop_assert!(notion >= said, "{notion:?} {said:?}");
            let earliest = notion.time.get().saturating_sub(TIME_WINDOW);
            prop_assert_eq!(timely, message.boots == notion.boots && message.time.get() >= earliest);
        }
    }
}
