//! Documents and expressions that are made to hurt, at the agent's own socket: each is answered with its status and its
//! fault, in bounded memory and in bounded time of the processor.

use trunkline_soap::answer::{self, AnswerError};
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_testkit::namespace::isolated;
use trunkline_transport::http::client::{HttpLink, LinkOptions, Place};
use trunkline_transport::http::coding::Coding;
use trunkline_transport::http::{HeaderMap, HeaderValue, header};

use super::ask::{Asker, LIMITS, envelope};
use super::doors::CONFIG;
use super::support::Agent;

/// The doors of requests about data.
const DOORS: [&str; 3] = ["/soap", "/snmp", "/"];

/// These and the subscribers' one, whose faults are those of WS-Eventing.
const ALL: [&str; 4] = ["/soap", "/snmp", "/", "/soap/events"];

/// What all that a test sends may cost, with an agent that is not even optimised: many times what it does.
const MOST_MEMORY: u64 = 24 << 20;
const MOST_SECONDS: f64 = 5.0;

/// The agent's resources, and that it keeps running.
struct Cost {
    agent: Agent,
    memory: u64,
    seconds: f64,
}

impl Cost {
    fn of(agent: Agent) -> Cost {
        let (memory, seconds) = (agent.resident(), processor(&agent));
        Cost { agent, memory, seconds }
    }

    fn check(mut self) {
        let (memory, seconds) = (self.agent.resident(), processor(&self.agent));
        assert!(memory < self.memory + MOST_MEMORY, "{memory} octets after {}", self.memory);
        assert!(seconds < self.seconds + MOST_SECONDS, "{seconds} s after {}", self.seconds);
        assert_eq!(self.agent.counted("http")["panics"], 0);
        assert!(self.agent.is_alive());
        let mut asker = Asker::new(self.agent.address("http"), Vec::new());
        let get = "<Get xmlns='urn:trunkline:soap'><community>public</community><name>sysName.0</name></Get>";
        assert_eq!(asker.post("text/xml", Some("\"\""), envelope(get).as_bytes()).status.as_u16(), 200);
    }
}

/// Seconds of the processor's time: the hundredths that Linux shows, utime and stime.
fn processor(agent: &Agent) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", agent.pid())).unwrap();
    let fields: Vec<&str> = text.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let number = |at: usize| fields[at].parse::<f64>().unwrap();
    (number(11) + number(12)) / 100.0
}

/// The fault that octets are answered with at a door.
fn fault(asker: &mut Asker, path: &str, octets: &[u8]) -> (u16, Fault) {
    let answer = asker.post_to(path, "text/xml", Some("\"\""), octets);
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(answer.body.len() < 4096, "{} octets tell of a fault", answer.body.len());
    assert!(!text.contains("root:"), "what is on the disk is told: {text}");
    match answer::read_done(&answer.body, LIMITS, Encoding::Typed) {
        Err(AnswerError::Fault(fault)) => (answer.status.as_u16(), fault),
        other => panic!("{path}: {other:?}: {} {text}", answer.status),
    }
}

/// Documents, and what is wrong with them.
fn documents() -> Vec<(&'static str, Vec<u8>, FaultKind)> {
    use FaultKind::{Malformed, TooMany, VersionMismatch};
    let operation = |inner: &str| envelope(&format!("<Get xmlns='urn:trunkline:soap'>{inner}</Get>"));
    let laughs: String =
        (1..10).map(|at| format!("<!ENTITY l{at} '{}'>", format!("&l{};", at - 1).repeat(10))).collect();
    let doctype = |inner: &str| format!("<!DOCTYPE x [{inner}]>{}", operation("<name>&l9;</name>"));
    let many = |count: usize, each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<String>();
    let attributes = many(5_000, &|at| format!(" a{at}=''"));
    let namespaces = many(100, &|at| format!("<a xmlns:n{at}='urn:{at}'>"));
    let long = "x".repeat(900_000);
    let with_octets = |octets: &[u8]| {
        let text = operation("<name>@</name>");
        let (before, behind) = text.split_once('@').unwrap();
        [before.as_bytes(), octets, behind.as_bytes()].concat()
    };
    let utf_16: Vec<u8> = operation("").encode_utf16().flat_map(u16::to_be_bytes).collect();
    let other_body =
        operation("").replace("<e:Body>", "<Body xmlns='urn:other'>").replace("</e:Body>", "</Body>");
    let text = |text: String| text.into_bytes();
    // What nobody has to understand is read all the same.
    let header = |inner: &str| {
        let header = format!("<e:Header><x>{inner}</x></e:Header><e:Body>");
        envelope("<Get xmlns='urn:trunkline:soap'/>").replace("<e:Body>", &header)
    };
    vec![
        ("entities", text(doctype(&format!("<!ENTITY l0 'ha'>{laughs}"))), Malformed),
        ("a file", text(doctype("<!ENTITY l9 SYSTEM 'file:///etc/passwd'>")), Malformed),
        ("parameter entities", text(doctype("<!ENTITY % p SYSTEM 'http://127.0.0.1:1/'>%p;")), Malformed),
        ("an unknown entity", text(header("<name>&b;</name>")), Malformed),
        ("no character", text(header("<name>&#0;</name>")), Malformed),
        ("depth", text(header(&"<a>".repeat(200_000))), TooMany),
        ("attributes", text(header(&format!("<a{attributes}/>"))), TooMany),
        ("a name", text(header(&format!("<{long}/>"))), TooMany),
        ("an attribute's name", text(header(&format!("<a {long}=''/>"))), TooMany),
        ("an attribute's value", text(header(&format!("<a b='{long}'/>"))), TooMany),
        ("a namespace name", text(header(&format!("<a xmlns='{long}'/>"))), TooMany),
        ("a text", text(header(&format!("<name>{long}</name>"))), TooMany),
        ("namespaces", text(header(&namespaces)), TooMany),
        ("one attribute twice", text(header("<name a='' a=''>x</name>")), Malformed),
        ("a prefix of nothing", text(header("<p:name>x</p:name>")), Malformed),
        ("another end", text(header("<name>x</nome>")), Malformed),
        ("the middle", operation("<name>x</name>").into_bytes()[..90].to_vec(), Malformed),
        ("something behind", text(format!("{}<more/>", operation("<name>1.3</name>"))), Malformed),
        ("nothing", Vec::new(), Malformed),
        ("no XML", b"{\"Get\": 1}".to_vec(), Malformed),
        ("NUL", with_octets(&[0]), Malformed),
        ("no UTF-8", with_octets(&[0xff, 0xfe]), Malformed),
        ("an overlong form", with_octets(&[0xc0, 0xaf]), Malformed),
        ("UTF-16", utf_16, Malformed),
        ("another Envelope", text(operation("").replace("schemas.xmlsoap", "other")), VersionMismatch),
        ("no Envelope", b"<a/>".to_vec(), Malformed),
        ("another Body", text(other_body), Malformed),
    ]
}

#[test]
fn documents_that_are_made_to_hurt() {
    let agent = Agent::start(CONFIG);
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    let cost = Cost::of(agent);
    for (what, document, kind) in documents() {
        for path in DOORS {
            let (status, fault) = fault(&mut asker, path, &document);
            // Before the other doors find the error they find that the operation is not theirs.
            let found = match fault.kind {
                FaultKind::UnknownOperation if path != "/soap" => kind.clone(),
                ref found => found.clone(),
            };
            assert_eq!((status, found), (500, kind.clone()), "{what} at {path}: {fault}");
        }
        let answer = asker.post_to("/soap/events", "text/xml", Some("\"\""), &document);
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(answer.status.as_u16(), 500, "{what}: {text}");
        assert!(text.contains(":Fault>") && text.len() < 4096 && !text.contains("root:"), "{what}: {text}");
    }
    // The same after the prefixes that the other doors understand.
    for (path, beginning) in
        [("/", "<SelectAll xmlns='urn:trunkline:select'>"), ("/snmp", "<Message xmlns='urn:trunkline:snmp'>")]
    {
        for bomb in ["<path>".repeat(100_000), format!("<path>{}", "x".repeat(900_000)), "&b;".to_owned()] {
            let (status, fault) = fault(&mut asker, path, envelope(&format!("{beginning}{bomb}")).as_bytes());
            let kinds = [FaultKind::TooMany, FaultKind::Malformed];
            assert!(status == 500 && kinds.contains(&fault.kind), "{path}: {fault:?}");
        }
    }
    cost.check();
}

#[test]
fn small_bodies_that_expand_are_limited() {
    let agent = Agent::start(CONFIG);
    let address = agent.address("http");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let cost = Cost::of(agent);
    // Within the size of a request, and more than a hundred times what is sent.
    let bombs = [
        "<a>".repeat(300_000),
        format!("<Get xmlns='urn:trunkline:soap'>{}", "<name>1.3</name>".repeat(60_000)),
        format!("<a{}", " b=''".repeat(200_000)),
        " ".repeat(40 << 20),
    ];
    for coding in [Coding::Gzip, Coding::Deflate] {
        for path in ALL {
            let options = LinkOptions { compress: Some(coding), ..LinkOptions::default() };
            let place = Place { addresses: &[address], authority: "localhost", tls: None };
            let mut link = runtime.block_on(HttpLink::connect(place, options)).unwrap();
            for bomb in &bombs {
                let mut headers = HeaderMap::new();
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/xml"));
                headers.insert("soapaction", HeaderValue::from_static("\"\""));
                let answer = runtime.block_on(link.post(path, headers, envelope(bomb))).unwrap();
                assert_eq!(answer.status.as_u16(), 413, "{path} {coding:?}");
            }
        }
    }
    cost.check();
}

#[test]
fn content_types_that_are_not_ours() {
    let agent = Agent::start(CONFIG);
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    let long = format!("text/xml; charset={}", "u".repeat(8_000));
    for content_type in [
        "application/json",
        "text/plain",
        "text/html",
        "application/xml",
        "multipart/related; type=\"text/xml\"",
        "text/xml; charset=utf-16",
        "text/xml; charset=iso-8859-1",
        "text/xmlx",
        "/",
        &long,
    ] {
        for path in ALL {
            let answer = asker.post_to(path, content_type, Some("\"\""), envelope("").as_bytes());
            assert_eq!(answer.status.as_u16(), 415, "{content_type} at {path}");
        }
    }
    for path in DOORS {
        // One version's type before the other's envelope, an action of somebody else, and none at all.
        let (body, action) = (envelope("<a/>"), Some("\"urn:other#Get\""));
        let newer = body.replace(Version::V1_1.namespace(), Version::V1_2.namespace());
        let operation = match path {
            "/soap" => "<Get xmlns='urn:trunkline:soap'><name>1.3</name></Get>",
            "/snmp" => "<Message xmlns='urn:trunkline:snmp'/>",
            _ => "<SelectAll xmlns='urn:trunkline:select'/>",
        };
        for (content_type, action, body) in [
            ("application/soap+xml", None, body.replace("<a/>", operation)),
            ("text/xml", action, body.replace("<a/>", operation)),
            ("text/xml", None, body.replace("<a/>", operation)),
            ("text/xml", Some("\"\""), newer.replace("<a/>", operation)),
        ] {
            let answer = asker.post_to(path, content_type, action, body.as_bytes());
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            assert!(
                [400, 500].contains(&answer.status.as_u16()) && text.contains(":Fault>"),
                "{path}: {text}"
            );
            let kind = if path == "/snmp" { "<kind>" } else { "<kind>wrongAction</kind>" };
            assert!(text.contains(kind), "{path} {content_type} {action:?}: {text}");
        }
    }
}

#[test]
fn expressions_that_are_made_to_be_slow() {
    // Their cost is that of the rows they are about: the connections of this machine, or only the test's own.
    isolated("soap::hostile::expressions_that_are_made_to_be_slow", slow_expressions);
}

fn slow_expressions() {
    // Relations that lead in circles, each service to each other.
    let services = ["IP", "TCP", "TCP-Connections", "TCP-Data", "Interfaces"];
    let all = services.map(|name| format!("{name:?}")).join(", ");
    let circles: String = services
        .map(|from| format!("[[relation]]\nname = \"round\"\nfrom = {from:?}\nto = [{all}]\n"))
        .concat();
    let agent = Agent::start(&format!("{CONFIG}{circles}"));
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    let cost = Cost::of(agent);
    let steps = |count: usize| vec!["round"; count].join(".");
    let fringes = |count: usize| format!("{}round{}", "(round.".repeat(count), ")!".repeat(count));
    let terms = |count: usize, word: &str| {
        (0..count).map(|at| format!("ifHighSpeed != {at}")).collect::<Vec<_>>().join(word)
    };
    let connections = terms(200, " OR ").replace("ifHighSpeed", "tcpConnInSegs");
    let deep = |count: usize| format!("{}ifMtu = 1{}", "NOT (".repeat(count), ")".repeat(count));
    let names = |count: usize| format!("{{{}}}", vec!["ifDescr[1-4294967295]"; count].join(", "));
    let cases = [
        ("a path through circles", format!("{{Root,,,{}}}", steps(64)), String::new(), String::new(), true),
        ("a path that is too long", format!("{{Root,,,{}}}", steps(65)), String::new(), String::new(), false),
        ("a path of fringes", format!("{{Root,,,{}}}", fringes(8)), String::new(), String::new(), true),
        ("deep fringes", format!("{{Root,,,{}}}", fringes(5_000)), String::new(), String::new(), false),
        ("many terms", "{Interfaces}".to_owned(), String::new(), terms(200, " AND "), true),
        ("as many of others", "{TCP}".to_owned(), String::new(), connections.clone(), true),
        ("too many terms", "{Interfaces}".to_owned(), String::new(), terms(300, " AND "), false),
        ("very many terms", "{Interfaces}".to_owned(), String::new(), terms(9_000, " OR "), false),
        ("a deep filter", "{Interfaces}".to_owned(), String::new(), deep(10_000), false),
        ("very many names", "{Interfaces}".to_owned(), names(9_000), String::new(), false),
        ("a long name", format!("{{{}}}", "x".repeat(200_000)), String::new(), String::new(), false),
        (
            "a long word",
            "{Root}".to_owned(),
            String::new(),
            format!("ifDescr = {}", "x".repeat(200_000)),
            false,
        ),
        (
            "a long number",
            "{Root}".to_owned(),
            String::new(),
            format!("ifMtu = {}", "9".repeat(200_000)),
            false,
        ),
        (
            "many dots",
            "{Root}".to_owned(),
            String::new(),
            format!("ifMtu = 1{}", ".1".repeat(100_000)),
            false,
        ),
        (
            "an open quote",
            "{Root}".to_owned(),
            String::new(),
            format!("ifDescr = \"{}", "\\".repeat(200_000)),
            false,
        ),
        ("blanks", " ".repeat(200_000), " ".repeat(200_000), " ".repeat(200_000), true),
    ];
    for (what, path, data, filter, is_answered) in cases {
        let given = |name: &str, text: &str| {
            let text = text.replace('<', "&lt;");
            if text.is_empty() { text } else { format!("<{name}>{text}</{name}>") }
        };
        let body = format!(
            "<SelectAll xmlns='urn:trunkline:select'>{}{}{}<explain>true</explain><community>public</community></SelectAll>",
            given("path", &path),
            given("data", &data),
            given("filter", &filter),
        );
        if is_answered {
            let answer = asker.post_to("/", "text/xml", Some("\"\""), envelope(&body).as_bytes());
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            let status = answer.status.as_u16();
            assert_eq!(status, 200, "{what}: {}", text.chars().take(1000).collect::<String>());
        } else {
            let (status, fault) = fault(&mut asker, "/", envelope(&body).as_bytes());
            assert_eq!((status, &fault.kind), (500, &FaultKind::WrongExpression), "{what}: {fault:?}");
            assert!(fault.reason.len() < 1500, "{what}: {}", fault.reason);
        }
    }
    let values: String = (0..65).map(|at| format!("<value name='v{at}'>1</value>")).collect();
    let body = format!("<SelectAll xmlns='urn:trunkline:select'>{values}</SelectAll>");
    assert_eq!(fault(&mut asker, "/", envelope(&body).as_bytes()).1.kind, FaultKind::TooMany);
    cost.check();
}
