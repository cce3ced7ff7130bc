//! Watches a connection: what we wait for from its peer, since when, and until when.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use super::limits::HttpLimits;
use crate::register::Standing;
use crate::resources::{Account, Budget, Exhausted, Resources, STALLED};
use crate::tcp::TcpCounters;

/// The current state of a connection. Its stream, its requests and its timer share it.
pub(super) struct Line {
    state: Mutex<State>,
    budget: Arc<Budget>,
    limits: HttpLimits,
    counters: Arc<TcpCounters>,
    standing: Arc<Standing>,
}

struct State {
    /// Requests on one connection arrive one after another, and bytes of a head are recognized as such.
    one_by_one: bool,
    /// Requests whose answer has not been fully sent.
    in_flight: usize,
    /// When the last of them ended.
    idle_since: Instant,
    /// When the first byte of an incomplete head arrived.
    head_since: Option<Instant>,
    /// Since when the peer has accepted nothing of what we write.
    write_since: Option<Instant>,
    /// Answers that are ready but not fully sent, and since when nothing of them has been sent.
    answers: usize,
    answers_since: Instant,
    /// Some of the peer's bytes will not be read.
    unread: bool,
    /// Answers that go on until the peer leaves.
    endless: usize,
    /// The peer has closed its side.
    ended: bool,
    /// Who reads and was not told, and who waits for a body.
    deaf: Option<Waker>,
    waits: Option<Waker>,
    /// Bytes of these answers, and when the peer last accepted some of them.
    held: usize,
    taken_at: Instant,
    account: Account,
}

impl State {
    /// Records what is held now.
    fn settle(&mut self) -> Result<(), Exhausted> {
        let held = if self.held == 0 { 0 } else { self.held + STALLED };
        if held == 0 && self.account.is_empty() {
            return Ok(());
        }
        self.account.hold(held, self.taken_at)
    }

    /// Whether the end of what the peer sends is nothing to anybody now: who has asked, and closes its side, still gets its answer.
    const fn may_close(&self) -> bool {
        self.one_by_one && self.in_flight > 0 && self.endless == 0
    }

    /// Who was not told of that end asks again.
    fn wake(&mut self) {
        if !self.may_close()
            && let Some(deaf) = self.deaf.take()
        {
            deaf.wake();
        }
    }

    /// The peer has accepted something.
    fn took(&mut self) {
        if self.held > 0 {
            self.taken_at = Instant::now();
            // It does not hold more than before.
            let _ = self.settle();
        }
    }
}

/// What we were waiting for when a time-out expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Late {
    Idle,
    Head,
    Reader,
}

impl Line {
    pub(super) fn new(
        limits: HttpLimits,
        counters: Arc<TcpCounters>,
        resources: &Resources,
        standing: Arc<Standing>,
    ) -> Self {
        let now = Instant::now();
        let state = State {
            one_by_one: true,
            in_flight: 0,
            idle_since: now,
            head_since: None,
            write_since: None,
            answers: 0,
            answers_since: now,
            unread: false,
            endless: 0,
            ended: false,
            deaf: None,
            waits: None,
            held: 0,
            taken_at: now,
            account: Account::new(resources.waiting.clone(), Arc::clone(&standing)),
        };
        let budget = resources.waiting.clone();
        Self { state: Mutex::new(state), budget, limits, counters, standing }
    }

    /// The peer's standing.
    pub(super) fn standing(&self) -> Arc<Standing> {
        Arc::clone(&self.standing)
    }

    /// The handshake is over: from now on a request is expected.
    pub(super) fn begins_now(&self) {
        self.state().idle_since = Instant::now();
    }

    /// Ready when this connection must give way to others.
    pub(super) fn poll_gives_way(&self, cx: &Context<'_>) -> Poll<()> {
        self.state().account.poll_gives_way(cx, false)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It is HTTP/2: requests are interleaved, and not all bytes belong to requests.
    pub(super) fn interleaves(&self) {
        let mut state = self.state();
        state.one_by_one = false;
        state.head_since = None;
    }

    /// The head of a request is complete.
    pub(super) fn begin(self: &Arc<Self>) -> Request {
        let mut state = self.state();
        state.in_flight += 1;
        state.head_since = None;
        let one_by_one = state.one_by_one;
        drop(state);
        let overhead = if one_by_one { 0 } else { STREAM };
        self.standing.speaks();
        Request { line: Arc::clone(self), answering: false, endless: false, held: 0, overhead }
    }

    /// Waits until there is memory for an answer.
    pub(super) async fn room(&self) {
        self.budget.room().await;
    }

    /// Counts an answer that is being written: `octets` instead of `before`. False if there is no room for more.
    fn grow(&self, before: usize, octets: usize) -> bool {
        let mut state = self.state();
        // Its peer cannot have read anything of it yet: those whose peers do not read give way first.
        if state.held == 0 || state.answers == 0 {
            state.taken_at = Instant::now();
        }
        state.held = state.held - before + octets;
        let has_room = state.settle().is_ok() && !state.account.has_given_way();
        if !has_room {
            state.held = state.held - octets + before;
            let _ = state.settle();
        }
        has_room
    }

    /// An answer that was being written is complete, or not wanted any more.
    fn shrink(&self, octets: usize) {
        let mut state = self.state();
        state.held -= octets;
        // It does not hold more than before.
        let _ = state.settle();
    }

    /// Whether an answer is on its way that goes on until the peer leaves.
    pub(super) fn is_endless(&self) -> bool {
        self.state().endless > 0
    }

    /// The rest of a request will not be read.
    pub(super) fn leave_unread(&self) {
        self.state().unread = true;
    }

    /// The next deadline, and what it is for.
    pub(super) fn deadline(&self) -> (Instant, Late) {
        let state = self.state();
        let limits = &self.limits;
        let mut next = (Instant::now() + Duration::from_secs(86_400), Late::Idle);
        let mut consider = |at: Instant, late| {
            if at < next.0 {
                next = (at, late);
            }
        };
        if let Some(since) = state.write_since {
            consider(since + limits.write_time, Late::Reader);
        }
        if state.answers > 0 && !state.one_by_one {
            consider(state.answers_since + limits.write_time, Late::Reader);
        }
        if state.in_flight == 0 {
            match state.head_since {
                Some(since) => consider(since + limits.head_time, Late::Head),
                None if self.standing.has_spoken() => {
                    consider(state.idle_since + limits.idle, Late::Idle);
                }
                None => {
                    consider(state.idle_since + limits.idle.min(limits.first_request), Late::Idle);
                }
            }
        }
        next
    }

    fn was_read(&self, octets: usize) {
        self.counters.took(octets);
        let mut state = self.state();
        if state.one_by_one && state.in_flight == 0 && octets > 0 {
            state.head_since.get_or_insert_with(Instant::now);
        }
    }

    /// Whether the end of what the peer sends is kept from the reader, who is woken when it matters.
    fn hides_end(&self, cx: &Context<'_>) -> bool {
        let mut state = self.state();
        let hides = state.may_close();
        state.ended = true;
        if hides {
            state.deaf = Some(cx.waker().clone());
            if let Some(waits) = state.waits.take() {
                waits.wake();
            }
        }
        hides
    }

    /// Ready when the peer has closed its side. What it sent before that was read before: a body that is not whole by then never is.
    pub(super) fn poll_ended(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.ended {
            return Poll::Ready(());
        }
        state.waits = Some(cx.waker().clone());
        Poll::Pending
    }

    fn was_written(&self, written: &Poll<io::Result<usize>>) {
        let mut state = self.state();
        match written {
            Poll::Ready(Ok(octets)) => {
                self.counters.gave(*octets);
                state.write_since = None;
                if state.one_by_one {
                    state.took();
                }
            }
            Poll::Ready(Err(_)) => state.write_since = None,
            Poll::Pending => drop(state.write_since.get_or_insert_with(Instant::now)),
        }
    }

    fn was_flushed(&self, flushed: &Poll<io::Result<()>>) {
        let mut state = self.state();
        match flushed {
            Poll::Ready(_) => state.write_since = None,
            Poll::Pending => drop(state.write_since.get_or_insert_with(Instant::now)),
        }
    }

    /// Whether a peer that is still writing could miss our last answer.
    fn must_linger(&self) -> bool {
        let state = self.state();
        state.unread || state.head_since.is_some()
    }
}

/// A request in progress: it ends when dropped, after the last byte of its answer was sent.
pub(super) struct Request {
    line: Arc<Line>,
    answering: bool,
    /// Its answer goes on until the peer leaves.
    endless: bool,
    /// Bytes of its answer, and of its stream.
    held: usize,
    /// The memory of its stream, whatever its answer is.
    overhead: usize,
}

impl Request {
    /// Its answer goes on until the peer leaves, or closes its side.
    pub(super) fn is_endless(&mut self) {
        let mut state = self.line.state();
        state.endless += 1;
        self.endless = true;
        state.wake();
    }

    /// Its answer is ready.
    pub(super) fn answer(&mut self) {
        let mut state = self.line.state();
        if state.answers == 0 {
            state.answers_since = Instant::now();
        }
        state.answers += 1;
        self.answering = true;
    }

    /// Counts the bytes of its answer until they are sent.
    ///
    /// # Errors
    /// [`Exhausted`] if there is no room for them. Nothing is held then.
    pub(super) fn hold(&mut self, octets: usize) -> Result<(), Exhausted> {
        // Negligible beside a long answer, and the longest may be as long as one connection's share.
        let octets = if octets < LONG { octets + self.overhead } else { octets };
        if octets == self.held {
            return Ok(());
        }
        let mut state = self.line.state();
        if state.held == 0 {
            state.taken_at = Instant::now();
        }
        let before = std::mem::take(&mut self.held);
        state.held -= before;
        state.held += octets;
        let settled = state.settle();
        match settled {
            Ok(()) => self.held = octets,
            Err(_) => {
                state.held -= octets;
                let _ = state.settle();
            }
        }
        settled
    }

    /// A part of an answer that is written while it is sent is on its way: only now is anything expected of the peer.
    ///
    /// # Errors
    /// [`Exhausted`] if there is no room for it.
    pub(super) fn lend(&self, octets: usize) -> Result<(), Exhausted> {
        let mut state = self.line.state();
        let now = Instant::now();
        if state.answers == 0 {
            state.answers_since = now;
        }
        if state.held == 0 {
            state.taken_at = now;
        }
        state.held += octets;
        let settled = state.settle();
        match settled {
            Ok(()) => state.answers += 1,
            Err(_) => {
                state.held -= octets;
                let _ = state.settle();
            }
        }
        settled
    }

    /// Such a part was sent, or is not wanted any more.
    pub(super) fn take_back(&self, octets: usize) {
        let mut state = self.line.state();
        state.answers -= 1;
        state.answers_since = Instant::now();
        state.held -= octets;
        state.taken_at = Instant::now();
        // It does not hold more than before.
        let _ = state.settle();
    }

    /// A part of its answer was sent.
    pub(super) fn goes_on(&self) {
        let mut state = self.line.state();
        state.answers_since = Instant::now();
        state.took();
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let mut state = self.line.state();
        state.in_flight -= 1;
        state.endless -= usize::from(self.endless);
        state.answers -= usize::from(self.answering);
        state.held -= self.held;
        if self.held > 0 {
            let _ = state.settle();
        }
        if state.in_flight == 0 {
            state.idle_since = Instant::now();
        }
        state.wake();
    }
}

/// Counts an answer while its handler writes it. Returned on [`Growth::end`] or drop.
pub(super) struct Growth {
    line: Arc<Line>,
    held: AtomicUsize,
    is_refused: AtomicBool,
}

impl Growth {
    pub(super) fn on(line: &Arc<Line>) -> Self {
        Self { line: Arc::clone(line), held: AtomicUsize::new(0), is_refused: AtomicBool::new(false) }
    }

    /// Whether there is room for an answer of this many octets so far, which will have at most `limit`.
    pub(super) fn reaches(&self, octets: usize, limit: usize) -> bool {
        let held = self.held.load(Relaxed);
        if octets <= UNCOUNTED.max(held) {
            return true;
        }
        if self.is_refused.load(Relaxed) {
            return false;
        }
        let ahead = (octets + AHEAD).min(limit).max(octets);
        // As for a complete answer: the longest may be as long as one connection's share.
        let ahead = if ahead < LONG { ahead } else { ahead - STREAM };
        if ahead <= held {
            return true;
        }
        let has_room = self.line.grow(held, ahead);
        if has_room {
            self.held.store(ahead, Relaxed);
        } else {
            self.is_refused.store(true, Relaxed);
        }
        has_room
    }

    /// The answer is complete; whether there was room for it.
    pub(super) fn end(&self) -> bool {
        let held = self.held.swap(0, Relaxed);
        if held > 0 {
            self.line.shrink(held);
        }
        !self.is_refused.load(Relaxed)
    }
}

impl Drop for Growth {
    fn drop(&mut self) {
        self.end();
    }
}

/// Up to this length an answer that is being written is not counted.
const UNCOUNTED: usize = 4 << 10;

/// A longer one is counted in steps of this length, ahead of what is written.
const AHEAD: usize = 16 << 10;

/// Above this length the overhead of a stream is not counted.
const LONG: usize = 1 << 20;

/// The memory of an HTTP/2 stream beside its body, here and in the library, in bytes (measured: about 10 KB).
const STREAM: usize = 12 << 10;

/// A stream that keeps its [`Line`] up to date.
pub(super) struct Guard<S> {
    stream: S,
    line: Arc<Line>,
    /// Bytes that were read to detect the protocol.
    ahead: Vec<u8>,
    /// How many of them were returned to the reader.
    given: usize,
    farewell: Farewell,
}

enum Farewell {
    NotYet,
    /// We have closed our side, and read what the peer still sends: if the socket were closed before, the kernel
    /// would reset the connection, and our last answer would be lost.
    Reading {
        octets: usize,
        until: Pin<Box<Sleep>>,
    },
}

impl<S: AsyncRead + Unpin> Guard<S> {
    pub(super) const fn new(stream: S, line: Arc<Line>) -> Self {
        Self { stream, line, ahead: Vec::new(), given: 0, farewell: Farewell::NotYet }
    }

    /// Reads until it is known whether the stream begins with `start`; the bytes will be read again.
    pub(super) fn poll_begins_with(&mut self, cx: &mut Context<'_>, start: &[u8]) -> Poll<io::Result<bool>> {
        while start.starts_with(&self.ahead) && self.ahead.len() < start.len() {
            let mut stack = [0; 64];
            let mut buffer = ReadBuf::new(&mut stack[..start.len() - self.ahead.len()]);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(false));
            }
            self.line.was_read(buffer.filled().len());
            self.ahead.extend_from_slice(buffer.filled());
        }
        Poll::Ready(Ok(self.ahead.starts_with(start)))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.given < self.ahead.len() {
            let octets = buf.remaining().min(self.ahead.len() - self.given);
            buf.put_slice(&self.ahead[self.given..self.given + octets]);
            self.given += octets;
            if self.given == self.ahead.len() {
                (self.ahead, self.given) = (Vec::new(), 0);
            }
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        let octets = buf.filled().len() - before;
        self.line.was_read(octets);
        let is_end = match &read {
            Poll::Ready(Ok(())) => octets == 0 && buf.remaining() > 0,
            // TLS without its close_notify.
            Poll::Ready(Err(error)) => error.kind() == io::ErrorKind::UnexpectedEof,
            Poll::Pending => false,
        };
        if is_end && self.line.hides_end(cx) { Poll::Pending } else { read }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Guard<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.line.was_written(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.line.was_written(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.line.was_flushed(&flushed);
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            match &mut this.farewell {
                Farewell::NotYet => {
                    ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
                    if !this.line.must_linger() {
                        return Poll::Ready(Ok(()));
                    }
                    this.farewell = Farewell::Reading { octets: 0, until: Box::pin(sleep(LINGER_TIME)) };
                }
                Farewell::Reading { octets, until } => {
                    if until.as_mut().poll(cx).is_ready() {
                        return Poll::Ready(Ok(()));
                    }
                    let mut stack = [0; 8192];
                    let mut buffer = ReadBuf::new(&mut stack);
                    let read = ready!(Pin::new(&mut this.stream).poll_read(cx, &mut buffer));
                    *octets += buffer.filled().len();
                    if read.is_err() || buffer.filled().is_empty() || *octets > LINGER_OCTETS {
                        return Poll::Ready(Ok(()));
                    }
                }
            }
        }
    }
}

/// How long we still read from a refused peer.
const LINGER_TIME: Duration = Duration::from_secs(1);

/// And how many bytes of it.
const LINGER_OCTETS: usize = 8 << 20;
