//! `/rbac`: roles, permissions, keys and users as configuration, in force at once beside the roles of the configuration file.

use trunkline_transport::ssh::PasswordHash;

use crate::client::{Client, PASSWORD, configuration};
use crate::support::Agent;

const RBAC: &str = "urn:trunkline:yang:rbac";
pub(crate) const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";
pub(crate) const KEYS: &str = "<authentication-key>00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff</authentication-key>\
                    <encryption-key>0f:0e:0d:0c:0b:0a:09:08:07:06:05:04:03:02:01:00</encryption-key>";

/// The file has `monitor`, and `joe`, who may log in and has no role there.
pub(crate) fn text() -> String {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let mut text = configuration("");
    text.push_str(&format!(
        "[[role]]\nname = \"monitor\"\nread = [\"1.3.6.1.2.1\", \"-1.3.6.1.2.1.1.6\"]\n\
         [[snmp.principal]]\nname = \"joe\"\npassword-hash = {hash:?}\n"
    ));
    text
}

pub(crate) fn edit(target: &str, content: &str) -> String {
    format!(
        "<edit-config><target><{target}/></target><config xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'>{content}</config></edit-config>"
    )
}

pub(crate) fn rbac(content: &str) -> String {
    format!("<rbac xmlns='{RBAC}'>{content}</rbac>")
}

pub(crate) fn role(name: &str, content: &str) -> String {
    format!("<role><name>{name}</name>{content}</role>")
}

pub(crate) fn permission(name: &str, operation: &str, resource: &str) -> String {
    format!(
        "<permission><name>{name}</name><operation>{operation}</operation><resource>{resource}</resource></permission>"
    )
}

pub(crate) fn has_tag(reply: &str, tag: &str) -> bool {
    reply.contains(&format!("<error-tag>{tag}</error-tag>"))
}

pub(crate) fn location(name: &str) -> String {
    edit("running", &format!("<system xmlns='{SYSTEM}'><location>{name}</location></system>"))
}

/// `keeper` inherits the file's `monitor`, and may write the location.
pub(crate) fn keeper() -> String {
    role(
        "keeper",
        &format!(
            "<junior-role>monitor</junior-role>{}{}",
            permission("where", "write", "/ietf-system:system/location"),
            permission("look", "read", "1.3.6.1.2.1.1.6")
        ),
    )
}

const JOE: &str = "<user><name>joe</name><role>keeper</role></user>";

#[test]
fn what_is_configured_is_in_force_at_once_and_after_a_crash() {
    let text = text();
    let agent = Agent::start(&text);
    let (mut max, mut joe) = (Client::open(&agent, "max"), Client::open(&agent, "joe"));
    assert!(has_tag(&joe.ask("<get/>"), "access-denied"));
    assert_eq!(max.ask(&edit("running", &rbac(&(keeper() + JOE)))), "<ok/>");
    assert_eq!(joe.ask(&location("roof")), "<ok/>");
    let line = agent.wait_for("running is edited user=joe");
    assert!(!line.contains("role="), "{line}");
    assert_eq!(joe.ask_as("keeper", &location("roof garden")), "<ok/>");
    let line = agent.wait_for("running is edited user=joe");
    assert!(line.contains("user=joe role=\"keeper\""), "{line}");
    assert_eq!(joe.ask(&location("roof")), "<ok/>");
    let get = format!("<get><filter><system xmlns='{SYSTEM}'/></filter></get>");
    assert!(joe.ask(&get).contains("<location>roof"));
    // The junior role of the file, which may not read it.
    assert!(!joe.ask_as("monitor", &get).contains("<location>"));
    assert!(has_tag(&joe.ask_as("monitor", &location("x")), "access-denied"));
    // Nobody reads the keys, and a configuration that is written back without them keeps them.
    let shown = max.get(&rbac(""));
    assert!(shown.contains("<name>where</name>") && shown.contains("<role>keeper"), "{shown}");
    assert!(!shown.contains("-key>00") && !shown.contains("0f:0e"), "{shown}");
    assert_eq!(max.ask(&edit("running", &shown)), "<ok/>");
    // Ended without a word.
    agent.signal("KILL");
    drop((max, joe));
    let agent = Agent::start_in(agent.into_folder(), &text);
    let mut joe = Client::open(&agent, "joe");
    assert_eq!(joe.ask(&location("cellar")), "<ok/>");
    let mut max = Client::open(&agent, "max");
    assert!(max.get(&rbac("")).contains("<name>where</name>"));
    let delete = rbac(
        "<user xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0' nc:operation='delete'><name>joe</name></user>",
    );
    assert_eq!(max.ask(&edit("candidate", &delete)), "<ok/>");
    assert_eq!(joe.ask(&location("roof")), "<ok/>");
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    assert!(max.get(&rbac("")).contains("keeper"));
}

/// Beside the agent, which runs.
#[test]
fn access_is_explained_by_what_is_configured_as_data() {
    let agent = Agent::start(&text());
    let mut max = Client::open(&agent, "max");
    assert_eq!(max.ask(&edit("running", &rbac(&(keeper() + JOE)))), "<ok/>");
    let ask = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_trunklined"));
        command.arg("--config").arg(agent.config()).arg("--explain-access").arg("joe").args(words);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let place = "/ietf-system:system/location";
    let may = ask(&["write", place]);
    let written =
        "written   write \"/ietf-system:system/location\" in permission where of role keeper, in /rbac";
    assert!(may.contains("verdict   allowed") && may.contains(written), "{may}");
    let read = ask(&["read", "1.3.6.1.2.1.1.6.0"]);
    assert!(read.contains("written   read \"1.3.6.1.2.1.1.6\" in permission look of role keeper"), "{read}");
    let inherited = ask(&["read", "1.3.6.1.2.1.1.5.0"]);
    assert!(inherited.contains("written   read \"1.3.6.1.2.1\" in role keeper > monitor"), "{inherited}");
    let junior = ask(&["write", place, "--as-role", "monitor"]);
    assert!(junior.contains("verdict   denied") && junior.contains("monitor"), "{junior}");
    assert!(ask(&["write", place, "--as-role", "keeper"]).contains("verdict   allowed"));
}

/// A node that is denied in what is permitted, and the other way round, with each change of the policy from the next request on.
#[test]
fn a_session_reads_by_the_policy_of_each_request() {
    let agent = Agent::start(&text());
    let (mut max, mut joe) = (Client::open(&agent, "max"), Client::open(&agent, "joe"));
    let system = format!("<system xmlns='{SYSTEM}'><contact>noc</contact><location>roof</location></system>");
    assert_eq!(max.ask(&edit("running", &system)), "<ok/>");
    let permission = |action: &str, resource: &str| {
        format!(
            "<permission><name>{action}</name><operation>read</operation><resource>{resource}</resource><action>{action}</action></permission>"
        )
    };
    let get = "<get-config><source><running/></source></get-config>";
    for (permissions, contact, location) in [
        ([("permit", "/ietf-system:system"), ("deny", "/ietf-system:system/contact")], false, true),
        ([("deny", "/ietf-system:system"), ("permit", "/ietf-system:system/contact")], true, false),
        ([("permit", "1.3.6.1.2.1.1"), ("deny", "1.3.6.1.2.1.2")], true, true),
        ([("permit", "1.3.6.1.2.1.1"), ("deny", "1.3.6.1.2.1.1.6")], true, false),
        ([("deny", "1.3.6.1.2.1.1"), ("permit", "1.3.6.1.2.1.1.6.0")], false, true),
        ([("permit", "1.3.6.1.2.1.1"), ("deny", "1.3.6.1.2.1.1.4.0")], false, true),
        ([("permit", "1.3.6.1.2.1.2"), ("deny", "1.3.6.1.2.1.1")], false, false),
    ] {
        let permissions = permissions.map(|(action, resource)| permission(action, resource)).concat();
        let replaced = role("looker", &permissions).replace(
            "<role>",
            "<role xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0' nc:operation='replace'>",
        );
        let joe_reads = "<user><name>joe</name><role>looker</role></user>";
        assert_eq!(max.ask(&edit("running", &rbac(&(replaced + joe_reads)))), "<ok/>");
        // Again, by what is known since the first one.
        for _ in 0..2 {
            let shown = joe.ask(get);
            assert_eq!(shown.contains("<contact>noc"), contact, "{permissions} {shown}");
            assert_eq!(shown.contains("<location>roof"), location, "{permissions} {shown}");
            assert_eq!(shown.contains("<system"), contact || location, "{permissions} {shown}");
            assert!(!shown.contains("<rbac"), "{shown}");
        }
    }
}

#[test]
fn what_makes_no_policy_is_refused_whole_with_the_place() {
    let agent = Agent::start(&text());
    let mut max = Client::open(&agent, "max");
    assert_eq!(max.ask(&edit("running", &rbac(&keeper()))), "<ok/>");
    let before = max.get(&rbac(""));
    for (content, words) in [
        (
            role("a", "<junior-role>b</junior-role>") + &role("b", "<junior-role>a</junior-role>"),
            "a role inherits from itself",
        ),
        (role("a", "<junior-role>nobody</junior-role>"), "there is no role nobody"),
        (role("a", "<administers>nobody</administers>"), "there is no role nobody"),
        (role("monitor", ""), "is a role of the agent's configuration file"),
        ("<user><name>zoe</name><role>nobody</role></user>".to_owned(), "there is no role nobody"),
        ("<user><name>bob</name><role>keeper</role></user>".to_owned(), "gives bob its role"),
        (role("a", &permission("p", "read", "//x")), "permission p"),
        (role("a", &permission("p", "read", "not an oid")), "permission p"),
        (role("a", &permission("p", "write", "/ietf-system:system-state/clock")), "is not configured"),
        (role("a b", ""), "invalid-value"),
    ] {
        for target in ["running", "candidate"] {
            let mut reply = max.ask(&edit(target, &rbac(&content)));
            if target == "candidate" && reply == "<ok/>" {
                reply = max.ask("<validate><source><candidate/></source></validate>");
                assert_eq!(max.ask("<discard-changes/>"), "<ok/>");
            }
            assert!(
                reply.contains(words) && (reply.contains("<error-path") || reply.contains("<bad-element>")),
                "{words}: {reply}"
            );
        }
        assert_eq!(max.get(&rbac("")), before, "{words}");
    }
}

/// In the file and as data, and where the names together would be those of another role.
#[test]
fn the_order_of_a_users_roles_decides_nothing() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let mut text = text();
    text.push_str(
        "[[role]]\nname = \"inc\"\nread = [\"1.3.6.1.2.1.1\"]\n\
         [[role]]\nname = \"exc\"\nread = [\"1.3.6.1.2.1\", \"-1.3.6.1.2.1.1\"]\n\
         [[role]]\nname = \"inc+monitor\"\nread = [\"1\"]\n",
    );
    for (name, roles) in [("ian", "[\"inc\", \"exc\"]"), ("uma", "[\"exc\", \"inc\"]")] {
        text.push_str(&format!(
            "[[snmp.principal]]\nname = \"{name}\"\nrole = {roles}\npassword-hash = {hash:?}\n"
        ));
    }
    let agent = Agent::start(&text);
    let mut max = Client::open(&agent, "max");
    let joe = |roles: [&str; 2]| {
        let roles = roles.map(|role| format!("<role>{role}</role>")).concat();
        edit("running", &rbac(&format!("<user><name>joe</name>{roles}</user>")))
    };
    assert_eq!(max.ask(&location("roof")), "<ok/>");
    assert_eq!(max.ask(&joe(["inc", "exc"])), "<ok/>");
    let get = format!("<get><filter><system xmlns='{SYSTEM}'/></filter></get>");
    for name in ["ian", "uma", "joe"] {
        let reply = Client::open(&agent, name).ask(&get);
        assert!(reply.contains("<data") && !reply.contains("<location>"), "{name}: {reply}");
    }
    // A role of the file that may read everything.
    let replace = joe(["inc", "monitor"]).replace("<user>", "<user nc:operation='replace'>");
    let reply = max.ask(&replace);
    assert!(reply.contains("which is another role"), "{reply}");
    assert!(!Client::open(&agent, "joe").ask(&get).contains("<location>"));
}

/// A file that gives a user of `/rbac` its role, and one that has a role of `/rbac`: that alone, and what rests on it, is out of force until the file is
/// right again, by a reload and by a start.
#[test]
fn what_contradicts_the_file_is_out_of_force_as_long_as_it_does() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let zoe = format!("[[snmp.principal]]\nname = \"zoe\"\npassword-hash = {hash:?}\n");
    let text = text() + &zoe;
    let with_joe = text.replace("name = \"joe\"\n", "name = \"joe\"\nrole = \"monitor\"\n");
    let with_keeper = format!("{text}[[role]]\nname = \"keeper\"\nread = [\"1\"]\nwrite = [\"1\"]\n");
    let agent = Agent::start(&text);
    let other = role("other", &permission("all", "write", "/ietf-system:system"));
    let users = format!("{JOE}<user><name>zoe</name><role>other</role></user>");
    assert_eq!(
        Client::open(&agent, "max").ask(&edit("running", &rbac(&(keeper() + &other + &users)))),
        "<ok/>"
    );
    let may = |agent: &Agent, name: &str| Client::open(agent, name).ask(&location("roof")) == "<ok/>";
    let check = |agent: &Agent| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_trunklined"));
        let checked = command.args(["--check", "--config"]).arg(agent.config()).output().unwrap();
        assert!(checked.status.success());
        String::from_utf8_lossy(&checked.stderr).into_owned()
    };
    assert!(may(&agent, "joe") && may(&agent, "zoe"));
    assert!(!check(&agent).contains("/rbac"));
    for (wrong, parts) in [(&with_joe, &["user joe"][..]), (&with_keeper, &["role keeper", "user joe"])] {
        agent.rewrite(wrong);
        let said = check(&agent);
        assert!(
            parts.iter().all(|part| said.contains(&format!("{part} of /rbac would not be in force"))),
            "{said}"
        );
        assert!(!said.contains("zoe of /rbac"), "{said}");
        // Where it is, and what goes with it.
        for part in parts {
            let (list, name) = part.split_once(' ').unwrap();
            assert!(said.contains(&format!("/trunkline-rbac:rbac/{list}[name='{name}']")), "{said}");
        }
        let [keeper, gives] = ["[name='keeper'], with the permissions", "gives joe its role, monitor"]
            .map(|it| said.contains(it));
        assert_eq!((keeper, gives), (parts.len() == 2, parts.len() == 1), "{said}");
        agent.signal("HUP");
        let lines = agent.lines_until("configuration reloaded");
        let errors: Vec<&String> =
            lines.iter().filter(|line| line.contains("a part of /rbac is not in force")).collect();
        assert!(errors.len() == parts.len() && errors.iter().all(|line| line.contains("ERROR")), "{lines:?}");
        assert!(!may(&agent, "joe") && may(&agent, "zoe"));
        agent.rewrite(&text);
        agent.signal("HUP");
        agent.wait_for("configuration reloaded");
        assert!(may(&agent, "joe") && may(&agent, "zoe"));
    }
    // The same by a start.
    let agent = Agent::start_in(agent.terminate(), &with_keeper);
    assert!(!may(&agent, "joe") && may(&agent, "zoe"));
    agent.wait_for("a part of /rbac is not in force");
    agent.rewrite(&text);
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    assert!(may(&agent, "joe") && may(&agent, "zoe"));
}

/// That of vacmGroupName, wherever it is written.
#[test]
fn the_name_of_a_role_is_as_long_as_that_of_a_group() {
    let (longest, longer) = ("r".repeat(32), "r".repeat(33));
    let of_file = format!("f{}", "i".repeat(31));
    let agent = Agent::start(&format!("{}[[role]]\nname = \"{of_file}\"\nread = [\"1\"]\n", text()));
    let mut max = Client::open(&agent, "max");
    let of = |name: &str| {
        let all =
            permission("where", "write", "/ietf-system:system/location") + &permission("tell", "notify", "1");
        rbac(&role(name, &format!("<junior-role>{of_file}</junior-role>{all}")))
    };
    let keys = |name: &str| {
        format!(
            "<keys xmlns='urn:trunkline:yang:keys'><role><name>{name}</name><epoch><number>1</number>{KEYS}</epoch></role></keys>"
        )
    };
    let joe = rbac(&format!("<user><name>joe</name><role>{longest}</role></user>"));
    for content in [of(&longest), joe, keys(&longest)] {
        assert_eq!(max.ask(&edit("running", &content)), "<ok/>", "{content}");
    }
    assert_eq!(Client::open(&agent, "joe").ask_as(&longest, &location("roof")), "<ok/>");
    for content in [of(&longer), keys(&longer)] {
        let reply = max.ask(&edit("running", &content));
        assert!(has_tag(&reply, "invalid-value"), "{reply}");
    }
}

#[test]
fn a_user_that_takes_its_own_rights_away_gets_the_reply() {
    let agent = Agent::start(&text());
    let mut max = Client::open(&agent, "max");
    let all = permission("see", "read", "1") + &permission("do", "write", "1");
    for _ in 0..3 {
        let root = role("root", &all) + "<user><name>joe</name><role>root</role></user>";
        assert_eq!(max.ask(&edit("running", &rbac(&root))), "<ok/>");
        let mut joe = Client::open(&agent, "joe");
        let out = rbac("<user nc:operation='remove'><name>joe</name></user>");
        assert_eq!(joe.ask(&edit("running", &out)), "<ok/>");
        assert_eq!(joe.read(), None);
    }
}

#[test]
fn the_policy_is_for_those_who_may_read_and_write_vacm() {
    let agent = Agent::start(&text());
    let (mut max, mut bob, mut tom) =
        (Client::open(&agent, "max"), Client::open(&agent, "bob"), Client::open(&agent, "tom"));
    assert_eq!(max.ask(&edit("running", &rbac(&(keeper() + JOE)))), "<ok/>");
    assert_eq!(bob.get(&rbac("")), "");
    assert!(has_tag(&tom.ask(&edit("running", &rbac(&role("own", "")))), "access-denied"));
}

/// Whoever has a commit waiting takes nothing back with it that others have changed of rights, also at the next start.
#[test]
fn what_is_taken_from_a_user_comes_back_by_no_commit_of_its_own() {
    let text = text();
    let mut agent = Agent::start(&text);
    let keys = |content: &str| {
        format!("<keys xmlns='urn:trunkline:yang:keys'><role><name>watcher</name>{content}</role></keys>")
    };
    let epoch =
        |attributes: &str, number: u32| format!("<epoch{attributes}><number>{number}</number>{KEYS}</epoch>");
    let joe = |attributes: &str| format!("<user{attributes}><name>joe</name><role>keeper</role></user>");
    let mut max = Client::open(&agent, "max");
    assert_eq!(max.ask(&edit("running", &(keys(&epoch("", 1)) + &rbac(&keeper())))), "<ok/>");
    for is_killed in [false, true] {
        let number = 1 + u32::from(is_killed);
        assert_eq!(max.ask(&edit("running", &rbac(&joe("")))), "<ok/>");
        let mut other = Client::open(&agent, "max");
        let waiting = format!("<system xmlns='{SYSTEM}'><location>attic</location></system>");
        assert_eq!(other.ask(&edit("candidate", &waiting)), "<ok/>");
        assert_eq!(other.ask("<commit><confirmed/></commit>"), "<ok/>");
        let revoked = keys(&(epoch(" nc:operation='delete'", number) + &epoch("", number + 1)))
            + &rbac(&joe(" nc:operation='delete'"));
        assert_eq!(max.ask(&edit("running", &revoked)), "<ok/>");
        if is_killed {
            agent.signal("KILL");
            agent = Agent::start_in(agent.into_folder(), &text);
            max = Client::open(&agent, "max");
        } else {
            assert_eq!(other.ask("<cancel-commit/>"), "<ok/>");
        }
        let now = max.ask("<get-config><source><running/></source></get-config>");
        let (old, new) = (format!("<number>{number}<"), format!("<number>{}<", number + 1));
        assert!(!now.contains("attic") && !now.contains("joe"), "{now}");
        assert!(now.contains(&new) && !now.contains(&old), "{now}");
    }
}

/// `boss` administers `watcher`, and reads the system group and who has which role.
#[test]
fn an_administrator_changes_its_roles_and_gives_no_more_than_it_has() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let mut text = text();
    text.push_str(&format!(
        "[[role]]\nname = \"lead\"\nread = [\"1.3.6.1.2.1.1\", \"1.3.6.1.6.3.16\"]\n\
         [[snmp.principal]]\nname = \"liz\"\nrole = \"lead\"\npassword-hash = {hash:?}\n\
         [[snmp.principal]]\nname = \"zoe\"\npassword-hash = {hash:?}\n"
    ));
    let agent = Agent::start(&text);
    let (mut max, mut liz) = (Client::open(&agent, "max"), Client::open(&agent, "liz"));
    let watcher = role("watcher", &permission("where", "read", "1.3.6.1.2.1.1.6"));
    let boss = role("boss", "<junior-role>lead</junior-role><administers>watcher</administers>");
    let other = role("other", &permission("all", "read", "1"));
    let users = "<user><name>zoe</name><role>boss</role></user>";
    assert_eq!(max.ask(&edit("running", &rbac(&(watcher + &boss + &other + users)))), "<ok/>");
    // Who administers nothing changes nothing.
    let joe = rbac("<user><name>joe</name><role>watcher</role></user>");
    assert!(has_tag(&liz.ask(&edit("running", &joe)), "access-denied"));
    let (mut zoe, mut joe_session) = (Client::open(&agent, "zoe"), Client::open(&agent, "joe"));
    assert_eq!(zoe.ask(&edit("running", &joe)), "<ok/>");
    let name = format!("<get><filter><system xmlns='{SYSTEM}'/></filter></get>");
    assert_eq!(max.ask(&location("cellar")), "<ok/>");
    assert!(joe_session.ask(&name).contains("<location>cellar"));
    // To administer gives no right to read; this one has it otherwise.
    assert!(zoe.get(&rbac("")).contains("<administers>watcher"));
    // Within its rights, and by the candidate too.
    let contact = role("watcher", &permission("contact", "read", "/ietf-system:system/contact"));
    assert_eq!(zoe.ask(&edit("candidate", &rbac(&contact))), "<ok/>");
    assert_eq!(zoe.ask("<commit/>"), "<ok/>");
    let keys = |role: &str| {
        let epoch = format!("<epoch><number>7</number>{KEYS}</epoch>");
        format!("<keys xmlns='urn:trunkline:yang:keys'><role><name>{role}</name>{epoch}</role></keys>")
    };
    assert_eq!(zoe.ask(&edit("running", &keys("watcher"))), "<ok/>");
    for other in [keys("other"), keys("boss"), keys("monitor")] {
        assert!(has_tag(&zoe.ask(&edit("running", &other)), "access-denied"));
    }
    // The only keys that there are, and not those of others beside them.
    let gone = "<keys xmlns='urn:trunkline:yang:keys' nc:operation='delete'/>";
    assert_eq!(max.ask(&edit("running", &keys("other"))), "<ok/>");
    assert!(has_tag(&zoe.ask(&edit("running", gone)), "access-denied"));
    let delete = |role: &str| edit("running", &keys(role).replace("<role>", "<role nc:operation='delete'>"));
    assert_eq!(max.ask(&delete("other")), "<ok/>");
    assert_eq!(zoe.ask(&delete("watcher")), "<ok/>");
    assert_eq!(zoe.ask(&edit("running", &keys("watcher"))), "<ok/>");
    assert_eq!(zoe.ask(&edit("running", gone)), "<ok/>");
    let before = max.get(&rbac(""));
    for content in [
        // More than it has: to read, to write, at a lower level, by a junior role, and with a part that it might change.
        role("watcher", &permission("all", "read", "1.3.6.1.2.1")),
        role("watcher", &permission("contact-2", "write", "/ietf-system:system/contact")),
        role("watcher", "<junior-role>other</junior-role>"),
        role("watcher", &(permission("fine", "read", "1.3.6.1.2.1.1.6") + &permission("all", "read", "1"))),
        // Other roles, who administers, and users who have other roles.
        role("other", &permission("one", "read", "1.3.6.1.2.1.1.5")),
        role("watcher", "<administers>watcher</administers>"),
        role("new", ""),
        "<user><name>joe</name><role>other</role></user>".to_owned(),
        "<user><name>zoe</name><role>other</role></user>".to_owned(),
        "<user><name>new</name></user>".to_owned(),
    ] {
        let reply = zoe.ask(&edit("running", &rbac(&content)));
        assert!(has_tag(&reply, "access-denied"), "{content}: {reply}");
        assert_eq!(max.get(&rbac("")), before, "{content}");
    }
    // Nor anything else, and nothing on behalf of a role that administers nothing.
    assert!(has_tag(&zoe.ask(&location("x")), "access-denied"));
    let back = rbac(
        "<user xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'><name>joe</name><role nc:operation='delete'>watcher</role></user>",
    );
    assert!(has_tag(&zoe.ask_as("lead", &edit("running", &back)), "access-denied"));
    assert_eq!(zoe.ask_as("boss", &edit("running", &back)), "<ok/>");
    assert!(has_tag(&joe_session.ask(&name), "access-denied"));
}

/// With `zoe`, who has no role in the file either.
pub(crate) fn text_with_zoe() -> String {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    text() + &format!("[[snmp.principal]]\nname = \"zoe\"\npassword-hash = {hash:?}\n")
}

/// `zoe` administers `watcher`, and has of the policy what `own` says besides.
pub(crate) fn administered(own: &str) -> Agent {
    let agent = Agent::start(&text_with_zoe());
    let mut max = Client::open(&agent, "max");
    let lead = role(
        "lead",
        &(permission("system", "read", "1.3.6.1.2.1.1") + own + "<administers>watcher</administers>"),
    );
    let zoe = "<user><name>zoe</name><role>lead</role></user>";
    assert_eq!(max.ask(&edit("running", &rbac(&(role("watcher", "") + &lead + zoe)))), "<ok/>");
    agent
}

/// The path of something of an interface that no machine has.
fn absent(name: &str) -> String {
    format!("/ietf-interfaces:interfaces/interface[name='{name}']/description")
}

#[test]
fn a_rule_for_an_interface_that_is_not_there_is_given_as_a_rule() {
    let agent = administered(&permission("own", "write", &absent("absent-8")));
    let (mut max, mut zoe) = (Client::open(&agent, "max"), Client::open(&agent, "zoe"));
    let give = |zoe: &mut Client, path: &str| {
        zoe.ask(&edit("running", &rbac(&role("watcher", &permission("some", "write", path)))))
    };
    for path in [
        absent("absent-9").as_str(),
        "/ietf-interfaces:interfaces",
        "1.3.6.1.2.1.31.1.1.1.18",
        absent("lo").as_str(),
    ] {
        let reply = give(&mut zoe, path);
        assert!(has_tag(&reply, "access-denied"), "{path}: {reply}");
    }
    assert_eq!(give(&mut zoe, &absent("absent-8")), "<ok/>");
    // Every one but one, whose number nobody knows.
    let all = permission("all", "write", "/ietf-interfaces:interfaces")
        + &permission("but", "write", &absent("absent-7"))
            .replace("</resource>", "</resource><action>deny</action>");
    assert_eq!(max.ask(&edit("running", &rbac(&role("lead", &all)))), "<ok/>");
    assert_eq!(give(&mut zoe, &absent("absent-9")), "<ok/>");
    for path in [absent("absent-7").as_str(), "/ietf-interfaces:interfaces", "1.3.6.1.2.1.31.1.1.1.18.4711"] {
        let reply = give(&mut zoe, path);
        assert!(has_tag(&reply, "access-denied"), "{path}: {reply}");
    }
}

#[test]
fn a_user_with_a_group_by_others_is_not_an_administrators() {
    let agent = administered("");
    let (mut max, mut zoe) = (Client::open(&agent, "max"), Client::open(&agent, "zoe"));
    let group = "<nacm xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-acm'><groups><group><name>writer</name><user-name>joe</user-name></group></groups></nacm>";
    let watcher = rbac(&role("watcher", &permission("where", "read", "1.3.6.1.2.1.1.6")));
    assert_eq!(max.ask(&edit("running", &(group.to_owned() + &watcher))), "<ok/>");
    let mut joe = Client::open(&agent, "joe");
    assert_eq!(joe.ask(&location("roof")), "<ok/>");
    let of = |attributes: &str| {
        edit("running", &rbac(&format!("<user{attributes}><name>joe</name><role>watcher</role></user>")))
    };
    let refused = zoe.ask(&of(""));
    assert!(
        has_tag(&refused, "access-denied") && refused.contains("has a group that others have set"),
        "{refused}"
    );
    assert_eq!(joe.ask(&location("cellar")), "<ok/>");
    // Whoever may do it covers the group, also over a restart.
    assert_eq!(max.ask(&of("")), "<ok/>");
    assert!(has_tag(&joe.ask(&location("x")), "access-denied"));
    assert!(has_tag(&zoe.ask(&of(" nc:operation='delete'")), "access-denied"));
    agent.signal("KILL");
    drop((max, zoe, joe));
    let agent = Agent::start_in(agent.into_folder(), &text_with_zoe());
    let (mut max, mut joe) = (Client::open(&agent, "max"), Client::open(&agent, "joe"));
    assert!(has_tag(&joe.ask(&location("x")), "access-denied"));
    assert_eq!(max.ask(&of(" nc:operation='delete'")), "<ok/>");
    assert_eq!(joe.ask(&location("attic")), "<ok/>");
    // Given by a commit, and taken.
    assert_eq!(max.ask(&of("").replace("<running/>", "<candidate/>")), "<ok/>");
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    assert!(has_tag(&joe.ask(&location("x")), "access-denied"));
    // What is configured is still that.
    let configured = max.ask("<get-config><source><running/></source></get-config>");
    assert!(
        configured.contains("<group><name>writer</name><user-name>joe</user-name></group>"),
        "{configured}"
    );
    assert_eq!(max.ask(&of(" nc:operation='delete'")), "<ok/>");
    assert_eq!(joe.ask(&location("roof")), "<ok/>");
}

#[test]
fn a_policy_is_refused_before_it_is_too_great() {
    let agent = administered("");
    let (mut max, mut zoe) = (Client::open(&agent, "max"), Client::open(&agent, "zoe"));
    let of = |count: u32| {
        let permissions =
            (0..count).map(|at| permission(&format!("p{at}"), "read", &format!("1.3.6.1.2.1.1.4.{at}")));
        permissions.collect::<String>()
    };
    let refused = |client: &mut Client, content: &str, words: &str| {
        let reply = client.ask(&edit("running", &rbac(content)));
        assert!(has_tag(&reply, "resource-denied") && reply.contains(words), "{reply}");
    };
    refused(&mut max, &role("wide", &of(1_030)), "the role wide has more than 1024 rows");
    refused(&mut zoe, &role("watcher", &of(1_030)), "the role watcher has more than 1024 rows");
    assert_eq!(zoe.ask(&edit("running", &rbac(&role("watcher", &of(500))))), "<ok/>");
    let heirs = |from: u32, to: u32| {
        (from..to)
            .map(|at| role(&format!("heir-{at}"), "<junior-role>watcher</junior-role>"))
            .collect::<String>()
    };
    assert_eq!(max.ask(&edit("running", &rbac(&heirs(0, 5)))), "<ok/>");
    refused(&mut max, &heirs(5, 25), "more than 8192 rows together");
}

#[test]
fn a_denial_takes_rights_from_the_administered_roles_alone() {
    let agent = administered("");
    let (mut max, mut zoe) = (Client::open(&agent, "max"), Client::open(&agent, "zoe"));
    let denial = role(
        "watcher",
        &permission("no", "read", "1.3.6.1.2.1.1.6")
            .replace("</resource>", "</resource><action>deny</action>"),
    );
    let user = |roles: &[&str]| {
        let roles: String = roles.iter().map(|role| format!("<role>{role}</role>")).collect();
        format!("<user><name>joe</name>{roles}</user>")
    };
    let senior = role("senior", &(permission("all", "read", "1") + "<junior-role>watcher</junior-role>"));
    let other = role("other", &permission("all", "read", "1"));
    let give = |client: &mut Client, content: &str| client.ask(&edit("running", &rbac(content)));
    assert_eq!(give(&mut max, &(other + &user(&["other"]))), "<ok/>");
    let refused = |zoe: &mut Client, content: &str, words: &str| {
        let reply = give(zoe, content);
        assert!(has_tag(&reply, "access-denied") && reply.contains(words), "{reply}");
    };
    // Of the role alone, but not where somebody has another one too, in either order.
    assert_eq!(give(&mut zoe, &denial), "<ok/>");
    refused(&mut zoe, &user(&["watcher"]), "would take rights from the user joe");
    let free = denial.replace("<permission>", "<permission nc:operation='delete'>");
    assert_eq!(give(&mut zoe, &free), "<ok/>");
    assert_eq!(give(&mut zoe, &user(&["watcher"])), "<ok/>");
    refused(&mut zoe, &denial, "would take rights from the user joe");
    assert_eq!(
        give(&mut max, &("<user nc:operation='delete'><name>joe</name></user>".to_owned() + &senior)),
        "<ok/>"
    );
    refused(&mut zoe, &denial, "would take rights from the role senior");
    // Whoever may change all of it may do that too.
    assert_eq!(give(&mut max, &denial), "<ok/>");
    assert_eq!(give(&mut zoe, &user(&["watcher"])), "<ok/>");
    assert_eq!(give(&mut zoe, &role("watcher", &permission("more", "read", "1.3.6.1.2.1.1.5"))), "<ok/>");
}
