//! Orderly shutdown of servers: no new work is accepted, and work in progress is finished.

use std::sync::Arc;

use tokio::sync::watch;

/// Signals servers to shut down. All clones share one signal; any of them can raise it.
#[derive(Clone, Debug)]
pub struct Closing(Arc<watch::Sender<bool>>);

impl Default for Closing {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Closing {
    /// From now on servers accept nothing new: they close their sockets, answer earlier requests, close their
    /// connections and end.
    pub fn close(&self) {
        self.0.send_replace(true);
    }

    /// Waits for [`Closing::close`].
    pub fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut told = self.0.subscribe();
        let kept = Arc::clone(&self.0);
        async move {
            // It cannot fail while the sender exists, and `kept` keeps it.
            let _ = told.wait_for(|closed| *closed).await;
            drop(kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_and_late_servers_both_see_the_shutdown() {
        let closing = Closing::default();
        let (waits, other) = (closing.closed(), closing.clone());
        let waiting = tokio::spawn(waits);
        other.close();
        waiting.await.unwrap();
        closing.closed().await;
    }
}
