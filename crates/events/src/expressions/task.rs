//! The tasks of the expressions that are sampled: each at its own pace, as long as its rows are as they are.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;
use trunkline_core::Core;
use trunkline_expression::{ErrorCode, Fault};

use super::definition::Definition;
use super::pass::Pass;
use super::shared::Shared;
use crate::definition::Named;

/// The expressions at work; they end when this is dropped.
#[derive(Debug)]
pub struct ExpressionEngine(JoinHandle<()>);

impl ExpressionEngine {
    /// Starts them. Must be called on a tokio runtime.
    pub(super) fn start(shared: Arc<Shared>, core: Arc<Core>) -> Self {
        ExpressionEngine(tokio::spawn(Expressions { shared, core, running: HashMap::new() }.run()))
    }
}

impl Drop for ExpressionEngine {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Expressions {
    shared: Arc<Shared>,
    core: Arc<Core>,
    running: HashMap<Named, Running>,
}

/// The task of an expression, which ends with this.
struct Running {
    definition: Arc<Definition>,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Expressions {
    async fn run(mut self) {
        loop {
            let definitions = self.shared.definitions.load_full();
            self.running.retain(|id, running| {
                definitions.all.get(id).is_some_and(|definition| *definition == running.definition)
            });
            for (id, definition) in &definitions.all {
                if let Some(every) = definition.interval().filter(|_| !self.running.contains_key(id)) {
                    let task = sample(self.shared.clone(), self.core.clone(), definition.clone(), every);
                    let running = Running { definition: definition.clone(), task: tokio::spawn(task) };
                    self.running.insert(id.clone(), running);
                }
            }
            self.shared.news.notified().await;
        }
    }
}

/// Samples until the task is ended.
async fn sample(shared: Arc<Shared>, core: Arc<Core>, definition: Arc<Definition>, every: Duration) {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let began = Instant::now();
        Pass::new(&shared, &core).sample(&definition).await;
        if began.elapsed() > every {
            let message = format!("a sample takes longer than {every:?}");
            let fault = Fault::whole(ErrorCode::DeltaTooShort, message);
            shared.errors.failed(&definition.index, fault, Vec::new(), Instant::now());
        }
    }
}
