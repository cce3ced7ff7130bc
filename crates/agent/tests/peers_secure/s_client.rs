//! `openssl s_client` that carries SNMP messages to an agent as they are.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use trunkline_client::Transport;
use trunkline_pki::Files;
use trunkline_snmp::wire::{Message, frame_length};

use super::world::World;

/// The transport of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Tls12,
    Tls13,
    /// TLS 1.2 with a suite that encrypts nothing.
    Integrity,
    Dtls,
}

impl Way {
    pub const ENCRYPTED: [Way; 3] = [Way::Tls12, Way::Tls13, Way::Dtls];

    pub const fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Tls12 => &["-tls1_2"],
            Self::Tls13 => &["-tls1_3"],
            Self::Integrity => &["-tls1_2", "-cipher", "ECDHE-RSA-NULL-SHA:ECDHE-ECDSA-NULL-SHA:@SECLEVEL=0"],
            Self::Dtls => &["-dtls1_2"],
        }
    }

    pub const fn transport(self) -> Transport {
        match self {
            Self::Dtls => Transport::Dtls,
            _ => Transport::Tls,
        }
    }

    pub const fn scheme(self) -> &'static str {
        match self {
            Self::Dtls => "dtls",
            _ => "tls",
        }
    }
}

/// A separate session; ended when dropped.
pub struct SClient {
    child: Child,
    to: Option<ChildStdin>,
    from: ChildStdout,
}

impl SClient {
    /// Presents this certificate, or none, and requires one of the world's authority.
    pub fn open(world: &World, own: Option<&Files>, way: Way, agent: SocketAddr) -> SClient {
        SClient::open_with(world, own, way, agent, &["-quiet", "-no_ign_eof"])
    }

    /// The same with other options: without `-quiet` it reports on the session before and among its data.
    pub fn open_with(
        world: &World,
        own: Option<&Files>,
        way: Way,
        agent: SocketAddr,
        more: &[&str],
    ) -> SClient {
        let mut command = Command::new("openssl");
        command.arg("s_client").args(way.flags()).args(more).arg("-verify_return_error");
        command.arg("-CAfile").arg(world.pki.authority_certificate());
        command.args(["-verify_hostname", "localhost", "-connect", &agent.to_string()]);
        if let Some(own) = own {
            command.arg("-cert").arg(&own.certificate).arg("-key").arg(&own.key);
        }
        SClient::spawn(command)
    }

    fn spawn(mut command: Command) -> SClient {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("openssl");
        let (to, from) = (child.stdin.take(), child.stdout.take().unwrap());
        SClient { child, to, from }
    }

    /// Octets as they are; a peer that has gone says nothing.
    pub fn send(&mut self, octets: &[u8]) {
        let to = self.to.as_mut().unwrap();
        let _ = to.write_all(octets).and_then(|()| to.flush());
    }

    /// The next message, or `None` when the session is over.
    pub fn receive(&mut self) -> Option<Message> {
        read_message(&mut self.from)
    }

    /// What it says until these octets have come.
    pub fn told_until(&mut self, wanted: &[u8]) -> String {
        String::from_utf8_lossy(&until(&mut self.from, wanted).unwrap_or_default()).into_owned()
    }

    /// One request and its answer.
    pub fn ask(&mut self, request: &Message) -> Option<Message> {
        self.send(&request.encode());
        self.receive()
    }

    /// Cuts the session off.
    pub fn cut(mut self) {
        let _ = self.child.kill();
    }
}

impl Drop for SClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The next message of a stream.
pub fn read_message(from: &mut impl Read) -> Option<Message> {
    let mut octets = Vec::new();
    loop {
        if frame_length(&octets).expect("a frame") == Some(octets.len()) {
            return Some(Message::decode(&octets).expect("a message"));
        }
        let mut octet = [0];
        if from.read(&mut octet).ok()? == 0 {
            assert!(octets.is_empty(), "half a message: {octets:02x?}");
            return None;
        }
        octets.push(octet[0]);
    }
}

/// Reads until these octets have passed; all that was read.
pub fn until(from: &mut impl Read, wanted: &[u8]) -> Option<Vec<u8>> {
    let mut seen = Vec::new();
    while !seen.ends_with(wanted) {
        let mut octet = [0];
        from.read_exact(&mut octet).ok()?;
        seen.push(octet[0]);
    }
    Some(seen)
}
