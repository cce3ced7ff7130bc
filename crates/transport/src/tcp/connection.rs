//! One connection: octets in, messages to the handler, answers out, and a
//! deadline for each thing that a peer could keep waiting for.
//!
//! It is one task. Answers that are ready at once never leave it; slow ones are
//! tasks of their own, so that several requests are in flight and their answers
//! go out as they come (RFC 3430 section 2.3 leaves the order open).

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep_until};

use super::counters::{TcpCounters, add, count};
use super::limits::{Framer, TcpLimits};

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerInfo {
    /// The peer's address and port.
    pub peer: SocketAddr,
    /// Our address and port.
    pub local: SocketAddr,
}

/// What answers messages that come over streams.
pub trait TcpHandler: Send + Sync + 'static {
    /// Answers one whole message, or stays silent with `None`.
    fn handle(&self, message: Vec<u8>, peer: PeerInfo) -> impl Future<Output = Option<Vec<u8>>> + Send;
}

impl<F, Fut> TcpHandler for F
where
    F: Fn(Vec<u8>, PeerInfo) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Option<Vec<u8>>> + Send,
{
    fn handle(&self, message: Vec<u8>, peer: PeerInfo) -> impl Future<Output = Option<Vec<u8>>> + Send {
        self(message, peer)
    }
}

/// Serves one stream until the peer ends it, breaks a limit or sends something
/// that is no message. Why it ended is counted.
pub async fn serve_stream<S, H>(
    stream: S,
    info: PeerInfo,
    handler: Arc<H>,
    framer: Framer,
    limits: TcpLimits,
    counters: Arc<TcpCounters>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
    H: TcpHandler,
{
    let now = Instant::now();
    let mut connection = Connection {
        stream,
        info,
        handler,
        framer,
        limits,
        input: Vec::new(),
        output: VecDeque::new(),
        waiting: 0,
        in_flight: JoinSet::new(),
        last_message: now,
        message_since: None,
        write_since: now,
        ended: false,
        counters,
    };
    let end = connection.run().await;
    if let Some(counter) = end.counter(&connection.counters) {
        count(counter);
    }
}

/// Why a connection is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Finished,
    CutShort,
    Framing,
    TooLong,
    Idle,
    SlowMessage,
    SlowReader,
    Panicked,
    Failed,
}

impl End {
    const fn counter(self, counters: &TcpCounters) -> Option<&AtomicU64> {
        Some(match self {
            Self::Finished => return None,
            Self::CutShort => &counters.cut_short,
            Self::Framing => &counters.framing_errors,
            Self::TooLong => &counters.too_long,
            Self::Idle => &counters.idle_closed,
            Self::SlowMessage => &counters.slow_messages,
            Self::SlowReader => &counters.slow_readers,
            Self::Panicked => &counters.panics,
            Self::Failed => &counters.io_errors,
        })
    }
}

struct Connection<S, H> {
    stream: S,
    info: PeerInfo,
    handler: Arc<H>,
    framer: Framer,
    limits: TcpLimits,
    /// Octets read and not yet handled. Holds no memory while empty, so that an
    /// idle connection costs only its task.
    input: Vec<u8>,
    /// Answers in the order they go out; the first may be partly written.
    output: VecDeque<Answer>,
    /// Octets in `output` still to write.
    waiting: usize,
    in_flight: JoinSet<Option<Vec<u8>>>,
    last_message: Instant,
    /// When the half-received message at the start of `input` began.
    message_since: Option<Instant>,
    /// When the peer last took an octet, or the output began to wait.
    write_since: Instant,
    /// The peer ended its side; what it asked is still answered.
    ended: bool,
    counters: Arc<TcpCounters>,
}

struct Answer {
    octets: Vec<u8>,
    written: usize,
}

enum Event {
    Read(usize),
    Wrote(usize),
    Answered(Result<Option<Vec<u8>>, tokio::task::JoinError>),
    Failed(io::Error),
    DeadlinePassed,
}

impl<S, H> Connection<S, H>
where
    S: AsyncRead + AsyncWrite + Unpin,
    H: TcpHandler,
{
    async fn run(&mut self) -> End {
        let mut alarm = pin!(sleep_until(Instant::now() + self.limits.idle));
        loop {
            if self.ended && self.output.is_empty() && self.in_flight.is_empty() {
                return if self.input.is_empty() { End::Finished } else { End::CutShort };
            }
            let (deadline, end) = self.deadline();
            if alarm.deadline() != deadline {
                alarm.as_mut().reset(deadline);
            }
            let could_read = self.may_read();
            let event = poll_fn(|cx| self.poll_event(cx, alarm.as_mut())).await;
            let handled = match event {
                Event::Read(octets) => self.on_read(octets).await,
                Event::Wrote(octets) => self.on_wrote(octets).await,
                Event::Answered(Ok(answer)) => self.on_answer(answer).await,
                Event::Answered(Err(_)) => Err(End::Panicked),
                Event::Failed(error) => {
                    tracing::debug!(peer = %self.info.peer, %error, "connection failed");
                    Err(End::Failed)
                }
                Event::DeadlinePassed => Err(end),
            };
            if let Err(end) = handled {
                return end;
            }
            if !could_read && self.message_since.is_some() {
                // While we did not read, the peer could not go on.
                self.message_since = Some(Instant::now());
            }
        }
    }

    /// Octets are read only while what they ask for can be taken in.
    fn may_read(&self) -> bool {
        !self.ended && self.has_room()
    }

    /// Whether another request may be taken on.
    fn has_room(&self) -> bool {
        self.in_flight.len() < self.limits.max_in_flight && self.waiting <= self.limits.max_output
    }

    /// The next time at which patience ends, and with what.
    fn deadline(&self) -> (Instant, End) {
        let far = Instant::now() + Duration::from_secs(86_400);
        let mut next = (far, End::Idle);
        let mut consider = |at: Instant, end| {
            if at < next.0 {
                next = (at, end);
            }
        };
        if !self.output.is_empty() {
            consider(self.write_since + self.limits.write_time, End::SlowReader);
        }
        if self.may_read() {
            if let Some(since) = self.message_since {
                consider(since + self.limits.message_time, End::SlowMessage);
            }
            if self.in_flight.is_empty() && self.output.is_empty() {
                consider(self.last_message + self.limits.idle, End::Idle);
            }
        }
        next
    }

    fn poll_event(&mut self, cx: &mut Context<'_>, alarm: Pin<&mut Sleep>) -> Poll<Event> {
        if let Some(answer) = self.output.front()
            && let Poll::Ready(wrote) =
                Pin::new(&mut self.stream).poll_write(cx, &answer.octets[answer.written..])
        {
            return Poll::Ready(match wrote {
                Ok(0) => Event::Failed(io::ErrorKind::WriteZero.into()),
                Ok(octets) => Event::Wrote(octets),
                Err(error) => Event::Failed(error),
            });
        }
        if let Poll::Ready(Some(joined)) = self.in_flight.poll_join_next(cx) {
            return Poll::Ready(Event::Answered(joined));
        }
        if self.may_read()
            && let Poll::Ready(read) = self.poll_read(cx)
        {
            return Poll::Ready(read.map_or_else(Event::Failed, Event::Read));
        }
        alarm.poll(cx).map(|()| Event::DeadlinePassed)
    }

    /// Reads through the stack, so that waiting for octets holds no buffer.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut stack = [0u8; 8192];
        let mut buffer = ReadBuf::new(&mut stack);
        Pin::new(&mut self.stream).poll_read(cx, &mut buffer).map_ok(|()| {
            self.input.extend_from_slice(buffer.filled());
            buffer.filled().len()
        })
    }

    async fn on_read(&mut self, octets: usize) -> Result<(), End> {
        self.ended |= octets == 0;
        add(&self.counters.received_octets, octets);
        self.take_messages().await
    }

    /// Cuts whole messages off the input, as far as the limits let them in.
    async fn take_messages(&mut self) -> Result<(), End> {
        let mut used = 0;
        let mut incomplete = false;
        while used < self.input.len() && self.has_room() {
            let rest = &self.input[used..];
            let len = match (self.framer)(rest) {
                Err(_) | Ok(Some(0)) => return Err(End::Framing),
                Ok(Some(len)) if len > self.limits.max_message => return Err(End::TooLong),
                Ok(None) if rest.len() > self.limits.max_message => return Err(End::TooLong),
                Ok(Some(len)) if len <= rest.len() => len,
                Ok(_) => {
                    incomplete = true;
                    break;
                }
            };
            let message = rest[..len].to_vec();
            used += len;
            self.last_message = Instant::now();
            self.handle(message).await;
        }
        self.input.drain(..used);
        if self.input.is_empty() {
            self.input = Vec::new();
        }
        match (incomplete, used) {
            (true, 0) => drop(self.message_since.get_or_insert_with(Instant::now)),
            (true, _) => self.message_since = Some(Instant::now()),
            (false, _) => self.message_since = None,
        }
        Ok(())
    }

    /// Polls the handler once here; only what is not ready at once gets a task.
    async fn handle(&mut self, message: Vec<u8>) {
        count(&self.counters.received);
        let (handler, info) = (Arc::clone(&self.handler), self.info);
        let mut answer = Box::pin(async move { handler.handle(message, info).await });
        match poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await {
            Poll::Ready(Some(octets)) => self.queue(octets),
            Poll::Ready(None) => {}
            Poll::Pending => drop(self.in_flight.spawn(answer)),
        }
    }

    fn queue(&mut self, octets: Vec<u8>) {
        if octets.is_empty() {
            return;
        }
        if self.output.is_empty() {
            self.write_since = Instant::now();
        }
        count(&self.counters.sent);
        self.waiting += octets.len();
        self.output.push_back(Answer { octets, written: 0 });
    }

    async fn on_answer(&mut self, answer: Option<Vec<u8>>) -> Result<(), End> {
        if let Some(octets) = answer {
            self.queue(octets);
        }
        self.last_message = Instant::now();
        // A place is free: messages may wait in the input for it.
        self.take_messages().await
    }

    async fn on_wrote(&mut self, octets: usize) -> Result<(), End> {
        add(&self.counters.sent_octets, octets);
        self.write_since = Instant::now();
        self.waiting -= octets;
        if let Some(answer) = self.output.front_mut() {
            answer.written += octets;
            if answer.written == answer.octets.len() {
                self.output.pop_front();
            }
        }
        if self.input.is_empty() { Ok(()) } else { self.take_messages().await }
    }
}
