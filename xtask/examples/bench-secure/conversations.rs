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

use crate::report::{Bar, Report};
use crate::{Bench, Measured, median};

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
        let mut ratios = Vec::new();
        for _ in 0..bench.options.rounds {
            let times = [&ours, &plain].map(|target| whole(bench, target, &script));
            let [ours, plain] = times;
            ratios.push(ours? / plain?);
        }
        report.add(name, "", Bar::AtMost(1.05), median(&ratios));
        report.keep(name, json!(ratios));
    }
    Ok(())
}

/// Seconds of a whole session.
pub fn whole(bench: &Bench<'_>, target: &Target, script: &Script) -> Result<f64, Box<dyn std::error::Error>> {
    let peer = Peer::Snmp(Box::new(target.clone()));
    let observed = bench.runtime.block_on(converse(&peer, options(), script, Wait::Awake))?;
    Ok((observed.open_ns + observed.exchange_ns + observed.close_ns) as f64 / 1e9)
}

/// A walk of 270 and of 2,200 objects with GetBulk in an open session, compared with UDP and the User-based
/// Security Model.
pub fn bulk(bench: &Bench<'_>, report: &mut Report) -> Measured {
    bench.stage.stand(Stand::Beside)?;
    let usm = Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Modern);
    for objects in [270, 1800] {
        let script = Script::Fetch { fetch: Fetch::First(objects), rounds: 20 };
        let tls = open(bench, tsm(Transport::Tls))?;
        let udp = open(bench, usm)?;
        let mut ratios = Vec::new();
        for round in 0..=bench.options.rounds {
            let [tls, udp] = [&tls, &udp].map(|session| {
                let mut observed = Observed::default();
                let begin = std::time::Instant::now();
                bench.runtime.block_on(exchange(&**session, &script, &mut observed))?;
                Ok::<_, trunkline_client::Error>(begin.elapsed().as_secs_f64())
            });
            // The first one learns the engine and warms up.
            if round > 0 {
                ratios.push(tls? / udp?);
            }
        }
        let name = format!("bulk walk of {objects} objects in an open TLS session, times UDP/USM authPriv");
        report.keep(&name, json!(ratios));
        report.add(name, "", Bar::AtMost(1.0), median(&ratios));
    }
    Ok(())
}

fn open(
    bench: &Bench<'_>,
    protocol: Protocol,
) -> Result<std::sync::Arc<dyn Session>, Box<dyn std::error::Error>> {
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
