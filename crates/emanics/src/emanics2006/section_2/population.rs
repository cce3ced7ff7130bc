//! The population of section 2.1: PSNC's three networks, their devices, and what is collected of each.

use super::super::paper;

/// A network, whose devices have one mid-level manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub name: &'static str,
    pub nodes: u32,
    /// Statistics of all its nodes together.
    pub statistics: u32,
}

/// A device with an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Device {
    /// Its place among all devices, from 0.
    pub number: u32,
    /// Its network's place.
    pub group: usize,
    pub statistics: u32,
}

/// All networks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Population {
    pub groups: [Group; 3],
}

impl Population {
    /// So many nodes of each network, with as many statistics of a node as in the deliverable.
    pub(super) fn of(nodes: [u32; 3]) -> Population {
        let group = |at: usize| {
            let (all, of) = (paper::STATISTICS[at], paper::NODES[at]);
            Group { name: NAMES[at], nodes: nodes[at], statistics: (all * nodes[at] + of / 2) / of }
        };
        Population { groups: [group(0), group(1), group(2)] }
    }

    /// The devices, network by network. Those of a network differ by one statistic at most.
    pub(super) fn devices(&self) -> Vec<Device> {
        let each = self.groups.iter().enumerate().flat_map(|(group, of)| {
            let (least, more) = (of.statistics / of.nodes, of.statistics % of.nodes);
            (0..of.nodes).map(move |node| (group, least + u32::from(node < more)))
        });
        each.zip(0..).map(|((group, statistics), number)| Device { number, group, statistics }).collect()
    }

    pub(super) fn nodes(&self) -> u32 {
        self.groups.iter().map(|it| it.nodes).sum()
    }

    pub(super) fn statistics(&self) -> u32 {
        self.groups.iter().map(|it| it.statistics).sum()
    }

    /// Parts of it by how many devices they have: each network, and all; each part is the places of its networks.
    pub(super) fn parts(&self) -> Vec<(u32, Vec<usize>)> {
        let mut parts: Vec<(u32, Vec<usize>)> =
            self.groups.iter().enumerate().map(|(at, it)| (it.nodes, vec![at])).collect();
        parts.push((self.nodes(), vec![0, 1, 2]));
        parts.sort_by_key(|(nodes, _)| *nodes);
        parts.dedup_by_key(|(nodes, _)| *nodes);
        parts
    }
}

impl Device {
    /// Rows that hold its statistics: octets received and sent, of one interface after another.
    pub(super) fn rows(&self) -> u32 {
        self.statistics.div_ceil(2)
    }
}

/// The names of the networks.
const NAMES: [&str; 3] = ["PIONIER", "POZMAN", "LAN"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_population_is_the_deliverable_s() {
        let population = Population::of(paper::NODES);
        let devices = population.devices();
        assert_eq!((population.nodes(), population.statistics(), devices.len()), (135, 3710, 135));
        for (at, group) in population.groups.iter().enumerate() {
            let of: Vec<&Device> = devices.iter().filter(|it| it.group == at).collect();
            let sum: u32 = of.iter().map(|it| it.statistics).sum();
            assert_eq!((of.len() as u32, sum), (paper::NODES[at], paper::STATISTICS[at]), "{}", group.name);
            assert!(of.iter().all(|it| it.statistics - group.statistics / group.nodes <= 1));
        }
        assert_eq!(devices.iter().map(Device::rows).max(), Some(18));
        assert!(devices.iter().zip(0..).all(|(device, number)| device.number == number));
        let parts: Vec<u32> = population.parts().into_iter().map(|(nodes, _)| nodes).collect();
        assert_eq!(parts, [27, 40, 68, 135]);
    }

    #[test]
    fn a_smaller_one_has_as_many_statistics_of_a_node() {
        let population = Population::of([4, 6, 3]);
        let statistics: Vec<u32> = population.groups.iter().map(|it| it.statistics).collect();
        assert_eq!((statistics, population.nodes()), (vec![114, 145, 103], 13));
        // Two networks of one size are one part.
        assert_eq!(Population::of([1, 1, 1]).parts().len(), 2);
    }
}
