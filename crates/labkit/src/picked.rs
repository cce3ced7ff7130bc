//! The samples of one case, and figures computed from them.

use crate::doubt::Doubt;
use crate::estimate::Estimate;
use crate::protocol::Protocol;
use crate::schedule::ENOUGH_LOST;
use crate::trial::{SessionRecord, Trials};

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
                crate::trial::Entry::Session(session) => Some(session),
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
}

/// The middle of a figure: the papers' own, the mean, and the median beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Middle {
    /// The mean.
    Mean,
    /// The median.
    Median,
}

impl Middle {
    /// Both, in the order of their rows.
    pub const BOTH: [Middle; 2] = [Middle::Mean, Middle::Median];

    /// The middle of a figure over the sessions that have it.
    pub fn of(self, picked: &Picked<'_>, figure: impl Fn(&SessionRecord) -> Option<f64>) -> Option<Estimate> {
        match self {
            Middle::Mean => picked.mean_estimate(figure),
            Middle::Median => picked.median_estimate(figure),
        }
    }

    /// What the label of its row ends with.
    pub const fn suffix(self) -> &'static str {
        match self {
            Middle::Mean => "",
            Middle::Median => ", median",
        }
    }

    /// The paper's figures stand beside the mean.
    pub fn beside(self, paper: &[Option<f64>]) -> &[Option<f64>] {
        if self == Middle::Mean { paper } else { &[] }
    }
}

/// The difference of two figures, if both exist.
pub fn minus(one: Option<&Estimate>, other: Option<&Estimate>) -> Option<Estimate> {
    Some(one? - other?)
}

/// The ratio of two figures, if both exist.
pub fn over(one: Option<&Estimate>, other: Option<&Estimate>) -> Option<Estimate> {
    Some(one? / other?)
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

/// What a session costs before it runs, milliseconds: up to its first answer, without what a later exchange takes.
/// The same point for every version of TLS: with TLS 1.2 a client that has connected knows that the server has
/// accepted it, with TLS 1.3 the first answer proves it. `None` for a session of one exchange.
pub fn set_up_ms(session: &SessionRecord) -> Option<f64> {
    let later = session.case.messages.checked_sub(1).filter(|later| *later > 0)?;
    let first = session.first_ns?;
    let exchange = session.exchange_ns.saturating_sub(first) as f64 / f64::from(later);
    Some(((session.open_ns + first) as f64 - exchange) / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{session, trial};
    use crate::transport::Transport;
    use crate::trial::Entry;

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
        let ms = |it: &SessionRecord| Some(total_ms(it));
        let value = |it: Option<Estimate>| it.map(|it| it.value());
        assert_eq!(
            (
                picked.count(),
                value(picked.mean_estimate(ms)),
                value(picked.median_estimate(|it| Some(open_ms(it))))
            ),
            (2, Some(4.5), Some(1.0))
        );
        assert_eq!(trials.pick("t", "get", udp, None).count(), 3);
        assert_eq!(trials.pick("u", "get", udp, None).mean_estimate(ms), None);
        assert_eq!(trials.sizes("t"), [1, 5]);
    }

    #[test]
    fn a_session_is_set_up_when_its_first_answer_could_have_come() {
        let udp = Protocol::v1(Transport::Udp);
        let mut five = session("t", "get", udp, 5, 1, [1.0, 7.0, 0.5]);
        assert_eq!(set_up_ms(&five), None);
        // Four later exchanges take 1 ms each, the first 3 ms: 2 ms of it belong to the set-up.
        five.first_ns = Some(3_000_000);
        assert_eq!(set_up_ms(&five), Some(3.0));
        five.case.messages = 1;
        assert_eq!(set_up_ms(&five), None);
    }
}
