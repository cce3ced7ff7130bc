//! The tasks of the monitors: each samples its objects from the tree at its own pace.

use std::sync::Arc;
use std::time::Instant;

use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::Outbox;
use super::monitor::Monitor;
use trunkline_config::MonitorPlan;
use trunkline_core::Core;

/// The monitors at work; they end when this is dropped.
#[derive(Debug, Default)]
pub struct Watcher {
    plans: Vec<MonitorPlan>,
    tasks: JoinSet<()>,
}

impl Watcher {
    /// Watches these monitors from now on. Unchanged ones keep their state. Must be called on a tokio runtime.
    pub fn configure(&mut self, plans: &[MonitorPlan], core: &Arc<Core>, outbox: &Outbox) {
        if self.plans == plans {
            return;
        }
        self.plans = plans.to_vec();
        self.tasks = JoinSet::new();
        for plan in plans {
            self.tasks.spawn(watch(Monitor::new(plan.clone()), core.clone(), outbox.clone()));
        }
    }
}

async fn watch(mut monitor: Monitor, core: Arc<Core>, outbox: Outbox) {
    let names: Vec<_> = monitor.plan().expression.objects().into_iter().cloned().collect();
    let mut ticks = tokio::time::interval(monitor.plan().every);
    // A machine that was asleep is looked at once, not for each time that was missed.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let values = core.settings().served().read(&names).await;
        let Some(crossing) = monitor.sampled(Instant::now(), &values) else { continue };
        let mut event = monitor.event(crossing);
        let wanted = core.settings().served().read(&monitor.plan().send).await;
        event.objects.extend(wanted);
        tracing::info!(
            monitor = monitor.plan().name,
            value = crossing.value,
            limit = crossing.limit,
            "crossed"
        );
        outbox.tell(event);
    }
}
