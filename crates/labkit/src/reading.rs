//! Figures that belong to no session: octets of an interaction, lengths of names, times within the agent, sizes of
//! programs. One record each, written as it is read; the analysis is a function of all of them.

use serde::{Deserialize, Serialize};

use crate::estimate::Estimate;
use crate::statistics::{mean_and_sd, median};
use crate::trial::{Entry, Trials};

/// One reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The table or figure that it belongs to: `pras2005/figure-11`.
    pub table: String,
    /// What was measured: an agent, an encoding, an operation.
    pub series: String,
    /// The number of objects (or, in distributions, octets or sub-identifiers).
    pub at: u32,
    /// The quantity of the figure.
    pub quantity: Quantity,
    /// The repetition, counted from 1.
    pub repetition: u32,
    /// The figure.
    pub figure: f64,
}

/// The quantity of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Quantity {
    /// The number of instances with a name of this many sub-identifiers.
    NamesOfLength,
    /// The number of instances with a value of this many octets, without tag and length.
    ValuesOfSize,
    /// Octets of the request at application level.
    RequestOctets,
    /// Octets of the response at application level.
    ResponseOctets,
    /// Octets of HTTP's heads, both directions.
    HeaderOctets,
    /// Octets of the request for a whole table.
    WholeRequestOctets,
    /// Octets of a response with this many rows of the paper's 18 columns.
    EntryOctets,
    /// Octets of the names of elements in such a response.
    EntryNames,
    /// Octets of the attributes of type in such a response.
    EntryTypes,
    /// Octets of the names of types in these attributes.
    EntryTypeNames,
    /// The number of interactions that fetch a whole table.
    Interactions,
    /// Octets of all requests of these interactions.
    GrainRequestOctets,
    /// Octets of all responses of these interactions.
    GrainResponseOctets,
    /// Octets of the same responses, each compressed by zlib.
    GrainPackedOctets,
    /// Octets of request and response at application level if the library compresses both at its default level.
    LibraryOctets,
    /// The exact octets of the request at application level, computed from its contents.
    ExactRequestOctets,
    /// The exact octets of the response at application level, computed from its contents.
    ExactResponseOctets,
    /// Octets of all values, without tag and length.
    ValueOctets,
    /// Octets of the longest value.
    LongestValue,
    /// IP packets, both directions.
    Packets,
    /// Octets from the IP header on, both directions.
    IpOctets,
    /// Octets at IP level of a session without a request: the cost of set-up and release.
    IdleIpOctets,
    /// Octets of a request without its list of variable bindings.
    RequestHeader,
    /// Octets of a response without its list of variable bindings.
    ResponseHeader,
    /// IP packets before the request that synchronize time, and of their answers.
    TimePackets,
    /// Octets of these packets from the IP header on.
    TimeIpOctets,
    /// Nanoseconds from the request to the whole response.
    DelayNs,
    /// The part of such a delay that is HTTP's: from the start of the request to the last octet of the response.
    HttpNs,
    /// The same of the first request of a session.
    FirstDelayNs,
    /// Nanoseconds to decode a request and encode its response.
    CodingNs,
    /// Nanoseconds to decode a request and encode its response compressed, as the agent does.
    PackedCodingNs,
    /// Nanoseconds in which the library compresses the finished response, at its default level.
    CompressionNs,
    /// Nanoseconds in which the agent fetched the data.
    RetrievalNs,
    /// The number of instances of a column.
    Instances,
    /// The number of those that are zero counters.
    ZeroCounters,
    /// Octets of resident pages, shared ones counted in full.
    Resident,
    /// Octets of resident pages, shared ones counted proportionally.
    Proportional,
    /// Octets of resident writable pages.
    Writable,
    /// Octets of resident pages that are neither writable nor executable.
    Constants,
    /// Octets of resident executable pages.
    Instructions,
    /// Octets of instructions in the program's file.
    Text,
    /// Octets of resident writable pages of an agent that has just started, before any request.
    Static,
    /// Maximum octets that the allocator has given out during a request, beyond those before the first request.
    Dynamic,
    /// Octets that are still given out after a request, beyond those before the first request.
    Kept,
    /// Instructions that a command executed.
    Executed,
    /// Clock cycles of a command.
    Cycles,
    /// User and system time of a command, nanoseconds.
    CpuNs,
    /// Octets of a file or of a part of it.
    FileOctets,
    /// Nanoseconds in a phase of a request inside the agent.
    PhaseNs,
    /// Requests in a second, one after another.
    Rate,
    /// Nanoseconds from the first request of a series to its last answer.
    SeriesNs,
    /// Nanoseconds of processor time of some work in this process.
    WorkNs,
    /// Octets of the result of such work.
    WorkOctets,
    /// Nanoseconds of processor time of the agent in a request.
    AgentCpuNs,
    /// Nanoseconds from the start of a command.
    ElapsedNs,
    /// Messages at application level that a command sent and received.
    Messages,
    /// Their octets.
    MessageOctets,
    /// Nanoseconds from when a value was read at an agent to a moment at which a manager has it: the mean over all moments.
    AgeNs,
    /// Nanoseconds from an event at an agent to when a manager knows of it.
    ReactionNs,
    /// Nanoseconds from the beginning of a measurement to such an event.
    MomentNs,
    /// Nanoseconds from the first packet on the link to the last that carries data.
    WireNs,
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

    /// The series of a table with such readings, in order of first appearance.
    pub fn series(&self, table: &str, quantity: Quantity) -> Vec<String> {
        let mut series: Vec<String> = Vec::new();
        for reading in self.readings(table).filter(|it| it.quantity == quantity) {
            if !series.contains(&reading.series) {
                series.push(reading.series.clone());
            }
        }
        series
    }

    /// The values of `at` of such readings in a table, ascending.
    pub fn places(&self, table: &str, quantity: Quantity) -> Vec<u32> {
        let mut places: Vec<u32> =
            self.readings(table).filter(|it| it.quantity == quantity).map(|it| it.at).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

impl Readings {
    /// Nanoseconds as milliseconds.
    pub fn in_ms(&self) -> Vec<f64> {
        self.0.iter().map(|ns| ns / 1e6).collect()
    }

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

    /// The median with its interval.
    pub fn median_estimate(&self) -> Option<Estimate> {
        Estimate::median(&self.0)
    }

    /// The mean with its interval.
    pub fn mean_estimate(&self) -> Option<Estimate> {
        Estimate::mean(&self.0)
    }

    /// The paper's "lowest delay" of ten measurements: the median, over groups of ten, of each group's minimum.
    pub fn least_of_ten(&self) -> Option<Estimate> {
        let least: Vec<f64> =
            self.tens().iter().filter_map(|group| group.iter().copied().reduce(f64::min)).collect();
        Estimate::median(&least)
    }

    /// The median of all, of which every ten were taken together and share their noise.
    pub fn median_of_tens(&self) -> Option<Estimate> {
        Estimate::of_groups(&self.tens(), median)
    }

    /// Groups of ten; what is left over is used only if there is no other.
    fn tens(&self) -> Vec<Vec<f64>> {
        let whole = |group: &&[f64]| group.len() == TEN || self.0.len() < TEN;
        self.0.chunks(TEN).filter(whole).map(<[f64]>::to_vec).collect()
    }
}

/// The number of measurements behind each figure of table II of Pras et al. (2005).
const TEN: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::trial;

    fn reading(table: &str, series: &str, at: u32, quantity: Quantity, figure: f64) -> Entry {
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
        let found = Readings(thirty).least_of_ten().unwrap();
        assert_eq!((found.value(), found.repetitions()), (10.0, Some(3)));
        assert_eq!(Readings(vec![4.0, 3.0]).least_of_ten().unwrap().value(), 3.0);
        assert_eq!(Readings(vec![]).least_of_ten(), None);
        let seventy = Readings((0..79).map(f64::from).collect()).median_of_tens().unwrap();
        // Nine are left over.
        assert_eq!((seventy.value(), seventy.repetitions()), (34.5, Some(7)));
        assert!(seventy.interval().is_some_and(|it| it.low < 25.0 && it.high > 44.0));
    }
}
