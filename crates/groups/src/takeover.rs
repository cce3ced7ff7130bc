//! Which of two peers reads a group, by what each question to the peer has led to. Without clocks and I/O.
//!
//! The first one reads as long as it is there. The one on standby reads while the first does not answer. Neither begins before it
//! has asked: an agent that comes back waits until the other one has seen it for a while and gives the group back.

/// What a peer says that it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Active,
    Standby,
}

/// What is known of the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeerState {
    /// There is none.
    None,
    /// It has not been asked often enough.
    Unknown,
    /// It answers.
    Answers(Role),
    /// It does not answer.
    Lost,
}

/// A change of who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// This agent reads from now on.
    Begin,
    /// It leaves the group to the peer.
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct Takeover {
    is_standby: bool,
    limit: u32,
    is_active: bool,
    /// Questions without an answer, in a row.
    missed: u32,
    /// Answers in a row of a peer that waits for this agent.
    waiting: u32,
    peer: PeerState,
}

impl Takeover {
    /// `is_standby`: it reads only if the peer does not. `limit`: so many answers in a row must be missed, or be there.
    pub const fn new(is_standby: bool, limit: u32) -> Self {
        Takeover { is_standby, limit, is_active: false, missed: 0, waiting: 0, peer: PeerState::Unknown }
    }

    /// Without a peer.
    pub const fn alone() -> Self {
        Takeover {
            is_standby: false,
            limit: 1,
            is_active: true,
            missed: 0,
            waiting: 0,
            peer: PeerState::None,
        }
    }

    pub const fn is_active(&self) -> bool {
        self.is_active
    }

    pub const fn peer(&self) -> PeerState {
        self.peer
    }

    /// Whether it turns out now that the peer waits as this agent does: a first one would have begun long ago. Nobody reads the group.
    pub const fn is_found_idle(&self) -> bool {
        self.is_standby && !self.is_active && self.waiting == self.limit.saturating_mul(4)
    }

    /// A question to the peer is over; `None`: it was not answered.
    pub fn asked(&mut self, answer: Option<Role>) -> Option<Change> {
        let Some(role) = answer else {
            self.waiting = 0;
            self.missed = self.missed.saturating_add(1);
            if self.missed < self.limit {
                return None;
            }
            self.peer = PeerState::Lost;
            return self.turn(true);
        };
        self.missed = 0;
        self.peer = PeerState::Answers(role);
        match (self.is_standby, role) {
            // Both read: the one on standby gives way.
            (true, Role::Active) => {
                self.waiting = 0;
                self.turn(false)
            }
            // The first one is back, and waits to have the group.
            (true, Role::Standby) => {
                self.waiting = self.waiting.saturating_add(1);
                if self.is_active && self.waiting >= self.limit { self.turn(false) } else { None }
            }
            // Whether it gives it back or has never had it.
            (false, Role::Standby) => self.turn(true),
            (false, Role::Active) => None,
        }
    }

    fn turn(&mut self, to_active: bool) -> Option<Change> {
        if std::mem::replace(&mut self.is_active, to_active) == to_active {
            return None;
        }
        self.waiting = 0;
        Some(if to_active { Change::Begin } else { Change::End })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn role(of: &Takeover) -> Role {
        if of.is_active() { Role::Active } else { Role::Standby }
    }

    /// Each asks the other, where it is up and the network lets it.
    fn round(first: Option<&mut Takeover>, second: Option<&mut Takeover>, has_link: bool) {
        let roles = [first.as_deref().map(role), second.as_deref().map(role)];
        if let Some(first) = first {
            first.asked(roles[1].filter(|_| has_link));
        }
        if let Some(second) = second {
            second.asked(roles[0].filter(|_| has_link));
        }
    }

    #[test]
    fn two_on_standby_are_found_once() {
        let (mut one, mut other) = (Takeover::new(true, 3), Takeover::new(true, 3));
        let found = (0..40).filter(|_| {
            round(Some(&mut one), Some(&mut other), true);
            one.is_found_idle()
        });
        assert_eq!(found.count(), 1);
        assert!(!one.is_active() && !other.is_active());
    }

    #[test]
    fn the_one_on_standby_takes_over_and_gives_back_in_order() {
        let (mut first, mut second) = (Takeover::new(false, 3), Takeover::new(true, 3));
        round(Some(&mut first), Some(&mut second), true);
        assert_eq!((first.is_active(), second.is_active()), (true, false), "the first one has precedence");
        for _ in 0..2 {
            assert_eq!(second.asked(None), None);
        }
        assert_eq!(second.asked(None), Some(Change::Begin));
        assert_eq!(second.peer(), PeerState::Lost);
        // The first one is started again: it waits.
        let mut first = Takeover::new(false, 3);
        for _ in 0..2 {
            round(Some(&mut first), Some(&mut second), true);
            assert_eq!((first.is_active(), second.is_active()), (false, true));
        }
        round(Some(&mut first), Some(&mut second), true);
        assert_eq!((first.is_active(), second.is_active()), (false, false), "given back");
        assert!(!second.is_found_idle());
        round(Some(&mut first), Some(&mut second), true);
        assert_eq!((first.is_active(), second.is_active()), (true, false));
    }

    #[test]
    fn a_single_missed_answer_changes_nothing_and_a_cut_network_heals() {
        let (mut first, mut second) = (Takeover::new(false, 3), Takeover::new(true, 3));
        round(Some(&mut first), Some(&mut second), true);
        for up in [false, false, true, false, false, true] {
            round(Some(&mut first), Some(&mut second), up);
            assert_eq!((first.is_active(), second.is_active()), (true, false));
        }
        for _ in 0..3 {
            round(Some(&mut first), Some(&mut second), false);
        }
        assert_eq!((first.is_active(), second.is_active()), (true, true), "each believes itself alone");
        round(Some(&mut first), Some(&mut second), true);
        assert_eq!((first.is_active(), second.is_active()), (true, false));
        assert!(Takeover::alone().is_active());
    }

    proptest! {
        /// Whatever fails: once both are there and see each other, one of them reads, and it stays that one.
        #[test]
        fn after_any_failures_one_of_both_reads(
            failures in proptest::collection::vec((any::<bool>(), any::<bool>(), any::<bool>()), 0..60),
            limit in 1..5_u32,
        ) {
            let (mut first, mut second) = (Takeover::new(false, limit), Takeover::new(true, limit));
            for (is_first_up, is_second_up, has_link) in failures {
                if !is_first_up { first = Takeover::new(false, limit); }
                if !is_second_up { second = Takeover::new(true, limit); }
                round(is_first_up.then_some(&mut first), is_second_up.then_some(&mut second), has_link);
            }
            for _ in 0..2 * limit + 2 {
                round(Some(&mut first), Some(&mut second), true);
            }
            prop_assert!(first.is_active() && !second.is_active());
            round(Some(&mut first), Some(&mut second), true);
            prop_assert!(first.is_active() && !second.is_active());
        }
    }
}
