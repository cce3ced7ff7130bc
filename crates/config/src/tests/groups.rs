//! Groups: what they mean, and what is wrong with them.

use super::*;
use crate::{FunctionPlan, MemberWay, OverPlan};

const GROUPS: &str = r#"
[groups]
listen = ["udp://127.0.0.1:1162"]
community = ["members"]

[[group]]
name = "edge"
interval = "30s"
objects = ["sysName", "1.3.6.1.2.1.1.3.0"]
tables = ["ifXTable", "1.3.6.1.2.1.2.2.1.7"]
[[group.member]]
name = "r{1-3}"
address = "udp://192.0.2.{11-13}"
community = "public"
[[group.member]]
name = "web"
address = "restconf+http://192.0.2.20:8080"
login = "ann"
password = "correct horse"
[[group.member]]
name = "java"
address = "jmx+tls://192.0.2.21:1099"
login = "ann"
password = "correct horse"
server-name = "java.example.net"
[[group.aggregate]]
name = "in"
object = "ifInOctets"
function = "quantile"
quantile = 0.95
over = "members"
rate = true
where = { object = "ifType", equals = 6 }
[group.peer]
at = { address = "tcp://192.0.2.30", community = "public" }
standby = true

[[group]]
name = "all"
[[group.member]]
address = "@edge"
"#;

#[test]
fn groups_mean_what_they_say() {
    let plan = check(GROUPS).unwrap();
    let [edge, all] = plan.groups.as_slice() else { panic!("{:?}", plan.groups) };
    let names: Vec<String> =
        edge.members.iter().map(|member| format!("{} {}", member.name, member.way.address())).collect();
    assert_eq!(
        names,
        [
            "r1 udp://192.0.2.11:161",
            "r2 udp://192.0.2.12:161",
            "r3 udp://192.0.2.13:161",
            "web restconf+http://192.0.2.20:8080",
            "java jmx+tls://192.0.2.21:1099"
        ]
    );
    assert_eq!(edge.members[3].way.host(), "192.0.2.20");
    let MemberWay::Url { login, .. } = &edge.members[3].way else { panic!() };
    assert_eq!(login, &Some(("ann".into(), b"correct horse".to_vec())));
    assert!(!format!("{plan:?}").contains("correct horse"));
    assert_eq!((edge.deadline.as_secs(), edge.max_age.as_secs()), (24, 90));
    assert_eq!(edge.objects.len(), 2);
    // ifXTable, ifAdminStatus and what the aggregate needs.
    let columns: Vec<usize> = edge.tables.iter().map(Vec::len).collect();
    assert_eq!(columns, [19, 3]);
    let aggregate = &edge.aggregates[0];
    assert_eq!((aggregate.function, aggregate.over), (FunctionPlan::Quantile(0.95), OverPlan::Members));
    let peer = edge.peer.as_ref().unwrap();
    assert!(peer.is_standby && peer.missed == 3);
    assert_eq!(all.groups, ["edge"]);
    assert!(plan.access().contexts.iter().any(|context| context.octets() == b"edge/r3"));
    assert_eq!(plan.groups_listen.listen.len(), 1);
    assert_eq!(plan.groups_listen.memory, 96 << 20);
    let few = check(&GROUPS.replace("[groups]\n", "[groups]\nmemory = 1048576\n")).unwrap();
    assert_eq!(few.groups_listen.memory, 1 << 20);
    let (_, _, message) = wrong(&GROUPS.replace("[groups]\n", "[groups]\nmemory = 1000\n"));
    assert!(message.contains("1048576"), "{message}");
}

#[test]
fn a_member_whose_context_would_have_too_long_a_name_is_reported() {
    let name = |count: usize| "m".repeat(count);
    let of = |count| {
        let text = format!(
            "[[group]]\nname = \"g\"\n[[group.member]]\nname = \"{}\"\naddress = \"udp://h\"\ncommunity = \"c\"\n",
            name(count)
        );
        crate::members_without_context(&check(&text).unwrap())
    };
    assert_eq!(of(30), [""; 0]);
    let words = of(31);
    assert!(words.len() == 1 && words[0].contains(&format!("g/{}", name(31))), "{words:?}");
}

/// Servers of HTTP and JMX decide how long their passwords are.
#[test]
fn a_login_may_have_a_short_password() {
    let of = |password: &str| {
        check(&format!(
            "[[group]]\nname = \"g\"\n[[group.member]]\nname = \"a\"\naddress = \"jmx://h\"\nlogin = \"ann\"\npassword = \"{password}\"\n"
        ))
    };
    assert!(of("public").is_ok());
    assert!(of("").unwrap_err().message.contains("not empty"));
}

/// Braces in a text are a range, and no table with a secret.
#[test]
fn a_mistake_in_a_range_is_shown() {
    let text = "[[group]]\nname = \"g\"\n[[group.member]]\nname = \"b{1-2}\"\naddress = \"udp://h\"\ncommunity = \"c\"\n";
    let error = check(text).unwrap_err();
    assert!(error.excerpt.contains("\"b{1-2}\""), "{}", error.excerpt);
    // A table on one line may have one, whatever its key is.
    let error = check("[[group]]\nname = \"g\"\nx = { name = \"hidden\" }\n").unwrap_err();
    assert!(!format!("{error:?}").contains("hidden"), "{error:?}");
}

#[test]
fn mistakes_in_groups_are_named() {
    let group = |more: &str| format!("[[group]]\nname = \"g\"\n{more}");
    let member = "[[group.member]]\nname = \"a\"\naddress = \"udp://h\"\ncommunity = \"c\"\n";
    let with = |more: &str| group(&format!("{member}{more}"));
    for (text, word) in [
        (group(""), "no members"),
        (group("[[group.member]]\naddress = \"@g\"\n"), "contains itself: g > g"),
        (group("[[group.member]]\naddress = \"@h\"\n"), "no group \"h\""),
        (
            format!(
                "{}[[group]]\nname = \"h\"\n[[group.member]]\naddress = \"@g\"\n",
                group("[[group.member]]\naddress = \"@h\"\n")
            ),
            "contains itself: g > h > g",
        ),
        (with(member), "used twice"),
        (
            with("[[group.member]]\nname = \"b{1-2}\"\naddress = \"udp://h\"\ncommunity = \"c\"\n"),
            "same length",
        ),
        (
            with("[[group.member]]\nname = \"b\"\naddress = \"udp://h{1}\"\ncommunity = \"c\"\n"),
            "range such as",
        ),
        (
            with(
                "[[group.member]]\nname = \"b{1-3}\"\naddress = \"udp://192.0.2.{1-2}\"\ncommunity = \"c\"\n",
            ),
            "found one of 3 and one of 2",
        ),
        (
            with(
                "[[group.member]]\nname = \"b{1-3}\"\naddress = \"udp://192.0.2.{254-256}\"\ncommunity = \"c\"\n",
            ),
            "192.0.2.256 is not an address",
        ),
        (with("[[group.member]]\nname = \"b\"\naddress = \"ftp://h\"\n"), "restconf+https"),
        (with("[[group.member]]\nname = \"b\"\naddress = \"jmx://ann@h\"\n"), "in `login`"),
        (with("[[group.member]]\nname = \"b\"\naddress = \"jmx://h/a:b=c\"\n"), "expected jmx://HOST:PORT"),
        (with("[[group.member]]\nname = \"b\"\naddress = \"jmx://h\"\nfingerprint = \"x\"\n"), "tls"),
        (with("[[group.member]]\nname = \"b\"\naddress = \"jmx://h\"\nlogin = \"a\"\n"), "a password for"),
        (with("[[group.member]]\nname = \"b\"\naddress = \"soap+http://u:p@h\"\n"), "password-file"),
        (
            with("[[group.member]]\nname = \"b\"\naddress = \"netconf://h\"\ncommunity = \"c\"\n"),
            "SNMP and SOAP",
        ),
        (with("[[group.member]]\nname = \"b\"\naddress = \"soap+http://h\"\ncontext = \"c\"\n"), "contexts"),
        (
            with("[[group.aggregate]]\nname = \"x\"\nobject = \"ifTable\"\nfunction = \"sum\"\n"),
            "found a table",
        ),
        (with("[[group.aggregate]]\nname = \"x\"\nobject = \"ifIn\"\nfunction = \"sum\"\n"), "built in"),
        (
            with(
                "[[group.aggregate]]\nname = \"x\"\nobject = \"ifMtu\"\nfunction = \"sum\"\nquantile = 0.5\n",
            ),
            "only the function",
        ),
        (
            with(
                "[[group.aggregate]]\nname = \"x\"\nobject = \"ifMtu\"\nfunction = \"quantile\"\nquantile = 1.5\n",
            ),
            "0 to 1",
        ),
        (
            with(
                "[[group.aggregate]]\nname = \"x\"\nobject = \"ifMtu\"\nfunction = \"sum\"\n\
                 where = { object = \"sysName\", equals = 1 }\n",
            ),
            "same table",
        ),
        (
            with(
                "[[group.aggregate]]\nname = \"x\"\nobject = \"ifMtu\"\nfunction = \"sum\"\n\
                 where = { object = \"ifOperStatus\", equals = \"nonsense\" }\n",
            ),
            "expected a number or up, down,",
        ),
        (
            with(
                "[[group.aggregate]]\nname = \"x\"\nobject = \"ifMtu\"\nfunction = \"sum\"\n\
                 where = { object = \"ifMtu\", equals = \"up\" }\n",
            ),
            "ifMtu has numbers",
        ),
        (format!("[[group]]\nname = \"g\"\ninterval = \"10ms\"\n{member}"), "shorter than a second"),
        (format!("[[group]]\nname = \"g\"\ndeadline = \"90s\"\n{member}"), "longer than the interval"),
        (format!("[[group]]\nname = \"g\"\ntables = [\"sysName\"]\n{member}"), "found a scalar"),
        (format!("[[group]]\nname = \"g\"\nmembers-file = \"/none\"\n{member}"), "/none"),
        (with("[groups]\nlisten = [\"tcp://127.0.0.1:1\"]\n"), "udp://"),
        (with("[groups]\nuser = [\"ann\"]\n"), "no user \"ann\""),
    ] {
        let error = check(&text).unwrap_err().to_string();
        assert!(error.contains(word), "{text}\n{error}");
    }
}

/// A member is `/devices/GROUP.MEMBER`: it is found there, and no other one is.
#[test]
fn names_of_members_stand_in_urls_and_are_of_one_member_each() {
    let group = |name: &str, member: &str| {
        format!(
            "[[group]]\nname = {name:?}\n[[group.member]]\naddress = \"udp://h\"\ncommunity = \"public\"\nname = {member:?}\n"
        )
    };
    for name in ["core switch", "50%", "a?", "a#b", "a/b", "b\u{fc}ro", ".a"] {
        let (line, column, message) = wrong(&group("edge", name));
        assert!(
            (line, column) == (6, 8) && message.contains("stands in URLs"),
            "{name}: {line} {column} {message}"
        );
        assert!(wrong(&group(name, "a")).2.contains("stands in URLs"), "{name}");
    }
    let (line, _, message) = wrong(&[group("a", "b.c"), group("a.b", "c")].concat());
    assert!(line == 8 && message.contains("/devices/a.b.c"), "{line} {message}");
    assert!(check(&[group("a", "b.c"), group("a.b", "d")].concat()).is_ok());
}

/// An inventory that has no devices today writes an empty file.
#[test]
fn a_file_without_members_is_reported_and_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (file, config) = (folder.path().join("edge.members"), folder.path().join("t.toml"));
    let text = "[[group]]\nname = \"edge\"\nmembers-file = \"edge.members\"\n";
    for empty in ["", "# none today\n"] {
        std::fs::write(&file, empty).unwrap();
        let plan = parse(&config, text).unwrap();
        assert!(plan.groups[0].members.is_empty());
        let words = crate::empty_members_files(&plan);
        let is_whole = "edge.members has no [[member]], and the group has no others";
        assert!(words.len() == 1 && words[0].contains(is_whole), "{words:?}");
        // The inventory may have lost all of them, whatever else there is.
        let more = "[[group.member]]\naddress = \"udp://h\"\ncommunity = \"public\"\nname = \"own\"\n";
        let words = crate::empty_members_files(&parse(&config, &format!("{text}{more}")).unwrap());
        assert!(words.len() == 1 && words[0].ends_with("edge.members has no [[member]]"), "{words:?}");
    }
    std::fs::write(&file, "[[member]]\nname = \"a\"\naddress = \"udp://h\"\ncommunity = \"public\"\n")
        .unwrap();
    assert!(crate::empty_members_files(&parse(&config, text).unwrap()).is_empty());
    std::fs::write(&file, "[[members]]\n").unwrap();
    assert!(parse(&config, text).unwrap_err().message.contains("unknown field `members`"));
    // Who writes none and names no file has forgotten something.
    assert!(wrong("[[group]]\nname = \"edge\"\n").2.contains("the group has no members"));
}

#[test]
fn a_group_as_a_member_has_nothing_but_its_name() {
    for (key, more) in [
        ("name", "name = \"x\""),
        ("context", "context = \"x\""),
        ("community", "community = \"x\""),
        ("values", "values = true"),
    ] {
        let all = GROUPS.replace("address = \"@edge\"", &format!("address = \"@edge\"\n{more}"));
        let (.., message) = wrong(&all);
        assert_eq!(message, format!("a group as a member has no `{key}`: expected `address` alone"));
    }
}
