//! Reports why messages and sessions are refused, of each at most one line a second: their senders must not fill a log.

use std::time::{Duration, Instant};

use trunkline_client::{ListenCounts, Listened, RefusedMessage, RefusedSession, SessionFault};
use trunkline_smi::visible;

use crate::connect::say;

/// The lines so far.
#[derive(Default)]
pub(super) struct Refusals {
    messages: Lines,
    sessions: Lines,
}

/// The time of the last line of a kind, and how many refusals there had been by then.
#[derive(Default)]
struct Lines(Option<(Instant, u64)>);

impl Lines {
    /// Whether a line may be written: how many refusals were left out since the one before, of so many in all.
    fn admit(&mut self, all: u64, now: Instant) -> Option<String> {
        if self.0.is_some_and(|(at, _)| now.duration_since(at) < BETWEEN) {
            return None;
        }
        let others = all.saturating_sub(self.0.map_or(0, |(_, count)| count) + 1);
        self.0 = Some((now, all));
        Some(if others == 0 { String::new() } else { format!(" (and {others} more)") })
    }
}

impl Refusals {
    /// Writes a line about it, if it is time for one.
    pub(super) fn tell(&mut self, refused: &Listened, counts: &ListenCounts) {
        if let Some(words) = self.words(refused, counts, Instant::now()) {
            say(&words);
        }
    }

    fn words(&mut self, refused: &Listened, counts: &ListenCounts, now: Instant) -> Option<String> {
        match refused {
            Listened::Refused(RefusedMessage { peer, transport, why }) => {
                let more = self.messages.admit(
                    counts.refused + counts.malformed + counts.below_level + counts.not_admitted,
                    now,
                )?;
                Some(format!("refused a message from {}://{peer}: {}{more}", transport.name(), visible(why)))
            }
            Listened::NoSession(RefusedSession { peer, transport, fault, why }) => {
                let more = self.sessions.admit(counts.strangers + counts.unauthenticated, now)?;
                let (scheme, why) = (transport.name(), visible(why));
                Some(format!("no session with {scheme}://{peer}: {why}; {}{more}", advice(*fault)))
            }
            _ => None,
        }
    }
}

/// What to do about it.
fn advice(fault: SessionFault) -> &'static str {
    match fault {
        SessionFault::TheirCertificate => {
            "the sender needs a valid certificate of an authority that --authorities names here"
        }
        SessionFault::NoCertificate => "the sender must show one: --certificate and --key there",
        SessionFault::OurCertificate => {
            "the sender must trust the authority of our certificate (--authorities there) and use a name that it has"
        }
        SessionFault::Login => "--ssh-users must have the sender's public key, as USER.pub",
        _ => "it needs a common name of an authority that --authorities names here",
    }
}

/// The least time between two lines of a kind.
const BETWEEN: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_client::Transport;

    #[test]
    fn refusals_are_printed_once_a_second_and_others_counted() {
        let refused = Listened::Refused(RefusedMessage {
            peer: ([127, 0, 0, 1], 9).into(),
            transport: Transport::Udp,
            why: "unknown user\nx".to_owned(),
        });
        let session = Listened::NoSession(RefusedSession {
            peer: ([127, 0, 0, 1], 9).into(),
            transport: Transport::Tls,
            fault: SessionFault::NoCertificate,
            why: "none\n".to_owned(),
        });
        let (mut refusals, now) = (Refusals::default(), Instant::now());
        let counts = ListenCounts { unauthenticated: 3, ..ListenCounts::default() };
        let line = refusals.words(&session, &counts, now).unwrap();
        assert!(
            line.starts_with("no session with tls://127.0.0.1:9: none\\n; the sender must show one"),
            "{line}"
        );
        assert!(line.ends_with("(and 2 more)"), "{line}");
        assert_eq!(refusals.words(&session, &counts, now), None);
        let mut words = |count, after| {
            let counts = ListenCounts { refused: count, ..ListenCounts::default() };
            refusals.words(&refused, &counts, now + Duration::from_millis(after))
        };
        assert_eq!(words(1, 0).unwrap(), "refused a message from udp://127.0.0.1:9: unknown user\\nx");
        assert_eq!(words(2, 999), None);
        assert!(words(7, 1000).unwrap().ends_with("(and 5 more)"));
        assert_eq!(words(8, 1500), None);
        assert!(words(8, 2500).unwrap().ends_with("x"));
    }
}
