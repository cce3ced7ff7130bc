//! The tasks of the triggers: each samples its object at its own pace, as long as its row is as it is.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::JoinHandle;
use trunkline_core::Core;
use trunkline_notify::Outbox;

use crate::definition::{Named, Trigger};
use crate::shared::Shared;
use crate::task::Task;

/// The triggers at work; they end when this is dropped.
#[derive(Debug)]
pub struct Engine(JoinHandle<()>);

impl Engine {
    /// Starts them. Must be called on a tokio runtime.
    pub(crate) fn start(shared: Arc<Shared>, core: Arc<Core>, outbox: Outbox) -> Self {
        Engine(tokio::spawn(Triggers { shared, core, outbox, running: HashMap::new() }.run()))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Triggers {
    shared: Arc<Shared>,
    core: Arc<Core>,
    outbox: Outbox,
    running: HashMap<Named, Running>,
}

/// The task of a trigger, which ends with this.
struct Running {
    trigger: Arc<Trigger>,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Triggers {
    async fn run(mut self) {
        loop {
            let definitions = self.shared.definitions.load_full();
            self.running.retain(|id, running| {
                definitions.triggers.get(id).is_some_and(|trigger| *trigger == running.trigger)
            });
            for (id, trigger) in &definitions.triggers {
                if !self.running.contains_key(id) {
                    self.running.insert(id.clone(), self.start(trigger.clone()));
                }
            }
            self.shared.news.notified().await;
        }
    }

    fn start(&self, trigger: Arc<Trigger>) -> Running {
        let task = Task::new(trigger.clone(), self.shared.clone(), self.core.clone(), self.outbox.clone());
        Running { trigger, task: tokio::spawn(task.run()) }
    }
}
