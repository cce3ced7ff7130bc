//! What an open session takes of the agent's memory: idle, and after a message of 30 KB.

use serde_json::json;
use trunkline_client::SnmpSession;
use trunkline_lab::estimate::Estimate;
use trunkline_lab::meter::memory;
use trunkline_lab::stage::{Role, Stand};
use trunkline_lab::transport::Transport;
use trunkline_smi::Oid;

use crate::conversations::{options, target, tsm};
use crate::report::{Bar, Report};
use crate::{Bench, Failure, Measured};

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
    let name = format!("resident KB of an idle session of {count} over {transport}");
    let opened = in_blocks(agent, count - WARM, |_| {
        open.push(bench.runtime.block_on(SnmpSession::open(&target, patient))?);
        Ok(())
    })?;
    report.progress(&name, BLOCKS, BLOCKS);
    report.add(&name, Bar::AtMost(idle), &mean(&opened));
    report.keep(&name, json!(opened));

    let names = [Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1])];
    let mut octets = 0;
    // The first ones grew the agent's own buffers, and count too: what they add is spread over all.
    let answered = in_blocks(agent, count - WARM, |at| {
        let answer = bench.runtime.block_on(open[(WARM + at) as usize].bulk(0, LARGE, &names))?;
        octets = answer.response_octets;
        Ok(())
    })?;
    let both: Vec<f64> = opened.iter().zip(&answered).map(|(opened, answered)| opened + answered).collect();
    let name = format!("the same after an answer of {} KB each over {transport}", octets / 1000);
    report.progress(&name, BLOCKS, BLOCKS);
    report.add(&name, Bar::AtMost(used), &mean(&both));
    report.keep(&name, json!(both));
    Ok(())
}

/// Does something for `count` sessions in equal blocks; gives by how many KB the agent grew for each session of a block.
fn in_blocks(agent: u32, count: u32, mut each: impl FnMut(u32) -> Measured) -> Result<Vec<f64>, Failure> {
    let edge = |block: u32| (u64::from(count) * u64::from(block) / u64::from(BLOCKS)) as u32;
    let mut grown = Vec::new();
    let (mut before, _) = memory::sizes(agent)?;
    for block in 0..BLOCKS {
        let sessions = edge(block)..edge(block + 1);
        let many = sessions.len();
        sessions.into_iter().try_for_each(&mut each)?;
        let (after, _) = memory::sizes(agent)?;
        grown.push((after as f64 - before as f64) / 1024.0 / many.max(1) as f64);
        before = after;
    }
    Ok(grown)
}

/// Blocks have the same size: their mean is the growth from the first session to the last.
fn mean(blocks: &[f64]) -> Estimate {
    Estimate::mean(blocks).unwrap_or(Estimate::exact(f64::NAN))
}

/// Blocks of sessions, the rounds of these figures.
const BLOCKS: u32 = 12;

/// Sessions before the first reading.
const WARM: u32 = 20;
