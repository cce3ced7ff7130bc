//! `/nacm`: what somebody may see of the policy, as instances.

use std::collections::BTreeMap;
use std::sync::Arc;

use trunkline_models::made::Made;
use trunkline_smi::visible;
use trunkline_tree::policy::{EVERYBODY, Origin as RowOrigin, Policy, SecurityModel};
use trunkline_yang::annotation::{Annotation, Origin};
use trunkline_yang::forest::Forest;

use crate::groups::{is_name, users};
use crate::rules::{KeptRules, Kind, Rule, RuleList};

/// What was denied since the agent started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Operations.
    pub operations: u32,
    /// Changes of a configuration.
    pub data_writes: u32,
    /// Notifications that subscribers were not sent.
    pub notifications: u32,
}

/// Makes what is in `nacm`: groups for those who may read who is in them, the rest for those who may read all of the policy.
pub fn make(
    forest: &Forest,
    policy: &Arc<Policy>,
    kept: &KeptRules,
    counts: Counts,
    (sees_names, sees_all): (bool, bool),
    wants_rules: bool,
    made: &mut Made<'_>,
) {
    let file = || Annotation::from(Origin::File);
    made.note(Annotation::from(Origin::Intended));
    let mut lists = Arc::default();
    if sees_all {
        // A session's user is in a group that its transport reports where every holder of a certificate is in one.
        let is_everybody =
            |key: &trunkline_tree::policy::GroupKey| key.is(SecurityModel::TSM, EVERYBODY.as_bytes());
        let external = policy.groups.iter().any(|(key, row)| is_everybody(key) && row.state.is_active());
        for (name, value) in [
            ("enable-nacm", "true"),
            ("read-default", "deny"),
            ("write-default", "deny"),
            ("exec-default", "deny"),
            ("enable-external-groups", if external { "true" } else { "false" }),
        ] {
            made.leaf(name, value);
            made.note(Annotation::from(Origin::System));
        }
        for (name, count) in [
            ("denied-operations", counts.operations),
            ("denied-data-writes", counts.data_writes),
            ("denied-notifications", counts.notifications),
        ] {
            made.leaf(name, &count.to_string());
        }
        if wants_rules {
            lists = kept.of(forest, policy);
        }
    }
    if sees_names {
        made.within("groups", |made| {
            let mut groups: BTreeMap<&str, Vec<(&str, RowOrigin)>> = BTreeMap::new();
            users(policy)
                .for_each(|(group, user, origin)| groups.entry(group).or_default().push((user, origin)));
            for (group, users) in groups {
                made.within("group", |made| {
                    made.leaf("name", group);
                    for (user, origin) in users {
                        made.leaf("user-name", user);
                        made.note(if origin == RowOrigin::Set {
                            Annotation::from(Origin::Intended)
                        } else {
                            file()
                        });
                    }
                });
            }
        });
    }
    for list in lists.iter().filter(|list| is_name(&list.group)) {
        made.within("rule-list", |made| {
            made.note(file());
            rule_list(forest, list, made);
        });
    }
}

fn rule_list(forest: &Forest, list: &RuleList, made: &mut Made<'_>) {
    made.leaf("name", &list.group);
    made.leaf("group", &list.group);
    for rule in &list.rules {
        made.within("rule", |made| self::rule(forest, rule, made));
    }
}

fn rule(forest: &Forest, rule: &Rule, made: &mut Made<'_>) {
    made.leaf("name", &rule.name);
    match &rule.kind {
        Kind::Operation(module, name) => {
            made.leaf("module-name", module);
            made.leaf("rpc-name", name);
        }
        Kind::Notification(module, name) => {
            made.leaf("module-name", module);
            made.leaf("notification-name", name);
        }
        Kind::Data(place) => {
            made.leaf("module-name", "*");
            made.leaf("path", &place.text(forest));
        }
    }
    made.leaf("access-operations", rule.action.bits());
    made.leaf("action", if rule.permits { "permit" } else { "deny" });
    if let Some(comment) = &rule.comment {
        made.leaf("comment", &visible(comment));
    }
}
