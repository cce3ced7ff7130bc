//! SNMP4J and pysnmp as managers of our agent.

use trunkline_testkit::peer::{Kind, Peer};

use super::support::Agent;
use super::usm::config;
use super::who::{Who, counts};

/// Users that both can be, and one of each way to extend keys.
pub const USERS: [Who; 9] = [
    Who::new("-", "-"),
    Who::new("MD5", "DES"),
    Who::new("SHA", "AES"),
    Who::new("SHA-256", "AES"),
    Who::new("SHA-512", "AES-256"),
    Who::new("SHA-224", "AES-192"),
    Who::new("SHA-384", "-"),
    Who::new("SHA", "AES-256-C"),
    Who::new("MD5", "AES-192-C"),
];

const SYSTEM: &str = "1.3.6.1.2.1.1";
const NAME: &str = "1.3.6.1.2.1.1.5.0";

/// Tells the peer of these users.
pub fn introduce(peer: &mut Peer, users: &[Who]) {
    for who in users {
        let word = |has: bool, password: String| if has { password } else { "-".into() };
        let auth = word(who.auth != "-", who.auth_password());
        let privacy = word(who.privacy != "-", who.priv_password());
        peer.user(&who.name(), (who.auth, &auth), (who.privacy, &privacy));
    }
}

/// Everything that a manager does, as each of the users and with both communities.
fn manages(kind: Kind) {
    let users = &USERS;
    let Some(mut peer) = Peer::start(kind) else { return };
    let agent = Agent::start(&config(users.iter().copied()));
    let address = agent.udp().to_string().replace(':', "/");
    introduce(&mut peer, users);
    let walked = peer.ask(&format!("walk {address} v2c:public {SYSTEM}"));
    assert!(walked.parse::<u32>().unwrap() > 8, "{walked}");
    let communities = ["v1:private", "v2c:private"].map(String::from);
    for who in communities.into_iter().chain(users.iter().map(|who| who.with_level())) {
        let value = format!("named-by-{}", who.replace([':', '+'], "-"));
        let named = format!("{NAME}={value}");
        assert_eq!(peer.ask(&format!("set {address} {who} {NAME} s {value}")), named, "{kind:?} {who}");
        assert_eq!(peer.ask(&format!("get {address} {who} {NAME}")), named, "{kind:?} {who}");
        assert_eq!(peer.ask(&format!("next {address} {who} 1.3.6.1.2.1.1.5")), named, "{kind:?} {who}");
        if !who.starts_with("v1:") {
            assert_eq!(peer.ask(&format!("walk {address} {who} {SYSTEM}")), walked, "{kind:?} {who}");
            let many = peer.ask(&format!("bulk {address} {who} 1.3.6.1.2.1.1.4"));
            assert!(many.contains(&named) && many.split(" | ").count() > 5, "{kind:?} {who}: {many}");
        }
        let refused = peer.tell(&format!("set {address} {who} 1.3.6.1.2.1.1.1.0 s x"));
        assert!(refused.is_err(), "{kind:?} {who}: {refused:?}");
    }
}

#[test]
fn snmp4j_manages_our_agent() {
    manages(Kind::Snmp4j);
}

#[test]
fn pysnmp_manages_our_agent() {
    manages(Kind::Pysnmp);
}

#[test]
fn a_wrong_password_is_reported_to_them_and_counted() {
    let right = Who::new("SHA-256", "AES");
    // Such a Report is not authentic: SNMP4J does not believe it and asks again.
    for (kind, words) in [(Kind::Snmp4j, "no response"), (Kind::Pysnmp, "Wrong SNMP PDU digest")] {
        let Some(mut peer) = Peer::start(kind) else { continue };
        let agent = Agent::start(&config([right]));
        let address = agent.udp().to_string().replace(':', "/");
        peer.user(&right.name(), (right.auth, "not-the-password"), (right.privacy, &right.priv_password()));
        let before = counts(&agent);
        let refused = peer.tell(&format!("get {address} {} {NAME}", right.with_level())).unwrap_err();
        let after = counts(&agent);
        assert!(refused.contains(words), "{kind:?}: {refused}");
        let grown = |name: &str| after[name] - before[name];
        assert!((1..=2).contains(&grown("WrongDigests")), "{kind:?}: {after:?}");
        assert_eq!(grown("UnknownEngineIDs"), 1, "{kind:?}: {after:?}");
        assert_eq!(grown("UnknownUserNames") + grown("NotInTimeWindows") + grown("DecryptionErrors"), 0);
    }
}
