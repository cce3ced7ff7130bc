//! What comes again, at the wrong time or from the wrong side is refused, in a session.
//!
//! ```text
//! client                                     agent
//!   request 1, 2, 3 ...          ->            numbers rise
//!                                <-            reply (to 1) 1, notification 2, reply (to 2) 3 ...
//! ```
//!
//! Each side counts what it sends, and accepts only what the other side sends, with higher numbers than before: nothing can be
//! reflected, repeated or put into another order. A client may leave numbers out, as of a message that was refused. An agent leaves out
//! none: a gap is what somebody on the way has taken out. Each side has drawn a nonce, and accepts only what names that: neither takes a
//! session of before for this one.

use std::time::Duration;

use thiserror::Error;

use crate::header::{Direction, Header, Nonce, Place};
use crate::time::Time;

/// An end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// The one that sends requests.
    Client,
    /// The one that answers them.
    Agent,
}

/// Why an authentic message is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// It is for another session, or for a device.
    #[error("the message is for another session")]
    Session,
    /// It is for another device, or for a session.
    #[error("the message is not for this device")]
    Device,
    /// It has the direction of what this side sends.
    #[error("a {} is not accepted on this side", .0.name())]
    Direction(Direction),
    /// Its number is not higher than the last one.
    #[error("message {found} comes again, or late: the last one was {last}")]
    Number {
        /// Its number.
        found: u64,
        /// The highest before.
        last: u64,
    },
    /// Numbers of the agent are missing before its own.
    #[error(
        "message {found} came where message {expected} should have: what is missing was taken out on the way"
    )]
    Gap {
        /// Its number.
        found: u64,
        /// The one after the last.
        expected: u64,
    },
    /// It is a reply to a request that was not sent, or that has had its reply.
    #[error("a reply to request {found}, which is not open")]
    Reply {
        /// The request's number.
        found: u64,
    },
    /// Its time is outside of the window.
    #[error("the message is of {found}, more than {} s from {now}", WINDOW.as_secs())]
    Time {
        /// Its time.
        found: Time,
        /// The receiver's time.
        now: Time,
    },
    /// It has expired.
    #[error("the message expired at {expired}")]
    Expired {
        /// When.
        expired: Time,
    },
    /// It is valid for longer than a device keeps numbers.
    #[error("the message expires at {expires}, more than {} days after its time", .longest.as_secs() / 86_400)]
    TooLong {
        /// When it would expire.
        expires: Time,
        /// The longest validity.
        longest: Duration,
    },
    /// A message of this number by this key was accepted before.
    #[error("message {found} of this key was accepted before")]
    Seen {
        /// Its number.
        found: u64,
    },
    /// As many numbers are remembered as may be, and none has expired.
    #[error("no room for the number of another message until one expires: {limit} are remembered")]
    Full {
        /// How many there may be, of the key or of all.
        limit: usize,
    },
}

/// The state of one end of a session.
#[derive(Clone, Debug)]
pub struct Replay {
    /// What names this session in the messages to this side.
    ours: Nonce,
    /// What names it in those to the other side; `None`: it has not said so yet.
    theirs: Option<Nonce>,
    side: Side,
    /// The number of the last message that this side sealed.
    sent: u64,
    /// The number of the last one that was accepted.
    received: u64,
    /// The number of the last request that has had its reply.
    replied: u64,
}

impl Replay {
    /// A client's, before its first message, with its own nonce and the agent's.
    pub fn of_client(ours: Nonce, agents: Nonce) -> Self {
        Self { ours, theirs: Some(agents), side: Side::Client, sent: 0, received: 0, replied: 0 }
    }

    /// An agent's, before the first message of a client, with its own nonce.
    pub fn of_agent(ours: Nonce) -> Self {
        Self { ours, theirs: None, side: Side::Agent, sent: 0, received: 0, replied: 0 }
    }

    /// The other side has said its nonce, in a message that was accepted. Before that it accepts nothing from this side.
    pub fn meet(&mut self, theirs: Nonce) {
        self.theirs = Some(theirs);
    }

    /// The header of this side's next message, at this time. `in_reply_to` is the request's number in an agent's reply, and nothing
    /// in a request or a notification.
    pub fn next(&mut self, in_reply_to: Option<u64>, now: Time) -> Header {
        self.sent = self.sent.saturating_add(1);
        let direction = match (self.side, in_reply_to) {
            (Side::Client, _) => Direction::Request,
            (Side::Agent, Some(_)) => Direction::Reply,
            (Side::Agent, None) => Direction::Notification,
        };
        Header {
            direction,
            place: Place::Session(self.theirs.unwrap_or(self.ours)),
            number: self.sent,
            in_reply_to,
            time: now,
            expires: None,
            compression: None,
            role: None,
        }
    }

    /// Accepts an authentic message once.
    ///
    /// # Errors
    ///
    /// It is refused, and nothing has changed.
    pub fn accept(&mut self, header: &Header, now: Time) -> Result<(), ReplayError> {
        if (self.side == Side::Agent) != (header.direction == Direction::Request) {
            return Err(ReplayError::Direction(header.direction));
        }
        if header.place != Place::Session(self.ours) {
            return Err(ReplayError::Session);
        }
        if header.time.apart(now) > WINDOW {
            return Err(ReplayError::Time { found: header.time, now });
        }
        if header.number <= self.received {
            return Err(ReplayError::Number { found: header.number, last: self.received });
        }
        if let Some(found) = header.in_reply_to {
            // RFC 6241 section 4.5: requests are answered in their order.
            if found <= self.replied || found > self.sent {
                return Err(ReplayError::Reply { found });
            }
        }
        let expected = self.received + 1;
        if self.side == Side::Client && header.number != expected {
            return Err(ReplayError::Gap { found: header.number, expected });
        }
        self.replied = header.in_reply_to.unwrap_or(self.replied);
        self.received = header.number;
        Ok(())
    }
}

/// How far a message's time may be from the receiver's: that of SNMPv3 (RFC 3414 section 2.2.3).
pub(crate) const WINDOW: Duration = Duration::from_secs(150);

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Replay, ReplayError};
    use crate::header::{Direction, Nonce, Place};
    use crate::time::Time;

    const NOW: u64 = 1_795_852_200_000;

    fn at(seconds: i64) -> Time {
        Time::from_milliseconds(NOW.saturating_add_signed(seconds * 1000))
    }

    fn both() -> (Replay, Replay) {
        let (client, agent) = (Nonce([1; 16]), Nonce([2; 16]));
        let mut agents = Replay::of_agent(agent);
        agents.meet(client);
        (Replay::of_client(client, agent), agents)
    }

    #[test]
    fn a_session() {
        let (mut client, mut agent) = both();
        for expected in 1..4 {
            let request = client.next(None, at(0));
            assert_eq!((request.direction, request.number), (Direction::Request, expected));
            assert_eq!(agent.accept(&request, at(0)), Ok(()));
        }
        let (first, notification, second) =
            (agent.next(Some(1), at(1)), agent.next(None, at(1)), agent.next(Some(3), at(1)));
        assert_eq!((second.direction, second.number), (Direction::Reply, 3));
        assert_eq!(notification.direction, Direction::Notification);
        for header in [&first, &notification, &second] {
            assert_eq!(client.accept(header, at(1)), Ok(()));
        }
    }

    #[test]
    fn refused() {
        let (mut client, mut agent) = both();
        let (first, second, third) =
            (client.next(None, at(0)), client.next(None, at(0)), client.next(None, at(0)));
        assert_eq!(agent.accept(&second, at(0)), Ok(()));
        // again, and late
        assert_eq!(agent.accept(&second, at(0)), Err(ReplayError::Number { found: 2, last: 2 }));
        assert_eq!(agent.accept(&first, at(0)), Err(ReplayError::Number { found: 1, last: 2 }));
        // reflected: neither side accepts what it sends
        assert_eq!(client.accept(&third, at(0)), Err(ReplayError::Direction(Direction::Request)));
        let reply = agent.next(Some(2), at(0));
        assert_eq!(agent.accept(&reply, at(0)), Err(ReplayError::Direction(Direction::Reply)));
        let notification = agent.next(None, at(0));
        assert_eq!(agent.accept(&notification, at(0)), Err(ReplayError::Direction(Direction::Notification)));
        // another session, or a device
        let mut other = Replay::of_agent(Nonce([3; 16]));
        assert_eq!(other.accept(&third, at(0)), Err(ReplayError::Session));
        // what the agent said in a session of before, of which all else is the same
        let mut later = Replay::of_client(Nonce([4; 16]), Nonce([2; 16]));
        let same = later.next(None, at(0));
        assert_eq!((same.place, same.number), (third.place.clone(), 1));
        assert_eq!(later.accept(&agent.clone().next(Some(1), at(0)), at(0)), Err(ReplayError::Session));
        // an agent that does not know its client's nonce yet
        let stranger = Replay::of_agent(Nonce([2; 16])).next(Some(1), at(0));
        assert_eq!(client.accept(&stranger, at(0)), Err(ReplayError::Session));
        let mut stored = third.clone();
        stored.place = Place::Device("router".parse().unwrap());
        assert_eq!(agent.accept(&stored, at(0)), Err(ReplayError::Session));
        // replies to what was not asked, and a second reply
        let mut forged = reply.clone();
        forged.in_reply_to = Some(4);
        assert_eq!(client.accept(&forged, at(0)), Err(ReplayError::Reply { found: 4 }));
        assert_eq!(client.accept(&reply, at(0)), Ok(()));
        let again = agent.next(Some(2), at(0));
        assert_eq!(client.accept(&again, at(0)), Err(ReplayError::Reply { found: 2 }));
        // what was refused has changed nothing
        assert_eq!(agent.accept(&third, at(0)), Ok(()));
    }

    #[test]
    fn what_an_agent_has_sent_and_did_not_arrive_is_missed() {
        let (mut client, mut agent) = both();
        let request = client.next(None, at(0));
        assert_eq!(agent.accept(&request, at(0)), Ok(()));
        let [first, lost, third] = [Some(1), None, None].map(|it| agent.next(it, at(0)));
        assert_eq!(client.accept(&first, at(0)), Ok(()));
        assert_eq!(client.accept(&third, at(0)), Err(ReplayError::Gap { found: 3, expected: 2 }));
        // what was refused has changed nothing
        assert_eq!(client.accept(&lost, at(0)), Ok(()));
        assert_eq!(client.accept(&third, at(0)), Ok(()));
        // the first message of a session too
        let mut other = Replay::of_client(Nonce([1; 16]), Nonce([2; 16]));
        let _request = other.next(None, at(0));
        assert_eq!(other.accept(&lost, at(0)), Err(ReplayError::Gap { found: 2, expected: 1 }));
    }

    #[test]
    fn the_window() {
        for (seconds, accepted) in [(-151, false), (-150, true), (150, true), (151, false)] {
            let (mut client, mut agent) = both();
            let request = client.next(None, at(0));
            let expected =
                if accepted { Ok(()) } else { Err(ReplayError::Time { found: at(0), now: at(seconds) }) };
            assert_eq!(agent.accept(&request, at(seconds)), expected, "{seconds}");
        }
        assert_eq!(at(0).apart(at(-150)), Duration::from_secs(150));
    }
}
