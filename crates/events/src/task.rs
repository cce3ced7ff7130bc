//! The task of one trigger: it samples, and has done what the samples lead to.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::MissedTickBehavior;
use trunkline_core::{Core, Served, Unanswered};
use trunkline_notify::Outbox;
use trunkline_smi::Oid;
use trunkline_tree::Access;
use trunkline_tree::policy::ViewType;

use crate::definition::{Object, Reason, Trigger};
use crate::fire;
use crate::resources::{Resources, Share};
use crate::sampler::{Sampler, Samples};
use crate::shared::Shared;

/// One trigger at work.
pub(crate) struct Task {
    pub trigger: Arc<Trigger>,
    pub shared: Arc<Shared>,
    pub core: Arc<Core>,
    pub outbox: Outbox,
    sampler: Sampler,
    share: Share,
    /// Whether the log has a line about the present failure.
    is_logged: bool,
}

/// A check that failed, and of which instance.
struct Failed {
    reason: Reason,
    instance: Oid,
}

impl Task {
    /// A trigger without samples.
    pub fn new(trigger: Arc<Trigger>, shared: Arc<Shared>, core: Arc<Core>, outbox: Outbox) -> Self {
        let share = Share::new(shared.resources.clone());
        Task { trigger, shared, core, outbox, sampler: Sampler::default(), share, is_logged: false }
    }

    /// Samples until the task is ended.
    pub async fn run(mut self) {
        let mut ticks = tokio::time::interval(self.trigger.every);
        // A machine that was asleep is looked at once, not for each time that was missed.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match self.sample().await {
                Ok(()) => self.is_logged = false,
                Err(failed) => self.failed(&failed),
            }
        }
    }

    async fn sample(&mut self) -> Result<(), Failed> {
        let trigger = self.trigger.clone();
        let failed = |reason| Failed { reason, instance: trigger.object.oid.clone() };
        let settings = self.core.settings();
        let access = trigger.authority.access(&self.core, &settings, &trigger.context, ViewType::Read);
        let access = access.map_err(failed)?;
        let served = settings.served();
        // More than may be held: those that are known must be among them.
        let most = self.shared.plan.load().max_instances;
        let (mut values, is_cut) = read(served, &trigger.object, &access, most).await.map_err(failed)?;
        let markers = match &trigger.discontinuity {
            Some(object) => read(served, object, &access, most).await.map_err(failed)?.0,
            None => Samples::new(),
        };
        if trigger.discontinuity.is_some() && markers.is_empty() && !values.is_empty() {
            return Err(failed(Reason::NoSuchName));
        }
        let left_out = self.fit(&mut values);
        let outcome = self.sampler.sampled(&trigger, &values, &markers);
        for firing in &outcome.firings {
            fire::fire(self, firing).await;
        }
        let is_compared = trigger.boolean.is_some() || trigger.threshold.is_some();
        match outcome.wrong_type {
            Some(suffix) => {
                Err(Failed { reason: Reason::BadType, instance: trigger.object.instance(&suffix) })
            }
            None if is_cut || left_out > 0 => {
                let more = left_out + u32::from(is_cut);
                Resources::count(&self.shared.resources.lacks, more);
                Err(failed(Reason::LocalResourceLack))
            }
            None if is_compared && values.is_empty() && !trigger.object.wildcard => {
                Err(failed(Reason::NoSuchName))
            }
            None => Ok(()),
        }
    }

    /// Leaves out the instances that are too many, new ones first; returns how many.
    fn fit(&mut self, values: &mut Samples) -> u32 {
        let granted = self.share.hold(values.len());
        let left_out = values.len() - granted;
        let mut too_many = left_out;
        if too_many > 0 {
            let mut is_left_out = |suffix: &Vec<u32>| {
                let is_left_out = too_many > 0 && !self.sampler.knows(suffix);
                too_many -= usize::from(is_left_out);
                is_left_out
            };
            *values =
                std::mem::take(values).into_iter().rev().filter(|(suffix, _)| !is_left_out(suffix)).collect();
            while values.len() > granted {
                values.pop_last();
            }
        }
        u32::try_from(left_out).unwrap_or(u32::MAX)
    }

    fn failed(&mut self, failed: &Failed) {
        Resources::count(&self.shared.resources.trigger_failures, 1);
        let Failed { reason, instance } = failed;
        if !std::mem::replace(&mut self.is_logged, true) {
            let name = String::from_utf8_lossy(&self.trigger.id.name);
            tracing::warn!(trigger = %name, object = %instance, ?reason, "a trigger cannot be checked");
        }
        if self.shared.plan.load().failures {
            self.outbox.tell(fire::trigger_failure(self, instance, *reason));
        }
    }
}

/// The instances of an object, by what comes after its identifier; and whether there are more.
async fn read(
    served: &Served,
    object: &Object,
    access: &Access,
    most: usize,
) -> Result<(Samples, bool), Reason> {
    let reason = |_: Unanswered| Reason::GenErr;
    if object.wildcard {
        let below = served.below(&object.oid, access, most).await.map_err(reason)?;
        return Ok((below.values, below.is_cut));
    }
    let value = served.value(&object.oid, access).await.map_err(reason)?;
    Ok((value.map(|value| (Vec::new(), value)).into_iter().collect::<BTreeMap<_, _>>(), false))
}
