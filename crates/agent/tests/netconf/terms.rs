//! What the ends of a protected session have agreed on, against an end that does otherwise, or somebody on the path.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::SystemTime;

use trunkline_client::netconf::protocol::compression::{self, Algorithm, deflate};
use trunkline_client::netconf::protocol::framing::{Deframer, Framing};
use trunkline_client::netconf::protocol::hello::{BASE_1_0, BASE_1_1, Hello};
use trunkline_client::netconf::security::{
    Compression, Direction, Found, Header, KeyName, Keys, Limits, Nonce, Opened, Place, Protection, SealKeys,
    Time, UserKeys, open, seal,
};
use trunkline_client::netconf::{MessageKeys, NetconfOptions, NetconfSession, OwnKeys};
use trunkline_client::{Defaults, Error, NetconfTarget};

use crate::protected::{configuration, edit_keys, epoch, keys, runtime};
use crate::support::Agent;

const SECURITY: &str = "urn:trunkline:params:netconf:capability:xml-security:1.0?nonce=";
const OURS: Nonce = Nonce(*b"an end of a test");

fn agent(device: &str) -> Agent {
    let agent = Agent::start(&configuration().replace("[netconf]\n", &format!("[netconf]\n{device}")));
    edit_keys(&agent, &epoch("reader", 1, ""));
    agent
}

fn reader() -> MessageKeys {
    keys("reader/1/ann", Protection::default())
}

/// One end of a session, octet by octet.
struct End {
    stream: TcpStream,
    deframer: Deframer,
    framing: Framing,
    input: Vec<u8>,
    theirs: Option<Nonce>,
    number: u64,
    /// Its keys.
    name: KeyName,
}

/// Those of ann: all roles have the same here.
struct Own(UserKeys);

impl Keys for Own {
    fn find(&self, _: &KeyName, _: &Protection) -> Option<Found> {
        Some(Found::Shared(self.0.clone()))
    }
}

fn own() -> Own {
    match reader().own {
        OwnKeys::Shared(keys) => Own(keys),
        OwnKeys::Private(_) => panic!("keys of a role"),
    }
}

impl End {
    fn new(stream: TcpStream) -> End {
        let (deframer, framing) = (Deframer::new(1 << 20), Framing::EndOfMessage);
        let name = reader().name;
        End { stream, deframer, framing, input: Vec::new(), theirs: None, number: 0, name }
    }

    fn send(&mut self, message: &[u8]) {
        let mut framed = Vec::new();
        self.framing.frame(message, &mut framed);
        self.stream.write_all(&framed).unwrap();
    }

    /// The next message; `None`: the other end has gone.
    fn receive(&mut self) -> Option<Vec<u8>> {
        loop {
            let mut rest = &self.input[..];
            let message = self.deframer.receive(&mut rest).unwrap();
            let used = self.input.len() - rest.len();
            self.input.drain(..used);
            if message.is_some() {
                return message;
            }
            let mut piece = [0; 4096];
            match self.stream.read(&mut piece) {
                Ok(some @ 1..) => self.input.extend_from_slice(&piece[..some]),
                _ => return None,
            }
        }
    }

    /// Exchanges the first hellos.
    fn greet(&mut self, capabilities: &[String], session_id: Option<u32>) {
        self.send(&hello(capabilities, session_id));
        let theirs = Hello::read(&self.receive().unwrap()).unwrap();
        let nonce = theirs.capabilities.iter().find(|it| it.starts_with(SECURITY)).unwrap();
        self.theirs = nonce.split_once('?').and_then(|(_, parameters)| Nonce::of_parameters(parameters));
        let is_chunked = capabilities.iter().any(|it| it == BASE_1_1);
        self.framing = if is_chunked { Framing::Chunked } else { Framing::EndOfMessage };
        self.deframer.switch(self.framing);
    }

    fn seal(&mut self, direction: Direction, compression: Option<Compression>, content: &[u8]) {
        self.number += 1;
        let in_reply_to = (direction == Direction::Reply).then_some(self.number);
        let header = Header {
            direction,
            place: Place::Session(self.theirs.unwrap()),
            number: self.number,
            in_reply_to,
            time: Time::from(SystemTime::now()),
            expires: None,
            compression,
            role: None,
        };
        let (Own(keys), mut message) = (own(), Vec::new());
        let keys = SealKeys::shared(&self.name, &keys);
        seal(&header, content, &keys, Protection::default(), &[7; 16], &mut message).unwrap();
        self.send(&message);
    }

    fn opened(&mut self) -> Opened {
        open(&self.receive().unwrap(), &Limits::MESSAGE, &own()).unwrap()
    }
}

fn hello(capabilities: &[String], session_id: Option<u32>) -> Vec<u8> {
    let mut octets = Vec::new();
    Hello { capabilities: capabilities.to_vec(), session_id }.write(&mut octets);
    octets
}

/// Base versions and compression, and our end's nonce.
fn capabilities(bases: &[&str], algorithms: &[Algorithm]) -> Vec<String> {
    let mut all: Vec<String> = bases.iter().map(|it| (*it).to_owned()).collect();
    all.extend(compression::capability(algorithms));
    all.push(format!("{SECURITY}{}", OURS.to_hex()));
    all
}

fn client(agent: &Agent, plain: &[String], protected: &[String]) -> End {
    let mut end = End::new(TcpStream::connect(agent.address("tcp")).unwrap());
    end.greet(plain, None);
    end.seal(Direction::Request, None, &hello(protected, None));
    end
}

#[test]
fn hellos_that_agree_on_different_things_begin_no_session() {
    let agent = agent("");
    let both: &[&str] = &[BASE_1_0, BASE_1_1];
    let (none, zlib) = (capabilities(both, &[]), capabilities(both, &[Algorithm::Zlib]));
    let (zstd, old) = (capabilities(both, &[Algorithm::Zstd]), capabilities(&[BASE_1_0], &[]));
    for (plain, protected) in [(&none, &zlib), (&zlib, &none), (&zlib, &zstd), (&old, &none), (&none, &old)] {
        let mut end = client(&agent, plain, protected);
        let answer = String::from_utf8(end.receive().unwrap()).unwrap();
        assert!(answer.contains("other base versions or compression"), "{answer}");
        assert!(end.receive().is_none());
    }
    let mut end = client(&agent, &none, &none);
    end.opened();
    request(
        &mut end,
        "<get><filter><netconf-state xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\"><capabilities/></netconf-state></filter></get>",
    );
    assert!(reply(&mut end).contains("xml-security:1.0</capability>"));
    for same in [&none, &zlib, &zstd, &old] {
        let mut end = client(&agent, same, same);
        assert!(String::from_utf8_lossy(&end.receive().unwrap()).contains("EncryptedData"));
    }
}

#[test]
fn what_is_compressed_without_agreement_is_malformed() {
    let agent = agent("");
    let request = b"<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"1\"><get-config><source><running/></source></get-config></rpc>";
    let both: &[&str] = &[BASE_1_0, BASE_1_1];
    let has = capabilities(both, &[Algorithm::Zlib]);
    let mut end = client(&agent, &has, &has);
    end.opened();
    end.seal(Direction::Request, Some(Compression::Zstd), &deflate(Algorithm::Zstd, request).unwrap());
    let answer = String::from_utf8(end.opened().content).unwrap();
    assert!(answer.contains("malformed-message") && answer.contains("compressed with zstd"), "{answer}");
    end.seal(Direction::Request, Some(Compression::Zlib), &deflate(Algorithm::Zlib, request).unwrap());
    assert_eq!(end.opened().header.in_reply_to, Some(3));
}

/// An agent that says what `reply` says to the first request.
fn against(reply: impl FnOnce(&mut End) + Send + 'static) -> Error {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("netconf+tcp://{}", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let mut end = End::new(listener.accept().unwrap().0);
        let ours = capabilities(&[BASE_1_0, BASE_1_1], &[]);
        end.greet(&ours, Some(1));
        end.opened();
        end.seal(Direction::Reply, None, &hello(&ours, Some(1)));
        end.opened();
        reply(&mut end);
        while end.receive().is_some() {}
    });
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    let failed = runtime().block_on(async {
        let session =
            NetconfSession::open(&target, NetconfOptions::default().with_keys(Some(reader()))).await?;
        session.rpc_octets(b"<get/>").await
    });
    serving.join().unwrap();
    failed.map(drop).unwrap_err()
}

#[test]
fn our_client_takes_no_reply_from_a_notification_and_inflates_nothing_that_it_has_not_announced() {
    let reply: &[u8] =
        b"<rpc-reply xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"1\"><ok/></rpc-reply>";
    let error = against(move |end| end.seal(Direction::Notification, None, reply)).to_string();
    assert!(error.contains("a notification that is none"), "{error}");
    let packed = deflate(Algorithm::Zlib, reply).unwrap();
    let error = against(move |end| end.seal(Direction::Reply, Some(Compression::Zlib), &packed)).to_string();
    assert!(error.contains("which both hellos do not have"), "{error}");
}

#[test]
fn a_client_that_means_another_device_sends_it_nothing() {
    let (named, nameless) = (agent("device = \"router-1\"\n"), agent(""));
    let open = |agent: &Agent, device: &str, keys: Option<MessageKeys>| {
        let target = format!("netconf+tcp://{}", agent.address("tcp"));
        let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
        let device = Some(device.parse().unwrap());
        let options = NetconfOptions::default().with_keys(keys).with_device(device);
        runtime().block_on(async {
            NetconfSession::open(&target, options).await.map(drop).map_err(|error| error.to_string())
        })
    };
    for keys in [None, Some(reader())] {
        open(&named, "router-1", keys.clone()).unwrap();
        let other = open(&named, "router-2", keys.clone()).unwrap_err();
        assert!(other.contains("is called \"router-1\", and not router-2"), "{other}");
        let none = open(&nameless, "router-1", keys).unwrap_err();
        assert!(none.contains("stored-messages"), "{none}");
    }
}

/// The name that counts is the one that is protected.
#[test]
fn a_name_that_somebody_on_the_path_has_changed_is_noticed() {
    let agent = agent("device = \"router-2\"\n");
    let relay = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = relay.local_addr().unwrap().port();
    let address = agent.address("tcp");
    let relaying = std::thread::spawn(move || {
        let (mut client, _) = relay.accept().unwrap();
        let mut server = TcpStream::connect(address).unwrap();
        let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut from, &mut to));
        let (mut said, mut piece) = (Vec::new(), [0; 4096]);
        while !said.ends_with(b"]]>]]>") {
            let some = server.read(&mut piece).unwrap();
            said.extend_from_slice(&piece[..some]);
        }
        let changed = String::from_utf8(said).unwrap().replace("device=router-2", "device=router-1");
        client.write_all(changed.as_bytes()).unwrap();
        let _ = std::io::copy(&mut server, &mut client);
    });
    let target = NetconfTarget::parse(&format!("netconf+tcp://127.0.0.1:{port}"), &Defaults::default());
    let options =
        NetconfOptions::default().with_keys(Some(reader())).with_device(Some("router-1".parse().unwrap()));
    let error = runtime().block_on(NetconfSession::open(&target.unwrap(), options)).map(drop).unwrap_err();
    assert!(error.to_string().contains("is called \"router-2\""), "{error}");
    relaying.join().unwrap();
}

fn request(end: &mut End, operation: &str) {
    let rpc =
        format!("<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"1\">{operation}</rpc>");
    end.seal(Direction::Request, None, rpc.as_bytes());
}

/// The reply to the last request; notifications before it are passed over.
fn reply(end: &mut End) -> String {
    loop {
        let opened = end.opened();
        if opened.header.in_reply_to == Some(end.number) {
            return String::from_utf8(opened.content).unwrap();
        }
    }
}

const ESTABLISH: &str = "<establish-subscription xmlns=\"urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications\"><stream>NETCONF</stream></establish-subscription>";

/// The keys of a subscription end it, and the session only if it has used no others that are valid.
#[test]
fn a_subscription_ends_with_its_keys() {
    let agent = agent("");
    let all = capabilities(&[BASE_1_0, BASE_1_1], &[]);
    for (number, subscribed) in [(8, "reader/1/ann"), (9, "some/9/ann")] {
        edit_keys(&agent, &epoch("some", number, ""));
        let mut end = End::new(TcpStream::connect(agent.address("tcp")).unwrap());
        end.greet(&all, None);
        end.name = format!("some/{number}/ann").parse().unwrap();
        let first = subscribed.parse().unwrap();
        let of_subscription = std::mem::replace(&mut end.name, first);
        end.seal(Direction::Request, None, &hello(&all, None));
        end.opened();
        end.name = of_subscription;
        request(&mut end, ESTABLISH);
        let established = reply(&mut end);
        assert!(established.contains("<id "), "{established}");
        edit_keys(&agent, &epoch("some", number, "<expires>2026-01-01T00:00:00Z</expires>"));
        if number == 8 {
            let line = agent.wait_for("a subscription has ended: its keys are not valid any more");
            assert!(line.contains("key=some/8/ann"), "{line}");
            end.name = reader().name;
            request(&mut end, "<get-config><source><running/></source></get-config>");
            assert!(reply(&mut end).contains("<data"));
        } else {
            while end.receive().is_some() {}
            agent.wait_for("the keys of its subscriptions are not valid any more");
        }
    }
}

/// A session whose keys are deleted or expire holds no lock any more, at once.
#[test]
fn a_lock_ends_with_the_keys_of_its_session() {
    let agent = agent("");
    let lock = "<lock><target><candidate/></target></lock>";
    for (number, user) in [(1, "ann"), (2, "bob")] {
        edit_keys(&agent, &epoch("writer", number, ""));
        let target = format!("netconf+tcp://{}", agent.address("tcp"));
        let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
        let keys = keys(&format!("writer/{number}/{user}"), Protection::default());
        let holder = runtime().block_on(async {
            let options = NetconfOptions::default().with_keys(Some(keys));
            let session = NetconfSession::open(&target, options).await.unwrap();
            session.done(lock.as_bytes()).await.unwrap();
            session
        });
        // Keys of others take nothing from it.
        edit_keys(&agent, &epoch("reader", 5 + number, ""));
        let other = crate::ours::open_over_ssh(&agent, "max", NetconfOptions::default()).unwrap();
        let held = runtime().block_on(other.done(lock.as_bytes())).unwrap_err().to_string();
        assert!(held.contains("lock"), "{held}");
        let expires = match number {
            1 => Time::from(SystemTime::now()),
            _ => Time::from(SystemTime::now()).after(std::time::Duration::from_secs(1)),
        };
        edit_keys(&agent, &epoch("writer", number, &format!("<expires>{expires}</expires>")));
        loop {
            let line = agent.wait_for("a session has lost its locks: the keys of its messages");
            if line.contains(&format!("user={user}")) {
                break;
            }
        }
        runtime().block_on(async {
            other.done(lock.as_bytes()).await.unwrap();
            other.close().await;
            holder.done(lock.as_bytes()).await.unwrap_err();
        });
    }
}
