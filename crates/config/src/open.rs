//! What a configuration leaves open to the network: communities that may come from any address, on listeners
//! beyond loopback, and users whose passwords are not needed; and what applies to nothing or to nobody. It is allowed, and reported at startup, after a reload and by `--check`.

use trunkline_transport::{ListenUrl, Transport};
use trunkline_tree::policy::SecurityLevel;

use super::{AgentxPlan, CommunityPlan, GroupPlan, Plan, RolePlan, UserPlan};

/// The warning for communities that anybody who reaches this machine may use.
pub fn open_communities(plan: &Plan) -> Option<String> {
    let is_beyond = |url: &ListenUrl| url.address.is_none_or(|address| !address.is_loopback());
    // Over TLS as well: the community is for those who show no certificate.
    let is_open_for_jmx = |url: &&ListenUrl| is_beyond(url);
    let is_open = |url: &&ListenUrl| {
        let takes_communities = matches!(url.transport, Transport::Udp | Transport::Tcp);
        takes_communities && is_beyond(url)
    };
    let mut listeners: Vec<String> =
        plan.snmp.listen.iter().filter(is_open).map(ToString::to_string).collect();
    let jmx = plan.jmx.as_ref().and_then(|jmx| Some((&jmx.listen, jmx.community.as_ref()?)));
    let over_jmx: Vec<String> = jmx
        .iter()
        .flat_map(|(listen, _)| listen.iter().filter(is_open_for_jmx))
        .map(|url| format!("JMX at {url}"))
        .collect();
    let communities = plan.snmp.communities.iter().enumerate();
    let is_served = |community: &CommunityPlan| {
        let is_of_jmx = jmx.is_some_and(|(_, name)| name.0 == community.name);
        !listeners.is_empty() || is_of_jmx && !over_jmx.is_empty()
    };
    let open: Vec<String> = communities
        .filter(|(_, community)| community.sources.is_empty() && is_served(community))
        .map(shown)
        .collect();
    listeners.extend(over_jmx);
    if open.is_empty() {
        return None;
    }
    let count = match open.len() {
        1 => "1 community".to_owned(),
        several => format!("{several} communities"),
    };
    let (open, listeners) = (open.join(", "), listeners.join(" "));
    Some(format!(
        "{count} ({open}) may be used from any address, over {listeners}: set `sources` in [[snmp.community]], \
         use SNMPv3 ([[snmp.user]]), or listen on 127.0.0.1 only"
    ))
}

/// A warning for each place where anybody on the network may connect as a subagent.
pub fn open_masters(plan: &Plan) -> Vec<String> {
    let places = plan.agentx.iter().flat_map(AgentxPlan::open_places);
    places
        .map(|address| {
            format!(
                "anybody who reaches tcp:{address} may connect as a subagent and answer for any subtree: AgentX has neither \
                 users nor encryption; listen on a Unix socket or on 127.0.0.1, or let a firewall decide"
            )
        })
        .collect()
}

/// The warning for JMX that nobody may use.
pub fn unusable_jmx(plan: &Plan) -> Option<String> {
    let jmx = plan.jmx.as_ref().filter(|jmx| !jmx.listen.is_empty() && jmx.community.is_none())?;
    let may_log_in = plan.snmp.principals.iter().any(|principal| principal.role.is_some());
    let listeners: Vec<String> = jmx.listen.iter().map(ToString::to_string).collect();
    (!may_log_in).then(|| {
        format!(
            "[jmx] listens ({}), and every client is refused: add an [[snmp.principal]] with a role and a password-hash \
             (`trunkline pki password`) or a certificate, or a community in [jmx]",
            listeners.join(", ")
        )
    })
}

/// A warning for each user of SNMPv3 with passwords whose role may be used by the name alone.
pub fn unguarded_users(plan: &Plan) -> Vec<String> {
    let unguarded = |user: &UserPlan| {
        let (role, level) = (user.role.as_deref()?, user.level());
        let needs_none = plan.least_level(role) == Some(SecurityLevel::NoAuthNoPriv);
        (needs_none && level != SecurityLevel::NoAuthNoPriv).then(|| {
            format!(
                "the user {:?} has passwords, and the role {role:?} may be used under that name without them: set \
                 level = \"{}\" in [[role]] {role:?}",
                user.name,
                level.name()
            )
        })
    };
    plan.snmp.users.iter().filter_map(unguarded).collect()
}

/// A warning for each rule of a role that applies to no context.
pub fn idle_rules(plan: &Plan) -> Vec<String> {
    let idle = plan.rules_without_context().into_iter();
    idle.map(|(role, start)| {
        format!(
            "the rule for context = \"{start}*\" of the role {role:?} matches no context: none that a rule, a \
             community or a proxy names begins with {start:?}, and a rule with a `*` creates none"
        )
    })
    .collect()
}

/// A warning for each file of members that holds passwords and that everybody may read.
pub fn exposed_members(plan: &Plan) -> Vec<String> {
    let files = plan.groups.iter().filter_map(|group| group.members_file.as_ref());
    let mut files: Vec<_> = files.map(|file| file.path.as_path()).collect();
    files.dedup();
    files.into_iter().filter_map(super::exposure).collect()
}

/// Administered roles that the file does not have: they are data, or a name is wrong.
pub fn administered_elsewhere(plan: &Plan) -> Vec<String> {
    let is_here = |name: &String| plan.roles.iter().any(|role| role.name == *name);
    let of_role = |role: &RolePlan| {
        let elsewhere = role.administers.iter().filter(|name| !is_here(name));
        let line = |name: &String| {
            let whose = &role.name;
            format!(
                "[[role]] {whose:?} administers {name:?}, which is not a role of this file: it must be one of /rbac"
            )
        };
        elsewhere.map(line).collect::<Vec<_>>()
    };
    plan.roles.iter().flat_map(of_role).collect()
}

/// A community is a secret, except for the well-known one; others are identified by their security names.
fn shown((position, community): (usize, &CommunityPlan)) -> String {
    match community.name.as_slice() {
        b"public" => "`public`".to_owned(),
        _ => crate::access::security_name(position).to_string(),
    }
}

/// A warning for each group whose file of members has none.
#[must_use]
pub fn empty_members_files(plan: &Plan) -> Vec<String> {
    let words = plan.groups.iter().filter_map(|group| {
        let file = group.members_file.as_ref().filter(|file| file.is_empty)?.path.display();
        let is_all = group.members.is_empty() && group.groups.is_empty();
        let rest = if is_all { ", and the group has no others" } else { "" };
        Some(format!("[[group]] {:?}: {file} has no [[member]]{rest}", group.name))
    });
    words.collect()
}

/// A warning for each group with members that have no context, since its name would be too long.
#[must_use]
pub fn members_without_context(plan: &Plan) -> Vec<String> {
    let of_group = |group: &GroupPlan| {
        let mut long = group.long_contexts();
        let first = long.next()?;
        let count = 1 + long.count();
        Some(format!(
            "[[group]] {:?}: {count} of its members are in no context and not in the page, since {:?} and its like \
             have more than 32 octets (RFC 3411): expected shorter names",
            group.name, first
        ))
    };
    plan.groups.iter().filter_map(of_group).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::parse;

    fn said(config: &str) -> Option<String> {
        open_communities(&parse(Path::new("test.toml"), config).unwrap())
    }

    #[test]
    fn passwords_that_are_not_needed_are_reported() {
        let said = |role: &str| {
            let user = "[[snmp.user]]\nname = \"ann\"\nauth = \"SHA\"\npriv = \"AES\"\n\
                        password = \"maplesyrup\"\nrole = \"monitor\"\n";
            let config = format!("[[role]]\nname = \"monitor\"\n{role}{user}");
            unguarded_users(&parse(Path::new("test.toml"), &config).unwrap())
        };
        let found = said("read = [\"1\"]\n");
        let expected = "the user \"ann\" has passwords, and the role \"monitor\" may be used under that name without \
                        them: set level = \"authPriv\" in [[role]] \"monitor\"";
        assert_eq!(found, [expected]);
        assert!(said("read = [\"1\"]\nlevel = \"authNoPriv\"\n").is_empty());
        let more =
            "read = [\"1\"]\nlevel = \"authPriv\"\n[[role.access]]\ncontext = \"lab\"\nread = [\"1\"]\n";
        assert_eq!(said(more).len(), 1);
    }

    #[test]
    fn a_rule_for_no_context_is_reported() {
        let said = |context: &str, more: &str| {
            let role = format!("[[role]]\nname = \"monitor\"\nread = [\"1\"]\ncontext = {context:?}\n{more}");
            idle_rules(&parse(Path::new("test.toml"), &role).unwrap())
        };
        let found = said("lab*", "");
        assert!(found.len() == 1 && found[0].starts_with("the rule for context = \"lab*\""), "{found:?}");
        let community = "[[snmp.community]]\nname = \"x\"\nrole = \"monitor\"\ncontext = \"lab1\"\n";
        assert!(said("lab*", community).is_empty());
        assert!(said("*", "").is_empty() && said("lab", "").is_empty());
    }

    #[test]
    fn administered_roles_that_are_not_here_are_reported() {
        let said = |name: &str| {
            let roles = format!("[[role]]\nname = \"lead\"\nread = [\"1\"]\nadministers = [{name:?}]\n");
            administered_elsewhere(&parse(Path::new("test.toml"), &roles).unwrap())
        };
        let found = said("later");
        assert!(found.len() == 1 && found[0].contains("administers \"later\", which is not"), "{found:?}");
        assert!(said("lead").is_empty());
    }

    #[test]
    fn a_master_beyond_this_machine_is_reported() {
        let listen = ["tcp:127.0.0.1:705", "tcp:192.0.2.1:705"].map(|place| place[4..].parse().unwrap());
        let listen = listen.map(trunkline_local::Endpoint::Tcp).to_vec();
        let agentx = Some(AgentxPlan { listen, ..AgentxPlan::default() });
        let words = open_masters(&Plan { agentx, ..Plan::default() });
        assert!(words.len() == 1 && words[0].contains("tcp:192.0.2.1:705 may connect"), "{words:?}");
        assert!(open_masters(&Plan::default()).is_empty());
    }

    #[test]
    fn open_access_is_reported_with_advice() {
        let everywhere = "[snmp]\nlisten = [\"udp://0.0.0.0:161\", \"udp://127.0.0.1:162\"]\n";
        let words = said(everywhere).unwrap();
        assert!(
            words.starts_with(
                "1 community (`public`) may be used from any address, over udp://0.0.0.0:161: set"
            )
        );
        let two = "[[snmp.community]]\nname = \"s3cret\"\naccess = \"write\"\n\
                   [[snmp.community]]\nname = \"public\"\naccess = \"read\"\nsources = [\"10.0.0.0/8\"]\n";
        let words = said(&format!("{everywhere}{two}")).unwrap();
        assert!(words.starts_with("1 community (community1) may"), "{words}");
        assert!(
            said(&format!(
                "{everywhere}{}",
                two.replace("name = \"s3cret\"", "sources = [\"::1\"]\nname = \"s\"")
            ))
            .is_none()
        );
        assert!(said("[snmp]\nlisten = [\"udp://127.0.0.1:161\", \"tcp://[::1]:161\"]\n").is_none());
        assert!(said("[snmp]\nlisten = [\"tcp://*:161\"]\n").is_some());
        assert!(said("").is_none());
    }

    #[test]
    fn the_community_of_jmx_is_reported_where_it_is_open() {
        let jmx = |listen: &str, more: &str| {
            said(&format!(
                "[snmp]\nlisten = []\n[jmx]\nlisten = [{listen:?}]\n{more}[[snmp.community]]\nname = \"public\"\n\
                 role = \"all\"\n[[role]]\nname = \"all\"\nread = [\"1\"]\n"
            ))
        };
        let open = jmx("tcp://0.0.0.0:1099", "community = \"public\"\n").unwrap();
        assert!(open.contains("over JMX at tcp://0.0.0.0:1099"), "{open}");
        assert!(jmx("tcp://127.0.0.1:1099", "community = \"public\"\n").is_none());
        assert!(jmx("tcp://0.0.0.0:1099", "").is_none());
    }

    #[test]
    fn jmx_without_anybody_who_may_use_it_is_reported() {
        let said = |more: &str| {
            let jmx = "[jmx]\nlisten = [\"tcp://127.0.0.1:1099\"]\n";
            unusable_jmx(&parse(Path::new("test.toml"), &format!("{jmx}{more}")).unwrap())
        };
        let role = "[[role]]\nname = \"all\"\nread = [\"1\"]\n[[snmp.principal]]\nname = \"ann\"\n";
        for nobody in ["", role] {
            let words = said(nobody).unwrap();
            assert!(words.starts_with("[jmx] listens (tcp://127.0.0.1:1099), and every"), "{words}");
        }
        assert!(said(&format!("{role}role = \"all\"\n")).is_none());
        assert!(said("community = \"public\"\n").is_none());
        assert!(unusable_jmx(&Plan::default()).is_none());
    }
}
