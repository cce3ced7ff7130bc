//! Secrets in a configuration: nobody reads them, so that a configuration that somebody has read and writes back has none. What is still there
//! keeps its own.

use std::sync::Arc;

use trunkline_yang::forest::{Forest, NodeId};

use crate::config::{Branch, Config, Item, Step};

/// A configuration with the secrets that another one has, where it has none itself.
#[must_use]
pub fn with_secrets_of(forest: &Forest, config: &Config, other: &Config) -> Config {
    Config(within(forest, config.root(), other.root()).unwrap_or_else(|| config.root().clone()))
}

/// `None`: nothing is added.
fn within(forest: &Forest, branch: &Branch, other: &Branch) -> Option<Branch> {
    let mut new: Option<Branch> = None;
    for (step, item) in other.iter().filter(|(step, _)| has_secret(forest, step.node)) {
        let item = match (item, branch.get(step)) {
            (Item::Within(theirs), Some(Item::Within(ours))) if !Arc::ptr_eq(theirs, ours) => {
                within(forest, ours, theirs).map(|branch| Item::Within(Arc::new(branch)))
            }
            (Item::Leaf(_), None) if !has_other_case(forest, branch, step.node) => Some(item.clone()),
            // A case with nothing but secrets is not seen either.
            (Item::Within(_), None)
                if is_secret_case(forest, step.node) && !has_other_case(forest, branch, step.node) =>
            {
                Some(item.clone())
            }
            _ => None,
        };
        if let Some(item) = item {
            new.get_or_insert_with(|| branch.clone()).insert(step.clone(), item);
        }
    }
    new
}

/// Whether a node is secret, or something in it.
fn has_secret(forest: &Forest, node: NodeId) -> bool {
    forest[node].place.is_secret() || forest[node].children.iter().any(|child| has_secret(forest, *child))
}

/// Whether a node is a case of a choice, and nobody reads anything in it.
fn is_secret_case(forest: &Forest, node: NodeId) -> bool {
    forest[node].place.case() != 0 && forest[node].children.iter().all(|it| forest[*it].place.is_secret())
}

/// Whether something else of a node's choice has been chosen.
fn has_other_case(forest: &Forest, branch: &Branch, node: NodeId) -> bool {
    let case = forest[node].place.case();
    let is_other = |step: &Step| ![0, case].contains(&forest[step.node].place.case());
    case != 0 && branch.iter().any(|(step, _)| is_other(step))
}

#[cfg(test)]
mod tests {
    use trunkline_netconf::document::{Document, limits};
    use trunkline_yang::own::ALL;

    use super::*;
    use crate::{check, read};

    #[test]
    fn what_stays_keeps_its_secrets() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let read = |text: &str| {
            let text =
                format!("<config><snmp xmlns='urn:ietf:params:xml:ns:yang:ietf-snmp'>{text}</snmp></config>");
            read(&forest, Document::read(text.as_bytes(), limits(10_000)).unwrap().root())
        };
        let user = |name: &str, auth: &str| format!("<user><name>{name}</name><auth>{auth}</auth></user>");
        let users = |users: &str| read(&format!("<usm><local>{users}</local></usm>")).unwrap();
        let key = "<sha><key>aa:bb</key></sha>";
        let had = users(&(user("a", key) + &user("b", key)));
        let shells = users(&user("a", "<sha/>"));
        assert!(check(&forest, &shells).is_err());
        let kept = with_secrets_of(&forest, &shells, &had);
        assert_eq!(kept, users(&user("a", key)));
        assert_eq!(with_secrets_of(&forest, &users(&user("a", "")), &had), kept);
        check(&forest, &kept).unwrap();
        // Another protocol has another key, and a new user none.
        for other in [user("a", "<md5/>"), user("c", "<sha/>")] {
            let other = users(&other);
            assert_eq!(with_secrets_of(&forest, &other, &had), other);
        }
        assert!(!format!("{had:?}{:?}", crate::changes(&Config::default(), &had)).contains("aa:bb"));
        let named = |leaf: &str| {
            read(&format!("<community><index>1</index>{leaf}<security-name>x</security-name></community>"))
                .unwrap()
        };
        let had = named("<text-name>old</text-name>");
        assert_eq!(with_secrets_of(&forest, &named(""), &had), had);
        for leaf in ["<text-name>new</text-name>", "<binary-name>YQ==</binary-name>"] {
            assert_eq!(with_secrets_of(&forest, &named(leaf), &had), named(leaf));
        }
    }
}
