//! Messages of SNMPv3: what is encoded is read back equal, at every level and with every protocol; the writer
//! keeps any limit exactly; noise is an error and never more.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::common;

use std::sync::LazyLock;

use common::{number31, number32, pdu_of_version_3, usm_parameters, v3_message};
use proptest::collection::vec;
use proptest::prelude::*;
use trunkline_smi::OidList;
use trunkline_snmp::SecurityLevel::{self, AuthNoPriv, AuthPriv, NoAuthNoPriv};
use trunkline_snmp::usm::{
    AuthKey, AuthProtocol, EngineId, EngineMoment, LocalKey, PrivKey, PrivProtocol, User,
};
use trunkline_snmp::wire::{
    Bound, Envelope, Header, MsgData, MsgFlags, Pdu, Protection, ResponseWriter, Salts, ScopedPdu,
    ScopedPduData, ScopedPduRef, USM, UsmParameters, UsmSecurity, V3Header, V3Message, V3MessageRef,
    V3Security, frame_length,
};

const ENGINE: &[u8] = b"\x80\x00\x1f\x88\x05engine";
const AUTH: [AuthProtocol; 6] = [
    AuthProtocol::Md5,
    AuthProtocol::Sha1,
    AuthProtocol::Sha224,
    AuthProtocol::Sha256,
    AuthProtocol::Sha384,
    AuthProtocol::Sha512,
];
const PRIV: [PrivProtocol; 6] = [
    PrivProtocol::Des,
    PrivProtocol::Aes128,
    PrivProtocol::Aes192,
    PrivProtocol::Aes256,
    PrivProtocol::Aes192C,
    PrivProtocol::Aes256C,
];

/// A user for each pair of protocols, with keys of counting octets.
static USERS: LazyLock<Vec<User>> = LazyLock::new(|| {
    let engine = EngineId::new(ENGINE).unwrap();
    let pairs = AUTH.into_iter().flat_map(|auth| PRIV.into_iter().map(move |privacy| (auth, privacy)));
    let user = |(auth, privacy): (AuthProtocol, PrivProtocol)| {
        let key = |length: usize| LocalKey::from_bytes(&(0..length as u8).collect::<Vec<u8>>());
        let auth_key = AuthKey::new(auth, key(auth.key_length())).unwrap();
        let priv_key = PrivKey::new(privacy, auth, &key(privacy.key_length()), &engine).unwrap();
        User::new(engine, b"user").unwrap().with_keys(Some(auth_key), Some(priv_key)).unwrap()
    };
    pairs.map(user).collect()
});

fn any_user() -> impl Strategy<Value = &'static User> {
    any::<prop::sample::Index>().prop_map(|index| index.get(&USERS[..]))
}

fn level() -> impl Strategy<Value = SecurityLevel> {
    prop_oneof![Just(NoAuthNoPriv), Just(AuthNoPriv), Just(AuthPriv)]
}

/// What a message says around its PDU, owned.
#[derive(Clone, Debug)]
struct Around {
    message_id: i32,
    max_size: usize,
    reportable: bool,
    parameters: UsmParameters,
    user: &'static User,
    level: SecurityLevel,
    contexts: (Vec<u8>, Vec<u8>),
}

impl Around {
    fn header<'a>(&'a self, salts: &'a Salts) -> V3Header<'a> {
        V3Header {
            message_id: self.message_id,
            max_size: self.max_size,
            reportable: self.reportable,
            security: V3Security::Usm(UsmSecurity {
                engine_id: &self.parameters.engine_id,
                moment: self.parameters.moment,
                user_name: &self.parameters.user_name,
                protection: Protection::new(self.user, self.level).unwrap(),
                salts,
            }),
            context_engine_id: &self.contexts.0,
            context_name: &self.contexts.1,
        }
    }

    fn encode(&self, pdu: &Pdu, max_size: usize) -> Option<Vec<u8>> {
        let salts = Salts::new(99);
        let mut buf = vec![0xee; 64]; // what lies in the buffer does not matter
        let range = Header::V3(&self.header(&salts)).encode(pdu, max_size, &mut buf)?;
        Some(buf[range].to_vec())
    }
}

fn around() -> impl Strategy<Value = Around> {
    let contexts =
        (vec(any::<u8>(), 0..40), prop_oneof![vec(any::<u8>(), 0..20), vec(any::<u8>(), 120..140)]);
    (number31(), number31(), any::<bool>(), usm_parameters(), any_user(), level(), contexts).prop_map(
        |(message_id, max_size, reportable, parameters, user, level, contexts)| Around {
            message_id: message_id as i32,
            max_size: max_size.max(484) as usize,
            reportable,
            parameters,
            user,
            level,
            contexts,
        },
    )
}

fn write_bindings(writer: &mut ResponseWriter<'_>, pdu: &Pdu) -> usize {
    let fits = |binding: &&trunkline_snmp::wire::VarBind| match &binding.value {
        Bound::Unspecified => writer.unspecified(&binding.name),
        Bound::Exception(exception) => writer.exception(&binding.name, *exception),
        Bound::Value(value) => writer.value_at(&binding.name, value.as_value_ref()),
    };
    pdu.bindings.iter().take_while(fits).count()
}

proptest! {
    #[test]
    fn messages(message in v3_message()) {
        let octets = message.encode();
        prop_assert_eq!(&V3Message::decode(&octets).unwrap(), &message);
        prop_assert_eq!(frame_length(&octets), Ok(Some(octets.len())));
        let borrowed = V3MessageRef::decode(&octets).unwrap();
        prop_assert_eq!(borrowed.security_parameters(), &message.security_parameters[..]);
        let parameters = borrowed.usm().unwrap();
        prop_assert_eq!(&octets[parameters.authentication_range()], parameters.authentication);
        prop_assert_eq!(parameters.to_parameters().encode(), message.security_parameters.clone());
        if let (MsgData::Plain(scoped), ScopedPduData::Plain(owned)) = (borrowed.data, &message.data) {
            let mut names = OidList::new();
            scoped.pdu.names(&mut names).unwrap();
            prop_assert!(names.iter().eq(owned.pdu.bindings.iter().map(|binding| &*binding.name)));
            let alone = owned.encode();
            let again = ScopedPduRef::decode(&alone, 0).unwrap().to_owned_pdu().unwrap();
            prop_assert_eq!(&again, owned);
        }
    }

    /// The writer's message is the one that the owned form gives, signed and encrypted.
    #[test]
    fn encoded_messages_are_decoded_back(around in around(), pdu in pdu_of_version_3()) {
        let octets = around.encode(&pdu, 65_535).unwrap();
        let message = V3Message::decode(&octets).unwrap();
        prop_assert_eq!((message.message_id, message.security_model), (around.message_id, USM));
        prop_assert_eq!(message.max_size as usize, around.max_size);
        prop_assert_eq!(message.flags, MsgFlags::new(around.level, around.reportable));
        let parameters = V3MessageRef::decode(&octets).unwrap().usm().unwrap();
        prop_assert_eq!(parameters.engine_id, &around.parameters.engine_id[..]);
        prop_assert_eq!(parameters.user_name, &around.parameters.user_name[..]);
        prop_assert_eq!(parameters.moment, around.parameters.moment);
        if around.level.is_authenticated() {
            let auth = around.user.auth().unwrap();
            prop_assert_eq!(auth.verify(&octets, parameters.authentication_range()), Ok(()));
        } else {
            prop_assert!(parameters.authentication.is_empty());
        }
        let scoped = ScopedPdu { context_engine_id: around.contexts.0, context_name: around.contexts.1, pdu };
        match message.data {
            ScopedPduData::Plain(plain) => {
                prop_assert!(!around.level.is_encrypted() && parameters.privacy.is_empty());
                prop_assert_eq!(plain, scoped);
            }
            ScopedPduData::Encrypted(mut encrypted) => {
                prop_assert!(around.level.is_encrypted());
                let privacy = around.user.privacy().unwrap();
                privacy.decrypt(parameters.moment, parameters.privacy, &mut encrypted).unwrap();
                let padding = encrypted.len() - scoped.encode().len();
                prop_assert!(padding < 8 && (padding == 0 || privacy.protocol() == PrivProtocol::Des));
                prop_assert_eq!(ScopedPduRef::decode(&encrypted, padding).unwrap().to_owned_pdu().unwrap(), scoped);
            }
        }
    }

    /// The limit is kept and the room used up: one more binding would pass it. Whole messages too.
    #[test]
    fn the_size_limit_is_exact(around in around(), pdu in pdu_of_version_3(), limit in 0..1500usize) {
        let pdu = Pdu { error_status: 0, error_index: 0, ..pdu };
        let salts = Salts::new(99);
        let header = around.header(&salts);
        let envelope = Envelope { header: Header::V3(&header), kind: pdu.kind, request_id: pdu.request_id, compression: None };
        let mut buf = Vec::new();
        let mut writer = ResponseWriter::new(&mut buf, limit, envelope);
        let taken = write_bindings(&mut writer, &pdu);
        let range = writer.finish();
        let of = |count: usize| {
            let bindings = pdu.bindings[..count].to_vec();
            around.encode(&Pdu { bindings, ..pdu.clone() }, 65_535).unwrap()
        };
        match range {
            Some(range) => prop_assert_eq!(&buf[range], &of(taken)),
            None => prop_assert!(taken == 0 && of(0).len() > limit),
        }
        prop_assert!(taken == 0 || of(taken).len() <= limit);
        prop_assert!(taken == pdu.bindings.len() || of(taken + 1).len() > limit);
        let whole = of(pdu.bindings.len()).len();
        prop_assert_eq!(envelope.size_without_bindings(), of(0).len());
        prop_assert!(around.encode(&pdu, whole).is_some());
        prop_assert!(around.encode(&pdu, whole - 1).is_none());
    }

    /// An error in place of bindings that were written before.
    #[test]
    fn errors_repeat_the_request(around in around(), pdu in pdu_of_version_3(), index in number32()) {
        use trunkline_snmp::wire::ErrorStatus;
        let request = around.encode(&pdu, 65_535).unwrap();
        let plain = Around { level: NoAuthNoPriv, ..around.clone() }.encode(&pdu, 65_535).unwrap();
        let MsgData::Plain(scoped) = V3MessageRef::decode(&plain).unwrap().data else { panic!("plain") };
        let salts = Salts::new(99);
        let header = around.header(&salts);
        let envelope = Envelope { header: Header::V3(&header), kind: pdu.kind, request_id: pdu.request_id, compression: None };
        let mut buf = Vec::new();
        let mut writer = ResponseWriter::new(&mut buf, 65_535, envelope);
        write_bindings(&mut writer, &pdu);
        let raw = scoped.pdu.raw_bindings();
        let range = writer.finish_with_raw_bindings(ErrorStatus::GenErr, index, raw).unwrap();
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        let expected = Pdu { error_status: 5, error_index: index, ..pdu };
        prop_assert_eq!(&buf[range], &around.encode(&expected, 65_535).unwrap());
        prop_assert!(!request.is_empty());
    }

    #[test]
    fn noise_is_an_error_at_most(octets in vec(any::<u8>(), 0..300)) {
        for octets in [octets.clone(), [&[0x30, octets.len() as u8 & 0x7f, 2, 1, 3, 0x30], &octets[..]].concat()] {
            let borrowed = V3MessageRef::decode(&octets).map(|message| message.usm().map(drop));
            let owned = V3Message::decode(&octets);
            prop_assert!(owned.is_err() || borrowed.is_ok());
            let _ = ScopedPduRef::decode(&octets, 8);
        }
    }

    /// One octet changed: read as something else or refused, and what is read is written back equal.
    #[test]
    fn mutations(message in v3_message(), at in any::<prop::sample::Index>(), octet in any::<u8>()) {
        let mut octets = message.encode();
        let at = at.index(octets.len());
        octets[at] = octet;
        if let Ok(read) = V3Message::decode(&octets) {
            prop_assert_eq!(V3Message::decode(&read.encode()), Ok(read));
        }
        prop_assert!(V3Message::decode(&octets[..at]).is_err());
    }
}

#[test]
fn a_used_buffer_is_not_allocated_again() {
    let user = &USERS[0]; // MD5 and DES: with padding
    let salts = Salts::new(1);
    let header = V3Header {
        message_id: 1,
        max_size: 65_507,
        reportable: false,
        security: V3Security::Usm(UsmSecurity {
            engine_id: ENGINE,
            moment: EngineMoment::new(1, 1).unwrap(),
            user_name: b"user",
            protection: Protection::new(user, AuthPriv).unwrap(),
            salts: &salts,
        }),
        context_engine_id: ENGINE,
        context_name: b"",
    };
    let mut buf = Vec::new();
    let mut write = |length: usize| {
        let name = trunkline_smi::Oid::from([1, 3, 6]);
        let value = trunkline_smi::Value::OctetString(vec![b'x'; length]);
        let binding = trunkline_snmp::wire::VarBind::new(name, value);
        let pdu = Pdu::new(trunkline_snmp::wire::PduKind::Response, 1, vec![binding]);
        Header::V3(&header).encode(&pdu, 65_507, &mut buf).unwrap();
        (buf.as_ptr(), buf.capacity())
    };
    let first = write(40_007);
    assert!((0..8).all(|shorter| write(40_007 - shorter) == first));
}
