//! Sessions over TLS, SSH and HTTPS whose clients authenticate, send requests without end and never read an
//! answer.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use trunkline_pki::Directory;
use trunkline_transport::dial;
use trunkline_transport::ssh::{
    HostKeys, HostTrust, Identity as SshIdentity, SshClient, SshOptions, SshPrivateKey,
};
use trunkline_transport::tls::{Identity, ServerIdentity, TlsClient, TlsClientConfig, Trust};

use crate::support::{Agent, PATIENCE};

/// The user of SSH.
pub const USER: &str = "joe";

/// What the clients have: a certificate and a key of SSH, made in `folder`.
pub struct Means {
    tls: Arc<TlsClient>,
    key: SshIdentity,
}

impl Means {
    /// Writes the public key where the agent's configuration has it.
    pub fn new(pki: &Directory, folder: &Path, authorized: &Path) -> Means {
        let read = |path: std::path::PathBuf| std::fs::read(path).unwrap();
        let trust = Trust::builder().authorities_pem(&read(pki.authority_certificate())).unwrap().build();
        let files = pki.manager_files();
        let own = Identity::from_pem(&read(files.certificate), &read(files.key)).unwrap();
        let tls = TlsClient::new(&TlsClientConfig::new(Some(Arc::new(own)), Arc::new(trust))).unwrap();
        let private = folder.join("user_key");
        let made = HostKeys::load_or_create(&private).unwrap();
        std::fs::write(authorized, made.public_lines().join("\n")).unwrap();
        let key = SshIdentity::Key(SshPrivateKey::load(&private, || None).unwrap());
        Means { tls: Arc::new(tls), key }
    }
}

/// What is sent over which transport, again and again.
#[derive(Clone)]
pub struct Flood {
    pub scheme: &'static str,
    pub octets: Vec<u8>,
}

/// The sessions of a flood; they end when this is dropped.
pub struct Deaf {
    sent: Arc<AtomicU64>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Deaf {
    /// Opens this many sessions, and floods all of them once they are open.
    pub fn open(agent: &Agent, means: &Means, flood: Flood, count: usize) -> Deaf {
        let address = agent.address(flood.scheme);
        let host = HostKeys::load(&agent.folder.path().join("state/ssh_host_key")).unwrap();
        let ssh = SshClient {
            user: USER.into(),
            identities: vec![means.key.clone()],
            hosts: HostTrust::Fingerprints(host.fingerprints()),
            options: SshOptions::default(),
        };
        let client = Client { tls: means.tls.clone(), ssh: Arc::new(ssh), flood, deaf: Arc::default() };
        let sent = Arc::<AtomicU64>::default();
        let counter = sent.clone();
        let ((stop, stopped), (ready, is_ready)) = (oneshot::channel(), mpsc::channel());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let mut opening = JoinSet::new();
                for number in 0..count {
                    opening.spawn(client.clone().open(address, number));
                }
                let streams = opening.join_all().await;
                client.deaf.store(true, Relaxed);
                let mut floods = JoinSet::new();
                for stream in streams {
                    floods.spawn(send_without_end(stream, client.flood.octets.clone(), counter.clone()));
                }
                ready.send(()).unwrap();
                let _ = stopped.await;
            });
        });
        is_ready.recv_timeout(PATIENCE).unwrap();
        Deaf { sent, stop: Some(stop), thread: Some(thread) }
    }

    /// How often a flood was sent so far.
    pub fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }
}

impl Drop for Deaf {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(Err(_)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            panic!("a flood failed");
        }
    }
}

type Stream = Box<dyn AsyncWrite + Send + Unpin>;

#[derive(Clone)]
struct Client {
    tls: Arc<TlsClient>,
    ssh: Arc<SshClient>,
    flood: Flood,
    deaf: Arc<AtomicBool>,
}

impl Client {
    async fn open(self, agent: SocketAddr, number: usize) -> Stream {
        let from = Ipv4Addr::new(127, 5, 0, 1 + (number % 20) as u8);
        let way = way_from(from, agent, self.deaf).await;
        if self.flood.scheme == "ssh" {
            Box::new(dial::ssh(&[way], &self.ssh, "agent", "snmp", PATIENCE).await.unwrap().0)
        } else {
            Box::new(dial::tls(&[way], &self.tls, &ServerIdentity::AnyTrusted, PATIENCE).await.unwrap().0)
        }
    }
}

async fn send_without_end(mut stream: Stream, octets: Vec<u8>, sent: Arc<AtomicU64>) {
    while stream.write_all(&octets).await.is_ok() && stream.flush().await.is_ok() {
        sent.fetch_add(1, Relaxed);
    }
}

/// A port in front of the agent, as seen from that address. The agent's output arrives until it is deaf.
async fn way_from(from: Ipv4Addr, agent: SocketAddr, deaf: Arc<AtomicBool>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (near, _) = listener.accept().await.unwrap();
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        socket.bind(SocketAddr::from((from, 0))).unwrap();
        let far = socket.connect(agent).await.unwrap();
        let ((mut near_in, mut near_out), (mut far_in, mut far_out)) = (near.into_split(), far.into_split());
        let down = async {
            let mut octets = [0; 4_096];
            while !deaf.load(Relaxed) {
                match far_in.read(&mut octets).await {
                    Ok(0) | Err(_) => return,
                    Ok(count) => near_out.write_all(&octets[..count]).await.unwrap_or_default(),
                }
            }
            std::future::pending().await
        };
        tokio::select! {
            _ = tokio::io::copy(&mut near_in, &mut far_out) => {}
            () = down => {}
        }
    });
    address
}
