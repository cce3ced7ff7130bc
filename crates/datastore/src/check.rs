//! What a configuration must fulfil as a whole (RFC 7950 section 8.3.3).

use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_yang::forest::{Forest, NodeId};

use crate::config::{Branch, Config, Item, Step};
use crate::edit::MOST_ERRORS;
use crate::path::path;

/// Checks it: every leaf that must be there is there, and of every choice something.
///
/// # Errors
/// All that is missing.
pub fn check(forest: &Forest, config: &Config) -> Result<(), Vec<RpcError>> {
    check_change(forest, &Config::default(), config)
}

/// The same of what has come from something that fulfilled it: what both share costs nothing.
///
/// # Errors
/// All that is missing where it has changed.
pub fn check_change(forest: &Forest, before: &Config, after: &Config) -> Result<(), Vec<RpcError>> {
    let mut missing = Vec::new();
    within(forest, &before.0, &after.0, &mut Vec::new(), &mut missing);
    if missing.is_empty() { Ok(()) } else { Err(missing) }
}

fn within(
    forest: &Forest,
    before: &Branch,
    after: &Branch,
    steps: &mut Vec<Step>,
    missing: &mut Vec<RpcError>,
) {
    let nothing = Branch::default();
    for (step, old, new) in before.differences(after) {
        // The rest is found when these are mended.
        if missing.len() >= MOST_ERRORS {
            return;
        }
        let Some(Item::Within(branch)) = new else { continue };
        steps.push(step.clone());
        one(forest, branch, steps, missing);
        let old = old.and_then(Item::branch).unwrap_or(&nothing);
        within(forest, old, branch, steps, missing);
        steps.pop();
    }
}

/// What is missing in a container or an entry, which is where `steps` lead.
fn one(forest: &Forest, branch: &Branch, steps: &mut Vec<Step>, missing: &mut Vec<RpcError>) {
    let Some(node) = steps.last().map(|step| step.node) else { return };
    let mut add = |child: NodeId, message: String| {
        steps.push(Step::to(child));
        missing.push(RpcError::new(Layer::Application, Tag::DataMissing, message).at(path(forest, steps)));
        steps.pop();
    };
    for child in &forest[node].children {
        let is_mandatory = forest[*child].place.setting().is_some_and(|it| it.is_mandatory);
        let name = &forest[*child].name;
        if is_mandatory && branch.leaf(*child).is_none() {
            add(*child, format!("{} must have {name}", forest[node].name));
        }
        if !is_chosen(forest, branch, *child) {
            let cases: Vec<&str> = forest[*child].children.iter().map(|it| &*forest[*it].name).collect();
            add(*child, format!("{name} must have one of {}", cases.join(", ")));
        }
    }
}

/// Whether there is something of a container's choice, if it has one.
fn is_chosen(forest: &Forest, branch: &Branch, container: NodeId) -> bool {
    let mut choice = forest[container].children.iter().filter(|it| forest[**it].place.case() != 0).peekable();
    let within = branch.within(&Step::to(container));
    choice.peek().is_none()
        || within.is_some_and(|within| choice.any(|it| within.get(&Step::to(*it)).is_some()))
}
