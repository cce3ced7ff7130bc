//! Requests of a client for a subscription to data (RFC 8641).

use trunkline_xml::Writer;
use trunkline_yang::own::operations::DATASTORE;

use crate::request::Select;
use crate::{PUSH, SUBSCRIBED};

/// What is requested.
#[derive(Clone, Copy, Debug)]
pub struct Establish<'r> {
    /// The name of the datastore: `operational`.
    pub store: &'r str,
    /// What of it.
    pub select: Select<'r>,
    /// When it is sent.
    pub when: When,
}

/// When data is sent. Times are hundredths of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Once in each period.
    Periodic {
        /// The period.
        period: u32,
    },
    /// When it changes.
    OnChange {
        /// From one update to the next at least this.
        dampening: u32,
        /// Whether all of it is sent first.
        syncs: bool,
    },
}

/// `establish-subscription`.
#[must_use]
pub fn establish(request: Establish<'_>) -> Vec<u8> {
    let Establish { store, select, when } = request;
    let mut octets = Vec::new();
    let mut writer = Writer::new(&mut octets);
    writer.start("establish-subscription").attribute("xmlns", SUBSCRIBED);
    writer.start("datastore").attribute("xmlns", PUSH);
    writer.attribute(&format!("xmlns:{}", DATASTORE.0), DATASTORE.1);
    writer.text(&format!("{}:{store}", DATASTORE.0)).end("datastore");
    match select {
        Select::Everything => {}
        Select::Subtree(content) => {
            writer.start("yp:datastore-subtree-filter").attribute("xmlns:yp", PUSH);
            // What has no namespace of its own matches in any.
            writer.attribute("xmlns", "").raw(content).end("yp:datastore-subtree-filter");
        }
        Select::XPath(select, prefixes) => {
            writer.start("datastore-xpath-filter").attribute("xmlns", PUSH);
            for (prefix, namespace) in prefixes {
                writer.attribute(&format!("xmlns:{prefix}"), namespace);
            }
            writer.text(select).end("datastore-xpath-filter");
        }
    }
    match when {
        When::Periodic { period } => {
            writer.start("periodic").attribute("xmlns", PUSH);
            writer.leaf("period", &period.to_string()).end("periodic");
        }
        When::OnChange { dampening, syncs } => {
            writer.start("on-change").attribute("xmlns", PUSH);
            writer.leaf("dampening-period", &dampening.to_string());
            writer.leaf("sync-on-start", if syncs { "true" } else { "false" }).end("on-change");
        }
    }
    writer.end("establish-subscription");
    octets
}
