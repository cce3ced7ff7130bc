//! One connection: its version of HTTP, and its time-outs.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep_until};

use super::guard::{Guard, Late, Line};
use super::message::HttpHandler;
use super::service::{House, Service};
use crate::counters::count;
use crate::session::SessionInfo;
use crate::tcp::TcpCounters;

/// The version of HTTP on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    /// HTTP/2, by negotiation.
    Two,
    /// Determined by its first bytes.
    Unknown,
}

/// Serves a connection until it ends.
pub(super) async fn serve<S, H>(
    stream: S,
    spoken: Spoken,
    info: SessionInfo,
    line: Line,
    house: Arc<House<H>>,
) where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    H: HttpHandler,
{
    let counters = Arc::clone(&house.counters.connections);
    let line = Arc::new(line);
    let mut stream = Guard::new(stream, Arc::clone(&line));
    let mut alarm = pin!(sleep_until(line.deadline().0));
    let is_two = match spoken {
        Spoken::Two => Ok(true),
        Spoken::Unknown => {
            let finding = poll_fn(|cx| stream.poll_begins_with(cx, PREFACE));
            tokio::select! {
                found = patiently(finding, &line, alarm.as_mut()) => found,
                () = house.handler.closing().closed() => return,
            }
        }
    };
    let end = match is_two {
        Err(late) => {
            if late == Late::Head {
                tell_slow(stream).await;
            }
            End::Late(late)
        }
        Ok(true) => {
            count(&house.counters.requests.http2);
            line.interleaves();
            serve_two(stream, info, &line, house, alarm).await
        }
        Ok(false) => serve_one(stream, info, &line, house, alarm).await,
    };
    end.count(&counters);
}

/// Waits until a time-out. The next read meets a failure again.
async fn patiently(
    finding: impl Future<Output = std::io::Result<bool>>,
    line: &Line,
    mut alarm: Pin<&mut Sleep>,
) -> Result<bool, Late> {
    let mut finding = pin!(finding);
    poll_fn(|cx| {
        if let Poll::Ready(found) = finding.as_mut().poll(cx) {
            return Poll::Ready(Ok(found.unwrap_or(false)));
        }
        poll_alarm(line, alarm.as_mut(), cx).map(Err)
    })
    .await
}

/// Ready when a time-out has expired.
fn poll_alarm(line: &Line, mut alarm: Pin<&mut Sleep>, cx: &mut Context<'_>) -> Poll<Late> {
    loop {
        let (deadline, late) = line.deadline();
        if alarm.deadline() != deadline {
            alarm.as_mut().reset(deadline);
        }
        if alarm.as_mut().poll(cx).is_pending() {
            return line.poll_gives_way(cx).map(|()| Late::Reader);
        }
        // The state may have changed since the alarm was set.
        if line.deadline().0 <= deadline {
            return Poll::Ready(late);
        }
    }
}

async fn serve_one<S, H>(
    stream: Guard<S>,
    info: SessionInfo,
    line: &Arc<Line>,
    house: Arc<House<H>>,
    mut alarm: Pin<&mut Sleep>,
) -> End
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    H: HttpHandler,
{
    let mut builder = http1::Builder::new();
    builder
        .header_read_timeout(None)
        .max_buf_size(house.limits.max_head.max(LEAST_HEAD))
        .timer(TokioTimer::new());
    let mut closed = pin!(house.handler.closing().closed());
    let mut is_closing = false;
    let service = Service::new(info, Arc::clone(line), house);
    let mut connection = builder.serve_connection(TokioIo::new(stream), service);
    let end = poll_fn(|cx| {
        if !is_closing && closed.as_mut().poll(cx).is_ready() {
            is_closing = true;
            Pin::new(&mut connection).graceful_shutdown();
        }
        if let Poll::Ready(end) = Pin::new(&mut connection).poll(cx) {
            let end = End::of(end);
            // How a stream of events ends.
            let has_left = end == End::CutShort && line.is_endless();
            return Poll::Ready(if has_left { End::Finished } else { end });
        }
        poll_alarm(line, alarm.as_mut(), cx).map(End::Late)
    })
    .await;
    if end == End::Late(Late::Head) {
        tell_slow(connection.into_parts().io.into_inner()).await;
    }
    end
}

/// Informs a peer whose head does not arrive that we no longer wait.
async fn tell_slow(mut stream: impl AsyncWrite + Unpin) {
    let farewell = async {
        stream.write_all(TOO_SLOW).await?;
        stream.flush().await?;
        stream.shutdown().await
    };
    // Whether the peer reads it is up to the peer.
    let _ = tokio::time::timeout(FAREWELL, farewell).await;
}

async fn serve_two<S, H>(
    stream: Guard<S>,
    info: SessionInfo,
    line: &Arc<Line>,
    house: Arc<House<H>>,
    mut alarm: Pin<&mut Sleep>,
) -> End
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    H: HttpHandler,
{
    let limits = &house.limits;
    let crew = Crew::new(Arc::clone(&house.counters.connections));
    let mut builder = http2::Builder::new(crew.clone());
    let head = u32::try_from(limits.max_head.max(LEAST_HEAD)).unwrap_or(u32::MAX);
    builder
        .max_concurrent_streams(limits.max_streams)
        // Requests that are cancelled at once still cause work (CVE-2023-44487).
        .max_pending_accept_reset_streams(PATIENCE_WITH_RESETS)
        // A peer that has not received our settings yet may open more streams than they allow (RFC 9113 section
        // 5.1.2).
        .max_local_error_reset_streams(PATIENCE_WITH_REFUSED)
        .max_header_list_size(head)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER)
        .timer(TokioTimer::new());
    let mut closed = pin!(house.handler.closing().closed());
    let mut is_closing = false;
    let service = Service::new(info, Arc::clone(line), house);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    poll_fn(|cx| {
        if !is_closing && closed.as_mut().poll(cx).is_ready() {
            is_closing = true;
            connection.as_mut().graceful_shutdown();
        }
        if let Poll::Ready(end) = connection.as_mut().poll(cx) {
            return Poll::Ready(End::of(end));
        }
        crew.poll_panics(cx);
        poll_alarm(line, alarm.as_mut(), cx).map(End::Late)
    })
    .await
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Finished,
    Late(Late),
    CutShort,
    TooLong,
    NotHttp,
    Failed,
}

impl End {
    fn of(result: hyper::Result<()>) -> Self {
        let Err(error) = result else { return Self::Finished };
        tracing::debug!(error = %Sources(&error), "an HTTP connection failed");
        if error.is_parse_too_large() {
            Self::TooLong
        } else if error.is_parse() {
            Self::NotHttp
        } else if error.is_incomplete_message() {
            Self::CutShort
        } else {
            Self::Failed
        }
    }

    fn count(self, counters: &TcpCounters) {
        let counter = match self {
            Self::Finished => return,
            Self::Late(Late::Idle) => &counters.idle_closed,
            Self::Late(Late::Head) => &counters.slow_messages,
            Self::Late(Late::Reader) => &counters.slow_readers,
            Self::CutShort => &counters.cut_short,
            Self::TooLong => &counters.too_long,
            Self::NotHttp => &counters.framing_errors,
            Self::Failed => &counters.io_errors,
        };
        count(counter);
    }
}

/// An error with its causes.
pub(super) struct Sources<'a>(pub &'a dyn std::error::Error);

impl std::fmt::Display for Sources<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

/// The requests of an HTTP/2 connection, each a task: they end with it.
#[derive(Clone)]
struct Crew {
    tasks: Arc<Mutex<JoinSet<()>>>,
    counters: Arc<TcpCounters>,
}

impl Crew {
    fn new(counters: Arc<TcpCounters>) -> Self {
        Self { tasks: Arc::default(), counters }
    }

    fn poll_panics(&self, cx: &mut Context<'_>) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while let Poll::Ready(Some(ended)) = tasks.poll_join_next(cx) {
            if ended.is_err_and(|error| error.is_panic()) {
                self.counters.panicked();
            }
        }
    }
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Crew {
    fn execute(&self, task: F) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).spawn(task);
    }
}

/// How a connection of HTTP/2 begins (RFC 9113 section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The answer to a peer whose head does not arrive.
const TOO_SLOW: &[u8] = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// The time-out for sending it.
const FAREWELL: std::time::Duration = std::time::Duration::from_secs(2);

/// The minimum size of a head buffer in the library.
const LEAST_HEAD: usize = 8_192;

/// Pending requests that a peer may cancel before the connection ends.
const PATIENCE_WITH_RESETS: usize = 20;

/// Requests of a connection that we may refuse or end because of a peer's error before the connection ends.
const PATIENCE_WITH_REFUSED: usize = 1_024;

/// Bytes of a body in flight.
const STREAM_WINDOW: u32 = 64 << 10;
const CONNECTION_WINDOW: u32 = 256 << 10;

/// Bytes of an answer that may wait in the library: two pieces.
const SEND_BUFFER: usize = 16 << 10;
