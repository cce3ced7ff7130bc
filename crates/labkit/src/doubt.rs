//! Doubts: what was left out, what replaces what the paper had, what was shortened, what disagrees with what it
//! should match. They are shown beside the tables in every form of the report, each with its kind.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::protocol::Protocol;

/// A doubt about a run or a table. Its text states the consequences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Doubt {
    /// The run was interrupted.
    CutOff {
        /// The experiment.
        experiment: String,
    },
    /// The machine had other work during the run.
    BusyMachine {
        /// The share of the processors' time that other programs used, 0 to 1.
        others: f64,
        /// The share that the host gave to other guests, 0 to 1.
        steal: f64,
    },
    /// The machine had other work while a table was measured.
    BusyMeanwhile {
        /// The table's id.
        table: String,
        /// As in [`Doubt::BusyMachine`].
        others: f64,
        /// As in [`Doubt::BusyMachine`].
        steal: f64,
    },
    /// A program was built without optimisation.
    DebugBuild {
        /// The program.
        program: String,
    },
    /// There is no emulated link here: figures of packets and octets, or with loss or delay, are missing.
    NoLink {
        /// Why.
        reason: String,
    },
    /// An agent, or one of its listeners, that a table needs is missing.
    AgentLeftOut {
        /// What it would have served.
        what: String,
        /// Why not.
        reason: String,
    },
    /// A protocol could not be measured for a table; its figures are missing.
    ProtocolLeftOut {
        /// The table's id.
        table: String,
        /// The protocol.
        protocol: Protocol,
        /// Why.
        reason: String,
    },
    /// A figure that does not belong to a single protocol could not be measured.
    LeftOut {
        /// The table's id.
        table: String,
        /// The figure.
        what: String,
        /// Why.
        reason: String,
    },
    /// A unit of a table cannot be counted on this machine; something else replaces it, or its cell is empty.
    NoCounter {
        /// The table's id.
        table: String,
        /// What cannot be counted.
        counter: String,
        /// Why.
        reason: String,
        /// What replaces it.
        stands: String,
    },
    /// What the paper measured no longer exists; its figures are missing, and the nearest are shown beside.
    NoSuchMode {
        /// The table's id.
        table: String,
        /// What the paper had.
        asked: String,
        /// The nearest to it.
        nearest: String,
        /// Why it does not exist.
        reason: String,
    },
    /// Messages are protected by other algorithms than the paper's.
    OtherAlgorithms {
        /// The protocol.
        protocol: Protocol,
        /// The paper's.
        paper: String,
        /// Ours.
        ours: String,
    },
    /// Less was measured than in the paper.
    Shortened {
        /// The table's id.
        table: String,
        /// What was shorter, and what the paper had.
        how: String,
    },
    /// A setting that a table varies is missing, and so are the rows that need it.
    NoSwitch {
        /// The table's id.
        table: String,
        /// The setting.
        switch: String,
    },
    /// How the slow agent was slowed.
    Slowed {
        /// The table's id.
        table: String,
        /// The method.
        how: String,
    },
    /// There is no slow agent.
    NotSlowed {
        /// The table's id.
        table: String,
        /// Why.
        reason: String,
    },
    /// The walked group or table has fewer instances than the walk has messages: the walk started over.
    WalkBegunAgain {
        /// The table's id.
        table: String,
        /// Instances found.
        instances: u32,
        /// Messages of the walk.
        messages: u32,
    },
    /// Two protocols' times do not cross within the measured range.
    NoBreakEven {
        /// The table's id.
        table: String,
        /// The one that should become the faster one.
        protocol: Protocol,
        /// The one that it is compared with.
        against: Protocol,
        /// The reason.
        reason: String,
    },
    /// Requests were sent again although the link loses nothing: their times include a time-out.
    Resent {
        /// The table's id.
        table: String,
        /// The protocol.
        protocol: Protocol,
        /// How many.
        requests: u32,
    },
    /// The host has fewer interfaces than the largest column needs, and a private network namespace with more
    /// could not be created.
    FewInterfaces {
        /// Rows that the largest column needs.
        rows: u32,
        /// Interfaces on the host.
        interfaces: u32,
        /// The reason.
        reason: String,
    },
    /// A figure is noisy: its confidence interval is wide.
    Noisy {
        /// The table's id.
        table: String,
        /// What is noisy.
        what: String,
        /// Half the interval's width as a share of the figure.
        share: f64,
    },
    /// Requests had to be sent again; their delays include the time-out.
    SentAgain {
        /// The table's id.
        table: String,
        /// The request.
        what: String,
        /// How many requests.
        requests: u32,
    },
    /// The link was to lose packets, and lost few in these sessions.
    HardlyLost {
        /// The table's id.
        table: String,
        /// The row.
        what: String,
        /// Packets that were lost.
        lost: u64,
        /// Packets that were sent.
        sent: u64,
    },
    /// A measured interaction lies outside figure 6's bounds.
    OutsideBounds {
        /// The table's id.
        table: String,
        /// The request.
        what: String,
        /// Octets of both messages.
        octets: u64,
        /// The lower bound.
        low: u64,
        /// The upper bound.
        high: u64,
        /// The longest value, octets: long ifDescr values explain it, as in the paper.
        longest_value: u64,
    },
    /// A message does not have its exactly computed length.
    NotAsExact {
        /// The table's id.
        table: String,
        /// The request.
        what: String,
        /// Octets measured, request and response.
        measured: (u64, u64),
        /// Octets expected, request and response.
        exact: (u64, u64),
    },
    /// A condition on a table's figures.
    Condition {
        /// The table's id.
        table: String,
        /// The condition.
        text: String,
    },
}

impl Doubt {
    /// The table that it is about, if any.
    pub fn table(&self) -> Option<&str> {
        match self {
            Doubt::ProtocolLeftOut { table, .. }
            | Doubt::LeftOut { table, .. }
            | Doubt::NoCounter { table, .. }
            | Doubt::NoSuchMode { table, .. }
            | Doubt::Shortened { table, .. }
            | Doubt::NoSwitch { table, .. }
            | Doubt::Slowed { table, .. }
            | Doubt::NotSlowed { table, .. }
            | Doubt::WalkBegunAgain { table, .. }
            | Doubt::NoBreakEven { table, .. }
            | Doubt::Resent { table, .. }
            | Doubt::Noisy { table, .. }
            | Doubt::SentAgain { table, .. }
            | Doubt::HardlyLost { table, .. }
            | Doubt::OutsideBounds { table, .. }
            | Doubt::NotAsExact { table, .. }
            | Doubt::BusyMeanwhile { table, .. }
            | Doubt::Condition { table, .. } => Some(table),
            Doubt::CutOff { .. }
            | Doubt::BusyMachine { .. }
            | Doubt::DebugBuild { .. }
            | Doubt::NoLink { .. }
            | Doubt::AgentLeftOut { .. }
            | Doubt::FewInterfaces { .. }
            | Doubt::OtherAlgorithms { .. } => None,
        }
    }

    /// Whether both are of one kind about one protocol of one table, or about figures of one table that are
    /// typically many.
    pub fn is_like(&self, other: &Doubt) -> bool {
        let same_kind = std::mem::discriminant(self) == std::mem::discriminant(other);
        if let Doubt::Noisy { .. }
        | Doubt::SentAgain { .. }
        | Doubt::HardlyLost { .. }
        | Doubt::OutsideBounds { .. }
        | Doubt::NotAsExact { .. }
        | Doubt::DebugBuild { .. } = self
        {
            return same_kind && self.table() == other.table();
        }
        let protocol = |doubt: &Doubt| match doubt {
            Doubt::ProtocolLeftOut { protocol, .. }
            | Doubt::NoBreakEven { protocol, .. }
            | Doubt::Resent { protocol, .. }
            | Doubt::OtherAlgorithms { protocol, .. } => Some(*protocol),
            _ => None,
        };
        match (protocol(self), protocol(other)) {
            (Some(one), Some(two)) => same_kind && one == two && self.table() == other.table(),
            _ => self == other,
        }
    }

    fn words(&self) -> String {
        match self {
            Doubt::CutOff { experiment } => format!("the run of {experiment} was ended before its end"),
            Doubt::BusyMachine { others, steal } => format!(
                "the machine had other work during the run: other programs used {:.0} % of the processors' time, the host took \
                 {:.0} %; times are longer and vary more than on a quiet one",
                others * 100.0,
                steal * 100.0
            ),
            Doubt::BusyMeanwhile { others, steal, .. } => format!(
                "the machine had other work meanwhile: other programs used {:.0} % of the processors' time, the host took {:.0} %",
                others * 100.0,
                steal * 100.0
            ),
            Doubt::DebugBuild { program } => {
                format!("{program} was built without optimisation: its times say nothing about the protocol")
            }
            Doubt::NoLink { reason } => format!(
                "there is no emulated link here ({reason}): octets, packets and what needs loss or delay are missing"
            ),
            Doubt::AgentLeftOut { what, reason } => format!("no agent for {what}: {reason}"),
            Doubt::OtherAlgorithms { protocol, paper, ours } => {
                format!("{protocol}: {ours}, where the paper had {paper}")
            }
            Doubt::ProtocolLeftOut { protocol, reason, .. } => format!("{protocol} was left out: {reason}"),
            Doubt::LeftOut { what, reason, .. } => format!("{what} was left out: {reason}"),
            Doubt::NoCounter { counter, reason, stands, .. } => {
                format!("{counter} cannot be counted here ({reason}); {stands}")
            }
            Doubt::NoSuchMode { asked, nearest, reason, .. } => {
                format!("{asked} is not available today ({reason}); the nearest is {nearest}")
            }
            Doubt::Shortened { how, .. } => how.clone(),
            Doubt::NoSwitch { switch, .. } => {
                format!("there is no switch for {switch}: its rows are missing")
            }
            Doubt::Slowed { how, .. } => format!("the slow agent: {how}"),
            Doubt::NotSlowed { reason, .. } => format!("there is no slow agent: {reason}"),
            Doubt::WalkBegunAgain { instances, messages, .. } => format!(
                "the walk of {messages} messages was restarted when it reached the end: there are {instances} instances"
            ),
            Doubt::NoBreakEven { protocol, against, reason, .. } => {
                format!("{protocol} does not become faster than {against}: {reason}")
            }
            Doubt::Resent { protocol, requests, .. } => {
                format!("{protocol}: {requests} requests were sent again; their times include the time-out")
            }
            Doubt::Condition { text, .. } => text.clone(),
            Doubt::FewInterfaces { rows, interfaces, reason } => format!(
                "the largest column needs {rows} interfaces, this host has {interfaces}, and a private network namespace with more could \
                 not be made ({reason}): columns that need more rows are left out"
            ),
            Doubt::Noisy { what, share, .. } => format!(
                "{what}: uncertain by \u{b1}{:.0} %; more repetitions or a quiet machine narrow it",
                share * 100.0
            ),
            Doubt::SentAgain { what, requests, .. } => {
                format!("{what}: {requests} requests were sent again; their delays include the time-out")
            }
            Doubt::HardlyLost { what, lost, sent, .. } => format!(
                "{what}: {lost} of {sent} packets {} lost, too few for a mean time to show what loss costs; more repetitions \
                 (--repeat) meet more",
                if *lost == 1 { "was" } else { "were" }
            ),
            Doubt::OutsideBounds { what, octets, low, high, longest_value, .. } => format!(
                "{what} takes {octets} octets, outside figure 6's bounds of {low} to {high}; its longest value has {longest_value} octets \
                 (long ifDescr values do this, as the paper says)"
            ),
            Doubt::NotAsExact { what, measured, exact, .. } => format!(
                "{what}: messages of {} and {} octets, where formulas (1) to (6) carried through exactly give {} and {}",
                measured.0, measured.1, exact.0, exact.1
            ),
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.table() {
            Some(table) => write!(f, "{table}: {}", self.words()),
            None => f.write_str(&self.words()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_packet_was_lost_and_two_were() {
        let said =
            |lost| Doubt::HardlyLost { table: "t".into(), what: "get".into(), lost, sent: 14 }.to_string();
        assert!(said(1).starts_with("t: get: 1 of 14 packets was lost, too few"), "{}", said(1));
        assert!(said(2).starts_with("t: get: 2 of 14 packets were lost, too few"), "{}", said(2));
    }

    #[test]
    fn a_doubt_has_a_kind_and_a_table() {
        let doubt =
            Doubt::Shortened { table: "du2001/table-3".into(), how: "1 s instead of 5 minutes".into() };
        assert_eq!(doubt.to_string(), "du2001/table-3: 1 s instead of 5 minutes");
        let json = serde_json::to_value(&doubt).unwrap();
        assert_eq!(
            (json["kind"].as_str(), json["table"].as_str()),
            (Some("shortened"), Some("du2001/table-3"))
        );
        assert_eq!(serde_json::from_value::<Doubt>(json).unwrap(), doubt);
    }
}
