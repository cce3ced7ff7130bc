//! Logins, cookies, and who is whom.

use crate::browser::raw::{Browser, agent, ask, log_in_as, origin, with_page};
use crate::restconf::ask::Answer;
use crate::restconf::client::PASSWORD;
use crate::support::Agent;

const UPTIME: &str = "GET /restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysUpTime";
const CONTACT: &str = "PUT /restconf/data/ietf-system:system/contact";
const NEW: &str = "{\"ietf-system:contact\":\"noc\"}";

#[test]
fn a_login_opens_the_page_and_the_data_and_a_logout_closes_them() {
    let agent = agent();
    let page = ask(&agent, "GET /browser/", &[], "");
    assert!(
        page.status == 200 && page.body.contains("type=\"password\"") && page.body.contains("not encrypted"),
        "{page:?}"
    );
    assert_eq!(
        ask(&agent, "GET /browser/session", &[], "").body,
        "{\"name\":null,\"devices\":0,\"protected\":false}"
    );
    let answer = log_in_as(&agent, "max", PASSWORD, &[("Origin", &origin(&agent))]);
    let cookie = answer.field("set-cookie").unwrap().to_owned();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    assert_eq!((answer.status, answer.field("location")), (303, Some("./")));
    let max = Browser::log_in(&agent, "max");
    agent.wait_for("a browser has logged in");
    assert!(max.ask("GET /browser/", &[], "").body.contains("src=\"app.js\""));
    assert_eq!(max.ask(UPTIME, &[], "").status, 200);
    assert_eq!(max.own(CONTACT, NEW).status, 201);
    let logout = max.ask("POST /browser/logout", &[("Origin", &origin(&agent))], "");
    assert!(logout.field("set-cookie").unwrap().contains("Max-Age=0"), "{logout:?}");
    // Whoever has copied the cookie has nothing any more.
    assert_eq!(max.session(), "{\"name\":null,\"devices\":0,\"protected\":false}");
    let answer = max.ask(UPTIME, &[], "");
    assert_eq!(answer.status, 401);
    // No dialog of the browser, but our login.
    assert_eq!(answer.field("www-authenticate"), Some("Cookie realm=\"trunkline\""));
    // A wrong cookie is nobody's, and public pages are public.
    assert_eq!(max.ask("GET /browser/", &[], "").status, 200);
    assert_eq!(max.ask("GET /browser/style.css", &[], "").status, 200);
}

#[test]
fn a_session_does_nothing_for_pages_of_others() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let own = origin(&agent);
    let json = ("Content-Type", "application/yang-data+json");
    for (fields, status) in [
        (vec![], 403),
        (vec![("Origin", own.as_str())], 403),
        (vec![("Origin", own.as_str()), ("Trunkline-Token", "wrong")], 403),
        (vec![("Trunkline-Token", max.token.as_str())], 403),
        (vec![("Origin", "http://evil.example"), ("Trunkline-Token", max.token.as_str())], 403),
        (vec![("Origin", "null"), ("Trunkline-Token", max.token.as_str())], 403),
        (vec![("Sec-Fetch-Site", "cross-site"), ("Trunkline-Token", max.token.as_str())], 401),
        (vec![("Sec-Fetch-Site", "same-origin"), ("Trunkline-Token", max.token.as_str())], 201),
    ] {
        let fields: Vec<_> = fields.into_iter().chain([json]).collect();
        assert_eq!(max.ask(CONTACT, &fields, NEW).status, status, "{fields:?}");
    }
    // Nor does it read for them, whatever the front lets through.
    for (field, status) in [("cross-site", 401), ("same-site", 401), ("none", 200), ("same-origin", 200)] {
        assert_eq!(max.ask(UPTIME, &[("Sec-Fetch-Site", field)], "").status, status, "{field}");
    }
    let listed =
        Agent::start(&with_page("").replace("doors = [\"rest", "origins = [\"*\"]\ndoors = [\"rest"));
    let max = Browser::log_in(&listed, "max");
    assert_eq!(max.ask(UPTIME, &[("Origin", "http://evil.example")], "").status, 401);
}

#[test]
fn a_login_of_another_page_or_with_a_wrong_password_opens_nothing() {
    let agent = agent();
    let own = origin(&agent);
    for (fields, status) in [
        (vec![], 403),
        (vec![("Origin", "http://evil.example")], 403),
        (vec![("Origin", own.as_str()), ("Sec-Fetch-Site", "cross-site")], 403),
    ] {
        let answer = log_in_as(&agent, "max", PASSWORD, &fields);
        assert!(answer.status == status && answer.field("set-cookie").is_none(), "{answer:?}");
    }
    let own = [("Origin", own.as_str())];
    for (name, password) in [("max", "maple"), ("nobody", PASSWORD), ("*", PASSWORD)] {
        let answer = log_in_as(&agent, name, password, &own);
        assert!(answer.status == 403 && answer.field("set-cookie").is_none(), "{answer:?}");
        assert!(
            answer.body.contains("Wrong name or password.") && answer.field("www-authenticate").is_none()
        );
    }
    assert_eq!(log_in_as(&agent, "", PASSWORD, &own).status, 400);
    assert_eq!(log_in_as(&agent, &"a".repeat(5_000), PASSWORD, &own).status, 400);
    let plain = [("Origin", own[0].1), ("Content-Type", "text/plain")];
    assert_eq!(ask(&agent, "POST /browser/login", &plain, "name=max&password=maple+syrup").status, 415);
    // The gate's limit holds here too: three were wrong above.
    let statuses: Vec<u16> =
        (0..8).map(|n| log_in_as(&agent, "max", &format!("guess{n}"), &own).status).collect();
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
    // What was tried stands in no log.
    agent.signal("HUP");
    let log = agent.lines_until("configuration reloaded").join("\n");
    assert!(
        log.contains("is refused over HTTP") && !log.contains("guess") && !log.contains("syrup"),
        "{log}"
    );
}

#[test]
fn a_session_ends_with_what_its_principal_logs_in_with() {
    let config = with_page("");
    let agent = Agent::start(&config);
    let (max, ann, bob) =
        (Browser::log_in(&agent, "max"), Browser::log_in(&agent, "ann"), Browser::log_in(&agent, "bob"));
    let gone = config.replace("name = \"max\"\nrole = \"writer\"", "name = \"moritz\"\nrole = \"writer\"");
    let gone = gone.replace("name = \"ann\"\nrole = \"reader\"", "name = \"ann\"\nrole = \"little\"");
    agent.rewrite(&gone);
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    assert!(max.session().contains("null"));
    assert!(ann.session().contains("null"));
    assert!(bob.session().contains("\"bob\""));
}

#[test]
fn sessions_count_for_every_door_and_are_bounded() {
    let agent = agent();
    let ann = Browser::log_in(&agent, "ann");
    let body = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
                <Get xmlns='urn:trunkline:soap'><name>1.3.6.1.2.1.1.5.0</name></Get></e:Body></e:Envelope>";
    let soap = [("Content-Type", "text/xml; charset=utf-8"), ("SOAPAction", "\"\"")];
    let own = origin(&agent);
    assert_eq!(ann.ask("POST /soap", &soap, body).status, 403);
    let proved = [soap[0], soap[1], ("Origin", own.as_str()), ("Trunkline-Token", ann.token.as_str())];
    let answer = ann.ask("POST /soap", &proved, body);
    assert!(answer.status == 200 && answer.body.contains("<oid>1.3.6.1.2.1.1.5.0</oid>"), "{answer:?}");
    // Its role may not write, and the page knows.
    assert!(ann.session().contains("\"writes\":false"), "{}", ann.session());
    assert_eq!(ann.own(CONTACT, NEW).status, 403);
    let rights = ann.ask("GET /browser/rights/ietf-system", &[], "").body;
    assert_eq!(rights, "{\"write\":[],\"blind\":[],\"whole\":true}");
    let tom = Browser::log_in(&agent, "tom").ask("GET /browser/rights/ietf-system", &[], "");
    assert_eq!(tom.body, "{\"write\":[\"/ietf-system:system/contact\"],\"blind\":[],\"whole\":false}");
    let more: Vec<Browser<'_>> = (0..16).map(|_| Browser::log_in(&agent, "ann")).collect();
    assert!(ann.session().contains("null"));
    assert!(more.iter().all(|browser| browser.session().contains("\"ann\"")));
}

/// What an answer depends on, in order.
fn varies(answer: &Answer) -> Vec<String> {
    let fields = answer.fields.iter().filter(|(name, _)| name == "vary");
    let mut all: Vec<String> = fields.flat_map(|(_, value)| value.split(", ")).map(str::to_owned).collect();
    all.sort();
    all
}

#[test]
fn pages_are_guarded_small_and_kept() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let page = max.ask("GET /browser/", &[], "");
    let policy = page.field("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'; ") && !policy.contains("unsafe"),
        "{policy}"
    );
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-cache"),
    ] {
        assert_eq!(page.field(name), Some(value), "{name}");
    }
    let gzip = ("Accept-Encoding", "gzip, deflate");
    let files =
        ["", "style.css", "icon.svg", "app.js", "data.js", "dom.js", "rates.js", "overview.js", "session"];
    let first: usize =
        files.iter().map(|file| max.ask(&format!("GET /browser/{file}"), &[gzip], "").octets).sum();
    assert!(first < 20_000, "{first} octets");
    for file in ["", "app.js", "schema", "schema/IF-MIB"] {
        let head = format!("GET /browser/{file}");
        let answer = max.ask(&head, &[gzip], "");
        assert_eq!((answer.status, answer.field("content-encoding")), (200, Some("gzip")), "{file}");
        let tag = answer.field("etag").unwrap().to_owned();
        // Other octets have another tag (RFC 9110 section 8.8.3.3). Either is known, and a 304 has the fields of its 200 (section 15.4.5).
        let plain = max.ask(&head, &[], "");
        let plain_tag = plain.field("etag").unwrap();
        assert_ne!(plain_tag, tag, "{file}");
        for known in [&tag[..], plain_tag, &format!("\"x\", W/{tag}")] {
            for accepted in [&[gzip][..], &[]] {
                let fields = [accepted, &[("If-None-Match", known)]].concat();
                let again = max.ask(&head, &fields, "");
                assert_eq!((again.status, again.body.as_str()), (304, ""), "{file} {known}");
                let is_of_gzip = known.contains(&tag) && !accepted.is_empty();
                assert_eq!(
                    again.field("etag"),
                    Some(if is_of_gzip { &tag[..] } else { plain_tag }),
                    "{file} {known}"
                );
                assert_eq!(varies(&again), varies(&answer), "{file}");
            }
        }
        assert_eq!(varies(&plain), varies(&answer), "{file}");
        // Several lines are one list (RFC 9110 section 5.3).
        let lines = [gzip, ("If-None-Match", "\"x\""), ("If-None-Match", tag.as_str())];
        let again = max.ask(&head, &lines, "");
        assert_eq!((again.status, again.field("etag")), (304, Some(tag.as_str())), "{file}");
    }
    // Also one that is too short to be compressed for everybody.
    let icon = max.ask("GET /browser/icon.svg", &[], "");
    assert!(varies(&icon).contains(&"accept-encoding".to_owned()), "{icon:?}");
    // A later transaction.
    let value = max.ask(UPTIME, &[gzip, ("Trunkline-Token", &max.token)], "");
    assert!(value.octets < 400, "{value:?}");
    for (head, status) in [
        ("GET /browser", 303),
        ("GET /browser/plain/nothing", 404),
        ("GET /browser/rights/nothing", 404),
        ("GET /browser/../etc/passwd", 404),
        ("GET /browser/login.html", 404),
        ("GET /browser/schema/other", 404),
        ("POST /browser/", 405),
        ("PUT /browser/", 405),
        ("DELETE /browser/app.js", 405),
    ] {
        let answer = max.own(head, "");
        assert_eq!(answer.status, status, "{head}");
        // Caches keep answers to no other methods (RFC 9110 section 9.2.3).
        let is_kept = head.starts_with("GET") || head.starts_with("POST");
        assert!(!is_kept || answer.field("cache-control") == Some("no-store"), "{head} {answer:?}");
    }
    assert_eq!(ask(&agent, "GET /browser/schema", &[], "").status, 401);
    assert_eq!(ask(&agent, "GET /browser/plain/", &[], "").field("location"), Some("../login"));
}

#[test]
fn tables_are_readable_without_scripts_and_names_are_text() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let contact = "{\"ietf-system:contact\":\"<script>alert(1)</script>\"}";
    assert_eq!(max.own(CONTACT, contact).status, 201);
    let page = max.ask("GET /browser/plain/ietf-system:system", &[], "");
    assert!(page.body.contains("<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>"), "{page:?}");
    assert!(!page.body.contains("<script"), "{page:?}");
    assert!(page.field("content-security-policy").is_some());
    let list = max.ask("GET /browser/plain/", &[], "");
    assert!(list.body.contains("<a href=\"../plain/IF-MIB:IF-MIB\">IF-MIB</a>"), "{list:?}");
    let table = max.ask("GET /browser/plain/SNMPv2-MIB:SNMPv2-MIB/sysORTable/sysOREntry", &[], "");
    assert!(table.body.contains("<th scope=\"col\">sysORDescr</th>"), "{table:?}");
    // By the same rights: bob may not read interfaces.
    let bob = Browser::log_in(&agent, "bob");
    let table = bob.ask("GET /browser/plain/IF-MIB:IF-MIB/ifTable/ifEntry", &[], "");
    assert!(table.body.contains("There is nothing here that you may read."), "{table:?}");
    // Who may read all is not told that there may be more.
    let empty =
        "GET /browser/plain/SNMP-NOTIFICATION-MIB:SNMP-NOTIFICATION-MIB/snmpNotifyTable/snmpNotifyEntry";
    let list = max.ask(empty, &[], "");
    assert!(list.body.contains("This list is empty.") && !list.body.contains("may read"), "{list:?}");
}
