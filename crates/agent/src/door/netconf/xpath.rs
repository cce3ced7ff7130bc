//! Filters of type xpath (RFC 6241 section 8.9): what the expression can look at is read into memory, within a limit, and the
//! expression is evaluated there.

use std::collections::BTreeMap;

use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_smi::ValueRef;
use trunkline_yang::annotation::Annotation;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::{InstanceId, Instances};
use trunkline_yang::lexical;
use trunkline_yang::selection::Selection;
use trunkline_yang::xpath::{EvaluationError, Evaluator, Expr, Namespaces, Value, exact, parse, reach};

use trunkline_core::{DataSink, Narrow, Turn};

/// An expression, and what it can look at.
pub(super) struct Filter {
    expression: Expr,
    prefixes: Prefixes,
    pub selection: Selection,
    /// Whether that is what it selects: it need not be evaluated.
    pub is_exact: bool,
    /// What of its value is wanted.
    pub narrowed: Narrowed,
}

/// What of the nodes that are selected is wanted.
#[derive(Clone, Copy, Default)]
pub(super) struct Narrowed {
    pub narrow: Narrow,
    /// Levels, those nodes being the first.
    pub levels: Option<u16>,
}

impl Narrowed {
    /// What is left of a selection. Where it comes from is for whoever makes the data.
    pub fn of(self, selection: Selection, forest: &Forest) -> Selection {
        let selection = match self.levels {
            Some(levels) => selection.limited(forest, levels),
            None => selection,
        };
        match self.narrow.config {
            Some(is_wanted) => {
                selection.only(forest, &|node| forest[node].place.is_configuration() == is_wanted)
            }
            None => selection,
        }
    }
}

/// The prefixes of an expression, with what they stand for where it stands; the names of modules are prefixes everywhere (RFC 8639 section 4,
/// `stream-xpath-filter`).
struct Prefixes(BTreeMap<String, String>);

impl Prefixes {
    fn of(select: &str, element: Element<'_>, forest: &Forest) -> Self {
        let module = |prefix: &str| {
            let module = forest.modules().iter().find(|it| it.name == prefix)?;
            Some(module.namespace.clone())
        };
        let is_part = |it: char| it.is_alphanumeric() || "-_.".contains(it);
        let before = |(at, _): (usize, &str)| {
            let start = select[..at].rfind(|it| !is_part(it));
            let start =
                start.map_or(0, |start| start + select[start..].chars().next().map_or(1, char::len_utf8));
            let prefix = &select[start..at];
            if prefix.is_empty() {
                return None;
            }
            let namespace = element.resolve(prefix).map(str::to_owned).or_else(|| module(prefix))?;
            Some((prefix.to_owned(), namespace))
        };
        Prefixes(select.match_indices(':').filter_map(before).collect())
    }
}

impl Namespaces for Prefixes {
    fn resolve(&self, prefix: &str) -> Option<&str> {
        self.0.get(prefix).map(String::as_str)
    }
}

impl Filter {
    /// # Errors
    /// The text cannot be read as an expression, or the expression could look at too much.
    pub fn of(select: &str, element: Element<'_>, forest: &Forest) -> Result<Self, RpcError> {
        let expression = parse(select).map_err(|error| invalid(&error.to_string()))?;
        if let Some(name) = expression.unknown_function() {
            return Err(refused(EvaluationError::Function(name.to_string())));
        }
        let prefixes = Prefixes::of(select, element, forest);
        let (selection, is_exact) = match exact(&expression, forest, &prefixes) {
            Some(selection) => (selection, true),
            None => (reach(&expression, forest, &prefixes, None).map_err(refused)?, false),
        };
        Ok(Filter { expression, prefixes, selection, is_exact, narrowed: Narrowed::default() })
    }

    /// The nodes that are its value, each once.
    ///
    /// # Errors
    /// As [`Filter::kept`].
    pub fn found(
        &self,
        forest: &Forest,
        instances: &Instances,
        work: u64,
    ) -> Result<Vec<InstanceId>, RpcError> {
        let mut evaluator = Evaluator::new(forest, instances, &self.prefixes, work);
        match evaluator.evaluate(&self.expression, Instances::ROOT).map_err(refused)? {
            Value::Nodes(nodes) => Ok(nodes.into_iter().map(|node| node.instance).collect()),
            _ => Err(invalid("its value must be a set of nodes").called("not-a-node-set")),
        }
    }

    /// The expression with the prefixes of the modules.
    pub fn text(&self, forest: &Forest) -> String {
        let prefix_of = |namespace: &str| forest.modules().iter().find(|it| it.namespace == namespace);
        let prefix =
            |prefix: &str| self.prefixes.resolve(prefix).and_then(prefix_of).map(|it| it.prefix.as_str());
        self.expression.with_prefixes(&prefix).to_string()
    }

    /// Which of the instances the answer has. `work`: how many nodes it may look at, each as often as it does.
    ///
    /// # Errors
    /// The value is not a set of nodes, or takes too much work.
    pub fn kept(&self, forest: &Forest, instances: &Instances, work: u64) -> Result<Vec<bool>, RpcError> {
        let mut evaluator = Evaluator::new(forest, instances, &self.prefixes, work);
        let value = evaluator.evaluate(&self.expression, Instances::ROOT);
        match value.map_err(refused)? {
            Value::Nodes(nodes) => {
                let Narrowed { narrow, levels } = self.narrowed;
                let mut selected = vec![false; instances.len()];
                for node in &nodes {
                    selected[node.instance.0 as usize..instances.end(node.instance).0 as usize].fill(true);
                }
                let nodes = nodes.into_iter().map(|node| node.instance);
                let mut kept = instances.keep(forest, nodes, levels);
                if narrow != Narrow::default() {
                    let passes =
                        |id: InstanceId| selected[id.0 as usize] && narrow.passes(forest, instances, id);
                    instances.prune(forest, &mut kept, passes);
                }
                Ok(kept)
            }
            _ => Err(invalid("its value must be a set of nodes")),
        }
    }
}

fn invalid(what: &str) -> RpcError {
    RpcError::new(Layer::Protocol, Tag::InvalidValue, format!("the XPath expression of the filter: {what}"))
}

fn refused(error: EvaluationError) -> RpcError {
    let message = format!("the XPath expression of the filter: {error}");
    let tag = match error {
        EvaluationError::TooMuch => Tag::ResourceDenied,
        _ => Tag::InvalidValue,
    };
    RpcError::new(Layer::Protocol, tag, message)
}

/// Data that an expression needs.
pub(super) struct Gathered<'f> {
    forest: &'f Forest,
    pub instances: Instances,
    value: String,
    note: Annotation,
}

/// It is more than may be held.
pub(super) struct TooLarge;

impl TooLarge {
    pub fn error(&self) -> RpcError {
        let message = format!(
            "the XPath expression of the filter looks at more than {} MiB of data: name keys of lists, or use a subtree filter, which \
             has no limit",
            MOST_MEMORY >> 20
        );
        RpcError::new(Layer::Protocol, Tag::ResourceDenied, message)
    }
}

impl<'f> Gathered<'f> {
    pub fn new(forest: &'f Forest) -> Self {
        Gathered { forest, instances: Instances::new(), value: String::new(), note: Annotation::default() }
    }
}

impl DataSink for Gathered<'_> {
    type Stop = TooLarge;

    fn note(&mut self, annotation: Annotation) {
        self.note = annotation;
    }

    fn open(&mut self, node: NodeId) {
        self.instances.open(node);
        self.instances.note(std::mem::take(&mut self.note));
    }

    fn close(&mut self, _node: NodeId) {
        self.instances.close();
    }

    fn leaf(&mut self, node: NodeId, value: ValueRef<'_>) {
        if let Some(syntax) = self.forest[node].place.syntax() {
            self.value.clear();
            lexical::write(value, syntax, &mut self.value);
            self.instances.leaf(node, &self.value);
        }
    }

    fn leaf_text(&mut self, node: NodeId, value: &str) {
        self.instances.leaf(node, value);
        self.instances.note(std::mem::take(&mut self.note));
    }

    fn is_full(&self) -> bool {
        self.instances.memory() > MOST_MEMORY
    }

    async fn flush(&mut self) -> Result<(), TooLarge> {
        Err(TooLarge)
    }
}

/// Does what may take a while beside the threads that answer others. The turn is kept until it is done, whether or not somebody still
/// waits for it; the work ends by its own limit. `None`: it has panicked.
pub(super) async fn beside<T: Send + 'static>(
    turn: Turn,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let work = move || {
        let _one_at_a_time = turn;
        let done = work();
        // Each of these threads would keep what it has freed, together more than the unit allows.
        trunkline_process::memory::give_back_now();
        done
    };
    tokio::task::spawn_blocking(work).await.ok()
}

/// Octets of instances that one expression may look at.
const MOST_MEMORY: usize = 24 << 20;
/// The work of one expression: some hundredths of a second.
pub(super) const MOST_WORK: u64 = 2_000_000;
/// The same where others wait: for one event, of which there may be many, and before another thread takes over.
pub(super) const LITTLE_WORK: u64 = 20_000;

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;
    use trunkline_core::Turns;

    #[tokio::test]
    async fn others_are_answered_while_an_expression_is_evaluated() {
        let turns = Turns::default();
        let turn = turns.of(b"max").await.unwrap();
        let (sender, receiver) = channel();
        // It waits for somebody who is answered on the only other thread.
        let work = beside(turn, move || receiver.recv_timeout(Duration::from_secs(60)).is_ok());
        let other = async {
            sender.send(()).unwrap();
        };
        let (done, ()) = tokio::join!(work, other);
        assert!(done.unwrap());
        // The turn has ended with it.
        assert!(turns.of(b"ann").await.is_some());
    }
}
