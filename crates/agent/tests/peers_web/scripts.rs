//! zeep and node's soap: generated from our live WSDL, each calls every operation.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};
use trunkline_smi::schema::Syntax;

use super::calls::{Call, Expect, Script, record, same_cell};
use super::web::{Described, USER, Way, Web, built, root};
use super::world::MANAGER;

#[test]
fn zeep_calls_every_operation_by_soap_1_1_over_http_and_by_1_2_over_https() {
    calls_everything(Script::Zeep);
}

#[test]
fn node_calls_every_operation_by_soap_1_1_over_http_and_by_1_2_over_https() {
    calls_everything(Script::Node);
}

fn calls_everything(script: Script) {
    let Some(command) = command(script) else { return };
    drop(command);
    let web = Web::start();
    for described in Described::ALL {
        every_operation(script, &web, described);
    }
}

#[test]
fn they_are_principals_by_a_certificate_and_by_a_token_too() {
    let web = Web::start();
    let manager = web.world.manager(MANAGER);
    let files = [manager.certificate, manager.key].map(|file| file.display().to_string());
    let wanted = ["GetSystem", "SetSystem", "GetIfEntry"];
    for script in [Script::Zeep, Script::Node] {
        if command(script).is_none() {
            continue;
        }
        for shows in [json!({"certificate": files}), json!({"token": web.token.text()}), json!({})] {
            let mut calls = Described::Soap.calls(&web, false);
            calls.retain(|call| wanted.contains(&call.operation.as_str()));
            assert_eq!(calls.len(), wanted.len() + 1);
            if shows == json!({}) {
                calls.iter_mut().for_each(|call| call.expect = Expect::Fault("unauthorized"));
            }
            let url = web.url(Way::Https, Described::Soap);
            let mut plan = json!({"wsdl": format!("{url}?wsdl"), "port": "TrunklineSoap12", "authority": web.authority()});
            plan.as_object_mut().unwrap().extend(shows.as_object().unwrap().clone());
            let found = run(script, &web, plan, &calls);
            for (call, answer) in calls.iter().zip(found["answers"].as_array().unwrap()) {
                let wrong = check(&web, call, answer, Way::Https).err();
                assert_eq!(wrong, None, "{script:?} {} {}", call.operation, shows.to_string().len());
            }
        }
    }
}

fn every_operation(script: Script, web: &Web, described: Described) {
    let mut ports = described.ports();
    for (way, port) in [Way::Http, Way::Https].into_iter().zip(described.ports()) {
        let calls = described.calls(web, way == Way::Http);
        let mut plan = json!({"wsdl": format!("{}?wsdl", web.url(way, described)), "port": port});
        if way == Way::Https {
            plan["authority"] = json!(web.authority());
            plan["user"] = json!(USER);
        }
        let found = run(script, web, plan, &calls);
        let place = format!("{script:?} {port}");
        let names = |json: &Json| -> Vec<String> { serde_json::from_value(json.clone()).unwrap() };
        ports.sort_unstable();
        assert_eq!(names(&found["ports"]), ports, "{place}");
        let operations = described.operations(web);
        assert_eq!(names(&found["operations"]), operations, "{place}: other operations than in the WSDL");
        let is_forgotten = |name: &&String| !calls.iter().any(|call| call.operation == **name);
        let forgotten: Vec<&String> = operations.iter().filter(is_forgotten).collect();
        assert!(forgotten.is_empty(), "{place}: nobody calls {forgotten:?}");
        let answers = found["answers"].as_array().unwrap();
        assert_eq!(answers.len(), calls.len(), "{place}");
        let wrong: Vec<String> = calls
            .iter()
            .zip(answers)
            .filter_map(|(call, answer)| {
                let wrong = check(web, call, answer, way).err()?;
                Some(format!("{place} {}: {wrong}", call.operation))
            })
            .collect();
        assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), calls.len());
        if script == Script::Zeep && described == Described::Soap {
            // It requests gzip by default; short answers stay uncompressed.
            assert!(names(&found["coded"]).contains(&"gzip".to_owned()), "{place}");
        }
    }
}

fn command(script: Script) -> Option<Command> {
    let (mut command, file) = match script {
        Script::Zeep => (Command::new(built("python")?.join("bin/python")), "peers/python/soap.py"),
        Script::Node => (Command::new("node"), "peers/node/soap.mjs"),
    };
    command.arg(root().join(file));
    if script == Script::Node {
        command.arg(built("node")?);
    }
    Some(command)
}

fn run(script: Script, web: &Web, mut plan: Json, calls: &[Call]) -> Json {
    let calls: Vec<String> = calls.iter().map(|call| call.json(script)).collect();
    let mut command = command(script).unwrap();
    if script == Script::Node {
        plan["encoding"] = json!("gzip");
        command.env("NODE_EXTRA_CA_CERTS", web.authority());
    }
    let mut text = plan.to_string();
    text.truncate(text.len() - 1);
    text.push_str(&format!(",\"calls\":[{}]}}", calls.join(",")));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writing = std::thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(output.status.success(), "{script:?}: {}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn check(web: &Web, call: &Call, answer: &Json, way: Way) -> Result<(), String> {
    let fault = || {
        let fault = answer.get("fault")?;
        let kind = fault["details"][0]["kind"].as_str()?;
        let says = fault["reason"].as_str().is_some_and(|reason| !reason.is_empty());
        let code = fault["code"].as_str().unwrap_or_default();
        let known = if way == Way::Http { ["Client", "Server"] } else { ["Sender", "Receiver"] };
        (says && known.iter().any(|known| code.ends_with(known))).then(|| kind.to_owned())
    };
    let short = || answer.to_string().chars().take(600).collect::<String>();
    let is_ok = answer.get("value").is_some() || answer.as_object().is_some_and(serde_json::Map::is_empty);
    match &call.expect {
        Expect::Done | Expect::Group(_) | Expect::Rows { .. } | Expect::Objects(_) if !is_ok => Err(short()),
        Expect::Done => Ok(()),
        Expect::DoneOrFault if is_ok || fault().is_some() => Ok(()),
        Expect::Fault(kind) if fault().as_deref() == Some(kind) => Ok(()),
        Expect::DoneOrFault | Expect::Fault(_) => {
            Err(format!("expected {:?}, found {}", call.expect, short()))
        }
        Expect::Objects(texts) => {
            let missing: Vec<_> = texts.iter().filter(|text| !answer.to_string().contains(**text)).collect();
            if missing.is_empty() { Ok(()) } else { Err(format!("no {missing:?} in {}", short())) }
        }
        Expect::Group(group) => {
            let group = &web.catalog.groups()[*group];
            let value = unwrapped(&answer["value"]);
            let row = value.first().copied().unwrap_or(&Json::Null);
            let unreadable = group
                .record
                .fields
                .iter()
                .find(|field| text(&row[field.name]).is_some_and(|text| !reads(&field.syntax, &text)));
            match unreadable {
                Some(field) => Err(format!("{}: {}", field.name, short())),
                None => Ok(()),
            }
        }
        Expect::Rows { table, rows, fields } => {
            let record = record(&web.catalog, *table);
            let found = unwrapped(&answer["value"]);
            if found.len() != rows.len() {
                return Err(format!("{} rows, SNMP says {}: {}", found.len(), rows.len(), short()));
            }
            let known = &web.tables[web.catalog.tables()[*table].table.name];
            for (index, row) in rows.iter().zip(&found) {
                for at in fields {
                    let field = &record.fields[*at];
                    let cell = text(&row[field.name]);
                    if !same_cell(known, index, *at, &field.syntax, cell.as_deref()) {
                        let expected = known.cell(index, *at);
                        return Err(format!("{} of {index:?}: {cell:?}, SNMP says {expected:?}", field.name));
                    }
                }
            }
            Ok(())
        }
    }
}

fn reads(syntax: &Syntax, text: &str) -> bool {
    trunkline_soap::lexical::read(syntax, text, trunkline_soap::encoding::Encoding::Typed).is_some()
}

/// The rows, whether they come bare (zeep) or below their name (node).
fn unwrapped(value: &Json) -> Vec<&Json> {
    match value {
        Json::Null => Vec::new(),
        Json::Array(rows) => rows.iter().collect(),
        Json::Object(members) => match members.values().next() {
            Some(Json::Array(rows)) if members.len() == 1 => rows.iter().collect(),
            Some(Json::Object(_)) if members.len() == 1 => members.values().collect(),
            _ => vec![value],
        },
        _ => vec![value],
    }
}

fn text(value: &Json) -> Option<String> {
    match value {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
