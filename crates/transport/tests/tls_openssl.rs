//! TLS and DTLS against the `openssl` program, both ways.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

use crate::secure;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use secure::{Echo, PATIENCE, World, client, identity, localhost, trusting};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use trunkline_pki::{Issued, KeyKind, LeafOptions};
use trunkline_transport::dial::DatagramLink;
use trunkline_transport::dtls::{DtlsConfig, DtlsLimits, DtlsServer};
use trunkline_transport::tcp::{FrameError, Messages, TcpLimits, TcpServer};
use trunkline_transport::tls::{
    Suites, TlsClientConfig, TlsGreeter, TlsServer, TlsServerConfig, TlsVersion, Versions,
};
use trunkline_transport::{Protection, dial};

/// A line is a message.
fn line(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    Ok(octets.iter().position(|octet| *octet == b'\n').map(|at| at + 1))
}

/// The transport and version of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Tls12,
    /// The peer has one suite, with AES-256, which we prefer less.
    Tls12With256,
    Tls13,
    Tls13With256,
    Integrity,
    Dtls,
}

const WAYS: [Way; 6] =
    [Way::Tls12, Way::Tls12With256, Way::Tls13, Way::Tls13With256, Way::Integrity, Way::Dtls];

impl Way {
    const fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Tls12 => &["-tls1_2"],
            Self::Tls12With256 => {
                &["-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES256-GCM-SHA384"]
            }
            Self::Tls13 => &["-tls1_3"],
            Self::Tls13With256 => &["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"],
            Self::Integrity => &["-tls1_2", "-cipher", "ECDHE-RSA-NULL-SHA:ECDHE-ECDSA-NULL-SHA:@SECLEVEL=0"],
            Self::Dtls => &["-dtls1_2"],
        }
    }

    const fn suites(self) -> Suites {
        match self {
            Self::Integrity => Suites::IntegrityOnly,
            _ => Suites::Encrypted,
        }
    }

    fn versions(self) -> Versions {
        match self {
            Self::Tls12 | Self::Tls12With256 | Self::Integrity => Versions::only(TlsVersion::V1_2),
            Self::Tls13 | Self::Tls13With256 => Versions::only(TlsVersion::V1_3),
            Self::Dtls => Versions::default(),
        }
    }
}

/// A world with keys of one kind, and its files.
struct Files {
    world: World,
    folder: TempDir,
}

impl Files {
    fn new(key: KeyKind) -> Self {
        let authority = secure::authority("Test CA");
        let options = LeafOptions { key, ..LeafOptions::default() };
        let agent = authority.agent(&secure::name("localhost"), &options).unwrap();
        let manager = authority.manager(&secure::name("ann"), &options).unwrap();
        let files = Self { world: World { authority, agent, manager }, folder: TempDir::new().unwrap() };
        let World { authority, agent, manager } = &files.world;
        std::fs::write(files.path("ca"), authority.certificate().to_pem()).unwrap();
        let whole = |issued: &Issued| format!("{}{}", issued.chain_pem(), issued.key_pem().as_str());
        std::fs::write(files.path("agent"), whole(agent)).unwrap();
        std::fs::write(files.path("manager"), whole(manager)).unwrap();
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `openssl`, with the certificates of `whom`, requiring ours.
    fn openssl(&self, command: &str, whom: &str, way: Way) -> Command {
        let mut openssl = Command::new("openssl");
        let own = self.path(whom);
        openssl.arg(command).args(way.flags());
        openssl.arg("-cert").arg(&own).arg("-key").arg(&own).arg("-CAfile").arg(self.path("ca"));
        openssl.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        openssl
    }
}

/// Stops the program with the test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(config: &TlsServerConfig, way: Way) -> SocketAddr {
    let any = "127.0.0.1:0".parse().unwrap();
    let echo = Arc::new(Echo::default());
    if way == Way::Dtls {
        let config = Arc::new(DtlsConfig::new(config).unwrap());
        let server = DtlsServer::bind(any, config, DtlsLimits::default()).unwrap();
        let address = server.local_addr();
        tokio::spawn(server.serve(echo));
        return address;
    }
    let server = TcpServer::bind(any).unwrap();
    let address = server.local_addr();
    let tls = Arc::new(TlsServer::new(config).unwrap());
    tokio::spawn(server.serve(TlsGreeter::new(tls, Messages::new(echo, line)), TcpLimits::default()));
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s_client_talks_to_our_server() {
    for key in [KeyKind::EcdsaP256, KeyKind::Rsa2048] {
        let files = Files::new(key);
        for way in WAYS {
            let config =
                TlsServerConfig { suites: way.suites(), versions: way.versions(), ..files.world.server() };
            let address = serve(&config, way);
            let mut openssl = files.openssl("s_client", "manager", way);
            openssl.args(["-verify_return_error", "-verify_hostname", "localhost", "-quiet", "-no_ign_eof"]);
            openssl.arg("-connect").arg(address.to_string());
            let mut program = Program(openssl.spawn().unwrap());
            let (mut to, from) = (program.0.stdin.take().unwrap(), program.0.stdout.take().unwrap());
            let answer = tokio::task::spawn_blocking(move || {
                to.write_all(b"hello\n").unwrap();
                let mut answer = String::new();
                BufReader::new(from).read_line(&mut answer).unwrap();
                answer
            });
            let answer = tokio::time::timeout(PATIENCE, answer).await.expect("no answer in time");
            assert_eq!(answer.unwrap(), "hello\n", "{way:?} {key:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_client_talks_to_s_server() {
    for key in [KeyKind::EcdsaP256, KeyKind::Rsa2048] {
        let files = Files::new(key);
        for way in WAYS {
            let mut openssl = files.openssl("s_server", "agent", way);
            // It prints its address, and reverses each line.
            openssl.args(["-Verify", "1", "-verify_return_error", "-accept", "127.0.0.1:0"]);
            if way != Way::Dtls {
                openssl.arg("-rev");
            }
            let mut program = Program(openssl.spawn().unwrap());
            let mut from = BufReader::new(program.0.stdout.take().unwrap());
            let address = listening(&mut from);
            let config =
                TlsClientConfig { suites: way.suites(), versions: way.versions(), ..files.world.client() };
            if way == Way::Dtls {
                let (link, _) =
                    dial::dtls(&[address], &client(&config), &localhost(), PATIENCE).await.unwrap();
                talk_by_hand(&link, &mut program, from).await;
                continue;
            }
            let (mut stream, info) =
                dial::tls(&[address], &client(&config), &localhost(), PATIENCE).await.unwrap();
            let integrity = info.protection == Protection::Integrity;
            assert_eq!(integrity, way == Way::Integrity);
            stream.write_all(b"hello\n").await.unwrap();
            let mut answer = [0; 6];
            tokio::time::timeout(PATIENCE, stream.read_exact(&mut answer)).await.unwrap().unwrap();
            assert_eq!(&answer, b"olleh\n", "{way:?} {key:?}");
        }
    }
}

/// `s_server` cannot reverse lines over DTLS: it prints what arrives, and sends its input.
async fn talk_by_hand(link: &DatagramLink, program: &mut Program, mut from: BufReader<impl Read>) {
    link.send(b"hello\n").await.unwrap();
    let mut shown = String::new();
    while shown != "hello\n" {
        shown.clear();
        assert!(from.read_line(&mut shown).unwrap() > 0, "the server has ended");
    }
    program.0.stdin.as_mut().unwrap().write_all(b"answer\n").unwrap();
    let mut answer = Vec::new();
    tokio::time::timeout(PATIENCE, link.recv(&mut answer)).await.unwrap().unwrap();
    assert_eq!(answer, b"answer\n");
}

/// The address that `s_server` prints.
fn listening(from: &mut impl BufRead) -> SocketAddr {
    let mut text = String::new();
    loop {
        text.clear();
        assert!(from.read_line(&mut text).unwrap() > 0, "the server has ended");
        if let Some(address) = text.strip_prefix("ACCEPT ") {
            return address.trim().parse().unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_made_by_openssl_is_trusted_by_its_fingerprint() {
    let files = Files::new(KeyKind::EcdsaP256);
    // `openssl req -x509` makes an authority, which presents itself all the same.
    let (own, key) = (files.path("own"), files.path("own-key"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=old manager", "-days", "2"])
        .arg("-out")
        .arg(&own)
        .arg("-keyout")
        .arg(&key)
        .stderr(Stdio::null())
        .status();
    assert!(made.unwrap().success());
    let text = [std::fs::read(&own).unwrap(), std::fs::read(&key).unwrap()].concat();
    let manager = Arc::new(trunkline_transport::tls::Identity::from_pem(&text, &text).unwrap());
    let printed = Command::new("openssl")
        .args(["x509", "-noout", "-fingerprint", "-sha1", "-in"])
        .arg(&own)
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let print = printed.trim().rsplit_once('=').unwrap().1.parse().unwrap();
    let trust = Arc::new(trunkline_transport::tls::Trust::builder().pin(print).build());
    for way in [Way::Tls12, Way::Tls13, Way::Dtls] {
        let config = TlsServerConfig {
            versions: way.versions(),
            ..TlsServerConfig::new(identity(&files.world.agent), Arc::clone(&trust))
        };
        let address = serve(&config, way);
        let trust = trusting(&files.world.authority).build().into();
        let config = TlsClientConfig::new(Some(Arc::clone(&manager)), trust);
        if way == Way::Dtls {
            let (link, _) = dial::dtls(&[address], &client(&config), &localhost(), PATIENCE).await.unwrap();
            link.send(b"hello\n").await.unwrap();
            let mut answer = Vec::new();
            tokio::time::timeout(PATIENCE, link.recv(&mut answer)).await.unwrap().unwrap();
            assert_eq!(answer, b"hello\n");
        } else {
            let (mut stream, _) =
                dial::tls(&[address], &client(&config), &localhost(), PATIENCE).await.unwrap();
            stream.write_all(b"hello\n").await.unwrap();
            let mut answer = [0; 6];
            stream.read_exact(&mut answer).await.unwrap();
            assert_eq!(&answer, b"hello\n");
        }
    }
}
