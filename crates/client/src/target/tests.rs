//! Targets in every form, and each possible mistake.

use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::EngineId;

use super::*;

fn target(text: &str) -> Target {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
fn check(text: &str, transport: Transport, host: &str, port: u16) {
    let target = target(text);
    assert_eq!((target.transport, target.host.as_str(), target.port), (transport, host, port), "{text}");
}

#[test]
fn urls() {
    check("snmp://router", Transport::Udp, "router", 161);
    check("snmp://public@router:1161/IF-MIB::ifTable", Transport::Udp, "router", 1161);
    check("snmp+tcp://[2001:db8::1]:1161", Transport::Tcp, "2001:db8::1", 1161);
    check("snmp+udp://[fe80::1%eth0]", Transport::Udp, "fe80::1%eth0", 161);
    check("SNMP://192.0.2.1/", Transport::Udp, "192.0.2.1", 161);
}

#[test]
fn the_object_of_a_url_with_and_without_the_empty_context() {
    for text in ["snmp://h/1.3.6", "snmp://h//1.3.6", "snmp://h:1/%31.3.6?version=1"] {
        assert_eq!(target(text).path.as_deref(), Some("1.3.6"), "{text}");
    }
    for text in ["snmp://h", "snmp://h/", "snmp://h//"] {
        assert_eq!(target(text).path, None, "{text}");
    }
}

fn community(target: &Target) -> (&[u8], Version) {
    match &target.credentials {
        Credentials::Community { version, community } => (community, *version),
        other => panic!("{other:?}"),
    }
}

#[test]
fn communities_and_versions() {
    let t = target("snmp://my%40name%00:x@host?version=1");
    assert_eq!(community(&t), (&b"my@name\0:x"[..], Version::V1));
    assert_eq!(community(&target("snmp://@host")), (&b""[..], Version::V2c));
    let defaults = Defaults { version: Version::V1, community: b"c".to_vec(), ..Defaults::default() };
    assert_eq!(community(&Target::parse("host", &defaults).unwrap()), (&b"c"[..], Version::V1));
}

#[test]
fn users_and_contexts() {
    let user = |text: &str, defaults: &Defaults| match Target::parse(text, defaults)?.credentials {
        Credentials::Usm(user) => Ok(user),
        other => panic!("{text}: {other:?}"),
    };
    let none = Defaults { version: Version::V3, ..Defaults::default() };
    let found = user("snmp://an%6e@host/lab%31;8000000001020304/1.3.6", &none).unwrap();
    assert_eq!((found.name(), found.context.as_slice()), (&b"ann"[..], &b"lab1"[..]));
    assert_eq!(found.context_engine_id, EngineId::from_hex("8000000001020304").ok());
    assert_eq!(user("snmp://host", &none).unwrap_err(), TargetError::NoUser);
    assert_eq!(user("udp:host", &none).unwrap_err(), TargetError::NoUser);
    assert!(matches!(user("snmp://@host", &none), Err(TargetError::User(_))));
    let text = "80zz".to_owned();
    assert_eq!(user("snmp://a@host/;80zz/", &none).unwrap_err(), TargetError::ContextEngine { text });

    let mut bob = UsmCredentials::new(b"bob").unwrap();
    bob.context = b"deep".to_vec();
    let defaults = Defaults { usm: Some(bob), ..Defaults::default() };
    let found = user("snmp://host?version=3", &defaults).unwrap();
    assert_eq!((found.name(), found.context.as_slice()), (&b"bob"[..], &b"deep"[..]));
    let found = user("snmp://ann@host/other/?version=3", &defaults).unwrap();
    assert_eq!((found.name(), found.context.as_slice()), (&b"ann"[..], &b"other"[..]));
    assert_eq!(community(&target("snmp://ann@host")).0, b"ann");
}

#[test]
fn net_snmp_specifications() {
    check("router", Transport::Udp, "router", 161);
    check("router:1161", Transport::Udp, "router", 1161);
    check("udp:router:1161", Transport::Udp, "router", 1161);
    check("tcp:192.0.2.1", Transport::Tcp, "192.0.2.1", 161);
    check("udp6:[::1]:1161", Transport::Udp, "::1", 1161);
    check("udp6:::1", Transport::Udp, "::1", 161);
    check("tcp6:[::1]", Transport::Tcp, "::1", 161);
    check("[::1]:161", Transport::Udp, "::1", 161);
    check("2001:db8::161", Transport::Udp, "2001:db8::161", 161);
    let receiver = Target::parse_receiver("udp:router", &Defaults::default()).unwrap();
    assert_eq!(receiver.port, 162);
    assert_eq!(Target::parse_receiver("snmp://h:9", &Defaults::default()).unwrap().port, 9);
    assert_eq!(target("udp:router").family, Family::V4);
    assert_eq!(target("udp6:router").family, Family::V6);
}

#[test]
fn each_mistake_is_reported() {
    let error = |text: &str| text.parse::<Target>().unwrap_err();
    assert_eq!(error(""), TargetError::NoHost { text: String::new() });
    assert_eq!(error("snmp://public@"), TargetError::NoHost { text: String::new() });
    assert_eq!(error("http://h"), TargetError::Scheme { scheme: "http".into() });
    assert_eq!(error("ipx:h"), TargetError::Transport { transport: "ipx".into() });
    assert_eq!(error("h:0"), TargetError::Port { port: "0".into() });
    assert_eq!(error("h:161x"), TargetError::Port { port: "161x".into() });
    assert_eq!(error("snmp://[::1"), TargetError::Brackets { address: "[::1".into() });
    assert_eq!(error("[1.2.3.4]:1"), TargetError::Brackets { address: "[1.2.3.4]:1".into() });
    assert_eq!(error("snmp://a%4@h"), TargetError::PercentEncoding { part: "community" });
    assert_eq!(error("snmp://h/%ff"), TargetError::PercentEncoding { part: "object" });
    assert_eq!(error("snmp://h/ctx/1.3"), TargetError::Context { context: "ctx".into() });
    for text in [
        "snmp://127.0.0.1:1?community=S3cret",
        "S3cret@127.0.0.1",
        "snmp//S3cret@127.0.0.1",
        "udp:S3cret@h:1",
    ] {
        let words = error(text).to_string();
        assert!(!words.contains("S3cret"), "{words}");
    }
    assert_eq!(error("S3cret@h:1"), TargetError::NoScheme { host: "h:1".into() });
    assert_eq!(error("snmp://h?version=4"), TargetError::Parameter { parameter: "version=4".into() });
}

#[test]
fn the_community_is_never_shown() {
    let t = target("snmp://secret@host/1.3");
    assert_eq!(t.to_string(), "snmp://host:161/1.3");
    assert!(!format!("{t:?}").contains("secret"));
    assert_eq!(target("snmp+tcp://[::1]").to_string(), "snmp+tcp://[::1]:161");
}

#[test]
fn secure_transports_have_their_own_ports_and_the_session_authenticates() {
    for (text, transport, port) in [
        ("snmp+tls://h", Transport::Tls, 10161),
        ("snmp+dtls://h", Transport::Dtls, 10161),
        ("snmp+ssh://h", Transport::Ssh, 5161),
        ("tlstcp:h", Transport::Tls, 10161),
        ("dtlsudp:h", Transport::Dtls, 10161),
        ("ssh:h", Transport::Ssh, 5161),
        ("tls:h:7", Transport::Tls, 7),
    ] {
        check(text, transport, "h", port);
        let asked = target(text).credentials;
        let Credentials::Transport(session) = asked else { panic!("{text}: {asked:?}") };
        assert_eq!((&*session, session.level), (&TsmCredentials::default(), SecurityLevel::AuthPriv));
    }
    assert_eq!(Target::parse_receiver("dtlsudp6:[::1]", &Defaults::default()).unwrap().port, 10162);
    assert_eq!(Target::parse_receiver("snmp+ssh://h", &Defaults::default()).unwrap().port, 5162);
    assert_eq!(target("dtlsudp6:[::1]").family, Family::V6);
    // Whatever version is spoken over UDP.
    let defaults = Defaults { version: Version::V1, ..Defaults::default() };
    assert!(matches!(
        Target::parse("snmp+tls://h", &defaults).unwrap().credentials,
        Credentials::Transport(_)
    ));
}

#[test]
fn other_messages_are_carried_in_secure_sessions_if_requested() {
    assert_eq!(community(&target("snmp+tls://h?version=2c")), (&b"public"[..], Version::V2c));
    assert_eq!(community(&target("snmp+dtls://c@h?version=1")), (&b"c"[..], Version::V1));
    let ann = UsmCredentials::new(b"ann").unwrap();
    let user = |text: &str, inside| {
        let defaults = Defaults { inside, usm: Some(ann.clone()), ..Defaults::default() };
        match Target::parse(text, &defaults).unwrap().credentials {
            Credentials::Usm(user) => String::from_utf8(user.name().to_vec()).unwrap(),
            other => panic!("{text}: {other:?}"),
        }
    };
    assert_eq!(user("snmp+tls://h?security=usm", Inside::Transport), "ann");
    assert_eq!(user("snmp+tls://bob@h?version=3&security=usm", Inside::Transport), "bob");
    assert_eq!(user("tlstcp:h", Inside::User), "ann");
    assert_eq!(user("snmp+tls://h?version=3", Inside::User), "ann");
    let defaults = Defaults { inside: Inside::Community(Version::V2c), ..Defaults::default() };
    let of = |text: &str| Target::parse(text, &defaults).unwrap().credentials;
    assert!(matches!(of("ssh:h"), Credentials::Community { version: Version::V2c, .. }));
    assert!(matches!(of("snmp+ssh://h?version=3"), Credentials::Transport(_)));
    assert!(matches!(of("snmp+ssh://h?security=tsm"), Credentials::Transport(_)));
}

#[test]
fn over_ssh_the_login_is_before_the_host() {
    for (text, login) in [
        ("snmp+ssh://ann@h", Some("ann")),
        ("snmp+ssh://a%40b@h/1.3", Some("a@b")),
        ("ssh:ann@h:22", Some("ann")),
        ("ssh:h", None),
        ("snmp+ssh://h", None),
    ] {
        assert_eq!(target(text).login.as_deref(), login, "{text}");
    }
    for text in ["snmp+ssh://ann:s3cret@h", "ssh:ann:s3cret@h"] {
        let error = text.parse::<Target>().unwrap_err();
        assert_eq!(error, TargetError::SshPassword);
        assert!(!error.to_string().contains("s3cret"));
    }
    let v2c = target("snmp+ssh://ann@h?version=2c");
    assert_eq!((community(&v2c).0, v2c.login.as_deref()), (&b"public"[..], Some("ann")));
}

#[test]
fn contexts_of_secure_sessions() {
    let asked = target("snmp+tls://h/lab;8000000001020304/1.3").credentials;
    let Credentials::Transport(session) = asked else { panic!("{asked:?}") };
    assert_eq!(session.context, b"lab");
    assert_eq!(session.context_engine_id, EngineId::from_hex("8000000001020304").ok());
    let error = |text: &str| text.parse::<Target>().unwrap_err();
    assert_eq!(error("snmp+tls://ann@h"), TargetError::WhoIsProved { transport: "tls" });
    assert_eq!(error("snmp://h?security=tsm"), TargetError::NothingProved { transport: "udp" });
    let parameter = |text: &str| TargetError::Parameter { parameter: text.into() };
    assert_eq!(error("snmp+tls://h?version=2c&security=usm"), parameter("security=usm"));
    assert_eq!(error("snmp+tls://h?security=ssl"), parameter("security=ssl"));
}

#[test]
fn snmp_over_http() {
    check("snmp+http://router", Transport::Http, "router", 80);
    check("snmp+https://[2001:db8::1]:8443/ifTable", Transport::Https, "2001:db8::1", 8443);
    let t = target("snmp+http://c@router/ifTable?version=1&path=/management/snmp");
    assert_eq!((community(&t), t.path.as_deref()), ((&b"c"[..], Version::V1), Some("ifTable")));
    assert_eq!(t.http.path.as_deref(), Some("/management/snmp"));
    assert_eq!(target("snmp+http://router").http, HttpWay::default());
    assert!(matches!(target("snmp+https://router").credentials, Credentials::Transport(_)));
    for (text, parameter) in
        [("snmp+http://router?path=snmp", "path=snmp"), ("snmp://router?path=/snmp", "path=/snmp")]
    {
        let error = Target::parse(text, &Defaults::default()).unwrap_err();
        assert_eq!(error, TargetError::Parameter { parameter: parameter.into() }, "{text}");
    }
}
