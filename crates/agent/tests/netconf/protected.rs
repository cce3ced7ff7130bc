//! Messages that protect themselves, over plain TCP and inside SSH: whose keys open a session, what they may do, and what is refused.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};

use trunkline_client::netconf::protocol::compression::Algorithm;
use trunkline_client::netconf::security::{Cipher, KeyName, Protection, RoleKeys, SignatureMethod};
use trunkline_client::netconf::{MessageKeys, NetconfOptions, NetconfSession, OwnKeys};
use trunkline_client::{Bound, Defaults, Error, NetconfTarget, Session};

use crate::client::PASSWORD;
use crate::support::Agent;

const AUTHENTICATION: [u8; 16] = [0x11; 16];
const ENCRYPTION: [u8; 16] = [0x22; 16];

/// Sessions end on the runtime that they were opened on.
pub fn runtime() -> &'static tokio::runtime::Runtime {
    static RUNTIME: std::sync::LazyLock<tokio::runtime::Runtime> = std::sync::LazyLock::new(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    });
    &RUNTIME
}

/// An agent that max configures over SSH, and that has keys of the roles `reader`, epoch 1, and `some`, epoch 7.
fn agent() -> Agent {
    let agent = Agent::start(&configuration());
    edit_keys(&agent, &(epoch("reader", 1, "") + &epoch("some", 7, "")));
    agent
}

/// The same without keys.
pub fn configuration() -> String {
    let hash = trunkline_transport::ssh::PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    format!(
        "[freshness]\ndefault = \"1h\"\n[netconf]\nlisten = [\"tcp://127.0.0.1:0\", \"ssh://127.0.0.1:0\"]\ncommunity = \"public\"\n\
         [snmp]\nlisten = []\n[[snmp.community]]\nname = \"public\"\nrole = \"some\"\nsources = [\"192.0.2.0/24\"]\n\
         [[role]]\nname = \"some\"\nread = [\"1.3.6.1.2.1.1\", \"-1.3.6.1.2.1.1.4\"]\n\
         [[role]]\nname = \"reader\"\nread = [\"1\"]\nlevel = \"authNoPriv\"\n\
         [[role]]\nname = \"writer\"\nread = [\"1\"]\nwrite = [\"1\"]\n[[snmp.principal]]\n\
         name = \"max\"\nrole = \"writer\"\npassword-hash = {hash:?}\n"
    )
}

pub fn epoch(role: &str, number: u32, more: &str) -> String {
    let hex = |octets: &[u8]| octets.iter().map(|it| format!("{it:02x}")).collect::<Vec<_>>().join(":");
    format!(
        "<role><name>{role}</name><epoch><number>{number}</number><authentication-key>{}</authentication-key>\
         <encryption-key>{}</encryption-key>{more}</epoch></role>",
        hex(&AUTHENTICATION),
        hex(&ENCRYPTION)
    )
}

pub fn edit_keys(agent: &Agent, keys: &str) {
    let session = crate::ours::open_over_ssh(agent, "max", NetconfOptions::default()).unwrap();
    let config = format!(
        "<edit-config><target><running/></target><config><keys xmlns=\"urn:trunkline:yang:keys\">{keys}</keys></config></edit-config>"
    );
    runtime().block_on(async {
        session.done(config.as_bytes()).await.unwrap();
        session.close().await;
    });
}

pub fn keys(name: &str, protection: Protection) -> MessageKeys {
    let name: KeyName = name.parse().unwrap();
    let own = RoleKeys::new(&AUTHENTICATION, &ENCRYPTION).unwrap().of_user(name.user());
    MessageKeys { name, own: OwnKeys::Shared(own), protection }
}

fn open(agent: &Agent, keys: MessageKeys) -> Result<NetconfSession, Error> {
    let target = format!("netconf+tcp://{}", agent.address("tcp"));
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    let options = NetconfOptions::default().with_keys(Some(keys));
    runtime().block_on(NetconfSession::open(&target, options))
}

async fn reads(session: &NetconfSession, name: &str) -> bool {
    let read = session.get(&[name.parse().unwrap()]).await.unwrap();
    matches!(read.bindings[0].value, Bound::Value(_))
}

#[test]
fn keys_of_a_role_open_a_session_with_its_rights() {
    let agent = agent();
    for (cipher, signature) in [
        (Some(Cipher::Aes128Gcm), SignatureMethod::HmacSha256),
        (Some(Cipher::Aes256Gcm), SignatureMethod::HmacSha256),
        (Some(Cipher::Aes128Cbc), SignatureMethod::HmacSha1),
        (None, SignatureMethod::HmacSha256),
    ] {
        let protection = Protection { cipher, signature };
        let reader = open(&agent, keys("reader/1/ann", protection)).unwrap();
        // Whoever has the role's keys can be anybody in it, which the log shows.
        agent.wait_for("user=ann keys=\"reader/1\" transport=TCP");
        let some = open(&agent, keys("some/7/bob", protection)).unwrap();
        runtime().block_on(async {
            assert!(reads(&reader, "1.3.6.1.2.1.1.4.0").await && reads(&reader, "1.3.6.1.2.1.2.1.0").await);
            assert!(reads(&some, "1.3.6.1.2.1.1.3.0").await);
            assert!(!reads(&some, "1.3.6.1.2.1.1.4.0").await && !reads(&some, "1.3.6.1.2.1.2.1.0").await);
            let refused = reader.done(b"<lock><target><running/></target></lock>").await;
            assert!(refused.unwrap_err().to_string().contains("right"));
            let (own, _cost) = reader.rpc_octets(SESSIONS).await.unwrap();
            let own = String::from_utf8(own).unwrap();
            assert!(
                own.contains("<username>ann</username>") && own.contains("<username>bob</username>"),
                "{own}"
            );
            reader.close().await;
            some.close().await;
        });
    }
}

const SESSIONS: &[u8] = b"<get><filter><netconf-state xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\"><sessions/></netconf-state></filter></get>";

#[test]
fn what_is_sealed_can_be_compressed_and_large() {
    let agent = agent();
    let target = format!("netconf+tcp://{}", agent.address("tcp"));
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    let read = |compression: Option<Algorithm>| {
        let keys = Some(keys("reader/1/ann", Protection::default()));
        let options = NetconfOptions::default().with_keys(keys).with_compression(compression);
        runtime().block_on(async {
            let session = NetconfSession::open(&target, options).await.unwrap();
            let library = b"<get><filter><yang-library xmlns=\"urn:ietf:params:xml:ns:yang:ietf-yang-library\"/></filter></get>";
            let read = session.rpc_octets(library).await.unwrap();
            session.close().await;
            read
        })
    };
    let plain = read(None);
    for algorithm in Algorithm::ALL {
        let packed = read(Some(algorithm));
        assert_eq!(packed.0, plain.0);
        assert!(packed.1.response_octets * 3 < plain.1.response_octets);
    }
}

/// What is being protected counts with what waits for peers: there is half of that for one session, and a whole message takes its part.
#[test]
fn a_reply_that_there_is_no_room_to_protect_is_refused() {
    let text = b"<get-schema xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\"><identifier>trunkline-rbac</identifier></get-schema>";
    let ask = |agent: &Agent, request: &[u8]| {
        let target = format!("netconf+tcp://{}", agent.address("tcp"));
        let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
        let options = NetconfOptions::default().with_keys(Some(keys("reader/1/ann", Protection::default())));
        runtime().block_on(async {
            let session = NetconfSession::open(&target, options).await.unwrap();
            let asked = session.rpc_octets(request).await;
            // The session goes on.
            assert!(reads(&session, "1.3.6.1.2.1.1.3.0").await);
            assert!(session.rpc_octets(text).await.is_ok());
            session.close().await;
            asked
        })
    };
    let little = Agent::start(&format!("[agent]\nwaiting-output = 1048576\n{}", configuration()));
    edit_keys(&little, &epoch("reader", 1, ""));
    let usual = agent();
    let refused = ask(&little, b"<get/>").unwrap();
    let words = String::from_utf8(refused.0).unwrap();
    assert!(
        words.contains("<error-tag>too-big<") && words.contains("cannot be protected at once"),
        "{words}"
    );
    assert!(ask(&usual, b"<get/>").unwrap().0.len() > 1 << 18);
}

/// A wrong key, an epoch that is over or never was, a role that is not there: one error for all, and the log knows why.
#[test]
fn keys_that_are_not_valid_open_nothing() {
    let agent = agent();
    edit_keys(&agent, &epoch("reader", 0, "<expires>2026-01-01T00:00:00Z</expires>"));
    let mut wrong = keys("reader/1/ann", Protection::default());
    wrong.own = OwnKeys::Shared(RoleKeys::new(&[9; 16], &ENCRYPTION).unwrap().of_user(wrong.name.user()));
    let mut other_user = keys("reader/1/ann", Protection::default());
    other_user.name = "reader/1/eve".parse().unwrap();
    for keys in [
        wrong,
        other_user,
        keys("reader/0/ann", Protection::default()),
        keys("reader/2/ann", Protection::default()),
        keys("writer/1/ann", Protection::default()),
    ] {
        let name = keys.name.to_string();
        let error = open(&agent, keys).map(drop).unwrap_err().to_string();
        assert!(error.contains("without protection") && error.contains("valid now"), "{name}: {error}");
    }
    agent.wait_for("no key is called reader/2/ann");
}

/// A new epoch, and the old one's end: the session that is open is refused with its next message.
#[test]
fn an_epoch_ends_within_its_sessions() {
    let agent = agent();
    let session = open(&agent, keys("reader/1/ann", Protection::default())).unwrap();
    assert!(runtime().block_on(reads(&session, "1.3.6.1.2.1.1.3.0")));
    edit_keys(&agent, &epoch("reader", 2, ""));
    edit_keys(&agent, &epoch("reader", 1, "<expires>2026-01-01T00:00:00Z</expires>"));
    let refused = runtime().block_on(session.get(&["1.3.6.1.2.1.1.3.0".parse().unwrap()]));
    assert!(refused.unwrap_err().to_string().contains("not valid"));
    let again = open(&agent, keys("reader/2/ann", Protection::default())).unwrap();
    assert!(runtime().block_on(reads(&again, "1.3.6.1.2.1.1.3.0")));
}

/// Who protects nothing gets the capability and the nonce, and no session.
#[test]
fn a_stranger_learns_nothing() {
    let agent = agent();
    let target = format!("netconf+tcp://{}", agent.address("tcp"));
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    let hello = runtime().block_on(async {
        let session = NetconfSession::open(&target, NetconfOptions::default()).await?;
        let hello = session.hello().await?;
        assert!(
            hello.capabilities.len() == 4
                && hello.has("urn:trunkline:params:netconf:capability:xml-security:1.0")
        );
        session.rpc_octets(b"<get/>").await
    });
    assert!(matches!(hello, Err(Error::OutcomeUnknown { .. })), "{hello:?}");
    agent.wait_for("protects no messages");
}

/// Before its keys have proved who it is, a client may send little: its hello, and that once more.
#[test]
fn a_stranger_may_leave_little_incomplete() {
    let agent = agent();
    let hello = "<hello xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><capabilities>\
                 <capability>urn:ietf:params:netconf:base:1.1</capability>\
                 <capability>urn:trunkline:params:netconf:capability:xml-security:1.0?nonce=00112233445566778899aabbccddeeff</capability>\
                 </capabilities></hello>]]>]]>";
    for (begin, most) in [("<hello>".to_owned(), 64 << 10), (format!("{hello}\n#4000000\n"), 128 << 10)] {
        let mut stranger = TcpStream::connect(agent.address("tcp")).unwrap();
        stranger.write_all(begin.as_bytes()).unwrap();
        // Whether by an end or by a reset.
        let _ = stranger.write_all(&vec![b'x'; most + 8192]);
        let _ = stranger.read_to_end(&mut Vec::new());
        agent.wait_for(&format!("more than {most} octets"));
    }
}

/// Inside SSH the keys are those of its user, and bound the session to their role.
#[test]
fn protection_inside_ssh_is_of_its_user() {
    let agent = agent();
    for (user, opens) in [("max", true), ("ann", false)] {
        let keys = Some(keys(&format!("some/7/{user}"), Protection::default()));
        let options = NetconfOptions::default().with_keys(keys);
        let session = crate::ours::open_over_ssh(&agent, "max", options);
        match session {
            Ok(session) => runtime().block_on(async {
                assert!(opens && reads(&session, "1.3.6.1.2.1.1.3.0").await);
                assert!(!reads(&session, "1.3.6.1.2.1.2.1.0").await);
                session.close().await;
            }),
            Err(error) => assert!(!opens, "{error}"),
        }
    }
    agent.wait_for("the session is of max");
}

/// A relay to the agent that keeps what the agent says.
fn recorded(agent: &Agent, keys: MessageKeys) -> Vec<u8> {
    let relay = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = relay.local_addr().unwrap().port();
    let address = agent.address("tcp").to_owned();
    let relaying = std::thread::spawn(move || {
        let (mut client, _) = relay.accept().unwrap();
        let mut server = TcpStream::connect(address).unwrap();
        let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
        let (mut said, mut piece) = (Vec::new(), [0; 4096]);
        while let Ok(some @ 1..) = server.read(&mut piece) {
            said.extend_from_slice(&piece[..some]);
            client.write_all(&piece[..some]).unwrap();
        }
        said
    });
    let session = open_at(port, keys).unwrap();
    runtime().block_on(async {
        assert!(reads(&session, "1.3.6.1.2.1.1.5.0").await);
        session.close().await;
    });
    relaying.join().unwrap()
}

fn open_at(port: u16, keys: MessageKeys) -> Result<NetconfSession, Error> {
    let target =
        NetconfTarget::parse(&format!("netconf+tcp://127.0.0.1:{port}"), &Defaults::default()).unwrap();
    runtime().block_on(NetconfSession::open(&target, NetconfOptions::default().with_keys(Some(keys))))
}

/// Whoever has recorded what an agent said in one session cannot play it to the next: a client would take it for the answer to what it asks.
#[test]
fn a_session_that_was_recorded_is_not_played_again() {
    let agent = agent();
    let keys = keys("reader/1/ann", Protection::default());
    let said = recorded(&agent, keys.clone());
    let player = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = player.local_addr().unwrap().port();
    let playing = std::thread::spawn(move || {
        let (mut client, _) = player.accept().unwrap();
        let _ = client.write_all(&said);
        let _ = std::io::copy(&mut client, &mut std::io::sink());
    });
    let error = open_at(port, keys).err().expect("the hello of another session").to_string();
    assert!(error.contains("another session"), "{error}");
    playing.join().unwrap();
}
