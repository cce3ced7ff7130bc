//! The configuration in the page without scripts: leaves, and entries of lists, with the difference first, and only if nobody else was
//! faster.

use trunkline_transport::ssh::PasswordHash;

use super::raw::{Browser, agent, origin, with_page};
use crate::restconf::ask::Answer;
use crate::restconf::client::PASSWORD;
use crate::support::Agent;

const CONTACT: &str = "/browser/plain/ietf-system:system/contact";
const COMMUNITY: &str = "/browser/plain/ietf-snmp:snmp/community";
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

fn post(browser: &Browser<'_>, path: &str, body: &str) -> Answer {
    let origin = origin(browser.agent);
    let body = format!("token={}&{body}", browser.token);
    browser.ask(&format!("POST {path}"), &[("Origin", origin.as_str()), FORM], &body)
}

fn get(browser: &Browser<'_>, path: &str) -> String {
    browser.ask(&format!("GET {path}"), &[], "").body
}

/// The entity tag in a page's form, as it is posted.
fn tag(page: &str) -> String {
    let found = page.split("name=\"tag\" value=\"").nth(1).and_then(|rest| rest.split("\">").next());
    let tag = found.unwrap_or_else(|| panic!("no tag in {page}")).replace("&quot;", "\"");
    tag.bytes().map(|octet| format!("%{octet:02x}")).collect()
}

fn contact(agent: &Agent, browser: &Browser<'_>) -> String {
    assert_eq!(agent.address("http"), browser.agent.address("http"));
    get(browser, "/restconf/data/ietf-system:system/contact")
}

#[test]
fn a_leaf_is_set_and_removed_if_it_is_what_the_page_has_shown() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let system = get(&max, "/browser/plain/ietf-system:system");
    assert!(system.contains("plain/ietf-system:system/contact\">Edit"), "{system}");
    let page = get(&max, CONTACT);
    assert!(page.contains("not set") && page.contains("value=\"review\""), "{page}");
    let review = post(&max, CONTACT, "v.contact=noc+%3C%261&step=review");
    assert!(review.status == 200 && review.body.contains("<ins>noc &lt;&amp;1</ins>"), "{review:?}");
    assert!(!contact(&agent, &max).contains("noc"));
    let set = post(&max, CONTACT, "v.contact=noc+%3C%261&step=apply");
    assert_eq!((set.status, set.field("location")), (303, Some("?set")), "{set:?}");
    assert_eq!(contact(&agent, &max), "{\"ietf-system:contact\":\"noc <&1\"}");
    let done = get(&max, &format!("{CONTACT}?set"));
    assert!(done.contains("Applied.") && done.contains("noc &lt;&amp;1</p>"), "{done}");
    // Somebody else was faster.
    let old = tag(&done);
    assert_eq!(
        max.own("PUT /restconf/data/ietf-system:system/contact", "{\"ietf-system:contact\":\"theirs\"}")
            .status,
        204
    );
    for body in [
        format!("tag={old}&v.contact=mine&step=apply"),
        "v.contact=mine&step=apply".into(),
        format!("tag={old}&step=apply-removal"),
    ] {
        let late = post(&max, CONTACT, &body);
        assert!(
            late.status == 409 && late.body.contains("Somebody else") && late.body.contains("theirs"),
            "{body} {late:?}"
        );
    }
    assert_eq!(contact(&agent, &max), "{\"ietf-system:contact\":\"theirs\"}");
    let removal = post(&max, CONTACT, "step=remove");
    assert!(
        removal.body.contains("<del>theirs</del>") && removal.body.contains("will be removed"),
        "{removal:?}"
    );
    let removed = post(&max, CONTACT, &format!("tag={}&step=apply-removal", tag(&removal.body)));
    assert_eq!(removed.status, 303, "{removed:?}");
    assert!(get(&max, CONTACT).contains("not set"));
    // What it cannot be.
    let wrong = post(&max, "/browser/plain/ietf-system:system/hostname", "v.hostname=a+b&step=review");
    assert!(wrong.body.contains("class=\"wrong\">hostname must be"), "{wrong:?}");
}

#[test]
fn an_entry_of_a_list_is_created_and_removed() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    assert!(get(&max, COMMUNITY).contains("href=\"?new\">New entry"));
    let form = get(&max, &format!("{COMMUNITY}?new"));
    assert!(form.contains("name=\"v.index\"") && form.contains("name=\"v.text-name\""), "{form}");
    let entry = "v.index=a%2Fb&v.text-name=quiet&v.security-name=quiet";
    let path = format!("{COMMUNITY}?new");
    let review = post(&max, &path, &format!("{entry}&step=review"));
    assert!(review.body.contains("+ index: <ins>a/b</ins>"), "{review:?}");
    let there = "GET /restconf/data/ietf-snmp:snmp/community=a%2Fb";
    assert_eq!(max.ask(there, &[], "").status, 404);
    let made = post(&max, &path, &format!("{entry}&step=apply"));
    assert_eq!(
        (made.status, made.field("location")),
        (303, Some("../../plain/ietf-snmp:snmp/community=a%2Fb")),
        "{made:?}"
    );
    assert_eq!(max.ask(there, &[], "").status, 200);
    let again = post(&max, &path, &format!("{entry}&step=apply"));
    assert!(again.status == 409 && again.body.contains("There is such an entry already"), "{again:?}");
    let place = format!("{COMMUNITY}=a%2Fb");
    let page = get(&max, &place);
    assert!(page.contains("Remove this entry") && page.contains("text-name\">Edit"), "{page}");
    let removal = post(&max, &place, "step=remove");
    assert!(removal.body.contains("− index: <del>a/b</del>"), "{removal:?}");
    let old = tag(&removal.body);
    let changed = max.own(
        "PUT /restconf/data/ietf-snmp:snmp/community=a%2Fb/security-name",
        "{\"ietf-snmp:security-name\":\"loud\"}",
    );
    assert_eq!(changed.status, 204, "{changed:?}");
    let late = post(&max, &place, &format!("tag={old}&step=apply-removal"));
    assert!(late.status == 409 && late.body.contains("Somebody else"), "{late:?}");
    let old = tag(&post(&max, &place, "step=remove").body);
    let removed = post(&max, &place, &format!("tag={old}&step=apply-removal"));
    assert_eq!(
        (removed.status, removed.field("location")),
        (303, Some("../../plain/ietf-snmp:snmp/community")),
        "{removed:?}"
    );
    assert_eq!(max.ask(there, &[], "").status, 404);
    assert!(post(&max, &place, "step=remove").body.contains("does not have this entry"));
}

/// RFC 8341 section 3.2.4: who may write entries and not read them does not replace one by a new one. A secret, which nobody reads, is replaced.
#[test]
fn what_is_hidden_is_not_replaced_by_a_new_entry() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let agent = Agent::start(&with_page(&format!(
        "[[role]]\nname = \"blind\"\nread = [\"1.3.6.1.2.1.1\"]\nwrite = [\"1.3.6.1.2.1.90\"]\n\
         [[snmp.principal]]\nname = \"kim\"\nrole = \"blind\"\npassword-hash = {hash:?}\n"
    )));
    let [max, kim] = ["max", "kim"].map(|user| Browser::log_in(&agent, user));
    let new = "/browser/plain/trunkline-delegation:delegation/expression?new";
    let entry = |text: &str| format!("v.owner=max&v.name=keep&v.text={text}&step=apply");
    let made = post(&max, new, &entry("40"));
    assert_eq!(made.status, 303, "{made:?}");
    let refused = post(&kim, new, &entry("1"));
    assert!(refused.status == 403 && refused.body.contains("class=\"wrong\""), "{refused:?}");
    let kept = get(&max, "/restconf/data/trunkline-delegation:delegation/expression=max,keep?content=config");
    assert!(kept.contains("\"text\":\"40\""), "{kept}");
    let community = post(
        &max,
        &format!("{COMMUNITY}?new"),
        "v.index=a&v.text-name=quiet&v.security-name=quiet&step=apply",
    );
    assert_eq!(community.status, 303, "{community:?}");
    let name = format!("{COMMUNITY}=a/text-name");
    let old = tag(&get(&max, &name));
    let set = post(&max, &name, &format!("tag={old}&v.text-name=louder&step=apply"));
    assert_eq!(set.status, 303, "{set:?}");
}

/// Nobody reads a secret, and yet nobody overwrites one unasked that somebody else has set meanwhile.
#[test]
fn a_secret_is_not_set_over_that_of_somebody_else() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let new = "v.index=a&v.text-name=first&v.security-name=quiet&step=apply";
    assert_eq!(post(&max, &format!("{COMMUNITY}?new"), new).status, 303);
    let (name, path) =
        (format!("{COMMUNITY}=a/text-name"), "/restconf/data/ietf-snmp:snmp/community=a/text-name");
    let set = |tag: &str, text: &str| post(&max, &name, &format!("tag={tag}&v.text-name={text}&step=apply"));
    let first = tag(&get(&max, &name));
    assert_eq!(tag(&get(&max, &name)), first, "it is what it was");
    assert!(!get(&max, &name).contains("first"));
    assert_eq!(set(&first, "second").status, 303);
    let second = tag(&get(&max, &name));
    assert_ne!(first, second);
    let late = set(&first, "third");
    assert!(late.status == 409 && late.body.contains("Somebody else"), "{late:?}");
    // As scripts do it: the answer that there is nothing to read has the tag.
    let answer = max.ask(&format!("GET {path}"), &[], "");
    assert_eq!(answer.status, 404);
    let own = origin(&agent);
    let put = |tag: &str| {
        let fields = [
            ("Origin", own.as_str()),
            ("Trunkline-Token", max.token.as_str()),
            ("Content-Type", "application/yang-data+json"),
            ("If-Match", tag),
        ];
        max.ask(&format!("PUT {path}"), &fields, "{\"ietf-snmp:text-name\":\"fourth\"}").status
    };
    let known = answer.field("etag").unwrap();
    // As if none had been there: nobody learns whether there was one.
    assert_eq!((put("\"x\""), put(known), put(known)), (412, 201, 412));
    // Who may not set it learns nothing of it.
    let ann = Browser::log_in(&agent, "ann");
    assert_eq!(ann.ask(&format!("GET {path}"), &[], "").field("etag"), None);
}

/// The address of a target is in a container of the case that it has of a choice.
#[test]
fn an_entry_has_a_case_of_its_choice() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let params = "v.name=p&v.v2c/security-name=public&step=apply";
    let made = post(&max, "/browser/plain/ietf-snmp:snmp/target-params?new", params);
    assert_eq!(made.status, 303, "{made:?}");
    let path = "/browser/plain/ietf-snmp:snmp/target?new";
    let form = get(&max, path);
    for part in
        ["transport: one of udp, tls, dtls, ssh", "name=\"v.udp/ip\"", "name=\"v.tls/server-identity\""]
    {
        assert!(form.contains(part), "{part} {form}");
    }
    let target = "v.name=noc&v.udp/ip=192.0.2.9&v.udp/port=1162&v.target-params=p";
    let review = post(&max, path, &format!("{target}&step=review"));
    assert!(review.body.contains("+ udp/ip: <ins>192.0.2.9</ins>"), "{review:?}");
    let both = post(&max, path, &format!("{target}&v.ssh/ip=192.0.2.8&step=apply"));
    assert!((400..500).contains(&both.status), "{both:?}");
    let made = post(&max, path, &format!("{target}&step=apply"));
    assert_eq!(made.status, 303, "{made:?}");
    let read = get(&max, "/restconf/data/ietf-snmp:snmp/target=noc?content=config");
    assert!(read.contains("\"udp\":{\"ip\":\"192.0.2.9\",\"port\":1162}"), "{read}");
}

/// RFC 7950 section 7.9: a node of one case removes those of all others.
#[test]
fn a_value_in_another_case_shows_what_it_removes() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    for (list, entry) in [
        ("target-params", "v.name=p&v.v2c/security-name=public"),
        ("target", "v.name=noc&v.udp/ip=192.0.2.9&v.udp/port=1162&v.target-params=p"),
    ] {
        let made =
            post(&max, &format!("/browser/plain/ietf-snmp:snmp/{list}?new"), &format!("{entry}&step=apply"));
        assert_eq!(made.status, 303, "{made:?}");
    }
    let entry = "/browser/plain/ietf-snmp:snmp/target=noc";
    let page = get(&max, entry);
    assert!(page.contains(">udp</a></li>") && page.contains(">tls</a> (not used)</li>"), "{page}");
    let path = format!("{entry}/tls/ip");
    let review = post(&max, &path, "v.ip=192.0.2.8&step=review");
    for part in ["<del>udp/ip: 192.0.2.9</del>", "<del>udp/port: 1162</del>", "<ins>192.0.2.8</ins>"] {
        assert!(review.body.contains(part), "{part} {review:?}");
    }
    // What is removed is what was shown.
    let port = "PUT /restconf/data/ietf-snmp:snmp/target=noc/udp/port";
    assert_eq!(max.own(port, "{\"ietf-snmp:port\":1163}").status, 204);
    let apply = |page: &str| post(&max, &path, &format!("tag={}&v.ip=192.0.2.8&step=apply", tag(page)));
    let late = apply(&review.body);
    assert!(late.status == 409 && late.body.contains("value=\"192.0.2.8\""), "{late:?}");
    let review = post(&max, &path, "v.ip=192.0.2.8&step=review");
    assert!(review.body.contains("<del>udp/port: 1163</del>"), "{review:?}");
    assert_eq!(apply(&review.body).status, 303);
    let read = get(&max, "/restconf/data/ietf-snmp:snmp/target=noc?content=config");
    assert!(read.contains("\"tls\":{\"ip\":\"192.0.2.8\"}") && !read.contains("udp"), "{read}");
    // In the same case nothing else is removed.
    let port = post(&max, &format!("{entry}/tls/port"), "v.port=1164&step=review");
    assert!(port.body.contains("<ins>1164</ins>") && !port.body.contains("<del>"), "{port:?}");
}

#[test]
fn an_entry_that_is_not_there_is_not_changed() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let agent = Agent::start(&with_page(&format!(
        "[[role]]\nname = \"blind\"\nread = [\"1.3.6.1.2.1.1\"]\nwrite = [\"1.3.6.1.2.1.90\"]\n\
         [[snmp.principal]]\nname = \"kim\"\nrole = \"blind\"\npassword-hash = {hash:?}\n"
    )));
    let [max, kim] = ["max", "kim"].map(|user| Browser::log_in(&agent, user));
    for path in [
        "ietf-snmp:snmp/target=nosuch",
        "ietf-snmp:snmp/target=nosuch/tls",
        "ietf-snmp:snmp/target=nosuch/tls/ip",
        "ietf-snmp:snmp/community=nosuch/text-name",
        "SNMP-TARGET-MIB:SNMP-TARGET-MIB/snmpTargetAddrTable/snmpTargetAddrEntry=nosuch",
        "SNMP-TARGET-MIB:SNMP-TARGET-MIB/snmpTargetAddrTable/snmpTargetAddrEntry=nosuch/snmpTargetAddrTAddress",
    ] {
        let page = get(&max, &format!("/browser/plain/{path}"));
        assert!(page.contains("There is no such entry"), "{path} {page}");
        assert!(
            !page.contains("Edit") && !page.contains("Review") && !page.contains("not set"),
            "{path} {page}"
        );
    }
    // What one may write and not read may be there.
    let entry = "/browser/plain/trunkline-delegation:delegation/expression=max,nosuch";
    let page = get(&kim, entry);
    assert!(page.contains("It is not known whether") && page.contains("not shown"), "{page}");
    assert!(page.contains("text\">Edit") && get(&kim, &format!("{entry}/text")).contains("Review"), "{page}");
}

#[test]
fn only_who_may_changes_the_configuration_and_only_in_our_own_page() {
    let agent = agent();
    let max = Browser::log_in(&agent, "max");
    let ann = Browser::log_in(&agent, "ann");
    assert!(!get(&ann, "/browser/plain/ietf-system:system").contains("Edit"));
    assert!(!get(&ann, COMMUNITY).contains("New entry"));
    assert_eq!(post(&ann, CONTACT, "v.contact=ann&step=apply").status, 403);
    assert_eq!(post(&ann, &format!("{COMMUNITY}?new"), "v.index=ann&step=apply").status, 403);
    let own = origin(&agent);
    let body = format!("token={}&v.contact=evil&step=apply", max.token);
    let head = format!("POST {CONTACT}");
    assert_eq!(max.ask(&head, &[FORM], &body).status, 403);
    assert_eq!(max.ask(&head, &[FORM, ("Origin", "http://evil.example")], &body).status, 403);
    assert_eq!(max.ask(&head, &[FORM, ("Origin", &own)], "token=x&v.contact=evil&step=apply").status, 403);
    assert_eq!(max.ask(&head, &[("Origin", &own), ("Content-Type", "text/plain")], &body).status, 403);
    assert!(!contact(&agent, &max).contains("evil"));
}
