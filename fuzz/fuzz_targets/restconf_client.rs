//! A client of RESTCONF: whatever a server answers becomes a reply that is well-formed, or an error; whatever is requested has requests
//! or is refused; events are the same in any pieces.
//! Input: an operation, the status, the body and the stream with a NUL between them.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_netconf::BASE;
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::hello::Hello;
use trunkline_netconf::json;
use trunkline_netconf::modules::Modules;
use trunkline_netconf::over_http::events::EventStream;
use trunkline_netconf::over_http::reply::{Answer, Reply};
use trunkline_netconf::over_http::{Around, Server, Then, requests, root};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;

static FOREST: LazyLock<Forest> = LazyLock::new(|| ALL.into_iter().fold(Forest::of(&[]), Forest::with));
static MODULES: LazyLock<Modules> = LazyLock::new(|| {
    let mut modules = Modules::default();
    FOREST.modules().iter().for_each(|module| modules.add(module.name, &module.namespace));
    modules
});

const MOST: usize = 1 << 16;

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(4, |octet| *octet == 0);
    let mut next = || parts.next().unwrap_or_default();
    let (operation, status, body, stream) = (next(), next(), next(), next());
    let rpc = [format!("<rpc xmlns='{BASE}'>").as_bytes(), operation, b"</rpc>"].concat();
    let mut thens = vec![Then::Data(Around::default()), Then::Output, Then::Done, Then::Removed];
    if let Ok(document) = Document::read(&rpc, limits(MOST))
        && let Some(operation) = document.root().children().next()
    {
        for (has_fields, has_patch) in [(true, true), (false, false)] {
            let server = Server { modules: &MODULES, forest: &FOREST, has_fields, has_patch };
            for request in requests(operation, server).unwrap_or_default() {
                assert!(request.target.starts_with('/') && request.target.is_ascii());
                if let Some((octets, _)) = &request.body {
                    Document::read(octets, limits(1 << 24)).expect("well-formed");
                }
                thens.push(request.then);
            }
        }
    }
    let status = 200 + u16::from(status.first().copied().unwrap_or(0));
    for then in &thens {
        let mut reply = Reply::begin(MOST);
        let is_xml = Document::read(body, limits(MOST)).is_ok();
        if reply.add(Answer { status, body }, then).is_ok() && is_xml {
            let octets = reply.end();
            if let Ok(document) = Document::read(&octets, limits(1 << 24)) {
                let found = json::data(document.root(), &FOREST, &MODULES);
                assert!(found.octets.starts_with(b"{") && found.octets.ends_with(b"}"));
            }
        }
    }
    let _ = root::of_host_meta(body);
    let _ = root::read_state(body, &mut Hello::default());
    let _ = root::read_library(body, &mut Hello::default());
    assert_eq!(events(stream, stream.len().max(1)), events(stream, 1));
});

fn events(octets: &[u8], piece: usize) -> Option<Vec<Vec<u8>>> {
    let mut stream = EventStream::new(1000);
    let mut found = Vec::new();
    for mut octets in octets.chunks(piece) {
        while let Some(data) = stream.receive(&mut octets).ok()? {
            found.push(data);
        }
    }
    Some(found)
}
