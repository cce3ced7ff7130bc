//! What a configuration must fulfil beside the types of its leaves (RFC 7950 section 8.1), with the errors of section 15.

use std::collections::{HashMap, HashSet};

use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::{InstanceId, Instances};
use trunkline_yang::own::Rule;
use trunkline_yang::xpath::{Evaluator, Expr, Namespaces, Value, parse};

use crate::config::{Config, Step};
use crate::defaults::with_all;
use crate::edit::MOST_ERRORS;
use crate::path::{path, steps};

/// What a configuration does not fulfil that has come from one that did. What has no rules, or has not changed, costs nothing.
pub(crate) fn broken(forest: &Forest, before: &Config, after: &Config) -> Vec<RpcError> {
    let mut broken = Vec::new();
    for (step, _, item) in before.root().differences(after.root()) {
        let Some(item) = item.filter(|_| has_rules(forest, step.node)) else { continue };
        let mut part = Config::default();
        part.root_mut().insert(step.clone(), item.clone());
        // Expressions see the defaults that are in force (section 6.4.1).
        let instances = with_all(forest, &part).instances();
        let (targets, expressions) = (HashMap::new(), HashMap::new());
        let mut check = Check { forest, instances: &instances, targets, expressions, broken: &mut broken };
        for id in instances.below(Instances::ROOT) {
            check.instance(id);
        }
    }
    broken.truncate(MOST_ERRORS);
    broken
}

/// Whether a node or anything in it has rules that need all of a root; choices and references to other roots do not.
fn has_rules(forest: &Forest, node: NodeId) -> bool {
    forest[node].place.rules().iter().any(|rule| !matches!(rule, Rule::Choice(_) | Rule::Elsewhere(_)))
        || forest[node].children.iter().any(|child| has_rules(forest, *child))
}

struct Check<'c> {
    forest: &'c Forest,
    instances: &'c Instances,
    /// The values that references lead to, read once.
    targets: HashMap<&'static [&'static str], HashSet<&'c str>>,
    /// Expressions, read once.
    expressions: HashMap<&'static str, Option<Expr>>,
    broken: &'c mut Vec<RpcError>,
}

/// Expressions of our own have no prefixes.
struct NoPrefixes;

impl Namespaces for NoPrefixes {
    fn resolve(&self, _prefix: &str) -> Option<&str> {
        None
    }
}

impl Check<'_> {
    fn instance(&mut self, id: InstanceId) {
        let Some(node) = self.instances.node(id) else { return };
        for rule in self.forest[node].place.rules() {
            match rule {
                Rule::Must(expression, message) => self.must(id, expression, message),
                Rule::Reference(names) => self.reference(id, names),
                _ => {}
            }
        }
        for child in &self.forest[node].children {
            for rule in self.forest[*child].place.rules() {
                match rule {
                    Rule::AtLeast(least) => self.count(id, *child, |count| count >= *least, "few", *least),
                    Rule::AtMost(most) => self.count(id, *child, |count| count <= *most, "many", *most),
                    _ => {}
                }
            }
        }
    }

    fn place(&self, id: InstanceId) -> Vec<Step> {
        steps(self.forest, self.instances, id)
    }

    fn error(&mut self, tag: Tag, app_tag: &'static str, message: String, place: &[Step]) {
        let error = RpcError::new(Layer::Application, tag, message).called(app_tag);
        self.broken.push(error.at(path(self.forest, place)));
    }

    /// Section 15.4.
    fn must(&mut self, id: InstanceId, expression: &'static str, message: &'static str) {
        let mut evaluator = Evaluator::new(self.forest, self.instances, &NoPrefixes, MOST_WORK);
        let parsed = self.expressions.entry(expression).or_insert_with(|| parse(expression).ok());
        let value = parsed.as_ref().and_then(|it| evaluator.evaluate(it, id).ok());
        debug_assert!(value.is_some(), "{expression} has no value");
        if !value.is_some_and(|value| is_true(&value)) {
            let place = self.place(id);
            self.error(Tag::OperationFailed, "must-violation", message.to_owned(), &place);
        }
    }

    /// Section 15.5.
    fn reference(&mut self, id: InstanceId, names: &'static [&'static str]) {
        if !self.targets.contains_key(names) {
            let mut found = HashSet::new();
            self.gather(Instances::ROOT, names, &mut found);
            self.targets.insert(names, found);
        }
        let value = self.instances.value(id);
        if !self.targets[names].contains(value) {
            let message = format!("there is no /{} that is {value}", names.join("/"));
            let place = self.place(id);
            self.error(Tag::DataMissing, "instance-required", message, &place);
        }
    }

    /// Sections 15.2 and 15.3.
    fn count(
        &mut self,
        parent: InstanceId,
        of: NodeId,
        fits: impl Fn(usize) -> bool,
        what: &str,
        bound: usize,
    ) {
        let count = self.entries(parent, of).count();
        if fits(count) {
            return;
        }
        let name = &self.forest[of].name;
        let (app_tag, word) = match what {
            "few" => ("too-few-elements", "at least"),
            _ => ("too-many-elements", "at most"),
        };
        let message = format!("there must be {word} {bound} of {name}, and there are {count}");
        let mut place = self.place(parent);
        place.push(Step::to(of));
        self.error(Tag::OperationFailed, app_tag, message, &place);
    }

    fn entries(&self, parent: InstanceId, of: NodeId) -> impl Iterator<Item = InstanceId> + use<'_> {
        self.instances.children(parent).filter(move |id| self.instances.node(*id) == Some(of))
    }
}

impl<'c> Check<'c> {
    fn gather(&self, at: InstanceId, names: &[&str], found: &mut HashSet<&'c str>) {
        let instances: &'c Instances = self.instances;
        let Some((first, rest)) = names.split_first() else {
            found.insert(instances.value(at));
            return;
        };
        for id in instances.children(at) {
            if instances.node(id).is_some_and(|node| self.forest[node].name == *first) {
                self.gather(id, rest, found);
            }
        }
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Nodes(nodes) => !nodes.is_empty(),
        Value::Boolean(is_true) => *is_true,
        Value::Number(number) => *number != 0.0 && !number.is_nan(),
        Value::Text(text) => !text.is_empty(),
    }
}

/// Nodes that one expression looks at. Ours look at their neighbourhood.
const MOST_WORK: u64 = 1_000_000;
