//! A channel as a stream: the door puts in what the peer sends, the channel's service takes it out and passes
//! answers to the session's task.
//!
//! The library extends the peer's window when octets arrive, not when they are consumed. So the door waits while
//! too much is unconsumed, which blocks the whole connection, as TCP would. It does not wait while answers cannot
//! be sent, since the same task sends them; instead a limit then ends the channel, and what is buffered counts as
//! octets that wait for peers.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use russh::ChannelId;
use russh::server::Handle;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use crate::register::Standing;
use crate::resources::{Account, Resources};

/// The door's end of a channel.
pub(super) struct Inlet(Arc<Mutex<State>>);

/// The service's end of a channel.
pub(super) struct ChannelStream {
    state: Arc<Mutex<State>>,
    handle: Handle,
    id: ChannelId,
    /// An answer that the session's task has no room for yet, and its length.
    sending: Option<(Sending, usize)>,
}

/// Resolves to whether the session still exists.
type Sending = Pin<Box<dyn Future<Output = bool> + Send>>;

struct State {
    /// Holds no memory while it is empty.
    input: Vec<u8>,
    taken: usize,
    /// The peer sends no more.
    ended: bool,
    /// The peer sent more than may be buffered.
    flooded: bool,
    /// Nobody reads from it any more.
    unread: bool,
    /// Since when answers wait for room.
    output_waits: Option<Instant>,
    /// What is buffered meanwhile.
    account: Account,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl State {
    fn new(resources: &Resources) -> Self {
        Self {
            input: Vec::new(),
            taken: 0,
            ended: false,
            flooded: false,
            unread: false,
            output_waits: None,
            // A channel is of a peer that has logged in.
            account: Account::new(resources.waiting.clone(), Standing::accepted()),
            reader: None,
            writer: None,
        }
    }

    fn kept(&self) -> usize {
        self.input.len() - self.taken
    }

    /// Counts what is buffered while answers wait.
    fn settle(&mut self) {
        let held = self.output_waits.map_or(0, |_| self.input.capacity());
        if held > 0 || !self.account.is_empty() {
            let since = self.output_waits.unwrap_or_else(Instant::now);
            self.flooded |= self.account.hold(held, since).is_err();
        }
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}

pub(super) fn pipe(handle: Handle, id: ChannelId, resources: &Resources) -> (Inlet, ChannelStream) {
    let state = Arc::new(Mutex::new(State::new(resources)));
    (Inlet(state.clone()), ChannelStream { state, handle, id, sending: None })
}

impl Inlet {
    /// Puts octets in, once there is room.
    pub(super) fn put<'a>(&'a self, octets: &'a [u8]) -> impl Future<Output = ()> + 'a {
        std::future::poll_fn(|cx| {
            let mut state = locked(&self.0);
            if state.unread || state.flooded {
                return Poll::Ready(());
            }
            if state.kept() >= KEPT && state.output_waits.is_none() {
                state.writer = Some(cx.waker().clone());
                return Poll::Pending;
            }
            if state.kept() >= MOST_KEPT {
                state.flooded = true;
            } else {
                state.input.extend_from_slice(octets);
                state.settle();
            }
            wake(&mut state.reader);
            Poll::Ready(())
        })
    }

    /// The peer sends no more.
    pub(super) fn end(&self) {
        let mut state = locked(&self.0);
        state.ended = true;
        wake(&mut state.reader);
    }

    /// The channel is no longer served.
    pub(super) fn is_left(&self) -> bool {
        locked(&self.0).unread
    }
}

impl Drop for Inlet {
    fn drop(&mut self) {
        self.end();
    }
}

impl ChannelStream {
    pub(super) const fn id(&self) -> ChannelId {
        self.id
    }

    /// Answers are being sent again.
    fn output_goes_on(&self) {
        let mut state = locked(&self.state);
        state.output_waits = None;
        state.settle();
    }

    /// Answers wait. Ready when what is buffered meanwhile must make room for others.
    fn poll_output_waits(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = locked(&self.state);
        state.output_waits.get_or_insert_with(Instant::now);
        state.settle();
        // The next input wakes us again.
        state.reader = Some(cx.waker().clone());
        wake(&mut state.writer);
        if state.flooded { Poll::Ready(()) } else { state.account.poll_gives_way(cx, false) }
    }
}

impl Drop for ChannelStream {
    fn drop(&mut self) {
        let mut state = locked(&self.state);
        state.unread = true;
        state.input = Vec::new();
        state.taken = 0;
        state.output_waits = None;
        state.settle();
        wake(&mut state.writer);
    }
}

impl AsyncRead for ChannelStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut state = locked(&self.state);
        if state.flooded {
            return Poll::Ready(Err(flooded()));
        }
        if state.kept() == 0 {
            if state.ended {
                return Poll::Ready(Ok(()));
            }
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let octets = state.kept().min(buffer.remaining());
        buffer.put_slice(&state.input[state.taken..state.taken + octets]);
        state.taken += octets;
        if state.kept() == 0 {
            state.input = Vec::new();
            state.taken = 0;
        } else if state.taken >= KEPT {
            let taken = std::mem::take(&mut state.taken);
            state.input.drain(..taken);
        }
        if state.kept() < KEPT {
            wake(&mut state.writer);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for ChannelStream {
    /// An answer of the usual size is one packet. A longer one is sent in parts: a session keeps memory for the
    /// most that it has sent at one time.
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, octets: &[u8]) -> Poll<io::Result<usize>> {
        let (mut sending, length) = match self.sending.take() {
            Some(waiting) => waiting,
            None => {
                let octets = &octets[..octets.len().min(PART)];
                let (handle, id, answer) = (self.handle.clone(), self.id, octets.to_vec());
                let sending = async move { handle.data(id, answer).await.is_ok() };
                (Box::pin(sending) as Sending, octets.len())
            }
        };
        match sending.as_mut().poll(cx) {
            Poll::Ready(sent) => {
                self.output_goes_on();
                Poll::Ready(if sent { Ok(length) } else { Err(io::ErrorKind::BrokenPipe.into()) })
            }
            Poll::Pending => {
                self.sending = Some((sending, length));
                self.poll_output_waits(cx).map(|()| Err(flooded()))
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

fn flooded() -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, "the peer sends and takes nothing")
}

/// Octets of an answer that are sent at one time.
const PART: usize = 4096;
/// Octets of a channel that are received and not yet read; the connection waits at the limit.
const KEPT: usize = 128 << 10;
/// The same while answers cannot be sent; the channel ends at the limit.
const MOST_KEPT: usize = 8 << 20;
