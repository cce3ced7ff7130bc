//! Known answers for whole messages of SNMPv3: what Net-SNMP's snmpget and snmpd said to each other, over every
//! pair of protocols, read by the reader, taken in by the engine, and written again octet for octet.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

use std::time::{Duration, Instant};

use trunkline_smi::{Oid, Value};
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers, Incoming};
use trunkline_snmp::usm::{Credentials, EngineClock, EngineId, EngineMoment, PrivProtocol, User, UserTable};
use trunkline_snmp::wire::{
    Bound, Header, Message, MsgData, PduKind, Protection, Salts, ScopedPduRef, USM, UsmSecurity, V3Header,
    V3Message, V3MessageRef, V3Security, annotate, frame_length,
};
use trunkline_snmp::{Counters, DecodeError, Element, SecurityLevel};

const NET_SNMP: &str = include_str!("vectors/usm-net-snmp.txt");
const ENGINE: &str = "80001f8804746573742d656e67696e65";
const PASSWORD: &[u8] = b"maplesyrup";
const SYS_LOCATION: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 6, 0];

struct Vector {
    user: User,
    cipher: PrivProtocol,
    moment: EngineMoment,
    octets: Vec<u8>,
}

fn hex(text: &str) -> Vec<u8> {
    let octet = |pair| u8::from_str_radix(pair, 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(|at| octet(&text[at..at + 2])).collect()
}

fn vectors() -> Vec<Vector> {
    let engine: EngineId = ENGINE.parse().expect("an engine ID");
    let mut masters = std::collections::HashMap::new(); // a password takes a while
    let lines = NET_SNMP.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let vectors: Vec<Vector> = lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let &[hash, cipher, boots, time, _, _, _, octets] = &words[..] else { panic!("{line}") };
            let octets = hex(octets);
            let name =
                V3MessageRef::decode(&octets).expect("a message").usm().expect("USM").user_name.to_vec();
            let (auth, privacy) = (hash.parse().expect("a hash"), cipher.parse().expect("a cipher"));
            let user = masters
                .entry((hash, cipher))
                .or_insert_with(|| {
                    Credentials::from_passwords(&name, Some((auth, PASSWORD)), Some((privacy, PASSWORD)))
                        .expect("credentials")
                        .localize(&engine)
                        .expect("a user")
                })
                .clone();
            let number = |text: &str| text.parse().expect("a number");
            let moment = EngineMoment::new(number(boots), number(time)).expect("a moment");
            Vector { user, cipher: privacy, moment, octets }
        })
        .collect();
    assert_eq!(vectors.len(), 72, "6 hashes, 6 ciphers, a request and its response each");
    vectors
}

/// Everything in front of the PDU is read, and written again as it was.
#[test]
fn headers_of_net_snmp() {
    for Vector { user, moment, octets, .. } in vectors() {
        let message = V3MessageRef::decode(&octets).unwrap();
        assert_eq!((message.max_size, message.security_model), (65_507, USM));
        assert_eq!(message.flags.level(), Some(SecurityLevel::AuthPriv));
        let parameters = message.usm().unwrap();
        assert_eq!((parameters.engine_id, parameters.moment), (user.engine_id().as_bytes(), moment));
        assert_eq!(parameters.user_name, user.name());
        let width = user.auth().unwrap().protocol().mac_length();
        assert_eq!((parameters.authentication.len(), parameters.privacy.len()), (width, 8));
        assert_eq!(octets[parameters.authentication_range()], *parameters.authentication);
        assert!(matches!(message.data, MsgData::Encrypted(_)));

        let owned = V3Message::decode(&octets).unwrap();
        assert_eq!(owned.encode(), octets);
        assert_eq!(parameters.to_parameters().encode(), owned.security_parameters);
        assert_eq!(frame_length(&octets), Ok(Some(octets.len())));
        assert_eq!(Message::decode(&octets), Err(DecodeError::UnsupportedVersion { found: 3 }));
        assert!(annotate(&octets).iter().all(|field| !field.wrong));
    }
}

/// snmpget's requests come through our engine, with snmpd's ID and clock.
#[test]
fn requests_of_net_snmp_are_accepted() {
    let counters = Counters::default();
    let mut seen = 0;
    for Vector { user, moment, octets, .. } in vectors() {
        if !V3MessageRef::decode(&octets).unwrap().flags.is_reportable() {
            continue; // a response
        }
        let start = Instant::now();
        let engine = Engine::new(EngineOptions {
            id: *user.engine_id(),
            clock: EngineClock::new(moment.boots, start),
            max_size: 1472,
            handlers: Handlers::RESPONDER,
            remote_engines: 1,
            entropy: 7,
        });
        let name = user.name().to_vec();
        engine.set_users(UserTable::from_iter([user]));
        let now = start + Duration::from_secs(u64::from(moment.time.get()));
        let (mut scratch, mut out) = (Vec::new(), Vec::new());
        let incoming = engine.receive(&octets, &mut scratch, &mut out, now, None, |_| None, &counters);
        let Incoming::Request(request) = incoming else { panic!("{incoming:?}") };
        assert_eq!((request.security_name(), request.level), (&name[..], SecurityLevel::AuthPriv));
        assert!(request.is_local());
        assert_eq!((request.pdu.kind, request.max_size), (PduKind::Get, 1472));
        let binding = request.pdu.bindings().next().unwrap().unwrap();
        assert_eq!(binding.name.to_oid(), Oid::from(SYS_LOCATION));
        seen += 1;
    }
    assert_eq!((seen, counters.in_get_requests.get()), (36, 36));
}

/// Our writer, given what snmpget and snmpd were given, gives their octets. (Not with DES where it pads: what
/// they pad with is whatever lay there.)
#[test]
fn our_writer_gives_net_snmps_octets() {
    let mut equal = 0;
    for Vector { user, cipher, octets, .. } in vectors() {
        let message = V3MessageRef::decode(&octets).unwrap();
        let parameters = message.usm().unwrap();
        let MsgData::Encrypted(encrypted) = message.data else { panic!("not encrypted") };
        let mut decrypted = encrypted.to_vec();
        user.privacy().unwrap().decrypt(parameters.moment, parameters.privacy, &mut decrypted).unwrap();
        let scoped = ScopedPduRef::decode(&decrypted, 7).unwrap();
        let pdu = scoped.pdu.to_pdu().unwrap();
        assert_eq!(pdu.bindings[0].name, Oid::from(SYS_LOCATION));
        if pdu.kind == PduKind::Response {
            assert!(
                matches!(&pdu.bindings[0].value, Bound::Value(Value::OctetString(text)) if !text.is_empty())
            );
        }

        let salt = u64::from_be_bytes(parameters.privacy.try_into().unwrap());
        let salts = Salts::new(salt);
        let header = V3Header {
            message_id: message.message_id,
            max_size: message.max_size,
            reportable: message.flags.is_reportable(),
            security: V3Security::Usm(UsmSecurity {
                engine_id: parameters.engine_id,
                moment: parameters.moment,
                user_name: parameters.user_name,
                protection: Protection::new(&user, SecurityLevel::AuthPriv).unwrap(),
                salts: &salts,
            }),
            context_engine_id: scoped.context_engine_id,
            context_name: scoped.context_name,
        };
        let mut buf = Vec::new();
        let range = Header::V3(&header).encode(&pdu, octets.len(), &mut buf).expect("as long as theirs");
        let padded = cipher == PrivProtocol::Des && decrypted.len() > scoped_length(&decrypted);
        if !padded {
            assert_eq!(buf[range], octets, "{cipher:?}");
            equal += 1;
            continue;
        }
        assert_eq!(range.len(), octets.len());
        let code = parameters.authentication_range().start;
        assert_eq!(buf[range][..code], octets[..code]);
    }
    assert!(equal >= 60, "{equal}");
}

/// How many octets a scoped PDU has without its padding.
fn scoped_length(octets: &[u8]) -> usize {
    frame_length(octets).expect("a SEQUENCE").expect("whole")
}

/// Contradictory headers, each with its expected error.
#[test]
fn wrong_headers_are_reported() {
    let vector = vectors().swap_remove(0);
    let message = V3Message::decode(&vector.octets).unwrap();
    let read = |message: &V3Message| V3MessageRef::decode(&message.encode()).map(|_| ()).unwrap_err();
    let range = |element, least, found, offset| DecodeError::IntegerRange { element, offset, least, found };

    let below = V3Message { max_size: 483, ..message.clone() };
    assert_eq!(read(&below), range(Element::MaxSize, 484, 483, 14));
    assert!(V3MessageRef::decode(&V3Message { max_size: 484, ..message.clone() }.encode()).is_ok());
    let negative = V3Message { message_id: -1, ..message.clone() };
    assert_eq!(read(&negative), range(Element::MessageId, 0, -1, 8));
    let no_model = V3Message { security_model: 0, ..message.clone() };
    assert!(matches!(read(&no_model), DecodeError::IntegerRange { element: Element::SecurityModel, .. }));

    let parameters = V3MessageRef::decode(&vector.octets).unwrap().usm().unwrap().to_parameters();
    let usm = |parameters: Vec<u8>| {
        let octets = V3Message { security_parameters: parameters, ..message.clone() }.encode();
        V3MessageRef::decode(&octets).unwrap().usm().map(|_| ()).unwrap_err()
    };
    let mut long_name = parameters.clone();
    long_name.user_name = vec![b'u'; 33];
    assert!(matches!(
        usm(long_name.encode()),
        DecodeError::StringSize { element: Element::UserName, most: 32, found: 33, .. }
    ));
    let mut behind = parameters.encode();
    behind.push(0);
    assert!(matches!(
        usm(behind),
        DecodeError::TrailingOctets { element: Element::SecurityParameters, count: 1, .. }
    ));
    let truncated = parameters.encode();
    assert!(matches!(usm(truncated[..10].to_vec()), DecodeError::LengthBeyondEnd { .. }));
    assert!(matches!(usm(vec![]), DecodeError::Truncated { element: Element::SecurityParameters, .. }));
}

/// Two octets of msgFlags, and msgData of a type that there is not.
#[test]
fn wrong_forms_are_reported() {
    let octets = vectors().swap_remove(0).octets;
    let flags = octets.windows(3).position(|three| three == [4, 1, 7]).expect("msgFlags");
    let mut two = octets.clone();
    two[flags + 1] = 2; // takes the type of msgSecurityModel as second octet
    let error = V3MessageRef::decode(&two).unwrap_err();
    let (element, offset) = (Element::Flags, flags);
    assert_eq!(error, DecodeError::StringSize { element, offset, least: 1, most: 1, found: 2 });

    let parameters = V3MessageRef::decode(&octets).unwrap().usm().unwrap();
    let data = parameters.authentication_range().end + 2 + parameters.privacy.len();
    let mut other = octets.clone();
    assert_eq!(other[data], 4);
    other[data] = 0x31;
    let error = V3MessageRef::decode(&other).unwrap_err();
    assert_eq!(error, DecodeError::UnknownMessageData { offset: data, found: 0x31 });
}
