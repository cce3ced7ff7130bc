//! Attacks on an engine, at its boundary: replays, truncated codes, other engines' messages, the edges of the
//! time window, the end of boots, floods.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

use std::time::Duration;

use crate::v3::*;
use trunkline_snmp::SecurityLevel::{AuthNoPriv, AuthPriv, NoAuthNoPriv};
use trunkline_snmp::engine::{DropReason, Handlers, Incoming, UsmFailure};
use trunkline_snmp::usm::{AuthProtocol, Credentials, EngineId, PrivProtocol, RowStatus};
use trunkline_snmp::wire::{
    MAX_MESSAGE_SIZE, MsgFlags, PduKind, UsmParameters, V3Message, V3MessageRef, frame_length,
};

/// Whether a message is answered with a Response, and if not, by which Report's number below usmStats.
fn answer(bench: &mut Bench, octets: &[u8]) -> Result<(), Option<u32>> {
    match bench.take(octets) {
        Outcome::Response(_) => Ok(()),
        Outcome::Dropped(_) => Err(None),
        Outcome::Report(report) => {
            let report = read(&report, &user("ann", &engine_id()));
            Err(Some(report.scoped.pdu.bindings[0].name[9]))
        }
    }
}

/// Each octet changed in any way: nothing but the original is answered as its sender's.
#[test]
fn no_octet_of_a_signed_message_can_be_changed() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    for level in [AuthNoPriv, AuthPriv] {
        let octets = Ask::get("ann", level).octets();
        assert_eq!(answer(&mut bench, &octets), Ok(()));
        for at in 0..octets.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut forged = octets.clone();
                forged[at] ^= change;
                let outcome = bench.take(&forged);
                if let Outcome::Response(response) = outcome {
                    // Only by taking the protection away, which the access policy sees.
                    let level = V3MessageRef::decode(&response).unwrap().flags.level();
                    assert_eq!(level, Some(NoAuthNoPriv), "octet {at} ^ {change:#x}");
                }
            }
        }
    }
}

/// Flags that say less than what was signed do not make a message more than what they say.
#[test]
fn stripped_protection_is_noticed() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let message = V3Message::decode(&Ask::get("ann", AuthNoPriv).octets()).unwrap();
    let stripped = V3Message { flags: MsgFlags::new(NoAuthNoPriv, true), ..message };
    let octets = stripped.encode();
    let (mut scratch, mut out) = (vec![], vec![]);
    let now = bench.now;
    let incoming =
        bench.engine.receive(&octets, &mut scratch, &mut out, now, None, |_| None, &bench.counters);
    let Incoming::Request(request) = incoming else { panic!("{incoming:?}") };
    assert_eq!(request.level, NoAuthNoPriv);
    // and privacy without authentication is nothing at all
    let private = V3Message { flags: MsgFlags::from_octet(0x06), ..stripped };
    assert_eq!(answer(&mut bench, &private.encode()), Err(None));
    assert_eq!(bench.counted(), [("invalidMsgs", 1)]);
}

/// A message with another digest in place of its own.
fn with_code(octets: &[u8], code: &[u8]) -> Vec<u8> {
    let message = V3Message::decode(octets).unwrap();
    let parameters = V3MessageRef::decode(octets).unwrap().usm().unwrap().to_parameters();
    let parameters = UsmParameters { authentication: code.to_vec(), ..parameters };
    V3Message { security_parameters: parameters.encode(), ..message }.encode()
}

/// CVE-2008-0960: a code of one octet is right once in 256 times, one of no octets always.
#[test]
fn digests_of_another_width_are_wrong_whatever_their_octets() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let octets = Ask::get("ann", AuthNoPriv).octets();
    let code = V3MessageRef::decode(&octets).unwrap().usm().unwrap().authentication.to_vec();
    assert_eq!(code.len(), 24);
    assert_eq!(answer(&mut bench, &with_code(&octets, &code)), Ok(()));
    let mut tried = 0;
    for first in 0..=255 {
        assert_eq!(answer(&mut bench, &with_code(&octets, &[first])), Err(Some(5)));
        tried += 1;
    }
    for width in (0..code.len()).chain([25, 32, 48, 200]) {
        let mut other = code.clone();
        other.resize(width, 0);
        assert_eq!(answer(&mut bench, &with_code(&octets, &other)), Err(Some(5)), "{width} octets");
        tried += 1;
    }
    assert_eq!(bench.counted(), [("wrongDigests", tried)]);
}

/// There is no replay cache: an authentic and timely message is answered again, an older one is not.
#[test]
fn replays_end_with_the_time_window() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let octets = Ask::get("ann", AuthPriv).octets();
    for _ in 0..3 {
        assert_eq!(answer(&mut bench, &octets), Ok(()));
    }
    bench.now += Duration::from_secs(150);
    assert_eq!(answer(&mut bench, &octets), Ok(()));
    bench.now += Duration::from_secs(1);
    for _ in 0..3 {
        assert_eq!(answer(&mut bench, &octets), Err(Some(2)));
    }
    assert_eq!(bench.counted(), [("notInTimeWindows", 3)]);
    // and not after a restart either
    let mut restarted = Bench::with_boots(Handlers::RESPONDER, BOOTS + 1);
    assert_eq!(answer(&mut restarted, &octets), Err(Some(2)));
}

#[test]
fn the_edges_of_the_time_window() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    for (boots, time, within) in [
        (BOOTS, UPTIME - 151, false),
        (BOOTS, UPTIME - 150, true),
        (BOOTS, UPTIME + 150, true),
        (BOOTS, UPTIME + 151, false),
        (BOOTS - 1, UPTIME, false),
        (BOOTS + 1, UPTIME, false),
        (0, 0, false),
        (0x7fff_ffff, UPTIME, false),
        (BOOTS, 0x7fff_ffff, false),
    ] {
        let ask = Ask { moment: moment(boots, time), ..Ask::get("ann", AuthNoPriv) };
        let expected = if within { Ok(()) } else { Err(Some(2)) };
        assert_eq!(answer(&mut bench, &ask.octets()), expected, "boots {boots} time {time}");
    }
    // the fractions of a second that have begun do not count
    bench.now += Duration::from_millis(999);
    let ask = Ask { moment: moment(BOOTS, UPTIME - 150), ..Ask::get("ann", AuthNoPriv) };
    assert_eq!(answer(&mut bench, &ask.octets()), Ok(()));
}

/// RFC 3414 section 2.2.2: after 2^31 - 1 seconds boots is incremented and time restarts.
#[test]
fn boots_roll_over_with_time() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let year_68 = Duration::from_secs(0x7fff_ffff - u64::from(UPTIME));
    bench.now += year_68;
    let last = Ask { moment: moment(BOOTS, 0x7fff_ffff), ..Ask::get("ann", AuthPriv) };
    assert_eq!(answer(&mut bench, &last.octets()), Ok(()));
    bench.now += Duration::from_secs(1);
    assert_eq!(bench.engine.moment(bench.now), moment(BOOTS + 1, 0));
    assert_eq!(answer(&mut bench, &last.octets()), Err(Some(2)));
    let first = Ask { moment: moment(BOOTS + 1, 0), ..Ask::get("ann", AuthPriv) };
    assert_eq!(answer(&mut bench, &first.octets()), Ok(()));
    let Outcome::Response(response) = bench.take(&first.octets()) else { panic!("no answer") };
    assert_eq!(read(&response, &first.user).moment, moment(BOOTS + 1, 0));
}

/// RFC 3414 section 2.2.2 and 3.2 step 7a: at 2^31 - 1 boots nothing authenticated is accepted any more.
#[test]
fn at_the_end_of_boots_nothing_is_timely() {
    let most = 0x7fff_ffff;
    let mut bench = Bench::with_boots(Handlers::RESPONDER, most);
    for level in [AuthNoPriv, AuthPriv] {
        let ask = Ask { moment: moment(most, UPTIME), ..Ask::get("ann", level) };
        assert_eq!(answer(&mut bench, &ask.octets()), Err(Some(2)));
    }
    // the last boots stay when time wraps
    bench.now += Duration::from_secs(1 << 31);
    assert_eq!(bench.engine.moment(bench.now), moment(most, UPTIME));
    let ask = Ask { moment: moment(most, UPTIME), ..Ask::get("ann", AuthNoPriv) };
    assert_eq!(answer(&mut bench, &ask.octets()), Err(Some(2)));
    // a request without protection is answered
    let ask = Ask { moment: moment(most, UPTIME), ..Ask::get("ann", NoAuthNoPriv) };
    assert_eq!(answer(&mut bench, &ask.octets()), Ok(()));
    // and no boots beyond it can be written down
    assert!(trunkline_snmp::usm::EngineBoots::new(1 << 31).is_none());
    let message = V3Message::decode(&ask.octets()).unwrap();
    let mut parameters = message.security_parameters.clone();
    let at = parameters.windows(6).position(|six| six == [2, 4, 0x7f, 0xff, 0xff, 0xff]).expect("boots");
    parameters[at + 2] = 0x80; // 2^31, as INTEGER negative
    let beyond = V3Message { security_parameters: parameters, ..message };
    assert_eq!(answer(&mut bench, &beyond.encode()), Err(None));
    assert_eq!(bench.counters.in_asn_parse_errs.get(), 1);
}

/// Keys of one engine are worth nothing at another, and an engine's ID in the message does not make it so.
#[test]
fn messages_for_other_engines() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let elsewhere = Ask::at(&other_engine_id(), "ann", AuthPriv);
    assert_eq!(answer(&mut bench, &elsewhere.octets()), Err(Some(4)));
    let redirected = Ask { engine_id: ENGINE.to_vec(), ..elsewhere };
    assert_eq!(answer(&mut bench, &redirected.octets()), Err(Some(5)));
    for engine_id in [&ENGINE[..4], &ENGINE[..ENGINE.len() - 1], &[ENGINE, &[0]].concat(), &[0xff; 64]] {
        let ask = Ask { engine_id: engine_id.to_vec(), ..Ask::get("ann", AuthPriv) };
        assert_eq!(answer(&mut bench, &ask.octets()), Err(Some(4)), "{engine_id:02x?}");
    }
    // a user of another engine that we know (to inform it) is not a user of ours, and asks nothing here
    bench.engine.change_users(|users| users.insert(user("ann", &other_engine_id())));
    let known = Ask { moment: moment(1, 1), ..Ask::at(&other_engine_id(), "ann", AuthPriv) };
    assert_eq!(answer(&mut bench, &known.octets()), Err(None));
    let unknown = Ask { user_name: b"bob".to_vec(), ..known };
    assert_eq!(answer(&mut bench, &unknown.octets()), Err(Some(3)));
}

/// Reports and Responses are never answered, so that two engines cannot be set on each other.
#[test]
fn forged_answers_get_no_answer() {
    let mut bench = Bench::new(Handlers::BOTH);
    for kind in [PduKind::Report, PduKind::Response, PduKind::TrapV2] {
        for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
            for (name, engine_id) in [("ann", ENGINE), ("nobody", ENGINE), ("ann", OTHER_ENGINE), ("", b"")] {
                let ask = Ask::get("ann", level).kind(kind);
                let forged =
                    Ask { user_name: name.into(), engine_id: engine_id.to_vec(), reportable: false, ..ask };
                let outcome = bench.take(&forged.octets());
                let taken = kind == PduKind::TrapV2 && (name, engine_id) == ("ann", ENGINE);
                assert_eq!(
                    matches!(outcome, Outcome::Dropped(_)),
                    !taken,
                    "{kind} {level} {name}: {outcome:?}"
                );
            }
        }
    }
    // Nor does the clock in an unauthenticated message change our notion of anybody's clock.
    assert_eq!(bench.engine.remembered_engines(), 0);
}

/// A flood of strangers: each is counted and reported to, and nothing is remembered of them.
#[test]
fn strangers_leave_no_trace() {
    let mut bench = Bench::new(Handlers::BOTH);
    bench.engine.set_credentials(credentials().to_vec());
    let trap = Ask { moment: moment(1, 1), ..Ask::get("ann", AuthNoPriv).kind(PduKind::TrapV2) };
    let ann = Ask::get("eve", NoAuthNoPriv);
    let mut sizes = None;
    for number in 0..5000u32 {
        let engine_id = [&b"\x80\x00\x1f\x88\x05"[..], &number.to_be_bytes()].concat();
        let engine = Ask { engine_id: engine_id.clone(), user_name: b"nobody".to_vec(), ..ann.clone() };
        assert_eq!(answer(&mut bench, &engine.octets()), Err(Some(4)));
        let name = Ask { user_name: format!("user{number}").into_bytes(), ..ann.clone() };
        assert_eq!(answer(&mut bench, &name.octets()), Err(Some(3)));
        if number % 50 == 0 {
            // a known name at engines that nobody has heard of: the code is wrong
            assert_eq!(answer(&mut bench, &Ask { engine_id, ..trap.clone() }.octets()), Err(None));
        }
        let now = (bench.scratch.capacity(), bench.out.capacity());
        assert_eq!(*sizes.get_or_insert(now), now, "the buffers do not grow");
    }
    assert_eq!(bench.engine.remembered_engines(), 0);
    assert_eq!(bench.engine.users().len(), 3);
    assert_eq!(
        bench.counted(),
        [("unknownUserNames", 5000), ("unknownEngineIDs", 5000), ("wrongDigests", 100)]
    );
}

/// Even those who have the keys cannot make the engine remember more than it has room for.
#[test]
fn memory_for_other_engines_is_bounded() {
    let mut bench = Bench::new(Handlers::RECEIVER);
    bench.engine.set_credentials(credentials().to_vec());
    for number in 0..100u32 {
        let id = EngineId::new(&[&b"\x80\x00\x1f\x88\x05"[..], &number.to_be_bytes()].concat()).unwrap();
        let trap = Ask { moment: moment(1, 1), ..Ask::at(&id, "bob", AuthNoPriv).kind(PduKind::TrapV2) };
        assert_eq!(answer(&mut bench, &trap.octets()), Ok(()));
        assert!(bench.engine.remembered_engines() <= 8);
        bench.now += Duration::from_secs(1);
    }
    assert_eq!(bench.engine.remembered_engines(), 8);
}

/// Withdrawn credentials are gone at every engine, and so are users that came from the table.
#[test]
fn removed_credentials() {
    let mut bench = Bench::new(Handlers::RECEIVER);
    let trap = |name| Ask {
        moment: moment(1, 1),
        ..Ask::at(&other_engine_id(), name, AuthNoPriv).kind(PduKind::TrapV2)
    };
    let unknown = Err(None);
    assert_eq!(answer(&mut bench, &trap("ann").octets()), unknown);
    bench.engine.set_credentials(credentials().to_vec());
    assert_eq!(answer(&mut bench, &trap("ann").octets()), Ok(()));
    assert_eq!(answer(&mut bench, &trap("bob").octets()), Ok(()));
    bench.engine.set_credentials(credentials()[..1].to_vec());
    assert_eq!(answer(&mut bench, &trap("ann").octets()), Ok(()));
    assert_eq!(answer(&mut bench, &trap("bob").octets()), unknown);

    // A user of the table takes precedence over one of the same name with another password, and leaves no trace.
    let other =
        Credentials::from_passwords(b"bob", Some((AuthProtocol::Md5, b"another password")), None).unwrap();
    bench.engine.set_credentials(vec![other.clone()]);
    bench.engine.change_users(|users| users.insert(user("bob", &other_engine_id())));
    assert_eq!(answer(&mut bench, &trap("bob").octets()), Ok(()));
    bench.engine.change_users(|users| users.remove(OTHER_ENGINE, b"bob"));
    assert_eq!(answer(&mut bench, &trap("bob").octets()), Err(None));
    let changed = Ask { user: other.localize(&other_engine_id()).unwrap(), ..trap("bob") };
    assert_eq!(answer(&mut bench, &changed.octets()), Ok(()));
}

/// Users that are out of use, and users whose keys have been changed meanwhile.
#[test]
fn removed_users() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let octets = Ask::get("ann", AuthPriv).octets();
    assert_eq!(answer(&mut bench, &octets), Ok(()));
    bench.engine.change_users(|users| {
        let mut idle = user("ann", &engine_id());
        idle.status = RowStatus::NotInService;
        users.insert(idle)
    });
    assert_eq!(answer(&mut bench, &octets), Err(Some(3)));
    bench.engine.change_users(|users| users.insert(impostor(b"ann", b"a new password", b"and encrypt me")));
    assert_eq!(answer(&mut bench, &octets), Err(Some(5)));
    bench.engine.change_users(|users| users.remove(ENGINE, b"ann"));
    assert_eq!(answer(&mut bench, &octets), Err(Some(3)));
}

/// Salts are never used twice, by however many messages and threads.
#[test]
fn salts_are_never_repeated() {
    let bench = Bench::new(Handlers::RESPONDER);
    let octets = Ask::get("ann", AuthPriv).octets();
    let salts = std::sync::Mutex::new(std::collections::HashSet::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..250 {
                    let (mut scratch, mut out, mut buf) = (vec![], vec![], vec![]);
                    let now = bench.now;
                    let incoming = bench.engine.receive(
                        &octets,
                        &mut scratch,
                        &mut out,
                        now,
                        None,
                        |_| None,
                        &bench.counters,
                    );
                    let Incoming::Request(request) = incoming else { panic!("{incoming:?}") };
                    // answered twice, as by a door that had to start again
                    for _ in 0..2 {
                        let reply = request.reply();
                        let writer = trunkline_snmp::wire::ResponseWriter::new(&mut buf, 1472, reply);
                        let range = writer.finish().expect("fits");
                        let message = V3MessageRef::decode(&buf[range]).expect("a message");
                        let salt = message.usm().expect("parameters").privacy.to_vec();
                        assert!(salts.lock().expect("whole").insert(salt));
                    }
                }
            });
        }
    });
    assert_eq!(salts.into_inner().expect("whole").len(), 2000);
}

/// Every prefix of a message, and the message with octets appended, is dropped as malformed.
#[test]
fn cut_messages_are_malformed() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let octets = Ask::get("ann", AuthPriv).octets();
    for end in 0..octets.len() {
        let outcome = bench.take(&octets[..end]);
        let Outcome::Dropped(reason) = outcome else { panic!("{outcome:?}") };
        assert!(reason.is_unreadable(), "{reason}");
    }
    let outcome = bench.take(&[&octets[..], &[0]].concat());
    assert!(matches!(outcome, Outcome::Dropped(DropReason::Malformed(_))), "{outcome:?}");
    assert_eq!(bench.counters.in_asn_parse_errs.get() as usize, octets.len() + 1);
    let long = [&octets[..], &vec![0; MAX_MESSAGE_SIZE]].concat();
    assert!(matches!(bench.take(&long), Outcome::Dropped(DropReason::Malformed(_))));
}

/// With DES, padding is skipped, and only as much as DES can have.
#[test]
fn padding_of_des() {
    let credentials = Credentials::from_passwords(
        b"des",
        Some((AuthProtocol::Sha1, b"authenticate me")),
        Some((PrivProtocol::Des, b"and encrypt me")),
    )
    .unwrap();
    let des = credentials.localize(&engine_id()).unwrap();
    let mut bench = Bench::new(Handlers::RESPONDER);
    bench.engine.change_users(|users| users.insert(des.clone()));
    for length in 0..16 {
        let ask = Ask {
            user: des.clone(),
            user_name: b"des".to_vec(),
            context_name: vec![b'c'; length],
            ..Ask::get("ann", AuthPriv)
        };
        let Outcome::Response(response) = bench.take(&ask.octets()) else { panic!("no answer") };
        assert_eq!(read(&response, &des).scoped.context_name, ask.context_name);
    }
    for (behind, taken) in [(0, true), (8, true), (16, false)] {
        let scoped = read(&Ask::get("eve", NoAuthNoPriv).octets(), &des).scoped.encode();
        let mut padded = scoped.clone();
        padded.resize(scoped.len().next_multiple_of(8) + behind, 0xaa);
        let whole = frame_length(&padded).unwrap().unwrap();
        assert_eq!(whole, scoped.len());
        let more = padded.len() - whole > 8;
        assert_eq!(answer(&mut bench, &encrypted(&des, padded)).is_ok(), taken && !more, "{behind}");
    }
}

/// A message with this scoped PDU, encrypted and signed.
fn encrypted(user: &trunkline_snmp::usm::User, mut scoped: Vec<u8>) -> Vec<u8> {
    let (auth, privacy) = (user.auth().unwrap(), user.privacy().unwrap());
    let at = moment(BOOTS, UPTIME);
    let salt = privacy.salt(at.boots, 1);
    privacy.encrypt(at, salt, &mut scoped).unwrap();
    let parameters = UsmParameters {
        engine_id: ENGINE.to_vec(),
        moment: at,
        user_name: user.name().to_vec(),
        authentication: vec![0; auth.protocol().mac_length()],
        privacy: salt.to_vec(),
    };
    let message = V3Message::decode(&Ask::get("ann", AuthPriv).octets()).unwrap();
    let data = trunkline_snmp::wire::ScopedPduData::Encrypted(scoped);
    let mut octets = V3Message { security_parameters: parameters.encode(), data, ..message }.encode();
    let field = V3MessageRef::decode(&octets).unwrap().usm().unwrap().authentication_range();
    auth.sign(&mut octets, field).unwrap();
    octets
}

/// What the failures say in a log names no secret.
#[test]
fn reasons_and_debug_show_no_keys() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let ask = Ask { moment: moment(1, 1), ..Ask::get("ann", AuthPriv) };
    let octets = ask.octets();
    let outcome = bench.take(&octets);
    assert!(matches!(outcome, Outcome::Report(_)));
    let now = bench.now;
    let (mut scratch, mut out) = (vec![], vec![]);
    let incoming =
        bench.engine.receive(&octets, &mut scratch, &mut out, now, None, |_| None, &bench.counters);
    let Incoming::Report { reason, .. } = incoming else { panic!("{incoming:?}") };
    assert!(matches!(reason, DropReason::Usm(UsmFailure::NotInTimeWindow(_))));
    let ok = Ask::get("ann", AuthPriv).octets();
    let (mut scratch, mut out) = (vec![], vec![]);
    let incoming = bench.engine.receive(&ok, &mut scratch, &mut out, now, None, |_| None, &bench.counters);
    let shown = format!("{reason} {reason:?} {:?} {incoming:?}", bench.engine);
    let key = user("ann", &engine_id()).auth().unwrap().local_key().as_bytes().to_vec();
    let hex: String = key.iter().map(|octet| format!("{octet:02x}")).collect();
    let list = format!("{:?}", &key[..8]);
    assert!(!shown.contains(&hex[..12]) && !shown.contains(list.trim_matches(['[', ']'])), "{shown}");
    assert!(!shown.contains("authenticate me") && !shown.contains("encrypt me"));
}
