//! Every answer validated with the schemas that we publish, by xmllint; compressed answers and uncompressed ones.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

use trunkline_soap::catalog::{TableVerb, Target};
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::operation::{Operation, Request, RowRange, TableRequest, write};
use trunkline_testkit::has;
use trunkline_transport::http::client::{HttpAnswer, HttpLink, LinkOptions, Place};
use trunkline_transport::http::coding::Coding;
use trunkline_transport::http::{HeaderMap, HeaderValue, header};

use super::calls::calls;
use super::web::Web;

#[test]
fn every_typed_answer_is_valid_by_its_modules_schema() {
    valid(Encoding::Typed);
}

#[test]
fn every_lean_answer_is_valid_by_the_lean_schema() {
    valid(Encoding::Lean);
}

fn valid(encoding: Encoding) {
    if !has("xmllint", "libxml2-utils") {
        return;
    }
    let web = Web::start();
    let folder = tempfile::tempdir().unwrap();
    // By the name of the schema that its answers are in.
    let mut payloads: HashMap<String, Vec<PathBuf>> = HashMap::new();
    web.runtime.block_on(async {
        let (mut plain, mut gzip) = (link(&web, &[]).await, link(&web, &[Coding::Gzip]).await);
        let mut compressed = 0;
        for (number, (name, message)) in messages(&web, encoding).into_iter().enumerate() {
            let answer = post(&mut plain, &message).await;
            let again = post(&mut gzip, &message).await;
            let body = String::from_utf8(answer.body.to_vec()).unwrap();
            if again.body_octets < again.body.len() {
                compressed += 1;
            }
            assert_eq!(answer.body_octets, answer.body.len());
            if again.body.len() == answer.body.len() && !moves(&body) {
                assert_eq!(again.body, answer.body, "{name} compressed");
            }
            let payload = between(&body, "<SOAP-ENV:Body>", "</SOAP-ENV:Body>");
            let (schema, payload) = match between_or_none(payload, "<detail>", "</detail>") {
                Some(problem) => ("soap".to_owned(), problem),
                None => (name, payload),
            };
            let file = folder.path().join(format!("{number}.xml"));
            std::fs::write(&file, payload).unwrap();
            payloads.entry(schema).or_default().push(file);
        }
        assert!(compressed > 20, "only {compressed} answers came compressed");
    });
    let mut wrong = String::new();
    for (name, files) in &payloads {
        let schema = folder.path().join(format!("{name}.xsd"));
        std::fs::write(&schema, web.get(&format!("/soap?xsd={name}"))).unwrap();
        let mut command = Command::new("xmllint");
        let output = command.args(["--noout", "--schema"]).arg(&schema).args(files).output().unwrap();
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr);
            words
                .lines()
                .filter(|line| !line.ends_with(" validates"))
                .take(5)
                .for_each(|line| wrong += &format!("{name}: {line}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Requests of every operation, with the name of the schema that their answers are in.
fn messages(web: &Web, encoding: Encoding) -> Vec<(String, Vec<u8>)> {
    if encoding == Encoding::Typed {
        let envelope = |xml: String| {
            format!(
                "<e:Envelope xmlns:e=\"{}\"><e:Body>{xml}</e:Body></e:Envelope>",
                Version::V1_1.namespace()
            )
            .into_bytes()
        };
        let name = |namespace: &str| namespace.rsplit(':').next().unwrap().to_owned();
        return calls(web, true).iter().map(|call| (name(&call.namespace), envelope(call.xml()))).collect();
    }
    let mut messages = Vec::new();
    for operation in web.operations.iter().filter_map(|name| web.catalog.operation(name)) {
        let operation = match operation {
            Target::Table(TableVerb::Whole, table) => Operation::Table(TableRequest {
                verb: TableVerb::Whole,
                table,
                columns: None,
                range: RowRange::All,
            }),
            Target::GetGroup(group) => Operation::Group(group),
            _ => continue,
        };
        let mut request = Request::new(&web.catalog, Version::V1_1, encoding, operation);
        request.community = Some("public".to_owned());
        let mut message = Vec::new();
        write(&web.catalog, &request, &mut message);
        messages.push(("lean".to_owned(), message));
    }
    messages
}

/// Whether the answer has something that is another one each time.
fn moves(body: &str) -> bool {
    ["sysUpTime", "snmpEngineTime", "hrSystem", "snmpIn", "snmpOut", "Sessions", "GetResponse"]
        .iter()
        .any(|word| body.contains(word))
}

async fn link(web: &Web, accept: &[Coding]) -> HttpLink {
    let address = web.agent.address("http");
    let authority = address.to_string();
    let place = Place { addresses: &[address], authority: &authority, tls: None };
    HttpLink::connect(place, LinkOptions { accept: accept.to_vec(), ..LinkOptions::default() }).await.unwrap()
}

async fn post(link: &mut HttpLink, message: &[u8]) -> HttpAnswer {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(Version::V1_1.content_type()));
    headers.insert("soapaction", HeaderValue::from_static("\"\""));
    link.post("/soap", headers, message.to_vec()).await.unwrap()
}

fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    between_or_none(text, from, to).unwrap_or_else(|| panic!("no {from} in {text}"))
}

fn between_or_none<'t>(text: &'t str, from: &str, to: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(from)?;
    Some(rest.rsplit_once(to)?.0)
}
