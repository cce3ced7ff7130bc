//! `trunklined --explain-access USER OBJECT`: which rule decides what a principal may do with an object of SNMP, or with a node or an operation
//! of NETCONF, and why.

use std::path::Path;
use std::sync::Arc;

use trunkline_commit::paths::roles;
use trunkline_commit::{Interfaces, PathOfPermission, RbacSource, kept_rbac};
use trunkline_nacm::{
    Asked, OPERATIONS, PathError, Permission, Place, Rbac, RbacPermission, explain_node, explain_operation,
    subtrees,
};
use trunkline_smi::{Oid, visible};
use trunkline_tree::Family;
use trunkline_tree::policy::{
    Acting, AdminString, Explanation, GroupKey, Policy, Principal, SecurityLevel, SecurityModel, ViewType,
};

use trunkline_yang::forest::Forest;

use crate::paths::{self, index_of};
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
    /// The role that the request is on behalf of; sessions of NETCONF and RESTCONF have requests like that.
    pub role: Option<String>,
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
    /// It is a user or a principal, but one without rights.
    #[error(
        "{who:?} has no role, and so no access to anything; give it one: role = \"ROLE\" in its [[{section}]], members = [{who:?}] in a \
         [[role]], or a <role> of its user in /rbac"
    )]
    NoRole {
        /// The user.
        who: String,
        /// Where it is configured.
        section: &'static str,
    },
    /// It is a user of `/rbac`, which the configuration file contradicts.
    #[error(
        "the user {who:?} of /rbac is not in force, since the configuration file contradicts it, and so has no access to anything: \
         `trunklined --check` says why"
    )]
    NotInForce {
        /// The user.
        who: String,
    },
    /// There is no such operation.
    #[error("there is no operation {name:?}; there are {known}")]
    Operation {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
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
    if let What::Operation(name) = &question.what {
        check_operation(name)?;
    }
    let forest = trunkline_commit::paths::forest();
    let rbac = kept_rbac(state, &forest).map_err(StartError::from)?;
    let policy = policy(plan, state, &rbac)?;
    let mut principals = principals(plan, &policy, question);
    if principals.is_empty() {
        return Err(nobody(plan, &policy, &rbac, question));
    }
    if question.role.is_some() || !matches!(question.what, What::Object(_)) {
        principals.retain(|(model, ..)| *model == SecurityModel::TSM);
        principals.truncate(1);
    }
    if principals.is_empty() {
        return Err(ExplainError::NoSessions { who: question.who.clone() });
    }
    let explaining = Explaining { plan, policy: &policy, rbac: &rbac, forest: &forest, question };
    let parts = principals.iter().map(|(model, name, level)| {
        let role = question.role.as_deref().map(|role| Acting { role: role.as_bytes(), is_proved: false });
        let principal = Principal::new(*model, name.octets(), *level).acting(role);
        match &question.what {
            What::Object(object) => Ok(explaining.object(&principal, object)),
            What::Operation(name) => {
                Ok(explain_operation(Asked { forest: &forest, policy: &policy, principal }, name))
            }
            What::Path(path) => explaining.path(principal, path),
        }
    });
    Ok(parts.collect::<Result<Vec<_>, ExplainError>>()?.join("\n\n"))
}

/// What answers are made of.
struct Explaining<'e> {
    plan: &'e Plan,
    policy: &'e Policy,
    rbac: &'e Rbac,
    forest: &'e Forest,
    question: &'e Question,
}

impl Explaining<'_> {
    fn accesses(&self, all: &[ViewType]) -> Vec<ViewType> {
        all.iter().copied().filter(|it| self.question.access.is_none_or(|only| only == *it)).collect()
    }

    fn object(&self, principal: &Principal<'_>, object: &Oid) -> String {
        let all = [ViewType::Read, ViewType::Write, ViewType::Notify];
        let parts = self.accesses(&all).into_iter().map(|view_type| {
            let answer = self.policy.explain(principal, self.question.context.as_bytes(), view_type, object);
            let lines = std::iter::once(answer.to_string().trim_end().to_owned());
            lines.chain(self.written(&answer)).collect::<Vec<_>>().join("\n")
        });
        parts.collect::<Vec<_>>().join("\n\n")
    }

    /// The same about a node of NETCONF.
    fn path(&self, principal: Principal<'_>, path: &str) -> Result<String, ExplainError> {
        let asked = Asked { forest: self.forest, policy: self.policy, principal };
        let place = Place::read(path, self.forest)?;
        let parts = self.accesses(&[ViewType::Read, ViewType::Write]).into_iter().map(|to| {
            let mut part = explain_node(asked, &place, to);
            let more = self.written_for(&asked, path, to).into_iter();
            for line in more.chain(self.administered(&asked, path, to)) {
                part.push_str(&format!("\n{line}"));
            }
            part
        });
        Ok(parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n"))
    }

    /// The rules that decide about what a path stands for.
    fn written_for(&self, asked: &Asked<'_>, path: &str, to: ViewType) -> Vec<String> {
        let permission = Permission { path, permits: true, to };
        let found = subtrees(asked.forest, permission, &index_of).map(|found| found.families);
        let mut lines: Vec<String> = Vec::new();
        for family in found.unwrap_or_default() {
            let explanation = asked.policy.explain(&asked.principal, b"", to, &family.subtree);
            for line in self.written(&explanation) {
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        lines
    }

    /// What an administrator of roles may change without a view.
    fn administered(&self, asked: &Asked<'_>, path: &str, to: ViewType) -> Option<String> {
        let is_of_roles =
            ["/trunkline-rbac:rbac", "/trunkline-keys:keys"].iter().any(|it| path.starts_with(it));
        let roles = asked.policy.administered_by(&asked.principal);
        (to == ViewType::Write && is_of_roles && !roles.is_empty()).then(|| {
            let roles = roles.into_iter().map(|role| visible(&role.to_string()).into_owned());
            let roles = roles.collect::<Vec<_>>().join(", ");
            format!(
                "note      it administers the roles {roles}: of these it may change permissions, keys and members within its own rights, \
                 which no view says"
            )
        })
    }

    /// In which words the rule is written that decides: in the file, or as data.
    fn written(&self, explanation: &Explanation) -> Vec<String> {
        let mut lines = written::lines(self.plan, self.policy, explanation);
        let (Some((_, row)), Some((family, _))) = (&explanation.group, &explanation.family) else {
            return lines;
        };
        let group = explanation.role.as_ref().map_or(&row.group, |role| &role.name);
        for name in self.policy.with_juniors(group) {
            let Some(way) = self.policy.inheritance(&row.group, name.octets()) else { continue };
            let way = way.iter().map(|role| role.to_string()).collect::<Vec<_>>().join(" > ");
            let roles = self.rbac.roles.iter().filter(|role| role.name.as_bytes() == name.octets());
            let permissions = roles.flat_map(|role| &role.permissions);
            for permission in permissions.filter(|it| it.to == explanation.view_type && says(it, family)) {
                let RbacPermission { name, resource, .. } = permission;
                let [name, resource, way] = [name, resource, &way].map(|text| visible(text));
                let to = explanation.view_type;
                lines.push(format!(
                    "written   {to} \"{resource}\" in permission {name} of role {way}, in /rbac"
                ));
            }
        }
        lines
    }
}

/// Whether a permission is this family, or one of several that its path stands for.
fn says(permission: &RbacPermission, family: &Family) -> bool {
    let RbacPermission { to, permits, .. } = *permission;
    if !permission.resource.starts_with('/') {
        let own = permission.resource.parse::<Family>();
        return own.is_ok_and(|own| Family { included: permits, ..own } == *family);
    }
    let path = PathOfPermission { path: permission.resource.clone(), permits, to };
    paths::find(&[path], Interfaces::Numbered).into_iter().flatten().flatten().any(|own| own == *family)
}

/// The policy of the configuration, of what is configured as data, and of what managers have set.
fn policy(plan: &Plan, state: &Path, rbac: &Rbac) -> Result<Policy, StartError> {
    let vacm = Arc::new(VacmGroup::open(state, 0)?);
    let source = RbacSource::new(vacm.clone(), roles(plan), Box::new(paths::find));
    // What contradicts the configuration file is not in force.
    let (policy, _) = source.policy_without(rbac)?;
    vacm.configure(&policy);
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

/// # Errors
/// No operation of NETCONF that the agent has is called so.
fn check_operation(name: &str) -> Result<(), ExplainError> {
    let all = || OPERATIONS.iter().map(|(_, name, _)| *name).chain(READING);
    if all().any(|known| known == name) {
        return Ok(());
    }
    let mut known: Vec<&str> = all().collect();
    known.sort_unstable();
    Err(ExplainError::Operation { name: visible(name).into_owned(), known: known.join(", ") })
}

/// The operations for which the right to read is enough.
const READING: [&str; 10] = [
    "get",
    "get-config",
    "get-data",
    "get-schema",
    "create-subscription",
    "establish-subscription",
    "modify-subscription",
    "delete-subscription",
    "kill-subscription",
    "resync-subscription",
];

fn nobody(plan: &Plan, policy: &Policy, rbac: &Rbac, question: &Question) -> ExplainError {
    let who = &question.who;
    if rbac.users.iter().any(|user| user.name == *who) {
        return ExplainError::NotInForce { who: who.clone() };
    }
    if plan.snmp.users.iter().any(|user| user.name == *who) {
        return ExplainError::NoRole { who: who.clone(), section: "snmp.user" };
    }
    if plan.snmp.principals.iter().any(|it| it.name == *who) {
        return ExplainError::NoRole { who: who.clone(), section: "snmp.principal" };
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
            role: None,
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
            let (who, context) = (who.into(), String::new());
            let question = Question { who, what, access, level: None, context, role: None };
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
        let error = ask("ann", What::Operation("kill-sesion".into()), None).unwrap_err();
        assert!(error.contains("no operation \"kill-sesion\"") && error.contains("kill-session"), "{error}");
        let error = ask("ann", path("/ietf-system:nothing"), None).unwrap_err();
        assert!(error.contains("has no"), "{error}");
        let error = ask("sam", path("/ietf-system:system"), None).unwrap_err();
        assert!(error.contains("snmp.principal"), "{error}");
    }

    #[test]
    fn what_an_administrator_of_roles_may_change_is_named() {
        let config = "[[role]]\nname = \"part\"\nread = [\"1.3.6.1.2.1.1.4\"]\n\
            [[role]]\nname = \"chief\"\nread = [\"1.3.6.1.2.1.1\"]\nadministers = [\"part\"]\n\
            [[snmp.principal]]\nname = \"adm\"\nrole = \"chief\"\n[[snmp.principal]]\nname = \"ann\"\nrole = \"part\"\n";
        let plan = trunkline_config::parse(Path::new("t.toml"), config).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let ask = |who: &str, path: &str| {
            let (who, what) = (who.into(), What::Path(path.into()));
            let question =
                Question { who, what, access: None, level: None, context: String::new(), role: None };
            explain(&plan, folder.path(), &question).unwrap()
        };
        for path in ["/trunkline-rbac:rbac/role", "/trunkline-keys:keys"] {
            let found = ask("adm", path);
            assert_eq!(found.matches("it administers the roles part:").count(), 1, "{found}");
            assert!(!ask("ann", path).contains("it administers"));
        }
        assert!(!ask("adm", "/ietf-system:system/contact").contains("it administers"));
    }

    #[test]
    fn a_request_in_a_role_is_bounded_by_it() {
        let config = "[[role]]\nname = \"monitor\"\nread = [\"1.3.6.1.2.1.1.4\"]\n\
            [[role]]\nname = \"operator\"\ninherits = [\"monitor\"]\nread = [\"1.3.6.1.2.1.1\"]\n\
            [[snmp.principal]]\nname = \"ann\"\nrole = \"operator\"\n\
            [[snmp.user]]\nname = \"ann\"\nauth = \"SHA-256\"\npassword = \"maplesyrup\"\nrole = \"operator\"\n\
            [[snmp.user]]\nname = \"sam\"\nauth = \"SHA-256\"\npassword = \"maplesyrup\"\nrole = \"operator\"\n";
        let plan = trunkline_config::parse(Path::new("t.toml"), config).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let ask = |who: &str, what: What, role: &str| {
            let (who, role, access) = (who.into(), Some(role.into()), Some(ViewType::Read));
            let question = Question { who, what, access, level: None, context: String::new(), role };
            explain(&plan, folder.path(), &question).map_err(|error| error.to_string())
        };
        let path = |text: &str| What::Path(text.into());
        let contact = ask("ann", path("/ietf-system:system/contact"), "monitor").unwrap();
        assert!(contact.contains("monitor") && contact.contains("in role operator > monitor"), "{contact}");
        let location = ask("ann", path("/ietf-system:system/location"), "monitor").unwrap();
        assert!(location.contains("verdict   denied"), "{location}");
        // Users of SNMP act in no role: the answer is that of sessions alone.
        let object = What::Object(Oid::new(&[1, 3, 6, 1, 2, 1, 1, 4, 0]).unwrap());
        let answer = ask("ann", object.clone(), "monitor").unwrap();
        assert!(answer.contains("(tsm, authPriv)") && !answer.contains("(usm"), "{answer}");
        assert!(ask("sam", object, "monitor").unwrap_err().contains("no access over NETCONF"));
        let other = ask("ann", path("/ietf-system:system/contact"), "none").unwrap();
        assert!(other.contains("verdict   denied"), "{other}");
        let operation = ask("ann", What::Operation("get".into()), "none").unwrap();
        assert!(operation.contains("denied"), "{operation}");
    }

    #[test]
    fn a_user_without_a_role_is_known_to_be_there() {
        let plan = "[[snmp.user]]\nname = \"template\"\n[[role]]\nname = \"reader\"\nread = [\"1\"]\nmembers = [\"later\"]\n";
        let error = ask_of(plan, "template", &[1, 3], None).unwrap_err();
        assert!(error.contains("no role") && error.contains("members"), "{error}");
        let error = ask_of("[[snmp.principal]]\nname = \"src1\"\n", "src1", &[1, 3], None).unwrap_err();
        assert!(error.contains("\"src1\" has no role") && error.contains("[[snmp.principal]]"), "{error}");
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
