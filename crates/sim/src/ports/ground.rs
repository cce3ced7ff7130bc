//! What sessions of all protocols stand on: which agent an address is, how long it has been up, and what its fault makes of a
//! session.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use trunkline_transport::Closing;

use crate::counts::{Count, Counts};
use crate::faults::{Fault, Lie};
use crate::fleet::{Agent, Fleet, Life, Port};

/// What all sessions share.
pub(super) struct Ground {
    fleet: Arc<Fleet>,
    started: Instant,
    pub(super) counts: Arc<Counts>,
    pub(super) closing: Closing,
    /// Requests so far, from which it is drawn which of them are lost.
    seen: AtomicU64,
}

/// What becomes of a request, or of a connection that begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Act {
    /// It is answered.
    Answer {
        /// After this time.
        after: Duration,
        /// Wrongly.
        lie: Option<Lie>,
    },
    /// Nothing is ever answered.
    Mute,
    /// The session ends.
    Leave,
}

impl Ground {
    pub(super) fn new(fleet: Arc<Fleet>, started: Instant, counts: Arc<Counts>, closing: Closing) -> Self {
        Self { fleet, started, counts, closing, seen: AtomicU64::new(0) }
    }

    /// The agent that has this port at this address, as it is now.
    pub(super) fn agent(&self, asked: IpAddr, port: Port) -> Option<(Agent<'_>, Life)> {
        let agent = self.fleet.at(asked).filter(|agent| agent.index < agent.group.with(port))?;
        let life = agent.life(agent.fault(), self.started.elapsed());
        Some((agent, life))
    }

    /// What the agent at an address does with a connection that begins.
    pub(super) fn begins(&self, asked: IpAddr, port: Port) -> Act {
        let Some((agent, life)) = self.agent(asked, port) else {
            return self.counted(Count::UnknownAddress, Act::Leave);
        };
        let [connections, _] = Count::of_port(port);
        self.counts.add(connections);
        match agent.fault() {
            Some(Fault::Silent) => self.counted(Count::Silent, Act::Mute),
            Some(Fault::Rebooting { .. }) if life.is_down => self.counted(Count::Rebooting, Act::Leave),
            _ => ANSWER,
        }
    }

    /// What it does with a request of a session that began when it had started so often.
    pub(super) fn requested(&self, agent: &Agent<'_>, life: Life, boots: u32) -> Act {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed);
        match agent.fault() {
            Some(Fault::Rebooting { .. }) if life.is_down || life.boots != boots => {
                self.counted(Count::Rebooting, Act::Leave)
            }
            Some(Fault::Lossy(share)) if agent.seed.of(LOSS).happens(seen, share) => {
                self.counted(Count::Lossy, Act::Leave)
            }
            Some(Fault::Slow(after)) => self.counted(Count::Slow, Act::Answer { after, lie: None }),
            Some(Fault::Wrong(lie)) => Act::Answer { after: Duration::ZERO, lie: Some(lie) },
            _ => ANSWER,
        }
    }

    fn counted(&self, count: Count, act: Act) -> Act {
        self.counts.add(count);
        act
    }
}

const ANSWER: Act = Act::Answer { after: Duration::ZERO, lie: None };
/// What is drawn.
const LOSS: u64 = 51;
