//! Our check of messages beside the XML Schema, as libxml2 has it: both accept and refuse the same documents.

#![allow(clippy::unwrap_used)]

mod messages;
mod mutations;

use std::path::Path;

use proptest::prelude::*;
use trunkline_libxml::{LoadError, Refusal, Schema};
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::error::RpcError;
use trunkline_netconf::schema;

use messages::{BROKEN, DIFFERENT, GOOD, document};

fn ours(text: &str) -> Result<(), Option<RpcError>> {
    let document = Document::read(text.as_bytes(), limits(1 << 20)).map_err(|_| None)?;
    schema::check(document.root()).map_err(Some)
}

/// The schema; `None`: there is no libxml2 here.
fn theirs() -> Option<Schema> {
    match Schema::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema/netconf.xsd")) {
        Ok(schema) => Some(schema),
        Err(LoadError::NoLibrary) => {
            trunkline_testkit::leave_out("there is no libxml2 (apt-get install libxml2-utils)");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn good_messages_are_accepted_by_both() {
    assert!(GOOD.len() + BROKEN.len() >= 60);
    let theirs = theirs();
    for (kind, text) in GOOD {
        let text = document(*kind, text);
        assert_eq!(ours(&text), Ok(()), "{text}");
        if let Some(theirs) = &theirs {
            assert_eq!(theirs.check(text.as_bytes()), Ok(()), "{text}");
        }
    }
}

#[test]
fn broken_messages_are_refused_by_both_and_ours_says_why() {
    let theirs = theirs();
    let mut wrong = vec![];
    for (kind, text, tag) in BROKEN {
        let text = document(*kind, text);
        let error = ours(&text).unwrap_err().unwrap();
        if error.tag != *tag {
            wrong.push(format!("{tag:?}, {error}: {text}"));
        }
        if let Some(theirs) = &theirs {
            assert!(matches!(theirs.check(text.as_bytes()), Err(Refusal::Invalid(_))), "{text}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn long_numbers_of_messages_are_refused_by_both() {
    let theirs = theirs();
    for (length, is_good) in [(4095, true), (4096, false)] {
        for letter in ["a", "ü"] {
            let text = format!(
                "<rpc xmlns='urn:ietf:params:xml:ns:netconf:base:1.0' message-id='{}'><get/></rpc>",
                letter.repeat(length)
            );
            assert_eq!(ours(&text).is_ok(), is_good);
            if let Some(theirs) = &theirs {
                assert_eq!(theirs.check(text.as_bytes()).is_ok(), is_good);
            }
        }
    }
}

#[test]
fn what_differs_is_known() {
    let Some(theirs) = theirs() else { return };
    for (name, text, is_ours, reason) in DIFFERENT {
        let text = document(messages::Kind::Doc, text);
        let found = (ours(&text).is_ok(), theirs.check(text.as_bytes()).is_ok());
        assert_eq!(found, (*is_ours, !is_ours), "{name}: {reason}");
    }
}

#[test]
fn mutations_of_good_messages_are_accepted_or_refused_by_both() {
    let Some(theirs) = theirs() else { return };
    let trees: Vec<mutations::Tree> =
        GOOD.iter().map(|(kind, text)| mutations::Tree::read(&document(*kind, text))).collect();
    let (mut accepted, mut refused) = (0, 0);
    let steps = prop::collection::vec(any::<[u16; 3]>(), 1..4);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&(any::<prop::sample::Index>(), steps), |(which, steps)| {
            let mut tree = trees[which.index(trees.len())].clone();
            steps.into_iter().for_each(|step| tree.mutate(step));
            let text = tree.write();
            let (ours, theirs) = (ours(&text), theirs.check(text.as_bytes()));
            prop_assert_eq!(
                ours.is_ok(),
                theirs.is_ok(),
                "{}\nours: {:?}\nlibxml2: {:?}",
                text,
                ours,
                theirs
            );
            Ok(())
        })
        .unwrap();
    // Both kinds come up.
    for seed in 0..2000_u16 {
        let mut tree = trees[usize::from(seed) % trees.len()].clone();
        tree.mutate([seed, seed.wrapping_mul(7919), seed.wrapping_mul(104_729_u32 as u16)]);
        match ours(&tree.write()) {
            Ok(()) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 200 && refused > 200, "{accepted} accepted, {refused} refused");
}
