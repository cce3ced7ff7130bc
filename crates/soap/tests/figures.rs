//! The path selections of D7.1 on the trees of its figures 5.2 and 5.8: `data/figure-*.txt` are secondary URIs, from which
//! the graph is made; `data/figure-*.selections.txt` are expressions and what they select.

#![allow(clippy::expect_used, reason = "a test may fail by panic and say why")]

use std::collections::BTreeSet;

use trunkline_query::services::{Graph, secondary_uri};
use trunkline_soap::expression::parse_path;

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

fn graph(uris: &str) -> Graph {
    Graph::from_secondary_uris(lines(uris)).expect("secondary URIs")
}

fn check(uris: &str, selections: &str) {
    let graph = graph(uris);
    for line in lines(selections) {
        let (expression, expected) = line.split_once("=>").expect("an expression and services");
        let path = parse_path(expression.trim_end()).unwrap_or_else(|error| panic!("{expression}: {error}"));
        let selected = graph.select(&path).unwrap_or_else(|error| panic!("{expression}: {error}"));
        let tags = |id| graph.service(id).tag.as_str();
        let selected: BTreeSet<&str> = selected.services.into_iter().map(tags).collect();
        assert_eq!(selected, expected.split_whitespace().collect(), "{expression}");
        let printed = path.to_string();
        assert_eq!(parse_path(&printed).as_ref(), Ok(&path), "{printed}");
    }
}

#[test]
fn figure_5_2() {
    check(include_str!("data/figure-5.2.txt"), include_str!("data/figure-5.2.selections.txt"));
}

#[test]
fn figure_5_8() {
    check(include_str!("data/figure-5.8.txt"), include_str!("data/figure-5.8.selections.txt"));
}

#[test]
fn uris_round_trip() {
    for uris in [include_str!("data/figure-5.2.txt"), include_str!("data/figure-5.8.txt")] {
        let graph = graph(uris);
        let published = graph
            .relations()
            .iter()
            .map(|relation| secondary_uri("http://agent.example:8080", &graph, relation));
        assert_eq!(published.collect::<Vec<_>>(), lines(uris).collect::<Vec<_>>());
    }
}

#[test]
fn services_of_figure_5_8_have_the_texts_number_of_uris() {
    let graph = graph(include_str!("data/figure-5.8.txt"));
    let secondary = |tag: &str| graph.published_by(graph.find(tag).expect("a service")).count();
    assert_eq!(secondary("ST-E1"), 0);
    assert_eq!((secondary("ST-E2"), secondary("ST-E3")), (2, 2));
    ["ST-E4", "ST-E5", "ST-E6", "ST-E7"].iter().for_each(|tag| assert_eq!(secondary(tag), 1));
}
