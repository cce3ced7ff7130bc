//! What the agents are configured to be: the access policy of their files, and the configuration that they get over NETCONF before the
//! measurement: routers of BGP, realistic and as a sample, and static routes.

use std::fmt::Write;

/// An agent's policy: what table 3.2 reads as the RBAC policy, and a program that accepts configurations of BGP.
pub(super) fn policy() -> String {
    let mut text = String::new();
    for role in 1..=ROLES {
        let is_senior = role % LEVELS != 1;
        let inherits =
            if is_senior { format!("inherits = [\"role-{}\"]\n", role - 1) } else { String::new() };
        let read: Vec<String> =
            (1..=RULES).map(|rule| format!("\"1.3.6.1.2.1.{}\"", role * RULES + rule)).collect();
        let _ = write!(
            text,
            "[[role]]\nname = \"role-{role}\"\n{inherits}read = [{}]\nwrite = [\"1.3.6.1.2.1.1.{role}\"]\n",
            read.join(", ")
        );
    }
    for user in 1..=USERS {
        let role = user % ROLES + 1;
        let _ = write!(text, "[[snmp.principal]]\nname = \"user-{user}\"\nrole = \"role-{role}\"\n");
    }
    text + HOOK
}

/// The roles of figure 3.3: one for each number of permissions at each depth of the hierarchy, with a user of the same name.
pub(super) fn hierarchies(counts: &[u32], depths: &[u32]) -> String {
    let mut text = String::new();
    for &depth in depths {
        for &count in counts.iter().filter(|count| **count >= depth) {
            let name = subject(count, depth);
            for level in (1..=depth).rev() {
                // Each level has its share; the highest one what is left.
                let share = |levels: u32| count * levels / depth;
                let rules: Vec<String> = (share(depth - level)..share(depth - level + 1)).map(rule).collect();
                let inherits = if level < depth {
                    format!("inherits = [\"{}\"]\n", junior(&name, level + 1))
                } else {
                    String::new()
                };
                let _ = write!(
                    text,
                    "[[role]]\nname = \"{}\"\n{inherits}read = [{}]\n",
                    junior(&name, level),
                    rules.join(", ")
                );
            }
            let _ = write!(text, "[[snmp.principal]]\nname = \"{name}\"\nrole = \"{name}\"\n");
        }
    }
    text
}

/// The user, and the role at the top of a hierarchy.
pub(super) fn subject(count: u32, depth: u32) -> String {
    format!("p{count}-d{depth}")
}

fn junior(name: &str, level: u32) -> String {
    if level == 1 { name.to_owned() } else { format!("{name}-{level}") }
}

/// The nth permission, a path as the deliverable's were. The first, which the most junior role has, is what the request reads: it is inherited over all
/// levels. The others are descriptions of interfaces, one each.
fn rule(at: u32) -> String {
    if at == 0 {
        "\"/SNMPv2-MIB:SNMPv2-MIB/system\"".into()
    } else {
        format!("\"/IF-MIB:IF-MIB/ifTable/ifEntry[ifIndex='{}']/ifDescr\"", FIRST_INTERFACE + at)
    }
}

/// A router of BGP: neighbors with policies, and networks that are announced.
pub(super) fn bgp(size: Size) -> String {
    let Size { neighbors, policies, statements, networks } = size;
    let mut text = format!(
        "<bgp xmlns=\"{BGP}\"><global><as>65001</as><identifier>192.0.2.1</identifier><afi-safis><afi-safi><name>ipv4-unicast</name>"
    );
    for at in 0..networks {
        let _ = write!(text, "<network><prefix>10.{}.{}.0/24</prefix></network>", at / 256, at % 256);
    }
    text += "</afi-safi></afi-safis></global><neighbors>";
    for at in 1..=neighbors {
        let (import, export) = (at % policies + 1, (at + 1) % policies + 1);
        let _ = write!(
            text,
            "<neighbor><remote-address>192.0.2.{at}</remote-address><peer-as>{}</peer-as><description>customer {at:03}, line {:08x}</description>\
             <timers><hold-time>180</hold-time><keepalive>60</keepalive></timers>\
             <apply-policy><import-policy>policy-{import}</import-policy><export-policy>policy-{export}</export-policy></apply-policy></neighbor>",
            65536 + mixed(at) % 300_000,
            mixed(at + 1)
        );
    }
    text += "</neighbors><policies>";
    for at in 1..=policies {
        let _ = write!(text, "<policy><name>policy-{at}</name>");
        for statement in 1..=statements {
            let _ = write!(
                text,
                "<statement><name>s{statement}</name><conditions><match-prefix>{}.{}.{}.0/24</match-prefix></conditions>\
                 <actions><policy-result>accept-route</policy-result><set-local-pref>{}</set-local-pref></actions></statement>",
                mixed(at) % 223 + 1,
                mixed(statement) % 256,
                mixed(at * 1000 + statement) % 256,
                100 + mixed(at + statement) % 400
            );
        }
        text += "</policy>";
    }
    text + "</policies></bgp>"
}

/// Numbers as irregular as those of real neighbors, and the same in every run.
fn mixed(number: u32) -> u32 {
    let mixed = number.wrapping_mul(0x9e37_79b1);
    (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca77)
}

/// How large a configuration of BGP is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub neighbors: u32,
    pub policies: u32,
    pub statements: u32,
    pub networks: u32,
}

/// "Realistic enough to be used in a real network": a border router of a small provider.
pub(super) const REALISTIC: Size = Size { neighbors: 40, policies: 20, statements: 8, networks: 60 };
/// A sample.
pub(super) const SAMPLE: Size = Size { neighbors: 2, policies: 1, statements: 2, networks: 1 };

/// Static routes that lead nowhere, which the kernel accepts in any number.
pub(super) fn routes(from: u32, to: u32) -> String {
    let mut text = "<routing xmlns=\"urn:ietf:params:xml:ns:yang:ietf-routing\"><control-plane-protocols><control-plane-protocol>\
                    <type xmlns:rt=\"urn:ietf:params:xml:ns:yang:ietf-routing\">rt:static</type><name>lab</name><static-routes>\
                    <ipv4 xmlns=\"urn:ietf:params:xml:ns:yang:ietf-ipv4-unicast-routing\">"
        .to_owned();
    for at in from..to {
        let _ = write!(
            text,
            "<route><destination-prefix>11.{}.{}.0/24</destination-prefix><next-hop><special-next-hop>blackhole</special-next-hop></next-hop>\
             </route>",
            at / 256,
            at % 256
        );
    }
    text + "</ipv4></static-routes></control-plane-protocol></control-plane-protocols></routing>"
}

/// Without any static route of ours.
pub(super) const NO_ROUTES: &str = "<routing xmlns=\"urn:ietf:params:xml:ns:yang:ietf-routing\" \
    xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" nc:operation=\"remove\"/>";

/// An edit of running.
pub(super) fn edit(content: &str) -> String {
    format!("<edit-config><target><running/></target><config>{content}</config></edit-config>")
}

/// No interface of the place has this ifIndex or a higher one: no role may read more than another.
const FIRST_INTERFACE: u32 = 100_000;
const BGP: &str = "urn:trunkline:yang:bgp";
/// Accepts everything: what is measured is how a configuration is read.
const HOOK: &str = "[[netconf.hook]]\nsubtree = \"/trunkline-bgp:bgp\"\ncommand = [\"/bin/true\"]\n";
const ROLES: u32 = 9;
const RULES: u32 = 3;
const USERS: u32 = 12;
/// Roles that inherit from one another: three levels.
const LEVELS: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hierarchy_has_its_number_of_permissions_over_its_levels() {
        let text = hierarchies(&[1, 10], &[1, 3]);
        assert_eq!(text.matches("[[snmp.principal]]").count(), 3, "one permission has no three levels");
        assert_eq!(text.matches("[[role]]").count(), 1 + 1 + 3);
        let rules = |name: &str| {
            let role =
                text.split(&format!("name = \"{name}\"\n")).nth(1).unwrap().split("[[").next().unwrap();
            role.matches("-MIB:").count()
        };
        assert_eq!([rules("p10-d3"), rules("p10-d3-2"), rules("p10-d3-3")], [4, 3, 3]);
        assert!(text.contains("name = \"p10-d3\"\ninherits = [\"p10-d3-2\"]\nread = [\"/IF-MIB:"));
        // What is read is inherited over all levels.
        assert!(text.contains("name = \"p10-d3-3\"\nread = [\"/SNMPv2-MIB:SNMPv2-MIB/system\", "));
    }

    #[test]
    fn a_realistic_router_is_much_more_than_a_sample() {
        let [realistic, sample] = [REALISTIC, SAMPLE].map(|size| bgp(size).len());
        assert!(realistic > 30_000 && sample < 3_000, "{realistic} {sample}");
        assert_eq!(routes(10, 300).matches("<route>").count(), 290);
    }
}
