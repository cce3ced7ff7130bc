//! Filters of type xpath (RFC 6241 section 8.9): what the expression can look at is read into memory, within a limit, and the
//! expression is evaluated there.

use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_smi::ValueRef;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::Instances;
use trunkline_yang::lexical;
use trunkline_yang::selection::Selection;
use trunkline_yang::xpath::{EvaluationError, Evaluator, Expr, Namespaces, Value, parse, reach};

use crate::core::DataSink;

/// An expression, and what it can look at.
pub(super) struct Filter<'d> {
    expression: Expr,
    prefixes: Prefixes<'d>,
    pub selection: Selection,
}

/// The prefixes that are declared where a filter stands.
#[derive(Clone, Copy)]
struct Prefixes<'d>(Element<'d>);

impl Namespaces for Prefixes<'_> {
    fn resolve(&self, prefix: &str) -> Option<&str> {
        self.0.resolve(prefix)
    }
}

impl<'d> Filter<'d> {
    /// # Errors
    /// The text cannot be read as an expression, or the expression could look at too much.
    pub fn of(select: &str, element: Element<'d>, forest: &Forest) -> Result<Self, RpcError> {
        let expression = parse(select).map_err(|error| invalid(&error.to_string()))?;
        let prefixes = Prefixes(element);
        let selection = reach(&expression, forest, &prefixes, None).map_err(refused)?;
        Ok(Filter { expression, prefixes, selection })
    }

    /// Which of the instances the answer has.
    ///
    /// # Errors
    /// The value is not a set of nodes, or takes too much work.
    pub fn kept(&self, forest: &Forest, instances: &Instances) -> Result<Vec<bool>, RpcError> {
        let mut evaluator = Evaluator::new(forest, instances, &self.prefixes, MOST_WORK);
        let value = evaluator.evaluate(&self.expression, Instances::ROOT);
        match value.map_err(refused)? {
            Value::Nodes(nodes) => Ok(instances.keep(forest, nodes.into_iter().map(|node| node.instance))),
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
        Gathered { forest, instances: Instances::new(), value: String::new() }
    }
}

impl DataSink for Gathered<'_> {
    type Stop = TooLarge;

    fn open(&mut self, node: NodeId) {
        self.instances.open(node);
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
    }

    fn is_full(&self) -> bool {
        self.instances.memory() > MOST_MEMORY
    }

    async fn flush(&mut self) -> Result<(), TooLarge> {
        Err(TooLarge)
    }
}

/// Octets of instances that one expression may look at.
const MOST_MEMORY: usize = 32 << 20;
/// Nodes that it may look at, each as often as it does: some hundredths of a second, in which nobody else is answered.
const MOST_WORK: u64 = 2_000_000;
