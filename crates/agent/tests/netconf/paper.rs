//! The document of the EMANICS deliverable D7.1 from `/netconf` on: BGP and the access policy (decision 0072). `models` has what is made of
//! rows, and the expressions that the deliverable prints.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use trunkline_testkit::namespace::{ip, isolated};

use crate::client::{Client, agent};
use crate::hooks::{bgp, edit, global, with_hooks};
use crate::models::{PAPER, values, xpath};
use crate::support::Agent;
use crate::support::yanglint::Yanglint;

/// A hook for BGP that writes each step to the file `steps`, and for `state` does what a line of shell says.
fn hook(folder: &Path, state: &str, timeout: &str) -> String {
    let path = folder.join("program");
    let steps = folder.join("steps");
    let text = format!(
        "#!/bin/sh\necho $1 >> {}\ncase $1 in state) {state};; *) cat > /dev/null;; esac\n",
        steps.display()
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    with_hooks(&format!(
        "[[netconf.hook]]\nsubtree = \"/trunkline-bgp:bgp\"\ncommand = [{path:?}]\nstate = true\ntimeout = \"{timeout}\"\n"
    ))
}

/// How often the state was asked for.
fn asked(folder: &Path) -> usize {
    fs::read_to_string(folder.join("steps"))
        .unwrap_or_default()
        .lines()
        .filter(|step| *step == "state")
        .count()
}

/// What is at `/netconf` in a module's part.
fn paper(client: &mut Client, within: &str) -> String {
    client.get(&format!("<netconf xmlns='{PAPER}'>{within}</netconf>"))
}

const NEIGHBORS: &str = "<neighbors><neighbor><remote-address>192.0.2.2</remote-address><peer-as>65002</peer-as></neighbor></neighbors>";

#[test]
fn the_router_of_the_paper_is_that_of_bgp() {
    let folder = tempfile::tempdir().unwrap();
    let known = r#"{"trunkline-bgp:bgp":{"neighbors":{"neighbor":[{"remote-address":"192.0.2.2","session-state":"established","established-transitions":3},{"remote-address":"192.0.2.9","session-state":"active"}]}}}"#;
    let agent = Agent::start(&hook(folder.path(), &format!("echo '{known}'"), "30s"));
    let mut max = Client::open(&agent, "max");
    assert_eq!(max.ask(&edit("running", &bgp(&(global(65001) + NEIGHBORS)))), "<ok/>");
    let expected = "<bgp><bgprouter><as-number>65001</as-number><neighbors><neighbor><ip-address>192.0.2.2</ip-address>\
                    <remote-as>65002</remote-as><enabled>true</enabled><hold-time>90</hold-time><keepalive>30</keepalive>\
                    <state>established</state><established-transitions>3</established-transitions></neighbor>\
                    <neighbor><ip-address>192.0.2.9</ip-address><state>active</state></neighbor></neighbors></bgprouter></bgp>";
    let found = paper(&mut max, "<routing/>");
    assert_eq!(found, format!("<netconf xmlns=\"{PAPER}\"><routing>{expected}</routing></netconf>"));
    if let Some(yanglint) = Yanglint::new() {
        yanglint.check("paper.xml", &found, &[]);
    }
    // Of one neighbor, by several criteria, in parts.
    for (select, addresses) in [
        (
            "/netconf/routing/bgp/bgprouter/neighbors/neighbor[ip-address=\u{2019}192.0.2.2\u{2019}]",
            "192.0.2.2",
        ),
        ("//neighbor[state='active']", "192.0.2.9"),
        ("//bgprouter[as-number=65001]//neighbor[position() = last()]", "192.0.2.9"),
        (
            "//neighbor[remote-as > 65000 and starts-with(state, 'est')]/ip-address | //system/rpm-list/none",
            "192.0.2.2",
        ),
    ] {
        assert_eq!(values(&xpath(&mut max, select), "ip-address"), [addresses], "{select}");
    }
    let state = paper(
        &mut max,
        "<routing><bgp><bgprouter><neighbors><neighbor><ip-address>192.0.2.9</ip-address><state/></neighbor></neighbors></bgprouter></bgp>\
         </routing>",
    );
    assert_eq!(values(&state, "state"), ["active"], "{state}");
    // Who may not read BGP in its own module does not read it here, and nothing of it is configuration.
    assert_eq!(paper(&mut Client::open(&agent, "bob"), "<routing/>"), "");
    let of_running = format!("<filter><netconf xmlns='{PAPER}'/></filter>");
    let running = max.ask(&format!("<get-config><source><running/></source>{of_running}</get-config>"));
    assert_eq!(running, "<data></data>");
    let refused = max.ask(&edit("running", &found));
    assert!(refused.contains("the same is configured in /trunkline-bgp:bgp"), "{refused}");
}

#[test]
fn a_program_runs_for_those_alone_who_want_what_it_knows() {
    let folder = tempfile::tempdir().unwrap();
    let agent = Agent::start(&hook(folder.path(), "exec tail -f /dev/null", "1s"));
    let mut max = Client::open(&agent, "max");
    for select in [
        "//iface[name='lo']",
        "/netconf/network/interfaces/iface[name='lo']",
        "/netconf/system/rpm-list/rpm[contains(text(),'java')]",
        "//rbac/users/user[login='max']",
        "/netconf/network | /netconf/security",
    ] {
        xpath(&mut max, select);
    }
    assert_eq!(asked(folder.path()), 0);
    // One that does not answer is not asked again at once, in this answer or the next ones.
    assert_eq!(max.ask(&edit("running", &bgp(&(global(65001) + NEIGHBORS)))), "<ok/>");
    let begun = Instant::now();
    let all = max.ask("<get/>");
    assert!(begun.elapsed() >= Duration::from_secs(1));
    assert!(
        all.contains("<as-number>65001</as-number>") && all.contains("<peer-as>65002</peer-as>"),
        "{all}"
    );
    for _ in 0..5 {
        assert_eq!(values(&paper(&mut max, "<routing/>"), "remote-as"), ["65002"]);
        assert_eq!(values(&max.get("<bgp xmlns='urn:trunkline:yang:bgp'/>"), "peer-as"), ["65002"]);
    }
    // Each time takes it a second, and as long again it is left alone: on a busy machine all this may take longer than that.
    let most = 1 + begun.elapsed().as_secs() / 2;
    let times = asked(folder.path()) as u64;
    assert!((1..=most).contains(&times), "{times} of {most}");
    agent.wait_for("a program does not say what the state is");
}

/// Pairs of requests of one meaning, as in table 3.3 of the deliverable: with every option of subtree filters, and by an expression.
#[test]
fn subtrees_and_expressions_of_one_meaning_have_one_answer() {
    isolated("paper::subtrees_and_expressions_of_one_meaning_have_one_answer", || {
        ip("link add eth0 type veth peer name far");
        ip("link set eth0 up");
        ip("link set far up");
        ip("address add 192.0.2.1/24 dev eth0");
        ip("route add 198.51.100.0/24 via 192.0.2.2 metric 7");
        let agent = agent("");
        let mut ann = Client::open(&agent, "ann");
        let iface =
            |within: &str| format!("<network><interfaces><iface>{within}</iface></interfaces></network>");
        let route = |within: &str| format!("<network><routes><route>{within}</route></routes></network>");
        for (subtree, select) in [
            // A leaf of an interface, the whole of it, all names, one that is not there, two leaves of each.
            (iface("<name>eth0</name><mtu/>"), "/netconf/network/interfaces/iface[name='eth0']/mtu"),
            (
                iface("<name>eth0</name><description/><mtu/><address/>"),
                "//iface[name='eth0']/*[self::mtu or self::address]",
            ),
            (iface("<name/>"), "//iface/name"),
            (iface("<name>none</name>"), "//iface[name='none']"),
            (iface("<mtu/><status/>"), "//iface/mtu | //iface/status"),
            // Parts, and what two values choose.
            ("<network><routes/></network><system/>".into(), "/netconf/system | /netconf/network/routes"),
            (route("<iface>eth0</iface><metric>7</metric>"), "//route[iface='eth0' and metric=7]"),
            (
                route("<gateway>192.0.2.2</gateway><destination/>"),
                "//route[gateway='192.0.2.2']/*[self::gateway or self::destination]",
            ),
            (
                iface("<enabled>true</enabled><name/>"),
                "//iface[enabled='true']/*[self::name or self::enabled]",
            ),
            // No node here has attributes.
            (iface("").replace("<iface>", "<iface kind='x'>"), "//iface[@kind='x']"),
        ] {
            assert_eq!(paper(&mut ann, &subtree), xpath(&mut ann, select), "{select}");
        }
        // What a subtree cannot say, its reader must do.
        let names = values(&paper(&mut ann, &iface("<name/>")), "name");
        assert_eq!(values(&xpath(&mut ann, "//iface[position() &lt; 3]/name"), "name"), names[..2]);
        assert_eq!(names.len(), 3);
        assert_eq!(values(&xpath(&mut ann, "//interfaces[count(iface) = 3]/iface/name"), "name"), names);
        let packages = values(&paper(&mut ann, "<system/>"), "rpm");
        let found: Vec<String> = packages.into_iter().filter(|it| it.contains("lib")).collect();
        assert_eq!(values(&xpath(&mut ann, "//rpm[contains(text(),'lib')]"), "rpm"), found);
    });
}

#[test]
fn the_roles_of_the_paper_are_those_of_the_policy() {
    let agent = agent("");
    let (mut ann, mut bob) = (Client::open(&agent, "ann"), Client::open(&agent, "bob"));
    let all = paper(&mut ann, "<security/>");
    for part in [
        "<users><user><login>ann</login></user><user><login>bob</login></user>",
        "<roles><role><name>contact</name></role><role><name>little</name></role>",
        "<user-assignement><userRef>tom</userRef><roleRef>contact</roleRef></user-assignement>",
        "<op>x</op><name>ietf-netconf:kill-session</name><action>deny</action>",
        "<op>r</op><scope>/</scope><action>permit</action>",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    assert!(!all.contains("eve"), "{all}");
    if let Some(yanglint) = Yanglint::new() {
        yanglint.check("paper.xml", &all, &["ietf-restconf-monitoring"]);
    }
    // What the role may read that reads the system group alone, as NACM's rules have it.
    let of_role = "//permission[id = //permission-assignement[roleRef='little']/permRef and op='r' and action='permit']/scope";
    let scopes = xpath(&mut ann, of_role);
    assert!(
        scopes.contains("<scope xmlns:sys=\"urn:ietf:params:xml:ns:yang:ietf-system\">/sys:system</scope>"),
        "{scopes}"
    );
    let nacm = ann.get(
        "<nacm xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-acm'><rule-list><rule/></rule-list></nacm>",
    );
    assert_eq!(all.matches("<permission>").count(), nacm.matches("<rule>").count());
    assert_eq!(all.matches("<permission-assignement>").count(), all.matches("<permission>").count());
    // Who may not read VACM's tables sees nothing of it.
    assert_eq!(paper(&mut bob, "<security/>"), "");
    assert_eq!(xpath(&mut bob, "//rbac"), "");
}
