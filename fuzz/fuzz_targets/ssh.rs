//! Peers of the SSH server. Strangers send octets from the first one on, and get no session. A client with a valid
//! handshake then requests anything in any order: names, keys, channels, subsystems, data. Only the right key
//! opens a session, and what its channel carries arrives complete.
//!
//! Time is simulated: it passes when nothing else can happen.
#![no_main]

use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use russh::client::{self, Handle, Msg};
use russh::keys::{PrivateKey, PrivateKeyWithHashAlg, PublicKeyOrCertificate};
use russh::{Channel, Pty};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{self, Builder, Runtime};
use tokio::time::timeout;
use trunkline_pki::{Name, SshKey};
use trunkline_transport::ssh::{HostKeys, SshGreeter, SshServer, SshServerOptions, SshUser, SshUsers};
use trunkline_transport::tcp::{Ends, FrameError, Greeter, Messages, TcpLimits};
use trunkline_transport::{Proof, Refused, Reply, SessionHandler, SessionInfo, Subsystems, Visit};

fuzz_target!(|input: &[u8]| {
    let Some((&how, octets)) = input.split_first() else { return };
    RUNTIME.block_on(async {
        if how == b's' {
            script(octets).await;
        } else {
            stranger(how, octets).await;
        }
        assert!(all_end(Duration::from_secs(60)).await, "tasks outlive their connection");
    });
});

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().start_paused(true).max_blocking_threads(1).build().expect("a runtime")
});

/// Whether all tasks end within this time.
async fn all_end(time: Duration) -> bool {
    let rest = async {
        while runtime::Handle::current().metrics().num_alive_tasks() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(time, rest).await.is_ok()
}

/// The server, `alice`'s key, and a key that is not accepted.
struct World {
    server: Arc<SshServer>,
    right: Arc<PrivateKey>,
    wrong: Arc<PrivateKey>,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let key = |name| SshKey::create(&Name::new(name).expect("a name")).expect("a key");
    let (right, wrong) = (key("alice"), key("mallory"));
    let private = |key: &SshKey| {
        let text = key.private().expect("a key");
        Arc::new(PrivateKey::from_openssh(text.as_bytes()).expect("a key"))
    };
    let path: PathBuf =
        std::env::temp_dir().join(format!("trunkline-fuzz-authorized-keys-{}", std::process::id()));
    std::fs::write(&path, right.public().expect("a key") + "\n").expect("a file of keys");
    let users: SshUsers =
        [SshUser { name: "alice".into(), authorized_keys: Some(path), password: None }].into_iter().collect();
    let options = SshServerOptions { failure_time: Duration::ZERO, ..SshServerOptions::default() };
    let server = Arc::new(SshServer::new(HostKeys::in_memory().expect("a host key"), users, options));
    World { server, right: private(&right), wrong: private(&wrong) }
});

/// Records the messages, and echoes each.
#[derive(Default)]
struct Keeper {
    sessions: Mutex<Vec<SessionInfo>>,
    messages: Mutex<Vec<Vec<u8>>>,
}

impl SessionHandler for Keeper {
    type Session = ();

    fn open(&self, info: &SessionInfo) -> Result<Arc<()>, Refused> {
        self.sessions.lock().expect("no panic").push(info.clone());
        Ok(Arc::new(()))
    }

    async fn handle(&self, message: Vec<u8>, _: &Arc<()>) -> Reply {
        self.messages.lock().expect("no panic").push(message.clone());
        Reply::Send(message)
    }
}

/// A message is an octet with the number of octets after it, and those.
const fn frame(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    match octets {
        [] => Ok(None),
        [0, ..] => Err(FrameError),
        [length, ..] => Ok(Some(1 + *length as usize)),
    }
}

/// Two ends of a connection that needs no port.
fn pair() -> (TcpStream, TcpStream) {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().expect("a pair of sockets");
    let stream = |end: std::os::unix::net::UnixStream| {
        end.set_nonblocking(true).expect("a socket");
        TcpStream::from_std(OwnedFd::from(end).into()).expect("a stream")
    };
    (stream(ours), stream(theirs))
}

/// Serves a connection as the listener does, until it ends.
async fn serve(stream: TcpStream, keeper: Arc<Keeper>) -> bool {
    let local = (Ipv4Addr::LOCALHOST, 5161).into();
    let limits = TcpLimits::default();
    let greeter = SshGreeter::new(WORLD.server.clone(), Subsystems::of("snmp", Messages::new(keeper, frame)));
    let greeting = greeter.greet(stream, Ends { peer: local, local }, Visit::new(limits));
    let Ok(Ok(guest)) = timeout(limits.handshake_time, greeting).await else { return false };
    let ended = timeout(Duration::from_secs(3600), guest).await;
    assert!(ended.is_ok(), "the connection never ends");
    true
}

/// The octets of a stranger: first the end of a valid banner or not, then anything.
async fn stranger(how: u8, octets: &[u8]) {
    let (ours, mut theirs) = pair();
    let keeper = Arc::new(Keeper::default());
    let talking = async {
        if how & 1 == 0 {
            let _ = theirs.write_all(b"SSH-2.0-stranger\r\n").await;
        }
        let _ = theirs.write_all(octets).await;
        if how & 2 == 0 {
            let _ = theirs.shutdown().await;
        }
        let mut answered = Vec::new();
        let _ = timeout(Duration::from_secs(60), theirs.read_to_end(&mut answered)).await;
        assert!(answered.len() <= 8192 + 4 * octets.len(), "{} octets for {}", answered.len(), octets.len());
    };
    let (served, ()) = tokio::join!(serve(ours, Arc::clone(&keeper)), talking);
    assert!(!served && keeper.sessions.lock().expect("no panic").is_empty(), "in without a handshake");
}

struct Trusting;

impl client::Handler for Trusting {
    type Error = russh::Error;

    async fn check_server_key(&mut self, _: &PublicKeyOrCertificate) -> Result<bool, russh::Error> {
        Ok(true)
    }
}

/// Octets of a script, taken one by one.
struct Script<'s>(&'s [u8]);

impl<'s> Script<'s> {
    fn octet(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn octets(&mut self) -> &'s [u8] {
        let length = self.octet().map_or(0, usize::from).min(self.0.len());
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn text(&mut self) -> String {
        String::from_utf8_lossy(self.octets()).into_owned()
    }
}

/// What a client has requested.
#[derive(Default)]
struct Asked {
    channels: Vec<(Channel<Msg>, Vec<u8>)>,
    right_key: bool,
}

async fn script(octets: &[u8]) {
    let (ours, theirs) = pair();
    let keeper = Arc::new(Keeper::default());
    let talking = async {
        let config = Arc::new(client::Config::default());
        let connecting = client::connect_stream(config, theirs, Trusting);
        let mut handle = connecting.await.expect("the handshake is well");
        let (mut script, mut asked) = (Script(octets), Asked::default());
        for _ in 0..MOST_STEPS {
            let Some(step) = script.octet() else { break };
            // An answer that never comes must not keep the client.
            let _ = timeout(Duration::from_secs(5), act(step, &mut script, &mut handle, &mut asked)).await;
        }
        // Gives the data a moment to arrive.
        tokio::time::sleep(Duration::from_millis(10)).await;
        (asked.right_key, asked.channels.into_iter().map(|(_, sent)| sent).collect::<Vec<_>>())
    };
    let (_, (right_key, sent)) = tokio::join!(serve(ours, Arc::clone(&keeper)), talking);
    let sessions = keeper.sessions.lock().expect("no panic");
    assert!(sessions.is_empty() || right_key, "in without the key");
    assert!(sessions.iter().all(|info| info.proof == Proof::User("alice".into())));
    for message in keeper.messages.lock().expect("no panic").iter() {
        let holds = |sent: &Vec<u8>| sent.windows(message.len()).any(|window| window == message);
        assert!(sent.iter().any(holds), "{message:?} was never sent");
    }
}

const MOST_STEPS: usize = 40;

async fn act(
    step: u8,
    script: &mut Script<'_>,
    handle: &mut Handle<Trusting>,
    asked: &mut Asked,
) -> Result<(), russh::Error> {
    let key = |key: &Arc<PrivateKey>| PrivateKeyWithHashAlg::new(Arc::clone(key), None);
    match step % 16 {
        0 => drop(handle.authenticate_none(script.text()).await?),
        1 => drop(handle.authenticate_password(script.text(), script.text()).await?),
        2 => drop(handle.authenticate_publickey("alice", key(&WORLD.wrong)).await?),
        3 => {
            let name = script.text();
            asked.right_key |= name == "alice";
            drop(handle.authenticate_publickey(name, key(&WORLD.right)).await?);
        }
        4 => {
            asked.right_key = true;
            drop(handle.authenticate_publickey("alice", key(&WORLD.right)).await?);
        }
        5 => asked.channels.push((handle.channel_open_session().await?, Vec::new())),
        6 => drop(handle.tcpip_forward(script.text(), 0).await?),
        7 => drop(handle.send_global_request(script.text(), script.octets(), step & 16 != 0).await?),
        8 => drop(handle.channel_open_direct_tcpip(script.text(), 1, "a", 2).await?),
        9 => handle.rekey_soon().await?,
        _ => {
            let count = asked.channels.len().max(1);
            let at = script.octet().map_or(0, usize::from) % count;
            let Some((channel, sent)) = asked.channels.get_mut(at) else { return Ok(()) };
            in_channel(step, script, channel, sent).await?;
        }
    }
    Ok(())
}

async fn in_channel(
    step: u8,
    script: &mut Script<'_>,
    channel: &mut Channel<Msg>,
    sent: &mut Vec<u8>,
) -> Result<(), russh::Error> {
    match step % 16 {
        10 => channel.request_subsystem(true, "snmp").await,
        11 => channel.request_subsystem(true, script.text()).await,
        12 => {
            let octets = script.octets();
            sent.extend_from_slice(octets);
            channel.data_bytes(octets.to_vec()).await
        }
        13 => channel.eof().await,
        14 => channel.close().await,
        _ => match script.octet().unwrap_or(0) % 8 {
            0 => channel.request_shell(true).await,
            1 => channel.exec(true, script.octets()).await,
            2 => channel.request_pty(true, &script.text(), 80, 24, 0, 0, &[(Pty::ECHO, 1)]).await,
            3 => channel.request_x11(true, false, script.text(), script.text(), 0).await,
            4 => channel.set_env(true, script.text(), script.text()).await,
            5 => channel.agent_forward(true).await,
            6 => channel.extended_data_bytes(1, script.octets().to_vec()).await,
            _ => channel.window_change(1, 1, 0, 0).await,
        },
    }
}
