//! What a configuration must fulfil as a whole (RFC 7950 section 8.3.3).

use trunkline_netconf::error::{Info, Layer, RpcError, Tag};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::Rule;

use crate::config::{Branch, Config, Item, Step};
use crate::edit::MOST_ERRORS;
use crate::path::path;
use crate::references::dangling;
use crate::rules::broken;

/// Checks it: every leaf that must be there is there, of every choice something, and rules are kept.
///
/// # Errors
/// All that is missing or against a rule.
pub fn check(forest: &Forest, config: &Config) -> Result<(), Vec<RpcError>> {
    check_change(forest, &Config::default(), config)
}

/// The same of what has come from something that fulfilled it: what both share costs nothing, but rules need all of a root.
///
/// # Errors
/// All that is missing, or against a rule, where it has changed.
pub fn check_change(forest: &Forest, before: &Config, after: &Config) -> Result<(), Vec<RpcError>> {
    let mut missing = Vec::new();
    within(forest, &before.0, &after.0, &mut Vec::new(), &mut missing);
    missing.extend(broken(forest, before, after));
    missing.extend(dangling(forest, before, after));
    missing.truncate(MOST_ERRORS);
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
        one(forest, step.node, branch, steps, missing);
        let old = old.and_then(Item::branch).unwrap_or(&nothing);
        within(forest, old, branch, steps, missing);
        steps.pop();
    }
}

/// What is missing in a container or an entry, which is where `steps` lead.
fn one(forest: &Forest, node: NodeId, branch: &Branch, steps: &mut Vec<Step>, missing: &mut Vec<RpcError>) {
    let is_missing = |node: &&NodeId| {
        forest[**node].place.setting().is_some_and(|it| it.is_mandatory) && branch.leaf(**node).is_none()
    };
    for child in forest[node].children.iter().filter(is_missing) {
        let message = format!("{} must have {}", forest[node].name, forest[*child].name);
        steps.push(Step::to(*child));
        missing.push(RpcError::new(Layer::Application, Tag::DataMissing, message).at(path(forest, steps)));
        steps.pop();
    }
    if choice(forest, node).is_some() && !is_chosen(forest, branch, node) {
        missing.push(not_chosen(forest, node, steps));
    }
    // A container that is not there is as one with nothing in it.
    let is_there = |node: NodeId| branch.within(&Step::to(node)).is_some();
    let plain = forest[node].children.iter().filter(|node| forest[**node].place.is_plain_container());
    for child in plain.filter(|node| choice(forest, **node).is_some() && !is_there(**node)) {
        steps.push(Step::to(*child));
        missing.push(not_chosen(forest, *child, steps));
        steps.pop();
    }
}

/// The mandatory choice in a container or an entry.
fn choice(forest: &Forest, node: NodeId) -> Option<&'static str> {
    forest[node].place.rules().iter().find_map(|rule| match rule {
        Rule::Choice(choice) => Some(*choice),
        _ => None,
    })
}

/// Whether there is something of the choice in a container or an entry.
fn is_chosen(forest: &Forest, branch: &Branch, node: NodeId) -> bool {
    let mut cases = forest[node].children.iter().filter(|it| forest[**it].place.case() != 0);
    cases.any(|it| branch.get(&Step::to(*it)).is_some())
}

fn not_chosen(forest: &Forest, node: NodeId, steps: &[Step]) -> RpcError {
    let name = &forest[node].name;
    let cases = forest[node].children.iter().filter(|it| forest[**it].place.case() != 0);
    let cases: Vec<&str> = cases.map(|it| &*forest[*it].name).collect();
    let message = match &cases[..] {
        [only] => format!("{name} must have {only}"),
        cases => format!("{name} must have one of {}", cases.join(", ")),
    };
    let error = RpcError::new(Layer::Application, Tag::DataMissing, message);
    let error = error.called("missing-choice").at(path(forest, steps));
    let choice = choice(forest, node).map(|choice| Info::MissingChoice(choice.to_owned()));
    choice.into_iter().fold(error, RpcError::with)
}
