//! What an open session takes of the agent's memory: idle, and after a message of 30 KB.

use trunkline_client::SnmpSession;
use trunkline_lab::meter::memory;
use trunkline_lab::stage::{Role, Stand};
use trunkline_lab::transport::Transport;
use trunkline_smi::Oid;

use crate::conversations::{options, target, tsm};
use crate::report::{Bar, Report};
use crate::{Bench, Measured};

/// So many objects of ifTable fill about 30 KB.
const LARGE: u32 = 1500;

/// The bars in KB of 1024 octets.
const BARS: [(Transport, f64, f64); 2] = [(Transport::Tls, 16.0, 64.0), (Transport::Ssh, 48.0, 64.0)];

/// Each transport gets a fresh agent: the memory of the first one would hide what the second takes.
pub fn measure(bench: &Bench<'_>, report: &mut Report) -> Measured {
    for (transport, idle, used) in BARS {
        let fresh = crate::stage(bench.options, report)?;
        let bench = Bench { stage: &fresh, ..*bench };
        one(&bench, transport, idle, used, report)?;
    }
    Ok(())
}

fn one(bench: &Bench<'_>, transport: Transport, idle: f64, used: f64, report: &mut Report) -> Measured {
    bench.stage.stand(Stand::Beside)?;
    let count = bench.options.sessions;
    let agent = bench.stage.agent(Role::Shipped).ok_or("there is no agent")?.pid();
    let target = target(bench, tsm(transport), Stand::Beside)?;
    // Sessions stay open however long this takes.
    let patient = options().with_idle(None);
    // What an agent needs anyway is there after the first ones.
    let mut open = Vec::new();
    for _ in 0..WARM {
        open.push(bench.runtime.block_on(SnmpSession::open(&target, patient))?);
    }
    let (before, _) = memory::sizes(agent)?;
    for _ in WARM..count {
        open.push(bench.runtime.block_on(SnmpSession::open(&target, patient))?);
    }
    let (after, _) = memory::sizes(agent)?;
    let per_session =
        |resident: u64| resident.saturating_sub(before) as f64 / 1024.0 / f64::from(count - WARM);
    let name = format!("resident KB of an idle session of {count} over {transport}");
    report.add(name, "", Bar::AtMost(idle), per_session(after));

    let names = [Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1])];
    let mut octets = 0;
    for session in &open {
        let answer = bench.runtime.block_on(session.bulk(0, LARGE, &names))?;
        octets = answer.response_octets;
    }
    let (after, _) = memory::sizes(agent)?;
    let name = format!("the same after an answer of {} KB each over {transport}", octets / 1000);
    report.add(name, "", Bar::AtMost(used), per_session(after));
    Ok(())
}

/// Sessions before the first reading.
const WARM: u32 = 20;
