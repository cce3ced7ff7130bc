//! The snmp group counts each thing exactly (RFC 3418).

use crate::support::talk::{Talk, counts_of};
use crate::support::{Agent, steady};

#[test]
fn each_request_counts_what_it_is() {
    let agent = Agent::start(&steady(""));
    let talk = Talk::to(&agent);
    talk.check(&[("2c public get ifIndex.1", "noError 0 ifIndex.1=i:1")]);
    for (request, counted) in [
        ("2c public get sysDescr.0", "InGetRequests InTotalReqVars"),
        ("1 public get sysDescr.0", "InGetRequests InTotalReqVars"),
        ("2c public get sysDescr.0 sysName.0 ifDescr.1", "InGetRequests InTotalReqVars=3"),
        ("2c public get", "InGetRequests"),
        // An exception is not an object that was retrieved.
        ("2c public get sysDescr.1 2.999 sysName.0", "InGetRequests InTotalReqVars"),
        ("2c public next sysDescr sysName", "InGetNexts InTotalReqVars=2"),
        ("2c public next 2.999", "InGetNexts"),
        ("2c public bulk 0 4 sysDescr", "InTotalReqVars=4"),
        ("2c public bulk 1 4 sysDescr ifIndex", "InTotalReqVars=5"),
        ("1 public get sysDescr.0 2.999", "InGetRequests OutNoSuchNames"),
        ("1 public next 2.999", "InGetNexts OutNoSuchNames"),
        ("2c private set sysContact.0=s:x sysName.0=s:y", "InSetRequests InTotalSetVars=2"),
        ("1 private set sysContact.0=s:x", "InSetRequests InTotalSetVars"),
        ("2c private set sysContact.0=i:1", "InSetRequests"),
        ("1 private set sysContact.0=i:1", "InSetRequests OutBadValues"),
        ("1 private set sysDescr.0=s:x", "InSetRequests OutNoSuchNames"),
        ("2c private set sysContact.0=s:x sysDescr.0=s:x", "InSetRequests"),
        // The operation is not one that the community allows.
        ("2c public set sysContact.0=s:x", "InSetRequests InBadCommunityUses"),
        ("1 public set sysContact.0=s:x", "InSetRequests InBadCommunityUses OutNoSuchNames"),
    ] {
        let grown = talk.grown_by(|| drop(talk.ask(request)));
        assert_eq!(grown, counts_of(&format!("InPkts OutPkts OutGetResponses {counted}")), "{request}");
    }
}

#[test]
fn requests_over_both_transports_and_from_many_peers_are_added_up() {
    let agent = Agent::start(&steady(""));
    let talk = Talk::to(&agent);
    let others: Vec<Talk> = (0..5).map(|_| Talk::to(&agent)).collect();
    let mut stream = crate::support::connect(agent.tcp());
    let grown = talk.grown_by(|| {
        for _ in 0..20 {
            for other in &others {
                other.ask("2c public get sysDescr.0");
            }
            let question = crate::support::talk::parse("2c public get sysDescr.0").encode();
            std::io::Write::write_all(&mut stream, &question).unwrap();
            crate::support::read_message(&mut stream).unwrap();
        }
    });
    let all = "InPkts=120 OutPkts=120 OutGetResponses=120 InGetRequests=120 InTotalReqVars=120";
    assert_eq!(grown, counts_of(all));
}

#[test]
fn answers_that_do_not_fit_are_counted() {
    let small = steady("[system]\ndescription = \"").replace("[snmp]", "[snmp]\nmax-message-size = 484");
    let agent = Agent::start(&format!("{small}{}\"\n", "d".repeat(240)));
    let talk = Talk::to(&agent);
    let grown = talk.grown_by(|| {
        for request in ["1 public get sysDescr.0 sysDescr.0", "2c public get sysDescr.0 sysDescr.0"] {
            talk.ask(request);
        }
    });
    assert_eq!(grown, counts_of("InPkts=2 OutPkts=2 OutGetResponses=2 InGetRequests=2 OutTooBigs=2"));
}
