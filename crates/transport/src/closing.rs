//! The end of a server in good order: nothing more is taken in, and what is under work is finished.

use std::sync::Arc;

use tokio::sync::watch;

/// Says when servers end. All clones are one; whoever has one can close.
#[derive(Clone, Debug)]
pub struct Closing(Arc<watch::Sender<bool>>);

impl Default for Closing {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Closing {
    /// From now on servers take nothing more in: they close their sockets, answer what was asked before, close their
    /// connections and end.
    pub fn close(&self) {
        self.0.send_replace(true);
    }

    /// Waits for [`Closing::close`].
    pub fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut told = self.0.subscribe();
        let kept = Arc::clone(&self.0);
        async move {
            // It does not fail as long as the sender is there, and `kept` keeps it.
            let _ = told.wait_for(|closed| *closed).await;
            drop(kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_is_told_and_who_comes_late_too() {
        let closing = Closing::default();
        let (waits, other) = (closing.closed(), closing.clone());
        let waiting = tokio::spawn(waits);
        other.close();
        waiting.await.unwrap();
        closing.closed().await;
    }
}
