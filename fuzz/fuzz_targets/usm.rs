//! Keys, digests and ciphertexts as strangers may send them: octets as a protected message, as a key change and as
//! a number that people type.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_snmp::usm::{AuthKey, AuthProtocol, EngineId, EngineMoment, LocalKey, PrivKey, PrivProtocol};

fuzz_target!(|octets: &[u8]| {
    let Some((&[choice, start, width, salt_width, boots, time], rest)) = octets.split_first_chunk() else {
        return;
    };
    let hash = AuthProtocol::ALL[usize::from(choice) % 6];
    let local = LocalKey::from_bytes(&vec![choice; hash.key_length()]);
    check_code(hash, &local, usize::from(start), usize::from(width), rest);
    let cipher = PrivProtocol::ALL[usize::from(choice) / 6 % 6];
    // Reeder's extension hashes a mebibyte: keys that do not need it are enough here.
    let key = LocalKey::from_bytes(&vec![choice; cipher.key_length()]);
    let key = PrivKey::new(cipher, hash, &key, &EngineId::LOCAL).expect("as long as it must be");
    // Values at both ends of the range: the sign bit is spread.
    let spread = |octet: u8| (octet as i8 as i32 as u32) & 0x7fff_ffff;
    let moment = EngineMoment::new(spread(boots), spread(time)).expect("in range");
    check_cipher(&key, moment, usize::from(salt_width), rest);
    check_key_change(hash, &local, rest);
    check_text(rest);
});

fn check_code(hash: AuthProtocol, local: &LocalKey, start: usize, width: usize, message: &[u8]) {
    let key = AuthKey::new(hash, local.clone()).expect("as long as it must be");
    let field = start..start + width;
    let mut signed = message.to_vec();
    let made = key.sign(&mut signed, field.clone());
    assert_eq!(made.is_ok(), width == hash.mac_length() && field.end <= message.len());
    if made.is_ok() {
        assert_eq!(key.verify(&signed, field.clone()), Ok(()));
        assert_eq!(key.verify(message, field).is_ok(), signed == message);
    } else {
        assert_eq!(signed, message);
        assert_eq!(key.verify(message, field), made);
    }
}

fn check_cipher(key: &PrivKey, moment: EngineMoment, salt_width: usize, rest: &[u8]) {
    let (salt, encrypted) = rest.split_at(salt_width.min(rest.len()));
    let mut octets = encrypted.to_vec();
    let opened = key.decrypt(moment, salt, &mut octets);
    assert_eq!(opened.is_ok(), salt.len() == 8 && key.padding(encrypted.len()) == 0);
    if let (Ok(()), Ok(salt)) = (opened, salt.try_into()) {
        key.encrypt(moment, salt, &mut octets).expect("whole blocks");
    }
    assert_eq!(octets, encrypted);
}

fn check_key_change(hash: AuthProtocol, old: &LocalKey, change: &[u8]) {
    let length = old.as_bytes().len();
    let fits = change.get(..2 * length).unwrap_or(change);
    match old.changed(hash, fits) {
        Ok(new) => assert_eq!(old.key_change(hash, &new, &fits[..length]).as_deref(), Ok(fits)),
        Err(_) => assert!(change.len() < 2 * length),
    }
}

fn check_text(octets: &[u8]) {
    if let Ok(engine_id) = EngineId::new(octets) {
        assert_eq!(EngineId::from_hex(&engine_id.to_string()), Ok(engine_id));
    }
    let Ok(text) = std::str::from_utf8(octets) else { return };
    if let Ok(key) = LocalKey::from_hex(text) {
        assert_eq!(LocalKey::from_hex(&key.to_hex()).expect("digits").as_bytes(), key.as_bytes());
        assert!(key.as_bytes().len() <= text.len() / 2);
    }
    let _ = (text.parse::<AuthProtocol>(), text.parse::<PrivProtocol>());
}
