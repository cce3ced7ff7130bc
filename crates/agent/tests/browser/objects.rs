//! Objects that are set in the page: of the agent itself and of devices, as scripts and as forms without scripts do it.

use trunkline_transport::ssh::PasswordHash;

use super::raw::{Browser, agent, ask, origin, with_page};
use crate::restconf::ask::Answer;
use crate::restconf::client::PASSWORD;
use crate::support::{Agent, BOTH};

const CONTACT: &str = "SNMPv2-MIB:SNMPv2-MIB/system/sysContact";
const LOCATION: &str = "SNMPv2-MIB:SNMPv2-MIB/system/sysLocation";
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

/// Posts a form as the page does.
/// The rights of somebody who may change nothing.
const NONE: &str = "{\"write\":[],";

fn set(browser: &Browser<'_>, path: &str, body: &str) -> Answer {
    let origin = origin(browser.agent);
    let fields = [("Origin", origin.as_str()), ("Trunkline-Token", &browser.token), FORM];
    browser.ask(&format!("POST {path}"), &fields, body)
}

/// Posts a form as a browser without scripts does.
fn post(browser: &Browser<'_>, path: &str, body: &str) -> Answer {
    let origin = origin(browser.agent);
    let body = format!("token={}&{body}", browser.token);
    browser.ask(&format!("POST {path}"), &[("Origin", origin.as_str()), FORM], &body)
}

fn value(browser: &Browser<'_>, path: &str) -> String {
    browser.ask(&format!("GET /restconf/data/{path}"), &[], "").body
}

#[test]
fn an_object_is_set_if_it_is_what_the_page_has_shown() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let path = format!("/browser/set/{CONTACT}");
    assert_eq!(set(&max, &path, "old=&new=noc+%26+co").status, 204);
    assert_eq!(value(&max, CONTACT), "{\"SNMPv2-MIB:sysContact\":\"noc & co\"}");
    let line = agent.wait_for("an object is set in the page");
    assert!(
        line.contains("user=max") && line.contains("object=\"sysContact\"") && !line.contains("co\""),
        "{line}"
    );
    // Somebody else was faster: what is there now stays.
    let late = set(&max, &path, "old=&new=mine");
    assert_eq!((late.status, late.body.contains("Somebody else has changed this")), (412, true), "{late:?}");
    assert_eq!(set(&max, &path, "new=mine").status, 412);
    assert_eq!(value(&max, CONTACT), "{\"SNMPv2-MIB:sysContact\":\"noc & co\"}");
    // What is configured over NETCONF is the same, whoever sets it.
    assert!(max.ask("GET /restconf/data/ietf-system:system/contact", &[], "").body.contains("noc & co"));
    let long = set(&max, &path, &format!("old=noc+%26+co&new={}", "x".repeat(256)));
    assert_eq!((long.status, &*long.body), (400, "{\"message\":\"sysContact must be at most 255 octets.\"}"));
    for (path, body, status) in [
        (format!("/browser/set/{CONTACT}"), "old=x", 400),
        ("/browser/set/SNMPv2-MIB:SNMPv2-MIB/system/sysDescr".into(), "old=x&new=y", 404),
        ("/browser/set/ietf-system:system/contact".into(), "old=x&new=y", 404),
        ("/browser/set/".into(), "new=y", 404),
        ("/browser/set/IF-MIB:IF-MIB/ifTable/ifEntry=1/ifAdminStatus".into(), "old=up&new=sideways", 400),
        ("/browser/set/IF-MIB:IF-MIB/ifTable/ifEntry=999/ifAdminStatus".into(), "new=up", 409),
    ] {
        let answer = set(&max, &path, body);
        assert_eq!(answer.status, status, "{path} {answer:?}");
    }
}

#[test]
fn what_the_file_fixes_is_refused_in_plain_words() {
    let agent = Agent::start(&with_page("[system]\ncontact = \"fixed\"\n"));
    let max = Browser::log_in(&agent, "max");
    let answer = set(&max, &format!("/browser/set/{CONTACT}"), "old=fixed&new=y");
    let words = "This cannot be set there (notWritable): fixed by the [system] section.";
    assert_eq!((answer.status, answer.body.contains(words)), (403, true), "{answer:?}");
    agent.wait_for("an object was to be set in the page, and is not");
}

#[test]
fn only_who_may_write_an_object_sets_it_and_only_in_our_own_page() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let (tom, ann) = (Browser::log_in(&agent, "tom"), Browser::log_in(&agent, "ann"));
    let rights = |browser: &Browser<'_>| browser.ask("GET /browser/rights/SNMPv2-MIB", &[], "").body;
    assert!(rights(&max).contains(LOCATION));
    assert!(rights(&tom).starts_with(&format!("{{\"write\":[\"/{CONTACT}\"],")), "{}", rights(&tom));
    assert!(rights(&ann).starts_with(NONE), "{}", rights(&ann));
    assert_eq!(set(&tom, &format!("/browser/set/{CONTACT}"), "old=&new=tom").status, 204);
    for (browser, path) in [(&tom, LOCATION), (&ann, CONTACT)] {
        let answer = set(browser, &format!("/browser/set/{path}"), "old=&new=x");
        assert_eq!(answer.status, 403, "{answer:?}");
    }
    let own = origin(&agent);
    let path = format!("POST /browser/set/{CONTACT}");
    let (token, wrong) = (("Trunkline-Token", max.token.as_str()), ("Trunkline-Token", "wrong"));
    for (fields, status) in [
        (vec![FORM], 403),
        (vec![FORM, ("Origin", &own)], 403),
        (vec![FORM, ("Origin", &own), wrong], 403),
        (vec![FORM, ("Origin", "http://evil.example"), token], 403),
        (vec![FORM, ("Sec-Fetch-Site", "cross-site"), token], 401),
        (vec![("Origin", own.as_str()), token], 415),
    ] {
        let answer = max.ask(&path, &fields, "old=tom&new=evil");
        assert_eq!(answer.status, status, "{fields:?} {answer:?}");
    }
    // The token of a form counts for forms without scripts alone, and a password in the request does not make the page of
    // somebody else ours.
    let with_token = format!("token={}&old=tom&new=evil&step=apply", max.token);
    assert_eq!(max.ask(&path, &[FORM, ("Origin", &own)], &with_token).status, 403);
    let plain = format!("POST /browser/plain/{CONTACT}");
    assert_eq!(max.ask(&plain, &[FORM, ("Origin", &own)], "token=x&old=tom&new=evil&step=apply").status, 403);
    assert_eq!(max.ask(&plain, &[FORM], &with_token).status, 403);
    let basic = ("Authorization", "Basic bWF4Om1hcGxlIHN5cnVw");
    assert_eq!(ask(&agent, &plain, &[FORM, basic], &with_token).status, 403);
    assert_eq!(value(&max, CONTACT), "{\"SNMPv2-MIB:sysContact\":\"tom\"}");
    assert_eq!(ask(&agent, &path, &[FORM, ("Origin", &own)], "new=x").status, 401);
}

/// What may be written and not read can be set all the same, and the page says that nobody notices others.
#[test]
fn what_may_not_be_read_can_be_set_without_being_shown() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let agent = Agent::start(&with_page(&format!(
        "[[role]]\nname = \"blind\"\nread = [\"1\", \"-1.3.6.1.2.1.1.4\"]\nwrite = [\"1.3.6.1.2.1.1.4\"]\n\
         [[snmp.principal]]\nname = \"kim\"\nrole = \"blind\"\npassword-hash = {hash:?}\n"
    )));
    let [max, kim] = ["max", "kim"].map(|user| Browser::log_in(&agent, user));
    let read = |path: &str| max.ask(&format!("GET /restconf/data/{path}"), &[], "").body;
    assert_eq!(set(&max, &format!("/browser/set/{CONTACT}"), "old=&new=curtain").status, 204);
    let rights = kim.ask("GET /browser/rights/SNMPv2-MIB", &[], "").body;
    assert!(rights.contains(&format!("\"blind\":[\"/{CONTACT}\"],\"whole\":false")), "{rights}");
    for (place, path, field) in
        [("SNMPv2-MIB:SNMPv2-MIB/system", CONTACT, "new"), ("ietf-system:system", SETTING, "v.contact")]
    {
        let list = kim.ask(&format!("GET /browser/plain/{place}"), &[], "").body;
        assert!(list.contains("not shown") && list.contains(&format!("{path}\">Edit")), "{list}");
        let page = kim.ask(&format!("GET /browser/plain/{path}"), &[], "").body;
        assert!(page.contains("nobody notices") && !page.contains("curtain"), "{page}");
        let plain = format!("/browser/plain/{path}");
        let done = post(&kim, &plain, &format!("{field}={field}&step=apply"));
        assert_eq!(done.status, 303, "{done:?}");
        assert!(read(path).contains(field), "{}", read(path));
    }
    // As scripts do it.
    assert_eq!(set(&kim, &format!("/browser/set/{CONTACT}"), "new=script").status, 204);
    assert!(read(CONTACT).contains("script"));
    let put = kim.own(&format!("PUT /restconf/data/{SETTING}"), "{\"ietf-system:contact\":\"put\"}");
    assert!(put.status < 300 && read(SETTING).contains("put"), "{put:?}");
}

const SETTING: &str = "ietf-system:system/contact";

#[test]
fn without_scripts_a_form_shows_the_difference_and_sets() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let path = format!("/browser/plain/{CONTACT}");
    let form = max.ask(&format!("GET {path}"), &[], "").body;
    for part in
        ["<form method=\"post\">", "name=\"old\" value=\"\"", "name=\"step\" value=\"review\"", &max.token]
    {
        assert!(form.contains(part), "{part} {form}");
    }
    let table = max.ask("GET /browser/plain/SNMPv2-MIB:SNMPv2-MIB/system", &[], "").body;
    assert!(table.contains(&format!("plain/{CONTACT}\">Edit")), "{table}");
    let review = post(&max, &path, "old=&new=noc&octets=text&step=review");
    assert!(review.status == 200 && review.body.contains("<ins>noc</ins>"), "{review:?}");
    assert_eq!(value(&max, CONTACT), "{\"SNMPv2-MIB:sysContact\":\"\"}");
    let set = post(&max, &path, "old=&new=noc&octets=text&step=apply");
    assert_eq!((set.status, set.field("location")), (303, Some("?set")), "{set:?}");
    let done = max.ask(&format!("GET {path}?set"), &[], "").body;
    assert!(done.contains("Applied.") && done.contains("<p class=\"value\">noc</p>"), "{done}");
    let late = post(&max, &path, "old=&new=mine&octets=text&step=apply");
    assert!(
        late.status == 409 && late.body.contains("Somebody else") && late.body.contains(">noc<"),
        "{late:?}"
    );
    let ann = Browser::log_in(&agent, "ann");
    let read = ann.ask(&format!("GET {path}"), &[], "").body;
    assert!(read.contains("noc") && !read.contains("<form method=\"post\"><input"), "{read}");
    // Rows have pages too.
    let row = max.ask("GET /browser/plain/IF-MIB:IF-MIB/ifTable/ifEntry=1", &[], "").body;
    assert!(row.contains("<td>lo</td>") && row.contains("ifEntry=1/ifAdminStatus\">Edit"), "{row}");
    let status = max.ask("GET /browser/plain/IF-MIB:IF-MIB/ifTable/ifEntry=1/ifAdminStatus", &[], "").body;
    assert!(status.contains("<option selected>up</option><option>down</option>"), "{status}");
}

/// A manager that has this device, reached over SNMP as `community`, and `noc` with a rule for it.
fn manager(device: &Agent, community: &str, rule: &str) -> Agent {
    Agent::start(&with_page(&format!(
        "[[role]]\nname = \"fleet\"\nread = [\"1\"]\n[[role.access]]\ncontext = \"lan/*\"\nread = [\"1\"]\n{rule}\
         [[group]]\nname = \"lan\"\ninterval = \"1h\"\nobjects = [\"sysName\"]\n\
         [[group.member]]\nname = \"sw1\"\naddress = \"udp://{}\"\ncommunity = \"{community}\"\n\
         [[snmp.principal]]\nname = \"noc\"\nrole = \"fleet\"\npassword-hash = \"{}\"\n",
        device.udp(),
        PasswordHash::make(&PASSWORD.into()).unwrap().to_phc(),
    )))
}

#[test]
fn an_object_of_a_device_is_set_over_its_protocol_as_far_as_the_role_may() {
    let device = Agent::start(&format!("[system]\nlocation = \"fixed\"\n{BOTH}"));
    let manager_of = |community, rule| manager(&device, community, rule);
    let writing = manager_of("private", "write = [\"1.3.6.1.2.1.1\"]\n");
    let noc = Browser::log_in(&writing, "noc");
    let set_of = |browser: &Browser<'_>, path: &str, body: &str| {
        set(browser, &format!("/devices/lan.sw1/browser/set/{path}"), body)
    };
    let session = noc.ask("GET /devices/lan.sw1/browser/session", &[], "").body;
    assert!(session.contains("\"writes\":true"), "{session}");
    assert!(noc.session().contains("\"writes\":false"));
    let rights =
        |module: &str| noc.ask(&format!("GET /devices/lan.sw1/browser/rights/{module}"), &[], "").body;
    assert!(rights("SNMPv2-MIB").contains(CONTACT));
    assert!(rights("IF-MIB").starts_with(NONE) && rights("ietf-system").starts_with(NONE));
    let answer = set_of(&noc, CONTACT, "old=&new=from+afar");
    assert_eq!(answer.status, 204, "{answer:?}");
    let read = noc.ask(&format!("GET /devices/lan.sw1/restconf/data/{CONTACT}"), &[], "").body;
    assert_eq!(read, "{\"SNMPv2-MIB:sysContact\":\"from afar\"}");
    let line = writing.wait_for("an object is set in the page");
    assert!(line.contains("device=\"lan.sw1\"") && line.contains("user=noc"), "{line}");
    assert_eq!(set_of(&noc, CONTACT, "old=&new=late").status, 412);
    let fixed = set_of(&noc, LOCATION, "old=fixed&new=y");
    assert!(
        fixed.status == 403
            && fixed.body.contains("The device refuses: this cannot be set there (notWritable)"),
        "{fixed:?}"
    );
    // Beyond the view of the role, and of the page without scripts.
    let status = "IF-MIB:IF-MIB/ifTable/ifEntry=1/ifAdminStatus";
    assert_eq!(set_of(&noc, status, "old=up&new=down").status, 403);
    let plain = format!("/devices/lan.sw1/browser/plain/{CONTACT}");
    let done = post(&noc, &plain, "old=from+afar&new=plain&step=apply");
    assert_eq!(done.status, 303, "{done:?}");
    // The community may only read.
    let reading = manager_of("public", "write = [\"1\"]\n");
    let noc = Browser::log_in(&reading, "noc");
    let refused = set_of(&noc, CONTACT, "old=plain&new=x");
    assert!(refused.status == 403 && refused.body.contains("(noAccess)"), "{refused:?}");
    // The role may only read.
    let closed = manager_of("private", "");
    let noc = Browser::log_in(&closed, "noc");
    assert_eq!(set_of(&noc, CONTACT, "old=plain&new=x").status, 403);
    let rights = noc.ask("GET /devices/lan.sw1/browser/rights/SNMPv2-MIB", &[], "").body;
    assert!(rights.starts_with(NONE), "{rights}");
}

#[test]
fn the_silence_of_a_device_is_not_a_refusal() {
    let gone = Agent::start(BOTH);
    let manager = manager(&gone, "private", "write = [\"1\"]\n");
    drop(gone);
    let noc = Browser::log_in(&manager, "noc");
    let answer = set(&noc, &format!("/devices/lan.sw1/browser/set/{CONTACT}"), "old=&new=x");
    assert_eq!(answer.status, 502, "{answer:?}");
    assert!(answer.body.contains("does not answer, and nothing was set"), "{answer:?}");
}

#[test]
fn serve_sets_with_an_option_and_what_a_protocol_cannot_set_is_not_offered() {
    let http = "[http]\nlisten = [\"http://127.0.0.1:0\"]\ndoors = [\"restconf\", \"soap\"]\n";
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let max = format!(
        "[[role]]\nname = \"r\"\nread = [\"1\"]\n[[snmp.principal]]\nname = \"max\"\nrole = \"r\"\npassword-hash = {hash:?}\n"
    );
    let device = Agent::start(&format!("{BOTH}{http}{max}"));
    let udp = format!("snmp://private@{}", device.udp());
    let soap = format!("soap+http://private@{}", device.address("http"));
    let name = |address: std::net::SocketAddr| address.to_string().replace(':', "-");
    let serve = |words: &[&str]| {
        let (served, password) = Agent::serve(words);
        (served, password)
    };
    let (served, password) = serve(&[&udp, &soap, "--write"]);
    let admin = Browser::log_in_with(&served, "admin", &password);
    for (device, old, new) in
        [(name(device.udp()), "", "snmp"), (name(device.address("http")), "snmp", "soap")]
    {
        let path = format!("/devices/{device}/browser/set/{CONTACT}");
        let answer = set(&admin, &path, &format!("old={old}&new={new}"));
        assert_eq!(answer.status, 204, "{device} {answer:?}");
    }
    // This machine is only read.
    let session = admin.session();
    assert!(session.contains("\"writes\":false") && session.contains("\"writable\":2"), "{session}");
    assert_eq!(set(&admin, &format!("/browser/set/{CONTACT}"), "old=&new=x").status, 403);
    let (served, password) = serve(&[&udp]);
    let admin = Browser::log_in_with(&served, "admin", &password);
    let path = format!("/devices/{}/browser/set/{CONTACT}", name(device.udp()));
    assert_eq!(set(&admin, &path, "old=soap&new=x").status, 403);
    assert!(!admin.session().contains("writable"), "{}", admin.session());
    // Over RESTCONF objects are state.
    let restconf = format!("restconf+http://max:maple%20syrup@{}", device.address("http"));
    let (served, password) = serve(&[&restconf, "--write"]);
    let admin = Browser::log_in_with(&served, "admin", &password);
    let device = name(device.address("http"));
    let rights = admin.ask(&format!("GET /devices/{device}/browser/rights/SNMPv2-MIB"), &[], "").body;
    assert!(rights.starts_with(NONE), "{rights}");
    let answer = set(&admin, &format!("/devices/{device}/browser/set/{CONTACT}"), "old=soap&new=x");
    assert!(answer.status == 403 && answer.body.contains("can only be read"), "{answer:?}");
}
