//! Several roles of a user, and paths in roles.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::convert::Infallible;
use std::path::Path;

use trunkline_config::{Plan, WrongConfig, access, parse};
use trunkline_tree::policy::{Acting, Policy, Principal, SecurityLevel, SecurityModel, ViewType};

fn check(text: &str) -> Result<Plan, WrongConfig> {
    parse(Path::new("t.toml"), text)
}

fn wrong(text: &str) -> (usize, usize, String) {
    let error = check(text).unwrap_err();
    (error.line, error.column, error.message)
}

const ROLES: &str = "[[role]]\nname = \"monitor\"\nread = [\"1.3.6.1.2.1\"]\n[[role]]\nname = \"contact\"\nwrite = [\"1.3.6.1.2.1.1.4\"]\n";

fn may(policy: &Policy, name: &str, role: Option<&str>, to: ViewType, object: &str) -> bool {
    let acting = role.map(|role| Acting { role: role.as_bytes(), is_proved: false });
    let principal =
        Principal::new(SecurityModel::TSM, name.as_bytes(), SecurityLevel::AuthPriv).acting(acting);
    policy.is_access_allowed(&principal, b"", to, &object.parse::<trunkline_smi::Oid>().unwrap()).is_ok()
}

#[test]
fn a_user_has_several_roles_and_acts_in_each() {
    let text = format!(
        "{ROLES}[[snmp.principal]]\nname = \"ann\"\nrole = [\"monitor\", \"contact\"]\n\
         [[snmp.principal]]\nname = \"bob\"\nrole = [\"contact\", \"monitor\"]\n\
         [[snmp.principal]]\nname = \"eve\"\nrole = [\"monitor\"]\n\
         [[snmp.user]]\nname = \"sam\"\nauth = \"SHA-256\"\npassword = \"maplesyrup\"\nrole = [\"monitor\", \"contact\"]\n\
         [[snmp.community]]\nname = \"public\"\nrole = [\"monitor\", \"contact\"]\n"
    );
    let plan = check(&text).unwrap();
    // Whatever their order, the roles together are one role.
    assert_eq!(
        plan.roles.iter().map(|role| role.name.as_str()).collect::<Vec<_>>(),
        ["monitor", "contact", "contact+monitor"]
    );
    assert_eq!(plan.snmp.users[0].role.as_deref(), Some("contact+monitor"));
    let policy = access::policy(&plan).unwrap();
    let (contact, name) = ("1.3.6.1.2.1.1.4.0", "1.3.6.1.2.1.1.5.0");
    for user in ["ann", "bob"] {
        assert!(
            may(&policy, user, None, ViewType::Read, name)
                && may(&policy, user, None, ViewType::Write, contact)
        );
        assert!(!may(&policy, user, Some("monitor"), ViewType::Write, contact));
        assert!(may(&policy, user, Some("contact"), ViewType::Write, contact));
    }
    assert!(!may(&policy, "eve", Some("contact"), ViewType::Write, contact));
}

#[test]
fn long_lists_of_roles_are_cut_and_told_apart() {
    let names: Vec<String> = (0..4).map(|at| format!("department-{at}")).collect();
    let roles: String =
        names.iter().map(|name| format!("[[role]]\nname = {name:?}\nread = [\"1\"]\n")).collect();
    let text = format!(
        "{roles}[[snmp.principal]]\nname = \"ann\"\nrole = {:?}\n[[snmp.principal]]\nname = \"bob\"\nrole = {:?}\n",
        &names[..3],
        &names[..4]
    );
    let plan = check(&text).unwrap();
    let [ann, bob] = [0, 1].map(|at| plan.snmp.principals[at].role.clone().unwrap());
    assert!(ann != bob && ann.len() <= 32 && ann.starts_with("department-0"), "{ann} {bob}");
    access::policy(&plan).unwrap();
}

#[test]
fn wrong_lists_of_roles_are_refused() {
    let principal = |role: &str| format!("{ROLES}[[snmp.principal]]\nname = \"ann\"\nrole = {role}\n");
    for (text, words) in [
        (principal("[]"), "at least one role"),
        (principal("[\"monitor\", \"nobody\"]"), "there is no role \"nobody\""),
        (principal("1"), "the name of a role or a list of roles"),
        (format!("{}[[role]]\nname = \"contact+monitor\"\nread = [\"1\"]\n", principal("[\"monitor\", \"contact\"]")), "expected another name"),
        (
            "[[role]]\nname = \"a\"\nread = [\"1\"]\n[[role]]\nname = \"b\"\nread = [\"1\"]\n[[role]]\nname = \"a+b\"\nread = [\"1\"]\n\
             [[role]]\nname = \"b+c\"\nread = [\"1\"]\n[[role]]\nname = \"c\"\nread = [\"1\"]\n\
             [[snmp.principal]]\nname = \"ann\"\nrole = [\"a+b\", \"c\"]\n[[snmp.principal]]\nname = \"bob\"\nrole = [\"a\", \"b+c\"]\n"
                .into(),
            "as others together are",
        ),
        (
            "[[role]]\nname = \"a\"\ninherits = [\"b\"]\n[[role]]\nname = \"b\"\ninherits = [\"c\"]\n[[role]]\nname = \"c\"\ninherits = [\"a\"]\n".into(),
            "a > b > c > a",
        ),
        (
            format!("{ROLES}[[role]]\nname = \"o\"\nread = [\"1\"]\nmembers = [\"sam\"]\n[[role]]\nname = \"p\"\nread = [\"1\"]\nmembers = [\"sam\"]\n"),
            "write role = [",
        ),
    ] {
        let (_, _, message) = wrong(&text);
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn paths_stand_for_the_subtrees_that_are_set() {
    let text = "[[view]]\nname = \"v\"\nrules = [\"/a:b\"]\n[[role]]\nname = \"r\"\nread = [\"1.3.6.1.2.1\", \"-/a:b/c\"]\nwrite = [\"/a:b/d\"]\n\
                [[snmp.principal]]\nname = \"ann\"\nrole = \"r\"\n";
    let mut plan = check(text).unwrap();
    let seen: Vec<(String, ViewType, String, bool)> =
        plan.paths().map(|(of, to, rule)| (of.into(), to, rule.path.clone(), rule.included)).collect();
    let expected = [
        ("v", ViewType::Read, "/a:b", true),
        ("r", ViewType::Read, "/a:b/c", false),
        ("r", ViewType::Write, "/a:b/d", true),
    ];
    assert_eq!(seen, expected.map(|(of, to, path, included)| (of.into(), to, path.into(), included)));
    // Nothing is permitted by what has no subtrees yet.
    let policy = access::policy(&plan).unwrap();
    assert!(may(&policy, "ann", None, ViewType::Read, "1.3.6.1.2.1.1.4.0"));
    assert!(!may(&policy, "ann", None, ViewType::Write, "1.3.6.1.2.1.1.6.0"));
    plan.set_subtrees(|rule, _| {
        let subtree = if rule.path.ends_with('c') { "1.3.6.1.2.1.1.4" } else { "1.3.6.1.2.1.1.6" };
        let sign = if rule.included { "" } else { "-" };
        Ok::<_, Infallible>(vec![format!("{sign}{subtree}").parse().unwrap()])
    })
    .unwrap();
    let policy = access::policy(&plan).unwrap();
    assert!(!may(&policy, "ann", None, ViewType::Read, "1.3.6.1.2.1.1.4.0"));
    assert!(may(&policy, "ann", None, ViewType::Write, "1.3.6.1.2.1.1.6.0"));
    let error = plan.set_subtrees(|_, _| Err::<Vec<_>, _>("too much")).unwrap_err();
    assert_eq!((error.line, error.message.as_str(), error.others.len()), (3, "\"/a:b\": too much", 2));
}

/// Of paths that stand for one subtree the longest decides, wherever it is written, and what is written as a subtree decides before all.
#[test]
fn the_longest_path_decides() {
    for (read, expected) in [
        ("\"/a:b\", \"-/a:b/c\"", false),
        ("\"-/a:b/c\", \"/a:b\"", false),
        ("\"/a:b/c[d='/']\", \"-/a:b\"", true),
        ("\"-/a:b\", \"/a:b/c[d='/']\"", true),
        ("\"/a:b/c[d='//']\", \"-/a:b/e/f\"", false),
        ("\"-/a:b/c\", \"1.3.6.1.2.1.1.4\"", true),
    ] {
        let text = format!(
            "[[role]]\nname = \"r\"\nread = [{read}]\n[[snmp.principal]]\nname = \"ann\"\nrole = \"r\"\n"
        );
        let mut plan = check(&text).unwrap();
        plan.set_subtrees(|rule, _| {
            let sign = if rule.included { "" } else { "-" };
            Ok::<_, Infallible>(vec![format!("{sign}1.3.6.1.2.1.1.4").parse().unwrap()])
        })
        .unwrap();
        let policy = access::policy(&plan).unwrap();
        assert_eq!(may(&policy, "ann", None, ViewType::Read, "1.3.6.1.2.1.1.4.0"), expected, "{read}");
    }
}

#[test]
fn paths_are_for_roles() {
    for text in [
        "[[snmp.community]]\nname = \"c\"\naccess = \"read\"\nview = [\"/a:b\"]\n",
        "[[view]]\nname = \"v\"\nrules = [\"/a:b\"]\n[[snmp.community]]\nname = \"c\"\naccess = \"read\"\nview = \"v\"\n",
    ] {
        let (_, _, message) = wrong(text);
        assert!(message.contains("paths are for roles"), "{message}");
    }
    let (line, _, message) = wrong("[[role]]\nname = \"r\"\nread = [\"/a:b\", \"-/a:b\"]\n");
    assert!(line == 3 && message.contains("twice"), "{message}");
}
