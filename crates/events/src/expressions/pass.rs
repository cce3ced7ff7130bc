//! One evaluation of expressions that may use the values of each other.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use trunkline_core::{Core, Settings};
use trunkline_expression::{ErrorCode, Fault};
use trunkline_tree::Access;
use trunkline_tree::policy::ViewType;

use super::computation::{Computed, Reading, Values};
use super::definition::{Definition, Input};
use super::links::{self, Used};
use super::reading::Reader;
use super::shared::Shared;
use crate::authority::Authority;
use crate::definition::{Named, Object};

/// How long one pass may wait for objects.
const LONGEST: Duration = Duration::from_secs(5);

/// How many expressions may stand behind each other.
const DEEPEST: usize = 16;

/// Leaves what somebody else may read as well.
fn keep_readable(input: &Input, reading: &mut Reading, access: &Access) {
    let objects = [Some(&input.object), input.sample.marker(), input.conditional.as_ref()];
    let parts = [&mut reading.values, &mut reading.markers, &mut reading.conditions];
    for (object, values) in objects.into_iter().zip(parts) {
        if let Some(object) = object {
            values.retain(|suffix, _| access.may_read_name(&object.instance(suffix)));
        }
    }
}

/// An evaluation of several expressions in one moment.
pub(super) struct Pass<'p> {
    shared: &'p Shared,
    core: &'p Core,
    settings: Arc<Settings>,
    /// What has been computed in this pass.
    known: BTreeMap<Named, Arc<Values>>,
    /// How many values there may still be.
    left: usize,
    until: tokio::time::Instant,
}

type Boxed<'b, T> = Pin<Box<dyn Future<Output = T> + Send + 'b>>;

impl<'p> Pass<'p> {
    pub fn new(shared: &'p Shared, core: &'p Core) -> Self {
        let left = shared.plan.load().max_instances;
        let until = tokio::time::Instant::now() + LONGEST;
        Pass { shared, core, settings: core.settings(), known: BTreeMap::new(), left, until }
    }

    /// The values of all expressions.
    pub async fn all(mut self) -> Vec<(Arc<Definition>, Arc<Values>)> {
        let definitions = self.shared.definitions.load_full();
        let mut all = Vec::new();
        for definition in definitions.all.values() {
            let values = self.values(definition, 0).await;
            all.push((definition.clone(), values));
        }
        all
    }

    /// Samples one expression.
    pub async fn sample(mut self, definition: &Arc<Definition>) {
        let values = self.compute(definition, 0).await;
        let state = self.shared.state(definition);
        state.lock().unwrap_or_else(PoisonError::into_inner).values = values;
    }

    fn values<'b>(&'b mut self, definition: &'b Arc<Definition>, depth: usize) -> Boxed<'b, Arc<Values>> {
        Box::pin(async move {
            if let Some(known) = self.known.get(&definition.id) {
                return known.clone();
            }
            let values = if definition.interval().is_some() {
                let state = self.shared.state(definition);
                let state = state.lock().unwrap_or_else(PoisonError::into_inner);
                state.values.clone()
            } else {
                self.compute(definition, depth).await
            };
            self.left = self.left.saturating_sub(values.len());
            self.known.insert(definition.id.clone(), values.clone());
            values
        })
    }

    async fn compute(&mut self, definition: &Arc<Definition>, depth: usize) -> Arc<Values> {
        let until = self.until;
        let computed = match tokio::time::timeout_at(until, self.computed(definition, depth)).await {
            Ok(Ok(computed)) => computed,
            Ok(Err(fault)) => Computed { values: Values::new(), fault: Some((fault, Vec::new())) },
            Err(_) => {
                let message = format!("the objects were not read within {LONGEST:?}");
                let fault = Fault::whole(ErrorCode::ResourceUnavailable, message);
                Computed { values: Values::new(), fault: Some((fault, Vec::new())) }
            }
        };
        if let Some((fault, instance)) = computed.fault {
            let name = String::from_utf8_lossy(&definition.id.name).into_owned();
            tracing::debug!(expression = %trunkline_smi::visible(&name), %fault, "an expression has no value");
            self.shared.errors.failed(&definition.index, fault, instance, Instant::now());
        }
        Arc::new(computed.values)
    }

    async fn computed(&mut self, definition: &Arc<Definition>, depth: usize) -> Result<Computed, Fault> {
        let definitions = self.shared.definitions.load_full();
        if definitions.is_circular(&definition.id) {
            let message = "the expression uses its own value";
            return Err(Fault::whole(ErrorCode::Recursion, message));
        }
        if depth == DEEPEST {
            let message = format!("more than {DEEPEST} expressions stand behind each other");
            return Err(Fault::whole(ErrorCode::ResourceUnavailable, message));
        }
        let settings = self.settings.clone();
        // Whoever may read nothing has no objects, which is not an error (expExpressionErrors).
        let Ok(access) = definition.authority.access(self.core, &settings, &[], ViewType::Read) else {
            return Ok(Computed::default());
        };
        let mut readings = BTreeMap::new();
        for number in definition.used() {
            let Some(input) = definition.objects.get(&number) else { continue };
            let mut reading = self.reading(input, (&settings, &access), depth).await?;
            if input.authority != Authority::Configuration && input.authority != definition.authority {
                // Rights are not lent: whoever has named the object must be allowed to read it too.
                match input.authority.access(self.core, &settings, &[], ViewType::Read) {
                    Ok(access) => keep_readable(input, &mut reading, &access),
                    Err(_) => reading = Reading::default(),
                }
            }
            readings.insert(number, reading);
        }
        let state = self.shared.state(definition);
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(state.compute(definition, readings, self.left))
    }

    async fn reading(
        &mut self,
        input: &Input,
        (settings, access): (&Settings, &Access),
        depth: usize,
    ) -> Result<Reading, Fault> {
        let mut reading = Reading::default();
        let parts = [
            (Some(&input.object), &mut reading.values),
            (input.sample.marker(), &mut reading.markers),
            (input.conditional.as_ref(), &mut reading.conditions),
        ];
        for (object, values) in parts {
            let Some(object) = object else { continue };
            *values = match links::used(object) {
                Used::Tree => {
                    let most = self.shared.plan.load().max_instances;
                    Reader { served: settings.served(), access, most }.read(object).await?
                }
                Used::Expression(id) => self.of_expression(&id, object, access, depth).await,
                Used::Expressions => Values::new(),
            };
        }
        Ok(reading)
    }

    /// The values of another expression that may be read, by what comes after the object's identifier.
    async fn of_expression(&mut self, id: &Named, object: &Object, access: &Access, depth: usize) -> Values {
        let Some(other) = self.shared.definitions.load().all.get(id).cloned() else { return Values::new() };
        let values = self.values(&other, depth + 1).await;
        let mut found = Values::new();
        for (instance, value) in values.iter() {
            let name = links::name(&other, instance);
            let suffix = match object.wildcard {
                true => name.strip_prefix(&*object.oid).filter(|suffix| !suffix.is_empty()),
                false => (*name == *object.oid).then_some(&[][..]),
            };
            if let Some(suffix) = suffix.filter(|_| access.may_read_name(&name)) {
                found.insert(suffix.to_vec(), value.clone());
            }
        }
        found
    }
}
