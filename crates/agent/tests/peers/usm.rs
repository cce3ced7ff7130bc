//! Net-SNMP's tools against our agent with SNMPv3: every pair of protocols, every transport, and what they say when
//! something is wrong.

use super::support::{Agent, BOTH};
use super::who::{OPERATOR, Who, counting, run};

/// The objects that can be written, one for each thread, so that nobody reads what another wrote.
const WRITABLE: [&str; 3] = [".1.3.6.1.2.1.1.4.0", ".1.3.6.1.2.1.1.5.0", ".1.3.6.1.2.1.1.6.0"];

/// An agent with these users and, for everything outside SNMPv3, two communities.
pub fn config(users: impl IntoIterator<Item = Who>) -> String {
    let users: String = users.into_iter().map(|who| who.section("operator")).collect();
    format!("{BOTH}[freshness]\ndefault = \"1h\"\n{OPERATOR}{users}")
}

#[test]
fn every_pair_of_protocols_gets_walks_and_sets() {
    let agent = Agent::start(&config(Who::all()));
    let peer = format!("udp:{}", agent.udp());
    let community = ["-v2c", "-c", "public"].map(String::from);
    let Some((_, plain, _)) = run("snmpbulkwalk", &community, &[&peer, ".1.3.6.1.2.1.1"]) else { return };
    let names = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name.to_string()).collect()
    };
    let expected = names(&plain);
    assert!(expected.len() > 8, "{plain}");

    let all: Vec<Who> = Who::all().collect();
    let check = |who: Who, object: &str| {
        let tool = |tool: &str, more: &[&str]| {
            let (code, stdout, stderr) =
                run(tool, &who.options(), &[&[peer.as_str()], more].concat()).unwrap();
            assert_eq!(code, 0, "{tool} as {}: {stdout}{stderr}", who.name());
            stdout
        };
        let written = format!("{object} = STRING: \"{}\"\n", who.name());
        assert_eq!(tool("snmpset", &[object, "s", &who.name()]), written);
        assert_eq!(tool("snmpget", &[object]), written);
        assert_eq!(names(&tool("snmpbulkwalk", &[".1.3.6.1.2.1.1"])), expected, "{}", who.name());
    };
    std::thread::scope(|scope| {
        for (part, object) in all.chunks(all.len().div_ceil(WRITABLE.len())).zip(WRITABLE) {
            scope.spawn(move || part.iter().for_each(|who| check(*who, object)));
        }
    });
}

#[test]
fn tcp_and_ipv6_speak_it_too() {
    let users = [
        Who::new("SHA-256", "AES"),
        Who::new("SHA-512", "AES-256"),
        Who::new("MD5", "DES"),
        Who::new("SHA", "-"),
    ];
    let listen = "listen = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"";
    let config = config(users).replace(listen, &format!("{listen}, \"udp://[::1]:0\", \"tcp://[::1]:0\""));
    let agent = Agent::start(&config);
    for url in &agent.listening {
        let (scheme, address) = url.split_once("://").unwrap();
        let six = if address.starts_with('[') { "6" } else { "" };
        let peer = format!("{scheme}{six}:{address}");
        for who in users {
            let Some((code, stdout, stderr)) =
                run("snmpbulkwalk", &who.options(), &[&peer, ".1.3.6.1.2.1.1"])
            else {
                return;
            };
            assert_eq!(code, 0, "{peer} {}: {stderr}", who.name());
            assert!(stdout.lines().count() > 8, "{peer} {}: {stdout}", who.name());
        }
    }
}

#[test]
fn errors_are_reported_and_counted() {
    let (both, signs, plain) = (Who::new("SHA-256", "AES"), Who::new("SHA", "-"), Who::new("-", "-"));
    let agent = Agent::start(&config([both, signs, plain]));
    let peer = agent.udp().to_string();
    let change = |who: Who, key: &str, value: &str| {
        let mut options = who.options();
        match options.iter().position(|option| option == key) {
            Some(at) => options[at + 1] = value.into(),
            None => options.extend([key.into(), value.into()]),
        }
        options
    };
    // Without the tool nothing is counted.
    let Some(_) = run("snmpget", &[], &["-V"]) else { return };
    // A tool that does not know the engine discovers it first, and the engine counts that.
    let discovery = ("UnknownEngineIDs", 1);
    for (options, words, counter) in [
        (change(both, "-A", "wrong words"), "Authentication failure", "WrongDigests"),
        (change(both, "-a", "SHA-512"), "Authentication failure", "WrongDigests"),
        (change(both, "-X", "wrong words"), "Decryption error", "DecryptionErrors"),
        (change(both, "-u", "nobody"), "Unknown user name", "UnknownUserNames"),
        (change(plain, "-u", "nobody"), "Unknown user name", "UnknownUserNames"),
        (
            [
                &change(signs, "-l", "authPriv")[..],
                &["-x".into(), "AES".into(), "-X".into(), "maplesyrup".into()],
            ]
            .concat(),
            "Unsupported security level",
            "UnsupportedSecLevels",
        ),
        (change(both, "-n", "cellar"), "Bad context specified", "UnknownContexts"),
        // So it calls a Report of snmpUnknownPDUHandlers.
        (change(both, "-E", "0x80001f8804aabbcc"), "Bad version specified", "UnknownPDUHandlers"),
    ] {
        let expected = [(counter, 1), discovery];
        let ask = || run("snmpget", &options, &[&peer, ".1.3.6.1.2.1.1.3.0"]);
        let Some((code, stdout, stderr)) = counting(&agent, &expected, ask) else { return };
        assert!(code != 0 && stdout.is_empty(), "{options:?}: {stdout}");
        assert!(stderr.contains(words), "{options:?}: {words:?} expected: {stderr}");
    }
    // All is well, and nothing but the discovery is counted.
    let ask = || run("snmpget", &both.options(), &[&peer, ".1.3.6.1.2.1.1.3.0"]);
    assert_eq!(counting(&agent, &[discovery], ask).unwrap().0, 0);
}

#[test]
fn an_engine_reports_its_id_for_the_local_engine() {
    let who = Who::new("SHA-256", "AES");
    let agent = Agent::start(&config([who]));
    let peer = agent.udp().to_string();
    let engine_id = ".1.3.6.1.6.3.10.2.1.1.0";
    let Some((_, known, _)) = run("snmpget", &who.options(), &[&peer, engine_id]) else { return };
    // RFC 5343: contextEngineID localEngineID.
    let (code, found, stderr) =
        run("snmpget", &who.options(), &["-E", "0x8000000006", &peer, engine_id]).unwrap();
    assert_eq!((code, &found), (0, &known), "{stderr}");
    assert!(known.contains("Hex-STRING: 80 00 1F 88 05 "), "{known}");
}
