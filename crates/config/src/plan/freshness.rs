//! How old data may be: `[freshness]`.

use std::collections::BTreeMap;

use serde_spanned::Spanned;
use trunkline_tree::Freshness;

use super::value::{self, Checked};
use crate::Place;

/// The groups of this machine's agent whose data may have its own maximum age.
pub const GROUPS: &[&str] = &[
    "system",
    "snmp",
    "snmp-engine",
    "usm-users",
    "vacm",
    "snmp-targets",
    "notification-log",
    "events",
    "expressions",
    "expression-values",
    "agentx",
    "snmp-tsm",
    "snmp-tlstm",
    "snmp-sshtm",
    "groups",
    "group-values",
    "interfaces",
    "interface-receive-addresses",
    "ethernet",
    "ip",
    "ip-addresses",
    "ip-interfaces",
    "ip-interface-statistics",
    "ip-neighbours",
    "ip-routes",
    "ip-routes-legacy",
    "bridge",
    "bridge-addresses",
    "bridge-vlans",
    "entities",
    "entity-sensors",
    "lm-sensors",
    "tcp",
    "tcp-connections",
    "tcp-estats",
    "udp",
    "udp-endpoints",
    "hr-system",
    "hr-storage",
    "hr-processors",
    "hr-devices",
    "hr-software-running",
    "hr-software-installed",
    "ucd-memory",
    "ucd-load",
    "ucd-system-stats",
    "ucd-disk",
    "ucd-disk-io",
    "ucd-process",
    "ucd-exec",
    "ucd-file",
    "ucd-log-match",
    "ucd-version",
    "ns-extend",
    "ns-extend-output",
];

/// How fresh each group's data must be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FreshnessPlan {
    /// For groups that are not named.
    pub default: Freshness,
    /// By group name.
    pub groups: BTreeMap<String, Freshness>,
}

impl FreshnessPlan {
    /// How fresh a group must be.
    pub fn of(&self, group: &str) -> Freshness {
        self.groups.get(group).copied().unwrap_or(self.default)
    }
}

pub(super) fn check_freshness(
    raw: BTreeMap<Spanned<String>, Spanned<String>>,
    place: Place<'_>,
) -> Checked<FreshnessPlan> {
    let mut plan = FreshnessPlan::default();
    for (key, value) in raw {
        let freshness = parse_freshness(value.get_ref()).ok_or_else(|| {
            let message = format!(
                "{:?} is not a freshness, expected \"per-object\", \"per-request\" or the maximum age, \
                 such as \"500ms\" or \"10s\"",
                value.get_ref()
            );
            place.wrong(value.span(), message)
        })?;
        match key.get_ref().as_str() {
            "default" => plan.default = freshness,
            name if GROUPS.contains(&name) => {
                plan.groups.insert(key.into_inner(), freshness);
            }
            name => {
                let message = format!("unknown group {name:?}, expected default, {}", GROUPS.join(", "));
                return Err(place.wrong(key.span(), message));
            }
        }
    }
    Ok(plan)
}

fn parse_freshness(text: &str) -> Option<Freshness> {
    match text {
        "per-object" => Some(Freshness::PerObject),
        "per-request" => Some(Freshness::PerRequest),
        age => value::duration(age.strip_prefix("max-age ").unwrap_or(age)).map(Freshness::MaxAge),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// A look each second gets new values, also one that comes a little early.
    #[test]
    fn the_default_is_shorter_than_a_second() {
        let Freshness::MaxAge(age) = FreshnessPlan::default().of("interfaces") else { panic!() };
        assert!(age <= Duration::from_millis(900) && age >= Duration::from_millis(500), "{age:?}");
    }

    #[test]
    fn freshness_has_three_forms() {
        assert_eq!(parse_freshness("per-object"), Some(Freshness::PerObject));
        assert_eq!(parse_freshness("250ms"), Some(Freshness::MaxAge(Duration::from_millis(250))));
        assert_eq!(parse_freshness("max-age 1s"), Some(Freshness::MaxAge(Duration::from_secs(1))));
        assert_eq!(parse_freshness("1"), None);
        assert_eq!(parse_freshness("8760h"), Some(Freshness::MaxAge(value::LONGEST_TIME)));
        assert_eq!(parse_freshness("8761h"), None);
    }
}
