//! `yang-patch-status`: what became of a patch (RFC 8072 section 2.3).

use trunkline_xml::Writer;
use trunkline_yang::forest::Forest;
use trunkline_yang::json;

use super::YANG_PATCH;
use crate::media::Encoding;
use crate::refusal::Refusal;

/// What became of a patch.
#[derive(Debug)]
pub enum Status<'s> {
    /// All of it is done.
    Done,
    /// Nothing is done, because of this edit.
    Edit(&'s str, &'s Refusal),
    /// Nothing is done: what all edits together make of the datastore is refused.
    All(&'s Refusal),
}

impl Status<'_> {
    /// The body of the answer to a patch.
    #[must_use]
    pub fn write(&self, id: &str, encoding: Encoding, forest: &Forest) -> Vec<u8> {
        let mut octets = Vec::with_capacity(256);
        match encoding {
            Encoding::Json => {
                octets.extend_from_slice(b"{\"ietf-yang-patch:yang-patch-status\":{\"patch-id\":");
                json::string(id, &mut octets);
                match self {
                    Status::Done => octets.extend_from_slice(b",\"ok\":[null]}}"),
                    Status::All(refusal) => {
                        octets.extend_from_slice(b",\"errors\":");
                        refusal.json(forest, &mut octets);
                        octets.extend_from_slice(b"}}");
                    }
                    Status::Edit(edit, refusal) => {
                        octets.extend_from_slice(b",\"edit-status\":{\"edit\":[{\"edit-id\":");
                        json::string(edit, &mut octets);
                        octets.extend_from_slice(b",\"errors\":");
                        refusal.json(forest, &mut octets);
                        octets.extend_from_slice(b"}]}}}");
                    }
                }
            }
            Encoding::Xml => {
                let mut writer = Writer::new(&mut octets);
                writer.start("yang-patch-status").attribute("xmlns", YANG_PATCH).leaf("patch-id", id);
                match self {
                    Status::Done => {
                        writer.start("ok").end("ok");
                    }
                    Status::All(refusal) => refusal.xml(None, &mut writer),
                    Status::Edit(edit, refusal) => {
                        writer.start("edit-status").start("edit").leaf("edit-id", edit);
                        refusal.xml(None, &mut writer);
                        writer.end("edit").end("edit-status");
                    }
                }
                writer.end("yang-patch-status");
            }
        }
        octets
    }
}
