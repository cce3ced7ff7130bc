//! Inside the agent: the phases of requests by the clocks of `trunklined-lab`.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use trunkline_client::netconf::NetconfSession;

use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::keyring::USER;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::stage::{Role, Stand};
use trunkline_labkit::subject::Equipped;

use super::prepare::{Answered, Way, ask, open};
use super::requests::{EVERYTHING, Pair, Request, of_figure_3_2, pairs};
use super::{DEPTHS, GUARDED, Options, TIMED, VALIDATING, WITH_LIBXML, condition, content, missing, paper};

/// The phases in the order of a request, without what lies between requests.
pub(super) const PHASES: [&str; 14] = [
    "receive", "decrypt", "verify", "inflate", "decode", "validate", "access", "filter", "retrieve",
    "encode", "deflate", "encrypt", "sign", "send",
];

/// How a case and a phase are one series.
pub(super) fn phase_of(case: &str, phase: &str) -> String {
    format!("{case}: {phase}")
}

/// The deliverable's fourth case: over plain TCP, nothing is done with messages.
pub(super) const DEFAULT: &str = "default";
/// Its first case.
pub(super) const ENCRYPTED_COMPRESSED: &str = "encryption + compression";
/// Its second case.
pub(super) const ENCRYPTION: &str = "encryption";
/// Its third case.
pub(super) const COMPRESSION: &str = "compression";
/// The cases of figure 3.2, in its order.
pub(super) const CASES: [(&str, Way); 4] = [
    (ENCRYPTED_COMPRESSED, Way::THEN_ZLIB),
    (ENCRYPTION, Way::THEN),
    (COMPRESSION, Way::ZLIB),
    (DEFAULT, Way::PLAIN),
];

/// Figure 3.2: seven requests, each phase.
pub(super) fn figure_3_2(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let rounds = chapter.choice.rounds(paper::FIGURE_3_2_REPETITIONS, QUICK_ROUNDS);
    fewer(chapter, rounds, paper::FIGURE_3_2_REPETITIONS)?;
    condition(chapter, "the requests are ours: those of the deliverable are not at hand")?;
    let ways = CASES.map(|(_, way)| (USER.to_owned(), way));
    let Some(timed) = Timed::open(chapter, TIMED, &ways)? else { return Ok(()) };
    let cases = (0..).zip(CASES);
    let requests = cases.flat_map(|(session, (case, _))| {
        (1..).zip(of_figure_3_2()).map(move |(at, it)| (session, case, at, it))
    });
    let requests: Vec<(usize, &str, u32, Request)> = requests.collect();
    timed.in_rounds(chapter, rounds, &requests, |chapter, timed, round, (session, case, at, request)| {
        let (phases, _) = timed.phases(chapter, *session, request)?;
        for phase in PHASES {
            let ns = phases.get(phase).copied().unwrap_or(0.0);
            note(chapter, &phase_of(case, phase), *at, round, ns)?;
        }
        Ok(())
    })?;
    timed.close(chapter);
    Ok(())
}

/// What checks requests, as the series of the sheet `schema` have it.
pub(super) const CHECKS: [(&str, Role); 3] = [
    ("without", TIMED),
    ("by the agent's own schema", VALIDATING),
    ("by libxml2 and an XML Schema", WITH_LIBXML),
];

/// Section 3.2: validation of each request.
pub(super) fn schema(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let rounds = chapter.choice.rounds(paper::FIGURE_3_2_REPETITIONS, QUICK_ROUNDS);
    fewer(chapter, rounds, paper::FIGURE_3_2_REPETITIONS)?;
    let mut agents = Vec::new();
    for (check, role) in CHECKS {
        agents.extend(
            Timed::open(chapter, role, &[(USER.to_owned(), Way::PLAIN)])?.map(|timed| (check, timed)),
        );
    }
    let Some((_, first)) = agents.first() else { return Ok(()) };
    let requests: Vec<(u32, Request)> = (1..).zip(of_figure_3_2()).collect();
    let turns = (0..agents.len()).flat_map(|agent| requests.iter().map(move |request| (agent, request)));
    let turns: Vec<(usize, &(u32, Request))> = turns.collect();
    first.in_rounds(chapter, rounds, &turns, |chapter, _, round, (agent, (at, request))| {
        let (check, timed) = &agents[*agent];
        let (phases, _) = timed.phases(chapter, 0, request)?;
        for phase in PHASES {
            let ns = phases.get(phase).copied().unwrap_or(0.0);
            note(chapter, &phase_of(check, phase), *at, round, ns)?;
        }
        Ok(())
    })?;
    for (_, timed) in agents {
        timed.close(chapter);
    }
    Ok(())
}

/// Table 3.3: the same question by a subtree filter and by XPath.
pub(super) fn table_3_3(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let rounds = chapter.choice.rounds(paper::TABLE_REPETITIONS / BLOCK, QUICK_ROUNDS);
    fewer(chapter, rounds * BLOCK, paper::TABLE_REPETITIONS)?;
    condition(
        chapter,
        "the twelve pairs are ours, made to what the deliverable says of its own, which are lost; attributes are not matched, as data of YANG has none",
    )?;
    let Some(timed) = Timed::open(chapter, TIMED, &[(USER.to_owned(), Way::PLAIN)])? else {
        return Ok(());
    };
    for (pair, at) in pairs().into_iter().zip(1..).filter(|(pair, _)| pair.is_same) {
        let session = timed.sessions.first();
        let answers = session.map(|session| chapter.runtime.block_on(both(session, &pair)));
        let reason = match answers {
            Some(Ok([one, other])) if is_same(&one, &other) => continue,
            // Processes come and go meanwhile.
            Some(Ok(answers)) if pair.what == EVERYTHING && names(&answers[0]) == names(&answers[1]) => {
                continue;
            }
            Some(Ok([one, other])) => format!(
                "the two filters select different data, as elements {:?}",
                names(&one).symmetric_difference(&names(&other)).take(5).collect::<Vec<_>>()
            ),
            Some(Err(reason)) => reason,
            None => "there is no session".to_owned(),
        };
        missing(chapter, &format!("pair {at}, {}", pair.what), reason)?;
        timed.close(chapter);
        return Ok(());
    }
    let both = pairs()
        .into_iter()
        .zip(1..)
        .flat_map(|(pair, at)| [(at, SUBTREE, pair.subtree), (at, XPATH, pair.xpath)]);
    let requests: Vec<(u32, &str, Request)> = both.collect();
    let table = chapter.table.clone();
    timed.in_rounds(chapter, rounds, &requests, |chapter, timed, round, (at, way, request)| {
        let (phases, answered) = timed.phases(chapter, 0, request)?;
        for phase in PHASES {
            let ns = phases.get(phase).copied().unwrap_or(0.0);
            note(chapter, &phase_of(way, phase), *at, round, ns)?;
        }
        if round == 1 {
            let octets =
                [(Quantity::RequestOctets, answered.request), (Quantity::ResponseOctets, answered.response)];
            for (quantity, octets) in octets {
                chapter.ledger.reading(&table, way, *at, quantity, round, octets as f64)?;
            }
        }
        Ok(())
    })?;
    timed.close(chapter);
    Ok(())
}

/// The answers to a pair.
async fn both(session: &NetconfSession, pair: &Pair) -> Result<[String; 2], String> {
    let mut answers = [String::new(), String::new()];
    for (request, answer) in [&pair.subtree, &pair.xpath].into_iter().zip(&mut answers) {
        let data = session.data(request.operation.as_bytes()).await;
        *answer = String::from_utf8_lossy(&data.map_err(|error| error.to_string())?.0).into_owned();
    }
    Ok(answers)
}

/// The names of an answer's elements.
fn names(answer: &str) -> BTreeSet<&str> {
    answer.split('<').filter_map(|part| part.split(['>', ' ', '/']).find(|name| !name.is_empty())).collect()
}

/// Whether two answers have the same data, in whatever order. Digits do not count: there are counters and times among what "everything" is.
fn is_same(one: &str, other: &str) -> bool {
    let parts = |text: &str| {
        let part = |part: &str| part.chars().filter(|it| !it.is_ascii_digit()).collect::<String>();
        // The reply's own element has the number of the message.
        let mut parts: Vec<String> =
            text.split('<').filter(|it| !it.starts_with("rpc-reply")).map(part).collect();
        parts.sort_unstable();
        parts
    };
    parts(one) == parts(other)
}

/// The ways of table 3.3.
pub(super) const SUBTREE: &str = "subtree";
/// See [`SUBTREE`].
pub(super) const XPATH: &str = "XPath";

/// Each number of permissions at each depth of the hierarchy that it suffices for.
pub(super) fn subjects(counts: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    DEPTHS.into_iter().flat_map(|depth| {
        counts.iter().filter(move |count| **count >= depth).map(move |count| (*count, depth))
    })
}

/// The series of a depth of the hierarchy.
pub(super) fn at_depth(depth: u32) -> String {
    format!("depth {depth}")
}

/// What is compiled when the policy changes.
pub(super) const COMPILED: &str = "compiled anew";

/// Figure 3.3: access control by the number of permissions and the depth of the hierarchy.
pub(super) fn figure_3_3(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let rounds = chapter.choice.rounds(ROUNDS, QUICK_ROUNDS);
    fewer(chapter, rounds, ROUNDS)?;
    condition(
        chapter,
        "permissions are paths, as the deliverable's were XPath expressions; our agent knows them as subtrees of objects once it has read its policy. \
         What the deliverable's figure varies is cut off in the text",
    )?;
    let counts = chapter.options.permissions(chapter.choice);
    let subjects: Vec<(u32, u32)> = subjects(&counts).collect();
    let of = |(count, depth): &(u32, u32)| (content::subject(*count, *depth), Way::SSH);
    let users: Vec<(String, Way)> = subjects.iter().map(of).collect();
    let Some(timed) = Timed::open(chapter, GUARDED, &users)? else { return Ok(()) };
    let request = Request { name: "system".into(), operation: SYSTEM.into() };
    let all: Vec<(usize, (u32, u32))> = subjects.into_iter().enumerate().collect();
    let mut expected: Option<usize> = None;
    timed.in_rounds(chapter, rounds, &all, |chapter, timed, round, (session, (count, depth))| {
        let (phases, answered) = timed.phases(chapter, *session, &request)?;
        // Who inherited nothing would be fast with an empty answer. The agent's uptime has more and fewer digits.
        if answered.response.abs_diff(*expected.get_or_insert(answered.response)) > 16 {
            missing(chapter, &content::subject(*count, *depth), "it reads less than the others")?;
            return Err(Stopped::LeftOut);
        }
        for phase in PHASES {
            let ns = phases.get(phase).copied().unwrap_or(0.0);
            note(chapter, &phase_of(&at_depth(*depth), phase), *count, round, ns)?;
        }
        Ok(())
    })?;
    for round in 1..=rounds.min(RELOADS) {
        if chapter.ledger.is_interrupted() {
            break;
        }
        match compile(timed.agent) {
            Ok(ns) => note(chapter, COMPILED, all.len() as u32, round, ns)?,
            Err(reason) => {
                missing(chapter, COMPILED, reason)?;
                break;
            }
        }
    }
    timed.close(chapter);
    Ok(())
}

/// What the agent takes to compile its policy, when its configuration is read again.
fn compile(agent: &Equipped) -> Result<f64, String> {
    let access = |agent: &Equipped| {
        let counted = agent.counted().map_err(|error| error.to_string())?;
        Ok::<u64, String>(counted.in_sessions.phases.get("access").copied().unwrap_or(0))
    };
    let before = access(agent)?;
    agent.reload().map_err(|error| error.to_string())?;
    Ok(access(agent)?.saturating_sub(before) as f64)
}

fn fewer(chapter: &mut Chapter<'_, Options>, rounds: u32, papers: u32) -> Result<(), Error> {
    if rounds >= papers {
        return Ok(());
    }
    chapter.shortened(format!("{rounds} repetitions of each request, where {papers} are measured in full"))
}

fn note(chapter: &mut Chapter<'_, Options>, series: &str, at: u32, round: u32, ns: f64) -> Result<(), Error> {
    let table = chapter.table.clone();
    chapter.ledger.reading(&table, series, at, Quantity::PhaseNs, round, ns)
}

/// Sessions with an agent that has clocks.
struct Timed<'a> {
    agent: &'a Equipped,
    sessions: Vec<NetconfSession>,
}

/// Why a round ends: an error of the run, or the doubt has been written.
enum Stopped {
    Failed(Error),
    LeftOut,
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Stopped {
        Stopped::Failed(error)
    }
}

impl<'a> Timed<'a> {
    /// A session for each user. `None`: a doubt says why there is none.
    fn open(
        chapter: &mut Chapter<'a, Options>,
        role: Role,
        users: &[(String, Way)],
    ) -> Result<Option<Timed<'a>>, Error> {
        let stage = chapter.stage;
        stage.stand(Stand::Beside)?;
        let Some(agent) = stage.agent(role) else {
            let (table, switch) = (chapter.table.clone(), "clocks inside the agent (trunklined-lab)".into());
            chapter.ledger.doubt(Doubt::NoSwitch { table, switch })?;
            return Ok(None);
        };
        let mut sessions = Vec::new();
        for (user, way) in users {
            match chapter.runtime.block_on(open(stage, role, *way, Stand::Beside, user)) {
                Ok(session) => sessions.push(session),
                Err(reason) => {
                    missing(chapter, &format!("a session of {user}"), reason)?;
                    return Ok(None);
                }
            }
        }
        Ok(Some(Timed { agent, sessions }))
    }

    /// Measures each in every round, in a newly drawn order; round 0 is the warm-up.
    fn in_rounds<T>(
        &self,
        chapter: &mut Chapter<'a, Options>,
        rounds: u32,
        all: &[T],
        mut measure: impl FnMut(&mut Chapter<'a, Options>, &Timed<'a>, u32, &T) -> Result<(), Stopped>,
    ) -> Result<(), Error> {
        let mut random = Rng::with_seed(chapter.ledger.seed);
        let left = Left::of(u64::from(rounds) + 1);
        let mut order: Vec<&T> = all.iter().collect();
        for round in 0..=rounds {
            left.announce(chapter.ledger, round.into());
            random.shuffle(&mut order);
            for one in &order {
                if chapter.ledger.is_interrupted() {
                    return Ok(());
                }
                chapter.ledger.progress.inc(1);
                match measure(chapter, self, round, one) {
                    Ok(()) => {}
                    Err(Stopped::Failed(error)) => return Err(error),
                    Err(Stopped::LeftOut) => return Ok(()),
                }
            }
        }
        Ok(())
    }

    /// Nanoseconds of one of [`BLOCK`] requests in each phase, and the last answer.
    fn phases(
        &self,
        chapter: &mut Chapter<'_, Options>,
        session: usize,
        request: &Request,
    ) -> Result<(BTreeMap<String, f64>, Answered), Stopped> {
        match self.measured(chapter, session, request) {
            Ok(measured) => Ok(measured),
            Err(reason) => {
                missing(chapter, &request.name, reason)?;
                Err(Stopped::LeftOut)
            }
        }
    }

    fn measured(
        &self,
        chapter: &Chapter<'_, Options>,
        session: usize,
        request: &Request,
    ) -> Result<(BTreeMap<String, f64>, Answered), String> {
        let counted = || self.agent.counted().map_err(|error| error.to_string());
        let session = self.sessions.get(session).ok_or("there is no session")?;
        let before = counted()?.in_sessions;
        let mut answered = chapter.runtime.block_on(ask(session, request))?;
        for _ in 1..BLOCK {
            answered = chapter.runtime.block_on(ask(session, request))?;
        }
        let after = counted()?.in_sessions;
        let requests = after.requests.saturating_sub(before.requests);
        if requests != u64::from(BLOCK) {
            return Err(format!("the agent's clocks counted {requests} requests instead of {BLOCK}"));
        }
        let of = |(phase, ns): (&String, &u64)| {
            let before = before.phases.get(phase).copied().unwrap_or(0);
            (phase.clone(), ns.saturating_sub(before) as f64 / f64::from(BLOCK))
        };
        Ok((after.phases.iter().map(of).collect(), answered))
    }

    fn close(self, chapter: &Chapter<'_, Options>) {
        for session in self.sessions {
            chapter.runtime.block_on(session.close());
        }
    }
}

/// Requests between two readings of the agent's clocks.
pub(super) const BLOCK: u32 = 10;
const ROUNDS: u32 = 64;
const QUICK_ROUNDS: u32 = 8;
const RELOADS: u32 = 10;
/// The request of figure 3.3: the system group, which every role may read.
const SYSTEM: &str = "<get><filter type=\"subtree\"><SNMPv2-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB\"><system/></SNMPv2-MIB></filter></get>";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_the_same_whatever_their_order_and_their_counters() {
        let one = "<rpc-reply message-id=\"7\"><data><a><name>x</name><in>17</in></a><a><name>y</name></a></data></rpc-reply>";
        let other = "<rpc-reply message-id=\"12\"><data><a><name>y</name></a><a><name>x</name><in>18</in></a></data></rpc-reply>";
        assert!(is_same(one, other));
        assert!(!is_same(one, &other.replace("y", "z")));
        assert!(!is_same(one, &other.replace("<in>18</in>", "")));
        assert_eq!(names(one), names(other));
        assert!(names(one).contains("in") && names(one) != names("<a><name/></a>"));
    }
}
