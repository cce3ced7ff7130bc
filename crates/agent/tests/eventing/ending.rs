//! How subscriptions end that nobody has ended: with the agent, and when it answers there no longer.

use std::net::TcpListener;

use trunkline_client::eventing::{Ended, Endpoint, Told};
use trunkline_smi::module::net_snmp_mib::NS_NOTIFY_SHUTDOWN;

use super::OPEN;
use super::sink::Sink;
use super::support::Agent;
use super::talk::{everything, refused, source};

#[tokio::test]
async fn the_agents_shutdown_is_announced_without_a_long_wait() {
    let mut agent = Agent::start(OPEN);
    let (mut sink, mut held, source) = (Sink::start(), Sink::start(), source(&agent, "public"));
    source.subscribe(everything(&sink, "/")).await.unwrap();
    // One that requests no end message, one that does not exist, and one that does not answer.
    let mut quiet = everything(&sink, "/");
    quiet.end_to = None;
    source.subscribe(quiet).await.unwrap();
    let closed = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let mut gone = everything(&sink, "/");
    gone.end_to = Some(Endpoint { address: format!("http://{closed}/"), parameters: Vec::new() });
    source.subscribe(gone).await.unwrap();
    source.subscribe(everything(&held, "/")).await.unwrap();
    held.hold();
    agent.signal("TERM");
    // Each gets the last notification; one of these has an end that arrives.
    let mut ends = Vec::new();
    for _ in 0..4 {
        let posted = sink.next().await;
        match posted.told {
            Told::Notification(last) => assert_eq!(last.oid[..], *NS_NOTIFY_SHUTDOWN.oid),
            Told::End(_) => ends.push(posted),
        }
    }
    let [end] = &ends[..] else { panic!("{ends:?}") };
    assert!(end.path == "/end" && end.body.contains("the agent is shutting down"), "{end:?}");
    assert_eq!(held.notification().await.oid[..], *NS_NOTIFY_SHUTDOWN.oid);
    assert_eq!(held.end().await, Ended::SourceShuttingDown);
    assert!(super::support::ends_well(&mut agent));
    assert!(sink.rest().is_empty());
}

#[tokio::test]
async fn subscriptions_do_not_survive_a_restart() {
    let agent = Agent::start(OPEN);
    let sink = Sink::start();
    let granted = source(&agent, "public").subscribe(everything(&sink, "/")).await.unwrap();
    let agent = Agent::start_in(agent.terminate(), OPEN);
    let source = source(&agent, "public");
    assert_eq!(refused(source.renew(&granted.identifier, None).await), "UnableToRenew");
    let again = source.subscribe(everything(&sink, "/")).await.unwrap();
    assert_ne!(again.identifier, granted.identifier);
}

#[tokio::test]
async fn without_its_door_no_event_is_sent() {
    let agent = Agent::start(OPEN);
    let mut sink = Sink::start();
    for without in [
        String::new(),
        format!("[http]\nlisten = [\"http://{}\"]\ndoors = [\"select\"]\n", agent.address("http")),
    ] {
        source(&agent, "public").subscribe(everything(&sink, "/")).await.unwrap();
        let (open, _) = OPEN.split_once("[http]").unwrap();
        agent.rewrite(&format!("{open}{without}"));
        agent.signal("HUP");
        assert_eq!(sink.end().await, Ended::SourceCancelling);
        agent.wait_for("configuration reloaded");
        let same = format!("{open}[http]\nlisten = [\"http://{}\"]\n", agent.address("http"));
        agent.rewrite(&same);
        agent.signal("HUP");
        agent.wait_for("configuration reloaded");
    }
    agent.terminate();
    assert!(sink.rest().is_empty());
}
