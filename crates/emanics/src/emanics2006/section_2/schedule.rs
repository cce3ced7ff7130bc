//! What a NOC asks in a round, and when, by the way in which it manages.

use super::population::{Device, Population};

/// A way of managing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// The NOC polls each statistic on its own.
    Gets,
    /// The NOC polls a table of each device.
    Tables,
    /// A manager for each network polls its devices; the NOC asks the managers.
    Managers,
    /// Monitors at the devices, and tables of a tenth of them.
    Delegated,
}

/// What is asked of whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked {
    /// A statistic of a device, by its number there.
    Statistic { device: u32, number: u32 },
    /// All statistics of a device.
    Table { device: u32 },
    /// What a network's manager has computed.
    Aggregates { group: usize },
}

/// A request of a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Task {
    pub asked: Asked,
    /// When it is due, as a share of the period.
    pub at: f64,
}

impl Way {
    pub(super) const ALL: [Way; 4] = [Way::Gets, Way::Tables, Way::Managers, Way::Delegated];

    /// Its name in the samples.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Way::Gets => "(a) central, a Get per statistic",
            Way::Tables => "(b) central, a table per device",
            Way::Managers => "(c) three mid-level managers",
            Way::Delegated => "(d) delegated monitors, a tenth polled",
        }
    }

    /// The requests of a round to the devices of these networks, evenly over the period.
    pub(super) fn round(self, population: &Population, groups: &[usize]) -> Vec<Task> {
        let devices = population.devices().into_iter().filter(|it| groups.contains(&it.group));
        let table = |device: Device| Asked::Table { device: device.number };
        let asked: Vec<Asked> = match self {
            Way::Gets => devices
                .flat_map(|it| {
                    (0..it.statistics).map(move |number| Asked::Statistic { device: it.number, number })
                })
                .collect(),
            Way::Tables => devices.map(table).collect(),
            Way::Managers => groups.iter().map(|&group| Asked::Aggregates { group }).collect(),
            Way::Delegated => devices.step_by(TENTH).map(table).collect(),
        };
        let count = asked.len() as f64;
        asked.into_iter().zip(0..).map(|(asked, at)| Task { asked, at: f64::from(at) / count }).collect()
    }
}

/// One device in so many is polled beside its monitors.
pub(super) const TENTH: usize = 10;

#[cfg(test)]
mod tests {
    use super::super::super::paper;
    use super::*;

    #[test]
    fn a_round_asks_for_everything_once_and_evenly() {
        let population = Population::of(paper::NODES);
        let counts = Way::ALL.map(|way| way.round(&population, &[0, 1, 2]).len());
        assert_eq!(counts, [3710, 135, 3, 14]);
        for way in Way::ALL {
            let round = way.round(&population, &[0, 1, 2]);
            let step = 1.0 / round.len() as f64;
            assert!(round.iter().zip(0..).all(|(task, at)| (task.at - f64::from(at) * step).abs() < 1e-9));
            let mut asked: Vec<Asked> = round.iter().map(|task| task.asked).collect();
            asked.sort_unstable();
            asked.dedup();
            assert_eq!(asked.len(), round.len(), "{}", way.name());
        }
    }

    #[test]
    fn a_part_is_asked_of_its_networks_alone() {
        let population = Population::of(paper::NODES);
        let counts = Way::ALL.map(|way| way.round(&population, &[2]).len());
        assert_eq!(counts, [930, 27, 1, 3]);
        let last = Way::Tables.round(&population, &[2]);
        assert_eq!(last[0].asked, Asked::Table { device: 108 });
        assert_eq!(Way::Managers.round(&population, &[2])[0].asked, Asked::Aggregates { group: 2 });
    }
}
