//! Timeliness for the authoritative engine (RFC 3414 sections 2.2 and 3.2 step 7a).

use std::fmt;
use std::time::Instant;

/// How far a message's time may be from the engine's, in seconds (RFC 3414 section 2.2.3).
pub const TIME_WINDOW: u32 = 150;

/// The largest INTEGER of SNMP, at which boots stops and time restarts.
const MAX: u32 = 0x7fff_ffff;

/// snmpEngineBoots: how often the engine has started, 0 to 2^31 - 1 (RFC 3414 section 2.2.1). At its end it
/// stays there, and nothing is timely any more until the engine gets new keys or a new ID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EngineBoots(u32);

/// snmpEngineTime: seconds since boots went up, 0 to 2^31 - 1 (RFC 3414 section 2.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EngineTime(u32);

impl EngineBoots {
    /// The last one: 2^31 - 1.
    pub const MAX: EngineBoots = EngineBoots(MAX);

    /// `None` beyond 2^31 - 1.
    #[must_use]
    pub const fn new(boots: u32) -> Option<EngineBoots> {
        if boots <= MAX { Some(EngineBoots(boots)) } else { None }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number after the next start. The last one stays.
    #[must_use]
    pub const fn next(self) -> EngineBoots {
        if self.0 < MAX { EngineBoots(self.0 + 1) } else { EngineBoots::MAX }
    }
}

impl EngineTime {
    /// The last second: 2^31 - 1.
    pub const MAX: EngineTime = EngineTime(MAX);

    /// `None` beyond 2^31 - 1.
    #[must_use]
    pub const fn new(seconds: u32) -> Option<EngineTime> {
        if seconds <= MAX { Some(EngineTime(seconds)) } else { None }
    }

    /// In seconds.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for EngineBoots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for EngineTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// snmpEngineBoots and snmpEngineTime together: a moment of one engine, in the order of its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EngineMoment {
    /// snmpEngineBoots.
    pub boots: EngineBoots,
    /// snmpEngineTime.
    pub time: EngineTime,
}

/// The message is outside the time window: usmStatsNotInTimeWindows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected boots {} and time {} within {TIME_WINDOW} s, found boots {} and time {}",
    expected.boots, expected.time, found.boots, found.time
)]
pub struct NotInTimeWindow {
    /// Our clock, or our notion of the other's.
    pub expected: EngineMoment,
    /// The clock in the message.
    pub found: EngineMoment,
}

impl EngineMoment {
    /// `None` when one of them is beyond 2^31 - 1.
    #[must_use]
    pub const fn new(boots: u32, time: u32) -> Option<EngineMoment> {
        match (EngineBoots::new(boots), EngineTime::new(time)) {
            (Some(boots), Some(time)) => Some(EngineMoment { boots, time }),
            _ => None,
        }
    }

    /// Whether the authoritative engine, whose clock is at this moment, accepts a message with the clock
    /// `message`: RFC 3414 section 3.2 step 7a.
    ///
    /// # Errors
    /// Boots have reached their end, or are others, or the times are more than [`TIME_WINDOW`] apart.
    pub const fn accept(self, message: EngineMoment) -> Result<(), NotInTimeWindow> {
        let timely = self.boots.0 != MAX
            && self.boots.0 == message.boots.0
            && self.time.0.abs_diff(message.time.0) <= TIME_WINDOW;
        if timely { Ok(()) } else { Err(NotInTimeWindow { expected: self, found: message }) }
    }

    /// This moment plus some seconds. When time wraps, boots is incremented (RFC 3414 section 2.2.2); when boots
    /// is at its maximum, only time restarts.
    #[must_use]
    pub const fn after(self, seconds: u64) -> EngineMoment {
        let round = MAX as u64 + 1;
        let total = (self.time.0 as u64).saturating_add(seconds);
        let boots = (self.boots.0 as u64).saturating_add(total / round);
        let boots = if boots < MAX as u64 { boots as u32 } else { MAX };
        EngineMoment { boots: EngineBoots(boots), time: EngineTime((total % round) as u32) }
    }
}

/// The clock of an authoritative engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineClock {
    boots: EngineBoots,
    started: Instant,
}

impl EngineClock {
    /// An engine that started at `started`, and had `boots` on its disk by then.
    #[must_use]
    pub const fn new(boots: EngineBoots, started: Instant) -> EngineClock {
        EngineClock { boots, started }
    }

    /// snmpEngineBoots at the start.
    #[must_use]
    pub const fn boots(&self) -> EngineBoots {
        self.boots
    }

    /// When snmpEngineTime was 0.
    #[must_use]
    pub const fn started(&self) -> Instant {
        self.started
    }

    /// snmpEngineBoots and snmpEngineTime at `now`.
    #[must_use]
    pub fn moment(&self, now: Instant) -> EngineMoment {
        let start = EngineMoment { boots: self.boots, time: EngineTime(0) };
        start.after(now.saturating_duration_since(self.started).as_secs())
    }
}
