//! Attacks on the agent's socket: replays, forged and damaged messages, the edges of time, floods.

use std::net::UdpSocket;

use trunkline_smi::Value;
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::EngineMoment;
use trunkline_snmp::wire::{MsgFlags, Pdu, PduKind, VarBind};

use super::forge::{Answer, Forged, Victim};
use super::support::{Agent, get, oid};
use super::usm::config;
use super::who::{COUNTERS, Who, counting, counts};

const ANN: Who = Who::new("SHA-256", "AES");
const UPTIME: &str = "1.3.6.1.2.1.1.3.0";

/// The object of a counter, as a Report names it.
fn object(counter: &str) -> &'static str {
    COUNTERS.iter().find(|(name, _)| *name == counter).unwrap().1
}

fn start() -> (Agent, Victim) {
    let agent = Agent::start(&config(Who::all()));
    let victim = Victim::discover(&agent);
    (agent, victim)
}

/// The message gets a Report of this counter, which has grown by one; nothing else has.
#[track_caller]
fn reported(agent: &Agent, victim: &Victim, forged: &Forged, counter: &'static str) {
    let answer = counting(agent, &[(counter, 1)], || victim.send(forged));
    assert_eq!(answer.report(), object(counter));
}

/// The message gets nothing; these counters have grown.
#[track_caller]
fn dropped(agent: &Agent, victim: &Victim, forged: &Forged, counted: &[(&'static str, u32)]) {
    assert_eq!(counting(agent, counted, || victim.send(forged)), Answer::Silence);
}

fn at(moment: EngineMoment, boots: u32, time: u32) -> EngineMoment {
    EngineMoment::new(moment.boots.get() + boots, moment.time.get() + time).unwrap()
}

#[test]
fn the_window_of_time_ends_after_150_seconds() {
    let (agent, victim) = start();
    for who in [ANN, Who::new("MD5", "DES"), Who::new("SHA-512", "-")] {
        let honest = victim.request(who, get(&[UPTIME]));
        let now = victim.beginning_of_a_second();
        let inside = Forged { moment: at(now, 0, 150), ..honest.clone() };
        let outside = Forged { moment: at(now, 0, 151), ..honest.clone() };
        let answers = [victim.send(&inside), victim.send(&outside)];
        assert_eq!(victim.moment(), now, "the machine is too slow to look at one second");
        assert_eq!(answers[0].response().error_status, 0, "{answers:?}");
        assert_eq!(
            answers[1],
            Answer::Report { object: object("NotInTimeWindows").into(), is_signed: true },
            "who is late learns the time, and can believe it"
        );
        // Later and earlier boots, whatever the time.
        for moment in [at(now, 1, 0), at(now, 1_000_000, 0), EngineMoment::new(0, now.time.get()).unwrap()] {
            reported(&agent, &victim, &Forged { moment, ..honest.clone() }, "NotInTimeWindows");
        }
        let last = EngineMoment::new(i32::MAX as u32, i32::MAX as u32).unwrap();
        reported(&agent, &victim, &Forged { moment: last, ..honest }, "NotInTimeWindows");
    }
}

#[test]
fn a_replay_changes_no_state() {
    let (agent, victim) = start();
    let honest = victim.request(ANN, get(&[UPTIME]));
    let octets = honest.octets();
    // Within the window a message counts as before: it is answered, and the engine's clock is not affected.
    for _ in 0..3 {
        let answer = counting(&agent, &[], || victim.send_octets(&octets, &honest.user));
        assert_eq!(answer.response().error_status, 0);
    }
    let ahead = Forged { moment: at(victim.moment(), 0, 140), ..honest.clone() };
    for _ in 0..3 {
        assert_eq!(victim.send(&ahead).response().error_status, 0);
    }
    let still = victim.request(ANN, get(&[UPTIME]));
    assert_eq!(victim.send(&still).response().error_status, 0, "a message of the future has moved the clock");
    // To another engine it is nobody's.
    let (_other, elsewhere) = start();
    assert_eq!(elsewhere.send_octets(&octets, &honest.user).report(), object("UnknownEngineIDs"));
    // After a restart it is of a time that is over: the ID stays, boots go up.
    let before = victim.moment();
    let folder = agent.terminate();
    let agent = Agent::start_in(folder, &config(Who::all()));
    let again = Victim::discover(&agent);
    assert_eq!(again.engine_id, victim.engine_id);
    assert_eq!(again.moment().boots.get(), before.boots.get() + 1);
    let answer = counting(&agent, &[("NotInTimeWindows", 1)], || again.send_octets(&octets, &honest.user));
    assert_eq!(answer, Answer::Report { object: object("NotInTimeWindows").into(), is_signed: true });
    let fresh = again.request(ANN, get(&[UPTIME]));
    assert_eq!(again.send(&fresh).response().error_status, 0);
}

#[test]
fn boots_at_their_end_take_nothing_authentic() {
    for (kept, now) in [((1 << 31) - 2, (1 << 31) - 1), ((1u32 << 31) - 1, (1 << 31) - 1)] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("state")).unwrap();
        let text = format!("engine_id = \"80001f880470656572\"\nboots = {kept}\n");
        let file = folder.path().join("state/engine.toml");
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let agent = Agent::start_in(folder, &config([ANN, Who::new("-", "-")]));
        let victim = Victim::discover(&agent);
        assert_eq!(victim.moment().boots.get(), now);
        let honest = victim.request(ANN, get(&[UPTIME]));
        reported(&agent, &victim, &honest, "NotInTimeWindows");
        let plain = victim.plain(b"-+-", get(&[UPTIME]));
        assert_eq!(victim.send(&plain).response().error_status, 0);
    }
}

#[test]
fn digests_of_any_other_length_are_wrong() {
    let (agent, victim) = start();
    for auth in super::who::HASHES {
        let who = Who::new(auth, "AES");
        let honest = victim.request(who, get(&[UPTIME]));
        assert_eq!(victim.send(&honest).response().error_status, 0);
        let whole = honest.user.auth().unwrap().protocol().mac_length();
        for length in [0, 1, whole - 1, whole + 1, 64] {
            let forged = Forged { code_length: Some(length), ..honest.clone() };
            reported(&agent, &victim, &forged, "WrongDigests");
        }
    }
}

#[test]
fn no_single_octet_can_be_changed() {
    // Without a level the role would serve a message that no longer says that it is signed.
    let config =
        config(Who::all()).replace("name = \"operator\"", "name = \"operator\"\nlevel = \"authNoPriv\"");
    let agent = Agent::start(&config);
    let victim = Victim::discover(&agent);
    for who in [ANN, Who::new("MD5", "DES"), Who::new("SHA", "-")] {
        let honest = victim.request(who, get(&[UPTIME]));
        let octets = honest.octets();
        assert!(victim.answers(&octets), "{}", who.name());
        for at in 0..octets.len() {
            for bit in [0x01, 0x04, 0x80] {
                let mut changed = octets.clone();
                changed[at] ^= bit;
                assert!(!victim.answers(&changed), "{} octet {at} of {}", who.name(), octets.len());
            }
        }
    }
}

#[test]
fn privacy_without_authentication_does_not_exist() {
    let (agent, victim) = start();
    let honest = victim.request(ANN, get(&[UPTIME]));
    for flags in [0x02, 0x06, 0xfa] {
        let forged = Forged { flags: MsgFlags::from_octet(flags), ..honest.clone() };
        dropped(&agent, &victim, &forged, &[("InvalidMsgs", 1)]);
    }
    // A level below the user's is for the policy to judge: the role allows it here, and nothing is encrypted.
    let forged = Forged { flags: MsgFlags::new(SecurityLevel::NoAuthNoPriv, true), ..honest.clone() };
    assert_eq!(victim.send(&forged).response().error_status, 0);
    // Said to be encrypted, but in the clear.
    let clear = victim.request(Who::new("SHA-256", "-"), get(&[UPTIME]));
    let name = Some(ANN.name().into_bytes());
    let forged = Forged { flags: MsgFlags::new(SecurityLevel::AuthPriv, true), user_name: name, ..clear };
    reported(&agent, &victim, &forged, "DecryptionErrors");
    // Other security models than the User-based one.
    for model in [1, 2, 5, i32::MAX] {
        let forged = Forged { security_model: model, ..honest.clone() };
        dropped(&agent, &victim, &forged, &[("UnknownSecurityModels", 1)]);
    }
    // The Transport Security Model has no parameters (RFC 5591 section 3.3.1), so that this is malformed.
    let forged = Forged { security_model: 4, ..honest };
    dropped(&agent, &victim, &forged, &[]);
}

#[test]
fn responses_and_reports_are_never_answered() {
    let (agent, victim) = start();
    let object = VarBind::new(oid(object("NotInTimeWindows")), Value::Counter32(1));
    for kind in [PduKind::Report, PduKind::Response, PduKind::TrapV2] {
        let pdu = Pdu::new(kind, 1, vec![object.clone()]);
        for flags in [
            MsgFlags::new(SecurityLevel::NoAuthNoPriv, false),
            MsgFlags::new(SecurityLevel::NoAuthNoPriv, true),
        ] {
            // Without keys, by a user who has none and by one who has.
            for name in [b"-+-".as_slice(), ANN.name().as_bytes()] {
                let forged = Forged { flags, ..victim.plain(name, pdu.clone()) };
                let known = if name == b"-+-" { ("UnknownUserNames", 1) } else { ("UnknownPDUHandlers", 1) };
                dropped(&agent, &victim, &forged, &[known]);
            }
        }
        let forged = victim.request(ANN, pdu.clone());
        dropped(&agent, &victim, &forged, &[("UnknownPDUHandlers", 1)]);
        // It says that it comes from another engine, or from none.
        let elsewhere =
            Forged { engine_id: b"\x80\0\0\0\x04else".to_vec(), ..victim.plain(b"", pdu.clone()) };
        dropped(&agent, &victim, &elsewhere, &[("UnknownEngineIDs", 1)]);
    }
    let honest = victim.request(ANN, get(&[UPTIME]));
    assert_eq!(victim.send(&honest).response().error_status, 0);
}

#[test]
fn a_wrong_engine_id_is_answered_with_ours_and_no_more() {
    let (agent, victim) = start();
    let honest = victim.request(ANN, get(&[UPTIME]));
    let id = victim.engine_id.as_bytes();
    let mut other = id.to_vec();
    *other.last_mut().unwrap() ^= 1;
    let longer = [id, &[0]].concat();
    for engine_id in
        [other, longer, id[..id.len() - 1].to_vec(), Vec::new(), vec![0x80], vec![0xaa; 33], vec![0; 200]]
    {
        for flags in [honest.flags, MsgFlags::new(SecurityLevel::NoAuthNoPriv, true)] {
            let forged = Forged { engine_id: engine_id.clone(), flags, ..honest.clone() };
            reported(&agent, &victim, &forged, "UnknownEngineIDs");
        }
        // A message that requests no Report gets none.
        let flags = MsgFlags::new(SecurityLevel::AuthPriv, false);
        let forged = Forged { engine_id, flags, ..honest.clone() };
        dropped(&agent, &victim, &forged, &[("UnknownEngineIDs", 1)]);
    }
    // Our engine in the header, another one's data requested.
    let forged = Forged { context_engine_id: b"\x80\0\0\0\x04else".to_vec(), ..honest.clone() };
    reported(&agent, &victim, &forged, "UnknownPDUHandlers");
    let forged = Forged { context_name: b"cellar".to_vec(), ..honest };
    reported(&agent, &victim, &forged, "UnknownContexts");
}

/// How much memory a flood may cost besides the sockets' buffers.
const ALLOWANCE: u64 = 8 << 20;

#[test]
fn a_flood_of_strangers_costs_no_memory() {
    let (agent, victim) = start();
    let flood = UdpSocket::bind("127.0.0.1:0").unwrap();
    flood.connect(agent.udp()).unwrap();
    let honest = victim.request(ANN, get(&[UPTIME]));
    let engine = Forged { engine_id: b"\x80\0\0\0\x04xxxxxxxx".to_vec(), ..honest.clone() };
    let user = victim.plain(b"xxxxxxxx", get(&[UPTIME]));
    let begin = counts(&agent);
    let mut resident = 0;
    for (round, (forged, counter)) in
        [(&engine, "UnknownEngineIDs"), (&user, "UnknownUserNames")].into_iter().cycle().take(10).enumerate()
    {
        let mut octets = forged.octets();
        let at = octets.windows(8).position(|part| part == b"xxxxxxxx").unwrap();
        for number in 0..10_000u64 {
            octets[at..at + 8].copy_from_slice(&(number << 8 | round as u64).to_be_bytes());
            flood.send(&octets).unwrap();
            // Not more than the agent's buffer holds: each of them is to reach it.
            if number % 64 == 63 {
                victim.moment();
            }
        }
        assert_eq!(victim.send(&honest).response().error_status, 0, "after round {round} of {counter}");
        match round {
            0 | 1 => resident = agent.resident(),
            _ => assert!(agent.resident() < resident + ALLOWANCE, "{} after {resident}", agent.resident()),
        }
    }
    let end = counts(&agent);
    let grown = |counter: &str| end[counter] - begin[counter];
    assert_eq!(grown("UnknownUserNames"), 50_000);
    // Requests sent in between count here too.
    assert!(grown("UnknownEngineIDs") > 50_000, "{}", grown("UnknownEngineIDs"));
}
