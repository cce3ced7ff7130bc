//! The laboratory's agent selects from finished answers by XPath; the agent does not.

use super::ask::{Asker, envelope};
use super::doors::CONFIG;
use super::support::Agent;

const TABLE: &str = "<GetIfTable xmlns='urn:trunkline:mib:IF-MIB'><community>public</community></GetIfTable>";

fn asked(asker: &mut Asker, path: &str) -> (u16, String) {
    let answer = asker.post_to(path, "text/xml", Some("\"\""), envelope(TABLE).as_bytes());
    (answer.status.as_u16(), String::from_utf8(answer.body.to_vec()).unwrap())
}

#[test]
fn the_laboratorys_agent_answers_with_what_an_expression_selects() {
    if !trunkline_testkit::has("xmllint", "libxml2-utils") {
        return;
    }
    let agent = Agent::start_in_laboratory(CONFIG, &[]);
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    let (_, whole) = asked(&mut asker, "/soap");
    let (status, selected) = asked(&mut asker, "/soap?xpath=//m:ifEntry%5Bm:ifDescr=%27lo%27%5D/m:ifDescr");
    let (head, _) = whole.split_once("<ifEntry>").unwrap();
    let (_, foot) = whole.rsplit_once("</ifEntry>").unwrap();
    assert_eq!((status, selected), (200, format!("{head}<ifDescr>lo</ifDescr>{foot}")));
    let (_, none) = asked(&mut asker, "/soap?xpath=//m:ifEntry%5Bm:ifDescr=%27none%27%5D");
    assert_eq!(none, format!("{head}{foot}"));
    for (expression, words) in [
        ("//m:ifEntry%5B", "not an expression that selects nodes"),
        ("count(//m:ifEntry)", "not an expression that selects nodes"),
        ("//m:ifEntry%5", "two hexadecimal digits"),
    ] {
        let (status, fault) = asked(&mut asker, &format!("/soap?xpath={expression}"));
        assert!(
            status == 500 && fault.contains("<kind>malformed</kind>") && fault.contains(words),
            "{fault}"
        );
    }
}

#[test]
fn the_agent_that_ships_selects_nothing_from_finished_answers() {
    let agent = Agent::start(CONFIG);
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    let (status, answer) = asked(&mut asker, "/soap?xpath=//m:none");
    assert!(status == 200 && answer.contains("<ifDescr>lo</ifDescr>"), "{answer}");
}
