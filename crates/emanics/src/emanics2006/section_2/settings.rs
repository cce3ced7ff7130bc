//! The settings of section 2, and what about its figures depends on them.

use std::time::Duration;

use fastrand::Rng;
use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::error::Error;
use trunkline_labkit::options::Choice;

use super::super::{Options, condition, paper};
use super::population::Population;
use super::rows;
use super::scene::{CROSSINGS, LIMIT};

/// How section 2 is measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings {
    pub population: Population,
    /// From one poll of a statistic to the next.
    pub period: Duration,
    /// How often managers read their members, and monitors sample; whole seconds.
    pub sampling: Duration,
    pub runs: u32,
    /// Rounds of a run before the first crossing.
    pub quiet: u32,
}

impl Settings {
    pub(super) fn of(options: &Options, choice: &Choice) -> Settings {
        let quick = choice.common.quick;
        let period = options.period.unwrap_or(if quick { QUICK_PERIOD } else { PERIOD });
        let sampling = options.sampling.unwrap_or((period / SAMPLES).max(LEAST_SAMPLING));
        Settings {
            population: Population::of(options.nodes.map_or(paper::NODES, |nodes| nodes.0)),
            period: Duration::from_secs(period.into()),
            sampling: Duration::from_secs(sampling.into()),
            runs: choice.rounds(RUNS, QUICK_RUNS),
            quiet: QUIET,
        }
    }

    /// How often managers look at what they have computed: twice for each time that they read, if that is a second.
    pub(super) fn looks(&self) -> Duration {
        Duration::from_secs((self.sampling.as_secs() / 2).max(1))
    }

    /// The moment of a crossing is drawn from so long a time: whole periods, readings and looks, so that each phase of each of them is as
    /// likely as any other; a period, if that would be more than two.
    pub(super) fn span(&self) -> Duration {
        let all = [self.sampling, self.looks()].map(|it| it.as_secs());
        let common = all.into_iter().fold(self.period.as_secs(), least_common_multiple);
        if common <= 2 * self.period.as_secs() { Duration::from_secs(common) } else { self.period }
    }

    /// How long nothing else happens after a crossing: all of it is known by then, in every way.
    fn known_within(&self) -> Duration {
        self.period.max(self.sampling + self.looks()) + SLACK
    }

    /// When the crossings of a run are, from the beginning of its first round: each is drawn alone.
    pub(super) fn moments(&self, random: &mut Rng) -> Vec<Duration> {
        let (span, apart) = (self.span(), self.span() + self.known_within());
        let begin = |crossing: u32| self.period * self.quiet + apart * crossing;
        (0..CROSSINGS).map(|crossing| begin(crossing) + span.mul_f64(random.f64())).collect()
    }

    /// Rounds of a run: quiet ones, and those with crossings, the last of which is known before they end.
    pub(super) fn rounds(&self) -> u32 {
        let lasts = (self.span() + self.known_within()) * CROSSINGS;
        self.quiet + lasts.as_secs_f64().div_euclid(self.period.as_secs_f64()) as u32 + 1
    }

    /// The devices that a trigger is about: one, or those of a network.
    pub(super) fn devices_of(&self, trigger: &[u8]) -> Vec<u32> {
        if let Some(device) = rows::device_of(trigger) {
            return vec![device];
        }
        let group = self.population.groups.iter().position(|it| it.name.as_bytes() == trigger);
        let devices = self.population.devices().into_iter();
        devices.filter(|it| Some(it.group) == group).map(|it| it.number).collect()
    }

    /// What is not even about the moments of crossings, if anything is.
    fn uneven(&self) -> &'static str {
        let is_whole = |it: Duration| self.span().as_secs().is_multiple_of(it.as_secs());
        if is_whole(self.sampling) && is_whole(self.looks()) {
            ""
        } else {
            "; that is not a multiple of how often members are read, so that some moments between two readings are a little more likely than others"
        }
    }

    /// Records the conditions.
    pub(super) fn say(&self, chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
        let (period, sampling) = (self.period.as_secs(), self.sampling.as_secs());
        let scale = STATED as f64 / self.period.as_secs_f64();
        if self.period.as_secs() != STATED {
            chapter.shortened(format!(
                "a statistic is polled every {period} s, and stated for {STATED} s: columns \"at {STATED} s\" have the octets and packets of a round, spread over {STATED} s. Processor time falls with the rate of \
                 requests; age and reaction of polling grow with the period, {scale:.0} times. --period {STATED} measures it as it is"
            ))?;
        }
        let Population { groups } = &self.population;
        let counts: Vec<String> =
            groups.iter().map(|it| format!("{} {} with {}", it.name, it.nodes, it.statistics)).collect();
        for text in [
            format!(
                "the population is {} devices and {} statistics ({}); which statistics a device has is not said: here octets received and sent by one interface after another, alike within a network",
                self.population.nodes(),
                self.population.statistics(),
                counts.join(", ")
            ),
            "each device is a process of trunklined as it ships, and not a simulated agent: its processor time is that of the product, it carries out what is delegated, and what crosses a limit is real traffic. All are in one namespace of one machine, with ports \
             of their own: they show the same 24 interfaces, so that a crossing is at all of them at once, and use the same processors; in (a) and (b) it is seen when each device's turn comes"
                .to_owned(),
            format!(
                "in (c) the managers read their members every {sampling} s, and look at what they have computed every {} s; in (d) monitors sample every {sampling} s (--sampling). At a period of {STATED} s, {sampling} s are {:.0} s",
                self.looks().as_secs(),
                self.sampling.as_secs_f64() * scale
            ),
            "ways differ in what the NOC has: in (a) and (b) each statistic; in (c) the octets of a network in and out and its busiest interface, while the values stay in the managers' tables; in (d) each statistic of a tenth of the devices, and of all others that no \
             statistic has crossed its limit. (c) knows that a network has crossed it, (d) which statistic"
                .to_owned(),
            format!(
                "a crossing is {} octets at once through one interface; the limit is {LIMIT} octets between two samples. Its first sample shows it, however long the interval. A run has {CROSSINGS}, the moment of each drawn anew from {} s, so that each is a sample of its own{}",
                2 * LIMIT,
                self.span().as_secs(),
                self.uneven()
            ),
            "an age counts from when the request was sent; agents answer with values of up to 0.9 s before, as they ship, which is not in it, and much beside a scaled period. In (c) it has the age of the oldest value of the network besides"
                .to_owned(),
            "SNMPv2c over UDP, without authentication, on a link without delay and loss; octets are those of IP. The deliverable does not say which protocol was used, nor how often it polled".to_owned(),
        ] {
            condition(chapter, text)?;
        }
        Ok(())
    }
}

fn least_common_multiple(one: u64, other: u64) -> u64 {
    let (mut greatest, mut rest) = (one, other.max(1));
    while rest > 0 {
        (greatest, rest) = (rest, greatest % rest);
    }
    one / greatest.max(1) * other.max(1)
}

/// The period that figures are stated for, seconds: the deliverable has none; five minutes are usual.
pub(super) const STATED: u64 = 300;
pub(in super::super) const PERIOD: u32 = 8;
const QUICK_PERIOD: u32 = 4;
/// Samples of managers and monitors in a period.
const SAMPLES: u32 = 4;
/// What a manager computes of a crossing lasts for one of its cycles; it looks twice in each, and whole seconds apart.
pub(in super::super) const LEAST_SAMPLING: u32 = 2;
/// Beyond the time until a poll, a sample or a look: agents answer with values of up to 0.9 s before, and a busy machine is late.
const SLACK: Duration = Duration::from_secs(2);
const RUNS: u32 = 3;
const QUICK_RUNS: u32 = 1;
const QUIET: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_is_about_its_device_or_its_network() {
        let settings = Settings {
            population: Population::of([2, 1, 2]),
            period: Duration::from_secs(6),
            sampling: Duration::from_secs(1),
            runs: 1,
            quiet: 2,
        };
        assert_eq!(settings.devices_of(b"d4-out"), [4]);
        assert_eq!(settings.devices_of(b"LAN"), [3, 4]);
        assert!(settings.devices_of(b"else").is_empty());
    }

    fn settings(period: u64, sampling: u64) -> Settings {
        Settings {
            population: Population::of([2, 1, 2]),
            period: Duration::from_secs(period),
            sampling: Duration::from_secs(sampling),
            runs: 1,
            quiet: 2,
        }
    }

    #[test]
    fn each_crossing_is_drawn_alone_and_known_before_the_next() {
        for (period, sampling) in [(8, 2), (4, 2), (1, 1), (2, 1), (1, 2), (300, 75), (7, 3)] {
            let settings = settings(period, sampling);
            let mut random = Rng::with_seed(1);
            let runs: Vec<Vec<f64>> = (0..4000)
                .map(|_| settings.moments(&mut random).iter().map(Duration::as_secs_f64).collect())
                .collect();
            let end = settings.rounds() as f64 * period as f64;
            for run in &runs {
                // Whoever polls, samples or looks has done so in between; agents' values are 0.9 s old.
                let least = (period as f64).max((sampling + settings.looks().as_secs()) as f64) + 0.9;
                assert!(run[0] >= (2 * period) as f64 && run[1] - run[0] > least, "{run:?}");
                assert!(
                    end - run[1] > least
                        && end - run[1] < least + 2.0 * settings.span().as_secs_f64() + 2.0 + period as f64,
                    "{run:?} {end}"
                );
            }
            // Each phase is as likely as any other, and the second says nothing of the first.
            for every in [period, sampling, settings.looks().as_secs()].map(|it| it as f64) {
                if settings.span().as_secs_f64() % every != 0.0 {
                    continue;
                }
                let phase =
                    |at: usize| runs.iter().map(|run| run[at] % every / every - 0.5).collect::<Vec<f64>>();
                let (first, second) = (phase(0), phase(1));
                for all in [&first, &second] {
                    let below =
                        |share: f64| all.iter().filter(|it| **it < share - 0.5).count() as f64 / 4000.0;
                    assert!(
                        [0.25, 0.5, 0.75].into_iter().all(|it| (below(it) - it).abs() < 0.04),
                        "{period} {every}"
                    );
                }
                let together: f64 = first.iter().zip(&second).map(|(a, b)| a * b * 12.0).sum();
                assert!((together / 4000.0).abs() < 0.08, "{period} {every}: {together}");
            }
        }
        assert_eq!((settings(8, 2).rounds(), settings(8, 2).span().as_secs()), (7, 8));
        assert_eq!((settings(7, 3).uneven().is_empty(), settings(300, 75).span().as_secs()), (false, 300));
    }
}
