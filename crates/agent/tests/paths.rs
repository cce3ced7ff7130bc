//! Rules for paths of the configuration file, as `--check` and `--explain-access` show them.

use std::path::Path;

use trunkline_agent::explain::{Question, What, explain};
use trunkline_tree::policy::ViewType;

#[test]
fn the_rule_is_shown_as_it_is_written_and_by_which_way_it_is_inherited() {
    let text = "[[role]]\nname = \"monitor\"\nread = [\"/ietf-system:system/contact\", \"1.3.6.1.2.1.2\"]\n\
        [[role]]\nname = \"operator\"\ninherits = [\"monitor\"]\nwrite = [\"/ietf-system:system/contact\"]\n\
        [[role]]\nname = \"manager\"\ninherits = [\"operator\"]\nwrite = [\"1.3.6.1.2.1.1.6\"]\n\
        [[snmp.principal]]\nname = \"pat\"\nrole = \"manager\"\n";
    let mut plan = trunkline_config::parse(Path::new("t.toml"), text).unwrap();
    trunkline_agent::paths::set(&mut plan).unwrap();
    assert_eq!(
        trunkline_agent::paths::lines(&plan)[0],
        "\"monitor\" read \"/ietf-system:system/contact\": sysContact"
    );
    let folder = tempfile::tempdir().unwrap();
    let ask = |what: What, to| {
        let (who, context) = ("pat".into(), String::new());
        let question = Question { who, what, access: Some(to), level: None, context, role: None };
        explain(&plan, folder.path(), &question).unwrap()
    };
    let contact = "written   read \"/ietf-system:system/contact\" in role manager > operator > monitor";
    let path = || What::Path("/ietf-system:system/contact".into());
    assert!(ask(path(), ViewType::Read).contains(contact), "{}", ask(path(), ViewType::Read));
    let written = ask(path(), ViewType::Write);
    assert!(written.contains("\" in role manager > operator"), "{written}");
    let object = |text: &str| What::Object(text.parse().unwrap());
    assert!(ask(object("1.3.6.1.2.1.1.4.0"), ViewType::Read).contains(contact));
    let location = ask(object("1.3.6.1.2.1.1.6.0"), ViewType::Write);
    assert!(location.contains("written   write \"1.3.6.1.2.1.1.6\" in role manager"), "{location}");
}
