//! Sessions over plain TCP: whose rights they have, and from where.

use std::io::{Read, Write};

use trunkline_client::netconf::protocol::compression::{Algorithm, deflate, inflate};
use trunkline_client::netconf::protocol::framing::{Deframer, Framing};
use trunkline_client::netconf::protocol::hello::Hello;
use trunkline_client::netconf::{NetconfOptions, NetconfSession};
use trunkline_client::{Bound, Defaults, Error, NetconfTarget, Session};
use trunkline_smi::Oid;

use crate::support::Agent;

fn agent(sources: &str) -> Agent {
    Agent::start(&format!(
        "[freshness]\ndefault = \"1h\"\n[netconf]\nlisten = [\"tcp://127.0.0.1:0\"]\ncommunity = \"public\"\n\
         [snmp]\nlisten = []\n[[snmp.community]]\nname = \"public\"\nrole = \"some\"\nsources = [\"{sources}\"]\n\
         [[role]]\nname = \"some\"\nread = [\"1.3.6.1.2.1.1\", \"-1.3.6.1.2.1.1.4\"]\n"
    ))
}

fn open(agent: &Agent) -> Result<NetconfSession, Error> {
    open_with(agent, NetconfOptions::default())
}

fn open_with(agent: &Agent, options: NetconfOptions) -> Result<NetconfSession, Error> {
    let target = format!("netconf+tcp://{}", agent.address("tcp"));
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    runtime().block_on(NetconfSession::open(&target, options))
}

/// One for all tests of this file: a session ends on the runtime that it was opened on.
fn runtime() -> &'static tokio::runtime::Runtime {
    static RUNTIME: std::sync::LazyLock<tokio::runtime::Runtime> = std::sync::LazyLock::new(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    });
    &RUNTIME
}

#[test]
fn a_plain_session_has_the_rights_of_its_community() {
    let agent = agent("127.0.0.0/8");
    let session = open(&agent).unwrap();
    let name = |text: &str| text.parse::<Oid>().unwrap();
    runtime().block_on(async {
        let read = session.get(&[name("1.3.6.1.2.1.1.3.0")]).await.unwrap();
        assert!(matches!(read.bindings[0].value, Bound::Value(_)));
        // Outside its view, and outside its role.
        for hidden in ["1.3.6.1.2.1.1.4.0", "1.3.6.1.2.1.2.1.0"] {
            let read = session.get(&[name(hidden)]).await.unwrap();
            assert!(!matches!(read.bindings[0].value, Bound::Value(_)), "{hidden}");
        }
        let (own, _cost) =
            session.rpc_octets(b"<get><filter><netconf-state xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\"><sessions/></netconf-state></filter></get>").await.unwrap();
        let own = String::from_utf8(own).unwrap();
        let transport = "<transport xmlns:tln=\"urn:trunkline:yang:netconf\">tln:netconf-tcp</transport>";
        assert!(own.contains(&format!("{transport}<username>community1</username>")), "{own}");
        let filter = b"<get><filter><netconf-state xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\"><sessions><session><transport xmlns:q=\"urn:trunkline:yang:netconf\">q:netconf-tcp</transport><username/></session></sessions></netconf-state></filter></get>";
        let (found, _cost) = session.rpc_octets(filter).await.unwrap();
        assert!(String::from_utf8(found).unwrap().contains("<username>community1</username>"));
        let refused = session.done(b"<lock><target><running/></target></lock>").await;
        assert!(refused.unwrap_err().to_string().contains("right"));
        session.close().await;
    });
    assert!(agent.terminate().path().exists());
}

#[test]
fn a_community_from_elsewhere_opens_no_session() {
    let agent = agent("192.0.2.0/24");
    assert!(matches!(open(&agent), Err(Error::ConnectionLost { .. })));
    agent.wait_for("may not be used from there");
}

#[test]
fn messages_are_compressed_if_the_client_wants_it() {
    let agent = agent("127.0.0.0/8");
    let read = |compression: Option<Algorithm>| {
        let options = NetconfOptions::default().with_compression(compression);
        let session = open_with(&agent, options).unwrap();
        runtime().block_on(async {
            let filter = b"<get-config><source><running/></source></get-config>";
            let short = session.rpc_octets(filter).await.unwrap();
            let long = session.rpc_octets(LIBRARY.as_bytes()).await.unwrap();
            session.close().await;
            (short, long)
        })
    };
    let (short, long) = read(None);
    assert!(long.0.len() > 10_000);
    for algorithm in Algorithm::ALL {
        let (packed_short, packed_long) = read(Some(algorithm));
        assert_eq!(packed_short.0.len(), short.0.len(), "{algorithm:?}");
        assert_eq!(packed_long.0, long.0, "{algorithm:?}");
        let (plain, packed) = (long.1.response_octets, packed_long.1.response_octets);
        assert!(packed * 5 < plain, "{algorithm:?}: {packed} of {plain}");
    }
}

/// What no other test changes.
const LIBRARY: &str =
    "<get><filter><yang-library xmlns=\"urn:ietf:params:xml:ns:yang:ietf-yang-library\"/></filter></get>";

/// Streams that are not agreed on, broken, or grow too much are refused one by one; the session goes on.
#[test]
fn a_compressed_message_that_cannot_be_used_is_refused() {
    let agent = agent("127.0.0.0/8");
    let mut peer = Peer::connect(&agent, &["urn:ietf:params:netconf:base:1.1", ZLIB]);
    let rpc = |body: &str| {
        format!("<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"1\">{body}</rpc>")
    };
    let good = rpc("<get><filter/></get>");
    let bomb = rpc(&format!("<get><filter/></get>{}", " ".repeat(4 << 20)));
    let mut broken = deflate(Algorithm::Zlib, good.as_bytes()).unwrap();
    broken.pop();
    for (message, expected) in [
        (deflate(Algorithm::Zlib, good.as_bytes()).unwrap(), "<data></data>"),
        (deflate(Algorithm::Zstd, good.as_bytes()).unwrap(), "zstd, which both hellos do not have"),
        (broken, "ends too early"),
        (deflate(Algorithm::Zlib, bomb.as_bytes()).unwrap(), "when it is inflated"),
        (good.clone().into_bytes(), "<data></data>"),
    ] {
        let reply = peer.ask(&message);
        assert!(reply.contains(expected), "{expected}: {reply}");
    }
    // In the framing of base 1.0 a stream could contain the end of a message.
    let mut old = Peer::connect(&agent, &["urn:ietf:params:netconf:base:1.0", ZLIB]);
    old.send(&deflate(Algorithm::Zlib, good.as_bytes()).unwrap());
    assert!(old.message().contains("both hellos do not have"));
}

const ZLIB: &str = "urn:trunkline:params:netconf:capability:compression:1.0?algorithms=zlib";

/// A client that sends what it is given.
struct Peer {
    stream: std::net::TcpStream,
    framing: Framing,
    deframer: Deframer,
    input: Vec<u8>,
}

impl Peer {
    fn connect(agent: &Agent, capabilities: &[&str]) -> Peer {
        let stream = crate::support::connect(agent.address("tcp"));
        let mut peer = Peer {
            stream,
            framing: Framing::EndOfMessage,
            deframer: Deframer::new(1 << 20),
            input: Vec::new(),
        };
        let hello =
            Hello { capabilities: capabilities.iter().map(|&it| it.to_owned()).collect(), session_id: None };
        let mut octets = Vec::new();
        hello.write(&mut octets);
        peer.send(&octets);
        let theirs = Hello::read(peer.message().as_bytes()).unwrap();
        peer.framing = hello.with_server(&theirs).unwrap().0;
        peer.deframer.switch(peer.framing);
        peer
    }

    fn send(&mut self, message: &[u8]) {
        let mut framed = Vec::new();
        self.framing.frame(message, &mut framed);
        self.stream.write_all(&framed).unwrap();
    }

    fn message(&mut self) -> String {
        loop {
            let mut rest = &self.input[..];
            let message = self.deframer.receive(&mut rest).unwrap();
            self.input = rest.to_vec();
            match message {
                Some(message) => {
                    let message = match Algorithm::of(&message) {
                        Some(algorithm) => inflate(algorithm, &message, 1 << 20).unwrap(),
                        None => message,
                    };
                    return String::from_utf8(message).unwrap();
                }
                None => {
                    let mut octets = [0; 4096];
                    let read = self.stream.read(&mut octets).unwrap();
                    assert!(read > 0, "the agent has closed the connection");
                    self.input.extend_from_slice(&octets[..read]);
                }
            }
        }
    }

    fn ask(&mut self, message: &[u8]) -> String {
        self.send(message);
        self.message()
    }
}
