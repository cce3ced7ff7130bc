//! Engines of SNMPv3, one for each agent. A bounded number of them is kept; another one is made again when it is needed,
//! which costs a few hashes: keys are localised, not derived from passwords.

use std::time::Instant;

use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};

use crate::fleet::{Agent, Life};

/// Engines that are kept, each at the place of its number.
pub struct Engines {
    places: Vec<Option<Kept>>,
    /// Where salts begin: no engine that is made again begins where it did before.
    entropy: u64,
}

struct Kept {
    number: u32,
    boots: u32,
    engine: Engine,
}

impl Engines {
    /// Keeps at most so many; `entropy` differs in each run and each thread.
    pub fn new(most: usize, entropy: u64) -> Self {
        Self { places: (0..most.max(1)).map(|_| None).collect(), entropy }
    }

    /// The engine of an agent, and whether it had to be made.
    pub fn of(&mut self, agent: &Agent<'_>, life: Life, max_size: usize, now: Instant) -> (&Engine, bool) {
        let at = agent.number as usize % self.places.len();
        let place = &mut self.places[at];
        let has = |kept: &Kept| kept.number == agent.number && kept.boots == life.boots;
        let is_new = !place.as_ref().is_some_and(has);
        if is_new {
            self.entropy = self.entropy.wrapping_add(0x9e37_79b9_7f4a_7c15);
            *place = None;
        }
        let entropy = self.entropy;
        let kept = place.get_or_insert_with(|| {
            let engine = made(agent, life, max_size, now, entropy);
            Kept { number: agent.number, boots: life.boots, engine }
        });
        (&kept.engine, is_new)
    }
}

fn made(agent: &Agent<'_>, life: Life, max_size: usize, now: Instant, entropy: u64) -> Engine {
    let id = engine_id(agent);
    let started = now.checked_sub(life.uptime).unwrap_or(now);
    let engine = Engine::new(EngineOptions {
        id,
        clock: EngineClock::new(EngineBoots::new(life.boots).unwrap_or_default(), started),
        max_size,
        handlers: Handlers::RESPONDER,
        remote_engines: 1,
        entropy,
    });
    // What cannot be localised was refused with the credentials.
    let users = agent.group.users.iter().filter_map(|user| user.localize(&id).ok());
    engine.set_users(users.collect());
    engine
}

/// snmpEngineID: of Net-SNMP's enterprise number, as decision 0007 has it for our agent, with twelve octets that are
/// drawn, the last four of them the agent's number.
pub fn engine_id(agent: &Agent<'_>) -> EngineId {
    let mut octets = [0; 12];
    octets[..8].copy_from_slice(&agent.seed.draw(ENGINE_ID).to_be_bytes());
    octets[8..].copy_from_slice(&agent.number.to_be_bytes());
    EngineId::generate(8072, octets)
}

/// What is drawn.
const ENGINE_ID: u64 = 40;
