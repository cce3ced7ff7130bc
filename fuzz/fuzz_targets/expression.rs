//! Expressions of path selection, data selection and filters: a valid one is printed and parsed back the same, an
//! invalid one gets a position. A path selection is also evaluated, on a graph with cycles.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_query::services::{Graph, SecondaryTag};
use trunkline_soap::expression::{parse_data, parse_filter, parse_path};

static GRAPH: LazyLock<Graph> = LazyLock::new(|| {
    let uris = ["A-0_B-1.r1", "B-1_A-0.r2", "B-1_C-2.r1", "C-2_C-2.r2", "A-0_C-2.r2"];
    Graph::from_secondary_uris(uris).expect("secondary URIs")
});

fuzz_target!(|text: &str| {
    match parse_path(text) {
        Ok(path) => {
            assert_eq!(parse_path(&path.to_string()).as_ref(), Ok(&path), "{path}");
            let _ = GRAPH.select(&path);
        }
        Err(error) => assert!(error.pointed().ends_with('^')),
    }
    match parse_data(text) {
        Ok(data) => assert_eq!(parse_data(&data.to_string()).as_ref(), Ok(&data), "{data}"),
        Err(error) => assert!(error.pointed().ends_with('^')),
    }
    match parse_filter(text) {
        Ok(filter) => assert_eq!(parse_filter(&filter.to_string()).as_ref(), Ok(&filter), "{filter}"),
        Err(error) => assert!(error.pointed().ends_with('^')),
    }
    if let Ok(tag) = SecondaryTag::parse(text) {
        assert_eq!(SecondaryTag::parse(&tag.to_string()), Ok(tag));
    }
});
