//! One stream of a protocol that keeps its own order: octets in, octets out, and a deadline for everything that the
//! peer could delay. What it holds while it waits counts with what all other connections hold.

use std::future::{Future, poll_fn};
use std::io;
use std::mem::MaybeUninit;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::Closing;
use crate::counters::{add, count};
use crate::resources::{Account, STALLED};
use crate::service::Visit;
use crate::stream::{Stream, part};
use crate::tcp::{TcpCounters, TcpLimits};

/// A stream under limits.
pub struct Talk {
    stream: Box<dyn Stream>,
    visit: Visit,
    limits: TcpLimits,
    account: Account,
    /// Until the program ends. It and the alarm are waited for again and again.
    closed: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    alarm: Alarm,
    /// When the peer last completed a message, or the session began.
    last_message: Instant,
    /// Whether its silence ends nothing.
    is_unlimited: bool,
    /// What is sent before anything is waited for.
    soon: Vec<u8>,
}

/// Why a session cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Parted {
    /// The peer has ended its side.
    #[error("the peer has ended the session")]
    Finished,
    /// It did so within a message.
    #[error("the peer has ended the session within a message")]
    CutShort,
    /// No message for too long.
    #[error("the peer was silent for too long")]
    Idle,
    /// A message took too long to arrive.
    #[error("a message took too long to arrive")]
    SlowMessage,
    /// The peer reads nothing of what it was sent.
    #[error("the peer did not read its answer")]
    SlowReader,
    /// Memory for what waits is short, and this peer has kept it longest.
    #[error("the peer was slow while memory was short")]
    GaveWay,
    /// The program is shutting down.
    #[error("the agent is ending")]
    Closing,
    /// It sends on and on, and does not wait for its answer.
    #[error("the peer did not wait for its answer")]
    Ahead,
    /// The stream failed.
    #[error("the connection failed")]
    Failed,
}

impl Talk {
    /// With a peer whose stream has just begun, under these limits.
    #[must_use]
    pub fn new(stream: Box<dyn Stream>, visit: Visit, limits: TcpLimits, closing: Closing) -> Self {
        let account = Account::new(visit.resources.waiting.clone(), visit.standing.clone());
        let closed: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(closing.closed());
        let (closed, alarm) = (Some(closed), Alarm::default());
        let (last_message, is_unlimited, soon) = (Instant::now(), false, Vec::new());
        Self { stream, visit, limits, account, closed, alarm, last_message, is_unlimited, soon }
    }

    /// Waits for octets and appends them; what is to be sent soon has been sent ([`Talk::flush`]). `since`: when the message that has begun did so; none between messages.
    /// `held`: octets that are kept of it elsewhere.
    ///
    /// # Errors
    /// The session cannot go on.
    pub async fn receive(
        &mut self,
        input: &mut Vec<u8>,
        since: Option<Instant>,
        held: usize,
    ) -> Result<(), Parted> {
        debug_assert!(self.soon.is_empty(), "the peer waits for what is to be sent soon");
        let (deadline, end) = match since {
            Some(since) => (since + self.limits.message_time, Parted::SlowMessage),
            None => (self.last_message + self.idle_limit(), Parted::Idle),
        };
        let waited = self.last_message;
        // Counted before more is read, and until the message is complete: a peer that sends fast holds as much as a slow one.
        if self.account.hold(held + input.capacity(), since.unwrap_or(waited)).is_err() {
            return self.counted(Err(Parted::GaveWay));
        }
        let Self { stream, account, closed, alarm, .. } = self;
        let read = poll_fn(|cx| {
            let waits_for_room = !account.is_empty() && account.is_short();
            if account.poll_gives_way(cx, waits_for_room).is_ready() {
                return Poll::Ready(Err(Parted::GaveWay));
            }
            if !waits_for_room && let Poll::Ready(read) = read_some(stream, cx, input) {
                return Poll::Ready(read.map_err(|_| Parted::Failed));
            }
            if closed.as_mut().is_none_or(|closed| closed.as_mut().poll(cx).is_ready()) {
                *closed = None;
                return Poll::Ready(Err(Parted::Closing));
            }
            alarm.poll(cx, deadline).map(|()| Err(end))
        });
        let read = read.await;
        let octets = self.counted(read)?;
        add(&self.visit.counters.received_octets, octets);
        match (octets, since) {
            (0, None) => Err(Parted::Finished),
            (0, Some(_)) => self.counted(Err(Parted::CutShort)),
            _ => Ok(()),
        }
    }

    /// Waits for the peer to end the session while an answer is made that may take long. What it sends meanwhile is appended; more
    /// octets than a peer may send ahead end the session, since its end could not be seen behind them.
    pub async fn until_gone(&mut self, input: &mut Vec<u8>, ahead: usize) -> Parted {
        let stream = &mut self.stream;
        let mut octets = 0;
        let gone = poll_fn(|cx| {
            while input.len() < ahead {
                match read_some(stream, cx, input) {
                    Poll::Ready(Ok(0)) => return Poll::Ready(Parted::Finished),
                    Poll::Ready(Ok(read)) => octets += read,
                    Poll::Ready(Err(_)) => return Poll::Ready(Parted::Failed),
                    Poll::Pending => return Poll::Pending,
                }
            }
            Poll::Ready(Parted::Ahead)
        });
        let gone = gone.await;
        add(&self.visit.counters.received_octets, octets);
        self.counted::<()>(Err(gone)).err().unwrap_or(gone)
    }

    /// The peer is known now: its connection does not give way to newer ones any more.
    pub fn accept(&self) {
        self.visit.accept();
    }

    /// The peer has sent a whole message. `is_known`: whether somebody has said who it is.
    pub fn heard(&mut self, is_known: bool) {
        self.last_message = Instant::now();
        self.account.release();
        count(&self.visit.counters.received);
        self.visit.speaks();
        if is_known {
            self.visit.accept();
        }
    }

    /// Whether the peer may send nothing for as long as it likes.
    pub const fn may_be_silent(&mut self, may: bool) {
        self.is_unlimited = may;
    }

    /// Sends octets with what follows, at [`Talk::flush`] at the latest: answers to requests that came together leave together.
    ///
    /// # Errors
    /// The session cannot go on.
    pub async fn send_soon(&mut self, octets: Vec<u8>) -> Result<(), Parted> {
        match self.soon.is_empty() {
            true => self.soon = octets,
            false => self.soon.extend_from_slice(&octets),
        }
        if self.soon.len() < SOON { Ok(()) } else { self.flush().await }
    }

    /// Sends what is to be sent soon.
    ///
    /// # Errors
    /// The session cannot go on.
    pub async fn flush(&mut self) -> Result<(), Parted> {
        let soon = std::mem::take(&mut self.soon);
        if soon.is_empty() { Ok(()) } else { self.send_now(&soon, 0).await }
    }

    /// Sends octets, as fast as the peer reads them. `held`: octets that are kept beside these meanwhile.
    ///
    /// # Errors
    /// The session cannot go on.
    pub async fn send(&mut self, octets: &[u8], held: usize) -> Result<(), Parted> {
        self.flush().await?;
        self.send_now(octets, held).await
    }

    /// So many octets are kept of an answer that is being made: they count as those do that wait for the peer, but for the time that making it takes, which is
    /// not the peer's.
    ///
    /// # Errors
    /// There is no room for them.
    pub fn keep(&mut self, octets: usize) -> Result<(), Parted> {
        let kept = self.account.hold(octets, Instant::now());
        match kept.is_err() || self.account.has_given_way() {
            true => self.counted(Err(Parted::GaveWay)),
            false => Ok(()),
        }
    }

    /// The most octets that it may keep.
    #[must_use]
    pub fn most_kept(&self) -> usize {
        self.account.most()
    }

    async fn send_now(&mut self, mut octets: &[u8], held: usize) -> Result<(), Parted> {
        while !octets.is_empty() {
            let waiting = octets.len() + held;
            let wrote = self.waiting(waiting, |stream, cx| Pin::new(stream).poll_write(cx, octets)).await;
            match self.counted(wrote)? {
                0 => return self.counted(Err(Parted::Failed)),
                wrote => {
                    add(&self.visit.counters.sent_octets, wrote);
                    octets = &octets[wrote..];
                }
            }
        }
        let flushed = self.waiting(held, |stream, cx| Pin::new(stream).poll_flush(cx)).await;
        self.counted(flushed)?;
        self.last_message = Instant::now();
        Ok(())
    }

    /// A whole message was sent.
    pub fn said(&self) {
        count(&self.visit.counters.sent);
    }

    /// The octets from the peer were no message. `Some`: the log has room for a line about that, and so many before it were left
    /// out.
    pub fn misunderstood(&self) -> Option<u32> {
        count(&self.visit.counters.framing_errors);
        self.visit.resources.logs.refusals.admit()
    }

    /// Ends the stream in order, and waits a moment for the peer to do so.
    pub async fn part(mut self) {
        // An error is an end as well.
        let _ = self.flush().await;
        part(self.stream).await;
    }

    /// Does something that is done when the peer reads.
    async fn waiting<T>(
        &mut self,
        held: usize,
        mut act: impl FnMut(&mut Box<dyn Stream>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Result<T, Parted> {
        // Mostly the peer reads, and nothing need be measured.
        if let Poll::Ready(done) = poll_fn(|cx| Poll::Ready(act(&mut self.stream, cx))).await {
            self.account.release();
            return done.map_err(|_| Parted::Failed);
        }
        let since = Instant::now();
        let mut alarm = pin!(sleep_until(since + self.limits.write_time));
        let (stream, account) = (&mut self.stream, &mut self.account);
        let done = poll_fn(|cx| {
            if let Poll::Ready(done) = act(stream, cx) {
                return Poll::Ready(done.map_err(|_| Parted::Failed));
            }
            let is_over = account.hold(held + STALLED, since).is_err();
            if is_over || account.poll_gives_way(cx, false).is_ready() {
                return Poll::Ready(Err(Parted::GaveWay));
            }
            alarm.as_mut().poll(cx).map(|()| Err(Parted::SlowReader))
        });
        let done = done.await?;
        self.account.release();
        Ok(done)
    }

    fn idle_limit(&self) -> Duration {
        let TcpLimits { idle, first_message, .. } = self.limits;
        if self.is_unlimited {
            return UNLIMITED;
        }
        if self.visit.has_spoken() { idle } else { idle.min(first_message) }
    }

    /// The same; an end is counted.
    fn counted<T>(&self, outcome: Result<T, Parted>) -> Result<T, Parted> {
        if let Err(parted) = &outcome
            && let Some(counter) = parted.counter(&self.visit.counters)
        {
            count(counter);
        }
        outcome
    }
}

/// A timer for deadlines that mostly move away: it is set anew when it has gone off too early, or when a deadline is nearer.
#[derive(Default)]
struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    /// Ready when this moment has come.
    fn poll(&mut self, cx: &mut Context<'_>, deadline: Instant) -> Poll<()> {
        let timer = self.0.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() > deadline {
            timer.as_mut().reset(deadline);
        }
        loop {
            ready!(timer.as_mut().poll(cx));
            if timer.deadline() >= deadline {
                return Poll::Ready(());
            }
            timer.as_mut().reset(deadline);
        }
    }
}

impl Parted {
    const fn counter(self, counters: &TcpCounters) -> Option<&std::sync::atomic::AtomicU64> {
        Some(match self {
            Self::Finished | Self::Closing => return None,
            Self::CutShort => &counters.cut_short,
            Self::Idle => &counters.idle_closed,
            Self::SlowMessage => &counters.slow_messages,
            Self::SlowReader | Self::GaveWay => &counters.slow_readers,
            Self::Ahead => &counters.framing_errors,
            Self::Failed => &counters.io_errors,
        })
    }

    /// Whether the stream still works, so that it can be ended in order.
    #[must_use]
    pub const fn is_orderly(self) -> bool {
        !matches!(self, Self::SlowReader | Self::GaveWay | Self::Failed)
    }
}

/// Reads through the stack, so that waiting for octets holds no buffer.
fn read_some(
    stream: &mut Box<dyn Stream>,
    cx: &mut Context<'_>,
    input: &mut Vec<u8>,
) -> Poll<io::Result<usize>> {
    let mut stack = [const { MaybeUninit::<u8>::uninit() }; 8192];
    let mut buffer = ReadBuf::uninit(&mut stack);
    Pin::new(stream).poll_read(cx, &mut buffer).map_ok(|()| {
        input.extend_from_slice(buffer.filled());
        buffer.filled().len()
    })
}

impl std::fmt::Debug for Talk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Talk").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// So many octets are sent at once: a packet of SSH.
const SOON: usize = 32 << 10;

/// As good as for ever.
const UNLIMITED: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    fn talk(limits: TcpLimits) -> (Talk, tokio::io::DuplexStream, Visit) {
        let (ours, theirs) = tokio::io::duplex(64);
        let visit = Visit::new(limits);
        (Talk::new(Box::new(ours), visit.clone(), limits, Closing::default()), theirs, visit)
    }

    #[tokio::test]
    async fn a_peer_that_goes_while_its_answer_is_made_is_noticed() {
        let (mut talk, mut peer, _) = talk(TcpLimits::default());
        peer.write_all(b"ahead").await.unwrap();
        drop(peer);
        let mut input = Vec::new();
        assert_eq!(talk.until_gone(&mut input, 100).await, Parted::Finished);
        assert_eq!(input, b"ahead");
        // What is sent ahead is not read without end.
        assert_eq!(talk.until_gone(&mut vec![0; 100], 100).await, Parted::Ahead);
    }

    #[tokio::test]
    async fn what_is_kept_of_an_answer_counts() {
        let (mut talk, _peer, visit) = talk(TcpLimits::default());
        assert_eq!(talk.keep(1 << 20), Ok(()));
        assert_eq!(visit.resources.waiting().used(), 1 << 20);
        assert_eq!(talk.keep(crate::resources::DEFAULT_WAITING), Err(Parted::GaveWay));
        talk.heard(true);
        assert_eq!(visit.resources.waiting().used(), 0);
    }

    #[tokio::test]
    async fn octets_go_both_ways() {
        let (mut talk, mut peer, visit) = talk(TcpLimits::default());
        peer.write_all(b"hello").await.unwrap();
        let mut input = Vec::new();
        assert_eq!(talk.receive(&mut input, None, 0).await, Ok(()));
        assert_eq!(input, b"hello");
        talk.heard(true);
        let reading = tokio::spawn(async move {
            let mut all = vec![0; 1000];
            peer.read_exact(&mut all).await.unwrap();
            all
        });
        // More than the stream holds at a time.
        assert_eq!(talk.send(&[7; 1000], 0).await, Ok(()));
        talk.said();
        assert_eq!(reading.await.unwrap(), [7; 1000]);
        let counts = visit.counters.read();
        assert_eq!((counts.received_octets, counts.sent_octets), (5, 1000));
        assert_eq!((counts.received, counts.sent), (1, 1));
        // The peer is gone with its task.
        assert_eq!(talk.receive(&mut input, None, 0).await, Err(Parted::Finished));
        assert_eq!(talk.receive(&mut input, Some(Instant::now()), 0).await, Err(Parted::CutShort));
    }

    #[tokio::test]
    async fn what_is_sent_soon_is_sent_before_anything_else() {
        let (mut talk, mut peer, _) = talk(TcpLimits::default());
        let mut input = Vec::new();
        let mut read = [0; 6];
        talk.send_soon(b"a".to_vec()).await.unwrap();
        talk.send_soon(b"b".to_vec()).await.unwrap();
        talk.send(b"c", 0).await.unwrap();
        talk.send_soon(b"d".to_vec()).await.unwrap();
        peer.write_all(b"request").await.unwrap();
        talk.flush().await.unwrap();
        talk.receive(&mut input, None, 0).await.unwrap();
        talk.send_soon(b"e".to_vec()).await.unwrap();
        talk.flush().await.unwrap();
        talk.send_soon(b"f".to_vec()).await.unwrap();
        let ending = tokio::spawn(talk.part());
        peer.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"abcdef");
        drop(peer);
        ending.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_delays_is_left() {
        let (mut slow, _peer, visit) = talk(TcpLimits::default());
        assert_eq!(slow.receive(&mut Vec::new(), None, 0).await, Err(Parted::Idle));
        slow.heard(true);
        let begun = Instant::now();
        assert_eq!(slow.receive(&mut Vec::new(), None, 0).await, Err(Parted::Idle));
        // After a message the limit is another one.
        assert_eq!(begun.elapsed().as_secs(), TcpLimits::default().idle.as_secs());
        let since = Some(Instant::now());
        assert_eq!(slow.receive(&mut vec![1], since, 0).await, Err(Parted::SlowMessage));
        assert_eq!(slow.send(&[0; 1000], 0).await, Err(Parted::SlowReader));
        let counts = visit.counters.read();
        assert_eq!((counts.idle_closed, counts.slow_messages, counts.slow_readers), (2, 1, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn each_message_moves_the_limit_of_silence() {
        let (mut talk, mut peer, _) = talk(TcpLimits::default());
        let TcpLimits { idle, message_time, .. } = TcpLimits::default();
        talk.heard(true);
        let mut input = Vec::new();
        for _ in 0..5 {
            let sending = async {
                tokio::time::sleep(idle * 2 / 3).await;
                peer.write_all(b"a").await.unwrap();
            };
            let (received, ()) = tokio::join!(talk.receive(&mut input, None, 0), sending);
            assert_eq!(received, Ok(()));
            talk.heard(true);
        }
        // A nearer limit, while the timer is set for the other.
        let begun = Instant::now();
        assert_eq!(talk.receive(&mut input, Some(begun), 0).await, Err(Parted::SlowMessage));
        assert_eq!(begun.elapsed().as_secs(), message_time.as_secs());
        talk.heard(true);
        let begun = Instant::now();
        assert_eq!(talk.receive(&mut input, None, 0).await, Err(Parted::Idle));
        assert_eq!(begun.elapsed().as_secs(), idle.as_secs());
    }

    #[tokio::test]
    async fn a_session_ends_with_the_program() {
        let (ours, _theirs) = tokio::io::duplex(64);
        let closing = Closing::default();
        let limits = TcpLimits::default();
        let mut talk = Talk::new(Box::new(ours), Visit::new(limits), limits, closing.clone());
        closing.close();
        for _ in 0..2 {
            assert_eq!(talk.receive(&mut Vec::new(), None, 0).await, Err(Parted::Closing));
        }
        assert!(Parted::Closing.is_orderly() && !Parted::SlowReader.is_orderly());
    }

    #[tokio::test]
    async fn what_waits_counts_with_all_that_waits() {
        let resources = std::sync::Arc::new(crate::Resources::new(100_000));
        let visit = Visit { resources: resources.clone(), ..Visit::default() };
        let (ours, _theirs) = tokio::io::duplex(64);
        let limits = TcpLimits::default();
        let mut talk = Talk::new(Box::new(ours), visit, limits, Closing::default());
        // More than one connection's share.
        assert_eq!(talk.send(&[0; 200_000], 0).await, Err(Parted::GaveWay));
    }
}
