//! Walks over SOAP: GetNext with a count, one request after another, since an answer may be as long as needed.

use tokio::sync::mpsc;
use trunkline_smi::Oid;
use trunkline_snmp::wire::{Bound, VarBind};

use super::SoapSession;
use crate::error::Error;
use crate::walk::{Repetitions, WalkOptions};

type Batches = mpsc::Sender<Result<Vec<VarBind>, Error>>;

/// Sends what is below `root`, until the end or until the receiver is gone.
pub(super) async fn run(session: SoapSession, root: Oid, options: WalkOptions, batches: Batches) {
    let mut walk = Walking { session, at: root.clone(), root, options, found: 0 };
    loop {
        let batch = walk.step().await;
        let is_last = match &batch {
            Ok(batch) => batch.is_empty(),
            Err(_) => true,
        };
        if is_last {
            let last = match batch {
                Ok(_) => walk.root_itself().await,
                Err(error) => Some(Err(error)),
            };
            if let Some(last) = last {
                let _ = batches.send(last).await;
            }
            return;
        }
        if batches.send(batch).await.is_err() {
            return;
        }
    }
}

struct Walking {
    session: SoapSession,
    root: Oid,
    at: Oid,
    options: WalkOptions,
    found: usize,
}

impl Walking {
    /// The next batch; empty at the end.
    async fn step(&mut self) -> Result<Vec<VarBind>, Error> {
        let wanted = match self.options.repetitions {
            Repetitions::Fixed(count) => count as usize,
            Repetitions::Tuned { .. } => AT_ONCE,
        };
        let left = self.options.max_bindings.map_or(usize::MAX, |most| most.saturating_sub(self.found));
        let count = wanted.min(left);
        if count == 0 || (self.at != self.root && !self.at.starts_with(&self.root)) {
            return Ok(Vec::new());
        }
        let answer = self.session.next_many(std::slice::from_ref(&self.at), count).await?;
        let mut batch = Vec::with_capacity(answer.bindings.len());
        for binding in answer.bindings {
            if matches!(binding.value, Bound::Exception(_)) || !binding.name.starts_with(&self.root) {
                // What follows is outside the subtree: the next step ends without a request.
                self.options.max_bindings = Some(self.found + batch.len());
                break;
            }
            if self.options.check_order && binding.name <= self.at {
                return Err(Error::NotIncreasing { previous: self.at.clone(), found: binding.name });
            }
            self.at = binding.name.clone();
            batch.push(binding);
        }
        self.found += batch.len();
        Ok(batch)
    }

    /// If nothing is below the root, the root may be an instance.
    async fn root_itself(&self) -> Option<Result<Vec<VarBind>, Error>> {
        if self.found > 0 || !self.options.get_root_if_empty {
            return None;
        }
        let answer = self.session.get(std::slice::from_ref(&self.root)).await;
        Some(answer.map(|answer| answer.bindings))
    }
}

/// Instances per request.
const AT_ONCE: usize = 1_000;
