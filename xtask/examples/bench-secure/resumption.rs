//! Setting up sessions over TLS: resumed compared with anew.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use trunkline_client::tls::{Identity, ServerIdentity, TlsClient, TlsClientConfig, Trust};
use trunkline_lab::conversation::thread_cpu;
use trunkline_lab::stage::{Role, Stand};
use trunkline_lab::transport::Transport;
use trunkline_transport::dial::{self, Stream};

use crate::report::{Bar, Report, median, ratio, with_interval};
use crate::{Bench, Failure, Measured};

/// The kinds of sessions that take turns.
const KINDS: usize = 3;
const ANEW: usize = 0;
const RESUMED: usize = 1;
/// What a connection costs without TLS: the part of both that no handshake can be without.
const TCP_ALONE: usize = 2;

/// A resumed handshake compared with a full one: connection and handshake, until the client may send. Until then a
/// full one of TLS 1.3 has not checked the client; the note has the whole, until the first answer is there.
pub fn measure(bench: &Bench<'_>, report: &mut Report) -> Measured {
    bench.stage.stand(Stand::Beside)?;
    let agent = bench.stage.agent(Role::Shipped).ok_or("there is no agent")?;
    let address = |transport| agent.port(transport).map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let tls = address(Transport::Tls).ok_or("the agent does not listen on TLS")?;
    let tcp = address(Transport::Tcp).ok_or("the agent does not listen on TCP")?;
    let (anew, resuming) = (client(bench, false)?, client(bench, true)?);
    let kinds = [(Some(&anew), tls), (Some(&resuming), tls), (None, tcp)];
    // The first one has nothing to resume.
    for kind in kinds {
        set_up(bench, kind)?;
    }
    let name = "TLS set-up resumed, times anew";
    let mut rounds: [Vec<SetUp>; KINDS] = Default::default();
    for round in 1..=bench.options.rounds {
        let mut sums = [SetUp::default(); KINDS];
        for session in 0..SESSIONS {
            for turn in 0..KINDS {
                let which = (session + turn) % KINDS;
                let seen = set_up(bench, kinds[which])?;
                if seen.is_resumed != (which == RESUMED) {
                    return Err(
                        "the agent resumed a TLS session that it should not, or the other way round".into()
                    );
                }
                sums[which].add(&seen);
            }
        }
        rounds.iter_mut().zip(sums).for_each(|(rounds, sum)| rounds.push(sum));
        report.progress(name, round, bench.options.rounds);
    }
    tell(name, &rounds, report);
    Ok(())
}

/// Sessions of each kind in a round.
const SESSIONS: usize = 21;

/// One session, or the sum of those of a round: seconds.
#[derive(Clone, Copy, Default)]
struct SetUp {
    /// Connection and handshake.
    handshake: f64,
    /// The same until the first answer is there.
    answered: f64,
    /// The agent's processor time for all of it.
    agent: f64,
    /// This program's.
    manager: f64,
    is_resumed: bool,
}

impl SetUp {
    fn add(&mut self, other: &SetUp) {
        self.handshake += other.handshake;
        self.answered += other.answered;
        self.agent += other.agent;
        self.manager += other.manager;
    }
}

/// A part of a set-up, and its name.
type Part = (&'static str, fn(&SetUp) -> f64);

fn tell(name: &str, rounds: &[Vec<SetUp>; KINDS], report: &mut Report) {
    let parts: [Part; 4] = [
        ("until the client may send", |it| it.handshake),
        ("until the first answer", |it| it.answered),
        ("the agent's CPU, session and answer", |it| it.agent),
        ("the manager's CPU, session and answer", |it| it.manager),
    ];
    for (place, (what, part)) in parts.into_iter().enumerate() {
        let seconds = rounds.each_ref().map(|rounds| rounds.iter().map(part).collect::<Vec<f64>>());
        let times = ratio(&seconds[RESUMED], &seconds[ANEW]);
        let each = seconds.each_ref().map(|sums| median(sums) / SESSIONS as f64 * 1e6);
        report.note(format!(
            "TLS set-up, {what}: {:.0} us resumed, {:.0} us anew, {} of it; TCP alone {:.0} us",
            each[RESUMED],
            each[ANEW],
            with_interval(&times),
            each[TCP_ALONE]
        ));
        let [anew, resumed, tcp] = &seconds;
        let raw = json!({ "anew": anew, "resumed": resumed, "TCP alone": tcp });
        report.keep(&format!("TLS set-up, {what}, s for {SESSIONS}"), raw);
        if place == 0 {
            report.add(name, Bar::AtMost(0.5), &times);
        }
    }
}

fn client(bench: &Bench<'_>, resume: bool) -> Result<TlsClient, Failure> {
    let file = |name: &str| bench.stage.keyring().path(name);
    let identity = Identity::from_files(&file("manager.pem"), &file("manager.key"))?;
    let trust = Trust::builder().authorities_file(&file("ca.pem"))?.build();
    let mut config = TlsClientConfig::new(Some(Arc::new(identity)), Arc::new(trust));
    config.resume = resume;
    Ok(TlsClient::new(&config)?)
}

/// How to reach an agent: with TLS, or without.
type Kind<'c> = (Option<&'c TlsClient>, SocketAddr);

/// A session with one message and its answer; with the answer comes the ticket of TLS 1.3.
fn set_up(bench: &Bench<'_>, kind: Kind<'_>) -> Result<SetUp, Failure> {
    let before = (bench.agent_cpu()?, thread_cpu());
    let mut seen = bench.runtime.block_on(session(kind))?;
    seen.agent = bench.agent_cpu()?.saturating_sub(before.0) as f64 / 1e9;
    seen.manager = thread_cpu().saturating_sub(before.1) as f64 / 1e9;
    Ok(seen)
}

async fn session((client, address): Kind<'_>) -> Result<SetUp, Failure> {
    let begin = Instant::now();
    let Some(client) = client else {
        let stream = dial::tcp(&[address], PATIENCE).await?;
        return talk(stream, begin).await;
    };
    let server = ServerIdentity::Name("127.0.0.1".into());
    let (stream, _) = dial::tls(&[address], client, &server, PATIENCE).await?;
    let is_resumed = stream.is_resumed();
    Ok(SetUp { is_resumed, ..talk(stream, begin).await? })
}

/// A message and its answer, and the end: the agent has closed too when the next session begins.
async fn talk(mut stream: impl Stream, begin: Instant) -> Result<SetUp, Failure> {
    let handshake = begin.elapsed().as_secs_f64();
    stream.write_all(&GET).await?;
    stream.flush().await?;
    let mut answer = [0; 512];
    let _ = stream.read(&mut answer).await?;
    let answered = begin.elapsed().as_secs_f64();
    stream.shutdown().await?;
    while stream.read(&mut answer).await? > 0 {}
    Ok(SetUp { handshake, answered, ..SetUp::default() })
}

/// For a connection, and for a handshake.
const PATIENCE: Duration = Duration::from_secs(5);

/// Get of sysName.0 in SNMPv2c, of the community `public`.
const GET: [u8; 43] = [
    0x30, 0x29, 2, 1, 1, 4, 6, b'p', b'u', b'b', b'l', b'i', b'c', 0xa0, 0x1c, 2, 4, 0x12, 0x34, 0x56, 0x78,
    2, 1, 0, 2, 1, 0, 0x30, 0x0e, 0x30, 0x0c, 6, 8, 0x2b, 6, 1, 2, 1, 1, 5, 0, 5, 0,
];
