//! Subscriptions to data, with a clock that only the test moves.

use trunkline_netconf::{BASE, PUSH, SUBSCRIBED};
use trunkline_yang::own::ALL;

use super::*;

fn rpc(operation: &str, inner: &str) -> Rpc {
    let text = format!(
        "<rpc xmlns='{BASE}' message-id='1' xmlns:ds='urn:ietf:params:xml:ns:yang:ietf-datastores'>\
         <{operation} xmlns='{SUBSCRIBED}' xmlns:yp='{PUSH}'>{inner}</{operation}></rpc>"
    );
    Rpc::read(text.as_bytes(), 10_000).unwrap()
}

const STORE: &str = "<yp:datastore>ds:operational</yp:datastore>";

fn establish(now: Now, inner: &str) -> Result<DataPush, RpcError> {
    let request = rpc("establish-subscription", &format!("{STORE}{inner}"));
    DataPush::establish(request, now, Instances::new()).map_err(|refused| refused.1)
}

fn modify(push: &mut DataPush, now: Now, inner: &str) -> Result<(), RpcError> {
    let request = rpc("modify-subscription", &format!("<id>1</id>{STORE}{inner}"));
    push.modify(request, now, None).map_err(|refused| refused.1)
}

/// A clock.
struct Clock(Now);

impl Clock {
    /// At noon of some day.
    fn new() -> Self {
        let wall = SystemTime::UNIX_EPOCH + Duration::from_secs(1_764_072_000);
        Clock(Now { wall, instant: Instant::now() })
    }

    fn after(&mut self, milliseconds: u64) -> Now {
        let passed = Duration::from_millis(milliseconds);
        self.0 = Now { wall: self.0.wall + passed, instant: self.0.instant + passed };
        self.0
    }
}

fn forest() -> Forest {
    ALL.into_iter().fold(Forest::of(&[]), Forest::with)
}

fn contact(forest: &Forest, value: &str) -> Instances {
    let system = forest.child_of(None, "ietf-system", "system").unwrap();
    let mut all = Instances::new();
    all.open(system);
    all.leaf(forest.child(Some(system), "contact").unwrap(), value);
    all.close();
    all
}

#[test]
fn a_periodic_one_is_due_at_once_and_then_by_its_period() {
    let mut clock = Clock::new();
    let mut push = establish(clock.0, "<yp:periodic><yp:period>1000</yp:period></yp:periodic>").unwrap();
    assert!(push.is_due(clock.0) && !push.is_on_change());
    push.sent(clock.0);
    assert!(!push.is_due(clock.after(9_999)));
    assert_eq!(push.rest(clock.0), Duration::from_millis(1));
    assert!(push.is_due(clock.after(1)));
    // The reader was slow: what was missed is left out.
    push.sent(clock.after(25_000));
    assert_eq!(push.rest(clock.0), Duration::from_secs(5));
    // News is nothing to it.
    push.news(clock.0);
    assert!(!push.is_due(clock.0));
    modify(&mut push, clock.0, "<yp:periodic><yp:period>200</yp:period></yp:periodic>").unwrap();
    assert!(push.is_due(clock.0));
    push.sent(clock.0);
    assert_eq!(push.rest(clock.0), Duration::from_secs(2));
}

#[test]
fn an_anchor_says_when_and_a_stop_time_until_when() {
    let mut clock = Clock::new();
    let inner = "<yp:periodic><yp:period>6000</yp:period><yp:anchor-time>2025-11-25T12:00:10Z</yp:anchor-time></yp:periodic>\
                 <stop-time>2025-11-25T12:02:00Z</stop-time>";
    let mut push = establish(clock.0, inner).unwrap();
    assert!(!push.is_due(clock.0));
    assert_eq!(push.rest(clock.0), Duration::from_secs(10));
    assert!(push.is_due(clock.after(10_000)) && !push.is_over(clock.0));
    push.sent(clock.0);
    assert_eq!(push.rest(clock.0), Duration::from_secs(60));
    push.sent(clock.after(60_000));
    assert_eq!(push.rest(clock.0), Duration::from_secs(50));
    assert!(push.is_over(clock.after(50_000)));
    for (inner, meant) in [
        (
            "<yp:periodic><yp:period>99</yp:period></yp:periodic>",
            "invalid-value (ietf-yang-push:period-unsupported): a period is at least 100 hundredths of a second, found 99; a period of \
             100 hundredths of a second would do",
        ),
        (
            "<yp:periodic><yp:period>100</yp:period><yp:anchor-time>noon</yp:anchor-time></yp:periodic>",
            "invalid-value: anchor-time must be a time such as 2026-11-25T10:00:00Z, found noon",
        ),
        (
            "<yp:on-change/><stop-time>2025-11-25T12:01:00Z</stop-time>",
            "invalid-value: stop-time must be in the future, and this time has passed",
        ),
    ] {
        assert_eq!(establish(clock.0, inner).unwrap_err().to_string(), meant);
    }
    let startup = rpc("establish-subscription", "<yp:datastore>ds:startup</yp:datastore><yp:on-change/>");
    let refused = DataPush::establish(startup, clock.0, Instances::new()).unwrap_err();
    assert_eq!(refused.1.app_tag.as_deref(), Some("ietf-yang-push:datastore-not-subscribable"));
}

#[test]
fn changes_are_sent_once_and_not_too_often() {
    let (forest, mut clock) = (forest(), Clock::new());
    let inner = "<yp:on-change><yp:dampening-period>500</yp:dampening-period></yp:on-change>";
    let mut push = establish(clock.0, inner).unwrap();
    let look = |push: &mut DataPush, now: Now, value: &str| {
        assert!(push.is_due(now));
        match push.looked(&forest, now, Duration::ZERO, 7, Ok(contact(&forest, value))) {
            Looked { first: None, data: Data::Nothing } => "nothing".to_owned(),
            Looked { first: None, data: Data::Whole } => "whole".to_owned(),
            Looked { first: None, data: Data::Changes { edits, patch, .. } } => {
                format!("{patch}: {} {}", edits[0].operation.name(), edits.len())
            }
            looked => format!("{looked:?}"),
        }
    };
    assert_eq!(look(&mut push, clock.0, "one"), "whole");
    // Nothing is read while it is dampened, whatever happens.
    push.news(clock.after(4_000));
    assert!(!push.is_due(clock.0));
    assert_eq!(look(&mut push, clock.after(1_000), "two"), "1: replace 1");
    assert_eq!(look(&mut push, clock.after(5_000), "two"), "nothing");
    // Without news it is read each second, and with news at once.
    assert_eq!(push.rest(clock.0), LOOK);
    push.news(clock.after(1));
    assert_eq!(look(&mut push, clock.0, "three"), "2: replace 1");
    push.resync(clock.after(1)).unwrap();
    assert_eq!(look(&mut push, clock.0, "three"), "whole");
    modify(&mut push, clock.0, "<yp:on-change><yp:dampening-period>0</yp:dampening-period></yp:on-change>")
        .unwrap();
    let error =
        modify(&mut push, clock.0, "<yp:periodic><yp:period>100</yp:period></yp:periodic>").unwrap_err();
    assert_eq!(error.tag, Tag::OperationNotSupported);
    assert!(push.known().unwrap().len() > 1);
}

#[test]
fn what_takes_long_is_done_the_less_often() {
    let (forest, mut clock) = (forest(), Clock::new());
    let mut push =
        establish(clock.0, "<yp:on-change><yp:sync-on-start>false</yp:sync-on-start></yp:on-change>")
            .unwrap();
    let looked = push.looked(&forest, clock.after(500), Duration::from_millis(500), 7, Ok(Instances::new()));
    assert!(matches!(looked.data, Data::Nothing) && looked.first.is_none());
    push.news(clock.after(4_000));
    assert_eq!(push.rest(clock.0), Duration::from_millis(500));
    // It was not to be sent all.
    assert_eq!(
        push.resync(clock.0).unwrap_err().app_tag.as_deref(),
        Some("ietf-yang-push:on-change-sync-unsupported")
    );
}

#[test]
fn what_cannot_be_read_suspends_until_it_can() {
    let (forest, mut clock) = (forest(), Clock::new());
    let mut push = establish(clock.0, "<yp:on-change/>").unwrap();
    let failed = || Err(RpcError::new(Layer::Protocol, Tag::ResourceDenied, "too much"));
    let look = |push: &mut DataPush, now: Now, found: Found| {
        let Looked { first, data } = push.looked(&forest, now, Duration::ZERO, 7, found);
        let first = first.map(|it| String::from_utf8(it).unwrap()).unwrap_or_default();
        let name = first.split('<').find(|it| it.starts_with("subscription-")).unwrap_or_default().to_owned();
        (name.split(' ').next().unwrap_or_default().to_owned(), matches!(data, Data::Whole))
    };
    assert_eq!(look(&mut push, clock.0, Ok(Instances::new())), (String::new(), true));
    assert_eq!(look(&mut push, clock.after(1_000), failed()), ("subscription-suspended".into(), false));
    assert!(push.is_suspended());
    assert_eq!(look(&mut push, clock.after(1_000), failed()), (String::new(), false));
    let found = Ok(contact(&forest, "one"));
    assert_eq!(look(&mut push, clock.after(1_000), found), ("subscription-resumed".into(), true));
    assert!(!push.is_suspended());
    let error = comparable(failed(), During::Establish).unwrap_err();
    assert_eq!(error.app_tag.as_deref(), Some("ietf-yang-push:update-too-big"));
    let mut large = Instances::new();
    let leaf = forest.roots()[0];
    large.leaf(leaf, &"x".repeat(MOST_KNOWN));
    assert_eq!(comparable(Ok(large), During::Modify).unwrap_err().tag, Tag::TooBig);
}
