//! Timeliness for the non-authoritative side: a notion of each remote engine's clock, learned only from its
//! authentic messages (RFC 3414 sections 2.3 and 3.2 step 7b).

use std::collections::HashMap;
use std::time::Instant;

use super::{EngineBoots, EngineId, EngineMoment, EngineTime, NotInTimeWindow, TIME_WINDOW};

/// Our notion of one remote engine's clock.
#[derive(Clone, Copy, Debug)]
pub struct RemoteEngine {
    /// What the engine's clock showed when `updated`.
    known: EngineMoment,
    /// latestReceivedEngineTime: of the same boots, the largest time received.
    latest_received: EngineTime,
    updated: Instant,
}

impl RemoteEngine {
    /// An engine without a known clock: boots 0 and time 0, so that any authentic clock is accepted (RFC 3414
    /// section 2.3).
    #[must_use]
    pub fn unsynchronized(now: Instant) -> RemoteEngine {
        RemoteEngine { known: EngineMoment::default(), latest_received: EngineTime::default(), updated: now }
    }

    /// Whether it ever sent its clock.
    #[must_use]
    pub fn is_synchronized(&self) -> bool {
        self.known != EngineMoment::default()
    }

    /// What the engine's clock should show at `now`.
    #[must_use]
    pub fn moment(&self, now: Instant) -> EngineMoment {
        self.known.after(now.saturating_duration_since(self.updated).as_secs())
    }

    /// latestReceivedEngineTime.
    #[must_use]
    pub fn latest_received(&self) -> EngineTime {
        self.latest_received
    }

    /// When the notion was last set.
    #[must_use]
    pub fn updated(&self) -> Instant {
        self.updated
    }

    /// Processes the clock of an AUTHENTIC message: advances our notion of the clock if it is newer, then returns
    /// whether the message is timely (RFC 3414 section 3.2 step 7b). Unauthenticated data, a Report too, must
    /// never come here: a forged one could shut an engine out for good.
    ///
    /// # Errors
    /// The engine's boots have reached their end, the message is from before a boot, or more than
    /// [`TIME_WINDOW`] seconds old.
    pub fn receive(&mut self, message: EngineMoment, now: Instant) -> Result<(), NotInTimeWindow> {
        let local = self.moment(now);
        // Time may have wrapped since, and boots been incremented, as the engine itself counts.
        let same_boot = local.boots == self.known.boots;
        let latest = if same_boot { self.latest_received } else { EngineTime::default() };
        // Step 7b 1.
        let newer_boot = message.boots > local.boots;
        let later = message.boots == local.boots && message.time > latest;
        if newer_boot || later {
            *self = RemoteEngine { known: message, latest_received: message.time, updated: now };
        }
        // Step 7b 2.
        let local = self.moment(now);
        let ended = local.boots == EngineBoots::MAX;
        let late = message.time.get().saturating_add(TIME_WINDOW) < local.time.get();
        if ended || message.boots < local.boots || (message.boots == local.boots && late) {
            return Err(NotInTimeWindow { expected: local, found: message });
        }
        Ok(())
    }
}

/// The clocks of a limited number of remote engines. A further one replaces the one that has been silent for
/// longest; since only authentic messages come here, strangers cannot displace any.
#[derive(Clone, Debug)]
pub struct RemoteEngines {
    engines: HashMap<EngineId, RemoteEngine>,
    capacity: usize,
}

impl RemoteEngines {
    /// Room for `capacity` engines, at least one.
    #[must_use]
    pub fn new(capacity: usize) -> RemoteEngines {
        RemoteEngines { engines: HashMap::new(), capacity: capacity.max(1) }
    }

    /// The engine with this ID.
    #[must_use]
    pub fn get(&self, engine_id: &[u8]) -> Option<&RemoteEngine> {
        self.engines.get(engine_id)
    }

    /// How many engines are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.engines.len()
    }

    /// Whether none is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.engines.is_empty()
    }

    /// [`RemoteEngine::receive`] for the engine with this ID, which is remembered when it was not known. The
    /// message must be AUTHENTIC.
    ///
    /// # Errors
    /// Those of [`RemoteEngine::receive`].
    pub fn receive(
        &mut self,
        engine_id: &EngineId,
        message: EngineMoment,
        now: Instant,
    ) -> Result<(), NotInTimeWindow> {
        if let Some(engine) = self.engines.get_mut(engine_id.as_bytes()) {
            return engine.receive(message, now);
        }
        if self.engines.len() >= self.capacity {
            self.forget_most_silent();
        }
        self.engines.entry(*engine_id).or_insert(RemoteEngine::unsynchronized(now)).receive(message, now)
    }

    /// Forgets an engine, as when its keys have changed.
    pub fn forget(&mut self, engine_id: &[u8]) {
        self.engines.remove(engine_id);
    }

    fn forget_most_silent(&mut self) {
        let silent = self.engines.iter().min_by_key(|(_, engine)| engine.updated).map(|(id, _)| *id);
        if let Some(engine_id) = silent {
            self.engines.remove(engine_id.as_bytes());
        }
    }
}
