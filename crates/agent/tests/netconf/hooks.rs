//! Programs that apply parts of the configuration, and BGP with FRR.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::client::{Client, agent, configuration};
use crate::support::Agent;
use crate::support::talk::{Talk, show};
use crate::support::yanglint::Yanglint;

const BGP: &str = "urn:trunkline:yang:bgp";
const NC: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";

/// An edit of a datastore.
pub fn edit(target: &str, content: &str) -> String {
    format!(
        "<edit-config><target><{target}/></target><config xmlns:nc='{NC}' xmlns:yang='urn:ietf:params:xml:ns:yang:1'>{content}</config>\
         </edit-config>"
    )
}

pub fn bgp(content: &str) -> String {
    format!("<bgp xmlns=\"{BGP}\">{content}</bgp>")
}

pub fn global(number: u32) -> String {
    format!("<global><as>{number}</as></global>")
}

fn running(client: &mut Client) -> String {
    let reply = client.ask("<get-config><source><running/></source></get-config>");
    reply.strip_prefix("<data>").and_then(|it| it.strip_suffix("</data>")).expect("data").to_owned()
}

/// A program that writes what it reads to a file, `STEP.json`, and a line for each step to `steps`; what is in the file `refuse` it refuses.
fn program(folder: &Path) -> String {
    let path = folder.join("program");
    let folder = folder.display();
    let text = format!(
        "#!/bin/sh\ncat > {folder}/$1.json\necho $1 >> {folder}/steps\n\
         case $1 in \"$(cat {folder}/refuse)\") echo 'it is'; echo \"no $1\" >&2; exit 2;; esac\n\
         [ $1 != apply ] || cp {folder}/apply.json {folder}/now.json\n[ $1 != undo ] || cp {folder}/undo.json {folder}/now.json\n"
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    fs::write(folder.to_string() + "/refuse", "-").unwrap();
    path.display().to_string()
}

fn hook(subtree: &str, command: &[&str]) -> String {
    format!("[[netconf.hook]]\nsubtree = {subtree:?}\ncommand = {command:?}\n")
}

/// The configuration of an agent with hooks: those are tables of `[netconf]`, so they come last.
pub fn with_hooks(hooks: &str) -> String {
    configuration("") + hooks
}

fn steps(folder: &Path) -> String {
    let path = folder.join("steps");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let _ = fs::remove_file(&path);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn without_a_program_nothing_is_accepted_that_nothing_applies() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    assert_eq!(max.ask(&edit("candidate", &bgp(&global(65001)))), "<ok/>");
    let refused = max.ask("<commit/>");
    assert!(refused.contains("operation-failed") && refused.contains("[[netconf.hook]]"), "{refused}");
    assert!(refused.contains("/tlb:bgp</error-path>"), "{refused}");
    assert_eq!(running(&mut max), "");
}

#[test]
fn a_program_checks_applies_and_undoes_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    for folder in [&one, &other] {
        fs::create_dir(folder).unwrap();
    }
    let hooks =
        [hook("/trunkline-bgp:bgp", &[&program(&one)]), hook("/ietf-system:system", &[&program(&other)])];
    let agent = Agent::start(&with_hooks(&hooks.concat()));
    let mut max = Client::open(&agent, "max");
    let system = |contact: &str| {
        format!(
            "<system xmlns=\"urn:ietf:params:xml:ns:yang:ietf-system\"><contact>{contact}</contact></system>"
        )
    };
    // Both check before either applies.
    assert_eq!(max.ask(&edit("candidate", &(bgp(&global(65001)) + &system("ann")))), "<ok/>");
    assert_eq!((steps(&one), steps(&other)), (String::new(), String::new()));
    assert_eq!(max.ask("<validate><source><candidate/></source></validate>"), "<ok/>");
    assert_eq!((steps(&one), steps(&other)), ("check".into(), "check".into()));
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    assert_eq!((steps(&one), steps(&other)), ("check apply".into(), "check apply".into()));
    let expected = r#"{"step":"apply","subtree":"/trunkline-bgp:bgp","changes":[{"path":"/trunkline-bgp:bgp","old":null,"new":""},{"path":"/trunkline-bgp:bgp/global","old":null,"new":""},{"path":"/trunkline-bgp:bgp/global/as","old":null,"new":"65001"}],"old":null,"new":{"trunkline-bgp:bgp":{"global":{"as":65001}}}}"#;
    assert_eq!(fs::read_to_string(one.join("apply.json")).unwrap().trim_end(), expected);
    let both = system("ann") + &bgp(&global(65001));
    assert_eq!(running(&mut max), both);

    // A program whose part does not change is not called.
    assert_eq!(max.ask(&edit("running", &system("bob"))), "<ok/>");
    assert_eq!((steps(&one), steps(&other)), (String::new(), "check apply".into()));

    // A refusal at any step leaves everything as it was.
    let before = running(&mut max);
    for (folder, step, of_one, of_other) in [
        (&one, "check", "check", ""),
        (&other, "check", "check", "check"),
        (&one, "apply", "check apply undo", "check"),
        (&other, "apply", "check apply undo", "check apply undo"),
    ] {
        fs::write(folder.join("refuse"), step).unwrap();
        let refused = max.ask(&edit("running", &(bgp(&global(65002)) + &system("eve"))));
        assert!(refused.contains("<error-tag>invalid-value<"), "{refused}");
        assert!(refused.contains(&format!("it is; no {step} (program, {step}: status 2)")), "{refused}");
        assert_eq!((steps(&one), steps(&other)), (of_one.into(), of_other.into()), "{step}");
        assert_eq!(running(&mut max), before);
        fs::write(folder.join("refuse"), "-").unwrap();
    }
    let undone = fs::read_to_string(one.join("now.json")).unwrap();
    assert!(undone.contains(r#""new":{"trunkline-bgp:bgp":{"global":{"as":65001}}}"#), "{undone}");
    // After a restart the programs are called again, also for what the agent keeps elsewhere.
    let folder = agent.terminate();
    let agent = Agent::start_in(folder, &with_hooks(&hooks.concat()));
    let mut max = Client::open(&agent, "max");
    assert_eq!(running(&mut max), before);
    assert_eq!((steps(&one), steps(&other)), ("apply".into(), "apply".into()));
    let applied = fs::read_to_string(other.join("apply.json")).unwrap();
    assert!(applied.contains(r#""old":null"#) && applied.contains("bob"), "{applied}");
    // An undo that fails is reported.
    fs::write(one.join("refuse"), "apply").unwrap();
    let text =
        fs::read_to_string(one.join("program")).unwrap().replace("esac", "undo) echo stuck; exit 1;; esac");
    fs::write(one.join("program"), text).unwrap();
    let refused = max.ask(&edit("running", &bgp(&global(65002))));
    assert!(refused.contains("<error-tag>rollback-failed<") && refused.contains("stuck"), "{refused}");
}

#[test]
fn a_program_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slow");
    fs::write(&path, "#!/bin/sh\nexec tail -f /dev/null\n").unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    let slow = hook("/trunkline-bgp:bgp", &[path.to_str().unwrap()]) + "timeout = \"1s\"\n";
    let agent = Agent::start(&with_hooks(&slow));
    let mut max = Client::open(&agent, "max");
    let refused = max.ask(&edit("running", &bgp(&global(65001))));
    assert!(refused.contains("did not end within 1 s"), "{refused}");
    assert!(refused.contains("gave no reason"), "{refused}");
    assert_eq!(running(&mut max), "");
}

/// Whoever only reads does not wait for a program.
#[test]
fn the_configuration_is_read_while_a_program_works() {
    let folder = tempfile::tempdir().unwrap();
    let (begun, go) = (folder.path().join("begun"), folder.path().join("go"));
    let script = format!(
        "[ $0 = apply ] || exit 0; touch {}; until [ -e {} ]; do sleep 0.02; done",
        begun.display(),
        go.display()
    );
    let agent = Agent::start(&with_hooks(&hook("/trunkline-bgp:bgp", &["/bin/bash", "-c", &script])));
    let (mut max, mut other) = (Client::open(&agent, "max"), Client::open(&agent, "max"));
    let before = running(&mut other);
    std::thread::scope(|scope| {
        let edited = scope.spawn(|| max.ask(&edit("running", &bgp(&global(65001)))));
        while !begun.exists() {
            assert!(!edited.is_finished());
            std::thread::yield_now();
        }
        for _ in 0..2 {
            assert_eq!(running(&mut other), before);
            assert!(other.ask("<get><filter><system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'/></filter></get>").starts_with("<data"));
        }
        assert!(!edited.is_finished());
        fs::write(&go, "").unwrap();
        assert_eq!(edited.join().unwrap(), "<ok/>");
    });
    assert!(running(&mut other).contains("65001"));
}

#[test]
fn the_state_that_a_program_knows_is_with_what_is_configured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("known");
    let state = folder.path().join("state.json");
    fs::write(&path, format!("#!/bin/sh\n[ $1 != state ] || cat {}\n", state.display())).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    let neighbor = |address: &str, state: &str| {
        format!(r#"{{"remote-address":"{address}","session-state":"{state}","established-transitions":3}}"#)
    };
    let all = [neighbor("192.0.2.2", "established"), neighbor("192.0.2.9", "active")].join(",");
    let known = format!(r#"{{"trunkline-bgp:bgp":{{"neighbors":{{"neighbor":[{all}]}}}}}}"#);
    fs::write(&state, &known).unwrap();
    let text = with_hooks(&(hook("/trunkline-bgp:bgp", &[path.to_str().unwrap()]) + "state = true\n"));
    let agent = Agent::start(&text);
    let mut max = Client::open(&agent, "max");
    let peer = "<remote-address>192.0.2.2</remote-address><peer-as>65002</peer-as>";
    let policies = "<policies><policy><name>p</name><statement><name>b</name></statement><statement><name>a</name></statement></policy>\
                    </policies>";
    let neighbors = |more: &str| {
        format!(
            "<neighbors><neighbor>{peer}<apply-policy><import-policy>p</import-policy></apply-policy>{more}</neighbor></neighbors>"
        )
    };
    let config = bgp(&(global(65001) + &neighbors("") + policies));
    assert_eq!(max.ask(&edit("running", &config)), "<ok/>");
    assert_eq!(running(&mut max), config);
    let of = |state: &str| {
        format!("<session-state>{state}</session-state><established-transitions>3</established-transitions>")
    };
    let other = format!(
        "<neighbor><remote-address>192.0.2.9</remote-address>{}</neighbor></neighbors>",
        of("active")
    );
    let both = neighbors(&of("established")).replace("</neighbors>", &other);
    let filter = format!("<bgp xmlns='{BGP}'/>");
    let found = max.get(&filter);
    assert_eq!(found, bgp(&(global(65001) + &both + policies)));
    if let Some(yanglint) = Yanglint::new() {
        yanglint.check("bgp.xml", &found, &[]);
    }
    let origin = max.ask(&format!(
        "<get-data xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-nmda' xmlns:ds='urn:ietf:params:xml:ns:yang:ietf-datastores'>\
         <datastore>ds:operational</datastore><subtree-filter>{filter}</subtree-filter><with-origin/></get-data>"
    ));
    assert!(origin.contains(" or:origin=\"or:intended\"><global><as>65001</as>"), "{origin}");
    // Who may read something else sees nothing of it.
    assert_eq!(Client::open(&agent, "bob").get(&filter), "");
    drop(max);
    // What is not data of the model is not shown; the log says so.
    fs::write(&state, known.replace("session-state", "mood")).unwrap();
    let agent = Agent::start_in(agent.terminate(), &text);
    let mut max = Client::open(&agent, "max");
    assert_eq!(max.get(&filter), config);
    agent.wait_for("neighbor has no mood");
}

#[test]
fn a_program_for_what_there_is_not_keeps_the_agent_from_starting() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.toml");
    fs::write(&file, with_hooks(&hook("/trunkline-bgp:router", &["/bin/true"]))).unwrap();
    let checked = std::process::Command::new(env!("CARGO_BIN_EXE_trunklined"))
        .args(["--check", "--config"])
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(!checked.status.success() && said.contains("/trunkline-bgp:router: there is no"), "{said}");
}

/// What managers set over SNMP is an edit of running: programs apply it or it is not made, subscribers hear of it, and the log has it.
#[test]
fn what_is_set_over_snmp_is_applied_by_programs() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    for folder in [&one, &other] {
        fs::create_dir(folder).unwrap();
    }
    let hooks =
        [hook("/ietf-snmp:snmp", &[&program(&one)]), hook("/ietf-system:system", &[&program(&other)])];
    let writer = "[[snmp.community]]\nname = \"writer\"\naccess = \"write\"\n";
    let agent = Agent::start(&(configuration(writer) + &hooks.concat()));
    let (mut max, mut watcher) = (Client::open(&agent, "max"), Client::open(&agent, "max"));
    assert_eq!(
        watcher.ask("<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'/>"),
        "<ok/>"
    );
    steps(&one);
    let talk = Talk::to(&agent);
    let set =
        |what: &str| show(&talk.ask(&format!("2c writer set {what}"))).split(' ').next().unwrap().to_owned();
    let mut told = |words: &[&str]| {
        let event = loop {
            let event = String::from_utf8(watcher.read().expect("an event")).unwrap();
            if event.contains("<netconf-config-change") {
                break event;
            }
        };
        assert!(words.iter().all(|word| event.contains(word)), "{words:?} in {event}");
    };
    assert_eq!(set("sysContact.0=s:ann"), "noError");
    assert_eq!((steps(&one), steps(&other)), (String::new(), "check apply".into()));
    assert!(
        fs::read_to_string(other.join("apply.json"))
            .unwrap()
            .contains("\"new\":{\"ietf-system:system\":{\"contact\":\"ann\"}}")
    );
    told(&["<session-id>0<", "/sys:system/sys:contact</target><operation>create<"]);
    let line = agent.wait_for("running is edited");
    assert!(line.contains("over=\"SNMP or SOAP\"") && line.contains("changes=1"), "{line}");
    // The same again is not an edit.
    assert_eq!(set("sysContact.0=s:ann"), "noError");
    assert_eq!(set("snmpNotifyTag.97=s:x snmpNotifyRowStatus.97=i:4"), "noError");
    assert_eq!((steps(&one), steps(&other)), ("check apply".into(), String::new()));
    told(&["snmp:notify[snmp:name='a']"]);
    // A row that is not active is not configuration yet.
    assert_eq!(set("snmpNotifyTag.98=s:x snmpNotifyRowStatus.98=i:5"), "noError");
    assert_eq!(steps(&one), "");
    assert_eq!(set("snmpNotifyRowStatus.98=i:1"), "noError");
    assert_eq!(steps(&one), "check apply");
    told(&["snmp:notify[snmp:name='b']"]);
    // What a program refuses is not set.
    let before = running(&mut max);
    for (folder, step, expected) in [(&one, "check", "check"), (&one, "apply", "check apply undo")] {
        fs::write(folder.join("refuse"), step).unwrap();
        assert_eq!(set("snmpNotifyTag.97=s:y"), "commitFailed");
        assert_eq!(steps(folder), expected, "{step}");
        assert_eq!(running(&mut max), before);
        fs::write(folder.join("refuse"), "-").unwrap();
    }
    fs::write(other.join("refuse"), "check").unwrap();
    assert_eq!(set("sysContact.0=s:bob"), "commitFailed");
    assert_eq!(show(&talk.ask("2c writer get sysContact.0")), "noError 0 sysContact.0=s:ann");
    // The next start gives the programs what managers have set.
    fs::write(other.join("refuse"), "-").unwrap();
    let _ = (steps(&one), steps(&other));
    let state = agent.terminate();
    let agent = Agent::start_in(state, &(configuration(writer) + &hooks.concat()));
    let mut max = Client::open(&agent, "max");
    assert_eq!(running(&mut max), before);
    assert_eq!((steps(&one), steps(&other)), ("apply".into(), "apply".into()));
    assert!(fs::read_to_string(other.join("apply.json")).unwrap().contains("ann"));
}
