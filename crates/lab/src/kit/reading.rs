//! Figures that are of no session: octets of an interaction, lengths of names, times inside the agent, sizes of programs. One
//! record each, written as it is read; what they say is a function of all of them.

use serde::{Deserialize, Serialize};

use crate::kit::statistics::{mean_and_sd, median};
use crate::kit::trial::{Entry, Trials};

/// One reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The table or figure that it is measured for: `pras2005/figure-11`.
    pub table: String,
    /// What was measured: an agent, an encoding, an operation.
    pub series: String,
    /// At which number of objects (or, in distributions, octets or sub-identifiers).
    pub at: u32,
    /// What the figure is.
    pub quantity: Quantity,
    /// Which repetition, counted from 1.
    pub repetition: u32,
    /// The figure.
    pub figure: f64,
}

/// What a reading's figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Quantity {
    /// How many instances have a name of so many sub-identifiers.
    NamesOfLength,
    /// How many instances have a value of so many octets, without tag and length.
    ValuesOfSize,
    /// Octets of the request at application level.
    RequestOctets,
    /// Octets of the response at application level.
    ResponseOctets,
    /// Octets of HTTP's heads, both ways.
    HeaderOctets,
    /// Octets of the request for a whole table.
    WholeRequestOctets,
    /// Octets of a response with so many rows of the paper's 18 columns.
    EntryOctets,
    /// How many interactions fetch a whole table.
    Interactions,
    /// Octets of all requests of these.
    GrainRequestOctets,
    /// Octets of all their responses.
    GrainResponseOctets,
    /// The same responses, each compressed by zlib.
    GrainPackedOctets,
    /// Octets that the request must have at application level, by its content.
    ExactRequestOctets,
    /// Octets that the response must have at application level, by its content.
    ExactResponseOctets,
    /// Octets of all values, without tag and length.
    ValueOctets,
    /// Octets of the longest value.
    LongestValue,
    /// IP packets, both ways.
    Packets,
    /// Octets from the IP header on, both ways.
    IpOctets,
    /// Octets at IP level of a session in which nothing was asked: what setting up and releasing takes.
    IdleIpOctets,
    /// Nanoseconds from the request to the whole response.
    DelayNs,
    /// Nanoseconds to decode a request and encode its response.
    CodingNs,
    /// Nanoseconds to compress the response.
    CompressionNs,
    /// Nanoseconds in which the agent fetched the data.
    RetrievalNs,
    /// How many instances a column has.
    Instances,
    /// How many of them are counters that are zero.
    ZeroCounters,
    /// Octets of resident pages, shared ones counted whole.
    Resident,
    /// Octets of resident pages, shared ones counted by share.
    Proportional,
    /// Octets of resident pages that may be written.
    Writable,
    /// Octets of resident pages that may be neither written nor executed.
    Constants,
    /// Octets of resident pages that may be executed.
    Instructions,
    /// Octets of the program's instructions as its file has them.
    Text,
    /// Octets of resident pages that may be written, before the first request.
    Static,
    /// Octets that are allocated during a request above what was allocated before, at most.
    Dynamic,
    /// Instructions that a command executed.
    Executed,
    /// Clock cycles of a command.
    Cycles,
    /// User and system time of a command, nanoseconds.
    CpuNs,
    /// Octets of a file or of a part of it.
    FileOctets,
}

/// The readings of one kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Readings(pub Vec<f64>);

impl Trials {
    /// All readings of a table.
    pub fn readings<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a Reading> {
        self.entries.iter().filter_map(move |entry| match entry {
            Entry::Reading(reading) if reading.table == table => Some(reading),
            _ => None,
        })
    }

    /// The readings of one kind.
    pub fn read(&self, table: &str, series: &str, at: u32, quantity: Quantity) -> Readings {
        let wanted = |it: &&Reading| {
            it.series == series && it.at == at && it.quantity == quantity && it.repetition > 0
        };
        Readings(self.readings(table).filter(wanted).map(|it| it.figure).collect())
    }

    /// The series of a table that have such readings, in the order in which they came first.
    pub fn series(&self, table: &str, quantity: Quantity) -> Vec<String> {
        let mut series: Vec<String> = Vec::new();
        for reading in self.readings(table).filter(|it| it.quantity == quantity) {
            if !series.contains(&reading.series) {
                series.push(reading.series.clone());
            }
        }
        series
    }

    /// At what a table has such readings, ascending.
    pub fn places(&self, table: &str, quantity: Quantity) -> Vec<u32> {
        let mut places: Vec<u32> =
            self.readings(table).filter(|it| it.quantity == quantity).map(|it| it.at).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

impl Readings {
    /// How many.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The least.
    pub fn least(&self) -> Option<f64> {
        self.0.iter().copied().reduce(f64::min)
    }

    /// The greatest.
    pub fn greatest(&self) -> Option<f64> {
        self.0.iter().copied().reduce(f64::max)
    }

    /// The median.
    pub fn median(&self) -> Option<f64> {
        median(&self.0)
    }

    /// The mean.
    pub fn mean(&self) -> Option<f64> {
        mean_and_sd(&self.0).map(|(mean, _)| mean)
    }

    /// The paper's "lowest delay" of ten measurements: the median over groups of ten of the least of each.
    pub fn least_of_ten(&self) -> Option<f64> {
        let least: Vec<f64> = self
            .0
            .chunks(TEN)
            .filter(|group| group.len() == TEN || self.0.len() < TEN)
            .filter_map(|group| group.iter().copied().reduce(f64::min))
            .collect();
        median(&least)
    }
}

/// So many measurements are behind each figure of table II of Pras et al. (2005).
const TEN: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::trial::tests::trial;

    pub(crate) fn reading(table: &str, series: &str, at: u32, quantity: Quantity, figure: f64) -> Entry {
        let (table, series) = (table.into(), series.into());
        Entry::Reading(Reading { table, series, at, quantity, repetition: 1, figure })
    }

    #[test]
    fn readings_are_found_again() {
        let of = |series, at, figure| reading("t", series, at, Quantity::RequestOctets, figure);
        let entries = vec![of("Get", 22, 3.0), of("Get", 1, 1.0), of("Get", 1, 2.0), of("GetBulk", 1, 9.0)];
        let trials = Trials { trial: trial("pras2005"), entries };
        let found = trials.read("t", "Get", 1, Quantity::RequestOctets);
        assert_eq!((found.count(), found.median(), found.least()), (2, Some(1.5), Some(1.0)));
        assert_eq!(trials.series("t", Quantity::RequestOctets), ["Get", "GetBulk"]);
        assert_eq!(trials.places("t", Quantity::RequestOctets), [1, 22]);
        assert_eq!(trials.read("t", "Get", 1, Quantity::DelayNs).mean(), None);
    }

    #[test]
    fn the_least_of_ten_is_taken_group_by_group() {
        let thirty: Vec<f64> = (0..30).map(f64::from).collect();
        assert_eq!(Readings(thirty).least_of_ten(), Some(10.0));
        assert_eq!(Readings(vec![4.0, 3.0]).least_of_ten(), Some(3.0));
        assert_eq!(Readings(vec![]).least_of_ten(), None);
    }
}
