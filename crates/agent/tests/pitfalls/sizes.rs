//! Answers at the limit of the message size: tooBig, silence, and a GetBulk that is cut but full.

use trunkline_snmp::wire::{Message, PduKind, VarBind};

use crate::support::talk::{Talk, parse};
use crate::support::{Agent, connect, read_message, steady};

/// An agent that sends at most `limit` octets; sysDescr has 240.
fn agent(limit: usize) -> Agent {
    let config = steady("[system]\ndescription = \"")
        .replace("[snmp]", &format!("[snmp]\nmax-message-size = {limit}"));
    Agent::start(&format!("{config}{}\"\n", "d".repeat(240)))
}

/// Has every group loaded: a GetBulk may end where one would have to be (RFC 3416 section 4.2.3), and what
/// is tested here is the limit of the size.
fn read_everything(talk: &Talk) {
    let mut request = parse("2c public bulk 0 200 1.3");
    loop {
        let answer = talk.exchange(&request);
        let last = answer.pdu.bindings.last().unwrap();
        if last.value.value().is_none() {
            return;
        }
        request.pdu.bindings = vec![VarBind::unspecified(last.name.clone())];
    }
}

/// `text` with `word` repeated: `NAME*30`.
fn repeated(text: &str) -> String {
    let word = |word: &str| match word.split_once('*') {
        Some((word, times)) if !times.is_empty() => vec![word; times.parse().unwrap()].join(" "),
        _ => word.to_string(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn too_big_has_no_bindings_in_version_2_and_the_request_s_in_version_1() {
    let agent = agent(484);
    let talk = Talk::to(&agent);
    for (request, answer) in [
        ("2c public get sysDescr.0", "noError 0 sysDescr.0=s:dddd*"),
        ("2c public get sysDescr.0*2", "tooBig 0"),
        ("1 public get sysDescr.0*2", "tooBig 0 sysDescr.0=null*2"),
        ("2c public next sysDescr*2", "tooBig 0"),
        ("1 public next sysDescr*2", "tooBig 0 sysDescr=null*2"),
        ("2c public get sysDescr.0 ifNumber.0 sysDescr.0", "tooBig 0"),
        // The request alone is longer than an answer may be.
        ("2c public get sysUpTime.0*40", "tooBig 0"),
        ("2c public get 2.999*60", "tooBig 0"),
        ("2c public next 2.999*60", "tooBig 0"),
    ] {
        talk.check(&[(&repeated(request), &repeated(answer))]);
    }
}

#[test]
fn an_error_that_does_not_fit_is_too_big_or_silence() {
    let agent = agent(484);
    let talk = Talk::to(&agent);
    let long = "s:".to_string() + &"x".repeat(200);
    let octets = |text: &str| parse(&repeated(&text.replace("LONG", &long))).encode();
    talk.check_silence(&[
        ("a Get", octets("1 public get sysUpTime.0*40"), "InGetRequests SilentDrops"),
        ("a GetNext", octets("1 public next sysUpTime*40"), "InGetNexts SilentDrops"),
        ("noSuchName", octets("1 public get 2.999 sysUpTime.0*40"), "InGetRequests SilentDrops"),
        (
            "a Set",
            octets("1 private set sysContact.0=LONG sysName.0=LONG sysLocation.0=LONG"),
            "InSetRequests SilentDrops",
        ),
        (
            "a wrong Set",
            octets("1 private set sysDescr.0=LONG sysName.0=LONG sysLocation.0=LONG"),
            "InSetRequests SilentDrops",
        ),
    ]);
    // RFC 3416 section 4.2.5: a Set whose answer would not fit is not even tried.
    let set = "2c private set sysContact.0=LONG sysName.0=LONG sysLocation.0=LONG".replace("LONG", &long);
    let wrong = "2c private set sysDescr.0=LONG sysName.0=LONG sysLocation.0=LONG".replace("LONG", &long);
    talk.check(&[
        (&set, "tooBig 0"),
        (&wrong, "tooBig 0"),
        ("2c public get sysContact.0 sysLocation.0", "noError 0 sysContact.0=s: sysLocation.0=s:"),
    ]);
}

/// The largest possible error-status and error-index must fit too, or a Set is not tried.
#[test]
fn a_set_at_the_limit_is_made_as_a_whole_or_not_at_all() {
    let agent = agent(484);
    let talk = Talk::to(&agent);
    let request = |length: usize| {
        let (first, second) = ("x".repeat(255), "y".repeat(length - 255));
        parse(&format!("2c private set sysContact.0=s:{first} sysLocation.0=s:{second}"))
    };
    let mut made = 0;
    for length in 380..430 {
        let request = request(length);
        let answer = talk.exchange(&request);
        if answer.pdu.error_status == 0 {
            made += 1;
            assert!(answer.encode().len() <= 484);
            assert_eq!(answer.pdu.bindings, request.pdu.bindings);
        } else {
            assert!(request.encode().len() + 16 > 484, "{}", request.encode().len());
            assert!(answer.pdu.bindings.is_empty());
            let now = talk.ask("2c public get sysLocation.0");
            let expected = VarBind::new(
                now.pdu.bindings[0].name.clone(),
                trunkline_smi::Value::text("y".repeat(length - 256)),
            );
            assert_eq!(now.pdu.bindings, [expected], "what did not fit was not done");
            break;
        }
    }
    assert!((1..50).contains(&made), "{made}");
}

#[test]
fn bulk_is_cut_and_full() {
    let tables =
        ["ifTable", "ifXTable", "ipAddressTable", "hrStorageTable", "1.3", "sysORTable", "hrSWRunTable"];
    for limit in [484, 485, 600, 1472, 8192] {
        let agent = agent(limit);
        let talk = Talk::to(&agent);
        read_everything(&talk);
        for table in tables {
            check_full(&talk, &format!("2c public bulk 0 10000 {table}"), limit);
        }
        for request in [
            "2c public bulk 0 10000 ifIndex ifDescr ifType",
            "2c public bulk 1 10000 sysUpTime sysORDescr sysORID",
            "2c public bulk 2 10000 sysDescr sysObjectID sysDescr",
            "2c public bulk 2 10000 sysDescr sysDescr sysDescr",
        ] {
            check_full(&talk, request, limit);
        }
    }
}

#[test]
fn a_bulk_of_which_nothing_fits_is_too_big_and_never_empty() {
    let name = "n".repeat(255);
    let community = format!("[[snmp.community]]\nname = \"{name}\"\naccess = \"read\"\n[system]");
    let config = steady("[system]\ndescription = \"").replace("[snmp]", "[snmp]\nmax-message-size = 484");
    let config =
        config.replace("[freshness]\ndefault = \"1h\"\n[system]", &community) + &"d".repeat(240) + "\"\n";
    let agent = Agent::start(&format!("{config}[freshness]\ndefault = \"1h\"\n"));
    let talk = Talk::to(&agent);
    let silent = parse(&repeated(&format!("1 {name} get 2.999*30"))).encode();
    talk.check(&[
        (&format!("2c {name} bulk 0 5 sysDescr"), "tooBig 0"),
        (&format!("2c {name} bulk 1 5 sysDescr sysServices"), "tooBig 0"),
        (&format!("2c {name} get sysDescr.0"), "tooBig 0"),
    ]);
    talk.check_silence(&[("not even tooBig fits", silent, "InGetRequests SilentDrops")]);
}

#[test]
fn the_largest_datagram_is_filled_and_never_passed() {
    let agent = agent(65_507);
    let talk = Talk::to(&agent);
    for request in
        ["2c public get sysDescr.0*300", "2c public next sysDescr*300", "1 public get sysDescr.0*300"]
    {
        let answer = talk.ask(&repeated(request));
        assert_eq!(answer.pdu.status().unwrap().name(), "tooBig", "{request}");
    }
    check_full(&talk, &repeated("2c public bulk 300 0 sysDescr*300"), 65_507);
    check_full(&talk, &repeated("2c public bulk 0 2 sysDescr*300"), 65_507);
    let full = talk.ask(&repeated("2c public get sysDescr.0*200"));
    assert_eq!(full.pdu.bindings.len(), 200);
}

/// The same limit and the same answers over a stream.
#[test]
fn a_stream_has_the_limit_too() {
    let agent = agent(1472);
    read_everything(&Talk::to(&agent));
    let mut stream = connect(agent.tcp());
    let mut ask = |text: &str| {
        let request = parse(&repeated(text));
        std::io::Write::write_all(&mut stream, &request.encode()).unwrap();
        read_message(&mut stream).unwrap()
    };
    assert_eq!(ask("2c public get sysDescr.0*10").pdu.status().unwrap().name(), "tooBig");
    let bulk = ask("2c public bulk 0 10000 sysORTable ipAddressTable").encode().len();
    assert!((1100..=1472).contains(&bulk), "{bulk}");
    // What is received may be longer than what is sent (RFC 3430 section 2.1: 8192 at least).
    assert_eq!(ask("2c public get sysServices.0*2000").pdu.status().unwrap().name(), "tooBig");
}

/// The answer to a GetBulk has at most `limit` octets and the next binding would not have fitted.
///
/// It may end early if data must be read first (RFC 3416 section 4.2.3): then the missing part is requested, and
/// the same request repeated.
fn check_full(talk: &Talk, request: &str, limit: usize) {
    let request_message = parse(request);
    let shown = request.get(..60).unwrap_or(request);
    let mut last = 0;
    loop {
        let mut answer = talk.exchange(&request_message);
        assert_eq!((answer.pdu.error_status, answer.pdu.error_index), (0, 0), "{shown}");
        let size = answer.encode().len();
        assert!(size <= limit, "{shown}: {size} octets, {limit} allowed");
        let Some(name) = name_after(&request_message, &answer) else { return }; // nothing is missing
        let mut next = request_message.clone();
        next.pdu.kind = PduKind::GetNext;
        (next.pdu.error_status, next.pdu.error_index) = (0, 0);
        next.pdu.bindings = vec![VarBind::unspecified(name)];
        answer.pdu.bindings.extend(talk.exchange(&next).pdu.bindings);
        let more = answer.encode().len();
        if more > limit {
            return;
        }
        assert!(size > last, "{shown}: {size} octets again, one binding more would be {more} of {limit}");
        last = size;
    }
}

/// The name that the next binding of a GetBulk would follow; `None` when nothing is missing.
fn name_after(request: &Message, answer: &Message) -> Option<trunkline_smi::Oid> {
    let asked = &request.pdu.bindings;
    let non_repeaters = (request.pdu.error_status as usize).min(asked.len());
    let repeaters = asked.len() - non_repeaters;
    let count = answer.pdu.bindings.len();
    let most = non_repeaters + repeaters * request.pdu.error_index as usize;
    let last_row_ended = repeaters > 0
        && count >= non_repeaters + repeaters
        && answer.pdu.bindings[count - repeaters..].iter().all(|b| b.value.value().is_none());
    if count == most || last_row_ended {
        return None;
    }
    Some(match count.checked_sub(non_repeaters + repeaters) {
        None => asked[count].name.clone(),
        Some(_) => answer.pdu.bindings[count - repeaters].name.clone(),
    })
}
