//! From how many interactions on a session over TLS or SSH takes less time than UDP with the User-based Security Model
//! (Marinov 2006 section 5.3: about 500 for SSH).

use std::cmp::Ordering::{Equal, Greater, Less};

use serde_json::json;
use trunkline_lab::conversation::{Script, thread_cpu};
use trunkline_lab::estimate::Estimate;
use trunkline_lab::protocol::{Level, Protocol, Suite};
use trunkline_lab::stage::Stand;
use trunkline_lab::transport::Transport;
use trunkline_smi::Oid;

use crate::conversations::{Took, target, tsm, whole};
use crate::report::{Report, figure, median, with_interval};
use crate::{Bench, Failure, Measured};

/// The shorter and the longer walk that a line goes through.
const WALKS: [u32; 2] = [1, 1000];

/// A cost for each session and one for each interaction, seconds; and of an interaction what the agent's and the
/// manager's processors were busy.
struct Line {
    set_up: Estimate,
    each: Estimate,
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
            let raw = |line: &Line| json!({ "set_up_s": line.set_up.value(), "each_s": line.each.value() });
            report.keep(&name, json!({ "usm": raw(&one), "session": raw(&other) }));
            report.progress(&name, 1, 1);
        }
    }
    Ok(())
}

fn lines(bench: &Bench<'_>, protocols: [Protocol; 2], stand: Stand) -> Result<[Line; 2], Failure> {
    let targets = [target(bench, protocols[0], stand)?, target(bench, protocols[1], stand)?];
    let mut walks: [[Vec<Took>; 2]; 2] = Default::default();
    let mut managers = [vec![], vec![]];
    // A long walk over the link takes a second.
    for _ in 0..bench.options.rounds.min(7) {
        for ((target, walks), manager) in targets.iter().zip(&mut walks).zip(&mut managers) {
            for (times, walks) in WALKS.iter().zip(walks) {
                let script = Script::Walk { root: Oid::from([1, 3, 6, 1, 2, 1, 2, 2]), times: *times };
                let before = thread_cpu();
                walks.push(whole(bench, target, &script)?);
                if *times == WALKS[1] {
                    manager.push(thread_cpu().saturating_sub(before) as f64 / 1e9 / f64::from(*times));
                }
            }
        }
    }
    Ok([0, 1].map(|which| line(&walks[which], median(&managers[which]))))
}

fn line([short, long]: &[Vec<Took>; 2], manager: f64) -> Line {
    let seconds = |walks: &[Took]| figure(&walks.iter().map(|took| took.seconds).collect::<Vec<f64>>());
    let agent: Vec<f64> = long.iter().map(|took| took.cpu / 1e6).collect();
    let each = &(&seconds(long) - &seconds(short)) / f64::from(WALKS[1] - WALKS[0]);
    Line { set_up: &seconds(short) - &each, each, agent: median(&agent), manager }
}

fn words(place: &str, usm: Protocol, secure: Protocol, one: &Line, other: &Line) -> String {
    let (dearer, gain) = (&other.set_up - &one.set_up, &one.each - &other.each);
    let costs = format!(
        "set-up {:.2} against {:.2} ms, an interaction {:.1} against {:.1} us",
        other.set_up.value() * 1e3,
        one.set_up.value() * 1e3,
        other.each.value() * 1e6,
        one.each.value() * 1e6
    );
    let point = with_interval(&(&dearer / &gain));
    let verdict = match (dearer.against(0.0), gain.against(0.0)) {
        (Some(Less | Equal), Some(Greater)) => "cheaper from the first interaction on".into(),
        (Some(Less), Some(Less)) => format!("cheaper up to {point} interactions"),
        (Some(Greater), Some(Greater)) => {
            format!("break-even at {point} interactions (paper: about 500 for SSH)")
        }
        (Some(Greater | Equal), Some(Less | Equal)) => format!(
            "no break-even: each interaction takes longer too, of which the agent's processor {:+.1} us, the \
             manager's {:+.1} us, the rest waiting",
            (other.agent - one.agent) * 1e6,
            (other.manager - one.manager) * 1e6
        ),
        _ => "not resolved: the difference of the set-up or of an interaction is within the noise".into(),
    };
    format!("{place}: {secure} beside {usm}: {verdict}; {costs}")
}
