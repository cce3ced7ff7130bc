//! Who receives what: the policy decides for each notification, with all its objects, when it is sent.

use trunkline_client::eventing::{Ended, Told};
use trunkline_pki::Token;
use trunkline_smi::Value;
use trunkline_transport::http::client::HttpLink;

use super::sink::{Posted, Sink};
use super::support::Agent;
use super::talk::{SOAP_1_2, everything, link, only, post, refused, source};
use super::{OPEN, monitor};

/// A role that may read everything and be notified of monitors, of sysServices and of `more`.
fn role(name: &str, more: &str) -> String {
    format!(
        "[[role]]\nname = \"{name}\"\nread = [\"1.3.6.1\"]\n\
         notify = [\"1.3.6.1.3\", \"1.3.6.1.2.1.1.7\"{more}]\n"
    )
}

/// The role `told` decides what the community `public` may be notified of.
fn config(role: &str, more: &str) -> String {
    let open = OPEN.replace("name = \"public\"\naccess = \"read\"", "name = \"public\"\nrole = \"told\"");
    format!("{open}{role}{more}")
}

/// The names of the monitors that were sent to this path.
fn monitors(rest: &[Posted], path: &str) -> Vec<String> {
    let notifications =
        rest.iter().filter(|posted| posted.path == path).filter_map(|posted| match &posted.told {
            Told::Notification(told) => Some(told.objects.first().map(|(_, value)| value.clone())),
            Told::End(_) => None,
        });
    let name = |value: Option<Value>| match value {
        Some(Value::OctetString(name)) => String::from_utf8(name).unwrap(),
        other => panic!("{other:?}"),
    };
    notifications.map(name).collect()
}

/// The next monitor's name.
async fn next_monitor(sink: &mut Sink) -> String {
    let posted = sink.next().await;
    monitors(&[posted], "/told").remove(0)
}

#[tokio::test]
async fn a_notification_with_a_forbidden_object_is_withheld_entirely() {
    let role = role("told", "");
    let agent = Agent::start(&config(&role, ""));
    let (mut sink, mut all) = (Sink::start(), Sink::start());
    source(&agent, "public").subscribe(everything(&sink, "/told")).await.unwrap();
    source(&agent, "private").subscribe(only(&all, "/all", &["monitorRising"])).await.unwrap();
    // Of these the one with sysName is not for `public`, nor is the coldStart of the reload.
    let (open, closed) =
        (monitor("open", "\"1.3.6.1.2.1.1.7.0\""), monitor("closed", "\"1.3.6.1.2.1.1.5.0\""));
    agent.rewrite(&config(&role, &format!("{closed}{open}")));
    agent.signal("HUP");
    for _ in 0..2 {
        all.notification().await;
    }
    assert_eq!(next_monitor(&mut sink).await, "open");
    agent.terminate();
    let rest = sink.rest();
    assert!(rest.len() == 1 && rest[0].path == "/end", "{rest:?}");
}

#[tokio::test]
async fn access_is_checked_again_when_a_queued_event_is_sent() {
    let (wide, narrow) = (role("told", ", \"1.3.6.1.2.1.1.5\""), role("told", ""));
    let agent = Agent::start(&config(&wide, ""));
    let (mut sink, mut other) = (Sink::start(), Sink::start());
    let granted = source(&agent, "public").subscribe(everything(&sink, "/told")).await.unwrap();
    source(&agent, "private").subscribe(only(&other, "/", &["monitorRising"])).await.unwrap();
    sink.hold();
    let secret = "\"1.3.6.1.2.1.1.5.0\"";
    // What comes while the first is not answered waits; that the other has it says that it does.
    for (role, name, send) in [(&wide, "first", ""), (&wide, "secret", secret), (&narrow, "last", "")] {
        agent.rewrite(&config(role, &monitor(name, send)));
        agent.signal("HUP");
        assert_eq!(monitors(&[other.next().await], "/"), [name]);
    }
    assert_eq!(next_monitor(&mut sink).await, "first");
    sink.release();
    assert_eq!(next_monitor(&mut sink).await, "last");
    assert!(source(&agent, "public").status(&granted.identifier).await.is_ok());
}

#[tokio::test]
async fn a_removed_community_gets_no_more_events() {
    let narrow = role("told", "");
    let agent = Agent::start(&config(&narrow, ""));
    let (mut sink, mut other) = (Sink::start(), Sink::start());
    let granted = source(&agent, "public").subscribe(everything(&sink, "/told")).await.unwrap();
    source(&agent, "private").subscribe(only(&other, "/", &["coldStart"])).await.unwrap();
    // `private` has now replaced `public`, from which the policy's names come.
    let without = config(&narrow, "").replace("[[snmp.community]]\nname = \"public\"\nrole = \"told\"\n", "");
    agent.rewrite(&without);
    agent.signal("HUP");
    assert_eq!(sink.end().await, Ended::SourceCancelling);
    other.notification().await;
    assert!(source(&agent, "public").status(&granted.identifier).await.is_err());
    // Nor when it comes back.
    agent.rewrite(&config(&narrow, ""));
    agent.signal("HUP");
    other.notification().await;
    assert_eq!(refused(source(&agent, "public").status(&granted.identifier).await), "InvalidMessage");
    agent.terminate();
    assert!(sink.rest().is_empty());
}

/// A principal called `robot` by this token.
fn robot(token: &Token) -> String {
    format!(
        "[[snmp.principal]]\nname = \"robot\"\nrole = \"all\"\ntoken-hash = {:?}\n\
         [[role]]\nname = \"all\"\nread = [\"1\"]\nnotify = [\"1\"]\n",
        token.hash()
    )
}

/// Everybody who is not named may do the same.
const EVERYBODY: &str = "[[snmp.principal]]\nname = \"*\"\nrole = \"any\"\n\
     [[role]]\nname = \"any\"\nread = [\"1\"]\nnotify = [\"1\"]\n";

/// A request as a principal with this token.
async fn ask(link: &mut HttpLink, token: &Token, header: &str, body: &str) -> (u16, String) {
    let bearer = format!("Bearer {}", token.text());
    let message = format!(
        "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\" \
         xmlns:wsa=\"http://schemas.xmlsoap.org/ws/2004/08/addressing\" \
         xmlns:wse=\"http://schemas.xmlsoap.org/ws/2004/08/eventing\"><e:Header>{header}</e:Header>\
         <e:Body>{body}</e:Body></e:Envelope>"
    );
    post(link, &[SOAP_1_2, ("authorization", &bearer)], &message).await
}

async fn subscribe(link: &mut HttpLink, token: &Token, sink: &Sink) -> String {
    let endpoint = |element: &str, path: &str| {
        format!("<wse:{element}><wsa:Address>{}</wsa:Address></wse:{element}>", sink.url(path))
    };
    let body = format!(
        "<wse:Subscribe>{}<wse:Delivery>{}</wse:Delivery></wse:Subscribe>",
        endpoint("EndTo", "/end"),
        endpoint("NotifyTo", "/told")
    );
    let (status, answer) = ask(link, token, "", &body).await;
    assert_eq!(status, 200, "{answer}");
    let (_, identifier) = answer.split_once("<wse:Identifier>").unwrap();
    identifier.split_once('<').unwrap().0.to_owned()
}

async fn status(link: &mut HttpLink, token: &Token, identifier: &str) -> u16 {
    let header = format!("<wse:Identifier>{identifier}</wse:Identifier>");
    ask(link, token, &header, "<wse:GetStatus/>").await.0
}

#[tokio::test]
async fn a_removed_principal_or_token_gets_no_more_events() {
    let (token, new) = (Token::create().unwrap(), Token::create().unwrap());
    let agent = Agent::start(&format!("{OPEN}{}{EVERYBODY}", robot(&token)));
    let (mut sink, mut link) = (Sink::start(), link(&agent).await);
    let identifier = subscribe(&mut link, &token, &sink).await;
    agent.signal("HUP");
    sink.notification().await;
    assert_eq!(status(&mut link, &token, &identifier).await, 200);
    // Neither a community nor another principal has it.
    let public = source(&agent, "public");
    assert_eq!(refused(public.status(&identifier).await), "InvalidMessage");
    assert_eq!(refused(public.unsubscribe(&identifier).await), "InvalidMessage");
    assert_eq!(refused(public.renew(&identifier, None).await), "UnableToRenew");

    agent.rewrite(&format!("{OPEN}{}{EVERYBODY}", robot(&new)));
    agent.signal("HUP");
    assert_eq!(sink.end().await, Ended::SourceCancelling);
    assert_eq!(status(&mut link, &token, &identifier).await, 401);
    assert_eq!(status(&mut link, &new, &identifier).await, 400);

    let identifier = subscribe(&mut link, &new, &sink).await;
    sink.hold();
    agent.signal("HUP");
    sink.notification().await;
    // The role `any` would let everybody know it; but nobody can say any more that they are `robot`.
    agent.rewrite(&format!("{OPEN}{EVERYBODY}"));
    agent.signal("HUP");
    assert_eq!(sink.end().await, Ended::SourceCancelling);
    sink.release();
    assert_eq!(status(&mut link, &new, &identifier).await, 401);
    agent.terminate();
    assert!(sink.rest().is_empty());
}

#[tokio::test]
async fn two_identities_are_one_too_many() {
    let token = Token::create().unwrap();
    let agent = Agent::start(&format!("{OPEN}{}", robot(&token)));
    let mut link = link(&agent).await;
    let community = "<t:Community xmlns:t=\"urn:trunkline:soap\">public</t:Community>";
    let (status, answer) = ask(&mut link, &token, community, "<wse:GetStatus/>").await;
    assert!(status == 400 && answer.contains("t:twoIdentities"), "{answer}");
}
