//! Agents that do not behave: which ones is drawn, and each has one fault at most.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::seed::{Permutation, Seed};

/// What is the matter with an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// It never answers.
    Silent,
    /// It answers late.
    Slow(Duration),
    /// It loses this share of the requests.
    Lossy(f64),
    /// It answers wrongly, always in the same way.
    Wrong(Lie),
    /// It restarts again and again: its counters and its uptime begin anew, and it is silent meanwhile.
    Rebooting {
        /// From one start to the next.
        every: Duration,
        /// How long it is silent before each start.
        down: Duration,
    },
}

/// How an agent is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// The answer has the request-id of another request.
    RequestId,
    /// The answer comes from another address.
    Source,
    /// The answer is cut in half.
    Truncated,
    /// GetNext and GetBulk return the name that was requested.
    Repeated,
    /// Behind the last instance there is always another one.
    Endless,
    /// Every value is an OCTET STRING.
    Type,
}

impl Lie {
    /// All of them.
    pub const ALL: [Lie; 6] =
        [Lie::RequestId, Lie::Source, Lie::Truncated, Lie::Repeated, Lie::Endless, Lie::Type];

    /// Its name, as in options and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Lie::RequestId => "request-id",
            Lie::Source => "source",
            Lie::Truncated => "truncated",
            Lie::Repeated => "repeated",
            Lie::Endless => "endless",
            Lie::Type => "type",
        }
    }
}

impl Fault {
    /// Its kind, as in options, files and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Fault::Silent => "silent",
            Fault::Slow(_) => "slow",
            Fault::Lossy(_) => "lossy",
            Fault::Wrong(_) => "wrong",
            Fault::Rebooting { .. } => "rebooting",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Silent => f.write_str("silent"),
            Fault::Slow(delay) => write!(f, "slow: {delay:?}"),
            Fault::Lossy(share) => write!(f, "lossy: {} %", share * 100.0),
            Fault::Wrong(lie) => write!(f, "wrong: {}", lie.name()),
            Fault::Rebooting { every, down } => write!(f, "rebooting: every {every:?}, {down:?} down"),
        }
    }
}

/// A share of the agents, from 0 to 1: `5%` or `0.05`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Share(f64);

impl Share {
    /// The part of all.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// A setting of a fault that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not {expected}")]
pub struct FaultError {
    expected: &'static str,
    found: String,
}

impl FromStr for Share {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let number = match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
            None => text.parse(),
        };
        let share = number.ok().filter(|share| (0.0..=1.0).contains(share));
        let expected = "a share such as 5% or 0.05, at most 100%";
        share.map(Share).ok_or_else(|| FaultError { expected, found: text.to_owned() })
    }
}

/// A time, such as `200ms`, `60s` or `5m`.
///
/// # Errors
/// It has no unit, or is not a number.
pub fn duration(text: &str) -> Result<Duration, FaultError> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let of = match unit {
        "us" => Duration::from_micros,
        "ms" => Duration::from_millis,
        "s" => Duration::from_secs,
        "m" => |minutes: u64| Duration::from_secs(minutes.saturating_mul(60)),
        "h" => |hours: u64| Duration::from_secs(hours.saturating_mul(3600)),
        _ => return Err(FaultError { expected: TIME, found: text.to_owned() }),
    };
    let number = number.parse().ok().filter(|number| *number <= MOST_UNITS);
    number.map(of).ok_or_else(|| FaultError { expected: TIME, found: text.to_owned() })
}

const TIME: &str = "a time such as 200ms, 60s or 5m";
/// More than a century in hours, and no overflow in seconds.
const MOST_UNITS: u64 = 1_000_000_000;

/// A share of agents with a fault: `1%`, `5%:200ms`, `10%:0.02`, `0.1%:source`, `0.5%:60s:5s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaultShare {
    /// How many of the agents.
    pub share: Share,
    /// What is the matter with them. `Wrong` without a name is any of the lies, which is drawn for each agent.
    pub kind: FaultKind,
}

/// A kind of fault with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FaultKind {
    /// This one.
    Is(Fault),
    /// [`Fault::Wrong`], in a way that is drawn.
    AnyLie,
}

impl FaultShare {
    /// `SHARE` of agents that never answer.
    ///
    /// # Errors
    /// Not a share.
    pub fn silent(text: &str) -> Result<Self, FaultError> {
        Ok(Self { share: text.parse()?, kind: FaultKind::Is(Fault::Silent) })
    }

    /// `SHARE:DELAY` of agents that answer late.
    ///
    /// # Errors
    /// Not a share and a time.
    pub fn slow(text: &str) -> Result<Self, FaultError> {
        let (share, delay) = parts(text, "SHARE:DELAY, such as 5%:200ms")?;
        Ok(Self { share: share.parse()?, kind: FaultKind::Is(Fault::Slow(duration(delay)?)) })
    }

    /// `SHARE:LOSS` of agents that lose a share of the requests.
    ///
    /// # Errors
    /// Not two shares.
    pub fn lossy(text: &str) -> Result<Self, FaultError> {
        let (share, loss) = parts(text, "SHARE:LOSS, such as 10%:2%")?;
        Ok(Self { share: share.parse()?, kind: FaultKind::Is(Fault::Lossy(loss.parse::<Share>()?.0)) })
    }

    /// `SHARE` or `SHARE:LIE` of agents that answer wrongly.
    ///
    /// # Errors
    /// Not a share, or a lie that is not known.
    pub fn wrong(text: &str) -> Result<Self, FaultError> {
        let Some((share, name)) = text.split_once(':') else {
            return Ok(Self { share: text.parse()?, kind: FaultKind::AnyLie });
        };
        let expected = "one of request-id, source, truncated, repeated, endless, type";
        let lie = Lie::ALL.into_iter().find(|lie| lie.name() == name);
        let lie = lie.ok_or_else(|| FaultError { expected, found: name.to_owned() })?;
        Ok(Self { share: share.parse()?, kind: FaultKind::Is(Fault::Wrong(lie)) })
    }

    /// `SHARE:EVERY` or `SHARE:EVERY:DOWN` of agents that restart; without `DOWN` they are silent for a tenth of the
    /// time.
    ///
    /// # Errors
    /// Not a share and times, or as much silence as time.
    pub fn rebooting(text: &str) -> Result<Self, FaultError> {
        let expected = "SHARE:EVERY or SHARE:EVERY:DOWN, such as 0.5%:60s:5s, with DOWN below EVERY";
        let (share, times) = parts(text, expected)?;
        let (every, down) = match times.split_once(':') {
            Some((every, down)) => (duration(every)?, duration(down)?),
            None => (duration(times)?, duration(times)? / 10),
        };
        if down >= every {
            return Err(FaultError { expected, found: text.to_owned() });
        }
        Ok(Self { share: share.parse()?, kind: FaultKind::Is(Fault::Rebooting { every, down }) })
    }
}

fn parts<'t>(text: &'t str, expected: &'static str) -> Result<(&'t str, &'t str), FaultError> {
    text.split_once(':').ok_or_else(|| FaultError { expected, found: text.to_owned() })
}

/// Which agents of a group have which fault.
#[derive(Clone, Debug)]
pub struct Faults {
    seed: Seed,
    order: Permutation,
    /// Places below each limit have this fault, unless they are below the one before.
    limits: Vec<(u32, FaultKind)>,
}

impl Faults {
    /// Shares of `agents` agents. Each share is met exactly, rounded to whole agents.
    ///
    /// # Errors
    /// More than all.
    pub fn new(seed: Seed, agents: u32, shares: &[FaultShare]) -> Result<Self, FaultError> {
        let (mut limits, mut limit) = (Vec::new(), 0.0);
        for FaultShare { share, kind } in shares {
            limit += share.0 * f64::from(agents);
            limits.push(((limit.round() as u32).min(agents), *kind));
        }
        // As many as there are, and what adding up fractions loses.
        if limit > f64::from(agents) + 1e-6 {
            let found = format!("{} %", 100.0 * limit / f64::from(agents));
            return Err(FaultError { expected: "at most 100 % of the agents with a fault", found });
        }
        let seed = seed.of(FAULTS);
        Ok(Self { seed, order: Permutation::new(seed, agents), limits })
    }

    /// The fault of the agent with this number in its group.
    #[must_use]
    pub fn of(&self, index: u32) -> Option<Fault> {
        if self.limits.is_empty() {
            return None;
        }
        let place = self.order.place(index);
        let (_, kind) = self.limits.iter().find(|(limit, _)| place < *limit)?;
        Some(match kind {
            FaultKind::Is(fault) => *fault,
            FaultKind::AnyLie => {
                let drawn = self.seed.between(u64::from(index), 0, Lie::ALL.len() as u64 - 1);
                Fault::Wrong(Lie::ALL[drawn as usize])
            }
        })
    }
}

/// What is drawn.
const FAULTS: u64 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact_and_drawn() {
        let shares = [
            FaultShare::silent("1%").unwrap(),
            FaultShare::slow("0.05:200ms").unwrap(),
            FaultShare::lossy("10%:2%").unwrap(),
            FaultShare::wrong("2.5%").unwrap(),
            FaultShare::rebooting("0.5%:60s").unwrap(),
        ];
        let faults = Faults::new(Seed::new(1), 1000, &shares).unwrap();
        let count = |name| (0..1000).filter(|at| faults.of(*at).is_some_and(|it| it.name() == name)).count();
        assert_eq!(["silent", "slow", "lossy", "wrong", "rebooting"].map(count), [10, 50, 100, 25, 5]);
        let hit = |faults: &Faults| (0..1000).filter(|at| faults.of(*at).is_some()).collect::<Vec<u32>>();
        assert_eq!(hit(&faults), hit(&Faults::new(Seed::new(1), 1000, &shares).unwrap()));
        assert_ne!(hit(&faults), hit(&Faults::new(Seed::new(2), 1000, &shares).unwrap()));
        let all = Faults::new(Seed::new(1), 500, &[FaultShare::wrong("100%").unwrap()]).unwrap();
        for lie in Lie::ALL {
            assert!((0..500).any(|at| all.of(at) == Some(Fault::Wrong(lie))), "{lie:?}");
        }
        assert_eq!(Faults::new(Seed::new(1), 9, &[]).unwrap().of(0), None);
    }

    #[test]
    fn settings_are_read_or_say_what_is_expected() {
        let rebooting = Fault::Rebooting { every: Duration::from_secs(60), down: Duration::from_secs(6) };
        assert_eq!(FaultShare::rebooting("1%:1m").unwrap().kind, FaultKind::Is(rebooting));
        assert_eq!(FaultShare::wrong("1:source").unwrap().kind, FaultKind::Is(Fault::Wrong(Lie::Source)));
        for (result, expected) in [
            (FaultShare::silent("101%"), "a share such as"),
            (FaultShare::silent("-1"), "a share such as"),
            (FaultShare::silent("NaN"), "a share such as"),
            (FaultShare::slow("5%"), "SHARE:DELAY"),
            (FaultShare::slow("5%:200"), "a time such as"),
            (FaultShare::slow("5%:99999999999h"), "a time such as"),
            (FaultShare::lossy("5%:2"), "a share such as"),
            (FaultShare::wrong("5%:liar"), "one of request-id"),
            (FaultShare::rebooting("5%:6s:6s"), "with DOWN below EVERY"),
        ] {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let most = [FaultShare::silent("60%").unwrap(), FaultShare::wrong("50%").unwrap()];
        let error = Faults::new(Seed::new(1), 10, &most).unwrap_err().to_string();
        assert_eq!(error, "\"110 %\" is not at most 100 % of the agents with a fault");
        assert_eq!(Fault::Wrong(Lie::Type).to_string(), "wrong: type");
    }
}
