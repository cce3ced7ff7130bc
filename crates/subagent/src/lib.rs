//! The agent as a subagent (RFC 2741): another agent, the master, has objects from our tree, those that it does not serve
//! or that we serve better. The master decides who may do what; `user` in the configuration narrows it by our own policy.
//!
//! ```text
//! registrations  which objects are registered, from the tree
//! session        the connection to the master: made again when it ends
//! answer         what the master asks: Get, GetNext, GetBulk
//! change         what it sets: test, commit, undo
//! ```

mod answer;
mod authority;
mod change;
mod registrations;
mod session;

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use trunkline_agentx::wire::Registration;
use trunkline_config::SubagentPlan;
use trunkline_core::Core;

use self::session::Session;

/// The agent in the role of a subagent, as the configuration wants it.
pub struct SubagentRole {
    core: Arc<Core>,
    runtime: Handle,
    running: Option<Running>,
}

struct Running {
    plan: SubagentPlan,
    registrations: Arc<[Registration]>,
    /// Dropping it closes the session.
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl SubagentRole {
    /// Not one yet.
    #[must_use]
    pub fn new(core: Arc<Core>, runtime: Handle) -> Self {
        SubagentRole { core, runtime, running: None }
    }

    /// Connects to the master of the plan, or leaves it. A session that already is as the plan wants it stays.
    pub fn apply(&mut self, plan: Option<&SubagentPlan>) {
        let Some(plan) = plan else {
            self.running = None;
            return;
        };
        let registrations = registrations::of(&self.core.settings().served().tree, plan);
        if let Some(running) = &self.running
            && running.plan == *plan
            && *running.registrations == *registrations
        {
            return;
        }
        let registrations: Arc<[Registration]> = registrations.into();
        let (stop, stopped) = oneshot::channel();
        let session = Session::new(self.core.clone(), plan.clone(), registrations.clone());
        let task = self.runtime.spawn(session.run(stopped));
        self.running = Some(Running { plan: plan.clone(), registrations, stop, task });
    }

    /// Closes the session.
    pub async fn finish(&mut self) {
        if let Some(Running { stop, task, .. }) = self.running.take() {
            drop(stop);
            let _ = task.await;
        }
    }
}
