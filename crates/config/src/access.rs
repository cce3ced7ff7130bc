//! From the configuration to the one access policy: users and communities become principals with roles, roles become
//! rows of VACM's tables.
//!
//! A community is a secret, and so is not what the policy calls who has it: that is the community's security name,
//! `community1` for the first one of the configuration and so on.

use trunkline_tree::View;
use trunkline_tree::policy::{
    AdminString, ContextMatch, Member, Policy, Role, RoleError, RoleGrant, Roles, SecurityLevel,
    SecurityModel, ViewSource,
};

use crate::{CommunityPlan, EVERYBODY, Plan, Rights};

/// The policy of a configuration.
///
/// # Errors
/// Roles that make no policy; the configuration's check finds them before.
pub fn policy(plan: &Plan) -> Result<Policy, RoleError> {
    roles(plan).compile()
}

/// The roles of a configuration, with those that stand for communities and for everybody, and their members.
#[must_use]
pub fn roles(plan: &Plan) -> Roles {
    let mut roles = plan.access();
    for (position, community) in plan.snmp.communities.iter().enumerate() {
        let name = security_name(position);
        let role = match &community.rights {
            Rights::Role(role) => AdminString::try_from(role.as_str()).unwrap_or_default(),
            Rights::View { .. } => {
                roles.roles.push(own_role(&name, community));
                name.clone()
            }
        };
        for model in [SecurityModel::V1, SecurityModel::V2C] {
            roles.members.push(Member { model, name: name.clone(), role: role.clone() });
        }
    }
    if plan.snmp.principals.is_empty() && plan.has_sessions() {
        // A configuration with principals gives no access to other authenticated peers.
        let name = AdminString::try_from(EVERYBODY).unwrap_or_default();
        roles.roles.push(everybody_reads(&name));
        roles.members.push(Member { model: SecurityModel::TSM, name: name.clone(), role: name });
    }
    roles
}

/// The role of every authenticated peer: read access.
fn everybody_reads(name: &AdminString) -> Role {
    let all = || Some(ViewSource::Rules(View::everything()));
    let grant = RoleGrant {
        read: all(),
        write: None,
        notify: all(),
        level: SecurityLevel::AuthNoPriv,
        context: AdminString::default(),
        context_match: ContextMatch::Prefix,
        model: SecurityModel::TSM,
    };
    Role { name: name.clone(), grants: vec![grant], ..Role::default() }
}

/// What the policy calls who has a community of the configuration, by its position there.
pub fn security_name(position: usize) -> AdminString {
    AdminString::try_from(format!("community{}", position + 1).as_str()).unwrap_or_default()
}

/// The role of a community with its own rights: in its context, without any security.
fn own_role(name: &AdminString, community: &CommunityPlan) -> Role {
    let view = |view: &View| (*view != View::NOTHING).then(|| ViewSource::Rules(view.clone()));
    let grant = RoleGrant {
        read: view(&community.read),
        write: view(&community.write),
        notify: view(&community.read),
        level: SecurityLevel::NoAuthNoPriv,
        context: AdminString::try_from(community.context.as_str()).unwrap_or_default(),
        context_match: ContextMatch::Exact,
        model: SecurityModel::ANY,
    };
    Role { name: name.clone(), grants: vec![grant], ..Role::default() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use trunkline_tree::policy::{Denied, Principal, ViewType};

    use super::*;

    fn of(text: &str) -> Policy {
        policy(&crate::parse(Path::new("t.toml"), text).unwrap()).unwrap()
    }

    #[test]
    fn communities_are_principals_without_their_secret() {
        let policy =
            of("[[snmp.community]]\nname = \"hidden\"\naccess = \"write\"\nview = [\"1.3.6.1.2\"]\n\
             [[snmp.community]]\nname = \"lab\"\naccess = \"read\"\ncontext = \"lab\"\n");
        assert!(!format!("{policy:?}").contains("hidden"));
        let level = SecurityLevel::NoAuthNoPriv;
        let allowed = |name: &[u8], context: &[u8], view, object: &[u32]| {
            policy.is_access_allowed(&Principal::new(SecurityModel::V2C, name, level), context, view, object)
        };
        assert_eq!(allowed(b"community1", b"", ViewType::Write, &[1, 3, 6, 1, 2, 1]), Ok(()));
        assert_eq!(allowed(b"community1", b"", ViewType::Read, &[1, 3, 6, 1, 4]), Err(Denied::NotInView));
        assert_eq!(allowed(b"community2", b"", ViewType::Read, &[1]), Err(Denied::NoAccessEntry));
        assert_eq!(allowed(b"community2", b"lab", ViewType::Read, &[1]), Ok(()));
        assert_eq!(allowed(b"community2", b"lab", ViewType::Write, &[1]), Err(Denied::NotInView));
        assert_eq!(allowed(b"community2", b"other", ViewType::Read, &[1]), Err(Denied::NoSuchContext));
    }

    #[test]
    fn without_a_file_everybody_reads_and_nobody_writes() {
        let policy = policy(&Plan::default()).unwrap();
        let level = SecurityLevel::NoAuthNoPriv;
        let may = |view| {
            policy.is_access_allowed(
                &Principal::new(SecurityModel::V1, b"community1", level),
                b"",
                view,
                &[1, 3],
            )
        };
        assert_eq!(may(ViewType::Read), Ok(()));
        assert_eq!(may(ViewType::Write), Err(Denied::NotInView));
    }
}
