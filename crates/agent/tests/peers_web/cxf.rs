//! Clients that Apache CXF makes of our two WSDLs: they ask by SOAP 1.1 and 1.2 and read faults.
//!
//! Making them takes a while, so they are kept for as long as neither the WSDLs nor `peers/cxf/Client.java` change.

use std::path::{Path, PathBuf};
use std::process::Command;

use trunkline_testkit::has;

use super::web::{Described, Way, Web, built, root};

#[test]
fn apache_cxf_makes_clients_of_both_descriptions() {
    let Some(peer) = built("cxf") else { return };
    if !has("javac", "default-jdk-headless") {
        return;
    }
    let web = Web::start();
    let jars = format!("{}/lib/*", peer.display());
    let classes = made(&web, &jars);
    let url = web.url(Way::Http, Described::Soap);
    let mut client = Command::new("java");
    client.arg("-cp").arg(format!("{}:{jars}", classes.display()));
    client.args(["Client", url.strip_suffix("/soap").unwrap(), "public"]);
    let said = run(&mut client);
    let lines: Vec<&str> = said.lines().collect();
    let interfaces = web.tables["ifTable"].rows.len();
    for way in ["soap11", "soap12", "select11", "select12"] {
        let of_way: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix(way)).collect();
        assert_eq!(of_way.len(), interfaces + 1, "{said}");
        let (loopback, last) = match way {
            "soap11" | "soap12" => (" 1 lo", " unknownName"),
            _ => (" lo", " explained from Interfaces"),
        };
        assert!(of_way.contains(&loopback) && of_way.last() == Some(&last), "{said}");
    }
}

/// The classes, rebuilt if their sources have changed.
fn made(web: &Web, jars: &str) -> PathBuf {
    let source = root().join("peers/cxf/Client.java");
    let address = web.agent.address("http").to_string();
    let wsdls = Described::ALL
        .map(|described| web.get(&format!("{}?wsdl", described.path())).replace(&address, "127.0.0.1:1"));
    let stamp = format!("{}{}", std::fs::read_to_string(&source).unwrap(), wsdls.concat());
    let folder = root().join("target/peers/cxf-client");
    let classes = folder.join("classes");
    if std::fs::read_to_string(folder.join("built-from")).is_ok_and(|built| built == stamp) {
        return classes;
    }
    // Built elsewhere and then moved, so that others find all of it or nothing.
    let made = folder.with_extension(std::process::id().to_string());
    for (wsdl, name) in wsdls.iter().zip(["soap", "select"]) {
        std::fs::create_dir_all(made.join(name)).unwrap();
        let file = made.join(name).join("trunkline.wsdl");
        std::fs::write(&file, wsdl).unwrap();
        let mut generate = Command::new("java");
        generate.args(["-cp", jars, "org.apache.cxf.tools.wsdlto.WSDLToJava", "-d"]);
        let said = run(generate.arg(made.join(name)).arg(&file));
        assert!(!said.contains("Error"), "{name}: {said}");
    }
    let mut compile = Command::new("javac");
    compile.args(["-nowarn", "-cp", jars, "-d"]).arg(made.join("classes")).arg(&source);
    // What both have is the first one's.
    for folder in ["soap", "select/trunkline/select"] {
        sources(&made.join(folder), &mut compile);
    }
    run(&mut compile);
    std::fs::write(made.join("built-from"), stamp).unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::rename(&made, &folder).unwrap();
    classes
}

/// All sources below a folder.
fn sources(folder: &Path, compile: &mut Command) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, compile);
        } else if path.extension().is_some_and(|extension| extension == "java") {
            compile.arg(path);
        }
    }
}

/// What it says, if it ends well.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let shown: String = words.chars().rev().take(2_000).collect::<Vec<_>>().into_iter().rev().collect();
    assert!(output.status.success(), "{said}{shown}");
    said
}
