//! From a checked plan to an agent that can answer, without a socket: the engine, the machine's tree, and the door
//! between them.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use trunkline_snmp::Counters;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};

use crate::access;
use crate::config::Plan;
use crate::daemon::StartError;
use crate::door::snmp::{Door, Inputs};
use crate::identity::{Identity, Start};
use crate::machine::{Machine, Parts};
use crate::own::Kept;
use crate::users;

/// An agent that can answer.
pub struct Assembly {
    /// What is served.
    pub machine: Machine,
    /// Who answers.
    pub door: Arc<Door>,
}

/// What the SNMP door receives at most, and says so in msgMaxSize: the longest datagram over IPv4.
const MAX_MESSAGE_SIZE: usize = 65_507;

impl Assembly {
    /// The agent of a configuration; its start is counted in the state directory.
    ///
    /// # Errors
    /// The state directory, a user, a role, or the operating system.
    pub fn of(plan: &Plan, state: &Path, kept: Arc<Kept>, started: Instant) -> Result<Self, StartError> {
        let counters = Arc::new(Counters::default());
        let engine = Arc::new(engine(plan, state, started)?);
        let serial = i32::from_ne_bytes(random()?) & i32::MAX;
        let parts = Parts { counters: counters.clone(), kept, started, serial };
        let machine = Machine::start(plan, &parts)?;
        let inputs = Inputs {
            plan: plan.snmp.clone(),
            served: machine.served.clone(),
            policy: Arc::new(access::policy(plan)?),
            targets: Arc::default(),
            proxies: machine.proxies.clone(),
        };
        let door = Door::new(engine, counters, inputs);
        Ok(Assembly { machine, door })
    }
}

/// The engine with the users of the configuration.
fn engine(plan: &Plan, state: &Path, started: Instant) -> Result<Engine, StartError> {
    let start = Start { random: random()?, wall: SystemTime::now(), now: started };
    let identity = Identity::establish(state, plan.engine_id, start)?;
    let engine = Engine::new(EngineOptions {
        id: identity.id,
        clock: identity.clock,
        max_size: MAX_MESSAGE_SIZE,
        handlers: Handlers::RESPONDER,
        // It receives no notifications, and so learns of no other engine.
        remote_engines: 1,
        entropy: u64::from_ne_bytes(random()?),
    });
    engine.set_users(users::table(&plan.snmp.users, engine.id())?);
    Ok(engine)
}

fn random<const OCTETS: usize>() -> Result<[u8; OCTETS], StartError> {
    let mut octets = [0; OCTETS];
    let failed = |source: io::Error| StartError::System { doing: "get a random number", source };
    match rustix::rand::getrandom(&mut octets, rustix::rand::GetRandomFlags::empty()) {
        // So few octets come in one piece (getrandom(2)).
        Ok(_) => Ok(octets),
        Err(error) => Err(failed(error.into())),
    }
}
