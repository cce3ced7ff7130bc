//! A client that wsdl2h, soapcpp2 and the C compiler make of our whole WSDL: it calls every operation.
//!
//! Making it takes a while, so it is kept for as long as neither the WSDL nor its own source changes.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use trunkline_smi::schema::Table as Schema;
use trunkline_smi::{Value, ValueKind};
use trunkline_snmp::wire::Bound;
use trunkline_soap::Limits;
use trunkline_soap::answer::read_rows;
use trunkline_soap::encoding::Encoding;
use trunkline_testkit::has;

use super::calls::{Call, Expect, record};
use super::web::{Described, USER, Way, Web, root};

#[test]
fn a_gsoap_client_of_the_whole_wsdl_calls_every_operation() {
    let installed = ["wsdl2h", "soapcpp2"].iter().all(|tool| has(tool, "gsoap")) && has("cc", "gcc");
    if !installed {
        return;
    }
    let web = Web::start();
    for described in Described::ALL {
        every_operation(&web, described);
    }
}

fn every_operation(web: &Web, described: Described) {
    let program = made(web, described);
    let operations = described.operations(web);
    for (way, version) in [(Way::Http, "1"), (Way::Http, "2"), (Way::Https, "2")] {
        let calls = described.calls(web, way == Way::Http);
        let is_forgotten = |name: &&String| !calls.iter().any(|call| call.operation == **name);
        assert_eq!(operations.iter().find(is_forgotten), None, "nobody calls it");
        let mut client = Client::start(&program, web, (way, described), version);
        let mut known: Vec<&str> = client.operations.iter().map(String::as_str).collect();
        known.sort_unstable();
        assert_eq!(known, operations, "gSOAP has made other operations");
        let mut wrong = Vec::new();
        for call in &calls {
            let (word, text) = client.ask(call);
            if let Err(words) = check(web, call, &word, &text, version) {
                wrong.push(format!("{way:?} {version} {}: {words}", call.operation));
            }
        }
        assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), calls.len());
    }
}

/// Nobody has to use the other encodings; that gSOAP generates a call for each operation shows that they are
/// described.
#[test]
fn the_other_encodings_are_descriptions_for_gsoap_too() {
    if !["wsdl2h", "soapcpp2"].iter().all(|tool| has(tool, "gsoap")) {
        return;
    }
    let web = Web::start();
    for path in ["/soap/lean?wsdl", "/soap/paper?wsdl"] {
        let folder = tempfile::tempdir().unwrap();
        generated(folder.path(), &web.get(path));
        let text = std::fs::read_to_string(folder.path().join("soapStub.h")).unwrap();
        let mut made: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split_once("SOAP_FMAC6 soap_call_")?.1.split_once('('))
            .map(|(call, _)| call.rsplit("__").next().unwrap().trim_end_matches('_'))
            .collect();
        made.sort_unstable();
        made.dedup();
        assert_eq!(made, web.operations, "{path}");
    }
}

/// What wsdl2h and soapcpp2 make of a WSDL.
fn generated(folder: &Path, wsdl: &str) {
    std::fs::write(folder.join("trunkline.wsdl"), wsdl).unwrap();
    run(Command::new("wsdl2h").args(["-c", "-P", "-o", "trunkline.h", "trunkline.wsdl"]).current_dir(folder));
    let mut generate = Command::new("soapcpp2");
    generate.args(["-c", "-C", "-x", "-L", "-w", "-I", "/usr/share/gsoap/import", "trunkline.h"]);
    run(generate.current_dir(folder));
}

/// The program, rebuilt if its sources have changed.
fn made(web: &Web, described: Described) -> PathBuf {
    let source = root().join("peers/gsoap/client.c");
    let wsdl = web
        .get(&format!("{}?wsdl", described.path()))
        .replace(&web.agent.address("http").to_string(), "127.0.0.1:1");
    let stamp = format!("{}{wsdl}", std::fs::read_to_string(&source).unwrap());
    let folder = match described {
        Described::Soap => "target/peers/gsoap-client",
        Described::Select => "target/peers/gsoap-client-of-selections",
    };
    let folder = root().join(folder);
    let program = folder.join("client");
    if std::fs::read_to_string(folder.join("built-from")).is_ok_and(|built| built == stamp) {
        return program;
    }
    // Built elsewhere and then moved, so that others find all of it or nothing.
    let made = folder.with_extension(std::process::id().to_string());
    std::fs::create_dir_all(&made).unwrap();
    generated(&made, &wsdl);
    let prefix = names(&made);
    std::fs::write(made.join("calls.h"), list_of_calls(&made)).unwrap();
    let mut compile = Command::new("cc");
    compile.args(["-O0", "-w", "-DWITH_OPENSSL", "-DWITH_GZIP", "-DWITH_IPV6", "-DWITH_DOM", "-I."]);
    compile.arg(format!("-DPROBLEM={prefix}__problem"));
    compile.arg(format!("-DKIND_WORD=soap_{prefix}__ProblemKind2s"));
    compile.arg(source).args(["soapC.c", "soapClient.c", "-o", "client"]);
    run(compile.args(["-lgsoapssl", "-lssl", "-lcrypto", "-lz"]).current_dir(&made));
    std::fs::write(made.join("built-from"), stamp).unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::rename(&made, &folder).unwrap();
    program
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}", words.chars().take(2_000).collect::<String>());
}

/// The table of namespaces under one name; the prefix of our own namespace in it.
fn names(folder: &Path) -> String {
    let is_table = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "nsmap");
    let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = std::fs::read_to_string(files.find(is_table).unwrap()).unwrap();
    std::fs::write(folder.join("names.nsmap"), &text).unwrap();
    let line = text.lines().find(|line| line.contains("\"urn:trunkline:soap\"")).unwrap();
    line.split('"').nth(1).unwrap().to_owned()
}

/// A line for each call that soapcpp2 has declared; the second port's have an underscore appended.
fn list_of_calls(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join("soapStub.h")).unwrap();
    let mut lines = String::new();
    for line in text.lines().filter(|line| line.contains("SOAP_FMAC6 soap_call_")) {
        let (call, rest) = line.split_once("soap_call_").unwrap().1.split_once('(').unwrap();
        let types: Vec<&str> =
            rest.split("struct ").skip(2).filter_map(|rest| rest.split_whitespace().next()).collect();
        let operation = call.rsplit("__").next().unwrap();
        if let [request, answer] = types[..]
            && !operation.ends_with('_')
        {
            lines.push_str(&format!("CALL({operation}, {call}, {request}, {answer})\n"));
        }
    }
    lines
}

struct Client {
    child: Child,
    commands: ChildStdin,
    lines: BufReader<ChildStdout>,
    operations: Vec<String>,
}

impl Client {
    fn start(program: &Path, web: &Web, (way, described): (Way, Described), version: &str) -> Client {
        let mut command = Command::new(program);
        command.arg(web.url(way, described)).arg(version);
        if way == Way::Https {
            command.arg(web.authority()).args(USER);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (commands, lines) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Client { child, commands, lines, operations: Vec::new() };
        for _ in described.operations(web) {
            let (word, operation) = client.line();
            assert_eq!(word, "operation");
            client.operations.push(operation);
        }
        client
    }

    fn ask(&mut self, call: &Call) -> (String, String) {
        let xml = call.xml().replace('\n', "&#10;").replace('\r', "&#13;");
        writeln!(self.commands, "{}\t{xml}", call.operation).unwrap();
        self.line()
    }

    fn line(&mut self) -> (String, String) {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        let (word, text) = line.trim_end_matches('\n').split_once('\t').unwrap_or(("nothing", ""));
        (word.to_owned(), text.to_owned())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn check(web: &Web, call: &Call, word: &str, text: &str, version: &str) -> Result<(), String> {
    let short = || format!("{word}: {}", text.chars().take(600).collect::<String>());
    // Code, subcode, kind, text: gSOAP's own types have read them.
    let parts: Vec<&str> = text.splitn(4, '|').collect();
    let fault = match parts[..] {
        [code, subcode, kind, reason] if word == "fault" => {
            let expected = if version == "1" { ["Client", "Server"] } else { ["Sender", "Receiver"] };
            let has_code = expected.iter().any(|known| code.ends_with(known));
            let has_subcode = version == "1" || subcode.ends_with(kind);
            (has_code && has_subcode && !kind.is_empty() && !reason.is_empty()).then_some(kind)
        }
        _ => None,
    };
    match &call.expect {
        Expect::Fault(kind) if fault == Some(*kind) => Ok(()),
        Expect::DoneOrFault if word == "ok" || fault.is_some() => Ok(()),
        Expect::Done | Expect::Group(_) if word == "ok" => Ok(()),
        Expect::Objects(texts) if word == "ok" => {
            let missing: Vec<_> = texts.iter().filter(|wanted| !text.contains(**wanted)).collect();
            if missing.is_empty() { Ok(()) } else { Err(format!("no {missing:?} in {}", short())) }
        }
        Expect::Rows { table, rows, fields } if word == "ok" => same_rows(web, *table, rows, fields, text),
        expected => Err(format!("expected {expected:?}, found {}", short()).chars().take(900).collect()),
    }
}

/// What gSOAP has read into its types and written again, read by our own client.
fn same_rows(web: &Web, at: usize, rows: &[Vec<u32>], fields: &[usize], text: &str) -> Result<(), String> {
    let record = record(&web.catalog, at);
    let schema: &Schema = web.catalog.tables()[at].table;
    let known = &web.tables[schema.name];
    let text = text.split_once("?>").map_or(text, |(_, rest)| rest);
    let envelope = format!(
        "<e:Envelope xmlns:e=\"{0}\"><e:Body>{text}</e:Body></e:Envelope>",
        trunkline_soap::namespace::SOAP_1_1
    );
    // However many connections this machine has.
    let limits = Limits { octets: 1 << 30, ..Limits::MESSAGE };
    let found = read_rows(envelope.as_bytes(), limits, Encoding::Typed, record);
    let found = found.map_err(|error| format!("{error}: {}", text.chars().take(600).collect::<String>()))?;
    let by_index: HashMap<Vec<u32>, _> = found.iter().map(|row| (row.index.to_vec(), &row.cells)).collect();
    if by_index.len() != rows.len() {
        return Err(format!("{} rows, SNMP says {}", by_index.len(), rows.len()));
    }
    for index in rows {
        let Some(cells) = by_index.get(index) else { return Err(format!("no row {index:?}")) };
        for field in fields {
            let expected = match known.cell(index, *field) {
                Some(Bound::Value(value)) => Some(value),
                _ => None,
            };
            let steady = |kind| {
                matches!(
                    kind,
                    ValueKind::Integer
                        | ValueKind::OctetString
                        | ValueKind::ObjectIdentifier
                        | ValueKind::IpAddress
                )
            };
            let same = match (expected, &cells[*field]) {
                (Some(expected), Some(found)) if !steady(expected.kind()) => expected.kind() == found.kind(),
                // Octets that are not there gSOAP writes as none.
                (None, Some(Value::OctetString(octets))) => octets.is_empty(),
                (expected, found) => expected == found.as_ref(),
            };
            if !same {
                let name = record.fields[*field].name;
                return Err(format!("{name} of {index:?}: {:?}, SNMP says {expected:?}", cells[*field]));
            }
        }
    }
    Ok(())
}
