//! `trunklined --explain-access USER OBJECT`: which rule decides what a principal may do with an object of SNMP, or with a node or an operation
//! of NETCONF, and why.

use std::path::Path;

use trunkline_nacm::{Asked, PathError, Permission, Place, explain_node, explain_operation, subtrees};
use trunkline_smi::{Oid, visible};
use trunkline_tree::policy::{
    AdminString, GroupKey, Policy, Principal, SecurityLevel, SecurityModel, ViewType,
};

use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;
use trunkline_yang::smiv2;

use crate::paths::index_of;
use crate::start_error::StartError;
use trunkline_admin::VacmGroup;
use trunkline_config::{EVERYBODY, Plan};
use trunkline_config::{access, written};

/// A question as the command line has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// A user, a community, or a security name of either.
    pub who: String,
    /// About what.
    pub what: What,
    /// Only this access; `None`: each.
    pub access: Option<ViewType>,
    /// The level; `None`: the highest that the user's keys allow.
    pub level: Option<SecurityLevel>,
    /// The context.
    pub context: String,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An object or instance of SNMP.
    Object(Oid),
    /// A node of NETCONF, by its path with the names of modules.
    Path(String),
    /// An operation of NETCONF.
    Operation(String),
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The policy cannot be had.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It is a user, but one without rights.
    #[error(
        "the user {who:?} has no role, and so no access to anything; \
         give it one: role = \"ROLE\" in its [[snmp.user]], or members = [{who:?}] in a [[role]]"
    )]
    NoRole {
        /// The user.
        who: String,
    },
    /// The path names no node.
    #[error(transparent)]
    Path(#[from] PathError),
    /// It has no sessions of NETCONF.
    #[error(
        "{who:?} has no access over NETCONF and RESTCONF: those know principals with a role ([[snmp.principal]], or members of a [[role]]), \
         and this is a name of SNMP's own users and communities"
    )]
    NoSessions {
        /// The name.
        who: String,
    },
    /// The name is unknown.
    #[error("there is no user, principal or community {who:?}; there are {known}")]
    Nobody {
        /// The name.
        who: String,
        /// The existing users and security names; communities are secrets.
        known: String,
    },
}

/// The answer in lines for people: for each principal of the name, reading, writing and notifying.
///
/// # Errors
/// [`ExplainError`].
pub fn explain(plan: &Plan, state: &Path, question: &Question) -> Result<String, ExplainError> {
    let policy = policy(plan, state)?;
    let principals = principals(plan, &policy, question);
    if principals.is_empty() {
        return Err(nobody(plan, &policy, question));
    }
    let object = match &question.what {
        What::Object(object) => object,
        _ => return over_netconf(plan, &policy, principals, question),
    };
    let mut parts = Vec::new();
    for (model, name, level) in principals {
        let all = [ViewType::Read, ViewType::Write, ViewType::Notify];
        for view_type in all.into_iter().filter(|it| question.access.is_none_or(|only| only == *it)) {
            let context = question.context.as_bytes();
            let principal = Principal::new(model, name.octets(), level);
            let answer = policy.explain(&principal, context, view_type, object);
            let lines = std::iter::once(answer.to_string().trim_end().to_owned());
            let lines: Vec<String> = lines.chain(written::lines(plan, &policy, &answer)).collect();
            parts.push(lines.join("\n"));
        }
    }
    Ok(parts.join("\n\n"))
}

/// The same about a node or an operation of NETCONF, whose sessions have one security model.
fn over_netconf(
    plan: &Plan,
    policy: &Policy,
    principals: Vec<(SecurityModel, AdminString, SecurityLevel)>,
    question: &Question,
) -> Result<String, ExplainError> {
    let forest = ALL.into_iter().fold(Forest::of(&smiv2::modules()), Forest::with);
    let (_, name, level) = principals
        .into_iter()
        .find(|(model, ..)| *model == SecurityModel::TSM)
        .ok_or_else(|| ExplainError::NoSessions { who: question.who.clone() })?;
    let principal = Principal::new(SecurityModel::TSM, name.octets(), level);
    let asked = Asked { forest: &forest, policy, principal };
    let place = match &question.what {
        What::Operation(name) => return Ok(explain_operation(asked, name)),
        What::Path(path) => Place::read(path, &forest)?,
        What::Object(_) => Place::default(),
    };
    let all = [ViewType::Read, ViewType::Write].into_iter();
    let parts = all.filter(|it| question.access.is_none_or(|only| only == *it)).map(|to| {
        let mut part = explain_node(asked, &place, to);
        for line in written_for(plan, &asked, &question.what, to) {
            part.push_str(&format!("\n{line}"));
        }
        part
    });
    Ok(parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n"))
}

/// The rules that decide about what a path stands for.
fn written_for(plan: &Plan, asked: &Asked<'_>, what: &What, to: ViewType) -> Vec<String> {
    let What::Path(path) = what else { return Vec::new() };
    let permission = Permission { path, permits: true, to };
    let found = subtrees(asked.forest, permission, &index_of).map(|found| found.families).unwrap_or_default();
    let mut lines: Vec<String> = Vec::new();
    for family in found {
        let explanation = asked.policy.explain(&asked.principal, b"", to, &family.subtree);
        let new = written::lines(plan, asked.policy, &explanation);
        lines.extend(new.into_iter().filter(|line| !lines.contains(line)).collect::<Vec<_>>());
    }
    lines
}

/// The policy of the configuration and of what managers have set.
fn policy(plan: &Plan, state: &Path) -> Result<Policy, StartError> {
    let vacm = VacmGroup::open(state, 0)?;
    vacm.configure(&access::policy(plan)?);
    Ok((*vacm.policy()).clone())
}

/// A name may be a user's, and a community's in two versions.
fn principals(
    plan: &Plan,
    policy: &Policy,
    question: &Question,
) -> Vec<(SecurityModel, AdminString, SecurityLevel)> {
    let mut found = Vec::new();
    let none = SecurityLevel::NoAuthNoPriv;
    for (key, _) in policy.groups.iter().filter(|(key, _)| key.name.octets() == question.who.as_bytes()) {
        let user = plan.snmp.users.iter().find(|user| user.name == question.who);
        let highest = match key.model {
            SecurityModel::USM => user.map_or(SecurityLevel::AuthPriv, |user| user.level()),
            SecurityModel::TSM => SecurityLevel::AuthPriv,
            _ => none,
        };
        found.push((key.model, key.name.clone(), question.level.unwrap_or(highest)));
    }
    // The holder of a certificate may have any name, and the access of everybody.
    let everybody =
        GroupKey { model: SecurityModel::TSM, name: AdminString::try_from(EVERYBODY).unwrap_or_default() };
    let is_new = found.iter().all(|(model, ..)| *model != SecurityModel::TSM);
    if let (true, true, Ok(name)) =
        (is_new, policy.groups.contains_key(&everybody), AdminString::try_from(question.who.as_str()))
    {
        found.push((SecurityModel::TSM, name, question.level.unwrap_or(SecurityLevel::AuthPriv)));
    }
    for (position, community) in plan.snmp.communities.iter().enumerate() {
        if community.name == question.who.as_bytes() {
            let name = access::security_name(position);
            found.push((SecurityModel::V2C, name, question.level.unwrap_or(none)));
        }
    }
    found
}

fn nobody(plan: &Plan, policy: &Policy, question: &Question) -> ExplainError {
    if plan.snmp.users.iter().any(|user| user.name == question.who) {
        return ExplainError::NoRole { who: question.who.clone() };
    }
    let mut known: Vec<String> =
        policy.groups.keys().map(|key| visible(&key.name.to_string()).into_owned()).collect();
    let without_role = plan.snmp.users.iter().filter(|user| user.role.is_none());
    known.extend(without_role.map(|user| format!("{} (without a role)", visible(&user.name))));
    known.sort();
    known.dedup();
    let known = if known.is_empty() { "no users and no communities".into() } else { known.join(", ") };
    ExplainError::Nobody { who: question.who.clone(), known }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "[[role]]\nname = \"reader\"\nread = [\"1.3.6.1.2.1\", \"-1.3.6.1.2.1.4\"]\nlevel = \"authNoPriv\"\n\
        [[snmp.user]]\nname = \"ann\"\nauth = \"SHA-256\"\npassword = \"maplesyrup\"\nrole = \"reader\"\n\
        [[snmp.community]]\nname = \"hidden\"\naccess = \"write\"\n";

    fn ask(who: &str, object: &[u32], level: Option<SecurityLevel>) -> Result<String, String> {
        ask_of(CONFIG, who, object, level)
    }

    fn ask_of(
        config: &str,
        who: &str,
        object: &[u32],
        level: Option<SecurityLevel>,
    ) -> Result<String, String> {
        let plan = trunkline_config::parse(Path::new("t.toml"), config).unwrap();
        let object = Oid::new(object).unwrap();
        let question = Question {
            who: who.into(),
            what: What::Object(object),
            access: None,
            level,
            context: String::new(),
        };
        let folder = tempfile::tempdir().unwrap();
        explain(&plan, folder.path(), &question).map_err(|error| error.to_string())
    }

    #[test]
    fn the_deciding_rule_is_named() {
        let allowed = ask("ann", &[1, 3, 6, 1, 2, 1, 1, 5, 0], None).unwrap();
        assert!(allowed.contains("reader") && allowed.contains("1.3.6.1.2.1"), "{allowed}");
        let denied = ask("ann", &[1, 3, 6, 1, 2, 1, 4, 1, 0], None).unwrap();
        assert!(denied.contains("excludes 1.3.6.1.2.1.4") && denied.contains("notInView"), "{denied}");
        let level = Some(SecurityLevel::NoAuthNoPriv);
        let low = ask("ann", &[1, 3, 6, 1, 2, 1, 1, 5, 0], level).unwrap();
        assert!(low.contains("noAccessEntry"), "{low}");
    }

    #[test]
    fn nodes_and_operations_of_netconf_are_explained() {
        let config = "[[role]]\nname = \"reader\"\nread = [\"1.3.6.1.2.1\"]\nwrite = [\"1.3.6.1.2.1.1.4\"]\n\
            [[snmp.principal]]\nname = \"ann\"\nrole = \"reader\"\n\
            [[snmp.user]]\nname = \"sam\"\nauth = \"SHA-256\"\npassword = \"maplesyrup\"\nrole = \"reader\"\n";
        let plan = trunkline_config::parse(Path::new("t.toml"), config).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let ask = |who: &str, what: What, access: Option<ViewType>| {
            let question = Question { who: who.into(), what, access, level: None, context: String::new() };
            explain(&plan, folder.path(), &question).map_err(|error| error.to_string())
        };
        let path = |text: &str| What::Path(text.into());
        let both = ask("ann", path("/ietf-system:system/contact"), None).unwrap();
        assert!(
            both.contains("read 1.3.6.1.2.1.1.4.0 as \"ann\" (tsm, authPriv)")
                && both.contains("write 1.3.6.1.2.1.1.4.0"),
            "{both}"
        );
        let denied = ask("ann", path("/ietf-system:system/location"), Some(ViewType::Write)).unwrap();
        assert!(denied.contains("denied, notInView") && !denied.contains("question  read"), "{denied}");
        let operation = ask("ann", What::Operation("kill-session".into()), None).unwrap();
        assert!(operation.contains("verdict   denied"), "{operation}");
        let error = ask("ann", path("/ietf-system:nothing"), None).unwrap_err();
        assert!(error.contains("has no"), "{error}");
        let error = ask("sam", path("/ietf-system:system"), None).unwrap_err();
        assert!(error.contains("snmp.principal"), "{error}");
    }

    #[test]
    fn a_user_without_a_role_is_known_to_be_there() {
        let plan = "[[snmp.user]]\nname = \"template\"\n[[role]]\nname = \"reader\"\nread = [\"1\"]\nmembers = [\"later\"]\n";
        let error = ask_of(plan, "template", &[1, 3], None).unwrap_err();
        assert!(error.contains("no role") && error.contains("members"), "{error}");
        assert!(ask_of(plan, "later", &[1, 3], None).unwrap().contains("reader"));
    }

    #[test]
    fn names_cannot_begin_a_line_or_steer_the_terminal() {
        let config = "[[role]]\nname = \"reader\"\nread = [\"1\"]\ncontext = \"lab\\nverdict   allowed\\u009b1m\\u202e*\"\n\
            members = [\"ann\", \"b\\u202eb\"]\n[[snmp.user]]\nname = \"ann\"\n";
        for answer in
            [ask_of(config, "ann", &[1, 3], None).unwrap(), ask_of(config, "x", &[1, 3], None).unwrap_err()]
        {
            assert!(!answer.contains(|c| trunkline_smi::is_hidden(c) && c != '\n'), "{answer:?}");
            assert!(!answer.contains("\nverdict   allowed"), "{answer}");
        }
    }

    #[test]
    fn a_community_is_an_input_and_never_shown() {
        let answer = ask("hidden", &[1, 3, 6], None).unwrap();
        assert!(answer.contains("community1") && !answer.contains("hidden"), "{answer}");
        let error = ask("nobody", &[1, 3, 6], None).unwrap_err();
        assert!(
            error.contains("ann") && error.contains("community1") && !error.contains("hidden"),
            "{error}"
        );
    }
}
