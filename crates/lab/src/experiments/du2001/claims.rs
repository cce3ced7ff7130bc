//! What Du, Shayman and Rozenblit claimed, and what this run finds. Claims about times compare medians, which one
//! stalled session does not move; the tables have the paper's means beside them.
//!
//! The paper timed a command: its sessions include about half a second in which it got ready ("SNMP set-up", table 4),
//! with TLS and without. Ours are those of a manager that keeps running. So a ratio of whole sessions compares by its
//! direction only; what TLS costs is compared by formula (1), in which the set-up of SNMP cancels.

use std::cmp::Ordering;

use crate::experiments::du2001::paper;
use trunkline_labkit::claims::{Claim, Now, Relation, ThenAndNow, Verdict, sentence};
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Findings;
use trunkline_labkit::picked::{Middle, minus, over, set_up_ms};
use trunkline_labkit::protocol::{Level, Protocol, Suite};
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale};
use trunkline_labkit::report::palette;
use trunkline_labkit::transport::Transport;
use trunkline_labkit::trial::Trials;

use super::sheets::{self, one_of_table_6, sizes, to_udp_at, whole};
use super::{GET, HEAVY_TRAFFIC, LIGHT_TRAFFIC, SILENCE, TLS_B, TLS_D, TODAY, UDP, WALK};

/// All requested tables, and the paper's claims.
pub fn findings(trials: &Trials) -> Findings {
    let mut findings = sheets::findings(trials);
    headings(trials, &mut findings);
    Findings { then_and_now: Some(then_and_now(trials)), ..findings }
}

/// Why a ratio of the paper's whole sessions is another quantity than ours.
const SNMP_SET_UP: &str = "not like with like in size: the paper's sessions include about half a second in which the command got ready (table 4)";

fn then_and_now(trials: &Trials) -> ThenAndNow {
    let mut claims = sessions(trials);
    claims.extend(privacy(trials));
    claims.extend(beside_usm(trials));
    claims.extend(first_message(trials));
    claims.extend(traffic(trials));
    ThenAndNow {
        is_ours: false,
        id: "du2001/claims".into(),
        asked: "What does a session over TLS cost, to set up and for each message, compared with UDP and with SNMPv3's own \
                security (USM)?"
            .into(),
        found: "Neither cost is excessive: a session of 5 messages takes 1.7 times as long over secure TLS as over UDP, one of 2000 \
                1.4 times. SNMPv3 with USM at authPriv over UDP takes 2.3 to 3.3 times as long as SNMPv1 over TLS, which may be a matter \
                of implementation, the authors say."
            .into(),
        basis: "Times of this run are medians, the paper's are means.".into(),
        today: today(trials),
        claims,
        drawing: drawing(trials),
    }
}

/// Section 4.2: what a session costs beside one over UDP.
fn sessions(trials: &Trials) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (at, messages) in [(0, 5), (3, 100), (7, 2000)] {
        let text = format!("a session of {messages} messages takes longer over TLS 1.3 than over UDP");
        let claim = Claim::new(text, "x", Relation::Above(1.0))
            .then(paper::TABLE_2.secure_to_udp[at])
            .found(to_udp_at(trials, TODAY, messages, Middle::Median).as_ref());
        claims.push(claim.direction_only(SNMP_SET_UP));
    }
    let share = |messages| {
        let picked = trials.pick("du2001/table-2", GET, TODAY, messages);
        over(picked.median_estimate(set_up_ms).as_ref(), picked.median_estimate(whole).as_ref())
    };
    let [wholes, set_ups, _] = paper::TABLE_2.secure;
    let papers = |at: usize| set_ups[at] / wholes[at];
    let text = "the set-up's share of a session over TLS 1.3 is larger with 5 messages than with 2000";
    let claim = Claim::new(text, "x", Relation::Above(1.0)).then(papers(0) / papers(7));
    claims.push(
        claim.found(over(share(5).as_ref(), share(2000).as_ref()).as_ref()).direction_only(SNMP_SET_UP),
    );
    claims.extend(by_the_model(trials));
    claims
}

/// Formula (1) of section 4.2.1: what TLS costs in units of a message over UDP.
fn by_the_model(trials: &Trials) -> [Claim; 2] {
    let [set_up, longer] = sheets::in_messages(trials, TODAY);
    let [papers_set_up, papers_longer] = sheets::papers_in_messages();
    [
        Claim::new(
            "the set-up of TLS 1.3 takes as long as so many messages over UDP",
            "messages",
            Relation::Above(0.0),
        )
        .then(papers_set_up)
        .found(set_up.as_ref()),
        Claim::new(
            "a message takes longer over TLS 1.3 than over UDP, set-up aside",
            "%",
            Relation::Above(0.0),
        )
        .then(papers_longer)
        .found(longer.as_ref()),
    ]
}

/// Section 4.1: what encryption costs beside integrity alone, in the messages of a session: the handshakes differ too.
fn privacy(trials: &Trials) -> Vec<Claim> {
    let of = |what, row: usize| {
        let (b, d) = (messages_ms(trials, what, TLS_B), messages_ms(trials, what, TLS_D));
        let share = over(minus(d.as_ref(), b.as_ref()).as_ref(), b.as_ref()).map(|it| &it * 100.0);
        let [_, then_b, _, _, _, _, privacy, _] = paper::TABLE_1[row].figures;
        Claim::new(
            format!("AES-GCM instead of HMAC-SHA-1 alone makes the messages of a {what} take longer"),
            "%",
            Relation::Above(0.0),
        )
        .then(privacy / then_b * 100.0)
        .found(share.as_ref())
        .direction_only("not like with like in size: the paper's d also compresses, and its share is that of a whole session")
        .because(
            Verdict::Reversed,
            "AES-GCM protects and encrypts in one pass; the HMAC of integrity alone takes longer",
        )
        .because(Verdict::NotResolved, "smaller than what varies from session to session")
    };
    vec![of(GET, 0), of(WALK, 1)]
}

/// Section 4.4: USM with authentication and encryption over UDP beside TLS.
fn beside_usm(trials: &Trials) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (what, rows) in [(GET, &paper::TABLE_6_GET), (WALK, &paper::TABLE_6_WALK)] {
        for is_hashed in [true, false] {
            let how = if is_hashed { "the password hashed each time" } else { "keys made before" };
            let claim = Claim::new(
                format!("a {what} takes longer with USM (MD5 and DES), {how}, than over TLS 1.3"),
                "x",
                Relation::Above(1.0),
            );
            let claim = claim
                .then(rows[6].figures[3].map(|percent| percent / 100.0))
                .found(usm_to_tls(trials, what, is_hashed).as_ref());
            let claim = claim.direction_only(SNMP_SET_UP);
            claims.push(if is_hashed {
                claim
            } else {
                claim.because(
                    Verdict::Reversed,
                    "what was expensive was hashing the password, which a running manager does once",
                )
            });
        }
    }
    claims
}

/// USM at authPriv over UDP, with the paper's MD5 and DES, as a multiple of TLS 1.3: of a command that starts anew, which
/// hashes the password or reads certificates and keys; or of a manager that has done so before.
fn usm_to_tls(trials: &Trials, what: &str, is_hashed: bool) -> Option<Estimate> {
    let usm = Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Md5Des);
    let of = |protocol, hashes| {
        let how = if is_hashed { sheets::How::Command { hashes } } else { sheets::How::Manager };
        one_of_table_6(trials, what, protocol, how, Middle::Median)
    };
    over(of(usm, true).as_ref(), of(TODAY, false).as_ref())
}

/// Section 4.3.
fn first_message(trials: &Trials) -> Vec<Claim> {
    let claim = |(name, protocol, [first, others @ ..]): (&str, Protocol, [f64; 34])| {
        let mean = others.iter().sum::<f64>() / others.len() as f64;
        let text = format!("the first message of a walk over {name} takes longer than the others");
        let claim = Claim::new(text, "x", Relation::Above(1.0)).then(first / mean);
        claim.found(first_to_others(trials, protocol).as_ref())
    };
    let all = [
        ("TLS 1.2", TLS_D, paper::TABLE_5_TLS),
        ("TLS 1.3", TODAY, paper::TABLE_5_TLS),
        ("UDP", UDP, paper::TABLE_5_UDP),
    ];
    all.map(claim).into()
}

/// The first message of a walk as a multiple of the others.
fn first_to_others(trials: &Trials, protocol: Protocol) -> Option<Estimate> {
    let walks = trials.pick("du2001/table-4", WALK, protocol, None);
    let first = walks.median_estimate(|it| Some(*it.each_ns.first()? as f64));
    let others = walks.median_estimate(|it| {
        let later = it.each_ns.get(1..).filter(|later| !later.is_empty())?;
        Some(later.iter().sum::<u64>() as f64 / later.len() as f64)
    });
    over(first.as_ref(), others.as_ref())
}

/// Section 4.2.2, if the silence was the paper's.
fn traffic(trials: &Trials) -> Vec<Claim> {
    let id = "du2001/table-3";
    let is_shorter = |doubt: &Doubt| match doubt {
        Doubt::Shortened { table, how } => table == id && how.contains(SILENCE),
        _ => false,
    };
    let as_then = !trials.doubts().iter().any(is_shorter);
    let claim = |name: &str, protocol, column: usize| {
        let median = |what| {
            let picked = trials.pick(id, what, protocol, None);
            picked.median_estimate(whole).filter(|_| as_then)
        };
        let [light, heavy] = paper::TABLE_3.map(|row| row.figures[column]);
        Claim::new(
            format!("a message over {name} takes longer after five minutes of silence than after a second"),
            "x",
            Relation::Above(1.0),
        )
        .then(light / heavy)
        .because(
            Verdict::Stronger,
            "a session is so short now that it shows how long a processor takes to wake and to fill its caches",
        )
        .found(over(median(LIGHT_TRAFFIC).as_ref(), median(HEAVY_TRAFFIC).as_ref()).as_ref())
    };
    vec![claim("TLS", TLS_B, 0), claim("UDP", UDP, 2)]
}

/// The sentence about this run.
fn today(trials: &Trials) -> String {
    let parts: Vec<String> = [sessions_today(trials), usm_today(trials)].into_iter().flatten().collect();
    match parts[..] {
        [] => "This run measured none of the tables that answer it (table-2, table-6).".into(),
        _ => parts.join(" "),
    }
}

/// What each table found, for its heading.
fn headings(trials: &Trials, findings: &mut Findings) {
    for sheet in &mut findings.sheets {
        let found = match sheet.id.as_str() {
            "du2001/table-1" => {
                Some(sentence(&[GET, WALK].map(|what| encryption_adds(trials, what)).join("; ")))
            }
            "du2001/table-2" => sessions_today(trials),
            "du2001/table-5" => first_to_others(trials, TLS_D).map(|ratio| {
                format!(
                    "The first message of a walk over TLS 1.2 takes {} times as long as the others.",
                    Now::from(&ratio)
                )
            }),
            "du2001/table-6" => usm_today(trials),
            _ => None,
        };
        sheet.finding = found.unwrap_or_default();
    }
}

/// `A session of 5 messages takes ... times as long over TLS 1.3 as over UDP, one of 2000 messages ... times.`
fn sessions_today(trials: &Trials) -> Option<String> {
    let all = sizes(trials);
    let ends = [all.first(), all.last().filter(|_| all.len() > 1)];
    let ratio = |messages| Some(Now::from(&to_udp_at(trials, TODAY, messages, Middle::Median)?));
    let measured = ends.into_iter().flatten().filter_map(|&messages| Some((messages, ratio(messages)?)));
    let part = |(at, (messages, times)): (usize, (u32, Now))| match at {
        0 => format!("A session of {messages} messages takes {times} times as long over TLS 1.3 as over UDP"),
        _ => format!("one of {messages} messages {times} times"),
    };
    let parts: Vec<String> = measured.enumerate().map(part).collect();
    (!parts.is_empty()).then(|| parts.join(", ") + ".")
}

/// `A get with USM takes ...`
fn usm_today(trials: &Trials) -> Option<String> {
    let keys = [
        (false, "its keys made before"),
        (true, "in a command that hashes the password, beside one that reads its certificates,"),
    ];
    let measured =
        keys.into_iter().filter_map(|(is_hashed, how)| Some((how, usm_to_tls(trials, GET, is_hashed)?)));
    let part = |(at, (how, ratio)): (usize, (&str, Estimate))| match at {
        0 => format!(
            "A get with USM (MD5 and DES), {how}, takes {} times as long as over TLS 1.3",
            Now::from(&ratio)
        ),
        _ => format!("{how} {} times", Now::from(&ratio)),
    };
    let parts: Vec<String> = measured.enumerate().map(part).collect();
    (!parts.is_empty()).then(|| parts.join("; ") + ".")
}

/// The messages of a session of table 1, milliseconds.
fn messages_ms(trials: &Trials, what: &str, protocol: Protocol) -> Option<Estimate> {
    trials
        .pick("du2001/table-1", what, protocol, None)
        .median_estimate(|it| Some(it.exchange_ns as f64 / 1e6))
}

/// What encryption adds to the messages of a session of table 1.
fn encryption_adds(trials: &Trials, what: &str) -> String {
    let adds = minus(messages_ms(trials, what, TLS_D).as_ref(), messages_ms(trials, what, TLS_B).as_ref());
    match adds.as_ref().and_then(|it| it.against(0.0)) {
        Some(Ordering::Greater) => {
            format!(
                "AES-GCM instead of HMAC-SHA-1 alone adds {} ms to the messages of a {what}",
                adds.map(|it| Now::from(&it).to_string()).unwrap_or_default()
            )
        }
        Some(_) => format!("AES-GCM instead of HMAC-SHA-1 alone adds nothing to the messages of a {what}"),
        None => format!(
            "what AES-GCM instead of HMAC-SHA-1 alone adds to the messages of a {what} is not resolved"
        ),
    }
}

/// A session over TLS as a multiple of one over UDP, by its messages: both years.
fn drawing(trials: &Trials) -> Option<(Figure, String)> {
    let ours: Vec<Point> = sizes(trials)
        .into_iter()
        .filter_map(|size| Some(Point::of(f64::from(size), &to_udp_at(trials, TODAY, size, Middle::Median)?)))
        .collect();
    if ours.is_empty() {
        return None;
    }
    let printed = paper::TABLE_2_MESSAGES.into_iter().zip(paper::TABLE_2.secure_to_udp);
    let printed = printed.map(|(size, ratio)| Point::at(f64::from(size), ratio));
    let axis = |title: &str, scale| Axis { title: title.into(), scale };
    let title = "A session over TLS as a multiple of one over UDP, by its messages";
    let style = palette::protocol(TODAY);
    let lines = vec![
        Line::new("2001", palette::paper_of(style), printed),
        Line::new("this run, TLS 1.3", style, ours),
    ];
    let figure = Figure {
        title: title.into(),
        x: axis("messages in one session", Scale::Log),
        y: axis("time over TLS / time over UDP", Scale::Linear),
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    let caption = "The longer a session, the less its set-up weighs: at 1 both would take the same time. Bars are intervals at \
                   95 %; grey: the paper, whose sessions include about half a second of SNMP set-up with TLS and without, which flattens its line.";
    Some((figure, caption.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_labkit::sample::{session, trial};
    use trunkline_labkit::trial::Entry;

    /// Twelve sessions that vary by three hundredths, the last of them stalled.
    fn sessions(table: &str, what: &str, protocol: Protocol, messages: u32, ms: f64) -> Vec<Entry> {
        let one = |round: u32| {
            let ms = if round == 12 { 900.0 } else { ms * (1.0 + f64::from(round) / 400.0) };
            Entry::Session(session(table, what, protocol, messages, round, [0.0, ms, 0.0]))
        };
        (1..=12).map(one).collect()
    }

    #[test]
    fn verdicts_follow_from_the_medians() {
        let mut trial = trial("du2001");
        trial.tables = vec!["du2001/table-1".into(), "du2001/table-2".into(), "du2001/table-6".into()];
        let hashed = super::super::hashed(GET);
        let usm = |suite| Protocol::usm(Transport::Udp, Level::AuthPriv, suite);
        let entries = [
            sessions("du2001/table-2", GET, TODAY, 5, 6.0),
            sessions("du2001/table-2", GET, UDP, 5, 1.0),
            sessions("du2001/table-2", GET, TODAY, 2000, 140.0),
            sessions("du2001/table-2", GET, UDP, 2000, 100.0),
            sessions("du2001/table-1", WALK, TLS_B, 34, 5.0),
            sessions("du2001/table-1", WALK, TLS_D, 34, 5.0),
            sessions("du2001/table-6", GET, TODAY, 1, 1.4),
            sessions("du2001/table-6", hashed, usm(Suite::Md5Des), 1, 3.9),
            sessions("du2001/table-6", GET, usm(Suite::Md5Des), 1, 0.5),
        ];
        let findings = findings(&Trials { trial, entries: entries.concat() });
        let both = findings.then_and_now.unwrap();
        let verdicts: Vec<(&str, Verdict)> =
            both.judged().map(|(claim, _, verdict)| (claim.text.as_str(), verdict)).collect();
        assert_eq!(
            verdicts,
            [
                ("a session of 5 messages takes longer over TLS 1.3 than over UDP", Verdict::DirectionHolds),
                (
                    "a session of 2000 messages takes longer over TLS 1.3 than over UDP",
                    Verdict::DirectionHolds
                ),
                ("a message takes longer over TLS 1.3 than over UDP, set-up aside", Verdict::Holds),
                (
                    "AES-GCM instead of HMAC-SHA-1 alone makes the messages of a walk take longer",
                    Verdict::NotResolved
                ),
                (
                    "a get takes longer with USM (MD5 and DES), the password hashed each time, than over TLS 1.3",
                    Verdict::DirectionHolds
                ),
                (
                    "a get takes longer with USM (MD5 and DES), keys made before, than over TLS 1.3",
                    Verdict::Reversed
                ),
            ]
        );
        assert!(
            both.today.contains("A session of 5 messages takes 6.00 (6.00 to 6.00) times as long"),
            "{}",
            both.today
        );
        let table_1 = findings.sheets.iter().find(|it| it.id == "du2001/table-1").unwrap();
        assert!(table_1.finding.ends_with("adds nothing to the messages of a walk."), "{}", table_1.finding);
    }

    #[test]
    fn silence_that_was_cut_short_proves_nothing() {
        let mut entries = sessions("du2001/table-3", LIGHT_TRAFFIC, UDP, 1, 3.0);
        entries.extend(sessions("du2001/table-3", HEAVY_TRAFFIC, UDP, 1, 2.0));
        let judged = |entries| then_and_now(&Trials { trial: trial("du2001"), entries }).judged().count();
        assert_eq!(judged(entries.clone()), 1);
        let doubt = Doubt::Shortened { table: "du2001/table-3".into(), how: format!("1 s {SILENCE}") };
        entries.push(Entry::Doubt(trunkline_labkit::trial::DoubtRecord { doubt }));
        assert_eq!(judged(entries), 0);
    }
}
