//! What idle sessions take of the agent's memory.

use serde_json::json;
use trunkline_lab::estimate::Estimate;
use trunkline_lab::meter::memory;

use crate::report::{Bar, Report};
use crate::servers::{Server, USER};
use crate::{Measured, Options};

/// Blocks of sessions, the rounds of this figure.
const BLOCKS: u32 = 10;
/// Sessions before the first reading: what the agent needs anyway is there after them.
const WARM: u32 = 20;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    let agent = Server::ours(options, "")?;
    let mut open = Vec::new();
    for _ in 0..WARM {
        open.push(agent.over_ssh(USER)?);
    }
    let name = format!("resident KB of each of {} idle sessions over SSH", options.sessions);
    let each = options.sessions / BLOCKS;
    let mut grown = Vec::new();
    let (mut before, _) = memory::sizes(agent.pid())?;
    for block in 1..=BLOCKS {
        for _ in 0..each {
            open.push(agent.over_ssh(USER)?);
        }
        let (after, _) = memory::sizes(agent.pid())?;
        grown.push((after as f64 - before as f64) / 1024.0 / f64::from(each.max(1)));
        before = after;
        report.progress(&name, block, BLOCKS);
    }
    report.note(format!("the agent with {} sessions: {:.1} MB", open.len(), before as f64 / 1e6));
    report.add(&name, Bar::AtMost(64.0), &Estimate::mean(&grown).ok_or("no blocks")?);
    report.keep(&name, json!(grown));
    Ok(())
}
