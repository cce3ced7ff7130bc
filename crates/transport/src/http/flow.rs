//! An answer whose body is written while it is sent: as fast as the peer accepts it, without being held as a whole.

use std::future::poll_fn;
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::sync::mpsc;

/// The end of a body from which it is sent.
#[derive(Debug)]
pub struct HttpFlow {
    parts: mpsc::Receiver<Bytes>,
    /// It goes on until the peer leaves.
    pub(super) is_endless: bool,
}

/// The end into which it is written. If it is dropped before [`FlowWriter::end`], the peer learns that the body is not whole.
#[derive(Debug)]
pub struct FlowWriter(mpsc::Sender<Bytes>);

/// The body is not wanted any more, or its writer gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body ends before its end")]
pub struct CutShort;

impl HttpFlow {
    /// Both ends of a body. One part waits to be sent while the next one is written.
    #[must_use]
    pub fn new() -> (FlowWriter, HttpFlow) {
        let (sender, receiver) = mpsc::channel(1);
        (FlowWriter(sender), HttpFlow { parts: receiver, is_endless: false })
    }

    /// The next part, once it is there; `None`: the body is whole.
    pub async fn next(&mut self) -> Option<Result<Bytes, CutShort>> {
        poll_fn(|cx| self.poll_part(cx)).await
    }

    /// The next part; `None`: the body is whole.
    pub(super) fn poll_part(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, CutShort>>> {
        self.parts.poll_recv(cx).map(|part| match part {
            None => Some(Err(CutShort)),
            Some(part) if part.is_empty() => None,
            Some(part) => Some(Ok(part)),
        })
    }
}

impl FlowWriter {
    /// Writes a part, once there is room for it.
    ///
    /// # Errors
    /// Nobody takes it any more.
    pub async fn write(&self, part: impl Into<Bytes>) -> Result<(), CutShort> {
        let part = part.into();
        if part.is_empty() {
            return Ok(());
        }
        self.0.send(part).await.map_err(|_| CutShort)
    }

    /// The body is whole.
    pub async fn end(self) {
        // Nobody needs to know if there is nobody.
        let _ = self.0.send(Bytes::new()).await;
    }

    /// Waits until nobody takes it any more.
    pub async fn closed(&self) {
        self.0.closed().await;
    }
}
