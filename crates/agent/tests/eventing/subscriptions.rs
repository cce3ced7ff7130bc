//! A subscription's life: created, renewed, queried, ended; its owner; how many there may be.

use std::time::Duration;

use trunkline_client::eventing::{Endpoint, Subscribe, Told};
use trunkline_smi::Value;
use trunkline_smi::module::net_snmp_mib::NS_NOTIFY_SHUTDOWN;
use trunkline_smi::module::snmpv2_mib::{COLD_START, WARM_START};
use trunkline_soap::envelope::Version;
use trunkline_soap::eventing::Parameter;

use super::sink::Sink;
use super::support::Agent;
use super::talk::{everything, only, refused, seconds, source, source_in, subscribe_from};
use super::{OPEN, monitor};

#[tokio::test]
async fn made_renewed_asked_about_and_ended() {
    let (agent, mut sink) = (Agent::start(OPEN), Sink::start());
    for version in [Version::V1_1, Version::V1_2] {
        let source = source_in(&agent, "public", version);
        let mut subscribe = everything(&sink, "/told?who=me");
        subscribe.expires = seconds(600);
        let (namespace, local) = ("urn:of:the:subscriber".to_owned(), "Mine".to_owned());
        subscribe.notify_to.parameters = vec![Parameter { namespace, local, text: "a<b".into() }];
        let granted = source.subscribe(subscribe).await.unwrap();
        assert_eq!(granted.expires, Duration::from_secs(600));
        let left = source.status(&granted.identifier).await.unwrap();
        assert!(left <= Duration::from_secs(600), "{left:?}");

        agent.signal("HUP");
        let posted = sink.next().await;
        assert_eq!(posted.path, "/told");
        for part in [version.namespace(), "<p:Mine xmlns:p=\"urn:of:the:subscriber\">a&lt;b</p:Mine>"] {
            assert!(posted.body.contains(part), "{part}: {}", posted.body);
        }
        let Told::Notification(told) = posted.told else { panic!("{posted:?}") };
        assert_eq!((&told.oid[..], &told.objects[..]), (WARM_START.oid, &[][..]));

        // A longer time than before, and one of the agent's choice.
        let renewed = source.renew(&granted.identifier, seconds(7200)).await.unwrap();
        assert_eq!(renewed, Duration::from_secs(7200));
        assert!(source.status(&granted.identifier).await.unwrap() > Duration::from_secs(600));
        assert_eq!(source.renew(&granted.identifier, None).await.unwrap(), Duration::from_secs(3600));
        let longest = source.renew(&granted.identifier, seconds(1_000_000)).await.unwrap();
        assert_eq!(longest, Duration::from_secs(24 * 3600));

        source.unsubscribe(&granted.identifier).await.unwrap();
        assert_eq!(refused(source.status(&granted.identifier).await), "InvalidMessage");
        assert_eq!(refused(source.unsubscribe(&granted.identifier).await), "InvalidMessage");
        assert_eq!(refused(source.renew(&granted.identifier, None).await), "UnableToRenew");
    }
    agent.wait_for("configuration reloaded");
    agent.wait_for("configuration reloaded");
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    agent.terminate();
    assert!(sink.rest().is_empty(), "who has unsubscribed is told nothing, not even the end");
}

#[tokio::test]
async fn a_subscription_that_is_not_renewed_expires() {
    let (agent, mut sink) = (Agent::start(OPEN), Sink::start());
    let source = source(&agent, "public");
    let mut short = everything(&sink, "/short");
    short.expires = seconds(1);
    let granted = source.subscribe(short).await.unwrap();
    agent.wait_for("a subscription has ended: it was not renewed");
    assert_eq!(refused(source.status(&granted.identifier).await), "InvalidMessage");
    assert_eq!(refused(source.renew(&granted.identifier, seconds(60)).await), "UnableToRenew");
    source.subscribe(everything(&sink, "/long")).await.unwrap();
    agent.signal("HUP");
    assert_eq!(sink.next().await.path, "/long");
    agent.terminate();
    let rest = sink.rest();
    let paths: Vec<&str> = rest.iter().map(|posted| posted.path.as_str()).collect();
    assert_eq!(paths, ["/long", "/end"], "an end that was agreed on is not told: {rest:?}");
    let Told::Notification(ending) = &rest[0].told else { panic!("{rest:?}") };
    assert_eq!(ending.oid[..], *NS_NOTIFY_SHUTDOWN.oid);
}

#[tokio::test]
async fn filters_take_names_and_numbers() {
    let (agent, mut sink) = (Agent::start(OPEN), Sink::start());
    let source = source(&agent, "public");
    for (path, names) in [
        ("/name", vec!["coldStart"]),
        ("/full", vec!["SNMPv2-MIB::coldStart", "linkUp"]),
        ("/number", vec!["1.3.6.1.6.3.1.1.5.1"]),
        ("/prefix", vec!["1.3.6.1.6.3"]),
        ("/other", vec!["linkDown", "1.3.6.1.6.3.1.1.5.2", "1.3.6.1.6.3.1.1.5.1.0"]),
    ] {
        source.subscribe(only(&sink, path, &names)).await.unwrap();
    }
    // Another configuration: that is a cold start.
    agent.rewrite(&format!("{OPEN}{}", monitor("m", "")));
    agent.signal("HUP");
    let mut told = Vec::new();
    for _ in 0..4 {
        let posted = sink.next().await;
        let Told::Notification(told_now) = posted.told else { panic!("{posted:?}") };
        assert_eq!(&told_now.oid[..], COLD_START.oid);
        told.push(posted.path);
    }
    told.sort();
    assert_eq!(told, ["/full", "/name", "/number", "/prefix"]);
    agent.terminate();
    assert!(sink.rest().iter().all(|posted| posted.path == "/end"));
}

#[tokio::test]
async fn events_contain_objects_with_their_values() {
    let (agent, mut sink) = (Agent::start(OPEN), Sink::start());
    let source = source(&agent, "public");
    source.subscribe(only(&sink, "/", &["monitorRising"])).await.unwrap();
    agent.rewrite(&format!("{OPEN}{}", monitor("m", "\"1.3.6.1.2.1.1.7.0\"")));
    agent.signal("HUP");
    let told = sink.notification().await;
    assert_eq!(told.objects.len(), 4, "{told:?}");
    assert_eq!(told.objects[0].1, Value::text("m"));
    let services = told.objects[3].1.clone();
    assert_eq!(trunkline_snmp::wire::Bound::Value(services), agent.get("1.3.6.1.2.1.1.7.0"));
}

#[tokio::test]
async fn nobody_manages_the_subscriptions_of_others() {
    let (agent, mut sink) = (Agent::start(OPEN), Sink::start());
    let (own, other) = (source(&agent, "public"), source(&agent, "private"));
    let granted = own.subscribe(everything(&sink, "/own")).await.unwrap();
    for identifier in [granted.identifier.as_str(), "", "0-1", "<&>"] {
        assert_eq!(refused(other.status(identifier).await), "InvalidMessage");
        assert_eq!(refused(other.unsubscribe(identifier).await), "InvalidMessage");
        assert_eq!(refused(other.renew(identifier, seconds(1)).await), "UnableToRenew");
    }
    assert!(own.status(&granted.identifier).await.unwrap() > Duration::from_secs(60));
    agent.signal("HUP");
    assert_eq!(sink.next().await.path, "/own");
}

#[tokio::test]
async fn the_number_of_subscriptions_is_limited() {
    let other = "[[snmp.community]]\nname = \"other\"\naccess = \"read\"\n";
    let mut agent = Agent::start(&format!("{OPEN}{other}"));
    let (sink, before) = (Sink::start(), agent.anonymous());
    let (public, private) = (source(&agent, "public"), source(&agent, "private"));
    let mut last = None;
    for _ in 0..16 {
        last = Some(public.subscribe(everything(&sink, "/")).await.unwrap());
    }
    // One address leaves room for others, whatever its identity.
    for _ in 0..100 {
        assert_eq!(refused(public.subscribe(everything(&sink, "/")).await), "EventSourceUnableToProcess");
        assert_eq!(refused(private.subscribe(everything(&sink, "/")).await), "EventSourceUnableToProcess");
    }
    // So does one community, and there is an end for all together.
    for (community, source, status) in [
        ("public", "127.0.0.2", 200),
        ("public", "127.0.0.3", 500),
        ("private", "127.0.0.3", 200),
        ("private", "127.0.0.4", 200),
        ("other", "127.0.0.5", 500),
    ] {
        let count = if status == 200 { 16 } else { 1 };
        for _ in 0..count {
            let (found, body) = subscribe_from(agent.address("http"), source, community).await;
            assert_eq!(found, status, "{source} {body}");
            assert!(found == 200 || body.contains("subscriptions"), "{body}");
        }
    }
    public.unsubscribe(&last.unwrap().identifier).await.unwrap();
    public.subscribe(everything(&sink, "/")).await.unwrap();
    assert!(agent.anonymous() < before + (16 << 20), "{} after {before}", agent.anonymous());
    assert!(agent.is_alive());
}

#[tokio::test]
async fn addresses_other_than_http_are_refused() {
    let (agent, sink) = (Agent::start(OPEN), Sink::start());
    let source = source(&agent, "public");
    let mut addresses = vec!["ftp://localhost/", "/told", "", "http://", "http://a b/", "file:///etc/passwd"];
    addresses.extend(["mailto:a@b", "http://user:secret@localhost/", "http://localhost:0/", "https://"]);
    for address in addresses {
        let wrong = Endpoint { address: address.to_owned(), parameters: Vec::new() };
        let (mut notify_to, mut end_to) = (everything(&sink, "/"), everything(&sink, "/"));
        notify_to.notify_to = wrong.clone();
        end_to.end_to = Some(wrong);
        assert_eq!(refused(source.subscribe(notify_to).await), "InvalidMessage", "{address}");
        assert_eq!(refused(source.subscribe(end_to).await), "InvalidMessage", "{address}");
    }
    // An agent without certificates trusts nobody.
    let mut secure = everything(&sink, "/");
    secure.notify_to.address = "https://localhost/".into();
    assert_eq!(refused(source.subscribe(secure).await), "EventSourceUnableToProcess");
    let unknown = source.subscribe(only(&sink, "/", &["linkSideways"])).await;
    assert_eq!(refused(unknown), "FilteringRequestedUnavailable");
}

#[tokio::test]
async fn the_memory_of_a_subscription_is_bounded() {
    let (agent, sink) = (Agent::start(OPEN), Sink::start());
    let source = source(&agent, "public");
    let long = "x".repeat(4096);
    let parameter =
        |text: &str| Parameter { namespace: "urn:x".into(), local: "Y".into(), text: text.into() };
    let mut parameters = everything(&sink, "/");
    parameters.notify_to.parameters = vec![parameter(&long)];
    let mut many = everything(&sink, "/");
    many.notify_to.parameters = vec![parameter(&long[..1500])];
    many.end_to.as_mut().unwrap().parameters = vec![parameter(&long[..1300]), parameter(&long[..1300])];
    for subscribe in [parameters, many, everything(&sink, &format!("/{long}")), only(&sink, "/", &[&long])] {
        assert_eq!(refused(source.subscribe(subscribe).await), "InvalidMessage");
    }
    let mut enough = everything(&sink, "/");
    enough.notify_to.parameters = vec![parameter(&long[..3500])];
    source.subscribe(enough).await.unwrap();
}

#[tokio::test]
async fn events_go_to_the_subscriber_and_to_configured_networks_alone() {
    let agent = Agent::start(OPEN);
    let to = |address: String| Subscribe {
        notify_to: Endpoint { address, parameters: Vec::new() },
        end_to: None,
        expires: None,
        filter: None,
    };
    let own = format!("http://{}/soap", agent.address("http"));
    let refused_ones =
        ["http://192.0.2.1/", "http://169.254.169.254/latest", "http://[fe80::1]/", "http://0.0.0.0/", &own];
    let source = source(&agent, "public");
    for address in refused_ones {
        let asked = source.subscribe(to(address.to_owned())).await;
        assert_eq!(refused(asked), "EventSourceUnableToProcess", "{address}");
        let sink = Sink::start();
        let end_to = Some(Endpoint { address: address.to_owned(), parameters: Vec::new() });
        let asked = source.subscribe(Subscribe { end_to, ..everything(&sink, "/") }).await;
        assert_eq!(refused(asked), "EventSourceUnableToProcess", "{address}");
    }
    // A name is looked up when there is something to send: this one is 127.0.0.2, and not who subscribes.
    source.subscribe(to("http://127.2:9/".into())).await.unwrap();
    agent.signal("HUP");
    let line = agent.wait_for("a subscriber cannot be reached");
    assert!(line.contains("event-targets"), "{line}");
    agent.rewrite(&OPEN.replace("[http]", "[http]\nevent-targets = [\"192.0.2.0/24\", \"127.0.0.2\"]"));
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    source.subscribe(to("http://192.0.2.1/".into())).await.unwrap();
    source.subscribe(to("http://127.0.0.2:9/".into())).await.unwrap();
}

#[tokio::test]
async fn a_principal_without_a_notify_view_may_not_subscribe() {
    let role = "[[role]]\nname = \"reader\"\nread = [\"1.3.6.1\"]\n";
    let open = OPEN.replace("name = \"public\"\naccess = \"read\"", "name = \"public\"\nrole = \"reader\"");
    let (agent, sink) = (Agent::start(&format!("{open}{role}")), Sink::start());
    let asked = source(&agent, "public").subscribe(everything(&sink, "/")).await;
    assert_eq!(refused(asked), "forbidden");
    source(&agent, "private").subscribe(everything(&sink, "/")).await.unwrap();
}
