//! A plain client: octets over SSH, framed by our own framing, whose tests have the RFC's examples.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;
use tokio::time::timeout;
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::framing::{Deframer, Framing};
use trunkline_netconf::hello::{BASE_1_0, BASE_1_1, Hello};
use trunkline_transport::dial::{self, Stream};
use trunkline_transport::ssh::{HostKeys, HostTrust, Identity, PasswordHash, SshClient, SshOptions};

use crate::support::{Agent, PATIENCE};

pub const PASSWORD: &str = "maple syrup";

/// An agent with NETCONF over SSH, for `ann`, who may read everything, `max`, who may also write it, `bob`, who may read the system
/// group, and `tom`, who may read and write the contact.
pub fn agent(more: &str) -> Agent {
    Agent::start(&configuration(more))
}

/// Its configuration.
pub fn configuration(more: &str) -> String {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    format!(
        "{more}\n[netconf]\nlisten = [\"ssh://127.0.0.1:0\"]\n[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n\
         [[snmp.community]]\nname = \"public\"\naccess = \"read\"\n\
         [[role]]\nname = \"reader\"\nread = [\"1\"]\n[[role]]\nname = \"little\"\nread = [\"1.3.6.1.2.1.1\"]\n\
         [[role]]\nname = \"writer\"\nread = [\"1\"]\nwrite = [\"1\"]\n\
         [[role]]\nname = \"contact\"\nread = [\"1.3.6.1.2.1.1.4\"]\nwrite = [\"1.3.6.1.2.1.1.4\"]\n\
         [[snmp.principal]]\nname = \"max\"\nrole = \"writer\"\npassword-hash = {hash:?}\n\
         [[snmp.principal]]\nname = \"tom\"\nrole = \"contact\"\npassword-hash = {hash:?}\n\
         [[snmp.principal]]\nname = \"ann\"\nrole = \"reader\"\npassword-hash = {hash:?}\n\
         [[snmp.principal]]\nname = \"bob\"\nrole = \"little\"\npassword-hash = {hash:?}\n\
         [[snmp.principal]]\nname = \"eve\"\npassword-hash = {hash:?}\n"
    )
}

/// A session.
pub struct Client {
    runtime: Runtime,
    /// `None` only while it is dropped.
    stream: Option<Box<dyn Stream>>,
    deframer: Deframer,
    framing: Framing,
    input: VecDeque<Vec<u8>>,
    pub hello: Hello,
    next: u32,
}

impl Client {
    /// Before any hello of ours.
    pub fn connect(agent: &Agent, user: &str) -> Client {
        let key = HostKeys::load(&agent.folder.path().join("state/ssh_host_key")).unwrap().fingerprints();
        let client = SshClient {
            user: user.into(),
            identities: vec![Identity::Password(PASSWORD.into())],
            hosts: HostTrust::Fingerprints(key),
            options: SshOptions::default(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let address = agent.address("ssh");
        let way = [address];
        let dialled = dial::ssh(&way, &client, "agent", "netconf", PATIENCE);
        let (stream, _) = runtime.block_on(dialled).unwrap();
        let mut client = Client {
            runtime,
            stream: Some(Box::new(stream)),
            deframer: Deframer::new(64 << 20),
            framing: Framing::EndOfMessage,
            input: VecDeque::new(),
            hello: Hello::default(),
            next: 0,
        };
        client.hello = Hello::read(&client.read().expect("a hello")).unwrap();
        client
    }

    /// With a hello that has this capability of the two.
    pub fn open_with(agent: &Agent, user: &str, base: &str) -> Client {
        let mut client = Client::connect(agent, user);
        let ours = Hello { capabilities: vec![base.into()], session_id: None };
        let mut octets = Vec::new();
        ours.write(&mut octets);
        client.send(&octets);
        client.framing = if base == BASE_1_1 { Framing::Chunked } else { Framing::EndOfMessage };
        client.deframer.switch(client.framing);
        client
    }

    pub fn open(agent: &Agent, user: &str) -> Client {
        Client::open_with(agent, user, BASE_1_1)
    }

    pub fn open_old(agent: &Agent, user: &str) -> Client {
        Client::open_with(agent, user, BASE_1_0)
    }

    pub fn id(&self) -> u32 {
        self.hello.session_id.unwrap()
    }

    /// Sends octets as they are.
    pub fn write(&mut self, octets: &[u8]) {
        let Client { runtime, stream, .. } = self;
        let stream = stream.as_mut().unwrap();
        runtime.block_on(async {
            let _ = stream.write_all(octets).await;
            let _ = stream.flush().await;
        });
    }

    /// Sends a message.
    pub fn send(&mut self, message: &[u8]) {
        let mut framed = Vec::new();
        self.framing.frame(message, &mut framed);
        self.write(&framed);
    }

    /// The next message; `None`: the session has ended.
    pub fn read(&mut self) -> Option<Vec<u8>> {
        self.read_within(PATIENCE).expect("an answer in time")
    }

    /// The same, if it comes within this time.
    pub fn read_within(&mut self, time: Duration) -> Result<Option<Vec<u8>>, tokio::time::error::Elapsed> {
        loop {
            if let Some(message) = self.input.pop_front() {
                return Ok(Some(message));
            }
            let Client { runtime, stream, deframer, input, .. } = self;
            let stream = stream.as_mut().unwrap();
            let mut piece = [0; 32 << 10];
            let read = runtime.block_on(async { timeout(time, stream.read(&mut piece)).await });
            let length = read?.unwrap_or(0);
            if length == 0 {
                return Ok(None);
            }
            let mut rest = &piece[..length];
            while let Some(message) = deframer.receive(&mut rest).unwrap() {
                input.push_back(message);
            }
        }
    }

    /// An operation whose reply nobody waits for longer than this.
    pub fn tell(&mut self, operation: &str, time: Duration) {
        let base = "urn:ietf:params:xml:ns:netconf:base:1.0";
        self.send(format!("<rpc xmlns=\"{base}\" message-id=\"t\">{operation}</rpc>").as_bytes());
        let Client { runtime, stream, .. } = self;
        let stream = stream.as_mut().unwrap();
        let mut piece = [0; 1024];
        let _ = runtime.block_on(async { timeout(time, stream.read(&mut piece)).await });
    }

    /// An operation, and its reply as text.
    pub fn ask(&mut self, operation: &str) -> String {
        self.next += 1;
        let rpc = format!(
            "<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"{}\">{operation}</rpc>",
            self.next
        );
        self.send(rpc.as_bytes());
        let reply = String::from_utf8(self.read().expect("a reply")).unwrap();
        Document::read(reply.as_bytes(), limits(64 << 20)).unwrap_or_else(|error| panic!("{error}: {reply}"));
        let expected = format!(
            "<rpc-reply xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"{}\">",
            self.next
        );
        assert!(reply.starts_with(&expected), "{reply}");
        reply[expected.len()..].trim_end_matches("</rpc-reply>").to_owned()
    }

    /// An operation on behalf of a role, and its reply as text.
    pub fn ask_as(&mut self, role: &str, operation: &str) -> String {
        self.next += 1;
        let attributes = format!(
            " xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"{}\" xmlns:r=\"urn:trunkline:params:xml:ns:rbac:1.0\" r:role=\"{role}\">",
            self.next
        );
        self.send(format!("<rpc{attributes}{operation}</rpc>").as_bytes());
        let reply = String::from_utf8(self.read().expect("a reply")).unwrap();
        // It has all attributes of the request (RFC 6241 section 4.1).
        let rest =
            reply.strip_prefix(&format!("<rpc-reply{attributes}")).unwrap_or_else(|| panic!("{reply}"));
        rest.trim_end_matches("</rpc-reply>").to_owned()
    }

    /// An operation, and its reply behind the notifications that come before it.
    pub fn ask_through(&mut self, operation: &str) -> Vec<String> {
        self.next += 1;
        let base = "urn:ietf:params:xml:ns:netconf:base:1.0";
        let head = format!("<rpc-reply xmlns=\"{base}\" message-id=\"{}\">", self.next);
        let rpc = format!("<rpc xmlns=\"{base}\" message-id=\"{}\">{operation}</rpc>", self.next);
        self.send(rpc.as_bytes());
        let mut all = Vec::new();
        loop {
            let message = String::from_utf8(self.read().expect("a reply")).unwrap();
            match message.strip_prefix(&head) {
                Some(reply) => {
                    all.push(reply.trim_end_matches("</rpc-reply>").to_owned());
                    return all;
                }
                None => all.push(message),
            }
        }
    }

    /// `get` with a subtree filter; the content of `data`.
    pub fn get(&mut self, filter: &str) -> String {
        let reply = self.ask(&format!("<get><filter type=\"subtree\">{filter}</filter></get>"));
        let data = reply.strip_prefix("<data>").and_then(|reply| reply.strip_suffix("</data>"));
        data.unwrap_or_else(|| panic!("{reply}")).to_owned()
    }
}

impl Drop for Client {
    /// A channel is closed by its runtime.
    fn drop(&mut self) {
        let _within = self.runtime.enter();
        self.stream = None;
    }
}
