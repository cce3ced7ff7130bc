//! Messages without a session, over relays that have neither keys nor rights: each acts once, with the rights of its key, whatever becomes of the agent.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use trunkline_client::netconf::security::{
    Cipher, Direction, Header, Limits, Place, Protection, SealKeys, SignatureMethod, Time, claimed, seal,
};
use trunkline_client::netconf::{
    MessageKeys, NetconfOptions, NetconfSession, OwnKeys, open_stored, seal_stored,
};
use trunkline_client::{Defaults, Error, NetconfTarget};

use crate::hooks::{bgp, edit, global};
use crate::protected::{configuration, edit_keys, epoch, keys, runtime};
use crate::support::Agent;

const DAY: Duration = Duration::from_secs(86_400);
const CONTACT: &str = "<get><filter><SNMPv2-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB\"><system><sysContact/><sysUpTime/></system></SNMPv2-MIB></filter></get>";

fn config(more: &str) -> String {
    configuration().replace("[netconf]\n", "[netconf]\ndevice = \"router-1\"\n") + more
}

/// A device with keys of the roles `reader`, `some` and `writer`.
fn device(more: &str) -> Agent {
    let agent = Agent::start(&config(more));
    edit_keys(&agent, &(epoch("reader", 1, "") + &epoch("some", 7, "") + &epoch("writer", 1, "")));
    agent
}

fn ours(name: &str) -> MessageKeys {
    keys(name, Protection::default())
}

fn sealed(name: &str, operation: &str) -> Vec<u8> {
    seal_stored(&ours(name), &"router-1".parse().unwrap(), DAY, operation.as_bytes()).unwrap()
}

/// Over plain TCP, without keys. The community is for other addresses.
fn relayed(agent: &Agent, message: &[u8]) -> Result<Vec<u8>, Error> {
    relayed_to(agent.address("tcp"), message)
}

fn relayed_to(address: SocketAddr, message: &[u8]) -> Result<Vec<u8>, Error> {
    let target = format!("netconf+tcp://{address}");
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    runtime().block_on(async {
        let session = NetconfSession::open(&target, NetconfOptions::default()).await?;
        let reply = session.relay(message).await;
        session.close().await;
        reply
    })
}

/// What it asks is done, or refused: the reply, opened.
fn done(agent: &Agent, name: &str, message: &[u8]) -> String {
    let reply = relayed(agent, message).unwrap();
    String::from_utf8(open_stored(&ours(name), message, &reply, 1 << 20).unwrap()).unwrap()
}

fn contact(value: &str) -> String {
    let system = format!(
        "<system xmlns=\"urn:ietf:params:xml:ns:yang:ietf-system\"><contact>{value}</contact></system>"
    );
    edit("running", &system)
}

#[test]
fn a_relay_without_keys_carries_what_acts_with_the_rights_of_its_key() {
    let agent = device("");
    let read = done(&agent, "reader/1/ann", &sealed("reader/1/ann", CONTACT));
    assert!(read.contains("<sysContact>") && read.contains("<sysUpTime>"), "{read}");
    let line = agent.wait_for("a stored message is accepted");
    for part in ["user=ann", "role=\"reader\"", "key=reader/1/ann", "relay="] {
        assert!(line.contains(part), "{line}");
    }
    let read = done(&agent, "some/7/bob", &sealed("some/7/bob", CONTACT));
    assert!(!read.contains("<sysContact>") && read.contains("<sysUpTime>"), "{read}");
    let refused = done(&agent, "reader/1/ann", &sealed("reader/1/ann", &contact("ann")));
    assert!(refused.contains("access-denied"), "{refused}");
    let changed = done(&agent, "writer/1/max", &sealed("writer/1/max", &contact("by max")));
    assert!(changed.contains("<ok/>"), "{changed}");
    let line = agent.wait_for("running is edited");
    assert!(line.contains("user=max"), "{line}");
    let read = done(&agent, "reader/1/ann", &sealed("reader/1/ann", CONTACT));
    assert!(read.contains("<sysContact>by max</sysContact>"), "{read}");
}

#[test]
fn every_protection_and_a_session_of_somebody_else_carry_it_too() {
    let agent = device("");
    let session = crate::ours::open_over_ssh(&agent, "max", NetconfOptions::default()).unwrap();
    for protection in [
        Protection { cipher: Some(Cipher::Aes128Cbc), signature: SignatureMethod::HmacSha1 },
        Protection { cipher: None, signature: SignatureMethod::HmacSha256 },
    ] {
        let keys = keys("reader/1/ann", protection);
        let message =
            seal_stored(&keys, &"router-1".parse().unwrap(), DAY, contact("no right").as_bytes()).unwrap();
        runtime().block_on(async {
            let reply = session.relay(&message).await.unwrap();
            // max may, ann may not
            let reply = open_stored(&keys, &message, &reply, 1 << 20).unwrap();
            assert!(String::from_utf8(reply).unwrap().contains("access-denied"));
            session.done(contact("max himself").as_bytes()).await.unwrap();
        });
    }
    runtime().block_on(session.close());
}

#[test]
fn a_message_acts_once_also_over_a_restart() {
    let agent = device("");
    let message = sealed("writer/1/max", &contact("once"));
    assert!(done(&agent, "writer/1/max", &message).contains("<ok/>"));
    let again = done(&agent, "writer/1/max", &message);
    assert!(again.contains("was accepted before"), "{again}");
    agent.signal("KILL");
    let agent = Agent::start_in(agent.into_folder(), &config(""));
    let again = done(&agent, "writer/1/max", &message);
    assert!(again.contains("was accepted before"), "{again}");
    let line = agent.wait_for("a stored message is refused");
    assert!(line.contains("user=max") && line.contains("role=\"writer\""), "{line}");
    assert!(done(&agent, "writer/1/max", &sealed("writer/1/max", &contact("twice"))).contains("<ok/>"));
}

/// The number is on disk before a program begins to apply the change, so that the message does not act after the kill.
#[test]
fn a_kill_between_keeping_and_acting_lets_nothing_act_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (program, gate, steps) =
        (folder.path().join("program"), folder.path().join("gate"), folder.path().join("steps"));
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let text = format!(
        "#!/bin/sh\ncat > /dev/null\necho $1 >> {}\n[ -e {}/open ] || read line < {}\n",
        steps.display(),
        folder.path().display(),
        gate.display()
    );
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let hook = format!("[[netconf.hook]]\nsubtree = \"/trunkline-bgp:bgp\"\ncommand = [{program:?}]\n");
    let agent = device(&hook);
    let message = sealed("writer/1/max", &edit("running", &bgp(&global(65001))));
    let address = agent.address("tcp");
    let sent = std::thread::scope(|threads| {
        let sending = threads.spawn(|| relayed_to(address, &message));
        agent.wait_for("a stored message is accepted");
        agent.signal("KILL");
        sending.join().unwrap()
    });
    assert!(sent.is_err());
    let folder_of_agent = agent.into_folder();
    // The program of the agent that was killed goes on, if it had begun.
    fs::write(folder.path().join("open"), "").unwrap();
    let number = claimed(&message, &Limits::MESSAGE).unwrap().number.to_string();
    let agent = Agent::start_in(folder_of_agent, &config(&hook));
    let again = done(&agent, "writer/1/max", &message);
    assert!(again.contains("was accepted before") && again.contains(&number), "{again}");
    let read = done(
        &agent,
        "reader/1/ann",
        &sealed("reader/1/ann", "<get-config><source><running/></source></get-config>"),
    );
    assert!(!read.contains("65001"), "{read}");
}

#[test]
fn what_is_not_for_now_is_refused_and_only_its_user_learns_why() {
    let agent = device("");
    let now = SystemTime::now();
    let hour = Duration::from_secs(3600);
    let keys = ours("writer/1/max");
    let OwnKeys::Shared(own) = &keys.own else { panic!() };
    let sealed_at = |device: &str, time: SystemTime, expires: SystemTime, direction: Direction| {
        let header = Header {
            direction,
            place: Place::Device(device.parse().unwrap()),
            number: 77,
            in_reply_to: (direction == Direction::Reply).then_some(1),
            time: Time::from(time),
            expires: Some(Time::from(expires)),
            compression: None,
            role: None,
        };
        let rpc = format!(
            "<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"1\">{}</rpc>",
            contact("never")
        );
        let mut message = Vec::new();
        let sealing = SealKeys::shared(&keys.name, own);
        seal(&header, rpc.as_bytes(), &sealing, keys.protection, &[7; 16], &mut message).unwrap();
        message
    };
    for (time, expires, words) in [
        (now - 2 * hour, now - hour, "expired at"),
        (now + hour, now + 2 * hour, "more than 150 s from"),
        (now, now + 31 * DAY, "more than 30 days after its time"),
    ] {
        let refused = done(&agent, "writer/1/max", &sealed_at("router-1", time, expires, Direction::Request));
        assert!(refused.contains(words) && refused.contains("access-denied"), "{refused}");
    }
    let other = sealed_at("router-2", now, now + hour, Direction::Request);
    let refused = relayed(&agent, &other).unwrap_err().to_string();
    assert!(refused.contains("for the device router-2") && refused.contains("router-1"), "{refused}");
    let reply = sealed_at("router-1", now, now + hour, Direction::Reply);
    let refused = relayed(&agent, &reply).unwrap_err().to_string();
    assert!(refused.contains("does not accept"), "{refused}");
    agent.wait_for("a reply is not accepted on this side");
}

#[test]
fn keys_that_are_not_valid_and_changed_messages_do_nothing() {
    let agent = device("");
    edit_keys(&agent, &epoch("reader", 0, "<expires>2026-01-01T00:00:00Z</expires>"));
    let mut changed = sealed("reader/1/ann", CONTACT);
    let at = changed.windows(8).position(|it| it == b"<number>").unwrap() + 8;
    changed[at] = if changed[at] == b'1' { b'2' } else { b'1' };
    for (message, words) in [
        (sealed("reader/0/ann", CONTACT), "no key is called reader/0/ann"),
        (sealed("reader/2/ann", CONTACT), "no key is called reader/2/ann"),
        (changed, "not authentic"),
    ] {
        let refused = relayed(&agent, &message).unwrap_err().to_string();
        assert!(
            refused.contains("does not accept the message") && refused.contains("valid now"),
            "{refused}"
        );
        agent.wait_for(words);
    }
}

#[test]
fn what_needs_a_session_is_refused() {
    let agent = device("");
    let subscription = "<create-subscription xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\"/>";
    for operation in [
        "<lock><target><running/></target></lock>",
        "<unlock><target><running/></target></unlock>",
        "<close-session/>",
        "<kill-session><session-id>1</session-id></kill-session>",
        "<commit><confirmed/></commit>",
        "<cancel-commit/>",
        subscription,
    ] {
        let refused = done(&agent, "writer/1/max", &sealed("writer/1/max", operation));
        assert!(
            refused.contains("operation-not-supported") && refused.contains("without one"),
            "{operation}: {refused}"
        );
    }
    for malformed in ["<get", "<get/><get/>", ""] {
        let refused = done(&agent, "writer/1/max", &sealed("writer/1/max", malformed));
        assert!(refused.contains("<rpc-error>"), "{malformed}: {refused}");
    }
}

#[test]
fn a_number_that_cannot_be_kept_keeps_the_message_from_acting() {
    let agent = device("");
    let state = agent.folder.path().join("state");
    // In the place where the new file is written first.
    let obstacle = state.join("messages.toml.new");
    fs::create_dir(&obstacle).unwrap();
    let message = sealed("writer/1/max", &contact("kept"));
    let refused = done(&agent, "writer/1/max", &message);
    assert!(refused.contains("cannot be kept") && refused.contains("resource-denied"), "{refused}");
    fs::remove_dir(&obstacle).unwrap();
    assert!(done(&agent, "writer/1/max", &message).contains("<ok/>"));
}

/// Without `device` nothing of this is there, and a relay that says something of its own gets nothing.
#[test]
fn a_relay_may_do_nothing_else() {
    let agent = device("");
    let target = format!("netconf+tcp://{}", agent.address("tcp"));
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    let asked = runtime().block_on(async {
        let session = NetconfSession::open(&target, NetconfOptions::default()).await?;
        session.rpc_octets(b"<get/>").await
    });
    let (reply, _) = asked.unwrap();
    assert!(String::from_utf8(reply).unwrap().contains("access-denied"));
    agent.wait_for("protects no messages");
    let plain = Agent::start(&configuration());
    edit_keys(&plain, &epoch("reader", 1, ""));
    let refused = relayed(&plain, &sealed("reader/1/ann", CONTACT)).unwrap_err().to_string();
    assert!(refused.contains("accepts no messages for a device"), "{refused}");
}
