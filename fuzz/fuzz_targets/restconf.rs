//! Requests of RESTCONF: whatever path, query, `Accept` and body somebody sends is read or refused; a body that is read is an edit whose
//! text is well-formed, and what it makes of a configuration is written in both encodings and read the same.
//! Input: method, path, query, `Accept` and body with a NUL between them.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_datastore::{Branch, Config, Item, edit};
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::operation::{DefaultOperation, ErrorOption};
use trunkline_restconf::body;
use trunkline_restconf::edit::{Edit, Method};
use trunkline_restconf::media::{Encoding, quality};
use trunkline_restconf::output::Output;
use trunkline_restconf::paging::Paging;
use trunkline_restconf::query::{Query, StreamQuery, insertion};
use trunkline_restconf::refusal::Refusal;
use trunkline_restconf::tag::EntityTag;
use trunkline_restconf::target::{Target, datastore, uri};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;

static FOREST: LazyLock<Forest> = LazyLock::new(|| ALL.into_iter().fold(Forest::of(&[]), Forest::with));

const METHODS: [Method; 5] = [Method::Create, Method::Replace, Method::Merge, Method::Delete, Method::Remove];

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(5, |octet| *octet == 0);
    let mut next = || parts.next().unwrap_or_default();
    let (method, path, query, accept, octets) = (next(), next(), next(), next(), next());
    let text = |octets| std::str::from_utf8(octets).unwrap_or_default();
    assert!(quality(text(accept), Encoding::Json.media_type()) <= 1000);
    let _ = StreamQuery::read(Some(text(query)));
    let _ = datastore(text(path));
    let Ok(target) = Target::read(text(path), &FOREST) else { return };
    assert_eq!(Target::read(&uri(&target, &FOREST), &FOREST).as_ref(), Ok(&target));
    if let Ok(query) = Query::read(Some(text(query))) {
        let _ = query.within(target.node(), &FOREST);
    }
    let order = insertion(Some(text(query))).ok().flatten();
    let method = METHODS[method.first().map_or(0, |octet| usize::from(*octet) % METHODS.len())];
    let encoding = if octets.first() == Some(&b'<') { Encoding::Xml } else { Encoding::Json };
    let parent = if method == Method::Create { target.node() } else { target.parent().node() };
    let document = body::read(octets, encoding, parent, &FOREST).ok();
    // The element of NETCONF that is the same as parameters of a query.
    if let Some(document) = &document {
        let _ = Paging::read(document.root(), &FOREST);
    }
    let edited =
        match Edit::of(method, &target, document.as_ref().map(Document::root), order.as_ref(), &FOREST) {
            Ok(edited) => edited,
            Err(refusal) => return refused(&refusal),
        };
    let request = Document::read(&edited.xml, limits(1 << 24)).expect("well-formed");
    let mut config = Config::default();
    let option = ErrorOption::RollbackOnError;
    match edit(&mut config, &FOREST, request.root(), edited.default, option) {
        Err(errors) => refused(&Refusal::from(errors)),
        Ok(()) => {
            assert_eq!(
                EntityTag::of(&Target::default(), &config),
                EntityTag::of(&Target::default(), &config.clone())
            );
            [Encoding::Json, Encoding::Xml].into_iter().for_each(|encoding| written(&config, encoding));
        }
    }
});

fn refused(refusal: &Refusal) {
    assert!((400..600).contains(&refusal.status) && !refusal.errors.is_empty());
    trunkline_restconf::json::Json::read(&refusal.write(Encoding::Json, &FOREST)).expect("JSON");
    Document::read(&refusal.write(Encoding::Xml, &FOREST), limits(1 << 24)).expect("XML");
}

fn written(config: &Config, encoding: Encoding) {
    let all = Target::default();
    let mut output = Output::begin(&all, &Query::default(), encoding, &FOREST);
    put(config.root(), &mut output);
    output.end();
    let document = body::read(output.octets(), encoding, None, &FOREST).expect("readable");
    let again = Edit::of(Method::Replace, &all, Some(document.root()), None, &FOREST).expect("an edit");
    let request = Document::read(&again.xml, limits(1 << 24)).expect("well-formed");
    let mut read = Config::default();
    edit(&mut read, &FOREST, request.root(), DefaultOperation::Replace, ErrorOption::RollbackOnError)
        .expect("a configuration");
    assert_eq!(&read, config);
}

fn put(branch: &Branch, output: &mut Output<'_>) {
    for (step, item) in branch.iter() {
        match item {
            Item::Leaf(value) => output.leaf_text(step.node, value),
            Item::Within(within) => {
                output.open(step.node);
                put(within, output);
                output.close(step.node);
            }
        }
    }
}
