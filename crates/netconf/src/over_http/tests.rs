//! Operations as requests, and answers as replies.

use std::sync::LazyLock;

use proptest::prelude::*;
use trunkline_yang::own::ALL;
use trunkline_yang::smiv2;

use super::reply::{Answer, Reply};
use super::*;
use crate::document::{Document, limits};
use crate::path::Path;
use crate::request::{self, Select};

static FOREST: LazyLock<Forest> =
    LazyLock::new(|| ALL.into_iter().fold(Forest::of(&smiv2::modules()), Forest::with));

static MODULES: LazyLock<Modules> = LazyLock::new(|| {
    let mut modules = Modules::default();
    FOREST.modules().iter().for_each(|module| modules.add(module.name, &module.namespace));
    modules.add("foreign", "urn:foreign");
    modules
});

fn server() -> Server<'static> {
    Server { modules: &MODULES, forest: &FOREST, has_fields: true, has_patch: true }
}

fn asked(operation: &[u8], server: Server<'_>) -> Result<Vec<Request>, Vec<RpcError>> {
    let rpc = [format!("<rpc xmlns='{BASE}'>").as_bytes(), operation, b"</rpc>"].concat();
    let document = Document::read(&rpc, limits(100_000)).unwrap();
    requests(document.root().children().next().unwrap(), server)
}

fn filter_of(path: &str) -> Vec<u8> {
    Path::parse(path).unwrap().subtree(|module| MODULES.namespace(module)).unwrap().unwrap()
}

/// The request of a `get` of a path; whether the answer is filtered here.
fn get(path: &str, server: Server<'_>) -> (String, bool) {
    let all = asked(&request::get(Select::Subtree(&filter_of(path)), None), server).unwrap();
    let [only] = &all[..] else { panic!("{all:?}") };
    let Then::Data(around) = &only.then else { panic!("{only:?}") };
    (only.target.clone(), around.filter.is_some())
}

#[test]
fn paths_go_down_as_far_as_keys_are_known() {
    for (path, target, is_filtered) in [
        ("/ietf-system:system/contact", "/data/ietf-system:system/contact", false),
        ("/ietf-interfaces:interfaces", "/data/ietf-interfaces:interfaces", false),
        ("/ietf-interfaces:interfaces/interface", "/data/ietf-interfaces:interfaces?fields=interface", false),
        (
            "/ietf-interfaces:interfaces/interface[name='a/b']/ietf-ip:ipv4/mtu",
            "/data/ietf-interfaces:interfaces/interface=a%2Fb/ietf-ip:ipv4/mtu",
            false,
        ),
        (
            "/ietf-interfaces:interfaces/interface[name='a']/name",
            "/data/ietf-interfaces:interfaces/interface=a?fields=name",
            false,
        ),
        (
            "/ietf-interfaces:interfaces/interface[enabled='true']/ietf-ip:ipv4",
            "/data/ietf-interfaces:interfaces?fields=interface(enabled;ietf-ip:ipv4)",
            true,
        ),
        ("/IF-MIB:IF-MIB/ifTable/ifEntry[ifIndex='2']", "/data/IF-MIB:IF-MIB/ifTable/ifEntry=2", false),
        ("/foreign:a/b", "/data?fields=foreign:a(b)", false),
        ("/foreign:a/b[k='1']/c", "/data?fields=foreign:a(b(k;c))", true),
    ] {
        assert_eq!(get(path, server()), (target.to_owned(), is_filtered), "{path}");
    }
    let simple = Server { has_fields: false, ..server() };
    for (path, target) in [
        ("/ietf-interfaces:interfaces/interface", "/data/ietf-interfaces:interfaces"),
        ("/foreign:a/b", "/data"),
    ] {
        assert_eq!(get(path, simple), (target.to_owned(), true), "{path}");
    }
}

#[test]
fn operations_have_their_requests() {
    let one = |operation: &str| {
        let mut all =
            asked(operation.as_bytes(), server()).unwrap_or_else(|error| panic!("{operation}: {error:?}"));
        assert_eq!(all.len(), 1, "{operation}");
        let request = all.remove(0);
        let body = request.body.map(|(octets, _)| String::from_utf8(octets).unwrap()).unwrap_or_default();
        (request.method, request.target, body)
    };
    let config = "<get-config><source><running/></source></get-config>";
    assert_eq!(one(config), (Method::Get, "/data?content=config".into(), String::new()));
    let schema = String::from_utf8(request::get_schema("a", None, None)).unwrap();
    let (method, target, body) = one(&schema);
    assert_eq!((method, target.as_str()), (Method::Post, "/operations/ietf-netconf-monitoring:get-schema"));
    assert!(body.starts_with("<input xmlns=") && body.contains("<identifier>a</identifier>"), "{body}");
    let edit = |config: &str| {
        format!(
            "<edit-config><target><running/></target><config xmlns:nc='{BASE}'>{config}</config></edit-config>"
        )
    };
    let system = "urn:ietf:params:xml:ns:yang:ietf-system";
    let merged = format!("<system xmlns=\"{system}\"><contact>x</contact></system>");
    let whole = format!("<data xmlns=\"{RESTCONF}\">{merged}</data>");
    assert_eq!(one(&edit(&merged)), (Method::Patch, "/data".into(), whole));
    let deleted = format!("<system xmlns='{system}'><contact nc:operation='delete'/></system>");
    let none = edit(&deleted).replace("<config", "<default-operation>none</default-operation><config");
    assert_eq!(one(&none), (Method::Delete, "/data/ietf-system:system/contact".into(), String::new()));
    let several =
        format!("<system xmlns='{system}'><contact nc:operation='remove'/><location>y</location></system>");
    let (method, target, body) = one(&edit(&several));
    assert_eq!((method, target.as_str()), (Method::Patch, "/data"));
    for words in [
        "<edit-id>1</edit-id><operation>merge</operation><target>/ietf-system:system</target>",
        "<location>y</location>",
        "<operation>remove</operation><target>/ietf-system:system/contact</target></edit>",
    ] {
        assert!(body.contains(words), "{words}: {body}");
    }
    assert!(!body.contains("<contact"), "{body}");
}

#[test]
fn what_restconf_cannot_do_is_refused() {
    let foreign = "<edit-config><target><running/></target><config><a xmlns='urn:foreign' xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'>\
                   <b nc:operation='delete'><k>1</k></b></a></config></edit-config>";
    let candidate = "<get-config><source><candidate/></source></get-config>";
    for (operation, words) in [
        ("<lock><target><running/></target></lock>", "has no lock"),
        ("<commit/>", "has no commit"),
        (candidate, "no candidate"),
        ("<get><filter type='xpath' select='/a'/></get>", "paths and not by XPath"),
        ("<odd xmlns='urn:odd'/>", "no module with the namespace"),
        (foreign, "is not known here"),
    ] {
        let errors = asked(operation.as_bytes(), server()).unwrap_err();
        assert!(errors[0].to_string().contains(words), "{operation}: {errors:?}");
    }
}

fn reply(answers: &[(u16, &str, &Then)]) -> String {
    let mut reply = Reply::begin(100_000);
    for (status, body, then) in answers {
        if !reply.add(Answer { status: *status, body: body.as_bytes() }, then).unwrap() {
            break;
        }
    }
    let text = String::from_utf8(reply.end()).unwrap();
    let begin = format!("<rpc-reply xmlns=\"{BASE}\" message-id=\"1\">");
    text.strip_prefix(&begin).unwrap().strip_suffix("</rpc-reply>").unwrap().to_owned()
}

#[test]
fn answers_become_one_reply() {
    let operation = request::get(
        Select::Subtree(&filter_of("/ietf-interfaces:interfaces/interface[name='a']/enabled")),
        None,
    );
    let entry = asked(&operation, server()).unwrap().remove(0).then;
    let namespace = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
    let enabled = format!("<?xml version='1.0'?>\n<enabled xmlns='{namespace}'>true</enabled>\n");
    let expected = format!(
        "<data><interfaces xmlns=\"{namespace}\"><interface><name>a</name><enabled xmlns='{namespace}'>true</enabled></interface></interfaces></data>"
    );
    assert_eq!(reply(&[(200, &enabled, &entry)]), expected);
    assert_eq!(reply(&[(404, "", &entry)]), "<data></data>");
    assert_eq!(reply(&[(404, "", &entry), (200, &enabled, &entry), (404, "", &entry)]), expected);
    let all = Then::Data(Around::default());
    for body in [
        format!("<data xmlns='{RESTCONF}'><a xmlns='u'/></data>"),
        format!("<rc:data xmlns:rc='{RESTCONF}' xmlns:x='urn:x'><a xmlns='u'></a></rc:data>"),
    ] {
        let found = reply(&[(200, &body, &all)]);
        assert!(
            matches!(found.as_str(), "<data><a xmlns='u'/></data>" | "<data><a xmlns=\"u\"></a></data>"),
            "{found}"
        );
    }
    assert_eq!(reply(&[(200, &format!("<data xmlns='{RESTCONF}'/>"), &all)]), "<data></data>");
    assert_eq!(reply(&[(204, "", &Then::Done)]), "<ok/>");
    assert_eq!(
        reply(&[(200, "<output xmlns='u'><data>1</data></output>", &Then::Output)]),
        "<data xmlns=\"u\">1</data>"
    );
    let errors = format!(
        "<errors xmlns='{RESTCONF}' xmlns:p='urn:p'><error><error-type>application</error-type><error-tag>data-exists</error-tag>\
         <error-path>/p:a/p:b</error-path><error-message>a &lt; b</error-message></error></errors>"
    );
    let found = reply(&[(409, &errors, &Then::Done)]);
    assert!(found.contains("<error-tag>data-exists</error-tag>") && found.contains("a &lt; b"), "{found}");
    assert!(found.contains("<error-path xmlns:p=\"urn:p\">/p:a/p:b</error-path>"), "{found}");
    assert!(reply(&[(503, "", &Then::Done)]).contains("status 503"));
}

#[test]
fn what_the_server_cannot_select_is_selected_here() {
    let data = "<a xmlns='urn:foreign'><b><k>1</k><c>x</c><d>y</d></b><b><k>2</k><c>z</c></b><e>7</e></a>";
    for (path, expected) in [
        ("/foreign:a/b[k='2']", "<b><k>2</k><c>z</c></b>"),
        ("/foreign:a/b[k='1']/c", "<b><k>1</k><c>x</c></b>"),
        ("/foreign:a/b/c", "<b><k>1</k><c>x</c></b><b><k>2</k><c>z</c></b>"),
        ("/foreign:a/b[k='3']", ""),
        ("/foreign:a/e", "<e>7</e>"),
    ] {
        let operation = request::get(Select::Subtree(&filter_of(path)), None);
        let then = asked(&operation, Server { has_fields: false, ..server() }).unwrap().remove(0).then;
        let body = format!("<data xmlns='{RESTCONF}'>{data}</data>");
        let expected = match expected {
            "" => String::new(),
            inner => format!("<a xmlns=\"urn:foreign\">{inner}</a>"),
        };
        assert_eq!(reply(&[(200, &body, &then)]), format!("<data>{expected}</data>"), "{path}");
    }
}

proptest! {
    /// Whatever a server answers, the reply is well-formed or there is none.
    #[test]
    fn any_answer_is_a_reply_or_refused(status in 100..600_u16, body in "(<[a-z]{1,3}( xmlns='[a-z]')?>|</[a-z]{1,3}>|[a-z&;]|<data xmlns='urn:ietf:params:xml:ns:yang:ietf-restconf'>|</data>){0,12}") {
        for then in [Then::Data(Around::default()), Then::Output, Then::Done] {
            let mut reply = Reply::begin(10_000);
            if reply.add(Answer { status, body: body.as_bytes() }, &then).is_ok()
                && Document::read(body.as_bytes(), limits(10_000)).is_ok()
            {
                let octets = reply.end();
                prop_assert!(Document::read(&octets, limits(100_000)).is_ok(), "{}", String::from_utf8_lossy(&octets));
            }
        }
    }
}
