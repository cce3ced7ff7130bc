//! From how many interactions on a session over TLS or SSH takes less time than UDP with the User-based Security Model
//! (Marinov 2006 section 5.3: about 500 for SSH).

use serde_json::json;
use trunkline_lab::conversation::{Script, thread_cpu};
use trunkline_lab::protocol::{Level, Protocol, Suite};
use trunkline_lab::stage::{Role, Stand};
use trunkline_lab::transport::Transport;
use trunkline_smi::Oid;

use crate::conversations::{target, tsm, whole};
use crate::report::Report;
use crate::{Bench, Measured, median};

/// The shorter and the longer walk that a line goes through.
const WALKS: [u32; 2] = [1, 1000];

/// A cost for each session and one for each interaction, seconds; and of an interaction what the agent's and the
/// manager's processors were busy.
struct Line {
    set_up: f64,
    each: f64,
    agent: f64,
    manager: f64,
}

/// Over loopback and over a link of 1 ms.
pub fn measure(bench: &Bench<'_>, report: &mut Report) -> Measured {
    for stand in [Stand::Beside, Stand::Link] {
        if let Some(link) = bench.stage.link().filter(|_| stand == Stand::Link) {
            link.set("unlimited,1ms".parse()?);
        }
        if !bench.stage.stand(stand)? {
            continue;
        }
        let place = if stand == Stand::Link { "a link of 1 ms" } else { "loopback" };
        for (usm, secure) in [
            (Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Modern), tsm(Transport::Ssh)),
            (Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Modern), tsm(Transport::Tls)),
            (Protocol::usm(Transport::Tcp, Level::AuthPriv, Suite::Modern), tsm(Transport::Ssh)),
            (Protocol::usm(Transport::Tcp, Level::AuthPriv, Suite::Modern), tsm(Transport::Tls)),
        ] {
            let [one, other] = lines(bench, [usm, secure], stand)?;
            report.note(words(place, usm, secure, &one, &other));
            let name = format!("break-even over {place}: {secure} and {usm}");
            report.keep(
                &name,
                json!({
                    "usm": {"set_up_s": one.set_up, "each_s": one.each},
                    "session": {"set_up_s": other.set_up, "each_s": other.each},
                }),
            );
        }
    }
    Ok(())
}

fn lines(
    bench: &Bench<'_>,
    protocols: [Protocol; 2],
    stand: Stand,
) -> Result<[Line; 2], Box<dyn std::error::Error>> {
    let targets = [target(bench, protocols[0], stand)?, target(bench, protocols[1], stand)?];
    let mut times = [[vec![], vec![]], [vec![], vec![]]];
    let mut busy = [[vec![], vec![]], [vec![], vec![]]];
    let meter = bench.stage.cpu(Role::Shipped).ok_or("the agent's processor time cannot be read")?;
    // A long walk over the link takes a second.
    for _ in 0..bench.options.rounds.min(7) {
        for ((target, times), busy) in targets.iter().zip(&mut times).zip(&mut busy) {
            for (walk, times) in WALKS.iter().zip(times) {
                let script = Script::Walk { root: Oid::from([1, 3, 6, 1, 2, 1, 2, 2]), times: *walk };
                let before = (meter.read()?, thread_cpu());
                times.push(whole(bench, target, &script)?);
                if *walk == WALKS[1] {
                    let share = |ns: u64| ns as f64 / 1e9 / f64::from(*walk);
                    busy[0].push(share(meter.read()?.saturating_sub(before.0)));
                    busy[1].push(share(thread_cpu().saturating_sub(before.1)));
                }
            }
        }
    }
    let line = |[short, long]: &[Vec<f64>; 2], [agent, manager]: &[Vec<f64>; 2]| {
        let each = (median(long) - median(short)) / f64::from(WALKS[1] - WALKS[0]);
        Line { set_up: median(short) - each, each, agent: median(agent), manager: median(manager) }
    };
    Ok([line(&times[0], &busy[0]), line(&times[1], &busy[1])])
}

fn words(place: &str, usm: Protocol, secure: Protocol, one: &Line, other: &Line) -> String {
    let (dearer, gain) = (other.set_up - one.set_up, one.each - other.each);
    let costs = format!(
        "set-up {:.2} against {:.2} ms, an interaction {:.1} against {:.1} us",
        other.set_up * 1e3,
        one.set_up * 1e3,
        other.each * 1e6,
        one.each * 1e6
    );
    let verdict = match (dearer <= 0.0, gain > 0.0) {
        (true, true) => "cheaper from the first interaction on".into(),
        (true, false) => format!("cheaper up to {:.0} interactions", dearer / gain),
        (false, true) => {
            format!("break-even at {:.0} interactions (paper: about 500 for SSH)", dearer / gain)
        }
        (false, false) => format!(
            "no break-even: each interaction takes longer too, of which the agent's processor {:+.1} us, the \
             manager's {:+.1} us, the rest waiting",
            (other.agent - one.agent) * 1e6,
            (other.manager - one.manager) * 1e6
        ),
    };
    format!("{place}: {secure} beside {usm}: {verdict}; {costs}")
}
