//! What browsers send to the page, and what devices answer: a login form, a form that sets an object, one with a row, and a `Cookie` field are read or
//! refused, and whatever a device answers, or is to be set to, is text on the page for readers without scripts. Input: the form, the field, a path, a query and a body with a NUL
//! between them.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_browser::field::Kind;
use trunkline_browser::form::{Change, Fields, Login};
use trunkline_browser::plain::{
    Change as Changing, Entry, Form, Groups, Said, SaidOfChange, SaidOfEntry, Shown,
};
use trunkline_browser::schema::{Reads, Rights};
use trunkline_browser::{cookie, schema};
use trunkline_restconf::json::Json;
use trunkline_yang::forest::Forest;

static FOREST: LazyLock<Forest> = LazyLock::new(schema::forest);

/// Elements of the page itself.
const OURS: [&str; 35] = [
    "!DOCTYPE", "html", "head", "meta", "title", "link", "body", "header", "nav", "a", "form", "button",
    "main", "h1", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "span", "div", "input",
    "select", "option", "label", "ins", "del", "h2", "small", "strong", "textarea",
];

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(5, |octet| *octet == 0);
    let mut next = || parts.next().unwrap_or_default();
    let form = next();
    let _ = Login::read(form);
    let change = Change::read(form);
    let field = String::from_utf8_lossy(next());
    for id in cookie::find(&field, false, "localhost") {
        assert_eq!(id.secret().len(), 43);
    }
    let (path, query) = (String::from_utf8_lossy(next()), String::from_utf8_lossy(next()));
    let Some(shown) = Shown::find(&FOREST, &path, Some(&query)) else { return };
    let body = next();
    for reads in [Reads::All, Reads::Nothing] {
        let rights = Rights { may_change: &|_| true, reads: &|_| reads };
        check(&shown.page(&FOREST, Ok(body), rights));
    }
    check(&Groups::find(Some(&query)).page(Ok(body), Ok(body), &|_| true));
    if let Ok(given) = &Fields::read(form) {
        for said in
            [SaidOfChange::Nothing, SaidOfChange::Review, SaidOfChange::Removal, SaidOfChange::Wrong(&query)]
        {
            let others = &[path.to_string()];
            let change =
                Changing { now: Some(body), tag: &path, token: "", is_blind: false, others, given, said };
            check(&shown.removal(&FOREST, &change));
            if let Some(leaf) = shown.setting(&FOREST) {
                check(&shown.leaf(&FOREST, &leaf, &change));
            }
        }
        if let Some(Ok(entry)) = shown.list(&FOREST).map(|list| list.entry(given)) {
            assert!(Json::read(&entry.body).is_ok());
        }
    }
    if let (Some(creation), Ok(given)) = (shown.creation(&FOREST), Fields::read(form)) {
        if let Ok(row) = creation.row(&given) {
            assert!(row.bindings.iter().all(|(object, value)| value.kind() == object.syntax.kind));
        }
        let fields = creation.fields(|_| true);
        for said in [SaidOfEntry::Review, SaidOfEntry::Wrong(&query)] {
            check(&shown.entry(&FOREST, &Entry { fields: &fields, given: &given, token: "", said }));
        }
    }
    if let (Some(object), Ok(change)) = (shown.object(&FOREST), &change) {
        let value = object.value(&change.new, change.octets);
        // Octets come back as they are shown; what a display hint writes has more than one form.
        if let (Ok(value), true) = (&value, object.field().kind == Kind::Octets) {
            let (text, octets) = object.editable(&object.text(value.as_value_ref()));
            assert_eq!(object.value(&text, octets).as_ref(), Ok(value));
        }
        let now = change.old.as_deref();
        for (said, is_blind) in [(Said::Review(change), false), (Said::Nothing, true)] {
            let given = Some(change);
            check(&shown.form(&FOREST, &Form { object: &object, now, is_blind, token: "", given, said }));
        }
    }
});

/// All elements are ours.
fn check(page: &[u8]) {
    let page = std::str::from_utf8(page).expect("a page is UTF-8");
    for element in page.split('<').skip(1) {
        let name = element.trim_start_matches('/');
        let name = name.split(['>', ' ']).next().unwrap_or_default();
        assert!(OURS.contains(&name), "<{element}");
    }
}
