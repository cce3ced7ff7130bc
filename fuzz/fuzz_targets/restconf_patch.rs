//! YANG Patch: whatever body somebody sends is read or refused; an edit that is read has a text that is well-formed, and is made or refused.
//! Input: the path of the resource and the body with a NUL between them.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_datastore::{Config, edit};
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::operation::ErrorOption;
use trunkline_restconf::json::Json;
use trunkline_restconf::media::Encoding;
use trunkline_restconf::patch::{Patch, Status};
use trunkline_restconf::refusal::Refusal;
use trunkline_restconf::target::Target;
use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;

static FOREST: LazyLock<Forest> = LazyLock::new(|| ALL.into_iter().fold(Forest::of(&[]), Forest::with));

fuzz_target!(|input: &[u8]| {
    let at = input.iter().position(|octet| *octet == 0).unwrap_or(0);
    let (path, octets) = (&input[..at], input.get(at + 1..).unwrap_or_default());
    let Ok(resource) = Target::read(std::str::from_utf8(path).unwrap_or_default(), &FOREST) else { return };
    let encoding = if octets.first() == Some(&b'<') { Encoding::Xml } else { Encoding::Json };
    let Ok(patch) = Patch::read(octets, encoding) else { return };
    written(&patch.id, &Status::Done);
    let mut config = Config::default();
    for one in &patch.edits {
        let made = one.edit(&resource, &FOREST).and_then(|made| {
            let document = Document::read(&made.xml, limits(1 << 24)).expect("well-formed");
            edit(&mut config, &FOREST, document.root(), made.default, ErrorOption::RollbackOnError)
                .map_err(Refusal::from)
        });
        if let Err(refusal) = made {
            written(&patch.id, &Status::Edit(&one.id, &refusal));
            return written(&patch.id, &Status::All(&refusal));
        }
    }
});

fn written(id: &str, status: &Status<'_>) {
    Json::read(&status.write(id, Encoding::Json, &FOREST)).expect("JSON");
    // A text of JSON may have characters that XML does not.
    let _ = Document::read(&status.write(id, Encoding::Xml, &FOREST), limits(1 << 24));
}
