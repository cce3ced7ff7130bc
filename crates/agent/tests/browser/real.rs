//! Chromium and Firefox, driven over WebDriver by `peers/browser/page.py`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use trunkline_testkit::{has, leave_out};

use crate::browser::raw::with_page;
use crate::support::Agent;

/// Looks after an agent as a person does; the script asks for the agent's end and for its beginning.
fn look_after_it_with(browser: &str) {
    let config = with_page("");
    let mut agent = Some(Agent::start(&config));
    let port = agent.as_ref().map(|agent| agent.address("http").port()).unwrap();
    let mut folder = None;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../peers/browser/page.py");
    let mut python = Command::new("python3");
    python.args([script, browser, &port.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut python = python.spawn().expect("python3");
    let mut commands = python.stdin.take().unwrap();
    let mut seen = Vec::new();
    for line in BufReader::new(python.stdout.take().unwrap()).lines().map_while(Result::ok) {
        match line.as_str() {
            "stop" => folder = agent.take().map(Agent::terminate),
            "start" => {
                let again = config.replace("http://127.0.0.1:0", &format!("http://127.0.0.1:{port}"));
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

#[test]
fn chromium_looks_after_an_agent() {
    if has("python3", "python3") && has("chromium", "chromium") && has("chromedriver", "chromium-driver") {
        look_after_it_with("chromium");
    }
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
    look_after_it_with("firefox");
}
