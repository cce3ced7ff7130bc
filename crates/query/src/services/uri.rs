//! Primary and secondary URIs (D7.1, equations (10) and (11)): where a service is found, and its relations. A
//! relation is published by its recipient:
//!
//! ```text
//! http://server:port/TCP                                           primary
//! http://server:port/Monitoring-0_TCP-1.contains                   secondary
//!                    sender-level_recipient-level.relation
//! ```
//! A tag may have `-` inside, as the paper's `ST-E1`, but neither `_` nor `.`: the last `-` before each of these
//! ends the tag. Octets that a URI cannot have are written `%20` (RFC 3986 section 2.1).

use super::graph::GraphBuilder;
use super::{Graph, GraphError, Relation, ServiceId};

/// The content of a secondary URI after the last slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondaryTag {
    /// The sending service.
    pub sender: String,
    /// Its level.
    pub sender_level: u32,
    /// The recipient, which publishes the URI.
    pub recipient: String,
    /// Its level.
    pub recipient_level: u32,
    /// The relation.
    pub relation: String,
}

/// Why a text is not a secondary URI.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UriError {
    /// Another form.
    #[error("`{found}` is not a secondary URI: expected {expected}")]
    Form {
        /// The text to parse.
        found: String,
        /// What should have been there.
        expected: &'static str,
    },
    /// Together they make no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// The URI at which a service is found; `base` is `http://server:port`.
pub fn primary_uri(base: &str, graph: &Graph, id: ServiceId) -> String {
    format!("{base}/{}", percent_encoded(&graph.service(id).tag))
}

/// The URI that publishes a relation.
pub fn secondary_uri(base: &str, graph: &Graph, relation: &Relation) -> String {
    let (sender, recipient) = (graph.service(relation.from), graph.service(relation.to));
    let tag = SecondaryTag {
        sender: sender.tag.clone(),
        sender_level: sender.level,
        recipient: recipient.tag.clone(),
        recipient_level: recipient.level,
        relation: relation.name.clone(),
    };
    format!("{base}/{tag}")
}

impl Graph {
    /// The graph that a list of secondary URIs describes, with services without data, in the order of their first
    /// mention. Everything before the last slash is ignored.
    pub fn from_secondary_uris<'a>(uris: impl IntoIterator<Item = &'a str>) -> Result<Graph, UriError> {
        let mut builder = GraphBuilder::default();
        for uri in uris {
            let tag = SecondaryTag::parse(uri.rsplit('/').next().unwrap_or(uri))?;
            let from = known(&mut builder, &tag.sender, tag.sender_level)?;
            let to = known(&mut builder, &tag.recipient, tag.recipient_level)?;
            builder.relate(&tag.relation, from, to)?;
        }
        Ok(builder.build())
    }

    /// The service that a path of a URI names: its tag, or that of the recipient of a secondary URI.
    pub fn at_path(&self, path: &str) -> Option<ServiceId> {
        let path = path.strip_prefix('/').unwrap_or(path);
        if let Some(found) = percent_decoded(path).and_then(|tag| self.find(&tag)) {
            return Some(found);
        }
        let tag = SecondaryTag::parse(path).ok()?;
        let (from, to) = (self.find(&tag.sender)?, self.find(&tag.recipient)?);
        let is_there = self.by_relation.get(&tag.relation)?.binary_search(&(from, to)).is_ok();
        let levels = (self.service(from).level, self.service(to).level);
        (is_there && levels == (tag.sender_level, tag.recipient_level)).then_some(to)
    }

    /// The relations whose recipient a service is: it has a secondary URI for each.
    pub fn published_by(&self, id: ServiceId) -> impl Iterator<Item = &Relation> {
        self.relations.iter().filter(move |relation| relation.to == id)
    }
}

fn known(builder: &mut GraphBuilder, tag: &str, level: u32) -> Result<ServiceId, GraphError> {
    match builder.find(tag) {
        None => builder.service(tag, &[], Some(level), Vec::new()),
        Some((id, Some(first))) if first != level => {
            let _ = id;
            Err(GraphError::Levels { name: tag.to_owned(), first, second: level })
        }
        Some((id, _)) => Ok(id),
    }
}

impl SecondaryTag {
    /// Parses the part after the last slash.
    pub fn parse(text: &str) -> Result<Self, UriError> {
        let wrong = |expected| UriError::Form { found: text.to_owned(), expected };
        let (sender, rest) =
            text.split_once('_').ok_or(wrong("`_` between the sending service and the recipient"))?;
        let (recipient, relation) = rest.rsplit_once('.').ok_or(wrong("`.` before the relation"))?;
        if recipient.contains('_') {
            return Err(wrong("one `_` only"));
        }
        let service = |part: &str| {
            let (tag, level) = part.rsplit_once('-').ok_or(wrong("`-` and a level after each service"))?;
            let is_number = !level.is_empty() && level.bytes().all(|octet| octet.is_ascii_digit());
            let level = level.parse().ok().filter(|_| is_number).ok_or(wrong("a level in digits"))?;
            let tag = percent_decoded(tag).filter(|tag| !tag.is_empty()).ok_or(wrong("a service"))?;
            Ok::<(String, u32), UriError>((tag, level))
        };
        let ((sender, sender_level), (recipient, recipient_level)) = (service(sender)?, service(recipient)?);
        let relation = percent_decoded(relation).filter(|relation| !relation.is_empty());
        let relation = relation.ok_or(wrong("a relation after the `.`"))?;
        Ok(SecondaryTag { sender, sender_level, recipient, recipient_level, relation })
    }
}

impl std::fmt::Display for SecondaryTag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sender, recipient) = (percent_encoded(&self.sender), percent_encoded(&self.recipient));
        let relation = percent_encoded(&self.relation);
        write!(f, "{sender}-{}_{recipient}-{}.{relation}", self.sender_level, self.recipient_level)
    }
}

/// A text as a part of a URI: unreserved characters as they are (RFC 3986 section 2.3), all else by its octets.
pub fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for octet in text.bytes() {
        match octet {
            b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(octet)),
            _ if octet.is_ascii_alphanumeric() => encoded.push(char::from(octet)),
            _ => encoded.push_str(&format!("%{octet:02X}")),
        }
    }
    encoded
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut octets = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(octet) = rest.next() {
        if octet != b'%' {
            octets.push(octet);
            continue;
        }
        let digit = |octet: u8| char::from(octet).to_digit(16);
        let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
        octets.push((high * 16 + low) as u8);
    }
    String::from_utf8(octets).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tags_of_the_paper_come_out_again() {
        let tag = SecondaryTag::parse("ST-E1-0_ST-E2-1.r1").expect("a secondary URI");
        assert_eq!((tag.sender.as_str(), tag.sender_level), ("ST-E1", 0));
        assert_eq!((tag.recipient.as_str(), tag.recipient_level), ("ST-E2", 1));
        assert_eq!(tag.relation, "r1");
        assert_eq!(tag.to_string(), "ST-E1-0_ST-E2-1.r1");
    }

    #[test]
    fn invalid_secondary_uris_are_refused() {
        for text in ["", "TCP", "A_B", "A-0_B-1", "A_B.r", "A-x_B-1.r", "A-0_B-1.", "-0_B-1.r", "A-0_B-+1.r"]
        {
            assert!(SecondaryTag::parse(text).is_err(), "{text}");
        }
        for text in ["A-0_B-1_C-2.r", "A%2-0_B-1.r", "A-0_B-99999999999.r", "%ff-0_B-1.r"] {
            assert!(SecondaryTag::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn levels_must_agree() {
        let fault = Graph::from_secondary_uris(["A-0_B-1.r", "B-2_C-3.r"]).expect_err("two levels");
        assert_eq!(fault.to_string(), "service `B` has both level 1 and level 2");
    }

    #[test]
    fn paths_name_services() {
        let mut builder = GraphBuilder::default();
        builder.service("TCP Srv", &[], None, Vec::new()).expect("a service");
        builder.service("B", &[], None, Vec::new()).expect("a service");
        builder.relation("r 1", "TCP Srv", "B").expect("a relation");
        let graph = builder.build();
        let (first, second) = (graph.find("TCP Srv"), graph.find("B"));
        assert_eq!(graph.at_path("/TCP%20Srv"), first);
        assert_eq!(graph.at_path("/TCP%20Srv-0_B-1.r%201"), second);
        assert_eq!(graph.at_path("/TCP%20Srv-0_B-2.r%201"), None);
        assert_eq!(graph.at_path("/B-1_TCP%20Srv-0.r%201"), None);
        let relation = &graph.relations()[0];
        assert_eq!(secondary_uri("http://h:1", &graph, relation), "http://h:1/TCP%20Srv-0_B-1.r%201");
    }

    proptest! {
        #[test]
        fn secondary_tags_round_trip(
            sender in "[a-zA-Z0-9 ä-]{1,12}", recipient in "[a-zA-Z0-9-]{1,12}", relation in "[a-z0-9 -]{1,8}",
            sender_level: u32, recipient_level: u32,
        ) {
            let tag = SecondaryTag { sender, sender_level, recipient, recipient_level, relation };
            prop_assert_eq!(SecondaryTag::parse(&tag.to_string()), Ok(tag));
        }

        #[test]
        fn no_text_is_too_much(text in ".{0,64}") {
            let _ = SecondaryTag::parse(&text);
        }
    }
}
