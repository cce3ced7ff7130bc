//! The properties of a link, as an engineer writes them on a command line: `64k,200ms,0.5%`.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;

/// The properties of a link, the same in both directions.
///
/// On a command line it is a comma-separated list: up to three values without a name, which are the rate, the
/// **round-trip** time (as engineers state it; half of it is the delay of each direction) and the loss, then any
/// of these by name:
///
/// | part | meaning | default |
/// | --- | --- | --- |
/// | `rate=64k` | bits per second of IP packets in each direction, `k` `M` `G` of 1000; `unlimited` | `unlimited` |
/// | `rtt=200ms` | the round-trip time that the link adds, with `us`, `ms` or `s` | `0` |
/// | `loss=0.5%` | the share of packets that each direction loses, each packet independently | `0` |
/// | `jitter=5ms` | a packet's delay is uniform between the delay of its direction less and plus this, but no packet overtakes another for it; at most half of `rtt` | `0` |
/// | `reorder=1%` | the share of packets that the next packet of their direction overtakes; where none follows within 10 ms and the time that 1500 octets take, they are so late instead | `0` |
/// | `queue=100` | packets that wait for the transmitter of a direction, or octets as in `queue=64kB` | `100` |
/// | `seed=7` | what losses, jitter and reordering are drawn from | `1` |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkSpec {
    /// The transmission rate of each direction.
    pub rate: Rate,
    /// The delay of one direction, half of the round-trip time.
    pub delay: Duration,
    /// The maximum deviation of a packet's delay from `delay`.
    pub jitter: Duration,
    /// The share of packets that each direction loses.
    pub loss: Share,
    /// The share of packets that the next one overtakes.
    pub reorder: Share,
    /// The limit of each direction's transmitter queue.
    pub queue: Queue,
    /// The seed of everything random.
    pub seed: u64,
}

/// The transmission rate of a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// Transmitting takes no time.
    Unlimited,
    /// Bits of IP packets per second.
    Bits(NonZeroU64),
}

/// The limit of a transmitter's queue, including the current packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// This many packets.
    Packets(u32),
    /// This many octets of IP packets.
    Octets(u64),
}

/// A share of a whole, exact to a billionth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Share(u32);

/// An invalid part of a specification.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A value does not fit its part.
    #[error("{part}: expected {expected}, found `{found}`")]
    Value {
        /// The part's name.
        part: &'static str,
        /// The expected value.
        expected: &'static str,
        /// The given value.
        found: String,
    },
    /// An unknown part.
    #[error("there is no part `{found}`; the parts are rate, rtt, loss, jitter, reorder, queue and seed")]
    Unknown {
        /// The given name.
        found: String,
    },
    /// A part was given twice.
    #[error("{part} is given twice, the second time as `{found}`")]
    Twice {
        /// The part's name.
        part: &'static str,
        /// The second value.
        found: String,
    },
    /// A value without a name where its position does not determine one.
    #[error(
        "`{found}` has no name and stands where none is known: only the first three parts, which are the rate, the round-trip time and the loss, need none"
    )]
    Nameless {
        /// The given value.
        found: String,
    },
    /// Some packets would arrive before they were sent.
    #[error("jitter: expected at most half of the round-trip time ({delay}), found `{found}`", delay = Time(*.delay))]
    Jitter {
        /// The delay of one direction.
        delay: Duration,
        /// The given value.
        found: String,
    },
}

impl Default for LinkSpec {
    fn default() -> LinkSpec {
        LinkSpec {
            rate: Rate::Unlimited,
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            loss: Share::NONE,
            reorder: Share::NONE,
            queue: Queue::Packets(100),
            seed: 1,
        }
    }
}

impl LinkSpec {
    /// The same link without its delay: the baseline of delay measurements.
    #[must_use]
    pub fn without_delay(self) -> LinkSpec {
        LinkSpec { delay: Duration::ZERO, jitter: Duration::ZERO, ..self }
    }

    /// The time that the link adds to a round trip.
    pub fn round_trip(&self) -> Duration {
        2 * self.delay
    }

    fn take(&mut self, part: Part, text: &str) -> Result<(), SpecError> {
        let wrong = || SpecError::Value { part: part.name(), expected: part.expected(), found: text.into() };
        match part {
            Part::Rate => self.rate = rate(text).ok_or_else(wrong)?,
            Part::Rtt => self.delay = duration(text).ok_or_else(wrong)? / 2,
            Part::Loss => self.loss = share(text).ok_or_else(wrong)?,
            Part::Jitter => self.jitter = duration(text).ok_or_else(wrong)?,
            Part::Reorder => self.reorder = share(text).ok_or_else(wrong)?,
            Part::Queue => self.queue = queue(text).ok_or_else(wrong)?,
            Part::Seed => self.seed = text.parse().map_err(|_| wrong())?,
        }
        Ok(())
    }
}

impl Rate {
    /// The transmission time of a packet, nanoseconds rounded down; `None` at an unlimited rate.
    pub(super) fn time(self, octets: u64) -> Option<u64> {
        match self {
            Rate::Unlimited => None,
            Rate::Bits(rate) => Some(octets * 8 * SECOND / rate),
        }
    }
}

impl Share {
    /// None of the whole.
    pub const NONE: Share = Share(0);
    /// How many billionths make up the whole.
    pub(super) const WHOLE: u32 = 1_000_000_000;

    /// This many billionths; `None` if that is more than the whole.
    pub const fn from_billionths(billionths: u32) -> Option<Share> {
        if billionths <= Share::WHOLE { Some(Share(billionths)) } else { None }
    }

    /// The share in billionths, at most 1,000,000,000.
    pub const fn billionths(self) -> u32 {
        self.0
    }

    /// The share as a number from 0 to 1.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(Share::WHOLE)
    }
}

/// The parts of a specification; those that need no name come first, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Rate,
    Rtt,
    Loss,
    Jitter,
    Reorder,
    Queue,
    Seed,
}

impl Part {
    const ALL: [Part; 7] =
        [Part::Rate, Part::Rtt, Part::Loss, Part::Jitter, Part::Reorder, Part::Queue, Part::Seed];
    const WITHOUT_NAME: usize = 3;

    const fn name(self) -> &'static str {
        match self {
            Part::Rate => "rate",
            Part::Rtt => "rtt",
            Part::Loss => "loss",
            Part::Jitter => "jitter",
            Part::Reorder => "reorder",
            Part::Queue => "queue",
            Part::Seed => "seed",
        }
    }

    const fn expected(self) -> &'static str {
        match self {
            Part::Rate => "bits per second from 1k to 100G such as 64k or 10M, or `unlimited`",
            Part::Rtt | Part::Jitter => "a time of at most 100 s with a unit (us, ms, s) such as 200ms",
            Part::Loss | Part::Reorder => "a share from 0% to 100% with at most 7 decimals such as 0.5%",
            Part::Queue => "packets (at least 1) such as 100, or octets such as 1500B or 64kB",
            Part::Seed => "a number from 0 to 18446744073709551615",
        }
    }
}

impl FromStr for LinkSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<LinkSpec, SpecError> {
        let mut spec = LinkSpec::default();
        let mut given: Vec<Part> = Vec::new();
        let mut jitter = "";
        for (place, word) in text.split(',').map(str::trim).enumerate() {
            let (part, value) = match word.split_once('=') {
                Some((name, value)) => {
                    let part = Part::ALL.into_iter().find(|part| part.name() == name.trim());
                    (part.ok_or_else(|| SpecError::Unknown { found: name.trim().into() })?, value.trim())
                }
                // Values without a name precede all named ones.
                None if place < Part::WITHOUT_NAME
                    && place == given.len()
                    && given[..] == Part::ALL[..place] =>
                {
                    (Part::ALL[place], word)
                }
                None => return Err(SpecError::Nameless { found: word.into() }),
            };
            if given.contains(&part) {
                return Err(SpecError::Twice { part: part.name(), found: value.into() });
            }
            given.push(part);
            spec.take(part, value)?;
            if part == Part::Jitter {
                jitter = value;
            }
        }
        if spec.jitter > spec.delay {
            return Err(SpecError::Jitter { delay: spec.delay, found: jitter.into() });
        }
        Ok(spec)
    }
}

/// In the form that [`LinkSpec::from_str`] parses: rate, round-trip time and loss, then whatever differs from the
/// default.
impl fmt::Display for LinkSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.rate, Time(self.round_trip()), self.loss)?;
        let default = LinkSpec::default();
        if self.jitter != default.jitter {
            write!(f, ",jitter={}", Time(self.jitter))?;
        }
        if self.reorder != default.reorder {
            write!(f, ",reorder={}", self.reorder)?;
        }
        if self.queue != default.queue {
            write!(f, ",queue={}", self.queue)?;
        }
        if self.seed != default.seed {
            write!(f, ",seed={}", self.seed)?;
        }
        Ok(())
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rate::Unlimited => f.write_str("unlimited"),
            Rate::Bits(bits) => with_unit(f, bits.get(), &BITS),
        }
    }
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Queue::Packets(packets) => write!(f, "{packets}"),
            Queue::Octets(octets) => with_unit(f, *octets, &OCTETS),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_unit(f, u64::from(self.0), &SHARES)
    }
}

/// A duration as written in a specification.
struct Time(Duration);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_zero() {
            return f.write_str("0ms");
        }
        with_unit(f, self.0.as_nanos() as u64, &TIMES)
    }
}

/// A unit's name and size.
type Unit = (&'static str, u64);

/// In descending order; the smallest is the unit in which numbers are stored or, for times and shares, written.
const BITS: [Unit; 4] = [("G", 1_000_000_000), ("M", 1_000_000), ("k", 1000), ("", 1)];
const TIMES: [Unit; 3] = [("s", SECOND), ("ms", 1_000_000), ("us", 1000)];
const SHARES: [Unit; 1] = [("%", Share::WHOLE as u64 / 100)];
const OCTETS: [Unit; 3] = [("MB", 1_000_000), ("kB", 1000), ("B", 1)];

fn rate(text: &str) -> Option<Rate> {
    if text == "unlimited" {
        return Some(Rate::Unlimited);
    }
    let bits = number(text, &BITS).filter(|bits| (1000..=100_000_000_000).contains(bits))?;
    NonZeroU64::new(bits).map(Rate::Bits)
}

fn duration(text: &str) -> Option<Duration> {
    let nanos = if text == "0" { 0 } else { number(text, &TIMES)? };
    (nanos <= 100 * SECOND).then(|| Duration::from_nanos(nanos))
}

fn share(text: &str) -> Option<Share> {
    let billionths = if text == "0" { 0 } else { number(text, &SHARES)? };
    u32::try_from(billionths).ok().and_then(Share::from_billionths)
}

fn queue(text: &str) -> Option<Queue> {
    match text.parse::<u32>() {
        Ok(packets) => (packets > 0).then_some(Queue::Packets(packets)),
        Err(_) => number(text, &OCTETS).filter(|octets| *octets > 0).map(Queue::Octets),
    }
}

/// A decimal number with one of these units, exactly; `None` for a fraction finer than the stored unit.
fn number(text: &str, units: &[Unit]) -> Option<u64> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let (_, size) = units.iter().find(|(name, _)| *name == unit)?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let mut number = whole.parse::<u64>().ok()?.checked_mul(*size)?;
    let mut size = *size;
    for digit in fraction.chars() {
        let digit = u64::from(digit.to_digit(10)?);
        if digit > 0 && size % 10 != 0 {
            return None;
        }
        size /= 10;
        number = number.checked_add(digit * size)?;
    }
    (!fraction.is_empty()).then_some(number)
}

/// The largest unit not above the number, with as many decimals as needed.
fn with_unit(f: &mut fmt::Formatter<'_>, number: u64, units: &[Unit]) -> fmt::Result {
    let fits = units.iter().find(|(_, size)| number >= *size).or(units.last());
    let Some((name, size)) = fits else { return write!(f, "{number}") };
    let digits = size.ilog10() as usize;
    let fraction = format!("{:0digits$}", number % size);
    match fraction.trim_end_matches('0') {
        "" => write!(f, "{}{name}", number / size),
        decimals => write!(f, "{}.{decimals}{name}", number / size),
    }
}

/// A second in nanoseconds.
pub(super) const SECOND: u64 = 1_000_000_000;

#[cfg(test)]
mod tests;
