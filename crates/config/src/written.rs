//! Where in the configuration the rule is written that decides: in which role, in which words, and by which way the role is inherited.

use trunkline_smi::visible;
use trunkline_tree::Family;
use trunkline_tree::policy::{AdminString, Explanation, Policy, ViewType};

use crate::{Plan, Rules, ViewRef};

/// A line for each rule of the configuration file that is the family which decides; the heir's own first.
#[must_use]
pub fn lines(plan: &Plan, policy: &Policy, explanation: &Explanation) -> Vec<String> {
    let (Some((_, row)), Some((family, _))) = (&explanation.group, &explanation.family) else {
        return Vec::new();
    };
    let group = explanation.role.as_ref().map_or(&row.group, |role| &role.name);
    let mut found: Vec<(usize, String)> = Vec::new();
    for role in policy.with_juniors(group) {
        let Some(path) = policy.inheritance(&row.group, role.octets()) else { continue };
        let chain = path.iter().map(|role| role.to_string()).collect::<Vec<_>>().join(" > ");
        for rule in rules_of(plan, role, explanation.view_type, family) {
            let (chain, rule) = (visible(&chain), visible(&rule));
            found.push((path.len(), format!("written   {rule} in role {chain}")));
        }
    }
    found.sort();
    found.into_iter().map(|(_, line)| line).collect()
}

/// The rules of a role that are this family, in their words.
fn rules_of(plan: &Plan, role: &AdminString, to: ViewType, family: &Family) -> Vec<String> {
    let roles = plan.roles.iter().filter(|known| known.name.as_bytes() == role.octets());
    let mut found = Vec::new();
    for access in roles.flat_map(|role| &role.access) {
        let view = match to {
            ViewType::Read => &access.read,
            ViewType::Write => &access.write,
            ViewType::Notify => &access.notify,
        };
        match view {
            Some(ViewRef::Rules(rules)) => {
                found.extend(words(rules, family).map(|words| format!("{to} {words}")))
            }
            Some(ViewRef::Named(name)) => {
                let named = plan.views.iter().filter(|view| view.name == *name);
                let words = named.flat_map(|view| words(&view.rules, family));
                found.extend(words.map(|words| format!("{to} {words} of view {name:?}")));
            }
            None => {}
        }
    }
    found
}

fn words<'r>(rules: &'r Rules, family: &'r Family) -> impl Iterator<Item = String> + 'r {
    let subtrees = rules.subtrees.families().iter().filter(move |known| *known == family);
    let paths = rules.paths.iter().filter(move |path| path.families.contains(family));
    let sign = |included: bool| if included { "" } else { "-" };
    subtrees
        .map(|known| format!("\"{known}\""))
        .chain(paths.map(move |path| format!("\"{}{}\"", sign(path.included), path.path)))
}
