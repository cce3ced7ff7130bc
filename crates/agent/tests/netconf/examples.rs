//! The examples of the RFCs as cases, over the models that are served: a folder in `data/rfc_examples` for each, whose name has the RFC, the
//! section and what it shows. Its files are sent in the order of their names, `NUMBER[-SESSION].xml`, by a user who may do everything;
//! beside each is what is answered, `.answer`, a line for each element. `{session-of-a}` is the number of the first session.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::client::{Client, agent};

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut found: Vec<PathBuf> =
        all.filter(|it| extension.is_empty() || it.extension().is_some_and(|it| it == extension)).collect();
    found.sort();
    found
}

/// An element a line, without indentation.
fn lines(text: &str) -> String {
    text.replace("><", ">\n<")
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_examples_of_the_rfcs_are_answered_as_they_say() {
    let folders = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/rfc_examples"), "");
    assert!(folders.len() >= 25, "{}", folders.len());
    let mut wrong = Vec::new();
    for folder in folders {
        let agent = agent("");
        let mut sessions: BTreeMap<String, Client> = BTreeMap::new();
        let name = folder.file_name().unwrap().to_str().unwrap();
        for file in files(&folder, "xml") {
            let step = file.file_stem().unwrap().to_str().unwrap();
            let session = step.split_once('-').map_or("a", |(_, session)| session);
            let client = sessions.entry(session.to_owned()).or_insert_with(|| Client::open(&agent, "max"));
            let found = lines(&client.ask(fs::read_to_string(&file).unwrap().trim()));
            let of_a = sessions.get("a").map_or(0, Client::id).to_string();
            let expected = fs::read_to_string(file.with_extension("answer")).unwrap();
            let expected = lines(&expected.replace("{session-of-a}", &of_a));
            if found != expected {
                wrong.push(format!("{name} {step}\n--- expected\n{expected}\n--- found\n{found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
