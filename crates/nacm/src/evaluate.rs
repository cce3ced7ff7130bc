//! How rules decide (RFC 8341 sections 3.4.4 to 3.4.6), for explanations, and to test that they say what the policy says.

use crate::place::Place;
use crate::rules::{ANY, Action, Kind, Rule, RuleList};

impl RuleList {
    /// The rule that decides about a node itself: the first that matches.
    #[must_use]
    pub fn deciding(&self, place: &Place, action: Action) -> Option<&Rule> {
        let matches =
            |rule: &&Rule| rule.action == action && matches!(&rule.kind, Kind::Data(of) if of.holds(place));
        self.rules.iter().find(matches)
    }

    /// The rule that decides whether a node is there for a user, and how: what is in a node that is denied is denied too.
    /// `None`: no rule matches the node or what it is in, which is denied.
    #[must_use]
    pub fn outcome(&self, place: &Place, action: Action) -> (bool, Option<&Rule>) {
        let mut last = None;
        for length in 1..=place.steps.len() {
            let within = Place { steps: place.steps[..length].to_vec() };
            last = self.deciding(&within, action);
            if last.is_none_or(|rule| !rule.permits) {
                return (false, last);
            }
        }
        (last.is_some(), last)
    }

    /// The rule that decides about an operation.
    #[must_use]
    pub fn of_operation(&self, module: &str, name: &str) -> Option<&Rule> {
        let is_it = |known: &str, found: &str| known == ANY || known == found;
        let matches = |rule: &&Rule| matches!(rule.kind, Kind::Operation(of, known) if is_it(of, module) && is_it(known, name));
        self.rules.iter().find(matches)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use trunkline_smi::Oid;
    use trunkline_tree::policy::{
        AccessKey, AccessRow, AdminString, ContextMatch, GroupKey, GroupRow, Policy, RowState, SecurityLevel,
        SecurityModel,
    };
    use trunkline_tree::{Coverage, Family, View};
    use trunkline_yang::forest::{Forest, NodeId, Place as NodePlace};

    use super::*;
    use crate::governing::governing;
    use crate::rules::{KeptRules, coverage, rule_lists};
    use crate::testing::forest;

    fn name(text: &str) -> AdminString {
        AdminString::try_from(text).unwrap()
    }

    /// A group whose user `ann` has these views.
    pub(crate) fn policy(read: &View, write: &View) -> Policy {
        let mut policy = Policy::default();
        policy.contexts.insert(AdminString::default());
        policy.add_view(&name("r"), read, RowState::CONFIG);
        policy.add_view(&name("w"), write, RowState::CONFIG);
        let key = GroupKey { model: SecurityModel::TSM, name: name("ann") };
        policy.groups.insert(key, GroupRow { group: name("g"), state: RowState::CONFIG });
        policy.access.insert(
            AccessKey {
                group: name("g"),
                context: AdminString::default(),
                model: SecurityModel::ANY,
                level: SecurityLevel::AuthPriv,
            },
            AccessRow {
                context_match: ContextMatch::Exact,
                read: name("r"),
                write: name("w"),
                notify: AdminString::default(),
                state: RowState::CONFIG,
            },
        );
        policy
    }

    fn rules(forest: &Forest, read: &[&str], write: &[&str]) -> RuleList {
        let view = |rules: &[&str]| View::of(rules.iter().map(|rule| rule.parse().unwrap())).unwrap();
        let mut lists = rule_lists(forest, &policy(&view(read), &view(write)));
        assert_eq!(lists.len(), 1);
        lists.remove(0)
    }

    /// The rules about data as text.
    fn data(forest: &Forest, list: &RuleList, action: Action) -> Vec<String> {
        let of = |rule: &Rule| match &rule.kind {
            Kind::Data(place) if rule.action == action => {
                let comment = rule.comment.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
                Some(format!(
                    "{} {}{comment}",
                    if rule.permits { "permit" } else { "deny" },
                    place.text(forest)
                ))
            }
            _ => None,
        };
        list.rules.iter().filter_map(of).collect()
    }

    #[test]
    fn rules_are_kept_until_there_is_another_policy() {
        let (forest, kept) = (forest(), KeptRules::default());
        let [one, other] = [View::everything(), View::NOTHING].map(|view| Arc::new(policy(&view, &view)));
        let first = kept.of(&forest, &one);
        assert!(Arc::ptr_eq(&first, &kept.of(&forest, &one)));
        assert_eq!(*kept.of(&forest, &other), rule_lists(&forest, &other));
        assert_ne!(*kept.of(&forest, &other), *first);
        assert_eq!(kept.of(&forest, &one), first);
    }

    #[test]
    fn a_view_of_everything_is_one_rule() {
        let list = rules(&forest(), &["1"], &["1"]);
        assert_eq!(data(&forest(), &list, Action::Read), ["permit /"]);
        assert_eq!(data(&forest(), &list, Action::Write), ["permit /"]);
        assert!(list.of_operation("ietf-netconf", "kill-session").unwrap().permits);
    }

    #[test]
    fn what_a_view_leaves_out_is_denied_before_the_rest_is_permitted() {
        let forest = forest();
        let list = rules(&forest, &["1", "-1.3.6.1.2.1.2.2.1.6", "-1.3.6.1.6.3"], &[]);
        let read = data(&forest, &list, Action::Read);
        assert_eq!(read.last().unwrap(), "permit /");
        for rule in [
            "deny /if-mib:IF-MIB/if-mib:ifTable/if-mib:ifEntry/if-mib:ifPhysAddress",
            "deny /if:interfaces/if:interface/if:phys-address",
            "deny /nacm:nacm",
            "deny /snmp-view-based-acm-mib:SNMP-VIEW-BASED-ACM-MIB",
        ] {
            assert!(read.contains(&rule.to_owned()), "{rule}: {read:?}");
        }
    }

    #[test]
    fn a_way_to_what_may_be_read_is_permitted() {
        let forest = forest();
        let list = rules(&forest, &["1.3.6.1.2.1.1.4", "1.3.6.1.2.1.1.5"], &["1.3.6.1.2.1.1.4"]);
        let read = data(&forest, &list, Action::Read);
        assert!(read.contains(&"deny /sys:system/sys:location".to_owned()), "{read:?}");
        assert!(read.contains(&"permit /sys:system".to_owned()), "{read:?}");
        assert!(read.contains(&"permit /yanglib:yang-library".to_owned()), "{read:?}");
        let write = data(&forest, &list, Action::Write);
        assert_eq!(
            write,
            ["deny /sys:system/sys:hostname", "deny /sys:system/sys:location", "permit /sys:system"]
        );
        for (operation, permits) in
            [("get", true), ("edit-config", true), ("kill-session", false), ("delete-config", false)]
        {
            assert_eq!(list.of_operation("ietf-netconf", operation).unwrap().permits, permits, "{operation}");
        }
    }

    #[test]
    fn rows_have_rules_and_comments_name_what_has_none() {
        let forest = forest();
        let list = rules(&forest, &["1.3.6.1.2.1.2.2.1.*.2"], &[]);
        let read = data(&forest, &list, Action::Read);
        let entry = "/if-mib:IF-MIB/if-mib:ifTable/if-mib:ifEntry";
        let at = |rule: String| {
            read.iter().position(|it| *it == rule).unwrap_or_else(|| panic!("{rule}: {read:?}"))
        };
        let row = at(format!("permit {entry}[if-mib:ifIndex='2']"));
        assert!(row < at(format!("deny {entry}")));
        assert!(at(format!("deny {entry}")) < at("permit /if-mib:IF-MIB".to_owned()));
        // Columns of ifXTable are in the row too.
        assert!(at(format!("deny {entry}[if-mib:ifIndex='2']/if-mib:ifName")) < row);
        let list = rules(&forest, &["1.3.6.1.2.1.31.1.1.1", "1.3.6.1.2.1.4.34.1.*.1"], &[]);
        let read = data(&forest, &list, Action::Read);
        assert!(
            read.iter().any(|it| it.contains("(in part") && it.contains("1.3.6.1.2.1.4.34.1.*.1")),
            "{read:?}"
        );
    }

    /// Every leaf that is governed by objects: with its place.
    fn leaves(forest: &Forest) -> Vec<(NodeId, Place)> {
        fn add(forest: &Forest, place: &Place, found: &mut Vec<(NodeId, Place)>) {
            let Some(node) = place.node() else { return };
            if forest[node].place.syntax().is_some() && !forest[node].place.is_key() {
                found.push((node, place.clone()));
            }
            forest[node].children.iter().for_each(|child| add(forest, &place.child(*child), found));
        }
        let mut found = Vec::new();
        forest.roots().iter().for_each(|root| add(forest, &Place::of(*root), &mut found));
        found
    }

    /// Whether the keys of every list that a place is in may be read.
    fn has_keys(forest: &Forest, place: &Place, view: &View) -> bool {
        place.steps.iter().all(|(node, _)| {
            forest.keys(*node).all(|key| {
                !matches!(forest[key].place, NodePlace::Own { .. })
                    || coverage(&governing(forest, key), view) != Some(Coverage::None)
            })
        })
    }

    fn family() -> impl Strategy<Value = Family> {
        let subtrees = prop::sample::select(vec![
            "1",
            "1.3.6.1.2.1",
            "1.3.6.1.2.1.1",
            "1.3.6.1.2.1.1.5",
            "1.3.6.1.2.1.1.5.0",
            "1.3.6.1.2.1.2",
            "1.3.6.1.2.1.2.2",
            "1.3.6.1.2.1.2.2.1.2",
            "1.3.6.1.2.1.2.2.1.*.2",
            "1.3.6.1.2.1.2.2.1.7.3",
            "1.3.6.1.2.1.31.1.1.1.1",
            "1.3.6.1.2.1.31.1.1.1.18",
            "1.3.6.1.2.1.4.34",
            "1.3.6.1.2.1.4.34.1.*.1",
            "1.3.6.1.6.3",
            "1.3.6.1.6.3.16",
            "1.3.6.1.6.3.16.1.2",
            "1.3.6.1.2.1.25",
            "1.3.6.1.2.1.4.24.7.1.7",
        ]);
        (subtrees, any::<bool>()).prop_map(|(text, included)| Family { included, ..text.parse().unwrap() })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Rules, evaluated as RFC 8341 has it, permit what the view includes; where they cannot say it, they say so.
        #[test]
        fn rules_permit_what_the_policy_does(families in prop::collection::vec(family(), 0..6)) {
            let forest = forest();
            let mut view = View::NOTHING;
            families.into_iter().for_each(|family| view.insert(family));
            let list = rule_lists(&forest, &policy(&view, &view)).remove(0);
            for (node, place) in leaves(&forest) {
                let Some(of) = coverage(&governing(&forest, node), &view) else { continue };
                let (permits, rule) = list.outcome(&place, Action::Read);
                let is_there = has_keys(&forest, &place, &view) && !view.families().is_empty();
                match of {
                    Coverage::All => prop_assert_eq!(permits, is_there, "{}", place.text(&forest)),
                    Coverage::None => prop_assert!(!permits, "{}", place.text(&forest)),
                    Coverage::Some if rule.is_some_and(|it| it.comment.is_some()) => prop_assert!(permits),
                    Coverage::Some => {}
                }
                // Rows, where a rule does not say that it cannot tell them apart.
                if let NodePlace::Column(table, column) = forest[node].place
                    && table.index[0].name == "ifIndex"
                    && table.index.len() == 1
                    && rule.is_none_or(|it| it.comment.is_none())
                {
                    let oid = Oid::EMPTY.child(table.oid).child(&[1, column.id]);
                    for row in [2u32, 3, 4] {
                        let mut place = place.clone();
                        let at = place.steps.len() - 2;
                        place.steps[at].1 = vec![row.to_string()];
                        let expected = view.contains(&oid.child(&[row]));
                        let (permits, _) = list.outcome(&place, Action::Read);
                        prop_assert_eq!(permits, expected, "{}", place.text(&forest));
                    }
                }
                if let Some(setting) = forest[node].place.setting() {
                    let (permits, rule) = list.outcome(&place, Action::Write);
                    match coverage(&governing(&forest, node), &view) {
                        Some(Coverage::All) => prop_assert!(permits, "{:?}", setting.object),
                        Some(Coverage::None) => prop_assert!(!permits),
                        _ => prop_assert!(permits && rule.is_some_and(|it| it.comment.is_some())),
                    }
                }
            }
        }
    }
}
