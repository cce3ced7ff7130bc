//! Whole sessions over a link, and walks in sessions that are open.

use serde_json::json;
use trunkline_client::{Session, SessionOptions, SnmpSession, Target};
use trunkline_lab::conversation::{Observed, Peer, Script, Wait, converse, exchange};
use trunkline_lab::fetch::Fetch;
use trunkline_lab::protocol::{Level, Mode, Protocol, SnmpVersion, Suite};
use trunkline_lab::schedule::{ManagerEnd, net_snmps_patience};
use trunkline_lab::stage::{Role, Secrets, Stand};
use trunkline_lab::transport::Transport;
use trunkline_smi::Oid;

use crate::report::{Bar, Report, median, ratio};
use crate::{Bench, Failure, Measured};

/// sysName.0, which is short.
const SYS_NAME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 5, 0];

/// The comparisons over the link of 1 ms.
const PAIRS: [(Protocol, Protocol, &str); 3] = [
    (tsm(Transport::Tls), Protocol::v2c(Transport::Udp), "500 messages over TLS, times UDP"),
    (tsm(Transport::Ssh), Protocol::v2c(Transport::Tcp), "500 messages over SSH, times TCP"),
    (tsm(Transport::Dtls), Protocol::v2c(Transport::Udp), "500 messages over DTLS, times UDP"),
];

/// SNMPv3 as the session's principal.
pub const fn tsm(transport: Transport) -> Protocol {
    Protocol::session(SnmpVersion::V3, transport, Mode::Secure)
}

/// A whole session of 500 messages, set-up included.
pub fn session(bench: &Bench<'_>, report: &mut Report) -> Measured {
    let link =
        bench.stage.link().ok_or("an emulated link needs root, or user namespaces with /dev/net/tun")?;
    link.set("unlimited,1ms".parse()?);
    bench.stage.stand(Stand::Link)?;
    let script = Script::Get { name: Oid::from(SYS_NAME), times: 500 };
    for (ours, plain, name) in PAIRS {
        let (ours, plain) = (target(bench, ours, Stand::Link)?, target(bench, plain, Stand::Link)?);
        let mut rounds = Pair::default();
        for round in 1..=bench.options.rounds {
            rounds.push(|which| whole(bench, [&ours, &plain][which], &script))?;
            report.progress(name, round, bench.options.rounds);
        }
        rounds.tell(name, Bar::AtMost(1.05), report);
    }
    Ok(())
}

/// What a session or a walk took.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    pub seconds: f64,
    /// Microseconds of the agent's processor time, user and system, for each answer.
    pub cpu: f64,
}

/// The rounds of ours and of what it is compared with.
#[derive(Default)]
pub struct Pair([Vec<Took>; 2]);

impl Pair {
    /// One round of both. Which one begins alternates.
    pub fn push(&mut self, mut measure: impl FnMut(usize) -> Result<Took, Failure>) -> Measured {
        let first = self.0[0].len() % 2;
        for which in [first, 1 - first] {
            let took = measure(which)?;
            self.0[which].push(took);
        }
        Ok(())
    }

    /// The ratio as a figure, and times with the agent's processor time as a note.
    pub fn tell(&self, name: &str, bar: Bar, report: &mut Report) {
        let [ours, other] = self.0.each_ref().map(|rounds| column(rounds, |took| took.seconds));
        report.add(name, bar, &ratio(&ours, &other));
        let words = self.0.each_ref().map(|rounds| {
            let [time, cpu] = [|took: &Took| took.seconds * 1e3, |took: &Took| took.cpu]
                .map(|part: fn(&Took) -> f64| median(&column(rounds, part)));
            format!("{time:.2} ms at {cpu:.1} us of the agent's CPU per answer")
        });
        report.note(format!("{name}: {} compared with {}", words[0], words[1]));
        let cpu = self.0.each_ref().map(|rounds| column(rounds, |took| took.cpu));
        report.keep(name, json!({ "seconds": [ours, other], "cpu_us_per_answer": cpu }));
    }
}

fn column(rounds: &[Took], part: fn(&Took) -> f64) -> Vec<f64> {
    rounds.iter().map(part).collect()
}

/// A whole session.
pub fn whole(bench: &Bench<'_>, target: &Target, script: &Script) -> Result<Took, Failure> {
    let peer = Peer::Snmp(Box::new(target.clone()));
    let before = bench.agent_cpu()?;
    let observed = bench.runtime.block_on(converse(&peer, options(), script, Wait::Awake, None))?;
    let seconds = (observed.open_ns + observed.exchange_ns + observed.close_ns) as f64 / 1e9;
    let answers = observed.each_ns.len().max(1) as f64;
    Ok(Took { seconds, cpu: (bench.agent_cpu()? - before) as f64 / 1000.0 / answers })
}

/// A script in an open session.
fn walk(bench: &Bench<'_>, session: &dyn Session, script: &Script) -> Result<Took, Failure> {
    let (mut observed, before) = (Observed::default(), bench.agent_cpu()?);
    let begin = std::time::Instant::now();
    bench.runtime.block_on(exchange(session, script, &mut observed))?;
    let (seconds, answers) = (begin.elapsed().as_secs_f64(), observed.each_ns.len().max(1) as f64);
    Ok(Took { seconds, cpu: (bench.agent_cpu()? - before) as f64 / 1000.0 / answers })
}

/// A walk of 270 and of 2,200 objects with GetBulk in an open session, compared with UDP and the User-based
/// Security Model.
pub fn bulk(bench: &Bench<'_>, report: &mut Report) -> Measured {
    bench.stage.stand(Stand::Beside)?;
    let usm = Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Modern);
    for objects in [270, 1800] {
        let script = Script::Fetch { fetch: Fetch::First(objects), rounds: 20 };
        let sessions = [open(bench, tsm(Transport::Tls))?, open(bench, usm)?];
        // The first one learns the engine and warms up.
        for session in &sessions {
            walk(bench, &**session, &script)?;
        }
        let name = format!("bulk walk of {objects} objects in an open TLS session, times UDP/USM authPriv");
        let mut rounds = Pair::default();
        for round in 1..=bench.options.rounds {
            rounds.push(|which| walk(bench, &*sessions[which], &script))?;
            report.progress(&name, round, bench.options.rounds);
        }
        rounds.tell(&name, Bar::AtMost(1.0), report);
    }
    Ok(())
}

fn open(bench: &Bench<'_>, protocol: Protocol) -> Result<std::sync::Arc<dyn Session>, Failure> {
    let target = target(bench, protocol, Stand::Beside)?;
    Ok(std::sync::Arc::new(bench.runtime.block_on(SnmpSession::open(&target, options()))?))
}

/// The agent to query, and the credentials.
pub fn target(bench: &Bench<'_>, protocol: Protocol, stand: Stand) -> Result<Target, String> {
    bench.stage.target(protocol, Role::Shipped, stand, Secrets::Ready, ManagerEnd::default())
}

/// Patient: nothing is lost here.
pub fn options() -> SessionOptions {
    net_snmps_patience()
}
