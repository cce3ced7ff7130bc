//! `/netconf/security/rbac`: the same policy as roles, permissions and users (decision 0072), by the names of the prototype behind the
//! EMANICS deliverable D7.1.

use std::collections::BTreeSet;
use std::sync::Arc;

use trunkline_models::made::Made;
use trunkline_smi::visible;
use trunkline_tree::policy::Policy;
use trunkline_yang::forest::Forest;

use crate::groups::{is_name, users};
use crate::rules::{ANY, Action, KeptRules, Kind, Rule, RuleList};

/// Makes what is in `/netconf`: users and their roles for those who may read who is in groups, the rest for those who may read all of the
/// policy.
pub fn make_roles(
    forest: &Forest,
    policy: &Arc<Policy>,
    kept: &KeptRules,
    (sees_names, sees_all): (bool, bool),
    wants_permissions: bool,
    made: &mut Made<'_>,
) {
    if !sees_names {
        return;
    }
    let users: BTreeSet<(&str, &str)> = users(policy).map(|(role, user, _)| (user, role)).collect();
    let lists = if sees_all { kept.of(forest, policy) } else { Arc::default() };
    let lists: Vec<&RuleList> = lists.iter().filter(|list| is_name(&list.group)).collect();
    if users.is_empty() && lists.is_empty() {
        return;
    }
    made.within("security", |made| {
        made.within("rbac", |made| {
            made.within("users", |made| {
                let logins: BTreeSet<&str> = users.iter().map(|(user, _)| *user).collect();
                logins.iter().for_each(|login| made.within("user", |made| made.leaf("login", login)));
            });
            made.within("roles", |made| {
                let roles = users.iter().map(|(_, role)| *role);
                let roles: BTreeSet<&str> =
                    roles.chain(lists.iter().map(|list| list.group.as_str())).collect();
                roles.iter().for_each(|role| made.within("role", |made| made.leaf("name", role)));
            });
            let rules = || lists.iter().flat_map(|list| list.rules.iter().map(move |rule| (*list, rule)));
            if sees_all && wants_permissions {
                made.within("permissions", |made| {
                    for (list, rule) in rules() {
                        made.within("permission", |made| permission(forest, list, rule, made));
                    }
                });
            }
            made.within("user-assignements", |made| {
                for (user, role) in &users {
                    made.within("user-assignement", |made| {
                        made.leaf("userRef", user);
                        made.leaf("roleRef", role);
                    });
                }
            });
            if sees_all && wants_permissions {
                made.within("permission-assignements", |made| {
                    for (list, rule) in rules() {
                        made.within("permission-assignement", |made| {
                            made.leaf("permRef", &id(list, rule));
                            made.leaf("roleRef", &list.group);
                        });
                    }
                });
            }
        });
    });
}

/// A rule has its name within its list alone.
fn id(list: &RuleList, rule: &Rule) -> String {
    format!("{}/{}", list.group, rule.name)
}

fn permission(forest: &Forest, list: &RuleList, rule: &Rule, made: &mut Made<'_>) {
    made.leaf("id", &id(list, rule));
    let op = match (&rule.kind, rule.action) {
        (Kind::Notification(..), _) => "n",
        (_, Action::Execute) => "x",
        (_, Action::Read) => "r",
        (_, Action::Write) => "w",
    };
    made.leaf("op", op);
    match &rule.kind {
        Kind::Operation(ANY, ANY) | Kind::Notification(ANY, ANY) => made.leaf("name", ANY),
        Kind::Operation(module, name) | Kind::Notification(module, name) => {
            made.leaf("name", &format!("{module}:{name}"));
        }
        Kind::Data(place) => made.leaf("scope", &place.text(forest)),
    }
    made.leaf("action", if rule.permits { "permit" } else { "deny" });
    if let Some(comment) = &rule.comment {
        made.leaf("comment", &visible(comment));
    }
}

#[cfg(test)]
mod tests {
    use trunkline_netconf::data::{Shown, config_document};
    use trunkline_tree::policy::{AdminString, GroupKey, GroupRow, RowState, SecurityModel};
    use trunkline_yang::own::PAPER;
    use trunkline_yang::selection::Wanted;

    use super::*;
    use crate::testing::forest;

    /// A policy in which three users have two roles, which have no views.
    fn policy() -> Policy {
        let name = |text: &str| AdminString::try_from(text).unwrap();
        let mut policy = Policy::default();
        for (model, user, group) in [
            (SecurityModel::TSM, "x", "b"),
            (SecurityModel::TSM, "y", "a"),
            (SecurityModel::TSM, "z", "b"),
            (SecurityModel::USM, "w", "c"),
        ] {
            let key = GroupKey { model, name: name(user) };
            policy.groups.insert(key, GroupRow { group: name(group), state: RowState::CONFIG });
        }
        policy
    }

    fn shown(sees: (bool, bool)) -> String {
        let forest = forest();
        let root = forest.child_of(None, PAPER.name, "netconf").unwrap();
        let mut made = Made::begin(&forest, root, &Wanted::All);
        make_roles(&forest, &Arc::new(policy()), &KeptRules::default(), sees, true, &mut made);
        let text = String::from_utf8(config_document(&forest, &made.end(), Shown::default())).unwrap();
        let (_, rest) = text.split_once("<rbac>").unwrap_or_default();
        rest.split_once("</rbac>").unwrap_or_default().0.to_owned()
    }

    #[test]
    fn users_and_roles_are_those_of_the_policy() {
        let assigned = |user: &str, role: &str| {
            format!("<user-assignement><userRef>{user}</userRef><roleRef>{role}</roleRef></user-assignement>")
        };
        let users = "<users><user><login>x</login></user><user><login>y</login></user><user><login>z</login></user></users>\
                     <roles><role><name>a</name></role><role><name>b</name></role></roles>";
        let names = format!(
            "{users}<user-assignements>{}{}{}</user-assignements>",
            assigned("x", "b"),
            assigned("y", "a"),
            assigned("z", "b")
        );
        assert_eq!(shown((true, false)), names);
        let all = shown((true, true));
        assert!(all.starts_with(users) && all.contains("<permissions></permissions>"), "{all}");
        assert_eq!(shown((false, false)), "");
    }
}
