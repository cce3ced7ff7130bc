//! Datagrams to the server's end of DTLS: from strangers, who get no session, no memory and no more octets than
//! they send; and from a client whose network loses, damages, repeats, truncates and reorders them.
#![no_main]

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use openssl::pkey::PKey;
use openssl::ssl::{
    Ssl, SslContext, SslContextBuilder, SslMethod, SslOptions, SslStream, SslVerifyMode, SslVersion,
};
use openssl::x509::X509;
use trunkline_pki::{Authority, AuthorityOptions, LeafOptions, Name};
use trunkline_transport::dtls::{Content, DtlsConfig, FirstRecord, Machine};
use trunkline_transport::tls::{Identity, TlsServerConfig, Trust};

fuzz_target!(|input: &[u8]| {
    match input.split_first() {
        Some((b's', script)) => session(script),
        Some((_, octets)) => strangers(octets),
        None => {}
    }
});

const MTU: u32 = 1200;

/// The identities of both ends.
struct World {
    server: DtlsConfig,
    client: SslContext,
    /// The client's certificate, in DER.
    certificate: Vec<u8>,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let name = |text| Name::new(text).expect("a name");
    let authority = Authority::create(&AuthorityOptions::named(name("Test CA"))).expect("an authority");
    let agent = authority.agent(&name("localhost"), &LeafOptions::default()).expect("a certificate");
    let manager = authority.manager(&name("ann"), &LeafOptions::default()).expect("a certificate");
    let identity = Identity::from_pem(agent.chain_pem().as_bytes(), agent.key_pem().as_bytes());
    let trust = Trust::builder().authorities_pem(authority.certificate().to_pem().as_bytes());
    let trust = trust.expect("an authority").build();
    let server = TlsServerConfig::new(Arc::new(identity.expect("an identity")), trust.into());
    let own = X509::from_pem(manager.chain_pem().as_bytes()).expect("a certificate");
    let key = PKey::private_key_from_pem(manager.key_pem().as_bytes()).expect("a key");
    let mut client = SslContextBuilder::new(SslMethod::dtls_client()).expect("a context");
    client.set_max_proto_version(Some(SslVersion::DTLS1_2)).expect("a version");
    client.set_options(SslOptions::NO_QUERY_MTU);
    client.set_verify(SslVerifyMode::NONE);
    client.set_certificate(&own).expect("a certificate");
    client.set_private_key(&key).expect("its key");
    World {
        server: DtlsConfig::new(&server).expect("a server"),
        client: client.build(),
        certificate: own.to_der().expect("a certificate"),
    }
});

fn peer() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 4711).into()
}

/// Datagrams, each preceded by its length in two octets, to one machine that waits for its first valid cookie.
fn strangers(mut octets: &[u8]) {
    let mut machine = WORLD.server.machine(MTU).expect("a machine");
    while let Some((length, rest)) = octets.split_first_chunk() {
        let (datagram, rest) = rest.split_at(rest.len().min(usize::from(u16::from_be_bytes(*length))));
        octets = rest;
        machine.feed(datagram.to_vec());
        assert!(!machine.listen(peer()), "a cookie that nobody has made");
        check_unproved(datagram, &machine.leaving());
    }
}

/// What is sent to an unverified address: at most one datagram, no longer than the received one.
fn check_unproved(datagram: &[u8], leaving: &[Vec<u8>]) {
    assert!(leaving.len() <= 1, "{} datagrams", leaving.len());
    let octets: usize = leaving.iter().map(Vec::len).sum();
    assert!(octets <= datagram.len(), "{octets} octets for {}", datagram.len());
}

/// A client and a server. Each three octets of the script decide the fate of one datagram; after its end all
/// arrive.
fn session(script: &[u8]) {
    let mut faults = script.chunks_exact(3).map(|fault| (fault[0], usize::from(fault[1]), fault[2]));
    let is_well = script.chunks_exact(3).all(|fault| fault[0] % 8 < 3);
    let (mut client, mut server) = (Client::new(), Server::new());
    let (mut to_server, mut to_client) = (VecDeque::from(client.go_on()), VecDeque::new());
    for _ in 0..MOST_DATAGRAMS {
        let (way, is_up) = match (to_client.is_empty(), to_server.is_empty()) {
            (false, _) => (&mut to_client, false),
            (true, false) => (&mut to_server, true),
            (true, true) => break,
        };
        let Some(mut datagram) = way.pop_front() else { break };
        if let Some((fault, at, with)) = faults.next() {
            match fault % 8 {
                0..3 => {}
                3 => continue,
                4 => {
                    let at = at % datagram.len();
                    datagram[at] ^= with;
                }
                5 => way.push_back(datagram.clone()),
                6 => datagram.truncate(at.max(1)),
                _ => {
                    way.push_back(datagram);
                    continue;
                }
            }
        }
        if is_up {
            to_client.extend(server.take(datagram));
        } else {
            to_server.extend(client.take(datagram));
        }
    }
    assert!(!is_well || (client.heard == MESSAGES.len() && server.heard == MESSAGES.len()));
}

const MOST_DATAGRAMS: usize = 200;
const MESSAGES: [&[u8]; 3] = [b"one", b"two, longer", &[7; 60]];

/// The server's end, as in the listening socket.
struct Server {
    machine: Machine,
    cookies: Vec<Vec<u8>>,
    begun: bool,
    done: bool,
    over: bool,
    heard: usize,
}

impl Server {
    fn new() -> Self {
        let machine = WORLD.server.machine(MTU).expect("a machine");
        Self { machine, cookies: Vec::new(), begun: false, done: false, over: false, heard: 0 }
    }

    fn take(&mut self, datagram: Vec<u8>) -> Vec<Vec<u8>> {
        let Some(first) = FirstRecord::of(&datagram) else { return Vec::new() };
        if self.over || (!self.begun && first.hello.is_none()) {
            return Vec::new();
        }
        self.machine.feed(datagram.clone());
        if self.begun {
            self.go_on();
        } else if self.machine.listen(peer()) {
            let holds = |cookie: &Vec<u8>| datagram.windows(cookie.len()).any(|window| window == cookie);
            assert!(self.cookies.iter().any(holds), "in without a cookie");
            self.begun = true;
            self.go_on();
        } else {
            let leaving = self.machine.leaving();
            check_unproved(&datagram, &leaving);
            // A HelloVerifyRequest ends with its cookie.
            self.cookies
                .extend(leaving.iter().filter_map(|answer| Some(answer.last_chunk::<32>()?.to_vec())));
            return leaving;
        }
        self.machine.leaving()
    }

    fn go_on(&mut self) {
        if !self.done {
            match self.machine.shake() {
                Ok(done) => self.done = done,
                Err(_) => self.over = true,
            }
            if self.done {
                let proof = self.machine.proof().expect("no session without a certificate");
                assert_eq!(proof[0], WORLD.certificate);
            }
        }
        while self.done && !self.over {
            match self.machine.read() {
                Ok(Content::Message(message)) => {
                    assert!(MESSAGES.contains(&&*message), "{message:?}");
                    self.heard += 1;
                    self.machine.write(&message).expect("it is short");
                }
                Ok(Content::Nothing) => break,
                Ok(Content::End) | Err(_) => self.over = true,
            }
        }
    }
}

/// Stands in for the client's network.
#[derive(Default)]
struct Wire {
    arrived: Option<Vec<u8>>,
    leaving: Vec<Vec<u8>>,
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let datagram = self.arrived.take().ok_or(io::ErrorKind::WouldBlock)?;
        let octets = datagram.len().min(buffer.len());
        buffer[..octets].copy_from_slice(&datagram[..octets]);
        Ok(octets)
    }
}

impl Write for Wire {
    fn write(&mut self, datagram: &[u8]) -> io::Result<usize> {
        self.leaving.push(datagram.to_vec());
        Ok(datagram.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// OpenSSL's own client, which sends its messages as soon as it can.
struct Client {
    stream: SslStream<Wire>,
    done: bool,
    heard: usize,
}

impl Client {
    fn new() -> Self {
        let mut ssl = Ssl::new(&WORLD.client).expect("a session");
        ssl.set_mtu(MTU).expect("a size");
        ssl.set_connect_state();
        let stream = SslStream::new(ssl, Wire::default()).expect("a stream");
        Self { stream, done: false, heard: 0 }
    }

    fn take(&mut self, datagram: Vec<u8>) -> Vec<Vec<u8>> {
        self.stream.get_mut().arrived = Some(datagram);
        self.go_on()
    }

    fn go_on(&mut self) -> Vec<Vec<u8>> {
        if !self.done && self.stream.do_handshake().is_ok() {
            self.done = true;
            for message in MESSAGES {
                let _ = self.stream.ssl_write(message);
            }
        }
        let mut buffer = [0; 64];
        while self.done
            && let Ok(octets) = self.stream.ssl_read(&mut buffer)
        {
            assert!(MESSAGES.contains(&&buffer[..octets]));
            self.heard += 1;
        }
        std::mem::take(&mut self.stream.get_mut().leaving)
    }
}
