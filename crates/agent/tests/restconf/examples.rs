//! The examples of RFC 8040 appendix B with our data: each file of `data/restconf_rfc8040` is a request and what its answer has. They
//! build on each other, in the order of their names.

use std::path::Path;

use serde_json::Value as Json;

use crate::restconf::ask::{Answer, Client, agent};

/// Whether an answer's value has all that is expected of it. `*` stands for anything.
fn has(found: &Json, expected: &Json) -> bool {
    match (found, expected) {
        (_, Json::String(any)) if any == "*" => true,
        (Json::Object(found), Json::Object(expected)) => {
            expected.iter().all(|(name, value)| found.get(name).is_some_and(|found| has(found, value)))
        }
        (Json::Array(found), Json::Array(expected)) => {
            expected.iter().all(|value| found.iter().any(|found| has(found, value)))
        }
        (found, expected) => found == expected,
    }
}

fn text<'j>(of: &'j Json, name: &str) -> &'j str {
    of[name].as_str().unwrap_or_default()
}

fn texts(of: &Json) -> Vec<&str> {
    of.as_array().into_iter().flatten().filter_map(Json::as_str).collect()
}

fn send(client: &Client<'_>, request: &Json, tag: &str) -> Answer {
    let headers: Vec<String> = texts(&request["headers"]).iter().map(|it| it.replace("TAG", tag)).collect();
    let mut arguments = vec!["-X", text(request, "method")];
    if text(request, "method") == "HEAD" {
        arguments = vec!["-I"];
    }
    headers.iter().for_each(|header| arguments.extend(["-H", header]));
    if let Some(seconds) = request["seconds"].as_str() {
        arguments.extend(["--max-time", seconds]);
    }
    let body = match &request["body"] {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        value => value.to_string(),
    };
    if !body.is_empty() {
        arguments.extend(["--data-binary", &body]);
    }
    client.curl(&arguments, text(request, "path"))
}

#[test]
fn the_examples_of_rfc_8040() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/restconf_rfc8040");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 17, "{files:?}");
    let mut tag = String::new();
    for file in files {
        let case: Json = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let (request, expected) = (&case["request"], &case["answer"]);
        let answer = send(&max, request, &tag);
        let name = file.display();
        assert_eq!(Some(u64::from(answer.status)), expected["status"].as_u64(), "{name}: {answer:?}");
        for (field, value) in expected["headers"].as_object().into_iter().flatten() {
            let found = answer.field(field).unwrap_or_else(|| panic!("{name}: {field}: {answer:?}"));
            let value = value.as_str().unwrap();
            assert!(value == "*" || found.ends_with(value), "{name}: {field}: {found}");
        }
        match &expected["json"] {
            Json::Null => {}
            json => assert!(has(&answer.json(), json), "{name}: {}", answer.body),
        }
        for words in texts(&expected["contains"]) {
            assert!(answer.body.contains(words), "{name}: {words}: {answer:?}");
        }
        for words in texts(&expected["lacks"]) {
            assert!(!answer.body.contains(words), "{name}: {words}: {answer:?}");
        }
        tag = answer.field("etag").map_or(tag, str::to_owned);
    }
}
