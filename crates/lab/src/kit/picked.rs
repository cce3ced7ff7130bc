//! The samples of one case, and figures computed from them.

use crate::kit::doubt::Doubt;
use crate::kit::estimate::Estimate;
use crate::kit::protocol::Protocol;
use crate::kit::schedule::ENOUGH_LOST;
use crate::kit::statistics::{mean_and_sd, median};
use crate::kit::trial::{SessionRecord, Trials};

/// Sessions of one kind.
#[derive(Debug, Clone)]
pub struct Picked<'a>(Vec<&'a SessionRecord>);

impl Trials {
    /// The sessions of a table with this protocol, and with this many messages if given.
    pub fn pick(
        &self,
        table: &str,
        what: &str,
        protocol: Protocol,
        messages: impl Into<Option<u32>>,
    ) -> Picked<'_> {
        let messages = messages.into();
        let wanted = |session: &&SessionRecord| {
            let case = &session.case;
            (case.what == what && case.protocol == protocol) && messages.is_none_or(|it| it == case.messages)
        };
        // The iterator borrows the table's name too; the sessions only borrow `self`.
        let all: Vec<&SessionRecord> = self
            .entries
            .iter()
            .filter_map(|entry| match entry {
                crate::kit::trial::Entry::Session(session) => Some(session),
                _ => None,
            })
            .filter(|session| session.case.table == table && session.repetition > 0)
            .filter(wanted)
            .collect();
        Picked(all)
    }

    /// The numbers of messages of a table's sessions, ascending.
    pub fn sizes(&self, table: &str) -> Vec<u32> {
        let mut sizes: Vec<u32> = self.sessions(table).map(|session| session.case.messages).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

impl Picked<'_> {
    /// How many.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The mean of a figure.
    pub fn mean(&self, figure: impl Fn(&SessionRecord) -> f64) -> Option<f64> {
        mean_and_sd(&self.all(figure)).map(|(mean, _)| mean)
    }

    /// The median of a figure.
    pub fn median(&self, figure: impl Fn(&SessionRecord) -> f64) -> Option<f64> {
        median(&self.all(figure))
    }

    /// The mean of a figure that some sessions have.
    pub fn mean_of_some(&self, figure: impl Fn(&SessionRecord) -> Option<f64>) -> Option<f64> {
        let all: Vec<f64> = self.0.iter().filter_map(|session| figure(session)).collect();
        mean_and_sd(&all).map(|(mean, _)| mean)
    }

    /// The median of a figure that some sessions have.
    pub fn median_of_some(&self, figure: impl Fn(&SessionRecord) -> Option<f64>) -> Option<f64> {
        let all: Vec<f64> = self.0.iter().filter_map(|session| figure(session)).collect();
        median(&all)
    }

    /// The mean of a figure with its interval, over the sessions that have it.
    pub fn mean_estimate(&self, figure: impl Fn(&SessionRecord) -> Option<f64>) -> Option<Estimate> {
        Estimate::mean(&self.some(figure))
    }

    /// The median of a figure with its interval, over the sessions that have it.
    pub fn median_estimate(&self, figure: impl Fn(&SessionRecord) -> Option<f64>) -> Option<Estimate> {
        Estimate::median(&self.some(figure))
    }

    fn some(&self, figure: impl Fn(&SessionRecord) -> Option<f64>) -> Vec<f64> {
        self.0.iter().filter_map(|session| figure(session)).collect()
    }

    /// Packets that the link was given and that it lost, in all sessions.
    pub fn sent_and_lost(&self) -> (u64, u64) {
        let sum = |figure: fn(&SessionRecord) -> Option<u64>| -> u64 {
            self.0.iter().filter_map(|session| figure(session)).sum()
        };
        (sum(SessionRecord::sent_packets), sum(SessionRecord::lost_packets))
    }

    /// The sessions themselves.
    pub fn iter(&self) -> impl Iterator<Item = &SessionRecord> {
        self.0.iter().copied()
    }

    fn all(&self, figure: impl Fn(&SessionRecord) -> f64) -> Vec<f64> {
        self.0.iter().map(|session| figure(session)).collect()
    }
}

/// The doubt that of so many packets so few were lost that a mean says little about a link that loses.
pub fn hardly_lost(table: &str, what: &str, (sent, lost): (u64, u64)) -> Option<Doubt> {
    let (table, what) = (table.to_owned(), what.to_owned());
    (sent > 0 && lost < ENOUGH_LOST).then_some(Doubt::HardlyLost { table, what, lost, sent })
}

/// The whole session, milliseconds.
pub fn total_ms(session: &SessionRecord) -> f64 {
    session.total_ns() as f64 / 1e6
}

/// Its opening, milliseconds.
pub fn open_ms(session: &SessionRecord) -> f64 {
    session.open_ns as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::transport::Transport;
    use crate::kit::trial::Entry;
    use crate::kit::trial::tests::{session, trial};

    #[test]
    fn cases_are_picked_without_warm_ups() {
        let (udp, tcp) = (Protocol::v1(Transport::Udp), Protocol::v1(Transport::Tcp));
        let of = |what, protocol, messages, repetition, exchange| {
            Entry::Session(session("t", what, protocol, messages, repetition, [1.0, exchange, 0.5]))
        };
        let entries = vec![
            of("get", udp, 1, 0, 99.0),
            of("get", udp, 1, 1, 2.0),
            of("get", udp, 1, 2, 4.0),
            of("get", udp, 5, 1, 50.0),
            of("get", tcp, 1, 1, 60.0),
            of("walk", udp, 1, 1, 70.0),
        ];
        let trials = Trials { trial: trial("du2001"), entries };
        let picked = trials.pick("t", "get", udp, 1);
        assert_eq!(
            (picked.count(), picked.mean(total_ms), picked.median(open_ms)),
            (2, Some(4.5), Some(1.0))
        );
        assert_eq!(trials.pick("t", "get", udp, None).count(), 3);
        assert_eq!(trials.pick("u", "get", udp, None).mean(total_ms), None);
        assert_eq!(trials.sizes("t"), [1, 5]);
    }
}
