//! Every configuration that the documentation shows is one that the agent takes.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The files that examples name: secrets, and members of a group.
const FILES: [(&str, &str); 2] = [
    ("ann.password", "correct horse battery\n"),
    ("access.members", "[[member]]\nname = \"old\"\naddress = \"udp://10.9.0.4\"\ncommunity = \"public\"\n"),
];

/// The checks for the examples of a page; their number is asserted, so that none is lost unseen.
fn check_page(page: &str, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, contents) in FILES {
        let path = folder.path().join(name);
        std::fs::write(&path, contents).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    }
    let examples = examples(&text);
    assert!(examples.len() >= least, "{page} has {} examples", examples.len());
    for (line, example) in examples {
        let path = folder.path().join("example.toml");
        if let Err(error) = trunkline_config::parse(&path, &example) {
            panic!("the example below {page}:{line} is wrong: {error}");
        }
    }
}

/// The TOML blocks with the lines before them.
fn examples(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_within = false;
    for (number, line) in text.lines().enumerate() {
        match line.trim_end() {
            "```toml" => {
                is_within = true;
                found.push((number + 1, String::new()));
            }
            "```" => is_within = false,
            line if is_within => {
                let (_, example) = found.last_mut().unwrap();
                example.push_str(line);
                example.push('\n');
            }
            _ => {}
        }
    }
    assert!(!is_within, "a block does not end");
    found
}

#[test]
fn the_reference_of_the_configuration() {
    check_page("docs/configuration.md", 17);
}

#[test]
fn the_guides() {
    check_page("README.md", 1);
    check_page("docs/recipes.md", 7);
    check_page("docs/access.md", 2);
    check_page("docs/agentx.md", 1);
    check_page("docs/groups.md", 5);
    check_page("docs/netconf.md", 1);
    check_page("docs/restconf.md", 1);
    check_page("docs/notifications.md", 2);
    check_page("docs/coming-from-net-snmp.md", 2);
    for system in ["icinga", "librenms", "observium", "opennms", "prometheus", "zabbix"] {
        check_page(&format!("docs/monitoring/{system}.md"), 1);
    }
}

/// The installed example, as it is and with every setting uncommented: `#` without a space after it. (`cargo
/// xtask ci` checks it with the program itself.)
#[test]
fn the_packaged_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("packaging/trunklined.toml")).unwrap();
    let put_in = |line: &str| match line.strip_prefix('#') {
        Some(setting) if !setting.is_empty() && !setting.starts_with(' ') => setting.to_string(),
        _ => line.to_string(),
    };
    let all: Vec<String> = text.lines().map(put_in).collect();
    let as_it_is = trunkline_config::parse(Path::new("trunklined.toml"), &text).unwrap();
    let with_all = trunkline_config::parse(Path::new("trunklined.toml"), &all.join("\n")).unwrap();
    assert!(as_it_is.snmp.users.is_empty() && !with_all.snmp.users.is_empty());
    assert!(!with_all.proxies.is_empty() && !with_all.monitors.is_empty());
}

/// Each key of the configuration is on the reference's page.
#[test]
fn no_key_is_left_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../docs/configuration.md")).unwrap();
    let read = |file: &str| std::fs::read_to_string(root.join("../config/src").join(file)).unwrap();
    let raw = read("raw.rs") + &read("raw/group.rs");
    let keys: Vec<String> = raw.lines().filter_map(key).collect();
    assert!(keys.len() > 80, "{}", keys.len());
    for key in keys {
        let words = [format!("`{key}`"), format!("[{key}]"), format!(".{key}]")];
        assert!(words.iter().any(|word| page.contains(word)), "{key} is not on the page");
    }
}

/// Each group that can have its own freshness, too.
#[test]
fn no_group_is_left_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../docs/configuration.md")).unwrap();
    for group in trunkline_config::GROUPS {
        assert!(page.contains(&format!("`{group}`")), "{group} is not on the page");
    }
}

/// The key that a field of the raw configuration is for.
fn key(line: &str) -> Option<String> {
    let field = line.trim_start().strip_prefix("pub ")?.split_once(':')?.0;
    let is_name = field.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let key = if field == "privacy" { "priv".to_string() } else { field.replace('_', "-") };
    // A secret's file is described once for all of them.
    (is_name && !key.ends_with("-file")).then_some(key)
}

/// Each directive of snmpd.conf that is carried over, or cannot be, has its place in the tables of the page.
#[test]
fn no_directive_is_left_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../docs/coming-from-net-snmp.md")).unwrap();
    let page = page.to_ascii_lowercase();
    let code = std::fs::read_to_string(root.join("../netsnmp/src/directives.rs")).unwrap();
    let named = |list: &str| -> Vec<String> {
        let (_, behind) = code.split_once(&format!("const {list}: ")).unwrap();
        let (entries, _) = behind.split_once("\n];").unwrap();
        // Each entry begins with its name: `("name", ...` on one line or on two.
        let parts = entries.split("(\"").skip(1).chain(entries.split("(\n        \"").skip(1));
        let name = |part: &str| part.split('"').next().unwrap().to_string();
        parts
            .map(name)
            .filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || "-_0123456789".contains(c)))
            .collect()
    };
    let directives = [named("CARRIED"), named("IMPOSSIBLE")].concat();
    assert!(directives.len() > 90, "{}", directives.len());
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let words: std::collections::BTreeSet<&str> = page.split(|c| !is_word(c)).collect();
    let missing: Vec<&String> = directives.iter().filter(|name| !words.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?} are not on the page");
}
