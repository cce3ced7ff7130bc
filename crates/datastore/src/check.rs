//! What a configuration must fulfil as a whole (RFC 7950 section 8.3.3).

use trunkline_netconf::error::{Info, Layer, RpcError, Tag};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::Rule;

use crate::config::{Branch, Config, Item, Step};
use crate::edit::MOST_ERRORS;
use crate::path::path;
use crate::rules::broken;

/// Checks it: every leaf that must be there is there, of every choice something, and rules are kept.
///
/// # Errors
/// All that is missing or against a rule.
pub fn check(forest: &Forest, config: &Config) -> Result<(), Vec<RpcError>> {
    let mut missing = Vec::new();
    within(forest, &config.0, &mut Vec::new(), &mut missing);
    missing.extend(broken(forest, config));
    missing.truncate(MOST_ERRORS);
    if missing.is_empty() { Ok(()) } else { Err(missing) }
}

fn within(forest: &Forest, branch: &Branch, steps: &mut Vec<Step>, missing: &mut Vec<RpcError>) {
    for (step, item) in branch.iter() {
        // The rest is found when these are mended.
        if missing.len() >= MOST_ERRORS {
            return;
        }
        let Item::Within(branch) = item else { continue };
        steps.push(step.clone());
        let is_missing = |node: &&NodeId| {
            forest[**node].place.setting().is_some_and(|it| it.is_mandatory) && branch.leaf(**node).is_none()
        };
        for node in forest[step.node].children.iter().filter(is_missing) {
            let name = &forest[*node].name;
            let message = format!("{} must have {name}", forest[step.node].name);
            steps.push(Step::to(*node));
            missing
                .push(RpcError::new(Layer::Application, Tag::DataMissing, message).at(path(forest, steps)));
            steps.pop();
        }
        for node in &forest[step.node].children {
            if !is_chosen(forest, branch, *node) {
                let name = &forest[*node].name;
                let cases: Vec<&str> = forest[*node].children.iter().map(|it| &*forest[*it].name).collect();
                let message = format!("{name} must have one of {}", cases.join(", "));
                steps.push(Step::to(*node));
                let choice = forest[*node].place.rules().iter().find_map(|rule| match rule {
                    Rule::Choice(choice) => Some(Info::MissingChoice((*choice).to_owned())),
                    _ => None,
                });
                let error = RpcError::new(Layer::Application, Tag::DataMissing, message);
                let error = error.called("missing-choice").at(path(forest, steps));
                missing.push(choice.into_iter().fold(error, RpcError::with));
                steps.pop();
            }
        }
        within(forest, branch, steps, missing);
        steps.pop();
    }
}

/// Whether there is something of a container's choice, if it has one.
fn is_chosen(forest: &Forest, branch: &Branch, container: NodeId) -> bool {
    let mut choice = forest[container].children.iter().filter(|it| forest[**it].place.case() != 0).peekable();
    let within = branch.within(&Step::to(container));
    choice.peek().is_none()
        || within.is_some_and(|within| choice.any(|it| within.get(&Step::to(*it)).is_some()))
}
