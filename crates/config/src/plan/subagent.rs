//! The agent as a subagent of another master of AgentX: `[subagent]`.

use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_local::Endpoint;
use trunkline_smi::Oid;

use super::agentx::{LONGEST_TIMEOUT, endpoint};
use super::value::{self, Checked};
use crate::{Place, raw};

/// Which objects another agent, the master, has from this one (RFC 2741).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubagentPlan {
    /// Where the master listens.
    pub master: Endpoint,
    /// The subtrees whose objects are registered.
    pub register: Vec<Oid>,
    /// The priority of the registrations; the lowest one of the same object answers.
    pub priority: u8,
    /// The user of SNMPv3 by whose rights the master reads and sets; `None`: all that is registered is read, nothing is
    /// set.
    pub user: Option<String>,
    /// How long the master is to wait for an answer.
    pub timeout: Duration,
}

/// What Net-SNMP's agent does not have: EtherLike-MIB, BRIDGE-MIB with Q-BRIDGE-MIB, ENTITY-MIB, ENTITY-SENSOR-MIB and
/// TCP-ESTATS-MIB.
const REGISTERED: [&[u32]; 5] = [
    &[1, 3, 6, 1, 2, 1, 10, 7],
    &[1, 3, 6, 1, 2, 1, 17],
    &[1, 3, 6, 1, 2, 1, 47],
    &[1, 3, 6, 1, 2, 1, 99],
    &[1, 3, 6, 1, 2, 1, 156],
];

/// Net-SNMP registers its own objects with 127, the default of RFC 2741.
const PRIORITY: u8 = 100;

/// Longer than the kernel takes for any table.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Subtrees that one agent registers.
const MOST_SUBTREES: usize = 256;

pub(super) fn check_subagent(raw: raw::Subagent, place: Place<'_>) -> Checked<SubagentPlan> {
    let master = endpoint(raw.master.get_ref()).map_err(|message| place.wrong(raw.master.span(), message))?;
    let register = match raw.register {
        Some(list) => check_register(list, place)?,
        None => REGISTERED.iter().map(|subtree| Oid::EMPTY.child(subtree)).collect(),
    };
    let priority = raw.priority.map(|priority| value::number(&priority, 1, 255, place)).transpose()?;
    let span = raw.timeout.as_ref().map(Spanned::span).unwrap_or_default();
    let timeout = value::time(raw.timeout, TIMEOUT, place)?;
    if timeout > LONGEST_TIMEOUT || timeout.subsec_nanos() != 0 {
        let most = LONGEST_TIMEOUT.as_secs();
        return Err(place.wrong(span, format!("AgentX has whole seconds, from 1s to {most}s")));
    }
    Ok(SubagentPlan {
        master,
        register,
        priority: priority.map_or(PRIORITY, |priority| priority as u8),
        user: raw.user.map(|user| value::length(&user, 32, place)).transpose()?,
        timeout,
    })
}

/// A warning if nobody has the configured name.
#[must_use]
pub fn absent_subagent_user(plan: &super::Plan) -> Option<String> {
    let name = plan.subagent.as_ref()?.user.as_ref()?;
    (!plan.snmp.users.iter().any(|user| user.name == *name)).then(|| {
        format!(
            "[subagent] user: there is no [[snmp.user]] {name:?}; until a manager creates it, the master has genErr for all \
             that is registered"
        )
    })
}

fn check_register(list: Spanned<Vec<Spanned<String>>>, place: Place<'_>) -> Checked<Vec<Oid>> {
    let span = list.span();
    let mut subtrees: Vec<Oid> = Vec::new();
    for text in list.into_inner() {
        let subtree = value::oid(&text, place)?;
        if let Some(other) =
            subtrees.iter().find(|other| other.starts_with(&subtree) || subtree.starts_with(other))
        {
            let message =
                format!("{subtree} and {other}: one of them is a part of the other; write only that");
            return Err(place.wrong(text.span(), message));
        }
        subtrees.push(subtree);
    }
    if subtrees.is_empty() || subtrees.len() > MOST_SUBTREES {
        let message = format!("expected 1 to {MOST_SUBTREES} subtrees, such as [\"1.3.6.1.2.1.99\"]");
        return Err(place.wrong(span, message));
    }
    Ok(subtrees)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn check(section: &str) -> Result<SubagentPlan, (usize, String)> {
        let text = format!("[subagent]\n{section}");
        let raw: raw::Config = toml::from_str(&text).unwrap();
        let place = Place { path: Path::new("t.toml"), text: &text };
        check_subagent(raw.subagent.unwrap(), place).map_err(|error| (error.line, error.message))
    }

    #[test]
    fn a_section_with_defaults_and_with_everything() {
        let plan = check("master = \"unix:/var/agentx/master\"").unwrap();
        assert_eq!(plan.master, Endpoint::Unix("/var/agentx/master".into()));
        assert_eq!(
            (plan.register.len(), plan.priority, plan.user, plan.timeout.as_secs()),
            (5, 100, None, 5)
        );
        let plan = check(
            "master = \"tcp:127.0.0.1\"\nregister = [\".1.3.6.1.2.1.6\", \"1.3.6.1.2.1.7\"]\npriority = 1\nuser = \"ann\"\n\
             timeout = \"20s\"",
        )
        .unwrap();
        assert_eq!(plan.master.to_string(), "tcp:127.0.0.1:705");
        let shown: Vec<String> = plan.register.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["1.3.6.1.2.1.6", "1.3.6.1.2.1.7"]);
        assert_eq!((plan.priority, plan.user.as_deref(), plan.timeout.as_secs()), (1, Some("ann"), 20));
    }

    #[test]
    fn mistakes_are_found_where_they_are() {
        for (section, line, word) in [
            ("master = \"/var/agentx/master\"", 2, "unix:/PATH"),
            ("master = \"unix:/a\"\nregister = []", 3, "1 to 256"),
            ("master = \"unix:/a\"\nregister = [\"tcp\"]", 3, "not an object identifier"),
            (
                "master = \"unix:/a\"\nregister = [\n\"1.3.6.1.2\",\n\"1.3.6.1.2.1\"]",
                5,
                "a part of the other",
            ),
            ("master = \"unix:/a\"\npriority = 0", 3, "1"),
            ("master = \"unix:/a\"\npriority = 256", 3, "255"),
            ("master = \"unix:/a\"\nuser = \"\"", 3, "1 to 32"),
            ("master = \"unix:/a\"\ntimeout = \"1500ms\"", 3, "whole seconds"),
            ("master = \"unix:/a\"\ntimeout = \"256s\"", 3, "to 255s"),
        ] {
            let (found, message) = check(section).unwrap_err();
            assert!(found == line && message.contains(word), "{section}: {found}: {message}");
        }
    }
}
