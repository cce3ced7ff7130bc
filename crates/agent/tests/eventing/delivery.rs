//! Subscribers that are slow, or gone: they delay nobody, take no more than their room, and lose their subscription.

use std::fmt::Write;
use std::net::TcpListener;

use trunkline_client::eventing::{Ended, Endpoint};

use super::sink::Sink;
use super::support::Agent;
use super::talk::{everything, only, refused, source};
use super::{OPEN, monitor};

#[tokio::test]
async fn a_slow_subscriber_delays_nobody_and_misses_events() {
    let agent = Agent::start(OPEN);
    let (mut slow, mut quick) = (Sink::start(), Sink::start());
    let source = source(&agent, "public");
    slow.hold();
    let granted = source.subscribe(only(&slow, "/slow", &["monitorRising"])).await.unwrap();
    source.subscribe(only(&quick, "/quick", &["monitorFalling", "coldStart"])).await.unwrap();
    // More than may wait for one subscriber, plus the one being sent.
    let mut config = OPEN.to_owned();
    for number in 0..300 {
        config.push_str(&monitor(&format!("m{number}"), ""));
    }
    let _ = write!(config, "{}", monitor("falling", "").replace("above = 0", "below = 1000000"));
    let before = agent.resident();
    agent.rewrite(&config);
    agent.signal("HUP");
    slow.notification().await;
    agent.wait_for("too many notifications wait for this subscriber");
    for _ in 0..2 {
        quick.notification().await;
    }
    assert!(agent.resident() < before + (24 << 20), "{} after {before}", agent.resident());
    // Some forty were dropped; one line reports it.
    agent.signal("USR1");
    let lines = agent.lines_until(" counted ");
    assert!(!lines.iter().any(|line| line.contains("too many notifications")), "{lines:#?}");
    // Messages in transit are not waited for.
    source.unsubscribe(&granted.identifier).await.unwrap();
    slow.release();
    agent.terminate();
    assert!(slow.rest().is_empty(), "who has unsubscribed is told nothing");
}

#[tokio::test]
async fn a_subscriber_that_is_gone_loses_its_subscription_and_others_keep_theirs() {
    let agent = Agent::start(OPEN);
    let (mut sink, source) = (Sink::start(), source(&agent, "public"));
    let closed = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let mut gone = everything(&sink, "/");
    gone.notify_to.address = format!("http://{closed}/a-secret-path");
    let nowhere = Endpoint { address: format!("http://{closed}/"), parameters: Vec::new() };
    let mut silent = gone.clone();
    silent.end_to = Some(nowhere);
    let gone = source.subscribe(gone).await.unwrap();
    let silent = source.subscribe(silent).await.unwrap();
    source.subscribe(only(&sink, "/there", &["warmStart"])).await.unwrap();
    agent.signal("HUP");
    // At once, while the others are tried again and again.
    sink.notification().await;
    assert_eq!(sink.end().await, Ended::DeliveryFailure);
    let line = agent.wait_for("a subscriber cannot be reached, its subscription ends");
    assert!(line.contains(&format!("to=http://{closed} ")) && !line.contains("a-secret-path"), "{line}");
    for granted in [gone, silent] {
        while source.status(&granted.identifier).await.is_ok() {}
        assert_eq!(refused(source.renew(&granted.identifier, None).await), "UnableToRenew");
    }
    agent.signal("HUP");
    sink.notification().await;
}

#[tokio::test]
async fn a_refusing_subscriber_is_retried_and_then_dropped() {
    let agent = Agent::start(OPEN);
    let (mut sink, mut ends) = (Sink::start(), Sink::start());
    let mut subscribe = everything(&sink, "/told");
    subscribe.end_to = Some(Endpoint { address: ends.url("/end"), parameters: Vec::new() });
    source(&agent, "public").subscribe(subscribe).await.unwrap();
    // It comes to itself again in time.
    sink.answer(503);
    agent.signal("HUP");
    let first = sink.notification().await;
    sink.answer(200);
    assert_eq!(sink.notification().await, first, "the same again");
    agent.wait_for("configuration reloaded");
    // A redirection is followed nowhere.
    sink.answer(307);
    agent.signal("HUP");
    for _ in 0..3 {
        sink.notification().await;
    }
    let posted = ends.next().await;
    assert!(
        posted.body.contains("<wse:Identifier>") && posted.body.contains("/soap/events<"),
        "{}",
        posted.body
    );
    assert!(posted.body.contains("notifications did not arrive"), "{}", posted.body);
    let line = agent.wait_for("a subscriber cannot be reached, its subscription ends");
    assert!(line.contains("307"), "{line}");
    agent.terminate();
    assert!(sink.rest().is_empty() && ends.rest().is_empty());
}
