//! From groups to tables and figures: pure functions of what was read, and of a seed.

mod fits;
mod quality;
mod whole;

use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::findings::Findings;

use crate::group::{Asked, Group, MOST_KEPT, NAME};

/// All tables.
pub fn findings(groups: &[Group], seed: u64) -> Findings {
    let sheets = vec![whole::requests(groups), whole::summary(groups), fits::families(groups, seed)];
    let mut findings = Findings { sheets, ..Findings::default() };
    findings.sheets.extend(quality::sheets(groups, seed));
    findings.sheets.extend(fits::core_and_tail(groups, seed));
    findings.answer = quality::answer(groups);
    findings.answer.extend(fits::answer(groups, seed));
    for group in groups {
        findings.doubt_all(doubts(group));
    }
    findings
}

/// What to know before reading.
fn doubts(group: &Group) -> Vec<Doubt> {
    let condition = |table: &str, text: String| Doubt::Condition { table: format!("{NAME}/{table}"), text };
    let mut doubts: Vec<Doubt> =
        group.conditions.iter().map(|text| condition("requests", text.clone())).collect();
    if let Some(all) = group.thinned() {
        let how = format!(
            "{}: {MOST_KEPT} of {all} delays, drawn evenly, stand for all in summaries and fits; counts and monitoring errors are of all",
            group.name
        );
        doubts.push(Doubt::Shortened { table: format!("{NAME}/summary"), how });
    }
    let unanswered = group.unanswered();
    if unanswered > 0 {
        let text = format!(
            "{}: {unanswered} requests without an answer are not in means and quantiles; they are censored in fits, and late in monitoring errors",
            group.name
        );
        doubts.push(condition("summary", text));
    }
    let undecided = group.gathering.undecided_agents();
    if undecided > 0 {
        let text = format!(
            "{}: {undecided} agents have lost answers and a mean that is known from below only; they are not counted as late, and at least so many are as the table says",
            group.name
        );
        doubts.push(condition("quality", text));
    }
    if let Asked::Bounded(how) = group.asked() {
        let text = format!(
            "{}: {how}: a delay from when its round was due has the wait for those before it; --from sent counts each alone",
            group.name
        );
        doubts.push(condition("summary", text));
    }
    let incomplete = group.gathering.incomplete_rounds();
    if incomplete > 0 {
        let text = format!("{}: {incomplete} rounds without all their requests are left out", group.name);
        doubts.push(condition("quality", text));
    }
    doubts
}

/// A label for a row of a group: with its name only if there are several.
fn label(groups: &[Group], group: &Group, what: &str) -> String {
    match (groups.len(), what) {
        (1, "") => group.name.clone(),
        (1, what) => what.to_owned(),
        (_, "") => group.name.clone(),
        (_, what) => format!("{}: {what}", group.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::From;
    use trunkline_delays::{Header, Outcome, Record};
    use trunkline_distributions::{Continuous, Weibull};

    /// A group whose agents' delays are Weibull, with a lost answer now and then.
    fn group(size: u32, rounds: u32, delays: Weibull, lost_every: u32) -> Group {
        let mut random = fastrand::Rng::with_seed(u64::from(size));
        let mut group = Group::new(format!("group-{size}"), 1000.0, From::Due, 1);
        let mut header = Header::new("A-AttributeDelay-Get-M-A-1".parse().unwrap());
        header.group = size;
        group.header = Some(header);
        for round in 0..rounds {
            for agent in 0..size {
                let due = u64::from(round) * 1_000_000_000;
                let ns = (delays.quantile(random.f64().max(1e-9)) * 1e6) as u64 + 1;
                let is_lost = lost_every > 0 && (round * size + agent) % lost_every == lost_every - 1;
                let outcome = if is_lost { Outcome::Lost } else { Outcome::Answered };
                let ended = if is_lost { due + 1_100_000_000 } else { due + 1000 + ns };
                group.add_record(&Record { agent, round, due, sent: due + 1000, ended, outcome });
            }
        }
        group
    }

    #[test]
    fn one_group_has_all_its_tables() {
        let groups = [group(20, 60, Weibull { scale: 600.0, shape: 2.0 }, 100)];
        let findings = findings(&groups, 1);
        let ids: Vec<&str> = findings.sheets.iter().map(|sheet| sheet.id.as_str()).collect();
        let expected = ["requests", "summary", "distributions", "quality", "held-out", "core-and-tail"];
        assert_eq!(ids, expected.map(|it| format!("{NAME}/{it}")));
        let ours = |id: &str, row: &str, at: usize| {
            let sheet = findings.sheet(&format!("{NAME}/{id}")).unwrap();
            sheet.find(row).unwrap_or_else(|| panic!("{row}: {sheet:?}")).ours[at]
        };
        assert_eq!(ours("requests", "group-20", 0), Some(1200.0));
        assert_eq!(ours("requests", "group-20", 3), Some(12.0));
        // exp(-(1000/600)^2) is 6.2 %; a hundredth is lost.
        let late = ours("quality", "answers", 2).unwrap();
        assert!((late - 0.07).abs() < 0.02, "{late}");
        let predicted = ours("quality", "answers", 3).unwrap();
        assert!((predicted - late).abs() < 0.02, "{predicted} {late}");
        let rounds = ours("quality", "parallel rounds", 2).unwrap();
        let independent = ours("quality", "parallel rounds", 4).unwrap();
        assert!((rounds - independent).abs() < 0.15, "{rounds} {independent}");
        assert!(
            findings.doubts.iter().any(|doubt| doubt.to_string().contains("12 requests without an answer"))
        );
        // What is late and what has no answer stand apart.
        let said = &findings.answer[0];
        assert!(said.contains("% of requests (1.00 % have no answer)"), "{said}");
        assert!(findings.sheets.iter().filter(|sheet| !sheet.drawings.is_empty()).count() >= 2);
    }

    #[test]
    fn several_groups_foretell_the_largest() {
        let groups: Vec<Group> = [10, 20, 40, 80]
            .map(|size| {
                let scale = 10.0 * f64::from(size);
                group(size, 30, Weibull { scale, shape: 1.5 }, 0)
            })
            .into();
        let findings = findings(&groups, 1);
        let sheet = findings.sheet("analyze/larger-groups").unwrap();
        let row = sheet.rows.last().unwrap();
        assert!(row.label.contains("80"), "{row:?}");
        let (scale, foretold) = (row.ours[2].unwrap(), row.ours[3].unwrap());
        assert!((foretold / scale - 1.0).abs() < 0.15, "{row:?}");
    }

    fn text(name: &str, delays: impl Iterator<Item = Option<f64>>, waited: Option<f64>) -> Group {
        let mut plain = Group::new(name.into(), 1000.0, From::Due, 1);
        plain.waited = waited;
        for delay in delays {
            plain.add_line(&trunkline_delays::Line {
                agent: None,
                round: None,
                delay: delay.map(|ms| ms * 1e6),
            });
        }
        plain
    }

    /// Table 6.2 goes up to the collapse.
    #[test]
    fn a_group_without_an_answer_is_late_in_all_readings_and_others_are_analysed() {
        let fast = Weibull { scale: 100.0, shape: 2.0 };
        let groups = [group(10, 6, fast, 1), group(20, 6, fast, 0)];
        let findings = findings(&groups, 1);
        let quality = findings.sheet("analyze/quality").unwrap();
        let of = |row: &str| quality.find(row).unwrap().ours[2];
        for reading in ["answers", "agents, by their means", "parallel rounds", "serial rounds"] {
            assert_eq!(of(&format!("group-10: {reading}")), Some(1.0), "{reading}");
        }
        assert_eq!(of("group-20: answers"), Some(0.0));
        assert!(findings.answer.iter().any(|it| it.contains("group-10: nothing was answered")));
    }

    #[test]
    fn a_serial_file_has_no_parallel_rounds() {
        let mut group = group(3, 2, Weibull { scale: 100.0, shape: 2.0 }, 0);
        group.header.as_mut().unwrap().scheduling = trunkline_delays::Scheduling::Serial;
        let findings = findings(&[group], 1);
        let rows = &findings.sheet("analyze/quality").unwrap().rows;
        let names: Vec<&str> = rows.iter().map(|row| &*row.label).collect();
        assert_eq!(names, ["answers", "agents, by their means", "serial rounds"]);
        assert!(
            findings.doubts.iter().any(|doubt| doubt.to_string().contains("the wait for those before it"))
        );
    }

    #[test]
    fn the_likeliest_distribution_is_named_only_where_that_can_be_known() {
        let answer = |group: Group| findings(&[group], 1).answer.pop().unwrap();
        let weibull = |count: u32| {
            let at = move |place: u32| (f64::from(place) + 0.5) / f64::from(count);
            (0..count).map(move |place| Some(Weibull { scale: 400.0, shape: 1.3 }.quantile(at(place))))
        };
        let few = answer(text("few", weibull(6), None));
        assert!(few.contains("6 values are too few"), "{few}");
        let many = answer(text("many", weibull(300), None));
        assert!(many.contains("Weibull") && !many.contains("behind") && !many.contains("closely"), "{many}");
        let given_up = || weibull(300).map(|delay| delay.filter(|it| *it < 600.0));
        let unknown = answer(text("lost", given_up(), None));
        assert!(unknown.contains("is not known") && unknown.contains("--timeout"), "{unknown}");
        // With the time limit, the same as without losses, whatever D is.
        let known = text("lost", given_up(), Some(600.0));
        let fitted = Weibull::fit(&known.delays().unwrap()).unwrap();
        assert!(
            (fitted.scale / 400.0 - 1.0).abs() < 0.05 && (fitted.shape / 1.3 - 1.0).abs() < 0.05,
            "{fitted:?}"
        );
        assert!(answer(known).contains("of five families"));
        // Two values that are far from each other are none of them.
        let mixture = (0..200).map(|at| {
            Some(if at % 2 == 0 { 1.0 + f64::from(at) / 1000.0 } else { 900.0 + f64::from(at) / 10.0 })
        });
        let mixture = answer(text("mixture", mixture, None));
        assert!(mixture.contains("it does not fit closely either"), "{mixture}");
    }

    #[test]
    fn a_tail_says_how_many_values_it_has_and_how_little_they_say() {
        let delays = (1..=40).map(|at| Some(f64::from(at * at)));
        let findings = findings(&[text("x", delays, None)], 1);
        let row = &findings.sheet("analyze/core-and-tail").unwrap().rows[0];
        assert_eq!(row.ours[4], Some(2.0));
        let [low, high] = row.interval[6].unwrap();
        assert!(high / low > 5.0, "{low} {high}");
    }

    #[test]
    fn plain_delays_have_what_they_can_have() {
        let mut plain = Group::new("standard input".into(), 10.0, From::Due, 1);
        for delay in [1.0, 2.0, 3.0, 20.0] {
            plain.add_line(&trunkline_delays::Line { agent: None, round: None, delay: Some(delay * 1e6) });
        }
        let findings = findings(&[plain], 1);
        let quality = findings.sheet("analyze/quality").unwrap();
        assert_eq!(quality.rows.len(), 1);
        assert_eq!(quality.rows[0].ours[2], Some(0.25));
        assert!(
            findings.sheet("analyze/held-out").is_none() && findings.sheet("analyze/larger-groups").is_none()
        );
    }
}
