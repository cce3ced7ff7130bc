//! One connection: octets in, messages to the handler, answers out, and a deadline for everything that a peer
//! could delay.
//!
//! It is one task. Answers that are ready at once never leave it; slow ones are separate tasks, so that several
//! requests are in flight and their answers are sent as they become ready (RFC 3430 section 2.3 leaves the order
//! open).

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

use super::counters::TcpCounters;
use super::limits::{Framer, TcpLimits};
use super::output::{Output, PIECE};
use crate::counters::{add, count};
use crate::handshake::HandshakeError;
use crate::register::Standing;
use crate::resources::{Account, Exhausted, STALLED, Work};
use crate::service::{Guest, StreamService, Visit};
use crate::session::{Proof, Reply, SessionHandler, SessionInfo};
use crate::stream::Stream;
use crate::{Closing, Transport};

/// Serves streams of messages, each of which has at most one answer, until the peer ends the stream, exceeds a
/// limit or sends something that is not a message. The reason for the end is counted. A handler that refuses the
/// session ends it at once.
pub struct Messages<H> {
    handler: Arc<H>,
    framer: Framer,
}

impl<H> Messages<H> {
    /// The framer cuts streams into messages, the handler answers them.
    #[must_use]
    pub fn new(handler: Arc<H>, framer: Framer) -> Arc<Self> {
        Arc::new(Self { handler, framer })
    }
}

impl<H: SessionHandler> StreamService for Messages<H> {
    fn serve(self: Arc<Self>, stream: Box<dyn Stream>, info: SessionInfo, visit: Visit) -> Guest {
        let opened = self.handler.open(&info);
        let is_proved = info.proof != Proof::Nothing;
        let (handler, framer) = (self.handler.clone(), self.framer);
        Box::pin(async move {
            let Ok(session) = opened else { return count(&visit.counters.refused_sessions) };
            let Visit { limits, counters, resources, standing } = visit;
            let now = Instant::now();
            let mut connection = Connection {
                stream,
                session,
                handler,
                framer,
                limits,
                input: Vec::new(),
                held_back: false,
                output: Output::default(),
                in_flight: JoinSet::new(),
                last_message: now,
                message_since: None,
                write_since: now,
                unflushed: false,
                ended: None,
                counters,
                account: Account::new(resources.waiting.clone(), Arc::clone(&standing)),
                standing,
                is_proved,
            };
            let end = connection.run().await;
            if let Some(counter) = end.counter(&connection.counters) {
                count(counter);
            }
            if end.is_orderly() {
                let farewell = poll_fn(|cx| Pin::new(&mut connection.stream).poll_shutdown(cx));
                // Whether the peer still reads is up to the peer.
                let _ = tokio::time::timeout(FAREWELL, farewell).await;
            }
        })
    }

    fn failed(&self, peer: SocketAddr, transport: Transport, error: &HandshakeError) {
        self.handler.failed(peer, transport, error);
    }

    fn closing(&self) -> Closing {
        self.handler.closing()
    }
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Finished,
    CutShort,
    Framing,
    TooLong,
    Idle,
    SlowMessage,
    SlowReader,
    GaveWay,
    Panicked,
    Failed,
}

impl End {
    /// Whether the stream still works, so that it can be closed in order.
    const fn is_orderly(self) -> bool {
        !matches!(self, Self::SlowReader | Self::GaveWay | Self::Panicked | Self::Failed)
    }

    const fn counter(self, counters: &TcpCounters) -> Option<&AtomicU64> {
        Some(match self {
            Self::Finished => return None,
            Self::CutShort => &counters.cut_short,
            Self::Framing => &counters.framing_errors,
            Self::TooLong => &counters.too_long,
            Self::Idle => &counters.idle_closed,
            Self::SlowMessage => &counters.slow_messages,
            Self::SlowReader | Self::GaveWay => &counters.slow_readers,
            Self::Panicked => &counters.panics,
            Self::Failed => &counters.io_errors,
        })
    }
}

struct Connection<H: SessionHandler> {
    stream: Box<dyn Stream>,
    session: Arc<H::Session>,
    handler: Arc<H>,
    framer: Framer,
    limits: Arc<TcpLimits>,
    /// Octets read and not yet handled. Holds no memory while empty, so that an idle connection costs only its
    /// task.
    input: Vec<u8>,
    /// It may hold whole messages that there was no room for.
    held_back: bool,
    output: Output,
    in_flight: JoinSet<(Reply, Work)>,
    last_message: Instant,
    /// When the incomplete message at the start of `input` began.
    message_since: Option<Instant>,
    /// When the peer last accepted an octet, or the output began to wait.
    write_since: Instant,
    /// Written octets may still be in the stream's own buffers (TLS, SSH).
    unflushed: bool,
    /// Nothing is read any more, because of the peer or because of what it sent; earlier requests are still
    /// answered.
    ended: Option<End>,
    counters: Arc<TcpCounters>,
    /// What is held while the peer makes us wait.
    account: Account,
    standing: Arc<Standing>,
    /// The transport has authenticated the peer.
    is_proved: bool,
}

enum Event {
    Read(usize),
    /// There is room for messages that were read before.
    Room,
    Wrote(usize),
    Answered(Result<(Reply, Work), tokio::task::JoinError>),
    Failed(io::Error),
    /// Everything written has reached the kernel.
    Flushed,
    /// The server is shutting down: nothing more is read.
    Closed,
    DeadlinePassed,
    /// This connection must make room.
    GivesWay,
}

impl<H: SessionHandler> Connection<H> {
    async fn run(&mut self) -> End {
        let mut alarm = pin!(sleep_until(Instant::now() + self.limits.first_message));
        let mut closed = pin!(self.handler.closing().closed());
        loop {
            if let Some(end) = self.ended
                && self.output.is_empty()
                && self.in_flight.is_empty()
                && !self.unflushed
                && !self.held_back
            {
                return if self.input.is_empty() { end } else { End::CutShort };
            }
            let (deadline, end) = self.deadline();
            if alarm.deadline() != deadline {
                alarm.as_mut().reset(deadline);
            }
            let could_read = self.may_read();
            let event = poll_fn(|cx| self.poll_event(cx, alarm.as_mut(), closed.as_mut())).await;
            match event {
                Event::Read(octets) => self.on_read(octets).await,
                Event::Room => self.take_messages().await,
                Event::Wrote(octets) => self.on_wrote(octets),
                Event::Answered(Ok((reply, _))) => self.on_answer(reply),
                Event::Answered(Err(_)) => return End::Panicked,
                Event::Failed(error) => {
                    tracing::debug!(%error, "connection failed");
                    return End::Failed;
                }
                Event::Flushed => {}
                Event::Closed => self.refuse(End::Finished),
                Event::DeadlinePassed => return end,
                Event::GivesWay => return End::GaveWay,
            }
            if !could_read && self.message_since.is_some() {
                // While we did not read, the peer could not continue.
                self.message_since = Some(Instant::now());
            }
        }
    }

    /// Octets are read only while the requests in them can be accepted.
    fn may_read(&self) -> bool {
        self.ended.is_none() && self.has_room()
    }

    /// Whether another request can be accepted.
    fn has_room(&self) -> bool {
        self.has_place() && !self.is_held_off()
    }

    fn has_place(&self) -> bool {
        (self.in_flight.is_empty()
            || (self.in_flight.len() < self.limits.max_in_flight && !self.account.is_crowded()))
            && self.output.waiting() <= self.limits.max_output
    }

    /// Whether more output for this peer must wait until there is memory again. A peer that reads everything
    /// written for it is served all the same.
    fn is_held_off(&self) -> bool {
        self.is_stalled() && self.account.is_short()
    }

    /// Whether the peer has not read everything written for it.
    fn is_stalled(&self) -> bool {
        self.unflushed || !self.output.is_empty()
    }

    /// The next deadline, and what it is for.
    fn deadline(&self) -> (Instant, End) {
        let far = Instant::now() + Duration::from_secs(86_400);
        let mut next = (far, End::Idle);
        let mut consider = |at: Instant, end| {
            if at < next.0 {
                next = (at, end);
            }
        };
        if self.is_stalled() {
            consider(self.write_since + self.limits.write_time, End::SlowReader);
        }
        if self.may_read() {
            if let Some(since) = self.message_since {
                consider(since + self.limits.message_time, End::SlowMessage);
            }
            if self.in_flight.is_empty() && self.output.is_empty() {
                consider(self.last_message + self.idle_limit(), End::Idle);
            }
        }
        next
    }

    fn idle_limit(&self) -> Duration {
        let TcpLimits { idle, first_message, .. } = *self.limits;
        if self.standing.has_spoken() { idle } else { idle.min(first_message) }
    }

    /// Records what is held while nothing can be done, and whether that is because memory is short. Ready when the
    /// connection must make room for others.
    fn poll_hold(&mut self, cx: &Context<'_>, is_held_off: bool) -> Poll<()> {
        if self.hold().is_err() {
            return Poll::Ready(());
        }
        self.account.poll_gives_way(cx, is_held_off)
    }

    /// Records what is held.
    fn hold(&mut self) -> Result<(), Exhausted> {
        let stalled = if self.is_stalled() { self.output.memory() + STALLED } else { 0 };
        let held = stalled + self.input.capacity();
        if held == 0 && self.account.is_empty() {
            return Ok(());
        }
        let since = match (stalled, self.message_since) {
            (0, Some(since)) => since,
            (0, None) => self.last_message,
            (_, Some(since)) => since.min(self.write_since),
            (_, None) => self.write_since,
        };
        self.account.hold(held, since)
    }

    fn poll_event(
        &mut self,
        cx: &mut Context<'_>,
        alarm: Pin<&mut Sleep>,
        closed: Pin<&mut impl Future<Output = ()>>,
    ) -> Poll<Event> {
        if let Some(octets) = self.output.next()
            && let Poll::Ready(wrote) = Pin::new(&mut self.stream).poll_write(cx, octets)
        {
            return Poll::Ready(match wrote {
                Ok(0) => Event::Failed(io::ErrorKind::WriteZero.into()),
                Ok(octets) => {
                    self.unflushed = true;
                    Event::Wrote(octets)
                }
                Err(error) => Event::Failed(error),
            });
        }
        if self.unflushed
            && self.output.is_empty()
            && let Poll::Ready(flushed) = Pin::new(&mut self.stream).poll_flush(cx)
        {
            self.unflushed = false;
            return Poll::Ready(flushed.map_or_else(Event::Failed, |()| Event::Flushed));
        }
        if let Poll::Ready(Some(joined)) = self.in_flight.poll_join_next(cx) {
            return Poll::Ready(Event::Answered(joined));
        }
        let is_held_off = self.is_held_off();
        let has_room = self.has_place() && !is_held_off;
        if has_room && self.held_back {
            return Poll::Ready(Event::Room);
        }
        if has_room
            && self.ended.is_none()
            && let Poll::Ready(read) = self.poll_read(cx)
        {
            return Poll::Ready(read.map_or_else(Event::Failed, Event::Read));
        }
        if self.poll_hold(cx, is_held_off).is_ready() {
            return Poll::Ready(Event::GivesWay);
        }
        // Once nothing is read any more it does not matter.
        if self.ended.is_none() && closed.poll(cx).is_ready() {
            return Poll::Ready(Event::Closed);
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

    async fn on_read(&mut self, octets: usize) {
        if octets == 0 {
            self.ended = Some(End::Finished);
        }
        add(&self.counters.received_octets, octets);
        self.take_messages().await;
    }

    /// Reads nothing more, and ends once earlier requests are answered.
    fn refuse(&mut self, end: End) {
        self.ended = Some(end);
        self.input = Vec::new();
        self.held_back = false;
        self.message_since = None;
    }

    /// Cuts whole messages off the input, as far as the limits allow.
    async fn take_messages(&mut self) {
        let (mut used, mut handled) = (0, 0);
        let mut incomplete = false;
        while used < self.input.len() && self.has_room() {
            // A peer that sends many at once must not block all others.
            if handled == TURN {
                handled = 0;
                // More than a piece of output must be counted.
                if self.output.memory() > PIECE && self.hold().is_err() {
                    // The connection will be closed for that where it waits next.
                    break;
                }
                tokio::task::yield_now().await;
            }
            handled += 1;
            let rest = &self.input[used..];
            let len = match (self.framer)(rest) {
                Err(_) | Ok(Some(0)) => return self.refuse(End::Framing),
                Ok(Some(len)) if len > self.limits.max_message => return self.refuse(End::TooLong),
                Ok(None) if rest.len() > self.limits.max_message => return self.refuse(End::TooLong),
                Ok(Some(len)) if len <= rest.len() => len,
                Ok(_) => {
                    incomplete = true;
                    break;
                }
            };
            let message = rest[..len].to_vec();
            used += len;
            self.standing.speaks();
            if self.is_proved {
                self.standing.accept();
            }
            self.last_message = Instant::now();
            self.handle(message).await;
            if self.input.is_empty() {
                return; // refused
            }
        }
        self.input.drain(..used);
        self.held_back = !incomplete && !self.input.is_empty();
        if self.input.is_empty() {
            self.input = Vec::new();
        }
        match (incomplete, used) {
            (true, 0) => drop(self.message_since.get_or_insert_with(Instant::now)),
            (true, _) => self.message_since = Some(Instant::now()),
            (false, _) => self.message_since = None,
        }
    }

    /// Polls the handler once here; only an answer that is not ready at once gets a task.
    async fn handle(&mut self, message: Vec<u8>) {
        count(&self.counters.received);
        let (handler, session) = (Arc::clone(&self.handler), Arc::clone(&self.session));
        let mut answer = Box::pin(async move { handler.handle(message, &session).await });
        match poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await {
            Poll::Ready(reply) => self.reply(reply),
            Poll::Pending => {
                let work = self.account.work();
                drop(self.in_flight.spawn(async move { (answer.await, work) }));
            }
        }
    }

    fn reply(&mut self, reply: Reply) {
        match reply {
            Reply::Send(octets) => {
                self.standing.accept();
                self.queue(octets);
            }
            Reply::Nothing => self.standing.accept(),
            Reply::Refuse(octets) => self.queue(octets),
            Reply::Close => self.refuse(End::Framing),
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
        self.output.push(octets);
    }

    fn on_answer(&mut self, reply: Reply) {
        self.reply(reply);
        self.last_message = Instant::now();
    }

    fn on_wrote(&mut self, octets: usize) {
        add(&self.counters.sent_octets, octets);
        self.write_since = Instant::now();
        self.output.wrote(octets);
    }
}

/// Messages that one connection handles before others have their turn.
const TURN: usize = 4;

/// The time-out for closing in order.
const FAREWELL: Duration = Duration::from_secs(1);
