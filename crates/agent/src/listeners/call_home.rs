//! Calls home (RFC 8071): the agent connects to managers and serves them. It calls again after a session has ended, and after a call that
//! failed, each time later.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use trunkline_config::{CallHome, NetconfPlan, Plan};
use trunkline_transport::ssh::SshGreeter;
use trunkline_transport::tcp::{CallError, Caller};
use trunkline_transport::tls::TlsGreeter;
use trunkline_transport::{Closing, Guest, dial};

/// The managers that are called.
pub(super) struct Calls {
    runtime: Handle,
    /// Permits for attempts: so many at a time.
    attempts: Arc<Semaphore>,
    open: Vec<Calling>,
}

/// How a manager is called.
#[derive(Clone)]
pub(super) enum AnyCaller {
    Ssh(Arc<Caller<SshGreeter>>),
    Tls(Arc<Caller<TlsGreeter>>),
}

/// One that is called. Dropping it ends its session.
struct Calling {
    manager: CallHome,
    task: JoinHandle<()>,
}

impl Drop for Calling {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl AnyCaller {
    async fn call(&self, manager: &CallHome) -> Result<Guest, CallError> {
        let addresses = dial::resolve(&manager.host, manager.port, dial::Family::Any).await?;
        match self {
            AnyCaller::Ssh(caller) => caller.call(&addresses, CONNECT_TIME).await,
            AnyCaller::Tls(caller) => caller.call(&addresses, CONNECT_TIME).await,
        }
    }
}

impl Calls {
    pub(super) fn new(runtime: Handle) -> Self {
        Calls { runtime, attempts: Arc::new(Semaphore::new(AT_A_TIME)), open: Vec::new() }
    }

    /// Calls the managers of a plan, and no others. Sessions with those that stay go on.
    pub(super) fn configure<E>(
        &mut self,
        plan: &Plan,
        closing: &Closing,
        mut caller: impl FnMut(&CallHome) -> Result<AnyCaller, E>,
    ) -> Result<(), E> {
        let none = NetconfPlan::default();
        let wanted = &plan.netconf.as_ref().unwrap_or(&none).call_home;
        self.open.retain(|calling| wanted.contains(&calling.manager));
        for manager in wanted {
            if self.open.iter().any(|calling| calling.manager == *manager) {
                continue;
            }
            let calls =
                keep_calling(manager.clone(), caller(manager)?, self.attempts.clone(), closing.clone());
            let task = self.runtime.spawn(calls);
            self.open.push(Calling { manager: manager.clone(), task });
        }
        Ok(())
    }

    /// Waits for the end of all sessions, which has been requested.
    pub(super) async fn finish(&mut self) {
        for calling in &mut self.open {
            let _ = (&mut calling.task).await;
        }
    }
}

/// Has a session with a manager whenever that is possible, until the agent ends.
async fn keep_calling(manager: CallHome, caller: AnyCaller, attempts: Arc<Semaphore>, closing: Closing) {
    let mut wait = FIRST_WAIT;
    let mut has_failed = false;
    loop {
        let call = async {
            let _permit = attempts.acquire().await;
            caller.call(&manager).await
        };
        let called = tokio::select! {
            called = call => called,
            () = closing.closed() => return,
        };
        match called {
            Ok(session) => {
                tracing::info!(%manager, "called a manager");
                has_failed = false;
                let begun = Instant::now();
                // A shutdown ends it in order.
                session.await;
                tracing::debug!(%manager, "the session with a manager that was called has ended");
                if begun.elapsed() > LONGEST_WAIT {
                    wait = FIRST_WAIT;
                }
            }
            // Once is enough for the log, until it works.
            Err(error) if has_failed => tracing::debug!(%manager, %error, "a call to a manager failed again"),
            Err(error) => {
                tracing::warn!(%manager, %error, "a call to a manager failed; it is tried again");
                has_failed = true;
            }
        }
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = closing.closed() => return,
        }
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Calls that are made at the same time.
const AT_A_TIME: usize = 4;
/// For the connection; the handshake has the time of `handshake-timeout` in `[snmp.tcp]`.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// Between a call and the next one.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
