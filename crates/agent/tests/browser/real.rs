//! Chromium and Firefox, driven over WebDriver by `peers/browser/page.py`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use trunkline_pki::{AuthorityOptions, Directory, LeafOptions, Name, Role, Storing};
use trunkline_testkit::namespace::{ip, isolated};
use trunkline_testkit::{has, leave_out};

use crate::browser::groups::manager;
use crate::browser::raw::{Browser, agent, with_page};
use crate::support::{Agent, BOTH};

/// Looks after an agent as a person does; the script asks for the agent's end and for its beginning.
fn look_after_it_with(browser: &str, scheme: &str, more: &[&str]) {
    look_after(&with_page(""), browser, scheme, more);
}

fn look_after(config: &str, browser: &str, scheme: &str, more: &[&str]) {
    let keys = tempfile::tempdir().unwrap();
    let config = config.replace("http://127.0.0.1:0", &format!("{scheme}://127.0.0.1:0"));
    let config = if scheme == "https" { certified(&config, keys.path()) } else { config };
    let mut agent = Some(Agent::start(&config));
    let port = agent.as_ref().map(|agent| agent.address(scheme).port()).unwrap();
    let mut folder = None;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../peers/browser/page.py");
    let mut python = Command::new("python3");
    python
        .args(["-B", script, browser, scheme, &port.to_string()])
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut python = python.spawn().expect("python3");
    let mut commands = python.stdin.take().unwrap();
    let mut seen = Vec::new();
    for line in BufReader::new(python.stdout.take().unwrap()).lines().map_while(Result::ok) {
        match line.as_str() {
            "stop" => folder = agent.take().map(Agent::terminate),
            "start" => {
                let again = config
                    .replace(&format!("{scheme}://127.0.0.1:0"), &format!("{scheme}://127.0.0.1:{port}"));
                agent = folder.take().map(|folder| Agent::start_in(folder, &again));
            }
            _ => {
                seen.push(line);
                continue;
            }
        }
        commands.write_all(b"done\n").expect("the script listens");
    }
    assert!(python.wait().unwrap().success(), "{seen:#?}");
    assert_eq!(seen.last().map(String::as_str), Some("done"), "{seen:#?}");
}

/// The configuration with a certificate of an authority that was made for it.
fn certified(config: &str, folder: &Path) -> String {
    let pki = Directory::at(folder);
    pki.init(&AuthorityOptions::named(Name::new("Test CA").unwrap()), false).unwrap();
    let storing = Storing { force: true, default: true, self_signed: false };
    pki.issue(Role::Agent, &Name::new("localhost").unwrap(), &LeafOptions::default(), storing).unwrap();
    format!("{config}[snmp.tls]\ndirectory = {:?}\n", folder.display().to_string())
}

#[test]
fn chromium_looks_after_an_agent() {
    if has_chromium() {
        look_after_it_with("chromium", "http", &[]);
    }
}

#[test]
fn groups_are_seen_in_chromium() {
    let device = Agent::start(&format!("[system]\nname = \"old switch\"\n{BOTH}"));
    if has_chromium() {
        look_after(&manager(&device), "chromium", "http", &["groups"]);
    }
}

#[track_caller]
fn has_chromium() -> bool {
    has("python3", "python3") && has("chromium", "chromium") && has("chromedriver", "chromium-driver")
}

#[test]
fn an_interface_with_markup_as_its_name_is_text() {
    isolated("browser::real::an_interface_with_markup_as_its_name_is_text", || {
        ip("tuntap add <script> mode tap");
        let agent = agent();
        let plain =
            Browser::log_in(&agent, "max").ask("GET /browser/plain/IF-MIB:IF-MIB/ifTable/ifEntry", &[], "");
        assert!(
            plain.body.contains("<td>&lt;script&gt;</td>") && !plain.body.contains("<script"),
            "{plain:?}"
        );
        drop(agent);
        if has_chromium() {
            look_after_it_with("chromium", "http", &["names"]);
        }
    });
}

#[test]
fn firefox_looks_after_an_agent() {
    if !has("python3", "python3") || !has("firefox-esr", "firefox-esr") {
        return;
    }
    if !Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/peers/geckodriver/bin/geckodriver"))
        .is_file()
    {
        leave_out("geckodriver is not built (cargo xtask setup --peers)");
        return;
    }
    look_after_it_with("firefox", "https", &[]);
}
